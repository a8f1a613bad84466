/* `tune run`: sweep, choose, write tuned.conf and the report. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "tuner/base/clock.h"
#include "tuner/base/failpoint.h"
#include "tuner/base/files.h"
#include "tuner/base/shell.h"
#include "tuner/base/text.h"
#include "tuner/cli/dry_run.h"
#include "tuner/cli/run.h"
#include "tuner/device/traits.h"
#include "tuner/stats/verdict.h"
#include "tuner/terminal/style.h"
#include "views/export/export.h"
#include "views/show/show.h"

/* ---- lines at the end ---- */

enum { COMMAND_BYTES = SHELL_WORD_BYTES + 64 };

/* Writes "'tune show --db replayed.db --ties'", for the run's database. */
static const char *command_with(const struct run *run, const char *command, const char *option,
                                char out[COMMAND_BYTES])
{
    char room[SHELL_WORD_BYTES];
    const bool is_usual = strcmp(run->text.database, DEFAULT_DATABASE) == 0;
    (void)string_format(out, COMMAND_BYTES, "'tune %s%s%s%s%s'", command, is_usual ? "" : " --db ",
                        is_usual ? "" : shell_word(run->text.database, room), *option ? " " : "",
                        option);
    return out;
}

static void print_work(const struct run *run, const struct session_summary *summary)
{
    double wall_s = (double)summary->wall_ns * 1e-9;
    double all_s = wall_s * (summary->devices > 0 ? (double)summary->devices : 1.0);
    double measuring = all_s > 0 ? (double)summary->measuring_ns * 1e-7 / all_s : 0;
    double waiting = all_s > 0 ? (double)summary->compile_wait_ns * 1e-7 / all_s : 0;
    char show[COMMAND_BYTES];
    char device[32];
    (void)string_format(device, sizeof device, "%s device", run->session.device_kind);
    const bool failed = summary->failures > 0;
    print_clean(stderr, "tune: %s, %s (%zu known already), %zu failed%s%s%s, in %.1f s on %s\n",
                count_text(summary->problems, "problem").text,
                count_text(summary->trials, "trial").text, summary->trials_known, summary->failures,
                failed ? " (" : "", failed ? command_with(run, "show", "--failures", show) : "",
                failed ? ")" : "", wall_s, count_text(summary->devices, device).text);
    fprintf(stderr,
            "tune: %.1f trials per second, %.0f %% of the time measuring, %.0f %% waiting for the "
            "compiler, %.0f %% idle\n",
            wall_s > 0 ? (double)summary->trials / wall_s : 0, measuring, waiting,
            100 - measuring - waiting);
    /* "tune: 1.2 s to start, 0.8 s setting up problems, 20.1 s sweeps, ..." */
    static const char *const names[SESSION_STAGES] = {
        [STAGE_START] = "to start",     [STAGE_SET_UP] = "setting up problems",
        [STAGE_SWEEP] = "sweeps",       [STAGE_RACE] = "races",
        [STAGE_CHECK] = "checks",       [STAGE_WATCH] = "watching winners",
        [STAGE_CONFIRM] = "confirming", [STAGE_RANGES] = "ranges",
        [STAGE_END] = "to end"};
    struct text line = {0};
    for (size_t i = 0; i < SESSION_STAGES; i++) {
        double seconds = (double)summary->stage_ns[i] * 1e-9;
        if (seconds >= 0.05)
            text_printf(&line, "%s%.1f s %s", line.length > 0 ? ", " : "", seconds, names[i]);
    }
    if (line.length > 0)
        print_clean(stderr, "tune: %s\n", text_string(&line));
    text_free(&line);
    print_clean(stderr, "tune: %s compiled, %zu cached\n",
                count_text(summary->binaries_compiled, "binary").text, summary->binaries_cached);
}

/* Prints failures of earlier runs that were skipped, and unmeasured baselines, with the command
 * that tries these again. */
static void print_left_alone(const struct run *run, const struct session_summary *summary)
{
    struct text line = {0};
    size_t count = 0;
    for (size_t i = 0; i < TRIAL_STATUS_COUNT; i++) {
        if (summary->known_failures[i] == 0)
            continue;
        text_printf(&line, "%s%s", count > 0 ? "," : "", trial_status_name((enum trial_status)i));
        count += summary->known_failures[i];
    }
    if (count > 0)
        print_clean(stderr,
                    "tune: %zu that failed before %s left alone; the same command with --retry %s "
                    "tries %s again\n",
                    count, count == 1 ? "was" : "were", text_string(&line),
                    count == 1 ? "it" : "them");
    text_free(&line);
    char show[COMMAND_BYTES];
    if (summary->baselines_failed > 0)
        print_clean(stderr,
                    "tune: %s %s a baseline that could not be measured, and no gain over it (%s); "
                    "%s says why\n",
                    count_text(summary->baselines_failed, "problem").text,
                    summary->baselines_failed == 1 ? "has" : "have", summary->baseline_failure,
                    command_with(run, "show", "--failures", show));
}

/* Prints "tune: 20 of 22 problems: sure; 2 nearly sure; 5 have others that are as fast ..."; then
 * the shares of spaces that were hardly seen or mostly failed, and the worst doubt about a choice.
 */
static void print_trust(const struct run *run, const struct session_summary *summary)
{
    char show[COMMAND_BYTES];
    struct text line = {0};
    const bool all_sound = summary->verdicts[VERDICT_SOUND] == summary->winners;
    show_append_verdicts(&line, summary->verdicts, summary->winners);
    if (summary->tied > 0)
        text_printf(&line, "; %zu %s others that are as fast (%s)", summary->tied,
                    summary->tied == 1 ? "has" : "have", command_with(run, "show", "--ties", show));
    if (summary->gauntlet_failures > 0)
        text_printf(&line, "; %s thrown out by the checks",
                    count_text(summary->gauntlet_failures, "finalist").text);
    print_clean(stderr, "tune: %s; %s says why\n", text_string(&line),
                command_with(run, "show", "--trust", show));
    text_free(&line);
    if (summary->unseen > 0)
        print_clean(stderr, "tune: %s\n", summary->worst_coverage);
    const char *reason = verdict_doubt(summary->worst_reason);
    if (all_sound || !reason)
        return;
    text_append_bytes(&line, summary->worst_reason, (size_t)(reason - summary->worst_reason));
    text_append(&line, "n"); /* "nearly sure: ", "not sure: " */
    text_append_bytes(&line, reason + 1, strcspn(reason, ":") + 1);
    verdict_append_fault(&line, reason);
    print_clean(stderr, "tune: %s\n", text_string(&line));
    text_free(&line);
}

/* Prints counts of searches, where earlier lines told only of the first: "tune: searches: 22 tried
 * part of a space, 21 began with other problems' trials; 'tune show --searches' says ...". */
static void print_searches(const struct run *run, const struct session_summary *summary)
{
    const struct {
        size_t count;
        const char *what;
    } notes[] = {{summary->searched_in_part, "tried part of a space"},
                 {summary->tried_winners, "tried winners of elsewhere"},
                 {summary->began_elsewhere, "began with other problems' trials"},
                 {summary->began_prior, "with those of --prior"},
                 {summary->misled, "went on without these"}};
    char show[COMMAND_BYTES];
    struct text line = {0};
    bool several = summary->modelled > 1;
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        several |= notes[i].count > 1;
        if (notes[i].count > 0)
            text_printf(&line, "%s%zu %s", line.length > 0 ? ", " : "", notes[i].count,
                        notes[i].what);
    }
    if (several)
        print_clean(stderr, "tune: searches: %s%s%s says how likely each left a better one\n",
                    text_string(&line), line.length > 0 ? "; " : "",
                    command_with(run, "show", "--searches", show));
    text_free(&line);
}

/* Prints the results of a kind's devices on stderr. */
static void print_summary(const struct run *run, const struct session_summary *summary)
{
    if (run->text.quiet)
        return;
    print_work(run, summary);
    /* "tune: 200 of 1,234,567 legal configurations tried (1,000,000,000 combinations), by
     * surrogate", and the number never launched. */
    struct text line = {0};
    text_append_count(&line, summary->points);
    text_append(&line, " of ");
    text_append_count(&line, summary->points_legal);
    text_append(&line, summary->points_legal == 1 ? " legal configuration tried ("
                                                  : " legal configurations tried (");
    text_append_count(&line, summary->points_product);
    text_printf(&line, "%s%s%s", summary->points_product == 1 ? " combination)" : " combinations)",
                summary->strategy ? ", by " : "", summary->strategy ? summary->strategy : "");
    if (summary->failures > 0)
        text_printf(&line, "; %zu failed", summary->failures);
    print_clean(stderr, "tune: %s\n", text_string(&line));
    if (summary->unlaunchable + summary->duplicates > 0)
        fprintf(stderr,
                "tune: skipped: %zu do not fit on the device, %zu launch the same as another\n",
                summary->unlaunchable, summary->duplicates);
    text_free(&line);
    print_searches(run, summary);
    print_left_alone(run, summary);
    if (summary->winners > 0)
        print_trust(run, summary);
    char show[COMMAND_BYTES];
    if (summary->ranges > 0)
        print_clean(stderr, "tune: %s of sizes %s the %zu measured; %s lists them\n",
                    count_text(summary->ranges, "range").text,
                    summary->ranges == 1 ? "covers" : "cover", summary->sizes,
                    command_with(run, "show", "--ranges", show));
    if (summary->problems_left_out > 0)
        print_clean(stderr, "tune: out of time: %zu of %s %s not measured to the end\n",
                    summary->problems_left_out, count_text(summary->problems, "problem").text,
                    summary->problems_left_out == 1 ? "was" : "were");
    /* Prints "tune: the budget cut short: searches, races of the fastest; ...". */
    static const char *const names[SESSION_STAGES] = {
        [STAGE_START] = "the wait for devices",
        [STAGE_SET_UP] = "problems not begun",
        [STAGE_SWEEP] = "searches",
        [STAGE_RACE] = "races of the fastest",
        [STAGE_CHECK] = "checks of finalists",
        [STAGE_WATCH] = "the watch on winners",
        [STAGE_CONFIRM] = "confirmation in fresh processes",
        [STAGE_RANGES] = "looks at other sizes",
        [STAGE_END] = "ceilings",
    };
    struct text cut = {0};
    for (size_t i = 0; i < SESSION_STAGES; i++)
        if ((summary->cut_short >> i & 1U) != 0)
            text_printf(&cut, "%s%s", cut.length > 0 ? ", " : "", names[i]);
    if (cut.length > 0)
        print_clean(stderr,
                    "tune: the budget cut short: %s; the same command without --budget, or with a "
                    "larger one, completes them\n",
                    text_string(&cut));
    text_free(&cut);
}

/* ---- the last line: one reason, and one step ---- */

/* Returns the path of tuned.conf, which holds winners by time, unless a file is named for others.
 * NULL: write none. */
static const char *conf_path(const struct run *run)
{
    if (run->text.conf)
        return run->text.conf;
    return strcmp(run->session.objective, "time") == 0 ? DEFAULT_CONF : NULL;
}

static void add_ending(struct run *run, const struct session_summary *summary)
{
    const char *reason = verdict_doubt(summary->worst_reason);
    struct text step = {0};
    run->ending.problems += summary->problems;
    run->ending.without_winner += summary->problems_without_winner;
    run->ending.left_out += summary->problems_left_out;
    run->ending.trials += summary->trials;
    for (size_t i = 0; i < TRIAL_STATUS_COUNT; i++)
        run->ending.failed[i] += summary->failed[i] + summary->known_failures[i];
    if (reason && summary->verdicts[VERDICT_SOUND] < summary->winners)
        verdict_append_step(&step, reason);
    run->ending.goes_on |= summary->cut_short != 0 &&
                           (summary->problems_left_out > 0 ||
                            strncmp(text_string(&step), "run the same command again", 26) == 0);
    if (!run->ending.step[0])
        (void)string_format(run->ending.step, sizeof run->ending.step, "%s", text_string(&step));
    text_free(&step);
}

/* Appends the suggested next step, if winners are missing or unsure. */
static void append_step(struct text *line, const struct run *run)
{
    if (run->ending.goes_on)
        text_append(line,
                    run->ending.trials > 0
                        ? "the same command continues from here"
                        : "the same command with a larger --budget, or none, continues from here");
    else
        text_append(line, run->ending.step);
}

/* Reports problems without a winner: for want of time, since every trial failed, or since noise hid
 * all differences. */
static enum status append_no_winner(const struct run *run, size_t unstable, struct error *error)
{
    struct text line = {0};
    struct text failed = {0};
    const size_t none = run->ending.without_winner;
    size_t failures = 0;
    for (size_t i = 0; i < TRIAL_STATUS_COUNT; i++) {
        failures += run->ending.failed[i];
        if (run->ending.failed[i] > 0)
            text_printf(&failed, "%s%zu %s", failed.length > 0 ? ", " : "", run->ending.failed[i],
                        trial_status_name((enum trial_status)i));
    }
    if (none > 0)
        text_printf(&line, "%zu of %s %s no winner", none,
                    count_text(run->ending.problems, "problem").text, none == 1 ? "has" : "have");
    else if (unstable > 0)
        text_printf(&line, "no winner is sure enough to be written (%zu not sure)", unstable);
    else
        text_append(&line, "no winner was compared with others");
    const bool all_failed = run->ending.trials > 0 && failures >= run->ending.trials;
    if ((none > 0 || unstable == 0) && !all_failed && run->ending.left_out > 0 &&
        run->ending.left_out >= none) {
        text_append(&line, ", out of time; ");
        append_step(&line, run);
    } else if (none > 0 && failed.length > 0) {
        char show[COMMAND_BYTES];
        text_printf(&line, ": all trials failed (%s); %s says why", text_string(&failed),
                    command_with(run, "show", "--failures", show));
    } else if (run->ending.goes_on || run->ending.step[0]) {
        text_append(&line, "; ");
        append_step(&line, run);
    } else { /* the failure was found by an earlier run */
        const enum effort effort = run->session.effort;
        text_printf(&line, "; run the same command with `--effort %s` when the machine is idle",
                    effort_name(effort > EFFORT_NORMAL ? effort : EFFORT_NORMAL));
    }
    (void)error_set(error, STATUS_NO_WINNER, "%s", text_string(&line));
    text_free(&failed);
    text_free(&line);
    return STATUS_NO_WINNER;
}

static void print_step(const struct run *run)
{
    struct text line = {0};
    char show[COMMAND_BYTES];
    append_step(&line, run);
    if (line.length == 0 && run->replay.recording && run->ending.problems > 0)
        text_printf(&line, "%s says why each winner wins",
                    command_with(run, "show", "--why", show));
    else if (line.length == 0 && conf_path(run) && run->ending.problems > 0)
        text_printf(&line, "load %s in your program (docs/libtuned.md)", conf_path(run));
    (void)fflush(stdout);
    if (line.length > 0)
        print_clean(stderr, "tune: next: %s\n", text_string(&line));
    text_free(&line);
}

/* ---- the run ---- */

static const char *const issue_words[] = {[ISSUE_GRAPH] = "together, as a graph",
                                          [ISSUE_STREAM] = "one by one on a stream",
                                          [ISSUE_EAGER] = "one by one, the host's time included"};

/* Adds what to do without a GPU where there is none. */
static enum status without_gpu(const struct run *run, const char *kind, struct error *error)
{
    const struct error why = *error;
    struct error ignored = {0};
    int count = 0;
    if (worker_count(host_local(), kind, &count, &ignored) == STATUS_OK && count > 0)
        return why.status;
    return error_set(error, why.status, "%.900s; %s", why.text, run_without_gpu(run));
}

/* Tunes all devices of one kind together, with launches issued in one way. */
static enum status run_kind(struct run *run, struct store *store, size_t kind, size_t turn,
                            struct error *error)
{
    const struct device_api *api = device_kinds[kind];
    struct session_experiment experiments[EXPERIMENTS_MAX];
    struct session_summary summary;
    unsigned issues = 0;
    enum issue issue = ISSUE_GRAPH;
    if (!run_is_meant(run, api) || !run_turn(run, api->kind, turn, &issue))
        return STATUS_OK;
    size_t count = run_experiments(run, api->kind, issue, experiments, &issues);
    run->several_issues |= issues > 1u << ISSUE_GRAPH;
    bool every = false;
    run->session.device_count = 0;
    run->session.hosts = run->hosts.items;
    run->session.host_count = run->hosts.count;
    for (size_t i = 0; i < run->device_count; i++) {
        every = every || (run->devices[i].api == api && run->devices[i].index == RUN_EVERY_DEVICE);
        if (run->devices[i].api == api)
            run->session.device_indices[run->session.device_count++] = run->devices[i].index;
    }
    if (*run->session.stop)
        return error_set(error, STATUS_INTERRUPTED, "stopped before any %s device was tuned",
                         api->kind);
    if (every)
        run->session.device_count = 0;
    if (count == 0)
        return error_set(error, STATUS_NOT_FOUND, "no experiment named here is for a %s device%s",
                         api->kind,
                         device_traits(api->kind)->is_gpu
                             ? ""
                             : "; --dry-run --arch sm_90 compiles a GPU's kernel without one");
    TRY(run_protocol(run, api->kind, &run->session.protocol, error));
    if (run->replay.recording) /* only recorded sizes are known */
        run->session.protocol.look_between = 0;
    run->session.device_kind = api->kind;
    run->session.l2_mode = l2_mode_as(run->session.l2_mode, issue);
    run->session.compiles_beside_measuring =
        api->compiles_beside_measuring && api->compiles_beside_measuring();
    /* The rest of the budget, shared evenly by the sessions still to come. */
    int64_t passed_ns = clock_running_ns() - run->started_ns;
    int64_t sessions = run_sessions_left(run, kind, turn);
    run->session.budget_ns = run->budget_ns;
    if (run->budget_ns > 0 && sessions > 0 && run_sessions_left(run, 0, 0) > 1) {
        int64_t share_ns = (run->budget_ns - passed_ns) / sessions;
        run->session.budget_ns = share_ns > 0 ? share_ns : 1;
    }
    if (!run->text.quiet && issues != 1u << ISSUE_GRAPH)
        print_clean(stderr, "tune: --as %s: launches are issued %s%s\n", issue_names[issue],
                    issue_words[issue],
                    turn == ISSUES ? "; again, to try the winners of the others" : "");
    progress_begin(&run->view, run->text.quiet, &run->session, run->watch);
    struct session_events events = progress_events(&run->view);
    enum status status =
        session_run(store, &run->session, experiments, count, &events, &summary, error);
    if (status == STATUS_UNAVAILABLE && summary.run_id == 0 && run->session.host_count == 0 &&
        device_traits(api->kind)->is_gpu)
        status = without_gpu(run, api->kind, error);
    if (!run->unsupported[0])
        (void)string_format(run->unsupported, sizeof run->unsupported, "%s", summary.unsupported);
    progress_end(&run->view);
    add_ending(run, &summary);
    if (summary.run_id != 0)
        print_summary(run, &summary);
    run->others_won |= run->session.host_count > 0 && summary.winners > 0;
    return status;
}

/* Returns the page's path; NULL: write none. */
static const char *report_path(const struct run *run)
{
    if (run->text.no_report)
        return NULL;
    return run->text.report ? run->text.report : DEFAULT_REPORT;
}

static enum status write_conf(const struct run *run, struct store *store, struct error *error)
{
    const char *path = conf_path(run);
    if (!path && !run->text.quiet)
        print_clean(stderr,
                    "tune: %s is left as it is, for the winners by time; 'tune export "
                    "--objective ...' writes these\n",
                    DEFAULT_CONF);
    if (!path)
        return STATUS_OK;
    const struct export_options options = {.objective = run->session.objective};
    struct export_counts counts;
    enum status status = export_conf(store, path, &options, &counts, error);
    if (status == STATUS_NO_WINNER && file_exists(path))
        print_clean(stderr, "tune: %s is left as it is, with winners of an earlier run\n", path);
    if (status == STATUS_NO_WINNER && counts.unstable == 0 && run->unsupported[0])
        return error_set(error, status, "%s", run->unsupported);
    if (status == STATUS_NO_WINNER &&
        (run->ending.without_winner > 0 || counts.unstable > 0 || run->ending.left_out > 0))
        return append_no_winner(run, counts.unstable, error);
    if (status == STATUS_OK && !run->text.quiet)
        print_clean(stderr, "tune: wrote %s\n", path);
    char show[COMMAND_BYTES];
    if (status == STATUS_OK && !run->text.quiet && counts.unstable > 0)
        print_clean(stderr, "tune: %s %s not sure and not in it: see %s\n",
                    count_text(counts.unstable, "winner").text, counts.unstable == 1 ? "is" : "are",
                    command_with(run, "show", "--trust", show));
    return status;
}

static enum status run_with_store(struct run *run, struct store *store, struct error *error)
{
    FAILPOINT("run.opened");
    TRY(run->replay.recording
            ? replay_check_replayed(store, run->text.database, error)
            : replay_check_measured(store, run->text.database,
                                    "measurements go into another database (--db)", error));
    enum status status = STATUS_OK;
    /* Kinds one after the other: compilers and feeders of one would disturb the timings of a CPU.
     * One that fails does not keep the next from being tuned; the first failure is reported. */
    enum status first = STATUS_OK;
    for (size_t i = 0; device_kinds[i / RUN_TURNS]; i++) {
        struct error here = {0};
        status = run_kind(run, store, i / RUN_TURNS, i % RUN_TURNS, &here);
        if (status != STATUS_OK && first == STATUS_OK) {
            first = status;
            *error = here;
        } else if (status != STATUS_OK && status != STATUS_INTERRUPTED) {
            print_clean(stderr, "tune run: %s\n", here.text);
        }
    }
    status = first;
    FAILPOINT("run.measured");
    struct error moved = {0};
    if (store_rescue(store, &moved) != STATUS_OK) {
        *error = moved;
        return moved.status;
    }
    bool has_results = status == STATUS_OK || status == STATUS_INTERRUPTED ||
                       status == STATUS_NO_WINNER || run->others_won;
    struct error writing = {0};
    if (has_results && !run->text.quiet && run->several_issues) {
        /* Prints whether winners depend on the issue of launches. */
        struct text line = {0};
        struct error ignored = {0};
        if (show_append_issues(store, run->session.objective, &line, &ignored) == STATUS_OK &&
            line.length > 0) {
            char show[COMMAND_BYTES];
            print_clean(stderr, "tune: %s (%s)\n", text_string(&line),
                        command_with(run, "show", "--as", show));
        }
        text_free(&line);
    }
    enum status written = has_results ? write_conf(run, store, &writing) : STATUS_OK;
    if (written != STATUS_OK && (status == STATUS_OK || status == STATUS_NO_WINNER)) {
        *error = writing;
        return written;
    }
    return status == STATUS_NO_WINNER && !run->unsupported[0] ? append_no_winner(run, 0, error)
                                                              : status;
}

/* Begins serving the page, and prints its address on standard error even with --quiet. */
static enum status begin_watch(struct run *run, struct error *error)
{
    char url[WATCH_URL_BYTES];
    if (!run->text.watch)
        return STATUS_OK;
    (void)signal(SIGPIPE, SIG_IGN);
    if (watch_begin(run->text.database, run->text.port, &run->watch, url, error) != STATUS_OK)
        return error_prefix(error, "--watch");
    const char *const port = url + strlen("http://127.0.0.1:");
    const int digits = (int)strcspn(port, "/");
    print_clean(stderr,
                "tune: follow the run at %s (from elsewhere: ssh -L %.*s:127.0.0.1:%.*s HOST)\n",
                url, digits, port, digits, port);
    return STATUS_OK;
}

/* Prior knowledge of searches, besides the run's own database. */
struct prior {
    struct store *store;
    struct replay files;
    struct tuned *winners;
    struct arena arena;
};

/* Loads the shipped tuned.conf, if the data folder has one. */
static enum status load_shipped_winners(struct run *run, struct prior *prior, const char *folder,
                                        struct error *error)
{
    struct tuned_error refused;
    const char *path = arena_printf(&prior->arena, "%s/configs/tuned.conf", folder);
    TRY_MEMORY(path);
    if (!file_exists(path))
        return STATUS_OK;
    prior->winners = tuned_load(path, &refused);
    if (!prior->winners)
        return error_set(error, STATUS_BAD_INPUT, "%s; --prior none goes without it", refused.text);
    run->session.winners = prior->winners;
    run->session.winners_path = path;
    return STATUS_OK;
}

static enum status open_prior(struct run *run, struct prior *prior, struct error *error)
{
    const char *const option = run->text.prior ? run->text.prior : "";
    const bool is_of_others = strcmp(option, "others") == 0;
    const bool is_recorded = is_of_others || strcmp(option, "recorded") == 0;
    const char *path = NULL;
    *prior = (struct prior){.files.folder.file = -1};
    if (strcmp(option, "none") == 0)
        return STATUS_OK;
    run->session.prior_of_others = is_of_others;
    const char *folder = NULL;
    TRY(data_folder(&prior->arena, &folder, error));
    TRY(load_shipped_winners(run, prior, folder, error));
    if (is_recorded) /* rankings of configurations in recordings (bench/prior.py), read in place */
        TRY_MEMORY(path = arena_printf(&prior->arena, "%s/db/recorded/prior.db", folder));
    else if (*option)
        TRY(replay_find_database(&prior->files, option, &path, error));
    if (path)
        TRY(store_open(path, STORE_COPY, &prior->store, error));
    run->session.prior = prior->store;
    run->session.prior_path = is_recorded ? path : option;
    return STATUS_OK;
}

static void close_prior(struct prior *prior)
{
    store_close(prior->store);
    replay_close(&prior->files);
    tuned_free(prior->winners);
    arena_free(&prior->arena);
}

static enum status run_it(struct run *run, struct error *error)
{
    struct store *store = NULL;
    struct prior prior = {.files.folder.file = -1};
    /* No output may overwrite an input or the other output. */
    const char *const outputs[] = {conf_path(run), report_path(run)};
    for (size_t i = 0; i < COUNT(outputs); i++) {
        TRY(output_differs(outputs[i], run->text.database, error));
        for (size_t j = 0; j < run->experiments.count; j++)
            TRY(output_differs(outputs[i], experiment_head(run->experiments.items[j])->path,
                               error));
    }
    if (outputs[0] && outputs[1] && strcmp(outputs[0], outputs[1]) == 0 &&
        !output_is_special(outputs[0]))
        return error_set(error, STATUS_USAGE, "%s: named for two outputs, --conf and --report",
                         outputs[0]);
    if (!run->replay.recording && run->hosts.count == 0) {
        /* The cache for binaries is writable, before any measurement. */
        struct arena arena = {0};
        const char *folder = NULL;
        enum status cached = cache_folder(&arena, &folder, error);
        arena_free(&arena);
        TRY(cached);
    }
    temporary_folders_sweep_tmp("replay");
    enum status status = store_open(run->text.database, STORE_CREATE, &store, error);
    if (status == STATUS_OK)
        status = open_prior(run, &prior, error);
    if (status == STATUS_OK)
        status = begin_watch(run, error);
    if (status != STATUS_OK) {
        close_prior(&prior);
        store_close(store);
        return status;
    }
    run->session.stop = run_catch_signals();
    status = run_with_store(run, store, error);
    FAILPOINT("run.written");
    close_prior(&prior);
    store_close(store);
    FAILPOINT("run.closed");
    struct error ignored = {0};
    if (status == STATUS_OK || status == STATUS_NO_WINNER) {
        /* A table would spoil a result that goes to standard output. */
        bool silent = run->text.quiet || (conf_path(run) && output_is_stdout(conf_path(run))) ||
                      (report_path(run) && output_is_stdout(report_path(run)));
        enum status shown =
            silent ? STATUS_OK
                   : show_winners_of(run->text.database, run->session.objective, &ignored);
        if (shown != STATUS_OK && status == STATUS_OK) {
            *error = ignored;
            status = shown;
        }
        /* A run whose page fails still succeeds. */
        struct error report = {0};
        (void)fflush(stdout);
        if (report_path(run) &&
            report_write_of(run->text.database, report_path(run), &report) != STATUS_OK)
            print_clean(stderr, "tune: no report: %s\n", report.text);
    }
    if (status == STATUS_OK && !run->text.quiet)
        print_step(run);
    watch_end(run->watch);
    return status;
}

enum status run_note_command(struct run *run, const struct command *command, int argc, char **argv,
                             struct error *error)
{
    text_append(&run->command, "tune");
    for (int i = strcmp(argv[0], command->name) == 0 ? 0 : 1; i < argc; i++) {
        text_append(&run->command, " ");
        shell_append_word(&run->command, argv[i]);
    }
    run->session.command = text_string(&run->command);
    return run->command.failed ? error_no_memory(error) : STATUS_OK;
}

static enum status run_command(const struct command *command, int argc, char **argv,
                               struct error *error)
{
    struct run *run = calloc(1, sizeof *run);
    TRY_MEMORY(run);
    run->started_ns = clock_running_ns();
    enum status status = run_note_command(run, command, argc, argv, error);
    if (status == STATUS_OK)
        status = run_parse(command, argc, argv, run, error);
    /* A kernel that never writes the outputs would pass as one that does. */
    for (size_t i = 0; status == STATUS_OK && i < run->experiments.count; i++) {
        const struct experiment *experiment = run->experiments.items[i];
        size_t at = 0;
        for (const char *name; (name = experiment_unchecked(experiment, at, &at));)
            print_clean(stderr,
                        "tune: %s: no check names '%s', which kernels write: its contents are "
                        "not verified\n",
                        experiment_head(experiment)->name, name);
    }
    if (status == STATUS_OK)
        status = run->text.dry_run ? run_dry(run, error) : run_it(run, error);
    hosts_close(&run->hosts);
    experiments_free(&run->experiments);
    replay_close(&run->replay);
    text_free(&run->command);
    text_free(&run->binary.path);
    text_free(&run->binary.text);
    free(run);
    return status;
}

const struct command command_run = {
    .name = "run",
    .usage = "[EXPERIMENT...] [options]",
    .about = "Measures, chooses the fastest, writes tuned.conf and a report (the default command).",
    .more = "EXPERIMENT is a shipped experiment (reduce), the beginning of a problem's key "
            "(reduce.max, reduce.sum.f32), or an experiment file: YAML, or T1 in JSON, "
            "the format of Kernel Tuner and KTT. Default: the usual problems of every shipped "
            "experiment for the kind of device.",
    .manual = "Each configuration is compiled, its results are checked, and it is timed alone (the "
              "sweep). The best are timed alternately (the race), "
              "and the best of those again in fresh processes (the confirmation). The winners are "
              "printed as by `tune show`.\n"
              "Ctrl-C ends the run after the trial in flight; the same command resumes it. "
              "Experiments that say `on_request` run only if named.",
    .run = run_command,
};
