// Blocks timed as tune times them (docs/measuring.md): a graph behind a gate, after the caches
// were brought into their state; without the empty pair.
#ifndef TUNE_BENCH_PEERS_TIMER
#define TUNE_BENCH_PEERS_TIMER

#include <functional>

#include "peers.h"

namespace peers
{

struct timer {
    cudaStream_t stream;
    cudaEvent_t start, stop;
    unsigned int *open, *seen; // pinned; read and written by the gate
    unsigned int ticket;
    uint4 *clean; // zeros, twice the L2
    size_t clean_words;
    unsigned int *sink;
    int multiprocessors;
    size_t l2_bytes;
    double empty_ns;
};

void open_timer(timer &timer, int device);

// Windows of 50 ms until reading the clean buffer takes the same time, within 0.5 %, in three in a
// row; 0.3 to 3 s. Then the empty pair is timed anew.
void warm_up(timer &timer);

// Reads through a buffer of twice the L2: afterwards no part of the input is in it, and no dirty
// line.
void flush(timer &timer);
// Writes the same buffer: afterwards no part of the input is in the L2, which is full of dirty
// lines.
void flush_dirty(timer &timer);

// Submits `ahead` (the caches' state), closes the gate, submits `work`; opens the gate. Returns
// nanoseconds of the work without the empty pair.
double time_ns(timer &timer, const std::function<void()> &ahead, const std::function<void()> &work);

// Submits `ahead` and waits until it is done, then submits `work`. Returns nanoseconds from the
// first submission to the end of the work, by events on the stream.
double time_eager_ns(timer &timer, const std::function<void()> &ahead,
                     const std::function<void()> &work);

} // namespace peers

#endif
