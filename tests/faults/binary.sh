# A binary instead of a source: a program's own image is measured unchanged, with the parts that a
# launch may change; a struct with pointers is passed to its kernel.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"

printf 'stand-in cubin 1\nsource app\narchitecture sm_90\ndefine ELEMENT int\n' >app.cubin
write_binary() { # NAME KERNEL ARGUMENTS GRID
    cat >"$1.yaml" <<Y
experiment: $1
binary: app.cubin
sizes: {n: [1000]}
parameters: {block: [32, 64, 128, 256]}
defaults: {block: 128}
launches:
  - {kernel: $2, grid: "$4", block: block, arguments: [$3]}
arguments:
  - {name: x, type: i32, count: n, fill: random}
  - {name: y, type: i32, count: n, output: true}
  - {name: n, type: i64, value: n}
  - {name: view, fields: [{type: i32, value: n}, {pointer: x}, {pointer: "y"}]}
metrics: {bytes: 8 * n}
Y
}
statuses() {
    query "SELECT json_extract(c.parameters, '\$.block'), t.status FROM trials t
        JOIN configurations c ON c.id = t.configuration_id WHERE t.stage = 'sweep' GROUP BY 1, 2 ORDER BY 1"
}

write_binary view view_copy view 'ceil_div(n, block)'
run "$TUNE" run ./view.yaml --device 0 --effort quick --no-report "${warm[@]}"
expect_code 0
expect_err '1 problem, .* 0 failed'
[[ $(statuses | grep -c ' ok') -eq 4 ]] || fail "a block failed: $(statuses)"
[[ $(grep -cE '^view n=' tuned.conf) -ge 1 ]] || fail "no winner"

# A grid that does not follow the block leaves elements as they were: found out.
forget
write_binary short view_copy view 'ceil_div(n, 128)'
run "$TUNE" run ./short.yaml --device 0 --effort quick --no-report "${warm[@]}"
expect_code 0
[[ $(statuses) == $'32 wrong_result\n64 wrong_result\n128 ok\n256 ok' ]] || fail "not found out: $(statuses)"

# So is a block that is compiled in.
forget
write_binary fixed copy_by_128 'x, y, n' 'ceil_div(n, 128)'
run "$TUNE" run ./fixed.yaml --device 0 --effort quick --no-report "${warm[@]}"
expect_code 0
[[ $(statuses) == $'32 wrong_result\n64 wrong_result\n128 ok\n256 wrong_result' ]] ||
    fail "a block that is compiled in passed: $(statuses)"

# Another binary is another kernel; a missing one, and options for a compiler, are errors.
printf 'define WAY 7\n' >>app.cubin
run "$TUNE" run ./fixed.yaml --device 0 --effort quick --no-report "${warm[@]}"
expect_code 0
expect_err '4 trials are stale, since source'
sed 's/^binary.*/&\ndefines: {A: 1}/' fixed.yaml >told.yaml
run "$TUNE" run ./told.yaml --device 0
expect_err "told.yaml:3:10: 'defines' beside 'binary', which is compiled already"
sed 's/app.cubin/nothing.cubin/' fixed.yaml >gone.yaml
run "$TUNE" run ./gone.yaml --device 0
expect_err "gone.yaml:2:9: there is no file 'nothing.cubin'"
