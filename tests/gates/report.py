# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of kernels, in Markdown or, for a name that ends in .json, in JSON."""

import dataclasses
import datetime
import json

from kernel import MIX

HEAD = """\
<!-- SPDX-FileCopyrightText: 2026 The Synelix developers -->
<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->

# Kernels as compilers for devices see them

Made by `./dev gate`; how to read it: tests/gates/README.md. Counts are of instructions in the code, not of those that
are run: a loop counts once.
"""
COLUMNS = {
    "cuda": ("kernel", "registers", "spill bytes", "stack bytes", "static shared bytes"),
    "hip": ("kernel", "registers", "vector spills", "stack bytes", "static shared bytes", "waves", "scalar spills"),
}


def row(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def markdown(gates):
    text = HEAD + f"\n{datetime.date.today().isoformat()}. " + ". ".join(gate["context"] for gate in gates) + ".\n"
    for gate in gates:
        for target in dict.fromkeys(kernel.target for kernel in gate["kernels"]):
            columns = COLUMNS[gate["name"]]
            text += f"\n## {gate['name']}: {target}\n\n" + row(columns + MIX) + row(["---"] * (len(columns) + len(MIX)))
            for kernel in gate["kernels"]:
                if kernel.target == target:
                    cells = [f"`{kernel.name}`", kernel.registers, kernel.spills, kernel.stack, kernel.shared]
                    cells += [kernel.occupancy, kernel.scalar_spills] if gate["name"] == "hip" else []
                    text += row(cells + [kernel.mix.get(column, 0) for column in MIX])
        text += "\nSeconds of a processor: " + "; ".join(f"{result.source} {result.target} {result.seconds:.0f}"
                                          for result in gate["results"]) + ".\n"
    return text


def write(file, gates):
    """gates: name, context, kernels and results of each gate that ran."""
    if file.suffix == ".json":
        text = json.dumps({"date": datetime.date.today().isoformat(), "gates": [
            {"name": gate["name"], "context": gate["context"],
             "kernels": [dataclasses.asdict(kernel) for kernel in gate["kernels"]],
             "seconds": {f"{result.source} {result.target}": round(result.seconds, 1) for result in gate["results"]}}
            for gate in gates]}, indent=1) + "\n"
    else:
        text = markdown(gates)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
