// Problems and their results: computed by the host, in chunks that are joined in order.
#include <algorithm>
#include <thread>

#include "any.h"
#include "elements.h"
#include "ordered.h"
#include "peers.h"

namespace peers
{

namespace
{

// The host's combination of elements T into an accumulator, and the type of a stored result.
template <typename T, typename A, typename R> struct sum {
    typedef T element;
    typedef A accumulator;
    typedef R stored;
    static A identity()
    {
        return 0;
    }
    static A of(T value)
    {
        if constexpr (std::is_arithmetic_v<T>)
            return A(value);
        else
            return A(float(value)); // halves
    }
    static A join(A a, A b)
    {
        return a + b;
    }
};

struct largest {
    typedef float element, accumulator, stored;
    static float identity()
    {
        return -HUGE_VALF;
    }
    static float of(float value)
    {
        return value;
    }
    static float join(float a, float b)
    {
        return std::max(a, b);
    }
};

struct smallest {
    typedef int32_t element, accumulator, stored;
    static int32_t identity()
    {
        return INT32_MAX;
    }
    static int32_t of(int32_t value)
    {
        return value;
    }
    static int32_t join(int32_t a, int32_t b)
    {
        return std::min(a, b);
    }
};

struct twice_sum : sum<float, double, float> {
    static double of(float value)
    {
        return double(doubled()(value));
    }
};

struct furthest_of {
    typedef float element, accumulator, stored;
    static float identity()
    {
        return 0;
    }
    static float of(float value)
    {
        return value;
    }
    static float join(float a, float b)
    {
        return furthest()(a, b);
    }
};

template <typename T> struct in_order {
    typedef T element, accumulator, stored;
    static T identity();
    static T of(T value)
    {
        return value;
    }
    static T join(const T &a, const T &b)
    {
        return compose()(a, b);
    }
};
template <> affine_u32 in_order<affine_u32>::identity()
{
    return {1, 0};
}
template <> matrix_u32 in_order<matrix_u32>::identity()
{
    return {{1, 0, 0, 1}};
}

constexpr size_t CHUNK_BYTES = 1 << 16;

// Combines elements [begin, end), `begin` at a whole chunk and all in one.
template <typename OP> typename OP::accumulator of_chunk(fill fill, size_t begin, size_t end)
{
    typedef typename OP::element T;
    uint64_t words[CHUNK_BYTES / 8];
    const size_t first = begin * sizeof(T) / 8, count = ((end - begin) * sizeof(T) + 7) / 8;
    for (size_t i = 0; i < count; i++)
        words[i] = word_of(fill, first + i);
    typename OP::accumulator total = OP::identity();
    for (size_t i = 0; i < end - begin; i++) {
        T value;
        std::memcpy(&value, reinterpret_cast<const char *>(words) + i * sizeof(T), sizeof value);
        total = OP::join(total, OP::of(value));
    }
    return total;
}

template <typename OP>
std::vector<typename OP::accumulator> of_chunks(fill fill, size_t chunks, size_t per_chunk)
{
    std::vector<typename OP::accumulator> totals(chunks);
    const size_t count = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (size_t thread = 0; thread < count; thread++)
        threads.emplace_back([&totals, fill, chunks, per_chunk, thread, count] {
            for (size_t i = thread; i < chunks; i += count)
                totals[i] = of_chunk<OP>(fill, i * per_chunk, (i + 1) * per_chunk);
        });
    for (std::thread &thread : threads)
        thread.join();
    return totals;
}

template <typename OP, fill FILL> std::vector<result> expected_of(const std::vector<size_t> &sizes)
{
    constexpr size_t per_chunk = CHUNK_BYTES / sizeof(typename OP::element);
    const auto chunks =
        of_chunks<OP>(FILL, sizes.empty() ? 0 : sizes.back() / per_chunk, per_chunk);
    typename OP::accumulator total = OP::identity();
    std::vector<result> results;
    size_t chunk = 0;
    for (size_t n : sizes) {
        for (; chunk < n / per_chunk; chunk++)
            total = OP::join(total, chunks[chunk]);
        const typename OP::stored stored =
            typename OP::stored(OP::join(total, of_chunk<OP>(FILL, n / per_chunk * per_chunk, n)));
        result made = {};
        std::memcpy(made.bytes, &stored, sizeof stored);
        results.push_back(made);
    }
    return results;
}

template <typename OP, fill FILL>
problem make(const char *name, const contender &tune, const contender &rival,
             size_t n_max = SIZE_MAX)
{
    return {name,
            sizeof(typename OP::element),
            sizeof(typename OP::stored),
            FILL,
            n_max,
            expected_of<OP, FILL>,
            &tune,
            &rival};
}

// Reduces the first n elements, with the first place of the least of them.
std::vector<result> expected_places(const std::vector<size_t> &sizes)
{
    std::vector<result> results;
    float least = HUGE_VALF;
    size_t index = SIZE_MAX, i = 0;
    for (size_t n : sizes) {
        for (; i < n; i++) {
            const uint64_t word = word_of(fill::wide_f32, i / 2);
            const uint32_t bits = uint32_t(word >> i % 2 * 32);
            float value;
            std::memcpy(&value, &bits, sizeof value);
            if (value < least) {
                least = value;
                index = i;
            }
        }
        const place made = {{uint32_t(index), uint32_t(uint64_t(index) >> 32)}, least};
        result as_bytes = {};
        std::memcpy(as_bytes.bytes, &made, sizeof made);
        results.push_back(as_bytes);
    }
    return results;
}

// The sum of the last segment.
template <int LENGTH> std::vector<result> expected_segments(const std::vector<size_t> &sizes)
{
    std::vector<result> results;
    for (size_t n : sizes) {
        float sum = 0;
        for (size_t i = (n - 1) / LENGTH * LENGTH; i < n; i++) {
            const uint32_t bits = uint32_t(word_of(fill::segments_f32, i / 2) >> i % 2 * 32);
            float value;
            std::memcpy(&value, &bits, sizeof value);
            sum += value;
        }
        result as_bytes = {};
        std::memcpy(as_bytes.bytes, &sum, sizeof sum);
        results.push_back(as_bytes);
    }
    return results;
}

} // namespace

// Integers wrap, in 32 bits where they have fewer. A scan writes as much as it reads.
const std::vector<problem> &problems()
{
    constexpr size_t scanned_max = size_t(1) << 26;
    static const std::vector<problem> all = {
        make<sum<int32_t, uint32_t, int32_t>, fill::bits>("sum.i32", tune_sum_i32, cub_sum_i32),
        make<sum<int32_t, uint32_t, int32_t>, fill::bits>("drop_in.sum.i32", drop_in_sum_i32,
                                                          cub_sum_i32),
        make<smallest, fill::bits>("min.i32", tune_min_i32, cub_min_i32),
        make<sum<uint8_t, uint32_t, uint32_t>, fill::bits>("sum.u8", tune_sum_u8, cub_sum_u8),
        make<sum<float, double, float>, fill::small_f32>("sum.f32", tune_sum_f32, cub_sum_f32),
        make<sum<float, double, float>, fill::small_f32>("drop_in.sum.f32", drop_in_sum_f32,
                                                         cub_sum_f32),
        make<sum<__half, double, float>, fill::small_f16>("sum.f16", tune_sum_f16, cub_sum_f16),
        make<sum<__nv_bfloat16, double, float>, fill::small_bf16>("sum.bf16", tune_sum_bf16,
                                                                  cub_sum_bf16),
        make<sum<double, double, double>, fill::small_f64>("sum.f64", tune_sum_f64, cub_sum_f64),
        make<sum<int64_t, uint64_t, int64_t>, fill::bits>("sum.i64", tune_sum_i64, cub_sum_i64),
        make<largest, fill::wide_f32>("max.f32", tune_max_f32, cub_max_f32),
        make<largest, fill::wide_f32>("drop_in.max.f32", drop_in_max_f32, cub_max_f32),
        make<sum<int32_t, int64_t, int64_t>, fill::bits>("wide.i32", tune_wide_i32, cub_wide_i32),
        make<twice_sum, fill::small_f32>("transform.f32", tune_transform_f32, cub_transform_f32),
        make<furthest_of, fill::wide_f32>("operator.f32", tune_operator_f32, cub_operator_f32),
        {"argmin.f32", sizeof(float), sizeof(place), fill::wide_f32, SIZE_MAX, expected_places,
         &tune_argmin_f32, &cub_argmin_f32},
        {"drop_in.argmin.f32", sizeof(float), sizeof(place), fill::wide_f32, SIZE_MAX,
         expected_places, &drop_in_argmin_f32, &cub_argmin_f32},
        {"segments_32.f32", sizeof(float), sizeof(float), fill::segments_f32, scanned_max,
         expected_segments<32>, &tune_segments_32_f32, &cub_segments_32_f32},
        {"segments_1024.f32", sizeof(float), sizeof(float), fill::segments_f32, scanned_max,
         expected_segments<1024>, &tune_segments_1024_f32, &cub_segments_1024_f32},
        {"segments_20000.f32", sizeof(float), sizeof(float), fill::segments_f32, scanned_max,
         expected_segments<20000>, &tune_segments_20000_f32, &cub_segments_20000_f32},
        {"drop_in.segments_32.f32", sizeof(float), sizeof(float), fill::segments_f32, scanned_max,
         expected_segments<32>, &drop_in_segments_32_f32, &cub_segments_32_f32},
        {"drop_in.segments_20000.f32", sizeof(float), sizeof(float), fill::segments_f32,
         scanned_max, expected_segments<20000>, &drop_in_segments_20000_f32,
         &cub_segments_20000_f32},
        make<in_order<affine_u32>, fill::bits>("ordered.affine_u32", tune_ordered_affine_u32,
                                               cub_scan_affine_u32, scanned_max),
        make<in_order<matrix_u32>, fill::bits>("ordered.matrix_u32", tune_ordered_matrix_u32,
                                               cub_scan_matrix_u32, scanned_max),
    };
    return all;
}

} // namespace peers
