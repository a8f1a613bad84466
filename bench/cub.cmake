# cub_reduce: the toolkit's own reduction, measured as tune measures. It needs nvcc, so it is built
# only when asked for; it runs wherever there is a driver.
option(TUNE_BENCH_CUB "Build the benchmark of CUB's DeviceReduce (needs nvcc)" OFF)
set(TUNE_BENCH_CUB_ARCHITECTURES "90" CACHE STRING "Compute capabilities that cub_reduce is built for")

if(TUNE_BENCH_CUB)
  find_program(TUNE_NVCC nvcc HINTS "${TUNE_TOOLKIT_DIR}" ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda
               /opt/cuda PATH_SUFFIXES bin)
  find_path(TUNE_CUB_INCLUDE_DIR cub/device/device_reduce.cuh
            HINTS "${TUNE_CUDA_INCLUDE_DIR}" /usr/local/cuda/include PATH_SUFFIXES cccl)
  if(NOT TUNE_NVCC OR NOT TUNE_CUB_INCLUDE_DIR)
    message(FATAL_ERROR "TUNE_BENCH_CUB=ON, but nvcc or CUB's headers were not found: install the CUDA "
                        "toolkit or set CUDA_HOME")
  endif()
  set(targets "")
  foreach(architecture IN LISTS TUNE_BENCH_CUB_ARCHITECTURES)
    list(APPEND targets "-gencode=arch=compute_${architecture},code=sm_${architecture}")
  endforeach()
  set(program "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cub_reduce")
  add_custom_command(OUTPUT "${program}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
    COMMAND "${TUNE_NVCC}" -O3 -std=c++17 -cudart static -I "${TUNE_CUB_INCLUDE_DIR}" ${targets}
            -o "${program}" "${CMAKE_CURRENT_SOURCE_DIR}/cub_reduce.cu"
    DEPENDS cub_reduce.cu COMMENT "Compiling cub_reduce with nvcc" VERBATIM)
  add_custom_target(cub_reduce ALL DEPENDS "${program}")
endif()
