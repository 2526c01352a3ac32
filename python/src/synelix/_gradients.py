# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of convolutions of images, with the names and arguments of PyTorch."""

from __future__ import annotations

from ._operators import call, options_of, others_of_input, others_of_weight, sizes_of_space

__all__ = ["conv1d_input", "conv2d_input", "conv3d_input", "conv1d_weight", "conv2d_weight", "conv3d_weight"]


def conv1d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1, *, padding_mode="zeros",
                 channels="first", out=None, dtype=None, budget=None, threads=0):
    """The gradient of `conv1d` with respect to its input, as torch.nn.grad.conv1d_input.

    Parameters
    ----------
    input_size : tuple of int
        Shape of the input, (batch, channels, width), or only its sizes of space.
    weight : array of shape (channels of the result, channels / groups, width)
    grad_output : array of shape (batch, channels of the result, width)
        The gradient with respect to the result.
    stride, padding, dilation : int or sequence of ints
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
    array of shape (batch, channels, width)

    Raises
    ------
    synelix.Error
        Shapes or options do not fit together.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.conv1d_input((1, 2, 8), np.ones((4, 2, 3)), np.ones((1, 4, 6))).shape
    (1, 2, 8)
    """
    options = options_of(stride, padding, dilation, groups, padding_mode, channels, budget)
    size = sizes_of_space("input_size", input_size, 1, channels, others_of_input(weight, grad_output, 1, groups))
    return call("grad_input", 1, grad_output, weight, None, out, dtype, 1.0, 0.0, size, threads, options)


def conv2d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1, *, padding_mode="zeros",
                 channels="first", out=None, dtype=None, budget=None, threads=0):
    """The gradient of `conv2d` with respect to its input, as torch.nn.grad.conv2d_input.

    Parameters
    ----------
    input_size : tuple of int
        Shape of the input, (batch, channels, height, width), or only its sizes of space.
    weight : array of shape (channels of the result, channels / groups, height, width)
    grad_output : array of shape (batch, channels of the result, height, width)
        The gradient with respect to the result.
    stride, padding, dilation : int or sequence of ints
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
    array of shape (batch, channels, height, width)

    Raises
    ------
    synelix.Error
        Shapes or options do not fit together.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.conv2d_input((1, 2, 8, 8), np.ones((4, 2, 3, 3)), np.ones((1, 4, 6, 6))).shape
    (1, 2, 8, 8)
    """
    options = options_of(stride, padding, dilation, groups, padding_mode, channels, budget)
    size = sizes_of_space("input_size", input_size, 2, channels, others_of_input(weight, grad_output, 2, groups))
    return call("grad_input", 2, grad_output, weight, None, out, dtype, 1.0, 0.0, size, threads, options)


def conv3d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1, *, padding_mode="zeros",
                 channels="first", out=None, dtype=None, budget=None, threads=0):
    """The gradient of `conv3d` with respect to its input, as torch.nn.grad.conv3d_input.

    Parameters
    ----------
    input_size : tuple of int
        Shape of the input, (batch, channels, depth, height, width), or only its sizes of space.
    weight : array of shape (channels of the result, channels / groups, depth, height, width)
    grad_output : array of shape (batch, channels of the result, depth, height, width)
        The gradient with respect to the result.
    stride, padding, dilation : int or sequence of ints
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
    array of shape (batch, channels, depth, height, width)

    Raises
    ------
    synelix.Error
        Shapes or options do not fit together.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.conv3d_input((1, 2, 8, 8, 8), np.ones((4, 2, 3, 3, 3)), np.ones((1, 4, 6, 6, 6))).shape
    (1, 2, 8, 8, 8)
    """
    options = options_of(stride, padding, dilation, groups, padding_mode, channels, budget)
    size = sizes_of_space("input_size", input_size, 3, channels, others_of_input(weight, grad_output, 3, groups))
    return call("grad_input", 3, grad_output, weight, None, out, dtype, 1.0, 0.0, size, threads, options)


def conv1d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1, *, padding_mode="zeros",
                  channels="first", out=None, dtype=None, scale=1.0, offset=0.0, budget=None, threads=0):
    """The gradient of `conv1d` with respect to its weights, as torch.nn.grad.conv1d_weight.

    Parameters
    ----------
    input : array of shape (batch, channels, width)
    weight_size : tuple of int
        Shape of the weights, (channels of the result, channels / groups, width), or only its sizes of space.
    grad_output : array of shape (batch, channels of the result, width)
        The gradient with respect to the result.
    stride, padding, dilation : int or sequence of ints
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
    scale, offset : float
        Values of `input` are ``stored * scale + offset``, for images that are stored as integers.
    budget, threads
        As in `convolve`.

    Returns
    -------
    array of shape (channels of the result, channels / groups, width)

    Raises
    ------
    synelix.Error
        Shapes or options do not fit together.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.conv1d_weight(np.ones((1, 2, 8)), (4, 2, 3), np.ones((1, 4, 6))).shape
    (4, 2, 3)
    """
    options = options_of(stride, padding, dilation, groups, padding_mode, channels, budget)
    others = others_of_weight(input, grad_output, 1, channels, groups)
    size = sizes_of_space("weight_size", weight_size, 1, "first", others)
    return call("grad_weights", 1, input, grad_output, None, out, dtype, scale, offset, size, threads, options)


def conv2d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1, *, padding_mode="zeros",
                  channels="first", out=None, dtype=None, scale=1.0, offset=0.0, budget=None, threads=0):
    """The gradient of `conv2d` with respect to its weights, as torch.nn.grad.conv2d_weight.

    Parameters
    ----------
    input : array of shape (batch, channels, height, width)
    weight_size : tuple of int
        Shape of the weights, (channels of the result, channels / groups, height, width), or only its sizes of
        space.
    grad_output : array of shape (batch, channels of the result, height, width)
        The gradient with respect to the result.
    stride, padding, dilation : int or sequence of ints
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
    scale, offset : float
        Values of `input` are ``stored * scale + offset``, for images that are stored as integers.
    budget, threads
        As in `convolve`.

    Returns
    -------
    array of shape (channels of the result, channels / groups, height, width)

    Raises
    ------
    synelix.Error
        Shapes or options do not fit together.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.conv2d_weight(np.ones((1, 2, 8, 8)), (4, 2, 3, 3), np.ones((1, 4, 6, 6))).shape
    (4, 2, 3, 3)
    """
    options = options_of(stride, padding, dilation, groups, padding_mode, channels, budget)
    others = others_of_weight(input, grad_output, 2, channels, groups)
    size = sizes_of_space("weight_size", weight_size, 2, "first", others)
    return call("grad_weights", 2, input, grad_output, None, out, dtype, scale, offset, size, threads, options)


def conv3d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1, *, padding_mode="zeros",
                  channels="first", out=None, dtype=None, scale=1.0, offset=0.0, budget=None, threads=0):
    """The gradient of `conv3d` with respect to its weights, as torch.nn.grad.conv3d_weight.

    Parameters
    ----------
    input : array of shape (batch, channels, depth, height, width)
    weight_size : tuple of int
        Shape of the weights, (channels of the result, channels / groups, depth, height, width), or only its sizes
        of space.
    grad_output : array of shape (batch, channels of the result, depth, height, width)
        The gradient with respect to the result.
    stride, padding, dilation : int or sequence of ints
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
    scale, offset : float
        Values of `input` are ``stored * scale + offset``, for images that are stored as integers.
    budget, threads
        As in `convolve`.

    Returns
    -------
    array of shape (channels of the result, channels / groups, depth, height, width)

    Raises
    ------
    synelix.Error
        Shapes or options do not fit together.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.conv3d_weight(np.ones((1, 2, 8, 8, 8)), (4, 2, 3, 3, 3), np.ones((1, 4, 6, 6, 6))).shape
    (4, 2, 3, 3, 3)
    """
    options = options_of(stride, padding, dilation, groups, padding_mode, channels, budget)
    others = others_of_weight(input, grad_output, 3, channels, groups)
    size = sizes_of_space("weight_size", weight_size, 3, "first", others)
    return call("grad_weights", 3, input, grad_output, None, out, dtype, scale, offset, size, threads, options)
