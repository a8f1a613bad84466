# kernels/occupancy on the emulation, its points by its experiment.
# Faults that the checks must find: NAME, the defines of a point, the text of the kernel and its replacement.
function(occupancy_fault name defines from to)
  planted(occupancy "${name}" "${PROJECT_SOURCE_DIR}/kernels/occupancy/occupancy.cu" "${defines}" "${from}" "${to}")
endfunction()

occupancy_fault(dropped_ends "BLOCK=64 LOADS=2 MIN_BLOCKS=1" "threadIdx.x < ends" "threadIdx.x < head")
occupancy_fault(dropped_tile "BLOCK=64 LOADS=2 MIN_BLOCKS=1" "if (tile == full_tiles)" "if (false)")
occupancy_fault(tile_past_the_end "BLOCK=64 LOADS=2 MIN_BLOCKS=1" "(unsigned int)(packs % TILE_PACKS)" "TILE_PACKS")
occupancy_fault(unaligned_pack "BLOCK=64 LOADS=2 MIN_BLOCKS=1"
  "(0u - (unsigned int)((size_type)in / sizeof(*in))) % VECTOR" "0u")
occupancy_fault(index_in_32_bits "BLOCK=256 LOADS=4 MIN_BLOCKS=8" "(in + (at + i * BLOCK * VECTOR))"
  "(in + (int)(at + i * BLOCK * VECTOR))")
occupancy_fault(warps_without_barrier "BLOCK=256 LOADS=1 MIN_BLOCKS=1" "__syncthreads();" "")
occupancy_fault(shared_past_the_end "BLOCK=64 LOADS=1 MIN_BLOCKS=1" "of_warp[threadIdx.x / WARP] = sum"
  "of_warp[threadIdx.x / WARP + 1] = sum")
occupancy_fault(shuffle_of_some_lanes "BLOCK=64 LOADS=1 MIN_BLOCKS=1" "if (threadIdx.x >= WARP)" "if (threadIdx.x >= WARP / 2)")
occupancy_fault(first_block_is_last "BLOCK=64 LOADS=1 MIN_BLOCKS=1" "== gridDim.x - 1) {" "== 0) {")
occupancy_fault(state_never_reset "BLOCK=64 LOADS=1 MIN_BLOCKS=1" "*state = 0;" "")
occupancy_fault(own_sum_forgotten "BLOCK=64 LOADS=1 MIN_BLOCKS=1" "(before >> 32) + sum" "(before >> 32)")
occupancy_fault(unprotected_state "BLOCK=64 LOADS=1 MIN_BLOCKS=1"
  "before = atomicAdd(state, ((unsigned long long)sum << 32) | 1u);"
  "before = *state;\n    __threadfence();\n    *state = before + (((unsigned long long)sum << 32) | 1u);")

family(occupancy "${PROJECT_SOURCE_DIR}/configs/occupancy.yaml" 3)
