# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages of the Python API: one for each public name, and one for each public module."""
import importlib
import inspect
import pkgutil
import re

FOLDER = "reference/python"
PACKAGE = "synelix"


def modules():
    """The package and its public modules, by name."""
    package = importlib.import_module(PACKAGE)
    found = sorted(entry.name for entry in pkgutil.iter_modules(package.__path__) if not entry.name.startswith("_"))
    names = [f"{PACKAGE}.{name}" for name in found]
    return {PACKAGE: package, **{name: importlib.import_module(name) for name in names}}


def public_names():
    """{full name: thing} of all that __all__ of a public module lists; modules themselves are left out."""
    found = {}
    for module_name, module in modules().items():
        for name in getattr(module, "__all__", []):
            thing = getattr(module, name)
            if not inspect.ismodule(thing):
                found[f"{module_name}.{name}"] = thing
    return found


def documented_names():
    """{full name: thing}, each thing under its first name: the package's, else its module's."""
    seen, found = set(), {}
    for name, thing in public_names().items():
        if id(thing) not in seen:
            seen.add(id(thing))
            found[name] = thing
    return found


def summary(thing):
    """The first sentence of a docstring, for a table in Markdown."""
    text = inspect.getdoc(thing) or ""
    line = " ".join(text.split("\n\n")[0].split())
    return re.sub(r"``|`", "`", line).replace("|", "\\|").replace("*", "\\*")


def page_of(name, thing):
    module, _, title = name.rpartition(".")
    lines = [title, "=" * len(title), "", f".. currentmodule:: {module}", ""]
    if inspect.isclass(thing):
        kind = "autoexception" if issubclass(thing, BaseException) else "autoclass"
    else:
        kind = "autofunction" if callable(thing) else "autodata"
    lines.append(f".. {kind}:: {name}")
    if kind == "autoclass":
        lines += ["   :members:", "   :inherited-members:"]
    return "\n".join(lines) + "\n"


def table_of(names, things):
    rows = ["| name | what it does |", "|---|---|"]
    rows += [f"| [`{name.removeprefix(PACKAGE + '.')}`]({name}.rst) | {summary(things[name])} |" for name in names]
    return "\n".join(rows)


def kind_of(name, thing):
    if inspect.isclass(thing):
        if issubclass(thing, BaseException):
            return "Errors"
        if thing.__module__.startswith((f"{PACKAGE}.basis", f"{PACKAGE}._bas", f"{PACKAGE}._transformer")):
            return "Bases"
        if thing.__module__.startswith(tuple(f"{PACKAGE}.{part}" for part in MODULES_OF_MODELS)):
            return "Designs and models"
        if thing.__module__ in (f"{PACKAGE}.observation_models", f"{PACKAGE}.regularizer"):
            return "Parts of a model"
        return "Series, banks and plans"
    return "Functions" if name.count(".") == 1 else "Functions of modules"


MODULES_OF_MODELS = ("_glm", "glm", "_paths", "_design")
KINDS = ["Functions", "Series, banks and plans", "Bases", "Designs and models", "Parts of a model",
         "Functions of modules", "Errors"]


def write():
    """Yields the pages and the tables of the index."""
    things = documented_names()
    parts = []
    for kind in KINDS:
        names = sorted((name for name, thing in things.items() if kind_of(name, thing) == kind), key=str.lower)
        if names:
            parts += [f"## {kind}", "", table_of(names, things), ""]
        for name in names:
            yield f"{FOLDER}/{name}.rst", page_of(name, things[name])
    yield f"{FOLDER}/names.table", "\n".join(parts)
