/* What limits a winner: rules in a fixed order, the first that holds. docs/why.md says why each
 * threshold is what it is. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tuner/device/traits.h"
#include "tuner/explain/internal.h"
#include "tuner/stats/ceiling.h"

static const double launch_least = 1.0 / 3;  /* of the time, for empty launches in its place */
static const double launch_told = 0.05;      /* of the time, to be worth a word */
static const double memory_least = 0.85;     /* of the ceiling */
static const double arithmetic_least = 0.70; /* of the ceiling */
static const int64_t spill_least = 32;       /* bytes per thread: eight registers */
static const double busy_most = 0.75;        /* of the units: a quarter has nothing to do */
static const double sweep_noise = 0.02;      /* a sweep times each configuration once */
/* What a load that misses all caches takes on GPUs, and memory under load, at most. */
static const double waiting_most_ns = 1000;

/* What the rules look at. */
struct rules {
    const struct explanation *explanation;
    const struct background *background;
    const struct explain_point *winner;
    const struct device_traits *device;
    int64_t busy; /* of them, with something to do; -1: unknown */
    struct text *text;
};

static bool limited_by_launch(const struct rules *rules)
{
    const struct explain_point *winner = rules->winner;
    /* One thread of a CPU wakes no others. */
    if (winner->launches < 1 || (!rules->device->is_gpu && winner->threads == 1))
        return false;
    /* Those that overlap may cost less than empty ones in a row; a CPU's may be of one thread. */
    const bool all =
        winner->launches > 1 && !rules->background->launches_overlap && rules->device->is_gpu;
    const double empty_ns = (double)(all ? winner->launches : 1) * rules->background->node_gap_ns;
    const double share = empty_ns / winner->time_ns;
    if (!(share >= launch_least))
        return false;
    if (all)
        text_printf(rules->text, "%" PRId64 " empty launches in a row take ", winner->launches);
    else
        text_append(rules->text, "An empty launch takes ");
    put_time(rules->text, empty_ns);
    text_append(rules->text, " on this device, ");
    put_percent(rules->text, share);
    text_append(rules->text, " of its ");
    put_time(rules->text, winner->time_ns);
    text_append(rules->text, ": launching limits it.");
    return true;
}

static void put_share(const struct rules *rules)
{
    put_number(rules->text, rules->winner->gbs);
    text_append(rules->text, " GB/s, ");
    put_percent(rules->text, rules->winner->ceiling_share);
    text_printf(rules->text, " of the %s ceiling that was measured on this device (",
                rules->explanation->ceiling);
    put_number(rules->text, rules->explanation->ceiling_gbs);
    text_append(rules->text, " GB/s)");
}

static bool fits_hot(const struct rules *rules)
{
    return rules->explanation->l2_mode && strcmp(rules->explanation->l2_mode, "hot") == 0 &&
           rules->background->bytes_moved <= rules->background->cache_bytes;
}

/* Of what is clearly faster than the ceiling no share is told, but why. */
static enum explain_limit break_ceiling(const struct rules *rules)
{
    const struct background *background = rules->background;
    text_append(rules->text, "It moves ");
    put_number(rules->text, rules->winner->gbs);
    text_printf(rules->text, " GB/s, more than the %s ceiling that was measured on this device (",
                rules->explanation->ceiling);
    put_number(rules->text, rules->explanation->ceiling_gbs);
    text_append(rules->text, " GB/s), ");
    if (background->bytes_moved > 2 * background->cache_bytes) {
        text_append(rules->text, "and no cache holds its ");
        put_bytes(rules->text, background->bytes_moved);
        text_append(rules->text, ": the memory limits it, and that ceiling is too low to tell a "
                                 "share of it.");
        return LIMIT_MEMORY;
    }
    if (fits_hot(rules)) {
        text_append(rules->text, "and its ");
        put_bytes(rules->text, background->bytes_moved);
        text_append(rules->text, " fit in the cache of ");
        put_bytes(rules->text, background->cache_bytes);
        text_append(rules->text, ", which is hot: the cache limits it, not the memory.");
        return LIMIT_CACHE;
    }
    text_append(rules->text, "so part of its ");
    put_bytes(rules->text, background->bytes_moved);
    text_append(rules->text, " comes out of a cache, and no share of the ceiling is told.");
    return LIMIT_CACHE;
}

static enum explain_limit limited_by_memory(const struct rules *rules)
{
    const double share = rules->winner->ceiling_share;
    if (ceiling_is_broken(rules->winner->gbs, rules->explanation->ceiling_gbs))
        return break_ceiling(rules);
    if (!(share >= memory_least))
        return LIMIT_UNKNOWN;
    text_append(rules->text, "It moves ");
    put_share(rules);
    if (fits_hot(rules)) {
        text_append(rules->text, ", and its ");
        put_bytes(rules->text, rules->background->bytes_moved);
        text_append(rules->text, " fit in the cache of ");
        put_bytes(rules->text, rules->background->cache_bytes);
        text_append(rules->text, ", which is hot: the cache limits it, not the memory.");
        return LIMIT_CACHE;
    }
    text_append(rules->text, ": the memory limits it.");
    return LIMIT_MEMORY;
}

static bool limited_by_arithmetic(const struct rules *rules)
{
    if (!(rules->winner->arithmetic_share >= arithmetic_least))
        return false;
    text_append(rules->text, "It does ");
    put_number(rules->text, rules->winner->gops);
    text_printf(rules->text, " * 10^9 operations per second on %s, ",
                rules->explanation->operations_type);
    put_percent(rules->text, rules->winner->arithmetic_share);
    text_append(rules->text, " of what was measured on this device: arithmetic limits it.");
    return true;
}

static bool limited_by_spills(const struct rules *rules)
{
    if (rules->winner->spill_bytes < spill_least)
        return false;
    text_printf(rules->text,
                "Each thread moves %" PRId64
                " bytes of registers to memory and back (spills), and no ceiling is near.",
                rules->winner->spill_bytes);
    return true;
}

/* Whether something shows that neither memory nor arithmetic stands in the way. */
static bool is_far_from_ceilings(const struct rules *rules)
{
    return rules->winner->ceiling_share < memory_least &&
           (rules->winner->arithmetic_share < arithmetic_least ||
            rules->background->elsewhere_share >= memory_least);
}

static void put_idle(const struct rules *rules)
{
    const int64_t units = rules->explanation->unit_count;
    if (!rules->device->is_gpu)
        put_count(rules->text, rules->busy, "thread");
    else
        put_count(rules->text, rules->busy, "block");
    text_printf(rules->text, " for %" PRId64 " %s: %" PRId64 " of them %s nothing to do", units,
                rules->device->unit_word, units - rules->busy,
                units - rules->busy == 1 ? "has" : "have");
}

/* Whether many units have nothing to do. */
static bool has_idle(const struct rules *rules)
{
    return rules->busy > 0 &&
           (double)rules->busy <= busy_most * (double)rules->explanation->unit_count;
}

/* What was tried with more of them busy, in the sweep. */
static void put_busier(const struct rules *rules, const char *before)
{
    text_append(rules->text, before);
    text_append(rules->text, "the fastest that keeps more of them busy takes ");
    put_more(rules->text, rules->background->busier_loss);
    text_append(rules->text, " in the sweep");
    if (rules->background->busier_loss < 0 && rules->background->busier_loss > -sweep_noise)
        text_append(rules->text, ", within what a sweep can tell");
}

/* Not where more of them busy was tried, and did not help. */
static bool limited_by_idle_units(const struct rules *rules)
{
    const double loss = rules->background->busier_loss;
    if (!has_idle(rules) || loss > -sweep_noise)
        return false;
    put_idle(rules);
    if (isfinite(loss)) {
        put_busier(rules, "; ");
    } else if (!rules->device->is_gpu && rules->background->node_gap_ns > 0) {
        text_append(rules->text, "; to wake all of them takes ");
        put_time(rules->text, rules->background->node_gap_ns);
        text_append(rules->text, ", against its ");
        put_time(rules->text, rules->winner->time_ns);
    }
    text_append(rules->text, ".");
    return true;
}

/* "1 block for 132 multiprocessors: ..., but the fastest ... " as a sentence. */
static void put_idle_sentence(const struct rules *rules)
{
    if (!has_idle(rules))
        return;
    put_idle(rules);
    if (isfinite(rules->background->busier_loss))
        put_busier(rules, "; ");
    text_append(rules->text, ". ");
}

/* Little's law: what is in flight is delivered once in the time that one access takes. */
static bool limited_by_bytes_in_flight(const struct rules *rules)
{
    const struct explain_point *winner = rules->winner;
    const int64_t units = rules->explanation->unit_count;
    const int64_t busy = rules->busy < units ? rules->busy : units;
    const double waiting_ns = winner->bytes_in_flight_per_sm * (double)busy / winner->gbs;
    if (!(waiting_ns <= waiting_most_ns) || !(winner->ceiling_share < memory_least))
        return false;
    put_bytes(rules->text, winner->bytes_in_flight_per_sm);
    text_printf(rules->text, " in flight on each of %" PRId64 " %s come to ", busy,
                rules->device->unit_word);
    put_number(rules->text, winner->gbs);
    text_append(rules->text, " GB/s when each waits ");
    put_time(rules->text, waiting_ns);
    text_append(rules->text, ", about what memory takes to answer: too little is in flight.");
    return true;
}

/* What is left of the time at the nearer of the ceilings. */
static void put_rest(const struct rules *rules)
{
    const struct background *background = rules->background;
    const double time_ns = rules->winner->time_ns;
    const double bytes_ns = background->bytes_moved / rules->explanation->ceiling_gbs;
    const double operations_ns = background->operations / rules->explanation->arithmetic_gops;
    const bool by_operations = operations_ns > bytes_ns;
    text_printf(rules->text, "At the ceiling its %s would take ",
                by_operations ? "operations" : "bytes");
    put_time(rules->text, by_operations ? operations_ns : bytes_ns);
    text_append(rules->text, " of its ");
    put_time(rules->text, time_ns);
    text_append(rules->text, ": the rest is latency");
    if (background->node_gap_ns >= launch_told * time_ns && rules->device->is_gpu) {
        text_append(rules->text, ", of which an empty launch takes ");
        put_time(rules->text, background->node_gap_ns);
    }
    text_append(rules->text, ".");
}

static bool limited_by_latency(const struct rules *rules)
{
    const struct background *background = rules->background;
    if (!is_far_from_ceilings(rules))
        return false;
    text_append(rules->text, "It moves ");
    put_share(rules);
    if (rules->winner->arithmetic_share < arithmetic_least) {
        text_append(rules->text, ", and does ");
        put_percent(rules->text, rules->winner->arithmetic_share);
        text_printf(rules->text, " of the %s operations that were measured on it",
                    rules->explanation->operations_type);
    }
    if (background->elsewhere_share >= memory_least) {
        text_append(rules->text, "; the same problem reaches ");
        put_percent(rules->text, background->elsewhere_share);
        text_printf(rules->text, " at n = %" PRId64, background->elsewhere_n);
    }
    text_append(rules->text, ". ");
    put_idle_sentence(rules);
    put_rest(rules);
    return true;
}

static void say_unknown(const struct rules *rules)
{
    const struct explanation *explanation = rules->explanation;
    const struct background *background = rules->background;
    if (isfinite(rules->winner->ceiling_share)) {
        text_append(rules->text, "It moves ");
        put_share(rules);
        text_append(rules->text, ", less than the ");
        put_percent(rules->text, memory_least);
        text_append(rules->text, " from which the memory counts as the limit. ");
    } else if (!isfinite(background->bytes_moved)) {
        text_append(rules->text, "The experiment does not say how many bytes a run moves. ");
    } else if (background->ceiling_given_up) {
        text_printf(rules->text,
                    "A winner moves more than the %s ceiling that was measured on this device, so "
                    "that ceiling is not used. ",
                    explanation->ceiling);
    } else {
        text_append(rules->text, "The ceilings of this device's memory were not measured. ");
    }
    put_idle_sentence(rules);
    if (!isfinite(background->operations)) {
        text_append(rules->text, "The experiment does not say how many operations it takes, so "
                                 "arithmetic cannot be told from latency.");
    } else if (!isfinite(explanation->arithmetic_gops)) {
        text_printf(rules->text,
                    "How many %s operations this device does was not measured, so arithmetic "
                    "cannot be told from latency.",
                    explanation->operations_type);
    } else if (!isfinite(rules->winner->arithmetic_share)) {
        text_printf(
            rules->text,
            "It does more %s operations than were measured on this device, so that ceiling is "
            "not used, and arithmetic cannot be told from latency.",
            explanation->operations_type);
    } else {
        text_append(rules->text, "It does ");
        put_percent(rules->text, rules->winner->arithmetic_share);
        text_printf(rules->text, " of the %s operations that the device was measured to do.",
                    explanation->operations_type);
    }
}

static int64_t busy_units(const struct explanation *explanation)
{
    const struct explain_point *winner = &explanation->points[0];
    if (!device_traits(explanation->device_kind)->is_gpu)
        return winner->threads > 0 && winner->grid > 0 && winner->grid < winner->threads
                   ? winner->grid
                   : winner->threads;
    return winner->grid;
}

void decide_limit(struct explanation *explanation, const struct background *background,
                  struct text *text)
{
    struct rules rules = {.explanation = explanation,
                          .background = background,
                          .winner = &explanation->points[0],
                          .device = device_traits(explanation->device_kind),
                          .busy = busy_units(explanation),
                          .text = text};
    explanation->limit = LIMIT_LAUNCH;
    if (limited_by_launch(&rules))
        return;
    explanation->limit = limited_by_memory(&rules);
    if (explanation->limit != LIMIT_UNKNOWN)
        return;
    explanation->limit = limited_by_arithmetic(&rules)        ? LIMIT_ARITHMETIC
                         : limited_by_spills(&rules)          ? LIMIT_SPILLS
                         : limited_by_idle_units(&rules)      ? LIMIT_PARALLELISM
                         : limited_by_bytes_in_flight(&rules) ? LIMIT_PARALLELISM
                         : limited_by_latency(&rules)         ? LIMIT_LATENCY
                                                              : LIMIT_UNKNOWN;
    if (explanation->limit == LIMIT_UNKNOWN)
        say_unknown(&rules);
}

const char *explain_limit_name(enum explain_limit limit)
{
    switch (limit) {
    case LIMIT_MEMORY:
        return "memory";
    case LIMIT_CACHE:
        return "cache";
    case LIMIT_ARITHMETIC:
        return "arithmetic";
    case LIMIT_LAUNCH:
        return "launch";
    case LIMIT_PARALLELISM:
        return "parallelism";
    case LIMIT_LATENCY:
        return "latency";
    case LIMIT_SPILLS:
        return "spills";
    case LIMIT_UNKNOWN:
        break;
    }
    return "unknown";
}
