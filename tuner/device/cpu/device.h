/* The open CPU device, between the files of this folder. */
#ifndef TUNE_DEVICE_CPU_DEVICE_H
#define TUNE_DEVICE_CPU_DEVICE_H

#include "tuner/device/cpu/machine.h"
#include "tuner/device/cpu/pool.h"
#include "tuner/device/cpu/sensors.h"
#include "tuner/device/cpu/vectors.h"
#include "tuner/device/cpu/watch.h"
#include "tuner/device/device.h"

struct binary {
    char *path;
    void *handle; /* of dlopen */
};

struct device {
    struct machine machine;
    struct pool *pool;
    struct calibration calibration;
    struct warm_up warm_up;
    int64_t busy_until_ns;
    struct sensors sensors;
    struct binary *binaries;
    size_t binary_count, binary_capacity;
    size_t current; /* index + 1; 0: none */
    struct shelf shelves[ARGUMENTS_MAX];
    size_t argument_count; /* arguments of the bound plan */
    uint32_t copies;       /* copies over which runs rotate */
    bool varied;           /* every second one is patched */
    uint32_t first_copy;   /* first copy of the block timed last */
    uint32_t shown_copy;   /* checked copy of updates */
    int64_t timed_slot;    /* whose runs the scratch is as left by; -1: another's */
    uint32_t streamed;     /* runs in L2_STREAM so far: each takes the next copy */
    char **flush;          /* one per core, for the anchor and to fill caches; NULL until needed */
    size_t anchor_at;      /* place of the anchor's next read */
    unsigned turn;         /* turn of the bands around inputs */
    struct process_state process; /* state of the process that kernels must find */
    long long failed_result;      /* first result other than 0 of a host function; 0: none */
    const struct launch *failed;  /* its launch */
};

/* describe.c */
enum status cpu_describe(int index, const char *architecture, struct facts *facts,
                         struct error *error);
/* bind.c: functions of struct device_api */
enum status cpu_bind(struct device *device, const struct launch_plan *plan,
                     const void *const *inputs, uint32_t copies, const struct patch *patches,
                     struct error *error);
enum status cpu_guards_intact(struct device *device, const struct launch_plan *plan, bool *intact,
                              char *detail, size_t detail_bytes, struct error *error);
enum status cpu_look(struct device *device, size_t index, const void **out, size_t bytes,
                     struct error *error);
enum status cpu_read(struct device *device, size_t index, void *out, size_t bytes,
                     struct error *error);
/* Sets all the plan's vectors of a role to `value`, as far as the plan needs. */
void set_vectors(struct device *device, const struct launch_plan *plan, enum argument_role role,
                 int value);
/* Restores updates to the host's elements, in the copy that verified runs take. */
void restore_updates(struct device *device, const struct launch_plan *plan);
/* Copies vectors to the bound plan's variables, or back. */
void carry_variables(struct device *device, bool back);
/* Notes that runs are about to change the first `copies` copies of updates. */
void note_updates(struct device *device, const struct launch_plan *plan, uint32_t copies);
void guard_vectors(struct device *device, const struct launch_plan *plan);
/* Around inputs. */
void turn_bands(struct device *device, const struct launch_plan *plan);
enum status cpu_inputs_intact(struct device *device, const struct launch_plan *plan, bool *intact,
                              bool *worn, char *detail, size_t detail_bytes, struct error *error);
enum status cpu_results(struct device *device, const struct block *block, uint64_t outputs,
                        struct run_result *out, uint32_t *count, struct error *error);
enum status cpu_show(struct device *device, const struct block *block, uint32_t run,
                     struct error *error);
/* launch.c: functions of struct device_api */
enum status cpu_run(struct device *device, const struct launch_plan *plan, enum run_start start,
                    double *elapsed_ns, struct error *error);
enum status cpu_time_block(struct device *device, const struct block *block, double *elapsed_ns,
                           struct error *error);
void cpu_drop_slots(struct device *device);
enum status cpu_measure_energy(struct device *device, const struct block *block, double window_ms,
                               struct energy *out, struct error *error);
/* anchor.c */
enum status cpu_anchor(struct device *device, double *elapsed_ns, struct error *error);
enum status warm_up(struct device *device, struct error *error);
/* Warms up for one window more, after a pause. */
enum status warm_up_again(struct device *device, struct error *error);
void cpu_conditions(struct device *device, struct conditions *out);
void calibrate(struct device *device);
/* ceilings.c */
enum status cpu_bandwidth(struct device *device, int64_t bytes, struct bandwidth *out,
                          struct error *error);
/* arithmetic.c */
enum status cpu_arithmetic(struct device *device, struct arithmetic *out, struct error *error);
/* flush.c: Evicts all data of the bound plan's next runs, which begin with copy `first`, from the
 * caches; dirty: fills the caches with lines that have yet to be written back. */
enum status flush_caches(struct device *device, uint32_t first, uint32_t runs, bool dirty,
                         struct error *error);
/* Evicts a thread's share of [data, data + bytes) from all caches; only where
 * machine.flushes_by_line. */
void flush_lines(char *data, size_t bytes, int thread, int threads);
enum status flush_make(struct device *device, struct error *error);
size_t flush_bytes(const struct machine *machine, int core);
void flush_free(struct device *device);
/* Reads every byte at the speed of the memory. */
void read_through(const char *data, size_t bytes);

#endif
