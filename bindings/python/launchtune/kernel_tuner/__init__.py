"""Kernel Tuner's calls, answered by `tune`: `import launchtune.kernel_tuner as kernel_tuner`, or
`python -m launchtune.kernel_tuner script.py` for a script as it is. docs/kernel-tuner.md has each argument."""
from . import _names
from ._interface import run_kernel, tune_cache, tune_kernel, tune_kernel_T1

_names.install(__name__)
from .integration import create_device_targets, store_results  # noqa: E402 - made by the line above

__all__ = ["tune_kernel", "tune_kernel_T1", "tune_cache", "run_kernel", "store_results", "create_device_targets"]
__version__ = "1.5.0"  # whose arguments these are
