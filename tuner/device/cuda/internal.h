/* The open CUDA device, between the files of this folder. */
#ifndef TUNE_DEVICE_CUDA_INTERNAL_H
#define TUNE_DEVICE_CUDA_INTERNAL_H

#include <sys/stat.h>

#include "tuner/base/hash.h"
#include "tuner/base/pack.h"
#include "tuner/base/random.h"
#include "tuner/base/source.h"
#include "tuner/device/cuda/container.h"
#include "tuner/device/cuda/driver.h"
#include "tuner/device/cuda/nvml.h"
#include "tuner/device/device.h"

enum { MODULES_MAX = DEVICE_SLOTS, GATE_TRIES = 3, NO_SLOT = -1 };
/* Of all graphs together; one takes about 7 kB on the host and 3 kB on the device. */
enum { NODES_MAX = 1 << 17 };

enum { PARAMETERS_UNKNOWN = -1 };

struct kernel {
    char *name;          /* as requested */
    int parameter_count; /* PARAMETERS_UNKNOWN: the driver does not tell */
    size_t parameter_bytes[ARGUMENTS_MAX];
    CUfunction function;
    int32_t spill_bytes;
    int32_t shared_optin; /* dynamic shared memory that was opted in to so far */
    uint32_t cluster[3];  /* blocks of a cluster, by its source; 1, 1, 1: none */
};

/* A variable that arguments are copied into. */
struct symbol {
    char *name;          /* as requested */
    char *lowered;       /* in the binary */
    CUdeviceptr address; /* 0: not looked for yet */
    size_t bytes;
    uint64_t holds; /* hash of what was copied last; 0: nothing was */
};

/* A loaded binary. */
struct module {
    char *path;
    struct stat file; /* as it was when loaded: another file at the path is another binary */
    CUmodule handle;
    struct kernel *kernels;
    size_t kernel_count;
    struct symbol *symbols;
    size_t symbol_count;
    uint64_t used;   /* larger: later */
    uint64_t serial; /* of this load; never 0 */
};

/* The device memory of one argument. Kept from plan to plan, as its size allows. Outputs and
 * scratch have a guard band right before and right behind them. */
struct vector {
    CUdeviceptr base;
    size_t capacity;
    size_t offset; /* of the bound plan's vector behind base */
    size_t wander; /* the part of it that changes: the place in use, times place_bytes */
    size_t place_bytes;
    uint32_t places; /* that runs rotate over; 1: it stays */
    size_t bytes;    /* of the bound plan's vector */
    /* Inputs and updates: what is there. Copy k that runs are given begins at base + offset + k *
     * stride. Of updates there is one before these (memory.c). */
    const void *host;
    uint64_t contents; /* argument_contents of it */
    size_t uploaded;   /* bytes of the first copy that are those of `host` */
    size_t stride;
    size_t copy_bytes; /* bytes of the further copies that are equal to the first */
    uint32_t filled;
    uint32_t copies; /* that runs rotate over, <= filled */
    bool changed;    /* runs have written to copies */
    /* Inputs: of so many copies every second one has the elements of a patch, by its hash. */
    uint32_t patched;
    uint64_t patch;
    uint64_t patched_sum; /* of such a copy */
    size_t shown;         /* where, behind copy 0, what is looked at lies: 0 but after cuda_show */
    /* Inputs: the sum of a copy (tune_sum) as it was uploaded, of `summed` bytes (SIZE_MAX: not
     * known), and the copies that runs were given since it was looked at: so many from the first.
     */
    uint64_t sum;
    size_t summed;
    uint32_t used_first, used;
    unsigned char band[2][GUARD_BYTES]; /* written last before and behind an input */
};

/* What the host and the gate on the device say to one another, in mapped host memory. */
struct gate {
    volatile uint32_t *open; /* the ticket of the gate that may open; on the host */
    volatile uint32_t *seen; /* ticket of the gate that was opened; ~ticket: it gave up */
    CUdeviceptr open_on_device;
    CUdeviceptr seen_on_device;
    uint32_t ticket;
};

struct harness {
    CUmodule module;
    CUfunction gate;
    CUfunction empty;
    CUfunction clean_read;
    CUfunction anchor;
    CUfunction sum;
    CUfunction patch;
};

/* What a slot keeps: a graph, and what it was built on. It may be launched while that holds. */
struct block_graph {
    CUgraphExec exec; /* NULL: there is none */
    uint32_t runs;
    enum l2_mode mode;
    uint64_t module; /* serial of the one whose kernels it launches */
    uint64_t layout; /* cuda_layout */
    size_t nodes;
    uint64_t used; /* larger: later */
};

enum { CUDA_PADS = 12, SUMS_MAX = BLOCK_RUNS_MAX };

/* Where cuda_look puts what it reads. */
struct looked {
    void *data; /* NULL: none yet */
    size_t bytes;
    bool pinned;
};

struct device {
    const struct cuda_driver *driver;
    int index;
    CUdevice handle;
    CUcontext context; /* the primary one */
    CUstream stream;
    CUevent begin;
    CUevent end;
    char architecture[16];
    int compute_major;
    int sm_count;
    int max_threads_per_sm;
    int warp_size;
    int shared_default; /* dynamic + static shared memory per block without opting in */
    size_t l2_bytes;
    struct harness harness;
    struct gate gate;
    CUdeviceptr pads[CUDA_PADS]; /* of random sizes, in front of everything else; 0: none */
    CUdeviceptr flush;           /* flush_bytes, never written after its first fill */
    size_t flush_bytes;
    CUdeviceptr sink; /* 64 bytes that no kernel ever writes, but could */
    struct warm_up warm_up;
    struct calibration calibration;
    int64_t busy_until_ns; /* when the device was last known to work */
    bool uploads;          /* the binding under way moves data */
    struct nvml nvml;      /* kept open; not open where it cannot be had */

    struct module modules[MODULES_MAX];
    size_t module_count;
    struct module *current;
    uint64_t module_clock;
    uint64_t module_serial;

    struct looked looked;
    CUdeviceptr sums; /* of SUMS_MAX vectors */
    bool banded;      /* the bound inputs lie between bands */
    unsigned turn;    /* of these */
    struct vector vectors[ARGUMENTS_MAX];
    size_t argument_count; /* of the bound plan */
    uint32_t copies;       /* of its inputs */
    bool varied;           /* every second one is patched */
    bool repeated;         /* the runs of the block timed last ran more than once */
    struct block_graph slots[DEVICE_SLOTS];
    size_t node_count; /* of all graphs */
    uint64_t slot_clock;
    struct random placing; /* of memory */
    uint32_t first;        /* copy and place that the first run of a block takes */
    int64_t scratch_slot;  /* whose blocks left the scratch as it is; NO_SLOT: anybody's */
};

/* error.c. Turns a driver's result into status and text: "what: CUDA_ERROR_... (700): ...". With
 * `device`, errors after which the context no longer answers become STATUS_DEVICE_LOST. */
enum status cuda_error(struct device *device, CUresult result, struct error *error,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Whether only a new process helps. */
bool cuda_error_is_fatal(CUresult result);
/* "reduce <<<264, 1024>>> (32 bytes shared)" */
void cuda_launch_text(const struct launch *launch, char *out, size_t bytes);
/* All launches of a plan. */
void cuda_plan_text(const struct launch_plan *plan, char *out, size_t bytes);

/* describe.c */
enum status cuda_count(int *count, struct error *error);
enum status cuda_describe(int index, struct facts *facts, struct error *error);
/* The device's handle; STATUS_USAGE when there is no such index. */
enum status cuda_handle(const struct cuda_driver *driver, int index, CUdevice *out,
                        struct error *error);
/* locality.c. PCI address as "0000:1b:00.0". -1 when it is not known. */
int cuda_numa_node(const char *pci_address);
/* nvml.c and nvml.h. Appends what NVML knows; `driver_text` gets "580.65.06" or "". */
void cuda_describe_nvml(const char *pci_address, struct facts *facts, char *driver_text,
                        size_t driver_bytes);

/* compile.c */
enum status cuda_compile(const struct binary_request *request, const char *binary_path,
                         struct text *log, struct error *error);
/* As cuda_compile, from a text. `container` is filled with arena memory. */
enum status cuda_compile_text(struct arena *arena, const char *source, const char *name,
                              const struct binary_request *request, struct container *out,
                              struct text *log, struct error *error);

/* inspect.c, and code_hash.c. What a binary tells without a device. */
enum status cuda_fits(const char *binary_path, const struct launch_plan *plan, struct error *error);
enum status cuda_inspect(const char *binary_path, const char *kernel,
                         struct kernel_resources *resources, char *code_hash, struct error *error);
struct cubin;
/* Of a function by its symbol. */
enum status cuda_cubin_resources(const struct cubin *cubin, const char *lowered,
                                 struct kernel_resources *out, struct error *error);
/* Of the container's kernels and all that they may use. */
enum status cuda_code_hash(struct arena *arena, const struct container *container,
                           const struct cubin *cubin, char out[HASH_TEXT_BYTES],
                           struct error *error);

/* offline.c */
enum status cuda_imagine(const char *architecture, struct facts *facts, struct error *error);
enum status cuda_occupancy(const struct facts *facts, uint32_t block_threads, uint32_t shared_bytes,
                           struct kernel_resources *resources, struct error *error);

/* units.c */
struct cuda_cubin {
    const char *name; /* for messages */
    const void *data;
    size_t bytes;
};
/* Which of the units defines what a name expression names, a kernel or a variable; the first when
 * none is seen to. */
size_t cuda_defining_unit(const struct source *units, size_t count, const char *expression,
                          bool is_function);
/* Relocatable cubins to one that can be loaded, in arena memory. */
enum status cuda_link(struct arena *arena, const struct cuda_cubin *units, size_t count,
                      const char *architecture, struct cuda_cubin *out, struct text *log,
                      struct error *error);

/* open.c */
enum status cuda_open(int index, const struct warm_up *warm_up, struct device **out,
                      struct error *error);
void cuda_close(struct device *device);
void cuda_calibration(const struct device *device, struct calibration *out);

/* calibrate.c: tick, empty pair, node gap. */
enum status cuda_calibrate(struct device *device, struct error *error);

/* anchor.c. The clock of a device that idled is a fraction of its clock at work. */
enum status cuda_warm_up(struct device *device, struct error *error);
/* One window more, after a pause. */
enum status cuda_warm_again(struct device *device, struct error *error);
enum status cuda_anchor(struct device *device, double *elapsed_ns, struct error *error);

/* conditions.c */
void cuda_conditions(struct device *device, struct conditions *out);
/* All but the other processes. */
void cuda_sensors(const struct device *device, struct conditions *out);
/* NaN when unknown. */
double cuda_sm_clock(const struct device *device);
/* The library must have the function; gives the library's result. */
int cuda_energy_counter(const struct nvml *nvml, double *joules);

/* harness.c */
enum status cuda_harness_load(struct device *device, struct error *error);
/* Fill the L2 with clean lines, or with dirty ones. */
enum status cuda_flush(struct device *device, struct error *error);
enum status cuda_flush_dirty(struct device *device, struct error *error);
CUresult cuda_anchor_pass(struct device *device);
/* Work behind a gate: begin, submit ..., end. What lies between begin and end starts when all of it
 * was submitted, so that the host's pace is not measured. `*elapsed_ns` includes the empty pair.
 * cuda_gate_end must be called also when submitting failed; it then passes that result on.
 * `*again`: the host was late, the gate gave up, the time is worthless. */
CUresult cuda_gate_begin(struct device *device);
CUresult cuda_gate_end(struct device *device, CUresult submitted, double *elapsed_ns, bool *again);
/* Times `work` so, again where the host was late, up to GATE_TRIES times. `what` begins errors. */
enum status cuda_time_gated(struct device *device, CUresult (*work)(struct device *, void *),
                            void *context, const char *what, double *elapsed_ns,
                            struct error *error);
/* STATUS_TIMED_OUT: the host was late each time. */
enum status cuda_too_busy(struct error *error);
CUresult cuda_launch(struct device *device, CUfunction function, uint32_t grid, uint32_t block,
                     void **arguments);

/* modules.c */
enum status cuda_load(struct device *device, const char *binary_path, struct error *error);
enum status cuda_resources(struct device *device, const char *kernel, uint32_t block_threads,
                           uint32_t shared_bytes, struct kernel_resources *out,
                           struct error *error);
enum status cuda_find_kernel(struct device *device, const char *name, struct kernel **out,
                             struct error *error);
/* Whether blocks of the kernel come in clusters. */
bool cuda_is_clustered(const struct kernel *kernel);
/* parameters.c. Fills in how many parameters the kernel has, and their sizes. */
/* unknown.c. After a failure: where a kernel that is asked for is not in the source, the error says
 * which are. Always STATUS_COMPILE_FAILED, or STATUS_NO_MEMORY. */
enum status cuda_name_kernels(struct arena *arena, const char *source, const char *path,
                              const struct binary_request *request, struct error *error);
/* What is passed must be what the kernel takes, by number and size: types are not known. */
enum status cuda_check_parameters(const struct launch_plan *plan, const struct launch *launch,
                                  const struct kernel *kernel, struct error *error);
/* False: the binary does not tell. */
bool cuda_binary_parameters(const struct container *container, const char *lowered,
                            struct kernel *kernel);
void cuda_take_parameters(const struct cuda_driver *driver, const struct container *container,
                          const char *lowered, struct kernel *kernel);
/* symbols.c. Copies the argument into its variable of the current binary, unless it is there.
 * STATUS_BAD_INPUT where there is no such variable, or one of another size. */
enum status cuda_set_symbol(struct device *device, const struct argument *argument,
                            const void *input, struct error *error);
enum status cuda_take_symbols(const struct container *container, struct module *module,
                              struct error *error);
void cuda_free_symbols(struct module *module);
/* Opts in to `bytes` of dynamic shared memory where that is needed. */
enum status cuda_allow_shared(struct device *device, struct kernel *kernel, uint32_t bytes,
                              struct error *error);
void cuda_modules_free(struct device *device);

/* memory.c */
enum status cuda_bind(struct device *device, const struct launch_plan *plan,
                      const void *const *inputs, uint32_t copies, struct error *error);
enum status cuda_read(struct device *device, size_t index, void *out, size_t bytes,
                      struct error *error);

/* Patches every second copy of the bound plan's inputs. */
enum status cuda_vary(struct device *device, const struct launch_plan *plan,
                      const struct patch *patches, struct error *error);

/* results.c: what the runs of a block left. */
enum status cuda_results(struct device *device, const struct block *block, uint32_t outputs,
                         struct run_result *out, uint32_t *count, struct error *error);
enum status cuda_show(struct device *device, const struct block *block, uint32_t run,
                      struct error *error);
/* What is looked at is where checked runs write. */
void cuda_show_first(struct device *device);

/* look.c */
enum status cuda_look(struct device *device, size_t index, const void **out, size_t bytes,
                      struct error *error);
void cuda_look_free(struct device *device);
/* What is read and written, as the host has it, where runs outside of blocks find it. */
enum status cuda_restore(struct device *device, const struct launch_plan *plan,
                         struct error *error);
/* Runs are about to change it. */
void cuda_note_updates(struct device *device, const struct launch_plan *plan);
/* Runs are about to be given so many copies of inputs, from the first of the last block's on. */
void cuda_note_inputs(struct device *device, const struct launch_plan *plan, uint32_t first,
                      uint32_t runs);
/* Stands for where the vectors and their copies lie. */
uint64_t cuda_layout(const struct device *device);
/* Where the vector of a bound argument starts. */
CUdeviceptr cuda_vector_start(const struct vector *vector);
/* Draws with which copy of the inputs and which places of small outputs and scratch runs
 * begin.
 */
void cuda_wander(struct device *device, uint64_t draw);
/* What run `run` of the last block used becomes the place of outputs and scratch. */
void cuda_settle(struct device *device, uint32_t run);
void cuda_vectors_free(struct device *device);

/* arguments.c: a plan as the driver takes it. */
struct prepared_launch {
    const struct launch *launch;
    struct kernel *kernel;
    void *arguments[ARGUMENTS_MAX];
};
struct prepared_plan {
    size_t launch_count;
    struct prepared_launch launches[LAUNCHES_MAX];
    /* Addresses, scalars and structs. The launches point into it, so the struct must stay where it
     * is. */
    _Alignas(8) unsigned char values[ARGUMENTS_MAX][VALUE_BYTES_MAX];
};
enum status cuda_prepare(struct device *device, const struct launch_plan *plan,
                         struct prepared_plan *out, struct error *error);
/* Lets inputs, small outputs and scratch be those of run `run`: copies and places take turns. */
void cuda_rotate(const struct device *device, const struct launch_plan *plan, uint32_t run,
                 struct prepared_plan *prepared);

/* launch.c */
enum status cuda_run(struct device *device, const struct launch_plan *plan, double *elapsed_ns,
                     struct error *error);
enum status cuda_run_again(struct device *device, const struct launch_plan *plan,
                           struct error *error);
enum status cuda_run_on(struct device *device, const struct launch_plan *plan, struct error *error);
/* Submits each launch once. */
enum status cuda_submit(struct device *device, const struct prepared_plan *prepared,
                        struct error *error);
/* Fills the vectors of a role. */
enum status cuda_fill(struct device *device, const struct launch_plan *plan,
                      enum argument_role role, unsigned char byte, struct error *error);
/* The same, at all of their places. */
enum status cuda_fill_places(struct device *device, const struct launch_plan *plan,
                             enum argument_role role, unsigned char byte, struct error *error);

/* guards.c */
enum status cuda_write_guards(struct device *device, const struct launch_plan *plan,
                              struct error *error);
/* Those around inputs alone, other ones than before. */
enum status cuda_turn_bands(struct device *device, const struct launch_plan *plan,
                            struct error *error);
enum status cuda_guards(struct device *device, const struct launch_plan *plan, bool *intact,
                        char *detail, size_t detail_bytes, struct error *error);

/* sums.c. Numbers for the bytes of up to SUMS_MAX vectors, `stride` bytes apart. */
enum status cuda_sums(struct device *device, CUdeviceptr first, size_t stride, size_t bytes,
                      uint32_t count, uint64_t *out, struct error *error);
/* The same of `count` of `all` that take turns, from `first` on and on from 0. */
enum status cuda_sums_in_turn(struct device *device, CUdeviceptr start, size_t stride, size_t bytes,
                              uint32_t all, uint32_t first, uint32_t count, uint64_t *out,
                              struct error *error);
enum status cuda_intact(struct device *device, const struct launch_plan *plan, bool *intact,
                        bool *worn, char *detail, size_t detail_bytes, struct error *error);
/* What is there is what `host` has: its sum is what inputs are held against. */
enum status cuda_sum_input(struct device *device, struct vector *vector, CUdeviceptr copy,
                           struct error *error);

/* graph.c: the graphs of blocks. */
/* Appends a node behind *last (NULL: the first). It begins when that has ended or, if it is
 * `dependent`, as soon as that lets it. */
CUresult cuda_graph_append(struct device *device, CUgraph graph, CUgraphNode *last,
                           const CUDA_KERNEL_NODE_PARAMS *node, bool dependent);
/* Makes the graph executable and uploads it. *out is NULL on failure. */
CUresult cuda_graph_finish(struct device *device, CUgraph graph, CUgraphExec *out);
/* The slot's graph for this block, kept or built anew (*fresh). */
enum status cuda_slot_graph(struct device *device, const struct block *block, CUgraphExec *out,
                            bool *fresh, struct error *error);
void cuda_drop_slots(struct device *device);
/* Forgets the graphs that launch kernels of a module. */
void cuda_drop_module_slots(struct device *device, uint64_t serial);

/* block.c */
enum status cuda_time_block(struct device *device, const struct block *block, double *elapsed_ns,
                            struct error *error);
/* Makes a block ready to be launched: graph, scratch, clock. */
enum status cuda_block_ready(struct device *device, const struct block *block, CUgraphExec *out,
                             struct error *error);

/* energy.c */
enum status cuda_measure_energy(struct device *device, const struct block *block, double window_ms,
                                struct energy *out, struct error *error);

/* arithmetic.c */
enum status cuda_arithmetic(struct device *device, struct arithmetic *out, struct error *error);

/* bandwidth.c */
enum status cuda_bandwidth(struct device *device, int64_t bytes, struct bandwidth *out,
                           struct error *error);

#endif
