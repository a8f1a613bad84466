"""crash_matrix.py KILLS SEED|random: kills `$TUNE run double.yaml` in the current folder and starts it again,
over and over, checking the database after each kill and everything at the end of each cycle."""

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
CACHE = os.environ["TUNE_CACHE_DIR"]
MARK = "TUNE_CRASH_MATRIX=%d" % os.getpid()  # finds the processes of these runs, whatever their parent
# Every stage of a run, each as short as it can be.
SHORT = ["look_rounds.0=3", "look_rounds.1=0", "confirm_processes=2", "confirm_rounds=2",
         "look_between=1"]
COMMAND = [TUNE, "run", "double.yaml", "--device", "cpu", "--quiet", *os.environ["STEADY"].split(),
           *(word for value in SHORT for word in ("--set", value))]
LIFE_S = 600.0  # a run that takes longer hangs

# Where the parent is killed: (point, the latest time it is reached that is tried).
EARLY = [("store.begin", 3), ("store.execute", 6), ("store.step", 12), ("store.stepped", 12),
         ("store.commit", 3), ("store.committed", 3), ("store.ready", 1), ("run.opened", 1),
         ("worker.started", 1)]
MIDDLE = [("store.begin", 40), ("store.step", 600), ("store.stepped", 600), ("store.commit", 40),
          ("store.committed", 40), ("worker.asked", 300), ("worker.answered", 300),
          ("worker.started", 3)]
LATE = ["run.measured", "export.ready", "file.made", "file.written", "file.synced", "file.renamed",
        "run.written", "run.closed"]
# Where each child is killed. A replacement begins the round of a race anew, so no child may live shorter than the longest
# round: 16 requests with five that work and are prepared and visited, more than 22 were seen on a busy machine.
CHILD = [("child.asked", 60, 120), ("child.done", 60, 120), ("child.compiled", 2, 3),
         ("child.renamed", 2, 3)]


class Matrix:
    def __init__(self, wanted, seed):
        self.random = random.Random(seed)
        self.wanted = wanted
        self.kills = {}
        self.log = []
        self.committed = {}

    def fail(self, text):
        print("FAILED:", text)
        print("the last steps:", *self.log[-12:], sep="\n  ")
        if os.path.exists("err"):
            print("--- err:", open("err", errors="replace").read()[-2000:])
        sys.exit(1)

    def count(self):
        return sum(self.kills.values())

    def note_kill(self, kind):
        self.kills[kind] = self.kills.get(kind, 0) + 1

    # ---- processes

    def ours(self):
        """Processes of these runs that are alive: [(pid, command line)]."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/environ" % pid, "rb") as file:
                    if MARK.encode() not in file.read().split(b"\0"):
                        continue
                with open("/proc/%s/stat" % pid) as file:
                    if file.read().rsplit(")", 1)[1].split()[0] in "ZX":
                        continue
                with open("/proc/%s/cmdline" % pid, "rb") as file:
                    found.append((int(pid), file.read().replace(b"\0", b" ").decode(errors="replace")))
            except OSError:
                continue
        return found

    def check_no_orphans(self):
        end = time.monotonic() + 60
        while True:
            left = self.ours()
            if not left:
                return
            if time.monotonic() > end:
                self.fail("processes outlive the run: %s" % left)
            time.sleep(0.01)

    def start(self, failpoint=None, more=()):
        environment = dict(os.environ)
        name, value = MARK.split("=")
        environment[name] = value
        environment.pop("TUNE_FAILPOINT", None)
        if failpoint:
            environment["TUNE_FAILPOINT"] = failpoint
        self.log.append("run with %s" % (failpoint or "no failpoint"))
        with open("out", "wb") as out, open("err", "wb") as err:
            return subprocess.Popen(COMMAND + list(more), stdout=out, stderr=err, env=environment,
                                    start_new_session=True)

    def wait(self, run, seconds):
        try:
            return run.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def finish(self, run):
        code = self.wait(run, LIFE_S)
        if code is None:
            self.fail("the run hangs: %s" % self.ours())
        return code

    def life(self, failpoint):
        """A run that a failpoint kills, or that gets to its end before."""
        code = self.finish(self.start(failpoint))
        if code == -signal.SIGKILL:
            self.note_kill("at " + re.split("[#=]", failpoint)[0])
        elif code != 0:
            self.fail("exit code %d" % code)
        self.check()
        return code == 0

    def killed_at_random(self):
        run = self.start()
        code = self.wait(run, self.random.choice([0.05, 0.5, 2.0]) * self.random.random())
        if code is None:
            run.kill()
            code = self.finish(run)
            self.note_kill("at a random time")
            self.log.append("killed at a random time")
        elif code != 0:
            self.fail("exit code %d" % code)
        self.check()

    def workers_killed(self):
        """One worker or two of a run that goes on, and may then be killed itself. (Three that are killed
        at their start, one after the other, are the end of a run.)"""
        run = self.start()
        for _ in range(self.random.randint(1, 2)):
            if self.wait(run, 0.3 * self.random.random()) is not None:
                break
            children = [pid for pid, words in self.ours() if " __" in words]
            if children:
                victim = self.random.choice(children)
                try:
                    os.kill(victim, signal.SIGKILL)
                    self.note_kill("worker, at a random time")
                    self.log.append("killed a worker")
                except ProcessLookupError:
                    pass
        if self.random.random() < 0.7 and self.wait(run, 0.2 * self.random.random()) is None:
            run.kill()
            self.note_kill("at a random time")
        code = self.finish(run)
        if code not in (0, -signal.SIGKILL):
            self.fail("exit code %d after a worker was killed" % code)
        self.check()

    def children_die(self):
        """A whole run whose children die by themselves, each at its N-th step."""
        point, least, most = self.random.choice(CHILD)
        failpoint = "%s#%d=kill" % (point, self.random.randint(least, most))
        code = self.finish(self.start(failpoint))
        if code != 0:
            self.fail("exit code %d" % code)
        self.check()

    # ---- the database

    def copy(self):
        """A copy with its log, so that it is tune, not we, that recovers the original."""
        shutil.rmtree("copy", ignore_errors=True)
        os.mkdir("copy")
        for name in ("tune.db", "tune.db-wal", "tune.db-journal"):
            if os.path.exists(name):
                shutil.copy(name, "copy/" + name)
        return sqlite3.connect("copy/tune.db")

    def check(self):
        self.check_no_orphans()
        if not os.path.exists("tune.db") or os.path.getsize("tune.db") == 0:
            if self.committed:
                self.fail("the database is gone")
            return
        db = self.copy()
        if db.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            self.fail("integrity_check")
        if db.execute("PRAGMA foreign_key_check").fetchall():
            self.fail("foreign_key_check")
        if db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] > 0:
            self.check_trials(db)
        db.close()

    def check_trials(self, db):
        half = db.execute("""
            SELECT t.id FROM trials AS t WHERE
                t.sample_count <> (SELECT count(*) FROM samples WHERE trial_id = t.id)
                OR coalesce(t.launch_count, 0) <> (SELECT count(*) FROM resources WHERE trial_id = t.id)
                OR (t.status = 'ok' AND t.sample_count = 0)""").fetchall()
        if half:
            self.fail("trials that are half there: %s" % half)
        now = {row[0]: row[1:] for row in db.execute(
            "SELECT id, problem_id, configuration_id, stage, status, measured_at FROM trials")}
        half = db.execute("""
            SELECT t.id FROM trials AS t WHERE t.stage <> 'sweep' AND EXISTS (
                SELECT 1 FROM samples AS s WHERE s.trial_id = t.id AND NOT EXISTS (
                    SELECT 1 FROM rounds AS r WHERE r.run_id = t.run_id AND r.problem_id = t.problem_id
                    AND r.stage = t.stage AND r.process = s.process AND r.ordinal = s.round))""").fetchall()
        if half:
            self.fail("trials without their rounds: %s" % half)
        confirmed = {row[0] for row in db.execute(
            "SELECT problem_id FROM winners WHERE stage = 'confirm'")}
        swept = {row[0] for number, row in now.items()
                 if row[2] == "sweep" and self.committed.get(number) != row}
        for number, before in self.committed.items():
            if number not in now or now[number][:3] != before[:3]:
                self.fail("trial %d, which was committed, is gone" % number)
            again = now[number][3:] != before[3:]
            # A race is one measurement of all that are in it, a confirmation of all finalists, in each state of
            # the cache: they are begun again until there is a confirmed winner, and when there are new trials
            # of the sweep (those of --retry).
            unfinished = before[2] in ("race", "confirm", "dirty", "hot") and (
                before[0] not in self.confirmed or before[0] in swept)
            if again and not unfinished and before[3] != "crashed":
                self.fail("trial %d was measured twice: %s, then %s" % (number, before, now[number]))
        self.committed = now
        self.confirmed = confirmed

    def trials(self):
        """{(key, n, configuration): status}, that of the one it is the same as where it is a twin."""
        db = self.copy()
        rows = db.execute("""
            SELECT p.key, p.n, c.key, coalesce(twin.status, t.status)
            FROM trials AS t JOIN problems AS p ON p.id = t.problem_id
            JOIN configurations AS c ON c.id = t.configuration_id
            LEFT JOIN trials AS twin ON twin.id = t.same_as_trial_id
            WHERE t.stage = 'sweep'""").fetchall()
        winners = db.execute("SELECT count(*) FROM winners WHERE stage = 'confirm'").fetchone()[0]
        db.close()
        return {row[:3]: row[3] for row in rows}, winners

    # ---- a cycle: from no database to a whole one

    def clean(self):
        for name in os.listdir("."):
            if re.match(r"tuned?\.", name):
                os.unlink(name)
        self.committed = {}
        self.confirmed = set()

    def expect_files(self):
        allowed = {"tune.db", "tuned.conf", "out", "err", "copy", "double.yaml", "double_cpu.c",
                   "double_reference.c"}
        left = set(os.listdir(".")) - allowed
        # Binaries, and results of references that took long, as any does on a stalled machine.
        left |= {name for name in os.listdir(CACHE) if not re.fullmatch(r"[^.]+\.bin|[0-9a-f]{32}\.ref", name)}
        left -= {"scratch", "in-use.lock"}
        left |= set(os.listdir(CACHE + "/scratch"))
        left |= set(os.listdir(os.environ["TMPDIR"]))
        if left:
            self.fail("left-over files: %s" % sorted(left))

    def complete(self):
        """The last run is left alone. What was running when tune was killed twice is tried again."""
        statuses = self.trials()[0].values() if self.committed else []
        more = ["--retry", "crashed"] if "crashed" in statuses else []
        code = self.finish(self.start(more=more))
        if code != 0:
            self.fail("exit code %d" % code)
        self.check()

    def expect_whole(self):
        trials, winners = self.trials()
        if trials != self.reference[0] or winners != self.reference[1]:
            self.fail("not the trials of an undisturbed run: %s, %d winners" %
                      (sorted(set(trials.items()) ^ set(self.reference[0].items())), winners))
        exported = subprocess.run([TUNE, "export", "-o", "-"], capture_output=True)
        if exported.returncode != 0 or exported.stdout != open("tuned.conf", "rb").read():
            self.fail("tuned.conf is not what the database holds: %s" % exported.stderr)

    def at(self, points, least=1):
        point, most = self.random.choice(points)
        return self.life("%s#%d=kill" % (point, self.random.randint(least, most)))

    def cycle(self, number):
        self.clean()
        if number % 3 == 0:
            shutil.rmtree(CACHE, ignore_errors=True)
        for _ in range(5):
            self.at(EARLY)
        for _ in range(6):
            self.at(MIDDLE)
        for _ in range(4):
            self.killed_at_random()
        for _ in range(2):
            self.workers_killed()
        self.children_die()
        self.complete()
        for point in LATE:
            self.life("%s=kill" % point)
        self.complete()
        self.expect_whole()
        self.expect_files()

    def run(self):
        self.clean()
        self.complete()
        self.reference = self.trials()
        if len(self.reference[0]) != 40 or self.reference[1] != 2:
            self.fail("the undisturbed run: %d trials, %d winners" %
                      (len(self.reference[0]), self.reference[1]))
        number = 0
        while self.count() < self.wanted:
            self.cycle(number)
            number += 1
        print("%d kills in %d cycles:" % (self.count(), number),
              ", ".join("%d %s" % (n, kind) for kind, n in sorted(self.kills.items())))


seed = random.randrange(10**6) if sys.argv[2] == "random" else int(sys.argv[2])
print("seed", seed, flush=True)
Matrix(int(sys.argv[1]), seed).run()
