#!/usr/bin/env python3
"""How comments and documents read, in shares that their limits keep from rising.

    tests/style/prose.py [FOLDER ...]          a table of comments of three or more words, folder by folder
    tests/style/prose.py --list KIND [FOLDER]  the comments of a kind: wrong, what, it, noverb
    tests/style/prose.py --limits              the shares of all sources and documents; fails on one above its limit (a test)

wrong: begins with It, They, Those, That, The same, What, Which, Of, By or With. what, it: contains "what", or it, they, them,
their. verb: the share of comments right above a function that begin with a verb in the third person (Returns, Finds, Frees).
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PARTS = {"product": ("tuner", "frontends", "views", "libtuned", "include", "bindings"), "rest": ("tests", "bench", "examples")}
SOURCES = [folder for folders in PARTS.values() for folder in folders]
PROMISED = ROOT / "tests/bindings/promised"  # headers of earlier releases, byte for byte
# Percent, but for lines. A limit here only ever falls, and "verb" only rises.
LIMITS = {"product": {"wrong": 0.4, "what": 0.2, "it": 13.6, "noverb": 2.5},
          "rest": {"wrong": 0.4, "what": 0.4, "it": 24.0, "noverb": 7.5},
          "documents": {"sentences with what": 0.6, "long lines": 169, "NEWS": 60}}
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*', re.S)
KINDS = {"wrong": re.compile(r"^(it|they|those|that|the same|what|which|of|by|with)\b", re.I),
         "what": re.compile(r"\bwhat\b", re.I), "it": re.compile(r"\b(it|its|they|them|theirs?)\b", re.I)}
FUNCTION = re.compile(r"\s*(?!(?:return|else|if|for|while|switch|case|struct\s+\w+\s*\{|enum\s*\w*\s*\{|typedef|goto)\b)"
                      r"(?:[A-Za-z_]\w*[\s*]+)+\**\w+\s*\((?!\s*\*)[^;{=]*\)[^;{=]*[;{]", re.S)
# A verb in the third person ends in -s; of nouns that do, these begin comments.
NOUNS = set("this its yes has was does less across always perhaps bytes rows points sizes samples times names values results lines devices "
            "files words kernels others units terms arrays numbers errors candidates compilers inputs outputs checks rounds "
            "blocks options members strings texts digits fields flags limits constants columns tables models hosts lanes groups "
            "workers parts pairs places problems baselines contenders finalists winners experiments configurations parameters "
            "dimensions trials elements vectors shares bounds ranges seconds references sums pages sides steps stages states "
            "slots nodes trees keys plans".split())


def comments_of(text):
    """Line, words, and whether a function follows, of each comment of three or more words."""
    for found in COMMENT.finditer(text):
        if found[0][0] != "/" or re.search(r"SPDX|Copyright|clang-format (on|off)|NOLINT|cppcheck-suppress", found[0]):
            continue
        words = " ".join(re.sub(r"^[ \t]*(\*(?!/)|//+)", " ", found[0][2:].removesuffix("*/"), flags=re.M).split())
        words = re.sub(r"^[*/! ]+|[-=]{3,}", "", words).strip()
        words = re.sub(r"^[\w/]+\.[ch]: ", "", words)  # the file that defines the function below
        if len(re.findall(r"[A-Za-z]{2,}|\ba\b", words)) >= 3:
            begins_line = (found.start() == 0 or text[found.start() - 1] == "\n") and "----" not in found[0]
            yield text.count("\n", 0, found.start()) + 1, words, begins_line and bool(FUNCTION.match(text, found.end()))


def kinds_of(words, is_function):
    verb = re.match(r"[A-Z]?[a-z]+[a-rt-z]s(?= )", words)
    is_verb = verb and (verb[0].lower() not in NOUNS or re.match(r" (an?|the|that|all|each|every|one)\b", words[verb.end():]))
    kinds = {kind for kind, pattern in KINDS.items() if pattern.search(words)}
    return kinds | ({"verb" if is_verb else "noverb"} if is_function else set())


def measure(folder, listed=None):
    counts = dict.fromkeys(("all", "wrong", "what", "it", "verb", "noverb"), 0)
    for file in sorted(path for ending in ("c", "h", "hpp", "cu", "cuh") for path in folder.rglob("*." + ending)
                       if PROMISED not in path.resolve().parents):
        for line, words, is_function in comments_of(file.read_text(errors="replace")):
            for kind in ["all", *kinds_of(words, is_function)]:
                counts[kind] += 1
                if kind == listed:
                    print(f"{file}:{line}: {words}")
    return counts


def shares_of(counts):
    functions = counts["verb"] + counts["noverb"]
    shares = {kind: 100 * counts[kind] / max(1, counts["all"]) for kind in ("wrong", "what", "it")}
    return {**shares, "noverb": 100 * counts["noverb"] / max(1, functions)}


def documents():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    lines = [line for page in pages for line in page.read_text().split("\n")]
    prose = " ".join(line for line in lines if not line.startswith(("|", "#", "    ", "<", "```")))
    sentences = [text for text in re.split(r"(?<=[.!?:])\s+", prose) if len(text.split()) > 2]
    news = (ROOT / "NEWS.md").read_text().split("\n## ")[1]
    return {"sentences with what": 100 * sum(bool(KINDS["what"].search(text)) for text in sentences) / max(1, len(sentences)),
            "long lines": sum(len(line) > 140 and not line.startswith("|") for line in lines),
            "NEWS": sum(bool(line.strip()) for line in news.split("\n")[1:])}


def main(arguments):
    if arguments == ["--limits"]:
        measured = {"documents": documents()}
        for part, folders in PARTS.items():
            counts = [measure(ROOT / folder) for folder in folders]
            measured[part] = shares_of({kind: sum(count[kind] for count in counts) for kind in counts[0]})
        rows = [(part, kind, measured[part][kind], limit) for part, limits in LIMITS.items() for kind, limit in limits.items()]
        for part, kind, value, limit in rows:
            print(f"{part:10} {kind:20} {value:6.1f}, at most {limit}")
        sys.exit(any(value > limit for _, _, value, limit in rows))
    if arguments[:1] == ["--list"]:
        for folder in arguments[2:] or SOURCES:
            measure(pathlib.Path(folder), arguments[1])
        return
    print(f"{'':24} comments  wrong   what     it  functions    verb")
    for folder in arguments or [str(path) for top in SOURCES for path in sorted(pathlib.Path(top).glob("*")) if path.is_dir()]:
        counts = measure(pathlib.Path(folder))
        shares = shares_of(counts)
        print(f"{folder:24} {counts['all']:8} " + " ".join(f"{shares[kind]:5.1f}%" for kind in ("wrong", "what", "it")) +
              f" {counts['verb'] + counts['noverb']:10} {100 - shares['noverb']:6.1f}%")


main(sys.argv[1:])
