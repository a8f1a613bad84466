/* Sessions of a run: one for each kind of device and issue of launches; the end by a signal. */
#include <signal.h>

#include "tuner/base/clock.h"
#include "tuner/cli/run.h"

static volatile sig_atomic_t stop_requested;

/* Handles Ctrl-C: the first ends the run after the trial in flight; a second ends the program at
 * once. */
static void on_signal(int number)
{
    stop_requested = 1;
    (void)signal(number, SIG_DFL);
}

const volatile sig_atomic_t *run_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    struct sigaction hangup; /* a terminal that closes ends the run, unless nohup says otherwise */
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        (void)sigaction(SIGHUP, &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    clock_watch();
    return &stop_requested;
}

/* Returns how an experiment's launches are to be issued, as bits: by --as, else by the file. A
 * replay has the recorded ones. */
static unsigned issues_of(const struct run *run, const struct experiment *experiment)
{
    const unsigned own = run->replay.recording ? 0 : experiment_head(experiment)->issues;
    return run->issues ? run->issues : own ? own : 1u << ISSUE_GRAPH;
}

size_t run_experiments(const struct run *run, const char *kind, enum issue issue,
                       struct session_experiment out[EXPERIMENTS_MAX], unsigned *issues)
{
    size_t kept = 0;
    const size_t count = experiments_of_kind(&run->experiments, kind, out);
    *issues = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned own = issues_of(run, out[i].experiment);
        *issues |= own;
        if (own >> issue & 1)
            out[kept++] = out[i];
    }
    return kept;
}

bool run_is_meant(const struct run *run, const struct device_api *api)
{
    for (size_t i = 0; i < run->device_count; i++)
        if (run->devices[i].api == api)
            return true;
    return false;
}

bool run_turn(const struct run *run, const char *kind, size_t turn, enum issue *issue)
{
    struct session_experiment experiments[EXPERIMENTS_MAX];
    unsigned issues = 0;
    (void)run_experiments(run, kind, ISSUE_GRAPH, experiments, &issues);
    if (issues == 0) /* no experiment of the kind: the first turn says so */
        issues = 1u << ISSUE_GRAPH;
    *issue = (enum issue)turn;
    if (turn == ISSUES && issues & (issues - 1))
        for (*issue = ISSUE_GRAPH; !(issues >> *issue & 1);)
            ++*issue;
    return *issue < ISSUES && (issues >> *issue & 1);
}

int64_t run_sessions_left(const struct run *run, size_t first, size_t turn)
{
    int64_t count = 0;
    enum issue ignored = ISSUE_GRAPH;
    for (size_t kind = first; device_kinds[kind]; kind++, turn = 0)
        for (; run_is_meant(run, device_kinds[kind]) && turn < RUN_TURNS; turn++)
            count += run_turn(run, device_kinds[kind]->kind, turn, &ignored);
    return count;
}
