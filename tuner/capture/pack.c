/* Packing by programs that everybody has: nothing of theirs is linked. */
#include <string.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/process.h"
#include "tuner/capture/internal.h"

enum { PACK_TIMEOUT_MS = 3600 * 1000, SAID_BYTES = 1000 };

/* The fastest first: a capture is read soon, and mostly of numbers that pack badly. */
static const struct packer {
    const char *program;
    const char *magic;
    const char *pack[4];
} packers[] = {
    {"zstd", "\x28\xb5\x2f\xfd", {"-q", "-3", "-T0", "-c"}},
    {"gzip", "\x1f\x8b", {"-q", "-1", "-n", "-c"}},
    {"xz", "\xfd\x37\x7a\x58\x5a", {"-q", "-1", "-T0", "-c"}},
};

const char *packer_of(const uint8_t *data, uint64_t bytes)
{
    for (size_t i = 0; i < COUNT(packers); i++)
        if (bytes > strlen(packers[i].magic) &&
            memcmp(data, packers[i].magic, strlen(packers[i].magic)) == 0)
            return packers[i].program;
    return NULL;
}

const char *packer_there(struct arena *arena)
{
    for (size_t i = 0; i < COUNT(packers); i++)
        if (program_find(arena, packers[i].program))
            return packers[i].program;
    return NULL;
}

enum status pack_run(const char *program, bool unpack, int input, int output, const char *path,
                     struct error *error)
{
    struct arena arena = {0};
    struct text said = {0};
    int code = 0;
    const char *found = program_find(&arena, program);
    const char *arguments[COUNT(packers[0].pack) + 2] = {program, "-dc"};
    for (size_t i = 0; !unpack && i < COUNT(packers); i++)
        if (strcmp(packers[i].program, program) == 0)
            memcpy(arguments + 1, packers[i].pack, sizeof packers[i].pack);
    enum status status = STATUS_OK;
    if (!found)
        status = error_set(error, STATUS_UNAVAILABLE, "%s: '%s' is needed to unpack it: install it",
                           path, program);
    else if (lseek(input, 0, SEEK_SET) < 0)
        status = error_set(error, STATUS_IO, "%s: it cannot be read from its start", path);
    if (status == STATUS_OK) {
        const struct process_request request = {.path = found,
                                                .argv = arguments,
                                                .input = input,
                                                .output_file = output,
                                                .timeout_ms = PACK_TIMEOUT_MS,
                                                .in_english = true,
                                                .output_max = SAID_BYTES};
        status = process_run(&request, &said, &code, error);
    }
    if (status == STATUS_OK && code != 0)
        status = error_set(error, unpack ? STATUS_BAD_INPUT : STATUS_IO, "%s: %s cannot %s it: %s",
                           path, program, unpack ? "unpack" : "pack", text_string(&said));
    text_free(&said);
    arena_free(&arena);
    return status;
}
