#include "tuner/device/scripted/formula.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/base/pack.h"

enum {
    SMS = 132,
    WARP = 32,
    BLOCK_THREADS = 1024,
    SM_THREADS = 2048,
    SM_BLOCKS = 32,
    SM_REGISTERS = 65536,
    SM_SHARED_BYTES = 228 << 10,
    BLOCK_SHARED_BYTES = 227 << 10,
    RESERVED_SHARED_BYTES = 1 << 10, /* reserved part of each block */
};
#define READ_GBS 3000.0
#define POWER_W  400.0
static const double launch_ns = 1800;

const struct recorded_device formula_device = {
    .calibration = {.tick_ns = 32, .empty_pair_ns = 5000, .node_gap_ns = 1200},
    .anchor_ns = 100000,
    .sm_clock_mhz = 1980,
    .memory_clock_mhz = 2619,
    .temperature_c = 50,
    .power_w = POWER_W,
    .bandwidth = {.host_to_device_gbs = 50,
                  .device_to_host_gbs = 50,
                  .copy_gbs = 0.95 * READ_GBS,
                  .read_gbs = READ_GBS,
                  .write_gbs = 0.95 * READ_GBS,
                  .bytes = INT64_C(1) << 30},
    .arithmetic = {.gops = {[ELEMENT_F16] = 120000,
                            [ELEMENT_F32] = 60000,
                            [ELEMENT_F64] = 30000,
                            [ELEMENT_I32] = 30000,
                            [ELEMENT_I64] = 8000}},
};

enum status formula_facts(int index, struct facts *facts, struct error *error)
{
    static const struct {
        const char *key;
        int64_t value;
    } numbers[] = {
        {"memory_bytes", INT64_C(80) << 30},
        {"sm_count", SMS},
        {"max_threads_per_block", BLOCK_THREADS},
        {"max_threads_per_sm", SM_THREADS},
        {"max_blocks_per_sm", SM_BLOCKS},
        {"max_block_x", BLOCK_THREADS},
        {"max_block_y", BLOCK_THREADS},
        {"max_block_z", 64},
        {"max_grid_x", INT32_MAX},
        {"max_grid_y", UINT16_MAX},
        {"max_grid_z", UINT16_MAX},
        {"registers_per_sm", SM_REGISTERS},
        {"shared_bytes_per_block", 48 << 10},
        {"shared_bytes_per_block_optin", BLOCK_SHARED_BYTES},
        {"shared_bytes_per_sm", SM_SHARED_BYTES},
        {"l2_bytes", 50 << 20},
        {"warp_size", WARP},
    };
    char uuid[32];
    if (index < 0 || index >= FORMULA_DEVICES)
        return error_set(error, STATUS_NOT_FOUND, "there are %d null devices, from null:0 on",
                         FORMULA_DEVICES);
    (void)snprintf(uuid, sizeof uuid, "null-%d", index);
    facts_add_text(facts, "name", "Null device");
    facts_add_text(facts, "uuid", uuid);
    facts_add_text(facts, "compute_capability", "9.0");
    facts_add_text(facts, "architecture", "sm_90");
    facts_add_text(facts, "driver", "formula 2");
    facts_add_text(facts, "compiler", "none");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        facts_add_integer(facts, numbers[i].key, numbers[i].value);
    facts_add(facts, "energy_counter", value_boolean(true));
    return facts->failed ? error_no_memory(error) : STATUS_OK;
}

struct kernel_resources formula_resources(uint64_t binary, const char *kernel)
{
    enum { REGISTERS_MIN = 24, REGISTERS_STEPS = 6, REGISTERS_STEP = 8 };
    uint64_t drawn = hash_u64(kernel, strlen(kernel), binary);
    return (struct kernel_resources){
        .registers = REGISTERS_MIN + (int32_t)(drawn % REGISTERS_STEPS) * REGISTERS_STEP,
        .spill_bytes = -1,
        .max_threads_per_block = BLOCK_THREADS,
        .active_blocks_per_sm = -1,
        .occupancy = -1,
        .suggested_block = -1,
        .suggested_grid = -1,
    };
}

void formula_occupancy(const struct launch *launch, struct kernel_resources *resources)
{
    const uint32_t threads = (launch_block_threads(launch) + WARP - 1) / WARP * WARP;
    const uint32_t registers = resources->registers > 0 ? (uint32_t)resources->registers : 1;
    resources->active_blocks_per_sm = 0;
    resources->occupancy = 0;
    if (threads == 0 || threads > BLOCK_THREADS || launch->shared_bytes > BLOCK_SHARED_BYTES)
        return;
    const uint32_t most[] = {SM_BLOCKS, SM_THREADS / threads, SM_REGISTERS / (registers * threads),
                             SM_SHARED_BYTES / (launch->shared_bytes + RESERVED_SHARED_BYTES)};
    uint32_t blocks = most[0];
    for (size_t i = 1; i < sizeof most / sizeof *most; i++)
        blocks = most[i] < blocks ? most[i] : blocks;
    resources->active_blocks_per_sm = (int32_t)blocks;
    resources->occupancy = (double)(blocks * threads) / SM_THREADS;
}

struct kernel_resources formula_launch_resources(uint64_t binary, const struct launch *launch)
{
    struct kernel_resources out = formula_resources(binary, launch->kernel);
    struct kernel_resources tried = out;
    struct launch other = *launch;
    double best = -1;
    for (uint32_t threads = BLOCK_THREADS; threads >= WARP; threads -= WARP) {
        memcpy(other.block, (uint32_t[]){threads, 1, 1}, sizeof other.block);
        formula_occupancy(&other, &tried);
        if (tried.occupancy <= best)
            continue;
        best = tried.occupancy;
        out.suggested_block = (int32_t)threads;
        out.suggested_grid = tried.active_blocks_per_sm * SMS;
    }
    formula_occupancy(launch, &out);
    return out;
}

/* Returns a number in [0, 1). */
static double uniform(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

/* Returns a time that follows memory and launches as on a GPU: more threads at once get more of the
 * bandwidth, and waves of blocks cost time. A number drawn from binary and launch stands for all
 * other causes: up to a third slower, rarely much. */
double formula_run_ns(uint64_t binary, const struct launch_plan *plan, enum l2_mode mode,
                      enum issue issue)
{
    /* Cost of each launch that is issued by itself; further ones are queued meanwhile. */
    static const double issue_ns[ISSUES] = {[ISSUE_STREAM] = 700, [ISSUE_EAGER] = 2200};
    double sum_ns = 0;
    for (size_t k = 0; k < plan->launch_count; k++) {
        const struct launch *launch = &plan->launches[k];
        struct kernel_resources resources = formula_resources(binary, launch->kernel);
        const uint32_t threads = launch_block_threads(launch);
        const double blocks = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
        formula_occupancy(launch, &resources);
        const double at_once = fmax(1, (double)resources.active_blocks_per_sm * SMS);
        const double resident = fmin(blocks, at_once) * threads;
        double bytes = 0;
        for (size_t i = 0; i < launch->argument_count; i++) {
            const struct argument *argument = &plan->arguments[launch->arguments[i]];
            if (role_is_vector(argument->role))
                bytes += (double)argument_bytes(argument);
        }
        const double gbs = READ_GBS * resident / (resident + 32768) * (mode == L2_HOT ? 1.5 : 1);
        const uint32_t shape[] = {launch->grid[0], threads, launch->shared_bytes};
        const double slower = uniform(hash_u64(shape, sizeof shape, binary));
        sum_ns +=
            launch_repeats(launch) * (issue_ns[issue] + launch_ns + 40 * ceil(blocks / at_once) +
                                      bytes / gbs * (1 + slower * slower / 3));
    }
    return sum_ns;
}

double formula_energy_j(uint64_t binary, double run_ns)
{
    return POWER_W * (1 + uniform(binary)) / 2 * run_ns / 1e9;
}
