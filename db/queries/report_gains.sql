-- What a winner is held against: its baselines, as winners.sql gives them, then peers.
-- :baselines    that column, a JSON array
-- :environment  where; :problem, :n, :l2_mode  on what
-- :objective    what was made small: a gain is of that
-- :time         of the winner (ns), for peers that were not measured in rounds with it: of those the
--               ratio is one of two medians, and has no interval
SELECT json_extract(value, '$.name') AS name, json_extract(value, '$.about') AS about,
       json_extract(value, '$.gain') AS ratio, json_extract(value, '$.gain_low') AS low,
       json_extract(value, '$.gain_high') AS high, 0 AS peer,
       json_extract(value, '$.standing') AS standing
FROM json_each(coalesce(:baselines, '[]'))
UNION ALL
SELECT name, NULL, coalesce(ratio, time_ns / coalesce(tuned_ns, CAST(:time AS REAL))), ratio_low,
       ratio_high, 1, NULL
FROM (SELECT * FROM peers
      WHERE environment_id = CAST(:environment AS INTEGER) AND problem_key = :problem
        AND n = CAST(:n AS INTEGER) AND l2_mode = :l2_mode AND :objective = 'time'
      ORDER BY name);
