# Writes the files that compile points of any family for the emulation, and copies with a fault.

# family_points(OUT HEADER SOURCE PREFIX NAMES POINT...): a POINT has the values of the defines NAMES
# (a list), between slashes; HEADER includes SOURCE with them.
function(family_points out header source prefix names)
  set(text "// Written by tests/kernels/family_points.cmake.\n#define SOURCE \"${source}\"\n")
  set(number 0)
  foreach(point IN LISTS ARGN)
    string(REPLACE "/" ";" values "${point}")
    string(APPEND text "\n#define POINT ${prefix}${number}\n")
    foreach(name value IN ZIP_LISTS names values)
      string(APPEND text "#define ${name} ${value}\n")
    endforeach()
    string(APPEND text "#include \"${header}\"\n")
    foreach(name IN LISTS names ITEMS POINT)
      string(APPEND text "#undef ${name}\n")
    endforeach()
    math(EXPR number "${number} + 1")
  endforeach()
  file(CONFIGURE OUTPUT "${out}" CONTENT "${text}" @ONLY)
endfunction()

# family_fault(OUT SOURCE FROM TO): a copy of SOURCE with a fault planted, FROM replaced by TO. The
# copy follows its source; where that has no FROM any more, the copy does not compile.
function(family_fault out source from to)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  file(READ "${source}" text)
  string(REPLACE "${from}" "${to}" broken "${text}")
  if(broken STREQUAL text)
    message(WARNING "tests/kernels: nothing to break in ${source}, which has no more:\n${from}")
    set(broken "#error nothing to break any more in ${source}\n")
  endif()
  file(CONFIGURE OUTPUT "${out}" CONTENT "${broken}" @ONLY)
endfunction()

# family_copy(FOLDER FILE FROM TO HEADER...): copies of the headers, with the fault in the one called FILE.
function(family_copy folder file from to)
  foreach(header IN LISTS ARGN)
    get_filename_component(base "${header}" NAME)
    if(base STREQUAL file)
      family_fault("${folder}/${base}" "${header}" "${from}" "${to}")
    else()
      configure_file("${header}" "${folder}/${base}" COPYONLY)
    endif()
  endforeach()
endfunction()
