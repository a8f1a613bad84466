/* What tune show's tables mean, in sentences. */
#include <stdio.h>
#include <string.h>

#include "tuner/cli/show.h"
#include "tuner/cli/style.h"

void show_put_words(const struct show_word *words, size_t count)
{
    putchar('\n');
    for (size_t i = 0; i < count; i++) {
        struct text line = {0};
        text_printf(&line, ": %s", words[i].meaning);
        rows_put_paragraph(words[i].word, "  ", text_string(&line), style_terminal_columns());
        text_free(&line);
    }
}

void show_append_advice(struct text *out, const char *reason)
{
    static const char begin[] = "Not sure: ";
    const bool advises = strncmp(reason, begin, strlen(begin)) == 0;
    if (advises)
        text_append_bytes(out, reason + strlen(begin),
                          verdict_advice_bytes(reason) - strlen(begin));
    else
        text_printf(out, "%s. Run `tune --effort normal` when the machine is idle.", reason);
}
