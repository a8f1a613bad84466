/* A domain is written where libtuned itself reads it as the constraints are, at hundreds of sizes.
 */
#include "tuner/export/domain.h"

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

/* Small ones, those around powers of two, others of all lengths; and those around the numbers that
 * the formula names, around their multiples and their products. */
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

static bool admits(const struct experiment *experiment, const struct problem *problem,
                   const struct facts *facts, const struct configuration *configuration, int64_t n)
{
    struct error ignored = {0};
    struct problem there;
    bool holds = false;
    experiment_problem_at(experiment, problem, n, &there);
    return space_admits(experiment, &there, facts, configuration, &holds, &ignored) == STATUS_OK &&
           holds;
}

enum status domain_of(const struct experiment *experiment, const struct problem *problem,
                      const struct facts *facts, const struct configuration *configuration,
                      const struct domain *checked, struct arena *arena, struct domain_text *out,
                      struct error *error)
{
    const struct tuned_device device = {.kind = "cpu", .name = "X"};
    struct text conf = {0};
    struct sizes sizes = {.count = 0};
    *out = (struct domain_text){.is_listed = checked->is_listed};
    enum status status = STATUS_OK;
    if (!checked->is_listed)
        status = domain_formula(experiment, problem, facts, configuration, checked, arena,
                                &out->text, error);
    if (status != STATUS_OK || (out->text && out->text[0] == '\0'))
        return status;
    /* A baseline need not be legal anywhere. */
    if (out->text && admits(experiment, problem, facts, configuration, problem->n)) {
        text_printf(&conf,
                    "tuned-conf 5\n[cpu \"*\"]\np n=0-9223372036854775807 x=0 | domain=\"%s\"\n"
                    "end\n",
                    out->text);
        struct tuned *tuned =
            conf.failed ? NULL : tuned_load_memory(conf.data, conf.length, "domain", NULL);
        text_free(&conf);
        if (!tuned)
            return error_no_memory(error);
        fill_sizes(&sizes, out->text);
        for (size_t i = 0; out->text && i < sizes.count; i++) {
            struct tuned_answer answer;
            const int64_t n = sizes.items[i];
            const bool is_given = tuned_find(tuned, &device, "p", n, &answer) != TUNED_NONE;
            const bool is_meant = (n % checked->multiple == 0 && n >= checked->least) &&
                                  admits(experiment, problem, facts, configuration, n);
            if (is_given != is_meant)
                out->text = NULL;
        }
        tuned_free(tuned);
    }
    if (out->text)
        return STATUS_OK;
    out->is_listed = true;
    out->text = arena_printf(arena, "n==%lld", (long long)problem->n);
    return out->text ? STATUS_OK : error_no_memory(error);
}
