// Prints measurements as tables and as CSV.
#ifndef TUNE_BENCH_PEERS_REPORT
#define TUNE_BENCH_PEERS_REPORT

#include "ceilings.h"
#include "rounds.h"

namespace peers
{

constexpr double CONFIDENCE = 0.99;

void print_ceilings(const std::vector<ceiling> &ceilings);
void print_points(const std::vector<point> &points, const std::vector<ceiling> &ceilings);
void write_points(const std::vector<point> &points, const char *path);
void write_ceilings(const std::vector<ceiling> &ceilings, const char *path);

} // namespace peers

#endif
