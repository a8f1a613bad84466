// kernels/elementwise/elementwise.cu on the emulation. Without arguments every point must pass;
// with
// --faults every point must be found wrong: each is compiled from a copy with one fault planted.
#include "tests/kernels/elementwise_points.h"

#include <cstdio>
#include <cstring>
#include <set>
#include <sys/mman.h>
#include <unistd.h>

using elementwise_points::point;

std::vector<point> &elementwise_points::all()
{
    static std::vector<point> points;
    return points;
}

static uint64_t hash(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Integers of all bits; reals of which some sums are rounded.
static void fill(const point &point, void *to, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = hash(seed, i);
        const double real = static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
        const float narrow = static_cast<float>(real);
        const void *from = &bits;
        if (point.is_real)
            from = point.element_bytes == 4 ? static_cast<const void *>(&narrow) : &real;
        std::memcpy(static_cast<char *>(to) + i * point.element_bytes, from, point.element_bytes);
    }
}

template <typename T> static void add(const void *a, const void *b, size_t i, void *sum)
{
    const T result = static_cast<T>(static_cast<const T *>(a)[i] + static_cast<const T *>(b)[i]);
    std::memcpy(sum, &result, sizeof result);
}

// The bits that element i should have.
static void expected(const point &point, const void *a, const void *b, const void *value, size_t i,
                     void *out)
{
    const size_t bytes = point.element_bytes;
    if (point.inputs < 2)
        std::memcpy(out, point.inputs == 0 ? value : static_cast<const char *>(a) + i * bytes,
                    bytes);
    else if (point.is_real)
        (bytes == 4 ? add<float> : add<double>)(a, b, i, out);
    else
        (bytes == 4 ? add<uint32_t> : add<uint64_t>)(a, b, i, out);
}

static std::string about(const point &point, size_t n, unsigned int grid, const std::string &wrong)
{
    if (wrong.empty())
        return "";
    return std::string(point.name) + " (inputs " + std::to_string(point.inputs) + ", block " +
           std::to_string(point.block) + ", vector " + std::to_string(point.vector) + ", loads " +
           std::to_string(point.loads) + "), n " + std::to_string(n) + ", grid " +
           std::to_string(grid) + ": " + wrong;
}

// Elements that a vector begins behind a page's start; at_end: it ends with a page.
struct start {
    bool at_end;
    size_t a, b, out;
};

// The first thing that is wrong with one launch, or nothing. Around the output there is a band that
// must stay as it is; inputs that are not used must not be touched.
static std::string check(const point &point, size_t n, unsigned int grid, const start &start,
                         uint64_t seed)
{
    constexpr size_t band = 64; // bytes, on the side where no page that faults begins
    const size_t bytes = point.element_bytes;
    const simt::guarded a(point.inputs >= 1 ? n * bytes : 0, start.at_end, start.a * bytes);
    const simt::guarded b(point.inputs == 2 ? n * bytes : 0, start.at_end, start.b * bytes);
    const simt::guarded whole(n * bytes + band, start.at_end, start.out * bytes);
    char *out = whole.as<char>() + (start.at_end ? band : 0);
    const char *beside = start.at_end ? out - band : out + n * bytes;
    uint64_t value[1];
    fill(point, value, 1, seed + 3);
    fill(point, a.as<void>(), point.inputs >= 1 ? n : 0, seed + 1);
    fill(point, b.as<void>(), point.inputs == 2 ? n : 0, seed + 2);
    std::string wrong = simt::run({grid, point.block, {}, seed, 3}, [&] {
        point.run(a.as<void>(), b.as<void>(), out, value, static_cast<long long>(n));
    });
    for (size_t i = 0; wrong.empty() && i < n; i++) {
        char right[8];
        expected(point, a.as<void>(), b.as<void>(), value, i, right);
        if (std::memcmp(out + i * bytes, right, bytes) != 0)
            wrong = "element " + std::to_string(i) + " is wrong";
    }
    for (size_t i = 0; wrong.empty() && i < band; i++)
        if (beside[i] != '\xa5')
            wrong = "something was written outside of the output";
    return about(point, n, grid, wrong);
}

static std::set<size_t> awkward_sizes(const point &point)
{
    const size_t block = point.block, row = block * point.vector, tile = row * point.loads;
    return {0,
            1,
            2,
            3,
            5,
            31,
            32,
            33,
            97,
            point.vector + 1,
            block - 1,
            block,
            block + 1,
            row - 1,
            row,
            row + 1,
            tile - 1,
            tile,
            tile + 1,
            tile + point.vector + 1,
            2 * tile - 1,
            2 * tile + block + 3,
            3 * tile + row / 2 + 1,
            5 * tile + 2,
            7919};
}

static std::string check_sizes(const point &point)
{
    constexpr unsigned int grids[] = {2, 3, 1, 7, 4};
    size_t turn = 0;
    for (size_t n : awkward_sizes(point)) {
        // All together, as the gauntlet moves them, and each to another place.
        for (size_t by = 0; by < point.vector; by++) {
            const start together = {false, by, by, by};
            const start apart = {false, by, 2 * by + 1, 0};
            const start apart_too = {false, 1, 1, by};
            for (const start &start : {together, apart, apart_too}) {
                const std::string wrong = check(point, n, grids[turn % 5], start, hash(1, turn));
                if (!wrong.empty())
                    return wrong;
                turn++;
            }
        }
        const std::string wrong = check(point, n, grids[turn % 5], {true, 0, 0, 0}, hash(1, turn));
        if (!wrong.empty())
            return wrong;
        turn++;
    }
    return "";
}

// Address space that needs little memory: the first and the last `own` bytes have some of their
// own, what lies between shares one piece. As much before it must not be touched.
class shared_between
{
  public:
    static constexpr size_t own = size_t(1) << 21;

    explicit shared_between(size_t bytes) : bytes_((bytes + own - 1) / own * own)
    {
        const int file = memfd_create("between", 0);
        map_ = mmap(nullptr, 2 * bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                    0);
        char *begin = static_cast<char *>(map_) + bytes_;
        bool done = file >= 0 && map_ != MAP_FAILED &&
                    mprotect(begin, bytes_, PROT_READ | PROT_WRITE) == 0 &&
                    ftruncate(file, static_cast<off_t>(piece)) == 0;
        for (size_t at = own; done && at < bytes_ - own; at += piece) {
            const size_t left = bytes_ - own - at;
            done = mmap(begin + at, left < piece ? left : piece, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_FIXED | MAP_POPULATE, file, 0) != MAP_FAILED;
        }
        data = done ? begin + (bytes_ - bytes) : nullptr;
        if (file >= 0)
            close(file);
    }
    ~shared_between()
    {
        if (map_ != MAP_FAILED)
            munmap(map_, 2 * bytes_);
    }
    shared_between(const shared_between &) = delete;
    shared_between &operator=(const shared_between &) = delete;

    char *data = nullptr; // none: no room for it here

  private:
    static constexpr size_t piece = size_t(16) << 20;
    size_t bytes_;
    void *map_;
};

// 2^31 + 5 elements: the first and the last must be right.
static std::string check_beyond_32_bits(const point &point)
{
    const size_t n = (size_t(1) << 31) + 5, bytes = point.element_bytes;
    const size_t ends = shared_between::own / bytes / 2;
    const shared_between out(n * bytes);
    uint64_t value[1];
    if (!out.data || point.inputs != 0)
        return "";
    fill(point, value, 1, 1);
    std::string wrong = simt::run({61, point.block, {}, 1, 3}, [&] {
        point.run(nullptr, nullptr, out.data, value, static_cast<long long>(n));
    });
    for (size_t i = 0; wrong.empty() && i < ends; i++)
        if (std::memcmp(out.data + i * bytes, value, bytes) != 0 ||
            std::memcmp(out.data + (n - 1 - i) * bytes, value, bytes) != 0)
            wrong = "element " + std::to_string(i) + " from the start or the end is wrong";
    return about(point, n, 61, wrong);
}

// Fit for the check that takes seconds: the point that fills, with the most elements for each
// block.
static bool is_fast(const point &point)
{
    for (const auto &other : elementwise_points::all())
        if (other.inputs == 0 &&
            (point.inputs != 0 ||
             other.block * other.vector * other.loads > point.block * point.vector * point.loads))
            return false;
    return point.inputs == 0;
}

int main(int count, char **arguments)
{
    const bool faults = count > 1 && std::strcmp(arguments[1], "--faults") == 0;
    int failed = 0;
    for (const auto &point : elementwise_points::all()) {
        std::string wrong = check_sizes(point);
        if (wrong.empty() && is_fast(point))
            wrong = check_beyond_32_bits(point);
        if (wrong.empty() != faults)
            continue;
        const char *file = std::strrchr(point.source, '/') + 1;
        std::printf("FAILED %s: %s\n", file,
                    faults ? "the planted fault was not found" : wrong.c_str());
        failed++;
    }
    std::printf("%zu points, %d failed\n", elementwise_points::all().size(), failed);
    return failed > 0 || elementwise_points::all().empty();
}
