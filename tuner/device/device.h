/* A device: where kernels are compiled, run and timed. One interface; an implementation is a
 * folder here and a row in kinds.inc. */
#ifndef TUNE_DEVICE_DEVICE_H
#define TUNE_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/conditions.h"
#include "tuner/base/error.h"
#include "tuner/base/facts.h"
#include "tuner/base/launch.h"
#include "tuner/base/text.h"
#include "tuner/device/measures.h"

struct device; /* an open device; each implementation has its own */

/* Name of the environment variable that makes each device list, among its facts, its host's further
 * compilers by the names that requests use ("nvcc"). Set where devices may be on other hosts. */
#define COMPILERS_VARIABLE "TUNE_TELL_COMPILERS"

/* Functions of a kind of device. One whose comment begins with "Optional" may be NULL; the others
 * are required. "pure": needs no open device, keeps no state, may run in any process and in several
 * at once. The others belong to one worker process and one thread. All may block, and a kernel that
 * hangs makes them block for ever: the caller's parent watches the time. Status STATUS_DEVICE_LOST
 * means that only a new process helps. */
struct device_api {
    const char *kind; /* "cuda": its row in kinds.inc says the rest */
    /* Optional, pure. Whether compilers may be at work while kernels are timed. NULL: they would
     * steal the cores that these run on, so compiling must be over before. */
    bool (*compiles_beside_measuring)(void);
    /* How many blocks must be slow before a configuration is taken for slow: more than one where
     * other programs run on what is timed. */
    uint32_t blocks_to_judge;
    /* `intact` costs next to nothing: it is asked after all that runs. */
    bool intact_is_cheap;

    /* pure. How many there are. STATUS_UNAVAILABLE with what to do when the driver is missing. */
    enum status (*count)(int *count, struct error *error);
    /* pure. Appends the facts of device `index`. Must not leave a context behind. */
    enum status (*describe)(int index, struct facts *facts, struct error *error);
    /* pure. Source + defines -> binary, written to binary_path (atomically). `log` gets the
     * compiler's messages, also on success; on STATUS_COMPILE_FAILED error->text is the first line
     * that names an error. */
    enum status (*compile)(const struct binary_request *request, const char *binary_path,
                           struct text *log, struct error *error);
    /* Optional, pure. The compiler that requests name (binary_request.compiler), "nvcc 13.0.88".
     * STATUS_UNAVAILABLE, with what to install, where there is none. */
    enum status (*compiler_version)(const char *compiler, const char **out, struct error *error);

    /* Optional, pure. The facts of a device that is not there, as far as they follow from
     * `architecture` ("sm_90"): of the usual board of that architecture. STATUS_UNAVAILABLE where
     * there are none. */
    enum status (*imagine)(const char *architecture, struct facts *facts, struct error *error);
    /* Optional, pure. What a compiled binary itself tells of a kernel, whose name is as it was
     * requested: registers, static shared and local bytes (the rest -1), and in `code_hash`
     * (HASH_TEXT_BYTES) a hash of all its kernels' machine code: alike for binaries that do the
     * same. Both may be NULL. STATUS_UNAVAILABLE where a binary does not tell. */
    enum status (*inspect)(const char *binary_path, const char *kernel,
                           struct kernel_resources *resources, char *code_hash,
                           struct error *error);
    /* Optional, pure. Whether what the plan passes and copies is what the binary's kernels and
     * variables take, by number and size, as far as it tells: STATUS_BAD_INPUT as of `run`. */
    enum status (*fits)(const char *binary_path, const struct launch_plan *plan,
                        struct error *error);
    /* Optional, pure. Fills in what follows from the kernel's resources and its launch on a device
     * with these facts: active_blocks_per_sm (0: it cannot be launched) and occupancy. */
    enum status (*occupancy)(const struct facts *facts, const struct launch *launch,
                             struct kernel_resources *resources, struct error *error);
    /* Optional. Has ahead what this process's `open` of the device begins with, as far as it
     * neither runs anything there nor takes memory beside the driver's own. STATUS_UNAVAILABLE
     * where a process that waits would be in the way of the one that measures: where a device is
     * for one process only, or has little memory to spare. */
    enum status (*reserve)(int index, struct error *error);
    /* Opens device `index`, warms it up and calibrates its timer. *out is freed by close. */
    enum status (*open)(int index, const struct warm_up *warm_up, struct device **out,
                        struct error *error);
    void (*close)(struct device *device);
    void (*calibration)(const struct device *device, struct calibration *out);

    /* Makes a binary current; its kernels are found by the names they were requested by. Loaded
     * binaries are kept; doing it again is cheap. */
    enum status (*load)(struct device *device, const char *binary_path, struct error *error);
    /* Resources of the kernel of the current binary that is launched so, whatever the grid. */
    enum status (*resources)(struct device *device, const struct launch *launch,
                             struct kernel_resources *out, struct error *error);

    /* Optional. Whether `bind` itself makes what the argument's fill says, to the bit as
     * fill_vector() does: inputs[i] is then NULL. `why` is filled where only a failure keeps it
     * from that, from then on; what was to be made there is nevertheless. */
    bool (*makes)(struct device *device, const struct argument *argument, struct error *why);
    /* Gives the plan's vectors memory on the device and uploads inputs. `inputs[i]` is the host
     * copy of argument i for what has a fill (inputs and updates) that the device does not make,
     * else NULL; it must stay valid and unchanged until the next call with another pointer or a
     * larger count. Uploads only what
     * is not there yet. Makes up to `copies` distinct copies of each input and update (fewer if
     * memory is short) for cold timing; those of updates that runs have changed are made anew. A
     * vector starts offset_bytes behind an address as the allocator gives it. Outputs, scratch and
     * updates have guard bands of GUARD_BYTES on both sides. With copies 0 there is one copy, for
     * checks, and inputs have such bands, too; on a CPU they have them always. Inputs,
     * scalars and structs with a symbol are copied into that variable of the current binary; of
     * what kernels write to one there is one copy, without bands, which runs and blocks begin with.
     * STATUS_BAD_INPUT: there is no such variable, or a smaller one. */
    enum status (*bind)(struct device *device, const struct launch_plan *plan,
                        const void *const *inputs, uint32_t copies, struct error *error);
    /* Every second copy of the bound plan's inputs, the second, fourth ... one, holds the elements
     * of patches[i] (count 0: none) instead of those that the host has; alike until they are bound
     * with other data. Runs of blocks thus find other inputs than the run before. */
    enum status (*vary)(struct device *device, const struct launch_plan *plan,
                        const struct patch *patches, struct error *error);
    /* Runs the bound plan once, for verification: outputs poisoned with 0xa5 bytes, guard bands
     * written, those around inputs (device/bands.h) other than before, scratch zeroed, updates as
     * the host has them, launched, waited for, errors checked.
     * *elapsed_ns: a first idea of its time. STATUS_BAD_INPUT, here and in timing: what the plan
     * passes is not what a kernel takes, by number or size, as far as the binary tells; nothing was
     * launched. */
    enum status (*run)(struct device *device, const struct launch_plan *plan, double *elapsed_ns,
                       struct error *error);
    /* Once more as the run before left everything: outputs poisoned, scratch untouched, updates
     * as the host has them, bands around inputs other than before. */
    enum status (*run_again)(struct device *device, const struct launch_plan *plan,
                             struct error *error);
    /* Once more, with everything as it is. */
    enum status (*run_on)(struct device *device, const struct launch_plan *plan,
                          struct error *error);
    /* Whether the guard bands of the bound plan's outputs and scratch are as they were written;
     * `detail` says which one is not. */
    enum status (*guards)(struct device *device, const struct launch_plan *plan, bool *intact,
                          char *detail, size_t detail_bytes, struct error *error);
    /* Whether inputs, in all copies that runs were given since this was asked last, hold what the
     * host has; `detail`: "it writes its input: ..." What they do not is given anew by the next
     * binding at the latest. *worn: the runs left this process other than they found it, which
     * `detail` says too, and only a new one helps. */
    enum status (*intact)(struct device *device, const struct launch_plan *plan, bool *intact,
                          bool *worn, char *detail, size_t detail_bytes, struct error *error);
    /* Times block->runs runs of the bound plan back to back as one block (a graph behind a gate on
     * a GPU), and gives the time of one in *elapsed_ns, the empty pair taken off. Poisons outputs
     * before, unless the block is prepared. Brings the cache
     * into the mode's state before; zeroes the scratch when another slot was timed last. Updates
     * are not restored: a run finds what the last one that had the same copy left. Copies take
     * turns as those of inputs do, so that the runs of the first block after a binding find the
     * data as it was, unless there are fewer copies than runs (L2_HOT: one). */
    enum status (*time_block)(struct device *device, const struct block *block, double *elapsed_ns,
                              struct error *error);
    /* What the last runs of the block timed last left in the bound plan's outputs and updates whose
     * bits (1 << argument) are in `outputs`, the very last run last: of as many runs as memory
     * still has it, at most BLOCK_RUNS_MAX. *count 0: nothing can be told, as where updates were
     * changed more than once. Costs little beside a block. */
    enum status (*results)(struct device *device, const struct block *block, uint64_t outputs,
                           struct run_result *out, uint32_t *count, struct error *error);
    /* Optional where the kind computes nothing (device_traits), as are `look` and `read`. Lets
     * these find what run `run` of it left, until something is bound or run. */
    enum status (*show)(struct device *device, const struct block *block, uint32_t run,
                        struct error *error);
    /* Forgets all slots. */
    void (*drop_slots)(struct device *device);
    /* Times the anchor: a fixed piece of work of the device's own, about 50 us to 5 ms, that shows
     * whether the device is as fast as it was. */
    enum status (*anchor)(struct device *device, double *elapsed_ns, struct error *error);
    /* Never fails: what cannot be read is unknown. Takes well under a millisecond. */
    void (*conditions)(struct device *device, struct conditions *out);
    /* Runs the block again and again for at least `window_ms` between two steps of the energy
     * counter. Inputs rotate over copies, nothing is flushed. STATUS_UNAVAILABLE, with the reason,
     * where there is no counter that may be read. */
    enum status (*measure_energy)(struct device *device, const struct block *block,
                                  double window_ms, struct energy *out, struct error *error);
    /* Copies the first `bytes` bytes of vector argument `index` of the bound plan to the host. */
    enum status (*read)(struct device *device, size_t index, void *out, size_t bytes,
                        struct error *error);
    /* The same without a copy of one's own: *out holds them until the device is used again. */
    enum status (*look)(struct device *device, size_t index, const void **out, size_t bytes,
                        struct error *error);
    /* Optional. Holds such an argument on the device against `what`, but for its `got`; got_raw: of
     * `first` and `largest`. STATUS_NO_MEMORY, STATUS_UNAVAILABLE: not now, not ever. */
    enum status (*compare)(struct device *device, size_t index, enum element_type type,
                           const struct comparing *what, struct findings *out, uint64_t got_raw[2],
                           struct error *error);

    /* Measures the ceilings, with buffers of `bytes` bytes (0: a size fit for the device). */
    enum status (*bandwidth)(struct device *device, int64_t bytes, struct bandwidth *out,
                             struct error *error);
    /* Those of arithmetic, with data in registers. Takes less than half a second. */
    enum status (*arithmetic)(struct device *device, struct arithmetic *out, struct error *error);
};

enum {
    GUARD_BYTES = 4096, /* a page: a whole row of what is too long is seen */
    POISON = 0xa5,      /* each byte of an output before a run */
    STREAM_CACHES = 5,  /* copies that runs stream through are so many last-level caches at least */
};

/* All kinds, in the order in which they are preferred; ends with NULL. */
extern const struct device_api *const device_kinds[];
/* NULL when there is none of that kind. */
const struct device_api *device_kind(const char *kind);
/* The one whose binaries run in this process. */
const struct device_api *device_host(void);
/* TUNE_CEILING_BYTES: of the buffers by which `bandwidth` measures; 0 where it is unset, -1 where
 * it is 0: no ceiling is to be measured. */
enum status device_ceiling_bytes(int64_t *bytes, struct error *error);

/* "0", "cuda:1", "cpu" -> kind and index. STATUS_USAGE says what is known. */
enum status device_parse(const char *text, const struct device_api **api, int *index,
                         struct error *error);

#endif
