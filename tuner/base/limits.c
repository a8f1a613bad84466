#include "tuner/base/limits.h"

#include "tuner/base/text.h"

struct launch_limits launch_limits(const struct facts *facts)
{
    static const char *const grid[] = {"max_grid_x", "max_grid_y", "max_grid_z"};
    static const char *const block[] = {"max_block_x", "max_block_y", "max_block_z"};
    struct launch_limits limits = {.sm_count = facts_integer(facts, "sm_count", 0)};
    for (size_t i = 0; i < 3; i++) {
        limits.grid[i] = facts_integer(facts, grid[i], 0);
        limits.block[i] = facts_integer(facts, block[i], 0);
    }
    return limits;
}

static bool exceeds(const char *subject, const uint32_t extents[3], const int64_t most[3],
                    const char *unit, char *why, size_t bytes)
{
    for (size_t i = 0; i < 3; i++)
        if (most[i] > 0 && extents[i] > most[i]) {
            (void)string_format(why, bytes, "%s has %u %s in %c, more than %lld", subject,
                                extents[i], unit, "xyz"[i], (long long)most[i]);
            return true;
        }
    return false;
}

bool launch_refused(const struct launch *launch, const struct launch_limits *limits,
                    int32_t active_blocks_per_sm, char *why, size_t bytes)
{
    int64_t blocks = 1;
    if (exceeds("grid", launch->grid, limits->grid, "blocks", why, bytes) ||
        exceeds("block", launch->block, limits->block, "threads", why, bytes))
        return true;
    for (size_t i = 0; i < 3; i++) {
        const uint32_t cluster = launch->cluster[i] > 1 ? launch->cluster[i] : 1;
        blocks *= launch->grid[i];
        if (launch->grid[i] % cluster == 0)
            continue;
        (void)string_format(why, bytes, "a grid of %u blocks cannot be made of clusters of %u",
                            launch->grid[i], cluster);
        return true;
    }
    const int64_t resident = active_blocks_per_sm * limits->sm_count;
    if (!launch->cooperative || resident <= 0 || blocks <= resident)
        return false;
    (void)string_format(why, bytes,
                        "a cooperative grid of %lld blocks, of which %lld are resident at once "
                        "(%d on each of %lld SMs)",
                        (long long)blocks, (long long)resident, (int)active_blocks_per_sm,
                        (long long)limits->sm_count);
    return true;
}
