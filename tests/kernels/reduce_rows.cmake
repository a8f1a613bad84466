# kernels/reduce_rows on the emulation.
# A point: ELEMENT/AFFINE/LENGTH/GROUP/BLOCK/VECTOR/ROWS/CHUNKS/STEP.
set(rows_kernel "${PROJECT_SOURCE_DIR}/kernels/reduce_rows/reduce_rows.cu")
set(rows_header "tests/kernels/reduce_rows_point.h")
set(rows_names ELEMENT AFFINE LENGTH GROUP BLOCK VECTOR ROWS CHUNKS STEP)

# Every step with groups of all kinds: LENGTH/GROUP/BLOCK/VECTOR/ROWS/CHUNKS; V: 16 bytes a load.
set(rows_shapes
  1/1/32/1/1/0 9/2/32/1/4/0 7/8/64/1/2/0 8/2/64/V/4/0 32/8/96/V/1/0 31/32/64/1/1/0 33/32/64/1/2/0
  127/16/32/1/1/1 200/32/64/V/2/0 200/32/64/V/1/1 5/64/64/1/3/0 65/64/64/1/1/0 1000/96/96/V/2/0
  1024/128/128/V/1/1)
set(rows_sources "")
foreach(step 0 1 2 3 4)
  set(points "")
  foreach(shape IN LISTS rows_shapes)
    string(REPLACE "V" "4" of_ints "${shape}")
    string(REPLACE "V" "2" of_maps "${shape}")
    list(APPEND points "int/0/${of_ints}/${step}")
    if(step LESS 4)
      list(APPEND points "unsigned long long/1/${of_maps}/${step}")
    endif()
  endforeach()
  set(source "${generated}/rows_${step}.cpp")
  family_points("${source}" "${rows_header}" "${rows_kernel}" "rows_${step}_" "${rows_names}" ${points})
  list(APPEND rows_sources "${source}")
endforeach()
family_points("${generated}/rows_odd.cpp" "${rows_header}" "${rows_kernel}" rows_odd_ "${rows_names}"
  float/0/100/8/64/4/2/0/0 float/0/100/8/64/4/2/1/1 float/0/97/32/32/1/1/0/2 float/0/1000/64/64/4/1/0/3
  double/0/31/16/32/1/3/0/1 "long long/0/30/8/32/2/1/0/3" "long long/0/1025/1/32/1/1/0/2"
  int/0/130/64/64/2/1/0/4 int/0/65536/64/64/4/2/0/2)
list(APPEND rows_sources "${generated}/rows_odd.cpp")

simt_executable(test_reduce_rows_simt test_reduce_rows_simt.cpp ${rows_sources})
add_test(NAME kernels.reduce_rows_simt COMMAND test_reduce_rows_simt)

# Faults that the checks must find: NAME, point, the text of the kernel and what is put in its place.
set(rows_faults "")
function(rows_fault name point from to)
  set(broken "${generated}/faults/rows_${name}.cu")
  family_fault("${broken}" "${rows_kernel}" "${from}" "${to}")
  family_points("${generated}/faults/rows_${name}.cpp" "${rows_header}" "${broken}" "rows_${name}_"
                "${rows_names}" "${point}")
  set(rows_faults ${rows_faults} "${generated}/faults/rows_${name}.cpp" PARENT_SCOPE)
endfunction()

set(map "unsigned long long/1")
rows_fault(guarded_without_first_sync int/0/32/32/64/1/1/0/0
  "cell[lane] = value;\n    __syncwarp();\n#pragma unroll\n    for (unsigned int distance"
  "cell[lane] = value;\n    for (unsigned int distance")
rows_fault(guarded_without_sync int/0/32/32/64/1/1/0/0
  "cell[lane] = value;\n        }\n        __syncwarp();" "cell[lane] = value;\n        }")
rows_fault(guarded_without_guard int/0/32/32/64/1/1/0/0 "if (lane < distance)" "if (true)")
rows_fault(pairs_without_first_sync ${map}/32/32/64/1/1/0/0
  "cell[lane] = value;\n    __syncwarp();\n#pragma unroll\n    for (unsigned int pairs"
  "cell[lane] = value;\n    for (unsigned int pairs")
rows_fault(pairs_written_over ${map}/32/32/64/1/1/0/0
  "        __syncwarp();\n        if (lane < pairs)\n            cell[lane]"
  "        if (lane < pairs)\n            cell[lane]")
rows_fault(relaxed_read_too_early int/0/32/32/64/1/1/0/1
  "cell[lane] = value;\n        __syncwarp();" "cell[lane] = value;")
rows_fault(relaxed_written_too_early int/0/32/32/64/1/1/0/1
  "step : SUB / 2 / step)];\n        __syncwarp();" "step : SUB / 2 / step)];")
rows_fault(relaxed_swapped ${map}/32/32/64/1/1/0/1 "value = combine(value, other);"
  "value = combine(other, value);")
rows_fault(far_lanes_first ${map}/32/8/64/1/1/1/2 "AFFINE ? step :" "false ? step :")
rows_fault(xor_swapped ${map}/8/8/64/1/1/0/3
  "value = combine(value, other);" "value = combine(other, value);")
rows_fault(xor_beyond_the_group int/0/8/8/64/1/1/0/3
  "AFFINE ? step : SUB / 2 / step);" "AFFINE ? step : SUB / step);")
rows_fault(redux_of_the_warp int/0/8/8/64/1/1/0/4
  "lanes << threadIdx.x % WARP / SUB * SUB" "ALL_LANES")
rows_fault(mask_of_the_first_group int/0/8/8/64/1/1/0/4
  "lanes << threadIdx.x % WARP / SUB * SUB" "lanes")
rows_fault(groups_without_row_leave int/0/8/8/64/1/1/0/2
  "        const size_type first = tile * TILE_ROWS + threadIdx.x / GROUP;"
  "        const size_type first = tile * TILE_ROWS + threadIdx.x / GROUP;\n        if (first >= rows)\n            return;")
rows_fault(dropped_tail int/0/33/32/64/1/1/0/2 "at < end" "at + VECTOR < end")
rows_fault(load_past_the_row int/0/33/32/64/1/1/0/2 "at < end" "true")
rows_fault(part_past_its_end int/0/1000/96/96/4/1/0/2
  "part_end < LENGTH ? part_end : LENGTH" "LENGTH")
rows_fault(rows_past_the_end int/0/32/32/64/1/2/0/2 "row < rows, load" "true, load")
rows_fault(result_past_the_end int/0/32/32/64/1/2/0/2
  "if (first + (size_type)r * GROUPS < rows)" "if (true)")
rows_fault(dropped_rows int/0/32/32/64/1/2/0/2
  "(rows + TILE_ROWS - 1) / TILE_ROWS" "rows / TILE_ROWS")
rows_fault(stride_of_no_tile int/0/32/32/64/1/1/0/2 "tile += gridDim.x" "tile += gridDim.x + 1")
rows_fault(unaligned_pack int/0/32/8/64/4/1/0/2 "(size_type)in % sizeof(pack) == 0" "true")
rows_fault(map_of_the_other ${map}/32/8/64/1/1/1/2 "(CHUNKS ? lane" "(!CHUNKS ? lane")
rows_fault(stripes_out_of_order ${map}/64/32/64/1/1/0/2
  "AFFINE && !CHUNKS && LOADS > 1" "false")
rows_fault(even_multipliers ${map}/32/8/64/1/1/1/2 "element | 1ull << 32" "element")
rows_fault(parts_without_barrier int/0/256/64/64/4/1/0/2
  "of_part[r][warp] = total[r];\n    }\n    __syncthreads();"
  "of_part[r][warp] = total[r];\n    }")
rows_fault(parts_written_over int/0/256/64/64/4/1/0/4
  "out[first + r] = (ELEMENT)value;\n    }\n    __syncthreads();"
  "out[first + r] = (ELEMENT)value;\n    }")
rows_fault(parts_of_the_first_row int/0/256/64/64/4/3/0/2 "of_part[r][lane]" "of_part[0][lane]")
rows_fault(sum_in_order_of_arrival float/0/100/64/64/4/1/0/2 "of_part[r][warp] = total[r];"
  "{\n            static unsigned int turn;\n            of_part[r][turn++ % PARTS] = total[r];\n        }")
rows_fault(index_in_32_bits int/0/65536/64/64/4/2/0/2 "in + row * LENGTH" "in + (int)(row * LENGTH)")

simt_executable(test_reduce_rows_faults test_reduce_rows_simt.cpp ${rows_faults})
target_compile_options(test_reduce_rows_faults PRIVATE -w)
add_test(NAME kernels.reduce_rows_faults COMMAND test_reduce_rows_faults --faults)

set(rows_experiment "${PROJECT_SOURCE_DIR}/configs/reduce_rows.yaml")
add_test(NAME kernels.reduce_rows_compiles COMMAND compile_points "${rows_experiment}" 4 ${architectures})
set_tests_properties(kernels.reduce_rows_simt kernels.reduce_rows_faults kernels.reduce_rows_compiles
                     PROPERTIES LABELS kernels TIMEOUT 300 SKIP_RETURN_CODE 77)
add_custom_target(compile_all_reduce_rows
                  COMMAND compile_points "${rows_experiment}" 0 ${architectures} VERBATIM)
add_dependencies(compile_all_points compile_all_reduce_rows)
