// cub::DeviceReduce::Sum of the toolkit that compiles this, timed as tune times a kernel
// (docs/measuring.md): blocks of R calls in one graph behind a gate, each call on a copy of its own
// that is in no cache, after a clean read of twice the L2; the empty pair taken off; all cases take
// turns in a new order each round; the median over the rounds.
//
//   cub_reduce [--types i32,f32] [--sizes N,N,...] [--rounds N] [--device N] [--csv FILE]
//
// A table goes to stdout. FILE gets type,n,median_ns,mad_ns,samples.
#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <cub/device/device_reduce.cuh>

static void check(cudaError_t result, const char *what, int line)
{
    if (result == cudaSuccess)
        return;
    std::fprintf(stderr, "cub_reduce: line %d: %s: %s\n", line, what, cudaGetErrorString(result));
    std::exit(1);
}
#define CHECK(call) check((call), #call, __LINE__)

// ---- kernels of the measuring ----

// Waits until the host opens the gate, at most two seconds; says in `gave_up` when it did not.
__global__ void gate(const volatile unsigned int *open, unsigned int ticket,
                     volatile unsigned int *gave_up)
{
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    while (*open != ticket) {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        if (now - start > 2000000000ull) {
            *gave_up = 1;
            break;
        }
    }
}

// Fills the L2 with lines that are the same in memory: nothing is left to write back.
__global__ void read_clean(const uint4 *data, size_t count, unsigned int *sink)
{
    unsigned int folded = 0;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x) {
        const uint4 got = __ldcg(data + i);
        folded |= got.x | got.y | got.z | got.w;
    }
    if (folded != 0) // never: the buffer is zeros
        *sink = folded;
}

__host__ __device__ inline uint32_t hash(uint64_t index)
{
    uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    return uint32_t((z ^ (z >> 27)) >> 16);
}

// Integers: all bits. Reals: integers from -8 to 8, whose sums are exact in any order.
template <typename T> __host__ __device__ inline T element(uint64_t index);
template <> __host__ __device__ inline int element<int>(uint64_t index)
{
    return int(hash(index));
}
template <> __host__ __device__ inline float element<float>(uint64_t index)
{
    return float(int(hash(index) % 17) - 8);
}

template <typename T> __global__ void fill(T *to, size_t count)
{
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x)
        to[i] = element<T>(i);
}

// ---- timing ----

struct timer {
    cudaStream_t stream;
    cudaEvent_t start, stop;
    unsigned int *open, *gave_up; // pinned; the gate reads and writes them
    unsigned int ticket = 0;
    uint4 *clean;
    size_t clean_words;
    unsigned int *sink;
    int multiprocessors;
    double empty_ns = 0;
};

static void read_clean_buffer(const timer &timer)
{
    read_clean<<<timer.multiprocessors * 4, 512, 0, timer.stream>>>(timer.clean, timer.clean_words,
                                                                    timer.sink);
    CHECK(cudaGetLastError());
}

// One block: everything is submitted before the gate opens. `graph` NULL: the empty pair.
static double time_block_ns(timer &timer, cudaGraphExec_t graph, bool cold)
{
    float elapsed_ms = 0;
    timer.ticket++;
    if (cold)
        read_clean_buffer(timer);
    gate<<<1, 1, 0, timer.stream>>>(timer.open, timer.ticket, timer.gave_up);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(timer.start, timer.stream));
    if (graph)
        CHECK(cudaGraphLaunch(graph, timer.stream));
    CHECK(cudaEventRecord(timer.stop, timer.stream));
    *static_cast<volatile unsigned int *>(timer.open) = timer.ticket;
    CHECK(cudaEventSynchronize(timer.stop));
    if (*static_cast<volatile unsigned int *>(timer.gave_up)) {
        std::fprintf(stderr, "cub_reduce: the gate gave up waiting for the host\n");
        std::exit(1);
    }
    CHECK(cudaEventElapsedTime(&elapsed_ms, timer.start, timer.stop));
    return elapsed_ms * 1e6;
}

static double median(std::vector<double> values)
{
    const size_t middle = values.size() / 2;
    std::sort(values.begin(), values.end());
    return values.size() % 2 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

// Median absolute deviation from the median.
static double deviation(std::vector<double> values)
{
    const double centre = median(values);
    for (double &value : values)
        value = std::fabs(value - centre);
    return median(values);
}

static void open_timer(timer &timer, int device)
{
    int l2_bytes = 0;
    CHECK(cudaSetDevice(device));
    CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
    CHECK(cudaDeviceGetAttribute(&timer.multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaStreamCreate(&timer.stream));
    CHECK(cudaEventCreate(&timer.start));
    CHECK(cudaEventCreate(&timer.stop));
    CHECK(cudaMallocHost(&timer.open, sizeof *timer.open));
    CHECK(cudaMallocHost(&timer.gave_up, sizeof *timer.gave_up));
    *timer.open = *timer.gave_up = 0;
    timer.clean_words = 2 * size_t(l2_bytes) / sizeof *timer.clean;
    CHECK(cudaMalloc(&timer.clean, timer.clean_words * sizeof *timer.clean));
    CHECK(cudaMemset(timer.clean, 0, timer.clean_words * sizeof *timer.clean));
    CHECK(cudaMalloc(&timer.sink, sizeof *timer.sink));
    CHECK(cudaDeviceSynchronize());
}

// Windows of 50 ms until reading the clean buffer takes the same time, within 0.5 %, in three
// windows in a row; 0.3 to 3 s.
static void warm_up(timer &timer)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto since = [](std::chrono::steady_clock::time_point then) {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
    };
    double before = 0;
    int steady = 0;
    while (since(begin) < 3 && (since(begin) < 0.3 || steady < 2)) {
        const auto window = std::chrono::steady_clock::now();
        std::vector<double> times;
        while (since(window) < 0.05) {
            float elapsed_ms = 0;
            CHECK(cudaEventRecord(timer.start, timer.stream));
            for (int i = 0; i < 8; i++)
                read_clean_buffer(timer);
            CHECK(cudaEventRecord(timer.stop, timer.stream));
            CHECK(cudaEventSynchronize(timer.stop));
            CHECK(cudaEventElapsedTime(&elapsed_ms, timer.start, timer.stop));
            times.push_back(elapsed_ms);
        }
        const double now = median(times);
        steady = std::fabs(now - before) < 0.005 * now ? steady + 1 : 0;
        before = now;
    }
    std::vector<double> empty;
    for (int i = 0; i < 101; i++)
        empty.push_back(time_block_ns(timer, nullptr, false));
    timer.empty_ns = median(empty);
}

// ---- the cases ----

constexpr double block_ns = 100e3; // a block lasts at least so long ...
constexpr unsigned int runs_max = 512;
constexpr size_t alignment = 256; // of each copy, bytes

struct measured {
    std::string type;
    size_t n, bytes, stride;
    unsigned int runs;
    cudaGraphExec_t graph;
    std::vector<double> samples_ns;
};

// Memory that cases share: they run one after another.
struct memory {
    char *copies;
    size_t copies_bytes;
    void *temporary;
    size_t temporary_bytes;
    void *out;
};

template <typename T>
static void sum(void *temporary, size_t &temporary_bytes, const T *in, T *out, size_t n,
                cudaStream_t stream)
{
    // The count's type chooses the type of CUB's offsets, as a caller's int would.
    if (n <= INT_MAX)
        CHECK(cub::DeviceReduce::Sum(temporary, temporary_bytes, in, out, int(n), stream));
    else
        CHECK(cub::DeviceReduce::Sum(temporary, temporary_bytes, in, out, (long long)n, stream));
}

template <typename T>
static cudaGraphExec_t record(const timer &timer, const memory &memory, const measured &measured,
                              unsigned int runs)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamBeginCapture(timer.stream, cudaStreamCaptureModeThreadLocal));
    for (unsigned int run = 0; run < runs; run++) {
        size_t bytes = memory.temporary_bytes;
        sum(memory.temporary, bytes, reinterpret_cast<T *>(memory.copies + run * measured.stride),
            static_cast<T *>(memory.out), measured.n, timer.stream);
    }
    CHECK(cudaStreamEndCapture(timer.stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphUpload(executable, timer.stream));
    CHECK(cudaStreamSynchronize(timer.stream));
    CHECK(cudaGraphDestroy(graph));
    return executable;
}

// The sums of the first n elements, for each n of `sizes` (ascending), from one pass.
template <typename T> static std::vector<T> expected_sums(const std::vector<size_t> &sizes)
{
    std::vector<T> sums;
    uint32_t bits = 0;
    double real = 0;
    size_t i = 0;
    for (size_t n : sizes) {
        for (; i < n; i++) {
            bits += uint32_t(int64_t(element<T>(i)));
            real += double(element<T>(i));
        }
        sums.push_back(std::is_integral<T>::value ? T(int32_t(bits)) : T(real));
    }
    return sums;
}

template <typename T>
static void prepare(timer &timer, const memory &memory, const char *type, size_t n, T expected,
                    std::vector<measured> &cases)
{
    T got;
    measured made = {type, n, n * sizeof(T), 0, 1, nullptr, {}};
    made.stride = (made.bytes + alignment - 1) / alignment * alignment;
    cudaGraphExec_t once = record<T>(timer, memory, made, 1);
    std::vector<double> first;
    for (int i = 0; i < 5; i++)
        first.push_back(time_block_ns(timer, once, true) - timer.empty_ns);
    CHECK(cudaGraphExecDestroy(once));
    CHECK(cudaMemcpy(&got, memory.out, sizeof got, cudaMemcpyDeviceToHost));
    if (got != expected) {
        std::fprintf(stderr, "cub_reduce: %s, n %zu: sum is %.17g, should be %.17g\n", type, n,
                     double(got), double(expected));
        std::exit(1);
    }
    const double wanted = std::ceil(block_ns / std::max(median(first), 1.0));
    const size_t fit = std::max<size_t>(1, memory.copies_bytes / made.stride);
    made.runs = unsigned(std::min({wanted, double(runs_max), double(fit)}));
    made.graph = record<T>(timer, memory, made, made.runs);
    cases.push_back(made);
}

// Copies: the largest input twice, at least 1 GiB, at most half of the free memory.
template <typename T> static memory make_memory(const std::vector<size_t> &sizes)
{
    memory made = {};
    size_t free_bytes = 0, total_bytes = 0;
    const size_t n = sizes.back();
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    made.copies_bytes = std::min(std::max(2 * n * sizeof(T), size_t(1) << 30), free_bytes / 2);
    if (made.copies_bytes < n * sizeof(T)) {
        std::fprintf(stderr, "cub_reduce: n %zu does not fit in the device's free memory\n", n);
        std::exit(1);
    }
    CHECK(cudaMalloc(&made.copies, made.copies_bytes));
    fill<<<1024, 256>>>(reinterpret_cast<T *>(made.copies), made.copies_bytes / sizeof(T));
    CHECK(cudaGetLastError());
    for (size_t size : sizes) {
        size_t bytes = 0;
        sum<T>(nullptr, bytes, nullptr, nullptr, size, nullptr);
        made.temporary_bytes = std::max(made.temporary_bytes, bytes);
    }
    CHECK(cudaMalloc(&made.temporary, std::max<size_t>(made.temporary_bytes, 1)));
    CHECK(cudaMalloc(&made.out, sizeof(T)));
    CHECK(cudaDeviceSynchronize());
    return made;
}

template <typename T>
static void prepare_all(timer &timer, const char *type, const std::vector<size_t> &sizes,
                        std::vector<measured> &cases)
{
    const memory memory = make_memory<T>(sizes);
    const std::vector<T> expected = expected_sums<T>(sizes);
    warm_up(timer); // the clock fell meanwhile
    for (size_t i = 0; i < sizes.size(); i++)
        prepare<T>(timer, memory, type, sizes[i], expected[i], cases);
}

// Every case once a round, in a new order each time; the first round is not counted.
static void measure(timer &timer, std::vector<measured> &cases, int rounds)
{
    std::mt19937 random(1);
    std::vector<size_t> order(cases.size());
    for (size_t i = 0; i < order.size(); i++)
        order[i] = i;
    for (int round = -1; round < rounds; round++) {
        std::shuffle(order.begin(), order.end(), random);
        for (size_t index : order) {
            measured &one = cases[index];
            const double ns = (time_block_ns(timer, one.graph, true) - timer.empty_ns) / one.runs;
            if (round >= 0)
                one.samples_ns.push_back(ns);
        }
    }
}

// ---- the command line ----

static std::vector<std::string> split(const char *list)
{
    std::vector<std::string> parts(1);
    for (; *list; list++)
        if (*list == ',')
            parts.emplace_back();
        else
            parts.back() += *list;
    return parts;
}

struct options {
    std::vector<std::string> types = {"i32", "f32"};
    std::vector<size_t> sizes = {1u << 10, 1u << 12, 1u << 14, 1u << 16,  1u << 18, 1u << 20,
                                 1u << 22, 1u << 24, 1u << 26, 100000000, 1u << 28};
    int rounds = 60;
    int device = 0;
    const char *csv = nullptr;
};

[[noreturn]] static void usage(const std::string &what)
{
    std::fprintf(stderr,
                 "cub_reduce: %s\nuse: cub_reduce [--types i32,f32] [--sizes N,N,...] [--rounds N] "
                 "[--device N] [--csv FILE]\n",
                 what.c_str());
    std::exit(2);
}

static long long number(const std::string &text, long long least)
{
    char *end = nullptr;
    const long long value = std::strtoll(text.c_str(), &end, 10);
    if (text.empty() || *end || value < least)
        usage("'" + text + "' is no number from " + std::to_string(least) + " up");
    return value;
}

static options read_options(int count, char **arguments)
{
    options options;
    for (int i = 1; i < count; i += 2) {
        const std::string name = arguments[i];
        if (i + 1 == count)
            usage(name + " needs a value");
        const char *value = arguments[i + 1];
        if (name == "--types") {
            options.types = split(value);
        } else if (name == "--sizes") {
            options.sizes.clear();
            for (const std::string &size : split(value))
                options.sizes.push_back(size_t(number(size, 1)));
        } else if (name == "--rounds") {
            options.rounds = int(number(value, 1));
        } else if (name == "--device") {
            options.device = int(number(value, 0));
        } else if (name == "--csv") {
            options.csv = value;
        } else {
            usage("unknown option " + name);
        }
    }
    std::sort(options.sizes.begin(), options.sizes.end());
    return options;
}

static void print_table(const std::vector<measured> &cases)
{
    std::printf("%-5s %12s %6s %12s %10s %10s\n", "type", "n", "runs", "median us", "MAD us",
                "GB/s");
    for (const measured &one : cases) {
        const double ns = median(one.samples_ns);
        std::printf("%-5s %12zu %6u %12.3f %10.3f %10.1f\n", one.type.c_str(), one.n, one.runs,
                    ns / 1e3, deviation(one.samples_ns) / 1e3, double(one.bytes) / ns);
    }
}

static void write_csv(const std::vector<measured> &cases, const char *path)
{
    std::FILE *file = std::fopen(path, "w");
    bool good = file != nullptr;
    if (good) {
        good = std::fprintf(file, "type,n,median_ns,mad_ns,samples\n") > 0;
        for (const measured &one : cases)
            good = std::fprintf(file, "%s,%zu,%.1f,%.1f,%zu\n", one.type.c_str(), one.n,
                                median(one.samples_ns), deviation(one.samples_ns),
                                one.samples_ns.size()) > 0 &&
                   good;
        good = std::fclose(file) == 0 && good;
    }
    if (!good) {
        std::perror(path);
        std::exit(1);
    }
}

int main(int count, char **arguments)
{
    const options options = read_options(count, arguments);
    timer timer;
    cudaDeviceProp properties;
    std::vector<measured> cases;

    // Code must not be loaded while a gate is closed or a graph is recorded.
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    open_timer(timer, options.device);
    CHECK(cudaGetDeviceProperties(&properties, options.device));
    warm_up(timer);
    for (const std::string &type : options.types) {
        if (type == "i32")
            prepare_all<int>(timer, "i32", options.sizes, cases);
        else if (type == "f32")
            prepare_all<float>(timer, "f32", options.sizes, cases);
        else
            usage("unknown type " + type);
    }
    warm_up(timer);
    std::fprintf(stderr, "%s, CUB %d.%d.%d, empty pair %.0f ns, %d rounds\n", properties.name,
                 CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION, timer.empty_ns,
                 options.rounds);
    measure(timer, cases, options.rounds);
    print_table(cases);
    if (options.csv)
        write_csv(cases, options.csv);
    return 0;
}
