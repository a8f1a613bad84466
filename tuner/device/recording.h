/* A recording: a device's answers in a file that a scripted device plays. Points (a configuration
 * of a problem) with times, failures and resources, the device's facts, and experiments. Made by
 * tuner/exchange/ from a database or from other tools' files, for one run, on the machine that
 * reads the file, so the format may change. Processes map the file, and each finds a point at once.
 */
#ifndef TUNE_DEVICE_RECORDING_H
#define TUNE_DEVICE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"
#include "tuner/base/facts.h"
#include "tuner/device/device.h"

/* Environment variables by which a run gives its children the recording's path and the seed of the
 * noise. */
#define RECORDING_FILE_VARIABLE "TUNE_REPLAY_FILE"
#define RECORDING_SEED_VARIABLE "TUNE_REPLAY_SEED"

/* The define that names a point to the compiler: the point's index, -1 for a configuration that was
 * not recorded. */
#define RECORDING_POINT_DEFINE "TUNE_RECORDED_POINT"

/* A text is an offset into the recording's texts; 0 is "". */
typedef uint32_t recorded_text;

struct recorded_point {
    uint64_t problem;       /* recording_hash of the problem's key and n */
    uint64_t configuration; /* recording_hash of the configuration's key and 0 */
    uint64_t twin;          /* configuration measured in place of this one, or itself */
    double time_ns;         /* one run's, by the finest stage that timed the point; NaN: none */
    double spread;          /* relative standard deviation of a timing */
    int64_t trial_ns;       /* cost of the trial ... */
    int64_t block_ns;       /* ... and of each further block */
    recorded_text key, parameters;           /* configuration: "block=64 loads=2", a JSON object */
    recorded_text detail;                    /* text of the failure */
    recorded_text raced_detail;              /* text of a failure in the race or confirmation */
    recorded_text checked_detail;            /* fault found by the gauntlet; 0: none */
    uint32_t status, raced_status;           /* enum trial_status */
    uint32_t first_sample, sample_count;     /* samples of that stage; none: drawn by `spread` */
    uint32_t first_energy, energy_count;     /* samples too: J of a run; none: not measured */
    uint32_t first_resource, resource_count; /* by launch */
    uint32_t none;                           /* 0: equal recordings are equal to the last byte */
};
struct recorded_resource {
    recorded_text kernel;
    uint32_t block_threads, shared_bytes;
    int32_t registers, static_shared_bytes, local_bytes, spill_bytes, active_blocks_per_sm;
    double occupancy;
};
struct recorded_baseline {
    uint64_t problem;
    recorded_text name, parameters;
};
struct recorded_experiment {
    recorded_text name, text;
};
struct recorded_fact {
    recorded_text key, text;
    uint32_t kind; /* enum value_kind */
    uint32_t none;
    int64_t integer;
    double real;
};
struct recorded_device {
    struct calibration calibration;
    double anchor_ns;
    double sm_clock_mhz, memory_clock_mhz, temperature_c, power_w; /* NaN: unknown */
    struct bandwidth bandwidth;
    struct arithmetic arithmetic;
    recorded_text source; /* "nvidia-h200 of 2026-11-21" */
    recorded_text kind;   /* kind of the devices that play the recording; 0: "replay" */
};

enum recording_part {
    RECORDED_POINTS, /* struct recorded_point, sorted by problem and configuration when written */
    RECORDED_RESOURCES,
    RECORDED_SAMPLES, /* double */
    RECORDED_BASELINES,
    RECORDED_EXPERIMENTS,
    RECORDED_FACTS,
    RECORDED_TEXTS, /* char */
    RECORDED_PARTS,
};
/* Zero-initialise to make one; freed by recording_close. */
struct recording {
    struct recorded_device device;
    struct {
        void *items;
        size_t count, capacity;
    } parts[RECORDED_PARTS];
    void *mapped; /* the mapped file; NULL: none */
    size_t mapped_bytes;
    bool failed; /* memory ran short; recording_write reports this */
};

uint64_t recording_hash(const char *key, int64_t n);

/* ---- reading ---- */

enum status recording_open(const char *path, struct recording *out, struct error *error);
void recording_close(struct recording *recording);

const char *recording_text(const struct recording *recording, recorded_text text);
/* Returns the kind of the device that plays the recording. */
const char *recording_kind(const struct recording *recording);
/* Finds all points of a problem; NULL and 0: none was recorded. */
const struct recorded_point *recording_problem(const struct recording *recording, uint64_t problem,
                                               size_t *count);
/* Finds a point; NULL: not recorded. */
const struct recorded_point *recording_find(const struct recording *recording, uint64_t problem,
                                            uint64_t configuration);
/* Adds the device's facts, with labels made of keys: "Sm count". */
enum status recording_facts(const struct recording *recording, struct facts *facts,
                            struct error *error);

/* ---- making ---- */

/* Appends a copy of an item to the part; returns the item's place. */
size_t recording_add(struct recording *recording, enum recording_part which, const void *item);
recorded_text recording_add_text(struct recording *recording, const char *text); /* NULL is "" */
void recording_add_fact(struct recording *recording, const char *key, struct value value);
/* Sorts the points, writes the file and hashes the contents (HASH_TEXT_BYTES). STATUS_BAD_INPUT for
 * a duplicate configuration. */
enum status recording_write(struct recording *recording, const char *path, char *hash,
                            struct error *error);

#endif
