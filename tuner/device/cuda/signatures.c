#include <stdlib.h>
#include <string.h>

#include "tuner/base/source.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/compile.h"
#include "tuner/device/gpu/tokens.h"

enum { CODES = 12, NUMBERS_OF_ONE = 5 };

static const enum element_type coded_types[CODES + 1] = {
    0,           ELEMENT_I8,  ELEMENT_U8,  ELEMENT_I16,  ELEMENT_U16, ELEMENT_I32, ELEMENT_U32,
    ELEMENT_I64, ELEMENT_U64, ELEMENT_F16, ELEMENT_BF16, ELEMENT_F32, ELEMENT_F64};

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
        if (!parameter->preset && parameter->kind == TEMPLATE_OTHER)
            parameter->preset = guess_as_launched(asking->arena, &whole, kernel->name, i);
        if (parameter->preset)
            continue;
        if (parameter->kind == TEMPLATE_OTHER)
            return false;
        parameter->preset = parameter->kind == TEMPLATE_TYPE      ? guess_type(parameter->name)
                            : parameter->kind == TEMPLATE_BOOLEAN ? "true"
                                                                  : guess_value(parameter->name);
    }
    return true;
}

static enum status name_instance(struct asking *asking, struct error *error)
{
    struct text text = {0};
    struct kernel_signature *kernel = asking->kernel;
    asking->instance = asking->out->instance ? asking->out->instance : kernel->name;
    if (asking->out->instance || kernel->template_count == 0)
        return STATUS_OK;
    if (!guess_template(asking, kernel))
        return error_set(error, STATUS_BAD_INPUT,
                         "kernel %s: name an instance of this template: --kernel '%s<...>'",
                         kernel->name, kernel->name);
    text_append(&text, kernel->name);
    for (size_t i = 0; i < kernel->template_count; i++)
        text_printf(&text, "%s%s", i ? ", " : "<", kernel->template[i].preset);
    text_append(&text, ">");
    asking->instance = text_to_arena(&text, asking->arena);
    return asking->instance ? STATUS_OK : error_no_memory(error);
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

static enum status which(const struct asking *asking, const char *what, struct error *error)
{
    struct text names = {0};
    const struct source_signature *out = asking->out;
    for (size_t i = 0; i < out->kernel_count; i++)
        text_printf(&names, "%s%s", i ? ", " : "", out->kernels[i].name);
    enum status status = error_set(error, STATUS_NOT_FOUND, "%s: %s: %s", asking->question->path,
                                   what, text_string(&names));
    text_free(&names);
    return status;
}

static enum status choose_kernel(struct asking *asking, struct error *error)
{
    struct source_signature *out = asking->out;
    const char *wanted = asking->question->kernel;
    if (out->kernel_count == 0 || !out->kernels) {
        const char *text = asking->source.contents;
        return error_set(error, STATUS_NOT_FOUND, "%s: no __global__ function in it%s",
                         asking->question->path,
                         strstr(text, "__global__") ? ", but the word, in a text or a comment: a "
                                                      "kernel within another language's source "
                                                      "goes into a file of its own"
                         : strstr(text, "__kernel") ? ": its kernels are OpenCL's, and only those "
                                                      "in CUDA can be run"
                                                    : ": name the source that has the kernel");
    }
    if (!wanted && out->kernel_count > 1)
        return which(asking, "several kernels; name one by --kernel", error);
    if (!wanted)
        asking->kernel = &out->kernels[0];
    for (size_t i = 0; wanted && i < out->kernel_count; i++) {
        const char *name = out->kernels[i].name;
        size_t length = strcspn(wanted, "<");
        bool whole = strlen(name) == length && strncmp(name, wanted, length) == 0;
        const char *last = name;
        for (const char *at = name; *at && *at != '<'; at++)
            if (at[0] == ':' && at[1] == ':')
                last = at + 2;
        if (whole ||
            (!asking->kernel && strlen(last) == length && strncmp(last, wanted, length) == 0))
            asking->kernel = &out->kernels[i];
    }
    if (!asking->kernel)
        return which(asking, "no such kernel; there are", error);
    if (!asking->kernel->is_defined)
        return error_set(
            error, STATUS_NOT_FOUND,
            "%s: kernel '%s' is only declared in it: name the source that has its body",
            asking->question->path, asking->kernel->name);
    if (wanted && strchr(wanted, '<')) {
        out->instance =
            arena_printf(asking->arena, "%s%s", asking->kernel->name, strchr(wanted, '<'));
        if (!out->instance)
            return error_no_memory(error);
    }
    out->asked = asking->kernel;
    return name_instance(asking, error);
}

/* ---- structs ---- */

/* The last word of the declared type: "const struct options opt" is of `options`. */
static const char *type_word(struct asking *asking, const struct kernel_parameter *parameter)
{
    struct tokens tokens;
    const char *word = NULL;
    if (!tokens_read(asking->arena, parameter->text, &tokens))
        return NULL;
    for (size_t i = 0; i < tokens.count; i++)
        if (tokens.items[i].kind == TOKEN_NAME && !token_is(&tokens, i, parameter->name) &&
            !token_is(&tokens, i, "const") && !token_is(&tokens, i, "struct") &&
            !token_is(&tokens, i, "__grid_constant__"))
            word = tokens_text(asking->arena, &tokens, i, i + 1);
    return word;
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

static void put_numbers(const struct asking *asking, struct text *text, const char *what)
{
    static const char *const members[] = {"pointer", "constant", "value", "lanes", "bytes"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        text_printf(text, ", %s::%s::tune_%s", asking->probe, what, members[i]);
}

/* The name expression: first how many parameters there are, then five numbers of each, of each
 * field of each with where it lies, and of each symbol. */
static const char *make_expression(struct asking *asking)
{
    struct text text = {0};
    const struct kernel_signature *kernel = asking->kernel;
    text_printf(&text, "%s::tune_asks<%s::tune_asked::tune_count", asking->probe, asking->probe);
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        char what[64];
        (void)string_format(what, sizeof what, "tune_asked::tune_at<%zu>", i);
        put_numbers(asking, &text, what);
    }
    for (size_t i = 0; i < kernel->parameter_count; i++)
        for (size_t j = 0; j < kernel->parameters[i].field_count; j++) {
            char what[64];
            (void)string_format(what, sizeof what, "tune_field_%zu_%zu", i, j);
            put_numbers(asking, &text, what);
            text_printf(&text, ", %s::tune_place_%zu_%zu::tune_value", asking->probe, i, j);
        }
    for (size_t i = 0; i < asking->out->symbol_count; i++) {
        char what[64];
        (void)string_format(what, sizeof what, "tune_symbol_%zu", i);
        put_numbers(asking, &text, what);
    }
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
    for (size_t i = 0; i < kernel->parameter_count; i++)
        for (size_t j = 0; j < kernel->parameters[i].field_count; j++) {
            const char *type = type_word(asking, &kernel->parameters[i]);
            const char *name = kernel->parameters[i].fields[j].name;
            text_printf(&text,
                        "typedef tune_shape<decltype(::%s::%s)> tune_field_%zu_%zu;\n"
                        "struct tune_place_%zu_%zu { static constexpr int tune_value = "
                        "TUNE_PLACE(::%s, %s); };\n",
                        type, name, i, j, i, j, type, name);
        }
    for (size_t i = 0; i < asking->out->symbol_count; i++)
        text_printf(&text, "typedef tune_shape<decltype(::%s)> tune_symbol_%zu;\n",
                    asking->out->symbols[i].name, i);
    text_append(&text, "}\n");
    const char *copy = text_to_arena(&text, asking->arena);
    return copy;
}

/* The next number of a symbol: "Li12E". */
static bool next_number(const char **at, int *out)
{
    *at = strstr(*at, "Li");
    if (!*at)
        return false;
    char *end = NULL;
    long number = strtol(*at + 2, &end, 10);
    *out = (int)number;
    bool ends = end > *at + 2 && *end == 'E';
    *at = end;
    return ends;
}

struct numbers {
    int pointer, constant, code, lanes, bytes;
};

static bool take_numbers(const char **at, struct numbers *out)
{
    return next_number(at, &out->pointer) && next_number(at, &out->constant) &&
           next_number(at, &out->code) && next_number(at, &out->lanes) &&
           next_number(at, &out->bytes) && out->code >= 0 && out->code <= CODES;
}

static void take_parameter(struct kernel_parameter *parameter, const struct numbers *numbers)
{
    parameter->known = numbers->code > 0;
    parameter->type = coded_types[numbers->code];
    parameter->lanes = (uint32_t)numbers->lanes;
    parameter->bytes = (uint32_t)numbers->bytes;
    parameter->constant = numbers->constant;
    if (numbers->pointer)
        parameter->kind = PARAMETER_POINTER;
    else if (parameter->known && numbers->lanes == 1)
        parameter->kind = PARAMETER_SCALAR;
    else
        parameter->kind = parameter->field_count > 0 ? PARAMETER_STRUCT : PARAMETER_OTHER;
}

/* A struct is known when C lays its fields out where they are, in the size that it has. */
static bool take_fields(const char **at, struct kernel_parameter *parameter)
{
    size_t end = 0;
    size_t largest = 1;
    bool plain = true;
    for (size_t i = 0; i < parameter->field_count; i++) {
        struct numbers numbers;
        int offset = 0;
        if (!take_numbers(at, &numbers) || !next_number(at, &offset))
            return false;
        plain = plain && !numbers.pointer && numbers.code > 0 && numbers.lanes == 1;
        parameter->fields[i].type = coded_types[numbers.code];
        size_t bytes = numbers.bytes > 0 ? (size_t)numbers.bytes : 1;
        end = (end + bytes - 1) / bytes * bytes + bytes;
        plain = plain && end == (size_t)offset + bytes;
        largest = bytes > largest ? bytes : largest;
    }
    if (parameter->field_count > 0 &&
        (!plain || (end + largest - 1) / largest * largest != parameter->bytes)) {
        parameter->kind = PARAMETER_OTHER;
        parameter->field_count = 0;
    }
    return true;
}

/* uint2, float4 by value: so many numbers of one type. */
static void take_vector(struct kernel_parameter *parameter)
{
    static const char *const names[] = {"x", "y", "z", "w"};
    if (parameter->kind != PARAMETER_OTHER || !parameter->known || parameter->lanes < 2)
        return;
    parameter->kind = PARAMETER_STRUCT;
    for (; parameter->field_count < parameter->lanes; parameter->field_count++)
        parameter->fields[parameter->field_count] =
            (struct signature_field){names[parameter->field_count], parameter->type};
}

static enum status take_answer(struct asking *asking, const char *answer, struct error *error)
{
    struct kernel_signature *kernel = asking->kernel;
    struct numbers numbers;
    int count = 0;
    const size_t asked = kernel->parameter_count;
    bool fits = next_number(&answer, &count);
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
        fits = take_numbers(&answer, &numbers);
        if (fits && i < kernel->parameter_count)
            take_parameter(&kernel->parameters[i], &numbers);
    }
    for (size_t i = 0; fits && i < kernel->parameter_count; i++)
        fits = take_fields(&answer, &kernel->parameters[i]);
    for (size_t i = 0; fits && i < kernel->parameter_count; i++)
        take_vector(&kernel->parameters[i]);
    for (size_t i = 0; fits && i < asking->out->symbol_count; i++) {
        struct symbol_signature *symbol = &asking->out->symbols[i];
        fits = take_numbers(&answer, &numbers);
        if (fits) {
            symbol->known = numbers.code > 0;
            symbol->type = coded_types[numbers.code];
            symbol->lanes = (uint32_t)numbers.lanes;
            symbol->bytes = (uint32_t)numbers.bytes;
            /* A pointer is told by 1. */
            symbol->texture_axes = numbers.pointer > 2 ? numbers.pointer - 2 : 0;
            symbol->reading.reads_real = symbol->texture_axes > 0 && numbers.constant;
        }
    }
    return fits ? STATUS_OK
                : error_set(error, STATUS_BAD_INPUT,
                            "kernel %s: its parameters cannot be told apart in the source",
                            kernel->name);
}

/* ---- names that nothing defines ---- */

/* The name in an error about one that is not defined; NULL when the error is another. */
static const char *undefined_name(struct arena *arena, const char *message)
{
    static const char before[] = "identifier \"";
    const char *name = strstr(message, before);
    const char *end = name ? strstr(name, "\" is undefined") : NULL;
    return end ? arena_strndup(arena, name + strlen(before), (size_t)(end - name) - strlen(before))
               : NULL;
}

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
    for (size_t i = 0; i < asking->out->macro_count; i++)
        if (!asking->out->macros[i].fixed) /* the source itself defines that */
            request->defines[request->define_count++] = (struct named_value){
                asking->out->macros[i].name, value_text(asking->out->macros[i].preset)};
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
    fill_request(asking, expression, &request);
    enum status status = cuda_compile_text(asking->arena, source, asking->question->path, &request,
                                           &container, &log, error);
    text_free(&log);
    return status == STATUS_OK ? take_answer(asking, container.kernels[0].lowered, error) : status;
}

/* The header that the text of an #error names: "config.h is not there"; NULL: none. */
static const char *named_header(struct arena *arena, const char *message)
{
    const char *at = strstr(message, "#error directive: ");
    for (at = at ? strstr(at, ".h") : NULL; at; at = strstr(at + 1, ".h")) {
        const char *name = at;
        while (name > message && (name_goes_on(name[-1]) || strchr("/.-", name[-1])))
            name--;
        const char *end = at + strlen(".h");
        if (name < at && !name_goes_on(*end) && *end != '/')
            return arena_strndup(arena, name, (size_t)(end - name));
    }
    return NULL;
}

/* The file that the compiler, or a host's compiler for it, could not open, or that the source asks
 * for by #error; NULL: that was not why. */
static const char *missing_file(struct arena *arena, const char *message)
{
    const char *name = strstr(message, "open source file \"");
    const char *end = strstr(message, ": No such file or directory");
    if (name) {
        name += strlen("open source file \"");
        end = strchr(name, '"');
    } else if (end) {
        for (name = end; name > message && name[-1] != ' ';)
            name--;
    }
    return name && end ? arena_strndup(arena, name, (size_t)(end - name))
                       : named_header(arena, message);
}

/* A macro that an #error names, and that the source asks about and gives no value: "WIDTH is
 * undefined". NULL: none. */
static const char *named_macro(struct asking *asking, const char *message)
{
    const char *at = strstr(message, "#error directive: ");
    const char *rest = NULL, *end = NULL;
    for (at = at ? at + strlen("#error directive: ") : NULL; at && *at;) {
        const size_t length = word_bytes(at, at + strlen(at));
        for (size_t i = 0; length > 2 && i < asking->tokens.count; i++)
            if (token_is_directive(&asking->tokens.items[i], "ifndef", &rest, &end) &&
                (size_t)(end - rest) == length && strncmp(rest, at, length) == 0)
                return arena_strndup(asking->arena, at, length);
        at += length ? length : 1;
    }
    return NULL;
}

/* Whether the error is that there are several kernels of that name. */
static bool is_overloaded(const char *message)
{
    return (strstr(message, "instance of overloaded function") &&
            !strstr(message, "matches the argument list")) || /* of one that a kernel calls */
           strstr(message, "which instance of function template");
}

/* What a stranger is to do about it, behind the compiler's own words. */
static enum status explain(struct asking *asking, const char *undefined, const char *meant,
                           struct error *error)
{
    const char *path = asking->question->path;
    const char *name = asking->kernel->name;
    char text[ERROR_TEXT_BYTES];
    (void)string_format(text, sizeof text, "%.*s", ERROR_TEXT_BYTES / 2, error->text);
    asking->out->missing = missing_file(asking->arena, text);
    if (is_overloaded(text))
        return error_set(error, STATUS_COMPILE_FAILED,
                         "%s: there are several kernels '%s', which differ in what they take: give "
                         "the one to tune a name of its own",
                         path, name);
    if (strncmp(text, "what tune init asks", 19) == 0 && strstr(text, " has no "))
        return error_set(error, STATUS_COMPILE_FAILED,
                         "%s: an #if around kernel '%s' leaves it out: --define NAME what it asks "
                         "for",
                         path, name);
    if (strncmp(text, "what tune init asks", 19) == 0)
        return error_set(error, STATUS_COMPILE_FAILED,
                         "%s: the compiler cannot ask about the kernel behind the file's end: %s",
                         path, text);
    if (!undefined && !meant && !asking->out->missing)
        undefined = named_macro(asking, text);
    if (meant)
        return error_set(error, STATUS_COMPILE_FAILED,
                         "%s; did you mean '%s'? (Else say what it is: --define %s=...)", text,
                         meant, undefined);
    if (undefined)
        return error_set(error, STATUS_COMPILE_FAILED, "%s (say what it is: --define %s=...)", text,
                         undefined);
    if (asking->out->missing && strstr(text, "#error"))
        return error_set(error, STATUS_COMPILE_FAILED,
                         "%s (name the folder that has %s by --include)", text,
                         asking->out->missing);
    if (asking->out->missing)
        return error_set(error, STATUS_COMPILE_FAILED,
                         "%s (NVRTC compiles for the device alone, without the host's headers: "
                         "name the folder that has it by --include; where the kernel needs nothing "
                         "of it, an empty file of that name in such a folder will do; or have nvcc "
                         "compile it: --compiler nvcc)",
                         text);
    if (strstr(text, "host functions are not allowed"))
        return error_set(error, STATUS_COMPILE_FAILED,
                         "%s (NVRTC compiles for the device alone: put the host's part behind "
                         "#ifndef __CUDACC_RTC__, or have nvcc compile it: --compiler nvcc)",
                         text);
    return STATUS_COMPILE_FAILED;
}

static struct macro_signature *find_fixed(struct source_signature *out, const char *name)
{
    for (size_t i = 0; i < out->macro_count; i++)
        if (out->macros[i].fixed && strcmp(out->macros[i].name, name) == 0)
            return &out->macros[i];
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
    const char *preset = uses_as_square(&asking->tokens, name) ? "16" : guess_value(name);
    out->macros[out->macro_count++] =
        (struct macro_signature){.name = name, .preset = preset, .guessed = true};
    return true;
}

/* What only an instance of a template names: the compiler looks at its body there. Whatever else is
 * wrong with that instance is for a dry run to tell. */
static enum status ask_of_instance(struct asking *asking, struct error *error)
{
    const char *name = NULL, *meant = NULL;
    do {
        struct binary_request request;
        struct container container = {0};
        struct text log = {0};
        error_clear(error);
        fill_request(asking, asking->instance, &request);
        const enum status status =
            cuda_compile_text(asking->arena, asking->source.text, asking->question->path, &request,
                              &container, &log, error);
        text_free(&log);
        name = status == STATUS_COMPILE_FAILED ? undefined_name(asking->arena, error->text) : NULL;
    } while (name && take_undefined(asking, name, &meant));
    if (meant)
        return explain(asking, name, meant, error);
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

static enum status ask_until_defined(struct asking *asking, struct error *error)
{
    const char *meant = NULL;
    enum status status = compile_question(asking, error);
    while (status == STATUS_COMPILE_FAILED) {
        const char *name = undefined_name(asking->arena, error->text);
        if (!(is_overloaded(error->text) && name_overload(asking)) &&
            !drop_unseen(asking->out, error->text) &&
            (!name || !take_undefined(asking, name, &meant)))
            return explain(asking, name, meant, error);
        error_clear(error);
        status = compile_question(asking, error);
    }
    return status == STATUS_OK && asking->kernel->template_count > 0
               ? ask_of_instance(asking, error)
               : status;
}

static void take_defines(const struct signature_question *question, struct source_signature *out)
{
    for (size_t i = 0; i < question->define_count; i++) {
        bool found = false;
        for (size_t j = 0; j < out->macro_count; j++)
            if (strcmp(out->macros[j].name, question->defines[i].name) == 0) {
                out->macros[j] = question->defines[i];
                found = true;
            }
        if (!found && out->macro_count < SIGNATURE_MACROS_MAX)
            out->macros[out->macro_count++] = question->defines[i];
    }
}

static void list_fields(struct asking *asking)
{
    for (size_t i = 0; i < asking->kernel->parameter_count; i++) {
        struct kernel_parameter *parameter = &asking->kernel->parameters[i];
        const char *names[SIGNATURE_FIELDS_MAX];
        const char *word = strchr(parameter->text, '*') ? NULL : type_word(asking, parameter);
        parameter->field_count = word ? fields_of(asking->arena, &asking->tokens, word, names) : 0;
        for (size_t j = 0; j < parameter->field_count; j++)
            parameter->fields[j].name = names[j];
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
        !cuda_device_part(arena, asking.source.contents, LEAVE_HOST_PART, NULL, 0, &part))
        status = error_no_memory(error);
    if (status == STATUS_OK)
        status = declarations_read(arena, part.text, out, error);
    if (status == STATUS_OK && !tokens_read(arena, part.text, &asking.tokens))
        status = error_no_memory(error);
    if (status == STATUS_OK)
        status = choose_kernel(&asking, error);
    if (status != STATUS_OK)
        return status;
    take_defines(question, out);
    if (!read_settings(&asking))
        return error_no_memory(error);
    if (!guess_conditions(arena, &asking.tokens, out))
        return error_no_memory(error);
    list_fields(&asking);
    if (!name_probe(&asking))
        return error_no_memory(error);
    status = ask_until_defined(&asking, error);
    return status != STATUS_OK || uses_mark(arena, &asking.tokens, out) ? status
                                                                        : error_no_memory(error);
}
