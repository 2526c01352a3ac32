# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of the program that scripts start: what they print, and how to hold them in mid-run.

Scripts find a `synelix` on their path that keeps what a run prints, makes its blocks small and its work slow, and then
becomes the program.
"""
import os
import re
import signal

from slurm import wait_for

WRAPPER = """#!/bin/bash
log={runs}/${{SLURM_ARRAY_JOB_ID:-${{SLURM_JOB_ID:-0}}}}_${{SLURM_ARRAY_TASK_ID:-0}}_${{SLURM_PROCID:-0}}_$$
[[ $1 != convolve ]] || set -- "$@" --method direct --batch 44096,,
exec {program} "$@" 2>"$log"
"""


class TooFast(Exception):
    """A run ended before it was held: the problem has to be larger."""


class Run:
    """A process of the program."""

    def __init__(self, log):
        self._log = log
        self.job, self.array_task, self.rank, self.process = map(int, log.name.split("_"))

    def text(self):
        return self._log.read_text(errors="replace")

    def status(self, field):
        """A line of /proc; nothing if the process has ended."""
        try:
            with open(f"/proc/{self.process}/status", encoding="utf-8") as status:
                return next((line.split()[1] for line in status if line.startswith(field + ":")), "")
        except (FileNotFoundError, ProcessLookupError):
            return ""

    def is_early(self):
        """Whether at most half of the blocks are done; nothing where none is."""
        blocks = re.findall(r", block (\d+) of (\d+)", self.text())
        return 2 * int(blocks[-1][0]) <= int(blocks[-1][1]) if blocks else None

    def is_over(self):
        return self.status("State") in ("", "Z", "X")

    def kill(self, number):
        os.kill(self.process, number)

    def let_go(self):
        if not self.is_over():
            self.kill(signal.SIGCONT)

    def wait_for_pending(self, number):
        """Waits until this signal has reached the process, which is held."""
        def is_pending():
            return int(self.status("ShdPnd") or "0", 16) >> (number - 1) & 1 or self.is_over()
        wait_for(f"signal {number} at a held run", is_pending)

    def wait(self):
        wait_for("the end of a run", self.is_over)


class Runs:
    """All runs of a test."""

    def __init__(self, folder, program):
        self._folder = folder / "runs"
        self._folder.mkdir()
        self.path = folder / "bin"
        self.path.mkdir()
        wrapper = self.path / "synelix"
        wrapper.write_text(WRAPPER.format(runs=self._folder, program=program))
        wrapper.chmod(0o755)

    def all(self, **wanted):
        """Those with these attributes: job, array_task, rank."""
        runs = [Run(log) for log in self._folder.iterdir()]
        return [run for run in runs if all(getattr(run, name) == value for name, value in wanted.items())]

    def hold(self, of=1, **wanted):
        """Stops such a run in the middle: after its first block, and before its second half. There will be `of`."""
        def began():
            found = [run for run in self.all(**wanted) if run.is_early() is not None]
            run = next((run for run in found if run.is_early() and not run.is_over()), None)
            if run is None and len(found) >= of:
                raise TooFast
            return run
        try:
            run = wait_for(f"the first block of a run with {wanted}", began)
        except AssertionError as error:
            raise AssertionError("\n".join([str(error), *(run.text() for run in self.all(**wanted))])) from None
        try:
            run.kill(signal.SIGSTOP)
            wait_for("a stopped process", lambda: run.status("State") == "T" or run.is_over())
        except ProcessLookupError:
            raise TooFast from None
        if run.is_over() or not run.is_early():
            run.let_go()
            raise TooFast
        return run
