#!/bin/sh
# Every relative link of the documents leads somewhere, to a heading that is there where it names one.
set -eu
cd -- "$(dirname -- "$0")/../.."
failed=0

# The names by which a page's headings are linked to.
headings() {
    sed -n 's/^##* //p' "$1" | sed 's/\[\([^]]*\)\]([^)]*)/\1/g' | LC_ALL=C tr 'A-Z ' 'a-z-' | LC_ALL=C sed 's/[^a-z0-9_-]//g'
}

for page in ./*.md docs/*.md */README.md */*/README.md; do
    # shellcheck disable=SC2013 # a link has no blanks
    for target in $(grep -oE '\]\([^) ]+' "$page" | sed 's/^](//' | grep -vE '^[a-z]+:'); do
        file=${target%%#*}
        file=${file:+$(dirname "$page")/$file}
        file=${file:-$page}
        if [ ! -e "$file" ]; then
            echo "$page: no $target"
            failed=1
        elif [ "$file" != "${file%.md}" ] && [ "$target" != "${target#*#}" ] && ! headings "$file" | grep -qxF -- "${target#*#}"; then
            echo "$page: no heading $target"
            failed=1
        fi
    done
done
exit "$failed"
