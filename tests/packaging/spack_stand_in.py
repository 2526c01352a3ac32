# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What our recipe sees of Spack's package API 2.2: reads it into lists, and runs its methods for a choice of variants.

Spack itself is not a package of Debian or PyPI, and what it would say of the recipe it says on a cluster, hours later.
"""

import contextlib
import functools
import pathlib
import re
import sys
import types

import spack_spec

# Names of `from spack.package import *` that only methods use.
FOR_METHODS = ("cache_extra_test_sources", "check_outputs", "get_cmake_prefix_path", "set_env", "which", "working_dir")


class SkipTest(Exception):
    """A test that does not apply."""


SITE = "a Kokkos of the site"


class Recipe:
    """The arguments of the directives of a recipe, and the class that it defines."""

    def __init__(self, path):
        self.faults, self.variants, self.versions = [], {}, {}
        self.dependencies, self.conflicts, self.requirements = [], [], []   # (spec or specs, when[, types])
        self.licence, self.package, self.calls, self.maintainers = None, None, [], ()
        self._open = []                                                     # conditions of `with when(...)`
        self._specs = []                                                    # (where, text, needs_name), checked when all are read
        self._run(path)
        for where, text, needs_name in self._specs:
            self.faults += [f"{where}: {fault}" for fault in spack_spec.faults_of(text, self.known_variants, needs_name)]

    @functools.cached_property
    def known_variants(self):
        return frozenset(self.variants) | spack_spec.INHERITED_VARIANTS

    @functools.cached_property
    def packages(self):
        """Those that the recipe depends on, those of Spack's base classes, and Kokkos' own."""
        return {spack_spec.nodes_of(spec)[0].name for spec, _, _ in self.dependencies} | {
            "hip", "cuda", "kokkos-nvcc-wrapper", "ninja", "gmake"}

    def _run(self, path):
        """Executes the file with modules that replace Spack's."""
        names = {"variant": self._variant, "depends_on": self._depends_on, "conflicts": self._conflicts,
                 "requires": self._requires, "version": self._version, "license": self._license, "when": self._when,
                 "maintainers": self._maintainers, "SkipTest": SkipTest, "make_jobs": 2,
                 "run_after": self._run_after, "join_path": lambda *parts: "/".join(map(str, parts))}
        names |= {name: self._recorder(name) for name in FOR_METHODS}
        bases = {"CMakePackage": Package, "CudaPackage": type("CudaPackage", (), {"cuda_arch_values": ("80", "90")}),
                 "ROCmPackage": type("ROCmPackage", (), {"amdgpu_targets": ("gfx90a", "gfx90a:xnack-", "gfx942")})}
        modules = {"spack": {}, "spack.package": names, "spack_repo": {}, "spack_repo.builtin": {},
                   "spack_repo.builtin.build_systems": {}}
        for module, base in (("cmake", "CMakePackage"), ("cuda", "CudaPackage"), ("rocm", "ROCmPackage")):
            modules["spack_repo.builtin.build_systems." + module] = {base: bases[base]}
        for name, content in modules.items():
            made = types.ModuleType(name)
            made.__dict__.update(content, __all__=list(content))
            sys.modules[name] = made
        space = {"__name__": "recipe", "__file__": str(path)}
        exec(compile(pathlib.Path(path).read_text(encoding="utf-8"), str(path), "exec"), space)  # pylint: disable=exec-used
        self.names = set(space)
        self.package = next((value for value in space.values() if isinstance(value, type) and issubclass(value, Package)
                             and value is not Package), None)

    # ---- directives
    def _note(self, where, text, needs_name=False):
        self._specs.append((where, text, needs_name))

    def _condition(self, when, where):
        whole = " ".join([*self._open, *([when] if when else [])])
        if whole:
            self._note(f"{where}, when", whole)
        return whole or None

    def _variant(self, name, default=None, description="", values=None, multi=False, when=None, sticky=False):
        where = f"variant({name!r})"
        if not description:
            self.faults.append(f"{where}: no description")
        if name in self.variants or name in spack_spec.INHERITED_VARIANTS:
            self.faults.append(f"{where}: declared twice")
        self.variants[name] = self._condition(when, where)

    def _depends_on(self, spec, when=None, type=("build", "link"), patches=None):
        where = f"depends_on({spec!r})"
        kinds = (type,) if isinstance(type, str) else tuple(type)
        self.faults += [f"{where}: there is no type {kind!r}" for kind in kinds if kind not in ("build", "link", "run", "test")]
        self._note(where, spec, needs_name=True)
        self.dependencies.append((spec, self._condition(when, where), kinds))

    def _conflicts(self, spec, when=None, msg=None):
        where = f"conflicts({spec!r})"
        self._note(where, spec)
        self.conflicts.append((spec, self._condition(when, where)))

    def _requires(self, *specs, policy="one_of", when=None, msg=None):
        where = f"requires({', '.join(map(repr, specs))})"
        if policy not in ("one_of", "any_of"):
            self.faults.append(f"{where}: there is no policy {policy!r}")
        for spec in specs:
            self._note(where, spec)
        self.requirements.append((specs, self._condition(when, where)))

    def _version(self, name, **arguments):
        self.versions[name] = arguments

    def _license(self, text):
        self.licence = text

    def _maintainers(self, *names):
        self.maintainers += names

    def _when(self, condition):
        self._note(f"when({condition!r})", condition)
        return _When(self._open, condition)

    def _run_after(self, phase):
        if phase not in ("cmake", "build", "install"):
            self.faults.append(f"run_after({phase!r}): there is no such phase")

        def mark(method):
            method.runs_after = phase
            return method
        return mark

    # ---- functions that methods call
    def _recorder(self, name):
        def call(*arguments, **options):
            self.calls.append((name, tuple(sorted(options)) if name == "set_env" else arguments))
            if name == "which":
                return self._recorder(str(arguments[0]))
            return contextlib.nullcontext() if name in ("working_dir", "set_env") else ["/where/packages/are"]
        return call

    # ---- a build of one choice of variants
    def build(self, variants, foreign, run_tests=False):
        """The package with these variants; `foreign`: what every condition on another package or a compiler is.

        SITE is true too, and Kokkos is the site's: an external package, which has no dependencies.
        """
        made = self.package()
        made.recipe, made.run_tests = self, run_tests
        made.spec = Spec(self, variants, foreign)
        return made


class _When:
    """`with when(condition):` around directives, or `@when(condition)` on a method."""

    def __init__(self, stack, condition):
        self._stack, self._condition = stack, condition

    def __enter__(self):
        self._stack.append(self._condition)

    def __exit__(self, *_):
        self._stack.pop()

    def __call__(self, method):
        method.runs_when = self._condition
        return method


class Prefix(str):
    """A folder whose attributes are folders in it."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Prefix(f"{self}/{name}")


class Spec:
    """The concrete spec of a build."""

    def __init__(self, recipe, variants, foreign):
        self._recipe, self._variants, self._foreign = recipe, variants, foreign
        self.version = types.SimpleNamespace(isdevelop=lambda: True)

    def satisfies(self, text):
        known = self._recipe.known_variants
        self._recipe.faults += [f"satisfies({text!r}): {fault}" for fault in spack_spec.faults_of(text, known, False)]
        own, *others = spack_spec.nodes_of(text)
        return all(self._variants.get(name, "none") == value for name, value in own.variants.items()) and (
            bool(self._foreign) or not others) and not (
                self._foreign == SITE and any(node.name == "kokkos-nvcc-wrapper" for node in others))

    def __getitem__(self, name):
        if name not in self._recipe.packages:
            self._recipe.faults.append(f"spec[{name!r}]: the recipe does not depend on it")
        return types.SimpleNamespace(prefix=Prefix("/" + name), external=self._foreign == SITE, hipcc=f"/{name}/hipcc",
                                     libs=types.SimpleNamespace(joined=lambda mark=" ": f"/{name}/lib.so"))


class SitePackage:
    """The package of a Kokkos of the site, which has no dependencies to query."""

    @property
    def kokkos_cxx(self):
        raise KeyError("kokkos-nvcc-wrapper")


class Package:
    """Replaces CMakePackage."""

    prefix = Prefix("/prefix")
    test_suite = types.SimpleNamespace(current_test_cache_dir="/cache")
    compiler = types.SimpleNamespace(cxx="/compiler/c++", cc="/compiler/cc")
    build_directory = "/build"

    def __getitem__(self, name):
        self.spec[name]  # that it is there
        if self.spec._foreign == SITE and name in ("kokkos", "kokkos-nvcc-wrapper"):
            return SitePackage()
        return types.SimpleNamespace(kokkos_cxx=f"/{name}/nvcc_wrapper", prefix=Prefix("/" + name))

    @staticmethod
    def define(name, value):
        if isinstance(value, bool):
            return f"-D{name}:BOOL={'ON' if value else 'OFF'}"
        return f"-D{name}:STRING={value if isinstance(value, str) else ';'.join(value)}"

    def define_from_variant(self, name, variant=None):
        variant = variant or re.sub(r"^CMAKE_", "", name).lower()
        if variant not in self.recipe.known_variants:
            self.recipe.faults.append(f"define_from_variant({name!r}): there is no variant '{variant}'")
            return ""
        if variant not in self.spec._variants:
            return ""                                      # as Spack does for a variant whose `when` does not hold
        return self.define(name, self.spec._variants[variant])
