#!/usr/bin/env python3
"""Pages of `tune report` and `tune watch` in headless Chromium and Firefox: no errors, no request, nothing wider than the window; what a
reader points at, clicks, drags, types and copies; colours, paper, names that are markup. Skipped (77) where there is no browser.

    test_browser.py --screenshots FOLDER PAGE...   pictures of pages at three widths, light, dark and on paper, to be looked at"""
import contextlib
import csv
import io
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import browsers
from test_data import data_of, rows_of

HERE = pathlib.Path(__file__).resolve().parent
LOOK = (HERE / "look.js").read_text()
SLOW = "Slow GPU of a name as long as some have"
HOSTILE = "</script><script>document.title='bad'</script><img src=http://example.invalid/x.png onerror=\"document.title='bad'\">&amp;'`${1}"
DOTS = "figure.live[data-figure=occupancy] svg, figure.live[data-figure=threads] svg"


class Pages:
    """The files that are opened, made once."""

    def __init__(self, folder):
        self.folder = folder
        self.database = folder / "test.db"
        subprocess.run([os.environ["FIXTURE"], self.database], check=True)
        # Cells without a value, which are to come last.
        with changed(self.database) as sql:
            sql.execute("DELETE FROM baselines WHERE problem_id = (SELECT min(problem_id) FROM winners)")
            # A name that is nearly as wide as a card.
            sql.execute("UPDATE devices SET facts = json_set(facts, '$.shared_bytes_per_block_reserved', 1024)")
        self.plain = self.report(self.database, "plain.html")
        # Unknown bounds, for all except the winners.
        absurd = folder / "absurd.db"
        shutil.copy(self.database, absurd)
        with changed(absurd) as sql:
            sql.execute("UPDATE contenders SET difference_low = -0.999999, difference_high = 639126 WHERE difference > 0")
        self.absurd = self.report(absurd, "absurd.html")
        self.hostile_database = folder / "hostile.db"
        shutil.copy(self.database, self.hostile_database)
        with changed(self.hostile_database) as sql:
            sql.execute("UPDATE problems SET key = key || ?", [HOSTILE])
            sql.execute("UPDATE configurations SET key = key || ?, parameters = json_set(parameters, '$.' || ?, ? || id)", [HOSTILE, '"<b>x"', HOSTILE])
            sql.execute("UPDATE devices SET name = name || ?", [HOSTILE])
            sql.execute("UPDATE resources SET kernel = kernel || ?", [HOSTILE])
            sql.execute("UPDATE trials SET detail = ? WHERE status <> 'ok'", [HOSTILE])
            sql.execute("UPDATE baselines SET name = name || ?", [HOSTILE])
        self.hostile = self.report(self.hostile_database, "hostile.html", "--title", HOSTILE)
        # The same on another device, which takes twice as long.
        slow = folder / "slow.db"
        shutil.copy(self.database, slow)
        with changed(slow) as sql:
            sql.execute("UPDATE devices SET uuid = 'GPU-slow', name = ?", [SLOW])
            sql.execute("UPDATE winners SET time_low_ns = 2 * time_low_ns, time_high_ns = 2 * time_high_ns")
            sql.execute("UPDATE trials SET median_ns = 2 * median_ns")
        subprocess.run([os.environ["TUNE"], "merge", folder / "both.db", self.database, slow], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        self.both = self.report(folder / "both.db", "both.html")
        build = pathlib.Path(os.environ["TUNE"]).resolve().parents[1]
        subprocess.run([sys.executable, HERE.parents[1] / "bench" / "reports.py", build, "nvidia-h200"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.recorded = build / "reports" / "nvidia-h200.html"

    def report(self, database, name, *options):
        subprocess.run([os.environ["TUNE"], "report", "--db", database, "-o", self.folder / name, *options], check=True,
                       stderr=subprocess.DEVNULL)
        return self.folder / name


@contextlib.contextmanager
def changed(database):
    """Closed at its end, so that the file itself has all of it."""
    with contextlib.closing(sqlite3.connect(database)) as sql, sql:
        yield sql


def opened(browser, page, width=1440):
    browser.size(width, 1000)
    browser.open(page.as_uri())
    # The figures come after the first screen is seen.
    browser.until("return !document.querySelector('#drawn > *') || document.querySelector('#explore figure.live svg') !== null", "no figure is drawn")


def silent(browser):
    assert not browser.errors(), browser.errors()
    assert not browser.requests(), browser.requests()


def text_of(browser, selector):
    return browser.run(f"return [...document.querySelectorAll({json.dumps(selector)})].map((own) => own.textContent)")


def eventually(check, what):
    """What an event does may be there a frame later."""
    end = time.monotonic() + browsers.PATIENCE_S
    while not check():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def clicked(browser, selector, check, what):
    """A click that comes while the page moves is lost, as a person's is, who then clicks again."""
    tried_again(browser.click, browser, selector, check, what)


def hovered(browser, selector, check, what):
    """Likewise what is pointed at; the pointer goes away first, or it would not come."""
    tried_again(browser.hover, browser, selector, check, what)


def tried_again(act, browser, selector, check, what):
    end = time.monotonic() + browsers.PATIENCE_S
    while not check():
        assert time.monotonic() < end, what
        browser.point("move", 1, 1)
        act(selector)
        again = time.monotonic() + 5
        while not check() and time.monotonic() < again:
            time.sleep(0.02)


def luminance(colour):
    red, green, blue = (int(part) for part in re.findall(r"\d+", colour)[:3])
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


def test_the_test(browser, pages):
    """An error, a request, and what the policy of a page forbids are seen where there are some."""
    page = pages.folder / "bad.html"
    page.write_text("<!DOCTYPE html><script>undefined_function()</script><img src=http://example.invalid/x.png>")
    opened(browser, page)
    browser.until("return document.images[0].complete", "the picture never fails")
    assert any("undefined_function" in line for line in browser.errors()), browser.errors()
    assert any("example.invalid" in line for line in browser.requests()), browser.requests()


def test_policy(browser, pages):
    """Were markup to get in, nothing of it would run or be loaded."""
    page = pages.folder / "policy.html"
    page.write_text(pages.plain.read_text().replace(
        "<footer", "<script>document.title = 'bad'</script><p id=bad onclick=\"document.title = 'bad'\">x</p>"
        "<img src=http://example.invalid/x.png onerror=\"document.title='bad'\"><footer"))
    opened(browser, page)
    browser.click("#bad")
    browser.until("return document.images[0].complete", "the picture is still awaited")
    assert not browser.requests(), browser.requests()
    assert browser.run("return document.title") != "bad"


def test_hostile_names(browser, pages):
    """Whatever kernels, parameters, devices and files are called, it is text, also where a reader points at it."""
    opened(browser, pages.hostile)
    assert browser.run("return document.title") == HOSTILE
    assert text_of(browser, "h1") == [HOSTILE]
    assert any(HOSTILE in text for text in text_of(browser, ".map th[scope=row]"))
    assert any(HOSTILE in text for text in text_of(browser, ".chosen .launch, .chosen .configuration"))
    browser.run("for (const details of document.querySelectorAll('details')) details.open = true")
    browser.until("return document.querySelector('.list tr[data-point]') !== null", "the list has no rows")
    height = browser.run("return document.documentElement.scrollHeight")
    hovered(browser, ".list tr[data-point]", lambda: "onerror" in text_of(browser, "#inspector")[0], "the inspector does not tell")
    assert browser.run("return document.documentElement.scrollHeight") == height, "what is told moves what is pointed at"
    clicked(browser, ".copy button[data-form^=C]", lambda: "launch_tuned" in text_of(browser, ".copy-text")[0], "nothing is copied")
    assert browser.run("return document.querySelectorAll('img, #live b > x').length") == 0
    assert browser.run("return document.title") == HOSTILE
    silent(browser)


def test_influence_names_the_winners_values(browser, pages):
    """Where there is no room for all names, the winner's stand."""
    opened(browser, pages.recorded)
    filled, named = browser.run("""const figure = document.querySelector('figure.live[data-figure=influence]');
        return ['circle.first', 'text.first'].map((own) => figure.querySelectorAll(own).length)""")
    assert filled == named > 3, (filled, named)


def test_layout(browser, pages):
    for width in (360, 768, 1440):
        opened(browser, pages.plain, width)
        seen = browser.run(LOOK)
        assert seen["pageWidth"] <= seen["width"], (seen["width"], seen["pageWidth"])
        assert not seen["overflowing"], (seen["width"], seen["overflowing"][:5])
        assert not seen["broken"], (seen["width"], seen["broken"])
        assert not seen["squeezed"], (seen["width"], seen["squeezed"])
        if width > 1000:
            assert seen["boxes"] == 0, "a table must be scrolled on a wide screen"
        # Configurations are read whole: none is cut, or out of the window.
        cut = browser.run("""return [...document.querySelectorAll('.sorts td:has(> .set)')].filter((cell) => cell.offsetWidth > 0)
            .filter((cell) => cell.scrollWidth > cell.clientWidth + 1 || innerWidth < 700 && cell.getBoundingClientRect().right > innerWidth)
            .map((cell) => cell.textContent)""")
        assert not cut, (seen["width"], cut[:3])
        silent(browser)
    check_sorting(seen["sorting"])


def check_sorting(sorting):
    labels = [column["label"] for column in sorting]
    assert {"problem", "n", "time", "GB/s"} <= set(labels), labels
    for column in sorting:
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
    assert any(None in column["orders"][0]["keys"] for column in sorting if "over" in column["label"])
    distinct = {tuple(column["orders"][0]["keys"]) for column in sorting if column["label"] in ("n", "time")}
    assert len(distinct) == 2, "nothing was moved"


def test_recorded(browser, pages):
    """Of a real device, with baselines and a library's times, all columns are there at once on a wide screen."""
    for width in (360, 1440):
        opened(browser, pages.recorded, width)
        height = browser.run("return document.documentElement.scrollHeight")
        assert width < 1000 or height < 2400, height  # 2,000, but for a font that is larger
        seen = browser.run(LOOK)
        assert seen["pageWidth"] <= seen["width"] and not seen["overflowing"], (seen["width"], seen["overflowing"][:5])
        assert width < 1000 or seen["boxes"] == 0, "a table must be scrolled on a wide screen"
        cut = browser.run("""return [...document.querySelectorAll('figure[data-figure=parallel] text.pick')]
            .map((text) => [text.lastChild.data, text.querySelector('title').textContent]).filter(([shown, whole]) => shown !== whole)""")
        assert width < 1000 or not cut, cut
        silent(browser)


def chosen(browser):
    return text_of(browser, ".chosen h3")[0]


def test_map(browser, pages):
    """A cell chooses its problem; arrows go from cell to cell, and Enter chooses."""
    opened(browser, pages.recorded)
    first = chosen(browser)
    clicked(browser, ".map button.cell[aria-pressed=false]", lambda: chosen(browser) != first, "the cell chooses nothing")
    second = chosen(browser)
    assert text_of(browser, "#explore h2")[0].startswith("Every launch of ")
    assert browser.run("return document.querySelectorAll('.map button.cell[tabindex=\"0\"]').length") == 1
    browser.run("document.querySelector('.map button.cell[aria-pressed=true]').focus()")
    browser.key("ArrowRight")
    assert chosen(browser) == second, "walking chooses nothing"
    label = browser.run("return document.activeElement.getAttribute('aria-label')")
    browser.key("Enter")
    eventually(lambda: chosen(browser) != second, "Enter chooses nothing")
    third = chosen(browser)
    assert third.replace(" n = ", ", n = ") in label, (third, label)
    silent(browser)


def test_devices(browser, pages):
    """The map of one device shows its winners beside the other's, and goes to the other."""
    opened(browser, pages.both)
    for device, other, told in (("Fixture GPU", SLOW, "2.00"), (SLOW, "Fixture GPU", "0.50")):
        browser.run("""const choose = (label, value) => {
            const select = [...document.querySelectorAll('.controls .choice')].find((own) => own.textContent.startsWith(label)).querySelector('select');
            select.value = value;
            select.dispatchEvent(new Event('change'));
        };
        choose('on', %s);
        choose('Show', 'at ' + %s);""" % (json.dumps(device), json.dumps(other)))
        eventually(lambda told=told: told in text_of(browser, ".map button.cell"), f"{device} beside {other}")
    silent(browser)
    # A choice among devices with long names is no wider than a telephone.
    opened(browser, pages.both, 360)
    seen = browser.run(LOOK)
    assert seen["pageWidth"] <= seen["width"], (seen["width"], seen["pageWidth"])


def test_sentences(browser, pages):
    """A figure's title is what `tune plot` says of the same problem, as long as nothing is filtered."""
    opened(browser, pages.plain)
    problem, n = chosen(browser).split(" n = ")
    for figure in ("occupancy", "blocks", "threads"):
        title = text_of(browser, f"figure.live[data-figure={figure}]:not([hidden]) h4")
        if not title:
            continue
        rows = subprocess.run([os.environ["TUNE"], "plot", figure, "--data", "-o", "-", "--db", pages.database, "--problem", problem, "--n",
                               n.replace(",", "")], capture_output=True, text=True, check=True).stdout
        said = [row.split("\t")[1] for row in rows.splitlines() if row.startswith("conclusion\t")]
        assert len(said) == 1 and said[0].split("; with ")[0] == title[0], (figure, said, title)


def test_curves(browser, pages):
    """A curve goes through no baseline, and a slow one does not press the axis: all that is joined lies near the winner."""
    if browser.name != "chromium":
        return  # a script from outside does not see the page's `state`
    opened(browser, pages.recorded)
    caption, rate, low, names = browser.run("""const box = document.querySelector('figure.live[data-figure=occupancy]');
        const winner = state.problem.marks.find((mark) => mark.name === 'winner').point;
        const heights = [...box.querySelectorAll('path.curve')].flatMap((own) => own.getAttribute('d').slice(1).split('L').map((at) => Number(at.split(' ')[1])));
        const feet = [...box.querySelectorAll('path.mark')].map((own) => Number(own.getAttribute('d').split(/[M ml]/)[2]) + 6);
        return [box.querySelector('figcaption').textContent, state.problem.points.rate[winner], [Math.max(...heights), Math.max(...feet)],
            [...box.querySelectorAll('text.mark-name')].map((own) => Number(own.getAttribute('y')))];""")
    begins = re.search(r"Axis starts at ([\d,.]+)", caption)
    assert begins and float(begins[1].replace(",", "")) > 0.85 * rate, (caption, rate)
    assert low[0] < low[1], "the slowest baseline stands below all curves"
    assert max(names) <= low[1], "a name lies on the numbers of the axis"


def dots(browser):
    """Places of two launches in the first figure, as the script has them."""
    return browser.run("""const svg = document.querySelector(%s);
        svg.scrollIntoView({block: 'center', behavior: 'instant'});
        const box = svg.getBoundingClientRect();
        return [box.left, box.top, box.width, box.height];""" % json.dumps(DOTS))


def open_list(browser):
    """Its rows are made when it is opened."""
    browser.run("document.querySelector('details.launches').open = true")
    browser.until("return document.querySelector('.list tr[data-point]') !== null", "the list has no rows")


def test_pointing(browser, pages):
    """Hover tells what a launch is; a click keeps it, a second one compares; keys do the same."""
    opened(browser, pages.plain)
    assert "Point at a launch" in text_of(browser, "#inspector")[0]
    left, top, width, height = dots(browser)
    told = ""
    for step in range(60):
        browser.point("move", left + width * (0.1 + 0.8 * (step % 10) / 10), top + height * (0.1 + 0.13 * (step // 10)))
        told = text_of(browser, "#inspector")[0]
        if "last stage" in told:
            break
    assert "time" in told and "last stage" in told, "no launch is under the pointer anywhere"
    browser.point("move", left + 1, top - 30)
    browser.until("return document.querySelector('#inspector').textContent.includes('Point at')", "it stays after the pointer is gone")
    browser.run("document.querySelector(%s).focus()" % json.dumps(DOTS))
    browser.key("Home")
    eventually(lambda: text_of(browser, "#inspector td"), "keys tell nothing")
    browser.key("Enter")
    browser.key("ArrowLeft")
    browser.key("Enter")
    eventually(lambda: [head[0] for head in text_of(browser, "#inspector thead th")[1:]] == ["A", "B"], "two are not compared")
    assert browser.run("return document.querySelectorAll('#inspector tr.differs').length") > 0
    open_list(browser)
    assert browser.run("return document.querySelectorAll('.list tr.pinned').length") == 2
    clicked(browser, "#inspector thead button", lambda: browser.run("return document.querySelectorAll('.list tr.pinned').length") == 1,
            "one of two is not let go")
    clicked(browser, ".list tr[data-point]:nth-child(3)", lambda: browser.run("return document.querySelectorAll('.list tr.pinned').length") == 2,
            "the list pins nothing")
    silent(browser)


def launches(browser):
    count = text_of(browser, "#shown-count")[0]
    numbers = [int(number) for number in re.findall(r"\d+", count.replace(",", ""))]
    return numbers[0], numbers[-1]


def test_brushing(browser, pages):
    """What is dragged over in one figure is what all of them, and the list, show."""
    opened(browser, pages.plain)
    shown, everything = launches(browser)
    assert shown == everything > 3
    left, top, width, height = dots(browser)
    browser.drag((left + 54, top + 2), (left + width - 12, top + height * 0.5))  # the faster half
    browser.until("return document.querySelector('.chips').textContent.includes('brushed')", "nothing is brushed")
    some, of = launches(browser)
    assert 0 < some < of == everything, (some, of)
    open_list(browser)
    rows = browser.run("return [...document.querySelectorAll('.list tr[data-point] th')].length")
    assert rows >= min(some, 100)
    clicked(browser, ".chips button", lambda: text_of(browser, ".chips") == [""], "the chip does not go")
    assert launches(browser) == (everything, everything)
    left, top, width, height = dots(browser)
    browser.drag((left + 54, top + 2), (left + 64, top + 12))  # on an empty place
    eventually(lambda: launches(browser) == (0, everything), "what is there none of is left")
    browser.key("Escape")  # wherever the focus is
    eventually(lambda: launches(browser) == (everything, everything), "Escape lets nothing go")
    silent(browser)


def test_filtering(browser, pages):
    opened(browser, pages.plain)
    _, everything = launches(browser)
    for words, wrong in [("block >= 256", ""), ("nonsense = 1", "no nonsense"), ("what", "OPERATOR"), ("block > abc", "is a number"),
                         ("time < 100 parsecs", "no unit parsecs"), ("variant > x", "is a word"), ("block=128 or block=256", "no or"),
                         ("variant = nowhere", "no variant is nowhere"), ("128 <= block <= 512", "OPERATOR")]:
        browser.run("const field = document.querySelector('#filter'); field.focus(); field.select()")
        browser.type(words)
        browser.key("Enter")
        if wrong:
            eventually(lambda word=wrong: word in text_of(browser, ".wrong")[0], words)
        else:
            eventually(lambda: len(text_of(browser, ".chips button")) == 1 and text_of(browser, ".wrong") == [""], words)
    some, _ = launches(browser)
    chips = text_of(browser, ".chips button")
    assert some < everything and len(chips) == 1 and chips[0].startswith("block >= 256"), (some, everything, chips)
    open_list(browser)
    heads = text_of(browser, ".list thead th")
    blocks = text_of(browser, f".list tbody tr td:nth-child({heads.index('block') + 1})") if "block" in heads else []
    assert all(int(block) >= 256 for block in blocks), blocks
    browser.run("document.querySelector('.chips button').focus()")
    browser.key("Enter")
    eventually(lambda: launches(browser)[0] == everything, "the chip does not go")
    # A value in the figure of influence filters, by the keyboard as well.
    browser.run("document.querySelector('figure[data-figure=influence] .pick').focus()")
    browser.key("Enter")
    eventually(lambda: launches(browser)[0] < everything and len(text_of(browser, ".chips button")) == 1, "a value filters nothing")
    silent(browser)


def shown_problem(browser, page):
    """Of the chosen problem what the data of the page has."""
    problem, n = chosen(browser).split(" n = ")
    return next(own for part in data_of(page)["parts"] for own in part["problems"] if own["problem"] == problem and own["n"] == int(n.replace(",", "")))


def kept(browser, words):
    """How many launches are left with a filter alone."""
    browser.run("document.querySelector('#filter').focus()")
    browser.type(words)
    browser.key("Enter")
    eventually(lambda: text_of(browser, ".chips button") and text_of(browser, ".wrong") == [""], words)
    count = launches(browser)[0]
    browser.key("Escape")
    eventually(lambda: not text_of(browser, ".chips button"), "Escape lets nothing go")
    return count


def test_units(browser, pages):
    """What is written with units, or several at once with `and`, is what is meant."""
    opened(browser, pages.recorded)
    points = shown_problem(browser, pages.recorded)["points"]
    finals, sweeps, bytes_shared = (rows_of(points.get(name), points["count"]) for name in ("final_ns", "sweep_ns", "shared_bytes"))
    timed = [(final or sweep, shared) for final, sweep, shared in zip(finals, sweeps, bytes_shared) if final or sweep]
    us = round(sorted(time for time, _ in timed)[len(timed) // 2] / 1000, 2)
    faster = sum(time / 1000 < us for time, _ in timed)
    for words in (f"time < {us}", f"time < {us}us", f"time < {us} us", f"time<{us}\u00b5s", f"time < {us / 1000:.8f} ms", f"time < {us * 1000:.1f}ns"):
        assert kept(browser, words) == faster, (words, faster)
    assert kept(browser, "shared > 1KiB") == kept(browser, "shared > 1,024") == sum(shared > 1024 for _, shared in timed)
    both = kept(browser, f"time < {us}us and shared <= 1KiB")
    assert both == kept(browser, f"time < {us} && shared <= 1024") == kept(browser, f"shared <= 1 KiB AND time < {us}us") < faster
    assert both == sum(time / 1000 < us and shared <= 1024 for time, shared in timed)
    silent(browser)


def test_address(browser, pages):
    """The address holds what the reader chose: opened elsewhere, it shows the same. Escape lets go from anywhere."""
    opened(browser, pages.plain)
    _, everything = launches(browser)
    clicked(browser, ".map button.cell[aria-pressed=false]", lambda: "problem=" in browser.run("return location.hash"), "the address stays empty")
    browser.run("document.querySelector('#filter').focus()")
    browser.type("block >= 256")
    browser.key("Enter")
    eventually(lambda: "filter=" in browser.run("return location.hash"), "the filter is not in the address")
    left, top, width, height = dots(browser)
    browser.drag((left + 54, top + 2), (left + width - 12, top + height * 0.6))
    eventually(lambda: "brush." in browser.run("return location.hash"), "the brush is not in the address")
    told = chosen(browser), launches(browser), text_of(browser, ".chips button")
    address = browser.run("return location.href")
    browser.open("about:blank")
    browser.open(address)
    browser.until("return document.querySelector('#explore figure.live svg') !== null", "no figure is drawn")
    assert (chosen(browser), launches(browser), text_of(browser, ".chips button")) == told
    browser.run("document.activeElement.blur()")
    browser.key("Escape")
    eventually(lambda: launches(browser)[0] == launches(browser)[1], "Escape lets nothing go")
    browser.run("location.hash = '#trust'")
    browser.until("return document.querySelector('#trust > details').open", "a link to a section does not open it")
    silent(browser)


def test_csv(browser, pages):
    """The rows that are left, and not a hundred of them, are saved, numbers as they are."""
    opened(browser, pages.recorded)
    points = shown_problem(browser, pages.recorded)["points"]
    open_list(browser)
    browser.run("""document.addEventListener('click', (event) => {
        if (event.target.download) { event.preventDefault(); document.body.dataset.saved = event.target.download + ' ' + event.target.href.slice(0, 5); } });""")
    clicked(browser, "details.launches .controls button", lambda: browser.run("return document.body.dataset.saved || ''"), "nothing is saved")
    assert browser.run("return document.body.dataset.saved").endswith(".csv blob:")
    if browser.name != "chromium":  # a test's script does not reach into the page's there
        return
    rows = list(csv.DictReader(io.StringIO(browser.run("""const made = URL.createObjectURL, saved = [];
        URL.createObjectURL = (blob) => { saved.push(blob); return made(blob); };
        state.problem.points.status[state.problem.points.order[0]] = 'a,"b"';
        document.querySelector('details.launches .controls button').click();
        return saved[0].text();"""))))
    assert len(rows) == points["count"] > 100, (len(rows), points["count"])
    fastest = min(final or sweep for final, sweep in zip(*(rows_of(points[name], points["count"]) for name in ("final_ns", "sweep_ns"))) if final or sweep)
    assert float(rows[0]["time_ns"]) == fastest and rows[0]["status"] == 'a,"b"' and rows[0]["variant"], rows[0]


def test_first_screen(browser, pages):
    """All problems at a glance, the largest gain chosen, what to do next; every axis has numbers."""
    opened(browser, pages.recorded)
    gains = [float(text) for text in text_of(browser, ".map button.cell")]
    shown = browser.run("return document.querySelector('.map button.cell[aria-pressed=true]').textContent")
    assert len(gains) == 66 and float(shown) == max(gains), (len(gains), shown, max(gains))
    assert "Largest gain" in text_of(browser, ".next")[0] and "tune export --db " in text_of(browser, ".next")[0]
    assert browser.run("return document.querySelector('.chosen .copy').getBoundingClientRect().bottom") < 1000, "what to launch is below the first screen"
    assert len(text_of(browser, ".gains svg.ticks text")) >= 2
    silent(browser)
    # What is said of doubts has the words of the verdicts that are counted above.
    opened(browser, pages.plain)
    (answer, following), counted = text_of(browser, ".lead, .next")[:2], browser.run("return [...document.querySelectorAll('.lead b[class]')].map((word) => word.textContent)")
    assert {"nearly sure", "not sure"} & set(counted) and "Least sure is fixture." in following, (answer, following)


def test_production(browser, pages):
    """Every entry of tuned.conf that a winner of the page is in is there, single sizes as well."""
    opened(browser, pages.recorded)
    browser.run("document.querySelector('#ranges > details').open = true")
    browser.until("return document.querySelector('#ranges tbody tr') !== null", "no entries")
    rows = browser.run("return [...document.querySelectorAll('#ranges tbody tr')].map((row) => [row.cells[0].textContent.trim(), ...[1, 2].map((k) => Number(row.cells[k].dataset.v))])")
    data = data_of(pages.recorded)
    entries = [line for line in data["conf"].splitlines() if " n=" in line and line[0] not in " #["]
    assert len(rows) == len(entries) > 50 and any(low == high for _, low, high in rows), (len(rows), len(entries))
    for problem in (problem for part in data["parts"] for problem in part["problems"]):
        assert any(name == problem["problem"] and low <= problem["n"] <= high for name, low, high in rows), problem["problem"]


def test_absurd_bounds(browser, pages):
    """Of bounds that say nothing no number is told."""
    opened(browser, pages.absurd)
    browser.run("for (const details of document.querySelectorAll('details')) details.open = true")
    browser.until("return document.querySelectorAll('#why tbody tr, #winners tbody tr').length > 5", "no tables")
    text = browser.run("return document.querySelector('#page').innerText")
    assert "unknown" in " ".join(text_of(browser, "#why td")) and "unknown" in " ".join(text_of(browser, "#winners td"))
    assert not re.search(r"\d{4,}(\.\d*)?\s?[%\u00d7]|NaN|undefined|639,?12", text), re.findall(r".*(?:\d{4,}(?:\.\d*)?\s?[%\u00d7]|NaN|undefined).*", text)


def test_without_javascript(browser, pages):
    """It says so, and names the command that tells the same."""
    text = pages.plain.read_text()
    said = re.search(r"<noscript>(.*?)</noscript>", text, re.S)[1]
    assert "JavaScript is off" in said and "<code>tune show --db test.db</code>" in said, said
    assert browser.name and "<table" not in text.split("<script")[0]


def test_tables(browser, pages):
    """What is the same in all rows is said once, and shown again; a box keeps the rows that have its words."""
    opened(browser, pages.plain)
    browser.run("document.querySelector('#winners > details').open = true")
    browser.until("return document.querySelector('#winners .table-note') !== null", "the table has no notes")
    rows = "#winners tbody tr:not([hidden])"
    everything = len(text_of(browser, rows))
    hidden = len(text_of(browser, "#winners thead th[hidden], #winners .set > span[hidden]"))
    assert everything > 5 and hidden > 0 and text_of(browser, "#winners .table-note")[0].startswith("The same in all rows"), (everything, hidden)
    clicked(browser, "#winners .table-note button",
            lambda: not text_of(browser, "#winners thead th[hidden], #winners .set > span[hidden]"), "what is constant stays hidden")
    browser.run("document.querySelector('#winners .table-note input').focus()")
    browser.type("i32")
    eventually(lambda: 0 < len(text_of(browser, rows)) < everything, "the box filters nothing")
    assert all("i32" in row for row in text_of(browser, rows))
    silent(browser)


def test_copying(browser, pages):
    """What is copied is what is shown, and arrives where it is pasted."""
    opened(browser, pages.plain)
    browser.run("const area = document.createElement('textarea'); area.id = 'pasted'; document.body.append(area)")
    seen = set()
    for form in browser.run("return [...document.querySelectorAll('.copy button')].map((own) => own.dataset.form)"):
        clicked(browser, f'.copy button[data-form="{form}"]',
                lambda said="copied as " + form: text_of(browser, ".copied") == [said], f"not copied as {form}")
        text = text_of(browser, ".copy-text")[0]
        browser.run("const area = document.querySelector('#pasted'); area.value = ''; area.focus()")
        browser.paste()
        browser.until("return document.querySelector('#pasted').value !== ''", "nothing is pasted")
        assert browser.run("return document.querySelector('#pasted').value") == text
        seen.add(form)
        if form == "JSON":
            assert json.loads(text)["parameters"]
        if form == "CUDA C++":
            check_compiles(pages.folder, text)
    assert {"CUDA C++", "JSON", "tuned.conf"} <= seen, seen
    silent(browser)


def check_compiles(folder, text):
    """What is copied compiles as it stands, with a kernel that has parameters of other types than are given."""
    compiler = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if not compiler:
        print("   what is copied is not compiled: there is no nvcc", flush=True)
        return
    source = folder / "copied.cu"
    names = re.findall(r"launch_tuned\w*", text)
    assert names, text
    source.write_text(text + "\n__global__ void kernel(const float *, long long) {}\n" +
                      "".join(f"cudaError_t use_{name}() {{ return {name}(kernel, nullptr, nullptr, 1); }}\n" for name in names))
    subprocess.run([compiler, "-std=c++17", "-arch=sm_90", "-c", "-o", folder / "copied.o", source], check=True)


def test_dark(browser, pages):
    opened(browser, pages.plain)
    browser.scheme("light")
    light = browser.run(LOOK)["colours"]
    browser.scheme("dark")
    dark = browser.run(LOOK)["colours"]
    browser.scheme("light")
    assert luminance(light["paper"]) > 0.9 and luminance(light["ink"]) < 0.3, light
    assert luminance(dark["paper"]) < 0.15 and luminance(dark["ink"]) > 0.7, dark


def test_print(browser, pages):
    """Pages on paper, and dark is for screens."""
    opened(browser, pages.hostile)
    papers = []
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        papers.append(browser.print())
    browser.scheme("light")
    assert all(paper.startswith(b"%PDF") for paper in papers)
    if browser.name == "chromium":  # the other compresses the list of pages
        assert len(re.findall(rb"/Type\s*/Page\b", papers[0])) >= 3, len(papers[0])
    assert abs(len(papers[0]) - len(papers[1])) < 0.02 * len(papers[0]), [len(paper) for paper in papers]
    silent(browser)


def test_live(browser, pages):
    """The page that is served asks its server and nobody else; new winners come to it by themselves; it says when nobody answers."""
    database = pages.folder / f"live-{browser.name}.db"
    shutil.copy(pages.hostile_database, database)
    process = subprocess.Popen([os.environ["TUNE"], "watch", "--port", "0", database], stdout=subprocess.PIPE, text=True)
    try:
        url = process.stdout.readline().strip()
        if not url:
            print("   the served page is left out: tune watch does not serve", flush=True)
            return
        os.sched_setscheduler(process.pid, os.SCHED_OTHER, os.sched_param(0))
        browser.size(1440, 1000)
        browser.open(url)
        browser.until("return document.querySelectorAll('#watch-best tbody tr').length > 0", "no winners are told")
        names = text_of(browser, "#watch-best th[scope=row]")
        assert names and all(HOSTILE in name for name in names), names
        assert "noise" in text_of(browser, "#watch-facts")[0]
        assert "Without JavaScript" not in browser.run("return document.querySelector('#watch').innerText")
        before = chosen(browser)
        with changed(database) as sql:
            sql.execute("UPDATE winners SET trust = 'unstable', chosen_at = '2099-01-01T00:00:00Z'")
        browser.until("return document.querySelector('#watch-best').textContent.includes('not sure')", "the new winners are not told")
        browser.until("return document.querySelector('.chosen .t-not') !== null", "what is drawn stays as it was")
        assert chosen(browser) == before, "another problem than the reader's is shown"
        silent(browser)
        assert browser.run("return performance.getEntriesByType('resource').every((own) => own.name.startsWith(location.origin))")
        # Once the run is over, one line and the log are left above the answer, which a telephone then has on its first screen.
        left = browser.run("""const box = document.querySelector('#watch');
            box.classList.add('over');
            const left = [...box.children].filter((own) => own.offsetHeight > 0).map((own) => own.id);
            box.classList.remove('over');
            return left;""")
        assert set(left) <= {"watch-head", "watch-line", "watch-log-part"}, left
        process.send_signal(signal.SIGINT)
        browser.until("return document.querySelector('#watch').classList.contains('stale')", "nobody is told that the server is gone")
        assert "No answer" in text_of(browser, "#watch-line")[0]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def screenshots(folder, names):
    folder.mkdir(parents=True, exist_ok=True)
    for kind, program in browsers.installed():
        with tempfile.TemporaryDirectory(prefix="tune-report.") as work, kind(program, work) as browser:
            for page in map(pathlib.Path, names):
                for width in (360, 768, 1440):
                    for scheme in ("light", "dark"):
                        opened(browser, page.resolve(), width)
                        browser.scheme(scheme)
                        (folder / f"{page.stem}-{browser.name}-{width}-{scheme}.png").write_bytes(browser.screenshot())
                (folder / f"{page.stem}-{browser.name}.pdf").write_bytes(browser.print())


def main():
    if sys.argv[1:2] == ["--screenshots"]:
        screenshots(pathlib.Path(sys.argv[2]), sys.argv[3:])
        return 0
    found = browsers.installed()
    if not found:
        print("no browser: " + ", ".join(browsers.Chromium.programs + browsers.Firefox.programs))
        return 77
    with tempfile.TemporaryDirectory(prefix="tune-report.") as name:
        pages = Pages(pathlib.Path(name))
        for kind, program in found:
            with kind(program, name) as browser:
                for test_name, test in list(globals().items()):
                    if test_name.startswith("test_"):
                        begun = time.monotonic()
                        test(browser, pages)
                        print(f"ok {browser.name} {test_name} {time.monotonic() - begun:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
