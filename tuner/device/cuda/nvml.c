#include "tuner/device/cuda/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/text.h"
#include "tuner/device/cuda/internal.h"

#define NVML_ROW(type, name) {#name, offsetof(struct nvml, name)},
static const struct library_symbol symbols[] = {NVML_FUNCTIONS(NVML_ROW)};

struct number_row {
    size_t offset; /* offset of the function in struct nvml */
    bool typed;    /* nvml_number_of_type, with `type` */
    unsigned type;
    const char *key;
    double scale;
};

static const struct number_row numbers[] = {
    {offsetof(struct nvml, nvmlDeviceGetClockInfo), true, NVML_CLOCK_SM, "sm_clock_now_mhz", 1},
    {offsetof(struct nvml, nvmlDeviceGetMaxClockInfo), true, NVML_CLOCK_SM, "sm_clock_max_mhz", 1},
    {offsetof(struct nvml, nvmlDeviceGetClockInfo), true, NVML_CLOCK_MEMORY, "memory_clock_now_mhz",
     1},
    {offsetof(struct nvml, nvmlDeviceGetMaxClockInfo), true, NVML_CLOCK_MEMORY,
     "memory_clock_max_mhz", 1},
    {offsetof(struct nvml, nvmlDeviceGetCurrPcieLinkGeneration), false, 0, "pcie_generation_now",
     1},
    {offsetof(struct nvml, nvmlDeviceGetMaxPcieLinkGeneration), false, 0, "pcie_generation_max", 1},
    {offsetof(struct nvml, nvmlDeviceGetCurrPcieLinkWidth), false, 0, "pcie_lanes_now", 1},
    {offsetof(struct nvml, nvmlDeviceGetMaxPcieLinkWidth), false, 0, "pcie_lanes_max", 1},
    {offsetof(struct nvml, nvmlDeviceGetTemperature), true, NVML_SENSOR_GPU, "temperature_c", 1},
    {offsetof(struct nvml, nvmlDeviceGetPowerUsage), false, 0, "power_now_w", 1e-3},
    {offsetof(struct nvml, nvmlDeviceGetEnforcedPowerLimit), false, 0, "power_limit_w", 1e-3},
};

/* Reasons that hold the clock back. Idling and an application's setting do not count. */
static const struct {
    unsigned long long bit; /* of nvmlClocksEventReasons */
    const char *name;
    int64_t throttle; /* 0: nothing */
} throttle_reasons[] = {
    {0x1, "idle", 0},
    {0x2, "clocks set by an application", 0},
    {0x4, "power cap", THROTTLE_POWER_CAP},
    {0x8, "hardware slowdown", THROTTLE_HW_SLOWDOWN},
    {0x10, "sync boost", THROTTLE_SYNC_BOOST},
    {0x20, "software thermal", THROTTLE_SW_THERMAL},
    {0x40, "hardware thermal", THROTTLE_HW_THERMAL},
    {0x80, "power brake", THROTTLE_POWER_BRAKE},
    {0x100, "display clocks", 0},
};

static void add_mode(nvml_pair_of *function, nvml_handle device, const char *key,
                     struct facts *facts)
{
    unsigned current = 0;
    unsigned pending = 0;
    if (function && function(device, &current, &pending) == 0)
        facts_add(facts, key, value_boolean(current != 0));
}

static bool read_reasons(const struct nvml *nvml, unsigned long long *out)
{
    nvml_wide_number_of *function = nvml->nvmlDeviceGetCurrentClocksEventReasons
                                        ? nvml->nvmlDeviceGetCurrentClocksEventReasons
                                        : nvml->nvmlDeviceGetCurrentClocksThrottleReasons;
    return function && function(nvml->device, out) == NVML_SUCCESS;
}

/* Reads the energy counter, which the library must have; returns the library's result. */
static int energy_counter(const struct nvml *nvml, double *joules)
{
    unsigned long long millijoules = 0;
    int result = nvml->nvmlDeviceGetTotalEnergyConsumption(nvml->device, &millijoules);
    *joules = (double)millijoules * 1e-3;
    return result;
}

static void add_device(const struct nvml *nvml, struct facts *facts)
{
    unsigned persistence = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct number_row *row = &numbers[i];
        unsigned number = 0;
        int result = -1;
        const char *member = (const char *)nvml + row->offset;
        if (row->typed) {
            nvml_number_of_type *function;
            memcpy(&function, member, sizeof function);
            result = function ? function(nvml->device, row->type, &number) : -1;
        } else {
            nvml_number_of *function;
            memcpy(&function, member, sizeof function);
            result = function ? function(nvml->device, &number) : -1;
        }
        if (result == 0) {
            if (row->scale < 1)
                facts_add(facts, row->key, value_real(number * row->scale));
            else
                facts_add_integer(facts, row->key, number);
        }
    }
    add_mode(nvml->nvmlDeviceGetEccMode, nvml->device, "ecc_mode", facts);
    add_mode(nvml->nvmlDeviceGetMigMode, nvml->device, "mig_mode", facts);
    if (nvml->nvmlDeviceGetPersistenceMode &&
        nvml->nvmlDeviceGetPersistenceMode(nvml->device, &persistence) == NVML_SUCCESS)
        facts_add(facts, "persistence_mode", value_boolean(persistence != 0));
    unsigned long long reasons = 0;
    struct text names = {0};
    if (read_reasons(nvml, &reasons)) {
        for (size_t i = 0; i < sizeof throttle_reasons / sizeof *throttle_reasons; i++)
            if (reasons & throttle_reasons[i].bit)
                text_printf(&names, "%s%s", names.length ? ", " : "", throttle_reasons[i].name);
        facts_add_text(facts, "throttle_reasons", names.length ? text_string(&names) : "nothing");
        text_free(&names);
    }
    double joules = 0;
    bool counts =
        nvml->nvmlDeviceGetTotalEnergyConsumption && energy_counter(nvml, &joules) == NVML_SUCCESS;
    facts_add(facts, "energy_counter", value_boolean(counts));
}

/* Sets the reason and refuses, with details only if short enough. */
static bool refuse(struct nvml *nvml, char *reason, size_t reason_bytes, const char *text,
                   const char *detail)
{
    if (!string_format(reason, reason_bytes, "%s%s", text, detail))
        reason[0] = '\0';
    if (nvml->library)
        (void)dlclose(nvml->library);
    nvml->library = NULL;
    return false;
}

bool cuda_nvml_open(struct nvml *out, char *reason, size_t reason_bytes)
{
    static const char *const names[] = {"libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1",
                                        "/usr/local/nvidia/lib64/libnvidia-ml.so.1"};
    static const struct library_files files = {"libnvidia-ml", names, sizeof names / sizeof *names};
    *out = (struct nvml){.library = library_open(&files, &(const char *){LIBRARY_LOADER}, 1)};
    if (!out->library)
        return refuse(out, reason, reason_bytes,
                      "not found: ", "libnvidia-ml.so.1 is not installed");
    (void)library_resolve(out->library, symbols, sizeof symbols / sizeof *symbols, out);
    /* Any other function may be missing, and its fact is then unknown. */
    if (!(out->nvmlInit_v2 && out->nvmlShutdown && out->nvmlErrorString &&
          out->nvmlSystemGetDriverVersion && out->nvmlSystemGetNVMLVersion &&
          out->nvmlDeviceGetHandleByPciBusId_v2))
        return refuse(out, reason, reason_bytes, "libnvidia-ml.so.1 is too old", "");
    int result = out->nvmlInit_v2();
    if (result != NVML_SUCCESS)
        return refuse(out, reason, reason_bytes, "does not start: ", out->nvmlErrorString(result));
    return true;
}

void cuda_nvml_close(struct nvml *nvml)
{
    if (!nvml->library)
        return;
    (void)nvml->nvmlShutdown();
    (void)dlclose(nvml->library);
    *nvml = (struct nvml){.library = NULL};
}

/* Returns the parent of a process, and whether the process uses CUDA; 0: unknown. */
static unsigned parent_of(unsigned pid, bool *computes)
{
    char path[64], line[512];
    unsigned parent = 0;
    *computes = false;
    (void)string_format(path, sizeof path, "/proc/%u/status", pid);
    FILE *file = fopen(path, "re");
    while (file && parent == 0 && fgets(line, sizeof line, file))
        parent = strncmp(line, "PPid:", 5) == 0 ? (unsigned)strtoul(line + 5, NULL, 10) : 0;
    if (file)
        (void)fclose(file);
    (void)string_format(path, sizeof path, "/proc/%u/maps", pid);
    file = fopen(path, "re");
    while (file && !*computes && fgets(line, sizeof line, file))
        *computes = strstr(line, "/dev/nvidia-uvm") != NULL;
    if (file)
        (void)fclose(file);
    return parent;
}

bool cuda_nvml_find(struct nvml *nvml, const char *pci_address)
{
    /* The processes that started this one: a program that waits for the tuning, such as a script
     * with arrays on the device, leaves the device alone. */
    bool computes = false;
    unsigned pid = parent_of((unsigned)getpid(), &computes);
    for (nvml->ancestors = 0; pid > 1 && nvml->ancestors < NVML_ANCESTORS_MAX; nvml->ancestors++) {
        nvml->pids[nvml->ancestors] = pid;
        pid = parent_of(pid, &computes);
        nvml->ancestors_computing += computes;
    }
    return nvml->nvmlDeviceGetHandleByPciBusId_v2(pci_address, &nvml->device) == NVML_SUCCESS;
}

void cuda_describe_nvml(const char *pci_address, struct facts *facts, char *driver_text,
                        size_t driver_bytes)
{
    struct nvml nvml;
    char text[160] = "";
    char version[96] = "";
    driver_text[0] = '\0';
    if (!cuda_nvml_open(&nvml, text, sizeof text)) {
        facts_add_text(facts, "nvml", text);
        return;
    }
    if (nvml.nvmlSystemGetDriverVersion(driver_text, (unsigned)driver_bytes) != NVML_SUCCESS)
        driver_text[0] = '\0';
    if (nvml.nvmlSystemGetNVMLVersion(version, sizeof version) == NVML_SUCCESS)
        facts_add_text(facts, "nvml", version);
    if (cuda_nvml_find(&nvml, pci_address))
        add_device(&nvml, facts);
    cuda_nvml_close(&nvml);
}

/* ---- state of a device at work ---- */

enum { PROCESSES_MAX = 64 };

static int64_t throttle(const struct nvml *nvml)
{
    unsigned long long bits = 0;
    int64_t found = 0;
    if (!read_reasons(nvml, &bits))
        return -1;
    for (size_t i = 0; i < sizeof throttle_reasons / sizeof *throttle_reasons; i++)
        if (bits & throttle_reasons[i].bit)
            found |= throttle_reasons[i].throttle;
    return found;
}

static double typed(const struct nvml *nvml, nvml_number_of_type *function, unsigned type)
{
    unsigned value = 0;
    return function && function(nvml->device, type, &value) == NVML_SUCCESS ? value : (double)NAN;
}

/* Counts processes other than ours and our ancestors; -1: unknown. In a container, ours are listed
 * under other numbers, or not at all: one listed process is then taken for ours, and one for each
 * ancestor that uses CUDA. */
static int64_t other_processes(const struct nvml *nvml)
{
    struct nvml_process processes[PROCESSES_MAX];
    unsigned count = PROCESSES_MAX;
    int64_t others = 0;
    nvml_processes_of *function = nvml->nvmlDeviceGetComputeRunningProcesses_v3
                                      ? nvml->nvmlDeviceGetComputeRunningProcesses_v3
                                      : nvml->nvmlDeviceGetComputeRunningProcesses_v2;
    const int result = function ? function(nvml->device, &count, processes) : -1;
    if (result != NVML_SUCCESS)
        return result == NVML_INSUFFICIENT_SIZE ? PROCESSES_MAX : -1;
    for (unsigned i = 0; i < count; i++) {
        bool is_ours = processes[i].pid == (unsigned)getpid();
        for (size_t k = 0; k < nvml->ancestors; k++)
            is_ours = is_ours || processes[i].pid == nvml->pids[k];
        others += !is_ours;
    }
    if (count > 0 && others == (int64_t)count)
        others -= 1 + nvml->ancestors_computing;
    return others > 0 ? others : 0;
}

/* Reads the sensors but the energy counter, which takes 2 to 4 ms on an H200; the rest takes 0.03
 * to 0.1. */
void cuda_sensors(const struct device *device, struct conditions *out)
{
    const struct nvml *nvml = &device->nvml;
    *out = conditions_unknown();
    if (!nvml->library)
        return;
    out->throttle = throttle(nvml);
    out->sm_clock_mhz = typed(nvml, nvml->nvmlDeviceGetClockInfo, NVML_CLOCK_SM);
    out->memory_clock_mhz = typed(nvml, nvml->nvmlDeviceGetClockInfo, NVML_CLOCK_MEMORY);
    out->temperature_c = typed(nvml, nvml->nvmlDeviceGetTemperature, NVML_SENSOR_GPU);
    unsigned milliwatts = 0;
    out->power_w = nvml->nvmlDeviceGetPowerUsage &&
                           nvml->nvmlDeviceGetPowerUsage(nvml->device, &milliwatts) == NVML_SUCCESS
                       ? milliwatts * 1e-3
                       : (double)NAN;
    /* Count since the driver was loaded; unknown where ECC is off or missing. */
    static const unsigned types[] = {NVML_ECC_CORRECTED, NVML_ECC_UNCORRECTED};
    int64_t total = -1;
    for (size_t i = 0; i < sizeof types / sizeof *types && nvml->nvmlDeviceGetTotalEccErrors; i++) {
        unsigned long long count = 0;
        if (nvml->nvmlDeviceGetTotalEccErrors(nvml->device, types[i], NVML_ECC_VOLATILE, &count) ==
            NVML_SUCCESS)
            total = (total < 0 ? 0 : total) + (int64_t)count;
    }
    out->ecc_errors = total;
}

void cuda_conditions(struct device *device, struct conditions *out)
{
    cuda_sensors(device, out);
    if (device->nvml.library)
        out->other_processes = other_processes(&device->nvml);
}

double cuda_sm_clock(const struct device *device)
{
    const struct nvml *nvml = &device->nvml;
    return nvml->library ? typed(nvml, nvml->nvmlDeviceGetClockInfo, NVML_CLOCK_SM) : (double)NAN;
}

bool cuda_read_energy(struct device *device, double *joules, const char **why)
{
    const struct nvml *nvml = &device->nvml;
    if (!nvml->library) {
        *why = "NVML (libnvidia-ml.so.1) is missing or does not know the device";
        return false;
    }
    if (!nvml->nvmlDeviceGetTotalEnergyConsumption) {
        *why = "the driver is too old";
        return false;
    }
    const int result = energy_counter(nvml, joules);
    if (result != NVML_SUCCESS)
        *why = nvml->nvmlErrorString(result);
    return result == NVML_SUCCESS;
}
