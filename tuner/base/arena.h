/* Memory that is freed all at once: what a file, a message or a request is made of. */
#ifndef TUNE_BASE_ARENA_H
#define TUNE_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct arena_chunk;

/* Zero-initialise: `struct arena arena = {0};`. Not shared between threads. */
struct arena {
    struct arena_chunk *chunks;
    bool failed; /* memory was short once; until arena_free */
};

/* Zeroed and aligned for any type; NULL when memory is short or count * size overflows. Owned by
 * the arena. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
/* A copy of `bytes` bytes; NULL when memory is short. */
void *arena_copy(struct arena *arena, const void *data, size_t bytes);
/* Frees all; the arena can be used again. */
void arena_free(struct arena *arena);

#endif
