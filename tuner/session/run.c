#include "tuner/session/run.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/clock.h"
#include "tuner/base/files.h"

enum {
    TIMEOUT_FLOOR_MS = 5000,
    TIMEOUT_FIRST_MS = 15000, /* includes uploads of inputs and the first use of the device */
    TIMEOUT_FACTOR = 50,
    TIMEOUT_FLOOR_MIN_MS = 100,
    PAUSE_US = 100000,
};
static const int64_t report_every_ns = INT64_C(60000000000);

bool session_stopped(const struct session *session)
{
    return session->options->stop && *session->options->stop;
}

enum status session_stop_error(struct error *error)
{
    return error_set(error, STATUS_INTERRUPTED,
                     "stopped; all measurements are kept: run again to continue");
}

void session_note(const struct session *session, const char *format, ...)
{
    char line[ERROR_TEXT_BYTES];
    va_list arguments;
    if (!session->events->note)
        return;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    session->events->note(session->events->context, line);
}

void problem_note(const struct session *session, const struct problem *problem, const char *format,
                  ...)
{
    char line[ERROR_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    session_note(session, "%s: %s", problem_name(problem->key, problem->n).text, line);
}

void sites_report(struct session *session, bool now)
{
    const int64_t now_ns = clock_running_ns();
    if (session->hosts_reported_ns == 0)
        session->hosts_reported_ns = session->started_ns;
    if (session->options->host_count == 0 || !session->events->host ||
        (!now && now_ns - session->hosts_reported_ns < report_every_ns))
        return;
    session->hosts_reported_ns = now_ns;
    for (size_t i = 0; i < session->site_count; i++) {
        const struct site *site = &session->sites[i];
        size_t there = 0, trials = 0;
        int64_t measuring_ns = 0;
        char line[256];
        for (size_t j = 0; j < site->lane_count; j++) {
            there += site->lanes[j]->lost ? 0 : 1;
            trials += site->lanes[j]->trials;
            measuring_ns += site->lanes[j]->measuring_ns;
        }
        if (there == 0 && trials == 0)
            continue;
        const double all_ns = (double)(now_ns - session->started_ns) * (double)site->lane_count;
        (void)string_format(line, sizeof line, "%s: %zu of %s, %s, %.0f %% of the time measuring",
                            site->name, there, count_text(site->lane_count, "device").text,
                            count_text(trials, "trial").text,
                            all_ns > 0 ? 100 * (double)measuring_ns / all_ns : 0.0);
        session->events->host(session->events->context, line);
    }
}

void session_progress(struct group *group, const char *phase)
{
    struct session *session = group->session;
    session->progress.phase = phase;
    session->progress.measured |= strcmp(phase, "compile") != 0;
    session->progress.problem_key = group->position.problem_key;
    session->progress.n = group->position.n;
    session->progress.strategy = group->position.strategy;
    session->progress.best_ns = group->position.best_ns;
    session->progress.best_key = group->position.best_key;
    session->progress.rounds = group->position.rounds;
    session->progress.dropped = group->position.dropped;
    if (session->events->progress)
        session->events->progress(session->events->context, &session->progress);
    sites_report(session, false);
}

/* Returns the stage's share of the time since the clock was last read. */
static int64_t share_since_ns(const struct stage_clock *clock, enum session_stage stage,
                              int64_t now_ns)
{
    size_t lanes = 0;
    for (size_t i = 0; i < SESSION_STAGES; i++)
        lanes += clock->lanes[i];
    if (clock->since_ns == 0 || (lanes == 0 && clock->stage != stage))
        return 0;
    return lanes == 0 ? now_ns - clock->since_ns
                      : (now_ns - clock->since_ns) * (int64_t)clock->lanes[stage] / (int64_t)lanes;
}

static void look_at_clock(struct stage_clock *clock)
{
    int64_t now_ns = clock_budget_ns();
    for (size_t i = 0; i < SESSION_STAGES; i++)
        clock->spent_ns[i] += share_since_ns(clock, (enum session_stage)i, now_ns);
    clock->since_ns = now_ns;
}

enum session_stage stage_enter(struct group *group, enum session_stage stage)
{
    enum session_stage before = group->clock.stage;
    look_at_clock(&group->clock);
    group->clock.stage = stage;
    return before;
}

void lane_begin_stages(struct group *group, struct lane *lane)
{
    look_at_clock(&group->clock);
    lane->stage = group->clock.stage;
    group->clock.lanes[lane->stage]++;
}

void lane_end_stages(struct group *group, const struct lane *lane)
{
    look_at_clock(&group->clock);
    group->clock.lanes[lane->stage]--;
}

enum session_stage lane_enter_stage(struct lane *lane, enum session_stage stage)
{
    struct stage_clock *clock = &lane->group->clock;
    enum session_stage before = lane->stage;
    look_at_clock(clock);
    clock->lanes[before]--;
    clock->lanes[stage]++;
    lane->stage = stage;
    return before;
}

int64_t stage_ns(const struct group *group, enum session_stage stage)
{
    return group->clock.spent_ns[stage] + share_since_ns(&group->clock, stage, clock_budget_ns());
}

int64_t lane_leave(struct lane *lane)
{
    (void)pthread_mutex_unlock(&lane->site->session->mutex);
    return clock_now_ns();
}

void lane_enter(struct lane *lane, int64_t left_ns, int64_t *spent_ns)
{
    int64_t now_ns = clock_now_ns();
    (void)pthread_mutex_lock(&lane->site->session->mutex);
    *spent_ns += now_ns - left_ns;
    const char *remark = worker_head(lane->worker)->remark + lane->remark_noted_bytes;
    if (*remark)
        session_note(lane->site->session, "%s: %s", lane->name,
                     remark + (lane->remark_noted_bytes > 0 ? strlen("; ") : 0));
    lane->remark_noted_bytes += strlen(remark);
}

enum status lane_lose(struct lane *lane, const struct error *error)
{
    if (error->status == STATUS_BAD_INPUT || error->status == STATUS_NO_TIME)
        return error->status;
    lane->lost = true;
    lane->error = *error;
    lane->may_return = lane->site->host->view && (worker_head(lane->worker)->host_was_lost ||
                                                  host_state(lane->site->host) != HOST_READY);
    session_note(lane->site->session, "%s is lost: %s%s", lane->name, error->text,
                 lane->may_return ? "; its host is requested again" : "");
    return error->status;
}

enum status lane_probe_after(struct lane *lane, const struct worker_outcome *outcome,
                             struct error *error)
{
    if (outcome->status != TRIAL_CRASHED && outcome->status != TRIAL_TIMED_OUT)
        return STATUS_OK;
    int64_t left_ns = lane_leave(lane);
    enum status status = worker_probe(lane->worker, error);
    lane_enter(lane, left_ns, &lane->measuring_ns);
    return status == STATUS_OK ? STATUS_OK : lane_lose(lane, error);
}

/* Reads TUNE_TRIAL_TIMEOUT_MS and TUNE_WATCH_MS. */
enum status session_read_environment(struct session *session, struct error *error)
{
    TRY(environment_integer("TUNE_WATCH_MS", 5, WATCH_MOST_MS, WATCH_MOST_MS, &session->watch_ms,
                            error));
    return environment_integer("TUNE_TRIAL_TIMEOUT_MS", TIMEOUT_FLOOR_MIN_MS, INT32_MAX, 0,
                               &session->timeout_floor_ms, error);
}

int64_t session_first_timeout_ms(const struct session *session)
{
    return session->timeout_floor_ms > 0 ? session->timeout_floor_ms : TIMEOUT_FIRST_MS;
}

int64_t lane_timeout_ms(struct lane *lane, double best_ns, uint32_t blocks, bool first)
{
    first = first || !(best_ns > 0) || lane->restarts_seen != worker_head(lane->worker)->restarts;
    lane->restarts_seen = worker_head(lane->worker)->restarts;
    int64_t given_ms = lane->site->session->timeout_floor_ms;
    int64_t floor_ms = given_ms > 0 ? given_ms : TIMEOUT_FLOOR_MS;
    if (first)
        return session_first_timeout_ms(lane->site->session);
    int64_t limit_ms = (int64_t)(TIMEOUT_FACTOR * best_ns * (double)(blocks + 4) * 1e-6);
    return limit_ms > floor_ms ? limit_ms : floor_ms;
}

struct lane *group_lane(const struct group *group)
{
    for (size_t i = 0; i < group->lane_count; i++)
        if (!group->lanes[i]->lost)
            return group->lanes[i];
    return NULL;
}

void session_pause(struct session *session)
{
    (void)pthread_mutex_unlock(&session->mutex);
    (void)usleep(PAUSE_US);
    (void)pthread_mutex_lock(&session->mutex);
}

size_t group_width(const struct group *group)
{
    size_t count = 0;
    for (size_t i = 0; i < group->lane_count; i++)
        count += group->lanes[i]->lost ? 0 : 1;
    return count > 0 ? count : 1;
}

void group_wake(struct group *group)
{
    const uint64_t one = 1;
    if (group->lane_count > 1 && group->wake_file >= 0)
        (void)!write(group->wake_file, &one, sizeof one);
}

enum status group_await_compilers(struct group *group, struct binaries *binaries, int64_t wait_ms,
                                  struct error *error)
{
    struct pollfd files[COMPILERS_MAX + 1];
    uint64_t wakes = 0;
    size_t ended = binaries->ended;
    enum status status = binaries_collect(binaries, 0, error);
    if (status != STATUS_OK || binaries->ended != ended)
        return status;
    size_t count = compile_pool_files(binaries->pool, files, COMPILERS_MAX);
    files[count++] = (struct pollfd){.fd = group->wake_file, .events = POLLIN};
    (void)pthread_mutex_unlock(&group->session->mutex);
    int ready = poll(files, count, (int)wait_ms);
    if (ready > 0 && files[count - 1].revents)
        (void)!read(group->wake_file, &wakes, sizeof wakes);
    (void)pthread_mutex_lock(&group->session->mutex);
    status = binaries_collect(binaries, 0, error);
    if (binaries->ended != ended)
        group_wake(group);
    return status;
}
