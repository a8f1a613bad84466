/* Where workers run. A host starts their processes and ends them, and gives what these need there:
 * locks on devices, processors to sit on. There is the local one, and those elsewhere: a command of
 * the user's (ssh, srun) runs an agent there (agent.h), which carries the same frames. What a
 * machine is (struct machine) its workers say themselves, never the parent. Binaries lie in the
 * parent's cache, whichever host compiled them, and come to a host when a worker there asks for
 * one.
 */
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

enum { HOSTS_MAX = 64 }; /* that a command may name */

struct child {
    const struct host *host; /* that it runs on */
    pid_t pid;               /* 0: none; of a host elsewhere the parent's number for it */
    int input;               /* we write here; -1: none */
    int output;              /* we read here; -1: none */
};
static inline struct child child_none(void)
{
    return (struct child){.input = -1, .output = -1};
}

enum child_end {
    CHILD_WAS_RUNNING, /* or nobody asked how it ended */
    CHILD_HAD_ENDED,   /* by an exit, or a signal that a fault in it raises */
    CHILD_WAS_KILLED,  /* SIGKILL or SIGTERM, which no fault raises: by a person, or for memory */
    CHILD_WAS_LOST,    /* with the connection to its host, which may be there again by now */
};

enum host_state {
    HOST_READY,
    HOST_AWAITED, /* its command runs and has not answered yet, or is about to be run again */
    HOST_GONE,    /* for good */
};

/* A lock on a device, for as long as its host can be reached. */
struct host_lock {
    const struct host *host; /* NULL: none is held */
    struct lock *here;
    int64_t number;       /* of a host elsewhere */
    unsigned connections; /* how often that had become ready: the lock is that agent's */
    char warning[256];    /* lock_warning */
};

struct host {
    const char *name; /* for people: "here", or what the machine is called once it has answered */
    /* Runs this very program there with `arguments` (NULL-terminated, [0] the program's name), in a
     * process group of its own, so that Ctrl-C reaches only the parent. Its standard input and
     * output are /dev/null; its standard error too unless TUNE_WORKER_STDERR is set. */
    enum status (*start)(const struct host *host, char *const *arguments, struct child *out,
                         struct error *error);
    /* Kills the child and what it started, and waits for it. *how, if given, gets "signal 11
     * (Segmentation fault)" or "exit code 3": how it had ended before it was killed, or "". A child
     * of a host that was lost meanwhile was killed. */
    enum child_end (*end)(struct child *child, char *how, size_t how_bytes);
    /* As lock_take with lock_note, and as place_devices. */
    enum status (*lock)(const struct host *host, const char *name, const char *note,
                        struct host_lock *out, struct error *error);
    void (*unlock)(struct host_lock *lock);
    enum status (*place)(const struct host *host, const char *const *pci_addresses, size_t count,
                         struct placement *out, struct error *error);
    /* Where binaries for it are kept, on this machine. */
    enum status (*cache_folder)(struct arena *arena, const char **out, struct error *error);
    /* ---- NULL for the local host, which is always ready ---- */
    /* When it was last heard of, by clock_running_ns: it beats once a second, so that a limit of
     * time that passes while nothing is heard is not held against a child. *silence_ended_ns: when
     * it was last heard again after some seconds without; 0: never. */
    int64_t (*heard)(const struct host *host, int64_t *silence_ended_ns);
    /* *connections: how often it has become ready. */
    enum host_state (*state)(const struct host *host, unsigned *connections);
    /* As host_end_ns. */
    int64_t (*end_ns)(const struct host *host);
};
const struct host *host_local(void);

/* By its host; one that is none is left alone. */
enum child_end child_kill(struct child *child, char *how, size_t how_bytes);
/* From outside, which says nothing about what it was doing. */
static inline bool was_killed(enum child_end end)
{
    return end == CHILD_WAS_KILLED || end == CHILD_WAS_LOST;
}

static inline enum host_state host_state(const struct host *host)
{
    unsigned ignored = 0;
    return host->state ? host->state(host, &ignored) : HOST_READY;
}
/* How often it has become ready. */
static inline unsigned host_connections(const struct host *host)
{
    unsigned connections = 0;
    if (host->state)
        (void)host->state(host, &connections);
    return connections;
}
/* Since it had become ready so often; also when it is there again, by which a failure meanwhile is
 * no fault of its devices'. */
static inline bool host_was_lost(const struct host *host, unsigned connections)
{
    unsigned now = 0;
    return host->state && (host->state(host, &now) != HOST_READY || now != connections);
}
/* When the job ends in which it was reached, by clock_running_ns: whoever schedules jobs says so
 * there. INT64_MAX: nobody does. */
int64_t host_end_ns(const struct host *host);
/* How long the job goes on that this process is in, as Slurm says; false: it is in none that ends.
 * The first time may take seconds. */
bool job_time_left(int64_t *left_s);
/* "1-02:03:04" or "03:04", as squeue has it; false: another text, such as "UNLIMITED". */
bool time_left_parse(const char *text, int64_t *left_s);
/* After how much silence a host is given up: TUNE_HOST_SILENT_MS. */
enum status host_silent_ms(int64_t *out, struct error *error);
static inline void host_unlock(struct host_lock *lock)
{
    if (lock->host)
        lock->host->unlock(lock);
}

/* ---- elsewhere (remote.c) ---- */

/* Runs `command` in a shell, with the words `program` and "__host" behind it: what it starts is to
 * be this program's agent. Returns at once; the host is awaited until the agent has said hello. The
 * command ends, or is run again after it was lost, by itself; a first time that fails is the last.
 * Some seconds after `stop` (NULL: none) has become non-zero it is left for good.
 * Freed by host_close. */
enum status host_open(const char *command, const char *program, const volatile sig_atomic_t *stop,
                      struct host **out, struct error *error);
/* Ends what runs there. No worker may be left. NULL is taken. */
void host_close(struct host *host);
/* Returns once the host has become ready more than `connections` times, is gone, or after
 * `timeout_ms`, and when `stop` becomes non-zero; its state then, *connections brought up to date.
 */
enum host_state host_await(const struct host *host, int64_t timeout_ms,
                           const volatile sig_atomic_t *stop, unsigned *connections);
/* Why it is not ready, or what its command last said: "ssh: connect to host box: refused". */
void host_trouble(const struct host *host, char *out, size_t bytes);
/* The command that it was opened with; NULL of the local one. */
const char *host_command(const struct host *host);

#endif
