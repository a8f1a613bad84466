/* Requests to a device and its answers, as plain data. */
#ifndef TUNE_DEVICE_MEASURES_H
#define TUNE_DEVICE_MEASURES_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/launch.h"

struct calibration {
    double tick_ns;       /* resolution of the timer */
    double empty_pair_ns; /* time read between two empty events, which time_block subtracts */
    /* Cost of each further launch in a block at least: the slope over empty launches in a row, the
     * launch itself included. */
    double node_gap_ns;
    int64_t reserved_ns; /* part of `open` that `reserve` does in advance; 0: none */
};

/* Warm-up to the working state, done by open. A window of 0: none, for commands that run kernels
 * without timing (under a tool that slows every kernel down, warming up would not end). */
struct warm_up {
    double window_ms; /* keep busy in windows of this length ... */
    double settled;   /* ... until clock and anchor move less than this share, three in a row */
    double least_ms, most_ms;
    double pause_ms; /* after a pause longer than this, one window more */
};

/* Slots keep prepared plans (a graph on a GPU), so that many plans can be timed in turn: slot 0 to
 * DEVICE_SLOTS - 1. */
enum { DEVICE_SLOTS = 1024, BLOCK_RUNS_MAX = 512 };
/* Launches of a block of ISSUE_STREAM at most: a stream's queue has to hold them behind the gate.
 */
enum { QUEUED_MAX = 256 };

struct block {
    const struct launch_plan *plan; /* bound last */
    uint32_t runs;                  /* 1 .. 512; <= copies where inputs rotate */
    enum l2_mode mode;              /* the cache's state alone */
    enum issue issue;
    uint32_t slot;
    /* Draw of the copies of inputs and, on a GPU, the places of small outputs and scratch with
     * which the runs begin: blocks of one draw begin alike. */
    uint64_t draw;
    /* Plan, runs and mode equal those of the slot's last block, whose graph may be used again if
     * memory bound since has not moved. */
    bool prepared;
};

/* Results of one run of a block. */
struct run_result {
    uint64_t sum; /* hash of the bytes of the requested outputs */
    uint32_t run; /* number in the block, from 0 */
    bool varied;  /* whether the run's copies of inputs were patched by `vary` */
};

struct energy {
    double window_ns;    /* from one step of the counter to another */
    double energy_j;     /* all energy that the device used in the window */
    double runs;         /* runs of the plan in the window */
    double resolution_j; /* the counter's step, as seen */
};

/* GB/s, 10^9 bytes per second; 0: not applicable. */
enum { WAY_BYTES = 64 };
struct bandwidth {
    double host_to_device_gbs; /* from pinned host memory */
    double device_to_host_gbs; /* to pinned host memory */
    double copy_gbs;           /* within the device: bytes read + bytes written */
    double read_gbs;           /* only reading, over a buffer of many times the cache */
    double write_gbs;          /* only writing */
    int64_t bytes;             /* size of the buffers used */
    /* Fastest way that was tried, as text; "": unknown. */
    char copy_way[WAY_BYTES], read_way[WAY_BYTES], write_way[WAY_BYTES];
};

/* 10^9 operations per second, for f16, f32, f64, i32 and i64; 0 where the device lacks such
 * arithmetic. Additions and multiplications; a fused one counts as two. */
struct arithmetic {
    double gops[ELEMENT_TYPE_COUNT];
};

#endif
