"""Python functions and texts over parameters, as expressions of tune.

A function is called with parameters that are not known yet: they record what is done with them. Each branch that it takes on
one is followed both ways. Where this fails (a loop over a parameter, an index, a call of a library) the function is called for
every combination of the parameters that it reads, and its results become a table.
"""
import ast
import builtins
import inspect
import itertools
import math
import re

import numpy

LEAVES = 128  # results of one function, by its branches
COMBINATIONS = 1 << 20  # calls of one function for a table
LENGTH = 32000  # of an expression; tune's own limit is a little higher
BITS = 60  # results of a condition in one number of a table
FUNCTIONS = {"min", "max", "abs", "float", "int", "round", "ceil", "floor", "sqrt", "log2", "log", "exp"}
NODES = (ast.Expression, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Name, ast.Load, ast.Constant, ast.List,
         ast.Tuple, ast.Call, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
ALREADY = {"math": math, "numpy": numpy, "np": numpy, "ceil": math.ceil, "floor": math.floor, "sqrt": math.sqrt, "log2": math.log2,
           "log": math.log, "exp": math.exp}


class Refused(ValueError):
    """Something that tune cannot do; the text names the argument and the reason."""


class _Fork(BaseException):
    """A branch on a condition whose outcome the path does not say yet."""

    def __init__(self, condition):
        super().__init__(condition)
        self.condition = condition


class _Unknown(Exception):
    """An operation that has no expression."""


def constant(value):
    """Returns a value as tune writes it."""
    if isinstance(value, Formula):
        return value.text
    if isinstance(value, (bool, numpy.bool_)):
        return str(bool(value))
    if isinstance(value, (int, numpy.integer)):
        return str(int(value)) if value >= 0 else f"({int(value)})"
    if isinstance(value, (float, numpy.floating)) and math.isfinite(value):
        return repr(float(value)) if value >= 0 else f"({float(value)!r})"
    if isinstance(value, str) and "'" not in value and "\\" not in value and value.isprintable():
        return f"'{value}'"
    if isinstance(value, (list, tuple)) and value:
        return "[" + ", ".join(constant(item) for item in value) + "]"
    raise _Unknown(repr(value))


class Formula:
    """A value that is an expression over parameters."""

    __array_ufunc__ = None  # numpy's scalars leave their operators to this class
    __hash__ = None

    def __init__(self, text, path):
        self.text = text
        self._path = path

    def _made(self, text):
        return Formula(text, self._path)

    def __bool__(self):
        if self.text not in self._path:
            raise _Fork(self.text)
        return self._path[self.text]

    def __round__(self, digits=None):
        if digits is not None:
            raise _Unknown("round")
        return self._made(f"round({self.text})")


def _binary(operator, reflected):
    def method(self, other):
        left, right = (constant(other), self.text) if reflected else (self.text, constant(other))
        return self._made(f"({left} {operator} {right})")

    return method


for _name, _operator in {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "lshift": "<<",
                         "rshift": ">>", "and": "&", "or": "|", "xor": "^"}.items():
    setattr(Formula, f"__{_name}__", _binary(_operator, False))
    setattr(Formula, f"__r{_name}__", _binary(_operator, True))
for _name, _operator in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    setattr(Formula, f"__{_name}__", _binary(_operator, False))
for _name, _form in {"neg": "(-{})", "pos": "{}", "invert": "(~{})", "abs": "abs({})", "ceil": "ceil({})", "floor": "floor({})",
                     "trunc": "int({})"}.items():
    setattr(Formula, f"__{_name}__", lambda self, form=_form: self._made(form.format(self.text)))


def caller(function, names):
    """Returns a function of a dictionary: some take one, others the parameters by their names, or all of them in their order."""
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return function
    taken = [parameter.name for parameter in given if parameter.default is parameter.empty
             and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)]
    if taken and all(name in names for name in taken):
        return lambda values: function(**{name: values[name] for name in taken})
    if len(taken) > 1 or (len(given) > 1 and any(parameter.kind is parameter.VAR_POSITIONAL for parameter in given)):
        return lambda values: function(*(values[name] for name in names))
    return function


def traced(function, names):
    """Returns the expression that a function of a dictionary computes; None where it has none."""
    left = [LEAVES]

    def follow(path):
        left[0] -= 1
        if left[0] < 0:
            raise _Unknown("too many branches")
        try:
            return constant(function({name: Formula(text, path) for name, text in names.items()}))
        except _Fork as fork:
            condition = fork.condition
        then, otherwise = follow({**path, condition: True}), follow({**path, condition: False})
        if then == otherwise:
            return then
        if otherwise in ("False", condition):
            return f"({condition} and {then})"
        if then in ("True", condition):
            return f"({condition} or {otherwise})"
        return f"({then} if {condition} else {otherwise})"

    try:
        text = follow({})
    except Exception:  # noqa: BLE001 - whatever the function's own code raises for a value that is no number
        return None
    return text if len(text) <= LENGTH else None


class _Recorder(dict):
    """Values of parameters that note which are read."""

    def __init__(self, values, read):
        super().__init__(values)
        self.read = read

    def __getitem__(self, name):
        self.read[name] = None
        return super().__getitem__(name)

    def get(self, name, otherwise=None):
        return self[name] if name in self else otherwise

    def _all(self):
        self.read.update(dict.fromkeys(super().keys()))

    def keys(self):
        self._all()
        return super().keys()

    def values(self):
        self._all()
        return super().values()

    def items(self):
        self._all()
        return super().items()

    def __iter__(self):
        self._all()
        return super().__iter__()


def tabulated(function, parameters, what):
    """Calls a function for each combination of the parameters that it reads. Returns their names and the results."""
    read = {}
    while True:
        names = [name for name in parameters if name in read]
        count = math.prod(len(parameters[name]) for name in names)
        if count > COMBINATIONS:
            raise Refused(f"{what}: its function reads {', '.join(names)}, which have {count} combinations; a function for which tune "
                          f"needs a table may read {COMBINATIONS}: write it as a text, or as a function of arithmetic alone")
        results = []
        for combination in itertools.product(*(parameters[name] for name in names)):
            values = {name: items[0] for name, items in parameters.items()}
            values.update(zip(names, combination))
            results.append(function(_Recorder(values, read)))
            if len(read) > len(names):
                break
        else:
            return names, results


def position(name, values):
    """Returns the expression of a value's place in its list."""
    steps = {b - a for a, b in zip(values, values[1:])} if all(type(value) is int for value in values) else set()
    if len(values) == 1:
        return "0"
    if len(steps) == 1 and min(steps) > 0:
        return f"(({name} - {constant(values[0])}) // {min(steps)})"
    return "(" + " + ".join(f"{i} * ({name} == {constant(value)})" for i, value in enumerate(values) if i) + ")"


def place(names, parameters):
    """Returns the expression of a combination's place among all of these parameters."""
    text = "0"
    for name in names:
        at = position(name, parameters[name])
        text = at if text == "0" else f"({text} * {len(parameters[name])} + {at})"
    return text


def looked_up(names, results, parameters, what):
    """Returns the expression that finds a result in a table."""
    if len(set(map(constant, results))) == 1:
        return constant(results[0])
    text = "[" + ", ".join(map(constant, results)) + f"][{place(names, parameters)}]"
    if len(text) > LENGTH:
        raise Refused(f"{what}: the table of its function's {len(results)} results over {', '.join(names)} is too long for tune: "
                      "write it as a text, or as a function of arithmetic alone")
    return text


def conditions_of(names, results, parameters, what):
    """Returns constraints that hold for the combinations whose result is true: the points, as bits of numbers."""
    if all(results):
        return []
    if not any(results):
        raise Refused(f"{what}: no combination of {', '.join(names)} meets it")
    words = [sum(1 << k for k, result in enumerate(results[i:i + BITS]) if result) for i in range(0, len(results), BITS)]
    at = place(names, parameters)
    text = f"([{', '.join(map(str, words))}][({at}) // {BITS}] >> (({at}) % {BITS})) & 1 == 1"
    if len(text) <= LENGTH:
        return [text]
    share, first, rest = len(results) // len(parameters[names[0]]), names[0], names[1:]
    found = []
    for i, value in enumerate(parameters[first]):
        part = results[i * share:(i + 1) * share]
        inner = conditions_of(rest, part, parameters, what) if any(part) else ["False"]
        found += [f"{first} != {constant(value)} or ({condition})" for condition in inner]
    return found


def is_expression(text, names):
    """Returns whether tune evaluates a text as Python does."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        return False
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    lists = {id(item) for node in ast.walk(tree) if isinstance(node, ast.Compare)
             for item, how in zip(node.comparators, node.ops) if isinstance(how, (ast.In, ast.NotIn))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (node.keywords or not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS):
            return False
        if isinstance(node, ast.Name) and id(node) not in called and node.id not in names:
            return False
        if isinstance(node, ast.Constant) and not isinstance(node.value, (bool, int, float, str)):
            return False
        if isinstance(node, (ast.List, ast.Tuple)) and id(node) not in lists:
            return False
        if not isinstance(node, NODES) or isinstance(node, (ast.MatMult, ast.Is, ast.IsNot)):
            return False
    return True


def function_of_text(text, what, names=None):
    """Returns a text that Python evaluates as a function of a dictionary; with `names` other names are refused."""
    try:
        code = compile(text.strip(), f"<{what}>", "eval")
    except SyntaxError as error:
        raise Refused(f"{what}: '{text}' is no expression of Python ({error.msg})") from None
    unknown = [name for name in code.co_names if names is not None and name not in (*names, *ALREADY, *dir(builtins))]
    if unknown and "." not in text:
        raise Refused(f"{what}: '{text}': there is no parameter {unknown[0]}")
    return lambda values: eval(code, dict(ALREADY), values)  # noqa: S307 - the script's own text


def with_numbers(given, parameters):
    """Returns a text, or its function where it reckons with values that are numbers in quotes: those are put into the text."""
    words = [name for name in re.findall(r"[a-zA-Z_]\w*", given) if name in parameters]
    first = {name: parameters[name][0] for name in words}
    if any(isinstance(item, str) and re.fullmatch(r"[-+]?[\d.]+", item) for item in first.values()):
        try:
            eval(given.strip(), dict(ALREADY), first)  # noqa: S307 - the script's own text
        except (SyntaxError, NameError):
            return given  # told by others
        except TypeError:
            return lambda values: eval(replaced(given, {name: values[name] for name in words}), dict(ALREADY))  # noqa: S307
    return given


def value(given, parameters, what):
    """Returns the expression of a value that is a number, a text or a function."""
    names = {name: name for name in parameters}
    given = with_numbers(given, parameters) if isinstance(given, str) else given
    if isinstance(given, str):
        if is_expression(given, names):
            return " ".join(given.split())
        given = function_of_text(given, what, names)
    if not callable(given):
        return constant(given)
    function = caller(given, names)
    return traced(function, names) or looked_up(*tabulated(function, parameters, what), parameters, what)


def condition(given, parameters, what):
    """Returns the constraints that a restriction means."""
    names = {name: name for name in parameters}
    if isinstance(given, tuple) and len(given) in (2, 3) and callable(given[0]) and isinstance(given[1], (list, tuple)):
        function, taken = given[0], list(given[1])
        if "Constraint" in type(function).__name__ or not all(name in parameters for name in taken):
            raise Refused(f"{what}: {function!r} over {taken}: tune takes texts and functions of parameters")
        given = lambda values, whole=function: whole(*(values[name] for name in taken))  # noqa: E731
    given = with_numbers(given, parameters) if isinstance(given, str) else given
    if isinstance(given, str):
        if is_expression(given, names):
            return [" ".join(given.split())]
        given = function_of_text(given, what, names)
    if not callable(given):
        raise Refused(f"{what}: {given!r}: tune takes texts and functions of parameters")
    function = caller(given, names)
    text = traced(function, names)
    if text == "True":
        return []
    return [text] if text and text != "False" else conditions_of(*tabulated(function, parameters, what), parameters, what)


def over(given, names):
    """Returns the expression of a metric, a text or a function, or None; `names` gives the expressions of what it may read."""
    function = function_of_text(given, "metrics") if isinstance(given, str) else given
    return traced(function, names)


def replaced(text, values):
    """Replaces the parameters in a text by their values, as Kernel Tuner does in texts that are no expressions."""
    return "".join(str(values[part]) if part in values else part for part in re.split("([a-zA-Z0-9_]+)", text))
