"""transpose_numba.py [TUNED_CONF [N [M]]]: transposes N rows of M floats with a kernel of Numba, by the launch and the
constants in tuned.conf (transpose.yaml, whose kernel is the same in CUDA C++), else by its own. Without TUNED_CONF: in
the usual places. NUMBA_ENABLE_CUDASIM=1 runs it without a GPU."""

import sys

import libtuned

try:
    import numpy
    from numba import cuda, float32
except ImportError as error:
    sys.exit(f"transpose_numba.py: Numba is missing ({error}); pip install numba-cuda")

OWN = {"TILE": 16, "ROWS": 16, "PAD": 0}


def build(values):
    """Makes a kernel with the values as constants; Numba compiles it at its first launch."""
    side, rows, pitch = values["TILE"], values["ROWS"], values["TILE"] + values["PAD"]

    @cuda.jit
    def transpose(matrix, out):
        tile = cuda.shared.array(0, float32)  # side rows of `pitch` elements
        left, top = cuda.blockIdx.x * side, cuda.blockIdx.y * side
        x = cuda.threadIdx.x
        for y in range(cuda.threadIdx.y, side, rows):
            if left + x < matrix.shape[1] and top + y < matrix.shape[0]:
                tile[y * pitch + x] = matrix[top + y, left + x]
        cuda.syncthreads()
        for y in range(cuda.threadIdx.y, side, rows):
            if top + x < matrix.shape[0] and left + y < matrix.shape[1]:
                out[left + y, top + x] = tile[x * pitch + y]

    return transpose


def own_launch(n, m):
    return libtuned.Launch((-(-m // 16), -(-n // 16), 1), (16, 16, 1), shared_bytes=16 * 16 * 4)


def make_kernel(configurations, gpu):
    return libtuned.Kernel(configurations, gpu, "transpose", build, OWN, own_launch)


def launch(choice, matrix, out):
    """Launches on the default stream."""
    where = choice.launch
    choice.kernel[where.grid, where.block, 0, where.shared_bytes](matrix, out)


def main():
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 8192
    m = int(sys.argv[3]) if len(sys.argv) > 3 else n
    try:
        configurations, gpu = libtuned.open(sys.argv[1:2]), libtuned.Device.cuda(0)
    except (libtuned.Error, OSError) as error:  # no file, or no GPU
        print(f"transpose_numba.py: {error}; the program's own launch is used")
        configurations = gpu = None
    kernel = make_kernel(configurations, gpu)
    matrix = numpy.arange(n * m, dtype=numpy.float32).reshape(n, m)
    there, out = cuda.to_device(matrix), cuda.device_array((m, n), numpy.float32)
    choice = kernel(n, m=m)
    launch(choice, there, out)
    print(f"{choice.values} {choice.launch}: {choice.reason}")
    if not (out.copy_to_host() == matrix.T).all():
        sys.exit("transpose_numba.py: a wrong result")


if __name__ == "__main__":
    main()
