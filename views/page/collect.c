/* The winners with what they are held against, in their settings. */
#include <math.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/stats/estimate.h"
#include "tuner/stats/verdict.h"
#include "views/page/embedded.h"
#include "views/page/internal.h"

#define OF(member, kind) STORE_MEMBER(struct winner, member, kind)
static const struct store_column winner_columns[] = {
    OF(device, TEXT),
    OF(device_kind, TEXT),
    OF(device_uuid, TEXT),
    OF(driver, TEXT),
    OF(compiler, TEXT),
    OF(l2_mode, TEXT),
    OF(objective, TEXT),
    OF(experiment, TEXT),
    OF(problem, TEXT),
    OF(n, INTEGER),
    OF(stage, TEXT),
    OF(configuration, TEXT),
    OF(parameters, TEXT),
    OF(launches, TEXT),
    OF(chosen_at, TEXT),
    {"verdict", offsetof(struct winner, trust), STORE_TEXT},
    OF(coverage, TEXT),
    {"verdict_reason", offsetof(struct winner, trust_reason), STORE_TEXT},
    OF(trial_id, TEXT),
    OF(baselines, TEXT),
    OF(as_fast, INTEGER),
    OF(not_compared, INTEGER),
    OF(time_ns, REAL),
    OF(time_low_ns, REAL),
    OF(time_high_ns, REAL),
    OF(gbs, REAL),
    OF(ceiling_percent, REAL),
    OF(claim_percent, REAL),
    OF(confidence, REAL)};
static const struct store_column key_columns[] = {
    OF(id, INTEGER),         OF(environment_id, INTEGER), OF(run_id, INTEGER),
    OF(floor_percent, REAL), OF(rounds, INTEGER),         OF(rounds_dropped, INTEGER),
    OF(problem_id, INTEGER), OF(compared, INTEGER)};

#define GAIN(member, kind) STORE_MEMBER(struct gain, member, kind)
static const struct store_column gain_columns[] = {
    GAIN(name, TEXT), GAIN(about, TEXT), GAIN(ratio, REAL), GAIN(low, REAL),
    GAIN(high, REAL), GAIN(peer, TRUTH), GAIN(tied, TRUTH)};

/* What the query of `tune show` does not tell. */
static enum status find_keys(struct page *page, struct winner *winner, struct error *error)
{
    const struct store_parameter parameters[] = {{"trial", winner->trial_id},
                                                 {"objective", winner->objective}};
    const struct store_reading reading = {.sql = report_query_winner,
                                          STORE_PARAMETERS(parameters),
                                          STORE_COLUMNS(key_columns),
                                          .row_bytes = sizeof(struct winner),
                                          .row_most = 1};
    struct winner *keys = NULL;
    size_t count = 0;
    const enum status status =
        store_read(page->store, &reading, &page->arena, &keys, &count, error);
    if (count == 0)
        return status;
    for (size_t i = 0; i < COUNT(key_columns); i++) /* all of eight bytes */
        memcpy((char *)winner + key_columns[i].offset, (char *)keys + key_columns[i].offset,
               sizeof(int64_t));
    return STATUS_OK;
}

static enum status find_gains(struct page *page, struct winner *winner, struct error *error)
{
    const struct store_parameter parameters[] = {
        {"baselines", winner->baselines},
        {"environment", arena_printf(&page->arena, "%lld", (long long)winner->environment_id)},
        {"problem", winner->problem},
        {"n", arena_printf(&page->arena, "%lld", (long long)winner->n)},
        {"l2_mode", winner->l2_mode},
        {"objective", winner->objective},
        {"time", arena_printf(&page->arena, "%.17g", winner->time_ns)}};
    const struct store_reading reading = {.sql = report_query_gains,
                                          STORE_PARAMETERS(parameters),
                                          STORE_COLUMNS(gain_columns),
                                          .row_bytes = sizeof(struct gain),
                                          .row_most = GAINS_MAX};
    return store_read(page->store, &reading, &page->arena, &winner->gains, &winner->gain_count,
                      error);
}

/* With what each is held against, without those of other devices. */
static enum status read_winners(struct page *page, struct error *error)
{
    const struct store_reading reading = {.sql = report_query_winners,
                                          STORE_COLUMNS(winner_columns),
                                          .row_bytes = sizeof(struct winner)};
    size_t all = 0;
    enum status status = page_read(page, reading, &page->winners, &all, error);
    for (size_t i = 0; status == STATUS_OK && i < all; i++) {
        struct winner *winner = &page->winners[i];
        const enum verdict headline =
            verdict_headline(verdict_named(winner->trust), coverage_named(winner->coverage));
        winner->trust = headline < VERDICTS ? verdict_name(headline) : "unknown";
        status = find_keys(page, winner, error);
        if (status != STATUS_OK || !page_has_environment(page, winner->environment_id))
            continue;
        status = find_gains(page, winner, error);
        if (status == STATUS_OK) {
            status = explain_winner(page->store, winner->id, &page->arena, &winner->why, error);
            winner->explained = status == STATUS_OK;
            if (status == STATUS_NOT_FOUND)
                error_clear(error);
            status = status == STATUS_NOT_FOUND ? STATUS_OK : status;
        }
        page->winners[page->winner_count++] = *winner;
    }
    return status;
}

/* ---- settings and parts ---- */

static bool same_device(const struct winner *a, const struct winner *b)
{
    return strcmp(a->device_uuid, b->device_uuid) == 0;
}

static bool same_setting(const struct winner *a, const struct winner *b)
{
    return same_device(a, b) && strcmp(a->l2_mode, b->l2_mode) == 0 &&
           strcmp(a->objective, b->objective) == 0;
}

/* "NVIDIA H200 (GPU-2a53ec06), L2 cold, by energy": only what tells it from the others. */
static const char *label_of(struct page *page, size_t first)
{
    const struct winner *winner = &page->winners[first];
    bool boards = false;
    bool modes = strcmp(winner->l2_mode, "cold") != 0;
    struct text label = {0};
    for (size_t i = 0; i < page->winner_count; i++) {
        const struct winner *other = &page->winners[i];
        bool same = same_device(winner, other);
        boards = boards || (!same && strcmp(winner->device, other->device) == 0);
        modes = modes || (same && strcmp(winner->l2_mode, other->l2_mode) != 0);
    }
    text_append(&label, winner->device);
    if (boards)
        text_printf(&label, " (%.12s)", winner->device_uuid);
    if (modes)
        text_printf(&label, ", L2 %s", winner->l2_mode);
    if (strcmp(winner->objective, "time") != 0)
        text_printf(&label, ", by %s", winner->objective);
    const char *kept = label.failed ? NULL : arena_strdup(&page->arena, text_string(&label));
    text_free(&label);
    return kept;
}

static double bytes_of(const struct winner *winner)
{
    return isnan(winner->gbs) ? 0 : round(winner->gbs * winner->time_ns);
}

/* The problem that moves most stands for the others; of several the first of the experiment. */
static bool tells_more(const struct winner *winner, const struct winner *other)
{
    double bytes = bytes_of(winner);
    double other_bytes = bytes_of(other);
    if (fabs(bytes - other_bytes) > 1e-6 * fmax(bytes, other_bytes))
        return bytes > other_bytes;
    return winner->n > other->n ||
           (winner->n == other->n && winner->problem_id < other->problem_id);
}

static size_t count_sound(const struct page *page, const struct part *part)
{
    size_t count = 0;
    for (size_t i = part->first; i < part->end; i++)
        count += strcmp(page->winners[i].trust, "sound") == 0;
    return count;
}

/* Of the experiment that is known best: most sound winners, then most winners. */
static size_t most_telling(const struct page *page, const struct setting *setting)
{
    const struct part *most = &page->parts[setting->part_first];
    for (size_t i = setting->part_first + 1; i < setting->part_end; i++) {
        const struct part *part = &page->parts[i];
        size_t sound = count_sound(page, part);
        size_t most_sound = count_sound(page, most);
        if (sound > most_sound ||
            (sound == most_sound && part->end - part->first > most->end - most->first))
            most = part;
    }
    return most->telling;
}

static enum status group_winners(struct page *page, struct error *error)
{
    page->parts = arena_alloc(&page->arena, page->winner_count, sizeof *page->parts);
    page->settings = arena_alloc(&page->arena, page->winner_count, sizeof *page->settings);
    if (page->winner_count > 0 && (!page->parts || !page->settings))
        return error_no_memory(error);
    for (size_t i = 0; i < page->winner_count; i++) {
        const struct winner *winner = &page->winners[i];
        bool begins = i == 0 || !same_setting(winner, winner - 1);
        if (begins) {
            const char *label = label_of(page, i);
            if (!label)
                return error_no_memory(error);
            page->settings[page->setting_count++] =
                (struct setting){.label = label, .first = i, .part_first = page->part_count};
        }
        if (begins || strcmp(winner->experiment, winner[-1].experiment) != 0)
            page->parts[page->part_count++] =
                (struct part){.experiment = winner->experiment, .first = i, .telling = i};
        struct part *part = &page->parts[page->part_count - 1];
        struct setting *setting = &page->settings[page->setting_count - 1];
        part->end = setting->end = i + 1;
        setting->part_end = page->part_count;
        if (tells_more(winner, &page->winners[part->telling]))
            part->telling = i;
    }
    for (size_t i = 0; i < page->setting_count; i++)
        page->settings[i].telling = most_telling(page, &page->settings[i]);
    return STATUS_OK;
}

enum status page_collect(struct page *page, struct error *error)
{
    const enum status status = read_winners(page, error);
    return status == STATUS_OK ? group_winners(page, error) : status;
}

/* ---- gains ---- */

size_t gain_names(const struct page *page, size_t first, size_t end, struct gain out[GAINS_MAX])
{
    size_t count = 0;
    for (size_t i = first; i < end; i++)
        for (size_t k = 0; k < page->winners[i].gain_count; k++) {
            const struct gain *gain = &page->winners[i].gains[k];
            bool known = isnan(gain->ratio) || gain->ratio <= 0;
            for (size_t j = 0; j < count && !known; j++)
                known = strcmp(out[j].name, gain->name) == 0;
            if (!known && count < GAINS_MAX)
                out[count++] = *gain;
        }
    return count;
}

size_t gain_names_told(const struct page *page, size_t first, size_t end,
                       struct gain out[GAINS_MAX])
{
    size_t kept = 0;
    size_t count = gain_names(page, first, end, out);
    for (size_t i = 0; i < count; i++)
        if (gain_mean(page, first, end, out[i].name).count > 0)
            out[kept++] = out[i];
    return kept;
}

enum ratio_report gain_told(const struct winner *winner, const struct gain *gain)
{
    return verdict_named(winner->trust) == VERDICT_UNSTABLE ? RATIO_UNKNOWN
                                                            : ratio_report(gain->low, gain->high);
}

const struct gain *gain_find(const struct winner *winner, const char *name)
{
    for (size_t i = 0; i < winner->gain_count; i++)
        if (strcmp(winner->gains[i].name, name) == 0 && winner->gains[i].ratio > 0)
            return &winner->gains[i];
    return NULL;
}

struct mean gain_mean(const struct page *page, size_t first, size_t end, const char *name)
{
    struct mean mean = {.low = (double)INFINITY};
    double sum = 0;
    for (size_t i = first; i < end; i++) {
        const struct gain *gain = gain_find(&page->winners[i], name);
        if (!gain || gain_told(&page->winners[i], gain) != RATIO_KNOWN)
            continue;
        const double ratio = gain->tied ? 1 : gain->ratio;
        sum += log(ratio);
        mean.low = fmin(mean.low, ratio);
        mean.high = fmax(mean.high, ratio);
        mean.count++;
    }
    mean.ratio = mean.count > 0 ? exp(sum / (double)mean.count) : (double)NAN;
    return mean;
}
