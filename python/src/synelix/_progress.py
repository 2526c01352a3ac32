# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The argument `progress`: None, True for a progress bar of tqdm, or a function. Without tqdm, there is no bar."""

from __future__ import annotations

from ._errors import ArgumentTypeError


class _Progress:
    """Provides the function that the library calls. At the end, it closes the bar."""

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
