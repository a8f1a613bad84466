#!/usr/bin/env python3
"""made.py FILE: a database of a matrix product that nobody measured: the 10,312 configurations of BAT's gemm with times
of a rough model of a GPU (arithmetic, loads, occupancy, waves, spills, barriers; 3 % of noise), at two sizes, and once
with two regions that fail. It is there to try strategies on a space of that size and shape: its times are nobody's."""

import itertools
import json
import math
import os
import random
import sqlite3
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def make_database(path, problems):
    """problems: {(key, n): [(configuration, time in ns or None, row that it launches the same as or None)]}"""
    database = sqlite3.connect(path)
    with open(os.path.join(ROOT, "db", "schema.sql"), encoding="utf-8") as schema:
        database.executescript(schema.read())
    now = "2026-01-01T00:00:00Z"
    database.execute("INSERT INTO devices (id, uuid, kind, name, architecture, memory_bytes, unit_count, facts, "
                     "first_seen_at) VALUES (1, 'u', 'cpu', 'made', 'made', 1, 1, '{}', ?)", (now,))
    database.execute("INSERT INTO environments (id, device_id, driver, compiler, tool_version, host, first_seen_at) "
                     "VALUES (1, 1, 'd', 'c', 't', 'h', ?)", (now,))
    database.execute("INSERT INTO experiments (id, name, device_kind, definition_hash, content_hash, path, text, "
                     "first_seen_at) VALUES (1, 'made', 'cpu', 'd', 'c', 'p', '', ?)", (now,))
    database.execute("INSERT INTO runs (id, environment_id, started_at, seed, l2_mode, tick_ns, empty_pair_ns) "
                     "VALUES (1, 1, ?, 1, 'cold', 1, 1)", (now,))
    configurations = {}
    trial = 0
    for problem, ((key, n), rows) in enumerate(problems.items(), 1):
        database.execute("INSERT INTO problems (id, experiment_id, key, axes, n, bytes_moved) "
                         "VALUES (?, 1, ?, '{}', ?, 1)", (problem, key, n))
        first = trial
        for configuration, time, same_as in rows:
            trial += 1
            text = json.dumps(configuration)
            if text not in configurations:
                configurations[text] = len(configurations) + 1
                name = " ".join(f"{name}={value}" for name, value in configuration.items())
                database.execute("INSERT INTO configurations (id, experiment_id, key, parameters) VALUES (?, 1, ?, ?)",
                                 (configurations[text], name, text))
            status = "ok" if time else "wrong_result" if same_as is None else "skipped_by_constraint"
            database.execute(
                "INSERT INTO trials (id, run_id, environment_id, problem_id, configuration_id, stage, l2_mode, status, "
                "same_as_trial_id, sample_count, median_ns, duration_ns, measured_at) "
                "VALUES (?, 1, 1, ?, ?, 'sweep', 'cold', ?, ?, 1, ?, 1, ?)",
                (trial, problem, configurations[text], status, None if same_as is None else first + same_as + 1, time,
                 now))
    database.commit()
    database.close()


# BAT's gemm (NTNU-HPC-Lab/BAT, MIT): parameters of more than one value, and its constraints.
VALUES = {"MWG": (16, 32, 64, 128), "NWG": (16, 32, 64, 128), "KWG": (16, 32), "MDIMC": (8, 16, 32),
          "NDIMC": (8, 16, 32), "MDIMA": (8, 16, 32), "NDIMB": (8, 16, 32), "KWI": (2, 8), "SA": (0, 1), "SB": (0, 1)}


def is_legal(p):
    threads = p["MDIMC"] * p["NDIMC"]
    return (p["MWG"] % p["MDIMC"] == 0 and p["NWG"] % p["NDIMC"] == 0 and p["MWG"] % p["MDIMA"] == 0
            and p["NWG"] % p["NDIMB"] == 0 and p["KWG"] % (threads // p["MDIMA"]) == 0
            and p["KWG"] % (threads // p["NDIMB"]) == 0)


def resident_blocks(threads, registers, shared_bytes):
    return min(32, 65536 // (registers * threads), 2048 // threads,
               228 * 1024 // shared_bytes if shared_bytes else 32)


def time_ns(p, n):
    """None: it does not fit."""
    threads = p["MDIMC"] * p["NDIMC"]
    per_thread = (p["MWG"] // p["MDIMC"], p["NWG"] // p["NDIMC"])
    results = per_thread[0] * per_thread[1]
    registers = results + 2 * sum(per_thread) + 2 * p["KWI"] + 20
    shared_bytes = 4 * p["KWG"] * (p["SA"] * p["MWG"] + p["SB"] * p["NWG"])
    blocks = resident_blocks(threads, min(registers, 255), shared_bytes)
    if blocks == 0:
        return None
    grid = (n // p["MWG"]) * (n // p["NWG"])
    waves = math.ceil(grid / (132 * blocks))
    filled = grid / (132 * blocks) / waves
    hidden = min(1.0, (blocks * threads / 2048 * min(results, 16) / 4) ** 0.6)
    work = (1 + (2 / per_thread[0] + 2 / per_thread[1]) * (0.5 if p["SA"] and p["SB"] else 0.9) + 0.3 / p["KWI"]
            + 8 / p["KWG"] / results)
    arithmetic = 2 * n**3 / 67e12 * work / (hidden * max(filled, 0.05))
    loads = (1 / (p["NWG"] if p["SA"] else min(2 * per_thread[1], p["NWG"])) * (1 + 0.3 * (p["MDIMA"] != 32))
             + 1 / (p["MWG"] if p["SB"] else min(2 * per_thread[0], p["MWG"])) * (1 + 0.3 * (p["NDIMB"] != 32)))
    memory = 4 * n**3 * loads / 20e12
    barriers = n / p["KWG"] * (p["SA"] + p["SB"]) * 1e-7 / blocks * waves
    whole = max(arithmetic, memory) + 0.3 * min(arithmetic, memory) + barriers
    return 1e9 * whole * (1 + 0.1 * max(0, registers - 255)) * (1.04 if p["MDIMC"] < p["MDIMA"] else 1)


def fails(p):
    return (p["MDIMC"] * p["NDIMC"] >= 256 and p["SA"] == 1) or (p["KWG"] == 16 and p["NWG"] >= 64)


def main():
    if len(sys.argv) != 2:
        sys.exit("use: bench/strategies/made.py FILE")
    points = [dict(zip(VALUES, values)) for values in itertools.product(*VALUES.values())]
    points = [point for point in points if is_legal(point)]
    problems = {}
    for n in (1024, 2048):
        noise = random.Random(n)
        times = [(point, time_ns(point, n), noise.gauss(0, 0.03)) for point in points]
        rows = [(point, time and time * math.exp(noise), None) for point, time, noise in times]
        problems["gemm_model.all", n] = rows
        problems["gemm_model.failing", n] = [(point, None if fails(point) else time, None) for point, time, _ in rows]
    make_database(sys.argv[1], problems)


if __name__ == "__main__":
    main()
