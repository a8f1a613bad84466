/* Command lines as a shell takes them. */
#ifndef TUNE_BASE_SHELL_H
#define TUNE_BASE_SHELL_H

#include "tuner/base/text.h"

/* One word, in quotes where a shell would take it for anything else. What holds control characters
 * or broken UTF-8 is written as bash has it, $'...', so that any word is one line of UTF-8. */
void shell_append_word(struct text *text, const char *word);
/* The same, for a message: shortened where that is longer than `out`, which it gives. */
enum { SHELL_WORD_BYTES = 1024 };
const char *shell_word(const char *word, char out[SHELL_WORD_BYTES]);

#endif
