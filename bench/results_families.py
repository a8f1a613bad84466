"""The part of docs/results.md about the experiments that are tuned on request: elementwise, work_queue,
reduce_rows, reduce_segments, occupancy, reduce_ordered. Straight from the databases, whichever of a folder has them."""
import pathlib
import subprocess

from results_base import gigabytes, microseconds, opened, size, table
from results_ideas import Sweep, idea_table, in_order, keys_of, sizes_of

ROOT = pathlib.Path(__file__).resolve().parent.parent

QUEUES = ("queue_block", "queue_warp")
EQUAL_BYTES = ("reduce.sum.i64", "reduce.sum.i32", "reduce.sum.f64", "reduce.sum.f32", "reduce.sum.u8")


def winners_of(connection, experiment):
    """key, n, bytes, time, verdict and configuration of each winner by time, caches cold."""
    return connection.execute("""
        SELECT p.key, p.n, p.bytes_moved AS bytes, t.median_ns AS time_ns, v.verdict, c.key AS configuration,
               l.ceiling, l.gbs AS ceiling_gbs
        FROM winners AS w
        JOIN latest_problems USING (environment_id, problem_id, l2_mode, objective)
        JOIN problems AS p ON p.id = w.problem_id
        JOIN experiments AS x ON x.id = p.experiment_id
        JOIN trials AS t ON t.id = w.trial_id
        JOIN configurations AS c ON c.id = t.configuration_id
        LEFT JOIN verdicts AS v ON v.trust = w.trust
        LEFT JOIN problem_ceilings AS l ON l.environment_id = w.environment_id AND l.problem_id = p.id
        WHERE x.name = ? AND w.objective = 'time' AND w.l2_mode = 'cold'
        ORDER BY p.id, p.n""", (experiment,)).fetchall()


def elementwise(connection):
    body = []
    for row in winners_of(connection, "elementwise"):
        rate = row["bytes"] / row["time_ns"]
        body.append((row["key"], size(row["n"]), microseconds(row["time_ns"]), gigabytes(rate),
                     f"{100 * rate / row['ceiling_gbs']:#.3g} % of {row['ceiling']}" if row["ceiling_gbs"] else "",
                     row["verdict"] or "",
                     f"`{row['configuration']}`"))
    if not body:
        return []
    return ["#### elementwise", "",
            "Reductions compared with the device's ceiling: bytes read and written, against the ceiling that moves "
            "them the same way.", "",
            *table(["problem", "n", "us", "GB/s", "of ceiling", "verdict", "configuration"], body), ""]


def relative(times, values):
    best = min(times.values())
    return [f"{times[value] / best:.2f}" if value in times else "-" for value in values]


def way(parameters):
    """How items are distributed: with a thread for each of them, the device does it, block by block."""
    by_device = parameters["variant"] == "grid_stride" and parameters.get("blocks_per_sm") == "all"
    return "thread an item" if by_device else parameters["variant"]


def work_queue(connection):
    sweeps = [(key, n, Sweep(connection, key, n).best(way))
              for key in keys_of(connection, "work_queue") for n in sizes_of(connection, key)]
    sweeps = [sweep for sweep in sweeps if sweep[2]]
    if not sweeps:
        return []
    variants = in_order(list(dict.fromkeys(value for *_, times in sweeps for value in times)))
    body = []
    for key, n, times in sweeps:
        queued = [times[variant] for variant in QUEUES if variant in times]
        others = [time_ns for variant, time_ns in times.items() if variant not in QUEUES]
        gain = f"{min(others) / min(queued):.2f}x" if queued and others else "-"
        body.append((key, size(n), microseconds(min(times.values())), *relative(times, variants), gain))
    return ["#### work_queue", "",
            "The best of each way to distribute items, as multiples of the fastest, and the gain of the better "
            "queue over the best way without one (medians of the sweep). *thread an item*: a grid as large as the "
            "work, whose blocks the device starts as others end.", "",
            *table(["problem", "n", "fastest, us", *variants, "gain of the queue"], body), ""]


def best_of_each(connection, experiment, parameter, counted, about):
    """The best of each value of a parameter, as multiples of the fastest, beside the winner's GB/s."""
    sweeps = [(key, n, Sweep(connection, key, n)) for key in keys_of(connection, experiment)
              for n in sizes_of(connection, key)]
    sweeps = [sweep for sweep in sweeps if sweep[2].points]
    values = in_order(list(dict.fromkeys(value for *_, sweep in sweeps for value in sweep.best(parameter))))
    if not values:
        return []
    rates = {(row["key"], row["n"]): row["bytes"] / row["time_ns"] for row in winners_of(connection, experiment)}
    body = [(key, size(n), microseconds(sweep.best_ns),
             gigabytes(rates[key, n]) if (key, n) in rates else "", *relative(sweep.best(parameter), values))
            for key, n, sweep in sweeps]
    return [f"#### {experiment}", "", about, "",
            *table(["problem", counted, "fastest, us", "GB/s", *map(str, values)], body), ""]


def reduce_rows(connection):
    return best_of_each(connection, "reduce_rows", "step", "rows",
                        "Rows of 8 to 1024 elements (the last word of the problem); n counts rows. The best of each step, as "
                        "multiples of the fastest (medians of the sweep), and the winner's GB/s.")


def reduce_segments(connection):
    return best_of_each(connection, "reduce_segments", "lanes", "segments",
                        "Segments of different lengths around the last word of the problem; n counts segments. The best by "
                        "threads for each segment, as multiples of the fastest (medians of the sweep), and the winner's GB/s.")


def picture(tune, database, figures, figure, problem, n):
    """A figure of one problem, drawn into `figures`, and the line that shows it; none where it has no data."""
    subprocess.run([tune, "plot", figure, "--db", str(database), "--problem", problem, "--n", str(n), "--format", "png",
                    "-o", str(figures)], check=False, capture_output=True)
    return [f"![{path.stem}]({path.relative_to(ROOT / 'docs')})\n"
            for path in sorted(figures.glob(f"{figure}-{problem}-{n}.png")) if path.is_relative_to(ROOT / "docs")]


def occupancy(connection, tune, database, figures):
    """The best at each number of resident warps, and the picture of all points."""
    lines = []
    for key in keys_of(connection, "occupancy"):
        sizes = [n for n in sizes_of(connection, key) if Sweep(connection, key, n).points]
        columns = [Sweep(connection, key, n).best("warps") for n in sizes]
        warps = in_order(list(dict.fromkeys(value for times in columns for value in times)))
        if not warps:
            continue
        word_bytes = {row["n"]: row["bytes"] for row in winners_of(connection, "occupancy")}
        body = [(value, *(gigabytes(word_bytes[n] / times[value]) if value in times and n in word_bytes else "-"
                          for n, times in zip(sizes, columns))) for value in warps]
        lines += ["GB/s of the best block and loads in flight at each occupancy (medians of the sweep):", "",
                  *table(["resident warps per SM"] + [f"n = {size(n)}" for n in sizes], body), ""]
        lines += picture(tune, database, figures, "occupancy", key, sizes[-1])
    return ["#### occupancy", ""] + lines if lines else []


def gemm(connection, tune, database, figures):
    """A kernel that computes: why its winner at the largest size wins, and its place under the roofs."""
    sizes = [row["n"] for row in winners_of(connection, "gemm") if row["verdict"] == "sure"]
    if not sizes:
        return []
    n = max(sizes)
    why = subprocess.run([tune, "show", "--why", "gemm", "--n", str(n), "--db", str(database)], check=False,
                         capture_output=True, text=True).stdout.rstrip()
    return ["#### gemm", "", f"`tune show --why gemm --n {n}`:", "", "```", *why.split("\n"), "```", "",
            *picture(tune, database, figures, "roofline", "gemm", n)]


def reduce_ordered(connection, databases):
    """Compares with reductions of as many bytes that need not keep the order, of any database of the folder."""
    winners = winners_of(connection, "reduce_ordered")
    if not winners:
        return []
    others = {}
    for database in databases:
        with opened(database) as other:
            for row in winners_of(other, "reduce"):
                others[row["key"], row["bytes"]] = row
    body = []
    for row in winners:
        found = next((others[key, row["bytes"]] for key in EQUAL_BYTES if (key, row["bytes"]) in others), None)
        body.append((row["key"], size(row["n"]), microseconds(row["time_ns"]),
                     gigabytes(row["bytes"] / row["time_ns"]),
                     f"{found['key']}, n = {size(found['n'])}" if found else "-",
                     microseconds(found["time_ns"]) if found else "-",
                     f"{row['time_ns'] / found['time_ns']:.3f}" if found else "-", row["verdict"] or "",
                     f"`{row['configuration']}`"))
    lines = ["#### reduce_ordered", "",
             "Winners, and the winners of `reduce` that read as many bytes, whose order need not be kept (a tuning of "
             "its own, so not of the same rounds).", "",
             *table(["problem", "n", "us", "GB/s", "against", "us", "times as long", "verdict", "configuration"], body),
             ""]
    for key in keys_of(connection, "reduce_ordered"):
        ideas = idea_table(connection, key, ("variant", "step", "count", "loads", "bound", "cache"))
        if ideas:
            lines += [f"Gain of each idea, {key}:", "", *ideas, ""]
    return lines


def place(connection, database):
    """Where and when a database was recorded, and how."""
    lines = []
    for name, day, effort, l2_mode in connection.execute("""
            SELECT d.name, substr(r.started_at, 1, 10), r.effort, r.l2_mode
            FROM runs AS r
            JOIN environments AS e ON e.id = r.environment_id
            JOIN devices AS d ON d.id = e.device_id
            WHERE EXISTS (SELECT 1 FROM trials WHERE run_id = r.id)
            ORDER BY r.id"""):
        lines.append(f"`{database.name}`: {name}, {day}, `tune run`, effort {effort or 'unknown'}, caches {l2_mode}.")
    return list(dict.fromkeys(lines)) + [""]


EFFORTS = ("quick", "normal", "thorough")


def superseded(databases):
    """By database, the families whose problems a later recording has, all of them, with no less effort and as many points."""
    found = {}
    for database in databases:
        with opened(database) as connection:
            for name, key, n, day, effort, points in connection.execute("""
                    SELECT x.name, p.key, p.n, max(r.started_at), r.effort,
                        (SELECT count(*) FROM trials AS t WHERE t.problem_id = p.id AND t.stage = 'sweep')
                    FROM winners AS w
                    JOIN runs AS r ON r.id = w.run_id
                    JOIN problems AS p ON p.id = w.problem_id
                    JOIN experiments AS x ON x.id = p.experiment_id
                    WHERE w.objective = 'time' AND w.l2_mode = 'cold' GROUP BY 1, 2, 3"""):
                found.setdefault(name, {}).setdefault(database, {})[key, n] = (day, EFFORTS.index(effort or "quick"), points)

    def replaces(new, old):
        return old.keys() <= new.keys() and all(new[problem][k] >= old[problem][k] for problem in old for k in (1, 2)) and \
            max(old.values())[0] < max(new.values())[0]

    return {database: {name for name, recordings in found.items() if database in recordings
                       and any(replaces(other, recordings[database]) for other in recordings.values())}
            for database in databases}


def families(databases, tune, figures):
    """`databases`: those of one folder; `figures`: where its pictures are. Each family from its newest recording, and from
    an earlier one that has more problems or points, or took more effort."""
    lines, earlier = [], superseded(databases)
    for database in databases:
        with opened(database) as connection:
            parts = {"elementwise": lambda: elementwise(connection), "work_queue": lambda: work_queue(connection),
                     "reduce_rows": lambda: reduce_rows(connection), "reduce_segments": lambda: reduce_segments(connection),
                     "occupancy": lambda: occupancy(connection, tune, database, figures),
                     "reduce_ordered": lambda: reduce_ordered(connection, databases),
                     "gemm": lambda: gemm(connection, tune, database, figures)}
            found = [line for name, part in parts.items() if name not in earlier[database] for line in part()]
            lines += place(connection, database) + found if found else []
    return ["### Families on request", "", *lines] if lines else []
