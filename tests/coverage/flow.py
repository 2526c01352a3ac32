# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often each arc between the blocks of a function was taken, from the files of gcov that GCC 12 and later write.

Notes (.gcno) have the blocks, arcs and lines of the functions of an object; counts (.gcda) have a number for each arc
that is not on a spanning tree, and the others follow, since as much leaves a block as enters it. Both files are lists
of records: a tag, the number of its bytes, and numbers of 32 bits or strings; see gcov-io.h and gcov.cc of GCC. The
program gcov does not help here. It puts the blocks of all functions of a line together, and with them handlers.
"""

import collections
import dataclasses
import struct

NOTES, COUNTS = 0x67636E6F, 0x67636461                        # "gcno", "gcda"
FUNCTION, BLOCKS, ARCS, LINES, COUNTERS = 0x01000000, 0x01410000, 0x01430000, 0x01450000, 0x01A10000
ON_TREE, FAKE, FALLTHROUGH = 1, 2, 4                          # not counted; an exit that a call may take; the next block
ENTRY, EXIT = 0, 1


class Reader:
    def __init__(self, content, at=0):
        self.content = content
        self.at = at

    def number(self):
        self.at += 4
        return struct.unpack_from("<I", self.content, self.at - 4)[0]

    def text(self):
        size = self.number()
        self.at += size
        return self.content[self.at - size:self.at].rstrip(b"\0").decode()


@dataclasses.dataclass
class Arc:
    begin: int
    end: int
    flags: int
    count: int | None = None
    is_throw: bool = False                                    # to a handler


@dataclasses.dataclass
class Function:
    name: str
    place: tuple                                              # file, line, column
    arcs: list = dataclasses.field(default_factory=list)
    lines: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(list))  # of a block: (file, line)

    def ways(self, block):
        return [arc for arc in self.arcs if arc.begin == block]

    def mark_throws(self):
        """A block that ends with a call has a fake exit; its other ways, but for the next block, lead to handlers."""
        calls = {arc.begin for arc in self.arcs if arc.flags & FAKE and arc.begin != ENTRY}
        for arc in self.arcs:
            arc.is_throw = arc.begin in calls and not arc.flags & (FAKE | FALLTHROUGH)

    def without_exceptions(self):
        """The blocks that are reached from the first one without an exception."""
        behind = collections.defaultdict(list)
        for arc in self.arcs:
            if not arc.is_throw and not arc.flags & FAKE:
                behind[arc.begin].append(arc.end)
        reached, waiting = {ENTRY}, [ENTRY]
        while waiting:
            for block in behind[waiting.pop()]:
                if block not in reached:
                    reached.add(block)
                    waiting.append(block)
        return reached

    def set_counts(self, counters):
        """Counts of the arcs that are not on the tree, in their order; nothing if the function did not run."""
        counted = [arc for arc in self.arcs if not arc.flags & ON_TREE]
        for arc, count in zip(counted, counters or [0] * len(counted), strict=True):
            arc.count = count
        into, out = collections.defaultdict(list), collections.defaultdict(list)
        for arc in self.arcs:
            into[arc.end].append(arc)
            out[arc.begin].append(arc)
        waiting = set(into) | set(out)
        while waiting:
            block = waiting.pop()
            for here, there in ((into, out), (out, into)):
                unknown = [arc for arc in here[block] if arc.count is None]
                if block in (ENTRY, EXIT) or len(unknown) != 1 or any(arc.count is None for arc in there[block]):
                    continue
                known = sum(arc.count for arc in here[block] if arc.count is not None)
                unknown[0].count = max(sum(arc.count for arc in there[block]) - known, 0)
                waiting |= {unknown[0].begin, unknown[0].end}


def records_of(content, magic):
    """The tag of each record, a reader of it and its number of bytes, which is below 0 for counters that are all 0."""
    reader = Reader(content)
    if reader.number() != magic:
        raise ValueError("no file of gcov: its first bytes are " + repr(content[:4]))
    reader.at = 16                                            # after the version, a number of the build and a checksum
    if magic == NOTES:
        reader.text()                                         # the folder that the compiler ran in
        reader.number()                                       # whether blocks that did not run are known
    while reader.at + 8 <= len(content):
        tag, size = reader.number(), reader.number()
        size -= (size & 0x80000000) << 1
        yield tag, Reader(content, reader.at), size
        reader.at += max(size, 0)


def lines_in(reader):
    """A block and its lines, as pairs of a file and a number."""
    block, file, lines = reader.number(), "", []
    while True:
        line = reader.number()
        if line:
            lines.append((file, line))
            continue
        file = reader.text()
        if not file:
            return block, lines


def functions_of(notes, counts=None):
    """The functions of an object: the contents of its notes, and of its counts if it ran."""
    counters, of = {}, None
    if counts and counts[8:12] != notes[8:12]:
        counts = None                                         # of another build of the object
    for tag, reader, size in records_of(counts, COUNTS) if counts else ():
        if tag == FUNCTION and size > 0:
            of = reader.number()
        elif tag == COUNTERS and size > 0:
            counters[of] = struct.unpack_from(f"<{size // 8}q", reader.content, reader.at)
    functions = []
    for tag, reader, size in records_of(notes, NOTES):
        if tag == FUNCTION:
            number, _, _, name, _, file = (reader.number(), reader.number(), reader.number(), reader.text(),
                                           reader.number(), reader.text())
            functions.append((number, Function(name, (file, reader.number(), reader.number()))))
        elif tag == ARCS:
            end, block = reader.at + size, reader.number()
            while reader.at < end:
                functions[-1][1].arcs.append(Arc(block, reader.number(), reader.number()))
        elif tag == LINES:
            block, lines = lines_in(reader)
            functions[-1][1].lines[block] += lines
    for number, function in functions:
        function.mark_throws()
        function.set_counts(counters.get(number))
    return [function for _, function in functions]
