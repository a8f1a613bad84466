/* One tuner at a time on a device: a lock that the kernel gives back when its holder ends, however
 * it ends. */
#ifndef TUNE_BASE_LOCK_H
#define TUNE_BASE_LOCK_H

#include "tuner/base/error.h"

struct lock;

/* Takes the lock of that name (a device's uuid: the same for every user), or refuses at once with
 * STATUS_UNAVAILABLE and who holds it: "being tuned by process 1234 of alice on HOST since ...:
 * wait for it, or stop it". The lock is a file in $TUNE_LOCK_DIR, else in /tmp/tune-locks, which
 * all users share; where that cannot be had, in a folder of the user's own ($XDG_RUNTIME_DIR or
 * /tmp/tune-locks-UID), and where that cannot be had either there is no lock: see lock_warning.
 * Children do not inherit it. *out is freed by lock_release. May be called by several threads. */
enum status lock_take(const char *name, struct lock **out, struct error *error);

/* Tells those who are refused which database the holder fills. */
void lock_note(struct lock *lock, const char *database);

/* One line for the user when the lock is weaker than it should be (seen by the user's own tuners
 * only, or none at all), else "". */
const char *lock_warning(const struct lock *lock);

/* NULL is taken. */
void lock_release(struct lock *lock);

#endif
