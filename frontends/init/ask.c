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

/* Uses the text as the parameter's argument. Returns false if the kind differs. */
static bool take_text(struct template_parameter *parameter, const char *text)
{
    char *end = NULL;
    const bool word = strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
    (void)strtoll(text, &end, 0);
    const bool fits = parameter->kind == TEMPLATE_TYPE ? element_from_c_name(text, &parameter->type)
                                                       : word || (*text && !*end);
    if (fits)
        parameter->preset = text;
    return fits;
}

/* Uses the argument of a launch. Returns false for neither a number nor a type. */
static bool take_argument(struct reading *reading, struct template_parameter *parameter,
                          const struct formula *argument)
{
    int64_t value = 0;
    if (!argument)
        return false;
    if (parameter->kind != TEMPLATE_TYPE && formula_value(argument, &value)) {
        parameter->preset = parameter->kind == TEMPLATE_BOOLEAN
                                ? (value ? "true" : "false")
                                : arena_printf(reading->arena, "%lld", (long long)value);
        return parameter->preset;
    }
    return argument->kind == FORMULA_NAME && take_text(parameter, argument->text);
}

/* Writes "scale<float, 4>": of the arguments of `wanted`, or, where that has no list, of the
 * source's launch, else the template's own. *unknown: an argument that none of these gives. */
static enum status name_instance(struct reading *reading, const char *wanted, const char **unknown,
                                 struct error *error)
{
    struct kernel_signature *kernel = reading->kernel;
    const struct source_launch *launch = &reading->out->launch;
    struct text text = {0};
    *unknown = NULL;
    reading->instance = kernel->name;
    if (kernel->template_count == 0)
        return STATUS_OK;
    const char *list = wanted ? strchr(wanted, '<') : NULL;
    struct tokens tokens = {0};
    bool is_plain = true;
    if (list && !tokens_read(reading->arena, list, &tokens))
        return error_no_memory(error);
    for (size_t at = 1, behind, i = 0; at + 1 < tokens.count && i < kernel->template_count;
         at = behind + 1, i++) {
        behind = item_end(&tokens, at, tokens.count - 1);
        const char *word = tokens_text(reading->arena, &tokens, at, behind);
        const struct formula *given = formula_read(reading->arena, &tokens, &at, behind);
        is_plain = is_plain && word &&
                   (take_text(&kernel->template[i], word) ||
                    (at == behind && take_argument(reading, &kernel->template[i], given)));
    }
    if (!is_plain) { /* neither numbers nor types */
        reading->instance = arena_printf(reading->arena, "%s%s", kernel->name, list);
        reading->out->instance = reading->instance;
        return reading->instance ? STATUS_OK : error_no_memory(error);
    }
    for (size_t i = 0; i < kernel->template_count && !*unknown; i++) {
        struct template_parameter *parameter = &kernel->template[i];
        const bool fits = (!list && i < launch->template_count &&
                           take_argument(reading, parameter, launch->template[i])) ||
                          (parameter->preset && take_text(parameter, parameter->preset));
        *unknown = fits ? NULL : parameter->name;
        text_printf(&text, "%s%s%s", i ? "" : kernel->name, i ? ", " : "<",
                    fits ? parameter->preset : "");
    }
    text_append(&text, ">");
    reading->instance = text_to_arena(&text, reading->arena);
    return reading->instance ? STATUS_OK : error_no_memory(error);
}

/* Returns true if the instance is one of the kernel: of that name, perhaps in more namespaces. */
static bool is_instance_of(const char *instance, const char *kernel)
{
    const size_t own = strcspn(instance, "<"), length = strlen(kernel);
    return own >= length && strncmp(instance + own - length, kernel, length) == 0 &&
           (own == length || instance[own - length - 1] == ':');
}

/* Lists the instances of the kernel that the source itself makes, in the PTX of the whole: the
 * compiler alone knows the arguments that a launch deduces. */
static enum status find_instances(struct reading *reading, struct text *list, const char **first,
                                  size_t *count, struct error *error)
{
    enum { LISTED_MAX = 6 };
    static const char probe[] = "extern \"C\" __global__ void tune_instances() {}\n";
    static const char entry[] = ".entry ";
    struct compiler_answer answer = {0};
    TRY(compile(reading, probe, "tune_instances", "nvcc", &answer, error));
    for (const char *at = answer.ptx ? strstr(answer.ptx, entry) : NULL; at;
         at = strstr(at, entry)) {
        at += strlen(entry);
        const char *symbol = arena_strndup(reading->arena, at, strcspn(at, "( \n"));
        const char *instance = symbol ? instance_of_symbol(reading->arena, symbol) : NULL;
        if (!instance || !is_instance_of(instance, reading->kernel->name))
            continue;
        if (*count < LISTED_MAX)
            text_printf(list, "%s--kernel '%s'", *count ? ", " : "", instance);
        *first = (*count)++ == 0 ? instance : *first;
    }
    if (*count > LISTED_MAX)
        text_printf(list, " and %zu more", *count - LISTED_MAX);
    return reading->arena->failed ? error_no_memory(error) : STATUS_OK;
}

/* Chooses the instance of a template: the named one, that of the source's launch, or the only one
 * that the source makes. */
static enum status choose_instance(struct reading *reading, struct error *error)
{
    const struct source_question *question = reading->question;
    const char *name = reading->kernel->name, *path = question->binary.source_path;
    const char *unknown = NULL, *first = NULL;
    struct text list = {0};
    struct error failed = {0};
    size_t count = 0;
    TRY(name_instance(reading, question->kernel, &unknown, error));
    reading->out->lacks_instance = unknown != NULL;
    if (unknown && !question->has_launches)
        (void)find_instances(reading, &list, &first, &count, &failed);
    if (count == 1 && !(question->kernel && strchr(question->kernel, '<')))
        (void)name_instance(reading, first, &unknown, error);
    reading->out->lacks_instance = unknown != NULL;
    if (failed.status == STATUS_COMPILE_FAILED || failed.status == STATUS_TIMED_OUT)
        *error = failed;
    else if (unknown && count > 0)
        (void)error_set(error, STATUS_BAD_INPUT,
                        "kernel %s: %s has %zu instances of this template: name one: %s; or draft "
                        "with --program './app ...': the one that it launches is taken",
                        name, path, count, text_string(&list));
    else if (unknown)
        (void)error_set(error, STATUS_BAD_INPUT,
                        "kernel %s: name an instance of this template, as the program launches it: "
                        "--kernel '%s<...>', or draft with --program './app ...' (%s has no launch "
                        "that gives %s%s%s)",
                        name, name, path, unknown, failed.status != STATUS_OK ? "; " : "",
                        failed.text);
    text_free(&list);
    return error->status;
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

static enum status ask_once(struct arena *arena, const struct source_question *question,
                            struct source_signature *out, struct error *error)
{
    struct reading reading = {.arena = arena, .question = question, .out = out};
    TRY(source_read_in(arena, question->binary.source_path, question->binary.folders,
                       question->binary.folder_count, &reading.source, error));
    if (!tokens_read(arena, reading.source.contents, &reading.tokens))
        return error_no_memory(error);
    TRY(declarations_read(arena, &reading.tokens, out, error));
    TRY(kernel_choose(arena, question, out, &reading.kernel, error));
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
    if (status == STATUS_COMPILE_FAILED)
        return explain(question->binary.source_path, error);
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

/* ---- headers near the source, and nvcc ---- */

/* Repeats the question with the folders of missing headers near the source. */
static enum status ask_with_folders(struct arena *arena, struct source_question *question,
                                    struct source_signature *out, struct error *error)
{
    enum status status = ask_once(arena, question, out, error);
    while (status == STATUS_COMPILE_FAILED && question->binary.folder_count < UNITS_MAX) {
        static const char before[] = "open source file \"";
        const char *name = strstr(error->text, before);
        const char *end = strstr(error->text, ": No such file or directory"); /* host compiler */
        if (name) {
            name += strlen(before);
            end = strchr(name, '"');
        } else if (end) {
            for (name = end; name > error->text && name[-1] != ' ';)
                name--;
        }
        const char *header = name && end ? arena_strndup(arena, name, (size_t)(end - name)) : NULL;
        const char *folder =
            header ? nearby_folder_of(arena, question->binary.source_path, header) : NULL;
        for (size_t i = 0; folder && i < question->binary.folder_count; i++)
            if (strcmp(question->binary.folders[i], folder) == 0)
                folder = NULL;
        if (!folder)
            break;
        question->binary.folders[question->binary.folder_count++] = folder;
        error_clear(error);
        status = ask_once(arena, question, out, error);
    }
    return status;
}

enum status source_ask(struct arena *arena, struct source_question *question, bool one_compiler,
                       struct source_signature *out, struct error *error)
{
    struct error by_nvcc = {0};
    struct source_question other = *question;
    const enum status status = ask_with_folders(arena, question, out, error);
    struct source_signature *answer = arena_alloc(arena, 1, sizeof *answer);
    if (status != STATUS_COMPILE_FAILED || one_compiler || question->binary.compiler || !answer)
        return status;
    other.binary.compiler = "nvcc";
    const enum status second = ask_with_folders(arena, &other, answer, &by_nvcc);
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
