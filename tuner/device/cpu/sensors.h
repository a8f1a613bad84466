/* State of the processors, as Linux reports without privileges. */
#ifndef TUNE_DEVICE_CPU_SENSORS_H
#define TUNE_DEVICE_CPU_SENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/conditions.h"
#include "tuner/base/error.h"

enum { SENSOR_PACKAGES_MAX = 16, SENSOR_THROTTLES_MAX = 192 };

/* A package's energy counter, which wraps at its range. */
struct energy_counter {
    int file;
    double range_uj, last_uj;
};

/* Files that stay open; -1: not there, or not to be read. */
struct sensors {
    int clock, temperature, load, processors;
    int processor; /* whose clock */
    struct energy_counter packages[SENSOR_PACKAGES_MAX];
    int package_count;
    double energy_uj;         /* since the start, of all packages */
    char energy_refused[128]; /* the counter that exists but may not be read; "" */
    int throttles[SENSOR_THROTTLES_MAX];
    int throttle_count;
    int64_t throttled; /* sum at the last reading */
};

/* Opens the sensors under `root` ("": this machine's). `processors`: the system's numbers of the
 * used ones, the main thread's first. Never fails; ended by sensors_close. */
void sensors_open(struct sensors *sensors, const char *root, const unsigned *processors,
                  size_t count);
void sensors_close(struct sensors *sensors);

/* Reads the sensors; `own_threads` returns this process's running threads, before each reading. */
void sensors_read(struct sensors *sensors, int (*own_threads)(void *context), void *context,
                  struct conditions *out);

/* Reads the joules of all packages since sensors_open. STATUS_UNAVAILABLE, with the remedy. */
enum status sensors_energy(struct sensors *sensors, double *energy_j, struct error *error);

#endif
