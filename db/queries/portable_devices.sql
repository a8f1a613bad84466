-- The devices that a portable entry was chosen for, one per row, in columns that conf.sql has, too.
-- :trials  a trial of its configuration on each of them (a JSON array)
SELECT
    d.kind,
    json_extract(d.facts, '$.compute_capability') AS compute_capability,
    d.unit_count,
    p.key AS problem,
    p.n,
    t.id AS trial_id,
    g.parameters,
    t.derived,
    t.l2_mode,
    x.content_hash AS source,
    d.facts,
    x.id AS experiment,
    MAX(r.block_x * r.block_y * r.block_z) AS threads,
    MAX(r.dynamic_shared_bytes + COALESCE(r.static_shared_bytes, 0)) AS shared_bytes,
    MAX(r.registers) AS registers,
    MAX(CASE r.launch WHEN 0 THEN r.active_blocks_per_sm END) AS active_blocks,
    MAX(k.multiple) AS multiple,
    MAX(k.least) AS least,
    MIN(NULLIF(k.most, 0)) AS most,
    MAX(k.is_listed) AS is_listed,
    MAX(k.formula) AS multiples
FROM json_each(:trials) AS wanted
JOIN trials AS t ON t.id = wanted.value
JOIN environments AS e ON e.id = t.environment_id
JOIN devices AS d ON d.id = e.device_id
JOIN problems AS p ON p.id = t.problem_id
JOIN experiments AS x ON x.id = p.experiment_id
JOIN configurations AS g ON g.id = t.configuration_id
LEFT JOIN trials AS s ON s.environment_id = t.environment_id AND s.problem_id = t.problem_id
                     AND s.configuration_id = t.configuration_id
LEFT JOIN resources AS r ON r.trial_id = s.id OR r.trial_id = s.same_as_trial_id
LEFT JOIN domains AS k ON k.environment_id = t.environment_id AND k.experiment_id = p.experiment_id
                      AND k.problem_key = p.key AND k.configuration_id = t.configuration_id
GROUP BY t.id
ORDER BY d.kind, d.name, d.unit_count, t.id;
