/* The rows of a query as an aligned table, or one row as a list. */
#include "tuner/terminal/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/terminal/style.h"

/* What is broken into lines keeps so many columns, however narrow the terminal. */
enum { TABLE_COLUMNS_MAX = 64, WRAP_LEAST = 24 };

const char *rows_shown(const char *column, const struct cell *cell, char out[ROWS_CELL_BYTES])
{
    if (!cell->text)
        return "-";
    if (cell->kind != CELL_NUMBER)
        return cell->text;
    const double value = cell->number;
    if (text_ends_with(column, "_ns"))
        (void)time_text(value, "us", out);
    else if (text_ends_with(column, "_percent"))
        (void)string_format(out, ROWS_CELL_BYTES, "%.*f %%", fabs(value) < 9.95 ? 2 : 1, value);
    else if (text_ends_with(column, "gbs") || text_ends_with(column, "gops"))
        (void)string_format(out, ROWS_CELL_BYTES, "%.*f",
                            value < 9.995   ? 2
                            : value < 99.95 ? 1
                                            : 0,
                            value);
    else if (text_ends_with(column, "gain"))
        (void)string_format(out, ROWS_CELL_BYTES, "%.*fx", value < 99.995 ? 2 : 0, value);
    else if (strncmp(column, METRIC_COLUMN, strlen(METRIC_COLUMN)) == 0 && fabs(value) >= 9999.5)
        (void)string_format(out, ROWS_CELL_BYTES, "%.0f", value);
    else if (strcmp(column, "value") == 0 ||
             strncmp(column, METRIC_COLUMN, strlen(METRIC_COLUMN)) == 0)
        (void)string_format(out, ROWS_CELL_BYTES, "%.4g", value);
    else
        return cell->text;
    return out;
}

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

static void put_blanks(int count)
{
    printf("%*s", count > 0 ? count : 0, "");
}

static void put_padded(const char *text, int width, enum style style, bool right, bool last)
{
    const int blanks = width - style_text_columns(text);
    if (right)
        put_blanks(blanks);
    style_begin(text[0] ? style : STYLE_PLAIN);
    rows_put_text(text);
    style_end(text[0] ? style : STYLE_PLAIN);
    if (!right && !last)
        put_blanks(blanks);
    fputs(last ? "\n" : "  ", stdout);
}

/* What of a text stands in one line. */
struct piece {
    const char *text;
    size_t bytes;
    int columns;
};

/* As much of the text as so many columns hold, broken between words where it can be; *rest is moved
 * behind it. */
static struct piece take_piece(const char **rest, int columns)
{
    const char *text = *rest;
    struct piece piece = {.text = text, .bytes = style_text_line(text, columns)};
    piece.columns = style_bytes_columns(text, piece.bytes);
    *rest = text + piece.bytes + strspn(text + piece.bytes, " ");
    return piece;
}

static void put_styled(const struct piece *piece, enum style style)
{
    style_begin(style);
    rows_put_bytes(piece->text, piece->bytes);
    style_end(style);
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
    bool has_values = false;
    char number[ROWS_CELL_BYTES];
    printed->width = style_text_columns(printed->column->label);
    printed->right = false;
    for (size_t i = first; i < end; i++) {
        const struct cell *cell = &rows->cells[i][printed->index];
        int width = style_text_columns(rows_shown(printed->column->name, cell, number));
        printed->width = width > printed->width ? width : printed->width;
        printed->right = printed->right || cell->kind == CELL_NUMBER;
        has_values = has_values || cell->text;
    }
    return has_values;
}

/* One row: a text that is too wide for its column goes on in the next line, below itself. */
static void put_row(const struct printed *printed, size_t count, const struct cell *cells)
{
    char numbers[TABLE_COLUMNS_MAX][ROWS_CELL_BYTES];
    const char *rest[TABLE_COLUMNS_MAX];
    for (size_t i = 0; i < count; i++)
        rest[i] = rows_shown(printed[i].column->name, &cells[printed[i].index], numbers[i]);
    for (bool more = true; more;) {
        int blanks = 0; /* owed before the next text, so that no line ends in them */
        more = false;
        for (size_t i = 0; i < count; i++) {
            const struct cell *cell = &cells[printed[i].index];
            const struct piece piece = take_piece(&rest[i], printed[i].width);
            if (printed[i].right)
                blanks += printed[i].width - piece.columns;
            if (piece.bytes > 0) {
                put_blanks(blanks);
                blanks = 0;
                put_styled(&piece, style_of(printed[i].column->name, cell->text));
            }
            blanks += 2 + (printed[i].right ? 0 : printed[i].width - piece.columns);
            more = more || rest[i][0];
        }
        putchar('\n');
    }
}

void rows_print_table_within(const struct rows *rows, size_t first, size_t end,
                             const struct row_column *columns, size_t count, int width)
{
    struct printed printed[TABLE_COLUMNS_MAX];
    size_t used = 0;
    for (size_t i = 0; i < count && used < TABLE_COLUMNS_MAX; i++) {
        printed[used] = (struct printed){&columns[i], rows_column(rows, columns[i].name), 0, false};
        if (printed[used].index >= 0 && measure(rows, first, end, &printed[used]))
            used++;
    }
    /* What describes gives way, until the table is as wide as that, where it can be; 0: no limit.
     */
    static const char *const giving_way[] = {"launch", "configuration", "detail", "trust_reason",
                                             "faults"};
    int wide = -2;
    for (size_t i = 0; i < used; i++)
        wide += printed[i].width + 2;
    for (size_t k = 0; k < COUNT(giving_way); k++)
        for (size_t i = 0; i < used && width > 0 && wide > width; i++) {
            if (strcmp(printed[i].column->name, giving_way[k]) != 0)
                continue;
            const int least = printed[i].width < WRAP_LEAST ? printed[i].width : WRAP_LEAST;
            const int narrowed = printed[i].width - (wide - width);
            wide -= printed[i].width - (narrowed > least ? narrowed : least);
            printed[i].width = narrowed > least ? narrowed : least;
        }
    for (size_t i = 0; i < used; i++)
        put_padded(printed[i].column->label, printed[i].width, STYLE_BOLD, printed[i].right,
                   i + 1 == used);
    for (size_t row = first; row < end; row++)
        put_row(printed, used, rows->cells[row]);
}

void rows_print_table(const struct rows *rows, size_t first, size_t end,
                      const struct row_column *columns, size_t count)
{
    rows_print_table_within(rows, first, end, columns, count, style_terminal_columns());
}

void rows_print_members(const struct rows *rows, size_t first, size_t end,
                        const struct row_member *members, size_t member_count)
{
    struct row_column columns[TABLE_COLUMNS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < member_count && count < TABLE_COLUMNS_MAX; i++)
        if (members[i].label)
            columns[count++] = (struct row_column){members[i].column, members[i].label};
    rows_print_table(rows, first, end, columns, count);
}

void rows_put_paragraph(const char *first, const char *indent, const char *text, int width)
{
    const int indent_columns = style_text_columns(indent);
    int at = style_text_columns(first);
    style_begin(STYLE_BOLD);
    rows_put_text(first);
    style_end(STYLE_BOLD);
    while (*text) {
        const int room = width > 0 ? width - at : style_text_columns(text);
        const struct piece piece = take_piece(&text, room > WRAP_LEAST ? room : WRAP_LEAST);
        put_styled(&piece, STYLE_PLAIN);
        if (*text)
            printf("\n%s", indent);
        at = indent_columns;
    }
    putchar('\n');
}

static void label_of(const char *name, char out[ROWS_CELL_BYTES])
{
    static const char *const units[] = {"_ns", "_percent"};
    (void)string_format(out, ROWS_CELL_BYTES, "%s", name);
    for (size_t i = 0; i < COUNT(units); i++)
        if (text_ends_with(out, units[i]))
            out[strlen(out) - strlen(units[i])] = '\0';
    for (char *c = out; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    if (strcmp(out, "gbs") == 0)
        (void)string_format(out, ROWS_CELL_BYTES, "GB/s");
}

void rows_print_list(const struct rows *rows, size_t row)
{
    int width = 0;
    char label[ROWS_CELL_BYTES];
    char number[ROWS_CELL_BYTES];
    for (size_t i = 0; i < rows->column_count; i++) {
        label_of(rows->names[i], label);
        width = style_text_columns(label) > width ? style_text_columns(label) : width;
    }
    for (size_t i = 0; i < rows->column_count; i++) {
        if (!rows->cells[row][i].text)
            continue;
        label_of(rows->names[i], label);
        put_padded(label, width, STYLE_PLAIN, false, false);
        put_padded(rows_shown(rows->names[i], &rows->cells[row][i], number), 0,
                   style_of(rows->names[i], rows->cells[row][i].text), false, true);
    }
}
