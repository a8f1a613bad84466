// out = the transpose of `in`, rows x columns. transpose.yaml tunes it, the transpose_*.py launch
// it.
#ifndef TILE
#define TILE 16 // elements of a tile's side
#endif
#ifndef ROWS
#define ROWS 16 // threads of a block in y; TILE of them in x
#endif
#ifndef PAD
#define PAD 0 // elements between two rows of the tile in shared memory
#endif

extern "C" __global__ void __launch_bounds__(TILE *ROWS)
    transpose(const float *in, float *out, int rows, int columns)
{
    extern __shared__ float tile[]; // TILE rows of TILE + PAD elements
    const int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    for (int y = threadIdx.y; y < TILE; y += ROWS)
        if (left + threadIdx.x < columns && top + y < rows)
            tile[y * (TILE + PAD) + threadIdx.x] =
                in[static_cast<long long>(top + y) * columns + left + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < TILE; y += ROWS)
        if (top + threadIdx.x < rows && left + y < columns)
            out[static_cast<long long>(left + y) * rows + top + threadIdx.x] =
                tile[threadIdx.x * (TILE + PAD) + y];
}

// An element of `out` per thread, the simplest way to write it.
extern "C" __global__ void transpose_plain(const float *in, float *out, int rows, int columns)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y;
    if (row < rows)
        out[static_cast<long long>(column) * rows + row] =
            in[static_cast<long long>(row) * columns + column];
}
