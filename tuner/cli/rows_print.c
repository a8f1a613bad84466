#include "tuner/cli/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json.h"

enum { TABLE_COLUMNS_MAX = 64, CELL_BYTES = 64 };

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    size_t tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static void format_time(double ns, char out[CELL_BYTES])
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    size_t unit = 0;
    while (fabs(ns) >= 999.95 && unit < 3) {
        ns /= 1000;
        unit++;
    }
    int digits = fabs(ns) < 9.9995 ? 3 : fabs(ns) < 99.995 ? 2 : 1;
    (void)string_format(out, CELL_BYTES, "%.*f %s", digits, ns, units[unit]);
}

static int rate_digits(double value)
{
    return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

/* `out` is used for numbers; a text is given back as it is. */
static const char *cell_shown(const char *name, const struct cell *cell, char out[CELL_BYTES])
{
    if (!cell->text)
        return "-";
    if (!cell->number)
        return cell->text;
    double value = strtod(cell->text, NULL);
    if (ends_with(name, "_ns"))
        format_time(value, out);
    else if (ends_with(name, "_percent"))
        (void)string_format(out, CELL_BYTES, "%.*f %%", fabs(value) < 9.95 ? 2 : 1, value);
    else if (ends_with(name, "gbs"))
        (void)string_format(out, CELL_BYTES, "%.*f", rate_digits(value), value);
    else if (ends_with(name, "gain"))
        (void)string_format(out, CELL_BYTES, "%.*fx", value < 99.995 ? 2 : 0, value);
    else if (strncmp(name, METRIC_COLUMN, strlen(METRIC_COLUMN)) == 0 && fabs(value) >= 9999.5)
        (void)string_format(out, CELL_BYTES, "%.0f", value);
    else if (strcmp(name, "value") == 0 || strncmp(name, METRIC_COLUMN, strlen(METRIC_COLUMN)) == 0)
        (void)string_format(out, CELL_BYTES, "%.4g", value);
    else
        return cell->text;
    return out;
}

/* Characters, not bytes: a table with a name beyond ASCII stays aligned. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

void rows_put_text(const char *text)
{
    for (; *text; text++)
        putchar((unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text);
}

static void put_padded(const char *text, int width, bool right, bool last)
{
    int blanks = width - width_of(text);
    if (right)
        printf("%*s", blanks > 0 ? blanks : 0, "");
    rows_put_text(text);
    if (!right && !last)
        printf("%*s", blanks > 0 ? blanks : 0, "");
    fputs(last ? "\n" : "  ", stdout);
}

/* A column of the table as it is printed. */
struct printed {
    const struct row_column *column;
    int index; /* in the rows */
    int width;
    bool right;
};

/* False when no row has a value for it. */
static bool measure(const struct rows *rows, size_t first, size_t end, struct printed *printed)
{
    bool any = false;
    char number[CELL_BYTES];
    printed->width = width_of(printed->column->label);
    printed->right = false;
    for (size_t i = first; i < end; i++) {
        const struct cell *cell = &rows->cells[i][printed->index];
        int width = width_of(cell_shown(printed->column->name, cell, number));
        printed->width = width > printed->width ? width : printed->width;
        printed->right = printed->right || cell->number;
        any = any || cell->text;
    }
    return any;
}

void rows_print_table(const struct rows *rows, size_t first, size_t end,
                      const struct row_column *columns, size_t count)
{
    struct printed printed[TABLE_COLUMNS_MAX];
    size_t used = 0;
    char number[CELL_BYTES];
    for (size_t i = 0; i < count && used < TABLE_COLUMNS_MAX; i++) {
        printed[used] = (struct printed){&columns[i], rows_column(rows, columns[i].name), 0, false};
        if (printed[used].index >= 0 && measure(rows, first, end, &printed[used]))
            used++;
    }
    for (size_t i = 0; i < used; i++)
        put_padded(printed[i].column->label, printed[i].width, printed[i].right, i + 1 == used);
    for (size_t row = first; row < end; row++)
        for (size_t i = 0; i < used; i++)
            put_padded(
                cell_shown(printed[i].column->name, &rows->cells[row][printed[i].index], number),
                printed[i].width, printed[i].right, i + 1 == used);
}

static void label_of(const char *name, char out[CELL_BYTES])
{
    static const char *const units[] = {"_ns", "_percent"};
    (void)string_format(out, CELL_BYTES, "%s", name);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (ends_with(out, units[i]))
            out[strlen(out) - strlen(units[i])] = '\0';
    for (char *c = out; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    if (strcmp(out, "gbs") == 0)
        (void)string_format(out, CELL_BYTES, "GB/s");
}

void rows_print_list(const struct rows *rows, size_t row)
{
    int width = 0;
    char label[CELL_BYTES];
    char number[CELL_BYTES];
    for (size_t i = 0; i < rows->column_count; i++) {
        label_of(rows->names[i], label);
        width = width_of(label) > width ? width_of(label) : width;
    }
    for (size_t i = 0; i < rows->column_count; i++) {
        if (!rows->cells[row][i].text)
            continue;
        label_of(rows->names[i], label);
        put_padded(label, width, false, false);
        put_padded(cell_shown(rows->names[i], &rows->cells[row][i], number), 0, false, true);
    }
}

static void put_csv(const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

/* `row` NULL: the header. Baselines and metrics have columns of their own beside their JSON. */
static void put_csv_line(const struct rows *rows, const struct cell *row)
{
    const char *separator = "";
    for (size_t i = 0; i < rows->column_count; i++) {
        if (strcmp(rows->names[i], "baselines") == 0 || strcmp(rows->names[i], "metrics") == 0)
            continue;
        const char *text = row ? row[i].text : rows->names[i];
        fputs(separator, stdout);
        put_csv(text ? text : "");
        separator = ",";
    }
    putchar('\n');
}

void rows_print_csv(const struct rows *rows)
{
    put_csv_line(rows, NULL);
    for (size_t row = 0; row < rows->row_count; row++)
        put_csv_line(rows, rows->cells[row]);
}

static void append_cell(struct text *out, const char *name, const struct cell *cell)
{
    static const char *const json_columns[] = {"baselines", "parameters", "derived", "checks",
                                               "metrics"};
    bool json = cell->number && isfinite(strtod(cell->text, NULL));
    for (size_t i = 0; i < sizeof json_columns / sizeof json_columns[0]; i++)
        json = json || (cell->text && strcmp(name, json_columns[i]) == 0);
    if (json)
        text_append(out, cell->text);
    else
        json_append_string(out, cell->number ? NULL : cell->text);
}

void rows_print_json_row(const struct rows *rows, size_t row)
{
    struct text line = {0};
    for (size_t i = 0; i < rows->column_count; i++) {
        text_append(&line, i == 0 ? "{" : ", ");
        json_append_string(&line, rows->names[i]);
        text_append(&line, ": ");
        append_cell(&line, rows->names[i], &rows->cells[row][i]);
    }
    text_append(&line, "}");
    fputs(text_string(&line), stdout);
    text_free(&line);
}

void rows_print_json(const struct rows *rows)
{
    fputs("[", stdout);
    for (size_t row = 0; row < rows->row_count; row++) {
        fputs(row == 0 ? "\n  " : ",\n  ", stdout);
        rows_print_json_row(rows, row);
    }
    fputs(rows->row_count > 0 ? "\n]" : "]", stdout);
}
