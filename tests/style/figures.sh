#!/bin/bash
# Scripts of figures: a column that may be empty is taken by a function (number_or of style.gp), never by
# valid() in the expression after `using` itself: gnuplot 6 omits such a row, and then a result that
# `stats` did not find is an undefined variable. FOLDER: other scripts than those of plots/.
set -euo pipefail
self=$(realpath -- "$0")
cd -- "${1:-$(dirname -- "$0")/../../plots}"
wrong=$(grep -nE 'valid\([0-9a-z]+\) *\?[^:]*(column\(|\$[0-9])' -- *.gp | grep -vE '^[a-z_]+\.gp:[0-9]+:[a-z_]+\([a-z_, ]*\) = ' || true)
[[ -z $wrong ]] || { echo "use number_or(), see style.gp:" && echo "$wrong" && exit 1; }
# The rule finds its target.
[[ $# -gt 0 ]] && exit
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "stats 'points.tsv' using (valid(5) ? column(5) : 0) nooutput name 'SHARE'" >"$folder/a.gp"
! "$self" "$folder" >/dev/null || { echo "the rule finds nothing" && exit 1; }
