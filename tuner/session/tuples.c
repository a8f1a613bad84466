/* Sizes of several names at which a problem's finalists are checked: each has a number, which
 * stands for the sizes where a problem with one name has n. */
#include <math.h>
#include <string.h>

#include "tuner/session/check.h"

int64_t contest_tuple(const struct contest *contest, const int64_t *sizes)
{
    struct sweep *sweep = contest->sweep;
    const struct work *work = &contest->work;
    int64_t own[SIZE_NAMES_MAX];
    const size_t count = problem_sizes(&work->problem, own);
    const size_t bytes = count * sizeof *own;
    for (size_t i = 0; i < count; i++)
        if (sizes[i] < 1)
            return 0;
    if (memcmp(own, sizes, bytes) == 0)
        return work->problem.n;
    for (size_t i = 0; i < experiment_problem_count(work->experiment); i++) {
        struct problem problem;
        int64_t listed[SIZE_NAMES_MAX];
        experiment_problem(work->experiment, i, &problem);
        if (problem_sizes(&problem, listed) == count && memcmp(listed, sizes, bytes) == 0)
            return 0;
    }
    size_t place = 0;
    while (place < sweep->tuple_count && memcmp(sweep->tuples[place], sizes, bytes) != 0)
        place++;
    if (place == TUPLES_MAX)
        return 0;
    memcpy(sweep->tuples[place], sizes, bytes);
    sweep->tuple_count += place == sweep->tuple_count ? 1 : 0;
    return work->problem.n + 1 + (int64_t)place;
}

size_t contest_sizes(const struct contest *contest, int64_t n, int64_t sizes[SIZE_NAMES_MAX])
{
    const struct problem *problem = &contest->work.problem;
    const size_t count = problem_sizes(problem, sizes);
    if (count > 0 && n > problem->n)
        memcpy(sizes, contest->sweep->tuples[n - problem->n - 1], count * sizeof *sizes);
    return count;
}

bool contest_problem(const struct contest *contest, int64_t n, struct arena *arena,
                     struct problem *out)
{
    const struct problem *problem = &contest->work.problem;
    int64_t sizes[SIZE_NAMES_MAX];
    const size_t count = problem->shape ? contest_sizes(contest, n, sizes) : 0;
    *out = problem_at(problem, problem->shape ? problem->n : n);
    return count == 0 || problem_at_sizes(problem, sizes, count, arena, out);
}

struct problem_name contest_size_text(const struct contest *contest, int64_t n)
{
    struct problem_name name;
    struct arena scratch = {0};
    struct problem there;
    const bool is_tuple = contest->work.problem.shape && n != contest->work.problem.n &&
                          contest_problem(contest, n, &scratch, &there);
    if (is_tuple)
        (void)string_format(name.text, sizeof name.text, "%s", there.shape);
    else
        (void)string_format(name.text, sizeof name.text, "%lld", (long long)n);
    arena_free(&scratch);
    return name;
}

bool contest_has_size(const struct contest *contest, const struct candidate *candidate, int64_t n)
{
    struct arena scratch = {0};
    struct problem there;
    const bool has =
        !candidate->narrowing || (contest_problem(contest, n, &scratch, &there) &&
                                  domain_has_problem(&candidate->narrowing->domain, &there));
    arena_free(&scratch);
    return has;
}

bool contest_allows(const struct contest *contest, const struct configuration *configuration,
                    int64_t n)
{
    const struct work *work = &contest->work;
    struct arena scratch = {0};
    struct problem there;
    struct error ignored = {0};
    bool allowed = false;
    allowed = contest_problem(contest, n, &scratch, &there) &&
              space_admits(work->experiment, &there, work->facts, configuration, &allowed,
                           &ignored) == STATUS_OK &&
              allowed;
    arena_free(&scratch);
    return allowed;
}

void contest_span(const struct contest *contest, struct tuple_span *span)
{
    const struct work *work = &contest->work;
    const struct problem *own = &work->problem;
    const size_t count = problem_sizes(own, span->least);
    memcpy(span->most, span->least, sizeof span->most);
    memcpy(span->divisor, span->least, sizeof span->divisor);
    for (size_t i = 0; i < experiment_problem_count(work->experiment); i++) {
        struct problem problem;
        int64_t sizes[SIZE_NAMES_MAX];
        experiment_problem(work->experiment, i, &problem);
        if (strncmp(problem.key, own->key, own->family_length + 1) != 0 ||
            problem_sizes(&problem, sizes) != count)
            continue;
        for (size_t k = 0; k < count; k++) {
            span->least[k] = sizes[k] < span->least[k] ? sizes[k] : span->least[k];
            span->most[k] = sizes[k] > span->most[k] ? sizes[k] : span->most[k];
            span->divisor[k] =
                (int64_t)common_divisor((uint64_t)span->divisor[k], (uint64_t)sizes[k]);
        }
    }
}

static bool is_box(const struct tuple_span *span, size_t names)
{
    for (size_t i = 0; i < names; i++)
        if (span->least[i] < span->most[i])
            return true;
    return false;
}

void contest_fit(const struct tuple_span *span, size_t names, const int64_t *from,
                 const int64_t *multiples, int64_t *sizes)
{
    for (size_t i = 0; is_box(span, names) && i < names; i++) {
        const int64_t least = span->least[i] < from[i] ? span->least[i] : from[i];
        const int64_t step = 2 * (multiples && multiples[i] > 1 ? multiples[i] : 1);
        if (span->least[i] == span->most[i]) {
            sizes[i] = span->least[i]; /* programs have no other */
            continue;
        }
        if (sizes[i] > span->most[i])
            sizes[i] -= (sizes[i] - span->most[i] + step - 1) / step * step;
        if (sizes[i] < least)
            sizes[i] += (least - sizes[i] + step - 1) / step * step;
    }
}

/* Returns the cost of a case at the problem's own sizes, as a multiple of that of so many elements
 * or so much time of a kernel or the references. */
static double case_cost(const struct contest *contest, double elements, double time_ns)
{
    double longest = 1;
    double slowest_ns = (double)contest->sweep->inputs.reference_ns;
    for (size_t i = 0; i < contest->finalist_count; i++) {
        const struct slot *slot = &contest->finalists[i].slot;
        slowest_ns = fmax(slowest_ns, slot->candidate->median_ns);
        for (size_t k = 0; slot->prepared && k < slot->prepared->plan.argument_count; k++)
            longest = fmax(longest, (double)slot->prepared->plan.arguments[k].count);
    }
    return fmax(longest / elements, slowest_ns / time_ns);
}

/* Halves the largest size until the cost is at most 1. */
static void shrink(int64_t *sizes, size_t names, double cost)
{
    const int halvings = cost > 1 ? (int)ceil(log2(cost)) : 0;
    for (int halved = 0; halved < halvings; halved++) {
        size_t largest = 0;
        for (size_t i = 1; i < names; i++)
            largest = sizes[i] > sizes[largest] ? i : largest;
        sizes[largest] = sizes[largest] > 1 ? sizes[largest] / 2 : 1;
    }
}

size_t contest_awkward(const struct contest *contest, int64_t out[AWKWARD_MAX])
{
    enum { IN_BOX = 2, SMALL = 3 };
    static const int64_t small[SMALL + SIZE_NAMES_MAX] = {1, 33, 31, 17, 63, 5, 65};
    static const double near_elements = 1 << 18, near_ns = 20e6, most_ns = 100e6;
    const double cost = case_cost(contest, near_elements, near_ns);
    const bool is_affordable = case_cost(contest, GAUNTLET_ELEMENTS, most_ns) <= 1;
    struct random random = {.seed = UINT64_C(0x9e3779b97f4a7c15)};
    struct tuple_span span;
    int64_t own[SIZE_NAMES_MAX] = {0};
    int64_t near[SIZE_NAMES_MAX];
    int64_t sizes[SIZE_NAMES_MAX] = {0};
    size_t count = 0;
    const size_t names = problem_sizes(&contest->work.problem, own);
    const size_t odd = 2 * names, in_box = odd + 1 + SMALL, last = in_box + IN_BOX;
    memcpy(near, own, sizeof near);
    contest_span(contest, &span);
    shrink(near, names, cost);
    for (size_t i = 0; i < names; i++) /* others for each tuple */
        random.seed = random.seed * 31 + (uint64_t)own[i];
    for (size_t k = 0; k < last + (is_affordable ? 1 : 0); k++) {
        double times = cost;
        for (size_t i = 0; i < names; i++) {
            const double way = (double)random_below(&random, 1000) / 1000;
            const double growth = (double)span.most[i] / (double)span.least[i];
            if (k < odd)
                sizes[i] = near[i] + (i != k % names ? 0 : k < names ? 1 : -1);
            else if (k == odd)
                sizes[i] = (near[i] - 2) | 1;
            else if (k < in_box)
                sizes[i] = (is_box(&span, names) ? span.least[i] : 0) + small[k - odd - 1 + i];
            else
                sizes[i] =
                    k == last ? own[i] - 2 : (int64_t)((double)span.least[i] * pow(growth, way));
            times *= (double)sizes[i] / (double)own[i];
        }
        if (k > odd && k < last)
            shrink(sizes, names, times);
        for (size_t i = 0; k > odd && i < names; i++)
            sizes[i] |= 1;
        contest_fit(&span, names, near, NULL, sizes);
        out[count] = contest_tuple(contest, sizes);
        count += out[count] > 0 ? 1 : 0;
    }
    return count;
}
