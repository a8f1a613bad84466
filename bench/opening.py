#!/usr/bin/env python3
"""How long a page of `tune report` takes to open in headless Chromium, by a processor as it is and one that is slowed down
(a phone's has about a quarter of the speed).

    bench/opening.py PAGE... [--slower 1,4] [--runs 5]

In a window of 412 x 915 px: the first paint, the load event, and until the chosen problem's first figure is drawn, after the
navigation began, and the main thread's processor time until then; medians of the runs."""
import argparse
import pathlib
import shutil
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "report"))
from browsers import Chromium  # noqa: E402


def opening(browser, page, slower):
    browser.open("about:blank")
    browser.call("Emulation.setCPUThrottlingRate", rate=slower)
    browser.open(page.resolve().as_uri())
    browser.run("""const figure = 'figure[data-figure]:not([hidden])';
        while (!document.querySelector(`${figure} circle, ${figure} path`))
            await new Promise(requestAnimationFrame);
        performance.mark('drawn');""")
    # A paint is told after it has been: the observer hands over that one, or waits for the one to come.
    marks = browser.run("""const paint = await new Promise((told) => new PerformanceObserver((list) => {
            for (const entry of list.getEntriesByName('first-contentful-paint')) told(entry.startTime);
        }).observe({ type: 'paint', buffered: true }));
        return [paint, performance.getEntriesByType('navigation')[0].loadEventEnd, performance.getEntriesByName('drawn')[0].startTime];""")
    metrics = {entry["name"]: entry["value"] for entry in browser.call("Performance.getMetrics")["metrics"]}
    return [*marks, 1000 * metrics["TaskDuration"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    parser.add_argument("--slower", default="1,4")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    program = next(filter(None, map(shutil.which, Chromium.programs)), None)
    if not program:
        sys.exit("bench/opening.py: there is no Chromium")
    print("| page | bytes | slower | first paint | loaded | figure drawn | processor |\n|---|---:|---:|---:|---:|---:|---:|")
    # Pages take turns, so that whatever else the machine does slows all of them.
    seen = {(page, slower): [] for page in options.pages for slower in map(float, options.slower.split(","))}
    for _ in range(options.runs):
        for (page, slower), runs in seen.items():
            with tempfile.TemporaryDirectory() as folder, Chromium(program, pathlib.Path(folder)) as browser:
                browser.size(412, 915)
                browser.call("Performance.enable")
                runs.append(opening(browser, page, slower))
    for (page, slower), runs in seen.items():
        middle = [statistics.median(column) for column in zip(*runs)]
        print(f"| {page.name} | {page.stat().st_size / 1e6:.2f} MB | {slower:g} x | " + " | ".join(f"{value:.0f} ms" for value in middle) + " |")


if __name__ == "__main__":
    main()
