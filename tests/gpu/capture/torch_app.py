"""Programs of PyTorch and Triton as others write them: torch_app.py ops|triton. The result goes to standard output as one line,
the same in each run; python3 must have torch."""
import sys

import torch


def ops():
    torch.manual_seed(1)
    x = torch.randn(1024, 1024, device="cuda")
    bias = torch.randn(1024, device="cuda")
    for _ in range(20):
        y = torch.nn.functional.gelu(x + bias)
        z = torch.softmax(y, dim=-1)
        norm = torch.nn.functional.layer_norm(z, (1024,))
        total = (norm * x).sum(dim=1)
    return total


def with_triton():
    import triton
    import triton.language as tl

    @triton.jit
    def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = at < n
        tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)

    n = 1000000
    x = torch.arange(n, device="cuda", dtype=torch.float32)
    y = torch.full((n,), 2.0, device="cuda")
    out = torch.empty_like(x)
    for _ in range(20):
        add_kernel[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
    return out


result = {"ops": ops, "triton": with_triton}[sys.argv[1]]()
torch.cuda.synchronize()
print("%.6f" % result.double().abs().sum().item())
