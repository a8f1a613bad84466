/* Captures for tests, written by the code that writes them in programs. One process; capture_join
 * makes a file of the folder. */
#ifndef TUNE_TESTS_CAPTURE_FIXTURE_H
#define TUNE_TESTS_CAPTURE_FIXTURE_H

#include <string.h>

#include "frontends/capture/library/writer.h"

struct capture_fixture {
    struct cap_table table;
    struct cap_writer writer;
    uint32_t kernels;
};

/* Whether files have room for the table's records in front, as those of drafts. */
static bool fixture_has_room;

/* Begins a capture with a program "app --size 3" in it, and a device 0. */
static inline bool fixture_begin(struct capture_fixture *fixture, const char *folder, long pid)
{
    static const char command[] = "app\0--size\0003", path[] = "/opt/app", library[] = "0.1.0",
                      device[] = "Test GPU";
    char data_path[PATH_MAX];
    const struct cap_program program = {.pid = pid,
                                        .parent_pid = 1,
                                        .started_ns = 1000,
                                        .driver_version = 13000,
                                        .path_bytes = sizeof path,
                                        .command_bytes = sizeof command,
                                        .library_bytes = sizeof library};
    const struct cap_part parts[] = {
        {path, sizeof path}, {command, sizeof command}, {library, sizeof library}};
    const struct cap_device gpu = {.name_bytes = sizeof device, .major = 9, .sm_count = 132};
    const struct cap_part name = {device, sizeof device};
    *fixture = (struct capture_fixture){.kernels = 0};
    if (!cap_table_open(&fixture->table, folder, pid, data_path))
        return false;
    cap_writer_start(&fixture->writer, data_path, fixture_has_room);
    return cap_table_add(&fixture->table, CAP_PROGRAM, &program, sizeof program, parts, 3) &&
           cap_write(&fixture->writer, CAP_DEVICE, &gpu, sizeof gpu, &name, 1);
}

static inline uint32_t fixture_image(struct capture_fixture *fixture, enum cap_image_kind kind,
                                     const void *data, size_t bytes)
{
    struct cap_image image = {.id = fixture->writer.images + 1,
                              .kind = kind,
                              .bytes = bytes,
                              .kept_bytes = bytes,
                              .file_bytes = 1};
    const struct cap_part parts[] = {{data, bytes}, {"", 1}};
    cap_hash(data, bytes, image.hash);
    return cap_write(&fixture->writer, CAP_IMAGE, &image, sizeof image, parts, 2)
               ? ++fixture->writer.images
               : 0;
}

static inline struct cap_kernel *fixture_kernel(struct capture_fixture *fixture, const char *name,
                                                uint32_t image,
                                                const struct cap_parameter *parameters,
                                                uint32_t count)
{
    const struct cap_kernel kernel = {.id = ++fixture->kernels,
                                      .image = image,
                                      .parameter_count = count,
                                      .is_layout_known = 1,
                                      .name_bytes = (uint32_t)strlen(name) + 1,
                                      .registers = 32,
                                      .threads_most = 1024};
    const struct cap_part parts[] = {{parameters, count * sizeof *parameters},
                                     {name, strlen(name) + 1}};
    return cap_table_add(&fixture->table, CAP_KERNEL, &kernel, sizeof kernel, parts, 2);
}

static inline bool fixture_shape(struct capture_fixture *fixture, uint32_t kernel, uint32_t grid,
                                 uint32_t block, uint64_t launches)
{
    const struct cap_shape shape = {.kernel = kernel,
                                    .grid = {grid, 1, 1},
                                    .block = {block, 1, 1},
                                    .blocks_sm = -1,
                                    .launches = launches};
    return cap_table_add(&fixture->table, CAP_SHAPE, &shape, sizeof shape, NULL, 0) != NULL;
}

static inline uint32_t fixture_contents(struct capture_fixture *fixture, const void *data,
                                        uint64_t bytes)
{
    struct cap_contents contents;
    if (!cap_contents_begin(&contents, bytes))
        return 0;
    (void)cap_contents_add(&fixture->writer, &contents, data, bytes);
    return cap_contents_end(&fixture->writer, &contents);
}

/* Writes a launch. `launch` has its numbers; the counts are filled in. `names` begins with "" (its
 * NUL). */
static inline bool fixture_launch(struct capture_fixture *fixture, struct cap_launch launch,
                                  const void *parameters, uint32_t parameter_bytes,
                                  const struct cap_buffer *buffers, uint32_t buffer_count,
                                  const struct cap_pointer *pointers, uint32_t pointer_count,
                                  const char *names, uint32_t name_bytes)
{
    launch.parameter_bytes = parameter_bytes;
    launch.buffer_count = buffer_count;
    launch.pointer_count = pointer_count;
    launch.name_bytes = name_bytes;
    const struct cap_part parts[] = {{parameters, parameter_bytes},
                                     {NULL, 0},
                                     {buffers, buffer_count * sizeof *buffers},
                                     {pointers, pointer_count * sizeof *pointers},
                                     {names, name_bytes}};
    return cap_write(&fixture->writer, CAP_LAUNCH, &launch, sizeof launch, parts, 5);
}

/* Ends the capture: the records lie in the folder as at the end of the process. */
static inline void fixture_end(struct capture_fixture *fixture)
{
    cap_writer_end(&fixture->writer);
}

#endif
