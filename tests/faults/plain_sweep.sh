# Without a fault: the shipped sums are tuned whole on the stand-in driver, and once more at no
# cost.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"

run "$TUNE" run reduce.sum.i32 reduce.sum.f32 --device 0 --sizes 1024,4096 --no-report --effort quick "${warm[@]}"
expect_code 0
expect_err '4 problems, .* 0 failed'
expect_out 'Stand-in GPU 132, driver 580'
expect_file tuned.conf
[[ $(sed '/ for=all-other-sizes/,/^$/d' tuned.conf | grep -cE '^reduce\.sum\.(i32|f32) ') -eq 4 ]] || fail "tuned.conf lacks a winner"
[[ $(query "SELECT DISTINCT status FROM trials WHERE status NOT LIKE 'skip%'") == ok ]] ||
    fail "a healthy kernel failed"
trials=$(query "SELECT count(*) FROM trials")

run "$TUNE" run reduce.sum.i32 reduce.sum.f32 --device 0 --sizes 1024,4096 --no-report --effort quick "${warm[@]}"
expect_code 0
expect_err ' 0 trials'
[[ $(query "SELECT count(*) FROM trials") == "$trials" ]] || fail "something was measured twice"

# A noisy timer hides no failure and makes none.
rm -f tune.db
TUNE_FAULTS=noise=7 run "$TUNE" run reduce.sum.i32 reduce.sum.f32 --device 0 --sizes 1024 --no-report --effort quick "${warm[@]}"
expect_code 0
expect_err ' 0 failed'
