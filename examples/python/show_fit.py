#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws a model that `synelix fit` wrote: filters with error bands, path, cross-validation.

    synelix fit design.toml model.h5 --target session.nwb --units --errors -O
    python3 show_fit.py model.h5 -o fit.png

With the means that `synelix predict` wrote, and the targets of the same recording, also the model
against these data:

    synelix predict model.h5 later.toml means.h5:/means -O
    python3 show_fit.py model.h5 --means means.h5:/means --data later.h5:/counts -o fit.png

Needs h5py, numpy and matplotlib.
"""
import argparse

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

MOST = 4                                     # filters are drawn of so many channels and targets


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def values(path):
    file, _, dataset = path.rpartition(":")
    with h5py.File(file) as opened:
        return opened[dataset][...].astype(float)


def one_class(numbers, rank):
    """Of categorical models, the last class."""
    return numbers[..., -1] if numbers.ndim > rank else numbers


def draw_filters(model, term, axes, target):
    """The filters of a term from its first channels to a target, two standard errors on either side."""
    taps = model["filters"][text(term["name"]).replace("/", "_")][...]
    rate = model.attrs.get("rate_hz", 1.0)
    milliseconds = (np.arange(len(taps)) + 1) * 1000 / rate
    first, bases = term["first_column"], term["bases"]
    coefficients = one_class(model["coefficients"][...], 2)
    errors = one_class(model["standard_errors"][...], 2) if "standard_errors" in model else None
    for channel in range(min(term["channels"], MOST)):
        columns = slice(first + channel * bases, first + (channel + 1) * bases)
        curve = taps @ coefficients[columns, target]
        line, = axes.plot(milliseconds, curve, label=f"from {channel}")
        if errors is None:
            continue
        band = 2 * np.sqrt(taps ** 2 @ errors[columns, target] ** 2)
        axes.fill_between(milliseconds, curve - band, curve + band, color=line.get_color(), alpha=0.2, lw=0)
    axes.axhline(0, color="0.7", lw=0.8, zorder=0)
    axes.set(title=f"{text(term['name'])} to {model['target_ids'][target]}", xlabel="ms into the past",
             ylabel="filter")
    axes.legend(fontsize="x-small", frameon=False)


def draw_path(model, axes):
    strengths = model["path/strengths"][:, 0]
    coefficients = one_class(model["path/coefficients"][...], 3)[:, :, 0]
    axes.semilogx(strengths, coefficients, lw=0.8)
    axes.axvline(strengths[model["path/chosen"][0]], color="0.3", ls="--", lw=1)
    axes.set(title=f"path of {model['target_ids'][0]}", xlabel="strength", ylabel="coefficients")
    axes.invert_xaxis()


def draw_folds(model, axes):
    strengths = model["path/strengths"][:, 0]
    mean, error = model["folds/mean"][:, 0], model["folds/standard_error"][:, 0]
    axes.errorbar(strengths, mean, error, fmt=".-", ms=4, lw=0.8, capsize=2)
    axes.axvline(strengths[model["path/chosen"][0]], color="0.3", ls="--", lw=1,
                 label=text(model.attrs.get("choose", "chosen")))
    axes.set(title=f"cross-validation of {model['target_ids'][0]}", xlabel="strength",
             ylabel=text(model.attrs.get("score", "score")), xscale="log")
    axes.invert_xaxis()
    axes.legend(fontsize="x-small", frameon=False)


def draw_calibration(means, data, axes):
    """Means of the data where the model predicts such means."""
    for target in range(min(means.shape[1], MOST)):
        known = np.isfinite(means[:, target]) & np.isfinite(data[:, target])
        order = np.argsort(means[known, target], kind="stable")
        parts = [part for part in np.array_split(order, 20) if len(part) > 0]
        predicted = [means[known, target][part].mean() for part in parts]
        found = [data[known, target][part].mean() for part in parts]
        axes.plot(predicted, found, ".-", ms=4, lw=0.8, label=str(target))
    top = axes.get_xlim()[1]
    axes.plot([0, top], [0, top], color="0.7", lw=0.8, zorder=0)
    axes.set(title="model against data", xlabel="predicted mean", ylabel="mean of the data")
    axes.legend(fontsize="x-small", frameon=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="a file of synelix fit")
    parser.add_argument("--means", help="FILE:/dataset of synelix predict")
    parser.add_argument("--data", help="FILE:/dataset of the targets, of the same rows")
    parser.add_argument("-o", "--output", default="fit.png", help="picture to write")
    arguments = parser.parse_args()
    if (arguments.means is None) != (arguments.data is None):
        parser.error("give --means and --data together")

    with h5py.File(arguments.model) as model:
        drawn = []
        for term in model["terms"][...]:
            if text(term["name"]).replace("/", "_") not in model.get("filters", {}):
                continue
            for target in range(min(model["coefficients"].shape[1], MOST)):
                drawn.append(lambda axes, term=term, target=target: draw_filters(model, term, axes, target))
        if "path" in model:
            drawn.append(lambda axes: draw_path(model, axes))
        if "folds" in model:
            drawn.append(lambda axes: draw_folds(model, axes))
        if arguments.means:
            means, data = values(arguments.means), values(arguments.data)
            drawn.append(lambda axes: draw_calibration(means.reshape(len(means), -1),
                                                       data.reshape(len(data), -1), axes))
        if not drawn:
            parser.error("the model has neither filters nor a path: give --means and --data")
        across = min(len(drawn), 3)
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
