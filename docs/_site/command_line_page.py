# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference of the command line, from the options that the program itself parses by."""
import json
import re
import subprocess

WORD = "--describe-options"
NOT_SET = "not set"
#: The program says these of all commands alike.
SHARED = ("-h", "--version")


def ask(program, *words):
    """What the program says of a command; without words: of all."""
    done = subprocess.run([program, *words, WORD], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{program} {' '.join(words)} {WORD} failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


def commands(program):
    """[(name, description of the command)], in the order of --help."""
    return [(entry["name"], ask(program, entry["name"])) for entry in ask(program)["commands"]]


def default_of(option):
    """The default that the help names; of a flag: off."""
    if option["required"]:
        return "required"
    if option["flag"]:
        return "off"
    named = re.search(r"Default: (.+?)\.(?=\s|$)", option["help"])
    if named:
        return named[1]
    # (min, default), auto (default: a bar)
    word = re.search(r"\((\w+), default\)|([\w-]+) \(default[^)]*\)", option["help"])
    return word[1] or word[2] if word else NOT_SET


def escaped(text):
    """Text of the program, for Markdown. Options are code."""
    parts = re.split(r"((?<![\w-])--?[a-zA-Z][\w-]*[\w=]*)", text)
    return "".join(f"`{part}`" if i % 2 else re.sub(r"([\\`*_<>\[\]|$#~{}])", r"\\\1", part)
                   for i, part in enumerate(parts))


def option_lines(option):
    names = option["names"]
    value = option["type"]
    signature = ", ".join(f"{name} {value}".strip() for name in names)
    facts = [f"**Type:** {'flag' if option['flag'] else '`' + value + '`'}",
             f"**Default:** {escaped(default_of(option))}"]
    if option["excludes"]:
        facts.append("**Not with:** " + ", ".join(f"`{name.strip('`')}`" for name in option["excludes"]))
    return [f":::{{option}} {signature}", "", escaped(option["help"]), "", " · ".join(facts), ":::", ""]


def argument_table(arguments):
    rows = ["| argument | type | | meaning |", "|---|---|---|---|"]
    for option in arguments:
        need = "required" if option["required"] else "optional"
        rows.append(f"| `{option['names'][0]}` | `{option['type']}` | {need} | {escaped(option['help'])} |")
    return rows + [""]


def usage(name, description):
    words = [option["names"][0] if option["required"] else f"[{option['names'][0]}]"
             for option in description["options"] if option["positional"]]
    return " ".join(["synelix", name, "[OPTIONS]", *words])


def footer_lines(footer):
    """The example of --help as a block of code, and the words around it."""
    before, found, after = footer.partition("Example:\n")
    example, rest = [], []
    for line in after.splitlines():
        (example if found and line.startswith("  ") and not rest else rest).append(line)
    lines = []
    if before.strip():
        lines += [escaped(" ".join(before.split())), ""]
    if example:
        typed = [line[2:] if line.startswith("    ") else f"$ {line[2:]}" for line in example]
        lines += ["**Example**", "", "```console", *typed, "```", ""]
    if rest:
        lines += [escaped(" ".join(rest).strip()), ""]
    return lines


def command_lines(name, description):
    lines = [f"## synelix {name}", "", escaped(description["description"]), "",
             "```text", usage(name, description), "```", "",
             f":::{{program}} synelix {name}", ":::", ""]
    arguments = [option for option in description["options"] if option["positional"]]
    if arguments:
        lines += ["### Arguments", ""] + argument_table(arguments)
    groups = {}
    for option in description["options"]:
        if not option["positional"]:
            groups.setdefault(option["group"], []).append(option)
    for group, options in groups.items():
        lines += [f"### {group}" if group != "Options" else "### General", ""]
        for option in options:
            lines += option_lines(option)
    return lines + footer_lines(description["footer"])


def text(program):
    """All commands and options, in Markdown."""
    whole = ask(program)
    found = commands(program)
    lines = ["## Commands", "", "| command | what it does |", "|---|---|"]
    lines += [f"| [`synelix {name}`](#synelix-{name}) | {escaped(description['description'])} |"
              for name, description in found]
    lines += ["", "## synelix", "", escaped(whole["description"]), "", ":::{program} synelix", ":::", ""]
    for option in whole["options"]:
        lines += option_lines(option)
    lines += footer_lines(whole["footer"])
    for name, description in found:
        lines += command_lines(name, description)
    return "\n".join(lines)
