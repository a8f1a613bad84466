-- What tuned.conf is made of: for each device (by kind, name, compute capability and units: two equal
-- boards are one), problem and n the newest winner, a cold one before a hot one. Rows come in the
-- order of the file. `driver` and `compiler` are those of the entry's environment; the first row of
-- a device carries those of its newest.
WITH ranked AS (
    SELECT
        w.trial_id,
        w.environment_id,
        w.problem_id,
        w.l2_mode,
        w.chosen_at,
        d.kind,
        d.name,
        COALESCE(json_extract(d.facts, '$.compute_capability'), '') AS compute_capability,
        d.unit_count,
        d.memory_bytes,
        e.driver,
        e.compiler,
        p.key,
        p.n,
        p.bytes_moved,
        x.content_hash AS source,
        ROW_NUMBER() OVER (
            PARTITION BY d.kind, d.name, json_extract(d.facts, '$.compute_capability'),
                d.unit_count, p.key, p.n
            ORDER BY w.l2_mode = 'cold' DESC, w.chosen_at DESC, w.id DESC
        ) AS place
    FROM winners AS w
    JOIN environments AS e ON e.id = w.environment_id
    JOIN devices AS d ON d.id = e.device_id
    JOIN problems AS p ON p.id = w.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
),
chosen AS (
    SELECT
        *,
        FIRST_VALUE(driver) OVER newest AS device_driver,
        FIRST_VALUE(compiler) OVER newest AS device_compiler,
        FIRST_VALUE(memory_bytes) OVER newest AS device_memory_bytes
    FROM ranked
    WHERE place = 1
    WINDOW newest AS (
        PARTITION BY kind, name, compute_capability, unit_count
        ORDER BY chosen_at DESC, trial_id DESC
    )
)
SELECT
    c.kind,
    c.name,
    c.compute_capability,
    c.unit_count,
    c.device_memory_bytes AS memory_bytes,
    c.device_driver,
    c.device_compiler,
    c.driver,
    c.compiler,
    c.key AS problem,
    c.n,
    c.trial_id,
    g.parameters,
    t.derived,
    c.l2_mode,
    -- A trial that launches exactly what another one did has that one's times.
    m.stage,
    m.median_ns AS time_ns,
    m.mad_ns,
    m.sample_count AS samples,
    substr(m.measured_at, 1, 10) AS date,
    c.source,
    CASE WHEN c.bytes_moved > 0 THEN 100.0 * c.bytes_moved / m.median_ns / (
        SELECT k.read_gbs FROM ceilings AS k
        WHERE k.environment_id = c.environment_id AND k.read_gbs > 0
        ORDER BY k.measured_at DESC, k.id DESC LIMIT 1
    ) END AS ceiling_percent
FROM chosen AS c
JOIN trials AS t ON t.id = c.trial_id
JOIN configurations AS g ON g.id = t.configuration_id
JOIN trials AS m ON m.id = CASE WHEN t.median_ns IS NULL AND t.same_as_trial_id IS NOT NULL
                                THEN t.same_as_trial_id ELSE t.id END
ORDER BY c.kind, c.name, c.compute_capability, c.unit_count, c.key, c.n;
