/* The file of a drafted experiment. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/init/draft_parts.h"
#include "tuner/base/array.h"
#include "tuner/base/json.h"
#include "tuner/experiment/point.h"

enum { COMMENT_COLUMN = 64, STRUCT_BYTES_MAX = 4096 };

/* Returns true for an integer that bounds the kernel's indices, or multiplies one. */
static bool is_size(const struct kernel_parameter *parameter)
{
    return parameter->kind == PARAMETER_SCALAR && !element_is_real(parameter->type) &&
           parameter->bytes >= 4 && parameter->is_bound;
}

/* ---- lines ---- */

/* Writes a line and a comment behind. */
static __attribute__((format(printf, 3, 4))) void put_line(struct draft *draft, const char *comment,
                                                           const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const char *last = strrchr(line, '\n');
    int length = (int)strlen(last ? last + 1 : line);
    if (comment)
        text_printf(draft->out, "%s%*s  # %s\n", line,
                    length < COMMENT_COLUMN ? COMMENT_COLUMN - length : 0, "", comment);
    else
        text_printf(draft->out, "%s\n", line);
}

const char *draft_elements(const struct draft *draft, uint32_t times)
{
    const char *text =
        times > 1 ? arena_printf(draft->arena, "%u * %s", times, draft->size) : draft->size;
    for (uint32_t axis = 1; axis < draft->axes && text; axis++)
        text = arena_printf(draft->arena, "%s * %s", text, draft->size);
    return text ? text : "";
}

const char *draft_text(const struct draft *draft, struct text *text)
{
    const char *copy = text_to_arena(text, draft->arena);
    draft->out->failed |= !copy;
    return copy ? copy : "1";
}

/* Writes `key: ["a", "b"]` and a comment behind; nothing for no items. */
static void put_list(struct draft *draft, const char *key, const char *const *items, size_t count,
                     const char *comment)
{
    for (size_t i = 0; i < count; i++) {
        text_append(draft->out, i ? ", " : key);
        json_append_string(draft->out, items[i]);
    }
    if (count > 0)
        text_printf(draft->out, "]%s\n", comment);
}

static void put_head(struct draft *draft)
{
    /* Smallest first: soon shows whether the kernel runs with the guesses. */
    static const char *const sizes[] = {
        [1] = "[65536, 1048576, 16777216]", "[256, 1024, 4096]", "[64, 128, 256]"};
    const struct draft_request *file = draft->request;
    const struct binary_request *binary = &file->binary;
    const char *flags[FLAGS_MAX + 1], *sources[UNITS_MAX + 1] = {binary->source_path};
    size_t flag_count = binary->flag_count;
    char *source = arena_strdup(draft->arena, binary->source_path);
    if (source)
        text_make_printable(source); /* without ends of comments */
    text_printf(draft->out,
                "# Tunes %s of %s. Made by 'tune init': guesses are marked with\n# a '?'. Every "
                "key of such a file: docs/experiment-files.md.\nexperiment: %s\n",
                draft->kernel->name, source ? source : "", file->experiment);
    memcpy(sources + 1, binary->units, sizeof binary->units);
    memcpy(flags, binary->flags, sizeof binary->flags);
    for (size_t i = 0; i <= flag_count && draft->limits_registers; i++)
        if (i == flag_count || strncmp(flags[i], register_flag, strlen(register_flag)) == 0) {
            flag_count += i == flag_count;
            flags[i] = "-maxrregcount=${registers}";
            break;
        }
    if (binary->unit_count > 0)
        put_list(draft, "sources: [", sources, binary->unit_count + 1, "");
    else {
        text_append(draft->out, "source: ");
        json_append_string(draft->out, sources[0]);
        text_append(draft->out, "\n");
    }
    if (binary->compiler)
        text_printf(draft->out, "compiler: %s%s\n", binary->compiler,
                    file->compiler_found ? "  # ? NVRTC does not take this source" : "");
    const char *build = file->build ? file->build : "the build has it";
    const char *as = binary->flag_count > 0 ? arena_printf(draft->arena, "  # as %s", build) : "";
    put_list(draft, "flags: [", flags, flag_count, as ? as : "");
    put_list(draft, "include: [", binary->folders, binary->folder_count,
             file->folders_found ? "  # ? found near the source" : "");
    if (file->captured) {
        text_append(draft->out, "\n# Each launch that was captured is a size.\n");
        captured_put_sizes(file->captured, draft->out);
        return;
    }
    put_line(draft, "each size is tuned by itself", "\nsizes:");
    if (draft->size_value > 0)
        put_line(draft, "as the source has it", "  %s: [%lld]", draft->size,
                 (long long)draft->size_value);
    else
        put_line(draft, "?", "  %s: %s", draft->size, sizes[draft->axes]);
}

/* Writes the limits of the block: no more threads than a device takes, no less than a warp where
 * the default configuration has one; and, where many configurations with several other values fail,
 * that one value is another. */
static void put_constraints(struct draft *draft)
{
    const struct together *together = &draft->request->values.together;
    const struct formula *threads = draft->sides[0];
    const char *between = "";
    struct text text = {0};
    for (size_t axis = 1; axis < 3; axis++)
        threads = formula_binary(draft->arena, "*", threads, draft->sides[axis]);
    const bool is_limited =
        threads && threads->kind != FORMULA_NAME && formula_names(threads, NULL);
    const bool is_one = together_mostly_fail(together);
    if (is_limited || is_one)
        text_append(draft->out, "constraints:\n");
    if (is_limited) {
        formula_put(threads, &text);
        text_printf(
            draft->out, "  - %s%s <= 1024\n",
            draft_at_presets(draft, threads) >= 32 ? "32 <= " : "1 <= ", text_string(&text));
    }
    text_clear(&text);
    for (size_t i = 0; i < draft->tunable_count; i++)
        if (strchr(draft->tunables[i].values, ',')) {
            const char *preset = draft->tunables[i].preset;
            text_printf(&text, "%s(%s != %s)", between, draft->tunables[i].name,
                        strcmp(preset, "true") == 0    ? "True"
                        : strcmp(preset, "false") == 0 ? "False"
                                                       : preset);
            between = " + ";
        }
    if (is_one)
        put_line(draft,
                 arena_printf(draft->arena,
                              "? of %zu configurations with several other values %zu fail or "
                              "leave other results",
                              together->tried, together->tried - together->right),
                 "  - %s <= 1", text_string(&text));
    draft->out->failed |= text.failed || !threads;
    text_free(&text);
}

static void put_define(struct draft *draft, bool *is_first, const char *name, const char *value)
{
    if (*is_first)
        put_line(draft, "given to the compiler as -DNAME=value", "\ndefines:");
    *is_first = false;
    text_printf(draft->out, "  %s: %s\n", name, value ? value : "");
}

static void put_parameters(struct draft *draft)
{
    const struct captured_set *captured = draft->request->captured;
    const char *results = captured ? captured_block_results(captured) : NULL;
    put_line(draft, "tuned: every combination is a point", "\nparameters:");
    for (size_t i = 0; i < draft->tunable_count; i++)
        put_line(draft,
                 draft->tunables[i].is_partly_wrong
                     ? "? values; others were tried, and fail or leave other results"
                 : draft->tunables[i].axis == 'r'
                     ? "limit of registers, 0: none; nothing else can be tuned"
                 : draft->tunables[i].fixed
                     ? "? values; the source has a #define of it, which gives way"
                     : "? values",
                 "  %s: [%s]", draft->tunables[i].name, draft->tunables[i].values);
    if (draft->request->signature->not_tuned)
        text_printf(draft->out, "  # not tuned: %s\n", draft->request->signature->not_tuned);
    if (draft->request->values.untried)
        text_printf(
            draft->out,
            "  # not tried with the program's data, for want of time (a run tries them): %s\n",
            draft->request->values.untried);
    if (results && draft->request->values.wrong_count > 0)
        text_printf(draft->out,
                    "  # each block leaves a result of its own in %s, and other blocks others: to "
                    "tune them, let its count follow\n  # the grid, and check it by a C function "
                    "(docs/experiment-files.md#check)\n",
                    results);
    put_line(draft,
             draft->request->captured ? "as the program launches it"
             : draft->launch.line > 0 ? "as the source launches it"
                                      : "the untuned configuration",
             "defaults:");
    for (size_t i = 0; i < draft->tunable_count; i++)
        text_printf(draft->out, "  %s: %s\n", draft->tunables[i].name, draft->tunables[i].preset);
    put_constraints(draft);
    bool is_first = true;
    for (size_t i = 0; i < draft->tunable_count; i++)
        if (draft->tunables[i].is_define)
            put_define(draft, &is_first, draft->tunables[i].name, draft->tunables[i].name);
    const struct source_signature *signature = draft->request->signature;
    for (size_t i = 0; i < signature->macro_count; i++) {
        const struct macro_signature *macro = &signature->macros[i];
        const bool is_text = !is_number(macro->preset);
        if (macro->is_named && (is_text || macro->is_given))
            put_define(draft, &is_first, macro->name,
                       is_text ? arena_printf(draft->arena, "\"'%s'\"", macro->preset)
                               : macro->preset);
    }
}

static const char *kernel_name(const struct draft *draft)
{
    struct text text = {0};
    text_append(&text, draft->kernel->name);
    for (size_t i = 0; i < draft->kernel->template_count; i++) {
        const struct template_parameter *parameter = &draft->kernel->template[i];
        const bool is_tuned = is_number(parameter->preset) || is_word(parameter->preset);
        text_printf(&text, is_tuned ? "%s${%s}" : "%s%s", i ? ", " : "<",
                    is_tuned ? parameter->name : parameter->preset);
    }
    text_append(&text, draft->kernel->template_count ? ">" : "");
    return draft_text(draft, &text);
}

/* Writes the sides up to the last other than 1. */
static const char *sides_text(struct draft *draft, const char *const sides[3])
{
    const size_t count = strcmp(sides[2], "1") != 0 ? 3 : strcmp(sides[1], "1") != 0 ? 2 : 1;
    struct text list = {0};
    for (size_t i = 0; i < count; i++) {
        const char *quote = strchr(sides[i], ',') ? "\"" : "";
        text_printf(&list, "%s%s%s%s", i ? ", " : "", count > 1 ? quote : "", sides[i],
                    count > 1 ? quote : "");
    }
    const char *text = draft_text(draft, &list);
    return count > 1 ? arena_printf(draft->arena, "[%s]", text) : text;
}

static void put_launch(struct draft *draft)
{
    const struct source_signature *signature = draft->request->signature;
    const struct source_launch *launch = &draft->launch;
    text_printf(draft->out, "\nlaunches:\n  - kernel: \"%s\"\n", kernel_name(draft));
    if (draft->request->captured) {
        captured_put_launch(draft->request->captured, draft->grid_texts, draft->block_texts,
                            draft->shared_text, draft->out);
        return;
    }
    const bool is_guessed =
        draft->side_guessed[0] || draft->side_guessed[1] || draft->side_guessed[2];
    static const char by_index[] = "by the kernel's indices";
    const char *where = launch->line == 0 ? by_index
                        : launch->path    ? arena_printf(draft->arena, "as in line %u of %s",
                                                         launch->line, launch->path)
                                          : "as the source launches it";
    put_line(draft,
             launch->grid[0]              ? where
             : signature->indices.span[0] ? by_index
                                          : "? blocks: as many as cover the work",
             "    grid: %s", sides_text(draft, draft->grid_texts));
    put_line(draft,
             is_guessed ? "? threads per block: neither a launch nor the kernel says how many"
             : launch->block[0] ? where
                                : by_index,
             "    block: %s", sides_text(draft, draft->block_texts));
    if (signature->dynamic_shared && draft->shared_text)
        text_printf(draft->out, "    shared: \"%s\"\n", draft->shared_text);
    else if (signature->dynamic_shared)
        put_line(draft, "? bytes of the extern __shared__ array", "    shared: 4 * (%s)",
                 draft->block_texts[0]);
    if (signature->symbol_count == 0 || draft->kernel->parameter_count == 0)
        return;
    text_append(draft->out, "    arguments: [");
    for (size_t i = 0; i < draft->kernel->parameter_count; i++)
        text_printf(draft->out, "%s%s", i ? ", " : "", draft->kernel->parameters[i].name);
    text_append(draft->out, "]\n");
}

/* ---- arguments ---- */

/* Returns true for an array or a variable that the kernel writes. */
static bool is_result(const struct kernel_parameter *one)
{
    return (one->kind == PARAMETER_POINTER || one->is_symbol) && !one->constant &&
           (one->is_written || one->is_hidden);
}

static const char *type_of(const struct kernel_parameter *parameter)
{
    return parameter->known ? element_name(parameter->type) : "u8";
}

/* Writes an array, the argument of the kernel's pointer or of a variable of the source. */
static void put_array(struct draft *draft, const struct kernel_parameter *one)
{
    const char *name = one->is_symbol ? unqualified_name(one->name) : one->name;
    const uint32_t times = one->known ? one->lanes : one->bytes;
    const uint32_t bytes = one->known ? (uint32_t)element_bytes(one->type) : 1;
    const bool result = is_result(one), real = one->known && element_is_real(one->type);
    /* Integers may be places in another argument. */
    const bool places = one->known && !real && bytes >= 4 && !one->is_symbol;
    const bool whole = times > STRUCT_BYTES_MAX; /* a struct of arrays: few elements */
    if (one->is_symbol && !one->known) {
        text_printf(draft->out, "  # ? not set: %s, which is no number and no array of numbers\n",
                    one->name);
        return;
    }
    const char *count = one->is_symbol ? arena_printf(draft->arena, "%u", one->bytes / bytes)
                        : whole        ? arena_printf(draft->arena, "%u", times)
                        : one->extent  ? one->extent
                                       : draft_elements(draft, times > 0 ? times : 1);
    const char *role =
        !one->known ? result ? "update: true, fill: zero" : "fill: zero"
        : result && (one->is_read || one->is_hidden) /* begins so */
            ? real && !one->is_symbol ? "update: true, fill: random" : "update: true, fill: zero"
            : result   ? "output: true"
              : places ? arena_printf(draft->arena, "fill: {uniform: [0, %s - 1]}", draft->size)
                       : "fill: random";
    const bool sure = one->known && !one->is_hidden && (!places || result);
    const char *comment =
        !one->is_symbol ? arena_printf(draft->arena, "%s%s", sure ? "" : "? ", one->text)
        : result        ? "? a __device__ variable that the kernel writes"
                 : arena_printf(draft->arena, "? copied into the %s variable before the first run",
                                one->constant ? "__constant__" : "__device__");
    const char *symbol =
        one->is_symbol ? arena_printf(draft->arena, ", symbol: \"%s\"", one->name) : "";
    put_line(draft, comment, "  - {name: %s, type: %s, count: %s, %s%s}", name, type_of(one),
             count ? count : "", role ? role : "", symbol ? symbol : "");
    if (result && ++draft->result_count > CHECKS_MAX)
        draft->unchecked =
            draft->unchecked ? arena_printf(draft->arena, "%s, %s", draft->unchecked, name) : name;
}

static enum status put_arguments(struct draft *draft, struct error *error)
{
    const struct source_signature *signature = draft->request->signature;
    bool writes = false, writes_values = false; /* values that the source gives: internal state */
    for (size_t i = 0; i < draft->kernel->parameter_count; i++)
        writes |= is_result(&draft->kernel->parameters[i]) ||
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
    put_line(draft, "in the order in which the kernel takes them; ? every count", "\narguments:");
    for (size_t i = 0; i < draft->kernel->parameter_count; i++) {
        const struct kernel_parameter *parameter = &draft->kernel->parameters[i];
        if (parameter->kind == PARAMETER_OTHER)
            return error_set(error, STATUS_BAD_INPUT,
                             "kernel %s: parameter '%s' is a struct or an object, and only the "
                             "program knows its contents: draft with --program './app ...', or "
                             "from a capture (docs/capture.md)",
                             draft->kernel->name, parameter->text);
        if (parameter->kind == PARAMETER_POINTER) {
            put_array(draft, parameter);
            continue;
        }
        put_line(
            draft,
            arena_printf(draft->arena, "%s%s", is_size(parameter) ? "" : "? ", parameter->text),
            "  - {name: %s, type: %s, value: %s}", parameter->name, type_of(parameter),
            is_size(parameter) ? draft->size : "1");
    }
    if (draft->kernel->parameter_count + signature->symbol_count > ARGUMENTS_MAX) {
        put_line(draft, NULL, "  # ? not set: %zu variables of the source, too many for arguments",
                 signature->symbol_count);
        return STATUS_OK;
    }
    for (size_t i = 0; i < signature->symbol_count; i++)
        if (!signature->symbols[i].has_value || (!writes && is_result(&signature->symbols[i])))
            put_array(draft, &signature->symbols[i]);
    return STATUS_OK;
}

/* ---- the whole ---- */

enum status draft_experiment(struct arena *arena, const struct draft_request *request,
                             struct text *out, struct error *error)
{
    struct draft *draft = arena_alloc(arena, 1, sizeof *draft);
    if (!draft)
        return error_no_memory(error);
    *draft = (struct draft){.arena = arena,
                            .request = request,
                            .kernel = request->signature->chosen,
                            .out = out,
                            .flat = true};
    size_t sizes = 0;
    for (size_t i = 0; i < draft->kernel->parameter_count; i++)
        sizes += is_size(&draft->kernel->parameters[i]);
    draft->flat = !draft->kernel->uses[1] && (sizes < 2 || request->captured);
    draft->axes = draft->flat ? 1 : draft->kernel->uses[1] && draft->kernel->uses[2] ? 3 : 2;
    draft_list_tunables(draft);
    draft_find_grid(draft);
    draft_add_registers(draft);
    if (request->captured)
        request->captured->question.size = draft->size;
    put_head(draft);
    put_parameters(draft);
    put_launch(draft);
    if (request->captured) {
        text_append(out, "\n");
        captured_put_derived(request->captured, out);
        captured_put_arguments(request->captured, request->captured_folder, out);
        text_append(out, "\n# Results of the program's own launch. ? Other launches may add in "
                         "another order.\n");
        captured_put_checks(request->captured, request->captured_folder, false, out);
        text_append(out,
                    "baselines:\n  - {name: program, about: As the program launches it, set: {");
        for (size_t i = 0; i < draft->tunable_count; i++)
            text_printf(out, "%s%s: %s", i ? ", " : "", draft->tunables[i].name,
                        draft->tunables[i].preset);
        text_append(out, "}}\n");
    } else {
        TRY(put_arguments(draft, error));
        text_append(out, "\n# Without a check every output is compared with the default "
                         "configuration's. Better:\n# check:\n#   output: NAME\n#   reference: "
                         "my_reference   # a C function in my_reference.c (kernels/README.md)\n#   "
                         "source: my_reference.c\n#   tolerance: 1e-5\n# or series: \"2 * i + 1\", "
                         "file: expected.bin, launches: [another kernel]\n");
        if (draft->unchecked)
            put_line(draft, "? no more are compared", "check: {unchecked: [%s]}", draft->unchecked);
    }
    return out->failed || arena->failed ? error_no_memory(error) : STATUS_OK;
}
