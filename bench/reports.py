#!/usr/bin/env python3
"""Makes a page of each recorded device, as `tune report` writes it, for a browser.

    bench/reports.py BUILD_FOLDER [DEVICE...]    writes BUILD_FOLDER/reports/DEVICE.html

Reads db/recorded/DEVICE/tune.db.xz, and the times of other implementations beside it; without names, those of all
devices.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import results_peers  # noqa: E402
from results_base import databases_of  # noqa: E402

RECORDED = pathlib.Path(__file__).resolve().parent.parent / "db" / "recorded"


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.strip())
    build = pathlib.Path(sys.argv[1]).resolve()
    names = sys.argv[2:]
    tune = str(build / "bin" / "tune")
    known = sorted(folder.name for folder in RECORDED.iterdir() if folder.is_dir())
    for name in names:
        if name not in known:
            sys.exit(f"bench/reports.py: {name} was not recorded; there are {', '.join(known)}")
    target = build / "reports"
    target.mkdir(parents=True, exist_ok=True)
    for name in names or known:
        with tempfile.TemporaryDirectory() as work:
            databases = databases_of(RECORDED / name, pathlib.Path(work))
            if not databases:
                sys.exit(f"bench/reports.py: {RECORDED / name} has no tune.db")
            results_peers.take_in(tune, RECORDED / name, databases[0])
            page = target / f"{name}.html"
            subprocess.run([tune, "report", "--db", databases[0].name, "-o", str(page)], check=True, cwd=work)
            print(f"wrote {page}")


if __name__ == "__main__":
    main()
