#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CI fails if a check fails, is missing, is not terminated or was skipped; the checks themselves are stand-ins."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))

from programs_of_tests import programs_of                     # noqa: E402

DEV = """#!/usr/bin/env bash
case "$*" in
  "check "*) exec scripts/check "$2" ;;
  *" test") printf '100%% tests passed, 0 tests failed out of 10\\n'; printf '%b' "${FAKE_TESTS-}" ;;
esac
"""
DEVROOT = """#!/usr/bin/env bash
[[ $1 != --suite ]] || exit "${FAKE_FORKY:-0}"
"""


class Tree(unittest.TestCase):
    """A tree with .ci/run and scripts/check, whose items execute FAKE_ITEM as bash code."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in (".ci", "scripts", "build/python/dist"):
            (self.root / name).mkdir(parents=True)
        shutil.copy(ROOT / ".ci/run", self.root / ".ci/run")
        text = (ROOT / "scripts/check").read_text(encoding="utf-8")
        begin, end = text.index("\ncheck_"), text.index("\nif [[ ${1-} == --list ]]")
        stand_ins = '\nfor i in "${items[@]}"; do eval "check_$i() { eval \\"\\${FAKE_$i-:}\\"; }"; done\n'
        self.check = text[:begin] + stand_ins + text[end:]
        for name, content in (("dev", DEV), ("scripts/devroot", DEVROOT), ("scripts/check", self.check)):
            self.write(name, content)

    def write(self, name, content):
        (self.root / name).write_text(content, encoding="utf-8")
        (self.root / name).chmod(0o755)

    def run_it(self, *words, **environment):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SYNELIX_", "FAKE_"))}
        return subprocess.run([str(word) for word in words], cwd=self.root, capture_output=True, text=True, check=False,
                              env={**kept, **environment})

    def ci(self, **environment):
        return self.run_it(self.root / ".ci/run", **environment)


class Ci(Tree):
    def test_all_pass_and_each_has_its_time(self):
        done = self.ci()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        items = self.run_it(self.root / "scripts/check", "--list").stdout.split()
        self.assertGreater(len(items), 10)
        for item in (*items, "build-openmp", "tests-openmp", "forky"):
            self.assertEqual(len(re.findall(rf"\n *\d+  {item}: passed(?=\n)", done.stdout)), 1, item)
        self.assertIn("\n10 passed, 0 failed\n", done.stdout)

    def test_a_lane_that_is_done_takes_what_is_left(self):
        ended = self.root / "ended"                          # dist is the last of the other lane, which waits for it
        done = self.ci(FAKE_sanitize=f"for i in {{1..300}}; do [[ ! -e {ended} ]] || return 0; sleep 0.1; done; false",
                       FAKE_dist=f"touch {ended}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_check_that_fails(self):
        done = self.ci(FAKE_tidy="echo a finding; false")
        self.assertEqual(done.returncode, 1)
        self.assertIn("a finding", done.stdout)
        self.assertIn("\nfailed: tidy\n", done.stdout)

    def test_a_wheel_that_fails_elsewhere(self):
        done = self.ci(FAKE_FORKY="3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("\nfailed: forky\n", done.stdout)

    def test_a_check_that_no_lane_has(self):
        self.write("scripts/check", self.check.replace("items=(", "items=(brand_new ", 1))
        done = self.ci()
        self.assertEqual(done.returncode, 1)
        self.assertIn("\nfailed: brand_new was left out", done.stdout)

    def test_what_was_skipped(self):
        self.assertEqual(self.ci(FAKE_gate="echo 'gate cuda: skipped: no nvcc'").returncode, 0)
        for item, words in (("gate", "gate hip: skipped: no headers"), ("cluster", "cluster: skipped: there is no Slurm"),
                            ("words", "help texts: skipped, since the program is not built")):
            done = self.ci(**{f"FAKE_{item}": f"echo '{words}'"})
            self.assertEqual(done.returncode, 1, words)
            self.assertIn(f"{words.partition(':')[0]} was skipped, and is not in may_skip", done.stdout)
        self.assertEqual(self.ci(FAKE_TESTS="\\t 7 - checksums.avx512 (Skipped)\\n").returncode, 0)
        done = self.ci(FAKE_TESTS="\\t 7 - cli_fit (Not Run)\\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed: cli_fit was skipped", done.stdout)


class Check(Tree):
    def check_at(self, seconds, *items, **environment):
        return self.run_it(self.root / "scripts/check", *items, SYNELIX_CHECK_UNTIL=str(int(time.time()) + seconds),
                           **environment)

    def test_an_item_that_does_not_end_in_time_fails(self):
        done = self.check_at(4, "words", "tidy", FAKE_words="sleep 600")
        self.assertEqual(done.returncode, 1)
        self.assertIn("-- check words: FAILED: did not end in time", done.stdout)
        self.assertIn("-- check tidy: FAILED: did not begin in time", done.stdout)
        self.assertIn("check: failed: words tidy", done.stdout)

    def test_an_unknown_item(self):
        done = self.check_at(9, "word")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no item word", done.stderr)


class Programs(unittest.TestCase):
    def test_those_of_a_label_are_found_before_they_are_built(self):
        with tempfile.TemporaryDirectory() as folder:
            build = Path(folder).resolve()
            (build / "tests").mkdir()
            (build / "build.ninja").write_text("".join(f"build {name}: LINK x\n" for name in (
                "bin/test_one", "bin/golden_check", "bin/test_slow", "bin/test_left", "tests/libends.so")), encoding="utf-8")
            tests = (("[=[one]=]", f'"{build}/bin/test_one" "--gtest_filter=A.*"', "unit"),
                     ("two", f'"/usr/bin/python3" "/x/check.py" "{build}/bin/golden_check"', "unit;golden"),
                     ("slow", f'"{build}/bin/test_slow"', "large"), ("left_out", f'"{build}/bin/test_left"', "unit"))
            (build / "tests/CTestTestfile.cmake").write_text("".join(
                f'add_test({name} {words})\nset_tests_properties({name} PROPERTIES  ENVIRONMENT "A=b;ENDS={build}/tests/libends.so" '
                f'LABELS "{labels}" _BACKTRACE_TRIPLES "{build}/bin/test_slow;1")\n' for name, words, labels in tests),
                encoding="utf-8")
            self.assertEqual(programs_of(build, "unit", without="^left_"), ["bin/golden_check", "bin/test_one", "tests/libends.so"])
            self.assertEqual(programs_of(build, only="^(slow|left_out)$"), ["bin/test_left", "bin/test_slow", "tests/libends.so"])


class ParseRest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("c++"), "no c++")
    def test_what_was_not_compiled_is_parsed(self):
        with tempfile.TemporaryDirectory() as folder:
            build = Path(folder).resolve()
            for name, text in (("made", "wrong"), ("sound", "int two();"), ("broken", "int;int x = ;")):
                (build / f"{name}.cpp").write_text(text, encoding="utf-8")
            (build / "made.o").write_text("", encoding="utf-8")
            (build / "compile_commands.json").write_text(json.dumps([
                {"directory": str(build), "file": f"{build}/{name}.cpp", "command": f"ccache c++ -o {name}.o -c {build}/{name}.cpp"}
                for name in ("made", "sound", "broken")]), encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", str(ROOT / "tests/tool_chain/parse_rest.py"), folder],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("broken.cpp", done.stdout)
            self.assertIn("parsed: 2 of 3 sources, which were not compiled; 1 failed", done.stdout)
            self.assertFalse((build / "sound.o").exists())
            done = subprocess.run([sys.executable, "-B", str(ROOT / "tests/tool_chain/parse_rest.py"), folder, f"{build}/sound", "/gone/"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (1, f"no source of {build} is in /gone/\n"))

    @unittest.skipUnless(shutil.which("clang++"), "no clang++")
    def test_precompiled_headers_hide_no_missing_include_of_kokkos(self):
        with tempfile.TemporaryDirectory() as folder:
            build = Path(folder).resolve()
            (build / "synelix").mkdir()
            (build / "Kokkos_Core.hpp").write_text("#pragma once\ninline int fence() { return 0; }\n", encoding="utf-8")
            (build / "synelix/verbs.hpp").write_text("#include <Kokkos_Core.hpp>\n", encoding="utf-8")
            sources = {"own": "Kokkos_Core.hpp", "through": "synelix/verbs.hpp", "forgets": "cstdio", "forgets_too": "cstdint"}
            for name, header in sources.items():
                (build / f"{name}.cpp").write_text(f"#include <{header}>\nint {name}() {{ return fence(); }}\n", encoding="utf-8")
            (build / "compile_commands.json").write_text(json.dumps([
                {"directory": str(build), "file": f"{build}/{name}.cpp",
                 "command": f"clang++ -std=c++20 -I{build} -o {name}.o -c {build}/{name}.cpp"} for name in sources]), encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", str(ROOT / "tests/tool_chain/parse_rest.py"), folder],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(sorted(re.findall(r"(\w+)\.cpp:\n", done.stdout)), ["forgets", "forgets_too"], done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
