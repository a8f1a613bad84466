/* Entries for sizes that the domain of a winner's configuration excludes: of the other finalists,
 * the fastest of those that serve the most of these sizes. */
#include <math.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "tuner/base/array.h"
#include "tuner/device/traits.h"
#include "views/export/elsewhere.h"
#include "views/export/embedded.h"

/* Sampled sizes near a row's, and whether libtuned has an entry there, at most so far away: of
 * kernels that programs compile in, as far as look-ups reach. */
enum { POWERS = 16, PLACES = 9, PLACES_MIN = 2, SAMPLES = POWERS * PLACES };
static const double near_factor = 2, most_factor = 8;
struct samples {
    double factor;
    int64_t sizes[SAMPLES];
    bool served[SAMPLES];
};

struct choosing {
    struct experiments *experiments;
    const struct conf_row *rows;
    size_t count;
    const char **domains; /* the rows' domains, in the language of tuned.conf; NULL: not asked */
    const struct measured_row *finalists;
    size_t finalist_count;
};

/* Returns whether two rows are of one problem on one device, for all issues of launches. */
static bool is_beside(const struct conf_row *row, const struct conf_row *other)
{
    return strcmp(row->kind, other->kind) == 0 && strcmp(row->name, other->name) == 0 &&
           strcmp(row->capability, other->capability) == 0 && row->units == other->units &&
           strcmp(row->problem, other->problem) == 0 && !row->issue && !other->issue;
}

/* Samples odd multiples of powers of two, from the geometric middles to the sizes of other rows, or
 * up to eight times away. */
static void take_samples(const struct choosing *choosing, const struct conf_row *row,
                         struct samples *samples)
{
    double low = (double)row->n_low / most_factor;
    double high = (double)row->n_high * most_factor;
    samples->factor = device_traits(row->kind)->compute_api ? most_factor : near_factor;
    for (size_t i = 0; i < choosing->count; i++) {
        const struct conf_row *other = &choosing->rows[i];
        if (!is_beside(row, other))
            continue;
        if (other->n_high < row->n_low)
            low = fmax(low, sqrt((double)other->n_high * (double)row->n_low));
        else if (other->n_low > row->n_high)
            high = fmin(high, sqrt((double)other->n_low * (double)row->n_high));
    }
    for (int i = 0; i < SAMPLES; i++) {
        const int64_t step = INT64_C(1) << i % POWERS;
        const double place = 0.5 + floor((double)i / POWERS);
        const double size = low * pow(high / low, place / PLACES);
        const int64_t n = ((int64_t)size / step | 1) * step;
        samples->sizes[i] = (double)n >= low && (double)n <= high ? n : row->n;
    }
}

static void append_entry(struct text *conf, int64_t low, int64_t high, const char *domain)
{
    text_printf(conf, "p n=%lld-%lld x=1 | domain=\"%s\"\n", (long long)low, (long long)high,
                domain[0] ? domain : "1");
}

/* Notes for each sample whether libtuned finds one of the entries of a text. */
static enum status note_served(struct text *conf, struct samples *samples, struct error *error)
{
    const struct tuned_device device = {.kind = "cpu", .name = "X"};
    const struct tuned_options options = {.skip = TUNED_SKIP_ENVIRONMENT | TUNED_SKIP_USER |
                                                  TUNED_SKIP_SYSTEM,
                                          .built_in = conf->data,
                                          .built_in_bytes = conf->length,
                                          .size_factor = samples->factor};
    struct tuned *tuned = conf->failed ? NULL : tuned_open(&options, NULL);
    TRY_MEMORY(tuned);
    for (int i = 0; i < SAMPLES; i++) {
        struct tuned_answer answer;
        samples->served[i] =
            tuned_find(tuned, &device, "p", samples->sizes[i], &answer) != TUNED_NONE;
    }
    tuned_free(tuned);
    return STATUS_OK;
}

/* Notes the samples that entries of all the problem's rows serve. */
static enum status note_rows(const struct choosing *choosing, const struct conf_row *row,
                             struct samples *samples, struct error *error)
{
    struct text conf = {0};
    int64_t last = -1;
    text_append(&conf, "tuned-conf 5\n[cpu \"X\"]\n");
    for (size_t i = 0; i < choosing->count; i++)
        if (is_beside(row, &choosing->rows[i]) && choosing->domains[i] &&
            choosing->rows[i].n_low > last) {
            append_entry(&conf, choosing->rows[i].n_low, choosing->rows[i].n_high,
                         choosing->domains[i]);
            last = choosing->rows[i].n_high;
        }
    text_append(&conf, "end\n");
    const enum status status = note_served(&conf, samples, error);
    text_free(&conf);
    return status;
}

/* Notes the samples that a domain has, however far away. */
static enum status note_domain(const char *domain, struct samples *samples, struct error *error)
{
    struct text conf = {0};
    text_append(&conf, "tuned-conf 5\n[cpu \"X\"]\n");
    append_entry(&conf, 0, INT64_MAX, domain);
    text_append(&conf, "end\n");
    const enum status status = note_served(&conf, samples, error);
    text_free(&conf);
    return status;
}

/* Notes the samples that a finalist beside the row's winner serves. */
static enum status note_finalist(const struct choosing *choosing, const struct conf_row *row,
                                 const struct measured_row *finalist, struct samples *samples,
                                 struct error *error)
{
    struct elsewhere there = {0};
    const struct conf_row other = row_with(row, finalist);
    enum status status = elsewhere_domain(&there, choosing->experiments, &other, error);
    if (status == STATUS_OK)
        status = note_domain(text_string(&there.domain), samples, error);
    elsewhere_free(&there);
    return status;
}

/* Returns the fastest finalist beside a tuple's winner that checks found right at all tuples, if
 * the row's configuration is not; NULL: there is none. */
static const struct measured_row *choose_whole(const struct choosing *choosing,
                                               const struct conf_row *row)
{
    for (size_t i = 0; (row->multiples || row->is_listed > 0) && i < choosing->finalist_count;
         i++) {
        const struct measured_row *finalist = &choosing->finalists[i];
        if (finalist->winner == row->winner && !finalist->multiples && finalist->is_listed <= 0)
            return finalist;
    }
    return NULL;
}

/* Chooses for a row; *chosen NULL: none serves a size that the domain excludes and no row has. On a
 * device for which programs compile kernels, one that is there anyway may serve half as many. */
static enum status choose_for(const struct choosing *choosing, size_t index,
                              const struct measured_row **chosen, struct error *error)
{
    const struct conf_row *row = &choosing->rows[index];
    const bool is_compiled = device_traits(row->kind)->compute_api != NULL;
    struct samples by_rows;
    double most = 0;
    *chosen = row->family ? choose_whole(choosing, row) : NULL;
    if (row->family)
        return STATUS_OK;
    take_samples(choosing, row, &by_rows);
    struct samples by_row = by_rows;
    TRY(note_rows(choosing, row, &by_rows, error));
    TRY(note_domain(choosing->domains[index], &by_row, error));
    for (size_t i = 0; i < choosing->finalist_count; i++) {
        const struct measured_row *finalist = &choosing->finalists[i];
        struct samples by_finalist = by_rows;
        double more = 0;
        if (finalist->winner != row->winner)
            continue;
        TRY(note_finalist(choosing, row, finalist, &by_finalist, error));
        size_t places = 0;
        for (int place = 0; place < PLACES; place++) {
            const double before = more;
            for (int k = place * POWERS; k < (place + 1) * POWERS; k++)
                more += by_finalist.served[k] && !by_row.served[k] && !by_rows.served[k];
            places += more > before;
        }
        if (places < PLACES_MIN)
            continue;
        if (is_compiled &&
            portfolio_gives(choosing->experiments, row, finalist->parameters, finalist->derived))
            more *= 2;
        if (more > most) { /* the first of equals is the fastest */
            most = more;
            *chosen = finalist;
        }
    }
    return STATUS_OK;
}

/* Returns whether the row may have a second entry. */
static bool is_asked(const struct conf_row *row)
{
    return row->winner > 0 && !row->issue && row->is_inside;
}

/* Finds the domains of the rows that are asked about; *exclude: one of them excludes sizes. */
static enum status find_domains(struct choosing *choosing, struct arena *arena, bool *exclude,
                                struct error *error)
{
    *exclude = false;
    choosing->domains = arena_alloc(arena, choosing->count + 1, sizeof *choosing->domains);
    TRY_MEMORY(choosing->domains);
    for (size_t i = 0; i < choosing->count; i++) {
        struct elsewhere there = {0};
        if (!is_asked(&choosing->rows[i]))
            continue;
        const enum status status =
            elsewhere_domain(&there, choosing->experiments, &choosing->rows[i], error);
        choosing->domains[i] = arena_strdup(arena, text_string(&there.domain));
        *exclude = *exclude || there.domain.length > 0;
        elsewhere_free(&there);
        TRY(status);
        TRY_MEMORY(choosing->domains[i]);
    }
    return STATUS_OK;
}

/* Issue of second rows, and so `for` in tuned.conf. */
static const char second_issue[] = "all-other-sizes";

bool row_is_second(const struct conf_row *row)
{
    return row->issue && strcmp(row->issue, second_issue) == 0;
}

/* Makes the row of a chosen finalist out of the finalist's measurements. */
static struct conf_row second_row(const struct conf_row *measured,
                                  const struct measured_row *chosen)
{
    struct conf_row row = *measured;
    row.issue = second_issue;
    row.pick = chosen->trial;
    row.loss = chosen->loss;
    row.as_fast = row.not_compared = 0;
    memset(row.also, 0, sizeof row.also);
    return row;
}

/* Puts the second rows behind the others of the same device that are for any issue of launches. */
static bool insert(struct arena *arena, const struct conf_row *second, size_t second_count,
                   struct conf_row **rows, size_t *count)
{
    struct conf_row *all = arena_alloc(arena, *count + second_count + 1, sizeof *all);
    size_t total = 0;
    size_t taken = 0;
    for (size_t i = 0; all && i < *count; i++) {
        const struct conf_row *row = &(*rows)[i];
        const struct conf_row *next = i + 1 < *count ? row + 1 : NULL;
        all[total++] = *row;
        if (next && !next->issue && strcmp(row->kind, next->kind) == 0 &&
            strcmp(row->name, next->name) == 0 && row->units == next->units &&
            strcmp(row->capability, next->capability) == 0)
            continue;
        while (!row->issue && taken < second_count && strcmp(row->kind, second[taken].kind) == 0 &&
               strcmp(row->name, second[taken].name) == 0 && row->units == second[taken].units &&
               strcmp(row->capability, second[taken].capability) == 0)
            all[total++] = second[taken++];
    }
    *rows = all ? all : *rows;
    *count = all ? total : *count;
    return all != NULL;
}

/* Reads the finalists beside the winners of the rows whose domains exclude sizes. */
static enum status read_finalists(struct choosing *choosing, struct arena *arena,
                                  struct measured_row **out, struct error *error)
{
    struct text winners = {0};
    size_t winner_count = 0;
    for (size_t i = 0; i < choosing->count; i++)
        if (choosing->domains[i] && choosing->domains[i][0])
            text_printf(&winners, "%s%lld", winner_count++ > 0 ? "," : "[",
                        (long long)choosing->rows[i].winner);
    text_append(&winners, "]");
    const struct store_parameter parameters[] = {{"winners", text_string(&winners)}};
    const struct store_reading reading = {.sql = other_sizes_query,
                                          STORE_PARAMETERS(parameters),
                                          STORE_COLUMNS(measured_columns),
                                          .row_bytes = sizeof **out};
    const enum status status = winners.failed
                                   ? error_no_memory(error)
                                   : store_read(choosing->experiments->store, &reading, arena, out,
                                                &choosing->finalist_count, error);
    text_free(&winners);
    return status;
}

enum status other_sizes_add(struct experiments *experiments, const char *objective,
                            struct arena *arena, struct conf_row **rows, size_t *count,
                            struct error *error)
{
    struct choosing choosing = {.experiments = experiments, .rows = *rows, .count = *count};
    struct measured_row *finalists = NULL;
    struct conf_row *measured = NULL;
    struct text picks = {0};
    size_t second_count = 0, measured_count = 0;
    bool exclude = false;
    TRY(find_domains(&choosing, arena, &exclude, error));
    if (!exclude)
        return STATUS_OK;
    TRY(read_finalists(&choosing, arena, &finalists, error));
    choosing.finalists = finalists;
    const struct measured_row **of = arena_alloc(arena, *count + 1, sizeof(*of));
    struct conf_row *second = arena_alloc(arena, *count + 1, sizeof *second);
    if (!of || !second)
        return error_no_memory(error);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < *count; i++) {
        if (!choosing.domains[i] || !choosing.domains[i][0])
            continue;
        TRY_OR_CLEANUP(choose_for(&choosing, i, &of[i], error));
        if (of[i])
            text_printf(&picks, "%s[%lld,%lld]", second_count++ > 0 ? "," : "[",
                        (long long)of[i]->winner, (long long)of[i]->trial);
    }
    if (second_count == 0)
        goto cleanup;
    text_append(&picks, "]");
    const struct store_parameter parameters[CONF_PARAMETERS] = {{"objective", objective},
                                                                {"picks", text_string(&picks)}};
    TRY_OR_CLEANUP(picks.failed ? error_no_memory(error)
                                : conf_rows_read(experiments->store, conf_query, false, parameters,
                                                 arena, &measured, &measured_count, error));
    second_count = 0;
    for (size_t i = 0; i < *count && i < measured_count; i++)
        if (of[i])
            second[second_count++] = second_row(&measured[i], of[i]);
    if (!insert(arena, second, second_count, rows, count))
        status = error_no_memory(error);
cleanup:
    text_free(&picks);
    return status;
}
