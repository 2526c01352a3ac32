#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws a model that `synelix fit` wrote: filters with error bands, path, cross-validation.

    synelix fit design.toml model.h5 --target session.nwb --units --errors -O
    python3 show_fit.py model.h5 -o fit.png

With the means that `synelix predict` wrote, and the targets of the same recording, it also compares the model with
these data:

    synelix predict model.h5 later.toml means.h5:/means -O
    python3 show_fit.py model.h5 --means means.h5:/means --data later.h5:/counts -o fit.png

Without a name it fits the simulated session of examples/fit. For simulated data, `--truth FILE:/dataset` draws the
filters (from, to, lag) of the simulation as dashed lines.

Needs h5py, numpy and matplotlib.
"""
import argparse

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

MOST = 4                                     # the largest number of channels and targets whose filters are drawn
LEAST = 0.05                                 # of the linear predictor: on a narrower axis, noise looks like an effect


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def values(path):
    file, _, dataset = path.rpartition(":")
    with h5py.File(file) as opened:
        return opened[dataset][...].astype(float)


def one_class(numbers, rank):
    """For categorical models, the last class."""
    return numbers[..., -1] if numbers.ndim > rank else numbers


def ids_of_channels(model, term):
    """The ids of the channels of a term, such as units. Files of older versions do not have them."""
    filters = model["filters"][text(term["name"]).replace("/", "_")]
    if "input" in filters.attrs and "inputs" in model:
        names = np.array([text(name) for name in model["inputs/name"][...]])
        ids = model["inputs/id"][...][names == text(filters.attrs["input"])]
        if len(ids) >= term["channels"]:     # an input that several terms use is listed several times
            return ids[:term["channels"]]
    return np.arange(term["channels"])


def least_range(axes, least):
    """Widens an axis around 0, so that filters near 0 look like 0."""
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, -least), max(high, least))


def draw_filters(model, term, axes, target, truth=None):
    """Draws the filters of a term from its first channels to a target, with two standard errors on either side.

    The file has the errors of coefficients, but not their covariance, so bands treat coefficients as independent.
    Coefficients of overlapping filters are not independent. In examples/fit, the bands are 1.1 times as wide as bands
    that use the covariance (median), and at most 4 times. Bands do not contain the bias of a penalty."""
    taps = model["filters"][text(term["name"]).replace("/", "_")][...]
    rate = model.attrs.get("rate_hz", 1.0)
    milliseconds = (np.arange(len(taps)) + 1) * 1000 / rate
    first, bases = term["first_column"], term["bases"]
    coefficients = one_class(model["coefficients"][...], 2)
    errors = one_class(model["standard_errors"][...], 2) if "standard_errors" in model else None
    ids = ids_of_channels(model, term)
    for channel in range(min(term["channels"], MOST)):
        columns = slice(first + channel * bases, first + (channel + 1) * bases)
        curve = taps @ coefficients[columns, target]
        line, = axes.plot(milliseconds, curve, label=f"from {ids[channel]}")
        if truth is not None:
            axes.plot(milliseconds[:truth.shape[2]], truth[channel, target, :len(taps)], "--", color=line.get_color(),
                      lw=1)
        if errors is None:
            continue
        band = 2 * np.sqrt(taps ** 2 @ errors[columns, target] ** 2)
        axes.fill_between(milliseconds, curve - band, curve + band, color=line.get_color(), alpha=0.2, lw=0)
    axes.axhline(0, color="0.7", lw=0.8, zorder=0)
    if text(model.attrs["inverse_link"]) != "identity":      # there the axis has the unit of the target
        least_range(axes, LEAST)
    axes.set(title=f"{text(term['name'])} to {model['target_ids'][target]}", xlabel="lag (ms)",
             ylabel="filter weight")
    axes.legend(fontsize="x-small", frameon=False)


def draw_path(model, axes, target):
    strengths = model["path/strengths"][:, target]
    coefficients = one_class(model["path/coefficients"][...], 3)[:, :, target]
    axes.semilogx(strengths, coefficients, lw=0.8)
    axes.axvline(strengths[model["path/chosen"][target]], color="0.3", ls="--", lw=1)
    axes.set(title=f"path of {model['target_ids'][target]}", xlabel="strength", ylabel="coefficients")
    axes.invert_xaxis()


def draw_folds(model, axes, target):
    strengths = model["path/strengths"][:, target]
    mean, error = model["folds/mean"][:, target], model["folds/standard_error"][:, target]
    known = np.isfinite(mean)
    axes.errorbar(strengths[known], mean[known], error[known], fmt=".-", ms=4, lw=0.8, capsize=2)
    if not known.all():
        axes.plot(strengths[~known], np.full((~known).sum(), 0.98), "rx", ms=5, label="not finite",
                  transform=axes.get_xaxis_transform())
    axes.axvline(strengths[model["path/chosen"][target]], color="0.3", ls="--", lw=1,
                 label=text(model.attrs.get("choose", "chosen")))
    axes.set(title=f"cross-validation of {model['target_ids'][target]}", xlabel="strength",
             ylabel=text(model.attrs.get("score", "score")), xscale="log")
    axes.invert_xaxis()
    axes.legend(fontsize="x-small", frameon=False)


def draw_calibration(means, data, ids, targets, axes):
    """Draws the means of the data over the means that the model predicts."""
    for target in targets:
        known = np.isfinite(means[:, target]) & np.isfinite(data[:, target])
        order = np.argsort(means[known, target], kind="stable")
        parts = [part for part in np.array_split(order, 20) if len(part) > 0]
        predicted = [means[known, target][part].mean() for part in parts]
        found = [data[known, target][part].mean() for part in parts]
        axes.plot(predicted, found, ".-", ms=4, lw=0.8, label=str(ids[target]))
    top = axes.get_xlim()[1]
    axes.plot([0, top], [0, top], color="0.7", lw=0.8, zorder=0)
    axes.set(title="model against data", xlabel="predicted mean", ylabel="mean of the data")
    axes.legend(fontsize="x-small", frameon=False)


def wanted_targets(model, words, parser):
    """Indices of the requested targets, or of the first ones."""
    ids = model["target_ids"][...].tolist()
    if words is None:
        return list(range(min(len(ids), MOST)))
    try:
        return [ids.index(int(word)) for word in words.split(",")]
    except ValueError:
        parser.error(f"--targets {words}: the targets of the model are {', '.join(map(str, ids))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", help="a file of synelix fit (default: one of simulated units)")
    parser.add_argument("--means", help="FILE:/dataset of synelix predict")
    parser.add_argument("--data", help="FILE:/dataset of the targets, of the same rows")
    parser.add_argument("--targets", metavar="ID,ID,...", help=f"targets that are drawn (the first {MOST})")
    parser.add_argument("--truth", help="FILE:/dataset (from, to, lag) of the filters that made the data")
    parser.add_argument("-o", "--output", default="fit.png", help="picture to write")
    arguments = parser.parse_args()
    if (arguments.means is None) != (arguments.data is None):
        parser.error("give --means and --data together")

    if arguments.model is None:
        if arguments.means or arguments.data:
            parser.error("--means and --data belong to a model: name it")
        import made  # beside this file

        arguments.model, made_truth = made.model()
        arguments.truth = arguments.truth or made_truth

    with h5py.File(arguments.model) as model:
        drawn = []
        targets = wanted_targets(model, arguments.targets, parser)
        truth = values(arguments.truth) if arguments.truth else None
        for term in model["terms"][...]:
            if text(term["name"]).replace("/", "_") not in model.get("filters", {}):
                continue
            for target in targets:
                drawn.append(lambda axes, term=term, target=target: draw_filters(model, term, axes, target, truth))
        for name, draw in (("path", draw_path), ("folds", draw_folds)):
            if name in model:
                drawn += [lambda axes, draw=draw, target=target: draw(model, axes, target) for target in targets]
        if arguments.means:
            means, data = values(arguments.means), values(arguments.data)
            drawn.append(lambda axes: draw_calibration(means.reshape(len(means), -1), data.reshape(len(data), -1),
                                                       model["target_ids"][...], targets, axes))
        if not drawn:
            parser.error("the model has neither filters nor a path: give --means and --data")
        across = min(len(drawn), max(len(targets), 3))    # a row of each kind of picture
        down = -(-len(drawn) // across)
        figure, axes = plt.subplots(down, across, figsize=(4 * across, 3 * down), layout="constrained",
                                    squeeze=False)
        for draw, place in zip(drawn, axes.flat):
            draw(place)
            place.spines[["top", "right"]].set_visible(False)
        for place in axes.flat[len(drawn):]:
            place.set_visible(False)
        figure.savefig(arguments.output, dpi=120)
    print(arguments.output)


if __name__ == "__main__":
    main()
