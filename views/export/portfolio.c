/* Chooses few kernels for all sizes and devices of a problem, as programs compile each of them in.
 * Candidates were measured beside the winners and lose next to no time. Kernels already compiled in
 * serve first; the fewest others cover the rest. */
#include "views/export/internal.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "tuner/base/array.h"
#include "tuner/base/json.h"
#include "tuner/device/traits.h"
#include "tuner/experiment/domain.h"
#include "views/export/elsewhere.h"
#include "views/export/embedded.h"

/* Greatest loss of a pick; the next one if a problem needs more than PORTFOLIO_MAX kernels. */
static const double bands[] = {0.01, 0.015, 0.02, 0.03};

#define OF(member) offsetof(struct measured_row, member)
const struct store_column measured_columns[MEASURED_COLUMNS] = {
    {"winner", OF(winner), STORE_INTEGER},
    {"trial_id", OF(trial), STORE_INTEGER},
    {"configuration_id", OF(configuration), STORE_INTEGER},
    {"parameters", OF(parameters), STORE_TEXT},
    {"derived", OF(derived), STORE_TEXT},
    {"loss", OF(loss), STORE_REAL},
    {"multiple", OF(multiple), STORE_INTEGER},
    {"least", OF(least), STORE_INTEGER},
    {"most", OF(most), STORE_INTEGER},
    {"is_listed", OF(is_listed), STORE_INTEGER},
    {"multiples", OF(multiples), STORE_TEXT},
};

struct conf_row row_with(const struct conf_row *row, const struct measured_row *measured)
{
    struct conf_row out = *row;
    out.parameters = measured->parameters;
    out.derived = measured->derived;
    out.multiple = measured->multiple;
    out.least = measured->least;
    out.most = measured->most;
    out.is_listed = measured->is_listed;
    out.multiples = measured->multiples;
    return out;
}

/* Sizes that have one configuration on one device: rows first .. last - 1 of conf.sql. */
struct cell {
    size_t first, last;
    size_t options, option_count; /* range of struct portfolio's options */
    size_t picked;                /* an option; option_count: the row stays unchanged */
    const char *domain;           /* the row's own; NULL: not known yet */
};

/* A configuration that may serve a cell. */
struct option {
    const struct measured_row *measured; /* row at the cell's first size; others are looked up */
    size_t kernel;
    double loss;        /* greatest loss over the cell's rows; INFINITY: may not serve */
    const char *domain; /* in the language of tuned.conf; NULL: not known yet */
};

struct kernel {
    const char *text; /* as in lists: "reduce.sum.i32 variant=atomic ..." */
    bool installed, chosen;
    size_t uses; /* cells that pick the kernel */
};

struct portfolio {
    struct experiments *experiments;
    const struct export_options *options;
    struct arena *arena;
    struct conf_row *rows;
    size_t row_count;
    const struct measured_row *measured; /* by winner */
    size_t measured_count;
    /* state of the problem: */
    struct cell *cells;
    struct option *items;
    struct kernel *kernels;
    size_t cell_count, item_count, item_capacity, kernel_count, kernel_capacity;
};

/* ---- cells and options ---- */

static const struct measured_row *first_of(const struct portfolio *portfolio, int64_t winner)
{
    size_t low = 0;
    size_t high = portfolio->measured ? portfolio->measured_count : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (portfolio->measured[middle].winner < winner)
            low = middle + 1;
        else
            high = middle;
    }
    return portfolio->measured ? &portfolio->measured[low] : NULL;
}

static const struct measured_row *find_at(const struct portfolio *portfolio, int64_t winner,
                                          int64_t configuration)
{
    const struct measured_row *end =
        portfolio->measured ? portfolio->measured + portfolio->measured_count : NULL;
    for (const struct measured_row *row = first_of(portfolio, winner);
         row < end && row->winner == winner; row++)
        if (row->configuration == configuration)
            return row;
    return NULL;
}

/* Returns the cell's options; NULL if no cell has any. */
static const struct option *options_of(const struct portfolio *portfolio, const struct cell *cell)
{
    return portfolio->items ? &portfolio->items[cell->options] : NULL;
}

/* Describes a kernel: the problem's key and the values that distinguish kernels. Returns false if
 * one is missing. */
static bool describe(const struct experiment *experiment, const char *problem,
                     const char *parameters, const char *derived, struct text *out)
{
    json_t *own = json_read(parameters, 0, NULL);
    json_t *made = json_read(derived && derived[0] ? derived : "{}", 0, NULL);
    bool complete = experiment && json_is_object(own) && json_is_object(made);
    const char *name = NULL;
    text_clear(out);
    text_append(out, problem);
    for (size_t i = 0; complete && (name = experiment_compiled_name(experiment, i)); i++) {
        const json_t *value = json_object_get(own, name);
        value = value ? value : json_object_get(made, name);
        complete = value != NULL;
        append_value(out, name, value);
    }
    json_decref(own);
    json_decref(made);
    return complete;
}

/* Returns whether a list has the kernel; false if memory is short. */
static bool is_installed(const char *list, const char *kernel)
{
    struct text line = {0};
    text_printf(&line, "\"%s\"", kernel);
    const bool has = list && !line.failed && strstr(list, text_string(&line));
    text_free(&line);
    return has;
}

/* Returns the kernel's place, added if new; kernel_count if memory is short. */
static size_t intern(struct portfolio *portfolio, const char *text)
{
    for (size_t i = 0; i < portfolio->kernel_count; i++)
        if (strcmp(portfolio->kernels[i].text, text) == 0)
            return i;
    struct kernel kernel = {.text = arena_strdup(portfolio->arena, text),
                            .installed = is_installed(portfolio->options->installed, text)};
    if (!kernel.text || !array_grow(&portfolio->kernels, portfolio->kernel_count,
                                    &portfolio->kernel_capacity, sizeof kernel))
        return portfolio->kernel_count;
    portfolio->kernels[portfolio->kernel_count] = kernel;
    return portfolio->kernel_count++;
}

/* Returns a configuration's greatest loss over the cell's sizes; INFINITY if unknown at one. */
static double worst_loss(const struct portfolio *portfolio, const struct cell *cell,
                         int64_t configuration)
{
    double worst = 0;
    for (size_t i = cell->first; i < cell->last; i++) {
        const struct measured_row *at =
            find_at(portfolio, portfolio->rows[i].winner, configuration);
        worst = at ? fmax(worst, at->loss) : (double)INFINITY;
    }
    return worst;
}

/* ---- domains ---- */

/* Returns a file with one entry of that domain; NULL: memory is short. */
static struct tuned *entry_of(const char *domain)
{
    struct text conf = {0};
    text_printf(&conf, "tuned-conf 5\n[cpu \"X\"]\np n=1-%lld x=1 | domain=\"%s\"\nend\n",
                (long long)INT64_MAX, domain);
    struct tuned *entry =
        conf.failed ? NULL : tuned_load_memory(conf.data, conf.length, "domain", NULL);
    text_free(&conf);
    return entry;
}

static bool has_size(const struct tuned *entry, int64_t n)
{
    const struct tuned_device device = {.kind = "cpu", .name = "X"};
    struct tuned_answer answer;
    return tuned_find(entry, &device, "p", n, &answer) != TUNED_NONE;
}

/* Returns whether a configuration of the domain `other` may be given in the domain `own`: of the
 * odd multiples of each power of two around n it has those that `own` has, on one side at least,
 * since the entry's sizes end somewhere. */
static bool covers(const char *own, const char *other, int64_t n)
{
    enum { POWERS = 16, AWAY = 2 };
    if (!other[0] || strcmp(own, other) == 0)
        return true;
    struct tuned *entries[] = {entry_of(own), entry_of(other)};
    bool right = entries[0] && entries[1];
    for (int i = 0; right && i < POWERS && INT64_C(1) << i <= n; i++) {
        const int64_t step = INT64_C(1) << i;
        bool lacks[2] = {false, false}; /* below n, and above */
        for (int64_t k = 1; k <= AWAY; k++)
            for (int side = 0; side < 2; side++) {
                const int64_t size = ((n / step | 1) + 2 * (side == 0 ? -k : k)) * step;
                lacks[side] = lacks[side] || (size > 0 && has_size(entries[0], size) &&
                                              !has_size(entries[1], size));
            }
        right = !lacks[0] || !lacks[1];
    }
    tuned_free(entries[0]);
    tuned_free(entries[1]);
    return right;
}

/* Finds the domain of a configuration that was measured beside the row's. */
static enum status find_domain(const struct portfolio *portfolio, const struct conf_row *row,
                               const struct experiment *experiment, const struct measured_row *at,
                               const char **domain, struct error *error)
{
    struct elsewhere there = {0};
    const struct conf_row other = row_with(row, at);
    *domain = "";
    if (at->multiple <= 1 && at->least <= 1 && at->most <= 0 && at->is_listed <= 0 &&
        !(row->family && at->multiples) && !domain_depends_on_size(experiment))
        return STATUS_OK;
    enum status status = elsewhere_domain(&there, portfolio->experiments, &other, error);
    *domain = arena_strdup(portfolio->arena, text_string(&there.domain));
    elsewhere_free(&there);
    return status == STATUS_OK && !*domain ? error_no_memory(error) : status;
}

/* Finds whether an option may be given in the domain of another one, or (option_count) of the row's
 * own configuration. */
static enum status may_serve(struct portfolio *portfolio, struct cell *cell, size_t option,
                             size_t instead, bool *may, struct error *error)
{
    const struct conf_row *row = &portfolio->rows[cell->first];
    const struct measured_row standing = {.parameters = row->parameters,
                                          .derived = row->derived,
                                          .multiple = row->multiple,
                                          .least = row->least,
                                          .most = row->most,
                                          .is_listed = row->is_listed,
                                          .multiples = row->multiples};
    struct option *items = &portfolio->items[cell->options];
    const struct measured_row *measured[] = {&standing, items[option].measured};
    const char **domains[] = {&cell->domain, &items[option].domain};
    if (instead < cell->option_count) {
        measured[0] = items[instead].measured;
        domains[0] = &items[instead].domain;
    }
    *may = measured[1]->configuration == row->configuration && instead == cell->option_count;
    if (*may)
        return STATUS_OK;
    const struct experiment *experiment =
        experiments_loaded(portfolio->experiments, row->experiment);
    for (int i = 0; i < 2; i++)
        if (!*domains[i])
            TRY(find_domain(portfolio, row, experiment, measured[i], domains[i], error));
    *may = covers(*domains[0], *domains[1], row->n);
    return STATUS_OK;
}

static enum status add_options(struct portfolio *portfolio, struct cell *cell, struct error *error)
{
    const struct conf_row *row = &portfolio->rows[cell->first];
    const struct experiment *experiment =
        experiments_loaded(portfolio->experiments, row->experiment);
    const struct measured_row *end =
        portfolio->measured ? portfolio->measured + portfolio->measured_count : NULL;
    struct text text = {0};
    enum status status = STATUS_OK;
    cell->options = portfolio->item_count;
    for (const struct measured_row *at = first_of(portfolio, row->winner);
         experiment && status == STATUS_OK && at < end && at->winner == row->winner; at++) {
        struct option option = {at, 0, worst_loss(portfolio, cell, at->configuration), NULL};
        if (isinf(option.loss) ||
            !describe(experiment, row->problem, at->parameters, at->derived, &text))
            continue;
        const size_t known = portfolio->kernel_count;
        option.kernel = text.failed ? known : intern(portfolio, text_string(&text));
        if (option.kernel >= portfolio->kernel_count ||
            !array_grow(&portfolio->items, portfolio->item_count, &portfolio->item_capacity,
                        sizeof option))
            status = error_no_memory(error);
        else
            portfolio->items[portfolio->item_count++] = option;
    }
    text_free(&text);
    cell->option_count = portfolio->item_count - cell->options;
    cell->picked = cell->option_count;
    return status;
}

/* ---- choosing ---- */

/* Returns the cell's best option of a kernel, the row's own among equals; else option_count. */
static size_t best_of(const struct portfolio *portfolio, const struct cell *cell, size_t kernel,
                      double band)
{
    const int64_t stands = portfolio->rows[cell->first].configuration;
    size_t best = cell->option_count;
    for (size_t i = 0; i < cell->option_count; i++) {
        const struct option *items = options_of(portfolio, cell);
        if (items[i].kernel != kernel || items[i].loss > band)
            continue;
        if (best == cell->option_count || items[i].loss < items[best].loss ||
            (items[i].loss <= items[best].loss && items[i].measured->configuration == stands))
            best = i;
    }
    return best;
}

static bool is_served(const struct portfolio *portfolio, const struct cell *cell, double band)
{
    for (size_t i = 0; i < cell->option_count; i++) {
        const struct option *option = &portfolio->items[cell->options + i];
        if (portfolio->kernels[option->kernel].chosen && option->loss <= band)
            return true;
    }
    return false;
}

/* Chooses kernels: those available for free, then repeatedly the one that serves the most unserved
 * cells, with the least loss among equals. Returns how many were chosen. */
static size_t cover(struct portfolio *portfolio, double band)
{
    size_t chosen = 0;
    for (size_t k = 0; k < portfolio->kernel_count; k++)
        portfolio->kernels[k].chosen = portfolio->kernels[k].installed;
    for (;;) {
        size_t best = portfolio->kernel_count;
        size_t most = 0;
        double least = 0;
        for (size_t k = 0; k < portfolio->kernel_count; k++) {
            size_t serves = 0;
            double loss = 0;
            for (size_t c = 0; c < portfolio->cell_count; c++) {
                const struct cell *cell = &portfolio->cells[c];
                const size_t option = best_of(portfolio, cell, k, band);
                if (option == cell->option_count || is_served(portfolio, cell, band))
                    continue;
                serves++;
                loss += portfolio->items[cell->options + option].loss;
            }
            if (serves > most ||
                (serves == most && serves > 0 &&
                 (loss < least || (loss <= least && strcmp(portfolio->kernels[k].text,
                                                           portfolio->kernels[best].text) < 0)))) {
                best = k;
                most = serves;
                least = loss;
            }
        }
        if (most == 0)
            return chosen;
        portfolio->kernels[best].chosen = true;
        chosen++;
    }
}

/* Picks each cell's best option of the chosen kernels. */
static void pick(struct portfolio *portfolio, double band)
{
    for (size_t k = 0; k < portfolio->kernel_count; k++)
        portfolio->kernels[k].uses = 0;
    for (size_t c = 0; c < portfolio->cell_count; c++) {
        struct cell *cell = &portfolio->cells[c];
        const struct option *items = options_of(portfolio, cell);
        cell->picked = cell->option_count;
        for (size_t k = 0; k < portfolio->kernel_count; k++) {
            const size_t option = portfolio->kernels[k].chosen ? best_of(portfolio, cell, k, band)
                                                               : cell->option_count;
            const bool stands =
                option < cell->option_count &&
                items[option].measured->configuration == portfolio->rows[cell->first].configuration;
            if (option == cell->option_count)
                continue;
            const bool none = cell->picked == cell->option_count;
            const bool installed = portfolio->kernels[k].installed;
            const bool had = !none && portfolio->kernels[items[cell->picked].kernel].installed;
            if (none || (installed && !had) ||
                (installed == had && (items[option].loss < items[cell->picked].loss ||
                                      (stands && items[option].loss <= items[cell->picked].loss))))
                cell->picked = option;
        }
        if (cell->picked < cell->option_count)
            portfolio->kernels[items[cell->picked].kernel].uses++;
    }
}

/* ---- alternatives ---- */

/* Counts the values that differ between two kernels of the problem. */
static size_t distance(const char *a, const char *b)
{
    enum {
        DECIDING = 100
    }; /* the first: by which the kernel itself is another, where files say so */
    size_t count = 0;
    for (size_t at = 0; *a && *b; at++) {
        const size_t in_a = strcspn(a, " ");
        const size_t in_b = strcspn(b, " ");
        if (in_a != in_b || strncmp(a, b, in_a) != 0)
            count += at == 1 ? DECIDING : 1; /* behind the problem's key */
        a += in_a + (a[in_a] ? 1 : 0);
        b += in_b + (b[in_b] ? 1 : 0);
    }
    return count;
}

/* Returns the values of `to` that differ from `from`: parameters, and others that distinguish
 * kernels. */
static const char *differences(struct portfolio *portfolio, const struct experiment *experiment,
                               const struct measured_row *from, const struct measured_row *to)
{
    struct text out = {0};
    json_t *parts[2][2] = {
        {json_read(from->parameters, 0, NULL), json_read(to->parameters, 0, NULL)},
        {json_read(from->derived ? from->derived : "{}", 0, NULL),
         json_read(to->derived ? to->derived : "{}", 0, NULL)}};
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(parts[0][1], name, value)
    {
        if (!json_equal(value, json_object_get(parts[0][0], name)))
            append_value(&out, name, value);
    }
    for (size_t i = 0; (name = experiment_compiled_name(experiment, i)); i++) {
        value = json_object_get(parts[0][1], name) ? NULL : json_object_get(parts[1][1], name);
        if (value && !json_equal(value, json_object_get(parts[1][0], name)))
            append_value(&out, name, value);
    }
    for (size_t i = 0; i < COUNT(parts); i++) {
        json_decref(parts[i][0]);
        json_decref(parts[i][1]);
    }
    const char *text =
        out.failed || out.length == 0 ? NULL : arena_strdup(portfolio->arena, out.data + 1);
    text_free(&out);
    return text;
}

/* Returns true if `a` is the better alternative: first kernels available anyway, then those farther
 * from the listed ones. */
static bool comes_before(const struct portfolio *portfolio, bool common_first,
                         const struct option *a, size_t a_far, const struct option *b, size_t b_far)
{
    const struct kernel *of_a = &portfolio->kernels[a->kernel];
    const struct kernel *of_b = &portfolio->kernels[b->kernel];
    const bool common_a = of_a->installed || of_a->uses > 0;
    const bool common_b = of_b->installed || of_b->uses > 0;
    if (common_first && common_a != common_b)
        return common_a;
    if (a_far != b_far)
        return a_far > b_far;
    return a->loss < b->loss || (a->loss <= b->loss && strcmp(of_a->text, of_b->text) < 0);
}

/* Lists alternatives as different as possible from the pick and from one another, so that programs
 * have one of them, whatever they compile in or prepare. */
static enum status list_alternatives(struct portfolio *portfolio, struct cell *cell, double band,
                                     struct error *error)
{
    const struct option *items = options_of(portfolio, cell);
    size_t listed[EXPORT_ALTERNATIVES + 1] = {cell->picked};
    struct conf_row *row = &portfolio->rows[cell->first];
    const struct experiment *experiment =
        experiments_loaded(portfolio->experiments, row->experiment);
    for (size_t count = 1; count <= EXPORT_ALTERNATIVES && experiment; count++) {
        size_t best = cell->option_count;
        size_t best_far = 0;
        for (size_t i = 0; i < cell->option_count; i++) {
            size_t far = SIZE_MAX;
            for (size_t k = 0; k < count; k++) {
                const size_t apart = distance(portfolio->kernels[items[i].kernel].text,
                                              portfolio->kernels[items[listed[k]].kernel].text);
                far = apart < far ? apart : far;
            }
            if (far == 0 || items[i].loss > band)
                continue;
            if (best == cell->option_count ||
                comes_before(portfolio, count < EXPORT_ALTERNATIVES, &items[i], far, &items[best],
                             best_far)) {
                best = i;
                best_far = far;
            }
        }
        bool may = false;
        if (best == cell->option_count)
            return STATUS_OK;
        TRY(may_serve(portfolio, cell, best, cell->picked, &may, error));
        if (!may) {
            portfolio->items[cell->options + best].loss = (double)INFINITY;
            count--;
            continue;
        }
        listed[count] = best;
        const char *also =
            differences(portfolio, experiment, items[cell->picked].measured, items[best].measured);
        for (size_t i = cell->first; i < cell->last; i++)
            portfolio->rows[i].also[count - 1] = also;
    }
    return STATUS_OK;
}

/* ---- available kernels ---- */

/* Returns the picks of a kind and problem, or NULL. */
static const json_t *kept_of(const struct experiments *experiments, const char *kind,
                             const char *problem)
{
    char name[2 * VALUE_TEXT_BYTES + PROBLEM_KEY_BYTES];
    return string_format(name, sizeof name, "%s %s", kind, problem)
               ? json_object_get(experiments->kept, name)
               : NULL;
}

bool portfolio_has(struct experiments *experiments, const char *kind, const char *problem,
                   const char *parameters, const char *derived)
{
    const json_t *kept = kept_of(experiments, kind, problem);
    const json_int_t id = json_integer_value(json_object_get(kept, "experiment"));
    struct text kernel = {0};
    const bool has =
        kept &&
        describe(experiments_loaded(experiments, id), problem, parameters, derived, &kernel) &&
        json_object_get(json_object_get(kept, "kernels"), text_string(&kernel));
    text_free(&kernel);
    return has;
}

bool portfolio_gives(struct experiments *experiments, const struct conf_row *row,
                     const char *parameters, const char *derived)
{
    struct text kernel = {0};
    const bool is_listed = describe(experiments_loaded(experiments, row->experiment), row->problem,
                                    parameters, derived, &kernel) &&
                           is_installed(experiments->installed, text_string(&kernel));
    text_free(&kernel);
    return is_listed || portfolio_has(experiments, row->kind, row->problem, parameters, derived);
}

size_t portfolio_count(const struct experiments *experiments, const char *kind, const char *problem)
{
    return json_object_size(json_object_get(kept_of(experiments, kind, problem), "kernels"));
}

/* Notes the kernels that cells picked. */
static enum status keep_kernels(const struct portfolio *portfolio, struct error *error)
{
    struct experiments *experiments = portfolio->experiments;
    const struct conf_row *first = NULL;
    char problem[2 * VALUE_TEXT_BYTES + PROBLEM_KEY_BYTES];
    json_t *kernels = json_object();
    for (size_t c = 0; c < portfolio->cell_count; c++) {
        const struct cell *cell = &portfolio->cells[c];
        if (cell->picked == cell->option_count)
            continue;
        const struct option *option = &portfolio->items[cell->options + cell->picked];
        first = first ? first : &portfolio->rows[cell->first];
        (void)json_object_set_new(kernels, portfolio->kernels[option->kernel].text, json_true());
    }
    json_t *kept = json_pack("{s: I, s: o}", "experiment",
                             (json_int_t)(first ? first->experiment : 0), "kernels", kernels);
    if (!experiments->kept)
        experiments->kept = json_object();
    if (!first || !string_format(problem, sizeof problem, "%s %s", first->kind, first->problem)) {
        json_decref(kept);
        return STATUS_OK;
    }
    return kept && json_object_set_new(experiments->kept, problem, kept) == 0
               ? STATUS_OK
               : error_no_memory(error);
}

/* ---- a problem ---- */

static enum status serve_problem(struct portfolio *portfolio, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t c = 0; c < portfolio->cell_count && status == STATUS_OK; c++)
        status = add_options(portfolio, &portfolio->cells[c], error);
    if (status != STATUS_OK)
        return status;
    double band = bands[0];
    for (bool is_refused = true; is_refused;) {
        for (size_t b = 0; b < COUNT(bands); b++) {
            band = bands[b];
            if (cover(portfolio, band) <= PORTFOLIO_MAX)
                break;
        }
        pick(portfolio, band);
        is_refused = false;
        for (size_t c = 0; c < portfolio->cell_count; c++) {
            struct cell *cell = &portfolio->cells[c];
            bool may = true;
            if (cell->picked < cell->option_count)
                TRY(may_serve(portfolio, cell, cell->picked, cell->option_count, &may, error));
            if (!may)
                portfolio->items[cell->options + cell->picked].loss = (double)INFINITY;
            is_refused = is_refused || !may;
        }
    }
    for (size_t c = 0; c < portfolio->cell_count; c++)
        if (portfolio->cells[c].picked < portfolio->cells[c].option_count)
            TRY(list_alternatives(portfolio, &portfolio->cells[c], band, error));
    for (size_t c = 0; c < portfolio->cell_count; c++) {
        const struct cell *cell = &portfolio->cells[c];
        if (cell->picked == cell->option_count)
            continue;
        const struct option *option = &portfolio->items[cell->options + cell->picked];
        for (size_t i = cell->first; i < cell->last; i++) {
            struct conf_row *row = &portfolio->rows[i];
            const struct measured_row *at =
                find_at(portfolio, row->winner, option->measured->configuration);
            if (!at || row->configuration == at->configuration)
                continue;
            row->pick = at->trial;
            row->loss = option->loss;
        }
    }
    return keep_kernels(portfolio, error);
}

/* Finds the problem's cells: the rows of a range, or a single row. Skips rows left out, and boxes
 * of sizes with several names, whose configuration holds by looks. Returns false if memory is
 * short. */
static bool find_cells(struct portfolio *portfolio, const char *problem, const char *kind)
{
    portfolio->cells = arena_alloc(portfolio->arena, portfolio->row_count, sizeof(struct cell));
    portfolio->cell_count = portfolio->item_count = portfolio->kernel_count = 0;
    for (size_t i = 0; portfolio->cells && i < portfolio->row_count; i++) {
        const struct conf_row *row = &portfolio->rows[i];
        if (strcmp(row->problem, problem) != 0 || strcmp(row->kind, kind) != 0 ||
            (!portfolio->options->include_unstable && row->trust &&
             strcmp(row->trust, "unstable") == 0) ||
            (row->further && row->further[0]))
            continue;
        struct cell *next = &portfolio->cells[portfolio->cell_count];
        if (portfolio->cell_count > 0 && row->range >= 0 && next[-1].last == i &&
            portfolio->rows[next[-1].first].range == row->range)
            next[-1].last++;
        else
            portfolio->cells[portfolio->cell_count++] = (struct cell){.first = i, .last = i + 1};
    }
    return portfolio->cells != NULL;
}

enum status portfolio_choose(struct experiments *experiments, const struct export_options *options,
                             struct arena *arena, struct conf_row *rows, size_t count,
                             struct error *error)
{
    struct portfolio portfolio = {.experiments = experiments,
                                  .options = options,
                                  .arena = arena,
                                  .rows = rows,
                                  .row_count = count};
    struct text winners = {0};
    char most[VALUE_TEXT_BYTES];
    struct measured_row *measured = NULL;
    for (size_t i = 0; i < count; i++)
        text_printf(&winners, "%s%lld", i > 0 ? "," : "[", (long long)rows[i].winner);
    text_append(&winners, count > 0 ? "]" : "[]");
    (void)value_format(value_real(bands[COUNT(bands) - 1]), most, sizeof most);
    const struct store_parameter parameters[] = {{"winners", text_string(&winners)},
                                                 {"most", most}};
    const struct store_reading reading = {.sql = portfolio_query,
                                          STORE_PARAMETERS(parameters),
                                          STORE_COLUMNS(measured_columns),
                                          .row_bytes = sizeof *measured};
    enum status status = winners.failed ? error_no_memory(error)
                                        : store_read(experiments->store, &reading, arena, &measured,
                                                     &portfolio.measured_count, error);
    portfolio.measured = measured;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        bool is_served = false; /* with an earlier row of the problem */
        for (size_t k = 0; k < i && !is_served; k++)
            is_served = strcmp(rows[k].problem, rows[i].problem) == 0 &&
                        strcmp(rows[k].kind, rows[i].kind) == 0;
        if (!device_traits(rows[i].kind)->compute_api || is_served)
            continue;
        status = find_cells(&portfolio, rows[i].problem, rows[i].kind)
                     ? serve_problem(&portfolio, error)
                     : error_no_memory(error);
    }
    text_free(&winners);
    free(portfolio.items);
    free(portfolio.kernels);
    return status;
}
