/* The minimised quantity: time, energy, their product, or a formula over measured values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/model.h"
#include "tuner/experiment/read.h"
#include "tuner/experiment/token.h"

enum objective_kind { OBJECTIVE_TIME, OBJECTIVE_ENERGY, OBJECTIVE_EDP, OBJECTIVE_FORMULA };

static const char *const plain_names[] = {
    [OBJECTIVE_TIME] = "time",
    [OBJECTIVE_ENERGY] = "energy",
    [OBJECTIVE_EDP] = "edp",
};
enum { PLAIN_NAMES = sizeof plain_names / sizeof *plain_names };

static const char *const metric_names[] = {
    "time_ns",   "energy_j",     "power_w",   "bytes",   "launches",
    "registers", "shared_bytes", "occupancy", "threads",
};
enum { METRIC_NAMES = sizeof metric_names / sizeof *metric_names };
_Static_assert((int)METRIC_NAMES == (int)SLOT_COUNT_OBJECTIVE - (int)SLOT_COUNT,
               "a name for each slot");

struct objective {
    struct arena arena;
    const struct experiment *experiment;
    enum objective_kind kind;
    struct formula formula; /* owned by the arena or the experiment */
    const char *text;
    bool needs_energy;
};

/* ---- reading ---- */

static bool uses_energy(const struct formula *formula)
{
    return slot_set_has(&formula->uses, SLOT_ENERGY) || slot_set_has(&formula->uses, SLOT_POWER);
}

/* Refuses a formula of configuration and problem only, which would compare no measured value. */
static enum status check_measures(const struct formula *formula, struct error *error)
{
    if (slot_set_has(&formula->uses, SLOT_TIME) || uses_energy(formula))
        return STATUS_OK;
    return place_error(error, STATUS_BAD_INPUT, formula->place,
                       "an objective must name time_ns, energy_j or power_w: nothing else is "
                       "measured");
}

bool read_objectives(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    /* The names of problem and parameters, then those metrics whose names are free. Facts and
     * derived values are excluded: they may be unknown when trials are compared. */
    struct scope *scope = &experiment->objective_scope;
    *scope = (struct scope){.count = SLOT_COUNT_OBJECTIVE};
    for (size_t slot = SLOT_AXES; slot < SLOT_DERIVED; slot++)
        scope->names[slot] = experiment->scope.names[slot];
    for (size_t i = 0; i < METRIC_NAMES; i++)
        if (scope_find(scope, metric_names[i]) == scope->count)
            scope->names[SLOT_COUNT + i] = metric_names[i];
    if (!node)
        return true;
    TRY_OR_FALSE(need_kind(reader, node, NODE_MAPPING, "objectives"));
    if (node->count > OBJECTIVES_MAX)
        return node_error(reader, node, "%zu objectives; the most is %d", node->count,
                          OBJECTIVES_MAX);
    reader->scope = &experiment->objective_scope;
    for (const struct node *key = node->first; key; key = key->next) {
        struct named_formula *objective = &experiment->objectives[experiment->objective_count++];
        objective->name = key->text;
        TRY_OR_FALSE(need_name(reader, key, "the objective"));
        if (WORD_INDEX(key->text, plain_names, PLAIN_NAMES) < PLAIN_NAMES)
            return node_error(reader, key, "the objective '%s' is there already", key->text);
        const size_t taken = scope_find(scope, key->text);
        if (taken < scope->count)
            return node_error(reader, key, "the name '%s' is taken by %s", key->text,
                              taken < SLOT_COUNT ? "an axis, the size or a parameter"
                                                 : "parts of objectives");
        TRY_OR_FALSE(read_formula(reader, key->value, key->text, USE_ALL, &objective->formula) &&
                     check_measures(&objective->formula, reader->error) == STATUS_OK);
    }
    reader->scope = &experiment->scope;
    return true;
}

bool read_metrics(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    if (!node)
        return true;
    TRY_OR_FALSE(need_kind(reader, node, NODE_MAPPING, "metrics"));
    for (const struct node *key = node->first; key; key = key->next) {
        const struct node *value = key->value;
        bool right = true;
        if (strcmp(key->text, "bytes") == 0) {
            right = read_formula(reader, value, "bytes", USE_DEVICE, &experiment->bytes);
        } else if (strcmp(key->text, "ceiling") == 0) {
            right = read_choice(reader, value, "ceiling", ceiling_names, CEILINGS, USE_PROBLEM,
                                &experiment->ceiling);
        } else if (strcmp(key->text, "operations") == 0) {
            right = read_formula(reader, value, "operations", USE_DEVICE, &experiment->operations);
        } else if (strcmp(key->text, "operations_type") == 0) {
            right = read_choice(reader, value, "type", element_names, ELEMENT_TYPE_COUNT,
                                USE_PROBLEM, &experiment->operations_type);
        } else {
            TRY_OR_FALSE(need_name(reader, key, "the metric"));
            if (experiment->metric_count == EXPERIMENT_METRICS_MAX)
                return node_error(reader, key,
                                  "more than %d metrics besides bytes, ceiling, operations and "
                                  "operations_type",
                                  EXPERIMENT_METRICS_MAX);
            struct named_formula *metric = &experiment->metrics[experiment->metric_count++];
            metric->name = key->text;
            reader->scope = &experiment->objective_scope;
            right = read_formula(reader, value, key->text, USE_ALL, &metric->formula);
            reader->scope = &experiment->scope;
        }
        TRY_OR_FALSE(right);
    }
    return true;
}

/* ---- the stored text ---- */

/* Returns whether a blank separates the tokens; depends on tokens only, so that blanks in the input
 * make no difference. */
static bool blank_between(const struct token *before_last, const struct token *last,
                          enum token_kind next)
{
    const enum token_kind before = before_last->kind;
    const bool ends_operand = before == TOKEN_VALUE || before == TOKEN_NAME ||
                              before == TOKEN_CLOSE || before == TOKEN_CLOSE_LIST;
    const bool sign = last->kind == TOKEN_INVERT ||
                      (last->kind == TOKEN_BINARY && last->level == LEVEL_SUM && !ends_operand);
    if (last->kind == TOKEN_END || last->kind == TOKEN_OPEN || last->kind == TOKEN_OPEN_LIST ||
        sign || (next == TOKEN_OPEN && last->kind == TOKEN_NAME))
        return false;
    return next != TOKEN_CLOSE && next != TOKEN_CLOSE_LIST && next != TOKEN_COMMA;
}

static enum status normalise(struct arena *arena, const char *formula, const char **out,
                             struct error *error)
{
    struct source_text source = {.text = formula};
    struct text text = {0};
    struct token token = {0};
    struct token before_last = {.kind = TOKEN_END};
    struct token last = {.kind = TOKEN_END};
    enum status status = token_read(arena, &source, 0, &token, error);
    while (status == STATUS_OK && token.kind != TOKEN_END) {
        if (blank_between(&before_last, &last, token.kind))
            text_append(&text, " ");
        text_append_bytes(&text, formula + token.offset, token.length);
        before_last = last;
        last = token;
        status = token_read(arena, &source, token.offset + token.length, &token, error);
    }
    *out = text_to_arena(&text, arena);
    return status != STATUS_OK || *out ? status : error_no_memory(error);
}

static const struct place_file objective_file = {.path = "objective"};

static enum status parse_formula(struct objective *objective, const char *text, struct error *error)
{
    const struct experiment *experiment = objective->experiment;
    text += strspn(text, " \t\r\n");
    if (text[0] == '\0')
        return error_set(error, STATUS_BAD_INPUT,
                         "the objective is empty: time, energy, edp or a formula");
    struct source_text source = {
        .place = {.file = &objective_file, .line = 1, .column = 1},
        .text =
            arena_strdup(&objective->arena, text), /* the tree's texts may point into the text */
        .exact = true,
    };
    TRY_MEMORY(source.text);
    const struct scope *scope = &experiment->objective_scope;
    if (is_name(text) && scope_find(scope, text) >= scope->count) {
        /* A lone word that is no variable: most likely an objective's name. */
        const char *words[PLAIN_NAMES + OBJECTIVES_MAX + METRIC_NAMES];
        size_t count = 0;
        for (size_t i = 0; i < PLAIN_NAMES; i++)
            words[count++] = plain_names[i];
        for (size_t i = 0; i < experiment->objective_count; i++)
            words[count++] = experiment->objectives[i].name;
        for (size_t i = 0; i < METRIC_NAMES; i++)
            words[count++] = metric_names[i];
        return error_set(error, STATUS_BAD_INPUT, "no objective is named '%.60s'%s", text,
                         suggest(text, words, count).text);
    }
    TRY(expression_parse(&objective->arena, &source, &experiment->objective_scope, false,
                         &objective->formula, error));
    if (!check_number(experiment, &objective->formula, error))
        return error->status;
    TRY(check_measures(&objective->formula, error));
    TRY(normalise(&objective->arena, source.text, &objective->text, error));
    objective->needs_energy = uses_energy(&objective->formula);
    return STATUS_OK;
}

enum status objective_create(const struct experiment *experiment, const char *text,
                             struct objective **out, struct error *error)
{
    struct objective *objective = calloc(1, sizeof *objective);
    TRY_MEMORY(objective);
    objective->experiment = experiment;
    objective->kind = OBJECTIVE_FORMULA;
    enum status status = STATUS_OK;
    const size_t plain = WORD_INDEX(text, plain_names, PLAIN_NAMES);
    const struct named_formula *named = experiment->objectives;
    const struct named_formula *const end = named + experiment->objective_count;
    while (named < end && strcmp(named->name, text) != 0)
        named++;
    if (plain < PLAIN_NAMES) {
        objective->kind = (enum objective_kind)plain;
        objective->text = plain_names[plain];
        objective->needs_energy = plain != OBJECTIVE_TIME;
    } else if (named < end) {
        objective->formula = named->formula;
        objective->text = named->name;
        objective->needs_energy = uses_energy(&objective->formula);
    } else {
        status = parse_formula(objective, text, error);
    }
    if (status == STATUS_BAD_INPUT) /* the request is wrong, not a file */
        status = error->status = STATUS_USAGE;
    if (status == STATUS_OK)
        *out = objective;
    else
        objective_free(objective);
    return status;
}

void objective_free(struct objective *objective)
{
    if (!objective)
        return;
    arena_free(&objective->arena);
    free(objective);
}

bool objective_needs_energy(const struct objective *objective)
{
    return objective->needs_energy;
}

const char *objective_text(const struct objective *objective)
{
    return objective->text;
}

/* ---- the value ---- */

/* Binds a known value; a formula that needs an unbound one fails. */
static void bind_real(struct environment *environment, size_t slot, double value)
{
    if (isfinite(value))
        environment_bind(environment, slot, value_real(value));
}

static void bind_count(struct environment *environment, size_t slot, int64_t value)
{
    if (value >= 0)
        environment_bind(environment, slot, value_integer(value));
}

/* Starts a maker with the measured values, too. */
static bool begin_metrics(const struct experiment *experiment, const struct point *point,
                          const struct metrics *metrics, struct error *error, struct maker *out)
{
    maker_start(out, experiment, point->problem, point->facts, NULL, error);
    out->environment.scope = &experiment->objective_scope;
    struct environment *environment = &out->environment;
    const struct kernel_resources *resources = metrics->resources;
    const struct launch *first =
        metrics->plan && metrics->plan->launch_count > 0 ? &metrics->plan->launches[0] : NULL;
    bind_real(environment, SLOT_TIME, metrics->time_ns);
    bind_real(environment, SLOT_ENERGY, metrics->energy_j);
    bind_real(environment, SLOT_POWER, metrics->power_w);
    if (metrics->bytes > 0)
        bind_real(environment, SLOT_BYTES, metrics->bytes);
    if (first) {
        bind_count(environment, SLOT_LAUNCHES, (int64_t)metrics->plan->launch_count);
        /* On a CPU a block is one thread: count the threads that share the grid. */
        bind_count(environment, SLOT_THREADS,
                   first->threads > 0 ? (int64_t)first->threads
                                      : (int64_t)launch_block_threads(first));
    }
    if (resources) {
        bind_count(environment, SLOT_REGISTERS, resources->registers);
        if (metrics->plan && resources->static_shared_bytes >= 0)
            bind_count(environment, SLOT_SHARED,
                       (int64_t)resources->static_shared_bytes +
                           (int64_t)metrics->plan->launches[0].shared_bytes);
        if (resources->occupancy >= 0)
            bind_real(environment, SLOT_OCCUPANCY, resources->occupancy);
    }
    return maker_configure(out, point->configuration);
}

enum status point_metrics(const struct point *point, const struct metrics *metrics,
                          struct named_metric out[EXPERIMENT_METRICS_MAX], size_t *count,
                          struct error *error)
{
    const struct experiment *experiment = point->experiment;
    struct maker maker;
    *count = 0;
    if (!begin_metrics(experiment, point, metrics, error, &maker))
        return error->status;
    maker.error = NULL; /* a metric without a value is NaN */
    for (; *count < experiment->metric_count; ++*count) {
        const struct named_formula *metric = &experiment->metrics[*count];
        struct value value;
        out[*count] = (struct named_metric){.name = metric->name, .value = NAN};
        if (make_value(&maker, &metric->formula, &value))
            (void)value_number(value, &out[*count].value);
    }
    return STATUS_OK;
}

enum status objective_value(const struct objective *objective, const struct point *point,
                            const struct metrics *metrics, double *value, struct error *error)
{
    double result = NAN;
    switch (objective->kind) {
    case OBJECTIVE_TIME:
        result = metrics->time_ns;
        break;
    case OBJECTIVE_ENERGY:
        result = metrics->energy_j;
        break;
    case OBJECTIVE_EDP:
        result = metrics->energy_j * metrics->time_ns * 1e-9;
        break;
    case OBJECTIVE_FORMULA: {
        struct maker maker;
        struct value found;
        if (!begin_metrics(objective->experiment, point, metrics, error, &maker))
            return error->status;
        maker.environment.file = objective->formula.place.file;
        if (!make_value(&maker, &objective->formula, &found))
            return error->status;
        if (!value_number(found, &result))
            return place_error(error, STATUS_BAD_INPUT, objective->formula.place,
                               "the objective gives the text '%s', not a number", found.text);
        break;
    }
    }
    if (!(result > 0) || !isfinite(result))
        return error_set(error, STATUS_BAD_INPUT,
                         "the objective '%.200s' is %g here; it must be a positive number",
                         objective->text, result);
    *value = result;
    return STATUS_OK;
}
