// Every step with every operator, every way to finish; blocks and loads that are no power of two.
#define KERNELS "kernels/reduce_ordered/reduce_ordered.cuh"
#define FAULT   ""
#include "tests/kernels/reduce_ordered_point.h"

#define EACH_FINISH(op, block, count, loads, step)                                                 \
    ORDERED_ONE_BLOCK(op, block, count, loads, step) &&                                            \
        ORDERED_GRID(op, block, count, loads, step, two_launches) &&                               \
        ORDERED_GRID(op, block, count, loads, step, last_block) &&                                 \
        ORDERED_GRID(op, block, count, loads, step, flagged) &&                                    \
        ORDERED_GRID(op, block, count, loads, step, flagged_last)

static const bool known[] = {
    EACH_FINISH(affine_u32, 64, 1, 1, pairs),
    EACH_FINISH(affine_u32, 96, 2, 3, pairs),
    EACH_FINISH(matrix_u32, 32, 1, 2, pairs),
    EACH_FINISH(affine_u32, 64, 1, 1, stripes),
    EACH_FINISH(affine_u32, 96, 2, 3, stripes),
    EACH_FINISH(matrix_u32, 64, 1, 2, stripes),
    EACH_FINISH(matrix_f32, 32, 1, 2, stripes),
    EACH_FINISH(affine_u32, 64, 2, 8, transposed),
    EACH_FINISH(affine_u32, 96, 1, 2, transposed),
    EACH_FINISH(affine_u32, 64, 2, 2, rounds),
    EACH_FINISH(affine_u32, 64, 1, 1, rounds),
    ORDERED_GRID(matrix_u32, 96, 1, 4, rounds, flagged_last),
    ORDERED_GRID(matrix_f32, 32, 1, 1, rounds, last_block),
    EACH_FINISH(matrix_u32, 64, 1, 4, transposed),
    EACH_FINISH(matrix_f32, 64, 1, 2, transposed),
    EACH_FINISH(affine_u32, 64, 2, 4, chunks),
    EACH_FINISH(affine_u32, 96, 1, 8, chunks),
    EACH_FINISH(matrix_u32, 64, 1, 2, chunks),
    EACH_FINISH(matrix_f32, 32, 1, 16, chunks),
    EACH_FINISH(affine_u32, 64, 2, 3, runs),
    EACH_FINISH(matrix_u32, 96, 1, 2, runs),
    ORDERED_GRID(affine_u32, 64, 2, 2, transposed, dependent_launches),
    ORDERED_GRID(matrix_u32, 64, 1, 2, pairs, dependent_launches),
    ORDERED_GRID(affine_u32, 32, 2, 1, transposed, flagged),
    ORDERED_GRID(affine_u32, 32, 2, 16, transposed, last_block),
    ORDERED_GRID(matrix_f32, 32, 1, 32, transposed, flagged),
    ORDERED_GRID(affine_u32, 32, 2, 32, chunks, flagged),
    ORDERED_GRID(affine_u32, 1024, 2, 1, pairs, last_block),
    ORDERED_GRID(affine_u32, 1024, 2, 2, transposed, flagged),
    // Blocks and loads that are no powers of two, which a search may try.
    ORDERED_GRID(affine_u32, 160, 2, 5, stripes, flagged),
    ORDERED_GRID(affine_u32, 224, 1, 7, pairs, last_block),
    ORDERED_GRID(affine_u32, 352, 2, 8, transposed, two_launches),
    ORDERED_GRID(affine_u32, 480, 1, 4, rounds, flagged_last),
    ORDERED_GRID(affine_u32, 288, 2, 12, runs, dependent_launches),
    ORDERED_GRID(matrix_u32, 160, 1, 8, chunks, flagged),
    ORDERED_GRID(matrix_u32, 320, 1, 2, transposed, flagged_last),
    ORDERED_GRID(matrix_f32, 224, 1, 3, stripes, last_block),
    ORDERED_GRID(matrix_f32, 96, 1, 10, runs, flagged),
    ORDERED_ONE_BLOCK(matrix_u32, 992, 1, 1, pairs),
    ORDERED_ONE_BLOCK(affine_u32, 736, 2, 2, transposed),
    ORDERED_ONE_BLOCK(affine_u32, 608, 1, 6, stripes),
    ORDERED_PLAIN(64, 1, 2, pairs, last_block),
    ORDERED_PLAIN(64, 2, 2, stripes, flagged),
    ORDERED_PLAIN(64, 2, 4, transposed, flagged),
    ORDERED_PLAIN(64, 2, 4, chunks, flagged),
    ORDERED_PLAIN(32, 1, 3, runs, two_launches),
    // For more than 2^31 elements: few shuffles.
    add_grid<tune::of_any<tune::affine_u32>, ORDERED_POLICY(64, 2, 64, runs),
             tune::finish::flagged>("long runs"),
};
