#include "frontends/capture/library/recorder.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "frontends/capture/library/name.h"
#include "frontends/capture/library/settings.h"

struct recorder recorder = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .data_lock = PTHREAD_MUTEX_INITIALIZER,
    .keep_lock = PTHREAD_MUTEX_INITIALIZER,
};

/* Map from a driver's handle. Reads take no lock, writes take recorder.lock: a key stays, its value
 * becomes NULL. */
enum {
    SLOTS = 1 << 16,
    DEVICES_MAX = 64,
    NAME_BYTES_MAX = 60000,
    TEXTURES_MAX = 256,
    IMAGE_BYTES_MAX = 256 << 20
};
struct slot {
    const void *_Atomic key;
    void *_Atomic value;
};
struct map {
    struct slot *_Atomic slots;
    size_t count;
};
struct origin {
    const void *owner;
    bool is_kernel;
    char name[]; /* "": not known */
};
static struct map kernels_by_handle; /* struct kernel */
static struct map origins;           /* struct origin */
static struct map images;            /* struct image, by module or library */
static struct kernel *all_kernels;
static struct image *written_images;
static uint32_t kernel_count;
static bool device_is_known[DEVICES_MAX];
static struct cap_program *program_row;
static struct cap_note *notes[CAP_NOTE_KINDS];
static uint64_t _Atomic textures[TEXTURES_MAX];

static size_t first_slot(const void *key)
{
    return (size_t)((uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 48);
}

static void *map_get(struct map *map, const void *key)
{
    struct slot *slots = atomic_load_explicit(&map->slots, memory_order_acquire);
    for (size_t i = first_slot(key); slots; i = (i + 1) % SLOTS) {
        const void *there = atomic_load_explicit(&slots[i].key, memory_order_acquire);
        if (there == key)
            return atomic_load_explicit(&slots[i].value, memory_order_acquire);
        if (!there)
            break;
    }
    return NULL;
}

static bool map_put(struct map *map, const void *key, void *value)
{
    struct slot *slots = atomic_load(&map->slots);
    if (!slots) {
        void *memory = mmap(NULL, SLOTS * sizeof *slots, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return false;
        slots = memory;
        atomic_store_explicit(&map->slots, slots, memory_order_release);
    }
    for (size_t i = first_slot(key);; i = (i + 1) % SLOTS) {
        const void *there = atomic_load(&slots[i].key);
        if (there && there != key)
            continue;
        if (!there && map->count >= SLOTS / 2)
            return false;
        map->count += !there;
        atomic_store_explicit(&slots[i].value, value, memory_order_release);
        atomic_store_explicit(&slots[i].key, key, memory_order_release);
        return true;
    }
}

/* ---- the process ---- */

static uint64_t number(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static void read_settings(void)
{
    const char *folder = getenv(CAP_FOLDER_VARIABLE), *pattern = getenv(CAP_KERNEL_VARIABLE);
    const char *applied = getenv(CAP_APPLY_FOLDER_VARIABLE), *word = getenv(CAP_APPLY_VARIABLE);
    const bool applies = applied && *applied;
    if (applies)
        folder = word && strcmp(word, "off") == 0 ? NULL : applied;
    /* Copies, because a program may change its environment. */
    recorder.settings = (struct settings){
        .folder = folder && *folder ? strdup(folder) : NULL,
        .pattern = pattern && *pattern ? strdup(pattern) : NULL,
        .keep = (uint32_t)number(CAP_KEEP_VARIABLE, 1),
        .skip = (uint32_t)number(CAP_SKIP_VARIABLE, 0),
        .sizes = number(CAP_SIZES_VARIABLE, 0) != 0,
        .growing = number(CAP_GROWING_VARIABLE, 0) != 0,
        .times = number(CAP_TIMES_VARIABLE, 0) != 0,
        .applies = applies,
        .bytes_most = number(CAP_MAX_BYTES_VARIABLE, UINT64_C(2) << 30),
    };
}

static void write_program(void)
{
    struct timespec now;
    static char path[PATH_MAX], command[65536];
    const ssize_t path_bytes = readlink("/proc/self/exe", path, sizeof path - 1);
    const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t command_bytes = file >= 0 ? read(file, command, sizeof command - 1) : 0;
    if (file >= 0)
        (void)close(file);
    path[path_bytes > 0 ? path_bytes : 0] = '\0';
    command_bytes = command_bytes > 0 ? command_bytes : 0;
    if (command_bytes > 0 && command[command_bytes - 1] != '\0')
        command[command_bytes++] = '\0';
    (void)clock_gettime(CLOCK_REALTIME, &now);
    recorder.started_ns = recorder_now_ns();
    const struct cap_program program = {
        .pid = getpid(),
        .parent_pid = getppid(),
        .started_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec,
        .path_bytes = (uint32_t)strlen(path) + 1,
        .command_bytes = (uint32_t)command_bytes,
        .library_bytes = sizeof TUNE_VERSION,
    };
    const struct cap_part parts[] = {{path, program.path_bytes},
                                     {command, program.command_bytes},
                                     {TUNE_VERSION, sizeof TUNE_VERSION}};
    program_row = cap_table_add(&recorder.table, CAP_PROGRAM, &program, sizeof program, parts, 3);
}

bool recorder_begins(void)
{
    int is_on = atomic_load_explicit(&recorder.is_on, memory_order_acquire);
    if (is_on != 0)
        return is_on > 0;
    (void)pthread_mutex_lock(&recorder.lock);
    is_on = atomic_load(&recorder.is_on);
    if (is_on == 0) {
        char data_path[PATH_MAX];
        if (!recorder.settings.folder)
            read_settings();
        is_on = -1;
        if (recorder.settings.applies) {
            recorder.table.failed = true; /* stops further additions */
            is_on = recorder.settings.folder && apply_open(recorder.settings.folder) ? 1 : -1;
        } else if (recorder.settings.folder &&
                   cap_table_open(&recorder.table, recorder.settings.folder, (long)getpid(),
                                  data_path)) {
            cap_writer_start(&recorder.writer, data_path, recorder.settings.growing);
            write_program();
            is_on = program_row ? 1 : -1;
        }
        atomic_store_explicit(&recorder.is_on, is_on, memory_order_release);
    }
    (void)pthread_mutex_unlock(&recorder.lock);
    return is_on > 0;
}

static void lock_all(void)
{
    times_lock();
    (void)pthread_mutex_lock(&recorder.keep_lock);
    (void)pthread_mutex_lock(&recorder.lock);
    (void)pthread_mutex_lock(&recorder.data_lock);
}

static void unlock_all(void)
{
    (void)pthread_mutex_unlock(&recorder.data_lock);
    (void)pthread_mutex_unlock(&recorder.lock);
    (void)pthread_mutex_unlock(&recorder.keep_lock);
    times_unlock();
}

/* Starts a child's recording after fork. The files and counts belong to the parent: a child gets
 * its own with the first launch. The parent's memory is not freed: most children soon exit or exec.
 */
static void begin_anew(void)
{
    unlock_all();
    cap_writer_end(&recorder.writer);
    kernels_by_handle = origins = images = (struct map){.count = 0};
    all_kernels = NULL;
    written_images = NULL;
    kernel_count = 0;
    program_row = NULL;
    recorder.variables = NULL;
    memset(device_is_known, 0, sizeof device_is_known);
    memset(notes, 0, sizeof notes);
    atomic_store(&recorder.sequence, 0);
    atomic_store(&recorder.capturing, 0);
    times_forget();
    atomic_store(&recorder.is_on, 0);
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(lock_all, unlock_all, begin_anew);
}

void recorder_note(enum cap_note_kind kind)
{
    static const char *const texts[CAP_NOTE_KINDS] = {
        [CAP_NOTE_GRAPH] =
            "launches of graphs: the kernels in them were counted when they were added",
        [CAP_NOTE_DEEPBIND] =
            "libraries opened with RTLD_DEEPBIND: their own launches were not seen",
        [CAP_NOTE_MULTI_DEVICE] = "launches over several devices at once are not recorded",
        [CAP_NOTE_DISK] = "a launch was not kept: the disk is full, or its file cannot be written",
    };
    if (!recorder_begins() || recorder.settings.applies)
        return;
    (void)pthread_mutex_lock(&recorder.lock);
    const struct cap_note note = {.kind = kind, .text_bytes = (uint32_t)strlen(texts[kind]) + 1};
    const struct cap_part part = {texts[kind], note.text_bytes};
    if (!notes[kind])
        notes[kind] = cap_table_add(&recorder.table, CAP_NOTE, &note, sizeof note, &part, 1);
    struct cap_note *row = notes[kind];
    (void)pthread_mutex_unlock(&recorder.lock);
    if (row)
        (void)__atomic_fetch_add(&row->count, 1, __ATOMIC_RELAXED);
}

void recorder_device(CUdevice device)
{
    const struct driver *driver = driver_get();
    if (device < 0 || device >= DEVICES_MAX || device_is_known[device])
        return;
    struct cap_device row = {.ordinal = (uint32_t)device};
    const struct {
        int32_t *number;
        CUdevice_attribute attribute;
    } numbers[] = {
        {&row.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
        {&row.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
        {&row.sm_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
        {&row.l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
        {&row.shared_bytes_sm, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
        {&row.shared_bytes_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
        {&row.shared_bytes_optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
        {&row.registers_sm, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR},
        {&row.threads_sm, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
        {&row.blocks_sm, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
    };
    char name[256] = "";
    size_t memory_bytes = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && driver->device_attribute; i++)
        (void)driver->device_attribute(numbers[i].number, numbers[i].attribute, device);
    if (driver->device_name)
        (void)driver->device_name(name, sizeof name, device);
    if (driver->device_uuid)
        (void)driver->device_uuid((CUuuid *)(void *)row.uuid, device);
    if (driver->device_memory)
        (void)driver->device_memory(&memory_bytes, device);
    row.memory_bytes = memory_bytes;
    name[sizeof name - 1] = '\0';
    row.name_bytes = (uint32_t)strlen(name) + 1;
    const struct cap_part part = {name, row.name_bytes};
    device_is_known[device] =
        cap_table_add(&recorder.table, CAP_DEVICE, &row, sizeof row, &part, 1) != NULL;
    if (driver->get_version)
        (void)driver->get_version(&program_row->driver_version);
}

/* ---- handles ---- */

/* Sets a handle's origin. The caller holds recorder.lock. */
static void set_origin(const void *handle, const void *owner, const char *name, bool is_kernel)
{
    const struct origin *known = map_get(&origins, handle);
    const size_t bytes = name ? strlen(name) + 1 : 1;
    if (known && known->owner == owner && (!name || strcmp(known->name, name) == 0))
        return;
    struct origin *origin = malloc(sizeof *origin + bytes);
    if (!origin)
        return;
    *origin = (struct origin){.owner = owner, .is_kernel = is_kernel};
    memcpy(origin->name, name ? name : "", bytes);
    if (!map_put(&origins, handle, origin))
        free(origin);
    (void)map_put(&kernels_by_handle, handle, NULL);
}

void recorder_handle(const void *handle, const void *owner, const char *name, bool is_kernel)
{
    if (!handle || !recorder_begins())
        return;
    (void)pthread_mutex_lock(&recorder.lock);
    set_origin(handle, owner, name, is_kernel);
    (void)pthread_mutex_unlock(&recorder.lock);
}

const void *recorder_owner(const void *handle)
{
    const struct origin *origin = map_get(&origins, handle);
    return origin ? origin->owner : NULL;
}

void recorder_function_of(CUfunction function, CUkernel kernel)
{
    const struct origin *origin = map_get(&origins, kernel);
    if (origin)
        recorder_handle(function, origin->owner, origin->name, false);
}

void recorder_loaded(const void *owner, struct image *image)
{
    if (!image || !owner || !recorder_begins()) {
        image_free(image);
        return;
    }
    (void)pthread_mutex_lock(&recorder.lock);
    if (!map_put(&images, owner, image))
        image_free(image);
    (void)pthread_mutex_unlock(&recorder.lock);
}

void recorder_module_of(CUmodule module, CUlibrary library)
{
    (void)pthread_mutex_lock(&recorder.lock);
    struct image *image = map_get(&images, library);
    if (image)
        (void)map_put(&images, module, image);
    (void)pthread_mutex_unlock(&recorder.lock);
}

/* Forgets the owner's handles. Forgotten memory is not freed, as another thread may be reading it.
 */
void recorder_unloaded(const void *owner)
{
    if (atomic_load(&recorder.is_on) <= 0)
        return;
    (void)pthread_mutex_lock(&recorder.lock);
    struct slot *slots = atomic_load(&origins.slots);
    for (size_t i = 0; slots && i < SLOTS; i++) {
        const struct origin *origin = atomic_load(&slots[i].value);
        if (!origin || origin->owner != owner)
            continue;
        atomic_store(&slots[i].value, NULL);
        (void)map_put(&kernels_by_handle, atomic_load(&slots[i].key), NULL);
    }
    for (struct kernel *kernel = all_kernels; kernel; kernel = kernel->next)
        if (kernel->owner == owner) {
            kernel->owner = NULL;
            kernel->function = NULL;
        }
    struct image *image = map_get(&images, owner);
    if (image) {
        (void)map_put(&images, owner, NULL);
        image->data = NULL;
        free(image->owned);
        image->owned = NULL;
    }
    for (struct variable **at = &recorder.variables; *at;)
        if ((*at)->owner == owner)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    (void)pthread_mutex_unlock(&recorder.lock);
}

void recorder_context_goes(void)
{
    if (atomic_load(&recorder.is_on) <= 0)
        return;
    times_end();
    times_forget();
    (void)pthread_mutex_lock(&recorder.lock);
    struct slot *slots = atomic_load(&kernels_by_handle.slots);
    for (size_t i = 0; slots && i < SLOTS; i++)
        atomic_store(&slots[i].value, NULL);
    for (struct kernel *kernel = all_kernels; kernel; kernel = kernel->next)
        kernel->function = NULL;
    (void)pthread_mutex_unlock(&recorder.lock);
}

void recorder_variable(const void *owner, const char *name, CUdeviceptr address, size_t bytes)
{
    if (!name || !recorder_begins())
        return;
    (void)pthread_mutex_lock(&recorder.lock);
    struct variable *variable = recorder.variables;
    while (variable && (variable->owner != owner || strcmp(variable->name, name) != 0))
        variable = variable->next;
    if (!variable) {
        variable = calloc(1, sizeof *variable + strlen(name) + 1);
        if (variable) {
            *variable = (struct variable){recorder.variables, owner, address, bytes};
            memcpy(variable->name, name, strlen(name) + 1);
            recorder.variables = variable;
        }
    }
    (void)pthread_mutex_unlock(&recorder.lock);
}

void recorder_texture(uint64_t object, bool is_there)
{
    const uint64_t from = is_there ? 0 : object, to = is_there ? object : 0;
    for (size_t i = 0; i < TEXTURES_MAX; i++) {
        uint64_t expected = from;
        if (atomic_compare_exchange_strong(&textures[i], &expected, to)) {
            (void)atomic_fetch_add(&recorder.textures, is_there ? 1 : -1);
            return;
        }
    }
}

bool recorder_is_texture(uint64_t word)
{
    for (size_t i = 0; word != 0 && i < TEXTURES_MAX && atomic_load(&recorder.textures) > 0; i++)
        if (atomic_load(&textures[i]) == word)
            return true;
    return false;
}

/* ---- kernels ---- */

static bool is_wanted(const char *name)
{
    char plain[1024];
    const char *pattern = recorder.settings.pattern;
    if (!pattern)
        return false;
    return fnmatch(pattern, name, 0) == 0 ||
           (cap_plain_name(name, plain, sizeof plain) && fnmatch(pattern, plain, 0) == 0);
}

/* Writes the image on the first launch of one of its kernels. The caller holds recorder.lock. */
static void write_image(struct image *image)
{
    if (image->is_tried)
        return;
    image->is_tried = true;
    if (image->data)
        cap_hash(image->data, image->bytes, image->hash);
    for (const struct image *known = written_images; known && image->data; known = known->next)
        if (known->bytes == image->bytes &&
            memcmp(known->hash, image->hash, sizeof image->hash) == 0) {
            image->id = known->id;
            image->is_kept = known->is_kept;
        }
    if (image->id == 0 && recorder.settings.applies) {
        image->id = ++recorder.writer.images; /* distinguishes the image; no record is written */
        image->next = written_images;
        written_images = image;
    }
    if (image->id != 0)
        return;
    const bool keeps = image->data && image->bytes <= IMAGE_BYTES_MAX;
    const char *file = image->file ? image->file : "";
    struct cap_image row = {
        .kind = (uint32_t)image->kind,
        .bytes = image->bytes,
        .kept_bytes = keeps ? image->bytes : 0,
        .file_bytes = (uint32_t)strlen(file) + 1,
    };
    const struct cap_part parts[] = {{image->data, row.kept_bytes}, {file, row.file_bytes}};
    memcpy(row.hash, image->hash, sizeof row.hash);
    (void)pthread_mutex_lock(&recorder.data_lock);
    row.id = recorder.writer.images + 1;
    if (cap_write(&recorder.writer, CAP_IMAGE, &row, sizeof row, parts, 2))
        image->id = ++recorder.writer.images;
    cap_writer_rest(&recorder.writer);
    (void)pthread_mutex_unlock(&recorder.data_lock);
    if (image->id != 0) {
        image->is_kept = keeps;
        image->next = written_images;
        written_images = image;
    }
}

static void read_layout(struct kernel *kernel)
{
    const struct driver *driver = driver_get();
    size_t offset = 0, bytes = 0;
    uint32_t count = 0;
    if (!driver->function_parameter)
        return;
    while (driver->function_parameter(kernel->function, count, &offset, &bytes) == CUDA_SUCCESS) {
        if (offset > CAP_PARAMETER_BYTES_MAX || bytes > CAP_PARAMETER_BYTES_MAX - offset)
            return;
        struct cap_parameter *more = realloc(kernel->parameters, (count + 1) * sizeof *more);
        if (!more)
            return;
        kernel->parameters = more;
        more[count++] = (struct cap_parameter){(uint32_t)offset, (uint32_t)bytes};
        if (offset + bytes > kernel->parameter_bytes)
            kernel->parameter_bytes = (uint32_t)(offset + bytes);
    }
    kernel->parameter_count = count;
    kernel->is_layout_known = true;
}

static void write_kernel(struct kernel *kernel)
{
    const struct driver *driver = driver_get();
    kernel->spare = (struct cap_kernel){
        .id = kernel_count + 1,
        .image = kernel->image ? kernel->image->id : 0,
        .parameter_count = kernel->parameter_count,
        .is_layout_known = kernel->is_layout_known,
        .name_bytes = (uint32_t)strlen(kernel->name) + 1,
    };
    struct cap_kernel *row = &kernel->spare;
    const struct {
        int32_t *number;
        CUfunction_attribute attribute;
    } numbers[] = {
        {&row->registers, CU_FUNC_ATTRIBUTE_NUM_REGS},
        {&row->static_shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES},
        {&row->local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
        {&row->constant_bytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES},
        {&row->threads_most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
        {&row->ptx_version, CU_FUNC_ATTRIBUTE_PTX_VERSION},
        {&row->binary_version, CU_FUNC_ATTRIBUTE_BINARY_VERSION},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!driver->function_attribute || !kernel->function ||
            driver->function_attribute(numbers[i].number, numbers[i].attribute, kernel->function) !=
                CUDA_SUCCESS)
            *numbers[i].number = -1;
    const struct cap_part parts[] = {
        {kernel->parameters, kernel->parameter_count * sizeof *kernel->parameters},
        {kernel->name, row->name_bytes}};
    kernel->row = cap_table_add(&recorder.table, CAP_KERNEL, row, sizeof *row, parts, 2);
    if (kernel->row)
        kernel_count++;
    else
        kernel->row = &kernel->spare;
}

/* Finds the kernel of an image that was loaded again. The caller holds recorder.lock. */
static struct kernel *same_kernel(const struct image *image, const char *name)
{
    const uint32_t id = image ? image->id : 0;
    for (struct kernel *kernel = all_kernels; kernel; kernel = kernel->next)
        if ((kernel->image ? kernel->image->id : 0) == id && strcmp(kernel->name, name) == 0)
            return kernel;
    return NULL;
}

static struct kernel *make_kernel(struct image *image, const char *name, CUfunction function)
{
    struct kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return NULL;
    *kernel = (struct kernel){.image = image, .function = function};
    kernel->name = strndup(name, NAME_BYTES_MAX);
    if (!kernel->name) {
        free(kernel);
        return NULL;
    }
    if (function)
        read_layout(kernel);
    write_kernel(kernel);
    if (recorder.settings.applies)
        apply_kernel(kernel);
    kernel->is_wanted = kernel->row != &kernel->spare && is_wanted(kernel->name);
    kernel->next = all_kernels;
    all_kernels = kernel;
    return kernel;
}

struct kernel *recorder_kernel(const void *handle)
{
    const struct driver *driver = driver_get();
    struct kernel *kernel = map_get(&kernels_by_handle, handle);
    if (kernel)
        return kernel;
    (void)pthread_mutex_lock(&recorder.lock);
    kernel = map_get(&kernels_by_handle, handle);
    if (!kernel) {
        const struct origin *origin = map_get(&origins, handle);
        const bool is_kernel = origin && origin->is_kernel;
        CUfunction function = (CUfunction)(uintptr_t)handle;
        CUmodule module = NULL;
        const char *name = origin && *origin->name ? origin->name : NULL;
        if (is_kernel &&
            (!driver->kernel_function ||
             driver->kernel_function(&function, (CUkernel)(uintptr_t)handle) != CUDA_SUCCESS))
            function = NULL;
        if (!name && is_kernel && driver->kernel_name)
            (void)driver->kernel_name(&name, (CUkernel)(uintptr_t)handle);
        if (!name && function && driver->function_name)
            (void)driver->function_name(&name, function);
        if (!origin && function && driver->function_module)
            (void)driver->function_module(&module, function);
        const void *owner = origin ? origin->owner : module;
        struct image *image = owner ? map_get(&images, owner) : NULL;
        name = name ? name : "?";
        if (image)
            write_image(image);
        kernel = same_kernel(image, name);
        if (!kernel)
            kernel = make_kernel(image, name, function);
        if (kernel) {
            kernel->owner = owner;
            kernel->function = function;
        }
        if (owner && !origin)
            set_origin(handle, owner, name, false);
        if (kernel && !map_put(&kernels_by_handle, handle, kernel))
            kernel = NULL;
    }
    (void)pthread_mutex_unlock(&recorder.lock);
    return kernel;
}
