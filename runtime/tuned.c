#include "tuned.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 128, READ_BYTES = 65536 };

/* Places in tuned.text. */
struct field {
    uint32_t name, value;
};

/* first_field and field_count name a run of tuned.fields. */
struct section {
    struct tuned_device device;
    uint64_t name_hash;
    size_t first_entry, entry_count;
    size_t first_field, field_count;
    int line;
};

struct tuned_entry {
    const struct tuned *tuned;
    const char *problem;
    long long low, high, at; /* at: the size that was measured; below 0 when that is unknown */
    uint32_t section, first_field;
    int line;
    uint8_t value_count, evidence_count; /* the evidence follows the values */
};

/* The entries of one problem in one section. */
struct group {
    const char *problem;
    uint32_t hash; /* of the section's name and the problem */
    uint32_t section, first_entry, entry_count;
};

/* All texts point into `text`, a copy of the file in which they are cut apart in place. */
struct tuned {
    char *text;
    struct field *fields;
    size_t field_count, field_capacity;
    struct section *sections;
    size_t section_count, section_capacity;
    struct tuned_entry *entries;
    size_t entry_count, entry_capacity;
    const struct section **by_name; /* sections by kind and name */
    long long *lows;                /* of the entries, close together for the binary search */
    /* A hash table without links: the groups of bucket b are those from buckets[b] on and before
     * buckets[b + 1]; b is the first bits of the hash. */
    struct group *groups;
    size_t group_count, group_capacity;
    uint32_t *buckets;
    unsigned bucket_shift;
};

/* ---- errors ---- */

struct reader {
    struct tuned *tuned;
    struct tuned_error *error; /* may be NULL */
    const char *name;          /* of the file */
    long long version;
    int line;
    int ended; /* the line "end" was read */
};

#if defined(__GNUC__)
#define PRINTF_LIKE __attribute__((format(printf, 2, 3)))
#else
#define PRINTF_LIKE
#endif
static int refuse(const struct reader *reader, const char *format, ...) PRINTF_LIKE;

/* Always 0, so that a failing step can end with `return refuse(...)`. */
static int refuse(const struct reader *reader, const char *format, ...)
{
    struct tuned_error *error = reader->error;
    if (error) {
        va_list arguments;
        const char *name = reader->name;
        size_t length = strlen(name);
        char line[16] = "";
        if (reader->line > 0)
            snprintf(line, sizeof line, ":%d", reader->line);
        if (length > TUNED_ERROR_BYTES / 2) /* the end of a path tells more than its beginning */
            name += length - TUNED_ERROR_BYTES / 2;
        int used = snprintf(error->text, sizeof error->text, "%s%s: ", name, line);
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

/* Room for one more item; NULL when memory is short. Without items *capacity is a guess. */
static void *grow(void *items, size_t count, size_t *capacity, size_t size)
{
    if (items && count < *capacity)
        return items;
    size_t wanted = items ? *capacity * 2 : *capacity + 16;
    void *grown = wanted > SIZE_MAX / size ? NULL : realloc(items, wanted * size);
    if (grown)
        *capacity = wanted;
    return grown;
}

/* Gives back what is not needed; the items as they are when that is impossible. */
static void *shrink(void *items, size_t count, size_t size)
{
    void *shrunk = count > 0 ? realloc(items, count * size) : NULL;
    return shrunk ? shrunk : items;
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

static int is_name_start(char c)
{
    return classes[(unsigned char)c] & NAME_START;
}

static int is_name(char c)
{
    return classes[(unsigned char)c] & NAME;
}

/* What a value may hold without quotes. */
static int is_word(char c)
{
    return classes[(unsigned char)c] & WORD;
}

static int is_space(char c)
{
    return c == ' ' || c == '\t';
}

/* Cheap, and good enough for buckets; hash_pair spreads it. */
static uint64_t hash_byte(uint64_t hash, char c)
{
    return (hash << 5 | hash >> 59) ^ (unsigned char)c;
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0;
    for (; *text; text++)
        hash = hash_byte(hash, *text);
    return hash;
}

static uint32_t hash_pair(uint64_t name, uint64_t problem)
{
    return (uint32_t)((name * 0x9e3779b97f4a7c15u + problem) * 0xd6e8feb86659fd93u >> 32);
}

/* The decimal digits at *text, moved past; 0 when there are none or the number does not fit. */
static int read_digits(const char **text, int negative, long long *out)
{
    const char *at = *text;
    long long value = 0;
    for (; is_digit(*at); at++) {
        int digit = *at - '0';
        if (value <= LLONG_MIN / 10 && (value < LLONG_MIN / 10 || digit > -(LLONG_MIN % 10)))
            return 0;
        value = value * 10 - digit; /* below zero, where there is room for one more */
    }
    if (at == *text || (!negative && value == LLONG_MIN))
        return 0;
    *text = at;
    *out = negative ? value : -value;
    return 1;
}

/* The whole text as a decimal integer. */
static int read_integer(const char *text, long long *out)
{
    long long value = 0;
    int negative = *text == '-';
    text += negative;
    if (!read_digits(&text, negative, &value) || *text)
        return 0;
    *out = value;
    return 1;
}

static double scale(double value, int exponent)
{
    for (; exponent > 0 && value <= DBL_MAX; exponent--)
        value *= 10.0;
    double divisor = 1.0;
    for (; exponent < 0 && value > 0; exponent++) {
        divisor *= 10.0;
        if (divisor >= 1e22) { /* exact up to here */
            value /= divisor;
            divisor = 1.0;
        }
    }
    return value / divisor;
}

/* The whole text as a decimal number, as in 12, -0.5 and 1.5e-3; 0 when it is none or infinite. */
static int read_real(const char *text, double *out)
{
    int negative = *text == '-', digits = 0, exponent = 0, written = 0, fraction = 0;
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
        if (!is_digit(*text))
            return 0;
        for (; is_digit(*text); text++)
            written = written < 1000 ? written * 10 + (*text - '0') : written;
        exponent += below ? -written : written;
    }
    double value = scale((double)mantissa, exponent);
    if (*text || value > DBL_MAX)
        return 0;
    *out = negative ? -value : value;
    return 1;
}

/* ---- reading lines ---- */

/* Cuts the quoted text that begins at *at in place. */
static int take_quoted(struct reader *reader, char **at, const char **out)
{
    char *from = *at + 1, *to = from;
    *out = to;
    for (; *from != '"'; from++) {
        if (*from == '\\') {
            from++;
            if (*from != '"' && *from != '\\')
                return refuse(reader, "within quotes \\ may only stand before \" or \\");
        }
        if (*from == '\0')
            return refuse(reader, "a quote (\") is not closed");
        *to++ = *from;
    }
    *to = '\0';
    *at = from + 1;
    return 1;
}

static int take_value(struct reader *reader, const char *name, char **at, const char **out)
{
    if (**at == '"') {
        if (!take_quoted(reader, at, out))
            return 0;
    } else {
        *out = *at;
        while (is_word(**at))
            (*at)++;
        if (*at == *out)
            return refuse(reader, "'%.60s' has no value", name);
    }
    if (**at && !is_space(**at))
        return refuse(reader, "the value of '%.60s' must be in quotes", name);
    if (**at)
        *(*at)++ = '\0';
    return 1;
}

static void skip_spaces(char **at)
{
    while (is_space(**at))
        (*at)++;
}

static const char *find_field(const struct tuned *tuned, size_t first, size_t count,
                              const char *name)
{
    for (size_t i = first; i < first + count; i++) {
        const char *found = tuned->text + tuned->fields[i].name;
        if (*found == *name && strcmp(found, name) == 0)
            return tuned->text + tuned->fields[i].value;
    }
    return NULL;
}

/* One NAME=VALUE that differs in name from the fields since `first`, of whose hashes *seen has a
 * bit each. */
static int take_field(struct reader *reader, char **at, size_t first, uint64_t *seen)
{
    struct tuned *tuned = reader->tuned;
    const char *name = *at, *value = NULL;
    char *end = *at;
    uint64_t hash = 0;
    for (; is_name(*end); end++)
        hash = hash_byte(hash, *end);
    if (!is_name_start(*name) || *end != '=')
        return refuse(reader, "'%.40s' is not NAME=VALUE", name);
    *end = '\0';
    *at = end + 1;
    if (!take_value(reader, name, at, &value))
        return 0;
    size_t count = tuned->field_count - first;
    uint64_t bit = (uint64_t)1 << (hash_pair(0, hash) >> 26);
    if (*seen & bit && find_field(tuned, first, count, name))
        return refuse(reader, "'%.60s' is given twice", name);
    *seen |= bit;
    if (count == FIELDS_MAX)
        return refuse(reader, "more than %d fields", FIELDS_MAX);
    void *grown =
        grow(tuned->fields, tuned->field_count, &tuned->field_capacity, sizeof *tuned->fields);
    if (!grown)
        return refuse_memory(reader);
    tuned->fields = grown;
    tuned->fields[tuned->field_count++] =
        (struct field){(uint32_t)(name - tuned->text), (uint32_t)(value - tuned->text)};
    return 1;
}

/* Fields up to the end of the line or a '|'. */
static int take_fields(struct reader *reader, char **at, size_t *first, size_t *count)
{
    uint64_t seen = 0;
    *first = reader->tuned->field_count;
    for (skip_spaces(at); **at && **at != '|'; skip_spaces(at))
        if (!take_field(reader, at, *first, &seen))
            return 0;
    *count = reader->tuned->field_count - *first;
    return 1;
}

static const char *section_text(const struct tuned *tuned, const struct section *section,
                                const char *name)
{
    return find_field(tuned, section->first_field, section->field_count, name);
}

/* A section's whole number in [0, max]; left alone where there is none. */
static int section_number(struct reader *reader, const struct section *section, const char *name,
                          long long max, long long *out)
{
    const char *text = section_text(reader->tuned, section, name);
    if (text && (!read_integer(text, out) || *out < 0 || *out > max))
        return refuse(reader, "%s=%.40s is not a whole number from 0 to %lld", name, text, max);
    return 1;
}

/* "9.0" */
static int read_capability(const char *text, int *major, int *minor)
{
    int parts[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        if (!is_digit(*text))
            return 0;
        for (; is_digit(*text) && parts[i] < 10000; text++)
            parts[i] = parts[i] * 10 + (*text - '0');
        if (*text != (i == 0 ? '.' : '\0'))
            return 0;
        text += i == 0;
    }
    *major = parts[0];
    *minor = parts[1];
    return 1;
}

static int read_device(struct reader *reader, struct section *section)
{
    struct tuned_device *device = &section->device;
    long long units = 0;
    if (!section_number(reader, section, "sm_count", INT_MAX, &units) ||
        !section_number(reader, section, "cores", INT_MAX, &units) ||
        !section_number(reader, section, "memory_bytes", LLONG_MAX, &device->memory_bytes))
        return 0;
    device->unit_count = (int)units;
    const char *capability = section_text(reader->tuned, section, "compute_capability");
    if (capability && !read_capability(capability, &device->compute_capability_major,
                                       &device->compute_capability_minor))
        return refuse(reader, "compute_capability=%.40s is not of the form 9.0", capability);
    return 1;
}

/* [KIND "NAME"] FIELDS */
static int read_section(struct reader *reader, char *at)
{
    struct tuned *tuned = reader->tuned;
    struct section section = {.line = reader->line, .first_entry = tuned->entry_count};
    section.device.kind = ++at;
    while (is_name(*at))
        at++;
    if (!is_name_start(*section.device.kind) || !is_space(*at))
        return refuse(reader, "a section begins as in [cuda \"NVIDIA H200\"]");
    *at++ = '\0';
    skip_spaces(&at);
    if (*at != '"')
        return refuse(reader, "a section begins as in [cuda \"NVIDIA H200\"]");
    if (!take_quoted(reader, &at, &section.device.name))
        return 0;
    if (*at++ != ']' || (*at && !is_space(*at)))
        return refuse(reader, "the name of the device is to be followed by ] and a space");
    if (!take_fields(reader, &at, &section.first_field, &section.field_count))
        return 0;
    if (*at)
        return refuse(reader, "'|' has no place in a section's line");
    void *grown = grow(tuned->sections, tuned->section_count, &tuned->section_capacity,
                       sizeof *tuned->sections);
    if (!grown)
        return refuse_memory(reader);
    tuned->sections = grown;
    if (!read_device(reader, &section))
        return 0;
    section.name_hash = hash_text(section.device.name);
    tuned->sections[tuned->section_count++] = section;
    return 1;
}

/* n=SIZE or n=LOW-HIGH */
static int read_sizes(struct reader *reader, struct tuned_entry *entry, const char *text)
{
    const char *at = text;
    int fits = read_digits(&at, 0, &entry->low);
    entry->high = entry->low;
    if (fits && *at == '-') {
        at++;
        fits = read_digits(&at, 0, &entry->high);
    }
    if (!fits || *at)
        return refuse(reader, "n=%.40s is not a whole number from 0 to %lld, nor two as in 1-9",
                      text, LLONG_MAX);
    if (entry->high < entry->low)
        return refuse(reader, "n=%.60s ends before it begins", text);
    if (reader->version < 2 && strchr(text, '-'))
        return refuse(reader, "n=%.60s: there are ranges from 'tuned-conf 2' on", text);
    entry->at = entry->low == entry->high ? entry->low : -1;
    return 1;
}

/* What must hold of the evidence. */
static int check_evidence(struct reader *reader, struct tuned_entry *entry, size_t first)
{
    double time_ns = 0;
    const char *time = find_field(reader->tuned, first, entry->evidence_count, "time_ns");
    if (time && (!read_real(time, &time_ns) || time_ns < 0))
        return refuse(reader, "time_ns=%.40s is not a time", time);
    const char *at = find_field(reader->tuned, first, entry->evidence_count, "at");
    if (!at || reader->version < 2)
        return 1;
    if (!read_integer(at, &entry->at) || entry->at < entry->low || entry->at > entry->high)
        return refuse(reader, "at=%.40s is not one of the sizes", at);
    return 1;
}

/* PROBLEM n=SIZES VALUES | EVIDENCE */
static int read_entry(struct reader *reader, char *at)
{
    struct tuned *tuned = reader->tuned;
    struct tuned_entry entry = {.tuned = tuned, .problem = at, .line = reader->line};
    size_t first = 0, count = 0, first_evidence = 0, evidence_count = 0;
    while (is_name(*at))
        at++;
    if (!is_name_start(*entry.problem) || !is_space(*at))
        return refuse(reader, "'%.40s' begins no line of a tuned.conf", entry.problem);
    *at++ = '\0';
    if (tuned->section_count == 0)
        return refuse(reader, "'%.60s' stands before the first device", entry.problem);
    if (!take_fields(reader, &at, &first, &count))
        return 0;
    at += *at == '|';
    if (!take_fields(reader, &at, &first_evidence, &evidence_count))
        return 0;
    if (*at)
        return refuse(reader, "'|' is given twice");
    const struct field *sizes = count > 0 ? &tuned->fields[first] : NULL;
    if (!sizes || strcmp(tuned->text + sizes->name, "n") != 0)
        return refuse(reader, "'%.60s' is to be followed by its size, n=", entry.problem);
    if (!read_sizes(reader, &entry, tuned->text + sizes->value))
        return 0;
    if (count == 1)
        return refuse(reader, "'%.60s' has no parameters", entry.problem);
    entry.first_field = (uint32_t)first + 1;
    entry.value_count = (uint8_t)(count - 1);
    entry.evidence_count = (uint8_t)evidence_count;
    if (!check_evidence(reader, &entry, first_evidence))
        return 0;
    void *grown =
        grow(tuned->entries, tuned->entry_count, &tuned->entry_capacity, sizeof *tuned->entries);
    if (!grown)
        return refuse_memory(reader);
    tuned->entries = grown;
    entry.section = (uint32_t)(tuned->section_count - 1);
    tuned->entries[tuned->entry_count++] = entry;
    tuned->sections[entry.section].entry_count++;
    return 1;
}

static int read_header(struct reader *reader, const char *line)
{
    static const char word[] = "tuned-conf ";
    if (strncmp(line, word, sizeof word - 1) != 0 ||
        !read_integer(line + sizeof word - 1, &reader->version))
        return refuse(reader, "no tuned.conf: its first line is 'tuned-conf %d'",
                      TUNED_FORMAT_VERSION);
    if (reader->version < 1 || reader->version > TUNED_FORMAT_VERSION)
        return refuse(reader,
                      "format version %lld; libtuned %s reads versions 1 to %d: write the file "
                      "anew with 'tune export' of that version, or link a newer libtuned",
                      reader->version, TUNED_VERSION, TUNED_FORMAT_VERSION);
    return 1;
}

/* Whether there may be a control character, tabs counted: eight characters at a time. */
static int may_have_control(const char *at, const char *end)
{
    const uint64_t ones = UINT64_MAX / 255;
    uint64_t found = 0;
    for (; end - at >= 8; at += 8) {
        uint64_t eight, delete;
        memcpy(&eight, at, sizeof eight);
        delete = eight ^ ones * 0x7f;
        found |= ((eight - ones * ' ') & ~eight) | ((delete - ones) & ~delete);
    }
    for (; at < end; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            return 1;
    return (found & ones * 0x80) != 0;
}

static int read_line(struct reader *reader, char *line, char *end)
{
    if (end > line && end[-1] == '\r')
        *--end = '\0';
    if (may_have_control(line, end))
        for (const char *at = line; at < end; at++)
            if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f)
                return refuse(reader, "a control character (byte 0x%02x)", (unsigned)*at);
    if (reader->line == 1)
        return read_header(reader, line);
    skip_spaces(&line);
    if (*line == '\0' || *line == '#')
        return 1;
    if (reader->ended)
        return refuse(reader, "a line after 'end'");
    reader->ended = strcmp(line, "end") == 0;
    if (reader->ended)
        return 1;
    return *line == '[' ? read_section(reader, line) : read_entry(reader, line);
}

/* ---- sorting ---- */

static int compare_numbers(long long a, long long b)
{
    return (a > b) - (a < b);
}

static int order_entries(const void *a, const void *b)
{
    const struct tuned_entry *left = a, *right = b;
    int order = strcmp(left->problem, right->problem);
    if (!order)
        order = compare_numbers(left->low, right->low);
    return order ? order : compare_numbers(left->line, right->line);
}

static int compare_devices(const struct section *left, const struct section *right)
{
    const struct tuned_device *a = &left->device, *b = &right->device;
    int order = strcmp(a->kind, b->kind);
    if (!order)
        order = strcmp(a->name, b->name);
    if (!order)
        order = compare_numbers(a->compute_capability_major, b->compute_capability_major);
    if (!order)
        order = compare_numbers(a->compute_capability_minor, b->compute_capability_minor);
    return order ? order : compare_numbers(a->unit_count, b->unit_count);
}

static int order_sections(const void *a, const void *b)
{
    const struct section *const *left = a, *const *right = b;
    int order = compare_devices(*left, *right);
    return order ? order : compare_numbers((*left)->line, (*right)->line);
}

static int sort_sections(struct reader *reader)
{
    struct tuned *tuned = reader->tuned;
    size_t count = tuned->section_count;
    tuned->by_name = malloc((count + 1) * sizeof(const struct section *));
    if (!tuned->by_name)
        return refuse_memory(reader);
    for (size_t i = 0; i < count; i++)
        tuned->by_name[i] = &tuned->sections[i];
    qsort(tuned->by_name, count, sizeof(const struct section *), order_sections);
    for (size_t i = 1; i < count; i++) {
        const struct section *earlier = tuned->by_name[i - 1], *later = tuned->by_name[i];
        if (compare_devices(earlier, later) == 0) {
            reader->line = later->line;
            return refuse(reader, "the device '%.60s' was already given on line %d",
                          later->device.name, earlier->line);
        }
    }
    return 1;
}

static int refuse_overlap(struct reader *reader, const struct tuned_entry *earlier,
                          const struct tuned_entry *later)
{
    if (earlier->line > later->line)
        return refuse_overlap(reader, later, earlier);
    reader->line = later->line;
    if (later->low == later->high && later->low == earlier->low && earlier->low == earlier->high)
        return refuse(reader, "'%.60s' n=%lld was already given on line %d", later->problem,
                      later->low, earlier->line);
    return refuse(reader, "'%.60s' n=%lld-%lld overlaps n=%lld-%lld of line %d", later->problem,
                  later->low, later->high, earlier->low, earlier->high, earlier->line);
}

static int add_group(struct reader *reader, size_t section, size_t first_entry)
{
    struct tuned *tuned = reader->tuned;
    const char *problem = tuned->entries[first_entry].problem;
    void *grown =
        grow(tuned->groups, tuned->group_count, &tuned->group_capacity, sizeof *tuned->groups);
    if (!grown)
        return refuse_memory(reader);
    tuned->groups = grown;
    tuned->groups[tuned->group_count++] = (struct group){
        .problem = problem,
        .hash = hash_pair(tuned->sections[section].name_hash, hash_text(problem)),
        .section = (uint32_t)section,
        .first_entry = (uint32_t)first_entry,
    };
    return 1;
}

/* Sorts the section's entries and divides them into groups. */
static int group_entries(struct reader *reader, const struct section *section)
{
    struct tuned *tuned = reader->tuned;
    struct tuned_entry *entries = tuned->entries;
    size_t first = section->first_entry, end = first + section->entry_count, sorted = first + 1;
    while (sorted < end && order_entries(&entries[sorted - 1], &entries[sorted]) < 0)
        sorted++;
    if (sorted < end)
        qsort(entries + first, section->entry_count, sizeof *entries, order_entries);
    for (size_t i = first; i < end; i++) {
        if (i == first || strcmp(entries[i].problem, entries[i - 1].problem) != 0) {
            if (!add_group(reader, (size_t)(section - tuned->sections), i))
                return 0;
        } else if (entries[i].low <= entries[i - 1].high) {
            return refuse_overlap(reader, &entries[i - 1], &entries[i]);
        }
        tuned->groups[tuned->group_count - 1].entry_count++;
        tuned->lows[i] = entries[i].low;
    }
    return 1;
}

/* Orders the groups by bucket; within one they stay in the order of by_name. */
static int fill_buckets(struct reader *reader)
{
    struct tuned *tuned = reader->tuned;
    size_t count = 2;
    for (tuned->bucket_shift = 31; count < tuned->group_count; count *= 2)
        tuned->bucket_shift--;
    uint32_t *ends = calloc(count + 2, sizeof *ends); /* of bucket b - 1 at b */
    struct group *groups = malloc((tuned->group_count + 1) * sizeof *groups);
    tuned->buckets = ends;
    if (!ends || !groups) {
        free(groups);
        return refuse_memory(reader);
    }
    for (size_t i = 0; i < tuned->group_count; i++)
        ends[(tuned->groups[i].hash >> tuned->bucket_shift) + 2]++;
    for (size_t b = 2; b < count + 2; b++)
        ends[b] += ends[b - 1];
    for (size_t i = 0; i < tuned->group_count; i++)
        groups[ends[(tuned->groups[i].hash >> tuned->bucket_shift) + 1]++] = tuned->groups[i];
    free(tuned->groups);
    tuned->groups = groups;
    return 1;
}

static int index_entries(struct reader *reader)
{
    struct tuned *tuned = reader->tuned;
    tuned->fields = shrink(tuned->fields, tuned->field_count, sizeof *tuned->fields);
    tuned->entries = shrink(tuned->entries, tuned->entry_count, sizeof *tuned->entries);
    tuned->lows = malloc((tuned->entry_count + 1) * sizeof *tuned->lows);
    if (!tuned->lows)
        return refuse_memory(reader);
    for (size_t s = 0; s < tuned->section_count; s++)
        if (!group_entries(reader, tuned->by_name[s]))
            return 0;
    return fill_buckets(reader);
}

/* ---- loading ---- */

static int read_lines(struct reader *reader, char *text, size_t bytes)
{
    char *end = text + bytes;
    while (text < end) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        reader->line++;
        if (!newline)
            return refuse(reader, "the file breaks off: its last line has no end");
        *newline = '\0';
        if (!read_line(reader, text, newline))
            return 0;
        text = newline + 1;
    }
    if (reader->line == 0)
        return refuse(reader, "the file is empty");
    if (!reader->ended)
        return refuse(reader, "the file breaks off: there is no line 'end'");
    return sort_sections(reader) && index_entries(reader);
}

/* Takes the text over, whatever comes of it. */
static struct tuned *load_text(struct reader *reader, char *text, size_t bytes)
{
    struct tuned *tuned = calloc(1, sizeof *tuned);
    if (!tuned) {
        free(text);
        (void)refuse_memory(reader);
        return NULL;
    }
    tuned->text = text;
    tuned->field_capacity = bytes / 16;
    tuned->entry_capacity = bytes / 128;
    reader->tuned = tuned;
    if (read_lines(reader, text, bytes))
        return tuned;
    tuned_free(tuned);
    return NULL;
}

static struct reader start_reading(const char *name, struct tuned_error *error)
{
    struct reader reader = {.error = error, .name = name ? name : "tuned.conf"};
    if (error) {
        error->line = 0;
        error->text[0] = '\0';
    }
    return reader;
}

/* The rest of the stream, at most TUNED_FILE_BYTES_MAX bytes and one, from malloc. */
static char *read_stream(FILE *file, size_t *bytes)
{
    size_t capacity = 0, length = 0, got = 0;
    char *text = NULL;
    do {
        capacity = capacity ? (size_t)TUNED_FILE_BYTES_MAX + 1 : READ_BYTES;
        char *grown = realloc(text, capacity);
        if (!grown) {
            free(text);
            return NULL;
        }
        text = grown;
        got = fread(text + length, 1, capacity - length, file);
        length += got;
    } while (length == capacity && capacity <= (size_t)TUNED_FILE_BYTES_MAX);
    *bytes = length;
    return shrink(text, length + 1, 1);
}

struct tuned *tuned_load(const char *path, struct tuned_error *error)
{
    struct reader reader = start_reading(path, error);
    errno = 0;
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file) {
        if (!path || errno == ENOENT)
            (void)refuse(&reader, "there is no such file");
        else if (errno == EACCES)
            (void)refuse(&reader, "no permission to read it");
        else
            (void)refuse(&reader, "it cannot be opened (errno %d)", errno);
        return NULL;
    }
    size_t bytes = 0;
    char *text = read_stream(file, &bytes);
    int failed = ferror(file);
    fclose(file);
    if (text && !failed && bytes <= (size_t)TUNED_FILE_BYTES_MAX)
        return load_text(&reader, text, bytes);
    free(text);
    if (!text)
        (void)refuse_memory(&reader);
    else if (failed)
        (void)refuse(&reader, "it cannot be read");
    else
        (void)refuse(&reader, "larger than %d bytes", TUNED_FILE_BYTES_MAX);
    return NULL;
}

struct tuned *tuned_load_memory(const void *text, size_t bytes, const char *name,
                                struct tuned_error *error)
{
    struct reader reader = start_reading(name, error);
    if (bytes > (size_t)TUNED_FILE_BYTES_MAX) {
        (void)refuse(&reader, "larger than %d bytes", TUNED_FILE_BYTES_MAX);
        return NULL;
    }
    char *copy = malloc(bytes + 1);
    if (!copy) {
        (void)refuse_memory(&reader);
        return NULL;
    }
    if (bytes > 0)
        memcpy(copy, text, bytes);
    return load_text(&reader, copy, bytes);
}

void tuned_free(struct tuned *tuned)
{
    if (!tuned)
        return;
    free(tuned->text);
    free(tuned->fields);
    free(tuned->sections);
    free(tuned->entries);
    free((void *)tuned->by_name);
    free(tuned->lows);
    free(tuned->groups);
    free(tuned->buckets);
    free(tuned);
}

/* ---- finding ---- */

static int may_be_equal(long long a, long long b)
{
    return a == 0 || b == 0 || a == b;
}

static int is_device(const struct tuned_device *found, const struct tuned_device *asked)
{
    return strcmp(found->name, asked->name) == 0 && strcmp(found->kind, asked->kind) == 0 &&
           may_be_equal(found->unit_count, asked->unit_count) &&
           (asked->compute_capability_major == 0 || found->compute_capability_major == 0 ||
            (found->compute_capability_major == asked->compute_capability_major &&
             found->compute_capability_minor == asked->compute_capability_minor));
}

/* The next group after `group` (NULL: the first) of that problem and hash; NULL when there is none.
 */
static const struct group *next_group(const struct tuned *tuned, uint32_t hash, const char *problem,
                                      const struct group *group)
{
    const uint32_t *bucket = tuned->buckets + (hash >> tuned->bucket_shift);
    const struct group *end = tuned->groups + bucket[1];
    for (group = group ? group + 1 : tuned->groups + bucket[0]; group < end; group++)
        if (group->hash == hash && strcmp(group->problem, problem) == 0)
            return group;
    return NULL;
}

static int is_within(const struct tuned_entry *entry, long long n)
{
    return entry->low <= n && n <= entry->high;
}

/* The group's entry of the nearest size; of two equally near the smaller. */
static const struct tuned_entry *find_entry(const struct tuned *tuned, const struct group *group,
                                            long long n)
{
    const long long *lows = tuned->lows + group->first_entry;
    const struct tuned_entry *entries = tuned->entries + group->first_entry;
    size_t below = 0; /* the last that begins at or below n, or the first */
    for (size_t count = group->entry_count; count > 1;) {
        size_t half = count / 2;
        below = lows[below + half] <= n ? below + half : below;
        count -= half;
    }
    const struct tuned_entry *left = &entries[below], *right = left + 1;
    if (n <= left->high || below + 1 == group->entry_count)
        return left;
    /* n / left <= right / n */
    return (double)n * (double)n <= (double)left->high * (double)right->low ? left : right;
}

static int capability_distance(const struct tuned_device *a, const struct tuned_device *b)
{
    if (a->compute_capability_major != b->compute_capability_major)
        return 2;
    return a->compute_capability_minor != b->compute_capability_minor;
}

static long long distance(long long a, long long b)
{
    if (a <= 0 || b <= 0)
        return LLONG_MAX;
    return a > b ? a - b : b - a;
}

/* Below 0 when `a` is more like `device` than `b` is. */
static int compare_likeness(const struct tuned_device *device, const struct tuned_device *a,
                            const struct tuned_device *b)
{
    int order = capability_distance(a, device) - capability_distance(b, device);
    if (!order)
        order = compare_numbers(distance(a->unit_count, device->unit_count),
                                distance(b->unit_count, device->unit_count));
    if (!order && device->name)
        order = (strcmp(a->name, device->name) != 0) - (strcmp(b->name, device->name) != 0);
    if (!order)
        order = compare_numbers(distance(a->memory_bytes, device->memory_bytes),
                                distance(b->memory_bytes, device->memory_bytes));
    return order;
}

static const struct group *find_elsewhere(const struct tuned *tuned,
                                          const struct tuned_device *device, const char *problem,
                                          uint64_t problem_hash)
{
    const struct group *best = NULL;
    for (size_t i = 0; i < tuned->section_count; i++) {
        const struct section *section = tuned->by_name[i];
        if (strcmp(section->device.kind, device->kind) != 0)
            continue;
        if (best &&
            compare_likeness(device, &section->device, &tuned->sections[best->section].device) >= 0)
            continue;
        uint32_t hash = hash_pair(section->name_hash, problem_hash);
        const struct group *group = next_group(tuned, hash, problem, NULL);
        while (group && &tuned->sections[group->section] != section)
            group = next_group(tuned, hash, problem, group);
        best = group ? group : best;
    }
    return best;
}

enum tuned_grade tuned_find(const struct tuned *tuned, const struct tuned_device *device,
                            const char *problem, long long n, struct tuned_answer *answer)
{
    const struct group *group = NULL;
    *answer = (struct tuned_answer){
        .grade = TUNED_NONE, .tuned = tuned, .device = device, .problem = problem, .n = n};
    if (!tuned || !device || !device->kind || !problem)
        return TUNED_NONE;
    uint64_t problem_hash = hash_text(problem);
    if (device->name) {
        uint32_t hash = hash_pair(hash_text(device->name), problem_hash);
        const struct group *next = NULL;
        while ((next = next_group(tuned, hash, problem, next)) != NULL)
            if (is_device(&tuned->sections[next->section].device, device))
                group = next; /* the last: a section of unknown numbers comes before its like */
    }
    if (group) {
        const struct tuned_entry *entry = find_entry(tuned, group, n);
        answer->entry = entry;
        answer->grade = !is_within(entry, n) ? TUNED_NEAREST_SIZE
                        : entry->at == n     ? TUNED_EXACT
                                             : TUNED_IN_RANGE;
        return answer->grade;
    }
    group = find_elsewhere(tuned, device, problem, problem_hash);
    if (group) {
        answer->entry = find_entry(tuned, group, n);
        answer->grade = TUNED_OTHER_DEVICE;
    }
    return answer->grade;
}

const char *tuned_grade_name(enum tuned_grade grade)
{
    static const char *const names[] = {"none",         "far device",   "default",
                                        "portable",     "other device", "same model",
                                        "nearest size", "in range",     "exact"};
    return (unsigned)grade <= TUNED_EXACT ? names[grade] : names[TUNED_NONE];
}

/* "n = 1024" or "n from 512 to 1023 (measured at 1000)" */
static void describe_sizes(const struct tuned_entry *entry, char *out, size_t bytes)
{
    if (entry->low == entry->high)
        snprintf(out, bytes, "n = %lld", entry->low);
    else if (entry->at < 0)
        snprintf(out, bytes, "n from %lld to %lld", entry->low, entry->high);
    else
        snprintf(out, bytes, "n from %lld to %lld (measured at %lld)", entry->low, entry->high,
                 entry->at);
}

static void explain_other(const struct tuned_answer *answer, const char *sizes, char *out,
                          size_t bytes)
{
    static const char *const likeness[] = {"the same compute capability",
                                           "the same major compute capability",
                                           "another compute capability"};
    const struct tuned_device *asked = answer->device, *found = tuned_entry_device(answer->entry);
    const char *unit = strcmp(found->kind, "cpu") == 0 ? "cores" : "SMs";
    int is_gpu = found->compute_capability_major > 0;
    snprintf(out, bytes,
             "%.60s was never tuned on %.60s; taken from %.60s%s%s (%d %s; here %d), tuned there "
             "for %s%s",
             answer->problem, asked->name ? asked->name : "this device", found->name,
             is_gpu ? ", of " : "", is_gpu ? likeness[capability_distance(asked, found)] : "",
             found->unit_count, unit, asked->unit_count, sizes,
             is_within(answer->entry, answer->n) ? "" : ", which is nearest");
}

void tuned_reason(const struct tuned_answer *answer, char *out, size_t bytes)
{
    const struct tuned_entry *entry = answer->entry;
    const char *device = entry ? tuned_entry_device(entry)->name : "";
    char sizes[112] = "";
    if (bytes == 0)
        return;
    if (entry)
        describe_sizes(entry, sizes, sizeof sizes);
    if (answer->grade == TUNED_EXACT)
        snprintf(out, bytes, "measured on %.60s at n = %lld", device, answer->n);
    else if (answer->grade == TUNED_IN_RANGE)
        snprintf(out, bytes, "tuned on %.60s for %s", device, sizes);
    else if (answer->grade == TUNED_NEAREST_SIZE)
        snprintf(out, bytes, "n = %lld was never tuned on %.60s; nearest is %s", answer->n, device,
                 sizes);
    else if (answer->grade == TUNED_OTHER_DEVICE)
        explain_other(answer, sizes, out, bytes);
    else if (!answer->tuned)
        snprintf(out, bytes, "no tuned.conf is loaded");
    else if (!answer->device || !answer->device->kind || !answer->problem)
        snprintf(out, bytes, "no device or no problem was named");
    else
        snprintf(out, bytes, "%.60s was never tuned on any device of the kind '%.60s'",
                 answer->problem, answer->device->kind);
}

/* ---- what an entry holds ---- */

const char *tuned_text(const struct tuned_entry *entry, const char *name, const char *otherwise)
{
    const char *text =
        entry ? find_field(entry->tuned, entry->first_field, entry->value_count, name) : NULL;
    return text ? text : otherwise;
}

long long tuned_integer(const struct tuned_entry *entry, const char *name, long long otherwise)
{
    long long value = 0;
    const char *text = tuned_text(entry, name, NULL);
    return text && read_integer(text, &value) ? value : otherwise;
}

double tuned_real(const struct tuned_entry *entry, const char *name, double otherwise)
{
    double value = 0;
    const char *text = tuned_text(entry, name, NULL);
    return text && read_real(text, &value) ? value : otherwise;
}

size_t tuned_value_count(const struct tuned_entry *entry)
{
    return entry ? entry->value_count : 0;
}

void tuned_value_at(const struct tuned_entry *entry, size_t index, const char **name,
                    const char **value)
{
    *name = *value = NULL;
    if (index >= tuned_value_count(entry))
        return;
    const struct field *field = &entry->tuned->fields[entry->first_field + index];
    *name = entry->tuned->text + field->name;
    *value = entry->tuned->text + field->value;
}

const char *tuned_evidence_text(const struct tuned_entry *entry, const char *name,
                                const char *otherwise)
{
    const char *text =
        entry ? find_field(entry->tuned, (size_t)entry->first_field + entry->value_count,
                           entry->evidence_count, name)
              : NULL;
    return text ? text : otherwise;
}

double tuned_evidence(const struct tuned_entry *entry, const char *name, double otherwise)
{
    double value = 0;
    const char *text = tuned_evidence_text(entry, name, NULL);
    return text && read_real(text, &value) ? value : otherwise;
}

double tuned_expected_ns(const struct tuned_entry *entry)
{
    return tuned_evidence(entry, "time_ns", -1.0);
}

const char *tuned_entry_problem(const struct tuned_entry *entry)
{
    return entry->problem;
}

long long tuned_entry_n(const struct tuned_entry *entry)
{
    return entry->at >= 0 ? entry->at : entry->low;
}

long long tuned_entry_n_low(const struct tuned_entry *entry)
{
    return entry->low;
}

long long tuned_entry_n_high(const struct tuned_entry *entry)
{
    return entry->high;
}

const struct tuned_device *tuned_entry_device(const struct tuned_entry *entry)
{
    return &entry->tuned->sections[entry->section].device;
}

int tuned_entry_line(const struct tuned_entry *entry)
{
    return entry->line;
}

const char *tuned_device_text(const struct tuned_entry *entry, const char *name,
                              const char *otherwise)
{
    const char *text =
        entry ? section_text(entry->tuned, &entry->tuned->sections[entry->section], name) : NULL;
    return text ? text : otherwise;
}

size_t tuned_entry_count(const struct tuned *tuned)
{
    return tuned ? tuned->entry_count : 0;
}

const struct tuned_entry *tuned_entry_at(const struct tuned *tuned, size_t index)
{
    return index < tuned_entry_count(tuned) ? &tuned->entries[index] : NULL;
}

const char *tuned_version(void)
{
    return TUNED_VERSION;
}
