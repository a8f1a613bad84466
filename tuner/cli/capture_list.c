/* Tables of a program's launches. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/shell.h"
#include "tuner/cli/commands.h"
#include "tuner/cli/unpack.h"
#include "tuner/terminal/rows.h"
#include "tuner/terminal/style.h"

enum { SHAPES_SHOWN = 4, NAME_BYTES = 128 };

/* A kernel with its launches by shape, the most frequent first. */
struct listed_kernel {
    const struct captured_kernel *kernel;
    const struct captured_shape **shapes;
    size_t shape_count;
};

struct launch_row {
    const char *kernel, *grid, *block, *bytes, *changes;
    int64_t launches, registers, shared_bytes, blocks_sm;
    double share, each_ns, threads; /* resident threads, of those that an SM has room for */
};
/* Columns of a table, which is all that is made of these. */
#define LAUNCH(column, member, kind, label)                                                        \
    {                                                                                              \
        NULL, column, offsetof(struct launch_row, member), MEMBER_##kind, label                    \
    }
static const struct row_member launch_members[] = {
    LAUNCH("kernel", kernel, TEXT, "Kernel"),
    LAUNCH("launches", launches, INTEGER, "Launches"),
    LAUNCH("share_percent", share, SHARE, "Share of time"),
    LAUNCH("each_ns", each_ns, REAL, "Each"),
    LAUNCH("grid", grid, TEXT, "Grid"),
    LAUNCH("block", block, TEXT, "Block"),
    LAUNCH("shared_bytes", shared_bytes, INTEGER, "Dynamic shared"),
    LAUNCH("bytes", bytes, TEXT, "Memory"),
    LAUNCH("registers", registers, INTEGER, "Registers"),
    LAUNCH("blocks_sm", blocks_sm, INTEGER, "Blocks per SM"),
    LAUNCH("threads_percent", threads, SHARE, "Occupancy"),
    LAUNCH("changes", changes, TEXT, "May change"),
};

struct kept_row {
    const char *kernel, *grid, *block, *buffers, *left_out;
    int64_t launch;
};
#define KEPT(column, member, kind, label)                                                          \
    {                                                                                              \
        NULL, column, offsetof(struct kept_row, member), MEMBER_##kind, label                      \
    }
static const struct row_member kept_members[] = {
    KEPT("launch", launch, INTEGER, "Launch"), KEPT("kernel", kernel, TEXT, "Kernel"),
    KEPT("grid", grid, TEXT, "Grid"),          KEPT("block", block, TEXT, "Block"),
    KEPT("buffers", buffers, TEXT, "Buffers"), KEPT("reason", left_out, TEXT, "Left out"),
};

static const char *extents_text(struct arena *arena, const uint32_t extents[CAP_DIMENSIONS])
{
    if (extents[2] > 1)
        return arena_printf(arena, "%u x %u x %u", extents[0], extents[1], extents[2]);
    return extents[1] > 1 ? arena_printf(arena, "%u x %u", extents[0], extents[1])
                          : arena_printf(arena, "%u", extents[0]);
}

static const char *bytes_text(struct arena *arena, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < COUNT(units); unit++)
        value /= 1024;
    return unit == 0 ? arena_printf(arena, "%llu B", (unsigned long long)bytes)
                     : arena_printf(arena, "%.*f %s", value < 9.95 ? 1 : 0, value, units[unit]);
}

static const struct captured_device *device_of(const struct capture *capture,
                                               const struct captured_shape *shape)
{
    for (size_t i = 0; i < capture->device_count; i++)
        if (capture->devices[i].program == shape->kernel->program &&
            capture->devices[i].is.ordinal == shape->is.device)
            return &capture->devices[i];
    return NULL;
}

/* Lists the launch dimensions that the kernel's image reads: "block, grid, registers". */
static const char *changes_text(struct arena *arena, const struct captured_kernel *kernel,
                                const struct captured_device *device)
{
    struct image_kernel *image = arena_alloc(arena, 1, sizeof *image);
    if (!image)
        return NULL;
    if (!read_image(kernel, device, image))
        return kernel->image && kernel->image->data ? "not known: its image cannot be read"
                                                    : "not known: its image was not seen";
    if (!image->has_ptx)
        return image->required_block[0] > 0 ? "block is compiled in" : "not known without PTX";
    const bool grid = (image->reads & IMAGE_READS_GRID) != 0;
    const bool block = (image->reads & IMAGE_READS_BLOCK) != 0 && image->required_block[0] == 0;
    return arena_printf(arena, "%s%sregisters%s", block ? "block, " : "", grid ? "grid, " : "",
                        block ? "" : "; block is compiled in");
}

static int compare_shapes(const void *a, const void *b)
{
    const struct cap_shape *x = &(*(const struct captured_shape *const *)a)->is;
    const struct cap_shape *y = &(*(const struct captured_shape *const *)b)->is;
    if (x->is_rest != y->is_rest)
        return x->is_rest ? 1 : -1;
    return x->launches < y->launches ? 1 : x->launches > y->launches ? -1 : 0;
}

static int compare_kernels(const void *a, const void *b)
{
    const struct cap_kernel *x = &((const struct listed_kernel *)a)->kernel->is;
    const struct cap_kernel *y = &((const struct listed_kernel *)b)->kernel->is;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return x->launches < y->launches ? 1 : x->launches > y->launches ? -1 : 0;
}

/* Sorts the kernels; NULL: no memory. */
static struct listed_kernel *sort_kernels(const struct capture *capture, struct arena *arena)
{
    struct listed_kernel *kernels = arena_alloc(arena, capture->kernel_count + 1, sizeof *kernels);
    const struct captured_shape **shapes =
        arena_alloc(arena, capture->shape_count + 1, sizeof(void *));
    if (!kernels || !shapes)
        return NULL;
    for (size_t i = 0; i < capture->kernel_count; i++) {
        kernels[i] = (struct listed_kernel){.kernel = &capture->kernels[i], .shapes = shapes};
        for (size_t j = 0; j < capture->shape_count; j++)
            if (capture->shapes[j].kernel == &capture->kernels[i])
                shapes[kernels[i].shape_count++] = &capture->shapes[j];
        if (kernels[i].shape_count > 0)
            qsort(kernels[i].shapes, kernels[i].shape_count, sizeof(void *), compare_shapes);
        shapes += kernels[i].shape_count;
    }
    if (capture->kernel_count > 0)
        qsort(kernels, capture->kernel_count, sizeof *kernels, compare_kernels);
    return kernels;
}

static const char *plain_name(struct arena *arena, const struct captured_kernel *kernel)
{
    char name[NAME_BYTES];
    captured_plain_name(kernel->name, name, sizeof name);
    return arena_strdup(arena, name);
}

static double mean_ns(uint64_t time_ns, uint64_t timed)
{
    return timed > 0 ? (double)time_ns / (double)timed : NAN;
}

/* Returns the time of all launches of a shape; untimed ones count as the mean of the others. */
static double whole_time_ns(const struct cap_shape *shape)
{
    return shape->timed > 0 ? mean_ns(shape->time_ns, shape->timed) * (double)shape->launches : 0;
}

/* Sums the shapes without a row of their own in one row. */
static struct launch_row others_row(const struct listed_kernel *listed, double all_ns,
                                    struct arena *arena)
{
    struct launch_row row = {.registers = -1, .shared_bytes = -1, .blocks_sm = -1, .threads = NAN};
    double time_ns = 0;
    uint64_t timed_ns = 0, timed = 0;
    for (size_t i = SHAPES_SHOWN; i < listed->shape_count; i++) {
        row.launches += (int64_t)listed->shapes[i]->is.launches;
        time_ns += whole_time_ns(&listed->shapes[i]->is);
        timed_ns += listed->shapes[i]->is.time_ns;
        timed += listed->shapes[i]->is.timed;
    }
    row.grid = arena_printf(arena, "%zu others", listed->shape_count - SHAPES_SHOWN);
    row.block = "";
    row.share = all_ns > 0 && timed > 0 ? time_ns / all_ns : NAN;
    row.each_ns = mean_ns(timed_ns, timed);
    return row;
}

static enum status print_launches(const struct capture *capture,
                                  const struct listed_kernel *kernels, struct arena *arena,
                                  struct error *error)
{
    struct launch_row *rows =
        arena_alloc(arena, capture->shape_count + capture->kernel_count + 1, sizeof *rows);
    struct rows table = {0};
    size_t count = 0;
    double all_ns = 0;
    for (size_t i = 0; i < capture->shape_count; i++)
        all_ns += whole_time_ns(&capture->shapes[i].is);
    for (size_t i = 0; rows && i < capture->kernel_count; i++) {
        const struct listed_kernel *listed = &kernels[i];
        const size_t first = count;
        for (size_t j = 0; j < listed->shape_count && j < SHAPES_SHOWN; j++) {
            const struct captured_shape *shape = listed->shapes[j];
            const struct captured_device *device = device_of(capture, shape);
            const struct cap_shape *is = &shape->is;
            const uint64_t threads = (uint64_t)is->block[0] * is->block[1] * is->block[2];
            rows[count++] = (struct launch_row){
                .launches = (int64_t)is->launches,
                .share = all_ns > 0 && is->timed > 0 ? whole_time_ns(is) / all_ns : NAN,
                .each_ns = mean_ns(is->time_ns, is->timed),
                .grid = is->is_rest ? "others" : extents_text(arena, is->grid),
                .block = is->is_rest ? "" : extents_text(arena, is->block),
                .shared_bytes = is->is_rest ? -1 : (int64_t)is->shared_bytes,
                .bytes = is->bytes > 0 ? bytes_text(arena, is->bytes) : NULL,
                .registers = -1,
                .blocks_sm = is->is_rest ? -1 : is->blocks_sm,
                .threads = device && device->is.threads_sm > 0 && is->blocks_sm >= 0 && !is->is_rest
                               ? (double)((uint64_t)is->blocks_sm * threads) / device->is.threads_sm
                               : NAN,
            };
        }
        if (listed->shape_count > SHAPES_SHOWN)
            rows[count++] = others_row(listed, all_ns, arena);
        if (count == first)
            rows[count++] = (struct launch_row){.launches = (int64_t)listed->kernel->is.launches,
                                                .grid = "",
                                                .block = "",
                                                .shared_bytes = -1,
                                                .blocks_sm = -1,
                                                .share = NAN,
                                                .each_ns = NAN,
                                                .threads = NAN};
        rows[first].kernel = plain_name(arena, listed->kernel);
        rows[first].registers = listed->kernel->is.registers;
        rows[first].changes =
            changes_text(arena, listed->kernel,
                         listed->shape_count > 0 ? device_of(capture, listed->shapes[0]) : NULL);
        for (size_t j = first + 1; j < count; j++)
            rows[j].kernel = "";
    }
    const bool good = rows && !arena->failed &&
                      rows_make_of(&table, launch_members, COUNT(launch_members), MEMBERS_FOR_TABLE,
                                   rows, sizeof *rows, count);
    if (good)
        rows_print_members(&table, 0, count, launch_members, COUNT(launch_members), false);
    rows_free(&table);
    return good ? STATUS_OK : error_no_memory(error);
}

/* "3 (24 MiB), 1 changed" */
static const char *buffers_text(struct arena *arena, const struct captured_launch *launch)
{
    uint64_t bytes = 0;
    uint32_t changed = 0;
    for (uint32_t i = 0; i < launch->is.buffer_count; i++) {
        bytes += launch->buffers[i].before ? launch->buffers[i].is.bytes : 0;
        changed += launch->buffers[i].changed;
    }
    return arena_printf(arena, "%u (%s), %u changed", launch->is.buffer_count,
                        bytes_text(arena, bytes), changed);
}

static const char *left_out_text(struct arena *arena, uint32_t left_out)
{
    struct text text = {0};
    captured_left_out(left_out, &text);
    const char *copy = left_out != 0 ? arena_strdup(arena, text_string(&text)) : NULL;
    text_free(&text);
    return copy;
}

/* Suggests the next command for the kernel that took the most time. */
static void print_next(const struct capture *capture, const struct listed_kernel *kernels,
                       const char *const *command, const char *path, struct arena *arena)
{
    struct text line = {0};
    const char *name = capture->kernel_count > 0 ? plain_name(arena, kernels[0].kernel) : NULL;
    command = command ? command : capture->programs[0].command;
    if (path && capture->launch_count > 0) {
        text_append(&line, "tune init SOURCE.cu --capture ");
        shell_append_word(&line, path);
        text_append(&line, ", or without the source: tune run --binary ");
        shell_append_word(&line, path);
    } else if (name && !path) {
        text_append(&line, "tune capture --kernel ");
        shell_append_word(&line, name);
        text_append(&line, " -o ");
        shell_append_word(&line, arena_printf(arena, "%s.cap", name));
        text_append(&line, " --");
        for (; *command; command++) {
            text_append(&line, " ");
            shell_append_word(&line, *command);
        }
    }
    if (line.length > 0 && !line.failed)
        print_clean(stdout, "\nnext: %s\n", text_string(&line));
    text_free(&line);
}

enum status capture_list(const struct capture *capture, const char *const *command,
                         const char *path, struct error *error)
{
    struct arena arena = {0};
    const struct listed_kernel *kernels = sort_kernels(capture, &arena);
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(kernels ? STATUS_OK : error_no_memory(error));
    if (capture->kernel_count == 0)
        printf("no kernel was launched\n");
    else
        TRY_OR_CLEANUP(print_launches(capture, kernels, &arena, error));
    if (capture->launch_count > 0) {
        struct kept_row *rows = arena_alloc(&arena, capture->launch_count + 1, sizeof *rows);
        struct rows table = {0};
        for (size_t i = 0; rows && i < capture->launch_count; i++) {
            const struct captured_launch *launch = &capture->launches[i];
            rows[i] = (struct kept_row){
                .launch = (int64_t)launch->is.kernel_sequence + 1,
                .kernel = plain_name(&arena, launch->kernel),
                .grid = extents_text(&arena, launch->is.grid),
                .block = extents_text(&arena, launch->is.block),
                .buffers = buffers_text(&arena, launch),
                .left_out = left_out_text(&arena, launch->is.left_out),
            };
        }
        const bool good = rows && !arena.failed &&
                          rows_make_of(&table, kept_members, COUNT(kept_members), MEMBERS_FOR_TABLE,
                                       rows, sizeof *rows, capture->launch_count);
        if (good) {
            print_clean(stdout, "\n%s kept:\n", count_text(capture->launch_count, "launch").text);
            rows_print_members(&table, 0, table.row_count, kept_members, COUNT(kept_members),
                               false);
        }
        rows_free(&table);
        TRY_OR_CLEANUP(good ? STATUS_OK : error_no_memory(error));
    }
    uint64_t nodes = 0;
    for (size_t i = 0; i < capture->kernel_count; i++)
        nodes += capture->kernels[i].is.graph_nodes;
    if (nodes > 0)
        printf("not recorded: the results of %llu of these launches: they became nodes of graphs\n",
               (unsigned long long)nodes);
    for (size_t i = 0; i < capture->note_count; i++) {
        printf("not recorded: ");
        rows_put_text(capture->notes[i].text);
        printf(" (%llu)\n", (unsigned long long)capture->notes[i].is.count);
    }
    if (command && path && capture->launch_count > 0)
        print_clean(stderr, "%s holds data of the program (%s): it is readable by you alone\n",
                    path, bytes_text(&arena, capture->file_bytes));
    else if (command && path)
        print_clean(stderr,
                    "%s: no launch was kept: no kernel of that name was launched, or --skip was "
                    "too many\n",
                    path);
    print_next(capture, kernels, command, path, &arena);
cleanup:
    arena_free(&arena);
    return status;
}
