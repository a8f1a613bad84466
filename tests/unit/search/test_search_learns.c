/* Learning strategies: each finds better points than a uniform sample of the same size does. */
#include "synthetic.h"
#include "tuner/search/trail.h"

enum { LANDSCAPES = 24, TRIALS = 160 };

static bool fails(uint64_t point)
{
    return random_at(9, point) % 4 == 0;
}

/* Returns ln(best found / best possible), with every fourth point failing and `ahead` results
 * pending. */
static double loss(const struct synthetic *synthetic, const char *strategy, uint64_t shift,
                   size_t ahead)
{
    double best = (double)INFINITY, found = (double)INFINITY;
    for (uint64_t point = 0; point < synthetic->space.count; point++)
        if (!fails(point))
            best = fmin(best, landscape(synthetic, point, shift));
    struct search *search = begin(synthetic, strategy, TRIALS, shift);
    uint64_t pending[16];
    size_t count = 0;
    for (;;) {
        while (count < ahead && search_ask(search, &pending[count]))
            count++;
        if (count == 0)
            break;
        const double value =
            fails(pending[0]) ? (double)NAN : landscape(synthetic, pending[0], shift);
        found = fmin(found, value);
        search_tell(search, pending[0], value);
        memmove(&pending[0], &pending[1], --count * sizeof pending[0]);
    }
    search_free(search);
    return log(found / best);
}

static void beats_random(const char *strategy)
{
    struct synthetic synthetic;
    synthetic_make(&synthetic, 7, coupled_counts, coupled);
    assert_true(synthetic.space.count > 10000);
    for (size_t ahead = 1; ahead <= 16; ahead += 15) {
        double sum = 0, random_sum = 0;
        size_t better = 0;
        for (uint64_t shift = 1; shift <= LANDSCAPES; shift++) {
            const double own = loss(&synthetic, strategy, shift, ahead);
            const double by_chance = loss(&synthetic, "random", shift, ahead);
            sum += own;
            random_sum += by_chance;
            better += own < by_chance ? 1 : 0;
        }
        print_message("%s, %zu ahead: loss %.4f, random %.4f, better on %zu of %d\n", strategy,
                      ahead, sum / LANDSCAPES, random_sum / LANDSCAPES, better, LANDSCAPES);
        assert_true(sum < 0.25 * random_sum);
        assert_true(better >= LANDSCAPES * 3 / 4);
    }
    synthetic_free(&synthetic);
}

TEST(test_local)
{
    beats_random("local");
}

TEST(test_surrogate)
{
    beats_random("surrogate");
}

/* If half of the values of one parameter always fail, a learning strategy wastes fewer trials on
 * them than chance does. */
TEST(test_surrogate_avoids_failures)
{
    enum { GAMES = 8 };
    struct synthetic synthetic;
    uint16_t values[SEARCH_DIMENSIONS_MAX] = {0};
    synthetic_make(&synthetic, 7, coupled_counts, coupled);
    size_t failed = 0, count = 0;
    for (uint64_t seed = 1; seed <= GAMES; seed++) {
        struct search *search = begin(&synthetic, "surrogate", TRIALS, seed);
        uint64_t point;
        while (search_ask(search, &point)) {
            synthetic_values(&synthetic, point, values);
            const bool bad = values[6] >= 3;
            search_tell(search, point, bad ? (double)NAN : landscape(&synthetic, point, seed));
            failed += bad ? 1 : 0;
            count++;
        }
        search_free(search);
    }
    print_message("%zu of %zu failed\n", failed, count);
    assert_int_equal(count, GAMES * TRIALS);
    assert_true(failed < count / 3);
    synthetic_free(&synthetic);
}

/* However few the trials, the last ones are the best with the other values of parameters that have
 * few. */
TEST(test_surrogate_ends_next_to_the_best)
{
    enum { GAMES = 16, FEW = 30 };
    struct synthetic synthetic;
    uint16_t values[SEARCH_DIMENSIONS_MAX] = {0};
    static const uint16_t counts[5] = {9, 8, 7, 3, 3};
    size_t tried = 0, all = 0;
    synthetic_make(&synthetic, 5, counts, NULL);
    for (uint64_t seed = 1; seed <= GAMES; seed++) {
        struct search *search = begin(&synthetic, "surrogate", FEW, seed);
        uint64_t points[FEW] = {0}, point = 0, best = 0;
        double least = (double)INFINITY;
        size_t count = 0;
        while (search_ask(search, &point)) {
            const double value = landscape(&synthetic, point, seed);
            best = value < least ? point : best;
            least = fmin(least, value);
            points[count++] = point;
            search_tell(search, point, value);
        }
        assert_int_equal(count, FEW);
        search_free(search);
        synthetic_values(&synthetic, best, values);
        for (size_t d = 3; d < 5; d++) {
            const uint16_t origin = values[d];
            for (values[d] = 0; values[d] < counts[d]; values[d]++) {
                uint64_t near = 0;
                assert_true(synthetic_find(&synthetic, values, &near));
                all++;
                for (size_t i = 0; i < count; i++)
                    tried += points[i] == near ? 1 : 0;
            }
            values[d] = origin;
        }
    }
    print_message("%zu of %zu next to the best were tried\n", tried, all);
    assert_true(tried * 20 >= all * 17);
    synthetic_free(&synthetic);
}

/* Passes results of another device for 300 random points: the same landscape, all slower by half,
 * or (`kind` -1) its opposite. */
static void tell_elsewhere(struct search *search, const struct synthetic *synthetic, uint64_t shift,
                           int kind)
{
    uint16_t values[SEARCH_DIMENSIONS_MAX] = {0};
    struct random random = {.seed = shift};
    for (size_t i = 0; i < 300; i++) {
        const uint64_t point = random_below(&random, synthetic->space.count);
        synthetic_values(synthetic, point, values);
        const double value = landscape(synthetic, point, shift);
        search_tell_elsewhere(search, 7, values, kind > 0 ? 1.5 * value : 1e10 / value);
    }
}

/* Returns ln(best of `trials` / best possible), with points from elsewhere (kind 0: none). */
static double loss_with(const struct synthetic *synthetic, uint64_t shift, uint64_t trials,
                        int kind)
{
    double best = (double)INFINITY, found = (double)INFINITY;
    uint64_t point;
    for (point = 0; point < synthetic->space.count; point++)
        best = fmin(best, landscape(synthetic, point, shift));
    struct search *search = begin(synthetic, "surrogate", trials, shift);
    if (kind != 0)
        tell_elsewhere(search, synthetic, shift, kind);
    while (search_ask(search, &point)) {
        found = fmin(found, landscape(synthetic, point, shift));
        search_tell(search, point, landscape(synthetic, point, shift));
    }
    search_free(search);
    return log(found / best);
}

/* The two best of each source are tried soon, whatever the others are; of few trials at most a
 * tenth goes to them, for the best of the nearest sources. */
TEST(test_elsewhere_winners)
{
    enum { SOURCES = 5, WINNERS = 2 * SOURCES, EACH = 12, TRIED_BY = 40, OF_FEW = TRIED_BY / 10 };
    struct synthetic synthetic;
    synthetic_make(&synthetic, 7, coupled_counts, coupled);
    for (size_t few = 0; few < 2; few++) {
        struct search *search = begin(&synthetic, "surrogate", few ? TRIED_BY : TRIALS, 3);
        uint64_t winners[WINNERS], point = 0;
        for (size_t source = SOURCES; source-- > 0;) /* the nearest last */
            for (size_t i = 0; i < EACH; i++) {
                uint16_t values[SEARCH_DIMENSIONS_MAX];
                const uint64_t told = random_at(source + 1, i) % synthetic.space.count;
                if (i < 2)
                    winners[source + i * SOURCES] = told;
                synthetic.space.values(synthetic.space.context, told, values);
                search_tell_elsewhere(search, source, values, (double)(100 * (source + 1) + i));
            }
        size_t asked = 0, found = 0, nearest = 0;
        for (; asked < TRIED_BY && search_ask(search, &point); asked++) {
            for (size_t i = 0; i < WINNERS; i++) {
                found += winners[i] == point ? 1 : 0;
                nearest += winners[i] == point && i < OF_FEW ? 1 : 0;
            }
            search_tell(search, point, landscape(&synthetic, point, 5));
        }
        assert_int_equal(asked, TRIED_BY);
        assert_int_equal(nearest, OF_FEW);
        if (few)
            assert_in_range(found, OF_FEW, WINNERS - 1);
        else
            assert_int_equal(found, WINNERS);
        search_free(search);
    }
    synthetic_free(&synthetic);
}

/* If results from elsewhere mislead, and none of their winners is good, few of these are tried. */
TEST(test_misleading_winners)
{
    enum { SOURCES = 2, EACH = 100, WINNERS = 2 * SOURCES };
    struct synthetic synthetic;
    size_t misled = 0, tried = 0;
    synthetic_make(&synthetic, 7, coupled_counts, coupled);
    for (uint64_t shift = 1; shift <= LANDSCAPES; shift++) {
        struct search *search = begin(&synthetic, "surrogate", TRIALS, shift);
        uint64_t winners[WINNERS], point = 0;
        size_t here = 0;
        for (size_t source = 0; source < SOURCES; source++) {
            double best[2] = {(double)INFINITY, (double)INFINITY};
            for (size_t i = 0; i < EACH; i++) {
                uint16_t values[SEARCH_DIMENSIONS_MAX];
                const uint64_t told = random_at(shift, source * EACH + i) % synthetic.space.count;
                const double value = 1 / landscape(&synthetic, told, shift); /* turned over */
                synthetic.space.values(synthetic.space.context, told, values);
                search_tell_elsewhere(search, source, values, value);
                const size_t worse = best[0] < best[1] ? 1 : 0;
                if (value < best[worse]) {
                    best[worse] = value;
                    winners[2 * source + worse] = told;
                }
            }
        }
        while (search_ask(search, &point)) {
            for (size_t i = 0; i < WINNERS; i++)
                here += winners[i] == point ? 1 : 0;
            search_tell(search, point, landscape(&synthetic, point, shift));
        }
        misled += search_was_misled(search) ? 1 : 0;
        tried += search_was_misled(search) ? here : 0;
        search_free(search);
    }
    print_message("misled in %zu of %d, which tried %zu winners\n", misled, LANDSCAPES, tried);
    assert_true(misled >= LANDSCAPES / 2);
    assert_true(tried < misled * WINNERS * 7 / 8);
    synthetic_free(&synthetic);
}

/* Winners from elsewhere without known times are tried in their given order, every other point at
 * first, at most a tenth of the trials, by all strategies except a uniform sample. A point with a
 * result is not tried again. */
TEST(test_named_winners)
{
    enum { NAMED = 6, FEW = 40, MANY = 80 };
    struct synthetic synthetic;
    const char *name;
    synthetic_make(&synthetic, 7, coupled_counts, coupled);
    for (size_t i = 0; (name = search_strategy_name(i)) != NULL; i++)
        for (size_t trials = FEW; trials <= MANY; trials += MANY - FEW) {
            const bool uniform = strcmp(name, "random") == 0;
            struct search *search = begin(&synthetic, name, trials, 3);
            const size_t most = trials / 10 < NAMED - 1 ? trials / 10 : NAMED - 1;
            uint64_t point = 0;
            size_t place = 1, tried = 0; /* position among the winners: the first is known */
            for (size_t k = 0; k < NAMED; k++)
                assert_int_equal(search_tell_winner(search, 1000 + k), !uniform);
            assert_false(search_tell_winner(search, 1000));
            search_tell(search, 1000, landscape(&synthetic, 1000, 5));
            for (size_t asked = 1; search_ask(search, &point); asked++) {
                if (!uniform && asked % 2 == 1 && tried < most) {
                    assert_int_equal(point, 1000 + place++);
                    tried++;
                }
                search_tell(search, point, landscape(&synthetic, point, 5));
            }
            assert_int_equal(tried, uniform ? 0 : most);
            search_free(search);
        }
    synthetic_free(&synthetic);
}

/* Variants, and powers of two: threads and work per thread. */
static const uint16_t variant_counts[] = {4, 6, 6};
enum { VARIANT_DIMENSIONS = sizeof variant_counts / sizeof variant_counts[0] };

static double variant_number(const void *context, size_t dimension, uint16_t value)
{
    (void)context;
    return dimension == 0 ? (double)NAN : exp2(value);
}

/* Trials near the best continue from the best of each variant, too, and move from threads to work
 * per thread. */
TEST(test_near_the_best_of_variants)
{
    static const uint16_t tried[][3] = {{1, 2, 3}, {2, 4, 4}, {1, 0, 0}, {0, 5, 5}, {3, 1, 1}};
    static const double times[] = {100, 130, 101, 120, (double)NAN};
    enum { TRIED = sizeof tried / sizeof tried[0], EXCHANGES = 5 };
    struct synthetic synthetic;
    struct trail trail;
    size_t records[TRIED];
    uint64_t points[NEIGHBOURS_MAX];
    uint16_t values[SEARCH_DIMENSIONS_MAX];
    synthetic_make(&synthetic, VARIANT_DIMENSIONS, variant_counts, NULL);
    synthetic.space.number = variant_number;
    trail_create(&trail, &synthetic.space, &(struct search_options){.seed = 1});
    assert_int_equal(trail_best_of_texts(&trail, TRIED, records), 0);
    for (size_t i = 0; i < TRIED; i++) {
        uint64_t point = 0;
        assert_true(synthetic_find(&synthetic, tried[i], &point));
        trail_tell(&trail, trail_add(&trail, point), times[i]);
    }
    assert_int_equal(trail_best_of_texts(&trail, TRIED, records), 3);
    assert_int_equal(records[0], 0);
    assert_int_equal(records[1], 3);
    assert_int_equal(records[2], 1);
    assert_int_equal(trail_best_of_texts(&trail, 2, records), 2);
    assert_int_equal(trail_exchanges(&trail, trail.records[0].point, points), EXCHANGES);
    for (size_t i = 0; i < EXCHANGES; i++) {
        synthetic_values(&synthetic, points[i], values);
        assert_int_equal(values[0], 1);
        assert_int_equal(values[1] + values[2], 5);
        assert_int_not_equal(values[1], 2);
    }
    trail_destroy(&trail);
    synthetic_free(&synthetic);
}

/* Results from elsewhere save trials, and misleading ones cost few. */
TEST(test_elsewhere)
{
    enum { FEW = 12, MORE = 48 };
    struct synthetic synthetic;
    double with = 0, without = 0, misled = 0, alone = 0;
    synthetic_make(&synthetic, 7, coupled_counts, coupled);
    for (uint64_t shift = 1; shift <= LANDSCAPES; shift++) {
        with += loss_with(&synthetic, shift, FEW, 1);
        without += loss_with(&synthetic, shift, FEW, 0);
        misled += loss_with(&synthetic, shift, MORE + MORE / 10, -1);
        alone += loss_with(&synthetic, shift, MORE, 0);
    }
    print_message("after %d: %.4f with, %.4f without; after %d: %.4f alone, after %d misled %.4f\n",
                  FEW, with / LANDSCAPES, without / LANDSCAPES, MORE, alone / LANDSCAPES,
                  MORE + MORE / 10, misled / LANDSCAPES);
    assert_true(with < 0.25 * without);
    assert_true(misled < alone + 0.02 * LANDSCAPES);
    synthetic_free(&synthetic);
}

/* Among equally promising points, those without a new binary go first: here the last three
 * parameters are compiled in. Fewer binaries are made, for a nearly equal result. */
struct workshop {
    const struct synthetic *synthetic;
    bool made[4 * 4 * 6];
};

static size_t binary_of(const struct workshop *workshop, uint64_t point)
{
    uint16_t v[SEARCH_DIMENSIONS_MAX];
    synthetic_values(workshop->synthetic, point, v);
    return (size_t)(v[4] * 4 + v[5]) * 6 + v[6];
}

static bool is_made(const void *context, uint64_t point)
{
    const struct workshop *workshop = context;
    return workshop->made[binary_of(workshop, point)];
}

static void values_made(const void *context, uint64_t point, uint16_t *values)
{
    synthetic_values(((const struct workshop *)context)->synthetic, point, values);
}

static bool find_made(const void *context, const uint16_t *values, uint64_t *point)
{
    return synthetic_find(((const struct workshop *)context)->synthetic, values, point);
}

/* Counts the binaries that a game needed and returns ln(its best / best possible). */
static double loss_of_workshop(const struct synthetic *synthetic, uint64_t shift, bool says,
                               size_t *binaries)
{
    struct workshop workshop = {.synthetic = synthetic};
    struct search_space space = synthetic->space;
    struct search *search = NULL;
    struct error error;
    const struct search_options options = {
        .strategy = "surrogate", .trials = TRIALS, .seed = shift};
    double best = (double)INFINITY, found = (double)INFINITY;
    uint64_t point;
    space.context = &workshop;
    space.values = values_made;
    space.find = find_made;
    space.is_ready = says ? is_made : NULL;
    assert_int_equal(search_create(&options, &space, &search, &error), STATUS_OK);
    for (point = 0; point < space.count; point++)
        best = fmin(best, landscape(synthetic, point, shift));
    while (search_ask(search, &point)) {
        bool *made = &workshop.made[binary_of(&workshop, point)];
        *binaries += *made ? 0 : 1;
        *made = true;
        found = fmin(found, landscape(synthetic, point, shift));
        search_tell(search, point, landscape(synthetic, point, shift));
    }
    search_free(search);
    return log(found / best);
}

TEST(test_what_is_ready_goes_first)
{
    struct synthetic synthetic;
    size_t binaries = 0, most = 0;
    double loss_ready = 0, loss_any = 0;
    synthetic_make(&synthetic, 7, coupled_counts, coupled);
    for (uint64_t shift = 1; shift <= LANDSCAPES; shift++) {
        loss_ready += loss_of_workshop(&synthetic, shift, true, &binaries);
        loss_any += loss_of_workshop(&synthetic, shift, false, &most);
    }
    print_message("%zu binaries, %zu without: loss %.4f, %.4f\n", binaries, most,
                  loss_ready / LANDSCAPES, loss_any / LANDSCAPES);
    assert_true((double)binaries < 0.9 * (double)most);
    assert_true(loss_ready < loss_any + 0.01 * LANDSCAPES);
    synthetic_free(&synthetic);
}

/* A claim that with 90 % no point better by 1 % is left is right in most games; a new search makes
 * no such claim, nor does one without a model. */
TEST(test_chance_of_better)
{
    struct synthetic synthetic;
    size_t claimed = 0, right = 0;
    synthetic_make(&synthetic, 7, coupled_counts, coupled);
    for (uint64_t shift = 1; shift <= LANDSCAPES; shift++) {
        double best = (double)INFINITY, found = (double)INFINITY, chance = (double)NAN;
        uint64_t point;
        for (point = 0; point < synthetic.space.count; point++)
            best = fmin(best, landscape(&synthetic, point, shift));
        struct search *search = begin(&synthetic, "surrogate", TRIALS, shift);
        assert_true(isnan(search_chance_of_better(search, 0.01)));
        for (size_t count = 1; !(chance <= 0.1) && search_ask(search, &point); count++) {
            found = fmin(found, landscape(&synthetic, point, shift));
            search_tell(search, point, landscape(&synthetic, point, shift));
            chance = search_chance_of_better(search, 0.01);
            assert_true(count < 32 ? isnan(chance) : chance >= 0 && chance <= 1);
        }
        /* The upper bound is as likely as claimed. */
        const double most = search_most_better(search, 0.1);
        assert_true(chance <= 0.1 ? most <= 0.01 : isnan(chance) || most > 0.01);
        assert_true(!(most > 0) || search_chance_of_better(search, 0.9 * most) >= 0.1);
        claimed += chance <= 0.1 ? 1 : 0;
        right += chance <= 0.1 && best >= found * 0.99 ? 1 : 0;
        search_free(search);
    }
    print_message("said in %zu games of %d, right in %zu\n", claimed, LANDSCAPES, right);
    assert_true(claimed >= LANDSCAPES / 2 && right * 10 >= claimed * 8);
    struct search *search = begin(&synthetic, "random", TRIALS, 1);
    assert_true(isnan(search_chance_of_better(search, 0.01)));
    search_free(search);
    synthetic_free(&synthetic);
}

/* A search with that end requests no more points then, and received no more results than necessary.
 */
TEST(test_until)
{
    struct synthetic synthetic;
    struct search *search = NULL;
    struct error error = {0};
    uint64_t point;
    size_t ended = 0;
    synthetic_make(&synthetic, 7, coupled_counts, coupled);
    for (uint64_t shift = 1; shift <= LANDSCAPES; shift++) {
        const struct search_options options = {
            .strategy = "auto", .trials = TRIALS, .seed = shift, .until = 0.05};
        assert_int_equal(search_create(&options, &synthetic.space, &search, &error), STATUS_OK);
        size_t count = 0, sure = 0; /* consecutive results after which it was sure */
        for (; search_ask(search, &point); count++) {
            assert_true(sure <= count / 4);
            search_tell(search, point, landscape(&synthetic, point, shift));
            sure = search_chance_of_better(search, options.until) <= 0.1 ? sure + 1 : 0;
        }
        ended += count < TRIALS ? 1 : 0;
        assert_true(count == TRIALS || sure > count / 8);
        search_free(search);
    }
    assert_true(ended >= LANDSCAPES / 2);
    const struct search_options none = {.strategy = "local", .until = 0.05};
    assert_int_equal(search_create(&none, &synthetic.space, &search, &error), STATUS_USAGE);
    assert_non_null(strstr(error.text, "'local' has no model"));
    synthetic_free(&synthetic);
}

/* The order of a search is uniform: over many seeds each point comes first about as often. */
TEST(test_order_is_fair)
{
    enum { POINTS = 10, SEEDS = 5000 };
    static const uint16_t counts[] = {POINTS};
    static const char *const names[] = {"exhaustive", "random"};
    struct synthetic synthetic;
    synthetic_make(&synthetic, 1, counts, NULL);
    for (size_t name = 0; name < 2; name++) {
        size_t first[POINTS] = {0}, pairs[POINTS][POINTS] = {{0}};
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct search *search = begin(&synthetic, names[name], 0, seed);
            uint64_t one = 0, other = 0;
            assert_true(search_ask(search, &one) && search_ask(search, &other));
            first[one]++;
            pairs[one][other]++;
            search_free(search);
        }
        /* Six standard deviations of a binomial count. */
        for (size_t i = 0; i < POINTS; i++) {
            assert_in_range(first[i], 500 - 128, 500 + 128);
            for (size_t k = 0; k < POINTS; k++)
                assert_in_range(pairs[i][k], i == k ? 0 : 55 - 45, i == k ? 0 : 55 + 45);
        }
    }
}

TEST_MAIN(NULL, NULL)
