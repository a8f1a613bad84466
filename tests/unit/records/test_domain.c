/* Domains: libtuned gives an entry at exactly the sizes at which the experiment's constraints allow
 * its configuration. TUNE_TEST_SIZES=2000000 checks that many sizes, and as many tuples, in all;
 * the default is a fraction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "tests/unit/suite.h"
#include "tuner/base/text.h"
#include "tuner/records/domain.h"

/* Constraints on n, tile and wide. `listed`: no formula of libtuned expresses them. */
static const struct {
    const char *constraints;
    bool is_listed;
} cases[] = {
    {"n % tile == 0", false},
    {"(n // 1024) % tile == 0 and n % 1024 == 0", false},
    {"tile == 1 or is_power_of_two(n)", false},
    {"tile == 1 or n >= 1000000", false},
    {"n >= 65536 * tile or tile == 1", false},
    {"tile == 4 or n < 65536", false},
    {"n % (tile * 3) == 0 or tile == 8", false},
    {"not (n % 2 == 1 and tile > 1)", false},
    {"not n % 2 or tile == 1", false},
    {"n % tile", false},
    {"n & (tile - 1) == 0 or tile == 1", false},
    {"(n & (tile - 1)) == 0", false},
    {"(n & (n - 1)) == 0 or tile < 8", false},
    {"n & (n - 1) == 0", true},
    {"n >> 3 << 3 == n", false},
    {"(n >> 3 << 3) == n", false},
    {"n / tile == n // tile", false},
    {"n / tile >= 100.5", false},
    {"n * 4 / 1024 <= 48 * tile", false},
    {"0.5 * n > tile", false},
    {"n >= 1.5e3 and n != 4096.5", false},
    {"tile * 64 <= n < tile * 100000", false},
    {"1000 < n <= 100000 != tile", false},
    {"n in [1024, 4096, 65536 * tile]", false},
    {"n not in [1023, 1025, tile]", false},
    {"n % 64 in [0, 1, tile]", false},
    {"(n % 4 == 0 if wide else n % 2 == 0)", false},
    {"wide == 0 if n < 5000 else tile > 1", false},
    {"min(n, 4096) % tile == 0", false},
    {"max(n // 2, tile) > 100", false},
    {"ceil_div(n, tile) % 2 == 0", false},
    {"round_up(n, 128) - n < 64", false},
    {"abs(n - 4096) > tile", false},
    {"int(n / 128) % tile == 0", false},
    {"ceil(n / 128) % tile == 0", false},
    {"n ** 2 % 64 == 0", false},
    {"all(n % i == 0 for i in [2, tile])", false},
    {"any(n % i == 0 for i in [3, 5, 7 * tile])", false},
    {"blocks % tile == 0 and blocks >= 2", false},
    {"n < 100 or 1 // (tile - 4) >= 0", false},
    {"n % (n // 512 + 1) == 0", false},
    {"1000000 % (n - 77) == 0 or n > 1000", true},
    {"-n + 5000 > 0", false},
    {"n - 5000 > -4000", false},
    {"3 * n // tile % 5 != 2", false},
    {"(n + tile - 1) // tile * tile == n", false},
    {"log2(n) == int(log2(n)) or tile == 1", true},
    {"next_power_of_two(n) - n < 100", true},
    {"n ^ 1 > n", true},
    {"n * n >= 1000000 or tile == 1", false},
};

/* Constraints on m, n, k, tile and wide. */
static const struct {
    const char *constraints;
    bool is_listed;
} tuple_cases[] = {
    {"m % tile == 0", false},
    {"m % tile == 0 and n % (2 * tile) == 0 and k >= 16", false},
    {"(m * n) % (tile * 3) == 0 or tile == 8", false},
    {"m * n * k >= 100000 or tile == 1", false},
    {"m >= n or wide == 0", false},
    {"m % n == 0 or tile < 4", false},
    {"tile == 1 or is_power_of_two(k)", false},
    {"is_power_of_two(m) and is_power_of_two(n) or wide == 1", false},
    {"min(m, n) >= 8 * tile and max(n, k) % tile == 0", false},
    {"ceil_div(m, tile) * ceil_div(n, 64) <= 65535", false},
    {"(k % 64 == 0 if wide else k % 4 == 0)", false},
    {"n / m >= 1.5 or tile <= 2", false},
    {"0.1 <= (n + tile) / m < 4.1", false},
    {"n / m >= 2 or tile <= 2", false},
    {"k in [64, 100, 1024 * tile] or m < 2048", false},
    {"all(x % tile == 0 for x in [m, n])", true},
    {"blocks % 2 == 0", false},
    {"4 * (m * k + k * n) < 2 ** 26", false},
    {"n - m < 1000", false},
    {"log2(m) == int(log2(m)) or tile == 1", true},
};

static struct experiment *load(const char *sizes, const char *blocks, const char *constraints)
{
    struct text text = {0};
    struct error error = {0};
    struct experiment *experiment = NULL;
    text_printf(&text,
                "experiment: s\ndevice: cpu\nsource: k.c\nsizes: {%s}\n"
                "parameters: {tile: [1, 2, 4, 8], wide: [0, 1]}\n"
                "derived: {blocks: \"%s\"}\n"
                "constraints: [\"%s\"]\n"
                "launches: [{kernel: k, grid: 1, threads: 1}]\n"
                "arguments: [{name: out, type: i32, count: 1, output: true}]\n"
                "check: {reference: r, source: r.c, output: out}\n",
                sizes, blocks, constraints);
    if (experiment_load_recorded("s.yaml", text_string(&text), NULL, &experiment, &error) !=
        STATUS_OK)
        fail_msg("%s: %s", constraints, error.text);
    text_free(&text);
    return experiment;
}

static bool is_legal(const struct experiment *experiment, const struct problem *problem, int64_t n,
                     const struct configuration *configuration)
{
    struct error ignored = {0};
    struct problem there;
    bool admits = false;
    there = problem_at(problem, n);
    return space_admits(experiment, &there, NULL, configuration, &admits, &ignored) == STATUS_OK &&
           admits;
}

static struct tuned *entry_of(const char *sizes, const char *domain)
{
    struct text conf = {0};
    struct tuned_error refused;
    text_printf(&conf, "tuned-conf 5\n[cpu \"A\"]\ns %s a=1 |", sizes);
    if (domain[0] != '\0')
        text_printf(&conf, " domain=\"%s\"", domain);
    text_append(&conf, "\nend\n");
    struct tuned *tuned = tuned_load_memory(conf.data, conf.length, "t.conf", &refused);
    if (!tuned)
        fail_msg("%s", refused.text);
    text_free(&conf);
    return tuned;
}

/* Draws a size of any length, half of them multiples of a number. */
static int64_t any_size(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    const uint64_t bits = *seed >> 8;
    const int64_t n = (int64_t)((bits >> 20) & ((UINT64_C(1) << (3 + bits % 30)) - 1)) + 1;
    return bits & 256 ? n : n << ((bits >> 9) % 12);
}

static void compare(const char *constraints, const struct experiment *experiment,
                    const struct configuration *configuration, const struct problem *problem,
                    bool is_listed, long count, uint64_t *seed)
{
    struct arena arena = {0};
    struct error error = {0};
    struct domain_text domain;
    const struct domain checked = DOMAIN_OF_ALL;
    const struct tuned_device device = {.kind = "cpu", .name = "A"};
    if (domain_of(experiment, problem, NULL, configuration, &checked, &arena, &domain, &error) !=
        STATUS_OK)
        fail_msg("%s: %s", constraints, error.text);
    if (domain.is_listed && !is_listed)
        fail_msg("'%s' is not written as a formula", constraints);
    struct tuned *tuned = entry_of("n=4096-1048576", domain.text);
    for (long i = 0; i < count; i++) {
        struct tuned_answer answer;
        const int64_t n = i < 2000 ? i + 1 : any_size(seed);
        const bool is_near = n >= 4096 / 8 && n <= 1048576 * 8;
        const bool is_given = tuned_find(tuned, &device, "s", n, &answer) != TUNED_NONE;
        const bool is_meant = is_near && is_legal(experiment, problem, n, configuration) &&
                              (!domain.is_listed || n == problem->n);
        if (is_given != is_meant)
            fail_msg("'%s' as '%s' at n=%lld: %s", constraints, domain.text, (long long)n,
                     is_given ? "given, and not legal" : "legal, and not given");
    }
    tuned_free(tuned);
    arena_free(&arena);
}

TEST(libtuned_answers_where_constraints_allow)
{
    enum { CASES = sizeof cases / sizeof cases[0], SIZES = 120000 };
    const char *wanted = getenv("TUNE_TEST_SIZES");
    const long each = (wanted ? strtol(wanted, NULL, 10) : SIZES) / (CASES * 8) + 1;
    uint64_t seed = 20261128;
    long asked = 0;
    for (size_t i = 0; i < CASES; i++) {
        struct experiment *experiment =
            load("n: [4096, 65536, 1048576]", "ceil_div(n, 64 * tile)", cases[i].constraints);
        for (size_t at = 0; at < experiment_problem_count(experiment); at++)
            for (int64_t point = 0; point < 8; point++) {
                struct configuration configuration = {
                    .count = 2,
                    .values = {{"tile", value_integer(INT64_C(1) << (point % 4))},
                               {"wide", value_integer(point / 4)}}};
                struct problem problem;
                experiment_problem(experiment, at, &problem);
                if (!is_legal(experiment, &problem, problem.n, &configuration))
                    continue;
                compare(cases[i].constraints, experiment, &configuration, &problem,
                        cases[i].is_listed, each, &seed);
                asked += each;
            }
        experiment_free(experiment);
    }
    if (wanted)
        print_message("%ld sizes\n", asked);
}

/* Draws a tuple; most have only one size or two that are not the problem's own. */
static void any_tuple(uint64_t *seed, const int64_t own[3], int64_t out[3])
{
    enum { SIZE_MAX_BITS = 20 };
    for (size_t i = 0; i < 3; i++) {
        const int64_t size = any_size(seed) & ((1 << SIZE_MAX_BITS) - 1);
        out[i] = *seed >> 62 == 0 ? own[i] : size > 0 ? size : 1;
    }
}

static bool is_legal_tuple(const struct experiment *experiment, const struct problem *problem,
                           const int64_t sizes[3], const struct configuration *configuration)
{
    struct error ignored = {0};
    struct arena arena = {0};
    struct problem there;
    bool admits = false;
    if (!problem_at_sizes(problem, sizes, 3, &arena, &there))
        fail_msg("no problem of this size");
    admits =
        space_admits(experiment, &there, NULL, configuration, &admits, &ignored) == STATUS_OK &&
        admits;
    arena_free(&arena);
    return admits;
}

/* Compares libtuned's answers with the constraints at tuples of (m, n, k). Returns in how many of
 * them the configuration is legal. */
static long compare_tuples(size_t tuple_case, const struct experiment *experiment,
                           const struct configuration *configuration, const struct problem *problem,
                           long count, uint64_t *seed)
{
    const char *constraints = tuple_cases[tuple_case].constraints;
    struct arena arena = {0};
    struct error error = {0};
    struct domain_text domain;
    const struct tuned_device device = {.kind = "cpu", .name = "A"};
    int64_t own[SIZE_NAMES_MAX];
    long legal = 0;
    assert_int_equal(problem_sizes(problem, own), 3);
    if (domain_of(experiment, problem, NULL, configuration, &DOMAIN_OF_ALL, &arena, &domain,
                  &error) != STATUS_OK)
        fail_msg("%s: %s", constraints, error.text);
    if (domain.is_listed && !tuple_cases[tuple_case].is_listed)
        fail_msg("'%s' is not written as a formula", constraints);
    struct tuned *tuned = entry_of("n=1-8388608 m@1-8388608 k@1-8388608", domain.text);
    for (long i = 0; i < count; i++) {
        struct tuned_answer answer;
        int64_t sizes[3];
        any_tuple(seed, own, sizes);
        const struct tuned_size others[] = {{"m", sizes[0]}, {"k", sizes[2]}};
        const bool is_given =
            tuned_find_sizes(tuned, &device, "s", sizes[1], others, 2, &answer) != TUNED_NONE;
        const bool is_meant = is_legal_tuple(experiment, problem, sizes, configuration) &&
                              (!domain.is_listed || memcmp(sizes, own, sizeof sizes) == 0);
        if (is_given != is_meant)
            fail_msg("'%s' as '%s' at m=%lld n=%lld k=%lld: %s", constraints, domain.text,
                     (long long)sizes[0], (long long)sizes[1], (long long)sizes[2],
                     is_given ? "given, and not legal" : "legal, and not given");
        legal += is_meant ? 1 : 0;
    }
    tuned_free(tuned);
    arena_free(&arena);
    return legal;
}

TEST(libtuned_answers_tuples_where_constraints_allow)
{
    enum { CASES = sizeof tuple_cases / sizeof tuple_cases[0], POINTS = 8, TUPLES = 60000 };
    const char *wanted = getenv("TUNE_TEST_SIZES");
    const long each = (wanted ? strtol(wanted, NULL, 10) : TUPLES) / (CASES * POINTS) + 1;
    uint64_t seed = 20261129;
    long asked = 0;
    for (size_t i = 0; i < CASES; i++) {
        struct experiment *experiment =
            load("\"m, n, k\": [[4096, 8192, 1024], [2048, 2048, 64]]",
                 "ceil_div(m, 64) * (n // 64)", tuple_cases[i].constraints);
        long legal = 0;
        for (size_t at = 0; at < experiment_problem_count(experiment); at++)
            for (int64_t point = 0; point < POINTS; point++) {
                const struct configuration configuration = {
                    .count = 2,
                    .values = {{"tile", value_integer(INT64_C(1) << (point % 4))},
                               {"wide", value_integer(point / 4)}}};
                struct problem problem;
                int64_t own[SIZE_NAMES_MAX];
                experiment_problem(experiment, at, &problem);
                (void)problem_sizes(&problem, own);
                if (!is_legal_tuple(experiment, &problem, own, &configuration))
                    continue;
                legal += compare_tuples(i, experiment, &configuration, &problem, each, &seed);
                asked += each;
            }
        if (legal == 0)
            fail_msg("'%s' is true nowhere", tuple_cases[i].constraints);
        experiment_free(experiment);
    }
    if (wanted)
        print_message("%ld tuples\n", asked);
}

TEST(domains_leave_what_checks_left)
{
    struct experiment *experiment = load("n: [4096, 65536, 1048576]", "1", "n % tile == 0");
    struct configuration configuration = {
        .count = 2, .values = {{"tile", value_integer(4)}, {"wide", value_integer(0)}}};
    struct arena arena = {0};
    struct error error = {0};
    struct domain_text domain;
    struct problem problem;
    experiment_problem(experiment, 0, &problem);
    const struct domain coarse = {.multiple = 128, .least = 1};
    const struct domain late = {.multiple = 1, .least = 4096};
    const struct domain both = domain_meet(&coarse, &late);
    const struct domain listed = {.multiple = 1, .least = 1, .is_listed = true};
    assert_int_equal(
        domain_of(experiment, &problem, NULL, &configuration, &both, &arena, &domain, &error),
        STATUS_OK);
    assert_string_equal(domain.text, "n%128==0&&n>=4096&&n%4==0");
    assert_false(domain.is_listed);
    assert_int_equal(
        domain_of(experiment, &problem, NULL, &configuration, &listed, &arena, &domain, &error),
        STATUS_OK);
    assert_string_equal(domain.text, "n==4096");
    assert_true(domain.is_listed);
    assert_int_equal(domain_next(&both, 5000), 5120);
    assert_int_equal(domain_next(&both, 1), 4096);
    assert_int_equal(domain_next(&listed, 1), 0);
    assert_true(domain_has(&both, 8192) && !domain_has(&both, 8200) && !domain_has(&both, 128));
    const struct domain thirds = {.multiple = 96, .least = 10};
    assert_int_equal(domain_meet(&thirds, &both).multiple, 384);
    arena_free(&arena);
    experiment_free(experiment);
}

/* Numbers of a tuple, alone and beside a constraint: text, meeting, next sizes, and libtuned's
 * answers at random tuples. */
TEST(domains_of_tuples_leave_what_checks_left)
{
    struct experiment *experiment = load("\"m, n, k\": [[4096, 8192, 1024], [2048, 2048, 64]]",
                                         "ceil_div(m, 64) * (n // 64)", "m % tile == 0");
    const struct configuration configuration = {
        .count = 2, .values = {{"tile", value_integer(4)}, {"wide", value_integer(0)}}};
    const struct tuned_device device = {.kind = "cpu", .name = "A"};
    struct arena arena = {0};
    struct error error = {0};
    struct domain_text text;
    struct problem problem;
    uint64_t seed = 20261130;
    struct domain columns = DOMAIN_OF_ALL;
    struct domain rows = {.multiple = 1, .least = 1, .multiples = {6}};
    domain_set_multiples(&columns, "1x8");
    assert_true(domain_is_whole(&DOMAIN_OF_ALL) && !domain_is_whole(&columns));
    assert_null(domain_multiples(&DOMAIN_OF_ALL, &arena));
    assert_string_equal(domain_multiples(&columns, &arena), "1x8");
    const struct domain both = domain_meet(&columns, &rows);
    assert_string_equal(domain_multiples(&both, &arena), "6x8");
    int64_t next[SIZE_NAMES_MAX] = {7, 16, 5};
    domain_next_sizes(&both, next);
    assert_true(next[0] == 12 && next[1] == 16 && next[2] == 5);
    experiment_problem(experiment, 0, &problem);
    assert_false(domain_has_problem(&both, &problem)); /* 4096 is no multiple of 6 */
    assert_true(domain_has_problem(&columns, &problem));
    const struct domain listed = {.multiple = 1, .least = 1, .is_listed = true};
    assert_false(domain_has_problem(&listed, &problem));
    assert_int_equal(
        domain_of(experiment, &problem, NULL, &configuration, &columns, &arena, &text, &error),
        STATUS_OK);
    assert_string_equal(text.text, "n%8==0&&m%4==0");
    assert_false(text.is_listed);
    struct tuned *tuned = entry_of("n=1-8388608 m@1-8388608 k@1-8388608", text.text);
    int64_t own[SIZE_NAMES_MAX];
    long legal = 0;
    (void)problem_sizes(&problem, own);
    for (int i = 0; i < 20000; i++) {
        struct tuned_answer answer;
        struct problem there;
        int64_t sizes[3];
        any_tuple(&seed, own, sizes);
        const struct tuned_size others[] = {{"m", sizes[0]}, {"k", sizes[2]}};
        assert_true(problem_at_sizes(&problem, sizes, 3, &arena, &there));
        const bool is_meant = sizes[1] % 8 == 0 && sizes[0] % 4 == 0;
        assert_int_equal(domain_has_problem(&columns, &there), sizes[1] % 8 == 0);
        assert_int_equal(tuned_find_sizes(tuned, &device, "s", sizes[1], others, 2, &answer) !=
                             TUNED_NONE,
                         is_meant);
        legal += is_meant;
    }
    assert_true(legal > 100 && legal < 19000);
    tuned_free(tuned);
    arena_free(&arena);
    experiment_free(experiment);
}

TEST_MAIN(NULL, NULL)
