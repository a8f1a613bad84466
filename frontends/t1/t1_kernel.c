/* KernelSpecification: the source, its compilation, and the kernel's parameters as the compiler
 * reports them. */
#include <stdlib.h>
#include <string.h>

#include "frontends/t1/internal.h"
#include "tuner/base/source.h"
#include "tuner/device/compiler.h"
#include "tuner/experiment/point.h"

/* ---- the source ---- */

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
                        "is missing; name the kernel's source in an overlay (--overlay)");
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

/* Options without their dashes. Those of one letter have their value in the same word. */
static const char valued[] =
    "D U I std include-path ftz prec-div prec-sqrt fmad maxrregcount diag-suppress ptxas-options "
    "Xptxas";
static const char flags[] =
    "use_fast_math extra-device-vectorization restrict default-device generate-line-info lineinfo "
    "device-int128 disable-warnings minimal w";
static const char nvcc_flags[] = "expt-relaxed-constexpr expt-extended-lambda extended-lambda";
static const char with_value[] = /* which are ignored with it */
    "arch gencode gpu-architecture generate-code Xcompiler compiler-options ccbin";

enum { OPTIONS_MAX = 64 };
static const int64_t patience_ns = INT64_C(120) * 1000000000;
struct options {
    const char *std;
    const char *flags[OPTIONS_MAX], *folders[OPTIONS_MAX];
    size_t flag_count, folder_count;
};

/* Takes the option at *at, and the next word where that is its value. */
static void take_option(struct translation *t, const char *const *words, size_t count, size_t *at,
                        struct options *options)
{
    const char *ours = json_word(t->tune, "compiler");
    const char *compiler = ours ? ours : json_word(t->kernel, "Compiler");
    const char *word = words[*at], *name = word + strspn(word, "-");
    const bool is_letter = name - word == 1 && *name && strchr("DUI", *name);
    const size_t length = is_letter ? 1 : strcspn(name, "=");
    const bool takes_value = name > word && word_is_in(name, length, valued);
    const char *value = name[length] == '\0' ? NULL : name + length + !is_letter;
    const bool is_flag =
        name > word && !value &&
        (word_is_in(name, length, flags) ||
         (compiler && strcasecmp(compiler, "nvcc") == 0 && word_is_in(name, length, nvcc_flags)));
    if (!value && *at + 1 < count && (takes_value || word_is_in(name, length, with_value))) {
        value = words[++*at];
        word = is_letter     ? t1_printf(t, "-%c%s", *name, value)
               : takes_value ? t1_printf(t, "--%s=%s", name, value)
                             : t1_printf(t, "%s %s", word, value);
    }
    if (value && *name == 'X' && takes_value)
        word = t1_printf(t, "--ptxas-options=%s", value);
    if (takes_value && value && length == strlen("std") && strncmp(name, "std", length) == 0) {
        value += strspn(value, "gnuc");
        options->std = t1_printf(t, "c%s", value);
    } else if (takes_value && value && strchr("Ii", *name)) {
        options->folders[options->folder_count++] = value;
    } else if (is_flag || (takes_value && value)) {
        options->flags[options->flag_count++] = word;
    } else {
        t1_ignore(t, t1_printf(t, "KernelSpecification.CompilerOptions '%s'", word));
    }
}

static bool put_options(struct translation *t)
{
    const char *origin = "KernelSpecification.CompilerOptions";
    const json_t *list = json_member(t->kernel, "CompilerOptions");
    const json_t *ours = json_member(t->tune, "flags");
    const json_t *item;
    const char *words[OPTIONS_MAX];
    struct options options = {.std = NULL};
    size_t count = 0;
    for (size_t i = 0; (item = json_item(list, i)); i++) { /* a text may have several options */
        const char *next = json_string_value(item);
        if (!next)
            return t1_error(t, origin, "must be a list of texts");
        for (next += strspn(next, " \t"); *next; next += strspn(next, " \t")) {
            const size_t length = strcspn(next, " \t");
            if (count == OPTIONS_MAX)
                return t1_error(t, origin, "more than %d", OPTIONS_MAX);
            words[count++] = t1_printf(t, "%.*s", (int)length, next);
            next += length;
        }
    }
    if (!t->device->is_gpu && count > 0)
        t1_ignore(t, origin);
    for (size_t i = 0; i < count && t->device->is_gpu; i++)
        take_option(t, words, count, &i, &options);
    if (!put_ours(t, "include") && options.folder_count > 0) {
        struct node *include = put_list(t, t->root_node, "include", origin);
        for (size_t i = 0; i < options.folder_count; i++)
            put_text(t, include, NULL, origin, options.folders[i]);
    }
    if (!put_ours(t, "std") && options.std)
        put_text(t, t->root_node, "std", origin, options.std);
    if (options.flag_count + json_array_size(ours) == 0)
        return true;
    struct node *list_of_flags = put_list(t, t->root_node, "flags", origin);
    for (size_t i = 0; i < options.flag_count; i++)
        put_quoted(t, list_of_flags, NULL, origin, options.flags[i]);
    for (size_t i = 0; i < json_array_size(ours); i++)
        put_json(t, list_of_flags, NULL, t1_printf(t, "tune.flags[%zu]", i),
                 json_array_get(ours, i), 0);
    return true;
}

bool t1_translate_kernel(struct translation *t)
{
    /* `Compiler` is no key of T1's: nvcc, or CUDA's run-time compiler. */
    const char *origin = "KernelSpecification.Compiler";
    const char *compiler = json_word(t->kernel, "Compiler");
    const char *language = NULL;
    TRY_OR_FALSE(json_text(t, t->kernel, "Language", "KernelSpecification.Language", &language));
    if (language && t->device->is_gpu &&
        !strcasestr(" CUDA NVCUDA CuPy PyCUDA ", t1_printf(t, " %s ", language)))
        return t1_error(t, "KernelSpecification.Language",
                        "kernels in '%.40s' cannot be run; only those in CUDA can", language);
    TRY_OR_FALSE(put_source(t));
    if (!put_ours(t, "compiler") && compiler && t->device->is_gpu) {
        if (strcasecmp(compiler, "nvcc") == 0)
            put_text(t, t->root_node, "compiler", origin, "nvcc");
        else if (strcasecmp(compiler, "nvrtc") != 0)
            t1_ignore(t, origin);
    }
    return put_options(t);
}

bool t1_kernel_names(struct translation *t, const char *name)
{
    const char *file = json_word(t->kernel, "KernelFile");
    struct error ignored = {0};
    struct source source = {0};
    return file &&
           source_read_in(&t->document->arena, t1_path(t, file), NULL, 0, &source, &ignored) ==
               STATUS_OK &&
           strstr(source.contents, name);
}

/* ---- the kernel's parameters ---- */

/* Reads `.visible .entry add(.param .u64 add_param_0, .param .align 2 .b8 add_param_1[2])`. */
static bool read_entry(const struct compiler_answer *answer, struct t1_signature *out)
{
    const size_t length = strlen(answer->symbol);
    const char *at = answer->ptx;
    *out = (struct t1_signature){.has_constants = strstr(at, ".const .")};
    do {
        at = strstr(at, ".entry ");
        TRY_OR_FALSE(at);
        at += strlen(".entry ");
    } while (strncmp(at, answer->symbol, length) != 0 || !strchr("( \n", at[length]));
    const char *const end = at + strcspn(at, ")");
    while ((at = strstr(at, ".param .")) && at < end) {
        at += strlen(".param .");
        TRY_OR_FALSE(out->count < ARGUMENTS_MAX);
        const size_t of = out->count++;
        const bool is_array = strncmp(at, "align", strlen("align")) == 0;
        /* An array is a struct; one of two bytes is CUDA's type of half precision. */
        const bool is_half = is_array && strncmp(at + strcspn(at, "[,)"), "[2]", 3) == 0;
        out->parameters[of].is_real = *at == 'f' || is_half;
        out->parameters[of].bits = is_half    ? 16
                                   : is_array ? 0
                                              : (unsigned)strtoul(at + 1, NULL, 10);
    }
    return true;
}

bool t1_ask_compiler(struct document *document, struct t1_signature *out)
{
    struct arena arena = {0};
    struct facts facts = {0};
    struct error ignored = {0};
    struct experiment *experiment = NULL;
    struct problem problem;
    struct configuration configuration;
    struct binary_request request;
    struct source source;
    struct compiler_answer answer;
    facts_add_text(&facts, "architecture", "sm_90");
    bool known =
        experiment_load_document(document, NULL, true, &experiment, &ignored) == STATUS_OK &&
        experiment_problem_count(experiment) > 0;
    if (known)
        experiment_problem(experiment, 0, &problem);
    known =
        known &&
        experiment_default(experiment, &problem, &facts, &configuration, &ignored) == STATUS_OK &&
        point_binary(&(struct point){experiment, &problem, &facts, &configuration, 0}, &arena,
                     &request, &ignored) == STATUS_OK &&
        source_read_in(&arena, request.source_path, request.folders, request.folder_count, &source,
                       &ignored) == STATUS_OK;
    if (known) {
        request.kernel_count = 1;
        request.symbol_count = 0;
        known = device_ask_compiler(&arena, source.text, &request, patience_ns, &answer,
                                    &ignored) == STATUS_OK &&
                read_entry(&answer, out);
    }
    experiment_free(experiment);
    facts_free(&facts);
    arena_free(&arena);
    return known;
}
