-- migration 7: how many results of a winner's runs were compared with what is right; an A/A floor above 10 %
-- supports no choice, also where an older tune called it noisy
ALTER TABLE winners ADD COLUMN compared INTEGER;

UPDATE winners
SET trust = 'unstable',
    trust_reason = 'Not sure: the same configuration timed twice differs by up to '
        || printf('%.3g', 100 * floor) || ' %, so that nothing can be told apart. Run `tune --effort '
        || 'normal` when the machine is idle. Found: ' || coalesce(trust_reason, 'no reason')
WHERE trust = 'noisy' AND floor > 0.1 AND coalesce(trust_reason, '') NOT LIKE 'Not sure:%';

-- As before, but of one device no other's are looked at.
CREATE INDEX ceilings_by_environment ON ceilings (environment_id);
