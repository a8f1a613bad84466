#include <math.h>
#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/base/fill_lane.h"
#include "tuner/base/half.h"
#include "tuner/base/launch.h"
#include "tuner/base/random.h"

enum { COUNT = 1000 };

static void make(void *out, enum element_type type, enum argument_fill kind, uint64_t seed,
                 uint64_t first, uint64_t count)
{
    const struct argument argument = {.type = type, .fill = kind, .seed = seed};
    fill_vector(out, &argument, first, count);
}

TEST(a_shorter_vector_is_the_beginning_of_a_longer_one)
{
    for (int type = 0; type < ELEMENT_TYPE_COUNT; type++) {
        unsigned char whole[COUNT * 8];
        unsigned char parts[COUNT * 8];
        size_t bytes = element_bytes((enum element_type)type);
        make(whole, (enum element_type)type, FILL_RANDOM, 42, 0, COUNT);
        make(parts, (enum element_type)type, FILL_RANDOM, 42, 0, 333);
        make(parts, (enum element_type)type, FILL_RANDOM, 42, 333, COUNT - 333);
        assert_memory_equal(whole, parts, COUNT * bytes);
        make(parts, (enum element_type)type, FILL_RANDOM, 43, 0, COUNT);
        assert_memory_not_equal(whole, parts, COUNT * bytes);
    }
}

TEST(random_reals_have_both_signs_and_their_range)
{
    float values[COUNT];
    make(values, ELEMENT_F32, FILL_RANDOM, 1, 0, COUNT);
    int negative = 0;
    for (int i = 0; i < COUNT; i++) {
        assert_true(values[i] >= -1.0f && values[i] < 1.0f);
        negative += values[i] < 0 ? 1 : 0;
    }
    assert_in_range(negative, COUNT / 3, COUNT * 2 / 3);
}

TEST(exact_reals_are_small_integers_that_sum_exactly)
{
    float values[COUNT];
    double exact = 0;
    float forward = 0;
    float backward = 0;
    make(values, ELEMENT_F32, FILL_RANDOM_EXACT, 1, 0, COUNT);
    for (int i = 0; i < COUNT; i++) {
        assert_true(values[i] == floorf(values[i]) && fabsf(values[i]) <= 8.0f);
        exact += (double)values[i];
        forward += values[i];
        backward += values[COUNT - 1 - i];
    }
    assert_true((double)forward == exact && (double)backward == exact);
}

/* Fills that earlier databases used: a change here would falsify their trials. */
TEST(fills_stay_as_they_were)
{
    for (int type = 0; type < ELEMENT_F16; type++) {
        uint64_t item = 0;
        for (uint64_t i = 0; i < COUNT; i++) {
            uint64_t whole = random_at(7, i);
            uint64_t vector[COUNT];
            size_t bytes = element_bytes((enum element_type)type);
            if (i == 0)
                assert_true(whole == UINT64_C(0x63cbe1e459320dd7));
            make(vector, (enum element_type)type, FILL_RANDOM, 7, 0, i + 1);
            item = 0;
            memcpy(&item, (const unsigned char *)vector + i * bytes, bytes);
            assert_true(item == (bytes == 8 ? whole : whole & ((UINT64_C(1) << 8 * bytes) - 1)));
            i += i / 3;
        }
    }
    float f32 = 0;
    double f64 = 0;
    make(&f32, ELEMENT_F32, FILL_RANDOM, 7, 0, 1);
    make(&f64, ELEMENT_F64, FILL_RANDOM_EXACT, 7, 0, 1);
    assert_true((double)f32 == (double)0x63cbe1 * 0x1p-23 - 1.0);
    assert_true(f64 == (double)(0x63cbe1e4 % 17) - 8.0);
}

static double half_of(enum element_type type, uint16_t bits)
{
    return type == ELEMENT_F16 ? f16_to_real(bits) : bf16_to_real(bits);
}

TEST(halves_are_filled_with_values_of_theirs)
{
    enum { MANY = 100000 };
    static uint16_t bits[MANY];
    static float reals[MANY];
    for (int type = ELEMENT_F16; type <= ELEMENT_BF16; type++) {
        enum element_type half = (enum element_type)type;
        double least = 2, most = -2, sum = 0;
        make(bits, half, FILL_RANDOM, 5, 0, MANY);
        for (int i = 0; i < MANY; i++) {
            double real = half_of(half, bits[i]);
            least = fmin(least, real);
            most = fmax(most, real);
            sum += real;
        }
        assert_true(least == -1 && most < 1 && most > 0.99 && fabs(sum / MANY) < 0.01);
        for (int fill = FILL_RANDOM_EXACT; fill <= FILL_RANDOM_ODD; fill++) {
            make(bits, half, (enum argument_fill)fill, 5, 0, MANY);
            make(reals, ELEMENT_F32, (enum argument_fill)fill, 5, 0, MANY);
            for (int i = 0; i < MANY; i++)
                assert_true(half_of(half, bits[i]) == (double)reals[i]);
        }
    }
}

TEST(odd_fills_lose_nothing_in_a_product)
{
    unsigned char whole[COUNT * 8];
    unsigned char odd[COUNT * 8];
    for (int type = 0; type < ELEMENT_F16; type++) {
        size_t bytes = element_bytes((enum element_type)type);
        make(whole, (enum element_type)type, FILL_RANDOM, 42, 0, COUNT);
        make(odd, (enum element_type)type, FILL_RANDOM_ODD, 42, 0, COUNT);
        for (size_t i = 0; i < COUNT; i++)
            whole[i * bytes] |= 1;
        assert_memory_equal(whole, odd, COUNT * bytes);
    }
    double reals[COUNT];
    int negative = 0;
    make(reals, ELEMENT_F64, FILL_RANDOM_ODD, 42, 0, COUNT);
    for (int i = 0; i < COUNT; i++) {
        assert_true(reals[i] == 1 || reals[i] == -1);
        negative += reals[i] < 0 ? 1 : 0;
    }
    assert_in_range(negative, COUNT / 3, COUNT * 2 / 3);
}

/* The loops of the host and the text that devices compile. */
TEST(one_element_is_as_in_the_vector)
{
    for (int type = 0; type < ELEMENT_TYPE_COUNT; type++)
        for (int fill = 0; fill < ARGUMENT_FILLS; fill++) {
            unsigned char whole[COUNT * 8], each[COUNT * 8];
            const struct argument argument = {.type = (enum element_type)type,
                                              .fill = (enum argument_fill)fill,
                                              .seed = 3,
                                              .fill_low = -7.5,
                                              .fill_high = 90};
            const struct filling filling = filling_of(&argument);
            if (!fill_is_arithmetic(argument.fill))
                continue;
            fill_vector(whole, &argument, 0, COUNT);
            for (uint64_t i = 0; i < COUNT; i++)
                element_write(each, argument.type, i, fill_raw(&filling, i));
            assert_memory_equal(whole, each, COUNT * element_bytes(argument.type));
        }
}

/* ---- fills with numbers of their own ---- */

static double number(const unsigned char *element, enum element_type type)
{
    float single = 0;
    double real = 0;
    int64_t whole = 0;
    uint16_t half = 0;
    memcpy(&single, element, sizeof single);
    memcpy(&half, element, sizeof half);
    memcpy(&real, element, element_bytes(type) == 8 ? 8 : 0);
    memcpy(&whole, element, element_bytes(type));
    int unused = 64 - 8 * (int)element_bytes(type);
    if (type == ELEMENT_F32)
        return (double)single;
    if (type == ELEMENT_F64)
        return real;
    if (element_is_real(type))
        return half_of(type, half);
    if (element_name(type)[0] == 'i')
        return (double)((int64_t)((uint64_t)whole << unused) >> unused);
    return (double)(uint64_t)whole;
}

/* Statistics of a fill over MANY elements. */
struct look {
    double least, most, mean, deviation;
};

enum { MANY = 1 << 15 };

static struct look look_at(enum element_type type, enum argument_fill kind, double low, double high)
{
    static unsigned char values[MANY * 8];
    const struct argument argument = {
        .type = type, .fill = kind, .seed = 11, .fill_low = low, .fill_high = high};
    struct look look = {.least = INFINITY, .most = -INFINITY};
    double squares = 0;
    fill_vector(values, &argument, 0, MANY);
    for (size_t i = 0; i < MANY; i++) {
        double real = number(values + i * element_bytes(type), type);
        look.least = fmin(look.least, real);
        look.most = fmax(look.most, real);
        look.mean += real / MANY;
        squares += real * real / MANY;
    }
    look.deviation = sqrt(squares - look.mean * look.mean);
    return look;
}

TEST(own_fills_depend_on_the_seed_and_the_index_alone)
{
    for (int kind = FILL_CONSTANT; kind <= FILL_NORMAL; kind++)
        for (int type = 0; type < ELEMENT_TYPE_COUNT; type++) {
            unsigned char whole[COUNT * 8], parts[COUNT * 8];
            struct argument argument = {.type = (enum element_type)type,
                                        .fill = (enum argument_fill)kind,
                                        .seed = 42,
                                        .fill_low = 3,
                                        .fill_high = 100};
            size_t bytes = COUNT * element_bytes(argument.type);
            fill_vector(whole, &argument, 0, COUNT);
            fill_vector(parts, &argument, 333, COUNT - 333);
            fill_vector(parts, &argument, 0, 333);
            assert_memory_equal(whole, parts, bytes);
            argument.seed = 43;
            fill_vector(parts, &argument, 0, COUNT);
            assert_int_equal(memcmp(whole, parts, bytes) == 0, kind == FILL_CONSTANT);
        }
}

TEST(constants_are_the_nearest_of_the_type)
{
    for (int type = 0; type < ELEMENT_TYPE_COUNT; type++) {
        struct look look = look_at((enum element_type)type, FILL_CONSTANT, 2.5, 0);
        double expected = element_is_real((enum element_type)type) ? 2.5 : 2;
        assert_true(look.least == expected && look.most == expected);
    }
    assert_true(look_at(ELEMENT_I8, FILL_CONSTANT, -1000, 0).least == -128);
    assert_true(look_at(ELEMENT_U16, FILL_CONSTANT, 1e9, 0).least == 65535);
    assert_true(look_at(ELEMENT_U32, FILL_CONSTANT, -3, 0).least == 0);
    assert_true(look_at(ELEMENT_I64, FILL_CONSTANT, 1e300, 0).least == 0x1p63);
}

TEST(uniform_fills_keep_within_their_ends)
{
    for (int i = ELEMENT_F16; i < ELEMENT_TYPE_COUNT; i++) {
        enum element_type type = (enum element_type)i;
        struct look look = look_at(type, FILL_UNIFORM, 10, 30);
        assert_true(look.least >= 10 && look.least < 10.1 && look.most < 30 && look.most > 29.8);
        assert_true(fabs(look.mean - 20) < 0.2 && fabs(look.deviation - 20 / sqrt(12)) < 0.2);
        /* Ends that the type lacks, and with few numbers near them. */
        look = look_at(type, FILL_UNIFORM, 0.1, 0.11);
        assert_true(look.least >= 0.1 && look.most < 0.11);
        look = look_at(type, FILL_UNIFORM, -3, -3);
        assert_true(look.least == -3 && look.most == -3);
        look = look_at(type, FILL_UNIFORM, -1, 0);
        assert_true(look.least >= -1 && look.most < 0);
    }
    for (int i = 0; i < ELEMENT_F16; i++) {
        enum element_type type = (enum element_type)i;
        struct look look = look_at(type, FILL_UNIFORM, 10, 12);
        assert_true(look.least == 10 && look.most == 12 && fabs(look.mean - 11) < 0.02);
        look = look_at(type, FILL_UNIFORM, 9.5, 10.5);
        assert_true(look.least == 10 && look.most == 10);
    }
    struct look look = look_at(ELEMENT_I64, FILL_UNIFORM, -0x1p63, 0x1p63);
    assert_true(look.least < -0x1.ffp62 && look.most > 0x1.ffp62 && fabs(look.mean) < 0x1p57);
    look = look_at(ELEMENT_U64, FILL_UNIFORM, 0x1p40, 0x1.8p40);
    assert_true(look.least >= 0x1p40 && look.most <= 0x1.8p40 &&
                fabs(look.mean / 0x1p40 - 1.25) < 0.01);
}

TEST(normal_fills_have_their_mean_and_deviation)
{
    for (int i = 0; i < ELEMENT_TYPE_COUNT; i++) {
        enum element_type type = (enum element_type)i;
        double rounding = element_is_real(type) ? 0 : 1.0 / 12;
        struct look look = look_at(type, FILL_NORMAL, 50, 10);
        assert_true(fabs(look.mean - 50) < 0.3);
        assert_true(fabs(look.deviation - sqrt(100 + rounding)) < 0.3);
        assert_true(look.least < 20 && look.least > 0 && look.most > 80 && look.most < 100);
    }
    assert_true(look_at(ELEMENT_U8, FILL_NORMAL, 0, 1000).most == 255); /* held in range */
}

/* Moving the extremes to the ends keeps the elements, wherever the extremes were. */
TEST(extremes_are_moved_to_the_ends)
{
    enum { MOST = 9 };
    static const enum element_type types[] = {ELEMENT_I8, ELEMENT_U16, ELEMENT_I32, ELEMENT_F64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (uint64_t seed = 0; seed < 200; seed++)
            for (uint64_t ends = 0; ends <= 2; ends++) {
                const int64_t count = 1 + (int64_t)seed % MOST;
                const size_t bytes = element_bytes(types[t]);
                unsigned char drawn[8 * MOST], moved[8 * MOST];
                const struct argument argument = {.role = ARGUMENT_INPUT,
                                                  .type = types[t],
                                                  .fill = FILL_RANDOM,
                                                  .seed = seed,
                                                  .ends = ends,
                                                  .count = count};
                double sums[2] = {0, 0}, first = 0, last = 0;
                fill_vector(drawn, &argument, 0, (uint64_t)count);
                memcpy(moved, drawn, sizeof moved);
                ends_vector(moved, &argument);
                first = element_to_real(moved, types[t]);
                last = element_to_real(moved + (size_t)(count - 1) * bytes, types[t]);
                for (size_t i = 0; i < (size_t)count; i++) {
                    const double value = element_to_real(moved + i * bytes, types[t]);
                    sums[0] += element_to_real(drawn + i * bytes, types[t]);
                    sums[1] += value;
                    assert_true(ends != 1 || (first <= value && value <= last));
                    assert_true(ends != 2 || (first >= value && value >= last));
                }
                assert_true(fabs(sums[0] - sums[1]) < 1e-9);
                assert_true(ends != 0 || memcmp(drawn, moved, bytes * (size_t)count) == 0);
            }
}

TEST_MAIN(NULL, NULL)
