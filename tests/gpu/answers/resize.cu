// Bilinear resize of an h x w image to oh x ow, corners on corners. Bytes are computed with weights
// of 1/256.
enum { clamped, open };

__device__ unsigned char between(unsigned char a, unsigned char b, unsigned char c, unsigned char d,
                                 int rest_x, int down_x, int rest_y, int down_y)
{
    const int x = rest_x * 256 / down_x, y = rest_y * 256 / down_y;
    return (unsigned char)(((a * (256 - x) + b * x) * (256 - y) + (c * (256 - x) + d * x) * y +
                            32768) >>
                           16);
}
__device__ float between(float a, float b, float c, float d, int rest_x, int down_x, int rest_y,
                         int down_y)
{
    const float x = (float)rest_x / down_x, y = (float)rest_y / down_y;
    return (a * (1 - x) + b * x) * (1 - y) + (c * (1 - x) + d * x) * y;
}

extern "C" __global__ void __launch_bounds__(BX *BY)
    resize(const ELEMENT *in, ELEMENT *out, int h, int w, int oh, int ow)
{
    const int x = blockIdx.x * BX + threadIdx.x;
    if (x >= ow)
        return;
    const int down_x = ow > 1 ? ow - 1 : 1, down_y = oh > 1 ? oh - 1 : 1;
    const long long px = (long long)x * (w - 1);
    const int x0 = (int)(px / down_x), rest_x = (int)(px % down_x);
    for (int r = 0; r < ROWS; r++) {
        const int y = (blockIdx.y * ROWS + r) * BY + threadIdx.y;
        if (y >= oh)
            return;
        const long long py = (long long)y * (h - 1);
        const int y0 = (int)(py / down_y), rest_y = (int)(py % down_y);
        int x1 = x0 + 1, y1 = y0 + 1;
        if (EDGE == clamped) {
            x1 = x1 < w ? x1 : x0;
            y1 = y1 < h ? y1 : y0;
        }
        const ELEMENT a = in[(long long)y0 * w + x0], b = in[(long long)y0 * w + x1];
        const ELEMENT c = in[(long long)y1 * w + x0], d = in[(long long)y1 * w + x1];
        ELEMENT *to = &out[(long long)y * ow + x];
        *to = between(a, b, c, d, rest_x, down_x, rest_y, down_y);
    }
}
