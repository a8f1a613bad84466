/* Texture references of old CUDA: where a source declares them, and what its host's part sets. */
#include <string.h>

#include "tuner/device/gpu/tokens.h"

bool texture_references_exist(const struct tokens *tokens)
{
    bool named = false;
    for (size_t i = 0; i < tokens->count; i++) {
        if (!token_is(tokens, i, "texture"))
            continue;
        if (i > 0 && token_is_in(tokens, i - 1, "class struct union enum using namespace"))
            return false;
        named = named || token_is(tokens, i + 1, "<");
    }
    return named;
}

bool is_texture_type(const struct tokens *tokens, size_t index)
{
    return token_is(tokens, index, "texture") && token_is(tokens, index + 1, "<") &&
           !(index > 0 && token_is_in(tokens, index - 1, ":: . ->"));
}

/* `texture<float, 2> image(1, cudaFilterModeLinear)`, and no function. */
static bool has_settings(const struct tokens *tokens, size_t open)
{
    return token_is(tokens, open, "(") && open + 1 < tokens->count &&
           (tokens->items[open + 1].kind == TOKEN_NUMBER ||
            token_is_in(tokens, open + 1, "true false"));
}

/* Whether a declaration may begin there, `static`, a macro and such being before it. */
static bool begins(const struct tokens *tokens, size_t index)
{
    if (index == 0 || token_is_in(tokens, index - 1, "; { } ) static extern"))
        return true;
    const enum token_kind kind = tokens->items[index - 1].kind;
    return kind == TOKEN_DIRECTIVE || kind == TOKEN_TEXT; /* extern "C" */
}

static bool is_declared_name(const struct tokens *tokens, size_t index)
{
    return (token_is_in(tokens, index + 1, "; , =") || has_settings(tokens, index + 1)) &&
           tokens->items[index].kind == TOKEN_NAME;
}

bool declares_texture_reference(const struct tokens *tokens, size_t index)
{
    return is_texture_type(tokens, index) && begins(tokens, index) &&
           is_declared_name(tokens, tokens_behind_angle(tokens, index + 1));
}

size_t texture_alias(const struct tokens *tokens, size_t index)
{
    const size_t behind = tokens_behind_angle(tokens, index + 1);
    if (index > 0 && token_is(tokens, index - 1, "typedef") && token_is(tokens, behind + 1, ";"))
        return behind;
    return index > 2 && token_is(tokens, index - 1, "=") && token_is(tokens, index - 3, "using")
               ? index - 2
               : 0;
}

bool declares_by_alias(const struct tokens *tokens, size_t alias, size_t index)
{
    const struct token *name = &tokens->items[alias], *word = &tokens->items[index];
    return word->length == name->length && memcmp(word->start, name->start, name->length) == 0 &&
           begins(tokens, index) && is_declared_name(tokens, index + 1);
}

/* ---- settings ---- */

static void take_setting(const struct tokens *tokens, size_t i, struct symbol_signature *out)
{
    static const struct {
        const char *name;
        enum texture_address address;
    } addresses[] = {{"cudaAddressModeWrap", TEXTURE_WRAP},
                     {"cudaAddressModeClamp", TEXTURE_CLAMP},
                     {"cudaAddressModeMirror", TEXTURE_MIRROR},
                     {"cudaAddressModeBorder", TEXTURE_BORDER}};
    struct texture *reading = &out->reading;
    if (token_is_in(tokens, i, "cudaFilterModeLinear cudaFilterModePoint"))
        reading->linear = token_is(tokens, i, "cudaFilterModeLinear");
    for (size_t k = 0; k < sizeof addresses / sizeof *addresses; k++)
        if (token_is(tokens, i, addresses[k].name))
            reading->address = addresses[k].address;
}

static bool is_true(const struct tokens *tokens, size_t index)
{
    return token_is_in(tokens, index, "true 1");
}

/* `image.addressMode[0] = cudaAddressModeWrap;`, from the name on. */
static void read_assignment(const struct tokens *tokens, size_t at, struct symbol_signature *out)
{
    static const char settings[] = "normalized filterMode addressMode";
    if (!token_is(tokens, at + 1, ".") || !token_is_in(tokens, at + 2, settings))
        return;
    size_t value = at + 3;
    while (token_is(tokens, value, "["))
        value = tokens_behind(tokens, value);
    if (!token_is(tokens, value, "="))
        return;
    out->is_set = true;
    if (token_is(tokens, at + 2, "normalized"))
        out->reading.normalized = is_true(tokens, value + 1);
    else
        take_setting(tokens, value + 1, out);
}

/* What its declaration says, in brackets behind the name. */
static void read_constructor(const struct tokens *tokens, size_t open, struct symbol_signature *out)
{
    out->is_set = true;
    out->reading.normalized = is_true(tokens, open + 1);
    for (size_t i = open + 1; i < tokens_behind(tokens, open); i++)
        take_setting(tokens, i, out);
}

void texture_settings_read(const struct tokens *tokens, struct symbol_signature *out)
{
    const char *name = unqualified_name(out->name);
    out->reading = (struct texture){.address = TEXTURE_CLAMP};
    for (size_t i = 0; i < tokens->count; i++) {
        if (!token_is(tokens, i, name))
            continue;
        if (has_settings(tokens, i + 1))
            read_constructor(tokens, i + 1, out);
        out->is_row |= i >= 2 && token_is(tokens, i - 1, "(") && token_is(tokens, i - 2, "tex1D");
        read_assignment(tokens, i, out);
    }
    /* As the hardware has it. */
    if (!out->reading.normalized && out->reading.address != TEXTURE_BORDER)
        out->reading.address = TEXTURE_CLAMP;
}
