/* Reading what is not an expression: keys, texts, names. */
#include "tuner/experiment/read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/token.h"

bool node_error(struct file_reader *reader, const struct node *node, const char *format, ...)
{
    char what[ERROR_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    (void)place_error(reader->error, STATUS_BAD_INPUT, node->place, "%s", what);
    return false;
}

bool out_of_memory(struct file_reader *reader)
{
    (void)error_no_memory(reader->error);
    return false;
}

void hint(struct file_reader *reader, const char *text)
{
    char *end = strchr(reader->error->text, '\0');
    size_t room = sizeof reader->error->text - (size_t)(end - reader->error->text);
    (void)snprintf(end, room, "; %s", text);
}

bool need_kind(struct file_reader *reader, const struct node *node, enum node_kind kind,
               const char *what)
{
    static const char *const kinds[] = {
        [NODE_SCALAR] = "a value",
        [NODE_LIST] = "a list [...]",
        [NODE_MAPPING] = "a mapping (key: value)",
    };
    if (node->kind == kind)
        return true;
    return node_error(reader, node, "%s must be %s, not %s", what, kinds[kind], kinds[node->kind]);
}

bool need_items(struct file_reader *reader, const struct node *node, const char *what, size_t most)
{
    if (!need_kind(reader, node, NODE_LIST, what))
        return false;
    if (node->count == 0)
        return node_error(reader, node, "%s must have at least one item", what);
    if (node->count > most)
        return node_error(reader, node, "%s has %zu items; the most is %zu", what, node->count,
                          most);
    return true;
}

bool check_keys(struct file_reader *reader, const struct node *node, const char *what,
                const char *const *keys, size_t count)
{
    const char *words[32];
    if (!need_kind(reader, node, NODE_MAPPING, what))
        return false;
    for (size_t i = 0; i < count; i++)
        words[i] = keys[i] + (keys[i][0] == '!');
    for (const struct node *key = node->first; key; key = key->next) {
        size_t i = 0;
        while (i < count && strcmp(words[i], key->text) != 0)
            i++;
        if (i == count)
            return node_error(reader, key, "%s has no key '%.60s'%s", what, key->text,
                              suggest(key->text, words, count).text);
    }
    for (size_t i = 0; i < count; i++)
        if (keys[i][0] == '!' && !node_get(node, words[i]))
            return node_error(reader, node, "%s needs the key '%s'", what, words[i]);
    return true;
}

bool need_name(struct file_reader *reader, const struct node *node, const char *what)
{
    if (!need_kind(reader, node, NODE_SCALAR, what))
        return false;
    if (!is_name(node->text))
        return node_error(reader, node,
                          "%s '%.60s' must be a name: letters, digits and _, at most 63", what,
                          node->text);
    return true;
}

bool read_text(struct file_reader *reader, const struct node *node, const char *what,
               const char **out)
{
    if (!need_kind(reader, node, NODE_SCALAR, what))
        return false;
    if (node->text[0] == '\0')
        return node_error(reader, node, "%s is empty", what);
    *out = node->text;
    return true;
}

bool read_boolean(struct file_reader *reader, const struct node *node, const char *what, bool *out)
{
    if (!need_kind(reader, node, NODE_SCALAR, what))
        return false;
    *out = strcmp(node->text, "true") == 0 || strcmp(node->text, "True") == 0;
    if (!*out && strcmp(node->text, "false") != 0 && strcmp(node->text, "False") != 0)
        return node_error(reader, node, "%s must be true or false, not '%.60s'", what, node->text);
    return true;
}
