/* Drafts are tried on a device, here the CPU: values of parameters, and launches whose results
 * differ by chance. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/capture/capture_fixture.h"
#include "tests/unit/cli/cli_fixture.h"
#include "tuner/base/clock.h"
#include "tuner/cli/replays.h"
#include "tuner/worker/worker.h"

static int64_t deadline_in(int64_t seconds)
{
    return clock_now_ns() + seconds * 1000000000;
}

/* Tries the values of a draft on the CPU: `head`, before the kernel's body, `parameters`. */
static void try_values_of(const char *head, const char *parameters, int64_t deadline_ns,
                          struct arena *arena, struct value_trials *out)
{
    struct captured_set set = {.arena = arena, .launch_count = 1};
    struct unpacked draft = {0};
    struct text source = {0};
    struct error error;
    text_printf(&source,
                "%s\nvoid k(const struct tune_block *block, void *const *arguments)\n"
                "{ while (WAITS); ((int *)arguments[0])[block->index] = X * Y; }\n",
                head);
    write_text("k.c", text_string(&source));
    assert_int_equal(setenv("TUNE_CACHE_DIR", "cache", 1), 0);
    text_append(&draft.path, "k.yaml");
    text_printf(&draft.text,
                "experiment: k\nsource: k.c\ndevice: cpu\nsizes: {n: [4]}\n%s"
                "defines: {X: X, Y: Y}\n"
                "launches: [{kernel: k, grid: n, threads: 1}]\n"
                "arguments: [{name: out, type: i32, count: n, output: true}]\n",
                parameters);
    assert_int_equal(values_try(&draft, &set, deadline_ns, out, &error), STATUS_OK);
    text_free(&source);
    text_free(&draft.path);
    text_free(&draft.text);
}

/* Widths of 128 and 256 are legal beside a height of 4 only, where 256 is wrong. */
TEST_IN_FOLDER(values_that_need_others_than_the_defaults_are_tried)
{
    struct arena arena = {0};
    struct value_trials trials;
    try_values_of("#define WAITS 0\n#if X == 256\n#error no\n#endif\n",
                  "parameters: {X: [16, 128, 256], Y: [4, 16]}\n"
                  "defaults: {X: 16, Y: 16}\nconstraints: [32 <= X * Y <= 1024]\n",
                  deadline_in(60), &arena, &trials);
    assert_int_equal(trials.wrong_count, 1);
    assert_string_equal(trials.wrong[0].parameter, "X");
    assert_string_equal(trials.wrong[0].value, "256");
    assert_int_equal(trials.together.right, trials.together.tried);
    assert_null(trials.untried);
    arena_free(&arena);
}

/* A launch with X = 32 does not end. */
TEST_IN_FOLDER(values_for_which_there_is_no_time_are_listed)
{
    struct arena arena = {0};
    struct value_trials trials;
    const char *parameters = "parameters: {X: [16, 32, 64], Y: [4, 16]}\n"
                             "defaults: {X: 16, Y: 16}\n";
    const int64_t deadline_ns = deadline_in(8);
    try_values_of("#define WAITS X == 32", parameters, deadline_ns, &arena, &trials);
    assert_int_equal(trials.wrong_count, 0);
    assert_non_null(trials.untried);
    assert_non_null(strstr(trials.untried, "X 32, 64"));
    try_values_of("#define WAITS X == 32", parameters, deadline_in(0), &arena, &trials);
    assert_string_equal(trials.untried, "other values");
    arena_free(&arena);
}

/* Replays a launch that left 1000 four times; `leaves`: an expression of the replay's number. The
 * capture is made in `folder`; `checks` gets what the draft would check. */
static enum status replay(const char *folder, const char *leaves, int64_t deadline_ns,
                          enum replayed *replayed, struct text *checks, struct error *error)
{
    static const struct cap_parameter pointer[] = {{0, 8}};
    static const int32_t before[4], after[4] = {1000, 1000, 1000, 1000};
    static const struct cap_pointer pointers[] = {{CAP_IN_PARAMETERS, 0, 0, 0}};
    const uint64_t address = 1 << 20;
    struct arena arena = {0};
    struct captured_set set;
    struct capture_fixture fixture;
    struct capture *capture = NULL;
    struct unpacked draft = {0};
    struct text source = {0};
    assert_int_equal(setenv("TUNE_CACHE_DIR", "cache", 1), 0);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_true(fixture_begin(&fixture, folder, 7));
    const uint32_t image = fixture_image(&fixture, CAP_IMAGE_OTHER, "image", 5);
    const struct cap_buffer buffer = {.address = address,
                                      .bytes = sizeof after,
                                      .before = fixture_contents(&fixture, before, sizeof before),
                                      .after = fixture_contents(&fixture, after, sizeof after)};
    const struct cap_launch launch = {.kernel =
                                          fixture_kernel(&fixture, "k", image, pointer, 1)->id,
                                      .grid = {1, 1, 1},
                                      .block = {1, 1, 1}};
    assert_true(
        fixture_launch(&fixture, launch, &address, sizeof address, &buffer, 1, pointers, 1, "", 1));
    fixture_end(&fixture);
    assert_int_equal(capture_join(folder, "k.cap", false, error), STATUS_OK);
    assert_int_equal(capture_open("k.cap", &capture, error), STATUS_OK);
    const struct captured_question question = {.capture = capture, .size = "n"};
    assert_int_equal(captured_take(&arena, &question, &set, error), STATUS_OK);
    set.vectors[0].is_known = true;
    set.vectors[0].type = ELEMENT_I32;
    text_printf(&source,
                "static int replays;\n"
                "void k(const struct tune_block *block, void *const *arguments)\n"
                "{ int *out = arguments[0]; replays++; (void)block;\n"
                "for (int i = 0; i < 4; i++) out[i] = %s; }\n",
                leaves);
    write_text("k.c", text_string(&source));
    text_append(&draft.path, "k.yaml");
    text_append(&draft.text, "experiment: k\nsource: k.c\ndevice: cpu\nsizes: {n: [1]}\n"
                             "parameters: {X: [1]}\n"
                             "launches: [{kernel: k, grid: 1, threads: 1}]\n"
                             "arguments: [{name: p0, type: i32, count: 4, output: true}]\n");
    const enum status status = replay_captured(&draft, NULL, &set, deadline_ns, replayed, error);
    captured_put_checks(&set, "f", false, checks);
    text_free(&source);
    text_free(&draft.path);
    text_free(&draft.text);
    capture_close(capture);
    arena_free(&arena);
    return status;
}

/* Counts that differ a little from launch to launch, as those of random draws, are compared within
 * a multiple of that; flags, places and wrong results are not. */
TEST_IN_FOLDER(counts_may_differ_by_chance)
{
    struct error error;
    struct text checks = {0};
    enum replayed how;
    assert_int_equal(replay("first", "1000 + replays % 3", deadline_in(60), &how, &checks, &error),
                     STATUS_OK);
    assert_int_equal(how, REPLAYED);
    assert_non_null(strstr(text_string(&checks), ".p0.after\", relative: 0.008, absolute: 8} # not "
                                                 "deterministic: replays differ by up to 0.002 "));
    assert_int_equal(replay("second", "i + replays % 2 == 3 ? 1500 : 1000", deadline_in(60), &how,
                            &checks, &error),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(error.text, "not the same each time"));
    text_free(&checks);
}

TEST_IN_FOLDER(a_replay_ends_with_its_time)
{
    struct error error;
    struct text checks = {0};
    enum replayed how;
    assert_int_equal(replay("late", "1000", deadline_in(0), &how, &checks, &error), STATUS_OK);
    assert_int_equal(how, REPLAYED_LATE);
    text_free(&checks);
}

TEST_MAIN_WITH_WORKERS(NULL, NULL)
