/* The open CUDA device: its state and the parts of this. */
#ifndef TUNE_DEVICE_CUDA_DEVICE_H
#define TUNE_DEVICE_CUDA_DEVICE_H

#include <sys/stat.h>

#include "tuner/base/limits.h"
#include "tuner/base/pack.h"
#include "tuner/base/random.h"
#include "tuner/device/cuda/driver.h"
#include "tuner/device/cuda/nvml.h"
#include "tuner/device/device.h"
#include "tuner/device/functions.h"

enum { GATE_TRIES = 3, NO_SLOT = -1, SUMS_MAX = BLOCK_RUNS_MAX };

/* The device memory of one argument, kept from plan to plan as the size allows. Outputs and scratch
 * have a guard band right before and right behind the data. */
struct vector {
    CUdeviceptr base;
    size_t capacity;
    size_t offset; /* offset of the bound plan's vector behind base */
    size_t wander; /* variable part of the offset: the current place times place_bytes */
    size_t place_bytes;
    uint32_t places;      /* places over which runs rotate; 1: a fixed place */
    bool stays;           /* found by a variable: one copy and one place */
    size_t bytes;         /* bytes of the bound plan's vector */
    CUdeviceptr variable; /* variable of the current binary that kernels use instead; 0: none */
    /* Contents of inputs and updates. Copy k for runs begins at base + offset + k * stride. Updates
     * have one more copy in front (memory.c). */
    const void *host;  /* NULL: generated on the device */
    uint64_t contents; /* argument_contents of `host` */
    size_t uploaded;   /* bytes of the first copy that are those of `host`, or were made; 0: none */
    size_t stride;
    size_t copy_bytes; /* bytes of the further copies that are equal to the first */
    uint32_t filled;
    uint32_t copies; /* copies over which runs rotate, <= filled */
    bool changed;    /* runs have written to copies */
    /* Inputs: number of copies of which every second has a patch's elements, and the patch's hash.
     */
    uint32_t patched;
    uint64_t patch;
    uint64_t patched_sum; /* sum of a patched copy */
    size_t shown;         /* offset of the checked copy behind copy 0: not 0 only after cuda_show */
    /* Inputs: the sum of a copy's `summed` bytes at upload (SIZE_MAX: unknown), and the range of
     * copies used by runs since the last check. */
    uint64_t sum;
    size_t summed;
    uint32_t used_first, used;
    unsigned char band[2][GUARD_BYTES]; /* written last before and behind it */
};

/* Expected elements of an output in device memory. */
struct resident {
    uint64_t serial; /* number of the expectation; 0: none */
    CUdeviceptr address;
    size_t bytes;
    bool summed;
    uint64_t sum;  /* sum of the copied elements, as in findings */
    uint64_t used; /* larger: later */
};
enum { RESIDENTS_MAX = 8 };

struct checking {
    struct resident residents[RESIDENTS_MAX];
    uint64_t clock;
    CUdeviceptr findings; /* of chunks */
    size_t findings_bytes;
};

/* A kernel of tune's own, loaded at first use. */
struct own_kernel {
    CUmodule module;
    CUfunction function;  /* NULL: not requested yet, or unavailable */
    struct error failure; /* why not */
};

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
    void *object;   /* host functions in place of kernels; NULL: none */
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
    CUfunction spoil;
    int spoilt_bytes; /* shared memory of a block of `spoil`; 0: it does not run */
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

/* A slot's graph, and its key: the graph may be launched while the key is current. */
struct block_graph {
    CUgraphExec graph; /* NULL: there is none, or runs are issued one by one */
    uint32_t runs;     /* 0: the slot is empty */
    enum l2_mode mode;
    enum issue issue;
    uint64_t code;   /* device->code */
    uint64_t layout; /* of memory */
    size_t nodes;
    uint64_t used; /* larger: later */
};

struct device {
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
    uint32_t spoils;                              /* patterns left in shared memory so far */
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

    int index, sm_count;
    size_t l2_bytes;
    size_t flush_bytes; /* bytes of a flush: twice the L2 */
    struct warm_up warm_up;
    struct calibration calibration;
    int64_t busy_until_ns; /* when the device was last known to work */
    bool uploads;          /* the binding under way moves data */
    uint64_t code;         /* identity of the current binary as loaded; 0: none */
    void *looked;          /* buffer of cuda_look; NULL: none yet */
    size_t looked_bytes;
    bool looked_is_pinned;
    CUdeviceptr sums; /* sums of SUMS_MAX vectors */
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
    char remark[ERROR_TEXT_BYTES]; /* for cuda_take_remark; "": none */
    struct random placing;         /* of memory */
    uint32_t first;                /* copy and place that the first run of a block takes */
    int64_t scratch_slot;          /* slot whose blocks used the scratch last; NO_SLOT: any */
};

#endif
