# Host functions on a GPU: captured as a graph where that is possible, else timed on the stream with the reason told; wrong
# ones, those that fail and those that leave the device broken are named; the file has parameters and no launch.
# shellcheck shell=bash
source "$TUNE_SOURCE/tests/faults/lib.sh"
run "${CC:-cc}" -x c++ -shared -fPIC -o probe.so - <<<'int probe() { return 0; }' -lstdc++
[[ $code -eq 0 ]] || { echo "skipped: no C++ compiler"; exit 77; }
write_copy 1

# In place of nvcc: the C++ compiler, with as much of the runtime as the callers use.
mkdir bin include
cat >include/cuda_runtime.h <<'C'
#include <cuda.h>
typedef CUstream cudaStream_t;
inline int cudaGetLastError() { return 0; }
C
headers=$(find -L "${CUDA_HOME:-/usr/local/cuda}" /usr/include -maxdepth 3 -name cuda.h 2>/dev/null | head -1)
[[ -n $headers ]] || { echo "skipped: no cuda.h"; exit 77; }
cat >bin/nvcc <<S
#!/bin/bash
if [[ \$1 == --version ]]; then
    echo 'Cuda compilation tools, release 13.0, V13.0.1'
    exit
fi
kept=()
for word; do
    case \$word in
    -D* | *.cu | -o | /* | -l*) kept+=("\$word") ;;
    esac
done
exec "${CC:-cc}" -x c++ -std=gnu++17 -D__CUDACC__ -include "$PWD/include/cuda_runtime.h" -I"$(dirname "$headers")" -shared -fPIC "\${kept[@]}" \
    -x none "$TUNE_DRIVER/libcuda.so.1" "$TUNE_DRIVER/libnvrtc.so" -lstdc++
S
chmod +x bin/nvcc
export TUNE_NVCC_PATH=$PWD/bin/nvcc

# Two kernels of the stand-in by one call, which NVRTC's stand-in compiles at the first one.
cat >twice.cu <<'C'
#include <cstddef>
#include <nvrtc.h>
static CUfunction copy_elements()
{
    static CUfunction made = nullptr;
    nvrtcProgram program;
    CUmodule module;
    static char cubin[1 << 16];
    const char *name = nullptr;
    const char *options[] = {"--gpu-architecture=sm_90", "-DWAY=1"};
    if (made)
        return made;
    nvrtcCreateProgram(&program, "extern \"C\" __global__ void copy_elements(const int *in, int *out, long long n);", "copy.cu", 0,
                       nullptr, nullptr);
    nvrtcAddNameExpression(program, "copy_elements");
    nvrtcCompileProgram(program, 2, options);
    nvrtcGetLoweredName(program, "copy_elements", &name);
    nvrtcGetCUBIN(program, cubin);
    cuModuleLoadData(&module, cubin);
    cuModuleGetFunction(&made, module, name);
    return made;
}
static CUresult launch(const void *from, void *to, long long n, int block, CUstream stream)
{
    void *arguments[] = {&from, &to, &n};
    return cuLaunchKernel(copy_elements(), (n + block - 1) / block, 1, 1, block, 1, 1, 0, stream, arguments, nullptr);
}
template <int BLOCK> int twice(const int *in, int *out, long long n, int way, void *workspace, std::size_t bytes, CUstream stream)
{
    CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    cuStreamIsCapturing(stream, &capturing);
    if (bytes < 4 * n)
        return 1;
    if (way == 1 && capturing != CU_STREAM_CAPTURE_STATUS_NONE)
        return 900; /* as one that waits for the stream */
    if (way == 2)
        return 13;
    CUresult status = launch(in, workspace, n, BLOCK, stream);
    return status == CUDA_SUCCESS && way != 3 ? launch(workspace, out, n, BLOCK, stream) : status;
}
struct told { double elapsed_ns; };
told telling(const int *in, int *out, long long n, int way, void *workspace, std::size_t bytes, CUstream stream)
{
    CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    cuStreamIsCapturing(stream, &capturing);
    return {capturing != CU_STREAM_CAPTURE_STATUS_NONE || twice<64>(in, out, n, 0, workspace, bytes, stream) ? -1. : 1e6 * (way + 1)};
}
std::size_t twice_bytes(const int *, int *, long long n, int) { return 4 * n; }
int streamless(const int *, int *, long long, int, void *, std::size_t) { return 0; }
C
write_twice() { # FUNCTION WAYS
    sed -e "s/^  way: .*/  way: [$2]/; s/^source: .*/source: twice.cu/; /^derived:/d; /^defines:/d; s/experiment: copy/experiment: twice/" \
        -e "s/- {kernel: .*/- {function: \"$1\", workspace_of: twice_bytes, arguments: [in, out, n, way]}/" \
        -e 's/  - {name: n, type: i64.*/&\n  - {name: way, type: i32, value: way}/' copy.yaml >twice.yaml
}

write_twice 'twice<${block}>' '0, 2, 3'
run "$TUNE" run --dry-run --arch sm_90 --all ./twice.yaml # compiles for any GPU of this architecture
expect_code 0
run "$TUNE" run ./twice.yaml --device cuda:0 --no-report "${warm[@]}"
expect_code 0
expect_err '^tune: 0 binaries compiled, 3 cached$'
query "SELECT DISTINCT json_extract(c.parameters, '\$.way'), t.status FROM trials t JOIN configurations c ON c.id = t.configuration_id
    WHERE t.stage = 'sweep' ORDER BY 1" >told.txt
printf '0 ok\n2 launch_failed\n3 wrong_result\n' | cmp -s - told.txt || fail "other outcomes: $(cat told.txt)"
refuse_err 'not as a graph'
run cat tuned.conf
expect_out '^twice.i32 n=1000 way=0 block=[0-9]*'
expect_out ' no_launch="a host function is called'
refuse_out 'launch\.grid'
run "$TUNE" show
expect_out 'twice\(\)'
forget

# One that cannot be captured is timed all the same, and the reason told.
write_twice 'twice<${block}>' 1
run "$TUNE" run ./twice.yaml --device cuda:0 --no-report "${warm[@]}"
expect_code 0
expect_err 'timed on the stream, with the host.s time, not as a graph: function twice<[0-9]*> returned 900, not 0'
[[ $(query "SELECT count(*) FROM trials WHERE status <> 'ok'") -eq 0 ]] || fail "not all are right"
forget
write_twice 'twice<${block}>' 0
run "$TUNE" run ./twice.yaml --device cuda:0 --no-report --as stream,eager --set confirm_processes=2 --set confirm_rounds=5 "${warm[@]}"
expect_code 0
[[ $(query "SELECT count(*) FROM trials WHERE status <> 'ok'") -eq 0 ]] || fail "not all are right"
forget

# One that measures itself is not captured, and its times are its own.
write_twice telling '0, 4'
run "$TUNE" run ./twice.yaml --device cuda:0 --no-report "${warm[@]}"
expect_code 0
expect_err 'cuda:0: telling measures itself: timed by its own word, not as a graph'
query "SELECT DISTINCT json_extract(c.parameters, '\$.way'), t.status, t.median_ns / 1e6 FROM trials t
    JOIN configurations c ON c.id = t.configuration_id WHERE t.status = 'ok' ORDER BY 1" >told.txt
printf '0 ok 1.0\n4 ok 5.0\n' | cmp -s - told.txt || fail "other times: $(cat told.txt)"
forget

sed '/name: out/s/output: true/symbol: kept, output: true/; s/in, out, n, way/in, n, way/' twice.yaml >symbol.yaml
golden_refusal "$TUNE" run ./symbol.yaml --device cuda:0 --no-report

# Work that is not on the measured stream would not be measured.
write_twice streamless 0
golden_refusal "$TUNE" run ./twice.yaml --device cuda:0 --no-report "${warm[@]}"
expect_golden
