# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that would meet where files of a wing are compiled together (SYNELIX_UNITY, cmake/SynelixUnity.cmake).

A name of an anonymous namespace belongs to its file. In a unit, the files see each other's names: two of the same
signature are an error of the compiler, and two of other signatures overload each other without a word.
"""

import collections
import functools
import re

NOTHING = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((?:.|\n)*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<![\w])\'(?:[^\'\\\n]|\\.)+\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                     re.S | re.M)
TOKEN = re.compile(r"\w+|::|[^\s\w]")
WORD = re.compile(r"[A-Za-z_]\w*$")
NOT_NAMES = {"if", "for", "while", "switch", "return", "requires", "noexcept", "const", "override", "final", "operator", "static_assert",
             "friend", "extern", "decltype", "alignas", "template"}


def plain_text(text):
    """Code without comments, texts and lines of the preprocessor."""
    return NOTHING.sub(lambda match: '""' if match[0][0] in '"R' else " ", text)


def without_angles(tokens):
    """A statement without the contents of angle brackets, as far as they are brackets."""
    kept, depth = [], 0
    for i, token in enumerate(tokens):
        if token == "<" and kept and (WORD.match(kept[-1]) or depth):
            depth += 1
        elif token == ">" and depth:
            depth -= 1
        elif not depth:
            kept.append(token)
        if depth and token in ";{":
            return tokens[:i]
    return kept


def declared_name(statement):
    """The name that a statement at the level of a namespace declares; None if it declares no new one."""
    tokens = without_angles([token for token in statement if token not in ("[[", "]]")])
    while tokens and tokens[0] == "template":
        tokens = tokens[1:]
    if not tokens or tokens[0] in ("friend", "extern", "static_assert", "namespace"):
        return None
    if tokens[0] == "using":
        return tokens[1] if len(tokens) > 2 and tokens[2] == "=" else None
    if "operator" in tokens:
        return None
    if tokens[0] in ("struct", "class", "enum", "union", "concept"):
        names = [token for token in tokens[1:] if WORD.match(token) and token not in ("class", "struct", "final", "alignas")]
        return names[0] if names and (len(tokens) < 3 or "::" not in tokens[:3]) else None
    depth, last = 0, None
    for i, token in enumerate(tokens):
        if token == "[" and i + 1 < len(tokens) and tokens[i + 1] == "[":
            depth += 2
        elif token == "]" and depth:
            depth -= 1
        elif depth:
            continue
        elif token in ("(", "=", "{", "[", ";", ":"):
            break
        if WORD.match(token) and not depth:
            last = i
    if last is None or tokens[last] in NOT_NAMES or (last and tokens[last - 1] == "::"):
        return None                                   # the definition of a member, or of a name that a header declares
    return tokens[last]


@functools.cache
def names_of(text):
    """(namespace, name, is it local to its file) of the declarations of a file in namespaces."""
    stack, statement, found = [], [], []              # of scopes: the name of a namespace, "" if anonymous, None: no namespace
    for token in TOKEN.findall(plain_text(text)):
        if token == "{":
            is_outside = all(scope is not None for scope in stack)
            if is_outside and statement and statement[0] in ("namespace", "inline") and "namespace" in statement[:2]:
                words = [word for word in statement if WORD.match(word) and word not in ("namespace", "inline")]
                stack.append("::".join(words))
            else:
                if is_outside and statement:
                    record(found, stack, statement + ["{"])
                stack.append(None)
                statement = ["}"] if is_outside and statement and statement[-1] in ("=", ",", "(", "return") else []
                continue
            statement = []
        elif token == "}":
            if stack:
                stack.pop()
            statement = []
        elif token == ";":
            if statement and all(scope is not None for scope in stack):
                record(found, stack, statement + [";"])
            statement = []
        else:
            statement.append(token)
    return found


def record(found, stack, statement):
    name = declared_name(statement)
    if name:
        own = "" in stack or "static" in statement[:3] or statement[0] == "using"
        found.append(("::".join(scope for scope in stack if scope), name, own))


def check_names(tree):
    """Reports names of files that another file of the wing, or a header of it, declares too."""
    own, shared = collections.defaultdict(set), collections.defaultdict(set)
    for path in tree.files("src"):
        wing = path.split("/")[1]
        for space, name, is_own in names_of("\n".join(tree.lines(path))):
            if path.endswith(".cpp") and is_own:
                own[wing, space, name].add(path)
            elif path.endswith(".hpp"):
                shared[wing, space, name].add(path)
    for (wing, space, name), paths in sorted(own.items()):
        for path in sorted(paths):
            others = sorted(paths - {path} | shared.get((wing, space, name), set()))
            if others:
                line = next((number for number, line in enumerate(tree.lines(path), 1) if re.search(rf"\b{name}\b", line)), 1)
                tree.report(path, line, "units", f"{name} is a name of {', '.join(others)} too; files of a wing are compiled "
                            "together, so give each name for what it does")
