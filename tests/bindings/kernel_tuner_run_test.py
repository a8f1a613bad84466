"""bench/kernel_tuner/scripts.py with a list, packed by listed.py: the whole run on the stand-in driver of tests/faults (no GPU), beside a
module that stands for Kernel Tuner, with scripts that fail, hang, want arguments and start in folders of their own.

    kernel_tuner_run_test.py TUNE DRIVER_FOLDER [unittest's options]

Needs numpy; exit code 77 where no Python has it."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from kernel_tuner_test import ROOT  # ends or goes on with another Python where this one has no numpy

BENCH = ROOT / "bench" / "kernel_tuner"
TUNE, DRIVER = "", ""
CALL = """
import sys
import numpy
from kernel_tuner import tune_kernel
data = numpy.arange(1000, dtype=numpy.int32)
def call():
    return tune_kernel("copy_elements", "../source.cu", data.size, [data, numpy.zeros_like(data), numpy.int64(data.size)],
                       {"block_size_x": [32, 64]}, answer=[None, data, None])
"""
FILES = {
    "sources/owner/first/source.cu": 'extern "C" __global__ void copy_elements(const int *in, int *out, long long n);\n',
    "sources/owner/first/unused.bin": "",
    "sources/owner/first/tuning/two_calls.py": CALL + "assert sys.argv[1:] == ['--size', '1 k'] and call()[1]['best_config'] and call()",
    "sources/owner/first/tuning/fails.py": CALL + "call()\nsys.exit('made to fail | here')",
    "sources/owner/second/hangs.py": "import kernel_tuner, time\ntime.sleep(1000)",
    "sources/owner/second/part.py": "import kernel_tuner",
    "site/kernel_tuner/__init__.py": """
def tune_kernel(kernel_name, kernel_source, problem_size, arguments, tune_params, **more):
    assert more["strategy_options"]["time_limit"] == 1 and more["strategy"] == "random_sample"
    return [{"block_size_x": 64, "time": 1.0}], {"best_config": {"block_size_x": 64, "time": 1.0}}
""",
    "list.txt": """# a comment
owner/first | 1a | tuning/two_calls.py | --size '1 k' | source.cu tuning/*.py | some more | 400
owner/first | 1a | tuning/fails.py | | source.cu tuning | some | 400
owner/second | 2b | hangs.py | | | | 3
owner/second | 2b | -m part | | | | 400
owner/second | 2b | other.py | | | |
""",
    "page.md": "before\n<!-- gpu-others: made by bench/kernel_tuner/scripts.py -->\nlast time's\n<!-- gpu-others end -->\nafter\n",
}


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)
        for name, text in FILES.items():
            (self.at / name).parent.mkdir(parents=True, exist_ok=True)
            (self.at / name).write_text(text, "utf-8")
        packages = self.command("listed.py", "list.txt", "--sources", "sources", "--into", "packed")
        self.assertEqual("some more\n", packages)
        self.words = ["scripts.py", TUNE, "packed/list.txt", "--kernel-tuner", "site", "--seconds", "1", "--out", "out"]

    def start(self, *words):
        environment = dict(os.environ, LD_LIBRARY_PATH=DRIVER, TUNE_NVRTC_PATH=DRIVER, TUNE_FAULTS="devices=big", TUNE_FAULTS_STATE=str(self.at / "state"),
                           TUNE_CACHE_DIR=str(self.at / "cache"), PYTHONDONTWRITEBYTECODE="1")
        return subprocess.Popen([sys.executable, str(BENCH / words[0]), *words[1:]], cwd=self.at, env=environment, stdout=subprocess.PIPE, text=True)

    def command(self, *words):
        with self.start(*words) as program:
            said = program.stdout.read()
        self.assertEqual(0, program.returncode, said)
        return said

    def test_the_whole_run(self):
        self.assertEqual("owner/first 1a\nowner/second 2b\n", self.command("listed.py", "list.txt"))
        self.assertFalse((self.at / "packed/owner/first/unused.bin").exists())
        said = self.command(*self.words, "--within", "1500")
        found = {entry["script"]: entry for entry in json.loads((self.at / "out/scripts.json").read_text("utf-8"))["scripts"]}
        self.assertEqual({"two_calls.py": 0, "fails.py": 1, "hangs.py": 124, "part": 0}, {name: entry["ours"]["exit"] for name, entry in found.items()})
        self.assertEqual([2, 1, 0, 0], [len(entry["ours"]["calls"]) for entry in found.values()])
        self.assertTrue(all(call["best"] and call["timed"] for entry in found.values() for call in entry["ours"]["calls"]))
        self.assertTrue(all(0.5 < pair[mode] < 2 for entry in found.values() for pair in entry["ratios"] for mode in ("cold", "hot")))
        self.assertEqual([2, 1, 0, 0], [len(entry["ratios"]) for entry in found.values()])
        self.command("scripts.py", "--document", "page.md", "out/scripts.json")
        page = (self.at / "page.md").read_text("utf-8")
        self.assertRegex(page, r"(?s)^before\n<!-- gpu-others: .*\n\| owner/first \| two_calls.py \| copy_elements \|.*\n\|  \|  \| copy_elements \|.*"
                               r"\| 1 made to fail / here \|.*\| hangs.py \|.*\| 124 after 3 s \| 124 after 3 s \|\n.*<!-- gpu-others end -->\nafter\n$")
        self.assertNotIn("last time", page)
        self.assertIn(page.split("-->\n")[1].split("<!--")[0], said)

    def test_a_run_that_is_cut_off(self):
        with self.start(*self.words) as program:
            recorded = self.at / "out/scripts.json"
            while program.poll() is None and not recorded.exists():
                time.sleep(0.1)
            program.send_signal(signal.SIGTERM)
            program.stdout.read()
        self.assertEqual(143, program.returncode)
        self.command("scripts.py", "--document", "page.md", "out/scripts.json")
        self.assertRegex((self.at / "page.md").read_text("utf-8"), r"\n\| owner/first \| two_calls.py \| copy_elements \|")


if __name__ == "__main__":
    TUNE, DRIVER = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
