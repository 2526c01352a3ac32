# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--list: one call that runs once for each line of a list."""
import json
import os
import unittest

import h5py
import numpy as np

from list_case import BANK, ListCase


class Lists(ListCase):
    def test_outputs_are_those_of_separate_runs(self):
        pairs = self.recordings(700, 6000, 1500)
        self.write_list(pairs)
        for options in ((), ("--filter", "shuffle,deflate:1", "--type", "double"), ("--time", "200:600"),
                        ("--append", "--border", "zero"), ("--every", "3", "--chunk", "100x3x4")):
            with self.subTest(options=options):
                done = self.run_list(*options)
                self.assertIn("3 lines of list.txt: 3 done\n", done.stderr)
                self.expect_separate(pairs, *options)
                for _, write in pairs:
                    (self.folder / write.split(":")[0]).unlink()

    def test_windows_are_those_of_each_rate(self):
        for i, rate in enumerate((1000.0, 500.0, 2000.0)):
            self.counts(900, 2, seed=i, name=f"{i}.h5", rate=rate)
        pairs = [(f"{i}.h5:/x", f"out{i}.h5:/f") for i in range(3)]
        self.write_list(pairs)
        bank = ("--basis", "raised-cosine-log", "--bases", "3", "--window", "20ms")
        self.tool("convolve", "--list", "list.txt", *bank)
        for (read, write), window in zip(pairs, (20, 10, 40)):
            self.tool("convolve", read, "one.h5:/f", *bank[:4], "--window", window, "-O")
            self.assertEqual(self.everything(write.split(":")[0]), self.everything("one.h5"))

    def test_a_file_of_taps(self):
        taps = self.write("bank.h5", values=np.random.default_rng(1).normal(size=(9, 2)))
        pairs = self.recordings(400, 500)
        self.write_list(pairs)
        self.tool("convolve", "--list", "list.txt", "--bank", taps)
        for read, write in pairs:
            self.tool("convolve", read, "one.h5:/f", "--bank", taps, "-O")
            self.assertEqual(self.everything(write.split(":")[0]), self.everything("one.h5"))
        done = self.tool("convolve", "--list", "list.txt", "--bank", "none.h5:/x", "-O", code=1)
        self.assertNotIn("line 1", done.stderr)                        # no line was begun
        self.assertIn("none.h5", done.stderr)

    def test_spike_trains(self):
        for i in range(2):
            with h5py.File(self.folder / f"{i}.nwb", "w") as file:
                file.attrs["nwb_version"] = "2.6.0"
                times = np.sort(np.random.default_rng(i).uniform(0, 20, 200))
                file["units/id"] = np.arange(1)
                file["units/spike_times"] = times
                file["units/spike_times_index"] = np.array([len(times)])
        self.write_list([(f"{i}.nwb", f"out{i}.h5:/f") for i in range(2)])
        self.run_list("--units", "--bin", "10ms")
        self.expect_separate([(f"{i}.nwb", f"out{i}.h5:/f") for i in range(2)], "--units", "--bin", "10ms")

    def test_what_a_line_may_look_like(self):
        self.counts(300, 2, name="a b.h5")
        self.counts(300, 2, name="c.h5")
        for text, count in ((b"a b.h5:/x\to 1.h5:/f\r\n\r\n# c.h5:/x o9.h5:/f\r\nc.h5:/x o2.h5:/f", 2),
                            (b"\xef\xbb\xbfc.h5:/x\to2.h5:/f", 1),
                            (b"  c.h5:/x   o2.h5:/f  \n   \n", 1)):
            (self.folder / "list.txt").write_bytes(text)
            done = self.run_list("-O")
            self.assertIn(f"{count} line{'s' * (count > 1)} of list.txt: {count} done", done.stderr)
            self.assertTrue((self.folder / "o2.h5").exists())
            (self.folder / "o2.h5").unlink()
        self.assertTrue((self.folder / "o 1.h5").exists())
        self.assertFalse((self.folder / "o9.h5").exists())

    def test_standard_input(self):
        pairs = self.recordings(300, 400)
        text = "".join(f"{read}\t{write}\n" for read, write in pairs)
        done = self.tool("convolve", "--list", "-", *BANK, "--json", input=text)
        self.assertEqual(self.events(done)[-1]["list"], "standard input")
        self.assertIn("2 lines of standard input: 2 done", done.stderr)
        self.expect_separate(pairs)
        refused = self.tool("convolve", "--list", "-", *BANK, input="a.h5:/x\n", code=2)
        self.assertIn("standard input, line 1: 'a.h5:/x' has no output", refused.stderr)

    def test_reports_in_json(self):
        pairs = self.recordings(300, 400)
        self.write_list(pairs)
        done = self.run_list("--json", "--progress", "json")
        *lines, end = self.events(done)
        self.assertEqual([(line["event"], line["line"], line["input"], line["output"], line["state"])
                          for line in lines],
                         [("line", i + 1, read, write, "done") for i, (read, write) in enumerate(pairs)])
        self.assertEqual([line["report"]["input"]["samples"] for line in lines], [300, 400])
        self.assertEqual([line["report"]["run"]["was_finished"] for line in lines], [False, False])
        self.assertEqual(end, {"event": "list", "list": "list.txt", "lines": 2, "own_lines": 2, "planned": 0,
                               "done": 2, "already_whole": 0, "failed": 0, "left": 0, "failures": []})
        shown = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        ends = [(each["line"], each["input"]) for each in shown if each["fraction"] == 1]
        self.assertEqual(list(dict.fromkeys(ends)), [(1, "0.h5:/x"), (2, "1.h5:/x")])     # slow runs print it twice
        lines = self.run_list("-O", "--progress", "lines").stderr
        self.assertIn("convolve line 2 (1.h5:/x): 100 %", lines)
        self.assertIn("line 2 (1.h5:/x) to out1.h5:/f\n", lines)

    def test_history_names_the_line(self):
        pairs = self.recordings(300, 400)
        self.write_list(pairs)
        self.run_list()
        history = self.attributes("out1.h5:/f")["history"]
        history = history.decode() if isinstance(history, bytes) else history
        self.assertTrue(history.startswith("synelix convolve --list list.txt "), history)
        self.assertTrue(history.endswith(" # line 2: 1.h5:/x out1.h5:/f"), history)

    def test_plan(self):
        pairs = self.recordings(300, 400)
        self.write_list([*pairs, ("none.h5:/x", "out9.h5:/f")])
        done = self.tool("plan", "--list", "list.txt", *BANK, "--json", code=1)
        *lines, end = self.events(done)
        self.assertEqual([line["state"] for line in lines], ["planned", "planned", "failed"])
        self.assertEqual((end["planned"], end["failed"]), (2, 1))
        text = self.tool("plan", "--list", "list.txt", *BANK, code=1)
        self.assertIn("line 2 (1.h5:/x) to out1.h5:/f\ninput     1.h5:/x, 400 x 3", text.stdout)
        self.assertNotIn("--resume", text.stderr)
        self.assertEqual(list(self.folder.glob("out*")), [])

    def test_warnings_name_their_line(self):
        for i in range(2):
            self.counts(900, 2, seed=i, name=f"{i}.h5", rate=333.0)
        self.write_list([(f"{i}.h5:/x", f"out{i}.h5:/f") for i in range(2)])
        done = self.tool("convolve", "--list", "list.txt", "--basis", "history", "--window", "20ms")
        for i in range(2):
            self.assertIn(f"warning: line {i + 1} ({i}.h5:/x): --window: 20 ms is 6.66 samples", done.stderr)

    def test_designs(self):
        self.counts(600, 2, name="a.h5")
        self.counts(800, 2, name="b.h5", seed=5)
        for name in ("a", "b"):
            (self.folder / f"{name}.toml").write_text(
                f'[inputs.x]\ndata = "{name}.h5:/x"\n[bases.b]\ntype = "history"\nwindow = 3\n'
                '[[terms]]\nname = "x"\ninput = "x"\nbasis = "b"\n')
        self.write_list([("a.toml", "outa.h5:/f"), ("none.toml", "outn.h5:/f"), ("b.toml", "outb.h5:/f")])
        done = self.tool("features", "--list", "list.txt", "--json", code=1)
        *lines, end = self.events(done)
        self.assertEqual([line["state"] for line in lines], ["done", "failed", "done"])
        self.assertEqual((end["done"], end["failed"]), (2, 1))
        for name in ("a", "b"):
            self.tool("features", f"{name}.toml", "one.h5:/f", "-O")
            self.assertEqual(self.everything(f"out{name}.h5"), self.everything("one.h5"))
        self.write_list([("a.toml", "outa.h5:/f"), ("b.toml", "./a.h5:/f")])
        refused = self.tool("features", "--list", "list.txt", code=2)
        self.assertIn("list.txt, line 2: its output './a.h5' is a file that line 1 reads", refused.stderr)
        self.write_list([("a.toml", "outa.h5:/f")])
        self.assertIn("beside DESIGN",
                      self.tool("features", "a.toml", "o.h5:/f", "--list", "list.txt", code=2).stderr)
        self.assertEqual(self.events(self.tool("features", "--list", "list.txt", "--dry-run", "--json"))[0]["state"],
                         "planned")


class Refusals(ListCase):
    def refused_list(self, text, *says, options=()):
        (self.folder / "list.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
        before = sorted(os.listdir(self.folder))
        done = self.run_list(*options, code=2)
        for each in says:
            self.assertIn(each, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_lines(self):
        self.recordings(300)
        for text, says in (
                ("0.h5:/x out.h5:/f\n\n0.h5:/x\n", "list.txt, line 3: '0.h5:/x' has no output"),
                ("0.h5:/x out.h5:/f more\n", "list.txt, line 1: it has 3 words, not two"),
                ("0.h5:/x\tout.h5:/f\t\n", "line 1: it has more than one tab"),
                ("0.h5:/x\t\n", "line 1: it has no output behind its tab"),
                ("\tout.h5:/f\n", "line 1: it has no input before its tab"),
                (b"0.h5:/x out.h5:/f\n0.h5\0:/x out.h5:/g\n", "line 2: it has a NUL"),
                ("0.h5:/x out.h5\n", "line 1: OUT: 'out.h5' names no dataset"),
                ("none.h5 out.h5:/f\n", "line 1: IN: 'none.h5' names no dataset"),
                ("0.h5:/x out.nwb:/f\n", "line 1: output out.nwb: an NWB file"),
                ("", "list.txt: no line of it has an input and an output"),
                ("# nothing\n\r\n   \n", "list.txt: no line of it has an input and an output")):
            with self.subTest(text=text):
                self.refused_list(text, "--list", says)
        done = self.tool("convolve", "--list", "none.txt", *BANK, code=2)
        self.assertIn("none.txt: cannot be read: No such file", done.stderr)
        done = self.tool("convolve", "--list", ".", *BANK, code=2)
        self.assertIn("cannot be read: Is a directory", done.stderr)

    def test_names_beside_a_list(self):
        pairs = self.recordings(300)
        self.write_list(pairs)
        for words in (("0.h5:/x",), ("0.h5:/x", "out.h5:/f")):
            for command in ("convolve", "plan"):
                done = self.tool(command, *words, "--list", "list.txt", *BANK, code=2)
                self.assertIn("--list: it is given beside IN", done.stderr)
        for words in ((), ("0.h5:/x",)):
            done = self.tool("convolve", *words, *BANK, code=2)
            self.assertIn("none is given", done.stderr)
        (self.folder / "o.toml").write_text('list = "list.txt"\n')
        self.assertIn("there is no option 'list'", self.tool("convolve", *BANK, "--config", "o.toml", code=2).stderr)

    def test_one_output_of_two_lines(self):
        self.recordings(300, 400)
        (self.folder / "sub").mkdir()
        (self.folder / "same").symlink_to("sub")
        (self.folder / "sub" / "there.h5").write_bytes(b"x")
        os.link(self.folder / "sub" / "there.h5", self.folder / "hard.h5")
        (self.folder / "soft.h5").symlink_to("sub/there.h5")
        (self.folder / "dangling.h5").symlink_to("sub/none.h5")
        for first, second in (("out.h5", "out.h5"), ("out.h5", "./sub/../out.h5"), ("out.h5", f"{self.folder}/out.h5"),
                              ("sub/o.h5", "same/o.h5"), ("sub/there.h5", "hard.h5"), ("hard.h5", "soft.h5"),
                              ("sub/none.h5", "dangling.h5"), ("none/o.h5", "none/../none/o.h5")):
            for options in ((), ("-O",), ("--append",)):
                self.refused_list(f"# head\n0.h5:/x {first}:/f\n\n1.h5:/x {second}:/g\n", "list.txt, line 4: ",
                                  f"its output '{second}' is the file of line 2, '{first}'", options=options)
        self.refused_list("0.h5:/x out.h5:/f\n1.h5:/x out.h5.part:/f\n",
                          "line 2: its output 'out.h5.part' is the file of line 1, 'out.h5', with .part")

    def test_an_output_that_is_read(self):
        self.recordings(300, 400)
        (self.folder / "soft.h5").symlink_to("1.h5")
        self.write("bank.h5", values=np.ones((3, 2)))
        self.write("e.h5", values=np.array([[0, 100]]))
        for output in ("1.h5", "./1.h5", "soft.h5"):
            self.refused_list(f"0.h5:/x {output}:/f\n1.h5:/x out.h5:/f\n",
                              f"line 1: its output '{output}' is a file that line 2 reads, '1.h5'", options=("-O",))
        self.refused_list("0.h5:/x 0.h5:/f\n", "line 1: its output '0.h5' is a file that line 1 reads",
                          options=("--append",))
        self.refused_list("0.h5:/x list.txt:/f\n", "is a file that --list reads", options=("-O",))
        self.refused_list("0.h5:/x e.h5:/f\n", "is a file that --epochs reads", options=("-O", "--epochs", "e.h5:/x"))
        done = self.tool("convolve", "--list", "list.txt", "--bank", "e.h5:/x", "-O", code=2)
        self.assertIn("is a file that --bank reads", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
