# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Malicious files and options: exit code 1 or 2, a message, and no files left."""
import os
import resource
import subprocess
import unittest

import h5py
import numpy as np

from tool import PROGRAM, ToolCase

HISTORY3 = ("--basis", "history", "--window", "3")
MEMORY = 6 << 30        # of addresses, which threads reserve too


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class HostileCase(ToolCase):
    def refuse(self, *words, says, code=1, leaves=()):
        """Fails without a signal, prints this message, and leaves no files except existing ones, and those that can be
        resumed."""
        before = sorted(os.listdir(self.folder))
        done = self.tool(*words, code=code, preexec_fn=limit_memory)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, done.stderr)
        self.assertNotIn("out of memory", done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), sorted([*before, *leaves]))


class Files(HostileCase):
    def test_cut_at_many_lengths(self):
        values = np.arange(8000, dtype=np.int16).reshape(2000, 4)
        self.write("whole.h5", values=values, options={"chunks": (100, 2), "compression": "gzip"})
        whole = (self.folder / "whole.h5").read_bytes()
        for length in range(0, len(whole), max(1, len(whole) // 24)):
            with self.subTest(length=length):
                (self.folder / "cut.h5").write_bytes(whole[:length])
                self.refuse("convolve", "cut.h5:/x", "out.h5:/f", *HISTORY3, says="cut.h5")
                self.refuse("info", "cut.h5", says="cut.h5")

    def test_a_file_that_another_program_writes(self):
        with h5py.File(self.folder / "in.h5", "w") as file:
            file["x"] = np.ones((200, 4), np.int16)
            file.flush()
            for words in (("convolve", "in.h5:/x", "out.h5:/f", *HISTORY3), ("info", "in.h5")):
                self.refuse(*words, says=["in.h5: another program has it open for writing"])
        self.tool("convolve", "in.h5:/x", "out.h5:/f", *HISTORY3)

    def test_a_damaged_chunk(self):
        values = np.random.default_rng(3).integers(-9, 9, (4000, 4)).astype(np.int16)
        self.write("in.h5", values=values, options={"chunks": (100, 4), "compression": "gzip"})
        with h5py.File(self.folder / "in.h5", "r") as file:
            chunk = file["x"].id.get_chunk_info(30)
        with open(self.folder / "in.h5", "r+b") as file:
            file.seek(chunk.byte_offset)
            file.write(b"Z" * chunk.size)
        self.refuse("convolve", "in.h5:/x", "out.h5:/f", *HISTORY3, "--batch", "500,,", "--quiet",
                    says=["in.h5:/x", "cannot be read", "--resume"], leaves=["out.h5.part"])

    def test_enormous_ones(self):
        with h5py.File(self.folder / "in.h5", "w") as file:
            file.create_dataset("long", shape=(2**40, 2), chunks=(1024, 2), dtype="i2")
            file.create_dataset("wide", shape=(100, 2**40), chunks=(10, 1000), dtype="f4")
            file.create_dataset("endless", shape=(2**60,), chunks=(2**20,), dtype="f4")
            file.create_dataset("most", shape=(2**55, 2), chunks=(2**20, 2), dtype="f4")
            file.create_dataset("chunk", shape=(2**30, 4), chunks=(2**28 - 1, 4), dtype="u1",
                                compression="gzip")
            file.create_dataset("epochs", shape=(2**40, 2), chunks=(1024, 2), dtype="i8")
        call = (*HISTORY3, "--budget", "64MiB")
        for name, words in (("long", "its disk has "), ("wide", "its disk has "),
                            ("endless", "2^56 values"), ("most", "2^56 values"),
                            ("chunk", "budget")):
            with self.subTest(name=name):
                self.refuse("convolve", f"in.h5:/{name}", "out.h5:/f", *call, says=words)
        self.refuse("convolve", "in.h5:/long", "out.h5:/f", *call, "--epochs", "in.h5:/epochs",
                    says="1099511627776 epochs")
        self.refuse("convolve", "in.h5:/long", "out.h5:/f", "--bank", "in.h5:/wide",
                    says="at most")
        # a part of one is valid: zeros that are not stored
        self.tool("convolve", "in.h5:/long", "out.h5:/f", *call, "--border", "zero",
                  "--time", "549755813888:549755813900", preexec_fn=limit_memory)
        np.testing.assert_array_equal(self.read("out.h5:/f"), np.zeros((12, 2, 3)))

    def test_spike_trains_that_lie(self):
        huge = {"shape": (2**40,), "chunks": (1024,)}
        with h5py.File(self.folder / "in.nwb", "w") as file:
            file.create_dataset("units/id", dtype="i8", **huge)
            file.create_dataset("units/spike_times", dtype="f8", **huge)
            file.create_dataset("units/spike_times_index", dtype="i8", **huge)
        call = ("convolve", "in.nwb", "out.h5:/f", *HISTORY3, "--units", "--bin", "10ms")
        self.refuse(*call, says=["units/id", "1099511627776"])
        with h5py.File(self.folder / "in.nwb", "w") as file:
            file["units/id"] = np.arange(2)
            file.create_dataset("units/spike_times", dtype="f8", **huge)
            file["units/spike_times_index"] = np.array([0, 2**40])
        self.refuse(*call, says=["1099511627776 spikes of unit 1", "at most"])

    def test_links_in_circles(self):
        with h5py.File(self.folder / "in.h5", "w") as file:
            file["x"] = np.ones((20, 2), dtype=np.float32)
            file["self"] = h5py.SoftLink("/self")
            file["there"] = h5py.SoftLink("/back")
            file["back"] = h5py.SoftLink("/there")
            file["outside"] = h5py.ExternalLink("in.h5", "/outside")
            file["none"] = h5py.ExternalLink("none.h5", "/x")
            file["group/up"] = file["/"]
        for name in ("self", "there", "outside", "none"):
            with self.subTest(name=name):
                self.refuse("convolve", f"in.h5:/{name}", "out.h5:/f", *HISTORY3,
                            says=f"in.h5:/{name}")
        self.tool("convolve", "in.h5:/group/up/group/up/x", "out.h5:/f", *HISTORY3)
        self.assertIn("/x", self.tool("info", "in.h5").stdout)

    def test_an_input_that_is_removed_or_cut_meanwhile(self):
        values = np.ones((400000, 4), dtype=np.float32)
        for change, code in ((lambda file: file.unlink(), 0),
                             (lambda file: os.truncate(file, 50000), 1)):
            with self.subTest(code=code):
                (self.folder / "in.h5").unlink(missing_ok=True)
                path = self.write("in.h5", values=values)
                run = self.held(1, "convolve", path, "out.h5:/f", "--basis", "history",
                                "--window", "3", "--budget", "2MiB")
                change(self.folder / "in.h5")
                self.release()
                _, said = run.communicate()
                # HDF5 reads zeros after the end of a truncated file, which the second check detects
                self.assertEqual(run.returncode, code, said)
                if code == 1:
                    self.assertIn("in.h5: this file was changed while it was read: it had", said)
                    # the next read notices it, before or after the first block is written
                    self.assertRegex(said, "out.h5.part is kept|nothing was left behind")
                    (self.folder / "out.h5.part").unlink(missing_ok=True)
                self.assertEqual(self.left_over(), [])
                exists = (self.folder / "out.h5").exists()
                self.assertEqual(exists, run.returncode == 0, said)
                if exists:
                    self.assertEqual(self.read("out.h5:/f").shape, (400000, 4, 3))
                    (self.folder / "out.h5").unlink()
                else:
                    self.assertIn("in.h5", said)


class Options(HostileCase):
    def test_numbers(self):
        path, _ = self.counts(200, 3)
        huge = "9223372036854775807"
        call = ("convolve", path, "out.h5:/f")
        for value, words in (("1e300", "2^53"), (huge, "2^53"), ("-1e300", "2^53"),
                             ("1e308h", "window"), ("-1", "at least 1"), ("1e-300", "whole samples")):
            with self.subTest(window=value):
                self.refuse(*call, "--basis", "history", f"--window={value}",
                            says=[words, "window"])
        for value in ("", "nan", "inf", "\u0663", "5\u00a0ms", "1e400", "0x10", "ns", "1,5"):
            with self.subTest(window=value):
                self.refuse(*call, "--basis", "history", f"--window={value}", says="--window",
                            code=2)
        self.refuse(*call, "--basis", "bspline", "--window", "10", f"--bases={huge}", says="bases")
        self.refuse(*call, *HISTORY3, f"--channels={huge}", says="--channels", code=2)
        self.refuse(*call, *HISTORY3, f"--time={huge}:", says=["--time", "2^53"])
        self.refuse(*call, *HISTORY3, "--time=0:1e300s", says="--time")
        self.refuse(*call, *HISTORY3, f"--every={huge}", says="no row")
        self.write("parts.h5", "epochs", values=np.array([[0, 60], [60, 130], [130, 200]]))
        self.tool(*call, *HISTORY3, f"--every={huge}", "--epochs", "parts.h5:/epochs",
                  "--border", "zero", "-O")
        self.assertEqual(self.read("out.h5:/f").shape, (3, 3, 3))
        (self.folder / "out.h5").unlink()
        self.refuse(*call, *HISTORY3, f"--budget={huge}", says="--budget", code=2)
        self.write("long.h5", values=np.zeros((6_000_000, 1), np.uint8))
        self.refuse("convolve", "long.h5:/x", "out.h5:/f", *HISTORY3, "--chunk", "1x1x1",
                    says=["1x1x1, which makes 18000000 chunks", "2^22"])
        self.tool(*call, *HISTORY3, f"--batch={huge},{huge},{huge}", f"--chunk={huge}x{huge}x{huge}")
        self.assertEqual(self.read("out.h5:/f").shape, (200, 3, 3))
        self.refuse("simulate", "a.h5:/x", "--samples", "10", "--channels", "1000000000000",
                    says="--channels")
        self.refuse("simulate", "a.h5:/x", f"--samples={huge}", "--channels=2", says="--samples")

    def test_absurd_chunks(self):
        with h5py.File(self.folder / "long.h5", "w") as file:
            file.create_dataset("x", shape=(1_500_000, 5), dtype="u1", chunks=(65536, 5))
        for command in ("plan", "convolve"):
            self.refuse(command, "long.h5:/x", "out.h5:/f", "--basis", "history", "--window", "1",
                        "--chunk", "1x1x1", says=["1x1x1, which makes 7500000 chunks", "2^22"])
        (self.folder / "design.toml").write_text(
            '[inputs.x]\ndata = "long.h5:/x"\n[bases.b]\ntype = "history"\nwindow = 1\n'
            '[[terms]]\nname = "x"\ninput = "x"\nbasis = "b"\n')
        self.refuse("features", "design.toml", "out.h5:/f", "--chunk", "1x1",
                    says="which makes 7500000 chunks")
        path, _ = self.counts(400, 3)
        self.tool("convolve", path, "out.h5:/f", *HISTORY3, "--chunk", "1x1x1")
        self.assertEqual(self.read("out.h5:/f").shape, (400, 3, 3))

    def test_texts(self):
        path, _ = self.counts(200, 3)
        for words in (("convolve", "", "out.h5:/f"), ("convolve", path, ""),
                      ("convolve", path, "out.h5:/" + "y/" * 5000 + "z")):
            self.refuse(*words, *HISTORY3, says="FILE:/dataset", code=2)
        self.refuse("convolve", path, "n" * 300 + ".h5:/f", *HISTORY3, says="nnn")
        self.tool("convolve", path, "\u00fat.h5:/\u65e5\u672c", *HISTORY3)
        self.assertEqual(self.read("\u00fat.h5:/\u65e5\u672c").shape, (200, 3, 3))

    def test_designs(self):
        for text in ("", "[ $x\n", "[" * 5000, "x = " + "[" * 5000, "[a]\n\u029a = 1", "\0", "a = 1e9999"):
            with self.subTest(text=text[:10]):
                (self.folder / "design.toml").write_text(text)
                self.refuse("features", "design.toml", "out.h5:/f", says="design.toml")

    def test_outputs_that_are_no_files(self):
        path, _ = self.counts(200, 3)
        self.refuse("convolve", path, ".:/f", *HISTORY3, "-O", says="a folder")
        os.mkfifo(self.folder / "pipe")
        self.refuse("convolve", path, "pipe:/f", *HISTORY3, "-O", says=["pipe", "not a regular file"])
        (self.folder / "link").symlink_to("pipe")
        self.refuse("convolve", path, "link:/f", *HISTORY3, "-O", says=["link", "not a regular file"])


if __name__ == "__main__":
    unittest.main()
