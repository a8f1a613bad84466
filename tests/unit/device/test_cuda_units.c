/* Kernels of several sources, linked; variables by their names; kernels' parameters in a cubin.
 * Needs NVRTC and nvJitLink, no GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef TUNE_WITH_CUDA
#include "tests/unit/suite.h"
#include "tuner/base/files.h"
#include "tuner/device/cuda/compile.h"

/* Suppresses leaks of nvJitLink, which keeps parts of a failed link after its destruction. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void)  /* NOLINT(bugprone-reserved-identifier) */
{
    return "leak:libnvJitLink\n";
}

static char folder[64];
static char binary[128];
static struct arena arena;
static struct text messages;
static struct error error;

static const char *put(const char *name, const char *text)
{
    const char *path = arena_printf(&arena, "%s/%s", folder, name);
    assert_non_null(path);
    assert_int_equal(file_write_atomically(path, text, strlen(text), &error), STATUS_OK);
    return path;
}

static int set_up(void **state)
{
    (void)state;
    (void)strcpy(folder, "/tmp/tune-test-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(binary, sizeof binary, "%s/kernel.bin", folder);
    const char *headers = arena_printf(&arena, "%s/headers", folder);
    return headers ? mkdir(headers, 0700) : -1;
}

static int tear_down(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    arena_free(&arena);
    text_free(&messages);
    return system(command);
}

/* Makes a request with a kernel in each source, one of them a template; the first calls into the
 * second, whose variable both read; a header has a folder of its own. */
static struct binary_request two_units(void)
{
    (void)put("headers/shared.h", "#pragma once\n"
                                  "extern __constant__ float weights[WEIGHTS];\n"
                                  "__device__ float weighted(float x, int i);\n");
    struct binary_request request = {
        .source_path = put("first.cu", "#include <shared.h>\n"
                                       "// second and its weights are elsewhere\n"
                                       "__global__ void first(float *x, long long n, char last)\n"
                                       "{\n"
                                       "    if (threadIdx.x < n + last)\n"
                                       "        x[threadIdx.x] = weighted(x[threadIdx.x], 1);\n"
                                       "}\n"),
        .unit_count = 1,
        .units = {put("second.cu",
                      "#include \"shared.h\"\n"
                      "__constant__ float weights[WEIGHTS];\n"
                      "namespace own { template <int N> __device__ int table[N]; }\n"
                      "struct pair { double a; char b; };\n"
                      "__device__ float weighted(float x, int i) { return x * weights[i]; }\n"
                      "template <typename T>\n"
                      "__global__ void __launch_bounds__(64) second(T *x, pair p)\n"
                      "{\n"
                      "    x[threadIdx.x] = p.a * weights[2] + own::table<3>[p.b];\n"
                      "}\n")},
        .folder_count = 1,
        .folders = {arena_printf(&arena, "%s/headers", folder)},
        .architecture = "sm_90",
        .define_count = 1,
        .defines = {{"WEIGHTS", value_integer(17)}},
        .kernel_count = 2,
        .kernels = {"second<float>", "first"},
        .symbol_count = 2,
        .symbols = {"weights", "own::table<3>"},
    };
    return request;
}

static void need_linker(void)
{
    if (!cuda_linker(&error)) {
        print_message("skipped: %s\n", error.text);
        skip();
    }
}

static enum status compile(const struct binary_request *request)
{
    text_clear(&messages);
    return cuda_compile(request, binary, &messages, &error);
}

static struct container compiled(const struct binary_request *request)
{
    struct container out;
    char *file = NULL;
    size_t bytes = 0;
    if (compile(request) != STATUS_OK)
        fail_msg("%s\n%s", error.text, text_string(&messages));
    assert_int_equal(file_read(&arena, binary, 1 << 24, &file, &bytes, &error), STATUS_OK);
    assert_int_equal(container_read(file, bytes, &out, &error), STATUS_OK);
    return out;
}

TEST_WITH(kernels_of_several_sources_are_one_binary, set_up, tear_down)
{
    need_linker();
    const struct binary_request request = two_units();
    const struct container out = compiled(&request);
    assert_int_equal(out.kernel_count, 2);
    assert_string_equal(out.kernels[0].name, "second<float>");
    assert_string_equal(out.kernels[0].lowered, "_Z6secondIfEvPT_4pair");
    assert_string_equal(out.kernels[1].lowered, "_Z5firstPfxc");
    assert_int_equal(out.kernels[1].spill_bytes, 0);
    assert_int_equal(out.symbol_count, 2);
    assert_string_equal(out.symbols[0].name, "weights");
    assert_string_equal(out.symbols[0].lowered, "weights");
    assert_string_equal(out.symbols[1].name, "own::table<3>");
    assert_non_null(strstr(out.symbols[1].lowered, "5tableILi3E"));
    for (size_t i = 0; i < out.kernel_count; i++)
        assert_non_null(memmem(out.cubin, out.cubin_bytes, out.kernels[i].lowered,
                               strlen(out.kernels[i].lowered) + 1));
}

/* Where the driver is too old to say so, the cubin does. */
TEST_WITH(the_cubin_tells_what_kernels_take, set_up, tear_down)
{
    static const size_t wanted[2][3] = {{8, 16}, {8, 8, 1}};
    static const int counts[2] = {2, 3};
    const struct cuda_driver silent = {.version = 11040};
    need_linker();
    const struct binary_request request = two_units();
    const struct container out = compiled(&request);
    for (size_t i = 0; i < out.kernel_count; i++) {
        struct kernel kernel = {0};
        cuda_take_parameters(&silent, &out, out.kernels[i].lowered, &kernel);
        assert_int_equal(kernel.parameter_count, counts[i]);
        for (int j = 0; j < counts[i]; j++)
            assert_int_equal(kernel.parameter_bytes[j], wanted[i][j]);
    }
    struct kernel none = {0};
    cuda_take_parameters(&silent, &out, "nobody", &none);
    assert_int_equal(none.parameter_count, PARAMETERS_UNKNOWN);
}

TEST_WITH(what_does_not_link_or_compile_is_told, set_up, tear_down)
{
    need_linker();
    struct binary_request request = two_units();
    (void)put("second.cu", "__global__ void other(float *x) { *x = 1; }\n"
                           "__constant__ float weights[17];\n");
    request.kernels[0] = "other";
    request.symbol_count = 1;
    assert_int_equal(compile(&request), STATUS_COMPILE_FAILED);
    assert_non_null(strstr(error.text, "linking: "));
    assert_non_null(strstr(text_string(&messages), "weighted"));
    request = two_units();
    request.symbols[1] = "own::nothing";
    assert_int_equal(compile(&request), STATUS_COMPILE_FAILED);
    assert_non_null(strstr(error.text, "nothing"));
    request = two_units();
    request.kernels[0] = "third";
    assert_int_equal(compile(&request), STATUS_COMPILE_FAILED);
    assert_non_null(strstr(error.text, "third"));
    request = two_units();
    request.folder_count = 0;
    assert_int_equal(compile(&request), STATUS_COMPILE_FAILED);
    assert_non_null(strstr(error.text, "shared.h"));
}

/* The hashed text of each source is the compiled one. */
TEST_WITH(each_source_is_the_one_that_was_meant, set_up, tear_down)
{
    char hash[HASH_TEXT_BYTES];
    need_linker();
    struct binary_request request = two_units();
    hash_bytes("", 0, hash);
    request.unit_hashes[0] = hash;
    assert_int_equal(compile(&request), STATUS_IO);
    assert_non_null(strstr(error.text, "second.cu"));
}

static size_t unit_of(const char *first, const char *second, const char *name, bool is_function)
{
    const struct source units[2] = {{.contents = first, .content_length = strlen(first)},
                                    {.contents = second, .content_length = strlen(second)}};
    return cuda_defining_unit(units, 2, name, is_function);
}

TEST_WITH(names_are_found_where_they_are_defined, set_up, tear_down)
{
    assert_int_equal(unit_of("__global__ void a(int);", "__global__ void a(int x) {}", "a", true),
                     1);
    assert_int_equal(unit_of("__global__ void a(int x) {}", "__global__ void a(int);", "a", true),
                     0);
    assert_int_equal(unit_of("__global__ void ab() {}", "__global__ void b() {}", "b", true), 1);
    assert_int_equal(
        unit_of("void a() {}", "template <int N> __global__ void a() {}", "space::a<1>", true), 1);
    assert_int_equal(unit_of("extern __constant__ int t[3];", "__constant__ int t[3];", "t", false),
                     1);
    assert_int_equal(unit_of("extern __device__ int t;", "int t;", "t", false), 0);
    assert_int_equal(unit_of("", "__device__ int t = 3;", "t", false), 1);
    assert_int_equal(unit_of("int x;", "int y;", "nobody", true), 0);
    assert_int_equal(unit_of("int x;", "__global__", "a", true), 0);
}

TEST_MAIN(NULL, NULL)
#else
int main(void)
{
    (void)puts("skipped: built without CUDA");
    return 0;
}
#endif
