# shellcheck shell=bash
# A program compiled with the header of an earlier library runs over the present one: no byte past the
# end of its structs is written, and it gets the same answers.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_SOURCE/tests/cli/lib.sh"
command -v "${CC:-cc}" >/dev/null || exit 77
[[ $TUNE_SANITIZE != 1 && $TUNE_SANITIZE != ON ]] || exit 77

for promised in "$TUNE_SOURCE"/tests/bindings/promised/*; do
    run "${CC:-cc}" -std=c99 -O1 -Wall -Wextra -Werror -I"$promised" "$TUNE_SOURCE/tests/bindings/canary.c" \
        -L"$TUNE_BUILD/libtuned" -ltuned -Wl,-rpath,"$TUNE_BUILD/libtuned" -o canary
    expect_code 0
    run ./canary
    expect_code 0
    expect_out "^header $(basename "$promised"), library [0-9.]+: all is as it was\$"
done
