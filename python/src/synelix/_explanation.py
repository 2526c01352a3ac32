# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Descriptions of a call: how it would compute, or how it has computed."""

from __future__ import annotations

import html

import numpy as np

#: Longer arrays are described by their shape.
_MOST_NUMBERS = 10


class Explanation(dict):
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

    def _repr_html_(self):
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
