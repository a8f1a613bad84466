#include "tuner/base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/arena.h"

static bool reserve(struct text *text, size_t extra)
{
    if (text->failed)
        return false;
    if (extra > SIZE_MAX / 4 - text->length) {
        text->failed = true;
        return false;
    }
    size_t needed = text->length + extra + 1;
    if (needed <= text->capacity)
        return true;
    size_t capacity = needed * 2 < 64 ? 64 : needed * 2;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void text_append_bytes(struct text *text, const void *data, size_t bytes)
{
    if (!reserve(text, bytes))
        return;
    if (bytes > 0)
        memcpy(text->data + text->length, data, bytes);
    text->length += bytes;
    text->data[text->length] = '\0';
}

void text_append(struct text *text, const char *string)
{
    text_append_bytes(text, string, strlen(string));
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(text, (size_t)length)) {
        text->failed = true;
        return;
    }
    va_start(arguments, format);
    (void)vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

const char *text_string(const struct text *text)
{
    return text->data ? text->data : "";
}

void text_append_count(struct text *text, uint64_t count)
{
    char digits[32];
    if (count == UINT64_MAX) {
        text_append(text, "over 1.8e19");
        return;
    }
    (void)string_format(digits, sizeof digits, "%llu", (unsigned long long)count);
    const size_t length = strlen(digits);
    for (size_t i = 0; i < length; i++)
        text_printf(text, "%s%c", i > 0 && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

void text_clear(struct text *text)
{
    text->length = 0;
    if (text->data)
        text->data[0] = '\0';
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

char *text_to_arena(struct text *text, struct arena *arena)
{
    char *copy = text->failed ? NULL : arena_strdup(arena, text_string(text));
    arena->failed |= !copy;
    text_free(text);
    return copy;
}

enum { LONGEST_WORD = 63 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns the optimal string alignment distance (Damerau-Levenshtein without overlapping swaps). */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST_WORD + 1];
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = smaller(smaller(above[j] + 1, row[j - 1] + 1), above[j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

size_t word_find(const char *word, const void *words, size_t count, size_t stride)
{
    size_t index = 0;
    for (const char *at = words; index < count; index++, at += stride) {
        const char *other = NULL;
        memcpy(&other, at, sizeof other);
        if (strcmp(other, word) == 0)
            break;
    }
    return index;
}

bool word_is_in(const char *word, size_t length, const char *list)
{
    for (size_t own; *list; list += own + strspn(list + own, " ")) {
        own = strcspn(list, " ");
        if (own == length && memcmp(list, word, length) == 0)
            return true;
    }
    return false;
}

void text_append_others(struct text *text, const char *words, const char *others)
{
    size_t length = 0;
    for (const char *word = words; *word; word += length + strspn(word + length, " ")) {
        length = strcspn(word, " ");
        if (!word_is_in(word, length, others))
            text_printf(text, "%s%.*s", text->length > 0 ? " " : "", (int)length, word);
    }
}

const char *nearest_word(const char *word, const char *const *words, size_t count)
{
    size_t length = strlen(word);
    if (length == 0 || length > LONGEST_WORD)
        return NULL;
    size_t best_distance = smaller(length < 3 ? 1 : length / 3, 3) + 1;
    const char *best = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(words[i]);
        if (other > LONGEST_WORD)
            continue;
        size_t distance = edit_distance(word, length, words[i], other);
        if (distance < best_distance) {
            best_distance = distance;
            best = words[i];
        }
    }
    return best;
}

bool string_format(char *out, size_t bytes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(out, bytes, format, arguments);
    va_end(arguments);
    return length >= 0 && (size_t)length < bytes;
}

const char *time_text(double ns, const char *micro, char out[TIME_TEXT_BYTES])
{
    const char *const units[] = {"ns", micro, "ms", "s"};
    size_t unit = 0;
    while (fabs(ns) >= 999.95 && unit < 3) {
        ns /= 1000;
        unit++;
    }
    const int digits = fabs(ns) < 9.9995 ? 3 : fabs(ns) < 99.995 ? 2 : 1;
    (void)string_format(out, TIME_TEXT_BYTES, "%.*f %s", digits, ns, units[unit]);
    return out;
}

bool text_ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);
    const size_t end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

size_t utf8_bytes(const char *character)
{
    const unsigned char *at = (const unsigned char *)character;
    unsigned char lead = at[0];
    size_t bytes = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (bytes == 0 || lead > 0xf4)
        return 0;
    /* A NUL ends the string and is no continuation byte, so the loop never reads past the end. */
    for (size_t i = 1; i < bytes; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (lead == 0xe0 && at[1] < 0xa0) || (lead == 0xf0 && at[1] < 0x90);
    bool surrogate = lead == 0xed && at[1] > 0x9f;
    bool too_large = lead == 0xf4 && at[1] > 0x8f;
    return overlong || surrogate || too_large ? 0 : bytes;
}

unsigned long utf8_code(const char *character, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)character;
    unsigned long code = bytes == 1 ? at[0] : at[0] & (0xffU >> (bytes + 1));
    for (size_t i = 1; i < bytes; i++)
        code = code << 6 | (at[i] & 0x3fU);
    return code;
}

void utf8_repair(char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        const size_t bytes = utf8_bytes(text + i);
        if (bytes == 0)
            text[i] = '?';
        i += bytes > 0 ? bytes : 1;
    }
}

void text_make_printable(char *text)
{
    char *end = text;
    while (*end >= ' ' && *end <= '~') /* all of most texts */
        end++;
    for (const char *at = end; *at;) {
        const unsigned char byte = (unsigned char)*at;
        size_t bytes = utf8_bytes(at);
        const bool c1 = bytes == 2 && byte == 0xc2 && (unsigned char)at[1] < 0xa0;
        if (byte < 0x20 || byte == 0x7f || c1) {
            *end++ = ' ';
        } else if (bytes == 0 && byte < 0xa0) {
            *end++ = '?';
        } else {
            memmove(end, at, bytes > 0 ? bytes : 1);
            end += bytes > 0 ? bytes : 1;
        }
        at += bytes > 0 ? bytes : 1;
    }
    *end = '\0';
}

size_t word_bytes(const char *at, const char *end)
{
    size_t length = 0;
    while (at + length < end && is_name_character(at[length]))
        length++;
    return length;
}

const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

bool is_name(const char *text)
{
    enum { NAME_BYTES = 64 }; /* including NUL; equals VALUE_TEXT_BYTES */
    size_t length = 0;
    while (is_name_character(text[length]))
        length++;
    return name_begins(text[0]) && text[length] == '\0' && length < NAME_BYTES;
}

const char *unqualified_name(const char *name)
{
    const char *last = strrchr(name, ':');
    return last ? last + 1 : name;
}

struct problem_name problem_name(const char *key, int64_t n)
{
    struct problem_name name;
    if (n == 1)
        (void)string_format(name.text, sizeof name.text, "%s", key);
    else
        (void)string_format(name.text, sizeof name.text, "%s n=%lld", key, (long long)n);
    return name;
}

struct count_text count_text(uint64_t count, const char *noun)
{
    const size_t length = strlen(noun);
    const char *end = noun + length - 2;
    const bool turns = end[1] == 'y' && !strchr("aeou", end[0]); /* entry, not array */
    const bool hisses = strchr("sx", end[1]) || strcmp(end, "ch") == 0 || strcmp(end, "sh") == 0;
    const char *ending = count == 1 ? "" : turns ? "ies" : hisses ? "es" : "s";
    struct count_text out = {0};
    (void)string_format(out.text, sizeof out.text, "%llu %.*s%s", (unsigned long long)count,
                        (int)(length - (count != 1 && turns)), noun, ending);
    return out;
}
