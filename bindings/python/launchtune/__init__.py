"""tune, the autotuner of CUDA kernels, as a package of Python's: `tune` on the path, or `python -m launchtune`.

The program, its data, libtuned and its headers are installed under the environment's prefix, where they
find each other. libtuned for Python is the package `libtuned`; `launchtune.kernel_tuner` runs scripts
that were written for Kernel Tuner.
"""

import os
import pathlib
import shutil
import sys
import sysconfig

__all__ = ["program"]


def program() -> pathlib.Path:
    """The program: $TUNE, else wherever the installer put it; FileNotFoundError where it is gone."""
    here = pathlib.Path(__file__).resolve()
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"),
               os.path.join(sys.prefix, "bin"),
               here.parent.parent / "bin",  # pip install --target
               here.parents[4] / "bin"]  # share/tune/python of an installation
    paths = [pathlib.Path(folder, "tune") for folder in folders]
    paths = [path for path in paths if (path.parent.parent / "share" / "tune" / "configs").is_dir()]
    if (here.parents[3] / "CMakePresets.json").exists():  # the source tree
        paths += [here.parents[3] / "build" / build / "bin" / "tune" for build in ("release", "dev")]
    for path in [os.environ.get("TUNE"), *paths, shutil.which("tune")]:
        if path and pathlib.Path(path).is_file() and os.access(path, os.X_OK):
            return pathlib.Path(path)
    raise FileNotFoundError("no program `tune` of this package in " + ", ".join(map(str, folders)) + ", nor on the path")
