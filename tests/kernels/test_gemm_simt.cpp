// examples/t1/gemm.cu on the emulation, against a plain product. Without arguments every point must
// pass; with --faults every point must be found wrong: each is compiled from a copy with one fault
// planted.
#include "tests/kernels/gemm_points.h"

#include <cstdio>
#include <cstring>
#include <string>

using gemm_points::point;

unsigned int gemm_points::blocks_in_a_row = 1;

std::vector<point> &gemm_points::all()
{
    static std::vector<point> points;
    return points;
}

// A small integer, so that sums are exact.
static double value(int matrix, int column, int row)
{
    const uint32_t mixed =
        (static_cast<uint32_t>(matrix) * 7919u + static_cast<uint32_t>(column)) * 2654435761u +
        static_cast<uint32_t>(row) * 2246822519u;
    return static_cast<double>((mixed ^ mixed >> 15) * 2654435761u >> 28) - 7.0;
}

template <typename T> static void fill(T *out, int matrix, int columns, int rows)
{
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            out[row * columns + column] = static_cast<T>(value(matrix, column, row));
}

// a[k * m + i], b[k * n + j]; c[j * m + i].
template <typename T>
static std::string compare(int m, int n, int k, const T *a, const T *b, const T *c)
{
    std::vector<double> row(static_cast<size_t>(m));
    for (int j = 0; j < n; j++) {
        std::fill(row.begin(), row.end(), 0.0);
        for (int l = 0; l < k; l++)
            for (int i = 0; i < m; i++)
                row[static_cast<size_t>(i)] +=
                    static_cast<double>(a[l * m + i]) * static_cast<double>(b[l * n + j]);
        for (int i = 0; i < m; i++)
            if (static_cast<double>(c[j * m + i]) != row[static_cast<size_t>(i)])
                return "C(" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
                       std::to_string(static_cast<double>(c[j * m + i])) + ", not " +
                       std::to_string(row[static_cast<size_t>(i)]);
    }
    return "";
}

template <typename T>
static std::string check_as(const point &point, int across, int down, int deep, uint64_t seed)
{
    const int m = across * point.mwg, n = down * point.nwg, k = deep * point.kwg;
    const simt::guarded a(sizeof(T) * static_cast<size_t>(m * k), true);
    const simt::guarded b(sizeof(T) * static_cast<size_t>(n * k), true);
    const simt::guarded c(sizeof(T) * static_cast<size_t>(m * n), true);
    fill(a.as<T>(), 0, m, k);
    fill(b.as<T>(), 1, n, k);
    gemm_points::blocks_in_a_row = static_cast<unsigned int>(across);
    const std::string wrong =
        simt::run({static_cast<unsigned int>(across * down),
                   static_cast<unsigned int>(point.threads), point.shared, seed, 2},
                  [&] { point.run(m, n, k, a.as<T>(), b.as<T>(), c.as<T>()); });
    return wrong.empty() ? compare(m, n, k, a.as<T>(), b.as<T>(), c.as<T>()) : wrong;
}

// A block on its own, and a grid in which M, N and K differ.
static std::string check(const point &point)
{
    static const int shapes[][3] = {{1, 1, 1}, {2, 3, 4}, {1, 2, 2}};
    uint64_t seed = 1;
    for (const auto &shape : shapes) {
        const std::string wrong =
            point.element_bytes == 4
                ? check_as<float>(point, shape[0], shape[1], shape[2], seed++)
                : check_as<double>(point, shape[0], shape[1], shape[2], seed++);
        if (!wrong.empty())
            return std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + " blocks, " +
                   std::to_string(shape[2]) + " steps: " + wrong;
    }
    return "";
}

int main(int count, char **arguments)
{
    const bool faults = count > 1 && std::strcmp(arguments[1], "--faults") == 0;
    int failed = 0;
    for (const auto &point : gemm_points::all()) {
        const std::string wrong = check(point);
        if (wrong.empty() != faults)
            continue;
        std::printf("FAILED %s of %s: %s\n", point.name, std::strrchr(point.source, '/') + 1,
                    faults ? "the planted fault was not found" : wrong.c_str());
        failed++;
    }
    std::printf("%zu points, %d failed\n", gemm_points::all().size(), failed);
    return failed > 0 || gemm_points::all().empty();
}
