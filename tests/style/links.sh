#!/bin/sh
# Every relative link of the documents leads somewhere.
set -eu
cd -- "$(dirname -- "$0")/../.."
failed=0
for page in ./*.md docs/*.md kernels/*.md db/*.md plots/*.md examples/*.md; do
    [ -f "$page" ] || continue
    # shellcheck disable=SC2013 # a link has no blanks
    for target in $(grep -oE '\]\([^)# ]+' "$page" | sed 's/^](//' | grep -vE '^[a-z]+:'); do
        if [ ! -e "$(dirname "$page")/$target" ]; then
            echo "$page: no $target"
            failed=1
        fi
    done
done
exit "$failed"
