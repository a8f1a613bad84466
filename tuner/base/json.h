/* JSON: writing the pieces that hold what people wrote, and reading. */
#ifndef TUNE_BASE_JSON_H
#define TUNE_BASE_JSON_H

#include <jansson.h>
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

/* Of the mark of the order of bytes that the text begins with, which is passed over. */
size_t json_mark_bytes(const char *json, size_t bytes);

/* Reads JSON: json_loadb and json_loads of Jansson, but NULL if any allocation failed. Jansson's
 * lexer goes on without the byte of a string that it found no room for, and another value would
 * come out. `problem` may be NULL; its text says so where memory was short. */
json_t *json_read_bytes(const char *json, size_t bytes, size_t flags, json_error_t *problem);
json_t *json_read(const char *json, size_t flags, json_error_t *problem);

#endif
