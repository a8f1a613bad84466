# kernels/reduce/any.cuh and segments.cuh on the emulation.
simt_executable(test_reduce_any_simt test_reduce_any_simt.cpp reduce_any_all.cpp)
add_test(NAME kernels.reduce_any_simt COMMAND test_reduce_any_simt)

# Faults as in reduce.cmake: NAME, the broken file, a point, the text and its replacement.
set(reduce_any_faults "")
function(reduce_any_fault name file point from to)
  set(folder "${generated}/faults/reduce_any_${name}")
  family_copy("${folder}" "${file}" "${from}" "${to}" ${reduce_headers})
  file(CONFIGURE OUTPUT "${folder}.cpp" @ONLY CONTENT
       "#define tune tune_any_${name}\n#define KERNELS \"${folder}/segments.cuh\"\n#define POINT_NAME \"${name}\"\n#include \"tests/kernels/reduce_any_point.h\"\ntypedef place<false, float> least;\n${point}\n")
  set(reduce_any_faults ${reduce_any_faults} "${folder}.cpp" PARENT_SCOPE)
endfunction()

set(ranges "POINT(ranges, flagged, shuffle, strided)")
set(squares "POINT(squares, last_block, shuffle, strided)")
set(least "POINT(least, flagged_last, shuffle, strided)")
reduce_any_fault(nothing_counts any.cuh "${ranges}" "if (!b.is_there())" "if (false)")
reduce_any_fault(never_there any.cuh "${ranges}" "made.word[of_value] = 1;" "")
reduce_any_fault(flag_of_one_half finish.cuh "${ranges}" "there &= load_flagged" "there = load_flagged")
reduce_any_fault(flag_of_one_half_left finish.cuh "${ranges}"
  "take_flag_away(at.slots + (first + i * stride) * slots_of<A> + of)"
  "take_flag_away(at.slots + (first + i * stride) * slots_of<A>)")
reduce_any_fault(slots_that_overlap finish.cuh "${ranges}"
  "at.slots + at.index * slots_of<A>" "at.slots + at.index")
reduce_any_fault(one_word_above any.cuh "${ranges}"
  "word = __shfl_down_sync" "if (&word == value.word)\n            word = __shfl_down_sync")
reduce_any_fault(init_forgotten any.cuh "${squares}" "HOW::combine(init, all.value())" "all.value()")
reduce_any_fault(init_of_nothing any.cuh "POINT(flags, one_block, shuffle, strided)"
  "*to = stored_as<R>(init);\n            return;" "return;")
reduce_any_fault(dropped_ends any.cuh "${squares}"
  "thread < this->extent.ends && is_mine" "thread < this->extent.head && is_mine")
reduce_any_fault(ends_of_every_block any.cuh "${squares}"
  "thread < this->extent.ends && is_mine" "thread < this->extent.ends")
reduce_any_fault(tile_past_the_end any.cuh "${squares}"
  "if (thread + i * POLICY::block < rest)\n                value" "value")
reduce_any_fault(last_of_equals any.cuh "${least}" "b.index < a.index" "a.index < b.index")
reduce_any_fault(nan_has_a_place any.cuh "${least}" "if (value == value)" "if (true)")
reduce_any_fault(place_from_the_pack any.cuh "${least}" "this->extent.head + (at + load" "(at + load")
reduce_any_fault(last_element_for_the_end any.cuh "POINT(wide, last_block, shuffle, strided)" "thread : n - this->extent.ends + thread;" "thread : n - 1;")
reduce_any_fault(long_segment_by_a_warp segments.cuh "SEGMENTS(wide, gather)"
  "if (is_mine && length <= short_most)" "if (is_mine && length <= short_most / 2)")
reduce_any_fault(long_segments_left segments.cuh "SEGMENTS(wide, gather)"
  "__syncthreads_or(length > short_most)" "__syncthreads_or(false)")
reduce_any_fault(segment_without_barrier segments.cuh "SEGMENTS(squares, gather)"
  "__syncthreads(); // all have read what the next one writes over" "")
reduce_any_fault(empty_segment_goes_on segments.cuh "SEGMENTS(wide, gather)"
  "length > 0 ? (u64)length : 0" "(u64)length & 15")
reduce_any_fault(place_in_all_segments any.cuh "SEGMENTS(least, gather)"
  "at((const bits *)(from + first))" "at((const bits *)from)")

simt_faults(test_reduce_any_faults test_reduce_any_simt.cpp ${reduce_any_faults})
add_test(NAME kernels.reduce_any_faults COMMAND test_reduce_any_faults --faults)
set_tests_properties(kernels.reduce_any_simt kernels.reduce_any_faults PROPERTIES LABELS kernels TIMEOUT 300)
