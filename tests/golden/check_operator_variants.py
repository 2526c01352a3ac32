#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs synelix_operator_check on a file unlike operators.h5: random shapes and options, numbers by
NumPy from the definitions alone, every way in which h5py stores values and writes attributes; and on
cases that are none.

    check_operator_variants.py PROGRAM [FILE.h5]      exit status 77: h5py or numpy is missing
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

SEED = 20261124
rng = np.random.default_rng(SEED)
MODES = {"zero": "constant", "circular": "wrap", "reflect": "reflect"}


def write(file, path, attributes, arrays, **storage):
    group = file.create_group(path)
    for name, values in arrays.items():
        group.create_dataset(name, data=values, **(storage if np.ndim(values) and np.size(values) else {}))
    group.attrs.update(attributes)


def values(shape, stored):
    """Small integers, which every type can store, or others."""
    kind = np.dtype(stored).kind
    if kind in "iu":
        return rng.integers(0 if kind == "u" else -9, 10, size=shape).astype(stored)
    return rng.normal(size=shape).astype(stored)


# ---------------------------------------------------------------- convolutions

class Convolution:
    """y[n, o, p] = sum over c, k of padded[n, c, p stride + k dilation] w[o, c, k]: all its products."""

    def __init__(self, dimensions):
        self.groups = int(rng.integers(1, 4))
        self.batch = int(rng.integers(1, 3))
        self.inputs, self.outputs = (self.groups * int(n) for n in rng.integers(1, 4, size=2))
        self.kind = str(rng.choice(list(MODES)))
        self.space, self.taps, self.stride, self.dilation = (
            [int(n) for n in rng.integers(low, high, size=dimensions)]
            for low, high in ((4, 8), (1, 4), (1, 4), (1, 3)))
        self.before, self.after = ([int(n) for n in rng.integers(0, 4, size=dimensions)] for _ in range(2))
        size = int(np.prod(self.space))
        pairs = list(zip(self.before, self.after))
        # The place of each padded position in the input; one past its end for a zero.
        more = {"constant_values": size} if self.kind == "zero" else {}
        self.source = np.pad(np.arange(size).reshape(self.space), pairs, mode=MODES[self.kind], **more)
        self.out = [(n - d * (k - 1) - 1) // s + 1
                    for n, k, s, d in zip(self.source.shape, self.taps, self.stride, self.dilation)]
        self.weights = (self.outputs, self.inputs // self.groups, *self.taps)

    def attributes(self):
        return {"dimensions": len(self.space), "groups": self.groups, "padding_kind": self.kind,
                "stride": self.stride, "dilation": self.dilation, "padding": self.before,
                "padding_after": self.after}

    def seen(self):
        """For each tap its number, and which source each position of a result sees through it."""
        for number, tap in enumerate(itertools.product(*map(range, self.taps))):
            places = tuple(slice(k * d, k * d + (n - 1) * s + 1, s)
                           for k, d, n, s in zip(tap, self.dilation, self.out, self.stride))
            yield number, self.source[places].ravel()

    def products(self, x, w, y):
        """Calls back with (sums over x, over w, over y) of one of them, if it is None."""
        count = int(np.prod(self.space))
        result = {"x": np.zeros((self.batch, self.inputs, count + 1)),
                  "w": np.zeros((self.outputs, self.inputs // self.groups, int(np.prod(self.taps)))),
                  "y": np.zeros((self.batch, self.outputs, int(np.prod(self.out))))}
        x, w, y = (None if v is None else v.astype(float).reshape(*v.shape[:2], -1) for v in (x, w, y))
        if x is not None:
            x = np.concatenate([x, np.zeros((*x.shape[:2], 1))], axis=2)
        for number, source in self.seen():
            for o, c in itertools.product(range(self.outputs), range(self.inputs // self.groups)):
                channel = o // (self.outputs // self.groups) * (self.inputs // self.groups) + c
                if y is None:
                    result["y"][:, o] += x[:, channel, source] * w[o, c, number]
                elif w is None:
                    result["w"][o, c, number] += (x[:, channel, source] * y[:, o]).sum()
                else:
                    np.add.at(result["x"][:, channel], (slice(None), source), y[:, o] * w[o, c, number])
        if y is None:
            return result["y"].reshape(self.batch, self.outputs, *self.out)
        if w is None:
            return result["w"].reshape(self.weights)
        return result["x"][..., :count].reshape(self.batch, self.inputs, *self.space)


def conv_case(file, name, operator, dimensions, stored, **storage):
    conv = Convolution(dimensions)
    last = bool(rng.integers(0, 2))
    shapes = {"x": (conv.batch, conv.inputs, *conv.space), "w": conv.weights,
              "y": (conv.batch, conv.outputs, *conv.out)}
    needed = {"forward": "xw", "true_conv": "xw", "grad_input": "yw", "grad_weights": "xy"}[operator]
    found = {name: values(shapes[name], stored) for name in needed}
    if operator == "true_conv":
        reverse = (slice(None),) * 2 + (slice(None, None, -1),) * dimensions
        result = conv.products(found["x"], found["w"][reverse], None)
    else:
        result = conv.products(found.get("x"), found.get("w"), found.get("y"))

    def ordered(array, is_image):
        return np.moveaxis(array, 1, -1) if last and is_image else array

    first, second = needed
    write(file, "conv/" + name, {"operator": operator, **conv.attributes(), "channels": "last" if last else "first"},
          {"first": ordered(found[first], first != "w"), "second": ordered(found[second], second != "w"),
           "result": ordered(result, operator != "grad_weights")}, **storage)


def convolutions(file):
    for dimensions, operator, i in itertools.product(
            (1, 2, 3), ("forward", "true_conv", "grad_input", "grad_weights"), range(4)):
        conv_case(file, f"{operator}_{dimensions}d_{i}", operator, dimensions,
                  ("f4", "f8", "i1", "u2")[(i + dimensions) % 4])
    for stored in (">f4", ">f8", ">i2", "u1"):
        name = np.dtype(stored).name + ("_swapped" if stored[0] == ">" else "")
        conv_case(file, "stored_" + name, "forward", 2, stored, chunks=True, compression="gzip")


# ---------------------------------------------------------------- products

def products(file):
    def case(name, a, b, attributes, **more):
        result = a.astype(float) @ b.astype(float)
        write(file, "matmul/" + name, {"operator": "matmul", **attributes},
              {"first": a, "second": b, "result": result, **more})

    for i in range(12):
        m, k, n = (int(size) for size in rng.integers(1, 30, size=3))
        case(f"random_{i}", values((m, k), ("f4", "i2", "u1")[i % 3]), values((k, n), "f8"), {})
    a, b = values((4, 6), "f4"), values((6, 5), "i1")
    one = np.bytes_("matmul")
    for name, attributes in (
            ("fixed_string", {"operator": one}), ("array_of_one", {"alpha": np.array([1.0])}),
            ("string_none", {"first_windows": "none", "alpha": np.bytes_("none")}),
            ("bool", {"first_transposed": np.bool_(False)}), ("narrow", {"beta": np.int8(0)}),
            ("unused_scale", {"second_scale": 1, "second_offset": np.float32(0)})):
        case("attribute_" + name, a, b, attributes)
    write(file, "matmul/result_float32", {"operator": "matmul"},
          {"first": a, "second": b, "result": (a @ b.astype("f4")).astype("f4")})
    write(file, "matmul/true_flags", {"operator": "matmul", "second_transposed": np.bool_(True)},
          {"first": a, "second": b.T.copy(), "result": a.astype(float) @ b})
    taken = np.stack([a[:, c:c + 3] for c in (0, 2)]).astype(float)
    write(file, "matmul/narrow_windows", {"operator": "matmul", "first_windows": np.array([3, 2], "i1")},
          {"first": a, "second": b[:3], "result": taken @ b[:3]})
    write(file, "another_section/case", {}, {"first": a})


# ---------------------------------------------------------------- what differs, and what is not a case

def spoil(file):
    """Moves one result of each kind; their paths."""
    paths = ["conv/forward_1d_0", "conv/true_conv_2d_1", "conv/grad_input_3d_2", "conv/grad_weights_1d_3",
             "conv/stored_int16_swapped", "matmul/random_5", "matmul/narrow_windows"]
    for path in paths:
        result = file[path]["result"][()]
        result.flat[-1] += 1e-9 * max(1.0, np.abs(result).max())
        file[path]["result"][...] = result
    return paths


def refused(file):
    """Invalid cases, and their expected messages."""
    a = np.ones((3, 3), "f4")
    product = {"first": a, "second": a, "result": a @ a}
    image = {"first": a.reshape(1, 1, 9), "second": a[:1].reshape(1, 1, 3), "result": np.full((1, 1, 7), 3.0)}
    conv, matmul = {"operator": "forward", "dimensions": 1}, {"operator": "matmul"}
    columns = {**product, "first_column_scale": np.ones(3)}
    cases = {
        "matmul/no_operator": ({}, product, "attribute operator is missing"),
        "conv/no_operator": ({"dimensions": 1}, image, "attribute operator is missing"),
        "conv/no_dimensions": ({"operator": "forward"}, image, "attribute dimensions has to be 1, 2 or 3"),
        "conv/four_dimensions": ({**conv, "dimensions": 4}, image, "dimensions has to be 1, 2 or 3"),
        "conv/other_dimensions": ({**conv, "dimensions": 2}, image, "an array of 4 dimensions"),
        "conv/other_kind": ({**conv, "padding_kind": "mirror"}, image, "it may be zero, circular, reflect"),
        "conv/other_shape": (conv, {**image, "result": np.ones((1, 7))}, "the result is (1, 1, 7), not (1, 7)"),
        "conv/no_numbers": ({**conv, "stride": "two"}, image, "stride is the string 'two'"),
        "matmul/half": (matmul, {**product, "first": a.astype("f2")}, "first is stored as float16; it may be"),
        "matmul/int32": (matmul, {**product, "second": a.astype("i4")}, "second is stored as int32; it may be"),
        "matmul/text": (matmul, {**product, "second": np.full((3, 3), b"x")}, "second cannot be read as numbers"),
        "matmul/scalar": (matmul, {**product, "first": np.float32(2)}, "first has 0 dimensions"),
        "matmul/vector": (matmul, {**product, "second": a[0]}, "second is not a matrix"),
        "matmul/both_scales": ({**matmul, "first_scale": 2.0}, columns, "a dataset beside a constant"),
        "matmul/few_columns": (matmul, {**columns, "first_column_scale": np.ones(2)}, "each of 3 columns"),
        "matmul/no_products": ({"operator": "list"}, product, "products has to be 1 or more"),
        "matmul/no_windows": ({"operator": "matmul_windows"}, product, "second_windows is missing"),
        "matmul/list_of_more": ({"operator": "list", "products": 2}, {f"{k}_0": v for k, v in product.items()},
                                "dataset first_1 is missing"),
    }
    for path, (attributes, arrays, _) in cases.items():
        write(file, path, attributes, arrays)
    return {path: text for path, (_, _, text) in cases.items()}


def run(program, path):
    found = subprocess.run([program, str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    differing = {line.split()[1].strip("/:"): line for line in found.stdout.splitlines()
                 if line.startswith("DIFFERS")}
    return found, differing


def main():
    program = sys.argv[1]
    print("seed", SEED)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[2] if len(sys.argv) > 2 else Path(folder) / "operators.h5")
        with h5py.File(path, "w") as file:
            convolutions(file)
            products(file)
            cases = sum(len(section) for section in file.values())
        right, _ = run(program, path)
        print(right.stdout)
        expected = f"{cases - 1} of {cases} cases checked, 0 differ\n"  # a section is unknown
        if right.returncode != 0 or not right.stdout.endswith(expected):
            sys.exit(f"exit status {right.returncode}; expected 0, and the last line: {expected}")
        with h5py.File(path, "r+") as file:
            wanted = {name: "values differ" for name in spoil(file)}
            wanted.update(refused(file))
        wrong, found = run(program, path)
        if wrong.returncode != 1 or set(found) != set(wanted):
            sys.exit(f"{wrong.stdout}exit status {wrong.returncode}; expected 1, and differences in "
                     f"{sorted(set(found) ^ set(wanted))} too, or not")
        for name, text in wanted.items():
            if text not in found[name]:
                sys.exit(f"expected '{text}' in: {found[name]}")
        with h5py.File(path, "w") as file:
            file.create_group("another_section/case")
        empty, _ = run(program, path)
        if empty.returncode != 2 or "holds no cases" not in empty.stdout:
            sys.exit(f"{empty.stdout}exit status {empty.returncode} of a file without cases")


if __name__ == "__main__":
    main()
