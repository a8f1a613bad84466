/* Between remote.c and remote_keeper.c: the parent's side of a host elsewhere. */
#ifndef TUNE_WORKER_REMOTE_H
#define TUNE_WORKER_REMOTE_H

#include <jansson.h>
#include <pthread.h>

#include "tuner/worker/agent.h"
#include "tuner/worker/host.h"
#include "tuner/worker/sources.h"

enum { LINE_BYTES_MOST = 200 }; /* of what a command says */

/* A child there, with our ends of its worker's pipes. */
struct remote_child {
    int64_t number; /* 0: the place is free */
    unsigned connection;
    int from_worker; /* the sender's to close */
    int to_worker;   /* the keeper's, while the child has not ended */
    json_t *request; /* what it was told last */
    bool ended;
    enum child_end end;
    char how[128];
    bool released; /* by the worker */
};

/* A question to the agent that somebody waits for. */
struct call {
    struct call *next;
    int64_t number;
    json_t *answer; /* NULL: none yet */
};

struct remote {
    struct host host; /* the first: one is the other */
    char name[256];
    char *command, *program;
    const volatile sig_atomic_t *stop; /* NULL: none */
    pthread_t keeper, sender;
    pthread_mutex_t mutex; /* of all that follows but what is the keeper's own */
    pthread_cond_t changed;
    enum host_state state;
    unsigned connections; /* how often it has become ready */
    bool closing, sender_ends;
    bool is_deaf;     /* the command takes nothing any more */
    int64_t heard_ns; /* when a frame last came */
    int64_t silence_ended_ns;
    int64_t end_ns; /* of the job there, by clock_running_ns; INT64_MAX: nobody ends it */
    char said[512]; /* the command's last line of standard error, or why it was lost */
    char said_before[LINE_BYTES_MOST +
                     1]; /* the line before that: the last may only be that it ends */
    bool said_goes_on;   /* the line has not ended yet */
    int64_t last_number;
    struct call *calls;
    struct remote_child children[AGENT_CHILDREN_MAX];
    int wake;                /* an eventfd: the sender looks at the children anew */
    pthread_mutex_t sending; /* of `input`, a frame at a time */
    int input;               /* of the command; -1: none */
    /* The keeper's own. */
    pid_t pid;
    int wait_status; /* of the command, once it has ended */
    int output, errors;
    bool was_reached; /* an agent has answered */
    int64_t silent_ns, retry_ms;
    int64_t wait_ms, answers_by_ns; /* INT64_MAX: a job may wait in a queue */
    int64_t stopped_ns;             /* when `stop` was seen; 0: it was not */
};

/* Steals the message, which is for the agent of that connection and for none that came after it; 0:
 * for the one that is not ready yet. STATUS_DEVICE_LOST: it is not there, and the host is lost. */
enum status remote_say(struct remote *remote, unsigned connection, json_t *message,
                       struct error *error);
/* Until something changes, for a moment, or until the deadline; with the mutex. */
void remote_await(struct remote *remote, int64_t deadline_ns);
int64_t remote_deadline(int64_t ms);
/* With the mutex: by number, NULL: none; and gives its place up once nobody uses it any more. */
struct remote_child *remote_child_of(struct remote *remote, int64_t number);
void remote_child_free(struct remote_child *child);
/* The keeper's thread. */
void *remote_keep(void *context);
/* What the keeper does while the command runs: takes in what comes from `output`, and makes the
 * host ready once an agent has said hello. Returns why that ended. */
enum status remote_hear(struct remote *remote, struct error *error);

#endif
