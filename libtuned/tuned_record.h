/* SPDX-FileCopyrightText: 2026 The tune authors
 * SPDX-License-Identifier: MIT
 * Records of look-ups: the requests of a program, the grade of each answer and how often, for
 * `tune run --recorded`. Guide: docs/libtuned.md.
 *
 *     struct tuned_record *record = tuned_record_open("app.record", &error);
 *     struct tuned_options options = {.on_find = tuned_record_find};
 *     options.on_find_context = record;
 *     struct tuned *tuned = tuned_open(&options, &error);
 *     ...
 *     tuned_free(tuned);
 *     tuned_record_close(record);
 *
 * The environment variable TUNED_RECORD=FILE does this, too, for files of tuned_open, in libraries
 * compiled with TUNED_WITH_RECORD; the program's own on_find is still called.
 *
 * A record is a file of 2 MB, mapped into memory: counts outlive _exit and a crash of the program,
 * though not of the machine. Threads and processes may count in one file at once; none waits for
 * another. The file holds some 3,000 different requests; hits (in range, exact) take at most half
 * of the places. */
#ifndef TUNED_RECORD_H
#define TUNED_RECORD_H

#include "tuned.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tuned_record;

/* One request of a record. */
struct tuned_recorded {
    unsigned long long count; /* look-ups */
    long long n, sizes[TUNED_SIZES_MAX - 1];
    int size_count;                         /* sizes besides n */
    int grade;                              /* enum tuned_grade */
    char names[TUNED_SIZES_MAX - 1][16];    /* names of sizes[] */
    char kind[8], problem[128], device[96]; /* longer texts are not recorded */
};

/* Opens a record to count in, and makes the file if there is none. The caller closes it with
 * tuned_record_close; nobody may cut the file before. Returns NULL and fills in *error (may be
 * NULL) if the disk is full, the file cannot be opened, or is no record. */
TUNED_API struct tuned_record *tuned_record_open(const char *path, struct tuned_error *error);
/* Counts a look-up: the on_find of struct tuned_options, with the record as its context. Any number
 * of threads may call it; none waits, and nothing is allocated. */
TUNED_API void tuned_record_find(void *record, const struct tuned_answer *answer);
/* Closes a record of tuned_record_open or tuned_record_load after its last use; accepts NULL. */
TUNED_API void tuned_record_close(struct tuned_record *record);
/* Opens an existing record for reading only. Returns NULL and fills in *error as tuned_record_open
 * does. The caller closes it with tuned_record_close. */
TUNED_API struct tuned_record *tuned_record_load(const char *path, struct tuned_error *error);
/* Reads the next request into *out and advances *at, which the caller sets to 0 at first. Returns
 * 1, or 0 past the end. Programs may be counting meanwhile. */
TUNED_API int tuned_record_next(const struct tuned_record *record, size_t *at,
                                struct tuned_recorded *out);
/* Returns the number of look-ups that found no place in the record. */
TUNED_API unsigned long long tuned_record_left_out(const struct tuned_record *record);

#ifdef __cplusplus
}
#endif

#endif
