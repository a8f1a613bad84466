/* One variant of kernels/reduce/reduce_cpu.c, for the values that WIDTH and ACCUMULATORS have where
 * this is included: functions reduce_blocks_WIDTH_ACCUMULATORS and so on. */
#define VARIANT_JOIN(name, width, accumulators) name##_##width##_##accumulators
#define VARIANT_NAME(name, width, accumulators) VARIANT_JOIN(name, width, accumulators)
#define elements                                VARIANT_NAME(elements, WIDTH, ACCUMULATORS)
#define accumulators                            VARIANT_NAME(accumulators, WIDTH, ACCUMULATORS)
#define halfwords                               VARIANT_NAME(halfwords, WIDTH, ACCUMULATORS)
#define words                                   VARIANT_NAME(words, WIDTH, ACCUMULATORS)
#define reals                                   VARIANT_NAME(reals, WIDTH, ACCUMULATORS)
#define widened                                 VARIANT_NAME(widened, WIDTH, ACCUMULATORS)
#define widened_some                            VARIANT_NAME(widened_some, WIDTH, ACCUMULATORS)
#define combined                                VARIANT_NAME(combined, WIDTH, ACCUMULATORS)
#define combine                                 VARIANT_NAME(combine, WIDTH, ACCUMULATORS)
#define combined_lanes                          VARIANT_NAME(combined_lanes, WIDTH, ACCUMULATORS)
#define reduced                                 VARIANT_NAME(reduced, WIDTH, ACCUMULATORS)
#define put                                     VARIANT_NAME(put, WIDTH, ACCUMULATORS)
#define reduce_blocks                           VARIANT_NAME(reduce_blocks, WIDTH, ACCUMULATORS)
#define reduce_partials                         VARIANT_NAME(reduce_partials, WIDTH, ACCUMULATORS)
#define reduce_loop                             VARIANT_NAME(reduce_loop, WIDTH, ACCUMULATORS)

#include "kernels/reduce/reduce_cpu.c"

#undef elements
#undef accumulators
#undef halfwords
#undef words
#undef reals
#undef widened
#undef widened_some
#undef combined
#undef combine
#undef combined_lanes
#undef reduced
#undef put
#undef reduce_blocks
#undef reduce_partials
#undef reduce_loop
#undef VARIANT_JOIN
#undef VARIANT_NAME
#undef WIDTH
#undef ACCUMULATORS
