/* Faults of the stand-ins of driver, NVML and NVRTC on request: TUNE_FAULTS, whose grammar is in
 * tests/faults/README.md, read at the first call of the process. */
#ifndef TUNE_TESTS_FAULTS_SCRIPT_H
#define TUNE_TESTS_FAULTS_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/faults/driver/image.h"

enum { RULES_MAX = 32, DEVICES_MAX = 8, LOST_FOR_GOOD = 1000000 };

/* The subject of a call, at which rules can aim. */
struct subject {
    const char *kernel;        /* NULL: of no kernel */
    const struct image *image; /* its binary; NULL: none */
    uint64_t grid;             /* blocks; 0: no launch */
    uint64_t block;            /* threads */
    uint64_t shared;           /* bytes */
    bool timed;                /* in a graph, as blocks are */
    uint64_t bytes;            /* requested bytes of memory */
};

/* The effect of a matching rule. */
struct fault {
    int code;       /* the error that is returned; 0: none */
    bool sticky;    /* so does each later call of the process */
    bool hang;      /* never returns */
    bool crash;     /* SIGSEGV */
    bool abort;     /* SIGABRT */
    bool nothing;   /* the kernel does not run */
    bool remembers; /* the output is the first one with as many bytes */
    bool wrong;     /* the kernel's output is wrong */
    int exit_code;  /* ends the process; -1: does not */
    int lost;       /* starts for which the device is gone; -1: present */
    int slow_ms;
    const char *until; /* waits for this file; NULL: for none */
    double slower;     /* the kernel takes so many times as long */
    uint64_t hog;      /* bytes of memory that are taken and never given back */
    /* Values of rules about "conditions"; negative: not given. */
    double anchor; /* the anchor takes so many times as long */
    long long throttle;
    double sm_clock_mhz, memory_clock_mhz, temperature_c, power_w;
    long others; /* processes beside ours */
    long ecc;    /* errors counted */
};

/* Returns a fault without effect. */
struct fault script_no_fault(void);
/* Returns NAME|NAME, as in throttle=hw_slowdown|sw_thermal, in NVML's bits. */
unsigned long long script_throttle(const char *names);

/* Returns the value of a setting ("memory=1G"), or `otherwise`. */
const char *script_setting(const char *name, const char *otherwise);
uint64_t script_number(const char *name, uint64_t otherwise);
/* Returns "64M" as bytes. Ends the process with a line if the text is no number. */
uint64_t script_bytes(const char *text);

/* Finds the first rule for this call about one of the subjects, and counts the call. False: no rule
 * wants anything. Numbered versions of a call ("_v2") go by the plain name. */
bool script_match(const char *call, const struct subject *subjects, size_t count,
                  struct fault *out);
/* Performs the fault, except its effects on kernels. Returns its code. */
int script_perform(const struct fault *fault);
/* Finds and performs a fault about no kernel. */
int script_call(const char *call);

/* State in the file TUNE_FAULTS_STATE, so that it outlives the process; without it, in memory. */

/* Counts this process as one more start; fills in the devices that are gone for it. */
void state_start(bool gone[DEVICES_MAX]);
int state_starts(void);
/* Returns true for the first `times` calls about a rule. */
bool state_may_fire(size_t rule, int times);
void state_lose(int device, int starts);
/* Takes the device; false if another process has it exclusively. */
bool state_take_device(int device);
/* Processes that have a context on the host's device: this one now, too; the others'. */
void state_has_context(int device);
size_t state_others_with_context(int device, pid_t *out, size_t most);

/* Device opened by the process, for faults that lose it. */
extern int script_device;

void script_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
