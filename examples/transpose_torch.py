"""transpose_torch.py [TUNED_CONF [N [M]]]: transposes N rows of M floats with an extension of PyTorch, by the launch
and the compile options in tuned.conf (transpose.yaml), else by its own. Without TUNED_CONF: in the usual places."""

import pathlib
import sys

import libtuned

try:
    import torch
    from torch.utils.cpp_extension import load_inline
except ImportError as error:
    sys.exit(f"transpose_torch.py: PyTorch is missing ({error}); pip install torch ninja")

KERNEL = pathlib.Path(__file__).with_name("transpose.cu").read_text("utf-8")
# Few headers: with torch/extension.h an extension takes three times as long to compile.
BINDING = """
#include <ATen/core/Tensor.h>
#include <torch/csrc/utils/pybind.h>
#include <vector>
void launch(at::Tensor in, at::Tensor out, std::vector<int64_t> grid, std::vector<int64_t> block, int64_t shared_bytes);
PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) { module.def("launch", &launch); }
"""
LAUNCHER = """
#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <vector>
static dim3 sides(const std::vector<int64_t> &from) { return dim3(from.at(0), from.at(1), from.at(2)); }
void launch(at::Tensor in, at::Tensor out, std::vector<int64_t> grid, std::vector<int64_t> block, int64_t shared_bytes)
{
    transpose<<<sides(grid), sides(block), shared_bytes, c10::cuda::getCurrentCUDAStream()>>>(
        in.const_data_ptr<float>(), out.mutable_data_ptr<float>(), (int)in.size(0), (int)in.size(1));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}
"""
OWN = {"TILE": 16, "ROWS": 16, "PAD": 0}


def build(values):
    """Compiles an extension of its own name; PyTorch keeps it on disk."""
    return load_inline("transpose_" + "_".join(f"{value}" for value in values.values()), BINDING,
                       KERNEL + LAUNCHER, no_implicit_headers=True,
                       extra_cuda_cflags=[f"-D{name}={value}" for name, value in values.items()])


def own_launch(n, m):
    return libtuned.Launch((-(-m // 16), -(-n // 16), 1), (16, 16, 1), shared_bytes=16 * 16 * 4)


def make_kernel(configurations, gpu):
    return libtuned.Kernel(configurations, gpu, "transpose", build, OWN, own_launch)


def launch(choice, matrix, out):
    """Launches on PyTorch's current stream."""
    where = choice.launch
    choice.kernel.launch(matrix, out, where.grid, where.block, where.shared_bytes)


def main():
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 8192
    m = int(sys.argv[3]) if len(sys.argv) > 3 else n
    try:
        configurations = libtuned.open(sys.argv[1:2])
    except libtuned.Error as error:
        print(f"transpose_torch.py: {error}; the program's own launch is used")
        configurations = None
    kernel = make_kernel(configurations, libtuned.Device.cuda(0))
    matrix = torch.arange(n * m, dtype=torch.float32, device="cuda").reshape(n, m)
    out = torch.empty((m, n), dtype=torch.float32, device="cuda")
    choice = kernel(n, m=m)
    launch(choice, matrix, out)
    print(f"{choice.values} {choice.launch}: {choice.reason}")
    if not torch.equal(out, matrix.T):
        sys.exit("transpose_torch.py: a wrong result")


if __name__ == "__main__":
    main()
