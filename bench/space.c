/* bench_space [FILE.yaml ...]: times the spaces of experiment files on one core: making (and so
 * counting) them, going to random points and back. Without files: bench/spaces/. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tuner/base/random.h"
#include "tuner/experiment/experiment.h"

enum { LOOKUPS = 200000 };

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Returns the peak memory of the process. */
static double peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static bool look_up(const struct space *space, double *per_second)
{
    const double start = now_s();
    for (uint64_t i = 0; i < LOOKUPS; i++) {
        struct configuration configuration;
        uint64_t found = 0;
        const uint64_t point = random_at(1, i) % space_count(space);
        space_configuration(space, point, &configuration);
        if (!space_find(space, &configuration, &found) || found != point) {
            (void)fprintf(stderr, "point %llu is found as %llu\n", (unsigned long long)point,
                          (unsigned long long)found);
            return false;
        }
    }
    *per_second = LOOKUPS / (now_s() - start);
    return true;
}

static bool measure(const struct experiment *experiment, struct error *error)
{
    struct problem problem;
    struct facts none = {0};
    struct space *space = NULL;
    experiment_problem(experiment, 0, &problem);
    const double before_mib = peak_mib();
    const double start = now_s();
    if (space_create(experiment, &problem, &none, &space, error) != STATUS_OK)
        return false;
    const double made = now_s();
    double per_second = 0;
    const bool found = look_up(space, &per_second);
    (void)printf("%-14s %20llu %20llu %9.1f ms %8.2f M/s %8.1f MiB\n",
                 experiment_head(experiment)->name, (unsigned long long)space_product_count(space),
                 (unsigned long long)space_count(space), (made - start) * 1e3, per_second * 1e-6,
                 peak_mib() - before_mib);
    space_free(space);
    return found;
}

static int run(const char *path)
{
    struct experiment *experiment = NULL;
    struct error error = {0};
    if (experiment_load(path, "/", &experiment, &error) != STATUS_OK) {
        (void)fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const bool fine = measure(experiment, &error);
    if (!fine && error.text[0])
        (void)fprintf(stderr, "%s\n", error.text);
    experiment_free(experiment);
    return fine ? 0 : 1;
}

/* Runs in a process of its own, so that the peak of its memory is its own. */
static int run_apart(const char *path)
{
    int status = 1;
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        exit(run(path));
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    static const char *const shipped[] = {"convolution", "billion", "hotspot", "free"};
    int failed = 0;
    (void)printf("%-14s %20s %20s %12s %12s %12s\n", "space", "product", "valid", "made in",
                 "at random", "memory");
    for (int i = 1; i < argc; i++)
        failed |= run_apart(argv[i]);
    for (size_t i = 0; argc == 1 && i < sizeof shipped / sizeof *shipped; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/bench/spaces/%s.yaml", TUNE_SOURCE_DIR, shipped[i]);
        failed |= run_apart(path);
    }
    return failed;
}
