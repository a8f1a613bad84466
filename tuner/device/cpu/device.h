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

/* Functions of struct device_api, each in the file that its work is in. */
#define CPU_DEVICE(X)                                                                              \
    X(count)                                                                                       \
    X(describe)                                                                                    \
    X(compile)                                                                                     \
    X(compiler_settings)                                                                           \
    X(open)                                                                                        \
    X(close)                                                                                       \
    X(load)                                                                                        \
    X(resources)                                                                                   \
    X(want)                                                                                        \
    X(bind)                                                                                        \
    X(run)                                                                                         \
    X(guards_intact)                                                                               \
    X(inputs_intact)                                                                               \
    X(time_block)                                                                                  \
    X(results)                                                                                     \
    X(show)                                                                                        \
    X(drop_slots)                                                                                  \
    X(anchor)                                                                                      \
    X(conditions)                                                                                  \
    X(measure_energy)                                                                              \
    X(read)                                                                                        \
    X(look)                                                                                        \
    X(ceilings)
#define CPU_DEVICE_DECLARE(member) DEVICE_FUNCTION(cpu, member);
CPU_DEVICE(CPU_DEVICE_DECLARE)

/* vectors.c: Lets kernels write to protected inputs from now on, and notes this: one device of a
 * process at a time. */
void watch_start(struct device *device);
void watch_stop(struct device *device);
/* Sets all the plan's vectors of a role to `value`, as far as the plan needs. */
void set_vectors(struct device *device, const struct launch_plan *plan, enum argument_role role,
                 int value);
/* Brings vectors into the state in which a verified run starts, in the copy that it takes. */
void begin_run(struct device *device, const struct launch_plan *plan, enum run_start start);
/* Copies vectors to the bound plan's variables, or back. */
void carry_variables(struct device *device, bool back);
/* Notes that runs are about to change the first `copies` copies of updates. */
void note_updates(struct device *device, const struct launch_plan *plan, uint32_t copies);
/* anchor.c */
enum status warm_up(struct device *device, struct error *error);
/* Warms up for one window more, after a pause. */
enum status warm_up_again(struct device *device, struct error *error);
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
