/* A second file over the first: RFC 7396, and by name into arrays of named objects. */
#include <string.h>

#include "frontends/t1/internal.h"
#include "tuner/base/files.h"

/* An overlay, for errors about its members. */
struct overlay {
    const char *path;
    struct error *error;
};

static bool overlay_error(const struct overlay *overlay, const char *where, const char *what,
                          const char *key, const char *nearest)
{
    (void)error_set(overlay->error, STATUS_BAD_INPUT, "%s: %s%s: %s '%.60s'%s%s%s", overlay->path,
                    where, *where ? "" : "the file", what, key, nearest ? "; did you mean '" : "",
                    nearest ? nearest : "", nearest ? "'?" : "");
    return false;
}

/* Refuses keys that neither the file nor T1 has, because they would have no effect. */
static bool check_keys(const struct overlay *overlay, const json_t *target, const json_t *patch,
                       const char *section)
{
    const char *key;
    const char *nearest = NULL;
    json_t *value;
    json_object_foreach((json_t *)patch, key, value)
    {
        if (!json_object_get(target, key) && !t1_is_key(section, key, &nearest))
            return overlay_error(overlay, section, "there is no", key, nearest);
    }
    return true;
}

/* Checks that an added object is complete. */
static bool check_named(const struct overlay *overlay, const json_t *array, const json_t *patch,
                        const char *section, const char *needed)
{
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    size_t index;
    json_t *item;
    const char *name;
    if (!json_is_array(array) || !json_is_object(patch))
        return true;
    json_array_foreach(array, index, item)
    {
        if (json_is_string(json_object_get(item, "Name")) && count < NAMES_MAX)
            names[count++] = json_string_value(json_object_get(item, "Name"));
    }
    json_object_foreach((json_t *)patch, name, item)
    {
        bool there = false;
        for (size_t i = 0; i < count; i++)
            there = there || strcmp(names[i], name) == 0;
        if (!there && !json_object_get(item, needed))
            return overlay_error(overlay, section, "there is none of the name", name,
                                 nearest_word(name, names, count));
        if (!check_keys(overlay, NULL, json_is_object(item) ? item : NULL,
                        strcmp(needed, "Values") == 0 ? "Parameter" : "Argument"))
            return false;
    }
    return true;
}

static bool check_overlay(const struct overlay *overlay, const json_t *root, const json_t *patch)
{
    static const char *const sections[] = {"ConfigurationSpace", "KernelSpecification"};
    static const char *const lists[] = {"TuningParameters", "Arguments"};
    static const char *const needed[] = {"Values", "Type"};
    if (!check_keys(overlay, root, patch, ""))
        return false;
    for (size_t i = 0; i < 2; i++) {
        const json_t *target = json_object_get(root, sections[i]);
        const json_t *part = json_object_get(patch, sections[i]);
        if (json_is_object(part) &&
            (!check_keys(overlay, target, part, sections[i]) ||
             !check_named(overlay, json_object_get(target, lists[i]),
                          json_object_get(part, lists[i]), lists[i], needed[i])))
            return false;
    }
    return true;
}

static bool merge_object(json_t *target, const json_t *patch);

/* Merges objects by name into a list; NULL removes one. */
static bool merge_named(json_t *array, const json_t *patch)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)patch, name, value)
    {
        size_t at = 0;
        while (at < json_array_size(array) &&
               !json_has_text(json_array_get(array, at), "Name", name))
            at++;
        const bool there = at < json_array_size(array);
        if (json_is_null(value)) {
            if (there && json_array_remove(array, at) != 0)
                return false;
            continue;
        }
        if (!there && json_array_append_new(array, json_pack("{s:s}", "Name", name)) != 0)
            return false;
        if (!json_is_object(value) || !merge_object(json_array_get(array, at), value))
            return false;
    }
    return true;
}

static bool merge_object(json_t *target, const json_t *patch)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)patch, key, value)
    {
        json_t *there = json_object_get(target, key);
        bool named = json_is_array(there) && json_array_size(there) > 0;
        for (size_t i = 0; i < json_array_size(there); i++)
            named = named && json_word(json_array_get(there, i), "Name");
        bool merged = true;
        if (json_is_null(value)) {
            (void)json_object_del(target, key);
        } else if (!json_is_object(value)) {
            merged = json_object_set(target, key, value) == 0;
        } else if (named) {
            merged = merge_named(there, value);
        } else {
            if (!json_is_object(there)) {
                there = json_object();
                merged = there && json_object_set_new(target, key, there) == 0;
            }
            merged = merged && merge_object(there, value);
        }
        if (!merged)
            return false;
    }
    return true;
}

/* Makes a file name relative to the overlay if the file is beside it. */
static bool place_file(json_t *object, const char *key, const char *overlay_path)
{
    const char *name = json_word(object, key);
    const char *slash = strrchr(overlay_path, '/');
    if (!name || name[0] == '/' || !slash)
        return true;
    struct arena arena = {0};
    bool done = false;
    const char *path =
        arena_printf(&arena, "%.*s/%s", (int)(slash - overlay_path), overlay_path, name);
    if (path)
        done = !file_exists(path) || json_object_set_new(object, key, json_string(path)) == 0;
    arena_free(&arena);
    return done;
}

/* Places the files of a list of objects, or of an object of them. */
static bool place_sources(json_t *items, const char *overlay_path)
{
    const char *key;
    json_t *item;
    json_object_foreach(items, key, item)
    {
        if (!place_file(item, "DataSource", overlay_path))
            return false;
    }
    for (size_t i = 0; i < json_array_size(items); i++)
        if (!place_file(json_array_get(items, i), "DataSource", overlay_path))
            return false;
    return true;
}

bool t1_merge_overlay(json_t *root, json_t *overlay, const char *overlay_path, struct error *error)
{
    const struct overlay checked = {overlay_path, error};
    json_t *kernel = json_object_get(overlay, "KernelSpecification");
    if (!check_overlay(&checked, root, overlay))
        return false;
    bool merged = place_file(kernel, "KernelFile", overlay_path) &&
                  place_sources(json_object_get(kernel, "Arguments"), overlay_path) &&
                  place_sources(json_object_get(kernel, "ReferenceArguments"), overlay_path) &&
                  merge_object(root, overlay);
    if (!merged)
        (void)error_set(error, STATUS_BAD_INPUT,
                        "%s: cannot be merged: an item of a list is named by an object",
                        overlay_path);
    return merged;
}
