/* A kept launch: memory behind its parameters before and after. Meanwhile the program waits on the
 * launch's stream alone, at most PATIENCE_NS: a kernel that waits for the host would never end. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "frontends/capture/library/recorder.h"
#include "frontends/capture/library/settings.h"

enum {
    BUFFERS_MAX = 256,
    POINTERS_MAX = 1 << 16,
    QUESTIONS_MAX = 1 << 16, /* to the driver, about words of a buffer */
    PIECE_BYTES = 64 * CAP_BLOCK_BYTES,
    NAMES_BYTES_MAX = 1 << 16,
    KEYS_MAX = 1024,
    SHORT_WAIT_NS = 50000
};
static const int64_t PATIENCE_NS = INT64_C(60) * 1000000000;
/* Words this close to known buffers may be addresses, too. */
static const uint64_t NEAR_BYTES = UINT64_C(1) << 40;

struct kept {
    struct kernel *kernel;
    struct cap_launch row;
    uint8_t *block;
    struct cap_attribute *attributes;
    struct cap_buffer *buffers;
    struct range *ranges; /* range of each buffer */
    struct cap_pointer *pointers;
    char *names;
    uint8_t *piece;  /* PIECE_BYTES: where memory comes through */
    CUstream stream; /* of ours */
    CUevent event;
    CUstreamCaptureMode mode; /* the thread's own */
    uint64_t bytes;
};

/* Shapes kept already, with CAP_SIZES_VARIABLE; with recorder.keep_lock. */
static uint64_t keys[KEYS_MAX];
static uint32_t key_count;

static void release(struct kept *kept)
{
    const struct driver *driver = driver_get();
    if (!kept)
        return;
    if (kept->event && driver->event_destroy)
        (void)driver->event_destroy(kept->event);
    if (kept->stream && driver->stream_destroy)
        (void)driver->stream_destroy(kept->stream);
    if (kept->piece)
        (void)munmap(kept->piece, PIECE_BYTES);
    free(kept->block);
    free(kept->attributes);
    free(kept->buffers);
    free(kept->ranges);
    free(kept->pointers);
    free(kept->names);
    free(kept);
}

static struct kept *make(struct kernel *kernel, const struct launch_facts *launch)
{
    struct kept *kept = calloc(1, sizeof *kept);
    if (!kept)
        return NULL;
    kept->kernel = kernel;
    kept->block = calloc(1, CAP_PARAMETER_BYTES_MAX);
    kept->attributes = calloc((size_t)launch->attribute_count + 1, sizeof *kept->attributes);
    kept->buffers = calloc(BUFFERS_MAX, sizeof *kept->buffers);
    kept->ranges = calloc(BUFFERS_MAX, sizeof *kept->ranges);
    kept->pointers = calloc(POINTERS_MAX, sizeof *kept->pointers);
    kept->names = calloc(1, NAMES_BYTES_MAX);
    void *piece =
        mmap(NULL, PIECE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    kept->piece = piece == MAP_FAILED ? NULL : piece;
    if (kept->block && kept->attributes && kept->buffers && kept->ranges && kept->pointers &&
        kept->names && kept->piece)
        return kept;
    release(kept);
    return NULL;
}

/* Relaxes this thread's capture mode: the recorder's calls must not end a capture of the program.
 */
static void relax(struct kept *kept)
{
    kept->mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (driver_get()->exchange_mode)
        (void)driver_get()->exchange_mode(&kept->mode);
}

static void unrelax(struct kept *kept)
{
    if (driver_get()->exchange_mode)
        (void)driver_get()->exchange_mode(&kept->mode);
}

/* Waits until the launch's stream is empty. */
static bool wait_for(struct kept *kept, const struct launch_facts *launch)
{
    const struct driver *driver = driver_get();
    const int64_t deadline_ns = recorder_now_ns() + PATIENCE_NS;
    if (!driver->event_query || launch_event(launch, kept->event) != CUDA_SUCCESS)
        return false;
    for (;;) {
        const CUresult result = driver->event_query(kept->event);
        if (result != CUDA_ERROR_NOT_READY)
            return result == CUDA_SUCCESS;
        if (recorder_now_ns() > deadline_ns)
            return false;
        (void)nanosleep(&(struct timespec){.tv_nsec = SHORT_WAIT_NS}, NULL);
    }
}

/* Returns the index of the range's buffer, added if new; UINT32_MAX if there is no room. */
static uint32_t add_buffer(struct kept *kept, const struct range *range, const char *name)
{
    const uint32_t count = kept->row.buffer_count;
    for (uint32_t i = 0; i < count; i++)
        if (kept->ranges[i].address == range->address && kept->ranges[i].bytes == range->bytes)
            return i;
    const size_t name_bytes = name ? strlen(name) + 1 : 0;
    if (count == BUFFERS_MAX || kept->row.name_bytes + name_bytes > NAMES_BYTES_MAX) {
        kept->row.left_out |= CAP_LEFT_BUFFERS;
        return UINT32_MAX;
    }
    kept->ranges[count] = *range;
    kept->buffers[count] = (struct cap_buffer){
        .address = range->address,
        .bytes = range->bytes,
        .memory = (uint32_t)range->memory,
        .device = range->device,
        .name_offset = name ? kept->row.name_bytes : 0,
    };
    if (name) {
        memcpy(kept->names + kept->row.name_bytes, name, name_bytes);
        kept->row.name_bytes += (uint32_t)name_bytes;
    }
    if (range->bytes > recorder.settings.bytes_most - kept->bytes)
        kept->buffers[count].left_out = CAP_LEFT_TOO_LARGE;
    else
        kept->bytes += range->bytes;
    return kept->row.buffer_count++;
}

/* Adds an address found in `holder`. Returns false if no allocation contains it. */
static bool add_pointer(struct kept *kept, uint32_t holder, uint64_t at, uint64_t word)
{
    struct range range;
    uint32_t buffer = 0;
    while (buffer < kept->row.buffer_count &&
           (word < kept->ranges[buffer].address ||
            word - kept->ranges[buffer].address >= kept->ranges[buffer].bytes))
        buffer++;
    if (buffer == kept->row.buffer_count) {
        if (!memory_find(word, &range))
            return false;
        buffer = add_buffer(kept, &range, NULL);
    }
    if (buffer == UINT32_MAX)
        return true;
    if (kept->row.pointer_count == POINTERS_MAX) {
        kept->row.left_out |= CAP_LEFT_BUFFERS;
        return true;
    }
    kept->pointers[kept->row.pointer_count++] =
        (struct cap_pointer){.holder = holder,
                             .buffer = buffer,
                             .at = at,
                             .offset = word - kept->ranges[buffer].address};
    return true;
}

static void find_variables(struct kept *kept, const void *handle)
{
    const void *owner = recorder_owner(handle);
    struct variable *variable;
    (void)pthread_mutex_lock(&recorder.lock);
    for (variable = recorder.variables; variable; variable = variable->next) {
        struct range range = {
            .address = variable->address, .bytes = variable->bytes, .memory = CAP_MEMORY_VARIABLE};
        struct range there;
        if (!owner || variable->owner != owner)
            continue;
        if (memory_find(variable->address, &there))
            range.device = there.device;
        else
            range.memory = CAP_MEMORY_CONSTANT;
        (void)add_buffer(kept, &range, variable->name);
    }
    (void)pthread_mutex_unlock(&recorder.lock);
}

/* Finds words of a buffer's content that are addresses of device memory. */
static void find_in_buffer(struct kept *kept, uint32_t holder, uint64_t first, uint64_t bytes,
                           uint32_t *questions)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t i = 0; i < kept->row.buffer_count; i++) {
        low = kept->ranges[i].address < low ? kept->ranges[i].address : low;
        high = kept->ranges[i].address > high ? kept->ranges[i].address : high;
    }
    low = low > NEAR_BYTES ? low - NEAR_BYTES : 1;
    high += NEAR_BYTES;
    for (uint64_t at = 0; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, kept->piece + at, sizeof word);
        if (word < low || word > high)
            continue;
        if (++*questions > QUESTIONS_MAX) {
            kept->row.left_out |= CAP_LEFT_BUFFERS;
            return;
        }
        (void)add_pointer(kept, holder, first + at, word);
    }
}

static bool copy_piece(struct kept *kept, const struct range *range, uint64_t first, uint64_t bytes)
{
    const struct driver *driver = driver_get();
    if (range->host) {
        memcpy(kept->piece, (const char *)range->host + first, bytes);
        return true;
    }
    return driver->copy_to_host && driver->stream_synchronize &&
           driver->copy_to_host(kept->piece, (CUdeviceptr)range->address + first, bytes,
                                kept->stream) == CUDA_SUCCESS &&
           driver->stream_synchronize(kept->stream) == CUDA_SUCCESS;
}

/* Reads a buffer's content. Returns 0 and sets left_out if it cannot be kept. */
static uint32_t read_buffer(struct kept *kept, uint32_t index, bool finds_addresses)
{
    struct cap_contents contents;
    struct cap_buffer *buffer = &kept->buffers[index];
    uint32_t questions = 0, left_out = 0;
    if (!cap_contents_begin(&contents, buffer->bytes)) {
        buffer->left_out |= CAP_LEFT_MEMORY;
        return 0;
    }
    for (uint64_t first = 0; first < buffer->bytes && left_out == 0; first += PIECE_BYTES) {
        const uint64_t bytes =
            buffer->bytes - first < PIECE_BYTES ? buffer->bytes - first : PIECE_BYTES;
        if (!copy_piece(kept, &kept->ranges[index], first, bytes)) {
            left_out = CAP_LEFT_UNREADABLE;
            break;
        }
        if (finds_addresses && questions <= QUESTIONS_MAX)
            find_in_buffer(kept, index, first, bytes, &questions);
        (void)pthread_mutex_lock(&recorder.data_lock);
        if (!cap_contents_add(&recorder.writer, &contents, kept->piece, bytes))
            left_out = CAP_LEFT_WRITING;
        (void)pthread_mutex_unlock(&recorder.data_lock);
    }
    (void)pthread_mutex_lock(&recorder.data_lock);
    const uint32_t id = cap_contents_end(&recorder.writer, &contents);
    (void)pthread_mutex_unlock(&recorder.data_lock);
    if (id == 0)
        buffer->left_out |= left_out != 0 ? left_out : CAP_LEFT_WRITING;
    return id;
}

static void describe(struct kept *kept, const struct launch_facts *launch)
{
    struct cap_launch *row = &kept->row;
    CUdevice device = 0;
    memcpy(row->grid, launch->grid, sizeof row->grid);
    memcpy(row->block, launch->block, sizeof row->block);
    memcpy(row->cluster, launch->cluster, sizeof row->cluster);
    row->kernel = kept->kernel->row->id;
    row->shared_bytes = launch->shared_bytes;
    row->entry = (uint32_t)launch->entry;
    row->stream = CAP_STREAM_OTHER;
    if (launch->stream == CU_STREAM_LEGACY || (!launch->stream && !launch->is_per_thread))
        row->stream = CAP_STREAM_LEGACY;
    else if (launch->stream == CU_STREAM_PER_THREAD || !launch->stream)
        row->stream = CAP_STREAM_PER_THREAD;
    if (driver_get()->current_device && driver_get()->current_device(&device) == CUDA_SUCCESS)
        row->device = (uint32_t)device;
    for (unsigned i = 0; i < launch->attribute_count; i++) {
        kept->attributes[i].id = (uint32_t)launch->attributes[i].id;
        memcpy(kept->attributes[i].value, &launch->attributes[i].value,
               sizeof kept->attributes[i].value < sizeof launch->attributes[i].value
                   ? sizeof kept->attributes[i].value
                   : sizeof launch->attributes[i].value);
    }
    row->attribute_count = launch->attribute_count;
    row->name_bytes = 1; /* "" */
    if (!launch_block(kept->kernel, launch, kept->block, &row->parameter_bytes))
        row->left_out |= CAP_LEFT_LAYOUT;
    if (!kept->kernel->image || !kept->kernel->image->is_kept)
        row->left_out |= CAP_LEFT_IMAGE;
}

/* Returns true if a launch with equal numbers was kept before: equal shape, and equal parameters
 * except addresses. */
static bool is_known_size(const struct kept *kept)
{
    uint8_t hash[CAP_HASH_BYTES], block[CAP_PARAMETER_BYTES_MAX];
    const struct cap_launch *row = &kept->row;
    const uint32_t numbers[] = {row->kernel,     row->grid[0],    row->grid[1],     row->grid[2],
                                row->block[0],   row->block[1],   row->block[2],    row->cluster[0],
                                row->cluster[1], row->cluster[2], row->shared_bytes};
    uint64_t key = 0, parameters = 0;
    memcpy(block, kept->block, row->parameter_bytes);
    for (uint32_t i = 0; i < row->pointer_count; i++)
        if (kept->pointers[i].holder == CAP_IN_PARAMETERS)
            memset(block + kept->pointers[i].at, 0, sizeof(uint64_t));
    cap_hash(numbers, sizeof numbers, hash);
    memcpy(&key, hash, sizeof key);
    cap_hash(block, row->parameter_bytes, hash);
    memcpy(&parameters, hash, sizeof parameters);
    key ^= parameters;
    for (uint32_t i = 0; i < key_count; i++)
        if (keys[i] == key)
            return true;
    if (key_count < KEYS_MAX)
        keys[key_count++] = key;
    return false;
}

/* Returns true if contents can be kept, too. */
static bool can_read(struct kept *kept, const struct launch_facts *launch)
{
    const struct driver *driver = driver_get();
    if (launch_is_capturing(launch))
        kept->row.stream = CAP_STREAM_CAPTURING;
    if (atomic_load(&recorder.capturing) > 0 || launch->entry == CAP_GRAPH_NODE)
        kept->row.left_out |= CAP_LEFT_CAPTURING;
    else if ((kept->row.left_out & CAP_LEFT_LAYOUT) == 0 &&
             (!driver->stream_create || !driver->event_create ||
              driver->stream_create(&kept->stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||
              driver->event_create(&kept->event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS ||
              !wait_for(kept, launch)))
        kept->row.left_out |= CAP_LEFT_UNREADABLE;
    return (kept->row.left_out & (CAP_LEFT_CAPTURING | CAP_LEFT_LAYOUT | CAP_LEFT_UNREADABLE)) == 0;
}

/* ---- the end of a program that has shown its launches ---- */

extern __typeof__(pthread_create) pthread_create
    __attribute__((weak)); /* an old libc's own library */
static _Atomic int64_t kept_last_ns;

static void *end_in_time(void *unused)
{
    for (;;) {
        (void)nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
        if (pthread_mutex_trylock(&recorder.keep_lock) != 0)
            continue; /* one is being kept */
        const int64_t idle_ns = recorder_now_ns() - atomic_load(&kept_last_ns);
        (void)pthread_mutex_unlock(&recorder.keep_lock);
        if (idle_ns > (int64_t)CAP_ENOUGH_S * 1000000000) {
            (void)kill(getpid(), SIGTERM);
            return unused;
        }
    }
}

static void watch_end(void)
{
    sigset_t all, before;
    pthread_t thread;
    const bool is_first = atomic_exchange(&kept_last_ns, recorder_now_ns()) == 0;
    if (!is_first || !pthread_create)
        return;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    if (pthread_create(&thread, NULL, end_in_time, NULL) == 0)
        (void)pthread_detach(thread);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct kept *keep_before(struct kernel *kernel, const struct launch_facts *launch,
                         uint64_t sequence, uint64_t kernel_sequence)
{
    /* Launches without contents have a separate count, so that they do not displace others. */
    const bool is_node = launch->entry == CAP_GRAPH_NODE || atomic_load(&recorder.capturing) > 0;
    _Atomic uint32_t *kept_so_far = is_node ? &kernel->kept_nodes : &kernel->kept;
    uint64_t threads = is_node ? 0 : 1;
    for (size_t axis = 0; axis < CAP_DIMENSIONS; axis++)
        threads *= (uint64_t)launch->grid[axis] * launch->block[axis];
    const bool grows =
        recorder.settings.growing && threads > 2 * atomic_load(&kernel->threads_kept);
    if (kernel_sequence < recorder.settings.skip ||
        (!grows && atomic_load(kept_so_far) >= recorder.settings.keep) || recorder.writer.failed ||
        pthread_mutex_trylock(&recorder.keep_lock) != 0)
        return NULL;
    struct kept *kept = make(kernel, launch);
    if (!kept) {
        (void)pthread_mutex_unlock(&recorder.keep_lock);
        return NULL;
    }
    kept->row.sequence = sequence;
    kept->row.kernel_sequence = kernel_sequence;
    kept->row.at_ns = recorder_now_ns() - recorder.started_ns;
    describe(kept, launch);
    relax(kept);
    for (uint32_t at = 0; at + sizeof(uint64_t) <= kept->row.parameter_bytes;
         at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, kept->block + at, sizeof word);
        if (recorder_is_texture(word))
            kept->row.left_out |= CAP_LEFT_TEXTURE;
        else
            (void)add_pointer(kept, CAP_IN_PARAMETERS, at, word);
    }
    if (recorder.settings.sizes && is_known_size(kept)) {
        unrelax(kept);
        release(kept);
        (void)pthread_mutex_unlock(&recorder.keep_lock);
        return NULL;
    }
    find_variables(kept, launch->function);
    if (can_read(kept, launch)) {
        /* Buffers found while reading are appended, and read, too. */
        for (uint32_t i = 0; i < kept->row.buffer_count; i++)
            if (kept->buffers[i].left_out == 0)
                kept->buffers[i].before =
                    read_buffer(kept, i, kept->buffers[i].memory != CAP_MEMORY_CONSTANT);
    }
    unrelax(kept);
    (void)atomic_fetch_add(kept_so_far, 1);
    if (threads > atomic_load(&kernel->threads_kept))
        atomic_store(&kernel->threads_kept, threads);
    return kept;
}

void keep_after(struct kept *kept, const struct launch_facts *launch, CUresult result)
{
    struct cap_launch *row = &kept->row;
    const bool was_read =
        (row->left_out & (CAP_LEFT_CAPTURING | CAP_LEFT_LAYOUT | CAP_LEFT_UNREADABLE)) == 0;
    row->result = (int32_t)result;
    relax(kept);
    if (was_read && (result != CUDA_SUCCESS || !wait_for(kept, launch)))
        row->left_out |= CAP_LEFT_AFTER;
    for (uint32_t i = 0; was_read && (row->left_out & CAP_LEFT_AFTER) == 0 && i < row->buffer_count;
         i++)
        if (kept->buffers[i].before != 0)
            kept->buffers[i].after = read_buffer(kept, i, false);
    unrelax(kept);
    for (uint32_t i = 0; i < row->buffer_count; i++)
        row->left_out |= kept->buffers[i].left_out;
    const struct cap_part parts[] = {
        {kept->block, row->parameter_bytes},
        {kept->attributes, row->attribute_count * sizeof *kept->attributes},
        {kept->buffers, row->buffer_count * sizeof *kept->buffers},
        {kept->pointers, row->pointer_count * sizeof *kept->pointers},
        {kept->names, row->name_bytes},
    };
    (void)pthread_mutex_lock(&recorder.data_lock);
    const bool good = cap_write(&recorder.writer, CAP_LAUNCH, row, sizeof *row, parts,
                                sizeof parts / sizeof *parts);
    cap_writer_rest(&recorder.writer);
    (void)pthread_mutex_unlock(&recorder.data_lock);
    if (good)
        (void)__atomic_fetch_add(&kept->kernel->row->kept, 1, __ATOMIC_RELAXED);
    release(kept);
    if (good && recorder.settings.growing)
        watch_end();
    (void)pthread_mutex_unlock(&recorder.keep_lock);
    if (!good)
        recorder_note(CAP_NOTE_DISK);
}
