-- How many times as much each baseline takes as a configuration, on one problem.
-- :trial      any of the configuration's there
-- :objective  that its winner was chosen by
SELECT gains.baseline, gains.gain
FROM trials AS t
CROSS JOIN winners AS w
    ON w.environment_id = t.environment_id AND w.problem_id = t.problem_id
    AND w.l2_mode = t.l2_mode AND w.objective = :objective
CROSS JOIN gains ON gains.winner_id = w.id AND gains.configuration_id = t.configuration_id
WHERE t.id = CAST(:trial AS INTEGER) AND gains.gain > 0 AND w.trust IS NOT 'unstable'
    -- unknown bounds: ratio_report
    AND (COALESCE(gains.gain_low, gains.gain_high) IS NULL OR gains.gain_high <= 4 * gains.gain_low)
    -- nor a difference that is not shown
    AND NOT (gains.gain > 1 + w.delta AND gains.gain_low <= 1 + w.delta)
    AND NOT (gains.gain < 1 - w.delta AND gains.gain_high >= 1 - w.delta)
ORDER BY gains.baseline;
