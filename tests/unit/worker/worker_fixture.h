/* Shared by the tests of the measuring worker: kernels compiled for the CPU, and a worker with a
 * child of this program. */
#ifndef TESTS_UNIT_WORKER_WORKER_FIXTURE_H
#define TESTS_UNIT_WORKER_WORKER_FIXTURE_H

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/worker/worker.h"

enum { TIMEOUT_MS = 20000, ELEMENTS = 1000, CACHE_BYTES = 40000 };

static char folder[64];
static char kernels_path[128];   /* the binary of the kernels below */
static char others_path[128];    /* other kernels: `right` also leaves a "!" */
static char reference_path[128]; /* the reference's file */
static struct worker *worker;

/* Arguments: 0 in, 1 out, 2 ticket, 3 n, 4 mark. Each run leaves the mark in the file
 * $TEST_MARKS. */
static const char kernels_source[] =
    "char *getenv(const char *);\n"
    "int open(const char *, int, ...);\n"
    "long write(int, const void *, unsigned long);\n"
    "int close(int);\n"
    "int usleep(unsigned);\n"
    "static void say(const void *bytes, long count) {\n"
    "    int file = open(getenv(\"TEST_MARKS\"), 02001);\n"
    "    if (file >= 0) { write(file, bytes, count); close(file); }\n"
    "}\n"
    "static void copy(void *const *a) {\n"
    "    const int *in = a[0]; int *out = a[1];\n"
    "    for (long long i = 0; i < *(const long long *)a[3]; i++) out[i] = in[i] + 1;\n"
    "}\n"
    "void right(const struct tune_block *block, void *const *a) {\n"
    "    (void)block; copy(a); say(a[4], 1);\n"
    "#ifdef OTHERS\n"
    "    say(\"!\", 1);\n"
    "#endif\n"
    "}\n"
    "void once(const struct tune_block *block, void *const *a) {\n"
    "    (void)block; if ((*(int *)a[2])++ == 0) { copy(a); say(a[4], 1); }\n"
    "}\n"
    "void beyond(const struct tune_block *block, void *const *a) {\n"
    "    (void)block; copy(a); ((int *)a[1])[*(const long long *)a[3]] = 7;\n"
    "}\n"
    "void wrong(const struct tune_block *block, void *const *a) {\n"
    "    (void)block; copy(a); ((int *)a[1])[3]++;\n"
    "}\n"
    "void crash(const struct tune_block *block, void *const *a) {\n"
    "    (void)block, (void)a; __builtin_trap();\n"
    "}\n"
    "void hang(const struct tune_block *block, void *const *a) {\n"
    "    (void)block; for (;;) *(volatile int *)a[2] = 1;\n"
    "}\n"
    "void sleepy(const struct tune_block *block, void *const *a) {\n" /* 'a': always */
    "    static int calls;\n"
    "    (void)block; copy(a); if (++calls == 2 || *(int *)a[4] == 'a') usleep(20000);\n"
    "}\n"
    /* Kernels: right for five runs; right by an earlier input; not always the same; adding to old
     * contents. */
    "void lately(const struct tune_block *block, void *const *a) {\n"
    "    static int calls; (void)block; copy(a); if (++calls > 5) ((int *)a[1])[3]++;\n"
    "}\n"
    "void recall(const struct tune_block *block, void *const *a) {\n"
    "    static int kept[1000], known; (void)block; copy(a);\n"
    "    for (int i = 0; i < 1000; i++) if (known) ((int *)a[1])[i] = kept[i];\n"
    "    else kept[i] = ((int *)a[1])[i];\n"
    "    known = 1;\n"
    "}\n"
    "void wobble(const struct tune_block *block, void *const *a) {\n"
    "    static int calls; (void)block; copy(a); ((int *)a[1])[3] += ++calls % 3;\n"
    "}\n"
    "void skip(const struct tune_block *block, void *const *a) {\n"
    "    static int calls; (void)block; if (++calls <= 4) copy(a);\n"
    "}\n"
    "void add(const struct tune_block *block, void *const *a) {\n"
    "    const int *in = a[0]; unsigned *out = a[1]; (void)block;\n"
    "    for (int i = 0; i < 1000; i++) out[i] += (unsigned)in[i];\n"
    "}\n"
    "void add_twice(const struct tune_block *block, void *const *a) {\n"
    "    static int calls; add(block, a); if (++calls > 2) add(block, a);\n"
    "}\n"
    /* Kernels with right results that change other things: an input, the rounding, the process. */
    "void mutate(const struct tune_block *block, void *const *a) {\n"
    "    (void)block; copy(a); ((int *)a[0])[*(const long long *)a[3] - 1] ^= 1;\n"
    "}\n"
    "void later(const struct tune_block *block, void *const *a) {\n"
    "    static int calls;\n"
    "    (void)block; copy(a); if (++calls > 3) ((int *)a[0])[7] ^= 1;\n"
    "}\n"
    "void same(const struct tune_block *block, void *const *a) {\n"
    "    volatile int *in = a[0]; (void)block; copy(a); in[0] = in[0];\n"
    "}\n"
    "int fesetround(int);\n"
    "void modes(const struct tune_block *block, void *const *a) {\n"
    "    (void)block; copy(a); fesetround(0xc00);\n" /* towards zero, on x86-64 and aarch64 */
    "}\n"
    "int fegetround(void);\n"
    "void rounds(const struct tune_block *block, void *const *a) {\n"
    "    (void)block; copy(a); if (fegetround() != 0) ((int *)a[1])[0]++;\n"
    "}\n"
    "int setrlimit(int, const void *);\n"
    "void limits(const struct tune_block *block, void *const *a) {\n"
    "    static const unsigned long none[2]; (void)block; copy(a); setrlimit(4, none);\n" /* core */
    "}\n"
    "void (*signal(int, void (*)(int)))(int);\n"
    "void signals(const struct tune_block *block, void *const *a) {\n"
    "    (void)block; copy(a); signal(11, (void (*)(int))1);\n"
    "}\n"
    /* Elements outside change the result, by a sum and by a maximum. */
    "void behind(const struct tune_block *block, void *const *a) {\n"
    "    const int *in = a[0]; (void)block; copy(a);\n"
    "    ((int *)a[1])[0] = (int)((unsigned)((int *)a[1])[0] + (unsigned)in[*(const long long "
    "*)a[3]]);\n"
    "}\n"
    "void before(const struct tune_block *block, void *const *a) {\n"
    "    const int *in = a[0]; int *out = a[1]; (void)block; copy(a);\n"
    "    if (in[-1] > in[0]) out[0] = (int)((unsigned)in[-1] + 1u);\n"
    "}\n"
    "void ignored(const struct tune_block *block, void *const *a) {\n"
    "    volatile const int *in = a[0]; (void)block; copy(a); (void)in[-1]; (void)in[*(const long "
    "long *)a[3]];\n"
    "}\n"
    "void dump(const struct tune_block *block, void *const *a) {\n"
    "    (void)block; say(a[0], *(const long long *)a[3] * 4);\n"
    "}\n";
static const char reference_source[] =
    "void reference(void *const *a, struct tune_expected *expected) {\n"
    "    const int *in = a[0];\n"
    "    for (long long i = 0; i < *(const long long *)a[3]; i++)\n"
    "        expected[i].integer = (int)((unsigned)in[i] + 1u);\n"
    "}\n";

static inline const char *in_folder(const char *name)
{
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline void compile(const char *name, const char *define, const char *text, const char *cpus,
                           char path[128])
{
    struct compile_pool *pool = NULL;
    struct compile_done done;
    struct error error = {0};
    bool got = false;
    char source[256];
    (void)snprintf(source, sizeof source, "%s/%s.c", folder, name);
    (void)snprintf(path, 128, "%s/%s.bin", folder, name);
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    assert_true(fprintf(file, "#define %s\n%s", define, text) > 0);
    assert_int_equal(fclose(file), 0);
    struct binary_request request = {.source_path = source, .architecture = "native"};
    if (compile_pool_start(host_local(), "cpu", 1, cpus, &pool, &error) != STATUS_OK ||
        compile_pool_submit(pool, &request, path, 1, &error) != STATUS_OK ||
        compile_pool_wait(pool, -1, &done, &got, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_true(got);
    if (done.status != STATUS_OK)
        fail_msg("%s\n%s", done.detail, done.log);
    compile_pool_stop(pool);
}

static inline int make_folder(void **state)
{
    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    (void)strcpy(folder, "/tmp/tune-test-XXXXXX");
    if (!mkdtemp(folder) || setenv("TUNE_CACHE_DIR", in_folder("cache"), 1) != 0 ||
        setenv("TEST_MARKS", in_folder("marks"), 1) != 0 ||
        setenv("HWLOC_SYNTHETIC", "l3:1(size=40000) core:2 pu:1", 1) != 0)
        return -1;
    compile("kernels", "KERNELS", kernels_source, NULL, kernels_path);
    compile("others", "OTHERS", kernels_source, "", others_path);
    compile("reference", "REFERENCE", reference_source, NULL, reference_path);
    return 0;
}

static inline int remove_folder(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* Returns a protocol without warm-up: these tests check no times. */
static inline struct protocol quick_protocol(void)
{
    struct protocol protocol;
    protocol_defaults(EFFORT_QUICK, true, &protocol);
    protocol.warm_window_ms = 1;
    protocol.warm_least_ms = 0;
    protocol.warm_most_ms = 1;
    return protocol;
}

static inline void start_worker(const struct protocol *protocol)
{
    struct error error = {0};
    if (worker_start(host_local(), "cpu", 0, protocol, &worker, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static inline int start_quick_worker(void **state)
{
    struct protocol protocol = quick_protocol();
    (void)state;
    start_worker(&protocol);
    return 0;
}

static inline int stop_worker(void **state)
{
    (void)state;
    worker_stop(worker);
    worker = NULL;
    return 0;
}

static inline struct launch_plan plan_of(const char *kernel, int64_t n, char mark)
{
    struct launch_plan plan = {.launch_count = 1, .argument_count = 5};
    plan.launches[0] = (struct launch){.kernel = kernel,
                                       .grid = {1, 1, 1},
                                       .block = {1, 1, 1},
                                       .threads = 1,
                                       .argument_count = 5,
                                       .arguments = {0, 1, 2, 3, 4}};
    plan.arguments[0] = (struct argument){.name = "in",
                                          .type = ELEMENT_I32,
                                          .role = ARGUMENT_INPUT,
                                          .fill = FILL_RANDOM,
                                          .seed = 1,
                                          .count = n};
    plan.arguments[1] =
        (struct argument){.name = "out", .type = ELEMENT_I32, .role = ARGUMENT_OUTPUT, .count = n};
    plan.arguments[2] = (struct argument){
        .name = "ticket", .type = ELEMENT_I32, .role = ARGUMENT_SCRATCH, .count = 1};
    plan.arguments[3] = (struct argument){
        .name = "n", .type = ELEMENT_I64, .role = ARGUMENT_SCALAR, .scalar = value_integer(n)};
    plan.arguments[4] = (struct argument){.name = "mark",
                                          .type = ELEMENT_I32,
                                          .role = ARGUMENT_SCALAR,
                                          .scalar = value_integer(mark)};
    return plan;
}

/* Returns checks against the reference above: equality. */
static inline struct worker_checks checks_of(void)
{
    return (struct worker_checks){
        .count = 1, .items = {{.path = reference_path, .name = "reference", .output = 1}}};
}

static inline void tell_problem(int64_t n)
{
    struct error error = {0};
    struct launch_plan plan = plan_of("", n, 0);
    struct worker_task problem = {.plan = &plan, .checks = checks_of()};
    if (worker_problem(worker, &problem, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static inline void load_kernels(void)
{
    struct error error = {0};
    struct worker_outcome outcome;
    const struct launch launch = {.kernel = "right", .grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct kernel_resources resources;
    if (worker_load(worker, kernels_path, &launch, 1, &resources, &outcome, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_string_equal(outcome.detail, "");
}

static inline struct worker_outcome try_kernel(const char *kernel, uint32_t blocks, uint32_t runs,
                                               enum l2_mode mode, struct worker_samples *samples)
{
    struct error error = {0};
    struct worker_outcome outcome;
    struct launch_plan plan = plan_of(kernel, ELEMENTS, 't');
    const struct worker_task task = {.binary_path = kernels_path,
                                     .plan = &plan,
                                     .l2_mode = mode,
                                     .verify = true,
                                     .blocks = blocks,
                                     .runs = runs,
                                     .timeout_ms = TIMEOUT_MS};
    if (worker_trial(worker, &task, samples, &outcome, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return outcome;
}

static inline void must_arm(uint32_t slot, const char *kernel, char mark, enum l2_mode mode,
                            uint32_t runs)
{
    struct error error = {0};
    struct launch_plan plan = plan_of(kernel, ELEMENTS, mark);
    const struct worker_task task = {
        .binary_path = kernels_path, .plan = &plan, .l2_mode = mode, .runs = runs, .keeps = true};
    if (worker_arm(worker, slot, &task, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static inline struct worker_outcome visit(uint32_t slot, uint32_t blocks, int64_t timeout_ms,
                                          struct worker_samples *samples)
{
    struct error error = {0};
    struct worker_outcome outcome;
    if (worker_visit(worker, slot, blocks, timeout_ms, samples, &outcome, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return outcome;
}

static inline void must_visit(uint32_t slot, uint32_t blocks)
{
    struct worker_samples samples;
    struct worker_outcome outcome = visit(slot, blocks, TIMEOUT_MS, &samples);
    assert_string_equal(outcome.detail, "");
    assert_int_equal(outcome.status, TRIAL_OK);
    assert_int_equal(samples.count, blocks);
    for (uint32_t i = 0; i < samples.count; i++)
        assert_true(samples.elapsed_ns[i] > 0);
}

/* Compares the marks that kernels have left since the last call. */
static inline void expect_marks(const char *marks)
{
    char got[256] = "";
    FILE *file = fopen(in_folder("marks"), "r");
    assert_non_null(file);
    got[fread(got, 1, sizeof got - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_string_equal(got, marks);
    assert_int_equal(truncate(in_folder("marks"), 0), 0);
}

static inline int clear_marks(void **state)
{
    FILE *file = fopen(in_folder("marks"), "w");
    (void)state;
    return file ? fclose(file) : -1;
}

/* Returns the parent of a process; 0 if the process is gone. */
static inline int parent_of(const char *pid)
{
    char path[300];
    char line[512] = "";
    int parent = 0;
    (void)snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    line[fread(line, 1, sizeof line - 1, file)] = '\0';
    (void)fclose(file);
    const char *name_end = strrchr(line, ')');
    return name_end && sscanf(name_end, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* Returns the only child of this process. */
static inline pid_t child_of_ours(void)
{
    DIR *processes = opendir("/proc");
    pid_t found = 0;
    assert_non_null(processes);
    for (struct dirent *entry; (entry = readdir(processes));)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
            parent_of(entry->d_name) == getpid())
            found = (pid_t)strtol(entry->d_name, NULL, 10);
    (void)closedir(processes);
    assert_true(found > 0);
    return found;
}

#endif
