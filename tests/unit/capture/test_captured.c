/* Experiments from captures: conclusions from launches, and launches that cannot be replayed. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontends/capture/captured.h"
#include "tests/unit/capture/capture_fixture.h"
#include "tests/unit/suite.h"
#include "tuner/base/temporary.h"

static const struct cap_parameter parameters[] = {{0, 8}, {8, 8}, {16, 4}, {20, 4}};

/* scale(in, out, n, factor), n being 100 and 300, with a block of 64. */
struct given {
    uint64_t in, out;
    int32_t n;
    float factor;
};

static struct test {
    char folder[64];
    char path[96];
    struct arena arena;
    struct capture *capture;
    struct captured_set set;
    struct error error;
    bool only_largest;
    const char *other;       /* kernel of the second launch; NULL: that of the first */
    const char *asked;       /* the question's kernel */
    bool looks_like_address; /* a word of the input */
    const struct kernel_signature *signature;
} test;

static bool add_launch(struct capture_fixture *fixture, const struct cap_launch *launch, int32_t n,
                       uint32_t parameter_bytes)
{
    static float before[300], after[300];
    const struct given given = {1 << 20, 2 << 20, n, 1.5f};
    const uint64_t bytes = (uint64_t)n * sizeof *before;
    for (int i = 0; i < n; i++)
        after[i] = 1.5f * (float)i;
    const uint32_t contents[] = {fixture_contents(fixture, before, bytes),
                                 fixture_contents(fixture, after, bytes)};
    const struct cap_buffer buffers[] = {
        {.address = given.in, .bytes = bytes, .before = contents[1], .after = contents[1]},
        {.address = given.out, .bytes = bytes, .before = contents[0], .after = contents[1]}};
    const struct cap_pointer pointers[] = {
        {CAP_IN_PARAMETERS, 0, 0, 0}, {CAP_IN_PARAMETERS, 1, 8, 0}, {0, 1, 16, 0}};
    return fixture_launch(fixture, *launch, &given, parameter_bytes, buffers, 2, pointers,
                          test.looks_like_address ? 3 : 2, "", 1);
}

/* Returns the result of captured_take for two such launches; `odd` describes the first. */
static enum status take(const char *name, const struct cap_launch *odd, uint32_t parameter_bytes)
{
    struct capture_fixture fixture;
    (void)snprintf(test.folder, sizeof test.folder, "/tmp/tune-test-XXXXXX");
    assert_non_null(mkdtemp(test.folder));
    (void)snprintf(test.path, sizeof test.path, "%s.cap", test.folder);
    assert_true(fixture_begin(&fixture, test.folder, 7));
    const uint32_t image = fixture_image(&fixture, CAP_IMAGE_OTHER, "image", 5);
    struct cap_kernel *kernel = fixture_kernel(&fixture, name, image, parameters, 4);
    assert_non_null(kernel);
    struct cap_launch plain = {
        .kernel = kernel->id, .grid = {5, 1, 1}, .block = {64, 1, 1}, .shared_bytes = 128};
    struct cap_launch first = odd ? *odd : plain;
    first.kernel = kernel->id;
    if (test.other) {
        const struct cap_kernel *other = fixture_kernel(&fixture, test.other, image, parameters, 4);
        assert_non_null(other);
        first.kernel = other->id;
    }
    assert_true(add_launch(&fixture, &plain, 300, sizeof(struct given)));
    plain.grid[0] = 2;
    first.grid[0] = odd ? odd->grid[0] : 2;
    assert_true(add_launch(&fixture, &first, 100, parameter_bytes));
    fixture_end(&fixture);
    assert_int_equal(capture_join(test.folder, test.path, false, &test.error), STATUS_OK);
    assert_int_equal(capture_open(test.path, &test.capture, &test.error), STATUS_OK);
    const struct captured_question question = {.capture = test.capture,
                                               .kernel = test.asked,
                                               .size = "n",
                                               .signature = test.signature,
                                               .only_largest = test.only_largest};
    return captured_take(&test.arena, &question, &test.set, &test.error);
}

static int end(void **state)
{
    struct temporary folder = {.file = -1};
    (void)state;
    capture_close(test.capture);
    arena_free(&test.arena);
    (void)snprintf(folder.path, sizeof folder.path, "%s", test.folder);
    temporary_folder_remove(&folder);
    (void)unlink(test.path);
    test = (struct test){.capture = NULL};
    return 0;
}

TEST_WITH(launches_become_sizes, NULL, end)
{
    struct text text = {0};
    assert_int_equal(take("_Z5scalePKfPfif", NULL, sizeof(struct given)), STATUS_OK);
    assert_int_equal(test.set.launch_count, 2);
    assert_int_equal(test.set.sizes[0], 100);
    assert_int_equal(test.set.sizes[1], 300);
    assert_string_equal(captured_grid(&test.set, 0, "block_x", 0), "ceil_div(n, block_x)");
    assert_string_equal(captured_grid(&test.set, 0, NULL, 0), "[2, 5][_launch]");
    assert_string_equal(captured_shared(&test.set), "128");
    assert_null(captured_block_results(&test.set));
    assert_int_equal(captured_block(&test.set, 0), 64);
    captured_put_arguments(&test.set, "f", &text);
    assert_non_null(
        strstr(text_string(&text),
               "{name: p0, type: u32, count: \"n\", fill: {file: \"f/${n}.p0.before\"}}"));
    assert_non_null(
        strstr(text_string(&text), "{name: p1, type: u32, count: \"n\", update: true, "));
    assert_non_null(strstr(text_string(&text), "{name: p2, type: i32, value: \"n\"}"));
    assert_non_null(strstr(text_string(&text), "{name: p3, type: i32, value: \"1069547520\"}"));
    text_clear(&text);
    captured_put_checks(&test.set, "f", true, &text);
    assert_string_equal(text_string(&text),
                        "check:\n  - {output: p1, file: \"f/${n}.p1.after\"}\n");
    text_free(&text);
}

/* Data that are not written in time end a draft. */
TEST_WITH(data_are_written_in_time, NULL, end)
{
    int64_t bytes = 0;
    assert_int_equal(take("_Z5scalePKfPfif", NULL, sizeof(struct given)), STATUS_OK);
    assert_int_equal(captured_unpack(&test.set, test.folder, 1, &bytes, &test.error),
                     STATUS_TIMED_OUT);
    assert_int_equal(captured_unpack(&test.set, test.folder, 0, &bytes, &test.error), STATUS_OK);
    assert_true(bytes > 0);
}

/* Each of 100 blocks leaves a result. */
TEST_WITH(blocks_that_leave_a_result_each, NULL, end)
{
    const struct cap_launch larger = {.grid = {50, 2, 1}, .block = {64, 1, 1}};
    test.only_largest = true;
    assert_int_equal(take("_Z5scalePKfPfif", &larger, sizeof(struct given)), STATUS_OK);
    assert_string_equal(captured_block_results(&test.set), "p1");
}

/* A draft of a running program takes the launch that has most to do. */
TEST_WITH(the_largest_launch_alone, NULL, end)
{
    test.only_largest = true;
    assert_int_equal(take("_Z5scalePKfPfif", NULL, sizeof(struct given)), STATUS_OK);
    assert_int_equal(test.set.launch_count, 1);
    assert_int_equal(test.set.left_out, 0);
    assert_int_equal(test.set.sizes[0], 300);
    assert_int_equal(end(NULL), 0);
    const struct cap_launch larger = {.grid = {9, 1, 1}, .block = {64, 1, 1}};
    test.only_largest = true;
    assert_int_equal(take("_Z5scalePKfPfif", &larger, sizeof(struct given)), STATUS_OK);
    assert_int_equal(test.set.launch_count, 1);
    assert_int_equal(test.set.sizes[0], 100);
}

/* A template by its bare name stands for its instance that is launched first; other kernels have to
 * be told apart. */
TEST_WITH(the_first_instance_of_a_template, NULL, end)
{
    test.asked = "scale";
    test.other = "_Z5scaleILb0EEvPKfPfif";
    assert_int_equal(take("_Z5scaleILb1EEvPKfPfif", NULL, sizeof(struct given)), STATUS_OK);
    assert_int_equal(test.set.instances, 2);
    assert_string_equal(test.set.kernel->name, "_Z5scaleILb1EEvPKfPfif");
    assert_int_equal(test.set.launch_count, 1);
    assert_int_equal(end(NULL), 0);
    test.other = "_Z5shiftPKfPfif"; /* without a name */
    assert_int_equal(take("_Z5scalePKfPfif", NULL, sizeof(struct given)), STATUS_NOT_FOUND);
    assert_non_null(strstr(test.error.text, "launches of 2 kernels were kept: name one"));
}

/* Another kernel than the present one; the file may describe an odd launch freely. */
TEST(what_cannot_be_replayed_is_left_out)
{
    static const struct {
        struct cap_launch launch;
        uint32_t parameter_bytes;
        const char *why;
    } cases[] = {
        {{.grid = {2, 1, 1}, .block = {0, 1, 1}}, 24, "it has no threads"},
        {{.grid = {0, 1, 1}, .block = {64, 1, 1}}, 24, "it has no threads"},
        {{.grid = {2, 1, 1}, .block = {64, 1, 1}}, 20, "not all of its parameters were kept"},
        {{.grid = {2, 1, 1}, .block = {64, 1, 1}, .result = 700}, 24, "it failed"},
        {{.grid = {2, 1, 1}, .block = {64, 1, 1}, .left_out = CAP_LEFT_TEXTURE}, 24, "texture"},
        {{.grid = {2, 1, 1}, .block = {64, 1, 1}, .left_out = CAP_LEFT_TOO_LARGE}, 24, "max-bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(take("scale", &cases[i].launch, cases[i].parameter_bytes), STATUS_OK);
        assert_int_equal(test.set.launch_count, 1);
        assert_int_equal(test.set.left_out, 1);
        if (!strstr(test.set.why, cases[i].why))
            fail_msg("%s; expected %s", test.set.why, cases[i].why);
        assert_int_equal(end(NULL), 0);
    }
}

/* Two integers of an index may look like an address, as a word of a list of addresses does. */
TEST_WITH(numbers_are_no_addresses, NULL, end)
{
    struct kernel_signature signature = {
        .parameter_count = 4,
        .parameters = {
            {.name = "in", .kind = PARAMETER_POINTER, .known = true, .type = ELEMENT_I32},
            {.name = "out", .kind = PARAMETER_POINTER, .known = true, .type = ELEMENT_F32},
            {.name = "n", .kind = PARAMETER_SCALAR, .known = true, .type = ELEMENT_I32},
            {.name = "factor", .kind = PARAMETER_SCALAR, .known = true, .type = ELEMENT_F32}}};
    test.looks_like_address = true;
    assert_int_equal(take("scale", NULL, sizeof(struct given)), STATUS_BAD_INPUT);
    assert_non_null(strstr(test.error.text, "its buffers hold addresses"));
    assert_int_equal(end(NULL), 0);
    test.looks_like_address = true;
    test.signature = &signature;
    assert_int_equal(take("scale", NULL, sizeof(struct given)), STATUS_OK);
    assert_int_equal(test.set.launch_count, 2);
    assert_int_equal(test.set.vector_count, 2);
    assert_int_equal(end(NULL), 0);
    test.looks_like_address = true;
    test.signature = &signature;
    signature.parameters[0].type = ELEMENT_U64;
    assert_int_equal(take("scale", NULL, sizeof(struct given)), STATUS_BAD_INPUT);
}

/* The name would end the text around it. */
TEST(names_that_no_compiler_makes_are_refused)
{
    static const char *const names[] = {"a\"\nflags: [-wrapper]", "${n}", "a b", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(take(names[i], NULL, sizeof(struct given)), STATUS_BAD_INPUT);
        assert_non_null(strstr(test.error.text, "name"));
        assert_int_equal(end(NULL), 0);
    }
}

TEST_MAIN(NULL, NULL)
