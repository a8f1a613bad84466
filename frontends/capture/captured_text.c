/* Parts of an experiment file, made from captured launches. */
#include <math.h>
#include <string.h>

#include "frontends/capture/captured.h"
#include "tuner/base/array.h"
#include "tuner/base/pack.h"

const char *captured_number(const struct captured_set *set,
                            const int64_t values[CAPTURED_LAUNCHES_MAX])
{
    bool same = true;
    if (set->launch_count == 0)
        return "0";
    const int64_t times = values[0] / set->sizes[0];
    bool follows = times > 0;
    struct text list = {0};
    for (size_t i = 0; i < set->launch_count; i++) {
        same = same && values[i] == values[0];
        follows = follows && set->sizes[i] <= values[i] && values[i] / times == set->sizes[i] &&
                  values[i] % times == 0;
        text_printf(&list, "%s%lld", i ? ", " : "", (long long)values[i]);
    }
    same = same && (set->launch_count > 1 || values[0] != set->sizes[0]); /* that is n */
    const char *number = same      ? arena_printf(set->arena, "%lld", (long long)values[0])
                         : follows ? times == 1 ? arena_strdup(set->arena, set->question.size)
                                                : arena_printf(set->arena, "%lld * %s",
                                                               (long long)times, set->question.size)
                                   : arena_printf(set->arena, "[%s][_launch]", text_string(&list));
    text_free(&list);
    return number ? number : "0";
}

void captured_put_sizes(const struct captured_set *set, struct text *out)
{
    text_printf(out, "sizes:\n  %s: [", set->question.size);
    for (size_t i = 0; i < set->launch_count; i++)
        text_printf(out, "%s%lld", i ? ", " : "", (long long)set->sizes[i]);
    text_append(out, "]\n");
}

void captured_put_derived(const struct captured_set *set, struct text *out)
{
    if (set->launch_count < 2)
        return;
    text_append(out, "derived:\n  _launch: ");
    for (size_t i = 0; i + 1 < set->launch_count; i++)
        text_printf(out, "%s(%s > %lld)", i ? " + " : "", set->question.size,
                    (long long)set->sizes[i]);
    text_append(out, set->launch_count == 2 ? " + 0\n" : "\n");
}

/* ---- launches ---- */

uint32_t captured_block(const struct captured_set *set, size_t axis)
{
    return set->launches[set->default_launch]->is.block[axis];
}

struct covering {
    size_t axis;
    int64_t each; /* elements per block; 0: its threads */
    uint32_t at, bytes;
};

/* Returns true if a passed number n explains the grid: ceil_div(n, block). */
static bool covers(const struct captured_set *set, uint32_t at, uint32_t bytes, void *context)
{
    struct covering *covering = context;
    for (size_t i = 0; i < set->launch_count; i++) {
        const struct cap_launch *launch = &set->launches[i]->is;
        const int64_t block =
            covering->each > 0 ? covering->each : (int64_t)launch->block[covering->axis];
        int64_t n = 0;
        memcpy(&n, set->launches[i]->parameters + at, bytes);
        if (n < 1 || n > (INT64_C(1) << 40) ||
            (n + block - 1) / block != (int64_t)launch->grid[covering->axis])
            return false;
    }
    covering->at = at;
    covering->bytes = bytes;
    return true;
}

const char *captured_grid(const struct captured_set *set, size_t axis, const char *block,
                          int64_t each)
{
    int64_t blocks[CAPTURED_LAUNCHES_MAX], threads[CAPTURED_LAUNCHES_MAX];
    struct covering covering = {.axis = axis, .each = each};
    bool several = false;
    for (size_t i = 0; i < set->launch_count; i++) {
        const struct cap_launch *launch = &set->launches[i]->is;
        blocks[i] = launch->grid[axis];
        threads[i] = launch->grid[axis] * (each > 0 ? each : (int64_t)launch->block[axis]);
        several |= launch->grid[axis] > 1;
    }
    if (!block)
        return captured_number(set, blocks);
    for (size_t i = 0; several && i < set->kernel->is.parameter_count; i++) {
        const struct cap_parameter *parameter = &set->kernel->parameters[i];
        for (uint32_t at = parameter->offset; at + 4 <= parameter->offset + parameter->bytes;
             at += 4) {
            const uint32_t rest_bytes = parameter->offset + parameter->bytes - at;
            if (!covers(set, at, 4, &covering) &&
                !(rest_bytes >= 8 && at % 8 == 0 && covers(set, at, 8, &covering)))
                continue;
            for (size_t k = 0; k < set->launch_count; k++) {
                threads[k] = 0;
                memcpy(&threads[k], set->launches[k]->parameters + covering.at, covering.bytes);
            }
            const char *number = captured_number(set, threads);
            const char *grid = arena_printf(set->arena, "ceil_div(%s, %s)", number, block);
            return grid ? grid : "1";
        }
    }
    const char *grid =
        arena_printf(set->arena, "ceil_div(%s, %s)", captured_number(set, threads), block);
    return grid ? grid : "1";
}

/* ---- arguments ---- */

int64_t captured_integer(const struct captured_launch *launch, uint64_t at, uint32_t bytes)
{
    int64_t value = 0;
    if (at > launch->is.parameter_bytes || bytes > launch->is.parameter_bytes - at)
        return 0;
    memcpy(&value, launch->parameters + at, bytes);
    const unsigned shift = 64 - 8 * bytes; /* sign-extended from `bytes` */
    return shift ? (int64_t)((uint64_t)value << shift) >> shift : value;
}

static const char *number_at(const struct captured_set *set, uint32_t at, uint32_t bytes)
{
    int64_t values[CAPTURED_LAUNCHES_MAX] = {0};
    for (size_t i = 0; i < set->launch_count; i++)
        values[i] = captured_integer(set->launches[i], at, bytes);
    /* INT64_MIN cannot be written with a minus sign. */
    return values[0] == INT64_MIN ? "-9223372036854775807 - 1" : captured_number(set, values);
}

/* Returns the reals as written in C, if all are plain; otherwise NULL. */
static const char *real_at(const struct captured_set *set, uint32_t at, enum element_type type)
{
    struct text list = {0};
    bool plain = type == ELEMENT_F32 || type == ELEMENT_F64, same = true;
    double first = 0;
    for (size_t i = 0; plain && i < set->launch_count; i++) {
        double real = 0;
        float narrow = 0;
        memcpy(&narrow, set->launches[i]->parameters + at, sizeof narrow);
        memcpy(&real, set->launches[i]->parameters + at, type == ELEMENT_F64 ? 8 : 4);
        real = type == ELEMENT_F64 ? real : (double)narrow;
        first = i == 0 ? real : first;
        same = same && real == first && signbit(real) == signbit(first);
        plain = isfinite(real);
        text_printf(&list, "%s%.17g", i ? ", " : "", real);
    }
    const char *text = !plain ? NULL
                       : same ? arena_printf(set->arena, "%.17g", first)
                              : arena_printf(set->arena, "[%s][_launch]", text_string(&list));
    text_free(&list);
    return text;
}

static const char *integer_type(uint32_t bytes)
{
    return bytes == 8 ? "i64" : bytes == 4 ? "i32" : bytes == 2 ? "i16" : "i8";
}

static const struct captured_address *address_at(const struct captured_set *set, uint32_t at)
{
    for (size_t i = 0; i < set->address_count; i++)
        if (set->addresses[i].at == at)
            return &set->addresses[i];
    return NULL;
}

/* Appends a struct passed by value without a declaration: words, and addresses if any. */
static void put_words(const struct captured_set *set, uint32_t offset, uint32_t bytes,
                      struct text *out)
{
    const uint32_t word = bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
    text_append(out, "fields: [");
    for (uint32_t at = offset; at < offset + bytes;) {
        const struct captured_address *address = address_at(set, at);
        text_append(out, at > offset ? ", " : "");
        if (address) {
            const char *where = captured_number(set, address->offset);
            text_printf(out, "{pointer: %s", set->vectors[address->vector].name);
            text_printf(out, strcmp(where, "0") ? ", offset: \"%s\"}" : "}", where);
            at += 8;
            continue;
        }
        text_printf(out, "{type: %s, value: \"%s\"}", integer_type(word), number_at(set, at, word));
        at += word;
    }
    text_append(out, "]");
}

static void put_vector(const struct captured_set *set, const struct captured_vector *vector,
                       const char *folder, struct text *out)
{
    int64_t counts[CAPTURED_LAUNCHES_MAX];
    for (size_t i = 0; i < set->launch_count; i++)
        counts[i] = (int64_t)(vector->buffers[i]->is.bytes / element_bytes(vector->type));
    text_printf(out, "  - {name: %s, type: %s, count: \"%s\", ", vector->name,
                element_name(vector->type), captured_number(set, counts));
    if (vector->is_written && vector->is_output) {
        text_append(out, "output: true}\n");
        return;
    }
    text_printf(out, "%sfill: {file: \"%s/${%s}.%s.before\"}",
                vector->is_written ? "update: true, " : "", folder, set->question.size,
                vector->name);
    if (vector->symbol)
        text_printf(out, ", symbol: \"%s\"", vector->symbol);
    text_append(out, "}\n");
}

static void put_value(const struct captured_set *set, size_t i, struct text *out)
{
    const struct kernel_signature *signature = set->question.signature;
    const struct kernel_parameter *source =
        signature && i < signature->parameter_count ? &signature->parameters[i] : NULL;
    const struct cap_parameter *parameter = &set->kernel->parameters[i];
    const bool is_scalar = parameter->bytes == 1 || parameter->bytes == 2 ||
                           parameter->bytes == 4 || parameter->bytes == 8;
    const char *type = integer_type(parameter->bytes);
    const char *value = NULL;
    if (source)
        text_printf(out, "  - {name: %s, ", source->name);
    else
        text_printf(out, "  - {name: p%zu, ", i);
    if (!is_scalar || address_at(set, parameter->offset)) {
        put_words(set, parameter->offset, parameter->bytes, out);
        text_append(out, "}\n");
        return;
    }
    if (source && source->kind == PARAMETER_SCALAR && source->known &&
        element_bytes(source->type) == parameter->bytes) {
        if (element_is_real(source->type))
            value = real_at(set, parameter->offset, source->type);
        if (value || (!element_is_real(source->type) &&
                      (source->type == ELEMENT_I32 || source->type == ELEMENT_I64)))
            type = element_name(source->type);
    }
    text_printf(out, "type: %s, value: \"%s\"}\n", type,
                value ? value : number_at(set, parameter->offset, parameter->bytes));
}

const struct captured_vector *captured_vector_of(const struct captured_set *set, size_t parameter)
{
    const struct cap_parameter *passed = &set->kernel->parameters[parameter];
    const struct captured_address *address = address_at(set, passed->offset);
    if (!address || passed->bytes != 8)
        return NULL;
    for (size_t i = 0; i < set->launch_count; i++)
        if (address->offset[i] != 0)
            return NULL;
    for (const struct captured_address *other = set->addresses; other < address; other++)
        if (other->vector == address->vector)
            return NULL;
    return &set->vectors[address->vector];
}

void captured_put_arguments(const struct captured_set *set, const char *folder, struct text *out)
{
    bool is_written[CAPTURED_POINTERS_MAX] = {false};
    text_append(out, "arguments:\n");
    for (size_t i = 0; i < set->kernel->is.parameter_count; i++) {
        const struct captured_vector *vector = captured_vector_of(set, i);
        if (!vector) {
            put_value(set, i, out);
            continue;
        }
        is_written[vector - set->vectors] = true;
        put_vector(set, vector, folder, out);
    }
    for (size_t i = 0; i < set->vector_count; i++)
        if (!is_written[i])
            put_vector(set, &set->vectors[i], folder, out);
}

void captured_put_launch(const struct captured_set *set, const char *const grid[3],
                         const char *const block[3], const char *shared, struct text *out)
{
    const struct cap_launch *launch = &set->launches[set->default_launch]->is;
    text_printf(out, "    grid: [\"%s\", \"%s\", \"%s\"]\n", grid[0], grid[1], grid[2]);
    text_printf(out, "    block: [\"%s\", \"%s\", \"%s\"]\n", block[0], block[1], block[2]);
    if (launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1)
        text_printf(out, "    cluster: [%u, %u, %u]\n", launch->cluster[0], launch->cluster[1],
                    launch->cluster[2]);
    if (strcmp(shared, "0") != 0)
        text_printf(out, "    shared: \"%s\"\n", shared);
    if (launch->entry == CAP_LAUNCH_COOPERATIVE)
        text_append(out, "    cooperative: true\n");
    /* The launch's own list: vectors that structs point to may be passed as well. */
    text_append(out, "    arguments: [");
    for (size_t i = 0; i < set->kernel->is.parameter_count; i++) {
        const struct captured_vector *vector = captured_vector_of(set, i);
        const struct kernel_signature *signature = set->question.signature;
        if (vector)
            text_printf(out, "%s%s", i ? ", " : "", vector->name);
        else if (signature && i < signature->parameter_count)
            text_printf(out, "%s%s", i ? ", " : "", signature->parameters[i].name);
        else
            text_printf(out, "%sp%zu", i ? ", " : "", i);
    }
    text_append(out, "]\n");
}

const char *captured_block_results(const struct captured_set *set)
{
    const uint32_t *grid = set->launches[set->default_launch]->is.grid;
    const uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    for (size_t i = 0; i < set->vector_count; i++) {
        const struct captured_vector *vector = &set->vectors[i];
        const uint64_t bytes = vector->buffers[set->default_launch]->is.bytes;
        if (vector->is_written && blocks > 1 && bytes == blocks * element_bytes(vector->type))
            return vector->name;
    }
    return NULL;
}

double captured_tolerance(const struct captured_vector *vector, bool exact)
{
    const bool is_real = vector->is_known && element_is_real(vector->type);
    const double usual = exact || !is_real             ? 0
                         : vector->type == ELEMENT_F64 ? 1e-9
                         : vector->type == ELEMENT_F32 ? 1e-4
                                                       : 1e-2;
    /* Three replays do not show the greatest possible difference. */
    return fmax(usual, 4 * vector->differs);
}

void captured_put_checks(const struct captured_set *set, const char *folder, bool exact,
                         struct text *out)
{
    text_append(out, "check:\n");
    for (size_t i = 0; i < set->vector_count; i++) {
        const struct captured_vector *vector = &set->vectors[i];
        if (!vector->is_written)
            continue;
        text_printf(out, "  - {output: %s, file: \"%s/${%s}.%s.after\"", vector->name, folder,
                    set->question.size, vector->name);
        const double tolerance = captured_tolerance(vector, exact);
        if (tolerance > 0 && element_is_real(vector->type))
            text_printf(out, ", tolerance: %.2g", tolerance);
        else if (tolerance > 0) /* an integer's magnitude, as `tolerance` is for reals only */
            text_printf(out, ", relative: %.2g, absolute: %.2g", tolerance,
                        tolerance * vector->mean);
        if (vector->differs > 0) {
            text_printf(out,
                        "} # not deterministic: replays differ by up to %.2g of the magnitude\n",
                        vector->differs);
            continue;
        }
        text_append(out, "}\n");
    }
}

const char *captured_shared(const struct captured_set *set)
{
    int64_t bytes[CAPTURED_LAUNCHES_MAX];
    for (size_t i = 0; i < set->launch_count; i++)
        bytes[i] = set->launches[i]->is.shared_bytes;
    return captured_number(set, bytes);
}
