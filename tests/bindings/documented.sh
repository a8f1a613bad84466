#!/bin/bash
# The calls that README.md and docs/bindings.md give, as they stand there: with pkg-config against an installed
# libtuned, and the program of the README with tuned_cuda.h.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_TESTS/lib.sh"
[[ -z $TUNE_SANITIZE ]] || exit 77 # installed files are never built with a sanitizer
prefix=$PWD/prefix
run "$TUNE_CMAKE" --install "$TUNE_BUILD" --component libtuned --prefix "$prefix"
expect_code 0
pkgconfig=("$prefix"/lib*/pkgconfig)

# block FILE LANGUAGE WORD: the first such block of the document that has the word in it.
block() {
    awk -v start="\`\`\`$2" -v word="$3" '
        $0 == start { inside = 1; text = ""; next }
        $0 == "```" { if (inside && index(text, word)) { printf "%s", text; exit } inside = 0 }
        inside { text = text $0 "\n" }' "$TUNE_SOURCE/$1"
}
# program TEXT FORMAT [DECLARATIONS]: puts a document's example into a main that prints the launch's numbers.
program() {
    printf '#include <stdio.h>\n'
    grep '^#include' <<<"$1"
    printf 'int main(void)\n{\nlong long n = 1000;\n%s\n' "${3:-}"
    grep -v '^#include' <<<"$1"
    printf 'printf("grid %s, block %s\\n", launch.grid[0], launch.block[0]);\n' "$2" "$2"
    printf 'return launch.grid[0] < 1 || launch.block[0] < 1;\n}\n'
}

# ---- pkg-config, with the shared library, which is then found ----
text=$(block docs/libtuned.md c '#include <tuned.h>')
[[ -n $text ]] || fail "docs/libtuned.md has no program"
program "$text" %lld 'const char *name = "Some GPU"; int major = 9, minor = 0, sm_count = 132;
    int shared_optin = 232448, registers_per_sm = 65536;' >app.c

calls=$(block docs/bindings.md sh PKG_CONFIG_PATH=PREFIX)
[[ -n $calls ]] || fail "docs/bindings.md has no call of pkg-config"
run bash -ec "${calls//PREFIX\/lib\/pkgconfig/"${pkgconfig[0]}"}"
expect_code 0
run env -u LD_LIBRARY_PATH XDG_CONFIG_HOME=/nonexistent ./app
expect_code 0
expect_out '^grid 4, block 256$'

# ---- with CUDA ----
toolkit=${TUNE_CUDA_INCLUDE%/include}
if [[ -z $TUNE_CUDA_INCLUDE || ! -e $toolkit/lib64/libcudart.so ]]; then
    echo "no CUDA runtime to link with"
    exit 0
fi
export PKG_CONFIG_PATH=${pkgconfig[0]} CUDA_HOME=$toolkit
text=$(block README.md c tuned_cuda.h)
[[ -n $text ]] || fail "README.md has no program"
program "$text" %u 'const void *kernel = 0; void **arguments = 0; cudaStream_t stream = 0;' >app.c
# run_app: without a GPU it ends; with one it has a launch of its own, there being no tuned.conf.
run_app() {
    run "$@"
    [[ $code -le 1 ]] || fail "it crashes"
    if [[ $code -eq 0 ]]; then
        expect_out '^grid 4, block 256$'
    else
        expect_empty out
    fi
}
call=$(block docs/bindings.md sh -lcudart)
[[ -n $call ]] || fail "docs/bindings.md has no call with CUDA"
run bash -ec "${call//\/usr\/local\/cuda/"$toolkit"}"
expect_code 0
run_app env -u LD_LIBRARY_PATH ./app
call=$(sed -n 's/^    \(cc app\.c .*-lcudart.*\)/\1/p' "$TUNE_SOURCE/README.md")
[[ -n $call ]] || fail "README.md does not say how to compile"
run bash -ec "$call -o readme"
expect_code 0
run_app env LD_LIBRARY_PATH="${pkgconfig[0]%/*}:$toolkit/lib64" ./readme
