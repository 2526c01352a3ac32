# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which files a gate compiles, found by what they include, so that no list of names goes out of date; and which files a
build compiles together, in one unit (cmake/SynelixUnity.cmake)."""

import re

# Headers of kernels: KERNEL_FOLDERS of layering.py, and the launch itself.
KERNELS = re.compile(r"(?:convolve/(?:direct|events|fft|sweep)|(?:design|glm|operators|products)/sweep)/|launch/(?:team|launch)\.hpp")
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.M)


class Includes:
    """The files of the project that a file includes, directly or through headers of the project."""

    def __init__(self, root):
        self.root = root
        self.direct = {}

    def included_by(self, file):
        """Name -> the project's file, or None, for the includes of a file itself."""
        if file not in self.direct:
            places = (file.parent, self.root / "src", self.root / "include", self.root / "tests", self.root / "perf")
            text = file.read_text(encoding="utf-8") if file.is_file() else ""     # a build may not have written it yet
            self.direct[file] = {
                name: next((place / name for place in places if (place / name).is_file()), None)
                for name in INCLUDE.findall(text)}
        return self.direct[file]

    def reached_from(self, file):
        """Names and files of the project that a file includes, itself or through others."""
        names, files, waiting = set(), set(), [file]
        while waiting:
            for name, found in self.included_by(waiting.pop()).items():
                names.add(name)
                if found and found not in files:
                    files.add(found)
                    waiting.append(found)
        return names, files

    def reaches_kokkos(self, file):
        return any(name.startswith("Kokkos_") for name in self.reached_from(file)[0])


def with_kernels(root):
    """Files of src/ that reach a kernel, and Kokkos: the compiler of the host compiles all others in a build for a device
    (cmake/SynelixDevice.cmake), even if they reach such a header."""
    includes = Includes(root)
    return [file for file in sorted((root / "src").rglob("*.cpp"))
            if includes.reaches_kokkos(file) and any(KERNELS.match(name) for name in includes.reached_from(file)[0])]


def with_kokkos(root, *folders):
    """Files of these folders that reach Kokkos: they are compiled as device code in a build for a device."""
    includes = Includes(root)
    return [file for folder in folders for file in sorted((root / folder).rglob("*.cpp"))
            if includes.reaches_kokkos(file)]


def files_of_unit(root, file):
    """The files that a unit of a build compiles together, from its include lines; none if a file is not a unit."""
    if file.parent.name != "units" or not file.is_file():
        return []
    places = (root / "src", root / "tests", root / "perf", root / "python/src")
    found = (next((place / name for place in places if (place / name).is_file()), None)
             for name in INCLUDE.findall(file.read_text(encoding="utf-8")))
    return [name for name in found if name]
