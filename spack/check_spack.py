#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a Spack over the recipe. `./dev spack` calls it.

    check_spack.py [--work FOLDER] [--jobs N] [STEP...]     all steps, or these: load audit specs sources release environment install

SYNELIX_SPACK names the folder of a Spack 1.0 or later. Without it nothing runs. SYNELIX_SPACK_CONFIG may name a folder with
more settings for it, such as a packages.yaml with the packages of the machine. What Spack writes lies in the work folder.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

TREE = pathlib.Path(__file__).resolve().parents[1]
REPOSITORY = "spack/spack_repo/synelix"

# Spec, and regular expressions that the concrete spec must contain; one behind "!" must not be there.
ACCEPTED = [
    ("synelix", r"synelix@\d+\.\d+\.\d+\S*\+openmp"),  # the newest release
    ("synelix@main", r"synelix@main\S*\+openmp", r"\^hdf5@\S*~mpi", r"\^kokkos@\S*\+openmp"),
    ("synelix@main ^hdf5+mpi", r"\^hdf5@\S*\+mpi"),
    ("synelix@main ~hdf5", r"synelix@main\S*~hdf5", r"!\^hdf5@", r"!\^cli11@"),
    ("synelix@main ~shared", r"synelix@main\S*~shared"),
    ("synelix@main +mpi", r"synelix@main\S*\+mpi", r"\^(?!compiler)[\w-]*(?:mpi|mvapich)[\w-]*@", r"\^hdf5@\S*~mpi"),
    ("synelix@main +kernels +serial ~openmp", r"\^kokkos-kernels@\S*\+serial", r"\^kokkos@\S*\+serial"),
    ("synelix@main +cuda cuda_arch=90", r"\^kokkos@\S*\+cuda\S*\+wrapper", r"\^kokkos@.* cuda_arch:?=90"),
    ("synelix@main +rocm amdgpu_target=gfx942", r"\^kokkos@\S*\+rocm"),
    ("synelix@main ^kokkos@4.7", r"\^kokkos@4\.7.* cxxstd:?=20"),
    ("synelix@main ^kokkos+cmake_lang", r"\^kokkos@\S*\+cmake_lang"),
]
# Spec, and the words of ours with which it is refused.
REFUSED = [
    ("synelix@main ~serial ~openmp", "Kokkos needs a host backend"),
    ("synelix@main +cuda", "+cuda needs one cuda_arch"),
    ("synelix@main +rocm", "+rocm needs one amdgpu_target"),
    ("synelix@main +cuda cuda_arch=90 +rocm amdgpu_target=gfx942", "Kokkos takes one device backend"),
    ("synelix@main +serial ~openmp ^kokkos+threads", "Synelix has no threads backend"),
    ("synelix@main ^kokkos@4.7 cxxstd=17", "Synelix is C++20, and Kokkos 4 must be built for it"),
    ("synelix@main ^kokkos@4.7+openmptarget", "Synelix has no openmptarget backend"),
    ("synelix@main +cuda cuda_arch=90 ^kokkos+cmake_lang", "Synelix for devices is compiled as C++"),
]


def run(*command, **options):
    """Exit code and output of a command."""
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    return done.returncode, done.stdout


def git(*arguments):
    code, output = run("git", *arguments)
    if code:
        raise RuntimeError(f"git {shlex.join(map(str, arguments))}: {output}")
    return output.strip()


class Spack:
    """The Spack that SYNELIX_SPACK names, with a work folder of its own and a table of what came out."""

    def __init__(self, folder, work, jobs):
        self.program, self.work, self.jobs, self.failed = pathlib.Path(folder) / "bin" / "spack", work, jobs, 0
        self.extra = [pathlib.Path(os.environ["SYNELIX_SPACK_CONFIG"])] if os.environ.get("SYNELIX_SPACK_CONFIG") else []
        settings = {"config": {"build_stage": [str(work / "stage")], "source_cache": str(work / "sources_cache"),
                               "install_tree": {"root": str(work / "installed")}}}
        self.settings = self.scope("settings", "config", settings)
        self.repository = self.scope_of(TREE)

    def scope(self, name, file, content):
        """A folder of settings: JSON is YAML."""
        folder = self.work / "scopes" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{file}.yaml").write_text(json.dumps(content), encoding="utf-8")
        return folder

    def scope_of(self, checkout):
        return self.scope(f"repository-{checkout.name}", "repos", {"repos": {"synelix": str(checkout / REPOSITORY)}})

    def scope_of_url(self, checkout):
        """As `spack repo add URL` writes it: Spack clones the checkout, and finds the recipe by spack-repo-index.yaml."""
        place = self.work / "cloned"
        shutil.rmtree(place, ignore_errors=True)
        return self.scope("repository-of-url", "repos", {"repos": {"synelix": {"git": checkout.as_uri(), "destination": str(place)}}})

    def call(self, *arguments, repository=None, environment=None):
        """Exit code and output of a command of Spack."""
        scopes = [argument for scope in (*self.extra, self.settings, repository or self.repository) for argument in ("-C", scope)]
        inside = ["-e", environment] if environment else ["-E"]
        return run(self.program, "--color=never", *scopes, *inside, *arguments, cwd=self.work)

    def judge(self, title, good, output, begin):
        """One line of the table; with the output where it went wrong."""
        self.failed += not good
        print(f"{'passed' if good else 'FAILED'}  {title}  ({time.monotonic() - begin:.0f} s)", flush=True)
        if not good:
            lines = [line for line in output.strip().splitlines() if not re.match(r"remote: .*\d%", line)]  # git's progress
            print("\n".join("        " + line for line in lines[-40:]), flush=True)
        return good

    def expect(self, title, *arguments, text=None, **options):
        """A command that must end well, and whose output matches `text`."""
        begin = time.monotonic()
        code, output = self.call(*arguments, **options)
        return self.judge(title, code == 0 and (text is None or re.search(text, output) is not None), output, begin)


def step_load(spack):
    spack.expect("spack info synelix", "info", "synelix", text="Convolves large multi-channel time series")


def step_audit(spack):
    spack.expect("spack audit packages synelix", "audit", "packages", "synelix")


def step_specs(spack):
    """The table of specs. A detached commit is one of them."""
    commit = git("-C", TREE, "rev-parse", "HEAD")
    accepted = [*ACCEPTED, (f"synelix@git.{commit}=main", f"commit={commit}")]

    def solve(spec):
        begin = time.monotonic()
        return (*spack.call("spec", *shlex.split(spec)), begin)

    with concurrent.futures.ThreadPoolExecutor(spack.jobs) as pool:
        rows = [*accepted, *REFUSED]
        for (spec, *wanted), (code, output, begin) in zip(rows, pool.map(solve, [row[0] for row in rows])):
            if (spec, *wanted) in REFUSED:
                said = " ".join(output.split())  # Spack breaks long messages into lines
                spack.judge(f"{spec}: refused, '{wanted[0]}'", code != 0 and wanted[0] in said, output, begin)
            else:
                wrong = [text for text in wanted if (re.search(text.lstrip("!"), output) is None) != text.startswith("!")]
                spack.judge(f"{spec}: concretized", code == 0 and not wrong, f"{output}\nnot as expected: {wrong}", begin)


def make_checkouts(folder):
    """Every kind of checkout, and the commit at its HEAD. Uncommitted changes are in none of them."""
    head = git("-C", TREE, "rev-parse", "HEAD")
    shutil.rmtree(folder, ignore_errors=True)
    for kind in ("branch", "detached", "tag", "shallow", "with a space"):
        place = folder / kind
        git("clone", "--quiet", *(["--depth", "1"] if kind == "shallow" else []), TREE.as_uri(), place)
        git("-C", place, "-c", "advice.detachedHead=false", "checkout", "--quiet", *{
            "branch": ("-B", "another_branch"), "detached": ("--detach",), "tag": ("--detach",)}.get(kind, ()), head)
        if kind in ("tag", "branch"):
            for name in git("-C", place, "branch", "--format=%(refname:short)").splitlines():
                if name != "another_branch" and not name.startswith("("):
                    git("-C", place, "branch", "--quiet", "-D", name)
        if kind == "tag":
            git("-C", place, "tag", "v0.0.0")
            git("-C", place, "checkout", "--quiet", "v0.0.0")
    return {folder / kind: head for kind in ("branch", "detached", "tag", "shallow", "with a space")}


def step_sources(spack):
    """Stages one concrete spec from every kind of checkout."""
    environment = spack.work / "environment"
    shutil.rmtree(environment, ignore_errors=True)
    environment.mkdir()
    (environment / "spack.yaml").write_text(json.dumps({"spack": {"specs": ["synelix@main ~hdf5"], "view": False}}), encoding="utf-8")
    checkouts = make_checkouts(spack.work / "checkouts")
    kinds = [(checkout.name, spack.scope_of(checkout), head) for checkout, head in checkouts.items()]
    branch, head = next(iter(checkouts.items()))
    # Not in this tree: Spack 1.1 and later would fix the commit of a branch that is there, and hide where it is not.
    if not spack.expect("one spec for all sources", "concretize", repository=spack.scope_of(branch), environment=environment):
        return
    for title, repository, head in (*kinds, ("spack repo add URL", spack.scope_of_url(branch), head)):
        begin, place = time.monotonic(), spack.work / "staged"
        shutil.rmtree(place, ignore_errors=True)
        code, output = spack.call("stage", "--path", place, "synelix", repository=repository, environment=environment)
        found = [git("-C", file.parent, "rev-parse", "HEAD") for file in place.rglob(".git")] if code == 0 else []
        spack.judge(f"sources: {title}", found == [head], f"{output}\nstaged: {found}, expected {head}", begin)


def step_release(spack):
    """Stages the newest release: the commit of its tag, whatever the checkout has at HEAD."""
    place, begin = spack.work / "release", time.monotonic()
    version = re.search(r"^## (\d+\.\d+\.\d+)", (TREE / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)[1]
    shutil.rmtree(place, ignore_errors=True)
    git("clone", "--quiet", TREE.as_uri(), place)
    if not git("-C", place, "tag", "--list", f"v{version}"):
        git("-C", place, "tag", f"v{version}")             # as it will be
    tagged = git("-C", place, "rev-parse", f"v{version}^{{commit}}")
    git("-C", place, "-c", "user.name=check", "-c", "user.email=", "commit", "--quiet", "--allow-empty", "-m", "after the release")
    staged = spack.work / "staged"
    shutil.rmtree(staged, ignore_errors=True)
    code, output = spack.call("stage", "--path", staged, f"synelix@{version} ~hdf5", repository=spack.scope_of(place))
    found = [git("-C", file.parent, "rev-parse", "HEAD") for file in staged.rglob(".git")] if code == 0 else []
    spack.judge(f"sources of the release {version}", found == [tagged], f"{output}\nstaged: {found}, expected {tagged}", begin)


def step_environment(spack):
    """The environment file, in an archive: with `develop`, sources need no git."""
    place, begin = spack.work / "archive", time.monotonic()
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    git("-C", TREE, "archive", "--format=tar", "-o", spack.work / "archive.tar", "HEAD")
    shutil.unpack_archive(spack.work / "archive.tar", place)
    code, output = spack.call("concretize", repository=spack.scope_of(place), environment=place / "spack")
    lock = place / "spack" / "spack.lock"
    good = code == 0 and str(place) in lock.read_text(encoding="utf-8")
    spack.judge("spack -e spack concretize, in an archive: its sources are the archive", good, output, begin)


def step_install(spack):
    """Compiles the library, with its tests, and runs what was installed."""
    if not spack.expect("spack install --test=root synelix@main", "install", "--test=root", "synelix@main"):
        return
    spack.expect("spack test run synelix: consumer and version", "test", "run", "synelix@main", text=r"1 passed of 1 spec")
    begin = time.monotonic()
    code, output = spack.call("load", "--sh", "synelix@main")
    if code == 0:
        code, output = run("sh", "-c", f"{output}\nsynelix --version && synelix info")
    spack.judge("spack load synelix; synelix --version; synelix info", code == 0, output, begin)


STEPS = {name.removeprefix("step_"): step for name, step in dict(globals()).items() if name.startswith("step_")}


def main():
    parser = argparse.ArgumentParser(prog="./dev spack", description="Runs the Spack that SYNELIX_SPACK names over the recipe.")
    parser.add_argument("--work", type=pathlib.Path, default=TREE / "build" / "spack", help="folder for what Spack writes")
    parser.add_argument("--jobs", type=int, default=2, help="specs that are solved at one time")
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"one or more of {', '.join(STEPS)}; all without one")
    arguments = parser.parse_args()
    unknown = [step for step in arguments.steps if step not in STEPS]
    if unknown:
        parser.error(f"there is no step {unknown[0]}; the steps are {', '.join(STEPS)}")
    folder = os.environ.get("SYNELIX_SPACK")
    if not folder:
        print("spack: skipped, because SYNELIX_SPACK names no Spack. Set it to the folder of a Spack 1.0 or later")
        return 0
    if not os.access(pathlib.Path(folder) / "bin" / "spack", os.X_OK):
        print(f"spack: SYNELIX_SPACK is '{folder}', where there is no program bin/spack", file=sys.stderr)
        return 2
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    spack = Spack(folder, work, arguments.jobs)
    print(f"Spack {spack.call('--version')[1].strip().splitlines()[-1]}", flush=True)
    for name in arguments.steps or STEPS:
        STEPS[name](spack)
    print(f"spack: {spack.failed} failed" if spack.failed else "spack: passed")
    return 1 if spack.failed else 0


if __name__ == "__main__":
    sys.exit(main())
