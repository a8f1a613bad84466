/* A domain's formula is written only where libtuned agrees with the constraints at hundreds of
 * sizes. */
#include "tuner/records/domain.h"

#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "tuner/base/text.h"

enum { SIZES_MAX = 1024, SMALL = 33, RANDOM = 160 };

struct sizes {
    int64_t items[SIZES_MAX];
    size_t count;
};

static void add_size(struct sizes *sizes, int64_t n)
{
    if (n > 0 && sizes->count < SIZES_MAX)
        sizes->items[sizes->count++] = n;
}

/* Fills in sizes: small ones, those around powers of two, others of all lengths; and those around
 * the formula's numbers, and around the multiples and products of these. */
static void fill_sizes(struct sizes *sizes, const char *formula)
{
    int64_t before = 1;
    uint64_t seed = 1;
    for (int64_t n = 1; n < SMALL; n++)
        add_size(sizes, n);
    for (int power = 5; power < 40; power++)
        for (int64_t d = -1; d < 2; d++)
            add_size(sizes, (INT64_C(1) << power) + d);
    for (int i = 0; i < RANDOM; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        add_size(sizes, (int64_t)(seed >> 26 >> (seed >> 59)));
    }
    for (const char *at = formula; *at; at++) {
        char *end = NULL;
        const long long number = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : 0;
        if (!end)
            continue;
        at = end - 1;
        for (int64_t times = 1; times < 8 && number < INT64_C(1) << 40; times += 2)
            for (int64_t d = -1; d < 2; d++)
                add_size(sizes, number * times + d);
        for (int64_t times = 1; times < 4 && number < INT64_C(1) << 20; times++)
            add_size(sizes, number * before * times);
        before = number < INT64_C(1) << 20 ? number : before;
    }
}

/* Question to libtuned: the problem at its named sizes, else at n. */
struct question {
    const struct experiment *experiment;
    const struct problem *problem;
    const struct facts *facts;
    const struct configuration *configuration;
    const char *names[SIZE_NAMES_MAX]; /* names as in tuned.conf */
    int64_t own[SIZE_NAMES_MAX];
    size_t count;
    unsigned launches; /* domain_launches */
};

/* Finds whether the constraints and checks (NULL: at all sizes) allow the configuration, with the
 * launches of the problem's own size; *valued: the constraints have a value there. */
static bool admits(const struct question *question, const struct domain *checked,
                   const int64_t *sizes, bool *valued)
{
    struct error ignored = {0};
    struct arena arena = {0};
    struct problem there;
    bool holds = false;
    bool is_problem = true;
    if (question->problem->shape)
        is_problem = problem_at_sizes(question->problem, sizes, question->count, &arena, &there);
    else
        there = problem_at(question->problem, sizes[0]);
    *valued = is_problem && space_admits(question->experiment, &there, question->facts,
                                         question->configuration, &holds, &ignored) == STATUS_OK;
    holds = *valued && holds &&
            domain_launches(question->experiment, &there, question->facts,
                            question->configuration) == question->launches &&
            (!checked || domain_has_problem(checked, &there));
    arena_free(&arena);
    return holds;
}

/* Returns whether products of sizes may exceed 64 bits. There libtuned and the constraints may lack
 * a value at different sizes, which tells nothing about others. */
static bool may_overflow(const struct question *question, const int64_t *sizes)
{
    double product = 1;
    for (size_t i = 0; i < question->count; i++)
        product *= (double)sizes[i];
    return product * product * product > (double)(INT64_MAX / 2);
}

/* Tells whether libtuned finds the formula's entry at these sizes. */
static bool is_given(const struct tuned *tuned, const struct question *question,
                     const int64_t *sizes)
{
    const struct tuned_device device = {.kind = "cpu", .name = "X"};
    struct tuned_size named[SIZE_NAMES_MAX];
    struct tuned_answer answer;
    int64_t n = sizes[0];
    for (size_t i = 0; i < question->count; i++) {
        named[i] = (struct tuned_size){question->names[i], sizes[i]};
        n = strcmp(question->names[i], "n") == 0 ? sizes[i] : n;
    }
    return tuned_find_sizes(tuned, &device, "p", n, named, question->count, &answer) != TUNED_NONE;
}

enum status domain_of(const struct experiment *experiment, const struct problem *problem,
                      const struct facts *facts, const struct configuration *configuration,
                      const struct domain *checked, struct arena *arena, struct domain_text *out,
                      struct error *error)
{
    struct question question = {.experiment = experiment,
                                .problem = problem,
                                .facts = facts,
                                .configuration = configuration,
                                .names = {"n"},
                                .own = {problem->n},
                                .count = 1,
                                .launches =
                                    domain_launches(experiment, problem, facts, configuration)};
    size_t first = 0;
    if (problem->shape) {
        question.count = experiment_size_names(experiment, question.names, &first);
        (void)problem_sizes(problem, question.own);
        question.names[first] = "n";
    }
    struct text conf = {0};
    struct sizes sizes = {.count = 0};
    *out = (struct domain_text){.is_listed = checked->is_listed};
    enum status status = STATUS_OK;
    bool valued = true;
    if (!checked->is_listed)
        status = domain_formula(experiment, problem, facts, configuration, checked, arena,
                                &out->text, error);
    if (status != STATUS_OK ||
        (out->text && out->text[0] == '\0' && !domain_depends_on_size(experiment)))
        return status;
    /* A baseline need not be legal anywhere. */
    if (out->text && admits(&question, NULL, question.own, &valued)) {
        text_printf(&conf,
                    "tuned-conf 5\n[cpu \"*\"]\np n=0-9223372036854775807 x=0 |%s%s%s\nend\n",
                    out->text[0] ? " domain=\"" : "", out->text, out->text[0] ? "\"" : "");
        struct tuned *tuned =
            conf.failed ? NULL : tuned_load_memory(conf.data, conf.length, "domain", NULL);
        text_free(&conf);
        TRY_MEMORY(tuned);
        fill_sizes(&sizes, out->text);
        for (size_t i = 0; out->text && i < sizes.count; i++) {
            int64_t there[SIZE_NAMES_MAX];
            /* Every second probe of a problem with several names varies only one of its sizes. */
            memcpy(there, question.own, sizeof question.own);
            for (size_t k = 0; k < question.count; k++)
                if (question.count == 1 || i % 2 == 0 || i / 2 % question.count == k)
                    there[k] = sizes.items[(i * (2 * k + 1) + 17 * k) % sizes.count];
            const bool is_meant = admits(&question, checked, there, &valued);
            const bool is_wrong = is_given(tuned, &question, there) != is_meant;
            if (is_wrong && !((is_meant || !valued) && may_overflow(&question, there)))
                out->text = NULL;
        }
        tuned_free(tuned);
    }
    if (out->text)
        return STATUS_OK;
    out->is_listed = true;
    /* "n==64&&m==1024" */
    out->text = "";
    for (size_t i = 0; out->text && i < question.count; i++)
        out->text = arena_printf(arena, "%s%s%s==%lld", out->text, i > 0 ? "&&" : "",
                                 question.names[i], (long long)question.own[i]);
    return out->text ? STATUS_OK : error_no_memory(error);
}
