/* What the kernel's own text says of its parameters: how many there are, and the plain ones' types.
 */
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/exchange/internal.h"

const char *t1_kernel_text(struct translation *t)
{
    const char *file = json_string_value(json_member(t->kernel, "KernelFile"));
    const char *slash = strrchr(t->path, '/');
    struct error ignored = {0};
    char *text = NULL;
    if (file && file[0] != '/' && slash)
        file = t1_printf(t, "%.*s/%s", (int)(slash - t->path), t->path, file);
    return file && file_read(t->arena, file, (size_t)16 << 20, &text, NULL, &ignored) == STATUS_OK
               ? text
               : NULL;
}

/* Comments become blanks. */
static char *without_comments(struct translation *t, const char *text)
{
    char *copy = text ? arena_strdup(t->arena, text) : NULL;
    for (char *c = copy; c && *c; c++) {
        bool line = c[0] == '/' && c[1] == '/';
        if (!line && !(c[0] == '/' && c[1] == '*'))
            continue;
        const char *end = strstr(c + 2, line ? "\n" : "*/");
        size_t length = end ? (size_t)(end - c) + (line ? 0 : 2) : strlen(c);
        memset(c, ' ', length);
        c += length > 0 ? length - 1 : 0;
    }
    return copy;
}

/* Behind `NAME (`, where the last __global__ before it is this kernel's. */
static const char *find_list(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(text, name); at && length > 0; at = strstr(at + 1, name)) {
        const char *open = at + length + strspn(at + length, " \t\r\n");
        const char *before = at;
        if (*open != '(' || (at > text && name_goes_on(at[-1])))
            continue;
        while (before > text && !strchr(";{}", before[-1]))
            before--;
        const char *mark = strstr(before, "__global__");
        if (mark && mark < at)
            return open + 1;
    }
    return NULL;
}

/* Without qualifiers and without the name behind it, words parted by one blank; NULL: no number. */
static const char *type_of(struct translation *t, const char *text, size_t length)
{
    static const char *const passed_over[] = {"const", "volatile", "__grid_constant__", "signed",
                                              "int"};
    struct text words = {0};
    const char *end = text + length;
    bool whole = false;
    size_t count = 0;
    for (const char *at = text; at < end;) {
        size_t used = 0;
        while (at + used < end && name_goes_on(at[used]))
            used++;
        if (used == 0 && (strchr("*&[<", *at) || *at == '#')) {
            text_free(&words);
            return NULL;
        }
        bool skipped = used == 0;
        for (size_t i = 0; i < sizeof passed_over / sizeof *passed_over; i++)
            skipped |= used == strlen(passed_over[i]) && strncmp(at, passed_over[i], used) == 0;
        whole |= used == 3 && strncmp(at, "int", 3) == 0;
        if (!skipped)
            text_printf(&words, "%s%.*s", count++ ? " " : "", (int)used, at);
        at += used ? used : 1;
    }
    /* The last word is the parameter's name. */
    char *last = words.data ? strrchr(words.data, ' ') : NULL;
    const char *type =
        last ? t1_printf(t, "%.*s", (int)(last - words.data), words.data) : (whole ? "int" : "");
    text_free(&words);
    return type;
}

static const char *element_of(const char *type)
{
    static const char *const known[][2] = {
        {"int", "i32"},
        {"unsigned", "u32"},
        {"uint", "u32"},
        {"int32_t", "i32"},
        {"uint32_t", "u32"},
        {"long", "i64"},
        {"long long", "i64"},
        {"unsigned long", "u64"},
        {"unsigned long long", "u64"},
        {"int64_t", "i64"},
        {"uint64_t", "u64"},
        {"size_t", "u64"},
        {"short", "i16"},
        {"unsigned short", "u16"},
        {"int16_t", "i16"},
        {"uint16_t", "u16"},
        {"char", "i8"},
        {"unsigned char", "u8"},
        {"int8_t", "i8"},
        {"uint8_t", "u8"},
        {"float", "f32"},
        {"double", "f64"},
    };
    for (size_t i = 0; type && i < sizeof known / sizeof *known; i++)
        if (strcmp(type, known[i][0]) == 0)
            return known[i][1];
    return NULL;
}

void t1_read_parameters(struct translation *t)
{
    const char *name = json_string_value(json_member(t->kernel, "KernelName"));
    const char *text = without_comments(t, t1_kernel_text(t));
    const char *at = text && name ? find_list(text, name) : NULL;
    size_t depth = 0;
    t->takes = -1;
    if (!at)
        return;
    int count = 0;
    const char *first = at;
    for (; *at && !(depth == 0 && *at == ')'); at++) {
        depth += strchr("(<[", *at) ? 1 : 0;
        depth -= strchr(")>]", *at) && depth > 0 ? 1 : 0;
        if (*at == '#' || count == ARGUMENTS_MAX)
            return; /* which of them there are, only the compiler knows */
        if (depth > 0 || *at != ',')
            continue;
        t->parameter_types[count++] = element_of(type_of(t, first, (size_t)(at - first)));
        first = at + 1;
    }
    if (!*at)
        return;
    t->parameter_types[count++] = element_of(type_of(t, first, (size_t)(at - first)));
    t->takes = count;
}

/* Of all that is no dynamic shared memory: how many, and those for constant memory among them. */
static void count_arguments(struct translation *t, int *all, int *constants)
{
    const json_t *argument;
    size_t index;
    *all = *constants = 0;
    json_array_foreach(t1_arguments(t), index, argument)
    {
        *all += t1_is_local(argument) ? 0 : 1;
        *constants += t1_is_symbol(t, argument) ? 1 : 0;
    }
}

bool t1_passes_symbols(struct translation *t)
{
    int all = 0;
    int constants = 0;
    count_arguments(t, &all, &constants);
    return t->dialect == T1_KERNEL_TUNER && constants > 0 && t->takes == all;
}

const char *t1_parameter_type(struct translation *t, size_t index)
{
    int all = 0;
    int constants = 0;
    int place = 0;
    bool passes = t1_passes_symbols(t);
    count_arguments(t, &all, &constants);
    if (t->takes != (passes ? all : all - constants))
        return NULL;
    for (size_t i = 0; i < index; i++) {
        const json_t *argument = json_array_get(t1_arguments(t), i);
        place += t1_is_local(argument) || (t1_is_symbol(t, argument) && !passes) ? 0 : 1;
    }
    return place < t->takes ? t->parameter_types[place] : NULL;
}
