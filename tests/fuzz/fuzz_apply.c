/* Any bytes as the plan that `tune apply` passes to a program: its launches stay unchanged, or
 * change as a plan may change them. Includes the recorder's file itself, on a silent driver. */
#include "frontends/capture/library/apply.c"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

static char folder[64];

static void require(bool holds)
{
    if (!holds)
        abort();
}

const struct driver *driver_get(void)
{
    static const struct driver none;
    return &none;
}

bool launch_is_capturing(const struct launch_facts *launch)
{
    return launch->entry == CAP_LAUNCH_COOPERATIVE;
}

/* Parameters of zeroes, as many as there may be. */
bool launch_block(const struct kernel *kernel, const struct launch_facts *launch, uint8_t *block,
                  uint32_t *bytes)
{
    (void)kernel, (void)launch;
    memset(block, 0, CAP_PARAMETER_BYTES_MAX);
    *bytes = CAP_PARAMETER_BYTES_MAX;
    return true;
}

static void clean_up(void)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/" APPLY_TABLE_NAME, folder);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/" APPLY_COUNTS_NAME, folder);
    (void)unlink(path);
    (void)rmdir(folder);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count, (void)arguments;
    (void)snprintf(folder, sizeof folder, "fuzz_apply.%ld", (long)getpid());
    require(mkdir(folder, 0700) == 0 && atexit(clean_up) == 0);
    return 0;
}

static void write_file(const char *name, const void *data, size_t bytes)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    require(file >= 0 && write(file, data, bytes) == (ssize_t)bytes);
    (void)close(file);
}

/* Makes a launch as in the row, of its kernel and image. */
static void launch_row(const struct apply_row *row)
{
    struct image image = {0};
    struct cap_parameter parameters[] = {{.bytes = 8}, {.offset = 8, .bytes = 4}};
    struct kernel kernel = {.name = (char *)(uintptr_t)(table.texts + row->kernel),
                            .image = &image,
                            .parameters = parameters,
                            .parameter_count = 2,
                            .is_layout_known = true};
    struct launch_facts launch = {.shared_bytes = row->from.shared_bytes};
    struct applied applied = {0};
    memcpy(image.hash, row->image, sizeof image.hash);
    memcpy(launch.grid, row->from.grid, sizeof launch.grid);
    memcpy(launch.block, row->from.block, sizeof launch.block);
    memcpy(launch.cluster, row->from.cluster, sizeof launch.cluster);
    apply_kernel(&kernel);
    if (apply_before(&kernel, &launch, &applied))
        require(applied.to->grid[0] >= 1 && applied.to->block[0] >= 1);
    free(kernel.rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { ROWS_MAX = 64 };
    static const char
        counts[sizeof(struct apply_counts_head) + ROWS_MAX * sizeof(struct apply_counts)];
    struct apply_table_head head;
    if (size < sizeof head)
        return 0;
    memcpy(&head, data, sizeof head);
    const size_t rows = head.row_count < ROWS_MAX ? head.row_count : ROWS_MAX;
    const size_t count_bytes =
        sizeof(struct apply_counts_head) + rows * sizeof(struct apply_counts);
    write_file(APPLY_TABLE_NAME, data, size);
    write_file(APPLY_COUNTS_NAME, counts, count_bytes);
    if (!apply_open(folder))
        return 0;
    require(table.count == rows);
    for (uint32_t i = 0; i < table.count; i++)
        launch_row(&table.rows[i]);
    (void)munmap(table.head, count_bytes);
    free(table.states);
    free(table.memory);
    return 0;
}
