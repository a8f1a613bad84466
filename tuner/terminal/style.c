#include "tuner/terminal/style.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/text.h"

bool style_coloured(void)
{
    static int known = -1;
    if (known < 0) {
        const char *no_color = getenv("NO_COLOR");
        const char *term = getenv("TERM");
        known = isatty(STDOUT_FILENO) == 1 && !(no_color && no_color[0]) && term && term[0] &&
                strcmp(term, "dumb") != 0;
    }
    return known == 1;
}

void style_begin(enum style style)
{
    static const char *const codes[] = {
        [STYLE_PLAIN] = "",  [STYLE_BOLD] = "1",      [STYLE_DIM] = "2",
        [STYLE_GOOD] = "32", [STYLE_DOUBTFUL] = "33", [STYLE_BAD] = "31"};
    if (style != STYLE_PLAIN && style_coloured())
        printf("\033[%sm", codes[style]);
}

void style_end(enum style style)
{
    if (style != STYLE_PLAIN && style_coloured())
        fputs("\033[0m", stdout);
}

enum style style_of(const char *column, const char *text)
{
    static const struct {
        const char *column, *text;
        enum style style;
    } words[] = {
        {"verdict", "sure", STYLE_GOOD},          {"verdict", "nearly sure", STYLE_DOUBTFUL},
        {"verdict", "not sure", STYLE_BAD},       {"coverage", "hardly seen", STYLE_BAD},
        {"coverage", "mostly failed", STYLE_BAD}, {"standing", "winner", STYLE_BOLD},
        {"standing", "as fast", STYLE_GOOD},      {"role", "winner", STYLE_BOLD},
        {"outcome", "failed", STYLE_BAD},         {"outcome", "interrupted", STYLE_DOUBTFUL},
    };
    if (!text)
        return STYLE_DIM;
    if (strcmp(column, "status") == 0)
        return strcmp(text, "ok") == 0 ? STYLE_PLAIN : STYLE_BAD;
    for (size_t i = 0; i < COUNT(words); i++)
        if (strcmp(words[i].column, column) == 0 && strcmp(words[i].text, text) == 0)
            return words[i].style;
    return STYLE_PLAIN;
}

int style_terminal_columns(void)
{
    struct winsize size;
    if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

static bool is_unbound;

void style_unbind(void)
{
    is_unbound = true;
}

bool style_is_unbound(void)
{
    return is_unbound;
}

int style_page_columns(void)
{
    const int terminal = style_terminal_columns();
    return terminal > 0 || is_unbound ? terminal : STYLE_PAGE_COLUMNS;
}

struct interval {
    unsigned first, last;
};

static bool is_in(unsigned code, const struct interval *intervals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= intervals[i].first && code <= intervals[i].last)
            return true;
    return false;
}

/* Returns the columns of a character, independent of the locale. */
static int columns_of(unsigned code)
{
    static const struct interval combining[] = {
        {0x300, 0x36f},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
        {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
    };
    static const struct interval wide[] = {
        {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xac00, 0xd7a3},
        {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
        {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
    };
    if (code < 0x300)
        return 1;
    if (is_in(code, combining, COUNT(combining)))
        return 0;
    return is_in(code, wide, COUNT(wide)) ? 2 : 1;
}

/* Returns the bytes of the first character; one byte if it is not UTF-8. */
static unsigned first_character(const char *text, unsigned *code)
{
    const size_t bytes = utf8_bytes(text);
    *code = bytes > 0 ? (unsigned)utf8_code(text, bytes) : (unsigned char)text[0];
    return bytes > 0 ? (unsigned)bytes : 1;
}

int style_bytes_columns(const char *text, size_t bytes)
{
    int columns = 0;
    unsigned code = 0;
    for (size_t at = 0; at < bytes && text[at];) {
        at += first_character(text + at, &code);
        columns += columns_of(code);
    }
    return columns;
}

int style_text_columns(const char *text)
{
    return style_bytes_columns(text, strlen(text));
}

/* Returns whether the blank at `blank`, behind a character, stands between a number and its unit,
 * where no line is broken: "56 %", "1.4 us". */
static bool joins_unit(const char *blank)
{
    static const char *const units[] = {"%", "ns", "us", "ms", "s", "GB/s", "kB", "MB", "GB"};
    const size_t length = strcspn(blank + 1, " \n,.;:)");
    for (size_t i = 0; blank[-1] >= '0' && blank[-1] <= '9' && i < COUNT(units); i++)
        if (length == strlen(units[i]) && strncmp(blank + 1, units[i], length) == 0)
            return true;
    return false;
}

size_t style_text_line(const char *text, int columns)
{
    size_t bytes = 0;
    size_t blank = 0;
    unsigned code = 0;
    while (text[bytes]) {
        const unsigned length = first_character(text + bytes, &code);
        columns -= columns_of(code);
        if (text[bytes] == ' ' && bytes > 0 && !joins_unit(text + bytes))
            blank = bytes;
        if (columns < 0 && bytes > 0)
            return blank > 0 ? blank : bytes;
        bytes += length;
    }
    return bytes;
}

void print_clean(FILE *out, const char *format, ...)
{
    char room[2048] = "", *whole = room;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(room, sizeof room, format, arguments);
    va_end(arguments);
    va_start(arguments, format);
    if (length >= (int)sizeof room && vasprintf(&whole, format, arguments) < 0)
        whole = room; /* memory is short: its beginning */
    va_end(arguments);
    char *rest = whole;
    for (char *line; (line = strsep(&rest, "\n"));) {
        text_make_printable(line);
        fputs(line, out);
        if (rest)
            fputc('\n', out);
    }
    if (whole != room)
        free(whole);
}

void style_put_words(FILE *out, const char *text, int at, int indent, int width, char quote)
{
    for (const char *word = text; *word && *word != '\n'; word += strspn(word, " ")) {
        size_t length = strcspn(word, " \n");
        while (length > 0 && word[length] == ' ' && joins_unit(word + length))
            length += 1 + strcspn(word + length + 1, " \n");
        const int columns = style_bytes_columns(word, length);
        const bool fits = at + 1 + columns <= width;
        if (word != text)
            fprintf(out, "%s%*s", fits ? " " : "\n", fits ? 0 : indent, "");
        at = word == text ? at + columns : (fits ? at + 1 : indent) + columns;
        for (size_t i = 0; i < length; i++)
            fputc(word[i] == '`' ? quote : word[i], out);
        word += length;
    }
    fputc('\n', out);
}
