/* One tuner at a time on a device: a lock that the kernel releases when its holder ends for any
 * reason. */
#ifndef TUNE_BASE_LOCK_H
#define TUNE_BASE_LOCK_H

#include "tuner/base/error.h"

struct lock;

/* Takes the lock of that name (a device's uuid: the same for every user), or refuses at once with
 * STATUS_UNAVAILABLE and the holder: "being tuned by process 1234 of alice on HOST since ...: wait
 * for it, or stop it". The lock is a file in $TUNE_LOCK_DIR, else in /tmp/tune-locks, which all
 * users share; else in a folder of the user's own ($XDG_RUNTIME_DIR or /tmp/tune-locks-UID); if
 * neither can be made, there is no lock: see lock_warning. Children do not inherit the lock. *out
 * is freed by lock_release. May be called by several threads. */
enum status lock_take(const char *name, struct lock **out, struct error *error);

/* Adds the holder's database to the message for refused processes. */
void lock_note(struct lock *lock, const char *database);

/* Returns one line for the user when the lock is weaker than intended (visible to the user's own
 * tuners only, or none at all), else "". */
const char *lock_warning(const struct lock *lock);

/* Releases the lock; NULL is allowed. */
void lock_release(struct lock *lock);

#endif
