# shellcheck shell=bash
# Recipes of package managers, from the tree. Conan's is built and used, static and shared, if Conan is available from
# PyPI; vcpkg's port is run with vcpkg's script functions replaced by CMake; Spack's is compared with the tree, and
# built, static and shared, if there is a command spack.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_SOURCE/tests/cli/lib.sh"
[[ -z $TUNE_SANITIZE || $TUNE_SANITIZE == OFF ]] || exit 77
packages=$TUNE_SOURCE/bindings/packages
version=$(sed -n 's/^#define TUNED_VERSION  *"\(.*\)"/\1/p' "$TUNE_SOURCE/libtuned/tuned.h")
python=$(command -v python3) || exit 77

# Both name the version of the tree.
run "$python" - "$packages" "$version" <<'P'
import ast, json, sys
folder, version = sys.argv[1:]
port = json.load(open(f"{folder}/vcpkg/tuned/vcpkg.json"))
assert port["name"] == "tuned" and port["version"] == version, port
spack = ast.parse(open(f"{folder}/spack/packages/tuned/package.py").read())
package = [node for node in spack.body if isinstance(node, ast.ClassDef)][0]
assert package.name == "Tuned" and package.bases[0].id == "CMakePackage"
versions = [node.value.args[0].value for node in package.body if isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call) and node.value.func.id == "version"]
assert versions == [version], versions
assert open(f"{folder}/spack/repo.yaml").read() == "repo:\n  namespace: tuned\n"
P
expect_code 0

for linkage in static dynamic; do
    cat >vcpkg.cmake <<C
set(VCPKG_LIBRARY_LINKAGE $linkage)
set(CURRENT_PACKAGES_DIR "$PWD/$linkage")
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
  execute_process(COMMAND "\${CMAKE_COMMAND}" -S "\${arg_SOURCE_PATH}" -B "$PWD/$linkage-build" -DCMAKE_INSTALL_LIBDIR=lib
                  "-DCMAKE_INSTALL_PREFIX=\${CURRENT_PACKAGES_DIR}" \${arg_OPTIONS} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_install)
  execute_process(COMMAND "\${CMAKE_COMMAND}" --build "$PWD/$linkage-build" --target install COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PACKAGE_NAME;CONFIG_PATH" "")
  file(RENAME "\${CURRENT_PACKAGES_DIR}/\${arg_CONFIG_PATH}" "\${CURRENT_PACKAGES_DIR}/share-\${arg_PACKAGE_NAME}")
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
  file(INSTALL \${arg_FILE_LIST} DESTINATION "\${CURRENT_PACKAGES_DIR}")
endfunction()
include("$packages/vcpkg/tuned/portfile.cmake")
C
    run "$TUNE_CMAKE" -P vcpkg.cmake
    expect_code 0
    [[ -e $linkage/include/tuned.h && -e $linkage/share-tuned/tunedConfig.cmake && -e $linkage/LICENSE ]] ||
        fail "$linkage: not all that a port installs"
done
[[ -e static/lib/libtuned.a && ! -e static/lib/libtuned.so && -e dynamic/lib/libtuned.so && ! -e dynamic/lib/libtuned.a ]] ||
    fail "the linkage is not what the triplet says"

# In a copy, since Spack builds in the tree, with settings of its own.
if command -v spack >/dev/null; then
    export SPACK_USER_CONFIG_PATH=$PWD/spack/config SPACK_USER_CACHE_PATH=$PWD/spack/cache
    mkdir -p spack/tree && cp -r "$TUNE_SOURCE/LICENSE" "$TUNE_SOURCE/libtuned" "$TUNE_SOURCE/bindings" spack/tree
    spack config --scope user add "config:install_tree:root:$PWD/spack/installed"
    spack config --scope user add "config:build_stage:$PWD/spack/stage"
    spack repo add --scope user spack/tree/bindings/packages/spack
    for variant in +shared '~shared'; do
        run spack dev-build -d spack/tree "tuned@$version$variant"
        expect_code 0
        prefix=$(spack location -i "tuned$variant")
        # shellcheck disable=SC2046 # words
        run "${CC:-cc}" "$packages/conan/test_package/which.c" -o "by-spack$variant" \
            $(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs tuned) -Wl,-rpath,"$prefix/lib"
        expect_code 0
        run "./by-spack$variant"
        expect_out "^libtuned $version: in range, block 64\$"
    done
fi

"$python" -m venv conan 2>/dev/null && conan/bin/python -m pip install -q --timeout 5 --retries 0 'conan>=2.2,<3' >/dev/null 2>&1 || exit 0
export CONAN_HOME=$PWD/conan-home
run conan/bin/conan profile detect
expect_code 0
for shared in False True; do
    run conan/bin/conan create "$packages/conan" -o "tuned/*:shared=$shared" -c "tools.cmake.cmake_layout:test_folder=$PWD/used$shared"
    expect_code 0
    grep -hq "^libtuned $version: in range, block 64\$" "$captured.out" "$captured.err" || fail "shared=$shared: it does not run"
done
