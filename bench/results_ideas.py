"""The part of docs/results.md about what each idea is worth: for each value of a parameter the best that a
configuration with it comes to, against the best of all. Sweeps only, so that all are measured alike."""
import json

from results_base import folded, opened, size, table

PROBLEMS = ("reduce.sum.i32", "reduce.sum.u8", "reduce.sum.f32")
PARAMETERS = ("variant", "map", "step", "schedule", "cache", "bound", "count", "width", "accumulators", "loads",
              "threads", "block")
VALUES_MAX = 12  # values of a parameter: one with more follows the size, and is no idea


class Sweep:
    """All that was tried of a problem at a size, caches cold: parameters and time."""

    def __init__(self, connection, key, n):
        self.points = []
        for text, time_ns in connection.execute("""
                SELECT c.parameters, points.sweep_ns
                FROM points
                JOIN latest_problems USING (environment_id, problem_id, l2_mode, objective)
                JOIN problems AS p ON p.id = points.problem_id
                JOIN configurations AS c ON c.id = points.configuration_id
                WHERE p.key = ? AND p.n = ? AND points.l2_mode = 'cold' AND points.objective = 'time'
                  AND points.sweep_ns > 0
                ORDER BY c.id""", (key, n)):
            self.points.append((json.loads(text), time_ns))
        self.best_ns = min((time_ns for _, time_ns in self.points), default=None)

    def best(self, parameter):
        """Of each value the smallest time with it; of a function over the parameters, which may give None, too."""
        times = {}
        for parameters, time_ns in self.points:
            value = parameter(parameters) if callable(parameter) else parameters.get(parameter)
            if value is not None:
                times[value] = min(time_ns, times.get(value, time_ns))
        return times


def sizes_of(connection, key):
    return [row[0] for row in connection.execute("""
        SELECT DISTINCT p.n FROM problems AS p JOIN latest_problems AS l ON l.problem_id = p.id
        WHERE p.key = ? AND l.l2_mode = 'cold' ORDER BY 1""", (key,))]


def keys_of(connection, experiment):
    return [row[0] for row in connection.execute("""
        SELECT DISTINCT p.key FROM problems AS p JOIN experiments AS x ON x.id = p.experiment_id
        JOIN latest_problems AS l ON l.problem_id = p.id
        WHERE x.name = ? AND l.l2_mode = 'cold' ORDER BY p.id""", (experiment,))]


def in_order(values):
    """Numbers by size, words as they came."""
    numbers = [value for value in values if isinstance(value, (int, float))]
    return sorted(numbers) + [value for value in values if value not in numbers]


def ratio_text(time_ns, best_ns):
    if time_ns is None:
        return "-"
    ratio = time_ns / best_ns
    return "**1**" if ratio == 1 else f"{ratio:.2f}" if ratio >= 1.005 else f"{ratio:.3f}"


def known_values(connection, key, parameters):
    """Of each parameter all values, words in the order in which configurations first had them: whatever the size."""
    values = {parameter: {} for parameter in parameters}
    for (text,) in connection.execute("""
            SELECT parameters FROM configurations
            WHERE experiment_id IN (SELECT experiment_id FROM problems WHERE key = ?) ORDER BY id""", (key,)):
        for parameter, value in json.loads(text).items():
            if parameter in values:
                values[parameter][value] = True
    return {parameter: in_order(list(known)) for parameter, known in values.items()}


def rows_of_parameter(sweeps, parameter, known):
    bests = [sweep.best(parameter) for sweep in sweeps]
    values = [value for value in known if any(value in best for best in bests)]
    if not 2 <= len(values) <= VALUES_MAX:
        return []
    return [(f"{parameter} = {value}", *(ratio_text(best.get(value), sweep.best_ns)
                                         for best, sweep in zip(bests, sweeps))) for value in values]


def idea_table(connection, key, parameters=PARAMETERS):
    sizes = sizes_of(connection, key)
    sweeps = [Sweep(connection, key, n) for n in sizes]
    sizes = [n for n, sweep in zip(sizes, sweeps) if sweep.points]
    sweeps = [sweep for sweep in sweeps if sweep.points]
    known = known_values(connection, key, parameters)
    rows = [row for parameter in parameters for row in rows_of_parameter(sweeps, parameter, known[parameter])]
    return table(["best with"] + [size(n) for n in sizes], rows) if rows else []


def ideas(databases):
    lines = []
    for database in databases:
        with opened(database) as connection:
            for key in PROBLEMS:
                rows = idea_table(connection, key)
                if rows and not lines:
                    lines += [f"#### {key}", "", *rows, ""]
                elif rows:
                    lines += folded(key, rows)
    if not lines:
        return []
    return ["### Gain of each idea", "",
            "Time of the best configuration with this value, as a multiple of the best of all (**1**: has this "
            "value). All times are medians of the sweep, which measured every legal configuration in the same way, "
            "caches cold. Each is the smallest of many, so differences of a percent or two mean nothing. `-`: no "
            "such configuration at this size.", "", *lines]
