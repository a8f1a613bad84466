#!/usr/bin/env python3
"""Writes docs/growth.md: what each command costs with 10^3 to 10^6 trials in the database.

    bench/growth.py [--build build/release] [--most 1000000] [--only WORD] [--work FOLDER] [--output docs/growth.md]

The databases are made by bench/make_trials.py, of one problem and of many, and kept in FOLDER (default: a temporary
one). Seconds are of the processor (user and system, children included), bytes the most that a process held, and what was written: to standard output, or as files.
"""

import argparse
import datetime
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time

import make_trials

SIZES = (1000, 10000, 100000, 1000000)
EACH = 1000  # trials of a problem, where there are many
FIGURES = ("blocks", "gain", "grid_block", "influence", "occupancy", "samples", "search", "size", "stability")


def commands(folder, trials):
    """(what, arguments, files that are removed before it)"""
    return (
        ("`run`, all known", make_trials.run_command(".")[1:], ()),
        ("`show`", ["show"], ()),
        ("`show --top 10`", ["show", "--top", "10"], ()),
        ("`show --why`", ["show", "--why"], ()),
        ("`show --failures`", ["show", "--failures"], ()),
        ("`show --baselines`", ["show", "--baselines"], ()),
        ("`show --ties`", ["show", "--ties"], ()),
        ("`show --trust`", ["show", "--trust"], ()),
        ("`show --searches`", ["show", "--searches"], ()),
        ("`show --runs`", ["show", "--runs"], ()),
        ("`show --json`", ["show", "--json"], ()),
        ("`show --top` all `--json`", ["show", "--top", str(trials), "--json"], ()),
        ("`export`", ["export"], ()),
        ("`export --header`", ["export", "--header", "tuned_config.h"], ()),
        ("`export --t4`", ["export", "--t4", "t4.json", "--problem", "grown.i32.1", "--n", str(make_trials.N_FIRST)], ()),
        ("`report`", ["report"], ()),
        ("`plot`, all figures, two formats", ["plot", "-o", "plots"], ()),
    ) + tuple((f"`plot {name}`", ["plot", name, "-o", "plots"], ()) for name in FIGURES) + (
        ("`merge` into a new one", ["merge", "merged.db", "tune.db"], ("merged.db",)),
        ("`merge` again", ["merge", "merged.db", "tune.db"], ()),
    )


def written(folder, since):
    """Bytes of what a command wrote: its output, or else the files that are newer."""
    found = 0
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in ("cache", "locks")]
        for name in names:
            path = os.path.join(at, name)
            if name != "driver.state" and ".db" not in name and os.stat(path).st_mtime_ns >= since:
                found += os.path.getsize(path)
    return found


def cost(command, folder, environment):
    """CPU seconds, bytes held and bytes written."""
    since = time.time_ns() - 10**7  # files have the time of the kernel's last tick
    with open(os.path.join(folder, "output"), "wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.PIPE)
        errors = process.stderr.read().decode()
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: {errors}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, written(folder, since)


def prepare(work, build, trials, problems):
    folder = os.path.join(work, f"{trials}-{problems}")
    if not os.path.exists(os.path.join(folder, "done")):
        shutil.rmtree(folder, ignore_errors=True)
        # In a process of its own: a child's memory is counted from its parent's.
        subprocess.run([sys.executable, make_trials.__file__, "--build", build, "--trials", str(trials), "--problems",
                        str(problems), folder], check=True)
        with open(os.path.join(folder, "done"), "w", encoding="utf-8"):
            pass
    return folder


def measure(folder, build, trials, only):
    tune = os.path.join(os.path.abspath(build), "bin", "tune")
    environment = make_trials.environment(build, folder)
    found = {}
    for name, arguments, gone in commands(folder, trials):
        if only not in name:
            continue
        for path in gone:
            for end in ("", "-wal", "-shm"):
                if os.path.exists(os.path.join(folder, path + end)):
                    os.remove(os.path.join(folder, path + end))
        found[name] = cost([tune] + arguments, folder, environment)
        seconds, size, output = found[name]
        print(f"{trials:>8} {name:<34} {seconds:8.2f} s {size / 1e6:6.0f} MB {output / 1e6:9.3f} MB", file=sys.stderr,
              flush=True)
    found["the database"] = (None, os.path.getsize(os.path.join(folder, "tune.db")), None)
    return found


def bytes_text(size):
    if not size:
        return ""
    return f"{size / 1e3:,.0f} kB" if size < 1e6 else f"{size / 1e6:,.1f} MB" if size < 1e7 else f"{size / 1e6:,.0f} MB"


def table(columns):
    """columns: (trials, what measure() found)"""
    lines = ["| command | " + " | ".join(f"{trials:,} trials" for trials, _ in columns) + " | memory | output |",
             "|---|" + "---:|" * (len(columns) + 2)]
    for name in columns[0][1]:
        values = [found[name] for _, found in columns]
        if values[0][0] is None:
            cells = [bytes_text(size) for _, size, _ in values] + ["", ""]
        else:
            cells = [f"{seconds:.1f} s" for seconds, _, _ in values] + [bytes_text(values[-1][1]),
                                                                       bytes_text(values[-1][2])]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.machine()


PAGE = """# The cost of large databases

Written on {date} by `bench/growth.py`, {cores} cores of {processor}. Seconds are processor time (user and system, with
children) on a machine shared with other programs. Memory is the maximum of one process, output the bytes written, both at the
right-most number of trials.

`bench/make_trials.py` makes the databases: trials stored by `tune` on the stand-in driver, repeated through the real schema, with failures,
duplicates, samples, resources, races, confirmations and winners in random order. From 100,000 to 1,000,000 some rows grow by
more than ten times, above all `merge`: the rows visited grow by ten, but the database no longer fits in caches. The test
`growth.steps` counts the rows that each statement visits, independent of the machine.

## One problem

{one}
## Problems of {each:,} trials each

{many}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release", help="a build with its tests")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="trials of the largest databases")
    parser.add_argument("--only", default="", help="commands with this in their names")
    parser.add_argument("--work", help="where databases are made, and found again")
    parser.add_argument("--output", default="docs/growth.md", help="the page; - for none")
    options = parser.parse_args()
    work = options.work or tempfile.mkdtemp(prefix="tune-growth.")
    sizes = [size for size in SIZES if size <= options.most]
    tables = []
    for problems in (lambda trials: 1, lambda trials: trials // EACH):
        tables.append(table([(trials, measure(prepare(work, options.build, trials, problems(trials)), options.build,
                                              trials, options.only)) for trials in sizes]))
    if not options.work:
        shutil.rmtree(work)
    if options.output != "-":
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(PAGE.format(date=datetime.date.today(), processor=processor(), cores=os.cpu_count(), each=EACH, one=tables[0],
                                   many=tables[1]))
    print("\n".join(tables))


if __name__ == "__main__":
    main()
