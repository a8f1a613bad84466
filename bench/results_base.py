"""What the parts of results.py share: reading what was recorded, and lines of Markdown."""
import csv
import lzma
import pathlib
import re
import shutil
import sqlite3

MIGRATIONS = pathlib.Path(__file__).resolve().parent.parent / "db" / "migrations"


def rows_of(path):
    return list(csv.DictReader(path.open())) if path.exists() else []


def size(n):
    n = int(n)
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + \
           ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def share(part, whole):
    return f"{part} of {whole}" + (f" ({100 * part / whole:.1f} %)" if whole else "")


def caption(folder, name, otherwise):
    """The first line of what was printed: the day and the command."""
    path = folder / f"{name}.txt"
    line = path.read_text().split("\n", 1)[0] if path.exists() else ""
    day, _, command = line.partition(": ")
    return f"`{command}`, {day}." if command and len(day) == 10 else otherwise


def folded(summary, lines):
    """What a reader opens by a click."""
    text = "\n".join(lines).rstrip()
    return ["<details>", f"<summary>{summary}</summary>", "", *text.split("\n"), "", "</details>", ""]


def without_common(configurations):
    """What all configurations have alike, as a line, and what is left of each."""
    words = [text.split(" ") for text in configurations]
    common = [word for word in words[0] if all(word in other for other in words)] if len(words) > 1 else []
    if not common:
        return [], list(configurations)
    return [f"All of them: `{' '.join(common)}`.", ""], \
        [" ".join(word for word in own if word not in common) for own in words]


def code(text):
    return f"`{text}`" if text else ""


def percent(text, digits=2):
    return f"{float(text):.{digits}f} %" if text else "-"


def microseconds(nanoseconds):
    value = float(nanoseconds) / 1000
    return f"{value:#.3g}" if value < 100 else f"{value:.1f}"


def gigabytes(rate):
    """GB/s with four digits."""
    return f"{rate:#.4g}".rstrip(".")


def opened(database):
    """A connection that writes nothing, not even beside the file."""
    connection = sqlite3.connect(f"file:{database}?mode=ro&immutable=1", uri=True)
    connection.row_factory = sqlite3.Row
    return connection


def migrate(database):
    """Brings a database of an older schema up to date, as `tune run` does: views are those of schema.sql."""
    connection = sqlite3.connect(database, isolation_level=None)
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    for name, in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall():
        connection.execute(f'DROP VIEW "{name}"')
    for path in sorted(MIGRATIONS.glob("*.sql")):
        number = int(path.name.split("-")[0])
        if number > version:
            connection.executescript(f"BEGIN;\n{path.read_text()}\nPRAGMA user_version = {number};\nCOMMIT;")
    views = re.findall(r"^CREATE VIEW .*?;$", (MIGRATIONS.parent / "schema.sql").read_text(), flags=re.M | re.S)
    connection.executescript("\n".join(views))
    connection.close()


def databases_of(folder, work):
    """Copies, in the folder `work`, of the databases recorded in a folder (NAME.db, or NAME.db.xz), of today's schema:
    tune.db first; others hold what was tuned on request. None without a tune.db."""
    work.mkdir(parents=True, exist_ok=True)
    copies = []
    for path in sorted([*folder.glob("*.db"), *folder.glob("*.db.xz")]):
        copy = work / path.name.removesuffix(".xz")
        if copy in copies:
            raise SystemExit(f"{path.with_suffix('')}, and compressed: one of the two is to go")
        with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as recorded, copy.open("wb") as out:
            shutil.copyfileobj(recorded, out)
        migrate(copy)
        copies.append(copy)
    copies.sort(key=lambda copy: (copy.name != "tune.db", copy.name))
    return copies if copies and copies[0].name == "tune.db" else []


def newest(databases):
    """The database that documents show first: all families by one program (all.db), else tune.db."""
    return next((one for one in databases if one.name == "all.db"), databases[0])
