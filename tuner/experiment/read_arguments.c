/* Reading arguments: their roles, fills, fields and symbols. */
#include <string.h>

#include "tuner/experiment/read.h"

/* ---- fills ---- */

enum { FILL_WORDS = FILL_RANDOM_ODD + 1 }; /* those that are one word */

static bool read_word_fill(struct file_reader *reader, const struct node *node,
                           struct fill_rule *fill)
{
    const char *words[ARGUMENT_FILLS];
    for (int i = 0; i < ARGUMENT_FILLS; i++)
        words[i] = fill_name((enum argument_fill)i);
    for (int i = FILL_WORDS; i < ARGUMENT_FILLS; i++)
        if (strcmp(words[i], node->text) == 0)
            return node_error(reader, node, "the fill '%s' needs to be told more: {%s: ...}",
                              words[i], words[i]);
    return read_choice(reader, node, "fill", words, FILL_WORDS, USE_PROBLEM, &fill->word);
}

/* [low, high] */
static bool read_pair(struct file_reader *reader, const struct node *node, const char *what,
                      struct fill_rule *fill)
{
    if (!need_items(reader, node, what, 2))
        return false;
    if (node->count != 2)
        return node_error(reader, node, "%s needs two numbers", what);
    return read_formula(reader, node->first, what, USE_DEVICE, &fill->low) &&
           read_formula(reader, node->first->next, what, USE_DEVICE, &fill->high);
}

static bool read_made_fill(struct file_reader *reader, const struct node *node,
                           struct fill_rule *fill)
{
    const char *words[ARGUMENT_FILLS];
    for (int i = FILL_WORDS; i < ARGUMENT_FILLS; i++)
        words[i - FILL_WORDS] = fill_name((enum argument_fill)i);
    if (!check_keys(reader, node, "fill", words, ARGUMENT_FILLS - FILL_WORDS))
        return false;
    if (node->count != 1)
        return node_error(reader, node,
                          "fill must say one of constant, uniform, normal, series, "
                          "file");
    const struct node *value = node->first->value;
    for (int i = FILL_WORDS; i < ARGUMENT_FILLS; i++)
        if (strcmp(fill_name((enum argument_fill)i), node->first->text) == 0)
            fill->kind = (enum argument_fill)i;
    switch (fill->kind) {
    case FILL_CONSTANT:
        return read_formula(reader, value, "constant", USE_DEVICE, &fill->low);
    case FILL_SERIES:
        return read_series(reader, value, &fill->series);
    case FILL_FILE:
        return read_template(reader, value, "file", USE_PROBLEM, &fill->file);
    default:
        return read_pair(reader, value, node->first->text, fill);
    }
}

static bool is_drawn(const struct fill_rule *fill)
{
    if (fill->word.count == 0)
        return fill->kind == FILL_UNIFORM || fill->kind == FILL_NORMAL;
    return fill->word.count > 1 || !fill->word.parts[0].literal ||
           strcmp(fill->word.parts[0].literal, fill_name(FILL_ZERO)) != 0;
}

static bool read_fill(struct file_reader *reader, const struct node *node,
                      struct argument_rule *argument)
{
    struct fill_rule *fill = &argument->fill;
    const struct node *given = node_get(node, "fill");
    const struct node *seed = node_get(node, "seed");
    fill->place = given ? given->place : node->place;
    bool right = !given ? literal_template(reader, fill_name(FILL_RANDOM), node->place, &fill->word)
                 : given->kind == NODE_MAPPING ? read_made_fill(reader, given, fill)
                                               : need_kind(reader, given, NODE_SCALAR, "fill") &&
                                                     read_word_fill(reader, given, fill);
    if (!right || !seed)
        return right;
    if (!is_drawn(fill))
        return node_error(reader, seed, "a seed for '%s', whose fill draws no random numbers",
                          argument->name);
    return read_formula(reader, seed, "seed", USE_PROBLEM, &fill->seed);
}

/* ---- roles ---- */

static const char *const vector_keys[] = {"count",  "fill",    "seed",  "alignment",
                                          "output", "scratch", "update"};

/* Something passed by value has nothing of a vector. */
static bool refuse_vector_keys(struct file_reader *reader, const struct node *node,
                               const struct argument_rule *argument)
{
    for (size_t i = 0; i < sizeof vector_keys / sizeof *vector_keys; i++)
        if (node_get(node, vector_keys[i]))
            return node_error(reader, node,
                              argument->role == ARGUMENT_SCALAR
                                  ? "'%s' has a value, so it is a scalar: no count, fill, seed, "
                                    "alignment, output, scratch or update"
                                  : "'%s' has fields, so it is a struct: no count, fill, seed, "
                                    "alignment, output, scratch or update",
                              argument->name);
    return true;
}

/* Which of output, scratch and update is true: at most one. */
static bool read_written(struct file_reader *reader, const struct node *node,
                         struct argument_rule *argument)
{
    static const struct {
        const char *key;
        enum argument_role role;
    } written[] = {
        {"output", ARGUMENT_OUTPUT}, {"scratch", ARGUMENT_SCRATCH}, {"update", ARGUMENT_UPDATE}};
    const char *before = NULL;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        const struct node *given = node_get(node, written[i].key);
        bool is_so = false;
        if (given && !read_boolean(reader, given, written[i].key, &is_so))
            return false;
        if (is_so && before)
            return node_error(reader, node, "'%s' is both %s and %s", argument->name, before,
                              written[i].key);
        if (!is_so)
            continue;
        before = written[i].key;
        argument->role = written[i].role;
    }
    return true;
}

static bool read_role(struct file_reader *reader, const struct node *node,
                      struct argument_rule *argument)
{
    const struct node *value = node_get(node, "value");
    const struct node *fields = node_get(node, "fields");
    if (value && fields)
        return node_error(reader, node, "'%s' has both a value and fields", argument->name);
    argument->role = value ? ARGUMENT_SCALAR : fields ? ARGUMENT_STRUCT : ARGUMENT_INPUT;
    if (!role_is_vector(argument->role))
        return refuse_vector_keys(reader, node, argument);
    if (!node_get(node, "count"))
        return node_error(reader, node,
                          "'%s' needs a count (a vector), a value (a scalar) or fields (a struct)",
                          argument->name);
    if (!read_written(reader, node, argument))
        return false;
    const struct node *fill = node_get(node, "fill");
    fill = fill ? fill : node_get(node, "seed");
    if (fill && !role_is_filled(argument->role))
        return node_error(reader, fill,
                          "only inputs and updates are filled; '%s' is an output or scratch",
                          argument->name);
    return true;
}

/* ---- arguments ---- */

static bool read_type(struct file_reader *reader, const struct node *node, unsigned allowed,
                      struct template *out)
{
    size_t count = 0;
    const char *const *types = element_names(&count);
    return read_choice(reader, node, "type", types, count, allowed, out);
}

static bool read_fields(struct file_reader *reader, const struct node *node,
                        struct argument_rule *argument)
{
    if (!need_items(reader, node, "fields", FIELDS_MAX))
        return false;
    argument->fields = arena_alloc(reader->arena, node->count, sizeof *argument->fields);
    if (!argument->fields)
        return out_of_memory(reader);
    for (const struct node *item = node->first; item; item = item->next) {
        struct field_rule *field = &argument->fields[argument->field_count++];
        if (!CHECK_KEYS(reader, item, "a field", "!type", "!value") ||
            !read_type(reader, node_get(item, "type"), USE_CONFIGURATION, &field->type) ||
            !read_formula(reader, node_get(item, "value"), "value", USE_ALL, &field->value))
            return false;
    }
    return true;
}

static bool read_symbol(struct file_reader *reader, const struct node *node,
                        struct argument_rule *argument)
{
    if (!node)
        return true;
    if (argument->role != ARGUMENT_INPUT && role_is_vector(argument->role))
        return node_error(reader, node,
                          "'%s' is written by the kernel: only inputs, scalars and structs are "
                          "copied into a symbol",
                          argument->name);
    return read_template(reader, node, "symbol", USE_CONFIGURATION, &argument->symbol);
}

static bool read_contents(struct file_reader *reader, const struct node *node,
                          struct argument_rule *argument)
{
    const struct node *type = node_get(node, "type");
    if (argument->role == ARGUMENT_STRUCT)
        return type ? node_error(reader, type, "'%s' is a struct: its fields have types",
                                 argument->name)
                    : read_fields(reader, node_get(node, "fields"), argument);
    if (!type)
        return node_error(reader, node, "an argument needs the key 'type'");
    /* What is filled is made once for a problem: it cannot depend on the configuration. */
    unsigned allowed = role_is_filled(argument->role) ? USE_PROBLEM : USE_ALL;
    return read_type(reader, type, allowed & ~(unsigned)USE_ACTIVE_BLOCKS, &argument->type) &&
           (!role_is_filled(argument->role) || read_fill(reader, node, argument)) &&
           read_optional(reader, node, "count", allowed, &argument->count) &&
           read_optional(reader, node, "alignment", USE_CONFIGURATION, &argument->alignment) &&
           read_optional(reader, node, "value", allowed, &argument->value);
}

static bool read_argument(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    struct argument_rule *argument = &experiment->arguments[experiment->argument_count];
    if (!CHECK_KEYS(reader, node, "an argument", "!name", "type", "count", "value", "fields",
                    "fill", "seed", "alignment", "output", "scratch", "update", "symbol"))
        return false;
    const struct node *name = node_get(node, "name");
    if (!need_name(reader, name, "the argument's name"))
        return false;
    for (size_t i = 0; i < experiment->argument_count; i++)
        if (strcmp(experiment->arguments[i].name, name->text) == 0)
            return node_error(reader, name, "a second argument named '%s'", name->text);
    argument->name = name->text;
    argument->place = node->place;
    experiment->argument_count++;
    return read_role(reader, node, argument) && read_contents(reader, node, argument) &&
           read_symbol(reader, node_get(node, "symbol"), argument);
}

bool read_arguments(struct file_reader *reader, const struct node *node)
{
    if (!need_items(reader, node, "arguments", ARGUMENTS_MAX))
        return false;
    for (const struct node *item = node->first; item; item = item->next)
        if (!read_argument(reader, item))
            return false;
    return true;
}
