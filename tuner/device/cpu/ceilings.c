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

typedef void move(char *to, const char *from, size_t bytes);

/* Two buffers, cut into equal parts, a part a core. */
struct stream {
    char *from;
    char *to;
    size_t bytes;
    move *move; /* of a part */
};

static void move_part(void *context, int thread, int threads)
{
    const struct stream *stream = context;
    const size_t lines = stream->bytes / 64;
    const size_t first = lines * (size_t)thread / (size_t)threads * 64;
    const size_t end = lines * (size_t)(thread + 1) / (size_t)threads * 64;
    stream->move(stream->to + first, stream->from + first, end - first);
}

static void copy(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

static void write_same(char *to, const char *from, size_t bytes)
{
    (void)from;
    memset(to, 0x5a, bytes); /* not zeros: writing these may be a special case */
}

static void read_words(char *to, const char *from, size_t bytes)
{
    (void)to;
    read_through(from, bytes);
}

#if defined(__x86_64__)
typedef unsigned long long lanes __attribute__((vector_size(32)));

/* Reads by addition, a few per cent faster than the first way on some processors. */
__attribute__((target("avx2"))) static void add_up(char *to, const char *from, size_t bytes)
{
    const lanes *x = (const lanes *)(const void *)from;
    lanes a = {0}, b = {0}, c = {0}, d = {0};
    (void)to;
    for (size_t i = 0; i + 8 <= bytes / sizeof *x; i += 8) {
        a += x[i] + x[i + 1];
        b += x[i + 2] + x[i + 3];
        c += x[i + 4] + x[i + 5];
        d += x[i + 6] + x[i + 7];
    }
    a += b + c + d;
    volatile unsigned long long sum = a[0] + a[1] + a[2] + a[3];
    (void)sum;
}

/* Stores without first reading the overwritten lines; parts begin at lines. */
__attribute__((target("avx2"))) static void write_past(char *to, const char *from, size_t bytes)
{
    const __m256i word = _mm256_set1_epi8(0x5a);
    (void)from;
    for (size_t i = 0; i < bytes; i += sizeof word)
        _mm256_stream_si256((__m256i *)(void *)(to + i), word);
    _mm_sfence();
}

__attribute__((target("avx2"))) static void copy_past(char *to, const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(__m256i)) {
        const void *word = from + i;
        _mm256_stream_si256((__m256i *)(void *)(to + i), _mm256_load_si256((const __m256i *)word));
    }
    _mm_sfence();
}
#endif

/* ---- the best way ---- */

/* One way to do a transfer. */
struct way {
    move *move;
    const char *name;
    int threads;
    double gbs; /* the best so far */
};

static const struct task {
    move *move;
    const char *name;
    bool wide; /* needs AVX2 */
} readers[] =
    {
        {read_words, "one word of each line", false},
#if defined(__x86_64__)
        {add_up, "all words, AVX2", true},
#endif
},
  writers[] =
      {
          {write_same, "memset", false},
#if defined(__x86_64__)
          {write_past, "past the caches, AVX2", true},
#endif
},
  copiers[] = {
      {copy, "memcpy", false},
#if defined(__x86_64__)
      {copy_past, "past the caches, AVX2", true},
#endif
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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
    stream->move = way->move;
    for (int pass = 0; pass < count && (pass == 0 || clock_now_ns() < end_ns); pass++) {
        if (device->machine.flushes_by_line)
            pool_run(device->pool, device->machine.cores, evict_buffers, stream);
        int64_t start_ns = clock_now_ns();
        pool_run(device->pool, way->threads, move_part, stream);
        int64_t elapsed_ns = clock_now_ns() - start_ns;
        way->gbs = fmax(way->gbs, bytes_moved / (double)(elapsed_ns > 0 ? elapsed_ns : 1));
    }
}

static double best_gbs(struct device *device, struct stream *stream, const struct task *tasks,
                       size_t task_count, double bytes_moved, char name[WAY_BYTES])
{
    struct way ways[WAYS_MAX] = {{0}};
    size_t best = 0;
#if defined(__x86_64__)
    const bool has_avx2 = __builtin_cpu_supports("avx2");
#else
    const bool has_avx2 = false;
#endif
    /* Each task runs on all cores, on half and on a quarter: a memory may be faster with fewer. */
    size_t count = 0;
    for (int share = 1; share <= 4; share *= 2) {
        int threads = device->machine.cores / share;
        for (size_t i = 0; i < task_count && threads > 0 && count < WAYS_MAX; i++)
            if (has_avx2 || !tasks[i].wide)
                ways[count++] = (struct way){tasks[i].move, tasks[i].name, threads, 0};
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

enum status cpu_bandwidth(struct device *device, int64_t bytes, struct bandwidth *out,
                          struct error *error)
{
    const struct machine *machine = &device->machine;
    *out = (struct bandwidth){0};
    if (bytes <= 0) {
        /* So large that each pass finds none of the data in a cache. With flushing by line: a
         * millisecond's work for a core, and no more pages than kernels have. Otherwise many times
         * the last-level caches. At most an eighth of the memory. */
        const bool by_line = machine->flushes_by_line;
        const int64_t least = by_line ? 2 * BYTES_PER_CORE : BYTES_MIN;
        const int64_t most = machine->memory_bytes / 8;
        bytes = by_line ? (int64_t)machine->cores * BYTES_PER_CORE : 0;
        for (int i = 0; i < machine->cores && !by_line; i++)
            if (machine_cache_leader(machine, i) == i)
                bytes += 2 * machine_flush_bytes(machine, i);
        bytes = bytes > least ? bytes : least;
        bytes = most > 0 && bytes > most ? most : bytes;
    }
    bytes = bytes / 64 * 64;
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
