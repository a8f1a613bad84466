# shellcheck shell=bash
# The wheel launchtune, made of installed files (packaging/wheel.py): in a virtual environment of its own the program,
# its data, libtuned and `python -m` work, and no file of it is left afterwards; its bill of materials names the
# libraries.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_SOURCE/tests/cli/lib.sh"
[[ -z $TUNE_SANITIZE || $TUNE_SANITIZE == OFF ]] || exit 77
python=$(command -v python3) || exit 77
"$python" -m pip --version >/dev/null 2>&1 && "$python" -c 'import ensurepip, venv' 2>/dev/null || exit 77
version=$(sed -n 's/^#define TUNED_VERSION  *"\(.*\)"/\1/p' "$TUNE_SOURCE/libtuned/tuned.h")

run "$TUNE_CMAKE" --install "$TUNE_BUILD" --prefix "$PWD/prefix"
expect_code 0
export SOURCE_DATE_EPOCH=1763800000
run "$python" -B "$TUNE_SOURCE/packaging/sbom.py" "$version" abc
expect_code 0
cp "$captured.out" sbom.json
"$python" - <<'P'
import json
document = json.load(open("sbom.json"))
assert document["spdxVersion"] == "SPDX-2.3" and document["creationInfo"]["created"] == "2025-11-22T08:26:40Z", document
names = {package["SPDXID"]: package["name"] for package in document["packages"]}
linked = {names[part["relatedSpdxElement"]] for part in document["relationships"] if part["relationshipType"] == "STATIC_LINK"}
assert linked == {"sqlite", "libyaml", "jansson", "xz", "hwloc", "xxhash"}, linked
P
mkdir made
run "$python" -B "$TUNE_SOURCE/packaging/wheel.py" "$PWD/prefix" "$version" linux_x86_64 sbom.json made
expect_code 0
wheel=made/launchtune-$version-py3-none-linux_x86_64.whl

run "$python" -m venv --without-pip alone
expect_code 0
find alone | LC_ALL=C sort >before
run "$python" -m pip --python alone/bin/python install -q --no-index --no-deps --no-compile "$wheel"
expect_code 0
for tune in alone/bin/tune 'alone/bin/python -B -m launchtune'; do
    # shellcheck disable=SC2086 # words
    run env -u TUNE_DATA_DIR $tune --version
    expect_code 0
    expect_out "^tune $version\$"
    # shellcheck disable=SC2086 # words
    run env -u TUNE_DATA_DIR $tune run --device cpu reduce --dry-run --points 1 --sizes 1024
    expect_code 0
done
for file in lib/libtuned.so include/tuned.h share/man/man1/tune.1 share/bash-completion/completions/tune; do
    expect_file "alone/$file"
done
run "$python" -m pip --python alone/bin/python uninstall -q -y launchtune
expect_code 0
find alone -type f | LC_ALL=C sort >after
! comm -13 before after | grep . || fail "it leaves files"
