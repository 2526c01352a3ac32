# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every public name has a numpydoc docstring: all parameters, results, errors, and an example, which doctests run."""

import inspect
import re

import pytest

import synelix as sx

BaseEstimator = pytest.importorskip("sklearn.base").BaseEstimator
MODULES = [sx, sx.basis, sx.glm, sx.regularizer, sx.observation_models, sx.plot, sx.simulation]


def sections(text):
    """The sections of a docstring by their headings."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-+$", inspect.cleandoc(text), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def documented(section):
    """Names of parameters: of the lines that are not indented."""
    names = set()
    for line in section.replace("\\\n", "").splitlines():
        if line and not line[0].isspace():
            names.update(n.strip().lstrip("*") for n in line.split(":")[0].split(","))
    return names


def public_objects():
    seen, ids = {}, set()
    for module in MODULES:
        for name in module.__all__:
            thing = getattr(module, name)
            if id(thing) in ids or inspect.ismodule(thing) or (inspect.isclass(thing) and issubclass(thing, BaseException)):
                continue
            ids.add(id(thing))
            seen[f"{module.__name__}.{name}"] = thing
            if inspect.isclass(thing):
                for key, value in inspect.getmembers(thing, inspect.isfunction):
                    if not key.startswith("_") and value.__module__.startswith("synelix") and not value.__qualname__.startswith("_"):
                        seen[f"{value.__module__}.{value.__qualname__}"] = value
    return seen


OBJECTS = public_objects()
#: These names raise no error: they have no arguments, or only store them.
RAISES_NOTHING = {"Basis", "Explanation", "Zero", "explain", "get_params", "show_versions", "to_transformer", "valid_rows", "versions"}
#: Functions that return None.
RETURNS_NOTHING = {"append_plugin_folder", "save", "set_num_threads", "show_versions"}


@pytest.mark.parametrize("name", sorted(OBJECTS))
def test_docstrings_are_complete(name):
    thing = OBJECTS[name]
    assert thing.__doc__, "no docstring"
    found = sections(thing.__doc__)
    function = thing.__init__ if inspect.isclass(thing) else thing
    if inspect.isfunction(function):
        wanted = {p for p in inspect.signature(function).parameters if p != "self"}
        missing = wanted - documented(found.get("Parameters", ""))
        assert not missing, f"parameters without a word: {sorted(missing)}"
    own_name = name.rpartition(".")[2]
    if inspect.isfunction(thing) and own_name not in RETURNS_NOTHING:
        assert "Returns" in found, "what it returns is missing"
    is_checked_later = issubclass(thing, BaseEstimator) if inspect.isclass(thing) else False     # by `fit`
    assert "Raises" in found or is_checked_later or own_name in RAISES_NOTHING, "errors are missing"
    assert ">>>" in found.get("Examples", ""), "an example is missing"


def test_exceptions_say_what_they_are():
    for name in sx.__all__:
        thing = getattr(sx, name)
        if inspect.isclass(thing) and issubclass(thing, BaseException):
            assert thing.__doc__ and issubclass(thing, sx.Error), name
