#ifndef _POSIX_C_SOURCE
/* open, fstat, read: a FIFO must not hang. NOLINTNEXTLINE(cert-dcl37-c,cert-dcl51-cpp) */
#define _POSIX_C_SOURCE 200809L
#endif
#include "tuned.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__APPLE__)
#define st_mtim st_mtimespec
#endif
/* Small code also at -O2: times are those of memory, not of instructions, but for what look-ups
 * and the fields of a line run through. Clang leaves no room between functions that are cold, and
 * makes less of some that are not inlined. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#pragma clang attribute push(__attribute__((cold)), apply_to = function)
#define FAST
#define APART __attribute__((noinline))
#elif defined(__GNUC__) && defined(__OPTIMIZE__)
#pragma GCC optimize("Os")
#define FAST __attribute__((optimize("O2")))
#define APART
#else
#define FAST
#define APART
#endif
#if defined(__GNUC__)
#define INLINE      __attribute__((always_inline)) static inline
#define PRINTF_LIKE __attribute__((format(printf, 2, 3)))
#else
#define INLINE static
#define PRINTF_LIKE
#endif

enum { FIELDS_MAX = 128 }; /* on one side of a line's '|' */

/* Names are numbered: each is stored once, and an index of tuned_value_index is such a number.
 * Those that libtuned itself reads come first; 0 is none. */
#define KNOWN_NAMES(X)                                                                             \
    X(NONE, "")                                                                                    \
    X(N, "n")                                                                                      \
    X(AT, "at")                                                                                    \
    X(TIME_NS, "time_ns")                                                                          \
    X(THREADS, "threads") /* these three in the order of enum need */                              \
    X(SHARED_BYTES, "shared_bytes")                                                                \
    X(REGISTERS, "registers")                                                                      \
    X(PER_UNIT, "per_unit")                                                                        \
    X(SOURCE, "source") /* these four in the order of struct tuned_build */                        \
    X(FLAGS, "flags")                                                                              \
    X(DRIVER, "driver")                                                                            \
    X(COMPILER, "compiler")                                                                        \
    X(SM_COUNT, "sm_count")                                                                        \
    X(CORES, "cores")                                                                              \
    X(MEMORY_BYTES, "memory_bytes")                                                                \
    X(COMPUTE_CAPABILITY, "compute_capability")                                                    \
    X(BANDWIDTH_GBS, "bandwidth_gbs")
#define KNOWN(NUMBER, TEXT) NUMBER,
enum { KNOWN_NAMES(KNOWN) KNOWN_COUNT };
#undef KNOWN
#define KNOWN(NUMBER, TEXT) TEXT,
static const char known_names[KNOWN_COUNT][20] = {KNOWN_NAMES(KNOWN)};

/* A text, what of its first eight bytes belongs to it, and which these are. */
struct word {
    const char *text;
    uint64_t head, mask;
    size_t length;
};

struct name {
    struct word word;
    struct word value;                 /* the last: the next line often has it again */
    uint32_t hash, next;               /* the next in its bucket */
    uint32_t seen;                     /* the stamp of the last fields that had it */
    uint32_t follows;                  /* the name that came after it last: a good guess */
    uint32_t first_group, group_count; /* of the problem of this name */
};

/* The names of a line's fields, part of tuned.numbers: of values (or a section's fields), evidence,
 * further sizes. A line whose names are those of the line before shares its shape. */
struct shape {
    uint8_t counts[sizeof(uint32_t)];
    uint32_t names[];
};
enum { VALUES, EVIDENCE, SIZES };

/* A line, in place: values are cut apart where they stand. Number i of tuned.numbers from `fields`
 * on is where value i begins, counted from the line's first byte; its shape is at `shape`. */
struct line {
    char *text;
    uint32_t shape, fields;
};

/* The sizes that an entry holds for: the first and the last. */
struct span {
    long long ends[2];
};

/* What a look-up reads comes first. */
struct tuned_entry {
    struct span n;
    long long at;     /* the size that was measured; below 0 when that is unknown */
    struct line line; /* begins with the problem */
    const struct tuned *tuned;
    uint32_t section, problem, first_span;
    int line_number;
};

enum need { NEED_THREADS, NEED_SHARED_BYTES, NEED_REGISTERS, NEEDS };

struct section {
    struct tuned_device device;
    double units; /* unit_count; 0 in "*", where it is for scaling alone */
    struct line line;
    int line_number;
    uint32_t source, kind, name_hash; /* the kind as a name */
    uint32_t first_entry, entry_count;
    long long needs[NEEDS]; /* of its entries, the most of each */
};

/* The entries of one problem in one section. */
struct group {
    const char *problem;
    uint32_t hash, next; /* of problem and device's name; the next in its bucket, 0: none */
    uint32_t section, first_entry, entry_count;
};

struct source {
    const char *name; /* behind its text */
    int is_built_in;
};

/* Arrays that grow while a file is read. */
#define EACH_LIST(X)                                                                               \
    X(NAMES, names, struct name)                                                                   \
    X(BUCKETS, buckets, uint32_t) /* the number of the first name of each */                       \
    X(NUMBERS, numbers, uint32_t)                                                                  \
    X(SPANS, spans, struct span)                                                                   \
    X(SECTIONS, sections, struct section)                                                          \
    X(ORDER, order, uint32_t) /* sections of each source by kind, name and numbers */              \
    X(ENTRIES, entries, struct tuned_entry)                                                        \
    X(LOWS, lows, long long)        /* of the entries, close together for the binary search */     \
    X(GROUPS, groups, struct group) /* from 1; of a problem together, in the order of ORDER */     \
    X(GROUP_BUCKETS, group_buckets, uint32_t) /* the number of the first group of each */
#define LIST(NUMBER, NAME, TYPE) NUMBER,
enum list { EACH_LIST(LIST) LISTS };
#undef LIST
#define LIST(NUMBER, NAME, TYPE) sizeof(TYPE),
static const unsigned char item_bytes[LISTS] = {EACH_LIST(LIST)};
#undef LIST
#define LIST(NUMBER, NAME, TYPE) TYPE *NAME;

/* Of a file: its bytes, eight zeros for those who read eight at a time, its name. */
struct text {
    struct text *before;
    char bytes[];
};
enum { ZEROS = 8 };

struct tuned {
    union {
        void *items[LISTS];
        struct {
            EACH_LIST(LIST)
        } of; /* the same by name */
    } lists;
    size_t counts[LISTS], capacities[LISTS];
    uint32_t source_count;
    struct text *texts;
    struct source sources[TUNED_FILES_MAX];
    struct tuned_allocator allocator;
};

INLINE const struct shape *shape_of(const struct tuned *tuned, const struct line *line)
{
    return (const struct shape *)(const void *)(tuned->lists.of.numbers + line->shape);
}

INLINE const struct section *section_of(const struct tuned_entry *entry)
{
    return entry->tuned->lists.of.sections + entry->section;
}

/* ---- errors and memory ---- */

struct reader {
    struct tuned *tuned;
    struct tuned_error *error; /* may be NULL; the first file that is refused counts */
    const char *name;          /* of the file */
    char *line_text, *at;      /* the line; what is not read of it, which was not written to */
    long long version;
    int line;
    int ended;                      /* the line "end" was read */
    int refused;                    /* a file was, or memory is short */
    int goes_on;                    /* though a file was refused */
    uint32_t stamp, problem, shape; /* the last */
    /* Of the line that is read: from 1 on its names and where their values begin. */
    size_t count, span_count;
    struct span spans[TUNED_SIZES_MAX];
    uint32_t span_names[TUNED_SIZES_MAX];
    uint32_t names[1 + 2 * FIELDS_MAX + TUNED_SIZES_MAX], values[1 + 2 * FIELDS_MAX];
};

/* Always 0, so that a failing step can end with `return refuse(...)`. */
PRINTF_LIKE static int refuse(struct reader *reader, const char *format, ...)
{
    struct tuned_error *error = reader->error;
    reader->refused = 1;
    if (error) {
        va_list arguments;
        const char *name = reader->name, *place = reader->line > 0 ? "%s:%d: " : "%s: ";
        size_t length = strlen(name);
        if (length > TUNED_ERROR_BYTES / 2) /* the end of a path tells more than its beginning */
            name += length - TUNED_ERROR_BYTES / 2;
        /* cppcheck-suppress wrongPrintfScanfArgNum */
        int used = snprintf(error->text, sizeof error->text, place, name, reader->line);
        va_start(arguments, format);
        vsnprintf(error->text + used, sizeof error->text - (size_t)used, format, arguments);
        va_end(arguments);
        error->line = reader->line;
    }
    return 0;
}

static int refuse_memory(struct reader *reader)
{
    reader->line = 0;
    return refuse(reader, "out of memory");
}

static void *allocate(struct reader *reader, size_t bytes)
{
    const struct tuned_allocator *allocator = &reader->tuned->allocator;
    void *memory = allocator->allocate(allocator->context, bytes);
    if (!memory)
        (void)refuse_memory(reader);
    return memory;
}

APART static void release(const struct tuned *tuned, void *memory)
{
    if (memory)
        tuned->allocator.release(tuned->allocator.context, memory);
}

/* Room for `more` items in all, or for the double. */
static int reserve(struct reader *reader, enum list list, size_t more)
{
    struct tuned *tuned = reader->tuned;
    size_t size = item_bytes[list], count = tuned->counts[list];
    if (more <= tuned->capacities[list] - count)
        return 1;
    size_t capacity = count + (count > more ? count : more);
    void *grown = capacity < UINT32_MAX ? allocate(reader, capacity * size) : NULL;
    if (!grown)
        return refuse_memory(reader);
    if (count > 0)
        memcpy(grown, tuned->lists.items[list], count * size);
    release(tuned, tuned->lists.items[list]);
    tuned->lists.items[list] = grown;
    tuned->capacities[list] = capacity;
    return 1;
}

/* `more` items behind the others, to be filled in; NULL when memory is short. */
static void *append(struct reader *reader, enum list list, size_t more)
{
    struct tuned *tuned = reader->tuned;
    if (!reserve(reader, list, more))
        return NULL;
    tuned->counts[list] += more;
    return (char *)tuned->lists.items[list] + (tuned->counts[list] - more) * item_bytes[list];
}

static void *allocate_default(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes);
}

static void release_default(void *context, void *memory)
{
    (void)context;
    free(memory);
}

INLINE void swap(char *a, char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char spare = a[i];
        a[i] = b[i];
        b[i] = spare;
    }
}

/* Heap sort: in place, no memory of its own, never slow. */
static void sort(const struct tuned *tuned, enum list list, size_t first, size_t count,
                 int (*compare)(const struct tuned *, const void *, const void *))
{
    size_t size = item_bytes[list], start = count / 2, end = count;
    char *base = (char *)tuned->lists.items[list] + first * size;
    while (end > 1) {
        if (start > 0)
            start--;
        else
            swap(base, base + --end * size, size);
        for (size_t root = start, child; (child = root * 2 + 1) < end; root = child) {
            char *at = base + root * size, *below = base + child * size;
            if (child + 1 < end && compare(tuned, below, below + size) < 0) {
                below += size;
                child++;
            }
            if (compare(tuned, at, below) >= 0)
                break;
            swap(at, below, size);
        }
    }
}

/* ---- numbers and characters, without the locale ---- */

enum { WORD = 1, NAME = 2, NAME_START = 4 };

/* What each ASCII character may be, as '@' and the sum of the above. */
static const unsigned char classes[256] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
                                          "@A@@AAAAAAAAACCACCCCCCCCCCAAA@AA"
                                          "AGGGGGGGGGGGGGGGGGGGGGGGGGG@@@AG"
                                          "AGGGGGGGGGGGGGGGGGGGGGGGGGGA@AA@";

INLINE int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

INLINE int is_a(char c, int class)
{
    return classes[(unsigned char)c] & class;
}

INLINE int is_space(char c)
{
    return c == ' ' || c == '\t';
}

/* The first control character but tabs, such as the NUL behind the text. */
APART static char *find_control(char *at)
{
    while (((unsigned char)*at >= ' ' || *at == '\t') && *at != 0x7f)
        at++;
    return at;
}

/* Seeded, so that nobody can make a file whose names all meet in one bucket. */
static uint32_t hash_text(const struct tuned *tuned, const char *text, size_t length)
{
    uint64_t hash = (uint64_t)(uintptr_t)tuned + length, eight = 0;
    size_t i = 0;
    for (; i + 8 < length; i += 8) {
        memcpy(&eight, text + i, 8);
        hash = (hash ^ eight) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    if (length >= 8)
        memcpy(&eight, text + length - 8, 8);
    else
        for (; i < length; i++)
            eight = eight << 8 | (unsigned char)text[i];
    hash ^= eight;
    return (uint32_t)((hash ^ hash >> 32) * 0xd6e8feb86659fd93u >> 32);
}

/* The decimal digits at *text, moved past; 0 when there are none or the number does not fit. */
static int read_digits(const char **text, int negative, long long *out)
{
    const char *at = *text;
    uint64_t value = 0, most = LLONG_MAX;
    for (; is_digit(*at); at++) {
        if (value > most / 10)
            return 0;
        value = value * 10 + (uint64_t)(*at - '0');
    }
    if (at == *text || value > most + (uint64_t)negative)
        return 0;
    *text = at;
    *out = (long long)(negative ? 0 - value : value);
    return 1;
}

/* The whole text as a decimal integer. */
static int read_integer(const char *text, long long *out)
{
    int negative = *text == '-';
    text += negative;
    return read_digits(&text, negative, out) && !*text;
}

/* By powers of ten that are exact. */
static double scale(double value, int exponent)
{
    while (exponent != 0 && value > 0 && value <= DBL_MAX) {
        int is_below = exponent < 0, left = is_below ? -exponent : exponent;
        int step = left < 22 ? left : 22;
        double power = 1;
        for (int i = 0; i < step; i++)
            power *= 10;
        value = is_below ? value / power : value * power;
        exponent = is_below ? step - left : left - step;
    }
    return value;
}

/* The whole text as a decimal number, as in 12, -0.5 and 1.5e-3; 0 when it is none or infinite. */
static int read_real(const char *text, double *out)
{
    int negative = *text == '-', digits = 0, exponent = 0, fraction = 0;
    long long written = 0;
    uint64_t mantissa = 0;
    for (text += negative; is_digit(*text) || (*text == '.' && !fraction); text++) {
        if (*text == '.') {
            fraction = 1;
            continue;
        }
        digits = 1;
        if (mantissa < 1000000000000000000u) {
            mantissa = mantissa * 10 + (uint64_t)(*text - '0');
            exponent -= fraction;
        } else if (!fraction && exponent < 1000) {
            exponent++;
        }
    }
    if (!digits)
        return 0;
    if (*text == 'e' || *text == 'E') {
        text++;
        int below = *text == '-';
        text += *text == '-' || *text == '+';
        if (!read_digits(&text, below, &written))
            return 0;
        exponent += written > 1000 ? 1000 : written < -1000 ? -1000 : (int)written;
    }
    double value = scale((double)mantissa, exponent);
    if (*text || value > DBL_MAX)
        return 0;
    *out = negative ? -value : value;
    return 1;
}

/* ---- names ---- */

static const char no_word[ZEROS] = "\n"; /* what no line has */

/* Eight bytes of the text can be read, whatever its length. */
APART static void set_word(struct word *word, const char *text, size_t length)
{
    static const char masks[] = "\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0";
    word->text = text;
    word->length = length;
    memcpy(&word->head, text, 8);
    memcpy(&word->mask, masks + 8 - (length < 8 ? length : 8), 8);
}

INLINE int begins_with(const char *at, const struct word *word)
{
    uint64_t head, tail, own;
    memcpy(&head, at, 8);
    if (((head ^ word->head) & word->mask) != 0 || word->length <= 8)
        return ((head ^ word->head) & word->mask) == 0;
    if (word->length > 16)
        return strncmp(at + 8, word->text + 8, word->length - 8) == 0;
    memcpy(&tail, at + word->length - 8, 8);
    memcpy(&own, word->text + word->length - 8, 8);
    return tail == own;
}

/* Its number, 0 when no line has it. */
static uint32_t find_name(const struct tuned *tuned, const char *text, size_t length, uint32_t hash)
{
    const uint32_t *buckets = tuned->lists.of.buckets;
    const struct name *names = tuned->lists.of.names;
    uint32_t number = buckets[hash & (tuned->counts[BUCKETS] - 1)];
    while (number && (names[number].hash != hash || names[number].word.length != length ||
                      memcmp(names[number].word.text, text, length) != 0))
        number = names[number].next;
    return number;
}

static uint32_t find_text(const struct tuned *tuned, const char *text)
{
    size_t length = strlen(text);
    return find_name(tuned, text, length, hash_text(tuned, text, length));
}

/* Twice as many buckets. */
static int rehash(struct reader *reader)
{
    struct tuned *tuned = reader->tuned;
    size_t count = tuned->counts[BUCKETS] ? tuned->counts[BUCKETS] : 64;
    if (!append(reader, BUCKETS, count))
        return 0;
    uint32_t *buckets = tuned->lists.of.buckets;
    struct name *names = tuned->lists.of.names;
    count = tuned->counts[BUCKETS];
    memset(buckets, 0, count * sizeof *buckets);
    for (uint32_t i = 1; i < tuned->counts[NAMES]; i++) {
        uint32_t *bucket = &buckets[names[i].hash & (count - 1)];
        names[i].next = *bucket;
        *bucket = i;
    }
    return 1;
}

/* The number of the name, which is new or was there; 0 when memory is short. The text stays. */
static uint32_t intern(struct reader *reader, const char *text, size_t length)
{
    struct tuned *tuned = reader->tuned;
    uint32_t hash = hash_text(tuned, text, length), number = find_name(tuned, text, length, hash);
    if (number)
        return number;
    struct name *name = append(reader, NAMES, 1);
    if (!name)
        return 0;
    number = (uint32_t)(tuned->counts[NAMES] - 1);
    uint32_t *bucket = tuned->lists.of.buckets + (hash & (tuned->counts[BUCKETS] - 1));
    *name = (struct name){.hash = hash, .next = *bucket, .follows = N};
    set_word(&name->word, text, length);
    set_word(&name->value, no_word, 1);
    *bucket = number;
    return number < tuned->counts[BUCKETS] || rehash(reader) ? number : 0;
}

/* The value of a name on one side of a line. */
static const char *text_of(const struct tuned *tuned, const struct line *line, int side,
                           uint32_t name, const char *otherwise)
{
    const struct shape *shape = shape_of(tuned, line);
    size_t first = side == EVIDENCE ? shape->counts[VALUES] : 0;
    for (size_t i = 0; i < shape->counts[side]; i++)
        if (shape->names[first + i] == name)
            return line->text + tuned->lists.of.numbers[line->fields + first + i];
    return otherwise;
}

/* ---- reading lines ---- */

INLINE char *skip_spaces(char *at)
{
    while (is_space(*at))
        at++;
    return at;
}

/* The number of the name that the reader is at, which moves past it to one of the two characters
 * that may end it; 0 when there is none. */
static uint32_t take_name(struct reader *reader, char one, char two)
{
    char *text = reader->at, *end = text;
    if (!is_a(*text, NAME_START))
        return 0;
    while (is_a(*end, NAME))
        end++;
    reader->at = end;
    return *end == one || *end == two ? intern(reader, text, (size_t)(end - text)) : 0;
}

/* Cuts the quoted text that the reader is at in place. */
static int take_quoted(struct reader *reader, const char **out)
{
    char *from = reader->at + 1, *to = from, *end = find_control(from);
    for (*out = to; *from != '"'; from++) {
        if (*from == '\\' && *++from != '"' && *from != '\\')
            return refuse(reader, "within quotes \\ may only stand before \" or \\");
        if (from == end)
            return refuse(reader, "a quote (\") is not closed");
        *to++ = *from;
    }
    *to = '\0';
    reader->at = from + 1;
    return 1;
}

/* The value of the field, up to a space or the end of the line. What is not cut off there is not
 * remembered: no line may have it again. */
static int take_value(struct reader *reader, struct name *name)
{
    char *at = reader->at;
    if (*at == '"') {
        set_word(&name->value, no_word, 1);
        if (!take_quoted(reader, &name->value.text))
            return 0;
    } else {
        while (is_a(*at, WORD))
            at++;
        if (reader->at == at)
            return refuse(reader, "'%.60s' has no value", name->word.text);
        set_word(&name->value, reader->at, (size_t)(at - reader->at));
        reader->at = at;
    }
    if (!*reader->at || is_space(*reader->at))
        return 1;
    set_word(&name->value, no_word, 1);
    return refuse(reader, "the value of '%.60s' must be in quotes", name->word.text);
}

/* SIZE or LOW-HIGH, behind `name` and "=" or "@". */
static int read_sizes(struct reader *reader, const char *name, const char *sign, const char *text,
                      struct span *span)
{
    const char *at = text, *wrong = NULL;
    int fits = read_digits(&at, 0, &span->ends[0]);
    span->ends[1] = span->ends[0];
    if (fits && *at == '-') {
        at++;
        fits = read_digits(&at, 0, &span->ends[1]);
    }
    if (!fits || *at || span->ends[1] < span->ends[0])
        wrong = "is not a whole number from 0 to 2^63 - 1, nor two in order as in 1-9";
    else if (reader->version < 2 && strchr(text, '-'))
        wrong = "is a range; there are some from 'tuned-conf 2' on";
    return !wrong || refuse(reader, "%.40s%s%.40s %s", name, sign, text, wrong);
}

/* A further size variable, NAME@SIZES, behind n. */
static int add_span(struct reader *reader, uint32_t number, const char *name, const char *value)
{
    if (reader->version < 3)
        return refuse(reader, "'%.60s@': there are further sizes from 'tuned-conf 3' on", name);
    if (reader->count != 2 || reader->names[1] != N)
        return refuse(reader, "'%.60s@' may only stand directly behind n=", name);
    if (reader->span_count == TUNED_SIZES_MAX - 1)
        return refuse(reader, "more than %d size variables", TUNED_SIZES_MAX);
    reader->span_names[reader->span_count] = number;
    return read_sizes(reader, name, "@", value, &reader->spans[reader->span_count++]);
}

/* Fields up to the end of the line or a '|', into the reader; their names differ. */
FAST static int take_fields(struct reader *reader, uint32_t previous)
{
    struct name *names = reader->tuned->lists.of.names;
    char *at = reader->at;
    size_t count = reader->count, most = count + FIELDS_MAX;
    uint32_t stamp = ++reader->stamp;
    for (;;) {
        uint32_t number = names[previous].follows;
        struct name *name = &names[number];
        if (begins_with(at, &name->word) &&
            (at[name->word.length] == '=' || at[name->word.length] == '@')) {
            at += name->word.length;
        } else if (is_space(*at)) {
            at++;
            continue;
        } else {
            reader->at = at;
            reader->count = count;
            if (*at == '\0' || *at == '|')
                return 1;
            number = take_name(reader, '=', '@');
            if (!number)
                return refuse(reader, "'%.40s' is not NAME=VALUE", at);
            at = reader->at;
            names = reader->tuned->lists.of.names;
            names[previous].follows = number;
            name = &names[number];
        }
        int is_size = *at == '@';
        *at++ = '\0';
        const char *value = at;
        if (begins_with(at, &name->value) && !(at[name->value.length] & ~' ')) {
            at += name->value.length;
        } else {
            reader->at = at;
            if (!take_value(reader, name))
                return 0;
            at = reader->at;
            value = name->value.text;
        }
        if (*at)
            *at++ = '\0';
        reader->at = at;
        if (name->seen == stamp)
            return refuse(reader, "'%.60s' is given twice", name->word.text);
        name->seen = stamp;
        previous = number;
        if (is_size) {
            reader->count = count;
            if (!add_span(reader, number, name->word.text, value))
                return 0;
            continue;
        }
        if (count == most)
            return refuse(reader, "more than %d fields", FIELDS_MAX);
        reader->names[count] = number;
        reader->values[count++] = (uint32_t)(value - reader->line_text);
    }
}

/* Stores what take_fields found from number `first` on; `values` of them are no evidence. */
FAST static int store_fields(struct reader *reader, struct line *line, size_t first, size_t values)
{
    struct tuned *tuned = reader->tuned;
    size_t count = reader->count - first, spans = reader->span_count, all = 1 + count + spans;
    uint32_t *names = reader->names + first - 1; /* from the place of the counts on */
    uint8_t counts[] = {(uint8_t)values, (uint8_t)(count - values), (uint8_t)spans, 0};
    memcpy(names, counts, sizeof counts);
    memcpy(names + 1 + count, reader->span_names, spans * sizeof *names);
    if (!reserve(reader, NUMBERS, all + count))
        return 0;
    uint32_t *numbers = tuned->lists.of.numbers, *end = numbers + tuned->counts[NUMBERS];
    if (end == numbers || numbers[reader->shape] != *names ||
        memcmp(numbers + reader->shape, names, all * sizeof *names) != 0) {
        reader->shape = (uint32_t)tuned->counts[NUMBERS];
        memcpy(end, names, all * sizeof *names);
        end += all;
    }
    memcpy(end, reader->values + first, count * sizeof *end);
    line->shape = reader->shape;
    line->fields = (uint32_t)(end - numbers);
    tuned->counts[NUMBERS] = line->fields + count;
    return 1;
}

/* The value of a known field on the side that was read last; NULL where there is none. */
APART static const char *known(const struct reader *reader, int name)
{
    const struct name *found = &reader->tuned->lists.of.names[name];
    return found->seen == reader->stamp ? found->value.text : NULL;
}

/* A known field's whole number in [min, max]; left alone where there is none. */
static int known_number(struct reader *reader, int name, long long min, long long max,
                        long long *out)
{
    const char *text = known(reader, name);
    return !text || (read_integer(text, out) && min <= *out && *out <= max) ||
           refuse(reader, "%s=%.40s is not a whole number from %lld to %lld", known_names[name],
                  text, min, max);
}

/* ... and its number of at least 0. */
static int known_real(struct reader *reader, int name, double *out)
{
    const char *text = known(reader, name);
    return !text || (read_real(text, out) && *out >= 0) ||
           refuse(reader, "%s=%.40s is not a number of at least 0", known_names[name], text);
}

static int read_device(struct reader *reader, struct tuned_device *device, double *real_units)
{
    long long units = 0, major = 0, minor = 0;
    if (!known_number(reader, SM_COUNT, 0, INT_MAX, &units) ||
        !known_number(reader, CORES, 0, INT_MAX, &units) ||
        !known_number(reader, MEMORY_BYTES, 0, LLONG_MAX, &device->memory_bytes) ||
        !known_real(reader, BANDWIDTH_GBS, &device->bandwidth_gbs))
        return 0;
    const char *text = known(reader, COMPUTE_CAPABILITY), *at = text;
    if (text && (!read_digits(&at, 0, &major) || *at++ != '.' || !read_digits(&at, 0, &minor) ||
                 *at || major > 9999 || minor > 9999))
        return refuse(reader, "compute_capability=%.40s is not of the form 9.0", text);
    device->unit_count = (int)units;
    *real_units = device->name[0] == '*' && !device->name[1] ? 0 : (double)units;
    device->compute_capability_major = (int)major;
    device->compute_capability_minor = (int)minor;
    return 1;
}

/* [KIND "NAME"] FIELDS */
APART static int read_section(struct reader *reader)
{
    struct tuned *tuned = reader->tuned;
    struct section *section = append(reader, SECTIONS, 1);
    if (!section)
        return 0;
    memset(section, 0, sizeof *section);
    section->line.text = reader->line_text;
    section->line_number = reader->line;
    section->source = tuned->source_count;
    section->first_entry = (uint32_t)tuned->counts[ENTRIES];
    section->device.kind = ++reader->at;
    section->kind = take_name(reader, ' ', '\t');
    char *end = reader->at;
    reader->at = skip_spaces(end);
    if (section->kind) /* which is remembered, also where the line is refused */
        *end = '\0';
    if (!section->kind || *reader->at != '"')
        return refuse(reader, "a section begins as in [cuda \"NVIDIA H200\"]");
    if (!take_quoted(reader, &section->device.name))
        return 0;
    if (*reader->at != ']' || (reader->at[1] && !is_space(reader->at[1])))
        return refuse(reader, "the name of the device is to be followed by ] and a space");
    reader->at++;
    section->name_hash = hash_text(tuned, section->device.name, strlen(section->device.name));
    if (!take_fields(reader, 0))
        return 0;
    if (*reader->at || reader->span_count > 0)
        return refuse(reader, "'|' and '@' have no place in a section's line");
    return read_device(reader, &section->device, &section->units) &&
           store_fields(reader, &section->line, 1, reader->count - 1);
}

/* Registers a thread to those of a block: given in eights, and to threads in thirty-twos. */
APART static void multiply_registers(long long needs[NEEDS])
{
    needs[NEED_REGISTERS] =
        (needs[NEED_REGISTERS] + 7) / 8 * 8 * ((needs[NEED_THREADS] + 31) / 32 * 32);
}

/* What must hold of the evidence, and what is kept of it. */
static int read_evidence(struct reader *reader, struct tuned_entry *entry, struct section *section)
{
    const long long *sizes = entry->n.ends;
    double time_ns = 0;
    long long needs[NEEDS] = {0};
    entry->at = sizes[0] == sizes[1] ? sizes[0] : -1;
    if (!known_real(reader, TIME_NS, &time_ns) ||
        (reader->version > 1 && !known_number(reader, AT, sizes[0], sizes[1], &entry->at)))
        return 0;
    for (int i = 0; i < NEEDS && reader->version > 2; i++)
        if (!known_number(reader, THREADS + i, 0, INT_MAX, &needs[i]))
            return 0;
    multiply_registers(needs);
    for (int i = 0; i < NEEDS; i++)
        section->needs[i] = needs[i] > section->needs[i] ? needs[i] : section->needs[i];
    return 1;
}

/* PROBLEM n=SIZES FURTHER-SIZES VALUES | EVIDENCE */
APART static int read_entry(struct reader *reader)
{
    struct tuned *tuned = reader->tuned;
    struct tuned_entry *entry = append(reader, ENTRIES, 1);
    const char *name = reader->line_text;
    if (!entry)
        return 0;
    entry->tuned = tuned;
    entry->line.text = reader->line_text;
    entry->line_number = reader->line;
    const struct word *guess = &tuned->lists.of.names[reader->problem].word;
    entry->problem = reader->problem;
    if (begins_with(name, guess) && is_space(name[guess->length]))
        reader->at += guess->length;
    else
        entry->problem = take_name(reader, ' ', '\t');
    if (!entry->problem)
        return refuse(reader, "'%.40s' begins no line of a tuned.conf", name);
    *reader->at++ = '\0';
    reader->problem = entry->problem;
    entry->section = (uint32_t)tuned->counts[SECTIONS] - 1;
    struct section *section =
        tuned->counts[SECTIONS] > 0 ? &tuned->lists.of.sections[entry->section] : NULL;
    if (!section || section->source != tuned->source_count)
        return refuse(reader, "'%.60s' stands before the first device", name);
    if (!take_fields(reader, entry->problem))
        return 0;
    size_t count = reader->count;
    if (count == 1 || reader->names[1] != N)
        return refuse(reader, "'%.60s' is to be followed by its size, n=", name);
    if (!read_sizes(reader, "n", "=", name + reader->values[1], &entry->n))
        return 0;
    if (count == 2)
        return refuse(reader, "'%.60s' has no parameters", name);
    reader->at += *reader->at == '|';
    if (!take_fields(reader, reader->names[count - 1]))
        return 0;
    if (*reader->at)
        return refuse(reader, "'|' is given twice");
    entry->first_span = (uint32_t)tuned->counts[SPANS];
    struct span *spans = append(reader, SPANS, reader->span_count);
    if (!spans)
        return 0;
    memcpy(spans, reader->spans, reader->span_count * sizeof *spans);
    section->entry_count++;
    return read_evidence(reader, entry, section) &&
           store_fields(reader, &entry->line, 2, count - 2);
}

static int read_header(struct reader *reader, const char *line)
{
    static const char word[] = "tuned-conf ";
    if (strncmp(line, word, sizeof word - 1) != 0 ||
        !read_integer(line + sizeof word - 1, &reader->version))
        return refuse(reader, "no tuned.conf: its first line is 'tuned-conf %d'",
                      TUNED_FORMAT_VERSION);
    return (reader->version >= 1 && reader->version <= TUNED_FORMAT_VERSION) ||
           refuse(reader,
                  "format version %lld; libtuned %s reads versions 1 to %d: write the file "
                  "anew with 'tune export' of that version, or link a newer libtuned",
                  reader->version, TUNED_VERSION, TUNED_FORMAT_VERSION);
}

static int read_line(struct reader *reader)
{
    char *line = reader->at;
    if (reader->line == 1)
        return read_header(reader, line);
    reader->at = reader->line_text = line = skip_spaces(line);
    if (*line == '\0' || *line == '#')
        return 1;
    if (reader->ended)
        return refuse(reader, "a line after 'end'");
    reader->ended = memcmp(line, "end", 4) == 0;
    if (reader->ended)
        return 1;
    reader->count = 1;
    reader->span_count = 0;
    return *line == '[' ? read_section(reader) : read_entry(reader);
}

static int read_lines(struct reader *reader, char *text, size_t bytes)
{
    char *end = text + bytes, *newline;
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) /* an editor's byte order mark */
        text += 3;
    for (; text < end; text = newline + 1) {
        reader->line++;
        reader->at = text;
        newline = memchr(text, '\n', (size_t)(end - text));
        char *line_end = newline ? newline - (newline > text && newline[-1] == '\r') : end;
        *line_end = '\0';
        int is_read = newline && read_line(reader);
        char *control = find_control(reader->at);
        if (control != line_end) /* goes before what else is wrong with the line */
            return refuse(reader, "a control character (byte 0x%02x)", (unsigned)*control);
        if (!newline)
            return refuse(reader, "the file breaks off: its last line has no end");
        if (!is_read)
            return 0;
    }
    return reader->ended ||
           refuse(reader, reader->line == 0 ? "the file is empty"
                                            : "the file breaks off: there is no line 'end'");
}

/* ---- sorting ---- */

/* Sizes besides n, which the two entries have alike. */
static size_t span_count(const struct tuned_entry *entry)
{
    return shape_of(entry->tuned, &entry->line)->counts[SIZES];
}

static const struct span *span_at(const struct tuned_entry *entry, size_t i)
{
    return entry->tuned->lists.of.spans + entry->first_span + i;
}

APART static const uint32_t *span_names(const struct tuned_entry *entry)
{
    const struct shape *shape = shape_of(entry->tuned, &entry->line);
    return shape->names + shape->counts[VALUES] + shape->counts[EVIDENCE];
}

static int compare_ends(const struct span *a, const struct span *b)
{
    int end = a->ends[0] == b->ends[0];
    return a->ends[end] == b->ends[end] ? 0 : a->ends[end] < b->ends[end] ? -1 : 1;
}

/* By problem and sizes: 0 when these are the same. */
static int compare_sizes(const struct tuned_entry *a, const struct tuned_entry *b)
{
    size_t count = span_count(a);
    int order = a->problem == b->problem ? 0 : strcmp(a->line.text, b->line.text);
    order = order ? order : compare_ends(&a->n, &b->n);
    order = order ? order : (int)count - (int)span_count(b);
    for (size_t i = 0; !order && i < count; i++)
        order = compare_ends(span_at(a, i), span_at(b, i));
    return order;
}

static int order_entries(const struct tuned *tuned, const void *a, const void *b)
{
    const struct tuned_entry *left = a, *right = b;
    int order = compare_sizes(left, right);
    (void)tuned;
    return order ? order : left->line_number - right->line_number;
}

static int compare_devices(const struct tuned_device *a, const struct tuned_device *b)
{
    int order = strcmp(a->kind, b->kind);
    order = order ? order : strcmp(a->name, b->name);
    order = order ? order : a->compute_capability_major - b->compute_capability_major;
    order = order ? order : a->compute_capability_minor - b->compute_capability_minor;
    return order ? order : a->unit_count - b->unit_count;
}

static int order_sections(const struct tuned *tuned, const void *a, const void *b)
{
    const struct section *left = tuned->lists.of.sections + *(const uint32_t *)a;
    const struct section *right = tuned->lists.of.sections + *(const uint32_t *)b;
    int order = compare_devices(&left->device, &right->device);
    return order ? order : left->line_number - right->line_number;
}

/* Whether the names of their further sizes are the same. */
static int are_alike(const struct tuned_entry *a, const struct tuned_entry *b)
{
    return a->line.shape == b->line.shape ||
           (span_count(a) == span_count(b) &&
            memcmp(span_names(a), span_names(b), span_count(a) * sizeof(uint32_t)) == 0);
}

/* Two neighbours of one problem. */
static int refuse_pair(struct reader *reader, const struct tuned_entry *a,
                       const struct tuned_entry *b)
{
    const struct tuned_entry *later = a->line_number > b->line_number ? a : b;
    const struct tuned_entry *earlier = later == a ? b : a;
    reader->line = later->line_number;
    return refuse(reader,
                  are_alike(a, b) ? "these sizes of '%.60s' overlap those of line %d"
                                  : "'%.60s' has other size variables than on line %d",
                  later->line.text, earlier->line_number);
}

static int are_apart(const struct tuned_entry *a, const struct tuned_entry *b)
{
    return are_alike(a, b) &&
           (a->n.ends[1] < b->n.ends[0] || (span_count(a) > 0 && compare_sizes(a, b) != 0));
}

/* Sorts the section's entries and checks that they go together. */
APART static int check_entries(struct reader *reader, const struct section *section)
{
    const struct tuned_entry *entries = reader->tuned->lists.of.entries + section->first_entry;
    size_t count = section->entry_count;
    for (size_t i = 1; i < count; i++)
        if (order_entries(NULL, &entries[i - 1], &entries[i]) > 0) {
            sort(reader->tuned, ENTRIES, section->first_entry, count, order_entries);
            break;
        }
    for (size_t i = 1; i < count; i++)
        if (entries[i].problem == entries[i - 1].problem &&
            !are_apart(&entries[i - 1], &entries[i]))
            return refuse_pair(reader, &entries[i - 1], &entries[i]);
    return 1;
}

/* Puts the sections of the source that was read into order, and checks them. */
static int check_source(struct reader *reader, size_t first)
{
    struct tuned *tuned = reader->tuned;
    size_t count = tuned->counts[SECTIONS] - first;
    uint32_t *order = append(reader, ORDER, count);
    if (!order)
        return 0;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)(first + i);
    sort(tuned, ORDER, first, count, order_sections);
    for (size_t i = 0; i < count; i++) {
        const struct section *later = tuned->lists.of.sections + order[i];
        const struct section *earlier = i > 0 ? tuned->lists.of.sections + order[i - 1] : NULL;
        if (earlier && compare_devices(&earlier->device, &later->device) == 0) {
            reader->line = later->line_number;
            return refuse(reader, "the device '%.60s' was already given on line %d",
                          later->device.name, earlier->line_number);
        }
        if (!check_entries(reader, later))
            return 0;
    }
    return 1;
}

INLINE uint32_t group_hash(uint32_t problem, uint32_t device)
{
    return problem + device * 3;
}

/* Where the number of the first group of a hash is. */
INLINE uint32_t *group_bucket(const struct tuned *tuned, uint32_t hash)
{
    return tuned->lists.of.group_buckets + (hash & (tuned->counts[GROUP_BUCKETS] - 1));
}

/* Divides the entries into groups, those of a problem one after the other. */
APART static int group_entries(struct reader *reader)
{
    struct tuned *tuned = reader->tuned;
    const struct tuned_entry *entries = tuned->lists.of.entries;
    struct name *names = tuned->lists.of.names;
    size_t count = tuned->counts[ENTRIES], buckets = 1;
    uint32_t total = 1;
    long long *lows = append(reader, LOWS, count + 1);
    for (size_t i = 0; lows && i < count; i++) {
        int is_new = i == 0 || entries[i].problem != entries[i - 1].problem ||
                     entries[i].section != entries[i - 1].section;
        names[entries[i].problem].first_group += (uint32_t)is_new;
        total += (uint32_t)is_new;
        lows[i] = entries[i].n.ends[0];
    }
    while (buckets < (size_t)total * 2)
        buckets *= 2;
    struct group *groups = append(reader, GROUPS, total);
    uint32_t *heads = append(reader, GROUP_BUCKETS, buckets);
    if (!lows || !groups || !heads)
        return 0;
    memset(heads, 0, buckets * sizeof *heads);
    total = 1;
    for (size_t i = 0; i < tuned->counts[NAMES]; i++) {
        uint32_t own = names[i].first_group;
        names[i].first_group = total;
        total += own;
    }
    for (size_t s = 0; s < tuned->counts[SECTIONS]; s++) {
        uint32_t number = (tuned->lists.of.order)[s];
        const struct section *section = &tuned->lists.of.sections[number];
        uint32_t end = section->first_entry + section->entry_count;
        struct group *group = NULL;
        for (uint32_t i = section->first_entry; i < end; i++) {
            if (!group || entries[i].problem != entries[i - 1].problem) {
                struct name *name = &names[entries[i].problem];
                group = &groups[name->first_group + name->group_count++];
                *group = (struct group){
                    name->word.text, group_hash(name->hash, section->name_hash), 0, number, i, 0};
            }
            group->entry_count++;
        }
    }
    while (--total > 0) { /* backwards: the first of a bucket comes first */
        uint32_t *head = group_bucket(tuned, groups[total].hash);
        groups[total].next = *head;
        *head = total;
    }
    return 1;
}

/* ---- loading ---- */

/* Memory for a text. */
static char *new_text(struct reader *reader, size_t bytes, const char *name)
{
    size_t length = strlen(name) + 1;
    if (bytes > TUNED_FILE_BYTES_MAX) {
        (void)refuse(reader, "larger than %d bytes", TUNED_FILE_BYTES_MAX);
        return NULL;
    }
    struct text *text = allocate(reader, sizeof *text + bytes + ZEROS + length);
    if (!text)
        return NULL;
    text->before = reader->tuned->texts;
    reader->tuned->texts = text;
    memset(text->bytes + bytes, 0, ZEROS);
    memcpy(text->bytes + bytes + ZEROS, name, length);
    return text->bytes;
}

/* Reads what is in new_text's memory; a refused text leaves nothing behind. */
static void add_text(struct reader *reader, char *text, size_t bytes, int is_built_in)
{
    struct tuned *tuned = reader->tuned;
    size_t counts[LISTS];
    for (int list = NUMBERS; list <= ENTRIES; list++)
        counts[list] = tuned->counts[list];
    reader->ended = 0;
    reader->problem = N;
    reader->shape = 0;
    if (tuned->source_count == TUNED_FILES_MAX)
        (void)refuse(reader, "more than %d files", TUNED_FILES_MAX);
    else if (reserve(reader, ENTRIES, bytes / 128 + 1) &&
             reserve(reader, NUMBERS, bytes / 12 + 1) && read_lines(reader, text, bytes) &&
             check_source(reader, counts[SECTIONS]))
        tuned->sources[tuned->source_count++] = (struct source){text + bytes + ZEROS, is_built_in};
    else
        for (int list = NUMBERS; list <= ENTRIES; list++)
            tuned->counts[list] = counts[list];
}

/* Whether there is another source to be read. */
APART static int begin_source(struct reader *reader, const char *name)
{
    reader->error = reader->refused ? NULL : reader->error;
    reader->name = name;
    reader->line = 0;
    return !reader->refused || reader->goes_on;
}

static void add_memory(struct reader *reader, const void *text, size_t bytes, const char *name,
                       int is_built_in)
{
    char *copy = begin_source(reader, name) ? new_text(reader, bytes, name) : NULL;
    if (!copy)
        return;
    if (bytes > 0)
        memcpy(copy, text, bytes);
    add_text(reader, copy, bytes, is_built_in);
}

/* All of a regular file, which must not change meanwhile. */
static void read_file(struct reader *reader, int file)
{
    struct stat before, after;
    if (fstat(file, &before) != 0 || !S_ISREG(before.st_mode)) {
        (void)refuse(reader, "it is no regular file");
        return;
    }
    size_t length = 0, bytes = before.st_size > TUNED_FILE_BYTES_MAX
                                   ? (size_t)TUNED_FILE_BYTES_MAX + 1
                                   : (size_t)before.st_size;
    char *text = new_text(reader, bytes, reader->name);
    ssize_t got = text ? 1 : -1;
    while (text && length <= bytes && got != 0) {
        got = read(file, text + length, bytes + (length < bytes ? 0 : 1) - length);
        if (got < 0 && errno != EINTR)
            break;
        length += got > 0 ? (size_t)got : 0;
    }
    if (text && got < 0)
        (void)refuse(reader, "it cannot be read (errno %d)", errno);
    else if (text && (length != bytes || fstat(file, &after) != 0 ||
                      before.st_mtim.tv_sec != after.st_mtim.tv_sec ||
                      before.st_mtim.tv_nsec != after.st_mtim.tv_nsec))
        (void)refuse(reader, "it was changed while it was read");
    else if (text)
        add_text(reader, text, bytes, 0);
}

static void add_file(struct reader *reader, const char *path, int must_be_there)
{
    if (!begin_source(reader, path))
        return;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file >= 0) {
        read_file(reader, file);
        (void)close(file);
    } else if (errno != ENOENT && errno != ENOTDIR) {
        (void)refuse(
            reader, errno == EACCES ? "no permission to read it" : "it cannot be opened (errno %d)",
            errno);
    } else if (must_be_there) {
        (void)refuse(reader, "there is no such file");
    }
}

/* The value of an environment variable; NULL when it is empty. */
static const char *environment(const struct tuned_options *options, const char *name)
{
    const char *value = options->skip & TUNED_SKIP_ENVIRONMENT ? NULL : getenv(name);
    return value && *value ? value : NULL;
}

static void add_user_file(struct reader *reader, const struct tuned_options *options)
{
    char path[PATH_MAX];
    const char *middle = "", *folder = environment(options, "XDG_CONFIG_HOME");
    if (!folder) {
        middle = "/.config";
        folder = environment(options, "HOME");
    }
    if (folder && snprintf(path, sizeof path, "%s%s/tune/tuned.conf", folder, middle) < PATH_MAX)
        add_file(reader, path, 0);
}

static void add_files(struct reader *reader, const struct tuned_options *options)
{
    const char *path = options->path_count > 0 ? NULL : environment(options, "TUNED_CONF");
    for (size_t i = 0; i < options->path_count; i++)
        add_file(reader, options->paths[i], 1);
    if (path)
        add_file(reader, path, 1);
    if (!(options->skip & TUNED_SKIP_USER))
        add_user_file(reader, options);
    if (!(options->skip & TUNED_SKIP_SYSTEM))
        add_file(reader, "/etc/tune/tuned.conf", 0);
}

/* An empty one that knows the names that libtuned reads itself; NULL when memory is short. */
static struct tuned *create(struct reader *reader, const struct tuned_allocator *allocator)
{
    static const struct tuned_allocator usual = {allocate_default, release_default, NULL};
    const struct tuned_allocator *from = allocator ? allocator : &usual;
    struct tuned *tuned = from->allocate(from->context, sizeof *tuned);
    if (!tuned) {
        (void)refuse_memory(reader);
        return NULL;
    }
    memset(tuned, 0, sizeof *tuned);
    tuned->allocator = *from;
    reader->tuned = tuned;
    int done = rehash(reader);
    for (int list = 0; list < LISTS; list++) /* so that none is NULL */
        done = done && reserve(reader, (enum list)list, 64);
    for (int i = 0; done && i < KNOWN_COUNT; i++) /* the first is "", which no line has */
        done = intern(reader, known_names[i], strlen(known_names[i])) > 0 || i == 0;
    if (done)
        return tuned;
    tuned_free(tuned);
    return NULL;
}

/* `memory_name`: the built-in text is all, of this name. */
static struct tuned *load(const struct tuned_options *options, const char *memory_name,
                          struct tuned_error *error)
{
    struct reader reader;
    memset(&reader, 0, sizeof reader);
    reader.error = error;
    reader.name = memory_name ? memory_name : "tuned.conf";
    reader.goes_on = options->leave_out_refused;
    if (error) {
        error->line = 0;
        error->text[0] = '\0';
    }
    struct tuned *tuned = create(&reader, options->allocator);
    if (!tuned)
        return NULL;
    add_files(&reader, options);
    if (memory_name || options->built_in)
        add_memory(&reader, options->built_in, options->built_in_bytes,
                   memory_name ? memory_name : "built-in", !memory_name);
    int goes_on = begin_source(&reader, tuned->source_count > 0 ? reader.name : "tuned.conf");
    if (goes_on && tuned->source_count == 0)
        (void)refuse(&reader, "there is none in any of the usual places");
    else if (goes_on && group_entries(&reader))
        return tuned;
    tuned_free(tuned);
    return NULL;
}

enum { SKIP_ALL = TUNED_SKIP_ENVIRONMENT | TUNED_SKIP_USER | TUNED_SKIP_SYSTEM };

struct tuned *tuned_load(const char *path, struct tuned_error *error)
{
    const char *name = path ? path : "";
    return load(&(struct tuned_options){.paths = &name, .path_count = 1, .skip = SKIP_ALL}, NULL,
                error);
}

struct tuned *tuned_load_memory(const void *text, size_t bytes, const char *name,
                                struct tuned_error *error)
{
    return load(
        &(struct tuned_options){.skip = SKIP_ALL, .built_in = text, .built_in_bytes = bytes},
        name ? name : "tuned.conf", error);
}

struct tuned *tuned_open(const struct tuned_options *options, struct tuned_error *error)
{
    static const struct tuned_options usual;
    return load(options ? options : &usual, NULL, error);
}

void tuned_free(struct tuned *tuned)
{
    if (!tuned)
        return;
    for (struct text *text = tuned->texts, *before; text; text = before) {
        before = text->before;
        release(tuned, text);
    }
    for (int list = 0; list < LISTS; list++)
        release(tuned, tuned->lists.items[list]);
    release(tuned, tuned);
}

const char *tuned_file_at(const struct tuned *tuned, size_t index)
{
    return tuned && index < tuned->source_count ? tuned->sources[index].name : NULL;
}

/* ---- finding: the device ---- */

/* Past what a name says of the memory, as in "A100-SXM4-80GB". */
static const char *skip_memory(const char *name)
{
    const char *at = name;
    if (*at != ' ' && *at != '-')
        return name;
    for (at++; is_digit(*at); at++)
        ;
    return at > name + 1 && at[0] == 'G' && at[1] == 'B' && !is_a(at[2], NAME_START | NAME) ? at + 2
                                                                                            : name;
}

static int is_same_model(const char *a, const char *b)
{
    for (;; a++, b++) {
        a = skip_memory(a);
        b = skip_memory(b);
        if (*a != *b || !*a)
            return *a == *b;
    }
}

/* The grade of the entries of a section of the device's kind, at their best; `hash` of its name. */
static enum tuned_grade grade_section(const struct tuned *tuned, const struct section *section,
                                      const struct tuned_device *asked, uint32_t hash)
{
    const struct tuned_device *found = &section->device;
    int is_same_major = found->compute_capability_major == asked->compute_capability_major;
    if (found->name[0] == '*' && !found->name[1])
        return tuned->sources[section->source].is_built_in ? TUNED_DEFAULT : TUNED_PORTABLE;
    if (asked->name &&
        (!found->unit_count || !asked->unit_count || found->unit_count == asked->unit_count) &&
        (asked->compute_capability_major == 0 || found->compute_capability_major == 0 ||
         (is_same_major && found->compute_capability_minor == asked->compute_capability_minor))) {
        if (section->name_hash == hash && strcmp(found->name, asked->name) == 0)
            return TUNED_EXACT;
        if (is_same_model(found->name, asked->name))
            return TUNED_SAME_MODEL;
    }
    return is_same_major ? TUNED_OTHER_DEVICE : TUNED_FAR_DEVICE;
}

/* The greater over the smaller, numbers below 1 taken for a half. */
APART static double ratio_of(double a, double b)
{
    a = a < 1 ? 0.5 : a;
    b = b < 1 ? 0.5 : b;
    return a > b ? a / b : b / a;
}

/* Times the ratio of two numbers; 1 when one is unknown. */
FAST static int multiply_ratio(double a, double b, double *ratio)
{
    if (a <= 0 || b <= 0)
        return 1;
    *ratio *= ratio_of(a, b);
    return 0;
}

/* What orders devices of one grade: first this, the smaller before the greater, then *ratio. */
FAST static int rank_section(const struct section *found, const struct tuned_device *asked,
                             double asked_units, double *ratio)
{
    *ratio = 1;
    int rank = multiply_ratio(found->units, asked_units, ratio) * 2;
    rank += multiply_ratio(found->device.bandwidth_gbs, asked->bandwidth_gbs, ratio);
    return rank + 4 * (found->device.compute_capability_major == asked->compute_capability_major &&
                       found->device.compute_capability_minor != asked->compute_capability_minor);
}

/* ... then the name, of which `hash` is, then the memory. */
APART static int is_more_alike(const struct tuned_device *asked, uint32_t hash,
                               const struct section *a, const struct section *b)
{
    double left = 1, right = 1, memory = (double)asked->memory_bytes;
    if ((a->name_hash == hash) != (b->name_hash == hash))
        return a->name_hash == hash;
    int unknown = multiply_ratio((double)a->device.memory_bytes, memory, &left);
    return unknown < multiply_ratio((double)b->device.memory_bytes, memory, &right) ||
           (!unknown && left < right);
}

/* Whether the device has less than is needed. */
static int is_short(const struct tuned_device *device, const long long needs[NEEDS])
{
    return (device->max_threads_per_block > 0 &&
            needs[NEED_THREADS] > device->max_threads_per_block) ||
           (device->max_shared_bytes > 0 && needs[NEED_SHARED_BYTES] > device->max_shared_bytes) ||
           (device->registers_per_unit > 0 && needs[NEED_REGISTERS] > device->registers_per_unit);
}

static int fits(const struct tuned_entry *entry, const struct tuned_device *device)
{
    long long needs[NEEDS] = {0};
    for (int i = 0; i < NEEDS; i++) {
        const char *text =
            text_of(entry->tuned, &entry->line, EVIDENCE, (uint32_t)(THREADS + i), NULL);
        if (text)
            (void)read_integer(text, &needs[i]); /* it was checked when it was read */
    }
    multiply_registers(needs);
    return !is_short(device, needs);
}

enum unfit { NONE_UNFIT, SOME_UNFIT, ALL_UNFIT };

/* Which entries of the group need more than the device has. */
static enum unfit find_unfit(const struct tuned *tuned, const struct tuned_device *device,
                             const struct group *group)
{
    uint32_t count = 0;
    if (is_short(device, tuned->lists.of.sections[group->section].needs))
        for (uint32_t i = 0; i < group->entry_count; i++)
            count += !fits(&tuned->lists.of.entries[group->first_entry + i], device);
    return count == 0 ? NONE_UNFIT : count < group->entry_count ? SOME_UNFIT : ALL_UNFIT;
}

/* The best group of other devices; of the same grade that of the first file, and of that the device
 * most alike. `hash` is of the device's name. */
FAST static int find_elsewhere(const struct tuned *tuned, const struct tuned_device *device,
                               const struct name *problem, uint32_t hash,
                               struct tuned_found_group *best)
{
    const struct section *before = NULL;
    uint32_t kind = find_text(tuned, device->kind);
    double units = device->unit_count;
    int best_rank = 0;
    for (uint32_t i = 0; i < problem->group_count; i++) {
        const struct group *group = &tuned->lists.of.groups[problem->first_group + i];
        const struct section *section = &tuned->lists.of.sections[group->section];
        if (section->kind != kind)
            continue;
        double ratio = 0;
        enum tuned_grade grade = grade_section(tuned, section, device, hash);
        int rank = rank_section(section, device, units, &ratio);
        if (before && grade <= best->grade &&
            (grade < best->grade || section->source != before->source || rank > best_rank ||
             (rank == best_rank &&
              (ratio > best->ratio ||
               (ratio == best->ratio && !is_more_alike(device, hash, section, before))))))
            continue;
        enum unfit unfit = find_unfit(tuned, device, group);
        if (unfit == ALL_UNFIT)
            continue;
        *best = (struct tuned_found_group){group, grade, unfit == SOME_UNFIT, ratio};
        best_rank = rank;
        before = section;
    }
    return before != NULL;
}

/* The groups that may answer, into `out`: those of this device, one of each file; else one. */
FAST static int find_groups(const struct tuned *tuned, const struct tuned_device *device,
                            const char *problem, struct tuned_found_group *out)
{
    if (!tuned || !device || !device->kind || !problem)
        return 0;
    size_t length = strlen(problem);
    uint32_t problem_hash = hash_text(tuned, problem, length), source = UINT32_MAX;
    uint32_t hash = device->name ? hash_text(tuned, device->name, strlen(device->name)) : 0;
    uint32_t both = group_hash(problem_hash, hash);
    int count = 0;
    for (uint32_t i = *group_bucket(tuned, both); i; i = tuned->lists.of.groups[i].next) {
        const struct group *group = &tuned->lists.of.groups[i];
        if (group->hash != both)
            continue;
        const struct section *section = &tuned->lists.of.sections[group->section];
        enum unfit unfit = find_unfit(tuned, device, group);
        if (strcmp(group->problem, problem) != 0 ||
            strcmp(section->device.kind, device->kind) != 0 ||
            grade_section(tuned, section, device, hash) != TUNED_EXACT || unfit == ALL_UNFIT)
            continue;
        /* Of one file the last: a section of unknown numbers comes before its like. */
        count += source != section->source;
        source = section->source;
        out[count - 1] = (struct tuned_found_group){group, TUNED_EXACT, unfit == SOME_UNFIT, 1.0};
    }
    uint32_t number = count > 0 ? 0 : find_name(tuned, problem, length, problem_hash);
    return number ? find_elsewhere(tuned, device, &tuned->lists.of.names[number], hash, out)
                  : count;
}

/* ---- finding: the sizes ---- */

struct query {
    long long n;
    const struct tuned_size *sizes;
    size_t count;
};

/* Whether the size is among the entry's; *ratio grows by how far it is from these. */
static int measure_size(long long low, long long high, long long size, double *ratio)
{
    if (low <= size && size <= high)
        return 1;
    *ratio *= ratio_of((double)(size < low ? low : high), (double)size);
    return 0;
}

/* The same of all sizes; one that was not given is among none. */
static int measure(const struct tuned_entry *entry, const struct query *query, double *ratio)
{
    *ratio = 1.0;
    int is_within = measure_size(entry->n.ends[0], entry->n.ends[1], query->n, ratio);
    size_t count = span_count(entry);
    for (size_t i = 0; i < count; i++) {
        const struct span *span = span_at(entry, i);
        const char *name = entry->tuned->lists.of.names[span_names(entry)[i]].word.text;
        size_t j = 0;
        while (j < query->count && strcmp(query->sizes[j].name, name) != 0)
            j++;
        is_within &= j < query->count &&
                     measure_size(span->ends[0], span->ends[1], query->sizes[j].size, ratio);
    }
    return is_within;
}

/* The nearest by looking at all that fit: of two equally near the smaller. */
static const struct tuned_entry *find_among_all(const struct tuned_entry *entries, uint32_t count,
                                                const struct query *query,
                                                const struct tuned_device *limits)
{
    const struct tuned_entry *best = NULL;
    double nearest = 0, ratio = 0;
    int is_best_within = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (limits && !fits(&entries[i], limits))
            continue;
        int is_within = measure(&entries[i], query, &ratio);
        if (best && (is_within != is_best_within ? is_best_within : ratio >= nearest))
            continue;
        best = &entries[i];
        nearest = ratio;
        is_best_within = is_within;
    }
    return best;
}

/* The group's entry of the nearest sizes, of those that fit the device where that is asked. */
FAST static const struct tuned_entry *find_entry(const struct tuned *tuned,
                                                 const struct group *group,
                                                 const struct query *query,
                                                 const struct tuned_device *limits)
{
    const long long *lows = tuned->lists.of.lows + group->first_entry;
    const struct tuned_entry *entries = tuned->lists.of.entries + group->first_entry;
    size_t below = 0; /* the last that begins at or below n, or the first */
    if (limits || (tuned->counts[SPANS] > 0 && span_count(entries) > 0))
        return find_among_all(entries, group->entry_count, query, limits);
    for (size_t count = group->entry_count; count > 1;) {
        size_t half = count / 2;
        below = lows[below + half] <= query->n ? below + half : below;
        count -= half;
    }
    const struct tuned_entry *left = &entries[below], *right = left + 1;
    if (query->n <= left->n.ends[1] || below + 1 == group->entry_count)
        return left;
    return ratio_of((double)query->n, (double)left->n.ends[1]) <=
                   ratio_of((double)right->n.ends[0], (double)query->n)
               ? left
               : right;
}

static int is_single(const struct tuned_entry *entry)
{
    size_t i = 0, count = span_count(entry);
    while (i < count && span_at(entry, i)->ends[0] == span_at(entry, i)->ends[1])
        i++;
    return i == count;
}

/* The best of the groups; of the same grade the first. */
FAST static enum tuned_grade choose(const struct tuned_found_group *groups, int count,
                                    const struct query *query, struct tuned_answer *answer)
{
    for (int i = 0; i < count; i++) {
        const struct tuned_found_group *found = &groups[i];
        const struct tuned_entry *entry = find_entry(answer->tuned, found->group, query,
                                                     found->has_unfit ? answer->device : NULL);
        double ratio = 1.0;
        int is_within = entry->n.ends[0] <= query->n && query->n <= entry->n.ends[1];
        if (!is_within || answer->tuned->counts[SPANS] > 0)
            is_within = measure(entry, query, &ratio);
        enum tuned_grade grade = found->grade;
        if (grade == TUNED_EXACT && !is_within)
            grade = TUNED_NEAREST_SIZE;
        else if (grade == TUNED_EXACT &&
                 (entry->at != query->n || (answer->tuned->counts[SPANS] > 0 && !is_single(entry))))
            grade = TUNED_IN_RANGE;
        if (grade <= answer->grade)
            continue;
        answer->grade = grade;
        answer->entry = entry;
        answer->distance = ratio * found->ratio - 1.0;
    }
    return answer->grade;
}

enum tuned_grade tuned_resolve(const struct tuned *tuned, const struct tuned_device *device,
                               const char *problem, struct tuned_handle *handle)
{
    *handle = (struct tuned_handle){.tuned = tuned, .problem = problem};
    if (device)
        handle->device = *device;
    handle->group_count = find_groups(tuned, device, problem, handle->groups);
    return handle->groups[0].grade;
}

FAST enum tuned_grade tuned_find_resolved_sizes(const struct tuned_handle *handle, long long n,
                                                const struct tuned_size *sizes, size_t size_count,
                                                struct tuned_answer *answer)
{
    *answer = (struct tuned_answer){
        .tuned = handle->tuned, .device = &handle->device, .problem = handle->problem, .n = n};
    return choose(handle->groups, handle->group_count, &(struct query){n, sizes, size_count},
                  answer);
}

enum tuned_grade tuned_find_resolved(const struct tuned_handle *handle, long long n,
                                     struct tuned_answer *answer)
{
    return tuned_find_resolved_sizes(handle, n, NULL, 0, answer);
}

enum tuned_grade tuned_find_sizes(const struct tuned *tuned, const struct tuned_device *device,
                                  const char *problem, long long n, const struct tuned_size *sizes,
                                  size_t size_count, struct tuned_answer *answer)
{
    struct tuned_found_group groups[TUNED_FILES_MAX];
    *answer = (struct tuned_answer){.tuned = tuned, .device = device, .problem = problem, .n = n};
    return choose(groups, find_groups(tuned, device, problem, groups),
                  &(struct query){n, sizes, size_count}, answer);
}

enum tuned_grade tuned_find(const struct tuned *tuned, const struct tuned_device *device,
                            const char *problem, long long n, struct tuned_answer *answer)
{
    return tuned_find_sizes(tuned, device, problem, n, NULL, 0, answer);
}

/* ---- sentences ---- */

const char *tuned_grade_name(enum tuned_grade grade)
{
    static const char names[][16] = {"none",         "far device",   "default",
                                     "portable",     "other device", "same model",
                                     "nearest size", "in range",     "exact"};
    return names[(unsigned)grade <= TUNED_EXACT ? grade : TUNED_NONE];
}

/* "n = 1024" or "n from 512 to 1023 (measured at 1000)" */
static void describe_sizes(const struct tuned_answer *answer, char *out, size_t bytes)
{
    const struct tuned_entry *entry = answer->entry;
    const char *format = "n from %lld to %lld (measured at %lld)";
    long long first = answer->grade == TUNED_EXACT ? answer->n : entry->n.ends[0];
    if (first == entry->n.ends[1] || answer->grade == TUNED_EXACT)
        format = "n = %lld";
    else if (entry->at < 0)
        format = "n from %lld to %lld";
    /* cppcheck-suppress wrongPrintfScanfArgNum */
    int used = snprintf(out, bytes, format, first, entry->n.ends[1], entry->at);
    if (answer->grade < TUNED_NEAREST_SIZE &&
        (answer->n < entry->n.ends[0] || answer->n > entry->n.ends[1]))
        snprintf(out + used, bytes - (size_t)used, ", which is nearest");
}

static const char *describe_capability(const struct tuned_device *asked,
                                       const struct tuned_device *found)
{
    if (found->compute_capability_major == 0)
        return "";
    if (found->compute_capability_major != asked->compute_capability_major)
        return ", of another compute capability";
    return found->compute_capability_minor != asked->compute_capability_minor
               ? ", of the same major compute capability"
               : ", of the same compute capability";
}

/* What a format does not use stands behind what it does. */
void tuned_reason(const struct tuned_answer *answer, char *out, size_t bytes)
{
    const struct tuned_entry *entry = answer->entry;
    const struct tuned_device *asked = answer->device;
    const char *format = "%.60s has no entry for the kind '%.60s' that fits";
    char sizes[136];
    if (!entry) {
        int is_asked = asked && asked->kind && answer->problem;
        if (!answer->tuned)
            format = "no tuned.conf is loaded";
        else if (!is_asked)
            format = "no device or no problem was named";
        /* cppcheck-suppress wrongPrintfScanfArgNum */
        snprintf(out, bytes, format, answer->problem, is_asked ? asked->kind : NULL);
        return;
    }
    const struct tuned_device *found = tuned_entry_device(entry);
    describe_sizes(answer, sizes, sizeof sizes);
    if (answer->grade >= TUNED_NEAREST_SIZE) {
        format = "on %.60s nearest of what fits is %s; asked was n = %lld";
        if (answer->grade == TUNED_EXACT)
            format = "measured on %.60s at %s";
        else if (answer->grade == TUNED_IN_RANGE)
            format = "tuned on %.60s for %s";
        /* cppcheck-suppress wrongPrintfScanfArgNum */
        snprintf(out, bytes, format, found->name, sizes, answer->n);
        return;
    }
    int is_for_all = answer->grade == TUNED_PORTABLE || answer->grade == TUNED_DEFAULT;
    format = is_for_all
                 ? "%.60s has no entry for %.60s that fits; taken, for %s, from what %.60s has for "
                   "every device"
                 : "%.60s has no entry for %.60s that fits; taken, for %s, from %.60s%s (%d %s; "
                   "here %d)";
    /* cppcheck-suppress wrongPrintfScanfArgNum */
    snprintf(out, bytes, format, answer->problem, asked->name ? asked->name : "this device", sizes,
             is_for_all ? tuned_entry_file(entry) : found->name, describe_capability(asked, found),
             found->unit_count, strcmp(found->kind, "cpu") == 0 ? "cores" : "SMs",
             asked->unit_count);
}

/* ---- what an entry holds ---- */

const char *tuned_text_at(const struct tuned_entry *entry, int index, const char *otherwise)
{
    return entry ? text_of(entry->tuned, &entry->line, VALUES, (uint32_t)index, otherwise)
                 : otherwise; /* no line has a name of a number below 1 */
}

long long tuned_integer_at(const struct tuned_entry *entry, int index, long long otherwise)
{
    long long value = 0;
    const char *text = tuned_text_at(entry, index, NULL);
    return text && read_integer(text, &value) ? value : otherwise;
}

static double real_of(const char *text, double otherwise)
{
    double value = 0;
    return text && read_real(text, &value) ? value : otherwise;
}

double tuned_real_at(const struct tuned_entry *entry, int index, double otherwise)
{
    return real_of(tuned_text_at(entry, index, NULL), otherwise);
}

int tuned_value_index(const struct tuned *tuned, const char *name)
{
    uint32_t number = tuned ? find_text(tuned, name) : 0;
    return number > 0 ? (int)number : -1;
}

static int index_of(const struct tuned_entry *entry, const char *name)
{
    return entry ? tuned_value_index(entry->tuned, name) : -1;
}

const char *tuned_text(const struct tuned_entry *entry, const char *name, const char *otherwise)
{
    return tuned_text_at(entry, index_of(entry, name), otherwise);
}

long long tuned_integer(const struct tuned_entry *entry, const char *name, long long otherwise)
{
    return tuned_integer_at(entry, index_of(entry, name), otherwise);
}

double tuned_real(const struct tuned_entry *entry, const char *name, double otherwise)
{
    return tuned_real_at(entry, index_of(entry, name), otherwise);
}

/* Whether `name` is one of the names between commas. */
static int lists(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (; names; names = strchr(names, ',')) {
        names += *names == ',';
        if (strncmp(names, name, length) == 0 && (names[length] == ',' || !names[length]))
            return 1;
    }
    return 0;
}

long long tuned_answer_integer_at(const struct tuned_answer *answer, int index, long long otherwise)
{
    const struct tuned_entry *entry = answer->entry;
    const char *text = tuned_text_at(entry, index, NULL);
    long long value = 0;
    if (!text || !read_integer(text, &value))
        return otherwise;
    long long found = tuned_entry_device(entry)->unit_count;
    long long asked = answer->device ? answer->device->unit_count : 0;
    if (value <= 0 || found <= 0 || asked <= 0 || value > LLONG_MAX / asked - found ||
        !lists(text_of(entry->tuned, &entry->line, EVIDENCE, PER_UNIT, NULL),
               entry->tuned->lists.of.names[index].word.text))
        return value;
    value = (value * asked + found / 2) / found;
    return value > 0 ? value : 1;
}

long long tuned_answer_integer(const struct tuned_answer *answer, const char *name,
                               long long otherwise)
{
    return tuned_answer_integer_at(answer, index_of(answer->entry, name), otherwise);
}

size_t tuned_value_count(const struct tuned_entry *entry)
{
    return entry ? shape_of(entry->tuned, &entry->line)->counts[VALUES] : 0;
}

void tuned_value_at(const struct tuned_entry *entry, size_t position, const char **name,
                    const char **value)
{
    *name = *value = NULL;
    if (position >= tuned_value_count(entry))
        return;
    *name = entry->tuned->lists.of.names[shape_of(entry->tuned, &entry->line)->names[position]]
                .word.text;
    *value = entry->line.text + entry->tuned->lists.of.numbers[entry->line.fields + position];
}

const char *tuned_evidence_text(const struct tuned_entry *entry, const char *name,
                                const char *otherwise)
{
    uint32_t number = (uint32_t)index_of(entry, name);
    return entry ? text_of(entry->tuned, &entry->line, EVIDENCE, number, otherwise) : otherwise;
}

double tuned_evidence(const struct tuned_entry *entry, const char *name, double otherwise)
{
    return real_of(tuned_evidence_text(entry, name, NULL), otherwise);
}

double tuned_expected_ns(const struct tuned_entry *entry)
{
    return tuned_evidence(entry, known_names[TIME_NS], -1.0);
}

const char *tuned_entry_problem(const struct tuned_entry *entry)
{
    return entry->line.text;
}

long long tuned_entry_n(const struct tuned_entry *entry)
{
    return entry->at >= 0 ? entry->at : entry->n.ends[0];
}

long long tuned_entry_n_low(const struct tuned_entry *entry)
{
    return entry->n.ends[0];
}

long long tuned_entry_n_high(const struct tuned_entry *entry)
{
    return entry->n.ends[1];
}

const char *tuned_entry_size_at(const struct tuned_entry *entry, size_t position, long long *low,
                                long long *high)
{
    if (position >= span_count(entry))
        return NULL;
    *low = span_at(entry, position)->ends[0];
    *high = span_at(entry, position)->ends[1];
    return entry->tuned->lists.of.names[span_names(entry)[position]].word.text;
}

const struct tuned_device *tuned_entry_device(const struct tuned_entry *entry)
{
    return &section_of(entry)->device;
}

int tuned_entry_line(const struct tuned_entry *entry)
{
    return entry->line_number;
}

const char *tuned_entry_file(const struct tuned_entry *entry)
{
    return entry->tuned->sources[section_of(entry)->source].name;
}

const char *tuned_device_text(const struct tuned_entry *entry, const char *name,
                              const char *otherwise)
{
    uint32_t number = (uint32_t)index_of(entry, name);
    return entry ? text_of(entry->tuned, &section_of(entry)->line, VALUES, number, otherwise)
                 : otherwise;
}

int tuned_stale(const struct tuned_entry *entry, const struct tuned_build *have, char *out,
                size_t bytes)
{
    const char *mine[] = {have->source, have->flags, have->driver, have->compiler};
    for (int i = 0; i < 4; i++) {
        const char *name = known_names[SOURCE + i];
        const char *then = tuned_evidence_text(entry, name, tuned_device_text(entry, name, NULL));
        if (!mine[i] || !then || strcmp(mine[i], then) == 0)
            continue;
        if (out)
            snprintf(out, bytes, "%s: %.80s when it was measured, %.80s now", name, then, mine[i]);
        return 1;
    }
    return 0;
}

size_t tuned_entry_count(const struct tuned *tuned)
{
    return tuned ? tuned->counts[ENTRIES] : 0;
}

const struct tuned_entry *tuned_entry_at(const struct tuned *tuned, size_t index)
{
    return index < tuned_entry_count(tuned) ? &tuned->lists.of.entries[index] : NULL;
}

const char *tuned_version(void)
{
    return TUNED_VERSION;
}

#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute pop
#endif
