/* What tune show's tables mean, in sentences. */
#include <stdio.h>

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
