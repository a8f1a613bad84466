#!/bin/bash
# configs/reduce_segments.yaml: NVRTC compiles its kernels, its launches pass the right arguments, and its offsets
# make segments of its lengths, which its reference adds up.
source "$TUNE_TESTS/lib.sh"
run "$TUNE" run reduce_segments --dry-run --arch sm_90 --points 2 --sizes 256
if [[ $code -eq 4 ]] || grep -q 'without CUDA' "$captured.err"; then
    echo "skipped: $(cat "$captured.err")"
    exit 0
fi
expect_code 0
expect_out 'reduce_segments.sum_f32.8192, segments = 256: 432 points'
[[ $(grep -c 'compiled: 2 of these points; binaries: 2;' "$captured.out") -eq 5 ]] || fail "not all of it compiles"

cat >main.c <<'C'
#include <stdio.h>
#include <stdlib.h>
struct tune_expected { double real, magnitude; long long integer; };
#include "kernels/reduce/reduce_segments_reference.c"
int main(void)
{
    static const long long lengths[] = {8, 32, 128, 1024, 8192};
    for (int l = 0; l < 5; l++) {
        const long long length = lengths[l], segments = 300;
        long long *offsets = malloc((size_t)(segments + 1) * sizeof *offsets), least = length, most = 0, at = 0;
        float *in = malloc((size_t)((segments + 1) * length) * sizeof *in);
        struct tune_expected *expected = malloc((size_t)segments * sizeof *expected);
        void *arguments[] = {in, offsets, NULL, (void *)&segments};
        for (long long i = 0; i <= segments; i++)
            offsets[i] = i * length + i * i * 31 % length;
        for (long long s = 0; s < segments; s++) {
            const long long own = offsets[s + 1] - offsets[s];
            least = own < least ? own : least;
            most = own > most ? own : most;
        }
        for (; at < (segments + 1) * length; at++)
            in[at] = 1;
        reduce_segments_reference(arguments, expected);
        for (long long s = 0; s < segments; s++)
            if (expected[s].real != (double)(offsets[s + 1] - offsets[s]) || expected[s].magnitude != expected[s].real)
                return 1;
        if (offsets[0] != 0 || offsets[segments] > (segments + 1) * length || least < 1 || least > length / 2 ||
            most < length * 5 / 4 || most > 2 * length)
            return 2;
        free(offsets);
        free(in);
        free(expected);
    }
    return 0;
}
C
grep -qF '{series: "i * length + i * i * 31 % length"}' "$TUNE_SOURCE/configs/reduce_segments.yaml" || fail "other offsets"
run "${CC:-cc}" -std=c17 -Wall -Wextra -Werror -I "$TUNE_SOURCE" main.c -lm -o main
expect_code 0
run ./main
expect_code 0
