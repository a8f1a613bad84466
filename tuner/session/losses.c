#include "tuner/session/losses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/text.h"
#include "tuner/experiment/recall.h"
#include "tuner/session/embedded.h"
#include "tuner/store/query.h"

enum status losses_covered(const struct work *work, const char *key, bool *known,
                           struct error *error)
{
    char within[VALUE_TEXT_BYTES];
    struct store_query *query = NULL;
    bool row = false;
    (void)value_format(value_real(work->protocol->within), within, sizeof within);
    const struct store_parameter parameters[] = {
        {"environment", STORE_NUMBER(work->environment_id)},
        {"experiment", STORE_NUMBER(work->experiment_id)},
        {"key", key},
        {"l2_mode", l2_mode_name(work->options->l2_mode)},
        {"objective", objective_text(work->objective)},
        {"within", within}};
    enum status status = store_query_open(work->store, ranges_known_query, parameters,
                                          COUNT(parameters), &query, error);
    if (status == STATUS_OK)
        status = store_query_next(query, &row, error);
    *known = status == STATUS_OK && row && store_query_integer(query, 0) > 0;
    store_query_close(query);
    return status;
}

/* A row of the query: a configuration at a size. */
struct loss_row {
    int64_t n, configuration_id;
    const char *parameters;
    double loss, bound; /* NaN: unknown */
    bool is_winner;
    bool is_barred; /* excluded from sizes other than this one */
    int64_t multiple, least, most;
    const char *multiples; /* as in the database (domain_multiples) */
    size_t spot, item;     /* indices in the losses; their number: none */
};

struct rows {
    struct loss_row *items;
    size_t count, capacity;
};

/* Reads the rows of a problem key, in the fixed order, and adds the spots with a winner: each
 * n in the rows, or the tuple `sizes`. */
static enum status read_key(struct losses *losses, const char *key, const int64_t *sizes,
                            struct rows *rows, struct error *error)
{
    static const struct store_column columns[] = {
        {"n", offsetof(struct loss_row, n), STORE_INTEGER},
        {"configuration_id", offsetof(struct loss_row, configuration_id), STORE_INTEGER},
        {"loss", offsetof(struct loss_row, loss), STORE_REAL},
        {"is_winner", offsetof(struct loss_row, is_winner), STORE_TRUTH},
        {"parameters", offsetof(struct loss_row, parameters), STORE_TEXT},
        {"bound", offsetof(struct loss_row, bound), STORE_REAL},
        {"is_barred", offsetof(struct loss_row, is_barred), STORE_TRUTH},
        {"multiple", offsetof(struct loss_row, multiple), STORE_INTEGER},
        {"least", offsetof(struct loss_row, least), STORE_INTEGER},
        {"most", offsetof(struct loss_row, most), STORE_INTEGER},
        {"multiples", offsetof(struct loss_row, multiples), STORE_TEXT},
    };
    const size_t first = losses->spot_count;
    struct loss_row *items = NULL;
    size_t count = 0;
    const struct work *work = losses->work;
    const struct store_parameter parameters[] = {
        {"environment", STORE_NUMBER(work->environment_id)},
        {"experiment", STORE_NUMBER(work->experiment_id)},
        {"key", key},
        {"l2_mode", l2_mode_name(work->options->l2_mode)},
        {"objective", objective_text(work->objective)}};
    const struct store_reading reading = {.sql = losses_query,
                                          STORE_PARAMETERS(parameters),
                                          STORE_COLUMNS(columns),
                                          .row_bytes = sizeof *items};
    TRY(store_read(work->store, &reading, &losses->arena, &items, &count, error));
    if (count > 0 &&
        !array_grow_by(&rows->items, rows->count, count, &rows->capacity, sizeof *items))
        return error_no_memory(error);
    if (sizes && count > 0)
        (void)losses_add_spot(losses, sizes, 0);
    for (size_t i = 0; i < count && !sizes; i++) {
        size_t place = losses->spot_count;
        while (place > 0 && losses->sizes[place - 1] > items[i].n)
            place--;
        if ((place > 0 && losses->sizes[place - 1] == items[i].n) ||
            !losses_add_spot(losses, &items[i].n, 0))
            continue;
        for (size_t k = losses->spot_count - 1; k > place; k--)
            losses->sizes[k] = losses->sizes[k - 1];
        losses->sizes[place] = items[i].n;
    }
    for (size_t i = 0; i < count; i++) {
        items[i].spot = first;
        while (!sizes && items[i].spot < losses->spot_count &&
               losses->sizes[items[i].spot] != items[i].n)
            items[i].spot++;
        rows->items[rows->count++] = items[i];
    }
    return STATUS_OK;
}

/* Reads the rows of all tuples that the family (the key without the sizes) was tuned at. */
static enum status read_tuples(struct losses *losses, const char *family, struct rows *rows,
                               struct error *error)
{
    static const struct store_column columns[] = {{"shape", 0, STORE_TEXT}};
    const char **shapes = NULL;
    size_t count = 0;
    const struct store_parameter wanted[] = {
        {"experiment", STORE_NUMBER(losses->work->experiment_id)}, {"key", family}};
    const struct store_reading reading = {.sql = family_sizes_query,
                                          STORE_PARAMETERS(wanted),
                                          STORE_COLUMNS(columns),
                                          .row_bytes = sizeof *shapes};
    TRY(store_read(losses->work->store, &reading, &losses->arena, &shapes, &count, error));
    for (size_t i = 0; i < count && losses->spot_count < SPOTS_MAX; i++) {
        const struct problem tuned = {.shape = shapes[i]};
        int64_t sizes[SIZE_NAMES_MAX] = {0};
        struct problem problem;
        (void)problem_sizes(&tuned, sizes);
        TRY(losses_problem(losses, sizes, &problem, error));
        TRY(read_key(losses, problem.key, sizes, rows, error));
    }
    return STATUS_OK;
}

/* ---- configurations and cells ---- */

/* Finds the row's configuration, the one added last first, or adds it. */
static size_t find_item(struct losses *losses, const struct loss_row *row, bool may_add)
{
    /* An excluded configuration is listed once for each size. */
    for (size_t i = row->is_barred && losses->names == 1 ? 0 : losses->count; i > 0; i--)
        if (losses->items[i - 1].id == row->configuration_id)
            return i - 1;
    if (!may_add)
        return losses->count;
    struct known_configuration *item = &losses->items[losses->count];
    *item = (struct known_configuration){
        .id = row->configuration_id, .parameters = row->parameters, .domain = DOMAIN_OF_ALL};
    if (losses->names == 1)
        item->domain = (struct domain){.multiple = row->multiple > 1 ? row->multiple : 1,
                                       .least = row->least > 1 ? row->least : 1,
                                       .most = row->most,
                                       .is_listed = row->is_barred};
    else
        domain_set_multiples(&item->domain, row->multiples);
    return losses->count++;
}

/* Adds the configurations of tuples. */
static enum status add_few(struct losses *losses, const char *family, const struct rows *rows,
                           struct error *error)
{
    static const struct store_column columns[] = {{"configuration_id", 0, STORE_INTEGER}};
    int64_t *refuted = NULL;
    size_t refuted_count = 0;
    const struct store_parameter wanted[] = {
        {"environment", STORE_NUMBER(losses->work->environment_id)},
        {"experiment", STORE_NUMBER(losses->work->experiment_id)},
        {"family", family}};
    const struct store_reading reading = {.sql = refuted_sizes_query,
                                          STORE_PARAMETERS(wanted),
                                          STORE_COLUMNS(columns),
                                          .row_bytes = sizeof *refuted};
    const double within = losses->work->protocol->within;
    TRY(store_read(losses->work->store, &reading, &losses->arena, &refuted, &refuted_count, error));
    size_t most = losses->spot_count;
    for (int pass = 0; pass < 2; pass++, most = 2 * losses->count)
        for (size_t i = 0; i < rows->count && losses->count < most; i++) {
            const struct loss_row *row = &rows->items[i];
            size_t good = 0; /* tuples with a loss shown to be little */
            bool is_out = pass == 0 ? !row->is_winner : !(row->bound <= within);
            for (size_t k = 0; k < refuted_count; k++)
                is_out |= refuted[k] == row->configuration_id;
            for (size_t k = 0; k < rows->count; k++) /* wrong between tuples */
                is_out |= rows->items[k].configuration_id == row->configuration_id &&
                          rows->items[k].is_barred;
            for (size_t k = 0; k < rows->count && !is_out; k++)
                good += rows->items[k].configuration_id == row->configuration_id &&
                        rows->items[k].bound <= within;
            if (!is_out && (pass == 0 || good > 1))
                (void)find_item(losses, row, true);
        }
    return STATUS_OK;
}

/* Lets a configuration without a result at a tuple seem to lose nothing there, so that a look is
 * taken: winners of one tuple are often unknown at another. */
static enum status hope(struct losses *losses, struct error *error)
{
    for (size_t i = 0; i < losses->count; i++)
        (void)losses_configuration(losses, i); /* from the results alone */
    for (size_t spot = 0; spot < losses->spot_count; spot++) {
        double *loss = &losses->loss[spot * losses->count];
        struct problem there;
        TRY(losses_problem(losses, losses->sizes + spot * losses->names, &there, error));
        size_t *winner = &losses->winners[spot];
        const bool is_known = *winner < losses->count;
        for (size_t i = 0; i < losses->count && !is_known; i++) /* the winner was wrong elsewhere */
            if (isfinite(loss[i]) && (*winner == losses->count || loss[i] < loss[*winner]))
                *winner = i;
        if (*winner < losses->count)
            losses->bound[spot * losses->count + *winner] = 0;
        for (size_t i = 0; i < losses->count; i++)
            if (isinf(loss[i]) && losses_admit(losses, &there, i))
                loss[i] = 0;
    }
    return STATUS_OK;
}

static enum status load(struct losses *losses, struct rows *rows, struct error *error)
{
    const struct problem *problem = &losses->work->problem;
    char family[PROBLEM_KEY_BYTES];
    losses->sizes = arena_alloc(&losses->arena, SPOTS_MAX * losses->names, sizeof *losses->sizes);
    losses->winners = arena_alloc(&losses->arena, SPOTS_MAX, sizeof *losses->winners);
    if (!losses->sizes || !losses->winners)
        return error_no_memory(error);
    (void)string_format(family, sizeof family, "%.*s", (int)problem->family_length, problem->key);
    if (losses->names == 1)
        TRY(read_key(losses, problem->key, NULL, rows, error));
    else
        TRY(read_tuples(losses, family, rows, error));
    losses->items = arena_alloc(&losses->arena, rows->count + 1, sizeof *losses->items);
    if (!losses->items)
        return error_no_memory(error);
    if (losses->names > 1)
        TRY(add_few(losses, family, rows, error));
    for (size_t i = 0; i < rows->count; i++)
        rows->items[i].item = find_item(losses, &rows->items[i], losses->names == 1);
    const size_t spots = losses->names > 1 ? SPOTS_MAX : losses->spot_count;
    const size_t cells = spots * losses->count + 1;
    losses->loss = arena_alloc(&losses->arena, cells, sizeof *losses->loss);
    losses->bound = arena_alloc(&losses->arena, cells, sizeof *losses->bound);
    losses->looked = arena_alloc(&losses->arena, cells, sizeof *losses->looked);
    if (!losses->loss || !losses->bound || !losses->looked)
        return error_no_memory(error);
    for (size_t i = 0; i < cells; i++)
        losses->loss[i] = losses->bound[i] = (double)INFINITY;
    for (size_t i = 0; i < SPOTS_MAX; i++)
        losses->winners[i] = losses->count;
    losses->measured = losses->spot_count;
    for (size_t i = 0; i < rows->count; i++) {
        const struct loss_row *row = &rows->items[i];
        const size_t cell = row->spot * losses->count + row->item;
        if (row->spot == losses->spot_count || row->item == losses->count)
            continue;
        if (!isnan(row->bound))
            losses->bound[cell] = fmax(row->bound, 0);
        losses->loss[cell] = row->is_winner      ? 0
                             : !isnan(row->loss) ? fmax(row->loss, 0)
                                                 : losses->bound[cell];
        if (row->is_winner)
            losses->winners[row->spot] = row->item;
    }
    return losses->names > 1 ? hope(losses, error) : STATUS_OK;
}

enum status losses_load(const struct work *work, struct losses *losses, struct error *error)
{
    int64_t sizes[SIZE_NAMES_MAX];
    struct rows rows = {0};
    *losses = (struct losses){
        .work = work, .names = work->problem.shape ? problem_sizes(&work->problem, sizes) : 1};
    const enum status status = load(losses, &rows, error);
    free(rows.items);
    return status;
}

bool losses_add_spot(struct losses *losses, const int64_t *sizes, size_t winner)
{
    const size_t bytes = losses->names * sizeof *sizes;
    if (losses->spot_count == SPOTS_MAX)
        return false;
    losses->winners[losses->spot_count] = winner;
    memcpy(losses->sizes + losses->spot_count++ * losses->names, sizes, bytes);
    return true;
}

void losses_free(struct losses *losses)
{
    arena_free(&losses->arena);
}

/* ---- configurations ---- */

enum status losses_problem(struct losses *losses, const int64_t *sizes, struct problem *out,
                           struct error *error)
{
    const struct work *work = losses->work;
    if (losses->names == 1)
        *out = problem_at(&work->problem, sizes[0]);
    else if (!problem_at_sizes(&work->problem, sizes, losses->names, &losses->arena, out))
        return error_no_memory(error);
    return STATUS_OK;
}

static bool is_admitted(const struct work *work, const struct problem *problem,
                        const struct configuration *configuration)
{
    struct error ignored = {0};
    bool admits = false;
    return space_admits(work->experiment, problem, work->facts, configuration, &admits, &ignored) ==
               STATUS_OK &&
           admits;
}

const struct configuration *losses_configuration(struct losses *losses, size_t index)
{
    struct known_configuration *item = &losses->items[index];
    /* Spaces of measured sizes have it. */
    for (size_t spot = 0; !item->sought && spot < losses->measured; spot++) {
        struct problem problem;
        struct configuration configuration;
        struct error ignored = {0};
        bool found = false;
        if (isfinite(losses->loss[spot * losses->count + index]) &&
            losses_problem(losses, losses->sizes + spot * losses->names, &problem, &ignored) ==
                STATUS_OK &&
            recall_configuration(losses->work->experiment, item->parameters, &losses->arena,
                                 &configuration, &found, &ignored) == STATUS_OK &&
            found && is_admitted(losses->work, &problem, &configuration))
            item->configuration = arena_copy(&losses->arena, &configuration, sizeof configuration);
        if (item->configuration)
            break;
    }
    item->sought = true;
    return item->configuration;
}

bool losses_admit(struct losses *losses, const struct problem *problem, size_t index)
{
    const struct configuration *configuration = losses_configuration(losses, index);
    return configuration && domain_has_problem(&losses->items[index].domain, problem) &&
           is_admitted(losses->work, problem, configuration);
}
