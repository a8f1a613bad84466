/* Texture objects over vectors: one for each address over which runs rotate. Surface objects
 * likewise, each with an array, as CUDA requires: the vector is copied to the array before runs,
 * and back afterwards. */
#include <stdlib.h>
#include <string.h>

#include "tuner/device/cuda/measure.h"

struct texture_object {
    CUdeviceptr address;
    enum element_type type;
    struct texture texture;
    CUtexObject object; /* or CUsurfObject, the same number */
    CUarray array;      /* a surface's array; else NULL */
};

static CUarray_format format_of(enum element_type type)
{
    switch (type) {
    case ELEMENT_I8:
        return CU_AD_FORMAT_SIGNED_INT8;
    case ELEMENT_U8:
        return CU_AD_FORMAT_UNSIGNED_INT8;
    case ELEMENT_I16:
        return CU_AD_FORMAT_SIGNED_INT16;
    case ELEMENT_U16:
        return CU_AD_FORMAT_UNSIGNED_INT16;
    case ELEMENT_I32:
        return CU_AD_FORMAT_SIGNED_INT32;
    case ELEMENT_U32:
        return CU_AD_FORMAT_UNSIGNED_INT32;
    case ELEMENT_F16:
        return CU_AD_FORMAT_HALF;
    default:
        return CU_AD_FORMAT_FLOAT;
    }
}

static size_t row_bytes_of(const struct argument *argument)
{
    return (size_t)argument->texture.width * argument->texture.channels *
           element_bytes(argument->type);
}

static CUresult create(const struct cuda_driver *driver, const struct argument *argument,
                       CUdeviceptr address, struct texture_object *out)
{
    static const CUaddress_mode modes[] = {[TEXTURE_WRAP] = CU_TR_ADDRESS_MODE_WRAP,
                                           [TEXTURE_CLAMP] = CU_TR_ADDRESS_MODE_CLAMP,
                                           [TEXTURE_MIRROR] = CU_TR_ADDRESS_MODE_MIRROR,
                                           [TEXTURE_BORDER] = CU_TR_ADDRESS_MODE_BORDER};
    const struct texture *texture = &argument->texture;
    const size_t row_bytes = row_bytes_of(argument);
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC reading;
    memset(&resource, 0, sizeof resource);
    memset(&reading, 0, sizeof reading);
    if (texture->is_surface) {
        const CUDA_ARRAY3D_DESCRIPTOR form = {.Width = texture->width,
                                              .Height = texture->height,
                                              .Format = format_of(argument->type),
                                              .NumChannels = texture->channels,
                                              .Flags = CUDA_ARRAY3D_SURFACE_LDST};
        CUDA_PASS(driver->cuArray3DCreate(&out->array, &form));
        resource.resType = CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = out->array;
        const CUresult result = driver->cuSurfObjectCreate(&out->object, &resource);
        if (result != CUDA_SUCCESS)
            (void)driver->cuArrayDestroy(out->array);
        return result;
    }
    if (texture->height > 0) {
        resource.resType = CU_RESOURCE_TYPE_PITCH2D;
        resource.res.pitch2D.devPtr = address;
        resource.res.pitch2D.format = format_of(argument->type);
        resource.res.pitch2D.numChannels = texture->channels;
        resource.res.pitch2D.width = texture->width;
        resource.res.pitch2D.height = texture->height;
        resource.res.pitch2D.pitchInBytes = row_bytes;
    } else {
        resource.resType = CU_RESOURCE_TYPE_LINEAR;
        resource.res.linear.devPtr = address;
        resource.res.linear.format = format_of(argument->type);
        resource.res.linear.numChannels = texture->channels;
        resource.res.linear.sizeInBytes = row_bytes;
    }
    for (size_t i = 0; i < 3; i++)
        reading.addressMode[i] = modes[texture->address];
    reading.filterMode = texture->linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    reading.flags = (texture->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
                    (texture->reads_real ? 0 : CU_TRSF_READ_AS_INTEGER);
    return driver->cuTexObjectCreate(&out->object, &resource, &reading, NULL);
}

static const struct texture_object *find(const struct device *device,
                                         const struct argument *argument, CUdeviceptr address)
{
    for (size_t i = 0; i < device->texture_count; i++) {
        const struct texture_object *object = &device->textures[i];
        const struct texture *a = &object->texture;
        const struct texture *b = &argument->texture;
        if (object->address == address && object->type == argument->type && a->width == b->width &&
            a->height == b->height && a->channels == b->channels && a->address == b->address &&
            a->linear == b->linear && a->normalized == b->normalized &&
            a->reads_real == b->reads_real && a->is_surface == b->is_surface)
            return &device->textures[i];
    }
    return NULL;
}

enum status cuda_texture(struct device *device, const struct argument *argument,
                         CUdeviceptr address, CUtexObject *out, struct error *error)
{
    const struct texture_object *known = find(device, argument, address);
    struct texture_object made = {address, argument->type, argument->texture, 0, NULL};
    if (known) {
        *out = known->object;
        return STATUS_OK;
    }
    if (device->texture_count == device->texture_room) {
        const size_t room = device->texture_room > 0 ? 2 * device->texture_room : 64;
        struct texture_object *textures = realloc(device->textures, room * sizeof *textures);
        TRY_MEMORY(textures);
        device->textures = textures;
        device->texture_room = room;
    }
    const CUresult result = create(device->driver, argument, address, &made);
    TRY(cuda_error(device, result, error, "a %s over '%s'",
                   argument->texture.is_surface ? "surface" : "texture", argument->name));
    device->textures[device->texture_count++] = made;
    *out = made.object;
    return STATUS_OK;
}

/* Copies between vectors and surfaces. Copies of a vector that no run uses yet have no surface. */
static enum status carry_surfaces(struct device *device, const struct argument *argument,
                                  const struct vector *vector, bool back, struct error *error)
{
    const uint32_t copies = argument_rotates(argument) && vector->copies > 0 ? vector->copies : 1;
    CUresult result = CUDA_SUCCESS;
    for (uint32_t k = 0; result == CUDA_SUCCESS && k < copies; k++) {
        const struct texture_object *surface =
            find(device, argument, cuda_vector_start(vector) + k * vector->stride);
        if (surface) {
            const size_t row_bytes = row_bytes_of(argument);
            CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                  .srcDevice = surface->address,
                                  .srcPitch = row_bytes,
                                  .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                  .dstArray = surface->array,
                                  .WidthInBytes = row_bytes,
                                  .Height =
                                      argument->texture.height ? argument->texture.height : 1};
            if (back) {
                copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
                copy.srcArray = surface->array;
                copy.srcPitch = 0;
                copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
                copy.dstDevice = surface->address;
                copy.dstPitch = row_bytes;
            }
            result = device->driver->cuMemcpy2DAsync(&copy, device->stream);
        }
    }
    return cuda_error(device, result, error, "copying surface '%s'%s", argument->name,
                      back ? " back" : "");
}

enum status cuda_carry(struct device *device, const struct launch_plan *plan, bool back,
                       struct error *error)
{
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        if (argument->texture.is_surface)
            TRY(carry_surfaces(device, argument, &device->vectors[i], back, error));
        else if (argument_is_texture_symbol(argument) && !back) {
            /* A block's runs cannot rotate over objects in a variable: the first copy's stays. */
            CUtexObject object = 0;
            TRY(cuda_texture(device, argument, cuda_vector_start(&device->vectors[i]), &object,
                             error));
            TRY(cuda_set_symbol(device, argument, &object, error));
        } else if (argument_is_variable_of_places(argument) && !back) {
            unsigned char value[VALUE_BYTES_MAX];
            size_t bytes = 0;
            TRY(argument_pack(argument, value, &bytes, error));
            /* The addresses of vectors are the same for all runs. */
            for (size_t j = 0; j < plan->argument_count; j++) {
                const struct argument *vector = &plan->arguments[j];
                CUtexObject place = 0;
                if (!argument_is_bound(vector))
                    continue;
                const CUdeviceptr start = cuda_vector_start(&device->vectors[j]);
                if (vector->texture.width > 0 && argument_stays(plan, j))
                    TRY(cuda_texture(device, vector, start, &place, error));
                argument_point(argument, j, place ? place : start, value);
            }
            TRY(cuda_set_symbol(device, argument, value, error));
        }
    }
    return STATUS_OK;
}

/* Drops slots, and frees the textures. */
void cuda_drop_slots(struct device *device)
{
    cuda_drop_graphs(device);
    for (size_t i = 0; i < device->texture_count; i++) {
        const struct texture_object *texture = &device->textures[i];
        if (!texture->array)
            (void)device->driver->cuTexObjectDestroy(texture->object);
        else if (texture->object)
            (void)device->driver->cuSurfObjectDestroy(texture->object);
        if (texture->array)
            (void)device->driver->cuArrayDestroy(texture->array);
    }
    free(device->textures);
    device->textures = NULL;
    device->texture_count = device->texture_room = 0;
}
