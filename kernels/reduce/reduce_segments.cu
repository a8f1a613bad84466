// What configs/reduce_segments.yaml compiles, one instance at a time by its name: sums of floats whose
// offsets lie in memory.
#include "segments.cuh"

namespace tune
{

typedef by_shipped<sum, f32> segments_how;
typedef any_operation<segments_how, value_output<segments_how, f32 *, f32, true>> segments_sum;
typedef any_input<const f32 *, f32, as_it_is, true> segments_of_floats;
typedef const long long *segments_offsets;

} // namespace tune
