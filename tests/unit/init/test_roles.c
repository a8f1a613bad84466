/* Roles of pointers and variables, from PTX. */
#include <string.h>

#include "frontends/init/source.h"
#include "tests/unit/suite.h"

static struct arena arena;
static struct source_signature signature;
static struct kernel_signature kernel;

static int clear(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static const char start[] = ".version 9.0\n"
                            ".extern .shared .align 16 .b8 _ZN1a4moreE[];\n"
                            ".const .align 4 .b8 weights[12];\n"
                            ".global .align 4 .u32 _ZN15_INTERNAL_0_4_k12_GLOBAL__N_14loneE;\n"
                            ".global .align 4 .u32 other;\n"
                            ".global .align 4 .b8 table[8] = {0, 0, 128, 63, 0, 0, 0, 64};\n"
                            ".global .align 1 .b8 $str[4] = {37, 100, 10};\n"
                            ".visible .entry count(\n\t.param .u64 count_param_0\n)\n{\n"
                            "\tst.global.u32 \t[other], 1;\n}\n"
                            ".visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n"
                            "\t.reg .b64 \t%rd<20>;\n"
                            "\tld.param.u64 \t%rd1, [k_param_0];\n"
                            "\tld.param.u64 \t%rd2, [k_param_1];\n"
                            "\tcvta.to.global.u64 \t%rd3, %rd1;\n"
                            "\tcvta.to.global.u64 \t%rd4, %rd2;\n";

/* Reads a kernel of two pointers to floats, %rd3 and %rd4. */
static const struct kernel_parameter *read_body(const char *body)
{
    char ptx[4096];
    clear(NULL);
    signature = (struct source_signature){0};
    kernel = (struct kernel_signature){.parameter_count = 2};
    for (size_t i = 0; i < 2; i++)
        kernel.parameters[i] = (struct kernel_parameter){
            .kind = PARAMETER_POINTER, .known = true, .type = ELEMENT_F32, .lanes = 2};
    assert_true(string_format(ptx, sizeof ptx, "%s%s\tret;\n}\n", start, body));
    assert_true(roles_read(&arena, ptx, "k", &signature, &kernel));
    return kernel.parameters;
}

static void expect_uses(const struct kernel_parameter *parameter, bool read, bool written,
                        bool hidden)
{
    assert_int_equal(parameter->is_read, read);
    assert_int_equal(parameter->is_written, written);
    assert_int_equal(parameter->is_hidden, hidden);
}

TEST(test_loads_and_stores_by_other_registers)
{
    const struct kernel_parameter *parameters =
        read_body("\tadd.s64 \t%rd7, %rd6, 4;\n" /* before the loop's end sets %rd6 */
                  "@%p1 ld.global.nc.v2.f32 \t{%f1, %f2}, [%rd7+8];\n"
                  "\tmul.wide.s32 \t%rd5, %r1, 4;\n"
                  "\tadd.s64 \t%rd6, %rd3, %rd5;\n"
                  "\tst.global.v2.f32 \t[%rd4+-8], {%f1, %f2};\n");
    expect_uses(&parameters[0], true, false, false);
    expect_uses(&parameters[1], false, true, false);
}

TEST(test_stores_atomics_and_copies)
{
    const struct kernel_parameter *parameters =
        read_body("\tst.global.f32 \t[%rd3], %f1;\n\tred.global.add.f32 \t[%rd4], %f1;\n");
    expect_uses(&parameters[0], false, true, false);
    expect_uses(&parameters[1], true, true, false);
    parameters = read_body("\tcp.async.cg.shared.global [%r1], [%rd3], 16;\n"
                           "\tst.local.u64 \t[%rd9], %rd4;\n");
    expect_uses(&parameters[0], true, false, false);
    expect_uses(&parameters[1], false, false, true);
    parameters = read_body("");
    expect_uses(&parameters[0], false, false, false);
}

TEST(test_variables_of_the_kernel_alone)
{
    (void)read_body("\tmov.u64 \t%rd9, weights;\n\tld.const.f32 \t%f1, [%rd9+4];\n"
                    "\tatom.global.add.u32 \t%r1, "
                    "[_ZN15_INTERNAL_0_4_k12_GLOBAL__N_14loneE], 1;\n"
                    "\tmov.u64 \t%rd10, $str;\n\tld.global.f32 \t%f2, [table];\n"
                    "\tmov.u64 \t%rd11, _ZN1a4moreE;\n");
    assert_true(signature.dynamic_shared);
    assert_int_equal(signature.symbol_count, 3);
    const struct kernel_parameter *symbols = signature.symbols;
    assert_string_equal(symbols[0].name, "weights");
    assert_true(symbols[0].constant && symbols[0].is_read && !symbols[0].is_written);
    assert_false(symbols[0].has_value);
    assert_string_equal(symbols[1].name, "lone");
    assert_true(symbols[1].is_read && symbols[1].is_written);
    assert_string_equal(symbols[2].name, "table");
    assert_true(symbols[2].has_value);
}

TEST(test_broken_ptx)
{
    char cut[sizeof start];
    for (size_t length = 0; length < sizeof start; length++) {
        clear(NULL);
        memcpy(cut, start, length);
        cut[length] = '\0';
        signature = (struct source_signature){0};
        assert_true(roles_read(&arena, cut, "k", &signature, &kernel));
    }
}

TEST_MAIN(NULL, clear)
