# reduce_peers: tune's calls against the toolkit's own reduction. It needs nvcc and takes a while to
# compile, so it is built only when asked for; it runs wherever there is a driver.
option(TUNE_BENCH_PEERS "Build the benchmark against CUB (needs nvcc)" OFF)
set(TUNE_BENCH_PEERS_CONFIGURATIONS "" CACHE FILEPATH
    "What 'tune export --configurations' wrote of the tuned.conf to be measured (else the list that \
is installed)")

if(NOT TUNE_BENCH_PEERS)
  return()
endif()
find_path(TUNE_CUB_INCLUDE_DIR cub/device/device_reduce.cuh
          HINTS "${TUNE_CUDA_INCLUDE_DIR}" /usr/local/cuda/include PATH_SUFFIXES cccl)
if(NOT TUNE_NVCC OR NOT TUNE_CUB_INCLUDE_DIR)
  message(FATAL_ERROR "TUNE_BENCH_PEERS=ON, but nvcc or CUB's headers were not found: install the "
                      "CUDA toolkit or set CUDA_HOME")
endif()
set(options -I "${TUNE_CUB_INCLUDE_DIR}")
if(TUNE_BENCH_PEERS_CONFIGURATIONS)
  get_filename_component(list "${TUNE_BENCH_PEERS_CONFIGURATIONS}" ABSOLUTE
                         BASE_DIR "${PROJECT_BINARY_DIR}")
  list(APPEND options "-DTUNE_CONFIGURATIONS=\"${list}\"")
endif()
file(GLOB sources RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS peers/*.cu)
tune_nvcc_program(reduce_peers FOLDER "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" OPTIONS ${options}
                  SOURCES reduce_peers.cu ${sources})
# The limits of reductions that keep the order.
tune_nvcc_program(ordered_limits FOLDER "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
                  SOURCES ordered_limits.cu peers/timer.cu)
