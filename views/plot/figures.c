#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "views/plot/internal.h"

enum { FIGURES_MAX = 256, SCRIPT_BYTES_MAX = 1 << 20 };

enum status plots_folder(struct arena *arena, const char **out, struct error *error)
{
    const char *data = NULL;
    TRY(data_folder(arena, &data, error));
    const char *folder = arena_printf(arena, "%s/plots", data);
    if (!folder)
        return error_no_memory(error);
    char *real = realpath(folder, NULL); /* gnuplot runs in another folder */
    if (!real)
        return error_set_errno(error, errno, "%s", folder);
    *out = arena_strdup(arena, real);
    free(real);
    return *out ? STATUS_OK : error_no_memory(error);
}

enum status plot_script(struct arena *arena, const char *folder, const char *name, char **text,
                        struct error *error)
{
    const char *path = arena_printf(arena, "%s/%s", folder, name);
    if (!path)
        return error_no_memory(error);
    return file_read(arena, path, SCRIPT_BYTES_MAX, text, NULL, error);
}

const char *comment_after(struct arena *arena, const char *sql, const char *start)
{
    size_t length = strlen(start);
    for (const char *line = sql; strncmp(line, "--", 2) == 0;) {
        size_t end = strcspn(line, "\n");
        if (strncmp(line, start, length) == 0)
            return arena_strndup(arena, line + length, end - length);
        line += end + (line[end] ? 1 : 0);
    }
    return NULL;
}

/* Adds the file if it is a figure's: a .sql with a .gp beside it. */
static enum status add_figure(struct arena *arena, const char *folder, const char *file,
                              struct plot_name *figures, size_t *count, struct error *error)
{
    size_t length = strlen(file);
    if (length < 5 || file[0] == '.' || strcmp(file + length - 4, ".sql") != 0)
        return STATUS_OK;
    const char *name = arena_strndup(arena, file, length - 4);
    const char *partner = arena_printf(arena, "%s/%s.gp", folder, name ? name : "");
    if (!name || !partner)
        return error_no_memory(error);
    if (!file_exists(partner))
        return STATUS_OK;
    if (*count == FIGURES_MAX)
        return error_set(error, STATUS_BAD_INPUT, "%s: more than %d figures", folder,
                         (int)FIGURES_MAX);
    char *sql = NULL;
    TRY(plot_script(arena, folder, file, &sql, error));
    const char *about = comment_after(arena, sql, "-- ");
    figures[(*count)++] = (struct plot_name){name, about ? about : ""};
    return STATUS_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct plot_name *)a)->name, ((const struct plot_name *)b)->name);
}

enum status plot_names(struct arena *arena, const struct plot_name **out, size_t *count,
                       struct error *error)
{
    const char *folder = NULL;
    enum status status = plots_folder(arena, &folder, error);
    if (status != STATUS_OK)
        return status;
    struct plot_name *figures = arena_alloc(arena, FIGURES_MAX, sizeof *figures);
    if (!figures)
        return error_no_memory(error);
    DIR *listing = opendir(folder);
    if (!listing)
        return error_set_errno(error, errno, "%s", folder);
    *count = 0;
    const struct dirent *entry;
    while (status == STATUS_OK && (entry = readdir(listing)))
        status = add_figure(arena, folder, entry->d_name, figures, count, error);
    (void)closedir(listing);
    qsort(figures, *count, sizeof *figures, by_name);
    *out = figures;
    return status;
}

enum status check_figure(struct arena *arena, const char *name, struct error *error)
{
    const struct plot_name *figures = NULL;
    size_t count = 0;
    enum status status = plot_names(arena, &figures, &count, error);
    if (status != STATUS_OK)
        return status;
    const char *words[FIGURES_MAX];
    struct text list = {0};
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        words[i] = figures[i].name;
        found = found || strcmp(words[i], name) == 0;
        text_printf(&list, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    if (!found) {
        const char *nearest = nearest_word(name, words, count);
        if (nearest)
            status = error_set(error, STATUS_NOT_FOUND,
                               "there is no figure '%s'; did you mean '%s'?", name, nearest);
        else
            status = error_set(error, STATUS_NOT_FOUND,
                               "there is no figure '%s'; known: %s; --problem names a problem",
                               name, text_string(&list));
    }
    text_free(&list);
    return status;
}
