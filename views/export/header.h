/* tuned.conf in other forms: as a C header, for programs that load no file, and as JSON. */
#ifndef TUNE_EXPORT_HEADER_H
#define TUNE_EXPORT_HEADER_H

#include "views/export/configurations.h"

/* Appends a header for C99 and C++11: per problem a struct of values, a list of configurations for
 * templates, and a function that returns the configuration for a device and n (docs/tuned-conf.md).
 * Returns STATUS_BAD_INPUT if the text is no tuned.conf, or two names give one identifier.
 * `problems` may be NULL. */
enum status export_header(const struct conf_text *file, struct text *out, size_t *problems,
                          struct error *error);

/* Appends an array of entries, one per line (docs/tuned-conf.md). Returns STATUS_BAD_INPUT if the
 * text is no tuned.conf. */
enum status export_json(const struct conf_text *file, struct text *out, size_t *entries,
                        struct error *error);

#endif
