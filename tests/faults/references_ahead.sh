#!/bin/bash
# References of the next problems are computed by other processes while one is measured, each once; the workers take the
# results out of the cache. Not through a launcher.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
brief=(--set block_ns=20000 --effort quick)
write_copy 3
sed -i 's/n: \[1000\]/n: [1000, 2000, 3000, 4000, 5000]/' copy.yaml
cat >copy_reference.c <<C
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
void copy_reference(void *const *arguments, struct tune_expected *expected)
{
    const int *in = arguments[0];
    const long long n = *(const long long *)arguments[2];
    const struct timespec slow = {.tv_nsec = 50000000};
    if (n >= 1000) {
        char self[256] = ""; /* "tune", "__measure", "cuda" ..., each with its end */
        FILE *file = fopen("/proc/self/cmdline", "r");
        (void)!fread(self, 1, sizeof self - 1, file);
        fclose(file);
        file = fopen("$PWD/made.txt", "a");
        fprintf(file, "%lld %s\n", n, self + strlen(self) + 1);
        fclose(file);
        nanosleep(&slow, NULL);
    }
    for (long long i = 0; i < n; i++)
        expected[i].integer = in[i];
}
C
tune_copy '' "${brief[@]}" --jobs 4
expect_code 0
[[ $(query "SELECT count(*) FROM trials WHERE stage = 'sweep' AND status <> 'ok'") -eq 0 ]] || fail "$(outcomes)"
grep ' __compile$' made.txt | sort >ahead.txt || fail "all references were made by the worker that needs them: $(cat made.txt)"
[[ -z $(uniq -d ahead.txt) ]] || fail "made ahead more than once: $(cat ahead.txt)"
# One that ends its process there is told of by the worker that needs it, as ever.
forget
sed -i 's/        nanosleep.*/        _exit(3);/; s/n >= 1000/n >= 2000/' copy_reference.c
tune_copy '' "${brief[@]}" --jobs 4
[[ $(query "SELECT count(*) FROM problems p JOIN winners w ON w.problem_id = p.id WHERE p.n = 1000") -gt 0 ]] ||
    fail "what is ahead took the first problem with it"
