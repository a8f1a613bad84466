/* Until when the parts of a run may go on. Times are of clock_running_ns; 0: for ever. */
#ifndef TUNE_SESSION_BUDGET_H
#define TUNE_SESSION_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/session/binaries.h"

struct group;
struct session;
struct sweep;

int64_t budget_end_ns(const struct session *session);
void budget_share(struct sweep *sweep); /* what a problem that starts now gets */
int64_t budget_race_end_ns(const struct sweep *sweep);
bool budget_over(const struct session *session, int64_t end_ns);
/* The whole of it: nothing is begun any more. */
bool budget_ended(const struct session *session);
/* As binaries_await, but no longer than the budget lasts (STATUS_NO_TIME), or until the user stops.
 */
enum status budget_await(struct group *group, struct binaries *binaries, size_t index,
                         struct error *error);

#endif
