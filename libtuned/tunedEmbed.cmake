# tuned_embed(TARGET [FILE]): a tuned.conf within TARGET's program, made anew when the file changes; without FILE the
# one that is shipped, of the devices that its headings name. TARGET's sources have it as
#   #include <tuned_builtin.h>
#   struct tuned_options options = {.built_in = tuned_builtin, .built_in_bytes = sizeof tuned_builtin};
# Without a target: cmake -D FROM=tuned.conf -D TO=tuned_builtin.h -P tunedEmbed.cmake
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  file(READ "${FROM}" bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(,0x.[0a])," "\\1,\n" bytes "${bytes}") # lines, at some of the bytes
  get_filename_component(name "${FROM}" NAME)
  file(WRITE "${TO}" "/* ${name}, byte by byte. */\nstatic const unsigned char tuned_builtin[] = {\n${bytes}};\n")
  return()
endif()

set(tuned_embed_script "${CMAKE_CURRENT_LIST_FILE}" CACHE INTERNAL "")
function(tuned_embed target)
  get_filename_component(folder "${tuned_embed_script}" DIRECTORY)
  set(conf "${folder}/shipped.conf") # where it is installed, else as it lies in the tree
  if(ARGC GREATER 1)
    get_filename_component(conf "${ARGV1}" ABSOLUTE)
  elseif(NOT EXISTS "${conf}")
    set(conf "${folder}/../configs/tuned.conf")
  endif()
  if(NOT EXISTS "${conf}")
    message(FATAL_ERROR "tuned_embed: there is no ${conf}")
  endif()
  set(made "${CMAKE_CURRENT_BINARY_DIR}/${target}_tuned")
  add_custom_command(OUTPUT "${made}/tuned_builtin.h" DEPENDS "${conf}" "${tuned_embed_script}" VERBATIM
    COMMAND "${CMAKE_COMMAND}" -D "FROM=${conf}" -D "TO=${made}/tuned_builtin.h" -P "${tuned_embed_script}")
  target_sources(${target} PRIVATE "${made}/tuned_builtin.h")
  target_include_directories(${target} PRIVATE "${made}")
endfunction()
