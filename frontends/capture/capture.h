/* Captures: what a program launched, as `tune capture` has kept it
 * (frontends/capture/library/format.h has the bytes). Everything is checked when one is opened, so
 * that whoever holds a `struct capture` may follow every pointer and index in it. */
#ifndef TUNE_CAPTURE_CAPTURE_H
#define TUNE_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontends/capture/library/format.h"
#include "frontends/capture/library/settings.h"
#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"

/* `is` is the record as it was written, for its numbers; identifiers and counts in it are followed
 * already. */
struct captured_program {
    struct cap_program is;
    const char *path;           /* of the executable */
    const char *const *command; /* its arguments, NULL behind the last */
    size_t command_count;
    const char *library; /* version of the recorder */
};
struct captured_device {
    struct cap_device is;
    const struct captured_program *program;
    const char *name;
};
struct captured_image {
    struct cap_image is;
    const void *data; /* is.kept_bytes of it; NULL: none */
    const char *file; /* "": from memory */
    char hash[HASH_TEXT_BYTES];
};
struct captured_kernel {
    struct cap_kernel is;
    const struct captured_program *program;
    const struct captured_image *image; /* NULL: not known */
    const struct cap_parameter
        *parameters;  /* is.parameter_count, none of them beyond CAP_PARAMETER_BYTES_MAX */
    const char *name; /* mangled */
};
struct captured_shape {
    struct cap_shape is;
    const struct captured_kernel *kernel;
};
struct captured_content; /* what lay in a range of memory */
struct captured_buffer {
    struct cap_buffer is;
    const char *name;                      /* of the variable; "": an allocation */
    const struct captured_content *before; /* is.bytes of it; NULL: not kept */
    const struct captured_content *after;  /* NULL: not kept */
    bool changed;                          /* both are there, and differ */
};
struct captured_launch {
    struct cap_launch is;
    const struct captured_kernel *kernel;
    const struct captured_device *device; /* NULL: not told */
    const uint8_t *parameters;            /* is.parameter_bytes: the block, as it is passed */
    const struct cap_attribute *attributes;
    const struct captured_buffer *buffers;
    const struct cap_pointer
        *pointers; /* `at` has 8 bytes in its holder, `offset` lies in its buffer */
};
struct captured_note {
    struct cap_note is;
    const struct captured_program *program;
    const char *text;
};

struct capture_file;
struct capture {
    const struct captured_program *programs;
    const struct captured_device *devices;
    const struct captured_image *images;
    const struct captured_kernel *kernels;
    const struct captured_shape *shapes; /* those of a kernel in their order */
    const struct captured_launch *launches;
    const struct captured_note *notes;
    size_t program_count, device_count, image_count, kernel_count, shape_count, launch_count,
        note_count;
    uint64_t file_bytes; /* unpacked */
    struct capture_file *file;
};

/* Of a file that `tune capture` wrote, packed or not (tuner/base/packed.h).
 * STATUS_BAD_INPUT where it is none, was cut or damaged. Freed by capture_close. */
enum status capture_open(const char *path, struct capture **out, struct error *error);
void capture_close(struct capture *capture);

/* Copies `bytes` from offset `first`; false, and nothing copied, where that is beyond the content.
 */
bool captured_read(const struct captured_content *content, uint64_t first, uint64_t bytes,
                   void *out);

/* The kernel's name without what C++ puts around it: "blur" of "_ZN3app4blurIfEEvPT_i". */
void captured_plain_name(const char *name, char *out, size_t bytes);
/* Appends why something is not there (enum cap_left_out), reasons joined by "; ". */
void captured_left_out(uint32_t left_out, struct text *text);

/* Makes one file of what processes wrote into `folder`, packed by zstd or gzip, whichever is
 * there first, else by xz, if `pack` says so; mode 0600, written beside its place and renamed.
 * Records that a process was killed over are left out. STATUS_NOT_FOUND: no process wrote there;
 * STATUS_IO: one tried, and could not. */
enum status capture_join(const char *folder, const char *path, bool pack, struct error *error);

#endif
