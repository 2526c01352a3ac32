# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Descriptions of what a call would compute, or has computed."""

from __future__ import annotations

import html


class Explanation(dict):
    """A dictionary that prints itself as a table, as text and in notebooks.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.Explanation(method="direct", workspace_bytes=4096)
             method  direct
    workspace_bytes  4,096 bytes
    """

    def __repr__(self):
        width = max((len(k) for k in self), default=0)
        return "\n".join(f"{k:>{width}}  {_text(k, v)}" for k, v in self.items())

    def _repr_html_(self):
        rows = (
            f"<tr><th style='text-align:left'>{html.escape(k)}</th><td>{html.escape(_text(k, v))}</td></tr>"
            for k, v in self.items()
        )
        return f"<table>{''.join(rows)}</table>"


def _text(key, value):
    if (key.endswith("bytes") or key == "budget") and isinstance(value, (int, float)):
        return f"{value / 2**20:,.1f} MiB" if value >= 2**20 else f"{int(value):,} bytes"
    if isinstance(value, dict):
        return ", ".join(f"{k} {_text(k, v)}" for k, v in value.items())
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def table_of_fit(model):
    """The results of a fit, as a table of HTML. Empty before a fit."""
    if not hasattr(model, "coef_"):
        return ""
    found = {"coefficients": model.coef_.shape}
    found.update({k: getattr(model, k) for k in ("solver_", "n_iter_", "stop_", "optimality_") if hasattr(model, k)})
    return Explanation(found)._repr_html_()
