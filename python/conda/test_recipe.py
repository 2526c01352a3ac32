# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recipe renders as rattler-build renders it, and agrees with pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROJECT = tomllib.loads((HERE.parent / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def recipe():
    """As rendered for Linux with the compilers of conda-forge."""
    rattler_build = pytest.importorskip("rattler_build")
    variants = {"c_compiler": ["gcc"], "cxx_compiler": ["gxx"], "c_stdlib": ["sysroot"], "c_stdlib_version": ["2.28"]}
    settings = rattler_build.RenderConfig(platform=rattler_build.PlatformConfig(target_platform="linux-64"))
    stage = rattler_build.Stage0Recipe.from_file(HERE / "recipe.yaml")
    rendered = stage.render(rattler_build.VariantConfig(variants), settings)
    assert len(rendered) == 1, "one package"
    return rendered[0].recipe.to_dict()


def constraints(requirements):
    """{name: least version} of requirements such as "numpy>=1.26"."""
    return dict(re.match(r"([\w-]+)\s*>=?\s*([\d.]+)", text).groups() for text in requirements)


def test_name_and_version(recipe):
    project = PROJECT["project"]
    assert (recipe["package"]["name"], recipe["package"]["version"]) == (project["name"], project["version"])
    assert recipe["about"]["license"] == PROJECT["project"]["license"]


def test_what_runs_it(recipe):
    project = PROJECT["project"]
    wanted = constraints(project["dependencies"]) | constraints(["python" + project["requires-python"]])
    assert constraints(map(str, recipe["requirements"]["run"])) == wanted


def test_what_builds_it(recipe):
    host = [str(one) for one in recipe["requirements"]["host"] if re.match(r"(scikit-build-core|nanobind) ", str(one))]
    assert constraints(host) == constraints(PROJECT["build-system"]["requires"])
    names = {str(one).split()[0] for one in recipe["requirements"]["host"]}
    assert {"kokkos", "hdf5", "nlohmann_json", "libblas", "liblapack", "zlib", "python-abi3"} <= names
