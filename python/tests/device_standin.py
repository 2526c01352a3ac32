# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A stand-in for arrays of CuPy: memory of the device by CUDA's runtime alone, filled in a stream of its own.

It gives what a library gives, by DLPack (old and versioned capsules) and by ``__cuda_array_interface__``. Nothing waits
for its stream unless the protocols ask for it.
"""

import ctypes

import numpy as np

_TO_DEVICE, _TO_HOST, _NON_BLOCKING, _NO_TIMING = 1, 2, 1, 2
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


def _runtime():
    for name in ("libcudart.so.13", "libcudart.so.12", "libcudart.so"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise OSError("no libcudart")


class Runtime:
    """CUDA's runtime. Each call is checked."""

    def __init__(self):
        self._library = _runtime()

    def __getattr__(self, name):
        function = getattr(self._library, name)

        def checked(*arguments):
            code = function(*arguments)
            assert code == 0, f"{name} gave {code}"

        return checked

    def stream(self):
        made = ctypes.c_void_p()
        self.cudaStreamCreateWithFlags(ctypes.byref(made), _NON_BLOCKING)
        return made.value


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", _Deleter),
                ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


#: What capsules refer to, until their consumers delete them: address -> objects.
alive: dict = {}
_delete = _Deleter(lambda address: alive.pop(address, None))
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Memory:
    """Bytes on the device."""

    def __init__(self, runtime, size):
        self.runtime, address = runtime, ctypes.c_void_p()
        runtime.cudaMalloc(ctypes.byref(address), ctypes.c_size_t(max(size, 1)))
        self.address = address.value or 0

    def __del__(self):
        self.runtime.cudaFree(ctypes.c_void_p(self.address))


class StandIn:
    """An array on the device with the values, strides and dtype of one on the host."""

    def __init__(self, runtime, values, read_only=False, versioned=True, device=(2, 0)):
        base = np.asarray(values)
        self._runtime, self._read_only, self._versioned, self._device = runtime, read_only, versioned, device
        self.dtype, self.shape, self.strides = base.dtype, base.shape, base.strides
        self.ndim = base.ndim
        lowest = sum(min(0, step * (extent - 1)) for step, extent in zip(base.strides, base.shape) if extent)
        highest = sum(max(0, step * (extent - 1)) for step, extent in zip(base.strides, base.shape) if extent)
        self._offset, size = -lowest, highest - lowest + base.itemsize
        if 0 in base.shape:
            self._offset, size = 0, 0
        host = base.__array_interface__["data"][0]
        self._host = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(host + lowest)).copy() if size else np.zeros(1, np.uint8)
        self._size = size
        self.memory = Memory(runtime, size)
        self.stream = runtime.stream()
        self.copied = 0
        if size:
            runtime.cudaMemcpyAsync(ctypes.c_void_p(self.memory.address), ctypes.c_void_p(self._host.ctypes.data),
                                    ctypes.c_size_t(size), _TO_DEVICE, ctypes.c_void_p(self.stream))

    @property
    def address(self):
        return self.memory.address + self._offset

    def put(self, values):
        """Other values of a contiguous array, in its stream."""
        self._host = np.ascontiguousarray(values, self.dtype).view(np.uint8).reshape(-1)
        assert len(self._host) == self._size
        self._runtime.cudaMemcpyAsync(ctypes.c_void_p(self.memory.address), ctypes.c_void_p(self._host.ctypes.data),
                                      ctypes.c_size_t(self._size), _TO_DEVICE, ctypes.c_void_p(self.stream))

    def wait(self):
        self._runtime.cudaStreamSynchronize(ctypes.c_void_p(self.stream))


class WithDlpack(StandIn):
    """By DLPack."""

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self, *, stream, **keywords):
        if stream != -1:
            event = ctypes.c_void_p()
            self._runtime.cudaEventCreateWithFlags(ctypes.byref(event), _NO_TIMING)
            self._runtime.cudaEventRecord(event, ctypes.c_void_p(self.stream))
            self._runtime.cudaStreamWaitEvent(ctypes.c_void_p(stream), event, 0)
        if keywords and not self._versioned:
            raise TypeError(f"unexpected keywords {list(keywords)}")
        kind = _Versioned if self._versioned else _Managed
        numbers = ctypes.c_int64 * max(1, self.ndim)
        shape, strides = numbers(*self.shape), numbers(*(s // self.dtype.itemsize for s in self.strides))
        tensor = _Tensor(self.address if self._size else None, *self._device, self.ndim, _CODES[self.dtype.kind],
                         8 * self.dtype.itemsize, 1, shape, strides, 0)
        managed = kind(tensor=tensor, deleter=_delete)
        if self._versioned:
            managed.major, managed.flags = 1, int(self._read_only)
        alive[ctypes.addressof(managed)] = (self, managed, shape, strides)
        return _new_capsule(ctypes.addressof(managed), b"dltensor_versioned" if self._versioned else b"dltensor", None)


class WithInterface(StandIn):
    """By __cuda_array_interface__ alone."""

    #: Replaces members of the description.
    said: dict = {}

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address if self._size else 0, self._read_only),
                "strides": self.strides, "stream": self.stream, "version": 3, **self.said}


def on_host(runtime, array):
    """The values of a result on the device, as an array of NumPy. Nothing but the copy waits for anything."""
    words = array.__cuda_array_interface__
    result = np.empty(words["shape"], words["typestr"])
    steps = tuple(words["strides"] or result.strides)
    if result.size:
        assert steps == result.strides, f"strides {steps} of a result"
        runtime.cudaMemcpy(ctypes.c_void_p(result.ctypes.data), ctypes.c_void_p(words["data"][0]),
                           ctypes.c_size_t(result.nbytes), _TO_HOST)
    return result
