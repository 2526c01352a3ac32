# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages of the C++ API: one for each public header, from Doxygen's XML.

Doxygen stores classes and the members of the namespace apart. A page shows both in the order of the header. For this,
the members between two classes become a group, which Breathe renders, in a copy of the XML.
"""
import copy
import re
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

NAMESPACE = "synelix"
FOLDER = "reference/cpp"
TYPES = "/types/"                                        # the folder of plain types
#: How Breathe shows each kind of type.
DIRECTIVES = {"class": "doxygenclass", "struct": "doxygenstruct", "union": "doxygenunion", "concept": "doxygenconcept"}
LONGEST_INITIALIZER = 60                                   # characters; longer ones say how, not what


def is_ours(name):
    return name == NAMESPACE or name.startswith(f"{NAMESPACE}::")


def text_of(node):
    return "" if node is None else "".join(node.itertext()).strip()


def is_documented(member):
    return any(text_of(member.find(tag)) for tag in ("briefdescription", "detaileddescription"))


def is_left_out(member):
    """A destructor, or a function that is deleted, without a text: Doxygen asks for none, and nobody calls it."""
    is_deleted = (member.findtext("argsstring") or "").replace(" ", "").endswith("=delete")
    return (member.findtext("name").startswith("~") or is_deleted) and not is_documented(member)


def place_of(member):
    """Where a member stands on its page: what types/X.hpp declares comes before the rest of X.hpp."""
    location = member.find("location")
    return TYPES not in location.get("file"), int(location.get("line"))


def header_of(path):
    """The header that programs include: X.hpp includes types/X.hpp."""
    return path.replace(TYPES, "/")


class Header:
    """What a public header holds, in its order."""

    def __init__(self, path, compound):
        self.path = path                                   # synelix/convolve.hpp
        self.stem = Path(path).stem
        self.detail = compound.find("detaileddescription")
        self.brief = compound.find("briefdescription")
        self.entries = []                                  # (place, class, kind) or (place, member, namespace, None)


class Api:
    """Doxygen's XML of the public headers."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.compounds = {}
        for entry in ElementTree.parse(self.folder / "index.xml").getroot():
            tree = ElementTree.parse(self.folder / f"{entry.get('refid')}.xml")
            self.compounds[entry.get("refid")] = tree
        self.headers = {}
        members, classes, namespaces = [], [], set()
        for tree in self.compounds.values():
            compound = tree.getroot().find("compounddef")
            name, kind = compound.findtext("compoundname"), compound.get("kind")
            if kind == "file":
                path = compound.find("location").get("file")
                if TYPES not in path:
                    self.headers[path] = Header(path, compound)
            elif kind in ("class", "struct", "union", "concept"):
                classes.append((compound, name, kind))
            elif kind == "namespace" and is_ours(name):
                members += [(member, name) for member in compound.findall("sectiondef/memberdef")]
                namespaces.add(name)
        for compound, name, kind in classes:
            owner = name.rpartition("::")[0]
            if owner in namespaces:                        # a nested class is part of its own
                self.at(compound).entries.append((place_of(compound), name, kind))
        self.class_names = {name.rpartition("::")[2] for _, name, _ in classes}
        for member, namespace in members:
            self.at(member).entries.append((place_of(member), member, namespace, None))
        for header in self.headers.values():
            header.entries.sort(key=lambda entry: entry[0])

    def at(self, node):
        return self.headers[header_of(node.find("location").get("file"))]

    def names(self):
        """Every public name: of the namespace, and of the classes."""
        found = set()
        for tree in self.compounds.values():
            compound = tree.getroot().find("compounddef")
            kind, owner = compound.get("kind"), compound.findtext("compoundname")
            if kind not in ("namespace", *DIRECTIVES) or not is_ours(owner) or compound.get("prot") == "private":
                continue
            if kind != "namespace":
                found.add(owner)
            for member in compound.findall("sectiondef/memberdef"):
                name = member.findtext("name")
                if member.get("prot") != "public" or member.get("kind") == "friend" or not name or "@" in name:
                    continue
                if is_left_out(member):
                    continue
                found.add(f"{owner}::{name}")
                if member.get("kind") == "enum":
                    found |= {f"{owner}::{name}::{value.findtext('name')}" for value in member.findall("enumvalue")}
        return found


# ---- what Breathe reads

def put_requirements(member):
    """`requires` behind the template's parameters. Inline is left out: it says nothing to a reader."""
    clause = text_of(member.find("requiresclause"))
    member.set("inline", "no")
    type_node = member.find("type")
    if clause and member.get("static") != "yes" and type_node is not None:
        type_node.text = f"requires ({clause}) {type_node.text or ''}"


def move_text_to_last(members):
    """Of functions that share a text: the signatures one below the other, and then the text."""
    run = []
    for member in members + [None]:
        shares = (member is not None and run and member.get("kind") == "function"
                  and descriptions(member) == descriptions(run[0]))
        if not shares:
            if len(run) > 1:
                give_text(run[0], run[-1])
                for other in run[:-1]:
                    clear_text(other)
            run = []
        if member is not None and member.get("kind") == "function" and is_documented(member):
            run.append(member)


def descriptions(member):
    return [ElementTree.tostring(member.find(tag)) for tag in ("briefdescription", "detaileddescription")]


def clear_text(member):
    for tag in ("briefdescription", "detaileddescription", "inbodydescription"):
        node = member.find(tag)
        if node is not None:
            for child in list(node):
                node.remove(child)
            node.text = None


def give_text(source, target):
    for tag in ("briefdescription", "detaileddescription"):
        old, new = target.find(tag), copy.deepcopy(source.find(tag))
        target[list(target).index(old)] = new


def simplify(members):
    for member in members:
        initializer = member.find("initializer")
        text = text_of(initializer)
        is_shown = len(text) <= LONGEST_INITIALIZER and "[]" not in text
        if initializer is not None and member.get("kind") != "define" and not is_shown:
            member.remove(initializer)
        put_requirements(member)
    move_text_to_last(members)


def compound_of(name, kind, members=(), brief=None, detail=None):
    """A group that has members, or a page that has a text."""
    root = ElementTree.Element("doxygen", version="1.9.8")
    compound = ElementTree.SubElement(root, "compounddef", id=name, kind=kind)
    ElementTree.SubElement(compound, "compoundname").text = name
    ElementTree.SubElement(compound, "title").text = name
    if members:
        ElementTree.SubElement(compound, "sectiondef", kind="func").extend(members)
    compound.append(copy.deepcopy(brief) if brief is not None else ElementTree.Element("briefdescription"))
    compound.append(copy.deepcopy(detail) if detail is not None else ElementTree.Element("detaileddescription"))
    return ElementTree.ElementTree(root)


def page_of(header, added):
    """The page of a header. It puts what Breathe reads for it into `added`."""
    title = f"{header.stem}.hpp"
    text = f"text_{header.stem}"
    added[text] = compound_of(text, "page", brief=header.brief, detail=header.detail)
    lines = [title, "=" * len(title), "", ".. highlight:: cpp", "",
             ".. code-block:: cpp", "", f"   #include <{header.path}>", "",
             f".. doxygenpage:: {text}", "   :content-only:", ""]

    def show(members, namespace):
        name = f"group_{header.stem}_{len(added)}"
        simplify(members)
        added[name] = compound_of(name, "group", members)
        lines.extend([f".. cpp:namespace:: {namespace}", "", f".. doxygengroup:: {name}", "   :content-only:", ""])

    waiting, inside = [], NAMESPACE
    for entry in header.entries + [(0, None, None)]:
        if waiting and (len(entry) == 3 or entry[2] != inside):
            show(waiting, inside)
            waiting = []
        if len(entry) == 4:
            waiting.append(copy.deepcopy(entry[1]))
            inside = entry[2]
            continue
        if entry[1]:
            lines.extend([".. cpp:namespace:: nullptr", "", f".. {DIRECTIVES[entry[2]]}:: {entry[1]}"])
            lines.extend([] if entry[2] == "concept" else ["   :members:", "   :undoc-members:"])
            lines.append("")
    return "\n".join(lines)


def is_guide(member, class_names):
    """A deduction guide, which lets users leave out what they would not write anyway."""
    return member.findtext("name") in class_names and "->" in (member.findtext("argsstring") or "")


def first_sentence(header):
    text = re.sub(r"\s+", " ", text_of(header.brief) or text_of(header.detail))
    text = re.split(r"(?<=\w)[.:](?:\s|$)(?=[A-Z]|$)", text)[0]
    return text if len(text) < 160 else text[:text.rfind(" ", 0, 150)] + " ..."


def write(xml, copied):
    """Writes the XML for Breathe into `copied`. Yields the pages, and the table of the index."""
    api = Api(xml)
    copied = Path(copied)
    added, pages = {}, []
    for path, header in sorted(api.headers.items()):
        header.entries = [e for e in header.entries if len(e) == 3 or not is_guide(e[1], api.class_names)]
        pages.append((header.stem, page_of(header, added), f"{header.stem}.hpp", first_sentence(header)))
    for refid, tree in api.compounds.items():
        compound = tree.getroot().find("compounddef")
        if compound.get("kind") not in ("class", "struct", "union", "concept"):
            continue
        for section in compound.findall("sectiondef"):
            for member in filter(is_left_out, section.findall("memberdef")):
                section.remove(member)
            section.set("kind", "public-func" if section.get("kind") == "user-defined" else section.get("kind"))
            simplify(section.findall("memberdef"))
        added[refid] = tree
    added["index"] = index_of(added)
    write_changes(added, copied)
    for stem, text, _, _ in pages:
        yield f"{FOLDER}/{stem}.rst", text
    table = ["| header | what it holds |", "|---|---|"]
    table += [f"| [{title}]({stem}.rst) | {text.replace('|', '/')} |" for stem, _, title, text in pages]
    yield f"{FOLDER}/headers.table", "\n".join(table)


def index_of(trees):
    root = ElementTree.Element("doxygenindex", version="1.9.8")
    for refid, tree in trees.items():
        compound = tree.getroot().find("compounddef")
        entry = ElementTree.SubElement(root, "compound", refid=refid, kind=compound.get("kind"))
        ElementTree.SubElement(entry, "name").text = compound.findtext("compoundname")
        for member in compound.findall("sectiondef/memberdef"):
            inner = ElementTree.SubElement(entry, "member", refid=member.get("id"), kind=member.get("kind"))
            ElementTree.SubElement(inner, "name").text = member.findtext("name")
    return ElementTree.ElementTree(root)


def write_changes(trees, folder):
    """Writes what differs. Breathe remembers the files of the last build: if one is gone, it must forget them."""
    wanted = {f"{name}.xml": ElementTree.tostring(tree.getroot(), encoding="utf-8", xml_declaration=True)
              for name, tree in trees.items()}
    if any(path.name not in wanted for path in folder.glob("*.xml")):
        shutil.rmtree(folder.parent / "doctrees", ignore_errors=True)
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in wanted.items():
        target = folder / name
        if not target.exists() or target.read_bytes() != text:
            target.write_bytes(text)
