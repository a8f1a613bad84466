# kernels/reduce on the emulation: instances of its templates.
# The checks without instances: compiled once, for the test, its faults, and other tests' instances.
add_library(reduce_checks STATIC test_reduce_simt.cpp reduce_checks.cpp reduce_run.cpp reduce_data.cpp
            reduce_points.cpp $<TARGET_OBJECTS:simt>)
simt_options(reduce_checks)
set_target_properties(reduce_checks PROPERTIES ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")

# A sample for each element type: a source that names the type.
set(reduce_sources reduce_chosen.cpp)
foreach(type i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64)
  set(source "${generated}/reduce_${type}.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT
       "#define ELEMENT ${type}\n#include \"tests/kernels/reduce_sample.h\"\n")
  list(APPEND reduce_sources "${source}")
endforeach()
simt_executable(test_reduce_simt ${reduce_sources})
target_link_libraries(test_reduce_simt PRIVATE reduce_checks)
add_test(NAME kernels.reduce_simt COMMAND test_reduce_simt)
# The longest of all: a limit that slow machines keep to as well.
set_tests_properties(kernels.reduce_simt PROPERTIES LABELS kernels TIMEOUT 900 COST 60)

# Faults that the checks must find: NAME, the broken file of kernels/reduce, a point, the text of the
# file and its replacement. Each is a copy of the folder in a namespace of its own.
file(GLOB reduce_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernels/reduce/*.cuh")
set(reduce_faults "")
function(reduce_fault name file point from to)
  set(folder "${generated}/faults/reduce_${name}")
  family_copy("${folder}" "${file}" "${from}" "${to}" ${reduce_headers})
  file(CONFIGURE OUTPUT "${folder}.cpp" @ONLY CONTENT
       "#define tune tune_${name}\n#define KERNELS \"${folder}/reduce.cuh\"\n#include \"tests/kernels/reduce_point.h\"\nPOINT(\"${name}\", ${point})\n")
  set(reduce_faults ${reduce_faults} "${folder}.cpp" PARENT_SCOPE)
endfunction()

# Faults in a thread's elements.
set(strided "last_block, sum, i32, shuffle, strided, 64, 4, 2, 0")
set(chunk "last_block, sum, i32, shuffle, chunk, 64, 4, 2, 0")
set(queue "flagged, sum, i32, redux, queue, 64, 4, 2, 0")
set(large "last_block, sum, u8, redux, strided, 256, 16, 8, 0")
set(least "one_block, minimum, f32, shuffle, strided, 64, 4, 2, 0")
set(greatest "atomic, maximum, i32, redux, strided, 64, 4, 2, 0")
reduce_fault(dropped_tail thread.cuh "${strided}"
  "threadIdx.x < extent.ends && mine" "threadIdx.x < extent.head && mine")
reduce_fault(dropped_head thread.cuh "${strided}"
  "in[threadIdx.x < extent.head ?" "in[false ?")
reduce_fault(ends_of_every_block thread.cuh "${strided}" "index == blocks - 1);" "true);")
reduce_fault(dropped_tile thread.cuh "${strided}" "if (tile == full_tiles && rest > 0)" "if (false)")
reduce_fault(tile_past_the_end thread.cuh "${strided}" "* POLICY::block < rest" "* POLICY::block <= rest")
reduce_fault(unaligned_pack thread.cuh "${strided}" "(0u - (u32)((u64)in / sizeof(T))) %" "0u %")
reduce_fault(stride_of_one_tile thread.cuh "${strided}"
  "tile < full_tiles; tile += blocks" "tile < full_tiles; tile += 1")
reduce_fault(index_in_32_bits thread.cuh "${large}"
  "mine + (u64)tile * POLICY::tile_packs"
  "mine + (int)(tile * POLICY::tile_packs * POLICY::count) / POLICY::count")
reduce_fault(chunks_that_overlap thread.cuh "${chunk}" "(index < more ? index : more)" "more")
reduce_fault(queue_without_barrier thread.cuh "${queue}"
  "__syncthreads();\n        return next" "return next")
reduce_fault(queue_gives_a_tile_twice thread.cuh "${queue}" "first + atomicAdd" "first - 1 + atomicAdd")
reduce_fault(queue_not_reset finish.cuh "${queue}" "*(u32 *)(state + STATE_QUEUE) = 0;" "(void)state;")
reduce_fault(zeros_for_what_is_not_there thread.cuh "${greatest}" "(T)F::identity()" "(T)0")
reduce_fault(nan_counts operator.cuh "${least}" "if (a != a || b != b)" "if (false)")
reduce_fault(zeros_alike operator.cuh "${least}"
  "a == b ? (bits_as<i32>(a) < 0 ? a : b) : (a < b ? a : b)" "a < b ? a : b")
reduce_fault(signed_as_unsigned operator.cuh "${greatest}" "return bits ^ 0x80000000u;" "return bits;")
reduce_fault(negative_reals_upside_down operator.cuh
  "one_block, minimum, f32, redux, strided, 64, 4, 2, 0"
  "((u32)((i32)bits >> 31) | 0x80000000u)" "0x80000000u")

# Faults in a block's work.
set(tree "one_block, sum, f32, tree, strided, 256, 1, 1, 0")
set(shuffle "two_launches, sum, f32, shuffle, strided, 256, 4, 1, 0")
reduce_fault(tree_without_first_barrier block.cuh "${tree}"
  "of_thread[threadIdx.x] = value;\n    __syncthreads();" "of_thread[threadIdx.x] = value;")
reduce_fault(tree_without_barriers block.cuh "${tree}"
  "of_thread[threadIdx.x + (count + 1) / 2]);\n        __syncthreads();"
  "of_thread[threadIdx.x + (count + 1) / 2]);")
reduce_fault(tree_with_divergent_barrier block.cuh "${tree}"
  "            of_thread[threadIdx.x] =\n                F::combine(of_thread[threadIdx.x], of_thread[threadIdx.x + (count + 1) / 2]);\n        __syncthreads();"
  "            of_thread[threadIdx.x] =\n                F::combine(of_thread[threadIdx.x], of_thread[threadIdx.x + (count + 1) / 2]), __syncthreads();")
reduce_fault(warp_tail_without_syncwarp block.cuh "one_block, sum, f32, warp_tail, strided, 64, 4, 1, 0"
  "F::combine(value, other);\n        __syncwarp();"
  "F::combine(value, other);")
reduce_fault(warps_without_barrier block.cuh "${shuffle}"
  "of_warp[threadIdx.x / WARP] = value;\n    __syncthreads();"
  "of_warp[threadIdx.x / WARP] = value;")
reduce_fault(shuffle_of_some_lanes block.cuh "${shuffle}"
  "if (threadIdx.x < WARP)\n        value = warp" "if (threadIdx.x < WARPS)\n        value = warp")
reduce_fault(gather_without_barrier block.cuh "one_block, sum, f32, gather, strided, 128, 4, 1, 0"
  "value[threadIdx.x % together] = value;\n    __syncthreads();"
  "value[threadIdx.x % together] = value;")

# How blocks finish.
set(last_block "last_block, sum, f32, shuffle, strided, 64, 1, 1, 0")
set(last_block_shared "last_block_shared, sum, i64, tree, strided, 64, 2, 1, 0")
set(flagged "flagged, sum, f32, shuffle, strided, 64, 4, 1, 0")
set(flagged_last "flagged_last, sum, f64, gather, strided, 64, 2, 1, 0")
set(atomic "atomic, sum, i32, redux, strided, 64, 4, 1, 0")
set(atomic_64 "atomic, sum, i64, shuffle, strided, 64, 2, 1, 0")
reduce_fault(ticket_never_reset machine.cuh "${last_block}"
  "atomicInc(ticket, count - 1)" "atomicAdd(ticket, 1u)")
reduce_fault(partial_after_ticket finish.cuh "${last_block}"
  "store_part(at.slots + at.index * slots_of<A>, value);\n        last = take_ticket((u32 *)(at.state + STATE_TICKET), at.parts) == at.parts - 1;"
  "last = take_ticket((u32 *)(at.state + STATE_TICKET), at.parts) == at.parts - 1;\n        store_part(at.slots + at.index * slots_of<A>, value);")
reduce_fault(first_block_is_last finish.cuh "${last_block}" "== at.parts - 1;\n    }" "== 0;\n    }")
reduce_fault(partials_past_the_end finish.cuh "${last_block}"
  "first + i * POLICY::block < parts" "true")
reduce_fault(partials_of_one_round finish.cuh "${last_block}"
  "first < parts; first += loads * POLICY::block" "first < parts; first = parts")
reduce_fault(sum_in_order_of_arrival finish.cuh "${last_block}"
  "store_part(at.slots + at.index * slots_of<A>, value);\n        last ="
  "store_part(at.slots + take_ticket((u32 *)(at.state + STATE_WORDS - 1), at.parts), value);\n        last =")
reduce_fault(last_told_to_one_thread finish.cuh "${last_block}" "last = __syncthreads_or(last);" "")
reduce_fault(last_told_without_barrier finish.cuh "${last_block_shared}"
  "told[0] = last;\n        __syncthreads();" "told[0] = last;")
reduce_fault(flag_not_looked_at machine.cuh "${flagged}"
  "return *(const volatile u64 *)&from->number == number;" "return true;")
reduce_fault(flag_before_its_partial machine.cuh "${flagged_last}"
  "    *(T *)&to->value = value;\n    to->number"
  "    to->number = number;\n    simt::give_way();\n    *(T *)&to->value = value;\n    to->number")
reduce_fault(flag_left machine.cuh "${flagged}" "from->number = 0;" "(void)from;")
reduce_fault(flags_of_few_left finish.cuh "${flagged_last}"
  "        clear_slots<A>(at, threadIdx.x % WARP, WARP);" "        (void)at;")
reduce_fault(flags_of_many_left finish.cuh "${flagged}" "clear_slots<A>(at, first, POLICY::block);" "")
reduce_fault(flags_of_other_lanes_left finish.cuh "${flagged_last}"
  "if (__any_sync(ALL_LANES, mine))" "if (mine)")
reduce_fault(first_flags_left finish.cuh "${flagged}"
  "take_flag_away(at.slots + (first + i * stride)" "take_flag_away(at.slots + (first + stride)")
reduce_fault(any_flag_is_all finish.cuh "${flagged}" "all &= load_flagged_part" "all |= load_flagged_part")
reduce_fault(slots_past_the_end finish.cuh "${flagged}" "if (first + i * stride < at.parts)" "")
reduce_fault(many_slots_not_waited_for finish.cuh "${flagged}"
  "while (!look_at_slots<F>(at, first, POLICY::block, more))\n            ;"
  "look_at_slots<F>(at, first, POLICY::block, more);")
reduce_fault(waits_for_itself finish.cuh "${flagged}" "made.parts--;" "")
reduce_fault(atomic_value_not_reset finish.cuh "${atomic}" "*cell = 0;" "")
reduce_fault(own_sum_forgotten finish.cuh "${atomic}" "value += (A)(before >> 32);" "value = (A)(before >> 32);")
reduce_fault(atomic_that_is_none finish.cuh "${atomic_64}"
  "(void)atomicAdd(cell, value);"
  "const u64 before = *cell;\n            simt::give_way();\n            *cell = before + value;")
reduce_fault(minimum_not_turned_round finish.cuh "atomic, minimum, f32, shuffle, strided, 64, 4, 1, 0"
  "if (same<OP, minimum>::value)\n                key = ~key;" "")

# Clusters, bulk copies, dependent launches.
set(cluster "cluster, sum, i32, redux, strided, 64, 4, 1, 4")
set(bulk "bulk, sum, i32, redux, strided, 64, 4, 1, 3")
reduce_fault(cluster_without_barrier reduce.cuh "${cluster}" "    cluster_barrier();\n" "")
reduce_fault(cluster_not_begun reduce.cuh "${cluster}"
  "    cluster_begun();\n    if (threadIdx.x == 0)\n        store" "    if (threadIdx.x == 0)\n        store")
reduce_fault(cluster_of_one_place reduce.cuh "${cluster}" "of_block + cluster_rank(), value" "of_block, value")
reduce_fault(cluster_past_the_end reduce.cuh "${cluster}" "threadIdx.x < SIZE ? of_block" "true ? of_block")
reduce_fault(bulk_without_wait reduce.cuh "${bulk}" "bulk_wait(full + stage, phase);" "")
reduce_fault(bulk_wrong_phase reduce.cuh "${bulk}" "phase ^= stage == 0;" "phase ^= 1;")
reduce_fault(bulk_stage_overwritten reduce.cuh "${bulk}"
  "__syncthreads(); // all have read the stage" "")
reduce_fault(bulk_barrier_not_ready reduce.cuh "${bulk}"
  "    __syncthreads();\n    const T end" "    const T end")
reduce_fault(bulk_past_the_end reduce.cuh "${bulk}" "packs_of(tile) * 16" "POLICY::tile_packs * 16")
reduce_fault(dependent_without_wait reduce.cuh
  "dependent_launches, sum, f32, shuffle, strided, 64, 4, 1, 0" "    wait_for_launch_before();\n" "")

simt_faults(test_reduce_faults ${reduce_faults})
target_link_libraries(test_reduce_faults PRIVATE reduce_checks)
add_test(NAME kernels.reduce_faults COMMAND test_reduce_faults --faults)
set_tests_properties(kernels.reduce_faults PROPERTIES LABELS kernels TIMEOUT 300)
