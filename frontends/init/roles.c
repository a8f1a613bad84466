/* Reads a kernel's uses of its pointers and of the source's variables from the compiler's PTX:
 * addresses are followed through registers to the instructions that load and store. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/init/source.h"

enum { PASSES_MAX = 16 };
enum use { USE_READ = 1, USE_WRITE = 2, USE_HIDDEN = 4 };

/* The parameters, and the variables behind these, that a value may be derived from: a bit each. */
typedef uint64_t origins;

struct roles {
    const char *parameter; /* "NAME_param_", in front of a parameter's number */
    struct tokens ptx;     /* without the bodies of other kernels */
    size_t first, end;     /* the kernel's body */
    struct source_signature *out;
    struct kernel_signature *chosen;
    const char *mangled[SYMBOLS_MAX]; /* names of out->symbols */
    origins *registers;               /* of %rd0, %rd1 ... */
    size_t register_count;
    bool changed;
};

static void add_use(struct roles *roles, origins of, int use)
{
    const size_t count = roles->chosen->parameter_count;
    for (size_t i = 0; i < count + roles->out->symbol_count; i++) {
        struct kernel_parameter *one =
            i < count ? &roles->chosen->parameters[i] : &roles->out->symbols[i - count];
        if (!(of >> i & 1))
            continue;
        one->is_written |= (use & USE_WRITE) != 0;
        one->is_hidden |= (use & USE_HIDDEN) != 0;
        one->is_read |= (use & USE_READ) != 0;
    }
}

/* Returns the origins of the register %rd1 whose name is at the token; NULL for other tokens. */
static origins *register_at(const struct roles *roles, size_t at)
{
    const char *name = roles->ptx.items[at].start;
    const bool is_register = token_is(&roles->ptx, at - 1, "%") && strncmp(name, "rd", 2) == 0;
    const size_t index = is_register ? strtoul(name + 2, NULL, 10) : roles->register_count;
    return index < roles->register_count ? &roles->registers[index] : NULL;
}

/* Finds the register, parameter or variable at the token. */
static origins origins_at(const struct roles *roles, size_t at)
{
    const struct token *token = &roles->ptx.items[at];
    const origins *of = register_at(roles, at);
    const size_t before = strlen(roles->parameter);
    if (of)
        return *of;
    if (token->length > before && strncmp(token->start, roles->parameter, before) == 0)
        return UINT64_C(1) << strtoul(token->start + before, NULL, 10) % 64;
    for (size_t i = 0; i < roles->out->symbol_count; i++)
        if (token_is(&roles->ptx, at, roles->mangled[i]))
            return UINT64_C(1) << (roles->chosen->parameter_count + i);
    return 0;
}

/* Reads one instruction: the uses of the addresses in its brackets, and the origins of its result.
 */
static void read_instruction(struct roles *roles, size_t at, size_t end)
{
    const struct tokens *ptx = &roles->ptx;
    origins operands = 0, places[2] = {0};
    size_t place = 0;
    bool is_inside = false;
    if (token_is(ptx, at, "@")) /* its condition */
        at += token_is(ptx, at + 1, "!") ? 4 : 3;
    const bool is_copy = token_is(ptx, at, "cp"), is_atomic = token_is_in(ptx, at, "atom red");
    const bool loads = token_is(ptx, at, "ld"), stores = token_is(ptx, at, "st");
    const bool loads_parameter = loads && token_is(ptx, at + 2, "param");
    bool is_store = stores || is_copy || token_is_in(ptx, at, "red stmatrix");
    for (at++; token_is(ptx, at, "."); at += 2) /* "wmma.store.d.global" */
        is_store |= token_is(ptx, at + 1, "store");
    const size_t first = at; /* of the result, which others than stores have */
    while (at < end && !is_store && !token_is_in(ptx, at, ", ["))
        at = token_is(ptx, at, "{") ? tokens_behind(ptx, at) : at + 1;
    const size_t behind = at;
    for (; at < end; at++) {
        is_inside = token_is(ptx, at, "[") || (is_inside && !token_is(ptx, at, "]"));
        place += token_is(ptx, at, "]") && place < 1;
        *(is_inside ? &places[place] : &operands) |= origins_at(roles, at);
    }
    if (is_store || is_atomic)
        add_use(roles, places[0], is_atomic ? USE_READ | USE_WRITE : USE_WRITE);
    else if (!loads_parameter)
        add_use(roles, places[0], USE_READ);
    if (stores || is_atomic) /* an address that is kept somewhere */
        add_use(roles, operands, USE_HIDDEN);
    if (is_copy)
        add_use(roles, places[1], USE_READ);
    if (is_atomic || (loads && !loads_parameter))
        return;
    operands = loads_parameter ? places[0] : operands;
    for (at = first; at < behind; at++) {
        origins *result = register_at(roles, at);
        roles->changed |= result && (*result | operands) != *result;
        if (result)
            *result |= operands;
    }
}

/* ---- the whole ---- */

/* Returns "a::b" for _ZN1a1bE, without the names that stand for a file or for no name; NULL for
 * variables of functions and of templates. */
static const char *qualified_of(struct arena *arena, const char *mangled)
{
    struct text name = {0};
    if (strncmp(mangled, "_Z", 2) != 0)
        return mangled;
    const char *at = mangled + 2 + (mangled[2] == 'N');
    for (at += *at == 'L'; isdigit((unsigned char)*at); at += *at == 'L') {
        char *behind = NULL;
        const size_t length = strtoul(at, &behind, 10);
        if (length > strlen(behind))
            break;
        if (strncmp(behind, "_INTERNAL_", 10) != 0 && strncmp(behind, "_GLOBAL__N_", 11) != 0)
            text_printf(&name, "%s%.*s", name.length ? "::" : "", (int)length, behind);
        at = behind + length;
    }
    const bool is_whole = name.length > 0 && (!*at || strcmp(at, "E") == 0);
    const char *text = text_to_arena(&name, arena);
    return is_whole ? text : NULL;
}

/* Takes ".const .align 4 .b8 weights[12];" from the tokens, of a variable that the kernel or a
 * function names. */
static void take_variable(struct arena *arena, struct roles *roles, size_t first, size_t end)
{
    const struct tokens *ptx = &roles->ptx;
    struct source_signature *out = roles->out;
    bool is_extern = false, is_constant = false, is_shared = false, is_global = false;
    bool is_used = false, is_handed = false;
    size_t name = first;
    while (name < end && !token_is_in(ptx, name + 1, "[ ; = {")) {
        is_extern |= token_is(ptx, name, "extern");
        is_constant |= token_is(ptx, name, "const");
        is_shared |= token_is(ptx, name, "shared");
        is_global |= token_is(ptx, name, "global");
        name = token_is(ptx, name, "(") ? tokens_behind(ptx, name) : name + 1;
    }
    if (!token_is_name(ptx, name) || token_is(ptx, name + 1, "{") || token_is(ptx, name - 1, "$") ||
        token_is(ptx, name, "tune_answer")) /* "$str": a text */
        return;
    const char *mangled = tokens_text(arena, ptx, name, name + 1);
    arena->failed |= !mangled;
    for (size_t i = end; i < ptx->count && mangled; i++) {
        const bool is_named = token_is(ptx, i, mangled);
        is_used |= is_named;
        is_handed |= is_named && (i < roles->first || i >= roles->end);
    }
    out->dynamic_shared |= is_used && is_extern && is_shared;
    const bool is_taken = is_used && !is_extern && (is_constant || is_global);
    const char *qualified = is_taken ? qualified_of(arena, mangled) : NULL;
    if (!qualified || roles->chosen->parameter_count + out->symbol_count == SYMBOLS_MAX)
        return;
    bool has_value = false;
    for (size_t i = name; i < end; i++)
        has_value |= token_is(ptx, i, "=");
    roles->mangled[out->symbol_count] = mangled;
    out->symbols[out->symbol_count++] = (struct kernel_parameter){.is_symbol = true,
                                                                  .name = qualified,
                                                                  .constant = is_constant,
                                                                  .is_hidden = is_handed,
                                                                  .has_value = has_value};
}

bool roles_read(struct arena *arena, const char *ptx, const char *kernel,
                struct source_signature *out, struct kernel_signature *chosen)
{
    struct roles roles = {
        .parameter = arena_printf(arena, "%s_param_", kernel), .out = out, .chosen = chosen};
    struct tokens *tokens = &roles.ptx;
    if (!roles.parameter || !tokens_read(arena, ptx, tokens))
        return false;
    for (int pass = 0; pass < 2; pass++) /* bodies; variables, which they name */
        for (size_t i = 0, end; i < tokens->count; i = end) {
            size_t brace = i, entry = tokens->count;
            while (brace < tokens->count && !token_is_in(tokens, brace, "; {")) {
                entry = token_is(tokens, brace, "entry") ? brace : entry;
                brace = token_is(tokens, brace, "(") ? tokens_behind(tokens, brace) : brace + 1;
            }
            end = token_is(tokens, brace, "{") ? tokens_behind(tokens, brace) : brace + 1;
            end = end < tokens->count ? end : tokens->count;
            if (pass == 1)
                take_variable(arena, &roles, i, end);
            else if (token_is(tokens, entry + 1, kernel)) {
                roles.first = brace;
                roles.end = end;
            } else if (entry < tokens->count) /* another kernel */
                for (size_t k = brace; k < end; k++)
                    tokens->items[k].length = 0;
        }
    for (size_t i = 0; i + 2 < tokens->count; i++) {
        out->fetches |= token_is(tokens, i, "tex");
        if (i >= roles.first && i < roles.end && token_is(tokens, i, "rd") &&
            token_is(tokens, i + 1, "<"))
            roles.register_count = strtoul(tokens->items[i + 2].start, NULL, 10);
    }
    roles.registers = arena_alloc(arena, roles.register_count + 1, sizeof *roles.registers);
    roles.changed = roles.registers != NULL;
    for (size_t pass = 0; roles.changed && pass < PASSES_MAX; pass++) {
        roles.changed = false;
        for (size_t i = roles.first, end; i < roles.end; i = end + 1) {
            end = i;
            while (end < roles.end && !token_is(tokens, end, ";") && !token_is(tokens, end, ":") &&
                   !(end == i && token_is_in(tokens, i, "{ }")))
                end++;
            if (end > i && token_is(tokens, end, ";") && !token_is(tokens, i, "."))
                read_instruction(&roles, i, end);
        }
    }
    return roles.registers && !arena->failed;
}
