"""The part of docs/results.md about CUB: what reduce_peers recorded (peers.csv, peers-ceilings.csv, peers.txt)."""
import math

from results_base import caption, folded, gigabytes, microseconds, rows_of, size, table

# What an order-keeping reduction is held against: problems that read as many bytes, the first that is there.
EQUAL_BYTES = ("sum.i64", "sum.i32", "sum.f64", "sum.f32", "sum.u8")


def ceilings_of(folder):
    return {row["kind"]: row for row in rows_of(folder / "peers-ceilings.csv")}


def peers_of(folder):
    """Rows of peers.csv, numbers as numbers."""
    rows = rows_of(folder / "peers.csv")
    for row in rows:
        for key in ("element_bytes", "n"):
            row[key] = int(row[key])
        for key in ("tune_ns", "rival_ns", "ratio", "ratio_low", "ratio_high"):
            row[key] = float(row[key])
        row["bytes"] = row["n"] * row["element_bytes"]
    return rows


def cub_times(folder):
    """Of "reduce.sum.i32" and n, with cold caches: how many times as long CUB takes."""
    return {("reduce." + row["problem"], row["n"]): row["ratio"] for row in peers_of(folder) if row["mode"] == "cold"}


def geometric_mean(values):
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))


def groups_of(rows):
    """By problem and mode, in the order of the file."""
    groups = {}
    for row in rows:
        groups.setdefault((row["problem"], row["mode"]), []).append(row)
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
    body = [(problem, mode, rows[0]["rival"], f"{geometric_mean([row['ratio'] for row in rows]):.3f}",
             f"{min(row['ratio'] for row in rows):.3f}", len(rows)) for (problem, mode), rows in groups.items()]
    return table(["problem", "caches", "against", "geometric mean", "smallest", "sizes"], body) + [""]


def slower(rows):
    """Every point under 1.00, in words."""
    under = [row for row in rows if row["ratio"] < 1]
    if not under:
        return [f"At none of the {len(rows)} points is CUB faster.", ""]
    lines = [f"At {len(under)} of {len(rows)} points CUB is faster, or seems so:", ""]
    for row in under:
        shown = "by so much that the interval shows it" if row["ratio_high"] < 1 else \
            "but the interval does not show it"
        lines.append(f"- `{row['problem']}`, n = {size(row['n'])}, caches {row['mode']}: {row['ratio']:.4f} "
                     f"({row['ratio_low']:.4f} to {row['ratio_high']:.4f}), {shown}.")
    return lines + [""]


def ceilings(folder):
    rows = rows_of(folder / "peers-ceilings.csv")
    if not rows:
        return []
    body = [(row["kind"], gigabytes(float(row["gbs"])), f"{int(row['bytes']) / 2**30:.1f} GiB", row["way"])
            for row in rows]
    return ["Ceilings of the memory, measured by the same process (the best of several ways):", "",
            *table(["", "GB/s", "moved", "way"], body), ""]


def ordered(rows):
    """An order-keeping reduction against one that need not keep it and reads as many bytes."""
    others = {(row["problem"], row["mode"], row["bytes"]): row for row in rows}
    body = []
    for row in rows:
        if not row["problem"].startswith("ordered."):
            continue
        found = [others[problem, row["mode"], row["bytes"]] for problem in EQUAL_BYTES
                 if (problem, row["mode"], row["bytes"]) in others]
        if found:
            body.append((row["problem"], row["mode"], size(row["n"]), f"{row['bytes'] / 2**20:g} MiB",
                         microseconds(row["tune_ns"]), f"{found[0]['problem']}, n = {size(found[0]['n'])}",
                         microseconds(found[0]["tune_ns"]), f"{row['tune_ns'] / found[0]['tune_ns']:.3f}"))
    if not body:
        return []
    return ["#### What keeping the order costs", "",
            "Times of the same rounds: a reduction whose order must be kept, and one of as many bytes whose order "
            "need not be.", "",
            *table(["problem", "caches", "n", "bytes", "us", "against", "us", "times as long"], body), ""]


def peers(folder):
    rows = peers_of(folder)
    if not rows:
        return []
    ceiling = float(ceilings_of(folder).get("read", {}).get("gbs", 0))
    groups = groups_of(rows)
    lines = ["### Against CUB", "",
             "`tune::reduce` with tuned.conf, and CUB of the toolkit, in turns: the same rounds, copies of the input "
             "and flushes, graphs made anew for each draw. Times are medians over all rounds. *Ratio*: CUB's time over "
             "tune's, median over the draws, with its 99 % interval (signs of the draws, no distribution assumed). "
             + caption(folder, "peers", "`peers.csv`."), "", *ceilings(folder), *means(groups), *slower(rows)]
    for (problem, mode), group in groups.items():
        body = table(["n", "tune, us", "CUB, us", "ratio", "99 %", "GB/s", "of read ceiling", "configuration"],
                     [point(row, ceiling) for row in group])
        if (problem, mode) == next(iter(groups)):
            lines += [f"#### {problem}, caches {mode}, against `{group[0]['rival']}`", "", *body, ""]
        else:
            lines += folded(f"{problem}, caches {mode}, against {group[0]['rival']}", body)
    return lines + ordered(rows)
