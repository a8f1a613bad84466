/* What changing one parameter of the winner costs, out of the sweep. Where constraints tie
 * parameters to one another, the nearest point with another value counts, and what else changes in
 * it is said. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/explain/internal.h"

/* More changed beside it than this say nothing of a parameter. */
enum { PARAMETERS_MAX = 64, TOGETHER_MOST = 3 };

/* "name=value" within a key. */
struct setting {
    const char *name;
    size_t name_length;
    const char *value;
    size_t value_length;
};

static size_t split(const char *key, struct setting out[PARAMETERS_MAX])
{
    size_t count = 0;
    while (*key && count < PARAMETERS_MAX) {
        const size_t length = strcspn(key, " ");
        const char *equal = memchr(key, '=', length);
        if (equal) {
            const size_t name = (size_t)(equal - key);
            out[count++] = (struct setting){key, name, equal + 1, length - name - 1};
        }
        key += length;
        key += strspn(key, " ");
    }
    return count;
}

static bool same(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static const struct setting *find(const struct setting *settings, size_t count,
                                  const struct setting *wanted, size_t guess)
{
    if (guess < count &&
        same(settings[guess].name, settings[guess].name_length, wanted->name, wanted->name_length))
        return &settings[guess];
    for (size_t i = 0; i < count; i++)
        if (same(settings[i].name, settings[i].name_length, wanted->name, wanted->name_length))
            return &settings[i];
    return NULL;
}

/* The places of the settings of `own` that `other` has other values for. SIZE_MAX: other
 * parameters. */
static size_t differences(const struct setting *own, size_t own_count, const struct setting *other,
                          size_t other_count, size_t out[PARAMETERS_MAX])
{
    size_t count = 0;
    if (own_count != other_count)
        return SIZE_MAX;
    for (size_t i = 0; i < own_count; i++) {
        const struct setting *there = find(other, other_count, &own[i], i);
        if (!there)
            return SIZE_MAX;
        if (!same(own[i].value, own[i].value_length, there->value, there->value_length))
            out[count++] = i;
    }
    return count;
}

size_t put_differences(struct text *out, const char *key, const char *other)
{
    struct setting own[PARAMETERS_MAX] = {0};
    struct setting there[PARAMETERS_MAX] = {0};
    size_t at[PARAMETERS_MAX];
    const size_t own_count = split(key, own);
    const size_t there_count = split(other, there);
    const size_t count = differences(own, own_count, there, there_count, at);
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        const struct setting *setting = find(there, there_count, &own[at[i]], at[i]);
        text_append(out, i == 0 ? "" : " ");
        text_append_bytes(out, setting->name, setting->name_length);
        text_append(out, "=");
        text_append_bytes(out, setting->value, setting->value_length);
    }
    return count == SIZE_MAX ? 0 : count;
}

/* Another value of a parameter: of the points that have it, of those that change the least, the
 * fastest. */
struct rival {
    const char *value;
    size_t value_length;
    size_t changed;
    size_t at[PARAMETERS_MAX];
    double time_ns;
};
struct rivals {
    struct rival *items;
    size_t count, capacity;
};

static struct rival *rival_of(struct rivals *rivals, const struct setting *value,
                              struct arena *arena)
{
    for (size_t i = 0; i < rivals->count; i++)
        if (same(rivals->items[i].value, rivals->items[i].value_length, value->value,
                 value->value_length))
            return &rivals->items[i];
    if (rivals->count == rivals->capacity) {
        const size_t capacity = rivals->capacity ? 2 * rivals->capacity : 8;
        struct rival *items = arena_alloc(arena, capacity, sizeof *items);
        if (!items)
            return NULL;
        if (rivals->count > 0)
            memcpy(items, rivals->items, rivals->count * sizeof *items);
        rivals->items = items;
        rivals->capacity = capacity;
    }
    struct rival *rival = &rivals->items[rivals->count++];
    *rival = (struct rival){
        .value = value->value, .value_length = value->value_length, .changed = SIZE_MAX};
    return rival;
}

static bool take_rival(struct rivals *rivals, const struct setting *value, const size_t *at,
                       size_t changed, double time_ns, struct arena *arena)
{
    struct rival *rival = rival_of(rivals, value, arena);
    if (!rival)
        return false;
    if (changed < rival->changed || (changed == rival->changed && time_ns < rival->time_ns)) {
        rival->changed = changed;
        rival->time_ns = time_ns;
        memcpy(rival->at, at, changed * sizeof *at);
    }
    return true;
}

/* The other parameters that change with it: "cluster_size, block"; NULL when there are none. */
static const char *names_of(const struct rival *rival, size_t parameter, const struct setting *own,
                            struct arena *arena, bool *failed)
{
    struct text names = {0};
    for (size_t i = 0; i < rival->changed; i++) {
        if (rival->at[i] == parameter)
            continue;
        text_append(&names, names.length > 0 ? ", " : "");
        text_append_bytes(&names, own[rival->at[i]].name, own[rival->at[i]].name_length);
    }
    const char *copy = names.length > 0 ? arena_strdup(arena, text_string(&names)) : NULL;
    *failed = *failed || names.failed || (names.length > 0 && !copy);
    text_free(&names);
    return copy;
}

/* The rival's value, as a copy. */
static const char *value_of(const struct rival *rival, struct arena *arena, bool *failed)
{
    const char *copy = arena_strndup(arena, rival->value, rival->value_length);
    *failed = *failed || !copy;
    return copy;
}

/* The first of those that change the least. */
static const struct rival *nearest(const struct rivals *rivals)
{
    const struct rival *found = &rivals->items[0];
    for (size_t i = 1; i < rivals->count; i++)
        if (rivals->items[i].changed < found->changed)
            found = &rivals->items[i];
    return found;
}

/* Where some values were tried with all else kept, only these are compared. */
static bool summarize(const struct rivals *rivals, const struct setting *own, size_t parameter,
                      double own_ns, struct arena *arena, struct explain_sensitivity *out)
{
    const struct rival *best = nearest(rivals);
    const struct rival *worst = best;
    const bool alone = best->changed == 1;
    bool failed = false;
    int64_t values = 0;
    for (size_t i = 0; i < rivals->count; i++) {
        const struct rival *rival = &rivals->items[i];
        if (rival->changed > 1 && alone)
            continue;
        best = rival->time_ns < best->time_ns ? rival : best;
        worst = rival->time_ns > worst->time_ns ? rival : worst;
        values++;
    }
    const struct setting *setting = &own[parameter];
    *out = (struct explain_sensitivity){
        .parameter = arena_strndup(arena, setting->name, setting->name_length),
        .value = arena_strndup(arena, setting->value, setting->value_length),
        .best_other = value_of(best, arena, &failed),
        .best_other_loss = best->time_ns / own_ns - 1,
        .best_other_with = names_of(best, parameter, own, arena, &failed),
        .worst = value_of(worst, arena, &failed),
        .worst_loss = worst->time_ns / own_ns - 1,
        .worst_with = names_of(worst, parameter, own, arena, &failed),
        .values = values,
        .alone = alone,
    };
    return !failed && out->parameter && out->value;
}

/* What was tried alone first, then the most sensitive. */
static int by_worst(const void *a, const void *b)
{
    const struct explain_sensitivity *x = a;
    const struct explain_sensitivity *y = b;
    if (x->alone != y->alone)
        return x->alone ? -1 : 1;
    return x->worst_loss < y->worst_loss ? 1 : x->worst_loss > y->worst_loss ? -1 : 0;
}

static bool take_rivals(const struct swept *points, size_t count, size_t own,
                        const struct setting *settings, size_t setting_count, struct arena *arena,
                        struct rivals rivals[PARAMETERS_MAX])
{
    struct setting there[PARAMETERS_MAX];
    size_t at[PARAMETERS_MAX];
    for (size_t i = 0; i < count; i++) {
        /* What launches exactly the same is no alternative. */
        if (i == own || points[i].measured_id == points[own].measured_id)
            continue;
        const size_t there_count = split(points[i].key, there);
        const size_t changed = differences(settings, setting_count, there, there_count, at);
        if (changed == 0 || changed > TOGETHER_MOST)
            continue;
        for (size_t k = 0; k < changed; k++)
            if (!take_rival(&rivals[at[k]], find(there, there_count, &settings[at[k]], at[k]), at,
                            changed, points[i].time_ns, arena))
                return false;
    }
    return true;
}

bool find_sensitivities(const struct swept *points, size_t count, size_t own, struct arena *arena,
                        struct explanation *out)
{
    struct setting settings[PARAMETERS_MAX];
    struct rivals rivals[PARAMETERS_MAX] = {0};
    const size_t setting_count = split(points[own].key, settings);
    out->sensitivity_count = 0;
    out->sensitivities = arena_alloc(arena, setting_count + 1, sizeof *out->sensitivities);
    if (!out->sensitivities ||
        !take_rivals(points, count, own, settings, setting_count, arena, rivals))
        return false;
    for (size_t i = 0; i < setting_count; i++)
        if (rivals[i].count > 0 && !summarize(&rivals[i], settings, i, points[own].time_ns, arena,
                                              &out->sensitivities[out->sensitivity_count++]))
            return false;
    qsort(out->sensitivities, out->sensitivity_count, sizeof *out->sensitivities, by_worst);
    return true;
}
