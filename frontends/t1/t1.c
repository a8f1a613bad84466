/* Translation of a whole T1 file: the dialect, then the parts in the order of an experiment file.
 */
#include "frontends/t1/t1.h"

#include <stdlib.h>
#include <string.h>

#include "frontends/t1/internal.h"
#include "tuner/base/files.h"

enum status t1_dialect_parse(const char *name, enum t1_dialect *out, struct error *error)
{
    if (strcmp(name, "kernel_tuner") != 0 && strcmp(name, "ktt") != 0)
        return error_set(error, STATUS_USAGE, "--dialect %.40s: write kernel_tuner or ktt", name);
    *out = strcmp(name, "ktt") == 0 ? T1_KTT : T1_KERNEL_TUNER;
    return STATUS_OK;
}

/* Lists the ignored keys of one object, or of each object of a list. */
static void list_ignored(struct translation *t, const struct t1_section *section,
                         const json_t *json)
{
    const char *key, *nearest = NULL;
    const json_t *value;
    size_t index;
    json_array_foreach(json, index, value)
    {
        if (json_is_object(value))
            list_ignored(t, section, value);
    }
    json_object_foreach((json_t *)json, key, value)
    {
        if (!json_is_null(value) && !t1_has_key(section, key, &nearest))
            t1_ignore(t, t1_printf(t, "%s%s%.60s", section->path, *section->path ? "." : "", key));
    }
}

/* Returns whether an object of the list has the key; with that text, unless it is NULL. */
static bool any_has(const json_t *array, const char *key, const char *text)
{
    const json_t *item;
    size_t index;
    json_array_foreach(array, index, item)
    {
        if (text ? json_has_text(item, key, text) : json_member(item, key) != NULL)
            return true;
    }
    return false;
}

/* Keys of Kernel Tuner's dialect only. */
static const char *const grid_keys[] = {"ProblemSize", "GridDivX", "GridDivY", "GridDivZ"};

static void list_all_ignored(struct translation *t)
{
    const json_t *const of[T1_SECTIONS] = {t->root,
                                           json_member(t->root, "General"),
                                           t->space,
                                           json_member(t->space, "TuningParameters"),
                                           json_member(t->space, "Conditions"),
                                           t->kernel,
                                           t->arguments,
                                           json_member(t->kernel, "ReferenceArguments")};
    for (size_t i = 0; i < T1_SECTIONS; i++)
        list_ignored(t, &t1_sections[i], of[i]);
    if (t->dialect == T1_KERNEL_TUNER)
        return;
    for (size_t i = 0; i < COUNT(grid_keys); i++)
        if (json_member(t->kernel, grid_keys[i]))
            t1_ignore(t, t1_printf(t, "KernelSpecification.%s", grid_keys[i]));
    if (any_has(t->arguments, "MemType", NULL))
        t1_ignore(t, "KernelSpecification.Arguments[].MemType");
}

/* ---- the whole ---- */

/* Determines the dialect from keys that only one of them has, the most specific first. */
static void detect_dialect(struct translation *t, enum t1_dialect wanted)
{
    const json_t *parameters = json_member(t->space, "TuningParameters");
    bool tuner = any_has(t->arguments, "MemType", NULL) || any_has(t->arguments, "Output", NULL);
    for (size_t i = 0; i < COUNT(grid_keys); i++)
        tuner |= json_member(t->kernel, grid_keys[i]) != NULL;
    const bool ktt =
        json_member(t->kernel, "ReferenceArguments") || json_member(t->kernel, "Profiling") ||
        any_has(t->arguments, "TypeSize", NULL) || any_has(t->arguments, "MemoryType", "Local") ||
        any_has(t->arguments, "MemoryType", "Symbol");
    tuner |= !ktt && (any_has(parameters, "Default", NULL) ||
                      json_member(json_member(t->root, "General"), "BenchmarkName") ||
                      json_member(t->kernel, "BenchmarkName"));
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

static void put_heading(struct translation *t, const char *overlays)
{
    const char *about = json_word(json_member(t->root, "General"), "BenchmarkName");
    const char *file = path_file(t->path);
    char name[VALUE_TEXT_BYTES];
    size_t length = 0;
    char *comment = arena_printf(&t->document->arena, "Made of %s%s%s, T1 as %s reads it.", file,
                                 overlays ? " and " : "", overlays ? overlays : "",
                                 t->dialect == T1_KTT ? "KTT" : "Kernel Tuner");
    for (char *c = comment; c && *c; c++) /* replaces characters that YAML lines cannot hold */
        if (*c < ' ' || *c > '~')
            *c = '?';
    t->document->comment = comment;
    t->failed |= !comment;
    if (file[0] >= '0' && file[0] <= '9') /* the experiment's name, made from the file's */
        name[length++] = '_';
    for (; *file && strcmp(file, ".json") != 0 && length < sizeof name - 1; file++)
        name[length++] = is_name_character(*file) ? *file : '_';
    name[length] = '\0';
    if (!put_ours(t, "experiment"))
        put_text(t, t->root_node, "experiment", NULL, length > 0 ? name : "t1");
    if (!put_ours(t, "about") && about && about[0])
        put_text(t, t->root_node, "about", "General.BenchmarkName", about);
    (void)put_ours(t, "device");
}

/* Adds tune's own keys that belong to no other part. */
static void put_rest(struct translation *t)
{
    static const char placed[] =
        "experiment about device source sources std include compiler flags "
        "defaults defines constraints launches arguments check";
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)t->tune, key, value)
    {
        if (word_is_in(key, strlen(key), placed))
            continue;
        if (json_is_null(value) || !is_name(key))
            t1_ignore(t, t1_printf(t, "tune.%s", key));
        else
            (void)put_ours(t, key);
    }
}

static bool translate(struct translation *t, enum t1_dialect wanted, const char *overlays)
{
    t->space = json_member(t->root, "ConfigurationSpace");
    t->kernel = json_member(t->root, "KernelSpecification");
    t->arguments = json_member(t->kernel, "Arguments");
    t->tune = json_member(t->root, "tune");
    TRY_OR_FALSE(check_shape(t));
    detect_dialect(t, wanted);
    t->root_node = put_mapping(t, NULL, NULL, NULL);
    t->document->root = t->root_node;
    put_heading(t, overlays);
    TRY_OR_FALSE(t1_translate_kernel(t) && t1_translate_space(t) && t1_translate_launch(t) &&
                 t1_translate_arguments(t) && t1_translate_checks(t));
    put_rest(t);
    list_all_ignored(t);
    return true;
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
    if (!name || !text_ends_with(name, ".cu.hip"))
        return;
    const char *cuda = t1_printf(t, "%.*s", (int)(strlen(name) - strlen(".hip")), name);
    if (!file_exists(t1_path(t, cuda)))
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

/* Translates with the kernel's signature (NULL: not known). `asks`, unless NULL: translates the
 * question for the compiler, and tells whether the answer has a say. */
static enum status translate_files(const struct t1_file *file, const struct t1_file *overlays,
                                   size_t overlay_count, enum t1_dialect dialect,
                                   const struct t1_signature *signature, struct t1 *out, bool *asks,
                                   struct error *error)
{
    struct translation t = {.document = &out->document,
                            .path = file->path,
                            .signature = signature,
                            .is_question = asks,
                            .error = error};
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
    out->ignored = arena_strdup(&out->arena, text_string(&t.ignored));
    t.failed |= !out->ignored || t.ignored.failed || t.shaping.failed;
    out->note = note_of(&t, &out->arena);
    if (asks)
        *asks = t.device && t.device->is_gpu && !json_member(t.tune, "arguments") &&
                !json_member(t.tune, "launches") &&
                (any_has(t.arguments, "MemoryType", "Scalar") ||
                 any_has(t.arguments, "MemType", "Constant"));
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

enum status t1_translate(const struct t1_file *file, const struct t1_file *overlays,
                         size_t overlay_count, enum t1_dialect dialect, struct t1 *out,
                         struct error *error)
{
    return translate_files(file, overlays, overlay_count, dialect, NULL, out, NULL, error);
}

enum status t1_read(const char *path, const char *const *overlay_paths, size_t overlay_count,
                    enum t1_dialect dialect, struct t1 *out, struct error *error)
{
    struct arena arena = {0};
    struct t1_signature signature;
    bool asks = false;
    enum status status = STATUS_OK;
    struct t1_file *files = arena_alloc(&arena, overlay_count + 1, sizeof *files);
    TRY_MEMORY(files);
    for (size_t i = 0; i <= overlay_count; i++) {
        char *text = NULL;
        files[i].path = i == 0 ? path : overlay_paths[i - 1];
        TRY_OR_CLEANUP(
            file_read(&arena, files[i].path, T1_BYTES_MAX, &text, &files[i].length, error));
        files[i].json = text;
    }
    /* A kernel is compiled as an experiment says, so there is one before its types are known. */
    TRY_OR_CLEANUP(
        translate_files(files, files + 1, overlay_count, dialect, NULL, out, &asks, error));
    asks = asks && t1_ask_compiler(&out->document, &signature);
    t1_free(out);
    status = translate_files(files, files + 1, overlay_count, dialect, asks ? &signature : NULL,
                             out, NULL, error);
cleanup:
    arena_free(&arena);
    return status;
}

void t1_free(struct t1 *t1)
{
    arena_free(&t1->document.arena);
    arena_free(&t1->arena);
    *t1 = (struct t1){.ignored = NULL};
}
