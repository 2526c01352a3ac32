#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the machine code of the library, so that neither a compiler nor an edit halves its speed unseen.

    assembly.py [--objdump PROGRAM] LIBRARY.a SET...

The inner loop of each hot tile has as many packed multiply-adds as it is written with, few other instructions, and
keeps its sums in registers; transforms keep most points there. What is compiled with the flags of an instruction set is named after that set: a function
of another name could be the copy that the linker keeps for every processor. Skipped (77) without objdump and nm.
--objdump names the one of another processor's code.
"""

import dataclasses
import re
import shutil
import subprocess
import sys

SKIPPED = 77
TAPS = 4                                  # that a turn of the direct tile takes
FLAT_PACKS = 6                            # tune::flat_packs
BANK_BASES = 8                            # of the tested bank tile
LINE_BASES = 4                            # of the tested line tile
COLUMN_PACKS = 8                          # tune::column_packs
COLUMNS = {(4, 2): (8, 0), (1, 4): (16, 4)}  # (bases, step) -> tune::column_depth, accesses to the stack
DEPTHWISE_ROWS = 8                        # tune::most_depthwise_rows
SLIDE_WIDTH = 3                           # of the tested sliding tile
WINDOW_TAPS = 3                           # tile::window_taps
WEIGHT_TAPS = 9                           # tune::most_weight_taps


@dataclasses.dataclass(frozen=True)
class Tiles:
    """The expected properties of the hot tiles of an instruction set."""

    register: str       # of instructions that compute packs
    rows: int           # tune::rows_in_registers
    line_packs: int     # tile::line_packs of LINE_BASES
    matrix_rows: dict   # tune::matrix_rows for this number of packs
    has_bank: bool      # whether the set has the bank tile past the caches
    has_columns: bool   # and column tiles
    slide_rows: int     # tune::slide_rows
    has_window_boxes: bool  # whether its registers are tune::window_box_registers
    loss_constants: int  # of the Poisson loss, more than the registers hold: read from the stack
    spilled_packs: int | None  # of a butterfly in transforms; None: not tested


# Sets whose loops are read; a set without a row is only searched for names that another set could share. A butterfly of 8
# points fills 16 registers, and its turns take some more.
SETS = {"avx512": Tiles("zmm", 16, 6, {1: 16, 2: 12, 3: 8}, True, True, 8, True, 2, None),
        "avx2": Tiles("ymm", 8, 2, {1: 8, 2: 6}, False, False, 4, False, 22, 12)}
# Sets of another processor, for which only the direct tile is read: its rows, its multiply-adds, and stack accesses.
# An instruction of Arm takes no operand from memory, so that samples of 19 rows do not all fit beside 16 sums.
ARM_SETS = {"neon": (16, r"v\d+\.[24][sd]", 16), "sve256": (16, r"z\d+\.[sd]", 0)}
FEWEST_OF_A_BUTTERFLY = 20                # operations on packs, from which on a loop of a transform is one


def tag_of(set_name):
    """The tag in lanes/instruction_set.hpp."""
    return set_name.capitalize()


@dataclasses.dataclass(frozen=True)
class Loop:
    """The instructions from the target of a jump backwards to that jump."""

    instructions: tuple

    def multiply_adds(self, register):
        return sum(1 for text in self.instructions
                   if re.match(r"vfmadd\d+p[sd] ", text) and f"%{register}" in text)

    def stack_accesses(self):
        return sum(1 for text in self.instructions if re.search(r"\(%r[sb]p[,)]", text))

    def spilled_packs(self, register):
        """Accesses to the stack by full registers."""
        return sum(1 for text in self.instructions if re.search(r"\(%r[sb]p[,)]", text) and f"%{register}" in text)

    def operations(self, register):
        """Additions and products of packs."""
        return sum(1 for text in self.instructions
                   if re.match(r"v(fn?m(add|sub)\d*|add|sub|mul)p[sd] ", text) and f"%{register}" in text)


@dataclasses.dataclass(frozen=True)
class Expected:
    """What the inner loop of a function has: so many multiply-adds, at most so many instructions, of which at most so
    many use the stack."""

    function: str
    multiply_adds: int
    instructions: int
    stack_accesses: int = 0


def expected_of(set_name):
    """The numbers that perf/NOTES.md has for the code of g++ 14, with room for another compiler's bookkeeping."""
    tag = "synelix::lanes::" + tag_of(set_name)
    tiles = SETS[set_name]
    rows = tiles.rows
    direct = TAPS * rows
    # Samples of rows + 3 packs, 4 taps, and the instructions for counters and pointers.
    most = direct + (rows + 3) + TAPS + 10
    # A polynomial of 10 coefficients and the term that comes with it; 45 other instructions, and room for another compiler.
    yield Expected(f"tile::row_loss<synelix::tile::PoissonRows<synelix::tile::ExpMean, synelix::lanes::Pack<double, {tag}> >, {tag}>", 10,
                   60 + tiles.loss_constants, tiles.loss_constants)
    for scalar in ("float", "double"):
        yield Expected(f"tile::direct<{scalar}, {tag}, {rows}>", direct, most)
        yield Expected(f"tile::flat<{scalar}, {tag}>", FLAT_PACKS, FLAT_PACKS + 8)
        if tiles.has_bank:
            # Besides, what decides whether a group leaves, and shuffles and stores of one; two of its packs wait in
            # memory meanwhile.
            yield Expected(f"tile::bank<{scalar}, {tag}, {BANK_BASES}, (synelix::tile::Stores)1>", direct, most + 100, 6)
        packs = tiles.line_packs
        line = LINE_BASES * packs
        yield Expected(f"tile::line<{scalar}, {tag}, {LINE_BASES}>", line, line + packs + LINE_BASES + 8)
        if tiles.has_columns:
            for (bases, step), (depth, accesses) in COLUMNS.items():
                # A load and a step of the pointer for each sample, the taps, and the counters.
                samples = step * (COLUMN_PACKS - 1) + depth
                column = COLUMN_PACKS * depth
                yield Expected(f"tile::column<{scalar}, {tag}, {bases}, {step}>", column,
                               column + 2 * samples + depth + 20, accesses)
        for shares in ("false", "true"):
            # A weight, its place and the sample's, the addresses of each four rows; of a part of a pack loads and masks.
            yield Expected(f"tile::depthwise<{scalar}, {tag}, {DEPTHWISE_ROWS}, {shares}>", DEPTHWISE_ROWS,
                           3 * DEPTHWISE_ROWS + 12)
        # Each pack of the source once, the weights of a run, and the addresses of each four rows. On the stack: an address
        # and, of a part of a pack, its mask; no pack.
        slide = SLIDE_WIDTH * tiles.slide_rows
        yield Expected(f"tile::slide<{scalar}, {tag}, {tiles.slide_rows}, {SLIDE_WIDTH}>", slide, 2 * slide + 18, 3)
        # Of a position one load of the output gradient, and the multiply-adds load what taps see. A mask as before.
        yield Expected(f"tile::depthwise_weights<{scalar}, {tag}, {WEIGHT_TAPS}>", WEIGHT_TAPS, 2 * WEIGHT_TAPS + 10, 2)
        if tiles.has_window_boxes:
            # Of three positions nine loads, and what is asked for; of each track an address, and its step where it has
            # its own. Some lie on the stack, as do masks of a part of a pack. No pack does.
            box = WINDOW_TAPS * WINDOW_TAPS * WINDOW_TAPS
            yield Expected(f"tile::window_box<{scalar}, {tag}>", box, 2 * box + 24, 16)
            yield Expected(f"tile::window_box_weights<{scalar}, {tag}>", box, 2 * box + 20, 10)
        for packs, matrix_rows in tiles.matrix_rows.items():
            # Packs of the right operand, a value of each row of the left one, and the addresses of each four rows. One
            # number may lie on the stack, such as a mask of the last pack: what runs need takes registers too.
            matrix = matrix_rows * packs
            yield Expected(f"tile::matrix<{scalar}, {tag}, {matrix_rows}, {packs}>", matrix,
                           matrix + packs + matrix_rows + 2 * ((matrix_rows + 3) // 4) + 7, 1)


def functions(disassembly):
    """Name and instructions, as (address, text), of each function that objdump printed."""
    name, body = None, []
    for line in disassembly.splitlines():
        head = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if head:
            if name:
                yield name, body
            name, body = head.group(1), []
            continue
        found = re.match(r"\s*([0-9a-f]+):\s+(\S.*)$", line)
        if found and name:
            body.append((int(found.group(1), 16), re.sub(r"\s+", " ", found.group(2)).strip()))
    if name:
        yield name, body


def loops(body):
    """The loops of a function without inner loops. Paths that return, or jump away, are not loops."""
    spans = []
    for address, text in body:
        jump = re.match(r"j(?!mp)\w+ ([0-9a-f]+)\b", text)  # a loop ends with a condition
        if jump and int(jump.group(1), 16) <= address:
            spans.append((int(jump.group(1), 16), address))
    for begin, end in spans:
        if not any(begin <= other[0] and other[1] <= end and other != (begin, end) for other in spans):
            loop = Loop(tuple(text for address, text in body if begin <= address <= end))
            if not any(re.match(r"ret\b|jmp ", text) for text in loop.instructions):
                yield loop


def loop_findings(expected, register, body):
    """What is wrong with the loop of a function that computes most: with each, where there is one for some strides and
    one for all."""
    own = list(loops(body))
    if not own:
        return [f"{expected.function}: has no loop"]
    most = max(loop.multiply_adds(register) for loop in own)
    found = []
    if most != expected.multiply_adds:
        found.append(f"{expected.function}: {most} multiply-adds of %{register} in its inner loop, not"
                     f" {expected.multiply_adds}")
    for hottest in (loop for loop in own if loop.multiply_adds(register) == most):
        if hottest.stack_accesses() > expected.stack_accesses:
            found.append(f"{expected.function}: {hottest.stack_accesses()} accesses to the stack in its inner loop,"
                         f" more than {expected.stack_accesses}")
        if len(hottest.instructions) > expected.instructions:
            found.append(f"{expected.function}: {len(hottest.instructions)} instructions in its inner loop, more than"
                         f" {expected.instructions}")
    return found


def find_loops(set_name, disassembly):
    bodies = list(functions(disassembly))
    found = []
    for expected in expected_of(set_name):
        own = [body for name, body in bodies if "synelix::" + expected.function in name]
        if not own:
            found.append(f"{expected.function}: not in the library")
        for body in own:
            found += loop_findings(expected, SETS[set_name].register, body)
    return found


def find_spills(set_name, disassembly):
    """Loops of transforms that keep more of a butterfly on the stack than its set allows."""
    tiles = SETS[set_name]
    if tiles.spilled_packs is None:
        return []
    found, butterflies = [], 0
    for name, body in functions(disassembly):
        if "synelix::spectral::" not in name or "lanes::" + tag_of(set_name) not in name:
            continue
        for loop in loops(body):
            if loop.operations(tiles.register) < FEWEST_OF_A_BUTTERFLY:
                continue
            butterflies += 1
            spilled = loop.spilled_packs(tiles.register)
            if spilled > tiles.spilled_packs:
                found.append(f"{name}: {spilled} accesses to the stack by %{tiles.register} in a butterfly, more than"
                             f" {tiles.spilled_packs}")
    return found if butterflies else [f"{set_name}: no transform in the library"]


def find_arm_loops(set_name, disassembly):
    """Whether the direct tile multiplies and adds packs of Arm in one instruction, and keeps its sums in registers."""
    rows, operand, most_spilled = ARM_SETS[set_name]
    found = []
    for scalar in ("float", "double"):
        function = f"tile::direct<{scalar}, synelix::lanes::{tag_of(set_name)}, {rows}>"
        own = [body for name, body in functions(disassembly) if "synelix::" + function in name]
        if not own:
            found.append(f"{function}: not in the library")
        for body in own:
            own_loops = list(arm_loops(body))
            fused = max((len([text for text in loop if re.match(rf"fm(la|ad) {operand}", text)]) for loop in own_loops),
                        default=0)
            if fused != TAPS * rows:
                found.append(f"{function}: {fused} multiply-adds of packs in its inner loop, not {TAPS * rows}")
            for loop in own_loops:
                spilled = [text for text in loop if "[sp" in text]
                is_hottest = len([text for text in loop if re.match(rf"fm(la|ad) {operand}", text)]) == fused
                if is_hottest and len(spilled) > most_spilled:
                    found.append(f"{function}: {len(spilled)} accesses to the stack in its inner loop, more than"
                                 f" {most_spilled}")
    return found


def arm_loops(body):
    """The loops of a function of Arm that hold no other one, as lists of instructions."""
    spans = []
    for address, text in body:
        jump = re.match(r"(?:b\.\w+|cbn?z \w+,|tbn?z \w+, #\d+,) ([0-9a-f]+)\b", text)
        if jump and int(jump.group(1), 16) <= address:
            spans.append((int(jump.group(1), 16), address))
    for begin, end in spans:
        if not any(begin <= other[0] and other[1] <= end and other != (begin, end) for other in spans):
            yield [text for address, text in body if begin <= address <= end]


def find_leaks(set_name, symbols):
    """Symbols of one object that another could share, by `nm -C --defined-only`."""
    found = []
    for line in symbols.splitlines():
        symbol = re.match(r"[0-9a-f]+ (\w) (.+)$", line)
        if not symbol or symbol.group(1).islower():  # local to the object
            continue
        name = symbol.group(2)
        if "::" + tag_of(set_name) not in name:
            found.append(f"{name}: compiled for {set_name}, and not named after it")
    return found


def output_of(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def objects(library, set_name):
    """The objects of an archive that are compiled for a set."""
    return [name for name in output_of("ar", "t", library).split() if f"_{set_name}.cpp" in name]


def main():
    words = sys.argv[1:]
    objdump = "objdump"
    if words[0] == "--objdump":
        objdump, words = words[1], words[2:]
    library, sets = words[0], words[1:]
    missing = [tool for tool in (objdump, "nm", "ar") if not shutil.which(tool)]
    if missing:
        print("skipped: no " + ", ".join(missing))
        return SKIPPED
    found = []
    code = output_of(objdump, "-d", "-C", "--no-show-raw-insn", library)
    by_object = output_of("nm", "-C", "--defined-only", library).split("\n\n")
    for set_name in sets:
        own = objects(library, set_name)
        if not own:
            found.append(f"{library}: no object for {set_name}")
        for part in by_object:
            if part.strip().split(":")[0] in own:
                found += find_leaks(set_name, part)
        if set_name in SETS:
            found += find_loops(set_name, code) + find_spills(set_name, code)
        if set_name in ARM_SETS:
            found += find_arm_loops(set_name, code)
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
