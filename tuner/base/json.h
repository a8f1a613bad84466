/* Writing the parts of JSON that contain users' text, and reading JSON. */
#ifndef TUNE_BASE_JSON_H
#define TUNE_BASE_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "tuner/base/text.h"
#include "tuner/base/value.h"

/* The version of all answers in JSON and CSV (docs/json.md, docs/schema.json): one more where a
 * member goes, or means another thing. */
enum { JSON_VERSION = 1 };

/* Appends the string in quotes, escaped; bytes that are not UTF-8 become U+FFFD, so that every
 * reader accepts the result. NULL becomes null. */
void json_append_string(struct text *text, const char *string);
/* Appends a number, true, false or a string; null for an infinity or NaN. */
void json_append_value(struct text *text, struct value value);
/* Appends {"name":value,...} in the given order. */
void json_append_object(struct text *text, const struct named_value *values, size_t count);

/* Returns the length of a leading byte order mark; 0: none. */
size_t json_mark_bytes(const char *json, size_t bytes);

/* Reads JSON as Jansson's json_loadb and json_loads do, but returns NULL if any allocation failed:
 * Jansson's lexer drops a byte of a string for which memory is short, and the value would be wrong.
 * `problem` may be NULL; its text reports short memory. */
json_t *json_read_bytes(const char *json, size_t bytes, size_t flags, json_error_t *problem);
json_t *json_read(const char *json, size_t flags, json_error_t *problem);

/* Converts to a value, whose text is the JSON's. Returns false for null, a list or an object. */
bool json_to_value(const json_t *json, struct value *out);

#endif
