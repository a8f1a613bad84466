/* `tune check`: whether the entries of tuned.conf still hold on this machine. */
#include "tuner/cli/check.h"
#include "tuner/terminal/style.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/json.h"
#include "tuner/base/temporary.h"
#include "tuner/device/traits.h"

enum { SCREEN_OFF = 100, SLACK_MAX = 1 };

/* ---- which entries ---- */

static bool is_of_problem(const char *key, const char *beginning)
{
    size_t length = beginning ? strlen(beginning) : 0;
    return !beginning ||
           (strncmp(key, beginning, length) == 0 && (key[length] == '\0' || key[length] == '.'));
}

/* Tells whether the devices match by libtuned's rules: a number that the file leaves out fits any.
 */
static bool is_of_device(const struct tuned_device *device, const struct facts *facts)
{
    char *point = NULL;
    long major = strtol(facts_text(facts, "compute_capability", "0.0"), &point, 10);
    long minor = *point == '.' ? strtol(point + 1, NULL, 10) : 0;
    int64_t units = facts_integer(facts, device_traits(device->kind)->unit_fact, 0);
    return strcmp(device->kind, facts_text(facts, "kind", "")) == 0 &&
           strcmp(device->name, facts_text(facts, "name", "")) == 0 &&
           (device->compute_capability_major == 0 || (device->compute_capability_major == major &&
                                                      device->compute_capability_minor == minor)) &&
           (device->unit_count == 0 || device->unit_count == units);
}

/* Returns how launches were issued when the entry was measured. */
static enum issue issue_of(const struct tuned_entry *entry)
{
    enum l2_mode mode = L2_COLD;
    return l2_mode_parse(tuned_evidence_text(entry, "l2", ""), &mode) ? l2_issue(mode)
                                                                      : ISSUE_GRAPH;
}

static enum status take_entries(struct check *check, struct error *error)
{
    size_t all = tuned_entry_count(check->tuned);
    size_t others = 0;
    check->entry_count = 0;
    check->entries = arena_alloc(&check->arena, all + 1, sizeof *check->entries);
    TRY_MEMORY(check->entries);
    for (size_t i = 0; i < all; i++) {
        const struct tuned_entry *entry = tuned_entry_at(check->tuned, i);
        if (!is_of_problem(tuned_entry_problem(entry), check->problem) ||
            !is_of_device(tuned_entry_device(entry), check->facts) ||
            strcmp(tuned_device_text(entry, "for", ""), "all-other-sizes") == 0)
            continue;
        if (issue_of(entry) != l2_issue(check->run.session.l2_mode))
            others++;
        else
            check->entries[check->entry_count++] =
                (struct check_entry){.entry = entry,
                                     .problem = tuned_entry_problem(entry),
                                     .n = tuned_entry_n(entry),
                                     .time_ns = (double)NAN,
                                     .loss = (double)NAN,
                                     .low = (double)NAN,
                                     .high = (double)NAN,
                                     .delta = (double)NAN};
    }
    if (others > 0 && !check->run.text.quiet)
        print_clean(stderr,
                    "tune: %s %s measured with launches issued otherwise: --as stream, --as eager "
                    "check %s\n",
                    count_text(others, "entry").text, others == 1 ? "was" : "were",
                    others == 1 ? "it" : "them");
    return STATUS_OK;
}

/* ---- measuring ---- */

/* Time left of the budget; 0: no budget, SPENT_NS: spent. */
enum { SPENT_NS = 1 };
static int64_t left_ns_of(const struct check *check)
{
    int64_t left_ns = check->end_ns - clock_running_ns();
    return check->run.budget_ns == 0 ? 0 : left_ns > SPENT_NS ? left_ns : SPENT_NS;
}

/* Measures all entries, or those in doubt. */
static enum status measure(struct check *check, const struct device_api *api, int index,
                           int64_t *environment_id, struct error *error)
{
    struct run *run = &check->run;
    struct session_experiment experiments[EXPERIMENTS_MAX];
    struct session_summary summary;
    struct session_pick *picks = NULL;
    size_t pick_count = 0;
    size_t count = experiments_of_kind(&run->experiments, api->kind, experiments);
    enum status status = check_rivals(check, api->kind, &picks, &pick_count, error);
    *environment_id = 0;
    check->budget_spent = false;
    if (status != STATUS_OK || pick_count == 0)
        return status;
    for (size_t i = 0; i < count; i++)
        experiments[i].wanted = NULL;
    /* A loss that ranges permit does not fail an entry: here this is the tie band. */
    struct protocol *protocol = &run->session.protocol;
    status = run_protocol(run, api->kind, protocol, error);
    if (protocol->delta < protocol->within)
        protocol->delta = protocol->within;
    /* Few race: each stays until there is an interval to tell. */
    for (size_t i = 0; i < PROTOCOL_SCREENS; i++)
        protocol->screen_slower[i] = SCREEN_OFF;
    /* The race must not decide before fresh processes do. */
    if (check->in_doubt_only)
        protocol->race_slack = SLACK_MAX;
    if (status != STATUS_OK)
        return status;
    run->session.device_kind = api->kind;
    run->session.device_indices[0] = index;
    run->session.device_count = 1;
    run->session.compiles_beside_measuring =
        api->compiles_beside_measuring && api->compiles_beside_measuring();
    run->session.budget_ns = left_ns_of(check);
    run->session.picks = picks;
    run->session.pick_count = pick_count;
    progress_begin(&run->view, run->text.quiet, &run->session, NULL);
    struct session_events events = progress_events(&run->view);
    events.winner = NULL; /* tune check chooses no winners */
    status = session_run(check->store, &run->session, experiments, count, &events, &summary, error);
    progress_end(&run->view);
    *environment_id = summary.environment_id;
    check->budget_spent = summary.cut_short != 0;
    if (status == STATUS_NO_WINNER) {
        error_clear(error);
        status = STATUS_OK;
    }
    return status;
}

/* Measures entries again in several fresh processes, when one process spoke against these: a gate
 * must not depend on chance. */
static enum status ask_again(struct check *check, const struct device_api *api, int index,
                             struct error *error)
{
    struct session_options *options = &check->run.session;
    enum effort effort = options->effort;
    int64_t environment_id = 0;
    bool has_doubt = false;
    for (size_t i = 0; i < check->entry_count; i++)
        has_doubt = has_doubt || check->entries[i].in_doubt;
    if (!has_doubt || options->protocol.confirm_processes > 1)
        return STATUS_OK;
    if (left_ns_of(check) == SPENT_NS) {
        check_leave_doubts(check);
        return STATUS_OK;
    }
    check->in_doubt_only = true;
    options->effort = EFFORT_NORMAL;
    enum status status = measure(check, api, index, &environment_id, error);
    if (status == STATUS_OK)
        status = check_judge(check, environment_id, error);
    if (status == STATUS_OK && check->budget_spent)
        check_leave_doubts(check);
    check->in_doubt_only = false;
    options->effort = effort;
    return status;
}

static enum status check_device(struct check *check, const struct host *const *host,
                                const struct device_api *api, int index, struct error *error)
{
    struct facts facts = {0};
    int64_t environment_id = 0;
    check->run.session.hosts = host;
    check->run.session.host_count = host ? 1 : 0;
    const struct host *there = host ? *host : host_local();
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(hosts_describe(there, api->kind, index, check->run.session.stop, &facts, error));
    check->facts = &facts;
    TRY_OR_CLEANUP(take_entries(check, error));
    if (check->entry_count > 0) {
        TRY_OR_CLEANUP(check_find(check, api->kind, error));
        TRY_OR_CLEANUP(measure(check, api, index, &environment_id, error));
        TRY_OR_CLEANUP(check_judge(check, environment_id, error));
        TRY_OR_CLEANUP(ask_again(check, api, index, error));
        check_print(check);
    } else {
        print_clean(stderr, "tune: %s has nothing%s%s for %s\n", check->conf,
                    check->problem ? " of " : "", check->problem ? check->problem : "",
                    facts_text(&facts, "name", "this device"));
    }
cleanup:
    facts_free(&facts);
    check->facts = NULL;
    return status;
}

/* ---- databases of measurements ---- */

/* Opens the database of earlier runs. Without one there are no runners-up, which is reported, but
 * is an error only for a named database. */
static enum status open_known(struct check *check, struct error *error)
{
    if (!check->recorded && !file_exists(DEFAULT_DATABASE)) {
        if (!check->run.text.quiet)
            print_clean(
                stderr,
                "tune: no %s here: entries are compared with baselines only; pass --from FILE to "
                "include runners-up\n",
                DEFAULT_DATABASE);
        return STATUS_OK;
    }
    const char *path = check->recorded ? check->recorded : DEFAULT_DATABASE;
    return replay_open_measured(path, check->replayed, "--replayed takes them all the same",
                                &check->known, error);
}

/* Checks on every reachable host; a host that never comes fails the gate. */
static enum status check_there(struct check *check, const struct run_device *device,
                               struct error *error)
{
    enum status status = STATUS_OK;
    const char *kind = device->api->kind;
    for (size_t i = 0; status == STATUS_OK && i < check->run.hosts.count; i++) {
        const struct host *const *host = &check->run.hosts.items[i];
        int count = 0;
        if (hosts_await_one(*host, check->run.session.stop) != HOST_READY)
            return hosts_gone(*host, "", error);
        status = hosts_count(*host, kind, check->run.session.stop, &count, error);
        for (int index = 0; status == STATUS_OK && index < count; index++)
            if (device->index == RUN_EVERY_DEVICE || device->index == index)
                status = check_device(check, host, device->api, index, error);
        if (status != STATUS_OK)
            (void)error_prefix(error, "%s", (*host)->name);
    }
    return status;
}

static enum status check_devices(struct check *check, struct error *error)
{
    struct temporary folder = {.file = -1};
    const char *path = check->run.text.database;
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(open_known(check, error));
    if (!path) {
        TRY_OR_CLEANUP(temporary_folder_in_tmp("check", &folder, error));
        path = arena_printf(&check->arena, "%s/check.db", folder.path);
        TRY_OR_CLEANUP(path ? STATUS_OK : error_no_memory(error));
    }
    TRY_OR_CLEANUP(store_open(path, STORE_CREATE, &check->store, error));
    check->run.session.stop = run_catch_signals();
    for (size_t i = 0; i < check->run.device_count; i++)
        TRY_OR_CLEANUP(check->run.hosts.count > 0
                           ? check_there(check, &check->run.devices[i], error)
                           : check_device(check, NULL, check->run.devices[i].api,
                                          check->run.devices[i].index, error));
cleanup:
    store_close(check->store);
    store_close(check->known);
    temporary_folder_remove(&folder);
    return status;
}

/* ---- the command ---- */

static enum status conclude(struct check *check, struct error *error)
{
    size_t bad = check->counts[CHECK_BEATEN] + check->counts[CHECK_UNKNOWN];
    TRY_MEMORY(!check->lines.failed);
    if (check->checked == 0)
        return error_set(error, STATUS_NOT_FOUND,
                         "%s: no entry%s%s for the devices of this machine", check->conf,
                         check->problem ? " of " : "", check->problem ? check->problem : "");
    if (check->json)
        printf("[%s\n]\n", text_string(&check->lines));
    else
        print_clean(stdout, "%s", text_string(&check->lines));
    size_t no_time = check->counts[CHECK_NO_TIME];
    if (!check->run.text.quiet)
        print_clean(stderr,
                    "tune: %s: %zu hold, %zu hold but are stale, %zu no longer hold, %zu "
                    "cannot be checked, %zu not checked, out of time\n",
                    count_text(check->checked, "entry").text, check->counts[CHECK_HOLDS],
                    check->counts[CHECK_STALE], check->counts[CHECK_BEATEN],
                    check->counts[CHECK_UNKNOWN], no_time);
    (void)fflush(stdout);
    if (bad == 0 && no_time > 0)
        return error_set(error, STATUS_NOT_CHECKED,
                         "%s: the budget was spent before %zu of %s %s checked: give more "
                         "with --budget, or check fewer with --problem",
                         check->conf, no_time, count_text(check->checked, "entry").text,
                         no_time == 1 ? "was" : "were");
    if (bad == 0)
        return STATUS_OK;
    return error_set(error, STATUS_NOT_HELD, "%s: %zu of %s %s not hold, or cannot be checked",
                     check->conf, bad, count_text(check->checked, "entry").text,
                     bad == 1 ? "does" : "do");
}

static enum status prepare(struct check *check, const char **words, size_t count,
                           struct error *error)
{
    struct run *run = &check->run;
    struct tuned_error refused;
    run->session.seed = 1;
    run->session.objective = "time";
    run->session.database = run->text.database;
    TRY(run_parse_measuring(run, EFFORT_QUICK, error));
    if (run->issues & (run->issues - 1))
        return error_set(error, STATUS_USAGE, "--as %s: write graph, stream or eager",
                         run->text.as);
    for (int i = 0; i < ISSUES; i++)
        if (run->issues >> i & 1)
            run->session.l2_mode = l2_mode_as(L2_COLD, (enum issue)i);
    TRY(run_check_protocol(run, error));
    check->end_ns = clock_running_ns() + run->budget_ns;
    /* Take the words: tuned.conf, and experiment files outside of the data folder. */
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (text_ends_with(words[i], ".yaml") || text_ends_with(words[i], ".json")) {
            words[kept++] = words[i];
            continue;
        }
        if (check->conf)
            return error_set(error, STATUS_USAGE, "one tuned.conf at a time: '%s' or '%s'",
                             check->conf, words[i]);
        check->conf = words[i];
    }
    check->conf = check->conf ? check->conf : DEFAULT_CONF;
    TRY(kept > 0 ? experiments_load(words, kept, &check->run.experiments, error) : STATUS_OK);
    check->tuned = tuned_load(check->conf, &refused);
    if (!check->tuned)
        return error_set(error, STATUS_BAD_INPUT, "%s", refused.text);
    return run_parse_devices(run, error);
}

static enum status run_check(const struct command *command, int argc, char **argv,
                             struct error *error)
{
    const char *words[EXPERIMENTS_MAX];
    size_t count = 0;
    struct check *check = calloc(1, sizeof *check);
    TRY_MEMORY(check);
    const struct option_spec options[] = {
        OPTION_SHORT(
            'd', "device", "LIST", &check->run.text.device,
            "devices: 0, cuda:1, 0,1, all (every GPU) or cpu (default: every GPU, else the CPU)"),
        HOST_OPTIONS(&check->run.hosts),
        OPTION_TEXT("problem", "KEY", &check->problem,
                    "only these problems: reduce, reduce.sum, reduce.sum.i32"),
        OPTION_TEXT("as", "ISSUE", &check->run.text.as,
                    "entries for launches issued so: graph (default), stream or eager, as in `tune "
                    "run`"),
        OPTION_TEXT("effort", "LEVEL", &check->run.text.effort,
                    "quick (default), normal or thorough"),
        OPTION_TEXT(
            "budget", "TIME", &check->run.text.budget,
            "time limit: 90s, 30m (default: none); unchecked entries are listed, with exit code 8"),
        OPTION_TEXT("from", "FILE", &check->recorded,
                    "database with the runners-up of each entry, only read (default: `tune.db` if "
                    "present)"),
        OPTION_TEXT("db", "FILE", &check->run.text.database,
                    "keep the measurements in this database (default: discard them)"),
        OPTION_LIST(0, "set", "NAME=VALUE", &check->run.text.set,
                    "set a protocol number, as in `tune run`"),
        OPTION_FLAG("replayed", &check->replayed,
                    "accept replayed numbers in the database of --from"),
        OPTION_FLAG("json", &check->json, "print JSON"),
        OPTION_SHORT_FLAG('q', "quiet", &check->run.text.quiet, "print no progress and no summary"),
    };
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(options_parse(command, options, COUNT(options), argc, argv, words,
                                 EXPERIMENTS_MAX, &count, error));
    TRY_OR_CLEANUP(run_note_command(&check->run, command, argc, argv, error));
    TRY_OR_CLEANUP(prepare(check, words, count, error));
    TRY_OR_CLEANUP(check_devices(check, error));
    TRY_OR_CLEANUP(conclude(check, error));
cleanup:
    hosts_close(&check->run.hosts);
    experiments_free(&check->run.experiments);
    tuned_free(check->tuned);
    text_free(&check->lines);
    text_free(&check->run.command);
    arena_free(&check->arena);
    free(check);
    return status;
}

const struct command command_check = {
    .name = "check",
    .usage = "[TUNED_CONF] [EXPERIMENT.yaml...] [options]",
    .about = "Measures whether the entries of tuned.conf still hold on this machine.",
    .more = "Times each entry against the baselines and the runners-up of earlier runs. tuned.conf "
            "is not changed. "
            "Exit code 0: all hold; 7: one does not hold or cannot be checked; 8: none failed, but "
            "the budget ran out. "
            "Shipped experiments are found by name; name the files of others.",
    .manual =
        "An entry holds unless it is shown to lose more to the fastest of these than a range's "
        "configuration may (the number `within` of `tune run --list-protocol`). "
        "It is stale if it holds but was measured with other sources, flags, driver or compiler. "
        "It no longer holds if something is shown to be faster or its result is wrong. "
        "It cannot be checked if the experiment, size or configuration is gone, or the machine is "
        "too unsteady. "
        "Doubtful entries are measured again in several fresh processes.",
    .run = run_check,
};
