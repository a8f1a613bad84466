/* What a source defines so that other sources have it. */
#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/device/gpu/tokens.h"

static enum defined find(const char *text, const char *name)
{
    struct arena arena = {0};
    struct tokens tokens;
    assert_true(tokens_read(&arena, text, &tokens));
    const enum defined found = tokens_define(&tokens, name);
    arena_free(&arena);
    return found;
}

TEST(test_variables)
{
    assert_int_equal(find("__device__ float a[3];", "a"), DEFINED);
    assert_int_equal(find("__constant__ float b, a[3];", "a"), DEFINED);
    assert_int_equal(find("__device__ __align__(8)\nfloat a[] = {1};", "a"), DEFINED_WITH_VALUE);
    assert_int_equal(find("extern \"C\" __device__ int a;", "a"), DEFINED);
    assert_int_equal(find("extern __device__ int a;", "a"), NOT_DEFINED);
    assert_int_equal(find("__constant__ extern int a[4];", "a"), NOT_DEFINED);
    assert_int_equal(find("static __device__ int a = 1;", "a"), NOT_DEFINED);
    assert_int_equal(find("float a[3]; /* __device__ float a[3]; */", "a"), NOT_DEFINED);
    assert_int_equal(find("__device__ float b = a;", "a"), NOT_DEFINED);
}

TEST(test_functions)
{
    assert_int_equal(find("__device__ int a(int x) { return x; }", "a"), DEFINED_WITH_VALUE);
    assert_int_equal(find("__device__ int a(int x);", "a"), NOT_DEFINED);
    assert_int_equal(find("__device__ int b(int a) { return a; }", "a"), NOT_DEFINED);
    assert_int_equal(find("extern __device__ int a(int x) noexcept { return x; }", "a"),
                     DEFINED_WITH_VALUE);
    assert_int_equal(find("template <int N> __device__ int a() { return N; }", "a"), NOT_DEFINED);
    assert_int_equal(find("__device__ int a(", "a"), NOT_DEFINED);
    assert_int_equal(find("__device__", "a"), NOT_DEFINED);
}

TEST_MAIN(NULL, NULL)
