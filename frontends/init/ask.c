/* Asks the compiler for the types of a kernel's parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/capture/capture.h"
#include "frontends/init/embedded.h"
#include "frontends/init/formula.h"
#include "tuner/base/array.h"
#include "tuner/base/clock.h"
#include "tuner/base/source.h"
#include "tuner/base/text.h"
#include "tuner/device/compiler.h"

struct reading {
    struct arena *arena;
    const struct source_question *question;
    struct source source;
    struct tokens tokens;
    struct source_signature *out;
    struct kernel_signature *kernel;
    const char *instance;
};

/* ---- compiling ---- */

/* Compiles the source with a text behind it, which names the kernel. */
static enum status compile(struct reading *reading, const char *behind, const char *kernel,
                           const char *compiler, struct compiler_answer *answer,
                           struct error *error)
{
    const struct source_question *question = reading->question;
    struct binary_request request = question->binary;
    const int64_t most_ns = question->deadline_ns - clock_now_ns();
    if (most_ns <= 0)
        return error_set(error, STATUS_TIMED_OUT,
                         "%s: the compiler's answers take too long: name its folders (--include) "
                         "or how it is compiled (-- nvcc ...)",
                         question->binary.source_path);
    request.compiler = compiler;
    request.kernels[request.kernel_count++] = kernel;
    for (size_t i = 0; i < reading->out->macro_count; i++)
        if (!reading->out->macros[i].fixed) /* the source itself defines that */
            request.defines[request.define_count++] = (struct named_value){
                reading->out->macros[i].name, value_text(reading->out->macros[i].preset)};
    const char *source = arena_printf(reading->arena, "%s\n#line 1 \"what tune init asks\"\n%s",
                                      reading->source.text, behind);
    TRY_MEMORY(source);
    return device_ask_compiler(reading->arena, source, &request, most_ns, answer, error);
}

/* ---- instances of templates ---- */

/* Returns the argument as text: a number by its value, others as they are. */
static const char *argument_text(struct arena *arena, const struct formula *argument,
                                 const char *as_it_is)
{
    int64_t value = 0;
    return argument && formula_value(argument, false, &value)
               ? arena_printf(arena, "%lld", (long long)value)
               : as_it_is;
}

/* Returns true for a number and for a type of elements, which mean the same everywhere. */
static bool is_plain(const char *argument)
{
    enum element_type type;
    return argument &&
           (is_number(argument) || is_word(argument) || element_from_c_name(argument, &type));
}

/* Names the instance of a template, "scale<float, 4>": with the arguments of the question, or,
 * where that has none, of the source's launch, else the template's own. */
static enum status choose_instance(struct reading *reading, struct error *error)
{
    struct kernel_signature *kernel = reading->kernel;
    const struct source_launch *launch = &reading->out->launch;
    const char *wanted = reading->question->kernel, *list = wanted ? strchr(wanted, '<') : NULL;
    const char *unknown = NULL;
    struct text text = {0};
    struct tokens tokens = {0};
    if (!tokens_read(reading->arena, list ? list : "<>", &tokens))
        return error_no_memory(error);
    const size_t close = tokens.count - 1;
    text_append(&text, kernel->name);
    for (size_t i = 0, at = 1, end; i < kernel->template_count && !unknown; i++, at = end + 1) {
        struct template_parameter *parameter = &kernel->template[i];
        const char *given = NULL;
        end = i + 1 < kernel->template_count ? item_end(&tokens, at, close) : close;
        if (at < end) {
            size_t first = at;
            const struct formula *number = formula_read(reading->arena, &tokens, &first, end);
            given = argument_text(reading->arena, first == end ? number : NULL,
                                  tokens_text(reading->arena, &tokens, at, end));
        } else if (!list && i < launch->template_count && launch->template[i]) {
            const struct formula *argument = launch->template[i];
            given = argument_text(reading->arena, argument,
                                  argument->kind == FORMULA_NAME ? argument->text : NULL);
        }
        if (given && (list || is_plain(given)))
            parameter->preset = given;
        unknown =
            parameter->preset && (list || is_plain(parameter->preset)) ? NULL : parameter->name;
        text_printf(&text, "%s%s", i ? ", " : "<", unknown ? "" : parameter->preset);
    }
    text_append(&text, kernel->template_count ? ">" : "");
    reading->instance = text_to_arena(&text, reading->arena);
    reading->out->lacks_instance = unknown != NULL;
    TRY_MEMORY(reading->instance && !reading->arena->failed);
    return unknown ? error_set(error, STATUS_BAD_INPUT,
                               "kernel %s: name an instance of this template, as the program "
                               "launches it: --kernel '%s<...>', or draft with --program './app "
                               "...' (%s has no launch that gives %s)",
                               kernel->name, kernel->name, reading->question->binary.source_path,
                               unknown)
                   : STATUS_OK;
}

/* ---- types ---- */

/* Takes the numbers that the compiler has put into the variable: bytes, without zeros at the end.
 */
static enum status take_answer(struct reading *reading, const char *ptx, struct error *error)
{
    struct kernel_signature *kernel = reading->kernel;
    const size_t type_count = kernel->parameter_count + reading->out->symbol_count;
    uint32_t numbers[1 + 5 * (ARGUMENTS_MAX + SYMBOLS_MAX)] = {0};
    const char *at = ptx ? strstr(ptx, " tune_answer[") : NULL;
    at = at ? at + strcspn(at, "{;") : "";
    for (size_t i = 0; (*at == '{' || *at == ',') && i < sizeof numbers; i++) {
        char *end = NULL;
        numbers[i / 4] |= (uint32_t)strtoul(at + 1, &end, 10) << i % 4 * 8;
        at = end;
    }
    const uint32_t count = numbers[0];
    const bool fits = count == kernel->parameter_count;
    for (size_t i = 0; fits && i < type_count; i++) {
        const uint32_t *own = numbers + 1 + i; /* pointer, constant, code, lanes, bytes */
        const uint32_t code = own[2 * type_count];
        const bool known = code > 0 && code <= ELEMENT_TYPE_COUNT;
        const enum element_type type = known ? (enum element_type)(code - 1) : ELEMENT_I8;
        struct kernel_parameter *parameter =
            i < count ? &kernel->parameters[i] : &reading->out->symbols[i - count];
        const bool is_object = parameter->text && (strstr(parameter->text, "cudaTextureObject_t") ||
                                                   strstr(parameter->text, "cudaSurfaceObject_t"));
        parameter->known =
            known && (!parameter->is_symbol || (own[0] == 0 && own[4 * type_count] > 0));
        parameter->type = type;
        parameter->constant = parameter->is_symbol ? parameter->constant : own[type_count];
        parameter->lanes = own[3 * type_count];
        parameter->bytes = own[4 * type_count];
        parameter->kind = own[0] == 1                                    ? PARAMETER_POINTER
                          : known && parameter->lanes == 1 && !is_object ? PARAMETER_SCALAR
                                                                         : PARAMETER_OTHER;
    }
    if (count > ARGUMENTS_MAX)
        return error_set(error, STATUS_BAD_INPUT,
                         "kernel %s takes %u parameters, and an experiment has %d arguments at "
                         "most: put some into a struct",
                         kernel->name, count, ARGUMENTS_MAX);
    return fits ? STATUS_OK
                : error_set(error, STATUS_BAD_INPUT,
                            "kernel %s: its parameters cannot be distinguished in the source: tune "
                            "it from a capture alone (tune capture, docs/capture.md)",
                            kernel->name);
}

/* Asks for the types of the kernel's parameters and of the variables, by a probe behind the source.
 */
static enum status ask_types(struct reading *reading, struct compiler_answer *answer,
                             struct error *error)
{
    struct text text = {0};
    text_printf(&text, "%s__device__ auto tune_answer = tune_probe::tune_asked<decltype(&::%s)",
                init_probe, reading->instance);
    for (size_t i = 0; i < reading->out->symbol_count; i++)
        text_printf(&text, ", decltype(::%s)", reading->out->symbols[i].name);
    text_append(&text, ">::tune_get();\n");
    const char *probe = text_to_arena(&text, reading->arena);
    TRY_MEMORY(probe);
    TRY(compile(reading, probe, reading->instance, reading->question->binary.compiler, answer,
                error));
    reading->out->symbol = answer->symbol;
    return take_answer(reading, answer->ptx, error);
}

/* Adds advice to the compiler's error. */
static enum status explain(const char *path, struct error *error)
{
    static const struct {
        const char *sign, *advice;
    } known[] = {
        {"\" is undefined", "give its value, --define NAME=..., and numbers are tuned; or the "
                            "project's compile line: tune init ... -- nvcc ..."},
        {"Unresolved extern", "only declared here: name the source that defines it behind this "
                              "one, tune init k.cu OTHER.cu"},
        {"Undefined reference", "only declared here: name the source that defines it behind this "
                                "one, tune init k.cu OTHER.cu"},
        {"No such file or directory", "name its folder, --include FOLDER; or say how the project "
                                      "compiles it: tune init ... -- nvcc ..."},
        {"overloaded function", "there are several kernels of that name: give the one to tune a "
                                "name of its own, or tune it from a capture (tune capture)"},
        {"what tune init asks", "the compiler does not see the kernel, as where an #if leaves it "
                                "out: say how the project compiles it (-- nvcc ...)"},
        {"", "say how the project compiles it: tune init ... -- nvcc ..."}};
    char text[ERROR_TEXT_BYTES];
    size_t row = 0;
    while (!strstr(error->text, known[row].sign))
        row++;
    (void)string_format(text, sizeof text, "%.*s", ERROR_TEXT_BYTES * 3 / 4, error->text);
    const bool is_named = !strstr(text, "what tune init asks");
    return error_set(error, STATUS_COMPILE_FAILED, "%s%s%s (%s)", is_named ? "" : path,
                     is_named ? "" : ": ", text, known[row].advice);
}

struct hunt {
    struct arena *arena;
    const char *header, *folder; /* the header, and the folder of the first file that ends so */
};

static bool is_header(void *context, const char *path)
{
    struct hunt *hunt = context;
    if (text_ends_with(path, hunt->header))
        hunt->folder = arena_strndup(hunt->arena, path, strlen(path) - strlen(hunt->header));
    return hunt->folder;
}

/* Adds the folder near the source that has the header which the compiler's error misses. Returns
 * false if there is none, or the question has it. */
static bool add_folder(struct arena *arena, const struct tokens *tokens, const char *missed,
                       struct source_question *question)
{
    struct binary_request *binary = &question->binary;
    const bool misses = strstr(missed, "open source file") || strstr(missed, "No such file");
    for (size_t i = 0; misses && i < tokens->count && binary->folder_count < UNITS_MAX; i++) {
        const char *name = NULL, *end = NULL;
        if (!token_is_directive(&tokens->items[i], "include", &name, &end) || end - name < 3)
            continue;
        const int length = (int)strcspn(name + 1, "\">\n");
        struct hunt hunt = {arena, arena_printf(arena, "/%.*s", length, name + 1), NULL};
        if (hunt.header && strstr(missed, hunt.header + 1))
            nearby_visit(arena, binary->source_path, is_header, &hunt);
        for (size_t k = 0; hunt.folder && k < binary->folder_count; k++)
            hunt.folder = strcmp(binary->folders[k], hunt.folder) == 0 ? NULL : hunt.folder;
        if (hunt.folder) {
            binary->folders[binary->folder_count++] = hunt.folder;
            return true;
        }
    }
    return false;
}

static enum status ask_once(struct arena *arena, struct source_question *question,
                            struct source_signature *out, struct error *error)
{
    struct reading reading = {.arena = arena, .question = question, .out = out};
    TRY(source_read_in(arena, question->binary.source_path, question->binary.folders,
                       question->binary.folder_count, &reading.source, error));
    if (!tokens_read(arena, reading.source.contents, &reading.tokens))
        return error_no_memory(error);
    TRY(declarations_read(arena, &reading.tokens, out, error));
    TRY(kernel_choose(question, out, &reading.kernel, error));
    out->chosen = reading.kernel;
    memcpy(out->macros, question->defines, sizeof out->macros);
    out->macro_count = question->define_count;
    if (!launches_read(arena, question->binary.source_path, &reading.tokens, out) ||
        !numbers_read(arena, &reading.tokens, out))
        return error_no_memory(error);
    struct compiler_answer answer = {0};
    struct error ignored = {0};
    enum status status = choose_instance(&reading, error);
    if (status == STATUS_OK)
        status = ask_types(&reading, &answer, error);
    if (status == STATUS_COMPILE_FAILED) {
        if (!add_folder(arena, &reading.tokens, error->text, question))
            return explain(question->binary.source_path, error);
        error_clear(error);
        return ask_once(arena, question, out, error);
    }
    if (status != STATUS_OK)
        return status;
    if (!roles_read(arena, answer.ptx, answer.symbol, out, reading.kernel))
        return error_no_memory(error);
    bool has_objects = false; /* textures are in structs, or are objects */
    for (size_t i = 0; i < reading.kernel->parameter_count; i++)
        has_objects |= reading.kernel->parameters[i].kind == PARAMETER_OTHER;
    if (out->fetches && !has_objects)
        return error_set(error, STATUS_BAD_INPUT,
                         "kernel %s reads a texture reference, which CUDA has no more: write its "
                         "argument by hand (docs/experiment-files.md: symbol, texture)",
                         reading.kernel->name);
    if (out->symbol_count > 0) /* unknown types stay unknown */
        (void)ask_types(&reading, &answer, &ignored);
    return STATUS_OK;
}

/* ---- the whole ---- */

enum status source_ask(struct arena *arena, struct source_question *question, bool one_compiler,
                       struct source_signature *out, struct error *error)
{
    struct error by_nvcc = {0};
    struct source_question other = *question;
    const enum status status = ask_once(arena, question, out, error);
    struct source_signature *answer = arena_alloc(arena, 1, sizeof *answer);
    if (status != STATUS_COMPILE_FAILED || one_compiler || question->binary.compiler || !answer)
        return status;
    other.binary.compiler = "nvcc";
    const enum status second = ask_once(arena, &other, answer, &by_nvcc);
    if (second == STATUS_OK) {
        *question = other;
        *out = *answer;
        error_clear(error);
        return STATUS_OK;
    }
    if (second == STATUS_COMPILE_FAILED) /* nvcc has the host's headers: better error */
        *error = by_nvcc;
    return status;
}
