#include <math.h>
#include <unistd.h>

#include "tuner/device/cuda/internal.h"

enum { PROCESSES_MAX = 64 };

static const struct {
    unsigned long long bit; /* of nvmlClocksEventReasons */
    int64_t throttle;
} reasons[] = {
    {0x4, THROTTLE_POWER_CAP},   {0x8, THROTTLE_HW_SLOWDOWN}, {0x10, THROTTLE_SYNC_BOOST},
    {0x20, THROTTLE_SW_THERMAL}, {0x40, THROTTLE_HW_THERMAL}, {0x80, THROTTLE_POWER_BRAKE},
};

static int64_t throttle(const struct nvml *nvml)
{
    unsigned long long bits = 0;
    int64_t found = 0;
    if (!cuda_nvml_reasons(nvml, &bits))
        return -1;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (bits & reasons[i].bit)
            found |= reasons[i].throttle;
    return found;
}

static double typed(const struct nvml *nvml, nvml_number_of_type *function, unsigned type)
{
    unsigned value = 0;
    return function && function(nvml->device, type, &value) == NVML_SUCCESS ? value : (double)NAN;
}

static double power_w(const struct nvml *nvml)
{
    unsigned milliwatts = 0;
    return nvml->nvmlDeviceGetPowerUsage &&
                   nvml->nvmlDeviceGetPowerUsage(nvml->device, &milliwatts) == NVML_SUCCESS
               ? milliwatts * 1e-3
               : (double)NAN;
}

int cuda_energy_counter(const struct nvml *nvml, double *joules)
{
    unsigned long long millijoules = 0;
    int result = nvml->nvmlDeviceGetTotalEnergyConsumption(nvml->device, &millijoules);
    *joules = (double)millijoules * 1e-3;
    return result;
}

/* Since the driver was loaded. Where ECC is off or there is none, unknown. */
static int64_t ecc_errors(const struct nvml *nvml)
{
    static const unsigned types[] = {NVML_ECC_CORRECTED, NVML_ECC_UNCORRECTED};
    int64_t total = -1;
    for (size_t i = 0; i < sizeof types / sizeof *types && nvml->nvmlDeviceGetTotalEccErrors; i++) {
        unsigned long long count = 0;
        if (nvml->nvmlDeviceGetTotalEccErrors(nvml->device, types[i], NVML_ECC_VOLATILE, &count) ==
            NVML_SUCCESS)
            total = (total < 0 ? 0 : total) + (int64_t)count;
    }
    return total;
}

/* In a container our own process has another number here than getpid's, or is not listed: where it
 * is not found, one of those listed is taken for it. */
static int64_t other_than_ours(const struct nvml_process *processes, unsigned count)
{
    int64_t others = 0;
    for (unsigned i = 0; i < count; i++)
        others += processes[i].pid != (unsigned)getpid();
    return count > 0 && others == (int64_t)count ? others - 1 : others;
}

static int64_t other_processes(const struct nvml *nvml)
{
    struct nvml_process processes[PROCESSES_MAX];
    unsigned count = PROCESSES_MAX;
    nvml_processes_of *function = nvml->nvmlDeviceGetComputeRunningProcesses_v3
                                      ? nvml->nvmlDeviceGetComputeRunningProcesses_v3
                                      : nvml->nvmlDeviceGetComputeRunningProcesses_v2;
    int result = function ? function(nvml->device, &count, processes) : -1;
    if (result == NVML_INSUFFICIENT_SIZE)
        return PROCESSES_MAX;
    return result == NVML_SUCCESS ? other_than_ours(processes, count) : -1;
}

/* Without the energy counter, which takes 2 to 4 ms to read on an H200; the rest takes 0.03 to 0.1.
 */
void cuda_sensors(const struct device *device, struct conditions *out)
{
    const struct nvml *nvml = &cuda_of(device)->nvml;
    *out = conditions_unknown();
    if (!nvml->library)
        return;
    out->throttle = throttle(nvml);
    out->sm_clock_mhz = typed(nvml, nvml->nvmlDeviceGetClockInfo, NVML_CLOCK_SM);
    out->memory_clock_mhz = typed(nvml, nvml->nvmlDeviceGetClockInfo, NVML_CLOCK_MEMORY);
    out->temperature_c = typed(nvml, nvml->nvmlDeviceGetTemperature, NVML_SENSOR_GPU);
    out->power_w = power_w(nvml);
    out->ecc_errors = ecc_errors(nvml);
}

void cuda_conditions(struct device *device, struct conditions *out)
{
    cuda_sensors(device, out);
    if (cuda_of(device)->nvml.library)
        out->other_processes = other_processes(&cuda_of(device)->nvml);
}

double cuda_sm_clock(const struct device *device)
{
    const struct nvml *nvml = &cuda_of(device)->nvml;
    return nvml->library ? typed(nvml, nvml->nvmlDeviceGetClockInfo, NVML_CLOCK_SM) : (double)NAN;
}

bool cuda_read_energy(struct device *device, double *joules, const char **why)
{
    const struct nvml *nvml = &cuda_of(device)->nvml;
    if (!nvml->library) {
        *why = "NVML (libnvidia-ml.so.1) is missing or does not know the device";
        return false;
    }
    if (!nvml->nvmlDeviceGetTotalEnergyConsumption) {
        *why = "the driver is too old";
        return false;
    }
    const int result = cuda_energy_counter(nvml, joules);
    if (result != NVML_SUCCESS)
        *why = nvml->nvmlErrorString(result);
    return result == NVML_SUCCESS;
}
