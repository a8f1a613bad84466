#include <cstdarg>
#include <cstdio>
#include <map>

#include "report.h"
#include "statistics.h"

namespace peers
{

namespace
{

// A ratio's median over the draws, with its interval.
interval ratio_of(const point &point)
{
    const interval logs = sign_interval(point.log_ratios, CONFIDENCE);
    return {std::exp(logs.middle), std::exp(logs.low), std::exp(logs.high)};
}

double gbs(const ceiling &ceiling)
{
    return double(ceiling.bytes) / ceiling.ns;
}

void print_point(const point &point, double read_gbs)
{
    const interval ratio = ratio_of(point);
    const double ns = median(point.tune_ns), rate = double(point.bytes) / ns;
    std::printf(
        "%-22s %-5s %-5s %10zu %5u %11.3f %11.3f %7.3f [%.3f, %.3f] %8.1f %6.1f %%  %-12s %s\n",
        point.problem->name, name_of(point.mode.issue), name_of(point.mode.cache), point.n,
        point.runs, ns / 1e3, median(point.rival_ns) / 1e3, ratio.middle, ratio.low, ratio.high,
        rate, 100 * rate / read_gbs, point.chosen.grade.c_str(),
        point.chosen.configuration.c_str());
}

std::string group_of(const point &point)
{
    return std::string(point.problem->name) + " " + name_of(point.mode.issue) + " " +
           name_of(point.mode.cache);
}

// Prints geometric means, and the points at which the rival is faster.
void print_means(const std::vector<point> &points)
{
    std::map<std::string, std::vector<double>> groups;
    for (const point &point : points)
        groups[group_of(point)].push_back(ratio_of(point).middle);
    std::printf("\n%-34s %16s %9s\n", "problem", "geometric mean", "smallest");
    for (const auto &group : groups)
        std::printf("%-34s %16.3f %9.3f\n", group.first.c_str(), geometric_mean(group.second),
                    *std::min_element(group.second.begin(), group.second.end()));
    for (const point &point : points) {
        const interval ratio = ratio_of(point);
        if (ratio.middle < 1)
            std::printf("under 1.00: %s, n %zu: %.4f [%.4f, %.4f]\n", group_of(point).c_str(),
                        point.n, ratio.middle, ratio.low, ratio.high);
    }
}

// A field of CSV.
std::string quoted(const std::string &text)
{
    std::string out = "\"";
    for (char c : text)
        out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

class csv
{
  public:
    csv(const char *path, const char *head) : path(path), file(std::fopen(path, "w"))
    {
        row("%s", head);
    }
    __attribute__((format(printf, 2, 3))) void row(const char *format, ...)
    {
        va_list arguments;
        va_start(arguments, format);
        good = good && file && std::vfprintf(file, format, arguments) >= 0 &&
               std::fputc('\n', file) != EOF;
        va_end(arguments);
    }
    void close()
    {
        if (file && std::fclose(file) != 0)
            good = false;
        if (!good || !file)
            fail(std::string(path) + " cannot be written");
    }

  private:
    const char *path;
    std::FILE *file;
    bool good = true;
};

} // namespace

void print_ceilings(const std::vector<ceiling> &ceilings)
{
    for (const ceiling &ceiling : ceilings)
        std::printf("%-5s %7.1f GB/s, %zu bytes moved: %s\n", ceiling.kind, gbs(ceiling),
                    ceiling.bytes, ceiling.way.c_str());
}

void print_points(const std::vector<point> &points, const std::vector<ceiling> &ceilings)
{
    std::printf("\n%-22s %-5s %-5s %10s %5s %11s %11s %7s %-14s %8s %8s  %-12s %s\n", "problem",
                "issue", "L2", "n", "runs", "tune us", "rival us", "ratio", "99 %", "GB/s",
                "of read", "grade", "configuration");
    for (const point &point : points)
        print_point(point, gbs(ceilings[0]));
    print_means(points);
}

void write_points(const std::vector<point> &points, const char *path)
{
    csv out(
        path,
        "problem,element_bytes,n,issue,mode,rival,runs,draws,rounds,tune_ns,tune_mad_ns,rival_ns,"
        "rival_mad_ns,ratio,ratio_low,ratio_high,grade,configuration,reason");
    for (const point &point : points) {
        const interval ratio = ratio_of(point);
        out.row("%s,%zu,%zu,%s,%s,%s,%u,%zu,%zu,%.2f,%.2f,%.2f,%.2f,%.5f,%.5f,%.5f,%s,%s,%s",
                point.problem->name, point.problem->element_bytes, point.n,
                name_of(point.mode.issue), name_of(point.mode.cache), point.problem->rival->name,
                point.runs, point.log_ratios.size(), point.tune_ns.size(), median(point.tune_ns),
                deviation(point.tune_ns), median(point.rival_ns), deviation(point.rival_ns),
                ratio.middle, ratio.low, ratio.high, quoted(point.chosen.grade).c_str(),
                quoted(point.chosen.configuration).c_str(), quoted(point.chosen.reason).c_str());
    }
    out.close();
}

void write_ceilings(const std::vector<ceiling> &ceilings, const char *path)
{
    csv out(path, "kind,bytes,gbs,way");
    for (const ceiling &ceiling : ceilings)
        out.row("%s,%zu,%.1f,%s", ceiling.kind, ceiling.bytes, gbs(ceiling),
                quoted(ceiling.way).c_str());
    out.close();
}

} // namespace peers
