/* The management library, opened at run time. Toolkits may lack the header, so the few functions
 * used are declared here. */
#ifndef TUNE_DEVICE_CUDA_NVML_H
#define TUNE_DEVICE_CUDA_NVML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NVML_SUCCESS = 0, NVML_INSUFFICIENT_SIZE = 7 };
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2, NVML_SENSOR_GPU = 0 };
enum { NVML_ANCESTORS_MAX = 16 };
enum { NVML_ECC_CORRECTED = 0, NVML_ECC_UNCORRECTED = 1, NVML_ECC_VOLATILE = 0 };

typedef struct nvml_device *nvml_handle;
typedef int nvml_number_of(nvml_handle device, unsigned *out);
typedef int nvml_number_of_type(nvml_handle device, unsigned type, unsigned *out);
typedef int nvml_wide_number_of(nvml_handle device, unsigned long long *out);
typedef int nvml_pair_of(nvml_handle device, unsigned *current, unsigned *pending);

/* nvmlProcessInfo_t as filled by the functions _v2 and _v3. */
struct nvml_process {
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance;
    unsigned compute_instance;
};
/* `*count` is the room on the way in, how many there are on the way out. */
typedef int nvml_processes_of(nvml_handle device, unsigned *count, struct nvml_process *out);

typedef int nvml_plain(void);
typedef const char *nvml_text_of(int result);
typedef int nvml_version_of(char *out, unsigned bytes);
typedef int nvml_find(const char *pci_address, nvml_handle *out);
typedef int nvml_ecc_of(nvml_handle device, unsigned error_type, unsigned counter_type,
                        unsigned long long *out);

/* X(type, name in the library). */
#define NVML_FUNCTIONS(X)                                                                          \
    X(nvml_plain, nvmlInit_v2)                                                                     \
    X(nvml_plain, nvmlShutdown)                                                                    \
    X(nvml_text_of, nvmlErrorString)                                                               \
    X(nvml_version_of, nvmlSystemGetDriverVersion)                                                 \
    X(nvml_version_of, nvmlSystemGetNVMLVersion)                                                   \
    X(nvml_find, nvmlDeviceGetHandleByPciBusId_v2)                                                 \
    X(nvml_number_of_type, nvmlDeviceGetClockInfo)                                                 \
    X(nvml_number_of_type, nvmlDeviceGetMaxClockInfo)                                              \
    X(nvml_number_of_type, nvmlDeviceGetTemperature)                                               \
    X(nvml_pair_of, nvmlDeviceGetEccMode)                                                          \
    X(nvml_pair_of, nvmlDeviceGetMigMode)                                                          \
    X(nvml_number_of, nvmlDeviceGetPersistenceMode)                                                \
    X(nvml_number_of, nvmlDeviceGetCurrPcieLinkGeneration)                                         \
    X(nvml_number_of, nvmlDeviceGetMaxPcieLinkGeneration)                                          \
    X(nvml_number_of, nvmlDeviceGetCurrPcieLinkWidth)                                              \
    X(nvml_number_of, nvmlDeviceGetMaxPcieLinkWidth)                                               \
    X(nvml_number_of, nvmlDeviceGetPowerUsage)                                                     \
    X(nvml_number_of, nvmlDeviceGetEnforcedPowerLimit)                                             \
    X(nvml_wide_number_of, nvmlDeviceGetCurrentClocksEventReasons)                                 \
    X(nvml_wide_number_of, nvmlDeviceGetCurrentClocksThrottleReasons) /* older name */             \
    X(nvml_wide_number_of, nvmlDeviceGetTotalEnergyConsumption)       /* mJ */                     \
    X(nvml_ecc_of, nvmlDeviceGetTotalEccErrors)                                                    \
    X(nvml_processes_of, nvmlDeviceGetComputeRunningProcesses_v3)                                  \
    X(nvml_processes_of, nvmlDeviceGetComputeRunningProcesses_v2)

#define NVML_MEMBER(type, name) type *name;
struct nvml {
    void *library; /* NULL: not open */
    nvml_handle device;
    NVML_FUNCTIONS(NVML_MEMBER)        /* NULL where the library has none */
    unsigned pids[NVML_ANCESTORS_MAX]; /* processes that started this one */
    size_t ancestors;
    int64_t ancestors_computing; /* ancestors that use CUDA */
};

/* Opens and initialises the library; `device` stays NULL. False, with `reason`, when unavailable.
 */
bool cuda_nvml_open(struct nvml *out, char *reason, size_t reason_bytes);
/* Closes the library, if open. */
void cuda_nvml_close(struct nvml *nvml);
/* Finds the device. False: unknown to the library. */
bool cuda_nvml_find(struct nvml *nvml, const char *pci_address);

#endif
