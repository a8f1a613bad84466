# tune_room(NAME [USES room...] [LINK library...]): the static library of the folder NAME of the part (tuner, views, frontends)
# that calls it: every *.c below the folder. USES names the rooms it may include from (the walls: docs/architecture.md).
function(tune_room name)
  cmake_parse_arguments(ROOM "" "" "USES;LINK;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.c")
  foreach(pattern IN LISTS ROOM_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${pattern}")
  endforeach()
  if(NOT sources)
    add_library(tune_${name} INTERFACE)
    set(scope INTERFACE)
  else()
    add_library(tune_${name} STATIC ${sources})
    tune_compile_options(tune_${name})
    set(scope PUBLIC)
  endif()
  get_filename_component(part "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
  set_target_properties(tune_${name} PROPERTIES TUNE_FOLDER "${part}/${name}")
  target_include_directories(tune_${name} ${scope} "${PROJECT_SOURCE_DIR}"
                             "${PROJECT_BINARY_DIR}/generated")
  target_compile_definitions(tune_${name} ${scope} _GNU_SOURCE)
  foreach(used IN LISTS ROOM_USES)
    target_link_libraries(tune_${name} ${scope} tune_${used})
  endforeach()
  target_link_libraries(tune_${name} ${scope} ${ROOM_LINK} m)
endfunction()

# tune_embed(TARGET SYMBOL FILE...): C source with `const char SYMBOL[]`, the files' texts one after
# the other, so that the program needs no file at run time. All of a room's symbols are declared in
# embedded.h of the room's folder.
function(tune_embed target symbol)
  set(out "${PROJECT_BINARY_DIR}/generated/embedded/${symbol}.c")
  set(files "")
  foreach(file IN LISTS ARGN)
    get_filename_component(absolute "${file}" ABSOLUTE BASE_DIR "${PROJECT_SOURCE_DIR}")
    list(APPEND files "${absolute}")
  endforeach()
  string(REPLACE ";" "|" joined "${files}")
  add_custom_command(OUTPUT "${out}"
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DSYMBOL=${symbol} "-DFILES=${joined}"
            -P "${PROJECT_SOURCE_DIR}/cmake/Embed.cmake"
    DEPENDS ${files} "${PROJECT_SOURCE_DIR}/cmake/Embed.cmake" VERBATIM)
  target_sources(${target} PRIVATE "${out}")
  get_target_property(embedded ${target} TUNE_EMBEDDED)
  if(NOT embedded AND target MATCHES "^tune_")
    get_target_property(folder ${target} TUNE_FOLDER)
    set(symbols "$<JOIN:$<TARGET_PROPERTY:${target},TUNE_EMBEDDED>,[]$<SEMICOLON>\nextern const char >")
    file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/generated/${folder}/embedded.h" CONTENT
"/* Texts that the build embeds (cmake/TuneRooms.cmake). */
#pragma once
extern const char ${symbols}[];
")
  endif()
  set_property(TARGET ${target} APPEND PROPERTY TUNE_EMBEDDED ${symbol})
endfunction()
