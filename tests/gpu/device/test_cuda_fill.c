/* Inputs generated on the device: equal to the host's to the bit, for every type and fill, in every
 * copy, and generated again after a kernel wrote to them. */
#include "tests/gpu/device/cuda_fixture.h"
#include "tuner/base/fill.h"
#include "tuner/device/cuda/measure.h"

enum { LONG = 5 * FILL_THREADS + 77, COPIES = 3, VALUE = 7 };

static struct launch_plan plan_of(enum element_type type, enum argument_fill fill,
                                  enum argument_role role, int64_t count)
{
    struct launch_plan plan = {.argument_count = 1, .arguments = {vector("v", type, role, count)}};
    plan.arguments[0].fill = fill;
    plan.arguments[0].seed = 5;
    plan.arguments[0].fill_low = -3.25;
    plan.arguments[0].fill_high = 100;
    return plan;
}

static void bind_made(const struct launch_plan *plan, uint32_t copies)
{
    static const void *const none[ARGUMENTS_MAX];
    assert_true(cuda->generates(device, &plan->arguments[0], &error));
    assert_ok(cuda->bind(device, plan, none, copies, NULL, &error));
}

/* Compares each copy given to runs with the host's elements. */
static void expect_host(const struct argument *argument)
{
    const size_t bytes = (size_t)argument->count * element_bytes(argument->type);
    unsigned char host[LONG * 8], got[LONG * 8];
    const struct vector *there = &device->vectors[0];
    fill_vector(host, argument, 0, (uint64_t)argument->count);
    for (uint32_t copy = 0; copy < (there->copies ? there->copies : 1); copy++) {
        assert_int_equal(
            device->driver->cuMemcpyDtoHAsync(got, cuda_vector_start(there) + copy * there->stride,
                                              bytes, device->stream),
            CUDA_SUCCESS);
        assert_int_equal(device->driver->cuStreamSynchronize(device->stream), CUDA_SUCCESS);
        if (memcmp(host, got, bytes) != 0)
            fail_msg("%s, %s, copy %u", element_name(argument->type), fill_names[argument->fill],
                     copy);
    }
}

TEST(test_device_and_host_make_the_same)
{
    need_gpu();
    for (int type = 0; type < ELEMENT_TYPE_COUNT; type++)
        for (int fill = 0; fill < ARGUMENT_FILLS; fill++) {
            struct launch_plan plan =
                plan_of((enum element_type)type, (enum argument_fill)fill, ARGUMENT_INPUT, LONG);
            const bool made = fill_is_arithmetic((enum argument_fill)fill);
            assert_int_equal(cuda->generates(device, &plan.arguments[0], &error), made);
            for (uint32_t copies = 0; made && copies <= COPIES; copies += COPIES) {
                bind_made(&plan, copies);
                expect_host(&plan.arguments[0]);
                plan.arguments[0].count = LONG - 3; /* the beginning of the same data */
            }
        }
}

TEST(test_what_was_written_to_is_made_anew)
{
    static const enum argument_role roles[] = {ARGUMENT_INPUT, ARGUMENT_UPDATE};
    need_gpu();
    assert_ok(cuda->load(device, binary, &error));
    for (size_t i = 0; i < 2; i++) {
        struct launch_plan plan = plan_of(ELEMENT_I32, FILL_RANDOM, roles[i], LONG);
        char detail[200] = "";
        double elapsed_ns = 0;
        bool intact = true, worn = false;
        int got = 0;
        plan.launch_count = 1;
        plan.launches[0] = (struct launch){.kernel = "write_at",
                                           .grid = {1, 1, 1},
                                           .block = {1, 1, 1},
                                           .argument_count = 3,
                                           .arguments = {0, 1, 2}};
        plan.argument_count = 3;
        plan.arguments[1] = scalar("place", ELEMENT_I64, 0);
        plan.arguments[2] = scalar("value", ELEMENT_I32, VALUE);
        bind_made(&plan, COPIES);
        assert_ok(cuda->run(device, &plan, RUN_FIRST, &elapsed_ns, &error));
        assert_ok(cuda->read(device, 0, &got, sizeof got, &error));
        assert_int_equal(got, VALUE);
        assert_ok(
            cuda->inputs_intact(device, &plan, &intact, &worn, detail, sizeof detail, &error));
        assert_int_equal(intact, roles[i] == ARGUMENT_UPDATE);
        bind_made(&plan, COPIES);
        expect_host(&plan.arguments[0]);
    }
}

/* Others than the host's, and back. */
TEST(test_the_hosts_data_takes_its_place)
{
    struct launch_plan plan = plan_of(ELEMENT_I32, FILL_RANDOM, ARGUMENT_INPUT, LONG);
    const void *inputs[ARGUMENTS_MAX] = {a};
    int got = 0;
    need_gpu();
    bind_made(&plan, 1);
    plan.arguments[0].variant = 1;
    assert_false(cuda->generates(device, &plan.arguments[0], &error));
    assert_ok(cuda->bind(device, &plan, inputs, 1, NULL, &error));
    assert_ok(cuda->read(device, 0, &got, sizeof got, &error));
    assert_int_equal(got, a[0]);
    plan.arguments[0].variant = 0;
    bind_made(&plan, 1);
    expect_host(&plan.arguments[0]);
}

TEST_MAIN(open_device, close_device)
