# Files that `cmake --install` and `cpack` put in place. The tree can be moved as a whole: tune finds
# its data in ../share/tune, tuned.pc and the CMake package find theirs relative to themselves.
include(CMakePackageConfigHelpers)

option(TUNE_BUNDLE_LIBRARIES "Install hwloc's shared library beside tune (lib/tune)" ON)
option(TUNE_DEBIAN "Install as Debian's packages have it (the preset debian)" OFF)

# Four parts, each a package of TunePackage.cmake: the program and its data; libtuned for programs that run; for programs
# that are built; for Python.
set(TUNE_PARTS tuner runtime development python)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tuner)

file(RELATIVE_PATH libdir_from_bin "/prefix/${CMAKE_INSTALL_BINDIR}"
     "/prefix/${CMAKE_INSTALL_LIBDIR}")
if(TUNE_BUNDLE_LIBRARIES)
  set_target_properties(tune PROPERTIES
                        INSTALL_RPATH "$ORIGIN/${libdir_from_bin};$ORIGIN/${libdir_from_bin}/tune")
endif()
install(TARGETS tune RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# All that is installed, without the tests: `./bootstrap install`.
add_custom_target(installed DEPENDS tune tuned_static tuned_shared)
# The library that `tune capture` puts into programs.
if(TARGET tune_capture_preload)
  install(TARGETS tune_capture_preload LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tune)
endif()

# libtuned, which `cmake --install BUILD --component libtuned` installs by itself.
install(CODE "
  foreach(part runtime development python)
    execute_process(COMMAND \"\${CMAKE_COMMAND}\" -D \"CMAKE_INSTALL_PREFIX=\${CMAKE_INSTALL_PREFIX}\"
                            -D CMAKE_INSTALL_COMPONENT=\${part} -P \"\${CMAKE_CURRENT_LIST_FILE}\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()" COMPONENT libtuned EXCLUDE_FROM_ALL)
set(tuned_package ${CMAKE_INSTALL_LIBDIR}/cmake/tuned)
foreach(kind static shared)
  install(TARGETS tuned_${kind} EXPORT tuned_${kind}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
  install(EXPORT tuned_${kind} NAMESPACE tuned:: FILE tuned_${kind}.cmake
          DESTINATION ${tuned_package} COMPONENT development)
endforeach()
install(FILES libtuned/tuned.h libtuned/tuned.hpp libtuned/tuned_cuda.h libtuned/tuned_record.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT development)
set(python ${CMAKE_INSTALL_DATADIR}/tune/python)
if(TUNE_DEBIAN)
  set(python lib/python3/dist-packages)
else()
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/libtuned COMPONENT runtime)
endif()
install(FILES bindings/python/libtuned.py DESTINATION ${python} COMPONENT python)
install(DIRECTORY bindings/python/launchtune DESTINATION ${python} COMPONENT python FILES_MATCHING PATTERN "*.py"
        PATTERN "__pycache__" EXCLUDE)
# The calls for programs, with the kernels beside them, where "kernels/..." is searched. The programs
# that include them compile them.
install(DIRECTORY include/tune DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
foreach(family reduce reduce_ordered reduce_rows)
  install(DIRECTORY kernels/${family} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tune/kernels COMPONENT development
          FILES_MATCHING PATTERN "*.cuh")
endforeach()
configure_package_config_file(libtuned/tunedConfig.cmake.in "${PROJECT_BINARY_DIR}/tunedConfig.cmake"
                              INSTALL_DESTINATION ${tuned_package})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tunedConfigVersion.cmake"
                                 COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tunedConfig.cmake"
              "${PROJECT_BINARY_DIR}/tunedConfigVersion.cmake" libtuned/tunedEmbed.cmake DESTINATION ${tuned_package}
        COMPONENT development)
install(FILES configs/tuned.conf DESTINATION ${tuned_package} RENAME shipped.conf COMPONENT development)
file(RELATIVE_PATH TUNED_PC_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" TUNED_PC_PREFIX "${TUNED_PC_PREFIX}")
configure_file(libtuned/tuned.pc.in "${PROJECT_BINARY_DIR}/tuned.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tuned.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)

# hwloc has no archive that links without libudev's, so its shared library goes along, where only
# tune looks for it.
if(TUNE_BUNDLE_LIBRARIES AND NOT hwloc_ARCHIVE)
  install(CODE "
    file(GET_RUNTIME_DEPENDENCIES EXECUTABLES \"$<TARGET_FILE:tune>\"
         RESOLVED_DEPENDENCIES_VAR libraries POST_INCLUDE_REGEXES libhwloc
         POST_EXCLUDE_REGEXES \".*\" UNRESOLVED_DEPENDENCIES_VAR unresolved)
    file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/tune\"
         TYPE SHARED_LIBRARY FOLLOW_SYMLINK_CHAIN FILES \${libraries})")
endif()

# The program's data: files that people edit stay readable text.
set(data ${CMAKE_INSTALL_DATADIR}/tune)
install(DIRECTORY kernels configs plots DESTINATION ${data})
# Recordings for `--device replay`.
install(DIRECTORY db/recorded DESTINATION ${data}/db
        FILES_MATCHING PATTERN "tune.db.xz")
# Rankings for `--prior recorded`.
install(FILES db/recorded/prior.db DESTINATION ${data}/db/recorded)

# Pages, completion, documents, examples. The manual's commands are docs/commands.md as roff.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS docs/commands.md)
file(READ docs/commands.md commands)
string(FIND "${commands}" "\n## " begin)
string(SUBSTRING "${commands}" ${begin} -1 commands)
string(REPLACE "\\" "\\e" commands "${commands}")
string(REPLACE "--" "\\-\\-" commands "${commands}")
string(REPLACE "\n\n  " "\n.IP\n" commands "${commands}")
string(REPLACE "\n\n" "\n.PP\n" commands "${commands}")
string(REGEX REPLACE "\n(\\.PP\n)?## ([^\n]*)\n\\.PP" "\n.SS \\2" commands "${commands}")
string(REGEX REPLACE "\n(\\.PP\n)?- ([^\n]*)\n" "\n.TP\n\\2\n" commands "${commands}")
string(REPLACE "\n  " "\n" commands "${commands}")
string(REGEX REPLACE "\\*\\*`|`\\*\\*" "`" commands "${commands}")
string(REGEX REPLACE "`([^`]*)`" "\\\\fB\\1\\\\fP" commands "${commands}")
string(REGEX REPLACE "\n(['.])([^TSPI])" "\n\\\\&\\1\\2" TUNE_COMMANDS "${commands}")
foreach(page tune.1 libtuned.conf.5)
  configure_file(docs/man/${page}.in "${PROJECT_BINARY_DIR}/man/${page}" @ONLY)
  string(REGEX REPLACE ".*\\." "" section ${page})
  if(TUNE_DEBIAN)
    execute_process(COMMAND gzip -9nf "${PROJECT_BINARY_DIR}/man/${page}" COMMAND_ERROR_IS_FATAL ANY)
    string(APPEND page .gz)
  endif()
  install(FILES "${PROJECT_BINARY_DIR}/man/${page}"
          DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
install(FILES tuner/cli/completion/tune.bash RENAME tune
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
# Debian's zsh searches packages' completions in a folder of its own.
set(zsh zsh/site-functions)
if(TUNE_DEBIAN)
  set(zsh zsh/vendor-completions)
endif()
install(FILES tuner/cli/completion/_tune DESTINATION ${CMAKE_INSTALL_DATADIR}/${zsh})
install(FILES tuner/cli/completion/tune.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# The documents keep their places, so that the links between them hold.
install(FILES README.md CONTRIBUTING.md NEWS.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN man EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        REGEX "examples/CMakeLists\\.txt$" EXCLUDE)
install(FILES kernels/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/kernels)
install(FILES plots/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/plots)
install(FILES db/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/db OPTIONAL)
# Notices of the libraries that are linked in or go along.
foreach(package libsqlite3-dev libyaml-dev libjansson-dev liblzma-dev libhwloc-dev libxxhash-dev)
  if(EXISTS "/usr/share/doc/${package}/copyright")
    install(FILES "/usr/share/doc/${package}/copyright" RENAME ${package}
            DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences)
  endif()
endforeach()

include(TunePackage)
