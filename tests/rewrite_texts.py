#!/usr/bin/env python3
"""Writes the golden texts anew, which tests compare messages and outputs with:

    tests/rewrite_texts.py [--build build/release] [NAME...]

NAME is a room (tests/unit/ROOM/messages.txt: the whole messages that its tests meet, golden.h) or a test of the program as
ctest names it (cli.show: tests/cli/golden/show.txt, `golden` in tests/cli/lib.sh); without one, all of both. The tests must be
built and must pass but for these texts. Read the change before it is committed."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent


def messages_of(program, folder):
    record = folder / program.name
    done = subprocess.run([program], env={**os.environ, "TUNE_RECORD_MESSAGES": str(record)}, capture_output=True,
                          text=True)
    if done.returncode != 0:
        sys.exit(f"{program.name} fails:\n{done.stdout}{done.stderr}")
    return list(dict.fromkeys(record.read_text().splitlines())) if record.exists() else []


def rewrite_room(room, build):
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted((TESTS / "unit" / room).glob("test_*.c")):
            if "expect_message" not in source.read_text():
                continue
            messages = messages_of((build / "tests" / source.stem).resolve(), pathlib.Path(folder))
            if messages:
                lines += [f"[{source.stem}]", *messages, ""]
    (TESTS / "unit" / room / "messages.txt").write_text("\n".join(lines))
    print(f"{room}: {sum(1 for line in lines if line and line[0] != '[')} messages")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    names = options.names or [*sorted(path.parent.name for path in TESTS.glob("unit/*/messages.txt")),
                              *sorted(f"{path.parent.parent.name}.{path.stem}" for path in TESTS.glob("*/golden/*.txt"))]
    for room in [name for name in names if "." not in name]:
        rewrite_room(room, options.build)
    scripts = "|".join(re.escape(name) for name in names if "." in name)
    if scripts:
        sys.exit(subprocess.run(["ctest", "--test-dir", options.build, "--output-on-failure", "--parallel", "4", "-R",
                                 f"^({scripts})$"], env={**os.environ, "TUNE_REWRITE_GOLDEN": "1"}).returncode)


main()
