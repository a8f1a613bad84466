# shellcheck shell=bash
# tune check runs no file that only a database names, unless no one else can have put it there and its
# hash is the measured one; and --dry-run runs no part of an experiment file.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_TESTS/lib.sh"
write_experiment
mkdir theirs
mv double* theirs/
check=("$TUNE" check --device cpu "${steady[@]:1}" --budget 20s)
run "$TUNE" run theirs/double.yaml --device cpu --quiet "${steady[@]}" --sizes 1000
expect_code 0
# From now on compiling it leaves a mark.
cat >marking-cc <<'C'
#!/bin/sh
[ "$1" = --version ] || echo "$*" >>"$(dirname "$0")/ran"
exec "${COMPILER:-cc}" "$@"
C
chmod +x marking-cc
export COMPILER=${CC:-cc} CC=$PWD/marking-cc
rm -rf "$TUNE_CACHE_DIR"

# refused WHY: no compilation, and the reason.
refused() {
    run "${check[@]}"
    expect_code 7
    expect_out "^cannot be checked +double n=1000 .*$1.*name it on the command line"
    ! grep -q SPINS ran 2>/dev/null || fail "it was compiled: $(cat ran)"
}
chmod 777 theirs
refused 'others may write there'
chmod 755 theirs
chmod 666 theirs/double.yaml
refused 'others may write there'
chmod 644 theirs/double.yaml
if [[ $(id -u) -eq 0 ]]; then
    chown 65534 theirs/double.yaml
    refused 'others may write there'
    chown 0 theirs/double.yaml
fi
echo '/* another */' >>theirs/double_cpu.c
refused 'is another than was measured'
sed -i '$d' theirs/double_cpu.c
echo '# another' >>theirs/double.yaml
refused 'is another than was measured'

# Named, it is run; and so it is as it was measured, where it is the user's own.
run "${check[@]}" theirs/double.yaml
[[ $code -eq 0 || $code -eq 7 ]] || fail "exit code $code"
grep -q SPINS ran || fail "it was not compiled, though it was named"
rm -rf ran "$TUNE_CACHE_DIR"
sed -i '$d' theirs/double.yaml
run "${check[@]}"
grep -q SPINS ran || fail "it was not compiled, though it is what was measured"

# --dry-run: neither compiler nor programs in flags.
rm -rf ran "$TUNE_CACHE_DIR"
cat >theirs/wrapped <<'S'
#!/bin/sh
touch "$(dirname "$0")/wrapped.ran"
exec "$@"
S
chmod +x theirs/wrapped
echo "flags: [-wrapper, $PWD/theirs/wrapped, -save-temps=cwd, -MF, $PWD/dependencies]" >>theirs/double.yaml
run "$TUNE" run --dry-run theirs/double.yaml --device cpu
expect_code 0
expect_out '^double '
refuse_file ran
refuse_file theirs/wrapped.ran
refuse_file dependencies
[[ -z $(find "$TUNE_CACHE_DIR" -name '*.bin' 2>/dev/null) ]] || fail "a binary was made"
