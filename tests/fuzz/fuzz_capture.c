/* Any bytes as the records of a capture, whose last one, with the hash, is added: refused with a
 * reason, or each of its kernels becomes an experiment or is refused. Reads no byte beyond the
 * file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frontends/capture/captured.h"
#include "frontends/capture/internal.h"
#include "tuner/base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Writes the file: the given bytes, to a whole number of words, and the end. */
static void write_file(int file, const uint8_t *data, size_t size)
{
    struct {
        struct cap_record_head head;
        struct cap_end end;
    } last = {.head = {CAP_END, sizeof last.end, sizeof last.end}};
    char text[HASH_TEXT_BYTES];
    const size_t bytes = size - size % CAP_ALIGN;
    last.end.bytes = bytes;
    hash_bytes(data, bytes, text);
    digest_of_text(text, last.end.hash);
    require(ftruncate(file, 0) == 0 && pwrite(file, data, bytes, 0) == (ssize_t)bytes &&
            pwrite(file, &last, sizeof last, (off_t)bytes) == (ssize_t)sizeof last);
}

static void take_kernel(const struct capture *capture, const struct captured_kernel *kernel)
{
    struct arena arena = {0};
    struct error error = {0};
    struct text text = {0};
    char plain[64];
    struct captured_set *set = arena_alloc(&arena, 1, sizeof *set);
    const struct captured_question question = {
        .capture = capture, .kernel = kernel->name, .size = "n"};
    captured_plain_name(kernel->name, plain, sizeof plain);
    require(set != NULL);
    enum status status = captured_take(&arena, &question, set, &error);
    if (status == STATUS_OK)
        status = captured_experiment(set, "k", ".", NULL, &text, &error);
    require(status == STATUS_OK ? text.length > 0 : error.text[0] != '\0');
    text_free(&text);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int file = -1;
    char path[64];
    struct error error = {0};
    struct capture *capture = NULL;
    if (file < 0)
        file = memfd_create("fuzz_capture", MFD_CLOEXEC);
    require(file >= 0);
    write_file(file, data, size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (capture_open(path, &capture, &error) != STATUS_OK) {
        require(error.text[0] != '\0');
        return 0;
    }
    for (size_t i = 0; i < capture->kernel_count; i++)
        take_kernel(capture, &capture->kernels[i]);
    capture_close(capture);
    return 0;
}
