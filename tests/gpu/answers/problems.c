/* The problems, as their experiments describe them. */
#include "answers.h"

#include <string.h>

#include "bases_reference.c"
#include "batched_reference.c"
#include "bitonic_reference.c"
#include "csr_reference.c"
#include "gray_reference.c"
#include "layernorm_reference.c"
#include "nearest_reference.c"
#include "resize_reference.c"
#include "search_reference.c"
#include "softmax_reference.c"
#include "stencil_reference.c"

static struct argument input(enum type type, long long count, size_t alignment)
{
    return (struct argument){INPUT, type, count, alignment, RANDOM, 0, 0};
}

static struct argument drawn(enum type type, long long count, size_t alignment, enum fill fill,
                             double low, double high)
{
    return (struct argument){INPUT, type, count, alignment, fill, low, high};
}

static struct argument output(enum type type, long long count, size_t alignment)
{
    return (struct argument){OUTPUT, type, count, alignment, RANDOM, 0, 0};
}

static struct argument number(long long value)
{
    return (struct argument){.kind = NUMBER, .count = value};
}

static void describe_vectors(const long long *v, struct argument *a)
{
    a[0] = input(F32, v[0], 4);
    a[1] = output(F32, v[0], 4);
    a[2] = number(v[0]);
}

static void describe_csr(const long long *v, struct argument *a)
{
    const long long n = v[0], entries = 8 * n + n * n % 7;
    a[0] = drawn(I32, n + 1, 4, CSR_START, 0, 0);
    a[1] = drawn(I32, entries, 4, CSR_COLUMN, (double)n, 0);
    a[2] = input(F32, entries, 4);
    a[3] = input(F32, n, 4);
    a[4] = output(F32, n, 4);
    a[5] = number(n);
}

static void describe_softmax(const long long *v, struct argument *a)
{
    a[0] = drawn(F32, v[0] * v[1], 16, NORMAL, 0, 2);
    a[1] = output(F32, v[0] * v[1], 16);
    a[2] = number(v[0]);
    a[3] = number(v[1]);
}

static void describe_layernorm(const long long *v, struct argument *a)
{
    a[0] = drawn(F16, v[0] * v[1], 4, NORMAL, 20, 1);
    a[1] = output(F16, v[0] * v[1], 4);
    a[2] = number(v[0]);
    a[3] = number(v[1]);
}

static void describe_batched(const long long *v, struct argument *a)
{
    a[0] = input(F32, 600 * v[0] * v[2], 4);
    a[1] = input(F32, 600 * v[2] * v[1], 4);
    a[2] = output(F32, 600 * v[0] * v[1], 4);
    for (int i = 0; i < 3; i++)
        a[3 + i] = number(v[i]);
    a[6] = number(600);
}

static void describe_resize(enum type type, size_t bytes, const long long *v, struct argument *a)
{
    a[0] = input(type, v[0] * v[1], bytes);
    a[1] = output(type, v[3] * v[4], bytes);
    a[2] = number(v[0]);
    a[3] = number(v[1]);
    a[4] = number(v[3]);
    a[5] = number(v[4]);
}

static void describe_resize_u8(const long long *v, struct argument *a)
{
    describe_resize(U8, 1, v, a);
}

static void describe_resize_f32(const long long *v, struct argument *a)
{
    describe_resize(F32, 4, v, a);
}

static void describe_search(const long long *v, struct argument *a)
{
    a[0] = drawn(U8, v[0], 1, UNIFORM, 97, 100);
    a[1] = output(U32, 1, 256);
    a[2] = number(0x61636261);
    a[3] = number(v[0]);
}

static void describe_nearest(const long long *v, struct argument *a)
{
    a[0] = drawn(I32, 3 * v[0], 4, UNIFORM, -1000, 1000);
    a[1] = drawn(I32, 3 * v[1], 4, UNIFORM, -1000, 1000);
    a[2] = output(I32, v[0], 4);
    a[3] = number(v[0]);
    a[4] = number(v[1]);
}

static void describe_gray(const long long *v, struct argument *a)
{
    a[0] = input(U32, v[0], 4);
    a[1] = output(U32, v[0], 4);
    a[2] = (struct argument){.kind = SCRATCH, .type = U32, .count = v[3], .alignment = 256};
    a[3] = number(v[0]);
    a[4] = number(v[3]);
}

static void describe_bases(const long long *v, struct argument *a)
{
    a[0] = drawn(U8, v[0], 1, UNIFORM, 0, 3);
    a[1] = output(U32, 4, 256);
    a[2] = number(v[0]);
}

#define M20 1048576LL
#define IMAGES                                                                                     \
    .sizes = {"h", "w"}, .derived = {"oh", "ow"},                                                  \
    .listed = {{64, 64}, {270, 480}, {512, 512}, {1080, 1920}},                                    \
    .parameters = {"BX", "BY", "ROWS", "EDGE"}, .planted = "EDGE=open",                            \
    .launches = {{"resize", "012345", NULL}}, .most = 17 * M20
static const struct problem problems[] = {
    {.key = "stencil",
     .sizes = {"n"},
     .listed = {{100000}, {M20}, {8 * M20}},
     .parameters = {"BLOCK", "ITEMS", "STAGE"},
     .planted = "STAGE=bare",
     .launches = {{"stencil", "012", NULL}},
     .describe = describe_vectors,
     .reference = stencil_reference,
     .tolerance = 1e-6,
     .most = 64 * M20},
    {.key = "csr",
     .sizes = {"n"},
     .listed = {{1000}, {30000}, {M20 / 4}},
     .parameters = {"BLOCK", "LANES", "LOOP"},
     .planted = "LOOP=none",
     .launches = {{"csr", "012345", NULL}},
     .describe = describe_csr,
     .reference = csr_reference,
     .tolerance = 1e-5,
     .most = 2 * M20 + 1},
    {.key = "softmax",
     .sizes = {"rows", "columns"},
     .listed = {{4096, 256}, {1024, 1024}, {128, 8192}, {512, 2048}},
     .parameters = {"BLOCK", "LOAD", "PASSES"},
     .planted = "LOAD=wide",
     .launches = {{"softmax", "0123", NULL}},
     .describe = describe_softmax,
     .reference = softmax_reference,
     .tolerance = 1e-4,
     .most = 9 * M20},
    {.key = "batched",
     .sizes = {"m", "n", "k"},
     .n = 1,
     .listed = {{16, 16, 16}, {32, 32, 32}, {64, 64, 64}, {16, 64, 32}, {64, 16, 32}, {64, 64, 16}},
     .parameters = {"THREADS", "PER", "UNROLL", "PADDING"},
     .planted = "PADDING=skipped",
     .launches = {{"batched", "0123456", NULL}},
     .describe = describe_batched,
     .reference = batched_reference,
     .tolerance = 1e-5,
     .most = 2 * M20},
    {.key = "resize.u8",
     .element = "unsigned char",
     .describe = describe_resize_u8,
     .reference = resize_reference_u8,
     IMAGES},
    {.key = "resize.f32",
     .element = "float",
     .describe = describe_resize_f32,
     .reference = resize_reference_f32,
     .tolerance = 1e-5,
     .absolute = 1e-6,
     IMAGES},
    {.key = "search",
     .sizes = {"n"},
     .listed = {{65536}, {M20}, {16 * M20}},
     .parameters = {"BLOCK", "BYTES", "CLEAR"},
     .planted = "CLEAR=none",
     .launches = {{"clear", "1", "CLEAR=none"}, {"search", "0123", NULL}},
     .describe = describe_search,
     .reference = search_reference,
     .most = 128 * M20 + 1},
    {.key = "nearest",
     .sizes = {"queries", "points"},
     .listed = {{256, 2048}, {2048, 2048}, {8192, 4096}, {1024, 16384}},
     .parameters = {"BLOCK", "TILE", "TAIL"},
     .planted = "TAIL=none",
     .launches = {{"nearest", "01234", NULL}},
     .describe = describe_nearest,
     .reference = nearest_reference,
     .most = 256 * M20},
    {.key = "layernorm",
     .sizes = {"rows", "columns"},
     .listed = {{64, 768}, {4096, 1024}, {512, 4096}, {16384, 128}},
     .parameters = {"BLOCK", "VEC", "SUM"},
     .planted = "SUM=halves",
     .launches = {{"layernorm", "0123", NULL}},
     .describe = describe_layernorm,
     .reference = layernorm_reference,
     .absolute = 0.01,
     .most = 33 * M20},
    {.key = "bitonic",
     .sizes = {"n"},
     .listed = {{10000}, {M20 / 8}, {M20}},
     .parameters = {"BLOCK", "KEY"},
     .planted = "KEY=bits",
     .launches = {{"bitonic", "012", NULL}},
     .describe = describe_vectors,
     .reference = bitonic_reference,
     .most = 8 * M20 + 1},
    {.key = "gray",
     .sizes = {"n"},
     .derived = {"blocks"},
     .listed = {{5000}, {M20 / 4}, {4 * M20}},
     .parameters = {"BLOCK", "ITEMS", "END"},
     .planted = "END=total",
     .launches = {{"gray_blocks", "0123", NULL},
                  {"gray_totals", "24", NULL},
                  {"gray_join", "123", NULL}},
     .describe = describe_gray,
     .reference = gray_reference,
     .most = 32 * M20 + 1},
    {.key = "bases",
     .sizes = {"n"},
     .listed = {{65536}, {M20}, {4 * M20}},
     .parameters = {"BLOCK", "LETTERS", "COUNTERS"},
     .planted = "COUNTERS=narrow",
     .launches = {{"clear_bases", "1", NULL}, {"bases", "012", NULL}},
     .describe = describe_bases,
     .reference = bases_reference,
     .most = 32 * M20 + 1},
};

const struct problem *find_problem(const char *key)
{
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++)
        if (strcmp(problems[i].key, key) == 0)
            return &problems[i];
    return NULL;
}

int count_sizes(const struct problem *problem)
{
    int count = 0;
    while (problem->sizes[count])
        count++;
    return count;
}
