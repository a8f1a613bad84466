// kernels/work_queue/work_queue.cu on the emulation. Without arguments every point must pass; with
// --faults every point must be found wrong: each is compiled from a copy with one fault planted.
#include "tests/kernels/work_queue_points.h"

#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <sys/mman.h>

using work_queue_points::point;

std::vector<point> &work_queue_points::all()
{
    static std::vector<point> points;
    return points;
}

namespace
{

constexpr const char *variant_names[] = {"static_thread", "static_block", "grid_stride",
                                         "queue_block", "queue_warp"};
constexpr uint32_t untouched = 0xa5a5a5a5u;

uint64_t hash(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

bool is_dear(int skewed, uint64_t item, uint64_t n)
{
    const uint64_t clusters = skewed == 2 ? 8 : 64;
    const uint64_t region = item / (256 * clusters);
    const uint32_t dear = static_cast<uint32_t>((region + 1) * 0x9e3779b1u) / (1u << 26);
    return item < n / 4 && item / 256 % clusters == dear % clusters;
}

uint32_t expected(const point &point, uint32_t seed, uint64_t item, uint64_t n)
{
    const uint32_t dear_steps = point.skewed == 2 ? 1024 : 8192;
    const uint32_t steps = point.skewed == 0 ? 40 : is_dear(point.skewed, item, n) ? dear_steps : 8;
    uint32_t x = seed;
    for (uint32_t step = 0; step < steps; step++)
        x = (x ^ (x >> 15)) * 0x2c1b3c6du + 0x9e3779b9u;
    return x;
}

std::string at(const point &point, int which, size_t n, unsigned int grid, const std::string &wrong)
{
    if (wrong.empty())
        return "";
    return std::string(variant_names[which]) + " of " + point.name + " (block " +
           std::to_string(point.block) + ", chunk " + std::to_string(point.chunk) + ", skewed " +
           std::to_string(point.skewed) + "), n " + std::to_string(n) + ", grid " +
           std::to_string(grid) + ": " + wrong;
}

// Items on memory that nothing but the kernel's arguments may touch, and what they should come to.
struct problem {
    const work_queue_points::point &point;
    simt::guarded seeds, out, next, ticket;
    std::vector<uint32_t> wanted;

    problem(const work_queue_points::point &of, size_t n, bool at_end, size_t skipped)
        : point(of), seeds(n * 4, at_end, skipped * 4), out(n * 4, at_end, skipped * 4),
          next(8, true), ticket(4, true)
    {
        *next.as<unsigned long long>() = 0;
        *ticket.as<unsigned int>() = 0;
        for (size_t i = 0; i < n; i++) {
            seeds.as<uint32_t>()[i] = static_cast<uint32_t>(hash(n, i));
            wanted.push_back(expected(of, seeds.as<uint32_t>()[i], i, n));
        }
    }

    std::string check_once(int which, unsigned int grid, uint64_t seed) const
    {
        const size_t n = wanted.size();
        std::memset(out.as<void>(), 0xa5, n * 4);
        const unsigned int resident = 1 + static_cast<unsigned int>(hash(seed, 0) % 5);
        const std::string wrong = simt::run({grid, point.block, point.shared, seed, resident}, [&] {
            point.run[which](seeds.as<uint32_t>(), out.as<uint32_t>(),
                             next.as<unsigned long long>(), ticket.as<unsigned int>(),
                             static_cast<long long>(n));
        });
        if (!wrong.empty())
            return wrong;
        for (size_t i = 0; i < n; i++)
            if (out.as<uint32_t>()[i] != wanted[i])
                return "item " + std::to_string(i) +
                       (out.as<uint32_t>()[i] == untouched ? " is not done" : " is wrong");
        if (*next.as<unsigned long long>() != 0 || *ticket.as<unsigned int>() != 0)
            return "the queue is left at " + std::to_string(*next.as<unsigned long long>()) +
                   ", the ticket at " + std::to_string(*ticket.as<unsigned int>());
        return "";
    }

    // Twice: what the first launch leaves behind must not disturb the second, of another grid.
    std::string check(unsigned int grid, uint64_t seed) const
    {
        for (int which = 0; which < work_queue_points::variants; which++)
            for (unsigned int again = 0; again < 2; again++) {
                const std::string wrong = check_once(which, grid + again, seed + again);
                if (!wrong.empty())
                    return at(point, which, wanted.size(), grid + again,
                              wrong + (again > 0 ? ", at the second launch" : ""));
            }
        return "";
    }
};

// Awkward numbers of items, grids and starts.
std::string right(const point &point, uint64_t seed)
{
    const size_t block = point.block, chunk = block * point.chunk, warp = 32 * point.chunk;
    constexpr unsigned int grids[] = {2, 3, 1, 7, 4};
    size_t turn = 0;
    std::set<size_t> sizes = {0,         1,         2,
                              31,        32,        33,
                              97,        block - 1, block + 1,
                              warp - 1,  warp + 1,  chunk - 1,
                              chunk,     chunk + 1, 3 * chunk - 1,
                              3 * chunk, 1009,      7 * chunk + warp + 5};
    if (point.skewed)
        sizes.insert(40963); // the first dear items
    for (size_t n : sizes) {
        const problem problem(point, n, turn % 2 == 0, turn % 2 == 0 ? 0 : 1);
        const std::string wrong = problem.check(grids[turn % 5], hash(seed, turn));
        if (!wrong.empty())
            return wrong;
        turn++;
    }
    return "";
}

// The queue in many orders: few chunks, so that the last to leave is soon there.
std::string many_orders(const point &point, uint64_t seed)
{
    const problem problem(point, 5 * point.block * point.chunk - 1, true, 0);
    for (uint64_t again = 0; again < 100; again++)
        for (int which : {work_queue_points::queue_block, work_queue_points::queue_warp}) {
            const unsigned int grid = 1 + static_cast<unsigned int>(again % 2);
            const std::string wrong = problem.check_once(which, grid, hash(seed, again));
            if (!wrong.empty())
                return at(point, which, problem.wanted.size(), grid, wrong);
        }
    return "";
}

// 2^32 items and a few, of which most are taken to be done: the queue is handed over near its end.
std::string beyond_32_bits(const point &point)
{
    const size_t n = (size_t(1) << 32) + 1005, bytes = n * 4;
    const int protection = PROT_READ | PROT_WRITE;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *seeds = mmap(nullptr, bytes, protection, flags, -1, 0);
    void *out = mmap(nullptr, bytes, protection, flags, -1, 0);
    std::string wrong;
    for (int which : {work_queue_points::queue_block, work_queue_points::queue_warp}) {
        if (seeds == MAP_FAILED || out == MAP_FAILED || !wrong.empty())
            break;
        const size_t takers = 2 * (which == work_queue_points::queue_warp ? point.block / 32 : 1);
        const size_t items =
            (which == work_queue_points::queue_warp ? 32 : point.block) * point.chunk;
        const size_t todo = 2000 / items + 2;
        unsigned long long next = (n + items - 1) / items - takers - todo;
        unsigned int ticket = 0;
        std::memset(static_cast<uint32_t *>(out) + n - 2000, 0xa5, 2000 * 4);
        wrong = simt::run({2, point.block, point.shared, 1, 2}, [&] {
            point.run[which](static_cast<uint32_t *>(seeds), static_cast<uint32_t *>(out), &next,
                             &ticket, static_cast<long long>(n));
        });
        for (size_t i = n - 2000; i < n && wrong.empty(); i++)
            if (static_cast<uint32_t *>(out)[i] != expected(point, 0, i, n))
                wrong = "item " + std::to_string(i) + " is wrong or not done";
        if (wrong.empty() && next != 0)
            wrong = "the queue is left at " + std::to_string(next);
        wrong = at(point, which, n, 2, wrong);
    }
    if (seeds != MAP_FAILED)
        munmap(seeds, bytes);
    if (out != MAP_FAILED)
        munmap(out, bytes);
    return wrong;
}

std::string check_point(const point &point)
{
    std::string wrong = right(point, 1);
    if (wrong.empty())
        wrong = many_orders(point, 2);
    return wrong.empty() ? beyond_32_bits(point) : wrong;
}

} // namespace

int main(int count, char **arguments)
{
    const bool faults = count > 1 && std::strcmp(arguments[1], "--faults") == 0;
    int failed = 0;
    for (const auto &point : work_queue_points::all()) {
        const std::string wrong = check_point(point);
        const bool as_wanted = wrong.empty() != faults;
        const char *file = std::strrchr(point.source, '/') + 1;
        if (faults)
            std::printf("%-8s %s: %s\n", as_wanted ? "found" : "FAILED", file,
                        as_wanted ? wrong.c_str() : "the planted fault was not found");
        else if (!as_wanted)
            std::printf("FAILED %s\n", wrong.c_str());
        failed += !as_wanted;
    }
    std::printf("%zu points, %d failed\n", work_queue_points::all().size(), failed);
    return failed > 0 || work_queue_points::all().empty();
}
