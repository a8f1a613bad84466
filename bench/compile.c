/* bench_compile: how fast the tuner's own pool of compilers compiles 1,000 different kernels of
 * bench/compile.cu, and that none is compiled twice. No GPU is needed, only NVRTC.
 *
 *   bench_compile [--count N] [--workers N] [--arch sm_90]
 *
 * Into an empty cache first, then again. Printed: seconds from the first request to the last
 * answer, start of the processes included; how many were compiled; how much of a core each took;
 * how busy the cores were that this process may use (of all that runs on this machine). The exit
 * code is 1 when a kernel failed or was compiled twice, 77 where there is no NVRTC. */
#include <errno.h>
#include <ftw.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/worker/worker.h"

enum { KERNELS = 1000, CORES_MAX = 1024, EXIT_SKIPPED = 77 };

extern const char compile_kernel[];

struct options {
    size_t count;
    size_t workers; /* 0: as many as there are cores */
    const char *architecture;
};

/* Work of the cores since the machine started, in ticks. */
struct cores {
    size_t count;
    unsigned long long busy[CORES_MAX], all[CORES_MAX];
};

struct result {
    double wall_s;
    double processor_s; /* processor time of the compilers */
    size_t compiled;
    double busy, least_busy; /* shares of the cores' time; below 0: not known */
};

/* Reads "cpu3 user nice system idle iowait irq softirq steal ..."; false for any other line. */
static bool read_core(char *line, size_t *core, unsigned long long ticks[8])
{
    char *at = line + 3;
    if (strncmp(line, "cpu", 3) != 0 || *at < '0' || *at > '9')
        return false;
    *core = (size_t)strtoull(at, &at, 10);
    for (size_t i = 0; i < 8; i++)
        ticks[i] = strtoull(at, &at, 10);
    return true;
}

static void read_cores(const cpu_set_t *ours, struct cores *out)
{
    char line[512];
    FILE *file = fopen("/proc/stat", "re");
    out->count = 0;
    while (file && fgets(line, sizeof line, file)) {
        unsigned long long ticks[8] = {0}, all = 0;
        size_t core = 0;
        if (!read_core(line, &core, ticks) || core >= CORES_MAX || !CPU_ISSET(core, ours) ||
            out->count == CORES_MAX)
            continue;
        for (size_t i = 0; i < 8; i++)
            all += ticks[i];
        out->busy[out->count] = all - ticks[3] - ticks[4]; /* idle, waiting for a disk */
        out->all[out->count++] = all;
    }
    if (file)
        (void)fclose(file);
}

static void measure_busy_share(const struct cores *before, const struct cores *after,
                               struct result *out)
{
    double busy = 0, all = 0;
    out->busy = out->least_busy = -1;
    if (before->count == 0 || before->count != after->count)
        return;
    for (size_t i = 0; i < after->count; i++) {
        double of_core = (double)(after->all[i] - before->all[i]);
        double used = (double)(after->busy[i] - before->busy[i]);
        busy += used;
        all += of_core;
        if (of_core > 0 && (out->least_busy < 0 || used / of_core < out->least_busy))
            out->least_busy = used / of_core;
    }
    out->busy = all > 0 ? busy / all : -1;
}

static double processor_seconds(int who)
{
    struct rusage used;
    if (getrusage(who, &used) != 0)
        return 0;
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Makes kernel `index` of KERNELS, all different; neighbours differ much. */
static void make_request(const char *source, const char *architecture, size_t index,
                         struct binary_request *out)
{
    static const int64_t blocks[] = {64, 128, 192, 256, 512}, loads[] = {1, 2, 3, 4, 6};
    size_t mixed = index * 389 % KERNELS; /* 389 and 1000 have no factor in common */
    const int64_t values[] = {blocks[mixed % 5], loads[mixed / 5 % 5],
                              1 + (int64_t)(mixed / 25 % 10), (int64_t)(mixed / 250 % 2),
                              (int64_t)(mixed / 500)};
    static const char *const names[] = {"BLOCK", "LOADS", "RADIUS", "SHARED", "UNROLL"};
    *out = (struct binary_request){.source_path = source, .architecture = architecture};
    out->define_count = sizeof names / sizeof names[0];
    for (size_t i = 0; i < out->define_count; i++)
        out->defines[i] = (struct named_value){names[i], value_integer(values[i])};
    out->kernel_count = 1;
    out->kernels[0] = "neighbours";
}

static enum status collect(struct compile_pool *pool, struct error *error)
{
    enum status status = STATUS_OK;
    while (status == STATUS_OK && compile_pool_pending(pool) > 0) {
        struct compile_done done;
        bool got = false;
        status = compile_pool_wait(pool, -1, &done, &got, error);
        if (status == STATUS_OK && got && done.status != STATUS_OK)
            status = error_set(error, done.status, "kernel %llu: %s", (unsigned long long)done.tag,
                               done.detail);
    }
    return status;
}

/* Requests all binaries, as a run of the tuner does: those missing in the cache are compiled. */
static enum status request_all(const struct options *options, const char *source,
                               struct compile_pool *pool, const struct facts *facts,
                               struct result *out, struct error *error)
{
    struct arena arena = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < options->count; i++) {
        struct binary_request request;
        const char *path = NULL, *hash = NULL;
        make_request(source, options->architecture, i, &request);
        status = binary_cache_path(&request, facts, &arena, &path, &hash, error);
        if (status != STATUS_OK || file_exists(path))
            continue;
        out->compiled++;
        status = compile_pool_submit(pool, &request, path, i, error);
    }
    if (status == STATUS_OK)
        status = collect(pool, error);
    arena_free(&arena);
    return status;
}

static enum status compile(const struct options *options, const char *source, const cpu_set_t *ours,
                           struct result *out, struct error *error)
{
    struct compile_pool *pool = NULL;
    struct cores before, after;
    struct facts facts = {0};
    facts_add_text(&facts, "compiler", "NVRTC");
    facts_add_text(&facts, "name", options->architecture);
    *out = (struct result){0};
    double processor_s = processor_seconds(RUSAGE_CHILDREN);
    enum status status =
        compile_pool_start(host_local(), "cuda", options->workers, NULL, &pool, error);
    read_cores(ours, &before);
    int64_t start_ns = clock_now_ns();
    if (status == STATUS_OK)
        status = request_all(options, source, pool, &facts, out, error);
    out->wall_s = (double)(clock_now_ns() - start_ns) * 1e-9;
    read_cores(ours, &after);
    compile_pool_stop(pool);
    out->processor_s = processor_seconds(RUSAGE_CHILDREN) - processor_s;
    measure_busy_share(&before, &after, out);
    facts_free(&facts);
    return status;
}

static void print(const char *name, const struct options *options, const struct result *result)
{
    printf("%-5s %8.3f s, %zu of %zu compiled", name, result->wall_s, result->compiled,
           options->count);
    if (result->compiled > 0)
        printf(", %.1f ms of a core each", 1e3 * result->processor_s / (double)result->compiled);
    if (result->compiled > 0 && result->busy >= 0)
        printf(", cores %.0f %% busy (the least busy %.0f %%)", 100 * result->busy,
               100 * result->least_busy);
    printf("\n");
}

static enum status run(struct options *options, const char *folder, bool *right,
                       struct error *error)
{
    char source[PATH_MAX], cache[PATH_MAX];
    cpu_set_t ours;
    struct result cold, warm;
    CPU_ZERO(&ours);
    if (sched_getaffinity(0, sizeof ours, &ours) != 0)
        return error_set_errno(error, errno, "sched_getaffinity");
    if (options->workers == 0)
        options->workers = (size_t)CPU_COUNT(&ours);
    if (!string_format(source, sizeof source, "%s/compile.cu", folder) ||
        !string_format(cache, sizeof cache, "%s/cache", folder) ||
        setenv("TUNE_CACHE_DIR", cache, 1) != 0)
        return error_set(error, STATUS_BAD_INPUT, "%s: too long", folder);
    enum status status =
        file_write_atomically(source, compile_kernel, strlen(compile_kernel), error);
    if (status == STATUS_OK)
        status = compile(options, source, &ours, &cold, error);
    if (status != STATUS_OK)
        return status;
    printf("%zu kernels without headers for %s, %zu compilers on %d cores\n", options->count,
           options->architecture, options->workers, CPU_COUNT(&ours));
    print("cold", options, &cold);
    status = compile(options, source, &ours, &warm, error);
    if (status != STATUS_OK)
        return status;
    print("warm", options, &warm);
    *right = cold.compiled == options->count && warm.compiled == 0;
    return STATUS_OK;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static bool read_count(const char *text, size_t most, size_t *out)
{
    char *end = NULL;
    unsigned long long value = strtoull(text, &end, 10);
    *out = (size_t)value;
    return end != text && *end == '\0' && value >= 1 && value <= most;
}

static bool read_options(int count, char **arguments, struct options *out)
{
    static const struct option known[] = {{"count", required_argument, NULL, 'n'},
                                          {"workers", required_argument, NULL, 'w'},
                                          {"arch", required_argument, NULL, 'a'},
                                          {NULL, 0, NULL, 0}};
    bool right = true;
    int letter = 0;
    while (right && (letter = getopt_long(count, arguments, "", known, NULL)) != -1) {
        if (letter == 'n')
            right = read_count(optarg, KERNELS, &out->count);
        else if (letter == 'w')
            right = read_count(optarg, CORES_MAX, &out->workers);
        else if (letter == 'a')
            out->architecture = optarg;
        else
            right = false;
    }
    return right && optind == count;
}

int main(int count, char **arguments)
{
    if (count > 1 && worker_is_entry(arguments[1]))
        return worker_main(count, arguments);
    struct options options = {.count = KERNELS, .architecture = "sm_90"};
    struct error error = {0};
    char folder[] = "/tmp/bench-compile-XXXXXX";
    bool right = false;
    if (!read_options(count, arguments, &options)) {
        fprintf(stderr, "usage: bench_compile [--count 1..%d] [--workers N] [--arch sm_90]\n",
                KERNELS);
        return EXIT_CODE_USAGE;
    }
    if (!mkdtemp(folder)) {
        perror(folder);
        return EXIT_FAILURE;
    }
    enum status status = run(&options, folder, &right, &error);
    (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (status != STATUS_OK)
        fprintf(stderr, "bench_compile: %s\n", error.text);
    if (status == STATUS_UNAVAILABLE)
        return EXIT_SKIPPED;
    return status == STATUS_OK && right ? EXIT_SUCCESS : EXIT_FAILURE;
}
