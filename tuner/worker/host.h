/* Where workers run. A host starts their processes and ends them, and gives what these need there:
 * locks on devices, processors to sit on, the folder of the binaries. Today there is the local one;
 * another is one more `struct host`, whose `start` runs a command of the user's (srun, ssh) that
 * carries the same frames, and whose `end` closes the child's input and lets that command end
 * itself. What a machine is (struct machine) its workers say themselves, never the parent. */
#ifndef TUNE_WORKER_HOST_H
#define TUNE_WORKER_HOST_H

#include <sys/types.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/lock.h"
#include "tuner/device/place.h"

struct host;

/* The child finds its pipes at these descriptors. */
enum { CHILD_INPUT = 3, CHILD_OUTPUT = 4 };

struct child {
    const struct host *host; /* that it runs on */
    pid_t pid;               /* 0: none */
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
};

struct host {
    const char *name; /* for people */
    /* Runs this very program there with `arguments` (NULL-terminated, [0] the program's name), in a
     * process group of its own, so that Ctrl-C reaches only the parent. Its standard input and
     * output are /dev/null; its standard error too unless TUNE_WORKER_STDERR is set. */
    enum status (*start)(const struct host *host, char *const *arguments, struct child *out,
                         struct error *error);
    /* Kills the child and what it started, and waits for it. *how, if given, gets "signal 11
     * (Segmentation fault)" or "exit code 3": how it had ended before it was killed, or "". */
    enum child_end (*end)(struct child *child, char *how, size_t how_bytes);
    /* As lock_take, place_devices and cache_folder. */
    enum status (*lock)(const char *name, struct lock **out, struct error *error);
    enum status (*place)(const char *const *pci_addresses, size_t count, struct placement *out,
                         struct error *error);
    enum status (*cache_folder)(struct arena *arena, const char **out, struct error *error);
};
const struct host *host_local(void);

/* By its host; one that is none is left alone. */
enum child_end child_kill(struct child *child, char *how, size_t how_bytes);

#endif
