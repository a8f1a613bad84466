/* What a vector holds, brought into memory of the host that the device copies into without a
 * detour. */
#include <stdlib.h>

#include "tuner/device/cuda/internal.h"

/* More than this is not taken from the host's other uses for good: it is read the usual way. */
static const size_t pinned_most = (size_t)512 << 20;
static const size_t granule = (size_t)2 << 20;

void cuda_look_free(struct device *device)
{
    if (device->looked.pinned)
        (void)device->driver->cuMemFreeHost(device->looked.data);
    else
        free(device->looked.data);
    device->looked = (struct looked){0};
}

static enum status make_room(struct device *device, size_t bytes, struct error *error)
{
    struct looked *looked = &device->looked;
    if (looked->data && bytes <= looked->bytes)
        return STATUS_OK;
    cuda_look_free(device);
    size_t wanted = (bytes / granule + 1) * granule;
    looked->pinned = wanted <= pinned_most &&
                     device->driver->cuMemHostAlloc(&looked->data, wanted, 0) == CUDA_SUCCESS;
    if (!looked->pinned)
        looked->data = malloc(wanted);
    if (!looked->data)
        return error_no_memory(error);
    looked->bytes = wanted;
    return STATUS_OK;
}

enum status cuda_look(struct device *device, size_t index, const void **out, size_t bytes,
                      struct error *error)
{
    enum status status = make_room(device, bytes, error);
    if (status == STATUS_OK)
        status = cuda_read(device, index, device->looked.data, bytes, error);
    *out = device->looked.data;
    return status;
}
