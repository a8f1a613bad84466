/* Random small spaces against brute force: each configuration of the product asked by itself. */
#include "experiment_fixture.h"

#include "tuner/base/random.h"
#include "tuner/experiment/model.h"

enum { SPACES = 6000, PARAMETERS_MAX = 6, POINTS_MAX = 4096 };

/* ---- making one up ---- */

static const char *pick(struct random *random, const char *const *words, size_t count)
{
    return words[random_below(random, count)];
}
#define PICK(random, ...)                                                                          \
    pick(random, (const char *const[]){__VA_ARGS__},                                               \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void add_number(struct text *out, struct random *random, size_t parameters, int depth);

static void add_condition(struct text *out, struct random *random, size_t parameters, int depth)
{
    const uint64_t form = depth > 0 ? random_below(random, 9) : 0;
    text_append(out, "(");
    if (form < 4) {
        add_number(out, random, parameters, depth - 1);
        text_printf(out, " %s ", PICK(random, "==", "!=", "<", "<=", ">", ">="));
        add_number(out, random, parameters, depth - 1);
        if (random_below(random, 4) == 0) {
            text_printf(out, " %s ", PICK(random, "<", "<="));
            add_number(out, random, parameters, depth - 1);
        }
    } else if (form < 7) {
        add_condition(out, random, parameters, depth - 1);
        text_printf(out, " %s ", PICK(random, "and", "or", "or"));
        add_condition(out, random, parameters, depth - 1);
    } else if (form == 7) {
        text_append(out, "not ");
        add_condition(out, random, parameters, depth - 1);
    } else {
        add_number(out, random, parameters, depth - 1);
        text_append(out, PICK(random, " in [1, 2, p0 * 3]", " not in range(p1, 9)",
                              " in [i * p0 for i in range(4) if i != p1]"));
    }
    text_append(out, ")");
}

static void add_number(struct text *out, struct random *random, size_t parameters, int depth)
{
    const uint64_t form = depth > 0 ? random_below(random, 10) : random_below(random, 4);
    if (form < 3) {
        text_printf(out, "p%llu", (unsigned long long)random_below(random, parameters));
    } else if (form == 3) {
        text_append(out, PICK(random, "2", "3", "1.5", "n", "derived", "wide"));
    } else if (form < 9) {
        text_append(out, "(");
        add_number(out, random, parameters, depth - 1);
        text_printf(out, " %s ", PICK(random, "+", "-", "*", "*", "//", "%", "/"));
        add_number(out, random, parameters, depth - 1);
        text_append(out, ")");
    } else {
        text_append(out, "(");
        add_number(out, random, parameters, depth - 1);
        text_append(out, " if ");
        add_condition(out, random, parameters, depth - 1);
        text_append(out, " else ");
        add_number(out, random, parameters, depth - 1);
        text_append(out, ")");
    }
}

static void add_values(struct text *out, struct random *random)
{
    const uint64_t form = random_below(random, 8);
    const uint64_t count = 1 + random_below(random, 4);
    text_append(out, "[");
    for (uint64_t i = 0; i < count; i++) {
        const int number = (int)random_below(random, 9) - (form == 0 ? 4 : 0);
        text_printf(out,
                    form == 1             ? "%s%d.5"
                    : form == 2 && i == 1 ? "%stext%d"
                                          : "%s%d",
                    i > 0 ? ", " : "", number);
    }
    text_append(out, "]");
}

static struct experiment *make_up(struct random *random)
{
    struct text text = {0};
    const size_t parameters = 2 + random_below(random, PARAMETERS_MAX - 1);
    const uint64_t constraints = random_below(random, 5);
    text_append(&text, "experiment: s\nsource: k.cu\nsizes: {n: [7]}\nparameters:\n");
    for (size_t i = 0; i < parameters; i++) {
        text_printf(&text, "  p%zu: ", i);
        add_values(&text, random);
        text_append(&text, "\n");
    }
    text_append(&text, "derived:\n  derived: p1 * 2 + wide\n  wide: p0 if p0 != 2 else p1\n");
    if (constraints > 0)
        text_append(&text, "constraints:\n");
    for (uint64_t i = 0; i < constraints; i++) {
        text_append(&text, "  - \"");
        add_condition(&text, random, parameters, 3);
        text_append(&text, "\"\n");
    }
    text_append(&text, "launches: [{kernel: k, grid: 1, block: 32}]\n"
                       "arguments: [{name: out, type: i32, count: 1, output: true}]\n"
                       "check: {reference: r, source: r.c, output: out}\n");
    struct experiment *experiment = NULL;
    struct error error;
    if (load_text(text_string(&text), &experiment, &error) != STATUS_OK)
        experiment = NULL; /* a text where only a number makes sense */
    text_free(&text);
    return experiment;
}

/* ---- brute force ---- */

struct brute {
    uint16_t points[POINTS_MAX][PARAMETERS_MAX];
    size_t count;
    size_t product;
    bool failed; /* some constraint has no value somewhere */
};

static size_t distinct(const struct named_list *list, struct value values[8])
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        bool repeats = false;
        for (size_t j = 0; j < count; j++)
            repeats |= value_equal(values[j], list->values[i].tree->constant);
        if (!repeats)
            values[count++] = list->values[i].tree->constant;
    }
    return count;
}

static bool is_legal(const struct experiment *experiment, const struct problem *problem,
                     const uint16_t *point, struct value values[PARAMETERS_MAX][8], bool *failed)
{
    struct error ignored;
    struct maker maker;
    bool legal = true;
    maker_start(&maker, experiment, problem, NULL, NULL, &ignored);
    for (size_t i = 0; i < experiment->head.parameter_count; i++)
        environment_bind(&maker.environment, SLOT_PARAMETERS + i, values[i][point[i]]);
    for (size_t i = 0; i < experiment->head.constraint_count; i++) {
        bool holds = true;
        *failed |= !make_truth(&maker, &experiment->constraints[i], &holds);
        legal = legal && holds;
    }
    return legal;
}

/* Enumerates in the order of the file, the last parameter fastest. */
static void enumerate(const struct experiment *experiment, const struct problem *problem,
                      struct brute *out)
{
    struct value values[PARAMETERS_MAX][8];
    size_t counts[PARAMETERS_MAX];
    out->product = 1;
    out->count = 0;
    out->failed = false;
    for (size_t i = 0; i < experiment->head.parameter_count; i++) {
        counts[i] = distinct(&experiment->parameters[i], values[i]);
        out->product *= counts[i];
    }
    assert_true(out->product <= POINTS_MAX);
    for (size_t number = 0; number < out->product; number++) {
        uint16_t *point = out->points[out->count];
        size_t rest = number;
        for (size_t i = experiment->head.parameter_count; i-- > 0; rest /= counts[i])
            point[i] = (uint16_t)(rest % counts[i]);
        if (is_legal(experiment, problem, point, values, &out->failed))
            out->count++;
    }
}

/* ---- the two against each other ---- */

static void expect_points(const struct space *space, const struct brute *brute,
                          const struct experiment *experiment, const struct problem *problem)
{
    const size_t bytes = space_dimension_count(space) * sizeof(uint16_t);
    for (size_t i = 0; i < brute->count; i++) {
        uint16_t values[EXPERIMENT_PARAMETERS_MAX];
        struct configuration configuration;
        uint64_t found = UINT64_MAX;
        struct error error;
        bool admits = false;
        space_values(space, i, values);
        assert_memory_equal(values, brute->points[i], bytes);
        assert_true(space_at(space, values, &found));
        assert_int_equal(found, i);
        space_configuration(space, i, &configuration);
        assert_true(space_find(space, &configuration, &found));
        assert_int_equal(found, i);
        assert_int_equal(space_admits(experiment, problem, NULL, &configuration, &admits, &error),
                         STATUS_OK);
        assert_true(admits);
    }
}

/* Checks that each point of the product outside the space is refused. */
static void expect_refusals(const struct space *space, const struct brute *brute)
{
    const size_t parameters = space_dimension_count(space);
    size_t legal = 0;
    for (size_t number = 0; number < brute->product; number++) {
        uint16_t values[EXPERIMENT_PARAMETERS_MAX] = {0};
        uint64_t found = UINT64_MAX;
        size_t rest = number;
        for (size_t i = parameters; i-- > 0; rest /= space_value_count(space, i))
            values[i] = (uint16_t)(rest % space_value_count(space, i));
        const bool next = legal < brute->count &&
                          memcmp(values, brute->points[legal], parameters * sizeof *values) == 0;
        assert_int_equal(space_at(space, values, &found), next);
        if (next)
            assert_int_equal(found, legal++);
    }
    uint16_t beyond[EXPERIMENT_PARAMETERS_MAX] = {0};
    uint64_t found = 0;
    beyond[0] = (uint16_t)space_value_count(space, 0);
    assert_false(space_at(space, beyond, &found));
}

/* Counts of outcomes, so that the test cannot pass by testing little. */
struct tally {
    size_t full, empty, failed, shared;
};

static void compare(const struct experiment *experiment, struct brute *brute, struct tally *tally)
{
    struct problem problem;
    struct space *space = NULL;
    struct error error;
    experiment_problem(experiment, 0, &problem);
    enumerate(experiment, &problem, brute);
    const enum status status = space_create(experiment, &problem, NULL, &space, &error);
    if (status != STATUS_OK) {
        const bool empty = strstr(error.text, "leave no configuration") != NULL;
        assert_int_equal(status, empty ? STATUS_NOT_FOUND : STATUS_BAD_INPUT);
        assert_true(empty ? brute->count == 0 : brute->failed);
        tally->empty += empty;
        tally->failed += !empty;
        return;
    }
    assert_int_equal(space_count(space), brute->count);
    assert_int_equal(space_product_count(space), brute->product);
    expect_points(space, brute, experiment, &problem);
    expect_refusals(space, brute);
    tally->full++;
    tally->shared += brute->count < brute->product;
    space_free(space);
}

TEST(random_spaces_equal_brute_force)
{
    struct random random = {.seed = 6};
    struct tally tally = {0};
    struct brute *brute = malloc(sizeof *brute);
    assert_non_null(brute);
    for (size_t i = 0; i < SPACES; i++) {
        struct experiment *experiment = make_up(&random);
        if (!experiment)
            continue;
        compare(experiment, brute, &tally);
        experiment_free(experiment);
    }
    free(brute);
    assert_true(tally.full > SPACES / 3);
    assert_true(tally.shared > SPACES / 12);
    assert_true(tally.empty > 20);
    assert_true(tally.failed > 20);
}

TEST_MAIN(make_folder, remove_folder)
