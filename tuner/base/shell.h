/* Command lines for a shell. */
#ifndef TUNE_BASE_SHELL_H
#define TUNE_BASE_SHELL_H

#include "tuner/base/text.h"

/* Appends one word, quoted where a shell would interpret it. A word with control characters or
 * broken UTF-8 is written as bash's $'...', so that any word is one line of UTF-8. */
void shell_append_word(struct text *text, const char *word);
/* Quotes a word into `out` and returns `out`; a word too long for `out` is cut. */
enum { SHELL_WORD_BYTES = 1024 };
const char *shell_word(const char *word, char out[SHELL_WORD_BYTES]);

#endif
