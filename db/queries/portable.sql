-- What the portable entries of tuned.conf are chosen from: for each kind of device, problem and size that
-- at least two devices (by kind, name, compute capability and units) have a winner for, the configurations
-- that were raced on all of them, with the most that each loses to the winner on any of them. Times of a
-- sweep, and of another run than the winner's, tell nothing. Of each device and problem the environment,
-- experiment and mode of its newest winner count, as in conf.sql.
-- Sizes of several names have none: what one device's boxes say serves others as well.
-- :objective  winners by this
WITH boards AS (
    SELECT
        e.id AS environment_id,
        d.kind,
        json_array(
            d.name, COALESCE(json_extract(d.facts, '$.compute_capability'), ''), d.unit_count
        ) AS board
    FROM environments AS e
    JOIN devices AS d ON d.id = e.device_id
),
won AS (
    SELECT
        w.environment_id,
        w.l2_mode,
        b.kind,
        b.board,
        p.experiment_id,
        p.key,
        ROW_NUMBER() OVER (
            PARTITION BY b.kind, b.board, p.key
            ORDER BY w.l2_mode = 'cold' DESC, w.chosen_at DESC, w.id DESC
        ) AS place
    FROM winners AS w
    JOIN boards AS b ON b.environment_id = w.environment_id
    JOIN problems AS p ON p.id = w.problem_id
    WHERE w.objective = :objective AND w.stage <> 'sweep' AND p.family IS NULL
),
sized AS (
    SELECT
        v.kind,
        v.board,
        p.key,
        p.n,
        w.environment_id,
        w.problem_id,
        w.l2_mode,
        t.configuration_id AS winner_id,
        COUNT(*) OVER (PARTITION BY v.kind, p.key, p.n) AS devices
    FROM won AS v
    JOIN problems AS p ON p.experiment_id = v.experiment_id AND p.key = v.key
    JOIN winners AS w ON w.environment_id = v.environment_id AND w.problem_id = p.id
                     AND w.l2_mode = v.l2_mode AND w.objective = :objective
    JOIN trials AS t ON t.id = w.trial_id
    WHERE v.place = 1 AND w.stage <> 'sweep' AND w.trust IS NOT 'unstable'
),
barred AS MATERIALIZED (
    SELECT environment_id, configuration_id FROM refuted
    UNION
    SELECT environment_id, configuration_id FROM domains WHERE is_listed
),
compared AS (
    SELECT
        s.kind,
        s.key,
        s.n,
        s.devices,
        c.key AS configuration,
        c.parameters,
        own.launch_count,
        own.block,
        CASE
            WHEN own.configuration_id = s.winner_id THEN 0.0
            WHEN own_confirm.run_id = best_confirm.run_id
                THEN own.confirm_value / best.confirm_value - 1
            WHEN own_race.run_id = best_race.run_id THEN own.race_value / best.race_value - 1
        END AS loss,
        (
            SELECT t.id FROM trials AS t
            WHERE t.environment_id = s.environment_id AND t.problem_id = s.problem_id
                AND t.configuration_id = own.configuration_id AND t.l2_mode = s.l2_mode
            ORDER BY t.stage = 'confirm' DESC, t.stage = 'race' DESC LIMIT 1
        ) AS trial_id
    FROM sized AS s
    -- CROSS: in this order. All points beside all points would be tens of thousands squared.
    CROSS JOIN points AS best ON best.environment_id = s.environment_id
                             AND best.problem_id = s.problem_id AND best.l2_mode = s.l2_mode
                             AND best.objective = :objective
                             AND best.configuration_id = s.winner_id
    CROSS JOIN points AS own ON own.environment_id = s.environment_id
                            AND own.problem_id = s.problem_id AND own.l2_mode = s.l2_mode
                            AND own.objective = :objective
    JOIN configurations AS c ON c.id = own.configuration_id
    LEFT JOIN barred
        ON barred.environment_id = s.environment_id AND barred.configuration_id = c.id
    LEFT JOIN trials AS own_confirm
        ON own_confirm.id = own.confirm_trial_id AND own.confirm_value > 0
    LEFT JOIN trials AS best_confirm
        ON best_confirm.id = best.confirm_trial_id AND best.confirm_value > 0
    LEFT JOIN trials AS own_race ON own_race.id = own.race_trial_id AND own.race_value > 0
    LEFT JOIN trials AS best_race ON best_race.id = best.race_trial_id AND best.race_value > 0
    WHERE s.devices > 1
        AND barred.configuration_id IS NULL
)
SELECT g.*, t.derived
FROM (
    SELECT
        kind,
        key AS problem,
        n,
        devices,
        configuration,
        parameters,
        MAX(launch_count) AS launch_count,
        MAX(block) AS block,
        MAX(MAX(loss), 0.0) AS worst_loss,
        json_group_array(trial_id) AS trials,
        MIN(trial_id) AS first_trial_id
    FROM compared
    WHERE loss IS NOT NULL
    GROUP BY kind, key, n, devices, configuration
    HAVING COUNT(*) = devices
) AS g
LEFT JOIN trials AS t ON t.id = g.first_trial_id
ORDER BY kind, problem, n, configuration;
