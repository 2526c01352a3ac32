# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""synelix simulate, basis and info; help and its examples."""
import csv
import io
import json
import re
import shlex
import subprocess
import unittest

import h5py
import numpy as np

from tool import LOG8, PROGRAM, ToolCase


class Simulate(ToolCase):
    def simulate(self, name, *words, samples=20000, channels=6, seed=1):
        self.tool("simulate", f"{name}:/counts", "--samples", samples, "--channels", channels,
                  "--seed", seed, *words)
        return self.read(f"{name}:/counts")

    def test_counts_of_a_seed_are_fixed(self):
        counts = self.simulate("a.h5", samples=2000, channels=4, seed=7)
        self.assertEqual(counts.dtype, np.uint8)
        self.assertEqual(counts.shape, (2000, 4))
        # Places of the first spikes of this seed, on every machine.
        self.assertEqual(np.flatnonzero(counts.any(axis=1))[:8].tolist(),
                         [28, 51, 82, 87, 98, 152, 188, 209])
        self.assertEqual(counts.sum(axis=0).tolist(), [13, 10, 10, 18])

    def test_a_longer_recording_begins_as_a_shorter_one(self):
        short = self.simulate("a.h5", samples=500)
        long = self.simulate("b.h5", samples=1500)
        np.testing.assert_array_equal(long[:500], short)
        self.assertFalse(np.array_equal(self.simulate("c.h5", samples=500, seed=2), short))

    def test_rates(self):
        for rate in (2, 5, 20):
            report = self.json("simulate", f"r{rate}.h5:/x", "--samples", 100000, "--channels", 20,
                               "--rate-hz", rate)
            self.assertGreater(report["mean_rate_hz"], 0.7 * rate)
            self.assertLess(report["mean_rate_hz"], 2 * rate)
        counts = self.read("r5.h5:/x").sum(axis=0) / 100
        self.assertGreater(counts.min(), 1)
        self.assertLess(counts.max(), 20)

    def test_neurons_are_refractory_and_coupled(self):
        counts = self.simulate("a.h5", "--rate-hz", 20, samples=200000, channels=8)
        spikes = counts.astype(float)
        expected = spikes.mean(axis=0) ** 2
        soon = (spikes[1:] * spikes[:-1]).mean(axis=0)
        self.assertTrue((soon < 0.2 * expected).all(), soon / expected)
        centred = spikes - spikes.mean(axis=0)
        lagged = sum(centred[5 + lag :].T @ centred[5 : len(centred) - lag] for lag in range(1, 6))
        noise = np.sqrt(5 * len(spikes)) * np.outer(spikes.std(axis=0), spikes.std(axis=0))
        strongest = np.abs(lagged / noise)[~np.eye(8, dtype=bool)].max()
        self.assertGreater(strongest, 8)

    def test_attributes(self):
        self.simulate("a.h5", "--bin", "2ms", samples=100)
        attributes = self.attributes("a.h5:/counts")
        self.assertEqual(attributes["seed"], 1)
        self.assertIn("synelix simulate", str(attributes["history"]))
        report = self.json("convolve", "a.h5:/counts", "out.h5:/f", "--basis", "history",
                           "--window", "10ms")
        self.assertEqual(report["input"]["rate_hz"], 500)
        self.assertEqual(report["filters"]["window"], 5)

    def test_wrong_values(self):
        call = ("simulate", "a.h5:/x", "--samples")
        self.refused(*call, 0, "--channels", 1, says="--samples", code=2)
        self.refused(*call, 10, "--channels", -1, says="--channels", code=2)
        self.refused(*call, 10, "--channels", 1, "--rate-hz", 0, says="--rate-hz", code=2)
        self.refused(*call, 10, "--channels", 1, "--rate-hz", 1e6, says="--rate-hz")
        self.refused(*call, 10**14, "--channels", 1000, says="free")
        self.refused(*call, 10**18, "--channels", 10**7, says="--samples")
        self.refused(*call, 10, "--channels", 10**9, says="--channels")


class Basis(ToolCase):
    def test_csv_json_and_hdf5_hold_the_same_taps(self):
        rows = list(csv.reader(io.StringIO(self.tool("basis", *LOG8).stdout)))
        self.assertEqual(rows[0], ["tap"] + [f"basis_{b}" for b in range(8)])
        table = np.array(rows[1:], dtype=float)
        np.testing.assert_array_equal(table[:, 0], np.arange(20))
        report = self.json("basis", *LOG8)
        np.testing.assert_array_equal(np.array(report["taps"]), table[:, 1:])
        self.assertEqual(report["basis"], "RaisedCosineLog")
        self.assertEqual(len(report["support"]), 8)
        self.tool("basis", *LOG8, "-o", "bank.h5:/taps")
        np.testing.assert_array_equal(self.read("bank.h5:/taps"), table[:, 1:])

    def test_values(self):
        np.testing.assert_array_equal(self.taps("--basis", "history", "--window", "5"), np.eye(5))
        splines = self.taps("--basis", "bspline", "--bases", "5", "--window", "30")
        np.testing.assert_allclose(splines.sum(axis=1), 1, atol=1e-12)
        rates = [1.0, 2.5, 6.0]
        taps = self.taps("--basis", "orth-exponential", "--decay-rates", "1,2.5,6", "--window", 40)
        np.testing.assert_allclose(taps.T @ taps, np.eye(len(rates)), atol=1e-12)

    def test_help_names_every_family_and_parameter(self):
        text = " ".join(self.tool("basis", "--help").stdout.split())
        self.assertIn("raised-cosine-linear, raised-cosine-log, bspline, cyclic-bspline, mspline, orth-exponential"
                      " or history.", text)
        for option in ("--bases B", "--window W", "--width X", "--time-scaling X", "--no-decay", "--order N",
                       "--decay-rates X,X,..."):
            self.assertIn(option, text)

    def test_wrong_values(self):
        self.refused("basis", "--basis", "bspline", "--bases", "4", "--window", "10ms",
                     says="samples", code=2)
        self.refused("basis", *LOG8, "-o", "bank.h5", says="FILE:/dataset", code=2)
        self.refused("basis", "--basis", "raised-cosine-log", "--bases", "1", "--window", "10",
                     says="bases")


class Info(ToolCase):
    def test_of_this_build(self):
        report = self.json("info")
        self.assertRegex(report["version"], r"^\d+\.\d+\.\d+$")
        self.assertTrue(self.tool("--version").stdout.startswith(f"synelix {report['version']} "))
        self.assertIn(report["instruction_set"], report["instruction_sets"])
        self.assertRegex(report["hdf5_version"], r"^\d+\.\d+\.\d+")
        text = self.tool("info").stdout
        for name in ("kokkos_version", "execution_space", "instruction_set", "hdf5_version"):
            self.assertIn(report[name], text)

    def test_of_a_file(self):
        self.write("a.h5", "group/data", values=np.zeros((100, 3), dtype=np.int16),
                   options={"chunks": (50, 3), "compression": "gzip", "shuffle": True},
                   unit="volts", conversion=0.5, gains="1 2")
        report = self.json("info", "a.h5")
        found = next(d for d in report["datasets"] if d["path"] == "/group/data")
        self.assertEqual((found["shape"], found["chunk"]), ([100, 3], [50, 3]))
        self.assertEqual(found["type"], "int16")
        self.assertEqual(len(found["filters"]), 2)
        self.assertEqual(found["attributes"]["unit"], "volts")
        self.assertEqual(found["attributes"]["conversion"], 0.5)
        self.assertEqual(found["attributes"]["gains"], "1 2")
        text = self.tool("info", "a.h5").stdout
        for says in ("/group/data", "100 x 3 int16", "unit = volts"):
            self.assertIn(says, text)

    def test_of_an_nwb_file(self):
        self.write("a.nwb", "units/id", values=np.array([4, 5]))
        self.write("a.nwb", "units/spike_times_index", values=np.array([3, 10]))
        self.write("a.nwb", "specifications/core/2.4.0/namespace", values=np.arange(3))
        with h5py.File(self.folder / "a.nwb", "a") as file:
            file.attrs["nwb_version"] = "2.4.0"
        text = self.tool("info", "a.nwb").stdout
        self.assertNotIn("/specifications", text)
        self.assertLess(text.index("4: 3, 5: 7"), text.index("/units/id"))

    def test_of_features(self):
        path, _ = self.counts()
        self.tool("convolve", path, "out.h5:/features", *LOG8)
        attributes = next(d for d in self.json("info", "out.h5")["datasets"]
                          if d["path"] == "/features")["attributes"]
        self.assertIn("synelix convolve", attributes["history"])
        for name in ("basis", "window", "method", "causality"):
            self.assertIn(name, attributes)

    def test_what_a_reader_asks_for_comes_first(self):
        """Shape, axes, rate and units come before the storage of the values and their origin."""
        self.tool("simulate", "rec.h5:/counts", "--samples", "3000", "--channels", "2")
        self.tool("convolve", "rec.h5:/counts", "out.h5:/z_features", *LOG8)
        text = self.tool("info", "out.h5").stdout
        places = [text.index(part) for part in (
            "/z_features\n", "3,000 x 2 x 8 float32", "axes = time,channel,basis", "rate_hz = 1000", "basis = ", "window = ",
            "stored in ", "coordinates = ", "method = ", "fingerprint = ", "synelix_version = ",
            "synelix_revision = ", "synelix_build = ", "history = ", "/channel\n  2 int64")]
        self.assertEqual(places, sorted(places), text)
        text = self.tool("info", "rec.h5").stdout
        places = [text.index(part) for part in ("3,000 x 2 uint8", "rate_hz = 1000", "units = counts per bin", "seed", "stored in")]
        self.assertEqual(places, sorted(places), text)

    def test_of_wrong_files(self):
        self.refused("info", "none.h5", says="none.h5")
        (self.folder / "text").write_text("text")
        self.refused("info", "text", says="text")


class Help(ToolCase):
    COMMANDS = ("convolve", "plan", "join", "basis", "simulate", "info")

    def help_of(self, *command):
        return self.tool(*command, "--help", "--kokkos-num-threads=nonsense").stdout

    def test_every_command_is_listed_and_has_its_own(self):
        text = self.help_of()
        for command in self.COMMANDS:
            self.assertIn(f"  {command} ", text)
            self.assertIn(f"synelix {command}", self.help_of(command))

    def test_options_are_described_as_help_lists_them(self):
        commands = json.loads(self.tool("--describe-options").stdout)["commands"]
        self.assertIn("convolve", [command["name"] for command in commands])
        for command in commands:
            described = json.loads(self.tool(command["name"], "--describe-options").stdout)
            names = [name for option in described["options"] for name in option["names"] if name.startswith("-")]
            help_text = self.tool(command["name"], "--help").stdout
            listed = re.findall(r"^  (-[-\w]+)(?:,(--[-\w]+))?", help_text, re.M)
            self.assertEqual(sorted(names), sorted(name for pair in listed for name in pair if name))
            self.assertEqual(described["description"], command["description"])
            for option in described["options"]:
                self.assertIn(option["help"], help_text)
                self.assertNotEqual(option["flag"], bool(option["type"]))

    def test_every_example_runs_as_printed(self):
        for command in ((), *((name,) for name in self.COMMANDS)):
            text = self.help_of(*command)
            lines, number = text.split("Example:\n")[1].replace("\\\n", " ").splitlines(), 0
            for line in lines:
                if not line.startswith("  synelix "):
                    continue
                number += 1
                with self.subTest(line=line.strip()):
                    done = subprocess.run(["bash", "-c", line], cwd=self.folder, text=True,
                                          capture_output=True, env=self.environment())
                    self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(number, 0, text)

    def test_plan_lists_no_options_of_writing(self):
        plan, convolve = self.help_of("plan"), self.help_of("convolve")
        for option in ("--overwrite", "--append", "--progress"):
            self.assertNotIn(option, plan)
            self.assertIn(option, convolve)

    def test_help_needs_no_kokkos(self):
        for words in (["--help"], ["--version"], ["convolve", "--help"], ["convolve", "--frob"], ["--kokkos-help"]):
            done = subprocess.run([PROGRAM, *words], text=True, capture_output=True,
                                  env=self.environment(KOKKOS_NUM_THREADS="nonsense"))
            self.assertIn(done.returncode, (0, 2), shlex.join(words) + done.stderr)


if __name__ == "__main__":
    unittest.main()
