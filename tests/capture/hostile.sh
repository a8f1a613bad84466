# Programs that are difficult for recorders: their results are unchanged, and complete records are
# kept.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/capture/lib.sh"

# Sixteen threads.
capture threads.cap -- address threads
expect_code 0
expect_out '^scaled_add +800 '
dump threads.cap
expect_out '^kernel 0 scaled_add launches=800 nodes=0 kept=3 '
[[ $(grep -c '^launch .* left_out=0 result=0' "$captured.out") -eq 3 ]] || fail "not three whole launches"

# Both sides of a fork launch; a child becomes another program; the program becomes another one.
capture fork.cap --keep 1 -- link fork
dump fork.cap
expect_out '^programs 2 images 2 kernels 2 launches 2$'
[[ $(grep -c '^kernel .* launches=6 ' "$captured.out") -eq 2 ]] || fail "each side has its own counts"
capture late.cap --keep 1 -- link late_fork
dump late.cap
expect_out '^programs 1 images 1 kernels 1 launches 1$'
expect_out '^kernel 0 scaled_add launches=12 '
capture exec.cap --keep 1 -- dlsym exec
dump exec.cap
expect_out '^programs 2 images 2 kernels 2 launches 2$'

# Killed: its counts, and the records kept until then.
run "$TUNE" capture -k scaled_add -o killed.cap -- "$APP" link killed
expect_code 0
expect_err 'was ended by signal 9; its launches until then:$'
expect_out '^3 launches kept:'
dump killed.cap
expect_out '^kernel 0 scaled_add launches=6 '

# A program that closes every file that it finds, and ends silently.
capture closes.cap --keep 9 -- link closes
dump closes.cap
expect_out '^kernel 0 scaled_add launches=12 nodes=0 kept=9 '

# Files may not grow any more: whole launches until then, and no signal.
capture full.cap --keep 6 -- link full 3000000
expect_code 0
dump full.cap
expect_out '^kernel 0 scaled_add launches=6 nodes=0 kept=6 '
capture full.cap --keep 6 -- link full 1200000
expect_code 0
expect_out '^not recorded: .*: the disk is full'
dump full.cap
expect_out '^kernel 0 scaled_add launches=6 nodes=0 kept=4 '
[[ $(grep -c '^launch .* left_out=0 result=0' "$captured.out") -eq 4 ]] || fail "not four whole launches"
rm full.cap
golden "$TUNE" capture -k scaled_add -o full.cap -- "$APP" link full 100000
refuse_file full.cap

# A driver that fails: the launch's own error is the program's, the recorder's are left out.
export TUNE_FAULTS='cuMemcpyDtoHAsync#2: 2'
run "$TUNE" capture -k scaled_add -o failing.cap --keep 1 -- "$APP" link add
expect_code 0
expect_out '^35353111500$'
dump failing.cap
expect_out '^buffer 0.1 .* left_out=2 before=none after=none$'
export TUNE_FAULTS='cuLaunchKernel#2: 701'
run "$TUNE" capture -k scaled_add -o failing.cap --keep 2 -- "$APP" link add
expect_code 0
expect_err 'app: .*: 701$'
expect_err 'ended with exit code 3'
dump failing.cap
expect_out '^launch 1 .* left_out=256 result=701 '
unset TUNE_FAULTS

# Another preloaded library comes after ours.
cat >other.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int cuCtxSynchronize(void)
{
    int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "cuCtxSynchronize");
    fprintf(stderr, "other: synchronized\n");
    return next ? next() : 3;
}
C
"${CC:-cc}" -shared -fPIC -o other.so other.c -ldl
LD_PRELOAD=$PWD/other.so run "$TUNE" capture -k scaled_add -o other.cap -- "$APP" link graph
expect_code 0
expect_err '^other: synchronized$'
dump other.cap
expect_out '^kernel 0 scaled_add launches=3 '

# No program, no launch, no such file.
for program in ./missing /bin/true /bin/false; do
    golden_refusal "$TUNE" capture -- "$program"
done
golden "$TUNE" capture -o x.cap -- "$APP" link add
run "$TUNE" capture
expect_code 2
head -c 100 closes.cap >cut.cap
run "$TUNE" capture --list cut.cap
[[ $code -ne 0 ]] || fail "a part of a capture was read"
expect_golden
