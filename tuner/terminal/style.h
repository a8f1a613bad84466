/* Colour and width on a terminal. Output reads the same without colour. */
#ifndef TUNE_TERMINAL_STYLE_H
#define TUNE_TERMINAL_STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum style {
    STYLE_PLAIN,
    STYLE_BOLD,
    STYLE_DIM,
    STYLE_GOOD,
    STYLE_DOUBTFUL,
    STYLE_BAD,
};

/* Returns true if stdout is a terminal, TERM is neither "dumb" nor missing, and NO_COLOR is unset
 * or empty. */
bool style_coloured(void);
/* Begins a style, if there are colours. */
void style_begin(enum style style);
void style_end(enum style style);
/* Returns the style of a table's cell: verdicts, failures, unknown values. */
enum style style_of(const char *column, const char *text);

/* Prints with control characters, except newlines, as blanks, for texts of others. */
void print_clean(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the columns of the terminal at stdout; 0 if there is none, or if unknown. */
int style_terminal_columns(void);
/* Returns the columns of the terminal, or the width of a page, a mail or a listing without one. */
enum { STYLE_PAGE_COLUMNS = 100 };
int style_page_columns(void);
/* Removes the limit of width (0) for pages that are no terminal; tables then have all columns. */
void style_unbind(void);
bool style_is_unbound(void);
/* Columns that a UTF-8 text takes: wide characters two, combining ones none. */
int style_text_columns(const char *text);
int style_bytes_columns(const char *text, size_t bytes);
/* Returns the bytes of the text's first line of so many columns: up to a blank, which is not
 * counted, if there is one; at least one character. A number and its unit stay together. */
size_t style_text_line(const char *text, int columns);
/* Writes the words of a text up to a newline, then one; the first begins in column `at`, lines are
 * broken at the width, all but the first indented. Quotes of code (`) become `quote`. */
void style_put_words(FILE *out, const char *text, int at, int indent, int width, char quote);

#endif
