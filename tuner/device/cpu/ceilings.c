#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/device/cpu/device.h"

/* A way is tried TRIES times; the best of each transfer then PASSES times more. */
enum { TRIES = 2, PASSES = 15, BYTES_MIN = 256 << 20, BYTES_PER_CORE = 32 << 20, WAYS_MAX = 16 };
/* Time limit for each transfer, and the same for the best way's passes; the best rate until then is
 * the ceiling. */
static const int64_t search_ns_most = INT64_C(1500000000);

/* Two buffers, cut into equal parts, a part a core. */
struct stream {
    char *from;
    char *to;
    size_t bytes;
};

static void part_of(const struct stream *stream, int thread, int threads, size_t *start,
                    size_t *length)
{
    size_t lines = stream->bytes / 64;
    size_t first = lines * (size_t)thread / (size_t)threads;
    size_t last = lines * (size_t)(thread + 1) / (size_t)threads;
    *start = first * 64;
    *length = (last - first) * 64;
}

static void copy_part(void *context, int thread, int threads)
{
    const struct stream *stream = context;
    size_t start, length;
    part_of(stream, thread, threads, &start, &length);
    memcpy(stream->to + start, stream->from + start, length);
}

static void write_part(void *context, int thread, int threads)
{
    const struct stream *stream = context;
    size_t start, length;
    part_of(stream, thread, threads, &start, &length);
    memset(stream->to + start, 0x5a, length); /* not zeros: writing these may be a special case */
}

static void read_part(void *context, int thread, int threads)
{
    const struct stream *stream = context;
    size_t start, length;
    part_of(stream, thread, threads, &start, &length);
    read_through(stream->from + start, length);
}

#if defined(__x86_64__)
typedef unsigned long long lanes __attribute__((vector_size(32)));

__attribute__((target("avx2"))) static unsigned long long add_up(const char *data, size_t bytes)
{
    const lanes *x = (const lanes *)(const void *)data;
    lanes a = {0}, b = {0}, c = {0}, d = {0};
    for (size_t i = 0; i + 8 <= bytes / sizeof *x; i += 8) {
        a += x[i] + x[i + 1];
        b += x[i + 2] + x[i + 3];
        c += x[i + 4] + x[i + 5];
        d += x[i + 6] + x[i + 7];
    }
    a += b + c + d;
    return a[0] + a[1] + a[2] + a[3];
}

/* Reads by addition, a few per cent faster than the first way on some processors. */
static void add_part(void *context, int thread, int threads)
{
    const struct stream *stream = context;
    size_t start, length;
    part_of(stream, thread, threads, &start, &length);
    volatile unsigned long long sum = add_up(stream->from + start, length);
    (void)sum;
}

/* Stores without first reading the overwritten lines; parts begin at lines. */
__attribute__((target("avx2"))) static void stream_part(void *context, int thread, int threads)
{
    const struct stream *stream = context;
    size_t start, length;
    part_of(stream, thread, threads, &start, &length);
    const __m256i word = _mm256_set1_epi8(0x5a);
    for (size_t i = 0; i < length; i += sizeof word)
        _mm256_stream_si256((__m256i *)(void *)(stream->to + start + i), word);
    _mm_sfence();
}

__attribute__((target("avx2"))) static void stream_copy_part(void *context, int thread, int threads)
{
    const struct stream *stream = context;
    size_t start, length;
    part_of(stream, thread, threads, &start, &length);
    for (size_t i = 0; i < length; i += sizeof(__m256i)) {
        const void *from = stream->from + start + i;
        _mm256_stream_si256((__m256i *)(void *)(stream->to + start + i),
                            _mm256_load_si256((const __m256i *)from));
    }
    _mm_sfence();
}
#endif

/* ---- the best way ---- */

/* One way to do a transfer. */
struct way {
    pool_task *task;
    const char *name;
    int threads;
    double gbs; /* the best so far */
};

static const struct task {
    pool_task *task;
    const char *name;
    bool wide; /* needs AVX2 */
} readers[] =
    {
        {read_part, "one word of each line", false},
#if defined(__x86_64__)
        {add_part, "all words, AVX2", true},
#endif
},
  writers[] =
      {
          {write_part, "memset", false},
#if defined(__x86_64__)
          {stream_part, "past the caches, AVX2", true},
#endif
},
  copiers[] = {
      {copy_part, "memcpy", false},
#if defined(__x86_64__)
      {stream_copy_part, "past the caches, AVX2", true},
#endif
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool can_run(const struct task *task)
{
#if defined(__x86_64__)
    return !task->wide || __builtin_cpu_supports("avx2");
#else
    return !task->wide;
#endif
}

static void evict_buffers(void *context, int thread, int threads)
{
    const struct stream *stream = context;
    flush_lines(stream->from, stream->bytes, thread, threads);
    flush_lines(stream->to, stream->bytes, thread, threads);
}

static void time_passes(struct device *device, struct stream *stream, struct way *way,
                        double bytes_moved, int count)
{
    int64_t end_ns = clock_now_ns() + search_ns_most;
    for (int pass = 0; pass < count && (pass == 0 || clock_now_ns() < end_ns); pass++) {
        if (device->machine.flushes_by_line)
            pool_run(device->pool, device->machine.cores, evict_buffers, stream);
        int64_t start_ns = clock_now_ns();
        pool_run(device->pool, way->threads, way->task, stream);
        int64_t elapsed_ns = clock_now_ns() - start_ns;
        way->gbs = fmax(way->gbs, bytes_moved / (double)(elapsed_ns > 0 ? elapsed_ns : 1));
    }
}

static double best_gbs(struct device *device, struct stream *stream, const struct task *tasks,
                       size_t task_count, double bytes_moved, char name[WAY_BYTES])
{
    struct way ways[WAYS_MAX] = {{0}};
    size_t best = 0;
    /* Each task runs on all cores, on half and on a quarter: a memory may be faster with fewer. */
    size_t count = 0;
    for (int share = 1; share <= 4; share *= 2) {
        int threads = device->machine.cores / share;
        for (size_t i = 0; i < task_count && threads > 0 && count < WAYS_MAX; i++)
            if (can_run(&tasks[i]))
                ways[count++] = (struct way){tasks[i].task, tasks[i].name, threads, 0};
    }
    int64_t end_ns = clock_now_ns() + search_ns_most;
    for (size_t i = 0; i < count && (i == 0 || clock_now_ns() < end_ns); i++) {
        time_passes(device, stream, &ways[i], bytes_moved, TRIES);
        best = ways[i].gbs > ways[best].gbs ? i : best;
    }
    time_passes(device, stream, &ways[best], bytes_moved, PASSES);
    (void)string_format(name, WAY_BYTES, "%s, %d threads", ways[best].name, ways[best].threads);
    return ways[best].gbs;
}

/* Chooses the buffer's size so that each pass finds none of the data in a cache. With flushing by
 * line: a millisecond's work for a core, and no more pages than kernels have. Otherwise many times
 * the last-level caches. At most an eighth of the memory. */
static int64_t fit_bytes(const struct machine *machine)
{
    bool by_line = machine->flushes_by_line;
    int64_t bytes = by_line ? (int64_t)machine->cores * BYTES_PER_CORE : 0;
    for (int i = 0; i < machine->cores && !by_line; i++)
        if (machine_cache_leader(machine, i) == i)
            bytes += 2 * machine_flush_bytes(machine, i);
    int64_t least = by_line ? 2 * BYTES_PER_CORE : BYTES_MIN;
    bytes = bytes > least ? bytes : least;
    int64_t most = machine->memory_bytes / 8;
    return most > 0 && bytes > most ? most : bytes;
}

enum status cpu_bandwidth(struct device *device, int64_t bytes, struct bandwidth *out,
                          struct error *error)
{
    *out = (struct bandwidth){0};
    bytes = (bytes > 0 ? bytes : fit_bytes(&device->machine)) / 64 * 64;
    if (bytes < 64)
        return error_set(error, STATUS_BAD_INPUT, "cpu: buffers of less than 64 bytes");
    struct stream stream = {.bytes = (size_t)bytes};
    stream.from = pages_map(stream.bytes);
    stream.to = pages_map(stream.bytes);
    if (!stream.from || !stream.to) {
        pages_unmap(stream.from, stream.bytes);
        pages_unmap(stream.to, stream.bytes);
        return error_no_memory(error);
    }
    struct placing placing = {
        .pool = device->pool,
        .nodes = device->machine.nodes,
        .layout = layout_of(device->machine.nodes, device->machine.cores, SCHEDULE_STATIC)};
    fill_together(&placing, stream.from, NULL, 0x5a, stream.bytes);
    out->bytes = bytes;
    out->copy_gbs =
        best_gbs(device, &stream, copiers, COUNT(copiers), 2.0 * (double)bytes, out->copy_way);
    out->read_gbs =
        best_gbs(device, &stream, readers, COUNT(readers), (double)bytes, out->read_way);
    out->write_gbs =
        best_gbs(device, &stream, writers, COUNT(writers), (double)bytes, out->write_way);
    pages_unmap(stream.from, stream.bytes);
    pages_unmap(stream.to, stream.bytes);
    return STATUS_OK;
}
