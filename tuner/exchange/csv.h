/* Comma-separated values according to RFC 4180: fields in quotes, quotes in fields doubled, lines
 * that end in CR LF or in LF alone, a byte order mark at the start. */
#ifndef TUNE_EXCHANGE_CSV_H
#define TUNE_EXCHANGE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"

enum { CSV_FIELDS_MAX = 256 };

struct csv_record {
    int64_t line; /* line of the record's beginning: 1, 2 ... */
    size_t count;
    char *fields[CSV_FIELDS_MAX]; /* fields without quotes, in the reader's text */
};

struct csv_reader {
    const char *path; /* for messages */
    char *at, *end;
    int64_t line;
};

/* Begins to read `text` (NUL-terminated) in place: the text is changed, and must outlive the
 * records. STATUS_BAD_INPUT for text that is no UTF-8, or has NULs. */
enum status csv_start(struct csv_reader *reader, const char *path, char *text, size_t length,
                      struct error *error);
/* Reads the next record; *more is false at the end. Skips empty lines. STATUS_BAD_INPUT names the
 * line. */
enum status csv_next(struct csv_reader *reader, struct csv_record *out, bool *more,
                     struct error *error);

#endif
