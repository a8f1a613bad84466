#!/bin/bash
# An experiment whose kernels take multiples of 16 alone, and does not say so: its default configuration fails at awkward
# sizes like all others. That is said once, with the line to write; there is a winner, and who is wrong at sizes that are
# promised is out.
source "$TUNE_TESTS/lib.sh"

write_tiles() { # CONSTRAINTS DEFAULTS
    cat >tiles.yaml <<Y
experiment: tiles
about: Doubles an array by tiles of 16, of 32 in one way.
device: cpu
source: tiles.c
sizes: {n: [1024, 4096]}
parameters:
  way: [tile, double_tile]
  copy: [1, 2, 3]
constraints: [copy > 0${1:+, $1}]
${2:+defaults: $2}
defines: {TILE: 32 if way == "double_tile" else 16, SPINS: 0 if way == "double_tile" else 40, COPY: copy, LEAST: 0}
launches:
  - {kernel: tiles, grid: 1, threads: 1, arguments: [in, out, n]}
arguments:
  - {name: in, type: i32, count: n, fill: random}
  - {name: out, type: i32, count: n, output: true}
  - {name: n, type: i64, value: n}
check: {reference: tiles_reference, source: tiles_reference.c, output: out, tolerance: 0}
metrics: {bytes: 8 * n}
Y
}
cat >tiles.c <<'C'
void tiles(const struct tune_block *block, void *const *arguments)
{
    const unsigned *in = arguments[0];
    unsigned *out = arguments[1];
    long long n = *(const long long *)arguments[2];
    (void)block;
    for (volatile long long spin = 0; spin < SPINS * n; spin++)
        ;
    long long done = LEAST > 0 ? (n < LEAST ? 0 : n) : n / TILE * TILE;
    for (long long i = 0; i < done; i++)
        out[i] = 2 * in[i];
}
C
cat >tiles_reference.c <<'C'
void tiles_reference(void *const *arguments, struct tune_expected *expected)
{
    const unsigned *in = arguments[0];
    long long n = *(const long long *)arguments[2];
    for (long long i = 0; i < n; i++)
        expected[i].integer = (int)(2 * in[i]);
}
C
tune_tiles() {
    rm -rf tune.db* tuned.conf
    run "$TUNE" run tiles.yaml --device cpu "${steady[@]}" --set sweep_slower=100 --set delta=0.1
    expect_code 0
    [[ $(query "SELECT count(*) FROM winners") -eq 2 ]] || fail "no two winners: $(query "SELECT * FROM winners")"
}
promised="^tune: tiles: at n=[0-9]+ its default configuration fails, too, so that the experiment does not promise such sizes; winners are chosen without them\. To say so, write 'n % 16 == 0' under its constraints \(out\[[0-9]+\] is "

write_tiles '' '{way: tile, copy: 1}'
tune_tiles
[[ $(grep -cE "$promised" "$captured.err") -eq 1 ]] || fail "not said once"
# The faster way needs multiples of 32, which the default does not: it is out.
expect_err "'way=double_tile copy=[123]' was among the fastest, but is out: gauntlet: n=[0-9]+, "
[[ $(query "SELECT DISTINCT json_extract(c.parameters, '\$.way') FROM winners w JOIN trials t ON t.id = w.trial_id
    JOIN configurations c ON c.id = t.configuration_id") == tile ]] || fail "a wrong one won"
[[ $(query "SELECT min(cases) > 3 FROM gauntlets WHERE passed") -eq 1 ]] || fail "hardly checked: $(query "SELECT * FROM gauntlets")"

# The line that it says is the one that helps.
write_tiles 'n % 16 == 0' '{way: tile, copy: 1}'
tune_tiles
refuse_err 'does not promise'
expect_err "'way=double_tile copy=[123]' was among the fastest, but is out"

# Without a default nobody is asked before all have failed; then it is the same.
write_tiles
sed -i 's/^  way: .*/  way: [tile]/; s/^defines:.*/defines: {TILE: 16, SPINS: 40, COPY: copy, LEAST: 0}/' tiles.yaml
tune_tiles
expect_err "^tune: tiles: at n=[0-9]+ all that was measured fails, too, .*'n % 16 == 0'"

# The next run does not fall back on what the last found wrong there.
run "$TUNE" run tiles.yaml --device cpu "${steady[@]}" --set sweep_slower=100 --effort normal --set confirm_processes=2 --set confirm_rounds=3
expect_code 0

# One that takes any size from some on.
write_tiles '' '{way: tile, copy: 1}'
sed -i 's/LEAST: 0/LEAST: 64/' tiles.yaml
tune_tiles
expect_err "default configuration fails, too, .* write 'n >= 64' under its constraints"
