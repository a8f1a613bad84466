-- Which environments are put side by side: those of a device that follow one another, and the newest of each device beside
-- that of the first board of its model, or, of a model's first board, beside that of the first device of its kind: as many
-- as there are devices, not each with each. a came first. Only such as have a winner by time of the same problem. And an
-- environment beside itself, where an experiment was changed in between: a_place 2, its winners before that.
-- :words  experiment names and problem keys (a JSON array; NULL: all)
-- :n      one size (NULL: all)
WITH won AS MATERIALIZED (
    SELECT w.environment_id, x.name AS experiment, p.key, p.n, w.l2_mode, w.chosen_at,
           row_number() OVER (
               PARTITION BY w.environment_id, x.name, p.key, p.n, w.l2_mode
               ORDER BY w.run_id DESC, w.chosen_at DESC, w.id DESC) AS place
    FROM winners AS w
    JOIN problems AS p ON p.id = w.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    WHERE w.objective = 'time'
      AND (:n IS NULL OR p.n = CAST(:n AS INTEGER))
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE x.name = word.value OR p.key = word.value
             OR substr(p.key, 1, length(word.value) + 1) = word.value || '.'))
),
sides AS MATERIALIZED (
    SELECT won.environment_id, e.device_id, d.kind, substr(max(won.chosen_at), 1, 10) AS day,
           lag(won.environment_id) OVER (
               PARTITION BY e.device_id ORDER BY max(won.chosen_at), won.environment_id) AS before_id,
           row_number() OVER (
               PARTITION BY e.device_id ORDER BY max(won.chosen_at) DESC, won.environment_id DESC) AS place,
           min(e.device_id) OVER (PARTITION BY d.kind, d.name) AS first_of_model,
           min(e.device_id) OVER (PARTITION BY d.kind) AS first_of_kind
    FROM won
    JOIN environments AS e ON e.id = won.environment_id
    JOIN devices AS d ON d.id = e.device_id
    GROUP BY won.environment_id
),
pairs AS (
    SELECT before_id AS a_id, environment_id AS b_id, 0 AS of_two, 1 AS a_place, NULL AS a_day
    FROM sides WHERE before_id IS NOT NULL
    UNION ALL
    SELECT environment_id, environment_id, 0, 2, substr(max(chosen_at), 1, 10)
    FROM won WHERE place = 2 GROUP BY environment_id
    UNION ALL
    SELECT a.environment_id, b.environment_id, 1, 1, NULL
    FROM sides AS b
    JOIN sides AS a ON a.device_id = iif(b.device_id > b.first_of_model, b.first_of_model, b.first_of_kind)
    WHERE a.place = 1 AND b.place = 1 AND a.device_id < b.device_id
)
SELECT r.a_place, r.a_id, da.name AS a_device, da.uuid AS a_uuid, ea.driver AS a_driver, ea.compiler AS a_compiler,
       ea.tool_version AS a_tool_version, ea.host AS a_host, coalesce(r.a_day, a.day) AS a_day,
       r.b_id, db.name AS b_device, db.uuid AS b_uuid, eb.driver AS b_driver, eb.compiler AS b_compiler,
       eb.tool_version AS b_tool_version, eb.host AS b_host, b.day AS b_day, da.kind AS device_kind
FROM pairs AS r
JOIN sides AS a ON a.environment_id = r.a_id
JOIN sides AS b ON b.environment_id = r.b_id
JOIN environments AS ea ON ea.id = r.a_id
JOIN environments AS eb ON eb.id = r.b_id
JOIN devices AS da ON da.id = ea.device_id
JOIN devices AS db ON db.id = eb.device_id
WHERE EXISTS (SELECT 1 FROM won AS x
              JOIN won AS y ON y.experiment = x.experiment AND y.key = x.key AND y.n = x.n AND y.l2_mode = x.l2_mode
              WHERE x.environment_id = r.a_id AND y.environment_id = r.b_id)
ORDER BY r.of_two, da.kind DESC, da.id, a.day, r.a_place, db.id;
