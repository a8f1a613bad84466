/* Printing shared by several questions of tune show. */
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
        rows_put_paragraph(words[i].word, "  ", text_string(&line), style_page_columns());
        text_free(&line);
    }
}

void show_put_words_used(const struct rows *rows, const struct row_column *columns,
                         size_t column_count, const struct show_word *words, size_t count)
{
    struct show_word shown[32];
    size_t shown_count = 0;
    for (size_t i = 0; i < count && shown_count < COUNT(shown); i++) {
        bool is_printed = false;
        for (const char *at = words[i].word; *at && !is_printed; at += strspn(at, ", ")) {
            const size_t length = strcspn(at, ",");
            is_printed = rows_have(rows, columns, column_count, at, length);
            at += length;
        }
        if (is_printed)
            shown[shown_count++] = words[i];
    }
    if (shown_count > 0)
        show_put_words(shown, shown_count);
}

bool show_share_configuration(struct rows *rows, size_t first, size_t end)
{
    const int column = rows_column(rows, "configuration");
    struct text shared = {0};
    struct text own = {0};
    struct text kept = {0};
    bool good = true;
    for (size_t i = first; column >= 0 && i < end; i++) {
        const char *theirs = rows_text(rows, i, "configuration", "");
        text_clear(&own);
        text_clear(&kept);
        const char *before = i == first ? theirs : text_string(&shared);
        text_append_others(&own, before, theirs);
        text_append_others(&kept, before, text_string(&own));
        text_clear(&shared);
        text_append(&shared, text_string(&kept));
    }
    if (shared.length > 0 && end - first > 1 && !style_is_unbound()) {
        rows_put_paragraph("all: ", "     ", text_string(&shared), style_page_columns());
        for (size_t i = first; i < end && good; i++) {
            text_clear(&own);
            text_append_others(&own, rows_text(rows, i, "configuration", ""), text_string(&shared));
            rows->cells[i][column].text = arena_strdup(&rows->arena, text_string(&own));
            good = rows->cells[i][column].text != NULL;
        }
    }
    text_free(&shared);
    text_free(&own);
    text_free(&kept);
    return good;
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
    if (ceiling_gbs > 0) /* 0: not measured well enough */
        text_printf(&line, "; %s ceiling %.*f GB/s", rows_text(rows, row, "ceiling", ""),
                    ceiling_gbs < 1    ? 3
                    : ceiling_gbs < 10 ? 1
                                       : 0,
                    ceiling_gbs);
    rows_put_paragraph(rows_text(rows, row, "device", ""), "  ", text_string(&line),
                       style_page_columns());
    text_free(&line);
}

/* ---- columns with JSON ---- */

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
