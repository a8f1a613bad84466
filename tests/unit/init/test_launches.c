/* The launch, from a source's own launch and a kernel's indices. */
#include <string.h>

#include "frontends/init/formula.h"
#include "tests/unit/suite.h"

static struct arena arena, sources;
static struct source_signature signature;

static int clear(void **state)
{
    (void)state;
    arena_free(&arena);
    arena_free(&sources);
    return 0;
}

static const struct source_signature *read_source(const char *source)
{
    struct tokens tokens;
    struct error error = {0};
    arena_free(&arena);
    signature = (struct source_signature){0};
    assert_true(tokens_read(&arena, source, &tokens));
    assert_int_equal(declarations_read(&arena, &tokens, &signature, &error), STATUS_OK);
    assert_true(signature.kernel_count > 0);
    signature.chosen = &signature.kernels[0];
    assert_true(launches_read(&arena, "/nowhere/source.cu", &tokens, &signature));
    assert_true(numbers_read(&arena, &tokens, &signature));
    return &signature;
}

static void expect(const struct formula *formula, const char *expected)
{
    struct text text = {0};
    if (formula)
        formula_put(formula, &text);
    assert_string_equal(text_string(&text), expected);
    text_free(&text);
}

/* Reads a source with `before` in front of the launch, in a function with an unknown m. */
static const struct source_launch *launch_of(const char *before, const char *launch)
{
    struct text text = {0};
    text_printf(&text,
                "#define BLOCK 128\n#define CDIV(a, b) (((a) + (b)-1) / (b))\n"
                "__global__ void k(float *a, int n) { a[blockIdx.x * BLOCK + threadIdx.x] = n; }\n"
                "int main(int argc, char **argv) { int m = atoi(argv[1]); float *p; %s %s }",
                before, launch);
    return &read_source(text_to_arena(&text, &sources))->launch;
}

static void expect_grid(const char *before, const char *config, const char *expected)
{
    char launch[256];
    assert_true(string_format(launch, sizeof launch, "k<<<%s>>>(p, m);", config));
    expect(launch_of(before, launch)->grid[0], expected);
}

TEST(test_ways_to_round_up)
{
    expect_grid("", "(m + BLOCK - 1) / BLOCK, BLOCK", "ceil_div(m, BLOCK)");
    expect_grid("", "(m - 1 + BLOCK) / BLOCK, BLOCK", "ceil_div(m, BLOCK)");
    expect_grid("", "(m + 255) / 256, 256", "ceil_div(m, 256)");
    expect_grid("", "ceil(m / 256.0), 256", "ceil_div(m, 256)");
    expect_grid("", "(int)ceil((float)m / BLOCK), BLOCK", "ceil_div(m, BLOCK)");
    expect_grid("", "m / BLOCK, BLOCK", "m // BLOCK");
    expect_grid("", "(m - 1) / BLOCK + 1, BLOCK", "ceil_div(m, BLOCK)");
    expect_grid("", "m / BLOCK + 1, BLOCK", "ceil_div(m + 1, BLOCK)");
    expect_grid("", "(m + 1 + BLOCK - 1) / BLOCK, BLOCK", "ceil_div(m + 1, BLOCK)");
    expect_grid("", "(m + 254) / 256, 256", "(m + 254) // 256");
    expect_grid("int e = atoi(argv[2]);", "((e - m) + BLOCK - 1) / BLOCK, BLOCK",
                "ceil_div(e - m, BLOCK)");
    expect_grid("int n = 1e6;", "(n + 7) / 8, 8", "ceil_div(n, 8)");
    expect_grid("int t = 64, g = (m + t - 1) / t;", "g, t", "ceil_div(m, t)");
    expect_grid("cudaDeviceProp q;", "2 * q.multiProcessorCount, BLOCK", "2 * sm_count");
    /* An unknown part is not guessed. */
    expect_grid("", "blocks_for(m), BLOCK", "");
    expect_grid("", "sizes[0], BLOCK", "");
    expect_grid("", "CDIV(m, BLOCK), BLOCK", "");
}

TEST(test_numbers_of_the_host)
{
    int64_t value = 0;
    const struct source_launch *launch =
        launch_of("int n = 1 << 20; if (argc > 1) n = atoi(argv[1]);",
                  "k<<<n / BLOCK, dim3(BLOCK, 1), sizeof(float) * BLOCK>>>(p, n);");
    assert_true(formula_value(launch->grid[0], false, &value));
    assert_int_equal(value, 8192);
    expect(launch->block[0], "BLOCK");
    expect(launch->block[1], "1");
    expect(launch->shared, "4 * BLOCK");
}

TEST(test_a_launch_by_the_runtime)
{
    const struct source_launch *launch =
        launch_of("int n = 5; dim3 g(n), b(BLOCK); void *args[] = {&p, &n};",
                  "cudaLaunchKernel((void *)k, g, b, args, 16, 0);");
    expect(launch->grid[0], "n");
    expect(launch->block[0], "BLOCK");
    expect(launch->shared, "16");
}

TEST(test_indices)
{
    const struct source_indices *indices = &signature.indices;
    read_source("__global__ void k(float *a, int nx)\n{\n"
                "int x = blockIdx.x * BX + threadIdx.x;\n"
                "int y = (blockIdx.y * BY + threadIdx.y) * ROWS;\na[y * nx + x] = 0;\n}");
    expect(indices->span[0], "BX");
    expect(indices->block[0], "BX");
    expect(indices->span[1], "BY * ROWS");
    expect(indices->block[1], "BY");
    read_source("__global__ void k(float *a)\n{\n"
                "const int first = blockIdx.x * BLOCK * ITEMS - 1;\n"
                "for (int i = threadIdx.x; i < BLOCK * ITEMS; i += BLOCK) a[first + i] = 0;\n}");
    expect(indices->span[0], "BLOCK * ITEMS");
    expect(indices->block[0], "BLOCK");
    read_source("__global__ void k(float *a, int n)\n{\n"
                "int tid = threadIdx.x, bid = blockIdx.x;\n"
                "for (int i = bid * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x) "
                "a[i] = 0;\n}");
    expect(indices->span[0], "blockDim.x");
    expect(indices->block[0], "blockDim.x");
    assert_true(indices->strides[0]);
    /* Rows of an argument are no number of threads. */
    read_source("__global__ void k(float *a, int n) { a[blockIdx.x * n + threadIdx.x] = 0; }");
    expect(indices->span[0], "");
}

static bool is_tuned(const char *name)
{
    for (size_t i = 0; i < signature.macro_count; i++)
        if (strcmp(signature.macros[i].name, name) == 0)
            return true;
    return false;
}

TEST(test_what_is_tuned)
{
    read_source("#define NT 256\n#define COPIES 4\n#define BINS 64\n#define RADIUS 3\n"
                "#define DEPTH 8\n#define OTHER 2\n"
                "__global__ void k(const int *in, int *out)\n{\n"
                "__shared__ int local[COPIES][BINS], halo[NT + 2 * RADIUS];\n"
                "int i = blockIdx.x * NT + threadIdx.x;\n"
                "halo[threadIdx.x + RADIUS] = in[i];\n"
                "#pragma unroll DEPTH\n"
                "for (int j = threadIdx.x; j < BINS; j += NT) out[j] = local[0][j];\n}\n"
                "int other() { return OTHER; }");
    assert_true(is_tuned("NT") && is_tuned("COPIES") && is_tuned("DEPTH"));
    assert_false(is_tuned("BINS") || is_tuned("RADIUS") || is_tuned("OTHER"));
    assert_string_equal(signature.not_tuned, "BINS (64), RADIUS (3)");
    read_source("#define TM 4\n#define BOUND 128\n#define STEP 2\n#define PLACE 7\n"
                "__global__ void __launch_bounds__(BOUND) k(float *out)\n{\n"
                "float acc[TM], other[3];\nacc[PLACE] = STEP;\nout[PLACE] = acc[0];\n}");
    assert_true(is_tuned("TM") && is_tuned("BOUND"));
    assert_false(is_tuned("STEP") || is_tuned("PLACE"));
}

TEST(test_constants_are_tuned_as_macros_are)
{
    read_source(
        "constexpr int BLOCK = 256;\nstatic const unsigned DEPTH = 4u;\nconst int BINS = 7;\n"
        "int other() { constexpr int BLOCK_OF_HOST = 3; return BLOCK_OF_HOST; }\n"
        "__global__ void k(float *a)\n{\nconstexpr int TILE = 16;\n"
        "__shared__ float t[TILE];\nt[threadIdx.x] = BINS;\n#pragma unroll DEPTH\n"
        "a[blockIdx.x * BLOCK + threadIdx.x] = t[0];\n}\n");
    assert_true(is_tuned("BLOCK") && is_tuned("DEPTH") && is_tuned("TILE"));
    assert_false(is_tuned("BLOCK_OF_HOST"));
    assert_string_equal(signature.not_tuned, "BINS (7)");
}

TEST(test_broken_sources)
{
    static const char source[] = "__global__ void k(int *a) { a[blockIdx.x] = 0; }\n"
                                 "void f() { k<<<dim3((1 + 2, {3}), 4>>>(a, b[c], d(e)); }";
    char cut[sizeof source];
    for (size_t length = strlen("__global__ void k(int *a) {}"); length < sizeof source; length++) {
        memcpy(cut, source, length);
        cut[length] = '\0';
        read_source(cut);
    }
}

TEST_MAIN(NULL, clear)
