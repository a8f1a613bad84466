// Both contenders on all problems, in rounds.
#ifndef TUNE_BENCH_PEERS_ROUNDS
#define TUNE_BENCH_PEERS_ROUNDS

#include "peers.h"
#include "timer.h"

namespace peers
{

// State of the L2 before each block: without the input, after a pass that reads (clean) or
// writes (dirty, as after a program's other kernels) twice its size; or with the input of the
// calls.
enum class cache { clean, dirty, hot };
// How calls are issued: replayed by a graph behind a gate, or one by one on a stream, the host's
// time included.
enum class issue { graph, eager };

struct mode {
    peers::issue issue;
    peers::cache cache;
};
const char *name_of(issue issue); // "graph", "eager"
const char *name_of(cache cache); // "clean", "dirty", "hot"

// Amount of measuring: graphs are made anew for each draw, at other copies and places; the blocks
// of a draw take turns.
struct effort {
    double block_ns; // a block lasts at least so long ...
    unsigned int runs_max;
    int draws, rounds; // rounds of a draw
    unsigned int seed;
};

// Where results and workspaces of one contender on one point lie, several places one behind the
// other: the result, 256 bytes, then the workspace.
struct places {
    char *at;
    size_t stride, count, workspace_bytes;
    size_t result_offset; // from a place's beginning
};

struct point {
    const peers::problem *problem;
    size_t n;
    peers::mode mode;
    result expected;
    size_t bytes, stride; // bytes and stride of the input and of its copies
    size_t copies;
    unsigned int runs; // a block
    places tune, rival;
    std::vector<double> tune_ns, rival_ns; // a run, of each round
    std::vector<double> log_ratios;        // rival / tune: of each draw the mean over its rounds
    choice chosen;
};

struct input {
    char *at;
    size_t bytes;
};

// Measures all points of the problems that share a fill, `sizes` ascending.
std::vector<point> measure(timer &timer, const input &input,
                           const std::vector<const problem *> &problems,
                           const std::vector<size_t> &sizes, const std::vector<mode> &modes,
                           const effort &effort);

} // namespace peers

#endif
