/* Surroundings of a source: the project's other files, the source named by a script. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontends/init/source.h"
#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"

enum { FOLDERS_UP_MAX = 6, FOLDERS_MAX = 2000 };

/* Visits the folder's files by name, then those of the folders in it, and so on; `walked` is left
 * out. Returns true at the search's end. */
static bool walk(struct arena *arena, const char *folder, const char *walked,
                 bool (*visit)(void *context, const char *path), void *context)
{
    const char **folders = arena_alloc(arena, FOLDERS_MAX, sizeof *folders);
    size_t count = folders ? 1 : 0;
    bool found = false;
    if (folders)
        folders[0] = folder;
    for (size_t at = 0; at < count && !found; at++) {
        struct dirent **entries = NULL;
        const int entry_count = scandir(folders[at], &entries, NULL, alphasort);
        for (int i = 0; i < entry_count; i++) {
            const char *path = arena_printf(arena, "%s/%s", folders[at], entries[i]->d_name);
            const bool is_hidden = entries[i]->d_name[0] == '.';
            struct stat info;
            free(entries[i]);
            if (found || is_hidden || !path || strcmp(path, walked) == 0 || lstat(path, &info) != 0)
                continue;
            if (!S_ISDIR(info.st_mode))
                found = visit(context, path);
            else if (count < FOLDERS_MAX)
                folders[count++] = path;
        }
        free(entries);
    }
    return found;
}

/* Returns true if the folder is the whole project, or is below other users' folders. */
static bool is_outermost(struct arena *arena, const char *folder, const struct stat *source)
{
    const char *git = arena_printf(arena, "%s/.git", folder);
    const char *above = arena_printf(arena, "%s/..", folder);
    const char *home = getenv("HOME");
    struct stat info;
    return !git || file_exists(git) || !above || stat(above, &info) != 0 ||
           info.st_uid != source->st_uid || (info.st_mode & S_IWOTH) != 0 ||
           (home && strcmp(home, folder) == 0);
}

void nearby_visit(struct arena *arena, const char *source,
                  bool (*visit)(void *context, const char *path), void *context)
{
    char *whole = realpath(source, NULL);
    char *folder = whole ? arena_strdup(arena, whole) : NULL;
    struct stat info;
    free(whole);
    if (!folder || stat(folder, &info) != 0)
        return;
    for (size_t up = 0; up <= FOLDERS_UP_MAX; up++) {
        char *slash = strrchr(folder, '/');
        if (slash == folder || (up > 0 && is_outermost(arena, folder, &info)))
            return;
        const char *below = arena_strdup(arena, folder); /* at first the source */
        *slash = '\0';
        if (!below || walk(arena, folder, below, visit, context))
            return;
    }
}

const char *nearby_script_source(struct arena *arena, const char *path, const char *kernel)
{
    char *script = NULL;
    struct error ignored = {0};
    const int folder = (int)(path_file(path) - path);
    if (file_read(arena, path, SOURCE_BYTES_MAX, &script, NULL, &ignored) != STATUS_OK)
        return NULL;
    for (const char *end = script; (end = strstr(end, ".cu")) != NULL; end += 3) {
        const char *start = end;
        while (start > script && !strchr("\"'\n", start[-1]))
            start--;
        if (!strchr("\"'", end[3]) || start == script || start[-1] == '\n')
            continue;
        const char *source = arena_printf(arena, "%.*s%.*s", *start == '/' ? 0 : folder, path,
                                          (int)(end + 3 - start), start);
        if (source && (kernel ? kernel_has_body(arena, source, kernel) : file_exists(source)))
            return source;
    }
    return NULL;
}
