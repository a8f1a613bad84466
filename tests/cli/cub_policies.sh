# shellcheck shell=bash
# CUB's policies out of a file of winners: the header of tune export gives a program the policy selectors that the
# configurations name. Needs nvcc and the headers of CCCL 3.5: TUNE_CCCL_DIR, else the toolkit's own, if they are new enough.
source "$TUNE_TESTS/lib.sh"
nvcc=${TUNE_NVCC_PATH:-$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")}
[[ -x $nvcc ]] || { echo "skipped: no nvcc"; exit 77; }
folder=${TUNE_CCCL_DIR:-$(dirname "$nvcc")/../include/cccl}
version=$(sed -n 's/^#define CUB_VERSION \([0-9]*\).*/\1/p' "$folder/cub/version.cuh" 2>/dev/null)
[[ ${version:-0} -ge 300500 ]] || { echo "skipped: CUB ${version:-of no version} in $folder, and policy selectors need 300500"; exit 77; }

cat >tuned.conf <<'T'
tuned-conf 5

[cuda "NVIDIA H100 80GB HBM3"] capability=9.0 sm_count=132 memory_bytes=85520809984
cub_reduce.f32 n=1-65536 own=0 threads=256 items=16 vector=2 load=LOAD_LDG
cub_reduce.f32 n=65537-268435456 own=1 threads=512 items=20 vector=4 load=LOAD_DEFAULT

end
T
run "$TUNE" export --header policies.h tuned.conf
expect_code 0
run "$nvcc" -std=c++17 -arch=sm_90 -I"$folder" -include policies.h -I"$TUNE_SOURCE/libtuned" "$TUNE_SOURCE/examples/cub/sum.cu" \
    "$TUNE_SOURCE/libtuned/tuned.c" -o sum
expect_code 0
run nm sum
expect_out 'reduce_selectorILi512ELi20ELi4E' # the header's policy, as CUB's kernels name it
if nvidia-smi -L >/dev/null 2>&1; then
    run ./sum
    expect_code 0
fi
