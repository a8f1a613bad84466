/* The rows of a query as CSV and JSON. */
#include "tuner/cli/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json.h"

void rows_put_bytes(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char byte = (unsigned char)text[i];
        const unsigned char next = i + 1 < bytes ? (unsigned char)text[i + 1] : 0;
        const bool c1 = byte == 0xc2 && next >= 0x80 && next < 0xa0; /* U+0080 to U+009F */
        putchar(byte < 0x20 || byte == 0x7f || c1 ? ' ' : text[i]);
        i += c1;
    }
}

void rows_put_text(const char *text)
{
    rows_put_bytes(text, strlen(text));
}

static void put_csv(const char *text)
{
    bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (quoted)
        putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        char one[3] = {text[0], (unsigned char)text[0] == 0xc2 ? text[1] : '\0', '\0'};
        if (*text == '\n')
            putchar('\n');
        else
            rows_put_text(one);
        text += one[1] != '\0';
    }
    if (quoted)
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
    static const char *const json_columns[] = {"baselines", "parameters", "derived",
                                               "checks",    "metrics",    "launches"};
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
