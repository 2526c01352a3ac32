#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether numbers of speed in the README and in docs are those of runs that are kept.

    measured.py [--root FOLDER] PAGE...

The comment <!-- measured: perf/results/RUN.json --> says which run the next paragraph or table is from. A paragraph
that names such a file counts like that, and so does the one before it (a table, or a picture). In such a block:

  * each number with a unit (x, %, s, ms, us, MiB) is a number of the run, to the digits that are shown;
  * the run is named in a link of the page, for readers.

Anywhere else, a ratio of speeds ("80 times as fast", "12x") is an error, unless ELSEWHERE has its sentence with a
formula. Code, and blocks of text that a program prints, do not count.
"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMENT = re.compile(r"<!-- measured: (perf/results/\S+\.json) -->")
NUMBER = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?)\s?(x(?!\w)(?! \d)|%|ms\b|us\b|s\b|MiB\b)")
RATIO = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?:x(?!\w)(?! \d)| times as (?:fast|slow)| times faster)")
#: Keys whose values are single measurements, before a median: no number that a page may show.
RAW = {"seconds", "roof", "roofs", "shapes", "context", "question", "questions", "must", "aim", "threads", "rounds"}
SCALES = {"x": 1, "%": 100, "s": 1, "ms": 1e3, "us": 1e6, "MiB": 1}
#: {part of a sentence: (run, whether the run says so)} of ratios that stand in prose without a comment.
ELSEWHERE = {
    "A million samples of 20 channels are 80 times as fast": (
        "perf/results/2026-11-26-epyc-avx512-python.json", lambda run: run["rows"]["nemos_1"]["value"] >= 80),
    "A fit of three neurons' coupling at 1 ms is 200 times as fast": (
        "perf/results/2026-11-26-epyc-avx512-python.json", lambda run: run["rows"]["fit"]["value"] >= 200),
}


def numbers_of(thing, found):
    """Adds the numbers of a run, and those of its notes with their units, to {unit: numbers}; "" has those without."""
    if isinstance(thing, dict):
        for key, value in thing.items():
            if key not in RAW:
                numbers_of(value, found)
    elif isinstance(thing, list):
        for value in thing:
            if isinstance(value, dict):
                numbers_of(value, found)
    elif isinstance(thing, str):
        for text, unit in re.findall(r"(\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)\s?(x\b|ms\b|us\b|s\b|MiB\b)?", thing):
            found.setdefault(unit, []).append(float(text.replace(",", "")))
    elif isinstance(thing, (int, float)) and not isinstance(thing, bool):
        found.setdefault("value", []).append(float(thing))


def is_shown_of(text, unit, found):
    """Whether a number of the run is this one, rounded to its digits."""
    shown = float(text.replace(",", ""))
    half = 0.5000001 * 10.0 ** -len(text.partition(".")[2])
    values = [value * SCALES[unit] for value in found.get("value", [])]
    values += found.get(unit, []) + found.get("", [])
    return any(abs(shown - value) <= half for value in values)


def stale_numbers(block, run):
    """Numbers with a unit of a block that are not in a run; None if it has no such number."""
    found = {}
    numbers_of(json.loads(run.read_text()), found)
    shown = NUMBER.findall(prose_of(block))
    stale = [f"{text} {unit} is no number of {run.name}" for text, unit in shown if not is_shown_of(text, unit, found)]
    return stale if shown else None


def block_behind(text, at):
    """The paragraph or table that begins at a place of the text."""
    rest = text[at:].lstrip("\n")
    return rest.partition("\n\n")[0]


def prose_of(text):
    """The text without blocks of code, code in lines, and addresses of links."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`\n]*`", "", text))


def stale_where_named(text, root):
    """Stale numbers of paragraphs that name a run, and of the paragraphs before them."""
    wrong, blocks = [], re.split(r"\n\n+", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))
    for i, block in enumerate(blocks):
        for name in dict.fromkeys(re.findall(r"perf/results/[\w.-]+\.json", block)):
            if not (root / name).exists():
                wrong.append(f"there is no run {name}")
                continue
            for near in blocks[max(i - 1, 0):i + 1]:
                wrong += stale_numbers(near, root / name) or []
    return wrong


def check_page(path, root=ROOT):
    """The faults of the numbers of a page."""
    text, wrong, rest = Path(path).read_text(), [], []
    end = 0
    for comment in COMMENT.finditer(text):
        rest.append(text[end:comment.start()])
        block = block_behind(text, comment.end())
        end = text.index(block, comment.end()) + len(block)
        run = root / comment.group(1)
        if not run.exists():
            wrong.append(f"{path}: there is no run {comment.group(1)}")
            continue
        if Path(run).name not in text.replace(comment.group(0), ""):
            wrong.append(f"{path}: readers do not see the name of {Path(run).name}")
        stale = stale_numbers(block, run)
        if stale is None:
            wrong.append(f"{path}: the block behind {comment.group(0)} has no number with a unit")
        wrong += [f"{path}: {text}" for text in stale or []]
    rest.append(text[end:])
    wrong += [f"{path}: {text}" for text in stale_where_named("\n\n".join(rest), root)]
    for sentence in re.split(r"(?<=[.!?])\s+|\n\n|\n\|", prose_of("\n\n".join(rest))):
        if not RATIO.search(sentence):
            continue
        known = next((entry for part, entry in ELSEWHERE.items() if part in sentence), None)
        if known is None:
            wrong.append(f"{path}: '{sentence.strip()[:100]}' names no run; "
                         "put <!-- measured: perf/results/RUN.json --> before it")
        elif not known[1](json.loads((root / known[0]).read_text())):
            wrong.append(f"{path}: '{sentence.strip()[:100]}' is not what {known[0]} says")
    return wrong


def main(words):
    root = ROOT
    if words[:1] == ["--root"]:
        root, words = Path(words[1]), words[2:]
    wrong = [text for path in words for text in check_page(path, root)]
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
