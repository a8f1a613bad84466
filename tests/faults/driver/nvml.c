/* A stand-in libnvidia-ml: clocks, temperatures, energy, and reasons for a lower clock. A reading
 * is all requests up to the list of processes, the tuner's last one. Rules about "conditions" count
 * readings: their values hold from the end of the reading before. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/faults/driver/script.h"

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7 };
enum { CLOCK_SM = 1, ECC_UNCORRECTED = 1, HOST_PIDS = 100000, BESIDE_MAX = 8 };

/* nvmlProcessInfo_t */
struct process {
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance;
    unsigned compute_instance;
};

static int the_device;
static struct fault reading;
static bool is_reading;

int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int result);
int nvmlSystemGetDriverVersion(char *out, unsigned bytes);
int nvmlSystemGetNVMLVersion(char *out, unsigned bytes);
int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **out);
int nvmlDeviceGetClockInfo(void *device, unsigned type, unsigned *out);
int nvmlDeviceGetMaxClockInfo(void *device, unsigned type, unsigned *out);
int nvmlDeviceGetTemperature(void *device, unsigned type, unsigned *out);
int nvmlDeviceGetEccMode(void *device, unsigned *current, unsigned *next);
int nvmlDeviceGetPowerUsage(void *device, unsigned *out);
int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *out);
int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *out);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *out);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *out);
int nvmlDeviceGetTotalEccErrors(void *device, unsigned error, unsigned counter,
                                unsigned long long *out);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process *out);

/* Finds a symbol of the stand-in driver; NULL if this process has not loaded it. */
static void *of_driver(const char *name)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *found = driver ? dlsym(driver, name) : NULL;
    if (driver)
        (void)dlclose(driver);
    return found;
}

/* Returns the current reading's rule; a new reading also sets the speed of kernels from now on. */
static const struct fault *conditions(void)
{
    struct subject none = {.kernel = NULL};
    if (is_reading)
        return &reading;
    is_reading = true;
    const int *device = of_driver("script_device");
    script_device = device ? *device : 0;
    if (script_match("conditions", &none, 1, &reading))
        (void)script_perform(&reading);
    else
        reading = script_no_fault();
    void (*set_pace)(double, double) = NULL;
    void *found = of_driver("standin_set_pace");
    memcpy(&set_pace, &found, sizeof found);
    if (set_pace)
        set_pace(reading.slower > 0 ? reading.slower : 1, reading.anchor > 0 ? reading.anchor : 1);
    return &reading;
}

int nvmlInit_v2(void)
{
    return script_call("nvmlInit");
}

int nvmlShutdown(void)
{
    return SUCCESS;
}

const char *nvmlErrorString(int result)
{
    return result == SUCCESS ? "Success" : result == NOT_FOUND ? "Not Found" : "Driver Not Loaded";
}

int nvmlSystemGetDriverVersion(char *out, unsigned bytes)
{
    (void)snprintf(out, bytes, "580.00.00");
    return SUCCESS;
}

int nvmlSystemGetNVMLVersion(char *out, unsigned bytes)
{
    (void)snprintf(out, bytes, "13.580.00.00");
    return SUCCESS;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **out)
{
    *out = &the_device;
    return *address ? script_call("nvmlDeviceGetHandleByPciBusId") : NOT_FOUND;
}

static unsigned long long throttle_reasons(void)
{
    long long scripted = conditions()->throttle;
    return scripted >= 0 ? (unsigned long long)scripted
                         : script_throttle(script_setting("nvml.throttle", ""));
}

int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *out)
{
    (void)device;
    *out = throttle_reasons();
    return script_call(__func__);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *out)
{
    (void)device;
    *out = throttle_reasons();
    return script_call(__func__);
}

/* Returns a rule's value, or else the usual one. */
static unsigned given(double scripted, unsigned usual)
{
    return scripted >= 0 ? (unsigned)scripted : usual;
}

int nvmlDeviceGetClockInfo(void *device, unsigned type, unsigned *out)
{
    (void)device;
    *out = type == CLOCK_SM ? given(conditions()->sm_clock_mhz, throttle_reasons() > 1 ? 600 : 1980)
                            : given(conditions()->memory_clock_mhz, 2619);
    return script_call(__func__);
}

int nvmlDeviceGetMaxClockInfo(void *device, unsigned type, unsigned *out)
{
    (void)device;
    *out = type == CLOCK_SM ? 1980 : 2619;
    return SUCCESS;
}

int nvmlDeviceGetTemperature(void *device, unsigned type, unsigned *out)
{
    (void)device;
    (void)type;
    *out = given(conditions()->temperature_c, throttle_reasons() > 1 ? 92 : 35);
    return script_call(__func__);
}

int nvmlDeviceGetEccMode(void *device, unsigned *current, unsigned *next)
{
    (void)device;
    *current = *next = 1;
    return SUCCESS;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *out)
{
    (void)device;
    double watts = conditions()->power_w;
    *out = watts >= 0 ? (unsigned)(watts * 1000) : 120000;
    return script_call(__func__);
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *out)
{
    (void)device;
    *out = 700000;
    return SUCCESS;
}

/* Returns the energy by the stand-in driver's own clock. nvml.energy=none, or still: it does not
 * move. */
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *out)
{
    const char *kind = script_setting("nvml.energy", "counter");
    double (*energy_mj)(void) = NULL;
    void *found = of_driver("standin_energy_mj");
    (void)device;
    memcpy(&energy_mj, &found, sizeof found);
    *out = 1000000;
    if (strcmp(kind, "none") == 0 || !energy_mj)
        return NOT_SUPPORTED;
    if (strcmp(kind, "still") != 0)
        *out += (unsigned long long)energy_mj();
    return script_call(__func__);
}

int nvmlDeviceGetTotalEccErrors(void *device, unsigned error, unsigned counter,
                                unsigned long long *out)
{
    (void)device;
    (void)counter;
    *out = error == ECC_UNCORRECTED ? 0 : given((double)conditions()->ecc, 0);
    return script_call(__func__);
}

/* Lists processes and ends the reading. nvml.pids: our own process as own, host (another number, as
 * in a container), or hidden; others are numbers of nobody, or with nvml.others=parent our
 * parent's. */
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process *out)
{
    const char *ours = script_setting("nvml.pids", "own");
    unsigned room = *count;
    unsigned others = given((double)conditions()->others, 0);
    unsigned listed = strcmp(ours, "hidden") == 0 ? 0 : 1;
    (void)device;
    is_reading = false;
    (void)conditions();
    pid_t beside[BESIDE_MAX];
    const size_t spares = listed ? state_others_with_context(script_device, beside, BESIDE_MAX) : 0;
    const unsigned shift = strcmp(ours, "host") == 0 ? HOST_PIDS : 0;
    *count = others + listed + (unsigned)spares;
    if (*count > room)
        return INSUFFICIENT_SIZE;
    for (unsigned i = 0; i < *count; i++)
        out[i] = (struct process){.pid = 1000000 + i};
    if (strcmp(script_setting("nvml.others", ""), "parent") == 0 && *count > 0)
        out[*count - 1].pid = (unsigned)getppid();
    if (listed)
        out[0].pid = (unsigned)getpid() + shift;
    for (size_t i = 0; i < spares; i++)
        out[1 + i].pid = (unsigned)beside[i] + shift;
    return script_call("nvmlDeviceGetComputeRunningProcesses");
}
