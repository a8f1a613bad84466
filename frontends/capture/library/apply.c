/* `tune apply`: replaces launches for which tuned.conf has better ones; all others pass unchanged.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontends/capture/library/recorder.h"

struct row_state {
    _Atomic uint64_t devices_known, devices_alike; /* bits by ordinal, below 64 */
    _Atomic bool is_refused;
};
static struct {
    uint8_t *memory;
    const struct apply_row *rows;
    const char *texts;
    uint32_t count;
    struct row_state *states;
    struct apply_counts_head *head;
    struct apply_counts *counts;
} table;

static void *open_file(const char *folder, const char *name, bool is_shared, size_t *bytes)
{
    char path[PATH_MAX];
    struct stat info;
    void *memory = MAP_FAILED;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return NULL;
    const int file = open(path, (is_shared ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return NULL;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
        info.st_size > 0) {
        *bytes = (size_t)info.st_size;
        memory = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, is_shared ? MAP_SHARED : MAP_PRIVATE,
                      file, 0);
    }
    (void)close(file);
    return memory == MAP_FAILED ? NULL : memory;
}

static bool is_launch(const struct apply_launch *launch)
{
    uint64_t threads = 1;
    bool is_good = true;
    for (size_t axis = 0; axis < CAP_DIMENSIONS; axis++) {
        is_good = is_good && launch->grid[axis] >= 1 && launch->block[axis] >= 1 &&
                  launch->cluster[axis] >= 1 && launch->block[axis] <= 1024;
        threads *= is_good ? launch->block[axis] : 1;
    }
    return is_good && threads <= 1024 && launch->shared_bytes <= INT32_MAX;
}

static bool is_row(const struct apply_row *row, uint32_t text_bytes)
{
    if (row->kernel >= text_bytes || row->device >= text_bytes || !is_launch(&row->from) ||
        !is_launch(&row->to) || row->pointer_count > APPLY_POINTERS_MAX ||
        row->word_count > APPLY_WORDS_MAX)
        return false;
    for (uint32_t i = 0; i < row->pointer_count; i++)
        if (row->pointers[i] > CAP_PARAMETER_BYTES_MAX - sizeof(uint64_t))
            return false;
    for (uint32_t i = 0; i < row->word_count; i++)
        if (row->words[i] > CAP_PARAMETER_BYTES_MAX - sizeof(uint32_t))
            return false;
    return true;
}

/* Checks the table in memory and points the rows and texts into it. */
static bool is_table(const uint8_t *memory, size_t bytes)
{
    struct apply_table_head head;
    if (bytes < sizeof head)
        return false;
    memcpy(&head, memory, sizeof head);
    if (memcmp(head.magic, APPLY_MAGIC, sizeof head.magic) != 0 || head.version != APPLY_VERSION ||
        head.row_bytes != sizeof(struct apply_row) || head.row_count > APPLY_ROWS_MAX ||
        head.text_bytes < 1 || head.text_bytes > APPLY_TEXT_BYTES_MAX ||
        bytes != sizeof head + head.row_count * sizeof(struct apply_row) + head.text_bytes ||
        memory[bytes - 1] != '\0')
        return false;
    const struct apply_row *rows = (const void *)(memory + sizeof head);
    for (uint32_t i = 0; i < head.row_count; i++)
        if (!is_row(&rows[i], head.text_bytes))
            return false;
    table.rows = rows;
    table.count = head.row_count;
    table.texts = (const char *)(rows + head.row_count);
    return true;
}

/* Opens the table. The parent's table is not freed when a child reads a new one. */
bool apply_open(const char *folder)
{
    size_t bytes = 0, mapped_bytes = 0, count_bytes = 0;
    uint8_t *memory = NULL;
    const uint8_t *mapped = open_file(folder, APPLY_TABLE_NAME, false, &mapped_bytes);
    if (mapped) {
        bytes = mapped_bytes;
        memory = malloc(bytes);
        if (memory)
            memcpy(memory, mapped, bytes);
        (void)munmap((void *)(uintptr_t)mapped, mapped_bytes);
    }
    if (!memory || !is_table(memory, bytes)) {
        free(memory);
        return false;
    }
    table.states = calloc(table.count + 1, sizeof *table.states);
    void *counts = open_file(folder, APPLY_COUNTS_NAME, true, &count_bytes);
    if (!table.states || !counts ||
        count_bytes != sizeof *table.head + table.count * sizeof *table.counts) {
        if (counts)
            (void)munmap(counts, count_bytes);
        free(table.states);
        free(memory);
        return false;
    }
    table.memory = memory;
    table.head = counts;
    table.counts = (struct apply_counts *)(void *)(table.head + 1);
    (void)__atomic_fetch_add(&table.head->processes, 1, __ATOMIC_RELAXED);
    return true;
}

void apply_kernel(struct kernel *kernel)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < table.count; i++)
        count += strcmp(table.texts + table.rows[i].kernel, kernel->name) == 0;
    kernel->rows = count > 0 ? malloc(count * sizeof *kernel->rows) : NULL;
    for (uint32_t i = 0; i < table.count && kernel->rows; i++)
        if (strcmp(table.texts + table.rows[i].kernel, kernel->name) == 0)
            kernel->rows[kernel->row_count++] = i;
}

void apply_node(const struct kernel *kernel)
{
    if (kernel->row_count > 0)
        (void)__atomic_fetch_add(&table.head->graph_nodes, 1, __ATOMIC_RELAXED);
}

static void count(uint32_t row, enum apply_count what)
{
    (void)__atomic_fetch_add(&table.counts[row].count[what], 1, __ATOMIC_RELAXED);
}

/* Returns true if the launch is `from`. A cluster of 0 means none, which is one block. */
static bool is_shape(const struct apply_launch *from, const struct launch_facts *launch)
{
    for (size_t axis = 0; axis < CAP_DIMENSIONS; axis++)
        if (from->grid[axis] != launch->grid[axis] || from->block[axis] != launch->block[axis] ||
            from->cluster[axis] != (launch->cluster[axis] ? launch->cluster[axis] : 1))
            return false;
    return from->shared_bytes == launch->shared_bytes;
}

/* Comparison of a launch with a row: all numbers are as captured, or those that were equal in all
 * captured launches. */
enum likeness { EXACTLY, LOOSELY };

static bool are_numbers(const struct apply_row *row, const struct kernel *kernel,
                        const struct launch_facts *launch, enum likeness likeness)
{
    const uint32_t bytes = apply_parameter_bytes(kernel->parameters, kernel->parameter_count);
    uint8_t hash[CAP_HASH_BYTES];
    uint32_t passed = 0;
    if (!kernel->is_layout_known || bytes > CAP_PARAMETER_BYTES_MAX)
        return false;
    /* Not on the stack, which is the program's. */
    uint8_t *block = malloc(CAP_PARAMETER_BYTES_MAX + (size_t)bytes);
    bool is_same = block && launch_block(kernel, launch, block, &passed) && passed >= bytes;
    if (is_same) {
        uint8_t *numbers = block + CAP_PARAMETER_BYTES_MAX;
        apply_numbers(kernel->parameters, kernel->parameter_count, block, bytes, row->pointers,
                      row->pointer_count, numbers);
        if (likeness == LOOSELY)
            apply_blank(row->words, row->word_count, bytes, numbers);
        cap_hash(numbers, bytes, hash);
        is_same = memcmp(hash, likeness == LOOSELY ? row->others : row->numbers, sizeof hash) == 0;
    }
    free(block);
    return is_same;
}

/* Returns true if the context's device is the row's, by name, compute capability and SMs. */
static bool is_on_device(uint32_t number)
{
    const struct driver *driver = driver_get();
    const struct apply_row *row = &table.rows[number];
    struct row_state *state = &table.states[number];
    CUdevice device = 0;
    char name[256] = "";
    int major = 0, minor = 0, sm_count = 0;
    if (!driver->current_device || !driver->device_name || !driver->device_attribute ||
        driver->current_device(&device) != CUDA_SUCCESS || device < 0 || device >= 64)
        return false;
    const uint64_t bit = UINT64_C(1) << device;
    if (atomic_load(&state->devices_known) & bit)
        return (atomic_load(&state->devices_alike) & bit) != 0;
    const bool is_alike =
        driver->device_name(name, sizeof name - 1, device) == CUDA_SUCCESS &&
        driver->device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) ==
            CUDA_SUCCESS &&
        driver->device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) ==
            CUDA_SUCCESS &&
        driver->device_attribute(&sm_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device) ==
            CUDA_SUCCESS &&
        strcmp(name, table.texts + row->device) == 0 && major == row->major &&
        minor == row->minor && sm_count == row->sm_count;
    if (is_alike)
        (void)atomic_fetch_or(&state->devices_alike, bit);
    (void)atomic_fetch_or(&state->devices_known, bit);
    return is_alike;
}

/* Raises the function's limit of dynamic shared memory if the launch needs more. Returns false if
 * the driver refuses. */
static bool has_room(const struct kernel *kernel, const struct apply_launch *to)
{
    const struct driver *driver = driver_get();
    int most = 0;
    if (!kernel->function || !driver->function_attribute ||
        driver->function_attribute(&most, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                   kernel->function) != CUDA_SUCCESS)
        return false;
    return (int)to->shared_bytes <= most ||
           (driver->function_set_attribute &&
            driver->function_set_attribute(kernel->function,
                                           CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                           (int)to->shared_bytes) == CUDA_SUCCESS);
}

static void count_first(uint32_t number, enum apply_count what, enum likeness likeness)
{
    if (likeness == EXACTLY)
        count(number, what);
}

static bool is_like_row(uint32_t number, const struct kernel *kernel,
                        const struct launch_facts *launch, enum likeness likeness)
{
    const struct apply_row *row = &table.rows[number];
    if (likeness == LOOSELY && row->word_count == 0)
        return false;
    count_first(number, APPLY_NAMED, likeness);
    if (!kernel->image || memcmp(kernel->image->hash, row->image, sizeof kernel->image->hash) != 0)
        return false;
    count_first(number, APPLY_IMAGE, likeness);
    if (!is_shape(&row->from, launch))
        return false;
    count_first(number, APPLY_SHAPED, likeness);
    if (!are_numbers(row, kernel, launch, likeness))
        return false;
    count(number, APPLY_PASSED);
    if (!is_on_device(number))
        return false;
    count(number, APPLY_ON_DEVICE);
    return true;
}

/* Takes the first row that the launch is like. */
static bool find_row(const struct kernel *kernel, const struct launch_facts *launch,
                     enum likeness likeness, struct applied *out)
{
    bool is_taken = false;
    for (uint32_t i = 0; i < kernel->row_count; i++) {
        const uint32_t number = kernel->rows[i];
        const struct apply_row *row = &table.rows[number];
        if (!is_like_row(number, kernel, launch, likeness))
            continue;
        if (is_taken) {
            count(number, APPLY_SHADOWED);
            continue;
        }
        is_taken = true;
        *out = (struct applied){number, NULL};
        if (launch->entry == CAP_LAUNCH_COOPERATIVE || launch_is_capturing(launch))
            count(number, APPLY_CAPTURING);
        else if (atomic_load(&table.states[number].is_refused) ||
                 (row->to.shared_bytes > row->from.shared_bytes && !has_room(kernel, &row->to)))
            count(number, APPLY_REFUSED);
        else if (memcmp(&row->from, &row->to, sizeof row->to) != 0)
            out->to = &row->to;
        if (likeness == LOOSELY)
            break;
    }
    return is_taken;
}

bool apply_before(const struct kernel *kernel, const struct launch_facts *launch,
                  struct applied *out)
{
    const int error_number = errno;
    (void)__atomic_fetch_add(&table.head->launches, 1, __ATOMIC_RELAXED);
    const bool is_taken =
        find_row(kernel, launch, EXACTLY, out) || find_row(kernel, launch, LOOSELY, out);
    errno = error_number;
    return is_taken && out->to;
}

bool apply_config(const struct launch_facts *launch, const CUlaunchConfig *config,
                  const struct apply_launch *to, struct applied_config *out)
{
    const bool is_new_cluster = launch->cluster[0] <= 1 && launch->cluster[1] <= 1 &&
                                launch->cluster[2] <= 1 &&
                                to->cluster[0] * to->cluster[1] * to->cluster[2] > 1;
    unsigned kept = 0;
    if (launch->attribute_count >= APPLIED_ATTRIBUTES_MAX)
        return false;
    out->is = config ? *config : (CUlaunchConfig){.hStream = launch->stream};
    out->is.gridDimX = to->grid[0];
    out->is.gridDimY = to->grid[1];
    out->is.gridDimZ = to->grid[2];
    out->is.blockDimX = to->block[0];
    out->is.blockDimY = to->block[1];
    out->is.blockDimZ = to->block[2];
    out->is.sharedMemBytes = to->shared_bytes;
    if (!is_new_cluster)
        return true;
    for (unsigned i = 0; i < launch->attribute_count; i++) /* less a cluster of one block */
        if (launch->attributes[i].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            out->attributes[kept++] = launch->attributes[i];
    out->attributes[kept] = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    memcpy(&out->attributes[kept++].value.clusterDim, to->cluster, sizeof to->cluster);
    out->is.attrs = out->attributes;
    out->is.numAttrs = kept;
    return true;
}

bool apply_after(const struct applied *applied, CUresult result)
{
    int64_t none = 0;
    if (result == CUDA_SUCCESS) {
        count(applied->row, APPLY_CHANGED);
        return true;
    }
    atomic_store(&table.states[applied->row].is_refused, true);
    (void)__atomic_compare_exchange_n(&table.counts[applied->row].error, &none, (int64_t)result,
                                      false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    count(applied->row, APPLY_REFUSED);
    return false;
}
