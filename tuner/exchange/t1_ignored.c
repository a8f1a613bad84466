/* What a file says and nothing becomes of. */
#include <string.h>

#include "tuner/exchange/internal.h"

enum { KEYS_MAX = 20 };

struct section {
    const char *name;
    const char *keys[KEYS_MAX];
};

static const struct section root_keys = {
    "", {"ConfigurationSpace", "KernelSpecification", "tune", "General"}};
static const struct section general_keys = {"General.", {"BenchmarkName"}};
static const struct section space_keys = {"ConfigurationSpace.",
                                          {"TuningParameters", "Conditions"}};
static const struct section parameter_keys = {"ConfigurationSpace.TuningParameters[].",
                                              {"Name", "Type", "Values", "Default"}};
static const struct section condition_keys = {"ConfigurationSpace.Conditions[].",
                                              {"Parameters", "Expression"}};
/* What both dialects have; what only one has is looked at below. */
static const struct section kernel_keys = {
    "KernelSpecification.",
    {"Language", "KernelName", "KernelFile", "CompilerOptions", "GlobalSizeType", "GlobalSize",
     "LocalSize", "SharedMemory", "Arguments", "ReferenceArguments", "ProblemSize", "GridDivX",
     "GridDivY", "GridDivZ"}};
static const struct section argument_keys = {"KernelSpecification.Arguments[].",
                                             {"Name", "Type", "Size", "TypeSize", "FillType",
                                              "FillValue", "DataSource", "RandomSeed", "AccessType",
                                              "MemoryType", "MemType", "Output"}};
static const struct section reference_keys = {"KernelSpecification.ReferenceArguments[].",
                                              {"Name", "TargetName", "FillType", "FillValue",
                                               "DataSource", "ValidationMethod",
                                               "ValidationThreshold"}};

static bool is_known(const struct section *section, const char *key)
{
    for (size_t i = 0; i < KEYS_MAX && section->keys[i]; i++)
        if (strcmp(section->keys[i], key) == 0)
            return true;
    return false;
}

bool t1_is_key(const char *section, const char *key, const char **nearest)
{
    static const struct section *const sections[] = {&root_keys,      &general_keys, &space_keys,
                                                     &parameter_keys, &kernel_keys,  &argument_keys,
                                                     &reference_keys};
    static const char *const names[] = {
        "",         "General",  "ConfigurationSpace", "Parameter", "KernelSpecification",
        "Argument", "Reference"};
    size_t i = 0;
    while (i < sizeof names / sizeof *names && strcmp(names[i], section) != 0)
        i++;
    *nearest = NULL;
    if (i == sizeof names / sizeof *names || is_known(sections[i], key))
        return true;
    size_t count = 0;
    while (count < KEYS_MAX && sections[i]->keys[count])
        count++;
    *nearest = nearest_word(key, sections[i]->keys, count);
    return false;
}

static void list_object(struct translation *t, const struct section *section, const json_t *object)
{
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        if (!json_is_null(value) && !is_known(section, key))
            t1_ignore(t, t1_printf(t, "%s%.60s", section->name, key));
    }
}

static void list_items(struct translation *t, const struct section *section, const json_t *array)
{
    const json_t *item;
    size_t index;
    json_array_foreach(array, index, item)
    {
        list_object(t, section, item);
    }
}

/* What belongs to the other dialect. */
static void list_foreign(struct translation *t)
{
    static const char *const grid[] = {"ProblemSize", "GridDivX", "GridDivY", "GridDivZ"};
    const json_t *argument;
    size_t index;
    if (t->dialect == T1_KERNEL_TUNER)
        return;
    for (size_t i = 0; i < sizeof grid / sizeof grid[0]; i++)
        if (json_member(t->kernel, grid[i]))
            t1_ignore(t, t1_printf(t, "KernelSpecification.%s", grid[i]));
    json_array_foreach(t1_arguments(t), index, argument)
    {
        if (json_member(argument, "MemType"))
            t1_ignore(t, "KernelSpecification.Arguments[].MemType");
    }
}

void t1_list_ignored(struct translation *t)
{
    list_object(t, &root_keys, t->root);
    list_object(t, &general_keys, json_member(t->root, "General"));
    list_object(t, &space_keys, t->space);
    list_items(t, &parameter_keys, json_member(t->space, "TuningParameters"));
    list_items(t, &condition_keys, json_member(t->space, "Conditions"));
    list_object(t, &kernel_keys, t->kernel);
    list_items(t, &argument_keys, t1_arguments(t));
    list_items(t, &reference_keys, json_member(t->kernel, "ReferenceArguments"));
    list_foreign(t);
}
