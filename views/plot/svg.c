#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/base/text.h"
#include "views/plot/internal.h"

/* Up to this number all points are kept, whether or not they hide one another. */
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

/* Returns a key of the point's appearance and its cell. */
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

/* Converts gnuplot's forms of a colour: "rgb( 68,  68,  68)", "black", "#FFFFFF". Returns the
 * number of bytes read; 0: no colour. */
static size_t append_colour(struct text *out, const char *value)
{
    if (strncmp(value, "black", 5) == 0) {
        text_append(out, "#000000");
        return 5;
    }
    if (strncmp(value, "#FFFFFF", 7) == 0) {
        text_append(out, "#ffffff");
        return 7;
    }
    if (strncmp(value, "rgb(", 4) != 0)
        return 0;
    long parts[3] = {0};
    char *end = (char *)value + 3;
    for (size_t i = 0; i < 3; i++) {
        if (*end != (i == 0 ? '(' : ','))
            return 0;
        parts[i] = strtol(end + 1, &end, 10);
    }
    if (*end != ')')
        return 0;
    text_printf(out, "#%02x%02x%02x", (unsigned)parts[0] & 255U, (unsigned)parts[1] & 255U,
                (unsigned)parts[2] & 255U);
    return (size_t)(end + 1 - value);
}

/* Replacements made everywhere, besides colours. */
static const struct rule {
    const char *before, *after;
    bool name; /* append the figure's name and '-' */
} rules[] = {
    {" id='", " id='", true},
    {" id=\"", " id=\"", true},
    {"href='#", "href='#", true},
    {"url(#", "url(#", true},
    {"font-family=\"DejaVu Sans:Bold\"",
     "font-family=\"DejaVu Sans, Verdana, sans-serif\" font-weight=\"bold\"", false},
    {"font-family=\"DejaVu Sans", "font-family=\"DejaVu Sans, Verdana, sans-serif", false},
    {"stroke-width='0.178'", "stroke-width='0.35'", false}, /* points: as strong as in the PNG */
    {"<svg ", "<svg role=\"img\"", false},
};

static size_t append_changed(struct text *out, const char *from, const char *name)
{
    if (*from == '=') {
        size_t quote = from[1] == ' ' ? 2 : 1; /* some attributes are written "fill = 'rgb(...)'" */
        if (from[quote] != '"' && from[quote] != '\'')
            return 0;
        text_append_bytes(out, from, quote + 1);
        return quote + 1 + append_colour(out, from + quote + 1);
    }
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        size_t length = strlen(rules[i].before);
        if (strncmp(from, rules[i].before, length) != 0)
            continue;
        text_append(out, rules[i].after);
        if (rules[i].name)
            text_printf(out, "%s-", name);
        return length;
    }
    return 0;
}

static void append_line(struct text *out, const char *line, size_t length, const char *name,
                        const char *title)
{
    static const char general[] = "<title>Gnuplot</title>";
    static const char numbered[] = "<title>gnuplot_plot_";
    const char *end = line + length;
    while (line < end) {
        size_t plain = strcspn(line, "=< fhsu");
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
        } else if (strncmp(line, numbered, sizeof numbered - 1) == 0) {
            line += strcspn(line, "/") + strlen("/title>");
        } else {
            size_t changed = append_changed(out, line, name);
            if (changed == 0)
                text_append_bytes(out, line, 1);
            line += changed > 0 ? changed : 1;
        }
    }
}

/* Points in a row that look alike: two are written as gnuplot wrote them, more as the corners of
 * one path, with the symbol as its marker. A point then takes a dozen bytes instead of ninety. */
enum { RUN_MIN = 3 };
struct run {
    const char *line, *place; /* the first one's */
    size_t count, written;    /* written: paths so far, for their names */
    struct text lines, corners;
};

/* Returns the part of a point's line behind its coordinates. */
static const char *behind(const char *place)
{
    return place + strcspn(place, ")") + 1;
}

static bool looks_alike(const struct run *run, const char *line, const char *place)
{
    const size_t before = (size_t)(place - line);
    const size_t after = strcspn(behind(place), "\n");
    return before == (size_t)(run->place - run->line) && strncmp(line, run->line, before) == 0 &&
           strncmp(behind(place), behind(run->place), after + 1) == 0;
}

static void end_run(struct run *run, const char *name, struct text *out)
{
    static const char move[] = "translate(";
    if (run->count >= RUN_MIN) {
        const char *rest = behind(run->place);
        text_printf(out, "<marker id='%s-m%zu' overflow='visible' markerUnits='userSpaceOnUse'>",
                    name, ++run->written);
        append_line(out, run->line, (size_t)(run->place - run->line) - (sizeof move - 1), name, "");
        append_line(out, rest, strcspn(rest, "\n"), name, "");
        text_printf(
            out,
            "</marker><path fill='none' stroke='none' style='marker:url(#%s-m%zu)' d='M%s'/>\n",
            name, run->written, text_string(&run->corners));
    } else {
        text_append(out, text_string(&run->lines));
    }
    out->failed = out->failed || run->lines.failed || run->corners.failed;
    run->count = 0;
    text_clear(&run->lines);
    text_clear(&run->corners);
}

void svg_tidy(const char *svg, const char *name, const char *title, struct text *out)
{
    struct marks marks = {0};
    struct run run = {0};
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
        if (place) {
            char *end = NULL;
            if (run.count > 0 && !looks_alike(&run, line, place))
                end_run(&run, name, out);
            if (run.count++ == 0) {
                run.line = line;
                run.place = place;
            }
            const double x = strtod(place, &end);
            const double y = *end == ',' ? strtod(end + 1, NULL) : 0;
            text_printf(&run.corners, "%s%.1f %.1f", run.count > 1 ? " " : "", x, y);
            if (run.count < RUN_MIN)
                append_line(&run.lines, line, (size_t)(next_line(line) - line), name, "");
            continue;
        }
        end_run(&run, name, out);
        if (marks.seen && marks.cell > 1 && strncmp(line, "</svg>", 6) == 0)
            text_printf(out,
                        "<text x=\"12\" y=\"18\" font-family=\"DejaVu Sans, Verdana, "
                        "sans-serif\" font-size=\"12\" fill=\"#444444\">%zu of %zu marks are "
                        "drawn: the others lie within %.0f px of one like them</text>\n",
                        marks.kept, marks.count, ceil(marks.cell * 1.4));
        append_line(out, line, (size_t)(next - line), name, title);
    }
    end_run(&run, name, out);
    free(marks.seen);
    text_free(&run.lines);
    text_free(&run.corners);
}
