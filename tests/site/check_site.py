# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a built site must have: entries for all public names and options, pages for all sources, links that work."""
import html.parser
import posixpath
import re
import sys
import urllib.parse
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/_site"))

import command_line_page
import cpp_pages
import stage

COMMANDS_PAGE = "reference/command_line.html"


class Page(html.parser.HTMLParser):
    """Targets of links, anchors, and the words of a page."""

    def __init__(self, path):
        super().__init__()
        self.targets, self.anchors, self.words = [], set(), []
        self.loaded = []                                   # (tag, target) of files that a browser loads with the page
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors |= {values[key] for key in ("id", "name") if values.get(key)}
        for key in ("href", "src"):
            if values.get(key):
                self.targets.append(values[key])
                if key == "src" or tag == "link":
                    self.loaded.append((tag, values[key]))

    def handle_data(self, data):
        self.words.append(data)

    def text(self):
        return " ".join("".join(self.words).split())


def read_pages(site):
    return {path.relative_to(site).as_posix(): Page(path) for path in sorted(Path(site).rglob("*.html"))
            if "_static" not in path.relative_to(site).parts}


def broken_links(site, pages=None):
    """Links inside the site to a missing file, or to an anchor that its page lacks."""
    site = Path(site)
    pages = pages or read_pages(site)
    problems = []
    for name, page in pages.items():
        for target in sorted(set(page.targets)):
            if re.match(r"[a-z][a-z0-9+.-]*:|//", target):
                continue
            path, _, anchor = urllib.parse.unquote(target).partition("#")
            path = path.partition("?")[0]
            place = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            if not (site / place).is_file():
                problems.append(f"{name}: the link {target} leads to no file of the site")
            elif anchor and place in pages and anchor not in pages[place].anchors:
                problems.append(f"{name}: the link {target} names an anchor that {place} does not have")
    return problems


def machine_paths(pages, folders):
    """Pages that show a folder of the machine that built them."""
    return [f"{name}: it shows the folder {folder} of this machine"
            for name, page in pages.items() for folder in folders if folder in page.text()]


# ---- entries

def inventory(site):
    """{kind: {name: page}} of objects.inv, such as {"cpp:class": {"synelix::Block": "reference/cpp/convolve.html"}}."""
    data = (Path(site) / "objects.inv").read_bytes()
    head = b"".join(data.split(b"\n", 4)[i] + b"\n" for i in range(4))
    found = {}
    for line in zlib.decompress(data[len(head):]).decode().splitlines():
        entry = re.match(r"(.+?)\s+(\S+)\s+-?\d+\s+(\S*)\s+.*", line)
        place = entry[3].partition("#")[0]
        found.setdefault(entry[2], {})[entry[1]] = place
    return found


def entries_of(site, domain):
    """{name: page} of a domain."""
    return {name: place for kind, names in inventory(site).items() if kind.startswith(f"{domain}:")
            for name, place in names.items()}


def without_page(site, entries):
    return [f"{name}: its page {place} is missing" for name, place in sorted(entries.items())
            if not (Path(site) / place).is_file()]


def without_text(xml):
    """Public functions without a text that the pages show. Doxygen does not ask for that of defaulted constructors."""
    problems = []
    for tree in cpp_pages.Api(xml).compounds.values():
        compound = tree.getroot().find("compounddef")
        if compound.get("kind") not in cpp_pages.DIRECTIVES or compound.get("prot") == "private":
            continue
        for member in compound.findall("sectiondef/memberdef[@prot='public'][@kind='function']"):
            if not cpp_pages.is_documented(member) and not cpp_pages.is_left_out(member):
                name = f"{compound.findtext('compoundname')}::{member.findtext('name')}{member.findtext('argsstring')}"
                problems.append(f"{name}: this function has no text")
    return problems


def missing_cpp(site, xml):
    """Public names of C++ without an entry."""
    entries = entries_of(site, "cpp")
    have = {re.sub(r"<.*>|\(.*|\s", "", name) for name in entries}
    api = cpp_pages.Api(xml)
    wanted = {name for name in api.names() if "operator" not in name}
    missing = [f"{name}: this public name of C++ has no entry" for name in sorted(wanted)
               if name.replace(" ", "") not in have]
    headers = [f"{path}: this public header has no page" for path, header in sorted(api.headers.items())
               if not (Path(site) / f"{cpp_pages.FOLDER}/{header.stem}.html").is_file()]
    return missing + headers + without_page(site, entries)


def missing_python(site):
    """Public names of Python without an entry."""
    import python_pages

    entries = entries_of(site, "py")
    public = python_pages.public_names()
    have = {id(thing) for name, thing in public.items() if name in entries}
    missing = [f"{name}: this public name of Python has no entry" for name, thing in sorted(public.items())
               if id(thing) not in have]
    return missing + without_page(site, entries)


def missing_options(site, program, pages=None):
    """Commands, arguments and options that the page of the command line lacks, or that the program does not have."""
    path = Path(site) / COMMANDS_PAGE
    if not path.is_file():
        return [f"{COMMANDS_PAGE}: this page is missing"]
    page = (pages or {}).get(COMMANDS_PAGE) or Page(path)
    text = page.text()
    entries = inventory(site).get("std:cmdoption", {})
    wanted, problems = set(), []
    described = [("", command_line_page.ask(program)), *command_line_page.commands(program)]
    for command, description in described:
        title = f"synelix {command}".strip()
        if not re.search(rf"\b{re.escape(title)}\b", text):
            problems.append(f"{title}: this command has no entry")
        for option in description["options"]:
            if " ".join(option["help"].split()) not in text:
                problems.append(f"{title} {option['names'][0]}: its help is not on the page")
            if option["positional"]:
                continue
            for name in option["names"]:
                entry = f"{title.replace(' ', '-')}.{name}"
                wanted.add(entry)
                if entry not in entries:
                    problems.append(f"{title} {name}: this option has no entry")
            kind = "flag" if option["flag"] else option["type"]
            facts = f"{' '.join(option['help'].split())} Type: {kind} · Default: {command_line_page.default_of(option)}"
            if facts not in text:
                problems.append(f"{title} {option['names'][-1]}: its type and default are not behind its help")
    gone = sorted(name for name in entries if name.startswith("synelix") and name not in wanted)
    return problems + [f"{name}: this entry is of no option of the program" for name in gone]


def missing_pages(site, root, pages=None):
    """Pages of the sources that the site lacks, or that no table of contents leads to."""
    problems = []
    reached = {posixpath.normpath(posixpath.join(posixpath.dirname(name), target.partition("#")[0]))
               for name, page in (pages or read_pages(site)).items() for target in page.targets}
    for path in stage.markdown_of(Path(root)):
        place = str(Path(stage.place_of(path)).with_suffix(".html"))
        if not (Path(site) / place).is_file():
            problems.append(f"{path}: the site has no page for it")
        elif place not in reached:
            problems.append(f"{path}: no link leads to its page")
    return problems
