/* The open GPU that the tests of this folder share, and a plan whose result is known. */
#ifndef TUNE_TESTS_GPU_CUDA_FIXTURE_H
#define TUNE_TESTS_GPU_CUDA_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/files.h"
#include "tuner/device/device.h"

extern const char test_kernels_source[]; /* kernels.cu, embedded by the build */

enum { COUNT = 100003 };

static const struct device_api *cuda;
static struct device *device; /* NULL: no GPU here */
static struct calibration calibration;
static struct facts facts;
static struct error error;
static char source[64];
static char binary[64];
static int *a;
static int *b;

#define assert_ok(call)         assert_status((call), STATUS_OK, #call, __LINE__)
#define assert_is(call, status) assert_status((call), (status), #call, __LINE__)

static void assert_status(enum status got, enum status wanted, const char *call, int line)
{
    if (got != wanted)
        fail_msg("line %d: %s: %s: %s", line, call, status_text(got), error.text);
}

static inline void need_gpu(void)
{
    if (!device)
        skip();
}

static enum status compile_kernels(void)
{
    struct text log = {0};
    struct binary_request request = {
        .source_path = source,
        .architecture = facts_text(&facts, "architecture", ""),
        .kernel_count = 5,
        .kernels = {"scaled_add", "sum<int>", "note_input", "write_at", "copy_at"},
    };
    enum status status = cuda->compile(&request, binary, &log, &error);
    text_free(&log);
    return status;
}

static int open_device(void **state)
{
    const struct warm_up warm_up = {
        .window_ms = 50, .settled = 0.005, .least_ms = 300, .most_ms = 3000, .pause_ms = 20};
    int count = 0;
    (void)state;
    cuda = device_kind("cuda");
    if (!cuda || cuda->count(&count, &error) != STATUS_OK || count == 0) {
        print_message("skipped: %s\n", cuda ? error.text : "built without CUDA");
        return 0;
    }
    (void)snprintf(source, sizeof source, "/tmp/tune-gpu-test-%ld.cu", (long)getpid());
    (void)snprintf(binary, sizeof binary, "/tmp/tune-gpu-test-%ld.bin", (long)getpid());
    a = calloc(COUNT, sizeof *a);
    b = calloc(COUNT, sizeof *b);
    for (int i = 0; a && b && i < COUNT; i++) {
        a[i] = i;
        b[i] = 7 - i % 13;
    }
    if (!a || !b ||
        file_write_atomically(source, test_kernels_source, strlen(test_kernels_source), &error) !=
            STATUS_OK ||
        cuda->describe(0, NULL, &facts, &error) != STATUS_OK || compile_kernels() != STATUS_OK ||
        cuda->open(0, &warm_up, &device, &calibration, &error) != STATUS_OK) {
        print_message("%s\n", error.text);
        return -1;
    }
    return 0;
}

static int close_device(void **state)
{
    (void)state;
    if (device)
        cuda->close(device);
    if (*binary)
        (void)unlink(binary);
    if (*source)
        (void)unlink(source);
    facts_free(&facts);
    free(a);
    free(b);
    return 0;
}

static struct argument vector(const char *name, enum element_type type, enum argument_role role,
                              int64_t count)
{
    return (struct argument){.name = name, .type = type, .role = role, .count = count};
}

static struct argument scalar(const char *name, enum element_type type, int64_t value)
{
    return (struct argument){
        .name = name, .type = type, .role = ARGUMENT_SCALAR, .scalar = value_integer(value)};
}

static inline struct launch_plan add_plan(int64_t count)
{
    return (struct launch_plan){
        .launch_count = 1,
        .launches = {{.kernel = "scaled_add",
                      .grid = {(uint32_t)(count + 127) / 128, 1, 1},
                      .block = {128, 1, 1},
                      .argument_count = 5,
                      .arguments = {0, 1, 2, 3, 4}}},
        .argument_count = 5,
        .arguments = {vector("a", ELEMENT_I32, ARGUMENT_INPUT, count),
                      vector("b", ELEMENT_I32, ARGUMENT_INPUT, count),
                      vector("out", ELEMENT_I32, ARGUMENT_OUTPUT, count),
                      scalar("scale", ELEMENT_I32, -3), scalar("n", ELEMENT_I64, count)},
    };
}

/* Returns the time of one run, in ns. */
static inline double time_slot(const struct launch_plan *plan, uint32_t runs, enum l2_mode mode,
                               uint32_t slot, bool prepared)
{
    const struct block block = {
        .plan = plan,
        .runs = runs,
        .mode = l2_state(mode),
        .issue = l2_issue(mode),
        .slot = slot,
        .prepared = prepared,
    };
    double elapsed_ns = 0;
    assert_ok(cuda->time_block(device, &block, &elapsed_ns, &error));
    assert_true(elapsed_ns > 0);
    return elapsed_ns;
}

/* Makes a binary of one more kernel current. */
static inline void load_others(const char *kernel)
{
    struct text log = {0};
    char path[80];
    struct binary_request request = {
        .source_path = source,
        .architecture = facts_text(&facts, "architecture", ""),
        .kernel_count = 1,
        .kernels = {kernel},
    };
    (void)snprintf(path, sizeof path, "%s.others", binary);
    enum status status = cuda->compile(&request, path, &log, &error);
    text_free(&log);
    assert_ok(status);
    status = cuda->load(device, path, &error);
    (void)unlink(path);
    assert_ok(status);
}

enum { SUM_BLOCKS = 37 };

static inline struct launch_plan sum_plan(int64_t count)
{
    return (struct launch_plan){
        .launch_count = 2,
        .launches = {{.kernel = "sum<int>",
                      .grid = {SUM_BLOCKS, 1, 1},
                      .block = {256, 1, 1},
                      .argument_count = 3,
                      .arguments = {0, 1, 3}},
                     {.kernel = "sum<int>",
                      .grid = {1, 1, 1},
                      .block = {256, 1, 1},
                      .argument_count = 3,
                      .arguments = {1, 2, 4}}},
        .argument_count = 5,
        .arguments = {vector("in", ELEMENT_I32, ARGUMENT_INPUT, count),
                      vector("partials", ELEMENT_I32, ARGUMENT_SCRATCH, SUM_BLOCKS),
                      vector("out", ELEMENT_I32, ARGUMENT_OUTPUT, 1),
                      scalar("n", ELEMENT_I64, count),
                      scalar("partial_count", ELEMENT_I64, SUM_BLOCKS)},
    };
}

static inline int sum_of_a(void)
{
    unsigned wanted = 0;
    for (int i = 0; i < COUNT; i++)
        wanted += (unsigned)a[i];
    return (int)wanted;
}

static inline void check_add(int64_t count)
{
    struct launch_plan plan = add_plan(count);
    const void *inputs[ARGUMENTS_MAX] = {a, b};
    double elapsed_ns = 0;
    int *out = calloc((size_t)count, sizeof *out);
    assert_non_null(out);
    assert_ok(cuda->load(device, binary, &error));
    assert_ok(cuda->bind(device, &plan, inputs, 2, NULL, &error));
    assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
    assert_true(elapsed_ns > 0);
    assert_ok(cuda->read(device, 2, out, (size_t)count * sizeof *out, &error));
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(out[i], a[i] - 3 * b[i]);
    free(out);
}

#endif
