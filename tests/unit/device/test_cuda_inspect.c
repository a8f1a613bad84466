/* Facts of a compiled binary without a device: resources of its kernels, and binaries that do the
 * same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef TUNE_WITH_CUDA
#include "tests/unit/suite.h"
#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/seal.h"
#include "tuner/device/cuda/cubin.h"
#include "tuner/device/cuda/internal.h"
#include "tuner/device/kinds.h"

struct fixture {
    char folder[64];
    char source[128];
    char binary[128];
    struct arena arena;
    struct text log;
    struct error error;
};

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

/* Compiles `text` for `architecture`; at most two kernels and one define, NULL where there is none.
 */
static void compile(struct fixture *fixture, const char *text, const char *architecture,
                    const char *kernel, const char *other, const char *define)
{
    struct binary_request request = {.source_path = fixture->source,
                                     .architecture = architecture,
                                     .kernel_count = other ? 2 : 1,
                                     .kernels = {kernel, other},
                                     .define_count = define ? 1 : 0,
                                     .defines = {{define, value_integer(7)}}};
    assert_int_equal(file_write_atomically(fixture->source, text, strlen(text), &fixture->error),
                     STATUS_OK);
    text_clear(&fixture->log);
    if (device_cuda.compile(&request, fixture->binary, &fixture->log, &fixture->error) != STATUS_OK)
        fail_msg("%s", fixture->error.text);
}

static struct kernel_resources inspect(struct fixture *fixture, const char *kernel)
{
    struct kernel_resources resources;
    if (device_cuda.inspect(fixture->binary, kernel, &resources, NULL, &fixture->error) !=
        STATUS_OK)
        fail_msg("%s", fixture->error.text);
    return resources;
}

static const char resources_text[] =
    "__constant__ float filter[17];\n"
    "extern __shared__ int more[];\n"
    "__global__ void plain(const float *x, float *y, int n) { int i = threadIdx.x; if (i < n) "
    "y[i] = x[i] * filter[i % 17]; }\n"
    "__global__ void shares(float *y) { __shared__ float s[100]; s[threadIdx.x % 100] = y[0]; "
    "__syncthreads(); y[threadIdx.x] = s[(threadIdx.x + 1) % 100] + more[threadIdx.x]; }\n"
    "__global__ void __launch_bounds__(192) stacks(float *y, int k) { float b[64];\n"
    "for (int i = 0; i < 64; i++) b[i] = y[i * k];\n"
    "for (int j = 0; j < k; j++) y[j] = b[(j * 7) % 64]; }\n"
    "__device__ __noinline__ float far(float x, int d) { float b[40]; for (int i = 0; i < 40; i++) "
    "b[i] = x * i; return b[d % 40]; }\n"
    "__global__ void calls(float *y, int d) { y[0] = far(y[1], d) + far(y[2], d + 1); }\n"
    "__global__ void __launch_bounds__(1024, 2) spills(float *data) { float held[100];\n"
    "for (int i = 0; i < 100; i++) held[i] = data[i * 1024 + threadIdx.x];\n"
    "__syncthreads();\n"
    "for (int i = 0; i < 100; i++) data[i * 1024 + threadIdx.x] = held[99 - i] * held[i]; }\n"
    "template <int N> __global__ void wide(double *d) { __shared__ double s[N];\n"
    "s[threadIdx.x] = d[threadIdx.x]; __syncthreads(); asm volatile(\"bar.sync 5, 64;\");\n"
    "d[threadIdx.x] = s[N - threadIdx.x]; }\n";

/* Returns the number before `word` in ptxas's report of the function; 0 without one. */
static int logged(const char *log, const char *lowered, const char *word)
{
    char heading[128];
    (void)snprintf(heading, sizeof heading, "Compiling entry function '%s'", lowered);
    const char *at = strstr(log, heading);
    assert_non_null(at);
    const char *end = strstr(at + 1, "Compiling entry function");
    const char *hit = strstr(at, word);
    if (!hit || (end && hit > end))
        return 0;
    while (hit > at && hit[-1] >= '0' && hit[-1] <= '9')
        hit--;
    return (int)strtol(hit, NULL, 10);
}

TEST_WITH(test_tells_what_the_compiler_said, set_up, tear_down)
{
    static const char *const architectures[] = {"sm_75",  "sm_80",  "sm_86",  "sm_89", "sm_90",
                                                "sm_90a", "sm_100", "sm_103", "sm_120"};
    static const struct {
        const char *name;
        const char *lowered;
    } kernels[] = {{"plain", "_Z5plainPKfPfi"}, {"shares", "_Z6sharesPf"},
                   {"stacks", "_Z6stacksPfi"},  {"calls", "_Z5callsPfi"},
                   {"spills", "_Z6spillsPf"},   {"wide<500>", "_Z4wideILi500EEvPd"}};
    struct fixture *fixture = *state;
    need_compiler();
    assert_int_equal(file_write_atomically(fixture->source, resources_text, strlen(resources_text),
                                           &fixture->error),
                     STATUS_OK);
    struct binary_request request = {.source_path = fixture->source,
                                     .kernel_count = sizeof kernels / sizeof *kernels};
    for (size_t j = 0; j < request.kernel_count; j++)
        request.kernels[j] = kernels[j].name;
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        request.architecture = architectures[i];
        text_clear(&fixture->log);
        if (device_cuda.compile(&request, fixture->binary, &fixture->log, &fixture->error) !=
            STATUS_OK)
            fail_msg("%s", fixture->error.text);
        const char *log = text_string(&fixture->log);
        for (size_t j = 0; j < request.kernel_count; j++) {
            struct kernel_resources got = inspect(fixture, kernels[j].name);
            const char *lowered = kernels[j].lowered;
            assert_int_equal(got.registers, logged(log, lowered, " registers"));
            assert_int_equal(got.static_shared_bytes, logged(log, lowered, " bytes smem"));
            assert_int_equal(got.local_bytes, logged(log, lowered, " bytes cumulative stack size"));
            assert_int_equal(got.barriers, logged(log, lowered, " barriers"));
            assert_int_equal(got.spill_bytes, logged(log, lowered, " bytes spill stores") +
                                                  logged(log, lowered, " bytes spill loads"));
            int bound = j == 2 ? 192 : j == 4 ? 1024 : -1;
            assert_int_equal(got.max_threads_per_block, bound);
            assert_int_equal(got.active_blocks_per_sm, -1);
        }
    }
}

static void code_hash(struct fixture *fixture, char out[HASH_TEXT_BYTES])
{
    if (device_cuda.inspect(fixture->binary, NULL, NULL, out, &fixture->error) != STATUS_OK)
        fail_msg("%s", fixture->error.text);
}

struct twin {
    const char *text, *kernel, *other, *define;
};

static bool alike(struct fixture *fixture, const char *architecture, struct twin a, struct twin b)
{
    char one[HASH_TEXT_BYTES];
    char two[HASH_TEXT_BYTES];
    compile(fixture, a.text, architecture, a.kernel, a.other, a.define);
    code_hash(fixture, one);
    compile(fixture, b.text, architecture, b.kernel, b.other, b.define);
    code_hash(fixture, two);
    return strcmp(one, two) == 0;
}

#define SCALE(BODY) "__global__ void scale(float *y, int n) { int i = threadIdx.x; " BODY " }\n"
#define TEMPLATE                                                                                   \
    "__device__ int count;\n"                                                                      \
    "template <int UNUSED, int K> __global__ void tpl(float *y) { __shared__ float s[32];\n"       \
    "s[threadIdx.x] = y[0]; __syncthreads(); y[threadIdx.x] = s[31 - threadIdx.x] * K;\n"          \
    "atomicAdd(&count, 1); }\n"

TEST_WITH(test_the_same_code_has_the_same_hash, set_up, tear_down)
{
    static const char *const architectures[] = {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"};
    struct fixture *fixture = *state;
    need_compiler();
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        const char *for_it = architectures[i];
        const struct twin plain = {SCALE("if (i < n) y[i] *= 3;"), "scale", NULL, NULL};
        assert_true(alike(fixture, for_it, plain, plain));
        assert_true(
            alike(fixture, for_it, plain, (struct twin){plain.text, "scale", NULL, "UNUSED"}));
        assert_true(
            alike(fixture, for_it, plain,
                  (struct twin){"// of no account\n\n" SCALE("if (i < n) { y[i] = 3 * y[i]; }"),
                                "scale", NULL, NULL}));
        /* A kernel that was not requested. */
        assert_true(alike(
            fixture, for_it, plain,
            (struct twin){
                SCALE("if (i < n) y[i] *= 3;") "__global__ void another(int *z) { z[0] = 1; }\n",
                "scale", NULL, NULL}));
        /* Another name. */
        assert_true(alike(fixture, for_it, (struct twin){TEMPLATE, "tpl<1, 3>", NULL, NULL},
                          (struct twin){TEMPLATE, "tpl<200, 3>", NULL, NULL}));
        assert_true(alike(fixture, for_it, (struct twin){TEMPLATE, "tpl<1, 3>", "tpl<2, 4>", NULL},
                          (struct twin){TEMPLATE, "tpl<9, 3>", "tpl<8, 4>", NULL}));
    }
}

TEST_WITH(test_other_code_has_another_hash, set_up, tear_down)
{
    static const struct twin plain = {SCALE("if (i < n) y[i] *= 3;"), "scale", NULL, NULL};
    static const struct twin others[] = {
        {SCALE("if (i < n) y[i] *= 5;"), "scale", NULL, NULL},
        {SCALE("if (i <= n) y[i] *= 3;"), "scale", NULL, NULL},
        {"__constant__ float c[2] = {1, 2};\n" SCALE("if (i < n) y[i] *= c[i];"), "scale", NULL,
         NULL},
        {"__constant__ float c[2] = {1, 4};\n" SCALE("if (i < n) y[i] *= c[i];"), "scale", NULL,
         NULL},
        {"__constant__ float c[3] = {1, 4};\n" SCALE("if (i < n) y[i] *= c[i];"), "scale", NULL,
         NULL},
        {"__constant__ float a, b;\n" SCALE("if (i < n) y[i] *= a - b;"), "scale", NULL, NULL},
        {"__constant__ float b, a;\n" SCALE("if (i < n) y[i] *= b - a;"), "scale", NULL, NULL},
        {"__global__ void __launch_bounds__(64) scale(float *y, int n) { int i = threadIdx.x; if "
         "(i < n) y[i] *= 3; }\n",
         "scale", NULL, NULL},
        {TEMPLATE, "tpl<1, 3>", NULL, NULL},
        {TEMPLATE, "tpl<1, 4>", NULL, NULL},
        {TEMPLATE, "tpl<1, 3>", "tpl<2, 4>", NULL},
        {TEMPLATE, "tpl<2, 4>", "tpl<1, 3>", NULL},
        {"__device__ __noinline__ float f(float x) { return x + 1; }\n"
         "__global__ void g(float *y) { y[0] = f(f(y[1])); }\n",
         "g", NULL, NULL},
        {"__device__ __noinline__ float f(float x) { return x + 2; }\n"
         "__global__ void g(float *y) { y[0] = f(f(y[1])); }\n",
         "g", NULL, NULL},
    };
    enum { COUNT = sizeof others / sizeof *others };
    struct fixture *fixture = *state;
    char hashes[COUNT + 1][HASH_TEXT_BYTES];
    need_compiler();
    for (size_t i = 0; i <= COUNT; i++) {
        const struct twin *twin = i == COUNT ? &plain : &others[i];
        compile(fixture, twin->text, "sm_90", twin->kernel, twin->other, twin->define);
        code_hash(fixture, hashes[i]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(hashes[i], hashes[j]);
    }
    compile(fixture, plain.text, "sm_80", plain.kernel, NULL, NULL);
    char other_architecture[HASH_TEXT_BYTES];
    code_hash(fixture, other_architecture);
    assert_string_not_equal(other_architecture, hashes[COUNT]);
}

/* Copies `bytes` bytes so that they end where memory ends. */
static char *at_the_edge(const char *data, size_t bytes, size_t *mapped)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *mapped = (bytes + page - 1) / page * page + page;
    char *pages = mmap(NULL, *mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + *mapped - page, page, PROT_NONE), 0);
    char *start = pages + *mapped - page - bytes;
    memcpy(start, data, bytes);
    return start;
}

/* Reads everything of a cubin; its meaning does not matter here. */
static void read_all(const char *cubin, size_t bytes, const struct container *container)
{
    struct arena arena = {0};
    struct cubin open;
    struct error error = {0};
    struct container of = *container;
    of.cubin = cubin;
    of.cubin_bytes = bytes;
    if (cubin_open(cubin, bytes, &open, &error) == STATUS_OK) {
        char hash[HASH_TEXT_BYTES];
        struct kernel_resources resources;
        for (size_t i = 0; i < of.kernel_count; i++)
            (void)cuda_cubin_resources(&open, of.kernels[i].lowered, &resources, &error);
        (void)cuda_code_hash(&arena, &of, &open, hash, &error);
    } else {
        assert_int_equal(error.status, STATUS_BAD_INPUT);
    }
    arena_free(&arena);
}

TEST_WITH(test_damage_is_never_out_of_bounds, set_up, tear_down)
{
    static const unsigned char wrong[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    struct fixture *fixture = *state;
    size_t mapped = 0;
    struct container container;
    need_compiler();
    compile(fixture, TEMPLATE, "sm_90", "tpl<1, 3>", "tpl<2, 4>", NULL);
    assert_int_equal(container_open(&fixture->arena, fixture->binary, &container, &fixture->error),
                     STATUS_OK);
    for (size_t cut = 0; cut < container.cubin_bytes; cut++) {
        char *part = at_the_edge(container.cubin, cut, &mapped);
        read_all(part, cut, &container);
        (void)munmap(part + cut - (mapped - (size_t)sysconf(_SC_PAGESIZE)), mapped);
    }
    char *whole = at_the_edge(container.cubin, container.cubin_bytes, &mapped);
    for (size_t i = 0; i < container.cubin_bytes; i++)
        for (size_t j = 0; j < sizeof wrong; j++) {
            char kept = whole[i];
            whole[i] = (char)wrong[j];
            read_all(whole, container.cubin_bytes, &container);
            whole[i] = kept;
        }
}

TEST_WITH(test_bad_files_are_errors, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct kernel_resources resources;
    char hash[HASH_TEXT_BYTES];
    char *file = NULL;
    size_t bytes = 0;
    struct error *error = &fixture->error;
    need_compiler();
    compile(fixture, TEMPLATE, "sm_90", "tpl<1, 3>", NULL, NULL);
    assert_int_equal(device_cuda.inspect(fixture->binary, "tpl<1, 4>", &resources, NULL, error),
                     STATUS_NOT_FOUND);
    assert_non_null(strstr(error->text, "tpl<1, 4>"));
    assert_int_equal(device_cuda.inspect("/nowhere/at/all", "k", &resources, hash, error),
                     STATUS_NOT_FOUND);
    assert_int_equal(seal_file(fixture->binary, error), STATUS_OK);
    assert_int_equal(file_read(&fixture->arena, fixture->binary, 1 << 24, &file, &bytes, error),
                     STATUS_OK);
    for (size_t i = 0; i < bytes; i += 97) {
        file[i] ^= 0x10;
        assert_int_equal(file_write_atomically(fixture->binary, file, bytes, error), STATUS_OK);
        assert_int_equal(device_cuda.inspect(fixture->binary, "tpl<1, 3>", &resources, hash, error),
                         STATUS_BAD_INPUT);
        assert_non_null(strstr(error->text, fixture->binary));
        file[i] ^= 0x10;
    }
}

TEST_MAIN(NULL, NULL)
#else
int main(void)
{
    (void)puts("skipped: built without CUDA");
    return 0;
}
#endif
