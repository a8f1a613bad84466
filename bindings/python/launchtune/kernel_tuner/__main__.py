"""python -m launchtune.kernel_tuner [options of `tune run`] [--check] [--write] SCRIPT.py [its arguments]
python -m launchtune.kernel_tuner [options] -m MODULE [its arguments]

Runs a script for Kernel Tuner as it is: `import kernel_tuner` in it finds this package. --check compares results with the first
configuration's where a call has no answer; --write writes the calls as experiments, and runs none."""
import os
import runpy
import sys
import traceback

import launchtune.kernel_tuner

from . import _names
from ._formulas import Refused
from ._run import Failed, session

ALONE = {"--dry-run", "--all", "--default", "--quiet", "-q", "--no-report"}


def split(words):
    """Returns tune's options, the script or module, and its arguments."""
    options, i = [], 0
    while i < len(words) and words[i].startswith("-") and words[i] != "-m":
        if words[i] == "--check":
            session.check = True
        elif words[i] == "--write":
            session.writing = True
        else:
            options.append(words[i])
            if words[i] not in ALONE and "=" not in words[i] and i + 1 < len(words) and not words[i].startswith("--watch"):
                i += 1
                options.append(words[i])
        i += 1
    return options, words[i:]


def run(rest):
    if rest[0] == "-m":
        sys.argv = rest[1:]
        sys.path.insert(0, "")
        runpy.run_module(rest[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = rest
        path = os.path.abspath(rest[0])  # as the interpreter itself has it
        sys.path.insert(0, os.path.dirname(path))
        runpy.run_path(path, run_name="__main__")


def main():
    options, rest = split(sys.argv[1:])
    if not rest or rest == ["-m"] or "--help" in options or "-h" in options:
        print(__doc__)
        return 0 if options else 2
    if rest[0] != "-m" and not os.path.isfile(rest[0]):
        print(f"launchtune: there is no script {rest[0]}", file=sys.stderr)
        return 2
    session.options += options
    sys.modules["kernel_tuner"] = launchtune.kernel_tuner
    _names.install("kernel_tuner")
    try:
        run(rest)
    except (Exception, SystemExit) as error:
        for_want_of_results = session.dry and not isinstance(error, (Refused, Failed, ImportError))
        if session.dry_run and (for_want_of_results or isinstance(error, SystemExit)):
            print(f"launchtune: the script ended here, and nothing was run that has results: {type(error).__name__}: {error}",
                  file=sys.stderr)
        elif isinstance(error, SystemExit):
            raise
        elif isinstance(error, Refused):
            print(f"launchtune: {error}", file=sys.stderr)
            return 3
        else:
            if not isinstance(error, Failed):  # which has said why; without the frames above the script's
                frame = error.__traceback__
                while frame.tb_next and frame.tb_frame.f_code.co_filename in (__file__, runpy.__file__, "<frozen runpy>"):
                    frame = frame.tb_next
                traceback.print_exception(type(error), error, frame)
            return 1
    if session.dry_run and not session.writing:
        print(f"launchtune: {session.dry} of the script's calls compiled, none was launched", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
