#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commit that a build names: from git, from an archive, or unknown. It is written again only where it differs.

    test_revision.py ROOT CMAKE
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT, CMAKE = pathlib.Path(sys.argv[1]), sys.argv[2]
GIT = shutil.which("git")
BUILT = ("CMakeLists.txt", ".gitattributes", "cmake/SynelixRevision.cmake", "cmake/revision.txt", "src/version.cpp")


@unittest.skipUnless(GIT, "this machine has no git")
class Revision(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="synelix revision ")    # with a blank, which a list of files must bear
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name).resolve()
        self.sources = self.copy("sources")
        self.git("init", "-q")
        self.git("add", ".")
        self.commit("first")

    def copy(self, name):
        folder = self.place / name
        for file in BUILT:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, folder / file)
        (folder / "README.md").write_text("text\n")
        return folder

    def git(self, *words, folder=None):
        environment = {**os.environ, "HOME": str(self.place), "GIT_CONFIG_NOSYSTEM": "1"}
        author = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        return subprocess.run([GIT, *author, "-C", str(folder or self.sources), *words], check=True, capture_output=True, text=True,
                              env=environment).stdout.strip()

    def commit(self, subject):
        self.git("commit", "-q", "--allow-empty", "-am", subject)
        return self.git("rev-parse", "HEAD")[:12]

    def written(self, sources=None, git=GIT):
        """The revision in revision.cpp, and when the file was written."""
        sources = sources or self.sources
        output = self.place / "build" / "revision.cpp"
        subprocess.run([CMAKE, f"-DSOURCE={sources}", f"-DOUTPUT={output}", f"-DGIT={git}",
                        "-P", sources / "cmake/SynelixRevision.cmake"], check=True)
        return re.search(r'return "([^"]*)"', output.read_text())[1], output.stat().st_mtime_ns

    def test_a_checkout(self):
        first = self.git("rev-parse", "HEAD")[:12]
        revision, time = self.written()
        self.assertEqual(revision, first)
        self.assertEqual(self.written(), (first, time), "written again, and all that links it with it")
        (self.sources / "README.md").write_text("other text\n")
        self.assertEqual(self.written(), (first, time), "README is not built")
        (self.sources / "src/version.cpp").write_text("// changed\n")
        self.assertEqual(self.written()[0], first + "-modified")
        second = self.commit("second")
        self.assertNotEqual(first, second)
        self.assertEqual(self.written()[0], second)
        self.git("checkout", "-q", "--detach", "HEAD~1")
        self.assertEqual(self.written()[0], first)

    def test_a_worktree(self):
        tree = self.place / "tree"
        self.git("worktree", "add", "-q", str(tree))
        self.git("commit", "-q", "--allow-empty", "-m", "there", folder=tree)
        self.assertEqual(self.written(tree)[0], self.git("rev-parse", "HEAD", folder=tree)[:12])

    def test_what_it_depends_on(self):
        self.written()
        text = (self.place / "build" / "revision.cpp.d").read_text()
        files = [name.replace("\\ ", " ") for name in re.split(r"\s+\\\n\s+|: ", text.strip())][1:]
        for name in files:
            self.assertTrue(pathlib.Path(name).is_file(), name)
        for name in ("CMakeLists.txt", "src/version.cpp", "cmake/revision.txt", ".git/HEAD", ".git/logs/HEAD"):
            self.assertIn(str(self.sources / name), files)

    def test_an_archive(self):
        archive = self.place / "a.tar"
        self.git("archive", "--prefix=synelix/", "-o", str(archive), "HEAD")
        with tarfile.open(archive) as file:
            file.extractall(self.place, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        for git in (GIT, ""):
            self.assertEqual(self.written(self.place / "synelix", git)[0], self.git("rev-parse", "HEAD")[:12])

    def test_without_git(self):
        self.assertEqual(self.written(git="")[0], "unknown")

    def test_inside_another_repository(self):
        """The commit of a project that holds a copy of the sources is none of ours."""
        self.assertEqual(self.written(self.copy("sources/parts/synelix"))[0], "unknown")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
