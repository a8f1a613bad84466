/* The measurer, on the null device: slots timed alone and in rounds. */
#include "session_fixture.h"

#include "tuner/stats/race.h"

enum { SLOTS = 4 };

struct fixture {
    struct run *run;
    struct sweep *sweep;
    struct slot slots[SLOTS];
    struct slot *list[SLOTS];
    struct track track;
};

/* Points 0 .. 3: way one, blocks of 64, parts 1, 2 and 3; then blocks of 128. */
static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->run = run_create(usual_text, "time");
    run_start(f->run, 1);
    f->sweep = run_sweep(f->run);
    f->track = sweep_track(&f->run->work, f->sweep, group_lane(f->run->work.group), "race");
    f->track.slots = f->list;
    f->track.count = SLOTS;
    for (size_t i = 0; i < SLOTS; i++) {
        f->list[i] = &f->slots[i];
        RUN_OK(f->run,
               sweep_candidate(&f->run->work, f->sweep, i, &f->slots[i].candidate, &f->run->error));
    }
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < SLOTS; i++)
        slot_free(&f->slots[i]);
    track_free(&f->track);
    run_end_sweep(f->sweep);
    run_free(f->run);
    free(f);
    return 0;
}

TEST_WITH(test_a_candidate_is_prepared_once, setup, teardown)
{
    struct fixture *f = *state;
    struct slot *slot = &f->slots[0];
    RUN_OK(f->run, track_load(&f->run->work, &f->track, slot, &f->run->error));
    assert_int_equal(slot->outcome.status, TRIAL_OK);
    const struct prepared *prepared = slot->prepared;
    assert_non_null(prepared);
    assert_int_equal(prepared->plan.launch_count, 1);
    assert_int_equal(prepared->plan.launches[0].grid[0], 16);
    assert_int_equal(prepared->derived_count, 2);
    assert_true(prepared->resources[0].suggested_block >
                0); /* the device suggests it, not the binary */
    const struct named_value *derived = prepared->derived;
    const char *kernel = prepared->plan.launches[0].kernel;
    RUN_OK(f->run, track_load(&f->run->work, &f->track, slot, &f->run->error));
    assert_ptr_equal(slot->prepared, prepared);
    assert_ptr_equal(prepared->derived, derived);
    assert_ptr_equal(prepared->plan.launches[0].kernel, kernel);
}

/* A plan made from the binary alone stays if the device agrees. */
TEST_WITH(test_what_was_planned_ahead_stands, setup, teardown)
{
    struct fixture *f = *state;
    struct slot *slot = &f->slots[0];
    struct candidate *candidate = slot->candidate;
    struct binaries *binaries = &f->run->work.group->binaries;
    RUN_OK(f->run, sweep_request_binary(&f->run->work, f->sweep, candidate, true, &f->run->error));
    RUN_OK(f->run, binaries_await(binaries, candidate->binary, &f->run->error));
    slot->prepared = prepared_create(&f->sweep->candidates, candidate);
    RUN_OK(f->run,
           prepare_ahead(&f->run->work, candidate, slot->prepared, &slot->outcome, &f->run->error));
    const uint64_t hash =
        prepared_launch_hash(slot->prepared, candidate_binary(&f->run->work, candidate));
    const struct named_value *derived = slot->prepared->derived;
    assert_true(hash != 0 && derived);
    assert_int_equal(slot->prepared->resources[0].suggested_block, -1);
    RUN_OK(f->run, track_load(&f->run->work, &f->track, slot, &f->run->error));
    assert_ptr_equal(slot->prepared->derived, derived);
    assert_int_equal(slot->prepared->launch_hash, hash);
    assert_true(slot->prepared->resources[0].suggested_block > 0);
}

TEST_WITH(test_a_slot_is_timed_alone, setup, teardown)
{
    struct fixture *f = *state;
    struct slot *slot = &f->slots[0];
    struct timing timing = {.blocks = 5};
    struct measured measured;
    f->track.stage = "sweep";
    RUN_OK(f->run,
           inputs_send(&f->run->work, &f->sweep->inputs, f->track.lane, true, &f->run->error));
    RUN_OK(f->run, track_load(&f->run->work, &f->track, slot, &f->run->error));
    RUN_OK(f->run, track_time_alone(&f->run->work, &f->track, slot, &timing, &f->run->error));
    assert_int_equal(slot->sample_count, 5);
    assert_true(slot->runs > 1);
    RUN_OK(f->run, slot_times(slot, &measured, &f->run->error));
    assert_in_range((int64_t)measured.times.median, 1500, 4000);
    assert_true(isnan(measured.energy_j) && isnan(measured.value));
    /* Again: as many more, with as many runs. */
    const uint32_t runs = slot->runs;
    timing.runs = runs;
    RUN_OK(f->run, track_time_alone(&f->run->work, &f->track, slot, &timing, &f->run->error));
    assert_int_equal(slot->sample_count, 10);
    assert_int_equal(slot->runs, runs);
    /* A hopeless trial ends with its first block. */
    timing.stop_above_ns = measured.times.median / 2;
    slot_drop_samples(slot);
    RUN_OK(f->run, track_time_alone(&f->run->work, &f->track, slot, &timing, &f->run->error));
    assert_int_equal(slot->sample_count, 1);
}

static void begin(struct fixture *f)
{
    RUN_OK(f->run, track_begin(&f->run->work, &f->track, true, &f->run->error));
    for (size_t i = 0; i < SLOTS; i++)
        assert_int_equal(f->slots[i].outcome.status, TRIAL_OK);
}

TEST_WITH(test_a_round_visits_who_is_wanted, setup, teardown)
{
    struct fixture *f = *state;
    const bool wanted[SLOTS] = {true, false, true, true};
    double twin_y = 0;
    begin(f);
    RUN_OK(f->run, track_round(&f->run->work, &f->track, wanted, 2, &twin_y, &f->run->error));
    RUN_OK(f->run, track_round(&f->run->work, &f->track, wanted, SLOTS, &twin_y, &f->run->error));
    assert_true(isnan(twin_y));
    assert_int_equal(f->track.round_count, 2);
    const uint32_t blocks = (uint32_t)f->run->options.protocol.visit_blocks;
    for (size_t i = 0; i < SLOTS; i++) {
        const size_t visits = !wanted[i] ? 0 : i == 2 ? 3 : 2;
        assert_int_equal(f->slots[i].sample_count, visits * blocks);
        assert_int_equal(isnan(f->track.y[i]), !wanted[i]);
    }
    assert_int_equal(f->slots[0].samples[0].round, 0);
    assert_int_equal(f->slots[0].samples[blocks].round, 1);
    /* The twin is as the first visit, but for the noise. */
    assert_true(fabs(f->track.twin[0]) < 0.02);
    assert_true(isnan(f->track.twin[1]));
    assert_int_equal(track_judge(&f->run->work, &f->track), 2);
    /* The values are logarithms of the medians. */
    struct measured measured;
    RUN_OK(f->run, slot_measured(&f->run->work, &f->slots[0], &measured, &f->run->error));
    assert_true(fabs(f->track.y[0] - log(measured.value)) < 0.02);
    assert_float_equal(measured.value, measured.times.median, 1e-9);
}

TEST_WITH(test_who_failed_is_left_out, setup, teardown)
{
    struct fixture *f = *state;
    const bool wanted[SLOTS] = {true, true, true, true};
    struct race *race = NULL;
    begin(f);
    f->slots[1].outcome.status = TRIAL_WRONG_RESULT;
    RUN_OK(f->run, race_create(&f->run->options.protocol, SLOTS, &race, &f->run->error));
    RUN_OK(f->run, track_race_round(&f->run->work, &f->track, race, wanted, 0, &f->run->error));
    assert_int_equal(f->slots[1].sample_count, 0);
    assert_true(isnan(f->track.y[1]));
    assert_int_equal(race_fate(race, 1), RACE_FAILED);
    assert_int_equal(race_fate(race, 0), RACE_ALIVE);
    assert_int_equal(race_valid_rounds(race), 1);
    race_free(race);
}

/* Kills the measuring child: the only one of this process that says so. */
static void kill_worker(void)
{
    char path[64];
    char line[4096] = "";
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    (void)fclose(file);
    for (char *at = line; *at && *at != '\n';) {
        const long pid = strtol(at, &at, 10);
        char words[256] = "";
        (void)snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
        file = fopen(path, "r");
        const size_t length = file ? fread(words, 1, sizeof words - 1, file) : 0;
        if (file)
            (void)fclose(file);
        if (length > 0 && memmem(words, length, "__measure", 9))
            assert_int_equal(kill((pid_t)pid, SIGKILL), 0);
        at += strspn(at, " ");
    }
}

/* A round in which the worker was replaced does not count, and the next one continues. */
TEST_WITH(test_a_round_with_a_dead_worker_does_not_count, setup, teardown)
{
    struct fixture *f = *state;
    const bool wanted[SLOTS] = {true, true, true, true};
    double twin_y = 0;
    begin(f);
    RUN_OK(f->run, track_round(&f->run->work, &f->track, wanted, 0, &twin_y, &f->run->error));
    kill_worker();
    RUN_OK(f->run, track_round(&f->run->work, &f->track, wanted, 0, &twin_y, &f->run->error));
    RUN_OK(f->run, track_round(&f->run->work, &f->track, wanted, 0, &twin_y, &f->run->error));
    assert_int_equal(track_judge(&f->run->work, &f->track), 2);
    assert_int_equal(f->track.faults[1], ROUND_INCOMPLETE);
    assert_non_null(f->track.rows[1].fault);
    for (size_t i = 0; i < SLOTS; i++)
        for (size_t j = 0; j < f->slots[i].sample_count; j++)
            assert_int_equal(f->slots[i].samples[j].invalid, f->slots[i].samples[j].round == 1);
    assert_false(f->track.lane->lost);
}

TEST_WITH(test_rounds_and_trials_go_into_the_store, setup, teardown)
{
    struct fixture *f = *state;
    const bool wanted[SLOTS] = {true, true, false, false};
    double twin_y = 0;
    struct measured measured;
    int64_t id = 0;
    begin(f);
    RUN_OK(f->run, track_round(&f->run->work, &f->track, wanted, 1, &twin_y, &f->run->error));
    (void)track_judge(&f->run->work, &f->track);
    RUN_OK(f->run, track_store(&f->run->work, &f->track, &f->run->error));
    RUN_OK(f->run, slot_measured(&f->run->work, &f->slots[1], &measured, &f->run->error));
    RUN_OK(f->run, slot_store(&f->run->work, &f->track, &f->slots[1], &measured, false, &id,
                              &f->run->error));
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM rounds WHERE stage = 'race' AND "
                                       "twin_configuration_id IS NOT NULL AND fault IS NULL"),
                     1);
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM trials WHERE stage = 'race' AND "
                                       "status = 'ok' AND objective = 'time' AND grid = 8 AND "
                                       "value = median_ns AND binary_hash IS NOT NULL"),
                     1);
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM samples"),
                     (int64_t)f->slots[1].sample_count);
    /* A failed candidate has a row with the reason, without a plan. */
    f->slots[0].outcome.status = TRIAL_CRASHED;
    (void)string_format(f->slots[0].outcome.detail, sizeof f->slots[0].outcome.detail, "gone");
    RUN_OK(f->run, slot_measured(&f->run->work, &f->slots[0], &measured, &f->run->error));
    RUN_OK(f->run, slot_store(&f->run->work, &f->track, &f->slots[0], &measured, false, &id,
                              &f->run->error));
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM trials WHERE status = 'crashed' AND "
                                       "detail = 'gone' AND grid IS NULL AND value IS NULL"),
                     1);
}

TEST_MAIN_WITH_WORKERS(NULL, NULL)
