/* What lies around a source: the folder of a header that it includes, the file that includes it. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontends/init/draft.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/device/gpu/tokens.h"

enum {
    FOLDERS_UP_MAX = 6,
    ENTRIES_MAX = 400,
    SOURCE_BYTES_MAX = 1 << 20,
    DEFINING_BYTES_MAX = 8 << 20, /* of tables */
    DEPTH_MAX = 6,
    FOLDERS_MAX = 2000,
    PLACES_MAX = 3
};

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

/* Of all that has the header below a folder. */
struct tree {
    struct arena *arena;
    const char *header;
    size_t folders; /* that were looked into */
    size_t found;
    const char *places[PLACES_MAX]; /* the first of them */
};

static void look_into(struct tree *tree, const char *folder, size_t depth)
{
    struct dirent **entries = NULL;
    struct stat info;
    if (depth > DEPTH_MAX || tree->folders++ > FOLDERS_MAX)
        return;
    if (has_file(tree->arena, folder, tree->header)) {
        if (tree->found < PLACES_MAX)
            tree->places[tree->found] = folder;
        tree->found++;
    }
    const size_t count = list_entries(folder, &entries);
    for (size_t i = 0; i < count; i++) {
        const char *child = arena_printf(tree->arena, "%s/%s", folder, entries[i]->d_name);
        if (child && (entries[i]->d_type == DT_DIR || entries[i]->d_type == DT_UNKNOWN) &&
            lstat(child, &info) == 0 && S_ISDIR(info.st_mode))
            look_into(tree, child, depth + 1);
    }
    free_entries(entries, count);
}

/* The only folder below this one that has the header; NULL: there are none or several, or too many
 * to look at, and *several says which. */
static const char *only_folder(struct arena *arena, const char *folder, const char *header,
                               const char **several)
{
    struct tree tree = {.arena = arena, .header = header};
    look_into(&tree, folder, 0);
    if (tree.found == 1 && tree.folders <= FOLDERS_MAX)
        return tree.places[0];
    if (tree.found > 0 || tree.folders > FOLDERS_MAX)
        *several = "";
    for (size_t i = 0; i < tree.found && i < PLACES_MAX && *several; i++)
        *several = arena_printf(arena, "%s%s%s", *several, i ? ", " : "", tree.places[i]);
    if (tree.found > PLACES_MAX && *several)
        *several = arena_printf(arena, "%s and %zu more", *several, tree.found - PLACES_MAX);
    return NULL;
}

const char *draft_folder_of(struct arena *arena, const char *source, const char *header, bool deep,
                            const char **several)
{
    char *whole = realpath(source, NULL);
    char *folder = whole ? arena_strdup(arena, whole) : NULL;
    free(whole);
    struct stat info;
    if (!folder || stat(folder, &info) != 0 || header[0] == '/')
        return NULL;
    const char *found = NULL;
    *several = NULL;
    for (size_t up = 0; up <= FOLDERS_UP_MAX && !found && !*several; up++) {
        char *slash = strrchr(folder, '/');
        if (slash == folder || (up > 0 && is_outermost(arena, folder, &info)))
            return NULL;
        *slash = '\0';
        found = deep ? only_folder(arena, folder, header, several)
                     : folder_within(arena, folder, header);
    }
    return found ? arena_strdup(arena, found) : NULL;
}

/* What is looked for in sources: text of which `holds` says that it has the name. */
struct hunt {
    struct arena *arena;
    ino_t source; /* which is left out */
    bool (*holds)(struct arena *arena, const char *text, const char *name);
    const char *name;
    const char *const *endings; /* of files' names, up to NULL */
    size_t most;                /* that are looked for */
    size_t folders;             /* that were looked into */
    size_t found;
    const char *first;
    const char **all; /* of `most`; NULL: nobody asks for more than the first */
};

static bool defines(struct arena *arena, const char *text, const char *name)
{
    struct tokens tokens;
    return strstr(text, name) && tokens_read(arena, text, &tokens) &&
           tokens_define(&tokens, name) != NOT_DEFINED;
}

static bool has_body(struct arena *arena, const char *text, const char *kernel)
{
    struct tokens tokens;
    const char *name = arena_strndup(arena, kernel, strcspn(kernel, "<"));
    return name && strstr(text, "__global__") && tokens_read(arena, text, &tokens) &&
           kernel_has_body(&tokens, unqualified_name(name));
}

static void look_at(struct hunt *hunt, const char *path)
{
    struct error ignored = {0};
    char *text = NULL;
    bool is_source = false;
    for (const char *const *ending = hunt->endings; *ending; ending++)
        is_source |= text_ends_with(path, *ending);
    if (!is_source ||
        file_read(hunt->arena, path, DEFINING_BYTES_MAX, &text, NULL, &ignored) != STATUS_OK ||
        !hunt->holds(hunt->arena, text, hunt->name))
        return;
    if (hunt->all)
        hunt->all[hunt->found] = path;
    hunt->first = hunt->found++ == 0 ? path : hunt->first;
}

/* The files in the folder but the source, then those in the folders in it. */
static void hunt_within(struct hunt *hunt, const char *folder, size_t depth)
{
    struct dirent **entries = NULL;
    struct stat info;
    if (depth > DEPTH_MAX || hunt->folders++ > FOLDERS_MAX)
        return;
    const size_t count = list_entries(folder, &entries);
    for (size_t round = 0; round < 2; round++)
        for (size_t i = 0; i < count && hunt->found < hunt->most; i++) {
            const char *path = arena_printf(hunt->arena, "%s/%s", folder, entries[i]->d_name);
            if (!path || lstat(path, &info) != 0)
                continue;
            if (round == 0 && S_ISREG(info.st_mode) && info.st_ino != hunt->source)
                look_at(hunt, path);
            else if (round == 1 && S_ISDIR(info.st_mode))
                hunt_within(hunt, path, depth + 1);
        }
    free_entries(entries, count);
}

/* In the source's folder, then in those above it, up to that of the whole project, until there is
 * one. */
static void hunt_up(struct hunt *hunt, const char *source)
{
    char *whole = realpath(source, NULL);
    char *folder = whole ? arena_strdup(hunt->arena, whole) : NULL;
    struct stat info;
    free(whole);
    if (!folder || stat(folder, &info) != 0)
        return;
    hunt->source = info.st_ino;
    for (size_t up = 0; up <= FOLDERS_UP_MAX && hunt->found == 0; up++) {
        char *slash = strrchr(folder, '/');
        if (slash == folder || (up > 0 && is_outermost(hunt->arena, folder, &info)))
            return;
        *slash = '\0';
        hunt->folders = 0;
        hunt_within(hunt, folder, 0);
    }
}

const char *draft_definition(struct arena *arena, const char *source, const char *name)
{
    static const char *const endings[] = {".cu", NULL};
    struct hunt hunt = {
        .arena = arena, .holds = defines, .name = name, .endings = endings, .most = 1};
    hunt_up(&hunt, source);
    return hunt.first;
}

const char *draft_kernel_body(struct arena *arena, const char *source, const char *kernel)
{
    static const char *const endings[] = {".cu", ".cuh", NULL};
    struct hunt hunt = {
        .arena = arena, .holds = has_body, .name = kernel, .endings = endings, .most = 2};
    hunt_up(&hunt, source);
    return hunt.found == 1 && hunt.folders <= FOLDERS_MAX ? hunt.first : NULL;
}

/* `kernel<<<`, `kernel<4><<<`, or its name in what launches by the runtime. */
static bool launches(struct arena *arena, const char *text, const char *kernel)
{
    struct tokens tokens;
    if (!strstr(text, kernel) || !tokens_read(arena, text, &tokens))
        return false;
    for (size_t i = 0; i < tokens.count; i++) {
        if (!token_is(&tokens, i, kernel))
            continue;
        const size_t at =
            token_is(&tokens, i + 1, "<") ? tokens_behind_angle(&tokens, i + 1) : i + 1;
        if (token_is(&tokens, at, "<<") && token_is(&tokens, at + 1, "<"))
            return true;
        for (size_t k = i > 6 ? i - 6 : 0; k < i; k++)
            if (token_is_in(&tokens, k, "cudaLaunchKernel cudaLaunchCooperativeKernel"))
                return true;
    }
    return false;
}

const char *draft_launching(struct arena *arena, const char *source, const char *kernel)
{
    static const char *const endings[] = {".cu", ".cuh", ".cpp", ".h", ".hpp", NULL};
    struct hunt hunt = {
        .arena = arena, .holds = launches, .name = kernel, .endings = endings, .most = 1};
    hunt_up(&hunt, source);
    return hunt.first;
}

/* Whether a line `#include "NAME"` that is no comment names it, with or without folders in front.
 */
static bool includes(struct arena *arena, const char *text, const char *name)
{
    struct tokens tokens;
    const char *rest = NULL, *end = NULL;
    const size_t length = strlen(name);
    if (!strstr(text, name) || !tokens_read(arena, text, &tokens))
        return false;
    for (size_t i = 0; i < tokens.count; i++)
        if (token_is_directive(&tokens.items[i], "include", &rest, &end) &&
            (size_t)(end - rest) >= length + 2 && *rest == '"' && end[-1] == '"' &&
            strncmp(end - 1 - length, name, length) == 0 && strchr("\"/", end[-2 - (long)length]))
            return true;
    return false;
}

/* The sources beside this one of which that holds, by name: how many, `most` at most. */
static size_t find_beside(struct arena *arena, const char *source,
                          bool (*holds)(struct arena *arena, const char *text, const char *asked),
                          const char *asked, const char *out[], size_t most)
{
    static const char *const endings[] = {".cu", ".cuh", ".cpp", ".cc", ".c"};
    const char *name = path_file(source);
    const char *folder =
        name == source ? "." : arena_strndup(arena, source, (size_t)(name - source) - 1);
    struct dirent **entries = NULL;
    size_t found = 0;
    const size_t count = folder ? list_entries(*folder ? folder : "/", &entries) : 0;
    for (size_t i = 0; i < count && i < ENTRIES_MAX && found < most; i++) {
        const char *other = entries[i]->d_name;
        const char *path = arena_printf(arena, "%s/%s", folder, other);
        struct error ignored = {0};
        char *text = NULL;
        bool is_source = false;
        for (size_t j = 0; j < sizeof endings / sizeof *endings; j++)
            is_source |= text_ends_with(other, endings[j]);
        if (is_source && path && strcmp(other, name) != 0 &&
            file_read(arena, path, SOURCE_BYTES_MAX, &text, NULL, &ignored) == STATUS_OK &&
            holds(arena, text, asked) &&
            (out[found] = name == source ? arena_strdup(arena, other) : path))
            found++;
    }
    free_entries(entries, count);
    return found;
}

size_t draft_includers(struct arena *arena, const char *source, const char *out[], size_t most)
{
    static const char *const endings[] = {".cu", ".cuh", ".h", ".hpp", ".cpp", ".cc", NULL};
    const char *name = path_file(source);
    const size_t beside = find_beside(arena, source, includes, name, out, most);
    struct hunt hunt = {.arena = arena,
                        .holds = includes,
                        .name = name,
                        .endings = endings,
                        .most = most,
                        .all = out};
    if (beside == 0)
        hunt_up(&hunt, source);
    return beside + hunt.found;
}

const char *draft_kernel_file(struct arena *arena, const char *source, const char *kernel)
{
    const char *found = NULL;
    return find_beside(arena, source, has_body, kernel, &found, 1) ? found : NULL;
}
