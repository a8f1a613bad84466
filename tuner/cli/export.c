#include <stdio.h>
#include <string.h>

#include "tuner/base/arena.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/cli/commands.h"
#include "tuner/cli/replay.h"
#include "tuner/exchange/t4.h"
#include "tuner/store/store.h"
#include "tuner/terminal/style.h"
#include "views/export/configurations.h"
#include "views/export/export.h"

enum { CONF_FILES_MAX = 64 };

struct request {
    const char *database;
    const char *output; /* NULL: the usual place */
    const char *configurations;
    const char *header;
    const char *json;
    const char *t4;
    const char *t4_version;
    const char *n;
    char digits[24]; /* of n */
    bool replayed;   /* numbers of a recording, too */
    struct t4_options t4_wanted;
    struct export_options wanted;
    const char *files[CONF_FILES_MAX]; /* tuned.conf */
    size_t file_count;
};

/* Writes the text, and reports the number of items in words. */
static enum status write_counted(const char *path, const struct text *text, size_t count,
                                 const char *noun, struct error *error)
{
    const enum status status = output_write(path, text->data, text->length, error);
    if (status == STATUS_OK && !output_is_stdout(path))
        print_clean(stderr, "%s: %s\n", path, count_text(count, noun).text);
    return status;
}

static const char replayed_words[] = "--replayed writes them all the same";

/* Makes tuned.conf from the database; `counts` may be NULL. */
static enum status conf_of_database(const struct request *request, struct text *out,
                                    struct export_counts *counts, struct error *error)
{
    struct store *store = NULL;
    TRY(replay_open_measured(request->database, request->replayed, replayed_words, &store, error));
    enum status status = export_conf_text(store, out, &request->wanted, counts, error);
    if (status == STATUS_NO_WINNER)
        (void)error_prefix(error, "%s", request->database);
    store_close(store);
    return status;
}

/* Writes the output of `tune export --configurations`, `--header` and `--json`, the latter two from
 * one file. */
static enum status export_made(const struct request *request, struct error *error)
{
    struct arena arena = {0};
    struct conf_text files[CONF_FILES_MAX] = {{0}};
    struct text own = {0};
    struct text text = {0};
    struct configuration_counts counts = {0};
    const char *folder = NULL;
    size_t count = 0;
    size_t parts = 0;
    if (request->file_count > 1 && !request->configurations)
        return error_set(error, STATUS_USAGE, "%s: of one tuned.conf at a time",
                         request->header ? "--header" : "--json");
    enum status status = STATUS_OK;
    /* Read the named files of tuned.conf; without any, make the database's in `own`. */
    enum { FILE_BYTES_MAX = 256 << 20 }; /* libtuned takes no more */
    count = request->file_count;
    for (size_t i = 0; i < count; i++) {
        char *contents = NULL;
        files[i].name = request->files[i];
        TRY_OR_CLEANUP(
            file_read(&arena, files[i].name, FILE_BYTES_MAX, &contents, &files[i].bytes, error));
        files[i].text = contents;
    }
    if (count == 0) {
        TRY_OR_CLEANUP(conf_of_database(request, &own, NULL, error));
        files[count++] = (struct conf_text){request->database, own.data, own.length};
    }
    if (request->configurations) {
        TRY_OR_CLEANUP(data_folder(&arena, &folder, error));
        TRY_OR_CLEANUP(export_configurations(files, count, folder, &text, &counts, error));
        TRY_OR_CLEANUP(
            write_counted(request->configurations, &text, counts.lines, "configuration", error));
    } else if (request->header) {
        TRY_OR_CLEANUP(export_header(&files[0], &text, &parts, error));
        TRY_OR_CLEANUP(write_counted(request->header, &text, parts, "problem", error));
    } else {
        TRY_OR_CLEANUP(export_json(&files[0], &text, &parts, error));
        TRY_OR_CLEANUP(write_counted(request->json, &text, parts, "entry", error));
    }
    if (counts.strange > 0)
        print_clean(stderr, "left out: %s of experiments that are not here, or were others then\n",
                    count_text(counts.strange, "entry").text);
cleanup:
    text_free(&text);
    text_free(&own);
    arena_free(&arena);
    return status;
}

static enum status export_conf_file(const struct request *request, struct error *error)
{
    const char *path = request->output ? request->output : DEFAULT_CONF;
    struct text text = {0};
    struct export_counts counts = {0};
    enum status status = conf_of_database(request, &text, &counts, error);
    if (status == STATUS_OK)
        status = write_counted(path, &text, counts.entries, "entry", error);
    if (status == STATUS_OK && counts.unstable > 0)
        print_clean(stderr, "left out: %s not sure (see 'tune show --trust')\n",
                    count_text(counts.unstable, "winner").text);
    text_free(&text);
    return status;
}

/* The file begins with the first part: a missing problem leaves no file. */
struct t4_file {
    const char *path;
    struct output output;
    bool begun;
};

static enum status take_t4(void *context, const char *data, size_t bytes, struct error *error)
{
    struct t4_file *file = context;
    enum status status = file->begun ? STATUS_OK : output_begin(file->path, &file->output, error);
    file->begun = status == STATUS_OK;
    return status == STATUS_OK ? output_add(&file->output, data, bytes, error) : status;
}

static enum status export_t4(struct request *request, struct error *error)
{
    long long n = 0;
    struct t4_file file = {.path = request->t4};
    struct t4_counts counts = {.results = 0};
    struct store *store = NULL;
    request->t4_wanted.version = T4_1_1_0;
    if (request->t4_version)
        TRY(t4_version_parse(request->t4_version, &request->t4_wanted.version, error));
    if (request->n) {
        TRY(option_size("n", request->n, &n, error));
        (void)string_format(request->digits, sizeof request->digits, "%lld", n);
        request->t4_wanted.n = request->digits;
    }
    TRY(replay_open_measured(request->database, request->replayed, replayed_words, &store, error));
    enum status status = t4_write(store, &request->t4_wanted, take_t4, &file, &counts, error);
    if (status == STATUS_NOT_FOUND)
        (void)error_prefix(error, "%s", request->database);
    store_close(store);
    if (file.begun)
        status = output_end(&file.output, status, error);
    if (status == STATUS_OK && !output_is_stdout(request->t4))
        print_clean(stderr, "%s: %s of %s\n", request->t4, count_text(counts.results, "trial").text,
                    counts.what);
    return status;
}

/* Refuses options that exclude one another. */
static enum status check_request(const struct request *request, struct error *error)
{
    const char *of_t4 = request->t4_version          ? "--t4-version"
                        : request->t4_wanted.problem ? "--problem"
                        : request->n                 ? "--n"
                                                     : NULL;
    const char *whole = request->header ? "--header" : request->json ? "--json" : NULL;
    if (whole && (request->configurations || request->output || request->t4 ||
                  (request->header && request->json)))
        return error_set(error, STATUS_USAGE, "%s writes its own file and no other", whole);
    if (!request->configurations && !whole && request->file_count > 0)
        return error_set(
            error, STATUS_USAGE,
            "'%s': files of tuned.conf are read with --configurations, --header or --json",
            request->files[0]);
    if (request->configurations && request->output)
        return error_set(error, STATUS_USAGE,
                         "--output is where tuned.conf goes, and --configurations writes none");
    if (request->t4 && (request->configurations || request->output))
        return error_set(error, STATUS_USAGE, "--t4 writes its own file and no other");
    if (!request->t4 && of_t4)
        return error_set(error, STATUS_USAGE, "%s goes with --t4", of_t4);
    return STATUS_OK;
}

/* Refuses to overwrite a tuned.conf by another format: `--json tuned.conf` may be meant to read the
 * file. */
static enum status check_no_conf(const char *path, struct error *error)
{
    char first[] = "tuned-conf ";
    FILE *file = path && !output_is_special(path) ? fopen(path, "r") : NULL;
    const bool is_conf = file && fread(first, 1, sizeof first - 1, file) == sizeof first - 1 &&
                         strcmp(first, "tuned-conf ") == 0;
    if (file)
        (void)fclose(file);
    return is_conf
               ? error_set(
                     error, STATUS_USAGE,
                     "%s is a tuned.conf and would be overwritten: the option names the output; "
                     "write the input without an option",
                     path)
               : STATUS_OK;
}

/* Refuses to overwrite an input. */
static enum status check_output(const struct request *request, const char *path,
                                struct error *error)
{
    enum status status = output_differs(path, request->database, error);
    for (size_t i = 0; i < request->file_count && status == STATUS_OK; i++)
        status = output_differs(path, request->files[i], error);
    return status;
}

static enum status run_export(const struct command *command, int argc, char **argv,
                              struct error *error)
{
    struct request request = {.database = DEFAULT_DATABASE, .wanted = {.objective = "time"}};
    const struct option_spec options[] = {
        OPTION_TEXT("db", "FILE", &request.database, OPTION_DB_ABOUT),
        OPTION_SHORT('o', "output", "FILE", &request.output,
                     "output file (default: `" DEFAULT_CONF "`; -: standard output)"),
        OPTION_TEXT("configurations", "FILE", &request.configurations,
                    "instead: the kernels that the winners or the TUNED_CONFs name, as lines for a "
                    "program to compile in (docs/calls.md)"),
        OPTION_TEXT("header", "FILE", &request.header,
                    "instead: a C and C++ header of the winners or of a TUNED_CONF, for programs "
                    "that load no file (docs/libtuned.md)"),
        OPTION_TEXT(
            "json", "FILE", &request.json,
            "instead: all entries of the winners or of a TUNED_CONF as JSON (-: standard output)\n"
            "An array of objects with device, problem, sizes, values and evidence."),
        OPTION_TEXT("t4", "FILE", &request.t4,
                    "instead: every configuration of one problem, as T4, which other tuners' tools "
                    "read (docs/t1.md; -: standard output)"),
        OPTION_TEXT("t4-version", "VERSION", &request.t4_version,
                    "version of T4: 1.1.0 (default) or 1.0.0"),
        OPTION_TEXT(
            "problem", "KEY", &request.t4_wanted.problem,
            "with --t4: the problem (default: the only one); the beginning of its key is enough"),
        OPTION_TEXT("n", "N", &request.n, "with --t4: the size"),
        OPTION_TEXT("objective", "NAME", &request.wanted.objective,
                    "winners by this objective, as given to `tune run` (default: time)"),
        OPTION_TEXT(
            "kernels", "FILE", &request.wanted.kernels,
            "kernels that programs have compiled in: a list of --configurations or a tuned.conf; "
            "preferred among equally fast ones (default: the installed list; \"\": none)"),
        OPTION_FLAG("replayed", &request.replayed,
                    "accept a database of replayed numbers, which is refused otherwise"),
        OPTION_FLAG("include-not-sure", &request.wanted.include_unstable,
                    "include winners whose verdict is 'not sure'\nThey are left out "
                    "otherwise, and their number is printed."),
        OPTION_FLAG("include-unstable", &request.wanted.include_unstable,
                    "the former name of --include-not-sure"),
    };
    TRY(options_parse(command, options, COUNT(options), argc, argv, request.files, CONF_FILES_MAX,
                      &request.file_count, error));
    TRY(check_request(&request, error));
    const char *const own_files[] = {request.configurations, request.header, request.json,
                                     request.t4};
    bool is_conf = true;
    for (size_t i = 0; i < COUNT(own_files); i++) {
        is_conf = is_conf && !own_files[i];
        TRY(check_output(&request, own_files[i], error));
        TRY(check_no_conf(own_files[i], error));
    }
    if (is_conf)
        TRY(check_output(&request, request.output ? request.output : DEFAULT_CONF, error));
    return request.t4 ? export_t4(&request, error)
           : is_conf  ? export_conf_file(&request, error)
                      : export_made(&request, error);
}

const struct command command_export = {
    .name = "export",
    .usage = "[TUNED_CONF...] [options]",
    .about = "Writes tuned.conf: the winners of every device in the database.",
    .run = run_export,
};
