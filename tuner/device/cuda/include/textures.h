/* Texture references, which CUDA has no longer from version 12 on, as sources declare them:
 * `texture<float, 2> image;` is made `__constant__ tune_texture<float, 2> image;`, and a texture
 * object is copied to where that begins. What a host sets of one stays without effect. */
#pragma once
#define TUNE_TEXTURES
template <class T, int axes = cudaTextureType1D,
          enum cudaTextureReadMode mode = cudaReadModeElementType>
struct tune_texture {
    cudaTextureObject_t object;
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    cudaChannelFormatDesc channelDesc;
    constexpr __host__ __device__
    tune_texture(int normalized = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
                 enum cudaTextureAddressMode address = cudaAddressModeClamp)
        : object(0), normalized(normalized), filterMode(filter),
          addressMode{address, address, address}, channelDesc{0, 0, 0, 0, cudaChannelFormatKindNone}
    {
    }
};

/* What is read: the texel, or reals made of its integers. */
template <class T, enum cudaTextureReadMode mode> struct tune_texel { typedef T type; };
#define TUNE_REALS(texel, real)                                                                    \
    template <> struct tune_texel<texel, cudaReadModeNormalizedFloat> {                            \
        typedef real type;                                                                         \
    };
#define TUNE_REALS_OF(name)                                                                        \
    TUNE_REALS(name##1, float1) TUNE_REALS(name##2, float2) TUNE_REALS(name##4, float4)
TUNE_REALS(char, float)
TUNE_REALS(signed char, float)
TUNE_REALS(unsigned char, float)
TUNE_REALS(short, float)
TUNE_REALS(unsigned short, float)
TUNE_REALS_OF(char)
TUNE_REALS_OF(uchar)
TUNE_REALS_OF(short)
TUNE_REALS_OF(ushort)

#define TUNE_READ(axes, name, from, parameters, ...)                                               \
    template <class T, enum cudaTextureReadMode mode>                                              \
    __device__ __forceinline__ typename tune_texel<T, mode>::type name(                            \
        const tune_texture<T, axes, mode> &texture, parameters)                                    \
    {                                                                                              \
        return from<typename tune_texel<T, mode>::type>(texture.object, __VA_ARGS__);              \
    }
#define TUNE_AND ,
TUNE_READ(cudaTextureType1D, tex1Dfetch, ::tex1Dfetch, int i, i)
/* A line between whose texels a kernel reads is the only row of a plane. */
TUNE_READ(cudaTextureType1D, tex1D, ::tex2D, float x, x, 0.5f)
TUNE_READ(cudaTextureType2D, tex2D, ::tex2D, float x TUNE_AND float y, x, y)
TUNE_READ(cudaTextureType3D, tex3D, ::tex3D, float x TUNE_AND float y TUNE_AND float z, x, y, z)
TUNE_READ(cudaTextureType1DLayered, tex1DLayered, ::tex1DLayered, float x TUNE_AND int layer, x,
          layer)
TUNE_READ(cudaTextureType2DLayered, tex2DLayered, ::tex2DLayered,
          float x TUNE_AND float y TUNE_AND int layer, x, y, layer)

/* The host's part, where it is compiled as well, is never run. */
#ifndef __CUDACC_RTC__
#define TUNE_GONE(name)                                                                            \
    template <class... A> inline cudaError_t name(A &&...)                                         \
    {                                                                                              \
        return cudaErrorNotSupported;                                                              \
    }
TUNE_GONE(cudaBindTexture)
TUNE_GONE(cudaBindTexture2D)
TUNE_GONE(cudaBindTextureToArray)
TUNE_GONE(cudaUnbindTexture)
TUNE_GONE(cudaGetTextureReference)
TUNE_GONE(cudaGetTextureAlignmentOffset)
#if CUDART_VERSION >= 13000 /* as old as texture references */
TUNE_GONE(cudaThreadSynchronize)
TUNE_GONE(cudaThreadExit)
#endif
#endif
