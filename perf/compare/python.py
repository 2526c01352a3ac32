# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The speed that the Python package must reach: ./dev perf --python.

One line for each: what, measured, must, aim. It exits 1 if one is missed. NeMoS, SciPy and the C++ library get the same
arrays and as many processors. The environment is that of the package's tests.
"""
import argparse
import importlib.metadata
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from context import processor, revision, save
from verdicts import PYTHON_MUSTS, Result, has_failed, line, median_ratio, verdict

HERE = Path(__file__).parent
IMPORT = "import time, numpy; begin = time.perf_counter(); import synelix; print(time.perf_counter() - begin)"


def say(text):
    print(f"  {text}", file=sys.stderr, flush=True)


def part(name, threads, program, recording=None):
    say(f"{name}, {threads} thread{'s' * (threads > 1)}")
    command = [sys.executable, "-B", str(HERE / "python_parts.py"), name, str(threads), program, *([recording] if recording else [])]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return {"absent": (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def times(found, digits=3):
    return ", ".join(f"{name} {statistics.median(values):.{digits}f} s" for name, values in found.items())


# ---------------------------------------------------------------- rows: {key: Result}
def small(found):
    micro = {name: 1e6 * statistics.median(values) for name, values in found.items()}
    note = ", ".join(f"{name} {value:.1f}" for name, value in micro.items())
    return {"call": Result(micro["convolve_out"], note), "plan": Result(micro["plan_run"])}


def large(found, threads):
    peers, cpp = found["over_peers"], found["over_cpp"]
    ours = peers["convolve_out"]
    return {f"nemos_{threads}": Result(median_ratio(peers["nemos"], ours), times(peers)),
            f"scipy_{threads}": Result(median_ratio(peers["scipy"], ours)),
            f"cpp_{threads}": Result(median_ratio(cpp["convolve_out"], cpp["cpp"]),
                                     f"plan.run {median_ratio(cpp['plan_run'], cpp['cpp']):.3f}; {times(cpp, 4)}")}


def latency(found):
    beside = sorted(found["convolve_out_beside"])
    note = (f"median {1e3 * statistics.median(beside):.3f} ms, "
            f"99.9 % {1e3 * beside[int(.999 * (len(beside) - 1))]:.2f} ms of {len(beside)} calls; "
            f"plan.run at most {1e3 * max(found['plan_run_beside']):.2f} ms; the long ones take {1e3 * found['long'][0]:.0f} ms")
    return {"latency": Result(1e3 * beside[-1], note)}


def fit(found):
    ours, theirs = statistics.median(found["ours"]), statistics.median(found["nemos"])
    note = (f"{found['rows']} rows, {found['columns']} columns: {ours:.4f} s and {theirs:.2f} s, from stored features "
            f"{statistics.median(found['ours_stored']):.3f} s; violations {found['violation']:.0e} and {found['nemos_violation']:.0e}")
    return {"fit": Result(theirs / ours, note)}


def imports():
    seconds = [float(subprocess.run([sys.executable, "-c", IMPORT], check=True, capture_output=True, text=True).stdout) for _ in range(15)]
    return {"import": Result(1e3 * statistics.median(seconds), f"least {1e3 * min(seconds):.1f} ms")}, seconds


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--program", required=True, help=argparse.SUPPRESS)
    words.add_argument("--only", help="these parts: small, large, latency, import, fit")
    words.add_argument("--recording", default=os.path.join(os.environ["SYNELIX_TEST_DATA"], "A8604.nwb")
                       if "SYNELIX_TEST_DATA" in os.environ else None,
                       help="an NWB file with units and one interval table")
    words.add_argument("--out", help="keeps everything measured as JSON")
    options = words.parse_args()
    packages = ("numpy", "scipy", "jax", "nemos", "synelix")
    around = {"revision": revision(), "processor": processor(), "processors": len(os.sched_getaffinity(0)), "load": os.getloadavg(),
              "python": sys.version.split()[0], "versions": {name: importlib.metadata.version(name) for name in packages}}
    parts = {"small": [("small", 1, small, ("call", "plan"))], "latency": [("latency", 2, latency, ("latency",))],
             "large": [("large", n, lambda found, n=n: large(found, n), tuple(f"{key}_{n}" for key in ("nemos", "scipy", "cpp")))
                       for n in (1, 2)],
             "fit": [("fit", 1, fit, ("fit",))]}
    asked = options.only.split(",") if options.only else [*parts, "import"]
    if set(asked) - {*parts, "import"}:
        words.error(f"--only is {options.only}; parts are {', '.join([*parts, 'import'])}")
    results, answers = {}, {}
    if "import" in asked:
        found, answers["import"] = imports()
        results.update(found)
    for name, threads, rows, keys in (one for key in parts if key in asked for one in parts[key]):
        if name == "fit" and not options.recording:
            found = {"absent": "no recording was named (--recording A8604.nwb)"}
        else:
            found = part(name, threads, options.program, options.recording if name == "fit" else None)
        answers[f"{name}_{threads}"] = found
        results.update({key: Result(None, found["absent"]) for key in keys} if "absent" in found else rows(found))
    musts = [must for must in PYTHON_MUSTS if must.key in results]
    for must in musts:
        print(line(must, results[must.key]), flush=True)
    met = sum(verdict(must, results[must.key]) in ("met", "aim met") for must in musts)
    around["load_at_the_end"] = os.getloadavg()
    print(f"{met} of {len(musts)} musts are met; load {around['load'][0]:.1f} at the start")
    if options.out:
        save({"context": around, "answers": answers, "rows": {
            must.key: {"what": must.what, "must": must.must, "aim": must.aim, "verdict": verdict(must, results[must.key]),
                       **vars(results[must.key])} for must in musts}}, options.out)
    return 1 if has_failed(results, musts) else 0


if __name__ == "__main__":
    sys.exit(main())
