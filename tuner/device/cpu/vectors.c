/* Memory of vectors, with the contents before and after runs. */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tuner/base/array.h"
#include "tuner/base/text.h"
#include "tuner/device/bands.h"
#include "tuner/device/cpu/device.h"

enum {
    PAGE_BYTES = 4096,
    /* The system may give pages of this size; turns of less would then not be turns. */
    HUGE_PAGE_BYTES = 2 << 20,
    HUGE_FROM_BYTES = 16 << 20,
    /* Inaccessible pages in front of and behind a mapping; with this size, mappings keep their
     * alignment among large pages. */
    FENCE_BYTES = HUGE_PAGE_BYTES,
};

_Static_assert((int)GUARD_BYTES <= (int)PAGE_BYTES, "the band before lies in the page before");

/* Maps fresh pages: memory from the heap may have been touched, and so placed, before. */
char *pages_map(size_t bytes)
{
    void *pages = mmap(NULL, bytes > 0 ? bytes : 1, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void pages_unmap(char *pages, size_t bytes)
{
    if (pages)
        (void)munmap(pages, bytes > 0 ? bytes : 1);
}

struct fill {
    const struct placing *placing;
    char *data;
    const char *source;
    int value;
    size_t bytes;
    size_t granule;
};

static void fill_piece(const struct fill *fill, size_t start, size_t end)
{
    end = end < fill->bytes ? end : fill->bytes;
    if (start >= end)
        return;
    if (fill->source)
        memcpy(fill->data + start, fill->source + start, end - start);
    else
        memset(fill->data + start, fill->value, end - start);
}

static void fill_part(void *context, int thread, int threads)
{
    const struct fill *fill = context;
    size_t granules = (fill->bytes + fill->granule - 1) / fill->granule;
    (void)threads;
    struct share share =
        layout_share(&fill->placing->layout, fill->placing->nodes, thread, granules);
    if (share.step == 1)
        fill_piece(fill, share.first * fill->granule, share.end * fill->granule);
    for (size_t i = share.first; share.step > 1 && i < share.end; i += share.step)
        fill_piece(fill, i * fill->granule, (i + 1) * fill->granule);
}

void fill_together(const struct placing *placing, char *data, const char *source, int value,
                   size_t bytes)
{
    bool huge = placing->layout.interleaved && bytes >= HUGE_FROM_BYTES;
    struct fill fill = {.placing = placing,
                        .data = data,
                        .source = source,
                        .value = value,
                        .bytes = bytes,
                        .granule = huge ? HUGE_PAGE_BYTES : PAGE_BYTES};
    if (bytes > PAGE_BYTES)
        pool_run(placing->pool, placing->layout.threads, fill_part, &fill);
    else
        fill_piece(&fill, 0, bytes);
}

char *vector_data(const struct vector *vector, uint32_t copy)
{
    return vector->pages[copy] + PAGE_BYTES + vector->offset;
}

/* Returns the offset of an argument's data behind the start of a page: at the end of memory, the
 * largest aligned one at which the data end within the page. */
static size_t argument_offset(const struct argument *argument)
{
    const size_t rest = argument_bytes(argument) % PAGE_BYTES;
    const size_t alignment = argument->alignment_bytes > 0 ? argument->alignment_bytes : 256;
    return argument->at_end ? (PAGE_BYTES - rest) % PAGE_BYTES / alignment * alignment
                            : argument->offset_bytes;
}

/* Returns the mapping's bytes in whole pages, so that a fence begins at the end. */
static size_t mapped_bytes(const struct vector *vector)
{
    const size_t bytes =
        PAGE_BYTES + vector->offset + vector->bytes + (vector->at_end ? 0 : GUARD_BYTES);
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* Returns a mapping's bytes in front of the data; below, those behind the data's first `bytes`
 * bytes. */
static size_t before_data(const struct vector *vector)
{
    return PAGE_BYTES + vector->offset;
}

static size_t behind_data(const struct vector *vector, size_t bytes)
{
    return mapped_bytes(vector) - before_data(vector) - bytes;
}

/* Returns the first byte behind the end that kernels used, counted from the data's start; -1: none.
 * Closes the fence there again. */
static int64_t take_beyond(struct vector *vector)
{
    const intptr_t address = atomic_exchange(&vector->beyond, 0);
    if (address != 0)
        (void)mprotect(vector->pages[0] + mapped_bytes(vector), FENCE_BYTES, PROT_NONE);
    return address != 0 ? (int64_t)(address - (intptr_t)vector_data(vector, 0)) : -1;
}

static void vector_free(struct vector *vector)
{
    for (uint32_t i = 0; i < vector->count; i++)
        (void)munmap(vector->pages[i] - FENCE_BYTES,
                     mapped_bytes(vector) + (size_t)2 * FENCE_BYTES);
    free(vector->pages);
    free(vector->written);
    *vector = (struct vector){0};
}

void shelf_free(struct shelf *shelf)
{
    for (size_t i = 0; i < LAYOUTS_KEPT; i++)
        vector_free(&shelf->vectors[i]);
    *shelf = (struct shelf){0};
}

static bool add_copy(struct vector *vector)
{
    size_t capacities[] = {vector->capacity, vector->capacity};
    if (!array_grow(&vector->pages, vector->count, &capacities[0], sizeof *vector->pages) ||
        !array_grow(&vector->written, vector->count, &capacities[1], sizeof *vector->written))
        return false;
    vector->capacity = (uint32_t)capacities[0];
    const size_t fenced_bytes = mapped_bytes(vector) + (size_t)2 * FENCE_BYTES;
    char *fence = mmap(NULL, fenced_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fence == MAP_FAILED)
        return false;
    if (mprotect(fence + FENCE_BYTES, mapped_bytes(vector), PROT_READ | PROT_WRITE) != 0) {
        (void)munmap(fence, fenced_bytes);
        return false;
    }
    atomic_init(&vector->written[vector->count], false);
    vector->pages[vector->count++] = fence + FENCE_BYTES;
    return true;
}

/* Takes the vector of this layout, else an empty one, else the least recently used, emptied. */
static struct vector *take(struct shelf *shelf, const struct layout *layout)
{
    struct vector *oldest = &shelf->vectors[0];
    struct vector *found = NULL;
    for (size_t i = 0; i < LAYOUTS_KEPT; i++) {
        struct vector *vector = &shelf->vectors[i];
        if (vector->count > 0 && layout_same(&vector->layout, layout))
            found = vector;
        if (vector->used < oldest->used)
            oldest = vector;
    }
    if (!found) {
        vector_free(oldest);
        found = oldest;
    }
    found->used = ++shelf->uses;
    shelf->bound = found;
    return found;
}

/* Protects a copy. If that fails, only writes to inputs go unnoticed. */
static void protect(const struct vector *vector, uint32_t copy, bool written)
{
    (void)mprotect(vector->pages[copy], mapped_bytes(vector),
                   written ? PROT_READ | PROT_WRITE : PROT_READ);
}

/* Returns the first whole element's place in the band before the data. */
static char *band_before(const struct vector *vector, uint32_t copy)
{
    return vector->pages[copy] + (before_data(vector) & (element_bytes(vector->type) - 1));
}

/* Fills an input's bands: the whole mapping outside the data. */
static void fill_bands(struct vector *vector, uint32_t copy, unsigned turn)
{
    char *data = vector_data(vector, copy);
    band_fill(band_before(vector, copy), (size_t)(data - band_before(vector, copy)), vector->type,
              turn);
    band_fill(data + vector->bytes, behind_data(vector, vector->bytes), vector->type, turn);
    if (copy == 0)
        vector->turn = turn;
}

/* Tells whether a band is as filled; else *at is the first changed byte. */
static bool band_kept(const char *band, size_t bytes, enum element_type type, unsigned turn,
                      size_t *at)
{
    char *filled = malloc(bytes);
    if (!filled)
        return true;
    memcpy(filled, band, bytes); /* bytes outside whole elements are not compared */
    band_fill(filled, bytes, type, turn);
    for (*at = 0; *at < bytes && band[*at] == filled[*at];)
        ++*at;
    free(filled);
    return *at == bytes;
}

/* Sets a copy to the host's elements, patched in every second one. */
static void set_patched(const struct vector *vector, uint32_t copy)
{
    if (copy % 2 == 1)
        patch_vector(vector_data(vector, copy), vector->type, &vector->patch);
}

/* Puts the host's elements back at the patch's places. */
static void take_patch_away(const struct vector *vector, uint32_t copy)
{
    const size_t bytes = element_bytes(vector->type);
    for (uint32_t i = 0; copy % 2 == 1 && i < vector->patch.count; i++)
        memcpy(vector_data(vector, copy) + vector->patch.at[i] * bytes,
               (const char *)vector->host + vector->patch.at[i] * bytes, bytes);
}

/* Gives every second copy of an input the patch's elements instead of the host's. */
static void vector_vary(struct vector *vector, const struct patch *patch)
{
    if (memcmp(&vector->patch, patch, sizeof *patch) == 0)
        return;
    for (uint32_t copy = 1; copy < vector->count; copy += 2) {
        protect(vector, copy, true);
        take_patch_away(vector, copy);
        patch_vector(vector_data(vector, copy), vector->type, patch);
        protect(vector, copy, false);
    }
    vector->patch = *patch;
}

/* Tells whether all copies of an input equal the host's elements, and bands are as filled; else *at
 * is the first differing byte, counted from the data's start. Restores copies that kernels have
 * written to. */
static bool vector_kept(struct vector *vector, int64_t *at)
{
    const char *host = vector->host;
    const struct patch *patch = &vector->patch;
    const size_t width = element_bytes(vector->type);
    bool kept = true;
    for (uint32_t i = 0; i < vector->count; i++) {
        const unsigned turn = i == 0 ? vector->turn : 0;
        char *data = vector_data(vector, i), *before = band_before(vector, i);
        size_t place = 0;
        if (!atomic_exchange(&vector->written[i], false))
            continue;
        for (uint32_t k = 0; kept && i % 2 == 1 && k < patch->count; k++) {
            *at = (int64_t)(patch->at[k] * width);
            kept = memcmp(data + *at, patch->values + k * width, width) == 0;
        }
        if (kept && !band_kept(before, (size_t)(data - before), vector->type, turn, &place)) {
            *at = before + place - data;
            kept = false;
        }
        if (kept && !band_kept(data + vector->bytes, behind_data(vector, vector->bytes),
                               vector->type, turn, &place)) {
            *at = (int64_t)(vector->bytes + place);
            kept = false;
        }
        take_patch_away(vector, i);
        for (size_t k = 0; kept && k < vector->bytes; k++)
            if (data[k] != host[k]) {
                *at = (int64_t)k;
                kept = false;
            }
        memcpy(data, host, vector->bytes);
        set_patched(vector, i);
        fill_bands(vector, i, 0);
        protect(vector, i, false);
    }
    return kept;
}

/* Gives up to `copies` copies of the input at `host`; fewer when memory is short, at least one.
 * Existing copies stay. */
static enum status shelf_upload(struct shelf *shelf, const struct placing *placing,
                                const struct argument *argument, const void *host, uint32_t copies,
                                struct error *error)
{
    /* Vectors of other layouts hold old data as well. */
    for (size_t i = 0; i < LAYOUTS_KEPT; i++) {
        /* The address alone does not suffice: freed memory may be allocated again at the same
         * place. */
        if (shelf->vectors[i].count > 0 &&
            !(shelf->vectors[i].host == host &&
              shelf->vectors[i].contents == argument_contents(argument) &&
              shelf->vectors[i].offset == argument_offset(argument) &&
              shelf->vectors[i].at_end == argument->at_end &&
              shelf->vectors[i].bytes == argument_bytes(argument)))
            vector_free(&shelf->vectors[i]);
    }
    struct vector *vector = take(shelf, &placing->layout);
    if (vector->count == 0) {
        vector->bytes = argument_bytes(argument);
        vector->offset = argument_offset(argument);
        vector->at_end = argument->at_end;
        vector->host = host;
        vector->contents = argument_contents(argument);
        vector->layout = placing->layout;
        vector->is_input = argument->role == ARGUMENT_INPUT;
        vector->type = argument->type;
    }
    const size_t bytes = vector->bytes;
    size_t most = bytes > 0 ? placing->bytes_max / bytes : copies;
    if (copies > most)
        copies = (uint32_t)most;
    copies = copies > 0 ? copies : 1;
    while (vector->count < copies && add_copy(vector)) {
        uint32_t copy = vector->count - 1;
        fill_together(placing, vector_data(vector, copy), host, 0, vector->bytes);
        if (!vector->is_input)
            continue;
        set_patched(vector, copy);
        fill_bands(vector, copy, 0);
        protect(vector, copy, false);
    }
    return vector->count > 0 ? STATUS_OK : error_no_memory(error);
}

/* Reserves room for an output or scratch, with any contents. */
static enum status shelf_reserve(struct shelf *shelf, const struct placing *placing,
                                 const struct argument *argument, struct error *error)
{
    size_t bytes = argument_bytes(argument);
    struct vector *vector = take(shelf, &placing->layout);
    if (vector->count > 0 && !vector->host && vector->offset == argument_offset(argument) &&
        vector->at_end == argument->at_end &&
        (argument->at_end ? vector->bytes == bytes : vector->bytes >= bytes))
        return STATUS_OK;
    uint64_t used = vector->used;
    vector_free(vector);
    vector->bytes = bytes;
    vector->offset = argument_offset(argument);
    vector->at_end = argument->at_end;
    vector->layout = placing->layout;
    vector->used = used;
    TRY_MEMORY(add_copy(vector));
    fill_together(placing, vector_data(vector, 0), NULL, 0, bytes);
    return STATUS_OK;
}

/* Returns the guarded bytes behind a shorter part: as many as a fence would have. */
static size_t guarded_behind(const struct vector *vector, size_t bytes)
{
    const size_t rest = behind_data(vector, bytes);
    return rest < FENCE_BYTES ? rest : FENCE_BYTES;
}

/* Tells whether the bands are unchanged; else *at is the first changed byte, counted from the
 * data's start. */
static bool vector_guarded(const struct vector *vector, size_t bytes, int64_t *at)
{
    const char *before = vector->pages[0];
    const char *behind = vector_data(vector, 0) + bytes;
    for (size_t i = 0; i < before_data(vector); i++)
        if ((unsigned char)before[i] != guard_byte((uintptr_t)before + i)) {
            *at = (int64_t)i - (int64_t)before_data(vector);
            return false;
        }
    for (size_t i = 0; i < guarded_behind(vector, bytes); i++)
        if ((unsigned char)behind[i] != guard_byte((uintptr_t)behind + i)) {
            *at = (int64_t)(bytes + i);
            return false;
        }
    return true;
}

/* ---- binding, and the state of vectors around a run ---- */

enum { UNKNOWN_MEMORY_SHARE_BYTES = 1 << 30 };

static struct placing placing_for(const struct device *device, const struct launch_plan *plan,
                                  size_t index)
{
    const struct machine *machine = &device->machine;
    struct placing placing = {
        .pool = device->pool,
        .nodes = machine->nodes,
        .layout = layout_for_argument(plan, index, machine->nodes, pool_size(device->pool)),
        .bytes_max = machine->memory_bytes > 0 ? (size_t)machine->memory_bytes / 4
                                               : UNKNOWN_MEMORY_SHARE_BYTES,
    };
    if (machine->numa_nodes > 1)
        placing.bytes_max /= LAYOUTS_KEPT;
    return placing;
}

/* Finds a variable; the size is in the binary's table of symbols. */
static enum status find_symbol(const struct device *device, const struct argument *argument,
                               void **out, struct error *error)
{
    if (device->current == 0)
        return error_set(error, STATUS_INTERNAL, "cpu: no binary is loaded");
    const struct binary *binary = &device->binaries[device->current - 1];
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;
    *out = dlsym(binary->handle, argument->symbol);
    if (!*out)
        return error_set(error, STATUS_BAD_INPUT,
                         "argument '%s': the kernel's source defines no variable '%s' (one that is "
                         "static is not seen)",
                         argument->name, argument->symbol);
    if (dladdr1(*out, &info, (void **)(uintptr_t)&symbol, RTLD_DL_SYMENT) != 0 && symbol)
        return argument_fits_symbol(argument, (size_t)symbol->st_size, error);
    return STATUS_OK;
}

enum status cpu_bind(struct device *device, const struct launch_plan *plan,
                     const void *const *inputs, uint32_t copies, const struct patch *patches,
                     struct error *error)
{
    device->argument_count = 0;
    device->varied = false;
    device->shown_copy = 0;
    device->copies = BLOCK_RUNS_MAX;
    watch_process(device);
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        const bool is_vector = role_is_vector(argument->role);
        struct placing placing = placing_for(device, plan, i);
        struct shelf *shelf = &device->shelves[i];
        void *variable = NULL;
        size_t bytes = argument_bytes(argument);
        shelf->variable_bytes = bytes;
        if (argument->symbol)
            TRY(find_symbol(device, argument, &variable, error));
        shelf->variable = argument_is_variable(argument) ? variable : NULL;
        if (argument->symbol && !shelf->variable) {
            unsigned char value[VALUE_BYTES_MAX];
            if (!is_vector)
                TRY(argument_pack(argument, value, &bytes, error));
            memcpy(variable, is_vector ? inputs[i] : value, bytes);
        } else if (argument_is_bound(argument) && !argument_rotates(argument)) {
            TRY(shelf_reserve(shelf, &placing, argument, error));
        } else if (argument_is_bound(argument)) {
            TRY(shelf_upload(shelf, &placing, argument, inputs[i], variable ? 1 : copies, error));
            struct vector *vector = shelf->bound;
            if (argument->role != ARGUMENT_UPDATE)
                continue;
            /* Copies that runs have written to are as the host's again. */
            for (uint32_t k = 0; k < vector->used_copies && k < vector->count; k++)
                fill_together(&placing, vector_data(vector, k), vector->host, 0, vector->bytes);
            vector->used_copies = 0;
        }
    }
    device->argument_count = plan->argument_count;
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        struct shelf *shelf = &device->shelves[i];
        if (!argument_rotates(argument))
            continue;
        /* In a run, all arguments have the same copy: as many as each has. */
        if (!shelf->variable && shelf->bound->count < device->copies)
            device->copies = shelf->bound->count;
        if (patches && argument->role == ARGUMENT_INPUT) {
            vector_vary(shelf->bound, &patches[i]);
            device->varied |= patches[i].count > 0;
        }
    }
    return STATUS_OK;
}

void set_vectors(struct device *device, const struct launch_plan *plan, enum argument_role role,
                 int value)
{
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        struct placing placing = placing_for(device, plan, i);
        if (argument->role == role && argument_is_bound(argument))
            fill_together(&placing, vector_data(device->shelves[i].bound, 0), NULL, value,
                          argument_bytes(argument));
    }
}

void begin_run(struct device *device, const struct launch_plan *plan, enum run_start start)
{
    device->turn++;
    note_updates(device, plan, 1);
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        struct vector *vector = device->shelves[i].bound;
        const size_t bytes = argument_bytes(argument);
        if (!argument_is_bound(argument))
            continue;
        if (start == RUN_FIRST)
            (void)take_beyond(vector);
        const struct placing placing = placing_for(device, plan, i);
        if (argument->role == ARGUMENT_INPUT) {
            protect(vector, 0, true);
            fill_bands(vector, 0, device->turn); /* new ones around the first copy (bands.h) */
            protect(vector, 0, false);
        } else if (argument->role == ARGUMENT_UPDATE)
            fill_together(&placing, vector_data(vector, 0), vector->host, 0, bytes);
        else if (argument->role == ARGUMENT_OUTPUT || start == RUN_FIRST)
            fill_together(&placing, vector_data(vector, 0), NULL,
                          argument->role == ARGUMENT_OUTPUT ? POISON : 0, bytes);
        if (start != RUN_FIRST || !argument_is_written(argument))
            continue;
        /* Guard bands before and behind the data, of at least GUARD_BYTES; a kernel that writes
         * beyond ends by a signal. */
        char *before = vector->pages[0];
        char *behind = vector_data(vector, 0) + bytes;
        for (size_t k = 0; k < before_data(vector); k++)
            before[k] = (char)guard_byte((uintptr_t)before + k);
        for (size_t k = 0; k < guarded_behind(vector, bytes); k++)
            behind[k] = (char)guard_byte((uintptr_t)behind + k);
    }
}

void carry_variables(struct device *device, bool back)
{
    for (size_t i = 0; i < device->argument_count; i++) {
        const struct shelf *shelf = &device->shelves[i];
        char *data = shelf->variable ? vector_data(shelf->bound, 0) : NULL;
        if (data)
            memcpy(back ? data : shelf->variable, back ? shelf->variable : data,
                   shelf->variable_bytes);
    }
}

void note_updates(struct device *device, const struct launch_plan *plan, uint32_t copies)
{
    for (size_t i = 0; i < plan->argument_count; i++) {
        struct vector *vector = device->shelves[i].bound;
        if (plan->arguments[i].role == ARGUMENT_UPDATE && vector->used_copies < copies)
            vector->used_copies = copies;
    }
}

static void describe_breach(const struct argument *argument, const char *done, int64_t at,
                            char *detail, size_t bytes)
{
    int64_t size = (int64_t)argument_bytes(argument);
    const char *role = argument->role == ARGUMENT_OUTPUT    ? "output"
                       : argument->role == ARGUMENT_INPUT   ? "input"
                       : argument->role == ARGUMENT_SCRATCH ? "scratch"
                                                            : "argument";
    long long away = (long long)(at < 0 ? -at : at - size + 1);
    (void)string_format(detail, bytes, "%s '%s' of %s was %s %s: byte %lld %s it", role,
                        argument->name, count_text((uint64_t)size, "byte").text, done,
                        at < 0 ? "before its start" : "behind its end", away,
                        at < 0 ? "before" : "behind");
}

enum status cpu_guards_intact(struct device *device, const struct launch_plan *plan, bool *intact,
                              char *detail, size_t detail_bytes, struct error *error)
{
    *intact = true;
    if (plan->argument_count != device->argument_count)
        return error_set(error, STATUS_INTERNAL, "cpu: the plan is not bound");
    for (size_t i = 0; *intact && i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        int64_t at = argument_is_bound(argument) ? take_beyond(device->shelves[i].bound) : -1;
        const bool used = at >= 0;
        if (!used && (!argument_is_written(argument) ||
                      vector_guarded(device->shelves[i].bound, argument_bytes(argument), &at)))
            continue;
        *intact = false;
        describe_breach(argument, used ? "read or written" : "written", at, detail, detail_bytes);
    }
    return STATUS_OK;
}

enum status cpu_look(struct device *device, size_t index, const void **out, size_t bytes,
                     struct error *error)
{
    const struct vector *vector =
        index < device->argument_count ? device->shelves[index].bound : NULL;
    if (!vector || bytes > vector->bytes)
        return error_set(error, STATUS_INTERNAL, "cpu: argument %zu has no %zu bytes to be read",
                         index, bytes);
    *out = vector_data(vector, device->shown_copy < vector->count ? device->shown_copy : 0);
    return STATUS_OK;
}

enum status cpu_read(struct device *device, size_t index, void *out, size_t bytes,
                     struct error *error)
{
    const void *data = NULL;
    TRY(cpu_look(device, index, &data, bytes, error));
    memcpy(out, data, bytes);
    return STATUS_OK;
}

enum status cpu_inputs_intact(struct device *device, const struct launch_plan *plan, bool *intact,
                              bool *worn, char *detail, size_t detail_bytes, struct error *error)
{
    const char *changed = watch_changed(device);
    *worn = changed != NULL;
    *intact = !changed;
    if (plan->argument_count != device->argument_count)
        return error_set(error, STATUS_INTERNAL, "cpu: the plan is not bound");
    if (changed)
        (void)string_format(detail, detail_bytes, "it changes its process: %s", changed);
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        int64_t at = 0;
        if (argument->role != ARGUMENT_INPUT || !argument_is_bound(argument) ||
            vector_kept(device->shelves[i].bound, &at) || !*intact)
            continue;
        *intact = false;
        if (at < 0 || at >= (int64_t)argument_bytes(argument))
            describe_breach(argument, "written", at, detail, detail_bytes);
        else
            (void)string_format(detail, detail_bytes, "it writes its input: %s[%zu] is changed",
                                argument->name, (size_t)at / element_bytes(argument->type));
    }
    return STATUS_OK;
}

/* ---- writes to inputs, and uses of memory behind an end ---- */

static struct device *watched;
static struct sigaction other_action; /* handler of other faults */

/* Notes a kernel's first write to an input, or use of memory behind a vector's end, and lets the
 * kernel go on; this is reported afterwards. */
static void take_fault(int number, siginfo_t *info, void *context)
{
    struct device *device = watched;
    const char *address = info->si_addr;
    (void)context;
    for (size_t i = 0; device && i < (size_t)ARGUMENTS_MAX * LAYOUTS_KEPT; i++) {
        struct vector *vector = &device->shelves[i / LAYOUTS_KEPT].vectors[i % LAYOUTS_KEPT];
        char *end =
            vector->at_end && vector->count > 0 ? vector->pages[0] + mapped_bytes(vector) : NULL;
        intptr_t none = 0;
        if (end && address >= end && address < end + FENCE_BYTES) {
            (void)atomic_compare_exchange_strong(&vector->beyond, &none, (intptr_t)address);
            (void)mprotect(end, FENCE_BYTES, PROT_READ | PROT_WRITE);
            return;
        }
        for (uint32_t k = 0; vector->is_input && k < vector->count; k++) {
            if (address < vector->pages[k] || address >= vector->pages[k] + mapped_bytes(vector))
                continue;
            atomic_store(&vector->written[k], true);
            protect(vector, k, true);
            return;
        }
    }
    (void)sigaction(number, &other_action, NULL); /* the fault repeats, and ends the process */
}

void watch_start(struct device *device)
{
    struct sigaction action = {.sa_sigaction = take_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    (void)sigemptyset(&action.sa_mask);
    watched = device;
    (void)sigaction(SIGSEGV, &action, &other_action);
    watch_process(device);
}

void watch_stop(struct device *device)
{
    if (watched != device)
        return;
    (void)sigaction(SIGSEGV, &other_action, NULL);
    watched = NULL;
}
