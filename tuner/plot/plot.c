#include "tuner/plot/plot.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/plot/internal.h"

enum { PICTURE_BYTES_MAX = 1 << 28 };

/* One figure being drawn. */
struct job {
    struct arena arena;
    const struct plot_request *request;
    const struct plot_subject *subject;
    const char *figure;
    const char *plots;        /* folder of the scripts */
    const char *needs;        /* what a device must have; NULL: not said */
    struct temporary scratch; /* file -1: no picture is wanted */
    struct text table;
    struct layers layers;
    struct arena *svg_arena; /* plot_svg: the picture goes to `svg` there, and into no file */
    const char **svg;
};

static void append_variable(struct text *script, const char *name, char *value)
{
    if (!value) {
        script->failed = true;
        return;
    }
    plot_clean(value);
    text_printf(script, "%s = '%s'\n", name, value);
}

/* "268435456 (2^28)" */
static char *size_text(struct arena *arena, int64_t n)
{
    int exponent = 0;
    if (n < 1024 || (n & (n - 1)) != 0)
        return arena_printf(arena, "%" PRId64, n);
    for (int64_t rest = n; rest > 1; rest /= 2)
        exponent++;
    return arena_printf(arena, "%" PRId64 " (2^%d)", n, exponent);
}

/* The only script that is made here: assignments of numbers and of cleaned texts in single quotes,
 * which gnuplot takes as they are. */
static enum status write_variables(struct job *job, const char *format, struct error *error)
{
    const struct plot_subject *subject = job->subject;
    struct text script = {0};
    append_variable(&script, "format", arena_strdup(&job->arena, format));
    append_variable(&script, "device", arena_strdup(&job->arena, subject->device));
    append_variable(&script, "date", arena_strdup(&job->arena, subject->date));
    append_variable(&script, "problem", arena_strdup(&job->arena, subject->problem));
    append_variable(&script, "l2_mode", arena_strdup(&job->arena, subject->l2_mode));
    const char *database = job->request->database;
    append_variable(&script, "database", arena_strdup(&job->arena, database ? database : ""));
    append_variable(&script, "n_text", size_text(&job->arena, subject->n));
    text_printf(&script, "n = %" PRId64 "\n", subject->n);
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
    return status;
}

/* Problem keys are words and dots; whatever else one holds does not get into a file's name. */
static const char *output_path(struct job *job, const char *extension)
{
    const char *folder = job->request->folder ? job->request->folder : ".";
    char *problem = arena_strdup(&job->arena, job->subject->problem);
    if (!problem)
        return NULL;
    for (char *c = problem; *c; c++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", *c))
            *c = '_';
    const char *separator = strcmp(folder, ".") == 0 ? "" : "/";
    return arena_printf(&job->arena, "%s%s%s-%s-%" PRId64 ".%s", *separator ? folder : "",
                        separator, job->figure, problem, job->subject->n, extension);
}

static enum status publish(struct job *job, const char *extension, const char *data, size_t bytes,
                           struct error *error)
{
    const char *path = output_path(job, extension);
    if (!path)
        return error_no_memory(error);
    enum status status = file_write_atomically(path, data, bytes, error);
    if (status == STATUS_OK && job->request->wrote)
        job->request->wrote(job->request->context, path);
    return status;
}

static enum status draw_picture(struct job *job, const char *format, struct error *error)
{
    struct arena *arena = &job->arena;
    enum status status = write_variables(job, format, error);
    if (status != STATUS_OK)
        return status;
    const char *figure = arena_printf(arena, "plots/%s.gp", job->figure);
    const char *picture = arena_printf(arena, "%s/figure.%s", job->scratch.path, format);
    if (!figure || !picture)
        return error_no_memory(error);
    const char *const scripts[] = {"variables.gp", "plots/style.gp", figure, NULL};
    status = gnuplot_run(job->figure, job->scratch.path, scripts, error);
    if (status != STATUS_OK)
        return status;
    char *contents = NULL;
    size_t length = 0;
    status = file_read(arena, picture, PICTURE_BYTES_MAX, &contents, &length, error);
    if (status == STATUS_NOT_FOUND || (status == STATUS_OK && length == 0))
        return error_set(error, STATUS_INTERNAL, "%s: gnuplot drew nothing", job->figure);
    if (status != STATUS_OK)
        return status;
    if (!job->svg)
        return publish(job, format, contents, length, error);
    *job->svg = arena_strndup(job->svg_arena, contents, length);
    return *job->svg ? STATUS_OK : error_no_memory(error);
}

static enum status fetch_rows(struct job *job, struct store *store, struct error *error)
{
    struct arena *arena = &job->arena;
    char *common = NULL;
    char *own = NULL;
    const char *name = arena_printf(arena, "%s.sql", job->figure);
    if (!name)
        return error_no_memory(error);
    enum status status = plot_script(arena, job->plots, "measured.sql", &common, error);
    if (status == STATUS_OK)
        status = plot_script(arena, job->plots, name, &own, error);
    if (status != STATUS_OK)
        return status;
    job->needs = comment_after(arena, own, "-- needs: ");
    const char *sql = arena_printf(arena, "%s\n%s", common, own);
    const char *where = arena_printf(arena, "plots/%s", name);
    if (!sql || !where)
        return error_no_memory(error);
    struct text *table = job->request->outputs & PLOT_DATA ? &job->table : NULL;
    return plot_rows(store, where, sql, job->subject,
                     job->scratch.file >= 0 ? job->scratch.path : NULL, table, &job->layers, error);
}

static bool has_points(const struct layers *layers)
{
    for (size_t i = 0; i < layers->count; i++)
        if (strcmp(layers->items[i].name, "points") == 0)
            return true;
    return false;
}

static enum status draw_outputs(struct job *job, struct error *error)
{
    unsigned outputs = job->request->outputs;
    if (!has_points(&job->layers))
        return error_set(error, STATUS_NOT_FOUND,
                         "%s: nothing to draw for %s, n = %" PRId64 " on %s%s%s", job->figure,
                         job->subject->problem, job->subject->n, job->subject->device,
                         job->needs ? ": it needs " : "", job->needs ? job->needs : "");
    enum status status = STATUS_OK;
    if (outputs & PLOT_DATA)
        status = publish(job, "tsv", job->table.data, job->table.length, error);
    if (status == STATUS_OK && outputs & PLOT_PNG)
        status = draw_picture(job, "png", error);
    if (status == STATUS_OK && outputs & PLOT_SVG)
        status = draw_picture(job, "svg", error);
    return status;
}

static enum status draw_job(struct job *job, struct store *store, struct error *error)
{
    enum status status = plots_folder(&job->arena, &job->plots, error);
    if (status == STATUS_OK && job->request->outputs & (PLOT_PNG | PLOT_SVG))
        status = scratch_make(&job->arena, job->plots, &job->scratch, error);
    if (status == STATUS_OK)
        status = fetch_rows(job, store, error);
    if (status == STATUS_OK)
        status = draw_outputs(job, error);
    temporary_folder_remove(&job->scratch);
    text_free(&job->table);
    arena_free(&job->arena);
    return status;
}

static enum status draw(struct store *store, const struct plot_request *request,
                        const struct plot_subject *subject, const char *figure, struct error *error)
{
    struct job job = {
        .request = request, .subject = subject, .figure = figure, .scratch = {.file = -1}};
    return draw_job(&job, store, error);
}

static enum status prepare_folder(const char *folder, struct error *error)
{
    if (!folder)
        folder = ".";
    enum status status = folder_make(folder, error);
    if (status == STATUS_OK && access(folder, W_OK | X_OK) != 0)
        status = error_set_errno(error, errno, "%s: cannot write there", folder);
    return status;
}

enum status plot_figure(struct store *store, const struct plot_request *request,
                        struct error *error)
{
    struct arena arena = {0};
    struct plot_subject subject;
    enum status status = check_figure(&arena, request->figure, error);
    if (status == STATUS_OK)
        status = plot_choose(store, request, &arena, &subject, error);
    if (status == STATUS_OK)
        status = prepare_folder(request->folder, error);
    if (status == STATUS_OK)
        status = draw(store, request, &subject, request->figure, error);
    arena_free(&arena);
    return status;
}

enum status plot_svg(struct store *store, const struct plot_request *request, struct arena *arena,
                     const char **svg, struct error *error)
{
    struct plot_subject subject;
    struct plot_request own = *request;
    own.outputs = PLOT_SVG;
    struct job job = {.request = &own,
                      .subject = &subject,
                      .figure = request->figure,
                      .scratch = {.file = -1},
                      .svg_arena = arena,
                      .svg = svg};
    enum status status = check_figure(arena, request->figure, error);
    if (status == STATUS_OK)
        status = plot_choose(store, request, arena, &subject, error);
    return status == STATUS_OK ? draw_job(&job, store, error) : status;
}

/* What would befall each of the other figures as well. */
static bool concerns_all(enum status status)
{
    return status == STATUS_UNAVAILABLE || status == STATUS_PERMISSION ||
           status == STATUS_NO_MEMORY;
}

static enum status draw_each(struct store *store, const struct plot_request *request,
                             const struct plot_subject *subject, const struct plot_name *figures,
                             size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct error own = {0};
        enum status status = draw(store, request, subject, figures[i].name, &own);
        if (concerns_all(status)) {
            *error = own;
            return status;
        }
        if (status != STATUS_OK && request->failed)
            request->failed(request->context, figures[i].name, &own);
    }
    return STATUS_OK;
}

enum status plot_all(struct store *store, const struct plot_request *request, struct error *error)
{
    struct arena arena = {0};
    struct plot_subject subject;
    const struct plot_name *figures = NULL;
    size_t count = 0;
    enum status status = plot_names(&arena, &figures, &count, error);
    if (status == STATUS_OK)
        status = plot_choose(store, request, &arena, &subject, error);
    if (status == STATUS_OK)
        status = prepare_folder(request->folder, error);
    if (status == STATUS_OK)
        status = draw_each(store, request, &subject, figures, count, error);
    arena_free(&arena);
    return status;
}
