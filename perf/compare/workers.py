# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that run the library or a peer when told (perf/worker.cpp says how), each with a number of threads."""
import json
import os
import select
import subprocess
from pathlib import Path

import install

PEER_WORKER = Path(__file__).with_name("peer_worker.py")
# runner -> the group of packages that it needs; None: it is in the C++ program
RUNNERS = {
    "numpy_convolve": "numpy", "scipy_fftconvolve": "numpy", "scipy_oaconvolve": "numpy",
    "torch_conv1d": "torch", "torch_conv2d": "torch", "nemos": "nemos", "onednn": None, "fftw": None, "synelix": None,
    "numpy_products": "numpy", "torch_conv": "torch",
}
# Runners that are used if the library runs on a device.
DEVICE_RUNNERS = {"vendor_fft": None, "cudnn": None, "nemos_device": "nemos_device"}


class Absent(Exception):
    """Something that is missing, or cannot be done; the text is the reason."""


class Worker:
    """One program. `ask` waits for its answer; a program that takes too long is ended, and absent from then on."""

    def __init__(self, command, threads, name):
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="false", OPENBLAS_NUM_THREADS=str(threads))
        self.name, self.buffer, self.ended = name, b"", None
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=environment)

    def ask(self, do, timeout=120.0, **request):
        if self.ended:
            raise Absent(self.ended)
        try:
            self.process.stdin.write(json.dumps({"do": do, **request}).encode() + b"\n")
            self.process.stdin.flush()
            answer = json.loads(self.read_line(timeout))
        except (BrokenPipeError, EOFError):
            self.end(f"{self.name} ended while it did {do}")
        if "absent" in answer:
            raise Absent(answer["absent"])
        if "error" in answer:
            raise Absent(f"{self.name} failed: {answer['error']}")
        return answer

    def read_line(self, timeout):
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], timeout)[0]:
                self.process.kill()
                self.close()
                self.end(f"{self.name} took longer than {timeout:.0f} s")
            read = os.read(self.process.stdout.fileno(), 1 << 20)
            if not read:
                raise EOFError
            self.buffer += read
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line

    def end(self, why):
        self.ended = why
        raise Absent(why)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Workers:
    """The programs with one number of threads, one for each runner, started at the first request. So a peer that breaks
    its process does not affect the others: oneDNN 3.7.2 divides by zero at 65536 x 50 samples, 4 bases and a window of
    10, and torch, after it could not create a primitive, may not create the next."""

    def __init__(self, program, threads):
        self.program, self.threads, self.started = program, threads, {}

    def of(self, runner):
        worker = self.started.get(runner)
        if worker is None or worker.ended:
            self.started[runner] = worker = self.start(runner)
        return worker

    def start(self, runner):
        group = {**RUNNERS, **DEVICE_RUNNERS}[runner]
        if group is None:
            return Worker([self.program], self.threads, f"synelix_perf_worker for {runner}")
        if not install.is_there(group):
            raise Absent(f"{group} is not installed (./dev perf --peers installs it)")
        return Worker([install.python(), "-B", PEER_WORKER, group, str(self.threads)], self.threads, runner)

    def restart(self, runner):
        """Ends a program; the next call for the runner starts another one."""
        worker = self.started.pop(runner, None)
        if worker and not worker.ended:
            worker.close()

    def drop(self):
        for worker in self.started.values():
            try:
                worker.ask("drop")
            except Absent:                 # it has ended, with its slots
                pass

    def close(self):
        for runner in list(self.started):
            self.restart(runner)
