#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what ./dev perf --peers kept: roofline, ratios to the peers, time over window length and over firing rate.

    scripts/devroot python3 perf/compare/draw.py FILE.json [FOLDER]

One SVG a picture and number of threads, beside the file or in the folder. Crossovers are printed and marked.
"""
import json
import math
import sys
from pathlib import Path

NAMES = {"numpy_convolve": "NumPy convolve", "scipy_fftconvolve": "SciPy fftconvolve", "scipy_oaconvolve": "SciPy oaconvolve",
         "torch_conv1d": "torch conv1d", "torch_conv2d": "torch conv2d, channels last", "nemos": "NeMoS, JAX",
         "onednn": "oneDNN, our layout", "fftw": "FFTW overlap-save"}


def crossover(places, first, second):
    """Where `second` becomes less than `first`, by straight lines on logarithmic axes; None if it never does, or always
    is."""
    gaps = [math.log(a / b) for a, b in zip(first, second)]
    for i in range(len(gaps) - 1):
        if gaps[i] < 0 <= gaps[i + 1]:
            low, high = math.log(places[i]), math.log(places[i + 1])
            return math.exp(low + (high - low) * -gaps[i] / (gaps[i + 1] - gaps[i]))
    return None


def curves(entries, place):
    """{runner: (places, seconds for each output)} of entries whose case has a place on the axis."""
    found = {}
    for entry in sorted(entries, key=lambda entry: entry["case"][place]):
        case = entry["case"]
        outputs = case["samples"] * case["channels"] * case["bases"]
        for name, runner in entry["runners"].items():
            if "median" in runner:
                places, seconds = found.setdefault(name, ([], []))
                places.append(case[place])
                seconds.append(runner["median"] / outputs)
    return found


def crossings(lines, base, other):
    """The crossover of two runners that were measured at the same places."""
    if base not in lines or other not in lines or lines[base][0] != lines[other][0]:
        return None
    return crossover(lines[base][0], lines[base][1], lines[other][1])


class Pictures:
    def __init__(self, result, threads, folder, stem):
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot
        self.plot, self.result, self.threads = matplotlib.pyplot, result, threads
        self.prefix = Path(folder) / f"{stem}-{threads}"
        around = next(c for c in result["context"] if c["threads"] == threads)
        self.roofs = around["roofs"]
        self.where = f"{around['processor']}, {around['library']['instruction_set']}, threads: {threads}, {around['revision']}"

    def entries(self, part, **wanted):
        for entry in self.result.get(part, []):
            if entry["threads"] == self.threads and all(entry["case"][key] == value for key, value in wanted.items()):
                yield entry

    def save(self, figure, name):
        figure.suptitle(self.where, fontsize=8)
        figure.tight_layout()
        path = f"{self.prefix}-{name}.svg"
        figure.savefig(path)
        self.plot.close(figure)
        print(path)

    def roofline(self):
        entries = [e for part in ("dense", "random") for e in self.entries(part, scalar="float32") if not e.get("allocates")]
        if not entries:
            return
        figure, axes = self.plot.subplots(figsize=(8, 5))
        peak, stream = self.roofs["multiply_adds_float"], self.roofs["stream"]
        places = [2 ** (i / 4) for i in range(-4, 60)]
        axes.loglog(places, [min(peak, stream * place) * 1e-9 for place in places], color="black", label="roof of this run")
        for entry in entries:
            case = entry["case"]
            moved = case["samples"] * case["channels"] * 4 * (1 + case["bases"])
            rows = max(0, case["samples"] - case["window"] + 1) * case["channels"]
            operations = 2 * rows * entry["taps_in_support"]
            for name, runner in entry["runners"].items():
                if name.startswith("synelix") and name != "synelix automatic" and "median" in runner:
                    method = name.split()[1]
                    axes.loglog(operations / moved, operations / runner["median"] * 1e-9,
                                {"direct": "o", "fft": "^"}.get(method, "s"), color="C0" if case["bank"] == "cosines" else "C1")
                    axes.annotate(f"{case['name']} {method}", (operations / moved, operations / runner["median"] * 1e-9), fontsize=6)
        axes.set_xlabel("operations inside the supports, a byte of samples and features")
        axes.set_ylabel("10^9 operations a second")
        axes.set_title("blue: raised cosines, orange: a bank without zeros", fontsize=8)
        axes.legend()
        self.save(figure, "roofline")

    def ratios(self):
        entries = [e for e in self.entries("dense", scalar="float32") if not e["allocates"]]
        if not entries:
            return
        figure, axes = self.plot.subplots(figsize=(11, 5))
        width = 0.8 / len(NAMES)
        for i, (runner, label) in enumerate(NAMES.items()):
            there = [(place, e["runners"][runner]["ratio"]) for place, e in enumerate(entries)
                     if "ratio" in e["runners"].get(runner, {})]
            axes.bar([place + (i - len(NAMES) / 2) * width for place, _ in there], [ratio for _, ratio in there], width, label=label)
        axes.set_yscale("log")
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set_xticks(range(len(entries)), [e["case"]["name"] for e in entries])
        axes.set_ylabel("times our time, float, output in place")
        axes.legend(fontsize=7, ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.06))
        self.save(figure, "ratios")

    def over(self, part, place, label, name, pair, **wanted):
        lines = curves(self.entries(part, **wanted), place)
        if not lines:
            return
        figure, axes = self.plot.subplots(figsize=(8, 5))
        for runner, (places, seconds) in lines.items():
            axes.loglog(places, [1e9 * s for s in seconds], "o-", label=NAMES.get(runner, runner), markersize=3)
        axes.axhline(1e9 * 4 / self.roofs["stream"], color="black", linestyle="--", label="non-temporal stores")
        for base, other in pair:
            found = crossings(lines, base, other)
            if found:
                axes.axvline(found, color="grey", linestyle=":", label=f"{other} and {base} cross at {found:.0f}")
            print(f"{name}: {other} crosses {base} " + (f"at {found:.0f}" if found else "nowhere"))
        axes.set_xlabel(label)
        axes.set_ylabel("nanoseconds for an output")
        axes.legend(fontsize=7)
        self.save(figure, name)

    def all(self):
        self.roofline()
        self.ratios()
        for bank in ("cosines", "random"):
            self.over("windows", "window", f"window, {bank}", f"windows-{bank}", [("synelix direct", "synelix fft")], bank=bank)
        for window in sorted({entry["case"]["window"] for entry in self.entries("events")}):
            self.over("events", "rate_hz", f"events a second in bins of 1 ms, W = {window}", f"rates-{window}",
                      [("synelix events", "synelix fft"), ("synelix events", "synelix direct")],
                      window=window)


def main():
    path = Path(sys.argv[1])
    result = json.loads(path.read_text())
    for threads in sorted({c["threads"] for c in result["context"]}):
        Pictures(result, threads, sys.argv[2] if len(sys.argv) > 2 else path.parent, path.stem).all()


if __name__ == "__main__":
    main()
