// What is checked of kernels/reduce/any.cuh and segments.cuh.
#define KERNELS "kernels/reduce/segments.cuh"
#include "tests/kernels/reduce_any_point.h"

typedef place<false, float> least;
typedef place<true, short> greatest;

POINT(squares, one_block, shuffle, strided)
POINT(squares, cluster, gather, strided)
POINT(squares, flagged, gather, tile)
POINT(squares, last_block, warp_tail, chunk)
POINT(wide, flagged_last, shuffle, strided)
POINT(wide, two_launches, tree, tile)
POINT(wide, cluster, shuffle, tile)
POINT(flags, one_block, gather, tile)
POINT(flags, flagged, shuffle, strided)
POINT(flags, shared, tree, chunk)
POINT(far, flagged_last, gather, strided)
POINT(far, last_block, shuffle, tile)
POINT(ranges, one_block, tree, strided)
POINT(ranges, two_launches, shuffle, chunk)
POINT(ranges, flagged, shuffle, strided)
POINT(ranges, cluster, warp_tail, tile)
POINT(least, one_block, shuffle, tile)
POINT(least, flagged_last, gather, chunk)
POINT(least, cluster, gather, strided)
POINT(greatest, last_block, shuffle, strided)
POINT(greatest, flagged, tree, tile)
SEGMENTS(squares, gather)
SEGMENTS(wide, gather)
SEGMENTS(flags, tree)
SEGMENTS(ranges, shuffle)
SEGMENTS(least, gather)
