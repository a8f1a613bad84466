#include "tests/kernels/reduce_run.h"

#include "tests/kernels/reduce_data.h"

#include <cstring>

using reduce_points::bytes_of;
using reduce_points::result_of;
using reduce_points::variant;

namespace reduce_run
{

namespace
{

// kernels/reduce/policy.cuh, machine.cuh
constexpr size_t state_words = 8, slot_bytes = 16;

} // namespace

workspace::workspace(size_t of)
    : slots(of * slot_bytes, true), state(state_words * sizeof(unsigned long long), true), parts(of)
{
    std::memset(slots.as<void>(), 0xa5, parts * slot_bytes);
    std::memset(state.as<void>(), 0, state_words * sizeof(unsigned long long));
}

std::string workspace::left() const
{
    for (size_t i = 0; i < state_words; i++)
        if (state.as<unsigned long long>()[i] != 0)
            return "word " + std::to_string(i) + " of the state is left at " +
                   std::to_string(state.as<unsigned long long>()[i]);
    for (size_t i = 0; i < parts; i++)
        if (slots.as<unsigned long long>()[2 * i + 1] == reduce_points::launch_number)
            return "the flag of slot " + std::to_string(i) + " is left";
    return "";
}

unsigned int parts_of(const point &point, unsigned int workers)
{
    if (point.variant == variant::one_block)
        return 1;
    return point.variant == variant::cluster ? (workers + point.more - 1) / point.more : workers;
}

unsigned int grid_of(const point &point, unsigned int workers)
{
    const unsigned int parts = parts_of(point, workers);
    if (point.variant == variant::cluster)
        return (parts == 1 ? 1 : parts + 1) * point.more;
    return point.variant == variant::flagged || point.variant == variant::bulk ? parts + 1 : parts;
}

problem::problem(const reduce_points::point &of, size_t count, unsigned int workers, bool at_end,
                 size_t skipped)
    : point(of), in(count * bytes_of(of.element), at_end, skipped * bytes_of(of.element)),
      out(bytes_of(result_of(of)), true), n(count), parts(parts_of(of, workers)),
      grid(grid_of(of, workers))
{
}

std::string problem::run(const workspace &with, uint64_t seed, const void *from) const
{
    const void *input = from != nullptr ? from : in.as<void>();
    unsigned long long *state = with.state.as<unsigned long long>();
    const long long count = static_cast<long long>(n);
    simt::launch launch = {
        grid, point.block, {}, seed, 1 + unsigned(reduce_data::hash(seed, 0) % 6)};
    if (point.variant == variant::cluster)
        launch.cluster = point.more;
    if (point.variant == variant::bulk)
        launch.dynamic_shared = point.more * point.tile() * bytes_of(point.element);
    launch.in_order = point.variant == variant::flagged || point.variant == variant::flagged_last ||
                      point.variant == variant::cluster || point.variant == variant::bulk;
    std::memset(out.as<void>(), 0xa5, bytes_of(result_of(point)));
    if (reduce_data::hash(seed, 1) % 2 == 0) // else what the launch before left there
        std::memset(with.slots.as<void>(), int(reduce_data::hash(seed, 2) % 256),
                    with.parts * slot_bytes);

    const auto first = [&] {
        point.first(input, out.as<void>(), with.slots.as<void>(), state, count);
    };
    const auto second = [&] {
        point.second(nullptr, out.as<void>(), with.slots.as<void>(), state, grid);
    };
    simt::launch then = {1, point.block, {}, seed + 1, 1};
    if (point.variant == variant::dependent_launches)
        return simt::run_dependent(launch, first, then, second);
    const std::string wrong = simt::run(launch, first);
    if (!wrong.empty() || point.variant != variant::two_launches)
        return wrong;
    return simt::run(then, second);
}

} // namespace reduce_run
