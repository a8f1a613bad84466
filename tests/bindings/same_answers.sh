# shellcheck shell=bash
# Two million random look-ups in the shipped file: libtuned gives the same in C and C++ (tuned.hpp), by name and by
# handle, and so does the header made of the same file; Python gives the same to the first of them. tuned.hpp is C++11
# to C++20 without a warning.
# shellcheck source=tests/cli/lib.sh
source "$TUNE_SOURCE/tests/cli/lib.sh"
cxx=$(command -v g++ || command -v clang++) || exit 77
[[ -z $TUNE_SANITIZE || $TUNE_SANITIZE == OFF ]] || exit 77
tune=$TUNE_BUILD/bin/tune

# One of their devices again, as one of another compute capability.
sed -n '/^\[cuda "NVIDIA H100/,/^$/p' "$TUNE_SOURCE/configs/tuned.conf" |
    sed 's/^\[cuda .*\] compute_capability=9.0 sm_count=132/[cuda "NVIDIA A100"] compute_capability=8.0 sm_count=108/' >other.conf
sed '/^end$/d' "$TUNE_SOURCE/configs/tuned.conf" | cat - other.conf >asked.conf
echo end >>asked.conf
run "$tune" export asked.conf --header made.h
expect_code 0
sed -nE 's/^([a-z][a-z0-9_.]*) n=.*/\1/p' asked.conf | sort -u |
    while read -r problem; do echo "PROBLEM(\"$problem\", tuned_${problem//./_})"; done >problems.inc

for standard in 11 20; do
    run "$cxx" "-std=c++$standard" -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast \
        -Wuseless-cast -Werror -x c++ "$TUNE_SOURCE/libtuned/tuned.hpp"
    [[ $cxx != *g++ ]] || expect_code 0
done
run "${CC:-cc}" -std=c99 -O2 -c "$TUNE_SOURCE/libtuned/tuned.c"
expect_code 0
run "$cxx" -std=c++11 -O2 -Wall -Wextra -Werror -isystem . -I"$TUNE_SOURCE/libtuned" \
    "$TUNE_SOURCE/tests/bindings/same_answers.cpp" tuned.o -o same_answers
expect_code 0
run ./same_answers asked.conf 2000000 20000
expect_code 0
expect_err '^2000000 questions, [0-9]+ of them answered, 0 answers differ$'

cp "$captured.out" questions
cat >same.py <<'P'
import libtuned
configurations, devices, count = libtuned.load("asked.conf"), {}, 0
for line in open("questions", encoding="utf-8"):
    kind, name, major, minor, units, problem, n, grade, at, grid, told, launched = line.rstrip("\n").split("\t")
    key = kind, name, (int(major), int(minor)), int(units)
    if key not in devices:
        devices[key] = libtuned.Device(*key)
    answer = configurations.find(devices[key], problem, int(n))
    launch = answer.launch()
    have = (int(answer.grade), answer.entry.line if answer else 0, answer.integer("grid", -7), launch is not None,
            launch.grid[0] if launch else 0)
    assert have == (int(grade), int(at), int(grid), told == "1", int(launched)), (line, have)
    count += 1
print(count, "questions")
P
TUNED_LIBRARY=$TUNE_BUILD/libtuned/libtuned.so PYTHONPATH=$TUNE_SOURCE/bindings/python run python3 same.py
expect_code 0
expect_out '^20000 questions$'
