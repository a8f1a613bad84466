#include "tuner/base/shell.h"

#include <stdbool.h>
#include <string.h>

/* Returns the bytes of the character; 0: a control character or invalid UTF-8. */
static size_t printable_bytes(const char *at)
{
    return (unsigned char)*at < 0x20 || *at == 0x7f ? 0 : utf8_bytes(at);
}

void shell_append_word(struct text *text, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
    size_t bytes = 1; /* 0: the word has an unprintable character */
    for (const char *at = word; *at && bytes > 0; at += bytes)
        bytes = printable_bytes(at);
    if (*word && word[strspn(word, plain)] == '\0') {
        text_append(text, word);
    } else if (bytes == 0) {
        text_append(text, "$'");
        while (*word) {
            bytes = printable_bytes(word);
            if (bytes == 0)
                text_printf(text, "\\%03o", (unsigned)(unsigned char)*word);
            else if (*word == '\'' || *word == '\\')
                text_printf(text, "\\%c", *word);
            else
                text_append_bytes(text, word, bytes);
            word += bytes > 0 ? bytes : 1;
        }
        text_append(text, "'");
    } else {
        /* 'a b'; a quote becomes '\'': end of quotes, escaped quote, quotes again. */
        text_append(text, "'");
        for (const char *at = word; *at; at++)
            if (*at == '\'')
                text_append(text, "'\\''");
            else
                text_append_bytes(text, at, 1);
        text_append(text, "'");
    }
}

const char *shell_word(const char *word, char out[SHELL_WORD_BYTES])
{
    struct text text = {0};
    shell_append_word(&text, word);
    (void)string_format(out, SHELL_WORD_BYTES, "%s", text.failed ? word : text_string(&text));
    text_free(&text);
    return out;
}
