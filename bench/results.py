#!/usr/bin/env python3
"""Makes docs/results.md, the tables in README.md, docs/search.md and docs/fleet.md, and configs/tuned.conf, which is shipped,
from what was recorded on real devices, and the table of the protocol's numbers in docs/measuring.md.

    bench/results.py BUILD_FOLDER           rewrites the files
    bench/results.py BUILD_FOLDER --check   exits with 1 when they would change

Reads db/recorded/*/ (what tests/gpu/run.sh and bench/record_cpu.sh bring back): tune.db, other databases beside it
(what is tuned on request; all.db: all families by one program, shown in place of tune.db), what benchmarks wrote.
Databases are NAME.db or, compressed, NAME.db.xz; those of an older schema are brought up to date in a copy. No figure is typed in by hand.
"""
import csv
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

sys.dont_write_bytecode = True
import results_families  # noqa: E402
import results_fleet  # noqa: E402
import results_ideas  # noqa: E402
import results_measuring  # noqa: E402
import results_own  # noqa: E402
import results_peers  # noqa: E402
from results_base import code, databases_of, folded, microseconds, newest, percent, size, table, without_common  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDED = ROOT / "db" / "recorded"
BEGIN, END = "<!-- results: made from db/recorded by bench/results.py; never typed in -->", "<!-- results end -->"
MAIN = ("reduce.sum.i32", "reduce.sum.f32")  # shown in full; the others after a click
README_SIZES = (2**12, 2**28)  # sizes of README.md's problem
LINES_MAX = 30  # lines of a program's text shown without a click
PROTOCOL_BEGIN = "<!-- protocol: made by bench/results.py out of tune run --list-protocol -->"
PROTOCOL_END = "<!-- protocol end -->"
GAMES_BEGIN, GAMES_END = "<!-- games: made by bench/results.py out of bench_strategies -->", "<!-- games end -->"


def text_of(tune, *arguments):
    ran = subprocess.run([tune, *arguments], check=False, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(ran.stderr.strip())
    return ran.stdout


def show(tune, database, *arguments):
    return list(csv.DictReader(io.StringIO(text_of(tune, "show", "--db", str(database), "--csv", *arguments))))


def baselines_of(row):
    return [key[:-len("_ns")] for key in row if key.endswith("_ns") and key not in ("time_ns", "mad_ns")
            and key[:-len("_ns")] + "_gain" in row]


def gain_over(row, name):
    """As tune show tells it: what is as good is no gain, and bounds that say nothing are not told."""
    gain, low, high = (float(row.get(name + column) or "nan") for column in ("_gain", "_gain_low", "_gain_high"))
    if gain != gain:
        return ""
    if row.get("verdict") == "not sure":
        return "unknown"
    if low != low and high != high or high <= 4 * low:
        return "none" if row.get(name + "_gain_standing") in ("as fast", "not compared") else f"{gain:.2f}x"
    return f"over {low:.2f}x" if low > 1 else "unknown"


def winners(rows, cub):
    cub = cub if any((row["problem"], int(row["n"])) in cub for row in rows) else {}
    names = baselines_of(rows[0])
    head = ["n", "winner, us", "GB/s", "of ceiling"] + [f"{name}, us" for name in names] + \
           [f"gain over {name}" for name in names]
    if cub:
        head += ["gain over CUB"]
    head += ["as fast", "none better by over", "verdict"]
    lines, configurations = without_common([row["configuration"] for row in rows])
    lines += ["| " + " | ".join(head + ["configuration"]) + " |", "|" + "---|" * (len(head) + 1)]
    for row, configuration in zip(rows, configurations):
        cells = [size(row["n"]), microseconds(row["time_ns"]), f"{float(row['gbs']):#.4g}".rstrip("."),
                 f"{float(row['ceiling_percent']):#.3g} %" if row["ceiling_percent"] else ""]
        cells += [microseconds(row[name + "_ns"]) if row[name + "_ns"] else "" for name in names]
        cells += [gain_over(row, name) for name in names]
        if cub:
            ratio = cub.get((row["problem"], int(row["n"])))
            cells += [f"{ratio:.2f}x" if ratio else ""]
        cells += [row["as_fast"] or "-", percent(row["claim_percent"]), row["verdict"]]
        lines.append("| " + " | ".join(cells + [code(configuration)]) + " |")
    return lines


def gains_in_words(rows):
    """The smallest and the largest gain over each baseline."""
    parts = []
    for name in baselines_of(rows[0]):
        told = [gain_over(row, name) for row in rows]
        gains = [1.0 if gain == "none" else float(gain[:-1]) for gain in told if gain == "none" or gain[:1].isdigit()]
        if gains:
            parts.append(f"{min(gains):.2f}x to {max(gains):.2f}x over {name}")
    return ", ".join(parts)


def glance(row):
    if not row:
        return ""
    share = f" ({float(row['ceiling_percent']):.3g} %)" if row["ceiling_percent"] else ""
    return microseconds(row["time_ns"]) + share


def problems(rows, cub, title="All problems"):
    """A line each, then each with all there is to say, but for the main ones after a click."""
    found = {row["problem"] for row in rows}
    names = [name for name in MAIN if name in found] + sorted(found - set(MAIN))
    lines = []
    if len(names) > 2:
        at = {(row["problem"], int(row["n"])): row for row in rows}
        sizes = sorted({n for _, n in at})
        body = [(name, *(glance(at.get((name, n))) for n in sizes)) for name in names]
        lines += [f"### {title}", "", "Time of the winner in us, and its throughput as a share of the ceiling.", "",
                  *table(["problem", *(size(n) for n in sizes)], body), ""]
    for name in names:
        chosen = [row for row in rows if row["problem"] == name]
        if name in MAIN:
            lines += [f"### {name}", "", *winners(chosen, cub), ""]
        else:
            lines += folded(f"{name}: {gains_in_words(chosen)}", winners(chosen, cub))
    return lines


def run_lines(tune, database):
    lines = []
    for run in show(tune, database, "--runs"):
        wall = float(run["wall_ns"]) / 1e9 if run.get("wall_ns") else None
        share = [f"{float(run[key]):.0f} % {word}" for key, word in
                 (("measuring_percent", "measuring"), ("compile_wait_percent", "waiting for the compiler"))
                 if run.get(key)]
        lines.append(f"Run of {run['started_at'][:10]}: {run['trial_count']} trials, {run['failed_count']} failed, "
                     f"{run['binaries_compiled']} binaries compiled, in {wall:.1f} s; {', '.join(share)}.")
    return lines


def figures(tune, folder, database):
    """Pictures of one problem at a large size, as `tune plot` draws them; those without data are left out."""
    problem, n = "reduce.sum.i32", {"cuda": 10**8, "cpu": 2**24}
    kind = show(tune, database)[0]["device_kind"]
    target = ROOT / "docs" / "figures" / folder.name
    target.mkdir(parents=True, exist_ok=True)
    subprocess.run([tune, "plot", "--db", str(database), "--problem", problem, "--n", str(n[kind]),
                    "--format", "png", "-o", str(target)], check=False, capture_output=True)
    return [f"![{path.stem}](figures/{folder.name}/{path.name})"
            for path in sorted(target.glob(f"*-{problem}-{n[kind]}.png"))]


def section(tune, folder, databases):
    database = newest(databases)
    rows = show(tune, database, "reduce")
    first = next((row for row in rows if row["ceiling"] == "read"), rows[0])
    lines = [f"## {first['device']}", "",
             f"{first['driver']}, {first['compiler']}, caches {first['l2_mode']}, "
             f"{first['chosen_at'][:10]}; measured {first['ceiling']} ceiling "
             f"{float(first['ceiling_gbs']):.0f} GB/s.", ""]
    if (folder / "notes.md").exists():
        lines += [f"How and when each part was recorded: [notes](../db/recorded/{folder.name}/notes.md).", ""]
    lines += run_lines(tune, database) + [""]
    results_peers.take_in(tune, folder, database)
    lines += [f"`bench/reports.py BUILD_FOLDER {folder.name}` puts all of this and more on one page, made by `tune report`, "
              "for a browser.", ""]
    for picture in figures(tune, folder, database):
        lines += [picture, ""]
    cub = results_peers.cub_times(folder)
    lines += problems(rows, cub)
    found = {(row["problem"], row["n"]) for row in rows}
    others = [row for row in show(tune, databases[0], "reduce") if (row["problem"], row["n"]) not in found]
    if others:
        lines += problems(others, cub, f"Other problems, recorded on {others[0]['chosen_at'][:10]}")
    lines += results_peers.peers(folder)
    # A search tries few points, and the best of these may be far from an idea's potential.
    lines += results_ideas.ideas([one for one in databases if one.name not in ("wide.db", "all.db")])
    lines += results_families.families(databases, tune, ROOT / "docs" / "figures" / folder.name)
    lines += results_own.own(folder, rows)
    lines += results_measuring.ranges(lambda *arguments: show(tune, database, "reduce", *arguments))
    lines += results_measuring.trust(lambda *arguments: show(tune, database, "reduce", *arguments),
                                     text_of(tune, "show", "reduce", "--db", str(database), "--trust"))
    lines += results_measuring.measuring(folder, database)
    for name, title in (("hostile.txt", "Hostile kernels"),
                        ("hostile_timed.txt", "Kernels that are wrong while they are timed"),
                        ("several.txt", "Two GPUs at once, one worker killed on the way"),
                        ("busy.txt", "README's first command with 30 s, while other programs load the processors"),
                        ("fuzz.txt", "An hour of fuzzing: inputs, and those that crashed"),
                        ("lookup.txt", "Loading tuned.conf and looking up"),
                        ("lookup_peers.txt", "libtuned beside cJSON, SQLite and a map of strings"),
                        ("as.txt", "Winners by the issue of launches: a graph, a stream, call by call"),
                        ("flags.txt", "The compiler's flags as parameters"),
                        ("segments.txt", "Segments of several lengths, each with its tuned configuration, beside CUB"),
                        ("check.txt", "tune check of an earlier tuning"),
                        ("foreign.txt", "Losses with the winners of other devices, and untuned"),
                        ("check-wrong.txt", "tune check: a file whose answers are the textbook's"),
                        ("example.txt", "The example program"),
                        ("saxpy.txt", "A launch by tuned_cuda.h"),
                        ("sanitize.txt", "compute-sanitizer: a point of each variant of each family, and the calls")):
        path = folder / name
        if path.exists():
            text = path.read_text().rstrip().split("\n")
            shown = ["```", *text, "```", ""]
            lines += [f"### {title}", "", *(shown if len(text) <= LINES_MAX else folded(f"{len(text)} lines", shown))]
    return lines


def devices(tune, recorded):
    """All devices in one figure, from their merged databases."""
    target = ROOT / "docs" / "figures"
    first = [newest(databases) for _, databases in recorded]
    if len(first) < 2:
        return []
    both = first[0].parent.parent / "recorded.db"
    subprocess.run([tune, "merge", str(both), *map(str, first)], check=True, capture_output=True)
    subprocess.run([tune, "plot", "devices", "--db", str(both), "--problem", "reduce.sum.i32", "--format", "png",
                    "-o", str(target)], check=True, capture_output=True)
    return ["## Devices beside one another", "",
            *(f"![{path.stem}](figures/{path.name})" for path in sorted(target.glob("devices-*.png"))), ""]


def wrapped(lines):
    """Sentences in lines that fit an editor; tables, pictures, commands and what programs printed stay as they are."""
    printed = False
    for line in lines:
        printed ^= line.startswith("```")
        if printed or len(line) <= 138 or line[0] in "|!<#- " or "`" in line:
            yield line
        else:
            yield from textwrap.wrap(line, 138, break_long_words=False, break_on_hyphens=False)


def results(tune, recorded):
    lines = ["# Results", "",
             "Made by `bench/results.py` from the databases in `db/recorded/`, which `tests/gpu/run.sh` (a GPU)",
             "and `bench/record_cpu.sh` (a CPU) recorded. Times are medians over the fresh processes that confirmed;",
             "gains over baselines are of the same rounds, in pairs. *As fast*: the number of other configurations shown",
             "to be as fast. *None better by over*: the claim, at 99 %. [measuring.md](measuring.md) explains the",
             "measurement, [glossary.md](glossary.md) the words. Gains over CUB are of the calls of `tune/reduce.cuh` in the",
             "rounds of `bench/reduce_peers.cu`, caches cold; see *Against CUB*.", ""]
    lines += devices(tune, recorded)
    for folder, databases in recorded:
        lines += section(tune, folder, databases)
    return "\n".join(wrapped(lines)).rstrip() + "\n"


def seen(tune, databases, figure, problem, n):
    """A picture of docs/figures for the README, with the sentence that is its title; none where no database has it."""
    for database in databases:
        with tempfile.TemporaryDirectory() as work:
            subprocess.run([tune, "plot", figure, "--db", str(database), "--problem", problem, "--n", str(n), "--data", "-o", work],
                           check=False, capture_output=True)
            for path in pathlib.Path(work).glob("*.tsv"):
                rows = [line.split("\t") for line in path.read_text().splitlines()]
                sentences = [row[1] for row in rows if row[0] == "conclusion"]
                return [f"![{sentence}](docs/figures/{databases[0].parent.name}/{path.stem}.png)" for sentence in sentences]
    return []


def readme(tune, recorded):
    """Returns README.md with `tune show` of one problem on the first device, the gain over CUB, and two figures."""
    problem = "reduce.sum.i32"
    database = newest(recorded[0][1])
    databases = [database, *recorded[0][1]]
    rows = show(tune, database, problem)
    lines, kept = [], True
    for line in text_of(tune, "show", problem, "--db", str(database)).splitlines():
        size_of_row = re.match(r" *(\d+)  ", line)
        if size_of_row:
            kept = int(size_of_row.group(1)) in README_SIZES
        if kept:
            lines.append("    " + line if line else "")
    text = (ROOT / "README.md").read_text()
    start = text.index(BEGIN)
    made = [BEGIN, "", f"`tune show {problem}` on an {rows[0]['device']} ({rows[0]['chosen_at'][:10]}), two of "
            f"{len(rows)} sizes:", "", *"\n".join(lines).rstrip().split("\n"), "",
            *results_peers.calls(recorded),
            *seen(tune, databases, "gain", problem, 10**8), "",
            "How much occupancy does a kernel need that only reads memory? Each curve is one loop at every occupancy, with a number of "
            "bytes in flight per thread (`tune plot occupancy`):", "",
            *seen(tune, [one for one in recorded[0][1] if one.name != "all.db"], "occupancy", "occupancy", 2**28), "", END]
    return text[:start] + "\n".join(made) + text[text.index(END) + len(END):]


def protocol(tune):
    """The table of the protocol's numbers in docs/measuring.md: of each effort and kind of device."""
    efforts, kinds = ("quick", "normal", "thorough"), ()
    values, meanings = {}, {}
    for effort in efforts:
        table = text_of(tune, "run", "--list-protocol", "--effort", effort).split("\n\n")[0]
        head, *rows = table.splitlines()
        kinds = head.split()[1:-1]
        for row in rows:
            name, *cells = row.split(None, len(kinds) + 1)
            name, _, element = name.partition(".")
            meanings.setdefault(name, cells.pop())
            for kind, value in zip(kinds, cells):
                if not (element and float(value) == 0):
                    values.setdefault((name, kind, effort), []).append(value[:-2] if value.endswith(".0") else value)
    lines = [PROTOCOL_BEGIN, "",
             "| name | " + " | ".join(f"{kind}: {effort}" for kind in kinds for effort in efforts) + " | meaning |",
             "|" + "---|" * (2 + len(kinds) * len(efforts))]
    for name, meaning in meanings.items():
        cells = [", ".join(values.get((name, kind, effort), [])) for kind in kinds for effort in efforts]
        lines.append("| `" + name + "` | " + " | ".join(cells + [meaning]) + " |")
    return lines + ["", PROTOCOL_END]


def measuring(tune):
    text = (ROOT / "docs" / "measuring.md").read_text()
    start, end = text.index(PROTOCOL_BEGIN), text.index(PROTOCOL_END)
    return text[:start] + "\n".join(protocol(tune)) + text[end + len(PROTOCOL_END):]


def search(build, recorded):
    """The table of docs/search.md that is played against the first device's reductions; as it stands where the build
    has no bench_strategies. What depends on this machine (us/point) is left out."""
    text = (ROOT / "docs" / "search.md").read_text()
    program = build / "bench" / "bench_strategies"
    if not program.exists():
        return text
    lines = text_of(str(program), "--db", str(recorded[0][1][0]), "--most", "12").splitlines()
    counts = [int(line.split(": ")[1].split()[0]) for line in lines if " configurations, " in line]
    games = [line for line in lines[lines.index("all 12 problems"):] if line]
    width = next(line.index("us/point") for line in games if "us/point" in line)
    made = [GAMES_BEGIN, "", f"The 12 problems with the most configurations (reductions, {min(counts):,} to "
            f"{max(counts):,} of them each, on an H200):", "",
            *["    " + line[:width].rstrip() for line in games], "", GAMES_END]
    start, end = text.index(GAMES_BEGIN), text.index(GAMES_END)
    return text[:start] + "\n".join(made) + text[end + len(GAMES_END):]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    tune = str(pathlib.Path(sys.argv[1]).resolve() / "bin" / "tune")
    with tempfile.TemporaryDirectory() as work:
        recorded = [(folder, databases_of(folder, pathlib.Path(work) / folder.name))
                    for folder in sorted(RECORDED.iterdir(), reverse=True)]
        recorded = [(folder, databases) for folder, databases in recorded if databases]
        made = {ROOT / "docs" / "results.md": results(tune, recorded), ROOT / "README.md": readme(tune, recorded),
                ROOT / "docs" / "measuring.md": measuring(tune),
                ROOT / "docs" / "search.md": search(pathlib.Path(sys.argv[1]).resolve(), recorded),
                **results_fleet.made(tune, recorded, pathlib.Path(work))}
    changed = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv[2:]:
        for path in changed:
            print(f"{path.relative_to(ROOT)} is not what bench/results.py makes")
        sys.exit(1 if changed else 0)
    for path in changed:
        path.write_text(made[path])
        print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
