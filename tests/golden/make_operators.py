#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes operators.h5: convolution operators and matrix products by PyTorch and NumPy, in double.
synelix_operator_check compares the library with this file and with any other of its format.

    make_operators.py FILE.h5            writes the file
    make_operators.py --check FILE.h5    makes all cases again: names, attributes and operands have to
                                         be those of the file, results those up to rounding
                                         exit status 77: torch, numpy or h5py is missing;
                                         the file says which versions made it

Format. A case is a group conv/NAME or matmul/NAME. What is read lies there as it is stored: float32,
float64, int8, uint8, int16 or uint16; its physical values are stored * scale + offset. Attributes
that are left out have the values given first; others than these are refused.

    all cases
      operator                  see below
      first_scale, first_offset, second_scale, second_offset      1 and 0
      rtol                      0: what the result may differ by beyond rounding, relative to the
                                largest sum of the sizes of terms
      source                    what computed the result; is not read

    conv/NAME, datasets first, second, bias, result (shapes as in synelix/conv.hpp; a bias is not scaled)
      operator                  forward | true_conv | transposed (first: x, second: w),
                                grad_input (grad_y, w), grad_weights (x, grad_y), grad_bias (grad_y)
      dimensions                of space: 1, 2, 3; has to be there
      stride, dilation          1; each of these: one number, or one for each dimension of space
      padding, padding_after    0, and that of padding
      output_padding            0
      padding_size              given | valid | same
      padding_kind              zero | circular | reflect
      groups                    1
      channels                  first | last

    matmul/NAME, datasets first, second, before, result: alpha first second + beta before
      operator                  matmul: one product, or a batch, as numpy.matmul broadcasts it
                                matmul_windows: the same, where it is called without a copy
                                list: datasets first_0, second_0, before_0, result_0, first_1, ...
      products                  of a list: their number; has to be there
      alpha, beta               1 and 0; before is read where beta is not 0
      first_transposed, second_transposed     0; 1: rows are stored as columns
      first_windows, second_windows           none; (columns, step) or (rows, columns, step): every
                                              window of the matrix stored, as synelix::windows
    and in place of a scale or an offset a dataset with a number for each column of what is stored:
      first_column_scale, first_column_offset, second_column_scale, second_column_offset

Operands are transposed after they are scaled, and before their windows are taken. Extents that a
gradient does not follow from are those of its result. A result may be off by the epsilon of its type,
times the number of terms of a sum and four, times the sizes of those terms.
"""
import itertools
import sys
import tempfile
import warnings
import zlib
from pathlib import Path

try:
    import h5py
    import numpy as np
    import torch
    from torch.nn import functional
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

warnings.filterwarnings("ignore", "Using padding=.same. with even")  # it may copy, which is fine here

SEED = 20261123


# ---------------------------------------------------------------- what is computed

def physical(attributes, arrays, name):
    """Values in double, scaled."""
    values = arrays[name].astype(float)
    scale = arrays.get(name + "_column_scale", attributes.get(name + "_scale", 1.0))
    return values * scale + arrays.get(name + "_column_offset", attributes.get(name + "_offset", 0.0))


def each(attributes, name, default, dimensions):
    return tuple(int(n) for n in np.broadcast_to(attributes.get(name, default), dimensions))


def padded(x, attributes, taps):
    """Torch's x with all of its padding, in the channels' first order."""
    dimensions = attributes["dimensions"]
    before = each(attributes, "padding", 0, dimensions)
    after = each(attributes, "padding_after", before, dimensions)
    size = attributes.get("padding_size", "given")
    if size == "same":
        whole = [d * (n - 1) for d, n in zip(each(attributes, "dilation", 1, dimensions), taps)]
        before, after = [n // 2 for n in whole], [n - n // 2 for n in whole]
    elif size == "valid":
        before = after = (0,) * dimensions
    if not any(before) and not any(after):
        return x
    kind = {"zero": "constant"}.get(attributes.get("padding_kind", "zero"), attributes.get("padding_kind"))
    return functional.pad(x, [n for pair in zip(before[::-1], after[::-1]) for n in pair], mode=kind)


def convolution(x, w, bias, attributes):
    """The operator forward, by torch, with torch's own padding if it has the same."""
    dimensions = attributes["dimensions"]
    call = getattr(functional, f"conv{dimensions}d")
    options = {"stride": each(attributes, "stride", 1, dimensions),
               "dilation": each(attributes, "dilation", 1, dimensions),
               "groups": attributes.get("groups", 1)}
    size = attributes.get("padding_size", "given")
    if attributes.get("padding_kind", "zero") == "zero" and "padding_after" not in attributes:
        padding = each(attributes, "padding", 0, dimensions) if size == "given" else size
        return call(x, w, bias, padding=padding, **options)
    return call(padded(x, attributes, w.shape[2:]), w, bias, **options)


def transposed(x, w, bias, attributes):
    """By torch, which has one padding for both sides: if there are two, it pads nothing, and the result is cut here."""
    dimensions = attributes["dimensions"]
    call = getattr(functional, f"conv_transpose{dimensions}d")
    options = {"stride": each(attributes, "stride", 1, dimensions),
               "dilation": each(attributes, "dilation", 1, dimensions),
               "groups": attributes.get("groups", 1)}
    before = each(attributes, "padding", 0, dimensions)
    more = each(attributes, "output_padding", 0, dimensions)
    if "padding_after" not in attributes:
        return call(x, w, bias, padding=before, output_padding=more, **options)
    y = call(x, w, bias, **options)
    after = each(attributes, "padding_after", 0, dimensions)
    return y[(...,) + tuple(slice(b, n - a + m) for b, a, m, n in zip(before, after, more, y.shape[2:]))]


def true_convolution(x, w, bias, attributes):
    """By NumPy: numpy.convolve along a line, else a sum of shifted arrays, both of the window reversed."""
    groups, space = attributes.get("groups", 1), w.ndim - 2
    x = padded(torch.as_tensor(x), attributes, w.shape[2:]).numpy()
    out = tuple(n - k + 1 for n, k in zip(x.shape[2:], w.shape[2:]))
    y = np.zeros((x.shape[0], w.shape[0]) + out)
    for o, c in itertools.product(range(w.shape[0]), range(w.shape[1])):
        channel = o // (w.shape[0] // groups) * w.shape[1] + c
        for n in range(x.shape[0]):
            if space == 1:
                y[n, o] += np.convolve(x[n, channel], w[o, c], mode="full")[w.shape[2] - 1:x.shape[2]]
                continue
            for tap in np.ndindex(*w.shape[2:]):
                seen = tuple(slice(k - 1 - t, k - 1 - t + m) for k, t, m in zip(w.shape[2:], tap, out))
                y[n, o] += x[n, channel][seen] * w[o, c][tap]
    return y + (0.0 if bias is None else bias.reshape((-1,) + (1,) * space))


def channels_to(order, attributes, values):
    """From channels first to the order of the case, or back."""
    if attributes.get("channels", "first") == "first":
        return values
    return np.moveaxis(values, 1, -1) if order == "last" else np.moveaxis(values, -1, 1)


def compute_conv(attributes, arrays, shape):
    """The result of a case and its program. `shape` is that of the result of a gradient."""
    operator = attributes["operator"]
    first = channels_to("first", attributes, physical(attributes, arrays, "first"))
    bias = physical(attributes, arrays, "bias") if "bias" in arrays else None
    number = f"{attributes['dimensions']}d"
    if operator == "grad_bias":
        y = torch.as_tensor(first)
        bias = torch.zeros(y.shape[1], dtype=torch.float64, requires_grad=True)
        (bias.reshape((-1,) + (1,) * (y.dim() - 2)) * y).sum().backward()
        return bias.grad.numpy(), "torch.autograd"
    second = physical(attributes, arrays, "second")
    if operator == "true_conv":
        result = true_convolution(first, second, bias, attributes)
        return channels_to("last", attributes, result), "numpy"
    tensors = [torch.as_tensor(np.ascontiguousarray(first)), torch.as_tensor(second)]
    if operator in ("forward", "transposed"):
        call = convolution if operator == "forward" else transposed
        y = call(*tensors, None if bias is None else torch.as_tensor(bias), attributes).numpy()
        name = "conv" if operator == "forward" else "conv_transpose"
        return channels_to("last", attributes, y), f"torch.nn.functional.{name}{number}"
    if operator == "grad_input":
        grad_y, w = tensors
        x = torch.zeros(channels_to("first", attributes, np.zeros(shape)).shape, dtype=torch.float64,
                        requires_grad=True)
        convolution(x, w, None, attributes).backward(grad_y)
        return channels_to("last", attributes, x.grad.numpy()), f"torch.autograd of conv{number}"
    x, grad_y = tensors[0], torch.as_tensor(np.ascontiguousarray(channels_to("first", attributes, second)))
    w = torch.zeros(shape, dtype=torch.float64, requires_grad=True)
    convolution(x, w, None, attributes).backward(grad_y)
    return w.grad.numpy(), f"torch.autograd of conv{number}"


def matrix_operand(attributes, arrays, name, suffix=""):
    values = physical(attributes, {key.removesuffix(suffix): value for key, value in arrays.items()
                                   if key.endswith(suffix)}, name)
    if attributes.get(name + "_transposed", 0):
        values = np.swapaxes(values, -1, -2)
    taken = attributes.get(name + "_windows")
    if taken is None:
        return values
    step = taken[-1]
    if len(taken) == 2:
        found = np.lib.stride_tricks.sliding_window_view(values, taken[0], axis=-1)
        return np.moveaxis(found[..., ::step, :], -2, -3)
    return np.lib.stride_tricks.sliding_window_view(values, taken[:2], axis=(-2, -1))[..., ::step, ::step, :, :]


def compute_matmul(attributes, arrays, suffix=""):
    a, b = (matrix_operand(attributes, arrays, name, suffix) for name in ("first", "second"))
    result = attributes.get("alpha", 1.0) * (a @ b)
    if attributes.get("beta", 0.0) != 0.0:
        result = result + attributes["beta"] * arrays["before" + suffix].astype(float)
    return result


# ---------------------------------------------------------------- cases

RANGES = {"i1": (-128, 128), "u1": (0, 256), "i2": (-3000, 3000), "u2": (0, 6000)}


def drawn(name, shape, stored="f4"):
    """A dataset of that name: its numbers follow from shape and type, not from the cases before it."""
    shape = tuple(int(n) for n in shape)
    # The generator whose numbers NumPy promises to keep.
    draws = np.random.RandomState(zlib.crc32(f"{SEED} {name} {shape} {stored}".encode()))
    if name.endswith(("_scale", "_offset")):
        return draws.uniform(0.5, 2.0, size=shape)
    if stored in RANGES:
        return draws.randint(*RANGES[stored], size=shape).astype(stored)
    return draws.standard_normal(size=shape).astype(stored)


written = {}  # datasets of the file by their values


def write(file, path, attributes, arrays, result, source):
    """Operands that are in the file already are linked: most of a small dataset is not its values."""
    group = file.create_group(path)
    for name, values in {**arrays, **result}.items():
        values = np.asarray(values)
        key = (values.dtype.str, values.shape, values.tobytes())
        if name not in result and key in written:
            group[name] = written[key]
            continue
        packed = {"compression": "gzip", "shuffle": True, "chunks": values.shape} if values.nbytes > 400 else {}
        written[key] = group.create_dataset(name, data=values, track_times=False, **packed)
    for name, value in {**attributes, "source": source}.items():
        group.attrs[name] = np.bytes_(value) if isinstance(value, str) else value


def conv(file, name, operator, image, weights, stored=("f4", "f4"), bias=None, spoil=None, **attributes):
    """A case: `image` is the shape of the input of the convolution, `weights` that of its weights; the other operand of
    a gradient follows from both. `stored` are the types of first and second."""
    attributes = {"operator": operator, "dimensions": len(image) - 2, **attributes}

    def placed(name, shape):
        return drawn(name, channels_to("last", attributes, np.empty(shape)).shape, stored[name == "second"])

    if operator.startswith("grad"):
        y = convolution(torch.zeros(image), torch.zeros(weights), None, attributes).shape
    arrays, shape = {}, None
    if operator == "grad_input":
        arrays = {"first": placed("first", y), "second": drawn("second", weights, stored[1])}
        shape = channels_to("last", attributes, np.empty(image)).shape
    elif operator == "grad_weights":
        arrays = {"first": placed("first", image), "second": placed("second", y)}
        shape = weights
    elif operator == "grad_bias":
        arrays = {"first": placed("first", y)}
    else:
        arrays = {"first": placed("first", image), "second": drawn("second", weights, stored[1])}
    if bias is not None:
        results = weights[0] if operator != "transposed" else weights[1] * attributes.get("groups", 1)
        arrays["bias"] = drawn("bias", (results,), bias)
    if spoil is not None:
        arrays["first"][spoil] = np.nan
    result, source = compute_conv(attributes, arrays, shape)
    write(file, f"conv/{operator}_{len(image) - 2}d_{name}", attributes, arrays, {"result": result}, source)


IMAGES = {1: (2, 2, 9), 2: (1, 2, 5, 6), 3: (1, 2, 4, 3, 3)}
WEIGHTS = {1: (3, 2, 4), 2: (3, 2, 3, 2), 3: (2, 2, 2, 3, 2)}
GROUPED = {1: ((2, 4, 8), (6, 2, 3)), 2: ((1, 4, 4, 5), (6, 2, 2, 3)), 3: ((1, 4, 3, 3, 4), (2, 2, 2, 2, 3))}
DEPTHWISE = {1: ((1, 5, 9), (5, 1, 3)), 2: ((1, 3, 4, 5), (3, 1, 3, 3)), 3: ((1, 3, 4, 2, 3), (3, 1, 2, 2, 2))}

# Of lines and volumes, which run the code of images, fewer.
IMAGES_ONLY = {"plain", "dilation_2", "padding_1", "padding_after", "groups_2", "channels_last"}


def options_of(dimensions):
    """Options of which each operator takes all, by name: (shapes, attributes)."""
    plain = IMAGES[dimensions], WEIGHTS[dimensions]
    each_own = [(2, 1, 3), (1, 2, 1), (1, 0, 2), (0, 2, 1)]
    stride, dilation, before, after = ([int(n) for n in numbers[:dimensions]] for numbers in each_own)
    last = {"channels": "last"}
    return {
        "plain": (plain, {}),
        "stride_2": (plain, {"stride": 2}),
        "dilation_2": (plain, {"dilation": 2, "padding": 2}),
        "padding_1": (plain, {"padding": 1}),
        "padding_after": (plain, {"padding": before, "padding_after": after}),
        "circular": (plain, {"padding": 2, "padding_kind": "circular"}),
        "reflect": (plain, {"padding": before, "padding_after": after, "padding_kind": "reflect"}),
        "groups_2": (GROUPED[dimensions], {"groups": 2, "padding": 1}),
        "depthwise": (DEPTHWISE[dimensions], {"groups": DEPTHWISE[dimensions][1][0], "padding": 1}),
        "channels_last": (plain, {"padding": 1, **last}),
        "all_at_once": (GROUPED[dimensions], {"groups": 2, "stride": stride, "dilation": dilation,
                                              "padding": 2, "padding_after": after,
                                              "padding_kind": "circular", **last}),
    }


def conv_options(file):
    for dimensions in (1, 2, 3):
        options = options_of(dimensions)
        for operator in ("forward", "grad_input", "grad_weights"):
            for name, (shapes, attributes) in options.items():
                bias = "f4" if operator == "forward" and name in ("circular", "all_at_once") else None
                if dimensions == 2 or name not in IMAGES_ONLY:
                    conv(file, name, operator, *shapes, bias=bias, **attributes)
        shapes = options["plain"][0]
        conv(file, "bias", "forward", *shapes, bias="f4")
        conv(file, "same", "forward", *shapes, padding_size="same")
        conv(file, "same_reflect", "grad_weights", *shapes, padding_size="same", padding_kind="reflect")
        conv(file, "channels_last", "grad_bias", *shapes, channels="last", stride=2)
    shapes = options_of(2)["plain"][0]
    conv(file, "same_dilated", "forward", *shapes, padding_size="same", dilation=2)
    conv(file, "same_reflect", "forward", *shapes, padding_size="same", padding_kind="reflect")
    conv(file, "valid", "forward", *shapes, padding_size="valid", bias="f8")
    conv(file, "stride_wider_than_window", "forward", *shapes, stride=5)
    conv(file, "depthwise_times_2", "forward", (2, 3, 4, 5), (6, 1, 3, 3), groups=3)
    conv(file, "same", "grad_input", *shapes, padding_size="same")
    conv(file, "plain", "grad_bias", *shapes)


def conv_transposed(file):
    for dimensions in (1, 2, 3):
        small = {1: (2, 3, 5), 2: (2, 3, 3, 2), 3: (1, 2, 2, 1, 2)}[dimensions]
        weights = WEIGHTS[dimensions]
        grouped = (GROUPED[dimensions][1][0],) + (2,) * (dimensions + 1)
        conv(file, "output_padding", "transposed", small, weights, stride=[3, 2, 2][:dimensions],
             output_padding=[2, 1, 0][:dimensions], padding=1)
        conv(file, "padding_after", "transposed", small, weights, stride=2, padding=[1, 0, 1][:dimensions],
             padding_after=[2, 1, 0][:dimensions])
        conv(file, "groups_2", "transposed", (2, grouped[0]) + small[2:], grouped, groups=2, bias="f4")
    conv(file, "plain", "transposed", (2, 3, 3, 2), WEIGHTS[2])
    conv(file, "stride_2", "transposed", (2, 3, 3, 2), WEIGHTS[2], stride=2, bias="f4")
    conv(file, "dilation_2", "transposed", (2, 3, 3, 2), WEIGHTS[2], dilation=2, padding=1, output_padding=1)
    conv(file, "channels_last", "transposed", (2, 3, 3, 2), WEIGHTS[2], stride=2, padding=1, channels="last")


def conv_true(file):
    for dimensions in (1, 2, 3):
        conv(file, "full_bias", "true_conv", IMAGES[dimensions], WEIGHTS[dimensions], bias="f4",
             padding=[n - 1 for n in WEIGHTS[dimensions][2:]])
        conv(file, "same_groups", "true_conv", *GROUPED[dimensions], groups=2, padding_size="same",
             channels="last")


def conv_types(file):
    image, weights = (1, 3, 5, 4), (4, 3, 3, 2)
    for stored, scale, offset in (("f8", 1.0, 0.0), ("i1", 1 / 128, 0.25), ("u1", 1 / 128, -1.0),
                                  ("i2", 0.001, 0.5), ("u2", 0.001, -3.0)):
        tag = np.dtype(stored).name
        first, second = ({f"{name}_scale": scale, f"{name}_offset": offset} for name in ("first", "second"))
        conv(file, f"{tag}_x", "forward", image, weights, stored=(stored, "f4"), padding=1, bias="f4", **first)
        conv(file, f"{tag}_w", "forward", image, weights, stored=("f4", stored), padding=1, **second)
        conv(file, f"{tag}_both", "grad_input", image, weights, stored=(stored, stored), **first, **second)
        conv(file, f"{tag}_both", "grad_weights", image, weights, stored=(stored, stored), padding=1, **first,
             **second)
    conv(file, "uint8_scaled", "grad_bias", image, weights, stored=("u1", None), first_scale=0.5,
         first_offset=-64.0)
    conv(file, "int8_bias", "forward", image, weights, bias="i1")
    conv(file, "int16_depthwise", "forward", (1, 20, 17), (20, 1, 5), stored=("i2", "i1"), groups=20,
         first_scale=0.01, second_scale=1 / 128, padding=3)
    conv(file, "int8_unscaled_reflect", "transposed", (2, 4, 6), (4, 3, 5), stored=("i1", "i1"), stride=2)


def conv_sizes(file):
    conv(file, "long_window", "forward", (1, 1, 90), (2, 1, 40), padding=20)
    conv(file, "long_window", "grad_input", (1, 1, 90), (2, 1, 40), padding=20)
    conv(file, "long_window", "grad_weights", (1, 1, 90), (2, 1, 40), padding=20)
    conv(file, "window_of_one", "forward", (2, 7, 3, 4), (5, 7, 1, 1), bias="f4")
    conv(file, "one_result", "forward", (2, 3, 4, 5), (2, 3, 4, 5))
    conv(file, "window_wider_than_input", "forward", (2, 2, 3, 2), (2, 2, 5, 6), padding=[1, 2])
    conv(file, "many_channels", "forward", (1, 35, 3, 2), (10, 35, 2, 1), channels="last")
    conv(file, "many_channels", "grad_weights", (1, 17, 5), (9, 17, 1))
    conv(file, "wide_line", "forward", (1, 1, 2, 70), (2, 1, 2, 3), padding=[0, 1])
    conv(file, "empty_batch", "forward", (0, 3, 5, 5), (2, 3, 3, 3))
    conv(file, "empty_batch", "grad_weights", (0, 3, 9), (2, 3, 3))
    conv(file, "circular_wraps_all", "forward", (1, 2, 4, 3), (2, 2, 3, 3), padding=[4, 3],
         padding_kind="circular")
    conv(file, "circular_wraps_all", "grad_input", (1, 2, 4, 3), (2, 2, 3, 3), padding=[4, 3],
         padding_kind="circular")
    conv(file, "nan", "forward", (2, 2, 12), (3, 2, 3), spoil=(0, 1, 4))
    conv(file, "nan_circular_groups", "forward", (1, 4, 5, 5), (4, 2, 3, 3), groups=2, padding=1,
         padding_kind="circular", spoil=(0, 2, 0, 4))


def matmul(file, name, first, second, stored=("f4", "f4"), columns=(), spoil=None, **attributes):
    """A case from the stored shapes; `columns` names the values that are given for each column."""
    attributes = {"operator": "matmul", **attributes}
    arrays = {"first": drawn("first", first, stored[0]), "second": drawn("second", second, stored[1])}
    for name_of_column in columns:
        width = arrays[name_of_column.partition("_")[0]].shape[-1]
        arrays[name_of_column] = drawn(name_of_column, (width,))
    if spoil is not None:
        arrays["first"][spoil] = np.nan
    if attributes.get("beta", 0.0) != 0.0:
        shape = compute_matmul({**attributes, "beta": 0.0}, arrays).shape
        arrays["before"] = drawn("before", shape)
    write(file, f"matmul/{name}", attributes, arrays, {"result": compute_matmul(attributes, arrays)},
          "numpy.matmul")


def matmul_cases(file):
    matmul(file, "plain", (7, 5), (5, 9))
    matmul(file, "float64", (7, 5), (5, 9), stored=("f8", "f8"))
    for name, m, k, n in (("row_by_column", 1, 30, 1), ("column_by_row", 9, 1, 8), ("vector", 1, 7, 33),
                          ("wide", 2, 4, 67), ("tall", 50, 4, 2), ("deep", 2, 120, 2), ("inner_0", 3, 0, 4),
                          ("no_rows", 0, 4, 3)):
        matmul(file, name, (m, k), (k, n))
    for first, second in ((1, 0), (0, 1), (1, 1)):
        tag = "_".join(name for name, flag in (("first", first), ("second", second)) if flag)
        matmul(file, f"transposed_{tag}", (5, 7) if first else (7, 5), (9, 5) if second else (5, 9),
               **{f"{name}_transposed": 1 for name, flag in (("first", first), ("second", second)) if flag})
    matmul(file, "alpha", (6, 5), (5, 8), alpha=-0.75)
    matmul(file, "beta", (6, 5), (5, 8), beta=0.5)
    matmul(file, "alpha_beta", (6, 5), (5, 8), alpha=2.5, beta=-1.25)
    matmul(file, "alpha_0", (6, 5), (5, 8), alpha=0.0, beta=2.0)
    matmul(file, "alpha_beta_batch", (3, 4, 5), (5, 8), alpha=0.1, beta=1.0, first_transposed=0)
    for name, first, second in (("both", (4, 3, 5), (4, 5, 6)), ("first_shared", (3, 5), (4, 5, 6)),
                                ("second_shared", (4, 3, 5), (5, 6)), ("one_by_many", (1, 3, 5), (4, 5, 6)),
                                ("crossed", (2, 1, 3, 4), (1, 3, 4, 5)), ("ranks", (2, 3, 3, 4), (3, 4, 5)),
                                ("deep", (2, 2, 2, 3, 4), (2, 1, 4, 5)), ("empty", (0, 3, 5), (5, 6))):
        matmul(file, f"batch_{name}", first, second)
    matmul(file, "batch_transposed", (4, 5, 3), (6, 5), first_transposed=1, second_transposed=1)
    for stored, scale, offset in (("i1", 1 / 128, 0.25), ("u1", 1 / 255, -0.5), ("i2", 0.001, 0.5),
                                  ("u2", 0.001, -3.0)):
        tag = np.dtype(stored).name
        first, second = ({f"{name}_scale": scale, f"{name}_offset": offset} for name in ("first", "second"))
        matmul(file, f"{tag}_first", (5, 8), (8, 7), stored=(stored, "f4"), **first)
        matmul(file, f"{tag}_second", (5, 8), (8, 7), stored=("f4", stored), **second)
        matmul(file, f"{tag}_both", (5, 8), (8, 7), stored=(stored, stored), **first, **second)
    matmul(file, "int8_unscaled", (5, 40), (40, 6), stored=("i1", "i1"))
    matmul(file, "int8_columns", (5, 8), (8, 7), stored=("i1", "f4"),
           columns=("first_column_scale", "first_column_offset"))
    matmul(file, "int8_columns_scale_only", (5, 8), (8, 7), stored=("f4", "i1"),
           columns=("second_column_scale",))
    matmul(file, "uint8_columns_offset_only", (5, 8), (8, 7), stored=("u1", "f4"),
           columns=("first_column_offset",))
    matmul(file, "int8_columns_transposed", (8, 5), (7, 8), stored=("i1", "i1"), first_transposed=1,
           second_transposed=1, columns=("first_column_scale", "second_column_scale", "second_column_offset"))
    matmul(file, "nan", (4, 6), (6, 5), spoil=(2, 3))


def matmul_windows(file):
    matmul(file, "windows_second", (5, 4), (4, 23), second_windows=[6, 1])
    matmul(file, "windows_second_step", (5, 4), (4, 23), second_windows=[6, 3])
    matmul(file, "windows_second_apart", (5, 4), (4, 23), second_windows=[3, 5])
    matmul(file, "windows_first", (4, 15), (6, 7), first_windows=[6, 2])
    matmul(file, "windows_of_both", (9, 8), (3, 18), first_windows=[4, 3, 1], second_windows=[3, 3, 3])
    matmul(file, "windows_of_rows_and_columns", (3, 4), (9, 8), second_windows=[4, 3, 2])
    matmul(file, "windows_transposed", (3, 4), (12, 4), second_transposed=1, second_windows=[5, 2])
    matmul(file, "windows_int8", (3, 4), (4, 20), stored=("f4", "i1"), second_windows=[5, 2],
           second_scale=1 / 128, second_offset=0.5)
    matmul(file, "windows_alpha_beta", (3, 4), (4, 12), second_windows=[5, 2], alpha=2.0, beta=1.0)
    for name, taken in (("", [6, 1]), ("_step", [6, 4]), ("_apart", [2, 7]), ("_whole", [19, 1])):
        matmul(file, f"matmul_windows{name}", (5, 4), (4, 19), operator="matmul_windows", second_windows=taken)


def matmul_list(file, name, shapes, stored=("f4", "f4"), **attributes):
    attributes = {"operator": "list", "products": len(shapes), **attributes}
    arrays, results = {}, {}
    for i, (m, k, n) in enumerate(shapes):
        flipped = attributes.get("second_transposed", 0)
        arrays[f"first_{i}"] = drawn("first", (m, k), stored[0])
        arrays[f"second_{i}"] = drawn("second", (n, k) if flipped else (k, n), stored[1])
        if attributes.get("beta", 0.0) != 0.0:
            arrays[f"before_{i}"] = drawn("before", (m, n))
        results[f"result_{i}"] = compute_matmul(attributes, arrays, f"_{i}")
    write(file, f"matmul/list_{name}", attributes, arrays, results, "numpy.matmul of each")


def matmul_lists(file):
    matmul_list(file, "of_one", [(4, 5, 6)])
    matmul_list(file, "ragged", [(1, 1, 1), (9, 3, 2), (2, 16, 5), (7, 7, 7), (0, 4, 3), (3, 0, 2)])
    matmul_list(file, "alpha_beta", [(3, 4, 5), (8, 2, 1)], alpha=0.5, beta=3.0)
    matmul_list(file, "int8_transposed", [(3, 4, 5), (6, 9, 2)], stored=("i1", "f4"), first_scale=1 / 128,
                first_offset=0.5, second_transposed=1)


# ---------------------------------------------------------------- the file

def make(path):
    written.clear()
    with h5py.File(path, "w", libver=("v110", "v110")) as file:
        file.attrs.update(seed=SEED, made_with=np.bytes_(
            f"torch {torch.__version__.split('+')[0]}, numpy {np.__version__}, h5py {h5py.__version__}"))
        for part in (conv_options, conv_transposed, conv_true, conv_types, conv_sizes, matmul_cases,
                     matmul_windows, matmul_lists):
            part(file)
        return sum(len(section) for section in file.values())


def differences(found, expected):
    """The differences between two groups."""
    if set(found) != set(expected) or set(found.attrs) != set(expected.attrs):
        yield f"{expected.name}: members or attributes {set(found) ^ set(expected) or 'have other names'}"
        return
    for name in expected.attrs:
        if not np.array_equal(found.attrs[name], expected.attrs[name]):
            yield f"{expected.name}: attribute {name} is made {found.attrs[name]}, and is {expected.attrs[name]}"
    for name in expected:
        a, b = found[name][()], expected[name][()]
        near = name.startswith("result")  # sums of a few hundred terms, in another order
        most = 1e-12 * near * np.nanmax(np.abs(b), initial=0.0) if b.dtype.kind == "f" else 0.0
        if a.dtype != b.dtype or a.shape != b.shape:
            yield f"{expected.name}/{name}: made as {a.dtype} {a.shape}, and is {b.dtype} {b.shape}"
        elif not np.allclose(a, b, rtol=0.0, atol=most, equal_nan=a.dtype.kind == "f"):
            yield f"{expected.name}/{name}: other values"


def check(path):
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder) / "again.h5"
        count = make(again)
        with h5py.File(again, "r") as found, h5py.File(path, "r") as expected:
            print(expected.attrs["made_with"].decode(), "made it; now", found.attrs["made_with"].decode())
            wrong = [f"/: attribute seed is {expected.attrs['seed']}"] if expected.attrs["seed"] != SEED else []
            for section in sorted(set(found) | set(expected)):
                names = set(found.get(section, ())), set(expected.get(section, ()))
                wrong += [f"/{section}/{name}: not in both" for name in sorted(names[0] ^ names[1])]
                for name in sorted(names[0] & names[1]):
                    wrong += differences(found[section][name], expected[section][name])
    print("\n".join(wrong) or f"{count} cases, the same numbers")
    return 1 if wrong else 0


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        return check(sys.argv[2])
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print("usage: make_operators.py [--check] FILE.h5", file=sys.stderr)
        return 2
    print(make(sys.argv[1]), "cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
