/* The contents of vectors in host memory: made by many threads, or read from a file. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/experiment/series.h"
#include "tuner/worker/measure.h"

/* One thread fills a small vector in less time than others take to start. */
enum { FILLERS_MAX = 16 };
static const int64_t filler_bytes = INT64_C(8) << 20;

struct part {
    void *data;
    const struct argument *argument;
    const struct series *series; /* of FILL_SERIES */
    uint64_t first;
    uint64_t count;
    struct error error;
};

static void *fill_part(void *context)
{
    struct part *part = context;
    const struct argument *argument = part->argument;
    if (part->series)
        (void)series_fill(part->series, argument->type, part->first, part->count,
                          (char *)part->data + part->first * element_bytes(argument->type),
                          &part->error);
    else
        fill_vector(part->data, argument, part->first, part->count);
    return NULL;
}

/* Fillers run where this process might before it was pinned: nothing is timed meanwhile. */
static bool start_filler(const struct measuring *state, struct part *part, pthread_t *thread)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    bool started = pthread_attr_setaffinity_np(&attributes, sizeof state->processors,
                                               &state->processors) == 0 &&
                   pthread_create(thread, &attributes, fill_part, part) == 0;
    (void)pthread_attr_destroy(&attributes);
    return started;
}

/* The error is that of the first element that has no value. */
static enum status fill(const struct measuring *state, const struct argument *argument,
                        const struct series *series, void *data, struct error *error)
{
    pthread_t threads[FILLERS_MAX];
    struct part parts[FILLERS_MAX];
    bool started[FILLERS_MAX];
    uint64_t count = (uint64_t)argument->count;
    int64_t most = argument->count * (int64_t)element_bytes(argument->type) / filler_bytes;
    uint64_t fillers = state->processor_count < FILLERS_MAX ? (uint64_t)state->processor_count
                                                            : (uint64_t)FILLERS_MAX;
    if ((int64_t)fillers > most)
        fillers = (uint64_t)most;
    if (fillers < 1)
        fillers = 1;
    for (uint64_t i = 0; i < fillers; i++) {
        uint64_t first = count / fillers * i;
        uint64_t end = i + 1 == fillers ? count : count / fillers * (i + 1);
        parts[i] = (struct part){.data = data,
                                 .argument = argument,
                                 .series = series,
                                 .first = first,
                                 .count = end - first};
        started[i] = fillers > 1 && start_filler(state, &parts[i], &threads[i]);
    }
    for (uint64_t i = 0; i < fillers; i++)
        if (started[i])
            (void)pthread_join(threads[i], NULL);
        else
            (void)fill_part(&parts[i]);
    for (uint64_t i = 0; i < fillers; i++)
        if (parts[i].error.status != STATUS_OK) {
            *error = parts[i].error;
            return error_prefix(error, "argument '%s'", argument->name);
        }
    return STATUS_OK;
}

static enum status fill_from_series(const struct measuring *state, const struct argument *argument,
                                    void *out, struct error *error)
{
    struct series *series = NULL;
    enum status status = series_read(argument->fill_text, &series, error);
    if (status != STATUS_OK)
        return error_prefix(error, "argument '%s'", argument->name);
    status = fill(state, argument, series, out, error);
    series_free(series);
    return status;
}

static enum status read_bytes(int file, const struct argument *argument, char *out, size_t bytes,
                              struct error *error)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t got = read(file, out + done, bytes - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(error, errno, "%s: cannot read", argument->fill_text);
        if (got == 0)
            return error_set(error, STATUS_BAD_INPUT,
                             "%s: %zu bytes, argument '%s' has %zu (%lld elements of %s)",
                             argument->fill_text, done, argument->name, bytes,
                             (long long)argument->count, element_name(argument->type));
        done += (size_t)got;
    }
    return STATUS_OK;
}

static enum status fill_from_file(const struct argument *argument, void *out, struct error *error)
{
    struct stat info;
    int file = open(argument->fill_text, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return error_set_errno(error, errno, "%s: cannot open (argument '%s')", argument->fill_text,
                               argument->name);
    size_t bytes = (size_t)argument->count * element_bytes(argument->type);
    enum status status =
        fstat(file, &info) == 0 && S_ISREG(info.st_mode)
            ? read_bytes(file, argument, out, bytes, error)
            : error_set(error, STATUS_BAD_INPUT, "%s: not a regular file", argument->fill_text);
    (void)close(file);
    return status;
}

enum status host_fill(const struct measuring *state, const struct argument *argument, void *out,
                      struct error *error)
{
    if (argument->fill == FILL_SERIES)
        return fill_from_series(state, argument, out, error);
    if (argument->fill == FILL_FILE)
        return fill_from_file(argument, out, error);
    enum status status = fill(state, argument, NULL, out, error);
    vary_vector(out, argument);
    return status;
}
