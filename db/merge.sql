-- What `tune merge` does with one database, `other`, whose schema is that of `main`: rows that stand for the
-- same thing become one, ids are mapped, of two measurements of the same the newer stays. Run again it
-- changes nothing. in_flight is left out: what was running on another machine is none of this one's.

INSERT INTO main.devices (
    uuid, kind, name, architecture, memory_bytes, unit_count, facts, first_seen_at)
SELECT uuid, kind, name, architecture, memory_bytes, unit_count, facts, first_seen_at
FROM other.devices
WHERE true
ORDER BY id
ON CONFLICT DO NOTHING;

CREATE TEMP TABLE map_devices (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
INSERT INTO map_devices
SELECT o.id, m.id FROM other.devices AS o JOIN main.devices AS m ON m.uuid = o.uuid;

INSERT INTO main.environments (device_id, driver, compiler, tool_version, host, first_seen_at)
SELECT d.new, o.driver, o.compiler, o.tool_version, o.host, o.first_seen_at
FROM other.environments AS o
JOIN map_devices AS d ON d.old = o.device_id
WHERE true
ORDER BY o.id
ON CONFLICT DO NOTHING;

CREATE TEMP TABLE map_environments (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
INSERT INTO map_environments
SELECT o.id, m.id
FROM other.environments AS o
JOIN map_devices AS d ON d.old = o.device_id
JOIN main.environments AS m
    ON m.device_id = d.new AND m.driver = o.driver AND m.compiler = o.compiler
    AND m.tool_version = o.tool_version AND m.host = o.host;

INSERT INTO main.ceilings (
    environment_id, measured_at, buffer_bytes, host_to_device_gbs, device_to_host_gbs, copy_gbs,
    read_gbs, write_gbs)
SELECT e.new, o.measured_at, o.buffer_bytes, o.host_to_device_gbs, o.device_to_host_gbs, o.copy_gbs,
       o.read_gbs, o.write_gbs
FROM other.ceilings AS o
JOIN map_environments AS e ON e.old = o.environment_id
WHERE NOT EXISTS (
    SELECT 1 FROM main.ceilings AS m
    WHERE m.environment_id = e.new AND m.measured_at = o.measured_at
        AND m.read_gbs IS o.read_gbs AND m.write_gbs IS o.write_gbs)
ORDER BY o.id;

INSERT INTO main.arithmetic_ceilings (environment_id, type, measured_at, gops)
SELECT e.new, o.type, o.measured_at, o.gops
FROM other.arithmetic_ceilings AS o
JOIN map_environments AS e ON e.old = o.environment_id
WHERE true
ON CONFLICT DO UPDATE SET gops = max(arithmetic_ceilings.gops, excluded.gops);

INSERT INTO main.peers (
    environment_id, problem_key, n, l2_mode, name, time_ns, mad_ns, tuned_ns, ratio, ratio_low,
    ratio_high, rounds, source, imported_at)
SELECT e.new, o.problem_key, o.n, o.l2_mode, o.name, o.time_ns, o.mad_ns, o.tuned_ns, o.ratio,
       o.ratio_low, o.ratio_high, o.rounds, o.source, o.imported_at
FROM other.peers AS o
JOIN map_environments AS e ON e.old = o.environment_id
WHERE true
ON CONFLICT DO UPDATE SET
    time_ns = excluded.time_ns, mad_ns = excluded.mad_ns, tuned_ns = excluded.tuned_ns,
    ratio = excluded.ratio, ratio_low = excluded.ratio_low, ratio_high = excluded.ratio_high,
    rounds = excluded.rounds, source = excluded.source, imported_at = excluded.imported_at
WHERE excluded.imported_at > peers.imported_at;

INSERT INTO main.experiments (
    name, device_kind, definition_hash, content_hash, path, text, first_seen_at)
SELECT name, device_kind, definition_hash, content_hash, path, text, first_seen_at
FROM other.experiments
WHERE true
ORDER BY id
ON CONFLICT DO NOTHING;

CREATE TEMP TABLE map_experiments (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
INSERT INTO map_experiments
SELECT o.id, m.id
FROM other.experiments AS o
JOIN main.experiments AS m
    ON m.name = o.name AND m.device_kind = o.device_kind
    AND m.definition_hash = o.definition_hash;

-- Operations and families are filled in where an older tune left none.
INSERT INTO main.problems (
    experiment_id, key, axes, n, bytes_moved, ceiling, operations, operations_type, family)
SELECT x.new, o.key, o.axes, o.n, o.bytes_moved, o.ceiling, o.operations, o.operations_type, o.family
FROM other.problems AS o
JOIN map_experiments AS x ON x.old = o.experiment_id
WHERE true
ORDER BY o.id
ON CONFLICT DO UPDATE SET
    operations = coalesce(problems.operations, excluded.operations),
    operations_type = coalesce(problems.operations_type, excluded.operations_type),
    family = coalesce(problems.family, excluded.family)
WHERE (problems.operations IS NULL AND excluded.operations IS NOT NULL)
   OR (problems.family IS NULL AND excluded.family IS NOT NULL);

CREATE TEMP TABLE map_problems (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
INSERT INTO map_problems
SELECT o.id, m.id
FROM other.problems AS o
JOIN map_experiments AS x ON x.old = o.experiment_id
JOIN main.problems AS m ON m.experiment_id = x.new AND m.key = o.key AND m.n = o.n;

INSERT INTO main.configurations (experiment_id, key, parameters)
SELECT x.new, o.key, o.parameters
FROM other.configurations AS o
JOIN map_experiments AS x ON x.old = o.experiment_id
WHERE true
ORDER BY o.id
ON CONFLICT DO NOTHING;

CREATE TEMP TABLE map_configurations (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
INSERT INTO map_configurations
SELECT o.id, m.id
FROM other.configurations AS o
JOIN map_experiments AS x ON x.old = o.experiment_id
JOIN main.configurations AS m ON m.experiment_id = x.new AND m.key = o.key;

-- Runs have no name: those of one environment and second are told apart by seed and calibration, and
-- after that by their order.
CREATE TEMP TABLE run_names AS
SELECT 1 AS other, o.id, e.new AS environment_id, o.started_at, o.seed, o.tick_ns, o.empty_pair_ns,
       row_number() OVER (
           PARTITION BY e.new, o.started_at, o.seed, o.tick_ns, o.empty_pair_ns ORDER BY o.id
       ) AS place
FROM other.runs AS o
JOIN map_environments AS e ON e.old = o.environment_id
UNION ALL
SELECT 0, m.id, m.environment_id, m.started_at, m.seed, m.tick_ns, m.empty_pair_ns,
       row_number() OVER (
           PARTITION BY m.environment_id, m.started_at, m.seed, m.tick_ns, m.empty_pair_ns
           ORDER BY m.id)
FROM main.runs AS m;

CREATE TEMP TABLE map_runs (old INTEGER PRIMARY KEY, new INTEGER NOT NULL, added INTEGER NOT NULL);
INSERT INTO map_runs
SELECT o.id, m.id, 0
FROM run_names AS o
JOIN run_names AS m
    ON m.other = 0 AND m.environment_id = o.environment_id AND m.started_at = o.started_at
    AND m.seed = o.seed AND m.tick_ns = o.tick_ns AND m.empty_pair_ns = o.empty_pair_ns
    AND m.place = o.place
WHERE o.other = 1;
INSERT INTO map_runs
SELECT id,
       (SELECT coalesce(max(id), 0) FROM main.runs) + row_number() OVER (ORDER BY started_at, id), 1
FROM other.runs
WHERE id NOT IN (SELECT old FROM map_runs);

INSERT INTO main.runs (
    id, environment_id, started_at, ended_at, outcome, seed, l2_mode, tick_ns, empty_pair_ns,
    node_gap_ns, effort, budget_ns, objective, protocol, worker_cpus, near, wall_ns, measuring_ns,
    compile_wait_ns, binaries_compiled, binaries_cached, command)
SELECT r.new, e.new, o.started_at, o.ended_at, o.outcome, o.seed, o.l2_mode, o.tick_ns,
       o.empty_pair_ns, o.node_gap_ns, o.effort, o.budget_ns, o.objective, o.protocol,
       o.worker_cpus, o.near, o.wall_ns, o.measuring_ns, o.compile_wait_ns, o.binaries_compiled,
       o.binaries_cached, o.command
FROM other.runs AS o
JOIN map_runs AS r ON r.old = o.id
JOIN map_environments AS e ON e.old = o.environment_id
WHERE r.added
ORDER BY r.new;

-- Trials: `taken` are new here, or newer than the present ones.
CREATE TEMP TABLE map_trials (old INTEGER PRIMARY KEY, new INTEGER, taken INTEGER NOT NULL);
INSERT INTO map_trials
SELECT o.id, m.id, m.id IS NULL OR o.measured_at > m.measured_at
FROM other.trials AS o
JOIN map_environments AS e ON e.old = o.environment_id
JOIN map_problems AS p ON p.old = o.problem_id
JOIN map_configurations AS c ON c.old = o.configuration_id
LEFT JOIN main.trials AS m
    ON m.environment_id = e.new AND m.problem_id = p.new AND m.configuration_id = c.new
    AND m.stage = o.stage AND m.objective = o.objective AND m.l2_mode = o.l2_mode;

DELETE FROM main.samples
WHERE trial_id IN (SELECT new FROM map_trials WHERE taken AND new IS NOT NULL);
DELETE FROM main.resources
WHERE trial_id IN (SELECT new FROM map_trials WHERE taken AND new IS NOT NULL);

UPDATE map_trials
SET new = (SELECT coalesce(max(id), 0) FROM main.trials) + numbered.place
FROM (SELECT old, row_number() OVER (ORDER BY old) AS place FROM map_trials WHERE new IS NULL)
    AS numbered
WHERE numbered.old = map_trials.old;

INSERT INTO main.trials (
    id, run_id, environment_id, problem_id, configuration_id, stage, objective, l2_mode, status,
    detail, compile_log, same_as_trial_id, binary_hash, derived, launch_count, grid, block,
    occupancy, sample_count, median_ns, mad_ns, min_ns, max_ns, energy_j, value, duration_ns,
    measured_at, metrics)
SELECT t.new, r.new, e.new, p.new, c.new, o.stage, o.objective, o.l2_mode, o.status, o.detail,
       o.compile_log, NULL, o.binary_hash, o.derived, o.launch_count, o.grid, o.block, o.occupancy,
       o.sample_count, o.median_ns, o.mad_ns, o.min_ns, o.max_ns, o.energy_j, o.value,
       o.duration_ns, o.measured_at, o.metrics
FROM other.trials AS o
JOIN map_trials AS t ON t.old = o.id
JOIN map_runs AS r ON r.old = o.run_id
JOIN map_environments AS e ON e.old = o.environment_id
JOIN map_problems AS p ON p.old = o.problem_id
JOIN map_configurations AS c ON c.old = o.configuration_id
WHERE t.taken
ORDER BY t.new
ON CONFLICT (id) DO UPDATE SET
    run_id = excluded.run_id, status = excluded.status, detail = excluded.detail,
    compile_log = excluded.compile_log, same_as_trial_id = NULL,
    binary_hash = excluded.binary_hash, derived = excluded.derived,
    launch_count = excluded.launch_count, grid = excluded.grid, block = excluded.block,
    occupancy = excluded.occupancy, sample_count = excluded.sample_count,
    median_ns = excluded.median_ns, mad_ns = excluded.mad_ns, min_ns = excluded.min_ns,
    max_ns = excluded.max_ns, energy_j = excluded.energy_j, value = excluded.value,
    duration_ns = excluded.duration_ns, measured_at = excluded.measured_at,
    metrics = excluded.metrics;

UPDATE main.trials
SET same_as_trial_id = twin.new
FROM other.trials AS o, map_trials AS t, map_trials AS twin
WHERE t.taken AND t.old = o.id AND twin.old = o.same_as_trial_id AND main.trials.id = t.new;

INSERT INTO main.samples (trial_id, ordinal, process, round, runs, invalid, elapsed_ns, energy_j)
SELECT t.new, o.ordinal, o.process, o.round, o.runs, o.invalid, o.elapsed_ns, o.energy_j
FROM other.samples AS o
JOIN map_trials AS t ON t.old = o.trial_id
WHERE t.taken;

INSERT INTO main.resources (
    trial_id, launch, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, threads,
    dynamic_shared_bytes, static_shared_bytes, registers, local_bytes, spill_bytes,
    active_blocks_per_sm, occupancy, cluster_x, cluster_y, cluster_z, cooperative)
SELECT t.new, o.launch, o.kernel, o.grid_x, o.grid_y, o.grid_z, o.block_x, o.block_y, o.block_z,
       o.threads, o.dynamic_shared_bytes, o.static_shared_bytes, o.registers, o.local_bytes,
       o.spill_bytes, o.active_blocks_per_sm, o.occupancy, o.cluster_x, o.cluster_y, o.cluster_z,
       o.cooperative
FROM other.resources AS o
JOIN map_trials AS t ON t.old = o.trial_id
WHERE t.taken;

INSERT INTO main.searches (
    run_id, problem_id, asked, strategy, product_count, space_count, points_most, points, trials,
    unlaunchable, duplicates, failures)
SELECT r.new, p.new, o.asked, o.strategy, o.product_count, o.space_count, o.points_most, o.points,
       o.trials, o.unlaunchable, o.duplicates, o.failures
FROM other.searches AS o
JOIN map_runs AS r ON r.old = o.run_id
JOIN map_problems AS p ON p.old = o.problem_id
WHERE true
ON CONFLICT DO NOTHING;

INSERT INTO main.baselines (environment_id, problem_id, name, about, configuration_id)
SELECT e.new, p.new, o.name, o.about, c.new
FROM other.baselines AS o
JOIN map_environments AS e ON e.old = o.environment_id
JOIN map_problems AS p ON p.old = o.problem_id
JOIN map_configurations AS c ON c.old = o.configuration_id
WHERE true
ON CONFLICT DO NOTHING;

INSERT INTO main.rounds (
    run_id, problem_id, stage, objective, process, ordinal, fault, anchor_first_ns, anchor_last_ns,
    twin_configuration_id, first_ns, twin_ns, sm_clock_mhz, memory_clock_mhz, temperature_c,
    power_w, energy_j, throttle, ecc_errors, other_processes, at_ns)
SELECT r.new, p.new, o.stage, o.objective, o.process, o.ordinal, o.fault, o.anchor_first_ns,
       o.anchor_last_ns, c.new, o.first_ns, o.twin_ns, o.sm_clock_mhz, o.memory_clock_mhz,
       o.temperature_c, o.power_w, o.energy_j, o.throttle, o.ecc_errors, o.other_processes, o.at_ns
FROM other.rounds AS o
JOIN map_runs AS r ON r.old = o.run_id
JOIN map_problems AS p ON p.old = o.problem_id
LEFT JOIN map_configurations AS c ON c.old = o.twin_configuration_id
WHERE true
ON CONFLICT DO NOTHING;

INSERT INTO main.gauntlets (
    environment_id, problem_id, configuration_id, binary_hash, passed, cases, detail, checked_at)
SELECT e.new, p.new, c.new, o.binary_hash, o.passed, o.cases, o.detail, o.checked_at
FROM other.gauntlets AS o
JOIN map_environments AS e ON e.old = o.environment_id
JOIN map_problems AS p ON p.old = o.problem_id
JOIN map_configurations AS c ON c.old = o.configuration_id
WHERE true
ON CONFLICT DO UPDATE SET
    passed = excluded.passed, cases = excluded.cases, detail = excluded.detail,
    checked_at = excluded.checked_at
WHERE excluded.checked_at > gauntlets.checked_at;

INSERT INTO main.outdated (environment_id, problem_id, configuration_id, binary_hash, detail)
SELECT e.new, p.new, c.new, o.binary_hash, o.detail
FROM other.outdated AS o
JOIN map_environments AS e ON e.old = o.environment_id
JOIN map_problems AS p ON p.old = o.problem_id
JOIN map_configurations AS c ON c.old = o.configuration_id
WHERE true
ON CONFLICT DO NOTHING;

CREATE TEMP TABLE map_winners (old INTEGER PRIMARY KEY, new INTEGER, taken INTEGER NOT NULL);
INSERT INTO map_winners
SELECT o.id, m.id, m.id IS NULL OR o.chosen_at > m.chosen_at
FROM other.winners AS o
JOIN map_environments AS e ON e.old = o.environment_id
JOIN map_problems AS p ON p.old = o.problem_id
LEFT JOIN main.winners AS m
    ON m.environment_id = e.new AND m.problem_id = p.new AND m.objective = o.objective
    AND m.l2_mode = o.l2_mode;

-- Contenders and states go with them.
DELETE FROM main.winners
WHERE id IN (SELECT new FROM map_winners WHERE taken AND new IS NOT NULL);

UPDATE map_winners
SET new = (SELECT coalesce(max(id), 0) FROM main.winners) + numbered.place
FROM (SELECT old, row_number() OVER (ORDER BY old) AS place FROM map_winners WHERE taken)
    AS numbered
WHERE numbered.old = map_winners.old;

INSERT INTO main.winners (
    id, environment_id, problem_id, l2_mode, objective, trial_id, run_id, stage, candidate_count,
    space_count, value, time_low_ns, time_high_ns, delta, floor, claim, confidence, processes,
    rounds, rounds_dropped, tied_count, kept_incumbent, trust, trust_reason, chosen_at, compared,
    inputs, points, failures, chance_of_better, most_better, coverage)
SELECT w.new, e.new, p.new, o.l2_mode, o.objective, t.new, r.new, o.stage, o.candidate_count,
       o.space_count, o.value, o.time_low_ns, o.time_high_ns, o.delta, o.floor, o.claim,
       o.confidence, o.processes, o.rounds, o.rounds_dropped, o.tied_count, o.kept_incumbent,
       o.trust, o.trust_reason, o.chosen_at, o.compared, o.inputs, o.points, o.failures,
       o.chance_of_better, o.most_better, o.coverage
FROM other.winners AS o
JOIN map_winners AS w ON w.old = o.id
JOIN map_environments AS e ON e.old = o.environment_id
JOIN map_problems AS p ON p.old = o.problem_id
JOIN map_trials AS t ON t.old = o.trial_id
JOIN map_runs AS r ON r.old = o.run_id
WHERE w.taken
ORDER BY w.new;

INSERT INTO main.contenders (
    winner_id, configuration_id, trial_id, place, difference, difference_low, difference_high,
    proven, tied, out)
SELECT w.new, c.new, t.new, o.place, o.difference, o.difference_low, o.difference_high, o.proven,
       o.tied, o.out
FROM other.contenders AS o
JOIN map_winners AS w ON w.old = o.winner_id
JOIN map_configurations AS c ON c.old = o.configuration_id
LEFT JOIN map_trials AS t ON t.old = o.trial_id
WHERE w.taken;

INSERT INTO main.states (
    winner_id, state, configuration_id, trial_id, difference, difference_low, difference_high, tied)
SELECT w.new, o.state, c.new, t.new, o.difference, o.difference_low, o.difference_high, o.tied
FROM other.states AS o
JOIN map_winners AS w ON w.old = o.winner_id
JOIN map_configurations AS c ON c.old = o.configuration_id
LEFT JOIN map_trials AS t ON t.old = o.trial_id
WHERE w.taken;

-- The ranges of a problem belong together: all of the newer, or none.
CREATE TEMP TABLE newer_ranges AS
SELECT o.environment_id, o.experiment_id, o.problem_key, o.l2_mode, o.objective,
       e.new AS new_environment_id, x.new AS new_experiment_id
FROM other.ranges AS o
JOIN map_environments AS e ON e.old = o.environment_id
JOIN map_experiments AS x ON x.old = o.experiment_id
GROUP BY 1, 2, 3, 4, 5
HAVING max(o.chosen_at) > coalesce(
    (SELECT max(m.chosen_at) FROM main.ranges AS m
     WHERE m.environment_id = e.new AND m.experiment_id = x.new
       AND m.problem_key = o.problem_key AND m.l2_mode = o.l2_mode AND m.objective = o.objective),
    '');

DELETE FROM main.ranges
WHERE EXISTS (
    SELECT 1 FROM newer_ranges AS g
    WHERE g.new_environment_id = main.ranges.environment_id
      AND g.new_experiment_id = main.ranges.experiment_id
      AND g.problem_key = main.ranges.problem_key AND g.l2_mode = main.ranges.l2_mode
      AND g.objective = main.ranges.objective);

CREATE TEMP TABLE map_ranges (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
INSERT INTO map_ranges
SELECT o.id,
       (SELECT coalesce(max(id), 0) FROM main.ranges) + row_number() OVER (ORDER BY o.id)
FROM other.ranges AS o
JOIN newer_ranges AS g
    ON g.environment_id = o.environment_id AND g.experiment_id = o.experiment_id
    AND g.problem_key = o.problem_key AND g.l2_mode = o.l2_mode AND g.objective = o.objective;

INSERT INTO main.ranges (
    id, environment_id, experiment_id, problem_key, l2_mode, objective, run_id, n_low, n_high,
    configuration_id, within, bound, chosen_at, further)
SELECT g.new, e.new, x.new, o.problem_key, o.l2_mode, o.objective, r.new, o.n_low, o.n_high, c.new,
       o.within, o.bound, o.chosen_at, o.further
FROM other.ranges AS o
JOIN map_ranges AS g ON g.old = o.id
JOIN map_environments AS e ON e.old = o.environment_id
JOIN map_experiments AS x ON x.old = o.experiment_id
JOIN map_runs AS r ON r.old = o.run_id
JOIN map_configurations AS c ON c.old = o.configuration_id
ORDER BY g.new;

INSERT INTO main.range_checks (
    range_id, n, measured, loss, loss_low, loss_high, best_configuration_id, shape)
SELECT g.new, o.n, o.measured, o.loss, o.loss_low, o.loss_high, c.new, o.shape
FROM other.range_checks AS o
JOIN map_ranges AS g ON g.old = o.range_id
LEFT JOIN map_configurations AS c ON c.old = o.best_configuration_id;

-- Ranges older than one of their winners do not contain that one.
DELETE FROM main.ranges
WHERE EXISTS (
    SELECT 1
    FROM main.problems AS p
    JOIN main.winners AS w ON w.problem_id = p.id
    WHERE p.experiment_id = ranges.experiment_id AND coalesce(p.family, p.key) = ranges.problem_key
      AND w.environment_id = ranges.environment_id AND w.l2_mode = ranges.l2_mode
      AND w.objective = ranges.objective AND w.chosen_at > ranges.chosen_at);

-- The newer domains, as for results of the gauntlet.
INSERT INTO main.domains (
    environment_id, experiment_id, problem_key, configuration_id, binary_hash, multiple, least, most,
    is_listed, reason, formula, found_at)
SELECT e.new, x.new, o.problem_key, c.new, o.binary_hash, o.multiple, o.least, o.most, o.is_listed,
       o.reason, o.formula, o.found_at
FROM other.domains AS o
JOIN map_environments AS e ON e.old = o.environment_id
JOIN map_experiments AS x ON x.old = o.experiment_id
JOIN map_configurations AS c ON c.old = o.configuration_id
WHERE true
ON CONFLICT DO UPDATE SET
    binary_hash = excluded.binary_hash, multiple = excluded.multiple, least = excluded.least,
    most = excluded.most,
    is_listed = excluded.is_listed, reason = excluded.reason, formula = excluded.formula,
    found_at = excluded.found_at
WHERE excluded.found_at > domains.found_at;

DROP TABLE map_devices;
DROP TABLE map_environments;
DROP TABLE map_experiments;
DROP TABLE map_problems;
DROP TABLE map_configurations;
DROP TABLE run_names;
DROP TABLE map_runs;
DROP TABLE map_trials;
DROP TABLE map_winners;
DROP TABLE newer_ranges;
DROP TABLE map_ranges;
