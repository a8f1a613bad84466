/* KernelSpecification: the source, its compilation, and the kernel's parameters as read from its
 * text: their number and the plain types. */
#include <string.h>

#include "frontends/t1/internal.h"
#include "tuner/base/element.h"
#include "tuner/base/source.h"

/* ---- the source ---- */

static bool check_language(struct translation *t)
{
    static const char *const taken[] = {"CUDA", "NVCUDA", "CuPy", "PyCUDA"};
    const char *origin = "KernelSpecification.Language";
    const char *language = NULL;
    if (!json_text(t, t->kernel, "Language", origin, &language))
        return false;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (!language || !t->device->is_gpu || strcasecmp(language, taken[i]) == 0)
            return true;
    return t1_error(t, origin, "kernels in '%.40s' cannot be run; only those in CUDA can",
                    language);
}

static bool put_source(struct translation *t)
{
    const char *origin = "KernelSpecification.KernelFile";
    const json_t *file = json_member(t->kernel, "KernelFile");
    const char *name = json_string_value(file);
    const json_t *item;
    size_t index;
    if (put_ours(t, "source") || put_ours(t, "sources"))
        return true;
    if (!file)
        return t1_error(t, origin,
                        "is missing; name the kernel's source in an overlay "
                        "(--overlay)");
    if (name && (text_ends_with(name, ".hip") || text_ends_with(name, ".cl")))
        return t1_error(t, origin,
                        "'%.200s' is a kernel in %s, and only those in CUDA can be run: name "
                        "the CUDA source in an overlay (--overlay)",
                        name, text_ends_with(name, ".hip") ? "HIP" : "OpenCL");
    if (name) {
        put_text(t, t->root_node, "source", origin, name);
        return true;
    }
    if (!json_is_array(file) || json_array_size(file) == 0)
        return t1_error(t, origin, "must be the name of a file");
    struct node *sources = put_list(t, t->root_node, "sources", origin);
    json_array_foreach(file, index, item)
    {
        if (!json_is_string(item))
            return t1_error(t, origin, "must be names of files");
        put_text(t, sources, NULL, origin, json_string_value(item));
    }
    return true;
}

/* ---- options of the compiler ---- */

enum { OPTIONS_MAX = 64 };
struct options {
    const char *words[OPTIONS_MAX];
    size_t count;
    const char *std;
    const char *flags[FLAGS_MAX];
    size_t flag_count;
    const char *folders[UNITS_MAX];
    size_t folder_count;
};

static const char *const options_origin = "KernelSpecification.CompilerOptions";

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Splits texts with several options. */
static bool split_options(struct translation *t, struct options *options)
{
    const json_t *list = json_member(t->kernel, "CompilerOptions");
    size_t items = json_is_string(list) ? 1 : json_array_size(list);
    for (size_t i = 0; i < items; i++) {
        const json_t *item = json_is_string(list) ? list : json_array_get(list, i);
        const char *next = json_string_value(item);
        if (!next)
            return t1_error(t, options_origin, "must be a list of texts");
        for (next += strspn(next, " \t"); *next; next += strspn(next, " \t")) {
            size_t length = strcspn(next, " \t");
            if (options->count == OPTIONS_MAX)
                return t1_error(t, options_origin, "more than %d", OPTIONS_MAX);
            options->words[options->count++] = t1_printf(t, "%.*s", (int)length, next);
            next += length;
        }
    }
    return true;
}

/* Returns true for options that NVRTC accepts unchanged. Names that end in '=' or have one letter
 * take a value. */
static bool is_nvrtc_flag(const char *word)
{
    static const char *const flags[] = {
        "-use_fast_math",
        "-ftz=",
        "-prec-div=",
        "-prec-sqrt=",
        "-fmad=",
        "-maxrregcount=",
        "-extra-device-vectorization",
        "-restrict",
        "-default-device",
        "-generate-line-info",
        "-lineinfo",
        "-device-int128",
        "-disable-warnings",
        "-diag-suppress=",
        "-ptxas-options=",
        "-minimal",
        "-D",
        "-U",
    };
    const char *plain = starts(word, "--") ? word + 1 : word;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        const size_t length = strlen(flags[i]);
        const bool valued = flags[i][length - 1] == '=' || length == 2;
        if (starts(plain, flags[i]) && valued == (plain[length] != '\0'))
            return true;
    }
    return strcmp(word, "-w") == 0;
}

/* The compiler that `Compiler` names (not a T1 key): nvcc, or CUDA's run-time compiler. */
static const char *const compiler_origin = "KernelSpecification.Compiler";

static bool put_compiler(struct translation *t)
{
    const char *name = json_word(t->kernel, "Compiler");
    if (put_ours(t, "compiler") || !name || !t->device->is_gpu)
        return true;
    if (strcasecmp(name, "nvcc") == 0)
        put_text(t, t->root_node, "compiler", compiler_origin, "nvcc");
    else if (strcasecmp(name, "nvrtc") != 0)
        t1_ignore(t, compiler_origin);
    return true;
}

/* Options whose value is a separate word, and their form in one word; those without are skipped
 * with the value. */
static const char *const spaced[][2] = {
    {"-std", "-std="},
    {"--std", "-std="},
    {"-I", "-I"},
    {"--include-path", "-I"},
    {"-D", "-D"},
    {"-U", "-U"},
    {"-maxrregcount", "--maxrregcount="},
    {"--maxrregcount", "--maxrregcount="},
    {"-Xptxas", "--ptxas-options="},
    {"--ptxas-options", "--ptxas-options="},
    {"-arch", NULL},
    {"-gencode", NULL},
    {"--gpu-architecture", NULL},
    {"--generate-code", NULL},
    {"-Xcompiler", NULL},
    {"--compiler-options", NULL},
    {"-ccbin", NULL},
};

static bool take_option(struct translation *t, const char *word, struct options *options)
{
    const char *ours = json_word(t->tune, "compiler");
    const char *compiler = ours ? ours : json_word(t->kernel, "Compiler");
    const char *plain = starts(word, "--") ? word + 1 : word;
    const bool is_nvcc_flag =
        compiler && strcasecmp(compiler, "nvcc") == 0 &&
        word_is_in(plain, strlen(plain),
                   "-expt-relaxed-constexpr -expt-extended-lambda -extended-lambda");
    if (starts(word, "-std=") || starts(word, "--std=")) {
        const char *std = strchr(word, '=') + 1;
        options->std = starts(std, "gnu") ? std + 3 : std + (starts(std, "c") ? 1 : 0);
        options->std = t1_printf(t, "c%s", options->std);
    } else if (starts(word, "-I") || starts(word, "--include-path=")) {
        if (options->folder_count == UNITS_MAX)
            return t1_error(t, options_origin, "more than %d folders", UNITS_MAX);
        options->folders[options->folder_count++] =
            starts(word, "-I") ? word + 2 : strchr(word, '=') + 1;
    } else if (is_nvrtc_flag(word) || is_nvcc_flag) {
        if (options->flag_count == FLAGS_MAX)
            return t1_error(t, options_origin, "more than %d", FLAGS_MAX);
        options->flags[options->flag_count++] = word;
    } else {
        t1_ignore(t, t1_printf(t, "%s '%s'", options_origin, word));
    }
    return true;
}

static bool read_options(struct translation *t, struct options *options)
{
    if (!split_options(t, options))
        return false;
    if (!t->device->is_gpu && options->count > 0)
        t1_ignore(t, options_origin);
    for (size_t i = 0; i < options->count && t->device->is_gpu; i++) {
        const char *word = options->words[i];
        for (size_t j = 0; j < sizeof spaced / sizeof *spaced && i + 1 < options->count; j++) {
            if (strcmp(options->words[i], spaced[j][0]) != 0)
                continue;
            i++;
            word = spaced[j][1] ? t1_printf(t, "%s%s", spaced[j][1], options->words[i])
                                : t1_printf(t, "%s %s", word, options->words[i]);
            break;
        }
        if (!take_option(t, word, options))
            return false;
    }
    return true;
}

static bool put_options(struct translation *t)
{
    const json_t *ours = json_member(t->tune, "flags");
    struct options options = {.count = 0};
    if (!read_options(t, &options))
        return false;
    if (!put_ours(t, "include") && options.folder_count > 0) {
        struct node *include = put_list(t, t->root_node, "include", options_origin);
        for (size_t i = 0; i < options.folder_count; i++)
            put_text(t, include, NULL, options_origin, options.folders[i]);
    }
    if (!put_ours(t, "std") && options.std)
        put_text(t, t->root_node, "std", options_origin, options.std);
    if (options.flag_count + json_array_size(ours) == 0)
        return true;
    struct node *flags = put_list(t, t->root_node, "flags", options_origin);
    for (size_t i = 0; i < options.flag_count; i++)
        put_quoted(t, flags, NULL, options_origin, options.flags[i]);
    for (size_t i = 0; i < json_array_size(ours); i++)
        put_json(t, flags, NULL, t1_printf(t, "tune.flags[%zu]", i), json_array_get(ours, i), 0);
    return true;
}

bool t1_translate_kernel(struct translation *t)
{
    return check_language(t) && put_source(t) && put_compiler(t) && put_options(t);
}

/* ---- the kernel's text ---- */

const char *t1_kernel_text(struct translation *t)
{
    const char *file = json_word(t->kernel, "KernelFile");
    const char *slash = strrchr(t->path, '/');
    struct error ignored = {0};
    struct source source = {0};
    if (file && file[0] != '/' && slash)
        file = t1_printf(t, "%.*s/%s", (int)(slash - t->path), t->path, file);
    return file && source_read_in(&t->document->arena, file, NULL, 0, &source, &ignored) ==
                       STATUS_OK
               ? source.contents
               : NULL;
}

/* Returns the type between the tokens without qualifiers and the following name; NULL if it is not
 * a number. */
static const char *type_of(struct translation *t, const struct tokens *tokens, size_t first,
                           size_t end)
{
    struct text words = {0};
    bool whole = false;
    for (size_t i = first; i < end; i++) {
        const struct token *token = &tokens->items[i];
        if (token->kind == TOKEN_DIRECTIVE || token_is_in(tokens, i, "* & && [ <")) {
            text_free(&words);
            return NULL;
        }
        whole |= token_is(tokens, i, "int");
        if (token->kind == TOKEN_NAME &&
            !token_is_in(tokens, i, "const volatile __grid_constant__ signed int"))
            text_printf(&words, "%s%.*s", words.length ? " " : "", (int)token->length,
                        token->start);
    }
    /* The last word is the parameter's name. */
    char *last = words.data ? strrchr(words.data, ' ') : NULL;
    const char *type =
        last ? t1_printf(t, "%.*s", (int)(last - words.data), words.data) : (whole ? "int" : "");
    text_free(&words);
    return type;
}

/* Returns the element type of a parameter; a named type may contain qualifiers too. */
static const char *element_at(struct translation *t, const struct tokens *tokens, size_t first,
                              size_t end)
{
    enum element_type element;
    const char *type = type_of(t, tokens, first, end);
    if (type && !element_from_c_name(type, &element)) {
        const char *named = t1_named_type(t, tokens, type);
        struct tokens words = {0};
        const bool complete =
            named && tokens_read(&t->document->arena, t1_printf(t, "%s name", named), &words);
        type = complete ? type_of(t, &words, 0, words.count) : NULL;
    }
    return type && element_from_c_name(type, &element) ? element_name(element) : NULL;
}

/* Counts the arguments other than dynamic shared memory, and those in constant memory among them.
 */
static void count_arguments(struct translation *t, int *all, int *constants)
{
    const json_t *argument;
    size_t index;
    *all = *constants = 0;
    json_array_foreach(t->arguments, index, argument)
    {
        *all += t1_is_local(argument) ? 0 : 1;
        *constants += t1_is_symbol(t, argument) ? 1 : 0;
    }
}

/* Finds the list of the kernel's parameters; 0: there is none. */
static size_t find_list(const struct tokens *tokens, const char *name)
{
    for (size_t i = 0; i < tokens->count; i++)
        for (size_t j = i; token_is(tokens, i, name) && token_is(tokens, i + 1, "(") && j > 0 &&
                           !token_is_in(tokens, j - 1, "; { }");
             j--)
            if (token_is(tokens, j - 1, "__global__"))
                return i + 1;
    return 0;
}

void t1_read_parameters(struct translation *t)
{
    const char *name = json_word(t->kernel, "KernelName");
    const char *text = t1_kernel_text(t);
    struct tokens tokens = {0};
    int count = 0, all = 0, constants = 0;
    bool has_constants = false;
    t->takes = -1;
    if (!text || !name || !tokens_read(&t->document->arena, text, &tokens))
        return;
    const size_t open = find_list(&tokens, name);
    const size_t close = open > 0 ? tokens_behind(&tokens, open) - 1 : 0;
    if (!token_is(&tokens, close, ")"))
        return;
    for (size_t i = open + 1, first = i; i <= close; i++) {
        if (tokens.items[i].kind == TOKEN_DIRECTIVE || count == ARGUMENTS_MAX)
            return; /* the compiler alone knows which ones */
        if (token_is_in(&tokens, i, "( ["))
            i = tokens_behind(&tokens, i) - 1;
        else if (token_is(&tokens, i, "<") && tokens_behind_angle(&tokens, i) < close)
            i = tokens_behind_angle(&tokens, i) - 1;
        if (i < close && !token_is(&tokens, i, ","))
            continue;
        t->parameter_types[count++] = element_at(t, &tokens, first, i);
        first = i + 1;
    }
    t->takes = count;
    count_arguments(t, &all, &constants);
    for (size_t i = 0; i < tokens.count; i++)
        has_constants |= token_is(&tokens, i, "__constant__");
    t->no_constants = t->device->is_gpu && count == all && !has_constants;
}

bool t1_passes_symbols(struct translation *t)
{
    int all = 0;
    int constants = 0;
    count_arguments(t, &all, &constants);
    return t->dialect == T1_KERNEL_TUNER && constants > 0 && t->takes == all;
}

const char *t1_parameter_type(struct translation *t, size_t index)
{
    int all = 0;
    int constants = 0;
    int place = 0;
    bool passes = t1_passes_symbols(t);
    count_arguments(t, &all, &constants);
    if (t->takes != (passes ? all : all - constants))
        return NULL;
    for (size_t i = 0; i < index; i++) {
        const json_t *argument = json_array_get(t->arguments, i);
        place += t1_is_local(argument) || (t1_is_symbol(t, argument) && !passes) ? 0 : 1;
    }
    return place < t->takes ? t->parameter_types[place] : NULL;
}
