/* A stand-in libnvidia-ml: clocks, temperatures, and what holds the clock back. */
#include <stdio.h>
#include <string.h>

#include "tests/faults/driver/script.h"

enum { SUCCESS = 0, NOT_FOUND = 6 };

/* Devices are told from one another by nothing: what holds one back holds back all. */
static int the_device;

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
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *out);

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

/* NAME|NAME or a number, as in nvml.throttle=hw_slowdown|sw_thermal */
static unsigned long long throttle_reasons(void)
{
    static const struct {
        const char *name;
        unsigned bit;
    } reasons[] = {
        {"idle", 0x1},        {"application_clocks", 0x2}, {"power_cap", 0x4},
        {"hw_slowdown", 0x8}, {"sync_boost", 0x10},        {"sw_thermal", 0x20},
        {"hw_thermal", 0x40}, {"power_brake", 0x80},       {"display_clocks", 0x100},
    };
    unsigned long long found = 0;
    for (const char *word = script_setting("nvml.throttle", ""); *word;) {
        size_t length = strcspn(word, "|");
        size_t i = 0;
        while (i < sizeof reasons / sizeof *reasons &&
               (strlen(reasons[i].name) != length || strncmp(word, reasons[i].name, length) != 0))
            i++;
        if (i == sizeof reasons / sizeof *reasons)
            script_fail("TUNE_FAULTS: nvml.throttle: '%.*s' is no reason", (int)length, word);
        found |= reasons[i].bit;
        word += length + (word[length] == '|' ? 1 : 0);
    }
    return found;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *out)
{
    (void)device;
    *out = throttle_reasons();
    return script_call("nvmlDeviceGetCurrentClocksThrottleReasons");
}

int nvmlDeviceGetClockInfo(void *device, unsigned type, unsigned *out)
{
    (void)device;
    *out = type == 1 ? (throttle_reasons() > 1 ? 600 : 1980) : 2619;
    return script_call("nvmlDeviceGetClockInfo");
}

int nvmlDeviceGetMaxClockInfo(void *device, unsigned type, unsigned *out)
{
    (void)device;
    *out = type == 1 ? 1980 : 2619;
    return SUCCESS;
}

int nvmlDeviceGetTemperature(void *device, unsigned type, unsigned *out)
{
    (void)device;
    (void)type;
    *out = throttle_reasons() > 1 ? 92 : 35;
    return SUCCESS;
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
    *out = 120000;
    return SUCCESS;
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *out)
{
    (void)device;
    *out = 700000;
    return SUCCESS;
}
