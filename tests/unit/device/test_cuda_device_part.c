/* The part of a source that NVRTC receives: the device's, each line in its place. */
#include <string.h>

#ifdef TUNE_WITH_CUDA
#include "tests/unit/suite.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/host_part.h"

#define ALWAYS "#include <cuda_runtime.h>\n#include <stdint.h>\n"

static const struct header_folders folders = {
    1, (const char *const[]){TEST_SOURCE_DIR "/tests/unit/device"}};

/* Checks the device part; `expected` is the text behind the headers that every source has. */
static void expect_with(const char *headers, const char *source, const char *expected)
{
    struct arena arena = {0};
    struct device_part part;
    char got[4096], whole[4096];
    size_t length = 0;
    assert_true(cuda_device_part(&arena, source, LEAVE_HOST_PART, NULL, 0, &folders, &part));
    /* Blanks that were left do not matter. */
    for (const char *c = part.text; *c && length < sizeof got - 1; c++)
        if (*c != ' ' || (length > 0 && got[length - 1] != ' ' && got[length - 1] != '\n'))
            got[length++] = *c;
    while (length > 0 && got[length - 1] == ' ')
        length--;
    got[length] = '\0';
    assert_true(string_format(whole, sizeof whole, ALWAYS "%s#line 1\n%s", headers, expected));
    assert_string_equal(got, whole);
    arena_free(&arena);
}

static void expect(const char *source, const char *expected)
{
    expect_with("", source, expected);
}

TEST(test_functions)
{
    expect("int main() { return f({1, 2}); }\n__global__ void k() {}", "\n__global__ void k() {}");
    expect("void a();\n__device__ int b();", "\n__device__ int b();");
    expect("template <class E> void go(E e) { k<<<1, 2>>>(e); }", "");
    expect("template <class E> __device__ E same(E e) { return e; }",
           "template <class E> __device__ E same(E e) { return e; }");
    expect("__host__ void a() {}\n__host__ __device__ void b() {}",
           "\n__host__ __device__ void b() {}");
    expect("struct s { int a, b; s(); };\ns::s() : a(1)\n#ifdef MORE\n, b(2)\n#endif\n{ f(); }\n"
           "__global__ void k() {}",
           "struct s { int a, b; };\n\n#ifdef MORE\n\n#endif\n\n__global__ void "
           "k() {}");
    expect("constexpr int twice(int a) { return 2 * a; }",
           "__host__ __device__ constexpr int twice(int a) { return 2 * a; }");
    /* Qualified by a macro, however the macro is made. */
    expect(
        "#define DEV __device__ inline\n#define BOTH DEV __host__\nBOTH void a() {}\nvoid b() {}",
        "#define DEV __device__ inline\n#define BOTH DEV __host__\nBOTH void a() {}\n");
    expect("THEIR_DEVICE_FUNCTION void a() {}", "THEIR_DEVICE_FUNCTION void a() {}");
    expect("#define MAKE(T) __global__ void k_##T() {}\nMAKE(int)\nvoid a() {}",
           "#define MAKE(T) __global__ void k_##T() {}\nMAKE(int)\n");
    expect("extern \"C\" { void a() {}\n__global__ void k() {} }\nnamespace x { void b(); }",
           "extern \"C\" { \n__global__ void k() {} }\nnamespace x { }");
    expect("namespace cg = cooperative_groups;\nusing E = float;\ntypedef void (*call)(int);",
           "namespace cg = cooperative_groups;\nusing E = float;\ntypedef void (*call)(int);");
}

TEST(test_types)
{
    expect("struct S {\nint a; S() : a(1), b{2} { x(); }\n__device__ int get() { return a; }\n"
           "private: void (*call)(int); S(const S &) = default; };",
           "struct S {\nint a; \n__device__ int get() { return a; }\n"
           "private: void (*call)(int); S(const S &) = default; };");
    expect("struct H { template <class C> static int of(C); int f(int); };",
           "struct H { template <class C> __host__ __device__ static int of(C); };");
    /* Behind `template <...>` there may be a directive. */
    expect("struct S {\n#if A\ntemplate <class T>\n#endif\nint of(T); };",
           "struct S {\n#if A\ntemplate <class T>\n#endif\n__host__ __device__ int of(T); };");
    expect("enum kind { A, B = 2 };\nstruct forward;", "enum kind { A, B = 2 };\nstruct forward;");
}

TEST(test_variables)
{
    expect(
        "double log_of(double x);\nstatic const double least = log_of(1e-9);\nconst int two = 2;",
        "\n\nconst int two = 2;");
    expect("static float *h;\nint n = 3, a[] = {1, 2};\nconst char *name = \"{\";", "\n\n");
    expect("const int n = 3;\nconstexpr float pi = 3.f;\n__constant__ float w[3];\n"
           "const char *const name = \"}\";",
           "const int n = 3;\nconstexpr float pi = 3.f;\n__constant__ float w[3];\n"
           "const char *const name = \"}\";");
}

/* No folder has <iostream>; names of the standard library that remain count; a header of C
 * functions belongs to the host. */
TEST(test_headers)
{
    expect("#include <iostream>\n#include \"helper_cuda.h\"\n#include <cpu_test.h>",
           "\n#include \"helper_cuda.h\"\n#include <cpu_test.h>");
    expect("#include <type_traits>\nint a() { return std::rand(); }", "\n");
    expect("#include <type_traits>\n__device__ std::true_type a();",
           "#include <type_traits>\n__device__ std::true_type a();");
    expect("using namespace std;\nusing std::cout;\nint a() { cout << 1; }", "\n\n");
}

TEST(test_defines)
{
    const struct named_value define = {"TILE", value_text("8")};
    struct arena arena = {0};
    struct device_part part;
    static const struct {
        const char *source, *left;
    } rows[] = {
        {"#define TILE 16\n#define TILES 2\n#define TILE_OF(x) x\n",
         " \n#define TILES 2\n#define TILE_OF(x) x\n"},
        {"#undef TILE\n#define TILE 16\n", "#undef TILE\n#define TILE 16\n"},
        /* A constant is replaced as well, wherever it stands; a variable is not. */
        {"static constexpr int TILE = 16;\nconst int TILES = 2;", "     \nconst int TILES = 2;"},
        {"__device__ int f() { int TILE = 2; return TILE; }",
         "__device__ int f() { int TILE = 2; return TILE; }"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(
            cuda_device_part(&arena, rows[i].source, LEAVE_DEFINES, &define, 1, &folders, &part));
        size_t length = 0;
        char got[256];
        for (const char *c = part.text; *c; c++)
            if (*c != ' ' || (length > 0 && got[length - 1] != ' '))
                got[length++] = *c;
        got[length] = '\0';
        char left[256];
        size_t left_length = 0;
        for (const char *c = rows[i].left; *c; c++)
            if (*c != ' ' || (left_length > 0 && left[left_length - 1] != ' '))
                left[left_length++] = *c;
        left[left_length] = '\0';
        assert_string_equal(got, left);
    }
    assert_true(cuda_device_part(&arena, "void f() {}\nint g(int);\n#include <gone.h>\n",
                                 LEAVE_HOST_PART, NULL, 0, &folders, &part));
    assert_true(cuda_left_out(&part, "f", 1) && cuda_left_out(&part, "g", 1));
    assert_false(cuda_left_out(&part, "h", 1));
    assert_string_equal(part.left_headers, "gone.h\n");
    arena_free(&arena);
}

/* Texture references become variables with an object; other types of that name stay. */
TEST(test_texture_references)
{
#define TEXTURES "#include <tune_textures.h>\n"
    expect_with(TEXTURES, "texture<float> a;\nint b;", "__constant__ tune_texture<float> a;\n");
    expect_with(TEXTURES, "static texture<float, 2> a, b;\nextern texture<uint4, 1, MODE> c;",
                "static __constant__ tune_texture<float, 2> a, b;\n"
                "extern __constant__ tune_texture<uint4, 1, MODE> c;");
    expect_with(TEXTURES, "#if A\ntexture<float> a(1, cudaFilterModeLinear);\n#endif\n",
                "#if A\n__constant__ tune_texture<float> a(1, cudaFilterModeLinear);\n#endif\n");
    expect_with(TEXTURES, "#define THING(x)\nTHING(1)\ntexture<int> a;",
                "#define THING(x)\nTHING(1)\n__constant__ tune_texture<int> a;");
    expect_with(
        TEXTURES,
        "typedef texture<int, 2> plane;\nusing line = texture<int>;\nstatic plane a;\nline b;\n"
        "__device__ int c(line d);",
        "typedef tune_texture<int, 2> plane;\nusing line = tune_texture<int>;\n"
        "static __constant__ plane a;\n__constant__ line b;\n__device__ int c(line d);");
    expect_with(TEXTURES,
                "texture<int> &a(void);\ntexture<int> b() { return c; }\n"
                "__device__ int d(texture<int> e, int f);\nvoid g(texture<int> h) {}",
                "\n\n__device__ int d(tune_texture<int> e, int f);\n");
    expect("template <class T> struct texture {};\n__device__ texture<int> a;",
           "template <class T> struct texture {};\n__device__ texture<int> a;");
    expect("__device__ own::texture<int> a;\n__device__ int b(cudaTextureObject_t texture);",
           "__device__ own::texture<int> a;\n__device__ int b(cudaTextureObject_t texture);");
    /* nvcc receives the header's contents, since no folder has the header. */
    struct arena arena = {0};
    struct device_part part;
    assert_true(cuda_device_part(&arena, "texture<int> a;\nint main() { a.normalized = 1; }",
                                 LEAVE_DEFINES, NULL, 0, &folders, &part));
    assert_true(strncmp(part.text, cuda_header_textures, strlen(cuda_header_textures)) == 0);
    assert_string_equal(part.text + strlen(cuda_header_textures),
                        "#line 1\n__constant__ tune_texture<int> a;\n"
                        "int main() { a.normalized = 1; }");
    arena_free(&arena);
}

/* Text that is no C++ is never read past its end, and unmatched brackets change nothing. */
TEST(test_broken)
{
    static const char *const texts[] = {"",
                                        "{",
                                        "}",
                                        "(",
                                        "template <",
                                        "struct",
                                        "namespace",
                                        "int a(",
                                        "x ::",
                                        "operator",
                                        "#",
                                        "#include",
                                        "#define",
                                        "extern \"C\"",
                                        "class A : b<",
                                        "enum {",
                                        "int a = ",
                                        "S() : a",
                                        "a : ",
                                        "texture<",
                                        "texture<int>",
                                        "texture<int> a(1",
                                        "(\n#else",
                                        "(\n#else\n#elif",
                                        "{\n#if 0",
                                        "{\n#if 0\n#else",
                                        "#endif\n{",
                                        "typedef texture<int> a",
                                        "using",
                                        "using namespace",
                                        "template",
                                        "extern template",
                                        "::a(",
                                        "S<a>::~",
                                        ">::a();",
                                        "operator()(",
                                        "~a() = default",
                                        "#define a b b b\n#define b a a a\na(a)",
                                        "#define a(b) a##b##\na(b)",
                                        "#define a ## ##b\na",
                                        "#define a(",
                                        "#define",
                                        "#define a",
                                        "#include",
                                        "#include <",
                                        "struct a {",
                                        "struct { int a; } b",
                                        "enum { a, b",
                                        "typedef struct a { } a, *b",
                                        "{ } a { }",
                                        "namespace",
                                        "static_assert(a",
                                        "a b; int b::a",
                                        "using a = texture<int>"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct arena arena = {0};
        struct device_part part;
        assert_true(cuda_device_part(&arena, texts[i], LEAVE_HOST_PART, NULL, 0, &folders, &part));
        arena_free(&arena);
    }
    expect("void a() { {\n__global__ void k() {}", "void a() { {\n__global__ void k() {}");
}

/* Each branch of an #if may open a brace that one place closes, or close one that one place opens.
 */
TEST(test_branches)
{
    expect("#if A\nvoid f(int a) {\n#elif B\nvoid f() {\n#else\nvoid f(int a, int b) {\n#endif\n"
           "g(); }\n__global__ void k() {}",
           "#if A\n\n#elif B\n\n#else\n\n#endif\n\n__global__ void k() {}");
    expect("#ifdef A\nnamespace x {\n#else\nnamespace x {\n#endif\nvoid f();\n}\nint g();",
           "#ifdef A\nnamespace x {\n#else\nnamespace x {\n#endif\n\n}\n");
    expect("void f() {\n#ifndef A\n if (b) {\n#endif\n#if B\n }\n#else\n }\n#endif\n}\nint g();",
           "\n#ifndef A\n\n#endif\n#if B\n\n#else\n\n#endif\n\n");
    /* Code that is never compiled does not count. */
    expect("#if 0\n}\n#endif\nvoid f();", "#if 0\n\n#endif\n");
    expect("void f() {\n#if 0 /* old */\n} }\n#else\n}\n#endif\nvoid g();\n",
           "\n#if 0 /* old */\n\n#else\n\n#endif\n\n");
}

TEST_MAIN(NULL, NULL)
#else
int main(void)
{
    return 0;
}
#endif
