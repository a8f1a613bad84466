/* Comma-separated values as RFC 4180 has them: fields in quotes, quotes in them doubled, lines that
 * end in CR LF or in LF alone, a byte order mark at the start. */
#ifndef TUNE_EXCHANGE_CSV_H
#define TUNE_EXCHANGE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"

enum { CSV_FIELDS_MAX = 256 };

struct csv_record {
    int64_t line; /* in which it begins: 1, 2 ... */
    size_t count;
    char *fields[CSV_FIELDS_MAX]; /* quotes taken off; they point into the reader's text */
};

struct csv_reader {
    const char *path; /* for messages */
    char *at, *end;
    int64_t line;
};

/* Reads in place: `text` (NUL-terminated) is changed, and must outlive the records.
 * STATUS_BAD_INPUT for text that is no UTF-8, or has NULs in it. */
enum status csv_start(struct csv_reader *reader, const char *path, char *text, size_t length,
                      struct error *error);
/* *more false at the end. Lines with nothing in them are passed over. STATUS_BAD_INPUT names the
 * line. */
enum status csv_next(struct csv_reader *reader, struct csv_record *out, bool *more,
                     struct error *error);

#endif
