#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When an object of another build is taken, and when it is not."""
import contextlib
import json
import os
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from built_before import built_before, headers_of, main


class BuiltBefore(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        root = Path(self.folder.name)
        self.build, self.here = root / "build", root / "users"
        self.made = self.here / "synelix"
        self.tree = root / "tree"
        (self.tree / "src").mkdir(parents=True)
        (self.tree / "src/a.hpp").write_text("same", encoding="utf-8")
        self.headers = [self.tree / "src/a.hpp", Path("/usr/include/stdio.h")]
        for folder in (self.build, self.made):
            for name, text in (("include/synelix/version.hpp", "1"), ("src/units/a.cpp", "a")):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text, encoding="utf-8")
        (self.build / "src/a.o").write_text("object", encoding="utf-8")
        (self.build / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={root}/tree\n", encoding="utf-8")
        self.write(self.words(self.build, "src/a.o"))

    @staticmethod
    def words(folder, output, *more):
        return ["c++", f"-I{folder}/include", "-O2", *more, "-o", output, "-c", f"{folder}/src/units/a.cpp"]

    def write(self, words):
        entry = {"command": "ccache " + " ".join(words), "output": "src/a.o", "file": f"{self.build}/src/units/a.cpp"}
        (self.build / "compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")

    def found(self, *more, sources=None):
        words = self.words(self.made, "synelix/src/a.o", *more)
        with unittest.mock.patch("built_before.headers_of", side_effect=lambda *_: [file.resolve() for file in self.headers]):
            return built_before([*words, "-MD", "-MT", "synelix/src/a.o", "-MF", "synelix/src/a.o.d"], self.here, self.build, sources)

    def test_the_same_words_take_the_object(self):
        self.assertEqual(self.found(), self.build / "src/a.o")

    def test_another_word_takes_none(self):
        self.assertIsNone(self.found("-DOTHER"))
        self.write(self.words(self.build, "src/a.o", "-g"))
        self.assertIsNone(self.found())

    def test_another_source_or_header_takes_none(self):
        for name in ("src/units/a.cpp", "include/synelix/version.hpp"):
            before = (self.made / name).read_text(encoding="utf-8")
            (self.made / name).write_text("other", encoding="utf-8")
            self.assertIsNone(self.found(), name)
            (self.made / name).write_text(before, encoding="utf-8")
        self.assertIsNotNone(self.found())

    def test_headers_of_another_folder_that_a_build_writes_take_none(self):
        self.write(self.words(self.build, "src/a.o", f"-I{self.build}/version"))
        self.assertIsNone(self.found(f"-I{self.made}/version"))

    def test_words_in_another_order_take_none(self):
        self.write(self.words(self.build, "src/a.o", "-O1", "-O3"))
        self.assertIsNone(self.found("-O3", "-O1"))
        self.assertIsNotNone(self.found("-O1", "-O3"))

    def test_an_archive_must_have_all_that_the_object_was_made_of(self):
        archive = self.tree.parent / "archive"
        (archive / "src").mkdir(parents=True)
        (archive / "src/a.hpp").write_text("same", encoding="utf-8")
        self.write(self.words(self.build, "src/a.o", f"-I{self.tree}/src"))
        self.assertIsNotNone(self.found(f"-I{archive}/src", sources=archive))
        (archive / "src/a.hpp").write_text("other", encoding="utf-8")
        self.assertIsNone(self.found(f"-I{archive}/src", sources=archive))
        (archive / "src/a.hpp").unlink()
        self.assertIsNone(self.found(f"-I{archive}/src", sources=archive))

    def test_a_link_to_the_sources_hides_no_header(self):
        archive, link = (self.tree.parent / name for name in ("archive", "link"))
        archive.mkdir()
        link.symlink_to(self.tree)
        (self.build / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={link}\n", encoding="utf-8")
        self.write(self.words(self.build, "src/a.o", f"-I{link}/src"))
        self.assertIsNone(self.found(f"-I{archive}/src", sources=archive))

    def test_an_object_that_may_be_old_is_not_taken(self):
        self.headers = []
        self.assertIsNone(self.found())
        told = f"src/a.o: #deps 1, deps mtime 1 (VALID)\n    {self.tree}/src/a.hpp\n"
        with unittest.mock.patch("subprocess.run", return_value=unittest.mock.Mock(stdout=told)):
            os.utime(self.tree / "src/a.hpp", (1, 1))
            self.assertEqual(headers_of("src/a.o", self.build), [(self.tree / "src/a.hpp").resolve()])
            os.utime(self.tree / "src/a.hpp", (2**32, 2**32))
            self.assertEqual(headers_of("src/a.o", self.build), [])
        with unittest.mock.patch("subprocess.run", side_effect=FileNotFoundError):
            self.assertEqual(headers_of("src/a.o", self.build), [])

    def test_the_object_is_copied_and_named_as_what_it_depends_on(self):
        (self.made / "src").mkdir(parents=True, exist_ok=True)
        words = [*self.words(self.made, "synelix/src/a.o"), "-MF", "synelix/src/a.o.d"]
        with (unittest.mock.patch("built_before.headers_of", return_value=[self.headers[0].resolve()]), contextlib.chdir(self.here),
              unittest.mock.patch.dict(os.environ, {"BUILT_BEFORE": str(self.build)})):
            main(words)
        self.assertEqual((self.made / "src/a.o").read_text(encoding="utf-8"), "object")
        self.assertEqual((self.made / "src/a.o.d").read_text(encoding="utf-8"), f"synelix/src/a.o: {self.build}/src/a.o\n")

    def test_a_users_own_object_and_a_build_without_commands_take_none(self):
        self.assertIsNone(built_before(self.words(self.here, "a.o"), self.here, self.build))
        (self.build / "compile_commands.json").unlink()
        self.assertIsNone(self.found())


if __name__ == "__main__":
    unittest.main()
