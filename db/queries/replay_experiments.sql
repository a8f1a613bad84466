-- Of each experiment's name the version that an environment tried last.
-- :environment, :l2_mode
SELECT id AS experiment_id, name, text
FROM (
    SELECT x.id, x.name, x.text,
           row_number() OVER (PARTITION BY x.name ORDER BY max(t.run_id) DESC, x.id DESC) AS place
    FROM tried AS t
    JOIN problems AS p ON p.id = t.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    WHERE t.environment_id = CAST(:environment AS INTEGER) AND t.l2_mode = :l2_mode
    GROUP BY x.id
)
WHERE place = 1
ORDER BY name
