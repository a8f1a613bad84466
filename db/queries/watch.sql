-- What a page that follows a run shows besides its report, as one JSON object, and what changes when the report does.
-- Only the last trials are looked at, so that it costs the same however many there are.
WITH last AS MATERIALIZED (
    SELECT t.*, p.key AS problem, p.n, c.key AS configuration
    FROM (SELECT * FROM trials ORDER BY id DESC LIMIT 400) AS t
    JOIN problems AS p ON p.id = t.problem_id
    JOIN configurations AS c ON c.id = t.configuration_id
),
spread AS (
    SELECT mad_ns / median_ns AS share,
           row_number() OVER (ORDER BY mad_ns / median_ns) AS place, count(*) OVER () AS count
    FROM last WHERE status = 'ok' AND median_ns > 0 AND mad_ns IS NOT NULL
)
SELECT json_object(
    'runs', (SELECT json_group_array(json_object(
                 'run', r.id, 'device', d.name, 'host', e.host, 'started_at', r.started_at,
                 'ended_at', r.ended_at, 'outcome', r.outcome, 'effort', r.effort,
                 'budget_ns', r.budget_ns, 'objective', r.objective))
             FROM (SELECT * FROM runs ORDER BY id DESC LIMIT 8) AS r
             JOIN environments AS e ON e.id = r.environment_id
             JOIN devices AS d ON d.id = e.device_id),
    -- A value that passes an ORDER BY is a text again.
    'latest', json((SELECT json_object('problem', problem, 'n', n, 'configuration', configuration,
                                       'stage', stage, 'status', status, 'median_ns', median_ns,
                                       'measured_at', measured_at)
                    FROM last ORDER BY id DESC LIMIT 1)),
    'noise', (SELECT share FROM spread WHERE place = (count + 1) / 2),
    'failures', (SELECT json_group_array(json_object(
                     'problem', problem, 'n', n, 'configuration', configuration, 'status', status,
                     'detail', detail, 'measured_at', measured_at))
                 FROM (SELECT * FROM last WHERE status <> 'ok' AND status <> 'skipped_by_constraint'
                       AND same_as_trial_id IS NULL ORDER BY id DESC LIMIT 20)),
    'winners', (SELECT json_group_array(json_object(
                    'device', device, 'problem', problem, 'n', n, 'objective', objective,
                    'l2_mode', l2_mode, 'configuration', configuration, 'time_ns', time_ns,
                    'stage', stage, 'verdict', verdict, 'headline', headline, 'verdict_reason', trust_reason, 'coverage', coverage,
                    'as_fast', as_fast, 'not_compared', not_compared, 'floor', floor, 'chosen_at', chosen_at))
                FROM (SELECT d.name AS device, w.problem, w.n, w.objective, w.l2_mode,
                             c.key AS configuration, coalesce(m.median_ns, t.median_ns) AS time_ns,
                             w.stage, w.trust_reason, w.coverage, w.floor, w.chosen_at, h.verdict, h.headline, counted.as_fast,
                             counted.not_compared
                      FROM latest_winners AS w
                      JOIN devices AS d ON d.id = w.device_id
                      JOIN configurations AS c ON c.id = w.configuration_id
                      JOIN trials AS t ON t.id = w.trial_id
                      LEFT JOIN trials AS m ON m.id = t.same_as_trial_id
                      JOIN headlines AS h ON h.winner_id = w.id
                      LEFT JOIN equals AS counted ON counted.winner_id = w.id
                      ORDER BY w.device_id, w.problem, w.n, w.objective, w.l2_mode))
    ) AS live,
    (SELECT count(*) || '.' || coalesce(max(chosen_at), '') || '.' || coalesce(sum(stage = 'confirm'), 0)
     FROM winners)
    || '.' || (SELECT count(outcome) || '.' || count(*) FROM runs)
    || '.' || EXISTS (SELECT 1 FROM trials) AS revision;
