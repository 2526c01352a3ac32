# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in memory of a device: in place as inputs, and results for the caller's library.

Arrays of other libraries come by DLPack or ``__cuda_array_interface__``. The stream of arrivals waits for the streams
that they are in use in, and each call waits for the stream of arrivals. A result is complete when a call returns.
"""

from __future__ import annotations

import sys

from . import _core, _inputs
from ._errors import Error

#: Device types of DLPack: memory of CUDA, and memory that CUDA and the host share.
_CUDA, _MANAGED = 2, 13
#: Modules of arrays whose functions `from_dlpack` make results, with the names of their arrays.
_LIBRARIES = (("cupy", "ndarray"), ("torch", "Tensor"), ("jax", "Array"))


def lies_on_device(x):
    """Whether x is an array that this build takes in memory of a device."""
    return _core.has_device() and _inputs.lies_on_device(x, managed=True)


def array(x, name="x"):
    """An array for the library, in memory of the host or of the device."""
    return taken(x, name) if lies_on_device(x) else _inputs.as_array(x, name)


def output(out, name="out"):
    """An output for the library: that of the host as it is."""
    if out is None or not lies_on_device(out):
        return out
    if _library_of(out) == "jax":
        raise Error(f"{name}: arrays of jax cannot be written. Leave it out, and use the result.")
    return taken(out, name)


def taken(x, name):
    """An array in memory of the device, in place. The work of its streams is complete before a call computes."""
    if isinstance(x, _core.DeviceArray):
        if x.is_shared:  # its memory may have been used in any stream
            _core.await_device()
        return x
    _inputs.refuse_kinds(name, x)
    here = _core.device_number()
    if hasattr(x, "detach"):  # a tensor of torch that takes part in gradients
        x = x.detach()
    if not hasattr(x, "__dlpack__"):
        return _of_interface(x, name)
    kind, number = x.__dlpack_device__()
    if kind not in (_CUDA, _MANAGED):
        raise Error(f"{name}: the array lies in memory of a device that this build does not compute on (DLPack's "
                    f"device type {int(kind)}). Bring it to a device of CUDA, or to the host.")
    if kind == _CUDA and number != here:
        raise Error(f"{name}: the array lies on device {number}, and this process computes on device {here}. Bring it "
                    f"there, or set KOKKOS_DEVICE_ID={number} before the process starts.")
    return _core.DeviceArray.of_capsule(_capsule_of(x), name)


def _capsule_of(x):
    """A capsule of DLPack. The stream of arrivals waits for the stream of its producer."""
    stream = _core.arrivals()
    try:
        return x.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:  # a producer older than version 1 of DLPack
        return x.__dlpack__(stream=stream)


def _of_interface(x, name):
    found = x.__cuda_array_interface__
    if found.get("mask") is not None:
        raise Error(f"{name}: masks are not read. Fill the masked values, or leave them out.")
    address, is_read_only = found["data"]
    stream = found.get("stream")
    if stream is not None:
        _core.await_stream(stream)
    elif found.get("version", 0) < 3:  # it cannot say which stream it is in use in
        _core.await_device()
    return _core.DeviceArray.of_interface(address or 0, found["shape"], found.get("strides"), found["typestr"],
                                          bool(is_read_only), x, name)


def _library_of(x):
    """The library of an array whose results are arrays of that library, or None."""
    for name, kind in _LIBRARIES:
        module = sys.modules.get(name)
        if module is not None and isinstance(x, getattr(module, kind, ())):
            return name
    return None


def given_back(result, x, out=None):
    """The result of a call for the caller: `out`, or an array of the library of x. That of the host as it is."""
    if out is not None:
        return out
    if not isinstance(result, _core.DeviceArray):
        return result
    library = _library_of(x)
    if library is None:
        return result
    module = sys.modules[library]
    return (module.dlpack if library == "jax" else module).from_dlpack(result)
