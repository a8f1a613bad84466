#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"
#include "views/plot/internal.h"

/* Up to this number all points are kept, also those that hide one another. */
enum { MARKS_FEW = 5000 };

/* Points of a picture: gnuplot writes each as a line <use ... translate(X,Y) scale(S) .../>. */
struct marks {
    uint64_t *seen; /* keys of the kept points; 0: empty */
    size_t slots;   /* a power of two */
    size_t count, kept;
    double cell; /* side in pixels of a cell, which keeps one of several similar points */
};

/* Finds the coordinates in the line; NULL: the line is no point. */
static const char *place_of(const char *line)
{
    static const char before[] = "translate(";
    if (strncmp(line + strspn(line, " \t"), "<use xlink:href='#gpPt", 22) != 0)
        return NULL;
    const char *found = memmem(line, strcspn(line, "\n"), before, sizeof before - 1);
    return found ? found + sizeof before - 1 : NULL;
}

/* Returns a key of the point's appearance and cell. */
static uint64_t key_of(const char *line, const char *place, double cell)
{
    char *end = NULL;
    int64_t at[2] = {0};
    at[0] = llround(strtod(place, &end) / cell);
    if (*end == ',')
        at[1] = llround(strtod(end + 1, &end) / cell);
    uint64_t key = hash_u64(line, (size_t)(place - line), 0);
    key = hash_u64(end, strcspn(end, "\n"), key);
    key = hash_u64(at, sizeof at, key);
    return key ? key : 1;
}

/* Keeps a point; false when a similar one is already kept. */
static bool keep(struct marks *marks, uint64_t key)
{
    size_t slot = (size_t)(key ^ key >> 32) & (marks->slots - 1);
    while (marks->seen[slot] != 0 && marks->seen[slot] != key)
        slot = (slot + 1) & (marks->slots - 1);
    if (marks->seen[slot] == key)
        return false;
    marks->seen[slot] = key;
    marks->kept++;
    return true;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

static void keep_all(struct marks *marks, const char *svg)
{
    marks->kept = 0;
    memset(marks->seen, 0, marks->slots * sizeof *marks->seen);
    for (const char *line = svg; *line; line = next_line(line)) {
        const char *place = place_of(line);
        if (place)
            (void)keep(marks, key_of(line, place, marks->cell));
    }
}

/* Chooses the finest cells that leave at most SVG_MARKS_MAX points; false when memory is short. */
static bool choose_cell(struct marks *marks, const char *svg)
{
    for (const char *line = svg; *line; line = next_line(line))
        marks->count += place_of(line) != NULL;
    marks->kept = marks->count;
    if (marks->count <= MARKS_FEW)
        return true;
    for (marks->slots = 1; marks->slots < 2 * marks->count; marks->slots *= 2)
        continue;
    marks->seen = malloc(marks->slots * sizeof *marks->seen);
    if (!marks->seen)
        return false;
    marks->cell = 0.5;
    keep_all(marks, svg);
    while (marks->kept > SVG_MARKS_MAX && marks->cell < 100) {
        marks->cell *= 1.4;
        keep_all(marks, svg);
    }
    memset(marks->seen, 0, marks->slots * sizeof *marks->seen);
    return true;
}

/* Replacements made everywhere. */
static const struct rule {
    const char *before, *after;
} rules[] = {
    {"font-family=\"DejaVu Sans:Bold\"",
     "font-family=\"DejaVu Sans, Verdana, sans-serif\" font-weight=\"bold\""},
    {"font-family=\"DejaVu Sans", "font-family=\"DejaVu Sans, Verdana, sans-serif"},
    {"stroke-width='0.178'", "stroke-width='0.35'"}, /* points: as strong as in the PNG */
    {"<svg ", "<svg role=\"img\""},
};

static void append_line(struct text *out, const char *line, size_t length, const char *title)
{
    static const char general[] = "<title>Gnuplot</title>";
    static const char numbered[] = "<title>gnuplot_plot_";
    const char *end = line + length;
    while (line < end) {
        size_t plain = strcspn(line, "<fs"), i = 0;
        if (plain > (size_t)(end - line))
            plain = (size_t)(end - line);
        text_append_bytes(out, line, plain);
        line += plain;
        if (line == end)
            break;
        if (strncmp(line, general, sizeof general - 1) == 0) {
            text_append(out, "<title>");
            for (const char *c = title; *c; c++) {
                if (*c == '<')
                    text_append(out, "&lt;");
                else if (*c == '&')
                    text_append(out, "&amp;");
                else
                    text_append_bytes(out, c, 1);
            }
            text_append(out, "</title>");
            line += sizeof general - 1;
            continue;
        }
        if (strncmp(line, numbered, sizeof numbered - 1) == 0) {
            line += strcspn(line, "/") + strlen("/title>");
            continue;
        }
        while (i < COUNT(rules) && strncmp(line, rules[i].before, strlen(rules[i].before)) != 0)
            i++;
        if (i < COUNT(rules))
            text_append(out, rules[i].after);
        else
            text_append_bytes(out, line, 1);
        line += i < COUNT(rules) ? strlen(rules[i].before) : 1;
    }
}

void svg_tidy(const char *svg, const char *title, struct text *out)
{
    struct marks marks = {0};
    if (!choose_cell(&marks, svg)) {
        out->failed = true;
        return;
    }
    marks.kept = 0;
    for (const char *line = svg, *next; *line; line = next) {
        next = next_line(line);
        const char *place = place_of(line);
        if (place && marks.seen && !keep(&marks, key_of(line, place, marks.cell)))
            continue;
        if (marks.seen && marks.cell > 1 && strncmp(line, "</svg>", 6) == 0)
            text_printf(out,
                        "<text x=\"12\" y=\"18\" font-family=\"DejaVu Sans, Verdana, "
                        "sans-serif\" font-size=\"12\" fill=\"#444444\">%zu of %zu marks are "
                        "drawn: the others lie within %.0f px of one like them</text>\n",
                        marks.kept, marks.count, ceil(marks.cell * 1.4));
        append_line(out, line, (size_t)(next - line), title);
    }
    free(marks.seen);
}
