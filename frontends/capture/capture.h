/* Captures: launches of a program, as kept by `tune capture` (frontends/capture/library/format.h
 * defines the bytes). Opening checks every pointer and index, so users of a `struct capture` may
 * follow all of them. */
#ifndef TUNE_CAPTURE_CAPTURE_H
#define TUNE_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontends/capture/library/format.h"
#include "frontends/capture/library/settings.h"
#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"

/* A process. `is` is the record as written, for the numbers; identifiers and counts are resolved.
 */
struct captured_program {
    struct cap_program is;
    const char *path;           /* path of the executable */
    const char *const *command; /* arguments, NULL behind the last */
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
    const void *data; /* is.kept_bytes bytes; NULL: none */
    const char *file; /* "": from memory */
    char hash[HASH_TEXT_BYTES];
};
struct captured_kernel {
    struct cap_kernel is;
    const struct captured_program *program;
    const struct captured_image *image; /* NULL: not known */
    const struct cap_parameter
        *parameters;  /* is.parameter_count, all within CAP_PARAMETER_BYTES_MAX */
    const char *name; /* mangled */
};
struct captured_shape {
    struct cap_shape is;
    const struct captured_kernel *kernel;
};
struct captured_content; /* content of a range of memory */
struct captured_buffer {
    struct cap_buffer is;
    const char *name;                      /* name of the variable; "": an allocation */
    const struct captured_content *before; /* is.bytes bytes; NULL: not kept */
    const struct captured_content *after;  /* NULL: not kept */
    bool changed;                          /* both are there, and differ */
};
struct captured_launch {
    struct cap_launch is;
    const struct captured_kernel *kernel;
    const struct captured_device *device; /* NULL: unknown */
    const uint8_t *parameters;            /* the parameter block as passed, is.parameter_bytes */
    const struct cap_attribute *attributes;
    const struct captured_buffer *buffers;
    const struct cap_pointer
        *pointers; /* addresses: `at` has 8 bytes in the holder, `offset` lies in the buffer */
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
    const struct captured_shape *shapes; /* shapes; those of a kernel are contiguous, in order */
    const struct captured_launch *launches;
    const struct captured_note *notes;
    size_t program_count, device_count, image_count, kernel_count, shape_count, launch_count,
        note_count;
    uint64_t file_bytes; /* unpacked */
    struct capture_file *file;
};

/* Opens a file of `tune capture`, packed or not (tuner/base/packed.h). Returns STATUS_BAD_INPUT if
 * the file is no capture, cut or damaged. capture_close frees the capture. */
enum status capture_open(const char *path, struct capture **out, struct error *error);
/* Does the same, but gives up unpacking at deadline_ns of clock_now_ns: STATUS_TIMED_OUT. */
enum status capture_open_by(const char *path, int64_t deadline_ns, struct capture **out,
                            struct error *error);
/* Opens a file that capture_join has just made, without computing the hash once more. */
enum status capture_open_own(const char *path, struct capture **out, struct error *error);
void capture_close(struct capture *capture);

/* Returns the address of the bytes from offset `first` on, which is within the content; *bytes: up
 * to the end of a block. */
const void *captured_part(const struct captured_content *content, uint64_t first, uint64_t *bytes);
/* Copies `bytes` bytes from offset `first`. Returns false and copies none if the content is
 * shorter. */
bool captured_read(const struct captured_content *content, uint64_t first, uint64_t bytes,
                   void *out);

/* Writes the kernel's name without C++ mangling: "blur" for "_ZN3app4blurIfEEvPT_i". */
void captured_plain_name(const char *name, char *out, size_t bytes);
/* Returns the instance of a template whose symbol that is, as a source names it: "app::blur<float,
 * 4>". NULL: the symbol is no instance's, or libstdc++, which reads symbols, is not installed. */
const char *instance_of_symbol(struct arena *arena, const char *symbol);
/* Appends why something is not there (enum cap_left_out), reasons joined by "; ". */
void captured_left_out(uint32_t left_out, struct text *text);

/* Joins the files of all processes in `folder` into one, with mode 0600, written beside `path` and
 * renamed. With `pack`: packed by zstd or gzip, whichever is found first, else by xz; without, the
 * largest file becomes the whole one in its place, if the writer left room for that. Records cut
 * by the end of a process are dropped. Returns STATUS_NOT_FOUND if no process wrote files, and
 * STATUS_IO if one failed to. */
enum status capture_join(const char *folder, const char *path, bool pack, struct error *error);

#endif
