# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The limits of each kernel: the table in ceilings.json, and the kernels of a build above it."""

import fnmatch
import json
import pathlib

TABLE = pathlib.Path(__file__).with_name("ceilings.json")
FIELDS = ("registers", "spills", "stack")


class Ceilings:
    """The rows of the table. The first whose pattern fits a kernel is its row; "hot" ones never spill."""

    def __init__(self, text):
        table = json.loads(text)
        self.rows = table["kernels"]
        for row in self.rows:
            for target, limits in row["most"].items():
                if row.get("hot") and limits[1] != 0:
                    raise ValueError(f"ceilings.json: {row['kernel']} is hot and may spill on {target}; hot kernels may not")

    def row(self, kernel):
        return next((row for row in self.rows if fnmatch.fnmatchcase(kernel.name, row["kernel"])
                     and kernel.target in row["most"]), None)

    def findings(self, kernels, complete):
        """The kernels above their ceiling or without one; with a `complete` list, also rows without a kernel."""
        found, used = [], set()
        for kernel in kernels:
            if kernel.unknown_calls:
                found.append(f"{kernel.name} on {kernel.target}: calls what its compiler cannot follow: a virtual function, a"
                             " function of the host, or itself")
            row = self.row(kernel)
            if row is None:
                found.append(f"no ceiling for {kernel.name} on {kernel.target}: it needs {kernel.registers} registers, "
                             f"{kernel.spills} spills, {kernel.stack} bytes of stack; add a row to tests/gates/ceilings.json")
                continue
            used.add((row["kernel"], kernel.target))
            for field, most in zip(FIELDS, row["most"][kernel.target]):
                value = getattr(kernel, field)
                if value > most:
                    found.append(f"{kernel.name} on {kernel.target}: {field} {value}, at most {most} allowed"
                                 + (" (a hot kernel)" if row.get("hot") else ""))
        if complete:
            targets = {kernel.target for kernel in kernels}
            found += [f"ceilings.json: no kernel is {row['kernel']} on {target}; remove the row" for row in self.rows
                      for target in row["most"] if target in targets and (row["kernel"], target) not in used]
        return found


def table():
    return Ceilings(TABLE.read_text(encoding="utf-8"))
