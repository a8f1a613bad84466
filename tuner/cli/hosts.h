/* --on and --hosts: hosts of the requested devices. */
#ifndef TUNE_CLI_HOSTS_H
#define TUNE_CLI_HOSTS_H

#include <signal.h>

#include "tuner/base/arena.h"
#include "tuner/cli/commands.h"
#include "tuner/device/device.h"
#include "tuner/worker/host.h"

struct host_list {
    struct option_list on;
    const char *file;    /* file of --hosts; NULL: none */
    const char *program; /* program of --remote-tune; NULL: "tune" */
    const struct host *items[HOSTS_MAX];
    size_t count;                      /* 0: this machine, as ever */
    const volatile sig_atomic_t *stop; /* non-zero: end all connections; NULL: never */
    struct arena arena;
};

#define HOST_OPTIONS(hosts_)                                                                       \
    OPTION_LIST(0, "on", "COMMAND", &(hosts_)->on,                                                 \
                "use the devices of the host behind this command: `ssh box`, `srun -p h100 "       \
                "--gpus=4`; here: this host; may be repeated\n"                                    \
                "A shell runs the command with the words `tune __host` after it; the same "        \
                "version of tune must be there. `tune run` shares the work among devices that "    \
                "are alike (docs/fleet.md)."),                                                     \
        OPTION_TEXT("hosts", "FILE", &(hosts_)->file,                                              \
                    "file of such commands, one a line; # begins a comment"),                      \
        OPTION_TEXT("remote-tune", "PATH", &(hosts_)->program,                                     \
                    "the program to run there (default: tune)")

/* Runs the hosts' commands, if any, and checks the options. Closed by hosts_close, also after a
 * failure. */
enum status hosts_open(struct host_list *hosts, struct error *error);
void hosts_close(struct host_list *hosts);

/* Returns once the host is connected or gone, or *stop (NULL: none) is set. After some seconds,
 * standard error tells of the waiting: a job may be queued for hours. */
enum host_state hosts_await_one(const struct host *host, const volatile sig_atomic_t *stop);
/* Sets STATUS_UNAVAILABLE with the reason why the host is gone; `others`: a text about further
 * hosts, or "". */
enum status hosts_gone(const struct host *host, const char *others, struct error *error);
/* Tells whether to repeat a failed request: the host was lost since its `*connections`-th
 * connection (host_connections, updated), and is connected again on return. *error: the host is
 * gone for good. */
bool hosts_ask_again(const struct host *host, const volatile sig_atomic_t *stop,
                     unsigned *connections, struct error *error);
/* Calls worker_count, repeated in this way; the next function worker_describe. */
enum status hosts_count(const struct host *host, const char *kind,
                        const volatile sig_atomic_t *stop, int *count, struct error *error);
enum status hosts_describe(const struct host *host, const char *kind, int index,
                           const volatile sig_atomic_t *stop, struct facts *facts,
                           struct error *error);
/* Waits until a host is connected, and a moment longer for others; connected ones are counted in
 * *ready. STATUS_UNAVAILABLE when none will come; STATUS_INTERRUPTED. */
enum status hosts_await(const struct host_list *hosts, const volatile sig_atomic_t *stop,
                        const struct host *ready[HOSTS_MAX], size_t *count, struct error *error);

#endif
