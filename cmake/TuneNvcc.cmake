# Programs compiled by nvcc, without CMake's CUDA language: programs for a GPU are built only with a
# toolkit, and the rest of the project does not depend on it.
set(TUNE_NVCC_ARCHITECTURES "90" CACHE STRING "Compute capabilities that examples and tests are built for")

# Hardly an optimisation: of the host's code, and, by newer compilers, of the device's.
set(TUNE_NVCC_FAST -O0)
if(TUNE_NVCC)
  execute_process(COMMAND "${TUNE_NVCC}" --help OUTPUT_VARIABLE help ERROR_QUIET)
  if(help MATCHES "-Ofast-compile")
    list(APPEND TUNE_NVCC_FAST --Ofast-compile=max)
  endif()
endif()

# tune_nvcc_program(TARGET FOLDER folder SOURCES source... [OPTIONS option...]): links libtuned and the
# CUDA runtime, both statically, so that the program needs only a driver. A source written as
# FILE@NAME=VALUE is compiled with that define, and may be listed several times. The target to build is
# build_TARGET. CUDART none: one of the sources replaces the runtime.
# NOT_RUN: compiled as fast as nvcc can, and to PTX alone, since no GPU runs its kernels.
function(tune_nvcc_program target)
  cmake_parse_arguments(NVCC "NOT_RUN" "FOLDER;CUDART" "SOURCES;OPTIONS" ${ARGN})
  if(NOT NVCC_CUDART)
    set(NVCC_CUDART static)
  endif()
  set(architectures "")
  set(code sm)
  set(effort -O2)
  if(NVCC_NOT_RUN)
    set(code compute)
    set(effort ${TUNE_NVCC_FAST})
  endif()
  foreach(architecture IN LISTS TUNE_NVCC_ARCHITECTURES)
    list(APPEND architectures "-gencode=arch=compute_${architecture},code=${code}_${architecture}")
  endforeach()
  set(command "${TUNE_NVCC}" ${effort} -std=c++17 -Xcompiler=-Wall,-Wextra ${architectures}
              -I "${PROJECT_SOURCE_DIR}/include" -I "${PROJECT_SOURCE_DIR}"
              -I "${PROJECT_SOURCE_DIR}/libtuned" ${NVCC_OPTIONS})
  set(objects "")
  foreach(source IN LISTS NVCC_SOURCES)
    string(REPLACE "@" ";" parts "${source}")
    list(GET parts 0 file)
    set(define "")
    set(suffix "")
    if(source MATCHES "@")
      list(GET parts 1 define)
      string(MAKE_C_IDENTIFIER "-${define}" suffix)
      set(define "-D${define}")
    endif()
    get_filename_component(name "${file}" NAME_WE)
    set(object "${CMAKE_CURRENT_BINARY_DIR}/${target}.dir/${name}${suffix}.o")
    add_custom_command(OUTPUT "${object}"
      COMMAND ${CMAKE_COMMAND} -E make_directory "${CMAKE_CURRENT_BINARY_DIR}/${target}.dir"
      COMMAND ${command} ${define} -MD -MF "${object}.d" -c "${CMAKE_CURRENT_SOURCE_DIR}/${file}"
              -o "${object}"
      DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${file}" DEPFILE "${object}.d"
      COMMENT "Compiling ${name}${suffix} of ${target} with nvcc" VERBATIM)
    list(APPEND objects "${object}")
  endforeach()
  set(program "${NVCC_FOLDER}/${target}")
  add_custom_command(OUTPUT "${program}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${NVCC_FOLDER}"
    COMMAND "${TUNE_NVCC}" ${architectures} -cudart ${NVCC_CUDART} ${objects} "$<TARGET_FILE:tuned_static>"
            -o "${program}"
    DEPENDS ${objects} tuned_static COMMENT "Linking ${target}" VERBATIM)
  add_custom_target(build_${target} ALL DEPENDS "${program}")
endfunction()
