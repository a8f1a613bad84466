#!/usr/bin/env python3
"""What a device loses with what others found, and untuned: elsewhere.py ALL.DB

ALL.DB is what `tune merge` makes of several devices' databases. Of each device the others' winners of the same problem
and size are looked for among what was timed here, beside this device's winner, at the finest stage that timed both
(confirmation, race, sweep). Beside them stands the portable choice: of what was raced on all devices that take
part, the configuration that loses least at worst. It is made without the device that it is asked on where at
least two others remain (leave one out); with fewer, of all devices, and says so: then it has seen what it is judged by.
Untuned is what a baseline loses at the same problems and sizes.
"""
import argparse
import sqlite3
import statistics
import sys

WINNERS = """
SELECT w.id, w.configuration_id, d.name AS device, w.problem, w.n, w.environment_id, w.problem_id, w.l2_mode, c.key
FROM latest_winners AS w
JOIN environments AS e ON e.id = w.environment_id
JOIN devices AS d ON d.id = e.device_id
JOIN configurations AS c ON c.id = w.configuration_id
WHERE w.objective = 'time' AND w.stage <> 'sweep' AND w.trust IS NOT 'unstable' AND d.kind = 'cuda'
"""
HEAD = ["| on | with the choice of | problems and sizes | mean loss, % | worst, % | over 1 % |", "|---|---|---|---|---|---|"]
GAINS = "SELECT baseline, gain FROM gains WHERE winner_id = ? AND configuration_id = ? AND gain > 0"
POINTS = """
SELECT c.key, p.confirm_value, p.race_value, p.sweep_ns
FROM points AS p JOIN configurations AS c ON c.id = p.configuration_id
WHERE p.environment_id = ? AND p.problem_id = ? AND p.l2_mode = ? AND p.objective = 'time'
"""


def losses_here(database, winner):
    """Of each configuration: what it loses to the winner here; and by key whether that is of a race."""
    found, best = {}, None
    rows = {key: stages for key, *stages in database.execute(
        POINTS, (winner["environment_id"], winner["problem_id"], winner["l2_mode"]))}
    best = rows.get(winner["key"])
    for key, stages in rows.items():
        for stage, (own, least) in enumerate(zip(stages, best or (None,) * 3)):
            if own and least:
                found[key] = (own / least - 1, stage < 2)
                break
    return found


def portable(losses, devices):
    """What loses least at worst on these devices, of what was raced on all of them; None: nothing was."""
    keys = set.intersection(*({key for key, (_, raced) in losses[device].items() if raced}
                              for device in devices))
    return min(keys, key=lambda key: (max(losses[device][key][0] for device in devices), key), default=None)


def summary(values):
    return (f"{len(values)} | {100 * statistics.mean(values):.2f} | {100 * max(values):.2f} | "
            f"{sum(value > 0.01 for value in values)}" if values else "0 | | |")


def tables(path):
    """Lines of Markdown; none where no two devices have a winner of one problem and size."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    by_size = {}
    for winner in database.execute(WINNERS):
        by_size.setdefault((winner["problem"], winner["n"], winner["l2_mode"]), {})[winner["device"]] = winner
    other, best_for_all, untuned, seen_itself = {}, {}, {}, False
    for winners in by_size.values():
        if len(winners) < 2:
            continue
        losses = {device: losses_here(database, winner) for device, winner in winners.items()}
        for device in winners:
            for baseline, gain in database.execute(GAINS, (winners[device]["id"], winners[device]["configuration_id"])):
                untuned.setdefault((device, baseline), []).append(gain - 1)
            rest = [name for name in winners if name != device]
            for name in rest:
                loss = losses[device].get(winners[name]["key"])
                if loss:
                    other.setdefault((device, name), []).append(loss[0])
            among = rest if len(rest) > 1 else list(winners)
            seen_itself |= device in among
            key = portable(losses, among)
            if key in losses[device]:
                best_for_all.setdefault(device, []).append(losses[device][key][0])
    database.close()
    if not other:
        return []
    lines = [*HEAD, *(f"| {device} | {name} | {summary(values)} |" for (device, name), values in sorted(other.items())),
             *(f"| {device} | portable | {summary(values)} |" for device, values in sorted(best_for_all.items())),
             *(f"| {device} | untuned: {name} | {summary(values)} |" for (device, name), values in sorted(untuned.items()))]
    if seen_itself:
        lines += ["", "The portable choice has seen the device that it is judged on: two devices leave none out."]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database")
    lines = tables(parser.parse_args().database)
    if not lines:
        sys.exit("no two devices have a winner of one problem and size")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
