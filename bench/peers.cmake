# reduce_peers: tune's calls against the toolkit's own reduction. It needs nvcc and takes a while to
# compile, so it is built only when asked for; it runs wherever there is a driver.
option(TUNE_BENCH_PEERS "Build the benchmark against CUB (needs nvcc)" OFF)
set(TUNE_BENCH_PEERS_ARCHITECTURES "90" CACHE STRING
    "Compute capabilities that reduce_peers is built for")
set(TUNE_BENCH_PEERS_CONFIGURATIONS "" CACHE FILEPATH
    "What 'tune export --configurations' wrote of the tuned.conf to be measured (else the list that \
is installed)")

if(NOT TUNE_BENCH_PEERS)
  return()
endif()
find_program(TUNE_NVCC nvcc HINTS "${TUNE_TOOLKIT_DIR}" ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda
             /opt/cuda PATH_SUFFIXES bin)
find_path(TUNE_CUB_INCLUDE_DIR cub/device/device_reduce.cuh
          HINTS "${TUNE_CUDA_INCLUDE_DIR}" /usr/local/cuda/include PATH_SUFFIXES cccl)
if(NOT TUNE_NVCC OR NOT TUNE_CUB_INCLUDE_DIR)
  message(FATAL_ERROR "TUNE_BENCH_PEERS=ON, but nvcc or CUB's headers were not found: install the "
                      "CUDA toolkit or set CUDA_HOME")
endif()

set(flags -O3 -std=c++17 -Xcompiler -Wall,-Wextra -I "${TUNE_CUB_INCLUDE_DIR}"
          -I "${PROJECT_SOURCE_DIR}" -I "${PROJECT_SOURCE_DIR}/calls"
          -I "${PROJECT_SOURCE_DIR}/runtime")
foreach(architecture IN LISTS TUNE_BENCH_PEERS_ARCHITECTURES)
  list(APPEND flags "-gencode=arch=compute_${architecture},code=sm_${architecture}")
endforeach()
if(TUNE_BENCH_PEERS_CONFIGURATIONS)
  get_filename_component(list "${TUNE_BENCH_PEERS_CONFIGURATIONS}" ABSOLUTE
                         BASE_DIR "${PROJECT_BINARY_DIR}")
  list(APPEND flags "-DTUNE_CONFIGURATIONS=\"${list}\"")
endif()

file(GLOB sources CONFIGURE_DEPENDS peers/*.cu)
list(APPEND sources "${CMAKE_CURRENT_SOURCE_DIR}/reduce_peers.cu")
set(objects "")
foreach(source IN LISTS sources)
  get_filename_component(name "${source}" NAME_WE)
  set(object "${CMAKE_CURRENT_BINARY_DIR}/peers/${name}.o")
  add_custom_command(OUTPUT "${object}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${CMAKE_CURRENT_BINARY_DIR}/peers"
    COMMAND "${TUNE_NVCC}" ${flags} -MD -MF "${object}.d" -c -o "${object}" "${source}"
    DEPENDS "${source}" DEPFILE "${object}.d" COMMENT "Compiling ${name}.cu with nvcc" VERBATIM)
  list(APPEND objects "${object}")
endforeach()
set(program "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/reduce_peers")
add_custom_command(OUTPUT "${program}"
  COMMAND ${CMAKE_COMMAND} -E make_directory "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
  COMMAND "${TUNE_NVCC}" -cudart static -o "${program}" ${objects} $<TARGET_FILE:tuned_static>
  DEPENDS ${objects} tuned_static COMMENT "Linking reduce_peers" VERBATIM)
add_custom_target(reduce_peers ALL DEPENDS "${program}")
