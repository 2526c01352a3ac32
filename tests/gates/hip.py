# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""clang for AMD devices down to assembly. It reports the resources of each kernel itself."""

import os
import pathlib
import re
import shutil
import subprocess

from cuda import Absent
from kernel import MIX, Kernel

NAME = "hip"
BACKEND = "HIP"
TARGETS = ("gfx90a", "gfx942")
OPCODES = (
    ("fma", r"v_(?:pk_|dual_)?(?:fma|fmac|fmaak|fmamk)_"),
    ("load shared", r"ds_(?:read|load)"),
    ("store shared", r"ds_(?:write|store)"),
    ("load global", r"global_load"),
    ("store global", r"global_store"),
    ("generic", r"flat_"),
    ("local", r"scratch_|buffer_"),
    ("barrier", r"s_barrier"),
    ("call", r"s_swappc"),
)


class ToolChain:
    """clang and the folder of HIP's headers and device code: SYNELIX_HIP, which ./dev gate sets."""

    def __init__(self):
        self.clang = shutil.which(os.environ.get("HIP_CLANG", "clang++-22"))
        if not self.clang:
            raise Absent("no clang++-22")
        self.folder = pathlib.Path(os.environ.get("SYNELIX_HIP") or "/nowhere")
        self.headers = self.folder / "include"
        code = sorted(self.folder.rglob("ockl.bc"))
        if not (self.headers / "hip/hip_runtime.h").exists() or not code:
            raise Absent(os.environ.get("SYNELIX_HIP_REASON") or "SYNELIX_HIP names no folder with HIP's headers and device code")
        self.device_code = code[0].parent
        version = subprocess.run([self.clang, "--version"], check=True, capture_output=True, text=True).stdout
        parts = [re.search(rf"#define HIP_VERSION_{part} (\d+)", (self.headers / "hip/hip_version.h").read_text())
                 for part in ("MAJOR", "MINOR", "PATCH")]
        self.description = (f"clang {re.search(r'version ([0-9.]+)', version)[1]} with HIP "
                            + ".".join(part[1] for part in parts if part))

    def flags(self, target):
        # The size of a wave: headers before HIP 7 take it from compilers before clang 22, as a macro.
        return ["-x", "hip", "-std=c++20", f"--offload-arch={target}", "-O3", "-ffp-contract=off", "-D__AMDGCN_WAVEFRONT_SIZE=64",
                f"--rocm-path={self.folder}", f"--rocm-device-lib-path={self.device_code}", "-isystem",
                str(self.headers), "-Werror=deprecated-declarations", "-Wno-deprecated-attributes"]

    def steps(self, target, includes, source, output):
        return [[self.clang, *self.flags(target), "--offload-device-only", "-S", "-Rpass-analysis=kernel-resource-usage",
                 "-fno-caret-diagnostics", "-fno-crash-diagnostics", *includes, str(source), "-o", str(output)]]

    def whole(self, target, includes, source, output):
        """The device to assembly, the host to an object: then neither the linker of devices nor a bundler is needed."""
        return [[self.clang, *self.flags(target), f"--offload-{side}-only", kind, *includes, str(source), "-o", str(output)]
                for side, kind in (("device", "-S"), ("host", "-c"))]


FIELDS = (("registers", r"VGPRs: (\d+)"), ("accumulation", r"AGPRs: (\d+)"), ("stack", r"ScratchSize [^:]*: (\d+)"),
          ("occupancy", r"Occupancy [^:]*: (\d+)"), ("scalar_spills", r"SGPRs Spill: (\d+)"), ("spills", r"VGPRs Spill: (\d+)"),
          ("shared", r"LDS Size [^:]*: (\d+)"))


def kernels(target, printed, code):
    """(symbol, kernel) of the remarks about resources and of the assembly."""
    mixes = dict(instruction_mixes(code))
    found, values = [], {}
    for remark in re.findall(r"remark: +(.*?) \[-Rpass-analysis=kernel-resource-usage\]", printed):
        name = re.match(r"Function Name: (\S+)", remark)
        if name:
            values = {}
            found.append((name[1], values))
        values["dynamic"] = values.get("dynamic", False) or remark == "Dynamic Stack: True"
        for field, pattern in FIELDS:
            value = re.match(pattern, remark)
            if value:
                values[field] = int(value[1])
    for symbol, values in found:
        values["unknown_calls"] = values.pop("dynamic", False)
        # Accumulation registers hold values that fit nowhere else.
        values["registers"] = values.get("registers", 0) + values.pop("accumulation", 0)
    return [(symbol, Kernel("", target, mix=mixes.get(symbol, {}), **values)) for symbol, values in found]


def instruction_mixes(code):
    """(symbol, mix) of each function of an assembly file."""
    symbol, mix = None, {}
    for line in code.splitlines():
        label = re.match(r"([\w$.]+):\s+; @", line)
        opcode = re.match(r"\t([a-z]\w+)", line)
        if label:
            symbol, mix = label[1], dict.fromkeys(MIX, 0)
        elif line.startswith(".Lfunc_end") and symbol:
            yield symbol, mix
            symbol = None
        elif opcode and symbol:
            mix["instructions"] += 1
            for column, pattern in OPCODES:
                if re.match(pattern, opcode[1]):
                    mix[column] += 1
                    break
