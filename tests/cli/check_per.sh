#!/bin/bash
# A check whose reference depends on a parameter (temporal tiling: the steps of a launch), one reference for each
# of its values; and outputs without a check.
source "$TUNE_TESTS/lib.sh"

# Each launch doubles STEPS times; `way: late` is wrong for three steps. The contents of tmp do not
# matter.
cat >steps.c <<'C'
void doubled(const struct tune_block *block, void *const *arguments)
{
    const unsigned *in = arguments[0];
    unsigned *out = arguments[1], *tmp = arguments[2];
    const long long n = *(const long long *)arguments[4];
    for (long long i = block->index * BLOCK; i < (block->index + 1) * BLOCK && i < n; i++)
        out[i] = (in[i] << STEPS) + (WAY_late && STEPS == 3);
    tmp[0] = BLOCK;
}
C
cat >reference.c <<'C'
void doubled_reference(void *const *arguments, struct tune_expected *expected)
{
    const unsigned *in = arguments[0];
    const int steps = *(const int *)arguments[3];
    const long long n = *(const long long *)arguments[4];
#ifdef STEPS
    if (STEPS != steps)
        return;
#endif
    for (long long i = 0; i < n; i++)
        expected[i].integer = (int)(in[i] << steps);
}
C
cat >steps.yaml <<'Y'
experiment: steps
device: cpu
source: steps.c
sizes: {n: [3000]}
parameters:
  steps: [1, 2, 3, 4]
  way: [plain, late]
  block: [500, 1000]
defines: {STEPS: steps, BLOCK: block, WAY_late: way == "late"}
launches:
  - {kernel: doubled, grid: "ceil_div(n, block)", threads: 1}
arguments:
  - {name: in, type: i32, count: n}
  - {name: out, type: i32, count: n, output: true}
  - {name: tmp, type: i32, count: 1, output: true}
  - {name: steps_taken, type: i32, value: steps}
  - {name: n, type: i64, value: n}
check:
  - {output: out, reference: doubled_reference, source: reference.c, per: [steps]}
  - {unchecked: [tmp]}
objectives:
  step: time_ns / steps
Y
outcomes() {
    query "SELECT json_extract(c.parameters, '\$.steps') || ' ' || json_extract(c.parameters, '\$.way'), t.status, count(*)
        FROM trials t JOIN configurations c ON c.id = t.configuration_id WHERE t.stage = 'sweep' GROUP BY 1, 2 ORDER BY 1, 2"
}
expect_outcomes() { # the wrong ones
    local wanted steps way
    wanted=$(for steps in 1 2 3 4; do for way in late plain; do
        grep -qx "$steps $way" <<<"$1" && echo "$steps $way wrong_result 2" || echo "$steps $way ok 2"
    done; done)
    [[ $(outcomes) == "$wanted" ]] || fail "not as wanted ($1 wrong): $(outcomes)"
}
tuned() {
    rm -rf tune.db* tuned.conf
    run "$TUNE" run "$@" --device cpu "${steady[@]}"
    expect_code 0
}

tuned steps.yaml --objective step
expect_outcomes '3 late'
refuse_err 'no check names'

# The result of the default configuration with the steps of the checked one.
sed '/output: out, ref/s/.*/  - {output: out, configuration: default, per: [steps]}/; /^defines/i defaults: {steps: 2, way: plain, block: 500}' steps.yaml >default.yaml
tuned default.yaml
expect_outcomes '3 late'

# Without it one number of steps is right; and of tmp something is said, or all is compared.
sed 's/, per: \[steps\]//; /unchecked/d' default.yaml >fixed.yaml
tuned fixed.yaml
expect_outcomes "$(printf '%s\n' {1,3,4}\ {late,plain})"
expect_err "no check names 'tmp'"
sed '/output: out, conf/d; s/^  - {unchecked/check: {unchecked/; /^check:$/d' default.yaml >rest.yaml
tuned rest.yaml
expect_outcomes "$(printf '%s\n' {1,3,4}\ {late,plain})"
refuse_err 'no check names'

# Nothing is compared where the file says so of every output.
sed '/output: out, ref/d; s/unchecked: \[tmp\]/unchecked: [out, tmp]/' steps.yaml >nothing.yaml
tuned nothing.yaml
expect_outcomes ''

# ---- what a file may say ----
wrong() { # SED
    sed "$1" steps.yaml >wrong.yaml
    golden_refusal "$TUNE" run --dry-run wrong.yaml --device cpu
}
wrong 's/per: \[steps\]/per: [step]/'
wrong 's/per: \[steps\]/defines: {STEPS: steps}/'
wrong 's/unchecked: \[tmp\]/unchecked: [in]/'
wrong 's/unchecked: \[tmp\]/unchecked: [out]/'
expect_golden
