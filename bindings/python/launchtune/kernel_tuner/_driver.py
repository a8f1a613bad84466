"""One launch through the CUDA driver and NVRTC, for run_kernel: nothing is measured here."""
import ctypes
import glob
import math
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile

import numpy

from . import _formulas, _problem

DIMENSIONS = 3


class Failure(RuntimeError):
    pass


def load(names, folders):
    for folder in [*folders, ""]:
        for name in names:
            for path in sorted(glob.glob(os.path.join(folder, name)) if folder else [name], reverse=True):
                try:
                    return ctypes.CDLL(path)
                except OSError:
                    continue
    raise Failure(f"run_kernel needs {names[0]}, and it is not found")


def checked(library, name, *arguments):
    code = getattr(library, name)(*arguments)
    if code:
        raise Failure(f"run_kernel: {name} returned {code}")


def cuda_homes():
    return [path for path in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda") if path]


class Device:
    """The primary context of a device, shared with CuPy and PyTorch. Where the script has none, it ends with the launch: a process that
    keeps one is another user of the device to those that measure on it."""

    def __init__(self, index):
        self.cuda = load(["libcuda.so.1"], [])
        checked(self.cuda, "cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        checked(self.cuda, "cuDeviceGet", ctypes.byref(device), index)
        self.device, self.before = device, ctypes.c_void_p()
        checked(self.cuda, "cuCtxGetCurrent", ctypes.byref(self.before))
        checked(self.cuda, "cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        checked(self.cuda, "cuCtxSetCurrent", context)
        major, minor = ctypes.c_int(), ctypes.c_int()
        checked(self.cuda, "cuDeviceGetAttribute", ctypes.byref(major), 75, device)
        checked(self.cuda, "cuDeviceGetAttribute", ctypes.byref(minor), 76, device)
        self.architecture = f"sm_{major.value}{minor.value}"

    def compile(self, text, name, options):
        site = sysconfig.get_paths()["purelib"]
        nvrtc = load(["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"],
                     [os.environ.get("TUNE_NVRTC_PATH", ""), *(f"{home}/lib64" for home in cuda_homes()),
                      *glob.glob(f"{site}/nvidia/*/lib")])
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        checked(nvrtc, "nvrtcCreateProgram", ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None)
        checked(nvrtc, "nvrtcAddNameExpression", program, name.encode())
        words = [f"--gpu-architecture={self.architecture}", *options, *(f"-I{home}/include" for home in cuda_homes())]
        if not any(re.match("--?std=", word) for word in words):
            words.append("--std=c++17")
        given = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
        if nvrtc.nvrtcCompileProgram(program, len(words), given):
            checked(nvrtc, "nvrtcGetProgramLogSize", program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            checked(nvrtc, "nvrtcGetProgramLog", program, log)
            raise Failure(f"run_kernel: {name} does not compile: {log.value.decode(errors='replace')}")
        checked(nvrtc, "nvrtcGetCUBINSize", program, ctypes.byref(size))
        binary = ctypes.create_string_buffer(size.value)
        checked(nvrtc, "nvrtcGetCUBIN", program, binary)
        lowered = ctypes.c_char_p()
        checked(nvrtc, "nvrtcGetLoweredName", program, name.encode(), ctypes.byref(lowered))
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        checked(self.cuda, "cuModuleLoadData", ctypes.byref(module), binary)
        checked(self.cuda, "cuModuleGetFunction", ctypes.byref(function), module, lowered.value)
        return module, function

    def copy_in(self, place, array):
        array = numpy.ascontiguousarray(array)
        checked(self.cuda, "cuMemcpyHtoD_v2", place, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes))

    def close(self):
        self.cuda.cuCtxSetCurrent(self.before)
        self.cuda.cuDevicePrimaryCtxRelease_v2(self.device)


def device_address(value):
    """Returns where an array of CuPy's or PyTorch's lies on the device, or None."""
    interface = getattr(value, "__cuda_array_interface__", None)
    return interface["data"][0] if interface else None


def number(given, params, what):
    """Returns the value of a size or a divisor for these parameters."""
    if isinstance(given, str):
        return int(eval(_formulas.replaced(given, params), dict(_formulas.ALREADY)))  # noqa: S307 - the script's own text
    if callable(given):
        return _formulas.caller(given, params)(dict(params))
    if isinstance(given, (list, tuple)) and what != "problem_size":
        return math.prod(number(item, params, what) for item in given)
    return given


def geometry(call):
    """Returns grid and block for the call's parameters."""
    params = call["params"]
    _, names = _problem.block_names(call["block_size_names"], params)
    block = [int(params.get(name, 256 if i == 0 else 1)) for i, name in enumerate(names)]
    size = _formulas.caller(call["problem_size"], params)(dict(params)) if callable(call["problem_size"]) else call["problem_size"]
    sizes = [number(item, params, "problem_size") for item in (size if isinstance(size, (list, tuple)) else [size])]
    sizes += [1] * (DIMENSIONS - len(sizes))
    grid = []
    for i, key in enumerate(("grid_div_x", "grid_div_y", "grid_div_z")):
        divisor = params.get(names[i], 1) if call[key] is None else number(call[key], params, key)
        grid.append(max(1, math.ceil(float(sizes[i]) / float(divisor))))
    return grid, block, names


def text_of(call, grid, block, names):
    """Returns the source with its defines before it."""
    params, source = call["params"], _problem.Source(call["kernel_source"], call["lang"], {k: [v] for k, v in call["params"].items()})
    defines = call["defines"]
    if defines is None:
        defines = {**{f"grid_size_{axis}": value for axis, value in zip("xyz", grid)}, **dict(zip(names, block)), **params,
                   "kernel_tuner": 1}
    lines = []
    for name, value in defines.items():
        value = _formulas.caller(value, params)(dict(params)) if callable(value) else value
        value = _formulas.replaced(value, params) if isinstance(value, str) else value
        value = int(value) if isinstance(value, (bool, numpy.bool_)) else value
        lines.append(f"#define {name}{'_' if name in source.unrolled else ''} {value}\n")
    return "".join(lines) + "#line 1\n" + source.text, source


def run_host(call):
    """Compiles a function of the host, calls it once, and returns the arguments as they are then."""
    grid, block, names = geometry(call)
    text, source = text_of(call, grid, block, names)
    kept = [numpy.array(_problem.host_array(value)) if device_address(value) is None else value for value in call["arguments"]]
    kinds = [_problem.C_TYPES[_problem.SCALARS[str(value.dtype)]] for value in kept]
    given = [f"({kind} *)a[{i}]" if value.ndim else f"*({kind} *)a[{i}]" for i, (kind, value) in enumerate(zip(kinds, kept))]
    text += (f"\n{_problem.ANY}extern \"C\" void launchtune_run(void **a)\n{{\n    (void)a;\n    (void){call['kernel_name']}("
             f"{', '.join(f'launchtune::any{{a[{i}]}}' if value.ndim else word for i, (word, value) in enumerate(zip(given, kept)))});\n}}\n")
    is_cuda = source.is_cuda(call["compiler"])
    nvcc = [path for path in (shutil.which("nvcc"), *(f"{home}/bin/nvcc" for home in cuda_homes())) if path and os.path.exists(path)]
    if is_cuda and not nvcc:
        raise Failure(f"run_kernel: {call['kernel_name']} needs nvcc, and it is not found")
    with tempfile.TemporaryDirectory() as folder:
        path, library = os.path.join(folder, "host.cu" if is_cuda else "host.cpp"), os.path.join(folder, "host.so")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        words = [nvcc[0], "-Xcompiler=-fPIC"] if is_cuda else [os.environ.get("CXX", "c++"), "-fPIC"]
        words += [path, f"-I{source.folder}", *_problem.host_flags(_problem.compiler_options(call["compiler_options"] or []), source.text, is_cuda)]
        done = subprocess.run([*words, "-shared", "-o", library], capture_output=True, text=True, errors="replace", check=False)  # noqa: S603
        if done.returncode:
            raise Failure(f"run_kernel: {call['kernel_name']} does not compile: {done.stderr.strip() or done.stdout.strip()}")
        loaded = ctypes.CDLL(library)
    places = [value.ctypes.data if isinstance(value, numpy.ndarray) else device_address(value) for value in kept]
    loaded.launchtune_run((ctypes.c_void_p * max(len(places), 1))(*places))
    return [value if isinstance(value, numpy.generic) else result for value, result in zip(call["arguments"], kept)]


def run(call):
    """Returns the arguments as they are after one launch."""
    device = Device(int(call["device"] or 0))
    try:
        return launched(device, call)
    finally:
        device.close()


def launched(device, call):
    """Compiles, launches, and returns the arguments, with the device's context."""
    grid, block, names = geometry(call)
    text, source = text_of(call, grid, block, names)
    options = [option for option in _problem.compiler_options(call["compiler_options"] or [])
               if not re.match(r"-(O\d|arch|gencode)|--(gpu-arch|generate)", option)]
    module, function = device.compile(text, _formulas.replaced(call["kernel_name"], call["params"]), [*options, f"-I{source.folder}"])
    kept, pointers, places = [], [], []
    for value in call["arguments"]:
        address = device_address(value)
        if isinstance(value, numpy.generic):
            cell = ctypes.create_string_buffer(value.tobytes(), value.nbytes)
        else:
            place = ctypes.c_uint64(address or 0)
            if not address:
                array = _problem.host_array(value)
                checked(device.cuda, "cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(max(array.nbytes, 1)))
                device.copy_in(place, array)
            cell = place
        places.append(cell)
        kept.append(cell)
        pointers.append(ctypes.cast(ctypes.pointer(cell), ctypes.c_void_p))
    for name, value in (call["cmem_args"] or {}).items():
        place, size = ctypes.c_uint64(), ctypes.c_size_t()
        checked(device.cuda, "cuModuleGetGlobal_v2", ctypes.byref(place), ctypes.byref(size), module, name.encode())
        device.copy_in(place, _problem.host_array(value))
    shared = call["smem_args"]["size"] if call["smem_args"] else 0
    shared = int(number(shared, call["params"], "smem_args"))
    if shared > 48 * 1024:
        checked(device.cuda, "cuFuncSetAttribute", function, 8, shared)
    given = (ctypes.c_void_p * max(len(pointers), 1))(*pointers)
    try:
        checked(device.cuda, "cuLaunchKernel", function, *grid, *block, shared, None, given, None)
        checked(device.cuda, "cuCtxSynchronize")
        results = []
        for value, place in zip(call["arguments"], places):
            if isinstance(value, numpy.generic):
                results.append(value)
            elif device_address(value):
                results.append(value.detach().cpu() if hasattr(value, "detach") else value.get())
            else:
                result = numpy.empty_like(numpy.ascontiguousarray(_problem.host_array(value)))
                checked(device.cuda, "cuMemcpyDtoH_v2", ctypes.c_void_p(result.ctypes.data), place, ctypes.c_size_t(result.nbytes))
                results.append(result)
        return results
    finally:
        for value, place in zip(call["arguments"], places):
            if isinstance(place, ctypes.c_uint64) and not device_address(value):
                device.cuda.cuMemFree_v2(place)
        device.cuda.cuModuleUnload(module)
