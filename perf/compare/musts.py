# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what the library must be able to, in float on one thread (two where the row says so), and judges it.

    ./dev perf --musts [--seed N] [--only KEY,KEY] [--minutes N] [--out FILE]

One line a row: what, measured, must, aim. Exits 1 where a must is missed or a row could not run.
"""
import argparse
import random
import sys

import install

install.enter_where_numpy_is()             # before what needs it

import rows  # noqa: E402
from bench import Absent, Clock, clean_up_when_ended  # noqa: E402
from context import context, peer_versions, save  # noqa: E402
from verdicts import MUSTS, Result, has_failed, line, verdict  # noqa: E402


def say(text):
    print(f"  {text}", file=sys.stderr, flush=True)


def measure(run, group):
    """The rows of a group; the reason if it cannot run."""
    measured, keys = group
    try:
        if run.clock.is_over():
            raise Absent("the time was over")
        return measured(run)
    except Absent as why:
        return {key: Result(None, str(why)) for key in keys}
    finally:
        run.one.forget()


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--program", required=True, help=argparse.SUPPRESS)
    words.add_argument("--kernels-program", help=argparse.SUPPRESS)    # the same, built with Kokkos Kernels
    words.add_argument("--seed", type=int, default=None, help="of the shapes for the automatic choice; without: a new one")
    words.add_argument("--only", help="these rows, by key: " + ", ".join(must.key for must in MUSTS))
    words.add_argument("--minutes", type=float, default=28,
                       help="after these no row and no case of the peers is begun")
    words.add_argument("--out", help="keeps everything measured as JSON")
    options = words.parse_args()
    clean_up_when_ended()
    asked = options.only.split(",") if options.only else [must.key for must in MUSTS]
    unknown = set(asked) - {must.key for must in MUSTS}
    if unknown:
        words.error(f"no row is called {', '.join(sorted(unknown))}")
    install.install()
    seed = random.SystemRandom().randrange(10 ** 6) if options.seed is None else options.seed
    run = rows.Run(options.program, seed, Clock(options.minutes), say, options.kernels_program, asked)
    results = {}
    with run.one:
        around = context(run.one)
        for group in rows.GROUPS:
            if not set(group[1]) & set(asked):
                continue
            say(", ".join(group[1]))
            found = measure(run, group)
            results.update(found)
            for must in MUSTS:
                if must.key in found and must.key in asked:
                    print(line(must, results[must.key]), flush=True)
        around["peers"] = peer_versions(run.one)
    musts = [must for must in MUSTS if must.key in asked]
    failed = has_failed(results, musts)
    met = sum(verdict(must, results.get(must.key)) in ("met", "aim met") for must in musts)
    print(f"{met} of {len(musts)} musts are met; seed {seed}, load {around['load'][0]:.1f} at the start")
    if options.out:
        save({"context": around, "seed": seed, "rows": {
            must.key: {"what": must.what, "must": must.must, "aim": must.aim, "verdict": verdict(must, results.get(must.key)),
                       **vars(results.get(must.key, Result(None)))} for must in musts}}, options.out)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
