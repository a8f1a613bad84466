/* Starting other programs without a shell. */
#ifndef TUNE_BASE_PROCESS_H
#define TUNE_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/text.h"

/* Finds a program's file as a shell does: by $PATH, but without its empty parts (the current
 * folder); a name with a slash is the file. NULL: none. */
const char *program_find(struct arena *arena, const char *name);

struct process_variable {
    const char *name, *value; /* NULL: unset */
};

struct process_start {
    const char *path;        /* file of the program; $PATH is not searched */
    const char *const *argv; /* ends with NULL */
    const char *folder;      /* working folder; NULL: ours */
    /* Descriptors of ours that become descriptors 0, 1 ... of the program; -1: /dev/null. Higher
     * ones are inherited unless they close on exec. */
    const int *files;
    size_t file_count;
    /* A program in a group or session of its own starts with no signal ignored; one in our group
     * keeps those ignored that we were started with. */
    enum { PROCESS_IN_OUR_GROUP, PROCESS_LEADS_GROUP, PROCESS_LEADS_SESSION } place;
    uint64_t file_bytes_max; /* largest size of a written file; 0: no limit */
    bool ends_with_us;       /* killed when the thread that started the program ends */
    const struct process_variable *variables; /* changes to our environment */
    size_t variable_count;
};
/* Starts the program as a child of ours; returns when its exec has succeeded or failed. */
enum status process_start(const struct process_start *start, pid_t *child, struct error *error);

/* Descriptors at which a child of this very program finds the pipes. */
enum { CHILD_INPUT = 3, CHILD_OUTPUT = 4 };
struct process_pipes {
    pid_t pid;
    int input;  /* the end of the child's input that we write to */
    int output; /* the end of the child's output that we read from */
};
/* Starts this program with `arguments` (NULL-terminated, [0] the program's name) in a process group
 * of its own, so that Ctrl-C reaches only the parent. Its standard input and output are /dev/null;
 * its standard error too unless TUNE_WORKER_STDERR is set. The caller closes the pipes. */
enum status process_start_self(char *const *arguments, struct process_pipes *out,
                               struct error *error);

struct process_request {
    const char *path;        /* file of the program; $PATH is not searched */
    const char *const *argv; /* ends with NULL */
    const char *folder;      /* working folder; NULL: ours */
    int input;               /* file descriptor of standard input; -1: none */
    int output_file; /* file descriptor that gets standard output in place of `output`; 0: none */
    uint64_t file_bytes_max; /* largest size of a written file; 0: no limit */
    int64_t timeout_ms;      /* time limit; the program and its children are then killed */
    size_t output_max;       /* bytes of output kept; more is read and dropped */
    bool in_english;         /* LC_ALL=C, for messages that are searched for words */
    /* The program stays in our process group, so that killing the group kills the program and its
     * children with us; at the time limit only the program itself is then killed. If we lead the
     * group, the program and its children end with us for whatever reason we end. */
    bool in_our_group;
};

/* Runs the program to its end. Appends standard output and error to `output`. *code: the exit code,
 * or 128 + the signal that ended the program. STATUS_TIMED_OUT when it was killed at the time
 * limit. */
enum status process_run(const struct process_request *request, struct text *output, int *code,
                        struct error *error);

/* Runs `work` in a forked child of ours alone, which ends when we do, and waits for it at most
 * `most_ns`, then kills the child. Shared memory is the child's only way to report. Returns
 * the signal that ended it, 0 for none, -1 where no child can be started. */
int process_apart(void (*work)(void *context), void *context, int64_t most_ns);
/* Returns memory shared with children, zeroed; NULL: none. Freed by process_unshare. */
void *process_shared(size_t bytes);
void process_unshare(void *memory, size_t bytes);
/* Sums over a process's threads of time running and time waiting for a processor. process_share
 * returns false if the system does not report these. */
struct process_share {
    int64_t ran_ns, waited_ns;
};
bool process_share(pid_t process, struct process_share *out);
/* Closes the child's input, waits at most `most_ns` for its end, kills the rest of its group
 * and closes its output. Returns true if it ended by itself: *wait_status is as from waitpid.
 * Without a child (pid 0) only the pipes are closed. */
bool process_end(struct process_pipes *child, int64_t most_ns, int *wait_status);

#endif
