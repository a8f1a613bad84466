-- Every configuration that the sweep timed of a winner's problem, with what was measured in place
-- of duplicates. busy: how many multiprocessors or cores its first launch has work for at most.
-- :winner  winners.id
SELECT c.key, m.id AS measured_id, m.median_ns AS time_ns,
       CASE d.kind WHEN 'cuda' THEN m.grid
                   ELSE (SELECT min(r.threads, r.grid_x * r.grid_y * r.grid_z)
                         FROM resources AS r
                         WHERE r.trial_id = m.id AND r.launch = 0) END AS busy
FROM winners AS w
JOIN environments AS e ON e.id = w.environment_id
JOIN devices AS d ON d.id = e.device_id
JOIN trials AS t
    ON t.problem_id = w.problem_id AND t.environment_id = w.environment_id
    AND t.l2_mode = w.l2_mode AND t.stage = 'sweep'
JOIN trials AS m ON m.id = coalesce(t.same_as_trial_id, t.id)
JOIN configurations AS c ON c.id = t.configuration_id
WHERE w.id = CAST(:winner AS INTEGER) AND m.status = 'ok' AND m.median_ns > 0;
