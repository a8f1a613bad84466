/* `tune import`: times of other implementations, out of a table, into the database. */
#include <stdio.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/cli/commands.h"
#include "tuner/device/traits.h"
#include "tuner/exchange/peers.h"
#include "tuner/terminal/style.h"

static enum status import_times(const struct command *command, int argc, char **argv,
                                struct error *error)
{
    struct peers_request request = {0};
    struct peers_result result = {0};
    const char *database = DEFAULT_DATABASE;
    const struct option_spec options[] = {
        OPTION_TEXT("db", "FILE", &database, OPTION_DB_ABOUT),
        OPTION_SHORT('d', "device", "DEVICE", &request.device,
                     "where the times were measured: a name, a uuid, cuda:0 or cpu (default: where "
                     "tune measured last)"),
        OPTION_TEXT("prefix", "TEXT", &request.prefix,
                    "text to put before each problem's key: reduce."),
        OPTION_TEXT(
            "columns", "MAP", &request.columns,
            "names of the columns in the file: name=rival,time_ns=rival_ns (default: as above)"),
    };
    size_t count = 0;
    char name[DEVICE_NAME_BYTES];
    TRY(options_parse(command, options, COUNT(options), argc, argv, &request.path, 1, &count,
                      error));
    request.device = device_full_name(request.device, name);
    if (count == 0)
        return error_set(error, STATUS_USAGE, "name the table: tune import FILE.csv");
    struct store *store = NULL;
    /* A missing database would be created, so reading reports this better. */
    enum status status =
        store_open(database, file_exists(database) ? STORE_CREATE : STORE_READ, &store, error);
    if (status == STATUS_OK)
        status = peers_import(store, &request, &result, error);
    store_close(store);
    if (status == STATUS_OK) {
        print_clean(stderr, "%s: %s taken into %s", request.path,
                    count_text(result.rows, "time").text, database);
        if (result.unknown > 0)
            fprintf(stderr, "; %zu left out, of problems or sizes that it does not have",
                    result.unknown);
        fputc('\n', stderr);
    }
    return status;
}

const struct command command_import = {
    .name = "import",
    .usage = "FILE.csv [options]",
    .about =
        "Imports times of other implementations (a vendor's library) to show beside tune's own.",
    .more =
        "FILE.csv has a header line and commas (RFC 4180). Columns: problem, n, name, time_ns; "
        "optional: l2_mode (default cold), mad_ns, tuned_ns, ratio, ratio_low, ratio_high, rounds. "
        "If one row is wrong, none is imported; rows of unknown problems are skipped and counted.",
    .manual = "A row replaces an earlier one of the same device, problem, n, mode and name.",
    .run = import_times,
};
