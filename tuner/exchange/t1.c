/* A T1 file as a whole: which dialect, and its parts in the order of an experiment file. */
#include "tuner/exchange/t1.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/exchange/internal.h"

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
    (void)error_set(t->error, STATUS_BAD_INPUT, "%s: %s: %s", t->path, origin, text);
    return false;
}

const char *t1_printf(struct translation *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(t->arena, format, arguments);
    va_end(arguments);
    t->failed = t->failed || !text;
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

/* ---- the dialect ---- */

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

static bool any_is(const json_t *array, const char *key, const char *text)
{
    const json_t *item;
    size_t index;
    json_array_foreach(array, index, item)
    {
        const char *its = json_string_value(json_object_get(item, key));
        if (its && strcmp(its, text) == 0)
            return true;
    }
    return false;
}

/* Each dialect has keys that the other knows nothing of; those that say less come last. */
bool t1_detect(struct translation *t, enum t1_dialect wanted)
{
    const json_t *arguments = t1_arguments(t);
    const json_t *general = json_member(t->root, "General");
    bool tuner = json_member(t->kernel, "ProblemSize") || json_member(t->kernel, "GridDivX") ||
                 json_member(t->kernel, "GridDivY") || json_member(t->kernel, "GridDivZ") ||
                 any_has(arguments, "MemType") || any_has(arguments, "Output");
    bool ktt = json_member(t->kernel, "ReferenceArguments") ||
               json_member(t->kernel, "Profiling") || any_has(arguments, "TypeSize") ||
               any_is(arguments, "MemoryType", "Local") ||
               any_is(arguments, "MemoryType", "Symbol");
    if (!tuner && !ktt)
        tuner = any_has(json_member(t->space, "TuningParameters"), "Default") ||
                json_member(general, "BenchmarkName") || json_member(t->kernel, "BenchmarkName");
    t->dialect = wanted != T1_DETECT ? wanted : tuner ? T1_KERNEL_TUNER : T1_KTT;
    t->sized = t->dialect == T1_KERNEL_TUNER && json_member(t->kernel, "ProblemSize");
    return true;
}

/* ---- the whole ---- */

static bool check_shape(struct translation *t)
{
    static const char *const needed[] = {"ConfigurationSpace", "KernelSpecification"};
    for (size_t i = 0; i < 2; i++)
        if (!json_is_object(json_member(t->root, needed[i])))
            return t1_error(t, needed[i], "is missing; is that a T1 file?");
    const json_t *arguments = t1_arguments(t);
    if (arguments && !json_is_array(arguments))
        return t1_error(t, "KernelSpecification.Arguments", "must be a list");
    if (t->tune && !json_is_object(t->tune))
        return t1_error(t, "tune", "must be an object with keys of experiment files");
    return true;
}

/* Keys of ours that are added to what the file has must be of its kind. */
static bool check_ours(struct translation *t)
{
    const json_t *device = json_member(t->tune, "device");
    const char *kind = json_string_value(device);
    static const char *const lists[] = {"flags", "constraints"};
    if (device && (!kind || (strcmp(kind, "cpu") != 0 && strcmp(kind, "cuda") != 0)))
        return t1_error(t, "tune.device", "is \"cuda\" or \"cpu\"");
    t->cpu = kind && strcmp(kind, "cpu") == 0;
    for (size_t i = 0; i < 2; i++) {
        const json_t *list = json_member(t->tune, lists[i]);
        if (list && !json_is_array(list))
            return t1_error(t, t1_printf(t, "tune.%s", lists[i]), "must be a list");
    }
    const json_t *defines = json_member(t->tune, "defines");
    if (defines && !json_is_object(defines))
        return t1_error(t, "tune.defines", "must be an object");
    return true;
}

/* The file's own name makes the experiment's. */
static const char *name_of(struct translation *t)
{
    const char *slash = strrchr(t->path, '/');
    const char *base = slash ? slash + 1 : t->path;
    char name[VALUE_TEXT_BYTES];
    size_t length = 0;
    if (base[0] >= '0' && base[0] <= '9')
        name[length++] = '_';
    for (; *base && strcmp(base, ".json") != 0 && length < sizeof name - 1; base++)
        name[length++] = is_name((char[]){'_', *base, '\0'}) ? *base : '_';
    name[length] = '\0';
    return length > 0 ? t1_printf(t, "%s", name) : "t1";
}

/* A name within a line that is none of YAML's. */
static const char *comment(struct translation *t, const char *name)
{
    char *text = arena_strdup(t->arena, name);
    for (char *c = text; c && *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
            *c = '?';
    t->failed = t->failed || !text;
    return text ? text : "";
}

static void write_heading(struct translation *t, const char *overlay)
{
    const char *slash = strrchr(t->path, '/');
    const char *base = slash ? slash + 1 : t->path;
    yaml_line(t, NULL, "# Made of %s%s%s, T1 as %s reads it.", comment(t, base),
              overlay ? " and " : "", overlay ? comment(t, overlay) : "",
              t->dialect == T1_KTT ? "KTT" : "Kernel Tuner");
    const char *about =
        json_string_value(json_object_get(json_member(t->root, "General"), "BenchmarkName"));
    if (!yaml_overridden(t, "experiment"))
        yaml_line(t, NULL, "experiment: %s", yaml_scalar(t, name_of(t)));
    if (!yaml_overridden(t, "about") && about && about[0])
        yaml_line(t, "General.BenchmarkName", "about: %s", yaml_scalar(t, about));
    (void)yaml_overridden(t, "device");
}

static bool translate(struct translation *t, enum t1_dialect wanted, const char *overlay)
{
    t->space = json_member(t->root, "ConfigurationSpace");
    t->kernel = json_member(t->root, "KernelSpecification");
    t->tune = json_member(t->root, "tune");
    if (!check_shape(t) || !check_ours(t) || !t1_detect(t, wanted))
        return false;
    t1_read_parameters(t);
    write_heading(t, overlay);
    if (!t1_write_kernel(t) || !t1_write_space(t) || !t1_write_launch(t) ||
        !t1_write_arguments(t) || !t1_write_checks(t))
        return false;
    yaml_rest(t);
    t1_list_ignored(t);
    return true;
}

/* "A, B" of the lines of what was ignored. */
static const char *join_ignored(struct translation *t)
{
    struct text joined = {0};
    for (const char *c = text_string(&t->ignored); *c; c++) {
        if (*c != '\n')
            text_append_bytes(&joined, c, 1);
        else if (c[1])
            text_append(&joined, ", ");
    }
    const char *kept = t1_printf(t, "%s", text_string(&joined));
    t->failed = t->failed || joined.failed || t->ignored.failed || t->shaping.failed;
    text_free(&joined);
    return kept;
}

/* A parameter that decides how large an argument is decides what is computed, most likely; and then
 * one configuration can vouch for none with another value of it. */
static const char *note_of(struct translation *t)
{
    if (t->shaping.length == 0 || json_member(t->kernel, "ReferenceArguments") ||
        json_member(t->tune, "check"))
        return "";
    return t1_printf(t,
                     "sizes of arguments depend on %s: points whose values are not the default's "
                     "may compute something else, and are then called wrong, since the default "
                     "configuration is the reference; fix them in an overlay (--overlay)",
                     text_string(&t->shaping));
}

static json_t *parse(const struct t1_file *file, struct error *error)
{
    json_error_t why;
    json_t *root = json_loadb(file->json, file->length, 0, &why);
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

static enum status merge(json_t *root, const struct t1_file *overlay, struct error *error)
{
    json_t *patch = parse(overlay, error);
    if (!patch)
        return error->status;
    bool merged = t1_merge_overlay(root, patch, overlay->path, error);
    json_decref(patch);
    return merged ? STATUS_OK : error->status;
}

/* "a.json and b.json"; NULL: no overlay. */
static const char *name_overlays(struct translation *t, const struct t1_file *overlays,
                                 size_t count)
{
    const char *names = NULL;
    for (size_t i = 0; i < count; i++)
        names = names ? t1_printf(t, "%s and %s", names, overlays[i].path) : overlays[i].path;
    return names;
}

enum status t1_translate(const struct t1_file *file, const struct t1_file *overlays,
                         size_t overlay_count, enum t1_dialect dialect, struct t1 *out,
                         struct error *error)
{
    struct translation t = {.arena = &out->arena, .path = file->path, .error = error};
    error_clear(error);
    json_t *root = parse(file, error);
    if (!root)
        return error->status;
    t.root = root;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < overlay_count && status == STATUS_OK; i++)
        status = merge(root, &overlays[i], error);
    if (status == STATUS_OK && !translate(&t, dialect, name_overlays(&t, overlays, overlay_count)))
        status = error->status;
    out->dialect = t.dialect;
    out->ignored = join_ignored(&t);
    out->note = note_of(&t);
    out->text.path = t1_printf(&t, "%s", file->path);
    out->text.text = t1_printf(&t, "%s", text_string(&t.yaml));
    out->text.line_count = t.line_count;
    out->text.lenient_defaults = true;
    out->text.origins =
        t.line_count ? arena_copy(t.arena, t.origins, t.line_count * sizeof *t.origins) : NULL;
    if (status == STATUS_OK && (t.failed || t.yaml.failed || (t.line_count && !out->text.origins)))
        status = error_no_memory(error);
    free(t.origins);
    text_free(&t.yaml);
    text_free(&t.ignored);
    text_free(&t.shaping);
    json_decref(root);
    return status;
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
    arena_free(&t1->arena);
    *t1 = (struct t1){.ignored = NULL};
}
