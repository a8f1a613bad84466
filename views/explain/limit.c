/* Decides the limit of a winner: the first matching rule, in a fixed order. docs/why.md has the
 * reason of each threshold. */
#include <math.h>
#include <string.h>

#include "tuner/device/traits.h"
#include "tuner/stats/ceiling.h"
#include "views/explain/internal.h"

static const double launch_least = 1.0 / 3;  /* least share of empty launches in the time */
static const double launch_share_min = 0.05; /* least share of the time to be mentioned */
static const double memory_least = 0.85;     /* share of the ceiling */
static const double arithmetic_least = 0.70; /* share of the ceiling */
static const int64_t spill_least = 32;       /* bytes per thread: eight registers */
static const double busy_most = 0.75;        /* share of the units: a quarter is idle */
static const double sweep_noise = 0.02;      /* a sweep times each configuration once */
/* Longest wait for a load that misses all caches on GPUs under load. */
static const double waiting_most_ns = 1000;

/* Input of the rules. */
struct rules {
    const struct explanation *explanation;
    const struct background *background;
    const struct explain_point *winner;
    const struct device_traits *device;
    int64_t busy; /* units with work; -1: unknown */
    struct text *text;
};

static bool limited_by_launch(const struct rules *rules, double *launch_share)
{
    const struct explain_point *winner = rules->winner;
    /* One thread of a CPU, or a host function (0), wakes no others. */
    if (winner->launches < 1 || (!rules->device->is_gpu && winner->threads <= 1))
        return false;
    /* Overlapping launches may cost less than empty ones in a row; a CPU's may use one thread. */
    const bool all =
        winner->launches > 1 && !rules->background->launches_overlap && rules->device->is_gpu;
    const double empty_ns = (double)(all ? winner->launches : 1) * rules->background->node_gap_ns;
    const double share = empty_ns / winner->time_ns;
    *launch_share = share;
    if (!(share >= launch_least))
        return false;
    if (all)
        append_sentence(rules->text, "%D empty launches in a row take ", winner->launches);
    else
        append_sentence(rules->text, "An empty launch takes ");
    append_sentence(rules->text, "%T on this device, %P of its %T: launching limits it.", empty_ns,
                    share, winner->time_ns);
    return true;
}

static void append_share(const struct rules *rules)
{
    append_sentence(
        rules->text,
        "It moves %N GB/s, %P of the %s ceiling that was measured on this device (%N GB/s)",
        rules->winner->gbs, rules->winner->ceiling_share, rules->explanation->ceiling,
        rules->explanation->ceiling_gbs);
}

static bool fits_hot(const struct rules *rules)
{
    return rules->explanation->l2_mode &&
           strncmp(rules->explanation->l2_mode, "hot", strlen("hot")) == 0 &&
           rules->background->bytes_moved <= rules->background->cache_bytes;
}

static void append_cache(const struct rules *rules, const char *before)
{
    append_sentence(
        rules->text,
        "%sand its %B fit in the cache of %B, which is hot: the cache limits it, not the memory.",
        before, rules->background->bytes_moved, rules->background->cache_bytes);
}

static enum explain_limit limited_by_memory(const struct rules *rules)
{
    if (ceiling_is_broken(rules->winner->gbs, rules->explanation->ceiling_gbs)) {
        /* Explains a rate clearly above the ceiling, which is shown without a share. */
        const struct background *background = rules->background;
        append_sentence(rules->text,
                        "It moves %N GB/s, more than the %s ceiling that was measured on this "
                        "device (%N GB/s), ",
                        rules->winner->gbs, rules->explanation->ceiling,
                        rules->explanation->ceiling_gbs);
        if (background->bytes_moved > 2 * background->cache_bytes) {
            append_sentence(
                rules->text,
                "and no cache holds its %B: the memory limits it, and that ceiling is too "
                "low for a share of it.",
                background->bytes_moved);
            return LIMIT_MEMORY;
        }
        if (fits_hot(rules))
            append_cache(rules, "");
        else
            append_sentence(
                rules->text,
                "so part of its %B comes out of a cache, and no share of the ceiling is shown.",
                background->bytes_moved);
        return LIMIT_CACHE;
    }
    if (!(rules->winner->ceiling_share >= memory_least))
        return LIMIT_UNKNOWN;
    append_share(rules);
    if (fits_hot(rules)) {
        append_cache(rules, ", ");
        return LIMIT_CACHE;
    }
    append_sentence(rules->text, ": the memory limits it.");
    return LIMIT_MEMORY;
}

static bool limited_by_arithmetic(const struct rules *rules)
{
    if (!(rules->winner->arithmetic_share >= arithmetic_least))
        return false;
    append_sentence(rules->text,
                    "It does %N * 10^9 operations per second on %s, %P of the measured maximum of "
                    "this device: arithmetic limits it.",
                    rules->winner->gops, rules->explanation->operations_type,
                    rules->winner->arithmetic_share);
    return true;
}

static bool limited_by_spills(const struct rules *rules)
{
    if (rules->winner->spill_bytes < spill_least)
        return false;
    append_sentence(
        rules->text,
        "Each thread moves %D bytes of registers to memory and back (spills), and no ceiling is "
        "near.",
        rules->winner->spill_bytes);
    return true;
}

/* Returns true if many units are idle. */
static bool has_idle(const struct rules *rules)
{
    return rules->busy > 0 &&
           (double)rules->busy <= busy_most * (double)rules->explanation->unit_count;
}

/* Appends "1 block for 132 multiprocessors: 131 of them have nothing to do", and the sweep's best
 * time with more busy units. */
static void append_idle(const struct rules *rules)
{
    const int64_t units = rules->explanation->unit_count;
    const double loss = rules->background->busier_loss;
    append_sentence(rules->text, "%C for %D %s: %D of them %s nothing to do", rules->busy,
                    rules->device->is_gpu ? "block" : "thread", units, rules->device->unit_word,
                    units - rules->busy, units - rules->busy == 1 ? "has" : "have");
    if (isfinite(loss))
        append_sentence(rules->text,
                        "; the fastest that keeps more of them busy takes %M in the sweep%s", loss,
                        loss < 0 && loss > -sweep_noise ? ", within the noise of a sweep" : "");
}

/* Returns true for idle units, unless keeping more of them busy was tried without a gain. */
static bool limited_by_idle_units(const struct rules *rules)
{
    const double loss = rules->background->busier_loss;
    if (!has_idle(rules) || loss > -sweep_noise)
        return false;
    append_idle(rules);
    if (!isfinite(loss) && !rules->device->is_gpu && rules->background->node_gap_ns > 0)
        append_sentence(rules->text, "; to wake all of them takes %T, against its %T",
                        rules->background->node_gap_ns, rules->winner->time_ns);
    append_sentence(rules->text, ".");
    return true;
}

/* Applies Little's law: the bytes in flight are delivered once per access time. */
static bool limited_by_bytes_in_flight(const struct rules *rules)
{
    const struct explain_point *winner = rules->winner;
    const int64_t units = rules->explanation->unit_count;
    const int64_t busy = rules->busy < units ? rules->busy : units;
    const double waiting_ns = winner->bytes_in_flight_per_sm * (double)busy / winner->gbs;
    if (!(waiting_ns <= waiting_most_ns) || !(winner->ceiling_share < memory_least))
        return false;
    append_sentence(rules->text,
                    "%B in flight on each of %D %s give %N GB/s when each waits %T, about the "
                    "latency of the memory: too little is in flight.",
                    winner->bytes_in_flight_per_sm, busy, rules->device->unit_word, winner->gbs,
                    waiting_ns);
    return true;
}

static bool limited_by_latency(const struct rules *rules)
{
    const struct background *background = rules->background;
    if (!(rules->winner->ceiling_share < memory_least &&
          (rules->winner->arithmetic_share < arithmetic_least ||
           rules->background->elsewhere_share >= memory_least)))
        return false;
    append_share(rules);
    if (rules->winner->arithmetic_share < arithmetic_least)
        append_sentence(rules->text, ", and does %P of the %s operations that were measured on it",
                        rules->winner->arithmetic_share, rules->explanation->operations_type);
    if (background->elsewhere_share >= memory_least)
        append_sentence(rules->text, "; the same problem reaches %P at n = %D",
                        background->elsewhere_share, background->elsewhere_n);
    append_sentence(rules->text, ". ");
    if (has_idle(rules)) {
        append_idle(rules);
        append_sentence(rules->text, ". ");
    }
    /* Tells the rest of the time at the nearer ceiling. */
    const double time_ns = rules->winner->time_ns;
    const double bytes_ns = background->bytes_moved / rules->explanation->ceiling_gbs;
    const double operations_ns = background->operations / rules->explanation->arithmetic_gops;
    const bool by_operations = operations_ns > bytes_ns;
    append_sentence(
        rules->text, "At the ceiling its %s would take %T of its %T: the rest is latency%s",
        by_operations ? "operations" : "bytes", by_operations ? operations_ns : bytes_ns, time_ns,
        rules->explanation->l2_mode && text_ends_with(rules->explanation->l2_mode, "-eager")
            ? " and the host's time"
            : "");
    if (background->node_gap_ns >= launch_share_min * time_ns && rules->device->is_gpu)
        append_sentence(rules->text, ", of which an empty launch takes %T",
                        background->node_gap_ns);
    append_sentence(rules->text, ".");
    return true;
}

static void append_unknown(const struct rules *rules)
{
    const struct explanation *explanation = rules->explanation;
    const struct background *background = rules->background;
    struct text *text = rules->text;
    if (isfinite(rules->winner->ceiling_share)) {
        append_share(rules);
        append_sentence(text, ", less than the %P from which the memory counts as the limit. ",
                        memory_least);
    } else if (!isfinite(background->bytes_moved)) {
        append_sentence(text, "The experiment does not say how many bytes a run moves. ");
    } else if (background->ceiling_given_up) {
        append_sentence(
            text,
            "A winner moves more than the %s ceiling that was measured on this device, so that "
            "ceiling is not used. ",
            explanation->ceiling);
    } else {
        append_sentence(text, "The ceilings of this device's memory were not measured. ");
    }
    if (has_idle(rules)) {
        append_idle(rules);
        append_sentence(text, ". ");
    }
    if (!isfinite(background->operations))
        append_sentence(text, "The experiment does not say how many operations it takes, so "
                              "arithmetic and latency cannot be distinguished.");
    else if (!isfinite(explanation->arithmetic_gops))
        append_sentence(text,
                        "How many %s operations this device does was not measured, so arithmetic "
                        "and latency cannot be distinguished.",
                        explanation->operations_type);
    else if (!isfinite(rules->winner->arithmetic_share))
        append_sentence(text,
                        "It does more %s operations than were measured on this device, so that "
                        "ceiling is not used, and arithmetic and latency cannot be distinguished.",
                        explanation->operations_type);
    else
        append_sentence(text, "It does %P of the %s operations that the device was measured to do.",
                        rules->winner->arithmetic_share, explanation->operations_type);
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
    explanation->busy_units = rules.busy;
    explanation->launch_share = (double)NAN;
    explanation->limit = LIMIT_LAUNCH;
    if (limited_by_launch(&rules, &explanation->launch_share))
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
        append_unknown(&rules);
}

const char *explain_limit_name(enum explain_limit limit)
{
    static const char *const names[] = {
        [LIMIT_UNKNOWN] = "unknown", [LIMIT_MEMORY] = "memory",
        [LIMIT_CACHE] = "cache",     [LIMIT_ARITHMETIC] = "arithmetic",
        [LIMIT_LAUNCH] = "launch",   [LIMIT_PARALLELISM] = "parallelism",
        [LIMIT_LATENCY] = "latency", [LIMIT_SPILLS] = "spills",
    };
    return names[limit];
}
