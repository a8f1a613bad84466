"""failing_calls.py SHIM GROUP: runs tune with one call after the other failing (shim.c), in the current
folder with double.yaml. GROUP: writes, plot, allocations, workers."""

import itertools
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys

TUNE = os.environ["TUNE"]
SHIM, GROUP = sys.argv[1:]
RUN = ["run", "double.yaml", "--device", "cpu", "--quiet", "--sizes", "1000", *os.environ["STEADY"].split()]
OLD = b"# what was there before\n"
FULL_DISK = {0, 5}
runs = 0
checked = {}  # the database that was looked at last


def fail(text, result=None):
    print("FAILED:", text)
    if result:
        print("exit code", result.returncode, "\n--- err:", result.stderr.decode(errors="replace")[:3000])
    sys.exit(1)


def tune(words, rule=None, where="parent", env=()):
    environment = dict(os.environ, **dict(env))
    if rule:
        environment.update(LD_PRELOAD=SHIM, TUNE_SHIM=rule, TUNE_SHIM_IN=where,
                           TUNE_SHIM_FIRED=os.path.abspath("fired"))
        if os.path.exists("fired"):
            os.unlink("fired")
    global runs
    runs += 1
    try:
        return subprocess.run([TUNE] + words, capture_output=True, env=environment, timeout=600)
    except subprocess.TimeoutExpired:
        fail("'tune %s' hangs with %s in %s" % (" ".join(words), rule, where))


def check_database(name="tune.db"):
    """What is in it, without times of day and measured numbers."""
    if not os.path.exists(name) or os.path.getsize(name) == 0:
        return ""
    # Readers leave the same bytes hundreds of times: these are checked once.
    files = []
    for end in ("", "-wal", "-journal"):
        if os.path.exists(name + end):
            with open(name + end, "rb") as file:
                files.append((end, file.read()))
    if tuple(files) == checked.get("files"):
        return checked["rows"]
    shutil.rmtree("copy", ignore_errors=True)
    os.mkdir("copy")
    for end, content in files:
        with open("copy/tune.db" + end, "wb") as file:
            file.write(content)
    db = sqlite3.connect("copy/tune.db")
    if db.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        fail("integrity_check")
    if db.execute("PRAGMA foreign_key_check").fetchall():
        fail("foreign_key_check")
    rows = "\n".join(db.iterdump())
    db.close()
    rows = re.sub(r"'\d{4}-\d\d-\d\dT[^']*'|\b\d+\.\d+(e[-+]?\d+)?\b|\b\d{6,}\b", "*", rows)
    checked.update(files=tuple(files), rows=rows)
    return rows


def restore(conf):
    for name in os.listdir("."):
        if name.startswith(("tune.db", conf)):
            os.unlink(name)
    shutil.copy("base.db", "tune.db")
    with open(conf, "wb") as file:
        file.write(OLD)


# The state left behind as a hash: of everything that the next run finds.
def check_result(words, result, rule, conf, whole, codes):
    if result.returncode not in codes:
        fail("with %s" % rule, result)
    lines = result.stderr.decode(errors="replace").splitlines()
    if words[0] == "plot":
        lines = lines[-1:]  # above it, drawn figures
    if result.returncode != 0 and (len(lines) != 1 or not lines[0].startswith("tune")):
        fail("not one line with %s" % rule, result)
    now = open(conf, "rb").read()
    if now not in ((whole,) if result.returncode == 0 else (OLD, whole)):
        fail("%s is neither the old nor the new with %s" % (conf, rule), result)
    left = [name for name in os.listdir(".") if ".tune-" in name]
    if left:
        fail("%s left with %s" % (left, rule), result)
    left = [name for name in os.listdir(".") if name.startswith("tune.db")]
    for variable in ("TUNE_CACHE_DIR", "TUNE_LOCK_DIR"):
        for folder, _, names in os.walk(os.environ[variable]):
            left += ["%s %d" % (name, os.path.getsize(folder + "/" + name)) for name in names]
    return hash((check_database(), now, *sorted(left)))


def numbers(exact, sample, seed):
    """1 to `exact`, then ever larger steps."""
    order = random.Random(seed)
    number = 0
    while True:
        number += 1 if number < exact else 1 + order.randrange(2 * sample)
        yield number


def places(words, conf, sample):
    """The numbers of the first allocation of each place in the program, and a sample of the others."""
    restore(conf)
    result = tune(words, env={"LD_PRELOAD": SHIM, "TUNE_SHIM_PLACES": os.path.abspath("places")})
    with open("places", encoding="ascii") as file:
        found = {int(line) for line in file}
    if result.returncode != 0 or len(found) < 100:
        fail("%d places that allocate" % len(found), result)
    return sorted(found | set(itertools.takewhile(lambda number: number < max(found), numbers(1, sample, words[0]))))


def sweep(words, conf, call, how, codes, exact=10**9, sample=1, tried=None):
    """What a failure leaves is gone on from; once where several leave the same. `tried`: the numbers of the calls."""
    count = failed = 0
    gone_on = set()
    for number in tried or numbers(exact, sample, call + how):
        rule = "%s#%d=%s" % (call, number, how)
        restore(conf)
        result = tune(words, rule)
        if not os.path.exists("fired"):
            if number == 1:
                fail("nothing to fail with " + rule, result)
            if tried:
                continue  # threads may take turns otherwise
            break
        left = check_result(words, result, rule, conf, WHOLE, codes)
        count += 1
        failed += result.returncode != 0
        if left in gone_on:
            continue
        gone_on.add(left)
        after = tune(words)
        if after.returncode != 0 or open(conf, "rb").read() != WHOLE:
            fail("it does not go on after %s" % rule, after)
    print("%-28s %-7s %5d calls, %4d tried, %4d runs ended for it, %3d left things otherwise" %
          (call, how, number - 1, count, failed, len(gone_on)), flush=True)


def base():
    global WHOLE
    result = tune(RUN)
    if result.returncode != 0:
        fail("the first run", result)
    WHOLE = open("tuned.conf", "rb").read()
    os.rename("tune.db", "base.db")


def writes():
    base()
    for how in ("ENOSPC", "EIO"):
        sweep(RUN, "tuned.conf", "write@/", how, FULL_DISK)
    for call in ("sync@/", "truncate@/", "rename"):
        sweep(RUN, "tuned.conf", call, "EIO", FULL_DISK)
    for how in ("EINTR", "short"):
        sweep(RUN, "tuned.conf", "write@", how, {0}, exact=60, sample=8)
        sweep(RUN, "tuned.conf", "read@", how, {0}, exact=60, sample=8)
    sweep(RUN, "tuned.conf", "read@/", "EIO", {0, 1, 3, 4, 5})
    sweep(RUN, "tuned.conf", "open", "EMFILE", {0, 1, 3, 4, 5})
    export = ["export", "-o", "out.conf"]
    for call in ("write@out.conf", "sync@out.conf", "rename@out.conf"):
        sweep(export, "out.conf", call, "ENOSPC", FULL_DISK)
    sweep(export, "out.conf", "write@out.conf", "short", {0})
    sweep(export, "out.conf", "read@/", "EIO", {0, 1, 3, 5})


def plot():
    """A picture is whole or as it was; what cannot be written is told."""
    base()
    shutil.copy("base.db", "tune.db")
    picture = "threads-double-1000.svg"
    words = ["plot", "threads", "--format", "svg"]
    result = tune(words)
    if result.returncode == 4:
        print("no gnuplot here")
        sys.exit(77)
    if result.returncode != 0:
        fail("tune plot", result)
    whole = open(picture, "rb").read()
    for call, how in (("write@/", "ENOSPC"), ("sync@/", "EIO"), ("rename", "EIO"),
                      ("read@", "EINTR"), ("write@", "short")):
        codes = {0, 1, 5} if how.startswith("E") and how != "EINTR" else {0}
        for number in numbers(20, 10, call):
            rule = "%s#%d=%s" % (call, number, how)
            with open(picture, "wb") as file:
                file.write(OLD)
            result = tune(words, rule)
            if not os.path.exists("fired"):
                break
            check_result(words, result, rule, picture, whole, codes)
            if os.listdir(os.environ["TMPDIR"]):
                fail("left in TMPDIR with %s: %s" % (rule, os.listdir(os.environ["TMPDIR"])))
        print("plot: %-20s %-7s %5d calls" % (call, how, number - 1))


def allocations():
    base()
    for words, conf in ((RUN, "tuned.conf"), (["export", "-o", "out.conf"], "out.conf")):
        sweep(words, conf, "alloc", "ENOMEM", {0, 1, 3, 4, 5}, tried=places(words, conf, 1000))


def workers():
    """Failing calls in workers: the run ends with or without an error, never hangs, and the next goes
    on."""
    base()
    failures = ["compile_failed", "launch_failed", "crashed", "timed_out", "wrong_result"]
    for where, steps in (("__measure", 900), ("__compile", 250)):
        number = 1
        while number < 3000:
            if where == "__compile":
                shutil.rmtree(os.environ["TUNE_CACHE_DIR"], ignore_errors=True)
            restore("tuned.conf")
            os.unlink("tune.db")
            rule = "alloc#%d=ENOMEM" % number
            result = tune(RUN, rule, where)
            if not os.path.exists("fired"):
                break
            if result.returncode not in (0, 1, 3, 4, 5, 6):
                fail("with %s in %s" % (rule, where), result)
            check_database()
            after = tune(RUN + ["--retry", ",".join(failures)])
            if after.returncode != 0:
                fail("it does not go on after %s in %s" % (rule, where), after)
            number += 1 + random.Random(number).randrange(steps)
        print("%s: allocations up to the %d-th" % (where, number))


{"writes": writes, "plot": plot, "allocations": allocations, "workers": workers}[GROUP]()
print(runs, "runs")
