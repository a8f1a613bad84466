/* The rows of a query as an aligned table, or one row as a list. */
#include "tuner/terminal/rows.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/terminal/style.h"

/* A text that is broken into lines keeps so many columns, however narrow the page; to have more,
 * columns of less importance are left out. */
enum { TABLE_COLUMNS_MAX = 64, WRAP_MIN = 16, WRAP_NARROW = 30, WRAP_WANTED = 40 };

/* Texts that are broken into lines where a page is narrow. */
static const char *const broken[] = {"launch",      "configuration", "detail", "verdict_reason",
                                     "device",      "faults",        "with",   "kernel",
                                     "differences", "changes"};
/* Columns that a narrow page leaves out, the least important first. */
static const char dispensable[] =
    "tool_version driver l2_mode binaries_cached binaries_compiled idle_percent duplicate_count "
    "compile_wait_percent inputs compared wrong_less_than_once_in rounds_dropped hot_ns "
    "dirty_ns states time_low_ns time_high_ns delta_percent stage processes rounds run_count "
    "unlaunchable duplicates near_percent product_count failures space_count points_tried "
    "not_compared grid mark deviation block registers spread_percent gbs occupancy_percent "
    "ceiling_percent sizes_between between_loss_percent sizes_measured trial_id floor_percent "
    "high_percent low_percent as_fast claim_percent measured_loss_percent measuring_percent "
    "more_low_percent more_high_percent loss_low_percent differences worst worst_percent "
    "configuration point11 point10 point9 point8 point7 point6 point5 point4 point3";

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
        (void)string_format(out, ROWS_CELL_BYTES, "%.*f %%", fabs(value) < 9.95 ? 2 : 1,
                            fabs(value) < 0.005 ? 0 : value);
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
    else if (strcmp(column, "value") == 0 || text_ends_with(column, "deviation") ||
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

/* The part of a text that fits one line. */
struct piece {
    const char *text;
    size_t bytes;
    int columns;
};

/* Takes as much of the text as `columns` hold, broken between words if possible; moves *rest behind
 * it. */
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

/* A column of the table in print. */
struct printed {
    const struct row_column *column;
    int index; /* in the rows */
    int width, natural, least;
    bool right, is_text; /* may be broken into lines */
};

static int longest_word(const char *text)
{
    int longest = 0;
    for (size_t length = 0; text && *text; text += length + strspn(text + length, " ")) {
        length = strcspn(text, " ");
        const int width = style_bytes_columns(text, length);
        longest = width > longest ? width : longest;
    }
    return longest;
}

/* Finds the column's natural and least width. Returns false if no row has a value for it, or only
 * n = 1: problems without a size, or with several, which the problem's name has. */
static bool measure(const struct rows *rows, size_t first, size_t end, struct printed *printed)
{
    const bool is_n = strcmp(printed->column->name, "n") == 0;
    bool has_values = false;
    char number[ROWS_CELL_BYTES];
    const char *label = printed->column->label;
    printed->natural = style_text_columns(label);
    printed->right = false;
    printed->least = longest_word(label);
    for (size_t i = 0; i < COUNT(broken); i++)
        printed->is_text = printed->is_text || strcmp(printed->column->name, broken[i]) == 0;
    for (size_t i = first; i < end; i++) {
        const struct cell *cell = &rows->cells[i][printed->index];
        const int width = style_text_columns(rows_shown(printed->column->name, cell, number));
        printed->natural = width > printed->natural ? width : printed->natural;
        const int least = printed->is_text ? longest_word(cell->text) : width;
        printed->least = least > printed->least ? least : printed->least;
        printed->right = printed->right || cell->kind == CELL_NUMBER;
        has_values = has_values || (cell->text && !(is_n && strcmp(cell->text, "1") == 0));
    }
    if (printed->is_text && printed->least > WRAP_WANTED)
        printed->least = WRAP_WANTED;
    printed->width = printed->least;
    return has_values;
}

static int total_width(const struct printed *printed, size_t count)
{
    int width = -2;
    for (size_t i = 0; i < count; i++)
        width += printed[i].width + 2;
    return width;
}

/* Chooses columns and widths for a table of `width` columns (0: no limit). If it is still wider
 * with texts and labels broken, columns are left out and listed in `left`, if that is not NULL. */
static size_t lay_out(const struct rows *rows, size_t first, size_t end,
                      const struct row_column *columns, size_t count, int width,
                      struct printed printed[TABLE_COLUMNS_MAX], struct text *left)
{
    size_t used = 0;
    for (size_t i = 0; i < count && used < TABLE_COLUMNS_MAX; i++) {
        printed[used] =
            (struct printed){.column = &columns[i], .index = rows_column(rows, columns[i].name)};
        if (printed[used].index < 0 || !measure(rows, first, end, &printed[used]))
            continue;
        if (left && printed[used].is_text)
            printed[used].width =
                printed[used].natural < WRAP_WANTED ? printed[used].natural : WRAP_WANTED;
        used++;
    }
    for (const char *name = dispensable; *name && left && width > 0; name += strspn(name, " ")) {
        const size_t length = strcspn(name, " ");
        for (size_t i = 0; i < used && total_width(printed, used) > width; i++) {
            const char *own = printed[i].column->name;
            if (strlen(own) != length || memcmp(own, name, length) != 0)
                continue;
            if (printed[i].width > WRAP_NARROW && printed[i].is_text) /* rather than missing */
                printed[i].width = printed[i].least > WRAP_NARROW ? printed[i].least : WRAP_NARROW;
            if (total_width(printed, used) <= width)
                continue;
            text_printf(left, "%s%s", left->length > 0 ? ", " : "", printed[i].column->label);
            memmove(&printed[i], &printed[i + 1], (used - i - 1) * sizeof *printed);
            used--;
        }
        name += length;
    }
    for (size_t i = 0; i < used && width > 0; i++) {
        const int over = total_width(printed, used) - width;
        const int most = printed[i].width - printed[i].least;
        if (over > 0)
            printed[i].width -= over < most ? over : most;
    }
    /* Labels are broken only where that makes the table fit. The room goes to texts first. */
    int labels = 0;
    for (size_t i = 0; i < used; i++)
        labels += printed[i].is_text ? 0 : printed[i].natural - printed[i].width;
    int room = width > 0 ? width - total_width(printed, used) : INT_MAX;
    bool texts = labels > room;
    for (int pass = 0; pass < 2; pass++, texts = !texts)
        for (size_t i = 0; i < used && room > 0; i++) {
            const int more =
                printed[i].is_text == texts ? printed[i].natural - printed[i].width : 0;
            printed[i].width += more < room ? more : room;
            room -= more < room ? more : room;
        }
    return used;
}

/* Prints one row, or the labels if `cells` is NULL: a text wider than its column continues below
 * itself. */
static void put_row(const struct printed *printed, size_t count, const struct cell *cells)
{
    char numbers[TABLE_COLUMNS_MAX][ROWS_CELL_BYTES];
    const char *rest[TABLE_COLUMNS_MAX];
    for (size_t i = 0; i < count; i++)
        rest[i] = cells ? rows_shown(printed[i].column->name, &cells[printed[i].index], numbers[i])
                        : printed[i].column->label;
    for (bool more = true; more;) {
        int blanks = 0; /* blanks due before the next text, so that no line ends in them */
        more = false;
        for (size_t i = 0; i < count; i++) {
            const struct piece piece = take_piece(&rest[i], printed[i].width);
            if (printed[i].right)
                blanks += printed[i].width - piece.columns;
            if (piece.bytes > 0) {
                put_blanks(blanks);
                blanks = 0;
                put_styled(&piece,
                           cells ? style_of(printed[i].column->name, cells[printed[i].index].text)
                                 : STYLE_BOLD);
            }
            blanks += 2 + (printed[i].right ? 0 : printed[i].width - piece.columns);
            more = more || rest[i][0];
        }
        putchar('\n');
    }
}

static void put_table(const struct rows *rows, size_t first, size_t end,
                      const struct printed *printed, size_t count)
{
    put_row(printed, count, NULL);
    for (size_t row = first; row < end; row++)
        put_row(printed, count, rows->cells[row]);
}

void rows_print_table_within(const struct rows *rows, size_t first, size_t end,
                             const struct row_column *columns, size_t count, int width)
{
    struct printed printed[TABLE_COLUMNS_MAX];
    put_table(rows, first, end, printed,
              lay_out(rows, first, end, columns, count, width, printed, NULL));
}

void rows_print_page(const struct rows *rows, size_t first, size_t end,
                     const struct row_column *columns, size_t count)
{
    struct text left = {0};
    struct printed printed[TABLE_COLUMNS_MAX];
    const int width = style_page_columns();
    put_table(rows, first, end, printed,
              lay_out(rows, first, end, columns, count, width, printed,
                      style_is_unbound() ? NULL : &left));
    if (left.length > 0) {
        text_append(&left, "; --wide or --csv has them");
        rows_put_paragraph("left out: ", "  ", text_string(&left), width);
    }
    text_free(&left);
}

bool rows_have(const struct rows *rows, const struct row_column *columns, size_t count,
               const char *word, size_t length)
{
    struct text left = {0};
    struct printed printed[TABLE_COLUMNS_MAX];
    const size_t used =
        lay_out(rows, 0, rows->row_count, columns, count, style_page_columns(), printed, &left);
    bool found = false;
    for (size_t i = 0; i < used && !found; i++) {
        const char *label = printed[i].column->label;
        found = strlen(label) == length && memcmp(label, word, length) == 0;
        for (size_t row = 0; row < rows->row_count && !found; row++) {
            const char *text = rows->cells[row][printed[i].index].text;
            found = text && strlen(text) == length && memcmp(text, word, length) == 0;
        }
    }
    text_free(&left);
    return found;
}

void rows_print_members(const struct rows *rows, size_t first, size_t end,
                        const struct row_member *members, size_t member_count, bool leaves_out)
{
    struct row_column columns[TABLE_COLUMNS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < member_count && count < TABLE_COLUMNS_MAX; i++)
        if (members[i].label)
            columns[count++] = (struct row_column){members[i].column, members[i].label};
    if (leaves_out)
        rows_print_page(rows, first, end, columns, count);
    else
        rows_print_table_within(rows, first, end, columns, count, style_page_columns());
}

/* Prints the text behind `at` columns of its line, further lines behind `indent` blanks. */
static void put_lines(const char *text, int at, int indent, int width, enum style style)
{
    while (*text) {
        const int room = width > 0 ? width - at : style_text_columns(text);
        const struct piece piece = take_piece(&text, room > WRAP_MIN ? room : WRAP_MIN);
        put_styled(&piece, style);
        if (*text) {
            putchar('\n');
            put_blanks(indent);
        }
        at = indent;
    }
    putchar('\n');
}

void rows_put_paragraph(const char *first, const char *indent, const char *text, int width)
{
    style_begin(STYLE_BOLD);
    rows_put_text(first);
    style_end(STYLE_BOLD);
    put_lines(text, style_text_columns(first), style_text_columns(indent), width, STYLE_PLAIN);
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
        /* The configuration has the parameters in words. */
        if (!rows->cells[row][i].text || strcmp(rows->names[i], "parameters") == 0)
            continue;
        label_of(rows->names[i], label);
        rows_put_text(label);
        put_blanks(width - style_text_columns(label) + 2);
        put_lines(rows_shown(rows->names[i], &rows->cells[row][i], number), width + 2, width + 2,
                  style_page_columns(), style_of(rows->names[i], rows->cells[row][i].text));
    }
}
