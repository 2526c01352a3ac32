# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the library with its peers over the cases of perf/cases.json, in turn within one run, and keeps everything.

    ./dev perf --peers [--cases seed,medium] [--scalars float32,float64] [--threads 1,2] [--parts PART,...] [--out FILE]

Parts: dense (every method and peer, preallocated and allocating), random (the library with a bank that has no zero),
stored (int8 and int16 input), events, windows (time over the window's length), calls (small ones). Peers that are
missing are installed first; --no-install leaves them out. Where the library runs on a device, so do its peers: the FFT
and the convolution of its vendor, and NeMoS with JAX there. A picture of the result: perf/compare/draw.py FILE.
"""
import argparse
import datetime
import statistics
import sys

import cases
import install

install.enter_where_numpy_is()             # before what needs it

from bench import Absent, Bench, clean_up_when_ended  # noqa: E402
from cases import Case  # noqa: E402
from context import TREE, context, peer_versions, save  # noqa: E402
from verdicts import median_ratio  # noqa: E402
from workers import DEVICE_RUNNERS, RUNNERS  # noqa: E402

PARTS = ("dense", "random", "stored", "events", "windows", "calls")
PYTHON_AND_CPP = [runner for runner in RUNNERS if runner != "synelix"]
WINDOWS_PEERS = ("fftw", "onednn", "torch_conv2d", "scipy_oaconvolve", "nemos", *DEVICE_RUNNERS)
WINDOWS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


def peers_of(bench):
    """The peers of the library: those for the processor that it runs on."""
    return list(DEVICE_RUNNERS) if bench.library.ask("describe")["on_device"] else PYTHON_AND_CPP


def say(text):
    print(text, file=sys.stderr, flush=True)


def methods_of(bench, case, is_events=False):
    """{name: slot} of the choice and of every applicable method of the library."""
    slots = {}
    for method in bench.library.ask("describe")["methods"]:
        try:
            slots[f"synelix {method}"] = bench.prepare(case, method=method, is_events=is_events)
        except Absent as why:
            if is_events == (case.rate_hz is not None) and method != "events":
                say(f"{case.name}: {method} is left out: {why}")
    return slots


def with_shares(bench, case, found):
    """Adds the shares of the roofs at that time to the times."""
    scalar = "float" if case.scalar == "float32" else "double"
    peak, stream = bench.roof(f"multiply_adds_{scalar}", 0.2), bench.roof("stream", 0.2)
    support = bench.taps_of(case)[1]
    for entry in found.values():
        if "seconds" in entry:
            seconds = statistics.median(entry["seconds"])
            entry.update(median=seconds, least=min(entry["seconds"]),
                         of_peak_all_taps=case.operations() / seconds / peak,
                         of_peak_in_support=case.operations(support) / seconds / peak,
                         of_stream=case.stored_bytes / seconds / stream,
                         times_memory_limit=seconds * stream / case.moved_bytes)
    return {"case": vars(case), "taps_in_support": support, "roofs": {"peak": peak, "stream": stream}, "runners": found}


def compared(bench, case, runners, allocate):
    try:
        found = bench.against_peers(case, methods_of(bench, case), runners, allocate=allocate, say=say)
    finally:
        bench.forget()
    result = {"threads": bench.threads, "allocates": allocate, **with_shares(bench, case, found)}
    ours = found["synelix automatic"]
    for name, entry in found.items():
        if "seconds" in entry:
            entry["ratio"] = median_ratio(entry["seconds"], ours["seconds"])
    told = ", ".join(f"{name} {entry['ratio']:.1f}x" for name, entry in found.items() if "ratio" in entry)
    say(f"{case.name} {case.bank} {case.stored}->{case.scalar}, {bench.threads} threads"
        f"{', allocating' if allocate else ''}: {ours['median'] * 1e3:.3g} ms; {told}")
    return result


# ---------------------------------------------------------------- parts
def dense(bench, wanted, scalars):
    for scalar in scalars:
        for case in (c for name, c in cases.dense_cases(scalar=scalar).items() if name in wanted):
            for allocate in (False, True):
                yield compared(bench, case, peers_of(bench), allocate)


def random(bench, wanted, scalars):
    for scalar in scalars:
        for case in (c for name, c in cases.dense_cases(scalar=scalar).items() if name in wanted):
            yield compared(bench, case.of(bank="random"), [], False)


def stored(bench, wanted, _):
    """The same numbers as float, int16 and int8: the cost of an input's type."""
    for case in (c for name, c in cases.dense_cases().items() if name in wanted and name != "users"):
        whole = case.of(name=f"{case.name}_whole")
        types = ("float32", "int16", "int8")
        try:
            slots = {name: bench.prepare(whole.of(stored=name)) for name in types}
            seconds = bench.alternate(slots, 5, 0.05)
        finally:
            bench.forget()
        ratios = {name: median_ratio(seconds[name], seconds["float32"]) for name in types}
        say(f"{case.name}: " + ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()))
        yield {"threads": bench.threads, "case": vars(case), "seconds": seconds, "over_float": ratios}


def events(bench, *_):
    table = cases.read_table()
    for window in table["events"]["windows"]:
        for rate_hz in table["events"]["rates_hz"]:
            case = cases.event_case(rate_hz, window, table)
            try:
                slots = {**methods_of(bench, case), "synelix events": bench.prepare(case, method="events", is_events=True)}
                seconds = bench.alternate(slots, 5, 0.05)
                found = {name: {"seconds": values, "detail": slots[name].detail} for name, values in seconds.items()}
                yield {"threads": bench.threads, **with_shares(bench, case, found)}
            finally:
                bench.forget()
            say(f"{case.name}: " + ", ".join(f"{name} {entry['median'] * 1e3:.3g} ms" for name, entry in found.items()))


def windows(bench, *_):
    """One output at every length of the window: 20 channels, 8 bases, and enough samples for a tenth of a second."""
    for bank in ("cosines", "random"):
        for window in WINDOWS:
            samples = max(4 * window, min(500_000, int(1e8 / window)))
            case = Case(f"window_{window}", samples, 20, 8, window, bank=bank)
            quick = [name for name in peers_of(bench) if name in WINDOWS_PEERS]
            try:
                found = bench.against_peers(case, methods_of(bench, case), quick, say=say)
            finally:
                bench.forget()
            yield {"threads": bench.threads, **with_shares(bench, case, found)}
            say(f"{bank} W {window}: " + ", ".join(f"{n} {e['median'] / case.outputs * 1e9:.3g} ns"
                                                   for n, e in found.items() if "median" in e))


def calls(bench, *_):
    """The cost of one call with an existing plan, and by convolve(), which makes one and allocates."""
    shape = cases.read_table()["small_calls"]
    for samples in shape["samples"]:
        case = Case(f"call_{samples}", samples, shape["channels"], shape["bases"], shape["window"])
        slot = bench.prepare(case)
        planned, one_shot = slot.run(2000), slot.run(500, allocate=True)
        found = {"samples": samples, "planned": statistics.median(planned), "convolve": statistics.median(one_shot),
                 "planned_least": min(planned), "convolve_least": min(one_shot)}
        bench.forget()
        say(f"{samples} samples: {found['planned'] * 1e6:.1f} us with a plan, {found['convolve'] * 1e6:.1f} us by convolve()")
        yield {"threads": bench.threads, **found}


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--program", required=True, help=argparse.SUPPRESS)
    words.add_argument("--cases", default=",".join(cases.dense_cases()))
    words.add_argument("--scalars", default="float32,float64")
    words.add_argument("--threads", default="1,2")
    words.add_argument("--parts", default=",".join(PARTS))
    words.add_argument("--out", help="the default is in build/")
    words.add_argument("--no-install", action="store_true")
    options = words.parse_args()
    clean_up_when_ended()
    wanted, parts = options.cases.split(","), options.parts.split(",")
    for given, known in ((wanted, cases.dense_cases()), (parts, PARTS)):
        if set(given) - set(known):
            words.error(f"unknown: {', '.join(sorted(set(given) - set(known)))}; there are {', '.join(known)}")
    if not options.no_install:
        install.install()
    out = options.out or TREE / "build" / "perf" / f"{datetime.date.today()}-peers.json"
    result = {"context": [], **{part: [] for part in parts}}
    for threads in map(int, options.threads.split(",")):
        with Bench(options.program, threads) as bench:
            if not options.no_install and bench.library.ask("describe")["on_device"]:
                install.install_for_device()
            result["context"].append(context(bench))
            for part in parts:
                try:
                    for entry in globals()[part](bench, wanted, options.scalars.split(",")):
                        result[part].append(entry)
                        save(result, out)          # a run that is stopped has stored its measurements
                except Absent as why:
                    say(f"{part}, {threads} threads, ends here: {why}")
                    result.setdefault("ended", []).append(f"{part}, {threads} threads: {why}")
            result["context"][-1]["peers"] = peer_versions(bench)
    save(result, out)
    print(out)


if __name__ == "__main__":
    main()
