/* A series: an expression in i, the index of an element, which fills vectors and defines expected
 * outputs. Only i and literals: other variables were replaced by their values before. */
#ifndef TUNE_EXPERIMENT_SERIES_H
#define TUNE_EXPERIMENT_SERIES_H

#include <stdint.h>

#include "tuner/base/element.h"
#include "tuner/base/error.h"

struct series;

/* Parses a series. STATUS_BAD_INPUT with the error in the text. Freed by series_free. */
enum status series_read(const char *text, struct series **out, struct error *error);
void series_free(struct series *series);

/* Computes elements first .. first + count - 1 in the type. STATUS_BAD_INPUT with the index of the
 * first that has no value or does not fit the type. Fast: 10^7 elements take well under a
 * second. */
enum status series_fill(const struct series *series, enum element_type type, uint64_t first,
                        uint64_t count, void *out, struct error *error);

#endif
