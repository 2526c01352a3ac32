#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the language of the Markdown files and of the program's help texts.

    words.py [--program FILE] [--root FOLDER] [FILE.md...]

Without files it measures all Markdown that git knows, except perf/results. It fails where

  * the sentences of a file have 20 words or more on average,
  * a sentence has more than 40 words,
  * a paragraph has more than 120 words,
  * the README has more than 900 words, with those of its code: it shows the way in, and docs/ has the rest.

Sentences end at a period, an exclamation mark or a question mark; a semicolon or colon ends none. A list item is a
paragraph. Code in a line is one word. Headings, tables, blocks of code and the addresses of links do not count.
The program is build/{openmp,machine,serial}/bin/synelix, the first that exists. Without one, help texts are skipped.
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

MEAN = 20                                                  # exclusive
SENTENCE = 40                                              # inclusive
PARAGRAPH = 120                                            # inclusive
README, README_WORDS = "README.md", 900                    # inclusive
EXCLUDED = "perf/results/"                                 # kept as they were measured
PROGRAMS = ("build/openmp/bin/synelix", "build/machine/bin/synelix", "build/serial/bin/synelix")
SPACE_IN_CODE = "\N{OPEN BOX}"                             # makes one word of code

ITEM = re.compile(r"(\s*)(?:[-*+]|\d+[.)])\s+")
END = re.compile(r"""[.!?]["')\]*_]*(?=\s|$)""")
ABBREVIATIONS = ("e.g.", "i.e.", "cf.", "vs.")


class Paragraph(NamedTuple):
    line: int                                              # of its first word
    text: str                                              # with the line breaks of the file


class Sentence(NamedTuple):
    line: int
    text: str
    words: int


def count_words(text):
    return sum(any(map(str.isalnum, word)) for word in text.split())


# ---- Markdown

class MarkdownReader:
    """Collects the paragraphs of a Markdown text, line by line."""

    def __init__(self):
        self.paragraphs = []
        self.first, self.lines = 0, []
        self.fence = None
        self.indent = 0                                    # of the text of the list item that we are in
        self.after_blank = True

    def end_paragraph(self):
        if self.lines:
            self.paragraphs.append(Paragraph(self.first, "\n".join(self.lines)))
        self.lines = []

    def add(self, number, text):
        if not self.lines:
            self.first = number
        self.lines.append(text)

    def read_line(self, number, line):
        text = line.strip()
        is_code = self.after_blank and not self.lines and \
            len(line) - len(line.lstrip()) >= self.indent + 4 and not ITEM.match(line)
        self.after_blank = not text or (is_code and self.after_blank)
        if self.fence:
            if text.startswith(self.fence):
                self.fence = None
            return
        if fence := re.match(r"(```+|~~~+)", text):
            self.end_paragraph()
            self.fence = fence[1]
        elif not text or is_code or text.startswith(("#", "|", "<")) or re.match(r"\[[^\]]+\]:\s", text):
            self.end_paragraph()
        elif item := ITEM.match(line):
            self.end_paragraph()
            self.indent = len(item[0])
            self.add(number, line[len(item[0]):])
        else:
            if not self.lines and not line.startswith(" "):
                self.indent = 0
            self.add(number, re.sub(r"^(> ?)+", "", text))


def without_markup(text):
    """Text as a reader sees it, with its line breaks; code has no spaces."""
    def code(match):
        return re.sub(r"[^\S\n]", SPACE_IN_CODE, match[0])
    text = re.sub(r"(`+)(.+?)\1", lambda match: code(match).replace("\n", SPACE_IN_CODE) + "\n" * match[0].count("\n"),
                  text, flags=re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", lambda match: match[1] + "\n" * (match[0].count("\n") - match[1].count("\n")),
                  text)
    text = re.sub(r"</?[A-Za-z][^>]*>", "", text)
    heading = re.match(r"\*\*[^*]+\.\*\*\s", text)         # a heading in the same line
    if heading:
        text = "\n" * heading[0].count("\n") + text[heading.end():]
    return text.replace("**", "")


def markdown_paragraphs(text):
    comment = re.compile(r"<!--.*?-->", re.DOTALL)
    text = comment.sub(lambda match: "\n" * match[0].count("\n"), text)
    reader = MarkdownReader()
    for number, line in enumerate(text.splitlines(), 1):
        reader.read_line(number, line)
    reader.end_paragraph()
    return [Paragraph(line, without_markup(text)) for line, text in reader.paragraphs]


# ---- help texts

def help_paragraphs(text):
    """Descriptions of a help text of CLI11, one for each option, and the sentences around them."""
    found, in_example = [], False
    for number, line in enumerate(text.splitlines(), 1):
        indent = len(line) - len(line.lstrip())
        body = line.strip()
        if not body or body.startswith("Usage:"):
            in_example, continued = False, False
        elif body == "Example:":
            in_example = True
        elif indent == 0 and body.endswith(":") and " " not in body:
            in_example, continued = False, False           # the name of a group
        elif indent == 0:                                  # prose, which may go on for lines
            if found and found[-1][2] == "prose" and continued:
                found[-1][1] += "\n" + body
            else:
                found.append([number, body, "prose"])
            in_example, continued = False, True
        elif in_example:
            pass
        elif indent < 10:                                  # NAME TYPE   description
            parts = re.split(r"\s{2,}", body, maxsplit=1)
            found.append([number, parts[1] if len(parts) == 2 else "", "option"])
            continued = False
        elif found and found[-1][1]:                       # goes on
            found[-1][1] += "\n" + body
        elif found:                                        # begins below a long name
            found[-1][:2] = number, body
    return [Paragraph(number, body) for number, body, _ in found if body]


def help_texts(program):
    """[(name, text)] of the help of a program and of each of its commands."""
    def text_of(*words):
        done = subprocess.run([program, *words, "--help"], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"words: {' '.join([str(program), *words])} --help ends with {done.returncode}:\n{done.stderr}")
        return " ".join(["synelix", *words, "--help"]), done.stdout
    first = text_of()
    listed = re.search(r"^(?:Subcommands|SUBCOMMANDS):\n((?:  .*\n)+)", first[1], re.MULTILINE)
    names = re.findall(r"^  (\S+)", listed[1], re.MULTILINE) if listed else []
    return [first, *map(text_of, names)]


# ---- what is measured

def sentences_of(paragraph):
    found, start = [], 0
    ends = [match.end() for match in END.finditer(paragraph.text)
            if not paragraph.text[:match.end()].endswith(ABBREVIATIONS)]
    for end in [*ends, len(paragraph.text)]:
        text = paragraph.text[start:end]
        if words := count_words(text):
            first = start + len(text) - len(text.lstrip())
            line = paragraph.line + paragraph.text.count("\n", 0, first)
            found.append(Sentence(line, " ".join(text.split()).replace(SPACE_IN_CODE, " "), words))
        start = end
    return found


def mean_of(sentences):
    return sum(sentence.words for sentence in sentences) / max(1, len(sentences))


def faults_of(name, paragraphs):
    """The faults of a text, one line for each."""
    faults, all_sentences = [], []
    for paragraph in paragraphs:
        sentences = sentences_of(paragraph)
        all_sentences += sentences
        words = sum(sentence.words for sentence in sentences)
        if words > PARAGRAPH:
            faults.append(f"{name}:{paragraph.line}: this paragraph has {words} words. At most {PARAGRAPH} are allowed: "
                          f"split it. It begins: {sentences[0].text}")
        faults += [f"{name}:{line}: this sentence has {words} words. At most {SENTENCE} are allowed: split it. {text}"
                   for line, text, words in sentences if words > SENTENCE]
    mean = mean_of(all_sentences)
    if mean >= MEAN:
        faults.append(f"{name}: its sentences have {mean:.1f} words on average. The mean must be under {MEAN}: split the "
                      "longest, which are")
        faults += [f"{name}:{line}: {words} words: {text}"
                   for line, text, words in sorted(all_sentences, key=lambda sentence: -sentence.words)[:5]]
    return faults


def length_of(readme):
    """The fault of the README's length: nothing, or one line."""
    words = count_words(readme)
    return [f"{README}: it has {words} words. At most {README_WORDS} are allowed: move some to a page under docs/"] * (words > README_WORDS)


def markdown_files(root):
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.md"],
                            capture_output=True, text=True, check=True)
    names = sorted(name for name in listed.stdout.splitlines() if not name.startswith(EXCLUDED))
    return [name for name in names if (root / name).exists()]


def measure(texts):
    """Prints a line for each text, and returns the faults."""
    faults = []
    print("words a sentence   longest   words   text")
    for name, paragraphs in texts:
        sentences = [sentence for paragraph in paragraphs for sentence in sentences_of(paragraph)]
        if not sentences:
            continue
        words = [sentence.words for sentence in sentences]
        print(f"{mean_of(sentences):16.1f} {max(words):9d} {sum(words):7d}   {name}")
        faults += faults_of(name, paragraphs)
    return faults


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, help="the program whose help texts are measured")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2], help="the sources")
    parser.add_argument("files", nargs="*", help="Markdown files; without any, those of the sources and the help texts")
    given = parser.parse_args(words)
    root = given.root
    program = given.program or next((root / name for name in PROGRAMS if (root / name).exists()), None)
    if given.program and not given.program.exists():
        parser.error(f"--program: there is no file {given.program}")
    texts = [(name, markdown_paragraphs((root / name).read_text())) for name in given.files or markdown_files(root)]
    if program and (given.program or not given.files):
        texts += [(name, help_paragraphs(text)) for name, text in help_texts(program)]
    faults = measure(texts) + [fault for name in [README] if name in dict(texts) for fault in length_of((root / name).read_text())]
    if not program and not given.files:
        print("help texts: skipped, since the program is not built (./dev build synelix_tool builds it)")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
