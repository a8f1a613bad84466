#include "tuner/cli/commands.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/base/trust.h"
#include "tuner/experiment/document.h"
#include "tuner/experiment/place.h"
#include "tuner/terminal/style.h"

/* Options that a file may set: ways and places of measuring, but no commands, sources or files
 * elsewhere. A file that came with another person's sources must not be able to run programs or
 * overwrite files. */
static const char *const allowed[] = {"as", "budget", "db",   "device",    "effort",   "jobs",
                                      "l2", "points", "seed", "objective", "strategy", "until"};

/* Finds the nearest file of this name, from the current folder upwards; else the user's own. */
static const char *find_file(struct arena *arena)
{
    char folder[PATH_MAX];
    if (getcwd(folder, sizeof folder))
        for (char *slash = folder + strlen(folder); slash; slash = strrchr(folder, '/')) {
            *slash = '\0';
            const char *path = arena_printf(arena, "%s/" DEFAULTS_FILE, folder);
            if (path && file_exists(path))
                return path;
        }
    const char *home = getenv("HOME");
    const char *xdg = getenv("XDG_CONFIG_HOME");
    const char *path = xdg && xdg[0] == '/' ? arena_printf(arena, "%s/tune/" DEFAULTS_FILE, xdg)
                                            : arena_printf(arena, "%s/.config/tune/" DEFAULTS_FILE,
                                                           home ? home : "");
    return path && file_exists(path) ? path : NULL;
}

struct wanted {
    const char *name;
    bool is_there;
};

static void note_option(void *context, const struct option_spec *option)
{
    struct wanted *wanted = context;
    if (option->text && !option->flag && strcmp(option->name, wanted->name) == 0)
        wanted->is_there = true;
}

/* Returns a key's value; a value of `db` is relative to the file's folder. */
static enum status value_of(struct arena *arena, const char *path, const struct node *key,
                            const char **out, struct error *error)
{
    const struct node *value = key->value;
    if (!value || value->kind != NODE_SCALAR || !value->text[0])
        return place_error(error, STATUS_BAD_INPUT, key->place,
                           "'%s' has no value: write it as on the command line", key->text);
    *out = value->text;
    if (strcmp(key->text, "db") == 0) {
        if (value->text[0] == '/' || strstr(value->text, ".."))
            return place_error(error, STATUS_BAD_INPUT, value->place,
                               "'db' is a file in this folder or below it");
        *out = arena_printf(arena, "%.*s/%s", (int)(strrchr(path, '/') - path), path, value->text);
    }
    return *out ? STATUS_OK : error_no_memory(error);
}

static enum status add_options(struct arena *arena, const struct command *command, const char *path,
                               const struct node *root, struct defaults *out, struct error *error)
{
    /* Commands that do not measure take only `db`: the other options would have another meaning
     * there. */
    const bool measures = command == &command_run || command == &command_check;
    char applied[1024] = "";
    for (const struct node *key = root->first; key; key = key->next) {
        bool known = false;
        for (size_t i = 0; i < COUNT(allowed); i++)
            known |= strcmp(key->text, allowed[i]) == 0;
        if (!known)
            return place_error(error, STATUS_BAD_INPUT, key->place,
                               "'%s' is nothing that this file may set%s", key->text,
                               suggest(key->text, allowed, COUNT(allowed)).text);
        const char *value = NULL;
        TRY(value_of(arena, path, key, &value, error));
        struct wanted wanted = {.name = key->text};
        if (measures || strcmp(key->text, "db") == 0)
            options_each(command, note_option, &wanted);
        if (!wanted.is_there)
            continue;
        char *word = arena_printf(arena, "--%s=%s", key->text, value);
        TRY_MEMORY(word);
        out->argv[out->argc++] = word;
        const size_t length = strlen(applied);
        (void)string_format(applied + length, sizeof applied - length, " --%s %s", key->text,
                            value);
    }
    if (applied[0])
        print_clean(stderr, "tune %s: by %s:%s\n", command->name, path, applied);
    return STATUS_OK;
}

enum status defaults_add(struct arena *arena, const struct command *command, int argc, char **argv,
                         struct defaults *out, struct error *error)
{
    *out = (struct defaults){argc, argv};
    const char *path = find_file(arena);
    if (!path)
        return STATUS_OK;
    if (path_is_open_to_others(path)) {
        print_clean(stderr, "tune %s: %s: left out, as somebody else may write it\n", command->name,
                    path);
        return STATUS_OK;
    }
    struct document document = {0};
    char *text = NULL;
    size_t length = 0;
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(file_read(arena, path, DOCUMENT_BYTES_MAX, &text, &length, error));
    TRY_OR_CLEANUP(document_read(&document, path, text, length, error));
    /* An experiment of this name is none of ours. */
    if (!node_get(document.root, "experiment")) {
        if (document.root->kind != NODE_MAPPING)
            TRY_OR_CLEANUP(place_error(error, STATUS_BAD_INPUT, document.root->place,
                                       "write options as 'name: value', one a line"));
        out->argv = arena_alloc(arena, (size_t)argc + COUNT(allowed) + 1, sizeof *out->argv);
        if (!out->argv)
            TRY_OR_CLEANUP(error_no_memory(error));
        out->argv[0] = argv[0];
        out->argc = 1;
        TRY_OR_CLEANUP(add_options(arena, command, path, document.root, out, error));
        for (int i = 1; i <= argc; i++)
            out->argv[out->argc++] = argv[i]; /* the last is NULL */
        out->argc--;
    }
cleanup:
    arena_free(&document.arena);
    return status;
}
