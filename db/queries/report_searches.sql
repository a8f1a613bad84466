-- How the spaces of each experiment were searched, of the problems as they were tried last: from what
-- is legal to what was confirmed.
-- :words         experiment names and problem keys (a JSON array; NULL: all)
-- :environments  where (a JSON array of their ids)
WITH latest AS (SELECT DISTINCT environment_id, problem_id, l2_mode FROM latest_problems),
-- All trials of a problem at a time, in the order in which they lie: a GROUP BY would sort them.
counted AS MATERIALIZED (
    SELECT l.*,
           (SELECT json_array(sum(t.stage = 'sweep'), count(t.same_as_trial_id),
                              sum(t.stage = 'sweep' AND t.status <> 'ok' AND t.same_as_trial_id IS NULL),
                              sum(t.stage = 'race'), sum(t.stage = 'confirm'), max(t.run_id))
            FROM trials AS t
            WHERE t.environment_id = l.environment_id AND t.problem_id = l.problem_id
              AND t.l2_mode = l.l2_mode) AS counts
    FROM latest AS l
    WHERE l.environment_id IN (SELECT value FROM json_each(:environments))
),
tried AS (
    SELECT environment_id, problem_id, l2_mode, json_extract(counts, '$[0]') AS tried,
           json_extract(counts, '$[1]') AS duplicates, json_extract(counts, '$[2]') AS failed,
           json_extract(counts, '$[3]') AS raced, json_extract(counts, '$[4]') AS confirmed,
           json_extract(counts, '$[5]') AS run_id
    FROM counted
),
-- The last search of each there. An older database has none, but its winners tell how large the space was.
lasts AS (
    SELECT r.environment_id, s.problem_id, r.l2_mode, s.space_count, s.points, s.strategy,
           max(s.run_id) AS run_id
    FROM searches AS s
    JOIN runs AS r ON r.id = s.run_id
    GROUP BY 1, 2, 3
),
-- Baselines outside the space have trials, but are none of its points.
spaces AS (
    SELECT tried.*, r.effort, lasts.strategy, coalesce(lasts.points, tried) AS points,
           coalesce(lasts.space_count,
                    (SELECT max(w.space_count) FROM winners AS w
                     WHERE w.problem_id = tried.problem_id
                       AND w.environment_id = tried.environment_id)) AS legal
    FROM tried
    JOIN runs AS r ON r.id = tried.run_id
    LEFT JOIN lasts
        ON lasts.environment_id = tried.environment_id AND lasts.problem_id = tried.problem_id
        AND lasts.l2_mode = tried.l2_mode
)
SELECT d.name AS device, x.name AS experiment, count(*) AS problems, max(legal) AS legal_most,
       sum(legal) AS legal, sum(points) AS tried,
       100.0 * sum(iif(legal IS NULL, NULL, min(points, legal))) / sum(legal) AS tried_percent,
       sum(duplicates) AS duplicates, sum(failed) AS failed, sum(raced) AS raced,
       sum(confirmed) AS confirmed, replace(group_concat(DISTINCT strategy), ',', ', ') AS strategies,
       replace(group_concat(DISTINCT effort), ',', ', ') AS efforts
FROM spaces
JOIN environments AS e ON e.id = spaces.environment_id
JOIN devices AS d ON d.id = e.device_id
JOIN problems AS p ON p.id = spaces.problem_id
JOIN experiments AS x ON x.id = p.experiment_id
WHERE :words IS NULL OR EXISTS (
    SELECT 1 FROM json_each(:words) AS word
    WHERE x.name = word.value OR p.key = word.value
       OR substr(p.key, 1, length(word.value) + 1) = word.value || '.')
GROUP BY d.id, x.name
ORDER BY d.kind DESC, d.id, x.name;
