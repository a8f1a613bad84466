/* What the user sees of a run, on standard error: a bar on a terminal, plain lines elsewhere. */
#ifndef TUNE_CLI_PROGRESS_H
#define TUNE_CLI_PROGRESS_H

#include "tuner/session/session.h"

struct progress_view {
    bool quiet;    /* nothing but failures */
    bool terminal; /* standard error is one */
    bool bar_shown;
    int64_t started_ns;
    int64_t drawn_ns;
    size_t first_done; /* points known before the first drawing */
    bool started;
};

void progress_begin(struct progress_view *view, bool quiet);
/* Events that draw on `view`, which must outlive them. */
struct session_events progress_events(struct progress_view *view);
/* Takes the bar away, so that other lines can be printed. */
void progress_clear(struct progress_view *view);

#endif
