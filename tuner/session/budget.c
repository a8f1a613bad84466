/* A budget of wall time. When it has ended nothing is begun any more: no problem, no compilation is
 * waited for, no configuration, no process, no look. What is in hand comes to its end, a problem by
 * the shortest race. Until then it is shared out: most to sweeps and races, the rest to the
 * confirmation. What a part does not use goes to those that follow. */
#include "tuner/base/clock.h"
#include "tuner/session/internal.h"

/* Of the budget, for all sweeps and races; where nothing is confirmed, all of it. */
static const double race_share = 0.65;
/* Of what a problem gets, for its sweep; without a confirmation races are short, too. */
static const double sweep_share = 0.6, sweep_share_unconfirmed = 0.85;

int64_t budget_end_ns(const struct session *session)
{
    int64_t budget_ns = session->options->budget_ns;
    return budget_ns > 0 ? session->started_ns + budget_ns : 0;
}

static bool confirms(const struct session *session)
{
    return session->options->protocol.confirm_processes > 0;
}

/* When a problem that starts now should be done, sweep and race. */
static int64_t problem_end_ns(const struct group *group, double share)
{
    const struct session *session = group->session;
    int64_t end_ns = budget_end_ns(session);
    if (end_ns == 0)
        return 0;
    int64_t now_ns = clock_running_ns();
    double races_end_ns =
        (double)session->options->budget_ns * (confirms(session) ? race_share : 1);
    double left_ns = races_end_ns - (double)(now_ns - session->started_ns);
    double problems = group->problems_left > 0 ? (double)group->problems_left : 1;
    return now_ns + (left_ns > 0 ? (int64_t)(left_ns / problems * share) : 1);
}

static double sweep_share_of(const struct session *session)
{
    return confirms(session) ? sweep_share : sweep_share_unconfirmed;
}

void budget_share(struct sweep *sweep)
{
    sweep->deadline_ns = problem_end_ns(sweep->group, sweep_share_of(sweep->group->session));
    sweep->race_end_ns = problem_end_ns(sweep->group, 1);
}

/* What is left of the problem's share; where the sweep took more than its own, a race's all the
 * same. */
int64_t budget_race_end_ns(const struct sweep *sweep)
{
    double share = 1 - sweep_share_of(sweep->group->session);
    int64_t least_ns = problem_end_ns(sweep->group, share);
    return sweep->race_end_ns > least_ns ? sweep->race_end_ns : least_ns;
}

bool budget_ended(const struct session *session)
{
    return budget_over(session, budget_end_ns(session));
}

enum status budget_await(struct group *group, struct binaries *binaries, size_t index,
                         struct error *error)
{
    while (binaries->items[index].state == BINARY_PENDING) {
        if (session_stopped(group->session))
            return session_stop_error(error);
        if (budget_ended(group->session))
            return error_set(error, STATUS_NO_TIME, "the budget is spent");
        enum status status = binaries_collect(binaries, 100, error);
        if (status != STATUS_OK)
            return status;
    }
    return binaries_await(binaries, index, error);
}

bool budget_over(const struct session *session, int64_t end_ns)
{
    if (end_ns == 0 || clock_running_ns() < end_ns)
        return false;
    session->summary->budget_spent = true;
    return true;
}
