# kernels/work_queue on the emulation. A point: BLOCK/CHUNK/SKEWED.
set(queue_kernel "${PROJECT_SOURCE_DIR}/kernels/work_queue/work_queue.cu")
set(queue_header "tests/kernels/work_queue_point.h")
set(queue_names BLOCK CHUNK SKEWED)
family_points("${generated}/queue.cpp" "${queue_header}" "${queue_kernel}" queue_ "${queue_names}"
  32/1/0 32/3/0 64/1/1 64/2/2 96/2/0 128/1/0 256/2/1 64/16/0)
simt_executable(test_work_queue_simt test_work_queue_simt.cpp "${generated}/queue.cpp")
add_test(NAME kernels.work_queue_simt COMMAND test_work_queue_simt)

# Faults that the checks must find: NAME, point, the text of the kernel and its replacement.
set(queue_faults "")
function(queue_fault name point from to)
  set(broken "${generated}/faults/queue_${name}.cu")
  family_fault("${broken}" "${queue_kernel}" "${from}" "${to}")
  family_points("${generated}/faults/queue_${name}.cpp" "${queue_header}" "${broken}" "queue_${name}_"
                "${queue_names}" "${point}")
  set(queue_faults ${queue_faults} "${generated}/faults/queue_${name}.cpp" PARENT_SCOPE)
endfunction()

queue_fault(never_reset 64/1/0 "*next = 0;" ";")
queue_fault(reset_by_the_first 64/1/0 "== gridDim.x - 1)" "== 0)")
queue_fault(ticket_never_reset 64/1/0 "atomicInc(ticket, count - 1)" "atomicAdd(ticket, 1u)")
queue_fault(left_too_early 128/1/0 "    __syncthreads();\n    if (threadIdx.x == 0 && take_ticket"
  "    if (threadIdx.x == 0 && take_ticket")
queue_fault(taken_too_early 64/1/0 "        __syncthreads(); // all have read the last one\n" "")
queue_fault(read_too_early 64/1/0 "1ull);\n        __syncthreads();" "1ull);")
queue_fault(taken_by_each_lane 64/1/0 "if (lane == 0)\n            chunk" "chunk")
queue_fault(taken_by_each_thread 64/1/0 "if (threadIdx.x == 0)\n            taken" "taken")
queue_fault(first_chunk_skipped 64/1/0 "size_type chunk = blockIdx.x" "size_type chunk = 1 + blockIdx.x")
queue_fault(others_own_skipped 64/1/0 "chunk = warps + atomicAdd" "chunk = warps + 1 + atomicAdd")
queue_fault(dropped_tail 64/2/0 "((size_type)n + items - 1) / items" "(size_type)n / items")
queue_fault(past_the_end 64/2/0 "smaller((size_type)n, first + items)" "first + items")
queue_fault(part_of_a_thread_dropped 64/1/0 "((size_type)n + threads - 1) / threads"
  "(size_type)n / threads")
queue_fault(part_of_a_block_past_the_end 64/1/0 "blockIdx.x * part;\n    do_items(seeds, out, first + threadIdx.x, smaller((size_type)n, first + part)"
  "blockIdx.x * part;\n    do_items(seeds, out, first + threadIdx.x, (first + part)")
queue_fault(stride_of_a_block 64/1/0 "(size_type)gridDim.x * BLOCK, (size_type)n" "2 * (size_type)gridDim.x * BLOCK, (size_type)n")
queue_fault(a_step_too_few 64/1/0 "step = 0; step < steps" "step = 1; step < steps")
queue_fault(dear_everywhere 64/1/1 "item < n / 4 && " "")
queue_fault(index_in_32_bits 64/1/0 "const size_type first = chunk * items" "const size_type first = (unsigned int)(chunk * items)")

simt_faults(test_work_queue_faults test_work_queue_simt.cpp ${queue_faults})
add_test(NAME kernels.work_queue_faults COMMAND test_work_queue_faults --faults)

set(queue_experiment "${PROJECT_SOURCE_DIR}/configs/work_queue.yaml")
add_test(NAME kernels.work_queue_compiles COMMAND compile_points "${queue_experiment}" 4 ${architectures})
set_tests_properties(kernels.work_queue_simt kernels.work_queue_faults kernels.work_queue_compiles
                     PROPERTIES LABELS kernels TIMEOUT 300 SKIP_RETURN_CODE 77)
add_custom_target(compile_all_work_queue
                  COMMAND compile_points "${queue_experiment}" 0 ${architectures} VERBATIM)
add_dependencies(compile_all_points compile_all_work_queue)
