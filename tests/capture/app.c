/* A program of the driver's API, as others write them: `app WAY WORK`. WAY: the source of the
 * driver's functions (link, dlsym, address, per_thread, library), WORK: the launches. Standard
 * output gets the result as one line. */
#include <cuda.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTIONS(X)                                                                               \
    X(cuInit, cuInit, (unsigned))                                                                  \
    X(cuDeviceGet, cuDeviceGet, (CUdevice *, int))                                                 \
    X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                 \
    X(cuCtxSetCurrent, cuCtxSetCurrent, (CUcontext))                                               \
    X(cuCtxSynchronize, cuCtxSynchronize, (void))                                                  \
    X(cuModuleLoadData, cuModuleLoadData, (CUmodule *, const void *))                              \
    X(cuModuleUnload, cuModuleUnload, (CUmodule))                                                  \
    X(cuModuleGetFunction, cuModuleGetFunction, (CUfunction *, CUmodule, const char *))            \
    X(cuModuleGetGlobal, cuModuleGetGlobal_v2, (CUdeviceptr *, size_t *, CUmodule, const char *))  \
    X(cuLibraryLoadData, cuLibraryLoadData,                                                        \
      (CUlibrary *, const void *, CUjit_option *, void **, unsigned, CUlibraryOption *, void **,   \
       unsigned))                                                                                  \
    X(cuLibraryGetKernel, cuLibraryGetKernel, (CUkernel *, CUlibrary, const char *))               \
    X(cuMemAlloc, cuMemAlloc_v2, (CUdeviceptr *, size_t))                                          \
    X(cuMemAllocManaged, cuMemAllocManaged, (CUdeviceptr *, size_t, unsigned))                     \
    X(cuMemHostAlloc, cuMemHostAlloc, (void **, size_t, unsigned))                                 \
    X(cuMemFree, cuMemFree_v2, (CUdeviceptr))                                                      \
    X(cuMemcpyHtoD, cuMemcpyHtoD_v2, (CUdeviceptr, const void *, size_t))                          \
    X(cuMemcpyDtoH, cuMemcpyDtoH_v2, (void *, CUdeviceptr, size_t))                                \
    X(cuStreamCreate, cuStreamCreate, (CUstream *, unsigned))                                      \
    X(cuStreamBeginCapture, cuStreamBeginCapture_v2, (CUstream, CUstreamCaptureMode))              \
    X(cuStreamEndCapture, cuStreamEndCapture, (CUstream, CUgraph *))                               \
    X(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags,                                    \
      (CUgraphExec *, CUgraph, unsigned long long))                                                \
    X(cuGraphLaunch, cuGraphLaunch, (CUgraphExec, CUstream))                                       \
    X(cuLaunchKernel, cuLaunchKernel,                                                              \
      (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, \
       void **, void **))                                                                          \
    X(cuLaunchKernelEx, cuLaunchKernelEx, (const CUlaunchConfig *, CUfunction, void **, void **))

#define DECLARE(name, symbol, parameters) CUresult linked_##name parameters __asm__(#symbol);
FUNCTIONS(DECLARE)
static struct {
#define MEMBER(name, symbol, parameters) CUresult(*name) parameters;
    FUNCTIONS(MEMBER)
} cu;

static void check(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "app: %s: %d\n", what, (int)result);
    exit(3);
}
#define CHECK(call) check(call, #call)

static const char *way;

static void find(const char *name, const char *symbol, void *linked, void *member)
{
    static CUresult (*address)(const char *, void **, int, cuuint64_t,
                               CUdriverProcAddressQueryResult *);
    void *found = linked;
    if (strcmp(way, "link") != 0) {
        void *library = dlopen("libcuda.so.1", RTLD_NOW);
        if (!library)
            exit(4);
        found = dlsym(library, symbol);
        if (strcmp(way, "dlsym") != 0) {
            const cuuint64_t flags = strcmp(way, "per_thread") == 0
                                         ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
                                         : CU_GET_PROC_ADDRESS_DEFAULT;
            CUdriverProcAddressQueryResult status;
            found = dlsym(library, "cuGetProcAddress_v2");
            memcpy(&address, &found, sizeof found);
            found = NULL;
            CHECK(address(name, &found, CUDA_VERSION, flags, &status));
        }
    }
    memcpy(member, &found, sizeof found);
}

static void find_all(void)
{
    void *linked = NULL;
#define FIND(name, symbol, parameters)                                                             \
    {                                                                                              \
        CUresult(*function) parameters = linked_##name;                                            \
        memcpy(&linked, &function, sizeof linked);                                                 \
        find(#name, #symbol, linked, &cu.name);                                                    \
    }
    FUNCTIONS(FIND)
    /* Another name of it, in some drivers. */
    if (!cu.cuGraphInstantiateWithFlags)
        exit(4);
}

static CUmodule module;

static CUfunction load(const char *kernel)
{
    /* Not in the program's own file, and gone once loaded, as an image made by NVRTC. */
    char *image =
        strdup("stand-in cubin 1\nsource app.cu\narchitecture sm_90\ndefine ELEMENT int\n");
    CUfunction function = NULL;
    if (strcmp(way, "library") == 0) {
        CUlibrary library;
        CUkernel handle;
        CHECK(cu.cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
        CHECK(cu.cuLibraryGetKernel(&handle, library, kernel));
        memcpy(&function, &handle, sizeof handle);
        module = (CUmodule)(void *)library;
    } else {
        CHECK(cu.cuModuleLoadData(&module, image));
        CHECK(cu.cuModuleGetFunction(&function, module, kernel));
    }
    memset(image, 'x', strlen(image));
    free(image);
    return function;
}

static void start(void)
{
    CUdevice device;
    CUcontext context;
    find_all();
    CHECK(cu.cuInit(0));
    CHECK(cu.cuDeviceGet(&device, 0));
    CHECK(cu.cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cu.cuCtxSetCurrent(context));
}

struct vectors {
    CUdeviceptr a, b, out;
    long long n;
};

static CUdeviceptr filled(long long n, int by)
{
    CUdeviceptr out;
    int *host = malloc((size_t)n * sizeof *host);
    CHECK(cu.cuMemAlloc(&out, (size_t)n * sizeof *host));
    for (long long i = 0; host && i < n; i++)
        host[i] = (int)(i * by);
    CHECK(cu.cuMemcpyHtoD(out, host, (size_t)n * sizeof *host));
    free(host);
    return out;
}

static struct vectors make_vectors(long long n)
{
    return (struct vectors){filled(n, 1), filled(n, 3), filled(n, 0), n};
}

/* Launches out = a + 2 b, from element `first` on. */
static void launch(CUfunction add, const struct vectors *v, long long first, CUstream stream)
{
    const long long count = v->n - first;
    CUdeviceptr a = v->a + 4 * (CUdeviceptr)first, b = v->b + 4 * (CUdeviceptr)first,
                out = v->out + 4 * (CUdeviceptr)first;
    int scale = 2;
    void *parameters[] = {&a, &b, &out, &scale, (void *)(uintptr_t)&count};
    CHECK(cu.cuLaunchKernel(add, (unsigned)((count + 255) / 256), 1, 1, 256, 1, 1, 64, stream,
                            parameters, NULL));
}

static long long sum(const struct vectors *v)
{
    int *host = malloc((size_t)v->n * sizeof *host);
    long long total = 0;
    CHECK(cu.cuMemcpyDtoH(host, v->out, (size_t)v->n * sizeof *host));
    for (long long i = 0; host && i < v->n; i++)
        total += host[i];
    free(host);
    return total;
}

/* ---- the work ---- */

static void do_add(void)
{
    CUfunction add = load("scaled_add");
    long long total = 0;
    for (long long n = 1000; n <= 100000; n *= 10) {
        struct vectors v = make_vectors(n);
        launch(add, &v, 0, NULL);
        launch(add, &v, n / 2, NULL);
        total += sum(&v);
    }
    printf("%lld\n", total);
}

/* Launches two instances of a template, the second on more elements. */
static void do_instances(void)
{
    struct vectors few = make_vectors(1000), many = make_vectors(100000);
    launch(load("_Z5addedIiEvPKT_S2_PS0_ix"), &few, 0, NULL);
    launch(load("_Z5addedIjEvPKT_S2_PS0_ix"), &many, 0, NULL);
    printf("%lld\n", sum(&few) + sum(&many));
}

/* Launches once, on as many elements as asked for. */
static long long large_count = 1;
static void do_large(void)
{
    struct vectors v = make_vectors(large_count);
    launch(load("scaled_add"), &v, 0, NULL);
    printf("%lld\n", sum(&v));
}

/* Launches all that there is, and goes on without. */
static void do_linger(void)
{
    do_add();
    (void)sleep(100);
}

/* Launches with another block for each size. */
static void do_blocks(void)
{
    CUfunction add = load("scaled_add");
    long long total = 0;
    for (unsigned block = 64; block <= 256; block *= 2) {
        struct vectors v = make_vectors(10LL * block);
        int scale = 2;
        void *parameters[] = {&v.a, &v.b, &v.out, &scale, &v.n};
        CHECK(cu.cuLaunchKernel(add, 10, 1, 1, block, 1, 1, 64, NULL, parameters, NULL));
        total += sum(&v);
    }
    printf("%lld\n", total);
}

/* Launches with one block for all parameters, with attributes, and with pointers in a struct by
 * value. */
static void do_forms(void)
{
    CUfunction add = load("scaled_add"), view = load("view_copy");
    struct vectors v = make_vectors(4096);
    unsigned char block[36];
    size_t block_bytes = sizeof block;
    const CUdeviceptr addresses[] = {v.a, v.b, v.out};
    int scale = 2;
    memcpy(block, addresses, sizeof addresses);
    memcpy(block + 24, &scale, sizeof scale);
    memcpy(block + 28, &v.n, sizeof v.n);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &block_bytes, CU_LAUNCH_PARAM_END};
    CHECK(cu.cuLaunchKernel(add, 16, 1, 1, 256, 1, 1, 0, NULL, NULL, extra));
    const long long added = sum(&v);
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                   .value.clusterDim = {2, 1, 1}};
    const CUlaunchConfig config = {.gridDimX = 16,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = 256,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .attrs = &attribute,
                                   .numAttrs = 1};
    struct {
        int n, padding; /* 0: all bytes of a struct count as its numbers */
        CUdeviceptr from, to;
    } by_value = {4096, 0, v.a, v.out};
    void *parameters[] = {&by_value};
    CHECK(cu.cuLaunchKernelEx(&config, view, parameters, NULL));
    printf("%lld\n", added + sum(&v));
}

static void *many(void *add)
{
    long long total = 0;
    for (int i = 0; i < 50; i++) {
        struct vectors v = make_vectors(100 + i);
        launch((CUfunction)add, &v, 0, NULL);
        total += sum(&v);
        CHECK(cu.cuMemFree(v.a));
        CHECK(cu.cuMemFree(v.b));
        CHECK(cu.cuMemFree(v.out));
    }
    return (void *)(intptr_t)total;
}

static void do_threads(void)
{
    pthread_t threads[16];
    long long total = 0;
    CUfunction add = load("scaled_add");
    for (int i = 0; i < 16; i++)
        if (pthread_create(&threads[i], NULL, many, add) != 0)
            exit(5);
    for (int i = 0; i < 16; i++) {
        void *part = NULL;
        (void)pthread_join(threads[i], &part);
        total += (intptr_t)part;
    }
    printf("%lld\n", total);
}

static void do_graph(void)
{
    CUfunction add = load("scaled_add");
    struct vectors v = make_vectors(1000);
    CUstream stream;
    CUgraph graph;
    CUgraphExec made;
    CHECK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    launch(add, &v, 0, stream);
    launch(add, &v, 500, stream);
    CHECK(cu.cuStreamEndCapture(stream, &graph));
    CHECK(cu.cuGraphInstantiateWithFlags(&made, graph, 0));
    for (int i = 0; i < 5; i++)
        CHECK(cu.cuGraphLaunch(made, stream));
    CHECK(cu.cuCtxSynchronize());
    launch(add, &v, 0, stream);
    printf("%lld\n", sum(&v));
}

/* Variables of the image; vectors that are managed, pinned, and hold an address; not all memory may
 * be read. */
static void do_memory(void)
{
    CUfunction add = load("scaled_add");
    CUdeviceptr steps, bias, managed;
    size_t bytes = 0;
    void *pinned = NULL;
    const int values[4] = {1, 2, 3, 4};
    const long long bias_value = 7;
    struct vectors v = make_vectors(1000);
    CHECK(cu.cuModuleGetGlobal(&steps, &bytes, module, "steps"));
    CHECK(cu.cuMemcpyHtoD(steps, values, sizeof values));
    CHECK(cu.cuModuleGetGlobal(&bias, &bytes, module, "own::bias"));
    CHECK(cu.cuMemcpyHtoD(bias, &bias_value, sizeof bias_value));
    CHECK(cu.cuMemAllocManaged(&managed, 4000, CU_MEM_ATTACH_GLOBAL));
    CHECK(cu.cuMemHostAlloc(&pinned, 4000, 0));
    memset(pinned, 1, 4000);
    CHECK(cu.cuMemcpyHtoD(managed, &v.b, sizeof v.b));
    const struct vectors mixed = {managed, (CUdeviceptr)(uintptr_t)pinned, v.out, 1000};
    launch(add, &mixed, 0, NULL);
    printf("%d\n", sum(&v) != 0);
}

/* Modules come and go, with handles of functions that were there before. */
static void do_modules(void)
{
    long long total = 0;
    for (int i = 0; i < 20; i++) {
        CUfunction add = load("scaled_add");
        struct vectors v = make_vectors(100 + i);
        launch(add, &v, 0, NULL);
        total += sum(&v);
        if (strcmp(way, "library") != 0)
            CHECK(cu.cuModuleUnload(module));
    }
    printf("%lld\n", total);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } whats[] = {{"add", do_add},         {"forms", do_forms},   {"blocks", do_blocks},
                 {"threads", do_threads}, {"graph", do_graph},   {"memory", do_memory},
                 {"modules", do_modules}, {"linger", do_linger}, {"instances", do_instances},
                 {"large", do_large}};
    if (argc < 3)
        return 2;
    way = argv[1];
    const char *what = argv[2];
    if (strcmp(what, "fork") == 0) { /* both sides launch, before anything of CUDA was used */
        const pid_t child = fork();
        int status = 0;
        start();
        do_add();
        (void)fflush(stdout);
        if (child == 0)
            _exit(0);
        return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
    }
    start();
    if (strcmp(what, "late_fork") == 0) { /* a child that only ends or becomes something else */
        do_add();
        (void)fflush(stdout);
        const pid_t child = fork();
        int status = 0;
        if (child == 0) {
            (void)execl("/bin/true", "true", (char *)NULL);
            _exit(1);
        }
        do_add();
        return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
    }
    if (strcmp(what, "exec") == 0) {
        do_add();
        (void)fflush(stdout);
        (void)execl("/proc/self/exe", argv[0], argv[1], "add", (char *)NULL);
        return 1;
    }
    if (strcmp(what, "killed") == 0) {
        do_add();
        (void)fflush(stdout);
        (void)raise(SIGKILL);
    }
    if (strcmp(what, "closes") == 0) { /* all files that it did not open, and ends silently */
        do_add();
        (void)fflush(stdout);
        for (int file = 3; file < 64; file++)
            (void)close(file);
        do_add();
        (void)fflush(stdout);
        _exit(0);
    }
    if (strcmp(what, "full") == 0 && argc > 3) { /* no file may grow beyond that */
        const struct rlimit limit = {strtoul(argv[3], NULL, 10), RLIM_INFINITY};
        (void)setrlimit(RLIMIT_FSIZE, &limit);
        do_add();
        return 0;
    }
    if (strcmp(what, "large") == 0 && argc > 3)
        large_count = strtoll(argv[3], NULL, 10);
    for (size_t i = 0; i < sizeof whats / sizeof *whats; i++)
        if (strcmp(whats[i].name, what) == 0) {
            whats[i].run();
            return 0;
        }
    return 2;
}
