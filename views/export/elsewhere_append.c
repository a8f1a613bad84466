/* Fields of a tuned.conf entry for other sizes and devices and for launches, from the answers of
 * elsewhere.c. */
#include <string.h>

#include "tuner/device/traits.h"
#include "views/export/elsewhere.h"
#include "views/export/embedded.h"

void append_needs(struct text *out, const struct needs *needs)
{
    append_count(out, "threads", needs->threads);
    append_count(out, "shared_bytes", needs->shared_bytes);
    append_count(out, "registers", needs->registers);
    if (needs->least > 0)
        text_printf(out, " capability=%lld.%lld", (long long)(needs->least / 100),
                    (long long)(needs->least % 100));
    if (needs->least > 0 && needs->most != INT64_MAX)
        text_printf(out, "-%lld.%lld", (long long)(needs->most / 100),
                    (long long)(needs->most % 100));
    append_count(out, "cluster", needs->cluster);
}

static const char *const parts[] = {"grid", "block", "cluster", "shared", "cooperative"};

const char *launch_part_name(struct arena *arena, size_t launch, size_t part)
{
    return launch == 0 ? arena_printf(arena, "launch.%s", parts[part])
                       : arena_printf(arena, "launch%zu.%s", launch + 1, parts[part]);
}

const char *launch_axes(struct arena *arena, const char *const axes[3])
{
    if (!axes[0] || !axes[1] || !axes[2])
        return NULL;
    if (strcmp(axes[2], "1") != 0)
        return arena_printf(arena, "%s,%s,%s", axes[0], axes[1], axes[2]);
    return strcmp(axes[1], "1") != 0 ? arena_printf(arena, "%s,%s", axes[0], axes[1]) : axes[0];
}

const char *launch_numbers(struct arena *arena, const int64_t *numbers, bool has_axes)
{
    const char *axes[3] = {"", "1", "1"};
    for (size_t i = 0; i < (has_axes ? 3 : 1); i++)
        axes[i] = arena_printf(arena, "%lld", (long long)numbers[i]);
    return launch_axes(arena, axes);
}

static void append_listed(struct text *list, const char *name)
{
    text_printf(list, "%s%s", list->length > 0 ? "," : "", name);
}

/* Returns the name of the derived value with the same formula. */
static const char *same_formula(const struct elsewhere *elsewhere, const char *formula)
{
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(elsewhere->formulas, name, value)
    {
        if (!strchr(name, '.') && strcmp(json_string_value(value), formula) == 0)
            return name;
    }
    return NULL;
}

struct launch_row {
    int64_t launch;
    int64_t axes[7]; /* grid, block, bytes of shared memory */
};
#define AXIS(i) offsetof(struct launch_row, axes[i])
static const struct store_column launch_columns[] = {
    {"launch", offsetof(struct launch_row, launch), STORE_INTEGER},
    {"grid_x", AXIS(0), STORE_INTEGER},
    {"grid_y", AXIS(1), STORE_INTEGER},
    {"grid_z", AXIS(2), STORE_INTEGER},
    {"block_x", AXIS(3), STORE_INTEGER},
    {"block_y", AXIS(4), STORE_INTEGER},
    {"block_z", AXIS(5), STORE_INTEGER},
    {"dynamic_shared_bytes", AXIS(6), STORE_INTEGER},
};

/* `is_function`: the rows are of host functions, which have no launch. */
static enum status append_launches(struct text *out, struct text *measured,
                                   const struct elsewhere *elsewhere, struct store *store,
                                   const char *trial, bool *is_function, struct error *error)
{
    const struct store_parameter parameter = {"trial", trial};
    const struct store_reading reading = {.sql = conf_launches_query,
                                          .parameters = &parameter,
                                          .parameter_count = 1,
                                          STORE_COLUMNS(launch_columns),
                                          .row_bytes = sizeof(struct launch_row)};
    struct arena arena = {0};
    struct launch_row *rows = NULL;
    size_t count = 0;
    const enum status status = store_read(store, &reading, &arena, &rows, &count, error);
    for (size_t i = 0; i < count; i++) {
        const int64_t *axes = rows[i].axes;
        if (axes[0] == 0) {
            *is_function = true;
            continue;
        }
        const char *numbers[LAUNCH_PARTS] = {
            launch_numbers(&arena, axes, true), launch_numbers(&arena, axes + 3, true),
            [SHARED_PART] = axes[6] > 0 ? launch_numbers(&arena, axes + 6, false) : NULL};
        for (size_t part = 0; part < LAUNCH_PARTS; part++) {
            const char *name = launch_part_name(&arena, (size_t)rows[i].launch, part);
            /* Clusters and cooperation are the experiment's to tell: the rows have none. */
            if (part == CLUSTER_PART || part == COOPERATIVE_PART)
                numbers[part] =
                    json_string_value(json_object_get(elsewhere->varying, name ? name : ""));
            out->failed |= !name;
            if (name) {
                /* Appends a part of a launch: its formula, else the measured value (NULL: the
                 * default). */
                const char *sides = numbers[part];
                const char *formula = json_string_value(json_object_get(elsewhere->formulas, name));
                if (formula) {
                    const char *same = same_formula(elsewhere, formula);
                    append_field(out, name, same ? same : formula);
                } else if (sides) {
                    append_field(out, name, sides);
                    append_listed(measured, name);
                }
            }
        }
        out->failed |= arena.failed;
    }
    arena_free(&arena);
    return status;
}

enum status elsewhere_append(struct text *out, const struct elsewhere *elsewhere,
                             struct store *store, const struct conf_row *row, struct error *error)
{
    struct text names = {0};
    struct text measured = {0};
    const char *name = NULL;
    json_t *value = NULL;
    bool failed = false;
    json_t *parameters = load_object(row->parameters, &failed);
    json_t *derived = load_object(row->derived, &failed);
    json_object_foreach(derived, name, value)
    {
        if (!json_object_get(parameters, name))
            append_listed(&names, name);
        if (json_object_get(elsewhere->varying, name))
            append_listed(&measured, name);
    }
    append_known(out, "derived", text_string(&names));
    json_object_foreach(elsewhere->formulas, name, value)
    {
        char field[CONFIGURATION_KEY_BYTES];
        if (!strchr(name, '.') && string_format(field, sizeof field, "formula.%s", name))
            append_field(out, field, json_string_value(value));
    }
    enum status status = STATUS_OK;
    bool is_function = false;
    if (device_traits(row->kind)->is_gpu)
        status = append_launches(out, &measured, elsewhere, store, row->trial, &is_function, error);
    append_known(out, "measured", text_string(&measured));
    if (is_function)
        append_field(out, "no_launch", "a host function is called, with these parameters");
    /* Without a launch at other sizes, the reason. */
    const char *first = text_string(&measured);
    const char *part = strncmp(first, "launch", 6) == 0 ? first : strstr(first, ",launch");
    if (part) {
        char why[96];
        part += *part == ',' ? 1 : 0;
        (void)string_format(why, sizeof why, "no formula of n and units gives %.*s",
                            (int)strcspn(part, ","), part);
        append_field(out, "no_launch", elsewhere->why ? elsewhere->why : why);
    }
    out->failed = out->failed || names.failed || measured.failed || failed;
    json_decref(parameters);
    json_decref(derived);
    text_free(&names);
    text_free(&measured);
    return status;
}
