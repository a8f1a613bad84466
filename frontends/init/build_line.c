#include "frontends/init/build_line.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

#include "frontends/init/source.h"
#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/json.h"
#include "tuner/base/text.h"
#include "tuner/base/trust.h"

enum { COMMANDS_BYTES_MAX = 256 << 20 };

/* ---- words ---- */

/* Options that change machine code; others are of the host, the link or debugging. */
enum build_kind { BUILD_DEFINE, BUILD_FOLDER, BUILD_FLAG, BUILD_STANDARD, BUILD_HEADER };
static const struct {
    const char *name;
    enum build_kind kind;
} options[] = {{"-D", BUILD_DEFINE},
               {"--define-macro", BUILD_DEFINE},
               {"-I", BUILD_FOLDER},
               {"-isystem", BUILD_FOLDER},
               {"-system-include", BUILD_FOLDER},
               {"-include-path", BUILD_FOLDER},
               {"-maxrregcount", BUILD_FLAG},
               {"-fmad", BUILD_FLAG},
               {"-ftz", BUILD_FLAG},
               {"-prec-div", BUILD_FLAG},
               {"-prec-sqrt", BUILD_FLAG},
               {"-std", BUILD_STANDARD},
               {"-pre-include", BUILD_HEADER},
               {"-include", BUILD_HEADER}};

/* Returns the value of an option that is written -Xvalue, -X value, --long=value or --long value;
 * long ones may have one dash. NULL: the word is another. */
static const char *value_of(const char *const *words, size_t count, size_t *at, const char *name)
{
    const size_t length = strlen(name);
    const char *word = words[*at];
    word += length > 2 && strncmp(word, "--", 2) == 0 && name[1] != '-';
    if (strncmp(word, name, length) != 0)
        return NULL;
    if (word[length] == '\0')
        return *at + 1 < count && words[*at + 1] ? words[++*at] : "";
    return length == 2 ? word + length : word[length] == '=' ? word + length + 1 : NULL;
}

/* Adds an item to a list, once. Returns false if the list is full. */
static bool add(const char **list, size_t *count, size_t most, const char *item)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(list[i], item) == 0)
            return true;
    if (*count == most)
        return false;
    list[(*count)++] = item;
    return true;
}

enum status build_line_read(struct arena *arena, const char *const *words, size_t count,
                            const char *folder, struct build_line *out, struct error *error)
{
    static const char *const ends[] = {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".hip", ".py"};
    bool fits = true;
    for (size_t i = 1; i < count && fits; i++) { /* behind the compiler itself */
        const char *value = NULL, *word = words[i], *before = words[i - 1];
        size_t row = 0;
        bool is_source = false;
        for (size_t j = 0; j < COUNT(ends); j++)
            is_source |= *word != '-' && strcmp(before, "-o") != 0 && text_ends_with(word, ends[j]);
        while (row < COUNT(options) && !(value = value_of(words, count, &i, options[row].name)))
            row++;
        const enum build_kind kind = value ? options[row].kind : BUILD_FLAG;
        const char *path = value ? value : word;
        if (*path != '/' && folder)
            path = arena_printf(arena, "%s/%s", folder, path);
        const char *flag = NULL;
        if (value && kind == BUILD_FLAG)
            flag = arena_printf(arena, "%s=%s", options[row].name, value);
        else if (kind == BUILD_STANDARD)
            flag = arena_printf(arena, "--std=%s%s", strncmp(value, "gnu++", 5) == 0 ? "c" : "",
                                value + (strncmp(value, "gnu++", 5) == 0 ? 3 : 0));
        else if (kind == BUILD_HEADER)
            flag = arena_printf(arena, "--pre-include=%s", path);
        else if (strcmp(word, "--use_fast_math") == 0 || strcmp(word, "-use_fast_math") == 0)
            flag = "--use_fast_math";
        if (arena->failed)
            return error_no_memory(error);
        if (flag)
            fits = add(out->flags, &out->flag_count, FLAGS_MAX - 1, flag);
        else if (kind == BUILD_FOLDER)
            fits = add(out->folders, &out->folder_count, UNITS_MAX, path);
        else if (kind == BUILD_DEFINE)
            fits = add(out->defines, &out->define_count, BUILD_DEFINES_MAX, value);
        else if (is_source)
            fits = add(out->sources, &out->source_count, BUILD_SOURCES_MAX, path);
    }
    return fits ? STATUS_OK
                : error_set(error, STATUS_BAD_INPUT,
                            "the compiler's line has too many sources, folders, defines or flags");
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

struct commands {
    struct arena *arena;
    const char *source; /* path without links */
    struct build_line *out;
    enum status status;
    struct error *error;
};

/* Takes the source's entry, if the file is a compile_commands.json that has one. */
static bool visit_commands(void *context, const char *path)
{
    struct commands *commands = context;
    struct build_line *out = commands->out;
    char *contents = NULL;
    struct error ignored = {0};
    if (strcmp(path_file(path), "compile_commands.json") != 0 || path_is_open_to_others(path) ||
        file_read(commands->arena, path, COMMANDS_BYTES_MAX, &contents, NULL, &ignored) !=
            STATUS_OK)
        return false;
    json_t *all = json_read(contents, 0, NULL), *entry = NULL;
    size_t i = 0;
    json_array_foreach(all, i, entry)
    {
        const char *file = json_string_value(json_object_get(entry, "file"));
        const char *folder = json_string_value(json_object_get(entry, "directory"));
        const char *named = !file || *file == '/' ? file
                                                  : arena_printf(commands->arena, "%s/%s",
                                                                 folder ? folder : ".", file);
        char *real = named ? realpath(named, NULL) : NULL;
        const bool is_of = real && strcmp(real, commands->source) == 0;
        free(real);
        if (!is_of)
            continue;
        out->from = path;
        commands->status = take_entry(commands->arena, entry, out, commands->error);
        break;
    }
    json_decref(all);
    return out->from;
}

enum status build_line_find(struct arena *arena, const char *source, struct build_line *out,
                            struct error *error)
{
    char *real = realpath(source, NULL);
    struct commands commands = {arena, real, out, STATUS_OK, error};
    if (real)
        nearby_visit(arena, source, visit_commands, &commands);
    free(real);
    return commands.status;
}
