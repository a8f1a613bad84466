// tuned_cuda.h over the runtime API, without a GPU: its description of a device, the values that
// it takes from an answer or leaves, and its launches. For a C++ compiler and for nvcc;
// tests/gpu/device/test_cuda_glue.c runs it over the driver API on a GPU.
#include <cstdio>
#include <cstring>

#include <tuned_cuda.h>

#include "tests/calls/fake_runtime.h"

static int failures;
#define EXPECT(condition)                                                                          \
    ((condition)                                                                                   \
         ? (void)0                                                                                 \
         : (void)(failures++, std::printf("%s:%d: not so: %s\n", __func__, __LINE__, #condition)))

static tuned_cuda_device gpu;

static struct tuned *file_of(const char *entries)
{
    char text[2048];
    tuned_error error;
    std::snprintf(text, sizeof text,
                  "tuned-conf 4\n[cuda \"First\"] compute_capability=9.0 sm_count=132 "
                  "memory_bytes=151397597184\n%send\n",
                  entries);
    struct tuned *tuned = tuned_load_memory(text, std::strlen(text), "memory", &error);
    if (!tuned)
        std::printf("%s\n", error.text);
    EXPECT(tuned != nullptr);
    return tuned;
}

// Returns the launch of an entry, filled over a launch of 7 blocks of 96 threads; `kernel k` at
// n = 1000.
static tuned_cuda_launch filled(const char *values, long long n)
{
    char entry[512];
    std::snprintf(entry, sizeof entry, "k n=500-2000 %s\n", values);
    struct tuned *tuned = file_of(entry);
    tuned_cuda_launch launch = tuned_cuda_launch_of(7, 96);
    launch.shared_bytes = 64;
    const tuned_grade grade = tuned_cuda_find(tuned, &gpu, "k", n, &launch);
    EXPECT(grade == launch.grade);
    launch.variant = launch.variant ? "some" : nullptr; // the text goes with the file
    tuned_free(tuned);
    return launch;
}

static bool is(const unsigned three[3], unsigned x, unsigned y, unsigned z)
{
    return three[0] == x && three[1] == y && three[2] == z;
}

static bool is_untouched(const tuned_cuda_launch &launch)
{
    return launch.grade == TUNED_NONE && is(launch.grid, 7, 0, 0) && is(launch.block, 96, 0, 0) &&
           launch.shared_bytes == 64 && launch.variant == nullptr;
}

static void device_has_its_limits()
{
    tuned_cuda_device second;
    EXPECT(tuned_cuda_describe(&gpu) == cudaSuccess);
    const tuned_device &device = gpu.device;
    EXPECT(gpu.index == 0 && std::strcmp(device.kind, "cuda") == 0);
    EXPECT(device.name == gpu.name && std::strcmp(gpu.name, "First") == 0);
    EXPECT(device.compute_capability_major == 9 && device.compute_capability_minor == 0);
    EXPECT(device.unit_count == 132 && device.memory_bytes == 141LL << 30);
    EXPECT(device.bandwidth_gbs > 4022 && device.bandwidth_gbs < 4023); // 2 * 2.619 GHz * 768 bytes
    EXPECT(device.max_threads_per_block == 1024 && device.max_shared_bytes == 227 * 1024);
    EXPECT(device.registers_per_unit == 65536);
    EXPECT(tuned_cuda_describe_device(1, &second) == cudaSuccess && second.index == 1);
    EXPECT(std::strcmp(second.name, "Second") == 0 && second.device.unit_count == 66);
    current = 1;
    EXPECT(tuned_cuda_describe(&second) == cudaSuccess && second.index == 1);
    current = 0;
}

static void build_is_what_entries_are_held_against()
{
    tuned_cuda_build now;
    char why[TUNED_REASON_BYTES];
    tuned_error error;
    const char text[] = "tuned-conf 4\n[cuda \"First\"] driver=\"590.1 (CUDA 13.1)\"\np n=1 a=1\n"
                        "q n=1 a=1 | driver=\"580.1 (CUDA 13.0)\"\nend\n";
    struct tuned *tuned = tuned_load_memory(text, sizeof text - 1, "memory", &error);
    EXPECT(tuned_cuda_describe_build(&now) == cudaSuccess &&
           std::strcmp(now.driver, "CUDA 13.1") == 0);
    EXPECT(!tuned_stale(tuned_entry_at(tuned, 0), &now.build, why, sizeof why));
    EXPECT(tuned_stale(tuned_entry_at(tuned, 1), &now.build, why, sizeof why));
    tuned_free(tuned);
}

static void errors_are_returned()
{
    tuned_cuda_device none;
    tuned_cuda_launch launch = tuned_cuda_launch_of(7, 96);
    long long n = 1;
    void *arguments[] = {&n, &n, &n, &n, &n};
    struct tuned *tuned = file_of("k n=1000 block=256\n");
    failing = cudaErrorNoDevice;
    EXPECT(tuned_cuda_describe(&none) == cudaErrorNoDevice);
    EXPECT(tuned_cuda_describe_device(0, &none) == cudaErrorNoDevice);
    EXPECT(tuned_cuda_find(tuned, &none, "k", 1000, &launch) == TUNED_NONE);
    EXPECT(tuned_cuda_prepare(&launch, &gpu) == cudaErrorNoDevice);
    EXPECT(tuned_cuda_launch_kernel(&launch, &gpu, arguments, nullptr) == cudaErrorNoDevice);
    failing = 0;
    EXPECT(launch.block[0] == 96);
    tuned_free(tuned);
}

static void launch_is_the_files()
{
    tuned_cuda_launch launch =
        filled("block=256 grid=264 variant=some | at=1000 launch.grid=grid launch.block=block "
               "launch.shared=4096 cluster=8",
               1000);
    EXPECT(launch.grade == TUNED_EXACT && launch.cluster_blocks == 8);
    EXPECT(is(launch.block, 256, 1, 1) && is(launch.grid, 264, 1, 1));
    EXPECT(launch.shared_bytes == 4096 && launch.variant != nullptr);
    launch = filled("tile=4 | at=1000 launch.grid=\"ceil_div(n,tile),units/2,7\" "
                    "launch.block=32,8,2 launch.cluster=2",
                    1005);
    EXPECT(launch.grade == TUNED_IN_RANGE && launch.variant == nullptr);
    EXPECT(is(launch.block, 32, 8, 2) && is(launch.grid, 252, 66, 7) &&
           is(launch.cluster, 2, 1, 1));
    EXPECT(launch.shared_bytes == 0);
}

// Checks that values are no launch, whatever their names, nor is a launch known at another size.
static void nothing_is_guessed()
{
    EXPECT(is_untouched(filled("block=256 grid=264 shared_bytes=9 variant=some | at=1000", 1000)));
    EXPECT(
        is_untouched(filled("BLOCK=512 ITEMS=8 variant=some | at=1000 launch.block=BLOCK", 1000)));
    const char *const measured = "block=256 grid=264 variant=some | at=1000 launch.grid=264 "
                                 "launch.block=block measured=grid,launch.grid";
    EXPECT(filled(measured, 1000).grade == TUNED_EXACT);
    EXPECT(is_untouched(filled(measured, 1001)));
}

static void further_launches_are_asked_for_by_number()
{
    struct tuned *tuned = file_of("k n=500-2000 block=64 | launch.grid=\"n/block\" "
                                  "launch.block=block launch2.grid=1 launch2.block=1024\n");
    tuned_cuda_device second;
    struct tuned_answer answer;
    tuned_cuda_launch launch = tuned_cuda_launch_of(7, 96);
    EXPECT(tuned_cuda_describe_device(1, &second) == cudaSuccess);
    const tuned_cuda_device moved = second; // still has its name
    tuned_cuda_device copy = moved;
    second.name[0] = '?';
    EXPECT(tuned_find(tuned, tuned_cuda_identity(&copy), "k", 1000, &answer) == TUNED_OTHER_DEVICE);
    EXPECT(std::strcmp(answer.device->name, "Second") == 0);
    EXPECT(tuned_cuda_fill_at(&answer, 1, &launch) == TUNED_OTHER_DEVICE);
    EXPECT(is(launch.grid, 1, 1, 1) && is(launch.block, 1024, 1, 1));
    EXPECT(tuned_cuda_fill(&answer, &launch) == TUNED_OTHER_DEVICE);
    EXPECT(is(launch.grid, 15, 1, 1) && is(launch.block, 64, 1, 1));
    EXPECT(tuned_cuda_fill_at(&answer, 2, &launch) == TUNED_NONE);
    tuned_free(tuned);
}

static void what_no_launch_can_be_changes_nothing()
{
    const char *const impossible[] = {
        "variant=some | launch.grid=1 launch.block=1025",
        "variant=some | launch.grid=1 launch.block=32,33",
        "variant=some | launch.grid=1 launch.block=1,1,65",
        "variant=some | launch.grid=1 launch.block=0",
        "variant=some | launch.grid=1 launch.block=0-32",
        "variant=some | launch.grid=1 launch.block=5000000000",
        "variant=some | launch.grid=0 launch.block=32",
        "variant=some | launch.grid=2147483648 launch.block=32",
        "variant=some | launch.grid=1,65536 launch.block=32",
        "variant=some | launch.grid=1 launch.block=32 launch.shared=300000",
        "variant=some | launch.grid=1 launch.block=32 launch.shared=0-1",
        "variant=some | launch.grid=1 launch.block=32 launch.cluster=17",
        "variant=some | launch.grid=n/0 launch.block=32",
        "variant=some | launch.grid=absent launch.block=32",
    };
    for (const char *values : impossible) {
        const bool kept = is_untouched(filled(values, 1000));
        EXPECT(kept);
        if (!kept)
            std::printf("  %s\n", values);
    }
    tuned_cuda_launch launch = tuned_cuda_launch_of(7, 96);
    launch.shared_bytes = 64;
    EXPECT(tuned_cuda_find(nullptr, &gpu, "k", 1000, &launch) == TUNED_NONE);
    EXPECT(is_untouched(launch));
}

static void kernel_is_asked_and_given_leave()
{
    tuned_cuda_launch launch = tuned_cuda_launch_of(7, 96);
    EXPECT(tuned_cuda_prepare(&launch, &gpu) == cudaSuccess && shared_allowed == 48 * 1024);
    launch.shared_bytes = 100000;
    EXPECT(tuned_cuda_prepare(&launch, &gpu) == cudaSuccess && shared_allowed == 100000);
    launch.shared_bytes = 10;
    EXPECT(tuned_cuda_prepare(&launch, &gpu) == cudaSuccess && shared_allowed == 100000);
    launch.cluster_blocks = 16;
    EXPECT(tuned_cuda_prepare(&launch, &gpu) == cudaSuccess);
    machines[0].clusters = 0; // no room for one
    EXPECT(tuned_cuda_prepare(&launch, &gpu) == TUNED_CUDA_TOO_MUCH);
    machines[0].clusters = 10;
    launch.cluster_blocks = 0;
    launch.block[0] = launch.block[1] = 64;
    EXPECT(tuned_cuda_prepare(&launch, &gpu) == TUNED_CUDA_TOO_MUCH);
}

static void some_kernel(int *, long long)
{
}

static void launch_is_passed_on()
{
    tuned_cuda_launch launch = tuned_cuda_launch_of(7, 96);
    long long n = 31;
    void *arguments[] = {&n, &n, &n, &n, &n};
    launch.grid[1] = 3;
    launch.block[2] = 2;
    launch.shared_bytes = 128;
    launches.clear();
    EXPECT(tuned_cuda_launch_kernel(&launch, some_kernel, arguments, nullptr) == cudaSuccess);
    EXPECT(launches.size() == 1 && launches[0].kernel == (const void *)some_kernel);
    EXPECT(launches[0].grid == 7 && launches[0].grid_y == 3 && launches[0].grid_z == 1);
    EXPECT(launches[0].block == 96 && launches[0].block_y == 1 && launches[0].block_z == 2);
    EXPECT(launches[0].shared == 128 && launches[0].n == 31);
    EXPECT(!launches[0].cooperative && launches[0].cluster == 0);
    for (const unsigned cluster : {0u, 7u}) {
        launch.is_cooperative = 1;
        launch.cluster[0] = cluster;
        EXPECT(tuned_cuda_launch_kernel(&launch, some_kernel, arguments, nullptr) == cudaSuccess);
        EXPECT(launches.back().cooperative && launches.back().cluster == cluster);
        EXPECT(launches.back().grid_y == 3 && launches.back().n == 31);
    }
}

// Checks cooperative launches: 21 blocks of 96 threads are resident on each of 132 units, and 10
// clusters.
static void cooperative_grid_is_resident_or_refused()
{
    tuned_cuda_launch launch =
        filled("tile=4 | at=1000 launch.grid=2772 launch.block=96 launch.cooperative=1", 1000);
    EXPECT(launch.grade == TUNED_EXACT && launch.is_cooperative);
    EXPECT(tuned_cuda_prepare(&launch, &gpu) == cudaSuccess);
    launch.grid[1] = 2;
    EXPECT(tuned_cuda_prepare(&launch, &gpu) == TUNED_CUDA_TOO_MUCH);
    launch.is_cooperative = 0;
    EXPECT(tuned_cuda_prepare(&launch, &gpu) == cudaSuccess);
    launch = filled("tile=4 | at=1000 launch.grid=40 launch.block=96 launch.cluster=4 "
                    "launch.cooperative=tile/4",
                    1000);
    EXPECT(launch.is_cooperative && tuned_cuda_prepare(&launch, &gpu) == cudaSuccess);
    launch.grid[0] = 44;
    EXPECT(tuned_cuda_prepare(&launch, &gpu) == TUNED_CUDA_TOO_MUCH);
    EXPECT(!filled("tile=4 | launch.grid=40 launch.block=96", 1000).is_cooperative);
}

int main()
{
    machines[0] = {"First", 9, 0, 132, 90, 10};
    machines[1] = {"Second", 9, 0, 66, 90, 10};
    device_has_its_limits();
    build_is_what_entries_are_held_against();
    errors_are_returned();
    launch_is_the_files();
    nothing_is_guessed();
    further_launches_are_asked_for_by_number();
    what_no_launch_can_be_changes_nothing();
    kernel_is_asked_and_given_leave();
    launch_is_passed_on();
    cooperative_grid_is_resident_or_refused();
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
