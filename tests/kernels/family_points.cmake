# Writes the files that compile points of any family for the emulation, and copies with a fault.

# family(NAME EXPERIMENT COUNT [--spills]): the tests of a family, named by its points' header and its test: emulated points,
# in which each value of each parameter of the experiment occurs, and those of `also`; and COUNT points compiled for each
# architecture, which may spill registers.
function(family name experiment count)
  set(source "${generated}/${name}.cpp")
  set(header "tests/kernels/${name}_point.h")
  add_custom_command(OUTPUT "${source}.made" BYPRODUCTS "${source}"
                     COMMAND compile_points --sources "${source}" "${header}" "${name}_" "${experiment}"
                     COMMAND "${CMAKE_COMMAND}" -E touch "${source}.made"
                     DEPENDS compile_points "${experiment}" VERBATIM)
  get_property(further GLOBAL PROPERTY also_of_${name})
  simt_executable(test_${name}_simt test_${name}_simt.cpp "${source}" "${source}.made" ${further})
  add_test(NAME kernels.${name}_simt COMMAND test_${name}_simt)
  add_test(NAME kernels.${name}_compiles COMMAND compile_points ${ARGN} "${experiment}" ${count} ${architectures})
  if(NOT ARGN) # the shipped ones
    add_custom_target(compile_all_${name} COMMAND compile_points "${experiment}" 0 ${architectures} VERBATIM)
    add_dependencies(compile_all_points compile_all_${name})
  endif()
  get_property(faults GLOBAL PROPERTY faults_of_${name})
  simt_faults(test_${name}_faults test_${name}_simt.cpp ${faults})
  add_test(NAME kernels.${name}_faults COMMAND test_${name}_faults --faults)
  set_tests_properties(kernels.${name}_simt kernels.${name}_faults kernels.${name}_compiles
                       PROPERTIES LABELS kernels TIMEOUT 300 SKIP_RETURN_CODE 77)
endfunction()

# family_point(OUT FAMILY NAME KERNEL DEFINES): the point of KERNEL that DEFINES ("BLOCK=64 LOADS=2") gives.
function(family_point out family name kernel defines)
  string(REGEX REPLACE "=[^=]*( |$)" ";" names "${defines}")
  string(REGEX REPLACE "(^| )[A-Za-z_]+=" "/" point "${defines}")
  string(SUBSTRING "${point}" 1 -1 point)
  list(REMOVE_ITEM names "")
  family_points("${out}" "tests/kernels/${family}_point.h" "${kernel}" "${family}_${name}_" "${names}" "${point}")
endfunction()

# also(FAMILY NAME KERNEL DEFINES): a point besides those of the experiment.
function(also family name kernel defines)
  family_point("${generated}/${family}_${name}.cpp" ${family} ${name} "${kernel}" "${defines}")
  set_property(GLOBAL APPEND PROPERTY also_of_${family} "${generated}/${family}_${name}.cpp")
endfunction()

# planted(FAMILY NAME KERNEL DEFINES FROM TO): a fault that the family's test must find in a copy of KERNEL, FROM replaced by
# TO, at that point.
function(planted family name kernel defines from to)
  set(broken "${generated}/faults/${family}_${name}.cu")
  family_fault("${broken}" "${kernel}" "${from}" "${to}")
  family_point("${generated}/faults/${family}_${name}.cpp" ${family} ${name} "${broken}" "${defines}")
  set_property(GLOBAL APPEND PROPERTY faults_of_${family} "${generated}/faults/${family}_${name}.cpp")
endfunction()

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
