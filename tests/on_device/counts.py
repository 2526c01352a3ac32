#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what kernels do for the cases of counts.json, on the emulator, and predicts times of a device.

    counts.py --build FOLDER --emulator FOLDER [--json OUT] [CASE ...]

A count depends on neither the machine nor the load. A case that needs more than its `most` fails: exit code 1. So does one
whose `pass`, some of its kernels, moves more than `most_bytes` times the bytes that these must read and write (`moved`).
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "gates"))

import ceilings  # noqa: E402  (in the folder of gates)
import kernel  # noqa: E402

TARGET = "sm_90"
SECTOR = 32                                # bytes
REGISTERS, SHARED, THREADS = 65536, 233472, 2048       # of a multiprocessor of an H100
LANES = 32                                 # threads of a warp
LINE = re.compile(r"emulator: +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +([\d.]+)  (.*)")
DETAIL = re.compile(r"emulator: +multiply-adds (\d+), sectors read (\d+), written (\d+), shared accesses (\d+), "
                    r"bank conflicts (\d+), barriers (\d+), local bytes (\d+), of warps (\d+), "
                    r"different sectors read (\d+), written (\d+)")
DETAILS = ("multiply_adds", "sectors_read", "sectors_written", "shared_accesses", "bank_conflicts", "barriers", "local_bytes",
           "issued", "different_read", "different_written")
HEADS = ("case", "instructions a", "before", "now", "at most", "wanted", "sectors read", "written", "different read", "written",
         "bank conflicts", "lanes", "resident threads", "barriers a team", "local bytes", "predicted us", "over memory",
         "bytes over least")


def launches_of(log):
    """For each kernel that ran: a dictionary of its counts, in the emulator's order."""
    found = []
    for line in log.splitlines():
        if match := LINE.match(line):
            found.append({"name": kernel.short_name(match[8]) or match[8], "launches": int(match[1]), "teams": int(match[2]),
                          "threads": int(match[3]), "shared_bytes": int(match[4]), "instructions": int(match[6])})
        elif (match := DETAIL.match(line)) and found:
            found[-1].update(zip(DETAILS, map(int, match.groups())))
    return found


def sums_of(kernels, pattern):
    """Total counts of the kernels whose name begins with `pattern`."""
    chosen = [row for row in kernels if row.get("instructions") and fnmatch.fnmatch(row["name"], pattern + "*")]
    if not chosen:
        raise SystemExit(f"counts: no kernel {pattern} ran; these did: {', '.join(row['name'] for row in kernels)}")
    keys = ("launches", "teams", "instructions", *DETAILS)
    most = max(chosen, key=lambda row: row["instructions"])
    return {"kernels": [row["name"] for row in chosen], "occupancy": occupancy_of(most),
            **{key: sum(row[key] for row in chosen) for key in keys}}


def occupancy_of(row, table=None):
    """Share of a multiprocessor's threads that are resident, with the registers that the gate allows the kernel."""
    found = (table or ceilings.table()).row(kernel.Kernel(row["name"], TARGET))
    registers = found["most"][TARGET][0] if found else 255
    threads = max(32, row["threads"])
    teams = min(REGISTERS // (registers * threads), SHARED // (row["shared_bytes"] + 1024), THREADS // threads, 32)
    return teams * threads / THREADS


def bytes_over_least(case, needs, kernels):
    """Bytes that the kernels of a pass move, over those that they must."""
    counts = sums_of(kernels, case.get("pass", case["kernel"]))
    return (counts["sectors_read"] + counts["sectors_written"]) * SECTOR / needs.get("moved", needs["read"] + needs["written"])


def ratios_of(case, needs, counts, device):
    """The ratios of the counts to the needs of a case."""
    per = needs[case["per"]]
    seconds = counts["issued"] * LANES / device["instructions_a_second"]
    limit = (needs["read"] + needs["written"]) / device["bytes_a_second"]
    return {"count": counts["instructions"] / per,
            "sectors_read": counts["sectors_read"] * SECTOR / needs["read"],
            "sectors_written": counts["sectors_written"] * SECTOR / needs["written"],
            "different_read": counts["different_read"] * SECTOR / needs["read"],
            "different_written": counts["different_written"] * SECTOR / needs["written"],
            "bank_conflicts": counts["bank_conflicts"] / max(1, counts["shared_accesses"]),
            "barriers": counts["barriers"] / max(1, counts["teams"]),
            "local_bytes": counts["local_bytes"],
            "lanes": counts["instructions"] / max(1, counts["issued"]),
            "predicted_us": max(seconds, limit) * 1e6,
            "over_memory": seconds / limit}


def run(case, arguments, device):
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        environment = {**os.environ, "EMULATE_COUNTS": "1", "EMULATE_RACES": "0", "EMULATE_LOG": str(log),
                       "EMULATE_MULTIPROCESSORS": "2", "OMP_NUM_THREADS": "1", "OMP_PROC_BIND": "false",
                       "LD_LIBRARY_PATH": os.pathsep.join(filter(None, (str(arguments.emulator),
                                                                        os.environ.get("LD_LIBRARY_PATH"))))}
        done = subprocess.run([str(arguments.build / "bin/synelix_counted"), case["case"]], env=environment, text=True,
                              capture_output=True, check=False)
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    if done.returncode or "emulator: no fault" not in text:
        raise SystemExit(f"counts: {case['case']} failed: {done.stderr.strip()} {text[-2000:]}")
    needs = json.loads(done.stdout)
    kernels = launches_of(text)
    counts = sums_of(kernels, case["kernel"])
    return {"case": case["case"], "needs": needs, "counts": counts, **ratios_of(case, needs, counts, device),
            "bytes_over_least": bytes_over_least(case, needs, kernels)}


def row_of(case, result):
    per = "multiply-add" if case["per"] == "multiply_adds" else "result"
    cells = (case["what"], per, f"{case['before']:.2f}", f"{result['count']:.2f}", f"{case['most']:g}", f"{case['wanted']:g}",
             f"{result['sectors_read']:.2f}", f"{result['sectors_written']:.2f}",
             f"{result['different_read']:.2f}", f"{result['different_written']:.2f}", f"{result['bank_conflicts']:.3f}",
             f"{result['lanes']:.1f}", f"{result['counts']['occupancy']:.2f}", f"{result['barriers']:.1f}",
             f"{result['local_bytes']}", f"{result['predicted_us']:.1f}", f"{result['over_memory']:.2f}",
             f"{result['bytes_over_least']:.2f}")
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--emulator", type=pathlib.Path, required=True, help="folder of libcudart.so.13 and libcuda.so.1")
    parser.add_argument("--json", type=pathlib.Path, help="write the numbers here")
    parser.add_argument("case", nargs="*", help="cases of counts.json; none: all")
    arguments = parser.parse_args()
    table = json.loads((HERE / "counts.json").read_text(encoding="utf-8"))
    unknown = set(arguments.case) - {case["case"] for case in table["cases"]}
    if unknown:
        raise SystemExit(f"counts: counts.json has no case {', '.join(sorted(unknown))}")
    cases = [case for case in table["cases"] if not arguments.case or case["case"] in arguments.case]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda case: run(case, arguments, table["device"]), cases))
    print("| " + " | ".join(HEADS) + " |\n|" + "---|" * len(HEADS))
    for case, result in zip(cases, results):
        print(row_of(case, result))
    failed = [case["case"] for case, result in zip(cases, results) if result["count"] > case["most"]]
    for name in failed:
        print(f"counts: {name} needs more instructions than counts.json allows: `most`")
    wide = [case["case"] for case, result in zip(cases, results)
            if result["bytes_over_least"] > case.get("most_bytes", result["bytes_over_least"])]
    for name in wide:
        print(f"counts: {name} moves more bytes than counts.json allows: `most_bytes`")
    if arguments.json:
        arguments.json.write_text(json.dumps({"device": table["device"], "results": results}, indent=1) + "\n", encoding="utf-8")
    return 1 if failed or wide else 0


if __name__ == "__main__":
    sys.exit(main())
