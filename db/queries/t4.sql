-- Every trial of the sweep of a problem, for T4. A trial that launches exactly what another one does
-- has that one's samples. What a run waited for its compilers, and what it spent neither so nor
-- measuring, is shared evenly by the trials that it swept.
-- :environment, :problem  ids
-- :l2_mode
WITH counted AS (
    SELECT run_id, count(*) AS trials FROM trials WHERE stage = 'sweep' GROUP BY run_id
),
shares AS MATERIALIZED (
    SELECT r.id AS run_id,
           max(0.0, coalesce(r.compile_wait_ns, 0)) / counted.trials AS compile_ns,
           max(0.0, coalesce(r.wall_ns - r.measuring_ns - r.compile_wait_ns, 0)) / counted.trials
               AS search_ns
    FROM counted
    JOIN runs AS r ON r.id = counted.run_id
)
SELECT c.parameters, m.status, t.measured_at, m.median_ns, m.energy_j,
       t.duration_ns, t.id = m.id AS own, shares.compile_ns, shares.search_ns,
       (SELECT json_group_array(elapsed_ns)
        FROM (SELECT elapsed_ns FROM samples WHERE trial_id = m.id AND invalid = 0
              ORDER BY ordinal)) AS samples,
       m.metrics, m.occupancy,
       (SELECT registers FROM resources WHERE trial_id = m.id AND launch = 0) AS registers
FROM trials AS t
JOIN trials AS m ON m.id = coalesce(t.same_as_trial_id, t.id)
JOIN configurations AS c ON c.id = t.configuration_id
JOIN shares ON shares.run_id = t.run_id
WHERE t.environment_id = :environment AND t.problem_id = :problem AND t.l2_mode = :l2_mode
  AND t.stage = 'sweep'
ORDER BY t.id;
