#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/cli/commands.h"
#include "tuner/device/traits.h"
#include "tuner/store/store.h"
#include "tuner/terminal/reading.h"
#include "tuner/terminal/style.h"
#include "views/plot/plot.h"

enum { FIGURE_WORDS_MAX = 64 };

struct words {
    const char *figures[FIGURE_WORDS_MAX];
    size_t count;
    const char *database, *problem, *n, *device, *l2_mode, *folder, *format;
    bool terminal, data, list;
};

/* Results of drawing. */
struct tally {
    size_t written;
    struct error
        worst; /* error of a failed figure; missing data is reported only without other errors */
};

static void wrote(void *context, const char *path)
{
    struct tally *tally = context;
    tally->written++;
    puts(path);
    (void)fflush(stdout);
}

static void print(void *context, const char *figure, const char *text)
{
    struct tally *tally = context;
    (void)figure;
    printf("%s%s", tally->written > 0 ? "\n" : "", text);
    tally->written++;
    (void)fflush(stdout);
}

/* Reports a failure. Missing data of a device for one of all figures is no error of the run. */
static void failed(void *context, const char *figure, const struct error *error)
{
    struct tally *tally = context;
    (void)figure;
    print_clean(stderr, "tune plot: %s\n", error->text);
    if (tally->worst.status == STATUS_OK || tally->worst.status == STATUS_NOT_FOUND)
        tally->worst = *error;
}

static const struct format {
    const char *name;
    enum plot_output output;
} formats[] = {{"png", PLOT_PNG}, {"svg", PLOT_SVG}, {"pdf", PLOT_PDF}};

static enum status read_request(const struct words *words, struct plot_request *request,
                                struct error *error)
{
    long long n = 0;
    request->device = words->device;
    request->problem = words->problem;
    request->l2_mode = words->l2_mode;
    request->folder = words->folder;
    request->database = words->database;
    enum l2_mode mode; /* unused: figures take the mode's name */
    TRY(option_l2(words->l2_mode, &mode, error));
    if (words->n)
        TRY(option_size("n", words->n, &n, error));
    request->n = n;
    if (words->terminal) {
        /* As wide as the terminal; one column stays free, since some break a line that fills the
         * last. */
        int columns = style_terminal_columns();
        if (columns == 0) {
            /* A number of the environment's, such as COLUMNS; 0: none. */
            const char *text = getenv("COLUMNS");
            long number = text ? strtol(text, NULL, 10) : 0;
            columns = number > 0 && number < 10000 ? (int)number : 0;
        }
        request->columns = columns > 0 ? columns - 1 : 0;
        request->rows = columns > 100 ? 36 + (columns - 100) / 10 : 36;
        request->colour = style_coloured();
    }
    bool streamed = output_is_stdout(words->folder);
    const char *usual = streamed ? "png" : "png,svg";
    /* --data or --terminal alone asks for no file with a picture. */
    if (words->format || !(words->data || words->terminal)) {
        /* Reads "png,svg" to flags. */
        const char *text = words->format ? words->format : usual;
        request->outputs = 0;
        for (const char *word = text; *word;) {
            size_t length = strcspn(word, ",");
            unsigned output = 0;
            for (size_t i = 0; i < COUNT(formats); i++)
                if (strlen(formats[i].name) == length &&
                    strncmp(word, formats[i].name, length) == 0)
                    output = formats[i].output;
            if (output == 0)
                return error_set(error, STATUS_USAGE, "--format %s: known are png, svg and pdf",
                                 text);
            request->outputs |= output;
            word += length + (word[length] == ',' ? 1 : 0);
        }
        if (request->outputs == 0)
            return error_set(error, STATUS_USAGE, "--format: write png, svg, pdf or png,svg");
    }
    request->outputs |= words->data ? (unsigned)PLOT_DATA : 0;
    request->outputs |= words->terminal ? (unsigned)PLOT_TERMINAL : 0;
    bool one = (request->outputs & (request->outputs - 1)) == 0 && words->count == 1 &&
               !(words->device && strcmp(words->device, "all") == 0);
    if (streamed && !one)
        return error_set(error, STATUS_USAGE,
                         "--output %s: one figure in one format, such as: tune plot gain --format "
                         "svg --output -",
                         words->folder);
    return STATUS_OK;
}

/* Prints the choice, and keeps the subject for all figures. */
static enum status choose(struct store *store, struct plot_request *request, struct arena *arena,
                          struct error *error)
{
    struct plot_subject subject;
    TRY(plot_choose(store, request, arena, &subject, error));
    struct error note; /* takes control characters out of names */
    (void)error_set(&note, STATUS_NOT_FOUND, "%s, n = %lld, L2 %s, on %s, measured %s",
                    subject.problem, (long long)subject.n, subject.l2_mode, subject.device,
                    subject.date);
    print_clean(stderr, "tune plot: %s\n", note.text);
    request->environment_id = subject.environment_id;
    request->problem = subject.problem;
    request->n = subject.n;
    request->l2_mode = subject.l2_mode;
    return STATUS_OK;
}

/* Draws the named figures, or all, of one device. A failed figure is reported; the others are
 * drawn. */
static enum status draw_device(struct store *store, struct plot_request request,
                               const struct words *words, struct tally *tally, struct error *error)
{
    struct arena arena = {0};
    request.context = tally;
    request.wrote = wrote;
    request.print = print;
    request.failed = failed;
    request.figures = words->figures;
    request.figure_count = words->count;
    enum status status = choose(store, &request, &arena, error);
    if (status == STATUS_OK)
        status = plot_draw(store, &request, error);
    arena_free(&arena);
    return status;
}

static enum status draw_devices(struct store *store, const struct plot_request *request,
                                const struct words *words, struct tally *tally, struct error *error)
{
    struct arena arena = {0};
    const struct plot_device *devices = NULL;
    size_t count = 0;
    enum status status = plot_devices(store, request, &arena, &devices, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        struct error own = {0};
        struct plot_request one = *request;
        one.device = NULL;
        one.environment_id = devices[i].environment_id;
        one.device_in_names = devices[i].name;
        status = draw_device(store, one, words, tally, &own);
        if (status == STATUS_UNAVAILABLE) {
            *error = own; /* the next device would fail likewise */
        } else if (status != STATUS_OK) {
            failed(tally, NULL, &own);
            status = STATUS_OK;
        }
    }
    arena_free(&arena);
    return status;
}

static enum status draw_figures(struct store *store, const struct plot_request *request,
                                const struct words *words, struct error *error)
{
    struct tally tally = {0};
    bool all = request->device && strcmp(request->device, "all") == 0;
    enum status status = all ? draw_devices(store, request, words, &tally, error)
                             : draw_device(store, *request, words, &tally, error);
    if (status != STATUS_OK || tally.worst.status == STATUS_OK)
        return status;
    /* One of all figures may have no data; so may one device of several. */
    if (tally.worst.status == STATUS_NOT_FOUND && tally.written > 0 && (all || words->count == 0))
        return STATUS_OK;
    return error_set(error, tally.worst.status,
                     tally.written > 0 ? "not every figure was drawn" : "no figure was drawn");
}

static enum status run(const struct command *command, int argc, char **argv, struct error *error)
{
    struct words words = {.database = DEFAULT_DATABASE, .folder = "."};
    const struct option_spec options[] = {
        OPTION_TEXT("db", "FILE", &words.database, OPTION_DB_ABOUT),
        OPTION_TEXT("problem", "KEY", &words.problem,
                    "problem, such as reduce.sum.i32 (default: the one with the largest n)"),
        OPTION_TEXT("n", "N", &words.n,
                    "size, such as 16777216 or 2**24 (default: the largest measured)"),
        OPTION_TEXT("device", "NAME", &words.device,
                    "device: 0, cuda:0, cpu, a name, a uuid, or all: one set of files for each "
                    "(default: the one measured last)"),
        OPTION_TEXT("l2", "MODE", &words.l2_mode,
                    "cold, hot, stream or dirty (default: cold, if measured)"),
        OPTION_SHORT('o', "output", "FOLDER", &words.folder,
                     "output folder, created if absent (default: the current one; -: one figure to "
                     "standard output)"),
        OPTION_TEXT("format", "LIST", &words.format,
                    "of png, svg, pdf (default: png,svg; to standard output: png)"),
        OPTION_FLAG("terminal", &words.terminal,
                    "print the figures as text; files are written only with --format\n"
                    "As wide as the terminal, else `COLUMNS`, else 100."),
        OPTION_FLAG("data", &words.data,
                    "write the rows behind each figure, tab-separated; figures only with --format; "
                    "needs no gnuplot"),
        OPTION_FLAG("list", &words.list, "list the figures"),
    };
    char name[DEVICE_NAME_BYTES];
    TRY(options_parse(command, options, COUNT(options), argc, argv, words.figures, FIGURE_WORDS_MAX,
                      &words.count, error));
    words.device = device_full_name(words.device, name);
    if (words.list) {
        struct arena arena = {0};
        const struct plot_name *figures = NULL;
        size_t count = 0;
        enum status status = plot_names(&arena, &figures, &count, error);
        for (size_t i = 0; status == STATUS_OK && i < count; i++)
            printf("%-12s %s\n", figures[i].name, figures[i].about);
        arena_free(&arena);
        return status;
    }
    struct plot_request request = {0};
    struct store *store = NULL;
    /* Checks the names, before any input is read. */
    struct arena arena = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < words.count && status == STATUS_OK; i++)
        status = check_figure(&arena, words.figures[i], error);
    arena_free(&arena);
    TRY(status);
    TRY(read_request(&words, &request, error));
    TRY(reading_open(&words.database, &store, error));
    status = draw_figures(store, &request, &words, error);
    store_close(store);
    return status;
}

const struct command command_plot = {
    .name = "plot",
    .usage = "[FIGURE...] [options]",
    .about = "Draws figures of the measurements with gnuplot (default: all of them).",
    .manual = "Needs gnuplot 5.4 or later. A figure that cannot be drawn is reported, and the "
              "others are drawn.",
    .run = run,
};
