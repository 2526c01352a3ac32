# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each command, with one call of the operating system or one allocation that fails: the command
either does all of its work, or ends with exit code 1 and a message, and leaves no half output.

SYNELIX_FAULTS=all takes every call; else a sample is taken of those that are many."""
import errno
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from tool import PROGRAM, ToolCase  # noqa: E402

ALL = os.environ.get("SYNELIX_FAULTS") == "all"
SAMPLE = 12                             # failing calls of each kind where not all are taken
FOREVER = 1 << 40
CALLS = ("allocate", "open", "read", "write", "sync", "rename", "close", "thread", "align")
# Name of the errno, and whether the later calls fail, too.
FAULTS = {
    "allocate": (("ENOMEM", False), ("ENOMEM", True)),
    "open": (("EMFILE", False), ("EMFILE", True), ("EIO", False)),
    "read": (("EIO", False), ("EINTR", False)),
    "write": (("EIO", False), ("ENOSPC", True), ("EINTR", False)),
    "sync": (("EIO", False), ("ENOSPC", True), ("EINTR", False)),
    "rename": (("EIO", False), ("ENOSPC", True)),
    "close": (("EIO", False),),
    "thread": (("EAGAIN", True),),
    "align": (("ENOMEM", False),),
}
BANK = ("--basis", "raised-cosine-log", "--bases", "4", "--window", "9")
DESIGN = """
[inputs.x]
data = "in.h5:/x"
[bases.past]
type = "raised-cosine-log"
bases = 3
window = 9
[bases.place]
type = "bspline"
mode = "eval"
bases = 5
bounds = [0.0, 10.0]
[[terms]]
name = "past"
input = "x"
basis = "past"
[[terms]]
name = "place"
input = "x"
basis = "place"
"""
BLOCKS = ("--batch", "72,,", "--chunk", "64x3x4")


class Orders:
    """A program that waits before its main, and runs it for each order in a separate process."""

    def __init__(self, folder, environment):
        orders, self._to = os.pipe()
        answers, written = os.pipe()
        self._from = os.fdopen(answers)
        environment = dict(environment, LD_PRELOAD=os.environ["SYNELIX_FAILS_AT"],
                           FAULTS_FROM=str(orders), FAULTS_TO=str(written))
        self._process = subprocess.Popen([PROGRAM], cwd=folder, env=environment,
                                         stdin=subprocess.DEVNULL, pass_fds=(orders, written))
        os.close(orders)
        os.close(written)

    def run(self, words, call="none", at=0, error=0, times=1):
        """Exit code, below 0 for a signal; failed calls, descriptor of the first, calls of each."""
        lines = [call, at, error, times, len(words) + 1, PROGRAM, *words]
        os.write(self._to, "".join(f"{line}\n" for line in lines).encode())
        status, failed, descriptor, *made = map(int, self._from.readline().split())
        return os.waitstatus_to_exitcode(status), failed, descriptor, dict(zip(CALLS, made))

    def close(self):
        os.close(self._to)
        self._process.wait()
        self._from.close()


class Faults(ToolCase):
    def setUp(self):
        super().setUp()
        self.counts(400, 3)
        self.write("old.h5", "g/old", values=np.arange(2000.0))
        (self.folder / "design.toml").write_text(DESIGN)
        self.inputs = {path.name for path in self.folder.iterdir()}
        self.orders = Orders(self.folder, dict(
            self.environment(), OMP_PROC_BIND="false", OMP_NUM_THREADS="1", LC_ALL="C"))
        self.addCleanup(self.orders.close)
        self.runs = 0
        self.found = []

    def clear(self):
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name not in self.inputs:
                path.unlink()

    def everything(self, name):
        """The contents of the datasets of a file; nothing if there is no file."""
        if not (self.folder / name).exists():
            return None
        found = {}
        with h5py.File(self.folder / name, "r") as file:
            file.visititems(lambda path, item: found.update(
                {path: (item.shape, item[...].tobytes())} if isinstance(item, h5py.Dataset) else {}))
        return found

    def text(self, name):
        return (self.folder / name).read_text(errors="replace")

    def begin(self, before):
        self.clear()
        if before:
            shutil.copy(self.folder / before, self.folder / "out.h5")

    def check(self, *words, before=None, least=None):
        """Runs a command with every fault, and sees how each run ends."""
        self.begin(before)
        code, _, _, made = self.orders.run(words)
        self.assertEqual(code, 0, self.text("stderr.txt"))
        expected = self.everything("out.h5"), self.text("stdout.txt") if "info" in words else ""
        old = self.everything(before) if before else None
        for call, count in made.items():
            for error, is_forever in FAULTS[call]:
                step = 1 if ALL else max(1, count // (least or SAMPLE))
                for at in range(1, count + 1, step):
                    self.begin(before)
                    self.ended(words, expected, old, call, at, error, is_forever)
        print(f"{' '.join(words)}: {self.runs} faults, {len(self.found)} wrong; calls {made}",
              flush=True)
        self.assertEqual(self.found, [], "\n".join(self.found[:40]))

    def ended(self, words, expected, old, call, at, error, is_forever):
        self.runs += 1
        code, failed, descriptor, _ = self.orders.run(
            words, call, at, getattr(errno, error), FOREVER if is_forever else 1)
        wrong = self.wrong(words, expected, old, code, failed, descriptor, error)
        if wrong:
            stderr = self.text("stderr.txt").strip().replace("\n", " | ")[-300:]
            self.found.append(f"{words[0]}: {call} {at} {error}{' from there on' if is_forever else ''}"
                              f": {wrong} (exit code {code}, stderr: {stderr})")

    def wrong(self, words, expected, old, code, failed, descriptor, error):
        if code < 0:
            return f"ended by {signal.Signals(-code).name}"
        made = self.everything("out.h5")
        if code == 0:
            if made != expected[0]:
                return "a success with other output"
            if expected[1] and self.text("stdout.txt") != expected[1]:
                return "a success that printed something else"
            return "" if failed or not self.left_over() else "left behind " + str(self.left_over())
        if failed == 0:
            return "failed without a fault"
        if error == "EINTR":
            return "a call that was interrupted is not made again"
        if code != 1:
            return "not exit code 1"
        if made not in (old, expected[0]):
            return "half an output under the final name"
        lines = self.text("stderr.txt").splitlines()
        if descriptor != 2 and not any(line.startswith("synelix: ") for line in lines):
            return "no message"
        return self.wrong_next_run(words, expected) if self.left_over() else ""

    def wrong_next_run(self, words, expected):
        """The rest of a failed run is resumed, or begun anew."""
        stderr = self.text("stderr.txt")
        resume = ("--resume",) if words[0] in ("convolve", "features") else ("--overwrite",)
        code, *_ = self.orders.run((*words, *resume))
        if code != 0:
            return "the next run fails: " + self.text("stderr.txt").strip()
        if self.everything("out.h5") != expected[0] or self.left_over():
            return "the next run gives another output"
        (self.folder / "stderr.txt").write_text(stderr)
        return ""

    def test_convolve(self):
        self.check("convolve", "in.h5:/x", "out.h5:/f", *BANK, *BLOCKS)

    def test_convolve_filtered(self):
        self.check("convolve", "in.h5:/x", "out.h5:/f", *BANK, *BLOCKS, "--filter", "deflate:1",
                   "--quiet")

    def test_convolve_appended(self):
        self.check("convolve", "in.h5:/x", "out.h5:/f", *BANK, *BLOCKS, "--append", "--quiet",
                   before="old.h5")

    def test_join(self):
        for number in (0, 1):
            self.tool("convolve", "in.h5:/x", "out.h5:/f", *BANK, *BLOCKS, "--filter", "deflate:1",
                      "--part", f"{number}/2", "--quiet")
            (self.folder / f"out.h5.part-{number}-of-2").rename(self.folder / f"{number}.h5")
            self.inputs.add(f"{number}.h5")
        parts = {name: (self.folder / name).read_bytes() for name in ("0.h5", "1.h5")}
        self.check("join", "out.h5", *parts, "--quiet")
        for name, data in parts.items():
            self.assertEqual((self.folder / name).read_bytes(), data)

    def test_features(self):
        self.check("features", "design.toml", "out.h5:/f", "--quiet")

    def test_simulate(self):
        self.check("simulate", "out.h5:/x", "--samples", "500", "--channels", "3", "--quiet")

    def test_basis(self):
        self.check("basis", *BANK, "-o", "out.h5:/taps")

    def test_plan(self):
        self.check("plan", "in.h5:/x", *BANK)

    def test_info(self):
        self.check("info", "in.h5")


if __name__ == "__main__":
    unittest.main()
