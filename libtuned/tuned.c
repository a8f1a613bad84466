/* SPDX-FileCopyrightText: 2026 The tune authors
 * SPDX-License-Identifier: MIT
 * libtuned: what it is, and how it is used, stands in tuned.h. */
#ifndef _POSIX_C_SOURCE
/* open, fstat, read: a FIFO must not hang. NOLINTNEXTLINE(cert-dcl37-c,cert-dcl51-cpp) */
#define _POSIX_C_SOURCE 200809L
#endif
#include "tuned.h"

#include <errno.h>
#ifndef _WIN32
#include <fcntl.h>
#endif
#include <float.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif
#if defined(__APPLE__)
#define st_mtim st_mtimespec
#endif
#if defined(__GNUC__)
#define PRINTF_LIKE __attribute__((format(printf, 2, 3)))
#else
#define PRINTF_LIKE
#endif

enum {
    FIELDS_MAX = 128, /* on one side of a line's '|' */
    MAJORS_MAX = 63,
    CAPABILITY_MAJOR = 10000, /* compute capability 9.0 is 90000 */
    CLUSTERS_SINCE = 90000
};

/* Names are numbered: each is stored once, and an index of tuned_value_index is such a number.
 * Those that libtuned itself reads come first; 0 is none. */
#define KNOWN_NAMES(X)                                                                             \
    X(NONE, "")                                                                                    \
    X(N, "n")                                                                                      \
    X(AT, "at")                                                                                    \
    X(TIME_NS, "time_ns")                                                                          \
    X(THREADS, "threads") /* these four in the order of enum need */                               \
    X(SHARED_BYTES, "shared_bytes")                                                                \
    X(REGISTERS, "registers")                                                                      \
    X(CLUSTER, "cluster")                                                                          \
    X(CLUSTER_SIZE, "cluster_size")                                                                \
    X(CAPABILITY, "capability")                                                                    \
    X(CAPABILITIES, "capabilities")                                                                \
    X(MEASURED, "measured")                                                                        \
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

struct name {
    const char *text;
    size_t length;
    uint32_t hash, next;               /* the next in its bucket */
    uint32_t seen, value;              /* the side of a line that had it last, and where */
    uint32_t first_group, group_count; /* of the problem of this name */
};

/* A line, in place: values are cut apart where they stand. Two of tuned.numbers for each field,
 * from `fields` on: its name, and where its value begins, counted from the line's first byte.
 * Values (or a section's fields) come before evidence. */
struct line {
    char *text;
    uint32_t fields;
    uint8_t counts[2];
};
enum { VALUES, EVIDENCE };

/* The sizes that an entry holds for: the first and the last; of which variable. */
struct span {
    long long ends[2];
    uint32_t name;
};

/* What a launch needs: threads and shared memory of a block, registers of a block, blocks of a
 * cluster, and from which to which compute capability it runs (capability_of). */
enum need {
    NEED_THREADS,
    NEED_SHARED_BYTES,
    NEED_REGISTERS,
    NEED_CLUSTER,
    NEED_CAPABILITY,
    NEED_CAPABILITY_MOST,
    NEEDS
};

struct tuned_entry {
    struct span n;
    long long at;     /* the size that was measured; below 0 when that is unknown */
    struct line line; /* begins with the problem */
    const struct tuned *tuned;
    uint32_t section, problem, first_span, span_count;
    int line_number;
    long long needs[NEEDS];
    uint64_t majors; /* compute capabilities that it was measured on: bits; 0: none are known */
};

struct section {
    struct tuned_device device;
    struct line line;
    int line_number;
    int is_portable; /* "*": its units are for scaling alone */
    uint32_t source, first_entry, entry_count;
    uint64_t majors; /* compute capabilities that it was measured on: bits; 0: none are known */
};

/* The entries of one problem in one section. */
struct group {
    uint32_t section, first_entry, entry_count;
};

struct source {
    const char *name; /* behind its text */
    int is_named;     /* by the program or $TUNED_CONF */
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
    X(GROUPS, groups, struct group) /* of a problem together, in the order of ORDER */
#define LIST(NUMBER, NAME, TYPE) NUMBER,
enum list { EACH_LIST(LIST) LISTS };
#undef LIST
#define LIST(NUMBER, NAME, TYPE) sizeof(TYPE),
static const unsigned char item_bytes[LISTS] = {EACH_LIST(LIST)};
#undef LIST
#define LIST(NUMBER, NAME, TYPE) TYPE *NAME;

/* Of a file: its bytes, a zero, its name. */
struct text {
    struct text *before;
    char bytes[];
};

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
    enum tuned_grade least_grade;
    double size_factor;
};

static const struct section *section_of(const struct tuned_entry *entry)
{
    return entry->tuned->lists.of.sections + entry->section;
}

static long long capability_of(const struct tuned_device *device)
{
    return (long long)device->compute_capability_major * CAPABILITY_MAJOR +
           device->compute_capability_minor;
}

/* ---- errors and memory ---- */

struct reader {
    struct tuned *tuned;
    struct tuned_error *error; /* may be NULL; the first file that is refused counts */
    const char *name;          /* of the file */
    char *line_text, *at;      /* the line; what is not read of it, which was not written to */
    long long version;
    int line;
    int is_built_in, is_named; /* the source */
    int ended;                 /* the line "end" was read */
    int refused;               /* a file was, or memory is short */
    int goes_on;               /* though a file was refused */
    /* Of the line that is read: its fields, a name and where its value begins; the side that is
     * read last begins at field `side`. Sides of lines are numbered from 1. */
    size_t count, side, span_count;
    uint32_t side_number;
    struct span spans[TUNED_SIZES_MAX];
    uint32_t fields[2 * 2 * FIELDS_MAX];
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

static void release(const struct tuned *tuned, void *memory)
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

static void swap(char *a, char *b, size_t size)
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

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_a(char c, int what)
{
    return classes[(unsigned char)c] & what;
}

static int is_space(char c)
{
    return c == ' ' || c == '\t';
}

/* The first control character but tabs, such as the NUL behind the text. */
static char *find_control(char *at)
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

/* Its number, 0 when no line has it. */
static uint32_t find_name(const struct tuned *tuned, const char *text, size_t length, uint32_t hash)
{
    const uint32_t *buckets = tuned->lists.of.buckets;
    const struct name *names = tuned->lists.of.names;
    uint32_t number = buckets[hash & (tuned->counts[BUCKETS] - 1)];
    while (number && (names[number].hash != hash || names[number].length != length ||
                      memcmp(names[number].text, text, length) != 0))
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
    *name = (struct name){text, length, hash, *bucket, 0, 0, 0, 0};
    *bucket = number;
    return number < tuned->counts[BUCKETS] || rehash(reader) ? number : 0;
}

/* The value of a name among fields of a line; NULL where there is none. */
static const char *value_of(const char *line, const uint32_t *fields, size_t count, uint32_t name)
{
    for (size_t i = 0; i < count; i++)
        if (fields[2 * i] == name)
            return line + fields[2 * i + 1];
    return NULL;
}

/* ... on one side of a line. */
static const char *text_of(const struct tuned *tuned, const struct line *line, int side,
                           uint32_t name, const char *otherwise)
{
    size_t first = side == EVIDENCE ? line->counts[VALUES] : 0;
    const char *text = value_of(line->text, tuned->lists.of.numbers + line->fields + 2 * first,
                                line->counts[side], name);
    return text ? text : otherwise;
}

/* ---- reading lines ---- */

static char *skip_spaces(char *at)
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

/* The value of the field `name`, up to a space or the end of the line; NULL when it is refused. */
static const char *take_value(struct reader *reader, const char *name)
{
    const char *value = reader->at;
    if (*value == '"') {
        if (!take_quoted(reader, &value))
            return NULL;
    } else {
        while (is_a(*reader->at, WORD))
            reader->at++;
        if (reader->at == value) {
            (void)refuse(reader, "'%.60s' has no value", name);
            return NULL;
        }
    }
    if (*reader->at && !is_space(*reader->at)) {
        (void)refuse(reader, "the value of '%.60s' must be in quotes", name);
        return NULL;
    }
    if (*reader->at)
        *reader->at++ = '\0';
    return value;
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
    if (reader->count != 1 || reader->fields[0] != N)
        return refuse(reader, "'%.60s@' may only stand directly behind n=", name);
    if (reader->span_count == TUNED_SIZES_MAX - 1)
        return refuse(reader, "more than %d size variables", TUNED_SIZES_MAX);
    for (size_t i = 0; i < reader->span_count; i++)
        if (reader->spans[i].name == number)
            return refuse(reader, "'%.60s' is given twice", name);
    reader->spans[reader->span_count].name = number;
    return read_sizes(reader, name, "@", value, &reader->spans[reader->span_count++]);
}

/* The value of a name on the side that is read; NULL where there is none. */
static const char *known(const struct reader *reader, uint32_t number)
{
    const struct name *name = &reader->tuned->lists.of.names[number];
    return name->seen == reader->side_number ? reader->line_text + name->value : NULL;
}

/* Fields up to the end of the line or a '|', into the reader; their names differ. */
static int take_fields(struct reader *reader)
{
    reader->side = reader->count;
    reader->side_number++;
    for (;;) {
        char *at = reader->at = skip_spaces(reader->at);
        if (*at == '\0' || *at == '|')
            return 1;
        uint32_t number = take_name(reader, '=', '@');
        if (!number)
            return refuse(reader, "'%.40s' is not NAME=VALUE", at);
        const char *name = reader->tuned->lists.of.names[number].text;
        int is_size = *reader->at == '@';
        *reader->at++ = '\0';
        const char *value = take_value(reader, name);
        if (!value)
            return 0;
        if (is_size) {
            if (!add_span(reader, number, name, value))
                return 0;
            continue;
        }
        if (known(reader, number))
            return refuse(reader, "'%.60s' is given twice", name);
        if (reader->count - reader->side == FIELDS_MAX)
            return refuse(reader, "more than %d fields", FIELDS_MAX);
        struct name *known_name = &reader->tuned->lists.of.names[number];
        known_name->seen = reader->side_number;
        known_name->value = (uint32_t)(value - reader->line_text);
        reader->fields[2 * reader->count] = number;
        reader->fields[2 * reader->count++ + 1] = known_name->value;
    }
}

/* Stores the fields from number `first` on; those before `side` are no evidence. */
static int store_fields(struct reader *reader, struct line *line, size_t first, size_t side)
{
    size_t count = reader->count - first;
    uint32_t *numbers = append(reader, NUMBERS, 2 * count);
    if (!numbers)
        return 0;
    memcpy(numbers, reader->fields + 2 * first, 2 * count * sizeof *numbers);
    line->fields = (uint32_t)(numbers - reader->tuned->lists.of.numbers);
    line->counts[VALUES] = (uint8_t)(side - first);
    line->counts[EVIDENCE] = (uint8_t)(reader->count - side);
    return 1;
}

/* A known field's whole number in [min, max]; left alone where there is none. */
static int known_number(struct reader *reader, uint32_t name, long long min, long long max,
                        long long *out)
{
    const char *text = known(reader, name);
    return !text || (read_integer(text, out) && min <= *out && *out <= max) ||
           refuse(reader, "%s=%.40s is not a whole number from %lld to %lld", known_names[name],
                  text, min, max);
}

/* ... and its number of at least 0. */
static int known_real(struct reader *reader, uint32_t name, double *out)
{
    const char *text = known(reader, name);
    return !text || (read_real(text, out) && *out >= 0) ||
           refuse(reader, "%s=%.40s is not a number of at least 0", known_names[name], text);
}

/* "9.0" at *text, moved past; as capability_of has it. */
static int read_capability(const char **text, long long *out)
{
    long long major = 0, minor = 0;
    if (!read_digits(text, 0, &major) || *(*text)++ != '.' || !read_digits(text, 0, &minor) ||
        major > 9999 || minor > 9999)
        return 0;
    *out = major * CAPABILITY_MAJOR + minor;
    return 1;
}

/* "8,9", as bits; 0 where nothing is said. */
static int read_majors(struct reader *reader, uint64_t *out)
{
    const char *text = reader->version > 3 ? known(reader, CAPABILITIES) : NULL, *at = text;
    long long major = 0;
    *out = 0;
    do {
        if (!text)
            return 1;
        if (!read_digits(&at, 0, &major) || major >= MAJORS_MAX || (*at && *at != ','))
            return refuse(reader, "capabilities=%.40s is not of the form 8,9", text);
        *out |= (uint64_t)1 << major;
    } while (*at++);
    return 1;
}

static int read_device(struct reader *reader, struct section *section)
{
    struct tuned_device *device = &section->device;
    long long units = 0, capability = 0;
    if (!known_number(reader, SM_COUNT, 0, INT_MAX, &units) ||
        !known_number(reader, CORES, 0, INT_MAX, &units) ||
        !known_number(reader, MEMORY_BYTES, 0, LLONG_MAX, &device->memory_bytes) ||
        !known_real(reader, BANDWIDTH_GBS, &device->bandwidth_gbs))
        return 0;
    const char *text = known(reader, COMPUTE_CAPABILITY), *at = text;
    if (text && (!read_capability(&at, &capability) || *at))
        return refuse(reader, "compute_capability=%.40s is not of the form 9.0", text);
    device->unit_count = (int)units;
    device->compute_capability_major = (int)(capability / CAPABILITY_MAJOR);
    device->compute_capability_minor = (int)(capability % CAPABILITY_MAJOR);
    section->is_portable = device->name[0] == '*' && !device->name[1];
    if (!section->is_portable && device->compute_capability_major < MAJORS_MAX)
        section->majors = (uint64_t)1 << device->compute_capability_major;
    /* What was for every device before the format said on which ones it was measured. */
    else if (reader->version < 4 && !reader->is_built_in && strcmp(device->kind, "cpu") != 0)
        section->majors = (uint64_t)1 << MAJORS_MAX;
    else
        return read_majors(reader, &section->majors);
    return 1;
}

/* [KIND "NAME"] FIELDS */
static int read_section(struct reader *reader)
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
    uint32_t kind = take_name(reader, ' ', '\t');
    char *end = reader->at;
    reader->at = skip_spaces(end);
    if (kind) /* which is remembered, also where the line is refused */
        *end = '\0';
    if (!kind || *reader->at != '"')
        return refuse(reader, "a section begins as in [cuda \"NVIDIA H200\"]");
    if (!take_quoted(reader, &section->device.name))
        return 0;
    if (*reader->at != ']' || (reader->at[1] && !is_space(reader->at[1])))
        return refuse(reader, "the name of the device is to be followed by ] and a space");
    reader->at++;
    if (!take_fields(reader))
        return 0;
    if (*reader->at || reader->span_count > 0)
        return refuse(reader, "'|' and '@' have no place in a section's line");
    return read_device(reader, section) && store_fields(reader, &section->line, 0, reader->count);
}

/* "9.0": from there on; "9.0-10.3": up to there, too. Without one what was measured may need all
 * that its major compute capability has. */
static int read_capability_need(struct reader *reader, const struct section *section,
                                long long needs[NEEDS])
{
    const char *text = reader->version > 3 ? known(reader, CAPABILITY) : NULL, *at = text;
    needs[NEED_CAPABILITY] = (long long)section->device.compute_capability_major * CAPABILITY_MAJOR;
    needs[NEED_CAPABILITY_MOST] = LLONG_MAX;
    if (!text)
        return 1;
    int is_read = read_capability(&at, &needs[NEED_CAPABILITY]);
    if (is_read && *at == '-') {
        at++;
        is_read = read_capability(&at, &needs[NEED_CAPABILITY_MOST]);
    }
    return (is_read && !*at && needs[NEED_CAPABILITY] <= needs[NEED_CAPABILITY_MOST]) ||
           refuse(reader, "capability=%.40s is not of the form 9.0 or 9.0-10.3", text);
}

/* Formats before 4 do not say what blocks make a cluster, but in a parameter. */
static void guess_cluster(struct reader *reader, long long *cluster)
{
    const char *text = value_of(reader->line_text, reader->fields, reader->side, CLUSTER_SIZE);
    if (!text)
        text = value_of(reader->line_text, reader->fields, reader->side, CLUSTER);
    if (text && !read_integer(text, cluster))
        *cluster = 0;
}

/* What must hold of the evidence, and what is kept of it. */
static int read_evidence(struct reader *reader, struct tuned_entry *entry,
                         const struct section *section)
{
    const long long *sizes = entry->n.ends;
    long long *needs = entry->needs;
    double time_ns = 0;
    entry->at = sizes[0] == sizes[1] ? sizes[0] : -1;
    memset(needs, 0, sizeof entry->needs);
    if (!known_real(reader, TIME_NS, &time_ns) ||
        (reader->version > 1 && !known_number(reader, AT, sizes[0], sizes[1], &entry->at)))
        return 0;
    for (uint32_t i = 0; i < (reader->version > 3 ? 4 : reader->version > 2 ? 3 : 0); i++)
        if (!known_number(reader, THREADS + i, 0, INT_MAX, &needs[i]))
            return 0;
    if (reader->version < 4)
        guess_cluster(reader, &needs[NEED_CLUSTER]);
    /* Registers are given to a thread in eights, and threads in thirty-twos. */
    needs[NEED_REGISTERS] =
        (needs[NEED_REGISTERS] + 7) / 8 * 8 * ((needs[NEED_THREADS] + 31) / 32 * 32);
    return read_majors(reader, &entry->majors) && read_capability_need(reader, section, needs);
}

/* PROBLEM n=SIZES FURTHER-SIZES VALUES | EVIDENCE */
static int read_entry(struct reader *reader)
{
    struct tuned *tuned = reader->tuned;
    struct tuned_entry *entry = append(reader, ENTRIES, 1);
    const char *name = reader->line_text;
    if (!entry)
        return 0;
    entry->tuned = tuned;
    entry->line.text = reader->line_text;
    entry->line_number = reader->line;
    entry->problem = take_name(reader, ' ', '\t');
    if (!entry->problem)
        return refuse(reader, "'%.40s' begins no line of a tuned.conf", name);
    *reader->at++ = '\0';
    entry->section = (uint32_t)tuned->counts[SECTIONS] - 1;
    struct section *section =
        tuned->counts[SECTIONS] > 0 ? &tuned->lists.of.sections[entry->section] : NULL;
    if (!section || section->source != tuned->source_count)
        return refuse(reader, "'%.60s' stands before the first device", name);
    if (!take_fields(reader))
        return 0;
    size_t count = reader->count;
    if (count == 0 || reader->fields[0] != N)
        return refuse(reader, "'%.60s' is to be followed by its size, n=", name);
    if (!read_sizes(reader, "n", "=", name + reader->fields[1], &entry->n))
        return 0;
    if (count == 1)
        return refuse(reader, "'%.60s' has no parameters", name);
    reader->at += *reader->at == '|';
    if (!take_fields(reader))
        return 0;
    if (*reader->at)
        return refuse(reader, "'|' is given twice");
    entry->first_span = (uint32_t)tuned->counts[SPANS];
    entry->span_count = (uint32_t)reader->span_count;
    struct span *spans = append(reader, SPANS, reader->span_count);
    if (!spans)
        return 0;
    memcpy(spans, reader->spans, reader->span_count * sizeof *spans);
    section->entry_count++;
    return read_evidence(reader, entry, section) && store_fields(reader, &entry->line, 1, count);
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
    reader->count = reader->span_count = 0;
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

/* Sizes besides n. */
static const struct span *span_at(const struct tuned_entry *entry, size_t i)
{
    return entry->tuned->lists.of.spans + entry->first_span + i;
}

static int compare_ends(const struct span *a, const struct span *b)
{
    int end = a->ends[0] == b->ends[0];
    return a->ends[end] == b->ends[end] ? 0 : a->ends[end] < b->ends[end] ? -1 : 1;
}

/* By problem and sizes: 0 when these are the same. */
static int compare_sizes(const struct tuned_entry *a, const struct tuned_entry *b)
{
    size_t count = a->span_count;
    int order = a->problem == b->problem ? 0 : strcmp(a->line.text, b->line.text);
    order = order ? order : compare_ends(&a->n, &b->n);
    order = order ? order : (int)count - (int)b->span_count;
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
    size_t i = 0;
    if (a->span_count != b->span_count)
        return 0;
    while (i < a->span_count && span_at(a, i)->name == span_at(b, i)->name)
        i++;
    return i == a->span_count;
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
           (a->n.ends[1] < b->n.ends[0] || (a->span_count > 0 && compare_sizes(a, b) != 0));
}

/* Sorts the section's entries and checks that they go together. */
static int check_entries(struct reader *reader, const struct section *section)
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

/* Divides the entries into groups, those of a problem one after the other. */
static int group_entries(struct reader *reader)
{
    struct tuned *tuned = reader->tuned;
    const struct tuned_entry *entries = tuned->lists.of.entries;
    struct name *names = tuned->lists.of.names;
    uint32_t total = 0;
    for (size_t i = 0; i < tuned->counts[ENTRIES]; i++) {
        int is_new = i == 0 || entries[i].problem != entries[i - 1].problem ||
                     entries[i].section != entries[i - 1].section;
        names[entries[i].problem].first_group += (uint32_t)is_new;
        total += (uint32_t)is_new;
    }
    struct group *groups = append(reader, GROUPS, total);
    if (!groups)
        return 0;
    total = 0;
    for (size_t i = 0; i < tuned->counts[NAMES]; i++) {
        uint32_t own = names[i].first_group;
        names[i].first_group = total;
        total += own;
    }
    for (size_t s = 0; s < tuned->counts[SECTIONS]; s++) {
        uint32_t number = tuned->lists.of.order[s];
        const struct section *section = &tuned->lists.of.sections[number];
        struct group *group = NULL;
        for (uint32_t i = 0; i < section->entry_count; i++) {
            const struct tuned_entry *entry = &entries[section->first_entry + i];
            if (!group || entry->problem != entry[-1].problem) {
                struct name *name = &names[entry->problem];
                group = &groups[name->first_group + name->group_count++];
                *group = (struct group){number, section->first_entry + i, 0};
            }
            group->entry_count++;
        }
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
    struct text *text = allocate(reader, sizeof *text + bytes + 1 + length);
    if (!text)
        return NULL;
    text->before = reader->tuned->texts;
    reader->tuned->texts = text;
    text->bytes[bytes] = '\0';
    memcpy(text->bytes + bytes + 1, name, length);
    return text->bytes;
}

/* Reads what is in new_text's memory; a refused text leaves nothing behind. */
static void add_text(struct reader *reader, char *text, size_t bytes)
{
    struct tuned *tuned = reader->tuned;
    size_t counts[LISTS];
    for (int list = NUMBERS; list <= ENTRIES; list++)
        counts[list] = tuned->counts[list];
    reader->ended = 0;
    if (tuned->source_count == TUNED_FILES_MAX)
        (void)refuse(reader, "more than %d files", TUNED_FILES_MAX);
    else if (reserve(reader, ENTRIES, bytes / 256 + 1) && reserve(reader, NUMBERS, bytes / 7 + 1) &&
             read_lines(reader, text, bytes) && check_source(reader, counts[SECTIONS]))
        tuned->sources[tuned->source_count++] = (struct source){text + bytes + 1, reader->is_named};
    else
        for (int list = NUMBERS; list <= ENTRIES; list++)
            tuned->counts[list] = counts[list];
}

/* Whether there is another source to be read. */
static int begin_source(struct reader *reader, const char *name)
{
    reader->error = reader->refused ? NULL : reader->error;
    reader->name = name;
    reader->line = 0;
    return !reader->refused || reader->goes_on;
}

static void add_memory(struct reader *reader, const void *text, size_t bytes, const char *name)
{
    char *copy = begin_source(reader, name) ? new_text(reader, bytes, name) : NULL;
    if (!copy)
        return;
    if (bytes > 0)
        memcpy(copy, text, bytes);
    add_text(reader, copy, bytes);
}

#ifdef _WIN32
enum { PATH_BYTES = 1024 };

/* All of a file, as far as the C library can tell. */
static void add_file(struct reader *reader, const char *path, int must_be_there)
{
    long length = -1;
    if (!begin_source(reader, path))
        return;
    reader->is_named = must_be_there;
    FILE *file = fopen(path, "rb");
    if (!file) {
        if (errno != ENOENT || must_be_there)
            (void)refuse(reader,
                         errno == ENOENT ? "there is no such file"
                                         : "it cannot be opened (errno %d)",
                         errno);
        return;
    }
    if (fseek(file, 0, SEEK_END) == 0)
        length = ftell(file);
    char *text = length >= 0 ? new_text(reader, (size_t)length, path) : NULL;
    if (length < 0 || fseek(file, 0, SEEK_SET) != 0)
        (void)refuse(reader, "it is no regular file");
    else if (text && (fread(text, 1, (size_t)length, file) != (size_t)length || fgetc(file) != EOF))
        (void)refuse(reader, "it cannot be read, or was changed while it was read");
    else if (text)
        add_text(reader, text, (size_t)length);
    (void)fclose(file);
}
#else
enum { PATH_BYTES = PATH_MAX };

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
        add_text(reader, text, bytes);
}

static void add_file(struct reader *reader, const char *path, int must_be_there)
{
    if (!begin_source(reader, path))
        return;
    reader->is_named = must_be_there;
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
#endif

/* The value of an environment variable; NULL when it is empty. */
static const char *environment(const struct tuned_options *options, const char *name)
{
    const char *value = options->skip & TUNED_SKIP_ENVIRONMENT ? NULL : getenv(name);
    return value && *value ? value : NULL;
}

static void add_user_file(struct reader *reader, const struct tuned_options *options)
{
    char path[PATH_BYTES];
    const char *middle = "", *folder = environment(options, "XDG_CONFIG_HOME");
#ifdef _WIN32
    folder = folder ? folder : environment(options, "APPDATA");
#endif
    if (!folder) {
        middle = "/.config";
        folder = environment(options, "HOME");
    }
    if (folder && snprintf(path, sizeof path, "%s%s/tune/tuned.conf", folder, middle) < PATH_BYTES)
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
    if (options->skip & TUNED_SKIP_SYSTEM)
        return;
#ifdef _WIN32
    char system[PATH_BYTES];
    const char *folder = getenv("PROGRAMDATA");
    if (folder && snprintf(system, sizeof system, "%s/tune/tuned.conf", folder) < PATH_BYTES)
        add_file(reader, system, 0);
#else
    add_file(reader, "/etc/tune/tuned.conf", 0);
#endif
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
    tuned->least_grade = options->least_grade ? options->least_grade : TUNED_DEFAULT;
    tuned->size_factor = options->size_factor > 0 ? options->size_factor : 8;
    add_files(&reader, options);
    reader.is_named = memory_name != NULL;
    reader.is_built_in = !memory_name;
    if (memory_name || options->built_in)
        add_memory(&reader, options->built_in, options->built_in_bytes,
                   memory_name ? memory_name : "built-in");
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

/* ---- finding ---- */

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

/* Whether the asking device's major compute capability is among those. */
static int is_of_major(uint64_t majors, const struct tuned_device *asked)
{
    unsigned major = (unsigned)asked->compute_capability_major;
    return major < MAJORS_MAX && (majors >> major & 1);
}

/* The grade of the entries of a section of the device's kind, at their best. */
static enum tuned_grade grade_section(const struct section *section,
                                      const struct tuned_device *asked)
{
    const struct tuned_device *found = &section->device;
    int is_same_major = found->compute_capability_major == asked->compute_capability_major;
    if (section->is_portable && section->majors)
        return is_of_major(section->majors, asked) ? TUNED_PORTABLE : TUNED_FAR_DEVICE;
    if (section->is_portable)
        return TUNED_DEFAULT;
    if (asked->name &&
        (!found->unit_count || !asked->unit_count || found->unit_count == asked->unit_count) &&
        (asked->compute_capability_major == 0 || found->compute_capability_major == 0 ||
         (is_same_major && found->compute_capability_minor == asked->compute_capability_minor))) {
        if (strcmp(found->name, asked->name) == 0)
            return TUNED_EXACT;
        if (is_same_model(found->name, asked->name))
            return TUNED_SAME_MODEL;
    }
    return is_same_major ? TUNED_OTHER_DEVICE : TUNED_FAR_DEVICE;
}

/* The greater over the smaller, numbers below 1 taken for a half. */
static double ratio_of(double a, double b)
{
    a = a < 1 ? 0.5 : a;
    b = b < 1 ? 0.5 : b;
    return a > b ? a / b : b / a;
}

/* Times the ratio of two numbers; 1 when one is unknown. */
static int multiply_ratio(double a, double b, double *ratio)
{
    if (a <= 0 || b <= 0)
        return 1;
    *ratio *= ratio_of(a, b);
    return 0;
}

/* What orders devices of one grade: first this, the smaller before the greater, then *ratio. */
static int rank_section(const struct section *found, const struct tuned_device *asked,
                        double *ratio)
{
    int rank = 0;
    if (!found->is_portable && multiply_ratio(found->device.unit_count, asked->unit_count, ratio))
        rank = 2;
    rank += multiply_ratio(found->device.bandwidth_gbs, asked->bandwidth_gbs, ratio);
    return rank + 4 * (found->device.compute_capability_major == asked->compute_capability_major &&
                       found->device.compute_capability_minor != asked->compute_capability_minor);
}

/* ... then the name, then the memory. */
static int is_more_alike(const struct tuned_device *asked, const struct section *a,
                         const struct section *b)
{
    double left = 1, right = 1, memory = (double)asked->memory_bytes;
    int is_named = asked->name && strcmp(a->device.name, asked->name) == 0;
    if (is_named != (asked->name && strcmp(b->device.name, asked->name) == 0))
        return is_named;
    int unknown = multiply_ratio((double)a->device.memory_bytes, memory, &left);
    return unknown < multiply_ratio((double)b->device.memory_bytes, memory, &right) ||
           (!unknown && left < right);
}

static int is_above(long long need, long long limit)
{
    return limit > 0 && need > limit;
}

/* Whether the device can run what the entry launches, as far as both are known. */
static int fits(const struct tuned_entry *entry, const struct tuned_device *device)
{
    const long long *needs = entry->needs;
    const struct section *section = section_of(entry);
    long long capability = capability_of(device), cluster = device->max_cluster_blocks;
    if (device->compute_capability_major == 0 && device->name &&
        strcmp(device->name, section->device.name) == 0)
        capability = needs[NEED_CAPABILITY]; /* as this very device has it */
    /* Clusters of 8 run wherever there are some; of more on what has them, which no version of CUDA
     * promises of another major compute capability. */
    if (cluster <= 0)
        cluster = capability < CLUSTERS_SINCE ? 1 : is_of_major(section->majors, device) ? 16 : 8;
    if (entry->majors && !is_of_major(entry->majors, device))
        return 0;
    return !is_above(needs[NEED_THREADS], device->max_threads_per_block) &&
           !is_above(needs[NEED_SHARED_BYTES], device->max_shared_bytes) &&
           !is_above(needs[NEED_REGISTERS], device->registers_per_unit) &&
           !is_above(needs[NEED_CLUSTER], device->unit_count) && needs[NEED_CLUSTER] <= cluster &&
           needs[NEED_CAPABILITY] <= capability && capability <= needs[NEED_CAPABILITY_MOST];
}

struct query {
    const struct tuned_device *device;
    long long n;
    const struct tuned_size *sizes;
    size_t count;
    int is_any_size; /* n and sizes have no say */
};

/* Whether the size is among the entry's; *ratio grows by how far it is from these. */
static int measure_size(const struct span *span, long long size, double *ratio)
{
    if (span->ends[0] <= size && size <= span->ends[1])
        return 1;
    *ratio *= ratio_of((double)span->ends[size > span->ends[1]], (double)size);
    return 0;
}

/* The same of all sizes; one that was not given is among none. */
static int measure(const struct tuned_entry *entry, const struct query *query, double *ratio)
{
    *ratio = 1.0;
    if (query->is_any_size)
        return 1;
    int is_within = measure_size(&entry->n, query->n, ratio);
    for (size_t i = 0; i < entry->span_count; i++) {
        const struct span *span = span_at(entry, i);
        const char *name = entry->tuned->lists.of.names[span->name].text;
        size_t j = 0;
        while (j < query->count && strcmp(query->sizes[j].name, name) != 0)
            j++;
        is_within &= j < query->count && measure_size(span, query->sizes[j].size, ratio);
    }
    return is_within;
}

/* What a group has. */
struct candidate {
    const struct tuned_entry *entry; /* NULL: nothing */
    enum tuned_grade grade;
    int is_within;      /* the sizes are among the entry's */
    int rank;           /* rank_section's */
    double near, ratio; /* rank_section's; that of the sizes */
};

/* Takes the entry where it fits and is nearer than what was taken: of two equally near the first.
 */
static void take_entry(struct candidate *best, const struct tuned_entry *entry,
                       const struct query *query)
{
    double ratio = 0;
    int is_within = measure(entry, query, &ratio);
    if ((best->entry && (is_within != best->is_within ? best->is_within : ratio >= best->ratio)) ||
        (!is_within && ratio > entry->tuned->size_factor) || !fits(entry, query->device))
        return;
    best->entry = entry;
    best->is_within = is_within;
    best->ratio = ratio;
}

/* The group's entry of the nearest sizes, of those that fit the device. */
static void find_entry(const struct tuned *tuned, const struct group *group,
                       const struct query *query, struct candidate *best)
{
    const struct tuned_entry *entries = tuned->lists.of.entries + group->first_entry;
    size_t below = 0; /* the last that begins at or below n, or the first */
    best->entry = NULL;
    for (size_t count = group->entry_count; count > 1;) {
        size_t half = count / 2;
        below = entries[below + half].n.ends[0] <= query->n ? below + half : below;
        count -= half;
    }
    int has_next = below + 1 < group->entry_count, is_simple = entries->span_count == 0;
    is_simple = is_simple && !query->is_any_size;
    if (is_simple && fits(&entries[below], query->device) &&
        (!has_next || query->n <= entries[below].n.ends[1] ||
         fits(&entries[below + 1], query->device))) { /* it is one of the two */
        take_entry(best, &entries[below], query);
        if (has_next)
            take_entry(best, &entries[below + 1], query);
        return;
    }
    for (size_t i = 0; i < group->entry_count; i++)
        take_entry(best, &entries[i], query);
}

static int is_single(const struct tuned_entry *entry)
{
    size_t i = 0;
    while (i < entry->span_count && span_at(entry, i)->ends[0] == span_at(entry, i)->ends[1])
        i++;
    return i == entry->span_count;
}

/* Looks into a group of a section's grade `grade`. */
static void find_in_group(const struct tuned *tuned, const struct group *group,
                          const struct query *query, struct candidate *out)
{
    find_entry(tuned, group, query, out);
    if (!out->entry || out->grade != TUNED_EXACT || query->is_any_size)
        return;
    if (!out->is_within)
        out->grade = TUNED_NEAREST_SIZE;
    else if (out->entry->at != query->n || !is_single(out->entry))
        out->grade = TUNED_IN_RANGE;
}

static int is_better(const struct tuned *tuned, const struct tuned_device *device,
                     const struct candidate *a, const struct candidate *b)
{
    const struct section *left = section_of(a->entry), *right = section_of(b->entry);
    /* What a named file has of this very device goes before all other files. */
    int is_own = a->grade >= TUNED_NEAREST_SIZE && tuned->sources[left->source].is_named;
    int is_other_own = b->grade >= TUNED_NEAREST_SIZE && tuned->sources[right->source].is_named;
    if (is_own != is_other_own)
        return is_own;
    if (is_own && left->source != right->source)
        return 0; /* files are looked at in their order */
    /* A section of unknown numbers stands behind its like. */
    if (left->source == right->source && b->grade >= TUNED_NEAREST_SIZE &&
        a->grade >= TUNED_NEAREST_SIZE)
        return a->rank < b->rank;
    if (a->grade != b->grade || left->source != right->source)
        return a->grade > b->grade;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->near < b->near || (a->near <= b->near && is_more_alike(device, left, right));
}

static enum tuned_grade give(const struct candidate *best, struct tuned_answer *answer)
{
    answer->entry = best->entry;
    answer->grade = best->entry ? best->grade : TUNED_NONE;
    answer->distance = best->entry ? best->ratio * best->near - 1.0 : 0.0;
    return answer->grade;
}

static const struct group *group_at(const struct tuned *tuned, uint32_t problem, uint32_t i)
{
    return &tuned->lists.of.groups[tuned->lists.of.names[problem].first_group + i];
}

/* The best entry of all groups of the problem, a name's number. */
static enum tuned_grade find_best(const struct tuned *tuned, uint32_t problem,
                                  const struct query *query, struct tuned_answer *answer)
{
    struct candidate best = {NULL, TUNED_NONE, 0, 0, 1.0, 1.0};
    uint32_t count = problem && query->n >= 0 ? tuned->lists.of.names[problem].group_count : 0;
    for (uint32_t i = 0; i < 2 * count;
         i++) { /* this device first: it leaves the others no chance */
        const struct group *group = group_at(tuned, problem, i % count);
        const struct section *section = &tuned->lists.of.sections[group->section];
        struct candidate found = {NULL, TUNED_NONE, 0, 0, 1.0, 1.0};
        if ((i >= count && best.grade >= TUNED_NEAREST_SIZE) ||
            strcmp(section->device.kind, query->device->kind) != 0)
            continue;
        found.grade = grade_section(section, query->device);
        if ((found.grade == TUNED_EXACT) != (i < count) || found.grade < tuned->least_grade ||
            found.grade < best.grade)
            continue;
        found.rank = rank_section(section, query->device, &found.near);
        found.near = found.grade == TUNED_EXACT ? 1.0 : found.near;
        find_in_group(tuned, group, query, &found);
        if (found.entry && found.grade >= tuned->least_grade &&
            (!best.entry || is_better(tuned, query->device, &found, &best)))
            best = found;
    }
    return give(&best, answer);
}

enum tuned_grade tuned_find_sizes(const struct tuned *tuned, const struct tuned_device *device,
                                  const char *problem, long long n, const struct tuned_size *sizes,
                                  size_t size_count, struct tuned_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    answer->tuned = tuned;
    answer->device = device;
    answer->problem = problem;
    answer->n = n;
    answer->sizes = sizes;
    answer->size_count = size_count;
    if (!tuned || !device || !device->kind || !problem)
        return TUNED_NONE;
    const struct query query = {device, n, sizes, size_count, 0};
    return find_best(tuned, find_text(tuned, problem), &query, answer);
}

enum tuned_grade tuned_find(const struct tuned *tuned, const struct tuned_device *device,
                            const char *problem, long long n, struct tuned_answer *answer)
{
    return tuned_find_sizes(tuned, device, problem, n, NULL, 0, answer);
}

enum tuned_grade tuned_resolve(const struct tuned *tuned, const struct tuned_device *device,
                               const char *problem, struct tuned_handle *handle)
{
    struct tuned_answer answer;
    const struct query query = {device, 0, NULL, 0, 1};
    int own_count = 0;
    memset(handle, 0, sizeof *handle);
    handle->tuned = tuned;
    handle->problem = problem;
    if (device)
        handle->device = *device;
    if (!tuned || !device || !device->kind || !problem)
        return TUNED_NONE;
    handle->number = find_text(tuned, problem);
    for (uint32_t i = 0; i < tuned->lists.of.names[handle->number].group_count; i++) {
        const struct group *group = group_at(tuned, handle->number, i);
        const struct section *section = &tuned->lists.of.sections[group->section];
        if (strcmp(section->device.kind, device->kind) != 0 ||
            grade_section(section, device) != TUNED_EXACT)
            continue;
        handle->own = own_count++ == 0 ? group : NULL;
    }
    return find_best(tuned, handle->number, &query, &answer);
}

enum tuned_grade tuned_find_resolved_sizes(const struct tuned_handle *handle, long long n,
                                           const struct tuned_size *sizes, size_t size_count,
                                           struct tuned_answer *answer)
{
    const struct query query = {&handle->device, n, sizes, size_count, 0};
    struct candidate found = {NULL, TUNED_EXACT, 0, 0, 1.0, 1.0};
    memset(answer, 0, sizeof *answer);
    answer->tuned = handle->tuned;
    answer->device = &handle->device;
    answer->problem = handle->problem;
    answer->n = n;
    answer->sizes = sizes;
    answer->size_count = size_count;
    if (!handle->number || n < 0)
        return TUNED_NONE;
    if (handle->own) /* nothing goes before the only section of this device, within its sizes */
        find_in_group(handle->tuned, handle->own, &query, &found);
    if (found.grade < TUNED_IN_RANGE || found.grade < handle->tuned->least_grade || !found.entry)
        return find_best(handle->tuned, handle->number, &query, answer);
    return give(&found, answer);
}

enum tuned_grade tuned_find_resolved(const struct tuned_handle *handle, long long n,
                                     struct tuned_answer *answer)
{
    return tuned_find_resolved_sizes(handle, n, NULL, 0, answer);
}

/* ---- sentences ---- */

const char *tuned_grade_name(enum tuned_grade grade)
{
    static const char names[][16] = {"none",         "far device", "default",
                                     "other device", "portable",   "same model",
                                     "nearest size", "in range",   "exact"};
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
    const char *format = "%.60s has no entry for the kind '%.60s' that fits here";
    char sizes[136];
    if (!entry) {
        int is_asked = asked && asked->kind && answer->problem;
        if (!answer->tuned)
            format = "no tuned.conf is loaded";
        else if (!is_asked)
            format = "no device or no problem was named";
        else if (!find_text(answer->tuned, answer->problem))
            format = "no file has the problem '%.60s'";
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

/* ---- formulas ---- */

/* Over whole numbers: + - * / (rounds down) %, min, max, ceil_div, n, further sizes, units, values
 * of the entry. Nothing below zero is divided, nothing is divided by less than one. */
struct evaluation {
    const struct tuned_answer *answer;
    const char *at;
    int steps; /* that are left: bounds time and depth */
};

static int value_here(struct evaluation *evaluation, const char *name, size_t length,
                      long long *out);

static int is_text(const char *name, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(name, text, length) == 0;
}

/* *a becomes what the two come to: operators, and 'i' min, 'a' max, 'c' ceil_div. */
static int apply(char operation, long long *a, long long b)
{
    double real = (double)*a;
    if (operation == 'i' || operation == 'a') {
        *a = (b < *a) == (operation == 'i') ? b : *a;
        return 1;
    }
    if (operation == '+' || operation == '-' || operation == '*') {
        real = operation == '+'   ? real + (double)b
               : operation == '-' ? real - (double)b
                                  : real * (double)b;
        if (real > 9.2e18 || real < -9.2e18)
            return 0;
        *a = operation == '+' ? *a + b : operation == '-' ? *a - b : *a * b;
        return 1;
    }
    if (*a < 0 || b <= 0)
        return 0;
    *a = operation == '%' ? *a % b : *a / b + (operation == 'c' && *a % b != 0);
    return 1;
}

/* What binds closer than `least`: 0 all, 1 products, 2 a number, a name, a call or parentheses. */
static int evaluate(struct evaluation *evaluation, int least, long long *out)
{
    const char *name = evaluation->at;
    long long next = 0;
    if (evaluation->steps-- <= 0)
        return 0;
    while (is_a(*evaluation->at, NAME) && *evaluation->at != '-')
        evaluation->at++;
    size_t length = (size_t)(evaluation->at - name);
    if (*evaluation->at == '(') {
        char function = is_text(name, length, "min")        ? 'i'
                        : is_text(name, length, "max")      ? 'a'
                        : is_text(name, length, "ceil_div") ? 'c'
                                                            : 0;
        evaluation->at++;
        if ((length > 0 && !function) || !evaluate(evaluation, 0, out))
            return 0;
        for (; function && *evaluation->at == ',';) {
            evaluation->at++;
            if (!evaluate(evaluation, 0, &next) || !apply(function, out, next))
                return 0;
        }
        if (*evaluation->at++ != ')')
            return 0;
    } else if (is_digit(*name)) {
        evaluation->at = name;
        if (!read_digits(&evaluation->at, 0, out))
            return 0;
    } else if (!value_here(evaluation, name, length, out)) {
        return 0;
    }
    for (;;) {
        char operation = *evaluation->at;
        int binds = operation == '+' || operation == '-'                       ? 1
                    : operation == '*' || operation == '/' || operation == '%' ? 2
                                                                               : 0;
        if (binds <= least)
            return 1;
        evaluation->at++;
        if (!evaluate(evaluation, binds, &next) || !apply(operation, out, next))
            return 0;
    }
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

/* The evidence `prefix`NAME. */
static const char *evidence_of(const struct tuned_entry *entry, const char *prefix,
                               const char *name)
{
    char whole[80];
    int length = snprintf(whole, sizeof whole, "%s%s", prefix, name);
    uint32_t number = length < (int)sizeof whole ? find_text(entry->tuned, whole) : 0;
    return number ? text_of(entry->tuned, &entry->line, EVIDENCE, number, NULL) : NULL;
}

/* Whether it is known for what was measured alone, and the answer is not that. */
static int is_elsewhere(const struct tuned_answer *answer, const char *name)
{
    const struct tuned_entry *entry = answer->entry;
    return answer->grade != TUNED_EXACT &&
           lists(text_of(entry->tuned, &entry->line, EVIDENCE, MEASURED, NULL), name);
}

/* A value that follows the number of units, for those of the asking device. */
static long long scaled(const struct tuned_answer *answer, const char *name, long long value)
{
    const struct tuned_entry *entry = answer->entry;
    long long found = tuned_entry_device(entry)->unit_count;
    long long asked = answer->device ? answer->device->unit_count : 0;
    if (value <= 0 || found <= 0 || asked <= 0 || value > LLONG_MAX / asked - found ||
        !lists(text_of(entry->tuned, &entry->line, EVIDENCE, PER_UNIT, NULL), name))
        return value;
    value = (value * asked + found / 2) / found;
    return value > 0 ? value : 1;
}

/* A whole number of the entry: by its formula, else as it stands. */
static int number_here(const struct tuned_answer *answer, uint32_t number, int *steps,
                       long long *out)
{
    const struct tuned_entry *entry = answer->entry;
    const char *name = entry->tuned->lists.of.names[number].text;
    const char *text = text_of(entry->tuned, &entry->line, VALUES, number, NULL);
    struct evaluation evaluation = {answer, text ? evidence_of(entry, "formula.", name) : NULL,
                                    *steps};
    if (evaluation.at) {
        int is_known = evaluate(&evaluation, 0, out) && !*evaluation.at;
        *steps = evaluation.steps;
        return is_known;
    }
    if (!text || !read_integer(text, out) || is_elsewhere(answer, name))
        return 0;
    *out = scaled(answer, name, *out);
    return 1;
}

/* What a formula names. */
static int value_here(struct evaluation *evaluation, const char *name, size_t length,
                      long long *out)
{
    const struct tuned_answer *answer = evaluation->answer;
    const struct tuned *tuned = answer->entry->tuned;
    *out = answer->n;
    if (is_text(name, length, "n"))
        return 1;
    *out = answer->device ? answer->device->unit_count : 0;
    if (is_text(name, length, "units"))
        return *out > 0;
    for (size_t i = 0; i < answer->size_count; i++) {
        *out = answer->sizes[i].size;
        if (is_text(name, length, answer->sizes[i].name))
            return 1;
    }
    uint32_t number = find_name(tuned, name, length, hash_text(tuned, name, length));
    return number && number_here(answer, number, &evaluation->steps, out);
}

enum { STEPS_MAX = 200 };

/* Up to three numbers of at least `least`, "ceil_div(n,32),4"; 0 when one is none here. */
static int evaluate_axes(const struct tuned_answer *answer, const char *text, int least,
                         long long out[3])
{
    struct evaluation evaluation = {answer, text, STEPS_MAX};
    int count = 0;
    do {
        if (count == 3 || !evaluate(&evaluation, 0, &out[count]) || out[count++] < least)
            return 0;
    } while (*evaluation.at++ == ',');
    return !evaluation.at[-1];
}

int tuned_answer_launch(const struct tuned_answer *answer, int index, struct tuned_launch *out)
{
    static const char parts[][8] = {"grid", "block", "cluster", "shared"};
    struct tuned_launch found = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, 0, {0}};
    long long shared[3] = {0, 0, 0};
    long long *values[] = {found.grid, found.block, found.cluster, shared};
    char number[16] = "", name[64];
    if (!answer->entry)
        return 0;
    if (index > 0)
        snprintf(number, sizeof number, "%d", index + 1);
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "launch%s.%s", number, parts[i]);
        const char *text = evidence_of(answer->entry, "", name);
        if (text ? is_elsewhere(answer, name) || !evaluate_axes(answer, text, i < 3, values[i])
                 : i < 2)
            return 0;
    }
    found.shared_bytes = shared[0];
    *out = found;
    return 1;
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

long long tuned_answer_integer_at(const struct tuned_answer *answer, int index, long long otherwise)
{
    long long value = 0;
    int steps = STEPS_MAX;
    return answer->entry && index > 0 && number_here(answer, (uint32_t)index, &steps, &value)
               ? value
               : otherwise;
}

long long tuned_answer_integer(const struct tuned_answer *answer, const char *name,
                               long long otherwise)
{
    return tuned_answer_integer_at(answer, index_of(answer->entry, name), otherwise);
}

size_t tuned_value_count(const struct tuned_entry *entry)
{
    return entry ? entry->line.counts[VALUES] : 0;
}

void tuned_value_at(const struct tuned_entry *entry, size_t position, const char **name,
                    const char **value)
{
    *name = *value = NULL;
    if (position >= tuned_value_count(entry))
        return;
    const uint32_t *field = entry->tuned->lists.of.numbers + entry->line.fields + 2 * position;
    *name = entry->tuned->lists.of.names[field[0]].text;
    *value = entry->line.text + field[1];
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
    if (position >= entry->span_count)
        return NULL;
    *low = span_at(entry, position)->ends[0];
    *high = span_at(entry, position)->ends[1];
    return entry->tuned->lists.of.names[span_at(entry, position)->name].text;
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

/* The same text, or what the other has in parentheses: "580.159.04 (CUDA 13.0)" is "CUDA 13.0",
 * too. */
static int is_same(const char *then, const char *now)
{
    const char *within = strchr(then, '(');
    size_t length = strlen(now);
    return strcmp(then, now) == 0 ||
           (within && length > 0 && within[1] != ')' && strncmp(within + 1, now, length) == 0 &&
            strcmp(within + 1 + length, ")") == 0);
}

int tuned_stale(const struct tuned_entry *entry, const struct tuned_build *have, char *out,
                size_t bytes)
{
    const char *mine[] = {have->source, have->flags, have->driver, have->compiler};
    for (int i = 0; i < 4; i++) {
        const char *name = known_names[SOURCE + i];
        const char *then = tuned_evidence_text(entry, name, tuned_device_text(entry, name, NULL));
        if (!mine[i] || !then || is_same(then, mine[i]))
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
