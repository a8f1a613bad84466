-- Every configuration that the sweep timed of a winner's problem, with what was measured in place
-- of duplicates. busy: how many multiprocessors or cores its first launch has work for at most.
-- :winner  winners.id
-- m is looked up for duplicates alone: of many trials they are few. What is read of very many comes in
-- the order of the configurations, so that each page of theirs is read once: by a sort (+), and then
-- without a join, for which SQLite would leave it out.
WITH swept AS MATERIALIZED (
    SELECT t.id, t.configuration_id, coalesce(m.id, t.id) AS measured_id,
           iif(m.id, m.median_ns, t.median_ns) AS time_ns, iif(m.id, m.grid, t.grid) AS grid
    FROM winners AS w
    JOIN trials AS t
        ON t.problem_id = w.problem_id AND t.environment_id = w.environment_id
        AND t.l2_mode = w.l2_mode AND t.stage = 'sweep'
    LEFT JOIN trials AS m ON m.id = t.same_as_trial_id
    WHERE w.id = CAST(:winner AS INTEGER) AND iif(m.id, m.status, t.status) = 'ok' AND time_ns > 0
    ORDER BY +t.configuration_id
)
SELECT id, measured_id, time_ns,
       (SELECT parameters FROM configurations WHERE id = swept.configuration_id) AS parameters,
       iif((SELECT json_extract(d.facts, '$.sm_count')
            FROM winners AS w
            JOIN environments AS e ON e.id = w.environment_id
            JOIN devices AS d ON d.id = e.device_id
            WHERE w.id = CAST(:winner AS INTEGER)), grid, (SELECT min(r.threads, r.grid_x * r.grid_y * r.grid_z)
                            FROM resources AS r
                            WHERE r.trial_id = measured_id AND r.launch = 0)) AS busy
FROM swept;
