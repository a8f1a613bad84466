// The rest of tune/reduce.cuh, on a GPU and (tests/calls) on an emulated one: inputs, operators
// and values of all kinds, places of extremes, segments, pinned configurations, the calls in
// CUB's form. Each is compared with a plain loop.
#include "checks.cuh"

#include <algorithm>

namespace
{

const size_t workspace_bytes = tune::reduce_workspace_bytes();

// ---- callers' operators and functions ----

struct squared {
    __host__ __device__ float operator()(float of) const
    {
        return of * of;
    }
};
struct bits_or {
    __host__ __device__ unsigned int operator()(unsigned int a, unsigned int b) const
    {
        return a | b;
    }
};
struct furthest {
    __host__ __device__ double operator()(double a, double b) const
    {
        const double x = a < 0 ? -a : a, y = b < 0 ? -b : b;
        return x < y || (x == y && a < b) ? b : a;
    }
};
struct range {
    long long count;
    int low, high;
    long long sum;
};
struct joined {
    __host__ __device__ range operator()(const range &a, const range &b) const
    {
        return {a.count + b.count, a.low < b.low ? a.low : b.low, a.high < b.high ? b.high : a.high,
                a.sum + b.sum};
    }
};
struct range_of {
    __host__ __device__ range operator()(int of) const
    {
        return {1, of, of, of};
    }
};
struct products {
    const int *a, *b;
    __host__ __device__ long long operator()(long long at) const
    {
        return (long long)a[at] * b[at];
    }
};
// An iterator of a caller's own.
struct backwards {
    typedef int value_type;
    const int *last;
    __host__ __device__ int operator[](long long at) const
    {
        return *(last - at);
    }
};
template <typename T> struct pair {
    int key;
    T value;
};

// ---- cases: elements, the result of a loop over them, and the call ----

struct calling {
    const tune::configured_by &by;
    size_t n;
    const bench &on;
    tune::choice *why;
    template <typename IN, typename OUT, typename OP, typename INIT>
    cudaError_t reduce(const IN &in, OUT out, OP op, INIT init) const
    {
        return tune::reduce_with(by, in, n, out, op, init, on.workspace, workspace_bytes, on.stream,
                                 why);
    }
};

struct squares {
    typedef float E;
    typedef float R;
    static R expected(const E *at, size_t n)
    {
        R sum = 3;
        for (size_t i = 0; i < n; i++)
            sum += at[i] * at[i];
        return sum;
    }
    static cudaError_t call(const calling &with, const E *in, R *out)
    {
        return with.reduce(tune::transformed(in, squared()), out, tune::sum(), 3);
    }
};
struct wide {
    typedef int E;
    typedef int64_t R;
    static R expected(const E *at, size_t n)
    {
        R sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += at[i];
        return sum;
    }
    static cudaError_t call(const calling &with, const E *in, R *out)
    {
        return with.reduce(in, out, tune::sum(), (int64_t)0);
    }
};
struct flags {
    typedef unsigned char E;
    typedef unsigned int R;
    static R expected(const E *at, size_t n)
    {
        R all = 256;
        for (size_t i = 0; i < n; i++)
            all |= at[i];
        return all;
    }
    static cudaError_t call(const calling &with, const E *in, R *out)
    {
        return with.reduce(in, out, bits_or(), 256u);
    }
};
struct far {
    typedef double E;
    typedef float R;
    static R expected(const E *at, size_t n)
    {
        E far = -0.5;
        for (size_t i = 0; i < n; i++)
            far = furthest()(far, at[i]);
        return (R)far;
    }
    static cudaError_t call(const calling &with, const E *in, R *out)
    {
        return with.reduce(in, out, furthest(), -0.5);
    }
};
struct ranges {
    typedef int E;
    typedef range R;
    static constexpr R none = {0, 2147483647, -2147483647, 0};
    static R expected(const E *at, size_t n)
    {
        R all = none;
        for (size_t i = 0; i < n; i++)
            all = joined()(all, range_of()(at[i]));
        return all;
    }
    static cudaError_t call(const calling &with, const E *in, R *out)
    {
        return with.reduce(tune::transformed(in, range_of()), out, joined(), none);
    }
};
struct zipped {
    typedef int E;
    typedef long long R;
    static R expected(const E *at, size_t n)
    {
        R sum = -1;
        for (size_t i = 0; i < n; i++)
            sum += (long long)at[i] * at[n - 1 - i];
        return sum;
    }
    // The second factor comes from an iterator that goes backwards, by its pointer.
    struct both {
        const int *in;
        backwards other;
        __host__ __device__ long long operator()(long long at) const
        {
            return (long long)in[at] * other[at];
        }
    };
    static cudaError_t call(const calling &with, const E *in, R *out)
    {
        const both of = {in, {in + (with.n > 0 ? with.n - 1 : 0)}};
        return with.reduce(tune::indexed(of), out, tune::sum(), -1ll);
    }
};
struct iterated {
    typedef int E;
    typedef int R;
    static R expected(const E *at, size_t n)
    {
        R least = 2147483647;
        for (size_t i = 0; i < n; i++)
            least = at[i] < least ? at[i] : least;
        return least;
    }
    static cudaError_t call(const calling &with, const E *in, R *out)
    {
        return with.reduce(backwards{in + (with.n > 0 ? with.n - 1 : 0)}, out, tune::minimum(),
                           2147483647);
    }
};
// An operator with members, a prime here, and an output that is no pointer.
struct modulo {
    int prime;
    __host__ __device__ int operator()(int a, int b) const
    {
        return (int)(((long long)a + b) % prime);
    }
};
struct negated {
    int *to;
    struct cell {
        int *to;
        __host__ __device__ void operator=(int value) const
        {
            *to = -value;
        }
    };
    typedef void value_type;
    __host__ __device__ cell operator*() const
    {
        return {to};
    }
    __host__ __device__ negated operator+(long long count) const
    {
        return {to + count};
    }
};
struct rest {
    __host__ __device__ int operator()(int of) const
    {
        return (int)((unsigned int)of % 1009u);
    }
};
struct with_members {
    typedef int E;
    typedef int R;
    static R expected(const E *at, size_t n)
    {
        int sum = 1;
        for (size_t i = 0; i < n; i++)
            sum = modulo{1009}(sum, rest()(at[i]));
        return -sum;
    }
    static cudaError_t call(const calling &with, const E *in, R *out)
    {
        return with.reduce(tune::transformed(in, rest()), negated{out}, modulo{1009}, 1);
    }
};

template <bool MAXIMUM, typename T> struct place {
    typedef T E;
    typedef pair<T> R;
    static R expected(const E *at, size_t n)
    {
        typedef std::numeric_limits<E> limits;
        R best = {-1, MAXIMUM ? (limits::has_infinity ? -limits::infinity() : limits::min())
                              : (limits::has_infinity ? limits::infinity() : limits::max())};
        for (size_t i = 0; i < n; i++)
            if (at[i] == at[i] &&
                (best.key < 0 || (MAXIMUM ? best.value < at[i] : at[i] < best.value)))
                best = {(int)i, at[i]};
        return best;
    }
    static cudaError_t call(const calling &with, const E *in, R *out)
    {
        if constexpr (MAXIMUM)
            return tune::arg_max(with.by, in, with.n, &out->value, &out->key, with.on.workspace,
                                 workspace_bytes, with.on.stream, with.why);
        else
            return tune::arg_min(with.by, in, with.n, &out->value, &out->key, with.on.workspace,
                                 workspace_bytes, with.on.stream, with.why);
    }
};

template <typename E> std::vector<E> random_elements(size_t count)
{
    std::mt19937_64 source(count);
    std::vector<E> made(count);
    for (E &each : made) {
        const uint64_t bits = source() >> 7;
        if constexpr (std::is_integral_v<E>)
            each = (E)bits;
        else
            each = bits % 64 == 5 ? std::numeric_limits<E>::quiet_NaN() : (E)((int)(bits % 17) - 8);
    }
    return made;
}

template <typename R> bool is_same(const R &a, const R &b)
{
    return a == b;
}
bool is_same(const range &a, const range &b)
{
    return a.count == b.count && a.low == b.low && a.high == b.high && a.sum == b.sum;
}
template <typename T> bool is_same(const pair<T> &a, const pair<T> &b)
{
    return a.key == b.key && a.value == b.value;
}

template <typename R> R fetched(const bench &on, const R *from)
{
    R got;
    WELL(cudaMemcpyAsync(&got, from, sizeof got, cudaMemcpyDeviceToHost, on.stream));
    WELL(cudaStreamSynchronize(on.stream));
    return got;
}

// The elements of a case on the device, and room for results.
template <typename CASE> struct loaded {
    typedef typename CASE::E E;
    typedef typename CASE::R R;
    std::vector<E> host;
    size_t out_at;
    bench on;
    E *in;
    R *out;
    explicit loaded(size_t count, size_t results = 1)
        : host(random_elements<E>(count)), out_at((count * sizeof(E) + 255) / 256 * 256),
          on(out_at + results * sizeof(R)), in(on.at<E>(0)), out(on.at<R>(out_at))
    {
        if constexpr (!std::is_integral_v<E>)
            if constexpr (!std::is_class_v<R>)
                for (E &each : host)
                    each = each == each ? each : 0; // NaN has a place of its own
        WELL(
            cudaMemcpyAsync(in, host.data(), count * sizeof(E), cudaMemcpyHostToDevice, on.stream));
        WELL(cudaStreamSynchronize(on.stream)); // other streams read it, too
    }
};

// Each configuration of the stand-in, at awkward sizes from awkward starts.
template <typename CASE> void check_case(const char *name)
{
    typedef tune::calls::reduce_problem<tune::sum, tune::f32> stand_in;
    const auto &table = tune::calls::table_of<stand_in, tune::calls::own_list>();
    const size_t most = chosen.is_small ? 9001 : 300007;
    const loaded<CASE> at(most + 3);
    const tune::calls::device *here = nullptr;
    WELL(tune::calls::device_here(&here));
    const int before = failures;
    for (int i = 0; i < table.count; i++) {
        char line[256];
        tune::calls::describe(table.fields, table.at[i].parameters, line, sizeof line);
        struct tuned *tuned = conf_of(stand_in::key.at, line);
        const size_t tile = (size_t)table.at[i].tile;
        for (const size_t n : {(size_t)0, (size_t)1, (size_t)33, tile + 1, most})
            for (const size_t start : {0, 1, 3}) {
                if (n > most || (chosen.is_small && n > 100 && start == 1))
                    continue;
                tune::choice why = {};
                const tune::configured_by by(tuned);
                WELL(CASE::call({by, n, at.on, &why}, at.in + start, at.out));
                if (!why.is_exact && table.at[i].capability <= here->capability)
                    failed(name, "%s: launched %s: %s", line, why.configuration, why.reason);
                if (!is_same(fetched(at.on, at.out), CASE::expected(&at.host[start], n)))
                    failed(name, "%s: wrong for n = %zu from element %zu on", line, n, start);
            }
        tuned_free(tuned);
    }
    std::printf("%s %s: %d configurations\n", failures == before ? "PASSED" : "FAILED", name,
                table.count);
}
#define CASE(...) check_case<__VA_ARGS__>(#__VA_ARGS__)

// ---- segments ----

struct segments_of {
    std::vector<int> begin, end;
    int *on_device;
    segments_of(size_t count, const bench &on, size_t at, unsigned int seed)
    {
        std::mt19937_64 source(seed);
        int next = 1;
        for (size_t s = 0; s < count; s++) {
            const int most = s % 50 == 7 ? 20000 : s % 3 == 0 ? 3 : 200;
            const int length = (int)((source() >> 9) % (unsigned int)most);
            begin.push_back(next);
            end.push_back(s == 11 ? next - 1 : next + length); // one is no segment
            next += length;
        }
        on_device = on.at<int>(at);
        const size_t bytes = count * sizeof(int);
        WELL(cudaMemcpyAsync(on_device, begin.data(), bytes, cudaMemcpyHostToDevice, on.stream));
        WELL(cudaMemcpyAsync(on_device + count, end.data(), bytes, cudaMemcpyHostToDevice,
                             on.stream));
        WELL(cudaStreamSynchronize(on.stream));
    }
    size_t length(size_t s) const
    {
        return end[s] > begin[s] ? (size_t)(end[s] - begin[s]) : 0;
    }
};

template <typename CASE, typename CALL>
void check_segments(const char *name, size_t count, const CALL &call)
{
    typedef typename CASE::R R;
    const loaded<CASE> at(count * 900, count + 1);
    const bench offsets(2 * count * sizeof(int) + 256);
    const segments_of of(count, offsets, 0, 5);
    std::vector<R> got(count + 1);
    const int before = failures;
    WELL(cudaMemsetAsync(at.out, 0x5a, got.size() * sizeof(R), at.on.stream));
    WELL(call(at.in, at.out, count, of.on_device, of.on_device + count, at.on.stream));
    WELL(cudaMemcpyAsync(got.data(), at.out, got.size() * sizeof(R), cudaMemcpyDeviceToHost,
                         at.on.stream));
    WELL(cudaStreamSynchronize(at.on.stream));
    for (size_t s = 0; s < count; s++)
        if (!is_same(got[s], CASE::expected(&at.host[(size_t)of.begin[s]], of.length(s)))) {
            failed(name, "segment %zu of %zu is wrong", s, count);
            break;
        }
    R poison;
    std::memset((void *)&poison, 0x5a, sizeof poison);
    if (std::memcmp(&got[count], &poison, sizeof poison) != 0)
        failed(name, "wrote behind the last of %zu segments", count);
    std::printf("%s %s: %zu segments\n", failures == before ? "PASSED" : "FAILED", name, count);
}

void check_all_segments()
{
    // 32 floats by a warp each, 1024 by a block.
    struct tuned *tuned =
        conf_of("reduce_segments.sum_f32.32", "lanes=32 block=64 vector=4 loads=2 waves=1");
    const size_t many = chosen.is_small ? 60 : 5000;
    for (const size_t count : {(size_t)1, (size_t)40, many})
        for (const size_t length : {(size_t)0, (size_t)30, (size_t)100000}) {
            check_segments<squares>("segments of squares", count,
                                    [&](const float *in, float *out, size_t of, const int *begin,
                                        const int *end, cudaStream_t stream) {
                                        tune::choice why;
                                        const cudaError_t result = tune::reduce_segments(
                                            tuned, tune::transformed(in, squared()), of, begin, end,
                                            length, out, tune::sum(), 3, stream, &why);
                                        EXPECT((why.grade == TUNED_IN_RANGE) == (length == 30));
                                        return result;
                                    });
            check_segments<ranges>("segments of ranges", count,
                                   [&](const int *in, range *out, size_t of, const int *begin,
                                       const int *end, cudaStream_t stream) {
                                       return tune::reduce_segments(
                                           nullptr, tune::transformed(in, range_of()), of, begin,
                                           end, length, out, joined(), ranges::none, stream);
                                   });
        }
    tuned_free(tuned);
    // The calls in CUB's form.
    size_t bytes = 0;
    char some[1];
    EXPECT(tune::DeviceSegmentedReduce::Sum(nullptr, bytes, (const int *)nullptr,
                                            (int64_t *)nullptr, 5, (const int *)nullptr,
                                            (const int *)nullptr) == cudaSuccess &&
           bytes == 1);
    check_segments<wide>("DeviceSegmentedReduce::Sum", many,
                         [&](const int *in, int64_t *out, size_t of, const int *begin,
                             const int *end, cudaStream_t stream) {
                             return tune::DeviceSegmentedReduce::Sum(
                                 some, bytes, in, out, (long long)of, begin, end, stream);
                         });
    typedef place<false, float> least;
    check_segments<least>("DeviceSegmentedReduce::ArgMin", many,
                          [&](const float *in, pair<float> *out, size_t of, const int *begin,
                              const int *end, cudaStream_t stream) {
                              return tune::DeviceSegmentedReduce::ArgMin(
                                  some, bytes, in, out, (long long)of, begin, end, stream);
                          });
    const loaded<wide> at(7 * 100, 100);
    WELL(tune::DeviceSegmentedReduce::Sum(some, bytes, at.in, at.out, 100, 7, at.on.stream));
    EXPECT(fetched(at.on, at.out + 99) == wide::expected(&at.host[99 * 7], 7));
}

// ---- CUB's calls: memory that nobody has prepared, any alignment ----

void check_as_cub()
{
    const size_t n = chosen.is_small ? 20011 : 500003; // whose squares' sum is less than 2^24
    const loaded<wide> ints(n);
    const loaded<squares> floats(n);
    const loaded<place<false, float>> places(n, 2);
    const loaded<zipped> products_at(n);
    size_t bytes = 0;
    EXPECT(tune::DeviceReduce::Sum(nullptr, bytes, ints.in, ints.out, n) == cudaSuccess);
    EXPECT(bytes >= workspace_bytes && bytes < workspace_bytes + 256);
    const bench temporary(bytes + 16);
    // Flagged partials, which old bytes must not be taken for; and the default.
    struct tuned *tuned =
        conf_of("reduce.sum.f32", "variant=flagged map=strided step=shuffle block=256 "
                                  "count=4 loads=2 cache=l2_256b min_blocks=8");
    for (int round = 0; round < 4; round++) {
        void *const memory = temporary.at<char>(round % 2 ? 3 : 0);
        cudaStream_t stream = ints.on.stream;
        tune::use(round < 2 ? tuned : nullptr);
        // Numbers as the first launches have.
        std::vector<unsigned int> old(bytes / 4, (unsigned int)round + 1);
        WELL(cudaMemcpyAsync(memory, old.data(), bytes, cudaMemcpyHostToDevice, stream));
        WELL(tune::DeviceReduce::Sum(memory, bytes, ints.in, ints.out, (int)n, stream));
        EXPECT(fetched(ints.on, ints.out) == wide::expected(ints.host.data(), n));
        WELL(cudaStreamSynchronize(stream));
        stream = floats.on.stream;
        WELL(cudaMemcpyAsync(memory, old.data(), bytes, cudaMemcpyHostToDevice, stream));
        WELL(tune::DeviceReduce::TransformReduce(memory, bytes, floats.in, floats.out, n,
                                                 tune::sum(), squared(), 3.0f, stream));
        EXPECT(fetched(floats.on, floats.out) == squares::expected(floats.host.data(), n));
        float sum = 0;
        for (const float each : floats.host)
            sum += each;
        WELL(cudaMemcpyAsync(memory, old.data(), bytes, cudaMemcpyHostToDevice, stream));
        WELL(tune::DeviceReduce::Sum(memory, bytes, floats.in, floats.out, n, stream));
        EXPECT(fetched(floats.on, floats.out) == sum);
        WELL(tune::DeviceReduce::Max(memory, bytes, floats.in, floats.out, n, stream));
        EXPECT(fetched(floats.on, floats.out) == 8);
        WELL(tune::DeviceReduce::Min(memory, bytes, floats.in, floats.out, n, stream));
        EXPECT(fetched(floats.on, floats.out) == -8);
        WELL(cudaMemcpyAsync(memory, old.data(), bytes, cudaMemcpyHostToDevice, stream));
        WELL(tune::DeviceReduce::ArgMin(memory, bytes, places.in, places.out, n, stream));
        EXPECT(is_same(fetched(floats.on, places.out),
                       place<false, float>::expected(places.host.data(), n)));
        WELL(tune::DeviceReduce::ArgMax(memory, bytes, places.in, &places.out->value,
                                        &places.out->key, n, stream));
        EXPECT(is_same(fetched(floats.on, places.out),
                       place<true, float>::expected(places.host.data(), n)));
        WELL(cudaMemcpyAsync(memory, old.data(), bytes, cudaMemcpyHostToDevice, stream));
        const products of = {products_at.in, products_at.in};
        WELL(tune::DeviceReduce::Reduce(memory, bytes, tune::indexed(of), products_at.out, n,
                                        tune::maximum(), -5ll, stream));
        long long most = -5;
        for (const int each : products_at.host)
            most = std::max(most, (long long)each * each);
        EXPECT(fetched(floats.on, products_at.out) == most);
    }
    tune::use(nullptr);
    tuned_free(tuned);
    size_t few = bytes - 1;
    EXPECT(tune::DeviceReduce::Sum(temporary.memory, few, ints.in, ints.out, n) ==
           cudaErrorInvalidValue);
    EXPECT(tune::DeviceReduce::Sum(temporary.memory, bytes, (const int *)nullptr, ints.out, n) ==
           cudaErrorInvalidValue);
}

// ---- pinned memory ----

void check_pinned()
{
    const size_t n = chosen.is_small ? 30011 : 1000003;
    const loaded<squares> at(n);
    std::vector<float> host(n);
    std::mt19937_64 source(3);
    // Numbers that cancel, in a random order: their sum is the rounding that is left, and
    // distinguishes any two orders.
    for (size_t i = 0; i + 1 < n; i += 2)
        host[i + 1] = -(host[i] = (float)(source() >> 40) * 1e-7f);
    std::shuffle(host.begin(), host.end(), source);
    WELL(cudaMemcpyAsync(at.in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice,
                         at.on.stream));
    const auto sum_by = [&](const tune::configured_by &by, tune::choice *why) {
        WELL(tune::reduce<tune::sum>(by, at.in, n, at.out, at.on.workspace, workspace_bytes,
                                     at.on.stream, why));
        return fetched(at.on, at.out);
    };
    tune::choice why, again;
    const float stays = sum_by(tune::pinned(), &why);
    EXPECT(why.is_exact && std::strstr(why.configuration, "variant=last_block") != nullptr);
    EXPECT(std::strstr(why.configuration, " blocks=528") != nullptr);
    // The configuration of a choice can be pinned, and gives the same bits.
    EXPECT(sum_by(tune::pinned{why.configuration}, &again) == stays);
    EXPECT(std::strcmp(why.configuration, again.configuration) == 0);
    // Fewer blocks: another order.
    std::string fewer = why.configuration;
    fewer.replace(fewer.find(" blocks=528"), std::string::npos, " blocks=3");
    EXPECT(sum_by(tune::pinned{fewer.c_str()}, &again) != stays);
    struct tuned *tuned =
        conf_of("reduce.sum.f32", "variant=flagged map=strided step=shuffle block=256 "
                                  "count=4 loads=2 cache=l2_256b min_blocks=8 "
                                  "blocks_per_sm=1");
    const float tunes = sum_by(tuned, &why);
    EXPECT(why.is_exact && sum_by(tune::pinned{why.configuration}, &again) == tunes);
    tuned_free(tuned);
    for (const char *what : {"", "variant=last_block",
                             "variant=flagged map=strided step=shuffle "
                             "block=96 count=4 loads=3 cache=l2_256b",
                             "variant=last_block map=strided step=shuffle block=512 count=4 "
                             "loads=4 cache=no_allocate blocks=many"})
        EXPECT(tune::reduce<tune::sum>(tune::pinned{what}, at.in, n, at.out, at.on.workspace,
                                       workspace_bytes, at.on.stream) == cudaErrorNotSupported);
    // Also pinned for other problems.
    WELL(tune::reduce_with(tune::pinned(), at.in, n, at.out, furthest(), 0.0f, at.on.workspace,
                           workspace_bytes, at.on.stream, &why));
    EXPECT(std::strstr(why.configuration, " blocks=528") != nullptr);
    WELL(tune::reduce_with(tune::pinned{why.configuration}, at.in, n, at.out, furthest(), 0.0f,
                           at.on.workspace, workspace_bytes, at.on.stream, &again));
}

// ---- graphs ----

#ifndef TUNE_SIMT
void check_graphs()
{
    const size_t n = 100003;
    const loaded<wide> at(n, 16);
    size_t bytes = 0;
    WELL(tune::DeviceReduce::Sum(nullptr, bytes, at.in, at.out, n));
    const bench temporary(bytes);
    int *const index = (int *)(at.out + 4);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    WELL(cudaStreamBeginCapture(at.on.stream, cudaStreamCaptureModeGlobal));
    WELL(tune::DeviceReduce::Sum(temporary.memory, bytes, at.in, at.out, n, at.on.stream));
    WELL(tune::reduce_with(nullptr, at.in, n, at.out + 1, tune::sum(), (int64_t)1, at.on.workspace,
                           workspace_bytes, at.on.stream));
    WELL(tune::arg_max(nullptr, at.in, n, (int *)nullptr, index, at.on.workspace, workspace_bytes,
                       at.on.stream));
    WELL(tune::DeviceSegmentedReduce::Sum(temporary.memory, bytes, at.in, at.out + 2, 1, (int)n,
                                          at.on.stream));
    WELL(cudaStreamEndCapture(at.on.stream, &graph));
    size_t nodes = 0;
    WELL(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT(nodes == 4); // one kernel each, and no node that prepares memory
    WELL(cudaGraphInstantiate(&ready, graph, 0));
    for (int replay = 1; replay < 5; replay++) {
        std::vector<int> host(n, -replay);
        host[(size_t)replay * 1000] = 7;
        const int64_t sum = 7 - (int64_t)replay * (int64_t)(n - 1);
        WELL(cudaMemcpyAsync(at.in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice,
                             at.on.stream));
        WELL(cudaMemsetAsync(temporary.memory, 37 * replay, bytes, at.on.stream));
        WELL(cudaGraphLaunch(ready, at.on.stream));
        EXPECT(fetched(at.on, at.out) == sum && fetched(at.on, at.out + 1) == sum + 1);
        EXPECT(fetched(at.on, at.out + 2) == sum && fetched(at.on, index) == replay * 1000);
    }
    WELL(cudaGraphExecDestroy(ready));
    WELL(cudaGraphDestroy(graph));
}
#endif

void check(const char *name, void (*function)())
{
    const int before = failures;
    function();
    std::printf("%s %s\n", failures == before ? "PASSED" : "FAILED", name);
}

} // namespace

void check_any()
{
    CASE(squares);
    CASE(wide);
    CASE(flags);
    CASE(far);
    CASE(ranges);
    CASE(zipped);
    CASE(iterated);
    CASE(with_members);
    CASE(place<false, float>);
    CASE(place<true, short>);
    check("segments", check_all_segments);
    check("as CUB has them", check_as_cub);
    check("what is pinned", check_pinned);
#ifndef TUNE_SIMT
    check("graphs of them", check_graphs);
#endif
}
