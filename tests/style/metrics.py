#!/usr/bin/env python3
"""What the sources measure: sizes, lengths of functions, comments, and what calls back, room by room, as Markdown.

    tests/style/metrics.py [REVISION]       one table, of the working tree where no revision is named
    tests/style/metrics.py --compare A B    each cell before and after; B may be left out: the working tree
    tests/style/metrics.py --back ROOM      the arrows of a room that run back, with the functions they stand for
    tests/style/metrics.py --write          makes the tables between the markers of docs/architecture.md again, from
                                            the revisions that its first marker names
    tests/style/metrics.py --limits         the longest functions and files; fails on one above its limit (a test)

Lines are all lines of a room's .c and .h files, comment lines those that begin with a comment. A function is what
clang-format leaves with its brace alone in the first column; it is as long as from its signature to its last brace.

A file with its header of the same name is one place. An arrow leads from a place to another of its room when a
function of it names a function that the other defines. The places are put in that order in which the fewest arrows
run back, against the others: zero of them means that the room reads from top to bottom, and each is a pair of files
that have to be read together. The order is looked for by moving one place at a time from several starts, so a large
room may have one with fewer. What is called through a pointer counts where the function's name stands.
"""
import argparse
import collections
import io
import pathlib
import re
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PARTS = ("tuner", "frontends", "views")
FOLDERS = (*PARTS, "libtuned", "tests", "capture", "runtime")  # the last two are names of before
# How the names of an earlier tree begin, and how they begin today.
RENAMED = {"tuner/trial/": "tuner/stats/", "runtime/": "libtuned/", "tests/unit/trial/": "tests/unit/stats/",
           "tests/unit/runtime/": "tests/unit/libtuned/", "tests/unit/report/": "tests/unit/page/",
           "capture/": "frontends/capture/library/", "tuner/capture/": "frontends/capture/",
           "tuner/exchange/captured": "frontends/capture/captured", "tuner/exchange/t1": "frontends/t1/t1",
           "tuner/exchange/internal": "frontends/t1/internal", "tuner/exchange/draft": "frontends/init/draft",
           "tuner/exchange/build_line": "frontends/init/build_line", "tuner/export/winners": "tuner/records/winners",
           "tuner/export/domain": "tuner/records/domain", "tuner/export/recall": "tuner/experiment/recall",
           "tuner/cli/show": "views/show/show", "tuner/report/": "views/page/",
           **{f"tuner/cli/{name}": f"tuner/terminal/{name}" for name in ("rows", "style.", "options", "command.", "reading")},
           **{f"tuner/{name}/": f"views/{name}/" for name in ("explain", "export", "plot", "watch")}}
PAGE = ROOT / "docs" / "architecture.md"
BEGIN = re.compile(r"<!-- metrics (\w+(?: \w+)*): made by tests/style/metrics\.py --write -->\n")
END = "<!-- metrics end -->\n"
FUNCTION_MAX = 80
SOURCE_MAX = 800
HEADER_MAX = 250
# libtuned is one file with its manual in the header, so that a program can take it in by copying two; tuned_cuda.h is
# code. A limit here only ever falls.
OWN_MAX = {"libtuned/tuned.c": 2400, "libtuned/tuned.h": 350, "libtuned/tuned_cuda.h": 550}
COLUMNS = (
    ("lines", lambda m: count(m.lines)), ("files", lambda m: count(m.files)), ("functions", lambda m: count(len(m.lengths))),
    ("per 1,000 lines", lambda m: count(per(1000 * m.source_functions, m.source_lines))),
    ("median", lambda m: count(quantile(m.lengths, 0.5))), ("p90", lambda m: count(quantile(m.lengths, 0.9))),
    ("longest", lambda m: count(max(m.lengths, default=0))), ("comments", lambda m: f"{per(100 * m.comments, m.lines):.1f} %"),
    ("back / arrows", lambda m: f"{m.back} / {m.arrows}" if m.arrows else "-"),
    ("unit tests", lambda m: f"{per(m.tests, m.lines):.2f}" if m.tests else "-"))
LEGEND = ("Lines, files and functions of `.c` and `.h`; functions of `.c` files for 1,000 lines of them; lengths of functions in\n"
          "lines; comments: the share of lines that begin with one; arrows between files of a room, and how many of them run\n"
          "back; unit tests: their lines for a line of the room.\n")


class Function:
    def __init__(self, name, first, last, shared, body):
        self.name, self.first, self.last, self.shared = name, first, last, shared
        self.words = set(re.findall(r"[A-Za-z_]\w*", body))


class Measures:
    def __init__(self):
        self.lines = self.files = self.comments = self.back = self.arrows = self.tests = 0
        self.source_lines = self.source_functions = 0
        self.lengths = []

    def add(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def per(part, whole):
    return part / whole if whole else 0.0


def count(number):
    return f"{round(number):,}"


def quantile(values, share):
    """The smallest value that the share of them does not exceed."""
    return sorted(values)[max(0, -(-int(share * 100) * len(values) // 100) - 1)] if values else 0


def files_of(revision):
    """The C files' texts by name, as today's folders are called."""
    texts = {}
    if revision is None:
        for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.[ch]")):
            texts[str(path.relative_to(ROOT))] = path.read_text()
        return texts
    if subprocess.run(["git", "cat-file", "-e", revision + "^{commit}"], cwd=ROOT, check=False, capture_output=True).returncode:
        sys.exit(f"{revision}: no such commit here")
    names = subprocess.run(["git", "ls-tree", "-d", "--name-only", revision], cwd=ROOT, check=True, capture_output=True,
                           text=True).stdout.split()
    archive = subprocess.run(["git", "archive", revision, *(name for name in FOLDERS if name in names)], cwd=ROOT,
                             check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files:
            if member.isfile() and member.name.endswith((".c", ".h")):
                name = member.name
                old = next((old for old in RENAMED if name.startswith(old)), "")
                name = RENAMED.get(old, "") + name[len(old):]
                texts[name] = files.extractfile(member).read().decode()
    return texts


def without_words(text):
    """The code alone: comments are blank, strings empty, lines stay where they are."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", "", found[0]) if found[0][0] == "/" else '""', text, flags=re.S)


def functions_of(text):
    lines = without_words(text).split("\n")
    found = []
    for brace in (number for number, line in enumerate(lines) if line == "{"):
        first = brace - 1
        while first > 0 and lines[first - 1] and lines[first - 1][0] not in "}#" and not lines[first - 1].endswith((";", "}")):
            first -= 1
        last = next((number for number in range(brace, len(lines)) if lines[number].startswith("}")), len(lines) - 1)
        signature = " ".join(lines[first:brace])
        name = re.search(r"(\w+)\s*\((?!\()", signature)
        found.append(Function(name[1] if name else "?", first + 1, last + 1, "static" not in signature.split("(")[0],
                              "\n".join(lines[brace:last])))
    return found


def fewest_back(arrows):
    """The order of places, and how many arrows run from a later one to an earlier one."""
    places = sorted({place for arrow in arrows for place in arrow})

    def moved(order):
        better = True
        while better:
            better = False
            for place in places:
                rest = [other for other in order if other != place]
                costs = [sum((other, place) in arrows for other in rest)]
                for other in rest:
                    costs.append(costs[-1] + ((place, other) in arrows) - ((other, place) in arrows))
                # A tie keeps the place where it is.
                at = order.index(place)
                best = min(range(len(costs)), key=lambda slot, at=at, costs=costs: (costs[slot], slot != at, slot))
                if costs[best] < costs[at]:
                    order = rest[:best] + [place] + rest[best:]
                    better = True
        return order

    def back(order):
        at = {place: number for number, place in enumerate(order)}
        return sum(at[start] > at[end] for start, end in arrows)

    leaving = collections.Counter(start for start, _ in arrows)
    entering = collections.Counter(end for _, end in arrows)
    starts = [places, places[::-1], sorted(places, key=lambda place: entering[place] - leaving[place])]
    starts += [places[turn:] + places[:turn] for turn in range(1, len(places), 3)]
    order = min((moved(list(start)) for start in starts), key=back, default=[])
    return order, back(order)


class Room:
    def __init__(self, texts):
        self.functions = {name: functions_of(text) for name, text in texts.items()}
        self.measures = Measures()
        self.measures.lines = sum(text.count("\n") for text in texts.values())
        self.measures.files = len(texts)
        self.measures.source_lines = sum(text.count("\n") for name, text in texts.items() if name.endswith(".c"))
        self.measures.source_functions = sum(len(found) for name, found in self.functions.items() if name.endswith(".c"))
        self.measures.comments = sum(bool(re.match(r"\s*(//|/\*|\*[ /]|\*$)", line)) for text in texts.values()
                                     for line in text.split("\n"))
        self.measures.lengths = [function.last - function.first + 1 for functions in self.functions.values()
                                 for function in functions]
        owner = {function.name: name[:-2] for name, functions in self.functions.items() for function in functions
                 if function.shared or name.endswith(".h")}
        self.calls = collections.defaultdict(set)
        for name, functions in self.functions.items():
            for function in functions:
                for word in function.words & owner.keys():
                    if owner[word] != name[:-2]:
                        self.calls[name[:-2], owner[word]].add((function.name, word))
        self.order, self.measures.back = fewest_back(set(self.calls))
        self.measures.arrows = len(self.calls)


def rooms_of(revision):
    """Room by name: those of the tuner by theirs; libtuned and the tests in sum."""
    texts = files_of(revision)
    parts = collections.defaultdict(dict)
    for name, text in texts.items():
        words = name.split("/")
        parts["/".join(words[:2]) if words[0] in PARTS else words[0]][name] = text
    rooms = {name: Room(part) for name, part in sorted(parts.items()) if name not in ("libtuned", "tests")}
    rooms |= {name: Room(parts[name]) for name in ("libtuned",) if name in parts}
    for name, room in rooms.items():
        room.measures.tests = sum(text.count("\n") for file, text in texts.items()
                                  if file.startswith(f"tests/unit/{name.split('/')[-1]}/"))
    tests = Room({})
    for part in parts["tests"].items():
        tests.measures.add(Room(dict([part])).measures) # programs of their own
    return rooms, tests


def measures_of(revision):
    rooms, tests = rooms_of(revision)
    rows, whole = {}, Measures()
    for part in PARTS:
        total = Measures()
        for name, room in rooms.items():
            if name.startswith(part + "/"):
                rows[f"`{name}`"] = room.measures
                total.add(room.measures)
        rows[f"**`{part}/`**"] = total
        whole.add(total)
    rows["**all parts**"] = whole
    if "libtuned" in rooms:
        rows["`libtuned/`"] = rooms["libtuned"].measures
    tests.measures.back = tests.measures.arrows = 0
    rows["`tests/`"] = tests.measures
    return rows


def head(first):
    return "| " + " | ".join([first, *(name for name, _ in COLUMNS)]) + " |\n|---|" + "---:|" * len(COLUMNS) + "\n"


def row(label, cells):
    return "| " + " | ".join([label, *cells]) + " |\n"


def table(revision):
    rows = measures_of(revision)
    return head("room") + "".join(row(name, [show(measures) for _, show in COLUMNS]) for name, measures in rows.items())


def compared(old, new):
    """Each cell once where it has not changed."""
    names = [*(name for name in new if name.startswith("`")), *(name for name in old if name not in new)]
    names = [name for name in names if not name.endswith("/`")] + [name for name in new if name.endswith(("/`", "**"))]
    text = head("room")
    for name in names:
        cells = [[show(rows[name]) if name in rows else "-" for rows in (old, new)] for _, show in COLUMNS]
        text += row(name, [before if before == after else f"{before} → {after}" for before, after in cells])
    return text


def commit_of(revision):
    return subprocess.run(["git", "rev-parse", "--short=7", revision], cwd=ROOT, check=True, capture_output=True,
                          text=True).stdout.strip()


def rewrite_page():
    page = PAGE.read_text()
    begin = BEGIN.search(page)
    if not begin or END not in page[begin.end():]:
        sys.exit(f"{PAGE.relative_to(ROOT)}: no markers of metrics.py")
    end = page.index(END, begin.end())
    revisions = [commit_of(name) for name in begin[1].split()]
    all_rows = [measures_of(revision) for revision in [*revisions, None]]
    text = LEGEND + "\n" + head("all parts at")
    for name, rows in zip([*(f"`{revision}`" for revision in revisions), "today"], all_rows):
        text += row(name, [show(rows["**all parts**"]) for _, show in COLUMNS])
    text += f"\nRoom by room, at `{revisions[0]}` and today:\n\n" + compared(all_rows[0], all_rows[-1])
    PAGE.write_text(page[:begin.end()] + text + page[end:])


def check_limits():
    """The ten longest of each kind; whether all are within their limits. A test's header is code that tests share."""
    kinds = collections.defaultdict(list)
    for name, text in files_of(None).items():
        kind = "headers" if name.endswith(".h") and not name.startswith("tests/") else "sources"
        kinds[kind].append((text.count("\n"), OWN_MAX.get(name, HEADER_MAX if kind == "headers" else SOURCE_MAX), name))
        kinds["functions"] += [(function.last - function.first + 1, FUNCTION_MAX,
                                f"{name}:{function.first}: {function.name}") for function in functions_of(text)]
    failed = False
    for kind, found in sorted(kinds.items()):
        found.sort(reverse=True)
        print(f"the longest {kind}:")
        print("".join(f"  {lines:5} {name}\n" for lines, _, name in found[:10]))
        for lines, limit, name in found:
            if lines > limit:
                failed = True
                print(f"{name}: {lines} lines, {limit} at most")
    return not failed


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("revision", nargs="?")
    parser.add_argument("--compare", nargs="+")
    parser.add_argument("--back")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--limits", action="store_true")
    options = parser.parse_args()
    if options.limits:
        sys.exit(0 if check_limits() else 1)
    if options.write:
        rewrite_page()
    elif options.compare:
        if len(options.compare) > 2:
            parser.error("--compare takes two revisions")
        print(compared(*(measures_of(name) for name in [*options.compare, None][:2])), end="")
    elif options.back:
        room = rooms_of(options.revision)[0].get(options.back)
        if not room:
            parser.error(f"there is no room {options.back}")
        at = {place: number for number, place in enumerate(room.order)}
        for (start, end), calls in sorted(room.calls.items()):
            if at[start] > at[end]:
                print(f"{start} -> {end}: " + ", ".join(f"{caller} names {called}" for caller, called in sorted(calls)))
    else:
        print(table(options.revision), end="")


if __name__ == "__main__":
    main()
