#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/stats/ranges.h"

enum { SPOTS = 12, CONFIGURATIONS = 7, NAMES = 3, TIMES = 3000 };

struct world {
    double loss[SPOTS * CONFIGURATIONS];
    int64_t sizes[SPOTS * NAMES];
    size_t spots, configurations;
};

static uint64_t seed = 1;

static uint64_t draw(uint64_t bound)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % bound;
}

/* Draws tuples that differ; each configuration loses nothing, little or much, or cannot be used. */
static struct world draw_world(void)
{
    static const double losses[] = {0, 0.01, 0.019, 0.5};
    struct world world = {.configurations = 1 + draw(CONFIGURATIONS)};
    const size_t wanted = 1 + draw(SPOTS);
    for (size_t tries = 0; world.spots < wanted && tries < 100; tries++) {
        int64_t *sizes = world.sizes + world.spots * NAMES;
        bool is_new = true;
        for (size_t i = 0; i < NAMES; i++)
            sizes[i] = (int64_t)1 << draw(5);
        for (size_t i = 0; i < world.spots; i++)
            is_new = is_new && memcmp(world.sizes + i * NAMES, sizes, NAMES * sizeof *sizes) != 0;
        world.spots += is_new;
    }
    for (size_t i = 0; i < world.spots * world.configurations; i++)
        world.loss[i] = draw(5) == 4 ? (double)INFINITY : losses[draw(4)];
    return world;
}

/* Tells whether a configuration of the set `among` may serve a spot. */
static bool serves(const struct world *world, size_t spot, size_t configuration, unsigned among)
{
    double least = (double)INFINITY;
    for (size_t c = 0; c < world->configurations; c++)
        if (among >> c & 1)
            least = fmin(least, world->loss[spot * world->configurations + c]);
    return world->loss[spot * world->configurations + configuration] <= fmax(least, 0.02) &&
           !isinf(least);
}

static bool is_usable(const struct world *world, size_t spot)
{
    for (size_t c = 0; c < world->configurations; c++)
        if (!isinf(world->loss[spot * world->configurations + c]))
            return true;
    return false;
}

/* Returns the size of the smallest set, found by trying all. */
static size_t smallest(const struct world *world)
{
    const unsigned all = (1u << world->configurations) - 1;
    size_t best = world->configurations + 1;
    for (unsigned set = 0; set <= all; set++) {
        bool is_enough = true;
        for (size_t spot = 0; spot < world->spots; spot++) {
            bool is_served = !is_usable(world, spot);
            for (size_t c = 0; c < world->configurations; c++)
                is_served |= (set >> c & 1) && serves(world, spot, c, all);
            is_enough = is_enough && is_served;
        }
        const size_t count = (size_t)__builtin_popcount(set);
        best = is_enough && count < best ? count : best;
    }
    return best;
}

static bool holds(const struct size_box *box, const int64_t *sizes)
{
    for (size_t i = 0; i < NAMES; i++)
        if (sizes[i] < box->low[i] || sizes[i] > box->high[i])
            return false;
    return true;
}

/* Checks that each tuple between the least and the greatest sizes lies in one box, and each spot in
 * one whose configuration serves it. */
static void expect_boxes(const struct world *world, const struct size_box *boxes, size_t count,
                         unsigned chosen)
{
    int64_t low[NAMES] = {INT64_MAX, INT64_MAX, INT64_MAX}, high[NAMES] = {0};
    for (size_t spot = 0; spot < world->spots; spot++) {
        const int64_t *sizes = world->sizes + spot * NAMES;
        for (size_t i = 0; is_usable(world, spot) && i < NAMES; i++) {
            low[i] = sizes[i] < low[i] ? sizes[i] : low[i];
            high[i] = sizes[i] > high[i] ? sizes[i] : high[i];
        }
        for (size_t k = 0; is_usable(world, spot) && k < count; k++)
            assert_true(!holds(&boxes[k], sizes) ||
                        serves(world, spot, boxes[k].configuration, chosen));
    }
    for (size_t k = 0; k < count; k++)
        assert_true(chosen >> boxes[k].configuration & 1);
    for (int i = 0; i < 30; i++) {
        int64_t sizes[NAMES];
        size_t holding = 0;
        for (size_t j = 0; j < NAMES; j++)
            sizes[j] = low[j] + (int64_t)draw((uint64_t)(high[j] - low[j] + 1));
        for (size_t k = 0; k < count; k++)
            holding += holds(&boxes[k], sizes);
        assert_int_equal(holding, 1);
    }
}

TEST(sets_are_the_smallest_and_boxes_leave_no_gap)
{
    for (int time = 0; time < TIMES; time++) {
        const struct world world = draw_world();
        const struct box_losses losses = {world.loss, world.spots, world.configurations, 0.02};
        bool chosen[CONFIGURATIONS];
        struct size_box boxes[SPOTS];
        unsigned set = 0;
        const size_t count = boxes_choose(&losses, chosen);
        for (size_t c = 0; c < world.configurations; c++)
            set |= (unsigned)chosen[c] << c;
        assert_int_equal(count, smallest(&world));
        assert_int_equal(count, __builtin_popcount(set));
        const size_t cut = boxes_cut(&losses, chosen, world.sizes, NAMES, boxes);
        assert_true(cut >= count && cut <= world.spots);
        if (cut > 0)
            expect_boxes(&world, boxes, cut, set);
    }
}

TEST(one_that_loses_little_serves_all)
{
    static const double loss[] = {0, 0.015, 0.5, 0.5, 0.01, 0, 0.3, 0.018, 0.001};
    static const int64_t sizes[] = {64, 64, 2048, 64, 64, 2048};
    const struct box_losses losses = {loss, 3, 3, 0.02};
    bool chosen[3];
    struct size_box boxes[3];
    assert_int_equal(boxes_choose(&losses, chosen), 1);
    assert_true(!chosen[0] && chosen[1] && !chosen[2]);
    assert_int_equal(boxes_cut(&losses, chosen, sizes, 2, boxes), 1);
    assert_int_equal(boxes[0].low[0], 64);
    assert_int_equal(boxes[0].high[1], 2048);
}

TEST(cuts_lie_in_the_geometric_middle)
{
    static const double loss[] = {0, 1, 1, 0};
    static const int64_t sizes[] = {64, 100, 1024, 100};
    const struct box_losses losses = {loss, 2, 2, 0.02};
    const bool chosen[] = {true, true};
    struct size_box boxes[2];
    assert_int_equal(boxes_cut(&losses, chosen, sizes, 2, boxes), 2);
    assert_int_equal(boxes[0].high[0], 256);
    assert_int_equal(boxes[1].low[0], 257);
    assert_int_equal(boxes_middle(1, 2), 1);
    assert_true(fabs(boxes_distance(sizes, sizes + 2, 2) - log(16)) < 1e-12);
}

TEST_MAIN(NULL, NULL)
