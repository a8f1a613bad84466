# shellcheck shell=bash
# The wheel of libtuned, made from the tree: libtuned.py with the library inside, in a virtual environment of its own
# where no other libtuned is to be had; typed. Needs PyPI for setuptools: skipped where that is not to be had.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_SOURCE/tests/cli/lib.sh"
[[ -z $TUNE_SANITIZE || $TUNE_SANITIZE == OFF ]] || exit 77
python=$(command -v python3) || exit 77
"$python" -m pip --version >/dev/null 2>&1 && "$python" -c 'import ensurepip, venv' 2>/dev/null || exit 77
"$python" -m pip download -q --no-deps --timeout 5 --retries 0 -d downloaded 'setuptools>=70.1' >/dev/null 2>&1 || exit 77

run "$python" -m pip wheel -q --no-deps -w wheels "$TUNE_SOURCE/bindings/python"
expect_code 0
wheels=(wheels/libtuned-*-py3-none-*.whl)
[[ -e ${wheels[0]} && ${wheels[0]} != *-any.whl ]] || fail "no wheel of this platform: ${wheels[*]}"
[[ -z $(cd "$TUNE_SOURCE" && git status --porcelain bindings/python 2>/dev/null | grep '^??.*\(build\|egg-info\)') ]] ||
    fail "something was left in the tree"
run "$python" -m venv --without-pip alone
expect_code 0
run "$python" -m pip --python alone/bin/python install -q --no-index --no-deps "${wheels[0]}"
expect_code 0
printf 'tuned-conf 4\n[cuda "X"] compute_capability=9.0\np n=1-9 block=64 | capability=7.0\nend\n' >t.conf
run env -u PYTHONPATH -u TUNED_LIBRARY LD_LIBRARY_PATH= alone/bin/python -c '
import pathlib, libtuned
here = pathlib.Path(libtuned.__file__).parent
assert (here / "py.typed").is_file() and (here / "libtuned.so").is_file() and (here / "LICENSE").is_file(), here
answer = libtuned.load("t.conf").find(libtuned.Device("cuda", "X", (9, 0)), "p", 5)
print(libtuned.library_version(), answer.grade.name, answer.integer("block", -1), answer.reason)'
expect_code 0
expect_out "^$(sed -n 's/^#define TUNED_VERSION  *"\(.*\)"/\1/p' "$TUNE_SOURCE/libtuned/tuned.h") IN_RANGE 64 tuned on X for n from 1 to 9; no launch: the file has none\$"
