/* Configurations tried by other tools, from their files: T4
 * (https://github.com/odgaard/TuningSchema), the caches of Kernel Tuner, and tables (CSV): a line
 * each, with a column for each parameter, one for the time (time_ns, time_us, time_ms, time_s;
 * "time" is milliseconds, as Kernel Tuner's; a text instead of a number is the failure) and perhaps
 * one for the cost of the trial (cost_ms ...). */
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
    bool is_number; /* whether `text` is a number, in the shortest form that reads back equal */
};
struct tried {
    double time_ns;      /* NaN: failed, or no time given */
    const char *failure; /* the file's word for the failure; "" where absent */
    double cost_ns;      /* cost of the trial, as far as known; 0: unknown */
    const char *device;  /* device given by the file for all; NULL: none */
    size_t count;
    struct tried_value values[TRIED_VALUES_MAX];
    char numbers[TRIED_VALUES_MAX][TRIED_NUMBER_BYTES];
};
/* Receiver of configurations, whose texts live until the call returns. */
typedef enum status tried_take(void *context, const struct tried *tried, struct error *error);

/* Reads a file, changing `text` (NUL-terminated); accepts a cache that Kernel Tuner did not close.
 * All configurations have the parameters of the first, in its order. STATUS_BAD_INPUT: none of
 * these formats. */
enum status tried_read(char *text, size_t length, struct arena *arena, tried_take *take,
                       void *context, struct error *error);

#endif
