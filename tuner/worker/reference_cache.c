/* Reference results in the cache: <hash>.ref holds a header, a hash for each part of the data, and
 * the data. Several threads read, write and verify the parts. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/files.h"
#include "tuner/base/pack.h"
#include "tuner/base/seal.h"
#include "tuner/base/temporary.h"
#include "tuner/worker/cache.h"
#include "tuner/worker/measure.h"
#include "tuner/worker/reference.h"

/* A result computed in less time is recomputed as quickly as read; one larger than this share of
 * the cache would evict everything else. */
static const int64_t worth_ns = 20000000;
enum { SHARE = 8 };
static const size_t part_bytes = 4 << 20;
/* Incremented whenever the format changes. */
static const char version[] = "reference 2";

struct header {
    char version[sizeof version];
    uint64_t bytes, differing, flat;
    double magnitude;
    int64_t made_ns;
    uint64_t hash; /* hash of the parts' hashes */
};

/* A cache file and the data. */
struct kept {
    int file;
    unsigned char *data;
    size_t bytes;
    size_t part_count;
    uint64_t *hashes; /* one per part */
    bool reads;
};

/* ---- the hash ---- */

enum status reference_hash(const char *path, const char *name, const struct launch_plan *plan,
                           size_t output, bool magnitudes, bool differs, char hash[HASH_TEXT_BYTES],
                           struct error *error)
{
    struct arena arena = {0};
    struct hash_state *state = hash_start();
    char *code = NULL;
    size_t length = 0;
    enum status status = STATUS_OK;
    TRY_MEMORY(state);
    TRY_OR_CLEANUP(file_read(&arena, path, SEALED_BYTES_MAX, &code, &length, error));
    hash_add_string(state, version);
    hash_add(state, code, length);
    hash_add_string(state, name);
    hash_add(state, &output, sizeof output);
    hash_add(state, &magnitudes, sizeof magnitudes);
    hash_add(state, &differs, sizeof differs);
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        unsigned char value[VALUE_BYTES_MAX] = {0};
        struct stat info;
        size_t bytes = 0;
        struct {
            uint64_t role, type, count, contents, file[3];
        } parts = {
            .role = argument->role, .type = argument->type, .count = (uint64_t)argument->count};
        if (!role_is_vector(argument->role)) {
            TRY_OR_CLEANUP(argument_pack(argument, value, &bytes, error));
        } else if (role_is_filled(argument->role)) {
            parts.contents = argument_contents(argument);
            if (argument->fill == FILL_FILE && stat(argument->fill_text, &info) == 0) {
                parts.file[0] = (uint64_t)info.st_size;
                parts.file[1] = (uint64_t)info.st_ino;
                parts.file[2] =
                    (uint64_t)info.st_mtim.tv_sec * 1000000000 + (uint64_t)info.st_mtim.tv_nsec;
            }
        }
        hash_add(state, &parts, sizeof parts);
        hash_add(state, value, bytes);
    }
cleanup:
    hash_finish(state, hash);
    arena_free(&arena);
    return status;
}

/* ---- the file ---- */

static size_t data_at(const struct kept *kept)
{
    return sizeof(struct header) + kept->part_count * sizeof *kept->hashes;
}

/* Reads from the file, or writes there. */
static bool pass(int file, bool reads, void *data, size_t bytes, size_t at)
{
    for (size_t done = 0; done < bytes;) {
        char *rest = (char *)data + done;
        const off_t place = (off_t)(at + done);
        const ssize_t passed = reads ? pread(file, rest, bytes - done, place)
                                     : pwrite(file, rest, bytes - done, place);
        if (passed <= 0)
            return false;
        done += (size_t)passed;
    }
    return true;
}

static void pass_parts(void *context, uint64_t first, uint64_t count, struct error *error)
{
    const struct kept *kept = context;
    bool whole = true;
    for (uint64_t i = first; whole && i < first + count; i++) {
        unsigned char *part = kept->data + i * part_bytes;
        const size_t rest_bytes = kept->bytes - i * part_bytes;
        const size_t bytes = rest_bytes < part_bytes ? rest_bytes : part_bytes;
        const size_t at = data_at(kept) + i * part_bytes;
        if (kept->reads && !pass(kept->file, true, part, bytes, at))
            whole = false;
        const uint64_t hash = whole ? hash_u64(part, bytes, i) : 0;
        if (kept->reads)
            whole = whole && hash == kept->hashes[i];
        else
            whole = pass(kept->file, false, part, bytes, at);
        if (!kept->reads)
            kept->hashes[i] = hash;
    }
    if (!whole)
        (void)error_set(error, STATUS_BAD_INPUT, "a stored reference result is incomplete");
}

static struct kept entry_of(int file, const void *data, size_t bytes, bool reads)
{
    struct kept out = {.file = file, .bytes = bytes, .reads = reads};
    memcpy(&out.data, &data, sizeof out.data); /* written only if `reads` */
    out.part_count = (bytes + part_bytes - 1) / part_bytes;
    out.hashes = calloc(out.part_count + 1, sizeof *out.hashes);
    return out;
}

static const char *place_of(struct arena *arena, const char *hash)
{
    const char *folder = NULL;
    struct error ignored = {0};
    return cache_folder(arena, &folder, &ignored) == STATUS_OK
               ? arena_printf(arena, "%s/%s.ref", folder, hash)
               : NULL;
}

/* Reads the header and allocates the data. */
static bool read_header(int file, struct reference_result *out, struct header *header)
{
    if (!pass(file, true, header, sizeof *header, 0) ||
        memcmp(header->version, version, sizeof version) != 0 || header->differing > out->count)
        return false;
    out->flat = header->flat != 0;
    out->magnitude = header->magnitude;
    out->differing = header->differing;
    out->made_ns = header->made_ns;
    if (header->bytes != reference_bytes(out))
        return false;
    out->room = host_room(header->bytes);
    return out->room != NULL;
}

bool reference_recall(const struct measuring *state, const char *hash, struct reference_result *out)
{
    struct arena arena = {0};
    struct error ignored = {0};
    struct header header;
    struct stat info;
    struct kept kept = {0};
    const char *path = place_of(&arena, hash);
    const int file = path ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    out->room = NULL;
    bool whole = file >= 0 && read_header(file, out, &header);
    if (whole)
        kept = entry_of(file, out->room, header.bytes, true);
    whole =
        whole && kept.hashes && fstat(file, &info) == 0 &&
        (size_t)info.st_size == data_at(&kept) + header.bytes &&
        pass(file, true, kept.hashes, kept.part_count * sizeof *kept.hashes, sizeof header) &&
        hash_u64(kept.hashes, kept.part_count * sizeof *kept.hashes, 0) == header.hash &&
        host_in_parts(state, kept.part_count, part_bytes, pass_parts, &kept, &ignored) == STATUS_OK;
    if (whole)
        (void)futimens(file, NULL); /* counts as used now */
    else if (file >= 0)
        (void)unlink(path);
    file_close(file);
    if (!whole) {
        free(out->room);
        out->room = NULL;
        out->differing = 0;
        out->flat = false;
    }
    free(kept.hashes);
    arena_free(&arena);
    return whole;
}

bool reference_has_room(size_t bytes)
{
    struct error ignored = {0};
    int64_t limit = 0;
    return cache_limit(&limit, &ignored) == STATUS_OK && bytes <= (uint64_t)limit / SHARE;
}

void reference_store(const struct measuring *state, const char *hash,
                     const struct reference_result *result)
{
    struct arena arena = {0};
    struct error ignored = {0};
    struct temporary fresh;
    const size_t bytes = reference_bytes(result);
    const char *path = result->made_ns >= worth_ns ? place_of(&arena, hash) : NULL;
    if (path && reference_has_room(bytes) &&
        temporary_file_make(path, &fresh, &ignored) == STATUS_OK) {
        struct header header = {.bytes = bytes,
                                .differing = result->differing,
                                .flat = result->flat,
                                .magnitude = result->magnitude,
                                .made_ns = result->made_ns};
        struct kept kept = entry_of(fresh.file, result->room, bytes, false);
        const size_t table_bytes = kept.part_count * sizeof *kept.hashes;
        memcpy(header.version, version, sizeof version);
        bool whole = kept.hashes && host_in_parts(state, kept.part_count, part_bytes, pass_parts,
                                                  &kept, &ignored) == STATUS_OK;
        header.hash = whole ? hash_u64(kept.hashes, table_bytes, 0) : 0;
        whole = whole && pass(fresh.file, false, kept.hashes, table_bytes, sizeof header) &&
                pass(fresh.file, false, &header, sizeof header, 0);
        if (!whole || rename(fresh.path, path) != 0)
            (void)unlink(fresh.path);
        (void)close(fresh.file);
        free(kept.hashes);
    }
    arena_free(&arena);
}
