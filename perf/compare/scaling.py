#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a job scales over nodes: a model on paper, and what parts and ranks were measured to cost.

    scripts/devroot python3 perf/compare/scaling.py perf/results/NAME-ranks.json [PICTURE.svg]

Prints the tables of docs/scaling.md, and draws its figure. The lines are the model's, the points are those of the run.
"""
import json
import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path

NODES = (1, 4, 20, 100, 1000)


@dataclass(frozen=True)
class Job:
    """A recording of int16 samples, a bank of filters, and the cluster. All rates are assumptions."""

    input_bytes: float = 1e12
    channels: int = 384
    bases: int = 8
    window: int = 100
    file_system: float = 100e9      # bytes a second of the parallel file system
    client: float = 5e9             # bytes a second that one node reads or writes of it
    store: float = 100e9            # bytes a second of features that one node computes
    flops: float = 1e12             # multiply-adds count twice; of one node, in a fit
    message: float = 20e-6          # seconds of one step of the tree that adds up sums

    @property
    def rows(self):
        return self.input_bytes / (2 * self.channels)

    @property
    def feature_bytes(self):
        return self.rows * self.channels * self.bases * 4

    def transfer(self, size, nodes):
        """Seconds in which all nodes move bytes from or to the file system."""
        return size / min(nodes * self.client, self.file_system)

    def compute(self, nodes):
        return self.feature_bytes / (nodes * self.store)

    def file_to_file(self, nodes):
        """Reading, computing and writing overlap, so the slowest decides."""
        return max(self.transfer(max(self.input_bytes, self.feature_bytes), nodes), self.compute(nodes))

    def evaluation(self, nodes):
        """One pass of a fit over rows in memory: a product with the design, and one with its transpose."""
        return 2 * 2 * self.rows * self.channels * self.window / (nodes * self.flops)

    def sums(self, nodes):
        """The sum of the gradients of all nodes, in steps that double."""
        return self.message * math.log2(nodes)

    @property
    def halo_bytes(self):
        return (self.window - 1) * self.channels * 2

    def halo_share(self, nodes):
        """The share of samples that a node reads besides its own rows."""
        return (self.window - 1) / (self.rows / nodes)


def text(seconds):
    """Two digits, as tables show them."""
    number, unit = (seconds, "s") if seconds >= 0.1 else (1e3 * seconds, "ms")
    return f"{float(f'{number:.2g}'):g} {unit}"


def table(job):
    lines = ["| nodes | write the features | compute the features | one walk of a fit | the sum of that walk |", "|---|---|---|---|---|"]
    for nodes in NODES:
        cells = (job.file_to_file(nodes), job.compute(nodes), job.evaluation(nodes), job.sums(nodes))
        lines.append(f"| {nodes} | " + " | ".join(text(cell) if cell else "none" for cell in cells) + " |")
    return lines


MEASURED = {"parts": "parts that compute", "writing_parts": "parts that mostly write", "fit": "a fit on ranks", "halo": "a convolution on ranks"}


def measured(result):
    """{kind: {processes: ratio to one process}} of a run of ./dev perf --ranks."""
    found = {}
    for key, row in result["rows"].items():
        name = re.fullmatch(r"(\w+)_(\d+)", key)
        if name and name[1] in MEASURED:
            found.setdefault(name[1], {})[int(name[2])] = row["value"]
    return found


def measured_table(result):
    kinds = measured(result)
    counts = sorted({count for ratios in kinds.values() for count in ratios})
    lines = ["| | " + " | ".join(f"{count} processes" for count in counts) + " |", "|---|" + "---|" * len(counts)]
    for kind, ratios in kinds.items():
        lines.append(f"| {MEASURED[kind]} | " + " | ".join(f"{ratios[count]:.2f}" for count in counts) + " |")
    return lines


def draw(job, result, path):
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "synelix", "svg.fonttype": "none", "font.size": 9})
    import matplotlib.pyplot as plot
    figure, (model, shares) = plot.subplots(1, 2, figsize=(9, 3.6))
    nodes = [10 ** (k / 20) for k in range(61)]
    for line, label in ((job.file_to_file, "write the features"), (job.compute, "compute the features"),
                        (job.evaluation, "one walk of a fit"), (job.sums, "the sum of that walk")):
        points = [(n, line(n)) for n in nodes if line is not job.sums or n >= 2]
        model.loglog(*zip(*points), label=label)
    model.set(xlabel="nodes", ylabel="time (s)", title="model")
    model.legend(frameon=False)
    for kind, ratios in measured(result).items():
        counts = [1, *sorted(ratios)]
        shares.plot(counts, [ratios.get(count, 1.0) for count in counts], marker="o", label=MEASURED[kind])
    shares.axhline(1.1, color="grey", linestyle=":", linewidth=1)
    shares.set(xlabel="processes on one machine", ylabel="cost over one process", title="measured", xticks=[1, 2, 4], ylim=(0.8, 1.6))
    shares.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main(result, picture=None):
    result, job = json.loads(Path(result).read_text()), Job()
    print("\n".join(table(job)), "\n".join(measured_table(result)), sep="\n\n")
    if picture:
        draw(job, result, picture)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
