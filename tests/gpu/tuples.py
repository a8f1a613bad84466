#!/usr/bin/env python3
"""tuples.py TUNE SOURCE WORK OUT [DEVICE]: tunes examples/gemm_mnk.yaml at its 24 shapes, looks 200 other shapes up
with libtuned, tunes 20 of these directly, and tells what the configurations that were looked up lose to what was found
there, in the same rounds. OUT gets tuples.txt, tuples.json and both tuned.conf.

In the environment: TUPLES_BUDGET (100s), TUPLES_DIRECT_BUDGET (100s), TUPLES_LOSS (2%), TUPLES_SEED (1), TUPLES_LOOKED_UP (200),
TUPLES_TUNED (20), TUPLES_OPTIONS (of both runs). Fails where a look-up has no launch; a loss is no verdict."""
import json
import math
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import time

PARAMETERS = ("BM", "BN", "BK", "RM", "RN", "PAD")


def setting(name, otherwise):
    return os.environ.get("TUPLES_" + name) or otherwise


def run(tune, work, log, *arguments):
    start = time.monotonic()
    with open(log, "w", encoding="utf-8") as out:
        status = subprocess.run([tune, "run", *arguments, "--no-report", *setting("OPTIONS", "").split()], cwd=work,
                                stdout=out, stderr=subprocess.STDOUT, check=False).returncode
    print(f"tune run {' '.join(arguments)}: exit code {status}, {time.monotonic() - start:.0f} s", flush=True)
    return status


def shapes_of(text):
    """The sizes of the file: where their list stands, and the tuples."""
    found = re.search(r'"m, n, k": \[(.*?)\n  \]\n', text, re.S)
    return found, [tuple(int(x) for x in shape) for shape in re.findall(r"\[(\d+), (\d+), (\d+)\]", found[1])]


def draw(shapes, count, seed):
    """Other shapes in their box, evenly by ratios."""
    generator = random.Random(seed)
    ends = [(min(x), max(x)) for x in zip(*shapes)]
    drawn = []
    while len(drawn) < count:
        shape = tuple(round(math.exp(generator.uniform(math.log(a), math.log(b)))) for a, b in ends)
        if shape not in shapes and shape not in drawn:
            drawn.append(shape)
    return drawn


def look_up(libtuned, conf, shapes):
    """Of each shape what libtuned answers; what is wrong with these answers."""
    tuned = libtuned.load(conf)
    device = next(iter(tuned)).device
    found, wrong = {}, []
    for m, n, k in shapes:
        answer = tuned.find(device, "gemm_mnk", n, m=m, k=k)
        launch = answer.launch() if answer else None
        values = answer.values if answer else {}
        if launch is None:
            wrong.append(f"{m}x{n}x{k}: {answer.grade}: no launch: {answer.reason}")
            continue
        grid = (-(-n // values["BN"]), -(-m // values["BM"]))
        block = values["BM"] // values["RM"] * (values["BN"] // values["RN"])
        if tuple(launch.grid[:2]) != grid or launch.block[0] != block:
            wrong.append(f"{m}x{n}x{k}: the launch is {launch}, not {grid} blocks of {block}")
        found[m, n, k] = {"grade": str(answer.grade), "values": {name: values[name] for name in PARAMETERS}}
    return tuned, found, wrong


def chain(shapes, found, parameter):
    """An expression that gives each shape its own value."""
    values = [found[shape]["values"][parameter] for shape in shapes]
    usual = max(set(values), key=values.count)
    text = str(usual)
    for (m, n, k), value in zip(shapes, values):
        if value != usual:
            text = f"{value} if m == {m} and n == {n} and k == {k} else {text}"
    return text


def write_direct(text, shapes, found, path):
    listed, _ = shapes_of(text)
    sizes = ", ".join(f"[{m}, {n}, {k}]" for m, n, k in shapes)
    text = text[:listed.start()] + f'"m, n, k": [{sizes}]\n' + text[listed.end():]
    chains = "".join(f'      {name}: {chain(shapes, found, name)}\n' for name in PARAMETERS)
    path.write_text(text + "\nbaselines:\n  - name: looked_up\n    about: what libtuned answers for the shape\n    set:\n"
                    + chains, encoding="utf-8")


def losses(tune, work):
    """By shape: the time of what was tuned, and what the looked-up configuration takes more."""
    shown = subprocess.run([tune, "show", "--json", "--db", "direct.db"], cwd=work, stdout=subprocess.PIPE, check=True).stdout
    out = {}
    for row in json.loads(shown):
        gain = next((one.get("gain") for one in row["baselines"] if one["name"] == "looked_up"), None)
        shape = tuple(int(x) for x in row["problem"].rsplit(".", 1)[1].split("x"))
        out[shape] = {"time_ns": row["time_ns"], "loss": None if gain is None else gain - 1, "trust": row.get("trust"),
                      "tuned": {name: row["parameters"][name] for name in PARAMETERS}}
    return out


def tell(found, direct, tuned, out):
    lines = []
    configurations = {tuple(entry.values[name] for name in PARAMETERS) for entry in tuned}
    grades = [answer["grade"] for answer in found.values()]
    lines.append(f"{len(tuned)} lines of {len(configurations)} configurations; of {len(found)} other shapes "
                 + ", ".join(f"{grades.count(grade)} {grade}" for grade in sorted(set(grades))))
    lines.append(f"{'m x n x k':>18} {'tuned us':>9} {'GFLOP/s':>9} {'looked up':>10}  configuration")
    told = [(shape, one) for shape, one in sorted(direct.items()) if one["loss"] is not None]
    for (m, n, k), one in told:
        lines.append(f"{f'{m} x {n} x {k}':>18} {one['time_ns'] / 1000:9.2f} {2 * m * n * k / one['time_ns']:9.0f} "
                     f"{100 * one['loss']:+9.2f}%  " + " ".join(f"{a}={b}" for a, b in found[m, n, k]["values"].items()))
    known = [one["loss"] for _, one in told]
    if known:
        lines.append(f"what was looked up takes more than what was tuned there, of {len(known)} shapes: median "
                     f"{100 * statistics.median(known):.2f} %, mean {100 * statistics.mean(known):.2f} %, at most "
                     f"{100 * max(known):.2f} %; within 2 %: {sum(x <= 0.02 for x in known)}, within 5 %: "
                     f"{sum(x <= 0.05 for x in known)}")
    (out / "tuples.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines), flush=True)
    return known


def main():
    tune, source, work, out = (pathlib.Path(x).resolve() for x in sys.argv[1:5])
    device = sys.argv[5] if len(sys.argv) > 5 else "0"
    sys.path.insert(0, str(source / "bindings" / "python"))
    import libtuned  # pylint: disable=import-outside-toplevel,import-error
    work.mkdir(parents=True, exist_ok=True)
    out.mkdir(parents=True, exist_ok=True)
    for name in ("gemm_mnk.yaml", "gemm_mnk.cu"):
        (work / name).write_text((source / "examples" / name).read_text(encoding="utf-8"), encoding="utf-8")
    text = (work / "gemm_mnk.yaml").read_text(encoding="utf-8")
    status = run(tune, work, work / "tuples-run.txt", "gemm_mnk.yaml", "--device", device, "--budget",
                 setting("BUDGET", "100s"), "--loss", setting("LOSS", "2%"), "--db", "tuples.db", "--conf", "tuples.conf")
    if not (work / "tuples.conf").exists():
        print((work / "tuples-run.txt").read_text(encoding="utf-8")[-2000:])
        return 1
    shapes = draw(shapes_of(text)[1], int(setting("LOOKED_UP", "200")), int(setting("SEED", "1")))
    tuned, found, wrong = look_up(libtuned, work / "tuples.conf", shapes)
    chosen = [shape for shape in shapes if shape in found][:int(setting("TUNED", "20"))]
    write_direct(text, chosen, found, work / "direct.yaml")
    run(tune, work, work / "direct-run.txt", "direct.yaml", "--device", device, "--budget",
        setting("DIRECT_BUDGET", "100s"), "--set", "look_between=0", "--db", "direct.db", "--conf", "direct.conf")
    direct = losses(tune, work)
    known = tell(found, direct, tuned, out)
    (out / "tuples.json").write_text(json.dumps({
        "looked_up": [{"shape": shape, **answer} for shape, answer in found.items()],
        "tuned": [{"shape": shape, **one} for shape, one in direct.items()], "wrong": wrong}, indent=1), encoding="utf-8")
    for name in ("tuples.conf", "direct.conf", "tuples-run.txt", "direct-run.txt"):
        if (work / name).exists():
            (out / name).write_text((work / name).read_text(encoding="utf-8"), encoding="utf-8")
    print("\n".join(wrong[:10]), end="\n" if wrong else "")
    return 0 if status == 0 and not wrong and known else 1


sys.exit(main())
