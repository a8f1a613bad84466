/* SPDX-FileCopyrightText: 2026 The tune authors
 * SPDX-License-Identifier: MIT
 * Between tuned.c, compiled with TUNED_WITH_DEBUG, and tuned_debug.c. */
#ifndef TUNED_DEBUG_H
#define TUNED_DEBUG_H

#include "tuned.h"

/* Prints an answer as one line on standard error; a tuned_on_find. */
void tuned_debug_print(void *context, const struct tuned_answer *answer);

/* Writes a tuned.conf with the values of `override` ($TUNED_OVERRIDE) in place of its own to `out`
 * (NULL: counts only). Returns its length in bytes. The number of lines stays. */
size_t tuned_debug_override(const char *override, const char *text, size_t bytes, char *out);

/* Prints a line on standard error for each part of `override` that changes no loaded entry, such as
 * a mistyped name. */
void tuned_debug_check(const char *override, const struct tuned *tuned);

#endif
