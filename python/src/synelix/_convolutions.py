# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of images in one to three dimensions, with the names and arguments of PyTorch."""

from __future__ import annotations

from ._operators import call, options_of

__all__ = ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"]


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, padding_mode="zeros",
           channels="first", out=None, dtype=None, scale=1.0, offset=0.0, budget=None, threads=0):
    """Correlate images of 1 dimension with weights, as torch.nn.functional.conv1d.

    Parameters
    ----------
    input : array of shape (batch, channels, width)
        Any strides. Integers are read in their stored type, without a copy.
    weight : array of shape (channels of the result, channels / groups, width)
    bias : array of shape (channels of the result,), optional
    stride, padding, dilation : int or sequence of ints
        One number for all dimensions of space, or one number for each. Padding may be "same" or "valid".
    groups : int
        Groups of channels. Each group of the result depends on one group of the input.
    padding_mode : {"zeros", "circular", "reflect"}
        The values of the padding: zeros, the input again, or the mirrored input.
    channels : {"first", "last"}
        Whether the channels of images are before the dimensions of space, or after them.
    out : array, optional
        The result is written to this array. Its type, float32 or float64, is the type of the computation. Its
        strides are above 0.
    dtype : float32 or float64, optional
        The type of the computation and of the result. Default: float64 if an array is float64, else float32.
    scale, offset : float
        Values of `input` are ``stored * scale + offset``, for images that are stored as integers.
    budget, threads
        As in `convolve`.

    Returns
    -------
    array of shape (batch, channels of the result, width)

    Raises
    ------
    synelix.Error
        Shapes or options do not fit together.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.conv1d(np.ones((1, 2, 8)), np.ones((4, 2, 3)), padding=1).shape
    (1, 4, 8)
    """
    options = options_of(stride, padding, dilation, groups, padding_mode, channels, budget)
    return call("forward", 1, input, weight, bias, out, dtype, scale, offset, None, threads, options)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, padding_mode="zeros",
           channels="first", out=None, dtype=None, scale=1.0, offset=0.0, budget=None, threads=0):
    """Correlate images of 2 dimensions with weights, as torch.nn.functional.conv2d.

    Parameters
    ----------
    input : array of shape (batch, channels, height, width)
        Any strides. Integers are read in their stored type, without a copy.
    weight : array of shape (channels of the result, channels / groups, height, width)
    bias : array of shape (channels of the result,), optional
    stride, padding, dilation : int or sequence of ints
        One number for all dimensions of space, or one number for each. Padding may be "same" or "valid".
    groups : int
        Groups of channels. Each group of the result depends on one group of the input.
    padding_mode : {"zeros", "circular", "reflect"}
        The values of the padding: zeros, the input again, or the mirrored input.
    channels : {"first", "last"}
        Whether the channels of images are before the dimensions of space, or after them.
    out : array, optional
        The result is written to this array. Its type, float32 or float64, is the type of the computation. Its
        strides are above 0.
    dtype : float32 or float64, optional
        The type of the computation and of the result. Default: float64 if an array is float64, else float32.
    scale, offset : float
        Values of `input` are ``stored * scale + offset``, for images that are stored as integers.
    budget, threads
        As in `convolve`.

    Returns
    -------
    array of shape (batch, channels of the result, height, width)

    Raises
    ------
    synelix.Error
        Shapes or options do not fit together.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.conv2d(np.ones((1, 2, 8, 8)), np.ones((4, 2, 3, 3)), padding=1).shape
    (1, 4, 8, 8)
    """
    options = options_of(stride, padding, dilation, groups, padding_mode, channels, budget)
    return call("forward", 2, input, weight, bias, out, dtype, scale, offset, None, threads, options)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *, padding_mode="zeros",
           channels="first", out=None, dtype=None, scale=1.0, offset=0.0, budget=None, threads=0):
    """Correlate images of 3 dimensions with weights, as torch.nn.functional.conv3d.

    Parameters
    ----------
    input : array of shape (batch, channels, depth, height, width)
        Any strides. Integers are read in their stored type, without a copy.
    weight : array of shape (channels of the result, channels / groups, depth, height, width)
    bias : array of shape (channels of the result,), optional
    stride, padding, dilation : int or sequence of ints
        One number for all dimensions of space, or one number for each. Padding may be "same" or "valid".
    groups : int
        Groups of channels. Each group of the result depends on one group of the input.
    padding_mode : {"zeros", "circular", "reflect"}
        The values of the padding: zeros, the input again, or the mirrored input.
    channels : {"first", "last"}
        Whether the channels of images are before the dimensions of space, or after them.
    out : array, optional
        The result is written to this array. Its type, float32 or float64, is the type of the computation. Its
        strides are above 0.
    dtype : float32 or float64, optional
        The type of the computation and of the result. Default: float64 if an array is float64, else float32.
    scale, offset : float
        Values of `input` are ``stored * scale + offset``, for images that are stored as integers.
    budget, threads
        As in `convolve`.

    Returns
    -------
    array of shape (batch, channels of the result, depth, height, width)

    Raises
    ------
    synelix.Error
        Shapes or options do not fit together.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.conv3d(np.ones((1, 2, 8, 8, 8)), np.ones((4, 2, 3, 3, 3)), padding=1).shape
    (1, 4, 8, 8, 8)
    """
    options = options_of(stride, padding, dilation, groups, padding_mode, channels, budget)
    return call("forward", 3, input, weight, bias, out, dtype, scale, offset, None, threads, options)


def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1, *,
                     padding_mode="zeros", channels="first", out=None, dtype=None, budget=None, threads=0):
    """The transposed operator of `conv1d`, as torch.nn.functional.conv_transpose1d.

    Parameters
    ----------
    input : array of shape (batch, channels, width)
    weight : array of shape (channels, channels of the result / groups, width)
    bias : array of shape (channels of the result,), optional
    stride, padding, output_padding, dilation : int or sequence of ints
        One number for all dimensions of space, or one number for each.
    groups : int
        Groups of channels. Each group of the result depends on one group of the input.
    padding_mode : {"zeros", "circular", "reflect"}
        The values of the padding: zeros, the input again, or the mirrored input.
    channels : {"first", "last"}
        Whether the channels of images are before the dimensions of space, or after them.
    out : array, optional
        The result is written to this array. Its type, float32 or float64, is the type of the computation. Its
        strides are above 0.
    dtype : float32 or float64, optional
        The type of the computation and of the result. Default: float64 if an array is float64, else float32.
    budget, threads
        As in `convolve`.

    Returns
    -------
    array of shape (batch, channels of the result, width)

    Raises
    ------
    synelix.Error
        Shapes or options do not fit together.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.conv_transpose1d(np.ones((1, 4, 4)), np.ones((4, 2, 3)), stride=2).shape
    (1, 2, 9)
    """
    options = options_of(stride, padding, dilation, groups, padding_mode, channels, budget, output_padding)
    return call("transposed", 1, input, weight, bias, out, dtype, 1.0, 0.0, None, threads, options)


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1, *,
                     padding_mode="zeros", channels="first", out=None, dtype=None, budget=None, threads=0):
    """The transposed operator of `conv2d`, as torch.nn.functional.conv_transpose2d.

    Parameters
    ----------
    input : array of shape (batch, channels, height, width)
    weight : array of shape (channels, channels of the result / groups, height, width)
    bias : array of shape (channels of the result,), optional
    stride, padding, output_padding, dilation : int or sequence of ints
        One number for all dimensions of space, or one number for each.
    groups : int
        Groups of channels. Each group of the result depends on one group of the input.
    padding_mode : {"zeros", "circular", "reflect"}
        The values of the padding: zeros, the input again, or the mirrored input.
    channels : {"first", "last"}
        Whether the channels of images are before the dimensions of space, or after them.
    out : array, optional
        The result is written to this array. Its type, float32 or float64, is the type of the computation. Its
        strides are above 0.
    dtype : float32 or float64, optional
        The type of the computation and of the result. Default: float64 if an array is float64, else float32.
    budget, threads
        As in `convolve`.

    Returns
    -------
    array of shape (batch, channels of the result, height, width)

    Raises
    ------
    synelix.Error
        Shapes or options do not fit together.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.conv_transpose2d(np.ones((1, 4, 4, 4)), np.ones((4, 2, 3, 3)), stride=2).shape
    (1, 2, 9, 9)
    """
    options = options_of(stride, padding, dilation, groups, padding_mode, channels, budget, output_padding)
    return call("transposed", 2, input, weight, bias, out, dtype, 1.0, 0.0, None, threads, options)


def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1, *,
                     padding_mode="zeros", channels="first", out=None, dtype=None, budget=None, threads=0):
    """The transposed operator of `conv3d`, as torch.nn.functional.conv_transpose3d.

    Parameters
    ----------
    input : array of shape (batch, channels, depth, height, width)
    weight : array of shape (channels, channels of the result / groups, depth, height, width)
    bias : array of shape (channels of the result,), optional
    stride, padding, output_padding, dilation : int or sequence of ints
        One number for all dimensions of space, or one number for each.
    groups : int
        Groups of channels. Each group of the result depends on one group of the input.
    padding_mode : {"zeros", "circular", "reflect"}
        The values of the padding: zeros, the input again, or the mirrored input.
    channels : {"first", "last"}
        Whether the channels of images are before the dimensions of space, or after them.
    out : array, optional
        The result is written to this array. Its type, float32 or float64, is the type of the computation. Its
        strides are above 0.
    dtype : float32 or float64, optional
        The type of the computation and of the result. Default: float64 if an array is float64, else float32.
    budget, threads
        As in `convolve`.

    Returns
    -------
    array of shape (batch, channels of the result, depth, height, width)

    Raises
    ------
    synelix.Error
        Shapes or options do not fit together.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.conv_transpose3d(np.ones((1, 4, 4, 4, 4)), np.ones((4, 2, 3, 3, 3)), stride=2).shape
    (1, 2, 9, 9, 9)
    """
    options = options_of(stride, padding, dilation, groups, padding_mode, channels, budget, output_padding)
    return call("transposed", 3, input, weight, bias, out, dtype, 1.0, 0.0, None, threads, options)
