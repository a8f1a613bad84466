/* Command lines as a shell takes them. */
#ifndef TUNE_BASE_SHELL_H
#define TUNE_BASE_SHELL_H

#include "tuner/base/text.h"

/* One word, in quotes where a shell would take it for anything else. What holds control characters
 * or broken UTF-8 is written as bash has it, $'...', so that any word is one line of UTF-8. */
void shell_append_word(struct text *text, const char *word);

#endif
