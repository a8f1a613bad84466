/* The management library, opened at run time. The toolkit need not carry its header, so the few
 * functions used are declared here. */
#ifndef TUNE_DEVICE_CUDA_NVML_H
#define TUNE_DEVICE_CUDA_NVML_H

#include <stdbool.h>
#include <stddef.h>

enum { NVML_SUCCESS = 0, NVML_INSUFFICIENT_SIZE = 7 };
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2, NVML_SENSOR_GPU = 0 };
enum { NVML_ECC_CORRECTED = 0, NVML_ECC_UNCORRECTED = 1, NVML_ECC_VOLATILE = 0 };

typedef struct nvml_device *nvml_handle;
typedef int nvml_number_of(nvml_handle device, unsigned *out);
typedef int nvml_number_of_type(nvml_handle device, unsigned type, unsigned *out);
typedef int nvml_wide_number_of(nvml_handle device, unsigned long long *out);
typedef int nvml_pair_of(nvml_handle device, unsigned *current, unsigned *pending);

/* nvmlProcessInfo_t as the functions _v2 and _v3 fill it. */
struct nvml_process {
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance;
    unsigned compute_instance;
};
/* `*count` is the room on the way in, how many there are on the way out. */
typedef int nvml_processes_of(nvml_handle device, unsigned *count, struct nvml_process *out);

/* The functions have these names in the library; NULL where it has none. */
struct nvml {
    void *library; /* NULL: not open */
    nvml_handle device;
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
    nvml_wide_number_of *nvmlDeviceGetCurrentClocksEventReasons;
    nvml_wide_number_of *nvmlDeviceGetCurrentClocksThrottleReasons; /* its older name */
    nvml_wide_number_of *nvmlDeviceGetTotalEnergyConsumption;       /* mJ */
    int (*nvmlDeviceGetTotalEccErrors)(nvml_handle device, unsigned error_type,
                                       unsigned counter_type, unsigned long long *out);
    nvml_processes_of *nvmlDeviceGetComputeRunningProcesses_v3;
    nvml_processes_of *nvmlDeviceGetComputeRunningProcesses_v2;
};

/* Opens and initialises the library; `device` stays NULL. False when it cannot be had: `reason`
 * says why. */
bool cuda_nvml_open(struct nvml *out, char *reason, size_t reason_bytes);
/* Nothing to do when it is not open. */
void cuda_nvml_close(struct nvml *nvml);
/* Finds the device. False: unknown to the library. */
bool cuda_nvml_find(struct nvml *nvml, const char *pci_address);
/* What holds the clock back, in the library's bits. */
bool cuda_nvml_reasons(const struct nvml *nvml, unsigned long long *out);

#endif
