// For each query the index of the nearest point, the first of equally near ones.
enum { checked, none };

extern "C" __global__ void __launch_bounds__(BLOCK)
    nearest(const int *query, const int *point, int *out, int queries, int points)
{
    __shared__ int tile[3 * TILE];
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    const int own = i < queries ? i : queries - 1;
    const int x = query[3 * own], y = query[3 * own + 1], z = query[3 * own + 2];
    int best = 0x7fffffff, at = -1;
    for (int first = 0; first + (TAIL == none ? TILE : 1) <= points; first += TILE) {
        const int here = points - first < TILE ? points - first : TILE;
        for (int k = threadIdx.x; k < 3 * here; k += BLOCK)
            tile[k] = point[3ll * first + k];
        __syncthreads();
        for (int k = 0; k < here; k++) {
            const int dx = tile[3 * k] - x, dy = tile[3 * k + 1] - y, dz = tile[3 * k + 2] - z;
            const int distance = dx * dx + dy * dy + dz * dz;
            if (distance < best) {
                best = distance;
                at = first + k;
            }
        }
        __syncthreads();
    }
    if (i < queries)
        out[i] = at;
}
