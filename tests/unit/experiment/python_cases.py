"""Expressions with what Python makes of them, one per line, for test_expression_python.c.

  python_cases.py expressions.json   each of the file's, by several values of its names
  python_cases.py random SEED COUNT  made up

A line: kind (one, list), names with values ("a=1;x=0x1.8p+0"), expression, result, separated by
tabs. A result is "i 5", "r 0x1.8p+0", "b True", "t text", several joined by ";", "big" for an
integer of more than 64 bits, or "error".
"""
import json
import math
import random
import re
import sys

FUNCTIONS = {"min": min, "max": max, "abs": abs, "int": int, "float": float, "round": round,
             "range": range, "list": list, "len": len, "sqrt": math.sqrt, "log": math.log,
             "log2": math.log2, "exp": math.exp, "floor": math.floor, "ceil": math.ceil,
             "all": all, "any": any}
WORDS = {"and", "or", "not", "if", "else", "in", "for", "True", "False"} | set(FUNCTIONS)


def one(value):
    if isinstance(value, bool):
        return f"b {value}"
    if isinstance(value, int):
        return f"i {value}" if -2**63 <= value < 2**63 else "big"
    if isinstance(value, float):
        return f"r {value.hex()}" if math.isfinite(value) else "error"
    return f"t {value}" if isinstance(value, str) else "error"


def result(expression, names):
    try:
        value = eval(expression, {"__builtins__": {}, **FUNCTIONS, **names})
        if expression.startswith("lambda p:"):
            value = value(names)
        elif expression.startswith("lambda"):
            value = value(**{name: names[name] for name in value.__code__.co_varnames[:value.__code__.co_argcount]})
    except (ZeroDivisionError, TypeError, ValueError, OverflowError):
        return "error"
    if isinstance(value, (list, tuple, range)):
        return ";".join(one(item) for item in value)
    return one(value)


def bound(names):
    return ";".join(f"{name}={value.hex() if isinstance(value, float) else value}"
                    for name, value in names.items())


def show(kind, names, expression):
    print(kind, bound(names), expression, result(expression, names), sep="\t")


def published(path):
    chance = random.Random(1)
    roles = json.load(open(path, encoding="utf-8"))
    for expression in roles.pop("Values"):
        show("list", {}, expression)
    for role, expressions in roles.items():
        for expression in expressions:
            if expression.endswith(".bin"):
                continue  # the name of a file
            # Lists of the file around it: the problem's size, a parameter's values.
            expression = expression.replace("ProblemSize", "[4096, 2048]")
            expression = re.sub(r"max\((\w+)\)", "max([i for i in range(3, 35, 2)])", expression)
            names = sorted(set(re.findall(r"\b[A-Za-z_]\w*", expression)) - WORDS
                           - ({"i"} if "for i" in expression else set()))
            for _ in range(8):
                values = (0, 1, 2, 3, 4, 8, 16, 24, 32, 48, 64, 100, 128)
                show("one", {name: chance.choice(values) for name in names}, expression)


def number(chance, depth):
    form = chance.randrange(15) if depth else chance.randrange(3)
    if form < 2:
        return chance.choice("abcxy")
    if form == 2:
        return chance.choice(["0", "1", "2", "7", "0.5", "1.5", "10", "True", "3_0", "0x1f", "1e3"])
    if form < 8:
        operator = chance.choice(["+", "-", "*", "/", "//", "%", "//", "%"])
        return f"({number(chance, depth - 1)} {operator} {number(chance, depth - 1)})"
    if form == 8:
        if chance.random() < 0.2:  # powers of a positive number: complex numbers are not supported
            return f"abs({number(chance, depth - 1)}) ** 0.5"
        return f"-{number(chance, depth - 1)} ** {chance.choice(['2', '3', '0', '-1'])}"
    if form == 9:
        return f"({number(chance, depth - 1)} if {truth(chance, depth - 1)} else {number(chance, depth - 1)})"
    if form == 10:
        name = chance.choice(["min", "max"])
        return f"{name}({number(chance, depth - 1)}, {number(chance, depth - 1)})"
    if form == 11:  # mostly of integers
        text = "abc"[chance.randrange(3)] if chance.random() < 0.5 else f"int({number(chance, depth - 1)})"
        return f"~{text}" if chance.random() < 0.9 else f"~{number(chance, depth - 1)}"
    if form < 14:
        operator = chance.choice(["&", "|", "^", "<<", ">>"])
        operands = [chance.choice([f"int({number(chance, depth - 1)})", "a", "b", "c", "True", "3", "65",
                                   truth(chance, depth - 1), number(chance, depth - 1)]) for _ in range(3)]
        if "<<" in operator or ">>" in operator:  # by far more than 64, Python's numbers take all memory
            operands[1] = chance.choice(["0", "1", "3", "b", "65", "-1", "True", "(a & 7)", "x"])
        plain = chance.choice([" + 1", " * 2", f" {chance.choice('&|^')} {operands[2]}", ""])
        return f"({operands[0]} {operator} {operands[1]}{plain})"
    name = chance.choice(["abs", "int", "float", "round", "floor", "ceil"])
    return f"{name}({number(chance, depth - 1)})"


def truth(chance, depth):
    form = chance.randrange(11) if depth else 0
    if form > 7:
        name = chance.choice(["all", "any"])
        if chance.random() < 0.5:
            return f"{name}({values(chance, depth - 1)})"
        item = re.sub(r"\ba\b", "i", truth(chance, 0) if chance.random() < 0.5 else number(chance, 1))
        source = chance.choice(["range(4)", "(a, 3, c)", "[a, b, c]", "[2, 1 // b]", "range(a, b)"])
        return f"{name}({item} for i in {source}{chance.choice(['', ' if i > 1', ' if i != c if i'])})"
    if form < 3:
        chain = [number(chance, max(0, depth - 1)) for _ in range(chance.choice([2, 2, 2, 3]))]
        text = chain[0]
        for operand in chain[1:]:
            text += f" {chance.choice(['<', '<=', '==', '!=', '>', '>='])} {operand}"
        return f"({text})"
    if form < 6:
        word = chance.choice(["and", "or"])
        return f"({truth(chance, depth - 1)} {word} {number(chance, depth - 1)})"
    if form == 6:
        return f"(not {truth(chance, depth - 1)})"
    return f"({number(chance, depth - 1)} {chance.choice(['in', 'not in'])} {values(chance, depth - 1)})"


def values(chance, depth):
    form = chance.randrange(8) if depth else chance.randrange(3)
    if form == 7:  # a tuple
        items = [number(chance, 1) for _ in range(chance.randrange(4))]
        return f"({', '.join(items)}{',' if len(items) == 1 or chance.random() < 0.2 and items else ''})"
    if form == 0:
        return "[" + ", ".join(number(chance, 1) for _ in range(chance.randrange(4))) + "]"
    if form == 1:
        return f"list(range({', '.join(chance.choice(['a', 'b', '3', '9', '-2']) for _ in range(2))}))"
    if form == 2:
        return chance.choice(["range(5)", "range(9, a, -2)", "range(b, 20, 3)"])
    if form < 5:
        condition = chance.choice(["", " if i % 2", " if i > a", " if i < 9 if i != b"])
        source = chance.choice(["range(6)", "range(a, 12)", "[1, 5, b]", "list(range(3)) + [a]"])
        item = re.sub(r"\ba\b", "i", number(chance, 1)) if chance.random() < 0.7 else "i ** 2"
        return f"[{item} for i in {source}{condition}]"
    if form == 5:
        return " + ".join(f"list({values(chance, 0)})" for _ in range(2))
    return f"[1, a] * {chance.choice(['0', '2', '3', 'a', '-1'])}"


def made_up(seed, count):
    chance = random.Random(seed)
    for _ in range(count):
        names = {name: chance.choice([0, 1, 2, 3, 5, 8, -1, -3, -7, 31]) for name in "abc"}
        names |= {name: chance.choice([0.0, 0.5, -2.5, 3.0, 1e10, -0.1]) for name in "xy"}
        kind = chance.choice(["number", "truth", "list"])
        if kind == "list":
            show("list", names, values(chance, 3))
        else:
            expression = (number if kind == "number" else truth)(chance, 4)
            if kind == "truth" and chance.random() < 0.2:
                quote = chance.choice(["'", '"'])
                expression = "lambda p: " + re.sub(r"\b([abcxy])\b", rf"p[{quote}\1{quote}]", expression)
            elif kind == "truth" and chance.random() < 0.2:
                expression = "lambda " + ", ".join("abcxy") + ": " + expression
            show("one", names, expression)


if sys.argv[1] == "random":
    made_up(int(sys.argv[2]), int(sys.argv[3]))
else:
    published(sys.argv[1])
