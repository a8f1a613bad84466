/* tune report: one page of HTML about the results. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    bool progress; /* standard error is a terminal */
};

static void clear_line(const struct reporting *reporting)
{
    if (reporting->progress)
        fprintf(stderr, "\r\033[K");
}

/* Counts a figure left out. Missing data is no error, and the page states the reason. */
static void left_out(void *context, const char *figure, const struct error *error)
{
    const struct reporting *reporting = context;
    (void)figure;
    if (error->status == STATUS_NOT_FOUND)
        return;
    clear_line(reporting);
    print_clean(stderr, "tune report: left out: %s\n", error->text);
}

static void progress(void *context, size_t done, size_t total)
{
    const struct reporting *reporting = context;
    if (reporting->progress)
        fprintf(stderr, "\rfigure %zu of %zu", done + 1, total);
}

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
    request->context = reporting;
    request->left_out = left_out;
    request->progress = progress;
    reporting->progress = isatty(STDERR_FILENO) != 0;
    status = report_make(store, request, &page, error);
    clear_line(reporting);
    if (status == STATUS_OK)
        TRY_OR_CLEANUP(output_write(reporting->output, page.data, page.length, error));
    if (status == STATUS_OK && !output_is_stdout(reporting->output))
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
        OPTION_FLAG("no-figures", &reporting.request.no_figures,
                    "leave out gnuplot's figures, which take seconds; the page draws its own"),
    };
    char name[DEVICE_NAME_BYTES];
    TRY(options_parse(command, options, COUNT(options), argc, argv, reporting.words,
                      REPORT_WORDS_MAX, &reporting.request.word_count, error));
    reporting.request.device = device_full_name(reporting.request.device, name);
    return write_report(&reporting, error);
}

enum status report_write_of(const char *database, const char *output, bool no_figures,
                            struct error *error)
{
    struct reporting reporting = {.request = {.database = database, .no_figures = no_figures},
                                  .output = output};
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
