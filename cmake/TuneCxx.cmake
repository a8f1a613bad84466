# The program and libtuned are C. Some tests and benchmarks are C++ or CUDA; without a C++ compiler they
# are left out, and TUNE_WITH_CXX is OFF.
include(CheckLanguage)
if(NOT CMAKE_CXX_COMPILER)
  unset(CMAKE_CXX_COMPILER CACHE) # may have been installed since
endif()
check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  set(TUNE_WITH_CXX ON)
else()
  set(TUNE_WITH_CXX OFF)
  set(TUNE_NVCC "") # passes the host's part to a C++ compiler
  message(STATUS "No C++ compiler: left out are the kernels' tests on the emulation, the C++ tests of "
                 "the bindings, what nvcc compiles, and benchmarks against peers (g++ has it)")
endif()
