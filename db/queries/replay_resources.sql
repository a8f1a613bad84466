-- The resources of an environment's launches, a trial's in their order.
-- :environment
SELECT s.trial_id, s.kernel, s.block_x * s.block_y * s.block_z AS block_threads,
       s.dynamic_shared_bytes AS shared_bytes, s.static_shared_bytes, s.registers, s.local_bytes,
       s.spill_bytes, s.active_blocks_per_sm, s.occupancy
FROM trials AS t
CROSS JOIN resources AS s ON s.trial_id = t.id
WHERE t.environment_id = CAST(:environment AS INTEGER) AND t.stage = 'sweep'
ORDER BY t.id, s.launch
