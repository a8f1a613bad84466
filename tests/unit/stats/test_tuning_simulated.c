/* Whole tunings of simulated candidates: race, finalists, fresh processes, choice. Prints the
 * figures that docs/statistics.md quotes. */
#include <stdio.h>
#include <stdlib.h>

#include "simulation.h"
#include "tests/unit/suite.h"
#include "tuner/stats/choose.h"
#include "tuner/stats/race.h"

enum { CANDIDATES = 64, GOOD = 20, PROCESSES = 8, FINALISTS = 12, CONFIRM_ROUNDS = 20 };

struct tuning {
    struct protocol protocol;
    struct simulated_device device;
    double process_spread; /* random effect of a process on each candidate */
    double truth[CANDIDATES];
    size_t count;
    /* Out: */
    struct race *race;
    size_t visits;
    size_t leader; /* winner of the race by the smallest estimate alone */
    size_t finalists[FINALISTS];
    size_t finalist_count;
    struct contender contenders[FINALISTS];
    double levels[FINALISTS][PROCESSES];
    struct choice choice;
    struct interval raced[CANDIDATES]; /* interval of those that came to a look; else NaN */
    double spread;
    size_t degrees;
};

static void set_up(struct tuning *tuning, uint64_t seed, size_t count)
{
    *tuning = (struct tuning){.count = count};
    protocol_defaults(EFFORT_NORMAL, false, &tuning->protocol);
    tuning->device = (struct simulated_device){
        .random = {seed, 0}, .sigma = 0.003, .outliers = 0.01, .walk = 0.001, .blocks = 3};
    tuning->process_spread = 0.0005;
}

/* Mixes the truths: the first GOOD lie within 0.1 % of the best, the others 0.3 to 60 % off. */
static void mix_truths(double truth[CANDIDATES], uint64_t seed)
{
    struct random random = {seed, 0};
    size_t places[CANDIDATES];
    for (size_t i = 0; i < CANDIDATES; i++)
        places[i] = i;
    random_shuffle(&random, places, CANDIDATES);
    for (size_t i = 0; i < CANDIDATES; i++) {
        double off = uniform(&random);
        truth[places[i]] = i < GOOD ? 0.001 * off : 0.003 + 0.6 * off * off;
    }
}

static double best_of(const double *truth, size_t count)
{
    double best = truth[0];
    for (size_t i = 1; i < count; i++)
        best = fmin(best, truth[i]);
    return best;
}

static void draw_process(struct tuning *tuning, double *truth)
{
    for (size_t i = 0; i < tuning->count; i++)
        truth[i] = tuning->truth[i] + tuning->process_spread * normal(&tuning->device.random);
}

static void run_race(struct tuning *tuning)
{
    struct error error;
    double truth[CANDIDATES];
    size_t order[CANDIDATES];
    draw_process(tuning, truth);
    for (size_t i = 0; i < tuning->count; i++)
        order[i] = i;
    assert_int_equal(race_create(&tuning->protocol, tuning->count, &tuning->race, &error),
                     STATUS_OK);
    assert_int_equal(race_set_order(tuning->race, order, &error), STATUS_OK);
    while (!race_over(tuning->race)) {
        double y[CANDIDATES];
        size_t round = 0;
        size_t twin = race_leader(tuning->race);
        for (size_t i = 0; i < tuning->count; i++) {
            bool alive = race_fate(tuning->race, i) == RACE_ALIVE;
            y[i] = alive ? visit(&tuning->device, truth[i]) : (double)NAN;
            tuning->visits += alive ? 1 : 0;
        }
        assert_int_equal(race_add_round(tuning->race, y, twin, visit(&tuning->device, truth[twin]),
                                        &round, &error),
                         STATUS_OK);
        (void)race_judge(tuning->race, false);
    }
    tuning->leader = race_leader(tuning->race);
    for (size_t i = 0; i < tuning->count; i++) {
        enum race_fate fate = race_fate(tuning->race, i);
        tuning->raced[i] = (struct interval){(double)NAN, (double)NAN, (double)NAN};
        if (fate == RACE_ALIVE || fate == RACE_LOST || fate == RACE_BEHIND)
            tuning->raced[i] = race_difference(tuning->race, i);
    }
}

/* Measures the levels of the finalists in a fresh process, relative to each round's median. */
static void confirm_process(struct tuning *tuning, size_t process)
{
    static double y[FINALISTS][CONFIRM_ROUNDS];
    double truth[CANDIDATES];
    draw_process(tuning, truth);
    for (size_t round = 0; round < CONFIRM_ROUNDS; round++) {
        double all[FINALISTS];
        for (size_t i = 0; i < tuning->finalist_count; i++)
            all[i] = y[i][round] = visit(&tuning->device, truth[tuning->finalists[i]]);
        double centre = median_of(all, tuning->finalist_count);
        for (size_t i = 0; i < tuning->finalist_count; i++)
            y[i][round] -= centre;
    }
    for (size_t i = 0; i < tuning->finalist_count; i++)
        tuning->levels[i][process] = core_mean(y[i], CONFIRM_ROUNDS);
}

static void confirm(struct tuning *tuning)
{
    struct error error;
    assert_int_equal(race_finalists(tuning->race, NULL, FINALISTS, tuning->finalists,
                                    &tuning->finalist_count, &error),
                     STATUS_OK);
    for (size_t p = 0; p < PROCESSES; p++)
        confirm_process(tuning, p);
    for (size_t i = 0; i < tuning->finalist_count; i++)
        tuning->contenders[i] = (struct contender){
            .levels = tuning->levels[i], .order = tuning->finalists[i], .eligible = true};
    choose(tuning->contenders, tuning->finalist_count, PROCESSES, race_delta(tuning->race),
           tuning->protocol.confidence, tuning->finalist_count, &tuning->choice);
    tuning->spread =
        choice_spread(tuning->contenders, tuning->finalist_count, PROCESSES, &tuning->choice, 0.05,
                      tuning->protocol.process_spread, &tuning->degrees);
}

static size_t winner_of(const struct tuning *tuning)
{
    return tuning->finalists[tuning->choice.winner];
}

static bool declares_tied(const struct tuning *tuning, size_t candidate)
{
    for (size_t i = 0; i < tuning->finalist_count; i++) {
        if (tuning->finalists[i] == candidate)
            return tuning->contenders[i].tied;
    }
    double fastest = tuning->raced[tuning->finalists[tuning->choice.fastest]].estimate;
    struct interval difference = choice_outsider(tuning->raced[candidate], fastest, tuning->spread,
                                                 tuning->degrees, tuning->protocol.confidence);
    return difference.low <= tuning->protocol.delta;
}

enum { DAYS = 5, SUBJECTS = 40 };

/* Ordered pairs of tunings of one subject: all, those with the same winner, those in which the
 * second has the first's winner or declares it tied, and those whose races have the same leader. */
struct agreement {
    size_t pairs, same, same_or_tied, same_leader;
};

static void compare(const struct tuning *days, struct agreement *agreement)
{
    for (size_t a = 0; a < DAYS; a++) {
        for (size_t b = 0; b < DAYS; b++) {
            if (a == b)
                continue;
            bool same = winner_of(&days[a]) == winner_of(&days[b]);
            agreement->pairs++;
            agreement->same += same ? 1 : 0;
            agreement->same_leader += days[a].leader == days[b].leader ? 1 : 0;
            agreement->same_or_tied += same || declares_tied(&days[b], winner_of(&days[a])) ? 1 : 0;
        }
    }
}

static double share(size_t hits, size_t of)
{
    return (double)hits / (double)of;
}

static bool is_shown_to_be_slower(const struct race *race, size_t candidate)
{
    enum race_fate fate = race_fate(race, candidate);
    return fate == RACE_SCREENED || fate == RACE_LOST;
}

TEST(two_tunings_agree_or_say_that_it_is_a_tie)
{
    static struct tuning days[DAYS];
    struct agreement agreement = {0};
    double regret = 0;
    double most = 0;
    double claimed = 0;
    size_t lost = 0;
    size_t visits = 0;
    size_t broken = 0;
    for (size_t subject = 0; subject < SUBJECTS; subject++) {
        for (size_t day = 0; day < DAYS; day++) {
            struct tuning *tuning = &days[day];
            set_up(tuning, 1000 + subject * DAYS + day, CANDIDATES);
            mix_truths(tuning->truth, 77 + subject);
            double best = best_of(tuning->truth, CANDIDATES);
            run_race(tuning);
            for (size_t i = 0; i < CANDIDATES; i++)
                lost += tuning->truth[i] <= best + tuning->protocol.delta &&
                                is_shown_to_be_slower(tuning->race, i)
                            ? 1
                            : 0;
            confirm(tuning);
            double loss = expm1(tuning->truth[winner_of(tuning)] - best);
            regret += loss / (SUBJECTS * DAYS);
            most = fmax(most, loss);
            claimed += tuning->choice.claim.high / (SUBJECTS * DAYS);
            broken += loss > tuning->choice.claim.high ? 1 : 0;
            visits += tuning->visits;
            race_free(tuning->race);
        }
        compare(days, &agreement);
    }
    double effort = (double)visits / (SUBJECTS * DAYS * CANDIDATES * 128.0);
    print_message("same winner: %.1f %%, same or declared tied: %.1f %% of %zu pairs\n",
                  100 * share(agreement.same, agreement.pairs),
                  100 * share(agreement.same_or_tied, agreement.pairs), agreement.pairs);
    print_message("the smallest estimate of the race alone: the same in %.1f %%\n",
                  100 * share(agreement.same_leader, agreement.pairs));
    print_message("regret: mean %.3f %%, most %.3f %%; claimed: at most %.2f %% on average\n",
                  100 * regret, 100 * most, 100 * claimed);
    print_message("equals lost in a race: %zu of %d\n", lost, SUBJECTS * DAYS * GOOD);
    print_message("visits: %.1f %% of all candidates in all rounds\n", 100 * effort);
    assert_true(share(agreement.same, agreement.pairs) >= 0.6);
    assert_true(agreement.same > 2 * agreement.same_leader);
    assert_true(share(agreement.same_or_tied, agreement.pairs) >= 0.95);
    assert_true(regret < 0.0005 && most < 0.0025);
    assert_true(claimed < 0.003);
    assert_true(effort < 0.2);
    /* The random effect of a process can put an equal over delta once. */
    assert_true(lost <= SUBJECTS * DAYS * GOOD / 100);
    assert_true(broken <= 1);
}

/* Each race may lose one that is within delta with 1 %. */
TEST(the_best_is_not_lost)
{
    static struct tuning tuning;
    enum { RACES = 60, IN_RACE = 24 };
    size_t lost = 0;
    size_t kept_slow = 0;
    for (size_t race = 0; race < RACES; race++) {
        set_up(&tuning, 2000 + race, IN_RACE);
        tuning.process_spread = 0;
        tuning.device.outliers = 0.05;
        tuning.device.sigma = 0.01;
        for (size_t i = 0; i < IN_RACE; i++)
            tuning.truth[i] = i < 4 ? 0.0002 * (double)i : 0.02 * (double)i;
        for (size_t i = 3; i < PROTOCOL_LOOKS; i++) /* 32 rounds will do */
            tuning.protocol.look_rounds[i] = 0;
        run_race(&tuning);
        for (size_t i = 0; i < IN_RACE; i++) {
            bool is_out = is_shown_to_be_slower(tuning.race, i);
            lost += i < 4 && is_out ? 1 : 0;
            kept_slow += i >= 4 && !is_out ? 1 : 0;
        }
        race_free(tuning.race);
    }
    print_message("races of 32 rounds: %zu of %d equals lost, %zu of %d slow ones kept\n", lost,
                  4 * RACES, kept_slow, (IN_RACE - 4) * RACES);
    assert_true(lost <= 1);
    assert_int_equal(kept_slow, 0);
}

TEST(the_hopeless_cost_little)
{
    static struct tuning tuning;
    set_up(&tuning, 3000, CANDIDATES);
    for (size_t i = 0; i < CANDIDATES; i++)
        tuning.truth[i] = i < 2 ? 0 : 0.4 + 0.01 * (double)i;
    run_race(&tuning);
    /* Two rounds for each of the hopeless, the rest for the two. */
    assert_true(tuning.visits <= 2 * CANDIDATES + 2 * 128);
    assert_int_equal(race_alive(tuning.race), 2);
    race_free(tuning.race);
}

TEST_MAIN(NULL, NULL)
