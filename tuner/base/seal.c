#include "tuner/base/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/arena.h"
#include "tuner/base/files.h"
#include "tuner/base/hash.h"

/* In native byte order, since sealed files never leave their machine. */
struct trailer {
    uint64_t magic;
    uint64_t bytes; /* size of the contents before the trailer */
    uint64_t hash;  /* hash of these contents */
};

static const uint64_t trailer_magic = UINT64_C(0x314c414553455554); /* "TUESEAL1" */

static struct trailer trailer_of(const void *data, size_t bytes)
{
    return (struct trailer){trailer_magic, bytes, hash_u64(data, bytes, trailer_magic ^ bytes)};
}

bool seal_contents(const void *data, size_t bytes, size_t *contents)
{
    struct trailer trailer = {0};
    if (bytes >= sizeof trailer)
        memcpy(&trailer, (const char *)data + bytes - sizeof trailer, sizeof trailer);
    const bool sealed = trailer.magic == trailer_magic && trailer.bytes == bytes - sizeof trailer;
    *contents = sealed ? (size_t)trailer.bytes : bytes;
    return !sealed || trailer_of(data, *contents).hash == trailer.hash;
}

enum status seal_file(const char *path, struct error *error)
{
    struct arena arena = {0};
    char *data = NULL;
    size_t bytes = 0;
    enum status status = file_read(&arena, path, SEALED_BYTES_MAX, &data, &bytes, error);
    const int file =
        status == STATUS_OK ? open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (status == STATUS_OK && file < 0)
        status = error_set_errno(error, errno, "%s", path);
    if (status == STATUS_OK) {
        const struct trailer trailer = trailer_of(data, bytes);
        const ssize_t written = write(file, &trailer, sizeof trailer);
        int failure = written < 0 ? errno : written == (ssize_t)sizeof trailer ? 0 : ENOSPC;
        if (close(file) != 0 && failure == 0)
            failure = errno;
        if (failure != 0)
            status = error_set_errno(error, failure, "%s: cannot write", path);
    }
    arena_free(&arena);
    return status;
}

enum status seal_check(const char *path, struct error *error)
{
    struct arena arena = {0};
    char *data = NULL;
    size_t bytes = 0, contents = 0;
    enum status status = file_read(&arena, path, SEALED_BYTES_MAX, &data, &bytes, error);
    if (status == STATUS_OK && (!seal_contents(data, bytes, &contents) || contents == bytes))
        status = error_set(error, STATUS_BAD_INPUT,
                           "%s: damaged; run again, it will be compiled again", path);
    arena_free(&arena);
    return status;
}
