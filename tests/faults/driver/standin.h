/* Between the files of the stand-in driver. One device and one stream are at work in a process;
 * what is submitted runs at once, on the host, and takes the time that a simple model of a GPU
 * gives it. */
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
    const char *pci; /* of the first; the bus number is raised for each further one */
};
/* The models of this host's devices, physically; devices.c. */
const struct model *device_model(int physical);
uint64_t device_memory_bytes(void);
const struct model *current_model(void);

/* A kernel that is launched: arguments[i] points at the value of argument i. */
struct call {
    const struct image *image;
    unsigned grid[DIMENSIONS];
    unsigned block[DIMENSIONS];
    unsigned shared; /* bytes of dynamic shared memory */
    bool dependent;  /* may begin before the kernel in front of it has ended */
    bool cooperative;
    unsigned cluster; /* blocks of a cluster, by the launch; 0: what the kernel was compiled for */
    void *const *arguments;
};

/* A kernel that has an implementation on the host. */
struct host_kernel {
    const char *name;
    size_t argument_count;
    const unsigned char *argument_bytes;
    void (*run)(const struct call *call);     /* NULL: does nothing */
    double (*bytes)(const struct call *call); /* that it moves; NULL: none */
    int output; /* the argument that is spoilt for a wrong result; -1: none */
    double (*time)(const struct call *call); /* what it takes in ns; NULL: by its bytes */
};
/* compare.c: tune_compare of tuner/device/cuda/check.cu, tune_fill of fill.cu. */
extern const unsigned char compare_arguments[], fill_arguments[];
void compare_run(const struct call *call);
void fill_run(const struct call *call);
const struct host_kernel *host_kernel_find(const char *name);
uint64_t call_blocks(const struct call *call);
uint64_t call_threads(const struct call *call);
/* Of its output; 0: it is not known. */
size_t host_output_bytes(const struct host_kernel *kernel, const struct call *call);
/* What it takes on the model, in ns; depends on its arguments only. */
double call_time_ns(const struct host_kernel *kernel, const struct call *call);

struct CUmod_st {
    struct image image; /* first: a call's image is its module's */
    _Alignas(8) unsigned char variables[VARIABLES_MAX][VARIABLE_BYTES_MAX];
};
/* Rows one behind the other; a surface's handle is its array. */
struct CUarray_st {
    size_t row_bytes, rows;
    unsigned char bytes[];
};
/* The variables that a module has; -1 when there is none of that name. */
int host_variable_find(const char *name, size_t *bytes);
struct CUfunc_st {
    struct CUmod_st *module;
    const struct host_kernel *kernel;
    bool large_clusters; /* of more than 8 blocks are allowed */
    int shared_most;     /* bytes of dynamic shared memory that are allowed */
};

/* For tests, which find them by name. What each node of the graph that was instantiated last waits
 * for: '.' nothing, '-' the end of the node before, '>' its leave to begin. And the same of each
 * launch into the stream. */
const char *standin_edges(void);
const char *standin_stream_edges(void);

/* Held while something of the stand-in's own changes: programs that are looked at have threads. May
 * be taken again. */
void standin_lock(void);
void standin_unlock(void);

#ifndef STANDIN_OLD
/* programs.c: what cuPointerGetAttributes knows. */
void allocation_add(void *start, size_t bytes, CUmemorytype type, bool is_managed);
void allocation_remove(const void *start);
/* queue.c: the graph that the stream is captured into; NULL: it runs. */
CUgraph stream_graph(CUstream stream);
#endif

/* What each call of the driver begins with: the error of the context, or of a rule about `call`. */
CUresult enter(const char *call);
CUresult enter_with(const char *call, const struct subject *subjects, size_t count);
/* As enter, for calls that need no context and are answered also when it is lost. */
CUresult enter_bare(const char *call);

/* queue.c: the stream. */
void queue_add_time(double ns);
/* For the stand-in NVML, which finds them by name. */
void standin_set_pace(double all, double anchor);
double standin_energy_mj(void);
CUresult queue_run(CUfunction function, const struct call *call, unsigned shared, bool timed);
/* As enter, for calls that wait for the stream: what kernels did wrong shows here. */
CUresult queue_wait(const char *call);
struct subject subject_of(CUfunction function, const struct call *call, unsigned shared);

#endif
