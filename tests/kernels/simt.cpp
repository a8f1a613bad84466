// Coroutines, the scheduler of blocks and threads, faults.
#include "tests/kernels/simt_machine.h"

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <new>
#include <sys/mman.h>

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

machine now;

namespace
{

sigjmp_buf fault;
volatile sig_atomic_t in_kernel;

// Polling never ends after so many times that a thread gave way while nobody changed a word by an
// atomic operation, came to a barrier or left; or after so many turns in which nobody left.
constexpr uint64_t patience = 4'000'000, last_patience = 1'000'000'000;

} // namespace

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
    return static_cast<unsigned int>((draw() >> 32) * count >> 32);
}

std::string where(const block &block, unsigned int thread)
{
    const char *launch = "";
    if (now.grids.size() > 1)
        launch = block.grid == &now.grids[0] ? "first launch, " : "second launch, ";
    return launch + ("block " + std::to_string(block.index)) + ", thread " + std::to_string(thread);
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

void made_progress()
{
    now.polls_without_progress = 0;
}

bool has_ended(const grid &grid)
{
    return grid.order.empty() && grid.resident == 0;
}

namespace
{

[[noreturn]] void thread_main()
{
    in_kernel = 1;
    (*now.current->grid->kernel)();
    block &block = *now.current;
    block.threads[now.thread].state = state::left;
    block.live--;
    made_progress();
    now.steps_without_leaving = 0;
    leave_cluster(block);
    if (block.live == 0 && block.copies > 0)
        fail("bulk copy: " + where(block, now.thread) +
             " is the last to leave, and a copy into shared memory is under way");
    if (block.waiting > 0)
        fail("barrier divergence: " + where(block, now.thread) +
             " has left while others wait at a barrier");
    for (;;)
        to_scheduler();
}

// ---- the scheduler ----

void take_block(block *next)
{
    if (now.current == next)
        return;
    if (now.current != nullptr) {
        const shared_range &old = now.current->grid->launch->shared;
        std::copy(old.begin, old.end, now.current->shared.begin());
    }
    std::copy(next->shared.begin(), next->shared.end(), next->grid->launch->shared.begin);
    now.current = next;
    block_size = {next->grid->launch->block, 1, 1};
    grid_size = {next->grid->launch->grid, 1, 1};
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

block *start_block(grid &grid, unsigned int index)
{
    const unsigned int threads = grid.launch->block;
    std::unique_ptr<block> started = new_block(threads);
    started->grid = &grid;
    started->index = index;
    started->live = threads;
    started->waiting = started->votes = started->result = started->copies = 0;
    started->begun = false;
    started->slow = now.unequal && draw() % 2 == 0;
    started->runnable.clear();
    started->meetings.assign((threads + warp_lanes - 1) / warp_lanes, {});
    start_shared(*started);
    for (unsigned int i = 0; i < threads; i++) {
        prepare_coroutine(&started->threads[i].context, started->stacks + i * stack_bytes,
                          thread_main);
        started->threads[i].in_barrier = started->threads[i].arrived = false;
        make_runnable(*started, i);
    }
    grid.resident++;
    now.blocks.push_back(std::move(started));
    return now.blocks.back().get();
}

void start_cluster(grid &grid)
{
    const unsigned int blocks = grid.launch->cluster;
    const unsigned int first = grid.order.back() * blocks;
    const auto cluster = std::make_shared<simt::cluster>();
    grid.order.pop_back();
    cluster->live = blocks * grid.launch->block;
    cluster->arrived = 0;
    for (unsigned int rank = 0; rank < blocks; rank++) {
        cluster->blocks.push_back(start_block(grid, first + rank));
        cluster->blocks.back()->cluster = cluster;
    }
    made_progress();
}

// A block with a thread that can run: mostly the one at hand, since changing costs a copy.
block *choose_block()
{
    const bool stay = now.current != nullptr && !now.change_block && draw() % 64 != 0;
    now.change_block = false;
    if (stay && !now.current->runnable.empty() && !now.current->slow)
        return now.current;
    const bool is_slows_turn = !now.unequal || draw() % 8 == 0;
    block *slow = nullptr;
    const size_t first = draw_below(now.blocks.size());
    for (size_t i = 0; i < now.blocks.size(); i++) {
        block *candidate = now.blocks[(first + i) % now.blocks.size()].get();
        if (candidate->runnable.empty())
            continue;
        if (is_slows_turn || !candidate->slow)
            return candidate;
        slow = candidate;
    }
    return slow;
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
    block->begun = true;
    now.steps_without_leaving++;
    switch_coroutine(&now.scheduler, &block->threads[now.thread].context);
}

// A cluster's blocks go together: until then others of it may reach their shared memory.
void retire_blocks()
{
    for (size_t i = 0; i < now.blocks.size();) {
        std::unique_ptr<block> &gone = now.blocks[i];
        if (gone->cluster->live > 0) {
            i++;
            continue;
        }
        if (now.problem.empty())
            now.problem = end_shared(*gone);
        if (now.current == gone.get())
            now.current = nullptr;
        gone->grid->resident--;
        now.spare.push_back(std::move(gone));
        now.blocks[i] = std::move(now.blocks.back());
        now.blocks.pop_back();
    }
}

void let_the_dependent_go()
{
    for (auto &block : now.blocks)
        for (unsigned int i = 0; i < block->grid->launch->block; i++)
            if (block->threads[i].state == state::at_launch_before)
                make_runnable(*block, i);
}

struct waiting_for {
    simt::state state;
    const char *problem;
    const char *place;
};
constexpr waiting_for waits[] = {
    {state::at_collective, "lanes missing: ", "warp collective"},
    {state::at_barrier, "barrier divergence: ", "barrier"},
    {state::at_cluster_barrier, "barrier divergence: ", "barrier of the cluster"},
    {state::at_bulk_barrier, "bulk copy missing: ", "barrier of bulk copies"},
    {state::at_launch_before, "launch before: ", "end of the launch before"},
};

void report_deadlock()
{
    for (const waiting_for &wait : waits)
        for (const auto &block : now.blocks)
            for (unsigned int i = 0; i < block->grid->launch->block; i++) {
                const thread &waiting = block->threads[i];
                if (waiting.state != wait.state)
                    continue;
                now.problem =
                    wait.problem + where(*block, i) + " waits for ever at the " + wait.place;
                if (waiting.line > 0)
                    now.problem += " of line " + std::to_string(waiting.line);
                return;
            }
}

void start_blocks()
{
    for (grid &grid : now.grids)
        while (!grid.order.empty() && (grid.resident == 0 || grid.resident + grid.launch->cluster <=
                                                                 grid.launch->resident))
            start_cluster(grid);
}

void schedule()
{
    while (now.problem.empty()) {
        start_blocks();
        if (now.blocks.empty())
            return;
        if (!now.copies.empty() && draw() % 32 == 0)
            finish_bulk_copy();
        block *next = choose_block();
        if (next == nullptr) {
            if (!finish_bulk_copy())
                report_deadlock();
            continue;
        }
        run_thread(next);
        if (next->live == 0) {
            retire_blocks();
            if (has_ended(now.grids[0]))
                let_the_dependent_go();
        }
        if ((now.polls_without_progress > patience || now.steps_without_leaving > last_patience) &&
            now.problem.empty())
            now.problem =
                "polling without end: " + where(*next, now.thread) + " waits for what nobody does";
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

} // namespace

void give_way()
{
    now.current->runnable.push_back(now.thread);
    now.polls_without_progress++;
    now.change_block = draw() % 2 == 0;
    to_scheduler();
}

void wait_for_launch_before()
{
    if (now.current->grid == &now.grids[0] || has_ended(now.grids[0]))
        give_way();
    else
        wait(state::at_launch_before, 0);
}

namespace
{

void add_grid(const launch &launch, const std::function<void()> &kernel)
{
    grid grid = {&launch, &kernel, {}, 0, {}, 0};
    const unsigned int clusters = launch.grid / launch.cluster;
    if (clusters * launch.cluster != launch.grid)
        now.problem = "a grid of " + std::to_string(launch.grid) + " blocks is not whole clusters";
    grid.order.resize(clusters);
    for (unsigned int i = 0; i < clusters; i++) {
        const unsigned int other = launch.in_order ? i : draw_below(i + 1);
        grid.order[i] = grid.order[other];
        grid.order[other] = launch.in_order ? clusters - 1 - i : i;
    }
    now.grids.push_back(std::move(grid));
}

std::string run_grids()
{
    catch_faults();
    const int signal = sigsetjmp(fault, 1);
    if (signal == 0)
        schedule();
    else
        now.problem = std::string(signal == SIGSEGV || signal == SIGBUS
                                      ? "access outside of an array: "
                                      : "misaligned access or undefined operation: ") +
                      where(*now.current, now.thread);
    in_kernel = 0;
    for (auto &block : now.blocks) {
        block->cluster.reset();
        now.spare.push_back(std::move(block));
    }
    now.blocks.clear();
    return now.problem;
}

void reset(uint64_t seed)
{
    now.random = seed;
    now.unequal = draw() % 2 == 0;
    now.current = nullptr;
    now.polls_without_progress = now.steps_without_leaving = 0;
    now.problem.clear();
    now.blocks.clear();
    now.copies.clear();
    now.grids.clear();
    now.grids.reserve(2); // blocks point to them
}

} // namespace

std::string run(const launch &launch, const std::function<void()> &kernel)
{
    reset(launch.seed);
    add_grid(launch, kernel);
    return run_grids();
}

std::string run_dependent(const launch &first, const std::function<void()> &first_kernel,
                          const launch &second, const std::function<void()> &second_kernel)
{
    reset(first.seed);
    add_grid(first, first_kernel);
    add_grid(second, second_kernel);
    return run_grids();
}

} // namespace simt
