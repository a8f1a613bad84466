/* SPDX-FileCopyrightText: 2026 The tune authors
 * SPDX-License-Identifier: MIT
 * Records of look-ups: which requests a program made, how well they were answered, and how often,
 * for `tune run --recorded`. Guide: docs/libtuned.md.
 *
 *     struct tuned_record *record = tuned_record_open("app.record", &error);    NULL: see
 * error.text struct tuned_options options = {.on_find = tuned_record_find, .on_find_context =
 * record}; struct tuned *tuned = tuned_open(&options, &error);      then all look-ups are counted
 *     tuned_free(tuned);
 *     tuned_record_close(record);
 *
 * The environment variable TUNED_RECORD=FILE does this, too, for files of tuned_open, in libraries
 * compiled with TUNED_WITH_RECORD; and the program's own on_find is then still called.
 *
 * A record is a file of 2 MB, whatever is counted, which is mapped into memory: all counts outlive
 * _exit and a crash of the program, though not of the machine. Threads and processes may count in
 * one file at once; none waits for another. It holds some 3,000 different requests; hits (in range,
 * exact) take at most half of the places. */
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
    int size_count; /* sizes besides n */
    int grade;      /* enum tuned_grade */
    char names[TUNED_SIZES_MAX - 1][16];
    char kind[8], problem[128], device[96]; /* longer texts are not recorded */
};

/* Opens a record, which is made if there is none, to be counted in. Nobody may cut the file while
 * it is open. Returns NULL and fills in *error (may be NULL) if the disk is full or the file is
 * unreadable or anything else. */
TUNED_API struct tuned_record *tuned_record_open(const char *path, struct tuned_error *error);
/* Counts a look-up: a tuned_on_find, with the record as its context. Waits for nobody and allocates
 * nothing. */
TUNED_API void tuned_record_find(void *record, const struct tuned_answer *answer);
/* Closes a record after its last look-up, of tuned_record_load as well; accepts NULL. */
TUNED_API void tuned_record_close(struct tuned_record *record);
/* Opens an existing record to be read only. */
TUNED_API struct tuned_record *tuned_record_load(const char *path, struct tuned_error *error);
/* Reads the next request from *at on, which is 0 at first. Returns 0 past the end. */
TUNED_API int tuned_record_next(const struct tuned_record *record, size_t *at,
                                struct tuned_recorded *out);
/* Returns the number of look-ups for which there was no place. */
TUNED_API unsigned long long tuned_record_left_out(const struct tuned_record *record);

#ifdef __cplusplus
}
#endif

#endif
