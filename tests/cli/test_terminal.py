# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text of files reaches a terminal with its control characters escaped."""
import json
import subprocess
import unittest

import h5py
import numpy as np

from tool import HISTORY1, PROGRAM, ToolCase

# Escape sequences, a C1 control, overrides of direction, a separator of lines, DEL.
EVIL = "a\x1b]0;title\x07\x1b[2J\u009b31m\u202eb\u2066c\u2028d\x7f\re"
SHOWN = r"a\x1b]0;title\x07\x1b[2J\x9b31m\u202eb\u2066c\u2028d\x7f\x0de"
DANGER = [code for code in [*range(0x20), *range(0x7f, 0xa0), 0x61c, 0x200e, 0x200f,
                            *range(0x2028, 0x202f), *range(0x2066, 0x206a)] if code not in (9, 10)]


class Escapes(ToolCase):
    def run_tool(self, *words):
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True,
                              env=self.environment())
        return done.returncode, done.stdout, done.stderr

    def assert_safe(self, printed):
        text = printed.decode()                         # is UTF-8 throughout
        self.assertEqual([hex(ord(c)) for c in text if ord(c) in DANGER], [])
        return text

    def hostile(self):
        with h5py.File(self.folder / "in.h5", "w") as file:
            made = file.create_dataset(EVIL, data=np.zeros((50, 2), "f4"))
            made.attrs[EVIL] = EVIL
            made.attrs["lines"] = "one\n/forged\n  scalar"
            made.attrs["bytes"] = np.bytes_(b"x\xff\xc0\x80\xed\xa0\x80y")
            made.attrs["good"] = "\u65e5\u672c \u00fat\u00eb \U0001f9e0\tz"

    def test_info(self):
        self.hostile()
        code, out, err = self.run_tool("info", "in.h5")
        self.assertEqual((code, err), (0, b""))
        text = self.assert_safe(out)
        self.assertIn("/" + SHOWN, text)
        self.assertIn(f"{SHOWN} = {SHOWN}", text)
        self.assertIn(r"lines = one\n/forged\n  scalar", text)
        self.assertIn(r"x\xff\xc0\x80\xed\xa0\x80y", text)
        self.assertIn("good = \u65e5\u672c \u00fat\u00eb \U0001f9e0\tz", text)

    def test_info_of_links(self):
        forged = "x\n/forged\n  scalar"
        with h5py.File(self.folder / "in.h5", "w") as file:
            file["link"] = h5py.ExternalLink("none" + forged, "/object" + forged)
            layout = h5py.VirtualLayout((5,), "f4")
            layout[:] = h5py.VirtualSource("none" + forged, "y" + forged, (5,))
            file.create_virtual_dataset("virtual", layout)
        code, out, err = self.run_tool("info", "in.h5")
        self.assertEqual((code, err), (0, b""))
        text = self.assert_safe(out)
        self.assertIn(r"external link to nonex\n/forged\n  scalar:/objectx\n/forged\n  scalar", text)
        self.assertIn("cannot be read: ", text)
        self.assertNotIn("/forged", [line.strip() for line in text.splitlines()])

    def test_json_stays_json(self):
        self.hostile()
        code, out, _ = self.run_tool("info", "in.h5", "--json")
        self.assertEqual(code, 0)
        (entry,) = json.loads(out)["datasets"]
        self.assertEqual(entry["path"], "/" + EVIL)
        self.assertEqual(entry["attributes"][EVIL], EVIL)

    def test_plan_and_run(self):
        self.hostile()
        for words in (("plan", f"in.h5:/{EVIL}"), ("convolve", f"in.h5:/{EVIL}", f"out.h5:/{EVIL}")):
            code, out, err = self.run_tool(*words, *HISTORY1)
            self.assertEqual(code, 0, err)
            self.assertIn("in.h5:/" + SHOWN, self.assert_safe(out + err))

    def test_errors(self):
        self.hostile()
        for words in (("convolve", "in.h5:/none", "out.h5:/f", *HISTORY1),      # lists the names
                      ("convolve", f"in.h5:/{EVIL}none", "out.h5:/f", *HISTORY1),
                      ("info", f"{EVIL}.h5"), ("info", f"--{EVIL}"), (EVIL,),
                      ("convolve", "in.h5:/x", "out.h5:/f", "--basis", EVIL)):
            with self.subTest(words=words):
                code, out, err = self.run_tool(*words)
                self.assertIn(code, (1, 2))
                self.assertEqual(out, b"")
                self.assertIn(r"a\x1b]0;title\x07\x1b[2J\x9b31m", self.assert_safe(err))

    def test_messages_about_a_design(self):
        (self.folder / "design.toml").write_text(
            '[inputs.x]\ndata = "none\\u001b[2J\\u009b.h5:/x"\n[bases.b]\ntype = "history"\n'
            'window = 3\n[[terms]]\nname = "x"\ninput = "x"\nbasis = "b"\n')
        code, _, err = self.run_tool("features", "design.toml", "--dry-run")
        self.assertEqual(code, 1)
        self.assertIn(r"none\x1b[2J\x9b.h5", self.assert_safe(err))


if __name__ == "__main__":
    unittest.main()
