-- The launches of one trial, in order.
-- :trial  its id
SELECT r.launch, r.kernel, r.grid_x, r.grid_y, r.grid_z, r.block_x, r.block_y, r.block_z,
       nullif(r.cluster_x * r.cluster_y * r.cluster_z, 1) AS cluster,
       iif(r.cooperative, 'true', NULL) AS cooperative, nullif(r.threads, 0) AS threads, r.dynamic_shared_bytes, r.static_shared_bytes,
       r.registers, r.local_bytes, r.spill_bytes, r.active_blocks_per_sm,
       100 * r.occupancy AS occupancy_percent
FROM trials AS t
JOIN resources AS r ON r.trial_id = coalesce(t.same_as_trial_id, t.id)
WHERE t.id = :trial
ORDER BY r.launch;
