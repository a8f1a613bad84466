/* What lies around a source: the folder of a header that it includes, the file that includes it. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/exchange/draft.h"

enum { FOLDERS_UP_MAX = 6, ENTRIES_MAX = 400, SOURCE_BYTES_MAX = 1 << 20 };

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* What the folder has, by name; *out is to be freed by free_entries. */
static size_t list_entries(const char *folder, struct dirent ***out)
{
    *out = NULL;
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

/* What projects call the folder of others' projects. */
static bool is_of_others(const char *name)
{
    static const char *const names[] = {"third_party", "3rdparty", "thirdparty", "third-party",
                                        "external",    "extern",   "deps",       "dependencies",
                                        "submodules",  "vendor"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* The folder itself, one in it, or the `include` of one in it; and so of others' projects. */
static const char *folder_within(struct arena *arena, const char *folder, const char *header)
{
    struct dirent **entries = NULL;
    if (has_file(arena, folder, header))
        return folder;
    const char *found = NULL;
    const size_t count = list_entries(folder, &entries);
    for (size_t i = 0; i < count && i < ENTRIES_MAX && !found; i++) {
        if (text_ends_with(entries[i]->d_name, EMPTY_HEADERS_END))
            continue; /* of another draft, and empty */
        const char *child = arena_printf(arena, "%s/%s", folder, entries[i]->d_name);
        const char *include = child ? arena_printf(arena, "%s/include", child) : NULL;
        if (include && has_file(arena, child, header))
            found = child;
        else if (include && has_file(arena, include, header))
            found = include;
        else if (include && is_of_others(entries[i]->d_name))
            found = folder_within(arena, child, header);
    }
    free_entries(entries, count);
    return found;
}

/* Above it are folders of others, or it is the whole project. */
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

const char *draft_folder_of(struct arena *arena, const char *source, const char *header)
{
    char *whole = realpath(source, NULL);
    char *folder = whole ? arena_strdup(arena, whole) : NULL;
    free(whole);
    struct stat info;
    if (!folder || stat(folder, &info) != 0 || header[0] == '/')
        return NULL;
    const char *found = NULL;
    for (size_t up = 0; up <= FOLDERS_UP_MAX && !found; up++) {
        char *slash = strrchr(folder, '/');
        if (slash == folder || (up > 0 && is_outermost(arena, folder, &info)))
            return NULL;
        *slash = '\0';
        found = folder_within(arena, folder, header);
    }
    return found ? arena_strdup(arena, found) : NULL;
}

/* Whether a line `#include "NAME"` names it, with or without folders in front. */
static bool includes(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
        const char *line = at;
        while (line > text && line[-1] != '\n')
            line--;
        line += strspn(line, " \t");
        const bool whole = at[length] == '"' && strchr("\"/", at[-(at > text)]);
        if (whole && line[0] == '#' &&
            strncmp(line + 1 + strspn(line + 1, " \t"), "include", 7) == 0)
            return true;
    }
    return false;
}

/* Whether behind a __global__ that name stands before a list of parameters and a body. */
static bool has_body(const char *text, const char *kernel)
{
    const size_t length = strcspn(kernel, "<");
    for (const char *at = strstr(text, "__global__"); at; at = strstr(at + 1, "__global__")) {
        const char *open = at + strcspn(at, "{;");
        for (const char *name = at; *open == '{' && name + length < open; name++)
            if (strncmp(name, kernel, length) == 0 && strchr(" \t\r\n*&", name[-1]) &&
                name[length + strspn(name + length, " \t\r\n")] == '(')
                return true;
    }
    return false;
}

/* The first source beside this one of which that holds, by name. */
static const char *find_beside(struct arena *arena, const char *source,
                               bool (*holds)(const char *text, const char *asked),
                               const char *asked)
{
    static const char *const endings[] = {".cu", ".cuh", ".cpp", ".cc", ".c"};
    const char *name = path_file(source);
    const char *folder =
        name == source ? "." : arena_strndup(arena, source, (size_t)(name - source) - 1);
    struct dirent **entries = NULL;
    const char *found = NULL;
    const size_t count = folder ? list_entries(*folder ? folder : "/", &entries) : 0;
    for (size_t i = 0; i < count && i < ENTRIES_MAX && !found; i++) {
        const char *other = entries[i]->d_name;
        const char *path = arena_printf(arena, "%s/%s", folder, other);
        struct error ignored = {0};
        char *text = NULL;
        bool is_source = false;
        for (size_t j = 0; j < sizeof endings / sizeof *endings; j++)
            is_source |= text_ends_with(other, endings[j]);
        if (is_source && path && strcmp(other, name) != 0 &&
            file_read(arena, path, SOURCE_BYTES_MAX, &text, NULL, &ignored) == STATUS_OK &&
            holds(text, asked))
            found = name == source ? arena_strdup(arena, other) : path;
    }
    free_entries(entries, count);
    return found;
}

const char *draft_includer(struct arena *arena, const char *source)
{
    return find_beside(arena, source, includes, path_file(source));
}

const char *draft_kernel_file(struct arena *arena, const char *source, const char *kernel)
{
    return find_beside(arena, source, has_body, kernel);
}
