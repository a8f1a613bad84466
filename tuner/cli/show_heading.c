#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/cli/show.h"
#include "tuner/cli/style.h"

static bool same_text(const struct rows *rows, size_t a, size_t b, const char *name)
{
    return strcmp(rows_text(rows, a, name, ""), rows_text(rows, b, name, "")) == 0;
}

size_t show_group_end(const struct rows *rows, size_t first)
{
    static const char *const group[] = {"device_uuid", "l2_mode", "driver",
                                        "compiler",    "ceiling", "ceiling_gbs"};
    size_t end = first;
    bool same = true;
    while (same && ++end < rows->row_count)
        for (size_t i = 0; i < sizeof group / sizeof group[0]; i++)
            same = same && same_text(rows, first, end, group[i]);
    return end;
}

void show_heading(const struct rows *rows, size_t row)
{
    bool cpu = strcmp(rows_text(rows, row, "device_kind", ""), "cpu") == 0;
    const char *objective = rows_text(rows, row, "objective", "time");
    const char *ceiling = rows_text(rows, row, "ceiling_gbs", NULL);
    struct text line = {0};
    text_printf(&line, "%s%s, %s, L2 %s", cpu ? ", " : ", driver ",
                rows_text(rows, row, "driver", ""), rows_text(rows, row, "compiler", ""),
                rows_text(rows, row, "l2_mode", ""));
    if (strcmp(objective, "time") != 0)
        text_printf(&line, ", by %s", objective);
    if (ceiling)
        text_printf(&line, "; %s ceiling %.0f GB/s", rows_text(rows, row, "ceiling", ""),
                    strtod(ceiling, NULL));
    rows_put_paragraph(rows_text(rows, row, "device", ""), "  ", text_string(&line),
                       style_terminal_columns());
    text_free(&line);
}
