/* check TUNED_CONF KEY, in the folder of the kernels: asks libtuned for KEY at many sizes, compiles
 * each answer's kernels with NVRTC, launches them as answered on GPU 0, and compares the output
 * with the reference. Inputs end where their memory ends, as near as their alignment allows;
 * outputs and scratch lie between canaries. Exit code 1: an answer was wrong. 2: the check failed.
 */
#include "answers.h"

#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define TUNED_CUDA_DRIVER
#include <tuned_cuda.h>

#define CANARY ((size_t)4096)
enum { CANARY_BYTE = 0xcb, RUNS = 4, CRASHES_MAX = 12, SECONDS_MAX = 30 };
enum { EXIT_CHECK = 2, EXIT_CUDA = 3 }; /* ends of the process that runs the answers */

/* Counts, in memory that several processes share, one after the other. */
struct totals {
    int next, asked, answered, wrong, refused, grades[TUNED_EXACT + 1];
    int listed, listed_answered, within, within_answered, planted;
    char running[768]; /* sizes and answer, for a process that dies */
};

struct check {
    const struct problem *problem;
    struct tuned *tuned;
    struct tuned_cuda_device gpu;
    struct totals *totals;
};

/* Device memory of one vector. */
struct memory {
    CUdeviceptr base, at;
    size_t bytes, mapped, reserved; /* reserved: 0 between canaries */
    CUmemGenericAllocationHandle handle;
};

struct answer {
    const struct ask *ask;
    struct tuned_size further[SIZES]; /* lives as long as the answer */
    struct tuned_answer tuned;
    char sizes[128], values[512];
    int launch_count;
    struct tuned_cuda_launch launches[LAUNCHES];
    CUfunction functions[LAUNCHES];
    const char *passed[LAUNCHES];
    struct argument arguments[ARGUMENTS];
    struct memory memory[ARGUMENTS];
    void *host[ARGUMENTS], *pointers[ARGUMENTS];
    int output; /* index */
};

static void end(int code)
{
    fflush(stdout);
    _exit(code);
}

static void check_cuda(CUresult result, const char *call)
{
    const char *text = "unknown error";
    if (result == CUDA_SUCCESS)
        return;
    (void)cuGetErrorString(result, &text);
    printf("    %s: %s\n", call, text);
    end(EXIT_CUDA);
}
#define CUDA(call) check_cuda(call, #call)

/* Maps a vector that ends where its memory ends, as near as its alignment allows; nothing follows.
 */
static struct memory map_at_end(size_t bytes, size_t alignment)
{
    struct memory out = {.bytes = bytes};
    const CUmemAllocationProp kind = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    const CUmemAccessDesc access = {.location = kind.location,
                                    .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    size_t step = 0;
    CUDA(cuMemGetAllocationGranularity(&step, &kind, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    out.mapped = bytes > 0 ? (bytes + step - 1) / step * step : step;
    out.reserved = out.mapped + 4 * step;
    CUDA(cuMemAddressReserve(&out.base, out.reserved, 0, 0, 0));
    CUDA(cuMemCreate(&out.handle, out.mapped, &kind, 0));
    CUDA(cuMemMap(out.base, out.mapped, 0, out.handle, 0));
    CUDA(cuMemSetAccess(out.base, out.mapped, &access, 1));
    CUDA(cuMemsetD8(out.base, 0xff, out.mapped)); /* NaN before the vector */
    out.at = out.base + (out.mapped - bytes) / alignment * alignment;
    return out;
}

static struct memory between_canaries(size_t bytes, size_t shift)
{
    struct memory out = {.bytes = bytes, .mapped = bytes + 2 * CANARY + shift};
    CUDA(cuMemAlloc(&out.base, out.mapped));
    out.at = out.base + CANARY + shift;
    return out;
}

static bool canaries_live(const struct memory *memory)
{
    unsigned char bytes[2 * CANARY];
    CUDA(cuMemcpyDtoH(bytes, memory->at - CANARY, CANARY));
    CUDA(cuMemcpyDtoH(bytes + CANARY, memory->at + memory->bytes, CANARY));
    for (size_t i = 0; i < 2 * CANARY; i++)
        if (bytes[i] != CANARY_BYTE)
            return false;
    return true;
}

static void release(struct memory *memory)
{
    if (memory->reserved) {
        CUDA(cuMemUnmap(memory->base, memory->mapped));
        CUDA(cuMemRelease(memory->handle));
        CUDA(cuMemAddressFree(memory->base, memory->reserved));
    } else if (memory->base) {
        CUDA(cuMemFree(memory->base));
    }
}

/* Compiles the kernels of a problem. */
static CUmodule compile(const struct problem *problem, const char *const *options, int count)
{
    char name[64], source[1 << 14] = "", log[1 << 14] = "";
    size_t bytes = 0;
    snprintf(name, sizeof name, "%.*s.cu", (int)strcspn(problem->key, "."), problem->key);
    FILE *file = fopen(name, "rb");
    if (!file || fread(source, 1, sizeof source - 1, file) == 0) {
        printf("    no %s here\n", name);
        end(EXIT_CHECK);
    }
    fclose(file);
    nvrtcProgram program = NULL;
    if (nvrtcCreateProgram(&program, source, name, 0, NULL, NULL) != NVRTC_SUCCESS ||
        nvrtcCompileProgram(program, count, options) != NVRTC_SUCCESS ||
        nvrtcGetCUBINSize(program, &bytes) != NVRTC_SUCCESS) {
        if (nvrtcGetProgramLogSize(program, &bytes) == NVRTC_SUCCESS && bytes < sizeof log)
            (void)nvrtcGetProgramLog(program, log);
        printf("    not compiled: %s\n", log);
        end(EXIT_CHECK);
    }
    char *binary = need(malloc(bytes));
    CUmodule module = NULL;
    (void)nvrtcGetCUBIN(program, binary);
    CUDA(cuModuleLoadData(&module, binary));
    (void)nvrtcDestroyProgram(&program);
    free(binary);
    return module;
}

/* Returns the kernels of an answer's configuration, compiled once, and writes its values. */
static CUmodule build(const struct check *check, struct answer *answer)
{
    static struct {
        char values[sizeof answer->values];
        CUmodule module;
    } built[ASKS];
    const struct problem *problem = check->problem;
    const char *home = getenv("CUDA_HOME");
    char options[4 + PARAMETERS][96];
    const char *passed[4 + PARAMETERS];
    int count = 0, k = 0;
    snprintf(options[count++], sizeof options[0], "-std=c++17");
    snprintf(options[count++], sizeof options[0], "--gpu-architecture=sm_%d%d",
             check->gpu.device.compute_capability_major,
             check->gpu.device.compute_capability_minor);
    snprintf(options[count++], sizeof options[0], "-I%s/include", home ? home : "/usr/local/cuda");
    if (problem->element)
        snprintf(options[count++], sizeof options[0], "-DELEMENT=%s", problem->element);
    answer->values[0] = '\0';
    for (int i = 0; problem->parameters[i]; i++) {
        const char *value = tuned_text(answer->tuned.entry, problem->parameters[i], NULL);
        const size_t used = strlen(answer->values);
        if (!value) {
            printf("    no value of %s\n", problem->parameters[i]);
            end(EXIT_CHECK);
        }
        snprintf(options[count++], sizeof options[0], "-D%s=%s", problem->parameters[i], value);
        snprintf(answer->values + used, sizeof answer->values - used, "%s%s=%s", i ? " " : "",
                 problem->parameters[i], value);
    }
    while (built[k].module && strcmp(built[k].values, answer->values) != 0)
        k++;
    if (!built[k].module) {
        for (int i = 0; i < count; i++)
            passed[i] = options[i];
        built[k].module = compile(problem, passed, count);
        memcpy(built[k].values, answer->values, sizeof answer->values);
    }
    return built[k].module;
}

/* Returns whether NAME=VALUE is among an answer's values. */
static bool has_value(const struct answer *answer, const char *pair)
{
    const char *found = pair ? strstr(answer->values, pair) : NULL;
    return found && strchr(" ", found[strlen(pair)]);
}

/* Prepares an answer's launches, of its number in tuned.conf. */
static bool prepare(const struct check *check, struct answer *answer)
{
    const struct problem *problem = check->problem;
    const CUmodule module = build(check, answer);
    for (int k = 0; problem->launches[k].kernel; k++) {
        const int index = answer->launch_count;
        struct tuned_cuda_launch *launch = &answer->launches[index];
        if (has_value(answer, problem->launches[k].unless))
            continue;
        *launch = tuned_cuda_launch_of(1, 1);
        if (tuned_cuda_fill_at(&answer->tuned, index, launch) == TUNED_NONE) {
            char reason[TUNED_REASON_BYTES];
            tuned_reason(&answer->tuned, reason, sizeof reason);
            printf("  %s: no launch %d: %s\n", answer->sizes, index, reason);
            return false;
        }
        CUDA(cuModuleGetFunction(&answer->functions[index], module, problem->launches[k].kernel));
        if (tuned_cuda_prepare(launch, answer->functions[index]) != CUDA_SUCCESS) {
            printf("  %s: launch %d cannot be prepared\n", answer->sizes, index);
            return false;
        }
        answer->passed[index] = problem->launches[k].passed;
        answer->launch_count++;
    }
    return true;
}

/* Asks libtuned, and counts the answer. */
static bool find_answer(struct check *check, struct answer *answer)
{
    const struct problem *problem = check->problem;
    const struct ask *ask = answer->ask;
    struct totals *totals = check->totals;
    size_t further_count = 0;
    for (int i = 0; i < count_sizes(problem); i++) {
        const size_t used = strlen(answer->sizes);
        snprintf(answer->sizes + used, sizeof answer->sizes - used, "%s%lld", i ? " x " : "",
                 ask->sizes[i]);
        if (i != problem->n)
            answer->further[further_count++] =
                (struct tuned_size){problem->sizes[i], ask->sizes[i]};
    }
    totals->asked++;
    totals->listed += ask->is_listed;
    totals->within += ask->is_within;
    tuned_find_sizes(check->tuned, tuned_cuda_identity(&check->gpu), problem->key,
                     ask->sizes[problem->n], answer->further, further_count, &answer->tuned);
    totals->grades[answer->tuned.grade]++;
    if (answer->tuned.grade == TUNED_NONE && ask->is_within) {
        char reason[TUNED_REASON_BYTES];
        tuned_reason(&answer->tuned, reason, sizeof reason);
        printf("  %s: no answer within the listed sizes%s: %s\n", answer->sizes,
               ask->is_listed ? ", A LISTED ONE" : "", reason);
    }
    if (answer->tuned.grade == TUNED_NONE)
        return false;
    if (!prepare(check, answer)) {
        totals->refused++;
        return false;
    }
    snprintf(totals->running, sizeof totals->running, "%s: %s (%s)", answer->sizes, answer->values,
             tuned_grade_name(answer->tuned.grade));
    totals->answered++;
    totals->listed_answered += ask->is_listed;
    totals->within_answered += ask->is_within;
    totals->planted += has_value(answer, problem->planted);
    return true;
}

static void place_arguments(const struct check *check, struct answer *answer, int index_of_ask)
{
    const struct problem *problem = check->problem;
    long long values[SIZES + DERIVED] = {0};
    memcpy(values, answer->ask->sizes, sizeof answer->ask->sizes);
    for (int i = 0; i < DERIVED && problem->derived[i]; i++)
        values[SIZES + i] = tuned_answer_integer(&answer->tuned, problem->derived[i], 1);
    problem->describe(values, answer->arguments);
    for (int i = 0; i < ARGUMENTS && answer->arguments[i].kind != ABSENT; i++) {
        struct argument *argument = &answer->arguments[i];
        struct memory *memory = &answer->memory[i];
        answer->pointers[i] = &memory->at;
        if (argument->kind == NUMBER) {
            answer->host[i] = answer->pointers[i] = &argument->count; /* the low bytes come first */
        } else if (argument->kind == INPUT) {
            answer->host[i] = fill_vector(argument, mix((uint64_t)index_of_ask * 64 + (uint64_t)i));
            *memory = map_at_end(bytes_of(argument), argument->alignment);
            CUDA(cuMemcpyHtoD(memory->at, answer->host[i], memory->bytes));
        } else {
            *memory = between_canaries(bytes_of(argument),
                                       (size_t)(index_of_ask % 4) * argument->alignment);
            if (argument->kind == OUTPUT)
                answer->output = i;
        }
    }
}

/* Runs an answer's launches once; returns whether the canaries live. */
static bool run_once(struct answer *answer, void *result)
{
    const struct memory *output = &answer->memory[answer->output];
    bool live = true;
    for (int i = 0; i < ARGUMENTS; i++) {
        const struct memory *memory = &answer->memory[i];
        if (!memory->base || memory->reserved)
            continue;
        CUDA(cuMemsetD8(memory->base, CANARY_BYTE, memory->mapped));
        if (answer->arguments[i].kind == SCRATCH)
            CUDA(cuMemsetD8(memory->at, 0, memory->bytes));
    }
    for (int k = 0; k < answer->launch_count; k++) {
        void *passed[ARGUMENTS] = {0};
        for (int i = 0; answer->passed[k][i]; i++)
            passed[i] = answer->pointers[answer->passed[k][i] - '0'];
        CUDA(tuned_cuda_launch_kernel(&answer->launches[k], answer->functions[k], passed, NULL));
    }
    CUDA(cuCtxSynchronize());
    CUDA(cuMemcpyDtoH(result, output->at, output->bytes));
    for (int i = 0; i < ARGUMENTS; i++)
        if (answer->memory[i].base && !answer->memory[i].reserved)
            live = live && canaries_live(&answer->memory[i]);
    return live;
}

/* Runs an answer several times; prints the first fault, and returns whether there is none. */
static bool run_answer(const struct check *check, struct answer *answer)
{
    const struct argument *output = &answer->arguments[answer->output];
    struct tune_expected *expected = need(calloc((size_t)output->count, sizeof *expected));
    void *result = need(malloc(bytes_of(output))), *earlier = need(malloc(bytes_of(output)));
    bool is_right = true;
    check->problem->reference(answer->host, expected);
    for (int run = 0; run < RUNS && is_right; run++) {
        double seen = 0, wanted = 0;
        const bool live = run_once(answer, result);
        const bool is_new = run == 0 || memcmp(result, earlier, bytes_of(output)) != 0;
        const long long at =
            is_new ? find_wrong(check->problem, output, result, expected, &seen, &wanted) : -1;
        memcpy(earlier, result, bytes_of(output));
        is_right = live && at < 0;
        if (at >= 0)
            printf("  WRONG %s: run %d: element %lld is %g, not %g\n", check->totals->running, run,
                   at, seen, wanted);
        else if (!live)
            printf("  WRONG %s: run %d: a write beside an output\n", check->totals->running, run);
    }
    free(expected);
    free(result);
    free(earlier);
    return is_right;
}

static void run_ask(struct check *check, const struct ask *ask, int index)
{
    struct answer answer = {.ask = ask};
    if (!find_answer(check, &answer))
        return;
    place_arguments(check, &answer, index);
    check->totals->wrong += !run_answer(check, &answer);
    for (int i = 0; i < ARGUMENTS; i++) {
        release(&answer.memory[i]);
        if (answer.arguments[i].kind == INPUT)
            free(answer.host[i]);
    }
}

/* Asks from the next size on, in this process, which a wrong kernel may end. */
static void run_asks(struct check *check, const char *conf, const struct ask *asks, int count)
{
    struct totals *totals = check->totals;
    struct tuned_error error;
    CUdevice device;
    CUcontext context;
    CUDA(cuInit(0));
    CUDA(cuDeviceGet(&device, 0));
    CUDA(cuDevicePrimaryCtxRetain(&context, device));
    CUDA(cuCtxSetCurrent(context));
    CUDA(tuned_cuda_describe(&check->gpu));
    check->tuned = tuned_load(conf, &error);
    if (!check->tuned) {
        printf("  %s\n", error.text);
        end(EXIT_CHECK);
    }
    while (totals->next < count) {
        totals->running[0] = '\0';
        totals->next++;
        alarm(SECONDS_MAX); /* a kernel that hangs */
        run_ask(check, &asks[totals->next - 1], totals->next);
        fflush(stdout);
    }
    tuned_free(check->tuned);
    end(0);
}

static void print_totals(const char *key, const struct totals *totals, bool is_whole)
{
    printf("%-10s asked %2d  answered %2d (exact %d, in range %d, nearest %d)  none %d  refused %d"
           "  listed %d of %d  within %d of %d  planted served %d  WRONG %d%s\n",
           key, totals->asked, totals->answered, totals->grades[TUNED_EXACT],
           totals->grades[TUNED_IN_RANGE], totals->grades[TUNED_NEAREST_SIZE],
           totals->grades[TUNED_NONE], totals->refused, totals->listed_answered, totals->listed,
           totals->within_answered, totals->within, totals->planted, totals->wrong,
           is_whole ? "" : "  (not all asked)");
}

int main(int argc, char **argv)
{
    static struct ask asks[ASKS];
    struct check check = {.problem = argc == 3 ? find_problem(argv[2]) : NULL};
    if (!check.problem) {
        fprintf(stderr, "usage: check TUNED_CONF KEY, in the folder of the kernels\n");
        return EXIT_CHECK;
    }
    const int count = list_asks(check.problem, asks);
    struct totals *totals =
        mmap(NULL, sizeof *totals, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (totals == MAP_FAILED)
        return EXIT_CHECK;
    check.totals = totals;
    for (int crashes = 0; totals->next < count && crashes < CRASHES_MAX; crashes++) {
        int status = 0;
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0)
            run_asks(&check, argv[1], asks, count);
        if (child < 0 || waitpid(child, &status, 0) != child)
            return EXIT_CHECK;
        if (status == 0)
            break;
        if (!totals->running[0] || (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_CHECK)) {
            printf("%s: the check failed (status %x) at size %d of %d\n", check.problem->key,
                   (unsigned)status, totals->next, count);
            return EXIT_CHECK;
        }
        totals->wrong++;
        printf("  WRONG %s: the program %s\n", totals->running,
               WIFSIGNALED(status) ? "hung or crashed" : "got an error of CUDA");
    }
    print_totals(check.problem->key, totals, totals->next == count);
    return totals->wrong > 0;
}
