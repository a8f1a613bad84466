"""tune, the autotuner of CUDA kernels, as a package of Python's: `tune` on the path, or `python -m launchtune`.

The program, its data, libtuned and its headers are installed under the environment's prefix, where they
find each other. libtuned for Python is the package `libtuned`.
"""

import os
import pathlib
import sys
import sysconfig

__all__ = ["program"]


def program() -> pathlib.Path:
    """The program, wherever the installer put it; FileNotFoundError where it is gone."""
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"),
               os.path.join(sys.prefix, "bin"),
               pathlib.Path(__file__).resolve().parent.parent / "bin"]  # pip install --target
    for folder in folders:
        path = pathlib.Path(folder, "tune")
        if (path.parent.parent / "share" / "tune" / "configs").is_dir() and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError("no program `tune` of this package in " + ", ".join(map(str, folders)))
