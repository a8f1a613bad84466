#include "tuner/experiment/document.h"

#include <string.h>
#include <yaml.h>

#include "tuner/base/text.h"

/* ---- nodes ---- */

bool document_begin(struct document *out, const char *path)
{
    *out = (struct document){.comment = NULL};
    out->file = arena_alloc(&out->arena, 1, sizeof *out->file);
    if (out->file)
        out->file->path = arena_strdup(&out->arena, path);
    return out->file && out->file->path;
}

struct node *document_node(struct document *document, enum node_kind kind, struct place place,
                           const char *text, bool plain)
{
    struct node *node = arena_alloc(&document->arena, 1, sizeof *node);
    document->node_count++;
    if (node)
        *node = (struct node){.kind = kind,
                              .place = place,
                              .text = text,
                              .plain = plain,
                              .inner = {.place = place, .text = text}};
    return node;
}

enum status document_add(struct document *document, struct node *parent, struct node *child,
                         struct error *error)
{
    if (document->node_count > DOCUMENT_NODES_MAX)
        return place_error(error, STATUS_BAD_INPUT, child->place, "the file has too many values");
    if (++parent->count > DOCUMENT_ITEMS_MAX)
        return place_error(error, STATUS_BAD_INPUT, child->place,
                           parent->kind == NODE_LIST ? "more than %d values in one list"
                                                     : "more than %d names in one mapping",
                           DOCUMENT_ITEMS_MAX);
    if (parent->kind == NODE_MAPPING && (child->kind != NODE_SCALAR || child->text[0] == '\0'))
        return place_error(error, STATUS_BAD_INPUT, child->place, "a key must be a name");
    for (const struct node *other = parent->first; other && parent->kind == NODE_MAPPING;
         other = other->next) {
        if (strcmp(other->text, child->text) != 0)
            continue;
        if (other->place.file->origins)
            return place_error(error, STATUS_BAD_INPUT, child->place,
                               "'%.60s' is given a second time", child->text);
        return place_error(error, STATUS_BAD_INPUT, child->place,
                           "'%.60s' is given a second time; the first is at line %u", child->text,
                           other->place.line);
    }
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    return STATUS_OK;
}

const struct node *node_get(const struct node *mapping, const char *key)
{
    for (const struct node *at = mapping->first; at && mapping->kind == NODE_MAPPING; at = at->next)
        if (strcmp(at->text, key) == 0)
            return at->value;
    return NULL;
}

/* ---- reading ---- */

/* State of the reader. Its functions return false after filling the error. */
struct reader {
    struct document *document;
    const char *text;
    size_t length;
    size_t *lines; /* offset of the first byte of each line */
    size_t line_count;
    yaml_parser_t yaml;
    struct error *error;
};

static struct place place_of(const struct reader *reader, yaml_mark_t mark)
{
    return (struct place){reader->document->file, (uint32_t)mark.line + 1,
                          (uint32_t)mark.column + 1};
}

#define out_of_memory(reader) ((void)error_no_memory((reader)->error), false)

static bool refuse(struct reader *reader, yaml_mark_t mark, const char *subject)
{
    return place_refuses(reader->error, place_of(reader, mark), "%s", subject);
}

/* Returns whether the scalar's text equals the file's, so that its characters have columns. */
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

/* Returns advice if the parser's message has none, else "". */
static const char *remedy(const struct reader *reader, const char *problem, size_t offset)
{
    static const struct {
        const char *problem, *remedy;
    } remedies[] = {
        {"mapping values are not allowed",
         ": a key ends with ':', and a text with ': ' in it goes in quotes"},
        {"could not find expected ':'", ": a key ends with ':'"},
        {"did not find expected key", ": lines of one mapping begin in the same column"},
        {"did not find expected '-'", ": lines of one list begin in the same column"},
        {"violates indentation", ": indent with blanks"},
    };
    if (strstr(problem, "cannot start any token"))
        return offset < reader->length && reader->text[offset] == '\t'
                   ? ": a tab; indent with blanks"
                   : ": a text that begins with it goes in quotes";
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (strstr(problem, remedies[i].problem))
            return remedies[i].remedy;
    return "";
}

static bool read_event(struct reader *reader, yaml_event_t *event)
{
    if (yaml_parser_parse(&reader->yaml, event))
        return true;
    const yaml_parser_t *yaml = &reader->yaml;
    const char *problem = yaml->problem ? yaml->problem : "cannot be read";
    struct place place = place_of(reader, yaml->problem_mark);
    if (yaml->error == YAML_MEMORY_ERROR)
        return out_of_memory(reader);
    if (yaml->error == YAML_READER_ERROR) { /* invalid UTF-8: only an offset is known */
        size_t line = 1;
        while (line < reader->line_count && reader->lines[line] <= yaml->problem_offset)
            line++;
        place.line = (uint32_t)line;
        place.column = (uint32_t)(yaml->problem_offset - reader->lines[line - 1]) + 1;
        (void)place_error(reader->error, STATUS_BAD_INPUT, place, "not UTF-8 text: %s", problem);
    } else if (yaml->context) {
        (void)place_error(reader->error, STATUS_BAD_INPUT, place, "not YAML: %s %s at line %zu%s",
                          problem, yaml->context, yaml->context_mark.line + 1,
                          remedy(reader, problem, yaml->problem_mark.index));
    } else {
        (void)place_error(reader->error, STATUS_BAD_INPUT, place, "not YAML: %s%s", problem,
                          remedy(reader, problem, yaml->problem_mark.index));
    }
    return false;
}

static bool read_scalar(struct reader *reader, const yaml_event_t *event, struct node **out)
{
    const char *text = (const char *)event->data.scalar.value;
    const yaml_scalar_style_t style = event->data.scalar.style;
    const bool plain = style == YAML_PLAIN_SCALAR_STYLE;
    const bool block = style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE;
    if (strlen(text) != event->data.scalar.length)
        return refuse(reader, event->start_mark, "a text with a zero byte");
    text = arena_strdup(&reader->document->arena, text);
    *out = text ? document_node(reader->document, NODE_SCALAR, place_of(reader, event->start_mark),
                                text, plain)
                : NULL;
    if (!*out)
        return out_of_memory(reader);
    struct node *node = *out;
    node->inner.exact =
        !block && stands_as_is(reader, event->start_mark, !plain, text, &node->offset);
    if (node->inner.exact && !plain)
        node->inner.place.column++;
    return true;
}

static bool read_node(struct reader *reader, const yaml_event_t *event, unsigned depth,
                      struct node **out);

/* Reads the next node of a list or mapping; NULL at its end. */
static bool read_next(struct reader *reader, unsigned depth, struct node **out)
{
    yaml_event_t event;
    *out = NULL;
    TRY_OR_FALSE(read_event(reader, &event));
    const bool end = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
    const bool right = end || read_node(reader, &event, depth, out);
    yaml_event_delete(&event);
    return right;
}

static size_t count_of(const char *text, char c)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == c;
    return count;
}

/* Returns whether `child` continues `open`: [ceil_div(n, 2), 1] has three items in YAML, and
 * {grid: ceil_div(n, 2)} a second key; here a comma within parentheses ends neither. */
static bool continues(const struct node *open, const struct node *child)
{
    return open && open->kind == NODE_SCALAR && child->kind == NODE_SCALAR && open->plain &&
           child->plain && count_of(open->text, '(') > count_of(open->text, ')');
}

/* Appends the text of `child`, which continues it. */
static bool join(struct reader *reader, struct node *open, const struct node *child)
{
    struct arena *arena = &reader->document->arena;
    const bool exact = open->inner.exact && child->inner.exact;
    const size_t length = child->offset + strlen(child->text) - open->offset;
    if (strlen(open->text) + strlen(child->text) > EXPRESSION_BYTES_MAX)
        return place_refuses(reader->error, open->place, "parentheses that are not closed");
    open->text = exact ? arena_strndup(arena, reader->text + open->offset, length)
                       : arena_printf(arena, "%s, %s", open->text, child->text);
    if (!open->text)
        return out_of_memory(reader);
    open->inner.text = open->text;
    open->inner.exact = exact && !strchr(open->text, '\n');
    return true;
}

static bool read_children(struct reader *reader, struct node *node, unsigned depth)
{
    const bool pairs = node->kind == NODE_MAPPING;
    for (;;) {
        struct node *child = NULL;
        struct node *value = NULL;
        TRY_OR_FALSE(read_next(reader, depth + 1, &child));
        if (!child)
            return true;
        if (pairs)
            TRY_OR_FALSE(read_next(reader, depth + 1, &value));
        struct node *open = pairs && node->last ? node->last->value : node->last;
        const bool alone = !pairs || (node->flow && value && value->kind == NODE_SCALAR &&
                                      value->plain && value->text[0] == '\0');
        if (alone && continues(open, child)) {
            TRY_OR_FALSE(join(reader, open, child));
            continue;
        }
        TRY_OR_FALSE(document_add(reader->document, node, child, reader->error) == STATUS_OK);
        child->value = value;
    }
}

static bool read_node(struct reader *reader, const yaml_event_t *event, unsigned depth,
                      struct node **out)
{
    const yaml_char_t *anchor = NULL;
    const yaml_char_t *tag = NULL;
    bool flow = false;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
        flow = event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
        flow = event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
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
    if (depth >= DOCUMENT_DEPTH_MAX)
        return refuse(reader, event->start_mark, "nested too deeply");
    *out = document_node(reader->document,
                         event->type == YAML_SEQUENCE_START_EVENT ? NODE_LIST : NODE_MAPPING,
                         place_of(reader, event->start_mark), NULL, false);
    if (!*out)
        return out_of_memory(reader);
    (*out)->flow = flow;
    return read_children(reader, *out, depth);
}

/* Reads one event that must be of `type`. */
static bool expect(struct reader *reader, yaml_event_type_t type, const char *otherwise)
{
    yaml_event_t event;
    TRY_OR_FALSE(read_event(reader, &event));
    const bool right = event.type == type || refuse(reader, event.start_mark, otherwise);
    yaml_event_delete(&event);
    return right;
}

enum status document_read(struct document *out, const char *path, const char *text, size_t length,
                          struct error *error)
{
    struct reader reader = {.document = out, .length = length, .error = error};
    struct node *root = NULL;
    const size_t mark = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    TRY_MEMORY(document_begin(out, path));
    text += mark; /* byte order mark, which some editors put before UTF-8 */
    reader.length = length -= mark;
    reader.text = out->text = arena_strndup(&out->arena, text, length);
    TRY_MEMORY(out->text);
    size_t lines = 1;
    for (size_t i = 0; i < length; i++)
        lines += reader.text[i] == '\n';
    reader.lines = arena_alloc(&out->arena, lines, sizeof *reader.lines);
    TRY_MEMORY(reader.lines);
    reader.line_count = 1;
    for (size_t i = 0; i < length; i++)
        if (reader.text[i] == '\n')
            reader.lines[reader.line_count++] = i + 1;
    TRY_MEMORY(yaml_parser_initialize(&reader.yaml));
    yaml_parser_set_encoding(&reader.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.yaml, (const unsigned char *)out->text, length);
    const bool right = expect(&reader, YAML_STREAM_START_EVENT, "not YAML") &&
                       expect(&reader, YAML_DOCUMENT_START_EVENT, "the file is empty") &&
                       read_next(&reader, 0, &root) &&
                       expect(&reader, YAML_DOCUMENT_END_EVENT, "not YAML") &&
                       expect(&reader, YAML_STREAM_END_EVENT, "a second document in the file");
    yaml_parser_delete(&reader.yaml);
    out->root = root;
    return right ? STATUS_OK : error->status;
}

/* ---- printing ---- */

/* Returns whether YAML accepts the character in a plain scalar; *code is its code point. */
static bool is_printable(const char *character, size_t bytes, unsigned long *code)
{
    *code = utf8_code(character, bytes);
    return *code >= ' ' && *code != 0x7f && (*code < 0x80 || *code >= 0xa0) && *code != 0x2028 &&
           *code != 0x2029 && *code != 0xfeff && *code != 0xfffe && *code != 0xffff;
}

bool document_is_plain(const char *text)
{
    unsigned long code = 0;
    if (strchr("?:,[]{}#&*!|>'\"%@` ", text[0]) || (text[0] == '-' && strchr(" -", text[1])) ||
        strncmp(text, "...", 3) == 0 || text[strlen(text) - 1] == ' ')
        return false;
    for (const char *c = text; *c; c += utf8_bytes(c))
        if (utf8_bytes(c) == 0 || !is_printable(c, utf8_bytes(c), &code) ||
            (*c == ':' && strchr(" ", c[1])) || (*c == ' ' && c[1] == '#'))
            return false;
    return true;
}

static void print_scalar(struct text *out, const struct node *node)
{
    if (node->plain && document_is_plain(node->text)) {
        text_append(out, node->text);
        return;
    }
    text_append(out, "\"");
    for (const char *c = node->text; *c;) {
        const size_t bytes = utf8_bytes(c) ? utf8_bytes(c) : 1;
        unsigned long code = 0;
        if (*c == '"' || *c == '\\')
            text_printf(out, "\\%c", *c);
        else if (is_printable(c, bytes, &code))
            text_append_bytes(out, c, bytes);
        else
            text_printf(out, code < 0x100 ? "\\x%02lx" : "\\u%04lx", code);
        c += bytes;
    }
    text_append(out, "\"");
}

/* Returns whether the node fits on one line. A plain scalar with a comma or a bracket would end
 * within a flow collection. */
static bool fits_line(const struct node *node)
{
    if (node->kind == NODE_SCALAR)
        return !node->plain || !document_is_plain(node->text) || !strpbrk(node->text, ",[]{}:");
    for (const struct node *item = node->first; item; item = item->next)
        if (!fits_line(item) || (item->value && !fits_line(item->value)))
            return false;
    return node->flow || node->count == 0;
}

static void print_line(struct text *out, const struct node *node)
{
    if (node->kind == NODE_SCALAR) {
        print_scalar(out, node);
        return;
    }
    text_append(out, node->kind == NODE_LIST ? "[" : "{");
    for (const struct node *item = node->first; item; item = item->next) {
        print_line(out, item);
        if (item->value) {
            text_append(out, ": ");
            print_line(out, item->value);
        }
        text_append(out, item->next ? ", " : "");
    }
    text_append(out, node->kind == NODE_LIST ? "]" : "}");
}

/* Prints one entry a line; the first one continues a line that is `begun`. */
static void print_entries(struct text *out, const struct node *node, int indent, bool begun)
{
    for (const struct node *item = node->first; item; item = item->next, begun = false) {
        const struct node *value = node->kind == NODE_LIST ? item : item->value;
        text_printf(out, "%*s", begun ? 0 : indent, "");
        if (node->kind == NODE_MAPPING)
            print_scalar(out, item);
        text_append(out, node->kind == NODE_LIST ? "-" : ":");
        if (value->kind == NODE_SCALAR || fits_line(value)) {
            text_append(out, " ");
            print_line(out, value);
            text_append(out, "\n");
            continue;
        }
        begun = node->kind == NODE_LIST && value->kind == NODE_MAPPING;
        text_append(out, begun ? " " : "\n");
        print_entries(out, value, indent + 2, begun);
    }
}

const char *document_text(struct document *document)
{
    struct text out = {0};
    if (document->text)
        return document->text;
    if (document->comment)
        text_printf(&out, "# %s\n", document->comment);
    if (document->root->kind == NODE_SCALAR || fits_line(document->root)) {
        print_line(&out, document->root);
        text_append(&out, "\n");
    } else {
        print_entries(&out, document->root, 0, false);
    }
    document->text = text_to_arena(&out, &document->arena);
    return document->text;
}
