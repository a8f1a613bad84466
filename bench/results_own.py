"""The part of docs/results.md about kernels and files of others' own: T1 files tuned, the pool of compilers, spaces,
search strategies. Only what was recorded."""
import statistics

from results_base import caption, code, folded, microseconds, rows_of, size, table


def text_of(folder, name):
    """What was printed, without the line of the day and the command; nothing where nothing was recorded."""
    path = folder / f"{name}.txt"
    lines = path.read_text().rstrip().split("\n") if path.exists() else []
    first = caption(folder, name, "")
    return lines[1:] if first else lines


def printed(folder, name, title, words):
    lines = text_of(folder, name)
    return [f"#### {title}", "", f"{words} {caption(folder, name, '')}".rstrip(), "", "```", *lines, "```", ""] \
        if lines else []


def cells(games):
    """Of one strategy after one share: how close the middle game came, and the worst."""
    return (f"{100 * statistics.median(games):.2f} %", f"{100 * min(games):.2f} %") if games else ("-", "-")


def table_of_problem(rows):
    strategies = list(dict.fromkeys(row["strategy"] for row in rows))
    shares = sorted({(float(row["share"]), int(row["trials"])) for row in rows})
    games = {}
    for row in rows:
        key = row["strategy"], float(row["share"])
        games.setdefault(key, []).append(float(row["best_over_found"]))
    head = ["strategy"] + [f"{100 * share:g} % ({trials:,} points){what}" for share, trials in shares
                           for what in ("", ": worst")]
    body = [(f"`{name}`", *(cell for share, _ in shares for cell in cells(games.get((name, share)))))
            for name in strategies]
    return table(head, body)


def strategies(folder):
    rows = rows_of(folder / "strategies.csv")
    if not rows:
        return []
    problems = list(dict.fromkeys((row["problem"], row["n"]) for row in rows))
    lines = ["#### Search strategies", "",
             "Played against the times of all configurations of a problem: time of the best configuration over that "
             "of the best found after a share of the space, median and worst over the seeds. A failed configuration "
             "counts as a point. "
             + caption(folder, "strategies", "`strategies.csv`."), ""]
    for index, problem in enumerate(problems):
        own = [row for row in rows if (row["problem"], row["n"]) == problem]
        at = f", n = {size(problem[1])}" if problem[1] != "1" else ""
        about = f"{problem[0]}{at}: {int(own[0]['configurations']):,} configurations, " \
                f"{int(own[0]['failed']):,} of them failed, {len({row['seed'] for row in own})} seeds"
        body = table_of_problem(own)
        lines += [about + ".", "", *body, ""] if index == 0 else folded(about, body)
    return lines


def beside_own_sums(rows, winners):
    """CUB's sums by the best policy beside the sums of kernels/, type by type; nothing without these."""
    ours = {(row["problem"], row["n"]): float(row["time_ns"]) for row in winners}
    ratios = {}
    for row in rows:
        kind = row["problem"].rpartition(".")[2]
        if row["experiment"] == "cub_reduce" and (f"reduce.sum.{kind}", row["n"]) in ours:
            ratios.setdefault(kind, {})[row["n"]] = float(row["time_ns"]) / ours[f"reduce.sum.{kind}", row["n"]]
    body = [(f"`{kind}`", len(each), sum(ratio > 1.02 for ratio in each.values()), sum(ratio < 0.98 for ratio in each.values()),
             f"{statistics.geometric_mean(each.values()):.3f}", f"{min(each.values()):.3f} at {size(min(each, key=each.get))}",
             f"{max(each.values()):.3f} at {size(max(each, key=each.get))}") for kind, each in ratios.items()]
    head = ["type", "sizes", "`reduce.sum` faster by over 2 %", "CUB faster by over 2 %", "CUB's time over `reduce.sum`'s, geometric mean",
            "least", "most"]
    return ["Sums by CUB's best policy beside the winners of `reduce.sum` above, which another run measured the same way:", "",
            *table(head, body), ""] if body else []


def policies(folder, winners):
    """CUB's algorithms by their tuning policies against CUB's own: a row for each algorithm and type, and all sizes."""
    groups = {}
    for row in rows_of(folder / "cub.csv"):
        groups.setdefault(row["problem"], []).append(row)
    if not groups:
        return printed(folder, "cub", "CUB's algorithms by their tuning policies", "Against CUB's own.")
    head, body, details = ["algorithm, type", "sizes", "better than CUB's own at", "gain there, geometric mean", "most"], [], []
    for name, rows in groups.items():
        gains = {row["n"]: float(row["cub_gain"]) for row in rows
                 if row["cub_gain"] and row["cub_gain_standing"] in ("slower", "")}  # "": left out of the race, as too slow
        mean = statistics.geometric_mean(gains.values()) if gains else 1
        best = max(gains, key=gains.get, default=None)
        body.append((f"`{name[4:]}`", len(rows), len(gains), f"{mean:.3f}" if gains else "none",
                     f"{gains[best]:.3f} at {size(best)}" if gains else "none"))
        details += [(f"`{name[4:]}`", size(row["n"]), microseconds(row["cub_ns"]) if row["cub_ns"] else "-", microseconds(row["time_ns"]),
                     f"{float(row['cub_gain']):.3f}" if row["n"] in gains else "none",
                     f"{float(row['cub_gain_low']):.3f} to {float(row['cub_gain_high']):.3f}" if row["cub_gain_low"] else "-",
                     row["verdict"], code(row["configuration"])) for row in rows]
    return ["#### CUB's algorithms by their tuning policies", "",
            "Against CUB's own policies, in the same rounds. " + caption(folder, "cub", "`cub.csv`."), "",
            *table(head, body), "", *beside_own_sums(rows_of(folder / "cub.csv"), winners),
            *folded("All sizes", table(["algorithm, type", "n", "CUB's own, us", "best, us", "gain", "99 %", "verdict", "configuration"],
                                       details))]


def own(folder, winners):
    lines = [*printed(folder, "t1", "T1 files, unchanged",
                      "The files of `examples/t1/` with the kernels there. Points are those of the sweep; its time "
                      "includes the start of processes and the warm-up."),
             *printed(folder, "gemm-2048", "All points of a GEMM",
                      "Each of the points of `bat-gemm.json`, with matrices of 2048 by 2048."),
             *printed(folder, "compile", "Compiling", "1,000 different kernels by the pool of compilers."),
             *printed(folder, "space", "Spaces",
                      "On one core: building (with counting), enumeration, and random points there and back."),
             *printed(folder, "functions", "Host functions",
                      "`functions_normalize` calls the kernels that `launches_normalize` launches."),
             *policies(folder, winners),
             *printed(folder, "ab", "A whole program with and without tuned launches",
                      "Rodinia's `gaussian`, captured and tuned without its source."),
             *strategies(folder)]
    return ["### Kernels and files of others' own", "", *lines] if lines else []
