// Medians, and intervals that take no distribution for granted.
#ifndef TUNE_BENCH_PEERS_STATISTICS
#define TUNE_BENCH_PEERS_STATISTICS

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace peers
{

inline double median(std::vector<double> values)
{
    const size_t middle = values.size() / 2;
    std::sort(values.begin(), values.end());
    return values.size() % 2 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

// Returns the median absolute deviation from the median.
inline double deviation(std::vector<double> values)
{
    const double centre = median(values);
    for (double &value : values)
        value = std::fabs(value - centre);
    return median(values);
}

// Fewest values of which an interval at 99 % can be had: 2 * 2^-8 is under 1 %.
constexpr size_t INTERVAL_VALUES_MIN = 8;

struct interval {
    double middle, low, high;
};

// Returns the median of independent values with its sign interval: the k-th smallest and the
// k-th largest, k the greatest for which a coin falls on one side fewer than k times, in as many
// throws as there are values, with a probability of at most (1 - confidence) / 2.
inline interval sign_interval(std::vector<double> values, double confidence)
{
    const size_t count = values.size();
    double term = std::pow(0.5, double(count)), below = 0; // P(X = k), P(X < k)
    size_t k = 0;
    while (k < count / 2 && below + term <= (1 - confidence) / 2) {
        below += term;
        term *= double(count - k) / double(k + 1);
        k++;
    }
    std::sort(values.begin(), values.end());
    if (k == 0)
        return {median(values), -HUGE_VAL, HUGE_VAL};
    return {median(values), values[k - 1], values[count - k]};
}

inline double geometric_mean(const std::vector<double> &values)
{
    double sum = 0;
    for (double value : values)
        sum += std::log(value);
    return values.empty() ? 1 : std::exp(sum / double(values.size()));
}

} // namespace peers

#endif
