/* Reads a kernel's uses of its pointers and of the source's variables from the compiler's PTX:
 * addresses are followed through registers to the instructions that load and store. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/init/source.h"

enum { ORIGINS_MAX = 64, TARGETS_MAX = 8, PASSES_MAX = 16 };

/* The parameters and variables that a value may be derived from: a bit each. */
struct origins {
    uint64_t parameters, symbols;
};

struct roles {
    struct arena *arena;
    const char *kernel; /* its symbol */
    struct source_signature *out;
    struct kernel_signature *chosen;
    const char *mangled[ORIGINS_MAX]; /* names of out->symbols */
    struct origins *registers;        /* of %rd0, %rd1 ... */
    size_t register_count;
    bool changed;
};

enum use { USE_READ = 1, USE_WRITE = 2, USE_HIDDEN = 4 };

static void add_use(struct roles *roles, struct origins origins, int use, size_t bytes)
{
    for (size_t i = 0; i < roles->chosen->parameter_count; i++) {
        struct kernel_parameter *parameter = &roles->chosen->parameters[i];
        const uint64_t whole =
            parameter->known ? element_bytes(parameter->type) * (uint64_t)parameter->lanes : 0;
        if (!(origins.parameters >> i & 1))
            continue;
        parameter->is_written |= (use & USE_WRITE) != 0;
        parameter->is_hidden |= (use & USE_HIDDEN) != 0;
        /* A write of a part of an element keeps the rest. */
        parameter->is_read |= (use & USE_READ) || ((use & USE_WRITE) && bytes < whole);
    }
    for (size_t i = 0; i < roles->out->symbol_count; i++) {
        struct symbol_signature *symbol = &roles->out->symbols[i];
        const bool is_of = origins.symbols >> i & 1;
        symbol->is_written |= is_of && (use & USE_WRITE);
        symbol->is_hidden |= is_of && (use & USE_HIDDEN);
        symbol->is_read |= is_of && (use & USE_READ);
    }
}

/* Finds the parameter or the variable of that name. */
static struct origins origins_of(const struct roles *roles, const char *name, size_t length)
{
    static const char behind[] = "_param_";
    const size_t own = strlen(roles->kernel), before = own + strlen(behind);
    struct origins origins = {0};
    if (length > before && strncmp(name, roles->kernel, own) == 0 &&
        strncmp(name + own, behind, strlen(behind)) == 0)
        origins.parameters = UINT64_C(1) << (strtoul(name + before, NULL, 10) % 64);
    for (size_t i = 0; i < roles->out->symbol_count; i++)
        if (strlen(roles->mangled[i]) == length && strncmp(name, roles->mangled[i], length) == 0)
            origins.symbols |= UINT64_C(1) << i;
    return origins;
}

static size_t word_length(const char *at, const char *end)
{
    size_t length = 0;
    while (at + length < end && (is_name_character(at[length]) || at[length] == '$'))
        length++;
    return length;
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Returns the bytes that "st.global.v4.f32" stores. */
static size_t stored_bytes(const char *opcode, size_t length)
{
    size_t lanes = 1, bits = 8;
    for (size_t i = 0; i + 2 < length; i++) {
        if (opcode[i] == '.' && opcode[i + 1] == 'v' && isdigit((unsigned char)opcode[i + 2]))
            lanes = strtoul(opcode + i + 2, NULL, 10);
        else if (opcode[i] == '.' && strchr("fbus", opcode[i + 1]) &&
                 isdigit((unsigned char)opcode[i + 2]))
            bits = strtoul(opcode + i + 2, NULL, 10);
    }
    return lanes * bits / 8;
}

/* Reads one instruction: the uses of the addresses in its brackets, and the origins of its result.
 */
static void read_instruction(struct roles *roles, const char *at, const char *end)
{
    struct origins operands = {0}, places[2] = {{0}};
    size_t targets[TARGETS_MAX] = {0}, target_count = 0, place = 0;
    bool is_inside = false, is_first = true, is_grouped = false;
    if (*at == '@') /* its condition */
        at = skip_blanks(at + 1 + strcspn(at + 1, " \t\n"), end);
    const char *opcode = at;
    const size_t length = strcspn(at, " \t\n;");
    const bool is_copy = starts(at, "cp."), is_atomic = starts(at, "atom.") || starts(at, "red.");
    const bool is_store =
        starts(at, "st") || starts(at, "red.") || is_copy || memmem(at, length, ".store", 6);
    for (at += length; at < end;) {
        struct origins found = {0};
        size_t passed = 1;
        is_inside = *at == '[' || (is_inside && *at != ']');
        place += *at == ']' && place < 1;
        is_grouped = *at == '{' || (is_grouped && *at != '}');
        is_first = is_first && (is_inside || is_grouped || *at != ',');
        if (starts(at, "%rd") && isdigit((unsigned char)at[3])) {
            char *behind = NULL;
            const size_t index = strtoul(at + 3, &behind, 10);
            passed = (size_t)(behind - at);
            const bool is_known = index < roles->register_count;
            if (is_first && !is_inside && !is_store && target_count < TARGETS_MAX && is_known)
                targets[target_count++] = index;
            else if (is_known)
                found = roles->registers[index];
        } else if (*at == '%') {
            for (; is_name_character(at[passed]) || at[passed] == '.'; passed++)
                ;
        } else if ((passed = word_length(at, end)) > 0) {
            found = origins_of(roles, at, passed);
        } else {
            passed = 1;
        }
        struct origins *into = is_inside ? &places[place] : &operands;
        into->parameters |= found.parameters;
        into->symbols |= found.symbols;
        at += passed;
    }
    const bool loads_parameter = starts(opcode, "ld.param");
    if (is_atomic)
        add_use(roles, places[0], USE_READ | USE_WRITE, SIZE_MAX);
    else if (is_store)
        add_use(roles, places[0], USE_WRITE, stored_bytes(opcode, length));
    if (starts(opcode, "st.") || is_atomic) /* an address that is kept somewhere */
        add_use(roles, operands, USE_HIDDEN, 0);
    if (is_copy)
        add_use(roles, places[1], USE_READ, 0);
    else if (!is_store && !is_atomic && !loads_parameter)
        add_use(roles, places[0], USE_READ, 0);
    if (loads_parameter)
        operands = places[0];
    else if (starts(opcode, "ld.") || is_atomic)
        return;
    for (size_t i = 0; i < target_count; i++) {
        struct origins *target = &roles->registers[targets[i]];
        const struct origins all = {target->parameters | operands.parameters,
                                    target->symbols | operands.symbols};
        roles->changed |= all.parameters != target->parameters || all.symbols != target->symbols;
        *target = all;
    }
}

/* ---- the whole ---- */

/* Returns "a::b" for _ZN1a1bE, without the names that stand for a file or for no name; NULL for
 * variables of functions and of templates. */
static const char *qualified_of(struct arena *arena, const char *mangled)
{
    struct text name = {0};
    if (!starts(mangled, "_Z"))
        return mangled;
    const char *at = mangled + 2 + (mangled[2] == 'N');
    for (at += *at == 'L'; isdigit((unsigned char)*at); at += *at == 'L') {
        char *behind = NULL;
        const size_t length = strtoul(at, &behind, 10);
        if (length > strlen(behind))
            break;
        if (!starts(behind, "_INTERNAL_") && !starts(behind, "_GLOBAL__N_"))
            text_printf(&name, "%s%.*s", name.length ? "::" : "", (int)length, behind);
        at = behind + length;
    }
    const bool is_whole = name.length > 0 && (!*at || strcmp(at, "E") == 0);
    const char *text = text_to_arena(&name, arena);
    return is_whole ? text : NULL;
}

/* Takes ".const .align 4 .b8 weights[12];" of a variable that the kernel or a function names. */
static void take_variable(struct roles *roles, const char *line, const char *end,
                          const char *(*bodies)[2], size_t body_count)
{
    struct source_signature *out = roles->out;
    const char *name = line;
    bool is_used = false, is_handed = false;
    while (*name == '.') {
        name += strcspn(name, " \t\n");
        name = skip_blanks(name, end);
        name += strspn(name, "0123456789 "); /* of .align */
    }
    const size_t length = word_length(name, end);
    const char *mangled = arena_strndup(roles->arena, name, length);
    if (!mangled || length == 0 || *name == '$' ||
        strcmp(mangled, "tune_answer") == 0) /* "$str": a text */
        return;
    for (size_t i = 0; i < body_count; i++) {
        const bool has = has_word(bodies[i][0], bodies[i][1], mangled);
        is_used |= has;
        is_handed |= has && i > 0;
    }
    if (starts(line, ".extern"))
        out->dynamic_shared |= is_used && starts(line, ".extern .shared");
    else if (is_used && out->symbol_count < ORIGINS_MAX) {
        const char *qualified = qualified_of(roles->arena, mangled);
        roles->mangled[out->symbol_count] = mangled;
        if (qualified)
            out->symbols[out->symbol_count++] = (struct symbol_signature){
                .name = qualified,
                .constant = memmem(line, (size_t)(name - line), ".const", 6),
                .is_hidden = is_handed,
                .has_value = memchr(name, '=', (size_t)(end - name))};
    }
}

bool roles_read(struct arena *arena, const char *ptx, const char *kernel,
                struct source_signature *out, struct kernel_signature *chosen)
{
    enum { BODIES_MAX = 256 };
    struct roles roles = {.arena = arena, .kernel = kernel, .out = out, .chosen = chosen};
    /* The kernel, and the functions that were not merged into it. */
    const char *bodies[BODIES_MAX][2] = {{ptx, ptx}}, **body = NULL;
    size_t body_count = 1;
    for (const char *line = ptx, *end; *line; line = end + (*end == '\n')) {
        end = line + strcspn(line, "\n");
        const size_t length = (size_t)(end - line);
        const char *entry = memmem(line, length, ".entry ", 7);
        if (*line != '.' || (!entry && !memmem(line, length, ".func ", 6)))
            continue;
        if (body)
            body[1] = line;
        body = !entry ? (body_count < BODIES_MAX ? bodies[body_count++] : NULL)
               : word_length(entry + 7, end) == strlen(kernel) && starts(entry + 7, kernel)
                   ? bodies[0]
                   : NULL;
        if (body)
            body[0] = end;
    }
    if (body)
        body[1] = ptx + strlen(ptx);
    for (size_t i = 0; i < body_count; i++)
        out->fetches |= has_word(bodies[i][0], bodies[i][1], "tex");
    for (const char *line = ptx, *end; *line; line = end + (*end == '\n')) {
        end = line + strcspn(line, "\n");
        if (starts(line, ".global") || starts(line, ".const") || starts(line, ".visible .global") ||
            starts(line, ".visible .const") || starts(line, ".weak .global") ||
            starts(line, ".extern"))
            take_variable(&roles, line, end, bodies, body_count);
    }
    const char *count = strstr(bodies[0][0], "%rd<");
    roles.register_count = count && count < bodies[0][1] ? strtoul(count + 4, NULL, 10) : 0;
    roles.registers = arena_alloc(arena, roles.register_count + 1, sizeof *roles.registers);
    roles.changed = roles.registers != NULL;
    for (size_t pass = 0; roles.changed && pass < PASSES_MAX; pass++) {
        roles.changed = false;
        for (const char *line = bodies[0][0], *end; line < bodies[0][1]; line = end + 1) {
            end = line + strcspn(line, "\n");
            line = skip_blanks(line, end);
            if (*line != '.' && *line != '$' && *line != '/' && line < end)
                read_instruction(&roles, line, end);
        }
    }
    return roles.registers;
}
