/* tuned.conf in other forms: as a C header, for programs that load no file, and as JSON. */
#ifndef TUNE_EXPORT_HEADER_H
#define TUNE_EXPORT_HEADER_H

#include "views/export/configurations.h"

/* Appends a header for C99 and C++11: for each problem a struct of its values, a list of its
 * configurations for templates, and a function that gives the one for a device and n
 * (docs/tuned-conf.md). STATUS_BAD_INPUT: the text is no tuned.conf, or two names become one
 * identifier. `problems` may be NULL. */
enum status export_header(const struct conf_text *file, struct text *out, size_t *problems,
                          struct error *error);

/* Appends an array of its entries, one a line (docs/tuned-conf.md). STATUS_BAD_INPUT: the text is
 * no tuned.conf. */
enum status export_json(const struct conf_text *file, struct text *out, size_t *entries,
                        struct error *error);

#endif
