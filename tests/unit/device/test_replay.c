/* Recordings, written and read back, and the scripted device that replays them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/hash.h"
#include "tuner/device/kinds.h"
#include "tuner/device/recording.h"
#include "tuner/device/traits.h"

enum { BLOCKS = 400, SAMPLES = 3 };
static const double samples[SAMPLES] = {990, 1000, 1020};

static struct error error;
static char path[64], binary[64], hash[HASH_TEXT_BYTES];
static struct recording recorded;

static void must(enum status status)
{
    if (status != STATUS_OK)
        fail_msg("%s", error.text);
}

static void add_point(struct recording *made, const char *key, struct recorded_point point)
{
    point.problem = recording_hash("copy.f32", 4096);
    point.configuration = recording_hash(key, 0);
    point.twin = point.twin ? point.twin : point.configuration;
    point.key = recording_add_text(made, key);
    (void)recording_add(made, RECORDED_POINTS, &point);
}

/* Records points of one problem, each with its own outcome. */
static void record(struct recording *made)
{
    recording_add_fact(made, "name", value_text("A GPU, replayed"));
    recording_add_fact(made, "sm_count", value_integer(132));
    recording_add_fact(made, "ecc", value_boolean(true));
    recording_add_fact(made, "peak_gbs", value_real(3.5));
    made->device.anchor_ns = 777;
    made->device.calibration.tick_ns = 32;
    made->device.source = recording_add_text(made, "my.db of 2026-11-22");
    const struct recorded_resource resource = {.kernel = recording_add_text(made, "copy"),
                                               .block_threads = 64,
                                               .registers = 40,
                                               .active_blocks_per_sm = 7};
    const struct recorded_resource other = {.kernel = recording_add_text(made, "copy"),
                                            .block_threads = 128,
                                            .registers = 50,
                                            .active_blocks_per_sm = 3};
    const uint32_t first = (uint32_t)recording_add(made, RECORDED_RESOURCES, &resource);
    (void)recording_add(made, RECORDED_RESOURCES, &other);
    const uint32_t sample = (uint32_t)recording_add(made, RECORDED_SAMPLES, &samples[0]);
    for (size_t i = 1; i < SAMPLES; i++)
        (void)recording_add(made, RECORDED_SAMPLES, &samples[i]);
    add_point(made, "block=64",
              (struct recorded_point){.time_ns = 1000,
                                      .first_sample = sample,
                                      .sample_count = SAMPLES,
                                      .first_resource = first,
                                      .resource_count = 2});
    add_point(made, "block=96",
              (struct recorded_point){.time_ns = 1000, .twin = recording_hash("block=64", 0)});
    add_point(made, "block=128", (struct recorded_point){.time_ns = 2000, .spread = 0.01});
    static const struct {
        const char *key;
        enum trial_status status;
    } failures[] = {{"block=1", TRIAL_COMPILE_FAILED},
                    {"block=2", TRIAL_LAUNCH_FAILED},
                    {"block=3", TRIAL_TIMED_OUT},
                    {"block=4", TRIAL_CRASHED},
                    {"block=5", TRIAL_WRONG_RESULT}};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        add_point(made, failures[i].key,
                  (struct recorded_point){.time_ns = (double)NAN,
                                          .status = failures[i].status,
                                          .detail = recording_add_text(made, "as it was")});
    add_point(made, "block=6",
              (struct recorded_point){.time_ns = 3000,
                                      .raced_status = TRIAL_WRONG_RESULT,
                                      .raced_detail = recording_add_text(made, "in the race")});
    add_point(made, "block=7",
              (struct recorded_point){
                  .time_ns = 3000, .checked_detail = recording_add_text(made, "at an odd size")});
}

static enum status compile(const char *key)
{
    struct text log = {0};
    const struct recorded_point *point =
        recording_find(&recorded, recording_hash("copy.f32", 4096), recording_hash(key, 0));
    const struct recorded_point *points = recorded.parts[RECORDED_POINTS].items;
    const struct binary_request request = {
        .source_path = "source",
        .define_count = 1,
        .defines = {{RECORDING_POINT_DEFINE, value_integer(point ? point - points : -1)}}};
    enum status status = device_replay.compile(&request, binary, &log, &error);
    text_free(&log);
    return status;
}

static struct device *opened(const char *seed)
{
    struct device *device = NULL;
    const struct warm_up warm_up = {0};
    assert_int_equal(setenv(RECORDING_SEED_VARIABLE, seed, 1), 0);
    must(device_replay.open(0, &warm_up, &device, NULL, &error));
    return device;
}

static int set_up(void **state)
{
    (void)state;
    (void)snprintf(path, sizeof path, "recording-%d", (int)getpid());
    (void)snprintf(binary, sizeof binary, "recording-%d.bin", (int)getpid());
    record(&recorded);
    must(recording_write(&recorded, path, hash, &error));
    return setenv(RECORDING_FILE_VARIABLE, path, 1);
}

static int tear_down(void **state)
{
    (void)state;
    recording_close(&recorded);
    (void)unlink(path);
    (void)unlink(binary);
    return 0;
}

TEST(a_recording_comes_back)
{
    struct recording recording;
    struct facts facts = {0};
    size_t count = 0;
    const uint64_t problem = recording_hash("copy.f32", 4096);
    must(recording_open(path, &recording, &error));
    assert_true(recording.device.anchor_ns == 777);
    assert_string_equal(recording_text(&recording, recording.device.source), "my.db of 2026-11-22");
    must(recording_facts(&recording, &facts, &error));
    assert_int_equal(facts_integer(&facts, "sm_count", 0), 132);
    assert_int_equal(facts_find(&facts, "ecc")->value.kind, VALUE_BOOLEAN);
    assert_true(facts_find(&facts, "peak_gbs")->value.real == 3.5);
    const struct recorded_point *points = recording_problem(&recording, problem, &count);
    assert_int_equal(count, 10);
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(recording_find(&recording, problem, points[i].configuration), &points[i]);
    assert_null(recording_problem(&recording, problem + 1, &count));
    assert_null(recording_find(&recording, problem, recording_hash("block=65", 0)));
    facts_free(&facts);
    recording_close(&recording);
}

TEST(a_cut_recording_is_refused)
{
    char cut[80];
    char bytes[4096];
    struct recording recording;
    (void)snprintf(cut, sizeof cut, "%s-cut", path);
    FILE *from = fopen(path, "rb");
    assert_non_null(from);
    const size_t length = fread(bytes, 1, sizeof bytes, from);
    (void)fclose(from);
    const size_t lengths[] = {0, 8, 100, length - 1};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        FILE *to = fopen(cut, "wb");
        assert_non_null(to);
        assert_int_equal(fwrite(bytes, 1, lengths[i], to), lengths[i]);
        assert_int_equal(fclose(to), 0);
        assert_int_equal(recording_open(cut, &recording, &error), STATUS_BAD_INPUT);
    }
    (void)unlink(cut);
    assert_int_equal(recording_open(cut, &recording, &error), STATUS_NOT_FOUND);
    struct recording twice = {.failed = false};
    add_point(&twice, "block=64", (struct recorded_point){.time_ns = 1});
    add_point(&twice, "block=64", (struct recorded_point){.time_ns = 2});
    assert_int_equal(recording_write(&twice, cut, hash, &error), STATUS_BAD_INPUT);
    recording_close(&twice);
}

/* Times are drawn from the recorded samples, or around the recorded time. The seed and the order of
 * the timings decide. */
TEST(times_are_drawn_from_what_was_recorded)
{
    struct device *device[] = {opened("1"), opened("1"), opened("2")};
    const struct block block = {.runs = 10};
    double times[3][BLOCKS];
    size_t seen[SAMPLES] = {0};
    must(compile("block=64"));
    for (size_t i = 0; i < 3; i++) {
        must(device_replay.load(device[i], binary, &error));
        for (size_t k = 0; k < BLOCKS; k++)
            must(device_replay.time_block(device[i], &block, &times[i][k], &error));
    }
    for (size_t k = 0; k < BLOCKS; k++)
        for (size_t i = 0; i < SAMPLES; i++)
            seen[i] += times[0][k] == samples[i];
    for (size_t i = 0; i < SAMPLES; i++)
        assert_true(seen[i] > BLOCKS / 5);
    assert_int_equal(seen[0] + seen[1] + seen[2], BLOCKS);
    assert_memory_equal(times[0], times[1], sizeof times[0]);
    assert_memory_not_equal(times[0], times[2], sizeof times[0]);

    double sum = 0;
    double squares = 0;
    (void)unlink(binary);
    must(compile("block=128"));
    device_replay.close(device[0]);
    device[0] = opened("1");
    must(device_replay.load(device[0], binary, &error));
    for (size_t k = 0; k < BLOCKS; k++) {
        double elapsed_ns = 0;
        must(device_replay.time_block(device[0], &block, &elapsed_ns, &error));
        const double off = log(elapsed_ns / 2000) / 0.01;
        sum += off;
        squares += off * off;
    }
    assert_true(fabs(sum / BLOCKS) < 0.2);
    assert_true(fabs(squares / BLOCKS - 1) < 0.3);
    for (size_t i = 0; i < 3; i++)
        device_replay.close(device[i]);
}

TEST(resources_and_code_are_the_recorded_ones)
{
    struct device *device = opened("1");
    struct kernel_resources resources;
    char code[2][HASH_TEXT_BYTES];
    struct launch launch = {.kernel = "copy", .block = {128, 1, 1}};
    must(compile("block=64"));
    must(device_replay.load(device, binary, &error));
    must(device_replay.resources(device, &launch, &resources, &error));
    assert_int_equal(resources.registers, 50);
    launch.block[0] = 64;
    must(device_replay.resources(device, &launch, &resources, &error));
    assert_int_equal(resources.registers, 40);
    assert_int_equal(resources.active_blocks_per_sm, 7);
    must(device_replay.inspect(binary, "copy", &resources, code[0], &error));
    must(compile("block=96")); /* launched the same */
    must(device_replay.inspect(binary, "copy", &resources, code[1], &error));
    assert_string_equal(code[0], code[1]);
    must(compile("block=128"));
    must(device_replay.inspect(binary, "copy", &resources, code[1], &error));
    assert_string_not_equal(code[0], code[1]);
    device_replay.close(device);
}

/* Tries a point, alone or as in a race, and returns the outcome. */
static enum status fate(const char *key, bool raced, char detail[64])
{
    const struct block block = {.runs = 1, .slot = raced ? 0 : DEVICE_SLOTS - 1};
    struct device *device = opened("1");
    double ignored_ns = 0;
    bool intact = true;
    bool worn = false;
    (void)unlink(binary);
    detail[0] = '\0';
    enum status status = compile(key);
    if (status == STATUS_OK)
        status = device_replay.load(device, binary, &error);
    if (status == STATUS_OK)
        status = device_replay.time_block(device, &block, &ignored_ns, &error);
    if (status == STATUS_OK)
        must(device_replay.inputs_intact(device, NULL, &intact, &worn, detail, 64, &error));
    if (status == STATUS_OK && !intact)
        status = STATUS_NOT_HELD;
    device_replay.close(device);
    return status;
}

TEST(failures_are_the_recorded_ones)
{
    char detail[64];
    assert_int_equal(fate("block=1", false, detail), STATUS_COMPILE_FAILED);
    assert_string_equal(error.text, "as it was");
    assert_int_equal(fate("block=2", false, detail), STATUS_LAUNCH_FAILED);
    assert_string_equal(error.text, "as it was");
    assert_int_equal(fate("block=3", false, detail), STATUS_TIMED_OUT);
    assert_int_equal(fate("block=4", false, detail), STATUS_DEVICE_LOST);
    assert_int_equal(fate("block=5", false, detail), STATUS_NOT_HELD);
    assert_string_equal(detail, "as it was");
    assert_int_equal(fate("block=6", false, detail), STATUS_OK);
    assert_int_equal(fate("block=6", true, detail), STATUS_NOT_HELD);
    assert_string_equal(detail, "in the race");
    assert_int_equal(fate("block=7", true, detail), STATUS_OK);
    assert_int_equal(fate("block=8", false, detail), STATUS_LAUNCH_FAILED);
    assert_string_equal(error.text, "it was not recorded");

    bool intact = true;
    struct device *device = opened("1");
    must(compile("block=7"));
    must(device_replay.load(device, binary, &error));
    must(device_replay.bind(device, NULL, NULL, 0, NULL, &error)); /* to be checked */
    must(device_replay.guards_intact(device, NULL, &intact, detail, sizeof detail, &error));
    assert_false(intact);
    assert_string_equal(detail, "at an odd size");
    device_replay.close(device);
}

TEST(recordings_are_named)
{
    assert_string_equal(device_replayed_name("replay"), "");
    assert_string_equal(device_replayed_name("replay:my.db,clock"), "my.db,clock");
    assert_string_equal(device_replayed_name("replay,clock"), ",clock");
    assert_null(device_replayed_name("replayed"));
    assert_null(device_replayed_name("cuda:0"));
    assert_null(device_replayed_name(NULL));
    assert_true(device_traits("replay")->is_replayed);
    assert_true(device_traits("replay")->by_name_only);
    assert_false(device_traits("cuda")->is_replayed);
}

TEST_MAIN(set_up, tear_down)
