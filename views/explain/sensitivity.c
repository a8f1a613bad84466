/* Finds the cost of leaving the winner's value of a parameter, from the sweep: the fastest point
 * with another value over the fastest of all. Further parameters in which that point differs are
 * named. plots/influence.sql and the page's script use the same measure. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/json.h"
#include "tuner/base/value.h"
#include "views/explain/internal.h"

/* Most further changed parameters that are named. */
enum { NAMED_MAX = 3 };

bool explain_read_settings(const char *parameters, struct arena *arena,
                           struct explain_settings *settings)
{
    const char *name = NULL;
    json_t *value = NULL;
    bool good = true;
    settings->count = 0;
    json_t *object = json_read(parameters ? parameters : "{}", 0, NULL);
    json_object_foreach(object, name, value)
    {
        if (settings->count == EXPLAIN_SETTINGS_MAX)
            break;
        struct explain_setting *setting = &settings->items[settings->count++];
        setting->name = arena_strdup(arena, name);
        char text[VALUE_TEXT_BYTES] = "";
        struct value is = value_boolean(false);
        const bool is_text = json_to_value(value, &is) && is.kind == VALUE_TEXT;
        if (!is_text)
            (void)value_format(is, text, sizeof text);
        setting->value = arena_strdup(arena, is_text ? is.text : text);
        good = good && setting->name && setting->value;
    }
    json_decref(object);
    return good;
}

/* Finds the parameter's setting, mostly at the same place. Returns NULL if there is none. */
static const struct explain_setting *find_setting(const struct explain_settings *settings,
                                                  const char *name, size_t place)
{
    if (place < settings->count && strcmp(settings->items[place].name, name) == 0)
        return &settings->items[place];
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->items[i].name, name) == 0)
            return &settings->items[i];
    return NULL;
}

/* Lists the settings of `own` that differ in `other`. Returns SIZE_MAX if the parameters differ. */
static size_t differences(const struct explain_settings *own, const struct explain_settings *other,
                          size_t out[EXPLAIN_SETTINGS_MAX])
{
    size_t count = 0;
    if (own->count != other->count)
        return SIZE_MAX;
    for (size_t i = 0; i < own->count; i++) {
        const struct explain_setting *there = find_setting(other, own->items[i].name, i);
        if (!there)
            return SIZE_MAX;
        if (strcmp(own->items[i].value, there->value) != 0)
            out[count++] = i;
    }
    return count;
}

size_t explain_put_differences(struct text *text, const char *parameters, const char *other)
{
    struct arena arena = {0};
    struct explain_settings own, there;
    size_t at[EXPLAIN_SETTINGS_MAX];
    const bool good = explain_read_settings(parameters, &arena, &own) &&
                      explain_read_settings(other, &arena, &there);
    const size_t count = good ? differences(&own, &there, at) : SIZE_MAX;
    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        const struct explain_setting *setting = find_setting(&there, own.items[at[i]].name, at[i]);
        text_printf(text, "%s%s=%s", i == 0 ? "" : " ", setting->name, setting->value);
    }
    text->failed = text->failed || !good;
    arena_free(&arena);
    return count == SIZE_MAX ? 0 : count;
}

/* Another value of a parameter, and the fastest point with that value. */
struct rival {
    const char *value;
    size_t changed;                  /* parameters in which the point differs from the winner */
    size_t at[EXPLAIN_SETTINGS_MAX]; /* their places */
    double time_ns;
};
struct rivals {
    struct rival *items;
    size_t count, capacity;
};

/* Names the other changed parameters: "cluster_size, block", or "4 others". Returns NULL if there
 * are none or memory is short. */
static const char *names_of(const struct rival *rival, size_t parameter,
                            const struct explain_settings *own, struct arena *arena, bool *failed)
{
    struct text names = {0};
    if (rival->changed > 1 + NAMED_MAX)
        text_printf(&names, "%zu others", rival->changed - 1);
    for (size_t i = 0; i < rival->changed && rival->changed <= 1 + NAMED_MAX; i++)
        if (rival->at[i] != parameter)
            text_printf(&names, "%s%s", names.length > 0 ? ", " : "",
                        own->items[rival->at[i]].name);
    const char *copy = names.length > 0 ? arena_strdup(arena, text_string(&names)) : NULL;
    *failed = *failed || names.failed || (names.length > 0 && !copy);
    text_free(&names);
    return copy;
}

static bool summarize(const struct rivals *rivals, const struct explain_settings *own,
                      size_t parameter, double fastest_ns, struct arena *arena,
                      struct explain_sensitivity *sensitivity)
{
    const struct rival *best = &rivals->items[0];
    const struct rival *worst = &rivals->items[0];
    bool failed = false;
    for (size_t i = 1; i < rivals->count; i++) {
        best = rivals->items[i].time_ns < best->time_ns ? &rivals->items[i] : best;
        worst = rivals->items[i].time_ns > worst->time_ns ? &rivals->items[i] : worst;
    }
    *sensitivity = (struct explain_sensitivity){
        .parameter = arena_strdup(arena, own->items[parameter].name),
        .value = arena_strdup(arena, own->items[parameter].value),
        .best_other = arena_strdup(arena, best->value),
        .best_other_loss = best->time_ns / fastest_ns - 1,
        .best_other_with = names_of(best, parameter, own, arena, &failed),
        .worst = arena_strdup(arena, worst->value),
        .worst_loss = worst->time_ns / fastest_ns - 1,
        .worst_with = names_of(worst, parameter, own, arena, &failed),
        .values = (int64_t)rivals->count,
        .alone = best->changed == 1,
    };
    return !failed && sensitivity->parameter && sensitivity->value && sensitivity->best_other &&
           sensitivity->worst;
}

static int by_cost(const void *a, const void *b)
{
    const struct explain_sensitivity *x = a;
    const struct explain_sensitivity *y = b;
    const int order =
        (x->best_other_loss < y->best_other_loss) - (x->best_other_loss > y->best_other_loss);
    return order ? order : (x->worst_loss < y->worst_loss) - (x->worst_loss > y->worst_loss);
}

static bool take_rivals(const struct swept *points, size_t count, size_t own,
                        const struct explain_settings *settings, struct arena *arena,
                        struct rivals rivals[EXPLAIN_SETTINGS_MAX], double *fastest_ns)
{
    struct explain_settings there;
    size_t at[EXPLAIN_SETTINGS_MAX];
    for (size_t i = 0; i < count; i++) {
        /* Points with equal launches are no alternative. */
        if (i == own || points[i].measured_id == points[own].measured_id)
            continue;
        if (!explain_read_settings(points[i].parameters, arena, &there))
            return false;
        const size_t changed = differences(settings, &there, at);
        if (changed == 0 || changed == SIZE_MAX)
            continue;
        *fastest_ns = points[i].time_ns < *fastest_ns ? points[i].time_ns : *fastest_ns;
        for (size_t k = 0; k < changed; k++) {
            const char *name = settings->items[at[k]].name;
            const char *value = find_setting(&there, name, at[k])->value;
            size_t place = 0;
            while (place < rivals[at[k]].count &&
                   strcmp(rivals[at[k]].items[place].value, value) != 0)
                place++;
            if (place == rivals[at[k]].count) {
                if (!array_grow(&rivals[at[k]].items, rivals[at[k]].count, &rivals[at[k]].capacity,
                                sizeof *rivals[at[k]].items))
                    return false;
                rivals[at[k]].items[rivals[at[k]].count++] =
                    (struct rival){.value = value, .time_ns = (double)INFINITY};
            }
            struct rival *rival = &rivals[at[k]].items[place];
            if (points[i].time_ns < rival->time_ns) {
                rival->changed = changed;
                rival->time_ns = points[i].time_ns;
                memcpy(rival->at, at, changed * sizeof *at);
            }
        }
    }
    return true;
}

bool find_sensitivities(const struct swept *points, size_t count, size_t own, struct arena *arena,
                        struct explanation *explanation)
{
    struct arena texts = {0};
    struct explain_settings settings;
    struct rivals rivals[EXPLAIN_SETTINGS_MAX] = {0};
    double fastest_ns = points[own].time_ns;
    bool good = explain_read_settings(points[own].parameters, &texts, &settings);
    explanation->sensitivity_count = 0;
    explanation->sensitivities =
        arena_alloc(arena, settings.count + 1, sizeof *explanation->sensitivities);
    good = good && explanation->sensitivities &&
           take_rivals(points, count, own, &settings, &texts, rivals, &fastest_ns);
    for (size_t i = 0; i < settings.count; i++) {
        if (good && rivals[i].count > 0)
            good = summarize(&rivals[i], &settings, i, fastest_ns, arena,
                             &explanation->sensitivities[explanation->sensitivity_count++]);
        free(rivals[i].items);
    }
    if (good)
        qsort(explanation->sensitivities, explanation->sensitivity_count,
              sizeof *explanation->sensitivities, by_cost);
    arena_free(&texts);
    return good;
}
