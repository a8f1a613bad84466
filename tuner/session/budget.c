/* A budget of wall time, shared out evenly over the remaining problems: time that a problem saves
 * or overdraws is shared by all that follow. Parts that cannot be shortened (a set-up of a problem,
 * checks of finalists, a confirming process, a look) are expected to take as long as before, and
 * begin only if that leaves them time to end. After the end of the budget no part begins and no
 * compilation is awaited; running parts finish, and a problem finishes by the shortest race.
 * Devices of a group that work side by side each cost their share of the elapsed time: with four of
 * them the race of a problem may last four times as long. */
#include "tuner/session/budget.h"

#include <math.h>

#include "tuner/base/clock.h"
#include "tuner/session/run.h"

/* Least share of the budget for all sweeps and races with set-ups and checks, and their share if
 * the work would take nearly all of the budget. Without a confirmation their share is the whole
 * budget. */
static const double race_share = 0.65, race_share_most = 0.9;
/* Factor by which the confirmation may exceed its expected time, and share for looks at sizes. */
static const double confirm_margin = 1.25, look_share = 0.03;
/* Share for looks at problems with several names of sizes: each winner at the sizes where others
 * won. */
static const double look_share_of_boxes = 0.2;
/* Cost of a problem's inputs and references in a fresh process, as a share of the first time:
 * compilers are idle by then, and the references' results are in the cache. */
static const double again_share = 0.5;
/* Share of a problem's time for its sweep; longer without a confirmation, since races are short
 * then. */
static const double sweep_share = 0.6, sweep_share_unconfirmed = 0.85;
/* If the sweep's share covers less than `few_points` of the points, the sweep gets
 * `sweep_share_of_many`, and time is reserved for `processes_of_many` confirming processes only,
 * for none if even then the run tries no more than a handful; the others run if time is left. */
static const double few_points = 0.25, sweep_share_of_many = 0.88;
static const double processes_of_many = 3, handful = 16;
/* Reserve for tuned.conf, the tables and the page. */
static const double end_share = 0.02, end_most_ns = 2e9;
/* Allowed excess over the budget: the larger of the two. */
static const double over_share = 0.1, over_least_ns = 2e9;
/* Reserve before the end of a batch job, for the same and for running parts. */
static const double before_job_end_ns = 10e9;
/* Expected time of checks before the first ones: a factor of the set-up of inputs and references,
 * plus a constant; and the largest correction of that guess. */
static const double checks_per_setup = 2.5, check_least_ns = 0.3e9, check_scale_most = 10;
/* Expected time of unmeasured ceilings in starts of a worker. Above this share of the budget,
 * problems are measured first. */
static const double ceilings_starts = 3, ceilings_share = 0.05;
/* Least expected time of a trial before TRIALS_TO_KNOW trials. */
static const double budget_trial_ns = 25e6;
/* Factor by which a compilation may exceed the mean. */
static const double compile_margin = 1.25;
static const double ms_ns = 1e6;
/* Cost of a visit beside its blocks: messages, uploads, a flush. */
static const double around_visit_ns = 5e5;
/* Expected length of an energy window before the first ones, as a factor of the requested length:
 * a window ends at a step of the counter. */
static const double window_excess = 1.2;
/* Least share of a problem's time for its sweep where a race by energy takes the rest. */
static const double sweep_share_of_energy = 0.25;
enum {
    ENTRANTS_MIN = 4,
    FEW_RUNS = 4,
    ROUNDS_OF_A_RACE = 8,
    ENERGY_ROUNDS_MIN = 2,
    COMPILERS_MOST = 64
};
enum {
    TRIALS_TO_KNOW = 30,
    CONFIRMED_MIN = 2,
    FINALISTS_MIN = 2,
    WATCH_MIN_MS = 20,
    WATCH_SHARE = 10
};

/* Returns the problems' part of the user's budget. */
static double own_ns(const struct session *session)
{
    const double budget_ns = (double)session->options->budget_ns;
    return budget_ns - fmin(budget_ns * end_share, end_most_ns);
}

int64_t budget_end_ns(const struct session *session)
{
    /* The end of the last batch job of the hosts, since awaited hosts may bring later ones. A host
     * without an end, or a replay, which spends no job's time: INT64_MAX. */
    int64_t last_ns = 0;
    for (size_t i = 0; !session->options->recording_charges && i < session->site_count; i++) {
        const struct host *host = session->sites[i].host;
        const int64_t end_ns = host_state(host) == HOST_READY ? host_end_ns(host) : 0;
        last_ns = end_ns > last_ns ? end_ns : last_ns;
    }
    const int64_t job_end_ns =
        last_ns > 0 && last_ns != INT64_MAX ? last_ns - (int64_t)before_job_end_ns : INT64_MAX;
    const int64_t own_end_ns = session->started_ns + (int64_t)own_ns(session);
    if (session->options->budget_ns > 0 && own_end_ns < job_end_ns)
        return own_end_ns;
    return job_end_ns == INT64_MAX ? 0 : job_end_ns;
}

int64_t budget_last_ns(const struct session *session)
{
    const double budget_ns = (double)session->options->budget_ns;
    return budget_ns > 0
               ? session->started_ns +
                     (int64_t)(own_ns(session) + fmax(budget_ns * over_share, over_least_ns))
               : 0;
}

/* Returns the number of devices that work side by side, each on its own problem. */
static double parallelism(const struct group *group)
{
    return group->parallel_lanes > 0 ? (double)group->parallel_lanes : 1;
}

static bool confirms(const struct session *session)
{
    return session->options->protocol.confirm_processes > 0;
}

/* Returns the time that the finalists' checks of all problems took. */
static double checks_ns(const struct group *group)
{
    return (double)(stage_ns(group, STAGE_CHECK) + stage_ns(group, STAGE_WATCH));
}

/* Returns the mean time of the checks that a problem's answer needs, after the first problem. */
static double needed_checks_ns(const struct group *group)
{
    return (double)(group->costs.own_checks_ns + stage_ns(group, STAGE_WATCH)) /
           (double)group->costs.problems;
}

static double guess_checks_ns(const struct allowance *allowance)
{
    return checks_per_setup * (double)allowance->setup_ns + check_least_ns;
}

/* Returns the expected time of this problem's checks: the mean of earlier ones, scaled by the size
 * of the inputs. */
static double expected_checks_ns(const struct group *group, const struct allowance *allowance)
{
    double guessed_ns = group->costs.checks_guessed_ns;
    double scale = guessed_ns > 0 ? checks_ns(group) / guessed_ns : 1;
    scale = scale > check_scale_most ? check_scale_most : scale;
    return scale * guess_checks_ns(allowance);
}

/* Returns a problem's mean time beside its sweep and race, over `set_up` problems; 0 before the
 * first one. */
static double fixed_ns(const struct group *group, size_t set_up)
{
    size_t raced = group->costs.problems;
    if (raced == 0)
        return 0;
    return (double)stage_ns(group, STAGE_SET_UP) / (double)set_up +
           checks_ns(group) / (double)raced;
}

/* Returns the time of a compilation: the mean of ended ones, or of those under way if they take
 * longer. 0: not known. */
static double compile_ns(const struct group *group)
{
    const struct binaries *binaries = &group->binaries;
    int64_t ages_ns[COMPILERS_MOST];
    double sum_ns = 0;
    if (group->session->options->recording) /* its clock is none of the compilers' */
        return 0;
    const size_t count = compile_pool_ages(binaries->pool, ages_ns, COMPILERS_MOST);
    for (size_t i = 0; i < count; i++)
        sum_ns += (double)ages_ns[i];
    return fmax(binaries->compiled > 0 ? binaries->compile_ns / (double)binaries->compiled : 0,
                count > 0 ? sum_ns / (double)count : 0);
}

/* Returns the expected time of a trial. The first ones and their compilers tell the least; all of a
 * sweep's time counts once many are known. */
static double trial_ns(const struct group *group)
{
    const struct costs *costs = &group->costs;
    const struct binaries *binaries = &group->binaries;
    const double trials = (double)costs->trials;
    const double swept_ns = (double)stage_ns(group, STAGE_SWEEP);
    if (costs->trials >= TRIALS_TO_KNOW && swept_ns > 0)
        return swept_ns / trials;
    const double timing_ns =
        trials > 0 ? costs->trials_ns / trials / (double)group_width(group) : 0;
    /* Some trials need no compilation: configurations share binaries, others are in the cache. */
    const double compiled = trials > 0 ? fmin((double)binaries->compiled / trials, 1) : 1;
    const double compiling_ns = compiled * compile_ns(group) / fmax((double)binaries->workers, 1);
    return fmax(budget_trial_ns, group->session->options->compiles_beside_measuring
                                     ? fmax(timing_ns, compiling_ns)
                                     : timing_ns + compiling_ns);
}

/* Returns the number of trials in a sweep of `sweep_ns`. */
static double trials_in(const struct group *group, double sweep_ns)
{
    return sweep_ns / trial_ns(group);
}

/* Returns whether a problem with `share_ns` tries few of its points. */
static bool tries_few(const struct group *group, const struct allowance *allowance, double share_ns)
{
    return trials_in(group, sweep_share * share_ns) < few_points * (double)allowance->points_most;
}

/* Returns the expected time of a visit that measures energy. */
static double energy_visit_ns(const struct group *group)
{
    const double known_ns = (double)group->costs.energy_visit_ns;
    return known_ns > 0
               ? known_ns
               : window_excess * ms_ns * group->session->options->protocol.energy_window_ms;
}

/* Returns the time of the shortest race that compares energies, as part of a problem's share:
 * devices race side by side. */
static double energy_race_ns(const struct group *group, const struct allowance *allowance)
{
    const double visits = ENTRANTS_MIN + 1 + (double)allowance->baselines; /* 1: the twin's */
    const double side_by_side =
        fmin((double)group_width(group), fmax((double)group->problems_left, 1));
    return ENERGY_ROUNDS_MIN * visits * energy_visit_ns(group) / side_by_side;
}

/* Returns the sweep's share of a problem's time. A race by energy takes seconds, whatever the
 * sweep tried. */
static double sweep_share_of(const struct group *group, const struct allowance *allowance)
{
    const double share_ns = (double)allowance->share_ns;
    const double share = !confirms(group->session) ? sweep_share_unconfirmed
                         : allowance->tries_few    ? sweep_share_of_many
                                                   : sweep_share;
    if (!group->session->needs_energy)
        return share;
    const double rest = 1 - energy_race_ns(group, allowance) / share_ns;
    return fmin(share, fmax(rest, sweep_share_of_energy));
}

double budget_needed_ns(const struct group *group, const struct allowance *allowance)
{
    if (budget_end_ns(group->session) == 0 || !group->session->needs_energy)
        return 0;
    const double share_ns = energy_race_ns(group, allowance) / (1 - sweep_share_of_energy);
    const double needed_ns = (double)(clock_budget_ns() - group->session->started_ns) +
                             share_ns * (double)group->problems_left / race_share_most;
    const double given_ns = (double)(budget_end_ns(group->session) - group->session->started_ns);
    return needed_ns > given_ns ? needed_ns : 0;
}

/* Estimates the confirmation of a problem that has not raced yet. */
static double guess_confirm_ns(const struct group *group, const struct allowance *allowance)
{
    const struct protocol *protocol = &group->session->options->protocol;
    const double visits = (double)(protocol->finalists + 1);
    if (group->session->needs_energy)
        return again_share * (double)allowance->setup_ns + visits * energy_visit_ns(group);
    double block_ns =
        allowance->run_ns > protocol->block_ns ? allowance->run_ns : protocol->block_ns;
    double visit_ns = around_visit_ns + (double)protocol->visit_blocks * block_ns;
    return again_share * (double)allowance->setup_ns +
           visit_ns * visits * (double)(protocol->confirm_rounds + protocol->state_rounds);
}

/* Returns the time reserved for the stages after the races: at most the part of the budget beyond
 * `share`, or the expected time of the confirmation by `most` processes if that is less. */
static double kept_ns(const struct group *group, const struct allowance *allowance, double share,
                      double most)
{
    const struct session *session = group->session;
    double whole_ns = (double)(budget_end_ns(session) - session->started_ns);
    double most_ns = (1 - share) * whole_ns;
    const bool looks = session->options->protocol.look_between > 0 && group->spaces.count > 1;
    const char *names[SIZE_NAMES_MAX];
    size_t first = 0;
    bool boxes = false; /* some problem's size has several names */
    for (size_t i = 0; looks && i < session->experiment_count; i++)
        boxes |= experiment_size_names(session->experiments[i].experiment, names, &first) > 0;
    const double looks_ns = boxes   ? look_share_of_boxes * whole_ns
                            : looks ? look_share * whole_ns
                                    : 0;
    if (!confirms(session))
        return boxes ? looks_ns : 0;
    const double all = (double)session->options->protocol.confirm_processes;
    const double processes = fmin(all, most);
    if (processes == 0)
        return fmin(looks_ns, most_ns);
    /* The upper estimate of the confirmation, with problems that have not raced yet. */
    const struct costs *costs = &group->costs;
    const double each_ns = costs->contests > 0 ? costs->confirm_ns / (double)costs->contests
                                               : guess_confirm_ns(group, allowance);
    const double contests = (double)(costs->contests + group->problems_left);
    const double width = fmin((double)group_width(group), fmax(contests, 1));
    const double process = (double)costs->fresh_ns +
                           (costs->confirm_ns + each_ns * (double)group->problems_left) / width;
    const double expected_ns = confirm_margin * processes * process -
                               fmin(processes, WORKER_SPARES) * (double)costs->spared_ns + looks_ns;
    return costs->fresh_ns > 0 && expected_ns < most_ns ? expected_ns : most_ns;
}

/* Returns the time for each problem's sweep and race from begun_ns on. This problem needs own_ns
 * besides, each other one others_ns; `kept` is reserved for later stages. */
static double even_ns(const struct group *group, int64_t begun_ns, double kept, double own_ns,
                      double others_ns)
{
    /* Problems left to race; a swept one has no sweep left. */
    double problems = group->problems_left > 0
                          ? (double)group->problems_left - sweep_share * (double)group->swept_count
                          : 1;
    double left_ns = (double)(budget_end_ns(group->session) - begun_ns) - kept;
    return (left_ns - own_ns - (problems - 1) * others_ns) / problems;
}

/* Shares out the time. If set-ups and checks leave little, problems take precedence over their
 * confirmation, and each problem, even the last, gets some time: more where checks do not fit in
 * any case, since a few more candidates are worth more than checks of one. */
static void share_out(const struct group *group, struct allowance *allowance, double own_ns,
                      double others_ns)
{
    const int64_t begun_ns = allowance->begun_ns;
    double kept = kept_ns(group, allowance, race_share, INFINITY);
    double kept_least = kept_ns(group, allowance, race_share_most, INFINITY);
    double even = even_ns(group, begun_ns, kept, own_ns, others_ns);
    if (tries_few(group, allowance, even)) {
        kept = kept_ns(group, allowance, race_share, processes_of_many);
        even = even_ns(group, begun_ns, kept, own_ns, others_ns);
        const double problems = fmax((double)group->problems_left, 1);
        const double trials = fmax(trials_in(group, sweep_share_of_many * even), 1);
        if ((double)group->costs.trials + problems * trials < handful) {
            kept = kept_least = kept_ns(group, allowance, race_share, 0);
            even = even_ns(group, begun_ns, kept, own_ns, others_ns);
        }
    }
    double more = even_ns(group, begun_ns, kept_least, own_ns, others_ns);
    if (even < others_ns / 2)
        even = more < others_ns / 2 ? more : others_ns / 2;
    const double least = even_ns(group, begun_ns, kept_least, 0, 0) / (even > 0 ? 10 : 3);
    even = even > least ? even : least;
    allowance->share_ns = even > 1 ? (int64_t)even : 1;
}

static void set_ends(const struct group *group, struct allowance *allowance, double set_up_ns)
{
    int64_t now_ns = allowance->begun_ns + (int64_t)set_up_ns;
    const double share_ns = (double)allowance->share_ns;
    allowance->tries_few = tries_few(group, allowance, share_ns);
    allowance->sweep_share = sweep_share_of(group, allowance);
    allowance->sweep_end_ns = now_ns + 1 + (int64_t)(share_ns * allowance->sweep_share);
    allowance->race_end_ns = now_ns + 1 + allowance->share_ns;
}

void budget_share(const struct group *group, struct allowance *allowance)
{
    if (budget_end_ns(group->session) == 0)
        return;
    double fixed = fixed_ns(group, group->costs.problems);
    allowance->begun_ns = clock_budget_ns();
    share_out(group, allowance, fixed, fixed);
    set_ends(group, allowance, fixed);
}

/* Computes the share as of the end of the set-up, with all that is known by now. */
static void share_again(const struct group *group, struct allowance *allowance)
{
    const size_t raced = group->costs.problems;
    const double own_ns = expected_checks_ns(group, allowance);
    share_out(group, allowance, own_ns,
              raced > 0 ? fixed_ns(group, raced + 1)
                        : own_ns + (double)stage_ns(group, STAGE_SET_UP));
    set_ends(group, allowance, 0);
}

void budget_begin_sweep(const struct group *group, struct allowance *allowance)
{
    allowance->begun_ns = clock_budget_ns();
    if (budget_end_ns(group->session) != 0)
        share_again(group, allowance);
}

void budget_learn(const struct group *group, struct allowance *allowance)
{
    if (budget_end_ns(group->session) != 0 && group->costs.trials < TRIALS_TO_KNOW)
        share_again(group, allowance);
}

size_t budget_batch(const struct group *group, const struct allowance *allowance, size_t most)
{
    const size_t workers = group->binaries.workers > 0 ? group->binaries.workers : 1;
    const double each_ns = compile_ns(group);
    const double left_ns = (double)(allowance->sweep_end_ns - clock_budget_ns());
    if (budget_end_ns(group->session) == 0)
        return most;
    if (group->session->options->compiles_beside_measuring)
        return (size_t)fmin((double)most, (double)workers + trials_in(group, fmax(left_ns, 0)));
    /* The first batch is as quick as possible, later ones take half of the time. */
    const double waves = each_ns > 0 ? floor(fmax(left_ns, 0) / 2 / each_ns) : 0;
    return (size_t)fmin((double)most, fmax(waves, 1) * (double)workers);
}

bool budget_awaits_compilers(const struct group *group, const struct allowance *allowance)
{
    const struct binaries *binaries = &group->binaries;
    const int64_t now_ns = clock_budget_ns();
    const int64_t end_ns = allowance->sweep_end_ns;
    const double left_ns = 0.5 * (double)(allowance->race_end_ns + end_ns) - (double)now_ns;
    const double late_ns = (double)(now_ns - end_ns); /* negative: not over yet */
    const double least_ns = (double)binaries->least_compile_ns;
    int64_t ages_ns[COMPILERS_MOST];
    const size_t count = compile_pool_ages(binaries->pool, ages_ns, COMPILERS_MOST);
    if (group->problems_left > 1) /* binaries that come later serve later problems */
        return late_ns < 0;
    /* Where most trials need no compilation, the next point may be there at once. */
    if (late_ns < 0 && (2 * binaries->compiled < group->costs.trials ||
                        (count < binaries->workers && least_ns <= left_ns)))
        return true;
    const double usual_ns = late_ns < 0 ? least_ns : compile_margin * compile_ns(group);
    for (size_t i = 0; i < count; i++) {
        const double age_ns = (double)ages_ns[i], due_ns = usual_ns - age_ns;
        if (due_ns <= left_ns && (late_ns < 0 || (due_ns > 0 && age_ns >= late_ns)))
            return true;
    }
    return false;
}

uint64_t budget_trials(const struct group *group, const struct allowance *allowance)
{
    if (budget_end_ns(group->session) == 0)
        return UINT64_MAX;
    const double sweep_ns = allowance->sweep_share * (double)allowance->share_ns;
    return 1 + (uint64_t)trials_in(group, sweep_ns);
}

/* Returns the rest of the problem's share; at least a race's share if the sweep overran, or if
 * others race beside it. */
int64_t budget_race_end_ns(const struct group *group, const struct allowance *allowance)
{
    const struct session *session = group->session;
    if (budget_end_ns(session) == 0)
        return 0;
    int64_t least_ns =
        clock_budget_ns() + 1 +
        (int64_t)(parallelism(group) * (double)allowance->share_ns * (1 - allowance->sweep_share));
    return allowance->race_end_ns > least_ns ? allowance->race_end_ns : least_ns;
}

void budget_end_problem(struct group *group, const struct allowance *allowance, bool checked)
{
    struct costs *costs = &group->costs;
    costs->problems++;
    costs->checks_guessed_ns += checked ? guess_checks_ns(allowance) : 0;
}

bool budget_ended(const struct session *session, enum session_stage stage)
{
    return budget_over(session, stage, budget_end_ns(session));
}

bool budget_fits(const struct group *group, enum session_stage stage, double cost_ns)
{
    int64_t end_ns = budget_end_ns(group->session);
    return end_ns == 0 || !budget_over(group->session, stage, end_ns - (int64_t)cost_ns);
}

double budget_start_ns(const struct lane *lane)
{
    const struct costs *costs = &lane->group->costs;
    const int64_t age_ns = worker_spare_age_ns(lane->worker);
    return (double)(costs->fresh_ns - (age_ns < costs->spared_ns ? age_ns : costs->spared_ns));
}

int64_t budget_checks_end_ns(const struct group *group, const struct allowance *allowance,
                             double process_ns, int64_t *watch_at_ns)
{
    const struct costs *costs = &group->costs;
    const int64_t end_ns = *watch_at_ns = budget_end_ns(group->session);
    const int64_t now_ns = clock_budget_ns();
    if (end_ns <= now_ns)
        return end_ns;
    const double problems = fmax((double)group->problems_left / parallelism(group), 1);
    const double even_ns = (double)(end_ns - now_ns) / problems;
    const double watch_ns =
        ms_ns * (double)budget_watch_ms(group, allowance, group->session->watch_ms);
    const double contests_ns = costs->confirm_ns + process_ns * (double)group->problems_left;
    const double confirm_ns =
        confirms(group->session)
            ? CONFIRMED_MIN * confirm_margin *
                  ((double)costs->fresh_ns + contests_ns / (double)group_width(group))
            : 0;
    *watch_at_ns = end_ns - (int64_t)watch_ns;
    return now_ns + (int64_t)(even_ns - fmin(watch_ns + confirm_ns / problems, even_ns / 2));
}

bool budget_sweep_ended(const struct group *group, const struct allowance *allowance)
{
    const double checks =
        group->costs.problems > 0 ? needed_checks_ns(group) : expected_checks_ns(group, allowance);
    return budget_ended(group->session, STAGE_SWEEP) ||
           !budget_fits(group, STAGE_SWEEP, parallelism(group) * checks);
}

double budget_ceilings_ns(const struct lane *lane)
{
    int64_t known_ns = lane->group->costs.ceilings_ns;
    return known_ns > 0 ? (double)known_ns : ceilings_starts * (double)lane->start_ns;
}

bool budget_postpones_ceilings(const struct lane *lane)
{
    double budget_ns = (double)lane->group->session->options->budget_ns;
    return budget_ns > 0 && ceilings_starts * (double)lane->start_ns > ceilings_share * budget_ns;
}

bool budget_fits_problem(const struct group *group)
{
    const size_t raced = group->costs.problems;
    if (raced == 0)
        return budget_fits(group, STAGE_SET_UP, 0);
    return budget_fits(group, STAGE_SET_UP,
                       (double)stage_ns(group, STAGE_SET_UP) / (double)raced +
                           (double)group_width(group) * needed_checks_ns(group));
}

bool budget_fits_look(const struct group *group)
{
    size_t looks = group->costs.looks;
    return budget_fits(group, STAGE_RANGES,
                       looks > 0 ? (double)stage_ns(group, STAGE_RANGES) / (double)looks : 0);
}

size_t budget_entrants(const struct group *group, const struct allowance *allowance,
                       double visit_ns)
{
    if (budget_end_ns(group->session) == 0 || !(visit_ns > 0))
        return SIZE_MAX;
    const double race_ns =
        parallelism(group) * (double)allowance->share_ns * (1 - allowance->sweep_share);
    double count = race_ns / (ROUNDS_OF_A_RACE * visit_ns);
    if (group->session->needs_energy) /* each baseline's window takes as long */
        count = race_ns / ((double)group->session->options->protocol.energy_rounds *
                           energy_visit_ns(group)) -
                1 - (double)allowance->baselines;
    return count > ENTRANTS_MIN ? (size_t)fmin(count, 1e9) : ENTRANTS_MIN;
}

size_t budget_screened(const struct group *group, const struct allowance *allowance,
                       double visit_ns, size_t visits)
{
    static const double times_as_long = 4;
    const double known_ns = group->costs.state_visit_ns;
    const double cost_ns = (double)visits * (known_ns > 0 ? known_ns : times_as_long * visit_ns);
    const double left_ns = (double)(allowance->race_end_ns - clock_budget_ns());
    if (budget_end_ns(group->session) == 0 || !(cost_ns > 0))
        return SIZE_MAX;
    return left_ns > 0 ? (size_t)fmin(left_ns / cost_ns, 1e9) : 0;
}

size_t budget_finalists(const struct group *group, const struct allowance *allowance, size_t most)
{
    int64_t end_ns = budget_end_ns(group->session);
    double cost_ns = parallelism(group) * expected_checks_ns(group, allowance);
    double left_ns = (double)(end_ns - clock_budget_ns());
    if (end_ns == 0 || cost_ns <= left_ns)
        return most;
    group->session->summary->cut_short |= 1U << STAGE_CHECK;
    double fit = left_ns > 0 ? (double)most * left_ns / cost_ns : 0;
    size_t count = fit > FINALISTS_MIN ? (size_t)fit : FINALISTS_MIN;
    return count < most ? count : most;
}

int64_t budget_watch_ms(const struct group *group, const struct allowance *allowance,
                        int64_t most_ms)
{
    const struct session *session = group->session;
    if (budget_end_ns(session) == 0)
        return most_ms;
    int64_t fit_ms = (int64_t)((double)allowance->share_ns / ms_ns) / WATCH_SHARE;
    if (fit_ms < WATCH_MIN_MS || budget_ended(session, STAGE_WATCH))
        fit_ms = WATCH_MIN_MS;
    return fit_ms < most_ms ? fit_ms : most_ms;
}

int64_t budget_trial_ms(const struct lane *lane, double best_ns, uint32_t blocks, int64_t usual_ms)
{
    static const double least_ms = 1000, times_the_best = 4;
    const int64_t end_ns = budget_end_ns(lane->group->session);
    const double left_ns = (double)(end_ns - clock_budget_ns()) - budget_start_ns(lane);
    const double most_ms =
        fmax(left_ns / 2, times_the_best * best_ns * (double)(blocks + FEW_RUNS)) / ms_ns;
    if (end_ns == 0 || !(best_ns > 0) || most_ms >= (double)usual_ms)
        return usual_ms;
    return (int64_t)fmin(fmax(most_ms, least_ms), (double)usual_ms);
}

void budget_reserve(const struct lane *lane, int64_t processes)
{
    if (lane->site->session->options->budget_ns > 0 && processes > 0)
        worker_reserve(lane->worker, (size_t)processes);
}

enum status budget_await(struct group *group, struct binaries *binaries, size_t index,
                         struct error *error)
{
    while (binaries->items[index].state == BINARY_PENDING) {
        if (session_stopped(group->session))
            return session_stop_error(error);
        if (budget_ended(group->session, group->clock.stage))
            return error_set(error, STATUS_NO_TIME, "the budget is spent");
        TRY(group_await_compilers(group, binaries, 100, error));
    }
    return binaries_await(binaries, index, error);
}

bool budget_over(const struct session *session, enum session_stage stage, int64_t end_ns)
{
    if (end_ns == 0 || clock_budget_ns() < end_ns)
        return false;
    session->summary->cut_short |= 1U << stage;
    return true;
}

enum status group_await_lane(struct group *group, struct lane **out, struct error *error)
{
    for (;;) {
        bool may_return = false;
        *out = group_lane(group);
        if (*out)
            return STATUS_OK;
        for (size_t i = 0; i < group->lane_count; i++)
            may_return = may_return || (group->lanes[i]->may_return &&
                                        host_state(group->lanes[i]->site->host) != HOST_GONE);
        if (!may_return)
            return error_set(error, STATUS_DEVICE_LOST, "no device is left: %s",
                             group->lanes[0]->error.text);
        if (session_stopped(group->session))
            return session_stop_error(error);
        if (budget_ended(group->session, STAGE_START))
            return error_set(error, STATUS_NO_TIME, "the budget is spent");
        session_pause(group->session);
    }
}
