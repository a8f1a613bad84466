/* make_capture OUT.cap IMAGE: a capture of invented launches, as of a program on the stand-in
 * driver (tests/faults): of view_copy at two sizes, of copy_by_128 at one, of `linked`, whose
 * buffer holds an address, and of copy_elements, which writes behind its output. Complete as on a
 * GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontends/capture/capture.h"
#include "tests/unit/capture/capture_fixture.h"
#include "tuner/base/files.h"

enum { BLOCK = 128, AHEAD = 16, MOST = 50000 };
static const uint64_t from_address = UINT64_C(0x7f0000000000),
                      to_address = UINT64_C(0x7f0100000000);
static uint32_t from[MOST + AHEAD], before[MOST], after[MOST];

static struct cap_launch launch_of(uint32_t kernel, uint32_t n)
{
    return (struct cap_launch){.kernel = kernel,
                               .entry = CAP_LAUNCH_KERNEL,
                               .grid = {(n + BLOCK - 1) / BLOCK, 1, 1},
                               .block = {BLOCK, 1, 1}};
}

/* Adds view_copy, whose input begins within its buffer, or a kernel whose input begins at its start
 * and which writes `behind` elements behind its output. */
static bool add_copy(struct capture_fixture *fixture, uint32_t kernel, uint32_t n, bool by_struct,
                     uint32_t behind)
{
    const struct {
        int n, none; /* where there would be a gap, which holds anything */
        uint64_t from, to;
    } view = {(int)n, 0, from_address + sizeof(uint32_t) * AHEAD, to_address};
    const uint64_t plain[] = {from_address, to_address, n + behind};
    const uint32_t ahead = by_struct ? AHEAD : 0;
    const struct cap_pointer pointers[] = {
        {CAP_IN_PARAMETERS, 0, by_struct ? 8 : 0, (uint64_t)4 * ahead},
        {CAP_IN_PARAMETERS, 1, by_struct ? 16 : 8, 0}};
    for (uint32_t i = 0; i < n + ahead; i++)
        from[i] = i * 2654435761u + n;
    for (uint32_t i = 0; i < n; i++) {
        before[i] = i;
        after[i] = from[i + ahead];
    }
    const uint64_t from_bytes = 4 * (uint64_t)(n + ahead), to_bytes = 4 * (uint64_t)n;
    const uint32_t contents[] = {fixture_contents(fixture, from, from_bytes),
                                 fixture_contents(fixture, before, to_bytes),
                                 fixture_contents(fixture, after, to_bytes)};
    const struct cap_buffer buffers[] = {
        {.address = from_address, .bytes = from_bytes, .before = contents[0], .after = contents[0]},
        {.address = to_address, .bytes = to_bytes, .before = contents[1], .after = contents[2]}};
    return contents[0] && contents[1] && contents[2] &&
           fixture_launch(fixture, launch_of(kernel, n), by_struct ? (const void *)&view : plain,
                          24, buffers, 2, pointers, 2, "", 1);
}

/* Adds a launch with an address in a buffer that leads to the other: a replay would not have the
 * other there. */
static bool add_linked(struct capture_fixture *fixture, uint32_t kernel)
{
    const uint64_t first[] = {to_address, 0}, parameters[] = {from_address};
    const uint32_t content = fixture_contents(fixture, first, sizeof first);
    const struct cap_pointer pointers[] = {{CAP_IN_PARAMETERS, 0, 0, 0}, {0, 1, 0, 0}};
    const struct cap_buffer buffers[] = {
        {.address = from_address, .bytes = sizeof first, .before = content, .after = content},
        {.address = to_address, .bytes = sizeof first, .before = content, .after = content}};
    return content && fixture_launch(fixture, launch_of(kernel, 32), parameters, sizeof parameters,
                                     buffers, 2, pointers, 2, "", 1);
}

static bool fill(struct capture_fixture *fixture, const void *image, size_t image_bytes)
{
    static const struct cap_parameter by_struct[] = {{0, 24}}, plain[] = {{0, 8}, {8, 8}, {16, 8}},
                                      linked[] = {{0, 8}};
    const uint32_t id = fixture_image(fixture, CAP_IMAGE_OTHER, image, image_bytes);
    struct cap_kernel *kernels[] = {fixture_kernel(fixture, "view_copy", id, by_struct, 1),
                                    fixture_kernel(fixture, "copy_by_128", id, plain, 3),
                                    fixture_kernel(fixture, "linked", id, linked, 1),
                                    fixture_kernel(fixture, "copy_elements", id, plain, 3)};
    return id && kernels[0] && kernels[1] && kernels[2] && kernels[3] &&
           add_copy(fixture, kernels[0]->id, 3000, true, 0) &&
           add_copy(fixture, kernels[0]->id, 1000, true, 0) &&
           add_copy(fixture, kernels[1]->id, MOST, false, 0) &&
           add_linked(fixture, kernels[2]->id) && add_copy(fixture, kernels[3]->id, 2000, false, 4);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/tune-capture-XXXXXX";
    struct capture_fixture fixture;
    struct arena arena = {0};
    struct error error = {0};
    char *image = NULL;
    size_t bytes = 0;
    if (argc != 3 || !mkdtemp(folder) ||
        file_read(&arena, argv[2], 1 << 24, &image, &bytes, &error) != STATUS_OK ||
        !fixture_begin(&fixture, folder, 1234) || !fill(&fixture, image, bytes)) {
        fprintf(stderr, "make_capture: %s\n", error.text);
        return EXIT_FAILURE;
    }
    fixture_end(&fixture);
    const enum status status = capture_join(folder, argv[1], false, &error);
    arena_free(&arena);
    static const char *const files[] = {"1234-0.data", "1234-0.table"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
    if (status != STATUS_OK)
        fprintf(stderr, "make_capture: %s\n", error.text);
    return status == STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
