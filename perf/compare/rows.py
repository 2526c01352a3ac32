# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what the musts are about: one function for each group of rows, {key of a must: Result}."""
import math
import statistics

import cases
import conv_rows
import product_rows
from bench import Absent, Bench
from cases import Case
from verdicts import Result, choice_share, greatest, least, median_ratio

PEERS = {                                  # key of a must -> its runners, the best of which counts
    "numpy": ("numpy_convolve",),
    "scipy": ("scipy_fftconvolve", "scipy_oaconvolve"),
    "torch": ("torch_conv1d", "torch_conv2d"),
    "onednn": ("onednn",),
    "nemos": ("nemos",),
}
OF_CASES = {                               # key of a must -> a key of PEERS, and the cases of which the least counts
    "small_onednn": ("onednn", ("small_window",)), "small_numpy": ("numpy", ("small_window",)),
    "small_nemos": ("nemos", ("small_window",)), "single_onednn": ("onednn", ("single_channel",)),
    "single_torch": ("torch", ("single_channel",)), "single_nemos": ("nemos", ("single_channel",)),
    "wide_torch": ("torch", ("users", "wide")), "wide_onednn": ("onednn", ("users", "wide")),
}
MOST_GAIN = 1.15                           # of two threads relative to the roof; more is a disturbance


class Run:
    """Values shared by the rows."""

    def __init__(self, program, seed, clock, say, kernels_program=None, asked=None):
        self.program, self.seed, self.clock, self.say, self.asked = program, seed, clock, say, asked
        self.kernels_program = kernels_program or program
        self.one = Bench(program, 1)
        self.table = cases.read_table()
        self.dense = cases.dense_cases(self.table)

    def support(self, case):
        return self.one.taps_of(case)[1]


def share_of_peak(run, case, operations, bench=None, method="direct"):
    """Median share of the multiply-add peak that a method reaches, with both as measured."""
    bench = bench or run.one
    slot = bench.prepare(case, method=method)
    seconds, rates = bench.beside_roof(slot, "multiply_adds_float" if case.scalar == "float32" else "multiply_adds_double")
    share = median_ratio([operations / s for s in seconds], rates)
    return share, {"seconds": seconds, "roof": rates, "share": share}


def memory_limit_times(run, case, slot, work=None):
    """Median of the times of a slot over those of its bytes at the rate of non-temporal stores."""
    seconds, rates = run.one.beside_roof(slot, "stream")
    times = median_ratio(seconds, [(work or case.moved_bytes) / rate for rate in rates])
    return times, {"seconds": seconds, "roof": rates, "times": times}


# ---------------------------------------------------------------- direct
def direct_of(run, key, bases_list):
    shares, details = {}, {}
    for bases in bases_list:
        for window, samples in ((100, 400_000), (1000, 40_000)):
            case = Case(f"direct_{samples}", samples, 20, bases, window, bank="random")
            name = f"B {bases}, W {window}"
            shares[name], details[name] = share_of_peak(run, case, case.operations())
        run.one.forget()
    value, name = least(shares)
    return {key: Result(value, f"least: {name}", details)}


def direct(run):
    return direct_of(run, "direct", (4, 8, 12, 16))


def direct_other(run):
    return direct_of(run, "direct_other", (1, 2, 3, 5, 10, 20))


def share_of_binding_roof(run, case, method="automatic"):
    """(median share of the binding roof, share of each roof, as measured, method). The binding roof is the one that
    takes longer: storing the features past the caches, or the multiply-adds of all taps, each at its rate of the same
    round."""
    slot = run.one.prepare(case, method=method)
    length = min(0.4, max(0.05, slot.once()))
    found = dict(run.one.in_turn({"seconds": run.one.timed(slot, length),
                                  "stream": lambda: run.one.roof("stream", length / 2),
                                  "multiply_adds": lambda: run.one.roof("multiply_adds_float", length / 2)}, 7))
    limits = {"stores": [case.stored_bytes / rate for rate in found["stream"]],
              "multiply-adds": [case.operations() / rate for rate in found["multiply_adds"]]}
    shares = {name: median_ratio(limit, found["seconds"]) for name, limit in limits.items()}
    share = median_ratio([max(pair) for pair in zip(*limits.values())], found["seconds"])
    return share, shares, {**found, "shares": shares, "share": share}, slot.detail


def small_window(run):
    share, shares, details, method = share_of_binding_roof(run, run.dense["small_window"])
    note = ", ".join(f"{100 * part:.0f} % of {name}" for name, part in shares.items())
    return {"small_window": Result(share, f"{note}; method {method}", details)}


def one_basis(run):
    """Rows of 20 channels are not full cache lines; those of 64 are."""
    shares, details = {}, {}
    for channels in (20, 64):
        case = Case(f"one_basis_{channels}", 8_000_000 // channels, channels, 1, 100, bank="random")
        shares[f"{channels} channels"], _, details[channels], _ = share_of_binding_roof(run, case, "direct")
        run.one.forget()
    value, name = least(shares)
    return {"one_basis": Result(value, f"least: {name}; " + ", ".join(f"{n} {s:.2f}" for n, s in shares.items()), details)}


def trimmed(run):
    """A random bank has no tap that can be skipped: it gives the cost of dense direct sums."""
    compact, whole = run.dense["medium"], run.dense["medium"].of(bank="random")
    slots = {"trimmed": run.one.prepare(compact, method="direct"), "dense": run.one.prepare(whole, method="direct")}
    seconds = run.one.alternate(slots, 7)
    fraction = run.support(compact) / (compact.bases * compact.window)
    found = {"trimmed_gain": Result(median_ratio(seconds["dense"], seconds["trimmed"]),
                                    f"{fraction:.2f} of the taps are inside the supports", seconds)}
    for key, name in (("trimmed_100", "medium"), ("trimmed_1000", "long")):
        case = run.dense[name]
        share, details = share_of_peak(run, case, case.operations(run.support(case)))
        found[key] = Result(share, f"case {name}", details)
    return found


# ---------------------------------------------------------------- fft
def fft_limits(run):
    found = {}
    for key, name in (("fft_100", "medium"), ("fft_1000", "long"), ("fft_10000", "very_long")):
        case = run.dense[name]
        times, details = memory_limit_times(run, case, run.one.prepare(case, method="fft"))
        found[key] = Result(times, f"case {name}", details)
        run.one.forget()
    return found


def over_fftw(run, names):
    gains, details = {}, {}
    for name in names:
        case = run.dense[name]
        slots = {"fft": run.one.prepare(case, method="fft"), "fftw": run.one.prepare(case, "fftw")}
        seconds = run.one.alternate(slots, 3)
        gains[name] = median_ratio(seconds["fftw"], seconds["fft"])
        details[name] = {**seconds, "fftw_detail": slots["fftw"].detail}
        run.one.forget()
    value, name = least(gains)
    return Result(value, f"least: {name}; " + ", ".join(f"{n} {g:.1f}x" for n, g in gains.items()), details)


def fftw(run):
    return {"fftw": over_fftw(run, ("medium", "long", "wide", "single_channel", "one_basis"))}


def fftw_10000(run):
    return {"fftw_10000": over_fftw(run, ("very_long",))}


# ---------------------------------------------------------------- events
def events(run):
    found = {}
    for key, rate_hz in (("events_5", 5), ("events_1", 1)):
        case = cases.event_case(rate_hz, 100, run.table)
        slots = {"events": run.one.prepare(case, method="events", is_events=True)}
        for method in ("direct", "fft"):
            try:
                slots[method] = run.one.prepare(case, method=method)
            except Absent as why:
                run.say(f"{case.name}: {why}")
        seconds = run.one.alternate(slots, 5)
        medians = {name: statistics.median(values) for name, values in seconds.items() if name != "events"}
        _, best = least(medians)
        without = "" if "fft" in slots else ", there is no fft"
        found[key] = Result(median_ratio(seconds[best], seconds["events"]), f"best dense method: {best}{without}", seconds)
        if rate_hz == 5:
            times, details = memory_limit_times(run, case, slots["events"], case.stored_bytes)
            found["events_roof"] = Result(times, "", details)
        run.one.forget()
    return found


# ---------------------------------------------------------------- peers
def small_calls(run):
    """Least of medians: a call of a microsecond is disturbed more than others."""
    table, found, slots = run.table["small_calls"], {}, {}
    for samples in (1, 10, 100):
        case = Case(f"call_{samples}", samples, table["channels"], table["bases"], table["window"])
        slots[samples] = run.one.prepare(case)
        calls = [statistics.median(slots[samples].run(2000)) for _ in range(7)]
        found[f"call_{samples}"] = Result(1e6 * min(calls), f"method {slots[samples].detail}", {"seconds": calls})
    runs = {allocate: [statistics.median(slots[100].run(500, allocate)) for _ in range(7)] for allocate in (False, True)}
    found["one_shot"] = Result(1e6 * (min(runs[True]) - min(runs[False])), "with an array of its own",
                               {"plan": runs[False], "one_shot": runs[True]})
    return found


def peers(run):
    """Each peer's best form over every case; ours is the form of a user, with a plan and touched memory. If only rows
    of some cases are requested, only those are measured."""
    asked = set(run.asked or (*PEERS, *OF_CASES))
    wanted = {key: set(run.dense) if key in asked else set() for key in PEERS}
    for key, (peer, names) in OF_CASES.items():
        if key in asked:
            wanted[peer] |= set(names)
    ratios = {key: {} for key in PEERS}
    details, left_out, unmeasured = {}, {key: [] for key in PEERS}, []
    for name, case in run.dense.items():
        groups = {key: group for key, group in PEERS.items() if name in wanted[key]}
        runners = [runner for group in groups.values() for runner in group]
        if not runners:
            continue
        if run.clock.is_over():
            unmeasured.append(name)
            continue
        ours = {"synelix": run.one.prepare(case), "calibrated": run.one.prepare(case, calibrated=True)}
        found = run.one.against_peers(case, ours, runners, say=run.say)
        run.one.forget()
        details[name] = found
        for key, group in groups.items():
            there = [runner for runner in group if "seconds" in found[runner]]
            if there:
                ratios[key][name] = min(median_ratio(found[r]["seconds"], found["synelix"]["seconds"]) for r in there)
            else:
                left_out[key].append(f"{name} ({found[group[0]]['absent']})")
        run.say(f"{name}: " + ", ".join(f"{key} {ratios[key][name]:.1f}x" for key in PEERS if name in ratios[key]))
    results = {}
    for key, by_case in ratios.items():
        note = f"left out: {'; '.join(left_out[key])}" if left_out[key] else ""
        if by_case:
            value, name = least(by_case)
            note = f"least: {name}" + (f"; {note}" if note else "")
        if unmeasured:
            note = f"the time was over before {', '.join(unmeasured)}; {note}"
        results[key] = Result(value if by_case and not unmeasured else None, note, {"ratios": by_case})
    for key, (peer, names) in OF_CASES.items():
        by_case = {name: ratios[peer][name] for name in names if name in ratios[peer]}
        gains = {name: median_ratio(details[name]["synelix"]["seconds"], details[name]["calibrated"]["seconds"])
                 for name in by_case}
        note = ", ".join(f"{name} {ratio:.1f}x ({details[name]['synelix']['detail']}), calibrated "
                         f"{ratio * gains[name]:.1f}x ({details[name]['calibrated']['detail']})" for name, ratio in by_case.items())
        results[key] = Result(least(by_case)[0] if len(by_case) == len(names) else None,
                              note or "a case was not measured",
                              {"ratios": by_case, "seconds": {name: details[name] for name in by_case}})
    results["numpy"].details["seconds"] = details
    return results


# ---------------------------------------------------------------- choice, stored types, threads
def choice(run, count=64):
    """The time of the choice relative to every other applicable method, over shapes that the seed draws. The note has
    the choice of plans with a calibration."""
    methods = [m for m in run.one.library.ask("describe")["methods"] if m != "automatic"]
    ratios, calibrated_ratios, details = {}, {}, {}
    for case in cases.drawn_cases(run.seed, count):
        if run.clock.is_over():
            raise Absent(f"the time was over after {len(ratios)} shapes")
        is_events = case.rate_hz is not None
        slots = {"automatic": run.one.prepare(case, is_events=is_events)}
        for method in methods:
            if method != slots["automatic"].detail and (is_events or method != "events"):
                try:
                    slots[method] = run.one.prepare(case, method=method, is_events=is_events)
                except Absent as why:
                    details.setdefault("absent", {})[f"{case.name} {method}"] = str(why)
        wanted = run.one.prepare(case, is_events=is_events, calibrated=True).detail
        seconds = run.one.alternate(slots, 5, 0.02)
        best, name = least({method: statistics.median(values) for method, values in seconds.items()})
        ratios[case.name] = statistics.median(seconds["automatic"]) / best
        is_same = wanted == slots["automatic"].detail
        calibrated_ratios[case.name] = statistics.median(seconds["automatic" if is_same else wanted]) / best
        details[case.name] = {"case": vars(case), "chosen": slots["automatic"].detail, "best": name, "calibrated": wanted,
                              "predicted": {m: s.predicted for m, s in slots.items()}, "seconds": seconds}
        run.one.forget()
    share, worst = choice_share(list(ratios.values()))
    calibrated_share, calibrated_worst = choice_share(list(calibrated_ratios.values()))
    _, name = greatest(ratios)
    note = f"{len(ratios)} shapes of seed {run.seed}, methods {', '.join(methods)}; worst {worst:.2f}x"
    if worst > 1:
        shape, case = details[name], details[name]["case"]
        where = ", ".join(f"{key} {case[key]}" for key in ("samples", "channels", "bases", "window", "bank", "rate_hz"))
        note += f": {shape['chosen']} where {shape['best']} is best, at {where}"
    note += f"; calibrated {calibrated_share:.1%}, worst {calibrated_worst:.2f}x"
    return {"choice": Result(share, note, {"worst": worst, "calibrated": calibrated_share, "shapes": details})}


def calibrated(run, count=40):
    """The time of plans with a calibration relative to plans with the library's constants, over shapes that the seed
    draws. Plans that both divide the work in the same way do the same work: their difference is noise."""
    ratios, noise, details = {}, {}, {}
    for case in cases.drawn_cases(run.seed, count):
        if run.clock.is_over():
            raise Absent(f"the time was over after {len(details)} shapes")
        is_events = case.rate_hz is not None
        slots = {"own": run.one.prepare(case, is_events=is_events),
                 "calibrated": run.one.prepare(case, is_events=is_events, calibrated=True)}
        seconds = run.one.alternate(slots, 9, 0.01)
        is_alike = slots["own"].cut == slots["calibrated"].cut
        (noise if is_alike else ratios)[case.name] = median_ratio(seconds["calibrated"], seconds["own"])
        details[case.name] = {"case": vars(case), "cut": {name: slot.cut for name, slot in slots.items()}, "seconds": seconds}
        run.one.forget()
    spread = f"{len(noise)} shapes alike took {min(noise.values()):.2f} to {max(noise.values()):.2f}" if noise else "none alike"
    if not ratios:
        return {"calibrated": Result(1.0, f"all of {spread}", {"shapes": details})}
    worst, name = greatest(ratios)
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios.values()))
    note = (f"{len(ratios)} of {count} shapes of seed {run.seed} cut otherwise: mean {mean:.2f}, best"
            f" {min(ratios.values()):.2f}; worst: {details[name]['cut']['own']} -> {details[name]['cut']['calibrated']}; {spread}")
    return {"calibrated": Result(worst, note, {"mean": mean, "ratios": ratios, "noise": noise, "shapes": details})}


def int8(run):
    ratios, details = {}, {}
    for name in ("medium", "wide"):
        whole = run.dense[name].of(name=f"{name}_whole")
        slots = {"float": run.one.prepare(whole), "int8": run.one.prepare(whole.of(stored="int8"))}
        seconds = run.one.alternate(slots, 7)
        ratios[name] = median_ratio(seconds["int8"], seconds["float"])
        details[name] = seconds
        run.one.forget()
    value, name = greatest(ratios)
    return {"int8": Result(value, f"greatest: {name}", details)}


def threads(run):
    import os
    if len(os.sched_getaffinity(0)) < 2:
        raise Absent("this machine gives us one processor")
    gains, details = {}, {}
    with Bench(run.program, 2) as two:
        for name, case, roof in (("direct", run.dense["medium"].of(bank="random"), "multiply_adds_float"),
                                 ("small window", run.dense["small_window"], "stream")):
            calls = {}
            for count, bench in ((1, run.one), (2, two)):
                slot = bench.prepare(case, method="direct" if name == "direct" else "automatic")
                calls[f"seconds_{count}"] = bench.timed(slot, 0.2)
                calls[f"roof_{count}"] = lambda bench=bench: bench.roof(roof, 0.2)
            found = dict(Bench.in_turn(calls, 7))
            ours = [a / b for a, b in zip(found["seconds_1"], found["seconds_2"])]
            roofs = [b / a for a, b in zip(found["roof_1"], found["roof_2"])]
            gains[name], details[name] = median_ratio(ours, roofs), found
            run.one.forget()
            two.forget()
    value, name = least(gains)
    note = f"least: {name}; " + ", ".join(f"{n} {g:.2f}" for n, g in gains.items())
    if max(gains.values()) > MOST_GAIN:
        return {"threads": Result(None, f"something else used the processors: {note}", details)}
    return {"threads": Result(value, note, details)}


# The function of each group of rows; quick ones first, so that a run whose time is over has most of them.
GROUPS = (
    (direct, ("direct",)), (direct_other, ("direct_other",)), (small_window, ("small_window",)),
    (one_basis, ("one_basis",)), (small_calls, ("call_1", "call_10", "call_100", "one_shot")),
    (trimmed, ("trimmed_gain", "trimmed_100", "trimmed_1000")), (fft_limits, ("fft_100", "fft_1000", "fft_10000")),
    (events, ("events_roof", "events_5", "events_1")), (int8, ("int8",)), (threads, ("threads",)),
    *product_rows.GROUPS, *conv_rows.GROUPS,
    (fftw, ("fftw",)), (fftw_10000, ("fftw_10000",)), (choice, ("choice",)),
    (calibrated, ("calibrated",)), (peers, (*PEERS, *OF_CASES)),
)
