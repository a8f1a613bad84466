-- The words that name experiments and problems.
SELECT name AS word FROM experiments
UNION
SELECT key FROM problems;
