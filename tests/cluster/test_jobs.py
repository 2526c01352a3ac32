# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The job scripts of docs/clusters.md on simulated nodes, also interrupted in mid-run."""
import json
import os
import signal

from recording import RecordingCase
from slurm import command, wait_for


ENDED = {"COMPLETED", "FAILED", "CANCELLED"}


class Jobs(RecordingCase):
    def write_script(self, name, words):
        """A script that is not in the page."""
        (self.folder / name).write_text(f'#!/bin/bash\nsynelix convolve "$IN" "$OUT" --basis history --window 50 {words}\n')
        self.scripts.append(name)

    def test_one_job_is_stopped_and_requeued(self):
        def test():
            job = self.submit("one_job.sbatch")
            run = self.hold()
            command("scancel", "--signal=USR1", "--batch", job.name)
            run.wait_for_pending(signal.SIGUSR1)    # the script has passed it on
            run.let_go()
            run.wait()
            self.assertRegex(run.text(), "stopped by .* is kept")
            job.wait()
            self.assertEqual(job.restarts(), [1])
            second = next(other for other in self.runs.all(job=self.job) if other.process != run.process)
            self.assertRegex(second.text(), r"(?m)^resumed ")
            self.require_same()
        self.attempt(test)

    def test_one_job_is_canceled_and_submitted_again(self):
        def test():
            job = self.submit("one_job.sbatch")
            self.hold()
            command("scancel", job.name)    # continues the process, and ends it
            job.wait("CANCELLED")
            self.assertTrue((self.folder / "features.h5.part").exists())
            self.submit("one_job.sbatch").wait()
            self.require_same()
        self.attempt(test)

    def test_step(self):
        self.prepare(self.samples)
        self.submit("step.sbatch").wait()
        self.assertEqual({run.rank for run in self.runs.all(job=self.job)}, {0, 1, 2, 3})
        self.require_same()

    def test_step_with_facts(self):
        self.prepare(self.samples)
        self.submit("facts.sbatch").wait()
        self.require_same()
        self.assertFalse((self.folder / "features.h5.part.facts").exists())

    def test_step_with_a_killed_task(self):
        def test():
            job = self.submit("step.sbatch")
            self.hold(rank=2).kill(signal.SIGKILL)
            job.wait("FAILED")
            self.assertRegex(self.ledger(), "an output in parts, not finished")
            self.submit("step.sbatch").wait()
            self.require_same()
        self.attempt(test)

    def test_array_with_requeued_tasks(self):
        def test():
            job = self.submit("array.sbatch")
            held = {number: self.hold(array_task=number) for number in (2, 5)}
            for number, run in held.items():
                command("scontrol", "requeue", job.task(number).name)
                run.wait()
            job.wait()
            self.assertEqual(sorted(job.restarts()), [0, 0, 0, 0, 0, 0, 1, 1])
            self.require_same()
        self.attempt(test)

    def test_array_that_begins_at_three(self):
        self.prepare(self.samples)
        self.submit("array.sbatch", "--array=3-10").wait()
        self.assertEqual({run.array_task for run in self.runs.all(job=self.job)}, set(range(3, 11)))
        self.require_same()

    def test_canceled_array_is_finished_by_a_step(self):
        def test():
            job = self.submit("array.sbatch")
            run = self.hold(array_task=1)
            command("scancel", job.name)
            run.wait()
            wait_for("the end of the array", lambda: job.states() <= ENDED)
            self.assertIn("CANCELLED", job.states())
            self.submit("step.sbatch").wait()       # other parts
            self.require_same()
        self.attempt(test)

    def test_list_of_recordings(self):
        def test():
            for number in range(5):
                self.write_recording(f"day{number}.h5", self.size // 4, seed=number)
            (self.folder / "recordings.txt").write_text(
                "".join(f"day{number}.h5:/samples features{number}.h5:/features\n" for number in range(5)))
            job = self.submit("list.sbatch")
            run = self.hold(array_task=1)
            run.kill(signal.SIGKILL)
            wait_for("the end of the array", lambda: job.states() <= ENDED)
            self.assertIn("FAILED", job.states())
            self.submit("list.sbatch").wait()
            for number in range(5):
                self.require_same(f"features{number}.h5", f"day{number}.h5")
        self.attempt(test)

    def test_ranks_of_mpi(self):
        self.prepare(1000)
        (self.folder / "16_ranks").symlink_to(os.environ["CLUSTER_RANKS"])
        job = self.submit("ranks.sbatch")
        job.wait()
        self.assertRegex(job.log(), r"sums of the features of channel 0: 628\.4964815\d* 1567\.173346\d* ")

    def test_threads_are_those_of_the_task(self):
        self.prepare(1000)
        self.write_script("threads.sbatch", "--json >report.json")
        self.submit("threads.sbatch", "--cpus-per-task=1").wait()
        self.assertEqual(json.loads((self.folder / "report.json").read_text())["threads"], 1)

    def test_batch_script_is_no_part(self):
        self.prepare(1000)
        self.write_script("alone.sbatch", "--part auto")
        self.submit("alone.sbatch", "--ntasks=2").wait("FAILED")
        self.assertIn("A batch script alone is one process", self.runs.all(job=self.job)[0].text())

    def test_uneven_array_is_no_part(self):
        self.prepare(1000)
        self.write_script("uneven.sbatch", "--part auto")
        self.submit("uneven.sbatch", "--array=2,5,6").wait("FAILED")
        self.assertIn("not evenly spaced", self.runs.all(job=self.job)[0].text())
