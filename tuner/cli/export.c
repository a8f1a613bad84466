#include <stdio.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/cli/command.h"
#include "tuner/export/export.h"
#include "tuner/store/store.h"

static void tell(const char *path, const struct export_counts *counts)
{
    if (strcmp(path, "-") != 0)
        fprintf(stderr, "%s: %zu %s\n", path, counts->entries,
                counts->entries == 1 ? "entry" : "entries");
    if (counts->unstable > 0)
        fprintf(stderr, "left out: %zu unstable %s (see 'tune show --trust')\n", counts->unstable,
                counts->unstable == 1 ? "winner" : "winners");
}

static enum status write_out(const char *path, const struct text *text, struct error *error)
{
    if (strcmp(path, "-") == 0) {
        if (fwrite(text->data, 1, text->length, stdout) != text->length)
            return error_set(error, STATUS_IO, "standard output: cannot write");
        return STATUS_OK;
    }
    return file_write_atomically(path, text->data, text->length, error);
}

static enum status run_export(const struct command *command, int argc, char **argv,
                              struct error *error)
{
    const char *database = DEFAULT_DATABASE;
    const char *path = DEFAULT_CONF;
    struct export_options wanted = {.objective = "time"};
    const struct option_spec options[] = {
        {.name = "db", .value = "FILE", .about = OPTION_DB_ABOUT, .text = &database},
        {.name = "output",
         .letter = 'o',
         .value = "FILE",
         .about = "where to write (default " DEFAULT_CONF "; - is standard output)",
         .text = &path},
        {.name = "objective",
         .value = "NAME",
         .text = &wanted.objective,
         .about = "the winners by this, as it was given to 'tune run' (default time)"},
        {.name = "include-unstable",
         .flag = &wanted.include_unstable,
         .about = "also winners whose measurement deserves no trust"},
    };
    size_t word_count = 0;
    bool helped = false;
    enum status status = options_parse(command, options, sizeof options / sizeof options[0], argc,
                                       argv, NULL, 0, &word_count, &helped, error);
    if (status != STATUS_OK || helped)
        return status;
    struct store *store = NULL;
    status = store_open(database, STORE_READ, &store, error);
    if (status != STATUS_OK)
        return status;
    struct text text = {0};
    struct export_counts counts;
    status = export_conf_text(store, &text, &wanted, &counts, error);
    if (status == STATUS_OK)
        status = write_out(path, &text, error);
    if (status == STATUS_OK)
        tell(path, &counts);
    else if (status == STATUS_NO_WINNER)
        (void)error_prefix(error, "%s", database);
    text_free(&text);
    store_close(store);
    return status;
}

const struct command command_export = {
    .name = "export",
    .usage = "[options]",
    .about = "Writes tuned.conf: the winners of every device in the database.",
    .run = run_export,
};
