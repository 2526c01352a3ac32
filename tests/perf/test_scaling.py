# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The scaling model, and that docs/scaling.md has its tables and those of the kept run.

    test_scaling.py ROOT
"""
import json
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "perf" / "compare"))

import scaling  # noqa: E402

PAGE = (ROOT / "docs/scaling.md").read_text(encoding="utf-8")
RUN = max((ROOT / "perf/results").glob("*-ranks.json"))


class Model(unittest.TestCase):
    def test_writing_stops_shrinking_where_the_file_system_is_full(self):
        job = scaling.Job(file_system=20e9, client=5e9)
        self.assertEqual(job.file_to_file(4), job.file_to_file(400))
        self.assertEqual(job.file_to_file(1), 4 * job.file_to_file(4))

    def test_a_slow_node_computes_longer_than_it_writes(self):
        job = scaling.Job(store=1e9)
        self.assertEqual(job.file_to_file(1), job.compute(1))

    def test_sums_take_a_step_for_each_doubling(self):
        job = scaling.Job(message=1.0)
        self.assertEqual([job.sums(nodes) for nodes in (1, 2, 8)], [0, 1, 3])

    def test_the_halo_of_a_part(self):
        job = scaling.Job(input_bytes=2000, channels=1, window=11)
        self.assertEqual((job.rows, job.halo_bytes, job.halo_share(10)), (1000, 20, 0.1))

    def test_two_digits(self):
        self.assertEqual([scaling.text(value) for value in (1234, 0.163, 8.6e-5)], ["1200 s", "0.16 s", "0.086 ms"])


class Page(unittest.TestCase):
    def test_has_the_tables_of_the_model(self):
        self.assertIn("\n".join(scaling.table(scaling.Job())), PAGE)

    def test_has_what_the_last_run_measured(self):
        self.assertIn("\n".join(scaling.measured_table(json.loads(RUN.read_text(encoding="utf-8")))), PAGE)
        self.assertIn(RUN.name, PAGE)


if __name__ == "__main__":
    unittest.main()
