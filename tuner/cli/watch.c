/* tune watch: the page of `tune run --watch` for a database that others write, or wrote. */
#include <stdio.h>

#include "tuner/base/text.h"
#include "tuner/cli/commands.h"
#include "tuner/cli/run.h"
#include "tuner/store/store.h"
#include "tuner/terminal/reading.h"
#include "views/watch/watch.h"

static void print_address(const char *url)
{
    printf("%s\n", url);
    (void)fflush(stdout);
}

static enum status run(const struct command *command, int argc, char **argv, struct error *error)
{
    const char *database = DEFAULT_DATABASE, *port = NULL, *word = NULL;
    size_t word_count = 0;
    const struct option_spec options[] = {
        OPTION_TEXT("db", "FILE", &database, OPTION_DB_ABOUT),
        OPTION_TEXT("port", "PORT", &port,
                    "port on 127.0.0.1 (default: the first free one from 7410; 0: any)"),
    };
    TRY(options_parse(command, options, COUNT(options), argc, argv, &word, 1, &word_count, error));
    struct store *store = NULL;
    if (word_count > 0)
        database = word;
    enum status status = reading_open(&database, &store, error);
    if (status == STATUS_OK && store_copied_version(store) == 0) {
        store_close(store); /* while served, the file may be removed or replaced */
        store = NULL;
    }
    if (status == STATUS_OK)
        status = watch_serve(store ? store_file(store) : database, port, run_catch_signals(),
                             print_address, error);
    store_close(store);
    return status;
}

const struct command command_watch = {
    .name = "watch",
    .usage = "[FILE.db] [options]",
    .about = "Serves a page that follows a database, to browsers on this machine.",
    .more = "Prints the page's address and serves until Ctrl-C. From another machine: `ssh -L "
            "7410:127.0.0.1:7410 HOST`, then the same address.",
    .run = run,
};
