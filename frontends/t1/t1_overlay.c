/* T1's keys, and a second file over the first: RFC 7396, and by name into arrays of named objects.
 */
#include <string.h>

#include "frontends/t1/internal.h"
#include "tuner/base/array.h"
#include "tuner/base/files.h"

/* Objects of a T1 file, and those that lists hold. Keys of one dialect are in t1.c. */
const struct t1_section t1_sections[T1_SECTIONS] = {
    {"", NULL, {"ConfigurationSpace", "KernelSpecification", "tune", "General"}},
    {"General", NULL, {"BenchmarkName"}},
    {"ConfigurationSpace", NULL, {"TuningParameters", "Conditions"}},
    {"ConfigurationSpace.TuningParameters[]", "Values", {"Name", "Type", "Values", "Default"}},
    {"ConfigurationSpace.Conditions[]", "Expression", {"Parameters", "Expression"}},
    {"KernelSpecification",
     NULL,
     {"Language", "KernelName", "KernelFile", "Compiler", "CompilerOptions", "GlobalSizeType",
      "GlobalSize", "LocalSize", "SharedMemory", "Arguments", "ReferenceArguments", "ProblemSize",
      "GridDivX", "GridDivY", "GridDivZ"}},
    {"KernelSpecification.Arguments[]",
     "Type",
     {"Name", "Type", "Size", "TypeSize", "FillType", "FillValue", "DataSource", "RandomSeed",
      "AccessType", "MemoryType", "MemType", "Output"}},
    {"KernelSpecification.ReferenceArguments[]",
     "TargetName",
     {"Name", "TargetName", "FillType", "FillValue", "DataSource", "ValidationMethod",
      "ValidationThreshold"}},
};

bool t1_has_key(const struct t1_section *section, const char *key, const char **nearest)
{
    size_t count = 0;
    while (count < T1_KEYS_MAX && section->keys[count])
        count++;
    *nearest = nearest_word(key, section->keys, count);
    return WORD_INDEX(key, section->keys, count) < count;
}

/* An overlay, for errors about its members. */
struct overlay {
    const char *path;
    struct error *error;
};

static bool overlay_error(const struct overlay *overlay, const char *where, const char *problem,
                          const char *key, const char *nearest)
{
    (void)error_set(overlay->error, STATUS_BAD_INPUT, "%s: %s: %s '%.60s'%s%s%s", overlay->path,
                    *where ? where : "the file", problem, key, nearest ? "; did you mean '" : "",
                    nearest ? nearest : "", nearest ? "'?" : "");
    return false;
}

/* Finds the section of a member, or of the items of a list. NULL: not T1's, or free in its keys. */
static const struct t1_section *section_in(const struct t1_section *outer, const char *key,
                                           bool in_list)
{
    char path[VALUE_TEXT_BYTES];
    if (!outer || !string_format(path, sizeof path, "%s%s%s%s", outer->path,
                                 *outer->path ? "." : "", key, in_list ? "[]" : ""))
        return NULL;
    const size_t at = ROW_INDEX(path, t1_sections, path);
    return at == T1_SECTIONS || strcmp(path, "General") == 0 ? NULL : &t1_sections[at];
}

static bool merge_object(const struct overlay *overlay, const struct t1_section *section,
                         json_t *target, const json_t *patch);

/* Merges objects by name into a list; null removes one. */
static bool merge_named(const struct overlay *overlay, const struct t1_section *section,
                        json_t *array, const json_t *patch)
{
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX], *name;
    json_t *value;
    json_object_foreach((json_t *)patch, name, value)
    {
        size_t count = 0;
        for (; count < json_array_size(array) && count < NAMES_MAX; count++)
            names[count] = json_word(json_array_get(array, count), "Name");
        const size_t at = WORD_INDEX(name, names, count);
        if (at == count && section && !json_object_get(value, section->needed))
            return overlay_error(overlay, section->path, "there is none of the name", name,
                                 nearest_word(name, names, count));
        if (json_is_null(value)) {
            TRY_OR_FALSE(at == count || json_array_remove(array, at) == 0);
            continue;
        }
        TRY_OR_FALSE(at < count ||
                     json_array_append_new(array, json_pack("{s:s}", "Name", name)) == 0);
        TRY_OR_FALSE(json_is_object(value) &&
                     merge_object(overlay, section, json_array_get(array, at), value));
    }
    return true;
}

/* Merges an object. Keys that neither the file nor T1 has are refused, because they would have no
 * effect. */
static bool merge_object(const struct overlay *overlay, const struct t1_section *section,
                         json_t *target, const json_t *patch)
{
    const char *key, *nearest = NULL;
    json_t *value;
    json_object_foreach((json_t *)patch, key, value)
    {
        json_t *there = json_object_get(target, key);
        bool named = json_array_size(there) > 0;
        if (section && !there && !t1_has_key(section, key, &nearest))
            return overlay_error(overlay, section->path, "there is no", key, nearest);
        for (size_t i = 0; i < json_array_size(there); i++)
            named = named && json_word(json_array_get(there, i), "Name");
        if (json_is_null(value)) {
            (void)json_object_del(target, key);
        } else if (!json_is_object(value)) {
            TRY_OR_FALSE(json_object_set(target, key, value) == 0);
        } else if (named) {
            TRY_OR_FALSE(merge_named(overlay, section_in(section, key, true), there, value));
        } else {
            if (!json_is_object(there)) {
                there = json_object();
                TRY_OR_FALSE(json_object_set_new(target, key, there) == 0);
            }
            TRY_OR_FALSE(merge_object(overlay, section_in(section, key, false), there, value));
        }
    }
    return true;
}

/* Makes names of files relative to the overlay where the file is beside it. */
static bool place_files(json_t *json, const char *overlay_path)
{
    const char *slash = strrchr(overlay_path, '/'), *key;
    json_t *item;
    size_t index;
    json_array_foreach(json, index, item)
    {
        TRY_OR_FALSE(place_files(item, overlay_path));
    }
    json_object_foreach(json, key, item)
    {
        const char *name = json_string_value(item);
        TRY_OR_FALSE(place_files(item, overlay_path));
        if (!slash || !name || name[0] == '/' ||
            !word_is_in(key, strlen(key), "KernelFile DataSource"))
            continue;
        struct arena arena = {0};
        const char *path =
            arena_printf(&arena, "%.*s/%s", (int)(slash - overlay_path), overlay_path, name);
        const bool done =
            path && (!file_exists(path) || json_object_set_new(json, key, json_string(path)) == 0);
        arena_free(&arena);
        TRY_OR_FALSE(done);
    }
    return true;
}

bool t1_merge_overlay(json_t *root, json_t *overlay, const char *overlay_path, struct error *error)
{
    const struct overlay merged = {overlay_path, error};
    if (place_files(json_object_get(overlay, "KernelSpecification"), overlay_path) &&
        merge_object(&merged, &t1_sections[0], root, overlay))
        return true;
    if (error->status == STATUS_OK)
        (void)error_set(error, STATUS_BAD_INPUT,
                        "%s: cannot be merged: an item of a list is named by an object",
                        overlay_path);
    return false;
}
