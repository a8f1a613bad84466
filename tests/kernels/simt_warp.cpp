// Collectives of a warp and the barrier of a block.
#include "tests/kernels/simt_machine.h"

#include <algorithm>

namespace simt
{

namespace
{

uint64_t extreme_of(const meeting &meeting, const block &block, unsigned int base, uint64_t first)
{
    int64_t extreme = static_cast<int64_t>(first);
    for (unsigned int i = 0; i < warp_lanes; i++) {
        const int64_t value = static_cast<int64_t>(block.threads[base + i].value);
        if (meeting.mask >> i & 1)
            extreme = meeting.kind == collective::min ? std::min(extreme, value)
                                                      : std::max(extreme, value);
    }
    return static_cast<uint64_t>(extreme);
}

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
    case collective::min:
    case collective::max:
        return extreme_of(meeting, block, base, self.value);
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
    const unsigned int threads = block.grid->launch->block;
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
    made_progress();
    block.result = block.votes;
    block.waiting = block.votes = 0;
    to_scheduler();
    return block.result;
}

} // namespace simt
