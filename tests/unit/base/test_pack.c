/* Values as the bytes that kernels take. */
#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/base/pack.h"

TEST(scalars_are_converted_or_refused)
{
    unsigned char bytes[8];
    int32_t i32 = 0;
    assert_true(scalar_bytes(value_integer(-5), ELEMENT_I32, bytes));
    memcpy(&i32, bytes, 4);
    assert_int_equal(i32, -5);
    assert_false(scalar_bytes(value_integer(INT64_C(1) << 31), ELEMENT_I32, bytes));
    assert_true(scalar_bytes(value_integer(UINT32_MAX), ELEMENT_U32, bytes));
    assert_false(scalar_bytes(value_integer(-1), ELEMENT_U32, bytes));
    assert_false(scalar_bytes(value_integer(-1), ELEMENT_U64, bytes));
    assert_false(scalar_bytes(value_integer(128), ELEMENT_I8, bytes));
    assert_true(scalar_bytes(value_real(3.0), ELEMENT_I64, bytes));
    assert_false(scalar_bytes(value_real(3.5), ELEMENT_I64, bytes));
    assert_false(scalar_bytes(value_text("3"), ELEMENT_I64, bytes));
    float f32 = 0;
    assert_true(scalar_bytes(value_integer(7), ELEMENT_F32, bytes));
    memcpy(&f32, bytes, 4);
    assert_true(f32 == 7.0f);
    uint16_t half = 0;
    assert_true(scalar_bytes(value_real(-1.5), ELEMENT_F16, bytes));
    memcpy(&half, bytes, 2);
    assert_int_equal(half, 0xbe00);
    assert_true(scalar_bytes(value_integer(3), ELEMENT_BF16, bytes));
    memcpy(&half, bytes, 2);
    assert_int_equal(half, 0x4040);
    assert_false(scalar_bytes(value_text("3"), ELEMENT_BF16, bytes));
}

struct mixed {
    signed char a;
    double b;
    short c;
    float d;
    unsigned char e;
    long long f;
    unsigned short g;
};

static struct argument mixed_argument(struct field fields[7])
{
    const struct field mixed[] = {
        {ELEMENT_I8, value_integer(-1), 0},    {ELEMENT_F64, value_real(0.1), 0},
        {ELEMENT_I16, value_integer(-300), 0}, {ELEMENT_F32, value_integer(7), 0},
        {ELEMENT_U8, value_boolean(true), 0},  {ELEMENT_I64, value_integer(INT64_MIN), 0},
        {ELEMENT_F16, value_real(-1.5), 0}};
    memcpy(fields, mixed, sizeof mixed);
    return (struct argument){
        .name = "mixed", .role = ARGUMENT_STRUCT, .field_count = 7, .fields = fields};
}

TEST(structs_lie_as_the_compiler_lays_them)
{
    struct error error = {0};
    unsigned char bytes[VALUE_BYTES_MAX];
    size_t count = 0;
    struct field fields[7];
    const struct argument argument = mixed_argument(fields);
    memset(bytes, 0xff, sizeof bytes);
    assert_int_equal(argument_pack(&argument, bytes, &count, &error), STATUS_OK);
    struct mixed expected;
    memset(&expected, 0, sizeof expected);
    expected.a = -1;
    expected.b = 0.1;
    expected.c = -300;
    expected.d = 7;
    expected.e = 1;
    expected.f = INT64_MIN;
    expected.g = 0xbe00;
    assert_int_equal(count, sizeof expected);
    assert_memory_equal(bytes, &expected, sizeof expected);
    assert_int_equal(argument_passed_bytes(&argument), sizeof expected);
}

TEST(short_structs_have_no_more_room_than_they_need)
{
    struct field fields[FIELDS_MAX] = {
        {.type = ELEMENT_I8}, {.type = ELEMENT_I8}, {.type = ELEMENT_I8}};
    struct argument argument = {.role = ARGUMENT_STRUCT, .field_count = 3, .fields = fields};
    assert_int_equal(argument_bytes(&argument), 3);
    fields[1].type = ELEMENT_I16;
    assert_int_equal(argument_bytes(&argument), 6);
    fields[2].type = ELEMENT_F32;
    assert_int_equal(argument_bytes(&argument), 8);
    argument.field_count = FIELDS_MAX;
    for (size_t i = 0; i < FIELDS_MAX; i++)
        fields[i].type = ELEMENT_U64;
    assert_int_equal(argument_bytes(&argument), VALUE_BYTES_MAX);
}

struct pointing {
    signed char a;
    const char *first;
    int n;
    const char *second, *again;
};

TEST(pointers_of_structs_are_filled_in_where_they_lie)
{
    struct error error = {0};
    unsigned char bytes[VALUE_BYTES_MAX];
    size_t count = 0;
    const struct field fields[] = {{ELEMENT_I8, value_integer(-1), 0},
                                   {ELEMENT_U64, value_integer(0), 4},
                                   {ELEMENT_I32, value_integer(7), 0},
                                   {ELEMENT_U64, value_integer(24), 6},
                                   {ELEMENT_U64, value_integer(8), 4}};
    const struct argument argument = {
        .name = "view", .role = ARGUMENT_STRUCT, .field_count = 5, .fields = fields};
    static const char vectors[2][64];
    struct pointing expected;
    memset(&expected, 0, sizeof expected);
    expected.a = -1;
    expected.first = vectors[0];
    expected.n = 7;
    expected.second = vectors[1] + 24;
    expected.again = vectors[0] + 8;
    assert_int_equal(argument_pack(&argument, bytes, &count, &error), STATUS_OK);
    argument_point(&argument, 3, (uintptr_t)vectors[0], bytes);
    argument_point(&argument, 4, 1, bytes); /* without a pointer to it */
    argument_point(&argument, 5, (uintptr_t)vectors[1], bytes);
    assert_int_equal(count, sizeof expected);
    assert_memory_equal(bytes, &expected, sizeof expected);
}

TEST(values_that_do_not_fit_are_named)
{
    struct error error = {0};
    unsigned char bytes[VALUE_BYTES_MAX];
    size_t count = 0;
    struct field fields[7];
    struct argument argument = mixed_argument(fields);
    fields[2].value = value_integer(1 << 15);
    assert_int_equal(argument_pack(&argument, bytes, &count, &error), STATUS_BAD_INPUT);
    assert_string_equal(error.text, "argument 'mixed': the value of field 3 does not fit i16");
    argument = (struct argument){
        .name = "n", .role = ARGUMENT_SCALAR, .type = ELEMENT_U8, .scalar = value_integer(256)};
    assert_int_equal(argument_pack(&argument, bytes, &count, &error), STATUS_BAD_INPUT);
    assert_string_equal(error.text, "argument 'n': its value does not fit u8");
    argument.scalar = value_integer(255);
    assert_int_equal(argument_pack(&argument, bytes, &count, &error), STATUS_OK);
    assert_int_equal(count, 1);
    assert_int_equal(bytes[0], 255);
}

TEST(vectors_are_passed_as_pointers)
{
    const struct argument argument = {.role = ARGUMENT_UPDATE, .type = ELEMENT_F64, .count = 5};
    assert_int_equal(argument_passed_bytes(&argument), sizeof(void *));
    assert_int_equal(argument_bytes(&argument), 40);
}

TEST(contents_follow_from_the_fill_alone)
{
    const struct argument base = {.type = ELEMENT_F32,
                                  .fill = FILL_UNIFORM,
                                  .seed = 1,
                                  .fill_low = 1,
                                  .fill_high = 2,
                                  .fill_text = "a",
                                  .count = 5};
    struct argument others[7];
    for (size_t i = 0; i < 7; i++)
        others[i] = base;
    others[0].count = 7;
    others[0].name = "other";
    assert_true(argument_contents(&others[0]) == argument_contents(&base));
    others[1].type = ELEMENT_F64;
    others[2].fill = FILL_NORMAL;
    others[3].seed = 2;
    others[4].fill_low = 0;
    others[5].fill_high = 3;
    others[6].fill_text = "b";
    for (size_t i = 1; i < 7; i++)
        assert_true(argument_contents(&others[i]) != argument_contents(&base));
}

TEST_MAIN(NULL, NULL)
