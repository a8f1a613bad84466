// examples/t1/convolution.cu on the emulation, against a plain sum. Without arguments every point
// must pass; with --faults every point must be found wrong: each is compiled from a copy with one
// fault planted.
#include "tests/kernels/convolution_points.h"

#include <cstdio>
#include <cstring>
#include <string>

using convolution_points::height;
using convolution_points::point;
using convolution_points::width;

std::vector<point> &convolution_points::all()
{
    static std::vector<point> points;
    return points;
}

// A small integer, so that sums are exact.
static float value(int seed, int index)
{
    const uint32_t mixed = (static_cast<uint32_t>(index) + 1) * 2654435761u +
                           static_cast<uint32_t>(seed) * 2246822519u;
    return static_cast<float>((mixed ^ mixed >> 15) * 2654435761u >> 28) - 7.0f;
}

static float expected(const point &point, const float *input, int x, int y)
{
    const int input_width = width + point.across - 1;
    float sum = 0;
    for (int down = 0; down < point.down; down++)
        for (int right = 0; right < point.across; right++)
            sum += point.filter[down * point.across + right] *
                   input[(y + down) * input_width + x + right];
    return sum;
}

static std::string check(const point &point, uint64_t seed)
{
    const int inputs = (width + point.across - 1) * (height + point.down - 1);
    const int columns = (width + point.tile_width - 1) / point.tile_width;
    const int rows = (height + point.tile_height - 1) / point.tile_height;
    const simt::guarded input(sizeof(float) * static_cast<size_t>(inputs), true);
    const simt::guarded output(sizeof(float) * width * height, true);
    for (int i = 0; i < inputs; i++)
        input.as<float>()[i] = value(0, i);
    for (int i = 0; i < point.across * point.down; i++)
        point.filter[i] = value(1, i);
    const std::string wrong =
        simt::run({static_cast<unsigned int>(columns * rows),
                   static_cast<unsigned int>(point.threads), point.shared, seed, 2},
                  [&] { point.run(output.as<float>(), input.as<float>()); });
    if (!wrong.empty())
        return wrong;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const float got = output.as<float>()[y * width + x];
            const float must = expected(point, input.as<float>(), x, y);
            if (got != must)
                return "pixel (" + std::to_string(x) + ", " + std::to_string(y) + ") is " +
                       std::to_string(got) + ", not " + std::to_string(must);
        }
    return "";
}

int main(int count, char **arguments)
{
    const bool faults = count > 1 && std::strcmp(arguments[1], "--faults") == 0;
    int failed = 0;
    for (const auto &point : convolution_points::all()) {
        std::string wrong;
        for (uint64_t seed = 1; seed <= 3 && wrong.empty(); seed++)
            wrong = check(point, seed);
        if (wrong.empty() != faults)
            continue;
        std::printf("FAILED %s of %s: %s\n", point.name, std::strrchr(point.source, '/') + 1,
                    faults ? "the planted fault was not found" : wrong.c_str());
        failed++;
    }
    std::printf("%zu points, %d failed\n", convolution_points::all().size(), failed);
    return failed > 0 || convolution_points::all().empty();
}
