#!/usr/bin/env python3
"""What this device loses with what others found, measured here: foreign.py TUNE FLEET.conf TUNE.db [--device 0]

FLEET.conf is what `tune export` makes of several devices' measurements (`tune merge`), TUNE.db what was tuned on this one.
For each other device of FLEET.conf, and for its portable section, the entries that would answer at the sizes that were
tuned here race this device's own winner, the baselines and what came near it (`tune check`). What follows is what
each loses to the fastest of these. Untuned is what a baseline loses, in the rounds of TUNE.db.
"""
import argparse
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from elsewhere import GAINS, HEAD, summary  # noqa: E402

WINNERS = """
SELECT w.id, w.configuration_id, w.problem, w.n FROM latest_winners AS w
JOIN environments AS e ON e.id = w.environment_id JOIN devices AS d ON d.id = e.device_id
WHERE w.objective = 'time' AND w.l2_mode = 'cold' AND w.trust IS NOT 'unstable' AND d.name = ?
"""


def sections(text):
    """By the name of the device: lines (problem, first n, last n, values)."""
    found, entries = {}, None
    for line in text.splitlines():
        heading = re.match(r'\[cuda "((?:[^"\\]|\\.)*)"\]', line)
        entry = re.match(r"([A-Za-z_][\w.-]*) n=(\d+)(?:-(\d+))? ([^|]*)", line)
        if heading:
            entries = found.setdefault(heading.group(1), [])
        elif entry and entries is not None:
            low = int(entry.group(2))
            entries.append((entry.group(1), low, int(entry.group(3) or low), entry.group(4).strip()))
    return found


def untuned(database, winners):
    found = {}
    for winner, configuration, _, _ in winners:
        for baseline, gain in database.execute(GAINS, (winner, configuration)):
            found.setdefault(baseline, []).append(gain - 1)
    return found


def check(tune, conf, arguments):
    command = [tune, "check", str(conf), "--device", arguments.device, "--from", arguments.database, "--json", "-q",
               "--budget", arguments.budget]
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    if not ran.stdout.strip():
        sys.exit(f"{' '.join(command)}: {ran.stderr.strip()}")
    return json.loads(ran.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tune")
    parser.add_argument("fleet")
    parser.add_argument("database")
    parser.add_argument("--device", default="0")
    parser.add_argument("--budget", default="30s", help="of each section (30s)")
    arguments = parser.parse_args()
    told = json.loads(subprocess.run([arguments.tune, "devices", "--device", arguments.device, "--json"], check=True,
                                     capture_output=True, text=True).stdout)
    name = told["devices"][0]["device"]
    database = sqlite3.connect(f"file:{arguments.database}?mode=ro", uri=True)
    winners = database.execute(WINNERS, (name,)).fetchall()
    if not winners:
        sys.exit(f"{arguments.database} has no winner of {name}")
    table, slow, unknown = [], [], 0
    with tempfile.TemporaryDirectory() as work:
        for whose, entries in sections(pathlib.Path(arguments.fleet).read_text()).items():
            lines = [f"{problem} n={n} {values} |" for *_, problem, n in winners for key, low, high, values in entries
                     if key == problem and low <= n <= high]
            if whose == name or not lines:
                continue
            conf = pathlib.Path(work) / "foreign.conf"
            conf.write_text("\n".join(["tuned-conf 4", f'[cuda "{name}"]', *lines, "end", ""]))
            whose = "portable" if whose == "*" else whose
            losses = []
            for entry in check(arguments.tune, conf, arguments):
                if entry["loss"] is None:
                    unknown += 1
                    slow.append(f"{whose}: {entry['problem']} n={entry['n']}: {entry['state']}: {entry['reason']}")
                    continue
                losses.append(max(0.0, entry["loss"]))
                if entry["loss"] > 0.01:
                    slow.append(f"{whose}: {entry['problem']} n={entry['n']}: {100 * entry['loss']:.2f} %")
            if losses:
                table.append(f"| {name} | {whose} | {summary(losses)} |")
    table += [f"| {name} | untuned: {baseline} | {summary(losses)} |"
              for baseline, losses in sorted(untuned(database, winners).items())]
    print("\n".join([*HEAD, *table, "", *slow]))
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
