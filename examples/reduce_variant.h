/* One variant of kernels/reduce/reduce_cpu.c, for the values that WIDTH and ACCUMULATORS have where
 * this is included: functions reduce_blocks_WIDTH_ACCUMULATORS and so on. */
#define VARIANT_JOIN(name, width, accumulators) name##_##width##_##accumulators
#define VARIANT_NAME(name, width, accumulators) VARIANT_JOIN(name, width, accumulators)
#define element                                 VARIANT_NAME(element, WIDTH, ACCUMULATORS)
#define vector                                  VARIANT_NAME(vector, WIDTH, ACCUMULATORS)
#define sum_of_lanes                            VARIANT_NAME(sum_of_lanes, WIDTH, ACCUMULATORS)
#define sum                                     VARIANT_NAME(sum, WIDTH, ACCUMULATORS)
#define reduce_blocks                           VARIANT_NAME(reduce_blocks, WIDTH, ACCUMULATORS)
#define reduce_partials                         VARIANT_NAME(reduce_partials, WIDTH, ACCUMULATORS)
#define reduce_loop                             VARIANT_NAME(reduce_loop, WIDTH, ACCUMULATORS)

#include "kernels/reduce/reduce_cpu.c"

#undef element
#undef vector
#undef sum_of_lanes
#undef sum
#undef reduce_blocks
#undef reduce_partials
#undef reduce_loop
#undef VARIANT_JOIN
#undef VARIANT_NAME
#undef WIDTH
#undef ACCUMULATORS
