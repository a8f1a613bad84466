#!/usr/bin/env python3
"""Copies a database for keeping beside the source: every run, trial, round, winner and contender, and
of single samples those of the confirmations. (A sweep's and a race's samples are most of a database;
their medians and spreads are in the trials.)

    bench/slim.py FROM TO
"""

import os
import sqlite3
import sys


def main():
    if len(sys.argv) != 3:
        sys.exit("use: bench/slim.py FROM TO")
    source, target = sys.argv[1:]
    if not os.path.exists(source):
        sys.exit(f"{source}: no such database")
    if os.path.exists(target):
        os.remove(target)
    database = sqlite3.connect(source)
    database.execute("VACUUM INTO ?", (target,))
    database.close()
    database = sqlite3.connect(target, isolation_level=None)
    database.execute("PRAGMA journal_mode = DELETE")
    gone = database.execute("DELETE FROM samples WHERE trial_id IN (SELECT id FROM trials WHERE stage <> 'confirm')")
    print(f"{target}: {gone.rowcount} samples of sweeps and races left out")
    database.execute("VACUUM")
    database.close()


if __name__ == "__main__":
    main()
