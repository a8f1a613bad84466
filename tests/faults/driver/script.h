/* What the stand-ins of driver, NVML and NVRTC do wrong on request: TUNE_FAULTS, whose grammar is
 * in tests/faults/README.md, read at the first call of the process. */
#ifndef TUNE_TESTS_FAULTS_SCRIPT_H
#define TUNE_TESTS_FAULTS_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/faults/driver/image.h"

enum { RULES_MAX = 32, DEVICES_MAX = 8, LOST_FOR_GOOD = 1000000 };

/* What a call is about: rules can aim at it. */
struct subject {
    const char *kernel;        /* NULL: of no kernel */
    const struct image *image; /* the binary it is of; NULL: none */
    uint64_t grid;             /* blocks; 0: no launch */
    uint64_t block;            /* threads */
    uint64_t shared;           /* bytes */
    bool timed;                /* in a graph, as blocks are */
    uint64_t bytes;            /* of memory that is asked for */
};

/* What a rule does that matched. */
struct fault {
    int code;       /* the error that is returned; 0: none */
    bool sticky;    /* so does each later call of the process */
    bool hang;      /* never returns */
    bool crash;     /* SIGSEGV */
    bool abort;     /* SIGABRT */
    bool nothing;   /* the kernel does not run */
    bool remembers; /* its output is what it first was for as much data */
    bool wrong;     /* the kernel's output is not what it should be */
    int exit_code;  /* ends the process; -1: does not */
    int lost;       /* starts for which the device is gone; -1: it is there */
    int slow_ms;
    const char *until; /* waits for this file; NULL: for none */
    double slower;     /* the kernel takes so many times as long */
    uint64_t hog;      /* bytes of memory that are taken and never given back */
    /* Of rules about "conditions"; negative where the rule does not say. */
    double anchor; /* the anchor takes so many times as long */
    long long throttle;
    double sm_clock_mhz, memory_clock_mhz, temperature_c, power_w;
    long others; /* processes beside ours */
    long ecc;    /* errors counted */
};

/* What a fault is that does nothing. */
struct fault script_no_fault(void);
/* NAME|NAME, as in throttle=hw_slowdown|sw_thermal, in NVML's bits. */
unsigned long long script_throttle(const char *names);

/* The value of a setting ("memory=1G"), or `otherwise`. */
const char *script_setting(const char *name, const char *otherwise);
uint64_t script_number(const char *name, uint64_t otherwise);
/* "64M" as bytes. Ends the process with a line when it is no number. */
uint64_t script_bytes(const char *text);

/* Finds the first rule for this call about one of the subjects, and counts the call. False: no rule
 * wants anything. Numbered versions of a call ("_v2") go by the plain name. */
bool script_match(const char *call, const struct subject *subjects, size_t count,
                  struct fault *out);
/* Does what the fault says, apart from what concerns kernels only. Returns its code. */
int script_perform(const struct fault *fault);
/* Both, about no kernel. */
int script_call(const char *call);

/* Kept in the file TUNE_FAULTS_STATE, so that it outlives the process; without it, in memory. */

/* Counts this process as one more start; tells which devices are gone for it. */
void state_start(bool gone[DEVICES_MAX]);
int state_starts(void);
/* True for the first `times` calls about a rule. */
bool state_may_fire(size_t rule, int times);
void state_lose(int device, int starts);
/* False: another process has the device to itself. */
bool state_take_device(int device);
/* Processes that have a context on the host's device: this one now, too; the others'. */
void state_has_context(int device);
size_t state_others_with_context(int device, pid_t *out, size_t most);

/* The device that the process has opened; for what is lost. */
extern int script_device;

void script_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
