# Writes the files that compile points of the reduce family for the emulation.

# reduce_points(OUT SOURCE PREFIX POINT...): a POINT is ELEMENT/BLOCK/VECTOR/LOADS/SHUFFLE.
function(reduce_points out source prefix)
  set(text "// Written by tests/kernels/points.cmake.\n#define SOURCE \"${source}\"\n")
  set(number 0)
  foreach(point IN LISTS ARGN)
    string(REPLACE "/" ";" fields "${point}")
    list(GET fields 0 element)
    list(GET fields 1 block)
    list(GET fields 2 vector)
    list(GET fields 3 loads)
    list(GET fields 4 shuffle)
    string(APPEND text "
#define POINT ${prefix}${number}
#define ELEMENT ${element}
#define BLOCK ${block}
#define VECTOR ${vector}
#define LOADS ${loads}
#define SHUFFLE ${shuffle}
#include \"tests/kernels/reduce_point.h\"
#undef POINT
#undef ELEMENT
#undef BLOCK
#undef VECTOR
#undef LOADS
#undef SHUFFLE
")
    math(EXPR number "${number} + 1")
  endforeach()
  file(CONFIGURE OUTPUT "${out}" CONTENT "${text}" @ONLY)
endfunction()

# reduce_fault(OUT FROM TO): a copy of reduce.cu with a fault planted, FROM replaced by TO. The file
# that it is made of is watched, so that the copy follows it.
function(reduce_fault out from to)
  set(kernel "${PROJECT_SOURCE_DIR}/kernels/reduce/reduce.cu")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${kernel}")
  file(READ "${kernel}" text)
  string(REPLACE "${from}" "${to}" broken "${text}")
  if(broken STREQUAL text)
    message(FATAL_ERROR "tests/kernels: nothing to break in reduce.cu, which has no more:\n${from}")
  endif()
  file(CONFIGURE OUTPUT "${out}" CONTENT "${broken}" @ONLY)
endfunction()
