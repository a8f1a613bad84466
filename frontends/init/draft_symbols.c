/* A source's variables, in an experiment that is drafted from it. */
#include <string.h>

#include "frontends/init/draft.h"
#include "tuner/base/text.h"

/* The size of a kernel with one axis is longer than a row can be. */
void draft_sides(int axes, uint32_t channels, const char *size, bool flat, const char *all,
                 struct text *out)
{
    if (axes < 2)
        text_printf(out, "width: %s", all ? all : "");
    else if (flat)
        text_printf(out, "width: 1024, height: %s // 1024", size);
    else
        text_printf(out, "width: %s, height: %s", size, size);
    if (channels > 1)
        text_printf(out, ", channels: %u", channels);
}

static bool is_plane(const struct symbol_signature *symbol)
{
    return symbol->texture_axes == 2 || symbol->is_row;
}

/* As far as it is not as where nothing is said. */
static void put_reading(const struct symbol_signature *symbol, struct text *out)
{
    static const char *const addresses[] = {
        [TEXTURE_WRAP] = "wrap", [TEXTURE_MIRROR] = "mirror", [TEXTURE_BORDER] = "border"};
    const struct texture *reading = &symbol->reading;
    const bool real = element_is_real(symbol->type) || reading->reads_real;
    if (is_plane(symbol) && reading->linear && real)
        text_append(out, ", filter: linear");
    if (is_plane(symbol) && reading->address != TEXTURE_CLAMP)
        text_printf(out, ", address: %s", addresses[reading->address]);
    if (is_plane(symbol) && reading->normalized)
        text_append(out, ", normalized: true");
    if (reading->reads_real)
        text_append(out, ", read: normalized");
}

/* The input under a texture reference. */
static void put_reference(struct arena *arena, const struct symbol_signature *symbol,
                          const char *size, bool flat, const char *all, struct text *out)
{
    /* Integers may be places in another argument. */
    const bool places = !element_is_real(symbol->type) && element_bytes(symbol->type) >= 4;
    const char *quote = symbol->is_row ? "\"" : ""; /* for its comma */
    text_printf(out, "type: %s, count: %s", element_name(symbol->type), quote);
    if (symbol->lanes > 1)
        text_printf(out, "%u * ", symbol->lanes);
    text_printf(out, "%s%s", all, quote);
    if (places)
        text_printf(out, ", fill: {uniform: [0, %s - 1]}, texture: {", size);
    else
        text_append(out, ", fill: random, texture: {");
    if (symbol->is_row)
        text_append(out, "height: 1, ");
    draft_sides(symbol->texture_axes, symbol->lanes, size, flat,
                symbol->is_row ? arena_printf(arena, "\"%s\"", all) : all, out);
    put_reading(symbol, out);
    text_append(out, "}");
}

bool draft_is_result(const struct symbol_signature *symbol)
{
    return !symbol->constant && (symbol->is_written || symbol->is_hidden);
}

size_t draft_symbol_elements(const struct symbol_signature *symbol)
{
    return symbol->bytes / (symbol->known ? element_bytes(symbol->type) : 1);
}

static void put_variable(const struct symbol_signature *symbol, struct text *out)
{
    const size_t count = draft_symbol_elements(symbol);
    const bool real = symbol->known && element_is_real(symbol->type);
    text_printf(out, "type: %s, count: %zu, ", symbol->known ? element_name(symbol->type) : "u8",
                count);
    if (!draft_is_result(symbol))
        text_append(out, symbol->known ? "fill: random" : "fill: zero");
    else if (!symbol->is_hidden && !symbol->is_read)
        text_append(out, "output: true");
    else if (real && !symbol->has_value)
        text_append(out, "update: true, fill: random");
    else if (count < 2 || !symbol->known || symbol->lanes > 1)
        text_append(out, "update: true, fill: zero");
    else /* they may be places in it */
        text_printf(out, "update: true, fill: {uniform: [0, %zu]}", count - 1);
}

static const char *comment_on(const struct symbol_signature *symbol)
{
    if (draft_is_result(symbol))
        return symbol->is_hidden ? "? a __device__ variable that the kernel may write"
                                 : "? a __device__ variable that the kernel writes";
    if (!symbol->constant)
        return "? copied into the __device__ variable before the first run";
    if (symbol->texture_axes == 0)
        return "? copied into the __constant__ variable before the first run";
    if (!is_plane(symbol))
        return "? the texture reference reads it";
    return symbol->is_set ? "? the texture reference reads it, as the source sets that"
                          : "? the texture reference reads it; nothing sets filter and address";
}

enum status draft_symbol(struct arena *arena, const struct symbol_signature *symbol,
                         const char *size, bool flat, const char *all, const char **out,
                         const char **comment, struct error *error)
{
    struct text text = {0};
    const char *last = strrchr(symbol->name, ':');
    if (symbol->texture_axes > 2)
        return error_set(error, STATUS_BAD_INPUT,
                         "texture reference '%s' has three axes, layers or the faces of a cube: "
                         "textures of an experiment have one axis or two",
                         symbol->name);
    if (symbol->is_row) /* no longer than one can be */
        all = arena_printf(arena, "min(%s, 65536)", size);
    if (!all)
        return error_no_memory(error);
    *comment = comment_on(symbol);
    text_printf(&text, "{name: %s, ", last ? last + 1 : symbol->name);
    if (symbol->texture_axes > 0)
        put_reference(arena, symbol, size, flat, all, &text);
    else
        put_variable(symbol, &text);
    text_printf(&text, ", symbol: \"%s\"}", symbol->name);
    *out = text_to_arena(&text, arena);
    return *out ? STATUS_OK : error_no_memory(error);
}
