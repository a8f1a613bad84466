#!/usr/bin/env python3
"""bindings/python/libtuned.py over the libtuned that was built.

    python_test.py LIBTUNED LAYOUT [DRIVER]   DRIVER: the folder of the stand-in driver
"""
import ctypes
import gc
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock
import warnings
import weakref

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
MODULE = HERE.parents[1] / "bindings" / "python"
EXAMPLES = HERE.parents[1] / "examples"
LIBRARY, LAYOUT = sys.argv[1], sys.argv[2]
DRIVER = sys.argv[3] if len(sys.argv) > 3 else None
os.environ["TUNED_LIBRARY"] = LIBRARY
sys.path.insert(0, str(MODULE))
import libtuned  # noqa: E402

TEXT = """tuned-conf 3
[cuda "First GPU"] compute_capability=9.0 sm_count=132 memory_bytes=1000000 driver=580.95
reduce n=1000-1999 variant=last_block block=512 grid=264 share=0.25 exact=true | at=1000 time_ns=1500.5 samples=30 trust=sound per_unit=grid source=abc
reduce n=2000 variant="one block" block=128 grid=1
gemm n=512 m@256-1024 k@64 block=64
"""
CONF = TEXT + "end\n"
FIRST = libtuned.Device("cuda", "First GPU", (9, 0), 132, 1000000)


class Layout(unittest.TestCase):
    """Structs and numbers are those of tuned.h."""

    def test_structs(self):
        told = subprocess.run([LAYOUT], check=True, capture_output=True, text=True).stdout
        lines = dict(line.rsplit(" ", 1) for line in told.splitlines()
                     if line.startswith("tuned_"))
        self.assertGreater(len(lines), 30)
        for name, number in lines.items():
            struct, _, member = name.partition(".")
            struct = getattr(libtuned, "_" + struct[len("tuned_"):].capitalize())
            found = getattr(struct, member).offset if member else ctypes.sizeof(struct)
            self.assertEqual(found, int(number), name)
        grades = [line.split(" ", 2)[1:] for line in told.splitlines() if line.startswith("grade ")]
        self.assertEqual([[str(int(grade)), str(grade)] for grade in libtuned.Grade], grades)
        self.assertIn("skip %d %d %d\n" % (libtuned.Skip.ENVIRONMENT, libtuned.Skip.USER,
                                           libtuned.Skip.SYSTEM), told)

    def test_issue(self):
        text = CONF.replace("end\n", '[cuda "First GPU"] compute_capability=9.0 sm_count=132 for=eager\n'
                            "reduce n=2000 variant=eager block=64 grid=1\nend\n")
        conf = libtuned.loads(text)
        for issue, block in (("", 128), ("graph", 128), ("eager", 64)):
            device = libtuned.Device("cuda", "First GPU", (9, 0), 132, issue=issue)
            self.assertEqual(conf.find(device, "reduce", 2000).integer("block", 0), block)

    def test_version(self):
        self.assertEqual(libtuned.__version__, libtuned.library_version())


class Finding(unittest.TestCase):
    def setUp(self):
        self.conf = libtuned.loads(CONF)

    def test_exact(self):
        answer = self.conf.find(FIRST, "reduce", 1000)
        self.assertTrue(answer)
        self.assertEqual(answer.grade, libtuned.Grade.EXACT)
        self.assertEqual(answer.distance, 0)
        self.assertEqual(answer.values, {"variant": "last_block", "block": 512, "grid": 264,
                                         "share": 0.25, "exact": True})
        self.assertIs(answer.values["exact"], True)
        self.assertEqual(answer.integer("block", 1), 512)
        self.assertEqual(answer.integer("variant", 7), 7)
        self.assertEqual(answer.integer("other", 8), 8)
        self.assertEqual(answer.text("variant", "x"), "last_block")
        self.assertEqual(answer.text("other", "x"), "x")
        self.assertIn("First GPU", answer.reason)

    def test_entry(self):
        entry = self.conf.find(FIRST, "reduce", 1500).entry
        self.assertEqual((entry.problem, entry.n, entry.sizes), ("reduce", 1000, {"n": (1000, 1999)}))
        self.assertEqual((entry.file, entry.line), ("memory", 3))
        self.assertEqual(entry.expected_ns, 1500.5)
        self.assertEqual(entry.evidence("samples"), 30)
        self.assertEqual(entry.evidence("trust"), "sound")
        self.assertEqual(entry.evidence("nothing", 5), 5)
        self.assertEqual(entry.texts["share"], "0.25")
        self.assertEqual(entry.device.name, "First GPU")
        self.assertEqual(entry.device_text("driver"), "580.95")
        self.assertIsNone(entry.device_text("nothing"))
        self.assertIsNone(self.conf.find(FIRST, "reduce", 2000).entry.expected_ns)

    def test_odd_numbers(self):
        """What 64 bits or a double do not hold raises nothing; texts that look like numbers."""
        most, long = 2**64 - 1, "9" * 5000
        entry = (f"reduce n=1 top={most} long={long} huge=1e999 plus=+5 low={-2**63} grid=264"
                 " | per_unit=grid source=12345678e901 driver=580.10\n")
        answer = libtuned.loads(f'tuned-conf 3\n[cuda "First GPU"] sm_count=132\n{entry}end\n').find(
            libtuned.Device("cuda", "Half", unit_count=66), "reduce", 1)
        values = {"top": most, "long": long, "huge": "1e999", "plus": "+5", "low": -2**63}
        self.assertEqual(answer.values, {**values, "grid": 132})
        self.assertEqual(answer.entry.values, {**values, "grid": 264})
        self.assertEqual(answer.integer("top", 7), 7)
        self.assertEqual(answer.entry.evidence_text("driver"), "580.10")
        self.assertEqual(answer.entry.evidence_text("none", "x"), "x")
        source = answer.entry.evidence_text("source")
        self.assertEqual(source, "12345678e901")
        self.assertIsNone(answer.entry.stale(source=source))

    def test_other_sizes(self):
        self.assertEqual(self.conf.find(FIRST, "reduce", 1001).grade, libtuned.Grade.IN_RANGE)
        answer = self.conf.find(FIRST, "reduce", 3000)
        self.assertEqual(answer.grade, libtuned.Grade.NEAREST_SIZE)
        self.assertGreater(answer.distance, 0)
        self.assertEqual(answer.values["variant"], "one block")

    def test_further_sizes(self):
        answer = self.conf.find(FIRST, "gemm", 512, m=300, k=64)
        self.assertGreaterEqual(answer.grade, libtuned.Grade.IN_RANGE)
        self.assertEqual(answer.entry.sizes, {"n": (512, 512), "m": (256, 1024), "k": (64, 64)})
        self.assertLess(self.conf.find(FIRST, "gemm", 512, m=300, k=65).grade, libtuned.Grade.IN_RANGE)

    def test_other_device_is_scaled(self):
        half = libtuned.Device("cuda", "Half", (9, 0), 66)
        answer = self.conf.find(half, "reduce", 1000)
        self.assertTrue(libtuned.Grade.NONE < answer.grade < libtuned.Grade.IN_RANGE)
        self.assertEqual((answer.values["grid"], answer.entry.values["grid"]), (132, 264))
        self.assertEqual(answer.integer("grid", 0), 132)

    def test_launch(self):
        conf = libtuned.loads('''tuned-conf 4
[cuda "First GPU"] compute_capability=9.0 sm_count=132
reduce n=1000-1999 tile=8 grid=125 | at=1000 launch.grid="min(units*2,ceil_div(n,tile)),2" launch.block=64 launch.shared=n launch2.grid=1 launch2.block=32 capability=9.0
scan n=1000-1999 grid=7 block=64 | at=1000 launch.grid=7 launch.block=64 measured=grid,launch.grid
end
''')
        half = libtuned.Device("cuda", "Half", (9, 0), 66)
        launch = conf.find(half, "reduce", 1999).launch()
        self.assertEqual((launch.grid, launch.block, launch.cluster, launch.shared_bytes),
                         ((132, 2, 1), (64, 1, 1), (1, 1, 1), 1999))
        self.assertEqual(conf.find(half, "reduce", 1000).launch(1).block, (32, 1, 1))
        self.assertIsNone(conf.find(half, "reduce", 1000).launch(2))
        exact, other = conf.find(FIRST, "scan", 1000), conf.find(FIRST, "scan", 1001)
        self.assertEqual((exact.launch().grid, exact.values), ((7, 1, 1), {"grid": 7, "block": 64}))
        self.assertEqual((other.launch(), other.values), (None, {"block": 64}))
        self.assertIsNone(conf.find(FIRST, "none", 1).launch())
        self.assertFalse(conf.find(libtuned.Device("cuda", "Old", (8, 0), 66), "reduce", 1000))

    def test_least_grade_and_size_factor(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "t.conf")
            path.write_text(CONF)
            nothing = libtuned.Skip.ENVIRONMENT | libtuned.Skip.USER | libtuned.Skip.SYSTEM
            other = libtuned.Device("cuda", "Half", (9, 0), 66)
            conf = libtuned.open([path], skip=nothing)
            self.assertFalse(conf.find(FIRST, "reduce", 16001))
            self.assertTrue(conf.find(FIRST, "reduce", 16000))
            self.assertTrue(conf.find(other, "reduce", 1000))
            conf = libtuned.open([path], skip=nothing, least_grade=libtuned.Grade.SAME_MODEL, size_factor=9)
            self.assertTrue(conf.find(FIRST, "reduce", 16001))
            self.assertFalse(conf.find(other, "reduce", 1000))

    def test_limits(self):
        conf = libtuned.loads(CONF.replace("samples=30", "samples=30 threads=512"))
        small = libtuned.Device("cuda", "First GPU", (9, 0), 132, 1000000, max_threads_per_block=256)
        self.assertNotEqual(conf.find(small, "reduce", 1000).values.get("block"), 512)

    def test_missing(self):
        for device, problem in ((FIRST, "nothing"), (libtuned.Device("cpu", "First GPU"), "reduce")):
            answer = self.conf.find(device, problem, 1000)
            self.assertFalse(answer)
            self.assertEqual((answer.grade, answer.entry, answer.values),
                             (libtuned.Grade.NONE, None, {}))
            self.assertEqual(answer.integer("block", -5), -5)
            self.assertEqual(answer.text("variant", "mine"), "mine")
            self.assertTrue(answer.reason)

    def test_resolved(self):
        found = self.conf.resolve(FIRST, "reduce")
        self.assertEqual(found.grade, libtuned.Grade.EXACT)
        for n in (1, 1000, 1001, 2000, 10**12):
            one, other = found.find(n), self.conf.find(FIRST, "reduce", n)
            self.assertEqual((one.grade, one.distance, one.values, one.reason),
                             (other.grade, other.distance, other.values, other.reason))
        self.assertEqual(self.conf.resolve(FIRST, "nothing").grade, libtuned.Grade.NONE)
        self.assertFalse(self.conf.resolve(FIRST, "nothing").find(5))

    def test_stale(self):
        entry = self.conf.find(FIRST, "reduce", 1000).entry
        self.assertIsNone(entry.stale(source="abc"))
        self.assertIsNone(entry.stale())
        self.assertIn("source", entry.stale(source="def"))

    def test_all_entries(self):
        self.assertEqual(len(self.conf), 3)
        self.assertEqual(sorted(entry.line for entry in self.conf), [3, 4, 5])
        self.assertEqual(self.conf.files, ["memory"])
        self.assertIn("memory:3 reduce", repr(list(self.conf)))

    def test_what_64_bits_do_not_hold(self):
        for n in (2**63, -2**63 - 1):
            with self.assertRaises(ValueError):
                self.conf.find(FIRST, "reduce", n)
        with self.assertRaises(ValueError):
            self.conf.find(FIRST, "red\0uce", 5)

    def test_answers_keep_what_they_are_of(self):
        conf = libtuned.loads(CONF)
        device = libtuned.Device("cuda", "First GPU", (9, 0), 132)
        found = conf.resolve(device, "reduce")
        kept = [weakref.ref(each) for each in (conf, device, found)]
        answers = [found.find(1000), conf.find(device, "reduce", 1000)]
        del conf, device, found
        gc.collect()
        self.assertTrue(all(each() for each in kept))
        for answer in answers:
            self.assertEqual(answer.values["block"], 512)
            self.assertIn("First GPU", answer.reason)
        entry = answers[1].entry
        del answers, answer
        gc.collect()
        self.assertEqual([each() is None for each in kept], [False, True, True])
        self.assertEqual(entry.values["block"], 512)
        del entry
        gc.collect()
        self.assertIsNone(kept[0]())

    def test_direct_answers_keep_their_device(self):
        device = libtuned.Device("cuda", "First GPU", (9, 0), 132)
        kept = weakref.ref(device)
        answer = self.conf.find(device, "reduce", 1000)
        del device
        gc.collect()
        self.assertTrue(kept())
        self.assertIn("First GPU", answer.reason)

    def test_memory_is_given_back(self):
        def resident_bytes():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        entries = "".join(f"reduce n={n} block=256 grid=264\n" for n in range(1, 5001))
        text = f'tuned-conf 3\n[cuda "First GPU"]\n{entries}end\n'
        self.assertEqual(len(libtuned.loads(text)), 5000)
        before = resident_bytes()
        for _ in range(200):
            libtuned.loads(text)
        self.assertLess(resident_bytes() - before, 50 * len(text))

    def test_threads(self):
        failed = []

        def ask(seed):
            device = libtuned.Device("cuda", "First GPU", (9, 0), 132, 1000000)
            for i in range(300):
                n = 1000 + (i * 7 + seed) % 1000
                answer = self.conf.find(device, "reduce", n)
                if answer.values != {"variant": "last_block", "block": 512, "grid": 264,
                                     "share": 0.25, "exact": True} or not answer.reason:
                    failed.append(n)
                if i % 50 == 0 and libtuned.loads(CONF).find(device, "reduce", n).integer("block", 0) != 512:
                    failed.append(n)

        threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])


class Kernels(unittest.TestCase):
    """libtuned.Kernel: the choice by size, each configuration built once, the caller's own otherwise."""

    CONF = """tuned-conf 5
[cuda "First GPU"] compute_capability=9.0 sm_count=132
transpose n=16-64 m@16-64 TILE=32 ROWS=8 PAD=true kind=a | at=32,32 launch.grid="ceil_div(m,TILE),ceil_div(n,TILE)" launch.block=32,8 launch.shared="TILE*(TILE+1)*4"
transpose n=65-4096 m@16-64 TILE=64 ROWS=16 PAD=0 kind=b | at=128,32 launch.grid="ceil_div(m,TILE),ceil_div(n,TILE)" launch.block=64,16 launch.shared="TILE*TILE*4"
scale n=1-100 BLOCK=64 | at=10 launch.grid="ceil_div(n,BLOCK)" launch.block=64
scale n=101-200 BLOCK=128 | at=150
scale n=201-300 ITEMS=4 | at=250 launch.grid=1 launch.block=64
scale n=301-400 BLOCK=2.5 | at=350 launch.grid=1 launch.block=64
scale n=401-500 BLOCK=512 | at=450 launch.grid=1 launch.block="n+1024"
scale n=501-600 BLOCK=256 | at=550 launch.grid=1 launch.block=64 launch.shared="n*1000"
scale n=601-700 BLOCK=512 | at=650 launch.grid=n launch.block=64
scale n=701-800 BLOCK=64 | at=750 launch.grid=2 launch.block=64
end
"""
    GPU = libtuned.Device("cuda", "First GPU", (9, 0), 132, 1000000, max_shared_bytes=232448)
    MINE = libtuned.Launch((7, 1, 1), (256, 1, 1))

    def setUp(self):
        self.conf = libtuned.loads(self.CONF)
        self.built = []

    def build(self, values):
        self.built.append(values)
        if values.get("BLOCK") == 512:
            raise OSError("no compiler")
        return tuple(values.items())

    def scale(self, conf, gpu=GPU, own=None):
        return libtuned.Kernel(conf, gpu, "scale", self.build, own or {"BLOCK": 256}, lambda n: self.MINE)

    def test_values_and_launches_by_size(self):
        kernel = libtuned.Kernel(self.conf, self.GPU, "transpose", self.build,
                                 {"TILE": 16, "PAD": 0, "kind": ""}, lambda n, m: self.MINE)
        choice = kernel(40, m=50)
        values = {"TILE": 32, "PAD": 1, "kind": "a"}
        self.assertEqual((choice.kernel, choice.values), (tuple(values.items()), values))
        self.assertIs(type(choice.values["PAD"]), int)
        self.assertEqual(choice.launch, libtuned.Launch((2, 2, 1), (32, 8, 1), shared_bytes=4224))
        self.assertEqual(choice.grade, libtuned.Grade.IN_RANGE)
        self.assertIn("First GPU", choice.reason)
        self.assertEqual(kernel(16, m=64).launch.grid, (2, 1, 1))
        self.assertEqual(kernel(128, m=32).values["TILE"], 64)
        self.assertIs(kernel(40, m=50), choice)
        self.assertEqual([values["TILE"] for values in self.built], [32, 64])

    def test_own_launch(self):
        kernel = self.scale(self.conf)
        for n, reason in ((150, "no launch"), (250, "'BLOCK' is missing"), (350, "'BLOCK' is missing or of another"),
                          (450, "exceeds"), (550, "exceeds"), (2**40, "no entry")):
            choice = kernel(n)
            self.assertEqual((choice.launch, choice.values, choice.grade),
                             (self.MINE, {"BLOCK": 256}, libtuned.Grade.NONE), n)
            self.assertIn(reason, choice.reason)
        self.assertEqual(self.built, [{"BLOCK": 256}])
        self.assertEqual(kernel(10).values, {"BLOCK": 64})
        for conf, gpu in ((None, self.GPU), (self.conf, None)):
            self.assertEqual(self.scale(conf, gpu)(10)[1:4], (self.MINE, {"BLOCK": 256}, libtuned.Grade.NONE))

    def test_failed_builds(self):
        kernel = self.scale(self.conf)
        for n in (650, 651):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                choice = kernel(n)
            self.assertEqual((choice.launch, choice.grade), (self.MINE, libtuned.Grade.NONE))
            self.assertIn("OSError: no compiler", choice.reason)
            self.assertEqual([(each.category, each.filename) for each in caught],
                             [(RuntimeWarning, __file__)] if n == 650 else [])
        self.assertEqual(self.built, [{"BLOCK": 512}, {"BLOCK": 256}])
        with self.assertRaises(OSError):
            self.scale(self.conf, own={"BLOCK": 512})(150)

    def test_threads_build_once(self):
        kernel, choices = self.scale(self.conf), []
        start = threading.Barrier(8)

        def ask(seed):
            start.wait()
            choices.extend(kernel(1 + (seed + i) % 100) for i in range(200))

        threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(choices), self.built), (1600, [{"BLOCK": 64}]))

    def test_sizes_are_bounded(self):
        kernel = self.scale(self.conf)
        kernel.SIZES_MAX = 10
        for n in range(1, 101):
            kernel(n)
        self.assertLessEqual(len(kernel._chosen), 10)
        self.assertEqual((kernel(1).launch.grid, self.built), ((1, 1, 1), [{"BLOCK": 64}]))


class Examples(unittest.TestCase):
    """Examples in Python, as far as they go without a GPU."""

    def run_example(self, name, *arguments, **environment):
        return subprocess.run([sys.executable, "-B", EXAMPLES / name, *arguments], capture_output=True, text=True,
                              env={"PATH": os.environ["PATH"], "PYTHONPATH": str(MODULE),
                                   "TUNED_LIBRARY": LIBRARY, **environment})

    def test_missing_packages(self):
        for package, name in (("cupy", "transpose_cupy.py"), ("torch", "transpose_torch.py"),
                              ("numba", "transpose_numba.py")):
            with self.subTest(name):
                if importlib.util.find_spec(package):
                    self.skipTest(f"{package} is here")
                done = self.run_example(name)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, rf"^{name}: \w+ is missing .*; pip install ")

    @unittest.skipUnless(importlib.util.find_spec("numba"), "no Numba")
    def test_numba(self):
        """Numba's simulator runs both configurations."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "t.conf")
            path.write_text(Kernels.CONF.replace("PAD=true", "PAD=1"))
            code = ("import libtuned, transpose_numba as it, numpy\nfrom numba import cuda\n"
                    f"conf = libtuned.load({str(path)!r})\n"
                    "gpu = libtuned.Device('cuda', 'First GPU', (9, 0), 132)\n"
                    "for conf in conf, None:\n"
                    "    kernel = it.make_kernel(conf, gpu)\n"
                    "    matrix = numpy.arange(2000, dtype=numpy.float32).reshape(40, 50)\n"
                    "    out = cuda.device_array((50, 40), numpy.float32)\n"
                    "    it.launch(kernel(40, m=50), cuda.to_device(matrix), out)\n"
                    "    print(kernel(40, m=50).values['TILE'], (out.copy_to_host() == matrix.T).all())")
            done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True,
                                  env={"PATH": os.environ["PATH"], "PYTHONPATH": f"{MODULE}:{EXAMPLES}",
                                       "TUNED_LIBRARY": LIBRARY, "NUMBA_ENABLE_CUDASIM": "1"})
            self.assertEqual(done.stdout, "32 True\n16 True\n", done.stderr)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        kept = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(kept)))
        for name in ("TUNED_CONF", "XDG_CONFIG_HOME"):
            os.environ.pop(name, None)
        os.environ["HOME"] = str(self.folder)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def test_load(self):
        path = self.write("a b:c.conf", CONF)
        for given in (path, str(path)):
            self.assertEqual(libtuned.load(given).files, [str(path)])

    def test_missing_file(self):
        with self.assertRaises(libtuned.Error) as caught:
            libtuned.load(self.folder / "none.conf")
        self.assertEqual((caught.exception.file, caught.exception.line),
                         (str(self.folder / "none.conf"), 0))
        self.assertIn("none.conf", str(caught.exception))

    def test_bad_file(self):
        path = self.write("bad.conf", TEXT + "reduce n=x block=1\nend\n")
        with self.assertRaises(libtuned.Error) as caught:
            libtuned.load(path)
        self.assertEqual((caught.exception.file, caught.exception.line), (str(path), 6))
        self.assertTrue(str(caught.exception).startswith(f"{path}:6: "))
        with self.assertRaises(libtuned.Error) as caught:
            libtuned.loads(TEXT, "cut off")
        self.assertEqual(caught.exception.file, "cut off")
        with self.assertRaises(libtuned.Error):
            libtuned.loads(b"\0\xff\xfe", "binary")
        with self.assertRaises(libtuned.Error):
            libtuned.loads(CONF.replace("tuned-conf 3", "tuned-conf 99"))

    def test_errors_have_the_whole_name(self):
        for name in ("a: b.conf", "/".join(["d" * 50] * 4) + "/c.conf"):
            path = self.write(name, "tuned-conf 3\nx\n")
            missing = path.with_name("none")
            for load in (libtuned.load, lambda file: libtuned.open([file], skip=libtuned.Skip.SYSTEM)):
                for file, line in ((path, 2), (missing, 0)):
                    with self.assertRaises(libtuned.Error) as caught:
                        load(file)
                    self.assertEqual((caught.exception.file, caught.exception.line),
                                     (str(file), line))

    def test_errors_of_an_override_have_the_name_alone(self):
        path = self.write("right.conf", "tuned-conf 4\n[cuda \"X\"]\np n=1 block=1\nend\n")
        for variable, files in (("TUNED_NOTHING", [path]), ("TUNED_CONF", [])):
            with mock.patch.dict(os.environ, {"TUNED_OVERRIDE": "p:block=", variable: str(path)}):
                with self.assertRaises(libtuned.Error) as caught:
                    libtuned.open(files, skip=libtuned.Skip.USER | libtuned.Skip.SYSTEM)
            self.assertEqual((caught.exception.file, caught.exception.line), (str(path), 3))

    def test_places(self):
        system = libtuned.Skip.SYSTEM
        with self.assertRaises(libtuned.Error):
            libtuned.open(skip=system)
        built_in = libtuned.open(skip=system, built_in=CONF.replace("block=512", "block=32"))
        self.assertEqual(built_in.files, ["built-in"])
        user = self.write(".config/tune/tuned.conf", CONF.replace("block=512", "block=64"))
        both = libtuned.open(skip=system, built_in=CONF.replace("block=512", "block=32"))
        self.assertEqual(both.files, [str(user), "built-in"])
        self.assertEqual(both.find(FIRST, "reduce", 1000).values["block"], 64)
        given = self.write("given.conf", CONF)
        os.environ["TUNED_CONF"] = str(given)
        self.assertEqual(libtuned.open(skip=system).files, [str(given), str(user)])
        self.assertEqual(libtuned.open(skip=system).find(FIRST, "reduce", 1000).values["block"], 512)
        self.assertEqual(libtuned.open([user], skip=system | libtuned.Skip.USER).files, [str(user)])
        self.assertEqual(libtuned.open(skip=system | libtuned.Skip.ENVIRONMENT, built_in=CONF).files,
                         ["built-in"])

    def test_refused_of_several(self):
        good = self.write("good.conf", CONF)
        bad = self.write("bad.conf", "nonsense\n")
        with self.assertRaises(libtuned.Error) as caught:
            libtuned.open([good, bad], skip=libtuned.Skip.SYSTEM)
        self.assertEqual((caught.exception.file, caught.exception.line), (str(bad), 1))
        left = libtuned.open([good, bad], skip=libtuned.Skip.SYSTEM, leave_out_refused=True)
        self.assertEqual(left.files, [str(good)])
        self.assertEqual(left.left_out.file, str(bad))
        self.assertIsNone(libtuned.open([good], skip=libtuned.Skip.SYSTEM).left_out)


class Records(unittest.TestCase):
    """Records of look-ups, by a call and by the environment."""

    setUp, write = Files.setUp, Files.write

    def test_look_ups_are_counted(self):
        path, conf = self.folder / "app.record", self.write("t.conf", CONF)
        for program in (1, 2):
            tuned = libtuned.open([conf], record=path)
            found = tuned.resolve(FIRST, "reduce")
            for n in (1000, 3000, 3000):
                found.find(n)
            tuned.find(FIRST, "gemm", 5, m=7, k=64)
            del tuned, found
            gc.collect()
            told = [(each.problem, each.sizes, each.grade, each.count) for each in libtuned.recorded(path)]
            self.assertEqual(told[0], ("reduce", {"n": 3000}, libtuned.Grade.NEAREST_SIZE, 2 * program))
            self.assertEqual(sorted(told[1:]), [("gemm", {"n": 5, "m": 7, "k": 64}, libtuned.Grade.NONE, program),
                                                ("reduce", {"n": 1000}, libtuned.Grade.EXACT, program)])
        self.assertEqual({(each.kind, each.device) for each in libtuned.recorded(path)}, {("cuda", "First GPU")})

    def test_without_a_file(self):
        path = self.folder / "app.record"
        libtuned.open(record=path, skip=libtuned.Skip.SYSTEM).find(FIRST, "reduce", 5)
        os.environ["TUNED_RECORD"] = str(path)
        libtuned.open(skip=libtuned.Skip.SYSTEM).find(FIRST, "reduce", 5)
        self.assertEqual([each.count for each in libtuned.recorded(path)], [2])

    def test_kernels_count_every_call(self):
        path, conf = self.folder / "app.record", self.write("t.conf", CONF)
        for tuned in (libtuned.open([conf], record=path), None):
            if tuned is None:
                os.environ["TUNED_RECORD"] = str(path)
                tuned = libtuned.open([conf])
            kernel = libtuned.Kernel(tuned, FIRST, "reduce", dict, {"block": 256}, lambda n: None)
            for n in (5000, 5000, 5000, 1000):
                kernel(n)
        self.assertEqual([(each.sizes["n"], each.count) for each in libtuned.recorded(path)], [(5000, 6), (1000, 2)])

    def test_refused_records(self):
        conf = self.write("t.conf", CONF)
        with self.assertRaises(libtuned.Error) as caught:
            libtuned.recorded(self.folder / "none")
        self.assertEqual((caught.exception.code, (self.folder / "none").exists()), (2, False))
        with self.assertRaises(libtuned.Error):
            libtuned.recorded(conf)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            tuned = libtuned.open([conf], record=conf)
        self.assertEqual([(each.category, each.filename) for each in told], [(RuntimeWarning, __file__)])
        self.assertTrue(tuned.find(FIRST, "reduce", 1000))
        self.assertEqual(conf.read_text(), CONF)


class Library(unittest.TestCase):
    """Where libtuned is looked for: each in a Python of its own."""

    def python(self, module, **environment):
        code = "import libtuned; print(libtuned._library()._name)"
        return subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True,
                              env={"PATH": os.environ["PATH"], "PYTHONPATH": str(module),
                                   **environment})

    def test_places(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix = pathlib.Path(folder).resolve()
            module = prefix / "share" / "tune" / "python"
            module.mkdir(parents=True)
            shutil.copy(MODULE / "libtuned.py", module)
            missing = self.python(module, TUNED_LIBRARY=str(prefix / "none.so"))
            self.assertNotEqual(missing.returncode, 0)
            self.assertIn("OSError", missing.stderr)
            self.assertIn("none.so", missing.stderr)
            for place in ("lib/x86_64-linux-gnu/libtuned.so", "lib64/libtuned.so.0",
                          "lib/libtuned.so.0", "share/tune/python/libtuned.so.0"):
                (prefix / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(LIBRARY, prefix / place)
                found = self.python(module)
                self.assertEqual(found.stdout.strip(), str(prefix / place), found.stderr)
            given = self.python(module, TUNED_LIBRARY=LIBRARY)
            self.assertEqual(given.stdout.strip(), LIBRARY)

    def test_another_library(self):
        wrong = self.python(MODULE, TUNED_LIBRARY="libc.so.6")
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("is not the libtuned", wrong.stderr)


class Cuda(unittest.TestCase):
    """Device.cuda on the stand-in driver (tests/faults)."""

    def python(self, code, **environment):
        return subprocess.run([sys.executable, "-B", "-c", "import libtuned\n" + code],
                              capture_output=True, text=True,
                              env={"PATH": os.environ["PATH"], "PYTHONPATH": str(MODULE),
                                   "TUNED_LIBRARY": LIBRARY, **environment})

    @unittest.skipUnless(DRIVER, "built without CUDA")
    def test_device(self):
        done = self.python("print(libtuned.Device.cuda(0)); print(libtuned.Device.cuda(1).name)\n"
                           "try: libtuned.Device.cuda(2)\nexcept OSError as error: print(error)",
                           LD_LIBRARY_PATH=DRIVER, TUNE_FAULTS="devices=big,small; memory=1G")
        big = libtuned.Device("cuda", "Stand-in GPU 132", (9, 0), 132, 1 << 30,
                           2.0 * 2619000 * 6144 / 8 / 1e6, 1024, 227 << 10, 65536)
        self.assertEqual(done.stdout.splitlines(),
                         [repr(big), "Stand-in GPU 40", "cuDeviceGet: CUDA error 101"], done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
