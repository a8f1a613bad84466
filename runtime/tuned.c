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

struct field {
    const char *name;
    const char *value;
};

/* first_field and field_count name a run of tuned.fields. */
struct section {
    struct tuned_device device;
    size_t first_entry, entry_count;
    size_t first_field, field_count;
    int line;
};

struct tuned_entry {
    const struct tuned *tuned;
    size_t section;
    const char *problem;
    long long n;
    size_t first_field, value_count, evidence_count; /* the evidence follows the values */
    int line;
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
};

/* ---- errors ---- */

struct reader {
    struct tuned *tuned;
    struct tuned_error *error; /* may be NULL */
    const char *name;          /* of the file */
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

/* Room for one more item; NULL when memory is short. */
static void *grow(void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    size_t wanted = *capacity ? *capacity * 2 : 64;
    void *grown = wanted > SIZE_MAX / size ? NULL : realloc(items, wanted * size);
    if (grown)
        *capacity = wanted;
    return grown;
}

/* ---- numbers and characters, without the locale ---- */

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_name(char c)
{
    return is_name_start(c) || is_digit(c) || c == '.' || c == '-';
}

/* What a value may hold without quotes. */
static int is_word(char c)
{
    return c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '|' && c != '#' && c != '=' &&
           c != '[' && c != ']';
}

static int is_space(char c)
{
    return c == ' ' || c == '\t';
}

/* The whole text as a decimal integer; 0 when it is none or does not fit. */
static int read_integer(const char *text, long long *out)
{
    int negative = *text == '-';
    long long value = 0;
    text += negative;
    if (!is_digit(*text))
        return 0;
    for (; is_digit(*text); text++) {
        int digit = *text - '0';
        if (value < (LLONG_MIN + digit) / 10)
            return 0;
        value = value * 10 - digit; /* below zero, where there is room for one more */
    }
    if (*text || (!negative && value == LLONG_MIN))
        return 0;
    *out = negative ? value : -value;
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

static const char *find_field(const struct field *fields, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0)
            return fields[i].value;
    return NULL;
}

/* One NAME=VALUE that differs in name from the fields since `first`. */
static int take_field(struct reader *reader, char **at, size_t first)
{
    struct tuned *tuned = reader->tuned;
    struct field field = {*at, NULL};
    char *end = *at;
    while (is_name(*end))
        end++;
    if (!is_name_start(**at) || *end != '=')
        return refuse(reader, "'%.40s' is not NAME=VALUE", *at);
    *end = '\0';
    *at = end + 1;
    if (!take_value(reader, field.name, at, &field.value))
        return 0;
    size_t count = tuned->field_count - first;
    if (count > 0 && find_field(tuned->fields + first, count, field.name))
        return refuse(reader, "'%.60s' is given twice", field.name);
    if (count == FIELDS_MAX)
        return refuse(reader, "more than %d fields", FIELDS_MAX);
    void *grown =
        grow(tuned->fields, tuned->field_count, &tuned->field_capacity, sizeof *tuned->fields);
    if (!grown)
        return refuse_memory(reader);
    tuned->fields = grown;
    tuned->fields[tuned->field_count++] = field;
    return 1;
}

/* Fields up to the end of the line or a '|'. */
static int take_fields(struct reader *reader, char **at, size_t *first, size_t *count)
{
    *first = reader->tuned->field_count;
    for (skip_spaces(at); **at && **at != '|'; skip_spaces(at))
        if (!take_field(reader, at, *first))
            return 0;
    *count = reader->tuned->field_count - *first;
    return 1;
}

static const char *section_text(const struct tuned *tuned, const struct section *section,
                                const char *name)
{
    return section->field_count == 0
               ? NULL
               : find_field(tuned->fields + section->first_field, section->field_count, name);
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
    tuned->sections[tuned->section_count++] = section;
    return 1;
}

/* The size, and what must hold of the fields. */
static int check_entry(struct reader *reader, struct tuned_entry *entry, size_t field_count)
{
    const struct tuned *tuned = reader->tuned;
    const struct field *fields = field_count ? tuned->fields + entry->first_field : NULL;
    double time_ns = 0;
    if (!fields || strcmp(fields[0].name, "n") != 0)
        return refuse(reader, "'%.60s' is to be followed by its size, n=", entry->problem);
    if (!read_integer(fields[0].value, &entry->n) || entry->n < 0)
        return refuse(reader, "n=%.40s is not a whole number from 0 to %lld", fields[0].value,
                      LLONG_MAX);
    if (field_count == 1)
        return refuse(reader, "'%.60s' has no parameters", entry->problem);
    entry->first_field++;
    entry->value_count = field_count - 1;
    const char *time = find_field(tuned->fields + entry->first_field + entry->value_count,
                                  entry->evidence_count, "time_ns");
    if (time && (!read_real(time, &time_ns) || time_ns < 0))
        return refuse(reader, "time_ns=%.40s is not a time", time);
    return 1;
}

/* PROBLEM n=SIZE VALUES | EVIDENCE */
static int read_entry(struct reader *reader, char *at)
{
    struct tuned *tuned = reader->tuned;
    struct tuned_entry entry = {.tuned = tuned, .problem = at, .line = reader->line};
    size_t field_count = 0, first_evidence = 0;
    while (is_name(*at))
        at++;
    if (!is_name_start(*entry.problem) || !is_space(*at))
        return refuse(reader, "'%.40s' begins no line of a tuned.conf", entry.problem);
    *at++ = '\0';
    if (tuned->section_count == 0)
        return refuse(reader, "'%.60s' stands before the first device", entry.problem);
    if (!take_fields(reader, &at, &entry.first_field, &field_count))
        return 0;
    at += *at == '|';
    if (!take_fields(reader, &at, &first_evidence, &entry.evidence_count))
        return 0;
    if (*at)
        return refuse(reader, "'|' is given twice");
    if (!check_entry(reader, &entry, field_count))
        return 0;
    void *grown =
        grow(tuned->entries, tuned->entry_count, &tuned->entry_capacity, sizeof *tuned->entries);
    if (!grown)
        return refuse_memory(reader);
    tuned->entries = grown;
    entry.section = tuned->section_count - 1;
    tuned->entries[tuned->entry_count++] = entry;
    tuned->sections[entry.section].entry_count++;
    return 1;
}

static int read_header(struct reader *reader, const char *line)
{
    static const char word[] = "tuned-conf ";
    long long version = 0;
    if (strncmp(line, word, sizeof word - 1) != 0 ||
        !read_integer(line + sizeof word - 1, &version))
        return refuse(reader, "no tuned.conf: its first line is 'tuned-conf %d'",
                      TUNED_FORMAT_VERSION);
    if (version != TUNED_FORMAT_VERSION)
        return refuse(reader,
                      "format version %lld; libtuned %s reads version %d: write the file "
                      "anew with 'tune export' of that version, or link a newer libtuned",
                      version, TUNED_VERSION, TUNED_FORMAT_VERSION);
    return 1;
}

static int read_line(struct reader *reader, char *line, char *end)
{
    if (end > line && end[-1] == '\r')
        *--end = '\0';
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

static int compare_entry(const struct tuned_entry *entry, const char *problem, long long n)
{
    int order = strcmp(entry->problem, problem);
    return order ? order : compare_numbers(entry->n, n);
}

static int order_entries(const void *a, const void *b)
{
    const struct tuned_entry *left = a, *right = b;
    int order = compare_entry(left, right->problem, right->n);
    return order ? order : compare_numbers(left->line, right->line);
}

static int compare_section(const struct section *section, const char *kind, const char *name)
{
    int order = strcmp(section->device.kind, kind);
    return order ? order : strcmp(section->device.name, name);
}

static int compare_devices(const struct section *left, const struct section *right)
{
    const struct tuned_device *a = &left->device, *b = &right->device;
    int order = compare_section(left, b->kind, b->name);
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

static int sort_entries(struct reader *reader)
{
    struct tuned *tuned = reader->tuned;
    for (size_t s = 0; s < tuned->section_count; s++) {
        const struct section *section = &tuned->sections[s];
        if (section->entry_count == 0)
            continue;
        struct tuned_entry *entries = tuned->entries + section->first_entry;
        qsort(entries, section->entry_count, sizeof *entries, order_entries);
        for (size_t i = 1; i < section->entry_count; i++)
            if (compare_entry(&entries[i], entries[i - 1].problem, entries[i - 1].n) == 0) {
                reader->line = entries[i].line;
                return refuse(reader, "'%.60s' n=%lld was already given on line %d",
                              entries[i].problem, entries[i].n, entries[i - 1].line);
            }
    }
    return 1;
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
    return sort_sections(reader) && sort_entries(reader);
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
        capacity = capacity ? capacity * 2 : READ_BYTES;
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
    return text;
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
    free(tuned);
}

/* ---- finding ---- */

static int may_be_equal(long long a, long long b)
{
    return a == 0 || b == 0 || a == b;
}

static const struct section *find_section(const struct tuned *tuned,
                                          const struct tuned_device *device)
{
    size_t low = 0, high = tuned->section_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_section(tuned->by_name[middle], device->kind, device->name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < tuned->section_count; low++) {
        const struct tuned_device *found = &tuned->by_name[low]->device;
        if (compare_section(tuned->by_name[low], device->kind, device->name) != 0)
            return NULL;
        if (may_be_equal(found->unit_count, device->unit_count) &&
            (device->compute_capability_major == 0 || found->compute_capability_major == 0 ||
             (found->compute_capability_major == device->compute_capability_major &&
              found->compute_capability_minor == device->compute_capability_minor)))
            return tuned->by_name[low];
    }
    return NULL;
}

/* The section's entry for the problem of the nearest size; of two equally near the smaller. */
static const struct tuned_entry *find_entry(const struct tuned *tuned,
                                            const struct section *section, const char *problem,
                                            long long n)
{
    if (section->entry_count == 0)
        return NULL;
    const struct tuned_entry *entries = tuned->entries + section->first_entry;
    size_t low = 0, high = section->entry_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_entry(&entries[middle], problem, n) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct tuned_entry *above = low < section->entry_count ? &entries[low] : NULL;
    const struct tuned_entry *below = low > 0 ? &entries[low - 1] : NULL;
    if (above && strcmp(above->problem, problem) != 0)
        above = NULL;
    if (below && strcmp(below->problem, problem) != 0)
        below = NULL;
    if (!above || !below || above->n == n)
        return above ? above : below;
    /* n / below <= above / n */
    return (double)n * (double)n <= (double)below->n * (double)above->n ? below : above;
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

static const struct tuned_entry *find_elsewhere(const struct tuned *tuned,
                                                const struct tuned_device *device,
                                                const char *problem, long long n)
{
    const struct tuned_entry *best = NULL;
    for (size_t i = 0; i < tuned->section_count; i++) {
        const struct section *section = tuned->by_name[i];
        if (strcmp(section->device.kind, device->kind) != 0)
            continue;
        if (best &&
            compare_likeness(device, &section->device, &tuned->sections[best->section].device) >= 0)
            continue;
        const struct tuned_entry *entry = find_entry(tuned, section, problem, n);
        best = entry ? entry : best;
    }
    return best;
}

enum tuned_grade tuned_find(const struct tuned *tuned, const struct tuned_device *device,
                            const char *problem, long long n, struct tuned_answer *answer)
{
    *answer = (struct tuned_answer){
        .grade = TUNED_NONE, .tuned = tuned, .device = device, .problem = problem, .n = n};
    if (!tuned || !device || !device->kind || !problem)
        return TUNED_NONE;
    const struct section *section = device->name ? find_section(tuned, device) : NULL;
    const struct tuned_entry *entry = section ? find_entry(tuned, section, problem, n) : NULL;
    if (entry) {
        answer->grade = entry->n == n ? TUNED_EXACT : TUNED_NEAREST_SIZE;
    } else {
        entry = find_elsewhere(tuned, device, problem, n);
        answer->grade = entry ? TUNED_OTHER_DEVICE : TUNED_NONE;
    }
    answer->entry = entry;
    return answer->grade;
}

const char *tuned_grade_name(enum tuned_grade grade)
{
    static const char *const names[] = {"none", "other device", "nearest size", "exact"};
    return (unsigned)grade <= TUNED_EXACT ? names[grade] : names[TUNED_NONE];
}

static void explain_other(const struct tuned_answer *answer, char *out, size_t bytes)
{
    static const char *const likeness[] = {"the same compute capability",
                                           "the same major compute capability",
                                           "another compute capability"};
    const struct tuned_device *asked = answer->device, *found = tuned_entry_device(answer->entry);
    const char *unit = strcmp(found->kind, "cpu") == 0 ? "cores" : "SMs";
    int is_gpu = found->compute_capability_major > 0;
    snprintf(out, bytes,
             "%.60s was never tuned on %.60s; taken from %.60s%s%s (%d %s; here %d), "
             "measured at n = %lld%s",
             answer->problem, asked->name ? asked->name : "this device", found->name,
             is_gpu ? ", of " : "", is_gpu ? likeness[capability_distance(asked, found)] : "",
             found->unit_count, unit, asked->unit_count, answer->entry->n,
             answer->entry->n == answer->n ? "" : ", the nearest size there");
}

void tuned_reason(const struct tuned_answer *answer, char *out, size_t bytes)
{
    const struct tuned_entry *entry = answer->entry;
    if (bytes == 0)
        return;
    if (answer->grade == TUNED_EXACT)
        snprintf(out, bytes, "measured on %.60s at n = %lld", tuned_entry_device(entry)->name,
                 entry->n);
    else if (answer->grade == TUNED_NEAREST_SIZE)
        snprintf(out, bytes, "n = %lld was never tuned on %.60s; n = %lld is the nearest size",
                 answer->n, tuned_entry_device(entry)->name, entry->n);
    else if (answer->grade == TUNED_OTHER_DEVICE)
        explain_other(answer, out, bytes);
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
        entry ? find_field(entry->tuned->fields + entry->first_field, entry->value_count, name)
              : NULL;
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
    struct field field = {NULL, NULL};
    if (index < tuned_value_count(entry))
        field = entry->tuned->fields[entry->first_field + index];
    *name = field.name;
    *value = field.value;
}

const char *tuned_evidence_text(const struct tuned_entry *entry, const char *name,
                                const char *otherwise)
{
    const char *text =
        entry ? find_field(entry->tuned->fields + entry->first_field + entry->value_count,
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
    return entry->n;
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
