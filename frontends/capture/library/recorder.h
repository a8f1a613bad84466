/* The recorder, fed by hooks.c. Functions never fail: events that cannot be recorded are
 * left out and noted in the capture. Any thread may call. */
#ifndef TUNE_CAPTURE_RECORDER_H
#define TUNE_CAPTURE_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "frontends/capture/library/apply.h"
#include "frontends/capture/library/driver.h"
#include "frontends/capture/library/writer.h"

/* ---- images.c ---- */

struct image {
    struct image *next; /* next image in the file */
    uint8_t hash[CAP_HASH_BYTES];
    uint32_t id;   /* 0: not in the file (yet) */
    bool is_tried; /* writing was attempted */
    bool is_kept;  /* in the file with its bytes */
    enum cap_image_kind kind;
    const void *data; /* NULL: lost */
    uint64_t bytes;
    void *owned; /* own copy; NULL: in the program's files */
    char *file;  /* path of the file; NULL: loaded from memory */
};
/* Copies an image given to the driver, which accepted it. Returns NULL if memory is short. */
struct image *image_of_memory(const void *data);
struct image *image_of_file(const char *path);
void image_free(struct image *image);

/* ---- recorder.c ---- */

struct shape {
    struct shape *_Atomic next;
    struct cap_shape *row;
};
struct kernel {
    struct kernel *next;
    struct cap_kernel *row; /* in the table, or the kernel's own if the table is full */
    struct cap_kernel spare;
    struct image *image; /* NULL: not known */
    const void *owner;   /* the module or library that `function` is of */
    char *name;
    CUfunction function; /* found last; NULL: the module is unloaded */
    struct cap_parameter *parameters;
    uint32_t parameter_count, parameter_bytes;
    bool is_layout_known;
    bool is_wanted;
    _Atomic uint32_t kept,
        kept_nodes;                /* launches kept with contents, and launches that became nodes */
    _Atomic uint64_t threads_kept; /* the largest kept launch's */
    struct shape *_Atomic shapes;
    uint32_t shape_count;
    uint32_t *rows; /* rows of `tune apply`'s table with its name */
    uint32_t row_count;
};
struct variable {
    struct variable *next;
    const void *owner;
    CUdeviceptr address;
    size_t bytes;
    char name[];
};

struct launch_facts {
    CUfunction function; /* or a CUkernel */
    enum cap_entry entry;
    unsigned grid[CAP_DIMENSIONS], block[CAP_DIMENSIONS], cluster[CAP_DIMENSIONS];
    unsigned shared_bytes;
    CUstream stream;
    bool is_per_thread; /* default stream of the entry point is the thread's */
    void **parameters, **extra;
    const CUlaunchAttribute *attributes;
    unsigned attribute_count;
};

struct settings {
    const char *folder;  /* NULL: no recording */
    const char *pattern; /* NULL: no launch is kept */
    uint32_t keep, skip;
    bool sizes, growing, times;
    bool applies; /* replace launches, record none */
    uint64_t bytes_most;
};

struct recorder {
    struct settings settings;
    pthread_mutex_t lock;      /* kernels, images, the table */
    pthread_mutex_t data_lock; /* the writer: taken last */
    pthread_mutex_t keep_lock; /* one launch at a time is kept: taken first */
    struct cap_table table;
    struct cap_writer writer;
    struct variable *variables;
    _Atomic int is_on;     /* 1: files are open; -1: opening failed */
    _Atomic int capturing; /* streams being captured into graphs */
    _Atomic int textures;  /* objects of textures and surfaces there are */
    _Atomic uint64_t sequence;
    int64_t started_ns;
};
extern struct recorder recorder;

static inline int64_t recorder_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
/* Returns whether launches are recorded; makes the files the first time. */
bool recorder_begins(void);
/* Records the handle of a function or, with `is_kernel`, of a CUkernel, and its module or library;
 * `name` may be NULL. */
void recorder_handle(const void *handle, const void *owner, const char *name, bool is_kernel);
/* Returns the module or library of a handle, or NULL if unknown. */
const void *recorder_owner(const void *handle);
/* Records the function that a CUkernel has in this context. */
void recorder_function_of(CUfunction function, CUkernel kernel);
/* Records the module that a library has in this context. */
void recorder_module_of(CUmodule module, CUlibrary library);
/* Records the image of a module or library, and takes ownership of it. */
void recorder_loaded(const void *owner, struct image *image);
void recorder_unloaded(const void *owner);
/* Records that a context is about to end, with its functions, streams and events. */
void recorder_context_goes(void);
void recorder_variable(const void *owner, const char *name, CUdeviceptr address, size_t bytes);
void recorder_texture(uint64_t object, bool is_there);
bool recorder_is_texture(uint64_t word);
void recorder_note(enum cap_note_kind kind);

/* Finds the kernel of a function or CUkernel, whose record it writes first; NULL: memory is short.
 */
struct kernel *recorder_kernel(const void *handle);
/* Writes a device's record, once. The caller holds recorder.lock. */
void recorder_device(CUdevice device);

/* ---- launches.c ---- */

/* State between the two ends of a launch. */
struct kept;
struct seen {
    struct kernel *kernel;
    struct shape *shape;
    struct kept *kept;
    struct timing *timing;
};
void recorder_before(const struct launch_facts *launch, struct seen *seen);
void recorder_after(const struct launch_facts *launch, struct seen *seen, CUresult result);
/* Records a node added to a graph, for any version of CUDA_KERNEL_NODE_PARAMS: older ones are a
 * prefix without `kern`. */
void recorder_node(const void *node, bool has_kern);

/* ---- memory.c ---- */

struct range {
    uint64_t address, bytes;
    enum cap_memory memory;
    uint32_t device;
    const void *host; /* host address; NULL: copied */
};
/* Finds the allocation that contains the address. */
bool memory_find(uint64_t address, struct range *out);
/* Reads a launch by cuLaunchKernelEx; the caller sets is_per_thread. */
void launch_of_config(const CUlaunchConfig *config, CUfunction function, void **parameters,
                      void **extra, struct launch_facts *out);
bool launch_is_capturing(const struct launch_facts *launch);
/* Records an event in the launch's stream. */
CUresult launch_event(const struct launch_facts *launch, CUevent event);
/* Copies the parameters into one block of at most CAP_PARAMETER_BYTES_MAX. Returns false if the
 * layout is unknown. */
bool launch_block(const struct kernel *kernel, const struct launch_facts *launch, uint8_t *block,
                  uint32_t *bytes);
/* Returns the bytes of the allocations behind the parameters. */
uint64_t launch_bytes(const struct kernel *kernel, const struct launch_facts *launch);

/* ---- keep.c ---- */

/* Starts keeping a launch; NULL: not kept. Call keep_after on the same thread. */
struct kept *keep_before(struct kernel *kernel, const struct launch_facts *launch,
                         uint64_t sequence, uint64_t kernel_sequence);
void keep_after(struct kept *kept, const struct launch_facts *launch, CUresult result);

/* ---- times.c ---- */

struct timing *time_before(const struct launch_facts *launch);
void time_after(struct timing *timing, const struct launch_facts *launch, struct cap_kernel *kernel,
                struct cap_shape *shape, CUresult result);
/* Locks the times around a fork. */
void times_lock(void);
void times_unlock(void);
/* Reads finished timings, before a context or the process ends. */
void times_end(void);
/* Drops all events without touching them: the context is gone, or the events are the parent's. */
void times_forget(void);

/* ---- apply.c: if settings.applies ---- */

struct applied {
    uint32_t row;
    const struct apply_launch *to; /* in place of the program's */
};
/* Reads the table of `tune apply` in that folder. Returns false if the table is invalid; then all
 * launches pass unchanged. The caller holds recorder.lock. */
bool apply_open(const char *folder);
/* Finds the rows of a new kernel. With recorder.lock. */
void apply_kernel(struct kernel *kernel);
/* Returns true if another launch replaces this one. */
bool apply_before(const struct kernel *kernel, const struct launch_facts *launch,
                  struct applied *out);
/* A configuration for `to` with all else from the program's launch; `config` is NULL for launches
 * without one. Returns false if there are too many attributes to copy. */
enum { APPLIED_ATTRIBUTES_MAX = 32 };
struct applied_config {
    CUlaunchConfig is;
    CUlaunchAttribute attributes[APPLIED_ATTRIBUTES_MAX];
};
bool apply_config(const struct launch_facts *launch, const CUlaunchConfig *config,
                  const struct apply_launch *to, struct applied_config *out);
/* Counts the result. Returns false if the launch was refused; then the program's own must be made.
 */
bool apply_after(const struct applied *applied, CUresult result);
/* Counts a graph node, which stays unchanged. */
void apply_node(const struct kernel *kernel);

#endif
