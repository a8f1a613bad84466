/* `tune run`: sweep, choose, write tuned.conf, draw. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/failpoint.h"
#include "tuner/base/text.h"
#include "tuner/cli/command.h"
#include "tuner/cli/experiments.h"
#include "tuner/cli/progress.h"
#include "tuner/device/device.h"
#include "tuner/export/export.h"
#include "tuner/session/session.h"

enum { DEVICES_MAX = SESSION_DEVICES_MAX };

struct run_device {
    const struct device_api *api;
    int index;
};

struct run_options {
    const char *device;
    const char *database;
    const char *conf;
    const char *l2;
    const char *seed;
    const char *sizes;
    const char *jobs;
    const char *retry;
    bool quiet;
    bool no_plots;
};

struct run {
    struct run_options text;
    struct session_options session;
    struct run_device devices[DEVICES_MAX];
    size_t device_count;
    struct experiment_list experiments;
    struct progress_view view;
};

static volatile sig_atomic_t stop_requested;

/* The first Ctrl-C ends the run after the trial in flight; a second one ends the program at once.
 */
static void on_signal(int number)
{
    stop_requested = 1;
    (void)signal(number, SIG_DFL);
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    struct sigaction hangup; /* a terminal that closes ends the run, unless nohup says otherwise */
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        (void)sigaction(SIGHUP, &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

static enum status add_device(struct run *run, const struct device_api *api, int index,
                              struct error *error)
{
    for (size_t i = 0; i < run->device_count; i++)
        if (run->devices[i].api == api && run->devices[i].index == index)
            return STATUS_OK;
    if (run->device_count == DEVICES_MAX)
        return error_set(error, STATUS_USAGE, "--device: more than %d devices", DEVICES_MAX);
    run->devices[run->device_count++] = (struct run_device){api, index};
    return STATUS_OK;
}

static enum status add_all_gpus(struct run *run, struct error *error)
{
    const struct device_api *api = device_kind("cuda");
    int count = 0;
    if (!api)
        return error_set(error, STATUS_UNAVAILABLE, "this tune was built without CUDA");
    enum status status = worker_count(api->kind, &count, error);
    for (int i = 0; status == STATUS_OK && i < count; i++)
        status = add_device(run, api, i, error);
    if (status == STATUS_OK && count == 0)
        status = error_set(error, STATUS_UNAVAILABLE, "the CUDA driver finds no GPU");
    return status;
}

/* Nothing asked for: the GPUs, else the CPU, and that is said aloud. */
static enum status choose_devices(struct run *run, struct error *error)
{
    enum status status = add_all_gpus(run, error);
    if (status == STATUS_OK)
        return STATUS_OK;
    fprintf(stderr, "tune: no GPU to tune (%s); tuning the CPU\n", error->text);
    error_clear(error);
    run->device_count = 0;
    return add_device(run, device_kind("cpu"), 0, error);
}

static enum status parse_devices(struct run *run, struct error *error)
{
    char list[256];
    char *rest = NULL;
    if (!run->text.device)
        return choose_devices(run, error);
    if (strcmp(run->text.device, "all") == 0)
        return add_all_gpus(run, error);
    if (!string_format(list, sizeof list, "%s", run->text.device))
        return error_set(error, STATUS_USAGE, "--device: the list is too long");
    enum status status = STATUS_OK;
    size_t words = 0;
    for (char *word = strtok_r(list, ",", &rest); word && status == STATUS_OK;
         word = strtok_r(NULL, ",", &rest), words++) {
        const struct device_api *api = NULL;
        int index = 0;
        status = device_parse(word, &api, &index, error);
        if (status == STATUS_OK)
            status = add_device(run, api, index, error);
    }
    if (status == STATUS_OK && words == 0)
        return error_set(error, STATUS_USAGE,
                         "--device: write a number (0), a list (0,1), all or cpu");
    return status;
}

static enum status parse_sizes(struct run *run, struct error *error)
{
    const char *next = run->text.sizes;
    while (next && *next) {
        char word[32];
        long long n = 0;
        size_t length = strcspn(next, ",");
        if (run->session.size_count == SESSION_SIZES_MAX)
            return error_set(error, STATUS_USAGE, "--sizes: more than %d sizes", SESSION_SIZES_MAX);
        (void)string_format(word, sizeof word, "%.*s", (int)length, next);
        enum status status = option_size("sizes", word, &n, error);
        if (status != STATUS_OK)
            return status;
        run->session.sizes[run->session.size_count++] = n;
        next += length + (next[length] == ',' ? 1 : 0);
    }
    return STATUS_OK;
}

static enum status parse_retry(struct run *run, struct error *error)
{
    const char *next = run->text.retry;
    while (next && *next) {
        char word[32];
        enum trial_status status = TRIAL_OK;
        size_t length = strcspn(next, ",");
        (void)string_format(word, sizeof word, "%.*s", (int)length, next);
        if (!trial_status_from_name(word, &status) || status == TRIAL_OK ||
            status == TRIAL_SKIPPED) {
            const char *names[TRIAL_STATUS_COUNT];
            for (int i = 0; i < TRIAL_STATUS_COUNT; i++)
                names[i] = trial_status_name((enum trial_status)i);
            const char *nearest = nearest_word(word, names, TRIAL_STATUS_COUNT);
            return error_set(error, STATUS_USAGE, "--retry: '%s' is no failure; did you mean '%s'?",
                             word, nearest ? nearest : "crashed");
        }
        run->session.retry_mask |= 1u << status;
        next += length + (next[length] == ',' ? 1 : 0);
    }
    return STATUS_OK;
}

static enum status parse_values(struct run *run, struct error *error)
{
    long long number = 0;
    enum status status = STATUS_OK;
    run->session.seed = 1;
    run->session.stop = &stop_requested;
    run->session.database = run->text.database;
    if (run->text.l2 && strcmp(run->text.l2, "hot") == 0)
        run->session.l2_mode = L2_HOT;
    else if (run->text.l2 && strcmp(run->text.l2, "cold") != 0)
        return error_set(error, STATUS_USAGE, "--l2 %s: write cold or hot", run->text.l2);
    if (run->text.seed) {
        status = option_integer("seed", run->text.seed, 0, INT64_MAX, &number, error);
        run->session.seed = (uint64_t)number;
    }
    if (status == STATUS_OK && run->text.jobs) {
        status = option_integer("jobs", run->text.jobs, 1, 64, &number, error);
        run->session.compile_workers = (size_t)number;
    }
    if (status == STATUS_OK)
        status = parse_retry(run, error);
    return status == STATUS_OK ? parse_sizes(run, error) : status;
}

static void print_summary(const struct run *run, const struct session_summary *summary,
                          const char *kind)
{
    if (run->text.quiet)
        return;
    double wall_s = (double)summary->wall_ns * 1e-9;
    double devices = summary->devices > 0 ? (double)summary->devices : 1.0;
    double measuring_s = (double)summary->measuring_ns * 1e-9 / devices;
    double waiting_s = (double)summary->compile_wait_ns * 1e-9 / devices;
    fprintf(stderr,
            "tune: %zu %s device%s: %zu problems, %zu trials (%zu known already), %zu failed, in "
            "%.1f s: %.1f s measuring, %.1f s waiting for the compiler, %.1f s other; %zu binaries "
            "compiled, %zu cached\n",
            summary->devices, kind, summary->devices == 1 ? "" : "s", summary->problems,
            summary->trials, summary->trials_known, summary->failures, wall_s, measuring_s,
            waiting_s, wall_s - measuring_s - waiting_s, summary->binaries_compiled,
            summary->binaries_cached);
}

/* All devices of one kind at once. */
static enum status run_kind(struct run *run, struct store *store, const struct device_api *api,
                            struct error *error)
{
    struct experiment *experiments[EXPERIMENTS_MAX];
    struct session_summary summary;
    size_t count = experiments_of_kind(&run->experiments, api->kind, experiments);
    run->session.device_count = 0;
    for (size_t i = 0; i < run->device_count; i++)
        if (run->devices[i].api == api)
            run->session.device_indices[run->session.device_count++] = run->devices[i].index;
    if (run->session.device_count == 0)
        return STATUS_OK;
    if (count == 0)
        return error_set(error, STATUS_NOT_FOUND, "none of these experiments is for a %s device",
                         api->kind);
    run->session.device_kind = api->kind;
    run->session.compiles_beside_measuring = api->compiles_beside_measuring;
    progress_begin(&run->view, run->text.quiet);
    struct session_events events = progress_events(&run->view);
    enum status status =
        session_run(store, &run->session, experiments, count, &events, &summary, error);
    progress_clear(&run->view);
    if (summary.run_id != 0)
        print_summary(run, &summary, api->kind);
    return status;
}

/* Kinds one after the other: compilers and feeders of one would disturb the timings of a CPU. One
 * that fails does not keep the next from being tuned; the first failure is reported. */
static enum status run_devices(struct run *run, struct store *store, struct error *error)
{
    enum status first = STATUS_OK;
    for (size_t i = 0; device_kinds[i] && !stop_requested; i++) {
        struct error here = {0};
        enum status status = run_kind(run, store, device_kinds[i], &here);
        if (status != STATUS_OK && first == STATUS_OK) {
            first = status;
            *error = here;
        } else if (status != STATUS_OK) {
            fprintf(stderr, "tune run: %s\n", here.text);
        }
    }
    return first;
}

static enum status show_winners(const struct run *run, struct error *error)
{
    char name[] = "show";
    char option[] = "--db";
    char *database = strdup(run->text.database);
    if (!database)
        return error_no_memory(error);
    char *arguments[] = {name, option, database, NULL};
    enum status status = command_show.run(&command_show, 3, arguments, error);
    free(database);
    return status;
}

/* Pictures are a help, not the result: without gnuplot the run is still a success. */
static void draw(const struct run *run)
{
    struct error error = {0};
    char name[] = "plot";
    char option[] = "--db";
    char *database = strdup(run->text.database);
    if (!database)
        return;
    char *arguments[] = {name, option, database, NULL};
    (void)fflush(stdout);
    if (command_plot.run(&command_plot, 3, arguments, &error) != STATUS_OK)
        fprintf(stderr, "tune: no pictures: %s\n", error.text);
    free(database);
}

static enum status run_with_store(struct run *run, struct store *store, struct error *error)
{
    FAILPOINT("run.opened");
    enum status status = run_devices(run, store, error);
    FAILPOINT("run.measured");
    bool has_results =
        status == STATUS_OK || status == STATUS_INTERRUPTED || status == STATUS_NO_WINNER;
    struct error writing = {0};
    enum status written = has_results ? export_conf(store, run->text.conf, &writing) : STATUS_OK;
    if (written == STATUS_OK && has_results && !run->text.quiet)
        fprintf(stderr, "tune: wrote %s\n", run->text.conf);
    if (written != STATUS_OK && (status == STATUS_OK || status == STATUS_NO_WINNER)) {
        *error = writing;
        return written;
    }
    return status;
}

static enum status run_it(struct run *run, struct error *error)
{
    struct store *store = NULL;
    enum status status = store_open(run->text.database, STORE_CREATE, &store, error);
    if (status != STATUS_OK)
        return status;
    catch_signals();
    status = run_with_store(run, store, error);
    FAILPOINT("run.written");
    store_close(store);
    FAILPOINT("run.closed");
    struct error ignored = {0};
    if (status == STATUS_OK || status == STATUS_NO_WINNER) {
        enum status shown = run->text.quiet ? STATUS_OK : show_winners(run, &ignored);
        if (shown != STATUS_OK && status == STATUS_OK) {
            *error = ignored;
            status = shown;
        }
        if (!run->text.no_plots)
            draw(run);
    }
    return status;
}

static enum status run_command(const struct command *command, int argc, char **argv,
                               struct error *error)
{
    const char *words[EXPERIMENTS_MAX];
    size_t word_count = 0;
    bool helped = false;
    struct run *run = calloc(1, sizeof *run);
    if (!run)
        return error_no_memory(error);
    run->text.database = DEFAULT_DATABASE;
    run->text.conf = DEFAULT_CONF;
    const struct option_spec options[] = {
        {.name = "device",
         .letter = 'd',
         .value = "LIST",
         .text = &run->text.device,
         .about = "0, cuda:1, 0,1, all (every GPU) or cpu\n(default: every GPU, else the CPU)"},
        {.name = "db", .value = "FILE", .text = &run->text.database, .about = OPTION_DB_ABOUT},
        {.name = "conf",
         .value = "FILE",
         .text = &run->text.conf,
         .about = "the file that programs load (default tuned.conf)"},
        {.name = "sizes",
         .value = "N,N",
         .text = &run->text.sizes,
         .about = "only problems of these sizes: 1048576,2**24"},
        {.name = "l2",
         .value = "MODE",
         .text = &run->text.l2,
         .about = "caches before a timing: cold (default) or hot"},
        {.name = "seed",
         .value = "N",
         .text = &run->text.seed,
         .about = "of the order in which configurations are tried\n(default 1)"},
        {.name = "jobs",
         .value = "N",
         .text = &run->text.jobs,
         .about = "compilers at a time (default: by the cores)"},
        {.name = "retry",
         .value = "STATUS,..",
         .text = &run->text.retry,
         .about = "try again what failed so in an earlier run: crashed,\ntimed_out, ... (else it "
                  "is left alone)"},
        {.name = "no-plots", .flag = &run->text.no_plots, .about = "draw no pictures at the end"},
        {.name = "quiet",
         .letter = 'q',
         .flag = &run->text.quiet,
         .about = "print failures and what needs attention only"},
    };
    enum status status = options_parse(command, options, sizeof options / sizeof options[0], argc,
                                       argv, words, EXPERIMENTS_MAX, &word_count, &helped, error);
    if (status == STATUS_OK && !helped)
        status = parse_values(run, error);
    if (status == STATUS_OK && !helped)
        status = experiments_load(words, word_count, &run->experiments, error);
    if (status == STATUS_OK && !helped)
        status = parse_devices(run, error);
    if (status == STATUS_OK && !helped)
        status = run_it(run, error);
    experiments_free(&run->experiments);
    free(run);
    return status;
}

const struct command command_run = {
    .name = "run",
    .usage = "[EXPERIMENT...] [options]",
    .about = "Sweeps, chooses the fastest, writes tuned.conf and draws (the default command).",
    .run = run_command,
};
