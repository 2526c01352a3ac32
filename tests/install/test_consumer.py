#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The user's program includes every public header, so that one which is not installed is found.

    test_consumer.py ROOT
"""
import re
import sys
from pathlib import Path

PUBLIC = re.compile(r"^#include <synelix/(\w+\.hpp)>$", re.M)


def left_out(root):
    """Public headers that neither the program nor synelix.hpp includes."""
    headers = {file.name for file in (root / "include/synelix").glob("*.hpp")}
    texts = ((root / name).read_text(encoding="utf-8") for name in ("tests/install/consumer/consumer.cpp", "include/synelix/synelix.hpp"))
    return sorted(headers - {name for text in texts for name in PUBLIC.findall(text)})


if __name__ == "__main__":
    found = left_out(Path(sys.argv[1]))
    print(f"tests/install/consumer/consumer.cpp does not include: {', '.join(found)}" if found else "all public headers are included")
    sys.exit(bool(found))
