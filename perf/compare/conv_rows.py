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
LONG = Conv("forward", 1, 1, 8, [1_000_000], [1000])
GRADIENTS = ("grad_input", "grad_weights")


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
    """(median gain over the faster peer, note, seconds); raises Absent where no peer can run."""
    slots, absent = {"ours": prepare(bench, problem, "synelix")}, []
    for peer in RUNNERS:
        try:
            slots[peer] = prepare(bench, problem, peer)
        except Absent as why:
            bench.workers.restart(peer)
            absent.append(f"{peer}: {why}")
    if len(slots) == 1:
        raise Absent("; ".join(absent))
    seconds = bench.alternate(slots, rounds, at_least)
    gains = {name: median_ratio(times, seconds["ours"]) for name, times in seconds.items() if name != "ours"}
    value, peer = least(gains)
    details = {"seconds": seconds, "chosen": {name: slot.detail for name, slot in slots.items()}, "absent": absent}
    bench.forget()
    return value, peer, details


def over_peers(run, problems):
    """The least gain of some problems, {name: Conv}, on one thread and on two."""
    gains, details = {}, {}
    with Bench(run.program, 2) as two:
        threads = [(1, run.one)] + ([(2, two)] if len(os.sched_getaffinity(0)) > 1 else [])
        for count, bench in threads:
            for name, problem in problems.items():
                label = f"{name}, {count} thread{'s' if count > 1 else ''}"
                gains[label], peer, details[label] = gain(bench, problem)
                run.say(f"{label}: {gains[label]:.2f}x {peer}")
    value, name = least(gains)
    return Result(value, f"least: {name}; " + ", ".join(f"{n} {g:.2f}x" for n, g in gains.items()), details)


def orders(problem):
    return {"channels last": problem.of(channels_last=True), "channels first": problem.of(channels_last=False)}


def forward(key):
    return lambda run: {key: over_peers(run, orders(CASES[key]))}


def gradients(run):
    return {"conv2d_" + operator: over_peers(run, orders(IMAGES.of(operator=operator))) for operator in GRADIENTS}


def long_windows(run):
    problems = {operator: LONG.of(operator=operator, channels_last=False) for operator in ("forward", *GRADIENTS)}
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
    (forward("conv3d"), ("conv3d",)), (gradients, ("conv2d_grad_input", "conv2d_grad_weights")),
    (long_windows, ("conv1d_long",)), (bytes_over_floats, ("conv_int8",)),
)
