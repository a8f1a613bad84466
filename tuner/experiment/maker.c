/* Values of variables, bound by problem, device and configuration. */
#include "tuner/experiment/maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"

/* Facts of every device, then of GPUs, then of CPUs (tuner/base/facts.h). */
const struct fact_name fact_names[] = {
    {"memory_bytes", FACT_OF_ALL, true},
    {"l2_bytes", FACT_OF_ALL, true},
    {"architecture", FACT_OF_ALL, false},
    {"compute_capability", FACT_OF_GPUS, true},
    {"sm_count", FACT_OF_GPUS, true},
    {"max_threads_per_block", FACT_OF_GPUS, true},
    {"max_threads_per_sm", FACT_OF_GPUS, true},
    {"max_blocks_per_sm", FACT_OF_GPUS, true},
    {"registers_per_sm", FACT_OF_GPUS, true},
    {"shared_bytes_per_block", FACT_OF_GPUS, true},
    {"shared_bytes_per_block_optin", FACT_OF_GPUS, true},
    {"shared_bytes_per_sm", FACT_OF_GPUS, true},
    {"warp_size", FACT_OF_GPUS, true},
    {"cores", FACT_OF_CPUS, true},
    {"hardware_threads", FACT_OF_CPUS, true},
    {"packages", FACT_OF_CPUS, true},
    {"numa_nodes", FACT_OF_CPUS, true},
    {"l1d_bytes", FACT_OF_CPUS, true},
    {"l3_bytes", FACT_OF_CPUS, true},
};
const size_t fact_name_count = sizeof fact_names / sizeof *fact_names;
_Static_assert(sizeof fact_names / sizeof *fact_names <= (size_t)SLOT_AXES, "too many facts");

struct slot_set slots_reached(const struct experiment *experiment, struct slot_set uses)
{
    struct slot_set all = uses;
    for (size_t i = 0; i < experiment->derived_count; i++)
        if (slot_set_has(&uses, SLOT_DERIVED + i))
            all = slot_set_union(all, experiment->reach[SLOT_DERIVED + i]);
    return all;
}

void maker_start(struct maker *maker, const struct experiment *experiment,
                 const struct problem *problem, const struct facts *facts, struct arena *arena,
                 struct error *error)
{
    struct environment *environment = &maker->environment;
    maker->experiment = experiment;
    maker->problem = problem;
    maker->arena = arena;
    maker->error = error;
    environment->file = experiment->file;
    environment->scope = &experiment->scope;
    environment->definitions = experiment->definitions;
    memset(environment->bound, 0, sizeof environment->bound);
    for (size_t i = 0; facts && i < fact_name_count; i++) {
        const struct fact *fact = facts_find(facts, fact_names[i].name);
        if (!fact)
            continue;
        struct value value = fact->value;
        if (fact_names[i].number && value.kind == VALUE_TEXT) {
            char *end = NULL;
            const double real = strtod(value.text, &end);
            if (end == value.text || *end != '\0' || !isfinite(real))
                continue;
            value = value_real(real);
        }
        environment_bind(environment, SLOT_FACTS + i, value);
    }
    for (size_t i = 0; problem && i < problem->axis_count; i++)
        environment_bind(environment, SLOT_AXES + i, problem->axes[i].value);
    if (problem && !problem->shape)
        environment_bind(environment, SLOT_SIZE, value_integer(problem->n));
    const char *shape = problem ? problem->shape : NULL;
    for (size_t i = 0; shape && i < experiment->size_name_count; i++) {
        char *end = NULL;
        environment_bind(environment, SLOT_SIZE + i, value_integer(strtoll(shape, &end, 10)));
        shape = end + (*end == 'x' ? 1 : 0);
    }
}

const struct value *configuration_value(const struct configuration *configuration, size_t likely,
                                        const char *name)
{
    const struct named_value *values = configuration->values;
    if (likely < configuration->count && strcmp(values[likely].name, name) == 0)
        return &values[likely].value;
    for (size_t i = 0; i < configuration->count; i++)
        if (strcmp(values[i].name, name) == 0)
            return &values[i].value;
    return NULL;
}

bool maker_configure(struct maker *maker, const struct configuration *configuration)
{
    const struct experiment *experiment = maker->experiment;
    for (size_t i = 0; i < experiment->head.parameter_count; i++) {
        const char *name = experiment->parameters[i].name;
        const struct value *value = configuration_value(configuration, i, name);
        if (!value) {
            (void)error_set(maker->error, STATUS_BAD_INPUT,
                            "%s: the configuration has no value for the parameter '%s'",
                            experiment->head.path, name);
            return false;
        }
        environment_bind(&maker->environment, SLOT_PARAMETERS + i, *value);
    }
    return true;
}

enum status check_value(struct value value, struct place place, struct error *error)
{
    const char *text = value.kind == VALUE_TEXT ? value.text : "-";
    bool right = text[0] != '\0' && strlen(text) < VALUE_TEXT_BYTES;
    for (; right && *text; text++)
        right = *text > ' ' && *text <= '~' && !strchr("=\"'\\#;`$", *text);
    if (right)
        return STATUS_OK;
    return place_error(error, STATUS_BAD_INPUT, place,
                       "the text '%.60s' must be 1 to 63 printable characters of ASCII, without "
                       "blanks, quotes and = \\ # ; ` $",
                       value.text);
}

bool make_value(struct maker *maker, const struct formula *formula, struct value *out)
{
    return expression_evaluate(formula->tree, &maker->environment, out, maker->error) == STATUS_OK;
}

bool make_integer(struct maker *maker, const struct formula *formula, const char *subject,
                  int64_t least, int64_t most, int64_t *out)
{
    struct value value;
    if (!formula->tree)
        return true;
    TRY_OR_FALSE(make_value(maker, formula, &value));
    if (value.kind == VALUE_TEXT)
        return maker_error(maker, formula->place, "%s must be an integer, not the text '%s'",
                           subject, value.text);
    if (value.kind == VALUE_REAL)
        return maker_error(maker, formula->place, "%s must be an integer, not %g: use // or int()",
                           subject, value.real);
    if (value.integer < least || value.integer > most)
        return maker_error(maker, formula->place, "%s is %lld, which is not from %lld to %lld",
                           subject, (long long)value.integer, (long long)least, (long long)most);
    *out = value.integer;
    return true;
}

bool make_real(struct maker *maker, const struct formula *formula, const char *subject,
               double least, double most, double *out)
{
    struct value value;
    if (!formula->tree)
        return true;
    TRY_OR_FALSE(make_value(maker, formula, &value));
    if (!value_number(value, out))
        return maker_error(maker, formula->place, "%s must be a number, not the text '%s'", subject,
                           value.text);
    if (!(*out >= least && *out <= most) || !isfinite(*out))
        return maker_error(
            maker, formula->place, "%s must be %s, not %g", subject,
            isinf(most) ? "a finite number of at least 0" : "within its type's range", *out);
    return true;
}

bool make_truth(struct maker *maker, const struct formula *formula, bool *out)
{
    struct value value = value_boolean(true);
    if (formula->tree && !make_value(maker, formula, &value))
        return false;
    *out = value_is_true(value);
    return true;
}

bool make_text(struct maker *maker, const struct template *template, const char **out)
{
    struct text text = {0};
    bool right = true;
    if (template->count == 1 && template->parts[0].literal) {
        *out = template->parts[0].literal;
        return true;
    }
    for (size_t i = 0; i < template->count && right; i++) {
        const struct template_part *part = &template->parts[i];
        struct value value = value_text(part->literal);
        char number[VALUE_TEXT_BYTES];
        right = part->literal || make_value(maker, &part->formula, &value);
        if (right && value.kind == VALUE_TEXT)
            text_append(&text, value.text);
        else if (right && value_format(value, number, sizeof number))
            text_append(&text, number);
    }
    *out = text_to_arena(&text, maker->arena);
    return right && (*out || maker_no_memory(maker));
}

bool make_configuration(struct maker *maker, const struct formula values[EXPERIMENT_PARAMETERS_MAX],
                        struct configuration *out)
{
    const struct experiment *experiment = maker->experiment;
    out->count = 0;
    for (size_t i = 0; i < experiment->head.parameter_count; i++) {
        struct named_value *value = &out->values[i];
        value->name = experiment->parameters[i].name;
        if (!make_value(maker, &values[i], &value->value) ||
            check_value(value->value, values[i].place, maker->error) != STATUS_OK)
            return false;
        out->count++;
    }
    return true;
}
