/* The parent's side of a remote host: the keeper, with the functions that remote.c uses. */
#ifndef TUNE_WORKER_REMOTE_H
#define TUNE_WORKER_REMOTE_H

#include <jansson.h>
#include <pthread.h>

#include "tuner/worker/agent.h"
#include "tuner/worker/host.h"
#include "tuner/worker/sources.h"

enum { LINE_BYTES_MAX = 200 }; /* for a command's message */

/* A child on the host, with our end of the pipe to its worker. */
struct remote_child {
    int64_t number; /* 0: the slot is free */
    unsigned connection;
    int to_worker;   /* closed by the keeper, while the child runs */
    json_t *request; /* last request */
    bool ended;
    enum child_end end;
    char how[128];
    bool released; /* released by the worker */
};

/* A call to the agent that a caller awaits. */
struct call {
    struct call *next;
    int64_t number;
    json_t *answer; /* NULL: none yet */
};

struct remote {
    struct host host; /* first member, so that the addresses are equal */
    char name[256];
    char *command, *program;
    const volatile sig_atomic_t *stop; /* NULL: none */
    pthread_t keeper;
    pthread_mutex_t mutex; /* guards all members below except the keeper's */
    pthread_cond_t changed;
    enum host_state state;
    unsigned connections; /* times that the host has become ready */
    bool closing;
    bool is_deaf;        /* the command no longer reads input */
    int64_t received_ns; /* time of the last frame */
    int64_t silence_ended_ns;
    int64_t end_ns;      /* end of the host's job, by clock_running_ns; INT64_MAX: no limit known */
    char last_line[512]; /* last line of the command's standard error, or the reason of the loss */
    char previous_line[LINE_BYTES_MAX +
                       1]; /* the line before, since the last may only report the exit */
    bool line_continues;   /* the line is incomplete so far */
    int64_t last_number;
    struct call *calls;
    struct remote_child children[AGENT_CHILDREN_MAX];
    pthread_mutex_t sending; /* guards `input`, one frame at a time */
    int input;               /* the command's; -1: none */
    /* Members of the keeper alone. */
    pid_t pid;
    int wait_status; /* exit status of the command */
    int output, errors;
    bool was_reached; /* an agent has answered */
    int64_t silent_ns, retry_ms;
    int64_t wait_ms, answers_by_ns; /* INT64_MAX: no limit, since a job may wait in a queue */
    int64_t stopped_ns;             /* when `stop` was seen; 0: not yet */
    int64_t beaten_ns;              /* when the last beat was sent */
};

/* Sends the message and drops it. The message is for this connection's agent and no later one; 0:
 * the one that is not ready yet. STATUS_DEVICE_LOST: the host is lost. */
enum status remote_send(struct remote *remote, unsigned connection, json_t *message,
                        struct error *error);
/* Waits for a change, a moment, or the deadline; called with the mutex locked. */
void remote_await(struct remote *remote, int64_t deadline_ns);
int64_t remote_deadline(int64_t ms);
/* Find a child by number (NULL: none), and free its slot once unused; called with the mutex
 * locked. */
struct remote_child *remote_child_of(struct remote *remote, int64_t number);
void remote_child_free(struct remote_child *child);
/* Runs the keeper's thread. */
void *remote_keep(void *context);
/* Serves the running command: receives frames from `output`, and makes the host ready after the
 * agent's hello. Returns the reason for the end. */
enum status remote_receive(struct remote *remote, struct error *error);

#endif
