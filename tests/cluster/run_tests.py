# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts Slurm, runs the tests of docs/clusters.md, and stops Slurm.

    run_tests.py [TEST...]      all, or these
    run_tests.py --list
"""
import os
import pathlib
import signal
import sys
import unittest

import test_jobs
import test_workflows
from slurm import Slurm


def leave(*_):
    raise KeyboardInterrupt             # which unittest does not count as a failure of a test


def find(names):
    suite = unittest.TestSuite()
    for module in (test_jobs, test_workflows):
        for case in unittest.defaultTestLoader.loadTestsFromModule(module):
            suite.addTests(test for test in case if not names or test._testMethodName in names)
    return suite


def main(names):
    if names == ["--list"]:
        for test in find([]):
            print(test._testMethodName)
        return 0
    suite = find(names)
    if not suite.countTestCases():
        print("cluster: no such test (see --list)", file=sys.stderr)
        return 2
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, leave)
    slurm = Slurm(pathlib.Path(os.environ["CLUSTER_FOLDER"]) / "slurm")
    try:
        slurm.start()
        result = unittest.TextTestRunner(verbosity=2, durations=0).run(suite)
    except KeyboardInterrupt:
        print("cluster: stopped", file=sys.stderr)
        return 130
    finally:
        slurm.stop()
    print(f"cluster: {'passed' if result.wasSuccessful() else 'FAILED'}, {result.testsRun} tests, "
          f"{len(result.skipped)} skipped")
    return not result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
