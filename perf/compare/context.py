# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a result has to say about where it comes from."""
import datetime
import json
import os
import platform
import re
import subprocess
from pathlib import Path

ROOFS = ("multiply_adds_float", "multiply_adds_double", "read", "store", "stream")
TREE = Path(__file__).resolve().parents[2]


def processor():
    try:
        found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


def revision():
    def git(*words):
        return subprocess.run(["git", "-C", TREE, *words], capture_output=True, text=True).stdout.strip()
    changed = [line for line in git("status", "--porcelain").splitlines() if not line[3:].startswith("perf/results/")]
    return git("rev-parse", "--short=12", "HEAD") + (" with changes" if changed else "")


def context(bench):
    """Machine, compiler, revision, threads, versions of the C++ peers, and roofs of a bench."""
    return {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "revision": revision(),
             "processor": processor(), "processors": len(os.sched_getaffinity(0)), "load": os.getloadavg(),
             "python": platform.python_version(), "threads": bench.threads,
             "library": bench.library.ask("describe"),
             "roofs": {name: bench.roof(name, 0.3) for name in ROOFS}}


def peer_versions(bench):
    """Versions of the Python peers that a bench has started."""
    found = {}
    for worker in bench.workers.started.values():
        if not worker.ended:
            found.update(worker.ask("describe").get("versions", {}))
    return found


def save(result, path):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n")
