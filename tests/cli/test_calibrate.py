# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""synelix calibrate, and the use of its file by convolve, plan and features."""
import json
import os
import subprocess
import unittest

import numpy as np

from tool import PROGRAM, ToolCase


BANK = ("--basis", "history", "--window", 5)


class Calibrate(ToolCase):
    made = None                                              # the report of calibrate, and its file

    def calibrated(self):
        """The file of calibrate in the user's folder."""
        return self.folder / "config" / "synelix" / "machine.json"

    def make(self):
        """Provides a file of calibrate, measured once for all tests that need one. Returns the report of calibrate."""
        if Calibrate.made is None:
            report = self.json("calibrate")
            self.assertEqual(report["path"], str(self.calibrated()))
            self.assertEqual(os.listdir(self.calibrated().parent), ["machine.json"])
            Calibrate.made = (report, self.calibrated().read_text())
        report, text = Calibrate.made
        self.calibrated().parent.mkdir(parents=True, exist_ok=True)
        self.calibrated().write_text(text)
        return report

    def plan(self, *words):
        if not (self.folder / "in.h5").exists():
            self.write("in.h5", values=np.zeros((20000, 16), "f4"))
        return self.json("plan", "in.h5:/x", "--basis", "mspline", "--bases", 8, "--window", 1000, *words)

    def rewrite(self, change):
        content = json.loads(self.calibrated().read_text())
        change(content)
        self.calibrated().write_text(json.dumps(content))

    def test_it_is_kept_for_the_user_and_read(self):
        self.assertNotIn("machine.json", self.tool("info").stdout)
        report = self.make()
        (entry,) = json.loads(self.calibrated().read_text())["machines"]
        self.assertEqual(entry["nanoseconds"], report["nanoseconds"])
        self.assertEqual(entry["instruction_set"], json.loads(self.tool("info", "--json").stdout)["instruction_set"])
        self.assertTrue(all(value >= 0 for value in entry["nanoseconds"].values()), entry)
        self.assertIn(str(self.calibrated()), self.tool("info").stdout)

    def test_it_decides(self):
        before = self.plan()
        self.assertEqual(before["method"], "fft")
        self.assertEqual(set(before["predicted"]["seconds_by_method"]), {"direct", "fft"})
        self.assertLess(before["predicted"]["seconds_by_method"]["fft"],
                        before["predicted"]["seconds_by_method"]["direct"])
        self.make()

        def without_transforms(content):
            content["machines"][0]["nanoseconds"]["fft_point"] = 1e6
        self.rewrite(without_transforms)
        self.assertEqual(self.plan()["method"], "direct")
        self.assertEqual(self.plan("--machine", "default")["method"], "fft")
        kept = self.folder / "kept.json"
        kept.write_text(self.calibrated().read_text())
        self.calibrated().unlink()
        self.assertEqual(self.plan()["method"], "fft")
        self.assertEqual(self.plan("--machine", kept)["method"], "direct")
        self.assertEqual(self.plan("--machine", kept, "--method", "fft")["method"], "fft")

    def test_an_instruction_set_has_its_own_entry(self):
        plain = ("--instruction-set", "plain")
        self.assertEqual(self.json("calibrate", "-o", "new/m.json", *plain)["instruction_set"], "plain")
        (entry,) = json.loads((self.folder / "new/m.json").read_text())["machines"]
        self.assertEqual(entry["instruction_set"], "plain")
        self.assertEqual(self.plan("--machine", "new/m.json", *plain)["instruction_set"], "plain")
        if self.plan()["instruction_set"] != "plain":
            self.refused("plan", "in.h5:/x", *BANK, "--machine", "new/m.json", says="holds nothing for")

    def test_other_machines_keep_theirs(self):
        self.make()
        file = self.folder / "shared" / "of_all.json"
        file.parent.mkdir()
        content = json.loads(self.calibrated().read_text())
        (own,) = content["machines"]
        other = {**own, "processor": "another one"}
        file.write_text(json.dumps({**content, "machines": [other]}))
        self.plan("--machine", "default")
        self.refused("plan", "in.h5:/x", "--basis", "history", "--window", 5, "--machine", file,
                     says=["--machine", "holds nothing for"])
        self.refused("plan", "in.h5:/x", "--basis", "history", "--window", 5, "--machine", "none.json",
                     says=["--machine none.json: cannot be read: no such file"])
        self.refused("plan", "in.h5:/x", "--basis", "history", "--window", 5, "--machine", self.folder,
                     says=["it is a folder"])
        self.refused("calibrate", "-o", self.folder, says=["it is a folder"])
        file.write_text(json.dumps({**content, "machines": [other, {**own, "bytes": {"direct_block": 1, "fft_block": 1}}]}))
        self.tool("calibrate", "-o", "shared/of_all.json")
        machines = json.loads(file.read_text())["machines"]
        self.assertEqual(len(machines), 2)
        self.assertIn(other, machines)
        self.assertNotIn(1, machines[1 - machines.index(other)]["bytes"].values())

    def test_a_damaged_file_is_left_out_with_a_warning(self):
        self.make()
        self.write("in.h5", values=np.zeros((2000, 2), "f4"))
        bank = ("--basis", "history", "--window", 5)
        good = self.calibrated().read_text()
        built_in = self.json("plan", "in.h5:/x", *bank, "--machine", "default")
        for says, text in (("no JSON", ""), ("no JSON", "{"), ("no JSON", "\0" * 500), ("no list of machines", "{}"),
                           ("no list of machines", "[1]"), ("format 2", good.replace('"format": 1', '"format": 2')),
                           ("no nanoseconds of the step run", good.replace('"run"', '"walk"')),
                           ("-1 nanoseconds of the step run", good.replace('"run": ', '"run": -1, "x": ')),
                           ("no nanoseconds", good.replace('"run": ', '"run": "1", "x": '))):
            with self.subTest(says=says, text=text[:10]):
                self.calibrated().write_text(text)
                for words in (("plan", "in.h5:/x", *bank, "--json"), ("convolve", "in.h5:/x", "out.h5:/y", *bank, "-O")):
                    warning = self.tool(*words).stderr.splitlines()[0]
                    for part in ("warning: ", "machine.json: it ", says, "synelix calibrate", "constants of the build"):
                        self.assertIn(part, warning)
                self.assertEqual(self.json("plan", "in.h5:/x", *bank)["predicted"], built_in["predicted"])
                self.refused("plan", "in.h5:/x", *bank, "--machine", self.calibrated(),
                             says=["machine.json: it ", says])
                self.assertEqual(self.calibrated().read_text(), text)
                if text and "nanoseconds" not in says:    # those of this machine calibrate makes anew
                    self.refused("calibrate", says=["machine.json: it ", says])
                    self.assertEqual(self.calibrated().read_text(), text)

    def test_bytes_of_work_items_are_kept_and_checked(self):
        report = self.make()
        (entry,) = json.loads(self.calibrated().read_text())["machines"]
        self.assertEqual(entry["bytes"], report["bytes"])
        self.assertEqual(list(entry["bytes"]), ["direct_block", "fft_block"])
        before = self.plan()
        good = self.calibrated().read_text()
        for bad in (-1, 1.5, "1", None, 2**41, 1e300):
            with self.subTest(bytes=bad):
                self.rewrite(lambda content, bad=bad: content["machines"][0]["bytes"].update(fft_block=bad))
                self.refused("plan", "in.h5:/x", *BANK, "--machine", self.calibrated(),
                             says=["machine.json: it holds ", "as the bytes of fft_block", "synelix calibrate"])
                self.calibrated().write_text(good)
        self.rewrite(lambda content: content["machines"][0].update(bytes=[1]))
        self.refused("plan", "in.h5:/x", *BANK, "--machine", self.calibrated(), says="as the bytes of direct_block")
        self.calibrated().write_text(good)
        # The file of a version that measured neither bytes nor long transforms.
        self.rewrite(lambda content: (content["machines"][0].pop("bytes"),
                                      content["machines"][0]["nanoseconds"].pop("fft_far")))
        self.assertEqual(self.plan()["method"], before["method"])

    def test_it_is_on_the_disk_before_it_has_its_name(self):
        """A machine that stops leaves the old file or the new one, never an empty one."""
        log = self.folder / "calls.log"
        environment = self.environment(LD_PRELOAD=os.environ["SYNELIX_ENDED_AT"], CALLS_LOG=str(log))
        subprocess.run([PROGRAM, "calibrate"], env=environment, check=True, capture_output=True, timeout=300)
        calls = [line.split()[0] for line in log.read_text().splitlines()]
        self.assertEqual(calls[-3:], ["fsync", "rename", "fsync"], calls)

    def test_a_link_to_an_empty_file_stays(self):
        kept = self.folder / "kept.json"
        kept.touch()
        self.calibrated().parent.mkdir(parents=True)
        self.calibrated().symlink_to(kept)
        self.tool("calibrate")
        self.assertTrue(self.calibrated().is_symlink())
        self.assertEqual(len(json.loads(kept.read_text())["machines"]), 1)

    def test_a_folder_that_cannot_be_written(self):
        (self.folder / "file").write_text("")
        self.refused("calibrate", "-o", "file/machine.json", says="file: Not a directory")


if __name__ == "__main__":
    unittest.main()
