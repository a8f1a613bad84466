/* Reading of keys, texts and names; of expressions and texts with ${}, and checks of the variables
 * that they use. */
#include "tuner/base/element.h"
#include "tuner/experiment/read.h"

#include <stdio.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/text.h"
#include "tuner/experiment/token.h"

/* ---- nodes ---- */

/* Appends "; " and a hint to the error's text. */
static void hint(struct file_reader *reader, const char *text)
{
    char *end = strchr(reader->error->text, '\0');
    size_t room = sizeof reader->error->text - (size_t)(end - reader->error->text);
    (void)snprintf(end, room, "; %s", text);
}

bool need_kind(struct file_reader *reader, const struct node *node, enum node_kind kind,
               const char *subject)
{
    static const char *const kinds[] = {
        [NODE_SCALAR] = "a value",
        [NODE_LIST] = "a list [...]",
        [NODE_MAPPING] = "a mapping (key: value)",
    };
    if (node->kind == kind)
        return true;
    return node_error(reader, node, "%s must be %s, not %s", subject, kinds[kind],
                      kinds[node->kind]);
}

bool need_items(struct file_reader *reader, const struct node *node, const char *subject,
                size_t most)
{
    TRY_OR_FALSE(need_kind(reader, node, NODE_LIST, subject));
    if (node->count == 0)
        return node_error(reader, node, "%s must have at least one item", subject);
    if (node->count > most)
        return node_error(reader, node, "%s has %zu items; the most is %zu", subject, node->count,
                          most);
    return true;
}

bool check_keys(struct file_reader *reader, const struct node *node, const char *subject,
                const char *const *keys, size_t count)
{
    const char *words[32];
    TRY_OR_FALSE(need_kind(reader, node, NODE_MAPPING, subject));
    for (size_t i = 0; i < count; i++)
        words[i] = keys[i] + (keys[i][0] == '!');
    for (const struct node *key = node->first; key; key = key->next) {
        if (WORD_INDEX(key->text, words, count) == count)
            return node_error(reader, key, "%s has no key '%.60s'%s", subject, key->text,
                              suggest(key->text, words, count).text);
    }
    for (size_t i = 0; i < count; i++)
        if (keys[i][0] == '!' && !node_get(node, words[i]))
            return node_error(reader, node, "%s needs the key '%s'", subject, words[i]);
    return true;
}

bool need_name(struct file_reader *reader, const struct node *node, const char *subject)
{
    TRY_OR_FALSE(need_kind(reader, node, NODE_SCALAR, subject));
    if (!is_name(node->text))
        return node_error(reader, node,
                          "%s '%.60s' must be a name: letters, digits and _, at most 63", subject,
                          node->text);
    return true;
}

bool read_text(struct file_reader *reader, const struct node *node, const char *subject,
               const char **out)
{
    TRY_OR_FALSE(need_kind(reader, node, NODE_SCALAR, subject));
    if (node->text[0] == '\0')
        return node_error(reader, node, "%s is empty", subject);
    *out = node->text;
    return true;
}

bool read_boolean(struct file_reader *reader, const struct node *mapping, const char *key,
                  bool *out)
{
    const struct node *node = node_get(mapping, key);
    if (!node)
        return true;
    TRY_OR_FALSE(need_kind(reader, node, NODE_SCALAR, key));
    *out = strcmp(node->text, "true") == 0 || strcmp(node->text, "True") == 0;
    return *out || strcmp(node->text, "false") == 0 || strcmp(node->text, "False") == 0 ||
           node_error(reader, node, "%s must be true or false, not '%.60s'", key, node->text);
}

/* ---- expressions ---- */

static unsigned use_of_slot(size_t slot)
{
    if (slot < SLOT_AXES)
        return USE_FACTS;
    if (slot < SLOT_SIZE)
        return USE_AXES;
    if (slot < SLOT_PARAMETERS)
        return USE_SIZE;
    if (slot < SLOT_DERIVED)
        return USE_PARAMETERS;
    return slot == SLOT_ACTIVE_BLOCKS ? USE_ACTIVE_BLOCKS : 0;
}

/* Returns the first slot of `uses`, followed through derived values, that is not allowed; or
 * SLOT_COUNT. */
static size_t forbidden_slot(const struct experiment *experiment, struct slot_set uses,
                             unsigned allowed)
{
    struct slot_set reached = slots_reached(experiment, uses);
    for (size_t slot = 0; slot < SLOT_COUNT; slot++)
        if (slot_set_has(&reached, slot) && (use_of_slot(slot) & ~allowed))
            return slot;
    return SLOT_COUNT;
}

bool within(const struct experiment *experiment, struct slot_set uses, unsigned allowed)
{
    return forbidden_slot(experiment, uses, allowed) == SLOT_COUNT;
}

/* Finds the node of a variable that depends on `slot`. */
static const struct expression *find_user(const struct experiment *experiment,
                                          const struct expression *node, size_t slot)
{
    if (node->kind == EXPRESSION_VARIABLE) {
        struct slot_set uses = {{0}};
        slot_set_add(&uses, node->index);
        uses = slots_reached(experiment, uses);
        return slot_set_has(&uses, slot) ? node : NULL;
    }
    for (size_t i = 0; i < node->count; i++) {
        const struct expression *found = find_user(experiment, node->operands[i], slot);
        if (found)
            return found;
    }
    return NULL;
}

static const char *why_not(size_t slot)
{
    switch (use_of_slot(slot)) {
    case USE_FACTS:
        return "it differs from device to device, and this is the same on all";
    case USE_PARAMETERS:
        return "a parameter has no value here yet";
    case USE_ACTIVE_BLOCKS:
        return "it is known only after compiling; only grids, counts and values of arguments and "
               "derived values may use it";
    default:
        return "it differs from problem to problem, and this is the same for all";
    }
}

static bool check_allowed(struct file_reader *reader, const struct formula *formula,
                          const char *subject, unsigned allowed)
{
    const struct experiment *experiment = reader->experiment;
    size_t slot = forbidden_slot(experiment, formula->uses, allowed);
    if (slot == SLOT_COUNT)
        return true;
    const struct expression *user = find_user(experiment, formula->tree, slot);
    struct place place = formula->place;
    const char *name = experiment->scope.names[slot];
    char through[160] = "";
    if (user) {
        place.line = user->line;
        place.column = user->column;
        if (user->index != slot)
            (void)string_format(through, sizeof through, " (through '%s')",
                                experiment->scope.names[user->index]);
    }
    return place_refuses(reader->error, place, "%s cannot use '%s'%s: %s", subject, name, through,
                         why_not(slot));
}

static bool parse(struct file_reader *reader, const struct source_text *source, const char *subject,
                  unsigned allowed, struct formula *out)
{
    if (expression_parse(reader->arena, source, reader->scope, false, out, reader->error) !=
        STATUS_OK)
        return false;
    struct read_formula *kept = arena_alloc(reader->arena, 1, sizeof *kept);
    if (!kept)
        return out_of_memory(reader);
    *kept = (struct read_formula){.next = reader->formulas, .formula = *out};
    reader->formulas = kept;
    return check_allowed(reader, out, subject, allowed);
}

bool read_list_formula(struct file_reader *reader, const struct node *node, const char *subject,
                       unsigned allowed, struct formula *out)
{
    if (node->text[0] == '\0')
        return node_error(reader, node, "%s is empty", subject);
    return expression_parse(reader->arena, &node->inner, reader->scope, true, out, reader->error) ==
               STATUS_OK &&
           check_allowed(reader, out, subject, allowed);
}

bool read_series(struct file_reader *reader, const struct node *node, struct formula *out)
{
    struct experiment *experiment = reader->experiment;
    struct scope *scope = &experiment->series_scope;
    *scope = experiment->scope;
    scope->names[scope_find(scope, "i")] =
        NULL; /* a hidden name, or the unused slot behind the last */
    scope->names[SLOT_INDEX] = "i";
    scope->count = SLOT_COUNT_SERIES;
    scope->lambdas = false; /* names are replaced by values */
    reader->scope = scope;
    TRY_OR_FALSE(read_formula(reader, node, "series", USE_DEVICE, out));
    reader->scope = &experiment->scope;
    /* Refuse `for n in ...` if n is also a variable: the two could not be distinguished when the
     * variable is replaced by its value. */
    const struct source_text source = {.place = out->place, .text = out->text};
    struct token token = {0};
    bool named = false; /* `for` was the previous token */
    do {
        if (token_read(reader->arena, &source, token.offset + token.length, &token,
                       reader->error) != STATUS_OK)
            return false;
        if (named && token.kind == TOKEN_NAME && scope_find(scope, token.text) < scope->count)
            return place_refuses(reader->error, out->place,
                                 "'%s' is a variable: the name that runs over the list of the "
                                 "series must be another",
                                 token.text);
        named = token.kind == TOKEN_NAME && strcmp(token.text, "for") == 0;
    } while (token.kind != TOKEN_END);
    return true;
}

bool read_formula(struct file_reader *reader, const struct node *node, const char *subject,
                  unsigned allowed, struct formula *out)
{
    TRY_OR_FALSE(need_kind(reader, node, NODE_SCALAR, subject));
    if (node->text[0] == '\0')
        return node_error(reader, node, "%s is empty", subject);
    bool is_true = node->plain && strcmp(node->text, "true") == 0; /* YAML's spelling */
    if (is_true || (node->plain && strcmp(node->text, "false") == 0))
        return expression_constant(reader->arena, node->place, value_boolean(is_true), out,
                                   reader->error) == STATUS_OK;
    if (parse(reader, &node->inner, subject, allowed, out))
        return true;
    if (node->plain && strchr(node->text, '(') && !strchr(node->text, ')'))
        hint(reader, "within {} an expression with a comma goes in quotes");
    return false;
}

bool read_optional(struct file_reader *reader, const struct node *mapping, const char *key,
                   unsigned allowed, struct formula *out)
{
    const struct node *node = node_get(mapping, key);
    return !node || read_formula(reader, node, key, allowed, out);
}

static bool read_value_text(struct file_reader *reader, const struct node *node,
                            struct formula *out)
{
    if (check_value(value_text(node->text), node->place, reader->error) != STATUS_OK)
        return false;
    return expression_constant(reader->arena, node->place, value_text(node->text), out,
                               reader->error) == STATUS_OK;
}

bool read_value(struct file_reader *reader, const struct node *node, unsigned allowed,
                struct formula *out)
{
    TRY_OR_FALSE(need_kind(reader, node, NODE_SCALAR, "an item"));
    if (!node->plain)
        return read_value_text(reader, node, out);
    if (is_name(node->text)) {
        /* A lone word: true and false, a variable's value, else a text. */
        bool is_true = strcmp(node->text, "true") == 0 || strcmp(node->text, "True") == 0;
        if (is_true || strcmp(node->text, "false") == 0 || strcmp(node->text, "False") == 0)
            return expression_constant(reader->arena, node->place, value_boolean(is_true), out,
                                       reader->error) == STATUS_OK;
        if (scope_find(&reader->experiment->scope, node->text) == SLOT_COUNT)
            return read_value_text(reader, node, out);
        if (parse(reader, &node->inner, "this list", allowed, out))
            return true;
        hint(reader, "a text that is also a name goes in quotes");
        return false;
    }
    if (read_formula(reader, node, "this list", allowed, out))
        return true;
    if (reader->error->status == STATUS_BAD_INPUT && strstr(reader->error->text, "not defined"))
        hint(reader, "a text that is not one plain word goes in quotes");
    return false;
}

/* ---- texts with ${} ---- */

bool literal_template(struct file_reader *reader, const char *text, struct place place,
                      struct template *out)
{
    struct template_part *part = arena_alloc(reader->arena, 1, sizeof *part);
    if (!part)
        return out_of_memory(reader);
    part->literal = text;
    *out = (struct template){.parts = part, .count = 1, .place = place};
    return true;
}

/* Reads the part at *at and advances *at. */
static bool read_part(struct file_reader *reader, const struct node *node, size_t *at,
                      const char *subject, unsigned allowed, struct template_part *part)
{
    const char *text = node->text + *at;
    if (strncmp(text, "${", 2) == 0) {
        const char *end = strchr(text, '}');
        if (!end)
            return place_refuses(reader->error, source_place(&node->inner, *at),
                                 "'${' without '}'");
        size_t start = *at + 2;
        *at = (size_t)(end - node->text) + 1;
        struct source_text source = node->inner;
        source.place = source_place(&node->inner, start);
        source.text = arena_strndup(reader->arena, node->text + start, (*at - 1 - start));
        if (!source.text)
            return out_of_memory(reader);
        return parse(reader, &source, subject, allowed, &part->formula);
    }
    const char *next = strstr(text, "${");
    size_t length = next ? (size_t)(next - text) : strlen(text);
    part->literal = arena_strndup(reader->arena, text, length);
    *at += length;
    return part->literal || out_of_memory(reader);
}

bool read_template(struct file_reader *reader, const struct node *node, const char *subject,
                   unsigned allowed, struct template *out)
{
    const char *text = NULL;
    TRY_OR_FALSE(read_text(reader, node, subject, &text));
    size_t most = 1;
    for (const char *at = strstr(text, "${"); at; at = strstr(at + 2, "${"))
        most += 2;
    struct template_part *parts = arena_alloc(reader->arena, most, sizeof *parts);
    if (!parts)
        return out_of_memory(reader);
    *out = (struct template){.parts = parts, .place = node->place};
    for (size_t at = 0; text[at] != '\0'; out->count++) {
        struct template_part *part = &parts[out->count];
        TRY_OR_FALSE(read_part(reader, node, &at, subject, allowed, part));
        out->uses = slot_set_union(out->uses, part->formula.uses);
    }
    return true;
}

/* Returns our name of a type of C, CUDA or NumPy; NULL: none. */
static const char *type_elsewhere(const char *name)
{
    static const struct {
        const char *name, *ours;
    } types[] = {{"float16", "f16"}, {"bfloat16", "bf16"}, {"float32", "f32"}, {"float64", "f64"},
                 {"bool", "u8"},     {"int8", "i8"},       {"uint8", "u8"},    {"int16", "i16"},
                 {"uint16", "u16"},  {"int32", "i32"},     {"uint32", "u32"},  {"int64", "i64"},
                 {"uint64", "u64"}};
    enum element_type element = ELEMENT_I32;
    const size_t index = ROW_INDEX(name, types, name);
    if (index < COUNT(types))
        return types[index].ours;
    return element_from_c_name(name, &element) ? element_name(element) : NULL;
}

bool read_choice(struct file_reader *reader, const struct node *node, const char *subject,
                 const char *const *choices, size_t count, unsigned allowed, struct template *out)
{
    const char *text = NULL;
    TRY_OR_FALSE(read_text(reader, node, subject, &text));
    if (strstr(text, "${"))
        return read_template(reader, node, subject, allowed, out);
    if (WORD_INDEX(text, choices, count) < count)
        return literal_template(reader, text, node->place, out);
    if (!node->plain || scope_find(&reader->experiment->scope, text) == SLOT_COUNT) {
        const char *ours = strcmp(subject, "type") == 0 ? type_elsewhere(text) : NULL;
        return ours
                   ? node_error(reader, node, "no type is named '%.60s'; it is %s here", text, ours)
                   : node_error(reader, node, "no %s is named '%.60s'%s", subject, text,
                                suggest(text, choices, count).text);
    }
    struct template_part *part = arena_alloc(reader->arena, 1, sizeof *part);
    if (!part)
        return out_of_memory(reader);
    *out = (struct template){.parts = part, .count = 1, .place = node->place};
    TRY_OR_FALSE(parse(reader, &node->inner, subject, allowed, &part->formula));
    out->uses = part->formula.uses;
    return true;
}
