#!/bin/bash
# The kernels that tuned.conf names, as lines for programs to compile in.
source "$TUNE_TESTS/lib.sh"

write_conf() { # FILE BLOCKS_PER_SM
    cat >"$1" <<C
tuned-conf 2
[cuda "GPU $1"] compute_capability=9.0 sm_count=132
reduce.sum.i32 n=1024-4096 variant=last_block map=strided step=shuffle cluster_size=1 stages=0 block=256 count=4 loads=4 cache=no_allocate bound=free blocks_per_sm=$2 tile=4096 grid=1 min_blocks=1 | time_ns=1000
end
C
}
write_conf a.conf 1
write_conf b.conf 8

# Of several files, each kernel once: the grid does not belong to it.
golden "$TUNE" export --configurations lines.inc a.conf b.conf
grep -qx 'TUNE_CONFIGURATION("reduce.sum.i32 variant=last_block map=strided step=shuffle cluster_size=1 stages=0 block=256 count=4 loads=4 cache=no_allocate min_blocks=1")' lines.inc ||
    fail "$(cat lines.inc)"
refuse_file tuned.conf
golden "$TUNE" export --configurations - a.conf

# Few lines that serve all entries: an entry whose alternative another entry needs has no line of its own.
sed 's/blocks_per_sm=8/blocks_per_sm=8 /; s/block=256/block=512/; s/ | / | also1="block=128" also2="block=256 min_blocks=1" /' b.conf >c.conf
golden "$TUNE" export --configurations few.inc c.conf a.conf
grep -q ' block=256 ' few.inc || fail "$(cat few.inc)"
golden "$TUNE" export --configurations - c.conf # else its own

# An entry of no present experiment is reported.
sed 's/loads=4 //' a.conf >old.conf
golden "$TUNE" export --configurations - old.conf

# Without files the database is read.
golden "$TUNE" export --configurations lines.inc

golden "$TUNE" export a.conf
run "$TUNE" export --configurations - -o x a.conf
expect_code 2
golden "$TUNE" export --configurations - missing.conf
echo broken >broken.conf
golden "$TUNE" export --configurations kept.inc broken.conf
refuse_file kept.inc

# The list beside the installed headers is that of the shipped file.
run "$TUNE" export --configurations shipped.inc "$TUNE_SOURCE/configs/tuned.conf"
expect_code 0
cmp shipped.inc "$TUNE_SOURCE/include/tune/configurations.inc" ||
    fail "make it anew: tune export --configurations include/tune/configurations.inc configs/tuned.conf"
expect_golden
