/* KernelSpecification.ReferenceArguments: what the outputs must be. Without any the experiment
 * holds them against the default configuration's. */
#include <string.h>

#include "tuner/exchange/internal.h"

static const char *const where = "KernelSpecification.ReferenceArguments";

static bool write_expected(struct translation *t, const json_t *reference, const char *origin)
{
    const char *fill = NULL;
    const char *source = NULL;
    if (!json_text(t, reference, "FillType", origin, &fill))
        return false;
    if (!fill || strcmp(fill, "Constant") == 0) {
        const char *value = json_number_text(t, json_member(reference, "FillValue"), false);
        if (!value)
            return t1_error(t, origin, "FillValue must be a number: it is what is expected");
        yaml_line(t, origin, "    series: %s", yaml_quoted(t, value));
        return true;
    }
    if (strcmp(fill, "Random") == 0)
        return t1_error(t, origin, "FillType Random is no reference: nothing computes it again");
    if (!t1_data_source(t, reference, origin, fill, &source))
        return false;
    bool series = strcmp(fill, "Generator") == 0;
    if (!series && strcmp(fill, "BinaryRaw") != 0)
        return t1_error(t, origin, "FillType '%.40s' is unknown", fill);
    yaml_line(t, t1_printf(t, "%s.DataSource", origin), "    %s: %s", series ? "series" : "file",
              yaml_quoted(t, source));
    return true;
}

static bool write_tolerance(struct translation *t, const json_t *reference, const char *origin)
{
    static const char *const methods[][2] = {
        {"AbsoluteDifference", "total"},
        {"SideBySideComparison", "absolute"},
        {"SideBySideRelativeComparison", "relative"},
    };
    const json_t *threshold = json_member(reference, "ValidationThreshold");
    const char *method = NULL;
    const char *key = "absolute";
    if (!json_text(t, reference, "ValidationMethod", origin, &method))
        return false;
    for (size_t i = 0; method && i < 3; i++) {
        if (strcmp(method, methods[i][0]) == 0) {
            key = methods[i][1];
            method = NULL;
        }
    }
    if (method)
        return t1_error(t, origin, "ValidationMethod '%.60s' is unknown", method);
    if (!threshold)
        return true;
    const char *text = json_is_boolean(threshold) ? NULL : json_number_text(t, threshold, false);
    if (!text || json_number_value(threshold) < 0)
        return t1_error(t, origin, "ValidationThreshold must be a number, not below 0");
    if (json_number_value(threshold) > 0)
        yaml_line(t, t1_printf(t, "%s.ValidationThreshold", origin), "    %s: %s", key, text);
    return true;
}

static bool has_argument(struct translation *t, const char *name)
{
    for (size_t i = 0; i < json_array_size(t1_arguments(t)); i++)
        if (strcmp(t1_argument_name(t, i), name) == 0)
            return true;
    return false;
}

static bool write_check(struct translation *t, size_t index, const json_t *reference)
{
    const char *origin = t1_printf(t, "%s[%zu]", where, index);
    const char *target = NULL;
    if (!json_text(t, reference, "TargetName", origin, &target))
        return false;
    if (!target || (!has_argument(t, target) && !json_member(t->tune, "arguments")))
        return t1_error(t, origin, "TargetName must be the name of an argument");
    yaml_line(t, t1_printf(t, "%s.TargetName", origin), "  - output: %s", yaml_scalar(t, target));
    return write_expected(t, reference, origin) && write_tolerance(t, reference, origin);
}

bool t1_write_checks(struct translation *t)
{
    const json_t *references = json_member(t->kernel, "ReferenceArguments");
    const json_t *reference;
    size_t index;
    if (yaml_overridden(t, "check"))
        return true;
    if (references && !json_is_array(references))
        return t1_error(t, where, "must be a list");
    if (json_array_size(references) == 0)
        return true;
    if (json_array_size(references) > CHECKS_MAX)
        return t1_error(t, where, "%zu of them; at most %d", json_array_size(references),
                        CHECKS_MAX);
    yaml_line(t, where, "check:");
    json_array_foreach(references, index, reference)
    {
        if (!write_check(t, index, reference))
            return false;
    }
    return true;
}
