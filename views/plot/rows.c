#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/store/query.h"
#include "views/plot/internal.h"

/* Output files of the rows, and the state after the last row. */
struct writer {
    const char *where;
    const char *folder;
    struct text *table;
    struct layers *layers;
    FILE *file;         /* for the current layer */
    struct text series; /* for the current data set */
    struct text cell;
};

static enum status close_layer(struct writer *writer, struct error *error)
{
    if (!writer->file)
        return STATUS_OK;
    bool failed = ferror(writer->file) != 0;
    failed = fclose(writer->file) != 0 || failed;
    writer->file = NULL;
    if (failed)
        return error_set_errno(error, errno ? errno : EIO, "%s: cannot write the rows",
                               writer->folder);
    return STATUS_OK;
}

static enum status start_layer(struct writer *writer, const char *name, struct error *error)
{
    struct layers *layers = writer->layers;
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz_");
    if (length == 0 || length >= LAYER_NAME_BYTES || name[length] != '\0')
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: layer '%s': a layer is named by small letters and underscores",
                         writer->where, name);
    for (size_t i = 0; i < layers->count; i++)
        if (strcmp(layers->items[i].name, name) == 0)
            return error_set(error, STATUS_BAD_INPUT,
                             "%s: the rows of layer '%s' do not follow one another: order by layer",
                             writer->where, name);
    if (layers->count == LAYERS_MAX)
        return error_set(error, STATUS_BAD_INPUT, "%s: more than %d layers", writer->where,
                         (int)LAYERS_MAX);
    TRY(close_layer(writer, error));
    struct layer *layer = &layers->items[layers->count++];
    *layer = (struct layer){0};
    (void)string_format(layer->name, sizeof layer->name, "%s", name);
    if (!writer->folder)
        return STATUS_OK;
    char path[PATH_MAX];
    if (!string_format(path, sizeof path, "%s/%s.tsv", writer->folder, name))
        return error_set(error, STATUS_IO, "%s: the path is too long", writer->folder);
    writer->file = fopen(path, "wxe");
    return writer->file ? STATUS_OK : error_set_errno(error, errno, "%s: cannot write", path);
}

/* Returns the cleaned cell, valid until the next call. NULL becomes empty, gnuplot's missing
 * value. */
static const char *clean_cell(struct writer *writer, const char *value)
{
    text_clear(&writer->cell);
    text_append(&writer->cell, value ? value : "");
    if (writer->cell.data)
        plot_clean(writer->cell.data);
    return text_string(&writer->cell);
}

/* Begins a data set with a line of the columns' names, with the series' name in place of
 * "series". */
static void start_series(struct writer *writer, struct store_query *query, const char *series)
{
    struct layer *layer = &writer->layers->items[writer->layers->count - 1];
    text_clear(&writer->series);
    text_append(&writer->series, series);
    layer->series_count++;
    if (!writer->file)
        return;
    if (layer->series_count > 1)
        fputs("\n\n", writer->file);
    int columns = store_query_columns(query);
    for (int i = 0; i < columns; i++) {
        const char *name = i == 1 ? series : store_query_name(query, i);
        fprintf(writer->file, "%s%s", i > 0 ? "\t" : "", clean_cell(writer, name));
    }
    fputc('\n', writer->file);
}

static enum status write_row(struct writer *writer, struct store_query *query, struct error *error)
{
    const char *name = store_query_text(query, 0);
    struct layers *layers = writer->layers;
    bool new_layer =
        layers->count == 0 || strcmp(layers->items[layers->count - 1].name, name ? name : "") != 0;
    if (new_layer) {
        TRY(start_layer(writer, name ? name : "", error));
    }
    const char *series = store_query_text(query, 1);
    if (!series)
        series = "";
    if (new_layer || strcmp(series, text_string(&writer->series)) != 0)
        start_series(writer, query, series);
    if (new_layer && strcmp(layers->items[layers->count - 1].name, "conclusion") == 0)
        text_append(&layers->conclusion, clean_cell(writer, series));
    int columns = store_query_columns(query);
    for (int i = 0; i < columns; i++) {
        const char *cell = clean_cell(writer, store_query_text(query, i));
        const char *separator = i + 1 < columns ? "\t" : "\n";
        if (writer->file)
            fprintf(writer->file, "%s%s", cell, separator);
        if (writer->table) {
            text_append(writer->table, cell);
            text_append(writer->table, separator);
        }
    }
    layers->items[layers->count - 1].row_count++;
    return STATUS_OK;
}

static enum status check_columns(const char *where, struct store_query *query, struct error *error)
{
    if (store_query_columns(query) < 3 || strcmp(store_query_name(query, 0), "layer") != 0 ||
        strcmp(store_query_name(query, 1), "series") != 0)
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: the first two columns must be layer and series, and then numbers",
                         where);
    return STATUS_OK;
}

static enum status walk(struct writer *writer, struct store_query *query, struct error *error)
{
    enum status status = check_columns(writer->where, query, error);
    if (status != STATUS_OK)
        return status;
    int columns = store_query_columns(query);
    for (int i = 0; i < columns && writer->table; i++)
        text_printf(writer->table, "%s%s", clean_cell(writer, store_query_name(query, i)),
                    i + 1 < columns ? "\t" : "\n");
    bool row = true;
    while (status == STATUS_OK) {
        status = store_query_next(query, &row, error);
        if (status != STATUS_OK || !row)
            break;
        status = write_row(writer, query, error);
    }
    if (writer->series.failed || writer->cell.failed || (writer->table && writer->table->failed))
        status = error_no_memory(error);
    return status;
}

enum status plot_rows(struct store *store, const char *where, const char *sql,
                      const struct plot_subject *subject, const char *draws, const char *folder,
                      struct text *table, struct layers *layers, struct error *error)
{
    const struct store_parameter parameters[] = {
        {"environment", STORE_NUMBER(subject->environment_id)},
        {"experiment", STORE_NUMBER(subject->experiment_id)},
        {"problem", subject->problem},
        {"n", STORE_NUMBER(subject->n)},
        {"l2_mode", subject->l2_mode},
        {"most", STORE_NUMBER(DRAWN_MAX)},
        {"draws", draws},
        {"near", PLOT_NEAR},
    };
    struct store_query *query = NULL;
    enum status status = store_query_open(store, sql, parameters,
                                          sizeof parameters / sizeof parameters[0], &query, error);
    if (status != STATUS_OK)
        return error_prefix(error, "%s", where);
    layers->count = 0;
    struct writer writer = {.where = where, .folder = folder, .table = table, .layers = layers};
    errno = 0;
    status = walk(&writer, query, error);
    struct error ignored;
    enum status closed = close_layer(&writer, status == STATUS_OK ? error : &ignored);
    text_free(&writer.series);
    text_free(&writer.cell);
    store_query_close(query);
    return status != STATUS_OK ? status : closed;
}
