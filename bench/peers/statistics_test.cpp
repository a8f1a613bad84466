// statistics.h: medians and means by hand; the sign interval holds the true median as often as it
// says, whatever the distribution, and is no wider than it has to be.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "statistics.h"

static int failures = 0;

static void expect(bool holds, const char *what)
{
    std::printf("%s %s\n", holds ? "ok    " : "FAILED", what);
    failures += !holds;
}
#define EXPECT(condition) expect((condition), #condition)

static bool near(double a, double b)
{
    return std::fabs(a - b) < 1e-12;
}

// The share of intervals that miss the median of a skewed distribution (whose median is 0).
static double missed(size_t count, double confidence)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    int outside = 0;
    constexpr int tries = 40000;
    for (int i = 0; i < tries; i++) {
        std::vector<double> values;
        for (size_t k = 0; k < count; k++)
            values.push_back(-std::log(uniform(random)) - std::log(2));
        const peers::interval got = peers::sign_interval(values, confidence);
        outside += got.low > 0 || got.high < 0;
    }
    return double(outside) / tries;
}

int main()
{
    EXPECT(near(peers::median({3, 1, 2}), 2));
    EXPECT(near(peers::median({4, 1, 2, 3}), 2.5));
    EXPECT(near(peers::deviation({1, 2, 3, 4, 100}), 1));
    EXPECT(near(peers::geometric_mean({1, 4, 2}), 2));
    EXPECT(near(peers::geometric_mean({}), 1));

    // 24 throws: five or fewer on one side has a probability of 0.33 %, six or fewer of 1.1 %.
    std::vector<double> values;
    for (int i = 24; i >= 1; i--)
        values.push_back(i);
    const peers::interval got = peers::sign_interval(values, 0.99);
    EXPECT(near(got.middle, 12.5) && near(got.low, 6) && near(got.high, 19));
    EXPECT(missed(24, 0.99) <= 0.01 && missed(24, 0.99) > 0.003);
    EXPECT(missed(25, 0.95) <= 0.05 && missed(25, 0.95) > 0.02);

    values.resize(peers::INTERVAL_VALUES_MIN);
    EXPECT(std::isfinite(peers::sign_interval(values, 0.99).low));
    values.pop_back();
    EXPECT(std::isinf(peers::sign_interval(values, 0.99).low));
    EXPECT(std::isinf(peers::sign_interval(values, 0.99).high));
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
