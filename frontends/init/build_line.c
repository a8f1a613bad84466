#include "frontends/init/build_line.h"

#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wordexp.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/json.h"
#include "tuner/base/text.h"
#include "tuner/base/trust.h"

enum { COMMANDS_BYTES_MAX = 256 << 20 };

/* ---- words ---- */

struct reading {
    struct arena *arena;
    const char *folder;
    struct build_line *out;
    const char *too_many; /* of what */
};

static const char *whole_path(const struct reading *reading, const char *path)
{
    return *path == '/' || !reading->folder
               ? path
               : arena_printf(reading->arena, "%s/%s", reading->folder, path);
}

static void add(struct reading *reading, const char **list, size_t *count, size_t most,
                const char *item, const char *what)
{
    if (*count == most)
        reading->too_many = what;
    else
        list[(*count)++] = item;
}

/* Returns the value of an option that is written -Xvalue, -X value, --long=value or --long value.
 * NULL: the word is another. */
static const char *value_of(const char *const *words, size_t count, size_t *at, const char *name)
{
    const char *word = words[*at];
    const size_t length = strlen(name);
    if (strncmp(word, name, length) != 0)
        return NULL;
    if (word[length] == '\0')
        return *at + 1 < count && words[*at + 1] ? words[++*at] : "";
    if (word[length] == '=')
        return word + length + 1;
    return name[1] != '-' && length == 2 ? word + length : NULL;
}

/* Takes a flag that changes machine code. Returns false for flags of the host, the link or
 * debugging. */
static bool take_flag(struct reading *reading, const char *const *words, size_t count, size_t *at)
{
    static const char *const names[] = {"maxrregcount", "fmad", "ftz",         "prec-div",
                                        "prec-sqrt",    "std",  "pre-include", "include"};
    const char *word = words[*at], *value = NULL, *flag = NULL, *name = "";
    if (strcmp(word, "--use_fast_math") == 0 || strcmp(word, "-use_fast_math") == 0)
        flag = "--use_fast_math";
    for (size_t i = 0; i < COUNT(names) && !flag && !value; i++)
        for (size_t dashes = 1; dashes <= 2 && !value; dashes++) {
            name = arena_printf(reading->arena, "%.*s%s", (int)dashes, "--", names[i]);
            value = name ? value_of(words, count, at, name) : NULL;
        }
    if (value && strstr(name, "std")) {
        value += strncmp(value, "gnu++", 5) == 0 ? 3 : 0;
        flag = arena_printf(reading->arena, "--std=%s%s", *value == '+' ? "c" : "", value);
    } else if (value && strstr(name, "include")) {
        flag = arena_printf(reading->arena, "--pre-include=%s", whole_path(reading, value));
    } else if (value) {
        flag = arena_printf(reading->arena, "-%s=%s", name + strspn(name, "-"), value);
    }
    if (flag)
        add(reading, reading->out->flags, &reading->out->flag_count, FLAGS_MAX - 1, flag, "flags");
    return flag;
}

enum status build_line_read(struct arena *arena, const char *const *words, size_t count,
                            const char *folder, struct build_line *out, struct error *error)
{
    static const char *const folders[] = {"-isystem", "--system-include", "--include-path", "-I"};
    static const char *const ends[] = {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".hip", ".py"};
    struct reading reading = {.arena = arena, .folder = folder, .out = out};
    for (size_t i = 1; i < count; i++) { /* behind the compiler itself */
        bool is_source = false;
        for (size_t j = 0; j < COUNT(ends); j++)
            is_source |= text_ends_with(words[i], ends[j]);
        const char *define = value_of(words, count, &i, "-D"), *path = NULL;
        if (!define)
            define = value_of(words, count, &i, "--define-macro");
        for (size_t j = 0; j < COUNT(folders) && !define && !path; j++)
            path = value_of(words, count, &i, folders[j]);
        path = path ? whole_path(&reading, path) : NULL;
        bool is_known = false;
        for (size_t j = 0; path && j < out->folder_count; j++)
            is_known |= strcmp(out->folders[j], path) == 0;
        if (path && !is_known)
            add(&reading, out->folders, &out->folder_count, UNITS_MAX, path,
                "folders of included files");
        else if (define)
            add(&reading, out->defines, &out->define_count, BUILD_DEFINES_MAX, define, "defines");
        else if (!path && !take_flag(&reading, words, count, &i) && words[i][0] != '-' &&
                 is_source && strcmp(words[i - 1], "-o") != 0)
            add(&reading, out->sources, &out->source_count, BUILD_SOURCES_MAX,
                whole_path(&reading, words[i]), "sources");
    }
    if (reading.too_many)
        return error_set(error, STATUS_BAD_INPUT, "the compiler's line has too many %s",
                         reading.too_many);
    return arena->failed ? error_no_memory(error) : STATUS_OK;
}

/* ---- compile_commands.json ---- */

static enum status take_entry(struct arena *arena, const json_t *entry, struct build_line *out,
                              struct error *error)
{
    const json_t *arguments = json_object_get(entry, "arguments");
    const char *command = json_string_value(json_object_get(entry, "command"));
    const char *folder = json_string_value(json_object_get(entry, "directory"));
    wordexp_t line = {0}; /* words as a shell has them, but no command runs */
    const bool is_split = !arguments && command && wordexp(command, &line, WRDE_NOCMD) == 0;
    const size_t count = is_split ? line.we_wordc : json_array_size(arguments);
    const char **words = arena_alloc(arena, count + 1, sizeof *words);
    for (size_t i = 0; i < count && words; i++) {
        const char *word =
            is_split ? line.we_wordv[i] : json_string_value(json_array_get(arguments, i));
        words[i] = arena_strdup(arena, word ? word : "");
    }
    if (is_split)
        wordfree(&line);
    folder = arena_strdup(arena, folder ? folder : ".");
    if (!words || arena->failed)
        return error_no_memory(error);
    if (count == 0)
        return error_set(error, STATUS_BAD_INPUT, "%s: a shell takes no command from it: %s",
                         out->from, command ? command : "");
    return build_line_read(arena, words, count, folder, out, error);
}

static enum status look_into(struct arena *arena, const char *path, const char *source,
                             struct build_line *out, struct error *error)
{
    char *contents = NULL;
    struct error ignored = {0};
    enum status status = STATUS_OK;
    if (file_read(arena, path, COMMANDS_BYTES_MAX, &contents, NULL, &ignored) != STATUS_OK)
        return STATUS_OK;
    json_t *all = json_read(contents, 0, NULL), *entry = NULL;
    size_t i = 0;
    json_array_foreach(all, i, entry)
    {
        const char *file = json_string_value(json_object_get(entry, "file"));
        const char *folder = json_string_value(json_object_get(entry, "directory"));
        folder = folder ? folder : ".";
        const char *named =
            !file || *file == '/' ? file : arena_printf(arena, "%s/%s", folder, file);
        char *real = named ? realpath(named, NULL) : NULL;
        const bool is_of = real && strcmp(real, source) == 0;
        free(real);
        if (!is_of)
            continue;
        out->from = path;
        status = take_entry(arena, entry, out, error);
        break;
    }
    json_decref(all);
    return status;
}

/* Finds the file in the folder, or in one below, as behind cmake -B build. */
static const char *commands_in(struct arena *arena, const char *folder, bool below)
{
    const char *path = arena_printf(arena, "%s/compile_commands.json", folder);
    if (path && file_exists(path))
        return path;
    DIR *listing = below ? opendir(folder) : NULL;
    const char *found = NULL;
    for (const struct dirent *entry; listing && !found && (entry = readdir(listing)) != NULL;)
        if (strncasecmp(entry->d_name, "build", 5) == 0 || strncmp(entry->d_name, "cmake-", 6) == 0)
            found = commands_in(arena, arena_printf(arena, "%s/%s", folder, entry->d_name), false);
    if (listing)
        closedir(listing);
    return found;
}

enum status build_line_find(struct arena *arena, const char *source, struct build_line *out,
                            struct error *error)
{
    char *real = realpath(source, NULL);
    char *folder = real ? arena_strdup(arena, real) : NULL;
    enum status status = STATUS_OK;
    for (char *end; folder && status == STATUS_OK && !out->from &&
                    (end = strrchr(folder, '/')) != NULL && end > folder;) {
        *end = '\0';
        const char *path = path_is_open_to_others(folder) ? NULL : commands_in(arena, folder, true);
        if (path)
            status = look_into(arena, path, real, out, error);
    }
    free(real);
    return status;
}
