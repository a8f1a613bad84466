/* tune report: one page of HTML about the results. */
#include <stdio.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/cli/commands.h"
#include "tuner/device/traits.h"
#include "tuner/terminal/reading.h"
#include "tuner/terminal/style.h"
#include "views/page/report.h"

enum { REPORT_WORDS_MAX = 64 };

struct reporting {
    struct report_request request;
    const char *output;
    const char *words[REPORT_WORDS_MAX];
};

/* Size of an almost empty page. */
enum { PAGE_BYTES_MIN = 100 << 10 };

static enum status write_report(struct reporting *reporting, struct error *error)
{
    struct report_request *request = &reporting->request;
    struct store *store = NULL;
    struct text page = {0};
    TRY(output_differs(reporting->output, request->database, error));
    if (request->before_database)
        TRY(output_differs(reporting->output, request->before_database, error));
    TRY(output_room(reporting->output, PAGE_BYTES_MIN, error));
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(reading_open(&request->database, &store, error));
    if (request->before_database)
        TRY_OR_CLEANUP(reading_open(&request->before_database, &request->before, error));
    request->words = reporting->words;
    TRY_OR_CLEANUP(report_make(store, request, &page, error));
    TRY_OR_CLEANUP(output_write(reporting->output, page.data, page.length, error));
    if (!output_is_stdout(reporting->output))
        print_clean(stderr, "%s: %zu kB\n", reporting->output, (page.length + 999) / 1000);
cleanup:
    store_close(store);
    store_close(request->before);
    text_free(&page);
    return status;
}

static enum status run(const struct command *command, int argc, char **argv, struct error *error)
{
    struct reporting reporting = {.request.database = DEFAULT_DATABASE, .output = DEFAULT_REPORT};
    const struct option_spec options[] = {
        OPTION_TEXT("db", "FILE", &reporting.request.database, OPTION_DB_ABOUT),
        OPTION_SHORT('o', "output", "FILE", &reporting.output,
                     "output file (default: `" DEFAULT_REPORT "`; -: standard output)"),
        OPTION_TEXT(
            "device", "NAME", &reporting.request.device,
            "only this device: 0, cuda:0, cpu, a name or a uuid (default: all that were measured)"),
        OPTION_TEXT("before", "FILE", &reporting.request.before_database,
                    "an earlier database to compare with, as in `tune show --compare --before`"),
        OPTION_TEXT("title", "TEXT", &reporting.request.title,
                    "title of the page (default: the experiments and devices)"),
    };
    char name[DEVICE_NAME_BYTES];
    TRY(options_parse(command, options, COUNT(options), argc, argv, reporting.words,
                      REPORT_WORDS_MAX, &reporting.request.word_count, error));
    reporting.request.device = device_full_name(reporting.request.device, name);
    return write_report(&reporting, error);
}

enum status report_write_of(const char *database, const char *output, struct error *error)
{
    struct reporting reporting = {.request = {.database = database}, .output = output};
    return write_report(&reporting, error);
}

const struct command command_report = {
    .name = "report",
    .usage = "[EXPERIMENT|PROBLEM...] [options]",
    .about = "Writes an HTML page with the results and how sure they are.",
    .more = "The page is one file and loads nothing from elsewhere. Words limit it to these "
            "experiments or problems: reduce, reduce.sum, reduce.sum.i32.",
    .run = run,
};
