#!/bin/bash
# measure.sh [-b BUDGET] EXPERIMENT...: runs each experiment on GPU 0, as drafted by 'tune init' or edited, with a
# budget of its own (default: 10s), and prints a table of Markdown: the exit code and the run's last line. TUNE names
# the program.
set -uo pipefail
budget=10s
while getopts b: option; do
    case $option in
    b) budget=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
tune=${TUNE:-tune}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# 'timeout' puts its child into a process group of its own, which a signal for this one does not reach: no child may
# continue and hold the device.
child=
end() {
    trap '' HUP INT TERM
    [[ -z $child ]] || kill -TERM "$child" 2>/dev/null
    wait
    exit "$1"
}
trap 'end 129' HUP
trap 'end 130' INT
trap 'end 143' TERM

echo '| experiment | exit code | |'
echo '|---|---:|---|'
tried=0 tuned=0
for yaml in "$@"; do
    name=$(basename "${yaml%.yaml}")
    timeout --kill-after=10 120 "$tune" run "$yaml" --device 0 --budget "$budget" --db "$work/tune.db" --conf "$work/tuned.conf" --no-report \
        >"$work/out" 2>"$work/err" &
    child=$!
    wait "$child"
    code=$?
    child=
    said=$(grep -hE '^[0-9]+ of [0-9]+ problems?: ' "$work/out" | tail -n 1)
    tried=$((tried + 1))
    [[ -n $said ]] && tuned=$((tuned + 1))
    [[ -n $said ]] || said=$(grep -E '^tune run: ' "$work/err" | tail -n 1 | sed "s|$PWD/||g")
    said=${said//|/\\|}
    echo "| $name | $code | ${said:0:300} |"
    rm -f "$work"/tune.db* "$work/tuned.conf"
done
echo
echo "$tuned of $tried have a winner."
