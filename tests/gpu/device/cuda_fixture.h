/* The open GPU that the tests of this folder share, and a plan whose result is known. */
#ifndef TUNE_TESTS_GPU_CUDA_FIXTURE_H
#define TUNE_TESTS_GPU_CUDA_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tuner/base/files.h"
#include "tuner/device/device.h"

extern const char test_kernels_source[]; /* kernels.cu, embedded by the build */

enum { COUNT = 100003 };

static const struct device_api *cuda;
static struct device *device; /* NULL: no GPU here */
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
        fail_msg("line %d: %s: %s: %s", line, call, status_name(got), error.text);
}

static void need_gpu(void)
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
        .kernel_count = 4,
        .kernels = {"scaled_add", "sum<int>", "note_input", "wait_ns"},
    };
    enum status status = cuda->compile(&request, binary, &log, &error);
    text_free(&log);
    return status;
}

static int open_device(void **state)
{
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
        cuda->describe(0, &facts, &error) != STATUS_OK || compile_kernels() != STATUS_OK ||
        cuda->open(0, &device, &error) != STATUS_OK) {
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

static struct launch_plan add_plan(int64_t count)
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

static void check_add(int64_t count)
{
    struct launch_plan plan = add_plan(count);
    const void *inputs[ARGUMENTS_MAX] = {a, b};
    double elapsed_ns = 0;
    int *out = calloc((size_t)count, sizeof *out);
    assert_non_null(out);
    assert_ok(cuda->load(device, binary, &error));
    assert_ok(cuda->bind(device, &plan, inputs, 2, &error));
    assert_ok(cuda->run(device, &plan, &elapsed_ns, &error));
    assert_true(elapsed_ns > 0);
    assert_ok(cuda->read(device, 2, out, (size_t)count * sizeof *out, &error));
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(out[i], a[i] - 3 * b[i]);
    free(out);
}

#endif
