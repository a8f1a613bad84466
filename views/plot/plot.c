#include "views/plot/plot.h"

#include <errno.h>
#include <unistd.h>

#include "tuner/base/files.h"
#include "views/plot/internal.h"

/* Draws each figure. A missing feature of gnuplot is reported once, and its format no longer
 * requested. The failure of one alone is returned. */
static enum status draw_each(struct store *store, const struct plot_request *request,
                             const struct plot_subject *subject, const char *const *figures,
                             size_t count, struct error *error)
{
    struct plot_request remaining = *request;
    for (size_t i = 0; i < count; i++) {
        struct error own = {0};
        struct job job = {.request = &remaining, .subject = subject, .figure = figures[i]};
        enum status status = check_figure(&job.arena, figures[i], &own);
        if (status == STATUS_OK)
            status = job_draw(&job, store, &own);
        arena_free(&job.arena);
        remaining.outputs &= ~job.lacking;
        if (count == 1 || concerns_all(status) || remaining.outputs == 0) {
            *error = own;
            return status;
        }
        if (request->failed && job.lacking)
            request->failed(request->context, figures[i], &job.lacks);
        if (request->failed && status != STATUS_OK && status != STATUS_UNAVAILABLE)
            request->failed(request->context, figures[i], &own);
    }
    return STATUS_OK;
}

/* Returns the requested figures, or all. */
static enum status figures_of(const struct plot_request *request, struct arena *arena,
                              const char *const **out, size_t *count, struct error *error)
{
    *out = request->figure ? &request->figure : request->figures;
    *count = request->figure ? 1 : request->figure_count;
    if (*count > 0)
        return STATUS_OK;
    const struct plot_name *names = NULL;
    TRY(plot_names(arena, &names, count, error));
    const char **figures = arena_alloc(arena, *count + 1, sizeof *figures);
    if (!figures)
        return error_no_memory(error);
    for (size_t i = 0; i < *count; i++)
        figures[i] = names[i].name;
    *out = figures;
    return STATUS_OK;
}

enum status plot_draw(struct store *store, const struct plot_request *request, struct error *error)
{
    struct arena arena = {0};
    struct plot_subject subject;
    const char *const *figures = NULL;
    size_t count = 0;
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(figures_of(request, &arena, &figures, &count, error));
    TRY_OR_CLEANUP(plot_choose(store, request, &arena, &subject, error));
    const char *folder = request->folder ? request->folder : ".";
    if (request->outputs & ~(unsigned)PLOT_TERMINAL && !output_is_stdout(folder)) {
        TRY_OR_CLEANUP(folder_make(folder, 0777, error));
        if (access(folder, W_OK | X_OK) != 0)
            TRY_OR_CLEANUP(error_set_errno(error, errno, "%s: cannot write there", folder));
    }
    status = draw_each(store, request, &subject, figures, count, error);
cleanup:
    arena_free(&arena);
    return status;
}
