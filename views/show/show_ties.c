/* tune show --ties: each problem's winner first, then the next ones and the number of others. */
#include <stdio.h>
#include <string.h>

#include "tuner/terminal/style.h"
#include "views/show/internal.h"

/* Launches beside the winner that are listed: of one problem, and of each of several. */
enum { TIES_OF_ONE = 20, TIES_OF_EACH = 3 };

/* Appends "2 as fast, 11 slower": the number of rows with each standing, in order. */
static void append_standings(struct text *out, const struct rows *rows, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        bool is_new = true;
        size_t count = 0;
        for (size_t j = first; j < i && is_new; j++)
            is_new = !rows_same_text(rows, i, j, "standing");
        for (size_t j = i; j < end && is_new; j++)
            count += rows_same_text(rows, i, j, "standing");
        if (is_new)
            text_printf(out, "%s%zu %s", i == first ? "" : ", ", count,
                        rows_text(rows, i, "standing", "unknown"));
    }
}

/* Prints the rows of a problem. False: no memory. */
static bool put_problem(struct rows *rows, size_t first, size_t end,
                        const struct row_column *columns, size_t count, size_t most)
{
    struct text line = {0};
    struct cell **cells = rows->cells;
    size_t winner = first;
    while (winner < end && strcmp(rows_text(rows, winner, "standing", ""), "winner") != 0)
        winner++;
    for (size_t i = winner; winner < end && i > first; i--) {
        struct cell *before = cells[i - 1];
        cells[i - 1] = cells[i];
        cells[i] = before;
    }
    if (rows_number(rows, first, "n") != 1)
        text_printf(&line, ", n = %s", rows_text(rows, first, "n", ""));
    text_append(&line, ": ");
    append_standings(&line, rows, first, end);
    rows_put_paragraph(rows_text(rows, first, "problem", ""), "  ", text_string(&line),
                       style_page_columns());
    text_clear(&line);
    const size_t listed = end - first > most + 1 ? first + most + 1 : end;
    bool good = true;
    const int column = rows_column(rows, "configuration");
    const char *theirs = column < 0 ? NULL : cells[first][column].text;
    for (size_t i = first + 1; i < listed && good && theirs; i++) {
        /* Leaves of a configuration the parameters that the winner has otherwise. */
        const char **own = &cells[i][column].text;
        struct text kept = {0};
        if (!*own)
            continue;
        text_append_others(&kept, *own, theirs);
        *own = arena_strdup(&rows->arena, text_string(&kept));
        good = *own != NULL;
        text_free(&kept);
    }
    if (good)
        rows_print_page(rows, first, listed, columns, count);
    if (good && listed < end) {
        text_printf(&line, "and %zu more: ", end - listed);
        append_standings(&line, rows, listed, end);
        text_append(&line, "; --wide or --csv has them");
        rows_put_paragraph("", "  ", text_string(&line), style_page_columns());
    }
    text_free(&line);
    return good;
}

enum status show_ties(struct rows *rows, const struct row_column *columns, size_t column_count,
                      struct error *error)
{
    struct row_column own[SHOW_COLUMNS_MAX];
    size_t count = 0;
    bool good = true;
    for (size_t i = 0; i < column_count; i++)
        if (strcmp(columns[i].name, "problem") != 0 && strcmp(columns[i].name, "n") != 0)
            own[count++] = columns[i];
    for (size_t first = 0, group = 0; first < rows->row_count && good;) {
        if (first == group) {
            show_heading(rows, first);
            group = show_group_end(rows, first);
        }
        size_t end = first + 1;
        while (end < group && rows_same_text(rows, first, end, "problem") &&
               rows_same_text(rows, first, end, "n"))
            end++;
        const bool alone = first == 0 && end == rows->row_count;
        putchar('\n');
        good = put_problem(rows, first, end, own, count, alone ? TIES_OF_ONE : TIES_OF_EACH);
        first = end;
        if (first == group && first < rows->row_count)
            putchar('\n');
    }
    return good ? STATUS_OK : error_no_memory(error);
}
