#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "tuner/device/cpu/device.h"

/* Buffer size where caches are unknown, or are flushed by line. */
enum { BUFFER_BYTES_MAX = 64 << 20, LINE_BYTES = 64 };

/* ---- one line after the other, by the processor's own instruction ---- */

#if defined(__x86_64__)
__attribute__((target("clflushopt"))) static void evict(char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE_BYTES)
        _mm_clflushopt(data + i);
    _mm_mfence();
}
#elif defined(__aarch64__)
static void evict(char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE_BYTES)
        __asm__ volatile("dc civac, %0" : : "r"(data + i) : "memory");
    __asm__ volatile("dsb ish" : : : "memory");
}
#else
static void evict(char *data, size_t bytes)
{
    (void)data;
    (void)bytes;
}
#endif

void flush_lines(char *data, size_t bytes, int thread, int threads)
{
    char *first = data - (uintptr_t)data % LINE_BYTES;
    size_t lines = ((size_t)(data - first) + bytes + LINE_BYTES - 1) / LINE_BYTES;
    size_t begin = lines * (size_t)thread / (size_t)threads;
    size_t end = lines * (size_t)(thread + 1) / (size_t)threads;
    if (end > begin)
        evict(first + begin * LINE_BYTES, (end - begin) * LINE_BYTES);
}

/* Data that a block's runs read and write: the copies taken in turn. */
struct touched {
    struct device *device;
    uint32_t first, runs;
};

static void evict_touched(void *context, int thread, int threads)
{
    const struct touched *touched = context;
    for (size_t i = 0; i < touched->device->argument_count; i++) {
        const struct vector *vector = touched->device->shelves[i].bound;
        uint32_t copies = touched->device->copies; /* copies that runs take, of `copies` */
        if (vector && vector->count < copies)
            copies = vector->count;
        for (uint32_t run = 0; vector && run < copies && run < touched->runs; run++)
            flush_lines(vector_data(vector, (touched->first + run) % copies), vector->bytes, thread,
                        threads);
    }
}

/* ---- flushing by reading other data ---- */

size_t flush_bytes(const struct machine *machine, int core)
{
    int64_t bytes = machine_flush_bytes(machine, core);
    if (bytes <= 0 || (bytes > BUFFER_BYTES_MAX && machine->flushes_by_line))
        bytes = BUFFER_BYTES_MAX;
    return (size_t)bytes;
}

/* Reads all bytes by memchr for an absent byte: the C library's is vectorised, however tune was
 * built. */
void read_through(const char *data, size_t bytes)
{
    const void *volatile found = memchr(data, 1, bytes);
    (void)found;
}

static bool is_leader(const struct device *device, int core)
{
    return machine_cache_leader(&device->machine, core) == core;
}

static void place(void *context, int thread, int threads)
{
    struct device *device = context;
    (void)threads;
    if (is_leader(device, thread))
        memset(device->flush[thread], 0x5a, flush_bytes(&device->machine, thread));
}

/* Makes a buffer for each last-level cache, shared by the cache's cores. The pages are written
 * first, since unwritten ones would all be the same page of zeros. */
enum status flush_make(struct device *device, struct error *error)
{
    int cores = device->machine.cores;
    if (device->flush)
        return STATUS_OK;
    device->flush = calloc((size_t)cores, sizeof *device->flush);
    TRY_MEMORY(device->flush);
    for (int i = 0; i < cores; i++) {
        device->flush[i] = is_leader(device, i)
                               ? pages_map(flush_bytes(&device->machine, i))
                               : device->flush[machine_cache_leader(&device->machine, i)];
        if (!device->flush[i]) {
            flush_free(device);
            return error_no_memory(error);
        }
    }
    pool_run(device->pool, cores, place, device);
    return STATUS_OK;
}

void flush_free(struct device *device)
{
    for (int i = 0; device->flush && i < device->machine.cores; i++)
        if (is_leader(device, i))
            pages_unmap(device->flush[i], flush_bytes(&device->machine, i));
    free(device->flush);
    device->flush = NULL;
}

static void read_own(void *context, int thread, int threads)
{
    const struct device *device = context;
    (void)threads;
    read_through(device->flush[thread], flush_bytes(&device->machine, thread));
}

/* Writes one word a line, which makes the whole line dirty. Cores that share a buffer start at
 * different places, and write atomically, since they meet. */
static void write_own(void *context, int thread, int threads)
{
    const struct device *device = context;
    size_t bytes = flush_bytes(&device->machine, thread);
    size_t start = bytes / LINE_BYTES * (size_t)thread / (size_t)threads * LINE_BYTES;
    char *data = device->flush[thread];
    for (size_t i = start; i < bytes; i += LINE_BYTES)
        __atomic_store_n(&data[i], 0x5a, __ATOMIC_RELAXED);
    for (size_t i = 0; i < start; i += LINE_BYTES)
        __atomic_store_n(&data[i], 0x5a, __ATOMIC_RELAXED);
}

/* Flushes by line where the processor can: the cost is that of the data, not of the caches, of
 * which a virtual machine may see hundreds of megabytes; and caches of unknown replacement keep
 * none of the data. Otherwise each core reads the whole buffer, not only a share: this flushes
 * private caches, too, and those of cores that a virtual machine wrongly reports as sharing one
 * cache. */
enum status flush_caches(struct device *device, uint32_t first, uint32_t runs, bool dirty,
                         struct error *error)
{
    struct touched touched = {device, first, runs};
    bool by_line = device->machine.flushes_by_line;
    int cores = device->machine.cores;
    TRY(flush_make(device, error));
    if (dirty || !by_line)
        pool_run(device->pool, cores, dirty ? write_own : read_own, device);
    if (by_line)
        pool_run(device->pool, cores, evict_touched, &touched);
    return STATUS_OK;
}
