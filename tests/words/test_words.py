#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What words.py counts and skips, and which faults it reports."""
import contextlib
import io
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

import words

HELP = """Convolves recordings.
Usage: synelix [OPTIONS] [SUBCOMMAND]

Options:
  -h,--help                   Print this help message and exit

Subcommands:
  convolve                    convolve a recording
  info                        describe a file

Example:
  synelix simulate rec.h5:/counts --samples 60000
  synelix convolve rec.h5:/counts \\
      --bases 8
The first line of
one sentence. A second sentence.
"""
CONVOLVE = """convolve a recording
Usage: synelix convolve [OPTIONS] IN

Positionals:
  IN FILE:/dataset REQUIRED   the recording


Output:
  -O,--overwrite Excludes: --append
                              replace an existing output file
  --append                    add the dataset. The file is
                              copied first
"""


def text_of(count):
    return " ".join(["word"] * count) + "."


def measured(text):
    return [(sentence.line, sentence.text, sentence.words)
            for paragraph in words.markdown_paragraphs(text) for sentence in words.sentences_of(paragraph)]


def counts(text):
    return [sentence[2] for sentence in measured(text)]


class Markdown(unittest.TestCase):
    def test_sentences_have_their_line_text_and_words(self):
        self.assertEqual(measured("# Title\n\nOne two\nthree. Four (five.) Six\nseven!\n"),
                         [(3, "One two three.", 3), (4, "Four (five.)", 2), (4, "Six seven!", 2)])

    def test_numbers_names_and_abbreviations_end_no_sentence(self):
        self.assertEqual(counts("Version 1.14.5 of conv.hpp, e.g. this one. Next."), [7, 1])

    def test_semicolons_and_colons_end_no_sentence(self):
        self.assertEqual(counts("One two; three: four."), [4])

    def test_list_items_are_sentences_of_their_own(self):
        self.assertEqual(counts("Three are listed:\n* one\n  goes on\n* two\n\n1. three\n2. four\n"), [3, 3, 1, 1, 1])

    def test_a_list_item_may_have_paragraphs_and_code(self):
        self.assertEqual(counts("- one two\n\n  three\n\n      code here\n\n- four\n"), [2, 1, 1])
        self.assertEqual(counts("10. one two\n\n    three\n\n        code here\n"), [2, 1])

    def test_code_tables_headings_and_comments_do_not_count(self):
        self.assertEqual(measured("<!-- one\ntwo -->\n## Three\n| four | five |\n```cpp\nsix seven\n```\n\n    eight nine\n"
                                  "    ten\n\neleven\n"), [(12, "eleven", 1)])

    def test_code_in_a_line_is_a_word(self):
        self.assertEqual(measured("Run `a b. c\nd` now. Done."), [(1, "Run `a b. c d` now.", 3), (2, "Done.", 1)])

    def test_addresses_of_links_do_not_count(self):
        self.assertEqual(measured("See [the\npage](https://a.b/c \"some title\"). ![Two words](d.svg)\n"),
                         [(1, "See the page.", 3), (2, "Two words", 2)])

    def test_a_bold_heading_in_the_line_does_not_count(self):
        self.assertEqual(measured("**Which one.** This **bold** one.\n\n* **Or\n  that.** Yes.\n"),
                         [(1, "This bold one.", 3), (4, "Yes.", 1)])

    def test_signs_are_no_words(self):
        self.assertEqual(counts("a + b = 8 × 64"), [4])


class Help(unittest.TestCase):
    def texts(self, text):
        return [(paragraph.line, " ".join(paragraph.text.split())) for paragraph in words.help_paragraphs(text)]

    def test_descriptions_and_prose_count(self):
        self.assertEqual(self.texts(HELP), [
            (1, "Convolves recordings."), (5, "Print this help message and exit"), (8, "convolve a recording"),
            (9, "describe a file"), (15, "The first line of one sentence. A second sentence.")])

    def test_long_names_and_descriptions(self):
        self.assertEqual(self.texts(CONVOLVE), [
            (1, "convolve a recording"), (5, "the recording"), (10, "replace an existing output file"),
            (11, "add the dataset. The file is copied first")])


class Project(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        subprocess.run(["git", "init", "-q", folder.name], check=True)

    def write(self, name, text):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def program(self, help_of_convolve=CONVOLVE, code=0):
        self.write("help", HELP)
        self.write("convolve", help_of_convolve)
        self.write("info", "describe a file\n")
        file = self.write("build/openmp/bin/synelix", f"""#!/bin/sh
cd "{self.root}"
case $1 in --help) cat help ;; *) cat "$1" ;; esac
exit {code}
""")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)

    def run_check(self, *arguments):
        with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(io.StringIO()) as errors:
            code = words.main(["--root", str(self.root), *arguments])
        return code, output.getvalue(), errors.getvalue()

    def test_what_is_at_the_limits_passes(self):
        self.write("a.md", text_of(40) + " One.\n\n" + text_of(18) + "\n")
        self.write("b.md", "\n".join([text_of(19)] * 6 + [text_of(6)]))
        self.assertEqual(self.run_check()[::2], (0, ""))

    def test_a_long_sentence_fails_with_file_line_and_length(self):
        self.write("docs/a.md", f"One.\n\nTwo. Three\n{text_of(40)} Four.\n\n* five\n* six\n")
        code, _, errors = self.run_check()
        self.assertEqual(code, 1)
        self.assertRegex(errors, r"^docs/a\.md:3: this sentence has 41 words\. .* Three word word")

    def test_a_high_mean_fails_with_the_longest_sentences(self):
        self.write("a.md", f"# A\n\n{text_of(19)}\n\n{text_of(21)}\n")
        code, _, errors = self.run_check()
        self.assertEqual(code, 1)
        self.assertRegex(errors, r"^a\.md: its sentences have 20\.0 words on average\.")
        self.assertIn("a.md:5: 21 words: word", errors)

    def test_a_long_paragraph_fails(self):
        self.write("a.md", "One.\n\n" + "\n".join([text_of(11)] * 11))
        code, _, errors = self.run_check()
        self.assertEqual(code, 1)
        self.assertRegex(errors, r"^a\.md:3: this paragraph has 121 words\.")

    def test_a_long_readme_fails_with_its_code(self):
        self.write("README.md", "\n\n".join([text_of(19)] * 40) + "\n\n```sh\n" + "word " * 139 + "\n```\n")
        self.assertEqual(self.run_check()[::2], (0, ""))
        self.write("README.md", "\n\n".join([text_of(19)] * 40) + "\n\n```sh\n" + "word " * 140 + "\n```\n")
        code, _, errors = self.run_check()
        self.assertEqual((code, errors), (1, "README.md: it has 901 words. At most 900 are allowed: move some to a page under docs/\n"))

    def test_kept_results_and_ignored_files_are_left_out(self):
        for name in ("perf/results/a.md", "build/b.md"):
            self.write(name, text_of(90))
        self.write(".gitignore", "/build/\n")
        self.write("c.md", "One.")
        code, output, errors = self.run_check()
        self.assertEqual((code, errors), (0, ""))
        self.assertIn(" c.md", output)

    def test_without_a_program_the_reason_is_said(self):
        self.write("a.md", "One.")
        code, output, _ = self.run_check()
        self.assertEqual(code, 0)
        self.assertIn("help texts: skipped, since the program is not built", output)

    def test_help_of_each_command_is_measured(self):
        self.program()
        code, output, errors = self.run_check()
        self.assertEqual((code, errors), (0, ""))
        for name in ("synelix --help", "synelix convolve --help", "synelix info --help"):
            self.assertIn(f" {name}\n", output)
        self.program(CONVOLVE.replace("the recording", text_of(41)))
        code, _, errors = self.run_check()
        self.assertEqual(code, 1)
        self.assertIn("synelix convolve --help:5: this sentence has 41 words", errors)

    def test_a_program_that_fails_is_no_reason_to_skip(self):
        self.program(code=3)
        with self.assertRaisesRegex(SystemExit, "--help ends with 3"):
            self.run_check()


if __name__ == "__main__":
    unittest.main()
