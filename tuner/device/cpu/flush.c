#include <stdlib.h>
#include <string.h>

#include "tuner/device/cpu/device.h"

enum { UNKNOWN_CACHE_FLUSH_BYTES = 64 << 20, LINE_BYTES = 64 };

size_t flush_bytes(const struct machine *machine, int core)
{
    int64_t bytes = machine_flush_bytes(machine, core);
    return bytes > 0 ? (size_t)bytes : UNKNOWN_CACHE_FLUSH_BYTES;
}

/* memchr for a byte that is not there: the C library's is vectorised, however tune was built. */
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

/* One for each last-level cache, shared by its cores. Pages that were never written would all be
 * one and the same page of zeros. */
enum status flush_make(struct device *device, struct error *error)
{
    int cores = device->machine.cores;
    if (device->flush)
        return STATUS_OK;
    device->flush = calloc((size_t)cores, sizeof *device->flush);
    if (!device->flush)
        return error_no_memory(error);
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

/* One store a line leaves all of it dirty. Cores that share a buffer start at different places, and
 * atomically, since they meet. */
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

/* Each core goes through all of its buffer, not only a share: its private caches are flushed too,
 * and so are those of cores that a virtual machine wrongly says to share one cache. */
enum status flush_caches(struct device *device, bool dirty, struct error *error)
{
    enum status status = flush_make(device, error);
    if (status == STATUS_OK)
        pool_run(device->pool, device->machine.cores, dirty ? write_own : read_own, device);
    return status;
}
