#include "tests/kernels/simt.h"
#include "tests/kernels/simt_coroutine.h"

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <vector>

#if defined(__x86_64__) && !defined(SIMT_UCONTEXT)
// Saves what the calling convention has a callee keep, changes stacks, restores it.
asm(R"(
    .text
    .globl simt_switch
    .type simt_switch, @function
simt_switch:
    endbr64
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size simt_switch, . - simt_switch
)");
#endif

namespace simt
{

index3 thread_index, block_index, block_size, grid_size;

namespace
{

constexpr unsigned int warp_lanes = 32;

// ---- the state of a launch ----

enum class state { runnable, at_barrier, at_collective, left };

struct thread {
    coroutine context;
    simt::state state;
    int line;       // of the barrier or collective it waits at
    uint64_t value; // what it brings to a collective, then what it gets
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

struct block {
    unsigned int index;
    unsigned int live;
    unsigned int waiting;
    unsigned int votes;
    unsigned int result; // of the last barrier
    std::vector<thread> threads;
    std::vector<unsigned int> runnable;
    std::vector<std::vector<meeting>> meetings; // by warp
    std::vector<char> shared;                   // while another block runs
    std::unique_ptr<guarded> dynamic_shared;
    char *stacks;
};

struct machine {
    const simt::launch *launch;
    const std::function<void()> *kernel;
    std::vector<std::unique_ptr<block>> blocks; // resident
    std::vector<unsigned int> order;            // blocks still to start, last first
    block *current;                             // whose shared variables are in place
    unsigned int thread;                        // index in `current`
    coroutine scheduler;
    uint64_t random;
    bool change_block;
    std::string problem;
    std::vector<std::unique_ptr<block>> spare; // with their stacks, for the next launch
};

machine now;
sigjmp_buf fault;
volatile sig_atomic_t in_kernel;

uint64_t draw()
{
    now.random += 0x9e3779b97f4a7c15u;
    uint64_t z = now.random;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

unsigned int draw_below(size_t count)
{
    return static_cast<unsigned int>(draw() % count);
}

std::string where(const block &block, unsigned int thread)
{
    return "block " + std::to_string(block.index) + ", thread " + std::to_string(thread);
}

void to_scheduler()
{
    in_kernel = 0;
    switch_coroutine(&now.current->threads[now.thread].context, &now.scheduler);
    in_kernel = 1;
}

[[noreturn]] void fail(const std::string &problem)
{
    if (now.problem.empty())
        now.problem = problem;
    for (;;)
        to_scheduler();
}

void make_runnable(block &block, unsigned int thread)
{
    block.threads[thread].state = state::runnable;
    block.runnable.push_back(thread);
}

void wait(state why, int line)
{
    block &block = *now.current;
    thread &self = block.threads[now.thread];
    self.state = why;
    self.line = line;
    to_scheduler();
}

[[noreturn]] void thread_main()
{
    in_kernel = 1;
    (*now.kernel)();
    block &block = *now.current;
    block.threads[now.thread].state = state::left;
    block.live--;
    if (block.waiting > 0)
        fail("barrier divergence: " + where(block, now.thread) +
             " has left while others wait at a barrier");
    for (;;)
        to_scheduler();
}

// ---- the scheduler ----

void take_block(block *next)
{
    const shared_range &shared = now.launch->shared;
    const size_t bytes = static_cast<size_t>(shared.end - shared.begin);
    if (now.current == next)
        return;
    if (now.current != nullptr && bytes > 0)
        std::memcpy(now.current->shared.data(), shared.begin, bytes);
    if (bytes > 0)
        std::memcpy(shared.begin, next->shared.data(), bytes);
    now.current = next;
}

std::unique_ptr<block> new_block(unsigned int threads)
{
    if (!now.spare.empty() && now.spare.back()->threads.size() >= threads) {
        std::unique_ptr<block> reused = std::move(now.spare.back());
        now.spare.pop_back();
        return reused;
    }
    auto made = std::make_unique<block>();
    made->threads.resize(1024);
    void *stacks = mmap(nullptr, 1024 * stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED)
        throw std::bad_alloc();
    made->stacks = static_cast<char *>(stacks);
    return made;
}

void start_block()
{
    const simt::launch &launch = *now.launch;
    std::unique_ptr<block> started = new_block(launch.block);
    started->index = now.order.back();
    now.order.pop_back();
    started->live = launch.block;
    started->waiting = started->votes = started->result = 0;
    started->runnable.clear();
    started->meetings.assign((launch.block + warp_lanes - 1) / warp_lanes, {});
    started->shared.assign(static_cast<size_t>(launch.shared.end - launch.shared.begin), '\xa5');
    started->dynamic_shared = launch.dynamic_shared > 0
                                  ? std::make_unique<guarded>(launch.dynamic_shared, true)
                                  : nullptr;
    for (unsigned int i = 0; i < launch.block; i++) {
        prepare_coroutine(&started->threads[i].context, started->stacks + i * stack_bytes,
                          thread_main);
        make_runnable(*started, i);
    }
    now.blocks.push_back(std::move(started));
}

// A block with a thread that can run: mostly the one at hand, since changing costs a copy.
block *choose_block()
{
    const bool stay = now.current != nullptr && !now.change_block && draw() % 64 != 0;
    now.change_block = false;
    if (stay && !now.current->runnable.empty())
        return now.current;
    const size_t first = draw_below(now.blocks.size());
    for (size_t i = 0; i < now.blocks.size(); i++) {
        block *candidate = now.blocks[(first + i) % now.blocks.size()].get();
        if (!candidate->runnable.empty())
            return candidate;
    }
    return nullptr;
}

void run_thread(block *block)
{
    const size_t slot = draw_below(block->runnable.size());
    take_block(block);
    now.thread = block->runnable[slot];
    block->runnable[slot] = block->runnable.back();
    block->runnable.pop_back();
    thread_index = {now.thread, 0, 0};
    block_index = {block->index, 0, 0};
    switch_coroutine(&now.scheduler, &block->threads[now.thread].context);
}

void retire_blocks()
{
    for (size_t i = 0; i < now.blocks.size();) {
        if (now.blocks[i]->live > 0) {
            i++;
            continue;
        }
        if (now.current == now.blocks[i].get())
            now.current = nullptr;
        now.spare.push_back(std::move(now.blocks[i]));
        now.blocks[i] = std::move(now.blocks.back());
        now.blocks.pop_back();
    }
}

void report_deadlock()
{
    for (const auto &block : now.blocks)
        for (unsigned int i = 0; i < now.launch->block; i++) {
            const thread &waiting = block->threads[i];
            if (waiting.state != state::at_barrier && waiting.state != state::at_collective)
                continue;
            const char *what = waiting.state == state::at_barrier ? "barrier" : "warp collective";
            now.problem = std::string(waiting.state == state::at_barrier ? "barrier divergence: "
                                                                         : "lanes missing: ") +
                          where(*block, i) + " waits for ever at the " + what + " of line " +
                          std::to_string(waiting.line);
            return;
        }
}

void schedule()
{
    while (now.problem.empty()) {
        while (now.blocks.size() < now.launch->resident && !now.order.empty())
            start_block();
        if (now.blocks.empty())
            return;
        block *next = choose_block();
        if (next == nullptr) {
            report_deadlock();
            return;
        }
        run_thread(next);
        if (next->live == 0)
            retire_blocks();
    }
}

void on_fault(int signal)
{
    if (!in_kernel) {
        std::signal(signal, SIG_DFL);
        raise(signal);
        return;
    }
    siglongjmp(fault, signal);
}

void catch_faults()
{
    static bool done;
    static char stack[64 * 1024];
    if (done)
        return;
    done = true;
    stack_t alternate = {};
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof stack;
    sigaltstack(&alternate, nullptr);
    struct sigaction action = {};
    action.sa_handler = on_fault;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGTRAP})
        sigaction(signal, &action, nullptr);
}

// ---- warp collectives ----

uint64_t outcome(const meeting &meeting, const block &block, unsigned int base, unsigned int lane)
{
    const thread &self = block.threads[base + lane];
    unsigned int from = lane;
    uint64_t sum = 0;
    switch (meeting.kind) {
    case collective::sync:
        return 0;
    case collective::down:
        from = lane + self.argument;
        break;
    case collective::up:
        from = lane - self.argument;
        break;
    case collective::exclusive_or:
        from = lane ^ self.argument;
        break;
    case collective::index:
        from = self.argument % warp_lanes;
        break;
    case collective::add:
    case collective::ballot:
        for (unsigned int i = 0; i < warp_lanes; i++) {
            if ((meeting.mask >> i & 1) == 0)
                continue;
            const uint64_t value = block.threads[base + i].value;
            sum += meeting.kind == collective::add ? value : (value != 0) * (uint64_t(1) << i);
        }
        return sum;
    }
    if (from >= warp_lanes)
        return self.value; // outside of the warp: the lane's own
    if ((meeting.mask >> from & 1) == 0)
        return 0xa5a5a5a5a5a5a5a5u; // undefined on a GPU
    return block.threads[base + from].value;
}

void conclude(const meeting &meeting, block &block, unsigned int base)
{
    uint64_t results[warp_lanes];
    for (unsigned int lane = 0; lane < warp_lanes; lane++)
        if (meeting.mask >> lane & 1)
            results[lane] = outcome(meeting, block, base, lane);
    for (unsigned int lane = 0; lane < warp_lanes; lane++)
        if (meeting.mask >> lane & 1) {
            block.threads[base + lane].value = results[lane];
            make_runnable(block, base + lane);
        }
}

meeting &join_meeting(block &block, collective kind, int line, unsigned int mask)
{
    for (meeting &there : block.meetings[now.thread / warp_lanes]) {
        if ((there.mask & mask) == 0)
            continue;
        if (there.mask != mask || there.kind != kind || there.line != line)
            fail("lanes disagree: " + where(block, now.thread) + " is at line " +
                 std::to_string(line) + " and others of its warp at line " +
                 std::to_string(there.line));
        return there;
    }
    block.meetings[now.thread / warp_lanes].push_back({kind, line, mask, 0});
    return block.meetings[now.thread / warp_lanes].back();
}

} // namespace

uint64_t warp(collective kind, int line, unsigned int mask, uint64_t value, unsigned int argument,
              unsigned int width)
{
    block &block = *now.current;
    thread &self = block.threads[now.thread];
    const unsigned int lane = now.thread % warp_lanes;
    if (width != warp_lanes)
        fail("shuffles of less than a warp are not modelled");
    if ((mask >> lane & 1) == 0)
        fail(where(block, now.thread) + " is not in its own mask at line " + std::to_string(line));
    meeting &meeting = join_meeting(block, kind, line, mask);
    self.value = value;
    self.argument = argument;
    meeting.arrived |= 1u << lane;
    if (meeting.arrived == mask) {
        const simt::meeting complete = meeting;
        auto &meetings = block.meetings[now.thread / warp_lanes];
        meetings.erase(meetings.begin() + (&meeting - meetings.data()));
        conclude(complete, block, now.thread - lane);
        to_scheduler();
    } else {
        wait(state::at_collective, line);
    }
    return self.value;
}

unsigned int barrier(int line, unsigned int vote)
{
    block &block = *now.current;
    const unsigned int threads = now.launch->block;
    block.votes += vote;
    block.waiting++;
    if (block.live < threads)
        fail("barrier divergence: " + where(block, now.thread) + " is at the barrier of line " +
             std::to_string(line) + " and others have left");
    if (block.waiting < threads) {
        wait(state::at_barrier, line);
        return block.result;
    }
    for (unsigned int i = 0; i < threads; i++) {
        if (i != now.thread && block.threads[i].line != line)
            fail("barrier divergence: " + where(block, now.thread) + " is at line " +
                 std::to_string(line) + ", thread " + std::to_string(i) + " at line " +
                 std::to_string(block.threads[i].line));
    }
    for (unsigned int i = 0; i < threads; i++)
        make_runnable(block, i);
    block.result = block.votes;
    block.waiting = block.votes = 0;
    to_scheduler();
    return block.result;
}

void give_way()
{
    now.current->runnable.push_back(now.thread);
    now.change_block = draw() % 2 == 0;
    to_scheduler();
}

void *dynamic_shared()
{
    return now.current->dynamic_shared ? now.current->dynamic_shared->as<void>() : nullptr;
}

std::string run(const launch &launch, const std::function<void()> &kernel)
{
    catch_faults();
    now.launch = &launch;
    now.kernel = &kernel;
    now.random = launch.seed;
    now.current = nullptr;
    now.problem.clear();
    now.blocks.clear();
    now.order.resize(launch.grid);
    for (unsigned int i = 0; i < launch.grid; i++) {
        const unsigned int other = draw_below(i + 1);
        now.order[i] = now.order[other];
        now.order[other] = i;
    }
    block_size = {launch.block, 1, 1};
    grid_size = {launch.grid, 1, 1};
    const int signal = sigsetjmp(fault, 1);
    if (signal == 0)
        schedule();
    else
        now.problem = std::string(signal == SIGSEGV || signal == SIGBUS
                                      ? "access outside of an array: "
                                      : "misaligned access or undefined operation: ") +
                      where(*now.current, now.thread);
    in_kernel = 0;
    for (auto &block : now.blocks)
        now.spare.push_back(std::move(block));
    now.blocks.clear();
    return now.problem;
}

} // namespace simt
