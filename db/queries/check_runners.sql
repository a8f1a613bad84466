-- Who came nearest to the newest winner of a problem on devices of one name, the winner counted.
-- :kind, :device, :problem, :n, :objective
SELECT c.key AS configuration
FROM (
    SELECT w.id
    FROM winners AS w
    JOIN environments AS e ON e.id = w.environment_id
    JOIN devices AS d ON d.id = e.device_id
    JOIN problems AS p ON p.id = w.problem_id
    WHERE d.kind = :kind AND d.name = :device AND p.key = :problem AND p.n = CAST(:n AS INTEGER)
        AND w.objective = :objective
    ORDER BY w.chosen_at DESC, w.id DESC LIMIT 1
) AS newest
JOIN contenders AS k ON k.winner_id = newest.id
JOIN configurations AS c ON c.id = k.configuration_id
WHERE k.out IS NULL
ORDER BY k.place LIMIT 4;
