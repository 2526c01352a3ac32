# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures: problems are prepared in slots, checked once, and run in turn; seconds are those inside the calls."""
import shutil
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy

from cases import Case, first_part, next_part, scaled
from workers import Absent, Workers

POINTS = 24                                # of each answer that are compared with sums in double
# Seconds that a part of a case should take: oneDNN chooses its blocks by the length, a part may be slower than the whole.
WANTED = {"onednn": 4.0}
ALLOWED = {"float32": 1e-4, "float64": 1e-10}  # of the sum of the terms' sizes


def clean_up_when_ended():
    """SIGTERM ends this program like an exception: temporary files are removed, and workers end."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


class Slot:
    """A problem that is prepared in a worker."""

    def __init__(self, worker, name, runner, case, answer):
        self.worker, self.name, self.runner, self.case = worker, name, runner, case
        self.detail, self.predicted = answer["detail"], answer.get("predicted_seconds", 0.0)
        self.cut = answer.get("cut", "")
        self.estimate = None

    def once(self):
        """The approximate time of one run; the check has warmed it up."""
        if self.estimate is None:
            self.estimate = self.run()[0]
            if self.estimate < 0.05:
                self.estimate = min(self.run(3))
        return self.estimate

    def run(self, times=1, allocate=False):
        return self.worker.ask("run", slot=self.name, times=times, allocate=allocate)["seconds"]


class Bench:
    """Measurements with one number of threads. Files of samples and taps are in memory if there is room."""

    def __init__(self, program, threads=1):
        shared = Path("/dev/shm")
        has_room = shared.is_dir() and shutil.disk_usage(shared).free > 2 << 30
        self.folder = tempfile.TemporaryDirectory(prefix="synelix_perf.", dir=shared if has_room else None)
        self.workers, self.threads, self.made = Workers(program, threads), threads, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.workers.close()
        self.folder.cleanup()

    @property
    def library(self):
        return self.workers.of("synelix")

    # ------------------------------------------------------------ data
    def file(self, name):
        return Path(self.folder.name) / name

    def samples_of(self, case):
        """File of the samples (samples, channels): the same numbers for every stored type of a case, integers if one of
        the types is an integer."""
        path = self.file(f"x_{case.name}_{case.stored}")
        if not path.exists():
            draw = numpy.random.default_rng(len(case.name) + case.channels)
            shape = (case.samples, case.channels)
            if case.rate_hz is not None:
                values = draw.random(shape, "f4") < 1e-3 * case.rate_hz
            elif case.name.endswith("_whole"):
                values = draw.integers(-125, 126, shape, "i1")
            else:
                values = draw.standard_normal(shape, "f4")
            values.astype(case.stored, copy=False).tofile(path)
        return path

    def events_of(self, case):
        path = self.file(f"events_{case.name}")
        if not path.exists():
            occupied = self.array_of(case) != 0
            trains = [numpy.flatnonzero(occupied[:, c]).astype("i8") for c in range(case.channels)]
            numpy.concatenate([numpy.array([len(train) for train in trains], "i8"), *trains]).tofile(path)
        return path

    def array_of(self, case):
        return numpy.memmap(self.samples_of(case), case.stored, "r", shape=(case.samples, case.channels))

    def taps_of(self, case):
        """File of the taps (window, bases) in double, and the number of taps inside the supports."""
        path = self.file(f"taps_{case.bank}_{case.bases}_{case.window}")
        answer = self.library.ask("taps", bank=case.bank, bases=case.bases, window=case.window, file=str(path))
        return path, answer["taps_in_support"]

    def forget(self):
        """Ends all slots and data."""
        self.workers.drop()
        for path in Path(self.folder.name).iterdir():
            path.unlink()

    # ------------------------------------------------------------ problems
    def prepare(self, case, runner="synelix", method="automatic", is_events=False, samples=None, name=None,
                staged=False, calibrated=False):
        """A slot for a case, or for its first samples, which was checked. staged: from and to the host's memory;
        calibrated: the library chooses by its measurements of the machine. Raises Absent."""
        worker = self.workers.of(runner)
        self.made += 1
        name = name or str(self.made)
        words = {"events": str(self.events_of(case))} if is_events else {"x": str(self.samples_of(case))}
        part = case.part(samples or case.samples)
        taps, _ = self.taps_of(case)
        answer = worker.ask("prepare", slot=name, runner=runner, method=method, samples=part.samples,
                            channels=case.channels, bases=case.bases, window=case.window, scalar=case.scalar,
                            stored=case.stored, taps=str(taps), staged=staged, calibrated=calibrated, **words)
        slot = Slot(worker, name, runner, part, answer)
        self.check(slot, case)
        return slot

    def check(self, slot, case):
        """Compares values at random points with sums in double, at rows with a complete window if the part has such
        rows. Earlier rows of the library and NeMoS must be NaN."""
        part, draw = slot.case, numpy.random.default_rng(self.made)
        first = part.window - 1 if part.samples >= 2 * part.window or slot.runner == "synelix" else part.samples // 2
        if first >= part.samples:
            return
        points = [[int(draw.integers(first, part.samples)), int(draw.integers(part.channels)),
                   int(draw.integers(part.bases))] for _ in range(POINTS)]
        x = self.array_of(case)
        taps = numpy.fromfile(self.taps_of(case)[0]).reshape(part.window, part.bases)
        sums, sizes = [], []
        for t, c, b in points:
            begin = max(0, t - part.window + 1)
            terms = x[begin:t + 1, c][::-1].astype("f8") * taps[:t + 1 - begin, b]
            sums.append(terms.sum())
            sizes.append(abs(terms).sum())
        found = numpy.array(slot.worker.ask("values", slot=slot.name, points=points)["values"])
        # Errors of transforms are relative to the largest sum, not to their own; few windows of spike trains have spikes.
        allowed = ALLOWED[part.scalar] * (numpy.array(sizes) + 0.01 * max(*sizes, abs(taps).max()))
        wrong = numpy.flatnonzero(~(abs(found - sums) <= allowed))
        if wrong.size:
            i = wrong[0]
            raise Absent(f"{slot.runner} is wrong at {points[i]}: {found[i]}, not {sums[i]}")

    def prepare_part(self, case, runner):
        """The same as prepare for a part of the samples that takes about the given seconds. If a longer part fails, the
        last one that did not fail."""
        samples = first_part(case, needs_window=runner.startswith("nemos"))
        slot = self.prepare_named_part(case, runner, samples)
        while True:
            longer = next_part(case, samples, slot.once(), WANTED.get(runner, 0.6))
            if longer == samples:
                return slot
            try:
                slot = self.prepare_named_part(case, runner, longer)
            except Absent:
                self.workers.restart(runner)
                return self.prepare_named_part(case, runner, samples)
            samples = longer

    def prepare_named_part(self, case, runner, samples):
        return self.prepare(case, runner, samples=samples, name=f"part of {case.name} for {runner}")

    # ------------------------------------------------------------ times
    def alternate(self, slots, rounds, at_least=0.0, allocate=False):
        """{name: seconds of each round} of {name: slot}, in turn; each is repeated until `at_least` seconds are over.
        Scaled to the complete case if a slot has a part."""
        return {name: seconds for name, seconds in
                self.in_turn({name: self.timed(slot, at_least, allocate) for name, slot in slots.items()}, rounds)}

    @staticmethod
    def in_turn(calls, rounds):
        found = {name: [] for name in calls}
        for _ in range(rounds):
            for name, call in calls.items():
                found[name].append(call())
        return found.items()

    @staticmethod
    def timed(slot, at_least=0.0, allocate=False):
        """A call that returns the mean seconds of one run."""
        times = max(1, min(2000, int(at_least / max(slot.once(), 1e-7)) + 1))
        return lambda: statistics.fmean(slot.run(times, allocate))

    def roof(self, name, seconds):
        return self.library.ask("roof", roof=name, seconds=seconds)["rate"]

    def beside_roof(self, slot, roof, rounds=5):
        """(seconds, rates of the roof) of rounds that alternate between a slot and a roof of about the same length."""
        length = min(0.4, max(0.03, slot.once()))
        found = dict(self.in_turn({"seconds": self.timed(slot, length), "rates": lambda: self.roof(roof, length)}, rounds))
        return found["seconds"], found["rates"]

    def against_peers(self, case, ours, runners, rounds=3, allocate=False, say=lambda _: None):
        """Seconds of a case (complete, or scaled) for {name: slot} of ours and for peers, in turn: {name: {"seconds":
        [...], "samples": of the part, "detail"}}, or {"absent": why}."""
        slots, found = dict(ours), {}
        for runner in runners:
            try:
                slots[runner] = self.prepare_part(case, runner)
            except Absent as why:
                self.workers.restart(runner)
                found[runner] = {"absent": str(why)}
                say(f"{case.name}: {runner} is left out: {why}")
        times = self.alternate(slots, rounds, 0.05, allocate)
        for name, slot in slots.items():
            found[name] = {"seconds": [scaled(s, slot.case.samples, case.samples) for s in times[name]],
                           "samples": slot.case.samples, "detail": slot.detail}
        return found


class Clock:
    """The remaining time of a run."""

    def __init__(self, minutes):
        self.end = time.monotonic() + 60 * minutes

    def is_over(self):
        return time.monotonic() > self.end
