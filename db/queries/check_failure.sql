-- Why the configuration of an entry did not come to race.
-- :environment, :problem, :n, :configuration  as in check.sql
SELECT
    t.status,
    COALESCE(
        (
            SELECT g.detail FROM gauntlets AS g
            WHERE g.environment_id = t.environment_id AND g.problem_id = t.problem_id
                AND g.configuration_id = t.configuration_id AND g.passed = 0
            LIMIT 1
        ),
        t.detail
    ) AS detail
FROM trials AS t
JOIN problems AS p ON p.id = t.problem_id
JOIN configurations AS c ON c.id = t.configuration_id
WHERE t.environment_id = CAST(:environment AS INTEGER) AND p.key = :problem
    AND p.n = CAST(:n AS INTEGER) AND c.key = :configuration
ORDER BY t.status = 'ok', t.id DESC LIMIT 1;
