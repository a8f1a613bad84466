/* What the database knows of a winner. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tuner/explain/internal.h"
#include "tuner/trial/estimate.h"

extern const char explain_query_winner[];
extern const char explain_query_points[];
extern const char explain_query_sweep[];

/* A row by the names of its columns. */
struct row {
    struct store_query *query;
    struct arena *arena;
    bool failed; /* memory is short */
};

static int column_of(const struct row *row, const char *name)
{
    const int count = store_query_columns(row->query);
    for (int i = 0; i < count; i++)
        if (strcmp(store_query_name(row->query, i), name) == 0)
            return i;
    return count; /* reads as NULL */
}

static double real(const struct row *row, const char *name)
{
    return store_query_real(row->query, column_of(row, name));
}

static int64_t integer(const struct row *row, const char *name)
{
    const int column = column_of(row, name);
    return store_query_text(row->query, column) ? store_query_integer(row->query, column) : -1;
}

static const char *text(struct row *row, const char *name)
{
    const char *value = store_query_text(row->query, column_of(row, name));
    const char *copy = value ? arena_strdup(row->arena, value) : NULL;
    row->failed = row->failed || (value && !copy);
    return copy;
}

static enum status open_query(struct store *store, const char *sql, int64_t winner_id,
                              struct row *row, struct error *error)
{
    char id[24];
    (void)string_format(id, sizeof id, "%" PRId64, winner_id);
    const struct store_parameter winner = {.name = "winner", .value = id};
    return store_query_open(store, sql, &winner, 1, &row->query, error);
}

static void take_winner(struct row *row, struct explanation *out, struct background *background)
{
    out->winner_id = integer(row, "id");
    out->problem_id = integer(row, "problem_id");
    out->environment_id = integer(row, "environment_id");
    out->experiment = text(row, "experiment");
    out->problem = text(row, "problem");
    out->l2_mode = text(row, "l2_mode");
    out->objective = text(row, "objective");
    out->device = text(row, "device");
    out->device_kind = text(row, "device_kind");
    out->driver = text(row, "driver");
    out->compiler = text(row, "compiler");
    out->unit_count = integer(row, "unit_count");
    out->n = integer(row, "n");
    out->ceiling = text(row, "ceiling");
    out->ceiling_gbs = real(row, "ceiling_gbs");
    out->arithmetic_gops = real(row, "arithmetic_gops");
    out->operations_type = text(row, "operations_type");
    out->delta = real(row, "delta");
    out->confidence = real(row, "confidence");
    out->tied_count = integer(row, "tied_count");
    out->kept_incumbent = integer(row, "kept_incumbent") == 1;
    out->compared = integer(row, "compared");
    out->trust = text(row, "trust");
    out->trust_reason = text(row, "trust_reason");
    *background = (struct background){
        .bytes_moved = real(row, "bytes_moved"),
        .operations = real(row, "operations"),
        .ceiling_given_up = integer(row, "ceiling_given_up") == 1,
        .node_gap_ns = real(row, "node_gap_ns"),
        .launches_overlap = integer(row, "launches_overlap") == 1,
        .cache_bytes = real(row, "cache_bytes"),
        .elsewhere_share = real(row, "elsewhere_share"),
        .elsewhere_n = integer(row, "elsewhere_n"),
        .low_ns = (double)NAN,
        .high_ns = (double)NAN,
        .stage = text(row, "stage"),
        .busier_loss = (double)NAN,
    };
    const double low_ns = real(row, "time_low_ns");
    const double high_ns = real(row, "time_high_ns");
    if (bounds_tell(low_ns, high_ns)) {
        background->low_ns = low_ns;
        background->high_ns = high_ns;
    }
}

enum status read_winner(struct store *store, int64_t winner_id, struct arena *arena,
                        struct explanation *out, struct background *background, struct error *error)
{
    struct row row = {.arena = arena};
    bool found = false;
    enum status status = open_query(store, explain_query_winner, winner_id, &row, error);
    if (status == STATUS_OK)
        status = store_query_next(row.query, &found, error);
    if (status == STATUS_OK && !found)
        status =
            error_set(error, STATUS_NOT_FOUND, "no winner %" PRId64 " in the database", winner_id);
    if (status == STATUS_OK)
        take_winner(&row, out, background);
    if (status == STATUS_OK && row.failed)
        status = error_no_memory(error);
    store_query_close(row.query);
    return status;
}

const char *const explain_stages[STAGES] = {"confirm", "race", "sweep"};

static void take_resources(const struct row *row, struct explain_point *point)
{
    const int64_t active = integer(row, "active_blocks_per_sm");
    point->occupancy = real(row, "occupancy");
    point->bytes_per_thread = real(row, "bytes_per_thread");
    point->launches = integer(row, "launches");
    point->grid = integer(row, "grid");
    point->block = integer(row, "block");
    point->threads = integer(row, "threads");
    point->registers = integer(row, "registers");
    point->spill_bytes = integer(row, "spill_bytes");
    point->local_bytes = integer(row, "local_bytes");
    point->shared_bytes = integer(row, "shared_bytes");
    point->resident_threads = active > 0 && point->block > 0 ? active * point->block : -1;
}

static struct read_point take_point(struct row *row)
{
    struct read_point read = {
        .difference = real(row, "difference"),
        .ratio = real(row, "ratio"),
        .ratio_low = real(row, "ratio_low"),
        .ratio_high = real(row, "ratio_high"),
        .proven = integer(row, "proven") == 1,
        .tied = integer(row, "tied") == 1,
        .out = text(row, "out"),
        .paired_in = text(row, "paired_in"),
    };
    struct explain_point *point = &read.point;
    point->role = text(row, "role");
    point->about = text(row, "about");
    point->configuration = text(row, "configuration");
    point->parameters = text(row, "parameters");
    point->status = text(row, "status");
    for (size_t i = 0; i < STAGES; i++) {
        char name[32];
        (void)string_format(name, sizeof name, "%s_id", explain_stages[i]);
        read.trial_ids[i] = integer(row, name);
        (void)string_format(name, sizeof name, "%s_ns", explain_stages[i]);
        read.times_ns[i] = real(row, name);
        (void)string_format(name, sizeof name, "%s_value", explain_stages[i]);
        read.values[i] = real(row, name);
    }
    take_resources(row, point);
    return read;
}

/* Room for one more. */
static bool grow(struct arena *arena, void **rows, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    const size_t wanted = *capacity ? 2 * *capacity : 64;
    void *more = arena_alloc(arena, wanted, size);
    if (!more)
        return false;
    if (count > 0)
        memcpy(more, *rows, count * size);
    *rows = more;
    *capacity = wanted;
    return true;
}

enum status read_points(struct store *store, int64_t winner_id, struct arena *arena,
                        struct read_point **out, size_t *count, struct error *error)
{
    struct row row = {.arena = arena};
    size_t capacity = 0;
    bool more = false;
    *out = NULL;
    *count = 0;
    enum status status = open_query(store, explain_query_points, winner_id, &row, error);
    if (status == STATUS_OK)
        status = store_query_next(row.query, &more, error);
    while (status == STATUS_OK && more) {
        if (!grow(arena, (void **)out, *count, &capacity, sizeof **out))
            row.failed = true;
        else
            (*out)[(*count)++] = take_point(&row);
        status = row.failed ? error_no_memory(error) : store_query_next(row.query, &more, error);
    }
    store_query_close(row.query);
    return status;
}

enum status read_sweep(struct store *store, int64_t winner_id, struct arena *arena,
                       struct swept **out, size_t *count, struct error *error)
{
    struct row row = {.arena = arena};
    size_t capacity = 0;
    bool more = false;
    *out = NULL;
    *count = 0;
    enum status status = open_query(store, explain_query_sweep, winner_id, &row, error);
    if (status == STATUS_OK)
        status = store_query_next(row.query, &more, error);
    while (status == STATUS_OK && more) {
        if (!grow(arena, (void **)out, *count, &capacity, sizeof **out))
            row.failed = true;
        else
            (*out)[(*count)++] = (struct swept){.key = text(&row, "key"),
                                                .measured_id = integer(&row, "measured_id"),
                                                .time_ns = real(&row, "time_ns"),
                                                .busy = integer(&row, "busy")};
        status = row.failed ? error_no_memory(error) : store_query_next(row.query, &more, error);
    }
    store_query_close(row.query);
    return status;
}
