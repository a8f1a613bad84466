/* KernelSpecification: the source, how it is compiled, and what is defined for it. */
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/exchange/internal.h"

/* ---- the source ---- */

static bool check_language(struct translation *t)
{
    static const char *const taken[] = {"CUDA", "NVCUDA", "CuPy", "PyCUDA"};
    const char *origin = "KernelSpecification.Language";
    const char *language = NULL;
    if (!json_text(t, t->kernel, "Language", origin, &language))
        return false;
    if (!language || t->cpu)
        return true;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (strcasecmp(language, taken[i]) == 0)
            return true;
    return t1_error(t, origin, "kernels in '%.40s' cannot be run; only those in CUDA can",
                    language);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    size_t tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static bool write_source(struct translation *t)
{
    const char *origin = "KernelSpecification.KernelFile";
    const json_t *file = json_member(t->kernel, "KernelFile");
    const json_t *item;
    size_t index;
    if (yaml_overridden(t, "source") || yaml_overridden(t, "sources"))
        return true;
    if (!file)
        return t1_error(t, origin,
                        "is missing; name the kernel's source in an overlay "
                        "(--overlay)");
    if (json_is_string(file)) {
        const char *name = json_string_value(file);
        bool hip = ends_with(name, ".hip");
        if (hip || ends_with(name, ".cl"))
            return t1_error(t, origin,
                            "'%.200s' is a kernel in %s, and only those in CUDA can be run: name "
                            "the CUDA source in an overlay (--overlay)",
                            name, hip ? "HIP" : "OpenCL");
        yaml_line(t, origin, "source: %s", yaml_scalar(t, name));
        return true;
    }
    if (!json_is_array(file) || json_array_size(file) == 0)
        return t1_error(t, origin, "must be the name of a file");
    yaml_line(t, origin, "sources:");
    json_array_foreach(file, index, item)
    {
        if (!json_is_string(item))
            return t1_error(t, origin, "must be names of files");
        yaml_line(t, origin, "  - %s", yaml_scalar(t, json_string_value(item)));
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

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Several options may stand in one text. */
static bool split_options(struct translation *t, struct options *options)
{
    const json_t *list = json_member(t->kernel, "CompilerOptions");
    size_t items = json_is_string(list) ? 1 : json_array_size(list);
    for (size_t i = 0; i < items; i++) {
        const json_t *item = json_is_string(list) ? list : json_array_get(list, i);
        const char *next = json_string_value(item);
        if (!next)
            return t1_error(t, "KernelSpecification.CompilerOptions", "must be a list of texts");
        for (;;) {
            next += strspn(next, " \t");
            size_t length = strcspn(next, " \t");
            if (length == 0)
                break;
            if (options->count == OPTIONS_MAX)
                return t1_error(t, "KernelSpecification.CompilerOptions", "more than %d",
                                OPTIONS_MAX);
            options->words[options->count++] = t1_printf(t, "%.*s", (int)length, next);
            next += length;
        }
    }
    return true;
}

/* What NVRTC takes as it stands, up to its value. */
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
        bool valued = flags[i][strlen(flags[i]) - 1] == '=' || strlen(flags[i]) == 2;
        if (valued ? starts(plain, flags[i]) && plain[strlen(flags[i])] != '\0'
                   : strcmp(plain, flags[i]) == 0)
            return true;
    }
    return strcmp(word, "-w") == 0;
}

/* Options whose value is a word of its own, and what they are called in one word; those without
 * are passed over with it. */
struct spaced {
    const char *word;
    const char *joined;
};
static const struct spaced *find_spaced(const char *word)
{
    static const struct spaced all[] = {
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
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(word, all[i].word) == 0)
            return &all[i];
    return NULL;
}

static bool take_option(struct translation *t, const char *word, struct options *options)
{
    if (starts(word, "-std=") || starts(word, "--std=")) {
        const char *std = strchr(word, '=') + 1;
        options->std = starts(std, "gnu") ? std + 3 : std + (starts(std, "c") ? 1 : 0);
        options->std = t1_printf(t, "c%s", options->std);
    } else if (starts(word, "-I") || starts(word, "--include-path=")) {
        if (options->folder_count == UNITS_MAX)
            return t1_error(t, "KernelSpecification.CompilerOptions", "more than %d folders",
                            UNITS_MAX);
        options->folders[options->folder_count++] =
            starts(word, "-I") ? word + 2 : strchr(word, '=') + 1;
    } else if (is_nvrtc_flag(word)) {
        if (options->flag_count == FLAGS_MAX)
            return t1_error(t, "KernelSpecification.CompilerOptions", "more than %d", FLAGS_MAX);
        options->flags[options->flag_count++] = word;
    } else {
        t1_ignore(t, t1_printf(t, "KernelSpecification.CompilerOptions '%s'", word));
    }
    return true;
}

static bool read_options(struct translation *t, struct options *options)
{
    if (!split_options(t, options))
        return false;
    if (t->cpu) {
        if (options->count > 0)
            t1_ignore(t, "KernelSpecification.CompilerOptions");
        return true;
    }
    for (size_t i = 0; i < options->count; i++) {
        const char *word = options->words[i];
        const struct spaced *spaced = find_spaced(word);
        if (spaced && i + 1 < options->count) {
            i++;
            word = t1_printf(t, "%s%s%s", spaced->joined ? spaced->joined : word,
                             spaced->joined ? "" : " ", options->words[i]);
        }
        if (!take_option(t, word, options))
            return false;
    }
    return true;
}

static bool write_options(struct translation *t)
{
    const char *origin = "KernelSpecification.CompilerOptions";
    const json_t *ours = json_member(t->tune, "flags");
    struct options *options = arena_alloc(t->arena, 1, sizeof *options);
    if (!options)
        return error_no_memory(t->error) == STATUS_OK;
    if (!read_options(t, options))
        return false;
    if (!yaml_overridden(t, "include") && options->folder_count > 0) {
        yaml_line(t, origin, "include:");
        for (size_t i = 0; i < options->folder_count; i++)
            yaml_line(t, origin, "  - %s", yaml_scalar(t, options->folders[i]));
    }
    if (!yaml_overridden(t, "std") && options->std)
        yaml_line(t, origin, "std: %s", yaml_scalar(t, options->std));
    if (options->flag_count + json_array_size(ours) == 0)
        return true;
    yaml_line(t, origin, "flags:");
    for (size_t i = 0; i < options->flag_count; i++)
        yaml_line(t, origin, "  - %s", yaml_quoted(t, options->flags[i]));
    for (size_t i = 0; i < json_array_size(ours); i++)
        yaml_line(t, t1_printf(t, "tune.flags[%zu]", i), "  - %s",
                  yaml_of_json(t, json_array_get(ours, i)));
    return true;
}

bool t1_write_kernel(struct translation *t)
{
    return check_language(t) && write_source(t) && write_options(t);
}
