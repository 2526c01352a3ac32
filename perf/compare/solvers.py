# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how often the solver that the library chooses for a fit is the faster one.

    ./dev perf --solvers [--problems N] [--out FILE]

Random problems with ridge: rows, columns, targets, family, strength and correlation from a seed; of every fourth, columns are
exp of normal ones. On each, automatic, newton and lbfgs run three times in turn, one thread, each in a process of its own; the
median of the processor's seconds counts. Where automatic made the evaluations of the solver that it chose, it is that solver,
and their runs count together. A line a problem. At the end: the share of problems in which automatic is within 15 % of the better
one of those that converge for as many targets. Exits 1 where that is below 90 %, or automatic converges for fewer targets than
newton.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from context import processor, revision, save

SOLVERS, ROUNDS, NEAR, MUST = ("newton", "lbfgs"), 3, 1.15, 0.90
ALL = ("automatic", *SOLVERS)
MOST_VALUES = 20_000_000                   # of the features
MOST_WORK = 1.2e11                         # multiply-adds of the Hessians of a walk, so that a problem takes seconds


def draw(random):
    """Sizes of a useful problem: more rows than columns, and a moderate time."""
    while True:
        rows, columns = int(10 ** random.uniform(3, 5.5)), int(10 ** random.uniform(.5, 2.9))
        targets = int(10 ** random.uniform(0, 2.3))
        work = rows * columns ** 2 * targets
        if rows > 5 * columns and rows * columns <= MOST_VALUES and rows * targets <= MOST_VALUES and work <= MOST_WORK:
            return {"rows": rows, "columns": columns, "targets": targets,
                    "family": str(random.choice(["poisson", "bernoulli", "gaussian"])),
                    "strength": float(10 ** random.uniform(-6, -2)), "shared": float(random.uniform(0, .9)),
                    "tail": float(random.uniform(.5, 1.5)) if random.uniform() < .25 else 0.0}


def write(folder, problem, random):
    """Columns that share a part of their noise, and targets that depend on them."""
    rows, columns, targets = problem["rows"], problem["columns"], problem["targets"]
    common = random.normal(size=(rows, 1)).astype(np.float32)
    features = random.normal(size=(rows, columns)).astype(np.float32)
    features += np.float32(problem["shared"]) * common
    if problem["tail"] > 0:
        features = np.exp(np.float32(problem["tail"]) * features)
        features /= features.std(axis=0)
    weights = random.normal(size=(columns, targets)).astype(np.float32) / np.float32(np.sqrt(columns))
    eta = (features @ weights).T.astype(np.float64)
    if problem["family"] == "poisson":
        values = random.poisson(np.exp(np.minimum(eta - 2, 3)))
    elif problem["family"] == "bernoulli":
        values = random.uniform(size=eta.shape) < 1 / (1 + np.exp(1 - eta))
    else:
        values = eta + random.normal(size=eta.shape)
    features.tofile(folder / "features.f32")
    values.astype(np.float64).tofile(folder / "targets.f64")


def seconds_of(program, folder, problem, solver):
    question = {"task": "fit", "design": "stored", "folder": str(folder), "all_rows": problem["rows"], "solver": solver,
                **{key: problem[key] for key in ("rows", "columns", "targets", "family", "strength")}}
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMP_PROC_BIND="false")
    done = subprocess.run([program, json.dumps(question)], capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        sys.exit(f"solvers: {solver} on {problem}: {done.stderr.strip()}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def measure(program, folder, problem):
    """Medians of all three, and the choice."""
    found = {solver: [] for solver in ALL}
    for turn in range(ROUNDS):
        for solver in ALL[turn:] + ALL[:turn]:
            found[solver].append(seconds_of(program, folder, problem, solver))
    times = {solver: [one["seconds"] for one in found[solver]] for solver in ALL}
    counts = {solver: (found[solver][0]["evaluations"], found[solver][0]["hessians"]) for solver in ALL}
    chosen = found["automatic"][0]["solver"]
    if counts["automatic"] == counts.get(chosen):
        times["automatic"] = times[chosen] = times["automatic"] + times[chosen]
    seconds = {solver: statistics.median(times[solver]) for solver in ALL}
    converged = {solver: found[solver][0]["converged"] for solver in ALL}
    complete = [solver for solver in SOLVERS if converged[solver] >= converged["automatic"]] or SOLVERS
    return {**problem, "seconds": seconds, "predicted": {solver: found[solver][0]["predicted"] for solver in SOLVERS},
            "chosen": chosen, "converged": converged,
            "evaluations": {solver: found[solver][0]["evaluations"] / problem["targets"] for solver in ALL},
            "hessians": {solver: found[solver][0]["hessians"] / problem["targets"] for solver in ALL},
            "over_better": seconds["automatic"] / min(seconds[solver] for solver in complete)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--problems", type=int, default=60)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--out")
    asked = parser.parse_args()
    random = np.random.default_rng(asked.seed)
    results = []
    with tempfile.TemporaryDirectory() as name:
        for number in range(asked.problems):
            problem = draw(random)
            write(Path(name), problem, random)
            result = measure(asked.program, Path(name), problem)
            results.append(result)
            times = ", ".join(f"{solver} {result['seconds'][solver]:.3f} s (predicted {result['predicted'][solver]:.3f})"
                              for solver in SOLVERS)
            print(f"{number:2} {problem['family']:9} {problem['rows']:6} x {problem['columns']:3}, {problem['targets']:3} targets: "
                  f"{times}; {result['chosen']} with {result['evaluations']['automatic']:.0f} evaluations, "
                  f"{result['over_better']:.2f} of the better; converged {list(result['converged'].values())}", flush=True)
    near = sum(result["over_better"] <= NEAR for result in results) / len(results)
    lost = sum(max(0, result["converged"]["newton"] - result["converged"]["automatic"]) for result in results)
    print(f"within {NEAR:.2f} of the better: {100 * near:.0f} % (must {100 * MUST:.0f} %); "
          f"the worst {max(result['over_better'] for result in results):.2f}; targets that newton alone brings to the optimum: {lost}")
    if asked.out:
        save({"processor": processor(), "revision": revision(), "problems": results, "near": near}, asked.out)
    return 0 if near >= MUST and lost == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
