/* The host's devices, as listed by the driver. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/faults/driver/standin.h"

static const struct model models[] = {
    {"Stand-in GPU 132", 9, 0, 132, 1980000, 2619000, 6144, 4 << 20, "0000:1b:00.0"},
    {"Stand-in GPU 40", 8, 6, 40, 1700000, 6251000, 256, 2 << 20, "0000:4e:00.0"},
};
static const char *const model_words[] = {"big", "small"};

static int visible[DEVICES_MAX]; /* physical numbers, in the order of CUDA_VISIBLE_DEVICES */
static int visible_count;
static struct CUctx_st *context;

struct CUctx_st {
    int device;
};

/* Returns a device of devices=big,big,small; NULL behind the last. */
const struct model *device_model(int physical)
{
    const char *word = script_setting("devices", "big");
    for (int i = 0; *word; i++) {
        size_t length = strcspn(word, ",");
        if (i == physical)
            for (size_t j = 0; j < sizeof models / sizeof *models; j++)
                if (strlen(model_words[j]) == length && strncmp(word, model_words[j], length) == 0)
                    return &models[j];
        if (i == physical)
            script_fail("TUNE_FAULTS: devices: '%.*s' is none of big, small", (int)length, word);
        word += length + (word[length] == ',' ? 1 : 0);
    }
    return NULL;
}

const struct model *current_model(void)
{
    return device_model(script_device);
}

uint64_t device_memory_bytes(void)
{
    return script_number("memory", UINT64_C(256) << 20);
}

static void uuid_of(int physical, char out[16])
{
    for (int i = 0; i < 16; i++)
        out[i] = (char)(16 * i + physical);
}

static bool is_uuid_of(int physical, const char *word, size_t length)
{
    char uuid[16];
    char text[64] = "GPU-";
    size_t used = 4;
    uuid_of(physical, uuid);
    for (size_t i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            text[used++] = '-';
        (void)snprintf(text + used, 3, "%02x", (unsigned)(unsigned char)uuid[i]);
        used += 2;
    }
    return length > 4 && length <= used && strncmp(text, word, length) == 0;
}

/* Returns a word's index, or -1 without such a device. A number counts the present devices. */
static int find_word(const char *word, size_t length, const int *there, int there_count)
{
    char *end = NULL;
    long index = strtol(word, &end, 10);
    if (end == word + length && length > 0)
        return index >= 0 && index < there_count ? there[index] : -1;
    for (int i = 0; i < there_count; i++)
        if (is_uuid_of(there[i], word, length))
            return there[i];
    return -1;
}

/* Lists the devices up to the first word that names none, as the real driver does. */
static void list_devices(const bool gone[DEVICES_MAX])
{
    const char *wanted = getenv("CUDA_VISIBLE_DEVICES");
    int there[DEVICES_MAX];
    int there_count = 0;
    for (int i = 0; i < DEVICES_MAX && device_model(i); i++)
        if (!gone[i])
            there[there_count++] = i;
    visible_count = 0;
    if (!wanted) {
        memcpy(visible, there, sizeof there);
        visible_count = there_count;
        return;
    }
    while (*wanted && visible_count < DEVICES_MAX) {
        size_t length = strcspn(wanted, ",");
        int found = find_word(wanted, length, there, there_count);
        if (found < 0)
            return;
        visible[visible_count++] = found;
        wanted += length + (wanted[length] == ',' ? 1 : 0);
    }
}

CUresult cuInit(unsigned flags)
{
    bool gone[DEVICES_MAX];
    (void)flags;
    state_start(gone);
    list_devices(gone);
    CUresult result = enter_bare(__func__);
    if (result == CUDA_SUCCESS && visible_count == 0)
        return CUDA_ERROR_NO_DEVICE;
    return result;
}

CUresult cuDriverGetVersion(int *version)
{
#ifdef STANDIN_OLD
    *version = 11040;
#else
    *version = 13000;
#endif
    return enter_bare(__func__);
}

CUresult cuDeviceGetCount(int *count)
{
    *count = visible_count;
    return enter_bare(__func__);
}

CUresult cuDeviceGet(CUdevice *out, int index)
{
    CUresult result = enter_bare(__func__);
    if (result == CUDA_SUCCESS && (index < 0 || index >= visible_count))
        return CUDA_ERROR_INVALID_DEVICE;
    *out = index;
    return result;
}

static const struct model *model_of(CUdevice device)
{
    return device_model(visible[device]);
}

CUresult cuDeviceGetName(char *out, int bytes, CUdevice device)
{
    (void)snprintf(out, (size_t)bytes, "%s", model_of(device)->name);
    return enter_bare(__func__);
}

CUresult cuDeviceGetUuid(CUuuid *out, CUdevice device)
{
    uuid_of(visible[device], out->bytes);
    return enter_bare(__func__);
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    (void)device;
    *bytes = device_memory_bytes();
    return enter_bare(__func__);
}

CUresult cuDeviceGetPCIBusId(char *out, int bytes, CUdevice device)
{
    int bus = 0;
    (void)sscanf(model_of(device)->pci, "0000:%x", (unsigned *)&bus);
    (void)snprintf(out, (size_t)bytes, "0000:%02X:00.0", (unsigned)(bus + visible[device]));
    return enter_bare(__func__);
}

static int compute_mode(void)
{
    const char *mode = script_setting("mode", "default");
    if (strcmp(mode, "exclusive") == 0)
        return CU_COMPUTEMODE_EXCLUSIVE_PROCESS;
    return strcmp(mode, "prohibited") == 0 ? CU_COMPUTEMODE_PROHIBITED : CU_COMPUTEMODE_DEFAULT;
}

static int attribute_of(const struct model *model, CUdevice_attribute attribute)
{
    switch ((int)attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        return model->major;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        return model->minor;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        return model->sm_count;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
        return 32;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
        return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
        return 64;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
        return 2048;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
        return 32;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
        return 2147483647;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
        return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
        return 65536;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
        return SHARED_BYTES;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        return SHARED_OPTIN_BYTES;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
        return 228 << 10;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
        return model->l2_bytes;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
        return model->bus_bits;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
        return model->memory_clock_khz;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        return model->sm_clock_khz;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
        return compute_mode();
    default:
        return 0;
    }
}

CUresult cuDeviceGetAttribute(int *out, CUdevice_attribute attribute, CUdevice device)
{
    if (device < 0 || device >= visible_count)
        return CUDA_ERROR_INVALID_DEVICE;
    *out = attribute_of(model_of(device), attribute);
    return enter_bare(__func__);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
    int mode = compute_mode();
    script_device = visible[device];
    CUresult result = enter(__func__);
    if (result != CUDA_SUCCESS)
        return result;
    if (mode == CU_COMPUTEMODE_PROHIBITED ||
        (mode == CU_COMPUTEMODE_EXCLUSIVE_PROCESS && !context && !state_take_device(script_device)))
        return CUDA_ERROR_DEVICE_UNAVAILABLE;
    state_has_context(script_device);
    if (!context)
        context = calloc(1, sizeof *context);
    *out = context;
    return context ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    (void)device;
    return enter(__func__);
}

CUresult cuCtxSetCurrent(CUcontext current)
{
    (void)current;
    return enter(__func__);
}

CUresult cuCtxGetDevice(CUdevice *out)
{
    CUresult result = enter(__func__);
    if (result == CUDA_SUCCESS && !context)
        return CUDA_ERROR_INVALID_CONTEXT;
    for (int i = 0; i < visible_count; i++)
        if (visible[i] == script_device)
            *out = i;
    return result;
}

static const struct {
    int code;
    const char *name;
    const char *text;
} errors[] = {
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {718, "CUDA_ERROR_INVALID_PC", "invalid program counter"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

/* Returns the text of an error; NULL without one. */
static const char *error_text(CUresult code, bool wants_name)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == (int)code)
            return wants_name ? errors[i].name : errors[i].text;
    return NULL;
}

CUresult cuGetErrorName(CUresult code, const char **out)
{
    *out = error_text(code, true);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult code, const char **out)
{
    *out = error_text(code, false);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
