/* Binaries, arguments and launches: plain data; texts belong to the maker of the struct. */
#ifndef TUNE_BASE_LAUNCH_H
#define TUNE_BASE_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/compare.h"
#include "tuner/base/element.h"
#include "tuner/base/fill.h"
#include "tuner/base/l2_mode.h"
#include "tuner/base/value.h"

enum {
    LAUNCHES_MAX = 8,
    ARGUMENTS_MAX = 48, /* one bit each in a message's integer */
    DEFINES_MAX = 64,
    FLAGS_MAX = 24,
    UNITS_MAX = 8,
    FIELDS_MAX = 512,     /* 4 KiB, the largest value that CUDA passes on every device */
    REPEAT_MAX = 1 << 16, /* consecutive launches */
};

/* Compiler name of a request whose source_path is a ready binary. */
#define BINARY_AS_IT_IS "none"
/* Compiler name of a request for host functions in place of kernels (tuner/device/functions.h). */
#define BINARY_OF_FUNCTIONS "functions"

/* A binary: a source with its defines. Configurations that differ only in their launches share a
 * binary. */
struct binary_request {
    const char *source_path; /* absolute */
    const char *source_hash; /* hash of the expected contents (source.h); NULL: current contents */
    /* Further translation units, compiled like the first and linked with it. Absolute paths. */
    size_t unit_count;
    const char *units[UNITS_MAX];
    const char *unit_hashes[UNITS_MAX]; /* as source_hash */
    /* Folders searched for included files, after the including file's own. Absolute paths. */
    size_t folder_count;
    const char *folders[UNITS_MAX];
    const char *architecture; /* fact "architecture"; host code: "", a generic one */
    /* "nvcc", BINARY_AS_IT_IS or BINARY_OF_FUNCTIONS; NULL: the device's default */
    const char *compiler;
    size_t define_count;
    struct named_value defines[DEFINES_MAX]; /* passed as -DNAME=VALUE, texts without quotes */
    size_t flag_count;
    const char *flags[FLAGS_MAX]; /* extra compiler flags */
    const char *flag_files;       /* hashes of the contents of files that flags name; NULL: none */
    /* Requested kernels: C names, or C++ name expressions such as "reduce<int, 4>". */
    size_t kernel_count;
    const char *kernels[LAUNCHES_MAX];
    /* Variables that arguments are copied to (struct argument), named likewise. */
    size_t symbol_count;
    const char *symbols[ARGUMENTS_MAX];
    bool wants_ptx; /* the first kernel's unit, beside the machine code */
};

/* Source of an output's expected elements. */
enum reference_kind {
    REFERENCE_FUNCTION, /* a C function, compiled at run time (kernels/README.md) */
    REFERENCE_PLAN,     /* this argument after another plan ran on the device */
    REFERENCE_FILL,     /* an argument's fill; neither compiled nor dependent on inputs */
};

enum argument_role {
    ARGUMENT_INPUT,   /* vector, read only; rotated between copies when timed cold */
    ARGUMENT_OUTPUT,  /* vector, poisoned before each verification, then compared */
    ARGUMENT_SCRATCH, /* vector, zeroed before each verification, contents meaningless */
    ARGUMENT_SCALAR,  /* passed by value */
    ARGUMENT_UPDATE,  /* vector, read and written: filled before each verification, then compared; a
                         timed run finds the elements that the run before wrote */
    ARGUMENT_STRUCT,  /* passed by value: `fields` in the layout of a C struct */
};

/* A field of a struct: a number, or the address of one of the plan's vectors. */
struct field {
    enum element_type type; /* u64 for an address */
    struct value value;     /* for an address: offset in bytes from the vector's start */
    uint8_t points_to;      /* 1 + index of the vector's argument, which is bound; 0: a number */
};

/* GPU: a texture object over a vector, passed in place of the vector's address; or a surface object
 * over a device array with the vector's elements. */
enum texture_address { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };
struct texture {
    uint32_t width, height; /* texels; width 0: none, height 0: a line (tex1Dfetch) */
    uint32_t channels;      /* elements of a texel: 1, 2, 4 */
    enum texture_address address;
    bool linear;     /* interpolates between texels; else takes the nearest */
    bool normalized; /* coordinates are from 0 to 1 */
    bool reads_real; /* 8-bit and 16-bit integers are read as reals from 0, or -1, to 1 */
    bool is_surface;
};

struct argument {
    const char *name;
    enum element_type type;
    enum argument_role role;
    enum argument_fill fill; /* inputs and updates only */
    uint64_t seed;           /* seed of the fill */
    /* For fills that draw: a few of the first `variant` elements are changed, never the first and
     * last of these; all but `few` are 0 (few_vector); extremes lie at the ends (ends_vector). */
    uint64_t variant, few, ends;
    double fill_low, fill_high;
    const char *fill_text;
    /* Name of the __constant__ or __device__ variable (C, or a C++ name expression without the '&')
     * that the argument is copied to instead of being passed. Inputs (for a texture its object),
     * scalars and structs (with the addresses of vectors) are copied there before the first run;
     * vectors that kernels write before each run, or block of runs, and back behind it. NULL:
     * passed. */
    const char *symbol;
    struct texture texture;
    int64_t count; /* elements of a vector, >= 0; scratch and output at least 1 */
    /* Alignment in bytes that kernels may assume of a vector's start. 0: that of the device's
     * allocator (256). */
    uint32_t alignment_bytes;
    /* Offset of the vector's start behind such an address: 0 except in checks of awkward starts. */
    uint32_t offset_bytes;
    bool at_end;         /* CPU: the data end, as near as the alignment allows, where memory does */
    struct value scalar; /* the value of a scalar, converted to `type` when passed */
    size_t field_count;
    const struct field *fields; /* for a struct: field_count fields, FIELDS_MAX at most */
};

/* Patch of a vector: a few elements that its second version changes. */
enum { PATCH_ELEMENTS = 16 };
struct patch {
    uint64_t count;                           /* 0: unchanged */
    uint64_t at[PATCH_ELEMENTS];              /* indices, each once */
    unsigned char values[PATCH_ELEMENTS * 8]; /* packed, of the vector's type */
};

enum schedule { SCHEDULE_STATIC, SCHEDULE_QUEUED };

struct launch {
    const char *kernel; /* as named in binary_request.kernels */
    bool is_function;   /* `kernel` names a host function, called once instead of a grid */
    /* Function: the last two arguments are a scratch vector and the number of its bytes. */
    bool has_workspace;
    const char
        *workspace_of; /* function that tells these bytes, named likewise; NULL: as planned */
    uint32_t grid[3];  /* blocks, >= 1 each */
    uint32_t block[3]; /* GPU: threads per block, >= 1 each; CPU: {1,1,1} */
    /* GPU: blocks of a cluster; all 0 or 1: the kernel's own attribute, if any */
    uint32_t cluster[3];
    uint32_t shared_bytes;  /* GPU: dynamic shared memory per block */
    uint32_t threads;       /* CPU: threads that share the grid, >= 1; GPU: 0 */
    enum schedule schedule; /* CPU: equal runs of blocks for each thread, or one block at a time
                               from a queue */
    /* GPU: may begin before the previous launch of the same run has ended; the kernel waits for its
     * end (programmatic dependent launch, compute capability 9.0). Never true for a plan's first
     * launch. */
    bool dependent;
    bool cooperative; /* GPU: all blocks are resident at once, so that they can wait for each other
                       */
    uint32_t repeat;  /* consecutive repeats; 0 is 1 */
    /* Arguments that are swapped at every second repeat, the second, fourth ... one, so that each
     * repeat reads the elements that the one before wrote. Equal indices: none. */
    uint8_t swap_one, swap_other;
    size_t argument_count;
    uint8_t arguments[ARGUMENTS_MAX]; /* indices into launch_plan.arguments, in passing order */
};

/* Numbers of a launch: sent in messages, compared to tell launches apart. ONE(member, least, most),
 * where the default is the least; THREE(member, least): extents. */
#define LAUNCH_NUMBERS(ONE, THREE)                                                                 \
    ONE(is_function, 0, 1)                                                                         \
    ONE(has_workspace, 0, 1)                                                                       \
    THREE(grid, 1)                                                                                 \
    THREE(block, 1)                                                                                \
    THREE(cluster, 0)                                                                              \
    ONE(shared_bytes, 0, INT32_MAX)                                                                \
    ONE(threads, 0, 65536)                                                                         \
    ONE(schedule, SCHEDULE_STATIC, SCHEDULE_QUEUED)                                                \
    ONE(dependent, 0, 1)                                                                           \
    ONE(cooperative, 0, 1)                                                                         \
    ONE(repeat, 0, REPEAT_MAX)                                                                     \
    ONE(swap_one, 0, ARGUMENTS_MAX - 1)                                                            \
    ONE(swap_other, 0, ARGUMENTS_MAX - 1)

/* One run of the whole problem: its launches, in order. */
struct launch_plan {
    size_t launch_count;
    struct launch launches[LAUNCHES_MAX];
    size_t argument_count;
    struct argument arguments[ARGUMENTS_MAX];
};

/* Resources of a kernel, from the compiler and the device. -1: unknown. */
struct kernel_resources {
    int32_t registers; /* per thread */
    int32_t static_shared_bytes;
    int32_t local_bytes; /* per thread; stack and spills */
    int32_t spill_bytes; /* per thread, stores and loads, from the compiler's log */
    int32_t max_threads_per_block;
    int32_t active_blocks_per_sm; /* resident blocks per SM, from the Occupancy API */
    double occupancy;             /* resident warps per SM over the maximum, 0 to 1 */
    int32_t suggested_block;      /* cuOccupancyMaxPotentialBlockSize: threads per block ... */
    int32_t suggested_grid;       /* ... and the fewest blocks that fill the device */
    int32_t barriers;             /* barriers of a block, from the binary; 0: none, or unknown */
};
/* Returns -1 for all members but `barriers`. */
struct kernel_resources resources_unknown(void);

extern const char *const schedule_names[2];
extern const char *const fill_names[ARGUMENT_FILLS];
/* Returns whether the argument lies in device memory; role_is_filled: and has a fill. */
bool role_is_vector(enum argument_role role);
bool role_is_filled(enum argument_role role);
/* Returns whether a texture object over the vector is copied into a symbol. */
bool argument_is_texture_symbol(const struct argument *argument);
/* Returns whether the argument is a vector that is passed. */
bool argument_is_passed(const struct argument *argument);
/* Returns whether the argument has device memory of its own, other than a symbol. */
bool argument_is_bound(const struct argument *argument);
/* Returns whether the argument is bound and filled; timed runs rotate over copies of passed
 * ones. */
bool argument_rotates(const struct argument *argument);
/* Returns whether the argument is bound and kernels write it; passed ones lie between guard
 * bands. */
bool argument_is_written(const struct argument *argument);
/* Returns whether the argument is written and is a variable, copied there before runs, and back. */
bool argument_is_variable(const struct argument *argument);
/* Returns whether the argument is a variable that holds addresses of vectors. */
bool argument_is_variable_of_places(const struct argument *argument);
/* Returns whether runs find the argument by a variable, so that the memory cannot move. */
bool argument_stays(const struct launch_plan *plan, size_t index);
/* Writes the patch's elements into a vector of the type. */
void patch_vector(void *vector, enum element_type type, const struct patch *patch);
/* Returns whether a run changes an argument with a fill, and so the next run's data. */
bool plan_has_updates(const struct launch_plan *plan);
/* Raises the plan's workspace to the bytes that the launch wants. */
void launch_want_workspace(struct launch_plan *plan, const struct launch *launch, int64_t bytes);
/* Returns whether the plan calls host functions, not kernels; never both. */
bool plan_is_of_functions(const struct launch_plan *plan);
/* Returns the number of launches of one run, repeats included. */
uint64_t plan_launches(const struct launch_plan *plan);
uint32_t launch_repeats(const struct launch *launch);
/* Returns the argument passed at `place` in repeat `repeat`, counted from 0. */
uint8_t launch_argument(const struct launch *launch, size_t place, uint32_t repeat);
uint32_t launch_block_threads(const struct launch *launch);
/* Returns the number of blocks of a cluster; 1: none. */
uint32_t launch_cluster_blocks(const struct launch *launch);
/* Returns a hash of the plan's launches, with their numbers and scalars, and of the binary: plans
 * with equal hashes do the same. `by_code`: `binary_hash` is of the machine code, and binaries
 * whose kernels have different names may share it. 0: memory is short. */
uint64_t plan_hash(const struct launch_plan *plan, const char *binary_hash, bool by_code);

#endif
