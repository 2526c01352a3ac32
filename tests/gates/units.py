# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which files a gate compiles together. Kokkos takes 4 s of a processor to read, which is most of what a small file takes,
so the light files of a wing, a folder of src/, share one unit, as in a build (cmake/SynelixUnity.cmake): their own names
are unique there (tests/layering/unit_names.py). A heavy file stays alone, so that no core waits for one large unit."""

import dataclasses
import hashlib
import pathlib

HEAVY = 8 * 1024     # bytes of headers of loops for devices that a file includes itself
DEVICE = "device_"   # such a header's name begins so


@dataclasses.dataclass(frozen=True)
class Unit:
    """Files that are compiled together, in their order."""

    root: pathlib.Path
    files: tuple
    weight: int = 0     # grows with the compile time

    @property
    def name(self):
        first, *others = (str(file.relative_to(self.root)) for file in self.files)
        return ", ".join([first, *(name.split("/", 2)[-1] for name in others)])

    @property
    def file_name(self):
        """A name for a file about it, with no folder and no ending, which no other unit has."""
        name = str(self.files[0].relative_to(self.root)).replace("/", "-")
        if len(self.files) == 1:
            return name
        return f"{name}-and-{len(self.files) - 1}-{hashlib.sha256(self.name.encode()).hexdigest()[:8]}"

    def source(self, folder):
        """The input of the compiler: the file, or one in `folder` that includes all."""
        if len(self.files) == 1:
            return self.files[0]
        file = folder / "unit.cpp"
        lines = (f'#include "{name.relative_to(self.root / "src")}"\n' for name in self.files)
        file.write_text("".join(lines), encoding="utf-8")
        return file


def weight(includes, file):
    """Bytes of the loops for devices that a file includes itself: these take far longer than indirect includes, because
    the file launches them."""
    return sum(found.stat().st_size for name, found in includes.included_by(file).items()
               if found and pathlib.PurePath(name).name.startswith(DEVICE))


def of_files(includes, files):
    """Every file in one unit, the heaviest units first."""
    units, light = [], {}
    for file in files:
        heft = weight(includes, file)
        if heft >= HEAVY:
            units.append(Unit(includes.root, (file,), heft))
        else:
            light.setdefault(file.relative_to(includes.root / "src").parts[0], []).append(file)
    units.sort(key=lambda unit: -unit.weight)
    shared = [Unit(includes.root, tuple(files)) for files in light.values()]
    return units + sorted(shared, key=lambda unit: -len(unit.files))
