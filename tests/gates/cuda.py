# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nvcc down to PTX, which has its checks of extended lambdas and of calls from device to host; ptxas for registers."""

import glob
import os
import pathlib
import re
import shutil
import subprocess

from kernel import MIX, Kernel

NAME = "cuda"
BACKEND = "CUDA"
TARGETS = ("sm_90",)
OPCODES = (
    ("fma", r"fma\."),
    ("load shared", r"ld\.(?:volatile\.)?shared"),
    ("store shared", r"st\.(?:volatile\.)?shared"),
    ("load global", r"ld\.(?:volatile\.)?global"),
    ("store global", r"st\.(?:volatile\.)?global"),
    ("local", r"(?:ld|st)\.(?:volatile\.)?local"),
    ("generic", r"(?:ld|st)\.(?:v[24]|volatile|[busf]\d)"),
    ("barrier", r"(?:bar|barrier)\."),
    ("call", r"call"),
)


class Absent(RuntimeError):
    """The tool chain is not on this machine."""


class ToolChain:
    """Finds nvcc and ptxas, and knows their options."""

    def __init__(self):
        self.nvcc = self.find("nvcc")
        self.ptxas = self.find("ptxas")
        self.headers = pathlib.Path(self.nvcc).resolve().parents[1] / "include"
        self.version = self.first(r"release ([\d.]+)", self.nvcc)
        self.host = os.environ.get("NVCC_CCBIN") or "g++"
        self.description = (f"nvcc {self.version} with {pathlib.Path(self.host).name} "
                            + self.first(r"(\d+\.\d+\.\d+)", self.host))

    @staticmethod
    def find(tool):
        places = [os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH")]
        places += ["/usr/local/cuda", *sorted(glob.glob("/usr/local/cuda-*"), reverse=True)]
        for file in [shutil.which(tool) or "", *(f"{place}/bin/{tool}" for place in places if place)]:
            if os.access(file, os.X_OK):
                return file
        raise Absent(f"no {tool} on PATH, in CUDA_HOME, CUDA_PATH or /usr/local/cuda")

    @staticmethod
    def first(pattern, program):
        found = re.search(pattern, subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout)
        return found[1] if found else "of unknown version"

    def flags(self, target):
        # As in cmake/SynelixTarget.cmake: no multiplication and addition are fused unless the source requests it.
        return ["-x", "cu", "-std=c++20", f"-arch={target}", "--expt-extended-lambda", "--expt-relaxed-constexpr", "--fmad=false",
                "-Werror", "cross-execution-space-call", "-ccbin", self.host]

    def steps(self, target, includes, source, output):
        """Commands that leave code in `output` and print the text to be read."""
        return [[self.nvcc, *self.flags(target), "--ptx", *includes, str(source), "-o", str(output)],
                [self.ptxas, f"-arch={target}", "-v", str(output), "-o", "/dev/null"]]

    def whole(self, target, includes, source, output):
        """Host and device, to an object."""
        return [[self.nvcc, *self.flags(target), "-c", *includes, str(source), "-o", str(output)]]


def kernels(target, printed, code):
    """(symbol, kernel) from the output of ptxas -v and from the PTX."""
    mixes = dict(instruction_mixes(code))
    found, symbol, entry = {}, None, None
    for line in printed.splitlines():
        function = re.search(r"Compiling entry function '(\S+)'|Function properties for (\S+)", line)
        frame = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line)
        used = re.search(r"Used (\d+) registers", line)
        if function:
            symbol = function[1] or function[2]
            entry = function[1] or entry
            found.setdefault(symbol, Kernel("", target, mix=mixes.get(symbol, {})))
        elif frame and symbol:
            found[symbol].stack = max(found[symbol].stack, int(frame[1]))
            found[symbol].spills += int(frame[2]) + int(frame[3])
        elif used:  # of the entry, although the functions that it calls may be reported in between
            found[entry].registers = int(used[1])
            for field, pattern in (("stack", r"(\d+) bytes cumulative stack"), ("shared", r"(\d+) bytes smem")):
                more = re.search(pattern, line)
                if more:
                    setattr(found[entry], field, int(more[1]))
        unknown = re.search(r"Stack size for entry function '(\S+)' cannot be statically determined", line)
        if unknown:
            found.setdefault(unknown[1], Kernel("", target, mix=mixes.get(unknown[1], {}))).unknown_calls = True
    for symbol, kernel in found.items():
        kernel.unknown_calls |= kernel.mix.get("call", 0) > 0 and kernel.mix.pop("pointer call") > 0
    return list(found.items())


def instruction_mixes(code):
    """(symbol, mix) of each body of a PTX file."""
    for head, body in re.findall(r"^(?:\.visible |\.weak )*\.(?:entry|func)\b([^{;]*)\{\n(.*?)^\}", code, flags=re.M | re.S):
        symbol = re.sub(r"^\s*\(.*?\)\s*", "", head, flags=re.S)
        mix = dict.fromkeys(MIX, 0)
        for line in body.splitlines():
            opcode = re.match(r"\t(?:@!?%p\d+ )?\s*([a-z]\S*)", line)
            if not opcode:
                continue
            mix["instructions"] += 1
            for column, pattern in OPCODES:
                if re.match(pattern, opcode[1]):
                    mix[column] += 1
                    break
        mix["pointer call"] = len(re.findall(r"\bcall(?:\.uni)?\s*(?:\([^)]*\),\s*)?%rd", body))
        yield re.match(r"\s*([\w$]+)", symbol)[1], mix
