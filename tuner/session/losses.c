#include "tuner/session/losses.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/recall.h"
#include "tuner/session/embedded.h"
#include "tuner/store/query.h"

struct parameters {
    char environment[32], experiment[32], within[VALUE_TEXT_BYTES];
    struct store_parameter items[6];
};

static void fill_parameters(const struct work *work, const char *key, struct parameters *parameters)
{
    (void)string_format(parameters->environment, sizeof parameters->environment, "%" PRId64,
                        work->environment_id);
    (void)string_format(parameters->experiment, sizeof parameters->experiment, "%" PRId64,
                        work->experiment_id);
    (void)value_format(value_real(work->protocol->within), parameters->within,
                       sizeof parameters->within);
    const struct store_parameter items[] = {
        {"environment", parameters->environment},
        {"experiment", parameters->experiment},
        {"key", key},
        {"l2_mode", l2_mode_name(work->options->l2_mode)},
        {"objective", objective_text(work->objective)},
        {"within", parameters->within},
    };
    memcpy(parameters->items, items, sizeof items);
}

enum status losses_covered(const struct work *work, const char *key, bool *known,
                           struct error *error)
{
    struct parameters parameters;
    struct store_query *query = NULL;
    bool row = false;
    fill_parameters(work, key, &parameters);
    enum status status =
        store_query_open(work->store, ranges_known_query, parameters.items, 6, &query, error);
    if (status == STATUS_OK)
        status = store_query_next(query, &row, error);
    *known = status == STATUS_OK && row && store_query_integer(query, 0) > 0;
    store_query_close(query);
    return status;
}

/* A row of the query. */
struct loss_row {
    int64_t n, configuration_id;
    const char *key, *parameters;
    double loss, bound; /* NaN: unknown */
    bool is_winner;
    bool is_barred; /* excluded from sizes other than this one */
    int64_t multiple, least;
};

struct rows {
    struct loss_row *items;
    size_t count;
};

static size_t size_index(const struct losses *losses, int64_t n)
{
    size_t i = 0;
    while (i < losses->size_count && losses->sizes[i] != n)
        i++;
    return i;
}

static int by_size(const void *left, const void *right)
{
    const int64_t *a = left;
    const int64_t *b = right;
    return (*a > *b) - (*a < *b);
}

/* Finds or adds the row's configuration. Rows come in the fixed order; an excluded configuration is
 * listed once for each size. */
static size_t item_index(struct losses *losses, const struct loss_row *row)
{
    for (size_t i = row->is_barred ? 0 : losses->count; i > 0; i--)
        if (losses->items[i - 1].id == row->configuration_id)
            return i - 1;
    losses->items[losses->count] =
        (struct known_configuration){.id = row->configuration_id,
                                     .key = row->key,
                                     .parameters = row->parameters,
                                     .domain = {.multiple = row->multiple > 1 ? row->multiple : 1,
                                                .least = row->least > 1 ? row->least : 1,
                                                .is_listed = row->is_barred}};
    return losses->count++;
}

static void fill_cell(struct losses *losses, const struct loss_row *row, size_t configuration)
{
    size_t size = size_index(losses, row->n);
    size_t cell = size * losses->count + configuration;
    if (size == losses->size_count)
        return;
    if (!isnan(row->bound))
        losses->bound[cell] = fmax(row->bound, 0);
    if (row->is_winner)
        losses->loss[cell] = 0;
    else if (!isnan(row->loss))
        losses->loss[cell] = fmax(row->loss, 0);
    else
        losses->loss[cell] = losses->bound[cell];
    if (row->is_winner)
        losses->winners[size] = configuration;
}

enum status losses_load(const struct work *work, struct losses *losses, struct error *error)
{
    struct rows rows = {0};
    *losses = (struct losses){.work = work};
    static const struct store_column columns[] = {
        {"n", offsetof(struct loss_row, n), STORE_INTEGER},
        {"configuration_id", offsetof(struct loss_row, configuration_id), STORE_INTEGER},
        {"key", offsetof(struct loss_row, key), STORE_TEXT},
        {"loss", offsetof(struct loss_row, loss), STORE_REAL},
        {"is_winner", offsetof(struct loss_row, is_winner), STORE_TRUTH},
        {"parameters", offsetof(struct loss_row, parameters), STORE_TEXT},
        {"bound", offsetof(struct loss_row, bound), STORE_REAL},
        {"is_barred", offsetof(struct loss_row, is_barred), STORE_TRUTH},
        {"multiple", offsetof(struct loss_row, multiple), STORE_INTEGER},
        {"least", offsetof(struct loss_row, least), STORE_INTEGER},
    };
    struct parameters parameters;
    fill_parameters(work, work->problem.key, &parameters);
    const struct store_reading reading = {.sql = losses_query,
                                          .parameters = parameters.items,
                                          .parameter_count = 5,
                                          STORE_COLUMNS(columns),
                                          .row_bytes = sizeof *rows.items};
    TRY(store_read(work->store, &reading, &losses->arena, &rows.items, &rows.count, error));
    losses->items = arena_alloc(&losses->arena, rows.count + 1, sizeof *losses->items);
    size_t *of = arena_alloc(&losses->arena, rows.count + 1, sizeof *of);
    if (!losses->items || !of)
        return error_no_memory(error);
    for (size_t i = 0; i < rows.count; i++) {
        if (size_index(losses, rows.items[i].n) == losses->size_count &&
            losses->size_count < SESSION_SIZES_MAX)
            losses->sizes[losses->size_count++] = rows.items[i].n;
        of[i] = item_index(losses, &rows.items[i]);
    }
    qsort(losses->sizes, losses->size_count, sizeof losses->sizes[0], by_size);
    size_t cells = losses->size_count * losses->count + 1;
    losses->loss = arena_alloc(&losses->arena, cells, sizeof *losses->loss);
    losses->bound = arena_alloc(&losses->arena, cells, sizeof *losses->bound);
    losses->looked = arena_alloc(&losses->arena, cells, sizeof *losses->looked);
    losses->winners = arena_alloc(&losses->arena, losses->size_count + 1, sizeof(size_t));
    losses->order = arena_alloc(&losses->arena, losses->count + 1, sizeof(size_t));
    if (!losses->loss || !losses->bound || !losses->looked || !losses->winners || !losses->order)
        return error_no_memory(error);
    for (size_t i = 0; i < cells; i++)
        losses->loss[i] = losses->bound[i] = (double)INFINITY;
    for (size_t i = 0; i < losses->size_count; i++)
        losses->winners[i] = losses->count;
    for (size_t i = 0; i < losses->count; i++)
        losses->order[i] = i;
    for (size_t i = 0; i < rows.count; i++)
        fill_cell(losses, &rows.items[i], of[i]);
    return STATUS_OK;
}

enum status losses_refuted(const struct work *work, const char *family, struct arena *arena,
                           int64_t **ids, size_t *count, struct error *error)
{
    static const struct store_column columns[] = {{"configuration_id", 0, STORE_INTEGER}};
    struct parameters parameters;
    fill_parameters(work, family, &parameters);
    const struct store_parameter wanted[] = {
        parameters.items[0], parameters.items[1], {"family", family}};
    const struct store_reading reading = {.sql = refuted_sizes_query,
                                          STORE_PARAMETERS(wanted),
                                          STORE_COLUMNS(columns),
                                          .row_bytes = sizeof **ids};
    return store_read(work->store, &reading, arena, ids, count, error);
}

enum status losses_shapes(const struct work *work, const char *family, struct arena *arena,
                          const char *const **shapes, size_t *count, struct error *error)
{
    static const struct store_column columns[] = {{"shape", 0, STORE_TEXT}};
    struct parameters parameters;
    fill_parameters(work, family, &parameters);
    const struct store_parameter wanted[] = {parameters.items[1], {"key", family}};
    const struct store_reading reading = {.sql = family_sizes_query,
                                          STORE_PARAMETERS(wanted),
                                          STORE_COLUMNS(columns),
                                          .row_bytes = sizeof **shapes};
    return store_read(work->store, &reading, arena, shapes, count, error);
}

void losses_free(struct losses *losses)
{
    arena_free(&losses->arena);
}

/* Finds the item's configuration in the space of the size at which it was measured. */
static bool seek_in_space(struct losses *losses, int64_t n, struct known_configuration *item)
{
    struct problem problem;
    struct configuration configuration;
    struct error ignored = {0};
    const struct work *work = losses->work;
    bool found = false;
    bool admits = false;
    experiment_problem_at(work->experiment, &work->problem, n, &problem);
    if (recall_configuration(work->experiment, item->parameters, &losses->arena, &configuration,
                             &found, &ignored) == STATUS_OK &&
        found &&
        space_admits(work->experiment, &problem, work->facts, &configuration, &admits, &ignored) ==
            STATUS_OK &&
        admits)
        item->configuration = arena_copy(&losses->arena, &configuration, sizeof configuration);
    return item->configuration != NULL;
}

const struct configuration *losses_configuration(struct losses *losses, size_t index)
{
    struct known_configuration *item = &losses->items[index];
    for (size_t size = 0; !item->sought && size < losses->size_count; size++)
        if (isfinite(losses->loss[size * losses->count + index]) &&
            seek_in_space(losses, losses->sizes[size], item))
            break;
    item->sought = true;
    return item->configuration;
}
