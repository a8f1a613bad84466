#include "tuner/base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Chunks double, so that a small arena stays small. */
enum { CHUNK_MIN_BYTES = 512, CHUNK_MAX_BYTES = 16384 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t used;
    size_t capacity;
    _Alignas(max_align_t) unsigned char data[];
};

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
    const size_t alignment = _Alignof(max_align_t);
    if (size != 0 && count > (SIZE_MAX / 2) / size) {
        arena->failed = true;
        return NULL;
    }
    size_t bytes = (count * size + alignment - 1) / alignment * alignment;
    struct arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->capacity - chunk->used < bytes) {
        size_t capacity = chunk ? 2 * chunk->capacity : CHUNK_MIN_BYTES;
        capacity = capacity > CHUNK_MAX_BYTES ? CHUNK_MAX_BYTES : capacity;
        capacity = capacity < bytes ? bytes : capacity;
        chunk = malloc(sizeof *chunk + capacity);
        if (!chunk) {
            arena->failed = true;
            return NULL;
        }
        *chunk = (struct arena_chunk){.next = arena->chunks, .capacity = capacity};
        arena->chunks = chunk;
    }
    void *result = chunk->data + chunk->used;
    chunk->used += bytes;
    memset(result, 0, bytes);
    return result;
}

void *arena_copy(struct arena *arena, const void *data, size_t bytes)
{
    void *copy = arena_alloc(arena, bytes, 1);
    if (copy && bytes > 0)
        memcpy(copy, data, bytes);
    return copy;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strlen(text));
}

char *arena_vprintf(struct arena *arena, const char *format, va_list arguments)
{
    va_list copy;
    va_copy(copy, arguments);
    const int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    char *text = length < 0 ? NULL : arena_alloc(arena, (size_t)length + 1, 1);
    if (text)
        (void)vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = arena_vprintf(arena, format, arguments);
    va_end(arguments);
    return text;
}

void arena_free(struct arena *arena)
{
    struct arena_chunk *chunk = arena->chunks;
    while (chunk) {
        struct arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    *arena = (struct arena){0};
}
