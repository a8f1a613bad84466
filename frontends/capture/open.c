/* Opens a capture: unpacks and maps the file, checks the end's hash, and checks and links each
 * record. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontends/capture/internal.h"
#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/packed.h"

struct captured_content {
    uint64_t bytes;
    const uint32_t *ids;
    const uint8_t *const *blocks; /* blocks of the process, by identifier - 1 */
};

struct capture_file {
    struct capture view; /* first: the callers' view */
    const char *path;
    uint8_t *data;
    uint64_t bytes;
    struct arena arena;
};

/* Number of records of each type before a process. */
struct counts {
    size_t of[CAP_END];
};

/* Reader of records. All records are counted first, so that each identifier already has a place. */
struct reader {
    struct capture_file *file;
    const struct counts *starts; /* counts before each process, and behind the last */
    struct counts at;            /* the next of each type */
    struct captured_program *programs;
    struct captured_device *devices;
    struct captured_image *images;
    struct captured_kernel *kernels;
    struct captured_shape *shapes;
    struct captured_launch *launches;
    struct captured_note *notes;
    struct captured_content *contents;
    const uint8_t **blocks;
    uint32_t *block_bytes;
    struct record record;
    uint64_t taken; /* bytes read from the record's rest */
    bool no_memory;
    const char *wrong; /* problem; NULL: none so far */
};

/* Returns the place of an identifier of the current process, or SIZE_MAX. */
static size_t place_of(const struct reader *reader, enum cap_type type, uint32_t id)
{
    const size_t process = reader->at.of[CAP_PROGRAM] - 1;
    const size_t first = reader->starts[process].of[type];
    return id > 0 && id <= reader->starts[process + 1].of[type] - first ? first + id - 1 : SIZE_MAX;
}

/* Takes the next part of the record: `count` items of `bytes` bytes, padded. Returns NULL and sets
 * `wrong` if the part is cut; also after an earlier error. */
static const void *take(struct reader *reader, uint64_t count, uint64_t bytes)
{
    const uint64_t room = reader->record.rest_bytes - reader->taken;
    if (reader->wrong)
        return NULL;
    const uint64_t padded = count <= room / bytes
                                ? (count * bytes + CAP_ALIGN - 1) / CAP_ALIGN * CAP_ALIGN
                                : UINT64_MAX;
    if (padded > room) {
        reader->wrong = "a record is shorter than its counts";
        return NULL;
    }
    const void *part = reader->record.rest + reader->taken;
    reader->taken += padded;
    return part;
}

/* Takes a text of `bytes` bytes, NUL included. */
static const char *take_text(struct reader *reader, uint64_t bytes)
{
    const char *text = take(reader, bytes, 1);
    if (text && (bytes == 0 || text[bytes - 1] != '\0')) {
        reader->wrong = "a text does not end";
        return NULL;
    }
    return text;
}

/* Copies the record's structure, of which a later version may have more. */
static bool take_fixed(struct reader *reader, void *fixed, size_t bytes)
{
    if (reader->record.fixed_bytes < bytes)
        reader->wrong = "a record is shorter than its structure";
    else
        memcpy(fixed, reader->record.fixed, bytes);
    return !reader->wrong;
}

/* Records of a type are numbered one after the other. */
static bool is_numbered(struct reader *reader, enum cap_type type, uint32_t id)
{
    if (place_of(reader, type, id) != reader->at.of[type])
        reader->wrong = "records are not numbered one after the other";
    return !reader->wrong;
}

static void read_program(struct reader *reader)
{
    struct captured_program *program = &reader->programs[reader->at.of[CAP_PROGRAM]];
    if (!take_fixed(reader, &program->is, sizeof program->is))
        return;
    program->path = take_text(reader, program->is.path_bytes);
    const char *command = take(reader, program->is.command_bytes, 1);
    program->library = take_text(reader, program->is.library_bytes);
    if (reader->wrong)
        return;
    const size_t bytes = program->is.command_bytes;
    if (bytes > 0 && command[bytes - 1] != '\0') {
        reader->wrong = "a text does not end";
        return;
    }
    for (size_t i = 0; i < bytes; i++)
        program->command_count += command[i] == '\0';
    const char **arguments =
        arena_alloc(&reader->file->arena, program->command_count + 1, sizeof *arguments);
    reader->no_memory |= !arguments;
    program->command = arguments;
    for (size_t i = 0; arguments && i < program->command_count; i++) {
        arguments[i] = command;
        command += strlen(command) + 1;
    }
}

static const struct captured_program *program_at(const struct reader *reader)
{
    return &reader->programs[reader->at.of[CAP_PROGRAM] - 1];
}

static void read_device(struct reader *reader)
{
    struct captured_device *device = &reader->devices[reader->at.of[CAP_DEVICE]];
    if (!take_fixed(reader, &device->is, sizeof device->is))
        return;
    device->program = program_at(reader);
    device->name = take_text(reader, device->is.name_bytes);
}

static void read_image(struct reader *reader)
{
    struct captured_image *image = &reader->images[reader->at.of[CAP_IMAGE]];
    if (!take_fixed(reader, &image->is, sizeof image->is) ||
        !is_numbered(reader, CAP_IMAGE, image->is.id))
        return;
    if (image->is.kept_bytes != 0 && image->is.kept_bytes != image->is.bytes)
        reader->wrong = "an image is there in part";
    const void *data = take(reader, image->is.kept_bytes, 1);
    image->data = image->is.kept_bytes > 0 ? data : NULL;
    image->file = take_text(reader, image->is.file_bytes);
    hash_text_of(image->is.hash, image->hash);
}

static void read_kernel(struct reader *reader)
{
    struct captured_kernel *kernel = &reader->kernels[reader->at.of[CAP_KERNEL]];
    if (!take_fixed(reader, &kernel->is, sizeof kernel->is) ||
        !is_numbered(reader, CAP_KERNEL, kernel->is.id))
        return;
    kernel->program = program_at(reader);
    kernel->parameters = take(reader, kernel->is.parameter_count, sizeof(struct cap_parameter));
    for (uint32_t i = 0; !reader->wrong && i < kernel->is.parameter_count; i++)
        if (kernel->parameters[i].offset > CAP_PARAMETER_BYTES_MAX ||
            kernel->parameters[i].bytes > CAP_PARAMETER_BYTES_MAX - kernel->parameters[i].offset)
            reader->wrong = "a kernel's parameter is larger than any";
    if (!reader->wrong)
        kernel->name = take_text(reader, kernel->is.name_bytes);
    if (kernel->is.image == 0)
        return;
    const size_t image = place_of(reader, CAP_IMAGE, kernel->is.image);
    if (image == SIZE_MAX)
        reader->wrong = "a kernel's image is not there";
    else
        kernel->image = &reader->images[image];
}

static const struct captured_kernel *kernel_of(struct reader *reader, uint32_t id)
{
    const size_t kernel = place_of(reader, CAP_KERNEL, id);
    if (kernel == SIZE_MAX)
        reader->wrong = "a launch's kernel is not there";
    return kernel == SIZE_MAX ? NULL : &reader->kernels[kernel];
}

static void read_shape(struct reader *reader)
{
    struct captured_shape *shape = &reader->shapes[reader->at.of[CAP_SHAPE]];
    if (take_fixed(reader, &shape->is, sizeof shape->is))
        shape->kernel = kernel_of(reader, shape->is.kernel);
}

static void read_block(struct reader *reader)
{
    struct cap_block block;
    const size_t place = reader->at.of[CAP_BLOCK];
    if (!take_fixed(reader, &block, sizeof block) || !is_numbered(reader, CAP_BLOCK, block.id))
        return;
    if (block.bytes > CAP_BLOCK_BYTES)
        reader->wrong = "a block is larger than any";
    reader->block_bytes[place] = block.bytes;
    reader->blocks[place] = take(reader, block.bytes, 1);
}

static uint64_t bytes_of_block(uint64_t bytes, uint64_t index)
{
    const uint64_t first = index * CAP_BLOCK_BYTES;
    return bytes - first < CAP_BLOCK_BYTES ? bytes - first : CAP_BLOCK_BYTES;
}

static void read_content(struct reader *reader)
{
    struct cap_content is;
    struct captured_content *content = &reader->contents[reader->at.of[CAP_CONTENT]];
    if (!take_fixed(reader, &is, sizeof is) || !is_numbered(reader, CAP_CONTENT, is.id))
        return;
    content->bytes = is.bytes;
    content->blocks = reader->blocks + reader->starts[reader->at.of[CAP_PROGRAM] - 1].of[CAP_BLOCK];
    content->ids = take(reader, is.block_count, sizeof *content->ids);
    const uint64_t blocks = is.bytes / CAP_BLOCK_BYTES + (is.bytes % CAP_BLOCK_BYTES != 0);
    if (!reader->wrong && blocks != is.block_count)
        reader->wrong = "a content has not the blocks of its size";
    for (uint64_t i = 0; !reader->wrong && i < blocks; i++) {
        if (content->ids[i] == 0)
            continue;
        const size_t place = place_of(reader, CAP_BLOCK, content->ids[i]);
        if (place == SIZE_MAX || place >= reader->at.of[CAP_BLOCK] ||
            reader->block_bytes[place] != bytes_of_block(is.bytes, i))
            reader->wrong = "a content names a block that does not fit";
    }
}

/* Returns the content with the identifier; NULL for 0, and, setting `wrong`, for a content not read
 * yet or of another size. */
static const struct captured_content *content_of(struct reader *reader, uint32_t id, uint64_t bytes)
{
    if (id == 0)
        return NULL;
    const size_t place = place_of(reader, CAP_CONTENT, id);
    if (place != SIZE_MAX && place < reader->at.of[CAP_CONTENT] &&
        reader->contents[place].bytes == bytes)
        return &reader->contents[place];
    reader->wrong = "a buffer names a content that does not fit";
    return NULL;
}

static void read_buffers(struct reader *reader, struct captured_launch *launch,
                         const struct cap_buffer *buffers, const char *names)
{
    const struct cap_launch *is = &launch->is;
    struct captured_buffer *out =
        arena_alloc(&reader->file->arena, (size_t)is->buffer_count + 1, sizeof *out);
    launch->buffers = out;
    reader->no_memory |= !out;
    for (uint32_t i = 0; out && !reader->wrong && i < is->buffer_count; i++) {
        if (buffers[i].name_offset >= is->name_bytes) {
            reader->wrong = "a buffer's name is not there";
            return;
        }
        out[i] = (struct captured_buffer){
            .is = buffers[i],
            .name = names + buffers[i].name_offset,
            .before = content_of(reader, buffers[i].before, buffers[i].bytes),
            .after = content_of(reader, buffers[i].after, buffers[i].bytes),
        };
        out[i].changed = out[i].before && out[i].after && out[i].before != out[i].after;
    }
}

static bool is_pointer_sound(const struct captured_launch *launch,
                             const struct cap_pointer *pointer)
{
    if (pointer->buffer >= launch->is.buffer_count ||
        pointer->offset > launch->buffers[pointer->buffer].is.bytes)
        return false;
    if (pointer->holder != CAP_IN_PARAMETERS && pointer->holder >= launch->is.buffer_count)
        return false;
    const uint64_t room = pointer->holder == CAP_IN_PARAMETERS
                              ? launch->is.parameter_bytes
                              : launch->buffers[pointer->holder].is.bytes;
    return room >= sizeof(uint64_t) && pointer->at <= room - sizeof(uint64_t);
}

static void read_launch(struct reader *reader)
{
    struct captured_launch *launch = &reader->launches[reader->at.of[CAP_LAUNCH]];
    if (!take_fixed(reader, &launch->is, sizeof launch->is))
        return;
    const struct cap_launch *is = &launch->is;
    launch->parameters = take(reader, is->parameter_bytes, 1);
    launch->attributes = take(reader, is->attribute_count, sizeof(struct cap_attribute));
    const struct cap_buffer *buffers = take(reader, is->buffer_count, sizeof *buffers);
    launch->pointers = take(reader, is->pointer_count, sizeof(struct cap_pointer));
    const char *names = take_text(reader, is->name_bytes);
    if (reader->wrong)
        return;
    launch->kernel = kernel_of(reader, is->kernel);
    const struct counts *start = &reader->starts[reader->at.of[CAP_PROGRAM] - 1];
    for (size_t i = start->of[CAP_DEVICE]; i < reader->at.of[CAP_DEVICE]; i++)
        if (reader->devices[i].is.ordinal == is->device)
            launch->device = &reader->devices[i];
    if (is->parameter_bytes > CAP_PARAMETER_BYTES_MAX)
        reader->wrong = "a launch has more parameters than any";
    if (!reader->wrong)
        read_buffers(reader, launch, buffers, names);
    for (uint32_t i = 0; !reader->wrong && !reader->no_memory && i < is->pointer_count; i++)
        if (!is_pointer_sound(launch, &launch->pointers[i]))
            reader->wrong = "an address leads nowhere";
}

static void read_note(struct reader *reader)
{
    struct captured_note *note = &reader->notes[reader->at.of[CAP_NOTE]];
    if (!take_fixed(reader, &note->is, sizeof note->is))
        return;
    note->program = program_at(reader);
    note->text = take_text(reader, note->is.text_bytes);
}

static void (*const readers[CAP_END])(struct reader *) = {
    [CAP_PROGRAM] = read_program, [CAP_DEVICE] = read_device, [CAP_IMAGE] = read_image,
    [CAP_KERNEL] = read_kernel,   [CAP_SHAPE] = read_shape,   [CAP_BLOCK] = read_block,
    [CAP_CONTENT] = read_content, [CAP_LAUNCH] = read_launch, [CAP_NOTE] = read_note,
};

/* Counts the records of each type before each process, and in all. Returns an array in the arena,
 * one longer than the processes; NULL if memory is short or *wrong is set. */
static const struct counts *count_records(struct capture_file *file, uint64_t first, uint64_t end,
                                          struct counts *all, const char **wrong)
{
    struct record record;
    struct counts count = {0}, *starts = NULL;
    size_t capacity = 0;
    for (uint64_t at = first; at < end; at += record.whole_bytes) {
        if (!record_at(file->data, end, at, &record))
            *wrong = "a record is cut";
        else if (record.type == CAP_PROGRAM &&
                 array_grow(&starts, count.of[CAP_PROGRAM], &capacity, sizeof *starts))
            starts[count.of[CAP_PROGRAM]] = count;
        else if (count.of[CAP_PROGRAM] == 0)
            *wrong = "records lie in front of their program";
        if (*wrong || count.of[CAP_PROGRAM] + (record.type == CAP_PROGRAM) > capacity)
            break;
        if (record.type < CAP_END)
            count.of[record.type]++;
    }
    struct counts *copy = arena_alloc(&file->arena, count.of[CAP_PROGRAM] + 1, sizeof *copy);
    if (copy && count.of[CAP_PROGRAM] > 0)
        memcpy(copy, starts, count.of[CAP_PROGRAM] * sizeof *copy);
    if (copy)
        copy[count.of[CAP_PROGRAM]] = count;
    *all = count;
    free(starts);
    return *wrong ? NULL : copy;
}

static bool make_room(struct reader *reader, const struct counts *all)
{
    struct arena *arena = &reader->file->arena;
#define ROOM(list, type) ((list) = arena_alloc(arena, all->of[type] + 1, sizeof *(list)))
    return ROOM(reader->programs, CAP_PROGRAM) && ROOM(reader->devices, CAP_DEVICE) &&
           ROOM(reader->images, CAP_IMAGE) && ROOM(reader->kernels, CAP_KERNEL) &&
           ROOM(reader->shapes, CAP_SHAPE) && ROOM(reader->launches, CAP_LAUNCH) &&
           ROOM(reader->notes, CAP_NOTE) && ROOM(reader->contents, CAP_CONTENT) &&
           ROOM(reader->blocks, CAP_BLOCK) && ROOM(reader->block_bytes, CAP_BLOCK);
#undef ROOM
}

/* Checks that the file is whole, by its end. *end is where the records end. */
static enum status check_end(const struct capture_file *file, bool is_own, uint64_t *end,
                             struct error *error)
{
    struct cap_end is;
    struct record record;
    char hash[HASH_TEXT_BYTES], expected[HASH_TEXT_BYTES];
    const uint64_t bytes = sizeof(struct cap_record_head) + sizeof is;
    if (head_bytes(file->data, file->bytes) == 0)
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: it is no capture that this tune reads (version %d): make one with "
                         "'tune capture'",
                         file->path, CAP_VERSION);
    *end = file->bytes < bytes ? 0 : file->bytes - bytes;
    if (!record_at(file->data, file->bytes, *end, &record) || record.type != CAP_END)
        return error_set(error, STATUS_BAD_INPUT, "%s: it was cut: capture again", file->path);
    memcpy(&is, record.fixed, sizeof is);
    hash_text_of(is.hash, expected);
    if (is_own)
        return STATUS_OK;
    hash_bytes(file->data, *end, hash);
    if (is.bytes != *end || strcmp(expected, hash) != 0)
        return error_set(error, STATUS_BAD_INPUT, "%s: it is damaged: capture again", file->path);
    return STATUS_OK;
}

static enum status read_all(struct capture_file *file, bool is_own, struct error *error)
{
    struct reader reader = {.file = file};
    struct counts all;
    uint64_t end = 0;
    TRY(check_end(file, is_own, &end, error));
    uint64_t at = head_bytes(file->data, file->bytes);
    reader.starts = count_records(file, at, end, &all, &reader.wrong);
    reader.no_memory = !reader.wrong && (!reader.starts || !make_room(&reader, &all));
    while (at < end && !reader.wrong && !reader.no_memory) {
        (void)record_at(file->data, end, at,
                        &reader.record); /* succeeded before, in count_records */
        reader.taken = 0;
        const uint32_t type = reader.record.type;
        if (type < CAP_END) {
            if (readers[type]) /* unknown types are a later version's */
                readers[type](&reader);
            reader.at.of[type]++;
        }
        at += reader.record.whole_bytes;
    }
    if (reader.no_memory)
        return error_no_memory(error);
    if (reader.wrong)
        return error_set(error, STATUS_BAD_INPUT, "%s: byte %llu: %s", file->path,
                         (unsigned long long)at, reader.wrong);
    file->view = (struct capture){
        .programs = reader.programs,
        .devices = reader.devices,
        .images = reader.images,
        .kernels = reader.kernels,
        .shapes = reader.shapes,
        .launches = reader.launches,
        .notes = reader.notes,
        .program_count = all.of[CAP_PROGRAM],
        .device_count = all.of[CAP_DEVICE],
        .image_count = all.of[CAP_IMAGE],
        .kernel_count = all.of[CAP_KERNEL],
        .shape_count = all.of[CAP_SHAPE],
        .launch_count = all.of[CAP_LAUNCH],
        .note_count = all.of[CAP_NOTE],
        .file_bytes = file->bytes,
        .file = file,
    };
    return STATUS_OK;
}

/* Unpacks the file into an unnamed one, if packed. Closes *opened and replaces it. */
static enum status unpack(const char *path, int64_t deadline_ns, int *opened, struct error *error)
{
    const enum packing packing = packing_of(*opened);
    if (packing == PACKING_NONE)
        return STATUS_OK;
    const char *folder = getenv("TMPDIR");
    const int unpacked =
        open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (unpacked < 0)
        return error_set_errno(error, errno, "%s: no place to unpack it", path);
    enum status status = packed_run(packing, true, *opened, unpacked, deadline_ns, path, error);
    (void)close(*opened);
    *opened = unpacked;
    return status;
}

static enum status open_file(const char *path, bool is_own, int64_t deadline_ns,
                             struct capture **out, struct error *error)
{
    struct stat info;
    *out = NULL;
    struct capture_file *file = calloc(1, sizeof *file);
    TRY_MEMORY(file);
    int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    enum status status = STATUS_OK;
    if (opened < 0)
        TRY_OR_CLEANUP(error_set_errno(error, errno, "%s", path));
    if (fstat(opened, &info) != 0 || !S_ISREG(info.st_mode))
        TRY_OR_CLEANUP(error_set(error, STATUS_BAD_INPUT, "%s: it is no file", path));
    TRY_OR_CLEANUP(unpack(path, deadline_ns, &opened, error));
    if (fstat(opened, &info) != 0)
        TRY_OR_CLEANUP(error_set_errno(error, errno, "%s", path));
    file->path = path;
    file->bytes = (uint64_t)info.st_size;
    void *data =
        file->bytes > 0 ? mmap(NULL, file->bytes, PROT_READ, MAP_PRIVATE, opened, 0) : MAP_FAILED;
    file->data = data == MAP_FAILED ? NULL : data;
    status = file->data ? read_all(file, is_own, error)
                        : error_set(error, STATUS_BAD_INPUT, "%s: it is empty", path);
cleanup:
    file_close(opened);
    if (status == STATUS_OK)
        *out = &file->view;
    else
        capture_close(&file->view);
    return status;
}

enum status capture_open(const char *path, struct capture **out, struct error *error)
{
    return open_file(path, false, 0, out, error);
}

enum status capture_open_by(const char *path, int64_t deadline_ns, struct capture **out,
                            struct error *error)
{
    return open_file(path, false, deadline_ns, out, error);
}

enum status capture_open_own(const char *path, struct capture **out, struct error *error)
{
    return open_file(path, true, 0, out, error);
}

void capture_close(struct capture *capture)
{
    struct capture_file *file = (struct capture_file *)(void *)capture;
    if (!file)
        return;
    if (file->data)
        (void)munmap(file->data, file->bytes);
    arena_free(&file->arena);
    free(file);
}

const void *captured_part(const struct captured_content *content, uint64_t first, uint64_t *bytes)
{
    static const uint8_t zeros[CAP_BLOCK_BYTES];
    const uint64_t index = first / CAP_BLOCK_BYTES, inside = first % CAP_BLOCK_BYTES;
    *bytes = bytes_of_block(content->bytes, index) - inside;
    return (content->ids[index] == 0 ? zeros : content->blocks[content->ids[index] - 1]) + inside;
}

bool captured_read(const struct captured_content *content, uint64_t first, uint64_t bytes,
                   void *out)
{
    uint8_t *to = out;
    if (first > content->bytes || bytes > content->bytes - first)
        return false;
    while (bytes > 0) {
        uint64_t part = 0;
        const void *from = captured_part(content, first, &part);
        part = part < bytes ? part : bytes;
        memcpy(to, from, part);
        to += part;
        first += part;
        bytes -= part;
    }
    return true;
}
