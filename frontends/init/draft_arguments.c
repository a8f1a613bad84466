/* Arguments of a drafted experiment: the kernel's parameters, and the variables that it reads or
 * writes. */
#include <string.h>

#include "frontends/init/draft_parts.h"
#include "tuner/experiment/point.h"

enum { STRUCT_BYTES_MAX = 4096 };

static bool is_output(const struct kernel_parameter *parameter)
{
    return parameter->kind == PARAMETER_POINTER && !parameter->constant &&
           (parameter->is_written || parameter->is_hidden);
}

static const char *type_of(const struct draft *draft, const struct kernel_parameter *parameter)
{
    if (parameter->generic && parameter->lanes == 1 && !draft->request->signature->instance)
        return arena_printf(draft->arena, "\"${%s}\"", parameter->generic);
    return parameter->known ? element_name(parameter->type) : "u8";
}

static void note_result(struct draft *draft, const char *name)
{
    if (++draft->result_count > CHECKS_MAX)
        draft->unchecked =
            draft->unchecked ? arena_printf(draft->arena, "%s, %s", draft->unchecked, name) : name;
}

static void put_pointer(struct draft *draft, const struct kernel_parameter *parameter)
{
    uint32_t times = parameter->known ? parameter->lanes : parameter->bytes;
    const char *type = type_of(draft, parameter);
    const bool whole = times > STRUCT_BYTES_MAX; /* a struct of arrays: few elements */
    const char *known =
        draft_count_of(draft, (size_t)(parameter - draft->kernel->parameters),
                       parameter->known ? (int64_t)element_bytes(parameter->type) : 1);
    const char *quote = known && strchr(known, ',') ? "\"" : "";
    const char *count = known   ? arena_printf(draft->arena, "%s%s%s", quote, known, quote)
                        : whole ? arena_printf(draft->arena, "%u", times)
                                : draft_elements(draft, times > 0 ? times : 1);
    const char *what = parameter->text;
    bool real = parameter->known && element_is_real(parameter->type);
    /* Integers may be places in another argument. */
    bool places = parameter->known && !real && element_bytes(parameter->type) >= 4;
    const char *fill = places
                           ? arena_printf(draft->arena, "fill: {uniform: [0, %s - 1]}", draft->size)
                           : "fill: random";
    const char *role = fill;
    if (!parameter->known)
        role = is_output(parameter) ? "update: true, fill: zero" : "fill: zero";
    else if (is_output(parameter) && (parameter->is_read || parameter->is_hidden)) /* begins so */
        role = real ? "update: true, fill: random" : "update: true, fill: zero";
    else if (is_output(parameter))
        role = "output: true";
    bool sure = parameter->known && !parameter->is_hidden && (!places || is_output(parameter));
    const char *comment = arena_printf(draft->arena, "%s%s", sure ? "" : "? ", what);
    draft_line(draft, comment, "  - {name: %s, type: %s, count: %s, %s}", parameter->name, type,
               count ? count : "", role ? role : "");
    if (is_output(parameter))
        note_result(draft, parameter->name);
}

static void put_scalar(struct draft *draft, const struct kernel_parameter *parameter)
{
    const bool is_size = draft_is_size(parameter);
    const char *value = draft_value_of(draft, (size_t)(parameter - draft->kernel->parameters));
    const char *comment = arena_printf(draft->arena, "%s%s", is_size ? "" : "? ", parameter->text);
    if (value && strpbrk(value, ",["))
        value = arena_printf(draft->arena, "\"%s\"", value);
    draft_line(draft, comment, "  - {name: %s, type: %s, value: %s}", parameter->name,
               type_of(draft, parameter),
               value     ? value
               : is_size ? draft->size
                         : "1");
}

static bool is_result(const struct symbol_signature *symbol)
{
    return !symbol->constant && (symbol->is_written || symbol->is_hidden);
}

/* Writes a variable of the source, copied before the first run or compared afterwards. */
static void put_symbol(struct draft *draft, const struct symbol_signature *symbol)
{
    const char *name = unqualified_name(symbol->name);
    if (!symbol->known) {
        text_printf(draft->out, "  # ? not set: %s, which is no number and no array of numbers\n",
                    symbol->name);
        return;
    }
    const size_t count = symbol->bytes / element_bytes(symbol->type);
    const bool result = is_result(symbol);
    const char *role = !result                                  ? "fill: random"
                       : !symbol->is_hidden && !symbol->is_read ? "output: true"
                                                                : "update: true, fill: zero";
    draft_line(draft,
               result             ? "? a __device__ variable that the kernel writes"
               : symbol->constant ? "? copied into the __constant__ variable before the first run"
                                  : "? copied into the __device__ variable before the first run",
               "  - {name: %s, type: %s, count: %zu, %s, symbol: \"%s\"}", name,
               element_name(symbol->type), count, role, symbol->name);
    if (result)
        note_result(draft, name);
}

enum status draft_arguments(struct draft *draft, struct error *error)
{
    const struct source_signature *signature = draft->request->signature;
    bool writes = false,
         writes_values = false; /* values given by the source: mostly internal state */
    for (size_t i = 0; i < draft->kernel->parameter_count; i++)
        writes |= is_output(&draft->kernel->parameters[i]) ||
                  draft->kernel->parameters[i].kind == PARAMETER_OTHER; /* refused below */
    for (size_t i = 0; i < signature->symbol_count; i++) {
        writes |= is_result(&signature->symbols[i]) && !signature->symbols[i].has_value;
        writes_values |= is_result(&signature->symbols[i]);
    }
    if (!writes && !writes_values)
        return error_set(error, STATUS_BAD_INPUT,
                         "kernel %s writes neither to an argument nor to a variable of the source: "
                         "there is nothing to check; let it write its result into an array",
                         draft->kernel->name);
    draft_line(draft, "in the order in which the kernel takes them; ? every count", "\narguments:");
    for (size_t i = 0; i < draft->kernel->parameter_count; i++) {
        const struct kernel_parameter *parameter = &draft->kernel->parameters[i];
        if (parameter->kind == PARAMETER_OTHER)
            return error_set(error, STATUS_BAD_INPUT,
                             "kernel %s: parameter '%s' is a struct or an object, and only the "
                             "program knows its contents: draft with --program './app ...', or "
                             "from a capture (docs/capture.md)",
                             draft->kernel->name, parameter->text);
        if (parameter->kind == PARAMETER_POINTER)
            put_pointer(draft, parameter);
        else
            put_scalar(draft, parameter);
    }
    if (draft->kernel->parameter_count + signature->symbol_count > ARGUMENTS_MAX) {
        draft_line(draft, NULL,
                   "  # ? not set: %zu variables of the source, too many for arguments",
                   signature->symbol_count);
        return STATUS_OK;
    }
    for (size_t i = 0; i < signature->symbol_count; i++)
        if (!signature->symbols[i].has_value || (!writes && is_result(&signature->symbols[i])))
            put_symbol(draft, &signature->symbols[i]);
    return STATUS_OK;
}
