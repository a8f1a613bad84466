// State of the emulation, for its own sources.
#ifndef TESTS_KERNELS_SIMT_MACHINE_H
#define TESTS_KERNELS_SIMT_MACHINE_H

#include "tests/kernels/simt.h"
#include "tests/kernels/simt_coroutine.h"

#include <memory>
#include <vector>

namespace simt
{

constexpr unsigned int warp_lanes = 32;
constexpr size_t static_shared_bytes = 48 * 1024; // as much as a kernel may declare
constexpr size_t shared_gap_bytes = 32;           // between arrays, to detect writes past an end
constexpr char poison = '\xa5';

enum class state {
    runnable,
    at_barrier,
    at_collective,
    at_cluster_barrier,
    at_bulk_barrier,
    at_launch_before,
    left
};

struct thread {
    coroutine context;
    simt::state state;
    bool in_barrier; // in the cluster's barrier: arrived, but not yet done waiting
    bool arrived;    // at the cluster's barrier, which others have not reached
    int line;        // line of the barrier or collective where it waits
    uint64_t value;  // value given to a collective, then its result
    unsigned int argument;
    unsigned int width;
};

// Lanes that wait for one another; one slot for each mask in use.
struct meeting {
    collective kind;
    int line;
    unsigned int mask;
    unsigned int arrived;
};

struct bulk_barrier {
    unsigned long long *at;
    unsigned int phases; // number of ended phases
    bool busy;           // a copy is under way
};

struct block;

struct cluster {
    std::vector<block *> blocks; // by rank
    unsigned int live;           // threads
    unsigned int arrived;        // threads at its barrier
};

struct grid;

struct block {
    simt::grid *grid;
    std::shared_ptr<simt::cluster> cluster;
    unsigned int index;
    unsigned int live;
    unsigned int waiting;
    unsigned int votes;
    unsigned int result; // result of the last barrier
    bool begun;
    bool slow;           // others mostly go first
    unsigned int copies; // bulk ones under way
    std::vector<simt::thread> threads;
    std::vector<unsigned int> runnable;
    std::vector<std::vector<meeting>> meetings; // by warp
    std::vector<bulk_barrier> bulk_barriers;
    std::vector<char> shared;         // __shared__, while another block runs
    std::unique_ptr<guarded> arrays;  // TUNE_SHARED
    std::unique_ptr<guarded> dynamic; // whole units of 128 bytes
    bool dynamic_is_aligned;          // arrays were taken from the first of these bytes on
    char *stacks;
};

// A TUNE_SHARED array: at the same place in every block of a grid.
struct shared_array_at {
    const void *tag;
    size_t offset;
    size_t bytes;
};

struct grid {
    const simt::launch *launch;
    const std::function<void()> *kernel;
    std::vector<unsigned int> order; // clusters still to start, last first
    unsigned int resident;           // blocks
    std::vector<shared_array_at> arrays;
    size_t arrays_end;
};

struct bulk_copy_under_way {
    simt::block *block;
    char *to;
    const char *from;
    size_t bytes;
    unsigned long long *barrier;
};

struct machine {
    std::vector<grid> grids;                    // one, or two of which the second is dependent
    std::vector<std::unique_ptr<block>> blocks; // resident
    std::vector<bulk_copy_under_way> copies;
    simt::block *current; // whose __shared__ variables are in place
    unsigned int thread;  // index in `current`
    coroutine scheduler;
    uint64_t random;
    uint64_t polls_without_progress; // threads that gave way
    uint64_t steps_without_leaving;  // steps of any thread since the last one left
    bool change_block;
    bool unequal; // in this launch some blocks are slow
    std::string problem;
    std::vector<std::unique_ptr<block>> spare; // blocks with their stacks, for the next launch
};

extern machine now;

uint64_t draw();
unsigned int draw_below(size_t count);
std::string where(const block &block, unsigned int thread);
[[noreturn]] void fail(const std::string &problem); // place of the running thread
void to_scheduler();
void make_runnable(block &block, unsigned int thread);
void wait(state why, int line);

bool has_ended(const grid &grid);
// Ends the state of a thread that leaves.
void leave_cluster(block &block);
void start_shared(block &block);
// Returns "" or the error in the memory of a block whose cluster has left.
std::string end_shared(const block &block);
// Completes one bulk copy in flight. Returns false without any.
bool finish_bulk_copy();

} // namespace simt

#endif
