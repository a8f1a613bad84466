/* What a device is asked and what it answers, as plain data. */
#ifndef TUNE_DEVICE_MEASURES_H
#define TUNE_DEVICE_MEASURES_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/launch.h"

struct calibration {
    double tick_ns;       /* resolution of the timer */
    double empty_pair_ns; /* what is read around nothing; time_block has taken it off */
    /* What each further launch costs in a block at least: the slope over empty launches in a row,
     * the launch itself included. */
    double node_gap_ns;
    int64_t reserved_ns; /* that `open` took for what `reserve` has ahead; 0: nothing can be */
};

/* How a device is brought to its working state. open takes them. A window of 0: not at all, for
 * what only runs, and is not timed (a tool that slows every kernel down would be waited for). */
struct warm_up {
    double window_ms; /* keep busy in windows of this length ... */
    double settled;   /* ... until clock and anchor move less than this share, three in a row */
    double least_ms, most_ms;
    double pause_ms; /* after a pause longer than this, one window more */
};

/* Slots keep what was prepared for a plan (a graph on a GPU), so that many plans can be timed in
 * turn: slot 0 to DEVICE_SLOTS - 1. */
enum { DEVICE_SLOTS = 1024, BLOCK_RUNS_MAX = 512 };

struct block {
    const struct launch_plan *plan; /* bound last */
    uint32_t runs;                  /* 1 .. 512; <= copies where inputs rotate */
    enum l2_mode mode;
    uint32_t slot;
    /* Which copies of the inputs and, on a GPU, which places of small outputs and scratch the runs
     * begin with: blocks of one draw begin alike. */
    uint64_t draw;
    /* Plan, runs and mode are those of the last block of this slot: what was built then may be used
     * again, if the memory that was bound since is where it was. */
    bool prepared;
};

/* What a run of a block left behind. */
struct run_result {
    uint64_t sum; /* stands for the bytes of the outputs asked for */
    uint32_t run; /* of the block: 0 is its first */
    bool varied;  /* its copies of the inputs were among those that `vary` patched */
};

struct energy {
    double window_ns;    /* from one step of the counter to another */
    double energy_j;     /* that the device used in it, whatever for */
    double runs;         /* of the plan in it */
    double resolution_j; /* the counter's step, as seen */
};

/* GB/s, 10^9 bytes per second; 0 where it does not apply. */
enum { WAY_BYTES = 64 };
struct bandwidth {
    double host_to_device_gbs; /* from pinned host memory */
    double device_to_host_gbs; /* to pinned host memory */
    double copy_gbs;           /* within the device: bytes read + bytes written */
    double read_gbs;           /* only reading, over a buffer of many times the cache */
    double write_gbs;          /* only writing */
    int64_t bytes;             /* size of the buffers used */
    /* Which of the ways that were tried was the fastest, for people; "": not said. */
    char copy_way[WAY_BYTES], read_way[WAY_BYTES], write_way[WAY_BYTES];
};

/* 10^9 operations per second, by the numbers they are on: f16, f32, f64, i32 and i64; 0 where there
 * is no such arithmetic. Additions and multiplications, of which a fused one is two. */
struct arithmetic {
    double gops[ELEMENT_TYPE_COUNT];
};

#endif
