"""The part of docs/results.md about CUB: what reduce_peers recorded (peers.csv, peers-ceilings.csv, peers.txt)."""
import csv
import math
import subprocess
import textwrap

from results_base import caption, folded, gigabytes, microseconds, rows_of, size, table

# References for an order-keeping reduction: problems that read as many bytes, of each kind the first present one.
# Sums of integers of 4 bytes may be finished by atomic operations, sums of reals not.
EQUAL_BYTES = {"integers": ("sum.i64", "sum.i32", "sum.u8"), "reals": ("sum.f64", "sum.f32")}


def ceilings_of(folder):
    return {row["kind"]: row for row in rows_of(folder / "peers-ceilings.csv")}


def peers_of(folder):
    """Rows of peers.csv, numbers as numbers. Older files have graphs alone, and call a clean L2 cold."""
    rows = rows_of(folder / "peers.csv")
    for row in rows:
        row.setdefault("issue", "graph")
        row["mode"] = "clean" if row["mode"] == "cold" else row["mode"]
        for key in ("element_bytes", "n"):
            row[key] = int(row[key])
        for key in ("tune_ns", "rival_ns", "ratio", "ratio_low", "ratio_high"):
            row[key] = float(row[key])
        row["bytes"] = row["n"] * row["element_bytes"]
    return rows


def take_in(tune, folder, database):
    """Brings the times of the rivals into the database, a copy, so that its figures show them."""
    rows = [row for row in peers_of(folder) if row["issue"] == "graph" and row["mode"] != "dirty"]
    if not rows:
        return
    path = database.with_name("rivals.csv")
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "mode": "cold" if row["mode"] == "clean" else row["mode"]} for row in rows)
    subprocess.run([tune, "import", str(path), "--db", str(database), "--prefix", "reduce.", "--columns",
                    "l2_mode=mode,name=rival,time_ns=rival_ns,mad_ns=rival_mad_ns,tuned_ns=tune_ns"],
                   check=True, capture_output=True)


def cub_times(folder):
    """Returns CUB's time over tune's by ("reduce.sum.i32", n), in graphs, with a clean L2."""
    return {("reduce." + row["problem"], row["n"]): row["ratio"] for row in peers_of(folder)
            if row["issue"] == "graph" and row["mode"] == "clean"}


def geometric_mean(values):
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))


def groups_of(rows):
    """Returns rows by problem, issue and state of the L2, in the order of the file."""
    groups = {}
    for row in rows:
        groups.setdefault((row["problem"], row["issue"], row["mode"]), []).append(row)
    return groups


def ratio_text(row):
    text = f"{row['ratio']:.3f}"
    return f"**{text}**" if row["ratio"] < 1 else text


def point(row, ceiling):
    rate = row["bytes"] / row["tune_ns"]
    return (size(row["n"]), microseconds(row["tune_ns"]), microseconds(row["rival_ns"]), ratio_text(row),
            f"{row['ratio_low']:.3f} to {row['ratio_high']:.3f}", gigabytes(rate),
            f"{100 * rate / ceiling:#.3g} %" if ceiling else "",
            f"`{row['configuration']}`" + (f" ({row['grade']})" if row["grade"] != "exact" else ""))


def means(groups):
    body = [(problem, issue, mode, rows[0]["rival"], f"{geometric_mean([row['ratio'] for row in rows]):.3f}",
             f"{min(row['ratio'] for row in rows):.3f}", len(rows)) for (problem, issue, mode), rows in groups.items()]
    return table(["problem", "issued", "L2", "against", "geometric mean", "smallest", "sizes"], body) + [""]


STANDS_IN = "no experiment covers such values: the configuration of `reduce.sum.f32` stands in"
REASONS = (("operator.", f"{STANDS_IN}, and each value travels with a flag, twice the words of a sum"),
           ("argmin.", f"{STANDS_IN}, and a value travels with its index, four times the words of a sum"),
           ("transform.", f"{STANDS_IN}, without its queue or its ring of bulk copies, which hold the bandwidth in dirty caches"),
           ("wide.", f"{STANDS_IN}, without its queue or its ring of bulk copies, which hold the bandwidth in dirty caches"),
           ("drop_in.segments", "the drop-in is not told the segments' length: the default stands in"),
           ("segments", "few long segments, each by one block; not examined further"),
           ("sum.f64", "the winner has neither a queue nor a ring of bulk copies, which hold the bandwidth in dirty caches elsewhere"))


def reason_of(problem):
    plain = problem if problem.startswith("drop_in.segments") else problem.removeprefix("drop_in.")
    return next((why for start, why in REASONS if plain.startswith(start)), "the reason is not known")


def slower(rows):
    """Every problem with a point under 1.00 beyond its interval, with the reason."""
    under = [row for row in rows if row["ratio_high"] < 1]
    if not under:
        return [f"At none of the {len(rows)} points is CUB shown to be faster.", ""]
    lines = [f"At {len(under)} of {len(rows)} points CUB is shown to be faster:", ""]
    for problem in dict.fromkeys(row["problem"] for row in under):
        of = [row for row in under if row["problem"] == problem]
        all_of = [row for row in rows if row["problem"] == problem]
        least = min(of, key=lambda row: row["ratio"])
        sizes = ", ".join(size(n) for n in sorted({row["n"] for row in of}))
        lines += textwrap.wrap(f"- `{problem}`, {len(of)} of {len(all_of)} points (n = {sizes}), at least {least['ratio']:.3f} "
                               f"(n = {size(least['n'])}, {least['issue']}, {least['mode']}): {reason_of(problem)}.", 138,
                               subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return lines + [""]


def calls(recorded):
    """Returns the README's table: the drop-in sums against CUB, on each GPU where all ways were measured."""
    ways = [("graph", "clean"), ("graph", "dirty"), ("eager", "clean"), ("eager", "dirty")]
    body, sizes = [], set()
    for folder, _ in recorded:
        groups = groups_of(peers_of(folder))
        for element in ("i32", "f32"):
            cells = [[row["ratio"] for row in groups.get((f"drop_in.sum.{element}", *way), [])] for way in ways]
            if all(cells):
                body.append((f"{element}, {folder.name}", *(f"{geometric_mean(cell):.2f} ({min(cell):.2f})" for cell in cells)))
                sizes |= {row["n"] for row in peers_of(folder)}
    if not body:
        return []
    return ["Speed-up of `tune::DeviceReduce::Sum` over `cub::DeviceReduce::Sum`, installed kernels and shipped file: geometric mean of",
            f"{len(sizes)} sizes, in brackets the worst size, by `bench/reduce_peers.cu` ([results](docs/results.md): dates, other calls).", "",
            *table(["", "in a graph", "in a graph, dirty L2", "call by call", "call by call, dirty L2"], body), ""]


def ceilings(folder):
    rows = rows_of(folder / "peers-ceilings.csv")
    if not rows:
        return []
    body = [(row["kind"], gigabytes(float(row["gbs"])), f"{int(row['bytes']) / 2**30:.1f} GiB", row["way"])
            for row in rows]
    return ["Ceilings of the memory, measured by the same process (the best of several ways):", "",
            *table(["", "GB/s", "moved", "way"], body), ""]


def against(row, others, kind):
    """Cells of a kind of sums: which, its time, the ratio."""
    for problem in EQUAL_BYTES[kind]:
        other = others.get((problem, row["mode"], row["bytes"]))
        if other:
            return (f"{problem}, n = {size(other['n'])}", microseconds(other["tune_ns"]),
                    f"{row['tune_ns'] / other['tune_ns']:.3f}")
    return ("-", "-", "-")


def ordered(folder, rows):
    """An order-keeping reduction against those that need not keep it and read as many bytes."""
    others = {(row["problem"], row["mode"], row["bytes"]): row for row in rows if row["issue"] == "graph"}
    body = []
    for row in rows:
        if not row["problem"].startswith("ordered.") or row["issue"] != "graph":
            continue
        cells = [against(row, others, kind) for kind in EQUAL_BYTES]
        if any(cell[0] != "-" for cell in cells):
            body.append((row["problem"], row["mode"], size(row["n"]), f"{row['bytes'] / 2**20:g} MiB",
                         microseconds(row["tune_ns"]), *cells[0], *cells[1]))
    if not body:
        return []
    return ["#### The cost of keeping the order", "",
            "Times of the same rounds: a reduction whose order must be kept, and sums of as many bytes whose order "
            "need not be.", "",
            *table(["problem", "L2", "n", "bytes", "us", "against integers", "us", "times as long",
                    "against reals", "us", "times as long"], body), "", *limits(folder)]


def limits(folder):
    """What of it costs how much: ordered_limits' kernels, whole and in part."""
    rows = rows_of(folder / "ordered-limits.csv")
    if not rows:
        return []
    names = list(dict.fromkeys(row["what"] for row in rows))
    sizes = list(dict.fromkeys(int(row["bytes"]) for row in rows))
    times = {(row["what"], int(row["bytes"])): float(row["median_ns"]) for row in rows}
    body = [(name, *(microseconds(times[name, at]) for at in sizes)) for name in names]
    first, last = sizes[0], sizes[-1]
    whole, parts = ({at: times[name, at] for at in sizes} for name in (
        "matrix_u32, 256 threads", "matrix_u32, 256 threads, blocks' parts only"))
    plain = {at: times["words added without order, blocks' parts only", at] for at in sizes}
    sums, sum_parts = ({at: times[name, at] for at in sizes} for name in (
        "sum.f32", "sum.f32, blocks' parts only"))

    def text(at):
        return (f"{(whole[at] - sums[at]) / 1e3:.2f} us at {at >> 20} MiB: {(plain[at] - sum_parts[at]) / 1e3:.2f} us "
                f"for elements of 16 bytes that one lane combines, {(parts[at] - plain[at]) / 1e3:.2f} us for their "
                f"order within the tiles, {((whole[at] - parts[at]) - (sums[at] - sum_parts[at])) / 1e3:.2f} us for "
                "that of the blocks")
    return ["Its limits: the same kernels whole and without the steps after the blocks' own parts, with a product "
            "of matrices and with one addition a word, and with lanes that combine only their own elements, in us. "
            + caption(folder, "ordered-limits", "`ordered-limits.csv`.")
            + f" An order-keeping reduction takes longer than a sum by {text(first)}; {text(last)}. The product "
            f"itself is free: adding words in the same order takes as long. The cost of the order hardly grows with "
            f"the size, because it arises when the last tiles are loaded: an ordered combination waits for one "
            f"shuffle a word and a level, where a sum waits for one.", "",
            *table(["", *(f"{at >> 20} MiB" for at in sizes)], body), ""]


def peers(folder):
    rows = peers_of(folder)
    if not rows:
        return []
    ceiling = float(ceilings_of(folder).get("read", {}).get("gbs", 0))
    groups = groups_of(rows)
    lines = ["### Against CUB", "",
             "The public calls with the installed headers and list of kernels and the shipped tuned.conf, and CUB of the "
             "toolkit, in turns: the same rounds, copies of the input and states of the L2, graphs made anew for each "
             "draw. *graph*: replayed by a graph; *eager*: issued one by one, the host's time included. *clean*: twice the "
             "L2's size was read before; *dirty*: as much was written. *drop_in*: `tune::DeviceReduce` for "
             "`cub::DeviceReduce`. Times are medians over all rounds. *Ratio*: CUB's time over "
             "tune's, median over the draws, with its 99 % interval (signs of the draws, no distribution assumed). "
             + caption(folder, "peers", "`peers.csv`."), "", *ceilings(folder), *means(groups), *slower(rows)]
    for (problem, issue, mode), group in groups.items():
        if not problem.endswith(("sum.i32", "sum.f32")): # the others are in the table of means, and among the slower
            continue
        body = table(["n", "tune, us", "CUB, us", "ratio", "99 %", "GB/s", "of read ceiling", "configuration"],
                     [point(row, ceiling) for row in group])
        title = f"{problem}, {issue}, {mode}, against {group[0]['rival']}"
        lines += [f"#### {title}", "", *body, ""] if group is next(iter(groups.values())) else folded(title, body)
    return lines + ordered(folder, rows)
