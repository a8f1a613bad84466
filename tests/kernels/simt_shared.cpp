// What a block has for itself: shared memory, its cluster, bulk copies into it.
#include "tests/kernels/simt_machine.h"

#include <algorithm>
#include <cstring>

namespace simt
{

namespace
{

constexpr size_t dynamic_unit = 128;

bool is_poisoned(const char *from, size_t bytes)
{
    return std::all_of(from, from + bytes, [](char byte) { return byte == poison; });
}

bool lies_in(const char *at, size_t bytes, const char *begin, size_t size)
{
    return at >= begin && bytes <= size && at <= begin + (size - bytes);
}

// Whether all of it is shared memory of the block.
bool is_shared(const block &block, const void *from, size_t bytes)
{
    const char *at = static_cast<const char *>(from);
    const char *arrays = block.arrays->as<char>();
    for (const shared_array_at &array : block.grid->arrays)
        if (lies_in(at, bytes, arrays + array.offset, array.bytes))
            return true;
    return block.dynamic != nullptr &&
           lies_in(at, bytes, block.dynamic->as<char>(), block.grid->launch->dynamic_shared);
}

size_t add_array(grid &grid, const void *tag, size_t bytes, size_t alignment)
{
    const size_t offset = (grid.arrays_end + alignment - 1) / alignment * alignment;
    const size_t end = offset + bytes + shared_gap_bytes;
    if (offset + bytes > static_shared_bytes - shared_gap_bytes * (grid.arrays.size() + 1))
        fail("shared memory: more than " + std::to_string(static_shared_bytes) +
             " bytes of arrays, " + where(*now.current, now.thread));
    grid.arrays.push_back({tag, offset, bytes});
    for (auto &block : now.blocks)
        if (block->grid == &grid)
            std::memset(block->arrays->as<char>() + grid.arrays_end, poison, end - grid.arrays_end);
    grid.arrays_end = end;
    return offset;
}

} // namespace

void start_shared(block &block)
{
    const simt::launch &launch = *block.grid->launch;
    const size_t units = (launch.dynamic_shared + dynamic_unit - 1) / dynamic_unit;
    block.shared.assign(static_cast<size_t>(launch.shared.end - launch.shared.begin), poison);
    if (block.arrays == nullptr)
        block.arrays = std::make_unique<guarded>(static_shared_bytes, true);
    std::memset(block.arrays->as<char>(), poison, block.grid->arrays_end);
    block.dynamic = units > 0 ? std::make_unique<guarded>(units * dynamic_unit, true) : nullptr;
    block.dynamic_is_aligned = false;
    block.bulk_barriers.clear();
}

std::string end_shared(const block &block)
{
    const size_t dynamic = block.grid->launch->dynamic_shared;
    const char *arrays = block.arrays->as<char>();
    size_t end = 0;
    bool whole = true;
    for (const shared_array_at &array : block.grid->arrays) {
        whole &= is_poisoned(arrays + end, array.offset - end);
        end = array.offset + array.bytes;
    }
    whole &= is_poisoned(arrays + end, block.grid->arrays_end - end);
    if (block.dynamic_is_aligned)
        whole &= is_poisoned(block.dynamic->as<char>() + dynamic,
                             (dynamic_unit - dynamic % dynamic_unit) % dynamic_unit);
    return whole ? ""
                 : "access outside of an array: of shared memory, block " +
                       std::to_string(block.index);
}

void *shared_array(const void *tag, size_t bytes, size_t alignment)
{
    grid &grid = *now.current->grid;
    char *base = now.current->arrays->as<char>();
    for (const shared_array_at &array : grid.arrays)
        if (array.tag == tag)
            return base + array.offset;
    return base + add_array(grid, tag, bytes, alignment);
}

void *dynamic_shared()
{
    const size_t bytes = now.current->grid->launch->dynamic_shared;
    if (now.current->dynamic == nullptr)
        return nullptr;
    return now.current->dynamic->as<char>() + (dynamic_unit - bytes % dynamic_unit) % dynamic_unit;
}

unsigned char *aligned_dynamic_shared()
{
    now.current->dynamic_is_aligned = now.current->dynamic != nullptr;
    return now.current->dynamic ? now.current->dynamic->as<unsigned char>() : nullptr;
}

// ---- clusters ----

namespace
{

void end_cluster_barrier(cluster &cluster)
{
    if (cluster.arrived == 0 || cluster.arrived < cluster.live)
        return;
    cluster.arrived = 0;
    made_progress();
    for (block *block : cluster.blocks)
        for (unsigned int i = 0; i < block->grid->launch->block; i++) {
            block->threads[i].arrived = false;
            if (block->threads[i].state == state::at_cluster_barrier)
                make_runnable(*block, i);
        }
}

} // namespace

unsigned int cluster_rank()
{
    return now.current->index % now.current->grid->launch->cluster;
}

void cluster_arrive(int line)
{
    block &block = *now.current;
    thread &self = block.threads[now.thread];
    if (self.in_barrier)
        fail("barrier divergence: " + where(block, now.thread) +
             " arrives twice at the barrier of the cluster, line " + std::to_string(line));
    self.in_barrier = self.arrived = true;
    block.cluster->arrived++;
    end_cluster_barrier(*block.cluster);
    give_way();
}

void cluster_wait(int line)
{
    thread &self = now.current->threads[now.thread];
    if (!self.in_barrier)
        fail("barrier divergence: " + where(*now.current, now.thread) +
             " has not arrived at the barrier of the cluster, line " + std::to_string(line));
    if (self.arrived)
        wait(state::at_cluster_barrier, line);
    self.in_barrier = false;
}

void leave_cluster(block &block)
{
    block.cluster->live--;
    end_cluster_barrier(*block.cluster);
}

void *map_in_cluster(const void *at, unsigned int rank)
{
    give_way();
    block &self = *now.current;
    const std::string who = where(self, now.thread);
    if (rank >= self.cluster->blocks.size())
        fail("cluster: " + who + " reaches for block " + std::to_string(rank) +
             " of a cluster of " + std::to_string(self.cluster->blocks.size()));
    const block &other = *self.cluster->blocks[rank];
    const ptrdiff_t offset = static_cast<const char *>(at) - self.arrays->as<char>();
    if (!is_shared(self, at, 1) || offset < 0 || size_t(offset) >= static_shared_bytes)
        fail("cluster: " + who + " maps what is none of its arrays of shared memory");
    if (!other.begun || other.live == 0)
        fail("cluster: " + who + " reaches for the shared memory of block " +
             std::to_string(other.index) + (other.begun ? ", which has left" : ", not begun yet"));
    return other.arrays->as<char>() + offset;
}

// ---- bulk copies ----

namespace
{

// What a barrier's word holds, so that one that is overwritten is seen.
unsigned long long mark_of(const bulk_barrier &barrier)
{
    return 0xba44000000000000u + barrier.phases;
}

[[noreturn]] void fail_bulk(const std::string &problem)
{
    fail("bulk copy: " + where(*now.current, now.thread) + ": " + problem);
}

bulk_barrier &barrier_at(block &block, const unsigned long long *at)
{
    for (bulk_barrier &barrier : block.bulk_barriers)
        if (barrier.at == at) {
            if (*at != mark_of(barrier))
                fail_bulk("the barrier was overwritten");
            return barrier;
        }
    fail_bulk("the barrier is not initialised");
}

void arrive(block &block, unsigned long long *at)
{
    for (bulk_barrier &barrier : block.bulk_barriers) {
        if (barrier.at != at)
            continue;
        barrier.phases++;
        barrier.busy = false;
        *at = mark_of(barrier);
    }
    for (unsigned int i = 0; i < block.grid->launch->block; i++)
        if (block.threads[i].state == state::at_bulk_barrier &&
            block.threads[i].value == reinterpret_cast<uintptr_t>(at))
            make_runnable(block, i);
}

void read_all_of(const char *from, size_t bytes)
{
    constexpr size_t page = 4096;
    for (size_t i = 0; i < bytes; i += page)
        (void)*static_cast<const volatile char *>(from + i);
    (void)*static_cast<const volatile char *>(from + bytes - 1);
}

} // namespace

bool finish_bulk_copy()
{
    if (now.copies.empty())
        return false;
    const size_t which = draw_below(now.copies.size());
    const bulk_copy_under_way copy = now.copies[which];
    now.copies.erase(now.copies.begin() + static_cast<ptrdiff_t>(which));
    std::memcpy(copy.to, copy.from, copy.bytes);
    copy.block->copies--;
    made_progress();
    arrive(*copy.block, copy.barrier);
    return true;
}

void bulk_barrier_init(unsigned long long *barrier)
{
    block &block = *now.current;
    if (!is_shared(block, barrier, sizeof *barrier) ||
        reinterpret_cast<uintptr_t>(barrier) % 8 != 0)
        fail_bulk("a barrier is 8 aligned bytes of shared memory");
    for (const bulk_barrier &other : block.bulk_barriers)
        if (other.at == barrier)
            fail_bulk("the barrier is initialised again");
    block.bulk_barriers.push_back({barrier, 0, false});
    *barrier = mark_of(block.bulk_barriers.back());
}

void bulk_copy(void *to, const void *from, unsigned int bytes, unsigned long long *barrier)
{
    give_way();
    block &block = *now.current;
    const uintptr_t addresses = reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from);
    if (addresses % 16 != 0 || bytes % 16 != 0 || bytes == 0 || bytes >= 1u << 20)
        fail_bulk("both addresses and the size are multiples of 16, the size below 2^20");
    if (!is_shared(block, to, bytes))
        fail_bulk("the destination is outside of an array of shared memory");
    bulk_barrier &there = barrier_at(block, barrier);
    if (there.busy)
        fail_bulk("the barrier's phase has not ended");
    read_all_of(static_cast<const char *>(from), bytes);
    there.busy = true;
    block.copies++;
    std::memset(to, poison, bytes);
    now.copies.push_back(
        {&block, static_cast<char *>(to), static_cast<const char *>(from), bytes, barrier});
    made_progress();
}

void bulk_wait(unsigned long long *barrier, unsigned int phase)
{
    give_way();
    thread &self = now.current->threads[now.thread];
    while (barrier_at(*now.current, barrier).phases % 2 == phase) {
        self.value = reinterpret_cast<uintptr_t>(barrier);
        wait(state::at_bulk_barrier, 0);
    }
}

} // namespace simt
