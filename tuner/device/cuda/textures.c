/* Texture objects over vectors: one for each address that runs rotate over. */
#include <stdlib.h>
#include <string.h>

#include "tuner/device/cuda/textures.h"

struct texture_object {
    CUdeviceptr address;
    enum element_type type;
    struct texture texture;
    CUtexObject object;
};
void cuda_textures_free(struct device *device)
{
    struct cuda *cuda = cuda_of(device);
    for (size_t i = 0; i < cuda->texture_count; i++)
        (void)cuda->driver->cuTexObjectDestroy(cuda->textures[i].object);
    free(cuda->textures);
    cuda->textures = NULL;
    cuda->texture_count = cuda->texture_room = 0;
}

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

static bool is_same(const struct texture_object *object, const struct argument *argument,
                    CUdeviceptr address)
{
    const struct texture *a = &object->texture;
    const struct texture *b = &argument->texture;
    return object->address == address && object->type == argument->type && a->width == b->width &&
           a->height == b->height && a->channels == b->channels && a->address == b->address &&
           a->linear == b->linear && a->normalized == b->normalized &&
           a->reads_real == b->reads_real;
}

enum status cuda_texture(struct device *device, const struct argument *argument,
                         CUdeviceptr address, CUtexObject *out, struct error *error)
{
    struct cuda *cuda = cuda_of(device);
    for (size_t i = 0; i < cuda->texture_count; i++)
        if (is_same(&cuda->textures[i], argument, address)) {
            *out = cuda->textures[i].object;
            return STATUS_OK;
        }
    if (cuda->texture_count == cuda->texture_room) {
        const size_t room = cuda->texture_room > 0 ? 2 * cuda->texture_room : 64;
        struct texture_object *textures = realloc(cuda->textures, room * sizeof *textures);
        if (!textures)
            return error_no_memory(error);
        cuda->textures = textures;
        cuda->texture_room = room;
    }
    static const CUaddress_mode modes[] = {[TEXTURE_WRAP] = CU_TR_ADDRESS_MODE_WRAP,
                                           [TEXTURE_CLAMP] = CU_TR_ADDRESS_MODE_CLAMP,
                                           [TEXTURE_MIRROR] = CU_TR_ADDRESS_MODE_MIRROR,
                                           [TEXTURE_BORDER] = CU_TR_ADDRESS_MODE_BORDER};
    const struct texture *texture = &argument->texture;
    const size_t row_bytes =
        (size_t)texture->width * texture->channels * element_bytes(argument->type);
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC reading;
    memset(&resource, 0, sizeof resource);
    memset(&reading, 0, sizeof reading);
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
    const CUresult result = cuda->driver->cuTexObjectCreate(out, &resource, &reading, NULL);
    if (result != CUDA_SUCCESS)
        return cuda_error(device, result, error, "a texture over '%s'", argument->name);
    cuda->textures[cuda->texture_count++] =
        (struct texture_object){address, argument->type, argument->texture, *out};
    return STATUS_OK;
}

void cuda_drop_slots(struct device *device)
{
    gpu_drop_slots(device);
    cuda_textures_free(device);
}
