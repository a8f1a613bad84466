// The best bandwidth of the device's memory, in the same process as the contenders.
#ifndef TUNE_BENCH_PEERS_CEILINGS
#define TUNE_BENCH_PEERS_CEILINGS

#include "rounds.h"

namespace peers
{

struct ceiling {
    const char *kind; // "read", "write", "copy"
    std::string way;  // the best of several
    size_t bytes;     // bytes moved
    double ns;        // median over the rounds
};

// Measures over half of `memory` at most, and no more than 8 GiB a pass; a copy moves twice as
// much. All ways take turns in each round. The memory's content is lost.
std::vector<ceiling> measure_ceilings(timer &timer, const input &memory, int rounds);

} // namespace peers

#endif
