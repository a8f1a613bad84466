/* A recording: what a device did, as a file that the device `replay` plays from. Points (a
 * configuration of a problem) with their times, failures and resources, the device's facts, and
 * experiments. Made by tuner/exchange/ from a database or from others' files, for one run, on the
 * machine that reads it: no format to keep. It is mapped, so that a process finds a point at once.
 */
#ifndef TUNE_DEVICE_RECORDING_H
#define TUNE_DEVICE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"
#include "tuner/base/facts.h"
#include "tuner/device/device.h"

/* Where the children of a run find theirs, and the seed of its noise: environment variables that
 * the run itself sets. */
#define RECORDING_FILE_VARIABLE "TUNE_REPLAY_FILE"
#define RECORDING_SEED_VARIABLE "TUNE_REPLAY_SEED"

/* The define that names a point to the compiler, since what a binary is of decides all else: its
 * value is recording_point_name's. */
#define RECORDING_POINT_DEFINE "TUNE_RECORDED_POINT"
enum { RECORDING_POINT_BYTES = 34 };

/* A text is an offset into the recording's texts; 0 is "". */
typedef uint32_t recorded_text;

struct recorded_point {
    uint64_t problem;       /* recording_problem_hash */
    uint64_t configuration; /* recording_configuration_hash */
    uint64_t twin;          /* of what was measured in its place; its own: itself was */
    double time_ns;         /* of one run, by the finest stage that timed it; NaN: never timed */
    double spread;          /* relative standard deviation of a timing */
    int64_t trial_ns;       /* what its trial cost ... */
    int64_t block_ns;       /* ... and each further block */
    recorded_text key, parameters; /* of the configuration: "block=64 loads=2", a JSON object */
    recorded_text detail;          /* of its failure */
    recorded_text raced_detail;    /* of its failure when it was raced or confirmed */
    recorded_text checked_detail;  /* what the gauntlet found wrong; 0: nothing */
    uint32_t status, raced_status; /* enum trial_status */
    uint32_t first_sample,
        sample_count; /* of recording_samples: of that stage; none: by `spread` */
    uint32_t first_energy, energy_count;     /* of a run, in J; none: its energy was not measured */
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
    recorded_text key, label, unit, text;
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
    recorded_text kind;   /* of the devices that play it; 0: "replay" */
};

uint64_t recording_problem_hash(const char *key, int64_t n);
uint64_t recording_configuration_hash(const char *key);
/* "1f..:09..", both in hexadecimal; and back. */
void recording_point_name(uint64_t problem, uint64_t configuration,
                          char out[RECORDING_POINT_BYTES]);
bool recording_point_parse(const char *name, uint64_t *problem, uint64_t *configuration);

/* ---- reading ---- */

struct recording;
enum status recording_open(const char *path, struct recording **out, struct error *error);
void recording_close(struct recording *recording);

const struct recorded_device *recording_device(const struct recording *recording);
const char *recording_text(const struct recording *recording, recorded_text text);
/* Of the device that plays it. */
const char *recording_kind(const struct recording *recording);
/* NULL: it was not recorded. */
const struct recorded_point *recording_find(const struct recording *recording, uint64_t problem,
                                            uint64_t configuration);
/* All of a problem; NULL and 0 when nothing of it was recorded. */
const struct recorded_point *recording_problem(const struct recording *recording, uint64_t problem,
                                               size_t *count);
const double *recording_samples(const struct recording *recording,
                                const struct recorded_point *point);
/* In J, of one run each. */
const double *recording_energies(const struct recording *recording,
                                 const struct recorded_point *point);
const struct recorded_resource *recording_resources(const struct recording *recording,
                                                    const struct recorded_point *point);
const struct recorded_baseline *recording_baselines(const struct recording *recording,
                                                    size_t *count);
const struct recorded_experiment *recording_experiments(const struct recording *recording,
                                                        size_t *count);
enum status recording_facts(const struct recording *recording, struct facts *facts,
                            struct error *error);

/* ---- making ---- */

/* Zero-initialise; freed by draft_free. What is added is copied. Where memory is short `failed` is
 * set, and recording_write says so. */
enum recording_part {
    RECORDED_POINTS,
    RECORDED_RESOURCES,
    RECORDED_SAMPLES,
    RECORDED_BASELINES,
    RECORDED_EXPERIMENTS,
    RECORDED_FACTS,
    RECORDED_TEXTS,
    RECORDED_PARTS,
};
struct recording_draft {
    struct recorded_device device;
    struct {
        void *items;
        size_t count, capacity;
    } parts[RECORDED_PARTS];
    bool failed;
};
recorded_text draft_text(struct recording_draft *draft, const char *text); /* NULL is "" */
/* An item of the part (struct recorded_point, ..., double): its index. */
size_t draft_add(struct recording_draft *draft, enum recording_part which, const void *item);
void draft_fact(struct recording_draft *draft, const struct fact *fact);
/* Sorts the points. STATUS_BAD_INPUT when a configuration is there twice. */
enum status recording_write(struct recording_draft *draft, const char *path, struct error *error);
void draft_free(struct recording_draft *draft);

#endif
