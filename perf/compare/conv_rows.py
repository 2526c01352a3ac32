# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what the musts of convolution operators are about: {key of a must: Result}, as rows.py does."""
import os
import random

import numpy

from bench import Absent, Bench, Slot
from convs import Conv
from verdicts import Result, greatest, least, median_ratio

ALLOWED = 2e-5                             # of the sum of the terms' sizes
POINTS = 12
RUNNERS = ("onednn", "torch_conv")
IMAGES = Conv("forward", 8, 64, 64, [56, 56], [3, 3], padding=1)
CASES = {
    "conv2d": IMAGES,
    "conv_depthwise": IMAGES.of(groups=64),
    "conv1d": Conv("forward", 8, 64, 64, [10_000], [9], padding=4),
    "conv3d": Conv("forward", 2, 16, 16, [32, 32, 32], [3, 3, 3], padding=1),
}
# Additional layers of networks: the first layer, layers of one tap, and results of a few channels.
OTHER = {
    "conv2d_first": {"3 to 64, 7 x 7": Conv("forward", 8, 3, 64, [112, 112], [7, 7], padding=3)},
    "conv2d_1x1": {"256 to 64, 1 x 1": Conv("forward", 8, 256, 64, [56, 56], [1, 1])},
    "conv2d_few": {f"64 to {results}, 3 x 3": Conv("forward", 8, 64, results, [56, 56], [3, 3], padding=1)
                   for results in (1, 3)},
}
LONG = Conv("forward", 1, 1, 8, [1_000_000], [1000])
GRADIENTS = ("grad_input", "grad_weights")
OPERATORS = ("forward", *GRADIENTS)


def prepare(bench, problem, runner):
    """A slot, checked at some points. Raises Absent."""
    worker = bench.workers.of("torch_conv" if runner == "torch_conv" else "onednn" if runner == "onednn" else "synelix")
    bench.made += 1
    name = f"conv {bench.made}"
    answer = worker.ask("prepare_conv", slot=name, runner=runner, timeout=300.0, **problem.words())
    slot = Slot(worker, name, runner, problem, answer)
    draw = random.Random(bench.made)
    points = [[draw.randrange(extent) for extent in problem.result()] for _ in range(POINTS)]
    found = worker.ask("values", slot=name, points=points, timeout=300.0)["values"]
    for point, value in zip(points, found):
        terms = problem.terms(numpy, point)
        if not abs(value - terms.sum()) <= ALLOWED * numpy.abs(terms).sum():
            raise Absent(f"{runner} is wrong at {point}: {value}, not {terms.sum()}")
    return slot


def gain(bench, problem, rounds=5, at_least=0.05):
    """(median gain over the faster peer, its name, details); raises Absent if no peer can run. Details have the shares
    of the multiply-add peak."""
    slots, absent = {"ours": prepare(bench, problem, "synelix")}, []
    for peer in RUNNERS:
        try:
            slots[peer] = prepare(bench, problem, peer)
        except Absent as why:
            bench.workers.restart(peer)
            absent.append(f"{peer}: {why}")
    if len(slots) == 1:
        raise Absent("; ".join(absent))
    calls = {name: bench.timed(slot, at_least) for name, slot in slots.items()}
    calls["roof"] = lambda: bench.roof("multiply_adds_float", at_least)
    seconds = dict(bench.in_turn(calls, rounds))
    rates = seconds.pop("roof")
    gains = {name: median_ratio(times, seconds["ours"]) for name, times in seconds.items() if name != "ours"}
    value, peer = least(gains)
    shares = {name: median_ratio([problem.operations() / t for t in times], rates) for name, times in seconds.items()}
    details = {"seconds": seconds, "roof": rates, "shares": shares, "chosen": {name: slot.detail for name, slot in slots.items()}, "absent": absent}
    bench.forget()
    return value, peer, details


def over_peers(run, problems):
    """The least gain of some problems, {name: Conv}, on one thread and on two."""
    gains, details, shares = {}, {}, {}
    with Bench(run.program, 2) as two:
        threads = [(1, run.one)] + ([(2, two)] if len(os.sched_getaffinity(0)) > 1 else [])
        for count, bench in threads:
            for name, problem in problems.items():
                label = f"{name}, {count} thread{'s' if count > 1 else ''}"
                gains[label], peer, details[label] = gain(bench, problem)
                found = details[label]["shares"]
                shares[label] = f"{100 * found['ours']:.0f} % of the peak, {peer} {100 * found[peer]:.0f} %"
                run.say(f"{label}: {gains[label]:.2f}x {peer}; {shares[label]}")
    value, name = least(gains)
    return Result(value, f"least: {name} ({shares[name]}); " + ", ".join(f"{n} {g:.2f}x" for n, g in gains.items()), details)


def orders(problem):
    return {"channels last": problem.of(channels_last=True), "channels first": problem.of(channels_last=False)}


def forward(key):
    return lambda run: {key: over_peers(run, orders(CASES[key]))}


def gradients(key):
    """The gradients of a case by its input and by its weights."""
    return lambda run: {f"{key}_{operator}": over_peers(run, orders(CASES[key].of(operator=operator)))
                        for operator in GRADIENTS}


def others(key):
    """Forward and gradients of the shapes of a row, channels last."""
    def measure(run):
        problems = {f"{name}, {operator}": problem.of(operator=operator)
                    for name, problem in OTHER[key].items() for operator in OPERATORS}
        return {key: over_peers(run, problems)}
    return measure


def long_windows(run):
    problems = {operator: LONG.of(operator=operator, channels_last=False) for operator in OPERATORS}
    return {"conv1d_long": over_peers(run, problems)}


def bytes_over_floats(run):
    """The greatest ratio of the time of int8 samples over that of floats of the same values."""
    ratios, details = {}, {}
    problems = {f"{key}, {order}": problem for key in ("conv2d", "conv_depthwise", "conv1d", "conv3d")
                for order, problem in orders(CASES[key]).items()}
    problems["conv2d_grad_weights"] = IMAGES.of(operator="grad_weights")
    problems["conv1d_long"] = LONG.of(channels_last=False)
    for name, problem in problems.items():
        slots = {stored: prepare(run.one, problem.of(stored=stored), "synelix") for stored in ("int8", "float32")}
        details[name] = run.one.alternate(slots, 7, 0.05)
        ratios[name] = median_ratio(details[name]["int8"], details[name]["float32"])
        run.one.forget()
    value, name = greatest(ratios)
    return {"conv_int8": Result(value, f"greatest: {name}; " + ", ".join(f"{n} {r:.2f}" for n, r in ratios.items()), details)}


GROUPS = (
    (forward("conv2d"), ("conv2d",)), (forward("conv_depthwise"), ("conv_depthwise",)), (forward("conv1d"), ("conv1d",)),
    (gradients("conv_depthwise"), ("conv_depthwise_grad_input", "conv_depthwise_grad_weights")),
    (forward("conv3d"), ("conv3d",)), (gradients("conv2d"), ("conv2d_grad_input", "conv2d_grad_weights")),
    (others("conv2d_first"), ("conv2d_first",)), (others("conv2d_1x1"), ("conv2d_1x1",)),
    (others("conv2d_few"), ("conv2d_few",)),
    (long_windows, ("conv1d_long",)), (bytes_over_floats, ("conv_int8",)),
)
