/* Reports of the CUDA device about its state when that changes, or is unavailable: on the stand-in
 * driver, each case in a process of its own, because the script is read once. */
#include <math.h>
#include <sys/wait.h>

#include "tests/gpu/device/cuda_fixture.h"

enum { WINDOWS = 60 };

static void in_child(const char *faults, void (*check)(void))
{
    int status = 0;
    (void)fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)setenv("TUNE_FAULTS", faults, 1);
        if (open_device(NULL) != 0 || !device)
            _exit(2);
        check();
        (void)close_device(NULL);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0)
        fail_msg("with '%s': status %d", faults, status);
}

/* cmocka's assertions belong to the parent. */
#define must(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);          \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static struct conditions read_conditions(void)
{
    struct conditions now;
    cuda->conditions(device, &now);
    return now;
}

static double anchor_ns(void)
{
    double elapsed_ns = 0;
    must(cuda->anchor(device, &elapsed_ns, &error) == STATUS_OK);
    return elapsed_ns;
}

static bool is_near(double value, double wanted)
{
    return fabs(value - wanted) < 0.02 * wanted;
}

static void check_usual(const struct conditions *now)
{
    must(now->throttle == 0 && now->ecc_errors == 0 && now->other_processes == 0);
    must(now->sm_clock_mhz == 1980 && now->memory_clock_mhz == 2619);
    must(now->temperature_c == 35 && now->power_w == 120);
}

static void check_disturbed_readings(void)
{
    double usual = anchor_ns();
    for (int reading = 1; reading <= 5; reading++) {
        bool disturbed = reading == 3 || reading == 4;
        double anchor = anchor_ns();
        must(is_near(anchor, disturbed ? 1.5 * usual : usual));
        struct conditions now = read_conditions();
        if (!disturbed) {
            check_usual(&now);
            continue;
        }
        must(now.throttle == (THROTTLE_HW_THERMAL | THROTTLE_POWER_CAP));
        must(now.sm_clock_mhz == 1500 && now.ecc_errors == 2 && now.other_processes == 1);
        must(now.temperature_c == 91 && now.power_w == 700.5);
    }
}

static void check_slower(void)
{
    double usual = anchor_ns();
    (void)read_conditions();
    must(is_near(anchor_ns(), 2 * usual));
}

static void check_alone(void)
{
    must(read_conditions().other_processes == 0);
}

static void check_one_other(void)
{
    must(read_conditions().other_processes == 1);
}

static struct launch_plan plan;

static struct block bound_block(void)
{
    const void *inputs[ARGUMENTS_MAX] = {a, b};
    plan = add_plan(1000);
    must(cuda->load(device, binary, &error) == STATUS_OK);
    must(cuda->bind(device, &plan, inputs, 8, NULL, &error) == STATUS_OK);
    return (struct block){.plan = &plan, .runs = 8, .mode = L2_COLD};
}

static void check_no_energy(const char *why)
{
    struct block block = bound_block();
    struct energy energy;
    must(cuda->measure_energy(device, &block, 10, &energy, &error) == STATUS_UNAVAILABLE);
    must(strstr(error.text, why));
}

static void check_no_library(void)
{
    struct conditions now = read_conditions();
    must(isnan(now.sm_clock_mhz) && isnan(now.temperature_c));
    must(now.throttle == -1 && now.ecc_errors == -1 && now.other_processes == -1);
    must(anchor_ns() > 0);
    check_no_energy("NVML");
}

static void check_parts_missing(void)
{
    struct conditions now = read_conditions();
    must(isnan(now.temperature_c) && now.sm_clock_mhz == 1980);
    must(now.ecc_errors == -1 && now.throttle == 0);
    must(now.other_processes == -1 && now.power_w == 120);
}

static void check_not_supported(void)
{
    check_no_energy("");
}

static void check_still(void)
{
    check_no_energy("does not move");
}

/* Checks the energy. The window is the host's, the power the stand-in's: if the host was busy
 * elsewhere the two differ, but not each time. */
static void check_energy(void)
{
    struct block block = bound_block();
    struct energy energy;
    double watts = 0;
    double elapsed_ns = 0;
    must(cuda->time_block(device, &block, &elapsed_ns, &error) == STATUS_OK);
    block.prepared = true;
    /* The model takes 90 W at rest, and up to 500 more. */
    for (int i = 0; i < WINDOWS && !(watts > 80 && watts < 650); i++) {
        must(cuda->measure_energy(device, &block, 50, &energy, &error) == STATUS_OK);
        must(energy.window_ns >= 50e6 && energy.runs > 8);
        must(energy.resolution_j > 0 && energy.resolution_j <= energy.energy_j);
        watts = energy.energy_j / energy.runs / elapsed_ns * 1e9;
    }
    must(watts > 80 && watts < 650);
}

TEST(test_readings)
{
    in_child("conditions#3-4: throttle=hw_thermal|power_cap sm_clock=1500 temperature=91 "
             "power=700.5 ecc=2 others=1 anchor=1.5",
             check_disturbed_readings);
    in_child("conditions#2+: slower=2", check_slower);
}

TEST(test_other_processes)
{
    in_child("nvml.pids=host", check_alone);
    in_child("nvml.pids=hidden", check_alone);
    in_child("nvml.pids=hidden; conditions: others=1", check_alone);
    in_child("conditions: others=1", check_one_other);
    in_child("nvml.pids=host; conditions: others=1", check_one_other);
    in_child("nvml.others=parent; conditions: others=1", check_alone);
    in_child("nvml.others=parent; conditions: others=2", check_one_other);
}

TEST(test_what_cannot_be_had_is_unknown)
{
    in_child("nvmlInit: 9", check_no_library);
    in_child("nvmlDeviceGetHandleByPciBusId: 6", check_no_library);
    in_child("nvmlDeviceGetTemperature: 3; nvmlDeviceGetTotalEccErrors: 3; "
             "nvmlDeviceGetComputeRunningProcesses: 4",
             check_parts_missing);
}

TEST(test_energy)
{
    in_child("", check_energy);
    in_child("nvml.energy=none", check_not_supported);
    in_child("nvml.energy=still", check_still);
}

TEST_MAIN(NULL, NULL)
