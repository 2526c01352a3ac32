# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every command in unusual environments: the right result, or one line about the missing part."""
import json
import os
import resource
import shlex
import signal
import subprocess
import unittest

import h5py
import numpy as np

from tool import HAS_LIBOMP, PROGRAM, ToolCase

BANK = "--basis raised-cosine-log --bases 4 --window 9"
COMMANDS = {
    "convolve": f"convolve in.h5:/x TO/out.h5:/f {BANK} --quiet",
    "filtered": f"convolve in.h5:/x TO/out.h5:/f {BANK} --filter deflate:1 --quiet",
    "appended": f"convolve in.h5:/x TO/out.h5:/f {BANK} --append --quiet",
    "features": "features design.toml TO/out.h5:/f --quiet",
    "simulate": "simulate TO/out.h5:/f --samples 2000 --channels 3 --quiet",
    "basis": f"basis {BANK} -o TO/out.h5:/f --quiet",
    "plan": f"plan in.h5:/x {BANK} --json",
    "info": "info in.h5 --json",
    "build": "info --json",
}
WRITING = tuple(name for name, words in COMMANDS.items() if "TO/" in words)
DESIGN = ('[inputs.x]\ndata = "in.h5:/x"\n[bases.b]\ntype = "history"\nwindow = 3\n'
          '[[terms]]\nname = "x"\ninput = "x"\nbasis = "b"\n')
ENDS_BEFORE_MAIN = (-signal.SIGXFSZ,) if HAS_LIBOMP else ()


class Environment(ToolCase):
    expected = {}                             # the output of each command in a usual environment

    def setUp(self):
        super().setUp()
        self.counts(2000, 3)
        (self.folder / "design.toml").write_text(DESIGN)
        for name in WRITING if not self.expected else ():
            self.clear()
            done = self.run_words(self.words(name))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.expected[name] = self.features()
        self.clear()

    def words(self, name, to="."):
        return shlex.split(COMMANDS[name].replace("TO", to))

    def run_words(self, words, limit=None, environment=None, **options):
        def before():
            for kind, value in (limit or {}).items():
                resource.setrlimit(kind, (value, value))
        return subprocess.run([PROGRAM, *words], cwd=self.folder, text=True, timeout=300, capture_output=True,
                              env=self.environment() if environment is None else environment, preexec_fn=before,
                              **options)

    def features(self, file="out.h5"):
        with h5py.File(self.folder / file, "r") as opened:
            return opened["f"][...].tobytes()

    def clear(self):
        for path in self.folder.glob("out.h5*"):
            path.unlink()

    def judge(self, name, code, stdout, stderr, file="out.h5", says="", may_fail=True):
        """The right result with exit code 0; or else a sentence, and nothing that stays."""
        told = f"{name}: exit code {code}\n{stdout[-500:]}\n{stderr[-1500:]}"
        is_made = (self.folder / file).exists()
        if code == 0:
            if name in WRITING:
                self.assertEqual(self.features(file), self.expected[name], told)
            else:
                json.loads(stdout)
            self.assertEqual(says, "", told)
        else:
            self.assertTrue(may_fail, told)
            if code in ENDS_BEFORE_MAIN:
                self.assertFalse(is_made, told)
                return
            self.assertIn(code, (1, 127), told)           # 127: the loader finds no room for a library
            self.assertEqual(len(stderr.strip().splitlines()) >= 1, True, told)
            self.assertFalse(is_made, told)
            self.assertIn(says, stderr, told)
        left = [path.name for path in (self.folder / file).parent.iterdir() if ".part" in path.name]
        self.assertEqual(left, [], told)
        return code == 0

    def each(self, names=COMMANDS, may_fail=False, says="", **options):
        """Whether each command has worked."""
        worked = {}
        for name in names:
            with self.subTest(command=name, **{key: str(value) for key, value in options.items()}):
                self.clear()
                done = self.run_words(self.words(name), **options)
                worked[name] = self.judge(name, done.returncode, done.stdout, done.stderr, may_fail=may_fail,
                                          says=says)
        return worked

    def test_no_folder_for_configuration(self):
        environment = {key: value for key, value in self.environment().items()
                       if key not in ("HOME", "XDG_CONFIG_HOME", "TMPDIR", "LANG", "USER", "LOGNAME")}
        self.each(environment=environment)
        done = self.run_words(["calibrate"], environment=environment)
        self.assertEqual(done.returncode, 1)
        self.assertIn("neither XDG_CONFIG_HOME nor HOME", done.stderr)
        for home in ("/nonexistent", "/dev/null", ""):
            self.each(("convolve", "plan"), environment={**environment, "HOME": home, "TMPDIR": home})

    def test_settings_of_hdf5s_locks(self):
        for value in ("TRUE", "BEST_EFFORT", "FALSE"):
            self.each(WRITING, environment=self.environment(HDF5_USE_FILE_LOCKING=value))

    def test_umasks(self):
        for umask in (0o000, 0o777):
            with self.subTest(umask=oct(umask)):
                before = os.umask(umask)
                try:
                    worked = self.each(WRITING, may_fail=umask == 0o777)
                finally:
                    os.umask(before)
                self.assertTrue(all(worked.values()) or umask == 0o777)

    def test_few_descriptors(self):
        worked = []
        for number in (3, 4, 5, 6, 8, 12, 64):
            worked.append(self.each(("convolve", "appended", "features", "simulate", "info"), may_fail=True,
                                    limit={resource.RLIMIT_NOFILE: number}))
        self.assertTrue(all(worked[-1].values()), worked[-1])
        done = self.run_words(self.words("convolve"), limit={resource.RLIMIT_NOFILE: 4})
        self.assertEqual(done.returncode, 1)
        for text in ("Too many open files", "raise the limit of open files (ulimit -n)"):
            self.assertIn(text, done.stderr)

    def test_little_address_space(self):
        sizes = [mebibytes << 20 for mebibytes in (24, 64, 96, 200, 256, 320, 2048)]
        names = ("convolve", "simulate", "info")
        environment = self.environment(OMP_NUM_THREADS="1")
        worked = [self.each(names, may_fail=True, limit={resource.RLIMIT_AS: size}, environment=environment)
                  for size in sizes]
        self.assertTrue(all(worked[-1].values()), worked[-1])
        self.assertFalse(any(worked[0].values()), worked[0])

    def test_little_room_in_a_file(self):
        worked = []
        for size in (0, 5000, 40_000, 1 << 20):
            worked.append(self.each(WRITING, may_fail=True, limit={resource.RLIMIT_FSIZE: size}))
        self.assertFalse(any(worked[0].values()), worked[0])
        self.assertTrue(all(worked[-1].values()), worked[-1])

    @unittest.skipIf(HAS_LIBOMP, "LLVM's OpenMP does not begin without /proc")
    def test_no_proc(self):
        for name in COMMANDS:
            with self.subTest(command=name):
                self.clear()
                done = self.in_namespace("mount -t tmpfs tmpfs /proc || exit 77; test ! -e /proc/self || exit 77; exec "
                                         + shlex.join([PROGRAM, *self.words(name)]))
                if done.returncode == 77:
                    self.skipTest("no mounts here")
                self.judge(name, done.returncode, done.stdout, done.stderr, may_fail=False)

    def test_read_only_folders(self):
        (self.folder / "fixed").mkdir()
        for name in COMMANDS:
            with self.subTest(command=name):
                done = self.in_namespace("mount --bind fixed fixed && mount -o remount,bind,ro fixed || exit 77; exec "
                                         + shlex.join([PROGRAM, *self.words(name, "fixed")]))
                if done.returncode == 77:
                    self.skipTest("no mounts here")
                self.judge(name, done.returncode, done.stdout, done.stderr, "fixed/out.h5", may_fail=name in WRITING,
                           says="fixed/out.h5" if name in WRITING else "")

    def test_a_finished_output_on_a_disk_without_room(self):
        (self.folder / "small").mkdir()
        convolve = shlex.join([PROGRAM, *self.words("convolve", "small")])
        done = self.in_namespace(
            "mount -t tmpfs -o size=1m tmpfs small || exit 77;"
            f"{convolve} || exit 78; head -c 4M /dev/zero > small/fill 2> /dev/null;"
            f"{convolve} --resume --json; code=$?; ls -A small >&2; exit $code")
        if done.returncode == 77:
            self.skipTest("no mounts here")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(json.loads(done.stdout)["run"]["was_finished"])
        self.assertEqual(done.stderr.split(), ["fill", "out.h5"])

    def test_a_finished_output_in_a_read_only_folder(self):
        (self.folder / "fixed").mkdir()
        convolve = shlex.join([PROGRAM, *self.words("convolve", "fixed")])
        done = self.in_namespace(
            f"mount --bind fixed fixed || exit 77; {convolve} || exit 78;"
            f"mount -o remount,bind,ro fixed || exit 77; {convolve} --resume --json")
        if done.returncode == 77:
            self.skipTest("no mounts here")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(json.loads(done.stdout)["run"]["was_finished"])

    def test_a_folder_of_configuration_that_cannot_be_written(self):
        (self.folder / "config").mkdir()
        done = self.in_namespace("mount --bind config config && mount -o remount,bind,ro config || exit 77; exec "
                                 + shlex.join([PROGRAM, "calibrate"]))
        if done.returncode == 77:
            self.skipTest("no mounts here")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(str(self.folder / "config" / "synelix"), done.stderr)

    def test_a_folder_that_is_gone(self):
        script = "mkdir gone && cd gone && rmdir ../gone && exec "
        for name in ("convolve", "simulate", "basis"):
            done = subprocess.run(["sh", "-c", script + shlex.join([PROGRAM, *self.words(name)])], cwd=self.folder,
                                  text=True, timeout=300, capture_output=True, env=self.environment())
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
