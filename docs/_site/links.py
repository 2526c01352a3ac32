# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links of a Markdown page: found outside code, and replaced."""
import re

FENCE = re.compile(r"\s*(`{3,}|~{3,}|:{3,})")
CODE = re.compile(r"(`+[^`]+`+)")
LINK = re.compile(r'(\]\(|\]:\s+<?|(?:src|href)=")([^)\s">]+)')


def is_local(target):
    return not re.match(r"[a-z][a-z0-9+.-]*:", target) and not target.startswith(("#", "//"))


def replace(text, new_target):
    """The text, with `new_target(target)` in the place of each target of a link to a file."""
    def moved(link):
        return link[1] + (new_target(link[2]) if is_local(link[2]) else link[2])

    lines, fence = [], None
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and line.strip() == mark[1]:
                fence = None
        elif mark and mark[1][0] != ":":
            fence = mark[1]
        else:
            line = "".join(part if i % 2 else LINK.sub(moved, part) for i, part in enumerate(CODE.split(line)))
        lines.append(line)
    return "\n".join(lines)
