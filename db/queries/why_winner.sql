-- Of one winner: what it is the winner of, what of, and what its device can do.
-- :winner  winners.id
-- elsewhere_share: the most of the ceiling that winners of the same problem reach at larger sizes.
-- ceiling_given_up: it was measured, and a winner moved clearly more.
-- launches_overlap: the experiment has launches that may begin before the one before them has ended.
WITH chosen AS (
    SELECT w.*, p.key, p.n, p.bytes_moved, p.operations, p.operations_type, p.ceiling,
           p.experiment_id
    FROM winners AS w
    JOIN problems AS p ON p.id = w.problem_id
    WHERE w.id = CAST(:winner AS INTEGER)
),
-- Only the problem and its larger sizes: CROSS JOIN, so that those of all problems are not computed.
ceilings AS MATERIALIZED (
    SELECT c.*
    FROM chosen
    CROSS JOIN problems AS p
        ON p.experiment_id = chosen.experiment_id AND p.key = chosen.key AND p.n >= chosen.n
    CROSS JOIN problem_ceilings AS c
        ON c.environment_id = chosen.environment_id AND c.problem_id = p.id
),
others AS (
    SELECT p.n, p.bytes_moved / m.median_ns / ceilings.gbs AS share
    FROM chosen
    JOIN problems AS p
        ON p.experiment_id = chosen.experiment_id AND p.key = chosen.key AND p.n > chosen.n
        AND p.bytes_moved > 0 AND p.ceiling = chosen.ceiling
    JOIN winners AS w
        ON w.environment_id = chosen.environment_id AND w.problem_id = p.id
        AND w.l2_mode = chosen.l2_mode AND w.objective = chosen.objective
    JOIN trials AS t ON t.id = w.trial_id
    JOIN trials AS m ON m.id = coalesce(t.same_as_trial_id, t.id)
    JOIN ceilings ON ceilings.problem_id = p.id
    WHERE share <= 1.02
    ORDER BY share DESC
    LIMIT 1
)
SELECT w.id, w.problem_id, w.environment_id, w.l2_mode, w.objective, w.stage,
       x.name AS experiment, w.key AS problem, w.n, d.name AS device, d.kind AS device_kind,
       d.unit_count, e.driver, e.compiler,
       -- the cache before the memory: a CPU's third level, if it has one
       coalesce(json_extract(d.facts, '$.l3_bytes') * json_extract(d.facts, '$.l3_count'),
                json_extract(d.facts, '$.l2_bytes')) AS cache_bytes,
       nullif(w.bytes_moved, 0) AS bytes_moved, w.ceiling, ceilings.gbs AS ceiling_gbs,
       ceilings.environment_id IS NOT NULL AND ceilings.gbs IS NULL AS ceiling_given_up,
       w.operations, w.operations_type,
       -- as latest_arithmetic has it, which is made of all devices
       coalesce((SELECT k.gops
                 FROM arithmetic_ceilings AS k
                 WHERE k.environment_id = e.id AND k.type = w.operations_type
                 ORDER BY k.measured_at DESC LIMIT 1),
                (SELECT k.gops
                 FROM environments AS near
                 CROSS JOIN arithmetic_ceilings AS k
                     ON k.environment_id = near.id AND k.type = w.operations_type
                 WHERE near.device_id = e.device_id
                 ORDER BY k.measured_at DESC LIMIT 1)) AS arithmetic_gops,
       r.node_gap_ns, instr(x.text, 'dependent:') > 0 AS launches_overlap, w.time_low_ns, w.time_high_ns, w.delta, w.confidence,
       -- as the view equals has them, which would be made of all winners
       (SELECT sum(standing = 'as fast' AND out IS NULL) FROM standings WHERE winner_id = w.id) AS as_fast,
       (SELECT sum(standing = 'not compared' AND out IS NULL) FROM standings WHERE winner_id = w.id) AS not_compared,
       w.coverage, w.points, w.space_count, w.failures, w.most_better,
       w.kept_incumbent, w.trust, (SELECT headline FROM headlines WHERE winner_id = w.id) AS headline, w.trust_reason, w.compared, (SELECT share FROM others) AS elsewhere_share,
       (SELECT n FROM others) AS elsewhere_n
FROM chosen AS w
JOIN experiments AS x ON x.id = w.experiment_id
JOIN environments AS e ON e.id = w.environment_id
JOIN devices AS d ON d.id = e.device_id
JOIN runs AS r ON r.id = w.run_id
LEFT JOIN ceilings ON ceilings.problem_id = w.problem_id;
