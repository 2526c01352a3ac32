# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call tells: descriptions of how it computes, its progress, and messages to Python's logger "synelix".

Messages are DEBUG for calls in memory, and INFO for fits and files. This module does not import logging. A program that
has not imported logging cannot receive messages.
"""

from __future__ import annotations

import html
import sys
from typing import Any

import numpy as np

from ._errors import ArgumentTypeError

DEBUG, INFO = 10, 20
#: Longer arrays are described by their shape.
_MOST_NUMBERS = 10


class Explanation(dict[str, Any]):
    """A dictionary that is printed as a table, as text and in notebooks.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.Explanation(method="direct", workspace_bytes=4096)
             method  direct
    workspace_bytes  4,096 bytes
    """

    def __repr__(self):
        rows = list(self._rows())
        width = max((len(k) for k, _ in rows), default=0)
        return "\n".join(f"{k:>{width}}  {text}" for k, text in rows)

    def _rows(self):
        """Names and texts of the rows. A list of dictionaries or tuples has a row for each entry."""
        for k, v in self.items():
            if isinstance(v, list) and v and isinstance(v[0], (dict, tuple)):
                yield from ((f"{k}[{i}]", _text(k, item)) for i, item in enumerate(v))
            else:
                yield k, _text(k, v)

    def _repr_html_(self) -> str:
        rows = (
            f"<tr><th style='text-align:left'>{html.escape(k)}</th><td>{html.escape(text)}</td></tr>"
            for k, text in self._rows()
        )
        return f"<table>{''.join(rows)}</table>"


def _text(key, value):
    if (key.endswith("bytes") or key == "budget") and isinstance(value, (int, float)):
        return f"{value / 2**20:,.1f} MiB" if value >= 2**20 else f"{int(value):,} bytes"
    if isinstance(value, dict):
        return ", ".join(f"{k} {_text(k, v)}" for k, v in value.items())
    if isinstance(value, tuple) and any(isinstance(v, float) for v in value):
        return f"({', '.join(_text(key, v) for v in value)})"
    if isinstance(value, np.ndarray) and value.size > _MOST_NUMBERS:
        return f"array of shape {value.shape}, {value.dtype}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def table_of_fit(model):
    """The results of a fit as an HTML table. It is empty before the fit."""
    if not hasattr(model, "coef_"):
        return ""
    found = {"coefficients": model.coef_.shape}
    found.update({k: getattr(model, k) for k in ("solver_", "n_iter_", "stop_", "optimality_") if hasattr(model, k)})
    return Explanation(found)._repr_html_()


class _Progress:
    """The argument `progress`: None, True for a bar of tqdm, or a function. Without tqdm, there is no bar.

    It provides the function that the library calls. At the end, it closes the bar.
    """

    units: dict = {}

    def __init__(self, progress):
        self._bar, self.call = None, None
        if progress is not None and not isinstance(progress, bool) and not callable(progress):
            raise ArgumentTypeError(f"progress: {progress!r} cannot be called. Use True for a bar, or a function.")
        if progress is True:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._bar = tqdm(**self.units)
            self.call = self._show
        elif callable(progress):
            self.call = self._function(progress)

    def _function(self, progress):
        return progress

    def __enter__(self):
        return self.call

    def __exit__(self, *_):
        if self._bar is not None:
            self._bar.close()


class BytesProgress(_Progress):
    """The progress of a run over files: bytes written. A function is called with (values done, values)."""

    units = {"unit": "B", "unit_scale": True, "unit_divisor": 1024}

    def _function(self, progress):
        return lambda done, total, written, seconds: progress(done, total)

    def _show(self, done, total, written, seconds):
        self._bar.total = int(written * total / max(done, 1)) or None
        self._bar.update(written - self._bar.n)


class WalksProgress(_Progress):
    """The progress of a fit: passes over the rows. Their number is not known before the end."""

    units = {"unit": " walks"}

    def _show(self, done, models, walks, optimality, seconds):
        self._bar.set_postfix_str(f"{done} of {models} models, optimality {optimality:.1e}", refresh=False)
        self._bar.update(walks - self._bar.n)


def logger_for(level):
    """The logger if it handles messages of this level, else None."""
    logging = sys.modules.get("logging")
    if logging is None:
        return None
    logger = logging.getLogger("synelix")
    return logger if logger.isEnabledFor(level) else None
