/* reduce_cpu [TUNED_CONF [N]]: sums N ints (default 2^24) as tuned.conf says, checks the sum, and
 * prints the gain over one plain loop. Without an entry it runs the plain loop.
 *
 * A program that is compiled ahead of time holds the variants of its kernel that tuning may choose;
 * here all those of configs/reduce_cpu.yaml. Exit code 1: a wrong result, or no memory. */
#define _GNU_SOURCE /* NOLINT: for pinning threads */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tuned.h>

/* ---- the kernel and its variants ---- */

struct tune_block {
    long long index, count;
    int thread, threads;
};
typedef void kernel(const struct tune_block *block, void *const *arguments);

#define OP           sum
#define TYPE         i32
#define WIDTH        1
#define ACCUMULATORS 1
#include "reduce_variant.h"
#define WIDTH        1
#define ACCUMULATORS 4
#include "reduce_variant.h"
#define WIDTH        1
#define ACCUMULATORS 8
#include "reduce_variant.h"
#define WIDTH        8
#define ACCUMULATORS 1
#include "reduce_variant.h"
#define WIDTH        8
#define ACCUMULATORS 4
#include "reduce_variant.h"
#define WIDTH        8
#define ACCUMULATORS 8
#include "reduce_variant.h"
#define WIDTH        16
#define ACCUMULATORS 1
#include "reduce_variant.h"
#define WIDTH        16
#define ACCUMULATORS 4
#include "reduce_variant.h"
#define WIDTH        16
#define ACCUMULATORS 8
#include "reduce_variant.h"

#define VARIANT(width, accumulators)                                                               \
    {                                                                                              \
        width, accumulators, reduce_blocks_##width##_##accumulators,                               \
            reduce_partials_##width##_##accumulators                                               \
    }
static const struct variant {
    long long width, accumulators;
    kernel *blocks, *partials;
} variants[] = {
    VARIANT(1, 1), VARIANT(1, 4),  VARIANT(1, 8),  VARIANT(8, 1),  VARIANT(8, 4),
    VARIANT(8, 8), VARIANT(16, 1), VARIANT(16, 4), VARIANT(16, 8),
};

static const struct variant *find_variant(long long width, long long accumulators)
{
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        if (variants[i].width == width && variants[i].accumulators == accumulators)
            return &variants[i];
    return NULL;
}

/* ---- this machine's CPU, described as tune does ---- */

static void read_model(char *out, size_t bytes)
{
    char line[4096];
    FILE *file = fopen("/proc/cpuinfo", "r");
    out[0] = '\0';
    while (file && !out[0] && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            const char *name = strchr(line, ':') + 1;
            name += strspn(name, " ");
            snprintf(out, bytes, "%.*s", (int)strcspn(name, "\n"), name);
        }
    if (file)
        fclose(file);
}

/* Returns the first hardware thread of the processor's core. */
static int first_of_core(int processor)
{
    char path[128], list[64];
    int first = processor;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
             processor);
    FILE *file = fopen(path, "r");
    if (file && fgets(list, sizeof list, file)) /* "0,4" or "0-1" */
        first = (int)strtol(list, NULL, 10);
    if (file)
        fclose(file);
    return first;
}

/* Cores that this process may run on; `processors` gets a processor of each. */
static int count_cores(int processors[CPU_SETSIZE])
{
    static bool seen[CPU_SETSIZE];
    cpu_set_t allowed;
    int cores = 0;
    memset(seen, 0, sizeof seen);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 0;
    for (int i = 0; i < CPU_SETSIZE; i++) {
        int first = CPU_ISSET((size_t)i, &allowed) ? first_of_core(i) : -1;
        if (first < 0 || first >= CPU_SETSIZE || seen[first])
            continue;
        seen[first] = true;
        processors[cores++] = i;
    }
    return cores;
}

/* ---- threads, one per core, that run the blocks of a launch ---- */

struct job {
    kernel *function;
    void *const *arguments;
    long long blocks;
    int threads;
    bool queued;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t started, ended;
    struct job job;
    atomic_llong round; /* launches so far */
    atomic_int running;
    atomic_llong next; /* block, of a queued job */
    int processors[CPU_SETSIZE];
    int cores;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .started = PTHREAD_COND_INITIALIZER,
          .ended = PTHREAD_COND_INITIALIZER};

static void pin(int thread)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)pool.processors[thread], &one);
    (void)pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

static void run_share(const struct job *job, int thread)
{
    struct tune_block block = {0, job->blocks, thread, job->threads};
    if (job->queued) {
        while ((block.index = atomic_fetch_add(&pool.next, 1)) < job->blocks)
            job->function(&block, job->arguments);
        return;
    }
    long long share = job->blocks / job->threads, more = job->blocks % job->threads;
    long long first = share * thread + (thread < more ? thread : more);
    long long end = first + share + (thread < more);
    for (block.index = first; block.index < end; block.index++)
        job->function(&block, job->arguments);
}

/* Waking a sleeping thread takes longer than a small sum, so waiting threads look for a while
 * before they sleep. */
enum { LOOKS = 100000 };

static void look_for_round(long long seen)
{
    for (int i = 0; i < LOOKS && atomic_load(&pool.round) == seen; i++)
        atomic_signal_fence(memory_order_seq_cst);
}

static void look_for_end(void)
{
    for (int i = 0; i < LOOKS && atomic_load(&pool.running) > 0; i++)
        atomic_signal_fence(memory_order_seq_cst);
}

static void *work(void *argument)
{
    int thread = *(const int *)argument;
    long long seen = 0;
    pin(thread);
    for (;;) {
        look_for_round(seen);
        pthread_mutex_lock(&pool.lock);
        while (pool.round == seen)
            pthread_cond_wait(&pool.started, &pool.lock);
        seen = pool.round;
        struct job job = pool.job;
        pthread_mutex_unlock(&pool.lock);
        if (thread >= job.threads)
            continue;
        run_share(&job, thread);
        pthread_mutex_lock(&pool.lock);
        if (--pool.running == 0)
            pthread_cond_signal(&pool.ended);
        pthread_mutex_unlock(&pool.lock);
    }
    return NULL;
}

static bool start_pool(void)
{
    static int numbers[CPU_SETSIZE];
    pin(0);
    for (int i = 1; i < pool.cores; i++) {
        pthread_t thread;
        numbers[i] = i;
        if (pthread_create(&thread, NULL, work, &numbers[i]) != 0)
            return false;
        pthread_detach(thread);
    }
    return true;
}

static void launch(struct job job)
{
    atomic_store(&pool.next, 0);
    if (job.threads > 1) {
        pthread_mutex_lock(&pool.lock);
        pool.job = job;
        pool.running = job.threads - 1;
        pool.round++;
        pthread_cond_broadcast(&pool.started);
        pthread_mutex_unlock(&pool.lock);
    }
    run_share(&job, 0);
    if (job.threads > 1) {
        look_for_end();
        pthread_mutex_lock(&pool.lock);
        while (pool.running > 0)
            pthread_cond_wait(&pool.ended, &pool.lock);
        pthread_mutex_unlock(&pool.lock);
    }
}

/* ---- the sum ---- */

struct plan {
    const struct variant *variant;
    bool loop; /* one plain loop */
    long long block, grid;
    int threads;
    bool queued;
};

/* Plans the launch. The grid follows from n and block, because the entry may be of another size.
 * Returns false if the entry (of a device with more cores, or of another version of the kernel)
 * cannot be launched here. */
static bool plan_from(const struct tuned_entry *entry, long long n, struct plan *plan)
{
    const char *name = tuned_text(entry, "variant", "");
    *plan = (struct plan){
        .variant =
            find_variant(tuned_integer(entry, "width", 1), tuned_integer(entry, "accumulators", 1)),
        .loop = strcmp(name, "loop") == 0,
        .block = tuned_integer(entry, "block", n),
        .queued = strcmp(tuned_text(entry, "schedule", "static"), "queued") == 0,
    };
    long long threads = tuned_integer(entry, "threads", 1);
    if (!plan->variant || (!plan->loop && strcmp(name, "blocks") != 0) || plan->block < 1 ||
        threads < 1)
        return false;
    plan->threads = threads < pool.cores ? (int)threads : pool.cores;
    plan->grid = n / plan->block + (n % plan->block != 0);
    return plan->grid > 0;
}

static void reduce(const struct plan *plan, void *const *arguments)
{
    if (plan->loop) {
        launch((struct job){reduce_loop_1_1, arguments, 1, 1, false});
        return;
    }
    launch((struct job){plan->variant->blocks, arguments, plan->grid, plan->threads, plan->queued});
    if (plan->grid > 1)
        launch((struct job){plan->variant->partials, arguments, 1, 1, false});
}

static long long now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int compare_times(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

enum { SAMPLES = 21 };

/* Many copies of the input: each run takes another copy, so that none profits from the caches of
 * the run before. tune measures likewise (L2 cold). */
struct input {
    int *data;
    long long n, copies;
    int expected;
};

/* Measures the median of SAMPLES; each sample has enough runs for about a millisecond.
 * Returns false for a wrong sum. */
static bool time_plan(const struct plan *plan, const struct input *input, double *median_ns)
{
    static long long turn;
    double times[SAMPLES];
    int out = ~input->expected;
    long long block = plan->block, n = input->n, partial_count = plan->grid;
    long long *partials = malloc((size_t)plan->grid * sizeof *partials);
    void *arguments[] = {input->data, &out, partials, &block, &n, &partial_count};
    if (!partials)
        return false;
    reduce(plan, arguments);
    bool right = out == input->expected;
    long long runs = 1 + 4000000 / n;
    for (int i = 0; right && i < SAMPLES; i++) {
        long long start = now_ns();
        for (long long run = 0; run < runs; run++) {
            arguments[0] = input->data + turn++ % input->copies * n;
            reduce(plan, arguments);
            atomic_signal_fence(memory_order_seq_cst); /* no run is merged with the next */
        }
        times[i] = (double)(now_ns() - start) / (double)runs;
        right = out == input->expected;
    }
    free(partials);
    if (!right) {
        fprintf(stderr, "reduce_cpu: wrong result: %d, expected %d\n", out, input->expected);
        return false;
    }
    qsort(times, SAMPLES, sizeof times[0], compare_times);
    *median_ns = times[SAMPLES / 2];
    return true;
}

static bool make_input(long long n, struct input *input)
{
    enum { COPIES_ELEMENTS = 1 << 25 }; /* 128 MiB: more than most last-level caches */
    unsigned state = 1, total = 0;
    *input = (struct input){.n = n, .copies = 1 + COPIES_ELEMENTS / n};
    input->data = malloc((size_t)(input->copies * n) * sizeof(int));
    for (long long i = 0; input->data && i < n; i++) {
        state = state * 1664525u + 1013904223u;
        input->data[i] = (int)state;
        total += state; /* wraps, as the kernel's sum does */
    }
    for (long long i = 1; input->data && i < input->copies; i++)
        memcpy(input->data + i * n, input->data, (size_t)n * sizeof(int));
    input->expected = (int)total;
    return input->data != NULL;
}

static void print_time(const char *name, double ns, long long n)
{
    printf("%-9s %12.3f us  %7.2f GB/s\n", name, ns / 1e3, (double)n * sizeof(int) / ns);
}

/* Runs the plain loop, then the entry's launch. */
static bool compare(const struct tuned_answer *answer, const struct input *input)
{
    long long n = input->n;
    const struct plan loop = {&variants[0], true, n, 1, 1, false};
    struct plan plan;
    double loop_ns = 0, tuned_ns = 0;
    if (!time_plan(&loop, input, &loop_ns))
        return false;
    print_time("baseline", loop_ns, n);
    if (!answer->entry) {
        printf("no entry: the baseline is what runs\n");
        return true;
    }
    if (!plan_from(answer->entry, n, &plan)) {
        printf("this program has no such variant: the baseline is what runs\n");
        return true;
    }
    if (!time_plan(&plan, input, &tuned_ns))
        return false;
    print_time("tuned", tuned_ns, n);
    printf(
        "gain      %12.2f x      (%s, %d threads, block %lld, %lld accumulators of width %lld)\n",
        loop_ns / tuned_ns, plan.loop ? "loop" : "blocks", plan.threads, plan.block,
        plan.variant->accumulators, plan.variant->width);
    return true;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "tuned.conf";
    char *end = NULL;
    long long n = argc > 2 ? strtoll(argv[2], &end, 10) : 1 << 24;
    if (argc > 3 || (end && *end) || n < 1 || n > 1LL << 34) {
        fprintf(stderr, "usage: reduce_cpu [TUNED_CONF [N]]   N from 1 to 2^34\n");
        return 2;
    }
    char model[256];
    read_model(model, sizeof model);
    pool.cores = count_cores(pool.processors);
    const struct tuned_device device = {.kind = "cpu", .name = model, .unit_count = pool.cores};
    struct input input;
    if (!make_input(n, &input) || pool.cores == 0 || !start_pool()) {
        fprintf(stderr, "reduce_cpu: no memory or no threads\n");
        free(input.data);
        return 1;
    }

    struct tuned_error error;
    struct tuned_answer answer;
    char reason[TUNED_REASON_BYTES];
    struct tuned *tuned = tuned_load(path, &error);
    if (!tuned)
        printf("%s\n", error.text);
    tuned_find(tuned, &device, "reduce.sum.i32", n, &answer);
    tuned_reason(&answer, reason, sizeof reason);
    printf("device    %s, %d cores\nproblem   reduce.sum.i32, n = %lld\nanswer    %s: %s\n", model,
           pool.cores, n, tuned_grade_name(answer.grade), reason);
    bool right = compare(&answer, &input);
    tuned_free(tuned);
    free(input.data);
    return right ? 0 : 1;
}
