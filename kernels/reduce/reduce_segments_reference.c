/* Each segment's sum, plainly: of elements offsets[s] .. offsets[s + 1] of `in`. What a tolerance is
 * relative to is the sum of |x|. Arguments: 0 in, 1 offsets, 3 segments. */
#include <math.h>
#include <stddef.h>

void reduce_segments_reference(void *const *arguments, struct tune_expected *expected)
{
    const float *in = arguments[0];
    const long long *offsets = arguments[1];
    const size_t segments = (size_t) * (const long long *)arguments[3];

    for (size_t s = 0; s < segments; s++) {
        expected[s] = (struct tune_expected){0};
        for (long long i = offsets[s]; i < offsets[s + 1]; i++) {
            expected[s].real += (double)in[i];
            expected[s].magnitude += fabs((double)in[i]);
        }
    }
}
