// Launches of the calls, without a GPU. The kernels are those of
// tests/gpu/calls/configurations.inc.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <vector>

#include <tune/reduce.cuh>

#include "tests/calls/fake_runtime.h"

// ---- checks ----

static int failures;
#define EXPECT(condition)                                                                          \
    ((condition)                                                                                   \
         ? (void)0                                                                                 \
         : (void)(failures++, std::printf("%s:%d: not so: %s\n", __func__, __LINE__, #condition)))

static tune::choice call(const char *line, size_t n)
{
    char text[1024];
    std::snprintf(text, sizeof text,
                  "tuned-conf 3\n[cuda \"%s\"]\nreduce.sum.i32 n=1-1000000000000 %s\nend\n",
                  machines[current].name, line);
    struct tuned *tuned = tuned_load_memory(text, std::strlen(text), "memory", nullptr);
    tune::choice why;
    static char workspace[tune::reduce_workspace_bytes()] __attribute__((aligned(16)));
    int in = 0, out = 0; // nobody looks
    launches.clear();
    EXPECT(tuned != nullptr);
    EXPECT(tune::reduce<tune::sum>(tuned, &in, n, &out, workspace, sizeof workspace, nullptr,
                                   &why) == cudaSuccess);
    tuned_free(tuned);
    return why;
}

#define FLAGGED                                                                                    \
    "variant=flagged map=strided step=redux block=256 count=4 loads=2 cache=l2_256b min_blocks=8"
#define CLUSTER                                                                                    \
    "variant=cluster cluster_size=4 map=strided step=redux block=256 count=4 loads=2 "             \
    "cache=no_allocate"
#define DEPENDENT                                                                                  \
    "variant=dependent_launches map=strided step=redux block=512 count=4 loads=4 "                 \
    "cache=evict_first"
#define BULK                                                                                       \
    "variant=bulk stages=2 map=strided step=redux block=128 count=4 loads=2 cache=no_allocate"

// Checks that the grid follows n and the device. A tile is 256 * 4 * 2 elements. One block more
// than the working ones waits for them.
static void grid_follows_n_and_the_device()
{
    const size_t tile = 2048;
    EXPECT(call(FLAGGED " blocks_per_sm=2", tile * 1000).is_exact);
    EXPECT(launches.size() == 1 && launches[0].grid == 2 * 132 + 1 && launches[0].block == 256);
    call(FLAGGED " blocks_per_sm=2", tile * 10 + 1);
    EXPECT(launches[0].grid == 11 + 1);
    call(FLAGGED " blocks_per_sm=occupancy", tile * 5000);
    EXPECT(launches[0].grid == 132 * 8 + 1);
    call(FLAGGED " blocks_per_sm=2", 0);
    EXPECT(launches[0].grid == 1 + 1 && launches[0].n == 0);
}

static void clusters_are_whole_and_several_have_one_more()
{
    call(CLUSTER " blocks_per_sm=1", 2048 * 3);
    EXPECT(launches[0].grid == 4);
    call(CLUSTER " blocks_per_sm=1", 2048 * 5);
    EXPECT(launches[0].grid == 8 + 4);
    call(CLUSTER " blocks_per_sm=1", 2048 * 5000);
    EXPECT(launches[0].grid == 132 + 4);
}

static void second_launch_is_given_the_partials()
{
    EXPECT(call(DEPENDENT " blocks_per_sm=1", 8192 * 500).is_exact);
    EXPECT(launches.size() == 2 && launches[0].grid == 132 && !launches[0].dependent);
    EXPECT(launches[1].grid == 1 && launches[1].dependent && launches[1].n == 132);
    EXPECT(launches[0].kernel != launches[1].kernel);
}

static void stages_are_dynamic_shared_memory()
{
    EXPECT(call(BULK " blocks_per_sm=1", 1 << 20).is_exact);
    EXPECT(launches[0].shared == 2 * 128 * 2 * 16);
}

// Checks the limits of a kernel's n. A warp counts its tiles of 64 elements in 32 bits.
static void kernels_are_not_taken_beyond_what_they_count()
{
    const char *const line = "variant=one_warp map=tile step=redux block=32 count=1 loads=2 "
                             "cache=no_allocate blocks_per_sm=1";
    EXPECT(call(line, 1000).is_exact);
    const tune::choice why = call(line, ((size_t)1 << 37) + 1);
    EXPECT(!why.is_exact && std::strstr(why.configuration, "variant=last_block") != nullptr);
    EXPECT(launches[0].n == (1ll << 37) + 1);
}

static void what_cannot_run_is_not_chosen()
{
    for (const char *line : {CLUSTER, DEPENDENT, BULK}) {
        const tune::choice why = call(line, 1 << 24);
        // Clusters are not even given by libtuned to a device that has none.
        const bool is_given =
            machines[current].major >= 9 || std::strstr(line, "variant=cluster") == nullptr;
        EXPECT(!why.is_exact && why.grade == TUNED_NONE);
        EXPECT(!is_given || std::strstr(why.reason, "cannot run on this device") != nullptr);
        EXPECT(std::strstr(why.configuration, "variant=last_block") != nullptr);
        EXPECT(launches.size() == 1 &&
               launches[0].grid == (unsigned int)machines[current].sm_count * 4);
    }
    EXPECT(call(FLAGGED, 1 << 24).is_exact);
}

// Checks that an entry with needs that the device lacks is not given, and costs no request.
static void what_needs_more_than_the_device_has_is_not_given()
{
    const char *const most = " | threads=1024 shared_bytes=232448 registers=64";
    char line[512];
    std::snprintf(line, sizeof line, FLAGGED " blocks_per_sm=2%s", most);
    EXPECT(call(line, 1 << 24).is_exact);
    for (const char *needs : {"threads=1025", "shared_bytes=232449", "threads=1024 registers=65"}) {
        std::snprintf(line, sizeof line, FLAGGED " blocks_per_sm=2 | %s", needs);
        const tune::choice why = call(line, 1 << 24);
        EXPECT(!why.is_exact && why.grade == TUNED_NONE);
        EXPECT(std::strstr(why.configuration, "variant=last_block") != nullptr);
        EXPECT(launches.size() == 1 && launches[0].block <= 1024);
    }
}

// Checks that a missing kernel is named with the line that compiles it in.
static void what_is_missing_is_named_with_its_line()
{
    const tune::choice why =
        call("variant=flagged map=strided step=redux cluster_size=1 stages=0 block=256 count=4 "
             "loads=3 cache=l2_256b bound=free min_blocks=8 blocks_per_sm=2 tile=1 grid=1",
             1 << 24);
    EXPECT(!why.is_exact && why.grade == TUNED_NONE);
    EXPECT(std::strstr(why.configuration, "loads=2") != nullptr);
    EXPECT(std::strstr(why.reason, "compiled in by TUNE_CONFIGURATION(\"reduce.sum.i32 "
                                   "variant=flagged map=strided step=redux cluster_size=1 "
                                   "stages=0 block=256 count=4 loads=3 cache=l2_256b "
                                   "min_blocks=8\")") != nullptr);
}

// Checks an entry's alternatives: the first that is compiled in and can run. Each lists only its
// differences.
static void alternatives_are_launched_where_the_first_is_missing()
{
    const char *const missing = "variant=flagged map=strided step=redux block=256 count=4 loads=3 "
                                "cache=l2_256b min_blocks=8 blocks_per_sm=2";
    char line[512];
    std::snprintf(line, sizeof line,
                  "%s | also1=\"loads=5\" also2=\"loads=2 blocks_per_sm=3\" also3=\"loads=2\"",
                  missing);
    tune::choice why = call(line, 2048 * 1000);
    EXPECT(why.is_exact && why.grade == TUNED_IN_RANGE);
    EXPECT(launches.size() == 1 && launches[0].grid == 3 * 132 + 1);
    EXPECT(std::strstr(why.configuration, "loads=2") != nullptr);
    EXPECT(std::strstr(why.reason, "also2") != nullptr);
    std::snprintf(line, sizeof line, "%s | also1=\"loads=5\"", missing);
    EXPECT(!call(line, 2048 * 1000).is_exact && launches[0].grid == 2 * 132 + 1);
    // The entry's own kernel first; an invalid alternative is skipped.
    EXPECT(
        call(FLAGGED " blocks_per_sm=2 | also1=\"loads=2 blocks_per_sm=3\"", 2048 * 1000).is_exact);
    EXPECT(launches[0].grid == 2 * 132 + 1);
    std::snprintf(line, sizeof line, "%s | also1=\"loads=x\" also2=\"loads=2\"", missing);
    EXPECT(call(line, 2048 * 1000).is_exact);
}

static struct tuned *loaded(const char *line)
{
    char text[1024];
    std::snprintf(text, sizeof text,
                  "tuned-conf 3\n[cuda \"%s\"]\nreduce.sum.i32 n=1-1000000000000 %s\nend\n",
                  machines[current].name, line);
    return tuned_load_memory(text, std::strlen(text), "memory", nullptr);
}

// Checks that the same call again needs neither the driver nor tuned.conf: the identity of the
// file is more than its address, and devices and sizes have plans of their own.
static void what_was_chosen_is_not_looked_up_again()
{
    alignas(16) static char workspace[tune::reduce_workspace_bytes()];
    static const int in[4] = {};
    int out = 0;
    const auto launch = [&](const struct tuned *tuned, size_t n) {
        launches.clear();
        EXPECT(tune::reduce<tune::sum>(tuned, in, n, &out, workspace, sizeof workspace, nullptr) ==
               cudaSuccess);
        return launches.size() == 1 ? launches[0].grid : 0;
    };
    struct tuned *tuned = loaded(BULK " blocks_per_sm=2");
    const size_t n = 128 * 2 * 4 * 100000;
    EXPECT(launch(tuned, n) == 2 * 132 + 1);
    const int requested = questions;
    for (int again = 0; again < 3; again++)
        EXPECT(launch(tuned, n) == 2 * 132 + 1 && launch(tuned, 1024) == 1 + 1);
    EXPECT(questions == requested);
    const struct tuned *const before = tuned;
    bool was_there_again = false;
    for (int i = 0; i < 16; i++) {
        tuned_free(tuned);
        char line[256];
        std::snprintf(line, sizeof line, BULK " blocks_per_sm=%d", 3 + i);
        tuned = loaded(line);
        was_there_again = was_there_again || tuned == before;
        EXPECT(launch(tuned, n) == (3u + (unsigned int)i) * 132 + 1);
    }
    EXPECT(was_there_again); // otherwise the test proves nothing
    const unsigned int first = launch(nullptr, n);
    current = 1;
    EXPECT(launch(nullptr, n) == 108 * 4 && first == 132 * 4);
    current = 0;
    EXPECT(launch(nullptr, n) == first);
    tuned_free(tuned);
}

// Checks that CUB's calls zero no memory: the words that must be zero before a launch, and are
// again after it, are outside the caller's memory, and are others for other memory.
static void temporary_memory_is_not_zeroed()
{
    struct tuned *tuned =
        loaded("variant=atomic map=strided step=redux block=256 count=4 loads=4 cache=no_allocate "
               "blocks_per_sm=2");
    size_t bytes = 0;
    static const int in[4] = {};
    int out = 0;
    tune::use(tuned);
    EXPECT(tune::DeviceReduce::Sum(nullptr, bytes, &in[0], &out, 1 << 20) == cudaSuccess);
    std::vector<char> memory(4 * bytes);
    std::vector<char *> state;
    launches.clear();
    memsets = 0;
    for (int i = 0; i < 8; i++)
        EXPECT(tune::DeviceReduce::Sum(memory.data() + (size_t)(i % 4) * bytes, bytes, &in[0], &out,
                                       1 << 20) == cudaSuccess);
    EXPECT(memsets == 0 && launches.size() == 8);
    for (size_t i = 0; i < launches.size(); i++) {
        char *const at = (char *)launches[i].fourth;
        EXPECT(at + 64 <= memory.data() || at >= memory.data() + memory.size());
        EXPECT(at == (char *)launches[i % 4].fourth);
        for (size_t k = 0; k < i % 4; k++)
            EXPECT(std::labs((long)(at - (char *)launches[k].fourth)) >= 64);
    }
    // Far more memories than there are places, from then on zeroed on the stream.
    launches.clear();
    for (size_t i = 0; i < 20000; i++)
        EXPECT(tune::DeviceReduce::Sum((void *)((i + (1 << 20)) << 19), bytes, &in[0], &out,
                                       1 << 20) == cudaSuccess);
    EXPECT(memsets > 0 && memsets < 20000);
    std::set<void *> places;
    size_t in_place = 0;
    for (const launched &each : launches)
        if ((char *)each.fourth < (char *)((size_t)1 << 39) ||
            (char *)each.fourth > (char *)((size_t)1 << 40)) {
            places.insert(each.fourth);
            in_place++;
        }
    EXPECT(in_place == 20000 - (size_t)memsets && places.size() == in_place);
    tune::use(nullptr);
    tuned_free(tuned);
}

// The other calls link with a runtime that can neither allocate nor wait. Of as many bytes the
// stand-in's entry is taken, with as many bytes a load: of 1-byte elements a tile has 256 * 16 * 2.
struct larger {
    __device__ int operator()(int a, int b) const
    {
        return a < b ? b : a;
    }
};
static void other_calls_neither_allocate_nor_wait()
{
    const char *const text =
        "tuned-conf 3\n[cuda \"First\"]\n"
        "reduce.sum.f32 n=20000-30000 variant=flagged map=strided step=shuffle "
        "block=256 count=4 loads=2 cache=l2_256b min_blocks=8 "
        "blocks_per_sm=2\nend\n";
    struct tuned *tuned = tuned_load_memory(text, std::strlen(text), "memory", nullptr);
    static char workspace[tune::reduce_workspace_bytes() + 16] __attribute__((aligned(16)));
    size_t bytes = tune::reduce_workspace_bytes();
    const unsigned char in[1] = {};
    int out[2] = {};
    tune::choice why;
    EXPECT(tuned != nullptr);
    launches.clear();
    EXPECT(tune::reduce_with(tuned, &in[0], 100000, out, larger(), 0, workspace, bytes, nullptr,
                             &why) == cudaSuccess);
    EXPECT(why.is_exact && why.grade == TUNED_IN_RANGE);
    EXPECT(std::strstr(why.reason, "reduce.sum.f32 of 25000 stands in") != nullptr);
    EXPECT(launches.size() == 1 && launches[0].n == 100000 && launches[0].grid == 13 + 1);
    tune::use(tuned);
    EXPECT(tune::DeviceReduce::ArgMax(nullptr, bytes, &in[0], &out[0], &out[1], 100) ==
           cudaSuccess);
    EXPECT(launches.size() == 1 && bytes == sizeof workspace);
    EXPECT(tune::DeviceReduce::ArgMax(workspace, bytes, &in[0], &out[0], &out[1], 100) ==
           cudaSuccess);
    EXPECT(tune::DeviceSegmentedReduce::Sum(workspace, bytes, &in[0], &out[0], 5, &out[0],
                                            &out[1]) == cudaSuccess);
    EXPECT(launches.size() == 3 && launches[2].n == 5 && launches[2].grid == 5);
    tune::use(nullptr);
    tuned_free(tuned);
}

// Checks that configs/reduce_segments.yaml, which tunes sums of floats, also serves other
// operators and types.
static void segments_have_configurations_of_their_own()
{
    const char text[] = "tuned-conf 4\n[cuda \"First\"] compute_capability=9.0 sm_count=132\n"
                        "reduce_segments.sum_f32.32 n=10000-30000 lanes=32 block=256 vector=4 "
                        "loads=4 waves=1\n"
                        "reduce_segments.sum_f32.1024 n=10000-30000 lanes=256 block=256 vector=4 "
                        "loads=4 waves=16\nend\n";
    struct tuned *tuned = tuned_load_memory(text, std::strlen(text), "memory", nullptr);
    alignas(16) static const float in[4] = {};
    static const int at[4] = {};
    float out[1] = {};
    int places[1] = {};
    tune::choice why;
    EXPECT(tuned != nullptr);
    launches.clear();
    EXPECT(tune::reduce_segments(tuned, &in[0], 20000, &at[0], &at[0], 40, &out[0], tune::sum(),
                                 0.0f, nullptr, &why) == cudaSuccess);
    EXPECT(why.is_exact && why.grade == TUNED_IN_RANGE);
    EXPECT(std::strstr(why.reason, "stands in") == nullptr);
    EXPECT(launches.back().grid == 132 * 8 && launches.back().n == 20000); // 8 a block
    EXPECT(tune::reduce_segments(tuned, &in[0], 20000, &at[0], &at[0], 900, &out[0], tune::sum(),
                                 0.0f, nullptr, &why) == cudaSuccess);
    EXPECT(why.is_exact && launches.back().grid == 132 * 8 * 16);
    EXPECT(tune::reduce_segments(tuned, &at[0], 20000, &at[0], &at[0], 40, &places[0], larger(), 0,
                                 nullptr, &why) == cudaSuccess);
    EXPECT(why.is_exact &&
           std::strstr(why.reason, "reduce_segments.sum_f32.32 of 20000 stands in") != nullptr);
    tuned_free(tuned);
}

int main()
{
    machines[0] = {"First", 9, 0, 132, 90, 10};
    machines[1] = {"Second", 8, 0, 108, 80, 0};
    grid_follows_n_and_the_device();
    clusters_are_whole_and_several_have_one_more();
    segments_have_configurations_of_their_own();
    second_launch_is_given_the_partials();
    stages_are_dynamic_shared_memory();
    kernels_are_not_taken_beyond_what_they_count();
    what_needs_more_than_the_device_has_is_not_given();
    what_is_missing_is_named_with_its_line();
    alternatives_are_launched_where_the_first_is_missing();
    what_was_chosen_is_not_looked_up_again();
    temporary_memory_is_not_zeroed();
    other_calls_neither_allocate_nor_wait();
    current = 1; // an older device, with its own facts
    what_cannot_run_is_not_chosen();
    machines[2] = {"Third", 9, 0, 132, 80, 10}; // runs older code of the program
    current = 2;
    what_cannot_run_is_not_chosen();
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
