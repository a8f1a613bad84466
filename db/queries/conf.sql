-- :picks  [[winners.id, trials.id], ...]: what is to stand in the place of a size's configuration (NULL: nothing)
-- What tuned.conf is made of, for winners by :objective: for each device (by kind, name, compute
-- capability and units: two equal boards are one) and problem the ranges that go with its newest
-- winner, with a row for each measured size of a range; and where no range reaches, the newest winner
-- of each size, a range of its own. A box of sizes of several names (ranges.further) has one row: of the
-- largest measured sizes in it that its configuration has a trial of; where there are none (looks leave no
-- trials), of others, and is_inside is 0. What no round has seen (a sweep that was stopped) is no winner here. A cold winner counts before others. Winners for
-- launches issued otherwise (`issue`) are rows of their own, behind those of the issue that comes first, for problems of
-- which the first one's winner is shown to be slower then, at some size. Rows come in the order of the file. `driver` and `compiler` are those of the entry's environment; the first row of a device carries
-- those of its newest.
WITH boards AS (
    SELECT
        e.id AS environment_id,
        d.kind,
        d.name,
        COALESCE(json_extract(d.facts, '$.compute_capability'), '') AS compute_capability,
        d.unit_count,
        d.memory_bytes,
        d.facts,
        e.driver,
        e.compiler
    FROM environments AS e
    JOIN devices AS d ON d.id = e.device_id
),
won AS (
    SELECT
        w.environment_id,
        w.problem_id,
        w.l2_mode,
        i.issue,
        w.trial_id,
        w.chosen_at,
        b.kind,
        b.name,
        b.compute_capability,
        b.unit_count,
        w.experiment_id,
        w.problem AS key,
        p.family,
        COALESCE(p.family, w.problem) AS ranged,
        w.n,
        ROW_NUMBER() OVER (
            PARTITION BY b.kind, b.name, b.compute_capability, b.unit_count, i.issue, w.problem, w.n
            ORDER BY i.state = 'cold' DESC, w.chosen_at DESC, w.id DESC
        ) AS place_of_size,
        ROW_NUMBER() OVER (
            PARTITION BY b.kind, b.name, b.compute_capability, b.unit_count, i.issue,
                COALESCE(p.family, w.problem)
            ORDER BY i.state = 'cold' DESC, w.chosen_at DESC, w.id DESC
        ) AS place_of_problem
    FROM latest_winners AS w
    JOIN conditions AS i ON i.l2_mode = w.l2_mode
    JOIN boards AS b ON b.environment_id = w.environment_id
    JOIN problems AS p ON p.id = w.problem_id
    WHERE w.objective = :objective AND w.stage <> 'sweep'
),
covered AS (
    SELECT
        r.id AS range_id,
        r.n_low,
        r.n_high,
        r.further,
        r.bound,
        r.configuration_id,
        r.chosen_at,
        w.environment_id,
        w.l2_mode,
        w.issue,
        w.kind,
        w.name,
        w.compute_capability,
        w.unit_count,
        w.experiment_id,
        w.ranged,
        w.family
    FROM won AS w
    JOIN valid_ranges AS r ON r.environment_id = w.environment_id
                    AND r.experiment_id = w.experiment_id AND r.problem_key = w.ranged
                    AND r.l2_mode = w.l2_mode AND r.objective = :objective
    WHERE w.place_of_problem = 1
),
measured AS (
    SELECT
        c.range_id,
        c.n_low,
        c.n_high,
        c.further,
        c.bound,
        c.environment_id,
        c.l2_mode,
        c.chosen_at,
        p.id AS problem_id,
        p.bytes_moved,
        c.further = '' OR EXISTS (
            SELECT 1 FROM range_checks AS k
            WHERE k.range_id = c.range_id AND k.measured = 1 AND p.family || '.' || k.shape = p.key
        ) AS is_inside,
        (
            SELECT t.id FROM trials AS t
            WHERE t.environment_id = c.environment_id AND t.problem_id = p.id
                AND t.configuration_id = c.configuration_id AND t.l2_mode = c.l2_mode
                AND (t.status = 'ok' OR t.same_as_trial_id IS NOT NULL)
                AND (t.objective = :objective OR t.stage = 'sweep')
            ORDER BY t.stage = 'confirm' DESC, t.stage = 'race' DESC LIMIT 1
        ) AS trial_id
    FROM covered AS c
    JOIN problems AS p ON p.experiment_id = c.experiment_id
                      AND (p.family = c.family
                           OR (c.family IS NULL AND p.key = c.ranged AND p.n BETWEEN c.n_low AND c.n_high))
),
sized AS (
    SELECT
        range_id, n_low, n_high, further, bound, environment_id, l2_mode, chosen_at, problem_id, trial_id,
        is_inside
    FROM (
        SELECT
            *,
            ROW_NUMBER() OVER (
                PARTITION BY range_id ORDER BY is_inside DESC, bytes_moved DESC, problem_id
            ) AS place
        FROM measured WHERE trial_id IS NOT NULL
    )
    WHERE further = '' OR place = 1
    UNION ALL
    SELECT
        NULL, w.n, w.n, NULL, NULL, w.environment_id, w.l2_mode, w.chosen_at, w.problem_id, w.trial_id, 1
    FROM won AS w
    WHERE w.place_of_size = 1
        AND NOT EXISTS (
            SELECT 1 FROM covered AS c
            WHERE c.kind = w.kind AND c.name = w.name AND c.issue = w.issue
                AND c.compute_capability = w.compute_capability AND c.unit_count = w.unit_count
                AND c.ranged = w.ranged AND (c.family IS NOT NULL OR w.n BETWEEN c.n_low AND c.n_high)
                -- A winner that serves its tuple alone has no box.
                AND (c.family IS NULL OR NOT EXISTS (
                    SELECT 1 FROM domains AS x JOIN trials AS t ON t.id = w.trial_id
                    WHERE x.environment_id = w.environment_id AND x.experiment_id = w.experiment_id
                        AND x.problem_key = w.key AND x.configuration_id = t.configuration_id AND x.is_listed
                ))
        )
),
-- With the winner of the size, whichever configuration the range has; and the configuration picked
-- instead.
picked AS (
    SELECT
        s.range_id, s.n_low, s.n_high, s.further, s.is_inside, s.bound, s.environment_id, s.l2_mode,
        s.chosen_at, s.problem_id,
        w.id AS winner_id,
        COALESCE((
            SELECT json_extract(j.value, '$[1]') FROM json_each(:picks) AS j
            WHERE json_extract(j.value, '$[0]') = w.id
        ), s.trial_id) AS trial_id,
        COALESCE(w.trial_id, s.trial_id) AS winner_trial_id
    FROM sized AS s
    LEFT JOIN winners AS w ON w.environment_id = s.environment_id AND w.problem_id = s.problem_id
                          AND w.l2_mode = s.l2_mode AND w.objective = :objective
),
-- A duplicate of a launch has that launch's times: the best measured.
timed AS (
    SELECT
        s.*,
        CASE WHEN t.median_ns IS NULL AND t.same_as_trial_id IS NOT NULL THEN (
            SELECT m.id
            FROM trials AS same
            JOIN trials AS m ON m.environment_id = same.environment_id
                            AND m.problem_id = same.problem_id
                            AND m.configuration_id = same.configuration_id
                            AND m.l2_mode = same.l2_mode
            WHERE same.id = t.same_as_trial_id AND m.median_ns > 0
                AND (m.objective = :objective OR m.stage = 'sweep')
            ORDER BY m.stage = 'confirm' DESC, m.stage = 'race' DESC LIMIT 1
        ) ELSE t.id END AS measured_id
    FROM picked AS s
    JOIN trials AS t ON t.id = s.trial_id
),
-- With the issue of launches, and whether the one that comes first for the problem has no winner at the size; then
-- whether its winner is shown to be slower here.
issued AS (
    SELECT s.*, k.issue, k.place AS place_of_issue,
           MIN(k.place) OVER same_problem AS first_place,
           MIN(k.place) OVER same_size > MIN(k.place) OVER same_problem AS is_alone,
           FIRST_VALUE(t.configuration_id) OVER (same_size ORDER BY k.place) AS first_configuration_id,
           b.kind, b.name, b.compute_capability, b.unit_count, COALESCE(p.family, p.key) AS ranged
    FROM timed AS s
    JOIN conditions AS k ON k.l2_mode = s.l2_mode
    JOIN boards AS b ON b.environment_id = s.environment_id
    JOIN problems AS p ON p.id = s.problem_id
    JOIN trials AS t ON t.id = s.winner_trial_id
    WINDOW same_problem AS (
        PARTITION BY b.kind, b.name, b.compute_capability, b.unit_count, COALESCE(p.family, p.key)
    ), same_size AS (
        PARTITION BY b.kind, b.name, b.compute_capability, b.unit_count, p.key, p.n
    )
),
written AS (
    SELECT *,
           CASE WHEN place_of_issue > first_place THEN place_of_issue ELSE 0 END AS further_issue,
           MAX(is_alone OR EXISTS (
               SELECT 1 FROM standings AS o
               WHERE o.winner_id = issued.winner_id AND o.configuration_id = issued.first_configuration_id
                 AND o.standing IN ('slower', 'out')
           )) OVER (
               PARTITION BY kind, name, compute_capability, unit_count, ranged, issue
           ) AS is_written
    FROM issued
),
-- The most that launches need: threads per block, shared memory per block, registers per thread. The blocks
-- that fit on a unit are those of the first launch. Any trial of the configuration has them.
needs AS (
    SELECT
        m.id AS trial_id,
        MAX(r.block_x * r.block_y * r.block_z) AS threads,
        MAX(r.dynamic_shared_bytes + COALESCE(r.static_shared_bytes, 0)) AS shared_bytes,
        MAX(r.registers) AS registers,
        MAX(CASE r.launch WHEN 0 THEN r.active_blocks_per_sm END) AS active_blocks
    FROM trials AS m
    JOIN trials AS t ON t.environment_id = m.environment_id AND t.problem_id = m.problem_id
                    AND t.configuration_id = m.configuration_id
    JOIN resources AS r ON r.trial_id = t.id
    WHERE m.id IN (SELECT COALESCE(measured_id, trial_id) FROM timed)
    GROUP BY m.id
)
SELECT
    b.kind,
    b.name,
    b.compute_capability,
    b.unit_count,
    FIRST_VALUE(b.memory_bytes) OVER newest AS memory_bytes,
    FIRST_VALUE(b.driver) OVER newest AS device_driver,
    FIRST_VALUE(b.compiler) OVER newest AS device_compiler,
    b.driver,
    b.compiler,
    p.key AS problem,
    p.family,
    s.range_id,
    s.n_low,
    s.n_high,
    s.further,
    s.is_inside,
    p.n,
    s.trial_id,
    s.measured_id,
    s.winner_id,
    t.configuration_id,
    g.parameters,
    t.derived,
    s.l2_mode,
    CASE WHEN s.further_issue > 0 THEN s.issue END AS issue,
    m.stage,
    m.median_ns AS time_ns,
    m.mad_ns,
    m.energy_j,
    m.value,
    m.sample_count AS samples,
    substr(m.measured_at, 1, 10) AS date,
    x.content_hash AS source,
    -- None clearly above the ceiling: that comes out of a cache, or the ceiling is wrong.
    CASE WHEN p.bytes_moved > 0 THEN (
        SELECT 100.0 * p.bytes_moved / m.median_ns / k.gbs FROM problem_ceilings AS k
        WHERE k.environment_id = s.environment_id AND k.problem_id = p.id AND k.gbs > 0
            AND p.bytes_moved / m.median_ns <= 1.02 * k.gbs
    ) END AS ceiling_percent,
    100.0 * s.bound AS bound_percent,
    counted.as_fast,
    counted.not_compared,
    w.coverage,
    100.0 * w.claim AS claim_percent,
    w.confidence,
    w.compared,
    nullif(w.inputs, 'changed') AS inputs,
    -- Further facts of the configuration than its time with clean caches.
    (SELECT 'clean,' || group_concat(state, ',')
     FROM (SELECT k.state FROM states AS k
           WHERE k.winner_id = w.id AND k.configuration_id = m.configuration_id
           ORDER BY k.state)) AS states,
    (SELECT o.median_ns FROM states AS k JOIN trials AS o ON o.id = k.trial_id
     WHERE k.winner_id = w.id AND k.configuration_id = m.configuration_id
        AND k.state = 'dirty') AS dirty_ns,
    (SELECT o.median_ns FROM states AS k JOIN trials AS o ON o.id = k.trial_id
     WHERE k.winner_id = w.id AND k.configuration_id = m.configuration_id
        AND k.state = 'hot') AS hot_ns,
    w.trust,
    b.facts,
    FIRST_VALUE(b.facts) OVER newest AS device_facts,
    x.id AS experiment,
    u.threads,
    u.shared_bytes,
    u.registers,
    u.active_blocks,
    -- The domain left by checks of it, or of its launch's representative.
    (
        SELECT CASE WHEN MIN(k.multiple) = MAX(k.multiple) THEN MAX(k.multiple)
                    ELSE MIN(k.multiple) * MAX(k.multiple) END
        FROM domains AS k
        WHERE k.environment_id = s.environment_id AND k.experiment_id = p.experiment_id
            AND k.problem_key = p.key
            AND k.configuration_id IN (t.configuration_id, m.configuration_id)
    ) AS multiple,
    (
        SELECT MAX(k.least) FROM domains AS k
        WHERE k.environment_id = s.environment_id AND k.experiment_id = p.experiment_id
            AND k.problem_key = p.key
            AND k.configuration_id IN (t.configuration_id, m.configuration_id)
    ) AS least,
    (
        SELECT MIN(NULLIF(k.most, 0)) FROM domains AS k
        WHERE k.environment_id = s.environment_id AND k.experiment_id = p.experiment_id
            AND k.problem_key = p.key
            AND k.configuration_id IN (t.configuration_id, m.configuration_id)
    ) AS most,
    (
        SELECT MAX(k.is_listed) FROM domains AS k
        WHERE k.environment_id = s.environment_id AND k.experiment_id = p.experiment_id
            AND k.problem_key = p.key
            AND k.configuration_id IN (t.configuration_id, m.configuration_id)
    ) AS is_listed,
    -- Of a tuple.
    (
        SELECT MAX(k.formula) FROM domains AS k
        WHERE k.environment_id = s.environment_id AND k.experiment_id = p.experiment_id
            AND k.problem_key = p.key
            AND k.configuration_id IN (t.configuration_id, m.configuration_id)
    ) AS multiples
FROM written AS s
JOIN boards AS b ON b.environment_id = s.environment_id
JOIN problems AS p ON p.id = s.problem_id
JOIN experiments AS x ON x.id = p.experiment_id
JOIN trials AS t ON t.id = s.trial_id
JOIN configurations AS g ON g.id = t.configuration_id
LEFT JOIN trials AS m ON m.id = s.measured_id
LEFT JOIN needs AS u ON u.trial_id = COALESCE(s.measured_id, s.trial_id)
LEFT JOIN winners AS w ON w.id = s.winner_id
LEFT JOIN equals AS counted ON counted.winner_id = s.winner_id
WHERE s.further_issue = 0 OR s.is_written
WINDOW newest AS (
    PARTITION BY b.kind, b.name, b.compute_capability, b.unit_count
    ORDER BY s.chosen_at DESC, s.trial_id DESC
)
ORDER BY b.kind, b.name, b.compute_capability, b.unit_count, s.further_issue, s.ranged, s.n_low,
    s.further, p.key, p.n;
