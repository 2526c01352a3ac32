# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The output file of a run: what it may replace, its access rights, and changes by other processes."""
import os
import shutil
import signal
import socket
import subprocess
import unittest

import h5py
import numpy as np

from tool import PROGRAM, ToolCase

BANK = ("--basis", "raised-cosine-log", "--bases", "4", "--window", "9")
CONVOLVE = ("convolve", "in.h5:/x", "out.h5:/f", *BANK, "--chunk", "64x3x4", "--batch", "72,,", "--quiet")
SIMULATE = ("simulate", "out.h5:/f", "--samples", "2000", "--channels", "3", "--quiet")
TAPS = ("basis", "--basis", "history", "--window", "5", "-o", "out.h5:/f", "--quiet")
COMMANDS = (CONVOLVE, (*CONVOLVE, "--filter", "deflate:1"), (*CONVOLVE, "--resume"), SIMULATE, TAPS)


class OutputCase(ToolCase):
    def setUp(self):
        super().setUp()
        self.counts(2000, 3)
        self.out = self.folder / "out.h5"
        self.part = self.folder / "out.h5.part"

    def run_tool(self, words, code=0, umask=None, **environment):
        before = (lambda: os.umask(umask)) if umask is not None else None
        done = subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, text=True, timeout=300,
                              capture_output=True, env=self.environment(**environment), preexec_fn=before)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def calls(self, words, call=0, code=0):
        """The calls that change files, of a run that is killed at one of them."""
        log = self.folder / "calls.log"
        log.unlink(missing_ok=True)
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, text=True, timeout=300, capture_output=True,
                              env=self.environment(LD_PRELOAD=os.environ["SYNELIX_ENDED_AT"], ENDED_AT=str(call),
                                                   CALLS_LOG=str(log)))
        self.assertIn(done.returncode, (code, -signal.SIGKILL), done.stderr)
        names = [line.split()[0] for line in log.read_text().splitlines()] if log.exists() else []
        log.unlink(missing_ok=True)
        return names, done.returncode == code

    def stopped(self, words, call):
        """A run that is held before one of those calls."""
        run = subprocess.Popen([PROGRAM, *words], cwd=self.folder, text=True, stderr=subprocess.PIPE,
                               env=self.environment(LD_PRELOAD=os.environ["SYNELIX_ENDED_AT"],
                                                    SIGNALED_AT=str(call),
                                                    SIGNALED_WITH=str(int(signal.SIGSTOP))))
        self.end_with_test(run)
        _, status = os.waitpid(run.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status), f"the run is over before call {call}")
        return run

    def went_on(self, run):
        """Its exit code and its message after it continues."""
        run.send_signal(signal.SIGCONT)
        said = run.stderr.read()
        run.stderr.close()
        return run.wait(300), said

    def clear(self):
        for path in self.folder.glob("out.h5*"):
            path.unlink()


class ForeignPart(OutputCase):
    """OUT.part of another program is neither written nor removed."""

    def refused_part(self, says, name="out.h5.part", commands=COMMANDS):
        for words in commands:
            with self.subTest(words=words, says=says):
                done = self.run_tool(words, 1)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                for text in (f"{name}: this is ", says, "rename or remove this one", "another name for the output"):
                    self.assertIn(text, done.stderr)
                self.assertFalse(os.path.lexists(self.out))

    def test_files_of_others(self):
        with h5py.File(self.folder / "other.h5", "w") as file:
            file["x"] = np.arange(100)
        self.run_tool(("convolve", "in.h5:/x", "whole.h5:/f", *BANK, "--quiet"))
        for content in (os.urandom(100_000), b"a note", bytes(100_000), (self.folder / "other.h5").read_bytes(),
                        (self.folder / "whole.h5").read_bytes()):
            self.part.write_bytes(content)
            self.refused_part("no interrupted run has left")
            self.assertEqual(self.part.read_bytes(), content)

    def test_a_finished_output_that_was_renamed(self):
        for words in (CONVOLVE, SIMULATE, TAPS):
            self.clear()
            self.run_tool(words)
            self.out.rename(self.part)
            content = self.part.read_bytes()
            self.refused_part("no interrupted run has left", commands=(words,))
            self.assertEqual(self.part.read_bytes(), content)

    def test_links(self):
        victim = self.folder / "victim"
        victim.write_text("precious")
        self.part.symlink_to(victim)
        self.refused_part("a symbolic link")
        self.part.unlink()
        os.link(victim, self.part)
        self.refused_part("2 names (hard links)")
        self.assertEqual(victim.read_text(), "precious")
        self.part.unlink()
        victim.unlink()
        self.part.symlink_to(victim)
        self.refused_part("a symbolic link")
        self.assertFalse(victim.exists())

    def test_what_is_no_file(self):
        self.part.mkdir()
        self.refused_part("a folder")
        self.part.rmdir()
        os.mkfifo(self.part)
        self.refused_part("a named pipe")
        self.part.unlink()
        with socket.socket(socket.AF_UNIX) as made:
            here = os.getcwd()
            os.chdir(self.folder)                     # a socket's path is short
            self.addCleanup(os.chdir, here)
            made.bind("out.h5.part")
            self.refused_part("a socket")

    @unittest.skipUnless(os.geteuid() == 0, "only root gives files away")
    def test_files_of_another_user(self):
        self.part.write_bytes(b"")
        os.chown(self.part, 65534, 65534)
        self.refused_part("a file of another user (id 65534)")

    def test_beside_a_file_that_is_rebuilt(self):
        for content in (b"a note", os.urandom(10_000)):
            new = self.folder / "out.h5.part.new"
            new.write_bytes(content)
            self.refused_part("no interrupted run has left", "out.h5.part.new", COMMANDS[:2])
            self.assertEqual(new.read_bytes(), content)

    def test_an_empty_one_is_replaced(self):
        for words in COMMANDS:
            self.clear()
            self.part.write_bytes(b"")
            self.run_tool(words)
            self.assertEqual(self.left_over(), [])


class OwnPart(OutputCase):
    """The rest of a killed run is replaced, wherever it was killed."""

    def check(self, words, least, before=None, step=1):
        kills = 0
        for call in range(1, 1000, step):
            self.clear()
            if before is not None:
                shutil.copy(self.folder / before, self.out)
            _, ended = self.calls(words, call)
            if ended:
                break
            kills += 1
            # killed after the last rename, the output exists
            again = (*words, "-O") if before is None and self.out.exists() else words
            if before is not None and "f" in h5py.File(self.out, "r"):
                continue
            self.run_tool(again)
            self.assertEqual(self.left_over(), [], f"killed at call {call}")
            self.assertEqual(self.calls_of_finished(), [])
        self.assertGreaterEqual(kills, least)

    def calls_of_finished(self):
        """Marks that a finished file has: none."""
        content = self.out.read_bytes()
        return [at for at in range(0, len(content), 4096) if content[at:].startswith(b"Synelix unfinished")]

    def test_simulate(self):
        self.check(SIMULATE, 8)

    def test_taps(self):
        self.check(TAPS, 6)

    def test_convolve(self):
        self.check(CONVOLVE, 10, step=7)

    def test_appended(self):
        self.write("old.h5", "g/old", values=np.arange(200_000.0))
        self.check((*CONVOLVE, "--append"), 10, before="old.h5", step=5)
        self.check((*TAPS, "--append"), 6, before="old.h5")

    def test_appended_behind_a_user_block(self):
        with h5py.File(self.folder / "old.h5", "w", userblock_size=1024) as file:
            file["old"] = np.arange(1000.0)
        self.check((*TAPS, "--append"), 6, before="old.h5")
        np.testing.assert_array_equal(self.read("out.h5:/old"), np.arange(1000.0))


class Touched(OutputCase):
    """Something else touches OUT.part, or OUT, while a run writes."""

    def check(self, words, touch, says, before=None, at_the_end=True):
        """`touch` at each third call of a run."""
        self.clear()
        if before is not None:
            shutil.copy(self.folder / before, self.out)
        names, _ = self.calls(words)
        last = names.index("rename")                  # the call before it is the last that counts
        first = names.index("pwrite") + 1
        for call in sorted({first + (last - first) // 3, first + 2 * (last - first) // 3, *([last] * at_the_end)}):
            with self.subTest(words=words, call=call, of=last, says=says):
                self.clear()
                if before is not None:
                    shutil.copy(self.folder / before, self.out)
                run = self.stopped(words, call)
                seen = touch()
                code, said = self.went_on(run)
                self.assertEqual(code, 1, said)
                self.assertIn(says, said)
                self.assertEqual(len(said.splitlines()), 1, said)
                self.said = said
                self.after(seen)

    def after(self, seen):
        if seen is None:
            self.assertFalse(self.out.exists())
        else:
            path, content = seen
            self.assertEqual(path.read_bytes(), content)

    def replace(self):
        other = self.folder / "other"
        other.write_bytes(b"somebody else's")
        os.rename(other, self.part)
        return self.part, b"somebody else's"

    def remove(self):
        self.part.unlink()

    def cut(self):
        os.truncate(self.part, 100)

    def make_output(self):
        self.out.write_bytes(b"made meanwhile")
        return self.out, b"made meanwhile"

    def test_a_part_file_that_is_replaced(self):
        for words in (CONVOLVE, (*CONVOLVE, "--filter", "deflate:1"), SIMULATE):
            self.check(words, self.replace, "something else has replaced or removed this file")
            self.assertEqual(self.part.read_bytes(), b"somebody else's")

    def test_a_part_file_that_is_removed(self):
        for words in (CONVOLVE, SIMULATE):
            self.check(words, self.remove, "something else has replaced or removed this file")

    def test_a_part_file_that_is_cut(self):
        for words in (CONVOLVE, (*CONVOLVE, "--filter", "deflate:1"), SIMULATE):
            self.check(words, self.cut, "something else has ")

    def test_an_output_that_comes_into_being(self):
        for words in (CONVOLVE, SIMULATE, TAPS):
            self.check(words, self.make_output, "something else made this file", at_the_end=words is not TAPS)
            self.assertEqual(words is CONVOLVE, "--resume" in self.said)
            self.part.rename(self.folder / "renamed.h5")            # as in the message
            with h5py.File(self.folder / "renamed.h5", "r") as file:
                self.assertGreater(len(file), 0)
        self.run_tool(CONVOLVE, 1)
        self.run_tool((*CONVOLVE, "-O"))

    def test_a_run_goes_on_once_the_other_file_is_renamed(self):
        for more in ((), ("--append",)):
            words = (*CONVOLVE, *more)
            self.check(words, self.make_output, "something else made this file")
            self.assertIn(f"rename {self.out.name} first, then the same command with --resume goes on", self.said)
            self.assertEqual(self.said.count("resume"), 1, self.said)       # once is enough
            self.run_tool((*words, "--resume"), 1)           # not before, as in the message
            self.assertTrue(self.part.exists())
            self.out.rename(self.folder / "other.h5")
            done = self.run_tool((*(word for word in words if word != "--quiet"), "--resume"))
            self.assertIn("nothing was left to compute", done.stderr)
            self.assertEqual(self.read("out.h5:/f").shape, (2000, 3, 4))
            self.assertEqual(self.left_over(), [])

    def test_a_file_that_is_appended_to(self):
        self.write("old.h5", "old", values=np.arange(200.0))

        def change():
            with h5py.File(self.out, "a") as file:
                file["more"] = 1.0
            return self.out, self.out.read_bytes()
        self.check((*CONVOLVE, "--append"), change, "has changed since this run copied it", before="old.h5",
                   at_the_end=False)
        self.assertEqual(float(self.read("out.h5:/more")), 1.0)
        self.assertIn("run the command again without --resume", self.said)
        self.run_tool((*CONVOLVE, "--append", "--resume"), 1)
        self.run_tool((*CONVOLVE, "--append"))               # as in the message

    def test_one_run_at_a_time(self):
        names, _ = self.calls(CONVOLVE)
        for value in (None, "TRUE", "BEST_EFFORT", "FALSE"):
            with self.subTest(locking=value):
                self.clear()
                variable = {} if value is None else {"HDF5_USE_FILE_LOCKING": value}
                first = self.stopped(CONVOLVE, len(names) // 2)
                try:
                    for words in (CONVOLVE, (*CONVOLVE, "--resume"), SIMULATE):
                        done = self.run_tool(words, 1, **variable)
                        self.assertIn("out.h5.part: another run is writing this file", done.stderr)
                finally:
                    code, said = self.went_on(first)
                self.assertEqual(code, 0, said)
                self.assertEqual(self.read("out.h5:/f").shape, (2000, 3, 4))


if __name__ == "__main__":
    unittest.main()
