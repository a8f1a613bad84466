// The kernel that kerneltuner-test.json names: a filter slid over an image. The filter lies in
// constant memory, the piece of the image that a block needs in shared memory.
//
//   filter_width, filter_height    odd
//   block_size_x, block_size_y     threads a block
//   tile_size_x, tile_size_y       pixels a thread, block_size_x (_y) apart
//   use_padding                    1: a row in shared memory is so long that threads of different
//                                  rows meet in fewer banks
//   read_only                      1: the image comes through the read-only cache
//
// The output has 4096 x 4096 pixels; the image is as much larger as the filter reaches. C++11,
// without headers.

#ifndef IMAGE_WIDTH
#define IMAGE_WIDTH  4096
#define IMAGE_HEIGHT 4096
#endif
#define INPUT_WIDTH (IMAGE_WIDTH + filter_width - 1)

#define TILE_WIDTH   (block_size_x * tile_size_x)
#define TILE_HEIGHT  (block_size_y * tile_size_y)
#define PIECE_WIDTH  (TILE_WIDTH + filter_width - 1)
#define PIECE_HEIGHT (TILE_HEIGHT + filter_height - 1)
#define PITCH                                                                                      \
    (PIECE_WIDTH + (use_padding ? (block_size_x % 32 == 0 ? 0 : 32 - block_size_x % 32) : 0))

// Configurations that cannot be launched are refused before anything is compiled.
#if block_size_x * block_size_y > 1024
#error more threads than a block may have
#endif
#if PIECE_HEIGHT * PITCH * 4 > 49152
#error more shared memory than a block may have
#endif

// A row of the filter is unrolled as long as that stays a few hundred multiplications.
#define UNROLLED (filter_width * tile_size_x * tile_size_y <= 512 ? filter_width : 4)

#if read_only == 1
#define READ(at) __ldg(at)
#else
#define READ(at) (*(at))
#endif

// Room for the largest filter of the file: 33 x 33.
__constant__ float d_filter[33 * 33];

extern "C" __global__ void __launch_bounds__(block_size_x *block_size_y)
    convolution_kernel(float *output_image, const float *input_image)
{
    __shared__ float piece[PIECE_HEIGHT * PITCH];
    const int first_x = blockIdx.x * TILE_WIDTH, first_y = blockIdx.y * TILE_HEIGHT;
    const int input_height = IMAGE_HEIGHT + filter_height - 1;
    float sum[tile_size_y][tile_size_x] = {};

    for (int y = threadIdx.y; y < PIECE_HEIGHT; y += block_size_y)
        for (int x = threadIdx.x; x < PIECE_WIDTH; x += block_size_x)
            if (first_x + x < INPUT_WIDTH && first_y + y < input_height)
                piece[y * PITCH + x] =
                    READ(input_image + (first_y + y) * INPUT_WIDTH + first_x + x);
    __syncthreads();

    for (int down = 0; down < filter_height; down++)
#pragma unroll UNROLLED
        for (int right = 0; right < filter_width; right++) {
            const float weight = d_filter[down * filter_width + right];
#pragma unroll
            for (int y = 0; y < tile_size_y; y++)
#pragma unroll
                for (int x = 0; x < tile_size_x; x++)
                    sum[y][x] += weight * piece[(threadIdx.y + y * block_size_y + down) * PITCH +
                                                threadIdx.x + x * block_size_x + right];
        }

#pragma unroll
    for (int y = 0; y < tile_size_y; y++)
#pragma unroll
        for (int x = 0; x < tile_size_x; x++) {
            const int at_x = first_x + threadIdx.x + x * block_size_x;
            const int at_y = first_y + threadIdx.y + y * block_size_y;
            if (at_x < IMAGE_WIDTH && at_y < IMAGE_HEIGHT)
                output_image[at_y * IMAGE_WIDTH + at_x] = sum[y][x];
        }
}
