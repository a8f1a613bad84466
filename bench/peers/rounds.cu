#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "elements.h"
#include "rounds.h"
#include "statistics.h"

namespace peers
{

namespace
{

constexpr size_t ALIGNMENT = 256;
// Outputs and workspaces take turns over as many places as come to this, at most 256.
constexpr size_t TURNS_BYTES = 16 << 20, PLACES_MAX = 256;
constexpr int HOT_RUNS = 2;

size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

__global__ void fill_input(uint64_t *words, size_t count, fill fill)
{
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x)
        words[i] = word_of(fill, i);
}

__global__ void gather(const char *from, size_t stride, size_t bytes, result *to)
{
    for (size_t i = threadIdx.x; i < bytes; i += blockDim.x)
        to[blockIdx.x].bytes[i] = from[blockIdx.x * stride + i];
}

// Shared by all points, one after the other: a piece of memory for each contender, and the
// collected results.
struct shared_memory {
    char *prepared, *tune, *rival; // tune's: workspaces that are kept, and memory of any content
    size_t stride;                 // distance of places; a rival that needs more has fewer
    result *gathered;
};

size_t place_bytes(const contender &contender, size_t n)
{
    return ALIGNMENT + aligned(std::max<size_t>(contender.workspace_bytes(n), 1));
}

// Makes as many places as either of the two has room for; the rival that needs a lot has one of
// its own.
places make_places(const contender &contender, size_t n, size_t stride, char *at)
{
    places made = {};
    made.at = at;
    made.stride = stride;
    made.count = std::min(PLACES_MAX, std::max<size_t>(1, TURNS_BYTES / stride));
    made.workspace_bytes = contender.workspace_bytes(n);
    made.result_offset = contender.result_offset ? ALIGNMENT + contender.result_offset(n) : 0;
    return made;
}

// A graph's content: `runs` calls, each with the next copy and the next place.
struct draw {
    size_t first_copy, first_place;
};

call call_of(const point &point, const places &places, const input &input, const draw &draw,
             size_t run, cudaStream_t stream)
{
    const size_t turn = point.mode.cache == cache::hot ? 0 : run;
    char *const place = places.at + (draw.first_place + turn) % places.count * places.stride;
    return {input.at + (draw.first_copy + turn) % point.copies * point.stride,
            point.n,
            place,
            place + ALIGNMENT,
            places.workspace_bytes,
            stream};
}

void submit(const timer &timer, const point &point, const contender &contender,
            const places &places, const input &input, const draw &draw, unsigned int runs)
{
    for (unsigned int run = 0; run < runs; run++)
        contender.submit(call_of(point, places, input, draw, run, timer.stream));
}

// Records a graph; NULL if the calls are issued one by one.
cudaGraphExec_t record(const timer &timer, const point &point, const contender &contender,
                       const places &places, const input &input, const draw &draw,
                       unsigned int runs)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    if (point.mode.issue == issue::eager)
        return nullptr;
    CHECK(cudaStreamBeginCapture(timer.stream, cudaStreamCaptureModeThreadLocal));
    submit(timer, point, contender, places, input, draw, runs);
    CHECK(cudaStreamEndCapture(timer.stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphUpload(executable, timer.stream));
    CHECK(cudaGraphDestroy(graph));
    return executable;
}

std::string text_of(const point &point)
{
    return std::string(point.problem->name) + ", n " + std::to_string(point.n) + ", " +
           name_of(point.mode.issue) + ", " + name_of(point.mode.cache);
}

// Calls of a block, as the point's mode issues them.
struct block {
    const peers::contender *contender;
    const peers::places *places;
    peers::draw draw;
    unsigned int runs;
    cudaGraphExec_t graph;
};

void launch(const timer &timer, const point &point, const input &input, const block &block)
{
    if (block.graph)
        CHECK(cudaGraphLaunch(block.graph, timer.stream));
    else
        submit(timer, point, *block.contender, *block.places, input, block.draw, block.runs);
}

// Returns the results that a block leaves in each place.
std::vector<result> results_of(timer &timer, const shared_memory &memory, const input &input,
                               const point &point, const block &block)
{
    const places &places = *block.places;
    std::vector<result> got(places.count);
    char *const first = places.at + places.result_offset;
    if (places.count == 1)
        CHECK(cudaMemsetAsync(first, 0x5a, point.problem->result_bytes, timer.stream));
    else
        CHECK(cudaMemset2DAsync(first, places.stride, 0x5a, point.problem->result_bytes,
                                places.count, timer.stream));
    CHECK(cudaMemsetAsync(memory.gathered, 0, PLACES_MAX * sizeof(result), timer.stream));
    launch(timer, point, input, block);
    gather<<<unsigned(places.count), 32, 0, timer.stream>>>(
        first, places.stride, point.problem->result_bytes, memory.gathered);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(got.data(), memory.gathered, got.size() * sizeof(result),
                          cudaMemcpyDeviceToHost, timer.stream));
    CHECK(cudaStreamSynchronize(timer.stream));
    return got;
}

bool same(const result &a, const result &b)
{
    return std::memcmp(a.bytes, b.bytes, RESULT_BYTES_MAX) == 0;
}

// Brings the caches into their state.
void set_caches(timer &timer, const point &point, const input &input, const block &block)
{
    if (point.mode.cache == cache::clean)
        flush(timer);
    else if (point.mode.cache == cache::dirty)
        flush_dirty(timer);
    else
        submit(timer, point, *block.contender, *block.places, input, block.draw, HOT_RUNS);
}

// Nanoseconds of the block.
double time_block(timer &timer, const point &point, const input &input, const block &block)
{
    const auto time = point.mode.issue == issue::eager ? time_eager_ns : time_ns;
    return time(
        timer, [&] { set_caches(timer, point, input, block); },
        [&] { launch(timer, point, input, block); });
}

block make_block(const timer &timer, const point &point, const input &input,
                 const contender &contender, const places &places, const draw &draw,
                 unsigned int runs)
{
    return {&contender, &places, draw, runs,
            record(timer, point, contender, places, input, draw, runs)};
}

void end_block(const block &block)
{
    if (block.graph)
        CHECK(cudaGraphExecDestroy(block.graph));
}

// Runs once over the first copy, compares with the host's result, and returns the time.
double first_run(timer &timer, const shared_memory &memory, const input &input, const point &point,
                 const contender &contender, const places &places)
{
    const block once = make_block(timer, point, input, contender, places, {0, 0}, 1);
    std::vector<double> times;
    if (!same(results_of(timer, memory, input, point, once)[0], point.expected))
        fail(text_of(point) + ": the result of " + contender.name + " is wrong");
    for (int i = 0; i < 5; i++)
        times.push_back(time_block(timer, point, input, once));
    end_block(once);
    return std::max(median(times), 1.0);
}

void prepare(timer &timer, const shared_memory &memory, const input &input, const effort &effort,
             point &point)
{
    const contender &tune = *point.problem->tune, &rival = *point.problem->rival;
    const size_t rival_bytes = place_bytes(rival, point.n);
    point.bytes = point.n * point.problem->element_bytes;
    point.stride = aligned(std::max<size_t>(point.bytes, 1));
    point.tune =
        make_places(tune, point.n, memory.stride, tune.prepare ? memory.prepared : memory.tune);
    point.rival = make_places(rival, point.n, std::max(rival_bytes, memory.stride), memory.rival);
    point.copies = std::max<size_t>(1, input.bytes / point.stride);
    const double run_ns = std::min(first_run(timer, memory, input, point, tune, point.tune),
                                   first_run(timer, memory, input, point, rival, point.rival));
    double runs = std::min(std::ceil(effort.block_ns / run_ns), double(effort.runs_max));
    if (point.mode.cache != cache::hot)
        runs = std::min(runs, double(point.copies));
    // Runs that read the L2's size have written its dirty lines back; others would find it
    // clean.
    if (point.mode.cache == cache::dirty)
        runs = std::min(runs, std::ceil(double(timer.l2_bytes) / double(point.stride)));
    point.runs = unsigned(runs);
    if (tune.chosen)
        point.chosen = tune.chosen(point.n);
}

// Compares the results of the last runs, whose places none has taken since.
void compare(const point &point, const draw &draw, const std::vector<result> (&results)[2])
{
    const size_t kept = std::min({point.tune.count, point.rival.count, size_t(point.runs)});
    for (size_t run = point.runs - kept; run < point.runs; run++) {
        const size_t place = draw.first_place + (point.mode.cache == cache::hot ? 0 : run);
        if (!same(results[0][place % point.tune.count], results[1][place % point.rival.count]))
            fail(text_of(point) + ": run " + std::to_string(run) + " from copy " +
                 std::to_string(draw.first_copy) + " on has different results");
    }
}

// Times blocks at copies and places drawn at random.
void measure_draw(timer &timer, const shared_memory &memory, const input &input, point &point,
                  int rounds, std::mt19937 &random)
{
    const draw draw = {random() % point.copies, random() % PLACES_MAX};
    const block blocks[2] = {
        make_block(timer, point, input, *point.problem->tune, point.tune, draw, point.runs),
        make_block(timer, point, input, *point.problem->rival, point.rival, draw, point.runs)};
    const std::vector<result> results[2] = {results_of(timer, memory, input, point, blocks[0]),
                                            results_of(timer, memory, input, point, blocks[1])};
    compare(point, draw, results);
    double sum = 0;
    for (int round = 0; round < rounds; round++) {
        const unsigned int first = random() % 2;
        double ns[2];
        for (unsigned int turn = 0; turn < 2; turn++)
            ns[first ^ turn] = time_block(timer, point, input, blocks[first ^ turn]) / point.runs;
        point.tune_ns.push_back(ns[0]);
        point.rival_ns.push_back(ns[1]);
        sum += std::log(ns[1] / ns[0]);
    }
    point.log_ratios.push_back(sum / rounds);
    for (const block &block : blocks)
        end_block(block);
}

// Zeroes tune's workspaces here; every launch leaves them ready.
shared_memory make_memory(const std::vector<point> &points, cudaStream_t stream)
{
    shared_memory made = {};
    size_t rival_bytes = TURNS_BYTES;
    for (const point &point : points) {
        made.stride = std::max(made.stride, place_bytes(*point.problem->tune, point.n));
        rival_bytes = std::max(rival_bytes, place_bytes(*point.problem->rival, point.n));
    }
    const size_t tune_bytes = std::max(TURNS_BYTES, made.stride);
    CHECK(cudaMalloc(&made.prepared, tune_bytes));
    CHECK(cudaMalloc(&made.tune, tune_bytes));
    CHECK(cudaMemsetAsync(made.tune, 0xa5, tune_bytes, stream));
    CHECK(cudaMalloc(&made.rival, std::max(rival_bytes, made.stride)));
    CHECK(cudaMalloc(&made.gathered, PLACES_MAX * sizeof(result)));
    const auto keeps = [](const point &point) { return point.problem->tune->prepare != nullptr; };
    const auto keeper = std::find_if(points.begin(), points.end(), keeps);
    for (size_t at = 0; keeper != points.end() && at + made.stride <= tune_bytes; at += made.stride)
        keeper->problem->tune->prepare(made.prepared + at + ALIGNMENT, made.stride - ALIGNMENT,
                                       stream);
    return made;
}

std::vector<point> points_of(const std::vector<const problem *> &problems,
                             const std::vector<size_t> &sizes, const std::vector<mode> &modes)
{
    std::vector<point> points;
    for (const problem *problem : problems) {
        std::vector<size_t> fitting;
        for (size_t n : sizes)
            if (n <= problem->n_max)
                fitting.push_back(n);
        const std::vector<result> expected = problem->expected(fitting);
        for (mode mode : modes)
            for (size_t i = 0; i < fitting.size(); i++) {
                point made = {};
                made.problem = problem;
                made.n = fitting[i];
                made.mode = mode;
                made.expected = expected[i];
                points.push_back(made);
            }
    }
    return points;
}

} // namespace

const char *name_of(issue issue)
{
    return issue == issue::eager ? "eager" : "graph";
}

const char *name_of(cache cache)
{
    return cache == cache::clean ? "clean" : cache == cache::dirty ? "dirty" : "hot";
}

std::vector<point> measure(timer &timer, const input &input,
                           const std::vector<const problem *> &problems,
                           const std::vector<size_t> &sizes, const std::vector<mode> &modes,
                           const effort &effort)
{
    std::vector<point> points = points_of(problems, sizes, modes);
    std::vector<size_t> order(points.size());
    std::mt19937 random(effort.seed);

    if (points.empty())
        return points;
    const shared_memory memory = make_memory(points, timer.stream);
    fill_input<<<1024, 256>>>(reinterpret_cast<uint64_t *>(input.at), input.bytes / 8,
                              problems[0]->fill);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    warm_up(timer);
    for (point &point : points)
        prepare(timer, memory, input, effort, point);
    for (size_t i = 0; i < order.size(); i++)
        order[i] = i;
    for (int draw = -1; draw < effort.draws; draw++) {
        std::shuffle(order.begin(), order.end(), random);
        for (size_t index : order)
            measure_draw(timer, memory, input, points[index], effort.rounds, random);
        if (draw < 0) // the first is not counted
            for (point &point : points) {
                point.tune_ns.clear();
                point.rival_ns.clear();
                point.log_ratios.clear();
            }
    }
    CHECK(cudaFree(memory.prepared));
    CHECK(cudaFree(memory.tune));
    CHECK(cudaFree(memory.rival));
    CHECK(cudaFree(memory.gathered));
    return points;
}

} // namespace peers
