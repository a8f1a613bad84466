/* Sensors read from a tree of files as machines have them. */
#include "cpu_test.h"

#include <math.h>

#include "tuner/device/cpu/sensors.h"

#define RAPL     "/sys/class/powercap/intel-rapl:"
#define THROTTLE "/thermal_throttle/core_throttle_count"

static void put(const char *path, const char *text)
{
    char command[512], whole[300];
    (void)snprintf(whole, sizeof whole, "%s%s", folder, path);
    (void)snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\"", whole);
    assert_int_equal(system(command), 0);
    FILE *file = fopen(whole, "r+");
    file = file ? file : fopen(whole, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int two_threads(void *context)
{
    (void)context;
    return 2;
}

static struct conditions read_now(struct sensors *sensors)
{
    struct conditions now;
    sensors_read(sensors, two_threads, NULL, &now);
    return now;
}

TEST(what_is_not_there_is_unknown)
{
    static const unsigned processors[] = {0, 1};
    struct sensors sensors;
    struct error error = {0};
    double energy_j = 0;
    sensors_open(&sensors, folder, processors, 2);
    struct conditions now = read_now(&sensors);
    assert_true(isnan(now.sm_clock_mhz) && isnan(now.memory_clock_mhz) && isnan(now.power_w));
    assert_true(isnan(now.temperature_c) && isnan(now.energy_j));
    assert_true(now.throttle == -1 && now.ecc_errors == -1 && now.other_processes == -1);
    assert_int_equal(sensors_energy(&sensors, &energy_j, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.text, "no energy counter"));
    sensors_close(&sensors);
}

TEST(the_clock_is_the_pinned_cores)
{
    static const unsigned processors[] = {1, 0};
    struct sensors sensors;
    put("/proc/cpuinfo", "processor\t: 0\nflags\t\t: a b\ncpu MHz\t\t: 1111.5\n\n"
                         "processor\t: 1\nflags\t\t: a b\ncpu MHz\t\t: 2596.25\n");
    sensors_open(&sensors, folder, processors, 2);
    for (int i = 0; i < 2; i++)
        assert_true(read_now(&sensors).sm_clock_mhz == 2596.25);
    sensors_close(&sensors);
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1000000\n");
    put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3100000\n");
    sensors_open(&sensors, folder, processors, 2);
    assert_true(read_now(&sensors).sm_clock_mhz == 3100);
    put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2900000\n");
    assert_true(read_now(&sensors).sm_clock_mhz == 2900);
    sensors_close(&sensors);
}

TEST(the_temperature_is_the_processors)
{
    static const unsigned processors[] = {0};
    struct sensors sensors;
    put("/sys/class/thermal/thermal_zone0/type", "acpitz\n");
    put("/sys/class/thermal/thermal_zone0/temp", "27800\n");
    put("/sys/class/thermal/thermal_zone1/type", "x86_pkg_temp\n");
    put("/sys/class/thermal/thermal_zone1/temp", "51000\n");
    sensors_open(&sensors, folder, processors, 1);
    assert_true(read_now(&sensors).temperature_c == 51);
    sensors_close(&sensors);
    put("/sys/class/hwmon/hwmon0/name", "nvme\n");
    put("/sys/class/hwmon/hwmon0/temp1_input", "33000\n");
    put("/sys/class/hwmon/hwmon1/name", "coretemp\n");
    put("/sys/class/hwmon/hwmon1/temp1_input", "62500\n");
    sensors_open(&sensors, folder, processors, 1);
    assert_true(read_now(&sensors).temperature_c == 62.5);
    sensors_close(&sensors);
}

TEST(others_are_counted_beside_our_threads)
{
    struct sensors sensors;
    put("/proc/loadavg", "0.00 0.06 0.55 5/94 25688\n");
    sensors_open(&sensors, folder, NULL, 0);
    assert_int_equal(read_now(&sensors).other_processes, 3);
    put("/proc/loadavg", "0.00 0.06 0.55 1/94 25688\n");
    assert_int_equal(read_now(&sensors).other_processes, 0);
    put("/proc/loadavg", "nothing of the kind here..\n");
    assert_int_equal(read_now(&sensors).other_processes, -1);
    sensors_close(&sensors);
}

TEST(throttling_is_told_when_its_count_moves)
{
    static const unsigned processors[] = {0, 1};
    struct sensors sensors;
    put("/sys/devices/system/cpu/cpu0" THROTTLE, "5\n");
    put("/sys/devices/system/cpu/cpu1" THROTTLE, "7\n");
    put("/sys/devices/system/cpu/cpu2" THROTTLE, "1\n"); /* not one of ours */
    sensors_open(&sensors, folder, processors, 2);
    assert_int_equal(read_now(&sensors).throttle, 0);
    put("/sys/devices/system/cpu/cpu2" THROTTLE, "2\n");
    assert_int_equal(read_now(&sensors).throttle, 0);
    put("/sys/devices/system/cpu/cpu1" THROTTLE, "8\n");
    assert_int_equal(read_now(&sensors).throttle, THROTTLE_HW_THERMAL);
    assert_int_equal(read_now(&sensors).throttle, 0);
    sensors_close(&sensors);
}

TEST(packages_energy_adds_up_over_their_ranges)
{
    struct sensors sensors;
    struct error error = {0};
    double energy_j = 0;
    put(RAPL "0/name", "package-0\n");
    put(RAPL "0/energy_uj", "3000000\n");
    put(RAPL "0/max_energy_range_uj", "9000000\n");
    put(RAPL "1/name", "package-1\n");
    put(RAPL "1/energy_uj", "1000000\n");
    put(RAPL "1/max_energy_range_uj", "9000000\n");
    put(RAPL "0:0/name", "dram\n"); /* part of the package */
    put(RAPL "0:0/energy_uj", "1000000\n");
    put(RAPL "2/name", "psys\n"); /* the board */
    put(RAPL "2/energy_uj", "1000000\n");
    sensors_open(&sensors, folder, NULL, 0);
    assert_true(read_now(&sensors).energy_j == 0);
    put(RAPL "0/energy_uj", "5000000\n");
    put(RAPL "1/energy_uj", "1500000\n");
    put(RAPL "2/energy_uj", "9000000\n");
    put(RAPL "0:0/energy_uj", "9000000\n");
    assert_true(read_now(&sensors).energy_j == 2.5);
    put(RAPL "0/energy_uj", "1000000\n"); /* past the counter's range: 5 of 9 J */
    assert_int_equal(sensors_energy(&sensors, &energy_j, &error), STATUS_OK);
    assert_true(energy_j == 7.5);
    sensors_close(&sensors);
}

/* Root can read every file, so a link to itself serves as an unreadable one. */
TEST(a_counter_that_may_not_be_read_is_told)
{
    struct sensors sensors;
    struct error error = {0};
    double energy_j = 0;
    char path[300];
    (void)snprintf(path, sizeof path, "%s" RAPL "1/energy_uj", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("energy_uj", path), 0);
    sensors_open(&sensors, folder, NULL, 0);
    assert_int_equal(sensors_energy(&sensors, &energy_j, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.text, "chmod a+r " RAPL "1/energy_uj"));
    assert_true(isnan(read_now(&sensors).energy_j));
    sensors_close(&sensors);
}

TEST_MAIN(make_folder, remove_folder)
