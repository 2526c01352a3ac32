# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What calls say to Python's logging, as "synelix": DEBUG for calls in memory, INFO for fits and files.

logging is not imported from here: where nobody else has, nobody listens.
"""

from __future__ import annotations

import sys

DEBUG, INFO = 10, 20


def logger_for(level):
    """The logger where it listens at this level, or None."""
    logging = sys.modules.get("logging")
    if logging is None:
        return None
    logger = logging.getLogger("synelix")
    return logger if logger.isEnabledFor(level) else None
