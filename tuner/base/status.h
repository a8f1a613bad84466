/* All kinds of failure, and the exit codes of the program. */
#ifndef TUNE_BASE_STATUS_H
#define TUNE_BASE_STATUS_H

/* Exit codes of the program; the tables in the documentation and the man page repeat this list. */
enum exit_code {
    EXIT_CODE_OK = 0,            /* done; after a run: each problem has a winner */
    EXIT_CODE_FAILED = 1,        /* any other failure */
    EXIT_CODE_USAGE = 2,         /* wrong command line */
    EXIT_CODE_INPUT = 3,         /* a named file, device, kernel or size is wrong or absent */
    EXIT_CODE_UNAVAILABLE = 4,   /* driver, NVRTC, compiler or gnuplot is missing */
    EXIT_CODE_OUTPUT = 5,        /* an output cannot be written: permission, full disk, gone */
    EXIT_CODE_NO_WINNER = 6,     /* the run ended, but a problem has no winner */
    EXIT_CODE_NOT_HELD = 7,      /* tune check: an entry no longer holds, or cannot be checked */
    EXIT_CODE_NOT_CHECKED = 8,   /* tune check: the budget was spent before all were checked */
    EXIT_CODE_INTERRUPTED = 130, /* Ctrl-C; run again to go on */
};

/* X(enumerator, exit code, short text) */
#define STATUS_LIST(X)                                                                             \
    X(STATUS_OK, EXIT_CODE_OK, "ok")                                                               \
    X(STATUS_DONE, EXIT_CODE_OK, "nothing is left to do")                                          \
    X(STATUS_USAGE, EXIT_CODE_USAGE, "wrong use of the command line")                              \
    X(STATUS_BAD_INPUT, EXIT_CODE_INPUT, "a file given to the program is wrong")                   \
    X(STATUS_NOT_FOUND, EXIT_CODE_INPUT, "not found")                                              \
    X(STATUS_PERMISSION, EXIT_CODE_OUTPUT, "no permission")                                        \
    X(STATUS_IO, EXIT_CODE_OUTPUT, "reading or writing failed")                                    \
    X(STATUS_UNAVAILABLE, EXIT_CODE_UNAVAILABLE, "something needed is not on this machine")        \
    X(STATUS_COMPILE_FAILED, EXIT_CODE_FAILED, "the kernel does not compile")                      \
    X(STATUS_KILLED, EXIT_CODE_FAILED, "a program that it needs was killed")                       \
    X(STATUS_LAUNCH_FAILED, EXIT_CODE_FAILED, "the kernel cannot be launched")                     \
    X(STATUS_DEVICE_LOST, EXIT_CODE_FAILED, "the device needs a new process")                      \
    X(STATUS_TIMED_OUT, EXIT_CODE_FAILED, "took longer than its time limit")                       \
    X(STATUS_NO_MEMORY, EXIT_CODE_FAILED, "out of memory")                                         \
    X(STATUS_NO_WINNER, EXIT_CODE_NO_WINNER, "a problem has no winner")                            \
    X(STATUS_NO_TIME, EXIT_CODE_NO_WINNER, "the budget is spent")                                  \
    X(STATUS_NOT_HELD, EXIT_CODE_NOT_HELD, "an entry of tuned.conf does not hold")                 \
    X(STATUS_NOT_CHECKED, EXIT_CODE_NOT_CHECKED, "there was no time to check all of tuned.conf")   \
    X(STATUS_INTERRUPTED, EXIT_CODE_INTERRUPTED, "interrupted")                                    \
    X(STATUS_INTERNAL, EXIT_CODE_FAILED, "a fault in tune itself")

enum status {
#define STATUS_ENUMERATOR(name, code, text) name,
    STATUS_LIST(STATUS_ENUMERATOR)
#undef STATUS_ENUMERATOR
};

/* Returns the status of a call that fails. For callers that have nothing to free. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        enum status try_status = (call);                                                           \
        if (try_status != STATUS_OK)                                                               \
            return try_status;                                                                     \
    } while (0)

/* Returns false when a call returns false. For functions whose error is in their context: a reader,
 * a parser, an evaluation. */
#define TRY_OR_FALSE(call)                                                                         \
    do {                                                                                           \
        if (!(call))                                                                               \
            return false;                                                                          \
    } while (0)

/* Stores the status of a call in the local `status`, and jumps to the label `cleanup` when the call
 * fails. For callers that have something to free. */
#define TRY_OR_CLEANUP(call)                                                                       \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != STATUS_OK)                                                                   \
            goto cleanup;                                                                          \
    } while (0)

/* Return the short text and the exit code. An unknown value counts as STATUS_INTERNAL. */
const char *status_text(enum status status);
int status_exit_code(enum status status);

/* Results of a trial, stored in the database by name (trials.status). */
/* X(enumerator, name, text) */
#define TRIAL_STATUS_LIST(X)                                                                       \
    X(TRIAL_OK, "ok", "verified and timed")                                                        \
    X(TRIAL_COMPILE_FAILED, "compile_failed", "the compiler refused it")                           \
    X(TRIAL_LAUNCH_FAILED, "launch_failed", "the device refused to launch it")                     \
    X(TRIAL_WRONG_RESULT, "wrong_result", "its result differs from the reference")                 \
    X(TRIAL_TIMED_OUT, "timed_out", "it ran past its time limit")                                  \
    X(TRIAL_CRASHED, "crashed", "it ended its process or its device context")                      \
    X(TRIAL_SKIPPED, "skipped_by_constraint", "set aside before it was launched")                  \
    X(TRIAL_UNSTABLE, "unstable", "its timings cannot be trusted")

enum trial_status {
#define TRIAL_STATUS_ENUMERATOR(name, id, text) name,
    TRIAL_STATUS_LIST(TRIAL_STATUS_ENUMERATOR)
#undef TRIAL_STATUS_ENUMERATOR
        TRIAL_STATUS_COUNT
};

const char *trial_status_name(enum trial_status status);
const char *trial_status_text(enum trial_status status);
/* Finds the status; false when no status has that name, and *out is unchanged. */
_Bool trial_status_from_name(const char *name, enum trial_status *out);

#endif
