/* What the user sees of a run, on standard error: a bar on a terminal, plain lines elsewhere. */
#ifndef TUNE_CLI_PROGRESS_H
#define TUNE_CLI_PROGRESS_H

#include <pthread.h>

#include "tuner/session/session.h"
#include "views/watch/watch.h"

/* On standard error that is no terminal a thread says how far the run is where nothing else was
 * said for so long. */
enum { PROGRESS_EVERY_S = 10 };

struct progress_view {
    const struct session_options *options; /* of the session that is watched */
    struct watch *watch;                   /* that is told, too; NULL: none */
    bool quiet;                            /* nothing but failures */
    bool terminal;                         /* standard error is one */
    bool bar_shown;
    int64_t begun_ns; /* what a budget counts from */
    int64_t started_ns;
    int64_t drawn_ns, told_ns; /* on the terminal; to the watch */
    double first_share;        /* that was known before the first drawing */
    bool started;
    const char *phase; /* that was drawn last, and since when */
    int64_t phase_started_ns;
    char **choices; /* that were told */
    size_t choice_count, choice_capacity;
    /* Of the thread, with what it is to say; `mutex` is held by who writes a line, too. */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t ending;
    bool has_thread, is_ending;
    char now[256];
    int64_t said_ns;
};

/* `options` and `watch` must outlive the view. Ended by progress_end. */
void progress_begin(struct progress_view *view, bool quiet, const struct session_options *options,
                    struct watch *watch);
/* Takes the bar away and frees what the view holds. */
void progress_end(struct progress_view *view);
/* Events that draw on `view`, which must outlive them. */
struct session_events progress_events(struct progress_view *view);
/* Takes the bar away, so that other lines can be printed. */
void progress_clear(struct progress_view *view);

#endif
