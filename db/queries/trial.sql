-- Everything about one trial. A duplicate (same_as_trial_id) shows the figures of the trial that
-- was measured.
-- :trial  its id
SELECT t.id AS trial_id, d.name AS device, d.kind AS device_kind, d.uuid AS device_uuid,
       e.driver, e.compiler, e.tool_version, t.run_id AS run, x.name AS experiment,
       p.key AS problem, p.n, c.key AS configuration, c.parameters, m.derived, t.stage, t.objective,
       t.l2_mode, m.status, m.detail, m.compile_log, t.same_as_trial_id, m.binary_hash,
       m.launch_count, m.grid, m.block, 100 * m.occupancy AS occupancy_percent, m.sample_count,
       m.median_ns, m.mad_ns, m.min_ns, m.max_ns, nullif(p.bytes_moved, 0) / m.median_ns AS gbs,
       m.energy_j, m.value, m.metrics, t.duration_ns, t.measured_at
FROM trials AS t
JOIN trials AS m ON m.id = coalesce(t.same_as_trial_id, t.id)
JOIN environments AS e ON e.id = t.environment_id
JOIN devices AS d ON d.id = e.device_id
JOIN problems AS p ON p.id = t.problem_id
JOIN experiments AS x ON x.id = p.experiment_id
JOIN configurations AS c ON c.id = t.configuration_id
WHERE t.id = :trial;
