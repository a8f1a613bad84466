#include "tuner/exchange/peers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/index.h"
#include "tuner/base/text.h"
#include "tuner/exchange/csv.h"
#include "tuner/experiment/place.h"
#include "tuner/store/evidence.h"
#include "tuner/store/query.h"

enum { FILE_BYTES_MAX = 64 << 20, NAME_BYTES_MAX = 255 };

enum column {
    PROBLEM,
    SIZE,
    L2_MODE,
    NAME,
    TIME,
    MAD,
    TUNED,
    RATIO,
    RATIO_LOW,
    RATIO_HIGH,
    ROUNDS,
    COLUMNS
};

static const char *const column_names[COLUMNS] = {
    [PROBLEM] = "problem",     [SIZE] = "n",
    [L2_MODE] = "l2_mode",     [NAME] = "name",
    [TIME] = "time_ns",        [MAD] = "mad_ns",
    [TUNED] = "tuned_ns",      [RATIO] = "ratio",
    [RATIO_LOW] = "ratio_low", [RATIO_HIGH] = "ratio_high",
    [ROUNDS] = "rounds",
};
static const bool is_needed[COLUMNS] = {
    [PROBLEM] = true, [SIZE] = true, [NAME] = true, [TIME] = true};

struct key {
    const char *problem;
    int64_t n;
};

struct import {
    const struct peers_request *request;
    struct arena arena;
    struct csv_reader reader;
    struct csv_record record;
    size_t field_count;         /* fields of the header */
    const char *names[COLUMNS]; /* name of the column by --columns; NULL: its own name */
    size_t place[COLUMNS];      /* place in a record; CSV_FIELDS_MAX: absent */
    int64_t environment_id;
    struct index known; /* problems of the database, by hash_of */
    struct index lines; /* of rows taken, by problem, mode and name */
    struct store_peer *peers;
    size_t count, capacity;
    struct peers_result *result;
    int64_t first_unknown; /* its line */
    const char *first_unknown_key;
};

/* Reads "name=rival,time_ns=rival_ns". */
static enum status take_columns(struct import *import, struct error *error)
{
    const char *at = import->request->columns;
    while (at && *at) {
        const size_t length = strcspn(at, ",");
        char *pair = arena_strndup(&import->arena, at, length);
        TRY_MEMORY(pair);
        const char *equals = strchr(pair, '=');
        if (!equals || equals == pair || equals[1] == '\0')
            return error_set(error, STATUS_USAGE, "'%.60s' is not of the form time_ns=COLUMN",
                             pair);
        char *word = arena_strndup(&import->arena, pair, (size_t)(equals - pair));
        TRY_MEMORY(word);
        const size_t index = WORD_INDEX(word, column_names, COLUMNS);
        if (index == COLUMNS)
            return error_set(error, STATUS_USAGE, "there is no column '%.60s'%s", word,
                             suggest(word, column_names, COLUMNS).text);
        import->names[index] = equals + 1;
        at += length + (at[length] == ',');
    }
    return STATUS_OK;
}

static enum status find_column(struct import *import, enum column column, struct error *error)
{
    const struct csv_record *header = &import->record;
    const char *name = import->names[column] ? import->names[column] : column_names[column];
    import->place[column] = CSV_FIELDS_MAX;
    for (size_t i = 0; i < header->count; i++) {
        if (strcmp(header->fields[i], name) != 0)
            continue;
        if (import->place[column] != CSV_FIELDS_MAX)
            return error_set(error, STATUS_BAD_INPUT, "two columns are named '%.60s'", name);
        import->place[column] = i;
    }
    if (import->place[column] != CSV_FIELDS_MAX || (!import->names[column] && !is_needed[column]))
        return STATUS_OK;
    const struct suggestion near =
        suggest(name, (const char *const *)header->fields, header->count);
    if (import->names[column])
        return error_set(error, STATUS_BAD_INPUT, "no column is named '%.60s'%s", name, near.text);
    return error_set(error, STATUS_BAD_INPUT,
                     "no column is named '%s'; '--columns %s=COLUMN' says which one holds it%s",
                     name, name, near.text);
}

static enum status read_header(struct import *import, struct error *error)
{
    bool more = false;
    enum status status = csv_next(&import->reader, &import->record, &more, error);
    if (status == STATUS_OK && !more)
        return error_set(error, STATUS_BAD_INPUT, "%s: there is no header line",
                         import->request->path);
    import->field_count = import->record.count;
    for (int i = 0; i < COLUMNS && status == STATUS_OK; i++) {
        status = find_column(import, (enum column)i, error);
        if (status != STATUS_OK)
            return error_prefix(error, "%s:%lld", import->request->path,
                                (long long)import->record.line);
    }
    return status;
}

/* ---- a row ---- */

static const char *field(const struct import *import, enum column column)
{
    const size_t place = import->place[column];
    return place < import->record.count ? import->record.fields[place] : "";
}

/* Reads a number of at least 0, or above 0 if `positive`; NaN for an empty field. */
static enum status read_real(const struct import *import, enum column column, bool positive,
                             double *out, struct error *error)
{
    const char *text = field(import, column);
    char *end = NULL;
    *out = (double)NAN;
    if (*text == '\0' && !is_needed[column])
        return STATUS_OK;
    *out = strtod(text, &end);
    if (*text == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0' || *end != '\0' ||
        !isfinite(*out) || *out < 0 || (positive && *out == 0))
        return error_set(error, STATUS_BAD_INPUT, "%s is '%.60s', which is no number %s 0",
                         column_names[column], text, positive ? "above" : "of at least");
    return STATUS_OK;
}

static enum status read_whole(const struct import *import, enum column column, int64_t least,
                              int64_t *out, struct error *error)
{
    const char *text = field(import, column);
    char *end = NULL;
    *out = -1;
    if (*text == '\0' && !is_needed[column])
        return STATUS_OK;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (*text == '\0' || text[strspn(text, "0123456789")] != '\0' || *end != '\0' || errno != 0 ||
        value < least)
        return error_set(error, STATUS_BAD_INPUT,
                         "%s is '%.60s', which is no whole number of at least %lld",
                         column_names[column], text, (long long)least);
    *out = value;
    return STATUS_OK;
}

static enum status read_texts(struct import *import, struct store_peer *peer, struct error *error)
{
    const char *modes[L2_MODES];
    for (int i = 0; i < L2_MODES; i++)
        modes[i] = l2_mode_name((enum l2_mode)i);
    const char *problem = field(import, PROBLEM);
    const char *mode = field(import, L2_MODE);
    const char *prefix = import->request->prefix ? import->request->prefix : "";
    peer->name = field(import, NAME);
    peer->l2_mode = L2_COLD;
    if (*problem == '\0' || *peer->name == '\0')
        return error_set(error, STATUS_BAD_INPUT, "%s is empty",
                         *problem == '\0' ? "problem" : "name");
    if (strlen(peer->name) > NAME_BYTES_MAX)
        return error_set(error, STATUS_BAD_INPUT, "name has more than %d bytes", NAME_BYTES_MAX);
    char printable[NAME_BYTES_MAX + 1]; /* printed on terminals, and in figures */
    (void)string_format(printable, sizeof printable, "%s", peer->name);
    text_make_printable(printable);
    if (strcmp(printable, peer->name) != 0)
        return error_set(error, STATUS_BAD_INPUT, "name '%.60s' holds control characters",
                         peer->name);
    if (*mode != '\0' && !l2_mode_parse(mode, &peer->l2_mode))
        return error_set(error, STATUS_BAD_INPUT, "no l2_mode is named '%.60s'%s", mode,
                         suggest(mode, modes, sizeof modes / sizeof *modes).text);
    peer->problem_key = arena_printf(&import->arena, "%s%s", prefix, problem);
    return peer->problem_key ? STATUS_OK : error_no_memory(error);
}

static enum status read_peer(struct import *import, struct store_peer *peer, struct error *error)
{
    const struct {
        enum column column;
        bool positive;
        double *out;
    } reals[] = {{TIME, true, &peer->time_ns},         {MAD, false, &peer->mad_ns},
                 {TUNED, true, &peer->tuned_ns},       {RATIO, true, &peer->ratio},
                 {RATIO_LOW, false, &peer->ratio_low}, {RATIO_HIGH, true, &peer->ratio_high}};
    if (import->record.count != import->field_count)
        return error_set(error, STATUS_BAD_INPUT, "%s, where the header has %zu",
                         count_text(import->record.count, "field").text, import->field_count);
    enum status status = read_texts(import, peer, error);
    if (status == STATUS_OK)
        status = read_whole(import, SIZE, 1, &peer->n, error);
    if (status == STATUS_OK)
        status = read_whole(import, ROUNDS, 0, &peer->rounds, error);
    for (size_t i = 0; i < sizeof reals / sizeof *reals && status == STATUS_OK; i++)
        status = read_real(import, reals[i].column, reals[i].positive, reals[i].out, error);
    if (status == STATUS_OK && peer->ratio_low > peer->ratio_high)
        return error_set(error, STATUS_BAD_INPUT, "ratio_low is above ratio_high");
    return status;
}

static uint64_t hash_of(const char *text, int64_t number)
{
    return hash_u64(text, strlen(text), (uint64_t)number);
}

/* Takes the row, or counts it as unknown. */
static enum status take_row(struct import *import, int64_t line, struct error *error)
{
    struct store_peer peer = {.n = 0};
    size_t before = 0;
    TRY(read_peer(import, &peer, error));
    const uint64_t problem = hash_of(peer.problem_key, peer.n);
    if (!index_find(&import->known, problem, &before)) {
        if (import->result->unknown++ == 0) {
            import->first_unknown = line;
            import->first_unknown_key = peer.problem_key;
        }
        return STATUS_OK;
    }
    const uint64_t whole = hash_of(peer.name, (int64_t)(problem + (uint64_t)peer.l2_mode));
    if (index_find(&import->lines, whole, &before))
        return error_set(error, STATUS_BAD_INPUT,
                         "the same problem, n, l2_mode and name as in line %zu", before);
    TRY_MEMORY(index_put(&import->lines, whole, (size_t)line) &&
               array_grow(&import->peers, import->count, &import->capacity, sizeof peer));
    import->peers[import->count++] = peer;
    return STATUS_OK;
}

static enum status read_rows(struct import *import, struct error *error)
{
    for (bool more = false;;) {
        TRY(csv_next(&import->reader, &import->record, &more, error));
        if (!more)
            return STATUS_OK;
        if (take_row(import, import->record.line, error) != STATUS_OK)
            return error_prefix(error, "%s:%lld", import->request->path,
                                (long long)import->record.line);
    }
}

/* ---- known problems ---- */

#define ENVIRONMENTS                                                                               \
    " FROM trials t JOIN environments e ON e.id = t.environment_id"                                \
    " JOIN devices d ON d.id = e.device_id"                                                        \
    " WHERE :device IS NULL OR lower(:device) IN (lower(d.name), lower(d.uuid), d.kind,"           \
    "     d.kind || ':' || json_extract(d.facts, '$.index'))"

/* Finds the environment measured last. */
static enum status find_environment(struct import *import, struct store *store, struct error *error)
{
    static const struct store_column column = {"id", 0, STORE_INTEGER};
    const struct store_parameter device = {"device", import->request->device};
    const struct store_reading reading = {.sql = "SELECT e.id AS id" ENVIRONMENTS " GROUP BY e.id"
                                                 " ORDER BY max(t.measured_at) DESC, e.id DESC",
                                          .parameters = &device,
                                          .parameter_count = 1,
                                          .columns = &column,
                                          .column_count = 1,
                                          .row_bytes = sizeof(int64_t),
                                          .row_max = 1};
    int64_t *id = NULL;
    size_t count = 0;
    enum status status = store_read(store, &reading, &import->arena, &id, &count, error);
    if (count > 0)
        import->environment_id = id[0];
    if (status != STATUS_OK || count > 0)
        return status;
    static const struct store_column named = {"name", 0, STORE_TEXT};
    const struct store_parameter every_device = {"device", NULL};
    const struct store_reading all = {.sql = "SELECT DISTINCT d.name AS name" ENVIRONMENTS
                                             " ORDER BY 1",
                                      .parameters = &every_device,
                                      .parameter_count = 1,
                                      .columns = &named,
                                      .column_count = 1,
                                      .row_bytes = sizeof(const char *)};
    struct text names = {0};
    const char **rows = NULL;
    status = store_read(store, &all, &import->arena, &rows, &count, error);
    for (size_t i = 0; i < count; i++)
        text_printf(&names, "%s%s", i > 0 ? ", " : "", rows[i]);
    if (status == STATUS_OK && (count == 0 || !device.value))
        status =
            error_set(error, STATUS_NOT_FOUND,
                      "nothing was measured yet that times could stand beside: 'tune run' first");
    else if (status == STATUS_OK)
        status =
            error_set(error, STATUS_NOT_FOUND, "no device '%.60s' was measured; there is %.300s",
                      device.value, text_string(&names));
    text_free(&names);
    return status;
}

static const struct store_column key_columns[] = {
    {"key", offsetof(struct key, problem), STORE_TEXT},
    {"n", offsetof(struct key, n), STORE_INTEGER},
};

/* Finds the problems run there, of the experiment files for that kind of device. */
static enum status find_known(struct import *import, struct store *store, struct error *error)
{
    char id[24];
    (void)string_format(id, sizeof id, "%lld", (long long)import->environment_id);
    const struct store_parameter environment = {"environment", id};
    const struct store_reading reading = {
        .sql = "SELECT DISTINCT p.key AS key, p.n AS n FROM problems p"
               " JOIN experiments x ON x.id = p.experiment_id WHERE x.device_kind IN"
               " (SELECT device_kind FROM tried JOIN problems ON problems.id = tried.problem_id"
               "  JOIN experiments ON experiments.id = problems.experiment_id"
               "  WHERE environment_id = CAST(:environment AS INTEGER))",
        .parameters = &environment,
        .parameter_count = 1,
        STORE_COLUMNS(key_columns),
        .row_bytes = sizeof(struct key)};
    struct key *rows = NULL;
    size_t count = 0;
    TRY(store_read(store, &reading, &import->arena, &rows, &count, error));
    for (size_t i = 0; i < count; i++)
        TRY_MEMORY(index_put(&import->known, hash_of(rows[i].problem, rows[i].n), i));
    return STATUS_OK;
}

/* ---- the import ---- */

enum status peers_import(struct store *store, const struct peers_request *request,
                         struct peers_result *result, struct error *error)
{
    struct import import = {.request = request, .result = result};
    char *contents = NULL;
    size_t length = 0;
    *result = (struct peers_result){0};
    enum status status = STATUS_OK;
    if (take_columns(&import, error) != STATUS_OK)
        TRY_OR_CLEANUP(error_prefix(error, "--columns"));
    TRY_OR_CLEANUP(find_environment(&import, store, error));
    TRY_OR_CLEANUP(find_known(&import, store, error));
    TRY_OR_CLEANUP(
        file_read(&import.arena, request->path, FILE_BYTES_MAX, &contents, &length, error));
    TRY_OR_CLEANUP(csv_start(&import.reader, request->path, contents, length, error));
    TRY_OR_CLEANUP(read_header(&import, error));
    TRY_OR_CLEANUP(read_rows(&import, error));
    const char *path = import.request->path;
    if (import.count == 0 && import.result->unknown > 0)
        TRY_OR_CLEANUP(
            error_set(error, STATUS_NOT_FOUND,
                      "%s:%lld: the database has no problem '%.100s' of that size, and none of "
                      "the others: --prefix is put before each, --device names the device",
                      path, (long long)import.first_unknown, import.first_unknown_key));
    if (import.count == 0)
        TRY_OR_CLEANUP(
            error_set(error, STATUS_BAD_INPUT, "%s: there is nothing below the header", path));
    TRY_OR_CLEANUP(store_peers_put(store, import.environment_id, request->path, import.peers,
                                   import.count, error));
    result->rows = import.count;
cleanup:
    free(import.peers);
    index_free(&import.known);
    index_free(&import.lines);
    arena_free(&import.arena);
    return status;
}
