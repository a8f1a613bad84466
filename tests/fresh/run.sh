#!/bin/bash
# run.sh [options] [SUITE...]: all commands of the README on bare machines (readme.sh). Makes Debian roots of SUITE
# (default: bookworm trixie, which are Debian 12 and 13; with --mirror noble, say) with debootstrap, and in copies of
# them builds, tunes the CPU and runs all tests of these sources, as after a fresh clone: as root, and as a user without
# permission to install, whose administrator types the commands that bootstrap prints; without CUDA and with
# --with-toolkit. Needs root, debootstrap and a mirror; each case builds everything, so it takes its time.
#   --only WORD      only cases whose name has WORD in it (trixie-user-cpu ...); may be given again
#   --no-tests       leave out ./bootstrap test
#   --budget TIME    of tune's run (default 60s); 0: none, as the README has it
#   --components LIST  of the mirror (default main; Ubuntu's needs main,universe)
#   --mirror URL     where Debian's packages are (default: where apt of this machine has them from)
#   --folder FOLDER  where the roots go (default /var/tmp/tune-fresh); bare ones are kept for the next time
#   --keep           keep the roots of the cases, too
# This machine's settings for apt and pip, its proxies and its certificates are passed on, so that it works
# behind a mirror; no other settings are. Exit code 1 after a failure; FOLDER/CASE.log has the output.
set -euo pipefail
sources=$(cd -- "$(dirname -- "$0")/../.." && pwd)
folder=/var/tmp/tune-fresh mirror='' components=main budget=60s tests=yes keep=no
only=() suites=()

fail() {
    echo "tests/fresh/run.sh: $*" >&2
    exit 2
}

while [[ $# -gt 0 ]]; do
    case $1 in
    --only | --budget | --mirror | --components | --folder)
        [[ $# -ge 2 ]] || fail "$1 needs a value"
        case $1 in
        --only) only+=("$2") ;;
        --budget) budget=$2 ;;
        --mirror) mirror=$2 ;;
        --components) components=$2 ;;
        --folder) folder=$2 ;;
        esac
        shift
        ;;
    --no-tests) tests=no ;;
    --keep) keep=yes ;;
    -h | --help)
        sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
        exit 0
        ;;
    -*) fail "unknown option '$1'; --help lists them" ;;
    *) suites+=("$1") ;;
    esac
    shift
done
[[ ${#suites[@]} -gt 0 ]] || suites=(bookworm trixie)
# shellcheck source=tests/fresh/roots.sh
source "$sources/tests/fresh/roots.sh"

# step NAME COMMAND...: its output goes to the log; its exit code to $code.
step() {
    printf '\n=== %s\n' "$1" >>"$log"
    code=0
    "${@:2}" >>"$log" 2>&1 || code=$?
}

# Does the administrator's part of the output of `./bootstrap $1`.
ask_administrator() {
    local line
    step "as $user: ./bootstrap $1" inside "$root" "$user" "cd tune && ./bootstrap $1"
    line=$(sed -n 's/^bootstrap: an administrator has to run: //p' "$log" | tail -n 1)
    if [[ $code -ne 4 || -z $line ]]; then
        echo "no line for an administrator (exit code $code)"
        return 1
    fi
    step "as administrator: $line" inside "$root" root "$line"
    [[ $code -eq 0 ]] || { echo "the administrator's line failed" && return 1; }
}

# Result of the run of tune, in a few words.
tune_result() {
    local arguments=tune file
    [[ $budget == 0 ]] || arguments+=" --budget $budget"
    step "as $user: ./bootstrap $with $arguments" inside "$root" "$user" "cd tune && ./bootstrap $with $arguments"
    # 6: the budget ended before all was done
    [[ $code -eq 0 || ($code -eq 6 && $budget != 0) ]] || { echo "exit code $code" && return 1; }
    for file in tune.db tuned.conf report.html; do
        [[ -s $home/tune/$file ]] && continue
        # A busy machine may have no sure winner within the budget, and says so.
        [[ $file == tuned.conf && $code -eq 6 ]] && grep -q '^tune run: no winner is sure enough' "$log" && continue
        echo "no $file" && return 1
    done
    if [[ -n $with ]] && ! grep -q '^bootstrap: CUDA toolkit: .*/build/toolkit' "$log"; then
        echo "built without the toolkit" && return 1
    fi
    if grep -qE '(^|: )warning: ' "$log"; then
        echo "with warnings" && return 1
    fi
    echo "ok, $(installed)"
}

# How much bootstrap has installed: packages, and MB of them.
installed() {
    # shellcheck disable=SC2016 # the format is dpkg-query's
    local format='${Installed-Size}\n' now
    now=$(inside "$root" root "dpkg-query -W -f '$format'" | awk '{ sum += $1 } END { print NR, sum }')
    inside "$folder/bare-$suite" root "dpkg-query -W -f '$format'" |
        awk -v now="$now" '{ sum += $1 } END { split(now, all); printf "%d packages, %d MB", all[1] - NR, (all[2] - sum) / 1024 }'
}

# Everything else that README tells people to type.
readme_result() {
    step "as $user: the README's commands" inside "$root" "$user" "cd tune && bash tests/fresh/readme.sh"
    [[ $code -eq 0 ]] && echo "$(grep -c '^ok ' "$log") commands" && return
    echo "README: $(grep -c '^FAILED' "$log") failed"
    return 1
}

# A user without CUDA continues with the installed packages and Python: tests that lack a compiler for
# C++ or a library are skipped. The other has an administrator install everything for the tests.
prepare_tests() {
    if [[ $user == root ]]; then
        return 0
    elif [[ -z $with ]]; then
        step "as administrator: python3" inside "$root" root "apt-get install -y --no-install-recommends python3"
    else
        ask_administrator '--no-install test'
    fi
}

test_result() {
    step "as $user: ./bootstrap test" inside "$root" "$user" "cd tune && ./bootstrap $with test"
    local skipped total
    skipped=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*Skipped' "$log") || true
    total=$(sed -nE 's/.*tests (passed|failed).* out of ([0-9]+)$/\2/p' "$log" | tail -n 1)
    if [[ $code -ne 0 ]]; then
        echo "exit code $code: $(sed -n '/tests FAILED:$/,$s/^.* - \([^ ]*\) (.*/\1/p' "$log" | paste -s -d ' ')"
        return 1
    fi
    echo "$total, $skipped skipped"
}

# run_case SUITE USER TOOLKIT
run_case() {
    local suite=$1 name=$1-$2-$3 user=$2 with='' root tuned='-' typed='-' tested='-' home begun=$SECONDS
    [[ $user != user ]] || user=stranger
    [[ $3 != toolkit ]] || with=--with-toolkit
    root=$folder/$name log=$folder/$name.log
    rm -rf "$root"
    cp -a "$folder/bare-$1" "$root"
    hand_on "$root"
    home=$root/root
    [[ $user == root ]] || home=$root/home/$user
    : >"$log"
    mkdir "$home/tune"
    (cd -- "$sources" && git ls-files -z --cached --others --exclude-standard |
        tar --null --ignore-failed-read --files-from=- -c 2>/dev/null) | tar --no-same-owner -x -C "$home/tune"
    inside "$root" root "chown -R $user: ${home#"$root"}/tune"
    if tuned=$([[ $user == root ]] || ask_administrator "$with tune") && tuned=$(tune_result); then
        typed=$(readme_result) || failed=1
        if [[ $tests == yes ]]; then
            tested=$(prepare_tests) && tested=$(test_result) || failed=1
        fi
    else
        failed=1
    fi
    printf '%-24s %-32s %-20s %-40s %3d min\n' "$name" "$tuned" "$typed" "$tested" $(((SECONDS - begun + 59) / 60)) |
        tee -a "$folder/summary.txt"
    [[ $keep == yes ]] || rm -rf "$root"
}

is_wanted() {
    local word
    [[ ${#only[@]} -gt 0 ]] || return 0
    for word in "${only[@]}"; do
        [[ $1 != *"$word"* ]] || return 0
    done
    return 1
}

failed=0
printf '%-24s %-32s %-20s %-40s\n' case './bootstrap tune' README './bootstrap test' | tee "$folder/summary.txt"
for suite in "${suites[@]}"; do
    for user in root user; do
        for toolkit in cpu toolkit; do
            is_wanted "$suite-$user-$toolkit" || continue
            bare_root "$suite"
            run_case "$suite" "$user" "$toolkit"
        done
    done
done
exit "$failed"
