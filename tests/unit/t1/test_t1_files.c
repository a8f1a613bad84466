/* Files of Kernel Tuner, KTT and BAT: the experiment made of each, the number of points on an H200,
 * and the default launch. */
#include "tests/unit/t1/t1_fixture.h"
#include "tuner/experiment/point.h"

#define EXAMPLES TEST_SOURCE_DIR "/examples/t1/"
#define DATA     TEST_SOURCE_DIR "/tests/data/t1/"

enum { PIECES = 8 };

struct file_case {
    const char *path;
    const char *overlay; /* JSON; NULL: none */
    enum t1_dialect dialect;
    uint64_t product, valid; /* counted by an independent enumeration */
    uint32_t grid[3], block[3];
    size_t passed;
    const char *ignored[PIECES];
    const char *pieces[PIECES];
    const char *none[PIECES]; /* not in it */
};

static const struct file_case cases[] = {
    {EXAMPLES "bat-gemm.json", NULL, T1_KERNEL_TUNER, 20736, 10312, .grid = {256, 256, 1},
     .block = {16, 16, 1}, .passed = 6,
     .ignored = {"Budget", "General.OutputFormat", "General.Objective", "General.Minimize",
                 "KernelSpecification.SharedMemory"},
     .pieces = {"experiment: bat_gemm\n", "source: gemm.cu\n", "std: c++11\n",
                "  kernel_tuner: 1\n", "  - (KWG % ((MDIMC * NDIMC) // MDIMA)) == 0\n",
                "fill: {normal: [0, 1]}\n", "  - name: kSizeM\n    type: i32\n    value: 4096\n",
                "defaults:\n  MWG: 16\n"},
     .none = {"shared:", "ignored", "check:"}},
    {DATA "bat-md5hash.json", "{\"KernelSpecification\": {\"KernelFile\": \"" KERNEL "\"}}",
     T1_KERNEL_TUNER, 165888, 165888, .grid = {3907, 1, 1}, .block = {256, 1, 1}, .passed = 10,
     .ignored = {"BenchmarkConfig", "KernelSpecification.SharedMemoryOriginal",
                 "General.FormatVersion"},
     .pieces =
         {"  BLOCK_SIZE: \"list(range(32, 1024+1, 32))\"\n",
          "  - name: foundKey\n    type: i8\n    count: 8\n    update: true\n    fill: zero\n",
          "    type: u32\n    value: 2745829788\n"}},
    {DATA "bat-nbody.json", "{\"KernelSpecification\": {\"KernelFile\": \"" KERNEL "\"}}",
     T1_KERNEL_TUNER, 3136, 1568, .grid = {512, 1, 1}, .block = {256, 1, 1}, .passed = 15,
     .ignored = {"KernelSpecification.Arguments[].FillValue"},
     .pieces = {"flags:\n  - \"-use_fast_math\"\n",
                "    grid: ceil_div(128 * 1024 // OUTER_UNROLL_FACTOR, BLOCK_SIZE)\n",
                "  - name: newVel\n    type: f32\n    count: 524288\n    output: true\n",
                "    value: 0.001\n"}},
    {EXAMPLES "ktt-tutorial03.json",
     "{\"KernelSpecification\": {\"Arguments\": {\"b\": {\"FillType\": \"Constant\", "
     "\"FillValue\": 0}}}}",
     T1_KTT, 4, 4, .grid = {32768, 1, 1}, .block = {32, 1, 1}, .passed = 4,
     .ignored = {"Search", "General.TimeUnit"},
     .pieces = {"    fill: {series: \"i\"}\n", "    fill: zero\n",
                "check:\n  - output: result\n    series: \"2 * i + 3\"\n    absolute: 0.1\n",
                "    grid: 1048576 // multiply_block_size\n"},
     .none = {"kernel_tuner:", "defaults:", "shared:"}},
    {DATA "ktt-coulombsum3d.json", "{\"KernelSpecification\": {\"KernelFile\": \"" KERNEL "\"}}",
     T1_KTT, 672, 210, .grid = {16, 64, 256}, .block = {16, 4, 1}, .passed = 9,
     .ignored = {"Search"},
     .pieces = {"    fill: {uniform: [0, 20.0]}\n", "  - \"-use_fast_math\"\n",
                "      - 256 // Z_ITERATIONS\n"}},
    {EXAMPLES "ktt-cltune-gemm.json", NULL, T1_KTT, 26244, 5788, .grid = {128, 128, 1},
     .block = {8, 8, 1}, .passed = 6,
     .pieces = {"      - (2048 * MDIMC // MWG) // (MDIMC)\n", "    fill: {uniform: [0, 1.0]}\n"},
     .none = {"flags:", "kernel_tuner"}},
    {EXAMPLES "kerneltuner-test.json", NULL, T1_KERNEL_TUNER, 3145728, 2359296,
     .grid = {256, 256, 1}, .block = {16, 16, 1}, .passed = 2,
     .ignored = {"KernelSpecification.GlobalSize", "KernelSpecification.LocalSize"},
     .pieces = {"      - ceil_div(4096, block_size_x * tile_size_x)\n",
                "    count: (4096+33-1) * (4096+33-1)\n", "    count: 33 * 33\n",
                "  - name: d_filter\n    symbol: d_filter\n",
                "    arguments: [output_image, input_image]\n", "  block_size_z: 1\n"}},
};

static void check_text(const struct file_case *of, struct t1 *t1)
{
    assert_int_equal(t1->dialect, of->dialect);
    for (size_t i = 0; i < PIECES && of->pieces[i]; i++)
        need_piece(document_text(&t1->document), of->pieces[i], of->path);
    for (size_t i = 0; i < PIECES && of->none[i]; i++)
        refuse_piece(document_text(&t1->document), of->none[i], of->path);
    for (size_t i = 0; i < PIECES && of->ignored[i]; i++)
        need_piece(t1->ignored, of->ignored[i], of->path);
}

static void check_plan(const struct file_case *of, const struct point *point)
{
    struct arena arena = {0};
    struct launch_plan plan;
    if (point_plan(point, &arena, &plan, &error) != STATUS_OK)
        fail_msg("%s: %s", of->path, error.text);
    assert_int_equal(plan.launch_count, 1);
    assert_memory_equal(plan.launches[0].grid, of->grid, sizeof of->grid);
    assert_memory_equal(plan.launches[0].block, of->block, sizeof of->block);
    assert_int_equal(plan.launches[0].argument_count, of->passed);
    assert_int_equal(plan.launches[0].shared_bytes, 0);
    arena_free(&arena);
}

static void check_space(const struct file_case *of, const struct experiment *experiment)
{
    struct facts facts = {0};
    struct space *space = NULL;
    struct problem problem;
    struct configuration configuration;
    facts_add_text(&facts, "architecture", "sm_90");
    assert_int_equal(experiment_problem_count(experiment), 1);
    experiment_problem(experiment, 0, &problem);
    if (space_create(experiment, &problem, &facts, &space, &error) != STATUS_OK)
        fail_msg("%s: %s", of->path, error.text);
    assert_int_equal(space_product_count(space), of->product);
    assert_int_equal(space_count(space), of->valid);
    if (experiment_default(experiment, &problem, &facts, &configuration, &error) != STATUS_OK)
        fail_msg("%s: %s", of->path, error.text);
    check_plan(of, &(struct point){experiment, &problem, &facts, &configuration, 0});
    space_free(space);
    facts_free(&facts);
}

TEST(files_mean_what_they_say)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct file_case *of = &cases[i];
        struct t1 t1 = {.ignored = NULL};
        struct arena arena = {0};
        struct experiment *experiment = NULL;
        char *json = NULL;
        size_t length = 0;
        assert_int_equal(file_read(&arena, of->path, 1 << 20, &json, &length, &error), STATUS_OK);
        const struct t1_file file = {of->path, json, length};
        const struct t1_file overlay = text_file("over.json", of->overlay ? of->overlay : "");
        if (t1_translate(&file, &overlay, of->overlay ? 1 : 0, T1_DETECT, &t1, &error) != STATUS_OK)
            fail_msg("%s", error.text);
        check_text(of, &t1);
        if (experiment_load_document(&t1.document, TEST_SOURCE_DIR, true, &experiment, &error) !=
            STATUS_OK)
            fail_msg("%s: %s", of->path, error.text);
        check_space(of, experiment);
        experiment_free(experiment);
        t1_free(&t1);
        arena_free(&arena);
    }
}

/* Read as the other dialect, a file has that dialect's meaning. */
TEST(dialects_differ)
{
    struct t1 t1 = {.ignored = NULL};
    assert_int_equal(t1_read(EXAMPLES "kerneltuner-test.json", NULL, 0, T1_KTT, &t1, &error),
                     STATUS_OK);
    need_piece(document_text(&t1.document), "(262144 // block_size_x) // tile_size_x",
               "kerneltuner-test as KTT's");
    need_piece(document_text(&t1.document), "fill: {uniform: [0, 1.0]}",
               "kerneltuner-test as KTT's");
    need_piece(t1.ignored, "KernelSpecification.ProblemSize", "kerneltuner-test as KTT's");
    refuse_piece(document_text(&t1.document), "symbol:", "kerneltuner-test as KTT's");
    t1_free(&t1);
    assert_int_equal(
        t1_read(EXAMPLES "ktt-cltune-gemm.json", NULL, 0, T1_KERNEL_TUNER, &t1, &error), STATUS_OK);
    need_piece(document_text(&t1.document), "fill: {normal: [0, 1]}",
               "ktt-cltune-gemm as Kernel Tuner's");
    need_piece(document_text(&t1.document), "ceil_div(2048 * MDIMC // MWG, MDIMC)",
               "ktt-cltune-gemm");
    need_piece(document_text(&t1.document), "kernel_tuner: 1", "ktt-cltune-gemm");
    t1_free(&t1);
}

TEST_MAIN(NULL, NULL)
