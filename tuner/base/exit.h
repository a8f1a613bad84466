/* Exit codes of the program; the tables in the documentation and the man page repeat this list. */
#ifndef TUNE_BASE_EXIT_H
#define TUNE_BASE_EXIT_H

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

#endif
