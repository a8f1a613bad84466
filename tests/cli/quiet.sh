#!/bin/bash
# After a second tuning, tuned.conf differs in the lines whose configuration changed, and edges between the
# same two configurations stay (bench/quiet.py counts).
source "$TUNE_TESTS/lib.sh"
command -v python3 >/dev/null || exit 77
for seed in 1 2; do
    run "$TUNE" run reduce.sum.f32 --device replay:nvidia-h100 --sizes 2**12,2**16,2**20,2**24 --points 60 --seed $seed \
        --db $seed.db --conf $seed.conf --no-report -q
    expect_code 0
done
run python3 -B "$TUNE_SOURCE/bench/quiet.py" 1.conf 1.conf 2.conf
expect_code 0
expect_out '^1.conf: ([0-9]+) lines: \1 the same, 0 of another configuration, 0 for other sizes; [0-9]+ edges .*: 0 moved$'
expect_out '^2.conf: .* edges between the same two: 0 moved$'

printf 'tuned-conf 4\n[cuda "A"]\np n=1-9 b=1\np n=10-99 b=2 | at=20\n  | time_ns=5\np n=100 b=3\nend\n' >a.conf
printf 'tuned-conf 4\n[cuda "A"]\np n=1-18 b=1\np n=19-99 b=2 | at=20\n  | time_ns=6\np n=100 b=4\nend\n' >b.conf
run python3 -B "$TUNE_SOURCE/bench/quiet.py" a.conf b.conf
expect_out '^b.conf: 3 lines: 0 the same, 1 of another configuration, 2 for other sizes; 1 edges between the same two: 1 moved 2.00$'
