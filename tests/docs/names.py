#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether what pages name exists: commands and options, files, symbols of C++ and Python, keys of designs, variables.

    names.py PROGRAM PAGE...

Looked at are code in lines and blocks of code, but no blocks of `text`, which are outputs.

  commands    "synelix COMMAND --option ...": COMMAND and options are those of its --help
  options     `--option` in a line belongs to some command of synelix, of ./dev or its scripts, or to OTHERS
  links       FILE.md#ANCHOR: the file has such a heading
  files       paths below a folder of the sources; * stands for any letters
  C++         sx::NAME and synelix::NAME are in the public headers; labels such as synelix::verb::step in the sources
  Python      sx.NAME is in the Python package
  designs     keys of blocks of TOML are those of docs/reference/design_toml.md
  variables   SYNELIX_NAME is in the sources beside the pages
"""
import functools
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("cmake", "docs", "examples", "include", "perf", "python", "scripts", "spack", "src", "tests")
#: Examples of a wrong command, and the placeholder for any option.
ON_PURPOSE = {"--colour", "--name"}
#: Options of other programs: Slurm, CMake, ctest, git, pytest, Kokkos, Spack.
OTHERS = set("""--preset --target --prefix --build --install --version --suite --bare --static --test-dir
--output-on-failure --cpus-per-task --mem --dependency --requeue --open-mode --array --time --nodes --ntasks --signal
--constraint --mpi --kokkos-num-threads --kokkos-device-id --kokkos-map-device-id-by --kokkos- --remote""".split())
LANGUAGES = ("sh", "bash", "console", "", "yaml")


def pieces_of(text):
    """[(language, code)] of a page: blocks, and code in lines as language None."""
    pieces, plain = [], []
    parts = re.split(r"^ *```+([\w+-]*)[^\n]*\n(.*?)^ *```+ *$", text, flags=re.M | re.S)
    for i in range(0, len(parts) - 2, 3):
        plain.append(parts[i])
        pieces.append((parts[i + 1], parts[i + 2]))
    plain.append(parts[-1])
    prose = "\n".join(plain)
    pieces += [(None, code) for code in re.findall(r"`([^`\n]+)`", prose)]
    pieces += [("", block) for block in re.findall(r"(?:^ {4}\S.*\n?)+", prose, flags=re.M)]
    return pieces


class Names:
    """The existing names."""

    def __init__(self, program, root=ROOT):
        self.program, self.root = program, root
        headers = [path.read_text() for path in (root / "include").rglob("*.hpp")]
        self.cpp = set(re.findall(r"\b[A-Za-z_]\w*\b", "\n".join(re.sub(r"//.*", "", text) for text in headers)))
        sources = [path.read_text(errors="replace") for folder in ("src", "include")
                   for path in (root / folder).rglob("*.[ch]pp")]
        self.labels = set(re.findall(r"synelix(?:::\w+)+", "\n".join(sources)))
        self.python = set()
        for path in (root / "python" / "src" / "synelix").glob("*.py*"):
            self.python |= set(re.findall(r"\b[A-Za-z]\w*\b", path.read_text()))
        reference = (root / "docs" / "reference" / "design_toml.md").read_text()
        self.keys = set(re.findall(r"^\| `([\w-]+)` \|", reference, flags=re.M))
        self.scripts = "\n".join((root / name).read_text() for name in self.script_files())
        self.variables = self.all_variables()

    def script_files(self):
        names = ["dev", "python/wheel/check_wheel.py", "spack/check_spack.py", "tests/mutation/mutate.py",
                 "tests/gates/gate.py"]
        names += [str(path.relative_to(self.root)) for path in (self.root / "scripts").iterdir() if path.is_file()]
        names += [str(path.relative_to(self.root)) for path in (self.root / "perf" / "compare").glob("*.py")]
        names += [str(path.relative_to(self.root)) for path in (self.root / "examples" / "python").glob("*.py")]
        return names

    def all_variables(self):
        found = set(re.findall(r"SYNELIX_\w+", self.scripts))
        for pattern in ("**/CMakeLists.txt", "cmake/*", "src/**/*.[ch]pp", "include/**/*.[ch]pp", "python/**/*.py",
                        "spack/**/*.py", "tests/**/*.py", "tests/**/*.[ch]pp", "*.json", "python/examples/*.ipynb"):
            for path in self.root.glob(pattern):
                inside = path.relative_to(self.root).parts
                if path.is_file() and inside[0] != "build" and inside[:2] != ("tests", "docs"):
                    found |= set(re.findall(r"SYNELIX_\w+", path.read_text(errors="replace")))
        return found

    @functools.cache
    def help(self, command=""):
        words = [self.program, command, "--help"] if command else [self.program, "--help"]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout

    @functools.cache
    def commands(self):
        return set(re.findall(r"^  (\w+) {3,}", self.help().partition("Subcommands:")[2], flags=re.M))

    @functools.cache
    def options(self, command=""):
        heads = re.findall(r"^ {2}(-[^\n]*?)(?: {2}|$)", self.help(command), flags=re.M)
        return set(re.findall(r"(?<![\w-])(--?\w[\w-]*)", "\n".join(heads)))

    @functools.cache
    def all_options(self):
        ours = set.union(*map(self.options, self.commands()), self.options())
        return ours | set(re.findall(r"--[a-z][\w-]*", self.scripts)) | OTHERS


#: `synelix` as a command, after the words that may precede it in a line.
COMMAND = re.compile(r"\s*(?:\$ )?(?:if |then |do |srun (?:-\S+ )*|timeout (?:-\S+ )*[\d.]+ |\./dev run |[A-Z_]+=\S+ )*"
                     r"synelix(?:\s+(.*))?$")


def commands_in(code):
    """The words after `synelix` of each command line of shell code."""
    code = re.sub(r"\\\n\s*", " ", code)
    for line in code.splitlines():
        line = re.sub(r"(?:^|\s)#.*", "", line)
        for part in re.split(r"&&|\|\||[|;]|\$\(", line):
            found = COMMAND.match(part)
            if found and found.group(1):
                yield re.sub(r"'[^']*'|\"[^\"]*\"", "TEXT", found.group(1)).split()


def wrong_command(words, names):
    """The fault of the words after `synelix`."""
    command = words[0]
    if command.startswith("-") or not re.fullmatch(r"[a-z]+", command):
        command = ""                                       # synelix --help, or a placeholder such as COMMAND
    elif command not in names.commands():
        return [f"synelix has no command {command}"]
    known = names.options(command) if command else set.union(names.options(), *map(names.options, names.commands()))
    wrong = []
    for word in words[1 if command else 0:]:
        option = re.match(r"--?[A-Za-z][\w-]*", word)
        if option and not option.group().startswith("--kokkos-") and option.group() not in known | ON_PURPOSE:
            wrong.append(f"synelix {command} has no option {option.group()}")
    return wrong


def wrong_paths(code, names, folder):
    """Paths start at the root of the sources, or at the folder of the page."""
    wrong = []
    for path in re.findall(r"(?<![\w./~-])((?:%s)/[\w./*-]+)" % "|".join(FOLDERS), code):
        path = path.rstrip(".")
        places = [place for place in (names.root, folder) if any(place.glob(path))]
        if not places:
            wrong.append(f"there is no file {path}")
    return wrong


def wrong_cpp(code, names):
    wrong = []
    for symbol in re.findall(r"(?<![\w:])(?:sx|synelix)((?:::~?\w+)+)", code):
        parts = symbol.split("::")[1:]
        if parts == ["verb", "step"] or "synelix" + symbol in names.labels:
            continue
        missing = [part for part in parts if part not in names.cpp]
        if missing:
            wrong.append(f"the headers have no {symbol[2:]}")
    return wrong


def wrong_python(code, names):
    found = re.findall(r"(?<![\w.])sx\.([A-Za-z]\w*)", code)
    return [f"the Python package has no sx.{name}" for name in found if name not in names.python]


def keys_in(thing, path=()):
    """All keys of a design except names that its author gives."""
    if isinstance(thing, dict):
        for key, value in thing.items():
            is_name = path in (("inputs",), ("bases",))
            if not is_name:
                yield key
            yield from keys_in(value, path + (key,))
    elif isinstance(thing, list):
        for value in thing:
            yield from keys_in(value, path + ("item",))


def wrong_keys(code, names):
    try:
        design = tomllib.loads(code)
    except tomllib.TOMLDecodeError as error:
        return [f"a block of TOML is none: {error}"]
    return [f"a design has no key {key}" for key in keys_in(design) if key not in names.keys]


def anchors_of(text):
    """Anchors of the headings of a page, as hosts of Git make them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S), flags=re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def wrong_anchors(path, text):
    wrong = []
    for target, anchor in re.findall(r"\]\(([^)#\s:]*\.md|)#([^)\s]+)\)", text):
        file = path.parent / target if target else path
        if file.exists() and anchor not in anchors_of(file.read_text()):
            wrong.append(f"{target or 'the page'} has no heading #{anchor}")
    return wrong


def check_page(path, names):
    """The names of a page that do not exist."""
    wrong = wrong_anchors(Path(path), Path(path).read_text())
    for language, code in pieces_of(Path(path).read_text()):
        if language == "text":
            continue
        if language in LANGUAGES or language is None:
            for words in commands_in(code):
                wrong += wrong_command(words, names)
        if language is None and (option := re.fullmatch(r"(--[a-z][\w-]*)(?:[ =].*)?", code)):
            if option.group(1) not in names.all_options() | ON_PURPOSE and not option.group(1).startswith("--kokkos-"):
                wrong.append(f"no command has an option {option.group(1)}")
        if language is None or language in LANGUAGES:
            wrong += wrong_paths(code, names, Path(path).resolve().parent)
        if language in (None, "cpp"):
            wrong += wrong_cpp(code, names)
        if language in (None, "python"):
            wrong += wrong_python(code, names)
        if language == "toml":
            wrong += wrong_keys(code, names)
        wrong += [f"nothing reads {name}" for name in re.findall(r"\bSYNELIX_[A-Z_]*[A-Z]\b", code)
                  if name not in names.variables]
    return [f"{path}: {text}" for text in dict.fromkeys(wrong)]


def main(words):
    if len(words) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    names = Names(words[0])
    wrong = [text for path in words[1:] for text in check_page(path, names)]
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
