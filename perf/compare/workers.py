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
# runner -> the group of packages that it needs, or the C++ program for it alone: what a peer does to its process (oneDNN
# 3.7.2 divides by zero at 65536 x 50 samples with 4 bases and a window of 10) is then no end of the others
IN_CPP = ("synelix", "fftw", "onednn")
RUNNERS = {
    "numpy_convolve": "numpy", "scipy_fftconvolve": "numpy", "scipy_oaconvolve": "numpy",
    "torch_conv1d": "torch", "torch_conv2d": "torch", "nemos": "nemos", "onednn": "onednn", "fftw": "fftw",
    "synelix": "synelix",
}


class Absent(Exception):
    """What is not there, or cannot be done; the text says what."""


class Worker:
    """One program. `ask` waits for its answer; one that takes too long is ended, and absent from then on."""

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
    """The programs of one number of threads, started when first asked for."""

    def __init__(self, program, threads):
        self.program, self.threads, self.started = program, threads, {}

    def of(self, runner):
        group = RUNNERS[runner]
        worker = self.started.get(group)
        if worker is None or worker.ended:
            self.started[group] = worker = self.start(group)
        return worker

    def start(self, group):
        if group in IN_CPP:
            return Worker([self.program], self.threads, f"synelix_perf_worker for {group}")
        if not install.is_there(group):
            raise Absent(f"{group} is not installed (./dev perf --peers installs it)")
        return Worker([install.python(), "-B", PEER_WORKER, group, str(self.threads)], self.threads, group)

    def drop(self):
        for worker in self.started.values():
            try:
                worker.ask("drop")
            except Absent:                 # it has ended, and with it what it held
                pass

    def close(self):
        for worker in self.started.values():
            if not worker.ended:
                worker.close()
