# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sources of the site in one folder, as Sphinx needs them.

Pages of docs/ keep their places. Pages of other folders lie below project/. Links to a file of the sources lead to a
page that shows it. Tables of contents follow from the files that are there, so a new page needs no entry.
"""
import os
import re
import shutil
from pathlib import Path, PurePosixPath

import command_line_page
import cpp_pages
import links
import python_pages

#: Folders outside docs/ whose Markdown belongs to the site, and what does not.
PROJECT_FOLDERS = ("src", "tests", "perf", "python", "spack", "examples", "scripts")
NOT_PAGES = ("perf/results/", "python/build/", "docs/_site/", "docs/_static/", "tests/site/")
SECTIONS = ("tutorials", "how_to", "reference", "explanation", "coming_from")
#: Names of sections where the heading of their page is too long for the bar on top.
SHORT = {"how_to": "How-to", "coming_from": "Coming from"}
#: The order of pages that are read one after the other; others follow by name.
ORDER = {
    "tutorials": ["nwb_to_model", "larger_than_memory", "spikes_as_events", "design_files", "cpp_views", "closed_loop",
                  "cluster"],
    "reference": ["command_line", "python/index", "cpp/index"],
    "explanation": ["windows_and_borders", "how_methods_are_chosen", "the_contract", "accuracy", "measurements"],
}
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".toml": "toml", ".yaml": "yaml", ".ipynb": "json",
             ".sh": "bash", ".cmake": "cmake", ".rs": "rust"}
PICTURES = (".png", ".svg", ".jpg")
SHOWN = (*LANGUAGES, ".txt", ".md", *PICTURES)
GALLERY = "gallery"


def markdown_of(root):
    """Paths of all pages, from the root of the sources."""
    found = [path for path in root.glob("*.md")]
    for folder in ("docs", *PROJECT_FOLDERS):
        found += (root / folder).rglob("*.md")
    paths = sorted(path.relative_to(root).as_posix() for path in found)
    return [path for path in paths if not path.startswith(NOT_PAGES) and "/." not in path]


def place_of(path):
    """Where a page of the sources lies in the site."""
    return path.removeprefix("docs/") if path.startswith("docs/") else f"project/{path}"


def title_of(text, path):
    found = re.search(r"^# (.+)$", text, re.M)
    if not found:
        raise SystemExit(f"{path}: the page has no heading. Begin it with a line '# TITLE'.")
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", found[1]).strip()


def lead_of(text):
    """The first sentence behind the heading, without links; empty: none is there."""
    start = text.index("\n# ") + 3 if "\n# " in text else 0
    behind = re.sub(r"<!--.*?-->", "", text[start:], flags=re.S).split("\n", 1)
    for paragraph in (behind[1] if len(behind) > 1 else "").split("\n\n"):
        plain = " ".join(paragraph.split())
        if plain and plain[0] not in "#|<!-*:>" and not plain.startswith("```"):
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain)
            return re.split(r"(?<=[.!?])\s", plain)[0]
    return ""


class Stage:
    """Writes the staged folder: only what changed, so that Sphinx reads only that again."""

    def __init__(self, root, folder, program, xml):
        self.root, self.folder = Path(root), Path(folder)
        self.program, self.xml = program, Path(xml)
        self.sources = markdown_of(self.root)
        self.written = set()
        self.shown = set()                                 # files and folders that links lead to
        self.headers = {f"include/synelix/{path.name}": f"reference/cpp/{path.stem}.rst"
                        for path in (self.root / "include/synelix").glob("*.hpp")}
        self.examples = {}

    def put(self, place, content):
        target = self.folder / place
        data = content if isinstance(content, bytes) else content.encode()
        self.written.add(target)
        if not target.exists() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)

    def remove_old(self):
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if path.is_relative_to(self.folder / GALLERY):
                continue
            if path.is_file() and path not in self.written:
                path.unlink()
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()

    # ---- links

    def new_target(self, page, target):
        """The target of a link of a page, in the site. Targets that do not exist stay, and Sphinx warns of them."""
        name, hash_mark, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), name))
        here = os.path.dirname(place_of(page))

        def to(place):
            return os.path.relpath(place, here or ".") + hash_mark + anchor

        if path in self.sources:
            return to(place_of(path))
        if not (self.root / path).exists():
            return target
        if f"{path}/README.md" in self.sources:
            return to(place_of(f"{path}/README.md"))
        if path in self.headers:
            return to(self.headers[path])
        if path in self.examples:
            return to(self.examples[path])
        if path.startswith("docs/") and path.endswith(PICTURES):
            return to(place_of(path))
        self.shown.add(path)
        hash_mark = anchor = ""
        if path.endswith(PICTURES):
            return to(f"project/{path}")
        return to(f"project/{path}/index.md" if (self.root / path).is_dir() else f"project/{path}.md")

    def show_sources(self):
        """Pages of the files and folders that links lead to."""
        done = set()
        while self.shown - done:
            path = sorted(self.shown - done)[0]
            done.add(path)
            full = self.root / path
            if full.is_dir():
                entries = [entry for entry in sorted(full.iterdir()) if entry.is_dir() or entry.suffix in SHOWN]
                entries = [entry for entry in entries if not entry.name.startswith(("__", "."))]
                rows = [f"* [{entry.name}]({self.new_target(f'{path}/.', entry.name)})" for entry in entries]
                self.put(f"project/{path}/index.md", f"---\norphan: true\n---\n\n# {path}\n\n" + "\n".join(rows) + "\n")
            elif path.endswith(PICTURES):
                self.put(f"project/{path}", full.read_bytes())
            else:
                language = LANGUAGES.get(full.suffix, "text")
                self.put(f"project/{path}.md", f"---\norphan: true\n---\n\n# {path}\n\n`````{language}\n"
                         f"{full.read_text().rstrip()}\n`````\n")

    # ---- pages

    def toctree(self, entries, *options):
        return "\n".join(["", "```{toctree}", *options, "", *entries, "```", ""])

    def titles(self, section):
        """[(file without its ending, title, first sentence)] of the pages of a section, in their order."""
        found = {}
        for path in self.sources:
            place = PurePosixPath(place_of(path))
            if place.is_relative_to(section) and place != PurePosixPath(section, "index.md"):
                name = place.relative_to(section).with_suffix("").as_posix()
                if "/" in name and not name.endswith("/index"):
                    continue
                text = (self.root / path).read_text()
                found[name] = (name, title_of(text, path), lead_of(text))
        order = ORDER.get(section, [])
        return [found[name] for name in sorted(found, key=lambda n: (order.index(n) if n in order else len(order), n))]

    def section_contents(self, section):
        """The list of a section's pages."""
        pages = self.titles(section)
        if not pages:
            return ""
        rows = [f"* **[{title}]({name}.md)**<br>{lead}" for name, title, lead in pages]
        return "\n" + "\n".join(['<div class="pages">', "", *rows, "", "</div>"]) + "\n" + self.toctree(
            [name for name, _, _ in pages], ":hidden:")

    def guides(self, text):
        """The flat pages of docs/, in the order of its README."""
        flat = [path for path in self.sources if path.startswith("docs/") and path.count("/") == 1]
        names = [PurePosixPath(path).stem for path in flat if path not in ("docs/README.md", "docs/index.md")]
        at = {name: text.find(f"({name}.md)") % 10**9 for name in names}   # those that it does not name come last
        return self.toctree(sorted(names, key=lambda name: (at[name], name)), ":hidden:")

    def project_index(self):
        first = [path for path in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md") if path in self.sources]
        rest = [path for path in self.sources if not path.startswith("docs/") and path not in first]
        rows = [f"* [{title_of((self.root / path).read_text(), path)}]({path})" for path in first + rest]
        intro = "How Synelix is built, tested and measured. Each folder of the sources has a page."
        return "\n".join(["# Project", "", intro, "", *rows, ""]) + self.toctree(
            [path.removesuffix(".md") for path in first + rest], ":hidden:")

    def front(self):
        entries = [f"{SHORT[section]} <{section}/index>" if section in SHORT else f"{section}/index"
                   for section in SECTIONS]
        if self.examples:
            entries.insert(2, f"{GALLERY}/index")
        return self.toctree([*entries, "Guides <README>", "project/index"], ":hidden:")

    def page(self, path, tables):
        text = (self.root / path).read_text()
        place = place_of(path)
        added = ""
        if place == "index.md":
            added = self.front()
        elif place == "README.md":
            added = self.guides(text)
        elif place == "reference/command_line.md":
            added = "\n" + command_line_page.text(self.program)
        elif place.endswith("/index.md"):
            section = place.removesuffix("/index.md")
            table = tables.get(section)
            added = "\n" + table[0] + self.toctree(table[1], ":hidden:") if table else self.section_contents(section)
        self.put(place, links.replace(text, lambda target: self.new_target(path, target)) + added)

    def generated(self):
        """Pages of the two APIs. Returns the table and the pages of each index."""
        tables = {}
        pages = [*cpp_pages.write(self.xml, self.xml.parent / "breathe"), *python_pages.write()]
        for place, text in pages:
            section, _, name = place.rpartition("/")
            table = tables.setdefault(section, ["", []])
            if name.endswith(".table"):
                table[0] = text
            else:
                table[1].append(name.removesuffix(".rst"))
                self.put(place, text)
        return tables

    def gallery(self):
        """The examples in Python that begin with a title; returns where Sphinx-Gallery finds them."""
        folder = self.folder.parent / "gallery_scripts"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        scripts = [path for name in ("gallery", "python") for path in (self.root / "examples" / name).glob("*.py")]
        for path in sorted(scripts):
            text = path.read_text()
            if re.search(r'^r?"""\n?[^\n]+\n[=~-]{4,}\n', text, re.M):
                (folder / path.name).write_text(text)
                self.examples[path.relative_to(self.root).as_posix()] = f"{GALLERY}/{path.stem}.rst"
        header = "Gallery\n=======\n\nScripts in Python that make a picture. Each page has its script for download.\n"
        (folder / "GALLERY_HEADER.rst").write_text(header)

    def write(self):
        self.gallery()
        tables = self.generated()
        for path in self.sources:
            self.page(path, tables)
        self.put("project/index.md", self.project_index())
        for path in (self.root / "docs").rglob("*"):
            if path.suffix in PICTURES and not path.relative_to(self.root).as_posix().startswith(NOT_PAGES):
                self.put(place_of(path.relative_to(self.root).as_posix()), path.read_bytes())
        self.show_sources()
        self.remove_old()
