#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs of a build for CUDA on the emulator of tests/emulator, and says how often each kernel ran.

    emulated.py --build FOLDER --emulator FOLDER              a sample in which every kernel runs
    emulated.py --build FOLDER --emulator FOLDER --all        each program whose tests run on a device
    emulated.py --build FOLDER --emulator FOLDER PROGRAM ...  one program, with its arguments
    emulated.py --targets [--all | PROGRAM ...]               what ninja has to build for one of these

Exit code: 0 all passed; 1 a program failed, the emulator found a fault, no test ran, or a kernel of the sample did not run;
2 a wrong argument.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "gates"))

import ceilings  # noqa: E402  (in the folder of gates)
import kernel  # noqa: E402

TARGET = "sm_90"
ORDERS = ("forward", "reverse", "random")
GOLDEN = TESTS / "golden"
CHECKS = (("synelix_golden_check", str(GOLDEN / "golden.h5")), ("synelix_operator_check", str(GOLDEN / "operators.h5")),
          ("synelix_fit_check", str(GOLDEN / "fits.h5")))
FITS = ("coupling_softplus_ridge", "gamma_exp_lasso", "poisson_exp_none", "negativebinomial_exp_grouplasso")
SAMPLE = (("test_convolve_random", "--gtest_filter=ConvolveRandom*-*ReadsNothingBehind*"), *CHECKS[:2],
          *((*CHECKS[2], f"/fits/{name}") for name in FITS), ("test_on_device",))
# Files of tests that run on a device, by their programs. test_emulated.py holds this list to the sources.
TESTS_OF_A_DEVICE = {
    "test_on_device": ("test_on_device",),
    "test_convolve": ("test_convolve", "test_convolve_long", "test_convolve_parts", "test_convolve_plans", "test_convolve_refusals",
                      "test_convolve_stream", "test_convolve_views", "test_fft_overflow", "test_filter_bank", "test_shared_filters",
                      "test_staging", "test_trials", "test_weak_rows"),
    "test_convolve_random": ("test_convolve_random", "test_guard_pages"),
    "test_operators": ("test_conv", "test_conv_calls", "test_conv_converted", "test_conv_fft", "test_conv_fft_ends",
                       "test_conv_scaled", "test_conv_weak_rows", "test_conv_weight_planes"),
    "test_products": ("test_bilinear_forms", "test_matmul"),
    "test_design": ("test_features",),
    "test_streams": ("test_stream_staged",),
    "test_promises": ("test_bits", "test_budget", "test_launches", "test_silence", "test_staged_memory"),
    "test_allocations": ("test_chain",),
}
# Files that name the device, and have no test of it.
TESTS_OF_HOSTS = {
    "test_bits_of_sets": "instruction sets are those of hosts",
    "test_conv_transforms": "transforms of hosts, on each instruction set",
    "test_allocations": "calls of malloc are counted, and a driver makes its own",
    "test_stream_allocations": "calls of malloc are counted, and a driver makes its own",
    "test_option_values": "unknown values are refused before anything reaches a device",
    "test_choice": "calibration measures seconds, which an emulator has none of",
    "test_series": "series are described on the host",
    "test_large": "arrays of 11 GiB that only a host maps without taking them",
}
ASKING = {"--help", "-h", "--gtest_list_tests"}  # a program that prints only
LINE = re.compile(r"emulator: +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +([\d.]+)  (.*)")


@dataclasses.dataclass
class Count:
    """The number of runs of a kernel."""

    launches: int = 0
    teams: int = 0
    instructions: int = 0


@dataclasses.dataclass
class Result:
    """The result of one run of a program."""

    argv: tuple
    order: str
    code: int
    seconds: float
    printed: str
    log: str
    needs_emulator: bool = True

    def faults(self):
        """The messages of the emulator besides its counts. If there is none at all, it did not run the program."""
        said = [line for line in self.log.splitlines() if re.match("emulator: (?! |launches, teams)", line)]
        if not said and self.code == 0 and "0 tests from 0 test suites" in self.printed:
            return [f"emulate: no test ran; {self.argv[0]} --gtest_list_tests prints the names of its tests"]
        if not said and self.needs_emulator:
            return ["emulate: the emulator said nothing of this program"]
        return [line for line in said if line != "emulator: no fault"]

    def text(self):
        name = " ".join(word for word in self.argv if not word.endswith(".h5"))
        state = f"FAILED with code {self.code}" if self.code else "FAILED" if self.faults() else "passed"
        return f"{name}, {self.order}: {state} ({self.seconds:.0f} s)"


def counts_of(logs):
    """Kernel -> Count, for those of the library, from the emulator's output."""
    found = {}
    for log in logs:
        for line in log.splitlines():
            match = LINE.match(line)
            name = match and kernel.short_name(match[8])
            if not name:
                continue
            count = found.setdefault(name, Count())
            count.launches += int(match[1])
            count.teams += int(match[2])
            count.instructions += int(match[6])
    return found


def missing(counts, table):
    """Rows of the table of kernels that no launch belongs to."""
    ran = {id(table.row(kernel.Kernel(name, TARGET))) for name in counts}
    return [row["kernel"] for row in table.rows if TARGET in row["most"] and id(row) not in ran]


def run(argv, order, arguments, folder, own=None, seconds=None):
    """One run, in an environment with the variables of `own`. \throws subprocess.TimeoutExpired after so many seconds"""
    log = pathlib.Path(folder) / f"{order}.{time.monotonic_ns()}.log"
    environment = {
        "EMULATE_MULTIPROCESSORS": "2", "EMULATE_STREAMS": "early", "OMP_PROC_BIND": "false", **os.environ, **(own or {}),
        "EMULATE_ORDER": order, "EMULATE_LOG": str(log), "OMP_NUM_THREADS": "1",
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, (str(arguments.emulator), os.environ.get("LD_LIBRARY_PATH")))),
        "SYNELIX_DRAWN_CASES": os.environ.get("SYNELIX_DRAWN_CASES", "3")}
    begin = time.monotonic()
    done = subprocess.run([str(arguments.build / "bin" / argv[0]), *argv[1:]], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=seconds)
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    return Result(argv, order, done.returncode, time.monotonic() - begin, done.stdout.decode(errors="replace"), text)


def parse():
    parser = argparse.ArgumentParser(
        prog="emulate", description=__doc__.splitlines()[0], allow_abbrev=False,
        usage="./dev emulate [--all] [--orders=ORDER,...] [PROGRAM [ARGUMENT...]]; ./dev emulate --help names its other uses")
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--emulator", type=pathlib.Path, help="folder of libcudart.so.13 and libcuda.so.1")
    parser.add_argument("--targets", action="store_true", help="print what ninja has to build, and run nothing")
    parser.add_argument("--all", action="store_true", help="each program of the build whose tests run on a device")
    parser.add_argument("--orders", default=None, help="of threads: some of forward, reverse and random, with commas")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if not arguments.targets and not (arguments.build and arguments.emulator):
        parser.error("--build and --emulator are needed to run programs")
    for order in (arguments.orders or "forward").split(","):
        if order not in ORDERS:
            parser.error(f"--orders has '{order}', which is no order of threads. Give some of {', '.join(ORDERS)}, with commas")
    if arguments.targets and arguments.program and arguments.program[0] not in (names := names_of_programs(arguments.build)):
        parser.error(f"there is no program {arguments.program[0]}. Give one of: {' '.join(sorted(names))}")
    return arguments


def names_of_programs(build):
    """The programs that run on a device, and what else a build has."""
    names = {*TESTS_OF_A_DEVICE, *(program for program, _ in CHECKS), "synelix_counted"}
    if build and (build / "build.ninja").exists():
        names.update(re.findall(r"^build bin/([^ :]+): ", (build / "build.ninja").read_text(encoding="utf-8"), re.M))
    return names


def programs_of(arguments):
    """The programs to run, and whether every kernel has to run."""
    if arguments.program:
        return [tuple(arguments.program)], False
    if not arguments.all:
        return list(SAMPLE), True
    return [*CHECKS, *((program, f"--only={','.join(files)}") for program, files in TESTS_OF_A_DEVICE.items())], True


def main():
    arguments = parse()
    argvs, needs_all = programs_of(arguments)
    if arguments.targets:
        print(*sorted({f"bin/{argv[0]}" for argv in argvs}))
        return 0
    if ASKING.intersection(arguments.program[1:]):
        with tempfile.TemporaryDirectory() as folder:
            result = run(argvs[0], ORDERS[0], arguments, folder)
        print(result.printed, end="")
        return result.code
    orders = (arguments.orders or (",".join(ORDERS) if needs_all else "forward")).split(",")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = [pool.submit(run, argv, order, arguments, folder) for order in orders for argv in argvs]
        results = []
        for future in concurrent.futures.as_completed(waiting):
            result = future.result()
            results.append(result)
            if result.code != 0 or not needs_all:
                print(result.printed, end="")
            for line in result.faults():
                print(line)
            print(result.text(), flush=True)
    counts = counts_of(result.log for result in results)
    summed = f" (sums of {len(orders)} orders of threads)" if len(orders) > 1 else ""
    print(f"\n{'launches':>9} {'teams':>9} {'million instructions':>21}  kernel{summed}")
    for name, count in sorted(counts.items()):
        print(f"{count.launches:>9} {count.teams:>9} {count.instructions / 1e6:>21.1f}  {name}")
    failed = sum(result.code != 0 or bool(result.faults()) for result in results)
    absent = missing(counts, ceilings.table()) if needs_all else []
    for name in absent:
        print(f"emulate: {name} did not run, and the sample has to run every kernel")
    faulty = sum(any(line.startswith("emulator: ") for line in result.faults()) for result in results)
    found = f"; faults in {faulty} of them" if faulty else "" if failed else "; no fault"
    print(f"emulate: {len(results) - failed} of {len(results)} runs passed; threads in the order{'s' * (len(orders) > 1)} "
          f"{', '.join(orders)}; {len(counts)} kernel{'s' * (len(counts) != 1)}{found}")
    return 1 if failed or absent else 0


if __name__ == "__main__":
    sys.exit(main())
