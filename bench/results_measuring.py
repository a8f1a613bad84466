"""The parts of docs/results.md about the measuring itself: trust, ranges, and what bench_protocol and
bench/agreement.py recorded. Each gives lines of Markdown; none where nothing was recorded."""
import collections
import math
import statistics

from results_base import caption, code, folded, opened, percent, rows_of, share, size, table, without_common

MAD_TO_SD, MEDIAN_VARIANCE = 1.4826, math.pi / 2  # normal noise


# ---- out of the database ----

def trust(show, text):
    """What `tune show --trust` says of the run as a whole, and which choices are not sure."""
    rows = show("--trust")
    if not rows:
        return []
    counts = collections.Counter(row["verdict"] for row in rows)
    lines = ["### Trust", "", "```", text.split("\n\n")[0].rstrip(), "```", ""]
    if counts["sure"] < len(rows):
        lines += table(["problem", "n", "verdict", "why"],
                       [(row["problem"], size(row["n"]), row["verdict"], row["verdict_reason"])
                        for row in rows if row["verdict"] != "sure"]) + [""]
    return lines


def most(rows, column):
    return percent(max((row[column] for row in rows if row[column]), key=float, default=""))


def ranges(show):
    rows = show("--ranges")
    if not rows:
        return []
    problems = collections.defaultdict(list)
    for row in rows:
        problems[row["problem"]].append(row)
    body, details = [], []
    for name, own in problems.items():
        body.append((name, len(own), most(own, "bound_percent"), most(own, "between_loss_percent")))
        common, configurations = without_common([row["configuration"] for row in own])
        details += folded(name, common + table(
            ["from n", "to n", "loses at most", "lost in between", "configuration"],
            [(f"{int(row['n_low']):,}", f"{int(row['n_high']):,}", percent(row["bound_percent"]),
              percent(row["between_loss_percent"]), code(configuration))
             for row, configuration in zip(own, configurations)]))
    return ["### Ranges of sizes", "",
            f"One configuration for all sizes of a range. At the measured sizes it may lose "
            f"{float(rows[0]['within_percent']):g} %; *loses at most* is its actual loss. *Lost in between*: the "
            f"loss at sizes between the measured ones, checked afterwards against the winners around them.", "",
            *table(["problem", "ranges", "loses at most", "lost in between, at most"], body), "", *details]


def visits_of(connection, problem_id):
    """ln of the time of each configuration in each round of each process that confirmed."""
    blocks = collections.defaultdict(lambda: collections.defaultdict(list))
    for key, process, round_, elapsed_ns in connection.execute("""
            SELECT t.configuration_id, s.process, s.round, s.elapsed_ns
            FROM samples AS s JOIN trials AS t ON t.id = s.trial_id
            WHERE t.problem_id = ? AND t.stage = 'confirm' AND t.objective = 'time' AND t.status = 'ok'
              AND s.invalid = 0 AND s.elapsed_ns > 0""", (problem_id,)):
        blocks[process, round_][key].append(math.log(elapsed_ns))
    return {at: {key: statistics.median(times) for key, times in visit.items()} for at, visit in blocks.items()}


def spread_of(visits, near=0.05):
    """Of differences to the fastest: how far they move from process to process, and how far the noise of one
    process's rounds alone would move them. Root mean squares over the contenders; None with fewer than one."""
    keys = set.intersection(*(set(visit) for visit in visits.values())) if visits else set()
    level = {key: statistics.fmean(visit[key] for visit in visits.values()) for key in keys}
    fastest = min(level, key=level.get, default=None)
    between, within = [], []
    for key in keys:
        if key == fastest or level[key] - level[fastest] > near:
            continue
        processes = collections.defaultdict(list)
        for (process, _), visit in visits.items():
            processes[process].append(visit[key] - visit[fastest])
        if len(processes) < 3:
            continue
        between.append(statistics.variance(statistics.median(values) for values in processes.values()))
        within.append(statistics.fmean(noise_of_median(values) for values in processes.values()))
    if not between:
        return None
    return len(between), math.sqrt(statistics.fmean(between)), math.sqrt(statistics.fmean(within))


def noise_of_median(values):
    middle = statistics.median(values)
    deviation = MAD_TO_SD * statistics.median(abs(value - middle) for value in values)
    return deviation ** 2 * MEDIAN_VARIANCE / len(values)


def processes(database):
    with opened(database) as connection:
        problems = connection.execute("SELECT id, key, n FROM problems ORDER BY key, n").fetchall()
        spreads = [(key, n, spread_of(visits_of(connection, identity))) for identity, key, n in problems]
    spreads = [(key, n, spread) for key, n, spread in spreads if spread]
    if not spreads:
        return []
    body = [(key, size(n), spread[0], *(f"{100 * share:.2f} %" for share in spread[1:])) for key, n, spread in spreads]
    summary = []
    for name in dict.fromkeys(key for key, _, _ in spreads):
        between, within = zip(*(spread[1:] for key, _, spread in spreads if key == name))
        summary.append((name, len(between), *(f"{100 * value:.2f} %" for value in
                                              (statistics.median(between), max(between), statistics.median(within)))))
    return ["#### Differences between processes", "",
            "Standard deviation of a contender's difference to the fastest from one fresh process to another, "
            "beside the part explained by the noise of the rounds within a process (contenders within 5 %, of the "
            "confirmation in the run above). More rounds would reduce only the latter.", "",
            *table(["problem", "sizes", "between processes, median", "most", "noise of a process's rounds, median"],
                   summary), "",
            *folded("Each size", table(["problem", "n", "contenders", "between processes",
                                        "noise of a process's rounds"], body))]


# ---- what bench_protocol recorded ----

def twin(folder):
    lines = []
    for name, title, about in (
            ("twin", "One configuration against itself",
             "16 slots of one configuration, as the tuner measures: any difference found at 1 % is the harness's "
             "own."),
            ("twin-keep", "The same, with graphs that are kept",
             "The graphs of a plan are kept from visit to visit instead of being made anew.")):
        rows = rows_of(folder / f"{name}.csv")
        if not rows:
            continue
        body = []
        for row in rows:
            total = row["n"] == "all"
            body.append(("all" if total else size(row["n"]), row["runs"],
                         "" if total else f"{row['valid']} of {row['rounds']}",
                         "" if total else percent(row["block_mad_percent"]),
                         "" if total else percent(row["floor_percent"], 3),
                         *(share(int(row[f"{tests}_rejected"]), int(row[f"{tests}_tests"]))
                           for tests in ("window", "whole", "all_pairs"))))
        lines += [f"#### {title}", "", about + " " + caption(folder, name, f"`{name}.csv`."), "",
                  *table(["n", "runs per block", "valid rounds", "MAD of a block", "A/A floor",
                          "8 pairs, windows of 40 rounds", "8 pairs, all rounds", "all 120 pairs, all rounds"], body),
                  ""]
    return lines


def flush(folder):
    rows = rows_of(folder / "flush.csv")
    if not rows:
        return []
    body = [(size(row["n"]), row["runs"], f"{float(row['clean_us']):.2f}", f"{float(row['dirty_us']):.2f}",
             f"{100 * (float(row['ratio']) - 1):+.1f} %", f"{float(row['stream_us']):.2f}",
             f"{float(row['hot_us']):.2f}") for row in rows]
    return ["#### The cache flushed by reading and by writing", "",
            "A flush that writes leaves dirty lines, whose write-back is charged to the kernel: us per run, the "
            "same configuration in turns. Other harnesses time blocks of one run; in a block of several runs only "
            "the first one pays. " + caption(folder, "flush", "`flush.csv`."), "",
            *table(["n", "runs per block", "flushed by reading", "by writing", "", "streaming", "hot"], body), ""]


WAYS = {"mean_of_7": "mean of 7 in a row", "nvbench": "nvbench's criterion, flushed by writing",
        "race": "race, then the smallest", "race_ties": "race, ties, fixed order"}


def agreements(winners):
    """Of each size: repetitions' winners. Sizes in which all are the same, pairs that are, pairs."""
    everywhere = sum(len(set(group)) == 1 for group in winners)
    pairs = alike = 0
    for group in winners:
        for i, first in enumerate(group):
            for second in group[i + 1:]:
                pairs += 1
                alike += first == second
    return everywhere, alike, pairs


def agree(folder):
    rows = rows_of(folder / "agree.csv")
    if not rows:
        return []
    body = []
    for way, name in WAYS.items():
        chosen = [row for row in rows if row["way"] == way]
        sizes = collections.defaultdict(list)
        for row in chosen:
            sizes[row["n"]].append(row["winner"])
        if not chosen:
            continue
        everywhere, alike, pairs = agreements(sizes.values())
        regrets = [float(row["regret_percent"]) for row in chosen]
        body.append((name, share(everywhere, len(sizes)), share(alike, pairs), f"{statistics.fmean(regrets):.3f} %",
                     f"{max(regrets):.2f} %", f"{sum(float(row['seconds']) for row in chosen):.1f} s",
                     sum(row["timed_out"] == "1" for row in chosen) or ""))
    return ["#### Ways of choosing, against themselves", "",
            "A new choice among the same candidates in each of several fresh processes. The last two are one race "
            "in one process; the next table has the further steps of a tuning (confirmation, declared ties). " +
            caption(folder, "agree", "`agree.csv`."), "",
            *table(["way", "the same in all processes", "pairs alike", "regret, mean", "most", "measuring",
                    "met its time limit"], body), ""]


# ---- what bench/agreement.py recorded ----

def agreement(folder):
    rows, runs = rows_of(folder / "agreement.csv"), rows_of(folder / "agreement-runs.csv")
    if not rows or not runs:
        return []
    count = len({row["tuning"] for row in rows})
    problems = collections.defaultdict(list)
    for row in rows:
        problems[row["problem"], row["n"]].append(row)
    body = []
    for column, label in (("same", "the same winner"), ("same_launch", "the same launch"),
                          ("same_or_tied", "the same launch, or each declares the other's tied")):
        everywhere = sum(all(len(row[column].split()) == count for row in group) for group in problems.values())
        alike = sum(len(set(row[column].split()) - {row["tuning"]}) for row in rows) // 2
        body.append((label, share(everywhere, len(problems)),
                     share(alike, len(problems) * count * (count - 1) // 2)))
    regrets = [float(row["regret_percent"]) for row in rows if row["regret_percent"]]
    regret = f"Regret against the reference: mean {statistics.fmean(regrets):.3f} %, most " \
             f"{max(regrets):.2f} %." if regrets else ""
    times = [(run["name"], run["seed"], run["effort"], f"{float(run['wall_s']):.1f} s",
              f"{float(run['measuring_s']):.1f} s", run["points"], run["blocks"], f"{float(run['equal_s']):.0f} s",
              f"{float(run['equal_s']) / float(run['measuring_s']):.1f}") for run in runs
             if float(run["measuring_s"]) > 0]
    return [f"#### {count} independent tunings", "",
            f"Each with a database and a seed of its own, without earlier results: `bench/agreement.py`, "
            f"{runs[0]['device']}, {runs[0]['started_at'][:10]}. {regret}", "",
            *table(["", "all agree in", "pairs that agree"], body), "",
            "Their duration, and the duration if every configuration were measured in as many blocks as a finalist:", "",
            *table(["tuning", "seed", "effort", "wall time", "measuring", "configurations", "blocks",
                    "all equally long", "times as long"], times), ""]


def measuring(folder, database):
    lines = twin(folder) + flush(folder) + processes(database) + agree(folder) + agreement(folder)
    return ["### Measuring", ""] + lines if lines else []
