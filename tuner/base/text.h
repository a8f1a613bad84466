/* A growing text, and text utilities. */
#ifndef TUNE_BASE_TEXT_H
#define TUNE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise. `data` is NUL-terminated, or NULL before the first append. When memory runs out
 * `failed` is set for good, and further appends have no effect: check once, at the end. */
struct text {
    char *data;
    size_t length;
    size_t capacity;
    bool failed;
};

void text_append(struct text *text, const char *string);
void text_append_bytes(struct text *text, const void *data, size_t bytes);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the text; "" when empty, never NULL. */
const char *text_string(const struct text *text);
void text_clear(struct text *text);
void text_free(struct text *text);
/* Moves the text to the arena; NULL when memory is or was short. */
struct arena;
char *text_to_arena(struct text *text, struct arena *arena);

bool text_ends_with(const char *text, const char *end);
/* Writes "1.270 us" to `out`: a time in four digits, in ns, us (spelt as `micro`), ms or s. Returns
 * `out`. */
enum { TIME_TEXT_BYTES = 32 };
const char *time_text(double ns, const char *micro, char out[TIME_TEXT_BYTES]);
/* Appends 1234567 as "1,234,567"; UINT64_MAX, more than can be counted, as "over 1.8e19". */
void text_append_count(struct text *text, uint64_t count);

/* Returns the length of the well-formed UTF-8 character (Unicode 15, table 3-7), 1 for the NUL that
 * ends a string; 0: malformed. */
size_t utf8_bytes(const char *character);
/* Returns the code point of a well-formed character of `bytes` bytes. */
unsigned long utf8_code(const char *character, size_t bytes);

/* Replaces each byte of invalid UTF-8 by '?'; the text ends with a NUL. */
void utf8_repair(char *text, size_t length);

/* Replaces control characters (C0 with newline and tab, DEL, C1) by blanks, and bytes that are
 * invalid UTF-8 and below 0xa0 by '?': text from others must not control a terminal. */
void text_make_printable(char *text);

/* Return whether a character may begin or continue a name in C, C++ and Python: ASCII letters,
 * digits and _. */
static inline bool name_begins(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static inline bool is_name_character(char c)
{
    return name_begins(c) || (c >= '0' && c <= '9');
}
/* Counts the characters from `at` on that continue a name. */
size_t word_bytes(const char *at, const char *end);
const char *skip_blanks(const char *at, const char *end);
/* Returns whether the text is a name of at most 63 bytes. */
bool is_name(const char *text);
/* Returns the part of a C++ name behind the last "::": "total" of "own::total". */
const char *unqualified_name(const char *name);

/* Returns the index of the first word that equals `word`; `count`: none. `words` is the address of
 * the first, `stride` bytes before the next. */
size_t word_find(const char *word, const void *words, size_t count, size_t stride);
/* Finds a word in a list of words, or in a member of a table's rows. */
#define WORD_INDEX(word, words, count) word_find(word, words, count, sizeof(const char *))
#define ROW_INDEX(word, table, member)                                                             \
    word_find(word, &(table)->member, sizeof(table) / sizeof *(table), sizeof *(table))
/* Returns whether the word is in the list: words with blanks between. */
bool word_is_in(const char *word, size_t length, const char *list);
/* Appends the words, between blanks, that are none of the others'. */
void text_append_others(struct text *text, const char *words, const char *others);

/* Returns the word nearest to `word` by edits (insert, delete, replace, swap of neighbours), or
 * NULL when none is within a third of its length (at least 1, at most 3). `words` need not be
 * sorted. */
const char *nearest_word(const char *word, const char *const *words, size_t count);

/* Names a problem, as "reduce.sum.i32 n=65536"; by its key alone with n = 1, as of problems without
 * a size or with several, which the key holds. */
struct problem_name {
    char text[160];
};
struct problem_name problem_name(const char *key, int64_t n);

/* Counts things named in the singular: "1 trial", "2 trials", "3 launches", "4 more entries".
 * Each noun has two letters at least. */
struct count_text {
    char text[64];
};
struct count_text count_text(uint64_t count, const char *noun);

/* Formats as snprintf does, and returns false when the text was cut; the result is
 * NUL-terminated. */
bool string_format(char *out, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
