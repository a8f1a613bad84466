"""The wheel: a package `libtuned` of libtuned.py, the library that it looks for beside itself, and py.typed.

The library is compiled from ../../libtuned by $CC, and needs the C library alone: so one wheel serves every
Python 3 of the platform.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sysconfig
import tempfile

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
LIBTUNED = HERE.parent.parent / "libtuned"
VERSION = re.search(r'#define TUNED_VERSION +"([^"]+)"', (LIBTUNED / "tuned.h").read_text("utf-8"))[1]


class Build(build_py):
    def run(self):
        package = pathlib.Path(self.build_lib) / "libtuned"
        package.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / "libtuned.py", package / "__init__.py")
        shutil.copy(HERE.parent.parent / "LICENSE", package / "LICENSE")
        (package / "py.typed").touch()
        compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
        subprocess.run([*compiler, "-std=c99", "-O2", "-DTUNED_WITH_DEBUG", "-DTUNED_WITH_RECORD", "-fPIC",
                        "-fvisibility=hidden", "-shared", LIBTUNED / "tuned.c", LIBTUNED / "tuned_debug.c",
                        LIBTUNED / "tuned_record.c", "-o", package / "libtuned.so"], check=True)


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


SCRATCH = tempfile.TemporaryDirectory()  # no file is left in the tree
setup(version=VERSION, options={"build": {"build_base": SCRATCH.name}, "egg_info": {"egg_base": SCRATCH.name}},
      packages=["libtuned"], package_dir={"libtuned": "."}, distclass=WithLibrary,
      cmdclass={"build_py": Build, "bdist_wheel": Wheel})
