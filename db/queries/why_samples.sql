-- The timings that a winner was chosen by, each with how finely it could be read; none of a winner of the
-- sweep.
-- :winner  winners.id
SELECT s.process, s.elapsed_ns, r.tick_ns / s.runs AS resolution_ns
FROM winners AS w
JOIN trials AS t ON t.id = w.trial_id
JOIN trials AS m ON m.id = coalesce(t.same_as_trial_id, t.id)
JOIN runs AS r ON r.id = m.run_id
JOIN samples AS s ON s.trial_id = m.id
WHERE w.id = CAST(:winner AS INTEGER) AND NOT s.invalid AND m.stage <> 'sweep';
