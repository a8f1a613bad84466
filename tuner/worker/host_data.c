/* Contents of vectors in host memory: computed by several threads, or read from a file. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/experiment/series.h"
#include "tuner/worker/measure.h"

void *host_room(size_t bytes)
{
    static const size_t page = 2 << 20;
    const size_t whole = (bytes + page - 1) / page * page;
    if (bytes < 4 * page)
        return malloc(bytes > 0 ? bytes : 1);
    void *room = aligned_alloc(page, whole);
    if (room)
        (void)madvise(room, whole, MADV_HUGEPAGE);
    return room;
}

/* Smallest share of a thread: less is done before the thread has started. */
enum { THREADS_MAX = 16 };
static const uint64_t thread_bytes = UINT64_C(8) << 20;

struct chunk {
    host_part *work;
    void *context;
    uint64_t first;
    uint64_t count;
    struct error error;
};

static void *work_off(void *context)
{
    struct chunk *chunk = context;
    chunk->work(chunk->context, chunk->first, chunk->count, &chunk->error);
    return NULL;
}

/* Starts a thread on the processors that this process had before pinning; timing does not run
 * meanwhile. */
static bool start_thread(const struct measuring *state, struct chunk *chunk, pthread_t *thread)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    bool started = pthread_attr_setaffinity_np(&attributes, sizeof state->processors,
                                               &state->processors) == 0 &&
                   pthread_create(thread, &attributes, work_off, chunk) == 0;
    (void)pthread_attr_destroy(&attributes);
    return started;
}

enum status host_in_parts(const struct measuring *state, uint64_t count, size_t bytes_each,
                          host_part *work, void *context, struct error *error)
{
    pthread_t threads[THREADS_MAX];
    struct chunk parts[THREADS_MAX];
    bool started[THREADS_MAX];
    const uint64_t most = count * bytes_each / thread_bytes;
    uint64_t workers = state->processor_count < THREADS_MAX ? (uint64_t)state->processor_count
                                                            : (uint64_t)THREADS_MAX;
    workers = workers > most ? most : workers;
    workers = workers < 1 ? 1 : workers;
    for (uint64_t i = 0; i < workers; i++) {
        const uint64_t first = count / workers * i;
        const uint64_t end = i + 1 == workers ? count : count / workers * (i + 1);
        parts[i] =
            (struct chunk){.work = work, .context = context, .first = first, .count = end - first};
        started[i] = workers > 1 && start_thread(state, &parts[i], &threads[i]);
    }
    for (uint64_t i = 0; i < workers; i++)
        if (started[i])
            (void)pthread_join(threads[i], NULL);
        else
            (void)work_off(&parts[i]);
    for (uint64_t i = 0; i < workers; i++)
        if (parts[i].error.status != STATUS_OK) {
            *error = parts[i].error;
            return error->status;
        }
    return STATUS_OK;
}

struct host_filling {
    void *data;
    const struct argument *argument;
    const struct series *series; /* for FILL_SERIES */
};

static void fill_part(void *context, uint64_t first, uint64_t count, struct error *error)
{
    const struct host_filling *filling = context;
    const struct argument *argument = filling->argument;
    if (filling->series)
        (void)series_fill(filling->series, argument->type, first, count,
                          (char *)filling->data + first * element_bytes(argument->type), error);
    else
        fill_vector(filling->data, argument, first, count);
}

/* Fills a vector. The error is that of the first element without a value. */
static enum status fill(const struct measuring *state, const struct argument *argument,
                        const struct series *series, void *data, struct error *error)
{
    struct host_filling filling = {data, argument, series};
    enum status status = host_in_parts(state, (uint64_t)argument->count,
                                       element_bytes(argument->type), fill_part, &filling, error);
    return status == STATUS_OK ? STATUS_OK : error_prefix(error, "argument '%s'", argument->name);
}

struct host_reading {
    const struct argument *argument;
    int file;
    char *out;
};

static void read_part(void *context, uint64_t first, uint64_t count, struct error *error)
{
    const struct host_reading *reading = context;
    const uint64_t end = first + count;
    while (first < end) {
        const ssize_t got = pread(reading->file, reading->out + first, end - first, (off_t)first);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            (void)error_set_errno(error, got < 0 ? errno : EIO, "%s: cannot read",
                                  reading->argument->fill_text);
            return;
        }
        first += (uint64_t)got;
    }
}

enum status host_fill(const struct measuring *state, const struct argument *argument, void *out,
                      struct error *error)
{
    if (argument->fill == FILL_SERIES) {
        struct series *series = NULL;
        enum status status = series_read(argument->fill_text, &series, error);
        if (status != STATUS_OK)
            return error_prefix(error, "argument '%s'", argument->name);
        status = fill(state, argument, series, out, error);
        series_free(series);
        return status;
    }
    if (argument->fill != FILL_FILE) {
        enum status status = fill(state, argument, NULL, out, error);
        few_vector(out, argument);
        ends_vector(out, argument);
        vary_vector(out, argument);
        return status;
    }
    /* A file may be longer, and is read by several threads. */
    struct stat info;
    enum status status = STATUS_OK;
    struct host_reading reading = {
        argument, open(argument->fill_text, O_RDONLY | O_CLOEXEC | O_NONBLOCK), out};
    const uint64_t bytes = argument_bytes(argument);
    if (reading.file < 0)
        return error_set_errno(error, errno, "%s: cannot open (argument '%s')", argument->fill_text,
                               argument->name);
    if (fstat(reading.file, &info) != 0 || !S_ISREG(info.st_mode))
        status = error_set(error, STATUS_BAD_INPUT, "%s: not a regular file", argument->fill_text);
    else if ((uint64_t)info.st_size < bytes)
        status = error_set(error, STATUS_BAD_INPUT, "%s: %s, argument '%s' has %llu (%s of %s)",
                           argument->fill_text, count_text((uint64_t)info.st_size, "byte").text,
                           argument->name, (unsigned long long)bytes,
                           count_text((uint64_t)argument->count, "element").text,
                           element_name(argument->type));
    else
        status = host_in_parts(state, bytes, 1, read_part, &reading, error);
    (void)close(reading.file);
    return status;
}
