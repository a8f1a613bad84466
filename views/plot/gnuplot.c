#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/process.h"
#include "tuner/base/text.h"
#include "views/plot/internal.h"

enum { SCRIPTS_MAX = 4, TIME_LIMIT_S = 120, WORDS_MAX = 16384 };

/* Returns the most informative line: gnuplot prints the offending line, a caret, and then the
 * reason as '"file" line 3: ...', unless that is a mere warning; else the first line that is not
 * empty. */
static const char *telling_line(struct text *words)
{
    const char *first = NULL;
    char *rest = words->data;
    for (char *line; rest && (line = strsep(&rest, "\n"));) {
        line += strspn(line, " \t\r");
        if (line[0] == '"' && strstr(line, "\" line ") && !strstr(line, " warning: "))
            return line;
        if (!first && line[0])
            first = line;
    }
    return first ? first : "it gave no reason";
}

/* Returns the rest of the line in which style.gp reports a missing feature; NULL: none. */
static char *after_start(const char *words, const char *start)
{
    const char *line = strstr(words, start);
    if (!line || (line > words && line[-1] != '\n'))
        return NULL;
    line += strlen(start);
    return strndup(line, strcspn(line, "\n"));
}

/* Turns gnuplot's output and exit into one status. */
static enum status judge(const char *where, struct text *words, int code, enum status ended,
                         bool *lacks_format, struct error *error)
{
    enum { SIGNALS_FROM = 128 };
    const char *telling = text_string(words);
    char *old = after_start(telling, "tune old: ");
    char *format = after_start(telling, "tune lacks: ");
    enum status status = STATUS_OK;
    *lacks_format = format && !old;
    if (old || format)
        status = error_set(error, STATUS_UNAVAILABLE, "%s", old ? old : format);
    free(old);
    free(format);
    TRY(status);
    if (ended == STATUS_TIMED_OUT)
        return error_set(error, STATUS_TIMED_OUT, "%s: gnuplot took longer than %d s", where,
                         (int)TIME_LIMIT_S);
    if (ended != STATUS_OK)
        return error_prefix(error, "%s", where);
    if (code >= SIGNALS_FROM)
        return error_set(error, STATUS_INTERNAL, "%s: gnuplot was ended by signal %d", where,
                         code - SIGNALS_FROM);
    return code == 0
               ? STATUS_OK
               : error_set(error, STATUS_INTERNAL, "%s: gnuplot: %s", where, telling_line(words));
}

enum status gnuplot_run(const char *where, const char *folder, const char *const *scripts,
                        bool *lacks_format, struct error *error)
{
    const char *arguments[SCRIPTS_MAX + 3] = {"gnuplot",
                                              "-d"}; /* -d: ignores the user's settings */
    struct arena arena = {0};
    struct text words = {0};
    int code = 0;
    for (size_t i = 0; i < SCRIPTS_MAX && scripts[i]; i++)
        arguments[i + 2] = scripts[i];
    const struct process_request request = {.path = program_find(&arena, "gnuplot"),
                                            .argv = arguments,
                                            .folder = folder,
                                            .input = -1,
                                            .timeout_ms = (int64_t)TIME_LIMIT_S * 1000,
                                            .output_max = WORDS_MAX};
    *lacks_format = false;
    enum status status = STATUS_UNAVAILABLE;
    if (request.path) {
        status = process_run(&request, &words, &code, error);
        status = judge(where, &words, code, status, lacks_format, error);
    } else {
        status = error_set(error, STATUS_UNAVAILABLE,
                           "gnuplot is not installed: apt-get install gnuplot-nox, or use --data");
    }
    text_free(&words);
    arena_free(&arena);
    return status;
}
