-- migration 16: how much of its space each winner was chosen from; views of the words for verdicts and of equals
ALTER TABLE winners ADD COLUMN points INTEGER;
ALTER TABLE winners ADD COLUMN failures INTEGER;
ALTER TABLE winners ADD COLUMN chance_of_better REAL;
ALTER TABLE winners ADD COLUMN most_better REAL;
ALTER TABLE winners ADD COLUMN coverage TEXT
    CHECK (coverage IN ('whole', 'part', 'hardly seen', 'mostly failed'));

UPDATE winners SET trust_reason = 'Nearly sure: ' || substr(trust_reason, 11)
WHERE trust = 'noisy' AND trust_reason LIKE 'Not sure: %';

-- As tuner/stats/verdict.h has them, out of the searches that are stored.
UPDATE winners
SET (points, chance_of_better, most_better) = (
        SELECT s.points, s.chance_of_better, s.most_better
        FROM searches AS s
        JOIN runs AS r
            ON r.id = s.run_id AND r.environment_id = winners.environment_id AND r.l2_mode = winners.l2_mode
        WHERE s.problem_id = winners.problem_id
        ORDER BY s.run_id DESC
        LIMIT 1),
    failures = (
        SELECT count(*)
        FROM trials AS t
        WHERE t.environment_id = winners.environment_id AND t.problem_id = winners.problem_id
          AND t.l2_mode = winners.l2_mode AND t.stage = 'sweep'
          AND t.status NOT IN ('ok', 'skipped_by_constraint'));
UPDATE winners
SET coverage = CASE
        WHEN 2 * failures > (
            SELECT count(*)
            FROM trials AS t
            WHERE t.environment_id = winners.environment_id AND t.problem_id = winners.problem_id
              AND t.l2_mode = winners.l2_mode AND t.stage = 'sweep'
              AND t.status <> 'skipped_by_constraint') THEN 'mostly failed'
        WHEN points >= space_count THEN 'whole'
        WHEN coalesce(most_better > 0.1, 20 * points < space_count) THEN 'hardly seen'
        ELSE 'part' END
WHERE points IS NOT NULL AND space_count IS NOT NULL;
