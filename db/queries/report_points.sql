-- Each launch that was tried on what the page is about, as the view `points` has those that were measured: that looks
-- at all that raced for each, and all of a database is asked for here. Of problems with more than :most trials those
-- of every k-th, what raced, and baselines.
-- :environments  where (a JSON array of their ids)
-- :most          trials of a problem
WITH here AS (SELECT value AS environment_id FROM json_each(:environments)),
thinned AS MATERIALIZED (
    SELECT problem_id, environment_id, 1 + count(*) / CAST(:most AS INTEGER) AS every
    FROM trials
    WHERE environment_id IN (SELECT environment_id FROM here)
    GROUP BY problem_id, environment_id
),
-- Raced configurations, by the trial of the sweep with the same launch (a raced one without such a trial
-- represents itself).
raced AS (
    SELECT r.objective, r.stage, r.status,
           CAST(coalesce(s.same_as_trial_id, s.id, r.same_as_trial_id, r.id) AS INTEGER) AS launched_id,
           CAST(coalesce(r.same_as_trial_id, r.id) AS INTEGER) AS trial_id
    FROM trials AS r
    LEFT JOIN trials AS s
        ON s.environment_id = r.environment_id AND s.problem_id = r.problem_id
        AND s.configuration_id = r.configuration_id AND s.stage = 'sweep' AND s.objective = 'time'
        AND s.l2_mode = r.l2_mode
    WHERE r.stage IN ('race', 'confirm') AND r.environment_id IN (SELECT environment_id FROM here)
),
-- The confirmation where that came to a time, else the race: the order in which their names lie.
finals AS MATERIALIZED (
    SELECT objective, launched_id, trial_id
    FROM (SELECT *, row_number() OVER (
                 PARTITION BY objective, launched_id
                 ORDER BY stage = 'confirm' AND status = 'ok' DESC, stage = 'race' DESC, trial_id DESC) AS place
          FROM raced)
    WHERE place = 1
),
-- Both in one heap, and not joined: SQLite would look through all finals for each launch.
launched AS MATERIALIZED (
    SELECT launched_id, objective, max(final_id) AS final_id
    FROM (SELECT launched_id, objective, trial_id AS final_id FROM finals
          UNION ALL
          SELECT t.id, l.objective, NULL
          FROM latest_problems AS l
          JOIN thinned USING (environment_id, problem_id)
          CROSS JOIN trials AS t USING (environment_id, problem_id, l2_mode)
          WHERE t.same_as_trial_id IS NULL AND t.stage = 'sweep'
            AND (t.id % thinned.every = 0 OR EXISTS (
                SELECT 1 FROM baselines AS b
                WHERE b.environment_id = l.environment_id AND b.problem_id = l.problem_id
                  AND b.configuration_id = t.configuration_id)))
    GROUP BY launched_id, objective
)
SELECT s.environment_id, s.problem_id, s.l2_mode, k.objective, c.id AS configuration_id, c.parameters,
       k.launched_id,
       CASE WHEN s.stage = 'sweep' AND s.status = 'ok' THEN s.median_ns END AS sweep_ns,
       CASE WHEN s.stage = 'sweep' AND s.status = 'ok' THEN s.mad_ns END AS sweep_mad_ns,
       CASE f.status WHEN 'ok' THEN f.median_ns END AS final_ns,
       CASE f.status WHEN 'ok' THEN f.mad_ns END AS final_mad_ns, f.stage AS final_stage,
       coalesce(f.launch_count, s.launch_count) AS launch_count, coalesce(f.grid, s.grid) AS grid,
       coalesce(f.block, s.block) AS block, 100 * coalesce(f.occupancy, s.occupancy) AS occupancy_percent,
       r.registers, r.dynamic_shared_bytes + coalesce(r.static_shared_bytes, 0) AS shared_bytes,
       r.spill_bytes, nullif(r.threads, 0) AS threads, s.status,
       iif(s.status = 'ok', NULL, s.detail) AS detail, h.every
FROM launched AS k
CROSS JOIN trials AS s ON s.id = k.launched_id
CROSS JOIN thinned AS h ON h.problem_id = s.problem_id AND h.environment_id = s.environment_id
LEFT JOIN trials AS f ON f.id = k.final_id
CROSS JOIN configurations AS c ON c.id = coalesce(f.configuration_id, s.configuration_id)
LEFT JOIN resources AS r ON r.trial_id = s.id AND r.launch = 0
ORDER BY s.environment_id, s.problem_id, s.l2_mode, k.objective, c.id;
