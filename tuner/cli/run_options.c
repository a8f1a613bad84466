/* The command line of `tune run`: search, devices, and the other options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/cli/run.h"
#include "tuner/cli/unpack.h"
#include "tuner/device/traits.h"
#include "tuner/search/search.h"
#include "tuner/terminal/style.h"
#include "views/watch/watch.h"

/* ---- search options ---- */

enum { STRATEGIES_MAX = 32 };
static const char automatic[] = "auto";

static enum status parse_strategy(struct run *run, struct error *error)
{
    const char *names[STRATEGIES_MAX] = {automatic};
    const char *given = run->text.strategy;
    size_t count = 1;
    for (size_t i = 0; search_strategy_name(i) && count < STRATEGIES_MAX; i++)
        names[count++] = search_strategy_name(i);
    run->session.strategy = given ? given : automatic;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], run->session.strategy) == 0)
            return STATUS_OK;
    const char *nearest = nearest_word(given, names, count);
    if (nearest)
        return error_set(error, STATUS_USAGE, "--strategy %s: did you mean '%s'?", given, nearest);
    return error_set(error, STATUS_USAGE, "--strategy %s: --list-strategies prints those there are",
                     given);
}

/* Parses "1%"; without a text the share stays unchanged. */
static enum status parse_share(const char *option, const char *text, double *share,
                               struct error *error)
{
    char *end = NULL;
    const double percent = text ? strtod(text, &end) : 0;
    if (!text)
        return STATUS_OK;
    if (strcmp(end, "%") != 0 || !(percent > 0) || !(percent < 100))
        return error_set(error, STATUS_USAGE,
                         "--%s %s: write a share of the best above 0%% and below 100%%, as 1%%",
                         option, text);
    *share = percent / 100;
    return STATUS_OK;
}

static enum status parse_search(struct run *run, struct error *error)
{
    long long number = 0;
    TRY(parse_strategy(run, error));
    TRY(parse_share("until", run->text.until, &run->session.until, error));
    TRY(parse_share("loss", run->text.loss, &run->loss, error));
    if (!run->text.points)
        return STATUS_OK;
    if (strchr(run->text.points, '%')) {
        /* "5%", "0.1%" */
        char *end = NULL;
        double percent = strtod(run->text.points, &end);
        if (strcmp(end, "%") != 0 || !(percent > 0) || !(percent <= 100))
            return error_set(error, STATUS_USAGE,
                             "--points %s: write a share of the space above 0%% and up to 100%%",
                             run->text.points);
        run->session.points_share = percent / 100;
        return STATUS_OK;
    }
    TRY(option_size("points", run->text.points, &number, error));
    run->session.points = (uint64_t)number;
    return STATUS_OK;
}

static void list_strategies(void)
{
    printf("%-12s %s\n", automatic,
           "chosen by the size of the space and the number of trials (default)");
    for (size_t i = 0; search_strategy_name(i); i++)
        printf("%-12s %s\n", search_strategy_name(i), search_strategy_about(i));
}

/* ---- devices ---- */

static enum status add_device(struct run *run, const struct device_api *api, int index,
                              struct error *error)
{
    for (size_t i = 0; i < run->device_count; i++)
        if (run->devices[i].api == api && run->devices[i].index == index)
            return STATUS_OK;
    if (run->device_count == RUN_DEVICES_MAX)
        return error_set(error, STATUS_USAGE, "--device: more than %d devices", RUN_DEVICES_MAX);
    run->devices[run->device_count++] = (struct run_device){api, index};
    return STATUS_OK;
}

/* Adds every device of the kind. */
static enum status add_kind(struct run *run, const struct device_traits *traits,
                            struct error *error)
{
    const struct device_api *api = device_kind(traits->kind);
    int count = 0;
    if (!api)
        return error_set(error, STATUS_UNAVAILABLE, "this tune was built without %s",
                         traits->needs);
    if (run->hosts.count > 0)
        return add_device(run, api, RUN_EVERY_DEVICE, error);
    TRY(worker_count(host_local(), api->kind, &count, error));
    if (count == 0)
        return error_set(error, STATUS_UNAVAILABLE, "the %s driver finds no GPU", traits->needs);
    for (int i = 0; i < count; i++)
        TRY(add_device(run, api, i, error));
    return STATUS_OK;
}

/* Adds all GPUs of any kind; the error is the most preferred kind's. */
static enum status add_all_gpus(struct run *run, struct error *error)
{
    const size_t before = run->device_count;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < device_traits_count; i++) {
        struct error here = {0};
        if (device_traits_list[i].by_name_only || !device_traits_list[i].is_gpu ||
            add_kind(run, &device_traits_list[i], &here) == STATUS_OK || status != STATUS_OK)
            continue;
        *error = here;
        status = here.status;
    }
    if (run->device_count > before)
        error_clear(error);
    return run->device_count > before ? STATUS_OK : status;
}

const char *run_without_gpu(const struct run *run)
{
    struct session_experiment ours[EXPERIMENTS_MAX];
    return run->experiments.count == 0 ||
                   experiments_of_kind(&run->experiments, device_host()->kind, ours) > 0
               ? "--device cpu tunes the CPU"
               : "'--dry-run --arch sm_90' compiles its kernels without a GPU";
}

/* Chooses devices where none is named: the GPUs, else the CPU, with a message. */
static enum status choose_devices(struct run *run, struct error *error)
{
    if (add_all_gpus(run, error) == STATUS_OK)
        return STATUS_OK;
    struct session_experiment ours[EXPERIMENTS_MAX];
    if (run->experiments.count > 0 &&
        experiments_of_kind(&run->experiments, device_host()->kind, ours) == 0)
        return error_set(error, STATUS_NOT_FOUND,
                         "the experiment needs a GPU, and there is none here: %s",
                         run_without_gpu(run));
    print_clean(stderr, "tune: no GPU (%s): the device is the CPU\n", error->text);
    error_clear(error);
    run->device_count = 0;
    return add_device(run, device_host(), 0, error);
}

/* Begins a replay, whose results go to files of their own, named accordingly. */
static enum status start_replay(struct run *run, struct error *error)
{
    struct replay *replay = &run->replay;
    enum issue issue = ISSUE_GRAPH;
    while (run->issues && !(run->issues >> issue & 1))
        issue++;
    if (run->issues & (run->issues - 1))
        return error_set(error, STATUS_USAGE,
                         "--as %s: a replay has the launches of one way: name one", run->text.as);
    run->session.l2_mode = l2_mode_as(run->session.l2_mode, issue);
    replay->cpus = !device_traits_replayed(run->text.device)->is_gpu;
    TRY(replay_open(replay, device_replayed_name(run->text.device), run->session.l2_mode,
                    run->session.seed, error));
    const char *source = recording_text(replay->recording, replay->recording->device.source);
    if (!run->text.quiet)
        print_clean(stderr,
                    "tune: replayed from %s: nothing is measured; every timing is a recorded one\n",
                    source);
    run->experiments.recording = replay->recording;
    run->session.recording = replay->recording;
    run->session.recording_source = replay->source;
    run->session.recording_charges = replay->has_clock;
    if (replay->has_clock)
        clock_play();
    if (strcmp(run->text.database, DEFAULT_DATABASE) == 0)
        run->text.database = run->session.database = REPLAYED_DATABASE;
    if (!run->text.conf && strcmp(run->session.objective, "time") == 0)
        run->text.conf = "replayed.conf";
    if (!run->text.report)
        run->text.report = "replayed.html";
    return STATUS_OK;
}

/* Chooses the kinds of GPU on any host, else all CPUs. */
static enum status choose_there(struct run *run, struct error *error)
{
    const struct host *ready[HOSTS_MAX];
    size_t count = 0;
    struct error why = {0};
    TRY(hosts_await(&run->hosts, run->hosts.stop, ready, &count, error));
    for (size_t i = 0; i < device_traits_count; i++) {
        const struct device_traits *traits = &device_traits_list[i];
        bool has_one = false;
        for (size_t j = 0; !traits->by_name_only && traits->is_gpu && device_kind(traits->kind) &&
                           !has_one && j < count;
             j++) {
            int devices = 0;
            has_one =
                hosts_count(ready[j], traits->kind, run->hosts.stop, &devices, &why) == STATUS_OK &&
                devices > 0;
        }
        if (has_one)
            TRY(add_device(run, device_kind(traits->kind), RUN_EVERY_DEVICE, error));
    }
    if (*run->hosts.stop)
        return error_set(error, STATUS_INTERRUPTED, "stopped before a device was found");
    if (run->device_count > 0)
        return STATUS_OK;
    size_t gone = 0;
    for (size_t i = 0; i < count; i++)
        gone += host_state(ready[i]) == HOST_GONE;
    if (gone == count) {
        *error = why;
        return error->status;
    }
    print_clean(stderr, "tune: no GPU on %s%s%s%s%s; tuning CPUs\n", ready[0]->name,
                count > 1 ? " and others" : "", why.text[0] ? " (" : "", why.text,
                why.text[0] ? ")" : "");
    return add_device(run, device_host(), RUN_EVERY_DEVICE, error);
}

/* Adds the devices of a list of names. */
static enum status parse_devices(struct run *run, struct error *error)
{
    char list[256];
    char *rest = NULL;
    if (!string_format(list, sizeof list, "%s", run->text.device))
        return error_set(error, STATUS_USAGE, "--device: the list is too long");
    size_t words = 0;
    for (char *word = strtok_r(list, ",", &rest); word;
         word = strtok_r(NULL, ",", &rest), words++) {
        const struct device_api *api = NULL;
        int index = 0;
        TRY(device_parse(word, &api, &index, error));
        TRY(add_device(run, api, index, error));
    }
    if (words == 0)
        return error_set(error, STATUS_USAGE,
                         "--device: write a number (0), a list (0,1), all or cpu");
    return STATUS_OK;
}

enum status run_parse_devices(struct run *run, struct error *error)
{
    if (run->hosts.on.count > 0 || run->hosts.file)
        run->hosts.stop = run_catch_signals();
    TRY(hosts_open(&run->hosts, error));
    if (!run->text.device)
        return run->hosts.count > 0 ? choose_there(run, error) : choose_devices(run, error);
    if (run->replay.recording && run->hosts.count > 0)
        return error_set(error, STATUS_USAGE, "--on: a recording is played here");
    if (run->replay.recording)
        return add_device(run, device_kind(recording_kind(run->replay.recording)), 0, error);
    if (strcmp(run->text.device, "all") == 0)
        return add_all_gpus(run, error);
    return parse_devices(run, error);
}

/* ---- values ---- */

enum status run_parse_measuring(struct run *run, enum effort usual, struct error *error)
{
    if (run->text.as && !issues_parse(run->text.as, &run->issues))
        return error_set(error, STATUS_USAGE,
                         "--as %s: write graph, stream or eager, or several with commas",
                         run->text.as);
    run->session.effort = usual;
    if (run->text.effort && !effort_parse(run->text.effort, &run->session.effort))
        return error_set(error, STATUS_USAGE, "--effort %s: write quick, normal or thorough",
                         run->text.effort);
    return run->text.budget ? option_duration("budget", run->text.budget, &run->budget_ns, error)
                            : STATUS_OK;
}

static enum status parse_values(struct run *run, struct error *error)
{
    long long number = 0;
    run->session.seed = 1;
    run->session.database = run->text.database;
    if (run->text.seed) {
        TRY(option_integer("seed", run->text.seed, 0, INT64_MAX, &number, error));
        run->session.seed = (uint64_t)number;
    }
    if (run->text.jobs) {
        TRY(option_integer("jobs", run->text.jobs, 1, 64, &number, error));
        run->session.compile_workers = (size_t)number;
    }
    TRY(option_l2(run->text.l2, &run->session.l2_mode, error));
    TRY(run_parse_measuring(run, EFFORT_NORMAL, error));
    if (!run->issues && l2_issue(run->session.l2_mode) != ISSUE_GRAPH)
        run->issues = 1u << l2_issue(run->session.l2_mode);
    run->session.effort_given = run->text.effort != NULL;
    const char *failures = run->text.retry;
    while (failures && *failures) {
        char word[32];
        enum trial_status status = TRIAL_OK;
        size_t length = strcspn(failures, ",");
        (void)string_format(word, sizeof word, "%.*s", (int)length, failures);
        if (!trial_status_from_name(word, &status) || status == TRIAL_OK ||
            status == TRIAL_SKIPPED) {
            const char *names[TRIAL_STATUS_COUNT];
            size_t count = 0;
            for (int i = 0; i < TRIAL_STATUS_COUNT; i++)
                if (i != TRIAL_OK && i != TRIAL_SKIPPED)
                    names[count++] = trial_status_name((enum trial_status)i);
            const char *nearest = nearest_word(word, names, count);
            return error_set(error, STATUS_USAGE,
                             nearest ? "--retry: '%s' is no failure; did you mean '%s'?"
                                     : "--retry: '%s' is no failure; '%s' is one, for instance",
                             word, nearest ? nearest : "crashed");
        }
        run->session.retry_mask |= 1u << status;
        failures += length + (failures[length] == ',' ? 1 : 0);
    }
    const char *next = run->text.sizes;
    while (next && *next) {
        char word[32];
        long long n = 0;
        next += strspn(next, " ");
        size_t length = strcspn(next, ",");
        if (run->session.size_count == SESSION_SIZES_MAX)
            return error_set(error, STATUS_USAGE, "--sizes: more than %d sizes", SESSION_SIZES_MAX);
        (void)string_format(word, sizeof word, "%.*s", (int)length, next);
        const bool shape = word[0] >= '1' && word[0] <= '9' && strchr(word, 'x');
        if (!shape) { /* sizes of several names are read with the experiments */
            TRY(option_size("sizes", word, &n, error));
            run->session.sizes[run->session.size_count++] = n;
        }
        next += length + (next[length] == ',' ? 1 : 0);
    }
    TRY(parse_search(run, error));
    return run_check_protocol(run, error);
}

/* Checks that every experiment has the objective, before the first one takes an hour. From here on
 * the objective has the stored name. */
static enum status check_objective(struct run *run, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < run->experiments.count && status == STATUS_OK; i++) {
        struct objective *objective = NULL;
        status =
            objective_create(run->experiments.items[i], run->session.objective, &objective, error);
        if (status == STATUS_OK &&
            !string_format(run->objective, sizeof run->objective, "%s", objective_text(objective)))
            status = error_set(error, STATUS_USAGE, "more than %zu characters",
                               sizeof run->objective - 1);
        objective_free(objective);
    }
    if (status != STATUS_OK)
        return error_prefix(error, "--objective");
    run->session.objective = run->objective;
    return STATUS_OK;
}

enum { OPTIONS_MAX = 40 };

/* Lists the options with the places of values; returns their number: the subject ... */
static size_t list_tuned(struct run *run, struct option_spec *out)
{
    const struct option_spec options[] = {
        OPTION_SHORT('d', "device", "LIST", &run->text.device,
                     "devices: 0, cuda:1, 0,1, all (every GPU), cpu, or replay: a recorded GPU "
                     "(default: every GPU, else the CPU; cpu where all named "
                     "experiments are for it)\n"
                     "`replay` plays the newest shipped recording, `replay:NAME` another one, "
                     "`replay:FILE` that of a database (FILE.db, FILE.db.xz), "
                     "a T4 file or a Kernel Tuner cache (FILE.json, FILE.json.gz), `replay_cpu` "
                     "one of a processor. With `,clock` behind it a budget runs as on that device. "
                     "Output goes to replayed.db, replayed.conf and replayed.html by default. See "
                     "docs/replay.md."),
        HOST_OPTIONS(&run->hosts),
        OPTION_TEXT("sizes", "N,N", &run->text.sizes,
                    "only problems of these sizes: 1048576,2**24,1024x512"),
        OPTION_TEXT("recorded", "FILE", &run->text.recorded,
                    "only problems that programs looked up and missed, from the record that "
                    "`TUNED_RECORD` made, the most frequent first\n"
                    "Also at sizes that the experiment does not list. Experiments that are named, "
                    "else all shipped ones, say which problems there are. See docs/libtuned.md."),
        OPTION_LIST(
            0, "only", "NAME=V,V", &run->experiments.limits,
            "only these values of a parameter: block=64,128; repeat it for more parameters\n"
            "The baselines, the default configuration and the current winner are also timed, with "
            "their own values. Results of other values stay in the database."),
        OPTION_TEXT("binary", "FILE.cap", &run->text.binary,
                    "tune a kernel without its source, from launches that `tune capture` recorded "
                    "(docs/capture.md)"),
        OPTION_TEXT("kernel", "NAME", &run->text.kernel,
                    "with --binary: the kernel, if there are several"),
        OPTION_TEXT("dialect", "NAME", &run->text.dialect,
                    "dialect of a T1 file (.json): kernel_tuner or ktt (default: by its contents)"),
        OPTION_LIST(0, "overlay", "FILE", &run->experiments.overlays,
                    "JSON merged over the T1 file (docs/t1.md); several are merged in their order"),
        OPTION_FLAG("show-experiment", &run->text.show_experiment,
                    "print the experiment that a T1 file means, as YAML, and exit"),
        OPTION_FLAG(
            "dry-run", &run->text.dry_run,
            "print problems, parameters, constraints and numbers of configurations; run nothing\n"
            "No device, database or reference is used."),
        OPTION_TEXT("arch", "ARCH", &run->text.architecture,
                    "with --dry-run: compile for this GPU (sm_90), present or not, and print "
                    "occupancy, registers and spills\nCompiles a sample of 200 binaries per "
                    "problem on all cores, which runs on such GPUs then find in the cache. "
                    "Reports the configurations that cannot be launched, with reasons, and those "
                    "with the same machine code."),
        OPTION_FLAG("all", &run->text.all,
                    "with --arch: compile every configuration, at most --points N"),
        OPTION_FLAG("default", &run->text.default_only,
                    "with --arch: compile only the default configuration"),
    };
    memcpy(out, options, sizeof options);
    return COUNT(options);
}

/* ... search and measurement ... */
static size_t list_measuring(struct run *run, struct option_spec *out)
{
    const struct option_spec options[] = {
        OPTION_TEXT("effort", "LEVEL", &run->text.effort,
                    "how long to measure before choosing: quick, normal (default) or thorough\nA "
                    "higher effort than that of an earlier run chooses again; `normal` and "
                    "`thorough`, if typed, also choose again where the choice is not sure."),
        OPTION_TEXT("budget", "TIME", &run->text.budget,
                    "time limit: 90s, 30m, 8h (default: none); ends with the best so far\nThe time "
                    "is shared evenly among the problems; no work is started that would not end in "
                    "time. The same command continues later. The last line names the next step, "
                    "and why a problem has no winner."),
        OPTION_TEXT("points", "N", &run->text.points,
                    "try at most N configurations of each problem, or a share: 1000, 5% (default: "
                    "all if up to 1500, else 300)\nBaselines are not counted, configurations of "
                    "earlier runs are. The default is 120 where the search can start from other "
                    "sizes or problems."),
        OPTION_TEXT("until", "P%", &run->text.until,
                    "stop searching once the model is 90 % sure that nothing more than P % better "
                    "remains\nThe search also ends at --points or --budget; docs/search.md has how "
                    "often the model was right."),
        OPTION_TEXT("loss", "P%", &run->text.loss,
                    "let one configuration serve several sizes if each loses at most P % (the "
                    "number `within` of --list-protocol)"),
        OPTION_TEXT("prior", "FILE", &run->text.prior,
                    "results to start from: a database, a shipped recording (nvidia-h100), "
                    "recorded, others or none\n`recorded`: rankings on all shipped GPUs; `others`: "
                    "the same without this model of device; `none`: no shipped winners either. "
                    "Other devices, sizes and drivers of this run's own database are always used. "
                    "A database may be of any age; it is only read."),
        OPTION_TEXT("strategy", "NAME", &run->text.strategy,
                    "search strategy: auto (default), or a name from --list-strategies\n`auto` "
                    "tries each configuration if all are to be tried, and learns otherwise."),
        OPTION_FLAG("list-strategies", &run->text.list_strategies,
                    "print the strategies, and exit"),
        OPTION_TEXT("objective", "NAME", &run->session.objective,
                    "minimise time (default), energy, edp (energy times time), an objective of the "
                    "experiment, or a formula\nA formula such as `energy_j * time_ns**2` may use "
                    "time_ns, energy_j, power_w, bytes, launches, registers, shared_bytes, "
                    "occupancy, threads, n, axes and parameters. Winners of several objectives "
                    "live in one database. Energy needs a device with a readable counter."),
        OPTION_TEXT("l2", "MODE", &run->text.l2,
                    "caches before each timing: cold (default), hot, stream or dirty\n`cold`: a "
                    "clean buffer larger than the last-level cache is read first; `hot`: the same "
                    "buffers again; `stream`: a different copy of the input each time; `dirty`: "
                    "flushed by writing, as other harnesses do."),
        OPTION_TEXT("as", "LIST", &run->text.as,
                    "issue of the timed launches, as your program's: graph, stream or eager "
                    "(default: the experiment's `as`, else graph)\n`graph`: together, as a graph; "
                    "`stream`: one by one on a stream, queued before they start; `eager`: one by "
                    "one, the host's time included (on a CPU, the time in which its threads wake). "
                    "Each is tuned by itself, and has its own winners; of several (`graph,eager`), "
                    "the run names the problems at which the choice differs."),
        OPTION_LIST(0, "set", "NAME=VALUE", &run->text.set,
                    "set a protocol number: confirm_rounds=60; may be repeated"),
        OPTION_FLAG("list-protocol", &run->text.list_protocol,
                    "print the protocol's numbers, as --effort and --set make them, and exit"),
        OPTION_TEXT("retry", "STATUS,..", &run->text.retry,
                    "retry configurations that failed this way before: crashed, timed_out, ... "
                    "(default: skip them)\nAlso compile_failed, launch_failed, wrong_result, "
                    "unstable; and configurations that were running when the machine went down."),
        OPTION_TEXT("seed", "N", &run->text.seed,
                    "seed of the order in which configurations are tried (default: 1)"),
        OPTION_TEXT("jobs", "N", &run->text.jobs,
                    "number of parallel compilations (default: by the number of cores)"),
    };
    memcpy(out, options, sizeof options);
    return COUNT(options);
}

/* ... and the outputs. */
static size_t list_outputs(struct run *run, struct option_spec *out)
{
    const struct option_spec options[] = {
        OPTION_TEXT("db", "FILE", &run->text.database, OPTION_DB_ABOUT),
        OPTION_TEXT("conf", "FILE", &run->text.conf,
                    "file of winners for programs (default: `tuned.conf`; none with an objective "
                    "other than time)"),
        OPTION_TEXT("report", "FILE", &run->text.report,
                    "HTML page of the results (default: `" DEFAULT_REPORT "`)"),
        OPTION_FLAG("no-report", &run->text.no_report, "write no page"),
        OPTION_NUMBER_OR_NONE("watch", "PORT", &run->text.watch, &run->text.port,
                              "serve a page that follows the run, on 127.0.0.1 (default port: the "
                              "first free one from 7410; 0: any)\nThe printed address holds a "
                              "secret. The server ends with the run."),
        OPTION_SHORT_FLAG('q', "quiet", &run->text.quiet, "print only failures and warnings"),
    };
    memcpy(out, options, sizeof options);
    return COUNT(options);
}

enum status run_parse(const struct command *command, int argc, char **argv, struct run *run,
                      struct error *error)
{
    const char *words[EXPERIMENTS_MAX];
    size_t word_count = 0;
    struct option_spec options[OPTIONS_MAX];
    run->text.database = DEFAULT_DATABASE;
    run->session.objective = "time";
    size_t count = list_tuned(run, options);
    count += list_measuring(run, options + count);
    count += list_outputs(run, options + count);
    TRY(options_parse(command, options, count, argc, argv, words, EXPERIMENTS_MAX, &word_count,
                      error));
    if ((run->text.architecture || run->text.all) && !run->text.dry_run)
        return error_set(error, STATUS_USAGE,
                         "--%s: only with --dry-run: kernels are run on a device that is there",
                         run->text.architecture ? "arch" : "all");
    if (run->text.watch && watch_port_parse(run->text.port, &(struct watch_port){0}, error))
        return error_prefix(error, "--watch");
    TRY(parse_values(run, error));
    if (run->text.list_strategies)
        list_strategies();
    if (run->text.list_protocol)
        TRY(run_list_protocol(run, error));
    if (run->text.list_strategies || run->text.list_protocol)
        return STATUS_DONE;
    if (run->text.dialect)
        TRY(t1_dialect_parse(run->text.dialect, &run->experiments.dialect, error));
    if (run->text.show_experiment) {
        TRY(experiments_print(&run->experiments, words, word_count, error));
        return STATUS_DONE;
    }
    run->experiments.sizes = run->text.sizes;
    run->experiments.record = run->text.recorded;
    run->session.are_looked_up = run->text.recorded != NULL;
    run->experiments.is_quiet = run->text.quiet;
    if (device_replayed_name(run->text.device) && !run->text.dry_run)
        TRY(start_replay(run, error));
    if (run->text.binary) {
        TRY(binary_experiment(run->text.binary, run->text.kernel, !run->text.dry_run,
                              run->text.device, &run->binary, error));
        if (word_count == EXPERIMENTS_MAX)
            return error_set(error, STATUS_USAGE, "too many experiments beside --binary");
        run->experiments.unpacked_path = words[word_count++] = text_string(&run->binary.path);
        run->experiments.unpacked_text = text_string(&run->binary.text);
    }
    TRY(experiments_load(words, word_count, &run->experiments, error));
    if (run->text.recorded && run->experiments.count == 0)
        return STATUS_DONE; /* nothing was missed */
    struct session_experiment ours[EXPERIMENTS_MAX];
    const char *host = device_host()->kind;
    if (!run->text.device && !run->text.dry_run && run->experiments.count > 0 &&
        experiments_of_kind(&run->experiments, host, ours) == run->experiments.count)
        run->text.device = host;
    TRY(check_objective(run, error));
    if (!run->text.dry_run)
        return run_parse_devices(run, error);
    const char *device = run->text.architecture ? NULL : run->text.device;
    return device && strcmp(device, "all") != 0 ? parse_devices(run, error) : STATUS_OK;
}
