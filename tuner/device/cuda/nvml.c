/* The management library, for what the driver API does not tell. The toolkit need not carry its
 * header, so the few functions used are declared here. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/cuda/internal.h"

typedef struct nvml_device *nvml_handle;
typedef int nvml_number_of(nvml_handle device, unsigned *out);
typedef int nvml_number_of_type(nvml_handle device, unsigned type, unsigned *out);
typedef int nvml_pair_of(nvml_handle device, unsigned *current, unsigned *pending);

/* The functions have these names in the library. */
struct nvml {
    int (*nvmlInit_v2)(void);
    int (*nvmlShutdown)(void);
    const char *(*nvmlErrorString)(int result);
    int (*nvmlSystemGetDriverVersion)(char *out, unsigned bytes);
    int (*nvmlSystemGetNVMLVersion)(char *out, unsigned bytes);
    int (*nvmlDeviceGetHandleByPciBusId_v2)(const char *pci_address, nvml_handle *out);
    nvml_number_of_type *nvmlDeviceGetClockInfo;
    nvml_number_of_type *nvmlDeviceGetMaxClockInfo;
    nvml_number_of_type *nvmlDeviceGetTemperature;
    nvml_pair_of *nvmlDeviceGetEccMode;
    nvml_pair_of *nvmlDeviceGetMigMode;
    nvml_number_of *nvmlDeviceGetPersistenceMode;
    nvml_number_of *nvmlDeviceGetCurrPcieLinkGeneration;
    nvml_number_of *nvmlDeviceGetMaxPcieLinkGeneration;
    nvml_number_of *nvmlDeviceGetCurrPcieLinkWidth;
    nvml_number_of *nvmlDeviceGetMaxPcieLinkWidth;
    nvml_number_of *nvmlDeviceGetPowerUsage;
    nvml_number_of *nvmlDeviceGetEnforcedPowerLimit;
    int (*nvmlDeviceGetCurrentClocksThrottleReasons)(nvml_handle device, unsigned long long *out);
};

#define NVML_ROW(name)                                                                             \
    {                                                                                              \
#name, offsetof(struct nvml, name)                                                         \
    }

static const struct library_symbol symbols[] = {
    NVML_ROW(nvmlInit_v2),
    NVML_ROW(nvmlShutdown),
    NVML_ROW(nvmlErrorString),
    NVML_ROW(nvmlSystemGetDriverVersion),
    NVML_ROW(nvmlSystemGetNVMLVersion),
    NVML_ROW(nvmlDeviceGetHandleByPciBusId_v2),
    NVML_ROW(nvmlDeviceGetClockInfo),
    NVML_ROW(nvmlDeviceGetMaxClockInfo),
    NVML_ROW(nvmlDeviceGetTemperature),
    NVML_ROW(nvmlDeviceGetEccMode),
    NVML_ROW(nvmlDeviceGetMigMode),
    NVML_ROW(nvmlDeviceGetPersistenceMode),
    NVML_ROW(nvmlDeviceGetCurrPcieLinkGeneration),
    NVML_ROW(nvmlDeviceGetMaxPcieLinkGeneration),
    NVML_ROW(nvmlDeviceGetCurrPcieLinkWidth),
    NVML_ROW(nvmlDeviceGetMaxPcieLinkWidth),
    NVML_ROW(nvmlDeviceGetPowerUsage),
    NVML_ROW(nvmlDeviceGetEnforcedPowerLimit),
    NVML_ROW(nvmlDeviceGetCurrentClocksThrottleReasons),
};

enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, SENSOR_GPU = 0 };

struct number_row {
    size_t offset; /* of the function in struct nvml */
    bool typed;    /* nvml_number_of_type, with `type` */
    unsigned type;
    const char *key;
    const char *label;
    const char *unit;
    double scale;
};

static const struct number_row numbers[] = {
    {offsetof(struct nvml, nvmlDeviceGetClockInfo), true, CLOCK_SM, "sm_clock_now_mhz",
     "SM clock now", "MHz", 1},
    {offsetof(struct nvml, nvmlDeviceGetMaxClockInfo), true, CLOCK_SM, "sm_clock_max_mhz",
     "SM clock, largest", "MHz", 1},
    {offsetof(struct nvml, nvmlDeviceGetClockInfo), true, CLOCK_MEMORY, "memory_clock_now_mhz",
     "Memory clock now", "MHz", 1},
    {offsetof(struct nvml, nvmlDeviceGetMaxClockInfo), true, CLOCK_MEMORY, "memory_clock_max_mhz",
     "Memory clock, largest", "MHz", 1},
    {offsetof(struct nvml, nvmlDeviceGetCurrPcieLinkGeneration), false, 0, "pcie_generation_now",
     "PCIe generation now", "", 1},
    {offsetof(struct nvml, nvmlDeviceGetMaxPcieLinkGeneration), false, 0, "pcie_generation_max",
     "PCIe generation, largest", "", 1},
    {offsetof(struct nvml, nvmlDeviceGetCurrPcieLinkWidth), false, 0, "pcie_lanes_now",
     "PCIe lanes now", "", 1},
    {offsetof(struct nvml, nvmlDeviceGetMaxPcieLinkWidth), false, 0, "pcie_lanes_max",
     "PCIe lanes, most", "", 1},
    {offsetof(struct nvml, nvmlDeviceGetTemperature), true, SENSOR_GPU, "temperature_c",
     "Temperature now", "C", 1},
    {offsetof(struct nvml, nvmlDeviceGetPowerUsage), false, 0, "power_now_w", "Power now", "W",
     1e-3},
    {offsetof(struct nvml, nvmlDeviceGetEnforcedPowerLimit), false, 0, "power_limit_w",
     "Power limit", "W", 1e-3},
};

static const struct {
    unsigned long long bit;
    const char *name;
} throttle_reasons[] = {
    {0x1, "idle"},
    {0x2, "clocks set by an application"},
    {0x4, "power cap"},
    {0x8, "hardware slowdown"},
    {0x10, "sync boost"},
    {0x20, "software thermal"},
    {0x40, "hardware thermal"},
    {0x80, "power brake"},
    {0x100, "display clocks"},
};

static void add_number(const struct nvml *nvml, nvml_handle device, const struct number_row *row,
                       struct facts *facts)
{
    unsigned number = 0;
    int result = -1;
    const char *member = (const char *)nvml + row->offset;
    if (row->typed) {
        nvml_number_of_type *function;
        memcpy(&function, member, sizeof function);
        result = function ? function(device, row->type, &number) : -1;
    } else {
        nvml_number_of *function;
        memcpy(&function, member, sizeof function);
        result = function ? function(device, &number) : -1;
    }
    if (result != 0)
        return;
    if (row->scale < 1)
        facts_add(facts, row->key, row->label, row->unit, value_real(number * row->scale));
    else
        facts_add_integer(facts, row->key, row->label, row->unit, number);
}

static void add_mode(nvml_pair_of *function, nvml_handle device, const char *key, const char *label,
                     struct facts *facts)
{
    unsigned current = 0;
    unsigned pending = 0;
    if (function && function(device, &current, &pending) == 0)
        facts_add(facts, key, label, "", value_boolean(current != 0));
}

static void add_throttling(const struct nvml *nvml, nvml_handle device, struct facts *facts)
{
    unsigned long long reasons = 0;
    struct text names = {0};
    if (!nvml->nvmlDeviceGetCurrentClocksThrottleReasons ||
        nvml->nvmlDeviceGetCurrentClocksThrottleReasons(device, &reasons) != 0)
        return;
    for (size_t i = 0; i < sizeof throttle_reasons / sizeof *throttle_reasons; i++)
        if (reasons & throttle_reasons[i].bit)
            text_printf(&names, "%s%s", names.length ? ", " : "", throttle_reasons[i].name);
    facts_add_text(facts, "throttle_reasons", "Clock held back now by",
                   names.length ? text_string(&names) : "nothing");
    text_free(&names);
}

static void add_device(const struct nvml *nvml, nvml_handle device, struct facts *facts)
{
    unsigned persistence = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_number(nvml, device, &numbers[i], facts);
    add_mode(nvml->nvmlDeviceGetEccMode, device, "ecc_mode", "ECC (NVML)", facts);
    add_mode(nvml->nvmlDeviceGetMigMode, device, "mig_mode", "MIG mode", facts);
    if (nvml->nvmlDeviceGetPersistenceMode &&
        nvml->nvmlDeviceGetPersistenceMode(device, &persistence) == 0)
        facts_add(facts, "persistence_mode", "Persistence mode", "",
                  value_boolean(persistence != 0));
    add_throttling(nvml, device, facts);
}

static void add_all(const struct nvml *nvml, const char *pci_address, struct facts *facts,
                    char *driver_text, size_t driver_bytes)
{
    char version[96] = "";
    nvml_handle device = NULL;
    if (nvml->nvmlSystemGetDriverVersion(driver_text, (unsigned)driver_bytes) != 0)
        driver_text[0] = '\0';
    if (nvml->nvmlSystemGetNVMLVersion(version, sizeof version) == 0)
        facts_add_text(facts, "nvml", "NVML", version);
    if (nvml->nvmlDeviceGetHandleByPciBusId_v2(pci_address, &device) == 0)
        add_device(nvml, device, facts);
}

static void *open_library(void)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("/usr/lib/wsl/lib/libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("/usr/local/nvidia/lib64/libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* Of the others, any may be missing: its fact is then left out. */
static bool is_usable(const struct nvml *nvml)
{
    return nvml->nvmlInit_v2 && nvml->nvmlShutdown && nvml->nvmlErrorString &&
           nvml->nvmlSystemGetDriverVersion && nvml->nvmlSystemGetNVMLVersion &&
           nvml->nvmlDeviceGetHandleByPciBusId_v2;
}

void cuda_describe_nvml(const char *pci_address, struct facts *facts, char *driver_text,
                        size_t driver_bytes)
{
    struct nvml nvml;
    char text[160];
    driver_text[0] = '\0';
    void *library = open_library();
    if (!library) {
        facts_add_text(facts, "nvml", "NVML", "not found: libnvidia-ml.so.1 is not installed");
        return;
    }
    (void)library_resolve(library, symbols, sizeof symbols / sizeof *symbols, &nvml);
    int result = is_usable(&nvml) ? nvml.nvmlInit_v2() : -1;
    if (!is_usable(&nvml)) {
        facts_add_text(facts, "nvml", "NVML", "libnvidia-ml.so.1 is too old");
    } else if (result != 0) {
        if (string_format(text, sizeof text, "does not start: %s", nvml.nvmlErrorString(result)))
            facts_add_text(facts, "nvml", "NVML", text);
    } else {
        add_all(&nvml, pci_address, facts, driver_text, driver_bytes);
        (void)nvml.nvmlShutdown();
    }
    (void)dlclose(library);
}
