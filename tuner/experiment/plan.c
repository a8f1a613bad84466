/* What a configuration means for the launcher: grids, blocks, arguments. */
#include "tuner/experiment/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/half.h"
#include "tuner/base/text.h"

enum status applying_launches(const struct experiment *experiment, struct environment *environment,
                              const struct launch_rule *out[LAUNCHES_MAX], size_t *count,
                              struct error *error)
{
    *count = 0;
    for (size_t i = 0; i < experiment->launch_count; i++) {
        bool applies = true;
        enum status status =
            formula_truth(&experiment->launches[i].when, environment, &applies, error);
        if (status != STATUS_OK)
            return status;
        if (applies)
            out[(*count)++] = &experiment->launches[i];
    }
    if (*count == 0)
        return place_error(error, STATUS_BAD_INPUT, experiment->launches[0].place,
                           "the configuration launches nothing: every `when` is false");
    return STATUS_OK;
}

static enum status make_extent(const struct formula formulas[3], const char *what,
                               struct environment *environment, uint32_t out[3],
                               struct error *error)
{
    int64_t product = 1;
    for (size_t i = 0; i < 3; i++) {
        int64_t extent = 1;
        enum status status =
            formula_integer(&formulas[i], what, 1, INT32_MAX, 1, environment, &extent, error);
        if (status != STATUS_OK)
            return status;
        out[i] = (uint32_t)extent;
        if (__builtin_mul_overflow(product, extent, &product))
            product = INT64_MAX;
    }
    if (product > INT32_MAX)
        return place_error(error, STATUS_BAD_INPUT, formulas[0].place,
                           "the %s has more than %d in all", what, INT32_MAX);
    return STATUS_OK;
}

static enum status make_shape(const struct launch_rule *rule, struct environment *environment,
                              struct launch *out, struct error *error)
{
    int64_t shared = 0;
    enum status status = make_extent(rule->block, "block", environment, out->block, error);
    if (status == STATUS_OK)
        status =
            formula_integer(&rule->shared, "shared", 0, INT32_MAX, 0, environment, &shared, error);
    out->shared_bytes = (uint32_t)shared;
    return status;
}

enum status point_kernels(const struct point *point, struct arena *arena,
                          struct kernel_use out[LAUNCHES_MAX], size_t *count, struct error *error)
{
    const struct launch_rule *rules[LAUNCHES_MAX];
    struct environment environment;
    *count = 0;
    enum status status = point_environment(point, &environment, error);
    if (status == STATUS_OK)
        status = applying_launches(point->experiment, &environment, rules, count, error);
    for (size_t i = 0; i < *count && status == STATUS_OK; i++) {
        struct launch shape = {0};
        status = template_text(&rules[i]->kernel, &environment, arena, &out[i].kernel, error);
        if (status == STATUS_OK)
            status = make_shape(rules[i], &environment, &shape, error);
        out[i].block_threads = shape.block[0] * shape.block[1] * shape.block[2];
        out[i].shared_bytes = shape.shared_bytes;
    }
    return status;
}

static enum status make_schedule(const struct launch_rule *rule, struct environment *environment,
                                 struct arena *arena, enum schedule *out, struct error *error)
{
    const char *name = NULL;
    enum status status = template_text(&rule->schedule, environment, arena, &name, error);
    if (status != STATUS_OK)
        return status;
    for (enum schedule schedule = SCHEDULE_STATIC; schedule <= SCHEDULE_QUEUED; schedule++) {
        *out = schedule;
        if (strcmp(name, schedule_name(schedule)) == 0)
            return STATUS_OK;
    }
    return place_error(error, STATUS_BAD_INPUT, rule->schedule.place,
                       "no schedule is named '%.60s': static or queued", name);
}

enum { CPU_THREADS_MAX = 65536 };

static enum status make_launch(const struct launch_rule *rule, struct environment *environment,
                               struct arena *arena, struct launch *out, struct error *error)
{
    *out = (struct launch){.argument_count = rule->argument_count};
    memcpy(out->arguments, rule->arguments, sizeof out->arguments);
    enum status status = template_text(&rule->kernel, environment, arena, &out->kernel, error);
    if (status == STATUS_OK)
        status = make_extent(rule->grid, "grid", environment, out->grid, error);
    if (status == STATUS_OK)
        status = make_shape(rule, environment, out, error);
    if (status == STATUS_OK && rule->dependent.tree)
        status = formula_truth(&rule->dependent, environment, &out->dependent, error);
    if (status != STATUS_OK || !rule->threads.tree)
        return status;
    int64_t threads = 0;
    status = formula_integer(&rule->threads, "threads", 1, CPU_THREADS_MAX, 1, environment,
                             &threads, error);
    out->threads = (uint32_t)threads;
    if (status == STATUS_OK)
        status = make_schedule(rule, environment, arena, &out->schedule, error);
    return status;
}

/* ---- arguments ---- */

enum status argument_type(const struct argument_rule *rule, struct environment *environment,
                          struct arena *arena, enum element_type *out, struct error *error)
{
    const char *name = NULL;
    enum status status = template_text(&rule->type, environment, arena, &name, error);
    if (status != STATUS_OK || element_from_name(name, out))
        return status;
    size_t count = 0;
    const char *const *names = element_names(&count);
    return place_error(error, STATUS_BAD_INPUT, rule->type.place, "no type is named '%.60s'%s",
                       name, suggest(name, names, count).text);
}

enum status argument_fill(const struct argument_rule *rule, struct environment *environment,
                          struct arena *arena, enum argument_fill *out, struct error *error)
{
    const char *name = NULL;
    enum status status = template_text(&rule->fill, environment, arena, &name, error);
    if (status != STATUS_OK)
        return status;
    const char *names[ARGUMENT_FILLS];
    for (int i = 0; i < ARGUMENT_FILLS; i++) {
        *out = (enum argument_fill)i;
        names[i] = fill_name(*out);
        if (strcmp(names[i], name) == 0)
            return STATUS_OK;
    }
    return place_error(error, STATUS_BAD_INPUT, rule->fill.place, "no fill is named '%.60s'%s",
                       name, suggest(name, names, ARGUMENT_FILLS).text);
}

enum { ALIGNMENT_MOST = 256 }; /* of what the devices' allocators give */

enum status argument_alignment(const struct argument_rule *rule, enum element_type type,
                               struct environment *environment, uint32_t *out, struct error *error)
{
    const int64_t element = (int64_t)element_bytes(type);
    int64_t bytes = 0;
    *out = 0;
    enum status status = formula_integer(&rule->alignment, "alignment", element, ALIGNMENT_MOST, 0,
                                         environment, &bytes, error);
    if (status != STATUS_OK)
        return status;
    if (bytes & (bytes - 1)) /* such an address is no multiple of what an allocator gives */
        return place_error(error, STATUS_BAD_INPUT, rule->alignment.place,
                           "alignment is %lld, which is not a power of two", (long long)bytes);
    *out = (uint32_t)bytes;
    return STATUS_OK;
}

/* Of the name and the axes, not of the size: the data of n is the beginning of that of a larger n,
 * and arguments differ from one another. */
static uint64_t argument_seed(const char *name, const struct problem *problem)
{
    uint64_t seed = hash_u64(name, strlen(name), 0);
    for (size_t i = 0; i < problem->axis_count; i++) {
        char value[VALUE_TEXT_BYTES];
        (void)value_format(problem->axes[i].value, value, sizeof value);
        seed = hash_u64(problem->axes[i].name, strlen(problem->axes[i].name), seed);
        seed = hash_u64(value, strlen(value), seed);
    }
    return seed;
}

/* The least and the greatest value of an integer type; u64 up to what an int64_t holds. */
static void integer_range(enum element_type type, int64_t *least, int64_t *most)
{
    unsigned bits = (unsigned)element_bytes(type) * 8;
    bool is_unsigned = element_name(type)[0] == 'u';
    *least = is_unsigned ? 0 : bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
    *most = bits == 64    ? INT64_MAX
            : is_unsigned ? (INT64_C(1) << bits) - 1
                          : (INT64_C(1) << (bits - 1)) - 1;
}

/* As the type holds it. */
static double narrowed(double real, enum element_type type)
{
    switch (type) {
    case ELEMENT_F16:
        return f16_to_real(f16_from_real(real));
    case ELEMENT_BF16:
        return bf16_to_real(bf16_from_real(real));
    case ELEMENT_F32:
        return (double)(float)real;
    default:
        return real;
    }
}

static enum status make_scalar(const struct argument_rule *rule, struct environment *environment,
                               struct argument *out, struct error *error)
{
    char what[VALUE_TEXT_BYTES + 32];
    (void)string_format(what, sizeof what, "the value of '%s' (%s)", rule->name,
                        element_name(out->type));
    out->count = 1;
    if (element_is_real(out->type)) {
        double real = 0;
        enum status status =
            expression_evaluate(rule->value.tree, environment, &out->scalar, error);
        if (status != STATUS_OK)
            return status;
        if (!value_number(out->scalar, &real) || !isfinite(narrowed(real, out->type)))
            return place_error(error, STATUS_BAD_INPUT, rule->value.place,
                               "%s must be a number of that type", what);
        out->scalar = value_real(real);
        return STATUS_OK;
    }
    int64_t least = 0;
    int64_t most = 0;
    int64_t integer = 0;
    integer_range(out->type, &least, &most);
    enum status status =
        formula_integer(&rule->value, what, least, most, 0, environment, &integer, error);
    out->scalar = value_integer(integer);
    return status;
}

static const int64_t COUNT_MAX = INT64_C(1) << 48;

static enum status make_argument(const struct argument_rule *rule, const struct problem *problem,
                                 struct environment *environment, struct arena *arena,
                                 struct argument *out, struct error *error)
{
    *out = (struct argument){.name = rule->name, .role = rule->role};
    enum status status = argument_type(rule, environment, arena, &out->type, error);
    if (status != STATUS_OK)
        return status;
    if (rule->role == ARGUMENT_SCALAR)
        return make_scalar(rule, environment, out, error);
    if (rule->role == ARGUMENT_INPUT) {
        out->seed = argument_seed(rule->name, problem);
        status = argument_fill(rule, environment, arena, &out->fill, error);
    }
    if (status == STATUS_OK)
        status = argument_alignment(rule, out->type, environment, &out->alignment_bytes, error);
    if (status == STATUS_OK)
        status = formula_integer(&rule->count, "count", rule->role == ARGUMENT_INPUT ? 0 : 1,
                                 COUNT_MAX, 0, environment, &out->count, error);
    return status;
}

enum status point_plan(const struct point *point, struct arena *arena, struct launch_plan *out,
                       struct error *error)
{
    const struct experiment *experiment = point->experiment;
    const struct launch_rule *rules[LAUNCHES_MAX];
    struct environment environment;
    *out = (struct launch_plan){0};
    size_t count = 0;
    enum status status = point_environment(point, &environment, error);
    if (status == STATUS_OK)
        status = applying_launches(experiment, &environment, rules, &count, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = make_launch(rules[i], &environment, arena, &out->launches[i], error);
    if (status == STATUS_OK && out->launches[0].dependent)
        status = place_error(error, STATUS_BAD_INPUT, rules[0]->dependent.place,
                             "of this configuration's launches this is the first: there is none "
                             "before it to depend on");
    for (size_t i = 0; i < experiment->argument_count && status == STATUS_OK; i++)
        status = make_argument(&experiment->arguments[i], point->problem, &environment, arena,
                               &out->arguments[i], error);
    out->launch_count = count;
    out->argument_count = experiment->argument_count;
    return status;
}
