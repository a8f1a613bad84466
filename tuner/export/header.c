/* tuned.conf as a header for C99 and C++11. */
#include "tuner/export/header.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "tuner/base/arena.h"
#include "tuner/base/array.h"
#include "tuner/base/hash.h"
#include "tuner/device/traits.h"
#include "tuner/export/embedded.h"
#include "tuner/export/internal.h"

/* What all problems share: tuner/export/header_common.inc. The choice is libtuned's, as far as
 * name, compute capability, units and n tell. */

enum { HEADER_FIELDS_MAX = 128, SCALED_MAX = 32 };
enum field_type { FIELD_INTEGER, FIELD_BOOLEAN, FIELD_REAL, FIELD_TEXT };

struct header_field {
    const char *name;       /* in tuned.conf */
    const char *identifier; /* in the header */
    enum field_type type;
    bool is_words; /* all texts are identifiers */
    int bit;       /* of a row's per_unit; -1: no entry names it there */
};

/* A value's type is the same in all problems of the file, so that it hangs on no single winner. */
struct value_type {
    const char *name;
    enum field_type type;
};

struct header {
    struct arena arena;
    struct value_type *types;
    size_t type_count, type_capacity;
    struct text *out;
    const char *problem, *identifier;
    const struct tuned_entry **entries; /* of the problem, as they stand in the file */
    size_t entry_count;
    struct header_field fields[HEADER_FIELDS_MAX];
    size_t field_count;
    int bit_count;
    const char **configurations; /* their values, as C initialisers */
    size_t configuration_count;
    size_t *by_hash; /* of them: numbers from 1, 0 where there is none; a power of two of them */
    size_t hash_slots;
    /* What values are elsewhere: statements that set them, each set once; 0 is none. */
    const char **formulas;
    size_t formula_count;
    bool is_old; /* of a format that does not say what launches need */
};

/* ---- names ---- */

static bool is_keyword(const char *word)
{
    static const char keywords[] =
        " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t "
        "char32_t class compl const const_cast constexpr continue decltype default delete do "
        "double "
        "dynamic_cast else enum explicit export extern false float for friend goto if inline int "
        "long mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
        "protected public register reinterpret_cast restrict return short signed sizeof static "
        "static_assert static_cast struct switch template this thread_local throw true try typedef "
        "typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq grade "
        "low high configuration ";
    const char *at = keywords;
    size_t length = strlen(word);
    while ((at = strstr(at, word))) {
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
        at += length;
    }
    return false;
}

/* A word that C and C++ take for a name, and that is none of their own. */
static bool is_identifier(const char *word)
{
    for (const char *c = word; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return word[0] != '\0' && !isdigit((unsigned char)word[0]) && !is_keyword(word);
}

/* "cache.mode" is cache_mode; words of the language get a '_' behind. NULL: memory is short. */
static const char *identifier_of(struct arena *arena, const char *name)
{
    char *identifier = arena_strdup(arena, name);
    for (char *c = identifier; c && *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return identifier && is_keyword(identifier) ? arena_printf(arena, "%s_", identifier)
                                                : identifier;
}

/* ---- fields ---- */

static bool is_integer(const struct tuned_entry *entry, const char *name)
{
    return tuned_integer(entry, name, 0) == tuned_integer(entry, name, 1);
}

static bool is_real(const struct tuned_entry *entry, const char *name)
{
    return !(tuned_real(entry, name, 0) != tuned_real(entry, name, 1));
}

static bool is_boolean(const char *value)
{
    return strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
}

static enum field_type type_of(const struct tuned_entry *entry, const char *name, const char *value)
{
    if (is_boolean(value))
        return FIELD_BOOLEAN;
    if (is_integer(entry, name))
        return FIELD_INTEGER;
    return is_real(entry, name) ? FIELD_REAL : FIELD_TEXT;
}

static enum field_type common_type(enum field_type a, enum field_type b)
{
    if (a == b)
        return a;
    bool numbers =
        (a == FIELD_INTEGER || a == FIELD_REAL) && (b == FIELD_INTEGER || b == FIELD_REAL);
    return numbers ? FIELD_REAL : FIELD_TEXT;
}

/* The type of a value of that name; NULL: memory is short. A new one's is `type`. */
static struct value_type *find_type(struct header *header, const char *name, enum field_type type)
{
    size_t i = 0;
    while (i < header->type_count && strcmp(header->types[i].name, name) != 0)
        i++;
    if (i == header->type_count) {
        if (!array_grow(&header->types, i, &header->type_capacity, sizeof *header->types))
            return NULL;
        header->types[header->type_count++] = (struct value_type){name, type};
    }
    return &header->types[i];
}

static enum status find_types(struct header *header, const struct tuned *tuned, struct error *error)
{
    for (size_t i = 0; i < tuned_entry_count(tuned); i++) {
        const struct tuned_entry *entry = tuned_entry_at(tuned, i);
        for (size_t j = 0; j < tuned_value_count(entry); j++) {
            const char *name = NULL, *value = NULL;
            tuned_value_at(entry, j, &name, &value);
            const enum field_type type = type_of(entry, name, value);
            struct value_type *known = find_type(header, name, type);
            if (!known)
                return error_no_memory(error);
            known->type = common_type(known->type, type);
        }
    }
    return STATUS_OK;
}

static enum status refuse_pair(const struct header *header, const char *a, const char *b,
                               struct error *error)
{
    return error_set(error, STATUS_BAD_INPUT,
                     "%s: '%s' and '%s' would be one name in C; rename one in the experiment",
                     header->problem, a, b);
}

static enum status take_value(struct header *header, const struct tuned_entry *entry,
                              const char *name, const char *value, struct error *error)
{
    const char *per_unit = tuned_evidence_text(entry, "per_unit", NULL);
    const char *identifier = identifier_of(&header->arena, name);
    const struct value_type *known = find_type(header, name, FIELD_TEXT);
    size_t i = 0;
    if (!identifier || !known)
        return error_no_memory(error);
    while (i < header->field_count && strcmp(header->fields[i].identifier, identifier) != 0)
        i++;
    struct header_field *field = &header->fields[i];
    if (i < header->field_count && strcmp(field->name, name) != 0)
        return refuse_pair(header, name, field->name, error);
    if (i == HEADER_FIELDS_MAX)
        return error_set(error, STATUS_BAD_INPUT, "%s: more than %d values", header->problem,
                         HEADER_FIELDS_MAX);
    if (i == header->field_count)
        header->fields[header->field_count++] =
            (struct header_field){name, identifier, known->type, true, -1};
    field->is_words = field->is_words && is_identifier(value);
    if (field->bit < 0 && lists_name(per_unit, name))
        field->bit = header->bit_count++;
    if (field->bit < SCALED_MAX)
        return STATUS_OK;
    return error_set(error, STATUS_BAD_INPUT, "%s: more than %d values in per_unit",
                     header->problem, SCALED_MAX);
}

static enum status find_fields(struct header *header, struct error *error)
{
    header->field_count = 0;
    header->bit_count = 0;
    for (size_t i = 0; i < header->entry_count; i++) {
        const struct tuned_entry *entry = header->entries[i];
        for (size_t j = 0; j < tuned_value_count(entry); j++) {
            const char *name = NULL, *value = NULL;
            tuned_value_at(entry, j, &name, &value);
            enum status status = take_value(header, entry, name, value, error);
            if (status != STATUS_OK)
                return status;
        }
    }
    return STATUS_OK;
}

/* ---- values ---- */

static void append_string(struct text *out, const char *value)
{
    text_append(out, "\"");
    for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
        if (*c == '"' || *c == '\\' || *c == '?')
            text_printf(out, "\\%c", *c);
        else if (*c < ' ' || *c > '~')
            text_printf(out, "\\%03o", *c);
        else
            text_append_bytes(out, c, 1);
    }
    text_append(out, "\"");
}

/* `word`: a text that is an identifier stands as it is. */
static void append_c(struct text *out, const struct header_field *field,
                     const struct tuned_entry *entry, bool word)
{
    const char *value = tuned_text(entry, field->name, NULL);
    if (field->type == FIELD_TEXT && word && field->is_words)
        text_append(out, value ? value : "none");
    else if (field->type == FIELD_TEXT)
        append_string(out, value ? value : "");
    else if (field->type == FIELD_BOOLEAN)
        text_append(out, value && strcmp(value, "true") == 0 ? "1" : "0");
    else if (field->type == FIELD_REAL)
        text_printf(out, "%.17g", tuned_real(entry, field->name, 0));
    else if (tuned_integer(entry, field->name, 0) == LLONG_MIN) /* C has no such number */
        text_append(out, "(-9223372036854775807LL - 1)");
    else
        text_printf(out, "%lldLL", tuned_integer(entry, field->name, 0));
}

static void append_values(struct text *out, const struct header *header,
                          const struct tuned_entry *entry, bool words)
{
    for (size_t i = 0; i < header->field_count; i++) {
        text_append(out, i > 0 ? ", " : "");
        append_c(out, &header->fields[i], entry, words);
    }
}

/* Its number, from 1; *is_new: nobody before has these values. */
static enum status number_of(struct header *header, const struct tuned_entry *entry, size_t *number,
                             bool *is_new, struct error *error)
{
    struct text values = {0};
    append_values(&values, header, entry, false);
    const char *text = values.failed ? NULL : arena_strdup(&header->arena, text_string(&values));
    text_free(&values);
    if (!text)
        return error_no_memory(error);
    size_t slot = hash_u64(text, strlen(text), 0) & (header->hash_slots - 1);
    while (header->by_hash[slot] > 0 &&
           strcmp(header->configurations[header->by_hash[slot] - 1], text) != 0)
        slot = (slot + 1) & (header->hash_slots - 1);
    *is_new = header->by_hash[slot] == 0;
    if (*is_new) {
        header->configurations[header->configuration_count++] = text;
        header->by_hash[slot] = header->configuration_count;
    }
    *number = header->by_hash[slot];
    return STATUS_OK;
}

/* ---- writing ---- */

static void put_struct(struct header *header)
{
    static const char *const types[] = {"long long ", "int ", "double ", "const char *"};
    text_printf(header->out,
                "\n/* %s. `configuration` counts from 1; 0 when nothing is known (grade 0). */\n"
                "struct tuned_%s_answer {\n    int grade, configuration;\n    long long low, high; "
                "/* n that "
                "the entry holds for */\n",
                header->problem, header->identifier);
    for (size_t i = 0; i < header->field_count; i++)
        text_printf(header->out, "    %s%s;\n", types[header->fields[i].type],
                    header->fields[i].identifier);
    text_append(header->out, "};\n");
}

/* Room for as many as the problem has entries, at most half full. */
static enum status forget_configurations(struct header *header, struct error *error)
{
    header->configuration_count = 0;
    header->hash_slots = 4;
    while (header->hash_slots < 2 * header->entry_count)
        header->hash_slots *= 2;
    header->by_hash = arena_alloc(&header->arena, header->hash_slots, sizeof *header->by_hash);
    header->configurations =
        arena_alloc(&header->arena, header->entry_count + 1, sizeof *header->configurations);
    header->formulas =
        arena_alloc(&header->arena, header->entry_count + 1, sizeof *header->formulas);
    return header->by_hash && header->configurations && header->formulas ? STATUS_OK
                                                                         : error_no_memory(error);
}

/* Each configuration once, for what must be known when a program is compiled. */
static enum status put_list(struct header *header, struct error *error)
{
    struct text *out = header->out;
    text_printf(out, "/* X(configuration");
    for (size_t i = 0; i < header->field_count; i++)
        text_printf(out, ", %s", header->fields[i].identifier);
    text_printf(out, ") of each. */\n#define TUNED_CONFIGURATIONS_%s(X_)", header->identifier);
    enum status begun = forget_configurations(header, error);
    if (begun != STATUS_OK)
        return begun;
    for (size_t i = 0; i < header->entry_count; i++) {
        const struct tuned_entry *entry = header->entries[i];
        size_t number = 0;
        bool is_new = false;
        enum status status = number_of(header, entry, &number, &is_new, error);
        if (status != STATUS_OK)
            return status;
        if (!is_new)
            continue;
        text_printf(out, " \\\n    X_(%zu, ", number);
        append_values(out, header, entry, true);
        text_append(out, ")");
    }
    text_append(out, "\n");
    return STATUS_OK;
}

static unsigned scaled_mask(const struct header *header, const struct tuned_entry *entry)
{
    const char *names = tuned_evidence_text(entry, "per_unit", NULL);
    unsigned mask = 0;
    for (size_t i = 0; i < header->field_count; i++)
        if (lists_name(names, header->fields[i].name))
            mask |= 1u << header->fields[i].bit;
    return mask;
}

/* ---- formulas ---- */

static const struct header_field *find_field(const struct header *header, const char *name,
                                             size_t length)
{
    for (size_t i = 0; i < header->field_count; i++)
        if (strlen(header->fields[i].name) == length &&
            strncmp(header->fields[i].name, name, length) == 0)
            return &header->fields[i];
    return NULL;
}

static bool is_function(const char *name, size_t length)
{
    return (length == 3 && (strncmp(name, "min", 3) == 0 || strncmp(name, "max", 3) == 0)) ||
           (length == 8 && strncmp(name, "ceil_div", 8) == 0);
}

/* A formula of tuned.conf as a C expression. False: it is none that C is sure to evaluate alike. */
static bool translate(const struct header *header, const char *formula, struct text *out)
{
    int commas[64] = {0};
    bool calls[64] = {false};
    int depth = 0;
    if (strchr(formula, '-') && strpbrk(formula, "/%")) /* what is below zero is not divided */
        return false;
    for (const char *at = formula; *at;) {
        size_t length =
            strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.0123456789");
        if (length > 0 && *at >= '0' && *at <= '9') {
            if (strspn(at, "0123456789") != length || length > 18)
                return false;
            text_printf(out, "%.*sLL", (int)length, at);
        } else if (length > 0 && at[length] == '(') {
            if (!is_function(at, length) || depth == 63)
                return false;
            text_printf(out, "tuned_header_%.*s(", (int)length, at);
            calls[++depth] = true;
            commas[depth] = 0;
            length++;
        } else if (length > 0) {
            const struct header_field *field = find_field(header, at, length);
            if ((length == 1 && *at == 'n') || (length == 5 && strncmp(at, "units", 5) == 0))
                text_printf(out, "%.*s", (int)length, at);
            else if (field && field->type == FIELD_INTEGER)
                text_printf(out, "answer.%s", field->identifier);
            else
                return false;
        } else if (*at == '(') {
            if (depth == 63)
                return false;
            calls[++depth] = false;
            commas[depth] = 0;
        } else if (*at == ')') {
            if (depth == 0 || commas[depth] != (calls[depth] ? 1 : 0))
                return false;
            depth--;
        } else if (*at == ',') {
            commas[depth]++;
        } else if (*at == '/' || *at == '%') { /* never by what may be 0 */
            if (at[1] < '1' || at[1] > '9')
                return false;
        } else if (!strchr("+-*", *at)) {
            return false;
        }
        if (length == 0) {
            text_append_bytes(out, at, 1);
            length = 1;
        }
        at += length;
    }
    return depth == 0 && commas[0] == 0;
}

/* The number of what is set for the entry, 0: nothing. */
static enum status formulas_of(struct header *header, const struct tuned_entry *entry,
                               size_t *number, struct error *error)
{
    struct text statements = {0};
    const char *measured = tuned_evidence_text(entry, "measured", NULL);
    for (size_t i = 0; i < header->field_count; i++) {
        const struct header_field *field = &header->fields[i];
        char name[256];
        struct text expression = {0};
        const char *formula = string_format(name, sizeof name, "formula.%s", field->name)
                                  ? tuned_evidence_text(entry, name, NULL)
                                  : NULL;
        bool is_translated =
            formula && field->type == FIELD_INTEGER && translate(header, formula, &expression);
        if (is_translated)
            text_printf(&statements, "            answer.%s = %s%s;\n", field->identifier,
                        strstr(formula, "units") ? "units <= 0 ? 0 : " : "",
                        text_string(&expression));
        else if ((formula || lists_name(measured, field->name)) && field->type == FIELD_INTEGER)
            text_printf(&statements,
                        "            if (!is_measured)\n                answer.%s = 0;\n",
                        field->identifier);
        statements.failed = statements.failed || expression.failed;
        text_free(&expression);
    }
    *number = 0;
    if (statements.length > 0) {
        while (*number < header->formula_count &&
               strcmp(header->formulas[*number], text_string(&statements)) != 0)
            ++*number;
        if (*number == header->formula_count)
            header->formulas[header->formula_count++] =
                arena_strdup(&header->arena, text_string(&statements));
        ++*number;
    }
    bool failed = statements.failed || (*number > 0 && !header->formulas[*number - 1]);
    text_free(&statements);
    return failed ? error_no_memory(error) : STATUS_OK;
}

/* ---- rows ---- */

/* "9.0" as 90000. */
static long capability_of(const char *text, char **end)
{
    long capability = strtol(text, end, 10) * 10000;
    if (**end == '.')
        capability += strtol(*end + 1, end, 10);
    return capability;
}

/* "8,9" as bits. */
static unsigned long long majors_of(const char *text)
{
    unsigned long long majors = 0;
    char *end = NULL;
    for (; text && *text; text = *end == ',' ? end + 1 : end)
        majors |= 1ULL << (strtoul(text, &end, 10) & 63);
    return majors;
}

/* As libtuned has them (read_capability_need, guess_cluster). */
static void append_needs(struct text *out, const struct header *header,
                         const struct tuned_entry *entry)
{
    const char *text = header->is_old ? NULL : tuned_evidence_text(entry, "capability", NULL);
    long long cluster = (long long)tuned_evidence(entry, "cluster", 0);
    long least = tuned_entry_device(entry)->compute_capability_major * 10000L;
    long most = INT_MAX;
    char *end = NULL;
    if (text) {
        least = capability_of(text, &end);
        most = *end == '-' ? capability_of(end + 1, &end) : most;
    }
    if (header->is_old)
        cluster = tuned_text(entry, "cluster_size", NULL) ? tuned_integer(entry, "cluster_size", 0)
                                                          : tuned_integer(entry, "cluster", 0);
    text_printf(out, "%ld, %ld, %lld, 0x%llxu", least, most, cluster,
                header->is_old ? 0 : majors_of(tuned_evidence_text(entry, "capabilities", NULL)));
}

/* The majors of a section: its own, or those that a portable one was measured on. */
static unsigned long long section_majors(const struct header *header,
                                         const struct tuned_entry *entry)
{
    const struct tuned_device *device = tuned_entry_device(entry);
    if (strcmp(device->name, "*") != 0)
        return device->compute_capability_major < 63 ? 1ULL << device->compute_capability_major : 0;
    if (header->is_old)
        return !device_traits(device->kind)->is_gpu ? 0 : 1ULL << 63;
    return majors_of(tuned_device_text(entry, "capabilities", NULL));
}

/* The rows, and beside them the devices that they are of. */
static enum status put_rows(struct header *header, struct text *devices, size_t *device_count,
                            struct error *error)
{
    const struct tuned_device *last = NULL;
    size_t first = 0;
    header->formula_count = 0;
    text_printf(header->out, "    static const struct tuned_header_row rows[] = {\n");
    for (size_t i = 0; i <= header->entry_count; i++) {
        const struct tuned_entry *entry = i < header->entry_count ? header->entries[i] : NULL;
        const struct tuned_device *device = entry ? tuned_entry_device(entry) : NULL;
        size_t number = 0;
        size_t formulas = 0;
        bool is_new = false;
        if (last && device != last)
            text_printf(devices, "%zu, 0x%llxu},\n", i - first,
                        section_majors(header, header->entries[i - 1]));
        if (!entry)
            break;
        if (device != last) {
            bool is_cpu_for_all =
                strcmp(device->name, "*") == 0 && !device_traits(device->kind)->is_gpu;
            text_append(devices, "        {");
            append_string(devices, device->name);
            text_printf(devices, ", %d, %d, %d, %zu, ", device->compute_capability_major,
                        is_cpu_for_all ? -1 : device->compute_capability_minor, device->unit_count,
                        i);
            first = i;
            ++*device_count;
        }
        last = device;
        enum status status = number_of(header, entry, &number, &is_new, error);
        if (status == STATUS_OK)
            status = formulas_of(header, entry, &formulas, error);
        if (status != STATUS_OK)
            return status;
        text_printf(header->out, "        {%lldLL, %lldLL, %lldLL, %zu, %zu, %uu, ",
                    tuned_entry_n_low(entry), tuned_entry_n_high(entry), tuned_entry_n(entry),
                    number, formulas, scaled_mask(header, entry));
        append_needs(header->out, header, entry);
        text_append(header->out, "},\n");
    }
    text_append(header->out, "    };\n");
    return STATUS_OK;
}

static void put_configurations(struct header *header)
{
    text_printf(header->out,
                "    static const struct tuned_%s_answer configurations[] = {\n        {0, 0, 0, 0",
                header->identifier);
    for (size_t i = 0; i < header->field_count; i++)
        text_append(header->out, header->fields[i].type == FIELD_TEXT ? ", \"\"" : ", 0");
    text_append(header->out, "},\n");
    for (size_t i = 0; i < header->configuration_count; i++)
        text_printf(header->out, "        {0, %zu, 0, 0, %s},\n", i + 1, header->configurations[i]);
    text_append(header->out, "    };\n");
}

/* What the row's values are at this n on this device. */
static void put_formulas(struct header *header)
{
    struct text *out = header->out;
    for (size_t i = 0; i < header->field_count; i++)
        if (header->fields[i].bit >= 0 && header->fields[i].type == FIELD_INTEGER)
            text_printf(out,
                        "        if (row->per_unit >> %d & 1)\n"
                        "            answer.%s = tuned_header_scaled(answer.%s, found->units, "
                        "units);\n",
                        header->fields[i].bit, header->fields[i].identifier,
                        header->fields[i].identifier);
    if (header->formula_count == 0)
        return;
    text_append(out, "        switch (row->formulas) {\n");
    for (size_t i = 0; i < header->formula_count; i++)
        text_printf(out, "        case %zu:\n%s            break;\n", i + 1, header->formulas[i]);
    text_append(out, "        default:\n            break;\n        }\n");
}

static void put_choice(struct header *header, size_t device_count)
{
    struct text *out = header->out;
    text_printf(out,
                "    const struct tuned_header_asked asked = {device, major, minor, units, n};\n"
                "    struct tuned_%s_answer answer = configurations[0];\n"
                "    const struct tuned_header_device *found = NULL;\n"
                "    int grade = TUNED_HEADER_NONE;\n"
                "    const struct tuned_header_row *row =\n"
                "        tuned_header_find(devices, %zu, rows, &asked, &found, &grade);\n"
                "    if (row) {\n"
                "        const int is_measured = grade == TUNED_HEADER_IN_RANGE && n == row->at;\n"
                "        answer = configurations[row->configuration];\n"
                "        answer.grade = grade;\n"
                "        answer.low = row->low;\n"
                "        answer.high = row->high;\n"
                "        (void)is_measured;\n",
                header->identifier, device_count);
    put_formulas(header);
    text_append(out, "    }\n    return answer;\n}\n");
}

static enum status put_function(struct header *header, struct error *error)
{
    struct text devices = {0};
    size_t device_count = 0;
    text_printf(
        header->out,
        "static inline struct tuned_%s_answer tuned_%s(const char *device, int major, int minor, "
        "int units,\n    long long n)\n{\n",
        header->identifier, header->identifier);
    enum status status = put_rows(header, &devices, &device_count, error);
    text_printf(header->out,
                "    static const struct tuned_header_device devices[] = {\n%s    };\n",
                text_string(&devices));
    put_configurations(header);
    put_choice(header, device_count);
    header->out->failed = header->out->failed || devices.failed;
    text_free(&devices);
    return status;
}

/* What the problem was measured with, for tuned_stale, where that is one thing. */
static void put_source(struct header *header)
{
    const char *source = tuned_evidence_text(header->entries[0], "source", NULL);
    for (size_t i = 1; source && i < header->entry_count; i++)
        if (strcmp(tuned_evidence_text(header->entries[i], "source", ""), source) != 0)
            return;
    if (!source)
        return;
    text_printf(header->out, "#define TUNED_SOURCE_%s ", header->identifier);
    append_string(header->out, source);
    text_append(header->out, "\n");
}

static enum status put_problem(struct header *header, struct error *error)
{
    enum status status = find_fields(header, error);
    if (status != STATUS_OK)
        return status;
    put_struct(header);
    put_source(header);
    status = put_list(header, error);
    return status == STATUS_OK ? put_function(header, error) : status;
}

/* ---- all problems ---- */

struct named_entry {
    const struct tuned_entry *entry;
    const char *problem;
    size_t place; /* in the file */
};

static int by_problem(const void *a, const void *b)
{
    const struct named_entry *x = a, *y = b;
    int order = strcmp(x->problem, y->problem);
    return order != 0 ? order : x->place < y->place ? -1 : x->place > y->place;
}

/* The entries, those of a problem together; entries[count].problem is NULL. */
static struct named_entry *sort_entries(struct header *header, const struct tuned *tuned)
{
    size_t count = tuned_entry_count(tuned);
    struct named_entry *entries = arena_alloc(&header->arena, count + 1, sizeof *entries);
    header->entries = arena_alloc(&header->arena, count + 1, sizeof *header->entries);
    if (!entries || !header->entries)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const struct tuned_entry *entry = tuned_entry_at(tuned, i);
        entries[i] = (struct named_entry){entry, tuned_entry_problem(entry), i};
    }
    qsort(entries, count, sizeof *entries, by_problem);
    return entries;
}

struct name_pair {
    const char *identifier, *problem;
};

static int by_identifier(const void *a, const void *b)
{
    const struct name_pair *x = a, *y = b;
    return strcmp(x->identifier, y->identifier);
}

static enum status check_identifiers(struct name_pair *pairs, size_t count, struct error *error)
{
    qsort(pairs, count, sizeof *pairs, by_identifier);
    for (size_t i = 1; i < count; i++) {
        const struct header one = {.problem = pairs[i].problem};
        if (strcmp(pairs[i].identifier, pairs[i - 1].identifier) == 0)
            return refuse_pair(&one, pairs[i].problem, pairs[i - 1].problem, error);
    }
    return STATUS_OK;
}

static enum status put_problems(struct header *header, const struct tuned *tuned, size_t *count,
                                struct error *error)
{
    struct named_entry *entries = sort_entries(header, tuned);
    struct name_pair *pairs =
        arena_alloc(&header->arena, tuned_entry_count(tuned) + 1, sizeof *pairs);
    enum status status = entries && pairs ? STATUS_OK : error_no_memory(error);
    *count = 0;
    for (size_t at = 0; status == STATUS_OK && entries[at].problem;) {
        header->problem = entries[at].problem;
        header->identifier = identifier_of(&header->arena, header->problem);
        if (!header->identifier)
            return error_no_memory(error);
        pairs[(*count)++] = (struct name_pair){header->identifier, header->problem};
        header->entry_count = 0;
        while (entries[at].problem && strcmp(entries[at].problem, header->problem) == 0)
            header->entries[header->entry_count++] = entries[at++].entry;
        status = put_problem(header, error);
    }
    return status == STATUS_OK ? check_identifiers(pairs, *count, error) : status;
}

enum status export_header(const struct conf_text *file, struct text *out, size_t *problems,
                          struct error *error)
{
    struct tuned_error refused;
    struct tuned *tuned = tuned_load_memory(file->text, file->bytes, file->name, &refused);
    if (!tuned)
        return error_set(error, STATUS_BAD_INPUT, "%s", refused.text);
    struct header header = {.out = out,
                            .is_old = file->bytes > 11 && strtol(file->text + 11, NULL, 10) < 4};
    size_t count = 0;
    text_printf(out,
                "/* Written by 'tune export --header' out of tuned.conf: for programs that load no "
                "file.\n"
                " * tuned_PROBLEM(name, major, minor, units, n): the device's name and compute "
                "capability (a\n"
                " * CPU's is 0.0), its multiprocessors or cores (0: unknown), the size. */\n"
                "#ifndef TUNED_CONFIGURATIONS_H\n#define TUNED_CONFIGURATIONS_H\n\n%s",
                header_common);
    enum status status = find_types(&header, tuned, error);
    if (status == STATUS_OK)
        status = put_problems(&header, tuned, &count, error);
    text_append(out, "\n#endif\n");
    if (status == STATUS_OK && out->failed)
        status = error_no_memory(error);
    if (problems)
        *problems = count;
    arena_free(&header.arena);
    free(header.types);
    tuned_free(tuned);
    return status;
}
