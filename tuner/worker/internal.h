/* The parent's side of a measuring worker, shared by the files of this folder. */
#ifndef TUNE_WORKER_INTERNAL_H
#define TUNE_WORKER_INTERNAL_H

#include <jansson.h>

#include "tuner/worker/host.h"
#include "tuner/worker/message.h"
#include "tuner/worker/worker.h"

enum {
    LOAD_TIMEOUT_MS = 30000,
    LOAD_MAX = 8, /* longest wait for a child on a busy machine, in multiples of the limit */
};

/* A request that every new child must receive before requests that depend on it. */
struct kept {
    json_t *request;     /* NULL: none */
    unsigned generation; /* child that received the request; 0: none */
    int64_t timeout_ms;  /* limit for the answer */
};

/* A child prepared to replace another. */
struct spare {
    struct child child;
    int64_t begun_ns;
    bool is_ready; /* the hello has arrived */
};

struct worker {
    struct worker_head head;
    const struct host *host;
    char kind[16];
    char index[16];
    char *protocol; /* in the format of protocol_format */
    char *cpus;     /* processors for children; "": not pinned */
    struct child child;
    struct spare spares[WORKER_SPARES]; /* oldest first */
    bool has_no_room;                   /* a spare reported that memory is short */
    unsigned generation;                /* number of children started so far */
    struct kept problem;
    struct kept slots[WORKER_SLOTS];
    char how[128];  /* end of the last child, if known */
    int64_t end_ns; /* worker_end_by */
    int64_t had_ns; /* time that the child could use of the last exceeded limit ... */
    bool starved;   /* ... if less than the limit */
    bool absent;    /* no child could be started: the device is gone */
};

void worker_forget(struct kept *kept);
enum status worker_keep(struct kept *kept, const struct measure_request *request,
                        int64_t timeout_ms, struct error *error);

/* Starts a child unless one runs and, if `problem`, sends the problem. STATUS_NOT_FOUND without
 * `absent`: the child runs, but a file of the problem's is missing. STATUS_BAD_INPUT: the child
 * runs without the problem, which has crashed others. */
enum status worker_ensure(struct worker *worker, bool problem, struct error *error);

/* Waits until all spares are ready; ends one that fails and all behind. Returns the number of
 * spares. */
uint32_t worker_await_spares(struct worker *worker);

/* Sends a request and waits for the answer, whose members are set in any case. The child knows the
 * problem if `problem`, and has received `also` unless NULL. Ends a child that cannot go on. */
enum status worker_ask(struct worker *worker, const struct measure_request *request, bool problem,
                       struct kept *also, int64_t timeout_ms, struct measure_answer *answer,
                       struct error *error);

#endif
