/* Translation of a whole T1 file: the dialect, then the parts in the order of an experiment file.
 */
#include "frontends/t1/t1.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/t1/internal.h"
#include "tuner/base/files.h"
#include "tuner/base/json.h"

static const char *const dialect_names[] = {
    [T1_DETECT] = "detected",
    [T1_KERNEL_TUNER] = "kernel_tuner",
    [T1_KTT] = "ktt",
};

enum status t1_dialect_parse(const char *name, enum t1_dialect *out, struct error *error)
{
    for (int i = T1_KERNEL_TUNER; i <= T1_KTT; i++) {
        if (strcmp(name, dialect_names[i]) == 0) {
            *out = (enum t1_dialect)i;
            return STATUS_OK;
        }
    }
    return error_set(error, STATUS_USAGE, "--dialect %.40s: write kernel_tuner or ktt", name);
}

bool t1_error(struct translation *t, const char *origin, const char *format, ...)
{
    char text[ERROR_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)error_set(t->error, STATUS_BAD_INPUT, "%s: %s: %s", t->path, origin ? origin : "the file",
                    text);
    return false;
}

const char *t1_printf(struct translation *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(&t->document->arena, format, arguments);
    va_end(arguments);
    t->failed |= !text;
    return text ? text : "";
}

void t1_ignore(struct translation *t, const char *what)
{
    enum { IGNORED_BYTES_MAX = 4096 };
    size_t length = strlen(what);
    for (const char *c = text_string(&t->ignored); *c; c += strcspn(c, "\n") + 1)
        if (strcspn(c, "\n") == length && strncmp(c, what, length) == 0)
            return;
    if (t->ignored.length < IGNORED_BYTES_MAX)
        text_printf(&t->ignored, "%s\n", what);
}

/* ---- keys ---- */

enum { KEYS_MAX = 20 };

/* T1's keys under their names in overlays. Keys of one dialect are handled below. */
static const struct section {
    const char *name, *prefix;
    const char *keys[KEYS_MAX];
} sections[] = {
    {"", "", {"ConfigurationSpace", "KernelSpecification", "tune", "General"}},
    {"General", "General.", {"BenchmarkName"}},
    {"ConfigurationSpace", "ConfigurationSpace.", {"TuningParameters", "Conditions"}},
    {"Parameter", "ConfigurationSpace.TuningParameters[].", {"Name", "Type", "Values", "Default"}},
    {"Condition", "ConfigurationSpace.Conditions[].", {"Parameters", "Expression"}},
    {"KernelSpecification",
     "KernelSpecification.",
     {"Language", "KernelName", "KernelFile", "Compiler", "CompilerOptions", "GlobalSizeType",
      "GlobalSize", "LocalSize", "SharedMemory", "Arguments", "ReferenceArguments", "ProblemSize",
      "GridDivX", "GridDivY", "GridDivZ"}},
    {"Argument",
     "KernelSpecification.Arguments[].",
     {"Name", "Type", "Size", "TypeSize", "FillType", "FillValue", "DataSource", "RandomSeed",
      "AccessType", "MemoryType", "MemType", "Output"}},
    {"Reference",
     "KernelSpecification.ReferenceArguments[].",
     {"Name", "TargetName", "FillType", "FillValue", "DataSource", "ValidationMethod",
      "ValidationThreshold"}},
};

bool t1_is_key(const char *section, const char *key, const char **nearest)
{
    *nearest = NULL;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        size_t count = 0;
        if (strcmp(sections[i].name, section) != 0)
            continue;
        for (; count < KEYS_MAX && sections[i].keys[count]; count++)
            if (strcmp(sections[i].keys[count], key) == 0)
                return true;
        *nearest = nearest_word(key, sections[i].keys, count);
        return false;
    }
    return true;
}

/* Lists the ignored keys of one object, or of each object of a list. */
static void list_ignored(struct translation *t, const struct section *section, const json_t *json)
{
    const char *key;
    const char *nearest = NULL;
    const json_t *value;
    size_t index;
    json_array_foreach(json, index, value)
    {
        if (json_is_object(value))
            list_ignored(t, section, value);
    }
    json_object_foreach((json_t *)json, key, value)
    {
        if (!json_is_null(value) && !t1_is_key(section->name, key, &nearest))
            t1_ignore(t, t1_printf(t, "%s%.60s", section->prefix, key));
    }
}

static bool any_has(const json_t *array, const char *key)
{
    const json_t *item;
    size_t index;
    json_array_foreach(array, index, item)
    {
        if (json_member(item, key))
            return true;
    }
    return false;
}

static bool any_has_text(const json_t *array, const char *key, const char *text)
{
    const json_t *item;
    size_t index;
    json_array_foreach(array, index, item)
    {
        if (json_has_text(item, key, text))
            return true;
    }
    return false;
}

/* Keys of Kernel Tuner's dialect only. */
static const char *const grid_keys[] = {"ProblemSize", "GridDivX", "GridDivY", "GridDivZ"};

static void list_all_ignored(struct translation *t)
{
    const json_t *const of[] = {t->root,
                                json_member(t->root, "General"),
                                t->space,
                                json_member(t->space, "TuningParameters"),
                                json_member(t->space, "Conditions"),
                                t->kernel,
                                t->arguments,
                                json_member(t->kernel, "ReferenceArguments")};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        list_ignored(t, &sections[i], of[i]);
    if (t->dialect == T1_KERNEL_TUNER)
        return;
    for (size_t i = 0; i < sizeof grid_keys / sizeof *grid_keys; i++)
        if (json_member(t->kernel, grid_keys[i]))
            t1_ignore(t, t1_printf(t, "KernelSpecification.%s", grid_keys[i]));
    if (any_has(t->arguments, "MemType"))
        t1_ignore(t, "KernelSpecification.Arguments[].MemType");
}

/* ---- the whole ---- */

/* Determines the dialect from keys that only one of them has, the most specific first. */
static void detect_dialect(struct translation *t, enum t1_dialect wanted)
{
    bool tuner = any_has(t->arguments, "MemType") || any_has(t->arguments, "Output");
    for (size_t i = 0; i < sizeof grid_keys / sizeof *grid_keys; i++)
        tuner |= json_member(t->kernel, grid_keys[i]) != NULL;
    bool ktt = json_member(t->kernel, "ReferenceArguments") ||
               json_member(t->kernel, "Profiling") || any_has(t->arguments, "TypeSize") ||
               any_has_text(t->arguments, "MemoryType", "Local") ||
               any_has_text(t->arguments, "MemoryType", "Symbol");
    if (!tuner && !ktt)
        tuner = any_has(json_member(t->space, "TuningParameters"), "Default") ||
                json_member(json_member(t->root, "General"), "BenchmarkName") ||
                json_member(t->kernel, "BenchmarkName");
    t->dialect = wanted != T1_DETECT ? wanted : tuner ? T1_KERNEL_TUNER : T1_KTT;
    t->sized = t->dialect == T1_KERNEL_TUNER && json_member(t->kernel, "ProblemSize");
}

/* Checks that tune's own keys have the type of the file's keys that they extend. */
static bool check_shape(struct translation *t)
{
    static const char *const needed[] = {"ConfigurationSpace", "KernelSpecification"};
    static const char *const lists[] = {"flags", "constraints"};
    const char *kind = json_word(t->tune, "device");
    for (size_t i = 0; i < 2; i++)
        if (!json_is_object(json_member(t->root, needed[i])))
            return t1_error(t, needed[i], "is missing; is that a T1 file?");
    if (t->arguments && !json_is_array(t->arguments))
        return t1_error(t, "KernelSpecification.Arguments", "must be a list");
    if (t->tune && !json_is_object(t->tune))
        return t1_error(t, "tune", "must be an object with keys of experiment files");
    t->device = json_member(t->tune, "device") ? device_traits_of_section(kind ? kind : "")
                                               : &device_traits_list[0];
    if (!t->device)
        return t1_error(t, "tune.device", "is \"cuda\" or \"cpu\"");
    for (size_t i = 0; i < 2; i++)
        if (json_member(t->tune, lists[i]) && !json_is_array(json_member(t->tune, lists[i])))
            return t1_error(t, t1_printf(t, "tune.%s", lists[i]), "must be a list");
    const json_t *defines = json_member(t->tune, "defines");
    return !defines || json_is_object(defines) || t1_error(t, "tune.defines", "must be an object");
}

/* Returns the experiment's name, made from the file's name. */
static const char *name_of(struct translation *t)
{
    const char *base = path_file(t->path);
    char name[VALUE_TEXT_BYTES];
    size_t length = 0;
    if (base[0] >= '0' && base[0] <= '9')
        name[length++] = '_';
    for (; *base && strcmp(base, ".json") != 0 && length < sizeof name - 1; base++)
        name[length++] = is_name_character(*base) ? *base : '_';
    name[length] = '\0';
    return length > 0 ? t1_printf(t, "%s", name) : "t1";
}

static void put_heading(struct translation *t, const char *overlays)
{
    const char *about = json_word(json_member(t->root, "General"), "BenchmarkName");
    char *comment =
        arena_printf(&t->document->arena, "Made of %s%s%s, T1 as %s reads it.", path_file(t->path),
                     overlays ? " and " : "", overlays ? overlays : "",
                     t->dialect == T1_KTT ? "KTT" : "Kernel Tuner");
    for (char *c = comment; c && *c; c++) /* replaces characters that YAML lines cannot hold */
        if (*c < ' ' || *c > '~')
            *c = '?';
    t->document->comment = comment;
    t->failed |= !comment;
    if (!put_ours(t, "experiment"))
        put_text(t, t->root_node, "experiment", NULL, name_of(t));
    if (!put_ours(t, "about") && about && about[0])
        put_text(t, t->root_node, "about", "General.BenchmarkName", about);
    (void)put_ours(t, "device");
}

/* Adds tune's own keys that belong to no other part. */
static void put_rest(struct translation *t)
{
    static const char *const placed[] = {"experiment", "about",     "device",  "source",
                                         "sources",    "std",       "include", "compiler",
                                         "flags",      "defaults",  "defines", "constraints",
                                         "launches",   "arguments", "check"};
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)t->tune, key, value)
    {
        bool known = false;
        for (size_t i = 0; i < sizeof placed / sizeof *placed; i++)
            known |= strcmp(placed[i], key) == 0;
        if (!known && (json_is_null(value) || !is_name(key)))
            t1_ignore(t, t1_printf(t, "tune.%s", key));
        else if (!known)
            (void)put_ours(t, key);
    }
}

static bool translate(struct translation *t, enum t1_dialect wanted, const char *overlays)
{
    t->space = json_member(t->root, "ConfigurationSpace");
    t->kernel = json_member(t->root, "KernelSpecification");
    t->arguments = json_member(t->kernel, "Arguments");
    t->tune = json_member(t->root, "tune");
    if (!check_shape(t))
        return false;
    detect_dialect(t, wanted);
    t1_read_parameters(t);
    t->root_node = put_mapping(t, NULL, NULL, NULL);
    t->document->root = t->root_node;
    put_heading(t, overlays);
    if (!t1_translate_kernel(t) || !t1_translate_space(t) || !t1_translate_launch(t) ||
        !t1_translate_arguments(t) || !t1_translate_checks(t))
        return false;
    put_rest(t);
    list_all_ignored(t);
    return true;
}

/* Joins the lines of ignored keys as "A, B". */
static const char *join_ignored(struct translation *t, struct arena *arena)
{
    struct text joined = {0};
    for (const char *c = text_string(&t->ignored); *c; c++) {
        if (*c != '\n')
            text_append_bytes(&joined, c, 1);
        else if (c[1])
            text_append(&joined, ", ");
    }
    const char *kept = arena_strdup(arena, text_string(&joined));
    t->failed |= joined.failed || t->ignored.failed || t->shaping.failed || !kept;
    text_free(&joined);
    return kept ? kept : "";
}

/* Returns notes for the user. A parameter that decides an argument's size probably changes the
 * result, so one configuration cannot be the reference of another value. */
static const char *note_of(struct translation *t, struct arena *arena)
{
    const char *other = t->in_place ? t->in_place : "";
    if (t->shaping.length == 0 || json_member(t->kernel, "ReferenceArguments") ||
        json_member(t->tune, "check"))
        return other;
    const char *note = arena_printf(
        arena,
        "%s%ssizes of arguments depend on %s: points whose values are not the default's "
        "may compute something else, and are then called wrong, since the default "
        "configuration is the reference; fix them in an overlay (--overlay)",
        other, *other ? "; " : "", text_string(&t->shaping));
    t->failed |= !note;
    return note ? note : "";
}

/* Replaces a HIP source by the CUDA source beside it: "k.cu" for "k.cu.hip". */
static void take_cuda_beside(struct translation *t, json_t *root)
{
    json_t *kernel = json_object_get(root, "KernelSpecification");
    const char *name = json_word(kernel, "KernelFile");
    const char *slash = strrchr(t->path, '/');
    if (!name || !text_ends_with(name, ".cu.hip"))
        return;
    const char *cuda = t1_printf(t, "%.*s", (int)(strlen(name) - strlen(".hip")), name);
    const char *path = name[0] == '/' || !slash
                           ? cuda
                           : t1_printf(t, "%.*s/%s", (int)(slash - t->path), t->path, cuda);
    if (!file_exists(path))
        return;
    t->in_place = t1_printf(t,
                            "KernelSpecification.KernelFile: '%s' is a kernel in HIP: the CUDA "
                            "source beside it is taken, '%s'",
                            name, cuda);
    t->failed |= json_object_set_new(kernel, "KernelFile", json_string(cuda)) != 0;
}

static json_t *parse(const struct t1_file *file, struct error *error)
{
    json_error_t why;
    json_t *root = json_read_bytes(file->json, file->length, 0, &why);
    if (!root)
        (void)error_set(error, STATUS_BAD_INPUT, "%s:%d:%d: %s", file->path, why.line, why.column,
                        why.text);
    else if (!json_is_object(root))
        (void)error_set(error, STATUS_BAD_INPUT, "%s: no T1 file: it must be an object",
                        file->path);
    if (json_is_object(root))
        return root;
    json_decref(root);
    return NULL;
}

enum status t1_translate(const struct t1_file *file, const struct t1_file *overlays,
                         size_t overlay_count, enum t1_dialect dialect, struct t1 *out,
                         struct error *error)
{
    struct translation t = {.document = &out->document, .path = file->path, .error = error};
    const char *names = NULL; /* "a.json and b.json" */
    error_clear(error);
    json_t *root = parse(file, error);
    if (!root)
        return error->status;
    t.root = root;
    bool right = document_begin(t.document, file->path);
    t.failed = !right;
    for (size_t i = 0; i < overlay_count && right; i++) {
        json_t *patch = parse(&overlays[i], error);
        right = patch && t1_merge_overlay(root, patch, overlays[i].path, error);
        names = names ? t1_printf(&t, "%s and %s", names, overlays[i].path) : overlays[i].path;
        json_decref(patch);
    }
    if (right) {
        take_cuda_beside(&t, root);
        (void)translate(&t, dialect, names);
    }
    out->dialect = t.dialect;
    out->ignored = join_ignored(&t, &out->arena);
    out->note = note_of(&t, &out->arena);
    if (t.origin_count > 0) {
        t.document->file->origins =
            arena_copy(&out->document.arena, t.origins, t.origin_count * sizeof *t.origins);
        t.failed |= !t.document->file->origins;
    }
    if (error->status == STATUS_OK && t.failed)
        (void)error_no_memory(error);
    free(t.origins);
    text_free(&t.ignored);
    text_free(&t.shaping);
    json_decref(root);
    return error->status;
}

static enum status read_file(struct arena *arena, const char *path, struct t1_file *out,
                             struct error *error)
{
    char *text = NULL;
    enum status status = file_read(arena, path, T1_BYTES_MAX, &text, &out->length, error);
    out->path = path;
    out->json = text;
    return status;
}

enum status t1_read(const char *path, const char *const *overlay_paths, size_t overlay_count,
                    enum t1_dialect dialect, struct t1 *out, struct error *error)
{
    struct t1_file file;
    struct t1_file *overlays = arena_alloc(&out->arena, overlay_count + 1, sizeof *overlays);
    if (!overlays)
        return error_no_memory(error);
    enum status status = read_file(&out->arena, path, &file, error);
    for (size_t i = 0; i < overlay_count && status == STATUS_OK; i++)
        status = read_file(&out->arena, overlay_paths[i], &overlays[i], error);
    return status == STATUS_OK ? t1_translate(&file, overlays, overlay_count, dialect, out, error)
                               : status;
}

void t1_free(struct t1 *t1)
{
    arena_free(&t1->document.arena);
    arena_free(&t1->arena);
    *t1 = (struct t1){.ignored = NULL};
}
