// Measures why an order-keeping reduction is slower than a free one, part by part: the kernels of
// both, whole and without the steps after the blocks' own parts; with a product of matrices and
// with one addition a word; and one whose lanes exchange nothing.
//   ordered_limits [--csv FILE] [--device N]
// Caches cold, blocks timed as reduce_peers does, all in turns of the same rounds.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>

#include "kernels/reduce/reduce.cuh"
#include "kernels/reduce_ordered/reduce_ordered.cuh"
#include "peers/statistics.h"
#include "peers/timer.h"

namespace
{

using tune::matrix_2x2;
using tune::matrix_u32;
using tune::slot;
using tune::u32;
using tune::u64;

constexpr size_t COPIES_BYTES = size_t(1) << 30;
constexpr int ROUNDS = 40;

// Words added: the same elements, with almost no computation.
struct four_sums {
    typedef matrix_2x2<u32> element;
    typedef four_sums operation;
    static TUNE_DEVICE element identity()
    {
        return {{0, 0, 0, 0}};
    }
    static TUNE_DEVICE element combine(const element &a, const element &b)
    {
        return {{a.at[0] + b.at[0], a.at[1] + b.at[1], a.at[2] + b.at[2], a.at[3] + b.at[3]}};
    }
    static TUNE_DEVICE element value_of(const element &of)
    {
        return of;
    }
};

template <typename OP, int BLOCK>
using in_rounds =
    tune::ordered_policy<BLOCK, 1, 8, 1, tune::ordered_step::rounds, tune::cache::no_allocate>;

// Reads as tiles_in_rounds does, but a lane combines only its own elements, until the end.
template <typename OP, typename POLICY>
__global__ void __launch_bounds__(POLICY::block)
    lanes_alone(const typename OP::element *in, slot *slots, u64 n)
{
    typedef tune::ordered_tile<OP, POLICY> tile;
    const auto share = tune::share_of((u32)(n / POLICY::tile_packs), blockIdx.x, gridDim.x);
    const auto *at = (const typename tile::pack *)in + (u64)share.first * POLICY::tile_packs;
    u32 i = threadIdx.x / tune::WARP;
    typename tile::part next = {};
    typename OP::element total = OP::identity();
    if (i < share.count)
        next = tile::template loaded<true>(at + (u64)i * POLICY::tile_packs, 0);
#pragma unroll 1
    for (; i < share.count; i += POLICY::warps) {
        const typename tile::part got = next;
        typename OP::element value[POLICY::loads];
        if (i + POLICY::warps < share.count)
            next =
                tile::template loaded<true>(at + (u64)(i + POLICY::warps) * POLICY::tile_packs, 0);
#pragma unroll
        for (int k = 0; k < POLICY::loads; k++)
            value[k] = tile::packs::value(got.mine[k]);
        total = OP::combine(total, tune::in_order<OP, POLICY::loads>(value));
    }
    total = tune::warps_in_order<OP, POLICY::block, 0>(tune::lanes_in_order<OP>(total));
    if (threadIdx.x == 0)
        tune::store_partial(slots, blockIdx.x, total);
}

struct memory {
    char *in;
    void *out;
    slot *slots;
    u64 *state;
    cudaStream_t stream;
    u32 multiprocessors;
};

constexpr u64 NUMBER = 1; // number of launches; the slots are zeroed

struct contender {
    const char *name;
    void (*launch)(const memory &at, const char *in, size_t bytes);
    std::vector<double> ns;
};

typedef tune::policy<256, 4, 8, 4, tune::step::shuffle, tune::cache::no_allocate,
                     tune::map::strided>
    sums;

template <tune::finish FINISH> void sum_f32(const memory &at, const char *in, size_t bytes)
{
    tune::reduce_grid<tune::sum, tune::f32, sums, FINISH>
        <<<at.multiprocessors * 4, 256, 0, at.stream>>>(
            (const float *)in, (float *)at.out, at.slots, at.state, (long long)(bytes / 4), NUMBER);
}

template <typename OP, int BLOCK, tune::finish FINISH>
void ordered(const memory &at, const char *in, size_t bytes)
{
    typedef typename OP::element E;
    tune::reduce_ordered_grid<OP, in_rounds<OP, BLOCK>, FINISH>
        <<<at.multiprocessors *(512 / BLOCK), BLOCK, 0, at.stream>>>(
            (const E *)in, (E *)at.out, at.slots, at.state, (long long)(bytes / sizeof(E)), NUMBER);
}

void alone(const memory &at, const char *in, size_t bytes)
{
    typedef four_sums::element E;
    lanes_alone<four_sums, in_rounds<four_sums, 256>>
        <<<at.multiprocessors * 2, 256, 0, at.stream>>>((const E *)in, at.slots, bytes / sizeof(E));
}

constexpr tune::finish whole = tune::finish::flagged_last, parts = tune::finish::two_launches;

std::vector<contender> contenders()
{
    return {
        {"sum.f32", sum_f32<whole>, {}},
        {"sum.f32, blocks' parts only", sum_f32<parts>, {}},
        {"matrix_u32, 512 threads", ordered<matrix_u32, 512, whole>, {}},
        {"matrix_u32, 256 threads", ordered<matrix_u32, 256, whole>, {}},
        {"matrix_u32, 256 threads, blocks' parts only", ordered<matrix_u32, 256, parts>, {}},
        {"words added in order, 256 threads", ordered<four_sums, 256, whole>, {}},
        {"words added in order, blocks' parts only", ordered<four_sums, 256, parts>, {}},
        {"words added without order, blocks' parts only", alone, {}},
    };
}

memory make_memory(const peers::timer &timer)
{
    memory made = {};
    made.stream = timer.stream;
    made.multiprocessors = (u32)timer.multiprocessors;
    CHECK(cudaMalloc(&made.in, COPIES_BYTES));
    CHECK(cudaMemset(made.in, 1, COPIES_BYTES));
    CHECK(cudaMalloc(&made.out, 256));
    CHECK(cudaMalloc(&made.slots, 1 << 20));
    CHECK(cudaMemset(made.slots, 0, 1 << 20));
    CHECK(cudaMalloc(&made.state, tune::STATE_WORDS * sizeof(u64)));
    CHECK(cudaMemset(made.state, 0, tune::STATE_WORDS * sizeof(u64)));
    CHECK(cudaDeviceSynchronize());
    return made;
}

void measure(peers::timer &timer, const memory &at, size_t bytes, std::FILE *csv)
{
    std::vector<contender> all = contenders();
    std::mt19937 random(1);
    const size_t copies = COPIES_BYTES / bytes;
    std::vector<size_t> order(all.size());
    for (size_t i = 0; i < order.size(); i++)
        order[i] = i;
    for (int round = -2; round < ROUNDS; round++) {
        const char *in = at.in + random() % copies * bytes;
        std::shuffle(order.begin(), order.end(), random);
        for (size_t i : order) {
            const double ns = time_ns(
                timer, [&] { flush(timer); }, [&] { all[i].launch(at, in, bytes); });
            CHECK(cudaGetLastError());
            if (round >= 0)
                all[i].ns.push_back(ns);
        }
    }
    for (const contender &contender : all) {
        const double ns = peers::median(contender.ns);
        std::printf("%5zu MiB  %-46s %8.2f us  %6.1f GB/s\n", bytes >> 20, contender.name, ns / 1e3,
                    double(bytes) / ns);
        if (csv)
            std::fprintf(csv, "%zu,\"%s\",%.1f,%.1f\n", bytes, contender.name, ns,
                         peers::deviation(contender.ns));
    }
}

} // namespace

int main(int argc, char **argv)
{
    std::FILE *csv = nullptr;
    int device = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--csv") == 0)
            csv = std::fopen(argv[i + 1], "w");
        else if (std::strcmp(argv[i], "--device") == 0)
            device = std::atoi(argv[i + 1]);
        else
            peers::fail(std::string("unknown option ") + argv[i]);
    }
    peers::timer timer = {};
    open_timer(timer, device);
    const memory at = make_memory(timer);
    warm_up(timer);
    if (csv)
        std::fprintf(csv, "bytes,what,median_ns,mad_ns\n");
    for (size_t mebibytes = 64; mebibytes <= 1024; mebibytes *= 2)
        measure(timer, at, mebibytes << 20, csv);
    return csv && std::fclose(csv) != 0;
}
