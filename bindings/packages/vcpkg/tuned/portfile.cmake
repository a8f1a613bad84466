# libtuned for vcpkg, from the tree that this port lies in: `vcpkg install tuned --overlay-ports=bindings/packages/vcpkg`.
get_filename_component(tree "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "dynamic" is_shared)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "static" is_static)
vcpkg_cmake_configure(SOURCE_PATH "${tree}/libtuned"
                      OPTIONS -DTUNED_SHARED=${is_shared} -DTUNED_STATIC=${is_static})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME tuned CONFIG_PATH lib/cmake/tuned)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${tree}/LICENSE")
