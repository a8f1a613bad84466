"""commands.py SOURCE [DEVICE]: runs what the documents tell people to type, in the current, empty folder with the files that
they name. `tune` is the first of PATH. Without DEVICE, `tune run` ends before the first launch (--dry-run); with it (0), after
some seconds (--budget). Inline code (`tune ...`) is run alike where it names no placeholder; its options exist in any case."""

import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

SOURCE = pathlib.Path(sys.argv[1]).resolve()
DEVICE = sys.argv[2] if len(sys.argv) > 2 else None
PAGES = sorted(page for pattern in ("README.md", "CONTRIBUTING.md", "docs/*.md", "*/README.md", "*/*/README.md")
               for page in SOURCE.glob(pattern) if "build" not in page.relative_to(SOURCE).parts[0]
               and page.name != "commands.md")  # printed by `tune __options`
FIRST_WORDS = re.compile(r"(?:\w+=\S+ )*(?:cd \S+ && )?(?:tune|\./bootstrap|\S*/(?:bin|bench|tests|examples)/\S+|(?:bench|tests|examples|plots)/\S+|"
                         r"cmake|cpack|ctest|cc|nvcc|python3|pip|make|export \w+=|\w+=\$\()(?=[ /\w.$]|$)")
# Commands that other tests run, or that cannot run here: a pattern of the command, and the test or
# the reason.
ELSEWHERE = [
    (r"\./bootstrap|cmake --preset|cmake --install|cpack", "tests/fresh, cli.install and CI set up, build, test, install and pack so"),
    (r"pkg-config|^export PKG_CONFIG_PATH", "cli.install and cli.calls compile programs against what is installed"),
    (r"^tests/(strangers/(run|outcome).sh|bindings/kernel_tuner_scripts.py)", "wants checkouts of other projects"),
    (r"tests/faults", "the tests of tests/faults run so"),
    (r"^(\S+ )?bench/|^tests/gpu|^TUNE_\w+=\S+ tests/gpu", "measures: tests/gpu and recorded runs"),
    (r"tests/fuzz|fuzz_", "the tests labelled fuzz run so"),
    (r"reduce_cpu tuned.conf", "faults and cli tests run the examples"),
    (r"--recorded|^TUNED_RECORD", "cli.recorded records look-ups and tunes them"),
    (r"transpose_\w+\.py", "bindings.python and the step `python` of tests/gpu run them"),
    (r"^tune watch|--watch", "watch.server follows runs"),
    (r"--device replay", "cli.replay plays recordings"),
    (r"^pip install .*kernel_tuner", "brings another project's tuner from PyPI, for bench/kernel_tuner"),
    (r"^tune init .*-- nvcc ", "cli.init_build gives compilers' lines so"),
    (r"^tune init script.py", "bindings.kernel_tuner gives scripts so"),
    (r"tune capture|tune apply|--binary|--capture|--program", "tests/capture and the step `capture` of tests/gpu run programs so"),
    (r"tune ab ", "cli.ab runs programs so"),
    (r"srun|sbatch|ssh |--on |--hosts", "the tests labelled fleet"),
]
# Output of a command, on either stream.
SHAPES = [
    (r"^tune devices", r"^cpu(:0)?: "),
    (r"^tune show --why(?!.*--(json|csv))", r"^time +\d.*\n(.*\n)*standing +winner"),
    (r"^tune show --trust", r"^problem +n +time +verdict"),
    (r"^tune show(?! -)", r"^ +n +time +gain"),
    (r"^tune run .*--dry-run", r"points?, \d+ legal"),
    (r"^tune export --t4", r"gemm-t4|^$"),
    (r"^tune merge.* a.db", r"^a\.db: \d+ device"),
    (r"^tune report", r"report|html|^$"),
]
# Contents of the database for pages about other problems.
DATABASES = [(r"^docs/t1.md tune export", "nvidia-h200/gemm-2048"), (r"^docs/results.md .*gemm", "nvidia-h200/gemm"),
             (r"", "nvidia-h100/tune")]
# Exit codes that are right besides 0: entries of a device that is not here, a budget that was spent.
CODES = {r"^tune check": {0, 1, 3}, r"--budget": {0, 6}}


def commands(page):
    """(line, command, whether it stands in a block) of a page."""
    fence, inside, lines = None, False, page.read_text(encoding="utf-8").split("\n")
    number = 0
    while number < len(lines):
        line, start = lines[number], number + 1
        number += 1
        mark = re.match(r"\s*```(\w*)", line)
        if mark:
            inside, fence = not inside, mark[1]
            continue
        if inside and fence != "sh" or not inside and not re.match(r" {4}\S", line):
            if not inside and not line.startswith("#"):  # a heading names a command
                for code in re.findall(r"`(tune [^`]+)`", line):
                    yield start, code, False
            continue
        command = line.strip()
        while command.endswith("\\"):
            command = command[:-1].rstrip() + " " + lines[number].strip()
            number += 1
        if FIRST_WORDS.match(command):
            yield start, re.sub(r"\s+#.*$", "", command), True


def unpack(recording, name):
    with lzma.open(SOURCE / "db/recorded" / (recording + ".db.xz")) as packed, open(name, "wb") as file:
        shutil.copyfileobj(packed, file)


def database(recording, made={}):
    """tune.db of what was recorded, with an older tune perhaps."""
    if recording not in made:
        pathlib.Path("tune.db").unlink(missing_ok=True)
        unpack(recording, "recorded.db")
        subprocess.run(["tune", "merge", "tune.db", "recorded.db"], check=True, capture_output=True)
        made[recording] = pathlib.Path("tune.db").read_bytes()
    pathlib.Path("tune.db").write_bytes(made[recording])


def prepare():
    """The files that commands name, in a folder that looks like a source tree from inside."""
    shutil.copytree(SOURCE / "examples", "examples")
    for name in ("bat-gemm.json", "gemm.cu", "bat-gemm-2048.overlay.json"):
        shutil.copy(SOURCE / "examples/t1" / name, ".")
    os.rename("bat-gemm.json", "gemm.json")
    os.rename("bat-gemm-2048.overlay.json", "mine.json")
    unpack("nvidia-h100/tune", "a.db")
    unpack("cpu-2-cores/tune", "b.db")
    shutil.copy("a.db", "old.db")
    shutil.copy(SOURCE / "db/recorded/nvidia-h200/peers-wide.csv", "peers.csv")
    for name in ("tune-1.db", "tune-2.db"):
        shutil.copy("b.db", name)
    for name in ("tuned.conf", "h200.conf", "a100.conf"):
        shutil.copy(SOURCE / "db/recorded/nvidia-h100/tuned.conf", name)
    page = (SOURCE / "docs/own-kernel.md").read_text(encoding="utf-8")
    source = re.search(r"```(?:cuda|cpp|c\+\+|c)\n(.*?)```", page, re.S)[1]
    for name in ("blur", "kernel"):
        pathlib.Path(name + ".cu").write_text(source, encoding="utf-8")
        drafted = subprocess.run(["tune", "init", name + ".cu"], capture_output=True, text=True)
        if drafted.returncode == 4:
            print("skipped:", drafted.stderr.strip())
            sys.exit(77)
        drafted.check_returncode()
    shutil.copy("blur.yaml", "my_kernel.yaml")


def help_of(command, known={}):
    if command not in known:
        known[command] = subprocess.run(["tune", *([command] if command else []), "--help"], capture_output=True, text=True).stdout
    return known[command]


def unknown_options(command):
    names = re.findall(r"^  (\w+) ", help_of(""), re.M)
    unknown = []
    for part in re.split(r"&&|\|", command):
        words = part.split()
        tool = words[1] if len(words) > 1 and words[1] in names else "run"
        unknown += [option for option in re.findall(r"(?<!\S)(--[a-z][-a-z0-9]*)", part)
                    if words[:1] == ["tune"] and option not in help_of(tool) and option not in ("--help", "--version")]
    return unknown


def is_mention(command):
    """Of a command, an option, a file of the reader's or of how it is called, rather than something to type."""
    words = command.split()
    return len(words) < 3 or re.search(r"\b[A-Z]{2,}\b|\.\.\.|[\[\]<>…]|;", command) or \
        words[1] in ("init", "export", "import", "check") and words[2].startswith("-") and len(words) < 5 or \
        any(word.endswith(".yaml") and not pathlib.Path(word).exists() for word in words)


def as_here(command):
    """How it is run here."""
    if not re.match(r"(cd \S+ && )?(\S+ && )?tune( run)?( |$)(?!init|devices|show|plot|report|export|check|merge|import)", command):
        return re.sub(r"tune plot$", "tune plot occupancy --n 1048576", command)
    if re.search(r"--(show-experiment|list-protocol|help)", command):
        return command
    if "--device cpu" in command:
        return command + " --budget 8s --no-report"
    if DEVICE is not None:
        return re.sub(r" --budget \S+", "", command) + " --budget 3s --no-report"
    return re.sub(r" --device 0| --budget \S+", "", command) + ("" if "--dry-run" in command else " --dry-run") + \
        ("" if "--points" in command else " --points 1") + ("" if "--sizes" in command or not re.search(r"run reduce(\.sum)?( |$)", command) else " --sizes 1024 --only block=256") + ("" if "--arch" in command else " --arch sm_90")


def main():
    prepare()
    if DEVICE is None and subprocess.run(["tune", "run", "blur.yaml", "--dry-run", "--points", "1", "--arch", "sm_90"], capture_output=True).returncode:
        print("no compiler of CUDA sources here")
        return 77
    kept = {name: pathlib.Path(name).read_bytes() for name in ("tuned.conf", "blur.yaml", "blur.cu")}
    failed = ran = 0
    seen = set()
    for page in PAGES:
        for number, command, is_block in commands(page):
            where = "%s:%d" % (page.relative_to(SOURCE), number)
            if any(re.search(pattern, command) for pattern, _ in ELSEWHERE):
                continue
            unknown = unknown_options(command)
            if unknown:
                print("%s: %s: no such option: %s" % (where, command, " ".join(unknown)))
                failed += 1
            line = as_here(command)
            # A mention of a command, or of how it is called.
            if not is_block and is_mention(command) or line in seen:
                continue
            seen.add(line)
            for name, content in kept.items():
                pathlib.Path(name).write_bytes(content)
            database(next(recording for pattern, recording in DATABASES if re.search(pattern, "%s %s" % (page.relative_to(SOURCE), command))))
            if re.match(r"tune init \w+\.cu", command):
                os.unlink(re.search(r"(\w+)\.cu", command)[1] + ".yaml")
            begun = time.monotonic()
            result = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=600, errors="replace")
            ran += 1
            if result.returncode == 4 and "plot" in line and not shutil.which("gnuplot"):
                continue
            codes = next((codes for pattern, codes in CODES.items() if re.search(pattern, line)), {0})
            shape = next((shape for pattern, shape in SHAPES if re.search(pattern, line)), "")
            if result.returncode not in codes:
                print("%s: %s\n  exit code %d of: %s\n%s" % (where, command, result.returncode, line, (result.stderr or result.stdout)[-1500:]))
                failed += 1
            elif result.returncode == 0 and not re.search(shape, result.stdout + "\n" + result.stderr, re.M):
                print("%s: %s\n  prints nothing like: %s\n%s" % (where, command, shape, (result.stdout + result.stderr)[:1500]))
                failed += 1
            else:
                print("%s: %s (%.1f s)" % (where, line, time.monotonic() - begun))
    print("%d commands run, %d failed" % (ran, failed))
    return failed > 0


sys.exit(main())
