/* Compiling for GPUs needs NVRTC but no GPU: from source to the file that `load` takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef TUNE_WITH_CUDA
#include "tests/unit/suite.h"
#include "tuner/base/files.h"
#include "tuner/device/cuda/container.h"
#include "tuner/device/cuda/driver.h"
#include "tuner/device/device.h"
#include "tuner/device/embedded.h"

static const char source_text[] =
    "template <typename T, int N> __global__ void scale(T *data)\n"
    "{\n"
    "    data[threadIdx.x] *= N;\n"
    "}\n"
    "extern \"C\" __global__ void add(const int *a, int *out, long long n)\n"
    "{\n"
    "    long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;\n"
    "    if (i < n)\n"
    "        out[i] = a[i] + OFFSET;\n"
    "}\n"
    "__global__ void mangled(float *data)\n"
    "{\n"
    "    data[0] = 1;\n"
    "}\n"
    "extern \"C\" __global__ void __launch_bounds__(1024, 2) hungry(float *data)\n"
    "{\n"
    "    float held[200];\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < 200; i++)\n"
    "        held[i] = data[i * 1024 + threadIdx.x];\n"
    "    __syncthreads();\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < 200; i++)\n"
    "        data[i * 1024 + threadIdx.x] = held[199 - i] * held[i];\n"
    "}\n";

struct fixture {
    char folder[64];
    char source[128];
    char binary[128];
    struct arena arena;
    struct text log;
    struct error error;
};

static void write_source(const struct fixture *fixture, const char *text)
{
    struct error error;
    assert_int_equal(file_write_atomically(fixture->source, text, strlen(text), &error), STATUS_OK);
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    if (!fixture)
        return -1;
    (void)snprintf(fixture->folder, sizeof fixture->folder, "/tmp/tune-test-XXXXXX");
    if (!mkdtemp(fixture->folder))
        return -1;
    (void)snprintf(fixture->source, sizeof fixture->source, "%s/kernel.cu", fixture->folder);
    (void)snprintf(fixture->binary, sizeof fixture->binary, "%s/kernel.bin", fixture->folder);
    write_source(fixture, source_text);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    (void)unlink(fixture->source);
    (void)unlink(fixture->binary);
    (void)rmdir(fixture->folder);
    arena_free(&fixture->arena);
    text_free(&fixture->log);
    free(fixture);
    return 0;
}

static void need_compiler(void)
{
    struct error error;
    if (!cuda_compiler(&error)) {
        print_message("skipped: %s\n", error.text);
        skip();
    }
}

static struct binary_request request_of(const struct fixture *fixture, const char *architecture)
{
    return (struct binary_request){
        .source_path = fixture->source,
        .architecture = architecture,
        .define_count = 2,
        .defines = {{"BLOCK", value_integer(128)}, {"OFFSET", value_text("(3 + 4)")}},
        .kernel_count = 1,
        .kernels = {"add"},
    };
}

static enum status compile(struct fixture *fixture, const struct binary_request *request)
{
    text_clear(&fixture->log);
    return device_kind("cuda")->compile(request, fixture->binary, &fixture->log, &fixture->error);
}

static void read_binary(struct fixture *fixture, struct container *out)
{
    char *file = NULL;
    size_t bytes = 0;
    assert_int_equal(
        file_read(&fixture->arena, fixture->binary, 1 << 24, &file, &bytes, &fixture->error),
        STATUS_OK);
    assert_int_equal(container_read(file, bytes, out, &fixture->error), STATUS_OK);
}

/* Bits 8 to 15 (before version 8 of the ABI, bits 0 to 7) of e_flags are the architecture. */
static int architecture_of_cubin(const struct container *binary)
{
    const unsigned char *elf = binary->cubin;
    uint32_t flags;
    assert_true(binary->cubin_bytes > 64);
    assert_memory_equal(elf, "\177ELF", 4);
    memcpy(&flags, elf + 48, sizeof flags);
    return elf[8] >= 8 ? (int)(flags >> 8 & 0xff) : (int)(flags & 0xff);
}

TEST_WITH(test_compiles_for_each_architecture, set_up, tear_down)
{
    static const int architectures[] = {75, 80, 86, 89, 90, 100, 120};
    struct fixture *fixture = *state;
    struct container binary;
    need_compiler();
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "sm_%d", architectures[i]);
        struct binary_request request = request_of(fixture, name);
        enum status status = compile(fixture, &request);
        if (status == STATUS_UNAVAILABLE) {
            print_message("%s\n", fixture->error.text);
            continue;
        }
        if (status != STATUS_OK)
            fail_msg("%s: %s", name, fixture->error.text);
        read_binary(fixture, &binary);
        assert_int_equal(architecture_of_cubin(&binary), architectures[i]);
        assert_string_equal(binary.kernels[0].name, "add");
        assert_string_equal(binary.kernels[0].lowered, "add");
        assert_int_equal(binary.kernels[0].spill_bytes, 0);
        assert_non_null(strstr(text_string(&fixture->log), "registers"));
    }
}

TEST_WITH(test_finds_kernels_by_name_expression, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct container binary;
    need_compiler();
    struct binary_request request = request_of(fixture, "sm_90");
    request.kernel_count = 3;
    request.kernels[1] = "scale<float, 2 + 1>";
    request.kernels[2] = "mangled";
    assert_int_equal(compile(fixture, &request), STATUS_OK);
    read_binary(fixture, &binary);
    assert_int_equal(binary.kernel_count, 3);
    assert_string_equal(binary.kernels[1].name, "scale<float, 2 + 1>");
    assert_string_equal(binary.kernels[1].lowered, "_Z5scaleIfLi3EEvPT_");
    assert_string_equal(binary.kernels[2].lowered, "_Z7mangledPf");
    for (size_t i = 0; i < binary.kernel_count; i++)
        assert_int_equal(binary.kernels[i].spill_bytes, 0);
}

TEST_WITH(test_tells_spills, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct container binary;
    need_compiler();
    struct binary_request request = request_of(fixture, "sm_90");
    request.kernel_count = 2;
    request.kernels[1] = "hungry";
    assert_int_equal(compile(fixture, &request), STATUS_OK);
    read_binary(fixture, &binary);
    assert_int_equal(binary.kernels[0].spill_bytes, 0);
    assert_true(binary.kernels[1].spill_bytes > 100);
}

TEST_WITH(test_error_names_the_line, set_up, tear_down)
{
    struct fixture *fixture = *state;
    need_compiler();
    write_source(fixture,
                 "extern \"C\" __global__ void add(int *out)\n{\n    out[0] = nothing;\n}\n");
    struct binary_request request = request_of(fixture, "sm_90");
    assert_int_equal(compile(fixture, &request), STATUS_COMPILE_FAILED);
    assert_non_null(strstr(fixture->error.text, "kernel.cu(3): error"));
    assert_non_null(strstr(fixture->error.text, "\"nothing\""));
    assert_non_null(strstr(text_string(&fixture->log), "nothing"));
    assert_false(file_exists(fixture->binary));
}

TEST_WITH(test_refuses_a_kernel_that_is_not_there, set_up, tear_down)
{
    struct fixture *fixture = *state;
    need_compiler();
    struct binary_request request = request_of(fixture, "sm_90");
    request.kernels[0] = "subtract";
    assert_int_equal(compile(fixture, &request), STATUS_COMPILE_FAILED);
    assert_non_null(strstr(fixture->error.text, "subtract"));
}

TEST_WITH(test_refuses_wrong_flags_and_sources, set_up, tear_down)
{
    struct fixture *fixture = *state;
    need_compiler();
    struct binary_request request = request_of(fixture, "sm_90");
    request.flag_count = 1;
    request.flags[0] = "--no-such-flag";
    assert_int_equal(compile(fixture, &request), STATUS_COMPILE_FAILED);
    assert_non_null(strstr(fixture->error.text, "no-such-flag"));
    request = request_of(fixture, "sm_90");
    request.source_path = "/nowhere/kernel.cu";
    assert_int_equal(compile(fixture, &request), STATUS_NOT_FOUND);
    assert_non_null(strstr(fixture->error.text, "/nowhere/kernel.cu"));
}

TEST_WITH(test_says_which_architectures_it_knows, set_up, tear_down)
{
    struct fixture *fixture = *state;
    need_compiler();
    struct binary_request request = request_of(fixture, "sm_999");
    assert_int_equal(compile(fixture, &request), STATUS_UNAVAILABLE);
    assert_non_null(strstr(fixture->error.text, "a later CUDA"));
    request = request_of(fixture, "sm_20");
    assert_int_equal(compile(fixture, &request), STATUS_UNAVAILABLE);
    assert_non_null(strstr(fixture->error.text, "an earlier CUDA"));
    request = request_of(fixture, "native");
    assert_int_equal(compile(fixture, &request), STATUS_BAD_INPUT);
}

TEST_WITH(test_includes_from_beside_the_source, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct error error;
    char header[160];
    need_compiler();
    (void)snprintf(header, sizeof header, "%s/offset.cuh", fixture->folder);
    assert_int_equal(file_write_atomically(header, "#define VALUE 1\n", 16, &error), STATUS_OK);
    write_source(fixture, "#include \"offset.cuh\"\n"
                          "extern \"C\" __global__ void add(int *out)\n{\n    *out = VALUE;\n}\n");
    struct binary_request request = request_of(fixture, "sm_90");
    enum status status = compile(fixture, &request);
    (void)unlink(header);
    assert_int_equal(status, STATUS_OK);
}

static void compiles_everywhere(struct fixture *fixture, struct binary_request *request)
{
    static const char *const architectures[] = {"sm_75", "sm_80",  "sm_86",  "sm_89",
                                                "sm_90", "sm_90a", "sm_100", "sm_120"};
    const size_t count = sizeof architectures / sizeof *architectures;
    need_compiler();
    for (size_t i = 0; i < count;
         i += TEST_SANITIZED ? count - 1 : 1) { /* the first and the last */
        request->architecture = architectures[i];
        enum status status = compile(fixture, request);
        if (status != STATUS_OK && status != STATUS_UNAVAILABLE)
            fail_msg("%s: %s", architectures[i], fixture->error.text);
        assert_null(strstr(text_string(&fixture->log), "warning"));
        struct container binary;
        if (status == STATUS_OK)
            read_binary(fixture, &binary);
        for (size_t k = 0; status == STATUS_OK && k < binary.kernel_count; k++)
            assert_int_equal(binary.kernels[k].spill_bytes, 0);
    }
}

/* The kernels that the tool itself measures with must compile everywhere. */
TEST_WITH(test_harness_compiles, set_up, tear_down)
{
    struct binary_request request = {
        .source_path = TEST_SOURCE_DIR "/tuner/device/cuda/harness.cu",
        .kernel_count = 4,
        .kernels = {"tune_gate", "tune_empty", "tune_clean_read", "tune_anchor"},
    };
    compiles_everywhere(*state, &request);
}

static void as_the_host(struct binary_request *request)
{
    static const char *const flags[] = {"--device-as-default-execution-space", "--fmad=false",
                                        "--diag-suppress=177"};
    request->flag_count = sizeof flags / sizeof *flags;
    memcpy(request->flags, flags, sizeof flags);
}

/* The kernels that compare outputs with the expected ones; the host's compiler accepts them as
 * well. */
TEST_WITH(test_checks_compile, set_up, tear_down)
{
    struct fixture *fixture = *state;
    static const char *const types[] = {"ELEMENT_F16", "ELEMENT_U64"};
    write_source(fixture, cuda_check_source);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct binary_request request = request_of(fixture, "sm_90");
        request.define_count = 1;
        request.defines[0] = (struct named_value){"CHECK_TYPE", value_text(types[i])};
        as_the_host(&request);
        request.kernel_count = 1;
        request.kernels[0] = "tune_compare";
        compiles_everywhere(fixture, &request);
    }
}

TEST_WITH(test_fills_compile, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct binary_request request = request_of(fixture, "sm_90");
    write_source(fixture, cuda_fill_source);
    as_the_host(&request);
    request.kernel_count = 1;
    request.kernels[0] = "tune_fill";
    compiles_everywhere(fixture, &request);
}

TEST_WITH(test_ceilings_compile, set_up, tear_down)
{
    struct binary_request request = {
        .source_path = TEST_SOURCE_DIR "/tuner/device/cuda/ceilings.cu",
        .define_count = 2,
        .defines = {{"STAGES", value_integer(4)}, {"TILE", value_integer(8192)}},
        .kernel_count = 5,
        .kernels = {"tune_read_2", "tune_read_4", "tune_read_8", "tune_read_first_to_go",
                    "tune_read_bulk"},
    };
    struct binary_request others = request;
    const char *const names[] = {"tune_write_1", "tune_write_4", "tune_write_bulk",
                                 "tune_copy_4",  "tune_copy_8",  "tune_copy_bulk"};
    others.kernel_count = sizeof names / sizeof *names;
    memcpy(others.kernels, names, sizeof names);
    compiles_everywhere(*state, &request);
    compiles_everywhere(*state, &others);
}

TEST_WITH(test_arithmetic_compiles, set_up, tear_down)
{
    struct binary_request request = {
        .source_path = TEST_SOURCE_DIR "/tuner/device/cuda/arithmetic.cu",
        .define_count = 3,
        .defines = {{"CHAINS", value_integer(8)},
                    {"UNROLL", value_integer(16)},
                    {"BLOCK", value_integer(512)}},
        .kernel_count = 7,
        .kernels = {"tune_fused_f16", "tune_fused_f32", "tune_fused_f64", "tune_fused_i32",
                    "tune_fused_i64", "tune_added_i32", "tune_added_i64"},
    };
    compiles_everywhere(*state, &request);
    /* All bits of wide numbers are computed: two registers for each chain. */
    const struct fixture *fixture = *state;
    static const char *const wide[] = {"tune_fused_f64", "tune_fused_i64", "tune_added_i64"};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        struct kernel_resources resources;
        struct error error;
        assert_int_equal(
            device_kind("cuda")->inspect(fixture->binary, wide[i], &resources, NULL, &error),
            STATUS_OK);
        assert_true(resources.registers >= 2 * 8 + 3);
    }
}

TEST_WITH(test_missing_driver_says_what_to_do, set_up, tear_down)
{
    struct fixture *fixture = *state;
    int count = -1;
    struct facts facts = {0};
    struct device *device = NULL;
    const struct device_api *cuda = device_kind("cuda");
    if (cuda_driver(&fixture->error))
        skip();
    assert_int_equal(cuda->count(&count, &fixture->error), fixture->error.status);
    assert_true(fixture->error.status == STATUS_UNAVAILABLE ||
                fixture->error.status == STATUS_PERMISSION);
    assert_int_equal(count, 0);
    assert_true(strstr(fixture->error.text, "driver") || strstr(fixture->error.text, "permission"));
    const struct warm_up warm_up = {50, 0.005, 300, 3000, 20};
    assert_int_not_equal(cuda->describe(0, NULL, &facts, &fixture->error), STATUS_OK);
    assert_int_not_equal(cuda->open(0, &warm_up, &device, NULL, &fixture->error), STATUS_OK);
    assert_null(device);
    facts_free(&facts);
}

TEST_MAIN(NULL, NULL)
#else
int main(void)
{
    (void)puts("skipped: built without CUDA");
    return 0;
}
#endif
