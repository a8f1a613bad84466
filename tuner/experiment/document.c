#include "tuner/experiment/document.h"

#include <string.h>
#include <yaml.h>

struct reader {
    struct arena *arena;
    const char *file;
    const char *text;
    size_t length;
    size_t *lines; /* the byte at which each line begins */
    size_t line_count;
    size_t nodes;
    yaml_parser_t yaml;
    struct error *error;
};

static struct place place_of(const struct reader *reader, yaml_mark_t mark)
{
    return (struct place){reader->file, (uint32_t)mark.line + 1, (uint32_t)mark.column + 1};
}

static enum status refuse(struct reader *reader, yaml_mark_t mark, const char *what)
{
    return place_error(reader->error, STATUS_BAD_INPUT, place_of(reader, mark), "%s", what);
}

static bool index_lines(struct reader *reader)
{
    size_t count = 1;
    for (size_t i = 0; i < reader->length; i++)
        count += reader->text[i] == '\n';
    reader->lines = arena_alloc(reader->arena, count, sizeof *reader->lines);
    if (!reader->lines)
        return false;
    reader->line_count = 1;
    for (size_t i = 0; i < reader->length; i++)
        if (reader->text[i] == '\n')
            reader->lines[reader->line_count++] = i + 1;
    return true;
}

/* Whether the scalar's text stands in the file as it is, so that its characters have columns. */
static bool stands_as_is(const struct reader *reader, yaml_mark_t start, bool quoted,
                         const char *text, size_t *offset)
{
    if (start.line >= reader->line_count || strchr(text, '\n'))
        return false;
    size_t at = reader->lines[start.line];
    for (size_t column = 0; column < start.column + (quoted ? 1 : 0); column++) {
        if (at >= reader->length)
            return false;
        at++;
        while (at < reader->length && ((unsigned char)reader->text[at] & 0xc0) == 0x80)
            at++;
    }
    *offset = at;
    return strncmp(reader->text + at, text, strlen(text)) == 0;
}

static enum status read_event(struct reader *reader, yaml_event_t *event)
{
    if (yaml_parser_parse(&reader->yaml, event))
        return STATUS_OK;
    const yaml_parser_t *yaml = &reader->yaml;
    if (yaml->error == YAML_MEMORY_ERROR)
        return error_no_memory(reader->error);
    const char *problem = yaml->problem ? yaml->problem : "cannot be read";
    if (yaml->error == YAML_READER_ERROR) { /* bytes that are no text: only an offset is known */
        size_t line = 1;
        while (line < reader->line_count && reader->lines[line] <= yaml->problem_offset)
            line++;
        struct place place = {reader->file, (uint32_t)line,
                              (uint32_t)(yaml->problem_offset - reader->lines[line - 1]) + 1};
        return place_error(reader->error, STATUS_BAD_INPUT, place, "not UTF-8 text: %s", problem);
    }
    struct place place = place_of(reader, yaml->problem_mark);
    if (!yaml->context)
        return place_error(reader->error, STATUS_BAD_INPUT, place, "not YAML: %s", problem);
    return place_error(reader->error, STATUS_BAD_INPUT, place, "not YAML: %s %s at line %zu",
                       problem, yaml->context, yaml->context_mark.line + 1);
}

static enum status new_node(struct reader *reader, enum node_kind kind, yaml_mark_t mark,
                            struct node **out)
{
    if (++reader->nodes > DOCUMENT_NODES_MAX)
        return refuse(reader, mark, "the file has too many values");
    *out = arena_alloc(reader->arena, 1, sizeof **out);
    if (!*out)
        return error_no_memory(reader->error);
    (*out)->kind = kind;
    (*out)->place = place_of(reader, mark);
    return STATUS_OK;
}

static enum status read_scalar(struct reader *reader, const yaml_event_t *event, struct node **out)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    enum status status = new_node(reader, NODE_SCALAR, event->start_mark, out);
    if (status != STATUS_OK)
        return status;
    if (strlen(text) != length)
        return refuse(reader, event->start_mark, "a text with a zero byte");
    yaml_scalar_style_t style = event->data.scalar.style;
    bool plain = style == YAML_PLAIN_SCALAR_STYLE;
    struct node *node = *out;
    node->text = arena_strndup(reader->arena, text, length);
    if (!node->text)
        return error_no_memory(reader->error);
    node->plain = plain;
    node->inner = (struct source_text){.place = node->place, .text = node->text};
    bool block = style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE;
    node->inner.exact =
        !block && stands_as_is(reader, event->start_mark, !plain, text, &node->offset);
    if (node->inner.exact && !plain)
        node->inner.place.column++;
    return STATUS_OK;
}

static bool is_end(const yaml_event_t *event)
{
    return event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT;
}

static enum status read_node(struct reader *reader, const yaml_event_t *event, unsigned depth,
                             struct node **out);

/* The next node of a list or mapping; NULL at its end. */
static enum status read_next(struct reader *reader, unsigned depth, struct node **out)
{
    yaml_event_t event;
    *out = NULL;
    enum status status = read_event(reader, &event);
    if (status != STATUS_OK)
        return status;
    if (!is_end(&event))
        status = read_node(reader, &event, depth, out);
    yaml_event_delete(&event);
    return status;
}

static enum status check_key(struct reader *reader, const struct node *mapping,
                             const struct node *key)
{
    if (key->kind != NODE_SCALAR || key->text[0] == '\0')
        return place_error(reader->error, STATUS_BAD_INPUT, key->place, "a key must be a name");
    for (const struct node *other = mapping->first; other && other != key; other = other->next)
        if (strcmp(other->text, key->text) == 0)
            return place_error(reader->error, STATUS_BAD_INPUT, key->place,
                               "'%.60s' is given a second time; the first is at line %u", key->text,
                               other->place.line);
    return STATUS_OK;
}

static size_t count_of(const char *text, char c)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == c;
    return count;
}

/* For YAML [ceil_div(n, 2), 1] has three items; here a comma within parentheses ends none. */
static bool continues(const struct node *last, const struct node *next)
{
    return last && last->kind == NODE_SCALAR && next->kind == NODE_SCALAR && last->plain &&
           next->plain && count_of(last->text, '(') > count_of(last->text, ')');
}

static enum status join(struct reader *reader, struct node *last, const struct node *next)
{
    bool exact = last->inner.exact && next->inner.exact;
    size_t length = next->offset + strlen(next->text) - last->offset;
    if (strlen(last->text) + strlen(next->text) > EXPRESSION_BYTES_MAX)
        return place_error(reader->error, STATUS_BAD_INPUT, last->place,
                           "parentheses that are not closed");
    last->text = exact ? arena_strndup(reader->arena, reader->text + last->offset, length)
                       : arena_printf(reader->arena, "%s, %s", last->text, next->text);
    if (!last->text)
        return error_no_memory(reader->error);
    last->inner.text = last->text;
    last->inner.exact = exact && !strchr(last->text, '\n');
    return STATUS_OK;
}

static enum status read_children(struct reader *reader, struct node *node, unsigned depth)
{
    struct node *last = NULL;
    for (;;) {
        struct node *child = NULL;
        enum status status = read_next(reader, depth + 1, &child);
        if (status != STATUS_OK || !child)
            return status;
        if (node->kind == NODE_LIST && continues(last, child)) {
            status = join(reader, last, child);
            if (status != STATUS_OK)
                return status;
            continue;
        }
        if (++node->count > DOCUMENT_ITEMS_MAX)
            return place_error(reader->error, STATUS_BAD_INPUT, child->place,
                               node->kind == NODE_LIST ? "more than %d values in one list"
                                                       : "more than %d names in one mapping",
                               DOCUMENT_ITEMS_MAX);
        if (node->kind == NODE_MAPPING) {
            struct node *value = NULL;
            status = check_key(reader, node, child);
            if (status == STATUS_OK)
                status = read_next(reader, depth + 1, &value);
            if (status != STATUS_OK)
                return status;
            child->value = value;
        }
        if (last)
            last->next = child;
        else
            node->first = child;
        last = child;
    }
}

static enum status read_collection(struct reader *reader, const yaml_event_t *event,
                                   enum node_kind kind, unsigned depth, struct node **out)
{
    if (depth >= DOCUMENT_DEPTH_MAX)
        return refuse(reader, event->start_mark, "nested too deeply");
    enum status status = new_node(reader, kind, event->start_mark, out);
    return status == STATUS_OK ? read_children(reader, *out, depth) : status;
}

static enum status read_node(struct reader *reader, const yaml_event_t *event, unsigned depth,
                             struct node **out)
{
    const yaml_char_t *anchor = NULL;
    const yaml_char_t *tag = NULL;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
        break;
    default:
        return refuse(reader, event->start_mark,
                      "anchors and aliases (& and *) are not taken; a text with * goes in quotes");
    }
    if (anchor)
        return refuse(reader, event->start_mark,
                      "anchors and aliases (& and *) are not taken; a text with & goes in quotes");
    if (tag)
        return refuse(reader, event->start_mark,
                      "tags (!) are not taken; a text with ! goes in quotes");
    if (event->type == YAML_SCALAR_EVENT)
        return read_scalar(reader, event, out);
    return read_collection(reader, event,
                           event->type == YAML_SEQUENCE_START_EVENT ? NODE_LIST : NODE_MAPPING,
                           depth, out);
}

/* Reads one event that must be of `type`. */
static enum status expect(struct reader *reader, yaml_event_type_t type, const char *otherwise)
{
    yaml_event_t event;
    enum status status = read_event(reader, &event);
    if (status != STATUS_OK)
        return status;
    if (event.type != type)
        status = refuse(reader, event.start_mark, otherwise);
    yaml_event_delete(&event);
    return status;
}

static enum status read_document(struct reader *reader, struct node **out)
{
    enum status status = expect(reader, YAML_STREAM_START_EVENT, "not YAML");
    if (status == STATUS_OK)
        status = expect(reader, YAML_DOCUMENT_START_EVENT, "the file is empty");
    if (status == STATUS_OK)
        status = read_next(reader, 0, out);
    if (status == STATUS_OK)
        status = expect(reader, YAML_DOCUMENT_END_EVENT, "not YAML");
    if (status == STATUS_OK)
        status = expect(reader, YAML_STREAM_END_EVENT, "a second document in the file");
    return status;
}

enum status document_read(struct arena *arena, const char *file, const char *text, size_t length,
                          const struct node **out, struct error *error)
{
    struct reader reader = {
        .arena = arena, .file = file, .text = text, .length = length, .error = error};
    struct node *root = NULL;
    if (!index_lines(&reader) || !yaml_parser_initialize(&reader.yaml))
        return error_no_memory(error);
    yaml_parser_set_encoding(&reader.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.yaml, (const unsigned char *)text, length);
    enum status status = read_document(&reader, &root);
    yaml_parser_delete(&reader.yaml);
    *out = root;
    return status;
}

const struct node *node_get(const struct node *mapping, const char *key)
{
    for (const struct node *at = mapping->first; at && mapping->kind == NODE_MAPPING; at = at->next)
        if (strcmp(at->text, key) == 0)
            return at->value;
    return NULL;
}
