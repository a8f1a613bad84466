/* Progress of a run on standard error: a bar on a terminal, plain lines elsewhere. */
#ifndef TUNE_CLI_PROGRESS_H
#define TUNE_CLI_PROGRESS_H

#include <pthread.h>

#include "tuner/session/session.h"
#include "views/watch/watch.h"

/* Where standard error is no terminal, a thread prints the progress after this long without another
 * line. */
enum { PROGRESS_EVERY_S = 10 };

struct progress_view {
    const struct session_options *options; /* options of the watched session */
    struct watch *watch;                   /* page that also gets the events; NULL: none */
    bool quiet;                            /* only failures are printed */
    bool terminal;                         /* standard error is one */
    bool bar_shown;
    int64_t begun_ns; /* start of the budget */
    int64_t started_ns;
    int64_t drawn_ns, sent_ns; /* on the terminal; to the watch */
    double first_share;        /* share known before the first drawing */
    double run_share;          /* share of the run shown last */
    bool started;
    const char *phase; /* phase drawn last, since then */
    int64_t phase_started_ns;
    char **choices; /* choices printed so far */
    size_t choice_count, choice_capacity;
    /* The thread, and its line; every writer of a line holds `mutex`. */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t ending;
    bool has_thread, is_ending;
    char now[256];
    int64_t printed_ns;
};

/* Begins a view. `options` and `watch` must outlive the view. Ended by progress_end. */
void progress_begin(struct progress_view *view, bool quiet, const struct session_options *options,
                    struct watch *watch);
/* Removes the bar and frees the view's memory. */
void progress_end(struct progress_view *view);
/* Returns events that draw on `view`, which must outlive the events. */
struct session_events progress_events(struct progress_view *view);

#endif
