/* The meaning of a configuration for the arguments: types, counts, values, symbols; and fills,
 * including series and files. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/array.h"
#include "tuner/base/fill.h"
#include "tuner/base/text.h"
#include "tuner/experiment/plan.h"
#include "tuner/experiment/series.h"
#include "tuner/experiment/token.h"

bool make_choice(struct maker *maker, const struct template *template, const char *subject,
                 const char *const *words, size_t count, size_t *out)
{
    const char *word = NULL;
    TRY_OR_FALSE(make_text(maker, template, &word));
    *out = WORD_INDEX(word, words, count);
    return *out < count || maker_error(maker, template->place, "no %s is named '%.60s'%s", subject,
                                       word, suggest(word, words, count).text);
}

bool make_type(struct maker *maker, const struct template *type, enum element_type *out)
{
    size_t index = 0;
    TRY_OR_FALSE(make_choice(maker, type, "type", element_names, ELEMENT_TYPE_COUNT, &index));
    *out = (enum element_type)index;
    return true;
}

bool make_alignment(struct maker *maker, const struct argument_rule *rule, enum element_type type,
                    uint32_t *out)
{
    enum { ALIGNMENT_MAX = 256 }; /* alignment of the devices' allocators */
    int64_t bytes = 0;
    *out = 0;
    TRY_OR_FALSE(make_integer(maker, &rule->alignment, "alignment", (int64_t)element_bytes(type),
                              ALIGNMENT_MAX, &bytes));
    if (bytes & (bytes - 1)) /* no address can be offset to such an alignment */
        return maker_error(maker, rule->alignment.place,
                           "alignment is %lld, which is not a power of two", (long long)bytes);
    *out = (uint32_t)bytes;
    return true;
}

/* Returns whether the nearest number of the type is finite. */
static bool holds_real(enum element_type type, double real)
{
    unsigned char element[sizeof(double)];
    element_from_real(real, type, element);
    return isfinite(element_to_real(element, type));
}

/* Evaluates a passed value and checks the type: reals finite, integers within the range. */
static bool make_passed(struct maker *maker, const struct formula *formula, enum element_type type,
                        const char *subject, struct value *out)
{
    int64_t least = 0;
    int64_t most = 0;
    int64_t integer = 0;
    double real = 0;
    if (element_is_real(type)) {
        TRY_OR_FALSE(make_value(maker, formula, out));
        if (!value_number(*out, &real) || !holds_real(type, real))
            return maker_error(maker, formula->place, "%s must be a number of that type", subject);
        *out = value_real(real);
        return true;
    }
    element_integer_range(type, &least, &most);
    TRY_OR_FALSE(make_integer(maker, formula, subject, least, most, &integer));
    *out = value_integer(integer);
    return true;
}

static bool make_struct(struct maker *maker, const struct argument_rule *rule, struct argument *out)
{
    struct field *fields = arena_alloc(maker->arena, rule->field_count, sizeof *fields);
    if (!fields)
        return maker_no_memory(maker);
    out->count = 1;
    out->field_count = rule->field_count;
    out->fields = fields;
    for (size_t i = 0; i < rule->field_count; i++) {
        const struct field_rule *field = &rule->fields[i];
        char subject[VALUE_TEXT_BYTES + 48];
        TRY_OR_FALSE(make_type(maker, &field->type, &fields[i].type));
        fields[i].points_to = field->points_to;
        if (field->points_to) { /* the vector may be made later: make_plan checks the end */
            int64_t offset = 0;
            TRY_OR_FALSE(
                make_integer(maker, &field->value, "offset", 0, INT64_C(1) << 48, &offset));
            fields[i].value = value_integer(offset);
            continue;
        }
        (void)string_format(subject, sizeof subject, "the value of field %zu of '%s' (%s)", i + 1,
                            rule->name, element_name(fields[i].type));
        TRY_OR_FALSE(make_passed(maker, &field->value, fields[i].type, subject, &fields[i].value));
    }
    return true;
}

bool make_count(struct maker *maker, const struct argument_rule *rule, int64_t *out)
{
    const int64_t most = INT64_C(1) << 48;
    *out = 0;
    return make_integer(maker, &rule->count, "count", role_is_filled(rule->role) ? 0 : 1, most,
                        out);
}

bool make_argument(struct maker *maker, const struct argument_rule *rule, struct argument *out)
{
    *out = (struct argument){.name = rule->name, .role = rule->role};
    if (rule->symbol.count > 0 && !make_text(maker, &rule->symbol, &out->symbol))
        return false;
    if (rule->role == ARGUMENT_STRUCT)
        return make_struct(maker, rule, out);
    TRY_OR_FALSE(make_type(maker, &rule->type, &out->type));
    if (rule->role == ARGUMENT_SCALAR) {
        char subject[VALUE_TEXT_BYTES + 32];
        (void)string_format(subject, sizeof subject, "the value of '%s' (%s)", rule->name,
                            element_name(out->type));
        out->count = 1;
        return make_passed(maker, &rule->value, out->type, subject, &out->scalar);
    }
    TRY_OR_FALSE(make_alignment(maker, rule, out->type, &out->alignment_bytes) &&
                 make_count(maker, rule, &out->count) &&
                 (!role_is_filled(rule->role) || make_fill(maker, rule, out)));
    /* Make a texture, within the limits of CUDA's textures over linear memory, and of its
     * surfaces. */
    enum { WIDTH_MAX = 1 << 27, SURFACE_WIDTH_MAX = 32768, SIDE_MAX = 131072, ROW_BYTES = 32 };
    const struct texture_rule *texture = &rule->texture;
    const size_t bytes = element_bytes(out->type);
    int64_t width = 0, height = 0, channels = 1;
    if (!texture->width.tree)
        return true;
    const bool surface = texture->fixed.is_surface;
    const char *subject = surface ? "surface" : "texture";
    const int64_t width_max = surface ? SURFACE_WIDTH_MAX : WIDTH_MAX;
    const int64_t most = texture->height.tree ? SIDE_MAX : width_max;
    TRY_OR_FALSE(make_integer(maker, &texture->width, "its width", 1, most, &width) &&
                 make_integer(maker, &texture->height, "its height", 1,
                              SIDE_MAX / (surface ? 2 : 1), &height) &&
                 make_integer(maker, &texture->channels, "channels", 1, 4, &channels));
    const bool narrow = !element_is_real(out->type) && bytes <= 2;
    if (bytes > 4 || out->type == ELEMENT_BF16 || channels == 3)
        return maker_error(maker, texture->place,
                           "%ss have 1, 2 or 4 channels of i8 to u32, f16 or f32", subject);
    if (texture->fixed.reads_real && !narrow)
        return maker_error(maker, texture->place, "read: normalized is of i8, u8, i16 and u16");
    if (texture->fixed.linear && !element_is_real(out->type) && !texture->fixed.reads_real)
        return maker_error(maker, texture->place,
                           "filter: linear is of reals, or of integers with read: normalized");
    const int64_t needed = width * channels * (height > 0 ? height : 1);
    if (needed > out->count || (surface && needed < out->count))
        return maker_error(maker, texture->place, "'%s' has %s, and the %s needs %lld", rule->name,
                           count_text((uint64_t)out->count, "element").text, subject,
                           (long long)needed);
    if (!surface && height > 0 && (size_t)(width * channels) * bytes % ROW_BYTES != 0)
        return maker_error(maker, texture->place,
                           "a row of the texture has %lld bytes: it must be a multiple of %d",
                           (long long)(width * channels) * (long long)bytes, ROW_BYTES);
    out->texture = texture->fixed;
    out->texture.width = (uint32_t)width;
    out->texture.height = (uint32_t)height;
    out->texture.channels = (uint32_t)channels;
    return true;
}

/* ---- series ---- */

/* Appends the text of the series with the values of all variables but i. */
static bool append_series(struct maker *maker, const struct formula *series, struct text *text)
{
    const struct scope *scope = &maker->experiment->series_scope;
    const struct source_text source = {.place = series->place, .text = series->text};
    struct token token = {0};
    size_t end = 0;
    for (;;) {
        struct value value;
        if (token_read(maker->arena, &source, end, &token, maker->error) != STATUS_OK)
            return false;
        if (token.kind == TOKEN_END)
            return true;
        text_append_bytes(text, series->text + end, token.offset - end);
        end = token.offset + token.length;
        const size_t slot = token.kind == TOKEN_NAME ? scope_find(scope, token.text) : SLOT_INDEX;
        if (slot >= SLOT_INDEX) { /* i, a function, or the variable of a comprehension */
            text_append_bytes(text, series->text + token.offset, token.length);
            continue;
        }
        const struct expression variable = {.kind = EXPRESSION_VARIABLE,
                                            .depth = 1,
                                            .index = (uint16_t)slot,
                                            .line = series->place.line,
                                            .column = series->place.column};
        const struct formula named = {.tree = &variable};
        TRY_OR_FALSE(make_value(maker, &named, &value));
        char number[VALUE_TEXT_BYTES];
        if (value.kind == VALUE_TEXT)
            text_printf(text, "'%s'", value.text);
        else if (value.kind == VALUE_BOOLEAN)
            text_append(text, value.integer ? "True" : "False");
        else if (value.kind == VALUE_INTEGER && value.integer == INT64_MIN)
            text_append(text, "(-9223372036854775807 - 1)");
        else if (value_format(value, number, sizeof number))
            text_printf(text, number[0] == '-' ? "(%s)" : "%s", number);
    }
}

bool make_series(struct maker *maker, const struct formula *series, int64_t count, const char **out)
{
    struct text text = {0};
    const struct scope *scope = maker->environment.scope;
    maker->environment.scope = &maker->experiment->series_scope;
    bool right = true;
    /* A number at the first and the last element: this finds errors common to all. */
    for (int end = 0; right && end < 2 && count > 0; end++) {
        double real = 0;
        environment_bind(&maker->environment, SLOT_INDEX, value_integer(end == 0 ? 0 : count - 1));
        right = make_real(maker, series, "an element of the series", -HUGE_VAL, HUGE_VAL, &real);
    }
    right = right && append_series(maker, series, &text);
    maker->environment.scope = scope;
    if (right && text.length > EXPRESSION_BYTES_MAX)
        right = maker_error(maker, series->place,
                            "the series has more than %d characters when its variables are "
                            "written out",
                            EXPRESSION_BYTES_MAX);
    *out = text_to_arena(&text, maker->arena);
    return right && (*out || maker_no_memory(maker));
}

/* ---- files ---- */

bool make_file_path(struct maker *maker, const struct template *file, const char **out)
{
    const char *name = NULL;
    char absolute[PATH_MAX];
    TRY_OR_FALSE(make_text(maker, file, &name));
    if (!path_near(maker->experiment, name, false, false, absolute))
        return maker_error(maker, file->place,
                           "there is no file '%.200s' in the folder of this file", name);
    *out = arena_strdup(maker->arena, absolute);
    return *out || maker_no_memory(maker);
}

bool file_holds(struct maker *maker, const char *path, struct place place, int64_t count,
                enum element_type type)
{
    struct stat info;
    const int64_t needed = count * (int64_t)element_bytes(type);
    if (maker->experiment->is_recorded)
        return true;
    if (stat(path, &info) != 0) {
        (void)error_set_errno(maker->error, errno, "%s", path);
        return false;
    }
    return info.st_size >= needed ||
           maker_error(maker, place, "the file %s has %s; %lld are needed for %s (%s)", path,
                       count_text((uint64_t)info.st_size, "byte").text, (long long)needed,
                       count_text((uint64_t)count, "element").text, element_name(type));
}

/* ---- fills ---- */

bool make_fill_kind(struct maker *maker, const struct fill_rule *rule, enum argument_fill *out)
{
    size_t index = 0;
    *out = rule->kind;
    if (rule->word.count == 0)
        return true;
    TRY_OR_FALSE(make_choice(maker, &rule->word, "fill", fill_names, FILL_RANDOM_ODD + 1, &index));
    *out = (enum argument_fill)index;
    return true;
}

/* Evaluates a number of a fill: of integers an integer within range. */
static bool make_fill_number(struct maker *maker, const struct formula *formula,
                             const char *subject, enum element_type type, double *out)
{
    const bool real = element_is_real(type);
    int64_t low = 0;
    int64_t high = 0;
    if (!real)
        element_integer_range(type, &low, &high);
    TRY_OR_FALSE(make_real(maker, formula, subject, real ? -HUGE_VAL : (double)low,
                           real ? HUGE_VAL : (double)high, out));
    if (!real && *out != floor(*out))
        return maker_error(maker, formula->place,
                           "%s must be an integer, since the elements are (%s), not %g", subject,
                           element_name(type), *out);
    return !real || holds_real(type, *out) ||
           maker_error(maker, formula->place, "%s must be within %s, not %g", subject,
                       element_name(type), *out);
}

bool make_fill(struct maker *maker, const struct argument_rule *argument, struct argument *out)
{
    const struct fill_rule *rule = &argument->fill;
    int64_t seed = 0;
    TRY_OR_FALSE(make_fill_kind(maker, rule, &out->fill) &&
                 make_integer(maker, &rule->seed, "seed", 0, INT64_MAX, &seed));
    /* A seed from name and axes, but not the size, so that the data for n are a prefix of those for
     * a larger n, and arguments differ from one another. */
    const char *name = argument->data_of ? argument->data_of : argument->name;
    const struct problem *problem = maker->problem;
    out->seed = rule->seed.tree ? (uint64_t)seed : hash_u64(name, strlen(name), 0);
    for (size_t i = 0; !rule->seed.tree && i < problem->axis_count; i++) {
        char value[VALUE_TEXT_BYTES];
        (void)value_format(problem->axes[i].value, value, sizeof value);
        out->seed = hash_u64(problem->axes[i].name, strlen(problem->axes[i].name), out->seed);
        out->seed = hash_u64(value, strlen(value), out->seed);
    }
    switch (out->fill) {
    case FILL_CONSTANT:
        return make_fill_number(maker, &rule->low, "the constant", out->type, &out->fill_low);
    case FILL_UNIFORM: {
        TRY_OR_FALSE(
            make_fill_number(maker, &rule->low, "the lower end", out->type, &out->fill_low) &&
            make_fill_number(maker, &rule->high, "the upper end", out->type, &out->fill_high));
        return out->fill_low < out->fill_high ||
               (!element_is_real(out->type) && out->fill_low == out->fill_high) ||
               maker_error(maker, rule->low.place,
                           "uniform from %g to %g: the first must be the smaller", out->fill_low,
                           out->fill_high);
    }
    case FILL_NORMAL: /* the deviation of integers may be 0 */
        return make_real(maker, &rule->low, "the mean", -HUGE_VAL, HUGE_VAL, &out->fill_low) &&
               make_real(maker, &rule->high, "the deviation", 0, HUGE_VAL, &out->fill_high);
    case FILL_SERIES:
        return make_series(maker, &rule->series, out->count, &out->fill_text);
    case FILL_FILE:
        return make_file_path(maker, &rule->file, &out->fill_text) &&
               file_holds(maker, out->fill_text, rule->file.place, out->count, out->type);
    default:
        return true;
    }
}
