#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/internal.h"
#include "tuner/device/place.h"

enum attribute_form { FORM_NUMBER, FORM_BOOLEAN, FORM_KHZ, FORM_COMPUTE_MODE };

struct attribute_row {
    CUdevice_attribute attribute;
    enum attribute_form form;
    const char *key;
};

/* Attributes in printing order. */
static const struct attribute_row attributes[] = {
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, FORM_NUMBER, "sm_count"},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, FORM_NUMBER, "warp_size"},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, FORM_NUMBER, "max_threads_per_block"},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, FORM_NUMBER, "max_threads_per_sm"},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, FORM_NUMBER, "max_blocks_per_sm"},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, FORM_NUMBER, "max_block_x"},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, FORM_NUMBER, "max_block_y"},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, FORM_NUMBER, "max_block_z"},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, FORM_NUMBER, "max_grid_x"},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, FORM_NUMBER, "max_grid_y"},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, FORM_NUMBER, "max_grid_z"},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, FORM_NUMBER, "registers_per_sm"},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, FORM_NUMBER, "registers_per_block"},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, FORM_NUMBER, "shared_bytes_per_block"},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, FORM_NUMBER,
     "shared_bytes_per_block_optin"},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, FORM_NUMBER, "shared_bytes_per_sm"},
    {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, FORM_NUMBER,
     "shared_bytes_reserved_per_block"},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, FORM_NUMBER, "constant_bytes"},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, FORM_NUMBER, "l2_bytes"},
    {CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, FORM_NUMBER, "l2_persisting_bytes"},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, FORM_NUMBER, "memory_bus_bits"},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, FORM_KHZ, "memory_clock_peak_mhz"},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, FORM_KHZ, "sm_clock_peak_mhz"},
    {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, FORM_BOOLEAN, "ecc_enabled"},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, FORM_COMPUTE_MODE, "compute_mode"},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, FORM_NUMBER, "async_engines"},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, FORM_BOOLEAN, "concurrent_kernels"},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, FORM_BOOLEAN, "unified_addressing"},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, FORM_BOOLEAN, "managed_memory"},
    {CU_DEVICE_ATTRIBUTE_INTEGRATED, FORM_BOOLEAN, "integrated"},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, FORM_BOOLEAN, "cooperative_launch"},
    {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, FORM_BOOLEAN, "cluster_launch"},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, FORM_BOOLEAN, "memory_pools"},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, FORM_BOOLEAN, "compute_preemption"},
    {CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, FORM_BOOLEAN, "kernel_time_limit"},
};

enum status cuda_count(int *count, struct error *error)
{
    const struct cuda_driver *driver = cuda_driver(error);
    *count = 0;
    if (!driver)
        return error->status;
    CUresult result = driver->cuDeviceGetCount(count);
    if (result != CUDA_SUCCESS)
        return error_set(error, STATUS_UNAVAILABLE, "the driver does not count its GPUs (%d)",
                         (int)result);
    return STATUS_OK;
}

enum status cuda_handle(const struct cuda_driver *driver, int index, CUdevice *out,
                        struct error *error)
{
    int count = 0;
    if (driver->cuDeviceGetCount(&count) != CUDA_SUCCESS || index < 0 || index >= count)
        return error_set(error, STATUS_NOT_FOUND, "there %s %s here: 'tune devices' lists them",
                         count == 1 ? "is" : "are", count_text((uint64_t)count, "GPU").text);
    CUresult result = driver->cuDeviceGet(out, index);
    if (result != CUDA_SUCCESS)
        return error_set(error, STATUS_UNAVAILABLE, "the driver does not give it (%d)",
                         (int)result);
    return STATUS_OK;
}

static void add_attribute(const struct cuda_driver *driver, CUdevice device,
                          const struct attribute_row *row, struct facts *facts)
{
    int value = 0;
    if (driver->cuDeviceGetAttribute(&value, row->attribute, device) != CUDA_SUCCESS)
        return;
    switch (row->form) {
    case FORM_NUMBER:
        facts_add_integer(facts, row->key, value);
        return;
    case FORM_BOOLEAN:
        facts_add(facts, row->key, value_boolean(value != 0));
        return;
    case FORM_KHZ:
        if (value > 0)
            facts_add(facts, row->key, value_real(value / 1000.0));
        return;
    case FORM_COMPUTE_MODE:
        facts_add_text(
            facts, row->key,
            value == CU_COMPUTEMODE_DEFAULT             ? "default: several processes may use it"
            : value == CU_COMPUTEMODE_PROHIBITED        ? "prohibited: no process may compute on it"
            : value == CU_COMPUTEMODE_EXCLUSIVE_PROCESS ? "exclusive: one process at a time"
                                                        : "unknown to this program");
        return;
    }
}

static void add_software(const struct cuda_driver *driver, const char *driver_text,
                         struct facts *facts)
{
    char text[128];
    char supported[32];
    struct error ignored = {0};
    int major = driver->version / 1000;
    int minor = driver->version % 1000 / 10;
    (void)string_format(supported, sizeof supported, "%d.%d", major, minor);
    if (!*driver_text)
        (void)string_format(text, sizeof text, "CUDA %s", supported);
    else
        (void)string_format(text, sizeof text, "%s (CUDA %s)", driver_text, supported);
    facts_add_text(facts, "driver", text);
    facts_add_text(facts, "cuda_supported", supported);
    const struct cuda_compiler *nvrtc = cuda_compiler(&ignored);
    text[0] = '\0';
    if (nvrtc)
        (void)string_format(text, sizeof text, "NVRTC %d.%d", nvrtc->major, nvrtc->minor);
    facts_add_text(facts, "compiler", text);
    if (!nvrtc)
        facts_add_text(facts, "compiler_missing", ignored.text);
    const char *wanted = getenv(COMPILERS_VARIABLE), *nvcc = "", *settings = "";
    if (wanted && *wanted && cuda_compiler_version("nvcc", &nvcc, &ignored) == STATUS_OK &&
        cuda_compiler_settings("nvcc", NULL, &settings, &ignored) == STATUS_OK) {
        facts_add_text(facts, "nvcc", nvcc);
        facts_add_text(facts, BINARY_OF_FUNCTIONS, nvcc);
        facts_add_text(facts, COMPILER_SETTINGS, settings);
    }
}

static enum status add_identity(const struct cuda_driver *driver, CUdevice device, int index,
                                struct facts *facts, struct error *error)
{
    char text[256] = "";
    size_t memory_bytes = 0;
    int major = 0;
    int minor = 0;
    CUresult result = driver->cuDeviceGetName(text, sizeof text, device);
    if (result == CUDA_SUCCESS)
        result = driver->cuDeviceTotalMem(&memory_bytes, device);
    if (result == CUDA_SUCCESS)
        result = driver->cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                              device);
    if (result == CUDA_SUCCESS)
        result = driver->cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                              device);
    if (result != CUDA_SUCCESS)
        return error_set(error, STATUS_UNAVAILABLE, "cuda:%d: the driver does not describe it (%d)",
                         index, (int)result);
    facts_add_text(facts, "kind", "cuda");
    facts_add_integer(facts, "index", index);
    facts_add_text(facts, "name", text);
    CUuuid uuid;
    char uuid_text[48] = "GPU-";
    size_t length = strlen(uuid_text);
    if (driver->cuDeviceGetUuid(&uuid, device) == CUDA_SUCCESS) {
        for (size_t i = 0; i < 16; i++) {
            if (i == 4 || i == 6 || i == 8 || i == 10)
                uuid_text[length++] = '-';
            (void)snprintf(uuid_text + length, 3, "%02x", (unsigned)(unsigned char)uuid.bytes[i]);
            length += 2;
        }
        facts_add_text(facts, "uuid", uuid_text);
    }
    (void)string_format(text, sizeof text, "%d.%d", major, minor);
    facts_add_text(facts, "compute_capability", text);
    (void)string_format(text, sizeof text, "sm_%d%d", major, minor);
    facts_add_text(facts, "architecture", text);
    facts_add_integer(facts, "memory_bytes", (int64_t)memory_bytes);
    return STATUS_OK;
}

enum status cuda_describe(int index, const char *architecture, struct facts *facts,
                          struct error *error)
{
    if (architecture)
        return cuda_imagine(architecture, facts, error);
    char pci_address[32] = "";
    char driver_text[96] = "";
    CUdevice device = 0;
    const struct cuda_driver *driver = cuda_driver(error);
    if (!driver)
        return error->status;
    TRY(cuda_handle(driver, index, &device, error));
    TRY(add_identity(driver, device, index, facts, error));
    if (driver->cuDeviceGetPCIBusId(pci_address, sizeof pci_address, device) != CUDA_SUCCESS)
        pci_address[0] = '\0';
    for (char *c = pci_address; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        add_attribute(driver, device, &attributes[i], facts);
    /* The driver's clock is half the transfer rate, whatever the kind of memory. */
    int khz = 0;
    int bits = 0;
    if (driver->cuDeviceGetAttribute(&khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, device) ==
            CUDA_SUCCESS &&
        driver->cuDeviceGetAttribute(&bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, device) ==
            CUDA_SUCCESS &&
        khz > 0 && bits > 0) {
        facts_add(facts, "memory_pin_gbs", value_real(2.0 * khz * 1e3 * bits / 8 / 1e9));
    }
    if (*pci_address)
        facts_add_text(facts, "pci_address", pci_address);
    const int node = *pci_address ? place_numa_node(pci_address) : -1;
    if (node >= 0)
        facts_add_integer(facts, "numa_node", node);
    cuda_describe_nvml(pci_address, facts, driver_text, sizeof driver_text);
    if (!*driver_text) /* the kernel module's version, where NVML is missing */
        (void)file_line("/sys/module/nvidia/version", driver_text, sizeof driver_text);
    driver_text[strcspn(driver_text, " ")] = '\0';
    add_software(driver, driver_text, facts);
    return facts->failed ? error_no_memory(error) : STATUS_OK;
}
