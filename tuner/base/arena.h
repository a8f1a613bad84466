/* Memory that is freed all at once: a file's, a message's or a request's. */
#ifndef TUNE_BASE_ARENA_H
#define TUNE_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct arena_chunk;

/* Zero-initialise: `struct arena arena = {0};`. Not shared between threads. */
struct arena {
    struct arena_chunk *chunks;
    bool failed; /* memory ran short; cleared by arena_free */
};

/* Allocates zeroed memory, aligned for any type, owned by the arena. Returns NULL when memory is
 * short or count * size overflows. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
/* Copies `bytes` bytes; NULL when memory is short. */
void *arena_copy(struct arena *arena, const void *data, size_t bytes);
/* Frees all memory; the arena can be used again. */
void arena_free(struct arena *arena);

#endif
