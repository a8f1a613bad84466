/* What is told of a program, whoever tells it (hooks.c, or cupti.c). Nothing here fails: what
 * cannot be recorded is left out, and said in the capture. Any thread may call. */
#ifndef TUNE_CAPTURE_RECORDER_H
#define TUNE_CAPTURE_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>

#include "frontends/capture/library/apply.h"
#include "frontends/capture/library/driver.h"
#include "frontends/capture/library/writer.h"

/* ---- images.c ---- */

struct image {
    struct image *next; /* that is in the file, too */
    uint8_t hash[CAP_HASH_BYTES];
    uint32_t id;   /* 0: it is not in the file (yet) */
    bool is_tried; /* to be put there */
    bool is_kept;  /* it is there with its bytes */
    enum cap_image_kind kind;
    const void *data; /* NULL: it is lost */
    uint64_t bytes;
    void *owned; /* a copy that is ours; NULL: it lies in the program's own files */
    char *file;  /* that it was loaded from; NULL: from memory */
};
/* An image as it was given to the driver, which took it; NULL: no memory. */
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
    struct cap_kernel *row; /* in the table, or the kernel's own where that has no room */
    struct cap_kernel spare;
    struct image *image; /* NULL: not known */
    const void *owner;   /* the module or library that `function` is of */
    char *name;
    CUfunction function; /* found last; NULL: its module is gone */
    struct cap_parameter *parameters;
    uint32_t parameter_count, parameter_bytes;
    bool is_layout_known;
    bool is_wanted;
    _Atomic uint32_t kept, kept_nodes; /* with contents, and launches that became nodes */
    struct shape *_Atomic shapes;
    uint32_t shape_count;
    uint32_t *rows; /* of the table of `tune apply`, of its name */
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
    bool is_per_thread; /* by an entry point whose default stream is the thread's */
    void **parameters, **extra;
    const CUlaunchAttribute *attributes;
    unsigned attribute_count;
};

struct settings {
    const char *folder;  /* NULL: nothing is recorded */
    const char *pattern; /* NULL: nothing is kept */
    uint32_t keep, skip;
    bool sizes, times;
    bool applies; /* launches are changed, and nothing is recorded */
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
    _Atomic int is_on;     /* 1: files are there; -1: they could not be had */
    _Atomic int capturing; /* streams being captured into graphs */
    _Atomic int textures;  /* objects of textures and surfaces there are */
    _Atomic uint64_t sequence;
    int64_t started_ns;
};
extern struct recorder recorder;

int64_t recorder_now_ns(void);
/* Files are there, or are made now. */
bool recorder_begins(void);
/* A handle of a function or, with `is_kernel`, of a CUkernel, with its module or library; `name`
 * may be NULL. */
void recorder_handle(const void *handle, const void *owner, const char *name, bool is_kernel);
/* The module or library of a handle; NULL: not known. */
const void *recorder_owner(const void *handle);
/* The function that a CUkernel is in this context. */
void recorder_function_of(CUfunction function, CUkernel kernel);
/* The module that a library is in this context. */
void recorder_module_of(CUmodule module, CUlibrary library);
/* The image of a module or library, which becomes the recorder's. */
void recorder_loaded(const void *owner, struct image *image);
void recorder_unloaded(const void *owner);
/* A context is about to go, with its functions, streams and events. */
void recorder_context_goes(void);
void recorder_variable(const void *owner, const char *name, CUdeviceptr address, size_t bytes);
void recorder_texture(uint64_t object, bool is_there);
bool recorder_is_texture(uint64_t word);
void recorder_note(enum cap_note_kind kind, const char *text);

/* What is remembered between the two ends of a launch. */
struct kept;
struct seen {
    struct kernel *kernel;
    struct shape *shape;
    struct kept *kept;
    struct timing *timing;
};
void recorder_before(const struct launch_facts *launch, struct seen *seen);
void recorder_after(const struct launch_facts *launch, struct seen *seen, CUresult result);
/* A node that is added to a graph, of any version of CUDA_KERNEL_NODE_PARAMS: older ones have no
 * `kern`, and are the same up to there. */
void recorder_node(const void *node, bool has_kern);

/* ---- memory.c ---- */

struct range {
    uint64_t address, bytes;
    enum cap_memory memory;
    uint32_t device;
    const void *host; /* where the host reads it; NULL: it is copied */
};
/* The allocation that the address lies in. */
bool memory_find(uint64_t address, struct range *out);
/* A launch by cuLaunchKernelEx; is_per_thread is the caller's to set. */
void launch_of_config(const CUlaunchConfig *config, CUfunction function, void **parameters,
                      void **extra, struct launch_facts *out);
bool launch_is_capturing(const struct launch_facts *launch);
/* The parameters as one block, of at most CAP_PARAMETER_BYTES_MAX; false: nobody tells their
 * layout. */
bool launch_block(const struct kernel *kernel, const struct launch_facts *launch, uint8_t *block,
                  uint32_t *bytes);
/* Bytes of the allocations behind the parameters. */
uint64_t launch_bytes(const struct kernel *kernel, const struct launch_facts *launch);

/* ---- keep.c ---- */

/* NULL: this launch is not kept. Both to be called around it, by one thread. */
struct kept *keep_before(struct kernel *kernel, const struct launch_facts *launch,
                         uint64_t sequence, uint64_t kernel_sequence);
void keep_after(struct kept *kept, const struct launch_facts *launch, CUresult result);

/* ---- times.c ---- */

struct timing *time_before(const struct launch_facts *launch);
void time_after(struct timing *timing, const struct launch_facts *launch, struct cap_kernel *kernel,
                struct cap_shape *shape, CUresult result);
/* Around a fork. */
void times_lock(void);
void times_unlock(void);
/* Takes what has ended, before a context or the process does. */
void times_end(void);
/* No event of before is touched again: its context is gone, or the parent's. */
void times_forget(void);

/* ---- apply.c: with settings.applies ---- */

struct applied {
    uint32_t row;
    const struct apply_launch *to; /* in place of the program's */
};
/* Reads the table of `tune apply` in that folder. False: it is not what it must be, and all
 * launches pass. With recorder.lock. */
bool apply_open(const char *folder);
/* Finds the rows of a new kernel. With recorder.lock. */
void apply_kernel(struct kernel *kernel);
/* Whether another launch is to be made in place of this one. */
bool apply_before(const struct kernel *kernel, const struct launch_facts *launch,
                  struct applied *out);
/* `to` with all else as the program has it; `config` is NULL where it made the launch without one.
 * False: it has more attributes than are taken along. */
enum { APPLIED_ATTRIBUTES_MAX = 32 };
struct applied_config {
    CUlaunchConfig is;
    CUlaunchAttribute attributes[APPLIED_ATTRIBUTES_MAX];
};
bool apply_config(const struct launch_facts *launch, const CUlaunchConfig *config,
                  const struct apply_launch *to, struct applied_config *out);
/* How that went; false: it was refused, and the program's own is to be made. */
bool apply_after(const struct applied *applied, CUresult result);
/* A node of a graph, which stays as it is. */
void apply_node(const struct kernel *kernel);

#endif
