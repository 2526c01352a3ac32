# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values at which Kokkos would end the program: numbers of threads, and devices."""
import json
import os
import subprocess
import unittest

from tool import HAS_LIBOMP, PROGRAM, ToolCase

BANK = ("--basis", "history", "--window", "3")


class Threads(ToolCase):
    def refuse(self, name, value, words=None, **environment):
        """An error of usage that names the setting and the value."""
        commands = [("info",)]
        if words is None:
            path, _ = self.counts(20, 2)
            commands += [("plan", path, *BANK), ("convolve", path, "out.h5:/f", *BANK)]
        for command in commands:
            with self.subTest(command=command[0], **{name: value}):
                done = self.tool(*command, *(words or ()), code=2, environment=environment)
                self.assertEqual(done.stdout, "")
                lines = done.stderr.splitlines()
                # OpenMP's runtime reports its reading of the variable before the program starts.
                lines = [line for line in lines if line.startswith("synelix")]
                self.assertEqual(len(lines), 1, done.stderr)
                self.assertTrue(lines[0].startswith(f"synelix: {name}: '{value}' is not "), lines)
                self.assertTrue(lines[0].endswith("."), lines)
                self.assertFalse((self.folder / "out.h5").exists())

    def has_openmp(self):
        return "OpenMP" in self.json("info")["execution_space"]

    def test_kokkos_variable(self):
        for value in ("abc", "-3", "0", "", "1.5", "2 threads", "99999999999999999999"):
            (self.folder / "in.h5").unlink(missing_ok=True)
            self.refuse("KOKKOS_NUM_THREADS", value, KOKKOS_NUM_THREADS=value)

    def test_kokkos_flag(self):
        for value in ("abc", "-3", "0", "", "99999999999999999999"):
            self.refuse("--kokkos-num-threads", value, [f"--kokkos-num-threads={value}"])

    def test_more_than_openmp_has_room_for(self):
        if not self.has_openmp():
            self.skipTest("this Kokkos has no OpenMP")
        for value in ("513", "1000", "100000"):
            self.refuse("--kokkos-num-threads", value, [f"--kokkos-num-threads={value}"])
            (self.folder / "in.h5").unlink(missing_ok=True)
            self.refuse("KOKKOS_NUM_THREADS", value, KOKKOS_NUM_THREADS=value)
            (self.folder / "in.h5").unlink(missing_ok=True)
            self.refuse("OMP_NUM_THREADS", value, OMP_NUM_THREADS=value)

    def test_openmp_variable(self):
        if not self.has_openmp():
            self.skipTest("this Kokkos has no OpenMP")
        ends_llvms = ("abc", "-3", "2,many")         # LLVM's OpenMP ends the process itself, before the program begins
        for value in (*(() if HAS_LIBOMP else ends_llvms), "0", "2,,2", "1000,2"):
            (self.folder / "in.h5").unlink(missing_ok=True)
            self.refuse("OMP_NUM_THREADS", value, OMP_NUM_THREADS=value)
        for value in ("2", " 2 ", "2,1", "2 , 1"):
            with self.subTest(value=value):
                self.tool("info", environment={"OMP_NUM_THREADS": value})

    def test_variables_of_devices(self):
        for name, values in (("KOKKOS_DEVICE_ID", ("abc", "-1", "")),
                             ("KOKKOS_MAP_DEVICE_ID_BY", ("chance", ""))):
            for value in values:
                self.refuse(name, value, ["--json"], **{name: value})

    def test_a_command_without_kokkos_does_not_care(self):
        self.tool("basis", *BANK, environment={"KOKKOS_NUM_THREADS": "abc"})

    def threads_of(self, *words, **environment):
        """Threads of a plan with only these environment variables."""
        path, _ = self.counts(20, 2)
        done = subprocess.run(["env", "-u", "OMP_NUM_THREADS", PROGRAM, "plan", path, *BANK, "--json", *words], cwd=self.folder,
                              text=True, capture_output=True, env=self.environment(**environment))
        (self.folder / "in.h5").unlink()
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["threads"]

    def test_slurm_and_the_option(self):
        if not self.has_openmp():
            self.skipTest("this Kokkos has no OpenMP")
        processors = len(os.sched_getaffinity(0))
        self.assertEqual(self.threads_of(SLURM_CPUS_PER_TASK="1"), 1)
        self.assertLessEqual(self.threads_of(SLURM_CPUS_PER_TASK="400"), processors)
        self.assertLessEqual(self.threads_of(SLURM_CPUS_PER_TASK=""), processors)
        self.assertEqual(self.threads_of("--threads", "3", SLURM_CPUS_PER_TASK="1"), 3)
        self.assertEqual(self.threads_of("--kokkos-num-threads=3", SLURM_CPUS_PER_TASK="1"), 3)
        self.assertEqual(self.threads_of(SLURM_CPUS_PER_TASK="1", KOKKOS_NUM_THREADS="3"), 3)
        path, _ = self.counts(20, 2)
        done = self.tool("plan", path, *BANK, "--json", environment={"SLURM_CPUS_PER_TASK": "1"})
        self.assertEqual(json.loads(done.stdout)["threads"], 2)    # OMP_NUM_THREADS

    def test_numbers_that_are_none(self):
        path, _ = self.counts(20, 2)
        for command in (("plan", path, *BANK), ("convolve", path, "out.h5:/f", *BANK)):
            for value in ("0", "-1", "x", "1.5", "99999999999999999999"):
                self.refused(*command, f"--threads={value}", code=2, says=["--threads", "is not a number of threads"])
            self.refused(*command, "--threads=2", "--kokkos-num-threads=2", code=2,
                         says=["--threads", "--kokkos-num-threads=2", "one of the two"])
        (self.folder / "in.h5").unlink()
        self.counts(20, 2)
        for value in ("0", "x", "2(x3)"):
            done = subprocess.run(["env", "-u", "OMP_NUM_THREADS", PROGRAM, "plan", path, *BANK], cwd=self.folder,
                                  text=True, capture_output=True, env=self.environment(SLURM_CPUS_PER_TASK=value))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"SLURM_CPUS_PER_TASK: '{value}' is not a number of threads", done.stderr)


if __name__ == "__main__":
    unittest.main()
