/* Rejections before any cost for the device: by facts of the binary. */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/session/sweep.h"

/* `way` is a template argument and a define, `part` only changes the launch. */
static const char text[] = "experiment: twins\n"
                           "source: k.cu\n"
                           "sizes: {n: [1000]}\n"
                           "parameters:\n"
                           "  way: [plain, again, other]\n"
                           "  block: [64, 128]\n"
                           "  part: [1, 2]\n"
                           "  shared: [0, 1000, 100000]\n"
                           "  zero: [1, 0]\n"
                           "  last: [second, first]\n"
                           "launches:\n"
                           "  - {kernel: \"first<${way}>\", grid: 8 // zero, block: block,\n"
                           "     shared: shared, arguments: [in, out, part]}\n"
                           "  - {kernel: \"second<${way}>\", grid: 1, block: 32,\n"
                           "     arguments: [out]}\n"
                           "  - {kernel: \"${last}<${way}>\", grid: 1, block: 32,\n"
                           "     arguments: [out]}\n"
                           "arguments:\n"
                           "  - {name: in, type: i32, count: n, fill: random}\n"
                           "  - {name: out, type: i32, count: n, output: true}\n"
                           "  - {name: part, type: i32, value: part}\n"
                           "check: {reference: f, source: r.c, output: out, tolerance: 0}\n";

/* The binaries by number; `mute` has no facts. */
enum { PLAIN, AGAIN, OTHER, MUTE, BINARIES };
static const char *const names[BINARIES] = {"plain", "again", "other", "mute"};
static const char *const codes[BINARIES] = {"0123", "0123", "4567", ""};
static int inspections;

static enum status inspect(const char *path, const char *kernel, struct kernel_resources *resources,
                           char *code_hash, struct error *error)
{
    (void)kernel;
    inspections++;
    for (int i = 0; i < MUTE; i++) {
        if (strcmp(names[i], path) != 0)
            continue;
        *resources = (struct kernel_resources){.registers = 40, .static_shared_bytes = 16};
        (void)string_format(code_hash, HASH_TEXT_BYTES, "%s", codes[i]);
        return STATUS_OK;
    }
    return error_set(error, STATUS_UNAVAILABLE, "it does not tell");
}

static enum status occupancy(const struct facts *facts, const struct launch *launch,
                             struct kernel_resources *resources, struct error *error)
{
    (void)facts, (void)error;
    resources->active_blocks_per_sm = launch->shared_bytes > 50000 ? 0 : 4;
    return STATUS_OK;
}

static const struct device_api api = {.kind = "cuda", .inspect = inspect, .occupancy = occupancy};

struct fixture {
    char folder[32];
    struct experiment *experiment;
    struct facts facts;
    struct binary items[BINARIES];
    struct session_options options;
    struct session session;
    struct group group;
    struct work work;
    struct sweep sweep;
    struct error error;
};

static void put_file(const struct fixture *f, const char *name, const char *contents)
{
    char path[64];
    struct error error = {0};
    (void)string_format(path, sizeof path, "%s/%s", f->folder, name);
    assert_int_equal(file_write_atomically(path, contents, strlen(contents), &error), STATUS_OK);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    char path[64];
    *state = f;
    (void)string_format(f->folder, sizeof f->folder, "/tmp/tune-foresee-XXXXXX");
    if (!mkdtemp(f->folder))
        return -1;
    put_file(f, "k.cu", "template <int> void first();\n");
    put_file(f, "r.c", "void f(void *const *a, struct tune_expected *e) { (void)a, (void)e; }\n");
    put_file(f, "twins.yaml", text);
    (void)string_format(path, sizeof path, "%s/twins.yaml", f->folder);
    if (experiment_load(path, f->folder, &f->experiment, &f->error) != STATUS_OK) {
        print_error("%s\n", f->error.text);
        return -1;
    }
    for (int i = 0; i < BINARIES; i++)
        f->items[i] = (struct binary){.hash = names[i], .path = names[i], .state = BINARY_READY};
    f->group = (struct group){.session = &f->session, .facts = &f->facts};
    f->group.binaries = (struct binaries){.api = &api, .items = f->items, .count = BINARIES};
    f->session.options = &f->options;
    f->work = work_of(&f->group, f->experiment, 1, NULL);
    experiment_problem(f->experiment, 0, &f->work.problem);
    inspections = 0;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    static const char *const files[] = {"k.cu", "r.c", "twins.yaml"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[64];
        (void)string_format(path, sizeof path, "%s/%s", f->folder, files[i]);
        (void)unlink(path);
    }
    (void)rmdir(f->folder);
    arena_free(&f->group.binaries.arena);
    candidates_free(&f->sweep.candidates);
    arena_free(&f->sweep.arena);
    experiment_free(f->experiment);
    free(f);
    return 0;
}

static struct candidate *add_ending(struct fixture *f, int binary, int64_t block, int64_t part,
                                    int64_t shared, int64_t zero, const char *last)
{
    const char *way = names[binary == MUTE ? PLAIN : binary];
    const struct value values[] = {value_text(way),       value_integer(block), value_integer(part),
                                   value_integer(shared), value_integer(zero),  value_text(last)};
    char key[CONFIGURATION_KEY_BYTES];
    struct configuration configuration = {.count = 6};
    for (size_t i = 0; i < 6; i++)
        configuration.values[i] =
            (struct named_value){experiment_head(f->experiment)->parameter_names[i], values[i]};
    assert_true(configuration_key(&configuration, key));
    struct candidate *candidate =
        candidates_add(&f->sweep.candidates, &configuration, key, NO_POINT);
    assert_non_null(candidate);
    candidate->binary = (size_t)binary;
    return candidate;
}

static struct candidate *add(struct fixture *f, int binary, int64_t block, int64_t part,
                             int64_t shared, int64_t zero)
{
    return add_ending(f, binary, block, part, shared, zero, "second");
}

static struct worker_outcome foresee(struct fixture *f, struct candidate *candidate, bool aside)
{
    struct slot slot = {.candidate = candidate,
                        .prepared = prepared_create(&f->sweep.candidates, candidate),
                        .outcome = {.status = TRIAL_OK}};
    assert_non_null(slot.prepared);
    assert_int_equal(sweep_foresee(&f->work, &f->sweep, &slot, &f->error), STATUS_OK);
    assert_int_equal(slot.outcome.status != TRIAL_OK, aside);
    slot_free(&slot);
    return slot.outcome;
}

/* Marks a candidate as measured. */
static void measured(struct fixture *f, struct candidate *candidate)
{
    candidate->state = CANDIDATE_DONE;
    candidate->status = TRIAL_OK;
    candidate->trial_id = (int64_t)f->sweep.candidates.count;
    assert_true(candidates_done(&f->sweep.candidates, candidate));
}

TEST_WITH(test_what_does_not_fit_is_set_aside, setup, teardown)
{
    struct fixture *f = *state;
    struct worker_outcome outcome = foresee(f, add(f, PLAIN, 64, 1, 100000, 1), true);
    assert_int_equal(outcome.status, TRIAL_LAUNCH_FAILED);
    assert_string_equal(outcome.detail,
                        "set aside: no block of 64 threads with 40 registers each, 16 + 100000 "
                        "bytes of shared memory, fits on an SM");
    assert_int_equal(f->sweep.unlaunchable, 1);
    (void)foresee(f, add(f, PLAIN, 64, 1, 1000, 1), false);
    assert_int_equal(f->sweep.unlaunchable, 1);
}

TEST_WITH(test_the_same_code_launched_alike_is_a_duplicate, setup, teardown)
{
    struct fixture *f = *state;
    struct candidate *first = add(f, PLAIN, 64, 1, 0, 1);
    (void)foresee(f, first, false);
    measured(f, first);
    struct candidate *again = add(f, AGAIN, 64, 1, 0, 1);
    struct worker_outcome outcome = foresee(f, again, true);
    assert_int_equal(outcome.status, TRIAL_SKIPPED);
    assert_ptr_equal(again->same_as, first);
    assert_non_null(strstr(outcome.detail, first->outsider->key));
    assert_int_equal(f->sweep.duplicates, 1);
    /* Launched otherwise, with other arguments, or other code: another matter. */
    (void)foresee(f, add(f, AGAIN, 128, 1, 0, 1), false);
    (void)foresee(f, add(f, AGAIN, 64, 2, 0, 1), false);
    (void)foresee(f, add(f, AGAIN, 64, 1, 1000, 1), false);
    (void)foresee(f, add(f, OTHER, 64, 1, 0, 1), false);
    (void)foresee(f, add_ending(f, AGAIN, 64, 1, 0, 1, "first"), false);
    assert_int_equal(f->sweep.duplicates, 1);
}

TEST_WITH(test_a_duplicate_stands_for_nobody, setup, teardown)
{
    struct fixture *f = *state;
    struct candidate *first = add(f, PLAIN, 64, 1, 0, 1);
    (void)foresee(f, first, false);
    struct candidate *again = add(f, AGAIN, 64, 1, 0, 1);
    (void)foresee(f, again, false); /* the first is in hand, but not done */
    measured(f, again);
    (void)foresee(f, first, true);
    assert_ptr_equal(first->same_as, again);
}

TEST_WITH(test_binaries_that_do_not_tell_go_to_the_device, setup, teardown)
{
    struct fixture *f = *state;
    struct candidate *first = add(f, MUTE, 64, 1, 100000, 1);
    (void)foresee(f, first, false);
    assert_int_equal(first->launch_hash, 0);
    f->group.binaries.api = NULL;
    (void)foresee(f, add(f, PLAIN, 64, 2, 100000, 1), false);
    assert_int_equal(f->sweep.unlaunchable, 0);
}

/* Each kernel of each binary is asked about once. */
TEST_WITH(test_a_binary_is_asked_once, setup, teardown)
{
    struct fixture *f = *state;
    (void)foresee(f, add(f, PLAIN, 64, 1, 0, 1), false);
    (void)foresee(f, add(f, PLAIN, 128, 1, 0, 1), false);
    assert_int_equal(inspections, 2);
}

TEST_WITH(test_an_expression_that_fails_is_the_points_own_fault, setup, teardown)
{
    struct fixture *f = *state;
    struct worker_outcome outcome = foresee(f, add(f, PLAIN, 64, 1, 0, 0), true);
    assert_int_equal(outcome.status, TRIAL_LAUNCH_FAILED);
    assert_non_null(strstr(outcome.detail, "twins.yaml:12:"));
    assert_int_equal(f->error.status, STATUS_OK);
    assert_int_equal(f->sweep.unlaunchable, 0);
}

TEST_MAIN(NULL, NULL)
