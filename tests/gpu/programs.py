#!/usr/bin/env python3
"""Captures, tunes and applies programs that know nothing of tune, and writes what that gave as a table of Markdown:
    programs.py TUNE FOLDER OUT [--seconds S] [--only NAME]
FOLDER holds the programs, what they read, and `manifest`, a line each of fields with tabs between:
    name, kernel, command, source with options of `tune init` (or -), a pattern of the lines of its output that must
    stay what they are, a pattern of what stands in front of its own figure of time, where it is from
Each program has S seconds (default 50) for all that is done with it; what fails or takes longer ends that program alone."""
import argparse
import gzip
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

FIELDS = ("name", "kernel", "command", "source", "result", "figure", "origin")
COLUMNS = ("Program", "Kernel", "Launches", "Slowed, listed", "Slowed, another kernel kept", "Capture", "Kept in",
           "Gain without the source", "Gain with the source", "Applied")


LAUNCHES_LEAST = 50  # the first ones, which take longer, are few


class Failed(Exception):
    pass


def apart(before, after):
    """How far apart two sets of runs are, from the nearest of them to the farthest."""
    return "%+.1f to %+.1f %%" % (100 * (min(after) / max(before) - 1), 100 * (max(after) / min(before) - 1))


class Program:
    """One program, in a folder of its own, with a limit on all that is done with it."""

    def __init__(self, tune, folder, place, fields, seconds):
        self.tune, self.place, self.seconds = tune, place, seconds
        self.__dict__.update(fields)
        shutil.copytree(folder, place, ignore=shutil.ignore_patterns("manifest"))
        for name in os.listdir(place):
            if name.endswith(".gz"):
                with gzip.open(os.path.join(place, name)) as packed, open(os.path.join(place, name[:-3]), "wb") as out:
                    shutil.copyfileobj(packed, out)
        self.until = time.monotonic() + seconds
        self.words = self.command.split()
        self.log = open(os.path.join(place, "log.txt"), "w", encoding="utf-8")

    def run(self, *words, limit=60.0):
        """The command's standard output, its standard error and how long it took. What fails, or takes too long, raises Failed."""
        begin = time.monotonic()
        limit = min(limit, self.until - begin)
        print("$", *words, file=self.log, flush=True)
        if limit < 1:
            raise Failed("its %.0f s are over before: %s" % (self.seconds, " ".join(words[:3])))
        try:
            done = subprocess.run(words, cwd=self.place, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit,
                                  text=True, errors="replace", check=False)
        except subprocess.TimeoutExpired as late:
            raise Failed("over %.0f s: %s" % (limit, " ".join(words[:3]))) from late
        took = time.monotonic() - begin
        print("exit code %d after %.2f s\n%s%s" % (done.returncode, took, done.stdout[-6000:], done.stderr[-6000:]),
              file=self.log, flush=True)
        if done.returncode != 0:
            last = (done.stderr.strip() or done.stdout.strip() or "nothing said").splitlines()[-1]
            raise Failed("exit code %d of %s: %s" % (done.returncode, " ".join(words[:3]), last))
        return done.stdout, done.stderr, took

    def lines(self, text):
        return [line for line in text.splitlines() if re.search(self.result, line)]

    def figure_of(self, text):
        """The program's own figure of time, in its own unit; None where it has none."""
        found = re.search("(?:%s)([0-9.eE+-]+)" % self.figure, text)
        return float(found.group(1)) if found else None

    def same(self, text, what):
        if self.lines(text) != self.plain:
            raise Failed("another result %s: %s, not %s" % (what, self.lines(text)[:2], self.plain[:2]))

    def slowed(self, row, launches):
        """How much longer the program says that it took, in percent: medians of three runs each, in turns."""
        ways = {None: (), "Slowed, listed": ("--",), "Slowed, another kernel kept": ("--kernel", "no_such_kernel", "-o", "none.cap", "--")}
        if launches < LAUNCHES_LEAST:
            row["Slowed, another kernel kept"] = "not measured: %d launches" % launches
            return row["Slowed, another kernel kept"]
        figures = {way: [] for way in ways}
        for _ in range(3):
            for way, options in ways.items():
                text = self.run(*((self.tune, "capture") + options if way else ()), *self.words)[0]
                self.same(text, "under tune capture")
                figures[way].append(self.figure_of(text))
        for way in list(ways)[1:]:
            bare, under = figures[None], figures[way]
            if None in bare + under or statistics.median(bare) == 0 or len(set(bare + under)) < 3:
                row[way] = "not known: its own time is too coarse"
            else:
                row[way] = "%+.1f %% (%s)" % (100 * (statistics.median(under) / statistics.median(bare) - 1), apart(bare, under))
        return row["Slowed, listed"]

    def gains(self, database):
        """What each size's winner has over the program's own launch, with the interval and how sure it is."""
        rows = json.loads(self.run(self.tune, "show", "--db", database, "--json")[0])
        words = []
        for row in rows:
            over = [b for b in row["baselines"] or [] if b["name"] == "program"]
            if not over or over[0]["gain"] is None:
                words.append("not known")
            elif over[0]["standing"] in ("as fast", "not compared") or row["configuration"] == over[0]["configuration"]:
                words.append("none: the program's own launch is as good")
            else:
                words.append("%.2fx [%.2f, %.2f] (%s), %s" % (over[0]["gain"], over[0]["gain_low"], over[0]["gain_high"],
                                                             row["verdict"], row["configuration"]))
        return "; ".join(dict.fromkeys(words)) or "nothing was chosen"

    def with_source(self, budget):
        self.run(self.tune, "init", *self.source.split(), "--capture", "kept.cap", "-o", "with.yaml", "--force")
        self.run(self.tune, "run", "with.yaml", "--device", "0", "--no-report", "--budget", "%ds" % budget, "--db", "with.db",
                 "--conf", "with.conf", limit=budget + 15)
        return self.gains("with.db")

    def without_source(self, budget):
        """Without limits of registers: these make another image, which tune apply does not load."""
        self.run(self.tune, "run", "--binary", "kept.cap", "--dry-run")
        with open(os.path.join(self.place, "kept.captured", "kept.yaml"), encoding="utf-8") as file:
            only = ("--only", "registers=0") if re.search("^  registers:", file.read(), re.M) else ()
        self.run(self.tune, "run", "--binary", "kept.cap", "--device", "0", "--no-report", "--budget", "%ds" % budget,
                 "--db", "binary.db", "--conf", "binary.conf", *only, limit=budget + 15)
        return self.gains("binary.db")

    def applied(self, bare):
        """What was changed, and by the program's own time what that gave: medians, and the range of all its runs."""
        repeats = max(2, min(6, int((self.until - time.monotonic() - 2) / (2.4 * bare))))
        text, said, _ = self.run(self.tune, "apply", "binary.conf", "--repeat", str(repeats), "--", *self.words)
        self.same_of_each(text, 2 * repeats)
        counts = re.findall(r"^tune: (\d+) of (\d+) launches changed", said, re.M)
        print("\n".join(re.findall(r"^tune: .*$", said, re.M)))
        if not counts or counts[0][0] == "0":
            return "nothing changed"
        words = "%s of %s launches changed" % counts[0]
        figures = [float(word) for word in re.findall("(?:%s)([0-9.eE+-]+)" % self.figure, text)]
        if not figures or len(figures) % (2 * repeats) != 0:
            return words
        runs = figures[::len(figures) // (2 * repeats)]  # as it is, tuned, tuned, as it is, ...
        before = [runs[at] for at in range(2 * repeats) if at % 4 in (0, 3)]
        after = [runs[at] for at in range(2 * repeats) if at % 4 in (1, 2)]
        if len(set(runs)) < 3:
            return words + ": its own time is too coarse"
        return words + ", its own time %+.1f %% (%s, %d runs each)" % (
            100 * (statistics.median(after) / statistics.median(before) - 1), apart(before, after), repeats)

    def same_of_each(self, text, runs):
        if self.lines(text) != self.plain * runs:
            raise Failed("another result under tune apply")

    def all(self, options):
        """The row of the table; what failed has its words there."""
        row = dict.fromkeys(COLUMNS, "-")
        row["Program"], row["Kernel"] = self.name, "`%s`" % self.kernel

        def step(column, work, *arguments):
            try:
                row[column] = work(*arguments)
                return True
            except (Failed, OSError, ValueError, KeyError) as error:
                row[column] = "FAILED: %s" % error
                print("FAILED %s, %s: %s" % (self.name, column, error))
                return False

        def listed():
            text = self.run(self.tune, "capture", "--times", "--", *self.words)[0]
            begin = re.search(r"^Kernel +Launches", text, re.M)
            if not begin:
                raise Failed("no list")
            print(text[begin.start():].strip())
            lines = text[begin.start():].split("\n\n")[0].splitlines()
            named, launches = "", 0
            for line in lines[1:]:
                named = line[:lines[0].index("Launches")].strip() or named
                if named == self.kernel or ("*" in self.kernel and self.kernel.split("*")[1] in named):
                    launches += int(line[lines[0].index("Launches"):].split()[0])
            return "%d" % launches if launches else "not among them"

        def kept():
            _, _, took = self.run(self.tune, "capture", "--kernel", self.kernel, "--keep", str(options.keep), "-o", "kept.cap", "--",
                                  *self.words)
            print(self.run(self.tune, "capture", "--list", "kept.cap")[0].strip())
            row["Capture"] = "%.1f MiB" % (os.path.getsize(os.path.join(self.place, "kept.cap")) / 2**20)
            return "%.1f s, %.1f s bare" % (took, bare)

        print("\n-- %s: %s\n   %s" % (self.name, self.command, self.origin), flush=True)
        try:
            self.run(*self.words)  # data read once is in memory then
            text, _, bare = self.run(*self.words)
            self.plain = self.lines(text)
            if not self.plain:
                raise Failed("nothing of its output matches %s" % self.result)
        except (Failed, OSError) as error:
            row["Launches"] = "FAILED by itself: %s" % error
            print("FAILED %s by itself: %s" % (self.name, error))
            return row
        step("Launches", listed)
        if row["Launches"].isdigit():
            step("Slowed, listed", self.slowed, row, int(row["Launches"]))
        if step("Kept in", kept):
            # The rest: a share for each way of tuning, and runs with the winners.
            left = self.until - time.monotonic() - 7 * bare - 4
            shares = 2 if self.source != "-" else 1
            budget = max(5, min(options.budget, left / shares - 4))
            tuned = step("Gain without the source", self.without_source, budget)
            if self.source != "-":
                step("Gain with the source", self.with_source, budget)
            if tuned:
                step("Applied", self.applied, bare)
        for column in COLUMNS[2:]:
            print("   %-28s %s" % (column, row[column]))
        sys.stdout.flush()
        return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tune")
    parser.add_argument("folder")
    parser.add_argument("out")
    parser.add_argument("--work", required=True, help="an empty folder")
    parser.add_argument("--seconds", type=float, default=50)
    parser.add_argument("--total", type=float, default=345, help="seconds after which none is begun")
    parser.add_argument("--budget", type=float, default=14, help="seconds of each tune run, at most")
    parser.add_argument("--keep", type=int, default=3)
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    rows, until = [], time.monotonic() + options.total
    with open(os.path.join(options.folder, "manifest"), encoding="utf-8") as manifest:
        for line in manifest:
            fields = dict(zip(FIELDS, line.rstrip("\n").split("\t")))
            if line.startswith("#") or len(fields) != len(FIELDS) or (options.only and fields["name"] not in options.only):
                continue
            if time.monotonic() + 20 > until:
                print("\n-- %s: left out, no time is left" % fields["name"])
                continue
            options.seconds = min(options.seconds, until - time.monotonic())
            program = Program(options.tune, options.folder, os.path.join(options.work, fields["name"]), fields, options.seconds)
            rows.append(program.all(options))
            program.log.close()
            with open(options.out, "w", encoding="utf-8") as table:
                print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS), file=table)
                for row in rows:
                    print("| " + " | ".join(row[column].replace("|", "/") for column in COLUMNS) + " |", file=table)
    return 1 if not rows or any("FAILED" in word for row in rows for word in row.values()) else 0


sys.exit(main())
