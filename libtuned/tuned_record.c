/* SPDX-FileCopyrightText: 2026 The tune authors
 * SPDX-License-Identifier: MIT
 * Records of look-ups: see tuned_record.h. This file is optional and uses only functions of
 * tuned.h.
 */
#ifndef _POSIX_C_SOURCE
/* mmap and others. NOLINTNEXTLINE(cert-dcl37-c,cert-dcl51-cpp) */
#define _POSIX_C_SOURCE 200809L
#endif
#include "tuned_record.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__GNUC__) && !defined(_WIN32) && __GCC_ATOMIC_LLONG_LOCK_FREE == 2
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define HAS_RECORDS 1
#define LOAD(AT)    __atomic_load_n(AT, __ATOMIC_ACQUIRE)
#define COUNT(AT)   (void)__atomic_fetch_add(AT, 1, __ATOMIC_RELAXED)
#else
#define HAS_RECORDS 0
#endif

enum {
    REQUESTS = 4096, /* different requests; a power of two */
    PROBES = 16,     /* places where a request may be, in two cache lines of hashes */
    SHARDS = 8       /* counters of a request: threads that count at once rarely share one */
};

/* The file. The hash of a request gives the place. */
struct tuned_record {
    char format[24];
    uint64_t byte_order, used, unused[3];
    uint64_t hashes[REQUESTS];                  /* 0: free */
    uint64_t counts[SHARDS][REQUESTS + PROBES]; /* the first behind the requests': left out */
    struct tuned_recorded requests[REQUESTS];   /* member `count`: 1 once all is written */
};

static const char format_text[24] = "tuned-record 1\n";
static const uint64_t byte_order = 0x0102030405060708u;

static void *refuse(struct tuned_error *error, int code, const char *path, const char *reason)
{
    const size_t length = strlen(path);
    if (error) {
        error->line = 0;
        error->code = code;
        snprintf(error->text, sizeof error->text, "%s: %s",
                 path + (length > TUNED_ERROR_BYTES / 2 ? length - TUNED_ERROR_BYTES / 2 : 0),
                 reason);
    }
    return NULL;
}

#if HAS_RECORDS

/* Maps the file, which is made or extended if `writes`. Returns NULL for any other file. */
static struct tuned_record *map(int file, const char *path, int writes, struct tuned_error *error)
{
    static const char zero[sizeof format_text];
    struct tuned_record *record;
    struct stat about;
    if (fstat(file, &about) != 0)
        return refuse(error, TUNED_UNREADABLE, path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return refuse(error, TUNED_UNREADABLE, path, "is not a regular file");
    if (writes &&
        about.st_size == 0) { /* reserves the disk: a full one must not stop the program */
        const int failed = posix_fallocate(file, 0, sizeof *record);
        if (failed)
            return refuse(error, TUNED_UNREADABLE, path, strerror(failed));
    } else if (about.st_size != sizeof *record) {
        return refuse(error, TUNED_DAMAGED, path, "is not a record of look-ups");
    }
    void *mapped = mmap(NULL, sizeof *record, writes ? PROT_READ | PROT_WRITE : PROT_READ,
                        writes ? MAP_SHARED : MAP_PRIVATE, file, 0);
    if (mapped == MAP_FAILED)
        return refuse(error, TUNED_UNREADABLE, path, strerror(errno));
    record = mapped;
    if (writes && memcmp(record->format, zero, sizeof zero) == 0) { /* others may write the same */
        record->byte_order = byte_order;
        memcpy(record->format, format_text, sizeof format_text);
    }
    if (memcmp(record->format, format_text, sizeof format_text) == 0 &&
        record->byte_order == byte_order)
        return record;
    (void)munmap(mapped, sizeof *record);
    return refuse(error, TUNED_FORMAT, path, "is not a record of look-ups of this libtuned");
}

static struct tuned_record *open_record(const char *path, int writes, struct tuned_error *error)
{
    const int file =
        open(path,
             writes ? O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK : O_RDONLY | O_CLOEXEC | O_NONBLOCK,
             0666);
    if (error) {
        error->code = error->line = 0;
        error->text[0] = '\0';
    }
    if (file < 0)
        return refuse(error, errno == ENOENT ? TUNED_NO_FILE : TUNED_UNREADABLE, path,
                      strerror(errno));
    struct tuned_record *record = map(file, path, writes, error);
    (void)close(file);
    return record;
}

void tuned_record_close(struct tuned_record *record)
{
    if (record)
        (void)munmap(record, sizeof *record);
}

static int is_claimed(uint64_t *at, uint64_t hash)
{
    uint64_t expected = 0;
    return __atomic_compare_exchange_n(at, &expected, hash, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* ---- counting ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Hashes a text, eight bytes at a time; apart from all else, so that a processor works on several.
 */
static uint64_t hash_text(const char *text, size_t length)
{
    uint64_t hash = length, part = 0;
    size_t i = 0;
    for (; i + sizeof part <= length; i += sizeof part) {
        memcpy(&part, text + i, sizeof part);
        hash = mix(hash, part);
    }
    if (i < length && i > 0) { /* the last eight, some of them once more */
        memcpy(&part, text + length - sizeof part, sizeof part);
        i = length;
    }
    for (; i < length; i++)
        part = part << 8 | (unsigned char)text[i];
    return mix(hash, part);
}

/* Writes a request into a claimed place, which is all zero. */
static void write_request(struct tuned_recorded *out, const struct tuned_answer *answer)
{
    out->n = answer->n;
    out->grade = (int)answer->grade;
    out->size_count = (int)answer->size_count;
    for (size_t i = 0; i < answer->size_count; i++) {
        out->sizes[i] = answer->sizes[i].size;
        memcpy(out->names[i], answer->sizes[i].name, strlen(answer->sizes[i].name));
    }
    memcpy(out->kind, answer->device->kind, strlen(answer->device->kind));
    memcpy(out->problem, answer->problem, strlen(answer->problem));
    memcpy(out->device, answer->device->name, strlen(answer->device->name));
    __atomic_store_n(&out->count, 1, __ATOMIC_RELEASE);
}

/* Returns the hash of all that distinguishes the request; 0 if a text does not fit. */
static uint64_t hash_request(const struct tuned_answer *answer)
{
    const struct tuned_recorded *const room = NULL;
    const size_t problem = strlen(answer->problem), device = strlen(answer->device->name);
    if (problem >= sizeof room->problem || device >= sizeof room->device ||
        answer->size_count >= TUNED_SIZES_MAX)
        return 0;
    uint64_t hash = mix(mix(1, (uint64_t)answer->grade), (uint64_t)answer->n);
    hash = mix(hash, hash_text(answer->problem, problem));
    hash = mix(hash, hash_text(answer->device->name, device));
    for (size_t i = 0; i < answer->size_count; i++) {
        const size_t length = strlen(answer->sizes[i].name);
        if (length >= sizeof room->names[i])
            return 0;
        hash = mix(hash, hash_text(answer->sizes[i].name, length));
        hash = mix(hash, (uint64_t)answer->sizes[i].size);
    }
    return hash ? hash : 1;
}

void tuned_record_find(void *context, const struct tuned_answer *answer)
{
    struct tuned_record *record = context;
    const struct tuned_device *device = answer->device;
    if (!record || !answer->problem || answer->n < 0 || !device || !device->name || !device->kind)
        return;
    /* Stacks of threads are more than 1 MiB apart, so that their addresses tell threads apart. */
    const unsigned shard = (unsigned)((uintptr_t)&record >> 20) % SHARDS;
    const uint64_t hash = hash_request(answer);
    for (uint64_t i = 0; hash && i < PROBES; i++) {
        const size_t at = (hash >> (i < PROBES / 2 ? 32 : 48) ^ i) % REQUESTS;
        uint64_t seen = LOAD(&record->hashes[at]);
        if (seen == 0) {
            /* Half of the places are for misses: what was found well needs no tuning. */
            if ((answer->grade >= TUNED_IN_RANGE && LOAD(&record->used) >= REQUESTS / 2) ||
                strlen(device->kind) >= sizeof record->requests[at].kind)
                break;
            if (is_claimed(&record->hashes[at], hash)) {
                COUNT(&record->used);
                write_request(&record->requests[at], answer);
            }
            seen = LOAD(&record->hashes[at]); /* another thread's, if that was faster */
        }
        if (seen == hash) {
            COUNT(&record->counts[shard][at]);
            return;
        }
    }
    COUNT(&record->counts[shard][REQUESTS]);
}

/* ---- reading ---- */

int tuned_record_next(const struct tuned_record *record, size_t *at, struct tuned_recorded *out)
{
    while (record && *at < REQUESTS) {
        const size_t place = (*at)++;
        if (LOAD(&record->hashes[place]) == 0 || !LOAD(&record->requests[place].count))
            continue;
        *out = record->requests[place];
        out->count = 0;
        for (int shard = 0; shard < SHARDS; shard++)
            out->count += LOAD(&record->counts[shard][place]);
        /* Whatever the file has, texts end and numbers are in their ranges. */
        out->problem[sizeof out->problem - 1] = out->device[sizeof out->device - 1] =
            out->kind[sizeof out->kind - 1] = '\0';
        for (int i = 0; i < TUNED_SIZES_MAX - 1; i++)
            out->names[i][sizeof out->names[i] - 1] = '\0';
        if (out->size_count >= 0 && out->size_count < TUNED_SIZES_MAX && out->grade >= TUNED_NONE &&
            out->grade <= TUNED_EXACT && out->n >= 0)
            return 1;
    }
    return 0;
}

unsigned long long tuned_record_left_out(const struct tuned_record *record)
{
    unsigned long long count = 0;
    for (int shard = 0; record && shard < SHARDS; shard++)
        count += LOAD(&record->counts[shard][REQUESTS]);
    return count;
}

#else

static struct tuned_record *open_record(const char *path, int writes, struct tuned_error *error)
{
    (void)writes, (void)byte_order, (void)format_text;
    return refuse(error, TUNED_UNREADABLE, path,
                  "records of look-ups need POSIX and 64-bit atomics");
}

void tuned_record_close(struct tuned_record *record)
{
    (void)record;
}

void tuned_record_find(void *context, const struct tuned_answer *answer)
{
    (void)context, (void)answer;
}

int tuned_record_next(const struct tuned_record *record, size_t *at, struct tuned_recorded *out)
{
    (void)record, (void)at, (void)out;
    return 0;
}

unsigned long long tuned_record_left_out(const struct tuned_record *record)
{
    (void)record;
    return 0;
}

#endif

struct tuned_record *tuned_record_open(const char *path, struct tuned_error *error)
{
    return open_record(path ? path : "", 1, error);
}

struct tuned_record *tuned_record_load(const char *path, struct tuned_error *error)
{
    return open_record(path ? path : "", 0, error);
}
