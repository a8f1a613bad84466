/* What a session tells its caller, and what the caller asked of it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tuner/session/internal.h"

bool session_stopped(const struct session *session)
{
    return session->options->stop && *session->options->stop;
}

enum status session_stop_error(struct error *error)
{
    return error_set(error, STATUS_INTERRUPTED,
                     "stopped; what was measured is kept: run again to go on");
}

void session_note(const struct session *session, const char *format, ...)
{
    char line[ERROR_TEXT_BYTES];
    va_list arguments;
    if (!session->events->note)
        return;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    session->events->note(session->events->context, line);
}

void session_progress(struct group *group, const char *phase)
{
    struct session *session = group->session;
    session->progress.phase = phase;
    session->progress.measured |= strcmp(phase, "compile") != 0;
    session->progress.problem_key = group->problem_key;
    session->progress.n = group->n;
    session->progress.strategy = group->strategy;
    session->progress.best_ns = group->best_ns;
    session->progress.best_key = group->best_key;
    if (session->events->progress)
        session->events->progress(session->events->context, &session->progress);
}
