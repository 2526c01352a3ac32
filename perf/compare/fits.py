# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures fits of generalized linear models against their peers: the same data, the same optimum, one thread each.

    ./dev perf --fit [--only KEY,KEY] [--recording FILE.nwb] [--out FILE]

One line a row: what, measured, must, aim. Exits 1 where a must is missed or a row could not run. Each fit runs in a
process of its own, so that its peak of memory is its own. Seconds are those of the processor, because walls on a shared
machine measure the others; rows of two threads take the wall. Answers that are compared with the fit of a peer are certified in float64.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import install

install.enter_where_fit_peers_are()        # before what needs them

import numpy as np  # noqa: E402

import fit_problems  # noqa: E402
from context import processor, revision, save  # noqa: E402
from verdicts import FIT_MUSTS, Result, has_failed, line, verdict  # noqa: E402

PEER = Path(__file__).with_name("fit_peer.py")
OURS_AT_MOST, PEERS_AT_MOST = 2e-6, 2e-4   # violations of a valid answer
RECURRENT = {"family": "poisson", "window": fit_problems.WINDOW, "bases": fit_problems.BASES}


class Absent(Exception):
    """A reason why something cannot run."""


class Run:
    """The program, the problems, and every answer that was measured."""

    def __init__(self, program, folder, recording, say):
        self.program, self.say, self.recording = program, say, recording
        self.problems, self.folder = fit_problems.Problems(folder), Path(folder)
        self.answers = []

    def ask(self, command, question, threads, name):
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="false", OPENBLAS_NUM_THREADS=str(threads))
        self.say(f"{name}: {question.get('peer', 'synelix')}")
        done = subprocess.run([*command, json.dumps(question)], capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            why = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            raise Absent(f"{question.get('peer', 'synelix')}: {why}")
        answer = json.loads(done.stdout.strip().splitlines()[-1])
        self.answers.append({"question": question, "threads": threads, "answer": answer})
        return answer

    def ours(self, question, threads=1):
        return self.ask([self.program], question, threads, question["task"])

    def peer(self, question):
        return self.ask([sys.executable, "-B", PEER], question, 1, question["task"])

    def both(self, question, peer, ours_too=None):
        """Our answer and the peer's, both certified. Words in `ours_too` are only for our program."""
        kept = self.folder / "coefficients.f64"
        our = self.ours({**question, "out": str(kept), **(ours_too or {})})
        theirs = self.peer({**question, "peer": peer, "ours": str(kept), "our_targets": (ours_too or question).get("targets", 1)})
        if theirs["our_violation"] > OURS_AT_MOST:
            raise Absent(f"our answer is {theirs['our_violation']:.1e} away from an optimum")
        if theirs["violation"] > PEERS_AT_MOST:
            raise Absent(f"the answer of {peer} is {theirs['violation']:.1e} away from an optimum")
        return our, theirs

    def dense(self, family, rows=None):
        problem = self.problems.of("dense", fit_problems.make_dense)
        return {**problem, "rows": rows or problem["rows"], "all_rows": problem["rows"], "family": family, "design": "stored"}

    def network(self, units, samples):
        problem = self.problems.of(f"network_{units}_{samples}", fit_problems.make_network, units, samples)
        return {**problem, **RECURRENT, "design": "events"}


def ratio(our, theirs, name="seconds"):
    return theirs[name] / our[name]


def note(our, theirs, peer):
    return (f"{our['seconds']:.3g} s and {our['peak_mib']:.0f} MiB; {peer} {theirs['seconds']:.3g} s, {theirs['peak_mib']:.0f} MiB; "
            f"violations {theirs['our_violation']:.0e}, {theirs['violation']:.0e}")


# ---------------------------------------------------------------- rows: {key: Result}
def recording(run):
    if not run.recording:
        raise Absent("no recording was named (--recording A8604.nwb)")
    problem = run.problems.of("recording", fit_problems.make_recording, run.recording)
    question = {**problem, **RECURRENT, "design": "events", "task": "fit", "targets": problem["units"], "strength": 1e-4}
    our, theirs = run.both(question, "sklearn")
    return {"recording": Result(ratio(our, theirs), note(our, theirs, "scikit-learn")),
            "recording_memory": Result(our["peak_mib"] - our["events_mib"], "peak beyond the events")}


def network(run):
    question = {**run.network(100, 200_000), "task": "fit", "targets": 1, "strength": 1e-4}
    our, theirs = run.both(question, "sklearn", {"targets": 4})
    each = {**our, "seconds": our["seconds"] / 4}
    return {"network": Result(ratio(each, theirs), "a target of 4; " + note(each, theirs, "scikit-learn")),
            "network_memory": Result(ratio(our, theirs, "peak_mib"), f"{our['peak_mib']:.0f} MiB and {theirs['peak_mib']:.0f}")}


def dense(run):
    found = {}
    for family in ("poisson", "bernoulli", "gaussian"):
        our, theirs = run.both({**run.dense(family), "task": "fit", "strength": 1e-4}, "glum")
        found[f"dense_{family}"] = Result(ratio(our, theirs), note(our, theirs, "glum"))
    return found


def tiles(run):
    """Shares of the roofs that the program measures in turn with the pass."""
    answer = run.ours({**run.dense("poisson"), "task": "pass", "rounds": 15})
    return {"tile_hessian": Result(answer["hessian_share"], f"{answer['hessian_seconds']:.3f} s"),
            "tile_gradient": Result(answer["gradient_share"], f"{answer['gradient_seconds']:.3f} s")}


def path_strengths(run, question, count=50, least=1e-3):
    most = run.ours({**question, "task": "strength_max"})["strength_max"]
    return [float(most * least ** (i / (count - 1))) for i in range(count)]


def paths(run):
    found = {}
    for family, peer in (("poisson", "glum"), ("gaussian", "sklearn")):
        question = {**run.dense(family, 200_000), "ratio": 0.9}
        question |= {"task": "path", "strengths": path_strengths(run, question)}
        our, theirs = run.both(question, peer)
        found[f"path_{family}"] = Result(ratio(our, theirs), note(our, theirs, peer))
    return found


def grid(run):
    problem = run.problems.of("grid", fit_problems.make_grid)
    question = {**problem, "all_rows": problem["rows"], "family": "poisson", "ratio": 0.9, "design": "stored", "task": "grid",
                "strengths": [float(one) for one in np.logspace(-1.5, -4.5, 8)]}
    our, found = run.ours(question), {}
    for peer, targets in (("glum", 3), ("nemos", problem["targets"])):
        try:
            theirs = run.peer({**question, "peer": peer, "targets": targets})
        except Absent as why:
            found[f"grid_{peer}"] = Result(None, str(why))
            continue
        seconds = theirs["seconds"] * problem["targets"] / targets
        off = max(abs(np.mean(a[:targets]) - b) for a, b in zip(our["scores"], theirs["scores"], strict=True))
        found[f"grid_{peer}"] = Result(seconds / our["seconds"], f"{our['seconds']:.3g} s, {our['peak_mib']:.0f} MiB; {peer} {seconds:.3g} s "
                                       f"({targets} targets run); scores differ by {off:.0e}")
    return found


def groups(run):
    question = {**run.network(100, 200_000), "targets": 1, "group": fit_problems.BASES}
    most = run.ours({**question, "task": "strength_max"})["strength_max"]
    question |= {"task": "group_path", "strengths": [float(most * 0.01 ** (i / 19)) for i in range(10)]}
    our, theirs = run.both(question, "adelie")
    return {"groups": Result(ratio(our, theirs), note(our, theirs, "adelie")),
            "groups_memory": Result(ratio(our, theirs, "peak_mib"), f"{our['peak_mib']:.0f} MiB and {theirs['peak_mib']:.0f}")}


def population(run):
    """Minutes of two cores for 700 targets, from the seconds of the common part and of 20 targets."""
    question = {**run.network(700, 1_000_000), "task": "fit", "strength": 1e-4}
    one = run.ours({**question, "targets": 1})
    many = run.ours({**question, "targets": 21})
    each = (many["seconds"] - one["seconds"]) / 20
    once = one["seconds"] - each
    minutes = (once + 700 * each) / 2 / 60
    return {"population": Result(minutes, f"{once:.3g} s once, {each:.3g} s a target, {many['peak_mib']:.0f} MiB")}


def threads(run):
    found = {}
    for key, question in (("threads_targets", {**run.network(100, 200_000), "task": "fit", "targets": 16, "strength": 1e-4}),
                          ("threads_rows", {**run.dense("poisson"), "task": "fit", "strength": 1e-4})):
        gains = []
        for _ in range(3):
            one, two = run.ours(question, 1), run.ours(question, 2)
            gains.append(one["wall"] / two["wall"])
        found[key] = Result(statistics.median(gains), "walls, the median of three pairs")
    return found


def files(run):
    """The dense features as a recording that a window of one sample passes on: from memory, and from a file in 256 MiB."""
    question = {**run.dense("poisson"), "task": "fit", "strength": 1e-4, "design": "series", "budget_mib": 256}
    recorded = fit_problems.record(Path(question["folder"]), question["rows"], question["columns"])
    times = []
    for _ in range(3):
        memory, file = run.ours(question), run.ours({**question, "file": recorded})
        times.append(file["wall"] / memory["wall"])
    return {"files": Result(statistics.median(times), f"{file['peak_mib']:.0f} MiB of {question['rows'] * 800 / 2 ** 20:.0f}")}


GROUPS = ((recording, ("recording", "recording_memory")), (network, ("network", "network_memory")),
          (dense, ("dense_poisson", "dense_bernoulli", "dense_gaussian")), (tiles, ("tile_hessian", "tile_gradient")),
          (paths, ("path_poisson", "path_gaussian")), (grid, ("grid_glum", "grid_nemos")), (groups, ("groups", "groups_memory")),
          (threads, ("threads_targets", "threads_rows")), (files, ("files",)), (population, ("population",)))


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--program", required=True, help=argparse.SUPPRESS)
    words.add_argument("--only", help="these rows, by key: " + ", ".join(must.key for must in FIT_MUSTS))
    words.add_argument("--recording", default=os.path.join(os.environ["SYNELIX_TEST_DATA"], "A8604.nwb") if "SYNELIX_TEST_DATA" in os.environ else None,
                       help="an NWB file with units and one interval table")
    words.add_argument("--out", help="keeps everything measured as JSON")
    options = words.parse_args()
    asked = options.only.split(",") if options.only else [must.key for must in FIT_MUSTS]
    unknown = set(asked) - {must.key for must in FIT_MUSTS}
    if unknown:
        words.error(f"no row is called {', '.join(sorted(unknown))}")
    around = {"revision": revision(), "processor": processor(), "processors": len(os.sched_getaffinity(0)), "load": os.getloadavg(),
              "peers": install.fit_versions()}
    results = {}
    with tempfile.TemporaryDirectory(prefix="synelix_fits_") as folder:
        run = Run(options.program, folder, options.recording, lambda text: print(f"  {text}", file=sys.stderr, flush=True))
        for measured, keys in GROUPS:
            if not set(keys) & set(asked):
                continue
            try:
                found = measured(run)
            except Absent as why:
                found = {key: Result(None, str(why)) for key in keys}
            results.update(found)
            for must in FIT_MUSTS:
                if must.key in found and must.key in asked:
                    print(line(must, found[must.key]), flush=True)
        answers = run.answers
    musts = [must for must in FIT_MUSTS if must.key in asked]
    met = sum(verdict(must, results.get(must.key)) in ("met", "aim met") for must in musts)
    print(f"{met} of {len(musts)} musts are met; load {around['load'][0]:.1f} at the start")
    if options.out:
        save({"context": around, "answers": answers, "rows": {
            must.key: {"what": must.what, "must": must.must, "aim": must.aim, "verdict": verdict(must, results.get(must.key)),
                       **vars(results.get(must.key, Result(None)))} for must in musts}}, options.out)
    return 1 if has_failed(results, musts) else 0


if __name__ == "__main__":
    sys.exit(main())
