/* What several questions of tune show print alike. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json.h"
#include "tuner/device/traits.h"
#include "tuner/terminal/style.h"
#include "views/show/internal.h"

void show_put_words(const struct show_word *words, size_t count)
{
    putchar('\n');
    for (size_t i = 0; i < count; i++) {
        struct text line = {0};
        text_printf(&line, ": %s", words[i].meaning);
        rows_put_paragraph(words[i].word, "  ", text_string(&line), style_terminal_columns());
        text_free(&line);
    }
}

size_t show_group_end(const struct rows *rows, size_t first)
{
    static const char *const group[] = {"device_uuid", "l2_mode", "driver",
                                        "compiler",    "ceiling", "ceiling_gbs"};
    size_t end = first;
    bool same = true;
    while (same && ++end < rows->row_count)
        for (size_t i = 0; i < COUNT(group); i++)
            same = same && rows_same_text(rows, first, end, group[i]);
    return end;
}

void show_heading(const struct rows *rows, size_t row)
{
    const struct device_traits *traits = device_traits(rows_text(rows, row, "device_kind", ""));
    const char *objective = rows_text(rows, row, "objective", "time");
    const double ceiling_gbs = rows_number(rows, row, "ceiling_gbs");
    struct text line = {0};
    text_printf(&line, ", %s%s, %s, L2 %s", traits->driver_word, rows_text(rows, row, "driver", ""),
                rows_text(rows, row, "compiler", ""), rows_text(rows, row, "l2_mode", ""));
    if (strcmp(objective, "time") != 0)
        text_printf(&line, ", by %s", objective);
    if (ceiling_gbs > 0) /* 0: it was not measured well enough to tell */
        text_printf(&line, "; %s ceiling %.*f GB/s", rows_text(rows, row, "ceiling", ""),
                    ceiling_gbs < 1    ? 3
                    : ceiling_gbs < 10 ? 1
                                       : 0,
                    ceiling_gbs);
    rows_put_paragraph(rows_text(rows, row, "device", ""), "  ", text_string(&line),
                       style_terminal_columns());
    text_free(&line);
}

/* ---- columns that hold JSON ---- */

const char *show_json_text(const json_t *value, struct arena *arena)
{
    if (json_is_string(value))
        return arena_strdup(arena, json_string_value(value));
    char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    const char *text = dumped ? arena_strdup(arena, dumped) : NULL;
    free(dumped);
    return text;
}

json_t **show_json_load(const struct rows *rows, size_t first, size_t count, const char *column,
                        const char *otherwise)
{
    json_t **values = calloc(count + 1, sizeof(json_t *));
    for (size_t i = 0; values && i < count; i++)
        values[i] = json_read(rows_text(rows, first + i, column, otherwise), 0, NULL);
    return values;
}

void show_json_free(json_t **values, size_t count)
{
    for (size_t i = 0; values && i < count; i++)
        json_decref(values[i]);
    free(values);
}
