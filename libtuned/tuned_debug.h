/* SPDX-FileCopyrightText: 2026 The tune authors
 * SPDX-License-Identifier: MIT
 * Between tuned.c, compiled with TUNED_WITH_DEBUG, and tuned_debug.c. */
#ifndef TUNED_DEBUG_H
#define TUNED_DEBUG_H

#include "tuned.h"

/* A tuned_on_find: one line on the standard error. */
void tuned_debug_print(void *context, const struct tuned_answer *answer);

/* A tuned.conf with what `override`, $TUNED_OVERRIDE, puts in place of its values: its length; its
 * bytes into `out`, where that is not NULL. It has as many lines. */
size_t tuned_debug_override(const char *override, const char *text, size_t bytes, char *out);

/* Prints a line on the standard error for each part of `override` that changes no entry of what was
 * loaded: most likely it was mistyped. */
void tuned_debug_check(const char *override, const struct tuned *tuned);

#endif
