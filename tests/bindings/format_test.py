#!/usr/bin/env python3
"""docs/tuned-conf.md says what libtuned reads: a reader written after that page alone takes and refuses the same of
recorded files and of some thousand that differ from one in a few places, and finds the same entries in them.

    format_test.py LIBTUNED
"""
import ctypes
import pathlib
import random
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FILES = ["db/recorded/nvidia-h100/tuned.conf", "db/recorded/cpu-2-cores/tuned.conf",
         *(f"tests/fuzz/corpus/tuned/{name}.conf" for name in ("everything", "ranges", "version_3", "version_4"))]
CHANGED = 400  # changes of each file


class Refused(Exception):
    pass


# ---- after the page ----

NAME = rb"[A-Za-z_][A-Za-z0-9_.-]*"
VALUE = rb'(?:[!$-<>-Z^-{}~]+|"(?:[^"\\]|\\["\\])*")'
FIELD = re.compile(rb"(" + NAME + rb")([=@])(" + VALUE + rb")(?=[ \t]|$)")
SECTION = re.compile(rb"\[(" + NAME + rb')[ \t]+("(?:[^"\\]|\\["\\])*")\](?=[ \t]|$)')
PROBLEM = re.compile(rb"(" + NAME + rb")(?=[ \t])")
DEVICE_FIELDS = {b"sm_count": ("int", 1), b"cores": ("int", 1), b"memory_bytes": ("whole", 1), b"bandwidth_gbs": ("real", 1),
                 b"compute_capability": ("capability", 1), b"capabilities": ("majors", 4)}
EVIDENCE = {b"time_ns": ("real", 1), b"at": ("at", 2), b"threads": ("int", 3), b"shared_bytes": ("int", 3), b"registers": ("int", 3),
            b"cluster": ("int", 4), b"capabilities": ("majors", 4), b"capability": ("capability range", 4)}


def need(condition):
    if not condition:
        raise Refused


def whole(text, most=2**63 - 1):
    need(re.fullmatch(rb"[0-9]+", text) and int(text) <= most)
    return int(text)


def sizes(text, version):
    ends = [whole(part) for part in text.split(b"-")]
    need(len(ends) == 1 or (len(ends) == 2 and version > 1 and ends[0] <= ends[1]))
    return ends[0], ends[-1]


def capability(text):
    parts = text.split(b".")
    need(len(parts) == 2)
    return [whole(part, 32767) for part in parts]


def check(kind, text, among):
    if kind in ("int", "whole"):
        whole(text, 2**31 - 1 if kind == "int" else 2**63 - 1)
    elif kind == "at":
        need(among[0] <= whole(text) <= among[1])
    elif kind == "real":
        need(re.fullmatch(rb"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text) and 0 <= float(text) < float("inf"))
    elif kind == "majors":
        need(all(whole(part) <= 62 for part in text.split(b",")))
    else:
        ends = [capability(part) for part in text.split(b"-")]
        need(len(ends) == 1 or (len(ends) == 2 and kind == "capability range" and ends[0] <= ends[1]))


def unquoted(text):
    return re.sub(rb'\\(["\\])', rb"\1", text[1:-1]) if text.startswith(b'"') else text


def fields_of(text):
    """[(name, "=" or "@", value)] on each side of the first '|'."""
    sides, at = [[]], 0
    while True:
        at += len(text[at:]) - len(text[at:].lstrip(b" \t"))
        if at == len(text):
            return sides
        if text[at:at + 1] == b"|":
            sides = sides if len(sides) > 1 else [*sides, []]
            at += 1
            continue
        field = FIELD.match(text, at)
        need(field)
        sides[-1].append((field[1], field[2], unquoted(field[3])))
        need(len([1 for _, sign, _ in sides[-1] if sign == b"="]) <= 128)
        at = field.end()


def named(side):
    found = {name: value for name, sign, value in side if sign == b"="}
    need(len(found) == len([1 for _, sign, _ in side if sign == b"="]))
    return found


def lines_of(data):
    need(data.endswith(b"\n"))
    data = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
    data = re.sub(rb"\r?\n(?=[ \t]*\|)", lambda end: b" " * len(end[0]), data)
    lines = [line[:-1] if line.endswith(b"\r") else line for line in data[:-1].split(b"\n")]
    need(not any(re.search(rb"[\x00-\x08\x0a-\x1f\x7f]", line) for line in lines))
    return lines


def read_entry(line, version, problems):
    problem = PROBLEM.match(line)
    need(problem and problems is not None)
    sides = fields_of(line[problem.end():])
    values, evidence = named(sides[0]), named(sides[1]) if len(sides) > 1 else {}
    need(sides[0] and sides[0][0][:2] == (b"n", b"=") and len(values) > 1)
    n = sizes(values[b"n"], version)
    further = [(name, sizes(value, version)) for name, sign, value in sides[0] if sign == b"@"]
    need(all(sign == b"@" for _, sign, _ in sides[0][1:1 + len(further)]) and all(sign == b"=" for side in sides[1:] for _, sign, _ in side))
    need(not further or (version > 2 and len(further) < 8 and len({name for name, _ in further} | {b"n"}) == len(further) + 1))
    for name, (kind, since) in EVIDENCE.items():
        if name in evidence and version >= since:
            check(kind, evidence[name], n)
    for other, others in problems.get(problem[1], []):
        need([name for name, _ in others] == [name for name, _ in further])
        need((other, others) != (n, further) if further else other[1] < n[0] or n[1] < other[0])
    problems.setdefault(problem[1], []).append((n, further))
    return problem[1], n, tuple(list(values.items())[1:]), tuple(evidence.items())


def read(data):
    lines, entries, devices, problems, ended = lines_of(data), [], set(), None, False
    first = re.fullmatch(rb"tuned-conf ([0-9]+)", lines[0])
    need(first and 1 <= int(first[1]) <= 5)
    for line in (line.lstrip(b" \t") for line in lines[1:]):
        if not line or line.startswith(b"#"):
            continue
        need(not ended)
        ended = line == b"end"
        if ended:
            continue
        if not line.startswith(b"["):
            entries.append(read_entry(line, int(first[1]), problems))
            continue
        section = SECTION.match(line)
        need(section)
        sides = fields_of(line[section.end():])
        fields = named(sides[0])
        need(len(sides) == 1 and len(fields) == len(sides[0]))
        for name, (kind, since) in DEVICE_FIELDS.items():
            if name in fields and int(first[1]) >= since:
                check(kind, fields[name], None)
        units = int(fields.get(b"cores", fields.get(b"sm_count", b"0")))
        device = section[1], unquoted(section[2]), tuple(capability(fields.get(b"compute_capability", b"0.0"))), units
        need(device not in devices)
        devices.add(device)
        problems = {}
    need(ended)
    return sorted(entries)


# ---- libtuned ----

class Error(ctypes.Structure):
    _fields_ = [("line", ctypes.c_int), ("text", ctypes.c_char * 256)]


LIBTUNED = ctypes.CDLL(sys.argv[1])
for function, returned in (("load_memory", ctypes.c_void_p), ("entry_count", ctypes.c_size_t), ("entry_at", ctypes.c_void_p),
                           ("entry_problem", ctypes.c_char_p), ("entry_n_low", ctypes.c_longlong),
                           ("entry_n_high", ctypes.c_longlong), ("value_at", None), ("evidence_at", None), ("free", None)):
    getattr(LIBTUNED, f"tuned_{function}").restype = returned


def pairs(function, entry):
    found, name, value = [], ctypes.c_char_p(), ctypes.c_char_p()
    while True:
        function(entry, ctypes.c_size_t(len(found)), ctypes.byref(name), ctypes.byref(value))
        if name.value is None:
            return tuple(found)
        found.append((name.value, value.value))


def read_by_libtuned(data):
    error = Error()
    tuned = ctypes.c_void_p(LIBTUNED.tuned_load_memory(data, ctypes.c_size_t(len(data)), b"changed.conf", ctypes.byref(error)))
    if not tuned:
        return None, error.text.decode("utf-8", "replace")
    found = []
    for i in range(LIBTUNED.tuned_entry_count(tuned)):
        entry = ctypes.c_void_p(LIBTUNED.tuned_entry_at(tuned, ctypes.c_size_t(i)))
        found.append((LIBTUNED.tuned_entry_problem(entry), (LIBTUNED.tuned_entry_n_low(entry), LIBTUNED.tuned_entry_n_high(entry)),
                      pairs(LIBTUNED.tuned_value_at, entry), pairs(LIBTUNED.tuned_evidence_at, entry)))
    LIBTUNED.tuned_free(tuned)
    return sorted(found), ""


# ---- what is changed ----

PIECES = [b"=", b"|", b'"', b"\\", b"@", b"-", b'[cuda "*"]', b"\n", b"\r\n", b"\r", b"end\n", b" n=1-", b" ", b"\t", b"\n |", b"#",
          b"]", b"[", b"\x00", b"\x7f", b"\xc3\xa9", b" m@5", b" at=", b".", b"18446744073709551616", b"9223372036854775807",
          b"\xef\xbb\xbf", b'""', b"tuned-conf 4\n", b' a="x|y"', b"|a=1", b"e", b"+", b"-0", b"00"]


def change(data, chance):
    data = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        at, way = chance.randrange(len(data) + 1), chance.randrange(7)
        if way == 0:
            data[at:at] = chance.choice(PIECES)
        elif way == 1:
            del data[at:at + chance.randint(1, 12)]
        elif way == 2:
            data[at:at + 1] = bytes([chance.randrange(256)])
        elif way == 3:
            begin = data.find(b"=", at) + 1
            data[begin:begin] = chance.choice(PIECES)
        else:
            lines = bytes(data).split(b"\n")
            line = chance.randrange(len(lines))
            words = lines[line].split(b" ")
            if way == 4:
                lines.insert(chance.randrange(len(lines)), lines[line])
            elif way == 5:
                words.insert(chance.randrange(len(words) + 1), chance.choice(words))
            else:
                chance.shuffle(words)
            lines[line] = lines[line] if way == 4 else b" ".join(words)
            data = bytearray(b"\n".join(lines))
    return bytes(data)


def main():
    chance, taken, total = random.Random(1), 0, 0
    for path in FILES:
        data = (SOURCE / path).read_bytes()
        for i in range(CHANGED):
            changed = change(data, chance) if i > 0 else data
            found, why = read_by_libtuned(changed)
            try:
                expected = read(changed)
            except Refused:
                expected = None
            if found != expected:
                pathlib.Path("differs.conf").write_bytes(changed)
                sys.exit(f"{path}, change {i} (now in differs.conf): libtuned {why or 'takes it'}; "
                         f"by the page it is {'refused' if expected is None else 'taken, or has other entries'}")
            taken, total = taken + (found is not None), total + 1
    if taken < len(FILES) or taken > total - 1000:
        sys.exit(f"only {taken} of {total} were taken, or nearly all")
    print(f"{total} files, {taken} of them taken by both")


main()
