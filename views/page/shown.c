/* Numbers as people read them, and the tables that hold them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "views/page/html.h"
#include "views/page/internal.h"

enum { FOLD_ROWS = 24, COLUMNS_MAX = 24 };

const char *shown_time(double ns, char out[SHOWN_BYTES])
{
    return time_text(ns, "µs", out);
}

const char *shown_gain(double ratio, char out[SHOWN_BYTES])
{
    (void)string_format(out, SHOWN_BYTES, "%.*f×", ratio < 99.995 ? 2 : 0, ratio);
    return out;
}

const char *shown_rate(double gbs, char out[SHOWN_BYTES])
{
    (void)string_format(out, SHOWN_BYTES, "%.*f", gbs < 9.995 ? 2 : gbs < 99.95 ? 1 : 0, gbs);
    return out;
}

const char *shown_percent(double percent, char out[SHOWN_BYTES])
{
    (void)string_format(out, SHOWN_BYTES, "%.*f %%", fabs(percent) < 9.95 ? 2 : 1, percent);
    return out;
}

const char *shown_count(int64_t count, char out[SHOWN_BYTES])
{
    char digits[24];
    size_t length = 0;
    (void)string_format(digits, sizeof digits, "%" PRId64, count);
    size_t first = digits[0] == '-' ? 1 : 0;
    for (size_t i = 0; digits[i]; i++) {
        if (i > first && strlen(digits + i) % 3 == 0)
            out[length++] = ',';
        out[length++] = digits[i];
    }
    out[length] = '\0';
    return out;
}

void write_interval(struct text *out, const char *low, const char *high)
{
    static const char number[] = "0123456789.-";
    int digits = (int)strspn(low, number);
    bool same = strcmp(low + digits, high + strspn(high, number)) == 0;
    html(out, "<small>%.*s to %s</small>", same ? digits : (int)strlen(low), low, high);
}

void write_configuration(struct text *out, const char *key)
{
    text_append(out, "<span class=\"set\">");
    for (const char *at = key; *at;) {
        int length = (int)strcspn(at, " ");
        int name = (int)strcspn(at, "= ");
        if (at[name] == '=')
            html(out, "<span><i>%.*s</i> <b>%.*s</b></span> ", name, at, length - name - 1,
                 at + name + 1);
        else
            html(out, "<span>%.*s</span> ", length, at);
        at += length;
        at += strspn(at, " ");
    }
    text_append(out, "</span>");
}

void write_value(struct text *out, enum cell_kind kind, double value)
{
    char shown[SHOWN_BYTES] = "";
    if (isnan(value)) {
        text_append(out, "<td class=\"n\">–</td>");
        return;
    }
    if (kind == CELL_TIME)
        (void)shown_time(value, shown);
    else if (kind == CELL_PERCENT || kind == CELL_SHARE)
        (void)shown_percent(kind == CELL_SHARE ? 100 * value : value, shown);
    else if (kind == CELL_RATE)
        (void)shown_rate(value, shown);
    else if (kind == CELL_COUNT)
        (void)shown_count((int64_t)value, shown);
    else
        (void)string_format(shown, sizeof shown, "%.4g", value);
    html(out, "<td class=\"n\" data-v=\"%.9g\">%s</td>", value, shown);
}

void write_integer(struct text *out, int64_t value)
{
    write_value(out, CELL_COUNT, value < 0 ? (double)NAN : (double)value);
}

/* ---- tables out of a query ---- */

static bool is_text(enum cell_kind kind)
{
    return kind == CELL_TEXT || kind == CELL_DEVICE || kind == CELL_CONFIGURATION;
}

static void write_cell(struct text *out, enum cell_kind kind, struct store_query *row, int at)
{
    const char *text = store_query_text(row, at);
    if (!text) {
        text_append(out, kind == CELL_TEXT ? "<td>–</td>" : "<td class=\"n\">–</td>");
    } else if (kind == CELL_CONFIGURATION) {
        text_append(out, "<td>");
        write_configuration(out, text);
        text_append(out, "</td>");
    } else if (is_text(kind)) {
        html(out, "<td>%s</td>", text);
    } else {
        write_value(out, kind, store_query_real(row, at));
    }
}

static int query_column(const struct store_query *query, const char *name)
{
    for (int i = 0; i < store_query_columns(query); i++)
        if (strcmp(store_query_name(query, i), name) == 0)
            return i;
    return -1;
}

void write_table_begin(struct text *out, const char *name)
{
    html(out,
         "<div class=\"box\" role=\"region\" aria-label=\"%s\" tabindex=\"0\">"
         "<table class=\"sorts\"><thead><tr>",
         name);
}

void write_table_end(struct text *out)
{
    text_append(out, "</tbody></table></div>\n");
}

static void write_rows(struct page *page, const struct table *table, const struct text *body,
                       size_t rows)
{
    struct text *out = &page->out;
    if (rows == 0) {
        if (table->none)
            html(out, "<p class=\"none\">%s</p>\n", table->none);
        return;
    }
    if (rows > FOLD_ROWS)
        html(out, "<details><summary>%zu %s</summary>", rows, table->name);
    write_table_begin(out, table->name);
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].kind != CELL_DEVICE || page->device_count > 1)
            html(out, is_text(table->columns[i].kind) ? "<th>%s</th>" : "<th class=\"n\">%s</th>",
                 table->columns[i].label);
    text_append(out, "</tr></thead><tbody>\n");
    text_append(out, text_string(body));
    write_table_end(out);
    if (rows > FOLD_ROWS)
        text_append(out, "</details>\n");
    if (table->command)
        html(out, "<p class=\"note\">Each of them: <code>%s --db %s</code>.</p>\n", table->command,
             page->database_word);
}

enum status write_table(struct page *page, const struct table *table, struct error *error)
{
    struct store_parameter parameters[PAGE_PARAMETERS];
    struct store_query *query = NULL;
    struct text body = {0};
    size_t rows = 0;
    int uuid = -1;
    bool row = true;
    page_parameters(page, parameters);
    enum status status =
        store_query_open(page->store, table->sql, parameters, PAGE_PARAMETERS, &query, error);
    while (status == STATUS_OK) {
        status = store_query_next(query, &row, error);
        if (status != STATUS_OK || !row)
            break;
        /* The queries of tune show know nothing of devices. */
        uuid = query_column(query, "device_uuid");
        if (uuid >= 0 && !page_has_device(page, store_query_text(query, uuid)))
            continue;
        text_append(&body, "<tr>");
        for (size_t i = 0; i < table->column_count; i++) {
            int at = query_column(query, table->columns[i].name);
            if (at >= 0 && (table->columns[i].kind != CELL_DEVICE || page->device_count > 1))
                write_cell(&body, table->columns[i].kind, query, at);
        }
        text_append(&body, "</tr>\n");
        rows++;
    }
    store_query_close(query);
    if (status == STATUS_OK && body.failed)
        status = error_no_memory(error);
    if (status == STATUS_OK)
        write_rows(page, table, &body, rows);
    text_free(&body);
    return status;
}

int by_size(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}
