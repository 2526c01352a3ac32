#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/reference are what the program says and writes.

    SYNELIX=PROGRAM test_reference.py

A comment before a table says what it is compared with: <!-- keys: array -->, <!-- file: fit -->,
<!-- attributes: fit NAME -->, <!-- types --> and <!-- layouts -->. Cells name things in backticks.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
PROGRAM = os.environ.get("SYNELIX") or os.environ.get("SYNELIX_TOOL", "")


def table_behind(text, comment):
    """Rows of the table after a comment, as lists of cells."""
    lines = text[text.index(comment) + len(comment):].strip().splitlines()
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows[2:]


def names_in(cell):
    return re.findall(r"`([^`]+)`", cell)


def first_names(text, comment):
    return [name for row in table_behind(text, comment) for name in names_in(row[0])]


RECORDING = '[inputs.a]\ndata = "recording.h5:/counts"\n'
SOUND = RECORDING + '[bases.h]\ntype = "history"\nwindow = 5\n[[terms]]\nname = "a"\ninput = "a"\nbasis = "h"\n'
#: Designs with an unknown key, and the command whose message lists the others.
PROBES = {
    "document": ('nobody = 1\n[[terms]]\nname = "a"\n', "features"),
    "array": (RECORDING + "nobody = 1\n", "features"),
    "spikes": ('[inputs.a]\nunits = "a.nwb"\nnobody = 1\n', "features"),
    "conv": ('[bases.a]\ntype = "raised-cosine-log"\nnobody = 1\n', "features"),
    "eval": ('[bases.a]\ntype = "raised-cosine-log"\nmode = "eval"\nnobody = 1\n', "features"),
    "bank": ('[bases.a]\ntype = "bank"\nnobody = 1\n', "features"),
    "identity": ('[bases.a]\ntype = "identity"\nnobody = 1\n', "features"),
    "fourier": ('[bases.a]\ntype = "fourier"\nnobody = 1\n', "features"),
    "zero": ('[bases.a]\ntype = "zero"\nnobody = 1\n', "features"),
    "term": ('[[terms]]\nname = "a"\nnobody = 1\n', "features"),
    "factor": ('[[terms]]\nname = "a"\nproduct = [{nobody = 1}]\n', "features"),
    "options": (SOUND + "[options]\nnobody = 1\n", "fit"),
    "all options": (SOUND + "[options]\nnobody = 1\n", "features"),
    "fit": (SOUND + "[fit]\nnobody = 1\n", "fit"),
}
COMMANDS = {"features": ["features", "probe.toml", "--dry-run"],
            "fit": ["fit", "probe.toml", "model.h5", "--target", "recording.h5:/counts"]}


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not PROGRAM:
            raise unittest.SkipTest("SYNELIX does not name the program")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.tool("simulate", "recording.h5:/counts", "--samples", "2000", "--channels", "3", "--seed", "1")

    @classmethod
    def tool(cls, *words, code=0):
        done = subprocess.run([PROGRAM, *words], cwd=cls.folder, capture_output=True, text=True,
                              env={**os.environ, "OMP_PROC_BIND": "false"})
        if code is not None and done.returncode != code:
            raise AssertionError(f"{words} ends with {done.returncode}: {done.stderr}")
        return done.stdout + done.stderr


class Keys(Case):
    """The keys of the design file are those that the parser lists."""
    text = (REFERENCE / "design_toml.md").read_text()

    def known(self, kind):
        design, command = PROBES[kind]
        (self.folder / "probe.toml").write_text(design)
        message = self.tool(*COMMANDS[command], code=1)
        listed = re.search(r"Valid are: ([\w, -]+)\.", message)
        self.assertTrue(listed, message)
        return listed.group(1).split(", ")

    def missing(self, text, kind):
        """Keys of the parser that the page lacks, and keys of the page that the parser lacks."""
        known = set(self.known(kind))
        names = set(first_names(text, f"<!-- keys: {kind} -->"))
        return known - names, names - known

    def test_each_table(self):
        for kind in set(PROBES) - {"all options"}:
            with self.subTest(kind):
                self.assertEqual(self.missing(self.text, kind), (set(), set()))

    def test_options_of_features(self):
        alone = set(self.known("all options")) - set(self.known("options"))
        self.assertEqual(alone, set(first_names(self.text, "<!-- keys: options of features -->")))

    def test_a_key_that_the_page_lacks_is_seen(self):
        planted = self.text.replace("| `rate-hz` |", "| `rate` |")
        self.assertEqual(self.missing(planted, "array"), ({"rate-hz"}, {"rate"}))


def layout_of(path, name):
    """{dataset: (rank, type)} and {object: {attribute: type}} of a file; `name` becomes NAME, terms TERM."""
    import h5py

    def kind_of(dtype):
        if h5py.check_string_dtype(dtype) or dtype.kind == "S":
            return "text"
        return "records" if dtype.fields else dtype.name

    def attribute_kind(value):
        return "text" if isinstance(value, (str, bytes)) else getattr(value, "dtype", type(value)).name

    datasets, attributes = {}, {}
    with h5py.File(path) as file:
        def visit(at, thing):
            at = re.sub(rf"^{name}(?=$|_)", "NAME", at)
            at = re.sub(r"^filters/.*", "filters/TERM", at)
            if isinstance(thing, h5py.Dataset):
                datasets[at] = (thing.ndim, kind_of(thing.dtype))
            attributes[at] = {key: attribute_kind(value) for key, value in thing.attrs.items()}
        file.visititems(visit)
        attributes["/"] = {key: attribute_kind(value) for key, value in file.attrs.items()}
    return datasets, attributes


class Files(Case):
    """The datasets and attributes of a file of each command are those of the page."""
    text = (REFERENCE / "output_files.md").read_text()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            import h5py  # noqa: F401
        except ImportError:
            raise unittest.SkipTest("this Python has no h5py") from None
        fitted = '[fit]\npenalty = "ridge:1e-3"\n[fit.target]\ndata = "recording.h5:/counts"\n'
        (cls.folder / "design.toml").write_text(SOUND + fitted)
        fit = ["fit", "design.toml"]
        cls.tool("convolve", "recording.h5:/counts", "convolve.h5:/x", "--basis", "raised-cosine-log", "--bases", "4",
                 "--window", "20")
        for part in ("0/2", "1/2"):
            cls.tool("convolve", "recording.h5:/counts", "join.h5:/x", "--basis", "raised-cosine-log", "--bases", "4",
                     "--window", "20", "--filter", "deflate:1", "--part", part)
        shutil.copy(cls.folder / "join.h5.part-0-of-2", cls.folder / "part.h5")
        cls.tool("join", "join.h5")
        cls.copied("unrated", {})
        cls.copied("unbinned", {"rate_hz": 1000.0})
        cls.tool("features", "design.toml", "features.h5:/x")
        cls.tool(*fit, "fit.h5", "--errors")
        cls.tool(*fit, "path.h5", "--penalty", "lasso", "--path", "4", "--folds", "2", "--choose", "1se")
        cls.tool("predict", "fit.h5", "design.toml", "predict.h5:/x")
        subprocess.run([sys.executable, "-B", ROOT / "examples" / "fit" / "make_session.py"], cwd=cls.folder,
                       check=True, stdout=subprocess.DEVNULL)
        cls.tool("counts", "session.nwb", "counts.h5:/x", "--bin", "10ms")
        cls.tool("simulate", "simulate.h5:/x", "--samples", "100", "--channels", "2")
        cls.tool("basis", "--basis", "history", "--window", "4", "-o", "basis.h5:/x")

    @classmethod
    def copied(cls, name, attributes):
        """Convolves a copy of the recording that has these attributes alone."""
        import h5py
        with h5py.File(cls.folder / "recording.h5") as file, h5py.File(cls.folder / f"of_{name}.h5", "w") as copy:
            copy["counts"] = file["counts"][:]
            copy["counts"].attrs.update(attributes)
        cls.tool("convolve", f"of_{name}.h5:/counts", f"{name}.h5:/x", "--basis", "history", "--window", "5")

    def documented(self, text, comment):
        """{name: the row} of a table."""
        return {name: row for row in table_behind(text, comment) for name in names_in(row[0])}

    def wrong_datasets(self, text, command, extra=()):
        """The difference between the table of a command and its file."""
        found, _ = layout_of(self.folder / f"{command}.h5", "x")
        rows = self.documented(text, f"<!-- file: {command} -->")
        wrong = [f"{command} writes {name}, which the page lacks" for name in set(found) - set(rows) - set(extra)]
        for name, row in rows.items():
            if name not in found:
                wrong += [] if "if there are any" in row[2] else [f"{command} writes no {name}"]
                continue
            rank, kind = found[name]
            if len(row[1].split(",")) != rank:
                wrong.append(f"{name} has {rank} extents, not {row[1]}")
            if not row[2].startswith(kind):
                wrong.append(f"{name} is {kind}, not {row[2]}")
        return wrong

    def test_datasets(self):
        fit = set(self.documented(self.text, "<!-- file: fit -->"))
        for command in ("convolve", "features", "fit", "predict", "counts", "simulate", "basis"):
            with self.subTest(command):
                self.assertEqual(self.wrong_datasets(self.text, command), [])
        self.assertEqual(self.wrong_datasets(self.text, "path", fit), [])

    def wrong_attributes(self, text, command, thing):
        _, attributes = layout_of(self.folder / f"{command}.h5", "x")
        found = attributes[thing]
        wrong, named = [], {}
        for row in table_behind(text, f"<!-- attributes: {command} {thing} -->"):
            names, kinds = names_in(row[0]), [kind.strip() for kind in row[1].split(",")]
            named.update(zip(names, kinds if len(kinds) == len(names) else kinds * len(names)))
        wrong += [f"{thing} has the attribute {name}, which the page lacks" for name in set(found) - set(named)]
        wrong += [f"{thing} has no attribute {name}" for name in set(named) - set(found)]
        wrong += [f"{name} is {found[name]}, not {kind}" for name, kind in named.items()
                  if found.get(name, kind) != kind]
        return wrong

    def test_attributes(self):
        for command, thing in re.findall(r"<!-- attributes: (\S+) (\S+) -->", self.text):
            if command == "part":                          # beside those of the output
                continue
            with self.subTest(command=command, thing=thing):
                self.assertEqual(self.wrong_attributes(self.text, command, thing), [])

    def test_all_attributes_are_on_the_page(self):
        tables = set(re.findall(r"<!-- attributes: (\S+) (\S+) -->", self.text))
        of_times = layout_of(self.folder / "convolve.h5", "x")[1]
        for command in ("convolve", "features", "fit", "predict", "counts", "simulate", "basis"):
            _, attributes = layout_of(self.folder / f"{command}.h5", "x")
            for thing, found in attributes.items():
                shared = thing in ("time", "time_center")
                known = ("convolve" if shared else command, thing)
                self.assertTrue(not found or known in tables, f"{command} writes attributes of {thing}: {found}")
                if shared:
                    self.assertEqual(found, of_times[thing], command)

    def test_parts_and_join(self):
        joined, part = (layout_of(self.folder / name, "x") for name in ("join.h5", "part.h5"))
        self.assertEqual(joined, layout_of(self.folder / "convolve.h5", "x"))
        self.assertEqual(part[0], joined[0])
        more = {name: row[1] for name, row in self.documented(self.text, "<!-- attributes: part NAME -->").items()}
        self.assertEqual(part[1]["NAME"], {**joined[1]["NAME"], **more})

    def test_without_a_rate(self):
        datasets, attributes = layout_of(self.folder / "unrated.h5", "x")
        self.assertEqual(datasets["time"], (1, "int64"))
        self.assertNotIn("time_center", datasets)
        self.assertEqual(attributes["time"], {"unit": "text"})
        self.assertNotIn("rate_hz", attributes["NAME"])

    def test_rows_that_are_no_bins(self):
        datasets, attributes = layout_of(self.folder / "unbinned.h5", "x")
        self.assertEqual(datasets["time"], (1, "float64"))
        self.assertNotIn("time_center", datasets)
        self.assertEqual(attributes["time"], {"unit": "text", "position": "text"})

    def test_planted_faults_are_seen(self):
        planted = self.text.replace("| `intercepts` | targets |", "| `intercept` | targets, classes |", 1)
        self.assertEqual(sorted(self.wrong_datasets(planted, "fit")),
                         ["fit writes intercepts, which the page lacks", "fit writes no intercept"])
        planted = self.text.replace("| `coefficients` | columns, targets | float64 |",
                                    "| `coefficients` | targets | float32 |")
        self.assertEqual(len(self.wrong_datasets(planted, "fit")), 2)
        planted = self.text.replace("| `seed` | int64 |", "| `seeds` | int64 |")
        self.assertEqual(len(self.wrong_attributes(planted, "simulate", "NAME")), 2)


class Types(Case):
    """Types and layouts are read as documented on the page."""
    text = (REFERENCE / "hdf5_and_nwb.md").read_text()

    def read_as(self, dataset):
        words = ["plan", f"types.h5:/{dataset}", "--basis", "history", "--window", "5"]
        found = re.search(r"^input .* x \d+ (\w+)", self.tool(*words, code=None), re.M)
        return found.group(1) if found else "refused"

    def test_types_and_layouts(self):
        try:
            import h5py
            import numpy as np
        except ImportError:
            self.skipTest("this Python has no h5py")
        rows = table_behind(self.text, "<!-- types -->")
        names = [(name.strip(), row[1]) for row in rows for name in row[0].split(",")]
        layouts = {"one": ((100,), {}), "seven": ((100, 2, 1, 1, 1, 1, 1), {}),
                   "chunked": ((100, 2), {"chunks": (10, 2)}),
                   "filters": ((100, 2), {"compression": "gzip", "shuffle": True, "fletcher32": True}),
                   "lzf": ((100, 2), {"compression": "lzf"})}
        with h5py.File(self.folder / "types.h5", "w") as file:
            for name, _ in names:
                file[name] = np.ones((100, 2), "bool" if name == "boolean" else name)
                if name not in ("boolean", "int8", "uint8", "complex64"):
                    file["big_" + name] = np.ones((100, 2), np.dtype(name).newbyteorder(">"))
            for name, (shape, options) in layouts.items():
                file.create_dataset(name, data=np.ones(shape, "f4"), **options)
        for name, expected in names:
            with self.subTest(name):
                for dataset in (name, "big_" + name):
                    if dataset == name or name not in ("boolean", "int8", "uint8", "complex64"):
                        self.assertEqual(self.read_as(dataset), name if expected == "the same" else expected)
        self.assertEqual({name: self.read_as(name) for name in layouts},
                         {"one": "float32", "seven": "float32", "chunked": "float32", "filters": "float32",
                          "lzf": "refused"})


#: Options of CMake, which look like variables of the environment.
NO_VARIABLE = re.compile(r"SYNELIX_(INSTRUCTION_SETS|MODULE_OPTIONS|ENABLE_\w+|TEST_OTHER_BUILDS|INSTALLED)")


class Variables(unittest.TestCase):
    """Each variable that sources and scripts read is on the page, and each of ours on the page is read."""
    text = (REFERENCE / "environment_variables.md").read_text()

    def variables(self):
        """{variable: the file that reads it}."""
        found = {}
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "src", "python", "dev", "scripts", "spack"],
                                capture_output=True, text=True)
        files = listed.stdout.split() if listed.returncode == 0 else []
        for name in files:
            if "/tests/" in name or name.endswith((".md", ".txt", ".toml", ".cmake", ".yaml", ".in")):
                continue
            text = (ROOT / name).read_text(errors="replace")
            if name.endswith((".cpp", ".hpp", ".py", ".ipynb")):
                kinds = "SYNELIX|OMP|KOKKOS|SLURM|SGE|PBS|LSB|OMPI|PMI|MV2|PALS|HDF5|XDG"
                pattern = rf"""["'\\]((?:{kinds})_[A-Z0-9_]+|NO_COLOR|TERM|MPI_LOCALRANKID)\\?["']"""
            else:
                pattern = r"\b(SYNELIX_[A-Z_]+)(?=[}\s:=\"\]-])"
            for variable in re.findall(pattern, text):
                found.setdefault(variable, name)
        return {name: file for name, file in found.items() if not NO_VARIABLE.fullmatch(name)}

    def lacking(self, text):
        return {name for name in self.variables() if f"`{name}`" not in text}

    def test_all_are_on_the_page(self):
        if not shutil.which("git") or not self.variables():
            self.skipTest("this is no checkout of git")
        self.assertEqual(self.lacking(self.text), set())
        ours = set(re.findall(r"`(SYNELIX_[A-Z_]+)`", self.text))
        self.assertEqual(ours - set(self.variables()), set())

    def test_one_that_the_page_lacks_is_seen(self):
        if not shutil.which("git") or not self.variables():
            self.skipTest("this is no checkout of git")
        planted = self.text.replace("`SYNELIX_GRACE_SECONDS`", "`SYNELIX_GRACE`")
        self.assertEqual(self.lacking(planted), {"SYNELIX_GRACE_SECONDS"})


if __name__ == "__main__":
    unittest.main()
