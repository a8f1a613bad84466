// An image in relief: the left neighbour subtracted from each texel, from one surface to
// another.
extern "C" __global__ void relief(cudaSurfaceObject_t image, cudaSurfaceObject_t out, int width,
                                  int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const float2 here = surf2Dread<float2>(image, x * sizeof(float2), y);
    const float2 left = surf2Dread<float2>(image, max(x - 1, 0) * sizeof(float2), y);
    surf2Dwrite(make_float2(here.x - left.x, here.y + left.y), out, x * sizeof(float2), y);
}
