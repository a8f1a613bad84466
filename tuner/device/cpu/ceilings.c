#include <math.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/device/cpu/device.h"

enum { PASSES = 15, LEAST_BYTES = 256 << 20 };

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
    memset(stream->to + start, 0x5a, length); /* writing zeros may be a case of its own */
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

/* Another way to read, a few per cent faster than the first on some processors. */
static void add_part(void *context, int thread, int threads)
{
    const struct stream *stream = context;
    size_t start, length;
    part_of(stream, thread, threads, &start, &length);
    volatile unsigned long long sum = add_up(stream->from + start, length);
    (void)sum;
}
#endif

/* A ceiling: the fastest of a few passes, after one that is not counted. */
static double fastest_gbs(struct device *device, pool_task *task, struct stream *stream,
                          double bytes_moved)
{
    int64_t best_ns = INT64_MAX;
    for (int pass = 0; pass <= PASSES; pass++) {
        int64_t start_ns = clock_now_ns();
        pool_run(device->pool, device->machine.cores, task, stream);
        int64_t elapsed_ns = clock_now_ns() - start_ns;
        if (pass > 0 && elapsed_ns < best_ns)
            best_ns = elapsed_ns;
    }
    return bytes_moved / (double)(best_ns > 0 ? best_ns : 1);
}

static double fastest_read_gbs(struct device *device, struct stream *stream)
{
    double gbs = fastest_gbs(device, read_part, stream, (double)stream->bytes);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        gbs = fmax(gbs, fastest_gbs(device, add_part, stream, (double)stream->bytes));
#endif
    return gbs;
}

/* Many times the last-level caches, within an eighth of the memory. */
static int64_t fit_bytes(const struct machine *machine)
{
    int64_t bytes = 0;
    for (int i = 0; i < machine->cores; i++)
        if (machine_cache_leader(machine, i) == i)
            bytes += 2 * machine_flush_bytes(machine, i);
    bytes = bytes > LEAST_BYTES ? bytes : LEAST_BYTES;
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
    out->copy_gbs = fastest_gbs(device, copy_part, &stream, 2.0 * (double)bytes);
    out->read_gbs = fastest_read_gbs(device, &stream);
    out->write_gbs = fastest_gbs(device, write_part, &stream, (double)bytes);
    pages_unmap(stream.from, stream.bytes);
    pages_unmap(stream.to, stream.bytes);
    return STATUS_OK;
}
