"""Of all GPUs in db/recorded together: the tuned.conf that is shipped, and what each loses with the others' choices."""
import pathlib
import re
import subprocess

import elsewhere

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- fleet: made by bench/results.py out of db/recorded -->", "<!-- fleet end -->"


def measured(recorded):
    """The tables that bench/foreign.py printed on each GPU, as one."""
    files = [folder / "foreign.txt" for folder, _ in recorded]
    tables = [[line for line in file.read_text().splitlines() if line.startswith("|")] for file in files if file.exists()]
    if not tables:
        return []
    return ["", "The same measured on each of them, with the file that is shipped (`bench/foreign.py`):", "",
            *tables[0][:2], *(row for rows in tables for row in rows[2:])]


def launched_by_calls(lines):
    """Of a tuned.conf what include/tune has calls for: the other families are examples, and kernels of the reader's own."""
    is_kept = True
    for line in lines:
        if re.match(r"[a-z_]+[. ].*=", line):  # an entry; its lines are indented
            is_kept = line.startswith("reduce")
        if is_kept or line[0] in "[#" or line.startswith("end"):
            yield line


def made(tune, recorded, work):
    """By path, what a file is to be; nothing where fewer than two GPUs were recorded. What a later search of a wider space
    found (wide.db) is shipped, too, and of other families what the calls launch; the tables compare what was tried on all of
    them."""
    gpus = [databases for folder, databases in recorded if not folder.name.startswith("cpu")]
    if len(gpus) < 2:
        return {}
    together, shipped, conf, guide = work / "fleet.db", work / "shipped.db", work / "fleet.conf", ROOT / "docs" / "fleet.md"
    kernels = work / "configurations.inc"
    tried = [str(databases[0]) for databases in gpus]
    wider = [str(database) for databases in gpus for database in databases
             if database.name in ("wide.db", "families.db", "segments.db")]
    for command in (["merge", str(together), *tried], ["merge", str(shipped), *tried, *wider],
                    ["export", "--db", str(shipped), "--kernels", "", "-o", str(conf)]):
        subprocess.run([tune, *command], check=True, capture_output=True)
    conf.write_text("".join(launched_by_calls(conf.read_text().splitlines(keepends=True))))
    subprocess.run([tune, "export", "--configurations", str(kernels), str(conf)], check=True, capture_output=True)
    text = guide.read_text()
    start, end = text.index(BEGIN), text.index(END)
    return {ROOT / "configs" / "tuned.conf": conf.read_text(),
            ROOT / "include" / "tune" / "configurations.inc": kernels.read_text(),
            guide: "\n".join([text[:start] + BEGIN, *elsewhere.tables(together), *measured(recorded), text[end:]])}
