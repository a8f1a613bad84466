#include "tuner/stats/race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct round {
    double *y;
    double twin_difference; /* ln of the twin less ln of the first; NaN: none */
    bool valid;
};

struct race {
    struct protocol protocol;
    size_t count;
    enum race_fate *fates;
    size_t *order;                /* all candidates' places; NULL: none leaves for being behind */
    struct interval *differences; /* differences to the leader of those alive at a look */
    struct round *rounds;         /* ESTIMATE_MAX */
    size_t round_count;
    size_t leader; /* leader of the present rounds, found by find_leader after each change */
    size_t looked; /* valid rounds at the last look */
    bool ended;    /* the caller's last look is done */
    bool settled; /* at the last look all alive were shown to be within delta, or to be finalists */
};

static void find_leader(struct race *race);

enum status race_create(const struct protocol *protocol, size_t count, struct race **out,
                        struct error *error)
{
    struct race *race = calloc(1, sizeof *race);
    *out = NULL;
    if (!race)
        return error_no_memory(error);
    *race = (struct race){.protocol = *protocol, .count = count, .leader = count > 0 ? 0 : count};
    race->fates = calloc(count > 0 ? count : 1, sizeof *race->fates); /* RACE_ALIVE is 0 */
    race->differences = calloc(count > 0 ? count : 1, sizeof *race->differences);
    race->rounds = calloc(ESTIMATE_MAX, sizeof *race->rounds);
    if (!race->fates || !race->differences || !race->rounds) {
        race_free(race);
        return error_no_memory(error);
    }
    *out = race;
    return STATUS_OK;
}

void race_free(struct race *race)
{
    if (!race)
        return;
    for (size_t i = 0; i < race->round_count; i++)
        free(race->rounds[i].y);
    free(race->rounds);
    free(race->fates);
    free(race->order);
    free(race->differences);
    free(race);
}

enum status race_set_order(struct race *race, const size_t *order, struct error *error)
{
    free(race->order);
    race->order = malloc((race->count > 0 ? race->count : 1) * sizeof *race->order);
    if (!race->order)
        return error_no_memory(error);
    memcpy(race->order, order, race->count * sizeof *order);
    return STATUS_OK;
}

enum status race_add_round(struct race *race, const double *y, size_t twin_of, double twin_y,
                           size_t *round, struct error *error)
{
    if (race->round_count == ESTIMATE_MAX)
        return error_set(error, STATUS_INTERNAL, "a race has at most %d rounds", ESTIMATE_MAX);
    double *copy = malloc((race->count > 0 ? race->count : 1) * sizeof *copy);
    if (!copy)
        return error_no_memory(error);
    for (size_t i = 0; i < race->count; i++)
        copy[i] = y[i];
    bool twin = twin_of < race->count && isfinite(twin_y);
    *round = race->round_count;
    race->rounds[race->round_count++] = (struct round){
        .y = copy, .valid = true, .twin_difference = twin ? twin_y - y[twin_of] : (double)NAN};
    find_leader(race);
    return STATUS_OK;
}

void race_set_valid(struct race *race, size_t round, bool valid)
{
    if (round >= race->round_count || race->rounds[round].valid == valid)
        return;
    race->rounds[round].valid = valid;
    find_leader(race);
}

void race_fail(struct race *race, size_t candidate)
{
    if (candidate >= race->count)
        return;
    race->fates[candidate] = RACE_FAILED;
    find_leader(race);
}

/* ---- the leader ---- */

/* Finds the leader. Candidates without a valid round lead only if all are without. Without memory
 * the first one alive leads, which compares as well, but takes longer to decide. */
static void find_leader(struct race *race)
{
    double centres[ESTIMATE_MAX];
    double best = (double)INFINITY;
    race->leader = 0;
    while (race->leader < race->count && race->fates[race->leader] != RACE_ALIVE)
        race->leader++;
    double *alive = malloc((race->count > 0 ? race->count : 1) * sizeof *alive);
    if (!alive)
        return;
    for (size_t r = 0; r < race->round_count; r++) {
        /* The median over those alive: the effect of a round on all alike. */
        const struct round *round = &race->rounds[r];
        size_t count = 0;
        for (size_t i = 0; i < race->count; i++)
            if (round->valid && race->fates[i] == RACE_ALIVE)
                alive[count++] = round->y[i];
        centres[r] = round->valid ? median_of(alive, count) : 0;
    }
    free(alive);
    for (size_t i = 0; i < race->count; i++) {
        if (race->fates[i] != RACE_ALIVE)
            continue;
        double differences[ESTIMATE_MAX];
        size_t count = 0;
        for (size_t r = 0; r < race->round_count; r++) {
            if (race->rounds[r].valid)
                differences[count++] = race->rounds[r].y[i] - centres[r];
        }
        double level = hodges_lehmann(differences, count, (double)INFINITY).estimate;
        if (level < best) {
            best = level;
            race->leader = i;
        }
    }
}

size_t race_leader(const struct race *race)
{
    return race->leader;
}

/* ---- differences ---- */

/* Lists the differences in valid rounds in which both were measured; returns the number of these.
 */
static size_t paired_differences(const struct race *race, size_t a, size_t b,
                                 double out[ESTIMATE_MAX])
{
    size_t count = 0;
    for (size_t r = 0; r < race->round_count; r++) {
        double difference = race->rounds[r].y[a] - race->rounds[r].y[b];
        if (race->rounds[r].valid && isfinite(difference))
            out[count++] = difference;
    }
    return count;
}

struct interval race_between(const struct race *race, size_t a, size_t b, double z)
{
    double differences[ESTIMATE_MAX];
    if (a >= race->count || b >= race->count)
        return (struct interval){(double)NAN, (double)NAN, (double)NAN};
    if (a == b)
        return (struct interval){0, 0, 0};
    size_t count = paired_differences(race, a, b, differences);
    return interval_relative(hodges_lehmann(differences, count, z));
}

struct interval race_difference(const struct race *race, size_t candidate)
{
    return race_between(race, candidate, race->leader, race->protocol.race_z);
}

struct twin_floor race_floor(const struct race *race)
{
    double differences[ESTIMATE_MAX];
    size_t count = 0;
    for (size_t r = 0; r < race->round_count; r++) {
        if (race->rounds[r].valid)
            differences[count++] = race->rounds[r].twin_difference;
    }
    return twin_floor(differences, count, race->protocol.twin_bias);
}

double race_delta(const struct race *race)
{
    return protocol_tie_band(&race->protocol, race_floor(race).floor);
}

/* ---- finalists ---- */

struct finalist {
    size_t candidate;
    size_t group; /* 0: the leader, 1: within delta of the leader, 2: the others */
    size_t order;
    double estimate;
};

static int compare_finalists(const void *a, const void *b)
{
    const struct finalist *x = a;
    const struct finalist *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->group == 2 && (x->estimate < y->estimate || x->estimate > y->estimate))
        return x->estimate < y->estimate ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

enum status race_finalists(const struct race *race, const size_t *order, size_t most, size_t *out,
                           size_t *count, struct error *error)
{
    double delta = race_delta(race);
    struct finalist *all = calloc(race->count > 0 ? race->count : 1, sizeof *all);
    size_t alive = 0;
    *count = 0;
    if (!all)
        return error_no_memory(error);
    for (size_t i = 0; i < race->count; i++) {
        if (race->fates[i] != RACE_ALIVE)
            continue;
        double estimate = race_between(race, i, race->leader, (double)INFINITY).estimate;
        size_t group = i == race->leader ? 0 : estimate <= delta ? 1 : 2;
        /* A candidate never measured beside the leader is the last. */
        all[alive++] = (struct finalist){i, group, order ? order[i] : i,
                                         isnan(estimate) ? (double)INFINITY : estimate};
    }
    qsort(all, alive, sizeof *all, compare_finalists);
    for (; *count < alive && *count < most; ++*count)
        out[*count] = all[*count].candidate;
    free(all);
    return STATUS_OK;
}

/* ---- judging ---- */

size_t race_valid_rounds(const struct race *race)
{
    size_t count = 0;
    for (size_t r = 0; r < race->round_count; r++)
        count += race->rounds[r].valid ? 1 : 0;
    return count;
}

size_t race_alive(const struct race *race)
{
    size_t count = 0;
    for (size_t i = 0; i < race->count; i++)
        count += race->fates[i] == RACE_ALIVE ? 1 : 0;
    return count;
}

enum race_fate race_fate(const struct race *race, size_t candidate)
{
    return candidate < race->count ? race->fates[candidate] : RACE_FAILED;
}

/* Returns whether a screen takes out the candidate: slower than the leader by more than the limit
 * in each of enough rounds. */
static bool is_screened(const struct race *race, size_t candidate)
{
    double differences[ESTIMATE_MAX];
    double least = (double)INFINITY;
    size_t count = paired_differences(race, candidate, race->leader, differences);
    for (size_t i = 0; i < count; i++)
        least = fmin(least, differences[i]);
    for (size_t s = 0; s < PROTOCOL_SCREENS; s++) {
        if (count >= (size_t)race->protocol.screen_rounds[s] &&
            least > log1p(race->protocol.screen_slower[s]))
            return true;
    }
    return false;
}

/* Certainty, in standard errors, that a candidate is no finalist: one next to the last may change
 * places with it, which costs nothing, since both are as good. */
static const double behind_z = 2;

/* Returns whether enough others precede the candidate in the order of finalists: further rounds
 * would only show by how little. A candidate that may beat the leader by more than a tie stays. */
static bool is_behind(const struct race *race, size_t candidate, double delta)
{
    const struct interval *differences = race->differences;
    const struct interval *own = &differences[candidate];
    size_t ahead = 0;
    if (!race->order || !(own->low > -delta))
        return false;
    for (size_t i = 0; i < race->count; i++) {
        if (race->fates[i] != RACE_ALIVE || i == candidate)
            continue;
        const bool is_tied = differences[i].high <= delta;
        ahead += (is_tied && race->order[i] < race->order[candidate]) ||
                 (own->low > delta && differences[i].high < own->low);
    }
    return ahead >= (size_t)race->protocol.finalists;
}

static size_t compare_with_leader(struct race *race)
{
    const double delta = race_delta(race), most = delta + race->protocol.race_slack;
    size_t dropped = 0;
    bool all_stay = true;
    for (size_t i = 0; i < race->count; i++) {
        if (race->fates[i] != RACE_ALIVE || !(race_difference(race, i).low > most))
            continue;
        race->fates[i] = RACE_LOST;
        dropped++;
    }
    /* Candidates that are behind are taken out. Each leaves enough others ahead, since the relation
     * is transitive. */
    for (size_t i = 0; i < race->count; i++)
        if (race->fates[i] == RACE_ALIVE)
            race->differences[i] = race_between(race, i, race->leader, behind_z);
    for (size_t i = 0; i < race->count; i++) {
        if (race->fates[i] == RACE_ALIVE && i != race->leader && is_behind(race, i, delta)) {
            race->fates[i] = RACE_BEHIND;
            dropped++;
        }
    }
    race->settled = true;
    for (size_t i = 0; i < race->count; i++) {
        if (race->fates[i] != RACE_ALIVE)
            continue;
        struct interval difference = race_difference(race, i);
        all_stay = all_stay && difference.high <= most;
        if (difference.low <= delta && !(difference.high <= delta))
            race->settled = false;
    }
    race->settled = race->settled || (race->order && all_stay &&
                                      race_alive(race) <= (size_t)race->protocol.finalists);
    return dropped;
}

size_t race_judge(struct race *race, bool last_look)
{
    size_t valid = race_valid_rounds(race);
    size_t next = race_next_look(race);
    size_t dropped = 0;
    for (size_t i = 0; i < race->count; i++) {
        if (race->fates[i] == RACE_ALIVE && i != race->leader && is_screened(race, i)) {
            race->fates[i] = RACE_SCREENED;
            dropped++;
        }
    }
    if (last_look || (next > 0 && valid >= next)) {
        dropped += compare_with_leader(race);
        race->looked = valid > race->looked ? valid : race->looked;
    }
    race->ended = race->ended || last_look;
    if (dropped > 0)
        find_leader(race);
    return dropped;
}

size_t race_next_look(const struct race *race)
{
    size_t next = 0;
    for (size_t i = 0; i < PROTOCOL_LOOKS && !race->ended; i++) {
        size_t look_at = (size_t)race->protocol.look_rounds[i];
        if (look_at > race->looked && (next == 0 || look_at < next))
            next = look_at;
    }
    return next;
}

bool race_over(const struct race *race)
{
    return race_alive(race) <= 1 || race->settled || race_next_look(race) == 0;
}
