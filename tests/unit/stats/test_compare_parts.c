/* Outputs compared in lanes of chunks, as devices do, in pieces, and element by element: the
 * results agree. */
#include <stdio.h>

#include "tests/unit/base/compare_data.h"
#include "tests/unit/suite.h"
#include "tuner/stats/data.h"

enum { COUNT = 3 * COMPARE_CHUNK / 2 + 77, DETAIL_BYTES = 512 };

static struct findings all_chunks(const struct comparing *what, enum element_type type)
{
    struct findings out = findings_none();
    for (uint64_t i = 0; i < compare_chunks(what->count); i++) {
        const struct findings chunk = compare_chunk(what, type, i);
        findings_join(&out, &chunk);
    }
    return out;
}

/* Computes each field by its definition. */
static struct findings each_element(const struct comparing *what, enum element_type type)
{
    struct findings out = findings_none();
    for (uint64_t i = 0; i < what->count; i++) {
        const struct difference difference =
            difference_of(what, type, element_raw(what->got, type, i), i);
        out.total += difference.size;
        out.sum += expected_sum(&what->expected, type, i);
        if (!difference.within && out.first == COMPARE_NONE)
            out.first = i;
        out.wrong += difference.within ? 0 : 1;
        if (difference.size > out.largest_size) {
            out.largest_size = difference.size;
            out.largest = i;
        }
    }
    return out;
}

static void hold(const struct compare_data *data, enum compare_form form,
                 const struct tolerance *tolerance, size_t counts[2])
{
    char detail[DETAIL_BYTES] = "", again[DETAIL_BYTES] = "";
    const struct expected_output expected = compare_expected(data, form);
    const struct comparing what =
        comparing_of(data->got, data->type, data->count, &expected, tolerance);
    const struct findings parts = all_chunks(&what, data->type);
    const struct findings whole = each_element(&what, data->type);
    assert_true(parts.first == whole.first && parts.wrong == whole.wrong);
    assert_true(parts.largest == whole.largest && parts.largest_size == whole.largest_size);
    assert_true(parts.sum == whole.sum);
    assert_true(parts.total == whole.total ||
                fabs(parts.total - whole.total) <= 1e-9 * whole.total);
    const bool right = output_matches(data->got, data->type, data->count, &expected, tolerance,
                                      "out", detail, sizeof detail);
    assert_true(right == findings_match(&parts, tolerance));
    counts[right]++;
    if (right)
        return;
    uint64_t got_raw[2] = {0};
    if (parts.first != COMPARE_NONE)
        got_raw[0] = element_raw(data->got, data->type, parts.first);
    got_raw[1] = element_raw(data->got, data->type, parts.largest);
    findings_describe(&parts, &what, data->type, got_raw, "out", again, sizeof again);
    assert_string_equal(detail, again);
    if (tolerance->total == 0) {
        char first[64];
        (void)snprintf(first, sizeof first, "out[%llu] is ", (unsigned long long)whole.first);
        assert_non_null(strstr(detail, first));
        (void)snprintf(first, sizeof first, "; %llu of %d elements ",
                       (unsigned long long)whole.wrong, COUNT);
        assert_non_null(strstr(detail, first));
    }
}

TEST(parts_and_the_whole_say_the_same)
{
    size_t counts[2] = {0, 0};
    for (int type = 0; type < ELEMENT_TYPE_COUNT; type++)
        for (int kind = 0; kind < COMPARE_KINDS; kind++) {
            struct compare_data data = compare_make((enum element_type)type,
                                                    (enum compare_kind)kind, COUNT, (uint64_t)kind);
            for (int form = 0; form < (element_is_real(data.type) ? COMPARE_FORMS : 1); form++)
                for (size_t i = 0; i < COMPARE_TOLERANCES; i++)
                    hold(&data, (enum compare_form)form, &compare_tolerances[i], counts);
            compare_free(&data);
        }
    assert_true(counts[0] > 50 && counts[1] > 50);
}

/* A total has the same bits however it is made, unlike a plain sum. */
TEST(totals_are_added_in_lanes)
{
    struct compare_data data = compare_make(ELEMENT_F64, KIND_EQUAL, COMPARE_CHUNK, 5);
    for (uint64_t i = 0; i < data.count; i++) {
        data.reals[i] = 0;
        ((double *)data.got)[i] = 1.0 / (double)(i + 1);
    }
    const struct expected_output expected = compare_expected(&data, FORM_REALS);
    const struct tolerance none = {0};
    const struct comparing what = comparing_of(data.got, data.type, data.count, &expected, &none);
    double lanes[COMPARE_LANES] = {0};
    for (uint64_t i = 0; i < data.count; i++)
        lanes[i % COMPARE_LANES] += ((double *)data.got)[i];
    for (size_t half = COMPARE_LANES / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++)
            lanes[i] += lanes[i + half];
    assert_true(compare_chunk(&what, data.type, 0).total == lanes[0]);
    compare_free(&data);
}

/* Any change or move in the expected elements changes their number. */
TEST(what_is_expected_has_a_number)
{
    struct compare_data data = compare_make(ELEMENT_F32, KIND_EQUAL, 1000, 3);
    const struct tolerance none = {0};
    for (int form = 0; form < COMPARE_FORMS; form++) {
        const struct expected_output expected = compare_expected(&data, (enum compare_form)form);
        const struct comparing what =
            comparing_of(data.got, data.type, data.count, &expected, &none);
        const uint64_t sum = all_chunks(&what, data.type).sum;
        void *const changed[] = {data.elements, data.reals, data.magnitudes};
        unsigned char *bytes = changed[form];
        bytes[1234] ^= 4;
        assert_true(all_chunks(&what, data.type).sum != sum);
        bytes[1234] ^= 4;
        assert_true(all_chunks(&what, data.type).sum == sum);
    }
    compare_free(&data);
}

TEST_MAIN(NULL, NULL)
