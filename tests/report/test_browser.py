#!/usr/bin/env python3
"""Pages of `tune report` in headless Chromium: no errors, no request, no sideways overflow, figures, sorting, dark,
print. Skipped (77) where there is no such browser."""
import html
import json
import os
import pathlib
import re
import shutil
import socketserver
import sqlite3
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
BROWSERS = ["chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome"]


class Proxy:
    """Whatever the browser asks of the network, it asks here; nobody answers, and it is written down."""

    def __enter__(self):
        asked = self.asked = []

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                asked.append(self.rfile.readline().decode("latin-1").strip())

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    @property
    def address(self):
        return "127.0.0.1:%d" % self.server.server_address[1]


class Browser:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.harness = folder / "harness.html"
        shutil.copy(HERE / "harness.js", folder / "harness.js")
        self.harness.write_text('<!DOCTYPE html><meta charset="utf-8"><script src="harness.js"></script><body>')

    def start(self, page, *options):
        """What the browser printed, what its console said, and what was asked of the network."""
        with Proxy() as proxy:
            done = subprocess.run(
                [self.program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--hide-scrollbars", "--disable-background-networking", "--disable-component-update", "--no-first-run",
                 "--disable-sync", "--disable-extensions", "--proxy-server=http://" + proxy.address,
                 "--proxy-bypass-list=<-loopback>", "--allow-file-access-from-files", "--enable-logging=stderr",
                 "--user-data-dir=" + str(self.folder / "profile"), "--virtual-time-budget=20000", *options,
                 page.as_uri()],
                capture_output=True, text=True, timeout=120, errors="replace")
            console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
            assert done.returncode == 0, done.stderr[-2000:]
            return done.stdout, console, list(proxy.asked)

    def look(self, *options):
        """What harness.js saw of page.html at each width."""
        out, console, asked = self.start(self.harness, "--dump-dom", "--window-size=1500,1000", *options)
        assert not console, console
        assert not asked, asked
        title = re.search(r"<title>(.*?)</title>", out, re.S)
        assert title, "the harness did not come to its end: " + out[:500]
        return json.loads(html.unescape(title[1]))


def luminance(colour):
    red, green, blue = (int(part) for part in re.findall(r"\d+", colour)[:3])
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


def test_the_test(browser):
    """An error, and a request, are seen where there are some."""
    page = browser.folder / "page.html"
    page.write_text("<!DOCTYPE html><script>undefined_function()</script><img src=http://example.invalid/x.png>")
    _, console, asked = browser.start(page, "--dump-dom")
    assert any("undefined_function" in line for line in console), console
    assert any("example.invalid" in line for line in asked), asked


def test_opens(browser):
    out, console, asked = browser.start(browser.page(), "--dump-dom")
    assert not console and not asked, (console, asked)
    assert "Fixture GPU" in out


def test_policy(browser):
    """Were markup to get in, nothing of it would run or be loaded."""
    page = browser.page()
    text = page.read_text()
    page.write_text(text.replace("</main>", "<script>document.title = 'bad'</script><p onclick='x()'>"
                                 "<img src=http://example.invalid/x.png onerror=\"document.title='bad'\"></main>"))
    out, _, asked = browser.start(page, "--dump-dom")
    assert not asked, asked
    assert "<title>bad</title>" not in out


def test_layout(browser):
    browser.page()
    for seen in browser.look():
        assert seen["pageWidth"] <= seen["width"], (seen["width"], seen["pageWidth"])
        assert not seen["overflowing"], (seen["width"], seen["overflowing"][:5])
        assert not seen["broken"], (seen["width"], seen["broken"])
        assert not seen["squeezed"], (seen["width"], seen["squeezed"])
        if seen["width"] < 400:
            assert seen["boxes"] > 0, "no table scrolls in its box: none was wide enough to tell"
        else:
            assert seen["boxes"] == 0, "a table must be scrolled on a wide screen"


def test_recorded(browser):
    """Of a real device, with baselines and a library's times, all columns are there at once on a wide screen."""
    build = pathlib.Path(os.environ["TUNE"]).resolve().parents[1]
    devices = ["nvidia-h100", "nvidia-h200"]
    subprocess.run([sys.executable, HERE.parents[1] / "bench" / "reports.py", build, *devices], check=True)
    for page in [build / "reports" / f"{device}.html" for device in devices]:
        shutil.copy(page, browser.folder / "page.html")
        for seen in browser.look():
            assert not seen["overflowing"], (page.name, seen["width"], seen["overflowing"][:5])
            assert seen["width"] < 400 or seen["boxes"] == 0, (page.name, "a table must be scrolled on a wide screen")


def test_figures(browser):
    if not shutil.which("gnuplot"):
        return
    browser.page()
    for seen in browser.look():
        assert {"size", "gain", "occupancy"} <= {figure["name"] for figure in seen["figures"]}, seen["figures"]
        for figure in seen["figures"]:
            assert figure["width"] > 300 and figure["height"] > 150, figure
            assert figure["ink"] > 20 and figure["lost"] == 0, figure
            assert "Fixture GPU" in figure["label"] and len(figure["caption"]) > 10, figure


def test_sorting(browser):
    browser.page()
    for seen in browser.look():
        labels = [column["label"] for column in seen["sorting"]]
        assert {"problem", "n", "time", "GB/s"} <= set(labels), labels
        for column in seen["sorting"]:
            assert column["kept"] and column["focused"] and column["others"] == 1, column["label"]
            up, down = column["orders"]
            assert (up["sorted"], down["sorted"]) == ("ascending", "descending"), column["label"]
            known = [key for key in up["keys"] if key is not None]
            if known:
                assert known == sorted(known) and up["keys"][:len(known)] == known, (column["label"], up["keys"])
                down_known = [key for key in down["keys"] if key is not None]
                assert down_known == known[::-1] and down["keys"][:len(known)] == down_known, column["label"]
            elif column["label"] == "problem":
                assert up["texts"] == sorted(up["texts"]) and down["texts"] == up["texts"][::-1], up["texts"]
        assert any(None in column["orders"][0]["keys"] for column in seen["sorting"] if "over" in column["label"])
        distinct = {tuple(column["orders"][0]["keys"]) for column in seen["sorting"] if column["label"] in ("n", "time")}
        assert len(distinct) == 2, "nothing was moved"


def test_dark(browser):
    browser.page()
    light = browser.look("--blink-settings=preferredColorScheme=1")[0]["colours"]
    dark = browser.look("--blink-settings=preferredColorScheme=0")[0]["colours"]
    assert luminance(light["paper"]) > 0.9 and luminance(light["ink"]) < 0.3, light
    assert luminance(dark["paper"]) < 0.15 and luminance(dark["ink"]) > 0.7, dark
    if light["figurePaper"]:
        assert luminance(light["figurePaper"]) > 0.9 and luminance(light["figureInk"]) < 0.3, light
        assert luminance(dark["figurePaper"]) < 0.15 and luminance(dark["figureInk"]) > 0.5, dark


def test_print(browser):
    """Pages on paper, and dark is for screens."""
    page = browser.page()
    sizes = []
    for scheme in "10":
        paper = browser.folder / f"page{scheme}.pdf"
        _, console, asked = browser.start(page, "--print-to-pdf=" + str(paper), "--no-pdf-header-footer",
                                          "--blink-settings=preferredColorScheme=" + scheme)
        assert not console and not asked, (console, asked)
        data = paper.read_bytes()
        assert data.startswith(b"%PDF") and len(re.findall(rb"/Type\s*/Page\b", data)) >= 3, len(data)
        sizes.append(len(data))
    assert abs(sizes[0] - sizes[1]) < 0.01 * sizes[0], sizes


def main():
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not program:
        print("no Chromium: " + ", ".join(BROWSERS))
        return 77
    with tempfile.TemporaryDirectory(prefix="tune-report.") as name:
        browser = Browser(program, pathlib.Path(name))
        database, made = browser.folder / "test.db", browser.folder / "made.html"
        subprocess.run([os.environ["FIXTURE"], database], check=True)
        # Cells without a value, which are to come last.
        with sqlite3.connect(database) as sql:
            sql.execute("DELETE FROM baselines WHERE problem_id = (SELECT min(problem_id) FROM winners)")
            # A name that is nearly as wide as a card.
            sql.execute("UPDATE devices SET facts = json_set(facts, '$.shared_bytes_per_block_reserved', 1024)")
        subprocess.run([os.environ["TUNE"], "report", "--db", database, "-o", made], check=True)
        browser.page = lambda: pathlib.Path(shutil.copy(made, browser.folder / "page.html"))
        for test_name, test in list(globals().items()):
            if test_name.startswith("test_"):
                test(browser)
                print("ok", test_name, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
