#!/usr/bin/env python3
"""Writes tests/unit/ROOM/messages.txt anew: the whole texts of the messages that the room's tests meet (golden.h).

    tests/unit/rewrite_messages.py [--build build/release] ROOM...

The tests must be built and must pass but for these texts. Read the change before it is committed."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

UNIT = pathlib.Path(__file__).resolve().parent


def messages_of(program, folder):
    record = folder / program.name
    done = subprocess.run([program], env={**os.environ, "TUNE_RECORD_MESSAGES": str(record)}, capture_output=True,
                          text=True)
    if done.returncode != 0:
        sys.exit(f"{program.name} fails:\n{done.stdout}{done.stderr}")
    return list(dict.fromkeys(record.read_text().splitlines())) if record.exists() else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("rooms", nargs="+", metavar="ROOM")
    options = parser.parse_args()
    for room in options.rooms:
        lines = []
        with tempfile.TemporaryDirectory() as folder:
            for source in sorted((UNIT / room).glob("test_*.c")):
                if "expect_message" not in source.read_text():
                    continue
                messages = messages_of((options.build / "tests" / source.stem).resolve(), pathlib.Path(folder))
                if messages:
                    lines += [f"[{source.stem}]", *messages, ""]
        (UNIT / room / "messages.txt").write_text("\n".join(lines))
        print(f"{room}: {sum(1 for line in lines if line and line[0] != '[')} messages")


main()
