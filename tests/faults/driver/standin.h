/* Shared by the files of the stand-in driver. One device and one stream per process; submitted work
 * runs at once, on the host, and takes the time of a simple model of a GPU. */
#ifndef TUNE_TESTS_FAULTS_STANDIN_H
#define TUNE_TESTS_FAULTS_STANDIN_H

#include <cuda.h>

#include "tests/faults/driver/script.h"

enum { ARGUMENTS_MAX = 8, ARGUMENT_BYTES_MAX = 112, DIMENSIONS = 3 };
enum {
    SHARED_BYTES = 48 << 10,
    SHARED_OPTIN_BYTES = 227 << 10,
    VARIABLES_MAX = 6,
    VARIABLE_BYTES_MAX = 256
};

struct model {
    const char *name;
    int major, minor;
    int sm_count;
    int sm_clock_khz;
    int memory_clock_khz;
    int bus_bits;
    int l2_bytes;
    const char *pci; /* address of the first; further ones have higher bus numbers */
};
/* Returns the model of a physical device of this host; devices.c. */
const struct model *device_model(int physical);
uint64_t device_memory_bytes(void);
const struct model *current_model(void);

/* A kernel that is launched: arguments[i] points at the value of argument i. */
struct call {
    const struct image *image;
    unsigned grid[DIMENSIONS];
    unsigned block[DIMENSIONS];
    unsigned shared; /* bytes of dynamic shared memory */
    bool dependent;  /* may begin before the end of the kernel in front of it */
    bool cooperative;
    unsigned cluster; /* blocks of a cluster, by the launch; 0: as compiled */
    void *const *arguments;
};

/* A kernel that has an implementation on the host. */
struct host_kernel {
    const char *name;
    size_t argument_count;
    const unsigned char *argument_bytes;
    void (*run)(const struct call *call);     /* NULL: no effect */
    double (*bytes)(const struct call *call); /* bytes that it moves; NULL: none */
    int output; /* the argument that is spoilt for a wrong result; -1: none */
    double (*time)(const struct call *call); /* time in ns; NULL: by its bytes */
};
/* compare.c: tune_compare of tuner/device/cuda/check.cu, tune_fill of fill.cu. */
extern const unsigned char compare_arguments[], fill_arguments[];
void compare_run(const struct call *call);
void fill_run(const struct call *call);
const struct host_kernel *host_kernel_find(const char *name);
uint64_t call_blocks(const struct call *call);
uint64_t call_threads(const struct call *call);
/* Returns the bytes of its output; 0: unknown. */
size_t host_output_bytes(const struct host_kernel *kernel, const struct call *call);
/* Returns its time on the model, in ns; depends on its arguments only. */
double call_time_ns(const struct host_kernel *kernel, const struct call *call);

struct CUmod_st {
    struct image image; /* first, so that a call's image is its module's */
    _Alignas(8) unsigned char variables[VARIABLES_MAX][VARIABLE_BYTES_MAX];
};
/* An array of consecutive rows; a surface's handle is its array. */
struct CUarray_st {
    size_t row_bytes, rows;
    unsigned char bytes[];
};
/* Finds a variable of a module; -1 without one of that name. */
int host_variable_find(const char *name, size_t *bytes);
struct CUfunc_st {
    struct CUmod_st *module;
    const struct host_kernel *kernel;
    bool large_clusters; /* clusters of more than 8 blocks are allowed */
    int shared_most;     /* bytes of dynamic shared memory that are allowed */
};

/* Returns, for tests, which find it by name, the dependency of each node of the last instantiated
 * graph: '.' none, '-' the end of the node before, '>' its permission to begin. The other function
 * returns the same for each launch into the stream. */
const char *standin_edges(void);
const char *standin_stream_edges(void);

/* Locks the stand-in's state: recorded programs have threads. May be locked again by the same
 * thread. */
void standin_lock(void);
void standin_unlock(void);

#ifndef STANDIN_OLD
/* Adds an allocation that cuPointerGetAttributes knows; programs.c. */
void allocation_add(void *start, size_t bytes, CUmemorytype type, bool is_managed);
void allocation_remove(const void *start);
/* Returns the graph into which the stream is captured; NULL: the stream runs; queue.c. */
CUgraph stream_graph(CUstream stream);
#endif

/* Begins a call of the driver: returns the error of the context, or of a rule about `call`. */
CUresult enter(const char *call);
CUresult enter_with(const char *call, const struct subject *subjects, size_t count);
/* Begins a call that needs no context and is answered also when the context is lost. */
CUresult enter_bare(const char *call);

/* Adds time to the stream; queue.c. */
void queue_add_time(double ns);
/* Sets the pace, for the stand-in NVML, which finds the functions by name. */
void standin_set_pace(double all, double anchor);
double standin_energy_mj(void);
CUresult queue_run(CUfunction function, const struct call *call, unsigned shared, bool timed);
/* Begins a call that waits for the stream: errors of kernels show here. */
CUresult queue_wait(const char *call);
struct subject subject_of(CUfunction function, const struct call *call, unsigned shared);

#endif
