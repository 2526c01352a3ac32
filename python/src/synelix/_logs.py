# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages to Python's logger "synelix": DEBUG for calls in memory, INFO for fits and files.

This module does not import logging. A program that has not imported logging cannot receive messages.
"""

from __future__ import annotations

import sys

DEBUG, INFO = 10, 20


def logger_for(level):
    """The logger if it handles messages of this level, else None."""
    logging = sys.modules.get("logging")
    if logging is None:
        return None
    logger = logging.getLogger("synelix")
    return logger if logger.isEnabledFor(level) else None
