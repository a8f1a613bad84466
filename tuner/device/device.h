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

struct device; /* an open device, defined by each implementation */

/* Name of the environment variable that makes each device list, among the facts, its host's further
 * compilers by the names that requests use ("nvcc"), and their settings. Set where devices may be
 * on other hosts. */
#define COMPILERS_VARIABLE "TUNE_TELL_COMPILERS"
#define COMPILER_SETTINGS  "compiler_settings" /* a fact beside these */

/* State of memory in which a single run starts. */
enum run_start {
    /* Outputs poisoned with 0xa5 bytes, guard bands written, new ones around inputs
     * (device/bands.h), scratch zeroed, updates restored to the host's elements. */
    RUN_FIRST,
    RUN_AGAIN, /* likewise, except that scratch and other guard bands stay as they are */
    RUN_ON,    /* as the run before left it */
};

/* Functions of a kind of device. One whose comment begins with "Optional" may be NULL; the others
 * are required. "pure": needs no open device, keeps no state, may run in any process and in several
 * at once. The others belong to one worker process and one thread. All may block, and a kernel that
 * hangs blocks them for ever: the caller's parent watches the time. Status STATUS_DEVICE_LOST means
 * that only a new process helps. */
struct device_api {
    const char *kind; /* "cuda": described by a row in kinds.inc */
    /* Optional, pure. Tells whether compilers may work while kernels are timed. NULL: compilers
     * would take the kernels' cores, so compiling must end first. */
    bool (*compiles_beside_measuring)(void);

    /* pure. Counts the devices. STATUS_UNAVAILABLE with the remedy when the driver is missing. */
    enum status (*count)(int *count, struct error *error);
    /* pure. Appends the facts of device `index`. Must not leave a context behind. With
     * `architecture` ("sm_90", else NULL): of the usual board of that architecture, present or not,
     * as far as they follow. STATUS_UNAVAILABLE: none known. */
    enum status (*describe)(int index, const char *architecture, struct facts *facts,
                            struct error *error);
    /* pure. Source + defines -> binary, written to binary_path (atomically). `log` gets the
     * compiler's messages, also on success; on STATUS_COMPILE_FAILED error->text is the first line
     * that names an error. */
    enum status (*compile)(const struct binary_request *request, const char *binary_path,
                           struct text *log, struct error *error);
    /* Optional, pure. Returns the compiler that requests name (binary_request.compiler), "nvcc
     * 13.0.88". STATUS_UNAVAILABLE, with the package to install, when missing. */
    enum status (*compiler_version)(const char *compiler, const char **out, struct error *error);
    /* Optional, pure. Returns a hash of the settings of a request's compiler (NULL: the device's
     * own), out of files and our environment: folders, options, the host's compiler, as reported by
     * the compiler for an empty source. The fact COMPILER_SETTINGS tells those of another host. "":
     * there are none. */
    enum status (*compiler_settings)(const char *compiler, const struct facts *facts,
                                     const char **out, struct error *error);

    /* Optional, pure. Reads from a compiled binary the resources of a kernel, named as requested:
     * registers, static shared and local bytes (the rest -1), and in `code_hash` (HASH_TEXT_BYTES)
     * a hash of the machine code of all kernels: equal for binaries that behave alike. Both may be
     * NULL. STATUS_UNAVAILABLE where binaries contain no such facts. */
    enum status (*inspect)(const char *binary_path, const char *kernel,
                           struct kernel_resources *resources, char *code_hash,
                           struct error *error);
    /* Optional, pure. Compares the plan's arguments and copies with the parameters and variables of
     * the binary, by number and size, as far as known: STATUS_BAD_INPUT as from `run`. */
    enum status (*arguments_fit)(const char *binary_path, const struct launch_plan *plan,
                                 struct error *error);
    /* Optional, pure. Fills in the results of the kernel's resources and its launch on a device
     * with these facts: active_blocks_per_sm (0: the launch is impossible) and occupancy. */
    enum status (*occupancy)(const struct facts *facts, const struct launch *launch,
                             struct kernel_resources *resources, struct error *error);
    /* Optional. Does in advance the first part of this process's `open`, as far as this neither
     * runs work on the device nor takes memory beside the driver's own. STATUS_UNAVAILABLE where a
     * waiting process would disturb the measuring one: where a device serves one process only, or
     * has little memory to spare. */
    enum status (*reserve)(int index, struct error *error);
    /* Opens device `index`, warms up and calibrates the timer (`calibration` may be NULL). *out is
     * freed by close. */
    enum status (*open)(int index, const struct warm_up *warm_up, struct device **out,
                        struct calibration *calibration, struct error *error);
    void (*close)(struct device *device);

    /* Makes a binary current; kernels are found by their names in the request. Loaded binaries are
     * kept, so loading again is cheap. */
    enum status (*load)(struct device *device, const char *binary_path, struct error *error);
    /* Fills in the resources of the current binary's kernel with this launch, for any grid. */
    enum status (*resources)(struct device *device, const struct launch *launch,
                             struct kernel_resources *out, struct error *error);

    /* Optional. Raises the plan's workspace to the bytes that the current binary's functions tell,
     * where the plan has such. */
    enum status (*want)(struct device *device, struct launch_plan *plan, struct error *error);
    /* Optional. Tells whether `bind` itself generates the argument's fill, with the same bits as
     * fill_vector(): inputs[i] is then NULL. `why` is filled when only a failure prevents this,
     * from then on; fills already assigned to the device are still generated. */
    bool (*generates)(struct device *device, const struct argument *argument, struct error *why);
    /* Gives the plan's vectors memory on the device and uploads inputs. `inputs[i]` is the host
     * copy of argument i if this has a fill (inputs and updates) that the device does not generate,
     * else NULL; the copy must stay valid and unchanged until the next call with another pointer or
     * a larger count. Data already on the device is not uploaded again. Makes up to `copies`
     * distinct copies of each input and update (fewer if memory is short) for cold timing; changed
     * copies of updates are made anew. A vector starts offset_bytes behind an address from the
     * allocator. Outputs, scratch and updates have guard bands of GUARD_BYTES on both sides. With
     * copies 0 there is one copy, for checks, and inputs have such bands, too (on a CPU always). On
     * a CPU a vector that is `at_end` has inaccessible memory in place of the band behind it.
     * Inputs, scalars and structs with a symbol are copied into that variable of the current
     * binary; a variable that kernels write has one copy, without bands, with which runs and blocks
     * begin. STATUS_BAD_INPUT: the variable is missing, or too small.
     * Every second copy of inputs (second, fourth ...) gets the elements of patches[i] (count 0:
     * none) in place of the host's, until other data is bound: a block's runs find other inputs
     * than the run before. `patches` NULL, for single runs: copies behind the first stay as they
     * are. */
    enum status (*bind)(struct device *device, const struct launch_plan *plan,
                        const void *const *inputs, uint32_t copies, const struct patch *patches,
                        struct error *error);
    /* Runs the bound plan once, for verification: prepares memory (enum run_start), launches,
     * waits, and checks for errors. *elapsed_ns: a first estimate of the time. STATUS_BAD_INPUT,
     * here and in timing: an argument does not fit the kernel's parameter, by number or size, as
     * far as the binary tells; no kernel was launched. */
    enum status (*run)(struct device *device, const struct launch_plan *plan, enum run_start start,
                       double *elapsed_ns, struct error *error);
    /* Tells whether the guard bands of the bound plan's outputs and scratch are unchanged, and no
     * memory behind a vector that is `at_end` was used; `detail` names the first such one. */
    enum status (*guards_intact)(struct device *device, const struct launch_plan *plan,
                                 bool *intact, char *detail, size_t detail_bytes,
                                 struct error *error);
    /* Tells whether inputs, in all copies used since the last call, hold the host's elements;
     * `detail`: "it writes its input: ..." Changed copies are uploaded again by the next binding at
     * the latest. *worn: the runs changed this process, as `detail` states, and only a new one
     * helps. */
    enum status (*inputs_intact)(struct device *device, const struct launch_plan *plan,
                                 bool *intact, bool *worn, char *detail, size_t detail_bytes,
                                 struct error *error);
    /* Times block->runs runs of the bound plan back to back as one block, issued as block->issue
     * demands, and gives the time of one run in *elapsed_ns, without the empty pair. First poisons
     * outputs, unless the block is prepared, brings the cache into the mode's state, and zeroes the
     * scratch when another slot was timed last. Updates are not restored: a run finds the results
     * of the last run with the same copy. Copies rotate as those of inputs do, so that the runs of
     * the first block after a binding find fresh data, unless there are fewer copies than runs
     * (L2_HOT: one). */
    enum status (*time_block)(struct device *device, const struct block *block, double *elapsed_ns,
                              struct error *error);
    /* Optional, like `show`, `look` and `read`, where the kind computes no results (device_traits).
     * Sums the results of the last timed block in the bound plan's outputs and updates whose bits
     * (1 << argument) are in `outputs`, the last run last: of as many runs as memory still holds,
     * at most BLOCK_RUNS_MAX. *count 0: unknown, as where updates were changed more than once.
     * Costs little beside a block. */
    enum status (*results)(struct device *device, const struct block *block, uint64_t outputs,
                           struct run_result *out, uint32_t *count, struct error *error);
    /* Makes `look` and `read` find the results of run `run`, until the next binding or run. */
    enum status (*show)(struct device *device, const struct block *block, uint32_t run,
                        struct error *error);
    /* Optional. Takes a remark for the user on the blocks timed since the last call; false: none.
     */
    bool (*take_remark)(struct device *device, char *out, size_t bytes);
    /* Optional. Forgets all slots. */
    void (*drop_slots)(struct device *device);
    /* Times the anchor: a fixed piece of work, about 50 us to 5 ms, that shows whether the device
     * is as fast as before. */
    enum status (*anchor)(struct device *device, double *elapsed_ns, struct error *error);
    /* Reads the conditions. Never fails: unreadable values are unknown. Takes well under a
     * millisecond. */
    void (*conditions)(struct device *device, struct conditions *out);
    /* Runs the block repeatedly for at least `window_ms` between two steps of the energy counter.
     * Inputs rotate over copies, no cache is flushed. STATUS_UNAVAILABLE, with the reason, where no
     * counter is readable. */
    enum status (*measure_energy)(struct device *device, const struct block *block,
                                  double window_ms, struct energy *out, struct error *error);
    /* Copies the first `bytes` bytes of vector argument `index` of the bound plan to the host. */
    enum status (*read)(struct device *device, size_t index, void *out, size_t bytes,
                        struct error *error);
    /* Reads like `read`, without a copy for the caller: *out is valid until the next use of the
     * device. */
    enum status (*look)(struct device *device, size_t index, const void **out, size_t bytes,
                        struct error *error);
    /* Optional. Compares a vector argument on the device with `what`, except `what->got`; got_raw:
     * elements at `first` and `largest`. STATUS_NO_MEMORY: not now, STATUS_UNAVAILABLE: never. */
    enum status (*compare)(struct device *device, size_t index, enum element_type type,
                           const struct comparing *what, struct findings *out, uint64_t got_raw[2],
                           struct error *error);

    /* Measures ceilings, those that are not NULL: of bandwidth, with buffers of `bytes` bytes (0: a
     * size fit for the device), and of arithmetic, with data in registers, in less than half a
     * second. */
    enum status (*ceilings)(struct device *device, int64_t bytes, struct bandwidth *bandwidth,
                            struct arithmetic *arithmetic, struct error *error);
};

/* Declares a kind's function for a member: DEVICE_FUNCTION(cpu, bind) is cpu_bind. */
#define DEVICE_FUNCTION(kind, member) __typeof__(*((struct device_api *)0)->member) kind##_##member

enum {
    GUARD_BYTES = 4096, /* a page, so that an overrun by a whole row is seen */
    POISON = 0xa5,      /* each byte of an output before a run */
    STREAM_CACHES = 5, /* least size of the copies that runs stream through, in last-level caches */
};

/* All kinds, the most preferred first; ends with NULL. */
extern const struct device_api *const device_kinds[];
/* Returns the functions of a kind; NULL for an unknown one. */
const struct device_api *device_kind(const char *kind);
/* Returns the kind whose binaries run in this process. */
const struct device_api *device_host(void);
/* Reads TUNE_CEILING_BYTES: the size of the buffers of `ceilings`; 0 where unset, -1 where the
 * variable is 0: measure no ceilings. */
enum status device_ceiling_bytes(int64_t *bytes, struct error *error);

/* Keeps a device busy for a window; gives the anchor's shortest time and, unless NULL, the clock.
 */
typedef enum status warm_window(struct device *device, double *anchor_ns, double *clock_mhz,
                                struct error *error);
/* Warms a device up, window by window, until anchor and clock are steady (warm_up.c). */
enum status device_warm_up(struct device *device, const struct warm_up *how, warm_window *window,
                           struct error *error);

/* Parses "0", "cuda:1", "cpu" to kind and index. The text of STATUS_USAGE lists the known ones. */
enum status device_parse(const char *text, const struct device_api **api, int *index,
                         struct error *error);

#endif
