"""transpose_cupy.py [TUNED_CONF [N [M]]]: transposes N rows of M floats with CuPy, by the launch and the compile
options in tuned.conf (transpose.yaml), else by its own. Without TUNED_CONF: in the usual places."""

import pathlib
import sys

import libtuned

try:
    import cupy
except ImportError as error:
    sys.exit(f"transpose_cupy.py: CuPy is missing ({error}); pip install cupy-cuda13x")

SOURCE = pathlib.Path(__file__).with_name("transpose.cu").read_text("utf-8")
OWN = {"TILE": 16, "ROWS": 16, "PAD": 0}


def build(values):
    """Compiles the kernel; CuPy also keeps the binary on disk."""
    options = tuple(f"-D{name}={value}" for name, value in values.items())
    return cupy.RawModule(code=SOURCE, options=options).get_function("transpose")


def own_launch(n, m):
    return libtuned.Launch((-(-m // 16), -(-n // 16), 1), (16, 16, 1), shared_bytes=16 * 16 * 4)


def make_kernel(configurations, gpu):
    return libtuned.Kernel(configurations, gpu, "transpose", build, OWN, own_launch)


def launch(choice, matrix, out):
    """Launches on CuPy's current stream."""
    n, m = matrix.shape
    where = choice.launch
    choice.kernel(where.grid, where.block, (matrix, out, cupy.int32(n), cupy.int32(m)), shared_mem=where.shared_bytes)


def main():
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 8192
    m = int(sys.argv[3]) if len(sys.argv) > 3 else n
    try:
        configurations = libtuned.open(sys.argv[1:2])
    except libtuned.Error as error:
        print(f"transpose_cupy.py: {error}; the program's own launch is used")
        configurations = None
    kernel = make_kernel(configurations, libtuned.Device.cuda(0))
    matrix = cupy.arange(n * m, dtype=cupy.float32).reshape(n, m)
    out = cupy.empty((m, n), cupy.float32)
    choice = kernel(n, m=m)
    launch(choice, matrix, out)
    print(f"{choice.values} {choice.launch}: {choice.reason}")
    if not (out == matrix.T).all():
        sys.exit("transpose_cupy.py: a wrong result")


if __name__ == "__main__":
    main()
