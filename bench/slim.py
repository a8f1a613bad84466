#!/usr/bin/env python3
"""Copies a database for keeping beside the source: every run, trial, round, winner and contender; of single samples
those of the confirmations (a sweep's and a race's are most of a database; their medians and spreads are in the
trials); of resources those of the sweep (a race and a confirmation launch the same kernels in the same way).

    bench/slim.py FROM TO

A name TO that ends in .xz makes the copy compressed; FROM stays as it is.
"""

import lzma
import os
import shutil
import sqlite3
import sys
import tempfile

WITHOUT = (("samples", "confirm"), ("resources", "sweep"))


def slim(source, target):
    database = sqlite3.connect(source)
    database.execute("VACUUM INTO ?", (target,))
    database.close()
    database = sqlite3.connect(target, isolation_level=None)
    database.execute("PRAGMA journal_mode = DELETE")
    gone = [database.execute(f"DELETE FROM {table} WHERE trial_id IN (SELECT id FROM trials WHERE stage <> ?)",
                             (stage,)).rowcount for table, stage in WITHOUT]
    database.execute("VACUUM")
    database.close()
    return gone


def main():
    if len(sys.argv) != 3:
        sys.exit("use: bench/slim.py FROM TO[.xz]")
    source, target = sys.argv[1:]
    if not os.path.exists(source):
        sys.exit(f"{source}: no such database")
    if os.path.exists(target) and os.path.samefile(source, target):
        sys.exit(f"{target}: would be put in its own place; name another file")
    with tempfile.TemporaryDirectory() as folder:
        slimmed = os.path.join(folder, "slim.db")
        gone = slim(source, slimmed)
        opened = lzma.open(target, "wb", preset=9) if target.endswith(".xz") else open(target, "wb")
        with open(slimmed, "rb") as copy, opened as out:
            shutil.copyfileobj(copy, out)
    print(f"{target}: {os.path.getsize(target) / 1e6:.1f} MB; left out "
          f"{', '.join(f'{count} {table}' for (table, _), count in zip(WITHOUT, gone))}")


if __name__ == "__main__":
    main()
