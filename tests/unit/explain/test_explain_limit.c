/* Limits of a winner: each rule at its threshold, and no statement from unknown numbers. */
#include <math.h>
#include <string.h>

#include "tests/unit/suite.h"
#include "views/explain/internal.h"

static struct explain_point winner;
static struct explanation explanation;
static struct background background;
static struct text text;

/* Makes a device of 100 units that reads 1000 GB/s and adds 10,000 * 10^9 f32 a second, where an
 * empty launch takes 500 ns; and a winner of 1 MB in 10 us: 10 % of the ceiling, one launch, a full
 * grid. */
static int set_up(void **state)
{
    (void)state;
    winner = (struct explain_point){.role = "winner",
                                    .time_ns = 10000,
                                    .launches = 1,
                                    .grid = 400,
                                    .block = 256,
                                    .threads = 0,
                                    .spill_bytes = 0,
                                    .bytes_in_flight_per_sm = (double)NAN,
                                    .gops = (double)NAN,
                                    .arithmetic_share = (double)NAN};
    explanation = (struct explanation){.device_kind = "cuda",
                                       .l2_mode = "cold",
                                       .unit_count = 100,
                                       .n = 1000,
                                       .ceiling = "read",
                                       .ceiling_gbs = 1000,
                                       .operations_type = "f32",
                                       .arithmetic_gops = 10000,
                                       .points = &winner,
                                       .point_count = 1};
    background = (struct background){.stage = "confirm",
                                     .bytes_moved = 1e6,
                                     .operations = (double)NAN,
                                     .node_gap_ns = 500,
                                     .cache_bytes = 5e6,
                                     .elsewhere_share = (double)NAN,
                                     .elsewhere_n = -1,
                                     .busier_loss = (double)NAN};
    text_clear(&text);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    text_free(&text);
    return 0;
}

static void decide(void)
{
    winner.gbs = background.bytes_moved / winner.time_ns;
    winner.ceiling_share = winner.gbs / explanation.ceiling_gbs;
    winner.gops = background.operations / winner.time_ns;
    winner.arithmetic_share = winner.gops / explanation.arithmetic_gops;
    text_clear(&text);
    decide_limit(&explanation, &background, &text);
    assert_false(text.failed);
    assert_true(text.length > 0);
    assert_int_equal(text_string(&text)[text.length - 1], '.');
    assert_null(strstr(text_string(&text), "nan"));
    assert_null(strstr(text_string(&text), "-1"));
}

static void expect(enum explain_limit limit, const char *word)
{
    decide();
    assert_string_equal(explain_limit_name(explanation.limit), explain_limit_name(limit));
    if (!strstr(text_string(&text), word))
        fail_msg("no '%s' in '%s'", word, text_string(&text));
}

TEST_WITH(of_a_third_for_launching_it_is_launching, set_up, tear_down)
{
    winner.time_ns = 1500;
    expect(LIMIT_LAUNCH, "An empty launch takes 500 ns on this device, 33.3 % of its 1.50 us");
    winner.time_ns = 1501;
    decide();
    assert_int_not_equal(explanation.limit, LIMIT_LAUNCH);
    winner.launches = 2;
    winner.time_ns = 3000;
    expect(LIMIT_LAUNCH, "2 empty launches in a row take 1.00 us");
    background.launches_overlap = true; /* then the second may cost nothing */
    decide();
    assert_int_not_equal(explanation.limit, LIMIT_LAUNCH);
    winner.time_ns = 1500;
    expect(LIMIT_LAUNCH, "An empty launch takes 500 ns");
    background.node_gap_ns = (double)NAN;
    decide();
    assert_int_not_equal(explanation.limit, LIMIT_LAUNCH);
}

TEST_WITH(one_thread_of_a_cpu_launches_nothing, set_up, tear_down)
{
    explanation.device_kind = "cpu";
    explanation.unit_count = 2;
    background.bytes_moved = 1e5;
    winner.time_ns = 600;
    winner.threads = 2;
    winner.grid = 8;
    expect(LIMIT_LAUNCH, "500 ns");
    winner.threads = 1;
    expect(LIMIT_PARALLELISM,
           "1 thread for 2 cores: 1 of them has nothing to do; to wake all of them "
           "takes 500 ns, against its 600 ns.");
}

TEST_WITH(near_the_ceiling_it_is_the_memory, set_up, tear_down)
{
    background.bytes_moved = 8.5e6;
    expect(LIMIT_MEMORY, "It moves 850 GB/s, 85.0 % of the read ceiling that was measured on this "
                         "device (1000 GB/s)");
    background.bytes_moved = 8.49e6;
    decide();
    assert_int_not_equal(explanation.limit, LIMIT_MEMORY);
    background.bytes_moved = 10.19e6; /* as far over as ceilings vary */
    expect(LIMIT_MEMORY, "102 %");
}

TEST_WITH(faster_than_memory_it_is_a_cache, set_up, tear_down)
{
    background.bytes_moved = 10.6e6;
    background.cache_bytes = 5.4e6;
    expect(LIMIT_CACHE, "It moves 1060 GB/s, more than the read ceiling that was measured on this "
                        "device (1000 GB/s), so part of its 10 MiB comes out of a cache, and no "
                        "share of the ceiling is shown.");
    background.cache_bytes = (double)NAN;
    expect(LIMIT_CACHE, "comes out of a cache");
    background.cache_bytes = 5.2e6; /* less than half of it is held */
    expect(LIMIT_MEMORY, "and no cache holds its 10 MiB: the memory limits it, and that ceiling is "
                         "too low for a share of it.");
    explanation.l2_mode = "hot";
    background.cache_bytes = 11e6;
    expect(LIMIT_CACHE, "and its 10 MiB fit in the cache of 10 MiB, which is hot: the cache limits "
                        "it, not the memory.");
    background.bytes_moved = 9e6;
    explanation.l2_mode = "hot";
    background.cache_bytes = 9e6;
    expect(LIMIT_CACHE, "fit in the cache");
    background.cache_bytes = 8.9e6;
    expect(LIMIT_MEMORY, "the memory limits it");
    background.cache_bytes = (double)NAN;
    expect(LIMIT_MEMORY, "the memory limits it");
}

TEST_WITH(near_the_ceiling_of_operations_it_is_arithmetic, set_up, tear_down)
{
    background.operations = 70e6;
    expect(LIMIT_ARITHMETIC, "7000 * 10^9 operations per second on f32, 70.0 %");
    background.operations = 69.9e6;
    expect(LIMIT_LATENCY, "69.9 % of the f32 operations");
    /* 10 % of the memory's ceiling, so the operations are nearer to theirs. */
    expect(LIMIT_LATENCY, "At the ceiling its operations would take 6.99 us of its 10.0 us");
}

TEST_WITH(spills_are_named, set_up, tear_down)
{
    winner.spill_bytes = 32;
    expect(LIMIT_SPILLS, "32 bytes of registers");
    winner.spill_bytes = 31;
    decide();
    assert_int_not_equal(explanation.limit, LIMIT_SPILLS);
    winner.spill_bytes = 200;
    background.bytes_moved = 9e6; /* the memory is busy all the same */
    expect(LIMIT_MEMORY, "the memory");
}

TEST_WITH(idle_units_count_where_no_more_blocks_were_tried, set_up, tear_down)
{
    winner.grid = 75;
    expect(LIMIT_PARALLELISM, "75 blocks for 100 multiprocessors: 25 of them have nothing to do.");
    winner.grid = 76;
    expect(LIMIT_UNKNOWN, "arithmetic and latency cannot be distinguished");
    assert_null(strstr(text_string(&text), "nothing to do"));
    winner.grid = 1;
    background.busier_loss = -0.03;
    expect(LIMIT_PARALLELISM,
           "1 block for 100 multiprocessors: 99 of them have nothing to do; the "
           "fastest that keeps more of them busy takes 3.00 % less in the sweep");
    background.busier_loss = -0.019;
    expect(LIMIT_UNKNOWN, "takes 1.90 % less in the sweep, within the noise of a sweep");
    background.busier_loss = 0.5;
    background.elsewhere_share = 0.9;
    background.elsewhere_n = 5000;
    expect(LIMIT_LATENCY, "takes 50.0 % more in the sweep. ");
}

TEST_WITH(too_little_in_flight_is_told_by_littles_law, set_up, tear_down)
{
    /* 1000 bytes on each of 100 units at 100 GB/s: each waits 1 us. */
    winner.bytes_in_flight_per_sm = 1000;
    expect(LIMIT_PARALLELISM, "1000 bytes in flight on each of 100 multiprocessors give 100 GB/s "
                              "when each waits 1.00 us");
    winner.bytes_in_flight_per_sm = 1001;
    expect(LIMIT_UNKNOWN, "10.0 %");
}

TEST_WITH(latency_needs_to_know_that_it_is_not_arithmetic, set_up, tear_down)
{
    expect(LIMIT_UNKNOWN, "The experiment does not say how many operations it takes");
    background.elsewhere_share = 0.84;
    background.elsewhere_n = 5000;
    expect(LIMIT_UNKNOWN, "The experiment does not say");
    background.elsewhere_share = 0.85;
    expect(LIMIT_LATENCY,
           "the same problem reaches 85.0 % at n = 5000. At the ceiling its bytes would "
           "take 1.00 us of its 10.0 us: the rest is latency, of which an empty launch "
           "takes 500 ns.");
    background.elsewhere_share = (double)NAN;
    background.operations = 1e6;
    expect(LIMIT_LATENCY, "1.00 % of the f32 operations");
    explanation.arithmetic_gops = (double)NAN;
    expect(LIMIT_UNKNOWN, "How many f32 operations this device does was not measured");
}

TEST_WITH(nothing_is_made_of_what_is_not_known, set_up, tear_down)
{
    background.bytes_moved = (double)NAN;
    expect(LIMIT_UNKNOWN, "The experiment does not say how many bytes a run moves. ");
    background.bytes_moved = 1e6;
    explanation.ceiling_gbs = (double)NAN;
    expect(LIMIT_UNKNOWN, "The ceilings of this device's memory were not measured. ");
    background.ceiling_given_up = true;
    expect(LIMIT_UNKNOWN, "A winner moves more than the read ceiling that was measured on this "
                          "device, so that ceiling is not used. ");
    background.ceiling_given_up = false;
    winner.launches = winner.grid = winner.block = winner.spill_bytes = -1;
    expect(LIMIT_UNKNOWN, "were not measured");
    background.bytes_moved = (double)NAN;
    background.operations = 1e6;
    expect(LIMIT_UNKNOWN, "It does 1.00 % of the f32 operations");
}

TEST_MAIN(NULL, NULL)
