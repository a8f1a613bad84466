// Half the size: the mean of four texels, by the texture's filter.
extern "C" __global__ void halve(cudaTextureObject_t image, float *out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width / 2 && y < height / 2)
        out[y * (width / 2) + x] = tex2D<float>(image, 2 * x + 1.0f, 2 * y + 1.0f);
}
