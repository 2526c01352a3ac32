# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs peers in Python when it is told: the protocol of perf/worker.cpp, in the environment that install.py makes.

    peer_worker.py GROUP THREADS        GROUP is numpy, torch, nemos or nemos_device

Every peer gives features (samples, channels, bases), basis fastest; row t sees the samples t, t-1, ... What a peer
can have ready beforehand (spectra excepted, it has no place for them) is ready before the clock starts.
"""
import json
import os
import sys
import time


class Absent(Exception):
    """A case that a peer does not support: it is listed as omitted."""


class NumpyConvolve:
    """One numpy.convolve for each channel and basis."""

    def __init__(self, problem):
        import numpy
        self.numpy, self.x, self.taps = numpy, problem.x, problem.taps
        self.y = numpy.zeros(problem.shape, problem.x.dtype)

    def into(self, y):
        for c in range(y.shape[1]):
            for b in range(y.shape[2]):
                y[:, c, b] = self.numpy.convolve(self.x[:, c], self.taps[:, b])[:y.shape[0]]
        return y

    def run(self):
        return self.into(self.y)

    def run_with_allocation(self):
        return self.into(self.numpy.empty(self.y.shape, self.y.dtype))


class Scipy:
    """scipy.signal.fftconvolve or oaconvolve of all channels with all bases by broadcasting; it allocates its result."""

    def __init__(self, problem, name):
        import scipy.fft
        import scipy.signal
        self.workers = scipy.fft.set_workers
        self.convolve = getattr(scipy.signal, name)
        self.x, self.taps = problem.x[:, :, None], problem.taps[:, None, :]
        self.threads = problem.threads

    def run(self):
        with self.workers(self.threads):
            return self.convolve(self.x, self.taps, axes=0)[:self.x.shape[0]]

    run_with_allocation = run


class Torch1d:
    """torch conv1d of channels as a batch, with the transpositions from and to our layout; it allocates."""

    def __init__(self, problem):
        import torch
        self.torch = torch
        self.x = torch.from_numpy(problem.x)
        self.weights = torch.from_numpy(problem.taps.T[:, None, ::-1].copy())
        self.pad = problem.taps.shape[0] - 1

    def run(self):
        functional = self.torch.nn.functional
        with self.torch.no_grad():
            x = functional.pad(self.x.t()[:, None, :], (self.pad, 0))
            return functional.conv1d(x, self.weights).permute(2, 0, 1).contiguous()

    run_with_allocation = run


class Torch2d(Torch1d):
    """torch conv2d, one image of samples x channels pixels, channels last, without a transposition. A result for all
    bases already has our order."""

    def __init__(self, problem):
        super().__init__(problem)
        last = self.torch.channels_last
        self.weights = self.weights[..., None].to(memory_format=last)

    def run(self):
        functional, last = self.torch.nn.functional, self.torch.channels_last
        with self.torch.no_grad():
            x = functional.pad(self.x[None, None], (0, 0, self.pad, 0)).to(memory_format=last)
            return functional.conv2d(x, self.weights)[0].permute(1, 2, 0).contiguous()

    run_with_allocation = run


class Nemos:
    """NeMoS' convolution with JAX on the CPU or a device, compiled; rows with an incomplete window are NaN; it
    allocates."""

    def __init__(self, problem):
        import jax
        import jax.numpy
        import warnings
        warnings.filterwarnings("ignore")
        jax.config.update("jax_default_matmul_precision", "highest")      # all bits of a float on a device
        jax.config.update("jax_enable_x64", problem.x.dtype.itemsize == 8)
        from nemos.convolve import create_convolutional_predictor
        self.convolve = create_convolutional_predictor
        self.x, self.taps = jax.numpy.asarray(problem.x), jax.numpy.asarray(problem.taps)

    def run(self):
        return self.convolve(self.taps, self.x, predictor_causality="causal", shift=False).block_until_ready()

    run_with_allocation = run


class Products:
    """Matrix products with NumPy (perf/runners/products_runner.hpp describes them): one by one, in one matmul, of the
    windows of sliding_window_view, or as windows of one product, copied; and quadratic forms, by a stored product and
    dots."""

    def __init__(self, request):
        import numpy
        self.numpy = numpy
        shapes, kind, scalar = request["shapes"], request["kind"], request["scalar"]
        times = request["count"] if kind == "batch" else 1
        self.right = times * sum(n * c for _, n, c in shapes)
        if kind == "windows":
            self.right = shapes[0][1] * request["length"]
        left = self.fill(times * sum(r * n for r, n, _ in shapes), 7919, 1009, scalar)
        right = self.fill(self.right, 104729, 1013, scalar)
        if kind == "list":
            raise Absent("NumPy has no call for products of different shapes")
        rows, inner, columns = shapes[0]
        if kind == "forms":
            self.a, self.b = left.reshape(rows, inner), right.reshape(inner, columns)
            self.c, self.q = numpy.empty((rows, columns), scalar), numpy.empty(rows, scalar)
        elif kind == "batch":
            self.a, self.b = left.reshape(times, rows, inner), right.reshape(times, inner, columns)
            self.c = numpy.empty((times, rows, columns), scalar)
        else:
            self.a, self.whole = left.reshape(rows, inner), right.reshape(inner, request["length"])
            self.b = numpy.lib.stride_tricks.sliding_window_view(self.whole, columns, axis=1).swapaxes(0, 1)
            self.c = numpy.empty((self.b.shape[0], rows, columns), scalar)
        self.columns = columns
        self.run = {"loop": self.loop, "matmul": self.matmul, "sliding": self.matmul, "slices": self.slices,
                    "forms_sum": self.forms_sum, "forms_einsum": self.forms_einsum}[request["runner"]]

    def fill(self, count, factor, divisor, scalar):
        i = self.numpy.arange(count, dtype="i8")
        return (i * factor % divisor / divisor - 0.5).astype(scalar)

    def loop(self):
        for p in range(self.c.shape[0]):
            self.numpy.matmul(self.a if self.a.ndim == 2 else self.a[p], self.b[p], out=self.c[p])
        return self.c

    def matmul(self):
        return self.numpy.matmul(self.a, self.b, out=self.c)

    def forms_sum(self):
        self.numpy.matmul(self.a, self.b, out=self.c)
        self.numpy.multiply(self.c, self.a, out=self.c)
        return self.numpy.sum(self.c, axis=1, out=self.q).reshape(1, -1, 1)

    def forms_einsum(self):
        self.numpy.matmul(self.a, self.b, out=self.c)
        return self.numpy.einsum("ij,ij->i", self.c, self.a, out=self.q).reshape(1, -1, 1)

    def slices(self):
        whole = self.a @ self.whole
        windows = self.numpy.lib.stride_tricks.sliding_window_view(whole, self.columns, axis=1)
        self.c[...] = windows.swapaxes(0, 1)
        return self.c


class Conv:
    """Convolution operators with torch (perf/runners/conv_runner.hpp describes them), from and to arrays in the
    requested order. It allocates its result."""

    def __init__(self, request):
        import torch
        self.torch, self.operator, self.request = torch, request["operator"], request
        space, taps = request["space"], request["taps"]
        if request["stored"] != "float32":
            raise Absent("torch convolves no integers into floats")
        outputs = [n + 2 * request["padding"] - k + 1 for n, k in zip(space, taps)]
        self.x = self.fill([request["batch"], request["channels"], *space], lambda i: (i * 7919 % 251 - 125) / 128)
        self.w = self.fill([request["results"], request["channels"] // request["groups"], *taps],
                           lambda i: i * 104729 % 1013 / 1013 - 0.5)
        if self.operator != "forward":
            self.y = self.fill([request["batch"], request["results"], *outputs], lambda i: i * 7907 % 1009 / 1009 - 0.5)
        self.convolve = getattr(torch.nn.functional, f"conv{len(space)}d")

    def fill(self, extents, value):
        """Fills in the order of a tensor, or with channels after the dimensions of space."""
        torch = self.torch
        count = 1
        for extent in extents:
            count *= extent
        made = value(torch.arange(count, dtype=torch.float64)).to(torch.float32).reshape(extents)
        if not self.request["channels_last"]:
            return made
        dimensions = range(len(extents))
        return made.movedim(1, -1).contiguous().permute(0, dimensions[-1], *dimensions[1:-1])

    def run(self):
        request, dimensions = self.request, len(self.request["space"])
        with self.torch.no_grad():
            if self.operator == "forward":
                return self.convolve(self.x, self.w, None, 1, request["padding"], 1, request["groups"])
            mask = [self.operator == "grad_input", self.operator == "grad_weights", False]
            found = self.torch.ops.aten.convolution_backward(
                self.y, self.x, self.w, None, [1] * dimensions, [request["padding"]] * dimensions, [1] * dimensions, False,
                [0] * dimensions, request["groups"], mask)
            return found[mask.index(True)]

    run_with_allocation = run

    def values(self, points):
        result = self.run()
        return [float(result[tuple(point)]) for point in points]


PEERS = {
    "numpy_convolve": NumpyConvolve,
    "scipy_fftconvolve": lambda problem: Scipy(problem, "fftconvolve"),
    "scipy_oaconvolve": lambda problem: Scipy(problem, "oaconvolve"),
    "torch_conv1d": Torch1d,
    "torch_conv2d": Torch2d,
    "nemos": Nemos,
    "nemos_device": Nemos,
}
PACKAGES = {"numpy": ("numpy", "scipy"), "torch": ("torch",), "nemos": ("jax", "jaxlib", "nemos"),
            "nemos_device": ("jax", "jaxlib", "nemos", "jax-cuda13-plugin")}


class Problem:
    def __init__(self, request, threads):
        import numpy
        if request["stored"] != request["scalar"] or "events" in request:
            raise Absent("peers are given samples of the type they compute in")
        samples, channels = request["samples"], request["channels"]
        # A part is a copy, so that the rest has no influence.
        self.x = numpy.fromfile(request["x"], request["stored"], samples * channels).reshape(samples, channels)
        taps = numpy.fromfile(request["taps"]).reshape(request["window"], request["bases"])
        self.taps = numpy.ascontiguousarray(taps.astype(request["scalar"]))
        self.shape = (samples, channels, request["bases"])
        self.threads = threads


class Worker:
    def __init__(self, group, threads):
        self.group, self.threads, self.slots = group, threads, {}

    def describe(self, _):
        import importlib.metadata
        return {"versions": {name: importlib.metadata.version(name) for name in PACKAGES[self.group]},
                "threads": self.threads}

    def prepare(self, request):
        self.slots[request["slot"]] = None
        self.slots[request["slot"]] = PEERS[request["runner"]](Problem(request, self.threads))
        return {"detail": ""}

    def prepare_products(self, request):
        self.slots[request["slot"]] = None
        self.slots[request["slot"]] = Products(request)
        return {"detail": ""}

    def prepare_conv(self, request):
        self.slots[request["slot"]] = None
        self.slots[request["slot"]] = Conv(request)
        return {"detail": ""}

    def run(self, request):
        runner, seconds = self.slots[request["slot"]], []
        call = runner.run_with_allocation if request.get("allocate") else runner.run
        for _ in range(request["times"]):
            start = time.perf_counter()
            result = call()
            seconds.append(time.perf_counter() - start)
            del result
        return {"seconds": seconds}

    def values(self, request):
        if isinstance(self.slots[request["slot"]], Conv):
            return {"values": self.slots[request["slot"]].values(request["points"])}
        result = self.slots[request["slot"]].run()
        return {"values": [float(result[t, c, b]) for t, c, b in request["points"]]}

    def drop(self, _):
        self.slots.clear()
        return {}

    def answer(self, request):
        try:
            return getattr(self, request["do"])(request)
        except Absent as why:
            return {"absent": str(why)}
        except Exception as error:  # a peer that fails is omitted, for any reason
            return {"error": f"{type(error).__name__}: {str(error)[:200]}"}


def bind(group, threads):
    """Limits the threads to the requested number: by the environment before a library is loaded, JAX also by
    processors."""
    for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
        os.environ[f"{name}_NUM_THREADS"] = str(threads)
    if group == "nemos":
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
        os.environ["JAX_PLATFORMS"] = "cpu"
        os.environ["XLA_FLAGS"] = (f"--xla_cpu_multi_thread_eigen={'true' if threads > 1 else 'false'} "
                                   f"intra_op_parallelism_threads={threads}")
    if group == "nemos_device":
        os.environ["JAX_PLATFORMS"] = "cuda"
        os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"     # the library's process has its part of the memory
    if group == "torch":
        import torch
        torch.set_num_threads(threads)


def main():
    group, threads = sys.argv[1], int(sys.argv[2])
    answers, sys.stdout = sys.stdout, sys.stderr      # output of libraries is not an answer
    bind(group, threads)
    worker = Worker(group, threads)
    for line in sys.stdin:
        print(json.dumps(worker.answer(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
