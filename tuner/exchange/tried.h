/* Configurations that others tried, out of their files: T4
 * (https://github.com/odgaard/TuningSchema), the caches of Kernel Tuner, and tables (CSV): a line
 * each, with a column for each parameter, one for the time (time_ns, time_us, time_ms, time_s;
 * "time" is milliseconds, as Kernel Tuner's; what is no number failed, and says how) and perhaps
 * one for what trying it took (cost_ms ...). */
#ifndef TUNE_EXCHANGE_TRIED_H
#define TUNE_EXCHANGE_TRIED_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"

enum { TRIED_VALUES_MAX = 64, TRIED_NUMBER_BYTES = 32 };

struct tried_value {
    const char *name;
    const char *text;
    bool is_number; /* then `text` is that, as short as it reads back alike */
};
struct tried {
    double time_ns;      /* NaN: it failed, or its time is not there */
    const char *failure; /* what the file calls that; "" where it says nothing */
    double cost_ns;      /* what trying it took, as far as it is said; 0: nothing is */
    const char *device;  /* on which, as the file says of all; NULL: it says nothing */
    size_t count;
    struct tried_value values[TRIED_VALUES_MAX];
    char numbers[TRIED_VALUES_MAX][TRIED_NUMBER_BYTES];
};
/* What it is given lives until it returns. */
typedef enum status tried_take(void *context, const struct tried *tried, struct error *error);

/* `text` (NUL-terminated) may be changed: a cache that Kernel Tuner did not close is taken, too.
 * All configurations have the parameters of the first, in its order. STATUS_BAD_INPUT: none of
 * these. */
enum status tried_read(char *text, size_t length, struct arena *arena, tried_take *take,
                       void *context, struct error *error);

#endif
