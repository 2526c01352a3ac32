#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs synelix_golden_check on a file unlike the golden one: other shapes, axes, stored types, gaps
between epochs, and every way in which h5py writes attributes. The numbers come from the definition

    out[t, b] = sum over w of kernel[w, b] * x[t + offset - w],   NaN where a sample is outside

    check_variants.py PROGRAM [FILE.h5]      exit status 77: h5py or numpy is missing
"""
import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import h5py
    import numpy as np
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

SEED = 20261121
rng = np.random.default_rng(SEED)


def lag_offset(causality, shift, window):
    step = int(causality != "acausal") if shift is None else int(shift)
    return {"causal": -step, "anti-causal": window - 1 + step, "acausal": window // 2}[causality]


def convolve(x, kernel, axis, offset, epochs):
    """By one gather: rows whose window leaves their epoch keep NaN."""
    x = np.moveaxis(np.asarray(x, float), axis, 0)
    window = len(kernel)
    out = np.full(x.shape + (kernel.shape[1],), np.nan)
    valid = np.zeros(len(x), np.uint8)
    for first, last in epochs:
        for t in range(first, last):
            samples = t + offset - np.arange(window)
            if samples.min() >= first and samples.max() < last:
                with np.errstate(invalid="ignore"):
                    products = x[samples][..., None] * kernel.reshape(window, *(1,) * (x.ndim - 1), -1)
                    out[t] = products.sum(axis=0)
                valid[t] = 1
    return np.moveaxis(out, 0, axis), valid


def write_case(file, name, x, kernel, axis=0, causality="causal", shift=None, epochs=None,
               attributes=None, out_type=float, **storage):
    x, kernel = np.asarray(x), np.asarray(kernel)
    samples = x.shape[axis]
    offset = lag_offset(causality, shift, len(kernel))
    out, valid = convolve(x, kernel.astype(float), axis, offset,
                          [(0, samples)] if epochs is None else epochs)
    group = file.create_group("conv/" + name)
    group.create_dataset("x", data=x, **storage)
    group.create_dataset("kernel", data=kernel)
    group.create_dataset("out", data=out.astype(out_type), **storage)
    group.create_dataset("valid", data=valid)
    if epochs is not None:
        group.create_dataset("epochs", data=np.asarray(epochs))
    written = {"axis": axis, "causality": causality, "shift": "none" if shift is None else shift,
               "rtol": 1e-12, "lag_offset": offset}
    written.update(attributes or {})
    for key, value in written.items():
        if value is not None:
            group.attrs[key] = value


def shapes_and_axes(file):
    for rank in range(1, 8):
        for axis in range(rank):
            shape = [int(n) for n in rng.integers(1, 4, size=rank)]
            shape[axis] = int(rng.integers(9, 14))
            x = rng.poisson(0.5, size=shape) if axis % 2 else rng.normal(size=shape)
            causality, shift = [("causal", None), ("causal", False), ("anti-causal", True),
                                ("anti-causal", False), ("acausal", None)][(rank + axis) % 5]
            write_case(file, f"rank{rank}_axis{axis}", x, rng.normal(size=(4, 3)), axis=axis,
                       causality=causality, shift=shift)


def windows(file):
    for window, (causality, shift) in itertools.product(
            (1, 2, 3, 8, 11, 12, 13),
            (("causal", True), ("causal", False), ("anti-causal", True), ("anti-causal", False),
             ("acausal", None))):
        write_case(file, f"W{window}_{causality}_{shift}", rng.poisson(1.0, size=(12, 3)),
                   rng.normal(size=(window, 2)), causality=causality, shift=shift)


def epochs(file):
    x = rng.poisson(0.8, size=(90, 4))
    for tag, ranges in {
        "gaps": [(3, 20), (21, 40), (47, 90)],
        "one_inner": [(10, 60)],
        "empty_and_short": [(0, 0), (0, 4), (4, 9), (9, 9), (30, 36), (50, 90)],
        "single_samples": [(t, t + 1) for t in range(0, 30, 2)],
    }.items():
        for causality, shift in (("causal", True), ("anti-causal", False), ("acausal", None)):
            write_case(file, f"epochs_{tag}_{causality}", x, rng.normal(size=(5, 3)),
                       causality=causality, shift=shift, epochs=ranges,
                       attributes={"batch_size_samples": 7, "batch_size_channels": 3})
    write_case(file, "epochs_axis1", np.moveaxis(x, 0, 1), rng.normal(size=(5, 3)), axis=1,
               epochs=[(2, 30), (44, 90)])


def stored_types(file):
    kernel = rng.normal(size=(6, 2))
    for name in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i2", ">f8", "f4", "f2", "?"):
        low = 0 if name[-2:-1] in ("u", "") or name == "?" else -5
        x = rng.integers(low, 2 if name == "?" else 9, size=(40, 3)).astype(name)
        write_case(file, "x_" + name.replace(">", "big_").replace("?", "bool"), x, kernel)
    narrow = rng.normal(size=(30, 2)).astype("f4")
    write_case(file, "x_and_kernel_float32", narrow, kernel.astype("f4"))
    write_case(file, "all_float32", narrow, kernel.astype("f4"), out_type="f4")
    write_case(file, "compressed", rng.normal(size=(64, 8)), kernel, chunks=True, compression="gzip")


def values(file):
    x = rng.normal(size=(50, 5))
    x[7, 0], x[20, 1], x[20, 2], x[21, 2], x[0, 3], x[49, 4] = (np.nan, np.inf, np.inf, -np.inf,
                                                                np.nan, -np.inf)
    kernel = rng.normal(size=(9, 4))
    kernel[:3, 1] = kernel[5:, 2] = kernel[:, 3] = 0
    for causality, shift in (("causal", None), ("anti-causal", None), ("acausal", None)):
        write_case(file, f"nonfinite_and_zero_taps_{causality}", x, kernel, causality=causality,
                   shift=shift, attributes={"batch_size_samples": 11, "batch_size_basis": 3})
    write_case(file, "channels_1_to_1e6", rng.normal(size=(80, 3)) * [1, 1e3, 1e6], kernel)
    for scale in (1e30, 1e-25, 1e60, 1e-60):
        write_case(file, f"scale_{scale:g}", scale * rng.normal(size=(40, 2)), kernel)
    write_case(file, "counts_large", rng.poisson(3e4, size=(70, 2)), kernel)
    write_case(file, "counts_beyond_float", 2**25 + rng.poisson(5.0, size=(70, 2)), kernel)
    write_case(file, "zeros", np.zeros((30, 2)), kernel)
    write_case(file, "many_channels_and_bases", rng.poisson(0.2, size=(37, 71)),
               rng.normal(size=(19, 17)), attributes={"batch_size_channels": 8, "batch_size_basis": 5})
    write_case(file, "longer_than_tiles", rng.poisson(0.05, size=(3001, 3)), rng.normal(size=(130, 5)),
               attributes={"batch_size_samples": 257, "rtol": 1e-12})


def attributes(file):
    x, kernel = rng.poisson(1.0, size=(20, 2)), rng.normal(size=(4, 2))
    none = np.bytes_("none")
    for tag, shift, written in (
        ("bool_enum", False, {"shift": np.bool_(False)}),
        ("int", True, {"shift": 1}),
        ("fixed_strings", None, {"shift": none, "causality": np.bytes_("causal"),
                                 "batch_size_samples": none, "warns": none}),
        ("array_of_one", None, {"axis": np.array([0]), "rtol": np.array([1e-12])}),
        ("absent", None, {"axis": None, "shift": None, "rtol": None, "causality": None,
                          "lag_offset": None}),
        ("negative_axis", None, {"axis": -2}),
        ("batch_below_window", None, {"batch_size_samples": 3}),
        ("batch_beyond_array", None, {"batch_size_samples": np.int32(1000), "batch_size_basis": 9}),
    ):
        write_case(file, "attributes_" + tag, x, kernel, shift=shift, attributes=written)


def trials(file):
    for axis, causality in ((0, "causal"), (1, "acausal"), (1, "anti-causal")):
        group = file.create_group(f"trials/axis{axis}_{causality}")
        kernel = rng.normal(size=(5, 2))
        group["kernel"] = kernel
        group.attrs.update(axis=axis, causality=causality, n_trials=12)
        for i, n in enumerate(rng.integers(1, 30, size=12)):
            x = rng.normal(size=(n, 2) if axis == 0 else (2, n, 3))
            group[f"x_{i}"] = x
            group[f"out_{i}"] = convolve(x, kernel, axis, lag_offset(causality, None, 5), [(0, n)])[0]


def bases(file):
    def cosine(window, n, width):
        u = np.linspace(0, 1, window)[:, None] * (n - 1) - np.arange(n)
        return (1 + np.cos(np.pi * np.clip(u / width, -1, 1))) / 2

    group = file.create_group("basis/linear_wide")
    group["matrix"] = cosine(37, 12, 10.5)
    group.attrs.update(cls="RaisedCosineLinearConv", width=10.5)
    group = file.create_group("basis/linear_defaults")
    group["matrix"] = cosine(2, 2, 2.0)
    group.attrs["cls"] = np.bytes_("RaisedCosineLinear")
    group = file.create_group("basis/history")
    group["matrix"] = np.eye(31)
    group.attrs["cls"] = "HistoryConv"
    group = file.create_group("basis/bernstein")
    u = np.linspace(0, 1, 50)
    group["matrix"] = np.stack([(1 - u) ** 2, 2 * u * (1 - u), u**2], axis=1)
    group.attrs.update(cls="BSpline", order=np.int8(3))
    file.create_group("basis/another_family")["matrix"] = np.ones((3, 2))
    file["basis/another_family"].attrs["cls"] = "FourierConv"
    file.create_group("not_of_this_version/case")["x"] = np.ones(3)


def kron(a, b):
    """Columns of two (samples, channels, bases), channel by channel, b fastest."""
    return (a[..., :, None] * b[..., None, :]).reshape(len(a), a.shape[1], -1)


def designs(file):
    def filtered(x, kernel):
        out = convolve(x, kernel, 0, -1, [(0, len(x))])[0]
        return out.reshape(len(x), -1, kernel.shape[1])

    def write(name, inputs, kernels, out):
        group = file.create_group("features/" + name)
        for i, (x, kernel) in enumerate(zip(inputs, kernels), 1):
            group[f"x{i}"], group[f"kernel{i}"] = x, kernel
        group["out"] = out.reshape(len(out), -1)

    wide, narrow = rng.normal(size=(31, 2, 1, 3)), rng.poisson(1.0, size=31)
    first, second, third = (rng.normal(size=shape) for shape in ((4, 3), (9, 2), (1, 4)))
    a, b = filtered(wide, first), filtered(narrow, second)
    write("additive_4d", [wide, narrow], [first, second],
          np.hstack([a.reshape(31, -1), b.reshape(31, -1)]))
    file["splits/additive_4d/component1"] = a.reshape(31, 2, 1, 3, 3)
    file["splits/additive_4d/component2"] = b.reshape(31, 2)
    others = [rng.normal(size=(31, 2, 1, 3)) for _ in range(2)]
    b, c = filtered(others[0], second), filtered(others[1], third)
    write("multiplicative_4d", [wide, others[0]], [first, second], kron(a, b))
    write("multiplicative_of_additive_4d", [wide, *others], [first, second, third],
          kron(np.concatenate([a, b], axis=2), c))
    write("another_expression", [wide], [first], a)


def eval_mode(file):
    def write(name, x, matrix, **attributes):
        group = file.create_group("eval/" + name)
        group["x"], group["matrix"] = x, matrix.reshape(len(x), -1)
        group.attrs.update(attributes)

    x = rng.normal(size=(40, 3))
    x[5, 1] = np.nan
    low, high = np.nanmin(x, axis=0), np.nanmax(x, axis=0)
    hats = [np.where(np.isnan(x), np.nan, np.maximum(0, 1 - abs((x - low) / (high - low) * 4 - b)))
            for b in range(5)]
    write("hats_of_each_channel", x, np.stack(hats, axis=-1), cls="BSplineEval", order=2)
    outside = np.any((x < -1) | (x > 2), axis=1)
    z = ((x + 1) / 3)[..., None] * 3 - np.arange(4)
    bumps = (1 + np.cos(np.pi * np.clip(z / 1.5, -1, 1))) / 2
    bumps[outside] = -3.0
    write("bumps_whole_row_filled", x, bumps, cls="RaisedCosineLinear", width=1.5,
          bounds=[-1.0, 2.0], fill_value=-3.0)
    write("constant_channel", np.full(9, 4.0), np.eye(4)[[0] * 9], cls="BSpline", order=3)
    write("history", x, x, cls="HistoryEval")


def fourier(file):
    def write(name, inputs, combinations, bounds, mask):
        theta = sum(2 * np.pi * np.outer((x - low) / (high - low), f)
                    for x, f, (low, high) in zip(inputs, combinations, bounds))
        has_zero = int(not combinations[:, 0].any())
        group = file.create_group("fourier/" + name)
        for d, x in enumerate(inputs):
            group[f"x{d}"] = x
        group["frequencies"] = combinations
        group["matrix"] = np.hstack([np.cos(theta), np.sin(theta)[:, has_zero:]])
        group.attrs.update(mask=mask, bounds=np.asarray(bounds))

    x = rng.normal(size=(3, 25))
    every = np.array(list(itertools.product((0, 1), (1, 4), (0, 2)))).T.astype(float)
    write("three_dimensions", x, every, [(0.0, 1.0), (-2.0, 2.0), (1.0, 4.0)], "all")
    write("three_dimensions_masked", x, every[:, [1, 2, 7]], [(0.0, 1.0)] * 3, "callable")
    write("high_frequencies", x[:1], np.array([[200.0, 1000.0]]), [(-1.0, 7.0)], "no-intercept")


def spoil(path):
    """Moves one number in each of the sections of designs; how many cases that makes wrong."""
    with h5py.File(path, "r+") as file:
        for name in ("eval/hats_of_each_channel/matrix", "fourier/three_dimensions_masked/matrix",
                     "features/multiplicative_of_additive_4d/out",
                     "splits/additive_4d/component2"):
            values = file[name][()]
            place = np.flatnonzero(np.isfinite(values))[-1]
            values.flat[place] += 1e-9
            file[name][...] = values
        file["fourier/high_frequencies/frequencies"][0, 0] = 201.0
    return 5


def main():
    program, path = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory() as folder:
        path = path or Path(folder) / "variants.h5"
        with h5py.File(path, "w") as file:
            for part in (shapes_and_axes, windows, epochs, stored_types, values, attributes, trials,
                         bases, designs, eval_mode, fourier):
                part(file)
            cases = sum(len(section) for section in file.values())
        print("seed", SEED)
        run = subprocess.run([program, str(path)], stdout=subprocess.PIPE, text=True)
        wrong = spoil(path)
        spoiled = subprocess.run([program, str(path)], stdout=subprocess.PIPE, text=True)
    print(run.stdout)
    # Not compared: two families, a section and an expression that the program does not know.
    expected = f"{cases - 4} of {cases} cases checked, 0 differ\n"
    if run.returncode != 0 or not run.stdout.endswith(expected):
        sys.exit(f"exit status {run.returncode}; expected 0, and the last line: {expected}")
    expected = f"{cases - 4} of {cases} cases checked, {wrong} differ\n"
    if spoiled.returncode != 1 or not spoiled.stdout.endswith(expected):
        sys.exit(f"{spoiled.stdout}after numbers were moved, expected the last line: {expected}")


if __name__ == "__main__":
    main()
