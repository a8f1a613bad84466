/* Writing JSON: the pieces that hold what people wrote. */
#ifndef TUNE_BASE_JSON_H
#define TUNE_BASE_JSON_H

#include <stddef.h>

#include "tuner/base/text.h"
#include "tuner/base/value.h"

/* The string in quotes, escaped; bytes that are no UTF-8 become U+FFFD, so that every reader takes
 * the result. NULL becomes null. */
void json_append_string(struct text *text, const char *string);
/* A number, true, false or a string; null for a real that is no finite number. */
void json_append_value(struct text *text, struct value value);
/* {"name":value,...} in the order given. */
void json_append_object(struct text *text, const struct named_value *values, size_t count);

#endif
