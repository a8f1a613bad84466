# examples/t1/gemm.cu on the emulation, its points by examples/gemm.yaml.
set(gemm_kernel "${PROJECT_SOURCE_DIR}/examples/t1/gemm.cu")

# Beyond the experiment: blocks of bat-gemm.json, more registers than are brought in ahead, wider accesses, doubles.
also(gemm smallest "${gemm_kernel}"
  "MWG=16 NWG=16 KWG=32 MDIMC=16 NDIMC=16 MDIMA=16 NDIMB=16 KWI=2 VWM=1 VWN=1 STRM=0 STRN=0 SA=0 SB=0 PRECISION=32")
also(gemm many_registers "${gemm_kernel}"
  "MWG=128 NWG=128 KWG=32 MDIMC=8 NDIMC=8 MDIMA=8 NDIMB=8 KWI=8 VWM=1 VWN=1 STRM=0 STRN=0 SA=1 SB=1 PRECISION=32")
also(gemm widest "${gemm_kernel}"
  "MWG=128 NWG=64 KWG=16 MDIMC=8 NDIMC=8 MDIMA=16 NDIMB=8 KWI=8 VWM=8 VWN=8 STRM=1 STRN=0 SA=1 SB=1 PRECISION=32")
also(gemm doubles "${gemm_kernel}"
  "MWG=64 NWG=64 KWG=16 MDIMC=16 NDIMC=16 MDIMA=16 NDIMB=16 KWI=8 VWM=2 VWN=2 STRM=1 STRN=1 SA=1 SB=1 PRECISION=64")
also(gemm doubles_direct "${gemm_kernel}"
  "MWG=64 NWG=32 KWG=16 MDIMC=8 NDIMC=8 MDIMA=8 NDIMB=8 KWI=2 VWM=4 VWN=4 STRM=0 STRN=0 SA=0 SB=1 PRECISION=64")

# Faults that the checks must find: NAME, the defines of a point, the text of the kernel and its replacement.
function(gemm_fault name defines from to)
  planted(gemm "${name}" "${gemm_kernel}" "${defines}" "${from}" "${to}")
endfunction()

set(staged "MWG=32 NWG=64 KWG=16 MDIMC=8 NDIMC=8 MDIMA=16 NDIMB=32 KWI=2 VWM=1 VWN=1 STRM=0 STRN=0 SA=1 SB=1 PRECISION=32")
set(direct "MWG=32 NWG=64 KWG=16 MDIMC=8 NDIMC=8 MDIMA=16 NDIMB=32 KWI=2 VWM=1 VWN=1 STRM=0 STRN=0 SA=0 SB=0 PRECISION=32")
set(wide "MWG=64 NWG=64 KWG=16 MDIMC=8 NDIMC=8 MDIMA=16 NDIMB=16 KWI=2 VWM=4 VWN=4 STRM=1 STRN=1 SA=1 SB=1 PRECISION=32")
gemm_fault(read_too_early "${staged}" "PUT_B();\n        if (SA || SB)\n            __syncthreads();" "PUT_B();")
gemm_fault(overwritten_too_early "${staged}" "x, y);\n        if (SA || SB)\n            __syncthreads();" "x, y);")
gemm_fault(not_the_next_a "${staged}" "FETCH_A(a + step_a)" "FETCH_A(a)")
gemm_fault(not_the_next_b "${staged}" "FETCH_B(b + step_b)" "FETCH_B(b)")
gemm_fault(fetched_past_the_end "${staged}" "AHEAD && done + KWG < kSizeK" "AHEAD")
gemm_fault(a_stands_still "${direct}" "a += step_a" "a += 0")
gemm_fault(b_stands_still "${direct}" "b += step_b" "b += 0")
gemm_fault(rows_of_the_other "${direct}" "(k) * kSizeN)" "(k) * kSizeM)")
gemm_fault(c_by_rows "${direct}" "first_n) * kSizeM + first_m" "first_m) * kSizeN + first_n")
gemm_fault(steps_left_out "${staged}" "k < KWG; k += KWI" "k < KWG - KWI; k += KWI")
gemm_fault(half_unrolled "${staged}" "i < KWI; i++" "i < KWI / 2; i++")
gemm_fault(lanes_mixed "${wide}" "lane[n % VWN]" "lane[0]")
gemm_fault(stride_of_an_element "${wide}" "i * THREADS_C + thread" "i + thread")
gemm_fault(columns_not_strided "${wide}" "side_b::mine(y, n / VWN) * VWN + n % VWN" "y * NWI + n")

# Points with many elements per thread spill.
family(gemm "${PROJECT_SOURCE_DIR}/examples/gemm.yaml" 8 --spills)
