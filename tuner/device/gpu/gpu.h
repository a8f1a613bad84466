/* Measuring on GPUs of any vendor: vectors and their contents, guard bands, graphs of slots,
 * blocks, the anchor, energy. A vendor's folder opens the device, fills in a struct gpu_driver, and
 * puts these functions into a struct device_api. */
#ifndef TUNE_DEVICE_GPU_GPU_H
#define TUNE_DEVICE_GPU_GPU_H

#include "tuner/base/clock.h"
#include "tuner/base/random.h"
#include "tuner/device/device.h"
#include "tuner/device/gpu/check.h"
#include "tuner/device/gpu/vector.h"

enum { GATE_TRIES = 3, NO_SLOT = -1, SUMS_MAX = BLOCK_RUNS_MAX };
/* Limit of all graphs together; a node takes about 7 kB on the host and 3 kB on the device. */
enum { NODES_MAX = 1 << 17 };
/* Results of `query_event` for a finished and a pending event; no vendor's code is negative. */
enum { GPU_DONE = 0, GPU_NOT_READY = -1 };

/* Functions of a vendor's driver. An int is 0, or the vendor's code, which `fail` turns into an
 * error. All work goes to one stream, in order; copies and fills may still be pending on return. */
struct gpu_driver {
    enum status (*fail)(struct device *device, int code, const char *what, struct error *error);

    int (*allocate)(struct device *device, size_t bytes, gpu_address *out);
    void (*release)(struct device *device, gpu_address address);
    int (*free_bytes)(struct device *device, size_t *out);
    /* Host memory into which the device copies directly. */
    int (*allocate_pinned)(struct device *device, size_t bytes, void **out);
    void (*release_pinned)(struct device *device, void *memory);
    int (*copy_in)(struct device *device, gpu_address to, const void *from, size_t bytes);
    int (*copy_out)(struct device *device, void *to, gpu_address from, size_t bytes);
    int (*copy)(struct device *device, gpu_address to, gpu_address from, size_t bytes);
    int (*fill)(struct device *device, gpu_address to, unsigned char byte, size_t bytes);
    /* Tells whether `generate` has a kernel, for arguments whose fill is arithmetic. */
    bool (*generates)(struct device *device, struct error *why);
    /* Generates a fill. STATUS_UNAVAILABLE: no kernel, from now on. */
    enum status (*generate)(struct device *device, gpu_address to, const struct filling *filling,
                            uint64_t count, struct error *error);
    int (*wait)(struct device *device);
    /* Copies vectors to the plan's surfaces, or back; before runs also texture objects to variables
     * of the current binary. */
    enum status (*carry)(struct device *device, const struct launch_plan *plan, bool back,
                         struct error *error);
    /* Finds the argument's variable of the current binary, for writing. STATUS_BAD_INPUT: the
     * variable is missing, or too small. */
    enum status (*find_variable)(struct device *device, const struct argument *argument,
                                 gpu_address *out, struct error *error);
    /* Copies the argument into its variable, unless already there. STATUS_BAD_INPUT as above. */
    enum status (*set_symbol)(struct device *device, const struct argument *argument,
                              const void *input, struct error *error);

    /* Adds to device->sums[i] the number for vector i of `count`. */
    int (*add_sums)(struct device *device, gpu_address first, uint64_t stride, uint64_t bytes,
                    uint32_t count);
    /* Writes values[i] over element at[i] of every second vector of `copies`. */
    int (*patch)(struct device *device, gpu_address first, uint64_t stride, uint32_t copies,
                 uint64_t width, uint64_t count, gpu_address at, gpu_address values);

    /* Finds each chunk's findings; all pointers are the device's. STATUS_UNAVAILABLE: no kernel. */
    enum status (*compare)(struct device *device, enum element_type type,
                           const struct comparing *what, uint64_t chunks, gpu_address findings,
                           struct error *error);

    /* Checks and prepares the plan; each call of `submit` then launches the plan once, after
     * `rotate` with the addresses of run `run` of a block. */
    enum status (*prepare)(struct device *device, const struct launch_plan *plan,
                           struct error *error);
    enum status (*rotate)(struct device *device, const struct launch_plan *plan, uint32_t run,
                          struct error *error);
    enum status (*submit)(struct device *device, struct error *error);
    /* The block's runs as a graph that can be launched. STATUS_UNAVAILABLE: host functions that
     * cannot be captured. */
    enum status (*build_graph)(struct device *device, const struct block *block, void **out,
                               struct error *error);
    void (*destroy_graph)(struct device *device, void *graph);
    int (*launch_graph)(struct device *device, void *graph);

    /* Fills the L2 with clean lines, or with dirty ones. */
    int (*flush)(struct device *device, bool dirty);
    /* One pass of the anchor's work. */
    int (*anchor_pass)(struct device *device);
    /* Work behind a gate: begin, submit ..., end. Work between begin and end starts when all of
     * this was submitted, so that the host's pace is not measured. `*elapsed_ns` includes the empty
     * pair. Call gate_end even when submitting failed; that result is then passed on. `*late`: the
     * host was late, the gate gave up, the time is worthless. */
    int (*gate_begin)(struct device *device);
    int (*gate_end)(struct device *device, int submitted, double *elapsed_ns, bool *late);
    /* Two events, 0 and 1, on the stream. */
    int (*record_event)(struct device *device, int event);
    int (*query_event)(struct device *device, int event);
    int (*wait_event)(struct device *device, int event);
    int (*elapsed)(struct device *device, double *elapsed_ns); /* from 0 to 1, both over */

    double (*clock_mhz)(const struct device *device); /* NaN: unknown */
    /* Reads the energy counter; false, with the reason in `why`, when the device has none. */
    bool (*read_energy)(struct device *device, double *joules, const char **why);
};

/* A slot's graph, and its key: the graph may be launched while the key is current. */
struct block_graph {
    void *graph;   /* NULL: there is none, or runs are issued one by one */
    uint32_t runs; /* 0: the slot is empty */
    enum l2_mode mode;
    enum issue issue;
    uint64_t code;   /* device->code */
    uint64_t layout; /* of memory */
    size_t nodes;
    uint64_t used; /* larger: later */
};

struct device {
    const struct gpu_driver *driver;
    void *own; /* the vendor's */
    int index, sm_count;
    size_t l2_bytes;
    size_t flush_bytes; /* bytes of a flush: twice the L2 */
    struct warm_up warm_up;
    struct calibration calibration;
    int64_t busy_until_ns; /* when the device was last known to work */
    bool uploads;          /* the binding under way moves data */
    uint64_t code;         /* identity of the current binary as loaded; 0: none */
    void *looked;          /* buffer of gpu_look; NULL: none yet */
    size_t looked_bytes;
    bool looked_is_pinned;
    gpu_address sums; /* sums of SUMS_MAX vectors */
    struct checking checking;
    bool banded;   /* the bound inputs lie between bands */
    unsigned turn; /* of these */
    struct vector vectors[ARGUMENTS_MAX];
    size_t argument_count; /* arguments of the bound plan */
    uint32_t copies;       /* copies of the plan's inputs */
    bool varied;           /* every second one is patched */
    bool repeated;         /* the runs of the block timed last ran more than once */
    struct block_graph slots[DEVICE_SLOTS];
    size_t node_count; /* nodes of all graphs */
    uint64_t slot_clock;
    char remark[ERROR_TEXT_BYTES]; /* for gpu_take_remark; "": none */
    struct random placing;         /* of memory */
    uint32_t first;                /* copy and place that the first run of a block takes */
    int64_t scratch_slot;          /* slot whose blocks used the scratch last; NO_SLOT: any */
};

/* block.c: Implements `take_remark` of struct device_api. */
bool gpu_take_remark(struct device *device, char *out, size_t bytes);
/* launch_text.c: Sets a driver's error, with the failed action from the format. */
enum status gpu_error(struct device *device, int code, struct error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Formats a launch: "reduce <<<264, 1024>>> (32 bytes shared)". */
void gpu_launch_text(const struct launch *launch, char *out, size_t bytes);
/* Formats all launches of a plan. */
void gpu_plan_text(const struct launch_plan *plan, char *out, size_t bytes);

/* memory.c */
bool gpu_generates(struct device *device, const struct argument *argument, struct error *why);
/* Gives the plan's vectors memory and data, as `bind` does; after STATUS_NO_MEMORY allocated
 * vectors stay. */
enum status gpu_bind_vectors(struct device *device, const struct launch_plan *plan,
                             const void *const *inputs, uint32_t copies, struct error *error);
void gpu_free_vectors(struct device *device);
/* Sums the bytes of up to SUMS_MAX vectors, `stride` bytes apart. */
enum status gpu_sums(struct device *device, gpu_address first, size_t stride, size_t bytes,
                     uint32_t count, uint64_t *out, struct error *error);
enum status gpu_patch(struct device *device, const struct launch_plan *plan,
                      const struct patch *patches, struct error *error);
enum status gpu_read(struct device *device, size_t index, void *out, size_t bytes,
                     struct error *error);
enum status gpu_look(struct device *device, size_t index, const void **out, size_t bytes,
                     struct error *error);
enum status gpu_looked_room(struct device *device, size_t bytes, void **out, struct error *error);
/* Frees vectors and the buffer of gpu_look. */
void gpu_memory_free(struct device *device);
/* Returns the start of a bound argument's vector. */
gpu_address gpu_vector_start(const struct vector *vector);
/* Finds the address of argument `index` in run `run` of a block, if the argument rotates or
 * wanders; false: the address is fixed. */
bool gpu_place_of_run(const struct device *device, const struct launch_plan *plan, size_t index,
                      uint32_t run, gpu_address *out);
/* Restores updates to the host's elements, for runs outside of blocks. */
enum status gpu_restore(struct device *device, const struct launch_plan *plan, struct error *error);
/* Notes that `runs` runs are about to change updates, and to use copies of inputs from `first` on.
 */
void gpu_note_runs(struct device *device, const struct launch_plan *plan, uint32_t first,
                   uint32_t runs);
/* Returns a hash of the addresses of vectors and copies. */
uint64_t gpu_layout(const struct device *device);
/* Draws with which copy of the inputs and which places of small outputs and scratch runs begin. */
void gpu_wander(struct device *device, uint64_t draw);
/* Makes the place of run `run` of the last block the current one for outputs and scratch. */
void gpu_settle(struct device *device, uint32_t run);
/* Fills the vectors of a role, all places of each with `everywhere`. */
enum status gpu_fill(struct device *device, const struct launch_plan *plan, enum argument_role role,
                     unsigned char byte, bool everywhere, struct error *error);

/* guards.c */
enum status gpu_write_guards(struct device *device, const struct launch_plan *plan,
                             struct error *error);
/* Writes new bands around inputs. */
enum status gpu_turn_bands(struct device *device, const struct launch_plan *plan,
                           struct error *error);
enum status gpu_guards_intact(struct device *device, const struct launch_plan *plan, bool *intact,
                              char *detail, size_t detail_bytes, struct error *error);

/* results.c */
enum status gpu_inputs_intact(struct device *device, const struct launch_plan *plan, bool *intact,
                              bool *worn, char *detail, size_t detail_bytes, struct error *error);
enum status gpu_results(struct device *device, const struct block *block, uint64_t outputs,
                        struct run_result *out, uint32_t *count, struct error *error);
enum status gpu_show(struct device *device, const struct block *block, uint32_t run,
                     struct error *error);

/* block.c */
enum status gpu_bind(struct device *device, const struct launch_plan *plan,
                     const void *const *inputs, uint32_t copies, const struct patch *patches,
                     struct error *error);
enum status gpu_run(struct device *device, const struct launch_plan *plan, enum run_start start,
                    double *elapsed_ns, struct error *error);
enum status gpu_time_block(struct device *device, const struct block *block, double *elapsed_ns,
                           struct error *error);
/* Makes a block ready to be launched: graph (NULL where runs are issued one by one), scratch,
 * clock.
 */
enum status gpu_block_ready(struct device *device, const struct block *block, void **out,
                            struct error *error);
void gpu_drop_slots(struct device *device);
/* Forgets the graphs that launch kernels of a binary. */
void gpu_drop_code(struct device *device, uint64_t code);

/* anchor.c: Times `work` behind the gate, up to GATE_TRIES times while the host is late. `what`
 * begins errors. */
enum status gpu_time_gated(struct device *device, int (*work)(struct device *, void *),
                           void *context, const char *what, double *elapsed_ns,
                           struct error *error);
/* Returns STATUS_TIMED_OUT: the host was late each time. */
enum status gpu_too_busy(struct error *error);
/* Warms up the device: after idling, the clock is a fraction of the clock at work. */
enum status gpu_warm_up(struct device *device, struct error *error);
/* Warms up for one window more, after a pause. */
enum status gpu_warm_again(struct device *device, struct error *error);
enum status gpu_anchor(struct device *device, double *elapsed_ns, struct error *error);

/* energy.c */
enum status gpu_measure_energy(struct device *device, const struct block *block, double window_ms,
                               struct energy *out, struct error *error);

#endif
