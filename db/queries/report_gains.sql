-- What a winner is held against: its baselines, as winners.sql gives them, then peers.
-- :baselines    that column, a JSON array
-- :environment  where; :problem, :n, :l2_mode  on what
-- :objective    what was made small: a gain is of that
-- :time         of the winner (ns), for peers that were not measured in the same rounds
SELECT json_extract(value, '$.name') AS name, json_extract(value, '$.about') AS about,
       
       json_extract(value, iif(:objective = 'time', '$.gain', '$.value_gain')) AS ratio, NULL AS low, NULL AS high, 0 AS peer
FROM json_each(coalesce(:baselines, '[]'))
UNION ALL
SELECT name, NULL, coalesce(ratio, time_ns / CAST(:time AS REAL)), ratio_low, ratio_high, 1
FROM (SELECT * FROM peers
      WHERE environment_id = CAST(:environment AS INTEGER) AND problem_key = :problem
        AND n = CAST(:n AS INTEGER) AND l2_mode = :l2_mode AND :objective = 'time'
      ORDER BY name);
