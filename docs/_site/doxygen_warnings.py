# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which warnings of Doxygen count.

Functions that share one text name the parameters of all in it. Doxygen warns of each that one of them lacks. Such a
warning counts only where none has the parameter.

A deduction guide needs no text: nobody calls one, and the pages leave it out.
"""
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

OF_OVERLOAD = re.compile(r"argument '([^']+)' of command @param is not found in the argument list of ([\w:]+)\(")
OF_GUIDE = re.compile(r"warning: Member (\w+)\(.*\) -> \1\b.* \(function\) of namespace \S+ is not documented")


def parameters(xml):
    """{full name of a function: parameters of all functions that share a text with one of its overloads}"""
    of_text, texts = {}, {}
    for path in Path(xml).glob("*.xml"):
        for member in ElementTree.parse(path).getroot().iter("memberdef"):
            if member.get("kind") == "function":
                text = ElementTree.tostring(member.find("detaileddescription"))
                of_text.setdefault(text, set()).update(param.findtext("declname") for param in member.findall("param"))
                texts.setdefault(member.findtext("qualifiedname"), set()).add(text)
    return {name: set().union(*(of_text[text] for text in own)) for name, own in texts.items()}


def unexpected(lines, xml):
    """The warnings that count."""
    known = None
    problems = []
    for line in lines:
        if not re.search(r": (warning|error): ", line):
            continue
        if OF_GUIDE.search(line):
            continue
        of_overload = OF_OVERLOAD.search(line)
        if of_overload:
            known = known or parameters(xml)
            if of_overload[1] in known.get(of_overload[2], ()):
                continue
        problems.append(line)
    return problems
