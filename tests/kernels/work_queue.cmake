# kernels/work_queue on the emulation, its points by its experiment.
# Faults that the checks must find: NAME, the defines of a point, the text of the kernel and its replacement.
function(queue_fault name defines from to)
  planted(work_queue "${name}" "${PROJECT_SOURCE_DIR}/kernels/work_queue/work_queue.cu" "${defines}" "${from}" "${to}")
endfunction()

queue_fault(never_reset "BLOCK=64 CHUNK=1 SKEWED=0" "*next = 0;" ";")
queue_fault(reset_by_the_first "BLOCK=64 CHUNK=1 SKEWED=0" "== gridDim.x - 1)" "== 0)")
queue_fault(ticket_never_reset "BLOCK=64 CHUNK=1 SKEWED=0" "atomicInc(ticket, count - 1)" "atomicAdd(ticket, 1u)")
queue_fault(left_too_early "BLOCK=128 CHUNK=1 SKEWED=0" "    __syncthreads();\n    if (threadIdx.x == 0 && take_ticket"
  "    if (threadIdx.x == 0 && take_ticket")
queue_fault(taken_too_early "BLOCK=64 CHUNK=1 SKEWED=0" "        __syncthreads(); // all have read the last one\n" "")
queue_fault(read_too_early "BLOCK=64 CHUNK=1 SKEWED=0" "1ull);\n        __syncthreads();" "1ull);")
queue_fault(taken_by_each_lane "BLOCK=64 CHUNK=1 SKEWED=0" "if (lane == 0)\n            chunk" "chunk")
queue_fault(taken_by_each_thread "BLOCK=64 CHUNK=1 SKEWED=0" "if (threadIdx.x == 0)\n            taken" "taken")
queue_fault(first_chunk_skipped "BLOCK=64 CHUNK=1 SKEWED=0" "size_type chunk = blockIdx.x" "size_type chunk = 1 + blockIdx.x")
queue_fault(others_own_skipped "BLOCK=64 CHUNK=1 SKEWED=0" "chunk = warps + atomicAdd" "chunk = warps + 1 + atomicAdd")
queue_fault(dropped_tail "BLOCK=64 CHUNK=2 SKEWED=0" "((size_type)n + items - 1) / items" "(size_type)n / items")
queue_fault(past_the_end "BLOCK=64 CHUNK=2 SKEWED=0" "smaller((size_type)n, first + items)" "first + items")
queue_fault(part_of_a_thread_dropped "BLOCK=64 CHUNK=1 SKEWED=0" "((size_type)n + threads - 1) / threads"
  "(size_type)n / threads")
queue_fault(part_of_a_block_past_the_end "BLOCK=64 CHUNK=1 SKEWED=0" "blockIdx.x * part;\n    do_items(seeds, out, first + threadIdx.x, smaller((size_type)n, first + part)"
  "blockIdx.x * part;\n    do_items(seeds, out, first + threadIdx.x, (first + part)")
queue_fault(stride_of_a_block "BLOCK=64 CHUNK=1 SKEWED=0" "(size_type)gridDim.x * BLOCK, (size_type)n" "2 * (size_type)gridDim.x * BLOCK, (size_type)n")
queue_fault(a_step_too_few "BLOCK=64 CHUNK=1 SKEWED=0" "step = 0; step < steps" "step = 1; step < steps")
queue_fault(dear_everywhere "BLOCK=64 CHUNK=1 SKEWED=1" "item < n / 4 && " "")
queue_fault(index_in_32_bits "BLOCK=64 CHUNK=1 SKEWED=0" "const size_type first = chunk * items" "const size_type first = (unsigned int)(chunk * items)")

family(work_queue "${PROJECT_SOURCE_DIR}/configs/work_queue.yaml" 4)
