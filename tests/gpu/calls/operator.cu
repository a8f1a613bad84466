// Every element type under one operator, CALLS_OP (tune::CALLS_OP): each configuration that is
// compiled in, at many sizes and starts, held against a plain loop. Compiled once an operator.
#include "checks.cuh"

namespace
{

enum : bool {
    IS_SUM = std::is_same_v<tune::CALLS_OP, tune::sum>,
    IS_PRODUCT = std::is_same_v<tune::CALLS_OP, tune::product>,
    IS_MINIMUM = std::is_same_v<tune::CALLS_OP, tune::minimum>
};

template <typename T> constexpr bool is_real = !std::is_integral_v<T>;

template <typename T> double real_of(T value)
{
    if constexpr (std::is_same_v<T, __half>)
        return (double)__half2float(value);
    else if constexpr (std::is_same_v<T, __nv_bfloat16>)
        return (double)__bfloat162float(value);
    else
        return (double)value;
}

template <typename T> T of_real(double value)
{
    if constexpr (std::is_same_v<T, __half>)
        return __float2half((float)value);
    else if constexpr (std::is_same_v<T, __nv_bfloat16>)
        return __float2bfloat16((float)value);
    else
        return (T)value;
}

// Integers have all bits, odd ones for products. Reals: small integers for sums, 1 and -1 for
// products, which are exact in any order; all bits, NaN and infinities too, for extremes.
template <typename T> T random_element(std::mt19937_64 &source)
{
    const uint64_t bits = source() >> 7;
    if constexpr (!is_real<T>)
        return (T)(IS_PRODUCT ? bits | 1 : bits);
    if (IS_SUM)
        return of_real<T>((double)(bits % 17) - 8.0);
    if (IS_PRODUCT)
        return of_real<T>(bits % 2 ? 1.0 : -1.0);
    if (bits % 16 == 0)
        return of_real<T>(bits % 32 ? 0.0 : -0.0);
    const uint64_t all = source();
    T element;
    std::memcpy((void *)&element, &all, sizeof element);
    return element;
}

// The wrapped value of integers, the value of reals.
template <typename T> struct accumulated {
    uint64_t integer = IS_PRODUCT ? 1 : 0;
    double real = IS_PRODUCT ? 1 : 0;
    T extreme = identity();

    static T identity()
    {
        const double infinity = std::numeric_limits<double>::infinity();
        if constexpr (is_real<T>)
            return of_real<T>(IS_MINIMUM ? infinity : -infinity);
        else
            return IS_MINIMUM ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
    }
    static bool is_less(T a, T b)
    {
        if constexpr (is_real<T>) {
            const double x = real_of(a), y = real_of(b);
            return x < y || (x == y && std::signbit(x) && !std::signbit(y));
        } else {
            return a < b;
        }
    }
    void add(T value)
    {
        if constexpr (is_real<T>) {
            if (IS_SUM)
                real += real_of(value);
            else if (IS_PRODUCT)
                real *= real_of(value);
            if (std::isnan(real_of(value)))
                return;
        } else {
            integer = IS_SUM ? integer + (uint64_t)value : integer * (uint64_t)value;
        }
        if (IS_MINIMUM ? is_less(value, extreme) : is_less(extreme, value))
            extreme = value;
    }
    bool is_result(tune::reduce_result_t<tune::CALLS_OP, T> got) const
    {
        typedef decltype(got) result;
        if constexpr (!IS_SUM && !IS_PRODUCT)
            return std::memcmp(&got, &extreme, sizeof got) == 0;
        else if constexpr (is_real<T>)
            return (double)got == real;
        else
            return got == (result)integer;
    }
};

enum : int { STARTS = 3, GAP_BYTES = 32, SIZES_MAX = 24 };
const size_t starts[STARTS] = {0, 1, 3}; // elements behind an aligned address

std::vector<size_t> sizes_for(long long tile)
{
    if (chosen.is_small)
        return {0, 33, (size_t)tile, 2 * (size_t)tile + 1};
    std::vector<size_t> sizes = {0, 1, 2, 15, 31, 32, 33, 127, 1021, 4099, 65537, 100003};
    const size_t around[] = {(size_t)tile - 1, (size_t)tile, (size_t)tile + 1,
                             3 * (size_t)tile + 7};
    sizes.insert(sizes.end(), std::begin(around), std::end(around));
    return sizes;
}

template <typename T> struct problem_check {
    typedef tune::reduce_result_t<tune::CALLS_OP, T> result;
    const char *key;
    std::vector<T> input;
    const bench &on;
    T *in;
    unsigned char *out;

    // Computes on the host the result of `n` elements from `start` on, for each of the sizes.
    std::vector<accumulated<T>> expected(size_t start, const std::vector<size_t> &sizes) const
    {
        size_t most = 0;
        for (const size_t n : sizes)
            most = n > most ? n : most;
        std::vector<accumulated<T>> at(sizes.size());
        accumulated<T> so_far;
        for (size_t n = 0; n <= most; n++) {
            for (size_t i = 0; i < sizes.size(); i++)
                if (sizes[i] == n)
                    at[i] = so_far;
            if (n < most)
                so_far.add(input[start + n]);
        }
        return at;
    }

    // One configuration: all launches behind one another on one workspace, then one look.
    void check(const char *configuration, long long tile)
    {
        struct tuned *tuned = conf_of(key, configuration);
        const std::vector<size_t> sizes = sizes_for(tile);
        const size_t cells = sizes.size() * STARTS;
        WELL(cudaMemsetAsync(out, 0xa5, cells * GAP_BYTES, on.stream));
        tune::choice why;
        for (size_t cell = 0; cell < cells; cell++) {
            const size_t start = starts[cell % STARTS], n = sizes[cell / STARTS];
            result *to = (result *)(void *)(out + cell * GAP_BYTES);
            WELL(tune::reduce<tune::CALLS_OP>(tuned, in + start, n, to, on.workspace,
                                              tune::reduce_workspace_bytes(), on.stream, &why));
            if (!why.is_exact && cell == 0)
                failed(key, "%s: launched %s: %s", configuration, why.configuration, why.reason);
        }
        std::vector<unsigned char> got(cells * GAP_BYTES);
        WELL(cudaMemcpyAsync(got.data(), out, got.size(), cudaMemcpyDeviceToHost, on.stream));
        WELL(cudaStreamSynchronize(on.stream));
        for (size_t s = 0; s < STARTS; s++) {
            const std::vector<accumulated<T>> want = expected(starts[s], sizes);
            for (size_t i = 0; i < sizes.size(); i++)
                look(configuration, &got[(i * STARTS + s) * GAP_BYTES], want[i], sizes[i],
                     starts[s]);
        }
        tuned_free(tuned);
    }

    void look(const char *configuration, const unsigned char *cell, const accumulated<T> &want,
              size_t n, size_t start) const
    {
        result got;
        std::memcpy(&got, cell, sizeof got);
        if (!want.is_result(got))
            failed(key, "%s: wrong for n = %zu from element %zu on", configuration, n, start);
        for (size_t i = sizeof got; i < GAP_BYTES; i++)
            if (cell[i] != 0xa5) {
                failed(key, "%s: wrote behind the result, n = %zu", configuration, n);
                break;
            }
    }
};

template <typename T> void check_type(bool is_wanted_small)
{
    typedef tune::calls::reduce_problem<tune::CALLS_OP, typename tune::calls::element_of<T>::type>
        problem;
    if (chosen.is_small && !is_wanted_small)
        return;
    const auto &table = tune::calls::table_of<problem, tune::calls::own_list>();
    size_t most = 0;
    for (int i = 0; i < table.count; i++)
        for (const size_t n : sizes_for(table.at[i].tile))
            most = n > most ? n : most;
    std::mt19937_64 source(20240229);
    std::vector<T> input(most + 8);
    for (T &element : input)
        element = random_element<T>(source);
    const size_t out_at = (input.size() * sizeof(T) + 255) / 256 * 256;
    const bench on(out_at + SIZES_MAX * STARTS * GAP_BYTES);
    problem_check<T> check = {problem::key.at, input, on, on.at<T>(0),
                              on.at<unsigned char>(out_at)};
    WELL(cudaMemcpyAsync(check.in, input.data(), input.size() * sizeof(T), cudaMemcpyHostToDevice,
                         on.stream));
    const int before = failures;
    for (int i = 0; i < table.count; i++) {
        char configuration[256];
        tune::calls::describe(table.fields, table.at[i].parameters, configuration,
                              sizeof configuration);
        check.check(configuration, table.at[i].tile);
    }
    std::printf("%s %s: %d configurations\n", failures == before ? "PASSED" : "FAILED",
                problem::key.at, table.count);
}

} // namespace

#define FUNCTION_OF_(op) check_##op
#define FUNCTION_OF(op)  FUNCTION_OF_(op)
void FUNCTION_OF(CALLS_OP)()
{
    check_type<int>(true);
    check_type<double>(true);
    check_type<unsigned char>(false);
    check_type<__nv_bfloat16>(false);
#ifndef CALLS_SAMPLE // without configurations of these
    check_type<signed char>(false);
    check_type<short>(false);
    check_type<unsigned short>(false);
    check_type<unsigned int>(false);
    check_type<long>(false);
    check_type<unsigned long long>(false);
    check_type<__half>(false);
    check_type<float>(false);
#endif
}
