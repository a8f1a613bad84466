/* SPDX-FileCopyrightText: 2026 The tune authors
 * SPDX-License-Identifier: MIT
 * libtuned: see tuned.h for its purpose and use. */
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
#ifdef TUNED_WITH_DEBUG
#include "tuned_debug.h"
#endif
#ifdef TUNED_WITH_RECORD
#include "tuned_record.h"
#endif

#define FIELDS_MAX       128 /* on one side of a line's '|' */
#define TEXT_OF(NUMBER)  #NUMBER
#define DIGITS_OF(MACRO) TEXT_OF(MACRO)
#if defined(__GNUC__)
#define PRINTF_LIKE __attribute__((format(printf, 2, 3)))
#define ONE_COPY    __attribute__((noinline)) /* smaller than inlined code */
#define COUNTED(AT) __atomic_add_fetch(AT, 1, __ATOMIC_RELAXED)
#else
#define COUNTED(AT) (++*(AT)) /* not atomic: threads that load at once may get equal numbers */
#define PRINTF_LIKE
#define ONE_COPY
#endif

enum {
    MAJORS_MAX = 63,
    CAPABILITY_BITS = 16,
    CAPABILITY_MAJOR = 1 << CAPABILITY_BITS, /* compute capability 9.1 is 0x90001 */
    CLUSTERS_SINCE = 9 * CAPABILITY_MAJOR,
    OTHER_SIZES = 'a' /* issue of for=all-other-sizes, which no program has */
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
    X(SM_COUNT, "sm_count")                                                                        \
    X(CORES, "cores")                                                                              \
    X(MEMORY_BYTES, "memory_bytes")                                                                \
    X(COMPUTE_CAPABILITY, "compute_capability")                                                    \
    X(BANDWIDTH_GBS, "bandwidth_gbs")                                                              \
    X(GRID, "launch.grid") /* these five in the order of struct tuned_launch */                    \
    X(BLOCK, "launch.block")                                                                       \
    X(LAUNCH_CLUSTER, "launch.cluster")                                                            \
    X(LAUNCH_SHARED, "launch.shared")                                                              \
    X(COOPERATIVE, "launch.cooperative")                                                           \
    X(DOMAIN, "domain")                                                                            \
    X(FOR, "for")                                                                                  \
    X(UNITS, "units") /* the rest in formulas */                                                   \
    X(CPU, "cpu")                                                                                  \
    X(EVERY, "*") /* device */                                                                     \
    X(MIN, "min")                                                                                  \
    X(MAX, "max")                                                                                  \
    X(CEIL_DIV, "ceil_div")
#define KNOWN(NUMBER, TEXT) NUMBER,
enum { KNOWN_NAMES(KNOWN) KNOWN_COUNT };
#undef KNOWN
#define KNOWN(NUMBER, TEXT) TEXT,
static const char known_names[KNOWN_COUNT][20] = {KNOWN_NAMES(KNOWN)};

struct name {
    const char *text;
    size_t length;
    uint32_t hash, next;  /* next name in the bucket */
    uint32_t seen, value; /* number of the last line side with the name; its field's position */
    uint32_t first_group, group_count; /* groups of the problem of this name */
    uint32_t formula;                  /* number of the name "formula.NAME"; NONE: no line has it */
};

/* A name's number and the position of its value, counted from the line's first byte. */
struct field {
    uint32_t name, value;
};

/* A line, in place: values are cut apart in its text. tuned.fields from first[VALUES] on are its
 * values (or a section's fields), from first[EVIDENCE] on its evidence. */
struct line {
    char *text;
    uint32_t first[3]; /* the last: past the end */
};
enum { VALUES, EVIDENCE, SECTION };

/* The sizes that an entry holds for: the first and the last, and the one that was measured (below 0
 * when that is unknown); of which variable besides n. */
struct span {
    long long ends[2], at;
    uint32_t name;
};

/* Needs of a launch: threads and shared memory of a block, registers of a block, blocks of a
 * cluster, lowest and highest compute capability (capability_of). */
enum need {
    NEED_THREADS,
    NEED_SHARED_BYTES,
    NEED_REGISTERS,
    NEED_CLUSTER,
    NEED_CAPABILITY,
    NEED_CAPABILITY_MAX,
    NEEDS
};

struct tuned_entry {
    struct span n;
    struct line line; /* begins with the problem */
    const struct tuned *tuned;
    uint32_t section, problem, first_span, span_count;
    uint32_t domain; /* position of its text in the line; 0: the entry holds at all sizes */
    int line_number;
    double time_ns; /* -1: unknown */
    long long needs[NEEDS];
    uint64_t majors; /* measured major compute capabilities, as bits; 0: unknown */
};

struct section {
    struct line line;
    int line_number, is_portable; /* "*": its units are for scaling only */
    uint32_t source, first_entry, entry_count;
    uint32_t kind, name;         /* numbers of the device's kind and name */
    uint64_t majors;             /* measured major compute capabilities, as bits; 0: unknown */
    long long capability, units; /* the device's; capability_of */
    struct tuned_device device;  /* issue 0: for all */
};

/* The entries of one problem in one section, and behind them those for other sizes. A problem's
 * stand together, in the sections' order. */
struct group {
    uint32_t first_entry, count, all_count, section, kind, name; /* count: without those */
};

struct source {
    const char *name; /* behind the text */
    int is_named;     /* a path of the program or $TUNED_CONF */
};

/* Arrays that grow while a file is read. */
#define EACH_LIST(X)                                                                               \
    X(FIELDS, fields, struct field)                                                                \
    X(SPANS, spans, struct span)                                                                   \
    X(SECTIONS, sections, struct section) /* each source's by kind, name and numbers */            \
    X(ENTRIES, entries, struct tuned_entry)                                                        \
    X(NAMES, names, struct name)                                                                   \
    X(BUCKETS, buckets, uint32_t) /* the number of the first name of each */                       \
    X(GROUPS, groups, struct group)
#define LIST(NUMBER, NAME, TYPE) NUMBER,
enum list { EACH_LIST(LIST) LISTS };
#undef LIST
#define LIST(NUMBER, NAME, TYPE) sizeof(TYPE),
static const unsigned char item_bytes[LISTS] = {EACH_LIST(LIST)};
#undef LIST
#define LIST(NUMBER, NAME, TYPE) TYPE *NAME;

/* A file: its bytes, a zero, its name. */
struct text {
    struct text *before;
    char bytes[];
};

struct tuned {
    union {
        void *items[LISTS];
        struct {
            EACH_LIST(LIST)
        } of; /* the arrays by name */
    } lists;
    size_t counts[LISTS], capacities[LISTS];
    uint32_t source_count;
    struct text *texts;
    struct tuned_allocator allocator;
    enum tuned_grade least_grade;
    double size_factor;
    unsigned long serial;
    tuned_on_find *on_find;
    void *on_find_context;
#ifdef TUNED_WITH_RECORD
    struct tuned_record *record; /* $TUNED_RECORD; NULL: none */
    tuned_on_find *on_find_next; /* called behind the record */
#endif
    struct source sources[TUNED_FILES_MAX];
};

/* Returns size `i` of an entry: n, then the further sizes. */
static const struct span *span_at(const struct tuned_entry *entry, size_t i)
{
    return i > 0 ? entry->tuned->lists.of.spans + entry->first_span + i - 1 : &entry->n;
}

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

#ifdef _WIN32
enum { PATH_BYTES = 1024 };
#else
enum { PATH_BYTES = PATH_MAX };
#endif

struct reader {
    struct tuned *tuned;
    struct tuned_error *error; /* may be NULL; receives the first refusal */
    const char *name;          /* name of the file */
    char *line_text, *at;      /* the line and its unread rest */
    long long version;
    int line;
    struct section *section;   /* last section of the source */
    int is_built_in, is_named; /* the source */
    int ended, refused;        /* the line "end" was read; a file was refused, or memory is short */
    int goes_on;               /* though a file was refused */
    size_t counts[ENTRIES + 1]; /* lengths of the lists before the source */
#ifdef TUNED_WITH_DEBUG
    const char *override; /* $TUNED_OVERRIDE; NULL: none */
#endif
#ifdef _WIN32
    char folder[PATH_BYTES]; /* last result of environment_path */
#endif
    /* Fields and further sizes of the current line, and fields of its current side, begin here.
     * Sides of lines are numbered from 1. */
    size_t first_field, first_span, first_of_side;
    uint32_t side_number;
};

/* First character of a format unless the file is damaged: enum tuned_code. */
#define IS_NO_FILE    "\2"
#define IS_UNREADABLE "\3"
#define IS_VERSION    "\4"
#define IS_MEMORY     "\5"

/* Always 0, so that a failing step can end with `return refuse(...)`. */
PRINTF_LIKE static int refuse(struct reader *reader, const char *format, ...)
{
    struct tuned_error *error = reader->error;
    reader->refused = 1;
    int code = *format < ' ' ? *format++ : TUNED_DAMAGED; /* a format may begin with its code */
    if (error && !error->code) {
        error->code = code;
        error->line = reader->line;
        va_list arguments;
        const char *name = reader->name, *place = &"%s:%d: \0%s: "[reader->line > 0 ? 0 : 8];
        size_t length = strlen(name);
#ifdef TUNED_WITH_DEBUG
        if (reader->override && reader->line > 0)
            place = "%s:%d (as TUNED_OVERRIDE has it): ";
#endif
        /* The end of a path is more telling than its beginning. */
        name += length > TUNED_ERROR_BYTES / 2 ? length - TUNED_ERROR_BYTES / 2 : 0;
        /* cppcheck-suppress wrongPrintfScanfArgNum */
        int used = snprintf(error->text, sizeof error->text, place, name, reader->line);
        va_start(arguments, format);
        vsnprintf(error->text + used, sizeof error->text - (size_t)used, format, arguments);
        va_end(arguments);
    }
    return 0;
}

static int refuse_memory(struct reader *reader)
{
    reader->line = 0;
    return refuse(reader, IS_MEMORY "out of memory");
}

static void *allocate(struct reader *reader, size_t count, size_t size)
{
    const struct tuned_allocator *allocator = &reader->tuned->allocator;
    void *memory = count < UINT32_MAX && count <= SIZE_MAX / size
                       ? allocator->allocate(allocator->context, count * size)
                       : NULL;
    if (!memory)
        (void)refuse_memory(reader);
    return memory;
}

static void release(const struct tuned *tuned, void *memory)
{
    if (memory)
        tuned->allocator.release(tuned->allocator.context, memory);
}

/* Appends `more` uninitialized items to a list. Returns the first, or NULL if memory is short. */
static void *append(struct reader *reader, enum list list, size_t more)
{
    struct tuned *tuned = reader->tuned;
    size_t size = item_bytes[list], count = tuned->counts[list];
    char *items = tuned->lists.items[list];
    if (more > tuned->capacities[list] - count) {
        size_t capacity = 2 * count + more;
        char *grown = allocate(reader, capacity, size);
        if (!grown)
            return NULL;
        if (count > 0)
            memcpy(grown, items, count * size);
        release(tuned, items);
        tuned->lists.items[list] = items = grown;
        tuned->capacities[list] = capacity;
    }
    tuned->counts[list] += more;
    return items + count * size;
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

/* Sorts `count` items in place by heap sort, since no input makes it slow. Returns without moving
 * items that are in order. Sizes are in bytes. */
static void sort(const struct tuned *tuned, enum list list, size_t first, size_t count,
                 int (*compare)(const void *, const void *))
{
    size_t size = item_bytes[list], start = count / 2 * size, end = count * size, root = size;
    if (count < 2) /* the list may be NULL */
        return;
    char *base = (char *)tuned->lists.items[list] + first * size;
    for (; compare(base + root - size, base + root) <= 0; root += size)
        if (root + size >= end)
            return;
    for (root = end;;) {
        size_t child = root * 2 + size;
        if (child + size < end && compare(base + child, base + child + size) < 0)
            child += size;
        size_t next = child;
        if (child >= end || compare(base + root, base + child) >= 0) {
            if (start > 0) {
                root = start -= size;
                continue;
            }
            end -= size;
            if (end == 0)
                return;
            root = next = 0;
            child = end;
        }
        for (char *a = base + root, *b = base + child, *past = a + size; a < past; a++, b++) {
            char spare = *a;
            *a = *b;
            *b = spare;
        }
        root = next;
    }
}

/* ---- numbers and characters, without the locale ---- */

enum { WORD = 1, NAME = 2, NAME_START = 4, CONTROL = 8 };

/* Classes of each ASCII character: '@' plus the sum of the above. */
static const unsigned char classes[256] = "HHHHHHHHH@HHHHHHHHHHHHHHHHHHHHHH"
                                          "@A@@AAAAAAAAACCACCCCCCCCCCAAA@AA"
                                          "AGGGGGGGGGGGGGGGGGGGGGGGGGG@@@AG"
                                          "AGGGGGGGGGGGGGGGGGGGGGGGGGGA@AAH";

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

/* Returns the first control character except tabs, such as the NUL behind the text. */
ONE_COPY static char *find_control(char *at)
{
    while (!is_a(*at, CONTROL))
        at++;
    return at;
}

/* A decimal integer and the end of its text; NULL: no integer or text, or one beyond 64 bits. */
struct integer {
    const char *end;
    long long value;
};

static struct integer read_integer(const char *text)
{
    struct integer read = {NULL, 0};
    if (!text)
        return read;
    int negative = *text == '-';
    const char *first = text + negative, *at = first;
    uint64_t value = 0, most = LLONG_MAX;
    for (; is_digit(*at); at++)
        value = value > most / 10 ? most + 2 : value * 10 + (uint64_t)(*at - '0');
    if (at > first && value <= most + (uint64_t)negative)
        read.end = at;
    read.value = (long long)(negative ? 0 - value : value);
    return read;
}

/* Reads an integer that begins with a digit. */
ONE_COPY static struct integer read_natural(const char *text)
{
    return read_integer(*text == '-' ? NULL : text);
}

/* Reads a text that is one integer and no more. */
ONE_COPY static struct integer read_whole(const char *text)
{
    struct integer read = read_integer(text);
    if (read.end && *read.end)
        read.end = NULL;
    return read;
}

/* Reads a whole text as a decimal number, as in 12, -0.5 and 1.5e-3. Returns `otherwise` if the
 * text is NULL, no number or infinite. Scales by exact powers of ten. */
static double read_real(const char *text, double otherwise)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int digits = 0, exponent = 0, fraction = 0;
    long long mantissa = 0;
    int negative = text && *text == '-';
    if (!text)
        return otherwise;
    for (text += negative; is_digit(*text) || (*text == '.' && !fraction); text++) {
        if (*text == '.') {
            fraction = 1;
            continue;
        }
        digits = 1;
        if (mantissa < LLONG_MAX / 10) {
            mantissa = mantissa * 10 + (*text - '0');
            exponent -= fraction;
        } else {
            exponent += !fraction; /* no text has as many digits as an int counts */
        }
    }
    const char *power_of_ten = "0";
    if (*text == 'e' || *text == 'E')
        power_of_ten = text + 1 + (text[1] == '+' && text[2] != '-');
    else if (*text)
        return otherwise;
    struct integer written = read_whole(power_of_ten);
    if (!written.end || !digits)
        return otherwise;
    exponent += written.value > 1000 ? 1000 : written.value < -1000 ? -1000 : (int)written.value;
    double value = (double)mantissa;
    for (int rest = exponent < 0 ? -exponent : exponent; rest > 0; rest -= 22) {
        double power = powers[rest < 22 ? rest : 22];
        value = exponent < 0 ? value / power : value * power;
    }
    if (value > DBL_MAX)
        return otherwise;
    return negative ? -value : value;
}

/* ---- names ---- */

/* Hashes a name. The seed keeps files from forcing collisions; two multiplications, since after one
 * a change of the highest bit alone has a known effect whatever the seed. */
static uint32_t hash_name(const struct tuned *tuned, const char *text, size_t length)
{
    uint64_t mixed = (uint64_t)(uintptr_t)tuned + length;
    for (size_t i = 0; i < length; i += 8) {
        uint64_t eight = 0;
        if (length >= 8)
            memcpy(&eight, text + (i + 8 < length ? i : length - 8), 8);
        else
            for (size_t j = 0; j < length; j++)
                eight = eight << 8 | (unsigned char)text[j];
        mixed = (mixed ^ eight) * 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15u;
        mixed ^= mixed >> 32;
    }
    return (uint32_t)mixed;
}

/* Returns a name's number; 0 if no line has it or an argument is NULL. Length 0: all the text. */
static uint32_t find_name(const struct tuned *tuned, const char *text, size_t length)
{
    if (!tuned || !text)
        return 0;
    const struct name *names = tuned->lists.of.names;
    length = length ? length : strlen(text);
    uint32_t hash = hash_name(tuned, text, length);
    uint32_t number = tuned->lists.of.buckets[hash & (tuned->counts[BUCKETS] - 1)];
    while (number && (names[number].hash != hash || names[number].length != length ||
                      memcmp(names[number].text, text, length) != 0))
        number = names[number].next;
    return number;
}

/* Doubles the number of buckets. */
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

/* Returns a name's number, adding a new name, whose text must stay; 0 if memory is short. */
static uint32_t intern(struct reader *reader, const char *text, size_t length)
{
    struct tuned *tuned = reader->tuned;
    uint32_t number = find_name(tuned, text, length), hash = hash_name(tuned, text, length);
    if (number)
        return number;
    struct name *name = append(reader, NAMES, 1);
    if (!name)
        return 0;
    number = (uint32_t)(tuned->counts[NAMES] - 1);
    uint32_t *bucket = tuned->lists.of.buckets + (hash & (tuned->counts[BUCKETS] - 1));
    *name = (struct name){text, length, hash, *bucket, 0, 0, 0, 0, NONE};
    *bucket = number;
    return number < tuned->counts[BUCKETS] || rehash(reader) ? number : 0;
}

/* Returns the value of a name on one side of the entry's line; evidence also from the heading of
 * its section. Returns `otherwise` if there is none: no line has a name of a number below 1. */
static const char *text_of(const struct tuned_entry *entry, int side, uint32_t name,
                           const char *otherwise)
{
    if (!entry)
        return otherwise;
    const struct field *fields = entry->tuned->lists.of.fields;
    do {
        const struct line *line = side == SECTION ? &section_of(entry)->line : &entry->line;
        const uint32_t *first = &line->first[side & EVIDENCE];
        for (uint32_t i = first[0]; i < first[1]; i++)
            if (fields[i].name == name)
                return line->text + fields[i].value;
    } while (side++ == EVIDENCE);
    return otherwise;
}

/* Returns the name's index as tuned_value_index does, but 0 for none. */
ONE_COPY static int index_of(const struct tuned_entry *entry, const char *name)
{
    return (int)find_name(entry ? entry->tuned : NULL, name, 0);
}

ONE_COPY static const char *text_named(const struct tuned_entry *entry, int side, const char *name,
                                       const char *otherwise)
{
    return text_of(entry, side, (uint32_t)index_of(entry, name), otherwise);
}

/* ---- reading lines ---- */

ONE_COPY static char *skip_spaces(char *at)
{
    while (is_space(*at))
        at++;
    return at;
}

/* Takes a name that ends in one of two characters and moves the reader past this character. Returns
 * the name's number; 0 if there is none. */
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

/* Takes a quoted text, cut in place. Returns NULL if it is refused. */
static const char *take_quoted(struct reader *reader)
{
    char *from = reader->at + 1, *to = from;
    const char *text = from;
    for (; *from != '"'; from++) {
        int is_other = *from == '\\' && *++from != '"' && *from != '\\';
        if (is_other || !*from) {
            (void)refuse(reader, is_other ? "within quotes \\ may only stand before \" or \\"
                                          : "a quote (\") is not closed");
            return NULL;
        }
        *to++ = *from;
    }
    *to = '\0';
    reader->at = from + 1;
    return text;
}

/* Takes the value of field `name`, up to a space or the line's end. Returns NULL if refused. */
static const char *take_value(struct reader *reader, const char *name)
{
    char *end = reader->at;
    const char *value = end, *wrong = NULL;
    if (*end == '"') {
        value = take_quoted(reader);
        end = reader->at;
        if (!value)
            return NULL;
    } else {
        while (is_a(*end, WORD))
            end++;
        wrong = end == value ? "'%.60s' has no value" : NULL;
    }
    if (!wrong && *end && !is_space(*end))
        wrong = "the value of '%.60s' must be in quotes";
    if (wrong) {
        (void)refuse(reader, wrong, name);
        return NULL;
    }
    if (*end)
        *end++ = '\0';
    reader->at = end;
    return value;
}

/* Reads a number or a compute capability ("9.0", capability_of), or two in order as in 1-9. Returns
 * their count; 0 if the text is neither. */
static int read_range(const char *at, int is_capability, long long ends[2])
{
    for (int count = 0; count < 2; at++) {
        struct integer part = read_natural(at);
        at = part.end;
        long long value = part.value;
        if (at && is_capability) {
            part = read_natural(*at == '.' ? at + 1 : "");
            at = part.end;
            if ((value | part.value) > 0x7fff)
                return 0;
            value = value * CAPABILITY_MAJOR + part.value;
        }
        ends[count++] = value;
        if (at && !*at)
            return count == 1 || ends[0] <= ends[1] ? count : 0;
        if (!at || *at != '-')
            return 0;
    }
    return 0;
}

/* Reads SIZE or LOW-HIGH, which follow `name` and "=" or "@". */
static int read_sizes(struct reader *reader, const char *name, const char *sign, const char *text,
                      struct span *span)
{
    long long *ends = span->ends;
    int count = read_range(text, 0, ends);
    if (count == 1)
        ends[1] = ends[0];
    span->at = ends[0] == ends[1] ? ends[0] : -1;
    return (count > 0 && (count == 1 || reader->version > 1)) ||
           refuse(reader, "%.40s%s%.40s %s", name, sign, text,
                  count == 0
                      ? "is not a whole number from 0 to 2^63 - 1, nor two in order as in 1-9"
                      : "is a range; there are some from 'tuned-conf 2' on");
}

/* Adds a further size variable, NAME@SIZES, which follows n. */
static int add_span(struct reader *reader, uint32_t number, const char *name, const char *value)
{
    if (reader->version < 3)
        return refuse(reader, "'%.60s@': there are further sizes from 'tuned-conf 3' on", name);
    const struct tuned *tuned = reader->tuned;
    size_t first = reader->first_field;
    if (tuned->counts[FIELDS] != first + 1 || tuned->lists.of.fields[first].name != N)
        return refuse(reader, "'%.60s@' may only stand directly behind n=", name);
    if (tuned->counts[SPANS] - reader->first_span == TUNED_SIZES_MAX - 1)
        return refuse(reader, "more than " DIGITS_OF(TUNED_SIZES_MAX) " size variables");
    struct span *span = append(reader, SPANS, 1);
    if (!span)
        return 0;
    span->name = number;
    return read_sizes(reader, name, "@", value, span);
}

/* Returns the value of a name on the current side of the line; NULL if there is none. */
static const char *known(const struct reader *reader, uint32_t number)
{
    const struct name *name = &reader->tuned->lists.of.names[number];
    return name->seen == reader->side_number ? reader->line_text + name->value : NULL;
}

/* Reads fields up to the end of the line or the first '|'. Refuses a name that occurs twice. */
static int take_fields(struct reader *reader)
{
    const struct tuned *tuned = reader->tuned;
    reader->first_of_side = tuned->counts[FIELDS];
    reader->side_number++;
    for (;;) {
        char *at = reader->at = skip_spaces(reader->at);
        if (*at == '|' && reader->first_of_side > reader->first_field) { /* more evidence */
            reader->at++;
            continue;
        }
        if (*at == '\0' || *at == '|')
            return 1;
        uint32_t number = take_name(reader, '=', '@');
        if (!number)
            return refuse(reader, "'%.40s' is not NAME=VALUE", at);
        struct name *name = &tuned->lists.of.names[number];
        int is_size = *reader->at == '@';
        *reader->at++ = '\0';
        const char *value = take_value(reader, name->text);
        if (!value)
            return 0;
        uint32_t seen = is_size ? ~reader->side_number : reader->side_number;
        if (name->seen == seen || (is_size && number == N))
            return refuse(reader, "'%.60s' is given twice", name->text);
        name->seen = seen;
        name->value = (uint32_t)(value - reader->line_text);
        if (is_size) {
            if (!add_span(reader, number, name->text, value))
                return 0;
            continue;
        }
        if (tuned->counts[FIELDS] - reader->first_of_side == FIELDS_MAX)
            return refuse(reader, "more than " DIGITS_OF(FIELDS_MAX) " fields");
        struct field *field = append(reader, FIELDS, 1);
        if (!field)
            return 0;
        *field = (struct field){number, name->value};
    }
}

/* Reads the measured sizes, of n and of further ones: "64,8". */
static int read_at(struct tuned_entry *entry, const char *text)
{
    struct span *span = &entry->n;
    for (size_t i = 0;; i++) {
        struct integer whole = read_integer(text);
        span->at = whole.value;
        if (!whole.end || span->at < span->ends[0] || span->at > span->ends[1])
            return 0;
        if (*whole.end != ',' || i == entry->span_count)
            return !*whole.end;
        text = whole.end + 1;
        span = entry->tuned->lists.of.spans + entry->first_span + i;
    }
}

/* Form of a known field: a whole number up to 2^31 - 1 or 2^63 - 1, or within the entry's sizes; a
 * number of at least 0; "9.0" (capability_of); "9.0" or "9.0-10.3" (two); "8,9" (as bits). */
enum kind { INT, WHOLE, SIZE, REAL, CAPABILITY_OF, CAPABILITY_RANGE, MAJORS };

/* Known fields of a section, then of evidence: their place in the struct and first version. */
static const struct known_field {
    unsigned char number, kind, version, offset;
} known_fields[] = {
    {SM_COUNT, INT, 1, offsetof(struct section, units)},
    {CORES, INT, 1, offsetof(struct section, units)},
    {MEMORY_BYTES, WHOLE, 1, offsetof(struct section, device.memory_bytes)},
    {BANDWIDTH_GBS, REAL, 1, offsetof(struct section, device.bandwidth_gbs)},
    {COMPUTE_CAPABILITY, CAPABILITY_OF, 1, offsetof(struct section, capability)},
    {CAPABILITIES, MAJORS, 4, offsetof(struct section, majors)},
    {TIME_NS, REAL, 1, offsetof(struct tuned_entry, time_ns)},
    {AT, SIZE, 2, 0},
    {THREADS, INT, 3, offsetof(struct tuned_entry, needs[NEED_THREADS])},
    {SHARED_BYTES, INT, 3, offsetof(struct tuned_entry, needs[NEED_SHARED_BYTES])},
    {REGISTERS, INT, 3, offsetof(struct tuned_entry, needs[NEED_REGISTERS])},
    {CLUSTER, INT, 4, offsetof(struct tuned_entry, needs[NEED_CLUSTER])},
    {CAPABILITIES, MAJORS, 4, offsetof(struct tuned_entry, majors)},
    {CAPABILITY, CAPABILITY_RANGE, 4, offsetof(struct tuned_entry, needs[NEED_CAPABILITY])},
};
enum { SECTION_FIELDS = 6, KNOWN_FIELDS = sizeof known_fields / sizeof *known_fields };

/* Copies the known fields of the current side, from number i up to `end`, into a section or entry.
 * Members of missing fields keep their values. */
static int read_known(struct reader *reader, size_t i, size_t end, void *base)
{
    static const char forms[][48] = {"a whole number from 0 to 2147483647",
                                     "a whole number from 0 to 2^63 - 1",
                                     "one of the entry's sizes",
                                     "a number of at least 0",
                                     "of the form 9.0",
                                     "of the form 9.0 or 9.0-10.3",
                                     "of the form 8,9"};
    for (; i < end; i++) {
        const struct known_field *field = &known_fields[i];
        const char *text = known(reader, field->number), *at = text;
        void *out = (char *)base + field->offset;
        long long *ends = out;
        struct integer whole = {NULL, 0};
        uint64_t majors = 0;
        int is_read = 0;
        if (!text || reader->version < field->version)
            continue;
        if (field->kind == REAL) {
            *(double *)out = read_real(text, -1);
            is_read = *(double *)out >= 0;
        } else if (field->kind == MAJORS) {
            do {
                whole = read_natural(at);
                at = whole.end;
                is_read = at && whole.value < MAJORS_MAX && (!*at || *at == ',');
                majors |= (uint64_t)1 << (whole.value & 63);
            } while (is_read && *at++);
            *ends = (long long)majors;
        } else if (field->kind > REAL) {
            is_read = (unsigned)read_range(text, 1, ends) - 1 <= (field->kind == CAPABILITY_RANGE);
        } else if (field->kind == SIZE) {
            is_read = read_at(base, text);
        } else {
            whole = read_whole(text);
            *ends = whole.value;
            is_read = whole.end && *ends >= 0 && (field->kind == WHOLE || *ends <= INT_MAX);
        }
        if (!is_read)
            return refuse(reader, "%s=%.40s is not %s", known_names[field->number], text,
                          forms[field->kind]);
    }
    return 1;
}

/* Returns the number of a device's kind for its issue of launches alone; `kind` for 0. */
static uint32_t kind_as(uint32_t kind, const struct tuned_device *device)
{
    return kind ^ (uint32_t)device->issue << 24;
}

static int read_device(struct reader *reader, struct section *section)
{
    struct tuned_device *device = &section->device;
    if (!read_known(reader, 0, SECTION_FIELDS, section))
        return 0;
    device->unit_count = (int)section->units;
    device->compute_capability_major = (int)(section->capability >> CAPABILITY_BITS);
    device->compute_capability_minor = (int)(section->capability & (CAPABILITY_MAJOR - 1));
    const char *issue = known(reader, FOR);
    device->issue = issue ? *issue : 0;
    section->is_portable = section->name == EVERY;
    if (!section->is_portable && device->compute_capability_major < MAJORS_MAX)
        section->majors = (uint64_t)1 << device->compute_capability_major;
    /* Earlier formats do not say on which devices a portable section was measured. */
    else if (reader->version < 4 && !reader->is_built_in && section->kind != CPU)
        section->majors = (uint64_t)1 << MAJORS_MAX;
    section->kind = kind_as(section->kind, device);
    return 1;
}

/* Reads a section: [KIND "NAME"] FIELDS */
static int read_section(struct reader *reader)
{
    struct tuned *tuned = reader->tuned;
    struct section *section = append(reader, SECTIONS, 1);
    if (!section)
        return 0;
    memset(section, 0, sizeof *section);
    reader->section = section;
    section->line.text = reader->line_text;
    section->line_number = reader->line;
    section->source = tuned->source_count;
    section->first_entry = (uint32_t)tuned->counts[ENTRIES];
    section->device.kind = ++reader->at;
    section->kind = take_name(reader, ' ', '\t');
    char *end = reader->at;
    reader->at = skip_spaces(end);
    if (section->kind) /* keeps the kind even if the line is refused */
        *end = '\0';
    if (!section->kind || *reader->at != '"')
        return refuse(reader, "a section begins as in [cuda \"NVIDIA H200\"]");
    section->device.name = take_quoted(reader);
    if (!section->device.name)
        return 0;
    section->name = intern(reader, section->device.name, strlen(section->device.name));
    if (!section->name)
        return 0;
    if (*reader->at != ']' || (reader->at[1] && !is_space(reader->at[1])))
        return refuse(reader, "the name of the device is to be followed by ] and a space");
    reader->at++;
    if (!take_fields(reader))
        return 0;
    if (*reader->at || tuned->counts[SPANS] > reader->first_span)
        return refuse(reader, "'|' and '@' have no place in a section's line");
    section->line.first[VALUES] = (uint32_t)reader->first_field;
    section->line.first[EVIDENCE] = (uint32_t)tuned->counts[FIELDS];
    return read_device(reader, section);
}

/* Checks the evidence and stores its known fields. */
static int read_evidence(struct reader *reader, struct tuned_entry *entry)
{
    long long *needs = entry->needs;
    entry->time_ns = -1;
    /* Without `capability` the entry may need all of its major compute capability. */
    needs[NEED_CAPABILITY] = reader->section->capability & -CAPABILITY_MAJOR;
    needs[NEED_CAPABILITY_MAX] = LLONG_MAX;
    if (!read_known(reader, SECTION_FIELDS, KNOWN_FIELDS, entry))
        return 0;
    const struct name *domain = &reader->tuned->lists.of.names[DOMAIN];
    if (domain->seen == reader->side_number && reader->version > 4)
        entry->domain = domain->value;
    /* Registers are given to a thread in eights, and threads in thirty-twos. */
    needs[NEED_REGISTERS] =
        ((needs[NEED_REGISTERS] + 7) & ~7LL) * ((needs[NEED_THREADS] + 31) & ~31LL);
    return 1;
}

/* Reads an entry: PROBLEM n=SIZES FURTHER-SIZES VALUES | EVIDENCE */
static int read_entry(struct reader *reader)
{
    struct tuned *tuned = reader->tuned;
    struct tuned_entry *entry = append(reader, ENTRIES, 1);
    char *name = reader->line_text;
    if (!entry)
        return 0;
    memset(entry, 0, sizeof *entry);
    entry->tuned = tuned;
    entry->line.text = name;
    entry->line_number = reader->line;
    entry->problem = take_name(reader, ' ', '\t');
    if (!entry->problem)
        return refuse(reader, "'%.40s' begins no line of a tuned.conf", name);
    *reader->at++ = '\0';
    if (!reader->section)
        return refuse(reader, "'%.60s' stands before the first device", name);
    entry->section = reader->section->device.issue == OTHER_SIZES;
    if (!take_fields(reader))
        return 0;
    size_t count = tuned->counts[FIELDS] - reader->first_field;
    const struct field *n = tuned->lists.of.fields + reader->first_field;
    if (count == 0 || n->name != N)
        return refuse(reader, "'%.60s' is to be followed by its size, n=", name);
    if (!read_sizes(reader, "n", "=", name + n->value, &entry->n))
        return 0;
    if (count == 1)
        return refuse(reader, "'%.60s' has no parameters", name);
    /* Formats before 4 give the blocks of a cluster only as a parameter. */
    for (uint32_t number = CLUSTER; number <= CLUSTER_SIZE && reader->version < 4; number++) {
        struct integer size = read_whole(known(reader, number));
        if (size.end)
            entry->needs[NEED_CLUSTER] = size.value;
    }
    reader->at += *reader->at == '|';
    if (!take_fields(reader))
        return 0;
    entry->first_span = (uint32_t)reader->first_span;
    entry->span_count = (uint32_t)(tuned->counts[SPANS] - reader->first_span);
    entry->line.first[VALUES] = (uint32_t)reader->first_field + 1; /* behind n */
    entry->line.first[EVIDENCE] = (uint32_t)(reader->first_field + count);
    entry->line.first[EVIDENCE + 1] = (uint32_t)tuned->counts[FIELDS];
    reader->section->entry_count++;
    return read_evidence(reader, entry);
}

static int read_header(struct reader *reader, const char *line)
{
    static const char word[] = "tuned-conf ";
    struct integer version = {NULL, 0};
    if (strncmp(line, word, sizeof word - 1) == 0)
        version = read_whole(line + sizeof word - 1);
    reader->version = version.value;
    if (!version.end)
        return refuse(reader, "no tuned.conf: its first line is 'tuned-conf " DIGITS_OF(
                                  TUNED_FORMAT_VERSION) "'");
    return (reader->version >= 1 && reader->version <= TUNED_FORMAT_VERSION) ||
           refuse(reader,
                  IS_VERSION
                  "format version %lld; libtuned " TUNED_VERSION " reads versions 1 to " DIGITS_OF(
                      TUNED_FORMAT_VERSION) ": write the file anew with 'tune export' of that "
                                            "version, or link a newer libtuned",
                  reader->version);
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
    reader->ended = strcmp(line, "end") == 0;
    if (reader->ended)
        return 1;
    reader->first_field = reader->tuned->counts[FIELDS];
    reader->first_span = reader->tuned->counts[SPANS];
    return *line == '[' ? read_section(reader) : read_entry(reader);
}

static int read_lines(struct reader *reader, char *text, const char *end)
{
    char *newline, *line_end;
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) /* an editor's byte order mark */
        text += 3;
    for (; text < end; text = newline + 1) {
        int lines = 0;
        for (char *next = text;; lines++) { /* a line that begins with '|' goes on with this one */
            line_end = newline = find_control(next);
            newline += line_end[0] == '\r' && line_end[1] == '\n';
            next = *newline == '\n' ? skip_spaces(newline + 1) : newline;
            if (*next != '|')
                break;
            *line_end = *newline = ' ';
        }
        reader->line++;
        if (*newline != '\n')
            return refuse(reader,
                          newline == end ? "the file breaks off: its last line has no end"
                                         : "a control character (byte 0x%02x)",
                          (unsigned)*newline);
        *line_end = '\0';
        reader->at = text;
        if (!read_line(reader))
            return 0;
        reader->line += lines;
    }
    return reader->ended ||
           refuse(reader, reader->line == 0 ? "the file is empty"
                                            : "the file breaks off: there is no line 'end'");
}

/* ---- sorting ---- */

/* Compares entries by problem, section (0, or 1: for other sizes) and sizes; 0 if both are equal.
 */
static int compare_entries(const void *left, const void *right)
{
    const struct tuned_entry *a = left, *b = right;
    int order = strcmp(a->line.text, b->line.text);
    order = order ? order : (int)a->section - (int)b->section;
    order = order ? order : (int)a->span_count - (int)b->span_count;
    for (size_t i = 0; !order && i <= a->span_count; i++) {
        const long long *x = span_at(a, i)->ends, *y = span_at(b, i)->ends;
        int end = x[0] == y[0];
        order = (x[end] > y[end]) - (x[end] < y[end]);
    }
    return order;
}

/* Compares sections by their devices. One for an issue of launches precedes the one for all, so
 * that of two equally good the first is the right one; one for other sizes is next to that. */
static int compare_sections(const void *left, const void *right)
{
    const struct section *a = left, *b = right;
    int order = strcmp(a->device.kind, b->device.kind);
    order = order ? order : strcmp(a->device.name, b->device.name);
    order = order ? order : (int)(a->capability - b->capability);
    order = order ? order : a->device.unit_count - b->device.unit_count;
    return order ? order : b->device.issue - a->device.issue;
}

/* Returns whether two entries have further sizes of equal names. */
static int are_alike(const struct tuned_entry *a, const struct tuned_entry *b)
{
    size_t i = a->span_count;
    if (i != b->span_count)
        return 0;
    const struct span *spans = a->tuned->lists.of.spans;
    while (i > 0 && spans[a->first_span + i - 1].name == spans[b->first_span + i - 1].name)
        i--;
    return i == 0;
}

/* Refuses two contradictory lines; the error has the later one. */
static int refuse_pair(struct reader *reader, const char *format, const char *name, int line,
                       int other)
{
    reader->line = line > other ? line : other;
    return refuse(reader, format, name, line > other ? other : line);
}

/* Sorts the last source's sections and the entries of each, where those for other sizes follow the
 * others of their device, and checks pairs of neighbours. */
static int check_source(struct reader *reader)
{
    struct tuned *tuned = reader->tuned;
    size_t first = reader->counts[SECTIONS], count = tuned->counts[SECTIONS];
    sort(tuned, SECTIONS, first, count - first, compare_sections);
    for (size_t s = first; s < count; s++) {
        struct section *section = &tuned->lists.of.sections[s], *before = section - 1;
        if (s > first && before->device.issue == OTHER_SIZES) {
            if (section->name == before->name &&
                section->first_entry + section->entry_count == before->first_entry)
                section->entry_count += before->entry_count;
            before->entry_count = 0;
        } else if (s > first && compare_sections(before, section) == 0) {
            return refuse_pair(reader, "the device '%.60s' was already given on line %d",
                               section->device.name, section->line_number, before->line_number);
        }
        sort(tuned, ENTRIES, section->first_entry, section->entry_count, compare_entries);
        for (size_t i = 0; section->device.issue != OTHER_SIZES && i < section->entry_count; i++) {
            struct tuned_entry *entry = tuned->lists.of.entries + section->first_entry + i;
            entry->section = (uint32_t)s - entry->section;
            if (i == 0 || entry->problem != entry[-1].problem ||
                entry->section != entry[-1].section)
                continue;
            int is_alike = are_alike(entry, entry - 1);
            if (!is_alike || (entry[-1].n.ends[1] >= entry->n.ends[0] &&
                              (entry->span_count == 0 || compare_entries(entry - 1, entry) == 0)))
                return refuse_pair(reader,
                                   is_alike ? "these sizes of '%.60s' overlap those of line %d"
                                            : "'%.60s' has other size variables than on line %d",
                                   entry->line.text, entry->line_number, entry[-1].line_number);
        }
    }
    return 1;
}

/* Divides the entries into groups: counts the groups of each problem, then assigns their places. */
static int make_groups(struct reader *reader)
{
    struct tuned *tuned = reader->tuned;
    struct name *names = tuned->lists.of.names;
    struct group *groups = NULL, unused = {0, 0, 0, 0, 0, 0}, *group = &unused;
    for (;;) {
        for (uint32_t s = 0; s < tuned->counts[SECTIONS]; s++) {
            const struct section *section = &tuned->lists.of.sections[s];
            uint32_t problem = 0, end = section->first_entry + section->entry_count;
            for (uint32_t i = section->first_entry; i < end; i++) {
                const struct tuned_entry *entry = &tuned->lists.of.entries[i];
                if (entry->problem != problem) {
                    struct name *name = &names[problem = entry->problem];
                    if (groups) {
                        group = &groups[name->first_group + name->group_count];
                        *group = (struct group){i, 0, 0, s, section->kind, section->name};
                    }
                    name->group_count++;
                }
                group->count += entry->section == s;
                group->all_count++;
            }
        }
        if (groups)
            return 1;
        uint32_t count = 0;
        for (uint32_t i = 0; i < tuned->counts[NAMES]; i++) {
            names[i].first_group = count;
            count += names[i].group_count;
            names[i].group_count = 0;
            if (strncmp(names[i].text, "formula.", 8) == 0)
                names[find_name(tuned, names[i].text + 8, 0)].formula = i;
        }
        groups = append(reader, GROUPS, count + 1);
        if (!groups)
            return 0;
    }
}

/* ---- loading ---- */

/* Allocates memory for a text. */
static char *new_text(struct reader *reader, size_t bytes, const char *name)
{
    size_t length = strlen(name) + 1;
    if (bytes > TUNED_FILE_BYTES_MAX) {
        (void)refuse(reader, IS_UNREADABLE "larger than " DIGITS_OF(TUNED_FILE_BYTES_MAX) " bytes");
        return NULL;
    }
    struct text *text = allocate(reader, sizeof *text + bytes + 1 + length, 1);
    if (!text)
        return NULL;
    text->before = reader->tuned->texts;
    reader->tuned->texts = text;
    text->bytes[bytes] = '\0';
    memcpy(text->bytes + bytes + 1, name, length);
    return text->bytes;
}

/* Reads the text in new_text's memory. A refused text leaves no entries. */
static void add_text(struct reader *reader, char *text, size_t bytes)
{
#ifdef TUNED_WITH_DEBUG
    if (reader->override) { /* read the text with replaced values */
        size_t length = tuned_debug_override(reader->override, text, bytes, NULL);
        char *overridden = new_text(reader, length, reader->name);
        if (!overridden)
            return;
        (void)tuned_debug_override(reader->override, text, bytes, overridden);
        text = overridden;
        bytes = length;
    }
#endif
    struct tuned *tuned = reader->tuned;
    memcpy(reader->counts, tuned->counts, sizeof reader->counts);
    reader->ended = 0;
    reader->section = NULL;
    if ((tuned->source_count < TUNED_FILES_MAX ||
         refuse(reader, "more than " DIGITS_OF(TUNED_FILES_MAX) " files")) &&
        read_lines(reader, text, text + bytes) && check_source(reader))
        tuned->sources[tuned->source_count++] = (struct source){text + bytes + 1, reader->is_named};
    else
        memcpy(tuned->counts, reader->counts, sizeof reader->counts);
}

/* Begins a source. Returns whether loading goes on. */
static int begin_source(struct reader *reader, const char *name)
{
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
/* From <windows.h>, which defines too many names. */
enum { UTF_8 = 65001, ONLY_VALID = 8 };
__declspec(dllimport) int __stdcall MultiByteToWideChar(unsigned, unsigned long, const char *, int,
                                                        wchar_t *, int);
__declspec(dllimport) int __stdcall WideCharToMultiByte(unsigned, unsigned long, const wchar_t *,
                                                        int, char *, int, const char *, int *);

/* Opens a path in UTF-8, or in the system's code page if the path is no valid UTF-8. */
static FILE *open_file(const char *path)
{
    wchar_t wide[PATH_BYTES];
    return MultiByteToWideChar(UTF_8, ONLY_VALID, path, -1, wide, PATH_BYTES) > 0
               ? _wfopen(wide, L"rb")
               : fopen(path, "rb");
}

/* Reads a whole file with the C library alone. */
static void add_file(struct reader *reader, const char *path, int must_be_there)
{
    long length = -1;
    if (!begin_source(reader, path))
        return;
    reader->is_named = must_be_there;
    FILE *file = open_file(path);
    if (!file) {
        if (errno != ENOENT || must_be_there)
            (void)refuse(reader,
                         errno == ENOENT ? IS_NO_FILE "there is no such file"
                                         : IS_UNREADABLE "it cannot be opened (errno %d)",
                         errno);
        return;
    }
    if (fseek(file, 0, SEEK_END) == 0)
        length = ftell(file);
    char *text = length >= 0 ? new_text(reader, (size_t)length, path) : NULL;
    if (length < 0 || fseek(file, 0, SEEK_SET) != 0)
        (void)refuse(reader, IS_UNREADABLE "it is no regular file");
    else if (text && (fread(text, 1, (size_t)length, file) != (size_t)length || fgetc(file) != EOF))
        (void)refuse(reader, IS_UNREADABLE "it cannot be read, or was changed while it was read");
    else if (text)
        add_text(reader, text, (size_t)length);
    (void)fclose(file);
}
#else
/* Reads a whole regular file, which must not change meanwhile. Returns the problem, or NULL if
 * there is none or memory is short. */
static const char *read_file(struct reader *reader, int file)
{
    struct stat before, after;
    if (fstat(file, &before) != 0 || !S_ISREG(before.st_mode))
        return IS_UNREADABLE "it is no regular file";
    size_t length = 0, bytes = before.st_size > TUNED_FILE_BYTES_MAX
                                   ? (size_t)TUNED_FILE_BYTES_MAX + 1
                                   : (size_t)before.st_size;
    char *text = new_text(reader, bytes, reader->name);
    ssize_t got = 1;
    if (!text)
        return NULL;
    while (length <= bytes && got != 0) {
        got = read(file, text + length, bytes + 1 - length);
        if (got < 0 && errno != EINTR)
            return IS_UNREADABLE "it cannot be read (errno %d)";
        length += got > 0 ? (size_t)got : 0;
    }
    if (length != bytes || fstat(file, &after) != 0 ||
        memcmp(&before.st_mtim, &after.st_mtim, sizeof before.st_mtim) != 0)
        return IS_UNREADABLE "it was changed while it was read";
    add_text(reader, text, bytes);
    return NULL;
}

static void add_file(struct reader *reader, const char *path, int must_be_there)
{
    if (!begin_source(reader, path))
        return;
    reader->is_named = must_be_there;
    const char *wrong = NULL;
    int file, why;
    do {
        file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        why = file < 0 ? errno : 0;
    } while (why == EINTR);
    if (!why)
        wrong = read_file(reader, file);
    else if (why == EACCES)
        wrong = IS_UNREADABLE "no permission to read it";
    else if (why != ENOENT && why != ENOTDIR)
        wrong = IS_UNREADABLE "it cannot be opened (errno %d)";
    else if (must_be_there)
        wrong = IS_NO_FILE "there is no such file";
    if (wrong)
        (void)refuse(reader, wrong, why ? why : errno);
    if (file >= 0)
        (void)close(file);
}
#endif

/* Returns the value of an environment variable; NULL if it is empty or not to be read. */
static const char *environment(const struct tuned_options *options, const char *name)
{
    const char *value = options->skip & TUNED_SKIP_ENVIRONMENT ? NULL : getenv(name);
    return value && *value ? value : NULL;
}

#ifdef _WIN32
/* Returns the path in a variable in UTF-8, valid until the next call. getenv replaces each letter
 * that the system's code page lacks. */
static const char *environment_path(struct reader *reader, const struct tuned_options *options,
                                    const char *name)
{
    wchar_t wide_name[32];
    for (size_t i = 0; (wide_name[i] = (wchar_t)name[i]) != 0; i++)
        ;
    const char *value = environment(options, name);
    const wchar_t *wide = value ? _wgetenv(wide_name) : NULL;
    return wide && WideCharToMultiByte(UTF_8, 0, wide, -1, reader->folder, PATH_BYTES, NULL, NULL) >
                       0
               ? reader->folder
               : value;
}
#else
#define environment_path(reader, options, name) environment(options, name)
#endif

/* Returns whether a folder is absolute. A relative one would depend on the working directory. */
static int is_absolute(const char *folder)
{
#ifdef _WIN32
    return folder && ((*folder && folder[1] == ':' && (folder[2] == '/' || folder[2] == '\\')) ||
                      strncmp(folder, "\\\\", 2) == 0);
#else
    return folder && *folder == '/';
#endif
}

static void add_user_file(struct reader *reader, const struct tuned_options *options)
{
    char path[PATH_BYTES];
    const char *folder = environment_path(reader, options, "XDG_CONFIG_HOME"), *below = "";
#ifdef _WIN32
    if (!is_absolute(folder))
        folder = environment_path(reader, options, "APPDATA");
#endif
    if (!is_absolute(folder)) {
        folder = environment_path(reader, options, "HOME");
        below = "/.config";
    }
    if (is_absolute(folder) &&
        snprintf(path, sizeof path, "%s%s/tune/tuned.conf", folder, below) < PATH_BYTES)
        add_file(reader, path, 0);
}

/* Reads the options' files. `path`: the only one that must exist; NULL: those of the options. */
static void add_files(struct reader *reader, const struct tuned_options *options, const char *path)
{
    size_t count = options->path_count;
    if (!path && count == 0)
        path = environment_path(reader, options, "TUNED_CONF");
    count = path ? 1 : count;
    for (size_t i = 0; i < count; i++)
        add_file(reader, path ? path : options->paths[i], 1);
    if (!(options->skip & TUNED_SKIP_USER))
        add_user_file(reader, options);
    if (options->skip & TUNED_SKIP_SYSTEM)
        return;
#ifdef _WIN32
    char system[PATH_BYTES];
    const char *folder = environment_path(reader, options, "PROGRAMDATA");
    if (is_absolute(folder) &&
        snprintf(system, sizeof system, "%s/tune/tuned.conf", folder) < PATH_BYTES)
        add_file(reader, system, 0);
#else
    add_file(reader, "/etc/tune/tuned.conf", 0);
#endif
}

static unsigned long serials; /* numbers given to loaded objects so far */

unsigned long tuned_serial(const struct tuned *tuned)
{
    return tuned ? tuned->serial : 0;
}

/* Creates an empty object with the names that libtuned reads. Returns NULL if memory is short. */
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
    tuned->serial = COUNTED(&serials);
    tuned->allocator = *from;
    reader->tuned = tuned;
    if (rehash(reader))
        for (int i = 0; i < KNOWN_COUNT; i++)
            (void)intern(reader, known_names[i], strlen(known_names[i]));
    if (!reader->refused)
        return tuned;
    tuned_free(tuned);
    return NULL;
}

#ifdef TUNED_WITH_RECORD
static void record_find(void *context, const struct tuned_answer *answer)
{
    tuned_record_find(answer->tuned->record, answer);
    if (answer->tuned->on_find_next)
        answer->tuned->on_find_next(context, answer);
}

/* Begins to record look-ups. Returns whether it does; a record that fails refuses no file. */
static int begin_record(struct tuned *tuned, const char *path)
{
    struct tuned_error refused;
    if (!path || !*path)
        return 0;
    tuned->record = tuned_record_open(path, &refused);
    if (!tuned->record) {
        fprintf(stderr, "tuned: TUNED_RECORD: %s\n", refused.text);
        return 0;
    }
    tuned->on_find_next = tuned->on_find;
    tuned->on_find = record_find;
    return 1;
}
#endif

/* Loads the options' files, one that must exist (`path`) and a text (text_name NULL: built-in). */
static struct tuned *load(const struct tuned_options *options, const char *path, const void *text,
                          size_t bytes, const char *text_name, struct tuned_error *error)
{
    struct reader reader;
    memset(&reader, 0, sizeof reader);
    reader.error = error;
    reader.name = "tuned.conf";
    reader.goes_on = options->leave_out_refused;
    if (error)
        memset(error, 0, sizeof *error);
    struct tuned *tuned = create(&reader, options->allocator);
    if (!tuned)
        return NULL;
    tuned->least_grade = options->least_grade ? options->least_grade : TUNED_DEFAULT;
    tuned->size_factor = options->size_factor > 0 ? options->size_factor : 8;
    tuned->on_find = options->on_find;
    tuned->on_find_context = options->on_find_context;
#ifdef TUNED_WITH_DEBUG
    reader.override = environment(options, "TUNED_OVERRIDE");
    const char *verbose = environment(options, "TUNED_VERBOSE");
    if (!tuned->on_find && verbose && strcmp(verbose, "0") != 0)
        tuned->on_find = tuned_debug_print;
#endif
    int may_be_empty = 0; /* since all look-ups are misses to record */
#ifdef TUNED_WITH_RECORD
    may_be_empty = begin_record(tuned, environment(options, "TUNED_RECORD"));
#endif
    add_files(&reader, options, path);
    reader.is_named = text_name != NULL;
    reader.is_built_in = !text_name;
    if (text_name || text)
        add_memory(&reader, text, bytes, text_name ? text_name : "built-in");
    int goes_on = begin_source(&reader, "tuned.conf");
    if (goes_on && tuned->source_count == 0 && !may_be_empty) {
        (void)refuse(&reader, IS_NO_FILE "there is none in any of the usual places");
    } else if (goes_on && make_groups(&reader)) {
#ifdef TUNED_WITH_DEBUG
        if (reader.override)
            tuned_debug_check(reader.override, tuned);
#endif
        return tuned;
    }
    tuned_free(tuned);
    return NULL;
}

static const struct tuned_options nowhere = {.skip = 7}; /* TUNED_SKIP_..., all */

struct tuned *tuned_load(const char *path, struct tuned_error *error)
{
    return load(&nowhere, path ? path : "", NULL, 0, NULL, error);
}

struct tuned *tuned_load_memory(const void *text, size_t bytes, const char *name,
                                struct tuned_error *error)
{
    return load(&nowhere, NULL, text, bytes, name ? name : "tuned.conf", error);
}

struct tuned *tuned_open(const struct tuned_options *options, struct tuned_error *error)
{
    static const struct tuned_options usual;
    options = options ? options : &usual;
    options = environment(options, "TUNED_OFF") ? &nowhere : options;
    return load(options, NULL, options->built_in, options->built_in_bytes, NULL, error);
}

void tuned_free(struct tuned *tuned)
{
    if (!tuned)
        return;
#ifdef TUNED_WITH_RECORD
    tuned_record_close(tuned->record);
#endif
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

/* Returns the text past a memory size in a name, as in "A100-SXM4-80GB". */
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
    do {
        a = skip_memory(a);
        b = skip_memory(b);
    } while (*a++ == *b++ && a[-1]);
    return a[-1] == b[-1];
}

/* Returns whether the asking device's major compute capability is among `majors`. */
static int is_of_major(uint64_t majors, const struct tuned_device *device)
{
    unsigned major = (unsigned)device->compute_capability_major;
    return major < MAJORS_MAX && (majors >> major & 1);
}

/* Returns the best grade that entries of a section of the device's kind can have. */
static enum tuned_grade grade_section(const struct section *section,
                                      const struct tuned_device *device, int is_named_so)
{
    const struct tuned_device *found = &section->device;
    int is_same_major = found->compute_capability_major == device->compute_capability_major;
    if (section->is_portable && section->majors)
        return is_of_major(section->majors, device) ? TUNED_PORTABLE : TUNED_FAR_DEVICE;
    if (section->is_portable)
        return TUNED_DEFAULT;
    if (device->name &&
        (!found->unit_count || !device->unit_count || found->unit_count == device->unit_count) &&
        (device->compute_capability_major == 0 || found->compute_capability_major == 0 ||
         (is_same_major && found->compute_capability_minor == device->compute_capability_minor))) {
        if (is_named_so)
            return TUNED_EXACT;
        if (is_same_model(found->name, device->name))
            return TUNED_SAME_MODEL;
    }
    return is_same_major ? TUNED_OTHER_DEVICE : TUNED_FAR_DEVICE;
}

/* Returns the greater number over the smaller; numbers below 0.5 count as 0.5. */
static double ratio_of(double a, double b)
{
    a = a > 0.5 ? a : 0.5;
    b = b > 0.5 ? b : 0.5;
    return a > b ? a / b : b / a;
}

/* Finds a further size of the request; NULL if the request lacks it. */
static const struct tuned_size *find_size(const struct tuned_answer *answer, const char *name,
                                          size_t length)
{
    const struct tuned_size *size = answer->sizes;
    for (size_t i = 0; i < answer->size_count; i++, size++)
        if (strncmp(size->name, name, length) == 0 && !size->name[length])
            return size;
    return NULL;
}

/* Returns the distance of sizes (n and further ones) from an entry's: the product of their ratios
 * to the nearer ends, 0 if all are within. A size below 0 is missing and counts as outside, with
 * ratio 1; n below 0 gives 0. Stops early beyond `most`. */
static double measure(const struct tuned_entry *entry, const long long *sizes, double most)
{
    double product = 0;
    for (size_t i = 0; i <= entry->span_count && sizes[0] >= 0 && product <= most; i++) {
        const long long *ends = span_at(entry, i)->ends, size = sizes[i];
        if (ends[0] <= size && size <= ends[1])
            continue;
        if (most <= 0) /* outside is all that counts */
            return 1;
        double ratio = size < 0 ? 1 : ratio_of((double)size, (double)ends[size > ends[1]]);
        product = product > 0 ? product * ratio : ratio;
    }
    return product;
}

/* Order of devices of one grade, the smaller first: another minor compute capability and unknown
 * numbers, units and bandwidth, name, memory. */
enum { UNKNOWN, NEAR, NAMED, MEMORY, KEYS };

/* A group with its rank and, once found, its entry. */
struct candidate {
    const struct group *group;
    const struct tuned_entry *entry; /* NULL: nothing */
    enum tuned_grade grade;          /* TUNED_NONE: no candidate */
    uint32_t source;
    int is_own;   /* 1: a named file's section for this very device */
    double ratio; /* ratio of the sizes; 0: within the entry's */
    double keys[KEYS];
};

/* Returns the ratio of two numbers of devices; 0 if one is unknown. */
ONE_COPY static double compare_numbers(double found, double other)
{
    return found > 0 && other > 0 ? ratio_of(found, other) : 0;
}

static void rank_section(struct candidate *candidate, const struct section *section,
                         const struct tuned_device *device, int is_named_so)
{
    const struct tuned_device *found = &section->device;
    double bandwidth = compare_numbers(found->bandwidth_gbs, device->bandwidth_gbs);
    double memory = compare_numbers((double)found->memory_bytes, (double)device->memory_bytes);
    double units =
        section->is_portable ? 1 : compare_numbers(found->unit_count, device->unit_count);
    double *keys = candidate->keys;
    candidate->entry = NULL;
    candidate->source = section->source;
    keys[UNKNOWN] = 4 * (found->compute_capability_major == device->compute_capability_major &&
                         found->compute_capability_minor != device->compute_capability_minor) +
                    2 * (units < 1) + (bandwidth < 1);
    keys[NAMED] = 2 * !is_named_so + (memory < 1);
    keys[NEAR] = (units < 1 ? 1 : units) * (bandwidth < 1 ? 1 : bandwidth);
    keys[MEMORY] = memory < 1 ? 1 : memory;
    if (candidate->grade == TUNED_EXACT) { /* for this very device only unknown numbers count */
        keys[NAMED] = 0;
        keys[NEAR] = keys[MEMORY] = 1;
    }
}

/* Returns whether a need exceeds a limit; 0: unknown. */
static int exceeds(long long need, long long limit)
{
    return limit > 0 && need > limit;
}

/* Returns whether the device can run the entry, as far as its limits are known. */
static int fits(const struct tuned_entry *entry, const struct tuned_device *device, int is_named_so)
{
    const long long *needs = entry->needs, capability = capability_of(device);
    long long cluster = device->max_cluster_blocks;
    /* This very device has run the entry. */
    int is_able = device->compute_capability_major == 0 && is_named_so;
    /* Clusters of 8 run on every device with clusters. Larger ones are assumed only on the measured
     * major compute capabilities, since no version of CUDA promises them elsewhere. */
    if (cluster <= 0)
        cluster = is_of_major(section_of(entry)->majors, device) ? 16 : 8;
    if (device->max_cluster_blocks <= 0 && !is_able && capability < CLUSTERS_SINCE)
        cluster = 1;
    if (device->unit_count > 0 && cluster > device->unit_count)
        cluster = device->unit_count;
    return !exceeds(needs[NEED_THREADS], device->max_threads_per_block) &&
           !exceeds(needs[NEED_SHARED_BYTES], device->max_shared_bytes) &&
           !exceeds(needs[NEED_REGISTERS], device->registers_per_unit) &&
           needs[NEED_CLUSTER] <= cluster &&
           (is_able ||
            (needs[NEED_CAPABILITY] <= capability && needs[NEED_CAPABILITY_MAX] >= capability)) &&
           (!entry->majors || is_of_major(entry->majors, device));
}

/* Returns whether the entry's domain has the requested sizes; if not, records it in the answer. */
static int is_for(const struct tuned_entry *entry, struct tuned_answer *answer);

/* Takes the entry if it fits and is nearer than the candidate's; of two equally near, the first
 * stays. Returns 0 if a nearer entry does not fit; for n below 0, if the entry does not fit. */
static int take_entry(struct candidate *best, const struct tuned_entry *entry,
                      struct tuned_answer *answer, const long long *sizes)
{
    double most = best->entry ? best->ratio : entry->tuned->size_factor;
    double ratio = measure(entry, sizes, most);
    int is_nearer = best->entry ? ratio < most : ratio <= most;
    if ((is_nearer || answer->n < 0) &&
        (!fits(entry, answer->device, best->keys[NAMED] <= 0) || !is_for(entry, answer)))
        return 0;
    if (is_nearer) {
        best->entry = entry;
        best->ratio = ratio;
    }
    return 1;
}

/* Returns the last entry of the group that begins at or below n; else the first. */
static const struct tuned_entry *find_last(const struct tuned *tuned, const struct group *group,
                                           long long n)
{
    const struct tuned_entry *entry = tuned->lists.of.entries + group->first_entry;
    for (size_t count = group->count; count > 1;) {
        size_t half = count / 2;
        entry += entry[half].n.ends[0] <= n ? half : 0;
        count -= half;
    }
    return entry;
}

/* Finds the nearest fitting entry of the candidate's group and replaces the section's grade by the
 * entry's. Returns whether all examined entries fit; for n below 0 these are all. */
static int find_in_group(struct candidate *best, struct tuned_answer *answer)
{
    const struct tuned *tuned = answer->tuned;
    const struct group *group = best->group; /* cppcheck-suppress ctuuninitvar */
    const struct tuned_entry *first = tuned->lists.of.entries + group->first_entry;
    const struct tuned_entry *entry = first, *end = first + group->count;
    long long sizes[TUNED_SIZES_MAX] = {0};
    int all_fit = 0;
    best->entry = NULL;
    best->ratio = 1;
    const long long n = sizes[0] = answer->n;
    if (n >= 0) {
        for (size_t i = 1; i <= entry->span_count; i++) {
            const struct name *name =
                &tuned->lists.of.names[tuned->lists.of.spans[entry->first_span + i - 1].name];
            const struct tuned_size *size = find_size(answer, name->text, name->length);
            sizes[i] = size ? size->size : -1;
        }
        const struct tuned_entry *last = find_last(tuned, group, n);
        if (entry->span_count == 0)
            entry = last;
        for (; entry <= last && !all_fit; entry++) /* the first that holds */
            if (entry->span_count == 0 || measure(entry, sizes, 0) == 0)
                all_fit = take_entry(best, entry, answer, sizes);
        if (all_fit && n > last->n.ends[1] && entry < end)
            all_fit = take_entry(best, entry, answer, sizes);
    }
    if (!all_fit)
        for (all_fit = 1, entry = first; entry < first + group->all_count; entry++)
            all_fit &= take_entry(best, entry, answer, sizes);
    entry = best->entry;
    if (!entry || best->grade != TUNED_EXACT || n < 0)
        return all_fit;
    for (size_t i = 0; i <= entry->span_count; i++)
        if (span_at(entry, i)->at != sizes[i])
            best->grade = TUNED_IN_RANGE;
    if (best->ratio > 0)
        best->grade = TUNED_NEAREST_SIZE;
    return all_fit;
}

static int is_better(const struct candidate *a, const struct candidate *b)
{
    if (!b->grade)
        return 1;
    if (a->source != b->source) /* sources are visited in order, named ones first */
        return !b->is_own && a->grade > b->grade;
    if (a->grade != b->grade && (a->grade < TUNED_NEAREST_SIZE || b->grade < TUNED_NEAREST_SIZE))
        return a->grade > b->grade;
    for (int i = 0; i < KEYS; i++)
        if (a->keys[i] < b->keys[i] || a->keys[i] > b->keys[i])
            return a->keys[i] < b->keys[i];
    return 0;
}

/* Finds the best entry in all groups of a problem, given by the number of its name. Returns the
 * group of this device's only section if all its entries fit; else NULL. */
static const struct group *find_best(struct candidate *best, struct tuned_answer *answer,
                                     uint32_t problem)
{
    const struct group *own = NULL;
    const struct tuned *tuned = answer->tuned; /* cppcheck-suppress ctuuninitvar */
    const struct tuned_device *device = answer->device;
    const struct name *name = &tuned->lists.of.names[problem];
    const struct group *first = tuned->lists.of.groups + name->first_group;
    struct candidate found;
    int own_count = 0;
    best->entry = NULL;
    uint32_t kind = find_name(tuned, device->kind, 0);
    uint32_t kind_issued = kind_as(kind, device);
    uint32_t device_name = find_name(tuned, device->name, 0);
    /* First this device, which precedes all others; then the best of the others; then each of them,
     * if the best one has no entry that fits. */
    for (int pass = 0; pass < 3 && !best->entry; pass++) {
        best->grade = TUNED_NONE;
        for (const struct group *group = first; group < first + name->group_count; group++) {
            const struct section *section = &tuned->lists.of.sections[group->section];
            int is_named_so = group->name == device_name;
            if ((group->kind != kind && group->kind != kind_issued) || (pass == 0 && !is_named_so))
                continue;
            found.grade = grade_section(section, device, is_named_so);
            if ((found.grade == TUNED_EXACT) == (pass > 0))
                continue;
            found.group = group;
            found.is_own = pass == 0 && tuned->sources[section->source].is_named;
            rank_section(&found, section, device, is_named_so);
            if (pass == 0)
                own = own_count++ == 0 ? group : NULL;
            while (found.grade >= tuned->least_grade && is_better(&found, best)) {
                /* once with its best grade, then with its own */
                if (found.entry || pass == 1) {
                    *best = found;
                    break;
                }
                if (!find_in_group(&found, answer))
                    own = NULL;
                if (!found.entry)
                    break;
            }
        }
        if (pass == 1 && best->grade)
            (void)find_in_group(best, answer);
    }
    return own;
}

/* Looks up an entry. `handle`: the resolved request; may be NULL. */
static enum tuned_grade look_up(const struct tuned *tuned, const struct tuned_device *device,
                                const char *problem, long long n, const struct tuned_size *sizes,
                                size_t size_count, struct tuned_answer *answer,
                                const struct tuned_handle *handle)
{
    const struct tuned_answer request = {.tuned = tuned,
                                         .device = device,
                                         .problem = problem,
                                         .n = n,
                                         .sizes = sizes,
                                         .size_count = size_count};
    *answer = request;
    if (tuned && device && n >= 0) {
        struct candidate best;
        best.entry = NULL;
        if (handle && handle->own) { /* no entry precedes its own group */
            best.group = handle->own;
            best.grade = TUNED_EXACT;
            best.keys[NAMED] = 0;
            best.keys[NEAR] = 1;
            (void)find_in_group(&best, answer);
        }
        if (!best.entry)
            (void)find_best(&best, answer, handle ? handle->number : find_name(tuned, problem, 0));
        if (best.entry && best.grade >= tuned->least_grade) {
            answer->entry = best.entry;
            answer->distance = (best.ratio > 0 ? best.ratio : 1) * best.keys[NEAR] - 1;
            answer->grade = best.grade;
        }
    }
    if (tuned && tuned->on_find)
        tuned->on_find(tuned->on_find_context, answer);
    return answer->grade;
}

enum tuned_grade tuned_find_sizes(const struct tuned *tuned, const struct tuned_device *device,
                                  const char *problem, long long n, const struct tuned_size *sizes,
                                  size_t size_count, struct tuned_answer *answer)
{
    return look_up(tuned, device, problem, n, sizes, size_count, answer, NULL);
}

enum tuned_grade tuned_find(const struct tuned *tuned, const struct tuned_device *device,
                            const char *problem, long long n, struct tuned_answer *answer)
{
    return tuned_find_sizes(tuned, device, problem, n, NULL, 0, answer);
}

enum tuned_grade tuned_resolve(const struct tuned *tuned, const struct tuned_device *device,
                               const char *problem, struct tuned_handle *handle)
{
    memset(handle, 0, sizeof *handle);
    handle->tuned = tuned;
    handle->problem = problem;
    if (device)
        handle->device = *device;
    if (!tuned || !device)
        return TUNED_NONE;
    struct tuned_answer answer;
    answer.tuned = tuned;
    answer.device = device;
    answer.n = -1; /* any size; find_best reads no more */
    handle->number = find_name(tuned, problem, 0);
    struct candidate best;
    handle->own = find_best(&best, &answer, handle->number);
    return best.entry ? best.grade : TUNED_NONE;
}

enum tuned_grade tuned_find_resolved_sizes(const struct tuned_handle *handle, long long n,
                                           const struct tuned_size *sizes, size_t size_count,
                                           struct tuned_answer *answer)
{
    return look_up(handle->tuned, &handle->device, handle->problem, n, sizes, size_count, answer,
                   handle);
}

enum tuned_grade tuned_find_resolved(const struct tuned_handle *handle, long long n,
                                     struct tuned_answer *answer)
{
    return tuned_find_resolved_sizes(handle, n, NULL, 0, answer);
}

const char *tuned_grade_name(enum tuned_grade grade)
{
    static const char names[][16] = {"none",         "far device", "default",
                                     "other device", "portable",   "same model",
                                     "nearest size", "in range",   "exact"};
    return names[(unsigned)grade <= TUNED_EXACT ? grade : TUNED_NONE];
}

/* ---- formulas ---- */

/* Grammar of formulas over whole numbers: || && == != < <= > >= + - * / (rounds down) % !, min,
 * max, ceil_div, n, further sizes, units, values of the entry. True is 1. Division needs a dividend
 * of at least 0 and a divisor of at least 1. */
struct evaluation {
    const struct tuned_answer *answer;
    const char *at;
    int steps;   /* remaining steps: bounds time and depth */
    int skipped; /* above 0: parsed only, since the left side of || or && has decided */
    long long value;
};

static struct integer number_of(const struct tuned_answer *answer, uint32_t number,
                                struct evaluation *outer);

/* Operators in order, two characters each; a space as the second matches any character. */
enum { OR, AND, EQUAL, UNEQUAL, AT_MOST, AT_LEAST, LESS, MORE, PLUS, MINUS, TIMES, OVER, REST };
static const char operations[] = "||&&==!=<=>=< > + - * / % ";
/* Precedence of each operator; the last is for a missing operator. */
static const unsigned char bindings[] = {1, 2, 3, 3, 3, 3, 3, 3, 4, 4, 5, 5, 5, 0};

/* Applies one of the above to `a` and the value; or MIN, MAX, CEIL_DIV, of greater numbers. */
static int apply(struct evaluation *evaluation, uint32_t operation, long long a)
{
    long long b = evaluation->value;
    if (evaluation->skipped)
        return 1;
    if (operation <= MORE) {
        /* Bits of less, equal and more that make each comparison true. */
        static const char holds[] = {2, 5, 3, 6, 1, 4};
        if (operation > AND)
            b = holds[operation - EQUAL] >> ((a > b) - (a < b) + 1) & 1;
        evaluation->value = b != 0;
        return 1;
    }
    if (operation == MIN || operation == MAX) {
        evaluation->value = (b < a) == (operation == MIN) ? b : a;
        return 1;
    }
    if (operation <= TIMES) {
        double x = (double)a, y = (double)b;
        double real = operation == TIMES ? x * y : operation == PLUS ? x + y : x - y;
        uint64_t left = (uint64_t)a, right = (uint64_t)b;
        evaluation->value = (long long)(operation == TIMES  ? left * right
                                        : operation == PLUS ? left + right
                                                            : left - right);
        return real * real <= 9.2e18 * 9.2e18; /* below zero, too */
    }
    if (a < 0 || b <= 0)
        return 0;
    evaluation->value = operation == REST ? a % b : a / b + (operation == CEIL_DIV && a % b != 0);
    return 1;
}

/* Evaluates a name of a formula: n, units, a further size or a value of the entry. */
static int value_here(struct evaluation *evaluation, uint32_t number, const char *name,
                      size_t length)
{
    const struct tuned_answer *answer = evaluation->answer;
    const struct tuned_size *size = find_size(answer, name, length);
    struct integer found = {name, answer->n};
    if (evaluation->skipped)
        return 1;
    if (number == UNITS) {
        found.value = answer->device ? answer->device->unit_count : 0;
        found.end = found.value > 0 ? name : NULL;
    } else if (number != N) {
        found = size ? (struct integer){name, size->size} : number_of(answer, number, evaluation);
    }
    evaluation->value = found.value;
    return found.end != NULL;
}

enum { ALONE = 5 }; /* tightest precedence */

/* Evaluates operators that bind tighter than `least`: 0 all; ALONE a number, a name, a call,
 * parentheses, or ! of these. For a call (MIN, MAX, CEIL_DIV; else 0), combines its arguments. */
static int evaluate(struct evaluation *evaluation, int least, uint32_t call)
{
    const char *name = evaluation->at, *end = name;
    if (evaluation->steps-- <= 0)
        return 0;
    while (is_a(*end, NAME) && *end != '-')
        end++;
    evaluation->at = end;
    size_t length = (size_t)(end - name);
    uint32_t number = find_name(evaluation->answer->entry->tuned, name, length);
    if (*name == '!') {
        evaluation->at++;
        if (!evaluate(evaluation, ALONE, NONE))
            return 0;
        evaluation->value = !evaluation->value;
    } else if (*evaluation->at == '(') {
        if (length == 0)
            number = NONE;
        else if (number < MIN || number > CEIL_DIV)
            return 0;
        evaluation->at++;
        if (!evaluate(evaluation, 0, number) || *evaluation->at++ != ')')
            return 0;
    } else if (is_digit(*name)) {
        struct integer literal = read_integer(name);
        evaluation->at = literal.end;
        evaluation->value = literal.value;
        if (!evaluation->at)
            return 0;
    } else if (!value_here(evaluation, number, name, length)) {
        return 0;
    }
    for (;;) {
        const char *at = evaluation->at;
        const char *of = operations;
        while (*of && (of[0] != *at || (of[1] != ' ' && of[1] != at[1])))
            of += 2;
        uint32_t operation = (uint32_t)(of - operations) / 2;
        int binds = bindings[operation];
        evaluation->at += operation < LESS ? 2 : 1;
        if (*at == ',' && call)
            operation = call;
        else if (binds <= least) {
            evaluation->at = at;
            return 1;
        }
        long long a = evaluation->value;
        int is_decided = operation == (a ? OR : AND);
        evaluation->skipped += is_decided;
        if (!evaluate(evaluation, binds, NONE) || !apply(evaluation, operation, a))
            return 0;
        evaluation->skipped -= is_decided;
        if (is_decided)
            evaluation->value = a != 0;
    }
}

/* Formulas longer than that have no value. */
enum { STEPS_MAX = 500 };

static int is_for(const struct tuned_entry *entry, struct tuned_answer *answer)
{
    struct evaluation evaluation = {answer, entry->line.text + entry->domain, STEPS_MAX, 0, 0};
    if (!entry->domain || answer->n < 0)
        return 1;
    answer->entry = entry;
    int holds = evaluate(&evaluation, 0, NONE) && !*evaluation.at && evaluation.value;
    answer->entry = NULL;
    if (!holds &&
        (!answer->passed_over || (entry->n.ends[0] <= answer->n && answer->n <= entry->n.ends[1])))
        answer->passed_over = entry;
    return holds;
}

/* Returns whether the evidence, names between commas, contains `name`. */
static int lists(const struct tuned_entry *entry, uint32_t evidence, const char *name)
{
    size_t length = strlen(name);
    const char *names = text_of(entry, EVIDENCE, evidence, "");
    while (strncmp(names, name, length) != 0 || (names[length] && names[length] != ',')) {
        names = strchr(names, ',');
        if (!names)
            return 0;
        names++;
    }
    return 1;
}

/* Returns whether a value is known for the measured size alone and the answer is for another. */
static int is_elsewhere(const struct tuned_answer *answer, const char *name)
{
    return answer->grade != TUNED_EXACT && lists(answer->entry, MEASURED, name);
}

/* Scales a `per_unit` value to the units of the asking device. */
static long long scale_by_units(const struct tuned_answer *answer, const char *name,
                                long long value)
{
    const struct tuned_entry *entry = answer->entry;
    long long found = tuned_entry_device(entry)->unit_count;
    long long units = answer->device ? answer->device->unit_count : 0;
    if (value <= 0 || found <= 0 || units <= 0 || !lists(entry, PER_UNIT, name))
        return value;
    double scaled = (double)value * (double)units / (double)found + 0.5;
    return scaled > 9.2e18 ? value : scaled > 1 ? (long long)scaled : 1;
}

/* Returns a whole number of the entry: by its formula, else as in the file; without an end if it is
 * unknown. A formula uses up the steps of `outer`, the formula that names it; may be NULL. */
static struct integer number_of(const struct tuned_answer *answer, uint32_t number,
                                struct evaluation *outer)
{
    const struct tuned_entry *entry = answer->entry;
    const char *text = text_of(entry, VALUES, number, NULL);
    struct integer found = read_whole(text);
    if (!text)
        return found;
    const struct name *name = &entry->tuned->lists.of.names[number];
    text = text_of(entry, EVIDENCE, name->formula, NULL);
    if (text) {
        struct evaluation inner = {answer, text, outer ? outer->steps : STEPS_MAX, 0, 0};
        found.end = evaluate(&inner, 0, NONE) && !*inner.at ? text : NULL;
        found.value = inner.value;
        if (outer)
            outer->steps = inner.steps;
    } else if (is_elsewhere(answer, name->text)) {
        found.end = NULL;
    } else {
        found.value = scale_by_units(answer, name->text, found.value);
    }
    return found;
}

int tuned_answer_launch(const struct tuned_answer *answer, int index, struct tuned_launch *out)
{
    /* Three axes each, of at least 1, then single numbers. */
    long long values[sizeof *out / sizeof(long long)] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, *next = values;
    /* Limits of every GPU on the grid and the block. */
    static const int most[] = {INT_MAX, 65535, 65535, 1024, 1024, 64};
    const struct tuned_device *device = answer->device;
    long long threads = 1;
    char numbered[64];
    for (uint32_t part = GRID; part <= COOPERATIVE; part++) {
        int axes = part < LAUNCH_SHARED ? 3 : 1;
        const char *name = known_names[part];
        uint32_t number = part;
        if (index > 0) {
            snprintf(numbered, sizeof numbered, "launch%u%s", (unsigned)index + 1, name + 6);
            number = find_name(answer->tuned, name = numbered, 0);
        }
        struct evaluation evaluation = {answer, text_of(answer->entry, EVIDENCE, number, NULL),
                                        STEPS_MAX, 0, 0};
        if (!evaluation.at ? part <= BLOCK : is_elsewhere(answer, name))
            return 0;
        for (int axis = 0; evaluation.at; axis++) { /* "ceil_div(n,32),4" */
            if (axis == axes || !evaluate(&evaluation, 0, NONE) || evaluation.value < (axes == 3))
                return 0;
            next[axis] = evaluation.value;
            if (*evaluation.at++ != ',') {
                if (evaluation.at[-1])
                    return 0;
                evaluation.at = NULL;
            }
        }
        next += axes;
    }
    for (int axis = 0; axis < 3; axis++) { /* whole clusters fill the grid */
        if (values[axis] > most[axis] || values[axis + 3] > most[axis + 3] ||
            values[axis] % values[axis + 6])
            return 0;
        threads *= values[axis + 3];
    }
    if (device && (exceeds(threads, device->max_threads_per_block) ||
                   exceeds(values[9], device->max_shared_bytes)))
        return 0;
    values[10] = values[10] > 0;
    memcpy(out, values, sizeof values);
    return 1;
}

/* ---- values of an entry ---- */

int tuned_value_index(const struct tuned *tuned, const char *name)
{
    uint32_t number = find_name(tuned, name, 0);
    return number > 0 ? (int)number : -1;
}

const char *tuned_text_at(const struct tuned_entry *entry, int index, const char *otherwise)
{
    return text_of(entry, VALUES, (uint32_t)index, otherwise);
}

ONE_COPY long long tuned_integer_at(const struct tuned_entry *entry, int index, long long otherwise)
{
    struct integer whole = read_whole(tuned_text_at(entry, index, NULL));
    return whole.end ? whole.value : otherwise;
}

double tuned_real_at(const struct tuned_entry *entry, int index, double otherwise)
{
    return read_real(tuned_text_at(entry, index, NULL), otherwise);
}

const char *tuned_text(const struct tuned_entry *entry, const char *name, const char *otherwise)
{
    return text_named(entry, VALUES, name, otherwise);
}

long long tuned_integer(const struct tuned_entry *entry, const char *name, long long otherwise)
{
    return tuned_integer_at(entry, index_of(entry, name), otherwise);
}

double tuned_real(const struct tuned_entry *entry, const char *name, double otherwise)
{
    return read_real(tuned_text(entry, name, NULL), otherwise);
}

ONE_COPY long long tuned_answer_integer_at(const struct tuned_answer *answer, int index,
                                           long long otherwise)
{
    struct integer found = number_of(answer, (uint32_t)index, NULL);
    return found.end ? found.value : otherwise;
}

long long tuned_answer_integer(const struct tuned_answer *answer, const char *name,
                               long long otherwise)
{
    return tuned_answer_integer_at(answer, index_of(answer->entry, name), otherwise);
}

size_t tuned_value_count(const struct tuned_entry *entry)
{
    return entry ? entry->line.first[EVIDENCE] - entry->line.first[VALUES] : 0;
}

/* Returns field `position` on one side of the entry's line. */
ONE_COPY static void field_at(const struct tuned_entry *entry, int side, size_t position,
                              const char **name, const char **value)
{
    *name = *value = NULL;
    if (!entry || position >= entry->line.first[side + 1] - entry->line.first[side])
        return;
    const struct tuned *tuned = entry->tuned;
    const struct field *field = &tuned->lists.of.fields[entry->line.first[side] + position];
    *name = tuned->lists.of.names[field->name].text;
    *value = entry->line.text + field->value;
}

void tuned_value_at(const struct tuned_entry *entry, size_t position, const char **name,
                    const char **value)
{
    field_at(entry, VALUES, position, name, value);
}

void tuned_evidence_at(const struct tuned_entry *entry, size_t position, const char **name,
                       const char **value)
{
    field_at(entry, EVIDENCE, position, name, value);
}

ONE_COPY const char *tuned_evidence_text(const struct tuned_entry *entry, const char *name,
                                         const char *otherwise)
{
    return text_named(entry, EVIDENCE, name, otherwise);
}

double tuned_evidence(const struct tuned_entry *entry, const char *name, double otherwise)
{
    return read_real(tuned_evidence_text(entry, name, NULL), otherwise);
}

double tuned_expected_ns(const struct tuned_entry *entry)
{
    return entry ? entry->time_ns : -1.0;
}

const char *tuned_entry_problem(const struct tuned_entry *entry)
{
    return entry->line.text;
}

long long tuned_entry_n(const struct tuned_entry *entry)
{
    return entry->n.at >= 0 ? entry->n.at : entry->n.ends[0];
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
    const struct span *span = span_at(entry, position + 1);
    *low = span->ends[0];
    *high = span->ends[1];
    return entry->tuned->lists.of.names[span->name].text;
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
    return text_named(entry, SECTION, name, otherwise);
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
