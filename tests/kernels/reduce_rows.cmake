# kernels/reduce_rows on the emulation.
# A point: OP/TYPE/LENGTH/LANES/BLOCK/COUNT/ROWS/MAP/STEP.
set(rows_kernel "${PROJECT_SOURCE_DIR}/kernels/reduce_rows/reduce_rows.cuh")
set(rows_header "tests/kernels/reduce_rows_point.h")
set(rows_names POINT_OP POINT_TYPE POINT_LENGTH POINT_LANES POINT_BLOCK POINT_COUNT POINT_ROWS POINT_MAP
    POINT_STEP)

# Every step with groups of all kinds: LENGTH/LANES/BLOCK/COUNT/ROWS/MAP; V: 16 bytes per load.
set(rows_shapes
  1/1/32/1/1/stripes 9/2/32/1/4/stripes 7/8/64/1/2/stripes 8/2/64/V/4/stripes 32/8/96/V/1/stripes
  31/32/64/1/1/stripes 33/32/64/1/2/stripes 127/16/32/1/1/chunks 200/32/64/V/2/stripes
  200/32/64/V/1/chunks 5/64/64/1/3/stripes 65/64/64/1/1/stripes 1000/96/96/V/2/stripes
  1024/128/128/V/1/chunks)
set(rows_sources "")
foreach(step guarded relaxed down butterfly redux)
  set(points "")
  foreach(shape IN LISTS rows_shapes)
    string(REPLACE "V" "4" of_ints "${shape}")
    string(REPLACE "V" "2" of_maps "${shape}")
    list(APPEND points "sum/int/${of_ints}/${step}")
    if(NOT step STREQUAL redux)
      list(APPEND points "composition/unsigned long long/${of_maps}/${step}")
    endif()
  endforeach()
  set(source "${generated}/rows_${step}.cpp")
  family_points("${source}" "${rows_header}" "${rows_kernel}" "rows_${step}_" "${rows_names}" ${points})
  list(APPEND rows_sources "${source}")
endforeach()
family_points("${generated}/rows_odd.cpp" "${rows_header}" "${rows_kernel}" rows_odd_ "${rows_names}"
  sum/float/100/8/64/4/2/stripes/guarded sum/float/100/8/64/4/2/chunks/relaxed
  sum/float/97/32/32/1/1/stripes/down sum/float/1000/64/64/4/1/stripes/butterfly
  sum/double/31/16/32/1/3/stripes/relaxed "sum/long long/30/8/32/2/1/stripes/butterfly"
  "sum/long long/1025/1/32/1/1/stripes/down" sum/int/130/64/64/2/1/stripes/redux
  sum/int/65536/64/64/4/2/stripes/down)
# Rows of any length: with their loads in flight in the place of rows at once.
set(any_names ${rows_names} POINT_ANY)
family_points("${generated}/rows_any.cpp" "${rows_header}" "${rows_kernel}" rows_any_ "${any_names}"
  sum/int/1/32/32/1/2/stripes/down/1 sum/int/33/32/96/4/1/stripes/redux/1
  sum/int/5/64/64/4/2/stripes/guarded/1 sum/int/1000/96/96/4/4/stripes/relaxed/1
  sum/int/1001/32/64/4/2/stripes/butterfly/1 sum/float/100/32/64/1/4/stripes/down/1
  "sum/long long/300/64/64/2/1/stripes/down/1" sum/int/65536/64/64/4/2/stripes/redux/1
  "composition/unsigned long long/70/32/64/1/2/stripes/down/1"
  "composition/unsigned long long/333/128/128/1/1/stripes/guarded/1"
  "composition/unsigned long long/3/64/64/1/4/stripes/relaxed/1")
list(APPEND rows_sources "${generated}/rows_odd.cpp" "${generated}/rows_any.cpp")

simt_executable(test_reduce_rows_simt test_reduce_rows_simt.cpp ${rows_sources})
add_test(NAME kernels.reduce_rows_simt COMMAND test_reduce_rows_simt)

# Faults that the checks must find: NAME, point, the text of the kernel and its replacement. Each copy
# is in a namespace of its own, so that the linker keeps their templates separate.
set(rows_faults "")
function(rows_fault name point from to)
  set(broken "${generated}/faults/rows_${name}.cuh")
  set(source "${generated}/faults/rows_${name}.cpp")
  family_fault("${broken}" "${rows_kernel}" "${from}" "${to}")
  family_points("${source}" "${rows_header}" "${broken}" "rows_${name}_" "${rows_names}" "${point}")
  file(READ "${source}" text)
  file(CONFIGURE OUTPUT "${source}" CONTENT "#define tune tune_${name}\n${text}" @ONLY)
  set(rows_faults ${rows_faults} "${source}" PARENT_SCOPE)
endfunction()
function(any_rows_fault name point from to)
  set(rows_names ${any_names})
  rows_fault(any_${name} "${point}/1" "${from}" "${to}")
  set(rows_faults ${rows_faults} PARENT_SCOPE)
endfunction()

set(warp sum/int/32/32/64/1/1/stripes)
set(parts sum/int/8/8/64/1/1/stripes)
set(map "composition/unsigned long long")
rows_fault(guarded_without_first_sync ${warp}/guarded
  "cell[lane] = value;\n        __syncwarp();\n#pragma unroll\n        for (u32 distance"
  "cell[lane] = value;\n        for (u32 distance")
rows_fault(guarded_without_sync ${warp}/guarded
  "cell[lane] = value;\n            }\n            __syncwarp();" "cell[lane] = value;\n            }")
rows_fault(guarded_without_guard ${warp}/guarded "if (lane < distance)" "if (true)")
rows_fault(pairs_without_first_sync "${map}/32/32/64/1/1/stripes/guarded"
  "cell[lane] = value;\n        __syncwarp();\n#pragma unroll\n        for (u32 pairs"
  "cell[lane] = value;\n        for (u32 pairs")
rows_fault(pairs_written_over "${map}/32/32/64/1/1/stripes/guarded"
  "            __syncwarp();\n            if (lane < pairs)\n                cell[lane]"
  "            if (lane < pairs)\n                cell[lane]")
rows_fault(relaxed_read_too_early ${warp}/relaxed
  "cell[lane] = value;\n            __syncwarp();\n            const A other"
  "cell[lane] = value;\n            const A other")
rows_fault(relaxed_written_too_early ${warp}/relaxed
  "cell[lane + distance_of(step)];\n            __syncwarp();" "cell[lane + distance_of(step)];")
rows_fault(relaxed_without_padding sum/float/100/8/64/4/1/stripes/relaxed
  "BLOCK / LANES * cell_count" "BLOCK / LANES * LANES")
rows_fault(relaxed_swapped "${map}/32/32/64/1/1/stripes/relaxed"
  "__syncwarp();\n            value = F::combine(value, other);"
  "__syncwarp();\n            value = F::combine(other, value);")
rows_fault(far_lanes_first "${map}/32/8/64/1/1/chunks/down" "keeps_order<OP> ? step :" "false ? step :")
rows_fault(butterfly_swapped "${map}/8/8/64/1/1/stripes/butterfly"
  "distance_of(step));\n            value = F::combine(value, other);"
  "distance_of(step));\n            value = F::combine(other, value);")
rows_fault(butterfly_beyond_the_group ${parts}/butterfly
  "keeps_order<OP> ? step : LANES / 2 / step;" "keeps_order<OP> ? step : LANES / step;")
rows_fault(redux_of_the_warp ${parts}/redux
  "first << threadIdx.x % WARP / LANES * LANES" "ALL_LANES")
rows_fault(mask_of_the_first_group ${parts}/redux
  "first << threadIdx.x % WARP / LANES * LANES" "first")
rows_fault(groups_without_row_leave ${parts}/down
  "const u64 first = tile * tile_rows + threadIdx.x / POLICY::lanes;"
  "const u64 first = tile * tile_rows + threadIdx.x / POLICY::lanes;\n            if (first >= all_rows)\n                return;")
rows_fault(dropped_tail sum/int/33/32/64/1/1/stripes/down "at < end" "at + count < end")
rows_fault(load_past_the_row sum/int/33/32/64/1/1/stripes/down "at < end" "true")
rows_fault(part_past_its_end sum/int/1000/96/96/4/1/stripes/down
  "part_end < length ? part_end : length" "length")
rows_fault(rows_past_the_end sum/int/32/32/64/1/2/stripes/down "row < all_rows, load" "true, load")
rows_fault(result_past_the_end sum/int/32/32/64/1/2/stripes/down
  "if (first + (u64)r * groups < all_rows)" "if (true)")
rows_fault(dropped_rows sum/int/32/32/64/1/2/stripes/down
  "(all_rows + tile_rows - 1) / tile_rows" "all_rows / tile_rows")
rows_fault(stride_of_no_tile ${warp}/down "tile += gridDim.x" "tile += gridDim.x + 1")
rows_fault(unaligned_pack sum/int/32/8/64/4/1/stripes/down
  "(u64)in % sizeof(pack<T, (int)R::count>) == 0" "true")
rows_fault(map_of_the_other "${map}/32/8/64/1/1/chunks/down"
  "POLICY::map == rows_map::chunks ? lane" "POLICY::map == rows_map::stripes ? lane")
rows_fault(stripes_out_of_order "${map}/64/32/64/1/1/stripes/down"
  "keeps_order<OP> && POLICY::map == rows_map::stripes && loads > 1" "false")
rows_fault(even_multipliers "${map}/32/8/64/1/1/chunks/down" "element | 1ull << 32" "element")
rows_fault(parts_without_barrier sum/int/256/64/64/4/1/stripes/down
  "of_part[r * parts + warp] = total[r];\n        }\n        __syncthreads();"
  "of_part[r * parts + warp] = total[r];\n        }")
rows_fault(parts_written_over sum/int/256/64/64/4/1/stripes/redux
  "out[first + r] = narrowed<result>(value);\n        }\n        __syncthreads();"
  "out[first + r] = narrowed<result>(value);\n        }")
rows_fault(parts_of_the_first_row sum/int/256/64/64/4/3/stripes/down
  "of_part[r * parts + lane]" "of_part[lane]")
rows_fault(sum_in_order_of_arrival sum/float/100/64/64/4/1/stripes/down
  "of_part[r * parts + warp] = total[r];"
  "{\n                static u32 turn;\n                of_part[r * parts + turn++ % parts] = total[r];\n            }")
rows_fault(index_in_32_bits sum/int/65536/64/64/4/2/stripes/down "in + row * length" "in + (int)(row * length)")

set(any_block sum/int/1001/64/64/4/2/stripes/down)
any_rows_fault(dropped_head ${any_block} "if (lane < head)" "if (false)")
any_rows_fault(dropped_rest ${any_block} "if (lane < rest)" "if (false)")
any_rows_fault(pack_past_the_row ${any_block} "first + i * WARP < packs ?" "true ?")
any_rows_fault(unaligned_pack ${any_block} "% count;\n        const u32 head" "% 1;\n        const u32 head")
any_rows_fault(part_past_its_end ${any_block} "left < part ? left : part);\n    }\n\n    // Of the parts" "left);\n    }\n\n    // Of the parts")
any_rows_fault(parts_without_barrier ${any_block}
  "of_part[threadIdx.x / WARP] = value;\n        __syncthreads();" "of_part[threadIdx.x / WARP] = value;")
any_rows_fault(parts_written_over sum/int/256/64/64/4/1/stripes/redux
  "F::identity());\n        __syncthreads();\n        return value;" "F::identity());\n        return value;")
any_rows_fault(row_in_32_bits sum/int/65536/64/64/4/2/stripes/redux "in + row * (u64)length" "in + (int)(row * length)")
any_rows_fault(loads_out_of_order "${map}/70/32/64/1/2/stripes/down"
  "total = F::combine(total, lanes::reduced(value[i]));" "total = F::combine(lanes::reduced(value[i]), total);")

simt_faults(test_reduce_rows_faults test_reduce_rows_simt.cpp ${rows_faults})
# Folder in which a copy finds its includes.
target_include_directories(test_reduce_rows_faults PRIVATE "${PROJECT_SOURCE_DIR}/kernels/reduce_rows")
add_test(NAME kernels.reduce_rows_faults COMMAND test_reduce_rows_faults --faults)

set(rows_experiment "${PROJECT_SOURCE_DIR}/configs/reduce_rows.yaml")
add_test(NAME kernels.reduce_rows_compiles COMMAND compile_points "${rows_experiment}" 4 ${architectures})
set_tests_properties(kernels.reduce_rows_simt kernels.reduce_rows_faults kernels.reduce_rows_compiles
                     PROPERTIES LABELS kernels TIMEOUT 300 SKIP_RETURN_CODE 77)
add_custom_target(compile_all_reduce_rows
                  COMMAND compile_points "${rows_experiment}" 0 ${architectures} VERBATIM)
add_dependencies(compile_all_points compile_all_reduce_rows)
