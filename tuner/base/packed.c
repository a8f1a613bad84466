#include "tuner/base/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/process.h"

enum {
    PACK_TIMEOUT_MS = 3600 * 1000,
    OUTPUT_BYTES = 1000,
    CHUNK_BYTES = 64 << 10,
    MEMORY_BYTES_MAX = 256 << 20, /* for a decoder; xz -9 takes 65 MiB */
    UNPACKED_MIN = 64 << 20,
    UNPACKED_TIMES = 200, /* recordings grow 15 times, captures at most 100 times */
};

static const struct packer {
    const char *program; /* NULL: linked library */
    const char *name;
    const char *magic;
    const char *pack[4];
} packers[] = {
    [PACKING_ZSTD] = {"zstd", "zstd", "\x28\xb5\x2f\xfd", {"-q", "-3", "-T0", "-c"}},
    [PACKING_GZIP] = {"gzip", "gzip", "\x1f\x8b", {"-q", "-1", "-n", "-c"}},
    [PACKING_XZ] = {NULL, "xz", "\xfd\x37\x7a\x58\x5a", {NULL}},
};

enum packing packing_of(int file)
{
    char first[8] = "";
    const ssize_t got = pread(file, first, sizeof first, 0);
    for (size_t i = PACKING_ZSTD; i < COUNT(packers); i++)
        if (got > (ssize_t)strlen(packers[i].magic) &&
            memcmp(first, packers[i].magic, strlen(packers[i].magic)) == 0)
            return (enum packing)i;
    return PACKING_NONE;
}

enum packing packing_here(void)
{
    struct arena arena = {0};
    enum packing found = PACKING_ZSTD;
    while (packers[found].program && !program_find(&arena, packers[found].program))
        found++;
    arena_free(&arena);
    return found;
}

static enum status too_large(const char *path, uint64_t most, struct error *error)
{
    return error_set(
        error, STATUS_BAD_INPUT,
        "%s: unpacked it is larger than %llu MiB, which is too much for its size: if you "
        "trust it, unpack it yourself",
        path, (unsigned long long)(most >> 20));
}

/* Runs the file through the coder. `most`: limit of the output's bytes. */
static enum status run_lzma(lzma_stream *stream, int input, int output, uint64_t most,
                            int64_t deadline_ns, const char *path, struct error *error)
{
    uint8_t in[CHUNK_BYTES], out[CHUNK_BYTES];
    lzma_action action = LZMA_RUN;
    lzma_ret code = LZMA_OK;
    stream->avail_in = 0;
    while (code == LZMA_OK) {
        if (stream->avail_in == 0 && action == LZMA_RUN) {
            const ssize_t got = read(input, in, sizeof in);
            if (got < 0 && errno == EINTR)
                continue;
            if (got < 0)
                return error_set_errno(error, errno, "%s: cannot read", path);
            stream->next_in = in;
            stream->avail_in = (size_t)got;
            action = got == 0 ? LZMA_FINISH : LZMA_RUN;
        }
        stream->next_out = out;
        stream->avail_out = sizeof out;
        code = lzma_code(stream, action);
        if (stream->total_out > most)
            return too_large(path, most, error);
        if (deadline_ns != 0 && clock_now_ns() >= deadline_ns)
            return error_set(error, STATUS_TIMED_OUT, "%s: not unpacked in time", path);
        const int failure = file_write(output, out, sizeof out - stream->avail_out);
        if (failure != 0)
            return error_set_errno(error, failure, "%s: no room for its unpacked content", path);
    }
    if (code == LZMA_MEM_ERROR)
        return error_no_memory(error);
    if (code == LZMA_MEMLIMIT_ERROR)
        return error_set(error, STATUS_BAD_INPUT, "%s: takes more than %d MiB of memory to unpack",
                         path, MEMORY_BYTES_MAX >> 20);
    return code == LZMA_STREAM_END
               ? STATUS_OK
               : error_set(error, STATUS_BAD_INPUT, "%s: cannot be unpacked: %s (xz)", path,
                           code == LZMA_BUF_ERROR ? "it is cut" : "it is damaged");
}

static enum status run_program(const struct packer *packer, bool unpack, int input, int output,
                               uint64_t most, int64_t deadline_ns, const char *path,
                               struct error *error)
{
    const int64_t left_ms = (deadline_ns - clock_now_ns()) / 1000000;
    struct arena arena = {0};
    struct text printed = {0};
    int code = 0;
    enum status status = STATUS_OK;
    const char *found = program_find(&arena, packer->program);
    const char *arguments[COUNT(packer->pack) + 2] = {packer->program, "-dc"};
    if (!unpack)
        memcpy(arguments + 1, packer->pack, sizeof packer->pack);
    const struct process_request request = {.path = found,
                                            .argv = arguments,
                                            .input = input,
                                            .output_file = output,
                                            .file_bytes_max = unpack ? most : 0,
                                            .timeout_ms = deadline_ns == 0 ? PACK_TIMEOUT_MS
                                                          : left_ms > 0    ? left_ms
                                                                           : 1,
                                            .in_english = true,
                                            .output_max = OUTPUT_BYTES};
    TRY_OR_CLEANUP(found ? process_run(&request, &printed, &code, error)
                         : error_set(error, STATUS_UNAVAILABLE,
                                     "%s: '%s' is needed to unpack it: install it", path,
                                     packer->program));
    if (unpack && code != 0 && lseek(output, 0, SEEK_END) >= (off_t)most)
        status = too_large(path, most, error);
    else if (code != 0)
        status =
            error_set(error, unpack ? STATUS_BAD_INPUT : STATUS_IO, "%s: %s cannot %s it: %s", path,
                      packer->program, unpack ? "unpack" : "pack", text_string(&printed));
cleanup:
    text_free(&printed);
    arena_free(&arena);
    return status;
}

enum status packed_run(enum packing packing, bool unpack, int input, int output,
                       int64_t deadline_ns, const char *path, struct error *error)
{
    const struct packer *packer = &packers[packing];
    struct stat info;
    if (fstat(input, &info) != 0 || lseek(input, 0, SEEK_SET) < 0)
        return error_set(error, STATUS_IO, "%s: it cannot be read from its start", path);
    const uint64_t most =
        unpack ? UNPACKED_MIN + (uint64_t)UNPACKED_TIMES * (uint64_t)info.st_size : UINT64_MAX;
    if (packer->program)
        return run_program(packer, unpack, input, output, most, deadline_ns, path, error);
    lzma_stream stream = LZMA_STREAM_INIT;
    const lzma_ret code = unpack ? lzma_stream_decoder(&stream, MEMORY_BYTES_MAX, LZMA_CONCATENATED)
                                 : lzma_easy_encoder(&stream, 1, LZMA_CHECK_CRC64);
    const enum status status =
        code == LZMA_OK ? run_lzma(&stream, input, output, most, deadline_ns, path, error)
                        : error_no_memory(error);
    lzma_end(&stream);
    return status;
}

enum status packed_unpack_to(const char *path, const char *out, struct error *error)
{
    struct stat info;
    const int input = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (input < 0)
        return error_set_errno(error, errno, "%s", path);
    enum packing packing = PACKING_NONE;
    if (fstat(input, &info) == 0 && S_ISREG(info.st_mode))
        packing = packing_of(input);
    const int output = open(out, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    enum status status = STATUS_OK;
    if (packing == PACKING_NONE)
        status = error_set(error, STATUS_BAD_INPUT,
                           "%s: its name says that it is packed, and it is not", path);
    else if (output < 0)
        status = error_set_errno(error, errno, "%s", out);
    else
        status = packed_run(packing, true, input, output, 0, path, error);
    file_close(output);
    file_close(input);
    return status;
}
