# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests, checks, and measurements of a build for a device, in slices that can be resumed.

    Kokkos_ROOT=PREFIX ./dev device --visit OUT [--programs FOLDER] [--slice SECONDS] [--again TASK] [--list]

A new visit first builds with that Kokkos, in build/cuda or build/hip. This is not part of its slice.

Time on a device is often lent in small pieces. One call runs tasks until its slice is used, keeps what each task gave,
and says what is left. The same call goes on where the last one ended. The order is that of perf/MEASURING.md:
tests, memcheck, racecheck, roofs, goals, suite, peers.

OUT/visit.json          what ran, with its status and seconds
OUT/output/TASK.txt     what the task printed
OUT/results/*.json      measurements: roofs, goals, suite, and the peers of each case

Exit code: 0 all tasks passed; 1 all ran and at least one failed; 2 bad arguments; 75 tasks are left, so call again.
"""
import argparse
import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

PERF = Path(__file__).resolve().parent
DONE = ("passed", "failed", "too long", "left out")
MORE = 75                                  # EX_TEMPFAIL of sysexits.h
FIRST_TESTS = ("test_convolve", "test_golden")
CHECKED = ("test_convolve", "test_operators", "test_products", "test_fft_barriers", "test_convolve_teams",
           "test_streams")                 # programs that reach every kernel and every barrier between passes
CHECKERS = ("memcheck", "racecheck")
PEER_CASES = ("users", "medium", "long")
GROUP = 12                                 # benchmarks of one process, which measures roofs around them
now = time.monotonic                       # tests replace it
NO_BINDING = {"OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "passive"}


class Refusal(Exception):
    """An error message for the user."""


# ---------------------------------------------------------------- the tasks
def command(programs, name):
    """How a program is started: a program of a pack by its script `run`, which sets the paths of the libraries."""
    pack = programs.parent
    return [pack / "run", name] if (pack / "lib" / "loader").exists() else [programs / name]


def lines_of(words):
    """The standard output of a command, as lines."""
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **NO_BINDING})
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise Refusal(f"{words[0]} ended with code {done.returncode}: {said[-1] if said else 'it printed nothing'}")
    return done.stdout.splitlines()


def suites_of(words):
    """The names of a test program's suites."""
    return [line.split("#")[0].strip().rstrip(".") for line in lines_of([*words, "--gtest_list_tests"])
            if re.match(r"[^\s].*\.(\s*#|\s*$)", line)]


def task(name, argv, result=None, left_out=None):
    return {"name": name, "argv": [str(word) for word in argv], "result": result, "left_out": left_out}


def tests(programs):
    found = sorted(path.name for path in programs.glob("test_*") if os.access(path, os.X_OK))
    found.sort(key=lambda name: FIRST_TESTS.index(name) if name in FIRST_TESTS else len(FIRST_TESTS))
    return [task(f"tests/{name}", command(programs, name)) for name in found]


def checks(programs):
    """Each suite with each checker of CUDA. A run with a checker takes 10 to 100 times as long as one without."""
    checker = shutil.which("compute-sanitizer")
    if not checker:
        why = "compute-sanitizer is not in PATH; it is part of the CUDA toolkit"
        return [task(tool, [], left_out=why) for tool in CHECKERS]
    pairs = [(name, suite) for name in CHECKED if (programs / name).exists() for suite in suites_of(command(programs, name))]
    return [task(f"{tool}/{name}/{suite}", [checker, "--tool", tool, "--target-processes", "all", "--error-exitcode",
                                            "9", *command(programs, name), f"--gtest_filter={suite}.*"])
            for tool in CHECKERS for name, suite in pairs]


def benchmarks(programs):
    """Groups of benchmarks: those of one family, at most GROUP in a process."""
    suite = command(programs, "synelix_perf")
    if not (programs / "synelix_perf").exists():
        return [task("suite", [], left_out=f"{programs / 'synelix_perf'} does not exist; configure with -DSYNELIX_ENABLE_BENCHMARKS=ON")]
    groups = {}
    for name in lines_of([*suite, "--goals", "--benchmark_list_tests"]):
        family, _, rest = name.partition("/")
        step = family if family in ("roofs", "goals") else "suite"
        groups.setdefault((step, family if step != "suite" else f"{family}/{rest.partition('/')[0]}"), []).append(name)
    order = ("roofs", "goals", "suite")
    result = []
    for (step, label), names in sorted(groups.items(), key=lambda item: order.index(item[0][0])):
        for first in range(0, len(names), GROUP):
            part = names[first:first + GROUP]
            name = label if len(names) <= GROUP else f"{label}/{first // GROUP + 1}"
            pattern = "|".join(re.escape(one) for one in part)
            result.append(task(name, [*suite, "--goals", f"--benchmark_filter=^({pattern})$",
                                      "--benchmark_out_format=json", "--benchmark_out={result}"], step))
    return result


def peers(programs):
    if not (programs / "synelix_perf_worker").exists():
        return [task("peers", [], left_out=f"{programs / 'synelix_perf_worker'} does not exist; configure with "
                                           "-DSYNELIX_ENABLE_BENCHMARKS=ON")]
    if not (PERF / "compare" / "peers.py").exists():
        return [task("peers", [], left_out=f"{PERF} has no compare/peers.py; visit with a checkout's ./dev device")]
    worker = programs.parent / "worker" if (programs.parent / "worker").exists() else programs / "synelix_perf_worker"
    return [task(f"peers/{case}", [sys.executable, "-B", PERF / "compare" / "peers.py", "--program", worker, "--threads",
                                   "1", "--scalars", "float32", "--parts", "dense,windows", "--cases", case, "--out",
                                   "{result}"], f"peers-{case}")
            for case in PEER_CASES]


def all_tasks(programs):
    found = tests(programs)
    if not found:
        raise Refusal(f"{programs} holds no test_* program. Build one for the device (preset cuda or hip) and name its "
                      "folder bin by --programs")
    return found + checks(programs) + benchmarks(programs) + peers(programs)


# ---------------------------------------------------------------- what is kept
def fingerprint(programs):
    """The fingerprint of the measured programs: a visit does not mix two builds."""
    digest = hashlib.sha256()
    for path in sorted(programs.glob("test_*")) + sorted(programs.glob("synelix*")):
        if path.is_file():
            digest.update(path.name.encode())
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]


def save(state, out):
    new = out / "visit.json.new"
    with new.open("w", encoding="utf-8") as file:
        json.dump(state, file, indent=1)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(out / "visit.json")


def load(out, programs):
    """The visit stored in OUT, or a new one."""
    build = fingerprint(programs)
    path = out / "visit.json"
    if path.exists():
        try:
            state = json.loads(path.read_text(encoding="utf-8"))
            if not all(key in state for key in ("build", "tasks", "done")):
                raise ValueError("it has not the keys of a visit")
        except ValueError as error:
            raise Refusal(f"{path} is not a visit that can go on: {error}. Give a new folder") from None
        if state["build"] != build:
            raise Refusal(f"{path} is a visit of another build ({state['build']}, not {build}). Give a new folder")
        return state
    if out.exists() and any(out.iterdir()):
        raise Refusal(f"{out} is not empty and holds no visit.json. Give a new folder")
    return {"build": build, "programs": str(programs), "device": device(), "tasks": all_tasks(programs), "done": {}}


def device():
    """The output of the tool of the device's vendor, or a note that there is none."""
    for words in (["nvidia-smi", "--query-gpu=name,driver_version,memory.total,clocks.max.sm", "--format=csv"],
                  ["rocm-smi", "--showproductname", "--showdriverversion"]):
        if shutil.which(words[0]):
            done = subprocess.run(words, capture_output=True, text=True)
            return (done.stdout + done.stderr).strip()
    return "neither nvidia-smi nor rocm-smi is in PATH"


def merge(state, out, step):
    """Writes one file of a step's benchmarks, in the form of Google Benchmark, from the results of its groups."""
    parts = [out / "parts" / (file_name(one["name"]) + ".json") for one in state["tasks"] if one["result"] == step]
    parts = [json.loads(part.read_text(encoding="utf-8")) for part in parts if part.exists()]
    if parts and step in ("roofs", "goals", "suite"):
        whole = {"context": {**parts[0]["context"], "device": state["device"]},
                 "benchmarks": [row for part in parts for row in part["benchmarks"]]}
        (out / "results" / f"{step}.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


# ---------------------------------------------------------------- running
def file_name(name):
    return re.sub(r"[^\w.-]+", "-", name)


def ended(process, seconds):
    """The exit status, or None if the time was used up; then the process and its children are ended."""
    try:
        return process.wait(max(seconds, 0.0))
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)       # also children that ignored the first signal
            process.wait()


def has_error(result):
    """Whether a benchmark of this file found a wrong answer."""
    rows = json.loads(result.read_text(encoding="utf-8")).get("benchmarks", [])
    return not rows or any(row.get("error_occurred") for row in rows)


def run(one, out, seconds):
    """Runs a task. Gives its status, or None if the slice ended first."""
    path = {True: out / "parts", False: out / "results"}[one["result"] in ("roofs", "goals", "suite")]
    result = path / ((file_name(one["name"]) if path.name == "parts" else str(one["result"])) + ".json")
    words = [word.replace("{result}", str(result)) for word in one["argv"]]
    with (out / "output" / (file_name(one["name"]) + ".txt")).open("w", encoding="utf-8") as output:
        process = subprocess.Popen(words, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   start_new_session=True, env={**os.environ, **NO_BINDING})
        status = ended(process, seconds)
    if status is None:
        return None
    if status or (path.name == "parts" and (not result.exists() or has_error(result))):
        return "failed"
    return "passed"


def go_on(state, out, seconds):
    """Runs the remaining tasks until the slice is used. True if none is left."""
    end = now() + seconds
    for folder in ("output", "parts", "results"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    save(state, out)
    for one in state["tasks"]:
        name = one["name"]
        if state["done"].get(name, {}).get("status") in DONE:
            continue
        if one["left_out"]:
            state["done"][name] = {"status": "left out", "why": one["left_out"]}
            save(state, out)
            continue
        left = end - now()
        tried = state["done"].get(name, {}).get("tried", 0.0)
        if left < seconds / 10 or left < tried:
            return False
        started = now()
        status = run(one, out, left)
        took = now() - started
        if status is None and took < 0.9 * seconds:       # it gets a complete slice next time
            state["done"][name] = {"status": "cut off", "tried": 0.9 * seconds}
        else:
            state["done"][name] = {"status": status or "too long", "seconds": round(took, 1)}
        print(f"visit: {name}: {state['done'][name]['status']} ({took:.0f} s)", file=sys.stderr, flush=True)
        save(state, out)
        if one["result"]:
            merge(state, out, one["result"])
        if status is None:
            return False
    return True


def report(state, is_whole):
    """Prints the tasks that did not pass, the counts, and what to do next. Returns the exit code."""
    status_of = {one["name"]: state["done"].get(one["name"], {}).get("status", "left to run") for one in state["tasks"]}
    counts = {}
    for name, status in status_of.items():
        counts[status] = counts.get(status, 0) + 1
        if status in ("failed", "too long", "left out"):
            print(f"{status:9} {name}" + (f": {state['done'][name]['why']}" if status == "left out" else ""))
    print("visit: " + ", ".join(f"{count} {status}" for status, count in counts.items()))
    if not is_whole:
        print("visit: call again with the same OUT to go on")
        return MORE
    return 1 if counts.get("failed") or counts.get("too long") else 0


def parse(words):
    parser = argparse.ArgumentParser(prog="./dev device --visit", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT", type=Path, help="a new folder, or one of a visit that goes on")
    parser.add_argument("--programs", type=Path, metavar="FOLDER",
                        help="the folder bin of a build for a device (default: that of the pack beside this file, of build/cuda or of build/hip)")
    parser.add_argument("--slice", type=float, default=570.0, metavar="SECONDS",
                        help="how long this call may take (default: 570)")
    parser.add_argument("--again", metavar="TASK", action="append", default=[], help="runs a task again, as --list names it")
    parser.add_argument("--list", action="store_true", help="prints the tasks and their status, and runs nothing")
    given = parser.parse_args(words)
    if not 1 <= given.slice <= 86400:
        parser.error(f"--slice is {given.slice:g}; it must be 1 to 86400 seconds")
    return given


def programs_of(given):
    if given.programs:
        found = [given.programs]
    else:
        found = [PERF / "bin"] + [PERF.parent / "build" / name / "bin" for name in ("cuda", "hip")]
    for folder in found:
        if folder.is_dir():
            return folder.resolve()
    raise Refusal(f"no build for a device: {', '.join(map(str, found))} do not exist. "
                  "Set Kokkos_ROOT to the prefix of a Kokkos with CUDA or HIP, which ./dev device --visit builds with, or "
                  "name a folder by --programs")


def main(words):
    given = parse(words)
    try:
        programs, out = programs_of(given), given.out.resolve()
        state = load(out, programs)
        names = [one["name"] for one in state["tasks"]]
        for name in given.again:
            if name not in names:
                raise Refusal(f"--again {name}: no such task. --list prints the names")
            state["done"].pop(name, None)
        if given.list:
            for name in names:
                print(f"{state['done'].get(name, {}).get('status', 'left to run'):12} {name}")
            return 0
        return report(state, go_on(state, out, given.slice))
    except (Refusal, OSError) as error:
        print(f"visit: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("visit: interrupted; call again with the same OUT to go on", file=sys.stderr)
        return MORE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
