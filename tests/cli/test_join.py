# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--part with --filter, and synelix join: one compressed output of the files of its parts."""
import json
import os
import shutil
import signal
import subprocess
import unittest

import h5py
import numpy as np

from tool import PROGRAM, ToolCase

BANK = ("--basis", "raised-cosine-log", "--bases", "4", "--window", "9")
FILTER = ("--filter", "shuffle,deflate:4")
DESIGN = ('[inputs.x]\ndata = "in.h5:/x"\n'
          '[bases.b]\ntype = "raised-cosine-log"\nbases = 4\nwindow = 9\n'
          '[[terms]]\nname = "all"\ninput = "x"\nbasis = "b"\n')
ROWS = 6000


class JoinCase(ToolCase):
    def environment(self, **more):
        return super().environment(OMP_NUM_THREADS="1", **more)

    def setUp(self):
        super().setUp()
        self.counts(ROWS, 3)
        self.words = ("convolve", "in.h5:/x", "out.h5:/f", *BANK, *FILTER, "--batch", "700,,",
                      "--chunk", "500x2x4")

    def part(self, part, *options, words=None, **more):
        return self.tool(*(words or self.words), "--part", part, *options, **more)

    def parts(self, of, words=None):
        for number in reversed(range(of)):
            self.part(f"{number}/{of}", words=words)

    def name(self, number, of):
        return f"out.h5.part-{number}-of-{of}"

    def chunks(self, name):
        """Offset, filter mask and stored bytes of all chunks of NAME:/f."""
        with h5py.File(self.folder / name, "r") as file:
            features = file["f"]
            found = []
            for i in range(features.id.get_num_chunks()):
                offset = features.id.get_chunk_info(i).chunk_offset
                found.append((offset, *features.id.read_direct_chunk(offset)))
            return sorted(found)

    def stored(self, name):
        """Everything that a reader of NAME can see: objects, types, values, attributes."""
        def plain(value):
            if isinstance(value, np.ndarray) and value.dtype.names:
                return {key: plain(value[key]) for key in value.dtype.names}
            return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
        found = {}
        with h5py.File(self.folder / name, "r") as file:
            def look(path, item):
                if isinstance(item, h5py.Group):
                    return
                properties = (str(item.dtype), item.shape, item.maxshape, item.chunks, item.shuffle,
                              item.compression, item.compression_opts)
                attributes = [(key, plain(value)) for key, value in item.attrs.items()]
                values = item[...]
                is_number = values.dtype.kind in "iuf"
                found[path] = (properties, attributes,
                               values.tobytes() if is_number else plain(values))
            file.visititems(look)
        return found

    def expect_joined(self, words=None):
        """The output has the contents of an output of one process: objects, attributes, stored chunks."""
        (self.folder / "out.h5").rename(self.folder / "joined.h5")
        self.tool(*(words or self.words))
        self.assertEqual(self.stored("joined.h5"), self.stored("out.h5"))
        self.assertEqual(self.chunks("joined.h5"), self.chunks("out.h5"))
        for name in ("joined.h5", "out.h5"):
            (self.folder / name).unlink()

    def refused_join(self, *words, says, code=1):
        done = self.tool("join", "--quiet", *(words or ("out.h5",)), code=code)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1 if code == 1 else 2, done.stderr)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, done.stderr)
        return done

    def bytes_of_parts(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir()
                if ".part-" in path.name}


class Join(JoinCase):
    def test_bytes_of_one_process(self):
        for of in (1, 2, 3, 15):                    # there are 12 rows of chunks
            self.parts(of)
            self.assertEqual(sorted(self.left_over()),
                             sorted(self.name(number, of) for number in range(of)))
            report = self.json("join", "out.h5", "--remove-parts")
            self.assertEqual((report["path"], report["shape"], report["type"]),
                             ("out.h5:/f", [ROWS, 3, 4], "float32"))
            self.assertEqual((report["parts"], report["chunks"], report["removed"]), (of, 24, of))
            self.assertEqual(self.left_over(), [])
            self.expect_joined()

    def test_problems(self):
        self.write("in.h5", "epochs", values=np.array([[0, 1000], [1003, 1009], [1500, 5990]]))
        for options in (("--epochs", "in.h5:/epochs", "--every", "5"), ("--border", "valid"),
                        ("--time", "1000:3000", "--border", "zero"),
                        ("--type", "double", "--no-shift", "--method", "fft")):
            words = (*self.words, *options)
            self.parts(3, words=words)
            self.tool("join", "out.h5", "--remove-parts", "--quiet")
            self.expect_joined(words)

    def test_a_chosen_chunk(self):
        words = ("convolve", "in.h5:/x", "out.h5:/f", *BANK, "--filter", "deflate:1", "--batch", "700,,")
        self.parts(2, words=words)
        self.tool("join", "out.h5:/f", "--remove-parts")
        self.expect_joined(words)
        # The part that comes later takes the chunk of the first, whatever its own budget.
        self.part("0/2", words=words)
        self.part("1/2", words=(*words[:-2], "--batch", "2100,,"))
        self.tool("join", "out.h5", "--remove-parts")
        self.expect_joined(words)

    def test_design(self):
        (self.folder / "design.toml").write_text(DESIGN)
        words = ("features", "design.toml", "out.h5:/group/f", *FILTER, "--batch-samples", "500",
                 "--chunk", "400x5")
        self.parts(3, words=words)
        self.tool("join", "out.h5", "--remove-parts")
        (self.folder / "out.h5").rename(self.folder / "joined.h5")
        self.tool(*words)
        found = self.stored("joined.h5")
        self.assertEqual(found, self.stored("out.h5"))
        self.assertEqual(set(found), {"group/f", "group/time", "group/f_terms"})
        with h5py.File(self.folder / "joined.h5") as joined, h5py.File(self.folder / "out.h5") as one:
            for offset in np.ndindex(15, 3):
                place = (offset[0] * 400, offset[1] * 5)
                self.assertEqual(joined["group/f"].id.read_direct_chunk(place),
                                 one["group/f"].id.read_direct_chunk(place))

    def test_part_files_say_what_they_are(self):
        report = json.loads(self.part("1/3", "--json").stdout)["run"]["part"]
        self.assertEqual((report["number"], report["of"], report["file"]),
                         (1, 3, self.name(1, 3)))
        self.assertEqual((report["is_whole"], report["parts_missing"], report["rows_missing"]),
                         (False, 2, 4000))
        part = self.json("info", self.name(1, 3))["part"]
        self.assertEqual(part, {"number": 1, "of": 3, "dataset": "/f", "first_row": 2000,
                                "rows": 2000, "of_rows": ROWS, "is_finished": True, "last_row": 3999})
        text = self.tool("info", self.name(1, 3)).stdout
        self.assertIn("part 1/3 of an output (/f): rows 2000 to 3999 of 6,000, finished", text)
        self.tool("convolve", "in.h5:/x", "one.h5:/f", *self.words[3:])
        np.testing.assert_array_equal(self.read(f"{self.name(1, 3)}:/f"), self.read("one.h5:/f")[2000:4000])
        np.testing.assert_array_equal(self.read(f"{self.name(1, 3)}:/time"),
                                      self.read("one.h5:/time")[2000:4000])
        self.assertNotIn("part", self.json("info", "one.h5"))
        done = self.part("0/3").stderr
        self.assertIn("1 of 3 parts, with 2,000 rows, are not finished yet", done)
        self.assertIn("`synelix join out.h5` makes the output", self.part("2/3").stderr)

    def test_at_the_same_time(self):
        runs = [subprocess.Popen([PROGRAM, *self.words, "--part", f"{number}/4"], cwd=self.folder,
                                 env=self.environment(), stderr=subprocess.DEVNULL)
                for number in range(4)]
        for run in runs:
            self.end_with_test(run)
        self.assertEqual([run.wait() for run in runs], [0] * 4)
        self.tool("join", "out.h5", "--remove-parts")
        self.expect_joined()

    def test_the_same_part_twice(self):
        run = self.held(26, *self.words, "--part", "0/2")
        done = self.part("0/2", code=1)
        self.assertIn("out.h5.part-0-of-2.part: another run is writing this file", done.stderr)
        self.part("1/2")
        self.release()
        self.assertEqual(run.wait(), 0)
        done = self.part("0/2").stderr                  # it is finished: nothing is computed
        self.assertIn("0 were written", done)
        self.tool("join", "out.h5", "--remove-parts")
        self.expect_joined()

    def test_killed_parts_are_resumed(self):
        for call in (3, 8, 15, 30, 45, 60):
            done = subprocess.run([PROGRAM, *self.words, "--part", "1/2"], cwd=self.folder,
                                  capture_output=True, text=True,
                                  env=self.environment(LD_PRELOAD=os.environ["SYNELIX_ENDED_AT"],
                                                       ENDED_AT=str(call)))
            self.assertIn(done.returncode, (0, -signal.SIGKILL), done.stderr)
            self.part("0/2")
            if done.returncode != 0:
                self.refused_join(says=["part 1/2"])
            self.part("1/2")
            self.tool("join", "out.h5", "--remove-parts")
            self.expect_joined()

    def test_stopped_by_a_signal(self):
        run = self.held(40, *self.words, "--part", "0/2", SYNELIX_GRACE_SECONDS="60")
        run.send_signal(signal.SIGTERM)
        self.release()
        _, errors = run.communicate()
        self.assertEqual(run.returncode, 128 + signal.SIGTERM, errors)
        self.assertIn("out.h5.part-0-of-2.part is kept, and the same command goes on with this part",
                      errors)
        self.assertIn("blocks were there", self.part("0/2").stderr)
        self.part("1/2")
        self.tool("join", "out.h5", "--remove-parts")
        self.expect_joined()

    def test_a_finished_output(self):
        self.parts(2)
        self.tool("join", "out.h5")
        self.assertIn("finished already", self.part("1/2").stderr)
        self.assertTrue(json.loads(self.part("1/2", "--json").stdout)["run"]["part"]["is_whole"])
        before = (self.folder / "out.h5").read_bytes()
        report = self.json("join", "out.h5")
        self.assertTrue(report["was_finished"])
        # Of a join that was killed while it removed parts, the next one removes the rest.
        (self.folder / self.name(0, 2)).unlink()
        report = self.json("join", "out.h5", "--remove-parts")
        self.assertEqual((report["was_finished"], report["removed"]), (True, 1))
        self.assertEqual((self.folder / "out.h5").read_bytes(), before)
        self.assertEqual(self.left_over(), [])
        self.refused_join(says=["out.h5: this file exists already", "no finished part file"])

    def test_files_that_are_named(self):
        self.parts(2)
        os.mkdir(self.folder / "elsewhere")
        names = []
        for number in (1, 0):
            names.append(f"elsewhere/part{number}.h5")
            shutil.move(self.folder / self.name(number, 2), self.folder / names[-1])
        self.refused_join("out.h5", says=["no finished part file", "Run all parts first"])
        self.tool("join", "out.h5", *names)
        self.expect_joined()
        self.refused_join("out.h5", names[0], says=["part 0/2 is not among the part files"])
        self.refused_join("out.h5", *names, names[0], says=["this is part 1/2, and so is"])
        self.refused_join(names[0], *names, "-O", says="this is the output as well")


class Refusals(JoinCase):
    def test_missing_and_unfinished_parts(self):
        self.refused_join(says=["out.h5", "no finished part file", "--part 0/N to N-1/N"])
        self.part("0/3")
        self.part("2/3")
        self.refused_join(says=[self.name(1, 3), "part 1/3 is missing", "--part 1/3"])
        run = self.held(26, *self.words, "--part", "1/3")
        run.kill()
        run.wait()
        (self.folder / "held").unlink()
        self.refused_join(says=["part 1/3 is not finished", self.name(1, 3) + ".part is there",
                                "--part 1/3"])
        self.refused_join("out.h5", self.name(1, 3) + ".part", says=["not finished", "Run the command"])
        self.assertFalse((self.folder / "out.h5").exists())
        self.part("1/3")
        self.tool("join", "out.h5", "--remove-parts")
        self.expect_joined()

    def test_another_number_of_parts(self):
        self.part("0/2")
        done = self.part("0/3", code=1).stderr
        for text in (self.name(0, 2), "this is part 0/2", "Give parts of 2", "remove the part files"):
            self.assertIn(text, done)
        self.part("1/2")
        shutil.copy(self.folder / self.name(0, 2), self.folder / self.name(0, 3))
        self.refused_join(says=["one of 3 parts", "one of 2", "name the part files"])

    def test_another_run(self):
        self.part("0/2")
        other = [word if word != "9" else "8" for word in self.words]
        done = self.part("1/2", words=other, code=1).stderr
        for text in (self.name(0, 2), "window 9", "window 8", "Remove the part files"):
            self.assertIn(text, done)
        os.mkdir(self.folder / "other")
        shutil.move(self.folder / self.name(0, 2), self.folder / "other/zero.h5")
        self.part("1/2", words=other)
        self.refused_join("out.h5", "other/zero.h5", self.name(1, 2),
                          says=[self.name(1, 2), "window 8", "other/zero.h5 with window 9",
                                "Join parts of one run"])
        done = self.part("1/2", code=1).stderr       # never replaced
        self.assertIn("Remove this file to begin this part anew", done)
        (self.folder / self.name(1, 2)).unlink()
        chunked = [word.replace("500x2x4", "250x2x4") for word in self.words]
        self.part("1/2", words=chunked)
        self.refused_join("out.h5", "other/zero.h5", self.name(1, 2),
                          says=["chunk 250x2x4", "chunk 500x2x4"])

    def test_overlapping_rows(self):
        self.parts(2)
        path = self.folder / self.name(1, 2)
        data = path.read_bytes()
        self.assertEqual(data.count(b"rows of the part: 3000 to 6000"), 1)
        path.write_bytes(data.replace(b"rows of the part: 3000 to 6000",
                                      b"rows of the part: 2500 to 5500"))
        self.refused_join(says=[self.name(1, 2), "checksum"])

    def test_damage(self):
        self.parts(2)
        path = self.folder / self.name(1, 2)
        with h5py.File(path) as file:
            info = file["f"].id.get_chunk_info(3)
        data = bytearray(path.read_bytes())
        data[info.byte_offset + info.size // 2] ^= 0x10
        path.write_bytes(data)
        self.refused_join(says=[self.name(1, 2), "rows ", "do not match their checksum",
                                "run its part 1/2 again"])
        self.assertFalse((self.folder / "out.h5").exists())
        self.assertFalse((self.folder / "out.h5.part").exists())
        path.unlink()
        self.part("1/2")
        self.tool("join", "out.h5", "--remove-parts")
        self.expect_joined()

    def test_damaged_coordinates(self):
        """Times, and ids of channels, have a checksum too."""
        for name in ("time", "channel"):
            for number in (0, 1):
                with self.subTest(name=name, number=number):
                    self.parts(2)
                    path = self.folder / self.name(number, 2)
                    with h5py.File(path) as file:
                        first = file[name].id.get_offset()
                    data = bytearray(path.read_bytes())
                    data[first + 8 + 6] ^= 0x08
                    path.write_bytes(data)
                    self.refused_join(says=[self.name(number, 2), "do not match their checksum",
                                            f"run its part {number}/2 again"])
                    self.assertFalse((self.folder / "out.h5").exists())
                    path.unlink()
        self.parts(2)
        self.tool("join", "out.h5", "--remove-parts")
        self.expect_joined()

    def test_files_of_others(self):
        self.parts(2)
        self.write("plain.h5", "f", values=np.arange(3.0))
        self.refused_join("out.h5", self.name(0, 2), "plain.h5", says=["plain.h5", "not a file of a part"])
        self.refused_join("out.h5", self.name(0, 2), "absent.h5", says=["absent.h5", "cannot be read"])
        shutil.copy(self.folder / "plain.h5", self.folder / "out.h5")
        self.refused_join(says=["out.h5: this is an existing file", "-O"])
        self.assertIn("existing", self.part("0/2", code=1).stderr)
        self.refused_join("out.h5:/g", says=["dataset /f", "not of /g"])
        self.tool("join", "out.h5", "-O", "--remove-parts")
        self.expect_joined()

    def test_what_goes_with_parts(self):
        done = self.part("0/2", "--append", code=2)
        self.assertIn("--append: it is given beside --part", done.stderr)
        words = [word for word in self.words if word not in FILTER]
        done = self.part("0/2", words=words, code=2)
        self.assertIn("--chunk: it is given beside --part", done.stderr)
        self.refused_join("out.h5", "--unknown", says="unknown", code=2)
        plain = [word for word in words if word not in ("--chunk", "500x2x4")]
        self.part("0/2", words=plain)
        done = self.part("1/2", code=1).stderr
        self.assertIn("out.h5.part: parts without a filter write this file", done)


class Ends(JoinCase):
    """A join that is killed, stopped or has no space leaves the parts, and can be made again."""

    def test_killed(self):
        self.parts(3)
        before = self.bytes_of_parts()
        calls = self.folder / "calls"
        self.tool("join", "out.h5", environment={"LD_PRELOAD": os.environ["SYNELIX_ENDED_AT"],
                                                 "CALLS_LOG": str(calls)})
        last = len(calls.read_text().splitlines())
        (self.folder / "out.h5").unlink()
        for call in sorted({1, 2, 3, 5, 8, last // 2, last - 3, last - 2, last - 1, last}):
            done = subprocess.run([PROGRAM, "join", "out.h5"], cwd=self.folder, capture_output=True,
                                  text=True,
                                  env=self.environment(LD_PRELOAD=os.environ["SYNELIX_ENDED_AT"],
                                                       ENDED_AT=str(call), ENDED_WITHIN="1"))
            self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
            self.assertEqual({name: data for name, data in self.bytes_of_parts().items()}, before)
            self.tool("join", "out.h5")
            self.assertFalse((self.folder / "out.h5.part").exists())
            (self.folder / "out.h5").unlink()
        self.tool("join", "out.h5", "--remove-parts")
        self.expect_joined()

    def test_killed_while_parts_are_removed(self):
        self.parts(3)
        calls = self.folder / "calls"
        self.tool("join", "out.h5", environment={"LD_PRELOAD": os.environ["SYNELIX_ENDED_AT"],
                                                 "CALLS_LOG": str(calls)})
        last = len(calls.read_text().splitlines())
        (self.folder / "out.h5").unlink()
        # One sync of the folder, then three removals: two of them are done.
        done = subprocess.run([PROGRAM, "join", "out.h5", "--remove-parts"], cwd=self.folder,
                              capture_output=True, text=True,
                              env=self.environment(LD_PRELOAD=os.environ["SYNELIX_ENDED_AT"],
                                                   ENDED_AT=str(last + 4)))
        self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
        self.assertEqual(len(self.bytes_of_parts()), 1)
        report = self.json("join", "out.h5", "--remove-parts")
        self.assertEqual((report["was_finished"], report["removed"]), (True, 1))
        self.expect_joined()

    def test_stopped_by_a_signal(self):
        self.parts(2)
        before = self.bytes_of_parts()
        run = self.held(12, "join", "out.h5", SYNELIX_GRACE_SECONDS="60")
        run.send_signal(signal.SIGTERM)
        self.release()
        _, errors = run.communicate()
        self.assertEqual(run.returncode, 128 + signal.SIGTERM, errors)
        self.assertIn("the part files are untouched", errors)
        self.assertEqual(self.bytes_of_parts(), before)
        self.assertFalse((self.folder / "out.h5.part").exists())
        self.tool("join", "out.h5", "--remove-parts")
        self.expect_joined()

    def test_a_full_disk(self):
        self.parts(2)
        before = self.bytes_of_parts()
        done = self.in_namespace(
            "mkdir small && mount -t tmpfs -o size=64k tmpfs small && "
            f"{PROGRAM} join small/out.h5 {self.name(0, 2)} {self.name(1, 2)}; code=$?; "
            "ls small; exit $code")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("small/out.h5", done.stderr)
        self.assertIn("Free disk space", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.bytes_of_parts(), before)


if __name__ == "__main__":
    unittest.main(verbosity=2)
