#!/usr/bin/env python3
"""overnight.py SECONDS POINTS SEED, in the folder that overnight.sh has made: tunes copy.yaml with POINTS
configurations again and again on the stand-in driver, for SECONDS, while everything happens to it: parents, workers and
compilers are killed and stopped, the disk is full, the cache vanishes, the device fails for a moment. When all is tuned,
or the time is over, it is left in peace, and must come to what a tuning comes to that nothing happened to; then the next
tuning begins with nothing.

A configuration's parameter `kind` says what becomes of it, so that the truth is known: most kinds are right.
"""

import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

TUNE = os.environ["TUNE"]
BLOCKS = (64, 128, 256, 32, 512)
RIGHT = [f"right{i}" for i in range(16)]
# The outcome of each of the others, wherever it is launched.
HOSTILE = {"wrong": ("wrong", "wrong_result"), "illegal": ("700", "crashed"), "refused": ("launch", "launch_failed"),
           "crash": ("crash", "crashed"), "uncompilable": ("compile", "compile_failed"),
           "unloadable": ("load", "launch_failed"), "hang": ("hang", "timed_out")}
RARE = ("hang", "crash")  # only of way 1, since each takes a worker's time
BEST = ("right3", 2, 128)
ALWAYS = "; ".join([
    "kernel@KIND=wrong: wrong", "kernel@KIND=illegal: 700", "kernel@KIND=hang,WAY=1: hang",
    "kernel@KIND=crash,WAY=1: crash", "cuLaunchKernel@KIND=refused: 701",
    "nvrtcCompileProgram@KIND=uncompilable: 6", "cuModuleLoadData@KIND=unloadable: 300",
    f"kernel@KIND={BEST[0]},WAY={BEST[1]},block={BEST[2]}: slower=0.7"])
# Short faults of a device: most for the whole of it, each a few times over all processes.
MOMENTS = ("kernel#{n}: 700 times=1", "kernel#{n}: hang times=1", "kernel#{n}: crash times=1", "kernel#{n}: lost=1 times=1",
           "kernel#{n}: abort times=1", "kernel#{n}: exit=3 times=1", "cuLaunchKernel#{n}: 1 times=2",
           "cuMemAlloc#{n}: 2 times=2", "cuModuleLoadData#{n}: 2 times=1", "cuEventSynchronize#{n}: slow=200 times=3",
           "cuStreamSynchronize#{n}: 719 sticky times=1", "nvrtcCompileProgram#{n}: crash times=1",
           "nvrtcCompileProgram#{n}: hang times=1", "cuMemAlloc#{n}: hog=64M times=1", "conditions#{n}-{m}: throttle=hw_thermal",
           "conditions#{n}+: ecc=2", "conditions#{n}-{m}: others=1", "conditions#{n}-{m}: anchor=1.05",
           "kernel#{n}-{m}: slower=1.5", "cuInit@start=2: 999 times=1")
RUN = [TUNE, "run", "./copy.yaml", "--device", "cuda:0", "--no-report", "--set", "warm_window_ms=1", "--set",
       "warm_least_ms=1", "--set", "warm_most_ms=20", "--set", "confirm_processes=3", "--set", "confirm_rounds=8"]
FINE = {0: "done", 6: "a problem has no winner", 130: "stopped", 143: "stopped", 129: "stopped", 3: "device",
        5: "disk", 1: "failed"}


def fail(text):
    print(f"FAILED: {text}")
    sys.exit(1)


def write_experiment(points):
    kinds = RIGHT + list(HOSTILE)
    blocks = BLOCKS[:3] if points < 50000 else BLOCKS  # a list of ways has at most 1,024
    ways = max(4, points // (len(kinds) * len(blocks)))
    with open("copy.yaml", encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"parameters:\n.*?derived:",
                  f"parameters:\n  way: {list(range(1, ways + 1))}\n  block: {list(blocks)}\n"
                  f"  kind: [{', '.join(kinds)}]\nderived:", text, flags=re.S)
    text = text.replace("defines: {WAY: way}", "defines: {WAY: way, KIND: kind}")
    with open("copy.yaml", "w", encoding="utf-8") as file:
        file.write(text)
    return ways * len(blocks) * len(kinds)


def expected(kind, way):
    if kind not in HOSTILE or (kind in RARE and way > 1):
        return "ok"
    return HOSTILE[kind][1]


def connect():
    return sqlite3.connect("file:tune.db?mode=ro", uri=True, timeout=30)


def ask(sql):
    if not os.path.exists("tune.db"):
        return []
    database = connect()
    try:
        return database.execute(sql).fetchall()
    except sqlite3.OperationalError as error:
        if "no such table" in str(error) or "unable to open" in str(error):
            return []
        raise
    finally:
        database.close()


OUTCOMES = """SELECT json_extract(c.parameters, '$.kind'), json_extract(c.parameters, '$.way'),
    json_extract(c.parameters, '$.block'), m.status, m.detail
    FROM trials AS t JOIN trials AS m ON m.id = coalesce(t.same_as_trial_id, t.id)
    JOIN configurations AS c ON c.id = t.configuration_id WHERE t.stage = 'sweep'"""


class Watch:
    """What was stored stays, and is not done again."""

    def __init__(self):
        self.done = {}

    def look(self, what):
        rows = ask("PRAGMA integrity_check")
        if rows and rows != [("ok",)]:
            fail(f"after {what}: {rows[:3]}")
        if ask("PRAGMA foreign_key_check"):
            fail(f"after {what}: rows point to what is not there")
        now = dict(ask("SELECT configuration_id, id || ' ' || measured_at FROM trials WHERE stage = 'sweep' AND "
                       "status IN ('ok', 'wrong_result', 'compile_failed')"))
        for key, value in self.done.items():
            if now.get(key) != value:
                fail(f"after {what}: configuration {key} was {value}, is {now.get(key)}")
        self.done = now
        lost = ask("SELECT count(*) FROM trials AS t WHERE sample_count <> "
                   "(SELECT count(*) FROM samples WHERE trial_id = t.id)")
        if lost and lost[0][0]:
            fail(f"after {what}: {lost[0][0]} trials without all their samples")


def ancestors():
    found, pid = set(), os.getpid()
    while pid > 1:
        found.add(pid)
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            pid = int(file.read().rsplit(")", 1)[1].split()[1])
    return found


OURS = ancestors()


def processes():
    """Those that tune started, and tune: pid -> command line."""
    found = {}
    here = os.getcwd()
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) in OURS:
            continue
        try:
            if os.readlink(f"/proc/{name}/cwd") == here:
                with open(f"/proc/{name}/cmdline", encoding="utf-8", errors="replace") as file:
                    found[int(name)] = file.read().replace("\0", " ")
        except OSError:
            pass
    return found


def workers(word):
    return [pid for pid, line in processes().items() if word in line]


def signal_to(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


class Run:
    """tune, with what happens to its device and disk."""

    def __init__(self, faults="", disk=None, more=()):
        environment = dict(os.environ, TUNE_FAULTS=f"{faults}; {ALWAYS}" if faults else ALWAYS)
        command = RUN + list(more)
        if disk is not None:  # SIGXFSZ is ignored, as where the file system itself is full
            command = ["bash", "-c", f"trap '' XFSZ; ulimit -f {disk}; exec \"$@\"", "bash"] + command
        self.errors = open("run.err", "w+", encoding="utf-8")
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=self.errors)

    def wait(self, seconds):
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        return self.process.poll()

    def message(self):
        self.errors.seek(0)
        return self.errors.read()[-1500:]


def nobody_left(what):
    for _ in range(600):
        left = processes()
        if not left:
            return
        time.sleep(0.1)
    fail(f"after {what}: processes were left: {left}")


def kill_parent(run, chance):
    signal_to(run.process.pid, signal.SIGKILL)


def kill_all(run, chance):
    for pid in processes():
        signal_to(pid, signal.SIGKILL)


def kill_workers(run, chance, word="__measure"):
    for _ in range(chance.randint(1, 4)):
        for pid in workers(word):
            signal_to(pid, signal.SIGKILL)
        run.wait(chance.uniform(0.05, 1))


def kill_compilers(run, chance):
    kill_workers(run, chance, "__compile")


def stop_politely(run, chance):
    signal_to(run.process.pid, chance.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)))


def stop_and_go(run, chance):
    """As Ctrl-Z and fg: the parent, or all of it."""
    for _ in range(chance.randint(1, 3)):
        stopped = [run.process.pid] if chance.random() < 0.5 else list(processes())
        for pid in stopped:
            signal_to(pid, signal.SIGSTOP)
        time.sleep(chance.uniform(0.1, 1.5))
        for pid in stopped:
            signal_to(pid, signal.SIGCONT)
        run.wait(chance.uniform(0.05, 1))


def lose_cache(run, chance):
    shutil.rmtree(os.environ["TUNE_CACHE_DIR"], ignore_errors=True)


FILLER = "filler"


def fill_disk(run, chance):
    """The file system, which is ours alone, is full for a while: for database, cache, sources and logs."""
    try:
        with open(FILLER, "wb") as file:
            free = os.statvfs(".").f_bavail * os.statvfs(".").f_frsize
            os.posix_fallocate(file.fileno(), 0, max(1, free - chance.randint(0, 200) * 1024))
    except OSError:
        pass  # something else took the rest meanwhile
    run.wait(chance.uniform(0.05, 3))


def free_disk():
    if os.path.exists(FILLER):
        os.remove(FILLER)


def nothing(run, chance):
    pass


EVENTS = [kill_parent, kill_all, kill_workers, kill_compilers, stop_politely, stop_and_go, lose_cache, nothing]
if os.environ.get("TUNE_OWN_DISK"):
    EVENTS += [fill_disk, fill_disk]


def disturb(chance, watch, turn):
    """One run, in which something happens, or more; ended at last, whichever way."""
    faults, disk = "", None
    if chance.random() < 0.3:
        n = chance.randint(1, 400)
        faults = chance.choice(MOMENTS).format(n=n, m=n + chance.randint(0, 50))
    elif chance.random() < 0.2:
        size = os.path.getsize("tune.db") if os.path.exists("tune.db") else 0
        disk = size // 1024 + chance.randint(0, 600)
    run = Run(faults, disk)
    names = []
    for event in chance.choices(EVENTS, k=chance.randint(1, 3)):
        if run.wait(chance.uniform(0.05, turn)) is not None:
            break
        names.append(event.__name__)
        event(run, chance)
    if run.wait(chance.uniform(0.05, turn)) is None:
        names.append("killed at last")
        run.process.kill()
    free_disk()
    what = f"{', '.join(names) or 'nothing'}; faults '{faults}'; disk {disk}"
    code = run.process.wait()
    if code >= 0 and code not in FINE:
        fail(f"after {what}: exit code {code}: {run.message()}")
    if -code in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGXFSZ, signal.SIGPIPE, signal.SIGILL):
        fail(f"after {what}: tune died of signal {-code}: {run.message()}")
    nobody_left(what)
    watch.look(what)
    return what, code


def tell_set_aside(points):
    """What stands between the disturbed runs and the truth, before anything is tried again."""
    rows = ask(OUTCOMES)
    aside = {}
    for kind, way, block, status, detail in rows:
        if status == expected(kind, way):
            continue
        if expected(kind, way) != "ok" and status in ("crashed", "timed_out", "launch_failed"):
            continue
        # A right configuration may be hit by a kill or a device's fault in its own trial, by no other.
        if status in ("wrong_result", "compile_failed", "ok") or "No such file" in (detail or ""):
            fail(f"kind={kind} way={way} block={block} is {status}: {detail}")
        aside.setdefault(re.sub(r"[0-9]+", "N", f"{status}: {detail}")[:100], []).append((kind, way, block))
    print(f"{len(rows)} of {points} tried; right ones set aside, until they are tried again:")
    for reason, who in sorted(aside.items()):
        print(f"  {len(who):6} {reason}")


def winner():
    return ask("""SELECT json_extract(c.parameters, '$.kind'), json_extract(c.parameters, '$.way'),
        json_extract(c.parameters, '$.block'), w.stage, w.trust FROM winners AS w JOIN trials AS t ON t.id = w.trial_id
        JOIN configurations AS c ON c.id = t.configuration_id""")


def peace(points, watch):
    """Left alone, and asked to try again what had failed, it comes to the truth about every configuration."""
    for retry in ((), ("--retry", "crashed,timed_out,launch_failed,unstable")):
        run = Run(more=retry)
        code = run.process.wait()
        if code != 0:
            fail(f"in peace: exit code {code}: {run.message()}")
        nobody_left("peace")
        watch.look("peace")
        if not retry:
            tell_set_aside(points)
    rows = ask(OUTCOMES)
    if len(rows) != points or len({row[:3] for row in rows}) != points:
        fail(f"{len(rows)} trials of {points} points")
    wrong = [row for row in rows if row[3] != expected(row[0], row[1])]
    if wrong:
        fail(f"{len(wrong)} configurations are not what they are: {wrong[:5]}")
    if ask("SELECT count(*) FROM in_flight") != [(0,)]:
        fail("something is still in flight")


def nothing_left_over():
    allowed = re.compile(r"^\./(copy\.yaml|copy\.cu|copy_reference\.c|tune\.db(-wal|-shm)?|tuned\.conf|run\.err|calm/.*|home/.*|locks/.*"
                         r"|tmp/(last\.(out|err)|driver\.state[^/]*)|cache/([0-9a-f]+\.bin|[^/]*\.lock))$")
    for folder, _, files in os.walk("."):
        for name in files:
            path = os.path.join(folder, name)
            if not allowed.match(path):
                fail(f"{path} was left over")


def begin_anew():
    for name in ("tune.db", "tune.db-wal", "tune.db-shm", "tuned.conf"):
        if os.path.exists(name):
            os.remove(name)
    shutil.rmtree(os.environ["TUNE_CACHE_DIR"], ignore_errors=True)


def reference():
    """What wins where nothing happens."""
    here = os.getcwd()
    os.mkdir("calm")
    for name in ("copy.yaml", "copy.cu", "copy_reference.c"):
        shutil.copy(name, "calm")
    os.chdir("calm")
    run = Run()
    code = run.process.wait()
    if code != 0:
        fail(f"without faults: exit code {code}: {run.message()}")
    won = winner()
    os.chdir(here)
    shutil.rmtree("calm")
    return won


def main():
    seconds, points, seed = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)
    points = write_experiment(points)
    started = time.monotonic()
    calm = reference()
    calm_s = time.monotonic() - started
    print(f"seed {seed}: {points} points; {calm} wins in peace, in {calm_s:.0f} s", flush=True)
    if [row[:3] for row in calm] != [BEST]:
        fail(f"the fastest is {BEST}")
    end, runs, rounds = time.monotonic() + seconds, 0, 0
    turn = 0.6 if seconds < 60 else 12
    while rounds == 0 or time.monotonic() < end:
        watch, code = Watch(), None
        while time.monotonic() < end and code != 0:
            what, code = disturb(chance, watch, turn)
            runs += 1
            if seconds >= 60:
                print(f"{runs}: {len(watch.done)} done, {what}", flush=True)
        print(f"{runs} runs were disturbed; {len(watch.done)} configurations were done by then", flush=True)
        peace(points, watch)
        if [row[:3] for row in winner()] != [BEST]:
            fail(f"{winner()} wins, not {calm}")
        nothing_left_over()
        print(f"as without faults: {winner()}", flush=True)
        rounds += 1
        begin_anew()
    print(f"{rounds} tunings of {points} configurations, {runs} runs of them disturbed")


if __name__ == "__main__":
    main()
