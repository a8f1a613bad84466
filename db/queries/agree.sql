-- Whether boards of one model agree: for each two of them, and each problem and size that both have a
-- winner by time for, whether that is the same, how their times differ, and what each would lose with
-- the other's winner (from the finest stage that has seen both; NULL: it was not timed there).
WITH boards AS (
    SELECT
        e.id AS environment_id,
        e.host,
        d.id AS device_id,
        d.uuid,
        d.kind,
        d.name,
        json_array(
            d.kind, d.name, COALESCE(json_extract(d.facts, '$.compute_capability'), ''),
            d.unit_count
        ) AS model
    FROM environments AS e
    JOIN devices AS d ON d.id = e.device_id
),
chosen AS MATERIALIZED (
    SELECT
        w.environment_id,
        w.problem_id,
        w.l2_mode,
        b.host,
        b.device_id,
        b.uuid,
        b.kind,
        b.name,
        b.model,
        x.name AS experiment,
        p.key,
        p.n,
        t.configuration_id,
        c.key AS configuration,
        ROW_NUMBER() OVER (
            PARTITION BY b.device_id, p.key, p.n, w.l2_mode
            ORDER BY w.chosen_at DESC, w.id DESC
        ) AS place
    FROM winners AS w
    JOIN boards AS b ON b.environment_id = w.environment_id
    JOIN problems AS p ON p.id = w.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    JOIN trials AS t ON t.id = w.trial_id
    JOIN configurations AS c ON c.id = t.configuration_id
    WHERE w.objective = 'time'
        AND b.model IN (SELECT model FROM boards GROUP BY model HAVING COUNT(DISTINCT device_id) > 1)
),
pairs AS MATERIALIZED (
    SELECT
        a.kind,
        a.name AS device,
        a.uuid AS board_a,
        a.host AS host_a,
        b.uuid AS board_b,
        b.host AS host_b,
        a.l2_mode,
        a.key AS problem,
        a.n,
        a.configuration AS winner_a,
        b.configuration AS winner_b,
        a.environment_id AS environment_a,
        b.environment_id AS environment_b,
        a.problem_id AS problem_a,
        b.problem_id AS problem_b
    FROM chosen AS a
    JOIN chosen AS b ON b.model = a.model AND b.key = a.key AND b.n = a.n
                    AND b.l2_mode = a.l2_mode AND b.device_id > a.device_id
                    AND b.experiment = a.experiment
    WHERE a.place = 1 AND b.place = 1
),
wanted AS (
    SELECT environment_a AS environment_id, problem_a AS problem_id, l2_mode, winner_a AS key
    FROM pairs
    UNION
    SELECT environment_a, problem_a, l2_mode, winner_b FROM pairs
    UNION
    SELECT environment_b, problem_b, l2_mode, winner_a FROM pairs
    UNION
    SELECT environment_b, problem_b, l2_mode, winner_b FROM pairs
),
-- A duplicate of a launch was measured as that one.
measured AS (
    SELECT
        w.environment_id,
        w.problem_id,
        w.l2_mode,
        w.key,
        COALESCE(twin.configuration_id, c.id) AS configuration_id
    FROM wanted AS w
    JOIN problems AS p ON p.id = w.problem_id
    JOIN configurations AS c ON c.experiment_id = p.experiment_id AND c.key = w.key
    LEFT JOIN trials AS s ON s.environment_id = w.environment_id AND s.problem_id = w.problem_id
                         AND s.configuration_id = c.id AND s.stage = 'sweep'
                         AND s.objective = 'time' AND s.l2_mode = w.l2_mode
    LEFT JOIN trials AS twin ON twin.id = s.same_as_trial_id
),
timed AS MATERIALIZED (
    SELECT
        m.environment_id,
        m.problem_id,
        m.l2_mode,
        m.key,
        m.configuration_id,
        MAX(CASE t.stage WHEN 'sweep' THEN t.median_ns END) AS sweep_ns,
        MAX(CASE t.stage WHEN 'race' THEN t.median_ns END) AS race_ns,
        MAX(CASE t.stage WHEN 'confirm' THEN t.median_ns END) AS confirm_ns
    FROM measured AS m
    JOIN problems AS p ON p.id = m.problem_id
    JOIN configurations AS own ON own.experiment_id = p.experiment_id AND own.key = m.key
    JOIN trials AS t ON t.environment_id = m.environment_id AND t.problem_id = m.problem_id
                    AND t.configuration_id IN (m.configuration_id, own.id)
                    AND t.l2_mode = m.l2_mode AND t.objective = 'time' AND t.status = 'ok'
    GROUP BY 1, 2, 3, 4, 5
)
SELECT
    r.device,
    r.kind AS device_kind,
    r.host_a AS a_host,
    r.board_a AS a_device_uuid,
    r.host_b AS b_host,
    r.board_b AS b_device_uuid,
    r.l2_mode,
    r.problem,
    r.n,
    iif(r.winner_a = r.winner_b OR a.configuration_id IS a_there.configuration_id, 'true', 'false') AS same,
    COALESCE(a.confirm_ns, a.race_ns, a.sweep_ns) AS a_ns,
    COALESCE(b.confirm_ns, b.race_ns, b.sweep_ns) AS b_ns,
    COALESCE(
        b.confirm_ns / a.confirm_ns, b.race_ns / a.race_ns, b.sweep_ns / a.sweep_ns) AS ratio,
    100 * COALESCE(
        a_there.confirm_ns / a.confirm_ns - 1, a_there.race_ns / a.race_ns - 1,
        a_there.sweep_ns / a.sweep_ns - 1) AS a_loss_percent,
    100 * COALESCE(
        b_there.confirm_ns / b.confirm_ns - 1, b_there.race_ns / b.race_ns - 1,
        b_there.sweep_ns / b.sweep_ns - 1) AS b_loss_percent,
    r.winner_a AS a_configuration,
    r.winner_b AS b_configuration
FROM pairs AS r
JOIN timed AS a ON a.environment_id = r.environment_a AND a.problem_id = r.problem_a
               AND a.l2_mode = r.l2_mode AND a.key = r.winner_a
JOIN timed AS b ON b.environment_id = r.environment_b AND b.problem_id = r.problem_b
               AND b.l2_mode = r.l2_mode AND b.key = r.winner_b
LEFT JOIN timed AS a_there ON a_there.environment_id = r.environment_a
                          AND a_there.problem_id = r.problem_a
                          AND a_there.l2_mode = r.l2_mode AND a_there.key = r.winner_b
LEFT JOIN timed AS b_there ON b_there.environment_id = r.environment_b
                          AND b_there.problem_id = r.problem_b
                          AND b_there.l2_mode = r.l2_mode AND b_there.key = r.winner_a
ORDER BY r.kind, r.device, r.board_a, r.board_b, r.l2_mode, r.problem, r.n;
