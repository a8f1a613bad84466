/* A growing text, and words near to one another. */
#ifndef TUNE_BASE_TEXT_H
#define TUNE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise. `data` is NUL-terminated or, while nothing was appended, NULL. When memory runs
 * out `failed` is set and stays so, and further appends do nothing: check once, at the end. */
struct text {
    char *data;
    size_t length;
    size_t capacity;
    bool failed;
};

void text_append(struct text *text, const char *string);
void text_append_bytes(struct text *text, const void *data, size_t bytes);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "" when empty; never NULL. */
const char *text_string(const struct text *text);
void text_clear(struct text *text);
void text_free(struct text *text);
/* A copy that belongs to the arena; NULL when memory is or was short. Frees the text. */
struct arena;
char *text_to_arena(struct text *text, struct arena *arena);

bool text_ends_with(const char *text, const char *end);
/* "1.270 us": a time in four figures, in ns, us (called `micro`), ms or s. Gives `out`. */
enum { TIME_TEXT_BYTES = 32 };
const char *time_text(double ns, const char *micro, char out[TIME_TEXT_BYTES]);

/* Bytes of the well-formed UTF-8 character there (Unicode 15, table 3-7), 1 for the NUL that ends a
 * string; 0: it is none. */
size_t utf8_bytes(const char *character);
/* The code point of a character that utf8_bytes found well-formed, of so many bytes. */
unsigned long utf8_code(const char *character, size_t bytes);

/* Control characters (C0 with newline and tab, DEL, C1) become blanks, bytes that are no UTF-8 and
 * could be one in another encoding a '?': what others wrote must not command a terminal. */
void text_make_printable(char *text);

/* What a name begins and goes on with, in C, C++ and Python: letters of ASCII, digits and _. */
static inline bool name_begins(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static inline bool name_goes_on(char c)
{
    return name_begins(c) || (c >= '0' && c <= '9');
}
/* How many of those that go on begin there. */
size_t word_bytes(const char *at, const char *end);
const char *skip_blanks(const char *at, const char *end);
/* A whole name, of at most 63 bytes. */
bool is_name(const char *text);
/* Of a name of C++ what is behind the last "::": "total" of "own::total". */
const char *unqualified_name(const char *name);

/* The word nearest to `word` by edits (insert, delete, replace, swap of neighbours), or NULL when
 * none is within a third of its length (at least 1, at most 3). `words` need not be sorted. */
const char *nearest_word(const char *word, const char *const *words, size_t count);

/* snprintf that tells of a cut: false when `format` did not fit; the result is NUL-terminated. */
bool string_format(char *out, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
