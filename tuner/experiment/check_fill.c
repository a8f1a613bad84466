/* {series: EXPRESSION}, {file: PATH}: expected elements from an argument's kind of fill. */
#include "tuner/experiment/check.h"
#include "tuner/experiment/plan.h"

static bool read_expected_series(struct file_reader *reader, const struct node *node,
                                 const struct node *value, struct check_rule *check)
{
    (void)node;
    return read_series(reader, value, &check->series);
}

static bool make_expected_series(struct maker *maker, const struct point *point,
                                 const struct check_rule *rule, enum element_type type,
                                 struct output_check *out)
{
    (void)point;
    (void)type;
    return make_series(maker, &rule->series, check_known_count(maker, rule), &out->reference);
}

static bool read_expected_file(struct file_reader *reader, const struct node *node,
                               const struct node *value, struct check_rule *check)
{
    (void)node;
    return read_template(reader, value, "file", USE_PROBLEM, &check->file);
}

static bool make_expected_file(struct maker *maker, const struct point *point,
                               const struct check_rule *rule, enum element_type type,
                               struct output_check *out)
{
    const struct argument_rule *output = &maker->experiment->arguments[rule->output];
    (void)point;
    if (!check_per_covers(maker->experiment, output->type.uses, &rule->per))
        return maker_error(maker, rule->file.place,
                           "a file has elements of one type, and that of '%s' depends on a "
                           "parameter: let a function or a configuration be the reference",
                           output->name);
    return make_file_path(maker, &rule->file, &out->reference) &&
           file_holds(maker, out->reference, rule->file.place, check_known_count(maker, rule),
                      type);
}

const struct check_kind check_by_series = {
    .key = "series",
    .reference = REFERENCE_FILL,
    .fill = FILL_SERIES,
    .read = read_expected_series,
    .make = make_expected_series,
};
const struct check_kind check_by_file = {
    .key = "file",
    .reference = REFERENCE_FILL,
    .fill = FILL_FILE,
    .of_problem = true,
    .read = read_expected_file,
    .make = make_expected_file,
};
