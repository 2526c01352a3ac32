#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the files of a release: they are there, and they name one version and one date.

    check_release.py ROOT     prints FILE: what is wrong; exit code 1 where anything is

It needs Python alone, so it reads YAML line by line, as far as these files use it.
"""

import datetime
import pathlib
import re
import sys

FILES = ("AUTHORS", "CHANGELOG.md", "CITATION.cff", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md",
         ".github/PULL_REQUEST_TEMPLATE.md", ".github/ISSUE_TEMPLATE/bug.yml", ".github/ISSUE_TEMPLATE/feature.yml",
         ".github/ISSUE_TEMPLATE/question.yml")
# The places of the version: a file, and a pattern whose only group is the version.
VERSIONS = (
    ("CMakeLists.txt", r"^project\(Synelix VERSION (\S+)"),
    ("python/pyproject.toml", r'^version = "([^"]*)"'),
    ("python/conda/recipe.yaml", r'^  version: "([^"]*)"'),
    ("CITATION.cff", r"^version: (\S+)"),
    ("spack/spack_repo/synelix/packages/synelix/package.py", r'^    version\("(\d[^"]*)"'),
)
KINDS = {"Added", "Changed", "Fixed", "Breaking"}
CITATION_KEYS = {"cff-version", "message", "type", "title", "abstract", "authors", "version", "date-released", "license", "keywords"}
BODY_TYPES = {"markdown", "textarea", "input", "dropdown", "checkboxes"}


def check_changelog(text, report):
    """The sections as (version, date or None), the newest first."""
    sections = []
    for title, body in re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", text, re.M):
        found = re.fullmatch(r"(\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2}|not released)\)", title)
        if not found:
            report("CHANGELOG.md", f"the section '{title}' is not VERSION (YEAR-MONTH-DAY) or VERSION (not released)")
            continue
        date = None if found[2] == "not released" else found[2]
        try:
            datetime.date.fromisoformat(date or "2000-01-01")
        except ValueError:
            report("CHANGELOG.md", f"{found[1]} has the date {date}, which does not exist")
        sections.append((found[1], date))
        kinds = re.findall(r"^### (.*)$", body, re.M)
        for kind in kinds:
            if kind not in KINDS or kinds.count(kind) > 1:
                report("CHANGELOG.md", f"{found[1]} has a part '{kind}'; each of {', '.join(sorted(KINDS))} may stand there once")
        if not kinds:
            report("CHANGELOG.md", f"{found[1]} has no part of a kind")
    numbers = [tuple(map(int, version.split("."))) for version, _ in sections]
    if numbers != sorted(numbers, reverse=True) or len(set(numbers)) != len(numbers):
        report("CHANGELOG.md", "its sections are not in order, the newest first")
    if any(date is None for _, date in sections[1:]):
        report("CHANGELOG.md", "a section that is not the newest says 'not released'")
    return sections


def check_citation(text, report):
    keys = re.findall(r"^([\w-]+):", text, re.M)
    for key in sorted(CITATION_KEYS - set(keys)):
        report("CITATION.cff", f"has no {key}")
    for key in keys:
        if key not in CITATION_KEYS or keys.count(key) > 1:
            report("CITATION.cff", f"has {key}, which this check does not know, or twice")
    if not re.search(r"^cff-version: 1\.2\.0$", text, re.M):
        report("CITATION.cff", "is not of cff-version 1.2.0")
    if not re.search(r"^authors:\n  - name: The Synelix developers$", text, re.M):
        report("CITATION.cff", "its authors are not The Synelix developers")


def check_form(name, text, report):
    """The required parts of a form for issues."""
    for key in ("name", "description", "body"):
        if not re.search(rf"^{key}:", text, re.M):
            report(name, f"has no {key}")
    for kind in re.findall(r"^  - type: (.*)$", text, re.M):
        if kind not in BODY_TYPES:
            report(name, f"has an element of type {kind}; known are {', '.join(sorted(BODY_TYPES))}")
    ids = re.findall(r"^    id: (.*)$", text, re.M)
    if len(ids) != len(set(ids)):
        report(name, "has an id twice")
    if "\t" in text:
        report(name, "has a tab, which YAML does not take")


def findings(root):
    root, found = pathlib.Path(root), []

    def report(name, text):
        found.append(f"{name}: {text}")

    def text_of(name):
        return (root / name).read_text(encoding="utf-8") if (root / name).is_file() else ""

    for name in FILES:
        if not text_of(name).strip():
            report(name, "is missing or empty")
        elif re.search(r"https?://", text_of(name)) and name != "LICENSE" and not name.endswith("README.md"):
            report(name, "names a host; the project has none of its own")
    sections = check_changelog(text_of("CHANGELOG.md"), report)
    if not sections:
        report("CHANGELOG.md", "has no section of a version")
        return found
    newest, date = sections[0]
    released = next((section for section in sections if section[1]), (newest, None))
    for name, pattern in VERSIONS:
        versions = re.findall(pattern, text_of(name), re.M)
        # A version in preparation is no release to install or cite.
        wanted = released[0] if name == "CITATION.cff" or "spack" in name else newest
        if wanted not in versions or (len(versions) > 1 and "spack" not in name):
            report(name, f"is of version {' and '.join(versions) or '(none)'}; CHANGELOG.md says {wanted}")
    check_citation(text_of("CITATION.cff"), report)
    cited = re.search(r'^date-released: "?([\d-]+)"?', text_of("CITATION.cff"), re.M)
    if cited and cited[1] != released[1]:
        report("CITATION.cff", f"{released[0]} was released on {cited[1]}; CHANGELOG.md says {released[1]}")
    for name in FILES:
        if name.endswith(".yml"):
            check_form(name, text_of(name), report)
    return found


def main():
    found = findings(sys.argv[1])
    print("\n".join(found) or "no finding")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
