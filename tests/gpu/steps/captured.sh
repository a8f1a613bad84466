# shellcheck shell=bash disable=SC2154 # variables of run.sh, which reads this
# Captured launches (invented by make_capture, with right inputs and outputs) are replayed and tuned on the GPU
# without a source, from PTX; compiled-in parts are not changed. captured.txt is kept.

captured() {
    local status=0
    mkdir -p "$work/captured" && cd "$work/captured" || return 1
    "$build/tests/gpu/make_capture" app.cap "$here/tests/gpu/captured.ptx" || return 1
    local quick=(--device 0 --effort quick --points 60 --no-report)
    {
        "$tune" run --binary app.cap --kernel view_copy "${quick[@]}" || status=1
        grep -E '^app n=' tuned.conf
        "$tune" run --binary app.cap --kernel copy_by_128 "${quick[@]}" --db fixed.db --conf fixed.conf || status=1
        grep -E '^app n=' fixed.conf
    } >captured.out 2>&1
    cp captured.out "$out/captured.txt" && cat captured.out
    [ "$(grep -c 'replayed three times each: the program.s results, to the bit' captured.out)" -eq 2 ] ||
        { echo "a replay differs from what was captured"; status=1; }
    grep -qE '^app n=.*checked_on=2 image=' tuned.conf || { echo "no winner of view_copy"; status=1; }
    grep -qE '^app n=.*launch.block=128' fixed.conf || { echo "copy_by_128 won with another block"; status=1; }
    # Each limit of registers is another binary, and all that ran were right.
    python3 - tune.db <<'P' || { echo "no limit of registers was tried, or a launch was wrong"; status=1; }
import sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute("""SELECT json_extract(c.parameters, '$.registers'), t.status, count(*)
    FROM trials t JOIN configurations c ON c.id = t.configuration_id WHERE t.stage = 'sweep' GROUP BY 1, 2""").fetchall()
for row in rows:
    print("registers %s: %s, %d" % row)
sys.exit(0 if any(r[0] and r[1] == "ok" for r in rows) and not any(r[1] == "wrong_result" for r in rows) else 1)
P
    return $status
}

# tune init --program on a program that nvcc builds: its launch is replayed, what other blocks would leave is tried, and the draft is tuned.
drafted() {
    local status=0 options=(--force)
    mkdir -p "$work/drafted" && cd "$work/drafted" || return 1
    command -v nvcc >/dev/null || { echo "skipped: no nvcc"; return 0; }
    cat >sums.cu <<'C'
#include <cstdio>
#include <cuda_runtime.h>
__global__ void each(const float *in, float *out, float *total, int n)
{
    extern __shared__ float part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n)
        out[i] = 2 * part[threadIdx.x];
    if (threadIdx.x == 0 && i < n)
        atomicAdd(total, part[0] * blockDim.x);
}
template <int A, int B> __global__ void pairs(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (A != 4) + (B != 4) + (blockDim.x != 128) > 1 ? 0 : in[i];
}
__global__ void blocks(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0 && i < n)
        out[blockIdx.x] = in[i] + blockDim.x;
}
__global__ void drawn(unsigned long long *hits, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        unsigned long long x = (clock64() + i) * 0x9e3779b97f4a7c15;
        x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9;
        if ((x >> 62) == 0)
            atomicAdd(hits, 1);
    }
}
int main()
{
    for (int n = 1 << 10; n <= 1 << 20; n <<= 5) {
        float *in, *out, *total;
        unsigned long long *hits;
        cudaMallocManaged(&hits, sizeof *hits);
        *hits = 0;
        int threads = 128;
        cudaMallocManaged(&in, n * sizeof(float));
        cudaMallocManaged(&out, n * sizeof(float));
        cudaMallocManaged(&total, sizeof(float));
        for (int i = 0; i < n; i++)
            in[i] = 1;
        *total = 0;
        each<<<(n + threads - 1) / threads, threads, threads * sizeof(float)>>>(in, out, total, n);
        blocks<<<(n + threads - 1) / threads, threads>>>(in, out, n);
        pairs<4, 4><<<(n + 127) / 128, 128>>>(in, out, n);
        if (n == 1 << 20)
            drawn<<<256, threads>>>(hits, n);
        cudaDeviceSynchronize();
        printf("%g\n", *total);
    }
}
C
    nvcc -O2 -o sums sums.cu || return 1
    for kernel in each blocks pairs; do
        "$tune" init sums.cu --kernel "$kernel" --program ./sums -o "$kernel.yaml" "${options[@]}" >"$kernel.txt" 2>&1 || status=1
        cat "$kernel.txt"
        grep -q 'n: \[1048576\]' "$kernel.yaml" || { echo "$kernel: not the largest launch"; status=1; }
        grep -q 'replayed three times each: the program.s results, to the bit' "$kernel.txt" || { echo "$kernel: not replayed"; status=1; }
    done
    # A sum is no output, whatever little a poisoned one changes; shared memory follows the block; all blocks are right.
    grep -q 'name: total, .*update: true' each.yaml || { echo "a sum is an output"; status=1; }
    grep -qE 'shared: "(block_size \* 4|4 \* \(?block_size\)?)"' each.yaml || { echo "shared memory does not follow the block"; status=1; }
    grep -q 'block_size: \[64, 128, 256, 512, 1024\]' each.yaml || { echo "right values were left out"; status=1; }
    # One result for each block: no other block leaves what the program's did.
    grep -q 'left out.*block_size 64, 256, 512, 1024' blocks.txt || { echo "wrong values were not left out"; status=1; }
    grep -q 'registers: \[0, 32, 64, 128\]' blocks.yaml || { echo "nothing is tuned"; status=1; }
    # Numbers of which one may be another: their values stay, one at a time.
    grep -q 'A: \[1, 2, 4, 8\]' pairs.yaml || { echo "values that are right alone were left out"; status=1; }
    grep -q '(A != 4) + (B != 4).* <= 1  *# ? of [0-9]* configurations with several' pairs.yaml || { echo "values are combined"; status=1; }
    # A count of random draws is compared within what replays differ by.
    "$tune" init sums.cu --kernel drawn --program ./sums -o drawn.yaml "${options[@]}" >drawn.txt 2>&1 || { cat drawn.txt; status=1; }
    grep 'relative: .*absolute: .*not deterministic' drawn.yaml || { echo "a count of draws has no tolerance"; status=1; }
    "$tune" run each.yaml blocks.yaml pairs.yaml drawn.yaml --device 0 --effort quick --no-report --db drafted.db --conf drafted.conf || status=1
    return $status
}
