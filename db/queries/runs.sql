-- Every run: how it ended, and what its wall time went to. Idle is what is left: starting the
-- worker, enumerating, storing, choosing.
WITH counted AS (
    SELECT t.run_id, count(*) AS trial_count, count(t.same_as_trial_id) AS duplicate_count,
           sum(m.status <> 'ok') AS failed_count
    FROM trials AS t
    JOIN trials AS m ON m.id = coalesce(t.same_as_trial_id, t.id)
    GROUP BY t.run_id
)
SELECT r.id AS run, d.name AS device, d.kind AS device_kind, d.uuid AS device_uuid,
       e.driver, e.compiler, e.tool_version, e.host, r.started_at, r.ended_at,
       coalesce(r.outcome, 'not ended') AS outcome, r.l2_mode, r.seed, r.tick_ns, r.empty_pair_ns,
       r.node_gap_ns, r.effort, r.objective, r.budget_ns, r.worker_cpus, r.near, r.protocol,
       r.wall_ns, r.measuring_ns, r.compile_wait_ns,
       100.0 * r.measuring_ns / nullif(r.wall_ns, 0) AS measuring_percent,
       100.0 * r.compile_wait_ns / nullif(r.wall_ns, 0) AS compile_wait_percent,
       100.0 * (r.wall_ns - r.measuring_ns - r.compile_wait_ns) / nullif(r.wall_ns, 0)
           AS idle_percent,
       r.binaries_compiled, r.binaries_cached,
       coalesce(c.trial_count, 0) AS trial_count,
       coalesce(c.duplicate_count, 0) AS duplicate_count, coalesce(c.failed_count, 0) AS failed_count
FROM runs AS r
JOIN environments AS e ON e.id = r.environment_id
JOIN devices AS d ON d.id = e.device_id
LEFT JOIN counted AS c ON c.run_id = r.id
ORDER BY r.id;
