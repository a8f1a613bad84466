/* Writing HTML: the markup stands in the format, and whatever is put into it is escaped. */
#ifndef TUNE_PAGE_HTML_H
#define TUNE_PAGE_HTML_H

#include "tuner/base/text.h"

/* As text_printf with %s, %.*s (of at least so many bytes), %d, %zu, %lld, %% and %.Ng or %.Nf
 * alone; with any other conversion the text has failed. A %s may stand between tags or in an
 * attribute's double quotes: <, >, &, " and ' are escaped, control characters and what is no UTF-8
 * become U+FFFD. */
void html(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void html_escape(struct text *out, const char *string);
/* JSON as it may stand between <script> tags: no '<', no control character, all of it UTF-8; what
 * is within strings means the same as before, but for bytes that are no UTF-8: U+FFFD. */
void html_json(struct text *out, const char *json);

#endif
