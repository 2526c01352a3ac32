# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of images in one to three dimensions and their gradients, with the names and arguments of PyTorch."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

import numpy as np

from . import _core, _devices, _inputs
from ._errors import Error
from ._operators import type_of

if TYPE_CHECKING:
    from ._types import Conv, ConvInput, ConvTranspose, ConvWeight

__all__ = ["conv1d", "conv1d_input", "conv1d_weight", "conv2d", "conv2d_input", "conv2d_weight", "conv3d",
           "conv3d_input", "conv3d_weight", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"]

#: The docstring of all of them. Each function below has its own paragraphs: the title, the arrays, the result and the
#: example. {8s} stands for an 8 in each dimension.
_DOCSTRING = """{title}

Parameters
----------
{arrays}
{numbers} : int or sequence of ints
    One number for all dimensions of space, or one number for each.{words}
groups : int
    Groups of channels. Each group of the result depends on one group of the input.
padding_mode : {{"zeros", "circular", "reflect"}}
    The values of the padding: zeros, the input again, or the mirrored input.
channels : {{"first", "last"}}
    Whether the channels of images are before the dimensions of space, or after them.
out : array, optional
    The result is written to this array. Its type, float32 or float64, is the type of the computation. Its
    strides are above 0.
dtype : float32 or float64, optional
    The type of the computation and of the result. Default: float64 if an array is float64, else float32.
{stored}budget, threads
    As in `convolve`.

Returns
-------
array of shape {result}

Raises
------
synelix.Error
    Shapes or options do not fit together.
synelix.BudgetError
    The budget is too small. The message names the smallest budget that works.

Examples
--------
>>> import numpy as np, synelix as sx
{example}
"""
_STORED = """scale, offset : float
    Values of `input` are ``stored * scale + offset``, for images that are stored as integers.
"""
_DEFAULTS = (("stride", 1), ("padding", 0), ("dilation", 1), ("groups", 1), ("padding_mode", "zeros"),
             ("channels", "first"), ("output_padding", 0))


def _named(function, name, n):
    """The function of n dimensions with its name and its complete docstring."""
    function.__name__ = function.__qualname__ = name
    if function.__doc__ is not None:
        function.__doc__ = _docstring(n, function.__doc__, inspect.signature(function).parameters)
    return function


def _docstring(n, text, parameters):
    """The complete docstring of a function of n dimensions."""
    pieces = {"n": n, "dimensions": f"{n} dimension{'s' if n > 1 else ''}",
              "space": ", ".join(("depth", "height", "width")[3 - n :])}
    text = re.sub(r"\{(\d)s\}", lambda digit: ", ".join([digit[1]] * n), inspect.cleandoc(text))
    title, arrays, result, example = text.format(**pieces).split("\n\n")
    has_words = "bias" in parameters and "output_padding" not in parameters
    return _DOCSTRING.format(
        title=title, arrays=arrays, result=result, example=example, stored=_STORED if "scale" in parameters else "",
        numbers=", ".join(k for k in ("stride", "padding", "output_padding", "dilation") if k in parameters),
        words=' Padding may be "same" or "valid".' if has_words else "")


def _conv(n: int) -> Conv:
    def conv(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, padding_mode="zeros",
             channels="first", out=None, dtype=None, scale=1.0, offset=0.0, budget=None, threads=0):
        """Correlate images of {dimensions} with weights, as torch.nn.functional.conv{n}d.

        input : array of shape (batch, channels, {space})
            Any strides. Integers are read in their stored type, without a copy.
        weight : array of shape (channels of the result, channels / groups, {space})
        bias : array of shape (channels of the result,), optional

        (batch, channels of the result, {space})

        >>> sx.conv{n}d(np.ones((1, 2, {8s})), np.ones((4, 2, {3s})), padding=1).shape
        (1, 4, {8s})
        """
        options = (stride, padding, dilation, groups, padding_mode, channels)
        return _run("forward", n, input, weight, bias, out, dtype, scale, offset, None, budget, threads, options)

    return _named(conv, f"conv{n}d", n)


def _conv_transpose(n: int) -> ConvTranspose:
    def conv_transpose(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1, *,
                       padding_mode="zeros", channels="first", out=None, dtype=None, budget=None, threads=0):
        """The transposed operator of `conv{n}d`, as torch.nn.functional.conv_transpose{n}d.

        input : array of shape (batch, channels, {space})
        weight : array of shape (channels, channels of the result / groups, {space})
        bias : array of shape (channels of the result,), optional

        (batch, channels of the result, {space})

        >>> sx.conv_transpose{n}d(np.ones((1, 4, {4s})), np.ones((4, 2, {3s})), stride=2).shape
        (1, 2, {9s})
        """
        options = (stride, padding, dilation, groups, padding_mode, channels, output_padding)
        return _run("transposed", n, input, weight, bias, out, dtype, 1.0, 0.0, None, budget, threads, options)

    return _named(conv_transpose, f"conv_transpose{n}d", n)


def _conv_input(n: int) -> ConvInput:
    def conv_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1, *, padding_mode="zeros",
                   channels="first", out=None, dtype=None, budget=None, threads=0):
        """The gradient of `conv{n}d` with respect to its input, as torch.nn.grad.conv{n}d_input.

        input_size : tuple of int
            Shape of the input, (batch, channels, {space}), or only its sizes of space.
        weight : array of shape (channels of the result, channels / groups, {space})
        grad_output : array of shape (batch, channels of the result, {space})
            The gradient with respect to the result.

        (batch, channels, {space})

        >>> sx.conv{n}d_input((1, 2, {8s}), np.ones((4, 2, {3s})), np.ones((1, 4, {6s}))).shape
        (1, 2, {8s})
        """
        inputs, groups = _size_at(weight, 1, n), _inputs.whole("groups", groups)
        others = _size_at(grad_output, 0, n), None if inputs is None else inputs * groups
        size = _sizes_of_space("input_size", input_size, n, channels, others)
        options = (stride, padding, dilation, groups, padding_mode, channels)
        return _run("grad_input", n, grad_output, weight, None, out, dtype, 1.0, 0.0, size, budget, threads, options)

    return _named(conv_input, f"conv{n}d_input", n)


def _conv_weight(n: int) -> ConvWeight:
    def conv_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1, *,
                    padding_mode="zeros", channels="first", out=None, dtype=None, scale=1.0, offset=0.0, budget=None,
                    threads=0):
        """The gradient of `conv{n}d` with respect to its weights, as torch.nn.grad.conv{n}d_weight.

        input : array of shape (batch, channels, {space})
        weight_size : tuple of int
            Shape of the weights, (channels of the result, channels / groups, {space}), or only its sizes of space.
        grad_output : array of shape (batch, channels of the result, {space})
            The gradient with respect to the result.

        (channels of the result, channels / groups, {space})

        >>> sx.conv{n}d_weight(np.ones((1, 2, {8s})), (4, 2, {3s}), np.ones((1, 4, {6s}))).shape
        (4, 2, {3s})
        """
        axis, groups = -1 if channels == "last" else 1, _inputs.whole("groups", groups)
        inputs = _size_at(input, axis, n)
        others = _size_at(grad_output, axis, n), None if inputs is None or groups < 1 else inputs // groups
        size = _sizes_of_space("weight_size", weight_size, n, "first", others)
        options = (stride, padding, dilation, groups, padding_mode, channels)
        return _run("grad_weights", n, input, grad_output, None, out, dtype, scale, offset, size, budget, threads,
                    options)

    return _named(conv_weight, f"conv{n}d_weight", n)


conv1d, conv2d, conv3d = (_conv(n) for n in (1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = (_conv_transpose(n) for n in (1, 2, 3))
conv1d_input, conv2d_input, conv3d_input = (_conv_input(n) for n in (1, 2, 3))
conv1d_weight, conv2d_weight, conv3d_weight = (_conv_weight(n) for n in (1, 2, 3))


def _sizes_of_space(name, size, n, channels, others):
    """Sizes of the n dimensions of space. `size` is a complete shape, or only these sizes.

    `others` are the sizes of the other two dimensions, as in the arrays. A complete shape must have them, too.
    """
    sizes = [_inputs.whole(name, s) for s in (size if np.iterable(size) else [size])]
    if len(sizes) == n + 2:
        space = sizes[1:-1] if channels == "last" else sizes[2:]
        whole = (others[0], *space, others[1]) if channels == "last" else (*others, *space)
        if None not in others and tuple(sizes) != whole:
            raise Error(f"{name}: {tuple(sizes)} does not match the arrays. Use {whole}.")
        return space
    if len(sizes) not in (1, n):
        raise Error(f"{name}: there are {len(sizes)} sizes. Use the whole shape of {n + 2}, or the {n} of space.")
    return sizes


def _size_at(x, axis, n):
    """The size of a dimension of an array with n dimensions of space; None if it has other dimensions."""
    shape = np.shape(x)
    return shape[axis] if len(shape) == n + 2 else None


def _run(operator, n, first, second, bias, out, dtype, scale, offset, size, budget, threads, given):
    """Runs an operator on arrays. `given` has the options in the order of `_DEFAULTS`, for the library those that
    differ from it."""
    options = {k: value for (k, default), value in zip(_DEFAULTS, given) if value is not default and value != default}
    if budget is not None:
        options["budget"] = _inputs.bytes_of(budget)
    like, target = first, _devices.output(out)
    first = _devices.array(first, "grad_output" if operator == "grad_input" else "input")
    second = _devices.array(second, "grad_output" if operator == "grad_weights" else "weight")
    bias = None if bias is None else _devices.array(bias, "bias")
    result = _core.conv(operator, n, first, second, bias, target, type_of(target, dtype, first, second),
                        _inputs.real("scale", scale), _inputs.real("offset", offset), options, size,
                        _inputs.whole("threads", threads))
    return _devices.given_back(result, like, out)
