"""A call of tune_kernel as a T1 file with its arrays. `tune run` reads T1 as Kernel Tuner means it, and its part `tune` has the
facts for which T1 has no words: arrays in files, textures, checks."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re

import numpy

from . import _formulas
from ._formulas import Refused

BLOCKS = ["block_size_x", "block_size_y", "block_size_z"]
AXES = "XYZ"
PART_BYTES = 1 << 24
RELATIVE = 1e-5  # numpy.allclose's own
SCALARS = {"bool": "u8", "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32", "int64": "i64",
           "uint64": "u64", "float16": "f16", "float32": "f32", "float64": "f64"}
LANGUAGES = {"CUDA": "CUDA", "CUPY": "CuPy", "NVCUDA": "NVCUDA", "PYCUDA": "PyCUDA"}
OTHERS = {"FORTRAN": "Fortran", "OPENCL": "OpenCL", "HIP": "HIP", "JULIA": "Julia", "HYPERTUNER": "the tuning of a tuner"}
HOST_CODE = "C"  # functions in C and C++ that measure themselves, and CUDA's beside kernels
THREADS = 1024  # of a block: Kernel Tuner has no configurations with more
HOST_COMPILERS = r"(gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(-\d+)?"
C_TYPES = {"u8": "unsigned char", "i8": "signed char", "i16": "short", "u16": "unsigned short", "i32": "int", "u32": "unsigned",
           "i64": "long long", "u64": "unsigned long long", "f32": "float", "f64": "double"}


def host_array(value):
    """Returns an array of numpy's of one of CuPy's or PyTorch's, where it is one."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return value
    if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get"):
        return value.get()
    if hasattr(value, "detach") and hasattr(value, "cpu"):
        return value.detach().cpu().numpy()
    return value


# ---- the source ----

def is_file_name(text):
    """Returns whether a source is the name of a file: no code, and a suffix of a source."""
    return (isinstance(text, pathlib.Path) or (len(text) <= 250 and not re.search(r"[();{}\\\n]", text)
            and re.search(r"\.(c|cu|cuh|h|hpp|cc|cpp|cxx|cl|opencl|F)\w*$", text) is not None))


def language_of(lang, text):
    """Returns T1's word for the language; refuses those that tune does not run."""
    if lang is None:
        lang = "CUDA" if text is None or "__global__" in text else "OpenCL" if "__kernel" in text else "C"
    if lang.upper() in (*LANGUAGES, HOST_CODE):
        return LANGUAGES.get(lang.upper(), HOST_CODE)
    raise Refused(f"lang: tune tunes kernels in CUDA and host code in C++, and this is {OTHERS.get(lang.upper(), repr(lang))}")


def unrolled(text, names):
    """Kernel Tuner's rule for parameters called ..loop_unroll_factor..: a constant of C++, and 0 takes the pragma away."""
    for name in names:
        if "loop_unroll_factor" in name:
            pragma = re.compile(rf"\n[ \t]*#pragma[ \t]+unroll[ \t]+{re.escape(name)}\b[^\n]*")
            text = pragma.sub(rf"\n#if {name}_\n#pragma unroll {name}\n#endif", text)
            text = f"constexpr int {name} = {name}_;\n" + text
    return text


# A pointer that becomes one of any type, as the function takes it.
ANY = """namespace launchtune {
struct any { void *place; template <class T> operator T *() const { return static_cast<T *>(place); } };
}
"""
# A host function as tune calls it: in nvcc's code its arrays are in memory of the host that the device reaches, as a script's are.
HOST = """#include <cstdio>
#include <cstdlib>
namespace launchtune {
struct taken { double elapsed_ns; };
#ifdef __CUDACC__
} // namespace launchtune
#include <cuda_runtime.h>
#include <unistd.h>
namespace launchtune {
/* One for all configurations of a process; each is a library, so that the environment has to tell. */
static void *memory(int argument, size_t bytes)
{
    char name[64], text[32];
    void *place = nullptr;
    std::snprintf(name, sizeof name, "LAUNCHTUNE_%d_%d_%zu", (int)getpid(), argument, bytes);
    const char *kept = std::getenv(name);
    if (kept && std::sscanf(kept, "%p", &place) == 1)
        return place;
    if (cudaHostAlloc(&place, bytes, cudaHostAllocPortable | cudaHostAllocMapped) != cudaSuccess)
        return nullptr;
    std::snprintf(text, sizeof text, "%p", place);
    setenv(name, text, 1);
    return place;
}
static any moved(int argument, void *vector, size_t bytes, bool back, cudaStream_t stream)
{
    void *place = memory(argument, bytes);
    if (place)
        (void)cudaMemcpyAsync(back ? vector : place, back ? place : vector, bytes, cudaMemcpyDefault, stream);
    return {place};
}
#endif
"""


def host_function(name, arguments, on_device, is_gpu):
    """Returns the code that calls a function of the host for tune: it returns its own milliseconds. `on_device`: names of arrays that the
    script has on the device."""
    taken, given, before, after = [], [], [], []
    for i, argument in enumerate(arguments):
        kind = C_TYPES.get(argument.get("type"))
        if not kind:
            raise Refused(f"arguments[{i}]: host functions take arrays and numbers of C's types")
        if "count" not in argument:
            taken.append(f"{kind} a{i}")
            given.append(f"a{i}")
            continue
        taken.append(f"{'' if argument.get('update') else 'const '}{kind} *a{i}")
        given.append(f"any{{const_cast<{kind} *>(a{i})}}")
        if is_gpu and argument["name"] not in on_device:
            given[-1] = f"h{i}"
            move = f"moved({i}, const_cast<{kind} *>(a{i}), {argument['count']} * sizeof *a{i}, %s, stream)"
            before.append(f"    const any h{i} = {move % 'false'};\n    if (!h{i}.place)\n        return {{-2}};\n")
            if argument.get("update"):
                after.append(f"    (void){move % 'true'};\n")
    wait = "    if (cudaStreamSynchronize(stream) != cudaSuccess)\n        return {-3};\n" if is_gpu else ""
    return (f"\n{ANY}{HOST}taken {name}({', '.join([*taken, *(['cudaStream_t stream'] if is_gpu else [])])})\n{{\n{''.join(before)}{wait}"
            f"    const double elapsed_ms = (double)::{name}({', '.join(given)});\n{''.join(after)}    return {{1e6 * elapsed_ms}};\n"
            "}\n} // namespace launchtune\n")


# The text that LAUNCHTUNE_SOURCE numbers.
INCLUDED = """#define LAUNCHTUNE_QUOTED(path) #path
#define LAUNCHTUNE_NAMED(folder, number) LAUNCHTUNE_QUOTED(folder/text_##number.cu)
#define LAUNCHTUNE_FILE(number) LAUNCHTUNE_NAMED(FOLDER, number)
#include LAUNCHTUNE_FILE(LAUNCHTUNE_SOURCE)
"""


class Source:
    """The kernel's source: a file as it is, or a text that is written beside the experiment."""

    def __init__(self, given, lang, parameters):
        first = given[0] if isinstance(given, (list, tuple)) else given
        self.file, self.text, self.made, self.kinds, self.suffix = None, None, {}, [], ".cu"
        if callable(first):
            if lang is None:
                raise TypeError("kernel_source: a function needs lang, the language of the text that it returns")
            self._make(first, parameters)
        elif is_file_name(first):
            self.file = pathlib.Path(first).resolve()
            if not self.file.exists():
                raise Refused(f"kernel_source: there is no file {first}")
            self.text = self.file.read_text("utf-8", "replace")
        else:
            self.text = first
        self.language = language_of(lang, self.text)
        self.unrolled = [name for name in parameters if "loop_unroll_factor" in name]
        self.folder = self.file.parent if self.file else pathlib.Path.cwd()
        self.host = "" if self.language == HOST_CODE else None  # code behind the source, which calls a host function
        if self.unrolled:
            self.text, self.file = unrolled(self.text, self.unrolled), None

    def _make(self, generator, parameters):
        """All texts that a generator makes, in one source; a define chooses among them."""
        names, texts = _formulas.tabulated(lambda values: generator(values), parameters, "kernel_source")
        kinds = list(dict.fromkeys(texts))
        if len(kinds) == 1:
            self.text = kinds[0]
            return
        self.text, self.kinds = kinds[0], kinds
        number = {text: i for i, text in enumerate(kinds)}
        at = _formulas.place(names, parameters)
        if len(kinds) < len(texts):
            at = _formulas.looked_up(names, [number[text] for text in texts], parameters, "kernel_source")
        self.made = {"LAUNCHTUNE_SOURCE": at}

    def is_cuda(self, compiler):
        """Returns whether nvcc compiles host code, by Kernel Tuner's rule."""
        return (pathlib.Path(compiler or "").name == "nvcc" or (self.file is not None and self.file.suffix == ".cu")
                or any(sign in self.text for sign in ("__global", "__syncthreads()", "threadIdx", "#include <cuda", "cudaMemcpy")))

    def write(self, folder, name):
        if self.file and not self.host:
            return str(self.file)
        path, text = folder / f"{name}{self.suffix}", f'#include "{self.file}"\n' if self.file else self.text
        if self.kinds: # a file each, of which a compilation reads its own: thousands in one take seconds to read
            texts = folder / f"{name}_{hashlib.blake2b(repr(self.kinds).encode(), digest_size=8).hexdigest()}"
            texts.mkdir(exist_ok=True)
            for i, kind in enumerate(self.kinds):
                (texts / f"text_{i}.cu").write_text(kind, "utf-8")
            text = INCLUDED.replace("FOLDER", texts.name)
        path.write_text(text + (self.host or ""), "utf-8")
        return str(path)


def parameters_of_kernel(text, name, mark="__global__"):
    """Returns the parameters of a kernel (without `mark` of a function) as its text declares them, without comments; [] where the text
    does not tell."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text or "", flags=re.S)
    for found in re.finditer(rf"\b{re.escape(name.split('<')[0].split('::')[-1])}\s*\(", text):
        before = text[max(text.rfind(mark, 0, found.start()) for mark in ";{}") + 1:found.start()]
        if mark not in before or not before.strip():
            continue
        depth, parts, start = 0, [], found.end()
        for i in range(found.end(), len(text)):
            if text[i] in ",)" and depth == 0:
                parts.append(" ".join(text[start:i].split()))
                start = i + 1
                if text[i] == ")":
                    return [part for part in parts if part and part != "void"]
            depth += (text[i] in "(<[") - (text[i] in ")>]")
    return []


# ---- arrays ----

def digest(data):
    """Returns a name for the contents of an array: a hash of the hashes of its parts, which threads make."""
    octets = data.view(numpy.uint8)
    parts = [octets[i:i + PART_BYTES] for i in range(0, octets.size, PART_BYTES)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        hashes = threads.map(lambda part: hashlib.blake2b(part, digest_size=32).digest(), parts)
        return hashlib.blake2b(b"".join(hashes), digest_size=12).hexdigest()


class Arrays:
    """Arrays as files, each content once; in a dry run, which reads none of it, only their sizes."""

    def __init__(self, folder, empty):
        self.folder, self.empty = folder, empty

    def fill(self, data):
        """Returns how tune makes the contents of an array without dimensions."""
        if data.size and not data.view(numpy.uint8).any():
            return "zero"
        name = f"{data.nbytes}.empty" if self.empty else digest(data) + ".bin"
        path = self.folder / name
        if not path.exists():
            partial = self.folder / (name + ".partial")
            with open(partial, "wb") as file:
                file.truncate(data.nbytes) if self.empty else data.tofile(file)
            partial.rename(path)
        return {"file": str(path)}


def numbers_of(array, what):
    """Returns an array's numbers, without dimensions, and their type in tune's words."""
    array = numpy.ascontiguousarray(array).reshape(-1)
    if array.dtype.kind == "c":
        array = array.view(array.real.dtype)
    if array.dtype.kind == "V":
        array = array.view(numpy.uint8)
    if array.dtype.name not in SCALARS:
        raise Refused(f"{what}: arrays of {array.dtype} have no type of tune's")
    return array, SCALARS[array.dtype.name]


def scalar(value, what):
    """Returns the entries of an argument that is passed by value."""
    if isinstance(value, numpy.void) and value.dtype.names:
        return {"fields": [scalar(value[name], f"{what}.{name}") for name in value.dtype.names]}
    if not isinstance(value, numpy.generic) or value.dtype.name not in SCALARS:
        raise TypeError(f"{what} is of type {type(value).__name__}, and must be an array or a scalar of numpy, such as numpy.int32(n)")
    return {"type": SCALARS[value.dtype.name], "value": _formulas.constant(value.item())}


def texture(name, given):
    """Returns the argument of a texture reference."""
    options = {"array": given} if not isinstance(given, dict) else dict(given)
    array = host_array(options.pop("array"))
    numbers, kind = numbers_of(array, f"texmem_args['{name}']")
    entry = {"width": array.shape[-1]} if array.ndim == 1 else {"width": array.shape[1], "height": array.shape[0]}
    if array.ndim not in (1, 2):
        raise Refused(f"texmem_args['{name}']: tune has textures of one and two dimensions, and this one has {array.ndim}")
    address = options.pop("address_mode", None)
    address = address if isinstance(address, (list, tuple)) else [address] * array.ndim
    if len(set(address)) > 1:
        raise Refused(f"texmem_args['{name}']: address_mode differs by axis ({', '.join(address)}), and tune has one for all")
    if address[0]:
        entry["address"] = address[0]
    if options.pop("filter_mode", None):
        entry["filter"] = given["filter_mode"]
    if options.pop("normalized_coordinates", False):
        entry["normalized"] = True
    if array.ndim == 1 and len(entry) > 1:
        entry["height"] = 1
    if options:
        raise Refused(f"texmem_args['{name}']: {', '.join(options)}: no such setting")
    return numbers, {"name": name, "type": kind, "count": numbers.size, "texture": entry, "symbol": name}


# ---- the file ----

def values_of(parameters):
    """Returns the values of all parameters as JSON has them."""
    plain = {}
    for name, values in parameters.items():
        kept = []
        for value in values:
            if isinstance(value, numpy.generic):
                value = value.item()
            text = isinstance(value, str) and re.fullmatch(r"[!-~]{1,63}", value) and not re.search(r"[=\\#;`$'\"]", value)
            if not text and not isinstance(value, (bool, int, float)):
                raise Refused(f"tune_params['{name}']: {value!r}: values are numbers, booleans, or texts of up to 63 characters without "
                              "blanks and quotes")
            kept.append(value)
        if not kept:
            raise Refused(f"tune_params['{name}'] has no values")
        plain[name] = kept
    return plain


def compiler_options(given):
    """Returns options without folders that are not there, which compilers leave out, too; relative ones start here."""
    words = [word for option in given for word in str(option).split()]
    kept = []
    for i, word in enumerate(words):
        folder = word[2:] if word.startswith("-I") and len(word) > 2 else words[i + 1] if word == "-I" and i + 1 < len(words) else None
        if folder is None and not (i and words[i - 1] == "-I"):
            kept.append(word)
        elif folder and pathlib.Path(folder).is_dir():
            kept.append(f"-I{pathlib.Path(folder).resolve()}")
    return kept


def host_flags(words, text, is_gpu):
    """Returns options for a compiler of host code, but architectures, which are tune's own; with OpenMP's if the text uses it."""
    kept, after = [], False
    if re.search(r"#\s*(pragma\s+omp\b|include\s*<omp\.h>)", text):
        kept.append("-Xcompiler=-fopenmp" if is_gpu else "-fopenmp")
    for word in words:
        own = re.match(r"-(-gpu-architecture|arch|code|-gpu-code|gencode|-generate-code)\b", word)
        if not own and not after:
            kept.append(word)
        after = bool(own) and "=" not in word
    return kept


def block_names(given, parameters):
    """Returns the names of the block's dimensions that are not the usual ones, and all three."""
    own = list(given or []) or sorted((key for key in parameters if key.lower() in BLOCKS and key not in BLOCKS), key=str.casefold)
    return own, own + BLOCKS[len(own):]


def block_parameters(given, parameters):
    """Returns the parameters whose product is the number of a block's threads."""
    return [name for name in block_names(given, parameters)[1]
            if name in parameters and all(isinstance(value, (int, float, numpy.number)) for value in parameters[name])]


def divisors(given, name, parameters, what):
    """Returns the items of GridDiv: texts are whole numbers, as in Kernel Tuner."""
    if given is None:
        return [name] if name in parameters else []
    items = given if isinstance(given, (list, tuple)) else [given]
    found = []
    for item in items:
        text = _formulas.value(item, parameters, what)
        found.append(f"int({text})" if isinstance(item, str) and "/" in text.replace("//", "") else text)
    return found


def sizes_of(given, parameters):
    """Returns up to three expressions."""
    if callable(given):
        function, names = _formulas.caller(given, parameters), {name: name for name in parameters}
        plain = function({name: values[0] for name, values in parameters.items()})
        count = len(plain) if isinstance(plain, (tuple, list)) else 1

        def part(values, k):
            made = function(values)
            return made[k] if isinstance(made, (tuple, list)) else made

        return [_formulas.traced(lambda values, k=k: part(values, k), names)
                or _formulas.looked_up(*_formulas.tabulated(lambda values, k=k: part(values, k), parameters, "problem_size"), parameters,
                                       "problem_size")
                for k in range(count)]
    items = given if isinstance(given, (tuple, list)) else (given,)
    return [f"int({_formulas.value(item, parameters, 'problem_size')})" if isinstance(item, str) and "/" in item
            else _formulas.value(item, parameters, "problem_size") for item in items]


def names_of(arguments, kernel):
    """Returns a name for each argument: the kernel's own where its text tells."""
    declared = [re.search(r"(\w+)(\s*\[\w*\])?$", part) for part in kernel]
    names = []
    for i, _ in enumerate(arguments):
        name = declared[i].group(1) if len(kernel) == len(arguments) and declared[i] else f"argument{i + 1}"
        while name in names:
            name += "_"
        names.append(name)
    return names


def defines_of(defines, parameters, source):
    """Returns `tune.defines`, over those that T1 implies: each parameter, the block, the grid and kernel_tuner."""
    made = dict(source.made)
    for name in source.unrolled:
        made.update({name: None, f"{name}_": name})
    if defines is None:
        return made
    made.update(dict.fromkeys([*parameters, *BLOCKS, "grid_size_x", "grid_size_y", "grid_size_z", "kernel_tuner"]))
    for name, given in defines.items():
        what = f"defines['{name}']"
        if isinstance(given, str) and not _formulas.is_expression(given, parameters):
            def filled(values, text=given):
                return _formulas.replaced(text, {key: values[key] for key in parameters if key in text})

            made[name] = _formulas.looked_up(*_formulas.tabulated(filled, parameters, what), parameters, what)
        else:
            made[name] = _formulas.value(given, parameters, what)
    return made


class Problem:
    """One call, translated."""

    def __init__(self, call, name, arrays, check):
        self.name, self.call = name, call
        self.parameters = values_of(call["tune_params"])
        self.source = Source(call["kernel_source"], call["lang"], self.parameters)
        kernel = parameters_of_kernel(self.source.text, call["kernel_name"], "" if self.source.host == "" else "__global__")
        self.outputs = []  # arrays that the kernel may write
        self.checks = []
        arguments = self._arguments(call["arguments"], kernel, arrays)
        arguments += self._symbols(call["cmem_args"], call["texmem_args"], arrays)
        self._answers(call, arrays)
        self.json = {
            "General": {"BenchmarkName": f"{call['kernel_name']}, from a script for Kernel Tuner"},
            "ConfigurationSpace": {
                "TuningParameters": [{"Name": key, "Values": values} for key, values in self.parameters.items()],
                "Conditions": [{"Expression": text} for text in self._conditions(call["restrictions"])],
            },
            "KernelSpecification": self._kernel(call),
            "tune": {"experiment": name, "defines": defines_of(call["defines"], self.parameters, self.source), "arguments": arguments},
        }
        if self.source.host is not None:
            self._call_host_function(call, arguments)
        unchecked = [output for output in self.outputs if output not in {entry["output"] for entry in self.checks}]
        if self.checks or not check:
            self.json["tune"]["check"] = self.checks + ([{"unchecked": unchecked}] if unchecked else [])

    def _conditions(self, given):
        if given is None:
            return []
        given = given if isinstance(given, (list, tuple)) and not (isinstance(given, tuple) and callable(given[0])) else [given]
        return [text for item in given for text in _formulas.condition(item, self.parameters, "restrictions")]

    def _kernel(self, call):
        own, names = block_names(call["block_size_names"], self.parameters)
        if own and any(key in self.parameters for key in BLOCKS if key not in own):
            raise Refused(f"block_size_names: {', '.join(own)} beside a parameter called {' or '.join(BLOCKS)}: rename one of them")
        specification = {"Language": self.source.language, "KernelName": self._kernel_name(call["kernel_name"])}
        specification["ProblemSize"] = sizes_of(call["problem_size"], self.parameters)
        for axis, name, key in zip(AXES, names, ("grid_div_x", "grid_div_y", "grid_div_z")):
            if "ProblemSize" in specification and len(specification["ProblemSize"]) > AXES.index(axis):
                self._divide(specification, axis, divisors(call[key], name, self.parameters, key))
        if own:
            specification["LocalSize"] = {axis: name if name in self.parameters else "256" if axis == "X" else "1"
                                          for axis, name in zip(AXES, names)}
        if call["compiler_options"]:
            specification["CompilerOptions"] = compiler_options(call["compiler_options"])
        if call["compiler"]:
            specification["Compiler"] = pathlib.Path(call["compiler"]).name
            host = self.source.host is not None and re.fullmatch(HOST_COMPILERS, specification["Compiler"])
            if specification["Compiler"] not in ("nvcc", "nvrtc") and not host:
                raise Refused(f"compiler: '{call['compiler']}' compiles no kernels; tune compiles them by NVRTC or nvcc, host code by these "
                              "or a compiler of C++")
        folder = f"-I{self.source.folder}"
        if not self.source.file:
            specification.setdefault("CompilerOptions", []).append(folder)
        if call["smem_args"]:
            others = [key for key in call["smem_args"] if key != "size"]
            if others:
                raise Refused(f"smem_args: {', '.join(others)}: no such setting; 'size' is the only one")
            size = _formulas.value(call["smem_args"]["size"], self.parameters, "smem_args")
            specification["Arguments"] = [{"Name": "shared", "Type": "uint8", "MemoryType": "Local", "Size": f"int({size})"}]
        return specification

    def _call_host_function(self, call, arguments):
        """Makes the launch the call of a function that measures itself."""
        for key in ("cmem_args", "smem_args", "texmem_args"):
            if call[key]:
                raise Refused(f"{key}: host code copies to the device by itself")
        if call["verify"]:
            raise Refused("verify: results of host code are compared with an answer")
        source, specification, tune = self.source, self.json["KernelSpecification"], self.json["tune"]
        is_gpu = source.is_cuda(call["compiler"])
        source.suffix = ".cu" if is_gpu else ".cpp"
        on_device = [name for name, value in zip(self.names, call["arguments"]) if hasattr(value, "__cuda_array_interface__")]
        source.host = host_function(call["kernel_name"], arguments, on_device, is_gpu)
        if call["defines"] is None:
            sizes = [*specification["ProblemSize"], *["1"] * 3][:3]
            for axis, size in zip(AXES, sizes):
                divisor = " * ".join(specification.get(f"GridDiv{axis}") or ["1"])
                tune["defines"][f"grid_size_{axis.lower()}"] = f"int(ceil(float({size}) / float({divisor})))"
            blocks = specification.get("LocalSize") or {axis: name if name in self.parameters else "256" if axis == "X" else "1"
                                                        for axis, name in zip(AXES, BLOCKS)}
            for (axis, size), name in zip(blocks.items(), block_names(call["block_size_names"], self.parameters)[1]):
                if name not in self.parameters:
                    tune["defines"][name] = size
            tune["defines"]["kernel_tuner"] = "1"
        block = block_parameters(call["block_size_names"], self.parameters)
        if block:
            self.json["ConfigurationSpace"]["Conditions"].append({"Expression": f"{' * '.join(block)} <= {THREADS}"})
        options = list(dict.fromkeys([*specification.pop("CompilerOptions", []), f"-I{source.folder}"]))
        specification.pop("Compiler", None)
        specification["Language"] = "CUDA"
        if is_gpu:
            specification["CompilerOptions"] = [word for word in options if word.startswith(("-I", "-std=", "--std="))]
            options = [word for word in options if word not in specification["CompilerOptions"]]
        tune.update(launches=[{"function": f"launchtune::{call['kernel_name']}"}], flags=host_flags(options, source.text, is_gpu))
        if not is_gpu:
            tune["device"] = "cpu"

    @staticmethod
    def _divide(specification, axis, items):
        """Where a divisor may be no integer the quotient is a real, rounded up, as Kernel Tuner does it."""
        place = AXES.index(axis)
        size = specification["ProblemSize"][place]
        if any("/" in item.replace("//", "") and not item.startswith("int(") or "." in item for item in items):
            specification["ProblemSize"][place] = f"ceil(({size}) / ({' * '.join(items)}))"
            items = []
        specification[f"GridDiv{axis}"] = items

    def _kernel_name(self, name):
        return "".join(f"${{{part}}}" if part in self.parameters else part for part in re.split("([a-zA-Z0-9_]+)", name))

    def _arguments(self, given, kernel, arrays):
        made = []
        self.names = names_of(given, kernel)
        for i, (name, value) in enumerate(zip(self.names, given)):
            value = host_array(value)
            entry = {"name": name}
            if isinstance(value, numpy.ndarray) and value.ndim > 0:
                numbers, kind = numbers_of(value, f"arguments[{i}]")
                entry.update(type=kind, count=numbers.size, fill=arrays.fill(numbers))
                if not (len(kernel) == len(given) and re.search(r"\bconst\b[^*]*\*", kernel[i])):
                    entry["update"] = True
                    self.outputs.append(name)
            else:
                entry.update(scalar(value[()] if isinstance(value, numpy.ndarray) else value, f"arguments[{i}]"))
            made.append(entry)
        return made

    def _symbols(self, cmem, texmem, arrays):
        made = []
        for name, value in (cmem or {}).items():
            value = host_array(value)
            entry = {"name": name if name not in self.names else f"{name}_constant", "symbol": name}
            if isinstance(value, numpy.ndarray) and value.ndim > 0:
                numbers, kind = numbers_of(value, f"cmem_args['{name}']")
                entry.update(type=kind, count=numbers.size, fill=arrays.fill(numbers))
            else:
                entry.update(scalar(value, f"cmem_args['{name}']"))
            made.append(entry)
        for name, value in (texmem or {}).items():
            numbers, entry = texture(name, value)
            made.append({**entry, "fill": arrays.fill(numbers)})
        return made

    def _answers(self, call, arrays):
        answer = call["answer"]
        if answer is None or call["verify"]:
            return
        if len(answer) != len(call["arguments"]):
            raise TypeError(f"answer has {len(answer)} items and the kernel {len(call['arguments'])} arguments: None for those not "
                            "checked")
        for i, (name, expected, given) in enumerate(zip(self.names, answer, call["arguments"])):
            given = host_array(given)
            if expected is None or not isinstance(given, numpy.ndarray):
                continue
            if name not in self.outputs:
                raise Refused(f"answer[{i}]: the kernel takes {name} as const, and cannot write it")
            expected = numpy.asarray(host_array(expected))
            if expected.size not in (1, given.size):
                raise TypeError(f"answer[{i}] has the shape {expected.shape}, and the argument {name} {given.shape}")
            expected = (numpy.broadcast_to(expected, given.shape) if expected.size == 1 else expected).astype(given.dtype)
            numbers, _ = numbers_of(expected, f"answer[{i}]")
            fill = arrays.fill(numbers)
            entry = {"output": name, "relative": RELATIVE, **({"series": "0"} if fill == "zero" else fill)}
            if call["atol"]:
                entry["absolute"] = float(call["atol"])
            self.checks.append(entry)

    def write(self, folder):
        """Writes source and file; returns the file's path."""
        self.json["KernelSpecification"]["KernelFile"] = self.source.write(folder, self.name)
        path = folder / f"{self.name}.json"
        path.write_text(json.dumps(self.json, indent=1) + "\n", "utf-8")
        return path
