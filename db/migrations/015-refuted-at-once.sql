-- migration 15: whether a configuration is refuted is found by an index
CREATE INDEX trials_wrong_of ON trials (configuration_id) WHERE status = 'wrong_result';
CREATE INDEX trials_twins_of ON trials (configuration_id) WHERE same_as_trial_id IS NOT NULL;
DROP INDEX gauntlets_failed;
CREATE INDEX gauntlets_failed ON gauntlets (problem_id) WHERE passed = 0;
CREATE INDEX gauntlets_failed_of ON gauntlets (configuration_id) WHERE passed = 0;
CREATE INDEX gauntlets_by_binary ON gauntlets (binary_hash, passed);
