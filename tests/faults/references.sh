#!/bin/bash
# A kernel that results are held against, and that breaks the device's context, is named with its arguments; the device is
# not lost. At an awkward size, where nobody can be held against it, there is a winner all the same.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
write_copy 3
sed -i 's/^check:.*/check: {configuration: {way: 1, block: 256}, output: out}\ndefaults: {way: 2, block: 256}/' copy.yaml
brief=(--set block_ns=20000 --effort quick)

# At the problem's own size: 1000 elements are four blocks.
tune_copy 'kernel@WAY=1,block=256,grid=4: 700 sticky' "${brief[@]}"
expect_code 3
expect_err "^tune run: ./copy.yaml: copy.i32 n=1000: what the results are held against \(kernel 'copy_elements' with in\[1000\], out\[1000\]\): "
refuse_err 'is lost|does not come back'

# At up to 256 elements.
forget
tune_copy 'kernel@WAY=1,block=256,grid=1: 700 sticky' "${brief[@]}"
expect_code 0
refuse_err 'is lost|does not come back'
[[ $(grep -cE "^tune: copy: at n=[0-9]+ its default configuration fails, too, .*\(what the results are held against \(kernel 'copy_elements' with in\[1\], out\[1\]\): " "$captured.err") -eq 1 ]] ||
    fail 'not said once'
expect_err "write 'n >= 512' under its constraints"
[[ $(query "SELECT count(*) FROM winners") -eq 1 ]] || fail "no winner"
[[ $(query "SELECT count(*) FROM gauntlets WHERE NOT passed") -eq 0 ]] || fail "$(query "SELECT * FROM gauntlets")"

# What fails once, while they are made, is made again.
forget
tune_copy 'kernel@WAY=1: 700 sticky times=1' "${brief[@]}"
expect_code 0
refuse_err 'is lost|held against'
[[ $(query "SELECT count(*) FROM trials WHERE stage = 'sweep' AND status <> 'ok'") -eq 0 ]] || fail "$(outcomes)"

# References of the problems to come are made by other processes while one is measured, each once; the workers take what
# they said out of the cache.
forget
write_copy 3
sed -i 's/n: \[1000\]/n: [1000, 2000, 3000, 4000, 5000]/' copy.yaml
cat >copy_reference.c <<C
#include <stdio.h>
#include <time.h>
#include <unistd.h>
void copy_reference(void *const *arguments, struct tune_expected *expected)
{
    const int *in = arguments[0];
    const long long n = *(const long long *)arguments[2];
    const struct timespec slow = {.tv_nsec = 50000000};
    if (n >= 1000) {
        FILE *log = fopen("$PWD/made.txt", "a");
        fprintf(log, "%lld %d\n", n, (int)getpid());
        fclose(log);
        nanosleep(&slow, NULL);
    }
    for (long long i = 0; i < n; i++)
        expected[i].integer = in[i];
}
C
tune_copy '' "${brief[@]}" --jobs 4
expect_code 0
[[ $(query "SELECT count(*) FROM trials WHERE stage = 'sweep' AND status <> 'ok'") -eq 0 ]] || fail "$(outcomes)"
worker=$(awk 'NR == 1 { print $2 }' made.txt)
awk -v worker="$worker" '$2 != worker && seen[$1]++' made.txt >twice.txt
[[ ! -s twice.txt ]] || fail "made ahead more than once: $(cat twice.txt)"
awk -v worker="$worker" '$2 != worker' made.txt >ahead.txt
[[ -s ahead.txt ]] || fail "all references were made by the worker that needs them: $(cat made.txt)"
# One that ends its process there is told of by the worker that needs it, as ever.
forget
sed -i 's/        nanosleep.*/        _exit(3);/; s/n >= 1000/n >= 2000/' copy_reference.c
tune_copy '' "${brief[@]}" --jobs 4
[[ $(query "SELECT count(*) FROM problems p JOIN winners w ON w.problem_id = p.id WHERE p.n = 1000") -gt 0 ]] ||
    fail "what is ahead took the first problem with it"
