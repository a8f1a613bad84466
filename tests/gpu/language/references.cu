// Texture references, as before CUDA 12: a line, texels of a plane as reals, and between the texels
// of a row.
#include <cstdio>
texture<float, 1, cudaReadModeElementType> weights;
namespace picture
{
static texture<uchar4, 2, cudaReadModeNormalizedFloat> texels;
}
texture<float> ramp;
texture<float, 3> volume;

__device__ float weight(int i)
{
    return tex1Dfetch(weights, i);
}
extern "C" __global__ void weigh(float *out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const float4 texel = tex2D(picture::texels, x + 0.5f, y + 0.5f);
    out[y * width + x] = weight(x) * (texel.x + texel.w) + tex1D(ramp, x + 1.0f);
}
extern "C" __global__ void deep(float *out)
{
    out[threadIdx.x] = tex3D(volume, threadIdx.x, 0, 0);
}

int main()
{
    float *data = NULL;
    cudaArray_t array = NULL;
    const cudaChannelFormatDesc form = cudaCreateChannelDesc<float>();
    ramp.filterMode = cudaFilterModeLinear;
    ramp.addressMode[0] = cudaAddressModeWrap; // not normalized, so it clamps
    picture::texels.normalized = false;
    picture::texels.addressMode[0] = picture::texels.addressMode[1] = cudaAddressModeBorder;
    cudaBindTexture(0, weights, data, 4096);
    cudaBindTextureToArray(ramp, array, form);
    weigh<<<dim3(32, 96), dim3(32, 8)>>>(data, 1024, 768);
    cudaThreadSynchronize();
    cudaUnbindTexture(weights);
    printf("done\n");
}
