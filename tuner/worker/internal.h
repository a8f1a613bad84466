/* The parent's side of a measuring worker, between the files of this folder. */
#ifndef TUNE_WORKER_INTERNAL_H
#define TUNE_WORKER_INTERNAL_H

#include <jansson.h>

#include "tuner/worker/host.h"
#include "tuner/worker/message.h"
#include "tuner/worker/worker.h"

enum {
    LOAD_TIMEOUT_MS = 30000,
    LOAD_MOST = 8, /* times its limit a child is waited for that a busy machine holds up */
};

/* A request that every child must have had before it can go on with what rests on it. */
struct kept {
    json_t *request;     /* NULL: none */
    unsigned generation; /* of the child that has it; 0: none has */
    int64_t timeout_ms;  /* for the answer */
};

/* A child that waits to take the place of another. */
struct spare {
    struct child child;
    bool is_ready; /* it has said so */
};

struct worker {
    const struct host *host;
    struct machine machine; /* that the first child told of */
    char kind[16];
    char index[16];
    char *protocol; /* as text */
    char *cpus;     /* where children are pinned; "": nowhere */
    struct child child;
    struct spare spares[WORKER_SPARES]; /* the oldest first */
    size_t spare_count;
    bool has_no_room;     /* for spares: one has said so */
    unsigned generation;  /* of the child: how many were started */
    int64_t reference_ns; /* of the problem told last */
    struct facts facts;
    struct calibration calibration;
    struct kept problem;
    struct kept slots[WORKER_SLOTS];
    char how[128];      /* the last child ended, where that was noticed */
    int64_t end_ns;     /* worker_end_by */
    int64_t had_ns;     /* of its last limit that was over: what it could use of the time ... */
    bool starved;       /* ... which was less than the limit */
    bool absent;        /* no child could be started: the device does not come back */
    bool host_was_lost; /* and that is why */
    int restarts;
    char remark[ERROR_TEXT_BYTES]; /* worker_remark */
};

void worker_forget(struct kept *kept);
enum status worker_keep(struct kept *kept, const struct measure_request *request,
                        int64_t timeout_ms, struct error *error);

/* A child that is there, and knows the problem when `problem`; a new one where the old one died.
 * STATUS_NOT_FOUND without `absent`: it is there, and a file of the problem's is not.
 * STATUS_BAD_INPUT: it is there, and does not know the problem, at which others broke. */
enum status worker_ensure(struct worker *worker, bool problem, struct error *error);

/* Until all spares are ready; one that does not come to be, and those behind it, are ended. How
 * many there are. */
uint32_t worker_await_spares(struct worker *worker);

/* Sends a request and waits for its answer, which is the caller's also when this fails: *answered
 * tells whether the child said something, and what it said of the rest is in *answer. The child is
 * one that knows the problem when `problem`, and has been told `also` unless that is NULL. Does
 * away with a child that cannot go on. */
enum status worker_ask(struct worker *worker, const struct measure_request *request, bool problem,
                       struct kept *also, int64_t timeout_ms, struct measure_answer *answer,
                       bool *answered, struct error *error);

#endif
