#!/usr/bin/env python3
"""check_page.py FILE: a page of `tune report` is well-formed, stands alone, and runs nothing but its own script.

Else says what is wrong and fails."""
import collections
import html.parser
import json
import re
import sys

VOID = {"meta", "link", "br", "img", "input", "hr", "wbr"}
REFERENCES = {"src", "href", "xlink:href", "action", "data", "poster", "srcset", "formaction"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.ids = collections.Counter()
        self.referred = set()
        self.scripts = []
        self.counts = collections.Counter()
        self.text = []
        self.data = []
        self.wrong = []

    def handle_starttag(self, tag, attributes, closed=False):
        self.counts[tag] += 1
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            self.wrong.append(f"<{tag}> has an attribute twice: {names}")
        for name, value in attributes:
            value = value or ""
            if name == "id":
                self.ids[value] += 1
            if name.startswith("on"):
                self.wrong.append(f"<{tag} {name}=...>")
            if name in REFERENCES and not value.startswith("#"):
                self.wrong.append(f"<{tag} {name}={value[:80]}>: leads out of the page")
            if name in REFERENCES:
                self.referred.add(value[1:])
            for inner in re.findall(r"url\(\s*['\"]?([^)'\"]*)", value):
                if not inner.startswith("#"):
                    self.wrong.append(f"<{tag} {name}={value[:80]}>: leads out of the page")
                self.referred.add(inner[1:])
        if tag == "script":
            self.scripts.append(dict(attributes))
        if tag not in VOID and not closed:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes, closed=True)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()} closes what is not open")

    def handle_data(self, data):
        inside = self.open[-1] if self.open else ""
        if inside == "script" and "id" in self.scripts[-1]:
            self.data.append(data)
        if inside == "style" and re.search(r"@import|url\(", data):
            self.wrong.append("the style sheet loads something")
        if inside not in ("style", "script"):
            self.text.append(data)


def check(path):
    with open(path, "rb") as file:
        raw = file.read()
    text = raw.decode("utf-8")  # strict
    page = Page()
    page.feed(text)
    page.close()
    if page.open:
        page.wrong.append(f"never closed: {page.open}")
    for name, count in page.ids.items():
        if count > 1:
            page.wrong.append(f"id {name!r} stands {count} times")
    for name in page.referred - set(page.ids):
        page.wrong.append(f"refers to #{name}, which is nowhere")
    if page.scripts != [{"type": "application/json", "id": "data"}, {"nonce": "tune"}]:
        page.wrong.append(f"scripts: {page.scripts}")
    else:
        json.loads("".join(page.data))
    for tag in ("iframe", "object", "embed", "link", "base", "form", "img"):
        if page.counts[tag]:
            page.wrong.append(f"a <{tag}>")
    control = re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
    if control:
        page.wrong.append(f"a control character {control.group()!r} at {control.start()}")
    if page.counts["noscript"] == 0 or "tune show --db " not in "".join(page.text):
        page.wrong.append("without JavaScript nothing tells what to do")
    if "Content-Security-Policy" not in text:
        page.wrong.append("no policy")
    return page


if __name__ == "__main__":
    checked = check(sys.argv[1])
    for line in checked.wrong:
        print(line)
    if checked.wrong:
        sys.exit(1)
