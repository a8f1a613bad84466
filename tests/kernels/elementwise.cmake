# kernels/elementwise on the emulation, its points by its experiment.
# Faults that the checks must find: NAME, the defines of a point, the text of the kernel and its replacement.
function(elementwise_fault name defines from to)
  planted(elementwise "${name}" "${PROJECT_SOURCE_DIR}/kernels/elementwise/elementwise.cu" "${defines}" "${from}" "${to}")
endfunction()

elementwise_fault(dropped_ends "ELEMENT=int INPUTS=1 BLOCK=64 VECTOR=4 LOADS=1" "threadIdx.x < ends" "threadIdx.x < head")
elementwise_fault(ends_past_the_end "ELEMENT=int INPUTS=0 BLOCK=64 VECTOR=4 LOADS=1" "threadIdx.x < ends" "threadIdx.x <= ends")
elementwise_fault(dropped_tile "ELEMENT=int INPUTS=1 BLOCK=64 VECTOR=4 LOADS=2" "if (tile == full_tiles)" "if (false)")
elementwise_fault(tile_past_the_end "ELEMENT=float INPUTS=1 BLOCK=64 VECTOR=4 LOADS=2" "(unsigned int)(packs % TILE_PACKS)" "TILE_PACKS")
elementwise_fault(store_past_the_end "ELEMENT=int INPUTS=0 BLOCK=64 VECTOR=4 LOADS=1"
  "if (full || threadIdx.x + i * BLOCK < rest) {\n#pragma unroll"
  "if (full || threadIdx.x + i * BLOCK <= rest) {\n#pragma unroll")
elementwise_fault(unaligned_output "ELEMENT=int INPUTS=0 BLOCK=64 VECTOR=4 LOADS=1"
  "(0u - (unsigned int)((size_type)out / sizeof(ELEMENT))) % count" "0u")
elementwise_fault(unaligned_input "ELEMENT=int INPUTS=1 BLOCK=64 VECTOR=4 LOADS=1" "(INPUTS < 1 || in_step(a, out))" "true")
elementwise_fault(unaligned_second_input "ELEMENT=int INPUTS=2 BLOCK=64 VECTOR=4 LOADS=1" "(INPUTS < 2 || in_step(b, out))" "true")
elementwise_fault(stride_of_one_block "ELEMENT=int INPUTS=2 BLOCK=64 VECTOR=1 LOADS=1" "tile += gridDim.x" "tile += 1")
elementwise_fault(loads_of_one_row "ELEMENT=int INPUTS=1 BLOCK=64 VECTOR=1 LOADS=4" "(a + (at + i * BLOCK * count))" "(a + at)")
elementwise_fault(second_input_forgotten "ELEMENT=float INPUTS=2 BLOCK=64 VECTOR=4 LOADS=2"
  "got[i].lane[k] += other[i].lane[k];" "got[i].lane[k] += got[i].lane[k];")
elementwise_fault(unused_input_read "ELEMENT=int INPUTS=1 BLOCK=64 VECTOR=4 LOADS=1" "if constexpr (INPUTS == 2)\n                other"
  "if constexpr (INPUTS >= 1)\n                other")
elementwise_fault(index_in_32_bits "ELEMENT=int INPUTS=0 BLOCK=256 VECTOR=4 LOADS=8" "(out + (at + i * BLOCK * count))"
  "(out + (int)(at + i * BLOCK * count))")

family(elementwise "${PROJECT_SOURCE_DIR}/configs/elementwise.yaml" 4)
set_tests_properties(kernels.elementwise_simt kernels.elementwise_faults PROPERTIES COST 25)

# The CPU's kernels, by the program itself.
add_test(NAME kernels.elementwise_cpu
         COMMAND bash "${PROJECT_SOURCE_DIR}/tests/cli/run" "${CMAKE_CURRENT_SOURCE_DIR}/elementwise_cpu.sh")
set_tests_properties(kernels.elementwise_cpu PROPERTIES LABELS kernels TIMEOUT 300 SKIP_RETURN_CODE 77
  ENVIRONMENT "TUNE=$<TARGET_FILE:tune>;TUNE_SOURCE=${PROJECT_SOURCE_DIR};TUNE_BUILD=${PROJECT_BINARY_DIR};CC=${CMAKE_C_COMPILER}")
