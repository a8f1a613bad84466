/* Reading of arguments with their fills, fields and symbols; defines, flags, launches. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/read.h"

/* An optional key, and the variables that its expression (a text with ${}, if `text`) may use. */
struct member {
    const char *key;
    unsigned allowed;
    size_t offset; /* in the struct, of the formula or template */
    bool text;
};

static bool read_members(struct file_reader *reader, const struct node *node,
                         const struct member *members, size_t count, void *out)
{
    for (size_t i = 0; i < count; i++) {
        const struct member *member = &members[i];
        const struct node *value = node_get(node, member->key);
        void *place = (char *)out + member->offset;
        if (value &&
            !(member->text ? read_template(reader, value, member->key, member->allowed, place)
                           : read_formula(reader, value, member->key, member->allowed, place)))
            return false;
    }
    return true;
}
#define READ_MEMBERS(reader, node, members, out)                                                   \
    read_members(reader, node, members, sizeof(members) / sizeof *(members), out)

/* ---- fills ---- */

enum { FILL_WORDS = FILL_RANDOM_ODD + 1 }; /* number of fills given by one word */

/* {KIND: ...} */
static bool read_made_fill(struct file_reader *reader, const struct node *node,
                           struct fill_rule *fill)
{
    TRY_OR_FALSE(
        check_keys(reader, node, "fill", fill_names + FILL_WORDS, ARGUMENT_FILLS - FILL_WORDS));
    if (node->count != 1)
        return node_error(reader, node,
                          "fill must say one of constant, uniform, normal, series, "
                          "file");
    const char *kind = node->first->text;
    const struct node *value = node->first->value;
    fill->kind = (enum argument_fill)WORD_INDEX(kind, fill_names, ARGUMENT_FILLS);
    switch (fill->kind) {
    case FILL_CONSTANT:
        return read_formula(reader, value, "constant", USE_DEVICE, &fill->low);
    case FILL_SERIES:
        return read_series(reader, value, &fill->series);
    case FILL_FILE:
        return read_template(reader, value, "file", USE_PROBLEM, &fill->file);
    default: /* [low, high] */
        TRY_OR_FALSE(need_items(reader, value, kind, 2));
        if (value->count != 2)
            return node_error(reader, value, "%s needs two numbers", kind);
        return read_formula(reader, value->first, kind, USE_DEVICE, &fill->low) &&
               read_formula(reader, value->first->next, kind, USE_DEVICE, &fill->high);
    }
}

static bool read_word_fill(struct file_reader *reader, const struct node *node,
                           struct fill_rule *fill)
{
    TRY_OR_FALSE(need_kind(reader, node, NODE_SCALAR, "fill"));
    const size_t index = WORD_INDEX(node->text, fill_names, ARGUMENT_FILLS);
    if (index >= FILL_WORDS && index < ARGUMENT_FILLS)
        return node_error(reader, node, "the fill '%s' needs a value: {%s: ...}", node->text,
                          node->text);
    return read_choice(reader, node, "fill", fill_names, FILL_WORDS, USE_PROBLEM, &fill->word);
}

static bool read_fill(struct file_reader *reader, const struct node *node,
                      struct argument_rule *argument)
{
    struct fill_rule *fill = &argument->fill;
    const struct node *given = node_get(node, "fill");
    const struct node *seed = node_get(node, "seed");
    fill->place = given ? given->place : node->place;
    if (!given
            ? !literal_template(reader, fill_names[FILL_RANDOM], node->place, &fill->word)
            : !(given->kind == NODE_MAPPING ? read_made_fill : read_word_fill)(reader, given, fill))
        return false;
    if (!seed)
        return true;
    const bool drawn = fill->word.count == 0
                           ? fill->kind == FILL_UNIFORM || fill->kind == FILL_NORMAL
                           : fill->word.count > 1 || !fill->word.parts[0].literal ||
                                 strcmp(fill->word.parts[0].literal, fill_names[FILL_ZERO]) != 0;
    if (!drawn)
        return node_error(reader, seed, "a seed for '%s', whose fill draws no random numbers",
                          argument->name);
    return read_formula(reader, seed, "seed", USE_PROBLEM, &fill->seed);
}

/* ---- arguments ---- */

static bool read_role(struct file_reader *reader, const struct node *node,
                      struct argument_rule *argument)
{
    static const char *const of_vectors[] = {"count",  "fill",    "seed",  "alignment",
                                             "output", "scratch", "update"};
    const bool value = node_get(node, "value") != NULL;
    const bool fields = node_get(node, "fields") != NULL;
    if (value && fields)
        return node_error(reader, node, "'%s' has both a value and fields", argument->name);
    argument->role = value ? ARGUMENT_SCALAR : fields ? ARGUMENT_STRUCT : ARGUMENT_INPUT;
    for (size_t i = 0; (value || fields) && i < sizeof of_vectors / sizeof *of_vectors; i++)
        if (node_get(node, of_vectors[i]))
            return node_error(reader, node,
                              "'%s' has %s: no count, fill, seed, alignment, output, scratch or "
                              "update",
                              argument->name,
                              value ? "a value, so it is a scalar" : "fields, so it is a struct");
    if (value || fields)
        return true;
    if (!node_get(node, "count"))
        return node_error(reader, node,
                          "'%s' needs a count (a vector), a value (a scalar) or fields (a struct)",
                          argument->name);
    /* Read which of output, scratch and update is true: at most one. */
    static const struct {
        const char *key;
        enum argument_role role;
    } written[] = {
        {"output", ARGUMENT_OUTPUT}, {"scratch", ARGUMENT_SCRATCH}, {"update", ARGUMENT_UPDATE}};
    const char *before = NULL;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        bool is_so = false;
        TRY_OR_FALSE(read_boolean(reader, node, written[i].key, &is_so));
        if (is_so && before)
            return node_error(reader, node, "'%s' is both %s and %s", argument->name, before,
                              written[i].key);
        if (!is_so)
            continue;
        before = written[i].key;
        argument->role = written[i].role;
    }
    const struct node *fill = node_get(node, "fill");
    fill = fill ? fill : node_get(node, "seed");
    return !fill || role_is_filled(argument->role) ||
           node_error(reader, fill,
                      "only inputs and updates are filled; '%s' is an output or scratch",
                      argument->name);
}

/* Reads the number of fields that one item stands for. */
static bool read_field_count(struct file_reader *reader, const struct node *item, size_t *out)
{
    const struct node *count = item->kind == NODE_MAPPING ? node_get(item, "count") : NULL;
    char *end = NULL;
    *out = 1;
    if (!count)
        return true;
    const long number = count->kind == NODE_SCALAR ? strtol(count->text, &end, 10) : 0;
    if (!end || *end || number < 1 || number > FIELDS_MAX)
        return node_error(reader, count, "count of a field is a number from 1 to %d", FIELDS_MAX);
    *out = (size_t)number;
    return true;
}

static bool read_fields(struct file_reader *reader, const struct node *node,
                        struct argument_rule *argument)
{
    size_t count = 0, total = 0;
    TRY_OR_FALSE(need_items(reader, node, "fields", FIELDS_MAX));
    for (const struct node *item = node->first; item; item = item->next, total += count)
        TRY_OR_FALSE(read_field_count(reader, item, &count));
    if (total > FIELDS_MAX)
        return node_error(reader, node, "'%s' has %zu fields; the most is %d", argument->name,
                          total, FIELDS_MAX);
    argument->fields = arena_alloc(reader->arena, total, sizeof *argument->fields);
    if (!argument->fields)
        return out_of_memory(reader);
    for (const struct node *item = node->first; item; item = item->next) {
        struct field_rule field = {0};
        const bool pointer = node_get(
            item, "pointer"); /* read later by read_pointers, since the target may follow */
        if (!read_field_count(reader, item, &count) ||
            (!pointer &&
             (!CHECK_KEYS(reader, item, "a field", "!type", "!value", "count") ||
              !read_choice(reader, node_get(item, "type"), "type", element_names,
                           ELEMENT_TYPE_COUNT, USE_CONFIGURATION, &field.type) ||
              !read_formula(reader, node_get(item, "value"), "value", USE_ALL, &field.value))))
            return false;
        while (count-- > 0)
            argument->fields[argument->field_count++] = field;
    }
    return true;
}

static bool read_contents(struct file_reader *reader, const struct node *node,
                          struct argument_rule *argument)
{
    const struct node *type = node_get(node, "type");
    const bool filled = role_is_filled(argument->role);
    /* Filled vectors are made once for a problem, so cannot depend on the configuration. */
    const unsigned allowed = filled ? USE_PROBLEM : USE_ALL;
    const struct member members[] = {
        {"count", allowed, offsetof(struct argument_rule, count), false},
        {"alignment", USE_CONFIGURATION, offsetof(struct argument_rule, alignment), false},
        {"value", allowed, offsetof(struct argument_rule, value), false},
    };
    if (argument->role == ARGUMENT_STRUCT)
        return type ? node_error(reader, type, "'%s' is a struct: its fields have types",
                                 argument->name)
                    : read_fields(reader, node_get(node, "fields"), argument);
    if (!type)
        return node_error(reader, node, "an argument needs the key 'type'");
    return read_choice(reader, type, "type", element_names, ELEMENT_TYPE_COUNT,
                       allowed & ~(unsigned)USE_ACTIVE_BLOCKS, &argument->type) &&
           (!filled || read_fill(reader, node, argument)) &&
           READ_MEMBERS(reader, node, members, argument);
}

/* Finds the index of the key's word; 0 if the key is absent. */
static bool read_one_of(struct file_reader *reader, const struct node *node, const char *key,
                        const char *const *words, size_t count, size_t *out)
{
    const struct node *given = node_get(node, key);
    *out = 0;
    if (!given)
        return true;
    TRY_OR_FALSE(need_kind(reader, given, NODE_SCALAR, key));
    *out = WORD_INDEX(given->text, words, count);
    return *out < count || node_error(reader, given, "%s is never '%.60s'%s", key, given->text,
                                      suggest(given->text, words, count).text);
}

static bool read_texture(struct file_reader *reader, const struct node *node,
                         struct texture_rule *out)
{
    static const char *const addresses[] = {"clamp", "wrap", "mirror", "border"};
    static const enum texture_address meant[] = {TEXTURE_CLAMP, TEXTURE_WRAP, TEXTURE_MIRROR,
                                                 TEXTURE_BORDER};
    static const char *const filters[] = {"point", "linear"};
    static const char *const reads[] = {"element", "normalized"};
    static const char *const planar[] = {"address", "filter", "normalized"};
    size_t address = 0, filter = 0, read = 0;
    if (!CHECK_KEYS(reader, node, "a texture", "!width", "height", "channels", "address", "filter",
                    "normalized", "read") ||
        !read_one_of(reader, node, "address", addresses, 4, &address) ||
        !read_one_of(reader, node, "filter", filters, 2, &filter) ||
        !read_one_of(reader, node, "read", reads, 2, &read) ||
        !read_boolean(reader, node, "normalized", &out->fixed.normalized))
        return false;
    for (size_t i = 0; !node_get(node, "height") && i < sizeof planar / sizeof *planar; i++)
        if (node_get(node, planar[i]))
            return node_error(reader, node, "'%s' is of textures with a height", planar[i]);
    out->fixed.address = meant[address];
    out->fixed.linear = filter == 1;
    out->fixed.reads_real = read == 1;
    return (out->fixed.normalized ||
            (out->fixed.address != TEXTURE_WRAP && out->fixed.address != TEXTURE_MIRROR)) ||
           node_error(reader, node, "address: %s needs normalized: true", addresses[address]);
}

/* Reads a texture, or a surface, which kernels may write to. */
static bool read_object(struct file_reader *reader, const struct node *argument,
                        const struct node *texture, const struct node *surface,
                        struct argument_rule *out)
{
    static const struct member members[] = {
        {"width", USE_PROBLEM, offsetof(struct texture_rule, width), false},
        {"height", USE_PROBLEM, offsetof(struct texture_rule, height), false},
        {"channels", USE_PROBLEM, offsetof(struct texture_rule, channels), false},
    };
    const struct node *node = surface ? surface : texture;
    const char *subject = surface ? "surface" : "texture";
    if (!node)
        return true;
    if (!reader->experiment->head.device->is_gpu)
        return node_error(reader, node, "%ss are of experiments for a GPU", subject);
    if (texture && surface)
        return node_error(reader, node, "an argument is a texture or a surface");
    if ((surface && node_get(argument, "symbol")) || node_get(argument, "alignment") ||
        !role_is_vector(out->role) || (texture && out->role != ARGUMENT_INPUT))
        return node_error(reader, node, "a %s is of %s, without %salignment of its own", subject,
                          surface ? "a vector" : "an input", surface ? "symbol and " : "");
    out->texture.place = node->place;
    out->texture.fixed.is_surface = surface != NULL;
    return (surface ? CHECK_KEYS(reader, node, "a surface", "!width", "height", "channels")
                    : read_texture(reader, node, &out->texture)) &&
           READ_MEMBERS(reader, node, members, &out->texture);
}

/* Reads {same_as: NAME}: an input with the data of an earlier argument, or a prefix of it. */
static bool read_same_as(struct file_reader *reader, const struct node *node,
                         const struct node *same_as, struct argument_rule *out)
{
    static const char *const own[] = {"type", "value",  "fields",  "fill",
                                      "seed", "output", "scratch", "update"};
    static const struct member members[] = {
        {"count", USE_PROBLEM, offsetof(struct argument_rule, count), false},
        {"alignment", USE_CONFIGURATION, offsetof(struct argument_rule, alignment), false},
    };
    size_t index = 0;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (node_get(node, own[i]))
            return node_error(reader, node, "'%s' has the data of another argument: no '%s'",
                              out->name, own[i]);
    TRY_OR_FALSE(find_argument(reader, same_as, &index));
    const struct argument_rule *other = &reader->experiment->arguments[index];
    if (other == out || !role_is_filled(other->role))
        return node_error(reader, same_as,
                          "same_as names an input or an update that stands before");
    out->role = ARGUMENT_INPUT;
    out->type = other->type;
    out->fill = other->fill;
    out->count = other->count;
    out->data_of = other->data_of ? other->data_of : other->name;
    return READ_MEMBERS(reader, node, members, out);
}

bool find_argument(struct file_reader *reader, const struct node *node, size_t *out)
{
    const struct experiment *experiment = reader->experiment;
    const char *words[ARGUMENTS_MAX];
    TRY_OR_FALSE(need_kind(reader, node, NODE_SCALAR, "an argument"));
    for (*out = 0; *out < experiment->argument_count; (*out)++) {
        words[*out] = experiment->arguments[*out].name;
        if (strcmp(words[*out], node->text) == 0)
            return true;
    }
    return node_error(reader, node, "no argument is named '%.60s'%s", node->text,
                      suggest(node->text, words, experiment->argument_count).text);
}

/* Reads the fields of a struct, passed or a variable, that hold a vector's address. */
static bool read_pointers(struct file_reader *reader, const struct node *fields,
                          struct argument_rule *argument)
{
    size_t i = 0, count = 0;
    for (const struct node *item = fields->first; item; item = item->next, i += count) {
        struct field_rule *field = &argument->fields[i];
        const struct node *pointer = node_get(item, "pointer");
        const struct node *offset = node_get(item, "offset");
        size_t target = 0;
        TRY_OR_FALSE(read_field_count(reader, item, &count));
        if (!pointer)
            continue;
        if (!CHECK_KEYS(reader, item, "a pointer", "!pointer", "offset", "count") ||
            !find_argument(reader, pointer, &target) ||
            (offset && !read_formula(reader, offset, "offset", USE_ALL, &field->value)) ||
            !literal_template(reader, element_name(ELEMENT_U64), item->place, &field->type))
            return false;
        struct argument_rule *vector = &reader->experiment->arguments[target];
        if (!role_is_vector(vector->role) || vector->symbol.count > 0)
            return node_error(reader, pointer, "pointers lead to vectors without a symbol");
        if (argument->symbol.count > 0 && !reader->experiment->head.device->is_gpu)
            return node_error(reader, pointer,
                              "pointers in variables are of experiments for a GPU");
        if (offset && vector->texture.width.tree)
            return node_error(reader, offset, "'%s' is a %s: it has no addresses", vector->name,
                              vector->texture.fixed.is_surface ? "surface" : "texture");
        vector->is_pointed = true;
        field->points_to = (uint8_t)(target + 1);
        for (size_t j = 1; j < count; j++)
            field[j] = *field;
    }
    return true;
}

bool read_arguments(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    TRY_OR_FALSE(need_items(reader, node, "arguments", ARGUMENTS_MAX));
    for (const struct node *item = node->first; item; item = item->next) {
        struct argument_rule *added = &experiment->arguments[experiment->argument_count];
        TRY_OR_FALSE(CHECK_KEYS(reader, item, "an argument", "!name", "type", "count", "value",
                                "fields", "fill", "seed", "same_as", "alignment", "output",
                                "scratch", "update", "symbol", "texture", "surface"));
        const struct node *name = node_get(item, "name");
        const struct node *symbol = node_get(item, "symbol");
        const struct node *same_as = node_get(item, "same_as");
        TRY_OR_FALSE(need_name(reader, name, "the argument's name"));
        for (size_t i = 0; i < experiment->argument_count; i++)
            if (strcmp(experiment->arguments[i].name, name->text) == 0)
                return node_error(reader, name, "a second argument named '%s'", name->text);
        added->name = name->text;
        added->place = item->place;
        experiment->argument_count++;
        if (same_as ? !read_same_as(reader, item, same_as, added)
                    : !read_role(reader, item, added) || !read_contents(reader, item, added))
            return false;
        TRY_OR_FALSE(
            read_object(reader, item, node_get(item, "texture"), node_get(item, "surface"), added));
        TRY_OR_FALSE(!symbol ||
                     read_template(reader, symbol, "symbol", USE_CONFIGURATION, &added->symbol));
    }
    struct argument_rule *argument = experiment->arguments;
    for (const struct node *item = node->first; item; item = item->next, argument++)
        if (argument->role == ARGUMENT_STRUCT &&
            !read_pointers(reader, node_get(item, "fields"), argument))
            return false;
    return true;
}

/* ---- the compiler ---- */

bool read_defines(struct file_reader *reader, const struct node *node, unsigned allowed,
                  struct define_list *out)
{
    if (!node)
        return true;
    TRY_OR_FALSE(need_kind(reader, node, NODE_MAPPING, "defines"));
    if (node->count > DEFINES_MAX)
        return node_error(reader, node, "%zu defines; the most is %d", node->count, DEFINES_MAX);
    out->items = arena_alloc(reader->arena, node->count, sizeof *out->items);
    if (!out->items)
        return out_of_memory(reader);
    for (const struct node *key = node->first; key; key = key->next) {
        struct named_formula *define = &out->items[out->count++];
        define->name = key->text;
        TRY_OR_FALSE(need_name(reader, key, "the define") &&
                     read_formula(reader, key->value, "a define", allowed, &define->formula));
    }
    return true;
}

bool read_flags(struct file_reader *reader, const struct node *node)
{
    struct experiment *experiment = reader->experiment;
    if (!node)
        return true;
    TRY_OR_FALSE(need_items(reader, node, "flags", FLAGS_MAX - (experiment->standard ? 1 : 0)));
    for (const struct node *item = node->first; item; item = item->next) {
        struct flag_rule *out = &experiment->flags[experiment->flag_count++];
        const bool is_text = item->kind != NODE_MAPPING; /* else it has conditions */
        const struct node *file = is_text ? NULL : node_get(item, "file");
        const struct node *flag = is_text ? item : node_get(item, "flag");
        TRY_OR_FALSE(is_text ||
                     CHECK_KEYS(reader, item, "a flag", file ? "flag" : "!flag", "when", "file"));
        TRY_OR_FALSE(flag ? read_template(reader, flag, "a flag", USE_CONFIGURATION, &out->text)
                          : literal_template(reader, "", item->place, &out->text));
        TRY_OR_FALSE(is_text || read_optional(reader, item, "when", USE_CONFIGURATION, &out->when));
        TRY_OR_FALSE(!file || read_template(reader, file, "file", USE_CONFIGURATION, &out->file));
        if (experiment->standard && item->kind == NODE_SCALAR &&
            (strncmp(item->text, "-std", 4) == 0 || strncmp(item->text, "--std", 5) == 0))
            return node_error(reader, item, "the standard is given twice: here and by 'std'");
    }
    return true;
}

/* ---- launches ---- */

/* Reads the list of passed arguments; without a list all that can be passed, in order. */
static bool read_passed(struct file_reader *reader, const struct node *node,
                        struct launch_rule *launch)
{
    const struct experiment *experiment = reader->experiment;
    for (size_t i = 0; !node && i < experiment->argument_count; i++)
        if (experiment->arguments[i].symbol.count == 0 && !experiment->arguments[i].is_pointed &&
            !experiment->arguments[i].is_workspace)
            launch->arguments[launch->argument_count++] = (uint8_t)i;
    if (!node)
        return true;
    TRY_OR_FALSE(need_items(reader, node, "arguments", ARGUMENTS_MAX));
    for (const struct node *item = node->first; item; item = item->next) {
        size_t index = 0;
        TRY_OR_FALSE(find_argument(reader, item, &index));
        if (experiment->arguments[index].symbol.count > 0)
            return node_error(reader, item,
                              "'%s' is a symbol, a variable of the source, so it is not passed "
                              "to a kernel",
                              item->text);
        if (memchr(launch->arguments, (int)index, launch->argument_count))
            return node_error(reader, item, "'%s' is given to the kernel a second time",
                              item->text);
        launch->arguments[launch->argument_count++] = (uint8_t)index;
    }
    return true;
}

/* Reads two vectors that are swapped between repeats, so that the kernel writes both. */
static bool read_swap(struct file_reader *reader, const struct node *node,
                      struct launch_rule *launch)
{
    const struct experiment *experiment = reader->experiment;
    const struct node *item = node ? node->first : NULL;
    if (!node)
        return true;
    TRY_OR_FALSE(need_kind(reader, node, NODE_LIST, "swap"));
    if (node->count != 2)
        return node_error(reader, node, "swap needs two arguments");
    for (size_t i = 0; i < 2; i++, item = item->next) {
        size_t index = 0;
        TRY_OR_FALSE(find_argument(reader, item, &index));
        if (!role_is_vector(experiment->arguments[index].role) ||
            experiment->arguments[index].role == ARGUMENT_INPUT)
            return node_error(reader, item,
                              "'%s' is written in every second repeat: it needs update, output or "
                              "scratch: true",
                              item->text);
        if (!memchr(launch->arguments, (int)index, launch->argument_count))
            return node_error(reader, item, "'%s' is not given to this kernel", item->text);
        launch->swap[i] = (uint8_t)index;
    }
    return launch->swap[0] != launch->swap[1] ||
           node_error(reader, node, "swap needs two different arguments");
}

/* Reads one expression, or a list of up to three. */
static bool read_extent(struct file_reader *reader, const struct node *node, const char *subject,
                        unsigned allowed, struct formula out[3], size_t *count)
{
    *count = node ? 1 : 0;
    if (!node || node->kind != NODE_LIST)
        return !node || read_formula(reader, node, subject, allowed, &out[0]);
    TRY_OR_FALSE(need_items(reader, node, subject, 3));
    *count = 0;
    for (const struct node *item = node->first; item; item = item->next)
        TRY_OR_FALSE(read_formula(reader, item, subject, allowed, &out[(*count)++]));
    return true;
}

/* Reads the keys that kernels have and functions have not. */
static bool read_shape(struct file_reader *reader, const struct node *node,
                       struct launch_rule *launch)
{
    static const struct member members[] = {
        {"kernel", USE_CONFIGURATION, offsetof(struct launch_rule, kernel), true},
        {"threads", USE_CONFIGURATION, offsetof(struct launch_rule, threads), false},
        {"shared", USE_CONFIGURATION, offsetof(struct launch_rule, shared), false},
        {"dependent", USE_CONFIGURATION, offsetof(struct launch_rule, dependent), false},
        {"cooperative", USE_CONFIGURATION, offsetof(struct launch_rule, cooperative), false},
    };
    const bool threads = !reader->experiment->head.device->is_gpu;
    const struct node *schedule = node_get(node, "schedule");
    const bool right =
        threads
            ? CHECK_KEYS(reader, node, "a launch on the CPU", "when", "!kernel", "!grid",
                         "!threads", "schedule", "repeat", "swap", "arguments")
            : CHECK_KEYS(reader, node, "a launch", "when", "!kernel", "!grid", "!block", "cluster",
                         "shared", "dependent", "cooperative", "repeat", "swap", "arguments");
    return right && READ_MEMBERS(reader, node, members, launch) &&
           read_extent(reader, node_get(node, "grid"), "grid", USE_ALL, launch->grid,
                       &launch->grid_count) &&
           read_extent(reader, node_get(node, "block"), "block", USE_CONFIGURATION, launch->block,
                       &launch->block_count) &&
           read_extent(reader, node_get(node, "cluster"), "cluster", USE_CONFIGURATION,
                       launch->cluster, &launch->cluster_count) &&
           (!threads || (schedule ? read_choice(reader, schedule, "schedule", schedule_names, 2,
                                                USE_CONFIGURATION, &launch->schedule)
                                  : literal_template(reader, schedule_names[0], launch->place,
                                                     &launch->schedule)));
}

/* Returns the place of the argument that stands for workspaces, or their bytes; makes both at the
 * first call. ARGUMENTS_MAX: an error. */
static size_t workspace_argument(struct file_reader *reader, const struct node *node)
{
    static const char *const names[] = {"workspace", "workspace_bytes"};
    static const enum element_type types[] = {ELEMENT_U8, ELEMENT_U64};
    struct experiment *experiment = reader->experiment;
    size_t first = 0;
    while (first < experiment->argument_count && !experiment->arguments[first].is_workspace)
        first++;
    if (first < experiment->argument_count)
        return first;
    if (first + 2 > ARGUMENTS_MAX) {
        (void)node_error(reader, node, "with the workspace there are more than %d arguments",
                         ARGUMENTS_MAX);
        return ARGUMENTS_MAX;
    }
    for (size_t i = 0; i < first; i++)
        if (strcmp(experiment->arguments[i].name, names[0]) == 0 ||
            strcmp(experiment->arguments[i].name, names[1]) == 0) {
            (void)node_error(reader, node,
                             "the workspace is an argument of its own: give '%s' another name",
                             experiment->arguments[i].name);
            return ARGUMENTS_MAX;
        }
    for (size_t i = 0; i < 2; i++) {
        struct argument_rule *argument = &experiment->arguments[experiment->argument_count++];
        *argument = (struct argument_rule){.name = names[i],
                                           .place = node->place,
                                           .role = i == 0 ? ARGUMENT_SCRATCH : ARGUMENT_SCALAR,
                                           .is_workspace = true};
        if (!literal_template(reader, element_name(types[i]), node->place, &argument->type) ||
            expression_constant(reader->arena, node->place, value_integer(1),
                                i == 0 ? &argument->count : &argument->value,
                                reader->error) != STATUS_OK)
            return ARGUMENTS_MAX;
    }
    return first;
}

/* Reads a host function, whose shape is its own business. */
static bool read_function(struct file_reader *reader, const struct node *node,
                          struct launch_rule *launch)
{
    static const struct member members[] = {
        {"function", USE_CONFIGURATION, offsetof(struct launch_rule, kernel), true},
        {"workspace", USE_CONFIGURATION, offsetof(struct launch_rule, workspace), false},
        {"workspace_of", USE_CONFIGURATION, offsetof(struct launch_rule, workspace_of), true},
    };
    const struct experiment *experiment = reader->experiment;
    for (size_t i = 0; experiment->head.device->is_gpu && i < experiment->argument_count; i++)
        if (experiment->arguments[i].symbol.count > 0)
            return place_refuses(reader->error, experiment->arguments[i].place,
                                 "'%s' is a symbol, and the variables of a host function's object "
                                 "are not seen: pass it",
                                 experiment->arguments[i].name);
    launch->is_function = true;
    return CHECK_KEYS(reader, node, "a call of a function", "when", "!function", "workspace",
                      "workspace_of", "repeat", "swap", "arguments") &&
           READ_MEMBERS(reader, node, members, launch);
}

static bool read_launch(struct file_reader *reader, const struct node *node,
                        struct launch_rule *launch)
{
    static const struct member members[] = {
        {"when", USE_CONFIGURATION, offsetof(struct launch_rule, when), false},
        {"repeat", USE_CONFIGURATION, offsetof(struct launch_rule, repeat), false},
    };
    const char *compiler = reader->experiment->head.compiler;
    const bool of_functions = compiler && strcmp(compiler, BINARY_OF_FUNCTIONS) == 0;
    launch->place = node->place;
    if ((node_get(node, "function") != NULL) != of_functions)
        return node_error(reader, node, "launches are all of kernels, or all of functions");
    if (!(of_functions ? read_function : read_shape)(reader, node, launch) ||
        !READ_MEMBERS(reader, node, members, launch) ||
        !read_passed(reader, node_get(node, "arguments"), launch) ||
        !read_swap(reader, node_get(node, "swap"), launch))
        return false;
    if (!launch->workspace.tree && launch->workspace_of.count == 0)
        return true;
    const size_t first = workspace_argument(reader, node);
    if (first == ARGUMENTS_MAX)
        return false;
    if (launch->argument_count + 2 > ARGUMENTS_MAX)
        return node_error(reader, node, "with the workspace there are more than %d arguments",
                          ARGUMENTS_MAX);
    launch->arguments[launch->argument_count++] = (uint8_t)first;
    launch->arguments[launch->argument_count++] = (uint8_t)(first + 1);
    return true;
}

bool read_launch_list(struct file_reader *reader, const struct node *node,
                      struct launch_rule out[LAUNCHES_MAX], size_t *count)
{
    TRY_OR_FALSE(need_items(reader, node, "launches", LAUNCHES_MAX));
    const struct node *dependent = node_get(node->first, "dependent");
    if (dependent)
        return node_error(reader, dependent, "the first launch has none before it to depend on");
    for (const struct node *item = node->first; item; item = item->next)
        TRY_OR_FALSE(read_launch(reader, item, &out[(*count)++]));
    return true;
}
