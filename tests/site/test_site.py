#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The built site has what it must have, and faults that are planted are found. `./dev check docs` runs it.

    test_site.py --program FILE [ARGS OF unittest...]
"""
import argparse
import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import check_site                                          # sets the path to docs/_site
import search

import build
import command_line_page
import cpp_pages
import doxygen_warnings
import links
import stage

ROOT = check_site.ROOT
OUT = ROOT / "build/docs"
SITE = OUT / "html"
PROGRAM = None

#: The search terms of a visitor, and a page that has to be among the first results.
SEARCHES = {
    "RaisedCosineLog": "reference/cpp/basis.html",
    "--resume": "reference/command_line.html",
    "PopulationGLM": "reference/python/synelix.PopulationGLM.html",
    "budget": "reference/command_line.html",
}
FIRST = 10

#: A public header without a fault. Its deduction guide needs no text.
PLANTED_HEADER = """\
/// \\file
/// A header.
namespace synelix {
/// How plants stand.
enum class Order {
  rows,   ///< in rows
  mixed,  ///< anywhere
};
/// A bed of plants.
template <class Plant>
struct Bed {
  using plant_type = Plant;      ///< what grows here
  explicit Bed(Plant plant);     ///< with one plant
  Bed(Bed&&) noexcept;           ///< moves
  [[nodiscard]] int size() const;  ///< number of plants
  int rows = 0;                  ///< 0 or more
  /// Whether all plants are the same.
  friend bool operator==(const Bed&, const Bed&) = default;
};
template <class Plant>
Bed(Plant, int) -> Bed<Plant>;
/// Waters one bed, or several.
/// @{
void water(Bed<int>& bed);
void water(Bed<int>& first, Bed<int>& second);
/// @}
/// The most rows.
inline constexpr int most_rows = 3;
}
"""
#: A text that is removed, its replacement, and the name in the warning.
PLANTED_FAULTS = (
    ("  ///< anywhere", "", "'synelix::Order::mixed' is missing"),
    ("/// A bed of plants.\n", "", "Compound synelix::Bed is not documented"),
    ("///< what grows here", "", "Member plant_type (typedef)"),
    ("///< with one plant", "", "Member Bed(Plant plant) (function)"),
    ("///< moves", "", "Member Bed(Bed &&) noexcept (function)"),
    ("///< number of plants", "", "Member size() const (function)"),
    ("///< 0 or more", "", "Member rows (variable)"),
    ("  /// Whether all plants are the same.\n", "", "Member operator=="),
    ("/// @{\nvoid water(Bed<int>& bed);\n", "/// @{\nvoid water(Bed<int>& bed);\n/// @}\n/// @{\n", "Member water"),
    ("/// The most rows.\n", "", "Member most_rows (variable)"),
)


class TheSite(unittest.TestCase):
    """The site as it was built."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.pages = check_site.read_pages(SITE)

    def test_every_name_of_cpp_has_an_entry(self):
        self.assertEqual(check_site.missing_cpp(SITE, OUT / "xml"), [])

    def test_every_function_of_cpp_has_a_text(self):
        self.assertEqual(check_site.without_text(OUT / "xml"), [])

    def test_every_name_of_python_has_an_entry(self):
        self.assertEqual(check_site.missing_python(SITE), [])

    def test_every_command_and_option_has_an_entry(self):
        self.assertEqual(check_site.missing_options(SITE, PROGRAM, self.pages), [])

    def test_every_page_of_the_sources_is_there_and_is_reached(self):
        self.assertEqual(check_site.missing_pages(SITE, ROOT, self.pages), [])

    def test_links_lead_somewhere(self):
        self.assertEqual(check_site.broken_links(SITE, self.pages), [])

    def test_no_page_shows_a_folder_of_this_machine(self):
        folders = {str(ROOT), os.path.expanduser("~")} - {"/"}
        self.assertEqual(check_site.machine_paths(self.pages, sorted(folders)), [])

    def test_every_script_of_the_gallery_has_a_page_with_a_picture(self):
        scripts = sorted((OUT / "gallery_scripts").glob("*.py"))
        self.assertTrue(scripts, "the gallery is empty")
        for script in scripts:
            targets = self.pages[f"gallery/{script.stem}.html"].targets
            self.assertTrue([t for t in targets if f"sphx_glr_{script.stem}" in t], f"{script.name} makes no picture")

    def test_nothing_comes_from_other_machines(self):
        for name, page in self.pages.items():
            loaded = [t for tag, t in page.loaded if re.match(r"https?:|//", t)]
            self.assertEqual(loaded, [], name)

    @unittest.skipUnless(search.browser(), "this machine has no Chromium")
    def test_search_finds(self):
        with search.Server(SITE) as address:
            for words, page in SEARCHES.items():
                with self.subTest(words):
                    found = search.results(search.browser(), address, words)
                    self.assertIn(page, found[:FIRST], f"found are {found[:FIRST]}")
            self.assertEqual(search.results(search.browser(), address, "zqxjkv"), [])


class TheFrontPage(unittest.TestCase):
    """Its lines run unchanged."""

    def test_lines_run(self):
        text = (ROOT / "docs/index.md").read_text()
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S)
        self.assertEqual([language for language, _ in blocks], ["python", "sh"])
        path = f"{Path(PROGRAM).parent}{os.pathsep}{os.environ['PATH']}"
        for language, lines in blocks:
            words = [sys.executable, "-c", lines] if language == "python" else ["bash", "-euc", lines]
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(words, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True,
                                      text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn({"python": "(20000, 40) (40, 5)", "sh": "/features"}[language], done.stdout)


class PlantedFaults(unittest.TestCase):
    """Each fault in a copy of the site is found, and nothing else."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.site = self.folder / "html"
        shutil.copytree(SITE, self.site, copy_function=os.link)          # files are replaced, never written to

    def replace(self, name, old, new):
        path = self.site / name
        text = path.read_text()
        self.assertIn(old, text)
        path.unlink()
        path.write_text(text.replace(old, new, 1))

    def test_missing_page_of_cpp(self):
        (self.site / "reference/cpp/convolve.html").unlink()
        problems = check_site.missing_cpp(self.site, OUT / "xml")
        self.assertIn("synelix/convolve.hpp: this public header has no page", problems)
        self.assertIn("synelix::ConvolvePlan: its page reference/cpp/convolve.html is missing", problems)
        self.assertTrue([p for p in check_site.broken_links(self.site) if "convolve.html leads to no file" in p])

    def test_missing_page_of_python(self):
        (self.site / "reference/python/synelix.PopulationGLM.html").unlink()
        self.assertIn("synelix.PopulationGLM: its page reference/python/synelix.PopulationGLM.html is missing",
                      check_site.missing_python(self.site))

    def test_missing_page_of_a_guide(self):
        (self.site / "recordings.html").unlink()
        self.assertEqual(check_site.missing_pages(self.site, ROOT), ["docs/recordings.md: the site has no page for it"])

    def test_page_that_nothing_leads_to(self):
        root = self.folder / "root"
        (root / "docs").mkdir(parents=True)
        (root / "docs/lonely.md").write_text("# Lonely\n")
        (self.site / "lonely.html").write_text("<p>Lonely</p>")
        self.assertEqual(check_site.missing_pages(self.site, root), ["docs/lonely.md: no link leads to its page"])

    def test_name_of_python_without_an_entry(self):
        import synelix

        synelix.planted_name = lambda: None
        synelix.__all__.append("planted_name")
        try:
            self.assertEqual(check_site.missing_python(self.site),
                             ["synelix.planted_name: this public name of Python has no entry"])
        finally:
            synelix.__all__.remove("planted_name")
            del synelix.planted_name

    def test_name_of_cpp_without_an_entry(self):
        xml = self.folder / "xml"
        shutil.copytree(OUT / "xml", xml)
        path = xml / "structsynelix_1_1Block.xml"
        path.write_text(path.read_text().replace("<name>rows</name>", "<name>planted_rows</name>", 1))
        self.assertEqual(check_site.missing_cpp(self.site, xml),
                         ["synelix::Block::planted_rows: this public name of C++ has no entry"])

    def test_defaulted_constructor_without_a_text(self):
        xml = self.folder / "xml"
        shutil.copytree(OUT / "xml", xml)
        path = xml / "structsynelix_1_1Strength.xml"
        text = path.read_text()
        self.assertIn("<para>1 for all coefficients </para>", text)
        path.write_text(text.replace("<para>1 for all coefficients </para>", "", 1))
        self.assertEqual(check_site.without_text(xml),
                         ["synelix::Strength::Strength()=default: this function has no text"])

    def test_dead_link(self):
        self.replace("install.html", "</article>",
                     '<a href="nowhere.html">x</a><a href="index.html#no-such">y</a></article>')
        self.assertEqual(check_site.broken_links(self.site), [
            "install.html: the link index.html#no-such names an anchor that index.html does not have",
            "install.html: the link nowhere.html leads to no file of the site"])

    def test_renamed_option(self):
        program = self.folder / "synelix"
        program.write_text(f'#!/bin/sh\nset -e\n"{PROGRAM}" "$@" | sed \'s/"--resume"/"--go-on"/\'\n')
        program.chmod(0o755)
        problems = check_site.missing_options(self.site, program)
        for command in ("convolve", "features", "fit"):
            self.assertIn(f"synelix {command} --go-on: this option has no entry", problems)
            self.assertIn(f"synelix-{command}.--resume: this entry is of no option of the program", problems)

    def test_changed_help(self):
        program = self.folder / "synelix"
        program.write_text(f'#!/bin/sh\nset -e\n"{PROGRAM}" "$@" | sed \'s/Default: 5\\./Default: 6./\'\n')
        program.chmod(0o755)
        self.assertIn("synelix simulate --rate-hz: its help is not on the page",
                      check_site.missing_options(self.site, program))


class Warnings(unittest.TestCase):
    """Warnings of Sphinx and Doxygen end the build."""

    def test_dead_link_of_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder)
            shutil.copytree(OUT / "breathe", out / "breathe")
            (out / "source").mkdir()
            for target, problem in (("nowhere.md", "nowhere.md"), ("#no-such", "no-such"), ("", None)):
                (out / "source/index.md").write_text(f"# Front\n\n[text]({target})\n" if target else "# Front\n")
                said = io.StringIO()
                with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
                    code = build.run_sphinx(ROOT, out)
                self.assertEqual(code != 0, problem is not None, said.getvalue())
                self.assertIn(problem or "", said.getvalue())

    def test_warning_of_doxygen(self):
        line = "include/synelix/a.hpp:1: warning: explicit link request to 'x' could not be resolved"
        shared = ("a.hpp:1: warning: argument 'features' of command @param is not found in the argument list of "
                  "synelix::convolve(const X &x)")
        own = shared.replace("features", "no_such_parameter")
        self.assertEqual(doxygen_warnings.unexpected([line, shared, own, "words"], OUT / "xml"), [line, own])

    def test_public_member_without_a_text(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "include/synelix").mkdir(parents=True)
            (root / "docs").symlink_to(ROOT / "docs")
            shutil.copy(ROOT / "Doxyfile", root)
            header = root / "include/synelix/planted.hpp"
            header.write_text(PLANTED_HEADER)
            build.run_doxygen(root, root / "out")
            for old, new, named in PLANTED_FAULTS:
                self.assertIn(old, PLANTED_HEADER)
                header.write_text(PLANTED_HEADER.replace(old, new, 1))
                with self.subTest(old), self.assertRaises(SystemExit) as ended:
                    build.run_doxygen(root, root / "out")
                said = str(ended.exception).splitlines()
                self.assertEqual(len(said), 2, said)       # "doxygen:" and the fault
                self.assertRegex(said[1], f"planted.hpp:.*{re.escape(named)}")


class Parts(unittest.TestCase):
    """Pieces of docs/_site."""

    def test_links_are_replaced_outside_code_alone(self):
        text = ("[a](x.md) `[b](x.md)` [`c`](y.md#z)\n```sh\n[d](x.md)\n```\n"
                '<img src="p.png"> [e](https://x.y/z.md) [f](#here)')
        wanted = ("[a](N/x.md) `[b](x.md)` [`c`](N/y.md#z)\n```sh\n[d](x.md)\n```\n"
                  '<img src="N/p.png"> [e](https://x.y/z.md) [f](#here)')
        self.assertEqual(links.replace(text, lambda target: f"N/{target}"), wanted)

    def test_first_sentence(self):
        self.assertEqual(stage.lead_of("<!-- x -->\n\n# T\n\n`A` is [b](c.md). More.\n"), "`A` is b.")
        self.assertEqual(stage.lead_of("# T\n\n```sh\nx\n```\n"), "")

    def test_members_that_share_a_text_show_it_once(self):
        of_class = ElementTree.fromstring("<sectiondef>" + "".join(
            f"<memberdef kind='function'><name>{name}</name><argsstring>{arguments}</argsstring>"
            f"<briefdescription>{text and f'<para>{text}</para>'}</briefdescription><detaileddescription/></memberdef>"
            for name, arguments, text in (
                ("begin", "()", "Ends."), ("end", "()", "Ends."), ("~Bed", "()", ""), ("Bed", "(Bed)=delete", ""),
                ("size", "()", ""), ("rows", "()", "Rows."), ("~Held", "()", "Frees it."))) + "</sectiondef>")
        members = of_class.findall("memberdef")
        cpp_pages.move_text_to_last(members)
        self.assertEqual([cpp_pages.text_of(member.find("briefdescription")) for member in members],
                         ["", "Ends.", "", "", "", "Rows.", "Frees it."])
        left_out = [member.findtext("name") for member in members if cpp_pages.is_left_out(member)]
        self.assertEqual(left_out, ["~Bed", "Bed"])

    def test_defaults(self):
        for text, wanted in (("Length. Default: 1e-6.", "1e-6"), ("Side: causal (default) or not.", "causal"),
                             ("The least deviance (min, default), or not.", "min"),
                             ("Style: auto (default: a bar), bar.", "auto"),
                             ("A file.", command_line_page.NOT_SET)):
            option = {"required": False, "flag": False, "help": text}
            self.assertEqual(command_line_page.default_of(option), wanted)
        self.assertEqual(command_line_page.default_of({"required": True, "flag": False, "help": ""}), "required")
        self.assertEqual(command_line_page.default_of({"required": False, "flag": True, "help": ""}), "off")

    def test_a_page_without_a_heading_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "a.md: the page has no heading"):
            stage.title_of("words\n", "a.md")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--program", required=True)
    given, rest = parser.parse_known_args()
    PROGRAM = os.path.abspath(given.program)
    if not search.browser():
        print(f"The search is not tested: this machine has none of {', '.join(search.PROGRAMS)}.", file=sys.stderr)
    unittest.main(argv=[sys.argv[0], *rest])
