# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program that runs the library and its C++ peers on request: answers are right, refusals are named.

    test_worker.py ROOT WORKER
"""
import array
import itertools
import random
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy
except ImportError:
    numpy = None

ROOT, WORKER = Path(sys.argv.pop(1)), sys.argv.pop(1)
sys.path.insert(0, str(ROOT / "perf" / "compare"))

from convs import Conv  # noqa: E402
from products import Problem  # noqa: E402
from workers import Absent, Worker  # noqa: E402

SAMPLES, CHANNELS, BASES, WINDOW = 700, 3, 5, 40


class Asked(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.worker = Worker([WORKER], 1, "the worker")
        draw = random.Random(3)
        cls.x = array.array("f", (draw.uniform(-1, 1) for _ in range(SAMPLES * CHANNELS)))
        cls.trains = [sorted(draw.sample(range(SAMPLES), 20)) for _ in range(CHANNELS)]
        (cls.file("x")).write_bytes(cls.x.tobytes())
        numbers = [len(train) for train in cls.trains] + [t for train in cls.trains for t in train]
        cls.file("events").write_bytes(array.array("q", numbers).tobytes())
        cls.support = cls.worker.ask("taps", bank="cosines", bases=BASES, window=WINDOW, file=str(cls.file("taps")))
        cls.taps = array.array("d", cls.file("taps").read_bytes())

    @classmethod
    def tearDownClass(cls):
        cls.worker.close()
        cls.folder.cleanup()

    @classmethod
    def file(cls, name):
        return Path(cls.folder.name) / name

    def prepare(self, runner="synelix", **changes):
        words = {"method": "direct", "samples": SAMPLES, "channels": CHANNELS, "bases": BASES, "window": WINDOW,
                 "scalar": "float32", "stored": "float32", "x": str(self.file("x")), "taps": str(self.file("taps"))}
        return self.worker.ask("prepare", slot="a", runner=runner, **{**words, **changes})

    def expect(self, sample):
        draw = random.Random(4)
        points = [(draw.randrange(WINDOW - 1, SAMPLES), draw.randrange(CHANNELS), draw.randrange(BASES)) for _ in range(50)]
        found = self.worker.ask("values", slot="a", points=points)["values"]
        for (t, c, b), value in zip(points, found):
            wanted = sum(self.taps[w * BASES + b] * sample(t - w, c) for w in range(WINDOW))
            self.assertAlmostEqual(value, wanted, delta=1e-4, msg=(t, c, b))

    def test_taps_are_compact(self):
        self.assertEqual(len(self.taps), WINDOW * BASES)
        self.assertTrue(0 < self.support["taps_in_support"] < WINDOW * BASES)

    def test_every_method_and_peer_is_right(self):
        described = self.worker.ask("describe")
        self.assertLessEqual({"automatic", "direct"}, set(described["methods"]))
        for method in described["methods"]:
            if method != "events":
                self.prepare(method=method)
                self.expect(lambda t, c: self.x[t * CHANNELS + c])
        for peer, version in described["peers"].items():
            if version:
                self.prepare(peer)
                self.expect(lambda t, c: self.x[t * CHANNELS + c])

    def test_events(self):
        self.prepare(method="events", events=str(self.file("events")))
        self.expect(lambda t, c: float(t in self.trains[c]))

    def test_products_of_every_runner_are_right(self):
        described = self.worker.ask("describe")
        for problem in (Problem("list", [[3, 4, 5], [1, 7, 2], [20, 6, 33]]), Problem("batch", [[5, 6, 7]], count=4),
                        Problem("batch", [[3, 9, 4]], scalar="float64"), Problem("windows", [[4, 5, 6]], length=30),
                        Problem("batch", [[5, 40, 7]], count=3, stored="int8"),
                        Problem("list", [[3, 40, 5], [1, 7, 2]], stored="int8")):
            runners = ["synelix", "synelix_tiles"]
            if problem.stored != "int8" and not described["on_device"]:
                runners += ["blas"] + (["blas_windows"] if problem.length else [])
            if problem.stored != "int8" and problem.kind == "list" and described["has_kernels"]:
                runners.append("kokkos_batched")
            for runner in runners:
                self.worker.ask("prepare_products", slot="products", runner=runner, **problem.words())
                for product in range(problem.products()):
                    rows, _, columns = problem.shapes[product if problem.kind == "list" else 0]
                    point = [product, rows - 1, columns - 1]
                    found = self.worker.ask("values", slot="products", points=[point])["values"][0]
                    self.assertAlmostEqual(found, sum(problem.terms(*point)), delta=1e-5, msg=(runner, point))
                self.assertEqual(len(self.worker.ask("run", slot="products", times=2)["seconds"]), 2)

    @unittest.skipIf(numpy is None, "numpy is missing")
    def test_convolutions_of_every_runner_are_right(self):
        problem = Conv("forward", 2, 4, 6, [5, 9], [3, 2], groups=2, padding=1)
        cases = [problem.of(operator=operator, channels_last=last) for last in (True, False)
                 for operator in ("forward", "grad_input", "grad_weights")]
        cases += [problem.of(stored="int8"), Conv("forward", 3, 2, 3, [20], [7]), Conv("grad_input", 1, 2, 2, [4, 5, 6], [2, 3, 2])]
        described = self.worker.ask("describe")
        for case in cases:
            has_peer = described["peers"]["onednn"] and not described["on_device"] and case.stored == "float32"
            for runner in ("synelix",) + (("onednn",) if has_peer else ()):
                self.worker.ask("prepare_conv", slot="conv", runner=runner, **case.words())
                points = list(itertools.product(*map(range, case.result())))
                found = self.worker.ask("values", slot="conv", points=points)["values"]
                for point, value in zip(points, found):
                    self.assertAlmostEqual(value, case.terms(numpy, point).sum(), delta=1e-4, msg=(runner, case.words(), point))

    def test_forms_of_every_runner_are_right(self):
        for scalar in ("float32", "float64"):
            problem = Problem("forms", [[130, 19, 19]], scalar=scalar)
            for runner in ("synelix", "synelix_product", "synelix_bilinear", "tiles_dots", "blas_dots"):
                if self.worker.ask("describe")["on_device"] and runner == "blas_dots":
                    continue
                self.worker.ask("prepare_products", slot="forms", runner=runner, **problem.words())
                for i in (0, 77, 129):
                    found = self.worker.ask("values", slot="forms", points=[[0, i, 0]])["values"][0]
                    self.assertAlmostEqual(found, sum(problem.terms(0, i, 0)), delta=1e-5, msg=(runner, i))

    def test_seconds(self):
        self.prepare()
        for allocate in (False, True):
            seconds = self.worker.ask("run", slot="a", times=3, allocate=allocate)["seconds"]
            self.assertEqual(len(seconds), 3)
            self.assertTrue(all(s > 0 for s in seconds), seconds)

    def test_roofs(self):
        for roof in ("multiply_adds_float", "multiply_adds_double", "read", "store", "stream"):
            self.assertGreater(self.worker.ask("roof", roof=roof, seconds=0.001)["rate"], 1e7)

    def test_what_is_not_there_is_named_and_the_worker_goes_on(self):
        for pattern, call in (
                ("no method 'frobnicate'", lambda: self.prepare(method="frobnicate")),
                ("cannot read", lambda: self.prepare(x=str(self.file("absent")))),
                ("too short", lambda: self.prepare(samples=SAMPLES + 1)),
                ("no such slot", lambda: self.worker.ask("run", slot="b", times=1)),
                ("no such roof", lambda: self.worker.ask("roof", roof="sky", seconds=1)),
                ("nothing is called sing", lambda: self.worker.ask("sing"))):
            with self.assertRaisesRegex(Absent, pattern):
                call()
        self.prepare()

    def test_one_that_takes_too_long_is_ended(self):
        slow = Worker([WORKER], 1, "the slow one")
        for _ in range(2):
            with self.assertRaisesRegex(Absent, "the slow one took longer than 1 s"):
                slow.ask("roof", timeout=1.0, roof="multiply_adds_float", seconds=60)


if __name__ == "__main__":
    unittest.main()
