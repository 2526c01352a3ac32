# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The workflow of Snakemake and the program of Dask in docs/clusters.md, on this machine."""
import signal
import subprocess

from recording import RecordingCase


class Workflows(RecordingCase):
    def test_every_script_has_a_test(self):
        self.prepare(1000)
        self.assertEqual(self.scripts, sorted([
            "Snakefile", "array.sbatch", "dask_parts.py", "facts.sbatch", "list.sbatch", "one_job.sbatch", "ranks.sbatch",
            "step.sbatch"]))

    def start(self, *words):
        log = open(self.folder / "workflow.log", "a", encoding="utf-8")
        self.addCleanup(log.close)
        process = subprocess.Popen(words, cwd=self.folder, stdout=log, stderr=log)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def require_success(self, process):
        code = process.wait()
        self.assertEqual(code, 0, (self.folder / "workflow.log").read_text()[-3000:])

    def test_snakemake(self):
        def test():
            words = ("snakemake", "--cores", "2")
            self.write_recording("recordings/day0.h5", self.size // 4, seed=0)
            first = self.start(*words)
            self.runs.hold(of=5).kill(signal.SIGKILL)
            self.assertNotEqual(first.wait(), 0)
            self.require_success(self.start(*words))
            self.require_same()
            self.require_same("features/day0.h5", "recordings/day0.h5")
        self.attempt(test)

    def test_dask(self):
        def test():
            process = self.start("python", "dask_parts.py")
            self.runs.hold(of=4).kill(signal.SIGKILL)
            self.require_success(process)
            self.require_same()
        self.attempt(test)
