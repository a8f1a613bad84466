/* Outputs compared with the expected ones on the device: to the bit equal to the host's result, for
 * every type and every kind of tolerance. */
#include "tests/gpu/device/cuda_fixture.h"
#include "tests/unit/base/compare_data.h"
#include "tuner/device/cuda/measure.h"

enum { LONG = 2 * COMPARE_CHUNK + 77, SHORT = 3 };

static struct findings on_the_host(const struct comparing *what, enum element_type type)
{
    struct findings out = findings_none();
    for (uint64_t i = 0; i < compare_chunks(what->count); i++) {
        const struct findings chunk = compare_chunk(what, type, i);
        findings_join(&out, &chunk);
    }
    return out;
}

/* Binds the data's output on the device. */
static void bind_output(const struct compare_data *data)
{
    const struct launch_plan plan = {
        .argument_count = 1,
        .arguments = {vector("out", data->type, ARGUMENT_UPDATE, (int64_t)data->count)}};
    const void *inputs[ARGUMENTS_MAX] = {data->got};
    assert_ok(cuda->bind(device, &plan, inputs, 0, NULL, &error));
}

static void hold(const struct compare_data *data, const struct expected_output *expected,
                 const struct tolerance *tolerance)
{
    const struct comparing what =
        comparing_of(data->got, data->type, data->count, expected, tolerance);
    const struct findings host = on_the_host(&what, data->type);
    uint64_t got_raw[2] = {0};
    struct findings found;
    assert_ok(cuda->compare(device, 0, data->type, &what, &found, got_raw, &error));
    assert_true(found.first == host.first && found.wrong == host.wrong);
    assert_true(found.largest == host.largest && found.sum == host.sum);
    assert_memory_equal(&found.largest_size, &host.largest_size, sizeof host.largest_size);
    assert_memory_equal(&found.total, &host.total, sizeof host.total);
    if (found.wrong > 0) {
        assert_true(got_raw[0] == element_raw(data->got, data->type, found.first));
        assert_true(got_raw[1] == element_raw(data->got, data->type, found.largest));
    }
}

TEST(test_device_and_host_find_the_same)
{
    static uint64_t serial = 1000;
    static const uint64_t sizes[] = {LONG, SHORT};
    need_gpu();
    for (int type = 0; type < ELEMENT_TYPE_COUNT; type++)
        for (int kind = 0; kind < 2 * COMPARE_KINDS; kind++) {
            struct compare_data data =
                compare_make((enum element_type)type, (enum compare_kind)(kind / 2),
                             sizes[kind % 2], (uint64_t)kind);
            bind_output(&data);
            for (int form = 0; form < (element_is_real(data.type) ? COMPARE_FORMS : 1); form++) {
                struct expected_output expected = compare_expected(&data, (enum compare_form)form);
                expected.serial = ++serial;
                for (size_t i = 0; i < COMPARE_TOLERANCES; i++)
                    hold(&data, &expected, &compare_tolerances[i]);
            }
            compare_free(&data);
        }
}

/* Patched expected outputs, after a kernel wrote to their base. */
TEST(test_differences_are_as_if_whole)
{
    static const uint64_t at[] = {0, 5, COMPARE_CHUNK, LONG - 1};
    enum { FEW = sizeof at / sizeof *at };
    const struct tolerance *some = &compare_tolerances[3];
    uint64_t serial = 5000;
    need_gpu();
    for (int type = 0; type < ELEMENT_TYPE_COUNT; type++)
        for (int form = 0; form < COMPARE_FORMS; form++) {
            struct compare_data data = compare_make((enum element_type)type, KIND_WILD, LONG, 3);
            struct compare_data other = compare_make((enum element_type)type, KIND_WILD, FEW, 4);
            const struct expected_output base_of = compare_expected(&data, (enum compare_form)form);
            struct expected_difference differs = {.base = base_of, .count = FEW, .at = at};
            differs.base.serial = ++serial;
            differs.instead = compare_expected(&other, (enum compare_form)form);
            bind_output(&data);
            for (int turn = 0; turn < 3; turn++) {
                struct compare_data whole =
                    compare_make((enum element_type)type, KIND_WILD, LONG, 3);
                struct expected_output expected = compare_expected(&whole, (enum compare_form)form);
                for (size_t i = 0; i < FEW; i++) {
                    compare_put(whole.elements, data.type, at[i],
                                element_raw(other.elements, data.type, i));
                    whole.reals[at[i]] = other.reals[i];
                    whole.magnitudes[at[i]] = other.magnitudes[i];
                }
                if (turn == 1) /* the base is there, and written to */
                    hold(&data, &differs.base, some);
                for (size_t i = 0; turn == 1 && i < RESIDENTS_MAX; i++)
                    if (device->checking.residents[i].serial == differs.base.serial)
                        assert_int_equal(
                            device->driver->cuMemsetD8Async(device->checking.residents[i].address,
                                                            1, 64, device->stream),
                            CUDA_SUCCESS);
                expected.serial = ++serial;
                expected.differs = &differs;
                hold(&data, &expected, some);
                compare_free(&whole);
            }
            hold(&data, &differs.base, some);
            compare_free(&other);
            compare_free(&data);
        }
}

/* A kernel that overwrites the expected elements changes no verdict. */
TEST(test_what_is_expected_is_guarded)
{
    need_gpu();
    struct compare_data data = compare_make(ELEMENT_F32, KIND_WILD, LONG, 9);
    struct expected_output expected = compare_expected(&data, FORM_ELEMENTS);
    const struct tolerance none = {0};
    expected.serial = 77;
    bind_output(&data);
    hold(&data, &expected, &none);
    for (size_t i = 0; i < RESIDENTS_MAX; i++)
        if (device->checking.residents[i].serial == expected.serial)
            assert_int_equal(
                device->driver->cuMemcpyHtoDAsync(device->checking.residents[i].address, data.got,
                                                  LONG * sizeof(float), device->stream),
                CUDA_SUCCESS);
    hold(&data, &expected, &none);
    cuda_drop_residents(device);
    hold(&data, &expected, &none);
    compare_free(&data);
}

TEST(test_what_cannot_be_kept_is_not_judged)
{
    need_gpu();
    struct compare_data data = compare_make(ELEMENT_I32, KIND_EQUAL, SHORT, 9);
    const struct expected_output unnamed = compare_expected(&data, FORM_ELEMENTS);
    const struct tolerance none = {0};
    const struct comparing what = comparing_of(NULL, data.type, SHORT, &unnamed, &none);
    uint64_t got_raw[2];
    struct findings found;
    bind_output(&data);
    assert_is(cuda->compare(device, 0, data.type, &what, &found, got_raw, &error),
              STATUS_NO_MEMORY);
    compare_free(&data);
}

TEST_MAIN(open_device, close_device)
