/* Colour and width on a terminal. What is printed reads the same without: words say it all. */
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

/* Whether stdout is a terminal, TERM is neither "dumb" nor missing, and NO_COLOR is unset or empty.
 */
bool style_coloured(void);
/* Does nothing where no colours are to be. */
void style_begin(enum style style);
void style_end(enum style style);
/* Of a cell of a table: verdicts, what has failed, what is not known. */
enum style style_of(const char *column, const char *text);

/* printf of what others may have written: control characters but newlines become blanks. */
void print_clean(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Columns of the terminal that stdout is; 0: it is none, or they are unknown. */
int style_terminal_columns(void);
/* The same, and where stdout is no terminal: what fits on a page, in a mail, beside code. */
enum { STYLE_PAGE_COLUMNS = 100 };
int style_page_columns(void);
/* From now on a page that is no terminal has no width (0), and all columns of a table are wanted.
 */
void style_unbind(void);
bool style_is_unbound(void);
/* Columns that a UTF-8 text takes: wide characters two, combining ones none. */
int style_text_columns(const char *text);
int style_bytes_columns(const char *text, size_t bytes);
/* Bytes of the text's first line where one has so many columns: up to a blank where there is one,
 * which is not counted; at least one character. */
size_t style_text_line(const char *text, int columns);
/* Writes the words of a text up to a newline, then one; the first begins in column `at`, lines are
 * broken at the width, all but the first indented. Quotes of code (`) become `quote`. */
void style_put_words(FILE *out, const char *text, int at, int indent, int width, char quote);

#endif
