# kernels/occupancy on the emulation.
# A point: BLOCK/LOADS/MIN_BLOCKS.
set(occupancy_kernel "${PROJECT_SOURCE_DIR}/kernels/occupancy/occupancy.cu")
set(occupancy_header "tests/kernels/occupancy_point.h")
set(occupancy_names BLOCK LOADS MIN_BLOCKS)

family_points("${generated}/occupancy.cpp" "${occupancy_header}" "${occupancy_kernel}" occupancy_
  "${occupancy_names}" 32/1/1 32/4/32 64/2/1 96/3/1 256/4/8 512/1/1 1024/2/2)
simt_executable(test_occupancy_simt test_occupancy_simt.cpp "${generated}/occupancy.cpp")
add_test(NAME kernels.occupancy_simt COMMAND test_occupancy_simt)

# Faults that the checks must find: NAME, point, the text of the kernel and its replacement.
set(occupancy_faults "")
function(occupancy_fault name point from to)
  set(broken "${generated}/faults/occupancy_${name}.cu")
  family_fault("${broken}" "${occupancy_kernel}" "${from}" "${to}")
  family_points("${generated}/faults/occupancy_${name}.cpp" "${occupancy_header}" "${broken}"
                "occupancy_${name}_" "${occupancy_names}" "${point}")
  set(occupancy_faults ${occupancy_faults} "${generated}/faults/occupancy_${name}.cpp" PARENT_SCOPE)
endfunction()

occupancy_fault(dropped_ends 64/2/1 "threadIdx.x < ends" "threadIdx.x < head")
occupancy_fault(dropped_tile 64/2/1 "if (tile == full_tiles)" "if (false)")
occupancy_fault(tile_past_the_end 64/2/1 "(unsigned int)(packs % TILE_PACKS)" "TILE_PACKS")
occupancy_fault(unaligned_pack 64/2/1
  "(0u - (unsigned int)((size_type)in / sizeof(*in))) % VECTOR" "0u")
occupancy_fault(index_in_32_bits 256/4/8 "(in + (at + i * BLOCK * VECTOR))"
  "(in + (int)(at + i * BLOCK * VECTOR))")
occupancy_fault(warps_without_barrier 256/1/1 "__syncthreads();" "")
occupancy_fault(shared_past_the_end 64/1/1 "of_warp[threadIdx.x / WARP] = sum"
  "of_warp[threadIdx.x / WARP + 1] = sum")
occupancy_fault(shuffle_of_some_lanes 64/1/1 "if (threadIdx.x >= WARP)" "if (threadIdx.x >= WARP / 2)")
occupancy_fault(first_block_is_last 64/1/1 "== gridDim.x - 1) {" "== 0) {")
occupancy_fault(state_never_reset 64/1/1 "*state = 0;" "")
occupancy_fault(own_sum_forgotten 64/1/1 "(before >> 32) + sum" "(before >> 32)")
occupancy_fault(unprotected_state 64/1/1
  "before = atomicAdd(state, ((unsigned long long)sum << 32) | 1u);"
  "before = *state;\n    __threadfence();\n    *state = before + (((unsigned long long)sum << 32) | 1u);")

simt_faults(test_occupancy_faults test_occupancy_simt.cpp ${occupancy_faults})
add_test(NAME kernels.occupancy_faults COMMAND test_occupancy_faults --faults)

set(occupancy_experiment "${PROJECT_SOURCE_DIR}/configs/occupancy.yaml")
add_test(NAME kernels.occupancy_compiles
         COMMAND compile_points "${occupancy_experiment}" 3 ${architectures})
set_tests_properties(kernels.occupancy_simt kernels.occupancy_faults kernels.occupancy_compiles
                     PROPERTIES LABELS kernels TIMEOUT 300 SKIP_RETURN_CODE 77)
add_custom_target(compile_all_occupancy
                  COMMAND compile_points "${occupancy_experiment}" 0 ${architectures} VERBATIM)
add_dependencies(compile_all_points compile_all_occupancy)
