/* Between the files of this folder; measure.h has the functions that measure. All work goes to one
 * stream, in order: copies and fills may still be pending on return. */
#ifndef TUNE_DEVICE_CUDA_INTERNAL_H
#define TUNE_DEVICE_CUDA_INTERNAL_H

#include "tuner/base/hash.h"
#include "tuner/base/source.h"
#include "tuner/device/cuda/container.h"
#include "tuner/device/cuda/device.h"

/* Functions of struct device_api, each in the file that its work is in. */
#define CUDA_DEVICE(X)                                                                             \
    X(compiles_beside_measuring)                                                                   \
    X(count)                                                                                       \
    X(describe)                                                                                    \
    X(compile)                                                                                     \
    X(compiler_version)                                                                            \
    X(compiler_settings)                                                                           \
    X(inspect)                                                                                     \
    X(arguments_fit)                                                                               \
    X(occupancy)                                                                                   \
    X(reserve)                                                                                     \
    X(open)                                                                                        \
    X(close)                                                                                       \
    X(load)                                                                                        \
    X(resources)                                                                                   \
    X(want)                                                                                        \
    X(generates)                                                                                   \
    X(bind)                                                                                        \
    X(run)                                                                                         \
    X(guards_intact)                                                                               \
    X(inputs_intact)                                                                               \
    X(time_block)                                                                                  \
    X(results)                                                                                     \
    X(show)                                                                                        \
    X(take_remark)                                                                                 \
    X(drop_slots)                                                                                  \
    X(anchor)                                                                                      \
    X(conditions)                                                                                  \
    X(measure_energy)                                                                              \
    X(read)                                                                                        \
    X(look)                                                                                        \
    X(compare)                                                                                     \
    X(ceilings)
#define CUDA_DEVICE_DECLARE(member) DEVICE_FUNCTION(cuda, member);
CUDA_DEVICE(CUDA_DEVICE_DECLARE)

/* driver.c: Turns a driver's result into status and text: "what: CUDA_ERROR_... (700): ...";
 * CUDA_SUCCESS is STATUS_OK. With `device`, errors after which the context no longer answers become
 * STATUS_DEVICE_LOST. */
enum status cuda_error(struct device *device, CUresult result, struct error *error,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Returns cuda_error for a function of the driver that fails, called with the local `device`:
 * CUDA_TRY(cuMemAlloc(&address, bytes), "%zu bytes", bytes); */
#define CUDA_TRY(call, ...) TRY(cuda_error(device, device->driver->call, error, __VA_ARGS__))
/* Returns the result of a call that fails, from a function that returns results. */
#define CUDA_PASS(call)                                                                            \
    do {                                                                                           \
        const CUresult pass_result = (call);                                                       \
        if (pass_result != CUDA_SUCCESS)                                                           \
            return pass_result;                                                                    \
    } while (0)
/* Formats a launch: "reduce <<<264, 1024>>> (32 bytes shared)". */
void cuda_launch_text(const struct launch *launch, char *out, size_t bytes);
/* Formats all launches of a plan. */
void cuda_plan_text(const struct launch_plan *plan, char *out, size_t bytes);
CUresult cuda_launch(struct device *device, CUfunction function, uint32_t grid, uint32_t block,
                     void **arguments);

/* describe.c */
/* Finds the device's handle; STATUS_USAGE when no device has the index. */
enum status cuda_handle(const struct cuda_driver *driver, int index, CUdevice *out,
                        struct error *error);
/* Appends facts from NVML; `driver_text` gets "580.65.06" or "". */
void cuda_describe_nvml(const char *pci_address, struct facts *facts, char *driver_text,
                        size_t driver_bytes);

/* inspect.c: Reads a binary's facts without a device. */
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

/* harness.c: Calibrates tick, empty pair and node gap. */
enum status cuda_calibrate(struct device *device, struct error *error);

/* Reads all conditions but the other processes. */
void cuda_sensors(const struct device *device, struct conditions *out);
/* Returns the SM clock; NaN when unknown. */
double cuda_sm_clock(const struct device *device);
bool cuda_read_energy(struct device *device, double *joules, const char **why);

/* graphs.c */

/* Appends a node behind *last (NULL: the first). The node begins when *last has ended or, if
 * `dependent`, as soon as *last permits. */
CUresult cuda_graph_append(struct device *device, CUgraph graph, CUgraphNode *last,
                           const CUDA_KERNEL_NODE_PARAMS *node, bool dependent);
/* Makes the graph executable and uploads the result. *out is NULL on failure. */
CUresult cuda_graph_finish(struct device *device, CUgraph graph, CUgraphExec *out);
/* Drops a slot's graph; the least recently used ones until there is room for `nodes` more; all. */
void cuda_drop_graph(struct device *device, struct block_graph *graph);
void cuda_make_room(struct device *device, size_t nodes);
void cuda_drop_graphs(struct device *device);

/* own.c */

/* Loads kernels of tune's own, compiled with the request's defines and flags now or by an earlier
 * process (the cache keeps the results). `what` names these kernels in errors: "measuring kernels".
 */
enum status cuda_load_own(struct device *device, const char *source, const char *name,
                          const struct binary_request *request, const char *what, CUmodule *out,
                          struct error *error);
/* Finds each chunk's findings; all pointers are the device's. STATUS_UNAVAILABLE: no kernel. */
enum status cuda_compare_chunks(struct device *device, enum element_type type,
                                const struct comparing *what, uint64_t chunks, CUdeviceptr findings,
                                struct error *error);
/* Tells whether there is a kernel for arguments whose fill is arithmetic. */
bool cuda_can_generate(struct device *device, struct error *why);
/* Generates a fill. STATUS_UNAVAILABLE: no kernel, from now on. */
enum status cuda_generate(struct device *device, CUdeviceptr to, const struct filling *filling,
                          uint64_t count, struct error *error);

/* harness.c */

enum status cuda_harness_load(struct device *device, struct error *error);
/* Fills the L2 with clean lines, or with dirty ones. */
CUresult cuda_flush(struct device *device, bool dirty);
/* Runs one pass of a kernel over the memory that flushes take: the anchor's work, or a flush. */
CUresult cuda_pass(struct device *device, CUfunction function);
/* Leaves another pattern in all shared memory, so that a kernel that reads what it has not written
 * there differs from run to run. */
CUresult cuda_spoil_shared(struct device *device);
/* Begin and end work behind a gate. Work submitted between begin and end starts when all of this
 * was submitted, so that the host's pace is not measured. *elapsed_ns includes the empty pair.
 * cuda_gate_end is called even when submitting failed; that result is then passed on. *late: the
 * host was late, the gate gave up, the time is worthless. */
CUresult cuda_gate_begin(struct device *device);
CUresult cuda_gate_end(struct device *device, CUresult submitted, double *elapsed_ns, bool *late);
/* Returns the time between the events `begin` and `end`, both over. */
CUresult cuda_elapsed(struct device *device, double *elapsed_ns);
/* Times `work` behind the gate, up to GATE_TRIES times while the host is late. `what` begins
 * errors. */
enum status cuda_time_gated(struct device *device, CUresult (*work)(struct device *, void *),
                            void *context, const char *what, double *elapsed_ns,
                            struct error *error);
/* Returns STATUS_TIMED_OUT: the host was late each time. */
enum status cuda_too_busy(struct error *error);

/* modules.c */
enum status cuda_find_kernel(struct device *device, const char *name, struct kernel **out,
                             struct error *error);
/* Finds the argument's variable of the current binary, for writing. STATUS_BAD_INPUT: the variable
 * is missing, or too small. */
enum status cuda_find_variable(struct device *device, const struct argument *argument,
                               CUdeviceptr *out, struct error *error);
/* Copies the argument into its variable, unless already there. STATUS_BAD_INPUT as above. */
enum status cuda_set_symbol(struct device *device, const struct argument *argument,
                            const void *input, struct error *error);
/* Opts in to `bytes` of dynamic shared memory where that is needed. */
enum status cuda_allow_shared(struct device *device, struct kernel *kernel, uint32_t bytes,
                              struct error *error);
/* Returns a launch's clusters: from the launch, else from the kernel's source. */
void cuda_cluster_of(const struct launch *launch, const struct kernel *kernel, uint32_t out[3]);
/* Allows clusters of more than 8 blocks, which not every device has. Where this is refused, the
 * launch will fail. */
void cuda_allow_cluster(struct device *device, struct kernel *kernel, const uint32_t cluster[3]);
void cuda_modules_free(struct device *device);

#endif
