/* Launches that depend on others, elements of 16 bits, long names, ceilings. */
#include "plan_fixture.h"
#include "tuner/base/limits.h"

/* Tells whether the second launch of `variant` is dependent, with these lines in the file. */
static bool is_dependent(const char *lines)
{
    struct fixture fixture;
    struct launch_plan plan;
    char line[128];
    (void)snprintf(line, sizeof line, "    kernel: finish\n%s", lines);
    start_with(&fixture, load_changed("    kernel: finish\n", line), 5, "staged", 256,
               value_integer(2));
    plan_or_fail(&fixture, &plan);
    assert_int_equal(plan.launch_count, 2);
    assert_false(plan.launches[0].dependent);
    bool dependent = plan.launches[1].dependent;
    end(&fixture);
    return dependent;
}

TEST(a_launch_may_depend_on_the_one_before_it)
{
    assert_false(is_dependent(""));
    assert_true(is_dependent("    dependent: True\n"));
    assert_false(is_dependent("    dependent: block < 256\n"));
    assert_true(is_dependent("    dependent: variant == 'staged'\n"));
}

/* The first launch depends on the configuration. */
TEST(the_first_launch_depends_on_none)
{
    struct fixture fixture;
    struct launch_plan plan;
    struct experiment *experiment =
        load_changed("    shared: block * sizeof(type)\n  - when: variant == \"staged\"\n",
                     "    when: variant == \"plain\"\n  - dependent: block >= 256\n");
    start_with(&fixture, experiment, 5, "staged", 128, value_integer(2));
    plan_or_fail(&fixture, &plan);
    fixture.configuration.values[1].value = value_integer(256);
    assert_int_equal(point_plan(&fixture.point, &fixture.arena, &plan, &fixture.error),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(fixture.error.text, "t.yaml:28:16: of this configuration's launches "
                                               "this is the first"));
    fixture.configuration.values[0].value = value_text("plain");
    plan_or_fail(&fixture, &plan);
    assert_int_equal(plan.launch_count, 2);
    assert_true(plan.launches[1].dependent);
    end(&fixture);
}

/* Clusters and cooperation on a device of 132 SMs. */
TEST(launches_have_clusters_and_cooperate)
{
    struct fixture fixture;
    struct launch_plan plan;
    struct launch kernels[LAUNCHES_MAX];
    size_t count = 0;
    const struct launch_limits limits = {
        .grid = {INT32_MAX, 65535, 65535}, .block = {1024, 1024, 64}, .sm_count = 132};
    char why[160] = "";
    start_with(&fixture,
               load_changed("    kernel: finish\n",
                            "    kernel: finish\n    cluster: [block / 128, "
                            "2]\n    cooperative: true\n"),
               5, "staged", 512, value_integer(2));
    assert_int_equal(point_plan(&fixture.point, &fixture.arena, &plan, &fixture.error),
                     STATUS_BAD_INPUT); /* a real: 4.0 */
    assert_non_null(strstr(fixture.error.text, "cluster"));
    end(&fixture);
    start_with(&fixture,
               load_changed("    kernel: finish\n",
                            "    kernel: finish\n    cluster: [block // 128, "
                            "2]\n    cooperative: true\n"),
               5, "staged", 512, value_integer(2));
    plan_or_fail(&fixture, &plan);
    assert_int_equal(launch_cluster_blocks(&plan.launches[0]), 1);
    assert_false(plan.launches[0].cooperative);
    struct launch *launch = &plan.launches[1];
    assert_int_equal(launch_cluster_blocks(launch), 8);
    assert_true(launch->cluster[0] == 4 && launch->cluster[1] == 2 && launch->cluster[2] == 1);
    assert_true(launch->cooperative);
    assert_int_equal(point_kernels(&fixture.point, &fixture.arena, kernels, &count, &fixture.error),
                     STATUS_OK);
    assert_int_equal(launch_cluster_blocks(&kernels[1]), 8);
    memcpy(launch->grid, (const uint32_t[]){400, 2, 1}, sizeof launch->grid);
    assert_true(launch_refused(launch, &limits, 6, why, sizeof why));
    assert_string_equal(why, "a cooperative grid of 800 blocks, of which 792 are resident at once "
                             "(6 on each of 132 SMs)");
    assert_false(launch_refused(launch, &limits, 7, why, sizeof why));
    assert_false(launch_refused(launch, &limits, -1, why, sizeof why));
    launch->grid[1] = 3;
    assert_true(launch_refused(launch, &limits, 0, why, sizeof why));
    assert_string_equal(why, "a grid of 3 blocks cannot be made of clusters of 2");
    launch->grid[2] = 65536;
    assert_true(launch_refused(launch, &limits, 0, why, sizeof why));
    assert_string_equal(why, "grid has 65536 blocks in z, more than 65535");
    memcpy(launch->grid, (const uint32_t[]){4, 2, 1}, sizeof launch->grid);
    memcpy(launch->block, (const uint32_t[]){1, 1, 65}, sizeof launch->block);
    assert_true(launch_refused(launch, &limits, 0, why, sizeof why));
    assert_string_equal(why, "block has 65 threads in z, more than 64");
    assert_false(launch_refused(launch, &(struct launch_limits){.sm_count = 132}, 0, why,
                                sizeof why)); /* an unknown name */
    end(&fixture);
}

TEST(halves_as_arguments)
{
    struct fixture fixture;
    struct launch_plan plan;
    struct binary_request request;
    struct text text = {0};
    struct text odd = {0};
    replace(&text, base_text, "[i32, f32]", "[f16, bf16]");
    replace(&odd, text_string(&text), "count: n}", "count: n, fill: random_odd}");
    text_free(&text);
    replace(&text, text_string(&odd), "type: f64, value: 1 / 2", "type: f16, value: 65519");
    start_with(&fixture, load_or_fail(text_string(&text)), 5, "staged", 256, value_integer(2));
    plan_or_fail(&fixture, &plan);
    assert_int_equal(plan.arguments[0].type, ELEMENT_BF16);
    assert_int_equal(plan.arguments[0].fill, FILL_RANDOM_ODD);
    assert_int_equal(plan.launches[0].shared_bytes, 512);
    assert_int_equal(point_binary(&fixture.point, &fixture.arena, &request, &fixture.error),
                     STATUS_OK);
    assert_string_equal(request.defines[1].value.text, "unsigned short");
    end(&fixture);
    text_free(&odd);
    replace(&odd, text_string(&text), "value: 65519", "value: 65520"); /* f16 would be infinite */
    start_with(&fixture, load_or_fail(text_string(&odd)), 5, "staged", 256, value_integer(2));
    assert_int_equal(point_plan(&fixture.point, &fixture.arena, &plan, &fixture.error),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(fixture.error.text, "'factor' (f16) must be a number of that type"));
    end(&fixture);
    text_free(&text);
    text_free(&odd);
}

/* A template's name with policies inside. */
TEST(a_kernel_may_have_a_long_name)
{
    struct fixture fixture;
    struct launch_plan plan;
    struct text line = {0};
    struct text expected = {0};
    text_append(&line, "    kernel: \"finish<");
    text_append(&expected, "finish<");
    for (int i = 0; i < 40; i++) {
        text_append(&line, "policy<${block}, ${variant}>, ");
        text_append(&expected, "policy<256, staged>, ");
    }
    text_append(&line, "0>\"\n");
    text_append(&expected, "0>");
    start_with(&fixture, load_changed("    kernel: finish\n", text_string(&line)), 5, "staged", 256,
               value_integer(2));
    plan_or_fail(&fixture, &plan);
    assert_string_equal(plan.launches[1].kernel, text_string(&expected));
    text_free(&line);
    text_free(&expected);
    end(&fixture);
}

static void check_ceiling(const char *lines, size_t problem, enum ceiling expected)
{
    struct fixture fixture;
    char line[128];
    struct figures figures;
    (void)snprintf(line, sizeof line, "metrics:\n%s", lines);
    start_with(&fixture, load_changed("metrics:\n", line), problem, "plain", 128, value_integer(1));
    fixture.point.configuration = NULL; /* belongs to the problem */
    assert_int_equal(point_figures(&fixture.point, &figures, &fixture.error), STATUS_OK);
    assert_int_equal(figures.ceiling, expected);
    end(&fixture);
}

TEST(the_ceiling_is_named_or_computed)
{
    const char *by_type = "  ceiling: ${'write' if type == 'i32' else 'copy'}\n";
    check_ceiling("", 0, CEILING_READ);
    check_ceiling("  ceiling: read\n", 0, CEILING_READ);
    check_ceiling("  ceiling: write\n", 0, CEILING_WRITE);
    check_ceiling(by_type, 0, CEILING_WRITE);
    check_ceiling(by_type, 5, CEILING_COPY);
}

static void check_operations(const char *metrics, size_t problem, double operations,
                             enum element_type type)
{
    struct fixture fixture;
    char lines[256];
    struct figures figures;
    (void)snprintf(lines, sizeof lines, "metrics:\n%s", metrics);
    start_with(&fixture, load_changed("metrics:\n", lines), problem, "plain", 128,
               value_integer(1));
    fixture.point.configuration = NULL; /* belongs to the problem */
    assert_int_equal(point_figures(&fixture.point, &figures, &fixture.error), STATUS_OK);
    assert_true(figures.operations == operations);
    assert_int_equal(figures.operations_type, type);
    end(&fixture);
}

TEST(operations_have_a_number_and_a_type)
{
    const double n = 1e8; /* problem 5; problem 0 has 2**10 of i32 */
    check_operations("", 5, 0, ELEMENT_F32);
    check_operations("  operations: 3 * n\n", 5, 3 * n, ELEMENT_F32); /* the axis says f32 ... */
    check_operations("  operations: 2.5\n", 0, 2.5, ELEMENT_I32);     /* ... and i32 */
    check_operations("  operations: n / 8\n  operations_type: f64\n", 5, n / 8, ELEMENT_F64);
    check_operations("  operations: n\n  operations_type: type\n", 0, 1024, ELEMENT_I32);
    check_operations("  operations: n\n  operations_type: ${'f16' if n > 9 else 'i32'}\n", 5, n,
                     ELEMENT_F16);
    /* Operation types: signs make no difference, narrow integers are widened. */
    check_operations("  operations: n\n  operations_type: u64\n", 5, n, ELEMENT_I64);
    check_operations("  operations: n\n  operations_type: u8\n", 5, n, ELEMENT_I32);
    check_operations("  operations: n\n  operations_type: bf16\n", 5, n, ELEMENT_F32);
}

/* Another axis with a type's name as its value does not count. */
TEST(only_the_axis_type_is_the_type)
{
    struct fixture fixture;
    struct text text = {0};
    struct figures figures;
    replace(&text, base_text, "[i32, f32]\n", "[i32, f32]\n  storage: [f64]\n");
    start_with(&fixture, load_or_fail(text_string(&text)), 0, "plain", 128, value_integer(1));
    assert_int_equal(point_figures(&fixture.point, &figures, &fixture.error), STATUS_OK);
    assert_int_equal(figures.operations_type, ELEMENT_I32);
    end(&fixture);
    text_free(&text);
}

TEST(operations_below_zero_are_refused)
{
    struct fixture fixture;
    struct figures figures;
    start_with(&fixture, load_changed("metrics:\n", "metrics:\n  operations: 10 - n\n"), 5, "plain",
               128, value_integer(1));
    assert_int_equal(point_figures(&fixture.point, &figures, &fixture.error), STATUS_BAD_INPUT);
    assert_non_null(strstr(fixture.error.text, "operations must be a number of at least 0"));
    end(&fixture);
}

TEST_MAIN(make_folder, remove_folder)
