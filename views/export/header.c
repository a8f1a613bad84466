/* tuned.conf as a header for C99 and C++11. */
#include "views/export/configurations.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "tuner/base/arena.h"
#include "tuner/base/array.h"
#include "tuner/base/hash.h"
#include "tuner/base/index.h"
#include "views/export/internal.h"

/* The header holds the file, which libtuned reads: the choice is made in one place. */

enum { HEADER_FIELDS_MAX = 128 };
enum field_type { FIELD_INTEGER, FIELD_BOOLEAN, FIELD_REAL, FIELD_TEXT };

struct header_field {
    const char *name;       /* in tuned.conf */
    const char *identifier; /* in the header */
    enum field_type type;
    bool is_words; /* all texts are identifiers */
};

/* The type of a value, common to all problems of the file, so that no single winner changes a type.
 */
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
    const struct tuned_entry **entries; /* the problem's entries in file order */
    size_t entry_count;
    struct header_field fields[HEADER_FIELDS_MAX];
    size_t field_count;
    struct index numbers; /* of configurations, by the hash of their values */
    size_t configuration_count;
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

/* Returns true for an identifier of C and C++ that is no keyword. */
static bool is_identifier(const char *word)
{
    for (const char *c = word; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return word[0] != '\0' && !isdigit((unsigned char)word[0]) && !is_keyword(word);
}

/* Makes an identifier: "cache.mode" becomes cache_mode; keywords get a final '_'. Returns NULL if
 * memory is short. */
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

static enum field_type type_of(const struct tuned_entry *entry, const char *name, const char *value)
{
    if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
        return FIELD_BOOLEAN;
    /* A value that is no number gives the caller's default. */
    if (tuned_integer(entry, name, 0) == tuned_integer(entry, name, 1))
        return FIELD_INTEGER;
    return tuned_real(entry, name, 0) != tuned_real(entry, name, 1) ? FIELD_TEXT : FIELD_REAL;
}

/* Finds the type of a value's name, added as `type` if new. Returns NULL if memory is short. */
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
            const bool are_numbers = (known->type == FIELD_INTEGER || known->type == FIELD_REAL) &&
                                     (type == FIELD_INTEGER || type == FIELD_REAL);
            if (known->type != type)
                known->type = are_numbers ? FIELD_REAL : FIELD_TEXT;
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

static enum status take_value(struct header *header, const char *name, const char *value,
                              struct error *error)
{
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
            (struct header_field){name, identifier, known->type, true};
    field->is_words = field->is_words && is_identifier(value);
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

static void append_values(struct text *out, const struct header *header,
                          const struct tuned_entry *entry, bool words)
{
    for (size_t i = 0; i < header->field_count; i++) {
        text_append(out, i > 0 ? ", " : "");
        /* Appends a value in C. `word`: texts that are identifiers stay unquoted. */
        const struct header_field *field = &header->fields[i];
        const char *value = tuned_text(entry, field->name, NULL);
        if (field->type == FIELD_TEXT && words && field->is_words)
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
}

/* Finds the number of an entry's configuration, from 1; *is_new if no earlier entry has these
 * values. */
static enum status number_of(struct header *header, const struct tuned_entry *entry, size_t *number,
                             bool *is_new, struct error *error)
{
    struct text values = {0};
    append_values(&values, header, entry, false);
    const uint64_t hash = hash_u64(text_string(&values), values.length, 0);
    const bool failed = values.failed;
    text_free(&values);
    TRY_MEMORY(!failed);
    *is_new = !index_find(&header->numbers, hash, number);
    if (!*is_new)
        return STATUS_OK;
    *number = ++header->configuration_count;
    return index_put(&header->numbers, hash, *number) ? STATUS_OK : error_no_memory(error);
}

/* ---- writing ---- */

/* Lists each configuration once, for constants needed at compile time. */
static enum status put_list(struct header *header, struct error *error)
{
    struct text *out = header->out;
    text_printf(out, "/* X(configuration");
    for (size_t i = 0; i < header->field_count; i++)
        text_printf(out, ", %s", header->fields[i].identifier);
    text_printf(out, ") of each. */\n#define TUNED_CONFIGURATIONS_%s(X_)", header->identifier);
    header->configuration_count = 0;
    index_free(&header->numbers);
    for (size_t i = 0; i < header->entry_count; i++) {
        const struct tuned_entry *entry = header->entries[i];
        size_t number = 0;
        bool is_new = false;
        TRY(number_of(header, entry, &number, &is_new, error));
        if (!is_new)
            continue;
        text_printf(out, " \\\n    X_(%zu, ", number);
        append_values(out, header, entry, true);
        text_append(out, ")");
    }
    text_append(out, "\n");
    return STATUS_OK;
}

/* Maps lines of the file to configurations' numbers. */
static enum status put_numbers(struct header *header, struct error *error)
{
    struct text *out = header->out;
    text_append(out, "    switch (tuned_entry_line(found.entry)) {\n");
    for (size_t configuration = 1; configuration <= header->configuration_count; configuration++) {
        for (size_t i = 0; i < header->entry_count; i++) {
            size_t number = 0;
            bool is_new = false;
            TRY(number_of(header, header->entries[i], &number, &is_new, error));
            if (number == configuration)
                text_printf(out, "    case %d:\n", tuned_entry_line(header->entries[i]));
        }
        text_printf(out, "        answer.configuration = %zu;\n        break;\n", configuration);
    }
    text_append(out, "    default:\n        break;\n    }\n");
    return STATUS_OK;
}

/* Writes each size besides n as identifiers after `before`; with `behind`, as statements that set
 * the name, then the identifier. */
static enum status put_sizes(struct header *header, const char *before, const char *behind,
                             struct error *error)
{
    const char *name = NULL;
    long long low = 0, high = 0;
    for (size_t i = 0; (name = tuned_entry_size_at(header->entries[0], i, &low, &high)); i++) {
        const char *identifier = identifier_of(&header->arena, name);
        if (!identifier)
            return error_no_memory(error);
        text_append(header->out, before);
        if (behind) {
            append_string(header->out, name);
            text_printf(header->out, ";\n%s", behind);
        }
        text_printf(header->out, behind ? "%s;\n" : "%s", identifier);
    }
    return STATUS_OK;
}

static enum status put_function(struct header *header, struct error *error)
{
    struct text *out = header->out;
    text_printf(out,
                "static inline struct tuned_%s_answer tuned_%s(const struct tuned *tuned,\n"
                "    const struct tuned_device *device, long long n",
                header->identifier, header->identifier);
    enum status named = put_sizes(header, ", long long size_", NULL, error);
    if (named != STATUS_OK)
        return named;
    text_printf(out,
                ")\n{\n"
                "    struct tuned_answer found;\n"
                "    struct tuned_%s_answer answer;\n",
                header->identifier);
    const bool has_sizes =
        tuned_entry_size_at(header->entries[0], 0, &(long long){0}, &(long long){0}) != NULL;
    if (has_sizes) {
        text_append(out, "    struct tuned_size sizes[TUNED_SIZES_MAX];\n"
                         "    size_t count = 0;\n");
        named =
            put_sizes(header, "    sizes[count].name = ", "    sizes[count++].size = size_", error);
        if (named != STATUS_OK)
            return named;
    }
    text_append(out, "    memset(&answer, 0, sizeof answer);\n"
                     "    answer.grade = tuned_find");
    text_append(out, has_sizes ? "_sizes(tuned, device, " : "(tuned, device, ");
    append_string(out, header->problem);
    text_append(out, has_sizes ? ", n, sizes, count, &found);\n" : ", n, &found);\n");
    for (size_t i = 0; i < header->field_count; i++) {
        const struct header_field *field = &header->fields[i];
        static const char *const calls[] = {[FIELD_INTEGER] = "tuned_answer_integer(&found, ",
                                            [FIELD_BOOLEAN] = "strcmp(tuned_text(found.entry, ",
                                            [FIELD_REAL] = "tuned_real(found.entry, ",
                                            [FIELD_TEXT] = "tuned_text(found.entry, "};
        static const char *const ends[] = {[FIELD_INTEGER] = ", 0)",
                                           [FIELD_BOOLEAN] = ", \"\"), \"true\") == 0",
                                           [FIELD_REAL] = ", 0)",
                                           [FIELD_TEXT] = ", \"\")"};
        text_printf(out, "    answer.%s = %s", field->identifier, calls[field->type]);
        append_string(out, field->name);
        text_printf(out, "%s;\n", ends[field->type]);
    }
    text_append(out, "    if (!found.entry)\n        return answer;\n"
                     "    answer.low = tuned_entry_n_low(found.entry);\n"
                     "    answer.high = tuned_entry_n_high(found.entry);\n");
    enum status status = put_numbers(header, error);
    text_append(out, "    return answer;\n}\n");
    return status;
}

/* Writes the problem's measured source for tuned_stale, if there is only one. */
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
    header->field_count = 0;
    for (size_t i = 0; i < header->entry_count; i++) {
        const struct tuned_entry *entry = header->entries[i];
        for (size_t j = 0; j < tuned_value_count(entry); j++) {
            const char *name = NULL, *value = NULL;
            tuned_value_at(entry, j, &name, &value);
            TRY(take_value(header, name, value, error));
        }
    }
    static const char *const types[] = {"long long ", "int ", "double ", "const char *"};
    text_printf(
        header->out,
        "\n/* %s. `configuration` counts from 1; 0 when nothing is known (grade 0). */\n"
        "struct tuned_%s_answer {\n    enum tuned_grade grade;\n    int configuration;\n    "
        "long long low, high; "
        "/* n that "
        "the entry holds for */\n",
        header->problem, header->identifier);
    for (size_t i = 0; i < header->field_count; i++)
        text_printf(header->out, "    %s%s;\n", types[header->fields[i].type],
                    header->fields[i].identifier);
    text_append(header->out, "};\n");
    put_source(header);
    enum status status = put_list(header, error);
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

struct name_pair {
    const char *identifier, *problem;
};

static int by_identifier(const void *a, const void *b)
{
    const struct name_pair *x = a, *y = b;
    return strcmp(x->identifier, y->identifier);
}

static enum status put_problems(struct header *header, const struct tuned *tuned, size_t *count,
                                struct error *error)
{
    const size_t all = tuned_entry_count(tuned);
    struct named_entry *entries = arena_alloc(&header->arena, all + 1, sizeof *entries);
    struct name_pair *pairs = arena_alloc(&header->arena, all + 1, sizeof *pairs);
    enum status status = STATUS_OK;
    header->entries = arena_alloc(&header->arena, all + 1, sizeof *header->entries);
    *count = 0;
    TRY_MEMORY(entries && pairs && header->entries);
    for (size_t i = 0; i < all; i++) {
        const struct tuned_entry *entry = tuned_entry_at(tuned, i);
        entries[i] = (struct named_entry){entry, tuned_entry_problem(entry), i};
    }
    /* entries[all].problem is NULL. */
    qsort(entries, all, sizeof *entries, by_problem);
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
    TRY(status);
    qsort(pairs, *count, sizeof *pairs, by_identifier);
    for (size_t i = 1; i < *count; i++) {
        const struct header one = {.problem = pairs[i].problem};
        if (strcmp(pairs[i].identifier, pairs[i - 1].identifier) == 0)
            return refuse_pair(&one, pairs[i].problem, pairs[i - 1].problem, error);
    }
    return STATUS_OK;
}

enum status export_header(const struct conf_text *file, struct text *out, size_t *problems,
                          struct error *error)
{
    struct tuned_error refused;
    struct tuned *tuned = tuned_load_memory(file->text, file->bytes, file->name, &refused);
    if (!tuned)
        return error_set(error, STATUS_BAD_INPUT, "%s", refused.text);
    struct header header = {.out = out};
    size_t count = 0;
    text_append(
        out, "/* Written by 'tune export --header' out of tuned.conf: for programs that load no "
             "file. Of a program\n"
             " * that links libtuned: tuned_header_load once, then tuned_PROBLEM(tuned, &device, "
             "n). */\n"
             "#ifndef TUNED_CONFIGURATIONS_H\n#define TUNED_CONFIGURATIONS_H\n\n"
             "#include <string.h>\n#include \"tuned.h\"\n\n"
             "#if defined(__GNUC__) && !defined(__cplusplus)\n"
             "__extension__\n#endif\nstatic const char tuned_header_text[] =");
    /* Writes the file's text, a string per line. */
    const char *end = file->text + file->bytes;
    for (const char *at = file->text; at < end;) {
        char line[256];
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline + 1 : end) - at);
        length = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, at, length);
        line[length] = '\0';
        text_append(out, "\n    ");
        append_string(out, line);
        at += length;
    }
    text_append(out,
                ";\n/* Contents of this header; freed by tuned_free. */\n"
                "static inline struct tuned *tuned_header_load(struct tuned_error *error)\n{\n"
                "    return tuned_load_memory(tuned_header_text, sizeof tuned_header_text - 1, ");
    append_string(out, file->name);
    text_append(out, ", error);\n}\n");
    enum status status = find_types(&header, tuned, error);
    if (status == STATUS_OK)
        status = put_problems(&header, tuned, &count, error);
    text_append(out, "\n#endif\n");
    if (status == STATUS_OK && out->failed)
        status = error_no_memory(error);
    if (problems)
        *problems = count;
    arena_free(&header.arena);
    index_free(&header.numbers);
    free(header.types);
    tuned_free(tuned);
    return status;
}
