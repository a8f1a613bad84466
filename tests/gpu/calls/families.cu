// tune/reduce_ordered.cuh and tune/reduce_rows.cuh: each configuration that is compiled in, against
// a plain loop.
#include "checks.cuh"

#include <tune/reduce_ordered.cuh>
#include <tune/reduce_rows.cuh>

// A caller's own operator: of two non-empty elements, the left one.
struct first_of {
    struct alignas(8) element {
        unsigned int there, what;
    };
    typedef first_of operation;
    static __host__ __device__ element identity()
    {
        return {0, 0};
    }
    static __host__ __device__ element combine(element left, element right)
    {
        return left.there ? left : right;
    }
    static __host__ __device__ element value_of(element of)
    {
        return of;
    }
};

namespace
{

// The operators once more, for the host.
template <typename OP> struct on_host;
template <> struct on_host<tune::affine_u32> {
    typedef tune::affine_map_u32 element;
    static element identity()
    {
        return {1, 0};
    }
    static element times(element a, element b)
    {
        return {a.factor * b.factor, a.factor * b.offset + a.offset};
    }
    static element random(std::mt19937_64 &source)
    {
        return {(unsigned int)source() | 1, (unsigned int)source()};
    }
};
template <typename T> struct on_host<tune::matrix_product<T>> {
    typedef tune::matrix_2x2<T> element;
    static element identity()
    {
        return {{1, 0, 0, 1}};
    }
    static element times(const element &a, const element &b)
    {
        return {{a.at[0] * b.at[0] + a.at[1] * b.at[2], a.at[0] * b.at[1] + a.at[1] * b.at[3],
                 a.at[2] * b.at[0] + a.at[3] * b.at[2], a.at[2] * b.at[1] + a.at[3] * b.at[3]}};
    }
    // Real numbers whose products are exact: signs, and a small integer above them.
    static element random(std::mt19937_64 &source)
    {
        const auto sign = [&] { return source() >> 20 & 1 ? (T)1 : (T)-1; };
        if (std::is_integral_v<T>)
            return {{(T)(source() | 1), (T)(source() & ~1ull), (T)source(), (T)(source() | 1)}};
        return {{sign(), (T)(int)(source() >> 20 & 7), 0, sign()}};
    }
};
template <> struct on_host<first_of> {
    typedef first_of::element element;
    static element identity()
    {
        return first_of::identity();
    }
    static element times(element a, element b)
    {
        return first_of::combine(a, b);
    }
    static element random(std::mt19937_64 &source)
    {
        if (source() >> 20 & 63)
            return identity();
        return {1, (unsigned int)source()};
    }
};

template <typename E> bool same(const E &a, const E &b)
{
    return std::memcmp(&a, &b, sizeof a) == 0;
}
bool same(const tune::matrix_2x2<float> &a, const tune::matrix_2x2<float> &b)
{
    for (int i = 0; i < 4; i++)
        if (a.at[i] != b.at[i]) // 0 and -0 are equal
            return false;
    return true;
}

template <typename OP> void check_ordered()
{
    typedef tune::calls::ordered_problem<OP> problem;
    typedef typename OP::element element;
    typedef on_host<OP> host;
    const auto &table = tune::calls::table_of<problem, tune::calls::own_list>();
    const size_t most = chosen.is_small ? 20003 : 200003, starts = 2;
    std::mt19937_64 source(7);
    std::vector<element> input(most + starts);
    for (element &each : input)
        each = host::random(source);
    const size_t out_at = (input.size() * sizeof(element) + 255) / 256 * 256;
    const bench on(out_at + sizeof(element));
    element *in = on.at<element>(0), *out = on.at<element>(out_at);
    WELL(cudaMemcpyAsync(in, input.data(), input.size() * sizeof(element), cudaMemcpyHostToDevice,
                         on.stream));
    const int before = failures;
    for (int i = 0; i < table.count; i++) {
        char line[256];
        tune::calls::describe(table.fields, table.at[i].parameters, line, sizeof line);
        struct tuned *tuned = conf_of(problem::key.at, line);
        const size_t tile = (size_t)table.at[i].tile;
        for (const size_t n : {(size_t)0, (size_t)1, (size_t)31, (size_t)33, tile - 1, tile,
                               tile + 1, (size_t)17389, most})
            for (size_t start = 0; start < starts; start++) {
                tune::choice why;
                WELL(tune::reduce_ordered<OP>(tuned, in + start, n, out, on.workspace,
                                              tune::reduce_workspace_bytes(), on.stream, &why));
                if (!why.is_exact)
                    failed(problem::key.at, "%s: launched %s", line, why.configuration);
                element want = host::identity(), got;
                for (size_t k = 0; k < n; k++)
                    want = host::times(want, input[start + k]);
                WELL(cudaMemcpyAsync(&got, out, sizeof got, cudaMemcpyDeviceToHost, on.stream));
                WELL(cudaStreamSynchronize(on.stream));
                if (!same(got, want))
                    failed(problem::key.at, "%s: wrong for n = %zu from element %zu on", line, n,
                           start);
            }
        tuned_free(tuned);
    }
    std::printf("%s %s: %d configurations\n", failures == before ? "PASSED" : "FAILED",
                problem::key.at, table.count);
}

// ---- rows ----

template <typename OP, typename T> struct row_on_host {
    typedef tune::reduce_result_t<OP, T> result;
    static result of(const T *row, size_t length)
    {
        if constexpr (std::is_same_v<OP, tune::composition>) {
            typedef on_host<tune::affine_u32> maps;
            auto sum = maps::identity();
            for (size_t i = 0; i < length; i++)
                sum = maps::times(sum, {(unsigned int)(row[i] >> 32) | 1, (unsigned int)row[i]});
            return (result)sum.factor << 32 | sum.offset;
        } else if constexpr (std::is_same_v<OP, tune::maximum>) {
            result greatest = std::numeric_limits<T>::min();
            for (size_t i = 0; i < length; i++)
                greatest = row[i] > greatest ? row[i] : greatest;
            return greatest;
        } else {
            double sum = 0;
            for (size_t i = 0; i < length; i++)
                sum += (double)row[i];
            return (result)sum;
        }
    }
};

template <typename OP, typename T>
void check_shape(const bench &on, const struct tuned *tuned, const char *name, const T *host,
                 size_t rows, size_t length, bool is_exact)
{
    typedef tune::reduce_result_t<OP, T> result;
    const size_t start = rows % 2; // not aligned, too
    std::vector<result> got(rows + 1);
    result *out = (result *)((T *)on.memory + (1 << 20));
    tune::choice why;
    WELL(cudaMemsetAsync(out, 0x5a, got.size() * sizeof(result), on.stream));
    WELL(tune::reduce_rows<OP>(tuned, on.at<T>(start * sizeof(T)), rows, length, out, on.stream,
                               &why));
    WELL(cudaMemcpyAsync(got.data(), out, got.size() * sizeof(result), cudaMemcpyDeviceToHost,
                         on.stream));
    WELL(cudaStreamSynchronize(on.stream));
    if (is_exact != why.is_exact)
        failed(name, "length %zu: launched %s: %s", length, why.configuration, why.reason);
    for (size_t r = 0; r < rows; r++)
        if (got[r] != row_on_host<OP, T>::of(host + start + r * length, length)) {
            failed(name, "%zu rows of %zu, row %zu is wrong: %s", rows, length, r,
                   why.configuration);
            break;
        }
    result poison;
    std::memset(&poison, 0x5a, sizeof poison);
    if (std::memcmp(&got[rows], &poison, sizeof poison) != 0)
        failed(name, "%zu rows of %zu: wrote behind the last: %s", rows, length, why.configuration);
}

template <typename OP, typename T> void check_rows()
{
    typedef tune::calls::rows_problem<OP, typename tune::calls::element_of<T>::type> problem;
    typedef tune::calls::rows_parameters P;
    const auto &table = tune::calls::table_of<problem, tune::calls::own_list>();
    std::mt19937_64 source(11);
    std::vector<T> host(1 << 20);
    for (T &each : host)
        each = std::is_same_v<OP, tune::composition> ? (T)source()
                                                     : (T)((int)(source() >> 20 & 255) - 100);
    const bench on(3 * host.size() * sizeof(T));
    WELL(cudaMemcpyAsync(on.memory, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice,
                         on.stream));
    const int before = failures;
    for (const size_t length : {0, 1, 8, 31, 32, 100, 128, 1024, 5000}) {
        check_shape<OP>(on, nullptr, problem::key.at, host.data(), 37, length, false);
        for (int i = 0; i < table.count; i++) {
            const auto &parameters = table.at[i].parameters;
            const bool is_any = parameters.value[P::LENGTH] == 0;
            char line[256], key[96];
            tune::calls::describe(table.fields, parameters, line, sizeof line);
            std::snprintf(key, sizeof key, "%s.%zu", problem::key.at, length);
            struct tuned *tuned = conf_of(key, line);
            // A kernel of another length is never taken.
            const bool is_exact = is_any || (size_t)parameters.value[P::LENGTH] == length;
            for (const size_t rows : {0, 1, 7, 200})
                check_shape<OP>(on, tuned, key, host.data(), rows, length, is_exact);
            tuned_free(tuned);
        }
    }
    std::printf("%s %s: %d configurations\n", failures == before ? "PASSED" : "FAILED",
                problem::key.at, table.count);
}

} // namespace

void check_families()
{
    check_ordered<tune::affine_u32>();
    check_ordered<tune::matrix_u32>();
    check_ordered<tune::matrix_f32>();
    check_ordered<first_of>();
    check_rows<tune::sum, int>();
    check_rows<tune::sum, float>();
    check_rows<tune::composition, unsigned long long>();
    check_rows<tune::maximum, short>();
}
