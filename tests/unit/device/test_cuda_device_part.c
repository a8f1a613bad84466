/* What of a source NVRTC is given: the device's part, line by line where it was. */
#include <string.h>

#ifdef TUNE_WITH_CUDA
#include "tests/unit/suite.h"
#include "tuner/device/cuda/host_part.h"

/* Of the source what the kernel `only` reaches; NULL: the device's part. */
static void expect_of(const char *only, const char *source, const char *expected)
{
    const struct device_roots roots = {.names = &only, .count = 1};
    struct arena arena = {0};
    struct device_part part;
    assert_true(
        cuda_device_part(&arena, source, LEAVE_HOST_PART, NULL, 0, only ? &roots : NULL, &part));
    /* Blanks that were left do not matter. */
    char got[4096];
    size_t length = 0;
    for (const char *c = part.text; *c && length < sizeof got - 1; c++)
        if (*c != ' ' || (length > 0 && got[length - 1] != ' ' && got[length - 1] != '\n'))
            got[length++] = *c;
    while (length > 0 && got[length - 1] == ' ')
        length--;
    got[length] = '\0';
    assert_string_equal(got, expected);
    arena_free(&arena);
}

static void expect(const char *source, const char *expected)
{
    expect_of(NULL, source, expected);
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
    /* By a macro, however it is made. */
    expect(
        "#define DEV __device__ inline\n#define BOTH DEV __host__\nBOTH void a() {}\nvoid b() {}",
        "#define DEV __device__ inline\n#define BOTH DEV __host__\nBOTH void a() {}\n");
    expect("THEIR_DEVICE_FUNCTION void a() {}", "THEIR_DEVICE_FUNCTION void a() {}");
    expect("#define MAKE(T) __global__ void k_##T() {}\nMAKE(int)\nvoid a() {}",
           "#define MAKE(T) __global__ void k_##T() {}\nMAKE(int)\n");
    /* One that launches, or that instantiates what is left out, is the host's. */
    expect("#define GO(k) void go_##k() { k<<<1, 1>>>(); }\nGO(k)\n__global__ void k() {}",
           "#define GO(k) void go_##k() { k<<<1, 1>>>(); }\n\n__global__ void k() {}");
    expect("#define OF(T) \\\r\ntemplate void go<T>()\nOF(int);\n__global__ void k() {}",
           "#define OF(T) \\\r\ntemplate void go<T>()\n;\n__global__ void k() {}");
    expect("#define OF(T) template __global__ void k<T>()\nOF(int);",
           "#define OF(T) template __global__ void k<T>()\nOF(int);");
    /* Of a library whose headers were left out; a kernel stays, for the compiler to tell. */
    expect("__device__ int a(at::Half x);\n__global__ void k(at::Half x) {}\nint at;",
           "\n__global__ void k(at::Half x) {}\n");
    expect("namespace at { struct Half {}; }\n__device__ int a(at::Half x);",
           "namespace at { struct Half {}; }\n__device__ int a(at::Half x);");
    expect("namespace gflags = google;\nusing boost::shared_ptr;\nusing other::pair;",
           "\n\nusing other::pair;");
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
    expect("struct H { std::vector<int> v; };\nstruct __align__(16) D { float x; };",
           "struct H ; \nstruct __align__(16) D { float x; };");
    expect("using namespace std;\nstruct H { vector<int> v; };", "\nstruct H ;");
    /* Another name of such a type, and what is made of it. */
    expect("using F = std::function<void(int)>;\ntypedef std::shared_ptr<int> P;\n"
           "struct H { F f; };\nstruct D { float x; };\nusing E = D;",
           "\n\nstruct H ; \nstruct D { float x; };\nusing E = D;");
    expect("namespace n { struct H { std::string s; }; }\nusing n::H;\nusing namespace n;\n"
           "using E = n::other;\nstruct M { H h; };",
           "namespace n { struct H ; }\nusing n::H;\nusing namespace n;\n"
           "using E = n::other;\nstruct M ;");
    /* What has such a type within, or stands on it, goes with it; a pointer to it stays. */
    expect("template <class T> class H : public B { std::string s; };\ntypedef H<int> A;\n"
           "struct M { A a; };\nclass D : public H<int> {\n};\nstruct P { H<int> *h; };",
           "template <class T> class H ; \ntypedef H<int> A;\nstruct M ; \nclass D ; \n\n"
           "struct P { H<int> *h; };");
    expect(
        "class E : public std::runtime_error { int code; };\ntypedef struct { std::string s; } T;",
        "class E ; \n");
    /* Its friends that were left out. */
    expect(
        "namespace n { template <class T> T sum(T); }\nstruct S {\nfriend int n::sum<int>(int);\n"
        "friend int own(S); };",
        "namespace n { }\nstruct S {\n\nfriend int own(S); };");
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
    expect("const std::string name(\"x\");", "");
}

TEST(test_headers)
{
    expect("#include <iostream>\n#include \"helper_cuda.h\"\n#include <cub/cub.cuh>\n#include "
           "<mine.h>",
           "\n\n#include <cub/cub.cuh>\n#include <mine.h>");
    /* Of the standard library, where what remains names it. */
    expect("#include <type_traits>\nint a() { return std::rand(); }", "\n");
    /* Of PyTorch what a kernel takes; not where the source has it itself. */
    expect("#include <torch/extension.h>\nvoid f(at::Tensor t) {}\n__device__ int a(const "
           "at::PackedTensorAccessor32<int, 2> &t) { return t[0][1]; }",
           "#include <tune_torch.h>\n#line 1\n\n\n__device__ int a(const "
           "at::PackedTensorAccessor32<int, 2> &t) { return t[0][1]; }");
    expect("namespace at { struct TensorAccessor {}; }\n__device__ int a(at::TensorAccessor t);",
           "namespace at { struct TensorAccessor {}; }\n__device__ int a(at::TensorAccessor t);");
    expect("#include <type_traits>\n__device__ std::true_type a();",
           "#include <type_traits>\n__device__ std::true_type a();");
    /* What nvcc includes for every source. */
    expect("__device__ uint a = INT_MAX;",
           "#include <stdlib.h>\n#include <limits.h>\n#line 1\n__device__ uint a = INT_MAX;");
    expect("__device__ std::enable_if<true>::type a();",
           "#include <type_traits>\n#line 1\n__device__ std::enable_if<true>::type a();");
    expect("__device__ float decay;", "__device__ float decay;");
    expect("typedef unsigned uint;\n__device__ uint a;",
           "typedef unsigned uint;\n__device__ uint a;");
    expect("#define M_PI 3\n__device__ int a = M_PI;", "#define M_PI 3\n__device__ int a = M_PI;");
    expect("#ifdef WIN32\n#define M_PI 3\n#endif\n__device__ int a = M_PI;",
           "#include <math.h>\n#line 1\n#ifdef WIN32\n#define M_PI 3\n#endif\n__device__ int a = "
           "M_PI;");
}

TEST(test_defines)
{
    const struct named_value define = {"TILE", value_text("8")};
    const char *source = "#define TILE 16\n#define TILES 2\n#define TILE_OF(x) x\n";
    struct arena arena = {0};
    struct device_part part;
    assert_true(cuda_device_part(&arena, source, LEAVE_HOST_PART, &define, 1, NULL, &part));
    assert_string_equal(part.text, " \n#define TILES 2\n#define TILE_OF(x) x\n");
    assert_true(cuda_device_part(&arena, "#undef TILE\n#define TILE 16\n", LEAVE_HOST_PART, &define,
                                 1, NULL, &part));
    assert_string_equal(part.text, "#undef TILE\n#define TILE 16\n");
    assert_true(cuda_device_part(&arena, "void f() {}\nint g(int);\n", LEAVE_HOST_PART, NULL, 0,
                                 NULL, &part));
    assert_true(cuda_left_out(&part, "f", 1) && cuda_left_out(&part, "g", 1));
    assert_false(cuda_left_out(&part, "h", 1));
    arena_free(&arena);
}

/* Texture references are variables with an object, others' types of that name what they were. */
TEST(test_texture_references)
{
#define OURS "#include <tune_textures.h>\n#line 1\n"
    expect("texture<float> a;\nint b;", OURS "__constant__ tune_texture<float> a;\n");
    expect("static texture<float, 2> a, b;\nextern texture<uint4, 1, MODE> c;",
           OURS "static __constant__ tune_texture<float, 2> a, b;\n"
                "extern __constant__ tune_texture<uint4, 1, MODE> c;");
    expect("#if A\ntexture<float> a(1, cudaFilterModeLinear);\n#endif\n",
           OURS "#if A\n__constant__ tune_texture<float> a(1, cudaFilterModeLinear);\n#endif\n");
    expect("#define THING(x)\nTHING(1)\ntexture<int> a;",
           OURS "#define THING(x)\nTHING(1)\n__constant__ tune_texture<int> a;");
    expect("typedef texture<int, 2> plane;\nusing line = texture<int>;\nstatic plane a;\nline b;\n"
           "__device__ int c(line d);",
           OURS "typedef tune_texture<int, 2> plane;\nusing line = tune_texture<int>;\n"
                "static __constant__ plane a;\n__constant__ line b;\n__device__ int c(line d);");
    expect("texture<int> &a(void);\ntexture<int> b() { return c; }\n"
           "__device__ int d(texture<int> e, int f);\nvoid g(texture<int> h) {}",
           OURS "\n\n__device__ int d(tune_texture<int> e, int f);\n");
    expect("template <class T> struct texture {};\n__device__ texture<int> a;",
           "template <class T> struct texture {};\n__device__ texture<int> a;");
    expect("__device__ own::texture<int> a;\n__device__ int b(cudaTextureObject_t texture);",
           "__device__ own::texture<int> a;\n__device__ int b(cudaTextureObject_t texture);");
    /* nvcc is given what the header has: no folder has it. */
    struct arena arena = {0};
    struct device_part part;
    assert_true(cuda_device_part(&arena, "texture<int> a;\nint main() { a.normalized = 1; }",
                                 LEAVE_DEFINES, NULL, 0, NULL, &part));
    assert_true(strncmp(part.text, cuda_header_textures, strlen(cuda_header_textures)) == 0);
    assert_string_equal(part.text + strlen(cuda_header_textures),
                        "#line 1\n__constant__ tune_texture<int> a;\n"
                        "int main() { a.normalized = 1; }");
    arena_free(&arena);
}

/* Text that is none is never read past its end, and brackets that do not match change nothing. */
TEST(test_broken)
{
    static const char *const names[] = {"a", "b::S<int>"};
    const struct device_roots roots = {.names = names, .count = 2};
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
        assert_true(cuda_device_part(&arena, texts[i], LEAVE_HOST_PART, NULL, 0, NULL, &part));
        assert_true(cuda_device_part(&arena, texts[i], LEAVE_HOST_PART, NULL, 0, &roots, &part));
        arena_free(&arena);
    }
    expect("void a() { {\n__global__ void k() {}", "void a() { {\n__global__ void k() {}");
}

/* Each branch of an #if may open what one brace closes, or close what one opens. */
TEST(test_branches)
{
    expect("#if A\nvoid f(int a) {\n#elif B\nvoid f() {\n#else\nvoid f(int a, int b) {\n#endif\n"
           "g(); }\n__global__ void k() {}",
           "#if A\n\n#elif B\n\n#else\n\n#endif\n\n__global__ void k() {}");
    expect("#ifdef A\nnamespace x {\n#else\nnamespace x {\n#endif\nvoid f();\n}\nint g();",
           "#ifdef A\nnamespace x {\n#else\nnamespace x {\n#endif\n\n}\n");
    expect("void f() {\n#ifndef A\n if (b) {\n#endif\n#if B\n }\n#else\n }\n#endif\n}\nint g();",
           "\n#ifndef A\n\n#endif\n#if B\n\n#else\n\n#endif\n\n");
    /* Nothing of what is never compiled counts. */
    expect("#if 0\n}\n#endif\nvoid f();", "#if 0\n\n#endif\n");
    expect("void f() {\n#if 0 /* old */\n} }\n#else\n}\n#endif\nvoid g();\n",
           "\n#if 0 /* old */\n\n#else\n\n#endif\n\n");
}

/* What the kernel k names, directly or through others. */
TEST(test_reached)
{
    expect("#define KERNEL(n) __global__ void n()\nKERNEL(k) { }",
           "#define KERNEL(n) __global__ void n()\nKERNEL(k) { }");
    expect_of("k", "__device__ int a();\n__device__ int b();\n__global__ void k() { a(); }",
              "__device__ int a();\n\n__global__ void k() { a(); }");
    expect_of("space::k<float>",
              "namespace space {\nstruct lost { gone g; };\nstruct base { int n; };\n"
              "struct part : base { };\ntemplate <class T> __global__ void k(part p) {}\n}",
              "namespace space {\n\nstruct base { int n; };\n"
              "struct part : base { };\ntemplate <class T> __global__ void k(part p) {}\n}");
    /* By macros and other names; what is named as a member is not what is called so elsewhere. */
    expect_of("k",
              "#define CALL(x) twice(x)\n__device__ int twice(int);\ntypedef int word;\n"
              "using real = float;\nstruct size { gone g; };\nstruct s { int a; };\n"
              "__global__ void k(word *y, s t) { *y = CALL(t.size); }",
              "#define CALL(x) twice(x)\n__device__ int twice(int);\ntypedef int word;\n"
              "\n\nstruct s { int a; };\n"
              "__global__ void k(word *y, s t) { *y = CALL(t.size); }");
    /* What a type is made of is no name of its own. */
    expect_of("k",
              "typedef double real;\ntypedef lib::list<int, real, 4> list;\n"
              "__global__ void k(real *y) {}",
              "typedef double real;\n\n__global__ void k(real *y) {}");
}

TEST(test_reached_by_macros)
{
    /* By names that macros make, and with what a macro's call makes of what it is given. */
    expect_of("k",
              "__device__ int make_int(float);\n__device__ int other_int(float);\n"
              "__device__ int make_less(float);\n__device__ int int_of(float);\n"
              "#define CALL(R, x) make_##R(x) + R ## _of(x)\n"
              "__global__ void k(int *y) { *y = CALL(int, 1); }",
              "__device__ int make_int(float);\n\n"
              "\n__device__ int int_of(float);\n"
              "#define CALL(R, x) make_##R(x) + R ## _of(x)\n"
              "__global__ void k(int *y) { *y = CALL(int, 1); }");
    expect_of("k",
              "#define BOTH(n) __device__ void n##_all() {} __device__ void a_##n() {}\n"
              "BOTH(sum)\nBOTH(most)\nBOTH(least)\n__global__ void k() { sum_all(); a_least(); }",
              "#define BOTH(n) __device__ void n##_all() {} __device__ void a_##n() {}\n"
              "BOTH(sum)\n\nBOTH(least)\n__global__ void k() { sum_all(); a_least(); }");
    /* Operators that macros make, where their types are there. */
    expect_of("k",
              "struct own { int a; };\nstruct host { gone g; };\n"
              "#define OF(sign, f) __device__ own operator sign(own a, own b) { return f(a, b); }\n"
              "#define FOR(T) __device__ T operator-(T a);\n"
              "__device__ own sum(own, own);\nOF(+, sum)\nFOR(own)\nFOR(host)\n"
              "__global__ void k(own o) { o + o; }",
              "struct own { int a; };\n\n"
              "#define OF(sign, f) __device__ own operator sign(own a, own b) { return f(a, b); }\n"
              "#define FOR(T) __device__ T operator-(T a);\n"
              "__device__ own sum(own, own);\nOF(+, sum)\nFOR(own)\n\n"
              "__global__ void k(own o) { o + o; }");
    /* Overloads and specialisations for types that are not reached; of operators, too. */
    expect_of("k",
              "struct host { gone g; };\nstruct own { int a; };\n__device__ int f(host);\n"
              "__device__ int f(own);\n__device__ own operator+(own, own);\n"
              "__device__ host operator+(host, host);\ntemplate <class T> struct of { };\n"
              "template <> struct of<host> { };\n__global__ void k(own o) { f(o); of<own> t; }",
              "\nstruct own { int a; };\n\n"
              "__device__ int f(own);\n__device__ own operator+(own, own);\n"
              "\ntemplate <class T> struct of { };\n"
              "\n__global__ void k(own o) { f(o); of<own> t; }");
    expect_of("k",
              "struct only { int a; };\n__device__ int f(only);\n__global__ void k() { f({1}); }",
              "struct only { int a; };\n__device__ int f(only);\n__global__ void k() { f({1}); }");
    /* Of a type's functions those that are named, its constructors and its operators. */
    expect_of("k",
              "struct s {\n int a;\n __device__ s(int);\n __device__ int f() { return a; }\n"
              " __device__ int g() { return gone; }\n __device__ operator int();\n};\n"
              "__device__ s::s(int b) { a = b; }\n__device__ int s::h() { }\n"
              "__global__ void k(s t) { t.f(); }",
              "struct s {\nint a;\n__device__ s(int);\n__device__ int f() { return a; }\n"
              "\n__device__ operator int();\n};\n"
              "__device__ s::s(int b) { a = b; }\n\n"
              "__global__ void k(s t) { t.f(); }");
    /* Enumerators, variables, declarations alone, instances. */
    expect_of(
        "k",
        "enum { LOW, HIGH };\nenum { OTHER };\n__constant__ int a[3], b;\nconst int c = gone;\n"
        "class seen;\nclass unseen;\ntemplate class vast<int>;\n"
        "__global__ void k(seen *p) { b = HIGH; }",
        "enum { LOW, HIGH };\n\n__constant__ int a[3], b;\n\n"
        "class seen;\n\n\n__global__ void k(seen *p) { b = HIGH; }");
    /* What macros declare, and what is opened. */
    expect_of("k",
              "#define KERNEL(n) __global__ void n()\n#define HOST(n) static Registrar r_##n\n"
              "HOST(k);\nKERNEL(other) { gone(); }\nKERNEL(k) { }\n",
              "#define KERNEL(n) __global__ void n()\n#define HOST(n) static Registrar r_##n\n"
              ";\n\nKERNEL(k) { }\n");
    expect_of("k",
              "namespace a { int b(); }\nusing namespace a;\nusing namespace gone;\n"
              "static_assert(sizeof(gone) == 4);\n#include <gone.h>\n__global__ void k() {}",
              "namespace a { }\nusing namespace a;\n\n\n\n__global__ void k() {}");
}

/* Of options the values of macros alone. */
TEST(test_reached_options)
{
    static const char *const names[] = {"k", "--Ofast-compile=max", "-v", "-DOP=sum",
                                        "--define-macro=OTHER=least"};
    const struct device_roots roots = {.names = names, .count = sizeof names / sizeof *names};
    struct arena arena = {0};
    struct device_part part;
    assert_true(cuda_device_part(&arena,
                                 "__device__ int max();\n__device__ int v;\n__device__ int sum();\n"
                                 "__device__ int least();\n__global__ void k() { OP(); }",
                                 LEAVE_HOST_PART, NULL, 0, &roots, &part));
    assert_null(strstr(part.text, "max"));
    assert_null(strstr(part.text, "int v"));
    assert_non_null(strstr(part.text, "int sum();\n__device__ int least();\n__global__ void k()"));
    arena_free(&arena);
}

TEST_MAIN(NULL, NULL)
#else
int main(void)
{
    return 0;
}
#endif
