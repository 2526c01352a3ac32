# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured: the table of perf/cases.json, parts of cases, work and bytes, and shapes that a seed draws.

Nothing here runs anything.
"""
import json
import random
from dataclasses import dataclass, replace
from pathlib import Path

TABLE = Path(__file__).parent.parent / "cases.json"
SIZES = {"float64": 8, "float32": 4, "int16": 2, "int8": 1}


@dataclass(frozen=True)
class Case:
    """A problem; with a rate it is spike trains in bins of a millisecond."""
    name: str
    samples: int
    channels: int
    bases: int
    window: int
    bank: str = "cosines"
    scalar: str = "float32"
    stored: str = "float32"
    rate_hz: float | None = None

    @property
    def outputs(self):
        return self.samples * self.channels * self.bases

    @property
    def stored_bytes(self):
        """Bytes of the features."""
        return self.outputs * SIZES[self.scalar]

    @property
    def moved_bytes(self):
        """Bytes of samples and features, each once."""
        return self.stored_bytes + self.samples * self.channels * SIZES[self.stored]

    def operations(self, taps_in_support=None):
        """Operations of the sum over all taps, or over those inside the supports, in rows with a complete window."""
        taps = self.bases * self.window if taps_in_support is None else taps_in_support
        return 2 * max(0, self.samples - self.window + 1) * self.channels * taps

    def part(self, samples):
        return replace(self, samples=samples)

    def of(self, **changes):
        return replace(self, **changes)


def read_table(path=TABLE):
    return json.loads(Path(path).read_text())


def dense_cases(table=None, scalar="float32"):
    """{name: Case} of the cases with this scalar type."""
    entries = (table or read_table())["dense"]
    return {entry["name"]: Case(*(entry[key] for key in ("name", "samples", "channels", "bases", "window")),
                                scalar=scalar, stored=scalar)
            for entry in entries if scalar in entry.get("scalars", (scalar,))}


def event_case(rate_hz, window, table=None):
    entry = (table or read_table())["events"]
    return Case(f"events_{rate_hz:g}Hz_{window}", entry["samples"], entry["channels"], entry["bases"], window,
                rate_hz=rate_hz)


# ---------------------------------------------------------------- parts of what is slow
def first_part(case, needs_window):
    """Samples of the first part to try: few, since it is not known how slow a peer is."""
    least = 2 * case.window if needs_window else max(256, case.window // 8)
    return min(case.samples, least)


def next_part(case, samples, seconds, wanted):
    """Samples of the next trial after one that took `seconds`; the same number if that was long enough."""
    if samples >= case.samples or seconds >= 0.5 * wanted:
        return samples
    return min(case.samples, int(samples * min(15.0, max(2.0, wanted / max(seconds, 1e-9)))))


def scaled(seconds, part, whole):
    """Seconds of the complete case, from those of a part: each row costs the same."""
    if not 0 < part <= whole:
        raise ValueError(f"{part} samples are no part of {whole}")
    return seconds * whole / part


# ---------------------------------------------------------------- shapes that a seed draws
MOST_MULTIPLY_ADDS = 3e9                   # the slowest method takes a few tens of milliseconds
LEAST_OUTPUTS, MOST_OUTPUTS = 1e5, 2e7


def drawn_case(random_numbers, name):
    draw = random_numbers
    window = round(10 ** draw.uniform(0, 4))
    bases = draw.randint(1, 20)
    channels = round(10 ** draw.uniform(0, 2.5))
    outputs = min(10 ** draw.uniform(5, 7.3), MOST_OUTPUTS, max(LEAST_OUTPUTS, MOST_MULTIPLY_ADDS / window))
    bank = draw.choice(("cosines", "random"))
    rate_hz = round(10 ** draw.uniform(0, 2), 1) if draw.random() < 0.25 else None
    channels = max(1, min(channels, int(outputs / (4 * window * bases))))
    samples = max(4 * window, int(outputs / (channels * bases)))
    return Case(name, samples, channels, bases, window, bank=bank, rate_hz=rate_hz)


def drawn_cases(seed, count):
    """Shapes over all windows, bases, channels, both banks, and spike trains: the same for the same seed."""
    numbers = random.Random(seed)
    return [drawn_case(numbers, f"drawn_{i}") for i in range(count)]
