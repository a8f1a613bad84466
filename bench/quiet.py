#!/usr/bin/env python3
"""What of a tuned.conf stays when the same device is tuned again: quiet.py FIRST.conf SECOND.conf...

Of each file beside the one before it: how many lines are the same (those of what is measured anew each time, which
begin with '|', are left out), how many have another configuration or other values that follow from it, and how many are for
other sizes alone. And of the edges between two configurations that meet in both files, how many lie elsewhere, and by what factor.
"""
import re
import sys

ENTRY = re.compile(r"([A-Za-z_][\w.-]*) n=(\d+)(?:-(\d+))? ([^|]*)")


def read(path):
    """Lines as (device, problem, first n, last n, values, text)."""
    found, device = [], ""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            entry = ENTRY.match(line)
            if line.startswith("["):
                device = line[:line.index("]")]
            elif entry:
                low = int(entry.group(2))
                found.append((device, entry.group(1), low, int(entry.group(3) or low), entry.group(4).strip(), line.strip()))
    return found


def edges(entries):
    """Where one configuration ends and another begins, by both."""
    return {(a[:2], a[4], b[4]): a[3] for a, b in zip(entries, entries[1:]) if a[:2] == b[:2] and a[3] + 1 == b[2]}


def compare(before, after):
    texts, values = {entry[5] for entry in before}, {(entry[:2], entry[4]) for entry in before}
    others = [entry for entry in after if entry[5] not in texts]
    moved_sizes = sum((entry[:2], entry[4]) in values for entry in others)
    mine, theirs = edges(before), edges(after)
    both = [key for key in theirs if key in mine]
    moved = sorted(theirs[key] / mine[key] for key in both if theirs[key] != mine[key])
    return (f"{len(after)} lines: {len(after) - len(others)} the same, {len(others) - moved_sizes} of another configuration, "
            f"{moved_sizes} for other sizes; {len(both)} edges between the same two: {len(moved)} moved"
            + "".join(f" {factor:.2f}" for factor in moved))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    files = [(path, read(path)) for path in sys.argv[1:]]
    for (_, before), (path, after) in zip(files, files[1:]):
        print(f"{path}: {compare(before, after)}")


if __name__ == "__main__":
    main()
