/* Starting other programs, without a shell. */
#ifndef TUNE_BASE_PROCESS_H
#define TUNE_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/text.h"

/* The file of a program, as a shell finds it: by $PATH, whose empty parts, the current folder, are
 * left out; a name with a slash is the file. NULL: there is none. */
const char *program_find(struct arena *arena, const char *name);

struct process_variable {
    const char *name, *value; /* NULL: it is unset */
};

struct process_start {
    const char *path;        /* the program's file; nothing is searched */
    const char *const *argv; /* ends with NULL */
    const char *folder;      /* that it runs in; NULL: ours */
    /* What its descriptors 0, 1 ... are: descriptors of ours; -1: /dev/null. Those behind are ours,
     * without those that close on exec. */
    const int *files;
    size_t file_count;
    /* In a group or a session of its own it has no signals ignored; in ours it ignores what we were
     * started to ignore. */
    enum { PROCESS_IN_OUR_GROUP, PROCESS_LEADS_GROUP, PROCESS_LEADS_SESSION } place;
    uint64_t file_bytes_max;                  /* to which files may grow; 0: without a limit */
    bool ends_with_us;                        /* killed when the thread that started it ends */
    const struct process_variable *variables; /* of the environment, else ours */
    size_t variable_count;
};
/* A child of ours, which runs the program when this returns. */
enum status process_start(const struct process_start *start, pid_t *child, struct error *error);

/* A child of this very program. It finds its pipes at these descriptors. */
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
    const char *path;        /* the program's file; nothing is searched */
    const char *const *argv; /* ends with NULL */
    const char *folder;      /* that it runs in; NULL: ours */
    int input;               /* a file descriptor to read as standard input; -1: nothing to read */
    int output_file;         /* one that gets standard output in place of `output`; 0: none */
    uint64_t file_bytes_max; /* to which files may grow; 0: without a limit */
    int64_t timeout_ms;      /* then it and its children are killed */
    size_t output_max;       /* bytes of output kept; the rest is read and dropped */
    bool in_english;         /* LC_ALL=C, for messages that are searched for words */
    /* It stays in our process group, so that whoever kills that kills it and its children with us;
     * at the end of its time only the program itself is then killed. Where we lead the group, it
     * and its children end with us however we do. */
    bool in_our_group;
};

/* Runs it to its end. Appends standard output and error to `output`. *code: its exit code, or 128 +
 * the signal that ended it. STATUS_TIMED_OUT when it was killed for time. */
enum status process_run(const struct process_request *request, struct text *output, int *code,
                        struct error *error);

/* A descriptor of ours; -1: none. */
void process_close(int file);

/* Whether a child of ours ends within so long; then *wait_status is as waitpid has it. */
bool process_ends(pid_t child, int64_t most_ns, int *wait_status);
/* How long the threads of a process have run so far, and how long they waited for a processor, of
 * all together. False: the system does not tell. */
struct process_share {
    int64_t ran_ns, waited_ns;
};
bool process_share(pid_t process, struct process_share *out);
/* Kills a child of ours, with its process group when it leads one, and waits until it is gone. */
void process_kill(pid_t child, bool leads_group);

#endif
