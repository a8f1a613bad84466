# kernels/reduce_ordered on the emulation.
simt_executable(test_reduce_ordered_simt test_reduce_ordered_simt.cpp reduce_ordered_sample.cpp)
add_test(NAME kernels.reduce_ordered_simt COMMAND test_reduce_ordered_simt)

# Faults that the checks must find: NAME, the broken file under kernels/, a point, the text of the
# file and its replacement. Each has copies of all files, in a namespace of its own.
set(ordered_files reduce/machine.cuh reduce/policy.cuh reduce_ordered/operator.cuh
    reduce_ordered/tile.cuh reduce_ordered/reduce_ordered.cuh)
set(ordered_faults "")
function(ordered_fault name file point from to)
  set(folder "${generated}/faults/ordered_${name}")
  foreach(each IN LISTS ordered_files)
    if(each STREQUAL file)
      family_fault("${folder}/${each}" "${PROJECT_SOURCE_DIR}/kernels/${each}" "${from}" "${to}")
    else()
      configure_file("${PROJECT_SOURCE_DIR}/kernels/${each}" "${folder}/${each}" COPYONLY)
    endif()
  endforeach()
  set(text "// Written by tests/kernels/reduce_ordered.cmake.\n#define tune tune_${name}\n")
  string(APPEND text "#define KERNELS \"${folder}/reduce_ordered/reduce_ordered.cuh\"\n"
    "#define FAULT \"${name}\"\n#include \"tests/kernels/reduce_ordered_point.h\"\n"
    "static const bool known = ${point};\n")
  file(CONFIGURE OUTPUT "${folder}.cpp" CONTENT "${text}" @ONLY)
  set(ordered_faults ${ordered_faults} "${folder}.cpp" PARENT_SCOPE)
endfunction()

set(operator reduce_ordered/operator.cuh)
set(tile reduce_ordered/tile.cuh)
set(grid reduce_ordered/reduce_ordered.cuh)
set(stripes "ORDERED_ONE_BLOCK(affine_u32, 32, 1, 2, stripes)")
set(transposed "ORDERED_ONE_BLOCK(matrix_u32, 64, 1, 4, transposed)")
set(rounds "ORDERED_ONE_BLOCK(affine_u32, 64, 1, 1, rounds)")
set(chunks "ORDERED_ONE_BLOCK(affine_u32, 64, 2, 4, chunks)")
set(pairs "ORDERED_ONE_BLOCK(affine_u32, 96, 1, 2, pairs)")
set(flagged "ORDERED_GRID(matrix_u32, 64, 1, 2, stripes, flagged)")
set(flagged_last "ORDERED_GRID(matrix_u32, 64, 1, 2, stripes, flagged_last)")
set(last_block "ORDERED_GRID(affine_u32, 64, 2, 1, stripes, last_block)")

ordered_fault(factor_of_the_left ${operator} "${stripes}"
  "left.factor * right.offset + left.offset" "right.factor * left.offset + right.offset")
ordered_fault(identity_that_moves ${operator} "${stripes}" "return {1, 0};" "return {1, 1};")
ordered_fault(transposed_matrices ${operator} "${flagged}"
  "a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3]" "a[0] * b[0] + a[1] * b[1], a[0] * b[2] + a[1] * b[3]")
ordered_fault(neighbours_swapped ${operator} "ORDERED_ONE_BLOCK(matrix_f32, 64, 1, 2, chunks)"
  "OP::combine(in_order<OP, (COUNT + 1) / 2>(element),\n                           in_order<OP, COUNT / 2>(element + (COUNT + 1) / 2))"
  "OP::combine(in_order<OP, COUNT / 2>(element + (COUNT + 1) / 2),\n                           in_order<OP, (COUNT + 1) / 2>(element))")
ordered_fault(shuffle_swapped ${operator} "${stripes}"
  "OP::combine(element, element_below(element, distance))"
  "OP::combine(element_below(element, distance), element)")
ordered_fault(shuffle_swapped_of_reals ${operator} "ORDERED_ONE_BLOCK(matrix_f32, 32, 1, 2, stripes)"
  "OP::combine(element, element_below(element, distance))"
  "OP::combine(element_below(element, distance), element)")
ordered_fault(far_lanes_first ${operator} "${stripes}"
  "int distance = FROM; distance < LANES; distance *= 2"
  "int distance = LANES / 2; distance >= FROM; distance /= 2")
ordered_fault(half_an_element ${operator} "${flagged}"
  "word = __shfl_down_sync(ALL_LANES, word, distance)"
  "word = &word - bits.word < 3 ? __shfl_down_sync(ALL_LANES, word, distance) : word")
ordered_fault(rounds_without_barrier ${grid} "${rounds}"
  "of_tile[i] = of_this;\n        }\n        __syncthreads();" "of_tile[i] = of_this;\n        }")
ordered_fault(one_round_only ${grid} "${rounds}" "begin += POLICY::block" "begin += share.count")
ordered_fault(tile_loaded_twice ${grid} "${rounds}" "next = load(i + POLICY::warps)" "next = load(i)")
ordered_fault(round_of_old_tiles ${grid} "${rounds}"
  "threadIdx.x < tiles ? of_tile[threadIdx.x]" "true ? of_tile[threadIdx.x]")
ordered_fault(rows_swapped ${operator} "${transposed}"
  "OP::combine(left.element, right.element)" "OP::combine(right.element, left.element)")
ordered_fault(rows_sent_to_the_wrong_lane ${operator} "${transposed}"
  "odd ? first.word[i] : second.word[i]" "odd ? second.word[i] : first.word[i]")
ordered_fault(rows_at_one_distance ${operator} "${transposed}" "2 * DISTANCE>(merged)" "DISTANCE>(merged)")
ordered_fault(rows_before_their_parts ${operator} "${transposed}"
  "lanes_in_order<OP, DISTANCE>(row[0]);\n        return lanes_in_order<OP, 1, DISTANCE>(whole)"
  "lanes_in_order<OP, 1, DISTANCE>(row[0]);\n        return lanes_in_order<OP, DISTANCE>(whole)")

ordered_fault(pairs_without_first_barrier ${tile} "${pairs}"
  "cell[threadIdx.x] = element;\n    __syncthreads();\n#pragma" "cell[threadIdx.x] = element;\n#pragma")
ordered_fault(pairs_written_over ${tile} "${pairs}"
  "        __syncthreads(); // all have read what is written over\n" "")
ordered_fault(pairs_read_too_early ${tile} "${pairs}"
  "            cell[threadIdx.x] = element;\n        __syncthreads();"
  "            cell[threadIdx.x] = element;")
ordered_fault(pairs_swapped ${tile} "${pairs}"
  "OP::combine(cell[pair], cell[pair + 1])" "OP::combine(cell[pair + 1], cell[pair])")
ordered_fault(pairs_of_halves ${tile} "ORDERED_ONE_BLOCK(matrix_u32, 64, 1, 1, pairs)"
  "OP::combine(cell[pair], cell[pair + 1])" "OP::combine(cell[pair / 2], cell[(pair + count) / 2])")
ordered_fault(pairs_without_the_odd_one ${tile} "${pairs}"
  "        else if (pair < count)\n            element = cell[pair];\n" "")
ordered_fault(chunks_read_too_early ${tile} "${chunks}"
  "        __syncwarp();\n#pragma unroll\n        for (int i = 0; i < loads; i++)\n            mine[i]"
  "#pragma unroll\n        for (int i = 0; i < loads; i++)\n            mine[i]")
ordered_fault(chunks_of_the_first_warp ${tile} "${chunks}"
  "cell + threadIdx.x / WARP * POLICY::tile_packs" "cell")
ordered_fault(chunks_not_exchanged ${tile} "${chunks}" "slot(lane * loads + i)" "slot(i * WARP + lane)")
ordered_fault(chunks_bounded_as_rows ${tile} "ORDERED_PLAIN(64, 2, 4, chunks, flagged)" "first = lane_of_warp() * loads" "first = place(0)")
ordered_fault(runs_loaded_as_rows ${tile} "ORDERED_ONE_BLOCK(matrix_u32, 32, 1, 2, runs)"
  "lane * loads + i : i" "i * POLICY::lanes + lane : i")
ordered_fault(dropped_last_pack ${tile} "${stripes}"
  "FULL || first + i * apart < rest" "FULL || first + i * apart + 1 < rest")
ordered_fault(load_past_the_end ${tile} "${stripes}" "FULL || place(i) < rest" "true")
ordered_fault(pack_turned_round ${tile} "${last_block}" "value[k] = OP" "value[POLICY::count - 1 - k] = OP")

ordered_fault(head_dropped ${grid} "${last_block}" "for (u32 i = 0; i < head; i++)" "for (u32 i = 1; i < head; i++)")
ordered_fault(head_last ${grid} "${last_block}" "index == 0)" "index == (u64)blocks * takers - 1)")
ordered_fault(end_first ${grid} "${last_block}" "index == (u64)blocks * takers - 1)" "index == 0)")
ordered_fault(end_dropped ${grid} "${last_block}" "packs * POLICY::count; i < n; i++" "packs * POLICY::count; i + 1 < n; i++")
ordered_fault(unaligned_pack ${grid} "${last_block}" "(0u - (u32)((u64)in / sizeof(E))) % POLICY::count" "0")
ordered_fault(tile_dropped ${grid} "${stripes}" "(packs + POLICY::tile_packs - 1) / POLICY::tile_packs" "packs / POLICY::tile_packs")
ordered_fault(share_one_short ${grid} "${last_block}" "each + (i < more ? 1u : 0u)" "each")
ordered_fault(shares_overlap ${grid} "${last_block}" "i * each + (i < more ? i : more)" "i * each")
ordered_fault(shares_dealt_out ${grid} "${flagged}"
  "blockIdx.x * takers + (in_rounds ? 0 : threadIdx.x / POLICY::lanes)"
  "blockIdx.x + (in_rounds ? 0 : threadIdx.x / POLICY::lanes * gridDim.x)")
ordered_fault(index_in_32_bits ${grid} "ORDERED_GRID(affine_u32, 64, 2, 64, runs, flagged)"
  "(in + head) + (u64)share.first * POLICY::tile_packs"
  "(in + head) + share.first * POLICY::tile_packs * 16u / 16u")
ordered_fault(warps_without_barrier ${grid} "${last_block}"
  "of_warp[threadIdx.x / WARP] = element;\n        __syncthreads();"
  "of_warp[threadIdx.x / WARP] = element;")
ordered_fault(warp_dropped ${grid} "${last_block}" "threadIdx.x < warps ?" "threadIdx.x + 1 < warps ?")
ordered_fault(partials_swapped ${grid} "${flagged_last}"
  "operation::combine(total, own)" "operation::combine(own, total)")
ordered_fault(partials_turned_round ${grid} "${last_block}"
  "first = threadIdx.x * each" "first = ((few ? WARP : BLOCK) - 1 - threadIdx.x) * each")
ordered_fault(partials_of_one_round ${grid} "ORDERED_GRID(matrix_u32, 32, 1, 2, stripes, last_block)" "at < behind; at += loads" "at < behind; at = behind")
ordered_fault(partials_in_order_of_arrival ${grid} "${last_block}"
  "store_partial(slots, blockIdx.x, total)"
  "store_partial(slots, atomicAdd((u32 *)(state + 7), 1u) % gridDim.x, total)")
ordered_fault(flag_of_one_half ${grid} "${flagged}"
  "there &= load_flagged" "there = load_flagged")
ordered_fault(flags_left ${grid} "${flagged}" "take_flag_away(slots + at * slots_of_element<E> + i);" ";")
ordered_fault(wait_for_all_but_one ${grid} "${flagged}" "others = gridDim.x - 1;\n" "others = gridDim.x - 2;\n")
ordered_fault(partial_after_ticket ${grid} "${last_block}"
  "            store_partial(slots, blockIdx.x, total);\n        if constexpr (launches)\n            return;\n        const bool last =\n            threadIdx.x == 0 && take_ticket((u32 *)(state + STATE_TICKET), workers) == workers - 1;"
  "            number = take_ticket((u32 *)(state + STATE_TICKET), workers);\n        for (int late = 0; late < 20; late++)\n            __threadfence();\n        if (threadIdx.x == 0)\n            store_partial(slots, blockIdx.x, total);\n        const bool last = threadIdx.x == 0 && number == workers - 1;")
ordered_fault(guard_read_by_one_thread ${grid} "${last_block}" "!__syncthreads_or(last)" "!last")
ordered_fault(first_block_is_last ${grid} "${last_block}" "== workers - 1;" "== 0;")
ordered_fault(ticket_never_reset reduce/machine.cuh "${last_block}" "atomicInc(ticket, count - 1)" "atomicAdd(ticket, 1u)")
ordered_fault(second_launch_too_early ${grid} "ORDERED_GRID(affine_u32, 64, 2, 1, stripes, dependent_launches)"
  "    wait_for_launch_before();\n" "")
ordered_fault(looked_at_once ${grid} "${flagged}" "while (!all)" "while (false)")
ordered_fault(second_launch_of_one_less ${grid} "ORDERED_GRID(affine_u32, 64, 2, 1, stripes, two_launches)"
  "(slots, (u32)n, 0)" "(slots, (u32)n - 1, 0)")

simt_faults(test_reduce_ordered_faults test_reduce_ordered_simt.cpp ${ordered_faults})
add_test(NAME kernels.reduce_ordered_faults COMMAND test_reduce_ordered_faults --faults)

set(ordered_experiment "${PROJECT_SOURCE_DIR}/configs/reduce_ordered.yaml")
add_test(NAME kernels.reduce_ordered_compiles COMMAND compile_points "${ordered_experiment}" 6 ${architectures})
add_test(NAME kernels.reduce_ordered_cpu
         COMMAND bash "${PROJECT_SOURCE_DIR}/tests/cli/run" "${CMAKE_CURRENT_SOURCE_DIR}/reduce_ordered_cpu.sh")
set_tests_properties(kernels.reduce_ordered_simt kernels.reduce_ordered_faults PROPERTIES COST 30)
set_tests_properties(kernels.reduce_ordered_simt kernels.reduce_ordered_faults kernels.reduce_ordered_compiles
                     PROPERTIES LABELS kernels TIMEOUT 300 SKIP_RETURN_CODE 77)
set_tests_properties(kernels.reduce_ordered_cpu PROPERTIES LABELS kernels TIMEOUT 300 SKIP_RETURN_CODE 77
  ENVIRONMENT "TUNE=$<TARGET_FILE:tune>;TUNE_SOURCE=${PROJECT_SOURCE_DIR};TUNE_BUILD=${PROJECT_BINARY_DIR};CC=${CMAKE_C_COMPILER}")
add_custom_target(compile_all_reduce_ordered
                  COMMAND compile_points "${ordered_experiment}" 0 ${architectures} VERBATIM)
add_dependencies(compile_all_points compile_all_reduce_ordered)
