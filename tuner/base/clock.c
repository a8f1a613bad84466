#include "tuner/base/clock.h"

#include <string.h>
#include <time.h>

int64_t clock_now_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void clock_timestamp(char out[CLOCK_TIMESTAMP_BYTES])
{
    time_t now = time(NULL);
    struct tm parts;
    memset(&parts, 0, sizeof parts);
    (void)gmtime_r(&now, &parts);
    if (strftime(out, CLOCK_TIMESTAMP_BYTES, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        out[0] = '\0';
}
