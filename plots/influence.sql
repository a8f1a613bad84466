-- How much each parameter matters: what leaving the winner's value of it costs, and what each value does.
-- needs: a sweep in which a parameter took more than one value
-- draws: of all configurations only what is marked
-- share: of the variance of log(time) over all configurations of the sweep (of very many over a sample, see
-- measured.sql), omega squared of one
-- parameter alone (eta squared less what as many levels explain by chance). Constraints tie parameters to one another,
-- and what two explain alike would count twice: shares of more than 1 together are scaled to 1. Of less, the rest is
-- what only several explain together, and noise. NULL: as many values as configurations.
-- loss: how much slower than the best of all the best with that value is.
, swept AS (
    SELECT own.configuration_id, t.median_ns AS time_ns
    FROM problems AS p
    JOIN trials AS own ON own.problem_id = p.id AND own.stage = 'sweep'
    JOIN trials AS t ON t.id = coalesce(own.same_as_trial_id, own.id)
    WHERE p.experiment_id = CAST(:experiment AS INTEGER) AND p.key = :problem
      AND p.n = CAST(:n AS INTEGER)
      AND own.environment_id = CAST(:environment AS INTEGER) AND own.l2_mode = :l2_mode
      AND t.status = 'ok' AND t.median_ns > 0
      AND own.id % (SELECT every FROM thinned) = 0
),
ratios AS MATERIALIZED (
    SELECT configuration_id, time_ns, time_ns / (SELECT min(time_ns) FROM swept) AS ratio
    FROM swept
),
-- ln(ratio) by hand, as SQLite may have been built without it: halved until it lies in [1, 2), then
-- 2 artanh((x - 1) / (x + 1)) as a series, good to nine digits.
powers AS (
    SELECT 0 AS exponent, 1.0 AS low
    UNION ALL
    SELECT exponent + 1, 2 * low FROM powers WHERE 2 * low <= (SELECT max(ratio) FROM ratios)
),
reduced AS (
    SELECT r.configuration_id, r.ratio, p.exponent, (r.ratio - p.low) / (r.ratio + p.low) AS z
    FROM ratios AS r
    JOIN powers AS p ON r.ratio >= p.low AND r.ratio < 2 * p.low
),
logs AS (
    SELECT configuration_id, ratio,
           0.693147180559945309 * exponent + 2 * z * (1 + zz * (1.0 / 3 + zz * (1.0 / 5
           + zz * (1.0 / 7 + zz * (1.0 / 9 + zz * (1.0 / 11 + zz * (1.0 / 13 + zz / 15))))))) AS log_ratio
    FROM (SELECT *, z * z AS zz FROM reduced)
),
-- About their mean, so that sums of squares lose no digits.
centred AS (
    SELECT configuration_id, ratio, log_ratio - avg(log_ratio) OVER () AS y FROM logs
),
levels AS MATERIALIZED (
    SELECT j.key AS parameter, coalesce(j.value, 'null') AS value, count(*) AS configurations,
           min(x.ratio) - 1 AS loss, sum(x.y) AS sum_y, sum(x.y * x.y) AS sum_yy, min(j.id) AS part
    FROM centred AS x
    JOIN configurations AS c ON c.id = x.configuration_id, json_each(c.parameters) AS j
    GROUP BY j.key, coalesce(j.value, 'null')
),
sums AS (
    SELECT parameter, count(*) AS level_count, sum(configurations) AS n, min(part) AS part,
           max(sum(sum_yy) - sum(sum_y) * sum(sum_y) / sum(configurations), 0) AS total,
           max(sum(sum_yy) - sum(sum_y * sum_y / configurations), 0) AS within
    FROM levels
    GROUP BY parameter
    HAVING count(*) > 1
),
shares_alone AS (
    SELECT parameter, level_count, n, part,
           CASE WHEN n <= level_count THEN NULL WHEN total <= 1e-18 * n THEN 0.0
                ELSE max((total - within - (level_count - 1) * within / (n - level_count))
                         / (total + within / (n - level_count)), 0.0) END AS share
    FROM sums
),
shares AS (
    SELECT parameter, level_count, n, part, share / max(coalesce(sum(share) OVER (), 1), 1) AS share FROM shares_alone
),
winner_parts AS (
    SELECT j.key AS parameter, coalesce(j.value, 'null') AS value
    FROM chosen JOIN configurations AS c ON c.id = chosen.configuration_id,
         json_each(c.parameters) AS j
    WHERE chosen.rank = 0 AND chosen.n = CAST(:n AS INTEGER)
),
best_parts AS (
    SELECT j.key AS parameter, coalesce(j.value, 'null') AS value
    FROM (SELECT configuration_id FROM ratios ORDER BY ratio, configuration_id LIMIT 1) AS b
    JOIN configurations AS c ON c.id = b.configuration_id, json_each(c.parameters) AS j
),
-- As views/explain/sensitivity.c and the page's script have it.
costed AS (
    SELECT s.*, coalesce(w.value, b.value) AS chosen_value,
           (SELECT min(l.loss) FROM levels AS l
            WHERE l.parameter = s.parameter AND l.value <> coalesce(w.value, b.value)) AS other_loss,
           s.part AS place
    FROM shares AS s
    LEFT JOIN best_parts AS b ON b.parameter = s.parameter
    LEFT JOIN winner_parts AS w ON w.parameter = s.parameter
),
ordered AS (
    SELECT *, row_number() OVER (ORDER BY other_loss DESC NULLS LAST, share DESC, place, parameter) AS row FROM costed
),
conclusion AS (
    SELECT CASE WHEN other_loss < 0.01
           THEN 'No parameter matters much: each has another value within 1 %'
           ELSE
           parameter || ' matters most: without ' || parameter || '=' || chosen_value || ' the fastest launch '
           || CASE WHEN other_loss < 0.995 THEN printf('takes %.3g %% more', round(100 * other_loss, 1))
              ELSE printf('takes %.3g times as long', 1 + other_loss) END
           || (SELECT iif(count(*) > 1, printf('; %d of %d parameters have another value within 1 %%',
                                               sum(other_loss < 0.01), count(*)), '') FROM ordered) END AS sentence
    FROM ordered WHERE row = 1
)
SELECT 'points' AS layer, 'share of the variance' AS series, 0 AS rank, row, share, other_loss AS loss,
       level_count AS levels, n AS configurations, parameter, chosen_value AS value
FROM ordered
WHERE row <= 16
UNION ALL
SELECT 'values', 'a value', CASE WHEN w.value IS NULL THEN 1 ELSE 0 END, o.row, NULL, l.loss, NULL, l.configurations,
       l.parameter, l.value
FROM ordered AS o
JOIN levels AS l ON l.parameter = o.parameter
LEFT JOIN winner_parts AS w ON w.parameter = l.parameter AND w.value = l.value
WHERE o.row <= 16
UNION ALL
SELECT 'left_out', '', 0, count(*), max(share), NULL, NULL, NULL, NULL, NULL
FROM ordered WHERE row > 16 HAVING count(*) > 0
UNION ALL
SELECT 'conclusion', sentence, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM conclusion
UNION ALL
SELECT 'whole', '', trials, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM whole
ORDER BY layer, row, loss, rank, value;
