/* Facts of kernels in images: of images made by nvcc now, and of damaged ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef TUNE_WITH_CUDA
#include "tests/unit/suite.h"
#include "tuner/base/files.h"
#include "tuner/base/random.h"
#include "tuner/device/cuda/compile.h"
#include "tuner/device/cuda/image.h"

static const char source[] =
    "struct view { float *to; const float *from; int n; };\n"
    "extern \"C\" __global__ void stride(const float *x, float *y, char c, double a, long long n) "
    "{\n"
    "    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;\n"
    "         i += (long long)gridDim.x * blockDim.x) y[i] = (float)(c + a * x[i]); }\n"
    "extern \"C\" __global__ void once(view v) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < v.n) v.to[i] = v.from[i]; }\n"
    "extern \"C\" __global__ void fixed(const int *x, int *y) {\n"
    "    __shared__ int s[256]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads();\n"
    "    y[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x] + gridDim.x; }\n"
    "__device__ __noinline__ int threads() { return blockDim.x; }\n"
    "extern \"C\" __global__ void calls(int *y) { y[threadIdx.x] = threads(); }\n"
    "extern \"C\" __global__ void __launch_bounds__(128) bounded(float *x) {\n"
    "    extern __shared__ float d[]; d[threadIdx.x] = x[threadIdx.x]; __syncthreads();\n"
    "    x[threadIdx.x] = d[127 - threadIdx.x]; }\n"
    "extern \"C\" __global__ void nothing() {}\n"
    "extern \"C\" __global__ void hungry(const double *x, double *y) {\n"
    "    double a[24], t = 0; for (int i = 0; i < 24; i++) a[i] = x[threadIdx.x + i];\n"
    "    for (int i = 0; i < 24; i++) for (int j = 0; j < i; j++) t += a[i] * a[j];\n"
    "    y[threadIdx.x] = t; }\n"
    "#if __CUDA_ARCH__ >= 900\n"
    "extern \"C\" __global__ void __block_size__((64, 2, 1), (2, 1, 1)) blocks(int *x) {\n"
    "    x[blockIdx.x] = 1; }\n"
    "#endif\n";

static struct images {
    char folder[64];
    struct arena arena;
    char *packed, *plain; /* fatbins */
    size_t packed_bytes, plain_bytes;
} images;

static char *make(const char *nvcc, const char *mode, size_t *bytes)
{
    char command[1024];
    char path[128];
    char *data = NULL;
    struct error error = {0};
    (void)snprintf(path, sizeof path, "%s/%s.fatbin", images.folder, mode);
    (void)snprintf(command, sizeof command,
                   "'%s' -fatbin --compress-mode=%s -gencode arch=compute_80,code=sm_80 "
                   "-gencode 'arch=compute_90,code=[sm_90,compute_90]' -o %s %s/k.cu",
                   nvcc, mode, path, images.folder);
    if (system(command) != 0 || /* NOLINT(cert-env33-c) */
        file_read(&images.arena, path, 1 << 24, &data, bytes, &error) != STATUS_OK)
        return NULL;
    (void)unlink(path);
    return data;
}

static int make_images(void **state)
{
    struct error error = {0};
    char path[128];
    const char *nvcc = cuda_nvcc(&error);
    (void)state;
    if (!nvcc)
        return 0;
    (void)snprintf(images.folder, sizeof images.folder, "/tmp/tune-test-XXXXXX");
    if (!mkdtemp(images.folder))
        return -1;
    (void)snprintf(path, sizeof path, "%s/k.cu", images.folder);
    if (file_write_atomically(path, source, sizeof source - 1, &error) != STATUS_OK)
        return -1;
    images.packed = make(nvcc, "size", &images.packed_bytes);
    images.plain = make(nvcc, "none", &images.plain_bytes);
    (void)unlink(path);
    (void)rmdir(images.folder);
    return 0;
}

static int free_images(void **state)
{
    (void)state;
    arena_free(&images.arena);
    return 0;
}

static void open_or_fail(const void *data, size_t bytes, int capability, struct image *out)
{
    struct error error = {0};
    if (image_open(&images.arena, data, bytes, capability, out, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static struct image_kernel kernel_of(const struct image *image, const char *name)
{
    struct image_kernel kernel;
    struct error error = {0};
    if (image_kernel(image, name, &kernel, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return kernel;
}

static void check_parameters(const struct image *image)
{
    static const uint32_t stride[][2] = {{0, 8}, {8, 8}, {16, 1}, {24, 8}, {32, 8}};
    struct image_kernel kernel = kernel_of(image, "stride");
    assert_int_equal(kernel.parameter_count, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(kernel.parameters[i].offset, stride[i][0]);
        assert_int_equal(kernel.parameters[i].bytes, stride[i][1]);
    }
    kernel = kernel_of(image, "once");
    assert_int_equal(kernel.parameter_count, 1);
    assert_int_equal(kernel.parameters[0].bytes, 24);
    assert_int_equal(kernel_of(image, "nothing").parameter_count, 0);
}

static void check_bounds(const struct image *image)
{
    struct image_kernel kernel = kernel_of(image, "bounded");
    assert_int_equal(kernel.max_threads, 128);
    assert_int_equal(kernel.required_block[0], 0);
    kernel = kernel_of(image, "blocks");
    assert_int_equal(kernel.required_block[0], 64);
    assert_int_equal(kernel.required_block[1], 2);
    assert_int_equal(kernel.required_block[2], 1);
    assert_int_equal(kernel.required_cluster[0], 2);
    kernel = kernel_of(image, "stride");
    assert_int_equal(kernel.required_cluster[0], 0);
    assert_int_equal(kernel.required_block[0], 0);
    assert_int_equal(kernel.max_threads, 0);
}

static void check_reads(const struct image *image)
{
    static const struct {
        const char *name;
        unsigned reads;
    } expected[] = {{"stride", IMAGE_READS_BLOCK | IMAGE_READS_GRID},
                    {"once", IMAGE_READS_BLOCK},
                    {"fixed", IMAGE_READS_GRID},
                    {"calls", IMAGE_CALLS | IMAGE_READS_BLOCK},
                    {"bounded", IMAGE_USES_DYNAMIC},
                    {"nothing", 0}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct image_kernel kernel = kernel_of(image, expected[i].name);
        assert_true(kernel.has_ptx);
        assert_int_equal(kernel.reads, expected[i].reads);
    }
}

static void need(const void *image)
{
    if (!image) {
        (void)fputs("no nvcc here, or one without --compress-mode\n", stderr);
        skip();
    }
}

TEST(a_fatbin_tells_all)
{
    struct image image;
    need(images.plain);
    open_or_fail(images.plain, images.plain_bytes, 90, &image);
    assert_int_equal(image.kind, IMAGE_FATBIN);
    assert_non_null(image.cubin);
    assert_non_null(image.ptx);
    check_parameters(&image);
    check_bounds(&image);
    check_reads(&image);
    struct image_kernel kernel = kernel_of(&image, "fixed");
    assert_int_equal(kernel.static_shared_bytes, 1024);
    assert_in_range(kernel.registers, 1, 255);
}

/* Each of its parts is an image, too, with its own facts. */
TEST(cubins_and_ptx_tell_it_by_themselves)
{
    struct image image, part;
    need(images.plain);
    open_or_fail(images.plain, images.plain_bytes, 90, &image);
    open_or_fail(image.cubin, image.cubin_bytes, 90, &part);
    assert_int_equal(part.kind, IMAGE_CUBIN);
    check_parameters(&part);
    check_bounds(&part);
    assert_false(kernel_of(&part, "stride").has_ptx);
    open_or_fail(image.ptx, image.ptx_bytes, 90, &part);
    assert_int_equal(part.kind, IMAGE_PTX);
    check_parameters(&part);
    check_bounds(&part);
    check_reads(&part);
    assert_int_equal(kernel_of(&part, "stride").registers, -1);
}

TEST(what_is_compressed_is_unpacked)
{
    struct image packed, plain;
    need(images.packed);
    need(images.plain);
    assert_true(images.packed_bytes < images.plain_bytes);
    open_or_fail(images.plain, images.plain_bytes, 90, &plain);
    open_or_fail(images.packed, images.packed_bytes, 90, &packed);
    if (strstr(packed.unread, "install"))
        skip();
    assert_string_equal(packed.unread, "");
    assert_int_equal(packed.cubin_bytes, plain.cubin_bytes);
    assert_memory_equal(packed.cubin, plain.cubin, plain.cubin_bytes);
    assert_string_equal(packed.ptx, plain.ptx);
}

/* The choice of a driver: code of the same major capability, PTX of an equal or earlier one. */
TEST(a_device_is_given_what_it_can_run)
{
    static const struct {
        int capability;
        bool code, ptx;
    } expected[] = {{75, false, false}, {80, true, false}, {86, true, false},
                    {89, true, false},  {90, true, true},  {100, false, true}};
    need(images.plain);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct image image;
        open_or_fail(images.plain, images.plain_bytes, expected[i].capability, &image);
        assert_int_equal(image.cubin != NULL, expected[i].code);
        assert_int_equal(image.ptx != NULL, expected[i].ptx);
    }
    assert_int_equal(image_capability("sm_90a"), 90);
    assert_int_equal(image_capability("native"), 0);
}

/* Tries a damaged image: whatever it contains, no byte outside of it is read (checked by
 * sanitizers). */
static void try_damaged(const char *data, size_t bytes)
{
    struct arena arena = {0};
    struct error error = {0};
    struct image image;
    struct image_kernel kernel;
    char *copy = malloc(bytes ? bytes : 1); /* exactly that size */
    assert_non_null(copy);
    memcpy(copy, data, bytes);
    if (image_open(&arena, copy, bytes, 90, &image, &error) == STATUS_OK) {
        (void)image_kernel(&image, "stride", &kernel, &error);
        (void)image_kernel(&image, "bounded", &kernel, &error);
    }
    free(copy);
    arena_free(&arena);
}

static void damage(const char *data, size_t bytes)
{
    enum { CUTS = 100, FLIPS = 400 };
    char *copy = malloc(bytes);
    assert_non_null(copy);
    for (size_t i = 0; i < CUTS; i++)
        try_damaged(data, bytes * i / CUTS);
    for (uint64_t i = 0; i < FLIPS; i++) {
        memcpy(copy, data, bytes);
        /* Half of the changes are in the headers. */
        const size_t at = random_at(1, 2 * i) % (i % 2 ? bytes : bytes < 512 ? bytes : 512);
        copy[at] = (char)random_at(1, 2 * i + 1);
        try_damaged(copy, bytes);
    }
    free(copy);
}

TEST(damaged_images_are_refused_or_read_in_part)
{
    struct image image;
    struct error error = {0};
    need(images.plain);
    open_or_fail(images.plain, images.plain_bytes, 90, &image);
    damage(images.plain, images.plain_bytes);
    damage(image.cubin, image.cubin_bytes);
    damage(image.ptx, image.ptx_bytes);
    if (images.packed)
        damage(images.packed, images.packed_bytes);
    assert_int_equal(
        image_open(&images.arena, images.plain, images.plain_bytes - 1, 90, &image, &error),
        STATUS_BAD_INPUT);
}

TEST(ptx_by_hand)
{
    static const char ptx[] =
        "// .entry later_than_this(\n/* .entry nor this */\n.version 8.0\n.target sm_90\n"
        ".extern .func f();\n"
        ".entry odd(.param .align 16 .b8 s[12], .param .u8 c, .param .u64 .ptr .global .align 16 p,"
        " .param .f16 h) .maxntid 32, 4 { .reg .b32 %r<4>; { mov.u32 %r1, %tid.x; } ret; }\n"
        ".entry next() .reqntid 96 { mov.u32 %r1, %nctaid.y; mov.u32 %r2, %clusterid.x; }\n";
    static const uint32_t odd[][2] = {{0, 12}, {12, 1}, {16, 8}, {24, 2}};
    struct image image;
    struct error error = {0};
    open_or_fail(ptx, sizeof ptx - 1, 90, &image);
    assert_int_equal(image.kind, IMAGE_PTX);
    struct image_kernel kernel = kernel_of(&image, "odd");
    assert_int_equal(kernel.parameter_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(kernel.parameters[i].offset, odd[i][0]);
        assert_int_equal(kernel.parameters[i].bytes, odd[i][1]);
    }
    assert_int_equal(kernel.max_threads, 128);
    assert_int_equal(kernel.reads, 0);
    kernel = kernel_of(&image, "next");
    assert_int_equal(kernel.required_block[0], 96);
    assert_int_equal(kernel.required_block[1], 1);
    assert_int_equal(kernel.reads, IMAGE_READS_GRID | IMAGE_READS_CLUSTER);
    assert_int_equal(image_kernel(&image, "later_than_this", &kernel, &error), STATUS_NOT_FOUND);
    damage(ptx, sizeof ptx - 1);
    open_or_fail("anything", 8, 90, &image);
    assert_int_equal(image.kind, IMAGE_OTHER);
}

/* Returns the registers of `stride` as for a measured binary, or -1 and the error. */
static int registers_of(const void *data, size_t bytes, const char *kernel, const char *flag,
                        struct error *error)
{
    char source_path[] = "/tmp/tune-test-image-XXXXXX";
    char binary_path[64];
    struct text log = {0};
    struct kernel_resources resources = {.registers = -1};
    char code_hash[HASH_TEXT_BYTES];
    const struct binary_request request = {.source_path = source_path,
                                           .architecture = "sm_90",
                                           .compiler = BINARY_AS_IT_IS,
                                           .flag_count = flag ? 1 : 0,
                                           .flags = {flag},
                                           .kernel_count = 1,
                                           .kernels = {kernel}};
    const int file = mkstemp(source_path);
    assert_true(file >= 0);
    (void)snprintf(binary_path, sizeof binary_path, "%s.bin", source_path);
    assert_int_equal(write(file, data, bytes), bytes);
    (void)close(file);
    enum status status = cuda_compile(&request, binary_path, &log, error);
    if (status == STATUS_OK)
        status = cuda_inspect(binary_path, kernel, &resources, code_hash, error);
    (void)unlink(source_path);
    (void)unlink(binary_path);
    text_free(&log);
    return status == STATUS_OK ? resources.registers : -1;
}

TEST(images_are_measured_as_they_are)
{
    struct image image;
    struct error error = {0};
    need(images.plain);
    open_or_fail(images.plain, images.plain_bytes, 90, &image);
    const int own = kernel_of(&image, "stride").registers;
    assert_int_equal(registers_of(images.plain, images.plain_bytes, "stride", NULL, &error), own);
    assert_int_equal(registers_of(image.cubin, image.cubin_bytes, "stride", NULL, &error), own);
    assert_int_equal(registers_of(images.plain, images.plain_bytes, "missing", NULL, &error), -1);
    assert_int_equal(error.status, STATUS_COMPILE_FAILED);
    assert_non_null(strstr(error.text, "kernel missing: not among"));
    assert_int_equal(
        registers_of(image.cubin, image.cubin_bytes, "stride", "-maxrregcount=16", &error), -1);
    assert_non_null(strstr(error.text, "needs PTX"));
    assert_int_equal(registers_of("whatever it is", 14, "stride", NULL, &error), -1);
    assert_int_equal(error.status, STATUS_UNAVAILABLE);
}

TEST(ptx_is_compiled_with_other_limits)
{
    struct image image;
    struct error error = {0};
    need(images.plain);
    if (!cuda_linker(&error))
        skip();
    open_or_fail(images.plain, images.plain_bytes, 90, &image);
    const int own = kernel_of(&image, "hungry").registers;
    assert_true(own > 32);
    const int capped =
        registers_of(images.plain, images.plain_bytes, "hungry", "-maxrregcount=32", &error);
    if (capped < 0)
        fail_msg("%s", error.text);
    assert_in_range(capped, 1, 32);
    assert_int_equal(registers_of(image.ptx, image.ptx_bytes, "hungry", NULL, &error), own);
}

TEST_MAIN(make_images, free_images)
#else
int main(void)
{
    (void)puts("skipped: built without CUDA");
    return 0;
}
#endif
