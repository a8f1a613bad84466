#include "tuner/device/cpu/sensors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"

enum { PATH_BYTES = 320, VALUE_BYTES = 128, LOAD_LOOKS = 3, TEMPERATURES_A_CHIP = 32 };

static int open_at(const char *root, const char *path)
{
    char whole[PATH_BYTES];
    if (!string_format(whole, sizeof whole, "%s%s", root, path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(whole, O_RDONLY | O_CLOEXEC);
}

/* Reads the current beginning of the file. */
static bool read_text(int file, char *out, size_t bytes)
{
    ssize_t got = file >= 0 ? pread(file, out, bytes - 1, 0) : -1;
    out[got > 0 ? got : 0] = '\0';
    return got > 0;
}

static bool read_number(int file, double *out)
{
    char text[VALUE_BYTES], *end = NULL;
    if (!read_text(file, text, sizeof text))
        return false;
    *out = strtod(text, &end);
    return end != text && isfinite(*out);
}

static bool read_word_at(const char *root, const char *path, char *out, size_t bytes)
{
    int file = open_at(root, path);
    bool got = read_text(file, out, bytes);
    out[strcspn(out, "\n")] = '\0';
    file_close(file);
    return got;
}

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Calls `use` for each entry of the folder with this beginning, until a call returns true. */
static void each_entry(struct sensors *sensors, const char *root, const char *folder,
                       const char *beginning,
                       bool (*use)(struct sensors *sensors, const char *root, const char *path))
{
    char path[PATH_BYTES];
    DIR *entries = string_format(path, sizeof path, "%s%s", root, folder) ? opendir(path) : NULL;
    bool done = false;
    for (struct dirent *entry; !done && entries && (entry = readdir(entries));)
        done = begins_with(entry->d_name, beginning) &&
               string_format(path, sizeof path, "%s/%s", folder, entry->d_name) &&
               use(sensors, root, path);
    if (entries)
        (void)closedir(entries);
}

/* Opens the first temperature of a known chip: the package's, or the nearest to that. */
static bool use_chip(struct sensors *sensors, const char *root, const char *path)
{
    static const char *const chips[] = {"coretemp", "k10temp", "zenpower", "cpu_thermal"};
    char name[PATH_BYTES], word[VALUE_BYTES];
    if (!string_format(name, sizeof name, "%s/name", path) ||
        !read_word_at(root, name, word, sizeof word) ||
        WORD_INDEX(word, chips, COUNT(chips)) == COUNT(chips))
        return false;
    for (int i = 1; i <= TEMPERATURES_A_CHIP && sensors->temperature < 0; i++)
        if (string_format(name, sizeof name, "%s/temp%d_input", path, i))
            sensors->temperature = open_at(root, name);
    return sensors->temperature >= 0;
}

static bool use_zone(struct sensors *sensors, const char *root, const char *path)
{
    static const char *const zones[] = {"x86_pkg_temp", "cpu-thermal", "cpu_thermal",
                                        "cpu0-thermal", "soc_thermal"};
    char name[PATH_BYTES], word[VALUE_BYTES];
    if (string_format(name, sizeof name, "%s/type", path) &&
        read_word_at(root, name, word, sizeof word) &&
        WORD_INDEX(word, zones, COUNT(zones)) < COUNT(zones) &&
        string_format(name, sizeof name, "%s/temp", path))
        sensors->temperature = open_at(root, name);
    return sensors->temperature >= 0;
}

/* Opens a package's energy counter. Zones within a package ("intel-rapl:0:0": cores, memory) are
 * part of the package; "psys" is the whole board. */
static bool use_package(struct sensors *sensors, const char *root, const char *path)
{
    char name[PATH_BYTES], word[VALUE_BYTES];
    struct energy_counter counter = {.file = -1};
    if (!string_format(name, sizeof name, "%s/name", path) ||
        !read_word_at(root, name, word, sizeof word) || !begins_with(word, "package"))
        return false;
    if (string_format(name, sizeof name, "%s/max_energy_range_uj", path) &&
        read_word_at(root, name, word, sizeof word))
        counter.range_uj = strtod(word, NULL);
    if (!string_format(name, sizeof name, "%s/energy_uj", path))
        return false;
    counter.file = open_at(root, name);
    if (counter.file < 0)
        (void)string_format(sensors->energy_refused, sizeof sensors->energy_refused, "%s", name);
    else if (sensors->package_count < SENSOR_PACKAGES_MAX &&
             read_number(counter.file, &counter.last_uj))
        sensors->packages[sensors->package_count++] = counter;
    else
        file_close(counter.file);
    return false;
}

static void add_throttle(struct sensors *sensors, const char *root, unsigned processor,
                         const char *what)
{
    char path[PATH_BYTES];
    if (sensors->throttle_count >= SENSOR_THROTTLES_MAX ||
        !string_format(path, sizeof path,
                       "/sys/devices/system/cpu/cpu%u/thermal_throttle/%s_throttle_count",
                       processor, what))
        return;
    int file = open_at(root, path);
    if (file >= 0)
        sensors->throttles[sensors->throttle_count++] = file;
}

/* -1: not known. */
static int64_t read_throttled(const struct sensors *sensors)
{
    double sum = 0, one = 0;
    for (int i = 0; i < sensors->throttle_count; i++) {
        if (!read_number(sensors->throttles[i], &one))
            return -1;
        sum += one;
    }
    return sensors->throttle_count > 0 ? (int64_t)sum : -1;
}

void sensors_open(struct sensors *sensors, const char *root, const unsigned *processors,
                  size_t count)
{
    char path[PATH_BYTES];
    *sensors = (struct sensors){.clock = -1, .temperature = -1, .processor = -1};
    sensors->load = open_at(root, "/proc/loadavg");
    sensors->processors = open_at(root, "/proc/cpuinfo");
    if (count > 0)
        sensors->processor = (int)processors[0];
    if (count > 0 &&
        string_format(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq",
                      processors[0]))
        sensors->clock = open_at(root, path);
    each_entry(sensors, root, "/sys/class/hwmon", "hwmon", use_chip);
    if (sensors->temperature < 0)
        each_entry(sensors, root, "/sys/class/thermal", "thermal_zone", use_zone);
    each_entry(sensors, root, "/sys/class/powercap", "intel-rapl:", use_package);
    for (size_t i = 0; i < count; i++) {
        add_throttle(sensors, root, processors[i], "package");
        add_throttle(sensors, root, processors[i], "core");
    }
    sensors->throttled = read_throttled(sensors);
}

void sensors_close(struct sensors *sensors)
{
    file_close(sensors->clock);
    file_close(sensors->temperature);
    file_close(sensors->load);
    file_close(sensors->processors);
    for (int i = 0; i < sensors->package_count; i++)
        file_close(sensors->packages[i].file);
    for (int i = 0; i < sensors->throttle_count; i++)
        file_close(sensors->throttles[i]);
    *sensors = (struct sensors){
        .clock = -1, .temperature = -1, .load = -1, .processors = -1, .processor = -1};
}

/* Reads the clock from lines such as "cpu MHz : 2596.120" below "processor : 3". */
static double clock_by_list(const struct sensors *sensors)
{
    char line[4096]; /* the line of flags alone has over a thousand characters */
    int copy = sensors->processors >= 0 ? fcntl(sensors->processors, F_DUPFD_CLOEXEC, 0) : -1;
    FILE *file = copy >= 0 ? fdopen(copy, "re") : NULL;
    double mhz = (double)NAN;
    bool ours = false;
    if (!file) {
        file_close(copy);
        return mhz;
    }
    rewind(file);
    while (isnan(mhz) && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (value && begins_with(line, "processor"))
            ours = strtol(value + 1, NULL, 10) == sensors->processor;
        else if (value && ours && begins_with(line, "cpu MHz"))
            mhz = strtod(value + 1, NULL);
    }
    (void)fclose(file);
    return mhz > 0 ? mhz : (double)NAN;
}

/* Counts other running threads, as the least of a few readings: threads that run for a moment,
 * mostly the system's, do not disturb. */
static int64_t read_others(const struct sensors *sensors, int (*own_threads)(void *context),
                           void *context)
{
    int64_t least = -1;
    for (int look = 0; look < LOAD_LOOKS; look++) {
        char text[VALUE_BYTES];
        int own = own_threads(context);
        if (!read_text(sensors->load, text, sizeof text))
            return -1;
        /* "0.00 0.06 0.55 2/94 25688": running of all */
        const char *at = text;
        for (int i = 0; i < 3 && at; i++)
            at = (at = strchr(at, ' ')) ? at + 1 : NULL;
        if (!at || !strchr(at, '/'))
            return -1;
        int64_t others = strtol(at, NULL, 10) - own;
        others = others > 0 ? others : 0;
        least = least < 0 || others < least ? others : least;
    }
    return least;
}

enum status sensors_energy(struct sensors *sensors, double *energy_j, struct error *error)
{
    if (sensors->energy_refused[0])
        return error_set(error, STATUS_UNAVAILABLE,
                         "cpu: the processors' energy counter may not be read: let an "
                         "administrator run 'chmod a+r %s', or measure time only",
                         sensors->energy_refused);
    if (sensors->package_count == 0)
        return error_set(error, STATUS_UNAVAILABLE,
                         "cpu: this machine shows no energy counter (no package in "
                         "/sys/class/powercap, as in most virtual machines): measure time only");
    for (int i = 0; i < sensors->package_count; i++) {
        struct energy_counter *counter = &sensors->packages[i];
        double now_uj = 0;
        if (!read_number(counter->file, &now_uj))
            return error_set(error, STATUS_UNAVAILABLE,
                             "cpu: the processors' energy counter can no longer be read");
        double step_uj = now_uj - counter->last_uj;
        sensors->energy_uj += step_uj >= 0 ? step_uj : fmax(step_uj + counter->range_uj, 0);
        counter->last_uj = now_uj;
    }
    *energy_j = sensors->energy_uj / 1e6;
    return STATUS_OK;
}

void sensors_read(struct sensors *sensors, int (*own_threads)(void *context), void *context,
                  struct conditions *out)
{
    struct error ignored = {0};
    double number = 0;
    *out = conditions_unknown();
    double khz = 0;
    out->sm_clock_mhz =
        read_number(sensors->clock, &khz) && khz > 0 ? khz / 1e3 : clock_by_list(sensors);
    if (read_number(sensors->temperature, &number))
        out->temperature_c = number / 1e3;
    if (sensors_energy(sensors, &number, &ignored) == STATUS_OK)
        out->energy_j = number;
    int64_t throttled = read_throttled(sensors);
    if (throttled >= 0)
        out->throttle = throttled == sensors->throttled ? 0 : THROTTLE_HW_THERMAL;
    sensors->throttled = throttled;
    out->other_processes = read_others(sensors, own_threads, context);
}
