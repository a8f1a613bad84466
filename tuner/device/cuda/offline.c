/* Devices that are not there: the facts of each architecture's usual board, and occupancy by the
 * toolkit's stand-alone calculator. */
#include <ctype.h>
#include <cuda_occupancy.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/cuda/internal.h"

/* Data of an SM: "CUDA C++ Programming Guide", compute capabilities, technical specifications. Data
 * of a board: NVIDIA's data sheets and architecture white papers. */
struct board {
    int capability; /* 90: 9.0 */
    const char *name;
    int sm_count;
    int memory_gib;
    int l2_kib;
    int threads_per_sm;
    int blocks_per_sm;
    int shared_kib_per_sm;
    int shared_kib_per_block; /* opted in to */
};

static const struct board boards[] = {
    {70, "Tesla V100 SXM2 32GB", 80, 32, 6144, 2048, 32, 96, 96},
    {72, "Jetson AGX Xavier", 8, 32, 512, 2048, 32, 96, 96},
    {75, "Tesla T4", 40, 16, 4096, 1024, 16, 64, 64},
    {80, "A100 SXM4 80GB", 108, 80, 40960, 2048, 32, 164, 163},
    {86, "GeForce RTX 3090", 82, 24, 6144, 1536, 16, 100, 99},
    {87, "Jetson AGX Orin", 16, 64, 4096, 1536, 16, 164, 163},
    {89, "GeForce RTX 4090", 128, 24, 73728, 1536, 24, 100, 99},
    {90, "H100 SXM5 80GB", 132, 80, 51200, 2048, 32, 228, 227},
    {100, "B200", 148, 180, 129024, 2048, 32, 228, 227},
    {103, "B300", 148, 270, 129024, 2048, 32, 228, 227},
    {110, "Jetson AGX Thor", 20, 128, 32768, 1536, 24, 228, 227},
    {120, "GeForce RTX 5090", 170, 32, 98304, 1536, 24, 100, 99},
    {121, "DGX Spark GB10", 48, 128, 24576, 1536, 24, 100, 99},
};
enum { BOARDS = sizeof boards / sizeof *boards };
enum { REGISTERS_PER_SM = 65536, THREADS_PER_BLOCK = 1024, WARP_SIZE = 32 };
enum { SHARED_BYTES_PER_BLOCK = 48 * 1024, DRIVER_SHARED_BYTES = 1024 };

/* Finds the board of an architecture: "sm_90", "sm_90a", "sm_100f". */
static const struct board *board_of(const char *architecture)
{
    char *end = NULL;
    if (strncmp(architecture, "sm_", 3) != 0 || !isdigit((unsigned char)architecture[3]))
        return NULL;
    long capability = strtol(architecture + 3, &end, 10);
    if (*end == 'a' || *end == 'f')
        end++;
    for (size_t i = 0; *end == '\0' && i < BOARDS; i++)
        if (boards[i].capability == capability)
            return &boards[i];
    return NULL;
}

enum status cuda_imagine(const char *architecture, struct facts *facts, struct error *error)
{
    const struct board *board = board_of(architecture);
    struct error ignored = {0};
    char compiler[32] = "";
    if (!board) {
        struct text known = {0};
        for (size_t i = 0; i < BOARDS; i++)
            text_printf(&known, "%ssm_%d", i ? ", " : "", boards[i].capability);
        (void)error_set(error, STATUS_UNAVAILABLE, "architecture '%s': known are %s", architecture,
                        text_string(&known));
        text_free(&known);
        return STATUS_UNAVAILABLE;
    }
    char text[64];
    facts_add_text(facts, "kind", "cuda");
    facts_add_integer(facts, "index", 0);
    (void)string_format(text, sizeof text, "%s (not present)", board->name);
    facts_add_text(facts, "name", text);
    (void)string_format(text, sizeof text, "imagined-%s", architecture);
    facts_add_text(facts, "uuid", text);
    (void)string_format(text, sizeof text, "%d.%d", board->capability / 10, board->capability % 10);
    facts_add_text(facts, "compute_capability", text);
    facts_add_text(facts, "architecture", architecture);
    facts_add_integer(facts, "memory_bytes", (int64_t)board->memory_gib << 30);
    facts_add_integer(facts, "l2_bytes", (int64_t)board->l2_kib << 10);
    const struct {
        const char *key;
        int64_t value;
    } rows[] = {
        {"sm_count", board->sm_count},
        {"warp_size", WARP_SIZE},
        {"max_threads_per_block", THREADS_PER_BLOCK},
        {"max_threads_per_sm", board->threads_per_sm},
        {"max_blocks_per_sm", board->blocks_per_sm},
        {"max_block_x", 1024},
        {"max_block_y", 1024},
        {"max_block_z", 64},
        {"max_grid_x", INT32_MAX},
        {"max_grid_y", UINT16_MAX},
        {"max_grid_z", UINT16_MAX},
        {"registers_per_sm", REGISTERS_PER_SM},
        {"registers_per_block", REGISTERS_PER_SM},
        {"shared_bytes_per_block", SHARED_BYTES_PER_BLOCK},
        {"shared_bytes_per_block_optin", (int64_t)board->shared_kib_per_block << 10},
        {"shared_bytes_per_sm", (int64_t)board->shared_kib_per_sm << 10},
        {"shared_bytes_reserved_per_block", board->capability >= 80 ? DRIVER_SHARED_BYTES : 0},
        {"constant_bytes", 65536},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        facts_add_integer(facts, rows[i].key, rows[i].value);
    facts_add_text(facts, "driver", "");
    const struct cuda_compiler *nvrtc = cuda_compiler(&ignored);
    if (nvrtc)
        (void)string_format(compiler, sizeof compiler, "NVRTC %d.%d", nvrtc->major, nvrtc->minor);
    facts_add_text(facts, "compiler", compiler);
    return facts->failed ? error_no_memory(error) : STATUS_OK;
}

/* Fills in the device's properties. False when a required fact is missing. */
static bool device_properties(const struct facts *facts, struct cudaOccDeviceProp *out)
{
    char *end = NULL;
    const char *capability = facts_text(facts, "compute_capability", "");
    long major = strtol(capability, &end, 10);
    if (end == capability || *end != '.')
        return false;
    *out = (struct cudaOccDeviceProp){
        .computeMajor = (int)major,
        .computeMinor = (int)strtol(end + 1, NULL, 10),
        .maxThreadsPerBlock = (int)facts_integer(facts, "max_threads_per_block", 0),
        .maxThreadsPerMultiprocessor = (int)facts_integer(facts, "max_threads_per_sm", 0),
        .regsPerBlock = (int)facts_integer(facts, "registers_per_block", REGISTERS_PER_SM),
        .regsPerMultiprocessor = (int)facts_integer(facts, "registers_per_sm", 0),
        .warpSize = (int)facts_integer(facts, "warp_size", 0),
        .sharedMemPerBlock = (size_t)facts_integer(facts, "shared_bytes_per_block", 0),
        .sharedMemPerMultiprocessor = (size_t)facts_integer(facts, "shared_bytes_per_sm", 0),
        .numSms = (int)facts_integer(facts, "sm_count", 0),
        .sharedMemPerBlockOptin = (size_t)facts_integer(facts, "shared_bytes_per_block_optin", 0),
        .reservedSharedMemPerBlock = (size_t)facts_integer(facts, "shared_bytes_reserved_per_block",
                                                           major >= 8 ? DRIVER_SHARED_BYTES : 0),
    };
    return out->maxThreadsPerMultiprocessor > 0 && out->warpSize > 0;
}

enum { CLUSTER_BLOCKS_MAX = 16 };

enum status cuda_occupancy(const struct facts *facts, const struct launch *launch,
                           struct kernel_resources *resources, struct error *error)
{
    struct cudaOccDeviceProp properties;
    struct cudaOccResult result = {0};
    const struct cudaOccDeviceState state = {.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
    const uint32_t block_threads = launch_block_threads(launch);
    resources->active_blocks_per_sm = 0;
    resources->occupancy = 0;
    if (!device_properties(facts, &properties) || resources->registers < 0)
        return error_set(
            error, STATUS_UNAVAILABLE,
            "occupancy: unknown, because numbers of the device or the kernel are missing");
    int most = properties.maxThreadsPerBlock;
    if (resources->max_threads_per_block > 0 && resources->max_threads_per_block < most)
        most = resources->max_threads_per_block;
    if (launch_cluster_blocks(launch) > (properties.computeMajor >= 9 ? CLUSTER_BLOCKS_MAX : 1))
        return STATUS_OK;
    if (block_threads == 0 || block_threads > (uint32_t)most ||
        launch->shared_bytes > INT32_MAX / 2)
        return STATUS_OK;
    const struct cudaOccFuncAttributes kernel = {
        .maxThreadsPerBlock = most,
        .numRegs = resources->registers,
        .sharedSizeBytes =
            resources->static_shared_bytes > 0 ? (size_t)resources->static_shared_bytes : 0,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = launch->shared_bytes,
        .numBlockBarriers = resources->barriers,
    };
    cudaOccError answer = cudaOccMaxActiveBlocksPerMultiprocessor(
        &result, &properties, &kernel, &state, (int)block_threads, launch->shared_bytes);
    if (answer != CUDA_OCC_SUCCESS)
        return error_set(error, STATUS_UNAVAILABLE,
                         "occupancy: the toolkit's calculator does not know compute capability "
                         "%d.%d (%d)",
                         properties.computeMajor, properties.computeMinor, (int)answer);
    int warps = ((int)block_threads + properties.warpSize - 1) / properties.warpSize;
    resources->active_blocks_per_sm = result.activeBlocksPerMultiprocessor;
    int warps_an_sm = properties.maxThreadsPerMultiprocessor / properties.warpSize;
    resources->occupancy = (double)result.activeBlocksPerMultiprocessor * warps / warps_an_sm;
    return STATUS_OK;
}
