# kernels/elementwise on the emulation.
# A point: ELEMENT/INPUTS/BLOCK/VECTOR/LOADS.
set(elementwise_kernel "${PROJECT_SOURCE_DIR}/kernels/elementwise/elementwise.cu")
set(elementwise_header "tests/kernels/elementwise_point.h")
set(elementwise_names ELEMENT INPUTS BLOCK VECTOR LOADS)

set(elementwise_sources "")
foreach(inputs 0 1 2)
  set(points "")
  foreach(element int float)
    foreach(shape 64/1/1 64/4/1 256/1/4 256/4/4 32/2/3)
      list(APPEND points "${element}/${inputs}/${shape}")
    endforeach()
  endforeach()
  list(APPEND points "int/${inputs}/256/4/8" "float/${inputs}/1024/4/2" "double/${inputs}/96/2/3"
       "long long/${inputs}/64/1/2")
  set(source "${generated}/elementwise_${inputs}.cpp")
  family_points("${source}" "${elementwise_header}" "${elementwise_kernel}" "elementwise_${inputs}_"
                "${elementwise_names}" ${points})
  list(APPEND elementwise_sources "${source}")
endforeach()

simt_executable(test_elementwise_simt test_elementwise_simt.cpp ${elementwise_sources})
add_test(NAME kernels.elementwise_simt COMMAND test_elementwise_simt)

# Faults that the checks must find: NAME, point, the text of the kernel and its replacement.
set(elementwise_faults "")
function(elementwise_fault name point from to)
  set(broken "${generated}/faults/elementwise_${name}.cu")
  family_fault("${broken}" "${elementwise_kernel}" "${from}" "${to}")
  family_points("${generated}/faults/elementwise_${name}.cpp" "${elementwise_header}" "${broken}"
                "elementwise_${name}_" "${elementwise_names}" "${point}")
  set(elementwise_faults ${elementwise_faults} "${generated}/faults/elementwise_${name}.cpp"
      PARENT_SCOPE)
endfunction()

elementwise_fault(dropped_ends int/1/64/4/1 "threadIdx.x < ends" "threadIdx.x < head")
elementwise_fault(ends_past_the_end int/0/64/4/1 "threadIdx.x < ends" "threadIdx.x <= ends")
elementwise_fault(dropped_tile int/1/64/4/2 "if (tile == full_tiles)" "if (false)")
elementwise_fault(tile_past_the_end float/1/64/4/2 "(unsigned int)(packs % TILE_PACKS)" "TILE_PACKS")
elementwise_fault(store_past_the_end int/0/64/4/1
  "if (full || threadIdx.x + i * BLOCK < rest) {\n#pragma unroll"
  "if (full || threadIdx.x + i * BLOCK <= rest) {\n#pragma unroll")
elementwise_fault(unaligned_output int/0/64/4/1
  "(0u - (unsigned int)((size_type)out / sizeof(ELEMENT))) % count" "0u")
elementwise_fault(unaligned_input int/1/64/4/1 "(INPUTS < 1 || in_step(a, out))" "true")
elementwise_fault(unaligned_second_input int/2/64/4/1 "(INPUTS < 2 || in_step(b, out))" "true")
elementwise_fault(stride_of_one_block int/2/64/1/1 "tile += gridDim.x" "tile += 1")
elementwise_fault(loads_of_one_row int/1/64/1/4 "(a + (at + i * BLOCK * count))" "(a + at)")
elementwise_fault(second_input_forgotten float/2/64/4/2
  "got[i].lane[k] += other[i].lane[k];" "got[i].lane[k] += got[i].lane[k];")
elementwise_fault(unused_input_read int/1/64/4/1 "if constexpr (INPUTS == 2)\n                other"
  "if constexpr (INPUTS >= 1)\n                other")
elementwise_fault(index_in_32_bits int/0/256/4/8 "(out + (at + i * BLOCK * count))"
  "(out + (int)(at + i * BLOCK * count))")

simt_faults(test_elementwise_faults test_elementwise_simt.cpp ${elementwise_faults})
add_test(NAME kernels.elementwise_faults COMMAND test_elementwise_faults --faults)

set(elementwise_experiment "${PROJECT_SOURCE_DIR}/configs/elementwise.yaml")
add_test(NAME kernels.elementwise_compiles
         COMMAND compile_points "${elementwise_experiment}" 4 ${architectures})
set_tests_properties(kernels.elementwise_simt kernels.elementwise_faults PROPERTIES COST 25)
set_tests_properties(kernels.elementwise_simt kernels.elementwise_faults kernels.elementwise_compiles
                     PROPERTIES LABELS kernels TIMEOUT 300 SKIP_RETURN_CODE 77)
add_custom_target(compile_all_elementwise
                  COMMAND compile_points "${elementwise_experiment}" 0 ${architectures} VERBATIM)
add_dependencies(compile_all_points compile_all_elementwise)

# The CPU's kernels, by the program itself.
add_test(NAME kernels.elementwise_cpu
         COMMAND bash "${PROJECT_SOURCE_DIR}/tests/cli/run" "${CMAKE_CURRENT_SOURCE_DIR}/elementwise_cpu.sh")
set_tests_properties(kernels.elementwise_cpu PROPERTIES LABELS kernels TIMEOUT 300 SKIP_RETURN_CODE 77
  ENVIRONMENT "TUNE=$<TARGET_FILE:tune>;TUNE_SOURCE=${PROJECT_SOURCE_DIR};TUNE_BUILD=${PROJECT_BINARY_DIR};CC=${CMAKE_C_COMPILER}")
