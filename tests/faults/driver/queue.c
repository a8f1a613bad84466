/* The stream, its clock, events, and errors of kernels until someone waits for them. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/faults/driver/standin.h"

enum { PENDING_MAX = 64, REMEMBERED_MAX = 64 };

static const double tick_ns = 32;
static const double event_ns = 960;

struct CUstream_st {
    CUgraph graph; /* graph of the capture */
};
struct CUevent_st {
    double at_ns;
};

/* The energy counter: the power at rest, and more with each working thread. */
static const double rest_w = 90, work_w = 500;
static const double energy_step_ns = 1e6;

static CUresult context_error; /* the error after which no call works */
static double now_ns;
static uint64_t noise_state;
static double work_mj;                 /* above the power at rest */
static double energy_mj, energy_at_ns; /* value and time of the counter's last move */
static double pace = 1, anchor_pace = 1;

/* Kernels since the stream was last waited for; of those that are alike, one. */
static struct subject pending[PENDING_MAX];
static size_t pending_count;
static struct fault pending_fault;
static bool is_pending_fault;

static CUresult settle(const struct fault *fault)
{
    int code = script_perform(fault);
    if (code == 0 && fault->lost >= 0)
        code = CUDA_ERROR_UNKNOWN;
    if (code != 0 && (fault->sticky || fault->lost >= 0))
        context_error = (CUresult)code;
    return (CUresult)code;
}

static pthread_mutex_t lock;
static pthread_once_t lock_is_made = PTHREAD_ONCE_INIT;

static void make_lock(void)
{
    pthread_mutexattr_t kind;
    (void)pthread_mutexattr_init(&kind);
    (void)pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    (void)pthread_mutex_init(&lock, &kind);
}

void standin_lock(void)
{
    (void)pthread_once(&lock_is_made, make_lock);
    (void)pthread_mutex_lock(&lock);
}

void standin_unlock(void)
{
    (void)pthread_mutex_unlock(&lock);
}

/* Enters a call; a fault acts without the lock, because it may take for ever. */
CUresult enter_with(const char *call, const struct subject *subjects, size_t count)
{
    struct fault fault;
    if (context_error != CUDA_SUCCESS)
        return context_error;
    standin_lock();
    const bool is_faulty = script_match(call, subjects, count, &fault);
    standin_unlock();
    return is_faulty ? settle(&fault) : CUDA_SUCCESS;
}

CUresult enter(const char *call)
{
    struct subject none = {.kernel = NULL};
    return enter_with(call, &none, 1);
}

CUresult enter_bare(const char *call)
{
    return (CUresult)script_call(call);
}

CUresult queue_wait(const char *call)
{
    struct subject subjects[PENDING_MAX] = {{.kernel = NULL}};
    standin_lock();
    const size_t count = pending_count;
    memcpy(subjects, pending, count * sizeof *pending);
    pending_count = 0;
    standin_unlock();
    CUresult result = enter_with(call, subjects, count > 0 ? count : 1);
    if (result == CUDA_SUCCESS && is_pending_fault) {
        is_pending_fault = false;
        pending_fault.sticky = true;
        result = settle(&pending_fault);
    }
    return result;
}

struct subject subject_of(CUfunction function, const struct call *call, unsigned shared)
{
    return (struct subject){
        .kernel = function->kernel->name,
        .image = &function->module->image,
        .grid = call ? call_blocks(call) : 0,
        .block = call ? call_threads(call) : 0,
        .shared = shared,
    };
}

static bool is_alike(const struct subject *a, const struct subject *b)
{
    return a->kernel == b->kernel && a->image == b->image && a->grid == b->grid &&
           a->block == b->block && a->shared == b->shared;
}

static void remember(const struct subject *subject)
{
    for (size_t i = 0; i < pending_count; i++)
        if (is_alike(&pending[i], subject))
            return;
    if (pending_count < PENDING_MAX)
        pending[pending_count++] = *subject;
}

/* Returns the noise: with the setting noise=SEED, each kernel takes up to 1 % more. */
static double noise(void)
{
    if (noise_state == 0)
        noise_state = script_number("noise", 0);
    if (noise_state == 0)
        return 1;
    noise_state = noise_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return 1 + (double)(noise_state >> 40) / (double)(1 << 24) * 0.01;
}

void queue_add_time(double ns)
{
    standin_lock();
    now_ns += ns;
    standin_unlock();
}

/* Sets both as factors of time. */
void standin_set_pace(double all, double anchor)
{
    pace = all;
    anchor_pace = anchor;
}

static double paced(const struct host_kernel *kernel, double ns)
{
    return ns * pace * (strcmp(kernel->name, "tune_anchor") == 0 ? anchor_pace : 1);
}

static void take_energy(const struct call *call, double ns)
{
    double resident = (double)call_blocks(call) * (double)call_threads(call);
    double share = fmin(resident / (2048.0 * current_model()->sm_count), 1);
    work_mj += work_w * share * ns * 1e-6;
}

double standin_energy_mj(void)
{
    if (now_ns - energy_at_ns >= energy_step_ns) {
        energy_at_ns = floor(now_ns / energy_step_ns) * energy_step_ns;
        energy_mj = rest_w * energy_at_ns * 1e-6 + work_mj;
    }
    return energy_mj;
}

/* Keeps the fault of a kernel until the stream is awaited, as on a device. */
static void take_fault(const struct fault *fault)
{
    bool shows = fault->code || fault->hang || fault->crash || fault->abort || fault->slow_ms ||
                 fault->until || fault->exit_code >= 0 || fault->lost >= 0;
    if (!shows || is_pending_fault)
        return;
    pending_fault = *fault;
    is_pending_fault = true;
}

static void spoil(const struct host_kernel *kernel, const struct call *call)
{
    unsigned char *out = NULL;
    if (kernel->output < 0)
        return;
    memcpy(&out, call->arguments[kernel->output], sizeof out);
    out[0] ^= 1;
}

/* Replays the first output of a kernel that remembers, by its number of bytes. */
static void run_from_memory(CUfunction function, const struct call *call)
{
    static struct {
        CUfunction function;
        double moved;
        unsigned char *output;
    } known[REMEMBERED_MAX];
    const struct host_kernel *kernel = function->kernel;
    const size_t bytes = host_output_bytes(kernel, call);
    unsigned char *out = NULL;
    size_t i = 0;
    if (bytes == 0)
        return;
    memcpy(&out, call->arguments[kernel->output], sizeof out);
    while (i + 1 < REMEMBERED_MAX && known[i].function && known[i].function != function)
        i++;
    if (known[i].function == function && known[i].output &&
        !(known[i].moved < kernel->bytes(call)) && !(known[i].moved > kernel->bytes(call))) {
        memcpy(out, known[i].output, bytes);
        return;
    }
    kernel->run(call);
    free(known[i].output);
    known[i].function = function;
    known[i].moved = kernel->bytes(call);
    known[i].output = malloc(bytes);
    if (known[i].output)
        memcpy(known[i].output, out, bytes);
}

CUresult queue_run(CUfunction function, const struct call *call, unsigned shared, bool timed)
{
    const struct host_kernel *kernel = function->kernel;
    struct subject subject = subject_of(function, call, shared);
    struct fault fault = script_no_fault();
    subject.timed = timed;
    standin_lock();
    bool is_faulty = script_match("kernel", &subject, 1, &fault);
    double time_ns = paced(kernel, call_time_ns(kernel, call) * noise());
    if (is_faulty && fault.slower > 0)
        time_ns *= fault.slower;
    remember(&subject);
    now_ns += time_ns;
    take_energy(call, time_ns);
    if (is_faulty)
        take_fault(&fault);
    if (fault.remembers)
        run_from_memory(function, call);
    else if (kernel->run && !is_pending_fault && !fault.nothing)
        kernel->run(call);
    if (is_faulty && fault.wrong)
        spoil(kernel, call);
    standin_unlock();
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *out, unsigned flags)
{
    (void)flags;
    CUresult result = enter(__func__);
    if (result != CUDA_SUCCESS)
        return result;
    *out = calloc(1, sizeof **out);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamDestroy(CUstream stream)
{
    free(stream);
    return enter(__func__);
}

CUresult cuStreamSynchronize(CUstream stream)
{
    (void)stream;
    return queue_wait(__func__);
}

CUresult cuCtxSynchronize(void)
{
    return queue_wait(__func__);
}

CUresult cuEventCreate(CUevent *out, unsigned flags)
{
    (void)flags;
    CUresult result = enter(__func__);
    if (result != CUDA_SUCCESS)
        return result;
    *out = calloc(1, sizeof **out);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuEventDestroy(CUevent event)
{
    free(event);
    return enter(__func__);
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    (void)stream;
    CUresult result = enter(__func__);
    if (result != CUDA_SUCCESS)
        return result;
    standin_lock();
    now_ns += event_ns;
    event->at_ns = floor(now_ns / tick_ns) * tick_ns;
    standin_unlock();
    return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event)
{
    (void)event;
    return queue_wait(__func__);
}

CUresult cuEventQuery(CUevent event)
{
    (void)event;
    return queue_wait(__func__);
}

CUresult cuEventElapsedTime(float *out, CUevent begin, CUevent end)
{
    CUresult result = enter(__func__);
    *out = (float)((end->at_ns - begin->at_ns) * 1e-6);
    return result;
}

#ifndef STANDIN_OLD
CUgraph stream_graph(CUstream stream)
{
    const bool is_default = !stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
    return is_default ? NULL : stream->graph;
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    (void)mode;
    if (!stream || stream->graph)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return cuGraphCreate(&stream->graph, 0);
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *out)
{
    *out = stream_graph(stream);
    if (!*out)
        return CUDA_ERROR_ILLEGAL_STATE;
    stream->graph = NULL;
    return enter(__func__);
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *out)
{
    *out = stream_graph(stream) ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return enter(__func__);
}
#endif
