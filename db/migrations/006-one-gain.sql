-- migration 6: how contenders compare in the rounds that they shared, and the gains over the baselines
CREATE VIEW paired AS
WITH raced AS NOT MATERIALIZED (
    SELECT k.*, t.stage, coalesce(s.same_as_trial_id, s.id) AS launched_trial_id
    FROM contenders AS k
    CROSS JOIN trials AS t ON t.id = k.trial_id
    CROSS JOIN trials AS s
        ON s.environment_id = t.environment_id AND s.problem_id = t.problem_id
        AND s.configuration_id = k.configuration_id AND s.stage = 'sweep'
        AND s.objective = 'time' AND s.l2_mode = t.l2_mode
    WHERE k.difference IS NOT NULL
)
SELECT own.winner_id, own.stage, own.configuration_id, own.launched_trial_id,
       other.configuration_id AS other_configuration_id,
       other.launched_trial_id AS other_launched_trial_id,
       iif(own.configuration_id = other.configuration_id, 1.0,
           (1 + other.difference) / (1 + own.difference)) AS ratio,
       iif(own.configuration_id = other.configuration_id, 1.0,
           nullif((1 + other.difference_low) / (1 + own.difference_high), 0)) AS ratio_low,
       iif(own.configuration_id = other.configuration_id, 1.0,
           nullif((1 + other.difference_high) / (1 + own.difference_low), 9e999)) AS ratio_high
FROM raced AS own
CROSS JOIN raced AS other ON other.winner_id = own.winner_id AND other.stage = own.stage;

CREATE VIEW gains AS
SELECT w.id AS winner_id, own.configuration_id, b.name AS baseline,
       b.configuration_id AS baseline_configuration_id, paired.stage, paired.ratio AS gain,
       paired.ratio_low AS gain_low, paired.ratio_high AS gain_high
FROM winners AS w
CROSS JOIN trials AS own
    ON own.environment_id = w.environment_id AND own.problem_id = w.problem_id
    AND own.stage = 'sweep' AND own.objective = 'time' AND own.l2_mode = w.l2_mode
CROSS JOIN baselines AS b
    ON b.environment_id = w.environment_id AND b.problem_id = w.problem_id
CROSS JOIN trials AS base
    ON base.environment_id = w.environment_id AND base.problem_id = w.problem_id
    AND base.configuration_id = b.configuration_id AND base.stage = 'sweep'
    AND base.objective = 'time' AND base.l2_mode = w.l2_mode
CROSS JOIN paired
    ON paired.winner_id = w.id
    AND paired.launched_trial_id = coalesce(own.same_as_trial_id, own.id)
    AND paired.other_launched_trial_id = coalesce(base.same_as_trial_id, base.id);
