/* The open CUDA device, between the files of this folder. */
#ifndef TUNE_DEVICE_CUDA_INTERNAL_H
#define TUNE_DEVICE_CUDA_INTERNAL_H

#include <sys/stat.h>

#include "tuner/base/hash.h"
#include "tuner/base/limits.h"
#include "tuner/base/pack.h"
#include "tuner/base/random.h"
#include "tuner/base/source.h"
#include "tuner/device/cuda/container.h"
#include "tuner/device/cuda/driver.h"
#include "tuner/device/cuda/nvml.h"
#include "tuner/device/cuda/own.h"
#include "tuner/device/functions.h"
#include "tuner/device/gpu/gpu.h"

enum { MODULES_MAX = DEVICE_SLOTS };

enum { PARAMETERS_UNKNOWN = -1 };

struct kernel {
    char *name;          /* as requested */
    int parameter_count; /* PARAMETERS_UNKNOWN: the driver does not tell */
    size_t parameter_bytes[ARGUMENTS_MAX];
    CUfunction function;
    int32_t spill_bytes;
    int32_t shared_optin; /* dynamic shared memory that was opted in to so far */
    uint32_t cluster[3];  /* blocks of a cluster in the source; 1, 1, 1: none */
    bool large_clusters;  /* clusters of more than 8 blocks, allowed explicitly */
};

/* A variable that an argument is. */
struct symbol {
    char *name;          /* as requested */
    char *lowered;       /* in the binary */
    CUdeviceptr address; /* 0: not looked for yet */
    size_t bytes;
    uint64_t holds; /* hash of the last copied contents; 0: none */
};

/* A loaded binary. */
struct module {
    char *path;
    struct stat file; /* the file when loaded: a changed file at the path is another binary */
    CUmodule handle;
    void *object;   /* with host functions, in place of kernels; NULL: none */
    bool is_called; /* its functions, without an error */
    struct kernel *kernels;
    size_t kernel_count;
    struct symbol *symbols;
    size_t symbol_count, symbol_capacity;
    uint64_t used;   /* larger: later */
    uint64_t serial; /* number of this load; never 0 */
};

/* Messages between the host and the device's gate, in mapped host memory. */
struct gate {
    volatile uint32_t *open; /* the ticket of the gate that may open; on the host */
    volatile uint32_t *seen; /* ticket of the opened gate; ~ticket: the gate gave up */
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

enum { CUDA_PADS = 12 };

/* A plan in the driver's terms. */
struct prepared_launch {
    const struct launch *launch;
    struct kernel *kernel;
    struct host_function function;     /* in place of the kernel */
    void *arguments[2][ARGUMENTS_MAX]; /* arguments of even and odd repeats, from 0 */
};
struct prepared_plan {
    size_t launch_count;
    const struct launch_plan *plan;
    struct prepared_launch launches[LAUNCHES_MAX];
    /* Addresses, scalars and structs. Launches point into this array, so the struct must not move.
     */
    _Alignas(8) unsigned char values[ARGUMENTS_MAX][VALUE_BYTES_MAX];
};

/* State of an open CUDA device, besides the common state of GPUs (struct device). */
struct cuda {
    const struct cuda_driver *driver;
    CUdevice handle;
    CUcontext context; /* the primary one */
    CUstream stream;
    CUevent begin;
    CUevent end;
    char architecture[16];
    int compute_major;
    int max_threads_per_sm;
    struct launch_limits limits;
    int warp_size;
    int shared_default; /* dynamic + static shared memory per block without opting in */
    struct harness harness;
    struct own_kernel checks[ELEMENT_TYPE_COUNT]; /* one for each output type */
    struct own_kernel fill;
    struct gate gate;
    CUdeviceptr pads[CUDA_PADS];     /* blocks of random sizes, allocated first; 0: none */
    CUdeviceptr flush;               /* flush_bytes, never written after the first fill */
    CUdeviceptr sink;                /* 64 bytes that no kernel ever writes, but could */
    struct nvml nvml;                /* open as long as the device; closed where unavailable */
    struct texture_object *textures; /* textures.c */
    size_t texture_count, texture_room;
    struct module modules[MODULES_MAX];
    size_t module_count;
    struct module *current;
    uint64_t module_clock;
    uint64_t module_serial;
    bool is_capturing;             /* calls of host functions */
    struct prepared_plan prepared; /* the plan that is launched next */
};
static inline struct cuda *cuda_of(const struct device *device)
{
    return device->own;
}

/* stream.c */
extern const struct gpu_driver cuda_gpu_driver;
/* Appends a node behind *last (NULL: the first). The node begins when *last has ended or, if
 * `dependent`, as soon as *last permits. */
CUresult cuda_graph_append(struct device *device, CUgraph graph, CUgraphNode *last,
                           const CUDA_KERNEL_NODE_PARAMS *node, bool dependent);
/* Makes the graph executable and uploads the result. *out is NULL on failure. */
CUresult cuda_graph_finish(struct device *device, CUgraph graph, CUgraphExec *out);

/* driver.c: Turns a driver's result into status and text: "what: CUDA_ERROR_... (700): ...". With
 * `device`, errors after which the context no longer answers become STATUS_DEVICE_LOST. */
enum status cuda_error(struct device *device, CUresult result, struct error *error,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
enum status cuda_fail(struct device *device, int code, const char *what, struct error *error);
CUresult cuda_launch(struct device *device, CUfunction function, uint32_t grid, uint32_t block,
                     void **arguments);

/* describe.c */
enum status cuda_count(int *count, struct error *error);
enum status cuda_describe(int index, const char *architecture, struct facts *facts,
                          struct error *error);
/* Finds the device's handle; STATUS_USAGE when no device has the index. */
enum status cuda_handle(const struct cuda_driver *driver, int index, CUdevice *out,
                        struct error *error);
/* Appends facts from NVML; `driver_text` gets "580.65.06" or "". */
void cuda_describe_nvml(const char *pci_address, struct facts *facts, char *driver_text,
                        size_t driver_bytes);

/* compile.c */
enum status cuda_compile(const struct binary_request *request, const char *binary_path,
                         struct text *log, struct error *error);
/* nvcc.c */
enum status cuda_compiler_version(const char *compiler, const char **out, struct error *error);

/* inspect.c: Reads a binary's facts without a device. */
enum status cuda_arguments_fit(const char *binary_path, const struct launch_plan *plan,
                               struct error *error);
enum status cuda_inspect(const char *binary_path, const char *kernel,
                         struct kernel_resources *resources, char *code_hash, struct error *error);
struct cubin;
/* Reads a function's resources, by symbol. */
enum status cuda_cubin_resources(const struct cubin *cubin, const char *lowered,
                                 struct kernel_resources *out, struct error *error);
/* Hashes the container's kernels and everything that these may use. */
enum status cuda_code_hash(struct arena *arena, const struct container *container,
                           const struct cubin *cubin, char out[HASH_TEXT_BYTES],
                           struct error *error);

/* Checks the arguments of a launch against the kernel's parameters, by number and size: types are
 * not known. */
enum status cuda_check_parameters(const struct launch_plan *plan, const struct launch *launch,
                                  const struct kernel *kernel, struct error *error);
/* Fills in the number and sizes of the kernel's parameters. */
void cuda_take_parameters(const struct cuda_driver *driver, const struct container *container,
                          const char *lowered, struct kernel *kernel);

/* offline.c */
enum status cuda_imagine(const char *architecture, struct facts *facts, struct error *error);
enum status cuda_occupancy(const struct facts *facts, const struct launch *launch,
                           struct kernel_resources *resources, struct error *error);

/* open.c */
enum status cuda_reserve(int index, struct error *error);
enum status cuda_open(int index, const struct warm_up *warm_up, struct device **out,
                      struct calibration *calibration, struct error *error);
void cuda_close(struct device *device);

/* Calibrates tick, empty pair and node gap. */
enum status cuda_calibrate(struct device *device, struct error *error);

void cuda_conditions(struct device *device, struct conditions *out);
/* Reads all conditions but the other processes. */
void cuda_sensors(const struct device *device, struct conditions *out);
/* Returns the SM clock; NaN when unknown. */
double cuda_sm_clock(const struct device *device);
bool cuda_read_energy(struct device *device, double *joules, const char **why);

/* harness.c */
enum status cuda_harness_load(struct device *device, struct error *error);
int cuda_flush(struct device *device, bool dirty);
int cuda_anchor_pass(struct device *device);
int cuda_gate_begin(struct device *device);
int cuda_gate_end(struct device *device, int submitted, double *elapsed_ns, bool *late);

/* modules.c */
enum status cuda_load(struct device *device, const char *binary_path, struct error *error);
enum status cuda_resources(struct device *device, const struct launch *launch,
                           struct kernel_resources *out, struct error *error);
enum status cuda_find_kernel(struct device *device, const char *name, struct kernel **out,
                             struct error *error);
/* Implements gpu_driver.find_variable; the next function gpu_driver.set_symbol. */
enum status cuda_find_variable(struct device *device, const struct argument *argument,
                               gpu_address *out, struct error *error);
enum status cuda_set_symbol(struct device *device, const struct argument *argument,
                            const void *input, struct error *error);
enum status cuda_want(struct device *device, struct launch_plan *plan, struct error *error);
/* Opts in to `bytes` of dynamic shared memory where that is needed. */
enum status cuda_allow_shared(struct device *device, struct kernel *kernel, uint32_t bytes,
                              struct error *error);
/* Returns a launch's clusters: from the launch, else from the kernel's source. */
void cuda_cluster_of(const struct launch *launch, const struct kernel *kernel, uint32_t out[3]);
/* Allows clusters of more than 8 blocks, which not every device has. Where this is refused, the
 * launch will fail. */
void cuda_allow_cluster(struct device *device, struct kernel *kernel, const uint32_t cluster[3]);
void cuda_modules_free(struct device *device);

/* arguments.c */
enum status cuda_prepare(struct device *device, const struct launch_plan *plan,
                         struct prepared_plan *out, struct error *error);
/* Lets inputs, small outputs and scratch be those of run `run`: copies and places take turns. */
enum status cuda_rotate(struct device *device, const struct launch_plan *plan, uint32_t run,
                        struct prepared_plan *prepared, struct error *error);

/* ceilings.c */
enum status cuda_ceilings(struct device *device, int64_t bytes, struct bandwidth *bandwidth,
                          struct arithmetic *arithmetic, struct error *error);

#endif
