#include "frontends/capture/library/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { FILES_MAX = 10000, FIRST_SLOTS = 1024 };

static uint64_t padded(uint64_t bytes)
{
    return (bytes + CAP_ALIGN - 1) / CAP_ALIGN * CAP_ALIGN;
}

void cap_hash(const void *data, size_t bytes, uint8_t out[CAP_HASH_BYTES])
{
    const XXH128_hash_t hash = XXH3_128bits(data, bytes);
    for (unsigned i = 0; i < 8; i++) {
        out[i] = (uint8_t)(hash.high64 >> (56 - 8 * i));
        out[8 + i] = (uint8_t)(hash.low64 >> (56 - 8 * i));
    }
}

/* Blocks SIGXFSZ, which a file beyond its size limit raises and which would end the program, and
 * removes it unless it was pending before. */
struct held {
    sigset_t before;
    bool was_pending;
};

static struct held hold_signal(void)
{
    struct held held;
    sigset_t set, pending;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGXFSZ);
    (void)pthread_sigmask(SIG_BLOCK, &set, &held.before);
    held.was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
    return held;
}

static void release_signal(const struct held *held)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGXFSZ);
    if (!held->was_pending)
        (void)sigtimedwait(&set, NULL, &(struct timespec){0});
    (void)pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}

/* ---- the table ---- */

/* Maps the next chunk, with disk blocks allocated in advance: a page without space would end the
 * program. */
static bool next_chunk(struct cap_table *table)
{
    const off_t at = (off_t)(table->chunks * CAP_TABLE_BYTES);
    const struct held held = hold_signal();
    const int file = open(table->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    void *chunk = MAP_FAILED;
    if (file >= 0 && posix_fallocate(file, at, CAP_TABLE_BYTES) == 0)
        chunk = mmap(NULL, CAP_TABLE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, at);
    if (file >= 0 && chunk == MAP_FAILED)
        (void)!ftruncate(file, at);
    if (file >= 0)
        (void)close(file);
    release_signal(&held);
    if (chunk == MAP_FAILED) {
        table->failed = true;
        return false;
    }
    table->chunk = chunk;
    table->chunks++;
    table->used = 0;
    return true;
}

bool cap_table_open(struct cap_table *table, const char *folder, long pid, char data_path[PATH_MAX])
{
    const struct cap_file_head head = {{CAP_MAGIC}, CAP_VERSION, sizeof head};
    *table = (struct cap_table){.failed = true};
    for (int i = 0; i < FILES_MAX; i++) {
        const int length =
            snprintf(table->path, sizeof table->path, "%s/%ld-%d.table", folder, pid, i);
        if (length < 0 || (size_t)length >= sizeof table->path)
            return false;
        const int file =
            open(table->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file < 0 && errno == EEXIST)
            continue;
        if (file < 0)
            return false;
        (void)close(file);
        (void)snprintf(data_path, PATH_MAX, "%s/%ld-%d.data", folder, pid, i);
        if (!next_chunk(table))
            return false;
        memcpy(table->chunk, &head, sizeof head);
        table->used = sizeof head;
        table->failed = false;
        return true;
    }
    return false;
}

static void copy_part(uint8_t **to, const void *data, uint64_t bytes)
{
    if (bytes > 0)
        memcpy(*to, data, bytes);
    *to += padded(bytes);
}

/* Returns the size of the structure and parts without the last padding. */
static uint64_t record_bytes(uint32_t fixed_bytes, const struct cap_part *parts, size_t count)
{
    uint64_t bytes = fixed_bytes;
    for (size_t i = 0; i < count; i++)
        bytes = padded(bytes) + parts[i].bytes;
    return bytes;
}

void *cap_table_add(struct cap_table *table, enum cap_type type, const void *fixed,
                    uint32_t fixed_bytes, const struct cap_part *parts, size_t part_count)
{
    struct cap_record_head head = {CAP_NONE, fixed_bytes,
                                   record_bytes(fixed_bytes, parts, part_count)};
    const uint64_t whole = sizeof head + padded(head.bytes);
    if (table->failed || whole > CAP_TABLE_BYTES / 2)
        return NULL;
    /* The rest of a chunk is room. */
    if (CAP_TABLE_BYTES - table->used < whole + sizeof head) {
        struct cap_record_head skipped = {CAP_ROOM, 0,
                                          CAP_TABLE_BYTES - table->used - sizeof skipped};
        uint8_t *at = table->chunk + table->used;
        if (!next_chunk(table))
            return NULL;
        memcpy(at, &skipped, sizeof skipped);
    }
    uint8_t *record = table->chunk + table->used, *to = record + sizeof head;
    copy_part(&to, fixed, fixed_bytes);
    for (size_t i = 0; i < part_count; i++)
        copy_part(&to, parts[i].data, parts[i].bytes);
    table->used += whole;
    head.type = (uint32_t)type;
    memcpy(record, &head, sizeof head);
    return record + sizeof head;
}

/* ---- the data ---- */

struct cap_slot {
    uint8_t hash[CAP_HASH_BYTES];
    uint32_t id; /* 0: free */
};

static struct cap_slot *find_slot(struct cap_slot *slots, size_t capacity,
                                  const uint8_t hash[CAP_HASH_BYTES])
{
    size_t place = 0;
    memcpy(&place, hash, sizeof place);
    for (;; place++) {
        struct cap_slot *slot = &slots[place & (capacity - 1)];
        if (slot->id == 0 || memcmp(slot->hash, hash, CAP_HASH_BYTES) == 0)
            return slot;
    }
}

/* Returns the hash's slot, new (id 0) or known; NULL if memory is short. */
static struct cap_slot *index_slot(struct cap_index *index, const uint8_t hash[CAP_HASH_BYTES])
{
    if (2 * (index->count + 1) > index->capacity) {
        const size_t capacity = index->capacity > 0 ? 2 * index->capacity : FIRST_SLOTS;
        struct cap_slot *slots = calloc(capacity, sizeof *slots);
        if (!slots)
            return NULL;
        for (size_t i = 0; i < index->capacity; i++)
            if (index->slots[i].id != 0)
                *find_slot(slots, capacity, index->slots[i].hash) = index->slots[i];
        free(index->slots);
        index->slots = slots;
        index->capacity = capacity;
    }
    struct cap_slot *slot = find_slot(index->slots, index->capacity, hash);
    memcpy(slot->hash, hash, CAP_HASH_BYTES);
    return slot;
}

void cap_writer_start(struct cap_writer *writer, const char *path, bool has_room)
{
    *writer = (struct cap_writer){.file = -1, .has_room = has_room};
    (void)snprintf(writer->path, sizeof writer->path, "%s", path);
}

void cap_writer_rest(struct cap_writer *writer)
{
    if (writer->file >= 0)
        (void)close(writer->file);
    writer->file = -1;
}

void cap_writer_end(struct cap_writer *writer)
{
    cap_writer_rest(writer);
    free(writer->known_blocks.slots);
    free(writer->known_contents.slots);
    writer->known_blocks = writer->known_contents = (struct cap_index){0};
}

static bool write_all(struct cap_writer *writer, const void *data, uint64_t bytes, uint64_t *at)
{
    const char *from = data;
    while (bytes > 0) {
        const ssize_t written = pwrite(writer->file, from, bytes, (off_t)*at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        from += written;
        *at += (uint64_t)written;
        bytes -= (uint64_t)written;
    }
    return true;
}

static bool write_padded(struct cap_writer *writer, const void *data, uint64_t bytes, uint64_t *at)
{
    static const char zeros[CAP_ALIGN];
    return write_all(writer, data, bytes, at) &&
           write_all(writer, zeros, padded(bytes) - bytes, at);
}

static bool write_record(struct cap_writer *writer, const struct cap_record_head *head,
                         const void *fixed, const struct cap_part *parts, size_t part_count)
{
    const struct cap_file_head first = {{CAP_MAGIC}, CAP_VERSION, sizeof first};
    uint64_t at = writer->bytes;
    if (writer->file < 0)
        writer->file = open(writer->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool good = writer->file >= 0;
    if (good && at == 0) {
        const struct cap_record_head room = {CAP_ROOM, 0, CAP_ROOM_BYTES};
        good = write_all(writer, &first, sizeof first, &at) &&
               (!writer->has_room || write_all(writer, &room, sizeof room, &at));
        at += writer->has_room ? CAP_ROOM_BYTES : 0; /* a hole */
    }
    good = good && write_all(writer, head, sizeof *head, &at) &&
           write_padded(writer, fixed, head->fixed_bytes, &at);
    for (size_t i = 0; i < part_count && good; i++)
        good = write_padded(writer, parts[i].data, parts[i].bytes, &at);
    if (good)
        writer->bytes = at;
    else if (writer->file >= 0)
        (void)!ftruncate(writer->file, (off_t)writer->bytes);
    return good;
}

bool cap_write(struct cap_writer *writer, enum cap_type type, const void *fixed,
               uint32_t fixed_bytes, const struct cap_part *parts, size_t part_count)
{
    const struct cap_record_head head = {(uint32_t)type, fixed_bytes,
                                         record_bytes(fixed_bytes, parts, part_count)};
    if (writer->failed)
        return false;
    const struct held held = hold_signal();
    writer->failed = !write_record(writer, &head, fixed, parts, part_count);
    release_signal(&held);
    return !writer->failed;
}

/* Returns the block's identifier; UINT32_MAX if it was not kept. */
static uint32_t block_id(struct cap_writer *writer, const uint8_t *data, uint64_t bytes)
{
    struct cap_block block = {.bytes = (uint32_t)bytes};
    uint8_t hash[CAP_HASH_BYTES];
    if (bytes == 0 || (data[0] == 0 && memcmp(data, data + 1, bytes - 1) == 0)) /* zeros */
        return 0;
    cap_hash(data, bytes, hash);
    hash[0] ^= (uint8_t)bytes; /* blocks of different sizes are different */
    hash[1] ^= (uint8_t)(bytes >> 8);
    struct cap_slot *slot = index_slot(&writer->known_blocks, hash);
    if (!slot)
        return UINT32_MAX;
    if (slot->id != 0)
        return slot->id;
    const struct cap_part part = {data, bytes};
    block.id = writer->blocks + 1;
    if (!cap_write(writer, CAP_BLOCK, &block, sizeof block, &part, 1))
        return UINT32_MAX;
    slot->id = ++writer->blocks;
    writer->known_blocks.count++;
    return slot->id;
}

static uint64_t block_count(uint64_t bytes)
{
    return bytes / CAP_BLOCK_BYTES + (bytes % CAP_BLOCK_BYTES != 0);
}

bool cap_contents_begin(struct cap_contents *contents, uint64_t bytes)
{
    *contents = (struct cap_contents){.bytes = bytes};
    contents->ids = calloc(block_count(bytes) + 1, sizeof *contents->ids);
    return contents->ids != NULL;
}

bool cap_contents_add(struct cap_writer *writer, struct cap_contents *contents, const void *data,
                      uint64_t bytes)
{
    const uint8_t *from = data;
    while (bytes > 0 && contents->ids) {
        const uint64_t part = bytes < CAP_BLOCK_BYTES ? bytes : CAP_BLOCK_BYTES;
        const uint32_t id = block_id(writer, from, part);
        if (id == UINT32_MAX) {
            free(contents->ids);
            contents->ids = NULL;
            break;
        }
        contents->ids[contents->added / CAP_BLOCK_BYTES] = id;
        contents->added += part;
        from += part;
        bytes -= part;
    }
    return contents->ids != NULL;
}

uint32_t cap_contents_end(struct cap_writer *writer, struct cap_contents *contents)
{
    uint32_t id = 0;
    if (contents->ids && contents->added == contents->bytes) {
        uint8_t hash[CAP_HASH_BYTES], size[sizeof contents->bytes];
        const struct cap_part part = {contents->ids,
                                      block_count(contents->bytes) * sizeof *contents->ids};
        cap_hash(part.data, part.bytes, hash);
        memcpy(size, &contents->bytes, sizeof size);
        for (size_t i = 0; i < sizeof size; i++)
            hash[i] ^= size[i];
        struct cap_slot *slot = index_slot(&writer->known_contents, hash);
        const struct cap_content content = {
            writer->contents + 1, (uint32_t)block_count(contents->bytes), contents->bytes};
        if (slot && slot->id == 0 &&
            cap_write(writer, CAP_CONTENT, &content, sizeof content, &part, 1)) {
            slot->id = ++writer->contents;
            writer->known_contents.count++;
        }
        id = slot ? slot->id : 0;
    }
    free(contents->ids);
    contents->ids = NULL;
    return id;
}
