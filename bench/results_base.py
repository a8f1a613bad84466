"""What the parts of results.py share: reading what was recorded, and lines of Markdown."""
import csv
import sqlite3


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
