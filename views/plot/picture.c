#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "views/plot/internal.h"

enum { PICTURE_BYTES_MAX = 1 << 28 };

static void append_variable(struct text *script, const char *name, char *value)
{
    if (!value) {
        script->failed = true;
        return;
    }
    plot_clean(value);
    text_printf(script, "%s = '%s'\n", name, value);
}

/* Writes "268435456 (2^28)". */
static char *size_text(struct arena *arena, int64_t n)
{
    int exponent = 0;
    if (n < 1024 || (n & (n - 1)) != 0)
        return arena_printf(arena, "%" PRId64, n);
    for (int64_t rest = n; rest > 1; rest /= 2)
        exponent++;
    return arena_printf(arena, "%" PRId64 " (2^%d)", n, exponent);
}

/* Returns "occupancy-reduce.sum.i32-1024", and the device if requested. Keys are words and dots;
 * other characters are replaced. */
static const char *output_name(struct job *job)
{
    const char *device = job->request->device_in_names;
    char *name =
        arena_printf(&job->arena, "%s-%s-%" PRId64 "%s%s", job->figure, job->subject->problem,
                     job->subject->n, device ? "-" : "", device ? device : "");
    for (char *c = name; c && *c; c++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", *c))
            *c = '_';
    return name;
}

static enum status publish(struct job *job, const char *extension, const char *data, size_t bytes,
                           struct error *error)
{
    const char *folder = job->request->folder;
    const char *path = output_name(job);
    if (path && folder && output_is_stdout(folder))
        path = folder;
    else if (path && (!folder || strcmp(folder, ".") == 0))
        path = arena_printf(&job->arena, "%s.%s", path, extension);
    else if (path)
        path = arena_printf(&job->arena, "%s/%s.%s", folder, path, extension);
    if (!path)
        return error_no_memory(error);
    bool streamed = output_is_stdout(path);
    TRY(output_write(path, data, bytes, error));
    if (job->request->wrote && !streamed)
        job->request->wrote(job->request->context, path);
    return STATUS_OK;
}

static enum status run_scripts(struct job *job, const char *format, char **contents, size_t *length,
                               bool *lacks_format, struct error *error)
{
    struct arena *arena = &job->arena;
    /* Writes the only generated script: assignments of numbers and of cleaned texts in single
     * quotes, which gnuplot does not interpret. */
    const struct plot_subject *subject = job->subject;
    struct text script = {0};
    append_variable(&script, "format", arena_strdup(&job->arena, format));
    append_variable(&script, "device", arena_strdup(&job->arena, subject->device));
    append_variable(&script, "date", arena_strdup(&job->arena, subject->date));
    append_variable(&script, "problem", arena_strdup(&job->arena, subject->problem));
    append_variable(&script, "l2_mode", arena_strdup(&job->arena, subject->l2_mode));
    const char *database = job->request->database;
    append_variable(&script, "database",
                    arena_strdup(&job->arena, database ? path_file(database) : ""));
    append_variable(&script, "n_text", size_text(&job->arena, subject->n));
    text_printf(&script, "n = %" PRId64 "\n", subject->n);
    /* the terminal's size, within readable limits and gnuplot's */
    int columns = job->request->columns > 0 ? job->request->columns : 100;
    int rows = job->request->rows > 0 ? job->request->rows : 36;
    columns = columns < 60 ? 60 : columns > 300 ? 300 : columns;
    rows = rows < 24 ? 24 : rows > 150 ? 150 : rows;
    text_printf(&script, "text_columns = %d\ntext_rows = %d\ntext_colours = %d\n", columns, rows,
                job->request->colour ? 1 : 0);
    for (size_t i = 0; i < job->layers.count; i++) {
        const struct layer *layer = &job->layers.items[i];
        text_printf(&script, "%s_series = %zu\n%s_rows = %zu\n", layer->name, layer->series_count,
                    layer->name, layer->row_count);
    }
    const char *path = arena_printf(&job->arena, "%s/variables.gp", job->scratch.path);
    enum status status = STATUS_OK;
    if (script.failed || !path)
        status = error_no_memory(error);
    else
        status = file_write_atomically(path, script.data, script.length, error);
    text_free(&script);
    TRY(status);
    const char *figure = arena_printf(arena, "plots/%s.gp", job->figure);
    const char *picture = arena_printf(arena, "%s/figure.%s", job->scratch.path, format);
    if (!figure || !picture)
        return error_no_memory(error);
    const char *const scripts[] = {"variables.gp", "plots/style.gp", figure, NULL};
    TRY(gnuplot_run(job->figure, job->scratch.path, scripts, lacks_format, error));
    status = file_read(arena, picture, PICTURE_BYTES_MAX, contents, length, error);
    if (status == STATUS_NOT_FOUND || (status == STATUS_OK && *length == 0))
        return error_set(error, STATUS_INTERNAL, "%s: gnuplot drew nothing", job->figure);
    return status;
}

static const struct format {
    unsigned output;
    const char *name;
} formats[] = {
    {PLOT_PNG, "png"}, {PLOT_SVG, "svg"}, {PLOT_PDF, "pdf"}, {PLOT_TERMINAL, "terminal"}};

static enum status draw_picture(struct job *job, const struct format *format, bool *lacks_format,
                                struct error *error)
{
    char *contents = NULL;
    size_t length = 0;
    enum status status = run_scripts(job, format->name, &contents, &length, lacks_format, error);
    if (status != STATUS_OK)
        return status;
    if (format->output == PLOT_SVG) {
        struct text svg = {0};
        const char *seen = text_string(&job->layers.conclusion);
        char *title = arena_printf(&job->arena, "%s%s%s: %s, n = %" PRId64 " on %s", seen,
                                   seen[0] ? ". " : "", job->figure, job->subject->problem,
                                   job->subject->n, job->subject->device);
        TRY_MEMORY(title);
        plot_clean(title);
        utf8_repair(contents, length);
        svg_tidy(contents, title, &svg);
        status =
            svg.failed ? error_no_memory(error) : publish(job, "svg", svg.data, svg.length, error);
        text_free(&svg);
        return status;
    }
    if (format->output == PLOT_TERMINAL) {
        struct text characters = {0};
        utf8_repair(contents, length);
        characters_tidy(contents, &characters);
        status = characters.failed ? error_no_memory(error) : STATUS_OK;
        if (status == STATUS_OK && job->request->print)
            job->request->print(job->request->context, job->figure, text_string(&characters));
        text_free(&characters);
        return status;
    }
    return publish(job, format->name, contents, length, error);
}

static enum status draw_outputs(struct job *job, struct error *error)
{
    unsigned outputs = job->request->outputs;
    bool has_points = false;
    for (size_t i = 0; i < job->layers.count && !has_points; i++)
        has_points = strcmp(job->layers.items[i].name, "points") == 0;
    if (!has_points)
        return error_set(error, STATUS_NOT_FOUND,
                         "%s: nothing to draw for %s, n = %" PRId64 " on %s%s%s", job->figure,
                         job->subject->problem, job->subject->n, job->subject->device,
                         job->needs ? ": it needs " : "", job->needs ? job->needs : "");
    if (outputs & PLOT_DATA) {
        TRY(publish(job, "tsv", job->table.data, job->table.length, error));
    }
    /* Draws the pictures in order. Continues after a failure, unless the others would fail, too.
     * Returns a missing feature of gnuplot only when there is no other failure. */
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct error own = {0};
        bool lacks_format = false;
        if (!(job->request->outputs & ~job->lacking & formats[i].output))
            continue;
        enum status drawn = draw_picture(job, &formats[i], &lacks_format, &own);
        if (drawn == STATUS_UNAVAILABLE) {
            job->lacking |= lacks_format ? formats[i].output : ~(unsigned)PLOT_DATA;
            job->lacks = own;
        } else if (drawn != STATUS_OK && status == STATUS_OK) {
            status = drawn;
            *error = own;
        }
        if (concerns_all(drawn))
            break;
    }
    if (status != STATUS_OK || !job->lacking)
        return status;
    *error = job->lacks;
    return error->status;
}

bool concerns_all(enum status status)
{
    return status == STATUS_PERMISSION || status == STATUS_NO_MEMORY;
}

enum status job_draw(struct job *job, struct store *store, struct error *error)
{
    enum status status = STATUS_OK;
    job->scratch.file = -1;
    TRY_OR_CLEANUP(plots_folder(&job->arena, &job->plots, error));
    if (job->request->outputs & ~(unsigned)PLOT_DATA) {
        /* The scripts appear as plots/ in a private folder: gnuplot's file names contain no text of
         * the user's. */
        TRY_OR_CLEANUP(temporary_folder_in_tmp("plot", &job->scratch, error));
        if (symlinkat(job->plots, job->scratch.file, "plots") != 0)
            TRY_OR_CLEANUP(error_set_errno(error, errno, "%s/plots", job->scratch.path));
    }
    struct arena *arena = &job->arena;
    char *common = NULL;
    char *own = NULL;
    const char *name = arena_printf(arena, "%s.sql", job->figure);
    if (!name)
        TRY_OR_CLEANUP(error_no_memory(error));
    TRY_OR_CLEANUP(plot_script(arena, job->plots, "measured.sql", &common, error));
    TRY_OR_CLEANUP(plot_script(arena, job->plots, name, &own, error));
    job->needs = comment_after(arena, own, "-- needs: ");
    job->draws = comment_after(arena, own, "-- draws: ");
    const char *sql = arena_printf(arena, "%s\n%s", common, own);
    const char *where = arena_printf(arena, "plots/%s", name);
    if (!sql || !where)
        TRY_OR_CLEANUP(error_no_memory(error));
    struct text *table = job->request->outputs & PLOT_DATA ? &job->table : NULL;
    TRY_OR_CLEANUP(plot_rows(store, where, sql, job->subject, job->draws,
                             job->scratch.file >= 0 ? job->scratch.path : NULL, table, &job->layers,
                             error));
    status = draw_outputs(job, error);
cleanup:
    temporary_folder_remove(&job->scratch);
    text_free(&job->table);
    text_free(&job->layers.conclusion);
    arena_free(&job->arena);
    return status;
}
