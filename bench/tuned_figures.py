#!/usr/bin/env python3
"""What tuning came to, of each problem in a database of tune: how many points per second, what the time went into, the
best point.

    bench/tuned_figures.py DATABASE [KEY=FLOPS ...]

KEY=FLOPS: floating-point operations of one run of the problem KEY, for GFLOP/s. Sweeps only count as points: what the
race and the confirmation measure again is none.
"""
import datetime
import sqlite3
import sys

PROBLEMS = """
    SELECT p.id, p.key, p.n, x.path, d.name AS device, min(t.run_id) AS first_run, max(t.run_id) AS last_run,
           count(*) AS points, max(t.measured_at) AS swept_at
    FROM trials AS t JOIN problems AS p ON p.id = t.problem_id JOIN experiments AS x ON x.id = p.experiment_id
    JOIN environments AS e ON e.id = t.environment_id JOIN devices AS d ON d.id = e.device_id
    WHERE t.stage = 'sweep' GROUP BY p.id ORDER BY p.id"""
RUNS = """
    SELECT count(*) AS count, min(started_at) AS started_at, sum(wall_ns) AS wall_ns, sum(measuring_ns) AS measuring_ns,
           sum(compile_wait_ns) AS compile_wait_ns, sum(binaries_compiled) AS compiled, sum(binaries_cached) AS cached
    FROM runs WHERE id IN (SELECT run_id FROM trials WHERE problem_id = ?)"""
STATUSES = "SELECT status, count(*) FROM trials WHERE problem_id = ? AND stage = 'sweep' GROUP BY 1 ORDER BY 2 DESC, 1"
SEARCH = """
    SELECT strategy, product_count, space_count, max(points) AS points, sum(unlaunchable) AS unlaunchable,
           sum(duplicates) AS duplicates FROM searches WHERE problem_id = ?"""
WINNER = """
    SELECT c.key, t.median_ns, w.trust FROM winners AS w JOIN trials AS t ON t.id = w.trial_id
    JOIN configurations AS c ON c.id = t.configuration_id WHERE w.problem_id = ? ORDER BY w.id DESC LIMIT 1"""
SWEPT = """
    SELECT c.key, t.median_ns, NULL AS trust FROM trials AS t JOIN configurations AS c ON c.id = t.configuration_id
    WHERE t.problem_id = ? AND t.stage = 'sweep' AND t.status = 'ok' ORDER BY t.median_ns LIMIT 1"""


def seconds_between(first, last):
    return (datetime.datetime.fromisoformat(last.rstrip("Z")) -
            datetime.datetime.fromisoformat(first.rstrip("Z"))).total_seconds()


def search_of(search):
    product = f" (the product has {search['product_count']})" if search["product_count"] else ""
    return f"{search['points']} of {search['space_count']} points{product} tried by {search['strategy']}"


def rate_of(row, runs, search):
    """Of the sweep, starts included; where several runs share it, of their wall time."""
    tried = search_of(search) if search["points"] else f"{row['points']} points"
    points = search["points"] or row["points"]
    seconds = seconds_between(runs["started_at"], row["swept_at"]) if runs["count"] == 1 else (runs["wall_ns"] or 0) / 1e9
    if seconds <= 0:
        return tried
    return f"{tried} in {seconds:.0f} s: {points / seconds:.1f} a second, {60 * points / seconds:.0f} a minute"


def aside_of(search):
    if not search["unlaunchable"] and not search["duplicates"]:
        return None
    return f"set aside without the device: {search['unlaunchable']} of which no block fits, " \
           f"{search['duplicates']} that repeat others' machine code"


def shares_of(runs):
    """None while the run goes on, and of one that was cut off."""
    if not runs["wall_ns"]:
        return None
    measuring, waiting = (100 * (runs[key] or 0) / runs["wall_ns"] for key in ("measuring_ns", "compile_wait_ns"))
    return f"{runs['wall_ns'] / 1e9:.1f} s in all: {measuring:.1f} % measuring, {waiting:.1f} % waiting for the " \
           f"compiler, {100 - measuring - waiting:.1f} % other; {runs['compiled']} binaries compiled, " \
           f"{runs['cached']} cached"


def best_of(best, flops):
    rate = f", {flops / best['median_ns']:.0f} GFLOP/s" if flops else ""
    trust = f", {best['trust']}" if best["trust"] else ", of the sweep"
    return f"best: {best['median_ns'] / 1000:.2f} us{rate}{trust}: {best['key']}"


def lines_of(database, flops):
    lines = []
    for row in database.execute(PROBLEMS).fetchall():
        runs = database.execute(RUNS, (row["id"],)).fetchone()
        best = (database.execute(WINNER, (row["id"],)).fetchone() or database.execute(SWEPT, (row["id"],)).fetchone())
        search = database.execute(SEARCH, (row["id"],)).fetchone()
        statuses = ", ".join(f"{count} {status}" for status, count in database.execute(STATUSES, (row["id"],)))
        told = (rate_of(row, runs, search), aside_of(search), statuses, shares_of(runs),
                best_of(best, flops.get(row["key"])) if best else None)
        lines += [f"{row['key']} n={row['n']} on {row['device']}", *("  " + text for text in told if text)]
    return lines


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    flops = {}
    for word in sys.argv[2:]:
        key, equals, number = word.partition("=")
        if not equals or not number.isdigit():
            sys.exit(f"'{word}': write KEY=FLOPS")
        flops[key] = int(number)
    database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    print("\n".join(lines_of(database, flops)))


if __name__ == "__main__":
    main()
