/* The nouns between experiment, device and worker: what is compiled, with which arguments it is
 * launched, and how. Plain data; texts are borrowed from whoever made the struct. */
#ifndef TUNE_BASE_LAUNCH_H
#define TUNE_BASE_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/compare.h"
#include "tuner/base/element.h"
#include "tuner/base/fill.h"
#include "tuner/base/value.h"

enum {
    LAUNCHES_MAX = 8,
    ARGUMENTS_MAX = 48, /* as bits, they fit a message's integer */
    DEFINES_MAX = 64,
    FLAGS_MAX = 24,
    UNITS_MAX = 8,
    FIELDS_MAX = 512,     /* 4 KiB: what CUDA passes by value at most on every device */
    REPEAT_MAX = 1 << 16, /* launches in a row */
};

/* In place of a compiler: source_path is a binary that a program has its kernels from. */
#define BINARY_AS_IT_IS   "none"
#define FLAG_ONLY_REACHED "--only-reached" /* ours: of a source what its kernels reach */

/* One binary: a source with its defines. Configurations that differ only in how they are launched
 * share it. */
struct binary_request {
    const char *source_path; /* absolute */
    const char
        *source_hash; /* of the contents that are meant (source.h); NULL: whatever is there */
    /* Further translation units, compiled alike and linked with the first. Absolute paths. */
    size_t unit_count;
    const char *units[UNITS_MAX];
    const char *unit_hashes[UNITS_MAX]; /* as source_hash */
    /* Folders where included files are looked for, after the including file's own. Absolute. */
    size_t folder_count;
    const char *folders[UNITS_MAX];
    const char *architecture; /* facts "architecture"; of a host's code "": no one in particular */
    const char *compiler;     /* "nvcc"; NULL: the device's own. BINARY_AS_IT_IS */
    size_t define_count;
    struct named_value defines[DEFINES_MAX]; /* become -DNAME=VALUE; texts as they are, unquoted */
    size_t flag_count;
    const char *flags[FLAGS_MAX]; /* extra compiler flags */
    /* Kernels wanted of it: C names, or C++ name expressions such as "reduce<int, 4>". */
    size_t kernel_count;
    const char *kernels[LAUNCHES_MAX];
    /* Variables that arguments are (struct argument), named likewise. */
    size_t symbol_count;
    const char *symbols[ARGUMENTS_MAX];
};

/* Where the expected elements of an output come from. */
enum reference_kind {
    REFERENCE_FUNCTION, /* a C function that is compiled at run time (kernels/README.md) */
    REFERENCE_PLAN,     /* what another plan leaves in the same argument on the device */
    REFERENCE_FILL,     /* an argument's fill: nothing is compiled, and inputs do not matter */
};

enum argument_role {
    ARGUMENT_INPUT,   /* vector, read only; rotated between copies when timed cold */
    ARGUMENT_OUTPUT,  /* vector, poisoned before each verification, then compared */
    ARGUMENT_SCRATCH, /* vector, zeroed before each verification, contents meaningless */
    ARGUMENT_SCALAR,  /* passed by value */
    ARGUMENT_UPDATE,  /* vector, read and written: as the fill has it before each verification, then
                         compared; timed runs find what the run before left */
    ARGUMENT_STRUCT,  /* passed by value: `fields` in the layout that C gives a struct of them */
};

/* A number, or the address of one of the plan's vectors. */
struct field {
    enum element_type type; /* of an address u64 */
    struct value value;     /* of an address: how many bytes behind the vector's start it is */
    uint8_t points_to;      /* 1 + the vector's argument, which is bound; 0: a number */
};

/* GPU: a texture object over a vector, which kernels are given in place of its address; or a
 * surface object, over an array of the device's that holds what the vector does. */
enum texture_address { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };
struct texture {
    uint32_t width, height; /* texels; width 0: none, height 0: a line (tex1Dfetch) */
    uint32_t channels;      /* elements of a texel: 1, 2, 4 */
    enum texture_address address;
    bool linear;     /* between texels it interpolates; else the nearest */
    bool normalized; /* coordinates are from 0 to 1 */
    bool reads_real; /* integers of 8 and 16 bits are read as reals from 0, or -1, to 1 */
    bool is_surface;
};

struct argument {
    const char *name;
    enum element_type type;
    enum argument_role role;
    enum argument_fill fill; /* inputs and updates only */
    uint64_t seed;           /* of the fill */
    uint64_t variant; /* of fills that draw: a few of the first so many elements are others, never
                         the first and the last of these; 0: none */
    uint64_t few;     /* of fills that draw: not 0: all but so many elements are 0 (few_vector) */
    double fill_low, fill_high;
    const char *fill_text;
    /* Not passed: the __constant__ or __device__ variable of this name (C, or a C++ name expression
     * without the '&'). Inputs (of one with a texture its object), scalars and structs (with the
     * addresses of vectors) are copied there before the first run, what kernels write before each
     * run, or block of runs, and back behind it. NULL: passed. */
    const char *symbol;
    struct texture texture;
    int64_t count; /* elements of a vector, >= 0; scratch and output at least 1 */
    /* What a kernel may take for granted of a vector's start: it is a multiple of this many bytes.
     * 0: as the device's allocator gives it (256). */
    uint32_t alignment_bytes;
    /* Where the vector starts behind such an address: 0 but in checks of awkward starts. */
    uint32_t offset_bytes;
    struct value scalar; /* the value of a scalar, converted to `type` when passed */
    size_t field_count;
    const struct field *fields; /* of a struct: field_count of them, FIELDS_MAX at most */
};

/* A few elements of a vector that are others in a second version of it. */
enum { PATCH_ELEMENTS = 16 };
struct patch {
    uint64_t count;                           /* 0: it is the same */
    uint64_t at[PATCH_ELEMENTS];              /* which, each once */
    unsigned char values[PATCH_ELEMENTS * 8]; /* one after the other, of the vector's type */
};

enum schedule { SCHEDULE_STATIC, SCHEDULE_QUEUED };

struct launch {
    const char *kernel; /* as named in binary_request.kernels */
    uint32_t grid[3];   /* blocks, >= 1 each */
    uint32_t block[3];  /* GPU: threads per block, >= 1 each; CPU: {1,1,1} */
    /* GPU: blocks of a cluster; all 0 or 1: what the kernel's source says, if anything */
    uint32_t cluster[3];
    uint32_t shared_bytes;  /* GPU: dynamic shared memory per block */
    uint32_t threads;       /* CPU: threads that share the grid, >= 1; GPU: 0 */
    enum schedule schedule; /* CPU: equal runs of blocks each, or one block at a time by a queue */
    /* GPU: may begin before the launch in front of it, in the same run, has ended; its kernel waits
     * for that itself (programmatic dependent launch, compute capability 9.0). Never of a plan's
     * first launch. */
    bool dependent;
    bool cooperative; /* GPU: all its blocks are resident at once, so that they can wait for others
                       */
    uint32_t repeat;  /* how often in a row; 0 is 1 */
    /* Arguments that are each other at every second of the repeats, the second, fourth ... one, so
     * that each reads what the one before wrote. The same: none. */
    uint8_t swap_one, swap_other;
    size_t argument_count;
    uint8_t arguments[ARGUMENTS_MAX]; /* indices into launch_plan.arguments, in passing order */
};

/* The numbers of a launch, all that messages carry and by which launches are told apart: a row
 * each. ONE(member, least, most), where nothing said is the least; THREE(member, least): extents.
 */
#define LAUNCH_NUMBERS(ONE, THREE)                                                                 \
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

/* What the compiler and the device say of one kernel. -1 where unknown. */
struct kernel_resources {
    int32_t registers; /* a thread */
    int32_t static_shared_bytes;
    int32_t local_bytes; /* a thread; stack and spills */
    int32_t spill_bytes; /* a thread, stores and loads, from the compiler's log */
    int32_t max_threads_per_block;
    int32_t active_blocks_per_sm; /* resident blocks per SM, by the Occupancy API */
    double occupancy;             /* resident warps per SM over the most it can hold, 0 to 1 */
    int32_t suggested_block;      /* cuOccupancyMaxPotentialBlockSize: threads per block ... */
    int32_t suggested_grid;       /* ... and the fewest blocks that fill the device */
    int32_t barriers;             /* of a block, by the binary; 0: none, or unknown */
};
/* All of it -1, but for the barriers. */
struct kernel_resources resources_unknown(void);

/* How the last-level cache is when a run is timed. Stored by name, never mixed. */
enum l2_mode {
    L2_COLD, /* a clean buffer of twice the cache was read; inputs rotate over copies */
    L2_HOT,  /* the same buffers again, two untimed runs first */
    /* As data that streams by: inputs rotate over copies worth at least five times the cache, and
     * nothing is read between blocks; where the copies do not come to that, as cold. */
    L2_STREAM,
    /* As cold, but flushed by writing, as other harnesses do: to show what that costs. */
    L2_DIRTY,
};
enum { L2_MODES = 4 };

const char *l2_mode_name(enum l2_mode mode);
/* False when there is no mode of that name. */
bool l2_mode_parse(const char *name, enum l2_mode *out);
const char *schedule_name(enum schedule schedule);
const char *fill_name(enum argument_fill fill);
/* Whether it lies in the device's memory, and whether the fill says with what. */
bool role_is_vector(enum argument_role role);
bool role_is_filled(enum argument_role role);
/* Whether a texture object over it is copied into a symbol. */
bool argument_is_texture_symbol(const struct argument *argument);
/* A vector that is passed. */
bool argument_is_passed(const struct argument *argument);
/* One that has memory of its own: not what is copied into a symbol alone. */
bool argument_is_bound(const struct argument *argument);
/* Those of them that a fill describes: timed runs take turns over copies of what is passed. */
bool argument_rotates(const struct argument *argument);
/* Those of them that kernels write: what is passed lies between guard bands. */
bool argument_is_written(const struct argument *argument);
/* Those of them that are variables: what they hold is copied there before runs, and back. */
bool argument_is_variable(const struct argument *argument);
/* Whether it is a variable that vectors' addresses are copied to. */
bool argument_is_variable_of_places(const struct argument *argument);
/* Whether runs find it by a variable, and so all in the same place. */
bool argument_stays(const struct launch_plan *plan, size_t index);
/* Writes the patch's elements into a vector of the type. */
void patch_vector(void *vector, enum element_type type, const struct patch *patch);
/* Whether a run changes what the next one finds in an argument with a fill. */
bool plan_has_updates(const struct launch_plan *plan);
/* Nodes of one run: each launch as often as it is repeated. */
uint64_t plan_launches(const struct launch_plan *plan);
uint32_t launch_repeats(const struct launch *launch);
/* The argument that is passed at that place in that repeat, from 0. */
uint8_t launch_argument(const struct launch *launch, size_t place, uint32_t repeat);
uint32_t launch_block_threads(const struct launch *launch);
/* 1: none. */
uint32_t launch_cluster_blocks(const struct launch *launch);
/* What a plan launches, with which numbers and scalars, from the binary with this hash: plans for
 * which it is the same do the same. `by_code`: the hash is of the machine code, and binaries whose
 * kernels go by other names may have the same one. 0: no memory. */
uint64_t plan_hash(const struct launch_plan *plan, const char *binary_hash, bool by_code);

#endif
