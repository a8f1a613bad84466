# Packages of `cpack`: a tarball of everything installed, which works wherever it is unpacked; with the preset `debian`,
# Debian's four packages.
string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" CPACK_SYSTEM_NAME)
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME tune)
set(CPACK_PACKAGE_VENDOR "tune")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL ${TUNE_PARTS})

if(TUNE_DEBIAN)
  # As Debian's own tools have it; for packages that one makes for oneself an address that cannot be written to.
  set(contact "The tune authors <maintainers@launchtune.example>")
  if("$ENV{DEBEMAIL}" MATCHES "<.*>")
    set(contact "$ENV{DEBEMAIL}")
  elseif(NOT "$ENV{DEBEMAIL}" STREQUAL "")
    set(contact "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
    string(STRIP "${contact}" contact)
  endif()
  set(TUNE_CONTACT "${contact}" CACHE STRING "Who answers for the packages: NAME <ADDRESS>")
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME launchtune)
  set(CPACK_PACKAGE_CONTACT "${TUNE_CONTACT}")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each has its own
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")

  # tune_debian_package(PART NAME SECTION DEPENDS SUMMARY LINE...)
  function(tune_debian_package part name section depends summary)
    string(TOUPPER ${part} upper)
    string(JOIN "\n" description "${summary}" ${ARGN})
    foreach(pair IN ITEMS "PACKAGE_NAME;${name}" "PACKAGE_SECTION;${section}" "DESCRIPTION;${description}")
      list(POP_FRONT pair key)
      set(CPACK_DEBIAN_${upper}_${key} "${pair}" PARENT_SCOPE)
    endforeach()
    set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
    install(FILES "${PROJECT_BINARY_DIR}/debian/changelog.Debian.gz" packaging/debian/copyright
            DESTINATION share/doc/${name} COMPONENT ${part})
  endfunction()
  # STRICT tables need SQLite 3.37, which no symbol tells.
  tune_debian_package(tuner launchtune devel "libsqlite3-0 (>= 3.37)"
    "finds the fastest correct launch configuration of CUDA kernels"
    "tune compiles a kernel in every legal configuration, checks each result,"
    "measures those that are right, and writes for each device and problem size"
    "the fastest to tuned.conf, which programs read through libtuned."
    "." "Kernels for the CPU are tuned, too. NVIDIA's driver and NVRTC are opened"
    "where they are there.")
  set(CPACK_DEBIAN_TUNER_PACKAGE_RECOMMENDS "gcc, libc6-dev, gnuplot-nox | gnuplot, libmicrohttpd12 | libmicrohttpd12t64")
  tune_debian_package(runtime libtuned0 libs ""
    "reads tuned.conf, launch configurations of kernels (library)"
    "libtuned tells programs in production which launch configuration to take for"
    "a kernel on this device at this size, as tune measured it."
    "." "This is the library that programs run with.")
  tune_debian_package(development libtuned-dev libdevel "libtuned0 (= ${version})"
    "reads tuned.conf, launch configurations of kernels (headers)"
    "libtuned tells programs in production which launch configuration to take for"
    "a kernel on this device at this size, as tune measured it."
    "." "This is what programs are built with: headers for C, C++ and CUDA, the"
    "static library, CMake's and pkg-config's files, and reductions as calls.")
  tune_debian_package(python python3-libtuned python "python3, libtuned0 (>= ${PROJECT_VERSION})"
    "reads tuned.conf, launch configurations of kernels (Python)"
    "libtuned tells programs in production which launch configuration to take for"
    "a kernel on this device at this size, as tune measured it."
    "." "This is its Python module.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_MULTIARCH same)
  # Debian's way; CPack's scripts in the package call ldconfig besides.
  file(WRITE "${PROJECT_BINARY_DIR}/debian/triggers" "activate-noawait ldconfig\n")
  file(WRITE "${PROJECT_BINARY_DIR}/debian/shlibs" "libtuned 0 libtuned0 (>= ${PROJECT_VERSION})\n")
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/debian/triggers" "${PROJECT_BINARY_DIR}/debian/shlibs")

  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # from SOURCE_DATE_EPOCH, if it is set
  file(WRITE "${PROJECT_BINARY_DIR}/debian/changelog.Debian"
       "launchtune (${version}) unstable; urgency=medium\n\n  * Version ${PROJECT_VERSION}: NEWS.md tells what is new.\n\n"
       " -- ${TUNE_CONTACT}  ${date}\n")
  execute_process(COMMAND gzip -9nf "${PROJECT_BINARY_DIR}/debian/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)
else()
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
endif()
include(CPack)
