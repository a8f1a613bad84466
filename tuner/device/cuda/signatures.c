#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/source.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/compile.h"
#include "tuner/device/cuda/cubin.h"
#include "tuner/device/cuda/driver.h"
#include "tuner/device/cuda/signature_errors.h"
#include "tuner/device/cuda/signature_fields.h"
#include "tuner/device/cuda/signature_headers.h"
#include "tuner/device/gpu/tokens.h"

enum { QUICK_SINCE = 13 }; /* of NVRTC: --Ofast-compile */

struct asking {
    struct arena *arena;
    const struct signature_question *question;
    struct source source;
    struct tokens tokens;
    struct source_signature *out;
    struct kernel_signature *kernel;
    const char *instance;
    const char *probe; /* the namespace of what is asked behind the source */
};

/* ---- which instance of a template ---- */

static bool guess_template(struct asking *asking, struct kernel_signature *kernel)
{
    const struct tokens *tokens = &asking->tokens;
    struct tokens whole; /* with the host's part, which may say what it launches */
    if (!tokens_read(asking->arena, asking->source.contents, &whole))
        whole = *tokens;
    if (!guess_instance(asking->arena, &whole, kernel))
        return false;
    for (size_t i = 0; i < kernel->template_count; i++) {
        struct template_parameter *parameter = &kernel->template[i];
        parameter->square = uses_as_square(tokens, parameter->name);
        if (!parameter->preset && parameter->kind == TEMPLATE_NUMBER)
            parameter->preset = guess_as_set(asking->arena, &whole, parameter->name);
        if (!parameter->preset && parameter->square)
            parameter->preset = "16";
        for (size_t j = 0; j < i && parameter->preset; j++) /* typename V = T */
            if (strcmp(parameter->preset, kernel->template[j].name) == 0)
                parameter->preset = kernel->template[j].preset;
        if (parameter->kind == TEMPLATE_OTHER)
            parameter->preset = guess_enumerator(asking->arena, &whole, kernel, parameter);
        if (parameter->preset)
            continue;
        if (parameter->kind == TEMPLATE_OTHER)
            return false;
        parameter->is_guessed = true;
        parameter->preset = parameter->kind == TEMPLATE_TYPE      ? guess_type(parameter->name)
                            : parameter->kind == TEMPLATE_BOOLEAN ? "true"
                                                                  : guess_value(parameter->name);
    }
    for (size_t i = 0; i < kernel->template_count; i++) {
        struct template_parameter *parameter = &kernel->template[i];
        if (parameter->kind == TEMPLATE_TYPE &&
            !type_from_cuda_name(parameter->preset, &parameter->type))
            parameter->kind = TEMPLATE_OTHER;
        for (size_t j = 0; j < kernel->parameter_count && parameter->kind == TEMPLATE_OTHER; j++)
            if (kernel->parameters[j].generic &&
                strcmp(kernel->parameters[j].generic, parameter->name) == 0)
                kernel->parameters[j].generic = NULL; /* a class is no axis of types */
    }
    return true;
}

/* "scale<float, 4>" */
static enum status write_instance(struct asking *asking, struct error *error)
{
    struct text text = {0};
    const struct kernel_signature *kernel = asking->kernel;
    text_append(&text, kernel->name);
    for (size_t i = 0; i < kernel->template_count; i++)
        text_printf(&text, "%s%s", i ? ", " : "<", kernel->template[i].preset);
    text_append(&text, ">");
    asking->instance = text_to_arena(&text, asking->arena);
    return asking->instance ? STATUS_OK : error_no_memory(error);
}

static enum status name_instance(struct asking *asking, struct error *error)
{
    struct kernel_signature *kernel = asking->kernel;
    asking->instance = asking->out->instance ? asking->out->instance : kernel->name;
    if (asking->out->instance || kernel->template_count == 0)
        return STATUS_OK;
    if (!guess_template(asking, kernel)) {
        /* A header that is not found may say it. */
        (void)cuda_list_unread(asking->arena, asking->source.contents, asking->out);
        return error_set(error, STATUS_BAD_INPUT,
                         "kernel %s: name an instance of this template: --kernel '%s<...>'",
                         kernel->name, kernel->name);
    }
    return write_instance(asking, error);
}

/* What a parameter's declaration is without its name, its default and the template's own names:
 * "const T *x" of T = float is "const float *". */
static void put_type(struct asking *asking, const struct kernel_parameter *parameter,
                     struct text *out)
{
    const struct kernel_signature *kernel = asking->kernel;
    struct tokens tokens;
    if (!tokens_read(asking->arena, parameter->text, &tokens))
        tokens = (struct tokens){0};
    for (size_t i = 0; i < tokens.count && !token_is(&tokens, i, "="); i++) {
        const char *word = tokens_text(asking->arena, &tokens, i, i + 1);
        const bool is_name = word && strcmp(word, parameter->name) == 0;
        const bool is_bounds = token_is(&tokens, i, "[");
        for (size_t j = 0; j < kernel->template_count && word; j++)
            if (strcmp(word, kernel->template[j].name) == 0)
                word = kernel->template[j].preset;
        i = is_bounds ? tokens_behind(&tokens, i) - 1 : i;
        if (!is_name)
            text_printf(out, "%s ", is_bounds ? "*" : word ? word : "");
    }
}

/* Of several kernels of one name the one that the source has last, by what it takes:
 * "(void (*)(float *, int))scale". False: memory is short, or that was asked already. */
static bool name_overload(struct asking *asking)
{
    struct text text = {0};
    if (asking->instance[0] == '(')
        return false;
    for (size_t i = 0; i < asking->kernel->parameter_count; i++) {
        text_append(&text, i ? ", " : "(void (*)(");
        put_type(asking, &asking->kernel->parameters[i], &text);
    }
    text_printf(&text, "%s))%s", asking->kernel->parameter_count ? "" : "(void (*)(",
                asking->instance);
    const char *cast = text_to_arena(&text, asking->arena);
    if (cast)
        asking->out->instance = asking->instance = cast;
    return cast;
}

/* ---- which kernel ---- */

static enum status choose_kernel(struct asking *asking, struct error *error)
{
    struct source_signature *out = asking->out;
    const char *wanted = asking->question->kernel;
    enum status status = kernel_choose(asking->arena, asking->question, asking->source.contents,
                                       out, &asking->kernel, error);
    out->asked = asking->kernel;
    if (status != STATUS_OK)
        return status;
    if (wanted && strchr(wanted, '<')) {
        out->instance =
            arena_printf(asking->arena, "%s%s", asking->kernel->name, strchr(wanted, '<'));
        if (!out->instance)
            return error_no_memory(error);
    }
    return name_instance(asking, error);
}

/* ---- asking ---- */

/* "tune_probe", or that with so many letters behind it that the source has no such name. */
static bool name_probe(struct asking *asking)
{
    asking->probe = "tune_probe";
    while (asking->probe && strstr(asking->source.text, asking->probe))
        asking->probe = arena_printf(asking->arena, "%sx", asking->probe);
    return asking->probe;
}

/* The name expression: first how many parameters there are, then the numbers of each, of each
 * field of each with where it lies, and of each symbol. */
static const char *make_expression(struct asking *asking)
{
    struct text text = {0};
    const struct kernel_signature *kernel = asking->kernel;
    text_printf(&text, "%s::tune_asks<%s::tune_asked::tune_count", asking->probe, asking->probe);
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        char what[64];
        (void)string_format(what, sizeof what, "tune_asked::tune_at<%zu>", i);
        put_type_numbers(&text, asking->probe, what);
    }
    fields_put_questions(&text, asking->probe, kernel);
    for (size_t i = 0; i < asking->out->symbol_count; i++) {
        char what[64];
        (void)string_format(what, sizeof what, "tune_symbol_%zu", i);
        put_type_numbers(&text, asking->probe, what);
    }
    fields_put_variables(&text, asking->probe, asking->out);
    text_append(&text, ">");
    const char *copy = text_to_arena(&text, asking->arena);
    return copy;
}

static const char *make_source(struct asking *asking)
{
    struct text text = {0};
    const struct kernel_signature *kernel = asking->kernel;
    text_append(&text, asking->source.text);
    text_printf(&text, "\n#define TUNE_PROBE %s\n", asking->probe);
    text_append(&text, cuda_signature_probe);
    text_printf(&text, "namespace TUNE_PROBE { typedef tune_takes<decltype(%s%s)> tune_asked;\n",
                asking->instance[0] == '(' ? "" : "&::", asking->instance);
    fields_put_types(&text, kernel, asking->out);
    for (size_t i = 0; i < asking->out->symbol_count; i++)
        text_printf(&text, "typedef tune_shape<decltype(::%s)> tune_symbol_%zu;\n",
                    asking->out->symbols[i].name, i);
    text_append(&text, "}\n");
    const char *copy = text_to_arena(&text, asking->arena);
    return copy;
}

static void take_parameter(struct kernel_parameter *parameter, const struct type_numbers *numbers)
{
    parameter->known = numbers->code > 0;
    parameter->type = coded_type(numbers->code);
    parameter->lanes = (uint32_t)numbers->lanes;
    parameter->bytes = (uint32_t)numbers->bytes;
    parameter->constant = numbers->constant;
    if (numbers->pointer == 1)
        parameter->kind = PARAMETER_POINTER;
    else if (parameter->known && numbers->lanes == 1)
        parameter->kind = PARAMETER_SCALAR;
    else
        parameter->kind = parameter->field_count > 0 ? PARAMETER_STRUCT : PARAMETER_OTHER;
}

/* uint2, float4 by value: so many numbers of one type. */
static bool take_vector(struct arena *arena, struct kernel_parameter *parameter)
{
    parameter->kind = PARAMETER_STRUCT;
    parameter->field_count = 1;
    parameter->fields = arena_alloc(arena, 1, sizeof *parameter->fields);
    if (parameter->fields)
        *parameter->fields = (struct signature_field){.name = "x",
                                                      .type = parameter->type,
                                                      .count = parameter->lanes,
                                                      .known = true,
                                                      .lanes = 1};
    return parameter->fields;
}

static enum status take_answer(struct asking *asking, const char *answer, struct error *error)
{
    struct kernel_signature *kernel = asking->kernel;
    struct type_numbers numbers;
    int count = 0;
    const size_t asked = kernel->parameter_count;
    bool fits = take_number(&answer, &count);
    if (fits && (size_t)count != asked) {
        /* Takes away those that stand between #if and #endif; false where what was asked of them is
         * in the way. */
        size_t kept = 0;
        fits = true;
        for (size_t i = 0; i < kernel->parameter_count; i++)
            if (!kernel->parameters[i].conditional)
                kernel->parameters[kept++] = kernel->parameters[i];
            else
                fits = fits && kernel->parameters[i].field_count == 0;
        kernel->parameter_count = kept;
    }
    fits = fits && (size_t)count == kernel->parameter_count;
    for (size_t i = 0; fits && i < asked; i++) {
        fits = take_type_numbers(&answer, &numbers);
        if (fits && i < kernel->parameter_count)
            take_parameter(&kernel->parameters[i], &numbers);
    }
    for (size_t i = 0; fits && i < kernel->parameter_count; i++) {
        struct kernel_parameter *parameter = &kernel->parameters[i];
        const bool vector = parameter->kind == PARAMETER_OTHER && parameter->known;
        fits = vector ? take_vector(asking->arena, parameter)
                      : fields_take(asking->arena, &answer, parameter);
    }
    for (size_t i = 0; fits && i < asking->out->symbol_count; i++) {
        struct symbol_signature *symbol = &asking->out->symbols[i];
        fits = take_type_numbers(&answer, &numbers);
        if (fits) {
            symbol->known = numbers.code > 0;
            symbol->type = coded_type(numbers.code);
            symbol->lanes = (uint32_t)numbers.lanes;
            symbol->bytes = (uint32_t)numbers.bytes;
            /* A pointer is told by 1. */
            symbol->texture_axes = numbers.pointer > 2 ? numbers.pointer - 2 : 0;
            symbol->reading.reads_real = symbol->texture_axes > 0 && numbers.constant;
            take_parameter(&symbol->variable, &numbers);
            if (numbers.pointer == 1)
                fits = fields_take_pointer(asking->arena, &numbers, &symbol->variable);
        }
    }
    for (size_t i = 0; fits && i < asking->out->symbol_count; i++)
        if (asking->out->symbols[i].variable.kind == PARAMETER_STRUCT)
            fits = fields_take(asking->arena, &answer, &asking->out->symbols[i].variable);
    if (!fits && count > ARGUMENTS_MAX)
        return error_set(error, STATUS_BAD_INPUT,
                         "kernel %s takes %d parameters, and an experiment has %d arguments at "
                         "most: put some into a struct",
                         kernel->name, count, ARGUMENTS_MAX);
    return fits ? STATUS_OK
                : error_set(error, STATUS_BAD_INPUT,
                            "kernel %s: its parameters cannot be told apart in the source",
                            kernel->name);
}

/* ---- names that nothing defines ---- */

static void fill_request(const struct asking *asking, const char *expression,
                         struct binary_request *request)
{
    *request = (struct binary_request){.source_path = asking->question->path,
                                       .architecture = asking->question->architecture,
                                       .compiler = asking->question->compiler,
                                       .kernel_count = 1,
                                       .kernels = {expression},
                                       .folder_count = asking->question->folder_count};
    memcpy(request->folders, asking->question->folders, sizeof request->folders);
    struct error ignored = {0};
    const struct cuda_compiler *nvrtc = request->compiler ? NULL : cuda_compiler(&ignored);
    /* What a kernel takes does not hang on how well it is compiled. */
    if (nvrtc && nvrtc->major >= QUICK_SINCE && !asking->question->is_thorough)
        request->flags[request->flag_count++] = "--Ofast-compile=max";
    if (asking->question->only_reached)
        request->flags[request->flag_count++] = FLAG_ONLY_REACHED;
    for (size_t i = 0; i < asking->question->flag_count && request->flag_count < FLAGS_MAX; i++)
        request->flags[request->flag_count++] = asking->question->flags[i];
    request->unit_count = asking->question->unit_count;
    memcpy(request->units, asking->question->units, sizeof request->units);
    for (size_t i = 0; i < asking->out->macro_count; i++)
        if (!asking->out->macros[i].fixed) /* the source itself defines that */
            request->defines[request->define_count++] = (struct named_value){
                asking->out->macros[i].name, value_text(asking->out->macros[i].preset)};
}

/* How large variables are whose bounds only another of the sources has. */
static void size_externs(struct asking *asking, const struct container *container)
{
    struct cubin cubin;
    struct error ignored = {0};
    if (container->symbol_count == 0 ||
        cubin_open(container->cubin, container->cubin_bytes, &cubin, &ignored) != STATUS_OK)
        return;
    for (size_t i = 0, asked = 0; i < asking->out->symbol_count; i++) {
        struct symbol_signature *symbol = &asking->out->symbols[i];
        const char *lowered = symbol->is_extern ? container->symbols[asked++].lowered : NULL;
        for (uint32_t j = 0; lowered && j < cubin_symbol_count(&cubin); j++) {
            Elf64_Sym is;
            const char *name = NULL;
            if (symbol->bytes == 0 && cubin_symbol(&cubin, j, &is, &name) &&
                strcmp(name, lowered) == 0)
                symbol->bytes = (uint32_t)is.st_size;
        }
    }
}

/* One compilation more than there is time for is none that somebody waits for. */
static enum status check_time(const struct asking *asking, struct error *error)
{
    const int64_t deadline_ns = asking->question->deadline_ns;
    return deadline_ns == 0 || clock_now_ns() < deadline_ns
               ? STATUS_OK
               : error_set(error, STATUS_TIMED_OUT,
                           "%s: the compiler's answers take too long: name the kernel's instance "
                           "(--kernel 'NAME<...>'), its folders (--include) or how it is compiled "
                           "(-- nvcc ...)",
                           asking->question->path);
}

static enum status compile_question(struct asking *asking, struct error *error)
{
    const char *expression = make_expression(asking);
    const char *source = make_source(asking);
    struct binary_request request;
    struct container container = {0};
    struct text log = {0};
    if (!expression || !source)
        return error_no_memory(error);
    if (check_time(asking, error) != STATUS_OK)
        return error->status;
    fill_request(asking, expression, &request);
    for (size_t i = 0; request.unit_count > 0 && i < asking->out->symbol_count; i++)
        if (asking->out->symbols[i].is_extern)
            request.symbols[request.symbol_count++] = asking->out->symbols[i].name;
    enum status status = cuda_compile_text(asking->arena, source, asking->question->path, &request,
                                           &container, &log, error);
    text_free(&log);
    if (status == STATUS_OK)
        status = take_answer(asking, container.kernels[0].lowered, error);
    if (status == STATUS_OK)
        size_externs(asking, &container);
    return status;
}

static enum status explain(struct asking *asking, const char *undefined, const char *meant,
                           struct error *error)
{
    const struct telling telling = {.arena = asking->arena,
                                    .path = asking->question->path,
                                    .kernel = asking->kernel->name,
                                    .tokens = &asking->tokens,
                                    .out = asking->out};
    return cuda_explain(&telling, undefined, meant, error);
}

static struct macro_signature *find_fixed(struct source_signature *out, const char *name)
{
    for (size_t i = 0; i < out->macro_count; i++)
        if (out->macros[i].fixed && strcmp(out->macros[i].name, name) == 0)
            return &out->macros[i];
    return NULL;
}

/* The number that a #define gives it behind an #if that does not hold; NULL: none does. */
static const char *unheld_value(struct asking *asking, const char *name)
{
    const char *rest = NULL, *end = NULL;
    const size_t length = strlen(name);
    for (size_t i = 0; i < asking->tokens.count; i++) {
        if (!token_is_directive(&asking->tokens.items[i], "define", &rest, &end) ||
            word_bytes(rest, end) != length || strncmp(rest, name, length) != 0)
            continue;
        const char *value = skip_blanks(rest + length, end);
        const size_t digits = strspn(value, "0123456789");
        if (digits > 0 && skip_blanks(value + digits, end) == end)
            return arena_strndup(asking->arena, value, digits);
    }
    return NULL;
}

/* What the error says is undefined becomes a number to tune. False: it cannot be one; *meant is the
 * name that it is near. */
static bool take_undefined(struct asking *asking, const char *name, const char **meant)
{
    struct source_signature *out = asking->out;
    struct macro_signature *unheld = find_fixed(out, name);
    *meant = NULL;
    if (unheld) { /* its #define stands behind an #if that does not hold */
        unheld->fixed = false;
        unheld->guessed = true;
        return true;
    }
    *meant = guess_misspelt(asking->arena, &asking->tokens, name);
    if (*meant || out->macro_count == SIGNATURE_MACROS_MAX ||
        macro_is_listed(out, name, strlen(name)) || !guess_may_be_number(&asking->tokens, name))
        return false;
    const char *preset = unheld_value(asking, name);
    if (!preset)
        preset = uses_as_square(&asking->tokens, name) ? "16" : guess_value(name);
    out->macros[out->macro_count++] =
        (struct macro_signature){.name = name, .preset = preset, .guessed = true};
    return true;
}

/* Compiles the instance; what only an instance names, and nothing defines, becomes a number. */
static enum status compile_instance(struct asking *asking, const char **name, const char **meant,
                                    struct error *error)
{
    enum status status = STATUS_OK;
    do {
        struct binary_request request;
        struct container container = {0};
        struct text log = {0};
        error_clear(error);
        *name = NULL;
        if (check_time(asking, error) != STATUS_OK)
            return error->status;
        fill_request(asking, asking->instance, &request);
        status = cuda_compile_text(asking->arena, asking->source.text, asking->question->path,
                                   &request, &container, &log, error);
        text_free(&log);
        *name = status == STATUS_COMPILE_FAILED ? cuda_undefined_name(asking->arena, error->text)
                                                : NULL;
    } while (*name && take_undefined(asking, *name, meant));
    return status;
}

/* All types that were guessed as integers, as where they count something; one alone was tried. */
static bool compiles_with_integers(struct asking *asking, struct error *error)
{
    struct kernel_signature *kernel = asking->kernel;
    const struct kernel_signature before = *kernel;
    const char *name = NULL, *meant = NULL;
    size_t guessed = 0;
    for (size_t i = 0; i < kernel->template_count; i++)
        if (kernel->template[i].is_guessed && kernel->template[i].kind == TEMPLATE_TYPE) {
            kernel->template[i].preset = "int";
            kernel->template[i].type = ELEMENT_I32;
            guessed++;
        }
    if (guessed > 1 && write_instance(asking, error) == STATUS_OK &&
        compile_instance(asking, &name, &meant, error) == STATUS_OK)
        return true;
    *kernel = before;
    return false;
}

/* Other values of a template's parameters that were guessed, where its body does not compile with
 * these: one at a time, then integers for all types. */
static enum status try_others(struct asking *asking, struct error *error)
{
    static const char *const types[] = {"half", "double", "int", "__nv_bfloat16", "unsigned char"};
    static const char *const numbers[] = {"64", "32", "16", "8", "4", "2", "1", "128", "256"};
    struct kernel_signature *kernel = asking->kernel;
    for (size_t i = 0; i < kernel->template_count; i++) {
        struct template_parameter *parameter = &kernel->template[i];
        const struct template_parameter before = *parameter;
        const bool type = parameter->kind == TEMPLATE_TYPE;
        const char *const *others = type ? types : numbers;
        const size_t count = type ? sizeof types / sizeof *types : sizeof numbers / sizeof *numbers;
        if (!parameter->is_guessed || (!type && parameter->kind != TEMPLATE_NUMBER))
            continue;
        for (size_t j = 0; j < count; j++) {
            const char *name = NULL, *meant = NULL;
            parameter->preset = others[j];
            if (type)
                (void)type_from_cuda_name(others[j], &parameter->type);
            if (write_instance(asking, error) != STATUS_OK)
                return STATUS_NO_MEMORY;
            if (compile_instance(asking, &name, &meant, error) == STATUS_OK)
                return compile_question(asking, error);
        }
        *parameter = before;
    }
    if (compiles_with_integers(asking, error))
        return compile_question(asking, error);
    error_clear(error);
    return write_instance(asking, error);
}

/* Whatever else is wrong with that instance is for a dry run to tell. */
static enum status ask_of_instance(struct asking *asking, struct error *error)
{
    const char *name = NULL, *meant = NULL;
    const enum status status = compile_instance(asking, &name, &meant, error);
    if (meant)
        return explain(asking, name, meant, error);
    if (status == STATUS_COMPILE_FAILED && cuda_unresolved_name(asking->arena, error->text))
        return explain(asking, NULL, NULL, error);
    if (status == STATUS_COMPILE_FAILED && !asking->out->instance)
        return try_others(asking, error);
    error_clear(error);
    return STATUS_OK;
}

/* A variable that the compiler does not see, as behind an #if, is none to ask about. */
static bool drop_unseen(struct source_signature *out, const char *message)
{
    size_t kept = 0;
    const size_t count = out->symbol_count;
    const bool no_namespace = strstr(message, "name followed by \"::\" must be") != NULL;
    for (size_t i = 0; i < count; i++) {
        const char *name = out->symbols[i].name, *last = unqualified_name(name);
        char without[2][256];
        for (size_t j = 0; j < 2; j++)
            (void)string_format(without[j], sizeof without[j], " has no %s\"%s\"",
                                j ? "member " : "", last);
        if (!strstr(message, without[0]) && !strstr(message, without[1]) &&
            !(no_namespace && last != name))
            out->symbols[kept++] = out->symbols[i];
    }
    out->symbol_count = kept;
    return kept < count;
}

/* The compiler does not see the kernel: an #if leaves it out. Whether what that asks for could be
 * defined. */
static bool let_in(struct asking *asking, const char *message)
{
    bool wanted = false;
    return strncmp(message, "what tune init asks", 19) == 0 &&
           guess_wanted(asking->arena, &asking->tokens, asking->kernel->first_token, asking->out,
                        &wanted) &&
           wanted;
}

static enum status ask_until_defined(struct asking *asking, struct error *error)
{
    const char *meant = NULL;
    enum status status = compile_question(asking, error);
    while (status == STATUS_COMPILE_FAILED) {
        const char *name = cuda_undefined_name(asking->arena, error->text);
        if (!(cuda_is_overloaded(error->text) && name_overload(asking)) &&
            !let_in(asking, error->text) && !drop_unseen(asking->out, error->text) &&
            (!name || !take_undefined(asking, name, &meant)) &&
            !fields_drop(asking->kernel, asking->out, error->text))
            return explain(asking, name, meant, error);
        error_clear(error);
        status = compile_question(asking, error);
    }
    return status == STATUS_OK && asking->kernel->template_count > 0
               ? ask_of_instance(asking, error)
               : status;
}

/* Variables to which another of the sources gives a value are the kernel's own business. */
static enum status drop_defined(struct asking *asking, struct error *error)
{
    const struct signature_question *question = asking->question;
    struct source_signature *out = asking->out;
    for (size_t i = 0; i < question->unit_count; i++) {
        struct source unit;
        struct tokens tokens;
        enum status status = source_read_in(asking->arena, question->units[i], question->folders,
                                            question->folder_count, &unit, error);
        if (status != STATUS_OK)
            return status;
        if (!tokens_read(asking->arena, unit.contents, &tokens))
            return error_no_memory(error);
        size_t kept = 0;
        for (size_t j = 0; j < out->symbol_count; j++)
            if (!out->symbols[j].is_extern ||
                tokens_define(&tokens, unqualified_name(out->symbols[j].name)) !=
                    DEFINED_WITH_VALUE)
                out->symbols[kept++] = out->symbols[j];
        out->symbol_count = kept;
    }
    return STATUS_OK;
}

static void take_defines(const struct signature_question *question, struct source_signature *out)
{
    for (size_t i = 0; i < question->define_count; i++) {
        bool found = false;
        for (size_t j = 0; j < out->macro_count; j++)
            if (strcmp(out->macros[j].name, question->defines[i].name) == 0) {
                const bool is_given = question->defines[i].is_given;
                const bool fixed = is_given && out->macros[j].fixed;
                if (!fixed) /* the source's own #define counts */
                    out->macros[j] = question->defines[i];
                out->macros[j].is_given = false; /* it is one to tune */
                found = true;
            }
        if (!found && out->macro_count < SIGNATURE_MACROS_MAX)
            out->macros[out->macro_count++] = question->defines[i];
    }
}

/* Of texture references, which the host's part sets. */
static bool read_settings(struct asking *asking)
{
    struct tokens whole;
    if (!tokens_read(asking->arena, asking->source.contents, &whole))
        return false;
    for (size_t i = 0; texture_references_exist(&whole) && i < asking->out->symbol_count; i++)
        texture_settings_read(&whole, &asking->out->symbols[i]);
    return true;
}

enum status cuda_signatures(struct arena *arena, const struct signature_question *question,
                            struct source_signature *out, struct error *error)
{
    struct asking asking = {.arena = arena, .question = question, .out = out};
    enum status status = source_read_in(arena, question->path, question->folders,
                                        question->folder_count, &asking.source, error);
    /* What only the host names is nothing to tune. */
    struct device_part part;
    if (status == STATUS_OK &&
        !cuda_device_part(arena, asking.source.contents, LEAVE_HOST_PART, NULL, 0, NULL, &part))
        status = error_no_memory(error);
    if (status == STATUS_OK)
        status = declarations_read(arena, part.text, out, error);
    if (status == STATUS_OK && !tokens_read(arena, part.text, &asking.tokens))
        status = error_no_memory(error);
    if (status == STATUS_OK)
        status = choose_kernel(&asking, error);
    if (status == STATUS_OK)
        status = drop_defined(&asking, error);
    if (status != STATUS_OK)
        return status;
    take_defines(question, out);
    if (!read_settings(&asking))
        return error_no_memory(error);
    if (!guess_conditions(arena, &asking.tokens, out))
        return error_no_memory(error);
    struct tokens whole; /* with the host's part, which launches it */
    if (!tokens_read(arena, asking.source.contents, &whole) ||
        !launches_read(arena, &whole, &asking.tokens, out))
        return error_no_memory(error);
    if (!fields_list(arena, &asking.tokens, asking.kernel, out) || !name_probe(&asking))
        return error_no_memory(error);
    if (question->only_reached && !cuda_list_unread(arena, asking.source.contents, out))
        return error_no_memory(error);
    status = ask_until_defined(&asking, error);
    return status != STATUS_OK || uses_mark(arena, &asking.tokens, out) ? status
                                                                        : error_no_memory(error);
}
