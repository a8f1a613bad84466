/* Surroundings of a source: the folder of an included header, the project's other sources, the
 * source named by a script. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontends/init/source.h"
#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"

enum {
    FOLDERS_UP_MAX = 6,
    ENTRIES_MAX = 400,
    SOURCE_BYTES_MAX = 8 << 20,
    DEPTH_MAX = 6,
    FOLDERS_MAX = 2000,
};

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Lists the folder by name (NULL: no entries); *out is to be freed by free_entries. */
static size_t list_entries(const char *folder, struct dirent ***out)
{
    *out = NULL;
    if (!folder)
        return 0; /* memory ran out */
    const int count = scandir(folder, out, is_visible, alphasort);
    return count > 0 ? (size_t)count : 0;
}

static void free_entries(struct dirent **entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
}

static bool has_file(struct arena *arena, const char *folder, const char *name)
{
    const char *path = arena_printf(arena, "%s/%s", folder, name);
    struct stat info;
    return path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Finds the header in the folder, in one below, or in the `include` of one. */
static const char *folder_within(struct arena *arena, const char *folder, const char *header)
{
    struct dirent **entries = NULL;
    const char *found = has_file(arena, folder, header) ? folder : NULL;
    const size_t count = found ? 0 : list_entries(folder, &entries);
    for (size_t i = 0; i < count && i < ENTRIES_MAX && !found; i++) {
        const char *child = arena_printf(arena, "%s/%s", folder, entries[i]->d_name);
        const char *include = child ? arena_printf(arena, "%s/include", child) : NULL;
        if (include && has_file(arena, child, header))
            found = child;
        else if (include && has_file(arena, include, header))
            found = include;
    }
    free_entries(entries, count);
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

/* Goes from the source's folder up to the whole project's, until `visit` returns a result. */
static const char *go_up(struct arena *arena, const char *source, void *context,
                         const char *(*visit)(void *context, const char *folder))
{
    char *whole = realpath(source, NULL);
    char *folder = whole ? arena_strdup(arena, whole) : NULL;
    const char *found = NULL;
    struct stat info;
    free(whole);
    if (!folder || stat(folder, &info) != 0)
        return NULL;
    for (size_t up = 0; up <= FOLDERS_UP_MAX && !found; up++) {
        char *slash = strrchr(folder, '/');
        if (slash == folder || (up > 0 && is_outermost(arena, folder, &info)))
            return NULL;
        *slash = '\0';
        found = visit(context, folder);
    }
    return found;
}

struct header_hunt {
    struct arena *arena;
    const char *header;
};

static const char *visit_for_header(void *context, const char *folder)
{
    const struct header_hunt *hunt = context;
    const char *found = folder_within(hunt->arena, folder, hunt->header);
    return found ? arena_strdup(hunt->arena, found) : NULL;
}

const char *nearby_folder_of(struct arena *arena, const char *source, const char *header)
{
    struct header_hunt hunt = {arena, header};
    return header[0] == '/' ? NULL : go_up(arena, source, &hunt, visit_for_header);
}

/* ---- sources ---- */

struct source_hunt {
    struct arena *arena;
    ino_t source; /* left out of the search */
    const char *word;
    bool (*visit)(void *context, const char *path, const char *text);
    void *context;
    size_t folders; /* searched so far */
};

static bool ends_hunt(const struct source_hunt *hunt, const char *path)
{
    static const char *const endings[] = {".cu", ".cuh", ".cpp", ".h", ".hpp"};
    struct error ignored = {0};
    char *text = NULL;
    bool is_source = false;
    for (size_t i = 0; i < COUNT(endings); i++)
        is_source |= text_ends_with(path, endings[i]);
    return is_source &&
           file_read(hunt->arena, path, SOURCE_BYTES_MAX, &text, NULL, &ignored) == STATUS_OK &&
           strstr(text, hunt->word) && hunt->visit(hunt->context, path, text);
}

/* Searches the folder's files, then the folders below. Returns the folder where the search ends. */
static const char *hunt_within(struct source_hunt *hunt, const char *folder, size_t depth)
{
    struct dirent **entries = NULL;
    struct stat info;
    const char *found = NULL;
    if (depth > DEPTH_MAX || hunt->folders++ > FOLDERS_MAX)
        return NULL;
    const size_t count = list_entries(folder, &entries);
    for (size_t round = 0; round < 2; round++)
        for (size_t i = 0; i < count && !found; i++) {
            const char *path = arena_printf(hunt->arena, "%s/%s", folder, entries[i]->d_name);
            if (!path || lstat(path, &info) != 0)
                continue;
            if (round == 0 && S_ISREG(info.st_mode) && info.st_ino != hunt->source)
                found = ends_hunt(hunt, path) ? folder : NULL;
            else if (round == 1 && S_ISDIR(info.st_mode))
                found = hunt_within(hunt, path, depth + 1);
        }
    free_entries(entries, count);
    return found;
}

static const char *visit_for_sources(void *context, const char *folder)
{
    struct source_hunt *hunt = context;
    hunt->folders = 0;
    return hunt_within(hunt, folder, 0);
}

void nearby_visit(struct arena *arena, const char *source, const char *word,
                  bool (*visit)(void *context, const char *path, const char *text), void *context)
{
    struct stat info;
    if (stat(source, &info) != 0)
        return;
    struct source_hunt hunt = {arena, info.st_ino, word, visit, context, 0};
    (void)go_up(arena, source, &hunt, visit_for_sources);
}

/* ---- scripts ---- */

const char *nearby_script_source(struct arena *arena, const char *path, const char *kernel)
{
    char *script = NULL, *contents = NULL;
    struct error ignored = {0};
    struct tokens tokens;
    const int folder = (int)(path_file(path) - path);
    const char *name = kernel ? arena_strndup(arena, kernel, strcspn(kernel, "<")) : NULL;
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
        if (source &&
            file_read(arena, source, SOURCE_BYTES_MAX, &contents, NULL, &ignored) == STATUS_OK &&
            (!name || (tokens_read(arena, contents, &tokens) && kernel_has_body(&tokens, name))))
            return source;
    }
    return NULL;
}
