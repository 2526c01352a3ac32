# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""synelix convolve on arrays: values, options, batches."""
import time
import unittest

import h5py
import numpy as np

from tool import HISTORY1, LOG8, ToolCase, reference


class Values(ToolCase):
    def test_defaults_are_those_of_nemos(self):
        path, values = self.counts()
        self.tool("convolve", path, "out.h5:/features", *LOG8)
        found = self.read("out.h5:/features")
        self.assertEqual(found.dtype, np.float32)
        self.assert_features(found, reference(values, self.taps(*LOG8)))

    def test_double(self):
        path, values = self.counts()
        self.tool("convolve", path, "out.h5:/f", *LOG8, "--type", "double")
        found = self.read("out.h5:/f")
        self.assertEqual(found.dtype, np.float64)
        self.assert_features(found, reference(values, self.taps(*LOG8)), 1e-12)

    def test_the_same_command_writes_the_same_bytes(self):
        path, _ = self.counts()
        written = []
        for _ in range(2):
            self.tool("convolve", path, "out.h5:/features", *LOG8, "-O")
            written.append((self.folder / "out.h5").read_bytes())
            time.sleep(1.1)                                        # whatever would hold the time
        self.assertEqual(written[0], written[1])

    def test_every_basis(self):
        path, values = self.counts(400, 3)
        bases = [
            ("--basis", "raised-cosine-linear", "--bases", "5", "--window", "21", "--width", "1.5"),
            ("--basis", "raised-cosine-log", "--bases", "4", "--window", "30", "--time-scaling",
             "20", "--no-decay"),
            ("--basis", "bspline", "--bases", "6", "--window", "25", "--order", "3"),
            ("--basis", "cyclic-bspline", "--bases", "6", "--window", "25"),
            ("--basis", "mspline", "--bases", "6", "--window", "25", "--order", "2"),
            ("--basis", "orth-exponential", "--decay-rates", "1,3,9", "--window", "25"),
            ("--basis", "history", "--window", "7"),
        ]
        for basis in bases:
            with self.subTest(basis=basis[1]):
                self.tool("convolve", path, "out.h5:/f", *basis, "-O")
                self.assert_features(self.read("out.h5:/f"), reference(values, self.taps(*basis)))

    def test_alignment(self):
        path, values = self.counts(300, 2)
        taps = self.taps(*LOG8)
        for causality in ("causal", "anti-causal", "acausal"):
            for shift in (True, False):
                for border in ("nan", "zero", "valid"):
                    with self.subTest(causality=causality, shift=shift, border=border):
                        words = [] if shift else ["--no-shift"]
                        self.tool("convolve", path, "out.h5:/f", *LOG8, "--causality", causality,
                                  "--border", border, *words, "-O")
                        self.assert_features(self.read("out.h5:/f"),
                                             reference(values, taps, causality, shift, border))

    def test_epochs_and_every(self):
        path, values = self.counts(500, 2)
        epochs = [(0, 200), (230, 240), (260, 500)]
        where = self.write("epochs.h5", "e", values=np.array(epochs, dtype=np.int64))
        taps = self.taps(*LOG8)
        self.tool("convolve", path, "out.h5:/f", *LOG8, "--epochs", where)
        self.assert_features(self.read("out.h5:/f"), reference(values, taps, epochs=epochs))
        whole = [(0, 250), (250, 500)]
        where = self.write("epochs.h5", "whole", values=np.array(whole, dtype=np.int64))
        for border in ("zero", "valid"):
            self.tool("convolve", path, "out.h5:/f", *LOG8, "--epochs", where, "--every", "3",
                      "--border", border, "-O")
            expected = reference(values, taps, epochs=whole, every=3, border="nan")
            if border == "zero":
                self.assert_features(self.read("out.h5:/f"),
                                     reference(values, taps, epochs=whole, every=3, border="zero"))
            else:
                expected = expected[~np.isnan(expected).any(axis=(1, 2))]
                self.assert_features(self.read("out.h5:/f"), expected)

    def test_channels_and_time(self):
        path, values = self.counts(1000, 6)
        taps = self.taps(*LOG8)
        self.tool("convolve", path, "out.h5:/f", *LOG8, "--channels", "2:5", "--time", "100:700")
        expected = reference(values[:, 2:5], taps)[100:700]  # windows reach beyond the range
        self.assert_features(self.read("out.h5:/f"), expected)
        self.tool("convolve", path, "out.h5:/f", *LOG8, "--channels", "2:5", "--time",
                  "100ms:0.7s", "-O")
        self.assert_features(self.read("out.h5:/f"), expected)
        where = self.write("epochs.h5", "e", values=np.array([(0, 400), (400, 1000)]))
        self.tool("convolve", path, "out.h5:/f", *LOG8, "--time", "100:700", "--epochs", where,
                  "-O")
        self.assert_features(self.read("out.h5:/f"),
                             reference(values, taps, epochs=[(0, 400), (400, 1000)])[100:700])

    def test_time_without_a_rate_counts_samples_of_the_recording(self):
        path = self.write("unrated.h5", "x", values=np.arange(300.0).reshape(300, 1))
        self.tool("convolve", path, "out.h5:/f", *LOG8, "--time", "100:200", "--every", "7")
        np.testing.assert_array_equal(self.read("out.h5:/time"), np.arange(105, 200, 7))

    def test_window_with_a_unit(self):
        path, values = self.counts()
        report = self.json("convolve", path, "out.h5:/f", "--basis", "bspline", "--bases", "5",
                           "--window", "20ms")
        self.assertEqual(report["filters"]["window"], 20)
        self.assertAlmostEqual(report["filters"]["window_seconds"], 0.02)

    def test_bank_of_the_users_own(self):
        path, values = self.counts()
        taps = np.random.default_rng(3).normal(size=(13, 4))
        bank = self.write("bank.h5", "taps", values=taps)
        self.tool("convolve", path, "out.h5:/f", "--bank", bank)
        self.assert_features(self.read("out.h5:/f"), reference(values, taps))
        self.tool("basis", *LOG8, "-o", "log.h5:/taps")
        self.tool("convolve", path, "a.h5:/f", "--bank", "log.h5:/taps")
        self.tool("convolve", path, "b.h5:/f", *LOG8)
        np.testing.assert_array_equal(self.read("a.h5:/f"), self.read("b.h5:/f"))

    def test_packed_recordings(self):
        random = np.random.default_rng(5)
        taps = self.taps(*LOG8)
        for dtype in ("int8", "uint8", "int16", "uint16", "float32", "float64"):
            with self.subTest(dtype=dtype):
                values = random.integers(0, 100, (300, 2)).astype(dtype)
                path = self.write(f"{dtype}.h5", values=values)
                self.tool("convolve", path, "out.h5:/f", *LOG8, "--scale", "0.25", "--offset",
                          "-3", "-O")
                self.assert_features(self.read("out.h5:/f"), reference(values * 0.25 - 3, taps))

    def test_more_dimensions_than_two(self):
        values = np.random.default_rng(6).normal(size=(200, 3, 2)).astype(np.float32)
        path = self.write("in.h5", values=values)
        self.tool("convolve", path, "out.h5:/f", *LOG8)
        found = self.read("out.h5:/f")
        expected = reference(values.reshape(200, 6), self.taps(*LOG8))
        self.assert_features(found.reshape(expected.shape), expected)

    def test_nan_spreads_as_in_the_sum(self):
        values = np.random.default_rng(7).normal(size=(200, 2)).astype(np.float32)
        values[50, 0] = np.nan
        path = self.write("in.h5", values=values)
        self.tool("convolve", path, "out.h5:/f", "--basis", "history", "--window", "4")
        self.assert_features(self.read("out.h5:/f"), reference(values, np.eye(4)))


class Batches(ToolCase):
    def test_bits_do_not_depend_on_batch_budget_threads_or_chunks(self):
        path, _ = self.counts(20011, 7)
        self.tool("convolve", path, "out.h5:/f", *LOG8)
        expected = self.read("out.h5:/f")
        for words in (("--batch", "997,3,5"), ("--batch", ",2,"), ("--budget", "2MiB"),
                      ("--chunk", "333x2x3"), ("--filter", "shuffle,deflate:1"),
                      ("--kokkos-num-threads=1",)):
            with self.subTest(words=words):
                self.tool("convolve", path, "out.h5:/f", *LOG8, *words, "-O")
                np.testing.assert_array_equal(self.read("out.h5:/f"), expected)

    def test_chunk_and_filter_reach_the_file(self):
        path, _ = self.counts(5000, 4)
        self.tool("convolve", path, "out.h5:/f", *LOG8, "--chunk", "512x4x8", "--filter",
                  "shuffle,deflate:2")
        with h5py.File(self.folder / "out.h5", "r") as file:
            self.assertEqual(file["f"].chunks, (512, 4, 8))
            self.assertEqual(file["f"].compression, "gzip")
            self.assertEqual(file["f"].compression_opts, 2)
            self.assertTrue(file["f"].shuffle)

    def test_the_report_says_what_was_done(self):
        path, _ = self.counts(20000, 7)
        report = self.json("convolve", path, "out.h5:/f", *LOG8, "--budget", "4MiB")
        self.assertEqual(report["features"]["shape"], [20000, 7, 8])
        self.assertEqual(report["method"], "direct")
        self.assertLessEqual(report["memory"]["total_bytes"], 4 << 20)
        self.assertEqual(report["run"]["bytes_written"], 20000 * 7 * 8 * 4)
        text = self.tool("convolve", path, "out.h5:/f", *LOG8, "-O").stderr
        for words in ("20,000 x 7 x 8 float32", "direct", "20 samples (20 ms)", "peak"):
            self.assertIn(words, text)

    def test_a_config_file(self):
        path, _ = self.counts()
        (self.folder / "run.toml").write_text(
            'basis = "raised-cosine-log"\nbases = 8\nwindow = 20\nbudget = "8MiB"\n'
            'type = "double"\noverwrite = true\n')
        self.tool("convolve", path, "a.h5:/f", "--config", "run.toml")
        self.tool("convolve", path, "b.h5:/f", *LOG8, "--type", "double")
        np.testing.assert_array_equal(self.read("a.h5:/f"), self.read("b.h5:/f"))
        report = self.json("convolve", path, "a.h5:/f", "--config", "run.toml", "--budget", "9MiB")
        self.assertEqual(report["memory"]["budget_bytes"], 9 << 20)
        (self.folder / "bad.toml").write_text('bassis = "history"\n')
        self.refused("convolve", path, "c.h5:/f", "--config", "bad.toml", says=["bassis", "bad.toml"],
                     code=2)

    def test_sections_of_a_config_file(self):
        path, _ = self.counts()
        (self.folder / "run.toml").write_text(
            'budget = "9MiB"\noverwrite = true\n[simulate]\nseed = 3\n[convolve]\n'
            'basis = "history"\nwindow = 20\nbudget = "8MiB"\n')
        for command in ("convolve", "plan"):
            report = self.json(command, path, "a.h5:/f", "--config", "run.toml")
            self.assertEqual(report["filters"]["window"], 20)
            self.assertEqual(report["memory"]["budget_bytes"], 8 << 20)
        (self.folder / "bad.toml").write_text('[convolve]\nbudgt = 8\n')
        self.refused("convolve", path, "c.h5:/f", "--config", "bad.toml",
                     says=["'budgt'", "bad.toml"], code=2)
        (self.folder / "other.toml").write_text('[run]\nbudget = 8\n')
        self.refused("convolve", path, "c.h5:/f", "--config", "other.toml",
                     says=["[run]", "[convolve]", "other.toml"], code=2)

    def test_one_tap_gives_the_recording(self):
        path, values = self.counts()
        self.tool("convolve", path, "out.h5:/f", *HISTORY1)
        np.testing.assert_array_equal(self.read("out.h5:/f")[:, :, 0], values)


if __name__ == "__main__":
    unittest.main()
