#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the Spack recipe without Spack: its specs, names and versions, and that it fits the CMake build beside it.

    check_recipe.py ROOT     prints FILE: what is wrong; exit code 1 where anything is
"""

import ast
import builtins
import functools
import itertools
import pathlib
import re
import sys
import types

import spack_spec
from spack_stand_in import SITE, Recipe, SkipTest

REPOSITORY = "spack/spack_repo/synelix"
RECIPE = REPOSITORY + "/packages/synelix/package.py"
CONSUMER = "tests/install/consumer"

# Options that the recipe rightly leaves alone.
LEFT_TO_CMAKE = {
    "SYNELIX_INSTRUCTION_SETS": "one build holds all sets, and takes the widest of the processor at run time",
    "SYNELIX_ENABLE_FUZZING": "for developers",
    "SYNELIX_WERROR": "for developers",
    "SYNELIX_COUNT_BRANCHES": "for developers",
    "SYNELIX_SET_OPTIONS": "for developers: kernels of a build that optimizes less",
    "SYNELIX_UNITY_FILES": "for developers: the size of units",
    "SYNELIX_WINGS": "for developers: half of the library compiles for an emulator in minutes",
    "SYNELIX_BENCHMARK_VENDORS": "of the performance suite, which no package installs",
}
# CMake's packages -> Spack's; None: of the compiler or CMake itself.
PACKAGES = {"Kokkos": "kokkos", "LAPACK": "lapack", "KokkosKernels": "kokkos-kernels", "HDF5": "hdf5", "MPI": "mpi", "CLI11": "cli11",
            "nlohmann_json": "nlohmann-json", "GTest": "googletest", "Python3": "python", "Threads": None,
            "ZLIB": None,  # of a static HDF5 alone, which depends on it itself
            "Git": None}   # if it exists, it names the commit that is built
# Spack's packages without a find_package, with the place of their use.
OTHERS = {"c", "cxx", "cmake", "blas", "tomlplusplus", "py-h5py", "py-numpy"}


class Check:
    """The files below a root, and their faults."""

    def __init__(self, root):
        self.root, self.findings = pathlib.Path(root), []

    def text(self, name):
        return (self.root / name).read_text(encoding="utf-8")

    def report(self, name, text):
        line = f"{name}: {text}"
        if line not in self.findings:
            self.findings.append(line)

    def cmake_files(self):
        """The build's own files, without those that only replace another package."""
        return ["CMakeLists.txt", *sorted(p.relative_to(self.root).as_posix() for folder in ("cmake", "src", "tests", "perf")
                                          for p in (self.root / folder).rglob("*")
                                          if p.name == "CMakeLists.txt" or p.parent.name == "cmake" and p.suffix == ".cmake")]


def check_class(check, recipe):
    package, folder = recipe.package, (check.root / RECIPE).parent.name
    expected = "".join(word.capitalize() for word in folder.split("_"))
    if package.__name__ != expected:
        check.report(RECIPE, f"class {package.__name__}: Spack looks for {expected} in folder {folder}")
    if not package.__doc__:
        check.report(RECIPE, "the class has no docstring, which is Spack's description")
    licence = re.search(r"SPDX-License-Identifier: (.+)", check.text("CMakeLists.txt"))[1]
    if recipe.licence != licence:
        check.report(RECIPE, f"license is {recipe.licence!r}; the sources say {licence!r}")
    for name, value in (("homepage", getattr(package, "homepage", None)), ("url", getattr(package, "url", None)),
                        ("tags", getattr(package, "tags", None)), ("maintainers", recipe.maintainers)):
        if not value:
            check.report(RECIPE, f"has no {name}")
    homepage, place = str(getattr(package, "homepage", "")), check.root.resolve().as_uri() + "/"
    if homepage and not (homepage.startswith(place) and (check.root / homepage.removeprefix(place)).exists()):
        check.report(RECIPE, f"its homepage {homepage} is not a file of the checkout")
    if re.search(r"https?://|git@", check.text(RECIPE)):
        check.report(RECIPE, "names a host; the project has none of its own")
    if package.git != check.root.resolve().as_uri():
        check.report(RECIPE, f"fetches the sources from {package.git}, not from the checkout that it lies in")


def check_versions(check, recipe):
    """Versions are the checkout, and the releases of the CHANGELOG: those are fixed by a checksum, commit or tag.

    A commit cannot hold its own name, so a release has its tag in the checkout of that tag. After it, a release has its commit
    alone: a clone may lack the tag.
    """
    sections = re.findall(r"^## (\d+\.\d+\.\d+)(.*)$", check.text("CHANGELOG.md"), re.M)
    released = {name for name, rest in sections if "not released" not in rest}
    for name, arguments in recipe.versions.items():
        if "branch" in arguments:
            if re.match(r"\d", name):
                check.report(RECIPE, f"version {name} is a branch, which is another program tomorrow")
            else:
                check.report(RECIPE, f"version {name} names a branch, which a checkout that is detached, at a tag or renamed lacks")
        elif re.match(r"\d", name) and not arguments.keys() & {"sha256", "commit", "tag"}:
            check.report(RECIPE, f"version {name} has neither sha256 nor commit nor tag")
        elif re.match(r"\d", name) and arguments.get("tag", f"v{name}") != f"v{name}":
            check.report(RECIPE, f"version {name} is the tag {arguments['tag']}, not v{name}")
        elif re.match(r"\d", name) and "tag" in arguments and sections and name != sections[0][0]:
            check.report(RECIPE, f"version {name} names a tag, which a clone may lack: a release that is not the newest has its commit")
        elif not re.match(r"\d", name) and hasattr(recipe.package, "url") and "git" not in arguments:
            check.report(RECIPE, f"version {name} does not name git, and Spack would fetch it from url")
        if re.match(r"\d", name) and name not in released:
            check.report(RECIPE, f"version {name} is not a release of CHANGELOG.md")
    for name in sorted(released - set(recipe.versions)):
        check.report(RECIPE, f"CHANGELOG.md has release {name}, the recipe does not")
    project = re.search(r"project\(Synelix VERSION ([\d.]+)", check.text("CMakeLists.txt"))[1]
    if sections and sections[0][0] != project:
        check.report("CMakeLists.txt", f"is version {project}, CHANGELOG.md begins with {sections[0][0]}")
    if not recipe.versions:
        check.report(RECIPE, "has no version")


def check_names(check, recipe):
    """Every name that a method reads is Python's, the recipe's own, or of the package API."""
    tree = ast.parse(check.text(RECIPE))
    known = set(dir(builtins)) | recipe.names
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.add(node.id)
        elif isinstance(node, ast.arg):
            known.add(node.arg)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in known:
            check.report(RECIPE, f"line {node.lineno}: '{node.id}' is not in the package API, as far as this check knows it")


@functools.cache
def choices(recipe):
    """Every choice of variants that no conflict forbids, with all and none of the conditions on other packages."""
    possible = []
    names = [*recipe.variants, "cuda", "rocm"]
    for values in itertools.product((False, True), repeat=len(names)):
        variants = dict(zip(names, values))
        variants |= {"cuda_arch": "90"} if variants["cuda"] else {}
        variants |= {"amdgpu_target": "gfx942"} if variants["rocm"] else {}
        holds = recipe.build(variants, False).spec.satisfies
        if any(not holds(when) for name, when in recipe.variants.items() if when and variants[name]):
            continue
        for name, when in recipe.variants.items():
            if when and not holds(when):
                del variants[name]                         # such a variant does not exist there
        if any(holds(spec) and (not when or holds(when)) for spec, when in recipe.conflicts if "^" not in spec):
            continue
        possible += ((variants, foreign) for foreign in (False, True, SITE))
    return possible


def title_of(variants, foreign):
    title = "".join(f"{'+' if on else '~'}{name}" for name, on in variants.items() if isinstance(on, bool))
    return f"{title} with {SITE}" if foreign == SITE else title


def check_arguments(check, recipe):
    """cmake_args for every choice: each is a definition, and each option of ours exists in CMake, and the other way."""
    text = "\n".join(re.sub(r"#.*", "", check.text(name)) for name in check.cmake_files())
    plain = set(re.findall(r"\boption\(\s*(SYNELIX_\w+)", text)) | set(re.findall(r"\bset\(\s*(SYNELIX_\w+)[^)]*?\bCACHE\b", text))
    dependent = dict(re.findall(r"\bcmake_dependent_option\(\s*(SYNELIX_\w+)\s+\"[^\"]*\"\s+\S+\s+\"?(\w+)", text))
    options, set_ever, values = plain | set(dependent), set(), {}
    of_tests = set(re.findall(r"\boption\(\s*(SYNELIX_\w+)", check.text("tests/install/CMakeLists.txt")))
    for (variants, foreign), run_tests in itertools.product(choices(recipe), (False, True)):
        title, now = title_of(variants, foreign), {}
        try:
            arguments = recipe.build(variants, foreign, run_tests).cmake_args()
        except KeyError as error:
            check.report(RECIPE, f"cmake_args of {title}: KeyError: {error}")
            continue
        for argument in arguments:
            found = re.match(r"-D(\w+):\w+=(.*)$", argument)
            if not found or found[1] in now:
                check.report(RECIPE, f"cmake_args of {title}: {argument!r} is not a definition, or a second one of its name")
                continue
            now[found[1]] = found[2]
        set_ever |= set(now)
        if not run_tests:
            for name in sorted(set(now) & of_tests):
                check.report(RECIPE, f"cmake_args sets {name} without tests, and CMake warns that nothing reads it")
        for name, needed in dependent.items():
            if now.get(name) == "ON" and now.get(needed) == "OFF":
                check.report(RECIPE, f"cmake_args of {title}: {name} is on without {needed}, which CMake ignores")
        for name, on in variants.items():
            if now.get(f"SYNELIX_ENABLE_{name.upper()}", "ON" if on else "OFF") != ("ON" if on else "OFF"):
                check.report(RECIPE, f"SYNELIX_ENABLE_{name.upper()} does not follow variant {name}")
            if isinstance(on, bool):
                values.setdefault(name, set()).add((on, tuple(sorted(now.items()))))
        if now.get("SYNELIX_ENABLE_TESTS") != ("ON" if run_tests else "OFF"):
            check.report(RECIPE, "SYNELIX_ENABLE_TESTS does not follow `spack install --test`")
    for name in sorted(set_ever):
        if name.startswith("SYNELIX_") and name not in options:
            check.report(RECIPE, f"sets {name}, which is not an option of CMake's files")
    for name in sorted(options - set_ever - set(LEFT_TO_CMAKE)):
        check.report(RECIPE, f"never sets CMake's option {name}")
    for name in sorted(set(LEFT_TO_CMAKE) & set_ever | set(LEFT_TO_CMAKE) - options):
        check.report("tests/packaging/check_recipe.py", f"LEFT_TO_CMAKE names {name}, which is set by the recipe or gone")
    conditions = " ".join(when or "" for _, when, _ in recipe.dependencies)
    for name, seen in values.items():
        changes = {args for on, args in seen if on} != {args for on, args in seen if not on}
        if not changes and not re.search(rf"\+{name}\b", conditions):
            check.report(RECIPE, f"variant {name} changes neither the arguments of CMake nor a dependency")


def check_dependencies(check, recipe):
    """Whatever CMake finds, the recipe depends on, from the same versions on."""
    depended = {spack_spec.nodes_of(spec)[0].name for spec, _, _ in recipe.dependencies}
    used = set()
    for name in check.cmake_files():
        if name.startswith(("perf/", "tests/install/", "tests/fuzz/")):
            continue                                       # which the recipe does not build
        for package in re.findall(r"^\s*find_package\((\w+)", check.text(name), re.M):
            if package not in PACKAGES:
                check.report(name, f"finds {package}, which this check does not know: add it to the recipe, then to PACKAGES")
            elif PACKAGES[package]:
                used.add(PACKAGES[package])
                if PACKAGES[package] not in depended:
                    check.report(RECIPE, f"does not depend on {PACKAGES[package]}, which {name} finds as {package}")
    for name in sorted(depended - used - OTHERS):
        check.report(RECIPE, f"depends on {name}, which CMake does not find")
    dependencies = check.text("cmake/SynelixDependencies.cmake")
    least = {
        "kokkos": re.search(r"set\(synelix_kokkos_least ([\d.]+)\)", dependencies),
        "hdf5": re.search(r"HDF5_VERSION VERSION_LESS ([\d.]+)", dependencies),
        "cmake": re.search(r"cmake_minimum_required\(VERSION ([\d.]+?)\.\.\.", check.text("CMakeLists.txt")),
    }
    nodes = [spack_spec.nodes_of(spec)[0] for spec, _, _ in recipe.dependencies]
    for package, found in least.items():
        versions = [node.version or "" for node in nodes if node.name == package]
        if not any(version.startswith(f"{found[1]}:") for version in versions):
            check.report(RECIPE, f"asks for another {package} than {found[1]} and later, as CMake does")
    if not any(re.search(r":\d", node.version or "") for node in nodes if node.name == "kokkos"):
        check.report(RECIPE, "kokkos has no upper bound: the next major version is one that nobody tried")
    if any(node.variants.get("mpi") is False for node in nodes if node.name == "hdf5"):
        check.report(RECIPE, "depends on hdf5 ~mpi, which refuses a site's parallel HDF5, and with no word of ours")


@functools.cache
def parse(text, version):
    """SyntaxError if the text is not valid for this version of Python."""
    ast.parse(text, feature_version=version)


def check_python(check, recipe):
    """The programs of the tests are Python of the oldest version that the recipe takes."""
    nodes = [spack_spec.nodes_of(spec)[0] for spec, _, _ in recipe.dependencies]
    least = next((node.version.rstrip(":") for node in nodes if node.name == "python" and node.version), "3.9")
    for path in sorted((check.root / "tests").rglob("*.py")):
        try:
            parse(path.read_text(encoding="utf-8"), tuple(map(int, least.split("."))))
        except SyntaxError as error:
            name = path.relative_to(check.root).as_posix()
            check.report(name, f"line {error.lineno} is no Python {least}, which the recipe takes: {error.msg}")


def check_conflicts(check, recipe):
    """Every backend of Kokkos that Synelix has no code for is refused, and nothing that it can take."""
    refused = dict(recipe.conflicts)
    for backend in spack_spec.OTHER_BACKENDS:
        if f"^kokkos+{backend}" not in refused:
            check.report(RECIPE, f"does not refuse ^kokkos+{backend}, and Synelix has no such backend")
    if "^kokkos+cmake_lang" in refused and not refused["^kokkos+cmake_lang"]:
        check.report(RECIPE, "refuses ^kokkos+cmake_lang for hosts too, where it changes no language")


def check_environments(check, recipe):
    """Builds and tests with nvcc_wrapper have the variables that it reads, for any source of Kokkos."""
    for variants, foreign in choices(recipe):
        if not (foreign and variants["cuda"]):
            continue
        names, title = {}, title_of(variants, foreign)
        if hasattr(recipe.package, "setup_build_environment"):
            recipe.package.setup_build_environment(recipe.build(variants, foreign), types.SimpleNamespace(set=names.__setitem__))
        if not {"CUDA_ROOT", "NVCC_WRAPPER_DEFAULT_COMPILER"} <= set(names):
            check.report(RECIPE, f"the build of {title} has no CUDA_ROOT or no NVCC_WRAPPER_DEFAULT_COMPILER, which nvcc_wrapper reads")


def check_build_tests(check, recipe):
    """`spack install --test=root` runs the tests that judge the installation, and shows those that fail."""
    if "check" not in vars(recipe.package):
        check.report(RECIPE, "has no check(): `spack install --test=root` would judge sources and machine, and show no output")
        return
    before = len(recipe.calls)
    recipe.package.check(recipe.build(*choices(recipe)[0], True))
    runs = [arguments for name, arguments in recipe.calls[before:] if name.endswith("/ctest")]
    if len(runs) != 1 or "--output-on-failure" not in runs[0]:
        check.report(RECIPE, "check() does not run the ctest of the package cmake once, with --output-on-failure")
        return
    left_out = set(runs[0][runs[0].index("-LE") + 1].split("|")) if "-LE" in runs[0] else set()
    for label in sorted({"lint", "packaging", "tool_chain"} - left_out):
        check.report(RECIPE, f"check() runs the tests of label {label}, which do not judge the installation")
    labels = " ".join(re.findall(r"\bLABELS\s+([^)]*)", "\n".join(check.text(name) for name in check.cmake_files())))
    for label in sorted(left_out):
        if not re.search(rf"\b{label}\b", labels):
            check.report(RECIPE, f"check() leaves out label {label}, which no test has")


def check_consumer_call(check, title, generator, build, calls):
    """The consumer is built by the tool of the installation, with the variables that nvcc_wrapper reads."""
    for name, arguments in calls:
        if name != "/cmake/bin/cmake" or f"/cache/{CONSUMER}" not in arguments:
            continue
        expected = "Ninja" if generator == "ninja" else "Unix Makefiles"
        if expected not in arguments or not any("CMAKE_MAKE_PROGRAM" in str(argument) for argument in arguments):
            check.report(RECIPE, f"test_consumer does not name the generator {expected} and its program, which is not on PATH in a test")
        wrapped = any("nvcc_wrapper" in str(argument) for argument in arguments)
        names = {name for call, names in calls if call == "set_env" for name in names}
        if wrapped and not {"CUDA_ROOT", "NVCC_WRAPPER_DEFAULT_COMPILER"} <= names:
            check.report(RECIPE, f"test_consumer of {title} does not set CUDA_ROOT and NVCC_WRAPPER_DEFAULT_COMPILER")


def check_tests(check, recipe):
    """The actions of `spack test run`: it builds the project of the install tests, and queries the tool for its
    version."""
    methods = {name: method for name, method in vars(recipe.package).items() if callable(method)}
    methods = {name: method for name, method in methods.items() if name.startswith("test_") or hasattr(method, "runs_after")}
    for name, method in methods.items():
        if not method.__doc__:
            check.report(RECIPE, f"{name} has no docstring, which Spack prints")
        if name.startswith("test_") and hasattr(method, "runs_when"):
            check.report(RECIPE, f"{name} is behind @when, where Spack finds no test: raise SkipTest in it")
    for (variants, foreign), generator, (name, method) in itertools.product(choices(recipe), ("make", "ninja"), methods.items()):
        build, before = recipe.build(variants | {"generator": generator}, foreign), len(recipe.calls)
        if hasattr(method, "runs_when") and not build.spec.satisfies(method.runs_when):
            continue
        try:
            method(build)
        except SkipTest:
            continue
        except KeyError as error:
            check.report(RECIPE, f"{name} of {title_of(variants, foreign)}: KeyError: {error}")
        check_consumer_call(check, title_of(variants, foreign), generator, build, recipe.calls[before:])
    called = {}
    for name, arguments in recipe.calls:
        called.setdefault(name, []).append(arguments)
    kept = {path for _, paths in called.get("cache_extra_test_sources", []) for path in paths}
    for path in sorted(kept):
        if not (check.root / path / "CMakeLists.txt").exists():
            check.report(RECIPE, f"keeps {path} for its tests, and there is no CMake project")
    if CONSUMER not in kept or f'"${{CMAKE_CURRENT_SOURCE_DIR}}/{pathlib.Path(CONSUMER).name}"' not in check.text(
            "tests/install/CMakeLists.txt"):
        check.report(RECIPE, f"does not keep {CONSUMER}, the project of the install tests")
    built = [arguments for arguments in called.get("/cmake/bin/cmake", []) if f"/cache/{CONSUMER}" in arguments]
    components = {argument for arguments in built for argument in arguments if "CONSUMER_COMPONENTS" in str(argument)}
    for name in ("hdf5", "mpi"):
        if {name in argument for argument in components} != {True, False} or "./consumer" not in called:
            check.report(RECIPE, f"no test builds and runs {CONSUMER} with and without component {name}")
    if ("--version",) not in called.get("/prefix/bin/synelix", []):
        check.report(RECIPE, "no test runs synelix --version")


def check_repository(check, recipe):
    """The files around the recipe name each other rightly."""
    plain = {name: re.sub(r"(?m)^\s*#.*\n", "", check.text(name))
             for name in (REPOSITORY + "/repo.yaml", "spack-repo-index.yaml", "spack/spack.yaml")}
    folder = pathlib.Path(REPOSITORY)
    if f"namespace: {folder.name}\n" not in plain[REPOSITORY + "/repo.yaml"]:
        check.report(REPOSITORY + "/repo.yaml", f"its namespace is not {folder.name}, as its folder")
    api = re.search(r"api: v2\.(\d+)\n", plain[REPOSITORY + "/repo.yaml"])
    if not api:
        check.report(REPOSITORY + "/repo.yaml", "its api is not v2, which folder spack_repo is the form of")
    for name, least in spack_spec.API_OF_NAMES.items():
        if api and int(api[1]) < least and re.search(rf"\b{name}\b", check.text(RECIPE)):
            check.report(REPOSITORY + "/repo.yaml", f"its api is v2.{api[1]}; {name} came with v2.{least}")
    if re.findall(r"- (.*)", plain["spack-repo-index.yaml"]) != [REPOSITORY]:
        check.report("spack-repo-index.yaml", f"its only path is not {REPOSITORY}")
    environment = plain["spack/spack.yaml"]
    for path in re.findall(r"\$env/(\S+)", environment):
        if not (check.root / "spack" / path).exists():
            check.report("spack/spack.yaml", f"names {path}, which is not there")
    if "/build-*" not in check.text(".gitignore").splitlines():
        check.report(".gitignore", "has no /build-*, without a slash behind it: an environment leaves a link of that name")
    for text in re.findall(r"^ +(?:-|spec:) (.*)$", environment, re.M):
        spec = text[1:-1] if re.fullmatch(r'"[^"]*"', text) else text
        if spec is text and re.search(r":(\s|$)|\s#|^[\[{&*!|>@`%'\"]", text):
            check.report("spack/spack.yaml", f"{text} is not text for YAML, but a mapping: put it in quotes")
        for fault in spack_spec.faults_of(spec, recipe.known_variants, needs_name=True):
            check.report("spack/spack.yaml", fault)


def findings(root):
    check = Check(root)
    try:
        recipe = Recipe(check.root / RECIPE)
    except Exception as error:  # whatever executing the recipe raises is the finding
        check.report(RECIPE, f"cannot be read: {type(error).__name__}: {error}")
        return check.findings
    for part in (check_class, check_versions, check_names, check_arguments, check_dependencies, check_python, check_conflicts,
                 check_environments, check_build_tests, check_tests, check_repository):
        try:
            part(check, recipe)
        except (AttributeError, KeyError, NameError, TypeError, ValueError) as error:
            check.report(RECIPE, f"{part.__name__}: {type(error).__name__}: {error}")
    for fault in recipe.faults:
        check.report(RECIPE, fault)
    return check.findings


def main():
    found = findings(sys.argv[1])
    print("\n".join(found) or "no finding")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
