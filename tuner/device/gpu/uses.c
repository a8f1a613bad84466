/* How a kernel uses what it is given: what it reads, and what it writes. */
#include <string.h>

#include "tuner/device/gpu/tokens.h"

static bool is_change(const struct tokens *tokens, size_t index)
{
    return token_is_in(tokens, index, "+= -= *= /= %= &= |= ^= ++ -- <<= >>=");
}

/* Behind what is picked out of an element: [i], .x, ->x; *member says whether a part of it is. */
static size_t behind_element(const struct tokens *tokens, size_t at, bool *member)
{
    for (;;) {
        if (token_is(tokens, at, "[")) {
            at = tokens_behind(tokens, at);
        } else if (token_is_in(tokens, at, ". ->")) {
            *member = true;
            at += 2;
        } else {
            return at;
        }
    }
}

/* The pointer itself is moved or looked at. */
static bool is_of_pointer(const struct tokens *tokens, size_t at)
{
    return is_change(tokens, at + 1) || is_change(tokens, at - 1) ||
           token_is_in(tokens, at + 1, "== !=") || token_is(tokens, at - 1, "!");
}

/* What a texel of a texture or a surface with so many axes is: `uchar4`, `unsigned char`. */
static void read_texel(const struct tokens *tokens, size_t first, size_t end, uint8_t axes,
                       struct kernel_parameter *parameter)
{
    static const struct {
        const char *name;
        enum element_type type, unsigned_type;
    } texels[] = {{"float", ELEMENT_F32, ELEMENT_F32},    {"int", ELEMENT_I32, ELEMENT_U32},
                  {"uint", ELEMENT_U32, ELEMENT_U32},     {"unsigned", ELEMENT_U32, ELEMENT_U32},
                  {"short", ELEMENT_I16, ELEMENT_U16},    {"ushort", ELEMENT_U16, ELEMENT_U16},
                  {"char", ELEMENT_I8, ELEMENT_U8},       {"uchar", ELEMENT_U8, ELEMENT_U8},
                  {"uint32_t", ELEMENT_U32, ELEMENT_U32}, {"uint16_t", ELEMENT_U16, ELEMENT_U16},
                  {"uint8_t", ELEMENT_U8, ELEMENT_U8}};
    const bool is_unsigned = end == first + 2 && token_is(tokens, first, "unsigned");
    if (end != first + 1 && !is_unsigned)
        return;
    const struct token *texel = &tokens->items[end - 1];
    for (size_t i = 0; i < sizeof texels / sizeof *texels; i++) {
        const size_t length = strlen(texels[i].name);
        const size_t more = texel->length - length;
        if (texel->length < length || more > 1 ||
            strncmp(texel->start, texels[i].name, length) != 0 ||
            (more == 1 && !strchr("124", texel->start[length])))
            continue;
        parameter->texture_axes = axes;
        parameter->texture_channels = more == 1 ? (uint8_t)(texel->start[length] - '0') : 1;
        parameter->texture_type = is_unsigned ? texels[i].unsigned_type : texels[i].type;
    }
}

/* `tex2D<uchar4>(NAME` */
static void read_texture(const struct tokens *tokens, struct kernel_parameter *parameter, size_t at)
{
    if (at < 5 || !token_is(tokens, at - 1, "(") || !token_is(tokens, at - 2, ">"))
        return;
    const size_t open = at - (token_is(tokens, at - 4, "unsigned") ? 5 : 4);
    if (token_is(tokens, open, "<") && token_is_in(tokens, open - 1, "tex1Dfetch tex2D"))
        read_texel(tokens, open + 1, at - 2, token_is(tokens, open - 1, "tex2D") ? 2 : 1,
                   parameter);
}

/* `surf2Dread<uchar4>(NAME`, `surf2Dwrite(value, NAME, x * sizeof(float)`. False: it is handed to
 * another function, or what its call is cannot be told. */
static bool read_surface(const struct tokens *tokens, struct kernel_parameter *parameter, size_t at)
{
    size_t open = at;
    while (open > 0 && !token_is_in(tokens, open, "; { }") &&
           !(token_is(tokens, open, "(") && tokens_behind(tokens, open) > at))
        open--;
    const size_t texel_end = open > 0 && token_is(tokens, open - 1, ">") ? open - 1 : 0;
    size_t name = open > 0 ? open - 1 : 0;
    while (texel_end > 0 && name > 0 && texel_end - name < 4 && !token_is(tokens, name, "<"))
        name--;
    name -= texel_end > 0 && name > 0;
    const bool writes = token_is_in(tokens, name, "surf1Dwrite surf2Dwrite");
    if (!writes && !token_is_in(tokens, name, "surf1Dread surf2Dread"))
        return false;
    const uint8_t axes = token_is_in(tokens, name, "surf2Dread surf2Dwrite") ? 2 : 1;
    const size_t behind = tokens_behind(tokens, open);
    parameter->is_written |= writes;
    parameter->is_read |= !writes;
    if (texel_end > 0)
        read_texel(tokens, name + 2, texel_end, axes, parameter);
    for (size_t i = at; parameter->texture_axes == 0 && i + 2 < behind; i++)
        if (token_is(tokens, i, "sizeof") && token_is(tokens, i + 1, "("))
            read_texel(tokens, i + 2, tokens_behind(tokens, i + 1) - 1, axes, parameter);
    return true;
}

/* Whether the source has `#define NAME(...` of that token. */
static bool is_macro_call(const struct tokens *tokens, size_t index)
{
    const struct token *name = &tokens->items[index];
    const char *rest = NULL, *end = NULL;
    for (size_t i = 0; name->kind == TOKEN_NAME && i < tokens->count; i++)
        if (token_is_directive(&tokens->items[i], "define", &rest, &end) &&
            (size_t)(end - rest) > name->length && rest[name->length] == '(' &&
            strncmp(rest, name->start, name->length) == 0)
            return true;
    return false;
}

/* `x[i][j]` */
static void count_indices(const struct tokens *tokens, struct kernel_parameter *parameter,
                          size_t at)
{
    uint8_t count = 0;
    for (; token_is(tokens, at, "[") && count < UINT8_MAX; at = tokens_behind(tokens, at))
        count++;
    if (count > 0 && (parameter->least_indices == 0 || count < parameter->least_indices))
        parameter->least_indices = count;
}

void use_read(const struct tokens *tokens, struct kernel_parameter *parameter, size_t at,
              bool whole)
{
    if (token_is_in(tokens, at - 1, ". ->"))
        return; /* a member */
    parameter->is_seen = true;
    if (!whole && token_is(tokens, at + 1, ".") && token_is(tokens, at + 3, "(")) {
        parameter->is_hidden |= !token_is_in(tokens, at + 2, "size sizes stride strides");
        return;
    }
    const bool cast = at >= 3 && token_is(tokens, at - 2, ")") && token_is(tokens, at - 3, "*");
    const size_t sign = token_is(tokens, at - 1, "(") ? at - 2 : at - 1; /* &x[i], &(x[i]) */
    const bool address = token_is(tokens, sign, "&") && sign >= 1 &&
                         (cast || (tokens->items[sign - 1].kind == TOKEN_SIGN &&
                                   !token_is_in(tokens, sign - 1, ") ]")));
    const size_t before = address ? sign : at;
    bool member = false;
    const bool starred = at >= 2 && token_is(tokens, at - 1, "*") && /* *p = ..., not a * p */
                         token_is_in(tokens, at - 2, "; { ) } = ( , return");
    const struct token *function = before >= 2 ? &tokens->items[before - 2] : NULL;
    const bool atomic = function && function->kind == TOKEN_NAME && function->length > 6 &&
                        strncmp(function->start, "atomic", 6) == 0;
    size_t behind = behind_element(tokens, at + 1, &member);
    count_indices(tokens, parameter, at + 1);
    read_texture(tokens, parameter, at);
    if (parameter->text && strstr(parameter->text, "cudaSurfaceObject_t") &&
        read_surface(tokens, parameter, at))
        return;
    if (atomic && token_is(tokens, before - 1, "(")) {
        parameter->is_read = parameter->is_written = true;
    } else if (address || (behind == at + 1 && !starred && !whole)) {
        parameter->is_hidden = parameter->is_hidden || address || !is_of_pointer(tokens, at);
    } else {
        size_t first = at;
        if (at >= 3 && token_is(tokens, at - 1, "(") && token_is_in(tokens, behind, ") ,") &&
            is_macro_call(tokens, at - 2)) { /* FLOAT4(out[i]) = ..., STORE(out[i], x); */
            first = at - 2;
            behind = tokens_behind(tokens, at - 1);
            parameter->is_hidden |=
                token_is(tokens, behind, ";") && token_is_in(tokens, first - 1, "; { }");
        }
        bool changed = is_change(tokens, behind) || is_change(tokens, first - 1);
        bool set = token_is(tokens, behind, "=");
        parameter->is_written |= set || changed;
        /* What a kernel sets a part of keeps the rest. */
        parameter->is_read |= !set || member;
    }
}
