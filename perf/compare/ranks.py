# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what ranks of MPI, and parts of one file, cost beside one process.

    ./dev perf --ranks [--only PART,...] [--rounds N] [--out FILE]

One line a row: what, measured, must. Exits 1 where a must is missed. Runs of one process and of several take turns, and
the number is the median of the ratios of a turn. Processor seconds are those of all processes together: on a machine with
few cores, the wall measures the cores.
"""
import argparse
import json
import os
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from context import processor, revision, save
from verdicts import RANK_MUSTS, Result, has_failed, line

QUIET = {"OMP_NUM_THREADS": "1", "OMP_PROC_BIND": "false", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
         "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "PRTE_MCA_hwloc_default_binding_policy": "none",
         "OMPI_MCA_btl": "self,sm", "OMPI_MCA_mpi_yield_when_idle": "1"}

PART_ROWS = 6_000_000
FREE_BYTES = 4 << 30                       # for a recording and an output of it, with room to spare


def said(command, **environment):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                          env={**os.environ, **QUIET, **environment})
    if done.returncode != 0:
        raise RuntimeError(f"{shlex.join(map(str, command))} ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
    return done.stdout


class Run:
    def __init__(self, program, tool, rounds):
        self.program, self.tool, self.rounds, self.answers = program, tool, rounds, []

    def ranks(self, count, task, *numbers):
        text = said(["mpirun", "-n", count, self.program, task, *numbers])
        answer = json.loads(text.strip().splitlines()[-1])
        self.answers.append({"ranks": count, "task": task, "numbers": numbers, "answer": answer})
        return answer


def halo(run):
    """The additional time of a halo, and the time of its messages alone."""
    found = {}
    for channels, window, rows in ((384, 100, 4000), (32, 1000, 20000)):
        for count in (2, 4):
            answer = run.ranks(count, "halo", channels, window, rows, 5 * run.rounds)
            ratio = answer["exchanged_seconds"] / answer["alone_seconds"]
            note = (f"{channels} channels, window {window}, {rows} samples a rank: {1e3 * answer['exchanged_seconds']:.3g} ms, "
                    f"{1e3 * answer['alone_seconds']:.3g} ms alone, messages of {answer['halo_bytes'] / 1024:.0f} KiB alone "
                    f"{1e6 * answer['message_seconds']:.0f} us")
            key = f"halo_{count}" if channels == 384 else f"halo_{count}_of_{channels}"
            found[key] = Result(ratio, note)
    return found


def sums(run):
    """Sums whose bits do not depend on the ranks, compared with MPI's own."""
    found = {}
    for numbers in (801, 25600):
        for count in (2, 4):
            answer = run.ranks(count, "sums", numbers, 64, 5 * run.rounds)
            found[f"sum_{numbers}_{count}"] = Result(
                answer["ordered_seconds"] / answer["allreduce_seconds"],
                f"64 blocks of {numbers} numbers on {count} ranks: {1e6 * answer['ordered_seconds']:.0f} us, "
                f"MPI_Allreduce {1e6 * answer['allreduce_seconds']:.0f} us")
    return found


def fit(run):
    size = (8 * 2**19, 4, 2)
    ratios = {2: [], 4: []}
    last = {}
    for _ in range(run.rounds):
        one = run.ranks(1, "fit", *size)
        for count, found in ratios.items():
            last[count] = run.ranks(count, "fit", *size)
            if last[count]["coefficients"] != one["coefficients"]:
                raise RuntimeError("the coefficients of ranks differ from those of one process")
            found.append(last[count]["processor_seconds"] / one["processor_seconds"])
    return {f"fit_{count}": Result(statistics.median(found),
                                   f"{size[0]} rows, 8 segments: {one['processor_seconds']:.3g} s in one process")
            for count, found in ratios.items()}


def folder_of_outputs():
    """In memory if there is such a file system: the cost of a disk's cache differs tenfold between two runs of one
    program."""
    memory = Path("/dev/shm")
    return memory if memory.is_dir() and shutil.disk_usage(memory).free > FREE_BYTES and os.access(memory, os.W_OK) else None


def seconds_of_parts(convolve, output, count):
    """User and system seconds of all processes that write one output together."""
    output.unlink(missing_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    options = [["--part", f"{part}/{count}"] for part in range(count)] if count > 1 else [[]]
    running = [subprocess.Popen(list(map(str, [*convolve, *option])), env={**os.environ, **QUIET},
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for option in options]
    for process in running:
        _, error = process.communicate()
        if process.returncode != 0:
            raise RuntimeError(error.decode()[-2000:])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not output.exists():
        raise RuntimeError(f"{count} parts left no output")
    return after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime


def parts(run):
    """One output of several independent processes. Two jobs: one computes, the other mostly writes."""
    found = {}
    jobs = {"parts": ["--method", "direct", "--window", 1000], "writing_parts": ["--window", 100]}
    with tempfile.TemporaryDirectory(dir=folder_of_outputs()) as folder:
        recording, output = Path(folder, "in.h5"), Path(folder, "out.h5")
        said([run.tool, "simulate", f"{recording}:/x", "--samples", PART_ROWS, "--channels", 8])
        for key, options in jobs.items():
            convolve = [run.tool, "convolve", f"{recording}:/x", f"{output}:/features", "--basis", "raised-cosine-log",
                        "--bases", 8, "--budget", "64MiB", *options]
            seconds = {1: [], 2: [], 4: []}
            for _ in range(run.rounds):
                for count, times in seconds.items():
                    times.append(seconds_of_parts(convolve, output, count))
            run.answers.append({"task": key, "options": options, "in_memory": folder_of_outputs() is not None, "user_and_system_seconds": seconds})
            user, system = (statistics.median(times) for times in zip(*seconds[1]))
            for count, times in seconds.items():
                if count > 1:
                    ratio = statistics.median(sum(many) / sum(one) for many, one in zip(times, seconds[1]))
                    many = [statistics.median(kind) for kind in zip(*times)]
                    found[f"{key}_{count}"] = Result(
                        ratio, f"{PART_ROWS:.0e} x 8 samples, 8 bases, {' '.join(map(str, options))}: {user:.2f} + {system:.2f} s (user "
                               f"+ system) in one process, {many[0]:.2f} + {many[1]:.2f} s in {count}")
    return found


PARTS = {"halo": halo, "sums": sums, "fit": fit, "parts": parts}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="synelix_perf_ranks")
    parser.add_argument("--tool", required=True, help="synelix")
    parser.add_argument("--only", default=",".join(PARTS), help="some of " + ", ".join(PARTS))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out")
    given = parser.parse_args()
    run, results, load = Run(given.program, given.tool, given.rounds), {}, os.getloadavg()
    for name in given.only.split(","):
        if name not in PARTS:
            parser.error(f"--only: {name} is no part; the parts are {', '.join(PARTS)}")
        for key, result in PARTS[name](run).items():
            results[key] = result
            must = next((must for must in RANK_MUSTS if must.key == key), None)
            print(line(must, result) if must else f"{key}: {result.value:.2f}x: {result.note}", flush=True)
    if given.out:
        save({"revision": revision(), "processor": processor(), "processors": len(os.sched_getaffinity(0)),
              "load_before": load, "load_after": os.getloadavg(), "rounds": given.rounds,
              "rows": {key: {"value": result.value, "note": result.note} for key, result in results.items()},
              "answers": run.answers}, given.out)
    return 1 if has_failed(results, [must for must in RANK_MUSTS if must.key in results]) else 0


if __name__ == "__main__":
    sys.exit(main())
