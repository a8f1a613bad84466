-- The words that tune show takes: experiments, problem keys, and each beginning of a key that ends
-- before a dot.
WITH RECURSIVE words (word, rest) AS (
    SELECT '', key || '.' FROM (SELECT DISTINCT key FROM problems)
    UNION
    SELECT words.word || iif(words.word = '', '', '.') || substr(rest, 1, instr(rest, '.') - 1),
           substr(rest, instr(rest, '.') + 1)
    FROM words
    WHERE rest <> ''
)
SELECT word FROM words WHERE word <> ''
UNION
SELECT name FROM experiments
ORDER BY word;
