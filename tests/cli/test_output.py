# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The file that a run writes: what it may replace, who may read it, and what else may touch it."""
import json
import os
import shutil
import signal
import socket
import stat
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
        """A run that stands still before one of those calls."""
        run = subprocess.Popen([PROGRAM, *words], cwd=self.folder, text=True, stderr=subprocess.PIPE,
                               env=self.environment(LD_PRELOAD=os.environ["SYNELIX_ENDED_AT"],
                                                    SIGNALED_AT=str(call),
                                                    SIGNALED_WITH=str(int(signal.SIGSTOP))))
        self.end_with_test(run)
        _, status = os.waitpid(run.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status), f"the run is over before call {call}")
        return run

    def went_on(self, run):
        """Its exit code and what it says, once it goes on."""
        run.send_signal(signal.SIGCONT)
        said = run.stderr.read()
        run.stderr.close()
        return run.wait(300), said

    def clear(self):
        for path in self.folder.glob("out.h5*"):
            path.unlink()


class ForeignPart(OutputCase):
    """OUT.part of somebody else is neither written nor removed."""

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
    """What a killed run has left is replaced, wherever it was killed."""

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
            # killed behind the last rename, the output is there
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
            self.part.rename(self.folder / "renamed.h5")            # as the message says
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
            self.run_tool((*words, "--resume"), 1)           # not before, as the message says
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
        self.run_tool((*CONVOLVE, "--append"))               # as the message says

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


class Links(OutputCase):
    """OUT is a symbolic link: the file that it names is written."""

    def test_a_link_stays(self):
        self.run_tool(("convolve", "in.h5:/x", "whole.h5:/f", *BANK, "--quiet"))
        (self.folder / "store").mkdir()
        target = self.folder / "store" / "kept.h5"
        target.write_bytes(b"old")
        self.out.symlink_to("store/kept.h5")
        self.assertIn("existing file", self.run_tool(CONVOLVE, 1).stderr)
        self.assertEqual(target.read_bytes(), b"old")
        for words in ((*CONVOLVE, "-O"), (*SIMULATE, "-O")):
            self.run_tool(words)
            self.assertTrue(self.out.is_symlink())
            self.assertFalse(target.is_symlink())
            self.assertEqual(os.listdir(target.parent), ["kept.h5"])
        self.run_tool(("basis", *TAPS[1:-3], "-o", "out.h5:/taps", "--append"))
        self.assertTrue(self.out.is_symlink())
        with h5py.File(target, "r") as file:
            self.assertEqual(set(file), {"f", "taps"})

    def test_a_stopped_run_goes_on_behind_a_link(self):
        (self.folder / "store").mkdir()
        target = self.folder / "store" / "kept.h5"
        target.write_bytes(b"old")
        self.out.symlink_to(target)
        words = (*CONVOLVE, "-O")
        names, _ = self.calls(words)
        target.write_bytes(b"old")
        self.calls(words, 2 * len(names) // 3)
        self.assertEqual(sorted(os.listdir(target.parent)), ["kept.h5", "kept.h5.part"])
        report = json.loads(self.run_tool((*words, "--resume", "--json")).stdout)["run"]
        self.assertGreater(report["blocks_before"], 0)
        self.assertEqual(os.listdir(target.parent), ["kept.h5"])

    def test_a_link_to_nothing_is_refused(self):
        self.out.symlink_to("nowhere.h5")
        for words in (CONVOLVE, (*CONVOLVE, "-O"), (*CONVOLVE, "--append"), (*CONVOLVE, "--resume"), SIMULATE):
            self.assertIn("a symbolic link that leads to no file", self.run_tool(words, 1).stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.h5", "out.h5"])


class Access(OutputCase):
    """Modes, groups and owners."""

    def mode(self, path=None):
        return stat.S_IMODE((path or self.out).stat().st_mode)

    def test_a_new_file_has_what_the_umask_leaves(self):
        for umask in (0o000, 0o002, 0o022, 0o027, 0o077, 0o177):
            for words in (CONVOLVE, SIMULATE):
                with self.subTest(umask=oct(umask), words=words):
                    self.clear()
                    self.run_tool(words, umask=umask)
                    self.assertEqual(oct(self.mode()), oct(0o666 & ~umask))

    def test_a_replaced_file_hands_on_its_mode(self):
        for umask in (0o000, 0o022, 0o077):
            for mode in (0o600, 0o640, 0o660, 0o604, 0o644, 0o666, 0o444, 0o755):
                for words in ((*TAPS, "-O"), (*TAPS[:-3], "-o", "out.h5:/g", "--append")):
                    with self.subTest(umask=oct(umask), mode=oct(mode), words=words):
                        self.clear()
                        self.run_tool(TAPS)
                        self.out.chmod(mode)
                        self.run_tool(words, umask=umask)
                        self.assertEqual(oct(self.mode()), oct(mode))

    def test_nobody_reads_the_part_file_who_may_not_read_the_output(self):
        words = (*CONVOLVE, "-O")
        names, _ = self.calls(words)
        for mode in (0o600, 0o640, 0o666):
            with self.subTest(mode=oct(mode)):
                self.out.chmod(mode)
                for call in (1, len(names) // 2):
                    run = self.stopped(words, call)
                    self.assertEqual(oct(self.mode(self.part) & ~mode), oct(0))
                    self.assertEqual(self.went_on(run)[0], 0)
                self.assertEqual(oct(self.mode()), oct(mode))

    def test_nor_a_part_file_of_a_run_before(self):
        words = (*CONVOLVE, "-O")
        names, _ = self.calls(words)
        for option in ((), ("--resume",)):
            with self.subTest(option=option):
                self.out.write_bytes(b"old")
                self.out.chmod(0o644)
                self.calls(words, 2 * len(names) // 3)
                self.assertTrue(self.part.exists())
                self.out.chmod(0o600)
                run = self.stopped((*words, *option), 2)
                self.assertEqual(oct(self.mode(self.part) & 0o077), oct(0))
                self.assertEqual(self.went_on(run)[0], 0)

    @unittest.skipUnless(os.geteuid() == 0, "only root gives files away")
    def test_a_replaced_file_hands_on_its_owner_and_group(self):
        self.run_tool(CONVOLVE)
        os.chown(self.out, 1234, 4321)
        self.out.chmod(0o640)
        for words in ((*CONVOLVE, "-O"), (*TAPS[:-3], "-o", "out.h5:/taps", "--append")):
            self.run_tool(words)
            found = self.out.stat()
            self.assertEqual((found.st_uid, found.st_gid, oct(self.mode())), (1234, 4321, oct(0o640)))


class Locking(OutputCase):
    """HDF5_USE_FILE_LOCKING asks for locks of HDF5, whatever the program sets."""

    def test_every_setting(self):
        self.write("old.h5", "old", values=np.arange(200.0))
        for value in (None, "TRUE", "1", "BEST_EFFORT", "FALSE", "0"):
            variable = {} if value is None else {"HDF5_USE_FILE_LOCKING": value}
            with self.subTest(locking=value):
                for words in (CONVOLVE, (*CONVOLVE, "--filter", "deflate:1"), SIMULATE, TAPS):
                    self.clear()
                    self.run_tool(words, **variable)
                    self.run_tool((*words, "-O"), **variable)
                self.clear()
                shutil.copy(self.folder / "old.h5", self.out)
                self.run_tool((*CONVOLVE, "--append"), **variable)
                for words in (CONVOLVE, (*CONVOLVE, "--filter", "deflate:1")):
                    self.clear()
                    names, _ = self.calls(words)
                    self.clear()
                    self.calls(words, 2 * len(names) // 3)
                    done = self.run_tool((*words, "--resume", "--json"), **variable)
                    self.assertGreater(json.loads(done.stdout)["run"]["blocks_before"], 0)


class Small(OutputCase):
    def test_names_of_nwb_files(self):
        for name in ("out.nwb", "out.NWB"):
            for words in (("convolve", "in.h5:/x", f"{name}:/f", *BANK), ("simulate", f"{name}:/f", *SIMULATE[2:]),
                          ("basis", *TAPS[1:5], "-o", f"{name}:/f")):
                done = self.run_tool(words, 2)
                for text in (name, "NWB schema", "out.h5"):
                    self.assertIn(text, done.stderr.splitlines()[0])
        self.assertEqual(os.listdir(self.folder), ["in.h5"])

    def test_a_name_that_is_no_utf8(self):
        name = b"n\xff.h5"
        done = subprocess.run([PROGRAM, *CONVOLVE[:2], name + b":/f", *BANK, "--json", "--quiet"], cwd=self.folder,
                              capture_output=True, env=self.environment(), timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["features"]["path"], "n\ufffd.h5:/f")
        self.assertIn(name, os.listdir(os.fsencode(self.folder)))
        (self.folder / "design.toml").write_text(
            '[inputs.x]\ndata = "in.h5:/x"\n[bases.b]\ntype = "history"\nwindow = 3\n'
            '[[terms]]\nname = "x"\ninput = "x"\nbasis = "b"\n')
        for words in ([b"features", b"design.toml", b"m\xff.h5:/f", b"--json", b"--quiet"],
                      [b"simulate", b"s\xff.h5:/f", b"--samples", b"10", b"--channels", b"2", b"--json", b"--quiet"],
                      [b"info", b"n\xff.h5", b"--json"]):
            done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, env=self.environment(),
                                  timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            json.loads(done.stdout.decode("utf-8"))

    def test_a_design_that_was_touched(self):
        design = self.folder / "design.toml"
        text = ('[inputs.x]\ndata = "in.h5:/x"\n[bases.b]\ntype = "history"\nwindow = 3\n'
                '[[terms]]\nname = "x"\ninput = "x"\nbasis = "b"\n')
        design.write_text(text)
        words = ("features", "design.toml", "out.h5:/f", "--batch-samples", "72", "--chunk", "64x9", "--quiet")
        names, _ = self.calls(words)
        self.clear()
        self.calls(words, 2 * len(names) // 3)
        os.utime(design, (1, 1))
        shutil.copy(self.part, self.folder / "kept")
        design.write_text(text.replace("window = 3", "window = 4"))
        done = self.run_tool((*words, "--resume"), 1)
        self.assertIn("design checksum", done.stderr)
        design.write_text(text)
        report = json.loads(self.run_tool((*words, "--resume", "--json")).stdout)["run"]
        self.assertGreater(report["blocks_before"], 0)
        os.utime(design, (2, 2))
        self.assertTrue(json.loads(self.run_tool((*words, "--resume", "--json")).stdout)["run"]["was_finished"])


if __name__ == "__main__":
    unittest.main()
