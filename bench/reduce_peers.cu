// The public calls of include/tune/ with a tuned.conf, and CUB's reduction of the toolkit that
// compiles this, in turns: the same rounds, the same copies of the input, the same state of the L2.
// Calls are replayed by graphs behind a gate, as tune times a kernel (docs/measuring.md), or issued
// one by one. Graphs are made anew for each draw, at copies and places drawn at random, the same
// for both. Every result is checked. Ceilings of the memory come from the same process. Problems
// that begin with drop_in. call tune::DeviceReduce in the place of cub::DeviceReduce.
//
//   reduce_peers --conf FILE [--problems sum.i32,max.f32] [--sizes N,N,...]
//                [--issue graph,eager] [--l2 clean,dirty,hot]
//                [--draws N] [--rounds N] [--seed N] [--device N] [--csv FILE] [--ceilings FILE]
//
// The kernels are those of the installed list, or with -DTUNE_CONFIGURATIONS of another one.
//
// Several --conf: each family goes by the first that has it.
// A table goes to stdout: times are medians over all rounds; the ratio, CUB / tune, is the median
// over the draws (of the mean of ln(ratio) over a draw's rounds, each pair of the same round), with
// the sign interval at 99 %. FILE gets a row per point.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include <cub/version.cuh>

#include "peers/report.h"
#include "peers/statistics.h"

namespace
{

using namespace peers;

struct options {
    const char *csv = nullptr, *ceilings = nullptr;
    std::vector<const char *> confs;
    std::vector<std::string> problems;
    std::vector<size_t> sizes;
    std::vector<issue> issues = {issue::graph, issue::eager};
    std::vector<cache> caches = {cache::clean, cache::dirty};
    peers::effort effort = {200e3, 512, 24, 2, 1};
    int device = 0;
};

constexpr const char *use = "use: reduce_peers --conf FILE ... [--problems sum.i32,...] [--sizes "
                            "N,...] [--issue graph,eager] "
                            "[--l2 clean,dirty,hot] [--draws N] [--rounds N] [--seed N] [--device "
                            "N] [--csv FILE] [--ceilings FILE]";

[[noreturn]] void usage(const std::string &what)
{
    std::fprintf(stderr, "reduce_peers: %s\n%s\n", what.c_str(), use);
    std::exit(2);
}

std::vector<std::string> split(const char *list)
{
    std::vector<std::string> parts(1);
    for (; *list; list++)
        if (*list == ',')
            parts.emplace_back();
        else
            parts.back() += *list;
    return parts;
}

long long number(const std::string &text, long long least)
{
    char *end = nullptr;
    const long long value = std::strtoll(text.c_str(), &end, 10);
    if (text.empty() || *end || value < least)
        usage("'" + text + "' is no number from " + std::to_string(least) + " up");
    return value;
}

// Returns the members of `all` that the list names.
template <typename T> std::vector<T> named(const char *list, std::initializer_list<T> all)
{
    std::vector<T> chosen;
    for (const std::string &name : split(list)) {
        const auto found =
            std::find_if(all.begin(), all.end(), [&](T one) { return name == name_of(one); });
        if (found == all.end())
            usage("unknown '" + name + "'");
        chosen.push_back(*found);
    }
    return chosen;
}

void set(options &options, const std::string &name, const char *value)
{
    if (name == "--conf") {
        options.confs.push_back(value);
    } else if (name == "--csv") {
        options.csv = value;
    } else if (name == "--ceilings") {
        options.ceilings = value;
    } else if (name == "--problems") {
        options.problems = split(value);
    } else if (name == "--sizes") {
        for (const std::string &size : split(value))
            options.sizes.push_back(size_t(number(size, 1)));
    } else if (name == "--issue") {
        options.issues = named(value, {issue::graph, issue::eager});
    } else if (name == "--l2") {
        options.caches = named(value, {cache::clean, cache::dirty, cache::hot});
    } else if (name == "--draws") {
        options.effort.draws = int(number(value, INTERVAL_VALUES_MIN));
    } else if (name == "--rounds") {
        options.effort.rounds = int(number(value, 1));
    } else if (name == "--seed") {
        options.effort.seed = unsigned(number(value, 0));
    } else if (name == "--device") {
        options.device = int(number(value, 0));
    } else {
        usage("unknown option " + name);
    }
}

options read_options(int count, char **arguments)
{
    options options;
    for (int i = 1; i < count; i += 2) {
        if (i + 1 == count)
            usage(std::string(arguments[i]) + " needs a value");
        set(options, arguments[i], arguments[i + 1]);
    }
    if (options.confs.empty())
        usage("--conf is missing");
    if (options.sizes.empty()) {
        for (int power = 10; power <= 28; power += 2)
            options.sizes.push_back(size_t(1) << power);
        options.sizes.insert(options.sizes.end(), {3000, 777777, 12345678, 100000000});
    }
    std::sort(options.sizes.begin(), options.sizes.end());
    return options;
}

std::vector<const problem *> chosen_problems(const options &options)
{
    std::vector<const problem *> chosen;
    for (const problem &problem : problems())
        if (options.problems.empty() || std::find(options.problems.begin(), options.problems.end(),
                                                  problem.name) != options.problems.end())
            chosen.push_back(&problem);
    if (chosen.size() < options.problems.size())
        usage("a problem is not known");
    return chosen;
}

// Makes two copies of the largest input and at least 1 GiB; most of it is for the ceilings.
input make_input(const std::vector<const problem *> &problems, const std::vector<size_t> &sizes)
{
    input made = {nullptr, size_t(1) << 30};
    size_t free_bytes = 0, total_bytes = 0, largest = 0;
    for (const problem *problem : problems)
        for (size_t n : sizes)
            if (n <= problem->n_max)
                largest = std::max(largest, n * problem->element_bytes);
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    made.bytes = std::min(std::max(made.bytes, 2 * largest + 512), free_bytes / 4 * 3) / 512 * 512;
    if (made.bytes < largest)
        fail("the largest input, " + std::to_string(largest) + " bytes, does not fit in the " +
             std::to_string(free_bytes) + " bytes that are free");
    CHECK(cudaMalloc(&made.at, made.bytes));
    return made;
}

// Problems that share an input take turns in the same rounds.
std::vector<point> measure_all(timer &timer, const input &input, const options &options,
                               const std::vector<const problem *> &chosen)
{
    std::map<fill, std::vector<const problem *>> groups;
    std::vector<point> points;
    std::vector<mode> modes;
    for (issue issue : options.issues)
        for (cache cache : options.caches)
            modes.push_back({issue, cache});
    for (const problem *problem : chosen)
        groups[problem->fill].push_back(problem);
    for (const auto &group : groups) {
        const std::vector<point> measured =
            measure(timer, input, group.second, options.sizes, modes, options.effort);
        points.insert(points.end(), measured.begin(), measured.end());
    }
    return points;
}

} // namespace

int main(int count, char **arguments)
{
    const options options = read_options(count, arguments);
    const std::vector<const problem *> chosen = chosen_problems(options);
    cudaDeviceProp properties;
    timer timer;

    // Code must not be loaded while a gate is closed or a graph is recorded.
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    open_timer(timer, options.device);
    CHECK(cudaGetDeviceProperties(&properties, options.device));
    for (const char *conf : options.confs)
        use_conf(conf);
    const input input = make_input(chosen, options.sizes);
    warm_up(timer);
    const std::vector<ceiling> ceilings = measure_ceilings(timer, input, 7);
    std::printf("%s, CUB %d.%d.%d, empty pair %.0f ns, %d draws of %d rounds\n", properties.name,
                CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION, timer.empty_ns,
                options.effort.draws, options.effort.rounds);
    print_ceilings(ceilings);
    const std::vector<point> points = measure_all(timer, input, options, chosen);
    print_points(points, ceilings);
    if (options.csv)
        write_points(points, options.csv);
    if (options.ceilings)
        write_ceilings(ceilings, options.ceilings);
    return 0;
}
