# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what the musts of matrix products are about: {key of a must: Result}, as rows.py does."""
import os
import random

from bench import Absent, Bench, Slot
from products import Problem
from verdicts import Result, greatest, least, median_ratio

ALLOWED = {"float32": 1e-5, "float64": 1e-13}   # of the sum of the terms' sizes
POINTS = 24
POINTS_OF_FORMS = 2                        # each has a million terms
IN_CACHE = 1 << 20                         # bytes of a batch of cubes: in memory, 8 cubes take the time of their bytes
WINDOWS = {"(10, 20), 981 windows": (10, 20, 20, 1000), "(100, 200), 801 windows": (100, 200, 200, 1000)}


def prepare(bench, problem, runner, method=None):
    """A slot, checked at some points. Raises Absent."""
    worker = bench.workers.of(runner if runner.startswith("numpy") else "synelix")
    bench.made += 1
    name = f"products {bench.made}"
    answer = worker.ask("prepare_products", slot=name, runner=method or runner, **problem.words())
    draw = random.Random(bench.made)
    points = []
    is_forms = problem.kind == "forms"
    for _ in range(POINTS_OF_FORMS if is_forms else POINTS):
        product = draw.randrange(problem.products())
        rows, _, columns = problem.shapes[product if problem.kind == "list" else 0]
        points.append([product, draw.randrange(rows), 0 if is_forms else draw.randrange(columns)])
    slot = Slot(worker, name, runner, problem, answer)
    found = worker.ask("values", slot=name, points=points, timeout=300.0)["values"]
    for point, value in zip(points, found):
        terms = problem.terms(*point)
        if not abs(value - sum(terms)) <= ALLOWED[problem.scalar] * sum(map(abs, terms)):
            raise Absent(f"{method or runner} is wrong at {point}: {value}, not {sum(terms)}")
    return slot


def gain(bench, problem, peers, ours="synelix", rounds=7, at_least=0.05):
    """Median gain over the fastest of the peers, {peer: (runner, method)}; raises Absent if none can run."""
    slots, absent = {"ours": prepare(bench, problem, ours)}, []
    for name, (runner, method) in peers.items():
        try:
            slots[name] = prepare(bench, problem, runner, method)
        except Absent as why:
            absent.append(f"{name}: {why}")
    if len(slots) == 1:
        raise Absent("; ".join(absent))
    seconds = bench.alternate(slots, rounds, at_least)
    value = min(median_ratio(times, seconds["ours"]) for name, times in seconds.items() if name != "ours")
    note = f"{slots['ours'].detail}" + "".join(f"; absent: {text}" for text in absent)
    bench.forget()
    return value, note, seconds


# ---------------------------------------------------------------- windows
def windows(run):
    found = {}
    for key, peers in (("windows_loop", {"loop": ("numpy_products", "loop")}),
                       ("windows_matmul", {"sliding_window_view": ("numpy_products", "sliding")}),
                       ("windows_slices", {"a @ b": ("numpy_products", "slices"), "BLAS": ("blas", "blas_windows")})):
        gains, details = {}, {}
        for name, (rows, inner, columns, length) in WINDOWS.items():
            problem = Problem("windows", [[rows, inner, columns]], length=length)
            gains[name], note, details[name] = gain(run.one, problem, peers)
        value, name = least(gains)
        found[key] = Result(value, f"least: {name}; " + ", ".join(f"{n} {g:.1f}x" for n, g in gains.items()), details)
    return found


# ---------------------------------------------------------------- sets
def ragged(run):
    draw = random.Random(run.seed)
    shapes = [[draw.randint(4, 64) for _ in range(3)] for _ in range(10_000)]
    value, note, details = gain(run.one, Problem("list", shapes), {"BLAS": ("blas", None)})
    with_one = [list(shape) for shape in shapes]
    with_one[draw.randrange(10_000)] = [2000, 2000, 2000]
    large, _, more = gain(run.one, Problem("list", with_one), {"BLAS": ("blas", None)}, rounds=5)
    shares, times = {}, {}
    for name, runner in (("ours", "synelix"), ("the loop of the BLAS", "blas")):
        problem = Problem("list", shapes)
        seconds, rates = run.one.beside_roof(prepare(run.one, problem, runner), "multiply_adds_float")
        shares[name] = median_ratio([problem.operations() / s for s in seconds], rates)
        times[name] = {"seconds": seconds, "roof": rates}
        run.one.forget()
    note = ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares.items())
    return {"ragged": Result(min(value, large), f"without the large one {value:.2f}x, with it {large:.2f}x",
                             {"small": details, "with a large one": more}),
            "ragged_share": Result(shares["ours"], note, times)}


def ragged_kokkos(run):
    """In the program that has Kokkos Kernels; both run there."""
    draw = random.Random(run.seed)
    shapes = [[draw.randint(4, 64) for _ in range(3)] for _ in range(10_000)]
    with Bench(run.kernels_program, 1) as bench:
        value, _, details = gain(bench, Problem("list", shapes), {"Kokkos": ("synelix", "kokkos_batched")})
    return {"ragged_kokkos": Result(value, "one thread, Kokkos Kernels' SerialGemm for each product", details)}


def bytes_over_floats(run):
    """The greatest ratio of the time of int8 left operands over that of floats."""
    problems = {"600 x 784 by 784 x 10": Problem("batch", [[600, 784, 10]]),
                "1024-cube": Problem("batch", [[1024] * 3]), "cubes of 32": Problem("batch", [[32] * 3], count=100)}
    ratios, details = {}, {}
    for name, problem in problems.items():
        slots = {stored: prepare(run.one, problem.of(stored=stored), "synelix", "synelix_tiles")
                 for stored in ("int8", "float32")}
        details[name] = run.one.alternate(slots, 7, 0.05)
        ratios[name] = median_ratio(details[name]["int8"], details[name]["float32"])
        run.one.forget()
    value, name = greatest(ratios)
    return {"product_int8": Result(value, f"greatest: {name}; " + ", ".join(f"{n} {r:.2f}" for n, r in ratios.items()),
                                   details)}


def cubes(run):
    found, gains, times = {}, {}, {}
    for side in (8, 16, 32, 64):
        problem = Problem("batch", [[side] * 3], count=IN_CACHE // (3 * 4 * side ** 2))
        slot = prepare(run.one, problem, "synelix")
        seconds, rates = run.one.beside_roof(slot, "multiply_adds_float")
        share = median_ratio([problem.operations() / s for s in seconds], rates)
        found[f"cubes_{side}"] = Result(share, f"{problem.count} products, 1 MiB", {"seconds": seconds, "roof": rates})
        run.one.forget()
        gains[f"{side}"], _, times[side] = gain(
            run.one, problem, {"BLAS": ("blas", None), "NumPy": ("numpy_products", "matmul")})
    value, name = least(gains)
    found["cubes"] = Result(value, f"least: side {name}; " + ", ".join(f"{n} {g:.1f}x" for n, g in gains.items()), times)
    return found


def large(run):
    problem = Problem("batch", [[2000, 40_000, 2000]], scalar="float64")
    value, note, details = gain(run.one, problem, {"BLAS": ("blas", None)}, rounds=3, at_least=0)
    return {"large": Result(value, note, details)}


def product_threads(run):
    """The speed-up of two threads relative to that of the multiply-add peak."""
    if len(os.sched_getaffinity(0)) < 2:
        raise Absent("this machine gives us one processor")
    problem = Problem("batch", [[32] * 3], count=4096)
    with Bench(run.program, 2) as two:
        calls = {}
        for count, bench in ((1, run.one), (2, two)):
            calls[f"seconds_{count}"] = bench.timed(prepare(bench, problem, "synelix"), 0.2)
            calls[f"roof_{count}"] = lambda bench=bench: bench.roof("multiply_adds_float", 0.2)
        found = dict(Bench.in_turn(calls, 7))
    ours = [a / b for a, b in zip(found["seconds_1"], found["seconds_2"])]
    roofs = [b / a for a, b in zip(found["roof_1"], found["roof_2"])]
    run.one.forget()
    return {"product_threads": Result(median_ratio(ours, roofs), "4096 cubes of 32", found)}


# ---------------------------------------------------------------- forms
FORM_PEERS = {"matmul and sum": ("numpy_products", "forms_sum"), "matmul and einsum": ("numpy_products", "forms_einsum")}


def forms(run):
    """With one thread and with two, if the machine has them."""
    problem = Problem("forms", [[50_000, 1000, 1000]])
    gains, details = {}, {}
    gains["1 thread"], note, details["1 thread"] = gain(run.one, problem, FORM_PEERS, rounds=5, at_least=0)
    if len(os.sched_getaffinity(0)) >= 2:
        with Bench(run.program, 2) as two:
            gains["2 threads"], _, details["2 threads"] = gain(two, problem, FORM_PEERS, rounds=5, at_least=0)
    value, name = least(gains)
    return {"forms": Result(value, f"{note}; least: {name}; " + ", ".join(f"{n} {g:.2f}x" for n, g in gains.items()),
                            details)}


GROUPS = (
    (windows, ("windows_loop", "windows_matmul", "windows_slices")), (ragged, ("ragged", "ragged_share")),
    (ragged_kokkos, ("ragged_kokkos",)), (bytes_over_floats, ("product_int8",)),
    (cubes, ("cubes_8", "cubes_16", "cubes_32", "cubes_64", "cubes")), (product_threads, ("product_threads",)),
    (large, ("large",)), (forms, ("forms",)),
)
