#!/bin/bash
# tune ab: a program runs with and without its tuned.conf in turns, and the gain of the whole program is told with its
# interval.
source "$TUNE_TESTS/lib.sh"

# The tuned program sleeps for a shorter time.
cat >app.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tuned.h"
int main(int argc, char **argv)
{
    const struct tuned_device device = {.kind = "cpu", .name = "A CPU"};
    const char *path = "tuned.conf"; /* named by the program itself */
    struct tuned *tuned = tuned_open(&(struct tuned_options){.paths = &path, .path_count = 1}, NULL);
    struct tuned_answer answer;
    const int found = tuned && tuned_find(tuned, &device, "nap", 1, &answer) != TUNED_NONE;
    const long long ms = found ? tuned_integer(answer.entry, "ms", 0) : 60;
    struct timespec nap = {0, ms * 1000000};
    FILE *log = fopen("log", "a");
    fprintf(log, "%s\n", found ? "tuned" : "plain");
    const long runs = ftell(log) / (long)sizeof "plain";
    fclose(log);
    nanosleep(&nap, NULL);
    tuned_free(tuned);
    char line[80];
    if (argc > 1 && strcmp(argv[1], "input") == 0)
        return fgets(line, sizeof line, stdin) ? 0 : 9;
    if (argc > 1 && strcmp(argv[1], "sum") == 0)
        return printf("sum %s\n", found ? "1.0001" : "1.0000") < 0;
    if (argc > 1 && strcmp(argv[1], "third") == 0)
        return runs == 3 ? 4 : 0;
    return found && argc > 1 ? atoi(argv[1]) : 0;
}
C
run "${CC:-cc}" -std=gnu99 -I"$TUNE_SOURCE/libtuned" app.c "$TUNE_SOURCE/libtuned/tuned.c" -o app
expect_code 0
cat >tuned.conf <<'T'
tuned-conf 5

[cpu "A CPU"]
nap n=1 ms=5

end
T
run "$TUNE" ab -- ./app
expect_code 0
expect_err '^tune: wall time, the median of 10 runs each: '
expect_err '^tune: [0-9]+\.[0-9]+ times as fast with tuned launches \([0-9.]+ to [0-9.]+, at 95 %\)$'
# In turns, each first equally often, after one run that is not counted.
[[ $(tr '\n' ' ' <log) == "plain $(printf 'plain tuned tuned plain %.0s' 1 2 3 4 5)" ]] || fail "not in turns: $(cat log)"
# Once is no measurement.
run "$TUNE" ab tuned.conf --repeat 1 -- ./app
expect_err 'one run of each says little'
# A program that ends differently with its file is not faster, nor is one that does so once, whichever run comes last.
golden_refusal "$TUNE" ab tuned.conf --repeat 2 -- ./app 3
rm log
golden "$TUNE" ab tuned.conf --repeat 2 -- ./app third
# Other results are named; the outputs are passed on.
golden_lines '^tune: the program|^sum' "$TUNE" ab tuned.conf --repeat 2 -- ./app sum
# Each run reads the whole input.
echo words >words
run "$TUNE" ab tuned.conf --repeat 2 -- ./app input <words
expect_code 0
printf 'tuned-conf 5\n\nend\n' >tuned.conf
golden_refusal "$TUNE" ab -- ./app
golden "$TUNE" ab tuned.conf
expect_golden
