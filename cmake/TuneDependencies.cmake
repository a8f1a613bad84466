# The libraries: imported targets tune::sqlite, tune::yaml, tune::jansson, tune::lzma, tune::hwloc, tune::xxhash,
# and TUNE_WITH_CUDA with tune::cuda_headers.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

function(tune_dependency name module archive)
  pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${module})
  add_library(tune::${name} INTERFACE IMPORTED GLOBAL)
  if(TUNE_STATIC_LIBRARIES AND archive)
    find_library(${name}_ARCHIVE ${archive} HINTS ${${name}_LIBRARY_DIRS})
  endif()
  if(${name}_ARCHIVE)
    target_include_directories(tune::${name} INTERFACE ${${name}_INCLUDE_DIRS})
    target_link_libraries(tune::${name} INTERFACE ${${name}_ARCHIVE} m ${CMAKE_DL_LIBS}
                          Threads::Threads)
  else()
    target_link_libraries(tune::${name} INTERFACE PkgConfig::${name})
  endif()
endfunction()

tune_dependency(sqlite sqlite3 libsqlite3.a)
tune_dependency(yaml yaml-0.1 libyaml.a)
tune_dependency(jansson jansson libjansson.a)
tune_dependency(lzma liblzma liblzma.a)
tune_dependency(hwloc hwloc "")

# xxhash is used as a header: every function inline.
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(tune::xxhash INTERFACE IMPORTED GLOBAL)
target_include_directories(tune::xxhash INTERFACE ${XXHASH_INCLUDE_DIR})

# libmicrohttpd, which serves the page of `tune run --watch`, is used through dlopen: only its header is needed to build.
set(TUNE_WITH_WATCH OFF)
if(NOT TUNE_WATCH STREQUAL "OFF")
  find_path(TUNE_MICROHTTPD_INCLUDE_DIR microhttpd.h)
  if(TUNE_MICROHTTPD_INCLUDE_DIR)
    set(TUNE_WITH_WATCH ON)
  elseif(TUNE_WATCH STREQUAL "ON")
    message(FATAL_ERROR "TUNE_WATCH=ON, but microhttpd.h was not found: install libmicrohttpd-dev")
  else()
    message(STATUS "microhttpd.h not found: building without 'tune run --watch' (libmicrohttpd-dev has it)")
  endif()
endif()

# CUDA is used through dlopen: only its headers are needed to build.
set(TUNE_WITH_CUDA OFF)
set(TUNE_TOOLKIT_DIR "" CACHE PATH "A CUDA toolkit to use before all others")
if(NOT TUNE_CUDA STREQUAL "OFF")
  find_path(TUNE_CUDA_INCLUDE_DIR cuda.h
            HINTS "${TUNE_TOOLKIT_DIR}" ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda /opt/cuda
            PATH_SUFFIXES include targets/x86_64-linux/include)
  find_path(TUNE_NVRTC_INCLUDE_DIR nvrtc.h
            HINTS "${TUNE_CUDA_INCLUDE_DIR}" "${TUNE_TOOLKIT_DIR}" PATH_SUFFIXES include)
  if(TUNE_CUDA_INCLUDE_DIR AND TUNE_NVRTC_INCLUDE_DIR)
    set(TUNE_WITH_CUDA ON)
    add_library(tune::cuda_headers INTERFACE IMPORTED GLOBAL)
    target_include_directories(tune::cuda_headers SYSTEM INTERFACE ${TUNE_CUDA_INCLUDE_DIR}
                               ${TUNE_NVRTC_INCLUDE_DIR})
    # The toolkit that was chosen is also where the program looks for NVRTC first.
    if(TUNE_TOOLKIT_DIR)
      target_compile_definitions(tune::cuda_headers INTERFACE
                                 TUNE_TOOLKIT_DIR="${TUNE_TOOLKIT_DIR}")
    endif()
    # The CUDA compiler, for the examples; the program itself never needs it.
    find_program(TUNE_NVCC nvcc HINTS "${TUNE_TOOLKIT_DIR}" ENV CUDA_HOME ENV CUDA_PATH
                 /usr/local/cuda /opt/cuda PATH_SUFFIXES bin)
    message(STATUS "CUDA headers: ${TUNE_CUDA_INCLUDE_DIR}; nvcc: ${TUNE_NVCC}")
    # Compiling with nvcc takes minutes: done once, with the installed toolkit.
    if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR TUNE_SANITIZE)
      set(TUNE_NVCC "")
    endif()
  elseif(TUNE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TUNE_CUDA=ON, but cuda.h and nvrtc.h were not found: install the CUDA "
                        "toolkit, set CUDA_HOME, or run ./bootstrap --with-toolkit")
  else()
    message(STATUS "CUDA headers not found: building without CUDA (the CPU is the device). "
                   "./bootstrap --with-toolkit brings what is needed.")
  endif()
endif()

# For `tune --version`.
function(tune_define_of out file name)
  file(STRINGS "${file}" line REGEX "^#define +${name} +[0-9]" LIMIT_COUNT 1)
  string(REGEX REPLACE "^#define +${name} +([0-9]+).*" "\\1" value "${line}")
  set(${out} "${value}" PARENT_SCOPE)
endfunction()
foreach(part MAJOR MINOR RELEASE)
  tune_define_of(xxhash_${part} "${XXHASH_INCLUDE_DIR}/xxhash.h" XXH_VERSION_${part})
endforeach()
set(TUNE_LIBRARIES_TEXT "SQLite ${sqlite_VERSION}, libyaml ${yaml_VERSION}, Jansson ${jansson_VERSION}, liblzma ${lzma_VERSION}, hwloc ${hwloc_VERSION}, xxHash ${xxhash_MAJOR}.${xxhash_MINOR}.${xxhash_RELEASE}")
set(TUNE_OPTIONS_TEXT "without CUDA")
if(TUNE_WITH_CUDA)
  tune_define_of(cuda_version "${TUNE_CUDA_INCLUDE_DIR}/cuda.h" CUDA_VERSION)
  math(EXPR cuda_major "${cuda_version} / 1000")
  math(EXPR cuda_minor "${cuda_version} % 1000 / 10")
  set(TUNE_OPTIONS_TEXT "CUDA ${cuda_major}.${cuda_minor}")
endif()
if(TUNE_FAILPOINTS)
  string(APPEND TUNE_OPTIONS_TEXT ", points of failure for tests")
endif()
if(TUNE_SANITIZE)
  string(APPEND TUNE_OPTIONS_TEXT ", sanitizers (${TUNE_SANITIZE})")
endif()
