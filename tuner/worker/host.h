/* Machines on which workers run. A host starts and ends worker processes, and provides locks on
 * devices and processors to pin to. Besides the local host there are remote ones: a command of the
 * user's (ssh, srun) runs an agent there (agent.h), which relays the same frames. Workers, not the
 * parent, describe their machine (struct machine). Binaries lie in the parent's cache, whichever
 * host compiled them, and are sent to a host when a worker there needs one. */
#ifndef TUNE_WORKER_HOST_H
#define TUNE_WORKER_HOST_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/lock.h"
#include "tuner/base/process.h"
#include "tuner/device/place.h"

struct host;
struct json_t;

enum { HOSTS_MAX = 64 }; /* hosts of a command */

struct child {
    const struct host *host; /* host that the child runs on */
    pid_t pid;               /* 0: none; on a remote host the parent's number for the child */
    int input;               /* written by the parent; -1: none, or elsewhere */
    int output;              /* read by the parent; -1: none */
};
static inline struct child child_none(void)
{
    return (struct child){.input = -1, .output = -1};
}

enum child_end {
    CHILD_WAS_RUNNING, /* still running, or cause not requested */
    CHILD_HAD_ENDED,   /* exit, or a signal raised by a fault of the child */
    CHILD_WAS_KILLED,  /* SIGKILL or SIGTERM, which no fault raises: sent by a person, or to free
                          memory */
    CHILD_WAS_LOST,    /* connection to the host lost; the host may be back by now */
};

enum host_state {
    HOST_READY,
    HOST_AWAITED, /* command runs without an answer so far, or is about to be restarted */
    HOST_GONE,    /* lost for good */
};

/* A lock on a device, valid while the host is reachable. */
struct host_lock {
    const struct host *host; /* NULL: no lock */
    struct lock *here;
    int64_t number; /* number of a remote host's lock */
    unsigned
        connections; /* host_connections when the lock was taken: the lock belongs to that agent */
    char warning[256]; /* lock_warning */
};

/* State of the connection to a host; times by clock_running_ns. */
struct host_view {
    enum host_state state;
    unsigned connections; /* times that the host has become ready */
    /* Last sign of life, and end of the last silence of some seconds (0: never): an agent beats
     * once a second, and a limit that passes during silence does not count against a child. */
    int64_t received_ns, silence_ended_ns;
    int64_t end_ns; /* end of the batch job (host_end_ns) */
};

struct host {
    const char *name; /* for display: "here", or the machine's name after the first answer */
    /* Runs this program on the host with `arguments` (NULL-terminated, [0] the program's name), in
     * a process group of its own, so that Ctrl-C reaches only the parent. Its standard input and
     * output are /dev/null; its standard error too unless TUNE_WORKER_STDERR is set. */
    enum status (*start)(const struct host *host, char *const *arguments, struct child *out,
                         struct error *error);
    /* Kills the child with all descendants, and waits for the end. *how, if given, gets "signal 11
     * (Segmentation fault)" or "exit code 3" if the child had ended before, else "". The child of a
     * lost host counts as killed. */
    enum child_end (*end)(struct child *child, char *how, size_t how_bytes);
    /* Sends a message to the child; NULL: through child->input. */
    enum status (*send)(const struct child *child, const struct json_t *message,
                        struct error *error);
    /* Like lock_take with lock_note, and like place_devices. */
    enum status (*lock)(const struct host *host, const char *name, const char *note,
                        struct host_lock *out, struct error *error);
    void (*unlock)(struct host_lock *lock);
    enum status (*place)(const struct host *host, const char *const *pci_addresses, size_t count,
                         struct placement *out, struct error *error);
    /* Returns the present view; NULL for the local host, which is always ready. */
    struct host_view (*view)(const struct host *host);
};
const struct host *host_local(void);

/* Ends the child through the host; a child without a host is ignored. */
enum child_end child_kill(struct child *child, char *how, size_t how_bytes);
/* Returns whether the child was ended from outside, which proves no fault. */
static inline bool was_killed(enum child_end end)
{
    return end == CHILD_WAS_KILLED || end == CHILD_WAS_LOST;
}

static inline struct host_view host_view(const struct host *host)
{
    return host->view ? host->view(host) : (struct host_view){.state = HOST_READY};
}
static inline enum host_state host_state(const struct host *host)
{
    return host_view(host).state;
}
/* Returns the number of times that the host has become ready. */
static inline unsigned host_connections(const struct host *host)
{
    return host_view(host).connections;
}
/* Returns whether the host was lost since it became ready the `connections`-th time, even if back
 * by now; a failure meanwhile is no fault of the devices. */
static inline bool host_was_lost(const struct host *host, unsigned connections)
{
    const struct host_view now = host_view(host);
    return now.state != HOST_READY || now.connections != connections;
}
/* Returns when the host's batch job ends, by clock_running_ns, as the scheduler reports; INT64_MAX:
 * no limit known. */
int64_t host_end_ns(const struct host *host);
/* Returns the remaining time of this process's Slurm job; false without a limit. The first call may
 * take seconds. */
bool job_time_left(int64_t *left_s);
/* Parses squeue's "1-02:03:04" or "03:04"; false for any other text, such as "UNLIMITED". */
bool time_left_parse(const char *text, int64_t *left_s);
/* Reads TUNE_HOST_SILENT_MS, the silence after which a host is given up. */
enum status host_silent_ms(int64_t *out, struct error *error);
static inline void host_unlock(struct host_lock *lock)
{
    if (lock->host)
        lock->host->unlock(lock);
}

/* ---- remote hosts (remote.c) ---- */

/* Runs `command` in a shell, followed by the words `program` and "__host", to start this program's
 * agent. Returns at once; the host is awaited until the agent's hello. A command that fails the
 * first time is not repeated; one that is lost later is restarted. Some seconds after `stop` (NULL:
 * none) becomes non-zero the command is given up. Freed by host_close. */
enum status host_open(const char *command, const char *program, const volatile sig_atomic_t *stop,
                      struct host **out, struct error *error);
/* Ends all processes there; all workers must be closed before. NULL is allowed. */
void host_close(struct host *host);
/* Waits until the host has become ready more than `connections` times or is gone, until
 * `timeout_ms` have passed, or `stop` is non-zero. Returns the host's state and updates
 * *connections. */
enum host_state host_await(const struct host *host, int64_t timeout_ms,
                           const volatile sig_atomic_t *stop, unsigned *connections);
/* Writes why the host is not ready, or the command's last output: "ssh: connect to host box:
 * refused". */
void host_trouble(const struct host *host, char *out, size_t bytes);
/* Returns the command that the host was opened with; NULL for the local one. */
const char *host_command(const struct host *host);

#endif
