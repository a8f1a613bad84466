# examples/t1/gemm.cu on the emulation.
# A point: MWG/NWG/KWG/MDIMC/NDIMC/MDIMA/NDIMB/KWI/VWM/VWN/STRM/STRN/SA/SB/PRECISION.
set(gemm_kernel "${PROJECT_SOURCE_DIR}/examples/t1/gemm.cu")
set(gemm_header "tests/kernels/gemm_point.h")
set(gemm_names MWG NWG KWG MDIMC NDIMC MDIMA NDIMB KWI VWM VWN STRM STRN SA SB PRECISION)

# Points of bat-gemm.json: each value of each parameter, with A and B in shared memory or not.
set(points
  16/16/32/16/16/16/16/2/1/1/0/0/0/0/32 16/16/16/8/8/8/16/8/1/1/0/0/1/1/32
  32/16/32/8/8/32/8/2/1/1/0/0/1/0/32 16/32/16/16/8/16/32/2/1/1/0/0/0/1/32
  64/64/16/16/16/16/16/8/1/1/0/0/1/1/32 64/32/32/32/32/32/32/2/1/1/0/0/1/1/32
  128/128/16/16/16/32/32/8/1/1/0/0/1/1/32 128/128/32/8/8/8/8/8/1/1/0/0/1/1/32
  128/16/32/16/8/8/16/2/1/1/0/0/1/0/32 32/128/32/8/32/32/16/8/1/1/0/0/0/1/32
  128/64/16/32/8/32/16/8/1/1/0/0/0/0/32 64/128/32/16/16/8/32/2/1/1/0/0/1/1/32)
# Wider accesses, strided ones, doubles.
list(APPEND points
  64/64/32/8/8/8/8/2/4/4/0/0/1/1/32 64/64/32/16/8/16/16/2/2/4/1/0/1/0/32
  32/64/16/8/16/8/8/2/4/2/0/1/0/1/32 128/128/16/16/16/32/32/8/4/4/1/1/1/1/32
  128/64/16/8/8/16/8/8/8/8/1/0/1/1/32 64/64/16/16/16/32/32/2/1/1/1/1/0/0/32
  64/64/16/16/16/16/16/8/2/2/1/1/1/1/64 64/32/16/8/8/8/8/2/4/4/0/0/0/1/64)
set(number 0)
set(gemm_sources "")
foreach(point IN LISTS points) # four files: compiled side by side
  math(EXPR file "${number} % 4")
  list(APPEND points_${file} "${point}")
  math(EXPR number "${number} + 1")
endforeach()
foreach(file RANGE 3)
  family_points("${generated}/gemm_${file}.cpp" "${gemm_header}" "${gemm_kernel}" "gemm_${file}_"
                "${gemm_names}" ${points_${file}})
  list(APPEND gemm_sources "${generated}/gemm_${file}.cpp")
endforeach()
simt_executable(test_gemm_simt test_gemm_simt.cpp ${gemm_sources})
add_test(NAME kernels.gemm_simt COMMAND test_gemm_simt)

# Faults that the checks must find: NAME, point, the text of the kernel and its replacement.
set(gemm_faults "")
function(gemm_fault name point from to)
  set(broken "${generated}/faults/gemm_${name}.cu")
  family_fault("${broken}" "${gemm_kernel}" "${from}" "${to}")
  family_points("${generated}/faults/gemm_${name}.cpp" "${gemm_header}" "${broken}" "gemm_${name}_"
                "${gemm_names}" "${point}")
  set(gemm_faults ${gemm_faults} "${generated}/faults/gemm_${name}.cpp" PARENT_SCOPE)
endfunction()

set(staged 32/64/16/8/8/16/32/2/1/1/0/0/1/1/32)
set(direct 32/64/16/8/8/16/32/2/1/1/0/0/0/0/32)
set(wide 64/64/16/8/8/16/16/2/4/4/1/1/1/1/32)
gemm_fault(read_too_early ${staged} "PUT_B();\n        if (SA || SB)\n            __syncthreads();" "PUT_B();")
gemm_fault(overwritten_too_early ${staged} "x, y);\n        if (SA || SB)\n            __syncthreads();" "x, y);")
gemm_fault(not_the_next_a ${staged} "FETCH_A(a + step_a)" "FETCH_A(a)")
gemm_fault(not_the_next_b ${staged} "FETCH_B(b + step_b)" "FETCH_B(b)")
gemm_fault(fetched_past_the_end ${staged} "AHEAD && done + KWG < kSizeK" "AHEAD")
gemm_fault(a_stands_still ${direct} "a += step_a" "a += 0")
gemm_fault(b_stands_still ${direct} "b += step_b" "b += 0")
gemm_fault(rows_of_the_other ${direct} "(k) * kSizeN)" "(k) * kSizeM)")
gemm_fault(c_by_rows ${direct} "first_n) * kSizeM + first_m" "first_m) * kSizeN + first_n")
gemm_fault(steps_left_out ${staged} "k < KWG; k += KWI" "k < KWG - KWI; k += KWI")
gemm_fault(half_unrolled ${staged} "i < KWI; i++" "i < KWI / 2; i++")
gemm_fault(lanes_mixed ${wide} "lane[n % VWN]" "lane[0]")
gemm_fault(stride_of_an_element ${wide} "i * THREADS_C + thread" "i + thread")
gemm_fault(columns_not_strided ${wide} "side_b::mine(y, n / VWN) * VWN + n % VWN" "y * NWI + n")

simt_faults(test_gemm_faults test_gemm_simt.cpp ${gemm_faults})
add_test(NAME kernels.gemm_faults COMMAND test_gemm_faults --faults)

# The example's own file compiles; points with many elements per thread spill.
set(gemm_experiment "${PROJECT_SOURCE_DIR}/examples/gemm.yaml")
add_test(NAME kernels.gemm_compiles
         COMMAND compile_points --spills "${gemm_experiment}" 8 ${architectures})
set_tests_properties(kernels.gemm_simt kernels.gemm_faults kernels.gemm_compiles
                     PROPERTIES LABELS kernels TIMEOUT 300 SKIP_RETURN_CODE 77)
