/* The winners with what they are held against, in their settings. */
#include <math.h>
#include <string.h>

#include "tuner/report/internal.h"
#include "tuner/stats/estimate.h"
#include "tuner/stats/verdict.h"

extern const char report_query_winners[];
extern const char report_query_winner[];
extern const char report_query_gains[];

/* ---- one winner ---- */

static const char *keep(struct page *page, const char *text, bool *failed)
{
    const char *kept = text ? arena_strdup(&page->arena, text) : NULL;
    *failed = *failed || (text && !kept);
    return kept;
}

/* Columns by name: the query is that of `tune show`. */
static int column_of(const struct store_query *query, const char *name)
{
    int count = store_query_columns(query);
    for (int i = 0; i < count; i++)
        if (strcmp(store_query_name(query, i), name) == 0)
            return i;
    return -1;
}

static double real_of(struct store_query *query, const char *name)
{
    int column = column_of(query, name);
    return column < 0 ? (double)NAN : store_query_real(query, column);
}

static const char *text_of(struct page *page, struct store_query *query, const char *name,
                           bool *failed)
{
    int column = column_of(query, name);
    return column < 0 ? NULL : keep(page, store_query_text(query, column), failed);
}

struct pending {
    const char *trial, *baselines;
};

static enum status take_winner(struct page *page, struct store_query *row, struct winner *out,
                               struct pending *pending, struct error *error)
{
    bool failed = false;
    *out = (struct winner){
        .device = text_of(page, row, "device", &failed),
        .device_kind = text_of(page, row, "device_kind", &failed),
        .device_uuid = text_of(page, row, "device_uuid", &failed),
        .driver = text_of(page, row, "driver", &failed),
        .compiler = text_of(page, row, "compiler", &failed),
        .l2_mode = text_of(page, row, "l2_mode", &failed),
        .objective = text_of(page, row, "objective", &failed),
        .experiment = text_of(page, row, "experiment", &failed),
        .problem = text_of(page, row, "problem", &failed),
        .stage = text_of(page, row, "stage", &failed),
        .configuration = text_of(page, row, "configuration", &failed),
        .launches = text_of(page, row, "launches", &failed),
        .chosen_at = text_of(page, row, "chosen_at", &failed),
        .trust = text_of(page, row, "trust", &failed),
        .trust_reason = text_of(page, row, "trust_reason", &failed),
        .time_ns = real_of(row, "time_ns"),
        .time_low_ns = real_of(row, "time_low_ns"),
        .time_high_ns = real_of(row, "time_high_ns"),
        .gbs = real_of(row, "gbs"),
        .ceiling_percent = real_of(row, "ceiling_percent"),
        .claim_percent = real_of(row, "claim_percent"),
        .confidence = real_of(row, "confidence"),
    };
    if (!out->trust)
        out->trust = "unknown";
    int n = column_of(row, "n");
    int tied = column_of(row, "tied_count");
    out->n = n < 0 ? 0 : store_query_integer(row, n);
    out->tied_count = tied < 0 ? 0 : store_query_integer(row, tied);
    pending->trial = text_of(page, row, "trial_id", &failed);
    pending->baselines = text_of(page, row, "baselines", &failed);
    return failed ? error_no_memory(error) : STATUS_OK;
}

static enum status find_keys(struct page *page, struct winner *winner, const char *trial,
                             struct error *error)
{
    const struct store_parameter parameters[] = {{"trial", trial},
                                                 {"objective", winner->objective}};
    struct store_query *query = NULL;
    bool row = false;
    enum status status =
        store_query_open(page->store, report_query_winner, parameters, 2, &query, error);
    if (status == STATUS_OK)
        status = store_query_next(query, &row, error);
    if (status == STATUS_OK && row) {
        winner->id = store_query_integer(query, 0);
        winner->environment_id = store_query_integer(query, 1);
        winner->run_id = store_query_integer(query, 2);
        winner->floor_percent = store_query_real(query, 3);
        winner->rounds = store_query_integer(query, 4);
        winner->rounds_dropped = store_query_integer(query, 5);
        winner->problem_id = store_query_integer(query, 6);
        winner->compared = store_query_integer(query, 7);
    }
    store_query_close(query);
    return status;
}

static enum status find_gains(struct page *page, struct winner *winner, const char *baselines,
                              struct error *error)
{
    struct gain found[GAINS_MAX];
    bool failed = false;
    bool row = true;
    const struct store_parameter parameters[] = {
        {"baselines", baselines},
        {"environment", arena_printf(&page->arena, "%lld", (long long)winner->environment_id)},
        {"problem", winner->problem},
        {"n", arena_printf(&page->arena, "%lld", (long long)winner->n)},
        {"l2_mode", winner->l2_mode},
        {"objective", winner->objective},
        {"time", arena_printf(&page->arena, "%.17g", winner->time_ns)}};
    struct store_query *query = NULL;
    enum status status =
        store_query_open(page->store, report_query_gains, parameters, 7, &query, error);
    while (status == STATUS_OK && winner->gain_count < GAINS_MAX && !failed) {
        status = store_query_next(query, &row, error);
        if (status != STATUS_OK || !row)
            break;
        found[winner->gain_count++] = (struct gain){
            .name = keep(page, store_query_text(query, 0), &failed),
            .about = keep(page, store_query_text(query, 1), &failed),
            .ratio = store_query_real(query, 2),
            .low = store_query_real(query, 3),
            .high = store_query_real(query, 4),
            .peer = store_query_integer(query, 5) != 0,
            .tied = store_query_integer(query, 6) != 0,
        };
    }
    store_query_close(query);
    winner->gains = arena_copy(&page->arena, found, winner->gain_count * sizeof found[0]);
    if (status == STATUS_OK && (failed || (winner->gain_count > 0 && !winner->gains)))
        status = error_no_memory(error);
    return status;
}

static enum status explain(struct page *page, struct winner *winner, struct error *error)
{
    enum status status = explain_winner(page->store, winner->id, &page->arena, &winner->why, error);
    if (status == STATUS_NOT_FOUND) {
        error_clear(error);
        return STATUS_OK;
    }
    winner->explained = status == STATUS_OK;
    return status;
}

/* ---- all of them ---- */

static bool has_environment(const struct page *page, int64_t id)
{
    char digits[32];
    const char *at = page->environments_json;
    size_t length = 0;
    (void)string_format(digits, sizeof digits, "%lld", (long long)id);
    length = strlen(digits);
    while ((at = strstr(at + 1, digits)))
        if (strchr("[,", at[-1]) && strchr("],", at[length]))
            return true;
    return false;
}

static enum status read_winners(struct page *page, struct pending **pending, struct error *error)
{
    struct store_parameter parameters[PAGE_PARAMETERS];
    struct store_query *query = NULL;
    size_t capacity = 0;
    bool row = true;
    page_parameters(page, parameters);
    enum status status = store_query_open(page->store, report_query_winners, parameters,
                                          PAGE_PARAMETERS, &query, error);
    while (status == STATUS_OK) {
        status = store_query_next(query, &row, error);
        if (status != STATUS_OK || !row)
            break;
        if (page->winner_count == capacity) {
            size_t more = capacity == 0 ? 64 : 2 * capacity;
            struct winner *grown = arena_alloc(&page->arena, more, sizeof *grown);
            struct pending *left = arena_alloc(&page->arena, more, sizeof *left);
            if (!grown || !left) {
                status = error_no_memory(error);
                break;
            }
            if (capacity > 0) {
                memcpy(grown, page->winners, capacity * sizeof *grown);
                memcpy(left, *pending, capacity * sizeof *left);
            }
            page->winners = grown;
            *pending = left;
            capacity = more;
        }
        status = take_winner(page, query, &page->winners[page->winner_count],
                             &(*pending)[page->winner_count], error);
        page->winner_count++;
    }
    store_query_close(query);
    return status;
}

/* Looks up what each is held against, and leaves out those of other devices. */
static enum status complete_winners(struct page *page, const struct pending *pending,
                                    struct error *error)
{
    size_t kept = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < page->winner_count; i++) {
        struct winner *winner = &page->winners[i];
        status = find_keys(page, winner, pending[i].trial, error);
        if (status != STATUS_OK || !has_environment(page, winner->environment_id))
            continue;
        status = find_gains(page, winner, pending[i].baselines, error);
        if (status == STATUS_OK)
            status = explain(page, winner, error);
        page->winners[kept++] = *winner;
    }
    page->winner_count = kept;
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
    struct pending *pending = NULL;
    enum status status = read_winners(page, &pending, error);
    if (status == STATUS_OK)
        status = complete_winners(page, pending, error);
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
    size_t told = 0;
    size_t count = gain_names(page, first, end, out);
    for (size_t i = 0; i < count; i++)
        if (gain_mean(page, first, end, out[i].name).count > 0)
            out[told++] = out[i];
    return told;
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
        if (!gain || ratio_told(gain->low, gain->high) != RATIO_KNOWN ||
            verdict_named(page->winners[i].trust) == VERDICT_UNSTABLE)
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
