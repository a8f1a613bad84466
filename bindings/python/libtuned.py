"""Finds launch configurations in tuned.conf through libtuned.

    import libtuned

    configurations = libtuned.open()             # $TUNED_CONF, the user's file, the system's
    gpu = libtuned.Device.cuda(0)              # one query of the driver
    answer = configurations.find(gpu, "reduce.sum.i32", n)
    block = answer.integer("block", 256)       # 256 if there is no answer
    print(answer.grade, answer.reason)

    found = configurations.resolve(gpu, "reduce.sum.i32")    # once, then
    answer = found.find(n)                                   # many times

`Kernel` compiles kernels of CuPy, PyTorch or Numba as the file has them, and chooses their launches.

One file for Python 3.8 or newer, with no packages. The library libtuned.so.0 is the file that
$TUNED_LIBRARY names, else one beside this file, in a lib folder of the installation's prefix, or where
the dynamic linker looks. Loaded files never change, so any number of threads may share them; memory is
freed with the last answer, entry or handle. Refused files raise libtuned.Error, with file and line; a
missing answer is no error. Guide: docs/bindings.md. File format: docs/tuned-conf.md.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import enum
import functools
import math
import os
import pathlib
import re
import threading
import warnings
import weakref
from dataclasses import dataclass, field
from typing import (Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple,
                    Union)

__version__ = "0.2.0"
__all__ = ["Answer", "Choice", "Device", "Entry", "Error", "Grade", "Kernel", "Launch", "Recorded", "Resolved",
           "Skip", "Tuned", "library_version", "load", "loads", "open", "recorded"]

Value = Union[bool, int, float, str]
_SONAME = "libtuned.so.0"


class Error(Exception):
    """Error of loading. `file`: the path; `line`: from 1, 0 for no particular line; `code`: 1 damaged, 2 no
    file, 3 unreadable, 4 of an unknown format version, 5 out of memory."""

    def __init__(self, text: str, file: str = "", line: int = 0, code: int = 0) -> None:
        super().__init__(text)
        self.file = file
        self.line = line
        self.code = code


class Grade(enum.IntEnum):
    """Quality of an answer, from worst to best, as tuned_grade of tuned.h."""

    NONE = 0
    FAR_DEVICE = 1
    DEFAULT = 2
    OTHER_DEVICE = 3
    PORTABLE = 4
    SAME_MODEL = 5
    NEAREST_SIZE = 6
    IN_RANGE = 7
    EXACT = 8

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")


class Skip(enum.IntFlag):
    """Places that `open` omits."""

    ENVIRONMENT = 1
    USER = 2
    SYSTEM = 4


# ---- the library: structs as tuned.h has them ----

class _Error(ctypes.Structure):
    _fields_ = [("line", ctypes.c_int), ("text", ctypes.c_char * 252), ("code", ctypes.c_int)]


class _Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_char_p), ("name", ctypes.c_char_p),
                ("compute_capability_major", ctypes.c_int),
                ("compute_capability_minor", ctypes.c_int),
                ("unit_count", ctypes.c_int), ("memory_bytes", ctypes.c_longlong),
                ("bandwidth_gbs", ctypes.c_double), ("max_threads_per_block", ctypes.c_int),
                ("max_shared_bytes", ctypes.c_longlong), ("registers_per_unit", ctypes.c_int),
                ("max_cluster_blocks", ctypes.c_int), ("reserved", ctypes.c_longlong * 7),
                ("issue", ctypes.c_int), ("spare", ctypes.c_int)]


class _Size(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("size", ctypes.c_longlong)]


class _Answer(ctypes.Structure):
    _fields_ = [("grade", ctypes.c_int), ("entry", ctypes.c_void_p),
                ("distance", ctypes.c_double), ("tuned", ctypes.c_void_p),
                ("device", ctypes.POINTER(_Device)), ("problem", ctypes.c_char_p),
                ("n", ctypes.c_longlong), ("sizes", ctypes.POINTER(_Size)),
                ("size_count", ctypes.c_size_t), ("passed_over", ctypes.c_void_p),
                ("reserved", ctypes.c_longlong * 3)]


class _Launch(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_longlong * 3), ("block", ctypes.c_longlong * 3),
                ("cluster", ctypes.c_longlong * 3), ("shared_bytes", ctypes.c_longlong),
                ("is_cooperative", ctypes.c_longlong), ("reserved", ctypes.c_longlong * 5)]


class _Options(ctypes.Structure):
    _fields_ = [("paths", ctypes.POINTER(ctypes.c_char_p)), ("path_count", ctypes.c_size_t),
                ("skip", ctypes.c_uint), ("leave_out_refused", ctypes.c_int),
                ("built_in", ctypes.c_char_p), ("built_in_bytes", ctypes.c_size_t),
                ("allocator", ctypes.c_void_p), ("least_grade", ctypes.c_int),
                ("size_factor", ctypes.c_double),
                ("on_find", ctypes.c_void_p), ("on_find_context", ctypes.c_void_p),
                ("reserved", ctypes.c_longlong * 6)]


class _Handle(ctypes.Structure):
    _fields_ = [("tuned", ctypes.c_void_p), ("device", _Device), ("problem", ctypes.c_char_p),
                ("own", ctypes.c_void_p), ("number", ctypes.c_uint),
                ("reserved", ctypes.c_longlong * 8)]


class _Recorded(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ulonglong), ("n", ctypes.c_longlong),
                ("sizes", ctypes.c_longlong * 7), ("size_count", ctypes.c_int),
                ("grade", ctypes.c_int), ("names", ctypes.c_char * 16 * 7),
                ("kind", ctypes.c_char * 8), ("problem", ctypes.c_char * 128),
                ("device", ctypes.c_char * 96)]


class _Build(ctypes.Structure):
    _fields_ = [("source", ctypes.c_char_p), ("flags", ctypes.c_char_p),
                ("driver", ctypes.c_char_p), ("compiler", ctypes.c_char_p),
                ("reserved", ctypes.c_void_p * 4)]


_TEXT, _WHOLE, _REAL = ctypes.c_char_p, ctypes.c_longlong, ctypes.c_double
_AT, _COUNT, _GRADE = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_FUNCTIONS = {
    "tuned_load": (_AT, [_TEXT, ctypes.POINTER(_Error)]),
    "tuned_load_memory": (_AT, [_TEXT, _COUNT, _TEXT, ctypes.POINTER(_Error)]),
    "tuned_open": (_AT, [ctypes.POINTER(_Options), ctypes.POINTER(_Error)]),
    "tuned_free": (None, [_AT]),
    "tuned_file_at": (_TEXT, [_AT, _COUNT]),
    "tuned_find_sizes": (_GRADE, [_AT, ctypes.POINTER(_Device), _TEXT, _WHOLE,
                                  ctypes.POINTER(_Size), _COUNT, ctypes.POINTER(_Answer)]),
    "tuned_resolve": (_GRADE, [_AT, ctypes.POINTER(_Device), _TEXT, ctypes.POINTER(_Handle)]),
    "tuned_find_resolved_sizes": (_GRADE, [ctypes.POINTER(_Handle), _WHOLE, ctypes.POINTER(_Size),
                                           _COUNT, ctypes.POINTER(_Answer)]),
    "tuned_reason": (None, [ctypes.POINTER(_Answer), _TEXT, _COUNT]),
    "tuned_grade_name": (_TEXT, [_GRADE]),
    "tuned_answer_integer": (_WHOLE, [ctypes.POINTER(_Answer), _TEXT, _WHOLE]),
    "tuned_answer_launch": (ctypes.c_int, [ctypes.POINTER(_Answer), ctypes.c_int,
                                           ctypes.POINTER(_Launch)]),
    "tuned_integer": (_WHOLE, [_AT, _TEXT, _WHOLE]),
    "tuned_text": (_TEXT, [_AT, _TEXT, _TEXT]),
    "tuned_value_count": (_COUNT, [_AT]),
    "tuned_value_at": (None, [_AT, _COUNT, ctypes.POINTER(_TEXT), ctypes.POINTER(_TEXT)]),
    "tuned_evidence_text": (_TEXT, [_AT, _TEXT, _TEXT]),
    "tuned_expected_ns": (_REAL, [_AT]),
    "tuned_entry_problem": (_TEXT, [_AT]),
    "tuned_entry_n": (_WHOLE, [_AT]),
    "tuned_entry_n_low": (_WHOLE, [_AT]),
    "tuned_entry_n_high": (_WHOLE, [_AT]),
    "tuned_entry_size_at": (_TEXT, [_AT, _COUNT, ctypes.POINTER(_WHOLE), ctypes.POINTER(_WHOLE)]),
    "tuned_entry_device": (ctypes.POINTER(_Device), [_AT]),
    "tuned_entry_line": (ctypes.c_int, [_AT]),
    "tuned_entry_file": (_TEXT, [_AT]),
    "tuned_device_text": (_TEXT, [_AT, _TEXT, _TEXT]),
    "tuned_stale": (ctypes.c_int, [_AT, ctypes.POINTER(_Build), _TEXT, _COUNT]),
    "tuned_entry_count": (_COUNT, [_AT]),
    "tuned_entry_at": (_AT, [_AT, _COUNT]),
    "tuned_record_open": (_AT, [_TEXT, ctypes.POINTER(_Error)]),
    "tuned_record_load": (_AT, [_TEXT, ctypes.POINTER(_Error)]),
    "tuned_record_close": (None, [_AT]),
    "tuned_record_next": (ctypes.c_int, [_AT, ctypes.POINTER(_COUNT), ctypes.POINTER(_Recorded)]),
    "tuned_version": (_TEXT, []),
}


def _places() -> Iterator[str]:
    """Yields the possible places of libtuned, the likeliest first."""
    given = os.environ.get("TUNED_LIBRARY")
    if given:
        yield given
        return
    here = pathlib.Path(__file__).resolve().parent
    folders = [here]
    if len(here.parents) > 2:  # PREFIX/share/tune/python
        prefix = here.parents[2]
        folders += [prefix / "lib", prefix / "lib64", *sorted(prefix.glob("lib/*-linux-gnu*"))]
    for folder in folders:
        for name in (_SONAME, "libtuned.so"):
            if (folder / name).exists():
                yield str(folder / name)
    yield _SONAME
    found = ctypes.util.find_library("tuned")
    if found:
        yield found


@functools.lru_cache(maxsize=None)
def _library() -> ctypes.CDLL:
    tried = []
    for place in _places():
        try:
            library = ctypes.CDLL(place)
        except OSError as error:
            tried.append(f"{place}: {error}")
            continue
        for name, (result, arguments) in _FUNCTIONS.items():
            try:
                function = getattr(library, name)
            except AttributeError:
                raise OSError(f"{place} has no {name}: it is not the libtuned {__version__} that "
                              "this libtuned.py is for") from None
            function.restype = result
            function.argtypes = arguments
        version = library.tuned_version().decode()
        if version.split(".")[0] != __version__.split(".")[0]:
            raise OSError(f"{place} is libtuned {version}, this libtuned.py is for {__version__}")
        return library
    raise OSError("libtuned.so was not found; set TUNED_LIBRARY to its path (tried "
                  + "; ".join(tried) + ")")


def library_version() -> str:
    """Returns the version of the libtuned in use. Raises OSError if there is none."""
    return str(_library().tuned_version().decode())


def _bytes(text: str) -> bytes:
    encoded = text.encode("utf-8", "surrogateescape")
    if b"\0" in encoded:
        raise ValueError(f"a NUL in {text!r}")
    return encoded


def _path(path: Union[str, "os.PathLike[str]"]) -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError(f"a NUL in {path!r}")
    return encoded


def _optional(text: Optional[str]) -> Optional[bytes]:
    return None if text is None else _bytes(text)


def _text(raw: Optional[bytes]) -> str:
    return "" if raw is None else raw.decode("utf-8", "surrogateescape")


def _fits(number: int) -> bool:
    return -2**63 <= number < 2**63


def _whole(number: int, what: str) -> int:
    if not _fits(number):
        raise ValueError(f"{what} is {number}, which 64 bits do not hold")
    return number


def _typed(text: str) -> Value:
    """Returns a text of the file as an int, float or bool, else unchanged. Numbers have libtuned's form:
    without a plus sign, never infinite."""
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?[0-9]{1,300}", text):
        return int(text)
    if re.fullmatch(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        return float(text) if math.isfinite(float(text)) else text
    return text


# ---- devices ----


@dataclass(frozen=True)
class Device:
    """A device to look up. 0 means unknown; entries that exceed a known limit are not returned.

    `issue` is how the program launches, "graph", "stream" or "eager": preferred are entries tuned so."""

    kind: str
    name: str
    compute_capability: Tuple[int, int] = (0, 0)
    unit_count: int = 0
    memory_bytes: int = 0
    bandwidth_gbs: float = 0.0
    max_threads_per_block: int = 0
    max_shared_bytes: int = 0
    registers_per_unit: int = 0
    max_cluster_blocks: int = 0
    issue: str = ""
    _struct: _Device = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        major, minor = self.compute_capability
        object.__setattr__(self, "_struct", _Device(
            _bytes(self.kind), _bytes(self.name), major, minor, self.unit_count,
            _whole(self.memory_bytes, "memory_bytes"), self.bandwidth_gbs,
            self.max_threads_per_block, _whole(self.max_shared_bytes, "max_shared_bytes"),
            self.registers_per_unit, self.max_cluster_blocks,
            issue=ord(self.issue[0]) if self.issue else 0))

    @staticmethod
    def _of(struct: _Device) -> "Device":
        return Device(_text(struct.kind), _text(struct.name),
                      (struct.compute_capability_major, struct.compute_capability_minor),
                      struct.unit_count, struct.memory_bytes, struct.bandwidth_gbs,
                      struct.max_threads_per_block, struct.max_shared_bytes,
                      struct.registers_per_unit, struct.max_cluster_blocks,
                      {"g": "graph", "s": "stream", "e": "eager"}.get(chr(struct.issue), ""))

    @staticmethod
    def cuda(index: int = 0) -> "Device":
        """Describes GPU `index` of the CUDA driver, without a context. Raises OSError if there is none."""
        try:
            driver = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise OSError(f"no CUDA driver: {error}") from None

        def call(name: str, *arguments: Any) -> None:
            result = getattr(driver, name)(*arguments)
            if result != 0:
                raise OSError(f"{name}: CUDA error {result}")

        def ask(attribute: int) -> int:
            answer = ctypes.c_int()
            call("cuDeviceGetAttribute", ctypes.byref(answer), ctypes.c_int(attribute), device)
            return answer.value

        device, name, memory = ctypes.c_int(), ctypes.create_string_buffer(256), ctypes.c_size_t()
        call("cuInit", ctypes.c_uint(0))
        call("cuDeviceGet", ctypes.byref(device), ctypes.c_int(index))
        call("cuDeviceGetName", name, ctypes.c_int(len(name)), device)
        call("cuDeviceTotalMem_v2", ctypes.byref(memory), device)
        clock_khz, bus_bits = ask(36), ask(37)  # CU_DEVICE_ATTRIBUTE_..., as cuda.h numbers them
        return Device("cuda", _text(name.value), (ask(75), ask(76)), ask(16), memory.value,
                      2.0 * clock_khz * bus_bits / 8 / 1e6, ask(1), ask(97), ask(82))


# ---- answers and entries ----


@dataclass(frozen=True)
class Launch:
    """Launch of a kernel for the requested size and device: x, y and z; dynamic shared memory per block in
    bytes."""

    grid: Tuple[int, int, int]
    block: Tuple[int, int, int]
    cluster: Tuple[int, int, int] = (1, 1, 1)
    shared_bytes: int = 0
    is_cooperative: bool = False

    def _fits(self, device: Device) -> bool:
        """Returns whether CUDA and the device's known limits allow the launch."""
        most = (2**31 - 1, 65535, 65535, 1024, 1024, 64)
        return (all(side <= limit for side, limit in zip(self.grid + self.block, most))
                and math.prod(self.block) <= (device.max_threads_per_block or 1024)
                and (device.max_shared_bytes == 0 or self.shared_bytes <= device.max_shared_bytes))


class Entry:
    """One line of a file: a problem, its sizes, its configuration, the evidence."""

    def __init__(self, owner: "Tuned", at: int) -> None:
        self._owner = owner  # keeps the memory of `at` alive
        self._at = at

    @property
    def problem(self) -> str:
        return _text(_library().tuned_entry_problem(self._at))

    @property
    def n(self) -> int:
        """The measured size."""
        return int(_library().tuned_entry_n(self._at))

    @property
    def sizes(self) -> Dict[str, Tuple[int, int]]:
        """Lowest and highest sizes of the entry, both included, of n and of further sizes by name."""
        library = _library()
        found = {"n": (library.tuned_entry_n_low(self._at), library.tuned_entry_n_high(self._at))}
        low, high = ctypes.c_longlong(), ctypes.c_longlong()
        while True:
            name = library.tuned_entry_size_at(self._at, len(found) - 1, ctypes.byref(low),
                                               ctypes.byref(high))
            if name is None:
                return found
            found[_text(name)] = (low.value, high.value)

    @property
    def device(self) -> Device:
        """The device of the entry's section."""
        return Device._of(_library().tuned_entry_device(self._at).contents)

    @property
    def file(self) -> str:
        return _text(_library().tuned_entry_file(self._at))

    @property
    def line(self) -> int:
        return int(_library().tuned_entry_line(self._at))

    @property
    def texts(self) -> Dict[str, str]:
        """Parameters and derived values as texts, in the order of the file, as for -DNAME=TEXT."""
        library = _library()
        found = {}
        name, value = ctypes.c_char_p(), ctypes.c_char_p()
        for position in range(library.tuned_value_count(self._at)):
            library.tuned_value_at(self._at, position, ctypes.byref(name), ctypes.byref(value))
            found[_text(name.value)] = _text(value.value)
        return found

    @property
    def values(self) -> Dict[str, Value]:
        """Parameters and derived values of the file as numbers, booleans and texts."""
        return {name: _typed(text) for name, text in self.texts.items()}

    def evidence(self, name: str, otherwise: Optional[Value] = None) -> Optional[Value]:
        """Returns evidence by name ("time_ns", "mad_ns", "gain.textbook", "samples" ...), or `otherwise`."""
        found = self.evidence_text(name)
        return otherwise if found is None else _typed(found)

    def evidence_text(self, name: str, otherwise: Optional[str] = None) -> Optional[str]:
        """Returns evidence as a text, or `otherwise`; "source" and "driver", for example, may look like numbers."""
        found = _library().tuned_evidence_text(self._at, _bytes(name), None)
        return otherwise if found is None else _text(found)

    @property
    def expected_ns(self) -> Optional[float]:
        """Measured time of one run of n elements in ns; None if unknown."""
        found = _library().tuned_expected_ns(self._at)
        return None if found < 0 else found

    def device_text(self, name: str, otherwise: Optional[str] = None) -> Optional[str]:
        """Returns a field of the device's section ("driver", "compiler" ...), or `otherwise`."""
        found = _library().tuned_device_text(self._at, _bytes(name), None)
        return otherwise if found is None else _text(found)

    def stale(self, source: Optional[str] = None, flags: Optional[str] = None,
              driver: Optional[str] = None, compiler: Optional[str] = None) -> Optional[str]:
        """Compares the entry's build with the program's. Returns the first difference as a sentence; None
        if all known texts are equal. Arguments that are None are not compared."""
        build = _Build(*(_optional(text) for text in (source, flags, driver, compiler)))
        out = ctypes.create_string_buffer(1024)
        is_stale = _library().tuned_stale(self._at, ctypes.byref(build), out, len(out))
        return _text(out.value) if is_stale else None

    def __repr__(self) -> str:
        return f"<libtuned.Entry {self.file}:{self.line} {self.problem} {self.values}>"


class Answer:
    """Result of a look-up: `grade`, `distance` (0: no difference), `entry` (None with Grade.NONE)."""

    def __init__(self, owner: "Tuned", keeps: Any, answer: _Answer) -> None:
        self._keeps = keeps  # the device and the problem that the answer points at
        self._answer = answer
        self.grade = Grade(answer.grade)
        self.distance: float = answer.distance
        self.entry = Entry(owner, answer.entry) if answer.entry else None

    def __bool__(self) -> bool:
        return self.entry is not None

    @property
    def reason(self) -> str:
        """Reason for the answer, as one sentence without a full stop."""
        out = ctypes.create_string_buffer(2048)
        _library().tuned_reason(ctypes.byref(self._answer), out, len(out))
        return _text(out.value)

    def integer(self, name: str, otherwise: int) -> int:
        """Returns a whole number for the requested size and device, by the file's formula if there is one.
        Returns `otherwise` without an answer, without a whole number of that name, or for a derived
        value that is known at the measured size alone."""
        return int(_library().tuned_answer_integer(ctypes.byref(self._answer), _bytes(name),
                                                   _whole(otherwise, "otherwise")))

    def launch(self, index: int = 0) -> Optional[Launch]:
        """Returns launch `index` (from 0) for the requested size and device; None if the file has no such
        launch."""
        out = _Launch()
        if not _library().tuned_answer_launch(ctypes.byref(self._answer), index, ctypes.byref(out)):
            return None
        x, y, z = out.grid, out.block, out.cluster
        return Launch((x[0], x[1], x[2]), (y[0], y[1], y[2]), (z[0], z[1], z[2]), out.shared_bytes,
                      out.is_cooperative != 0)

    def text(self, name: str, otherwise: str) -> str:
        """Returns a value as a text, or `otherwise`."""
        found = _library().tuned_text(self._answer.entry, _bytes(name), None)
        return otherwise if found is None else _text(found)

    @property
    def values(self) -> Dict[str, Value]:
        """All values, with whole numbers (of 64 bits) for the requested size and device; without values
        known at the measured size alone. Empty if there is no answer."""
        if self.entry is None:
            return {}
        found: Dict[str, Value] = {}
        for name, value in self.entry.values.items():
            if type(value) is not int or not _fits(value):
                found[name] = value
                continue
            here = self.integer(name, 0)
            if here == self.integer(name, 1):
                found[name] = here
        return found

    def __repr__(self) -> str:
        return f"<libtuned.Answer {self.grade}: {self.values}>"


def _sizes(sizes: Mapping[str, int]) -> Any:
    return (_Size * len(sizes))(*(_Size(_bytes(name), _whole(size, name))
                                  for name, size in sizes.items()))


class Resolved:
    """A resolved device and problem. Threads may share an object."""

    def __init__(self, owner: "Tuned", device: Device, problem: str) -> None:
        self._owner = owner
        self._device = device
        self._problem = _bytes(problem)
        self._handle = _Handle()
        self.grade = Grade(_library().tuned_resolve(owner._at, ctypes.byref(device._struct),
                                                    self._problem, ctypes.byref(self._handle)))

    def find(self, n: int, **sizes: int) -> Answer:
        """Finds as Tuned.find, but faster. `grade` of this object is the best possible result."""
        answer, further = _Answer(), _sizes(sizes)
        _library().tuned_find_resolved_sizes(ctypes.byref(self._handle), _whole(n, "n"),
                                             further, len(sizes), ctypes.byref(answer))
        return Answer(self._owner, (self, further), answer)

    def _asking(self, n: int, sizes: Mapping[str, int]) -> Callable[[], Any]:
        """Returns a call that asks the library once more, so that a record counts it."""
        return functools.partial(_library().tuned_find_resolved_sizes, ctypes.byref(self._handle), n,
                                 _sizes(sizes), len(sizes), ctypes.byref(_Answer()))


def _free(at: Optional[int], record: Optional[int]) -> None:
    _library().tuned_free(at)
    _library().tuned_record_close(record)


class Tuned:
    """Loaded files in their order of precedence, made by load, loads and open."""

    def __init__(self, at: int, left_out: Optional[Error] = None, record: Optional[int] = None,
                 counts: bool = False) -> None:
        self._at = at
        self._counts = counts  # look-ups, in `record` or $TUNED_RECORD
        self.left_out = left_out
        """The first file that was refused and left out (open with leave_out_refused)."""
        weakref.finalize(self, _free, at, record)

    @property
    def files(self) -> List[str]:
        """Paths of the loaded files, in order of precedence."""
        found: List[str] = []
        while True:
            name = _library().tuned_file_at(self._at, len(found))
            if name is None:
                return found
            found.append(_text(name))

    def find(self, device: Device, problem: str, n: int, **sizes: int) -> Answer:
        """Finds the best entry for a problem of n elements on a device; further sizes by name (m=512). Raises
        ValueError for a size beyond 64 bits."""
        answer = _Answer()
        keeps = (device, _bytes(problem), _sizes(sizes))
        _library().tuned_find_sizes(self._at, ctypes.byref(device._struct), keeps[1],
                                    _whole(n, "n"), keeps[2], len(sizes),
                                    ctypes.byref(answer))
        return Answer(self, keeps, answer)

    def resolve(self, device: Device, problem: str) -> Resolved:
        """Resolves a device and a problem for many look-ups."""
        return Resolved(self, device, problem)

    def __len__(self) -> int:
        return int(_library().tuned_entry_count(self._at))

    def __iter__(self) -> Iterator[Entry]:
        """Yields all entries by file, device, problem and n."""
        for index in range(len(self)):
            yield Entry(self, _library().tuned_entry_at(self._at, index))

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<libtuned.Tuned {', '.join(self.files)}: {len(self)} entries>"


# ---- kernels ----


class Choice(NamedTuple):
    """Kernel and launch for one size."""

    kernel: Any
    """Result of `build`."""
    launch: Launch
    values: Dict[str, Value]
    """Values that the kernel was built with."""
    grade: Grade
    """Quality of the file's answer; NONE: values and launch are the caller's own."""
    reason: str
    """Reason for the choice, as one sentence without a full stop."""


class Kernel:
    """One problem's kernels, each compiled once, with their launches by size.

        blur = libtuned.Kernel(configurations, gpu, "blur", build, {"BLOCK": 256, "ITEMS": 4},
                               lambda n: libtuned.Launch((-(-n // 1024), 1, 1), (256, 1, 1)))
        choice = blur(n)                           # further sizes by name: blur(n, m=512)
        choice.kernel(choice.launch.grid, choice.launch.block, (x, y, n))      # of CuPy

    `build(values)` compiles the kernel for such values and returns it, in any form; `values` are the
    caller's own and name all that is compiled in. An entry's values have the types of these. `launch(n,
    **sizes)` returns the caller's own launch, which goes with its own values. Both are taken if there is no
    entry, if the entry lacks a launch here or one of the values, if its launch exceeds the device's limits,
    or if `build` fails for its values, which also warns (RuntimeWarning). `configurations` and `device` may be
    None: then they always are. `index` is the number of the launch, if the problem has several.

    Threads may share an object. A size that was asked for before is one look-up in a dict; another thread's
    compilation delays new sizes alone. The last 4096 sizes at most are kept, and every compiled kernel.
    Exceptions of `launch`, and of `build` for the caller's own values, reach the caller."""

    SIZES_MAX = 4096

    def __init__(self, configurations: Optional[Tuned], device: Optional[Device], problem: str,
                 build: Callable[[Dict[str, Value]], Any], values: Mapping[str, Value],
                 launch: Callable[..., Launch], index: int = 0) -> None:
        self._resolved: Optional[Resolved] = None
        if configurations is not None and device is not None:
            self._resolved = configurations.resolve(device, problem)
        self._problem, self._build, self._own, self._launch = problem, build, dict(values), launch
        self._device, self._index = device, index
        self._lock = threading.RLock()
        self._built: Dict[Tuple[Value, ...], Any] = {}
        self._failed: Dict[Tuple[Value, ...], str] = {}
        self._counts = configurations is not None and configurations._counts
        self._chosen: Dict[Any, Tuple[Choice, Optional[Callable[[], Any]]]] = {}

    def __call__(self, n: int, **sizes: int) -> Choice:
        """Returns the choice for a problem of n elements, and compiles its kernel if it is a new one."""
        key = (n, *sizes.items()) if sizes else n
        found = self._chosen.get(key)
        if found is None:
            return self._choose(key, n, sizes)
        choice, count = found
        if count is not None:
            count()
        return choice

    def _choose(self, key: Any, n: int, sizes: Dict[str, int]) -> Choice:
        with self._lock:
            choice, count = self._tuned(n, sizes), None
            if self._counts and self._resolved is not None:
                count = self._resolved._asking(n, sizes)
            if len(self._chosen) >= self.SIZES_MAX:
                self._chosen.clear()
            self._chosen[key] = choice, count
            return choice

    def _tuned(self, n: int, sizes: Dict[str, int]) -> Choice:
        """Returns the file's choice, or the caller's own with the reason."""
        reason = "no tuned.conf is loaded, or no device was given"
        if self._resolved is not None and self._device is not None:
            answer = self._resolved.find(n, **sizes)
            launch, reason = answer.launch(self._index), answer.reason
            values, missing = self._values(answer)
            if answer and missing:
                reason += f"; no whole set of values: '{missing}' is missing or of another type"
            elif launch is not None and not launch._fits(self._device):
                reason += "; its launch exceeds the device's limits"
            elif launch is not None:
                key = tuple(values.values())
                try:
                    if key not in self._failed:
                        return Choice(self._compiled(key, values), launch, values, answer.grade, reason)
                except Exception as error:
                    self._failed[key] = f"; build failed for its values: {type(error).__name__}: {error}"
                    warnings.warn(f"{self._problem}: {values}: {type(error).__name__}: {error}; the "
                                  "program's own launch is used", RuntimeWarning, stacklevel=4)
                reason += self._failed[key]
        kernel = self._compiled(tuple(self._own.values()), self._own)
        return Choice(kernel, self._launch(n, **sizes), dict(self._own), Grade.NONE, reason)

    def _compiled(self, key: Tuple[Value, ...], values: Dict[str, Value]) -> Any:
        if key not in self._built:
            self._built[key] = self._build(dict(values))
        return self._built[key]

    def _values(self, answer: Answer) -> Tuple[Dict[str, Value], str]:
        """Returns the answer's values in the types of the caller's own, and the name of one that it lacks."""
        here = answer.values
        found: Dict[str, Value] = {}
        for name, own in self._own.items():
            if name in here and isinstance(own, str):
                found[name] = answer.text(name, "")
            elif name in here and not isinstance(here[name], str) and type(own)(here[name]) == here[name]:
                found[name] = type(own)(here[name])
            else:
                return {}, name
        return found, ""


# ---- loading ----


def _error(raw: _Error, names: Sequence[bytes]) -> Error:
    """Returns the error with the file among `names` whose path begins the text (its end, if it is long)."""
    line = b":%d" % raw.line if raw.line > 0 else b""
    places = (line + b": ", line + b" (as TUNED_OVERRIDE has it): ")
    file = next((name for name in names
                 if raw.text.startswith(tuple(name[-126:] + place for place in places))), None)
    if file is None:
        file = next((raw.text.partition(place)[0] for place in reversed(places) if place in raw.text), b"")
    return Error(_text(raw.text), _text(file), raw.line, raw.code)


def _loaded(at: Optional[int], raw: _Error, names: Sequence[bytes], record: Optional[int] = None,
            counts: bool = False) -> Tuned:
    if at is None:
        _free(at, record)
        raise _error(raw, names)
    return Tuned(at, _error(raw, names) if raw.text else None, record, counts)


def load(path: Union[str, "os.PathLike[str]"]) -> Tuned:
    """Loads one file, all or nothing. Raises Error if the file is missing or refused."""
    raw = _Error()
    name = _path(path)
    return _loaded(_library().tuned_load(name, ctypes.byref(raw)), raw, [name])


def loads(text: Union[str, bytes], name: str = "memory") -> Tuned:
    """Loads a text. `name` replaces the path in errors. Raises Error if the text is refused."""
    raw = _Error()
    encoded = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    return _loaded(_library().tuned_load_memory(encoded, len(encoded), _bytes(name),
                                                ctypes.byref(raw)), raw, [_bytes(name)])


def open(paths: Sequence[Union[str, "os.PathLike[str]"]] = (), built_in: Union[str, bytes] = b"",
         skip: Skip = Skip(0), leave_out_refused: bool = False,
         least_grade: Grade = Grade.DEFAULT, size_factor: float = 8.0,
         record: Optional[Union[str, "os.PathLike[str]"]] = None) -> Tuned:
    """Loads all files of these places, all or nothing, in this order of precedence: `paths`, else the file
    named by $TUNED_CONF, which must exist; the user's tuned.conf; the system's; the text `built_in`.

    An entry of a named file for the device itself wins over all others; otherwise the best grade wins, and
    among equal grades the first file. No answer is below `least_grade`, none was measured at sizes more
    than `size_factor` times away. With `leave_out_refused` a refused file is omitted (Tuned.left_out has the
    first error) instead of refusing all. Raises Error.

    `record` is a file that counts all look-ups, as $TUNED_RECORD, for `tune run --recorded` and `recorded`. All
    are then counted without any tuned.conf, too. A RuntimeWarning says why it cannot be opened."""
    raw = _Error()
    names = (ctypes.c_char_p * len(paths))(*(_path(path) for path in paths))
    text = built_in if isinstance(built_in, bytes) else built_in.encode("utf-8", "surrogateescape")
    counter, on_find = None, None
    if record is not None:
        counter = _library().tuned_record_open(_path(record), ctypes.byref(raw))
        if counter is None:
            warnings.warn(f"look-ups are not recorded: {_text(raw.text)}", RuntimeWarning, stacklevel=2)
        else:
            on_find = ctypes.cast(_library().tuned_record_find, ctypes.c_void_p)
            text = text or b"tuned-conf 5\nend\n"
    options = _Options(paths=names, path_count=len(paths), skip=int(skip),
                       leave_out_refused=int(leave_out_refused), built_in=text or None,
                       built_in_bytes=len(text), least_grade=int(least_grade),
                       size_factor=size_factor, on_find=on_find, on_find_context=counter)
    counts = counter is not None or bool(os.environ.get("TUNED_RECORD")
                                         and not skip & Skip.ENVIRONMENT)
    return _loaded(_library().tuned_open(ctypes.byref(options), ctypes.byref(raw)), raw, list(names),
                   counter, counts)


# ---- records of look-ups ----


@dataclass(frozen=True)
class Recorded:
    """A request of a record: sizes by name, first n; how well it was answered, and how often."""

    problem: str
    sizes: Dict[str, int]
    kind: str
    device: str
    grade: Grade
    count: int


def recorded(path: Union[str, "os.PathLike[str]"]) -> List[Recorded]:
    """Reads a record that $TUNED_RECORD or open(record=...) made, the most frequent requests first. Raises
    Error."""
    raw, name, found = _Error(), _path(path), []
    record = _library().tuned_record_load(name, ctypes.byref(raw))
    if record is None:
        raise _error(raw, [name])
    at, request = ctypes.c_size_t(0), _Recorded()
    while _library().tuned_record_next(record, ctypes.byref(at), ctypes.byref(request)):
        sizes = {"n": request.n}
        for index in range(request.size_count):
            sizes[_text(request.names[index].value)] = request.sizes[index]
        found.append(Recorded(_text(request.problem), sizes, _text(request.kind), _text(request.device),
                              Grade(request.grade), request.count))
    _library().tuned_record_close(record)
    return sorted(found, key=lambda each: -each.count)
